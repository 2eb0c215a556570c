# SPDX-License-Identifier: BSD-2-Clause
"""What `limpet diagnose --json` says of each server, and how often that is right."""
import datetime
import json
import random

from base import RULES, limpet
from stats import poisson

DEFAULT = "default"
BUDGETS = ("0.02", "0.05", "0.1")
LOADED = ("--signal", "latency", "--given", "throughput")
NOTHING = '{"verdict": "cannot-judge", "incidents": [], "not_judged": [], "judged": {"from": null, "to": null}}'


def when(text):
    return datetime.datetime.fromisoformat(text).timestamp()


class Said:
    """named: {server: its first incident}; suspicious, unjudged: servers; judged: whether anything was; seconds:
    from the first to the last second."""

    def __init__(self, text, status):
        self.status = status  # other than 0 mostly with --exit-code
        o = json.loads(text)
        self.named, self.suspicious = {}, set()
        for i in o["incidents"]:
            if i["suspicious"]:
                self.suspicious.add(i["server"])
            else:
                self.named.setdefault(i["server"], i)
        self.suspicious -= set(self.named)
        self.unjudged = {s["server"] for s in o["not_judged"] if not s["signals"]}
        self.judged = o["verdict"] != "cannot-judge"
        span = o["judged"]
        self.seconds = when(span["to"]) - when(span["from"]) if span["from"] and span["to"] else 0

    def line(self, wrong=()):
        """For the list of misses; '*': wrongly."""
        said = []
        for server, i in self.named.items():
            ratio = max((f["ratio"] or 0 for f in i["findings"]), default=0)
            said.append(f"{server} {ratio:.2f} x, confidence {i['confidence']}{' *' if server in wrong else ''}")
        said += [f"{s} suspicious" for s in sorted(self.suspicious)]
        return "; ".join(said) or ("" if self.judged else "cannot judge")


def draw(run, *words):
    """A generator of its own for each use, so that no section depends on another."""
    return random.Random(" ".join(map(str, (run.seed, *words))))


def seeds(run, *words):
    """Seeds of simulate that tools/simulated-runs does not use, without end."""
    g = draw(run, *words)
    while True:
        yield g.randrange(100_000_000, 4_000_000_000)


def budgets(run):
    """Options of limpet by the budget's name. Only some programs have it."""
    if "--budget" not in limpet("diagnose", "--help") or run.quick or run.tuning and not run.budgets:
        return {DEFAULT: ()}
    return {DEFAULT: (), **{v: ("--budget", v) for v in run.budgets or BUDGETS}}


def diagnose(*words):
    """Also where nobody could be judged, which ends with status 4, or 1 for methods with windows of their own."""
    text = limpet("diagnose", "--json", *words, status=(0, 1, 3, 4, 5))
    return Said(text or NOTHING, limpet.status)


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

    def add(self, key, said, slow, name, listed=True):
        """key: data, factor, span, method, n, budget. name: of the run, in the list of misses; listed: nobody
        expects that a server so little slow is found so soon, and only alarms are listed."""
        r = self.rows.setdefault(key, [0] * 8)
        slow, named = set(slow), set(said.named)
        found, others = slow & named, named - slow
        suspicious = slow & said.suspicious
        unjudged = slow - found - suspicious if not said.judged else slow & said.unjudged - found - suspicious
        missed = slow - found - suspicious - unjudged
        parts = (slow, found, () if others else found, suspicious, missed, unjudged, others)
        for i, x in enumerate((1, *map(len, parts))):
            r[i] += x
        data, factor, span, method, n, budget = key
        wrong = ["not found"] * (listed and len(found) < len(slow)) + ["alarm"] * bool(others)
        if wrong and method == "robust" and budget == DEFAULT:
            self.run.add("misses", data, method, f"{name}, {span}, {n} peers", f"{factor} x" if factor else "slow",
                         " ".join(sorted(slow)), "; ".join(wrong), said.line(others))

    def store(self):
        for key, r in self.rows.items():
            self.run.add("found", *key, *r)
