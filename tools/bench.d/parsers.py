#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What reading logs of jobs costs, for tools/bench-states: parsers.py [MIB [ROUNDS]]

Makes logs of 20 servers whose lines are as long as real ones' and all tell of a task or a block (of so many MiB, 64), takes a
real event log of Spark besides where $LIMPET_TEST_DATA has it, and reads them with 'limpet states', in turn with
'grep -E' that finds the lines which the reader takes (of a daemon's log those of all its patterns), or with python3's json that parses each line. Processor time,
medians of five rounds, or as many as given; all in the page cache. Budgets are half of grep's speed for text, three times json's for JSON;
what is slower is said."""

import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile

LIMPET = os.path.join(os.environ.get("O", ".output"), "limpet")
SERVERS, T0 = 20, 1700000000000
rng = random.Random(7)

COUNTERS = "{(FileSystemCounters)(FileSystemCounters)" + "".join(
    "[(%s)(%s)(%d)]" % (k, k, 123456 * i) for i, k in enumerate((
        "HDFS_BYTES_READ", "FILE_BYTES_WRITTEN", "MAP_INPUT_RECORDS", "SPILLED_RECORDS", "MAP_INPUT_BYTES",
        "MAP_OUTPUT_BYTES", "COMBINE_OUTPUT_RECORDS", "PHYSICAL_MEMORY_BYTES", "CPU_MILLISECONDS"), 1)) + "}"


def history(n):
    yield 'Meta VERSION="1" .\nJob JOBID="job_1_0001" JOBNAME="sort" SUBMIT_TIME="%d" .\n' % T0
    for i in range(n):
        start = T0 + 300 * i
        key = 'TASK_TYPE="MAP" TASKID="task_1_0001_m_%06d" TASK_ATTEMPT_ID="attempt_1_0001_m_%06d_0"' % (i, i)
        host = "s%d" % (i % SERVERS)
        yield ('MapAttempt %s START_TIME="%d" TRACKER_NAME="tracker_%s:localhost/127\\.0\\.0\\.1:34981" HTTP_PORT="50060" '
               'LOCALITY="NODE_LOCAL" AVATAAR="VIRGIN" .\n' % (key, start, host))
        yield ('MapAttempt %s TASK_STATUS="SUCCESS" FINISH_TIME="%d" HOSTNAME="/default-rack/%s" STATE_STRING='
               '"hdfs://m:9000/in/part-%05d:0+67108864" COUNTERS="%s" .\n' % (key, start + rng.randrange(2000, 9000),
                                                                            host, i, COUNTERS))


def datanode(n):
    for i in range(n):
        ms = 40 * i
        stamp = "2026-11-%02d %02d:%02d:%02d,%03d INFO org.apache.hadoop.hdfs.server.datanode.DataNode" % (
            1 + ms // 86400000 % 28, ms // 3600000 % 24, ms // 60000 % 60, ms // 1000 % 60, ms % 1000)
        block = "blk_%d_%d" % (rng.getrandbits(62), 1000 + i)
        peer = "10.0.0.%d" % (1 + i % SERVERS)
        yield "%s: Receiving block %s src: /%s:50010 dest: /10.0.0.9:50010\n" % (stamp, block, peer)
        yield ("%s.clienttrace: src: /%s:50012, dest: /10.0.0.9:53107, bytes: 67108864, op: HDFS_WRITE, cliID: "
               "DFSClient_attempt_1_0001_m_%06d_0, offset: 0, srvID: DS-199263106-10.0.0.9-50010-1242830204189, blockid: "
               "%s, duration: %d\n" % (stamp, peer, i, block, rng.randrange(10 ** 8, 10 ** 9)))
        yield "%s: PacketResponder 0 for block %s terminating\n" % (stamp, block)


def spark(n):
    yield '{"Event":"SparkListenerApplicationStart","App Name":"sort","App ID":"app-1","Timestamp":%d}\n' % T0
    some = [{"ID": k, "Name": "internal.metrics.number%d" % k, "Update": "1666666", "Value": "1666666", "Internal": True,
             "Count Failed Values": True} for k in range(20)]
    for i in range(n):
        start = T0 + 100 * i
        run = rng.randrange(2000, 9000)
        yield json.dumps({
            "Event": "SparkListenerTaskEnd", "Stage ID": i // 1000, "Stage Attempt ID": 0, "Task Type": "ShuffleMapTask",
            "Task End Reason": {"Reason": "Success"},
            "Task Info": {"Task ID": i, "Index": i % 1000, "Attempt": 0, "Launch Time": start,
                          "Executor ID": str(i % SERVERS), "Host": "s%d" % (i % SERVERS), "Locality": "NODE_LOCAL",
                          "Speculative": False, "Getting Result Time": 0, "Finish Time": start + run + 50,
                          "Failed": False, "Killed": False, "Accumulables": some},
            "Task Metrics": {"Executor Deserialize Time": 20, "Executor Run Time": run, "Executor CPU Time": run * 900000,
                             "JVM GC Time": 12, "Result Serialization Time": 1,
                             "Shuffle Read Metrics": {"Remote Blocks Fetched": 9, "Fetch Wait Time": 30,
                                                      "Remote Bytes Read": 4096, "Local Bytes Read": 4096},
                             "Shuffle Write Metrics": {"Shuffle Bytes Written": 8490586, "Shuffle Write Time": 83536796},
                             "Input Metrics": {"Bytes Read": 67108864, "Records Read": 1666666}},
        }, separators=(",", ":")) + "\n"


JSON_LINES = "import json, sys\nfor line in open(sys.argv[1]): json.loads(line)"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "analyzer", "source", "logs")


def patterns():
    """What the reader of daemons' logs looks for, as one expression: its own tables."""
    found = []
    for name in "daemon_tasks.c", "daemon_blocks.c":
        with open(os.path.join(SOURCES, name)) as f:
            found += re.findall(r'^\t\{"([^"]+)", \w+, \w+, ', f.read(), re.M)
    return ": (%s)" % "|".join(re.sub(r"\\\*", ".*", re.escape(p)).replace("\\ ", " ").replace("\\#", "#").replace("\\:", ":")
                               .replace("\\%", "%").replace("\\-", "-") for p in found)


# the lines that the reader takes; beside it those of this log alone, which grep finds as literal text
LOGS = (("job history, text", history, ["grep", "-cE", "^(Map|Reduce)Attempt .*(START|FINISH)_TIME="], 0.5),
        ("DataNode, text", datanode, ["grep", "-cE", patterns()], 0.5),
        ("  its words alone", datanode, ["grep", "-cE", "clienttrace: |Receiving block |Received block "], 0),
        ("Spark, JSON", spark, [sys.executable, "-c", JSON_LINES], 3))


# A query of 50 MB uncompressed.
REAL = os.path.join(os.environ.get("LIMPET_TEST_DATA", ""), "spark-events", "nds_q72_dataproc_2_2.zstd")


def seconds(command):
    def used():
        r = resource.getrusage(resource.RUSAGE_CHILDREN)
        return r.ru_utime + r.ru_stime

    # to a pipe: grep stops at the first line where its output goes to /dev/null
    before = used()
    subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                   env=dict(os.environ, LC_ALL="C"))
    return used() - before


def write(path, lines, size):
    one = sum(len(x) for x in lines(1000)) / 1000
    with open(path, "w") as f:
        f.writelines(lines(int(size / one)))


def measure(rounds, name, path, other, budget):
    n = os.path.getsize(path)
    took = [[seconds(c) for c in ([LIMPET, "states", path], [*other, path])] for _ in range(rounds)]
    ours, theirs = (statistics.median(t[k] for t in took) for k in (0, 1))
    ratio = statistics.median(t[1] / t[0] for t in took)
    print("%-20s %8.0f %10.0f %10.0f %8.2f %8.1f  %s" % (name, n / 1e6, n / 1e6 / ours, n / 1e6 / theirs, ratio, budget,
                                                      "" if ratio >= budget else "slower"))


def main():
    size = float((sys.argv[1:] + ["64"])[0]) * 2 ** 20
    rounds = int((sys.argv[2:] + ["5"])[0])
    print("parsers: MB/s of processor time; the other is 'grep -E', or python3's json")
    print("%-20s %8s %10s %10s %8s %8s" % ("log", "MB", "limpet", "other", "ratio", "budget"))
    with tempfile.TemporaryDirectory(prefix="limpet-parsers.") as folder:
        path = os.path.join(folder, "log")
        for name, lines, other, budget in LOGS:
            write(path, lines, size)
            measure(rounds, name, path, other, budget)
        if os.path.exists(REAL):
            with open(path, "wb") as f:
                subprocess.run(["zstd", "-dqc", REAL], stdout=f, check=True)
            measure(rounds, "Spark, real, JSON", path, *LOGS[-1][2:])


if __name__ == "__main__":
    main()
