#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recordings of six servers of a file system at work, in which one thing changes, and what the verdict says it is."""
import copy
import functools
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from scenes import ask, between, case, eq, folder, has, near, record, run  # noqa: E402

T0 = 1700000000
EVERY = 4  # s: a row of the recording, and an interval
SERVERS = 6
ME = 2
OWN = "/fs/brick"
CLIENTS = ("10.0.0.101", "10.0.0.102")
MIB = 1024

# What a server does in a second: (metric, instance): value. 10 MB/s read and 8 MB/s written, all of it over the network.
HEALTHY = {
    ("draw:runq", ""): (400, 0.02),
    ("draw:read", "sda"): (22 * EVERY, 70, 69), ("draw:write", "sda"): (17 * EVERY, 100, 99), ("rkB/s", "sda"): 10000, ("wkB/s", "sda"): 8000,
    ("foreign-rkB/s", "sda"): 0, ("foreign-wkB/s", "sda"): 0, ("aqu-sz", "sda"): 3,
    ("tcp-rxkB/s", ""): 8000, ("tcp-txkB/s", ""): 10000, ("rxkB/s", "eth0"): 8600, ("txkB/s", "eth0"): 10700,
    # whose headers are what the interface carries besides, of 66 bytes each
    ("iseg/s", ""): 600 * MIB / 66, ("oseg/s", ""): 700 * MIB / 66,
    ("idseg/s", ""): 600, ("odseg/s", ""): 667, ("retrans/s", ""): 0.13, ("ooo/s", ""): 0,
    ("tcp-active", ""): 2, ("tcp-unread", ""): 0, ("tcp-stalled", ""): 0, ("tcp-looks", ""): 10,
    ("cwnd-ln", ""): math.log(90), ("srtt", ""): 1,
    ("%user", ""): 12, ("%system", ""): 6, ("%idle", ""): 80, ("%iowait", ""): 2, ("%steal", ""): 0,
    ("%smem", ""): 0, ("%fmem", ""): 0, ("pswpin/s", ""): 0, ("pswpout/s", ""): 0, ("blocked", ""): 0.2,
    ("threads", ""): 20, ("%thr-lock", ""): 5, ("%thr-cpu", ""): 10, ("%thr-disk", ""): 5, ("%thr-idle", ""): 80,
    ("%CPU", "glusterfsd:100"): 20, ("kB_rd/s", "glusterfsd:100"): 10000, ("kB_wr/s", "glusterfsd:100"): 8000,
}
for client in CLIENTS:
    HEALTHY |= {(f"remote:{m}", client): v for m, v in (
        ("odseg/s", 333), ("idseg/s", 300), ("oseg/s", 400), ("retrans/s", 0.067), ("ooo/s", 0),
        ("tcp-rxkB/s", 4000), ("tcp-txkB/s", 5000))}
NOISY = {"aqu-sz", "srtt", "cwnd-ln", "%user", "%system", "%idle", "%iowait", "blocked", "retrans/s"}  # besides what is drawn
READS, WRITES = ("draw:read", "sda"), ("draw:write", "sda")
# Of what a server does not do any more.
IDLE = {READS: (0, 70, 69), WRITES: (0, 100, 99), ("rkB/s", "sda"): 0, ("wkB/s", "sda"): 0, ("aqu-sz", "sda"): 0,
        ("tcp-rxkB/s", ""): 2, ("tcp-txkB/s", ""): 2, ("rxkB/s", "eth0"): 3,
        ("txkB/s", "eth0"): 3, ("idseg/s", ""): 1, ("odseg/s", ""): 1, ("iseg/s", ""): 2, ("oseg/s", ""): 2}


class Servers:
    """A recording in the making; like[i] is what server i does from now on, one of some of it in 3 % noise."""

    def __init__(self, own=(OWN,), daemon="glusterfsd:100"):
        self.random = random.Random(5)
        self.like = [{(m, daemon if of == "glusterfsd:100" else of): v for (m, of), v in HEALTHY.items()}
                     for _ in range(SERVERS)]
        self.silent = [False] * SERVERS
        self.lines = [f"0,s{i},cgroup,{daemon},{OWN}\n" for i in range(SERVERS)]
        self.lines += [f"0,s{i},own,{o},\n" for i in range(SERVERS) for o in own]
        self.now = 0
        self.dir = None

    def noisy(self, metric, value):
        if isinstance(value, tuple):
            return " ".join(str(v) for v in value)
        if metric not in NOISY:
            return str(value)
        return f"{value * (1 + 0.03 * self.random.gauss(0, 1)):.6g}"

    def lasts(self, seconds):
        for _ in range(0, seconds, EVERY):
            t = T0 + self.now
            for i, like in enumerate(self.like):
                if not self.silent[i]:
                    self.lines.append("".join(f"{t},s{i},{m},{of},{self.noisy(m, v)}\n" for (m, of), v in like.items()))
            self.now += EVERY

    def runs(self, i, process, cgroup, cpu=1, read=0, written=0):
        """Another process on server i from now on: % of a processor, kB/s."""
        self.lines.append(f"0,s{i},cgroup,{process},{cgroup}\n")
        self.like[i] |= {("%CPU", process): cpu, ("kB_rd/s", process): read, ("kB_wr/s", process): written}

    def times(self, i, keys, times):
        for key in keys:
            self.like[i][key] *= times

    def requests(self, i, key, times, above=1, below=1):
        """So many times as many, each so many times as long, in all and in the device."""
        n, ms, device_ms = self.like[i][key]
        self.like[i][key] = (round(n * times), ms * above, device_ms * below)

    def write(self):
        if self.lines:
            self.dir = folder()
            record(self.lines, self.dir.name, EVERY)
            self.lines = []

    def tell(self, *options, to=None):
        self.write()
        if to is not None:
            options = (*options, "--to", f"@{T0 + to}")
        return ask(self.dir.name, *options, begin=T0)


@functools.lru_cache
def well():
    s = Servers()
    s.lasts(200)
    return s


def broken(breaks, before=None, **options):
    """The verdict on 200 s of all well and 120 s after `breaks` was done to them."""
    if before or options:
        s = Servers(**options)
        if before:
            before(s)
        s.lasts(200)
    else:
        s = copy.deepcopy(well())
    breaks(s)
    s.lasts(120)
    return s.tell()


# ---- one cause each ---------------------------------------------------------------------------------------------

def slow_disk(s, times):
    for key in (READS, WRITES):
        s.requests(ME, key, 1, times, times)
    s.like[ME][("aqu-sz", "sda")] *= times


def others_read(s, kb, counted=True):
    s.like[ME][("rkB/s", "sda")] += kb
    s.requests(ME, READS, 1 + kb / 10000)
    if counted:
        s.like[ME][("foreign-rkB/s", "sda")] = kb


def runq(s, times=400, user=85):
    s.like[ME] |= {("draw:runq", ""): (400, 0.02 * times), ("%user", ""): user, ("%idle", ""): 5}


def lossy(s, i, client, again=0.0, disorder=0.0):
    """So many of the segments of a connection are sent again, and come out of order."""
    like = s.like[i]
    for m, of, share in (("retrans/s", "odseg/s", again), ("ooo/s", "idseg/s", disorder)):
        more = like[(f"remote:{of}", client)] * share
        like[(f"remote:{m}", client)] = more
        like[(m, "")] += more


def cause(name, word, *more):
    """The scene of the function below: ME, and nobody else, for that cause; and what else must be so of the incident."""
    def add(breaks):
        @case(name)
        def _():
            i = broken(breaks).only(f"s{ME}")
            eq(i["cause"], word)
            for check in more:
                check(i)
        return breaks
    return add


def culprit(name, share=None, cgroup=None):
    def check(i):
        got = i["culprit"]
        eq(got and got["name"] + (f":{got['pid']}" if got["pid"] is not None else ""), name, "culprit")
        if share is not None:
            near(got["share"], share, 1e-6, "share")
        if cgroup:
            eq(got["cgroup"], cgroup)
    return check


def says(key, words):
    return lambda i: has(i[key], words)


def sure(i):
    assert i["confidence"] >= 0.95, i["doubt"]


def silent_on(key):
    return lambda i: eq(i[key], None, key)


@cause("a process computes and tasks wait for processors: cpu-hog, it is named, with its share", "cpu-hog",
       culprit("stress:9", 167 / 187), sure)
def _(s):
    runq(s)
    s.runs(ME, "stress:9", "/user.slice", 167)


@cause("the file system itself computes: cpu-hog, and it says so", "cpu-hog", culprit("glusterfsd:100"),
       says("detail", "file system itself"))
def _(s):
    runq(s)
    s.like[ME][("%CPU", "glusterfsd:100")] = 183


@cause("and other guests take a third of its processors, more than of its peers': they are the guess, and no doubt", "cpu-hog",
       says("guess", "other guests of the same machine"), sure)
def _(s):
    runq(s)
    s.like[ME][("%steal", "")] = 35


@cause("and of all servers' processors: a doubt", "cpu-hog",
       says("doubt", "other guests have its processors 35 % of the time"))
def _(s):
    runq(s)
    for like in s.like:
        like[("%steal", "")] = 35


@cause("tasks stall for memory: memory-pressure", "memory-pressure")
def _(s):
    s.like[ME][("%smem", "")] = 50


@cause("a slow disk while it swaps: memory-pressure, not the reverse", "memory-pressure")
def _(s):
    slow_disk(s, 4)
    s.like[ME] |= {("%smem", ""): 40, ("pswpin/s", ""): 3000, ("pswpout/s", ""): 3000}


@cause("others read, and the disk is slow: disk-hog, with process, control group, share and direction", "disk-hog",
       culprit("fio:1234", 0.5, "/user.slice/hogs"), says("detail", "sda: other programs read 17.6 of 35.2 MiB/s"),
       says("direction", "read"), sure)
def _(s):
    slow_disk(s, 6)
    others_read(s, 18000)
    s.runs(ME, "cron:7", "/system.slice/cron.service", 0.1, 20)
    s.runs(ME, "fio:1234", "/user.slice/hogs", 2, 18000)
    s.like[ME][("kB_rd/s", "(rest)")] = 30000


@case("a process that read as much before the trouble is not what began it")
def _():
    def before(s):
        s.runs(ME, "backup:5", "/backup", 2, 18000)

    def breaks(s):
        slow_disk(s, 6)
        others_read(s, 18000)
        s.runs(ME, "fio:9", "/x", 2, 12000)
    i = broken(breaks, before).only(f"s{ME}")
    eq(i["cause"], "disk-hog")
    culprit("fio:9")(i)


@cause("others read, and no process that did is known: disk-hog without a culprit", "disk-hog", silent_on("culprit"))
def _(s):
    slow_disk(s, 6)
    others_read(s, 18000)
    s.runs(ME, "cron:7", "/system.slice", 0.1, 20)


@cause("a trickle of others' reads beside a slow device: device-slow", "device-slow")
def _(s):
    slow_disk(s, 4)
    others_read(s, 1100)


@cause("somebody reads while a thread of the RAID idles: the reader is named", "disk-hog", culprit("tar:5"))
def _(s):
    slow_disk(s, 3)
    others_read(s, 18000)
    s.runs(ME, "md0_raid6:77", "/", 0.1)
    s.runs(ME, "tar:5", "/backup", 2, 18000)


@cause("a device takes four times as long: device-slow, its reads, no culprit, no guess", "device-slow",
       silent_on("culprit"), silent_on("guess"), says("detail", "sda, reads"), sure)
def _(s):
    s.requests(ME, READS, 1, 4, 4)


@case("the device's own time not measured: device-slow, with that for a doubt")
def _():
    def before(s):
        for i in range(SERVERS):
            s.requests(i, READS, 1, 1, 0)
            s.requests(i, WRITES, 1, 1, 0)
    i = broken(lambda s: s.requests(ME, READS, 1, 4), before).only(f"s{ME}")
    eq(i["cause"], "device-slow")
    has(i["doubt"], "not measured")


@cause("writes wait above a device that is as quick as ever: io-scheduler", "io-scheduler", says("detail", "writes"))
def _(s):
    s.requests(ME, WRITES, 1, 5)


@cause("and where tasks wait for a processor, it is that", "cpu-hog")
def _(s):
    s.requests(ME, WRITES, 1, 5)
    runq(s)


@cause("16000 kB/s come in beside the file system's: network-hog, write, how much", "network-hog",
       says("detail", "write: 15.6 MiB/s received"), says("direction", "receive"), sure)
def _(s):
    s.like[ME][("rxkB/s", "eth0")] += 16000


@cause("25000 kB/s go out beside it: network-hog, read, how much; its congestion is no packet loss", "network-hog",
       says("detail", "read: 24.4 MiB/s sent"), says("direction", "send"))
def _(s):
    s.like[ME][("txkB/s", "eth0")] += 25000
    for c in CLIENTS:
        lossy(s, ME, c, again=0.03)


@cause("a host that talks to this server only, over sockets like the file system's: network-hog, the host is named",
       "network-hog", lambda i: eq((i["culprit"]["kind"], i["culprit"]["name"]), ("remote", "10.0.0.254")),
       lambda i: near(i["culprit"]["share"], 16 / 25.6, 1e-6), sure)
def _(s):
    like = s.like[ME]
    like |= {("remote:idseg/s", "10.0.0.254"): 13000, ("remote:odseg/s", "10.0.0.254"): 1,
             ("remote:oseg/s", "10.0.0.254"): 5000, ("remote:retrans/s", "10.0.0.254"): 0,
             ("remote:ooo/s", "10.0.0.254"): 70, ("remote:tcp-rxkB/s", "10.0.0.254"): 16000,
             ("remote:tcp-txkB/s", "10.0.0.254"): 0}
    like[("rxkB/s", "eth0")] += 17000
    like[("tcp-rxkB/s", "")] += 16000
    like[("idseg/s", "")] += 13000
    like[("ooo/s", "")] += 70


@cause("a copy over the network beside a slow disk: device-slow", "device-slow")
def _(s):
    s.like[ME][("txkB/s", "eth0")] += 2000
    slow_disk(s, 5)


@cause("a process that came with the bytes is a guess, and no culprit", "network-hog", silent_on("culprit"),
       says("guess", "iperf3:55"))
def _(s):
    s.like[ME][("rxkB/s", "eth0")] += 16000
    s.runs(ME, "iperf3:55", "/user.slice", 5)


@cause("5 % sent again to both clients: packet-loss, send side, to 2 of 2 hosts", "packet-loss", sure,
       says("detail", "send side, to 2 of 2 hosts"))
def _(s):
    s.like[ME][("cwnd-ln", "")] = math.log(20)
    for c in CLIENTS:
        lossy(s, ME, c, again=0.05)


@cause("a quarter out of order from both: packet-loss, receive side, from 2 of 2 hosts", "packet-loss", sure,
       says("detail", "receive side, from 2 of 2 hosts"))
def _(s):
    for c, again, disorder in zip(CLIENTS, (0.0009, 0.0002), (0.26, 0.046)):
        lossy(s, ME, c, again, disorder)


@cause("both: packet-loss in both directions", "packet-loss", says("detail", "both directions"))
def _(s):
    for c in CLIENTS:
        lossy(s, ME, c, 0.05, 0.26)


@cause("a little sent again beside a quarter out of order: the receive side", "packet-loss",
       says("detail", "receive side"))
def _(s):
    for c in CLIENTS:
        lossy(s, ME, c, 0.006, 0.26)


@cause("loss beside a disk that is 1.5 times as slow: packet-loss", "packet-loss")
def _(s):
    slow_disk(s, 1.5)
    for c in CLIENTS:
        lossy(s, ME, c, again=0.05)


@cause("loss beside a disk that is six times as slow: device-slow", "device-slow")
def _(s):
    slow_disk(s, 6)
    for c in CLIENTS:
        lossy(s, ME, c, again=0.05)


@case("loss with the only client there is: packet-loss, doubted by that client's name")
def _():
    def before(s):
        for like in s.like:
            for key in [k for k in like if k[1] == CLIENTS[1]]:
                del like[key]
    i = broken(lambda s: lossy(s, ME, CLIENTS[0], again=0.05), before).only(f"s{ME}")
    eq((i["cause"], i["confidence"] < 0.95), ("packet-loss", True))
    has(i["doubt"], CLIENTS[0])


@case("connections of which nothing is known: packet-loss, in doubt")
def _():
    def before(s):
        for like in s.like:
            for key in [k for k in like if k[1] in CLIENTS]:
                del like[key]

    def breaks(s):
        s.like[ME][("retrans/s", "")] = 30
    i = broken(breaks, before).only(f"s{ME}")
    eq((i["cause"], i["confidence"] < 0.95), ("packet-loss", True))


@cause("it does nothing any more, and its peers do: hung", "hung", sure)
def _(s):
    s.like[ME] |= IDLE


# ---- what is no fault of a server --------------------------------------------------------------------------------

def no_fault(name, kind, *words, server=f"s{ME}"):
    def add(breaks):
        @case(name)
        def _():
            v = broken(breaks)
            v.nobody()
            eq(len(v.notices(kind, server)), 1, [n["text"] for n in v["notices"]])
            for part in words:
                has(v.notices(kind, server)[0]["text"], part)
        return breaks
    return add


for doer in ("md0_resync:77", "md127_recovery:4", "btrfs-scrub:3", "z_scrub_int:8", "fsck.ext4:9", "xfs_scrub:1"):
    @no_fault(f"{doer} reads, and the disk is slow: maintenance, a notice by its name", "maintenance", doer)
    def _(s, doer=doer):
        slow_disk(s, 3)
        others_read(s, 18000)
        s.runs(ME, doer, "/", 2, 18000)


@case("others' reads that no request waits longer for: a notice with share, process and busy time, now, before and the peers'")
def _():
    def before(s):
        for like in s.like:
            like[("%util", "sda")] = 40

    def breaks(s):
        others_read(s, 6000)
        s.like[ME][("%util", "sda")] = 95
        s.runs(ME, "rsync:5", "/backup", 2, 6000)
    v = broken(breaks, before)
    v.nobody()
    n, = v.notices("foreign-use", f"s{ME}")
    eq(n["text"], "s2: others do 25 % of sda's bytes (rsync:5), and no request waits longer for it; it is 95 % busy, "
       "it was 40 %, its peers are 40 %")
    for key, want in ("share", 0.25), ("busy", 95), ("busy_before", 40), ("busy_peers", 40):
        near(n[key], want, 1e-3, key)


@no_fault("badblocks reads most, and no request waits longer for it: maintenance", "maintenance", "badblocks:6")
def _(s):
    others_read(s, 24000)
    s.like[ME][("aqu-sz", "sda")] = 3
    s.runs(ME, "badblocks:6", "/", 2, 24000)


@no_fault("three times the work, over the network too, served as quickly: a notice that it has more to do", "imbalance",
          "s2 has more to do than its peers (2.6 times", "and is as quick")  # (3 x 39 + 10) / (39 + 10)
def _(s):
    s.requests(ME, READS, 3)
    s.requests(ME, WRITES, 3)
    s.times(ME, [k for k in HEALTHY if k[0] in (
        "rkB/s", "wkB/s", "aqu-sz", "tcp-rxkB/s", "tcp-txkB/s", "rxkB/s", "txkB/s", "iseg/s", "oseg/s",
        "idseg/s", "odseg/s") or k[0].startswith("remote:") or k[0].startswith("kB_")], 3)


@no_fault("one link of several is lossy: a notice, either end may be", "client", CLIENTS[1], "s2")
def _(s):
    lossy(s, ME, CLIENTS[1], again=0.05)


@no_fault("one client loses with all servers: a notice, 6 of 6, and no server is to blame", "client", CLIENTS[1],
          "6 of 6", "no server is to blame", server=None)
def _(s):
    for i in range(SERVERS):
        lossy(s, i, CLIENTS[1], 0.001, 0.2)


# ---- whose bytes they are ---------------------------------------------------------------------------------------

def hogged(s):
    slow_disk(s, 4)
    others_read(s, 15000)
    s.times(ME, [k for k in s.like[ME] if k[0] == "kB_rd/s"], 2.5)  # the daemon reads more because of it
    s.runs(ME, "fio:9", "/user.slice", 1, 14000)


for own, name in (((), "brickd:1"), (("/elsewhere",), "brickd:1"), (("/elsewhere", OWN, "/elsewhere"), "fio:9")):
    @case(f"a daemon of no known name reads more because of a hog; own groups {' '.join(own) or 'not told'}: {name} is named")
    def _(own=own, name=name):
        i = broken(hogged, own=own, daemon="brickd:1").only(f"s{ME}")
        eq(i["cause"], "disk-hog")
        culprit(name)(i)


def uncounted(s):
    """Recorded without --cgroup: nobody counted whose a request was."""
    for like in s.like:
        del like[("foreign-rkB/s", "sda")], like[("foreign-wkB/s", "sda")]


def dd(s, slow):
    slow_disk(s, slow)
    others_read(s, 20000, counted=False)
    s.like[ME] |= {("tcp-txkB/s", ""): 9000, ("txkB/s", "eth0"): 9700}
    s.runs(ME, "dd:4711", "/user.slice", 1, 20000)


@case("origin not counted, the disk reads more than is sent, and it is slow: disk-hog, by the process that reads")
def _():
    i = broken(lambda s: dd(s, 6), uncounted, own=()).only(f"s{ME}")
    eq((i["cause"], i["disk"], i["direction"]), ("disk-hog", "sda", "read"))
    culprit("dd:4711", 20 / 38)(i)
    has(i["detail"], "sda: other programs read 19.5 of 37.1 MiB/s")
    sure(i)


@case("origin not counted, and no request waits longer: a notice, by the process that reads")
def _():
    v = broken(lambda s: dd(s, 1), uncounted, own=())
    v.nobody()
    n, = v.notices("foreign-use", f"s{ME}")
    has(n["text"], "others do 53 % of sda's bytes (dd:4711)")


@case("origin not counted, and no daemon is known: a slow disk is slow")
def _():
    eq(broken(lambda s: dd(s, 6), uncounted, own=(), daemon="brickd:100").only(f"s{ME}")["cause"], "device-slow")


# ---- all clients wait for one -----------------------------------------------------------------------------------

def stand_still(s):
    for like in s.like:
        like |= IDLE | {("tcp-active", ""): 0}


def waiting(unread, changes=(), seconds=44):
    """All are idle, of `unread` servers so many connections with data that nobody reads."""
    s = Servers()
    s.lasts(120)
    stand_still(s)
    for i, n in unread.items():
        s.like[i][("tcp-unread", "")] = n
    for key, value in changes:
        s.like[ME][key] = value
    s.lasts(seconds)
    return s


@case("all stand still, and one has two connections that nobody reads: hung, within 44 s")
def _():
    eq(waiting({ME: 2}).tell().only(f"s{ME}")["cause"], "hung")


@case("and 16 of its 20 threads wait for a lock: that is the cause")
def _():
    i = waiting({ME: 2}, [(("%thr-lock", ""), 80), (("%thr-idle", ""), 15), (("%thr-cpu", ""), 0)]).tell().only(f"s{ME}")
    eq(i["cause"], "busy-lock")


@case("threads that wait for a lock where the work is done as ever: nobody")
def _():
    s = Servers()
    s.lasts(120)
    s.like[ME] |= {("%thr-lock", ""): 80, ("%thr-idle", ""): 15, ("%thr-cpu", ""): 0}
    s.lasts(400)
    s.tell().nobody()


@case("nothing to do anywhere; or data unread on all servers: nobody")
def _():
    waiting({}, seconds=400).tell().nobody()
    waiting({i: 2 for i in range(SERVERS)}, seconds=400).tell().nobody()


@case("one connection unread while the work is done: nobody")
def _():
    s = Servers()
    s.lasts(120)
    s.like[ME][("tcp-unread", "")] = 1
    s.lasts(400)
    s.tell().nobody()


@case("two that hand on what a third does not take read no more: nobody; without that each hangs by itself")
def _():
    s = waiting({2: 1, 4: 1}, seconds=0)
    for i in (2, 4):
        s.like[i][("tcp-stalled", "")] = 1
    s.lasts(400)
    for i in (2, 4):
        s.like[i][("tcp-stalled", "")] = 0
    s.lasts(100)
    s.tell(to=520).nobody()
    eq(sorted(s.tell().indicted()), ["s2", "s4"])


# ---- processors that other guests of the hosts take -----------------------------------------------------------

def steal(s, *percent):
    for i, p in enumerate(percent if len(percent) > 1 else percent * SERVERS):
        s.like[i][("%steal", "")] = p


@case("40 % of a processor stolen for 80 s, and not for 76: a notice with how many, which most, and since when; it stays")
def _():
    s = Servers()
    steal(s, 19)
    s.lasts(200)
    steal(s, 19, 19, 40, 19, 30, 19)
    s.lasts(80)
    steal(s, 0)
    s.lasts(300)
    said = ("other guests take the processors of servers, on up to 2 of 6 for a fifth of the time or more, most on s2 "
            "(40 %): faults are hard to see meanwhile")
    eq([s.tell(to=t).notices("stolen") for t in (200, 276)], [[], []])
    v = s.tell(to=280)
    n, = v.notices("stolen")
    eq((n["text"], n["server"], n["is_the_verdict"]), (said, None, False))
    between(v.seconds(n["from"]), 200 - 4 * EVERY, 200)
    eq(v.seconds(n["to"]), 280)
    v = s.tell()
    n, = v.notices("stolen")
    eq(n["text"], said)
    between(v.seconds(n["to"]), 280, 280 + 4 * EVERY)
    v.nobody()


@case("all of a processor stolen for 20 s again and again; or it is not known: no notice")
def _():
    s = Servers()
    s.lasts(120)
    for _ in range(5):
        steal(s, 0, 100, 0, 0, 0, 0)
        s.lasts(20)
        steal(s, 0)
        s.lasts(80)
    steal(s, "nan")
    s.lasts(120)
    for t in (620, 740):
        eq(s.tell(to=t).notices("stolen"), [])


@case("servers that say nothing while their processors are taken: the notice is of all of it")
def _():
    s = Servers()
    s.lasts(120)
    steal(s, 90)
    for _ in range(3):
        s.silent = [False] * SERVERS
        s.lasts(28)
        s.silent = [True] * SERVERS
        s.lasts(60)
    v = s.tell()
    n, = v.notices("stolen")
    between(v.seconds(n["from"]), 120 - 4 * EVERY, 120)


for percent, doubt in ((15, None), (35, "other guests have its processors 35 % of the time")):
    @case(f"a hog while other guests take {percent} % of all processors: disk-hog, " + ("and that is a doubt" if doubt else "no doubt"))
    def _(percent=percent, doubt=doubt):
        def breaks(s):
            hogged(s)
            steal(s, percent)
        i = broken(breaks).only(f"s{ME}")
        eq((i["cause"], i["doubt"], i["confidence"] < 0.95), ("disk-hog", doubt, doubt is not None))


run()
