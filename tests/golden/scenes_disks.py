#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recordings of servers with a disk each, and the verdict on them: what is found, how soon, when it is over, and who is well."""
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from scenes import ask, between, case, eq, folder, has, near, record, run  # noqa: E402

T0 = 1700000000
EVERY = 4  # s, an interval: a row of the recording
READS = 100  # a second, of 64 KiB; their times have a median of 10 ms


class Like:
    """What a server is like from now on: its latencies and its operations times this."""

    def __init__(self):
        self.slow = self.load = 1
        self.silent = self.nothing = self.nan = False


class Fleet:
    """A recording in the making. Its file is written when it is first asked about."""

    def __init__(self, n, seed):
        self.random = random.Random(seed)
        self.like = [Like() for _ in range(n)]
        self.lines = [f"0,s0,seed,,{seed}\n"]
        self.now = 0
        self.dir = folder()

    def model(self, i, name):
        self.lines.append(f"0,s{i},model,sda,{name}\n")

    def second(self, i, like):
        t, s = T0 + self.now, f"s{i}"
        rate = 0 if like.nothing else READS * like.load * (1 + 0.05 * self.random.gauss(0, 1))
        idle = "nan" if like.nan else 90
        drawn = f"{t},{s},draw:read,sda,{rate * EVERY:.0f} {10 * like.slow}\n"
        return (f"{drawn}{t},{s},w/s,sda,0\n{t},{s},wkB/s,sda,0\n{t},{s},foreign-rkB/s,sda,0\n"
                f"{t},{s},foreign-wkB/s,sda,0\n{t},{s},%idle,,{idle}\n{t},{s},%iowait,,2\n"
                f"{t},{s},tcp-rxkB/s,,10\n{t},{s},tcp-txkB/s,,{64 * rate:.1f}\n")

    def lasts(self, seconds):
        for _ in range(0, seconds, EVERY):
            self.lines += [self.second(i, like) for i, like in enumerate(self.like) if not like.silent]
            self.now += EVERY

    def tell(self, *options, to=None):
        """Of all, or of the seconds before `to`."""
        if self.lines:
            record(self.lines, self.dir.name, EVERY)
            self.lines = []
        if to is not None:
            options = (*options, "--to", f"@{T0 + to}")
        return ask(self.dir.name, *options, begin=T0)


@case("twice as slow after 200 s: indicted as device-slow within a minute and not before, since then, with 2 times in all its numbers")
def _():
    f = Fleet(6, 1)
    f.lasts(200)
    f.like[3].slow = 2
    f.lasts(60)
    f.tell(to=200).nobody()
    v = f.tell()
    i = v.only("s3")
    eq((i["cause"], i["open"]), ("device-slow", True))
    between(v.seconds(i["decided"]), 200.001, 260)
    near(v.seconds(i["from"]), 200, 8)
    near(v.finding["ratio"], 2, 0.3)
    near(v.finding["p99"] / v.finding["p99_peers_median"], 2, 0.5)
    near(v.finding["average_ratio"], 2, 0.3)


@case("three times as slow, of ten draws: named within 32 s, since then, and nobody before")
def _():
    for seed in range(40, 50):
        f = Fleet(6, seed)
        f.lasts(300)
        f.like[seed % 6].slow = 3
        f.lasts(32)
        f.tell(to=300).nobody()
        v = f.tell()
        i = v.only(f"s{seed % 6}")
        between(v.seconds(i["decided"]), 300.001, 332)
        near(v.seconds(i["from"]), 300, 8)


@case("two at once of eight, 2.5 and 2 times: both are indicted, and nobody else")
def _():
    f = Fleet(8, 2)
    f.lasts(100)
    f.like[1].slow, f.like[6].slow = 2.5, 2
    f.lasts(80)
    v = f.tell()
    eq((sorted(v.indicted()), len(v.incidents)), (["s1", "s6"], 2))


for slow in (1.25, 1.3):
    @case(f"{slow} times from the beginning: not in half a minute, but in ten; since the beginning, not yet chronic")
    def _(slow=slow):
        f = Fleet(8, 3)
        f.like[5].slow = slow
        f.lasts(628)
        eq(f.tell(to=28).indicted(), [])
        v = f.tell()
        i = v.only("s5")
        eq((i["open"], i["chronic"]), (True, False))
        between(v.seconds(i["from"]), 0, 8)
        near(v.finding["ratio"], slow, 0.05)
        assert 1.05 < v.finding["ratio_at_least"] < v.finding["ratio"]


@case("1.4 times for more than an hour, from the beginning: chronic")
def _():
    f = Fleet(8, 3)
    f.like[5].slow = 1.4
    f.lasts(3700)
    eq(f.tell().only("s5")["chronic"], True)


@case("two minutes of three times as slow: still so then, and over two minutes later, with its end")
def _():
    f = Fleet(6, 4)
    f.lasts(120)
    f.like[2].slow = 3
    f.lasts(120)
    f.like[2].slow = 1
    f.lasts(120)
    eq(f.tell(to=240).only("s2")["open"], True)
    v = f.tell()
    i = v.only("s2")
    eq(i["open"], False)
    near(v.seconds(i["from"]), 120, 8)
    between(v.seconds(i["to"]), 200.001, 270)


@case("an hour of twice as slow is over as soon; what comes an hour later is told, and is open")
def _():
    f = Fleet(6, 5)
    f.lasts(600)
    f.like[2].slow = 2
    f.lasts(3600)
    f.like[2].slow = 1
    f.lasts(180 + 3600)
    f.like[2].slow = 3
    f.lasts(60)
    eq(f.tell(to=4200).only("s2")["open"], True)
    v = f.tell(to=4380)
    eq(v.only("s2")["open"], False)
    between(v.seconds(v.incident["to"]), 600, 4240)
    v = f.tell()
    eq((v.incident["server"], v.incident["open"]), ("s2", True))


@case("ten times as slow for two minutes of every ten: one incident, five times, a fifth of the time, over")
def _():
    f = Fleet(6, 6)
    f.lasts(300)
    for _ in range(5):
        f.like[4].slow = 10
        f.lasts(120)
        f.like[4].slow = 1
        f.lasts(480)
    v = f.tell()
    i = v.only("s4")
    eq((i["times"], i["open"]), (5, False))
    near(i["duty"], 0.2, 0.06)
    near(v.seconds(i["from"]), 300, 8)


@case("a slower model is a notice, a slow one of its own model indicted, and one of three of a model suspicious for few peers")
def _():
    f = Fleet(8, 23)
    for i in range(8):
        f.model(i, "FAST 1" if i < 5 else "SLOW 2")
        f.like[i].slow = 1 if i < 5 else 1.8
    f.lasts(400)
    f.like[0].slow = 2.5
    f.lasts(80)
    f.like[0].slow = 1
    f.like[7].slow *= 1.6
    f.lasts(600)
    v = f.tell(to=400)
    v.nobody()
    eq((len(v.notices("hardware", "s5")), len(v.notices("hardware", "s7")), len(v.notices("hardware", "s0"))), (1, 1, 0))
    f.tell(to=480).only("s0")
    v = f.tell()
    eq([(i["server"], i["suspicious"]) for i in v.incidents], [("s0", False), ("s7", True)])
    eq(v.reason("s7"), "few-peers")
    eq(sorted(n["server"] for n in v.notices("hardware")), ["s5", "s6", "s7"])
    has("\n".join(v["notes"]), "disks of 2 models, each compared with its own: 5 of 'FAST 1' in 5 servers, 3 of 'SLOW 2' in 3 servers")


for n in (3, 4):
    @case(f"one of {n} servers: 1.8 times is suspicious for few peers, five times indicted")
    def _(n=n):
        f = Fleet(n, 27)
        f.lasts(300)
        f.like[1].slow = 1.8
        f.lasts(600)
        f.like[1].slow = 5
        f.lasts(300)
        v = f.tell(to=900)
        eq((len(v.incidents), v.incident["server"], v.status("s1"), v.reason("s1")), (1, "s1", "suspicious", "few-peers"))
        f.tell().only("s1")


@case("from suspicion to indictment it is told in every interval, also where one as quick as the peers' completes the evidence")
def _():
    for quick in range(8):
        f = Fleet(4, 27 + quick)
        f.lasts(300)
        f.like[1].slow = 1.6
        f.lasts(300)
        for k in range(32):
            f.like[1].slow = 1 if k % 8 in (quick, (quick + 3) % 8) else 3
            f.lasts(4)
        was = False
        for k in range(1, 33):
            v = f.tell(to=600 + 4 * k)
            eq(v.incident["server"] if v.incidents else None, "s1", f"draw {quick}, {4 * k} s")
            was = v.indicted() == ["s1"]
            if was:
                break
        assert was, quick


@case("--acknowledge: three times as slow is a notice, and a suspicion a notice that says so")
def _():
    f = Fleet(6, 26)
    f.lasts(100)
    f.like[3].slow = 3
    f.lasts(100)
    v = f.tell("--acknowledge", "s3")
    v.nobody()
    eq([(n["kind"], n["server"]) for n in v["notices"][:1]], [("acknowledged", "s3")])
    eq("suspicious" in v["notices"][0]["text"], False)
    f = Fleet(4, 27)
    f.lasts(300)
    f.like[1].slow = 1.6
    f.lasts(300)
    v = f.tell("--acknowledge", "s1")
    v.nobody()
    eq([(n["kind"], n["server"]) for n in v["notices"][:1]], [("acknowledged", "s1")])
    eq("s1: acknowledged: suspicious: " in v["notices"][0]["text"], True)


# ---- who must not be indicted ---------------------------------------------------------------------------------

@case("six healthy servers for ten minutes, of ten draws: all judged, nobody suspicious, nothing ruled out")
def _():
    for seed in range(10, 20):
        f = Fleet(6, seed)
        f.lasts(600)
        v = f.tell("--explain")
        v.nobody()
        eq((v["why"], v["ruled_out"], len(v["judged"]["servers"])), (None, [], 6))


@case("a burst of 4, 8 or 12 s, 2.25, 5 or 60 times as slow, indicts nobody at any time")
def _():
    for slow in (2.25, 5, 60):
        for seconds in (4, 8, 12):
            f = Fleet(6, 21 + seconds)
            f.lasts(200)
            f.like[0].slow = slow
            f.lasts(seconds)
            f.like[0].slow = 1
            f.lasts(120)
            for after in (4, 8, 16, 28, 60, 120):
                eq(f.tell(to=200 + seconds + after).indicted(), [], f"{slow} times for {seconds} s, {after} s later")


@case("half a minute of 5 or 60 times as slow does, and is over")
def _():
    for slow in (5, 60):
        f = Fleet(6, 21)
        f.lasts(200)
        f.like[0].slow = slow
        f.lasts(32)
        f.like[0].slow = 1
        f.lasts(120)
        v = f.tell()
        eq((v.indicted(), v.incident["open"]), (["s0"], False))


@case("eight seconds of 20 times every eleven minutes, six times: nobody, at no time")
def _():
    f = Fleet(6, 28)
    for _ in range(6):
        f.lasts(600)
        f.like[3].slow = 20
        f.lasts(8)
        f.like[3].slow = 1
        f.lasts(60)
    for k in range(1, 7):
        eq(f.tell(to=668 * k).indicted(), [])


@case("three times the load: a notice that it is busier, and its reads are not judged, as no peer has that load")
def _():
    f = Fleet(6, 22)
    f.lasts(100)
    f.like[4].load = 3
    f.lasts(150)
    v = f.tell()
    v.nobody()
    eq(len(v.notices("imbalance", "s4")), 1)
    eq([(u["server"], len(u["signals"]), u["why"]) for u in v["not_judged"]],
       [("s4", 3, "no peer had a load like its own")])  # whole, device, mean


@case("all three times as slow: nobody, and that all slowed is the verdict")
def _():
    f = Fleet(6, 24)
    f.lasts(200)
    for like in f.like:
        like.slow = 3
    f.lasts(200)
    v = f.tell()
    v.nobody()
    eq([n["is_the_verdict"] for n in v.notices("fleet")], [True])


@case("all three times as slow beside a suspicion: the suspicion stays, and that all slowed is the verdict")
def _():
    f = Fleet(4, 27)
    f.lasts(300)
    f.like[1].slow = 1.6
    f.lasts(300)
    for like in f.like:
        like.slow *= 3
    f.lasts(200)
    v = f.tell()
    eq((len(v.incidents), v.suspicious(), v.reason("s1")), (1, ["s1"], "few-peers"))
    eq([n["is_the_verdict"] for n in v.notices("fleet")], [True])
    eq(v["verdict"], "all-slow")


for slow in (3, 4):
    @case(f"{slow} of six are three times as slow: nobody is named, and of all it is said that halves differ; not when it is over")
    def _(slow=slow):
        f = Fleet(6, 25)
        f.lasts(120)
        for like in f.like[:slow]:
            like.slow = 3
        f.lasts(200)
        for like in f.like:
            like.slow = 1
        f.lasts(600)
        v = f.tell(to=320)
        eq(v.indicted(), [])
        halves = [u for u in v["not_judged"] if u["why"].startswith("two groups of the servers differ")]
        eq(sorted({u["server"] for u in halves}), [f"s{i}" for i in range(6)])
        eq([u["why"] for u in halves if not u["why"].endswith(f": {slow} of them are slower")], [])
        asked = [n for n in v["notes"] if n.startswith("two groups? ")]
        eq(len(asked), slow == 3)  # two are no group
        for n in asked:
            has(n, "two groups? s0, s1, s2: ")
            has(n, " x that of s3, s4, s5; if they are of another kind, --peers ")
        v = f.tell()
        eq((v.indicted(), [u for u in v["not_judged"] if "two groups" in u["why"]]), ([], []))


# ---- series that mean harm --------------------------------------------------------------------------------------

@case("no interval, or one: cannot judge, and it says why; without work for 400 s nobody is named")
def _():
    f = Fleet(6, 30)
    f.lasts(4)
    for like in f.like:
        like.nothing = True
    f.lasts(400)
    v = f.tell(to=0)
    eq((v["verdict"], v["why"]), ("cannot-judge", "there is no data"))
    v = f.tell(to=4)
    eq((v["verdict"], v["why"][:21]), ("cannot-judge", "4 intervals of 4 s ar"))
    f.tell().nobody()


@case("two servers, one nine times as slow: cannot judge, 3 servers are needed, and 2 have data")
def _():
    f = Fleet(2, 31)
    f.like[1].slow = 9
    f.lasts(400)
    v = f.tell()
    v.nobody()
    eq((v["verdict"], v["why"]), ("cannot-judge", "3 servers are needed, and 2 have data"))


def gaps(f, seconds, share, unmeasured=0):
    for _ in range(0, seconds, EVERY):
        for like in f.like:
            like.silent = f.random.random() < share
            like.nan = f.random.random() < unmeasured
        f.lasts(EVERY)


@case("two in five intervals missing, and values in half of the rest: nobody")
def _():
    f = Fleet(6, 32)
    gaps(f, 600, 0.4, 0.5)
    f.tell().nobody()


@case("a third of the intervals missing: three times as slow is found all the same, and nobody else")
def _():
    f = Fleet(8, 35)
    gaps(f, 300, 0.33)
    f.like[2].slow = 3
    gaps(f, 300, 0.33)
    f.tell().only("s2")


@case("a server that stops reporting is noticed; that it comes back, and an hour without any, indicts nobody")
def _():
    f = Fleet(6, 33)
    f.lasts(100)
    f.like[1].silent = True
    f.lasts(200)
    f.like[1].silent = False
    f.lasts(200)
    f.now += 3600
    f.lasts(200)
    eq(len(f.tell(to=300).notices("silent", "s1")), 1)
    v = f.tell(to=304)  # the notice is of this window still
    v.nobody()
    eq(v.servers("not-judged"), [])
    v = f.tell()
    v.nobody()
    eq(v.servers("not-judged"), [])


@case("a server that is silent in the end is not judged, and one that was silent at first is")
def _():
    f = Fleet(6, 35)
    f.like[4].silent = True
    f.lasts(100)
    f.like[4].silent = False
    f.lasts(100)
    f.like[1].silent = True
    f.lasts(64)
    for to in range(204, 228, 4):  # a few intervals are no silence
        eq(f.tell(to=to).servers("not-judged"), [])
    v = f.tell(to=264)
    v.nobody()
    eq((v["verdict"], v.servers("not-judged"), v.reason("s1")), ("partly-judged", ["s1"], "silent"))
    for i in range(2, 5):  # of most of them it is the recording that ends
        f.like[i].silent = True
    f.lasts(400)
    eq(f.tell().servers("not-judged"), [])


@case("an indicted server that falls silent is still so after 40 s, and over later, with the end of what was seen")
def _():
    f = Fleet(6, 36)
    f.lasts(200)
    f.like[1].slow = 4
    f.lasts(60)
    f.like[1].silent = True
    f.lasts(440)
    for to in (260, 300):
        v = f.tell(to=to)
        eq((v.incident["server"], v.incident["open"], v.status("s1")), ("s1", True, "indicted"))
    v = f.tell()
    eq((v.incident["server"], v.incident["open"], v.status("s1")), ("s1", False, "indicted"))
    between(v.seconds(v.incident["to"]), 200, 264)


run()
