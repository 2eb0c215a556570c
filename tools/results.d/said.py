# SPDX-License-Identifier: BSD-2-Clause
"""What `limpet diagnose --json` says of each server, and how often that is right."""
import datetime
import json

from base import RULES, limpet
from stats import poisson

DEFAULT = "default"


class Said:
    """named: {server: its first incident}; suspicious: servers; judged: whether anything was."""

    def __init__(self, text):
        o = json.loads(text)
        self.named = {}
        for i in o["incidents"]:
            self.named.setdefault(i["server"], i)
        status = {s["server"]: s["status"] for s in o.get("servers") or []}
        self.suspicious = {s for s in status if status[s] == "suspicious"} - set(self.named)
        self.unjudged = {s["server"] for s in o["not_judged"] if not s["signals"]}
        self.judged = o["verdict"] != "cannot-judge"

    def line(self, wrong=()):
        """For the list of misses; '*': wrongly."""
        said = []
        for server, i in self.named.items():
            ratio = max((f["ratio"] or 0 for f in i["findings"]), default=0)
            said.append(f"{server} {ratio:.2f} x, confidence {i['confidence']}{' *' if server in wrong else ''}")
        said += [f"{s} suspicious" for s in sorted(self.suspicious)]
        return "; ".join(said) or ("" if self.judged else "cannot judge")


def when(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()


def budgets(run, *values):
    """Options of limpet by the budget's name. Only some programs have it."""
    if "--budget" not in limpet("diagnose", "--help") or not values or run.quick:
        return {DEFAULT: ()}
    return {DEFAULT: (), **{str(v): ("--budget", v) for v in values}}


def diagnose(*words):
    """Also where nobody could be judged, which ends with status 1."""
    text = limpet("diagnose", "--json", *words, status=(0, 1))
    return Said(text) if text else Said('{"incidents": [], "not_judged": [], "verdict": "cannot-judge"}')


def method_options(method):
    """Rules of thumb and `kl` have a metric, no load, and their own windows."""
    return ("--method", method, "-m", "latency") if method in RULES else ()


class Alarms:
    """Runs without a fault: false indictments, a server once a run, by hours that were observed."""

    def __init__(self):
        self.rows = {}

    def add(self, key, said, hours):
        """key: data, what, method, n, budget."""
        r = self.rows.setdefault(key, [0] * 6)
        for i, x in enumerate((1, bool(said.named), len(said.named), bool(said.suspicious), not said.judged, hours)):
            r[i] += x

    def store(self, run):
        for key, (runs, runs_named, named, suspicious, unjudged, hours) in self.rows.items():
            rates = [f"{x * 168 / hours:.3g}" if hours else "" for x in poisson(named)]
            run.add("alarms", *key, runs, runs_named, named, suspicious, unjudged, f"{hours:.1f}", *rates)


class Found:
    """Runs with slow servers: each is found, suspicious, missed or could not be judged; and who else was named."""

    def __init__(self, run):
        self.rows, self.run = {}, run

    def add(self, key, said, slow, name):
        """key: data, factor, span, method, n, budget. name: of the run, in the list of misses."""
        r = self.rows.setdefault(key, [0] * 7)
        slow, named = set(slow), set(said.named)
        found, others = slow & named, named - slow
        suspicious = slow & said.suspicious
        unjudged = slow - found - suspicious if not said.judged else slow & said.unjudged - found
        missed = slow - found - suspicious - unjudged
        for i, x in enumerate((slow, found, () if others else found, suspicious, missed, unjudged, others)):
            r[i] += len(x)
        data, factor, span, method, n, budget = key
        if (len(found) < len(slow) or others) and method == "robust" and budget == DEFAULT:
            wrong = ["not found"] * (len(found) < len(slow)) + ["alarm"] * bool(others)
            self.run.add("misses", data, method, f"{name}, {span}, {n} peers", f"{factor} x" if factor else "slow",
                         " ".join(sorted(slow)), "; ".join(wrong), said.line(others))

    def store(self):
        for key, r in self.rows.items():
            self.run.add("found", *key, *r)
