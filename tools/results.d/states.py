# SPDX-License-Identifier: BSD-2-Clause
"""Logs of real jobs, read into states: section states.

Traces of Rumen with one host's durations multiplied; a small Hadoop with one slave short of processor; Spark; and
recordings of tools/matrix --engine (--testbed), their logs alone and with what the probes recorded."""
import collections
import copy
import csv
import json
import os

from base import HARMLESS, limpet, say
from jobs import jobs
from public import case
from said import DEFAULT, Alarms, Found, diagnose

FACTORS = (1.3, 1.5, 2, 3)
METHODS = {"robust": (), "salsa": ("--method", "salsa"), "salsa --min 2": ("--method", "salsa", "--min", "2")}
# Thresholds that the papers would have chosen, each for its workload: of whole traces, as they had.
TUNED = {f"salsa --min 2, {t}": ("--method", "salsa", "--min", "2", "--threshold", t) for t in ("0.30", "0.50")}
FEWEST = 5  # attempts of a kind that a look needs of a host


def methods(run, more=()):
    have = limpet("diagnose", "--help")
    return {m: words for m, words in {**METHODS, **dict(more)}.items()
            if m == "robust" or "salsa" in have and not run.tuning}


def host_of(attempt):
    return (attempt["hostName"] or "").rpartition("/")[2].replace("\\", "")


def attempts(job):
    """(kind, attempt) of those that succeeded."""
    for kind in ("map", "reduce"):
        for task in job[f"{kind}Tasks"] or ():
            for a in task["attempts"]:
                if a["result"] == "SUCCESS" and host_of(a) and 0 < a["startTime"] < a["finishTime"]:
                    yield kind, a


def slowed(job, host, factor):
    """The job with all that the host did so many times as long."""
    job = copy.deepcopy(job)
    for _, a in attempts(job):
        if host_of(a) == host:
            for end in ("shuffleFinished", "sortFinished", "finishTime"):
                if a.get(end, -1) > a["startTime"]:
                    a[end] = int(a["startTime"] + factor * (a[end] - a["startTime"]))
    return job


def hosts_of(log):
    """Those that have enough of a kind in some job; the others cannot be judged."""
    count = collections.Counter((job["jobID"], kind, host_of(a)) for job in log for kind, a in attempts(job))
    return sorted({host for (_, _, host), n in count.items() if n >= FEWEST})


def write(path, log):
    with open(path, "w", encoding="utf-8") as f:
        for job in log:
            f.write(json.dumps(job) + "\n")
    return path


def one_log(run, alarms, found, what, name, log):
    path, hosts = f"{run.work}/trace.json", hosts_of(log)
    times = [t for job in log for _, a in attempts(job) for t in (a["startTime"], a["finishTime"])]
    if not hosts:
        return
    for m, words in methods(run, TUNED if len(log) > 1 else ()).items():
        budget = DEFAULT if m == "robust" else ""
        said = diagnose(*words, write(path, log))
        alarms.add(("hadoop-traces", what, m, "all", budget), said, (max(times) - min(times)) / 3.6e6)
        for factor in FACTORS:
            for host in hosts:
                said = diagnose(*words, write(path, [slowed(job, host, factor) for job in log]))
                found.add(("hadoop-traces", factor, what, m, "all", budget), said, {host}, name, listed=factor >= 2)


def traces(run, alarms, found):
    names = sorted(f for f in os.listdir(f"{run.data}/hadoop-traces") if f.endswith(".json.gz"))
    for name in names[:1 if run.quick else None]:
        log, short = list(jobs(f"{run.data}/hadoop-traces/{name}")), name.split(".")[0]
        one_log(run, alarms, found, "a trace of several jobs", short, log)
        for job in log:
            one_log(run, alarms, found, "one job", f"{short}, {job['jobID']}", [job])


def public(run):
    folder = f"{run.data}/hadoop-1.2.1/history"
    for name in sorted(os.listdir(folder)):
        number = name.split("_")[2]
        truth = {"0001": "abstain", "0002": "nobody", "0003": "s3"}[number]
        for options in ([], ["--method", "salsa", "--min", "5"]):
            case(run, "hadoop-1.2.1", f"history of job {number}", truth, options, f"{folder}/{name}")
    for name in sorted(os.listdir(f"{run.data}/spark-events")):
        said = diagnose(f"{run.data}/spark-events/{name}")
        run.add("public", "spark-events", name, "", "nobody", "; ".join(sorted(said.named)) or "nobody", said.status,
                int(not said.named and said.status != 1))


def recordings(run, folder):
    """Runs of a real engine: the same runs by their logs alone, and with what was recorded beside them."""
    name, alarms, found = os.path.basename(folder.rstrip("/")), Alarms(), Found(run)
    with open(f"{folder}/truth.csv", encoding="utf-8") as f:
        rows = [r for r in csv.DictReader(f) if os.path.isdir(f"{folder}/{r['source']}/logs")]
    for r in rows:
        source = f"{folder}/{r['source']}"
        fault = " ".join(x for x in (r["fault"], r["arg"] or "") if x)
        for what, paths in (("logs alone", ("logs",)), ("logs and recordings", ("",))):
            for m, words in (methods(run) if what == "logs alone" else {"robust": ()}).items():
                said = diagnose(*words, *(f"{source}/{p}" for p in paths))
                budget = DEFAULT if m == "robust" else ""
                if r["fault"] in HARMLESS:
                    alarms.add((name, what, m, "", budget), said, said.seconds / 3600)
                else:
                    found.add((name, fault, what, m, "", budget), said, r["node"].split(), r["source"])
    alarms.store(run)
    found.store()


def measure_states(run):
    """Logs of jobs as states: traces with one host slow, real engines with faults (--testbed)."""
    run.how = "limpet diagnose on logs of jobs"
    if run.data:
        alarms, found = Alarms(), Found(run)
        traces(run, alarms, found)
        alarms.store(run)
        found.store()
        public(run)
    else:
        say("no public data (LIMPET_TEST_DATA): passed over")
    for folder in run.testbeds:
        if os.path.exists(f"{folder}/truth.csv"):
            recordings(run, folder)
