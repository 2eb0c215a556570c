#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""states_json.py spark|rumen CSV FILE…: reads logs by itself, with Python's json, and compares what `limpet states
--csv` printed into CSV: how many states of each kind each server has, and how long they took together."""
import collections
import csv
import gzip
import json
import subprocess
import sys


def text(path):
    if path.endswith(".gz"):
        return gzip.open(path, "rt").read()
    if path.endswith(".zstd"):
        return subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout.decode()
    return open(path).read()


def spark(path, add):
    for line in text(path).splitlines():
        event = json.loads(line)
        if event["Event"] != "SparkListenerTaskEnd":
            continue
        info, m = event["Task Info"], event["Task Metrics"]
        whole = (info["Finish Time"] - info["Launch Time"]) * 1000000
        read, write = m.get("Shuffle Read Metrics", {}), m.get("Shuffle Write Metrics", {})
        wait, wrote = read.get("Fetch Wait Time", 0) * 1000000, write.get("Shuffle Write Time", 0)
        run = m["Executor Run Time"] * 1000000

        def part(kind, ns):
            add(kind, info["Host"], min(max(ns, 0), whole))

        add("task", info["Host"], whole)
        part("task-compute", run - wait - wrote)
        part("task-cpu", m["Executor CPU Time"])
        part("gc", m["JVM GC Time"] * 1000000)
        if read.get("Remote Bytes Read", 0) + read.get("Local Bytes Read", 0) + wait > 0:
            part("fetch-wait", wait)
        if write.get("Shuffle Bytes Written", 0) + wrote > 0:
            part("shuffle-write", wrote)
        got = info["Getting Result Time"]
        got = (info["Finish Time"] - got) * 1000000 if got else 0
        part("schedule", whole - run - got -
             (m["Executor Deserialize Time"] + m["Result Serialization Time"]) * 1000000)


def rumen(path, add):
    decoder, rest = json.JSONDecoder(), text(path).strip()
    while rest:
        job, end = decoder.raw_decode(rest)
        rest = rest[end:].strip()
        for task in job["mapTasks"] + job["reduceTasks"] + job["otherTasks"]:
            for a in task["attempts"]:
                host, kind = a["hostName"].rsplit("/", 1)[1], task["taskType"].lower()
                at = [a["startTime"], a["shuffleFinished"], a["sortFinished"], a["finishTime"]]
                add(kind, host, (at[3] - at[0]) * 1000000)
                if kind == "reduce":
                    for i, name in enumerate(("shuffle-wait", "sort", "reducer")):
                        add(name, host, (at[i + 1] - at[i]) * 1000000)


def main():
    count, ns = collections.Counter(), collections.Counter()

    def add(kind, host, duration):
        count[kind, host] += 1
        ns[kind, host] += duration

    for path in sys.argv[3:]:
        {"spark": spark, "rumen": rumen}[sys.argv[1]](path, add)
    said, seconds = collections.Counter(), collections.Counter()
    for row in csv.DictReader(open(sys.argv[2])):
        if row["outcome"] != "open":
            said[row["state"], row["node"]] += 1
            seconds[row["state"], row["node"]] += float(row["duration"])
    odd = [(k, said[k], count[k]) for k in said | count if said[k] != count[k]]
    odd += [(k, seconds[k], ns[k] / 1e9) for k in ns if abs(seconds[k] - ns[k] / 1e9) > 1e-6 * said[k] + 1e-6]
    for o in odd[:10]:
        print("limpet says of %s %s, it is %s" % o)
    print("%d states" % sum(count.values()))
    sys.exit(1 if odd or not count else 0)


main()
