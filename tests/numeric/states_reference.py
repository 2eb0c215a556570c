#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The table of states of real job histories and clienttrace lines, made again by regular expressions, and compared
exactly with what limpet states --csv prints. Nothing of limpet's is used but its output. Prints TAP."""
import csv
import glob
import gzip
import io
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

O = os.environ.get("O", ".output")
DATA = os.environ.get("LIMPET_TEST_DATA")
if not DATA:
    print("SKIP LIMPET_TEST_DATA is not set")
    sys.exit(0)
FOLDER = os.path.join(DATA, "hadoop-1.2.1")
PARTS = ["shuffle-wait", "sort", "reducer"]


def attempts(path):
    """Of each attempt all its keys, from all of its records."""
    of = defaultdict(dict)
    with open(path, encoding="utf-8") as f:
        for record in re.findall(r"^(?:Map|Reduce)Attempt (.*?) \.$", f.read(), re.M | re.S):
            keys = {k: re.sub(r"\\(.)", r"\1", v) for k, v in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', record)}
            of[keys["TASK_ATTEMPT_ID"]].update(keys)
    return of


def counter(keys, name):
    found = re.search(r"\[\(%s\)\([^)]*\)\((\d+)\)\]" % name, keys.get("COUNTERS", ""))
    return found.group(1) if found else ""


def of_history(path):
    for name, k in attempts(path).items():
        kind, node = k["TASK_TYPE"].lower(), k["HOSTNAME"].split("/")[-1]
        at = [int(k["START_TIME"]), int(k["FINISH_TIME"])]
        size = counter(k, {"map": "HDFS_BYTES_READ", "reduce": "REDUCE_SHUFFLE_BYTES"}.get(kind, "-"))
        records = counter(k, {"map": "MAP_INPUT_RECORDS", "reduce": "REDUCE_INPUT_RECORDS"}.get(kind, "-"))
        outcome = {"SUCCESS": "ok", "FAILED": "failed", "KILLED": "killed"}[k["TASK_STATUS"]]
        yield kind, node, at[1] - at[0], size, records, name, outcome
        if kind == "reduce":
            at[1:1] = [int(k["SHUFFLE_FINISHED"]), int(k["SORT_FINISHED"])]
            for i, part in enumerate(PARTS):
                yield part, node, at[i + 1] - at[i], size, records, name, outcome


def of_traces(path, kind, op):
    """Reads and shuffles: server that sends, duration in ns, bytes."""
    host = re.match(r"(s\d)-", os.path.basename(path)).group(1)
    with gzip.open(path, "rt", encoding="utf-8") as f:
        for line in f:
            found = re.search(r"clienttrace: .*bytes: (\d+), op: %s,.*duration: (\d+)$" % op, line)
            if found:
                yield kind, host, int(found.group(2)), found.group(1)


def of_limpet():
    run = subprocess.run([O + "/limpet", "states", "--csv", FOLDER], capture_output=True, text=True, check=True)
    return list(csv.DictReader(io.StringIO(run.stdout)))


def nanoseconds(text):
    whole, _, fraction = text.partition(".")
    return int(whole) * 10**9 + int((fraction + "0" * 9)[:9])


def compare(name, want, got):
    want, got = Counter(want), Counter(got)
    if not want:
        print(f"not ok - {name}\n# the script finds none")
    elif want == got:
        print(f"ok - {name}")
    else:
        print(f"not ok - {name}")
        for only, less, whose in (want, got, "script"), (got, want, "limpet"):
            for row in list((only - less))[:5]:
                print(f"# only of {whose}: {row}")


def main():
    rows = of_limpet()
    tasks = ("map", "reduce", "setup", "cleanup", *PARTS)
    compare(
        "job histories: kind, server, duration, bytes, records, task and outcome of every state",
        [(k, n, ms * 10**6, *rest) for path in glob.glob(FOLDER + "/history/*") for k, n, ms, *rest in of_history(path)],
        [
            (r["state"], r["node"], nanoseconds(r["duration"]), r["bytes"], r["records"], r["id"], r["outcome"])
            for r in rows
            if r["state"] in tasks
        ],
    )
    for kind, op, daemon in ("read", "HDFS_READ", "datanode"), ("shuffle", "MAPRED_SHUFFLE", "tasktracker"):
        compare(
            f"clienttrace: server, duration and bytes of every {kind}",
            [t for path in glob.glob(f"{FOLDER}/slaves/*-{daemon}.log.gz") for t in of_traces(path, kind, op)],
            [(kind, r["node"], nanoseconds(r["duration"]), r["bytes"]) for r in rows if r["state"] == kind],
        )


main()
