#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tables of servers and disks of two kinds: who is compared with whom, and that nobody who is slow finds a group to hide in."""
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from scenes import ask, case, eq, has, run  # noqa: E402

T0 = 1700000000
ROWS = 360
MDS = [f"mds{i}" for i in (1, 2, 3)]
OSS = [f"oss{i}" for i in range(1, 9)]
A, B = [f"a-oss{i}" for i in range(1, 7)], [f"b-oss{i}" for i in range(1, 7)]


def servers(usual, slow=None, seed=3, jitter=0.15):
    """usual: of each server its await. slow: of some {server: (times, since which row)}."""
    r, slow = random.Random(seed), slow or {}
    rows = ["time,node,await"]
    for t in range(ROWS):
        for name, ms in usual.items():
            times, since = slow.get(name, (1, 0))
            rows.append(f"{T0 + 5 * t},{name},{ms * r.lognormvariate(0, jitter) * (times if t >= since else 1):.3f}")
    return "\n".join([*rows, ""]).encode()


def of(*kinds):
    return {name: ms for names, ms in kinds for name in names}


def notes(v):
    return "\n".join(v["notes"])


def hint(v):
    return [n for n in v["notes"] if n.startswith("two groups?")]


def peers(text, lines):
    """The same with --peers."""
    with tempfile.NamedTemporaryFile("w", prefix="limpet-test.") as f:
        f.write(lines)
        f.flush()
        return ask(text, "--peers", f.name, begin=T0)


# ---- told apart ------------------------------------------------------------------------------------------------

@case("three servers of metadata that always take five times as long: nobody limps within its kind; who is with whom is said")
def _():
    v = ask(servers(of((MDS, 50), (OSS, 10))), begin=T0)
    eq((v["verdict"], v.servers("well")), ("clean", MDS + OSS))
    has(notes(v), "2 groups of servers by their names, as await of one is ")
    has(notes(v), "\ngroup 1 of 2: mds1, mds2, mds3\ngroup 2 of 2: oss1, oss2, ")


@case("one of each that turns slow is found beside its own kind, however slow the others are")
def _():
    for name, times in (("oss2", 3), ("oss2", 5), ("mds2", 3)):
        for since in (0, 180):
            v = ask(servers(of((MDS, 50), (OSS, 10)), {name: (times, since)}), begin=T0)
            if (name, since) != ("mds2", 0):  # always slow, of three: nothing tells its kind
                v.only(name)
            eq(name in v.servers("well"), False)


@case("two servers of metadata are not blamed, nor called well: there are too few of them")
def _():
    v = ask(servers(of((MDS[:2], 50), (OSS, 10))), begin=T0)
    v.nobody()
    eq((v.servers("not-judged"), v.servers("well")), (MDS[:2], OSS))


@case("two clusters, one always 2.5 times slower: nobody; a server of either that turns slow, or two, is found")
def _():
    usual = of((A, 10), (B, 25))
    v = ask(servers(usual), begin=T0)
    eq((v["verdict"], len(v.servers("well"))), ("unproven", 12))
    ask(servers(usual, {"b-oss4": (2, 120)}), begin=T0).only("b-oss4")
    ask(servers(usual, {"a-oss1": (2.5, 0)}), begin=T0).only("a-oss1")
    eq(sorted(ask(servers(usual, {"b-oss4": (3, 120), "b-oss6": (3, 120)}), begin=T0).indicted()), ["b-oss4", "b-oss6"])


@case("--peers goes before: with all in one group nobody knows which are slow, and nothing is told apart")
def _():
    v = peers(servers(of((A, 10), (B, 25))), "* \n")
    eq((v["verdict"], notes(v)), ("cannot-judge", ""))


# ---- no place to hide ------------------------------------------------------------------------------------------

@case("two of eight that always were slow, with a name of their own or without: both are named")
def _():
    for names in (["new1", "new2"], ["oss7", "oss8"]):
        v = ask(servers(of((OSS[:6], 10), (names, 30))), begin=T0)
        eq((sorted(v.indicted()), notes(v)), (names, ""))


@case("three of eleven with a name of their own that always were slow: named, for names are no excuse")
def _():
    new = ["new1", "new2", "new3"]
    v = ask(servers(of((OSS, 10), (new, 30))), begin=T0)
    eq((sorted(v.indicted()), len(hint(v))), (new, 1))
    has(hint(v)[0], "new1, new2, new3: await is ")


@case("half of them with a name of their own turn slow: no group, and nobody is well")
def _():
    for since in (60, 180, 300):
        v = ask(servers(of((A, 10), (B, 10)), {name: (3, since) for name in B}), begin=T0)
        eq((v.servers("well"), "groups of servers" in notes(v)), ([], False))


@case("names without a difference change nothing, and of these two that turn slow are named")
def _():
    v = ask(servers(of((A, 10), (B, 10))), begin=T0)
    eq((v["verdict"], notes(v)), ("clean", ""))
    v = ask(servers(of((A, 10), (B, 10)), {"b-oss1": (3, 0), "b-oss2": (3, 0)}), begin=T0)
    eq((sorted(v.indicted()), notes(v)), (["b-oss1", "b-oss2"], ""))


@case("racks are no kinds: half of them that always were slow are well nowhere")
def _():
    v = ask(servers(of(([f"rack1-oss{i}" for i in range(4)], 10), ([f"rack2-oss{i}" for i in range(4)], 30))), begin=T0)
    eq(v.servers("well"), [])
    has(hint(v)[0], "rack2-oss0, rack2-oss1, rack2-oss2, rack2-oss3: await is ")


@case("two generations that only values tell: a question, no groups; --peers answers it, and finds the slow one")
def _():
    usual = of((OSS[:4], 10), (OSS[4:], 20))
    for slow in ({}, {"oss7": (3, 180)}):
        v = ask(servers(usual, slow), begin=T0)
        eq((v.indicted(), v.servers("well"), len(hint(v))), ([], [], 1))
        has(hint(v)[0], "oss5, oss6, oss7, oss8: await is ")
        has(hint(v)[0], " x that of oss1, oss2, oss3, oss4 or more from the first value to the last")
        v = peers(servers(usual, slow), "oss[1-4]\noss[5-8]\n")
        eq((v.indicted(), hint(v)), (sorted(slow), []))


@case("half of them slow since a tenth of the time, or healthy: no question")
def _():
    for slow in ({}, {name: (2, 45) for name in OSS[4:]}):
        eq(hint(ask(servers(of((OSS, 10)), slow), begin=T0)), [])


# ---- disks -----------------------------------------------------------------------------------------------------

def disks(slow=None, rare=2, each=4, ratio=10, names="osd.{n}", nodes=6, also=()):
    """`rare` disks of each server take `ratio` times as long; slow: {(server, disk): (times, since)}."""
    r, slow = random.Random(5), slow or {}
    rows = ["time,node,device,await"]
    for t in range(ROWS):
        for h in range(nodes):
            for d in range(each):
                times, since = slow.get((h, d), (1, 0))
                ms = 10 * (ratio if d < rare or (h, d) in also else 1) * (times if t >= since else 1)
                rows.append(f"{T0 + 5 * t},s{h},{names.format(n=h * each + d, d=d)},{ms * r.lognormvariate(0, 0.15):.3f}")
    return "\n".join([*rows, ""]).encode()


@case("OSDs of two kinds on each server: all are well, and that is said; a slow one of either kind is found")
def _():
    v = ask(disks(), begin=T0)
    eq((v["verdict"], len(v.servers("well"))), ("clean", 6))
    has(notes(v), "each server has 2 disks of a slower kind: await of one kind is at least ")
    for disk, name in ((0, "osd.8"), (3, "osd.11")):
        i = ask(disks({(2, disk): (3, 180)}), begin=T0).only("s2")
        eq((i["detail"], i["disk"]), (f"await of {name}", name))


@case("a disk that is as slow as the other kind has no kind to hide in: its server is not called well")
def _():
    v = ask(disks(also={(2, 3)}), begin=T0)
    eq(("s2" in v.servers("well"), "2 kinds" in notes(v)), (False, False))


@case("all disks of one server are slow: it is the server, of all its disks; but for one: those disks")
def _():
    for names in ("osd.{n}", "sd{d}"):
        i = ask(disks({(2, d): (3, 180) for d in range(4)}, rare=0, names=names), begin=T0).only("s2")
        eq((i["detail"], i["disk"]), ("await of all 4 of its disks", None))
        i = ask(disks({(2, d): (3, 180) for d in range(3)}, rare=0, names=names), begin=T0).only("s2")
        eq((len(i["detail"].split(",")), i["disk"] is None), (3, False))


# ---- replicas --------------------------------------------------------------------------------------------------

def pairs(slow, since=120, both=True, own_too=False):
    """Servers write to a replica, 0 to 1 and 1 to 0, and so on; whole: the longer of both."""
    r = random.Random(4)
    rows = ["time,node,op_w_latency" + (",subop_w_latency" if both else "")]
    for t in range(ROWS):
        own = [4 * r.lognormvariate(0, 0.15) * (5 if h == slow or own_too and h == slow - 1 else 1) ** (t >= since)
               for h in range(8)]
        for h in range(8):
            rows.append(f"{T0 + 5 * t},osd{h},{max(own[h], own[h ^ 1]) + 0.5:.3f}"
                        + (f",{own[h] * r.lognormvariate(0, 0.1):.3f}" if both else ""))
    return "\n".join([*rows, ""]).encode()


@case("a server that waits for its replica is not blamed for it, and whom it waits for is said; without its own part both are")
def _():
    v = ask(pairs(3), "--signal", "op_w_latency", begin=T0)
    v.only("osd3")
    eq([n["server"] for n in v.notices("waits")], ["osd2"])
    has(v.notices("waits")[0]["text"], "osd2 waits for others: its op_w_latency is 4.")
    has(v.notices("waits")[0]["text"], "that of osd3 is longer")
    eq(v.status("osd2"), "well")
    eq(sorted(ask(pairs(3, both=False), "--signal", "op_w_latency", begin=T0).indicted()), ["osd2", "osd3"])


@case("two replicas of each other that both are slow are blamed")
def _():
    v = ask(pairs(3, own_too=True), "--signal", "op_w_latency", begin=T0)
    eq((sorted(v.indicted()), v.notices("waits")), (["osd2", "osd3"], []))


run()
