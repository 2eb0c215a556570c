# SPDX-License-Identifier: BSD-2-Clause
"""Logs of real jobs (traces of Rumen, a JSON object a job) as tables of state durations: section jobs.

One look: each log is short, and all that there is."""
import collections
import gzip
import json
import os

from base import RULES, say
from said import DEFAULT, Alarms, Found, diagnose

FEWEST = 2  # hosts; a kind of work that fewer did compares nobody
FEW_WINDOWS = ("--window", "8", "--shift", "4")  # of the rules of thumb: a log has a few dozen intervals


def jobs(path):
    """The JSON objects that the file has one after the other."""
    decoder, at = json.JSONDecoder(), 0
    with gzip.open(path, "rt", encoding="utf-8") as f:
        text = f.read()
    while at < len(text):
        if text[at].isspace():
            at += 1
        else:
            job, at = decoder.raw_decode(text, at)
            yield job


def tasks(path):
    """(end in ms, host, kind of work, ms) of each attempt that succeeded. A kind is the job's name and what the task
    did. A reduce counts from the end of its shuffle on: until then it waits for maps."""
    rows = []
    for job in jobs(path):
        for kind in ("map", "reduce"):
            for task in job[f"{kind}Tasks"]:
                for a in task["attempts"]:
                    begin = a["startTime"] if kind == "map" else a["shuffleFinished"]
                    if a["result"] == "SUCCESS" and a["hostName"] and 0 < begin < a["finishTime"]:
                        rows.append((a["finishTime"], a["hostName"].rpartition("/")[2], f"{job['jobName']}-{kind}",
                                     a["finishTime"] - begin))
    hosts = collections.defaultdict(set)
    for _, host, kind, _ in rows:
        hosts[kind].add(host)
    return sorted(r for r in rows if len(hosts[r[2]]) >= FEWEST)


def table(path, rows, slow=None, factor=1):
    """A line an event, as limpet reads it; of one host each takes so many times as long."""
    with open(path, "w", encoding="utf-8") as f:
        f.write("time,node,state,duration\n")
        for end, host, kind, ms in rows:
            f.write(f"{end / 1000:.3f},{host},{kind},{ms * (factor if host == slow else 1) / 1000:.6g}\n")
    return path


def measure_jobs(run):
    """Logs of real jobs: nobody is slow, or one host twice as slow."""
    if not run.data:
        say("no public data (LIMPET_TEST_DATA): passed over")
        return
    run.how = "limpet diagnose on tables of the tasks' durations"
    alarms, found, path = Alarms(), Found(run), f"{run.work}/job.csv"
    names = sorted(f for f in os.listdir(f"{run.data}/hadoop-traces") if f.endswith(".json.gz"))
    for name in names[:1 if run.quick else None]:
        rows, log = tasks(f"{run.data}/hadoop-traces/{name}"), name.split(".")[0]
        hosts = sorted({r[1] for r in rows})
        hours = (rows[-1][0] - rows[0][0]) / 3.6e6
        methods = {"robust": (), **({} if run.tuning else {m: ("--method", m, *FEW_WINDOWS) for m in RULES})}
        for m, words in methods.items():
            budget = DEFAULT if m == "robust" else ""
            said = diagnose(*words, table(path, rows))
            alarms.add(("hadoop-traces", "", m, "all", budget), said, hours)
            if said.named and m == "robust":
                run.add("misses", "hadoop-traces", m, log, "none", "", "alarm", said.line(said.named))
            for host in hosts:
                said = diagnose(*words, table(path, rows, host, 2))
                found.add(("hadoop-traces", 2, "one job's log", m, "all", budget), said, {host}, log)
    alarms.store(run)
    found.store()
