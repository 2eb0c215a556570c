#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tables that are made here, and the verdict on each: who is indicted, since when, by how much, and who is not judged."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from scenes import Rand, ask, between, case, eq, folder, has, near, run  # noqa: E402

T0 = 1700000000
NODES = 6
USUAL = ("--signal", "lat", "--given", "load")
ALONE = ("--signal", "lat")
rand = Rand(7)


def noise():
    """About 1, within 10 %."""
    return math.exp(0.2 * (rand.uniform() - 0.5))


def table(header, rows, seed=7):
    """The rows are drawn now, with this seed."""
    global rand
    rand = Rand(seed)
    return "\n".join([header, *rows, ""]).encode()


def judge(text, *options):
    return ask(text, *options, begin=T0)


def servers(slow=1, since=0, hot=1, seconds=1200):
    """Latency as the load makes it. Server 2 is `slow` from `since` on, and has `hot` times the load."""
    def rows():
        for s in range(seconds):
            for i in range(NODES):
                load = 1e6 * 2 ** (4 * rand.uniform()) * (hot if i == 2 else 1)
                lat = 5 * math.sqrt(load / 1e6) * noise() * (slow if i == 2 and s >= since else 1)
                yield f"{T0 + s},n{i},{load:.0f},{lat:.3f}"
    return table("time,node,load,lat", rows())


def constant(header, line, nodes=NODES, seconds=600):
    """A line may say {t}, {i} and {v}: 1 of server 2, 0 of others."""
    return table(header, (line.format(t=T0 + s, i=i, v=int(i == 2)) for s in range(seconds) for i in range(nodes)))


def signal(v, word):
    return next(s for s in v["signals"] if s["signal"] == word)


# ---- one column, given another ------------------------------------------------------------------------------

@case("three times slower from 600 s on: indicted, since then, 3 times, within 150 s, from then to the end")
def _():
    v = judge(servers(3, 600), *USUAL)
    i = v.only("n2")
    eq((i["cause"], i["detail"]), ("slow", "lat given load"))
    eq(v.seconds(i["from"]), 600)
    between(v.seconds(i["decided"]), 600.001, 600 + 5 * 30)
    eq((i["open"], i["chronic"], i["held"], i["times"], i["duty"]), (True, False, False, 1, None))
    eq(len(i["findings"]), 1)
    f = v.finding
    eq((f["name"], f["peers"] >= 4), ("lat", True))
    near(f["ratio"], 3, 0.3)
    assert 1.5 < f["ratio_at_least"] < f["ratio"]
    between(f["flagged"], 130, 150)  # but for those in which no peer has its load
    between(f["judged"], f["flagged"], 150)
    eq((v["judged"]["windows"], v["judged"]["interval_s"]), (300, 4))
    eq((v.was_judged("n0"), [s["judged"] for s in v["signals"]], v["why"], v["not_judged"]), (True, [True], None, []))
    eq(v.seconds(v["judged"]["from"]), 0)


@case("1.8 times the load at equal latency for it: nobody, and it is judged")
def _():
    v = judge(servers(hot=1.8), *USUAL)
    v.nobody()
    assert v.was_judged("n2")


@case("more load than any peer ever has: not judged for that reason; without --given it looks slow")
def _():
    text = servers(hot=3)
    v = judge(text, *USUAL)
    v.nobody()
    eq((v.was_judged("n2"), v.was_judged("n1")), (False, True))
    eq([(s, v.reason(s)) for s in v.servers("not-judged")], [("n2", "no-equal-load")])
    eq(len(v["not_judged"]), 1)
    eq(judge(text, *ALONE).only("n2")["detail"], "lat")


def _little(slow):
    @case(f"{slow} times slower for 80 minutes from the beginning: indicted since the first minute, chronic")
    def _():
        v = judge(servers(slow, seconds=4800), *USUAL, "--explain")
        i = v.only("n2")
        near(v.finding["ratio"], slow, 0.05)
        near(v.finding["value"] / v.finding["peers_median"], slow, 0.05)
        between(v.seconds(i["from"]), 0, 60)
        eq((i["chronic"], v.finding["chronic"]), (True, True))
        between(len(v["looks"]), 1100 * NODES, 1200 * NODES)


for times in (1.25, 1.3):
    _little(times)


@case("1.25 times slower for 90 s: no more than a suspicion, and of no other server")
def _():
    v = judge(servers(1.25, seconds=90), *USUAL)
    eq((v.indicted(), set(v.suspicious()) <= {"n2"}), ([], True))


for header, line, nodes, seconds, why in (
        ("time,node,load,lat", "{t},n{i},5,7", 2, 600, "fewer than 3 servers to compare"),
        ("time,node,load,lat", "{t},n{i},5,7", 6, 2, "at most 2 values in a window of 4 s; 6 are needed"),
        ("time,node,load,lat", "{t},n{i},5,0", 6, 600, "zero has no logarithm"),
        ("time,node,load,lat", "{t},n{i},5,-3", 6, 600, "negative values have no logarithm"),
        ("time,node,load,lat,z", "{t},n{i},5,,1", 6, 600, "no value of what is judged")):
    @case(f"{nodes} servers, {seconds} s of '{line}': cannot judge, and says: {why}")
    def _(header=header, line=line, nodes=nodes, seconds=seconds, why=why):
        v = judge(constant(header, line, nodes, seconds), *USUAL)
        v.nobody()
        eq(v["verdict"], "cannot-judge")
        has(v["why"], why)
        eq(len({u["server"] for u in v["not_judged"]}), nodes)


@case("all values equal: nobody, and all are judged")
def _():
    v = judge(constant("time,node,load,lat", "{t},n{i},5,7", seconds=1200), *USUAL)
    v.nobody()
    eq((v.was_judged("n0"), v["why"]), (True, None))


@case("--floor above the difference: nobody; and with a floor zeros are judged")
def _():
    text = servers(3, seconds=400)
    judge(text, *USUAL, "--floor", "0").only("n2")
    judge(text, *USUAL, "--floor", "100").nobody()
    judge(table("time,node,load,lat", (f"{T0 + s},n{i},5,{9 if i == 2 else 0}" for s in range(400)
                                       for i in range(NODES))), *USUAL, "--floor", "1").only("n2")


@case("others' reads 7168 beside 0: true values are shown, the ratio is (7168 + 1024) / 1024, and so is what was added")
def _():
    v = judge(table("time,node,foreign-rkB/s", (f"{T0 + s},n{i},{7168 if i == 2 else 0}" for s in range(400)
                                                for i in range(NODES))))
    v.only("n2")
    eq((v.finding["added_to_both"], signal(v, v.finding["signal"])["floor"]), (1024, 1024))
    near(v.finding["value"], 7168, 1e-6)
    eq(v.finding["peers_median"], 0)
    near(v.finding["ratio"], (7168 + 1024) / 1024, 1e-9)


@case("10 beside 1 with --floor 2: the floor is added to both, 4 times")
def _():
    v = judge(table("time,node,lat", (f"{T0 + s},n{i},{10 if i == 2 else 1}" for s in range(400)
                                      for i in range(NODES))), *ALONE, "--floor", "2")
    v.only("n2")
    eq(v.finding["added_to_both"], 2)
    near(v.finding["value"], 10, 1e-9)
    near(v.finding["peers_median"], 1, 1e-9)
    near(v.finding["ratio"], 4, 1e-9)


for times, status in ((1.6, "suspicious"), (3, "indicted")):
    @case(f"of four servers one is {times} times slower: {status}, with 'only 3 peers' as its doubt")
    def _(times=times, status=status):
        v = judge(table("time,node,load,lat", (f"{T0 + s},n{i},5,{noise() * (times if i == 1 else 1):.3f}"
                                               for s in range(1200) for i in range(4))), *USUAL)
        eq((len(v.incidents), v.incident["server"], v.status("n1")), (1, "n1", status))
        eq(v.reason("n1"), "few-peers" if status == "suspicious" else None)
        eq(v.incident["doubt"], "only 3 peers to compare with")


# ---- columns ------------------------------------------------------------------------------------------------

@case("limpet's columns unasked: r_await given r/s indicts, a small cwnd supports, steal alone is ruled out, demand is left out")
def _():
    def rows():
        for s in range(600):
            for i in range(NODES):
                yield (f"{T0 + s},n{i},100,{9 * noise() * (3 if i == 1 else 1):.3f},"
                       f"{50 * noise() / (4 if i == 1 else 1):.3f},{noise() * (9 if i == 4 else 1):.3f},"
                       f"{90000 if i == 5 else 100},{700 if i == 3 else 1}")
    v = judge(table("time,node,r/s,r_await,cwnd-median,%steal,rkB/s,odd", rows()), "--explain")
    i = v.only("n1")
    eq(i["detail"], "r_await given r/s")
    eq([f["name"] for f in i["findings"]], ["r_await", "cwnd-median"])
    f = i["findings"][1]
    eq((f["symptom"], f["direction"]), (True, "below"))
    assert f["value"] < f["peers_median"]
    eq([f["name"] for f in v["ruled_out"]], ["%steal"])
    has(v["notes"][-1], "r/s, rkB/s, odd")


@case("no known column and no --signal: cannot judge, with what to say, and the columns")
def _():
    v = judge(servers(3, seconds=100))
    eq(v["verdict"], "cannot-judge")
    has(v["why"], "it is not known of any column whether more or less is worse: name one with --signal")
    has(v["notes"][-1], "load, lat")


def durations(with_bytes, seconds, step, slow):
    """Server 2 writes files twice as large; server 4 takes `slow` times as long for the same ones."""
    def rows():
        for s in range(0, seconds, step):
            for i in range(NODES):
                size = 1 << (rand.next() % 4 + (1 if i == 2 else 0))
                line = f"{T0 + s}.{i},n{i},write,{size * noise() * (slow if i == 4 else 1):.4f}"
                yield line + (f",{size * 1000}" if with_bytes else "")
    return table("time,node,state,duration" + (",bytes" if with_bytes else ""), rows())


@case("durations of writes given their bytes: larger files are no fault, 4 times longer for the same ones is")
def _():
    eq(judge(durations(True, 6000, 2, 4)).only("n4")["detail"], "write given bytes")
    eq(len(judge(durations(False, 6000, 2, 4)).incidents), 2)


@case("columns of two disks are compared with the disks of that name: a slower sda everywhere is no fault, one slow sdc is")
def _():
    for fault in (False, True):
        v = judge(table("time,node,disk,load,lat", (
            f"{T0 + s},n{i},sd{'abc'[d]},5,{noise() * (1 if d else 4) * (2 if fault and d == 2 and i == 3 else 1):.3f}"
            for s in range(1000) for i in range(NODES) for d in range(3))), *USUAL, "--instance", "disk")
        if fault:
            eq((v.only("n3")["detail"], v.finding["disk"]), ("lat given load of sdc", "sdc"))
        else:
            v.nobody()


def twelve_disks(servers, *options):
    """Two of them are slow; each is one of so many servers'."""
    return judge(table("time,node,disk,load,lat", (
        f"{T0 + s},n{d % servers},d{d:02},5,{noise() * (3 if d in (3, 9) else 1):.3f}" for s in range(400)
        for d in range(12))), *USUAL, *options)


@case("three servers whose twelve disks have names of their own: they are peers, and the two slow ones are found")
def _():
    eq(len(twelve_disks(3, "--instance", "disk").only("n0")["findings"]), 2)


@case("one server or two with twelve disks: fewer than three servers are not judged; but each disk is, as a --node")
def _():
    for servers in 1, 2:
        v = twelve_disks(servers, "--instance", "disk")
        v.nobody()
        eq((v["verdict"], v.servers("not-judged")), ("cannot-judge", [f"n{i}" for i in range(servers)]))
        eq({v.reason(f"n{i}") for i in range(servers)}, {"few-peers"})
        has(v["why"], "fewer than 3 servers")
        eq((len(v["parts"]), {p["status"] for p in v["parts"]}), (12, {"not-judged"}))
    eq(sorted(twelve_disks(1, "--node", "disk").indicted()), ["d03", "d09"])


# ---- options ------------------------------------------------------------------------------------------------

@case("--acknowledge: a notice instead of an indictment")
def _():
    v = judge(servers(3, seconds=400), *USUAL, "--acknowledge", "n2")
    v.nobody()
    eq([(n["kind"], n["server"]) for n in v["notices"]], [("acknowledged", "n2")])


@case("--peers: who is in no group is not judged, and told so")
def _():
    with folder() as d:
        with open(f"{d}/peers", "w", encoding="ascii") as f:
            f.write("n0 n1 n2 n3\n")
        v = judge(servers(3, seconds=600), *USUAL, "--peers", f"{d}/peers")
    v.only("n2")
    eq((v.was_judged("n0"), v.was_judged("n4")), (True, False))
    eq([(u["server"], u["why"]) for u in v["not_judged"]], [(f"n{i}", "in no group of peers") for i in (4, 5)])


@case("--to before it became slow: nobody, of so many windows; --to before all of it: no value in this time")
def _():
    text = servers(3, 300, seconds=900)
    v = judge(text, *USUAL, "--to", f"@{T0 + 300}")
    v.nobody()
    eq(v["judged"]["windows"], 75)
    v = judge(text, *USUAL, "--to", f"@{T0}")
    eq((v["verdict"], v["why"]), ("cannot-judge", "the table has no value in this time: it has values from "
                                     "2023-11-14T22:13:20Z to 2023-11-14T22:28:19Z"))


@case("clocks at both ends of what a time can be, huge, tiny and missing values: nobody")
def _():
    judge(table("time,node,load,lat", (
        line for s in range(100) for i in range(NODES) for line in (
            f"{T0 + s},n{i},1e308,1e300", f"{s},n{i},-1e308,1e-300", f"{4102444800 - s},n{i},,1e17",
            f"{T0 + 100 + s},n{i},1e-308,"))), *USUAL).nobody()


# ---- over time ----------------------------------------------------------------------------------------------

def spans(slow, by, every, for_s, seconds, step):
    """`slow` of the servers are `by` times slower in spans of for_s that begin every `every`, but for the first."""
    return table("time,node,load,lat", (
        f"{T0 + s},n{i},5,{noise() * (by if i < slow and s >= every and s % every < for_s else 1):.3f}"
        for s in range(0, seconds, step) for i in range(NODES)))


@case("five times slower for ten minutes of every hour: one incident, five times, a sixth of the time, over")
def _():
    v = judge(spans(1, 5, 3600, 600, 6 * 3600, 2), *ALONE)
    i = v.only("n0")
    eq(i["times"], 5)
    near(i["duty"], 1 / 6, 0.05)
    eq((v.seconds(i["from"]), i["open"]), (3600, False))


@case("three times slower for half an hour: told with its end, within 90 s of it")
def _():
    v = judge(spans(1, 3, 7200, 1800, 14400, 2), *ALONE)
    i = v.only("n0")
    eq(i["open"], False)
    between(v.seconds(i["to"]), 7200 + 1700.001, 7200 + 1890)


@case("100 times slower for ten seconds of every hour: nobody, and it is judged")
def _():
    v = judge(spans(1, 100, 3600, 10, 14400, 1), *ALONE)
    v.nobody()
    assert v.was_judged("n0")


@case("a difference near what indicts, for a day, of three seeds: one incident, that has not been away")
def _():
    for seed in (1, 2, 3):
        v = judge(table("time,node,lat", (f"{T0 + s},n{i},{noise() ** 5 * (1.25 if i == 2 else 1):.3f}"
                                          for s in range(0, 86400, 15) for i in range(NODES)), seed), *ALONE)
        eq(v.only("n2")["times"], 1)


@case("one minute of every quarter of an hour: evidence adds up over the gaps, and of equals nobody is named")
def _():
    for slow in (1, 3):
        v = judge(table("time,node,load,lat", (
            f"{T0 + s // 60 * 900 + s % 60},n{i},5,{noise() * (slow if i == 2 else 1):.3f}"
            for s in range(0, 2400, 2) for i in range(NODES))), *ALONE)
        v.nobody() if slow == 1 else v.only("n2")
        eq((v["judged"]["windows"], v.was_judged("n2")), (320, True))


for slow in (3, 4):
    @case(f"{slow} of six are slow: nobody is named or well, and the reason says how many are slower")
    def _(slow=slow):
        v = judge(spans(slow, 3, 1, 1, 2400, 2), *ALONE)
        v.nobody()
        eq([(s["status"], s["reason"]) for s in v["servers"]], [("not-judged", "two-halves")] * NODES)
        for u in v["not_judged"]:
            has(u["why"], f"{slow} of them are slower")
        eq(v["verdict"], "cannot-judge")


for slow in (1, 5):
    @case(f"nine times the load of all peers, {slow} times their latency: not judged, the others are")
    def _(slow=slow):
        v = judge(table("time,node,load,lat", (
            f"{T0 + s},n{i},{900 if i == 2 else 100},{noise() * (slow if i == 2 else 1):.3f}"
            for s in range(0, 2400, 2) for i in range(NODES))), *USUAL)
        v.nobody()
        eq([u["server"] for u in v["not_judged"]], ["n2"])
        eq((v.reason("n2"), v.servers("not-judged")), ("no-equal-load", ["n2"]))


@case("alone with its load on one column and not on another: well, and the column is named that it is not judged on")
def _():
    v = judge(table("time,node,r/s,r_await,w/s,w_await", (
        f"{T0 + s},n{i},{900 if i == 2 else 100},{noise() * (5 if i == 2 else 1):.3f},100,{noise():.3f}"
        for s in range(0, 2400, 2) for i in range(NODES))))
    v.nobody()
    assert v.was_judged("n2")
    eq([(u["server"], u["signals"], u["why"]) for u in v["not_judged"]],
       [("n2", ["r_await"], "no peer had a load like its own")])


# ---- one look -----------------------------------------------------------------------------------------------

@case("a table of one minute: 4 times slower is no more than suspicious, equals are well")
def _():
    for slow in (1, 4):
        v = judge(table("time,node,lat", (f"{T0 + s},n{i},{noise() * (slow if i == 4 else 1):.3f}"
                                          for s in range(0, 60, 3) for i in range(NODES))), *ALONE)
        eq(len(v["judged"]["servers"]), NODES)
        if slow == 1:
            v.nobody()
            continue
        eq((len(v.incidents), v.incident["server"], v.status("n4")), (1, "n4", "suspicious"))
        assert v.reason("n4") != "few-peers"
        near(v.finding["ratio"], 4, 0.4)
        eq((v.seconds(v.incident["from"]), v.incident["open"]), (0, True))


@case("forty writes a server of a job, each size by itself: 3 times slower is indicted, equals are well")
def _():
    judge(durations(True, 40, 1, 3)).only("n4")
    judge(durations(True, 40, 1, 1)).nobody()


# ---- what comes, goes and comes again ------------------------------------------------------------------------

@case("a fault that comes again within two hours is one incident, after more than that another one")
def _():
    for gap, times in ((3600, [2]), (4 * 3600, [1, 1])):
        def rows(gap=gap):
            for s in range(0, 20000 + gap, 10):
                for i in range(NODES):
                    bad = i == 2 and (4000 <= s < 8000 or 8000 + gap <= s < 12000 + gap)
                    yield f"{T0 + s},n{i},{5 * noise() * (3 if bad else 1):.3f}"
        v = judge(table("time,node,lat", rows()), *ALONE)
        eq(v.indicted(), ["n2"] * len(times))
        eq([i["times"] for i in v.incidents], times)
        eq([i["open"] for i in v.incidents], [False] * len(times))


@case("a column that ends while a server is bad in it is worse no more: another column, days later, is another incident")
def _():
    def rows():
        for s in range(0, 3 * 86400, 60):
            for i in range(NODES):
                bad = i == 2 and 3600 <= s < 7200
                late = i == 2 and 200000 <= s < 210000
                await_ = f"{10 * noise() * (3 if bad else 1):.3f}" if s < 7200 else ""
                yield f"{T0 + s},n{i},{await_},{10 * noise() * (3 if late else 1):.3f}"
    v = judge(table("time,node,await,r_await", rows()))
    eq(sorted((i["detail"], round(v.seconds(i["from"]), -3), i["open"]) for i in v.incidents),
       [("await", 4000, False), ("r_await", 200000, False)])


@case("a column with a row a day joins no incidents of columns with a row a minute")
def _():
    def rows():
        for s in range(0, 3 * 86400, 60):
            for i in range(NODES):
                bad = i == 2 and (20000 <= s < 30000 or 200000 <= s < 210000)
                daily = f"{10 * noise():.3f}" if s % 86400 == 0 else ""
                yield f"{T0 + s},n{i},{10 * noise() * (3 if bad else 1):.3f},{daily}"
    v = judge(table("time,node,await,r_await", rows()))
    eq([(i["server"], i["times"]) for i in v.incidents], [("n2", 1), ("n2", 1)])


@case("one disk slow, and half an hour later another one of that server: both are told")
def _():
    def rows():
        for s in range(0, 20000, 30):
            for i in range(NODES):
                for d, since in (("sda", 4000), ("sdb", 9400)):
                    bad = i == 2 and since <= s < since + 3600
                    yield f"{T0 + s},n{i},{d},{10 * noise() * (3 if bad else 1):.3f}"
    i = judge(table("time,node,disk,await", rows())).only("n2")
    eq(sorted(f["disk"] for f in i["findings"]), ["sda", "sdb"])
    eq(i["open"], False)


@case("a column that is a little worse all the time hides no other that was much worse")
def _():
    def rows():
        for s in range(0, 60000, 30):
            for i in range(NODES):
                bad = i == 2 and 20000 <= s < 30000
                yield f"{T0 + s},n{i},{10 * noise() * (2.4 if bad else 1):.3f},{10 * noise() * (1.2 if i == 2 else 1):.3f}"
    i = judge(table("time,node,await,r_await", rows())).only("n2")
    eq([f["signal"] for f in i["findings"]], ["r_await", "await"])  # what lasts comes first
    eq([f["open"] for f in i["findings"]], [True, False])


def maps(factor):
    """One map at a time on each server, for 11 h; factor: of server 2 at a time."""
    def rows():
        for i in range(NODES):
            s = 0
            while s < 40000:
                d = 10 * noise() * (factor(s) if i == 2 else 1)
                yield f"{T0 + s:.0f},n{i},map,{d:.3f}"
                s += d
    return table("time,node,state,duration", rows())


@case("state durations: a fault of an hour that is over is told as it was, whatever little comes after it")
def _():
    for later in (1, 1.18):
        v = judge(maps(lambda s, later=later: 3 if 3600 <= s < 7200 else later if s >= 20000 else 1))
        i = v.only("n2")
        between(v.seconds(i["from"]), 3500, 3800)
        between(v.seconds(i["decided"]), 3800, 7200)
        between(v.seconds(i["to"]), 7000, 7300)
        eq((i["open"], i["held"], i["times"]), (False, False, 1))
        near(v.finding["ratio"], 3, 0.3)


@case("state durations: a fault that comes again, weaker, came twice, and lasts until the second time is over")
def _():
    v = judge(maps(lambda s: 3 if 3600 <= s < 7200 else 2 if 14400 <= s < 21600 else 1))
    i = v.only("n2")
    between(v.seconds(i["from"]), 3500, 3800)
    between(v.seconds(i["to"]), 21400, 21800)
    eq((i["open"], i["times"]), (False, 2))
    between(i["duty"], 0.5, 0.65)


def connects(slow, waits, of=10, seconds=900, seed=7, others=1 / 15):
    """
    Connects of ten servers, one each 3 s. Server 2 takes `slow` times as long at a time, and waits for a dead server, for as long
    as TCP and HDFS do, in `waits` of its connects; others in `others` of that.
    """
    def rows():
        for s in range(0, seconds, 3):
            for i in range(of):
                d = 0.0025 * math.exp(sum(rand.uniform() - 0.5 for _ in range(3)))
                if rand.uniform() < (waits if i == 2 else waits * others):
                    d = (3, 15, 63, 69)[rand.next() % 4]
                yield f"{T0 + s}.{i},n{i},connect,{d * (slow(s) if i == 2 else 1):.6f}"
    return table("time,node,state,duration", rows(), seed)


@case("state durations: connects that waited for a dead server indict nobody; whose are many is suspicious, and why")
def _():
    for seed in range(1, 9):
        for waits in (0.03, 0.08, 0.15):
            v = judge(connects(lambda s: 1, waits, seed=seed))
            eq([i["server"] for i in v["incidents"] if not i["suspicious"]], [])
    eq([(i["server"], i["suspicious_why"][:21]) for i in v["incidents"]], [("n2", "single long durations")])
    eq([s["reason"] for s in v["servers"] if s["status"] == "suspicious"], ["lone-values"])


@case("state durations: what waits on all servers alike says nothing of one: the slow one is indicted")
def _():
    for seed in (1, 2, 3):
        judge(connects(lambda s: 2, 0.1, seconds=3600, seed=seed, others=1)).only("n2")


@case("state durations: whose connects are slow is indicted, beside a few that waited; at all times, or for five minutes")
def _():
    near(judge(connects(lambda s: 2, 0.02)).only("n2")["findings"][0]["ratio"], 2, 1)
    i = judge(connects(lambda s: 4 if 1200 <= s < 1500 else 1, 0.02, seconds=3600)).only("n2")
    near(i["findings"][0]["ratio"], 4, 2)


@case("a disk that is on two servers only, later, is compared no more: what was worse of it is over")
def _():
    def rows():
        for s in range(0, 86400, 60):
            for i in range(NODES):
                bad = i == 2 and 3600 <= s < 7200
                await_ = f"{10 * noise() * (3 if bad else 1):.3f}" if s < 7200 or i < 2 else ""
                yield f"{T0 + s},n{i},{await_},{10 * noise():.3f}"
    i = judge(table("time,node,await,r_await", rows())).only("n2")
    eq((i["detail"], i["open"]), ("await", False))


@case("a column that is there for nine minutes and would indict is a suspicion, days later too")
def _():
    def rows():
        for s in range(0, 86400, 60):
            for i in range(NODES):
                await_ = f"{10 * noise() * (6 if i == 2 else 1):.3f}" if s < 540 else ""
                yield f"{T0 + s},n{i},{await_},{10 * noise():.3f}"
    v = judge(table("time,node,await,r_await", rows()))
    eq((v.indicted(), v.suspicious()), ([], ["n2"]))


@case("--acknowledge: the same is one notice, with its ratio")
def _():
    v = judge(maps(lambda s: 3 if 3600 <= s < 7200 else 1), "--acknowledge", "n2")
    v.nobody()
    n = v.notices("acknowledged", "n2")
    eq(len(n), 1)
    near(n[0]["ratio"], 3, 0.3)


@case("a suspicion is told, also where the newest rows are no worse than others'")
def _():
    def rows():
        for s in range(0, 21 * 30, 30):
            for i in range(NODES):
                yield f"{T0 + s},n{i},{10 * noise() * (1.8 if i == 2 and s < 13 * 30 else 1):.3f}"
    eq(judge(table("time,node,await", rows())).suspicious(), ["n2"])


@case("a hundred disks whose rows come at times of their own: the slow one, and the time it takes is not their square")
def _():
    def rows():
        for s in range(0, 3600, 30):
            for d in range(100):
                for i in range(NODES):
                    yield f"{T0 + s + d % 29},n{i},sd{d},{10 * noise() * (3 if (i, d) == (2, 7) and s > 1200 else 1):.3f}"
    i = judge(table("time,node,disk,await", rows())).only("n2")
    eq([f["disk"] for f in i["findings"]], ["sd7"])


# ---- queues ----------------------------------------------------------------------------------------------------

def queueing(ms, busy, ops=100, peers_busy=80):
    """Server 2 takes `ms` of its peers' 10, is busy for `busy` % of the time, and does `ops` of their 100."""
    def rows():
        for s in range(0, 3600, 10):
            for i in range(NODES):
                at = (ops, ms, busy) if i == 2 else (100, 10, peers_busy)
                yield f"{T0 + s},n{i},{at[0] * noise():.2f},{at[1] * noise():.3f},{at[2] * (1 - 0.02 * rand.uniform()):.2f}"
    return table("time,node,r/s,r_await,%util", rows())


@case("requests wait twice as long at a disk that works hardly longer on each: suspicious, with the reason")
def _():
    v = judge(queueing(20, 92))
    eq((v.indicted(), v.suspicious(), v.reason("n2")), ([], ["n2"], "queue"))


@case("a disk that works twice as long on each request is slow; and so is one that does less than its peers")
def _():
    judge(queueing(20, 80, peers_busy=40)).only("n2")
    judge(queueing(20, 95, ops=65)).only("n2")


@case("where the peers are busy all the time, busy times tell nothing")
def _():
    judge(queueing(20, 100, peers_busy=99)).only("n2")


# ---- sizes of requests -----------------------------------------------------------------------------------------

def sized(size, times, sizes=True, factor=1):
    """Requests of server 2 are `size` times as large, and take `times` as long; those of server 3 `factor` times."""
    def rows():
        for s in range(0, 3600, 10):
            for i in range(NODES):
                kb = 64 * (size if i == 2 else 1)
                ms = 5 * noise() * (times if i == 2 else factor if i == 3 else 1)
                yield f"{T0 + s},n{i},100,{kb if sizes else 64},{ms:.3f}"
    return table("time,node,r/s,rareq-sz,r_await", rows())


@case("requests that are twice as large and take twice as long: nobody, and that server is not called well")
def _():
    v = judge(sized(2, 2))
    v.nobody()
    eq((v.suspicious(), v.status("n2"), v.status("n1")), ([], "unproven", "well"))
    eq(judge(sized(2, 2, sizes=False)).indicted(), ["n2"])


@case("twice as large, and six times as long: three times as slow")
def _():
    near(judge(sized(2, 6)).only("n2")["findings"][0]["ratio"], 3, 0.1)


@case("half as large, and twice as long: smaller requests are no excuse, and no charge")
def _():
    near(judge(sized(0.5, 2)).only("n2")["findings"][0]["ratio"], 2, 0.1)


@case("one with larger requests hides no other that is slow")
def _():
    near(judge(sized(4, 4, factor=1.5)).only("n3")["findings"][0]["ratio"], 1.5, 0.1)


# ---- rows that come rarely, or not at all, and clocks that are wrong ------------------------------------------

def row(s, i):
    return f"{T0 + s},n{i},{noise() * (3 if i == 2 else 1):.3f}"


def rows_of(times, wanted, nodes=NODES):
    return (row(s, i) for s in times for i in range(nodes) if wanted(s, i))


@case("one that reports twice a day takes no verdict from those of every ten seconds: it alone is not judged")
def _():
    def rows():
        yield from rows_of(range(0, 86400, 10), lambda s, i: True)
        for s in range(3):
            yield row(s * 43000, NODES)
    v = judge(table("time,node,lat", rows()), *ALONE)
    v.only("n2")
    eq(v["judged"]["interval_s"], 30)
    eq([u["server"] for u in v["not_judged"]], ["n6"])
    has(v["not_judged"][0]["why"], "values in a window of")


@case("half of them report every five minutes: all wait for them, and all are judged")
def _():
    v = judge(table("time,node,lat", rows_of(range(0, 86400, 10), lambda s, i: i % 2 or s % 300 == 0)), *ALONE)
    v.only("n2")
    eq((v["judged"]["interval_s"], v["not_judged"]), (300, []))


@case("rows an hour apart, one in five missing: one fault, that has not been away")
def _():
    v = judge(table("time,node,lat", (row(s * 3600, i) for s in range(400) for i in range(NODES)
                                      if rand.next() % 5)), *ALONE)
    i = v.only("n2")
    eq((i["times"], i["open"], v["not_judged"]), (1, True, []))


for missing, times in ((8, 1), (9, 2)):
    @case(f"{missing} rows in a row missing of a slow one: it came {times} times")
    def _(missing=missing, times=times):
        v = judge(table("time,node,lat", (row(s * 3600, i) for s in range(400) for i in range(NODES)
                                          if i != 2 or s < 200 or s >= 200 + missing)), *ALONE)
        eq(v.only("n2")["times"], times)


@case("a clock that is a day ahead for a while: the fault of another goes on till the end, and all are judged")
def _():
    v = judge(table("time,node,lat", (row(s + 86400 if i == 4 and 5000 <= s < 10000 else s, i)
                                      for s in range(0, 20000, 5) for i in range(NODES))), *ALONE)
    i = v.only("n2")
    eq((i["open"], i["times"], v["not_judged"]), (True, 1, []))


@case("one that begins at the end: judged in 3 windows of 20 s; 8 are needed")
def _():
    v = judge(table("time,node,lat", rows_of(range(0, 20000, 5), lambda s, i: i < NODES or s >= 19950, NODES + 1)),
              *ALONE)
    v.only("n2")
    eq([(u["server"], u["why"]) for u in v["not_judged"]], [("n6", "judged in 3 windows of 20 s; 8 are needed")])


run()
