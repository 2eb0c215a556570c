#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tables with columns of sar, iostat and `limpet show --csv`: which cause is named, and on which column it rests."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from scenes import Rand, ask, case, eq, has, near, run  # noqa: E402

T0 = 1700000000
NODES = 6
USUAL = {"r/s": 100, "w/s": 50, "rkB/s": 3200, "wkB/s": 1600, "r_await": 8, "w_await": 6, "r_dev": 6, "w_dev": 4,
         "await": 7, "tps": 150, "aqu-sz": 1.1, "%util": 40, "foreign-rkB/s": 10, "foreign-wkB/s": 10, "runq-delay": 0.2,
         "%idle": 80, "pswpin/s": 1, "pswpout/s": 1, "pgscand/s": 1, "retrans/s": 2}
DISK = ("r/s", "w/s", "rkB/s", "wkB/s", "r_await", "w_await", "aqu-sz", "%util")
DEVICE = (*DISK, "r_dev", "w_dev")


def table(names, change, disks=("sda",), seconds=3600, step=10, usual=lambda d: {}):
    """Server 2 has what change(s, disk) says at second s: values, or None for a field without one."""
    rand = Rand(7)

    def field(name, value):
        return "" if value is None else f"{value * math.exp(0.1 * (rand.uniform() - 0.5)):.4g}"
    lines = ["time,node,disk," + ",".join(names)]
    for s in range(0, seconds, step):
        for i in range(NODES):
            for d in disks:
                at = {**USUAL, **usual(d), **(change(s, d) if i == 2 else {})}
                lines.append(f"{T0 + s},n{i},{d}," + ",".join(field(c, at[c]) for c in names))
    return "\n".join([*lines, ""]).encode()


def judge(*args, options=(), **more):
    return ask(table(*args, **more), "--instance", "disk", *options, begin=T0)


def since(at, more=None, **values):
    """From a second on; `more`: of names with signs in them."""
    return lambda s, d: {**values, **(more or {})} if s >= at else {}


def cause(v):
    i = v.only("n2")
    return i["cause"], i["disk"], i["direction"]


def told(v):
    """Cause, the column on which it rests, and the doubt."""
    i = v.only("n2")
    return i["cause"], i["detail"], i["doubt"]


# ---- disks -------------------------------------------------------------------------------------------------

@case("sadf's await, three times its peers' from 1800 s on: slow, with its disk, for requests wait for many reasons")
def _():
    lines = ["# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;areq-sz;aqu-sz;await;%util"]
    rand = Rand(3)
    for s in range(0, 3600, 10):
        for i in range(NODES):
            for d in ("sda", "sdb"):
                slow = 3 if (i, d) == (4, "sdb") and s >= 1800 else 1
                noise = math.exp(0.1 * (rand.uniform() - 0.5))
                lines.append(f"n{i};10;{T0 + s};{d};150.0;3200.0;1600.0;32.0;1.1;{7 * slow * noise:.2f};{40 * slow}.0")
    i = ask("\n".join([*lines, ""]).encode(), begin=T0).only("n4")
    eq((i["cause"], i["disk"], i["detail"]), ("slow", "sdb", "await given tps of sdb"))


@case("the device's own time is up as well: device-slow, which rests on it, whichever column is surer")
def _():
    for wait, dev in ((26, 24), (99, 24), (18, 24)):
        v = judge(DEVICE, since(1800, r_await=wait, r_dev=dev))
        eq(cause(v), ("device-slow", "sda", "read"))
        eq(told(v), ("device-slow", "r_dev given r/s of sda", None))
    for op, way in (("r", "read"), ("w", "write")):
        v = judge((*DEVICE, "tps", "await"), since(1800, more={f"{op}_await": 26, f"{op}_dev": 24, "await": 200}))
        eq(v.finding["name"], "await")
        eq(cause(v), ("device-slow", "sda", way))


@case("requests wait above a device that is as quick as ever: slow, for the device is not")
def _():
    eq(told(judge(DEVICE, since(1800, r_await=64))), ("slow", "r_await given r/s of sda", None))
    eq(told(judge(DEVICE, since(1800, w_await=64))), ("slow", "w_await given w/s of sda", None))


@case("reads wait above their device, and writes are a little slower in it: slow, for nothing says why reads wait")
def _():
    eq(told(judge(DEVICE, since(1800, r_await=200, w_dev=12)))[:2], ("slow", "r_await given r/s of sda"))


@case("the device's time of another disk is up: the cause is none, for that of the slow disk is as ever")
def _():
    def change(s, d):
        return {} if s < 1800 else {"r_dev": 12} if d == "sda" else {"r_await": 300}
    v = judge(DEVICE, change, disks=("sda", "sdb"))
    eq((v.finding["name"], v.finding["disk"]), ("r_await", "sdb"))
    eq(told(v), ("slow", "r_await given r/s of sdb", None))


@case("no load is measured: slow, for more load would look the same")
def _():
    eq(judge(("r_dev",), since(1800, r_dev=24)).only("n2")["cause"], "slow")
    eq(judge(("r/s", "r_dev"), since(1800, r_dev=24)).only("n2")["cause"], "device-slow")
    for option in ((), ("--signal", "r_dev", "--given", "%idle")):
        v = judge(("r/s", "r_dev", "%idle"), since(1800, r_dev=24), usual=lambda d: {"r/s": 0}, options=option)
        eq(v.only("n2")["cause"], "slow")


@case("slow from the first row on, for hours: device-slow, and that slower hardware would look the same")
def _():
    v = judge(("r/s", "r_dev"), since(0, r_dev=24), seconds=4 * 3600, step=30)
    eq((v.only("n2")["cause"], v.incident["chronic"]), ("device-slow", True))
    has(v.incident["why"], "slower hardware would look the same")


@case("others use the disk, much or little: slow, for no column says which part of its bytes that is")
def _():
    for column in ("foreign-rkB/s", "foreign-wkB/s"):
        for kb, ms in ((20000, 40), (4000, 40), (3000, 4000)):
            v = judge((*DEVICE, column), since(1800, r_await=ms, r_dev=ms - 2, more={column: kb}))
            eq(v.only("n2")["cause"], "slow")


@case("others use one disk, and another one is slow: device-slow, of that one")
def _():
    def change(s, d):
        return {} if s < 1800 else {"foreign-rkB/s": 20000} if d == "sda" else {"w_await": 60, "w_dev": 58}
    eq(cause(judge((*DEVICE, "foreign-rkB/s"), change, disks=("sda", "sdb"))), ("device-slow", "sdb", "write"))


# ---- processors, memory, network ----------------------------------------------------------------------------

@case("tasks wait for a processor: cpu-hog")
def _():
    eq(told(judge(("runq-delay",), since(1800, more={"runq-delay": 8}))), ("cpu-hog", "runq-delay of sda", None))


@case("it swaps: memory-pressure; that tasks wait for memory is said where a column says so")
def _():
    up = {"pswpin/s": 900, "pswpout/s": 900}
    v = judge(("pswpin/s", "pswpout/s"), since(1800, more=up))
    eq((v.only("n2")["cause"], v.incident["why"]), ("memory-pressure", "worse than its peers"))
    v = judge(("pswpin/s", "pgscand/s"), since(1800, more={**up, "pgscand/s": 90000}))
    eq((v.only("n2")["cause"], v.incident["why"]), ("memory-pressure", "the server swaps, and tasks wait for memory"))


@case("it swaps, and its reads are much slower for that: memory-pressure, which rests on the swapping")
def _():
    v = judge((*DISK, "pswpin/s"), since(1800, r_await=8000, more={"pswpin/s": 300}))
    eq(v.finding["name"], "r_await")
    eq(told(v), ("memory-pressure", "pswpin/s of sda", None))


@case("--signal of pages swapped: three a second beside one is less than swapping is, and the cause is none")
def _():
    v = judge(("pswpin/s",), since(1800, more={"pswpin/s": 3}), options=("--signal", "pswpin/s"))
    eq(v.only("n2")["cause"], "slow")


@case("segments sent again, as asked: slow, for no column says at which end they are lost; by itself it indicts nobody")
def _():
    change = since(1800, more={"retrans/s": 20})
    eq(judge(("retrans/s",), change, options=("--signal", "retrans/s")).only("n2")["cause"], "slow")
    judge(("retrans/s",), change).nobody()


# ---- over time ----------------------------------------------------------------------------------------------

@case("twenty minutes of swapping, then hours of slow reads: the cause is that of now, and both are told")
def _():
    def change(s, d):
        return {**({"pswpin/s": 900, "pgscand/s": 9000} if s < 1200 else {}), **({"r_dev": 24} if s >= 900 else {})}
    v = judge(("r/s", "r_dev", "pswpin/s", "pgscand/s"), change, seconds=6 * 3600, step=30)
    eq(cause(v), ("device-slow", "sda", "read"))
    eq(sorted((f["name"], f["open"]) for f in v.incident["findings"]),
       [("pgscand/s", False), ("pswpin/s", False), ("r_dev", True)])


@case("it has swapped a little all day, and reads become slow: slow, for the swapping did not begin with it")
def _():
    v = judge((*DISK, "pswpin/s"), lambda s, d: {"pswpin/s": 130, **({"r_await": 20000} if s >= 5400 else {})}, seconds=9000)
    eq(v.only("n2")["cause"], "slow")
    eq(v.finding["name"], "r_await")


@case("an hour of swapping with slow reads, and seven minutes of slow reads more: it was memory-pressure")
def _():
    def change(s, d):
        return {"pswpin/s": 900, "r_await": 80} if 1800 <= s < 5400 else {"r_await": 30} if 5400 <= s < 5820 else {}
    eq(judge((*DISK, "pswpin/s"), change, seconds=7800, step=15).only("n2")["cause"], "memory-pressure")


@case("ten minutes of swapping with slow reads, and twenty of slow reads more: slow, for it swaps no more")
def _():
    v = judge((*DISK, "pswpin/s"), lambda s, d: {} if s < 1800 else {"r_await": 80, **({"pswpin/s": 900} if s < 2400 else {})})
    eq(v.only("n2")["cause"], "slow")


@case("--acknowledge: the notice has the ratio of the column that it names")
def _():
    v = judge((*DISK, "pswpin/s"), since(1800, r_await=8000, more={"pswpin/s": 300}), options=("--acknowledge", "n2"))
    v.nobody()
    eq([n["kind"] for n in v["notices"]], ["acknowledged"])
    near(v["notices"][0]["ratio"], 28, 3)


@case("swapping and slow reads end together: it was memory-pressure, to the end")
def _():
    def change(s, d):
        return {"r_await": 80, "pswpin/s": 900} if 1800 <= s < 3600 else {}
    for seconds in (3600, 3660, 3900, 5400):
        v = judge((*DISK, "pswpin/s"), change, seconds=seconds)
        eq(v.only("n2")["cause"], "memory-pressure")


@case("sda is slow, and half an hour later sdb: each is told, with its disk")
def _():
    for until in (2700, 4800):
        def change(s, d, until=until):
            return {"r_dev": 32} if d == "sda" and 1800 <= s < until else \
                {"r_dev": 24} if d == "sdb" and 4500 <= s < 6000 else {}
        v = judge(("r/s", "r_dev"), change, disks=("sda", "sdb"), seconds=7200)
        told_disks = [f["disk"] for i in v.incidents for f in i["findings"]]
        eq((v.indicted(), sorted(told_disks), v.incident["cause"]), (["n2"], ["sda", "sdb"], "device-slow"))
        eq(v.incident["disk"], v.finding["disk"])


run()
