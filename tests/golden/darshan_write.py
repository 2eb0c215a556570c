#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes Darshan logs, for tests: darshan_write.py KIND FILE [FORM]

KIND is
  all        a file of each sort: traced, counted, striped, composed, mirrored, shared, of MPI-IO and of stdio
  well       16 processes that write and read files which are striped over 8 targets, traced
  slow       the same, where target 5 takes four times as long
FORM is VERSION-COMPRESSION-ORDER[-threads], by default 3.21-zlib-little; versions 3.10, 3.21, 3.41, compressions zlib,
bzip2, none, orders little, big; with threads in traces."""

import bz2
import random
import struct
import sys
import zlib

MODULES = {"3.10": dict(POSIX=1, MPIIO=2, LUSTRE=6, STDIO=7, DXT_POSIX=8, DXT_MPIIO=9),
           "3.21": dict(POSIX=1, MPIIO=2, LUSTRE=7, STDIO=8, DXT_POSIX=9, DXT_MPIIO=10),
           "3.41": dict(POSIX=1, MPIIO=2, LUSTRE=8, STDIO=9, DXT_POSIX=10, DXT_MPIIO=11)}
VERSIONS = {"3.10": dict(POSIX=3, MPIIO=2, LUSTRE=1, STDIO=1, DXT_POSIX=1, DXT_MPIIO=1),
            "3.21": dict(POSIX=4, MPIIO=3, LUSTRE=1, STDIO=2, DXT_POSIX=1, DXT_MPIIO=2),
            "3.41": dict(POSIX=4, MPIIO=3, LUSTRE=2, STDIO=2, DXT_POSIX=1, DXT_MPIIO=2)}
THREADS = dict(DXT_POSIX=2, DXT_MPIIO=3)  # records that name threads
# counters and times; where: reads, writes, bytes read and written; read start, write start, read time, write time
SHAPES = {("POSIX", 3): (64, 17, (1, 2, 9, 10), (1, 2, 8, 9)), ("POSIX", 4): (69, 17, (3, 4, 14, 15), (1, 2, 8, 9)),
          ("STDIO", 1): (13, 15, (1, 2, 6, 5), (6, 5, 2, 1)), ("STDIO", 2): (14, 15, (2, 3, 7, 6), (6, 5, 2, 1)),
          ("MPIIO", 2): (51, 15, (2, 3, 14, 15), (1, 2, 6, 7)), ("MPIIO", 3): (51, 17, (2, 3, 14, 15), (1, 2, 8, 9))}
MIB = 1 << 20


class Writer:
    def __init__(self, form):
        self.version, self.compression, order, *threads = form.split("-")
        self.o = "<" if order == "little" else ">"
        self.modules = {m: b"" for m in MODULES["3.41"]}
        self.names = b""
        self.versions = dict(VERSIONS[self.version], **(THREADS if threads else {}))

    def pack(self, form, *values):
        return struct.pack(self.o + form, *values)

    def name(self, id, path):
        self.names += self.pack("Q", id) + path.encode() + b"\0"

    def counters(self, module, id, rank, sums, times, collective=0):
        words, n, w, t = SHAPES[module, self.versions[module]]
        c, f = [0] * words, [0.0] * n
        for i, v in zip(w, sums):
            c[i] = v
        for i, v in zip(t, times):
            f[i] = v
        if module == "MPIIO":
            c[5] = collective
        self.modules[module] += self.pack("Qq%dq%dd" % (words, n), id, rank, *c, *f)

    def lustre(self, id, size, osts, rank=-1):
        if self.versions["LUSTRE"] == 1:
            self.modules["LUSTRE"] += self.pack("Qq5q%dq" % len(osts), id, rank, 8, 1, osts[0], size, len(osts), *osts)
        else:
            self.composed(id, [(size, osts, 0, -1, 0)])

    def composed(self, id, parts, unused=0):
        osts = [o for p in parts for o in p[1]]
        b = self.pack("Qqqq", id, -1, len(parts) + unused, len(osts))
        for size, mine, start, end, mirror in parts:
            b += self.pack("7q16s", size, len(mine), 0, 16, start, end, mirror, b"flash")
        b += self.pack("7q16s", -1, -1, -1, -1, -1, -1, -1, b"") * unused
        self.modules["LUSTRE"] += b + self.pack("%dq" % len(osts), *osts)

    def trace(self, module, id, rank, host, writes, reads, shared=False):
        thread = self.versions[module] >= (2 if module == "DXT_POSIX" else 3)
        b = self.pack("Qqq64sqq", id, rank, -1 if shared else 0, host.encode(), len(writes), len(reads))
        for s in writes + reads:
            b += self.pack("qqdd", *s) + (self.pack("Q", 7) if thread else b"")
        self.modules[module] += b

    def squeeze(self, b):
        # in pieces, as Darshan writes a stream for each process
        pieces = [b[i:i + 3001] for i in range(0, len(b), 3001)]
        if self.compression == "none":
            return b
        return b"".join((zlib if self.compression == "zlib" else bz2).compress(p) for p in pieces)

    def write(self, path):
        new, n = self.version == "3.41", 64 if self.version == "3.41" else 16
        head = 32 + 16 * (n + 1) + 4 * n - (0 if new else 8)
        start = 1600000000
        job = self.pack("7q", 1000, start, 250000000, start + 100, 0, 16, 4711) if new else \
            self.pack("5q", 1000, start, start + 100, 16, 4711)
        job += b"lib_ver=3".ljust(1024, b"\0") + b"/opt/bin/ior -w -r\nlustre\t/scratch\ntmpfs\t/tmp\next4\t/\0"
        body = self.squeeze(job)
        maps, versions = [(0, 0)] * (n + 1), [0] * n
        if self.names:
            b = self.squeeze(self.names)
            maps[0] = head + len(body), len(b)
            body += b
        for m, b in self.modules.items():
            if b:
                b = self.squeeze(b)
                i = MODULES[self.version][m]
                maps[i + 1] = head + len(body), len(b)
                versions[i] = self.versions[m]
                body += b
        b = self.version.encode().ljust(8, b"\0") + self.pack("qB", 6567223, ("zlib", "bzip2", "none").index(self.compression))
        b += b"\0" * (15 if new else 7)
        for m in maps:
            b += self.pack("QQ", *m)
        b += self.pack("%dI" % n, *versions)
        assert len(b) == head
        open(path, "wb").write(b + body)


def everything(w):
    ids = {k: 0xfedcba9800000000 + i for i, k in enumerate(
        "one traced wide composed mirrored far shared mpi collective stdio outside thin".split())}
    for k, id in ids.items():
        w.name(id, ("/tmp/" if k == "outside" else "/scratch/u/") + k)
    w.lustre(ids["one"], MIB, [10])
    w.lustre(ids["traced"], MIB, [11])
    w.lustre(ids["wide"], MIB, [1, 2, 3])
    w.lustre(ids["shared"], MIB, [4])
    w.lustre(ids["mpi"], MIB, [5])
    w.lustre(ids["collective"], MIB, [6])
    w.lustre(ids["stdio"], MIB, [255])
    w.lustre(ids["thin"], 64 << 10, [3, 2, 3, 1])  # one target twice
    if w.versions["LUSTRE"] == 2:
        w.composed(ids["composed"], [(MIB, [7], 0, 4 * MIB, 0), (3 * MIB, [8, 9], 4 * MIB, -1, 0)], unused=2)
        w.composed(ids["mirrored"], [(MIB, [7], 0, -1, 1), (MIB, [8], 0, -1, 2)])
        w.composed(ids["far"], [(MIB, [], 0, MIB, 0), (MIB, [9], MIB, -1, 0)])  # its beginning is on a metadata target
    else:
        for k in ("composed", "mirrored", "far"):
            w.lustre(ids[k], MIB, [7, 8])
    for k in ("one", "traced", "wide", "outside"):
        w.counters("POSIX", ids[k], 3, (10, 20, 10 * 4096, 20 * MIB), (1.5, 2.5, 0.25, 4.0))
    w.counters("POSIX", ids["one"], 4, (0, 3, 0, 3), (0.0, 2.0, 0.0, 0.001))
    w.counters("POSIX", ids["shared"], -1, (0, 99, 0, 99 * MIB), (0.0, 1.0, 0.0, 9.0))
    w.counters("MPIIO", ids["mpi"], 5, (4, 5, 4 * MIB, 5 * MIB), (3.0, 4.0, 0.5, 0.75))
    w.counters("MPIIO", ids["collective"], 5, (4, 5, 4 * MIB, 5 * MIB), (3.0, 4.0, 0.5, 0.75), collective=2)
    w.counters("MPIIO", ids["one"], 3, (4, 5, 4 * MIB, 5 * MIB), (3.0, 4.0, 0.5, 0.75))
    w.counters("STDIO", ids["stdio"], 0, (7, 8, 700, 80000), (5.0, 6.0, 0.125, 0.625))
    some = [(0, 4096, 1.0, 1.01), (MIB - 1, 2, 1.1, 1.2), (5 * MIB, MIB, 2.0, 2.5), (4 * MIB - 7, 100, 3.0, 3.5)]
    for k in ("traced", "wide", "composed", "mirrored", "far", "shared", "outside"):
        w.trace("DXT_POSIX", ids[k], 3, "nid00003", some, [(0, 3 * MIB + 5, 5.0, 6.0), (17, 0, 7.0, 7.0)],
                shared=k == "shared")
    w.trace("DXT_POSIX", ids["thin"], 4, "nid00004", [(0, MIB, 8.0, 8.5)], [(200000, 100000, 9.0, 9.125)])
    w.trace("DXT_MPIIO", ids["mpi"], 5, "nid00005", some, [])
    w.trace("DXT_MPIIO", ids["wide"], 3, "nid00003", some, [])


def job(w, slow):
    r = random.Random(5)
    for rank in range(16):
        id = 0x1111111111111111 * (rank % 15 + 1) ^ rank
        osts = r.sample(range(8), 8)
        w.name(id, "/scratch/u/out.%d" % rank)
        w.lustre(id, MIB, osts, rank)
        rows, t = ([], []), 1 + r.random()
        for k in range(2):
            for i in range(48):
                took = 0.004 * r.lognormvariate(0, 0.25) * (4 if slow and osts[i % 8] == 5 else 1)
                rows[k].append((i * MIB, MIB, t, t + took))
                t += took + 0.001
        w.trace("DXT_POSIX", id, rank, "nid%05d" % (rank // 4), *rows)


def main():
    kind, path, form = sys.argv[1], sys.argv[2], (sys.argv + ["3.21-zlib-little"])[3]
    w = Writer(form)
    everything(w) if kind == "all" else job(w, kind == "slow")
    w.write(path)


if __name__ == "__main__":
    main()
