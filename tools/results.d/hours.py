# SPDX-License-Identifier: BSD-2-Clause
"""Nobody is slow, in recordings, in simulated clusters and in simulated tables of many kinds: sections hours and
kinds."""
import csv
import os
import shutil

from base import HARMLESS, O, call
from said import DEFAULT, LOADED, Alarms, diagnose, seeds

LOADS = ("ddw", "ddr", "mixed", "postmark", "light")
SIZES = (3, 5, 8, 12, 24)
TABLES = 2  # of each kind and size: some 20 group-weeks of a size


def alarm(run, alarms, key, said, hours, name):
    """name: of the run, in the list of false alarms."""
    alarms.add(key, said, hours)
    if said.named:
        run.add("misses", key[0], key[2], name, key[1], "", "alarm", said.line(said.named))


def measure_hours(run):
    """Nobody is slow: alarms in simulated hours (--hours) and recordings (--testbed)."""
    alarms = Alarms()
    simulated_hours(run, alarms)
    for folder in run.testbeds:
        recorded(run, alarms, folder)
    alarms.store(run)


def simulated_hours(run, alarms):
    """Each hour is another cluster of five servers, under each load in turn."""
    hours, seconds = (2, 300) if run.quick else (run.hours, 3600)
    shape = ("--servers", 5, "--clients", 2, "--unread", "--seconds", seconds)
    run.how = f"{hours} times simulate pfs {' '.join(map(str, shape))}, seed {run.seed}"
    for i, seed in zip(range(hours), seeds(run, "hours")):
        folder, load = f"{run.work}/hour", LOADS[i % len(LOADS)]
        call(f"{O}/simulate", "pfs", *shape, "--workload", load, "--seed", seed, "--cluster-seed", seed, "--begin",
             "@1767571200", folder)
        alarm(run, alarms, ("simulated", load, "robust", 5, DEFAULT), diagnose(folder), seconds / 3600, f"seed {seed}")
        shutil.rmtree(folder)


def recorded(run, alarms, folder):
    """Runs in which no server has a fault, whole; of the others what was recorded before it."""
    data = os.path.basename(folder.rstrip("/"))
    with open(f"{folder}/truth.csv", encoding="utf-8") as f:
        for r in csv.DictReader(f):
            free = r["fault"] in HARMLESS
            said = diagnose(*(() if free else ("--to", r["from"])), f"{folder}/{r['source']}")
            alarm(run, alarms, (data, r["fault"] if free else "before a fault", "robust", "all", DEFAULT), said,
                  said.seconds / 3600, r["source"])


def measure_kinds(run):
    """Nobody is slow: simulated tables of many kinds of ordinary servers."""
    lines = call(f"{O}/simulate", "table", "--list").splitlines()
    kinds = [line.split()[0] for line in lines][:2 if run.quick else None]
    sizes, count = ((5,), 1) if run.quick else (SIZES, TABLES)
    run.how = f"simulate table KIND --servers N, each of {len(kinds)} kinds {count} times, seed {run.seed}; " \
        f"limpet diagnose {' '.join(LOADED)}"
    alarms, path = Alarms(), f"{run.work}/kind.csv"
    for kind in kinds:
        for n in sizes:
            for _, seed in zip(range(count), seeds(run, "kinds", kind, n)):
                with open(path, "w", encoding="utf-8") as f:
                    f.write(call(f"{O}/simulate", "table", kind, "--servers", n, "--seed", seed))
                said = diagnose(*LOADED, path)
                alarm(run, alarms, ("kinds", kind, "robust", n, DEFAULT), said, said.seconds / 3600,
                      f"{kind}, {n} servers, seed {seed}")
    alarms.store(run)
