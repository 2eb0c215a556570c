#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Histories of jobs on six servers of two slots each, and the verdict on them: who is slow, hangs or fails, and who is well."""
import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from scenes import ask, case, eq, folder, has, near, run  # noqa: E402

T0 = 1700000000
NODES, SLOTS = 6, 2
MIB64 = 1 << 26


class Cluster:
    """Tasks as they are added; a history a job, as Hadoop 1 writes them."""

    def __init__(self, seed=16):
        self.random = random.Random(seed)
        self.slow = [1.0] * NODES
        self.tasks = []
        self.programs = {}  # by job: its name, and how many maps it says it has

    def add(self, kind, node, job, start, end, **more):
        """outcome: SUCCESS, FAILED, KILLED, or None, it is open; lost: it was killed after its end."""
        task = {"kind": kind, "node": node, "job": job, "start": start, "end": end, "bytes": MIB64,
                "outcome": "SUCCESS", "lost": False, "task": len(self.tasks), "attempt": 0, **more}
        self.tasks.append(task)
        return task

    def takes(self, usual, node):
        return usual * self.slow[node] * math.exp(0.2 * self.random.gauss(0, 1))

    def run(self, kind, job, n, usual, start=0):
        """Tasks of one job, handed out to the slot that is free first; when the last one ends."""
        free = [start] * (NODES * SLOTS)
        for _ in range(n):
            slot = min(range(len(free)), key=free.__getitem__)
            end = free[slot] + self.takes(usual, slot // SLOTS)
            self.add(kind, slot // SLOTS, job, free[slot], end)
            free[slot] = end
        return max(free)

    @staticmethod
    def ms(seconds):
        return round((T0 + seconds) * 1000)

    def lines_of(self, t):
        of = "MAP" if t["kind"] == "MAP" else "REDUCE" if t["kind"] == "REDUCE" else t["kind"]
        record = "ReduceAttempt" if of == "REDUCE" else "MapAttempt"
        name = f"1_{t['job']:04}_{'r' if of == 'REDUCE' else 'm'}_{t['task']:06}"
        key = f'{record} TASK_TYPE="{of}" TASKID="task_{name}" TASK_ATTEMPT_ID="attempt_{name}_{t["attempt"]}"'
        host = f"n{t['node']}"
        yield t["start"], f'{key} START_TIME="{self.ms(t["start"])}" TRACKER_NAME="tracker_{host}:x" HTTP_PORT="50060" .\n'
        if t["outcome"] is None:
            return
        parts = ""
        if of == "REDUCE":
            shuffled = self.ms(t["start"])
            parts = f'SHUFFLE_FINISHED="{shuffled}" SORT_FINISHED="{shuffled}" '
        counter = "REDUCE_SHUFFLE_BYTES" if of == "REDUCE" else "HDFS_BYTES_READ"
        yield t["end"], (f'{key} TASK_STATUS="{t["outcome"]}" {parts}FINISH_TIME="{self.ms(t["end"])}" '
                         f'HOSTNAME="/default-rack/{host}" STATE_STRING="" '
                         f'COUNTERS="{{(g)(g)[({counter})(x)({t["bytes"]})]}}" .\n')
        if t["lost"]:
            yield t["end"] + 1, (f'{key} TASK_STATUS="KILLED" FINISH_TIME="{self.ms(t["end"] + 1)}" '
                                 f'HOSTNAME="{host}" ERROR="lost tracker" .\n')

    def judge(self, *options):
        with folder() as d:
            for job in {t["job"] for t in self.tasks}:
                name, maps = self.programs.get(job, (f"program {job}", len(self.tasks)))
                lines = [x for t in self.tasks if t["job"] == job for x in self.lines_of(t)]
                lines.sort(key=lambda x: x[0])
                begin = lines[0][0]
                with open(f"{d}/job_1_{job:04}_x", "w", encoding="ascii") as f:
                    f.write('Meta VERSION="1" .\n'
                            f'Job JOBID="job_1_{job:04}" JOBNAME="{name}" USER="u" SUBMIT_TIME="{self.ms(begin)}" .\n'
                            f'Job JOBID="job_1_{job:04}" LAUNCH_TIME="{self.ms(begin)}" TOTAL_MAPS="{maps}" '
                            'TOTAL_REDUCES="2" JOB_STATUS="PREP" .\n')
                    f.writelines(text for _, text in lines)
            return ask(d, *options, begin=T0)


# ---- tasks beside the like of them ----------------------------------------------------------------------------

@case("maps take twice as long on one server: slow, by its maps, twice, and in which job")
def _():
    c = Cluster()
    c.slow[3] = 2
    c.run("MAP", 1, 120, 10)
    v = c.judge()
    i = v.only("n3")
    eq((i["cause"], v.finding["signal"]), ("slow", "map"))
    near(v.finding["ratio"], 2, 0.3)
    has(i["detail"], "job_1_0001")


@case("healthy jobs, of ten draws: all are judged, and nobody suspicious")
def _():
    for k in range(10):
        c = Cluster(100 + k)
        c.run("MAP", 1, 40 + 20 * k, 10)
        c.run("REDUCE", 1, 30, 20, 600)
        v = c.judge()
        v.nobody()
        eq(len(v["judged"]["servers"]), NODES)


@case("four times as long for inputs four times as large, or in a job of its own: not compared, and not judged")
def _():
    c = Cluster()
    c.slow[2] = 4
    c.run("MAP", 1, 120, 10)
    for of, more in (("bytes", 4 * MIB64), ("job", 2)):
        for t in c.tasks:
            t |= {"bytes": MIB64, "job": 1}
            if t["node"] == 2:
                t[of] = more
        v = c.judge()
        v.nobody()
        eq(v.was_judged("n2"), False, of)


@case("maps beside a reduce take longer, and one server alone has a reduce: nobody")
def _():
    c = Cluster()
    c.slow[1] = 1.8
    c.add("REDUCE", 1, 1, 0, c.run("MAP", 1, 120, 10))
    c.judge().nobody()


@case("the first task of a slot takes five times as long, and one server does hardly any other: nobody, and it is judged")
def _():
    c = Cluster()
    for job in range(6):
        for slot in range(NODES * SLOTS):
            node = slot // SLOTS
            at = 200 * job + (100 if node == 4 else 0)
            for k in range(1 if node == 4 else 5):
                end = at + c.takes(10 if k else 50, node)
                c.add("MAP", node, job, at, end)
                at = end
    v = c.judge()
    v.nobody()
    eq(v.was_judged("n4"), True)


@case("one server gets hardly any task done: named by its share of the work")
def _():
    c = Cluster()
    c.slow[4] = 14
    c.run("MAP", 1, 100, 10)
    v = c.judge()
    v.only("n4")
    eq(v.finding["signal"], "map-share")


@case("a server that comes late, and one with a single slot: nobody; a notice of the slot")
def _():
    c = Cluster()
    for node in range(NODES):
        s = 200 if node == 5 else 0
        while s < 300:
            end = s + c.takes(10, node)
            for _ in range(1 if node == 4 else 2):
                c.add("MAP", node, 1, s, end)
            s = end
    v = c.judge()
    v.nobody()
    eq([(n["kind"], n["server"]) for n in v["notices"]], [("slots", "n4")])


@case("a job's setup warms a machine for the second map after it, and not the first: nobody")
def _():
    c = Cluster()
    for job in range(8):
        at = 100 * job
        c.add("SETUP", 1, job, at, at + 5)
        for slot in range(NODES * SLOTS):
            node, k = divmod(slot, SLOTS)
            start = at + 5 + k / 10
            c.add("MAP", node, job, start, start + c.takes(2 if node == 1 and k else 12, node))
    c.judge().nobody()


# ---- tasks that fail, hang, are lost --------------------------------------------------------------------------

def some(c, node, n, **what):
    for t in [t for t in c.tasks if t["node"] == node][:n]:
        t |= what


@case("eight tasks of one server fail: failing; eight that lost a race, or one that failed: nobody")
def _():
    c = Cluster()
    c.run("MAP", 1, 120, 10)
    some(c, 0, 8, outcome="KILLED")
    some(c, 1, 1, outcome="FAILED")
    c.judge().nobody()
    some(c, 2, 8, outcome="FAILED")
    v = c.judge()
    eq((v.only("n2")["cause"], v.finding["signal"]), ("failing", "failed"))


@case("all tasks fail on all servers: nobody, and nobody is judged")
def _():
    c = Cluster()
    c.run("MAP", 1, 120, 10)
    for t in c.tasks:
        t["outcome"] = "FAILED"
    v = c.judge()
    v.nobody()
    eq((v["verdict"], v["judged"]["servers"]), ("cannot-judge", []))


@case("two tasks that failed on one server: nobody; if they end well on another, the server is failing")
def _():
    c = Cluster()
    c.run("MAP", 1, 120, 10)
    some(c, 2, 2, outcome="FAILED")
    c.judge().nobody()
    for t in [t for t in c.tasks if t["outcome"] == "FAILED"]:
        c.add("MAP", 3, 1, 110, 120, task=t["task"], attempt=1)
    eq(c.judge().only("n2")["cause"], "failing")


@case("six tasks that were done are lost with their server: hung")
def _():
    c = Cluster()
    c.run("MAP", 1, 120, 10)
    some(c, 1, 6, lost=True)
    eq(c.judge().only("n1")["cause"], "hung")


# ---- executors of Spark that end on purpose -------------------------------------------------------------------

def spark(why, removed=None, lost=6, running=6, fetches=0, at=66):
    """
    216 tasks on six servers, an executor of six slots each. That of n3 ends in second `at`, and with it the output of some tasks, and some
    that run. `fetches` from it fail in second 60.
    """
    removed = why if removed is None else removed
    events = [{"Event": "SparkListenerLogStart", "Spark Version": "3.5.0"},
              {"Event": "SparkListenerApplicationStart", "App Name": "sort", "App ID": "app-1", "Timestamp": T0 * 1000},
              {"Event": "SparkListenerJobStart", "Job ID": 0, "Submission Time": T0 * 1000, "Stage IDs": [1],
               "Stage Infos": [{"Stage ID": 1, "Parent IDs": []}]}]
    draw = random.Random(5)

    def end(task, at, seconds, node, **reason):
        events.append({"Event": "SparkListenerTaskEnd", "Stage ID": 1, "Stage Attempt ID": 0, "Task End Reason": reason,
                       "Task Info": {"Task ID": task, "Launch Time": Cluster.ms(at), "Finish Time": Cluster.ms(at + seconds),
                                     "Executor ID": str(node), "Host": f"n{node}", "Locality": "ANY"}})

    for node in range(NODES):
        for k in range(36):
            end(100 * node + k, 10 * (k // 6), 9 + draw.random(), node, Reason="Success")
    done = [(e["Task Info"]["Task ID"], e["Task Info"]) for e in events if e.get("Task Info", {}).get("Host") == "n3"]
    for task, info in done[:lost]:
        at, until = info["Launch Time"] / 1000 - T0, info["Finish Time"] / 1000 - T0
        end(task, at, until - at, 3, Reason="Resubmitted")
    for k in range(running):
        end(350 + k, 60, 5, 3, **{"Reason": "ExecutorLostFailure", "Executor ID": "3", "Loss Reason": why})
        other = k % 3
        end(100 * other + 50 + k, 60, 9, other, **{"Reason": "FetchFailed", "Block Manager Address": {"Executor ID": "3", "Host": "n3", "Port": 1}})
    for k in range(fetches):
        other = k % 3
        end(100 * other + 40 + k, 51, 9, other, **{"Reason": "FetchFailed", "Block Manager Address": {"Executor ID": "3", "Host": "n3", "Port": 1}})
    events.append({"Event": "SparkListenerExecutorRemoved", "Timestamp": Cluster.ms(at), "Executor ID": "3",
                   "Removed Reason": removed})
    with folder() as d:
        with open(f"{d}/app-1", "w", encoding="ascii") as f:
            f.writelines(json.dumps(e, separators=(",", ":")) + "\n" for e in events)
        return ask(d, begin=T0)


PREEMPTED = "Container container_1_0001_01_000004 on host: n3 was preempted."


@case("Spark: an executor is preempted, killed by its driver, decommissioned, or released: nobody, whatever was lost with it")
def _():
    for why in (PREEMPTED, "Executor killed by driver.", "Executor decommission.",
                "Container container_1_0001_01_000004 exited from explicit termination request.",
                "Container marked as failed: container_1_0001_01_000004 on host: n3. Exit status: -106. Diagnostics: ."):
        spark(why).nobody()
        spark(why, running=0).nobody()


@case("Spark: an executor that dies, and one whose container ended by a signal: its server is named")
def _():
    for why in ("Command exited with code 134", "Container from a bad node: c on host: n3. Exit status: 143. Diagnostics: "
                "Container killed on request. Exit code is 143."):
        eq(spark(why).indicted(), ["n3"], why)


@case("Spark: the driver kills an executor because its heartbeats timed out: that is no end on purpose")
def _():
    eq(spark("Executor heartbeat timed out after 130000 ms", "Executor killed by driver.").indicted(), ["n3"])


@case("Spark: fetches from a server failed, and its executor is not needed an hour later: it is named for the fetches")
def _():
    eq(spark("Executor killed by driver.", lost=0, running=0, fetches=24, at=3660).indicted(), ["n3"])
    spark("Executor killed by driver.", lost=0, running=0, fetches=24, at=90).nobody()


# ---- all at once ------------------------------------------------------------------------------------------------

def slowed(c, times):
    c.slow = [float(times)] * NODES


def all_slow(v):
    return [n for n in v.notices("fleet") if n["is_the_verdict"]]


@case("all tasks take three times as long from a time on: nobody, all-slow, three times, since then, on six")
def _():
    c = Cluster()
    at = c.run("MAP", 1, 120, 10)
    slowed(c, 3)
    c.run("MAP", 1, 120, 10, at)
    v = c.judge()
    v.nobody()
    eq(v["verdict"], "all-slow")
    n, = all_slow(v)
    near(n["ratio"], 3, 0.5)
    near(v.seconds(n["from"]), at, 15)
    eq((n["servers"], n["signal"]), (NODES, None))
    has(n["text"], ", so that none stands out: a map takes ")


@case("a later job of the same program and size tells it; of another program, or another size, nothing is known")
def _():
    c = Cluster()
    at = c.run("MAP", 1, 120, 10)
    slowed(c, 3)
    c.run("MAP", 2, 120, 10, at)
    for second, said in ((("sort", 120), 1), (("sort", 240), 0), (("count", 120), 0)):
        c.programs = {1: ("sort", 120), 2: second}
        eq(len(c.judge().notices("fleet")), said, second)


@case("it is over when tasks are as quick again")
def _():
    c = Cluster()
    start = c.run("MAP", 1, 120, 10)
    slowed(c, 3)
    end = c.run("MAP", 1, 120, 10, start)
    slowed(c, 1)
    c.run("MAP", 1, 240, 10, end)
    v = c.judge()
    n, = v.notices("fleet")
    near(v.seconds(n["from"]), start, 15)
    near(v.seconds(n["to"]), end, 45)


@case("healthy jobs, of ten draws, and one slow server: it is not said that all slowed")
def _():
    for k in range(10):
        c = Cluster(300 + k)
        c.run("REDUCE", 1, 24, 40, c.run("MAP", 1, 120, 10))
        eq(c.judge().notices("fleet"), [])
    at = c.run("MAP", 1, 120, 10, 1000)
    c.slow[3] = 6
    c.run("MAP", 1, 120, 10, at)
    eq(c.judge().notices("fleet"), [])


@case("twice as many tasks at a time explain that they take longer")
def _():
    c = Cluster()
    at = c.run("MAP", 1, 120, 10)
    slowed(c, 2.6)
    c.run("MAP", 1, 120, 10, at)
    eq(len(c.judge().notices("fleet")), 1)
    c.run("MAP", 1, 120, 10, at)
    eq(c.judge().notices("fleet"), [])


@case("on one of six servers tasks are as quick as before: it is not said that all slowed")
def _():
    c = Cluster()
    at = c.run("MAP", 1, 120, 10)
    slowed(c, 3)
    c.slow[4] = 1
    c.run("MAP", 1, 120, 10, at)
    eq(c.judge().notices("fleet"), [])


run()
