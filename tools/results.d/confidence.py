# SPDX-License-Identifier: BSD-2-Clause
"""How sure limpet says it is, and how often it is right then; how long a verdict takes; what is found by factor:
section confidence, on simulated clusters of unseen seeds and on recordings."""
import csv
import os
import shutil

from base import HARMLESS, O, call
from said import DEFAULT, Found, diagnose, draw, seeds, when
from stats import median, wilson

RUNS = 1000
FACTORS = (1.2, 1.3, 1.5, 2, 3, 5)
SLOW = ("slow-disk", "io-scheduler")  # faults that have a factor
OTHERS = ("disk-hog", "disk-busy", "write-network-hog", "read-network-hog", "receive-packet-loss", "send-packet-loss",
          "cpu-hog", "memory-pressure", "hang")
NO_FAULT = ("imbalance", "hardware", "fleet", "scrub", "lossy-client", "burst")
LOADS = ("ddw", "ddr", "mixed", "postmark", "light")
BEGIN, SECONDS, FROM_S = 1767571200, 240, 90
BINS = (0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.000001)


class Reliability:
    """Indictments by what confidence they have, and how many of them name a faulty server."""

    def __init__(self):
        self.bins = {}

    def add(self, data, said, faulty):
        for server, i in said.named.items():
            c = i["confidence"]
            if isinstance(c, float):
                lo = max(b for b in BINS if b <= c)
                c = f"{lo:g} to {min(1, BINS[BINS.index(lo) + 1]):g}"
            b = self.bins.setdefault((data, c), [0, 0])
            b[0] += 1
            b[1] += server in faulty

    def store(self, run):
        for (data, c), (n, right) in sorted(self.bins.items()):
            run.add("reliability", data, c, n, right, *(f"{x:.3g}" for x in wilson(right, n)))


class Delays:
    """Seconds from a fault's onset to the verdict on the faulty server."""

    def __init__(self):
        self.rows = {}

    def add(self, key, said, servers, onset):
        """key: data, fault, factor."""
        times = self.rows.setdefault(key, [])
        for s in servers:
            i = said.named.get(s)
            times.append(when(i["decided"]) - onset if i else None)

    def store(self, run):
        for key, times in sorted(self.rows.items(), key=lambda x: [str(k) for k in x[0]]):
            known = [t for t in times if t is not None]
            run.add("onset", *key, len(times), len(known), sum(t <= 20 for t in known), sum(t <= 60 for t in known),
                    *((f"{median(known):.0f}", f"{max(known):.0f}") if known else ("", "")))


def drawn(g):
    """A fault and its factor: three of ten runs without, one with what is no fault, four by a factor."""
    kind = g.choices(("none", "no fault", "factor", "other"), (3, 1, 4, 2))[0]
    fault = {"none": "none", "no fault": g.choice(NO_FAULT), "factor": g.choice(SLOW), "other": g.choice(OTHERS)}[kind]
    return fault, g.choice(FACTORS) if kind == "factor" else ""


def measure_confidence(run):
    """How often it is right by how sure it says it is, and seconds to the verdict."""
    count, g = 20 if run.quick else RUNS, draw(run, "confidence")
    run.how = f"{count} times simulate pfs --unread --seconds {SECONDS}, 5 to 12 servers, drawn with seed {run.seed}"
    reliability, delays, found = Reliability(), Delays(), Found(run)
    for i, seed in zip(range(count), seeds(run, "confidence")):
        (fault, factor), load = drawn(g), LOADS[i % len(LOADS)]
        folder, truth = f"{run.work}/run", f"{run.work}/truth.csv"
        call(f"{O}/simulate", "pfs", "--servers", g.randint(5, 12), "--clients", g.randint(2, 4), "--seconds", SECONDS,
             "--fault-from", FROM_S, "--fault-seconds", SECONDS - FROM_S, "--fault", fault, "--workload", load,
             "--seed", seed, "--cluster-seed", seed, "--begin", f"@{BEGIN}", "--truth", truth, "--unread",
             *(("--intensity", factor) if factor else ()), folder)
        with open(truth, encoding="utf-8") as f:
            r = next(csv.DictReader(f))
        faulty = set() if fault in HARMLESS else set(r["node"].split())
        account(run, reliability, delays, found, "simulated", diagnose(folder), fault, factor, faulty, BEGIN + FROM_S,
                f"{fault} seed {seed} {load}")
        shutil.rmtree(folder)
        os.remove(truth)
    for folder in run.testbeds:
        recorded(run, reliability, delays, found, folder)
    reliability.store(run)
    delays.store(run)
    found.store()


def account(run, reliability, delays, found, data, said, fault, factor, faulty, onset, name):
    reliability.add(data, said, faulty)
    key = (data, factor, fault, "robust", "all", DEFAULT)
    found.add(key, said, faulty, name)
    if faulty:
        delays.add((data, fault, factor), said, faulty, onset)


def recorded(run, reliability, delays, found, folder):
    data = os.path.basename(folder.rstrip("/"))
    with open(f"{folder}/truth.csv", encoding="utf-8") as f:
        for r in csv.DictReader(f):
            faulty = set() if r["fault"] in HARMLESS else set(r["node"].split())
            account(run, reliability, delays, found, data, diagnose(f"{folder}/{r['source']}"), r["fault"],
                    r.get("arg", ""), faulty, float(r["from"][1:] or 0) if faulty else 0, r["source"])
