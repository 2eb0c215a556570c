#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The states of a Darshan log, read without limpet: darshan_states.py [--libdarshan] CSV LOG

Reads LOG with struct and zlib, or with PyDarshan (libdarshan-util), charges servers by the rules of limpet-inputs(5), and compares
with what 'limpet states --csv' printed into CSV. Prints what differs; exit status 1 then."""

import bz2
import csv
import struct
import sys
import zlib
from collections import namedtuple

Counted = namedtuple("Counted", "module id rank reads writes read written starts times collective")
Traced = namedtuple("Traced", "module id rank shared host writes reads")
Span = namedtuple("Span", "start end size osts")
Log = namedtuple("Log", "job start exe mounts names counted traced layouts")

MODULES = {(3, 10): dict(POSIX=1, MPIIO=2, LUSTRE=6, STDIO=7, DXT_POSIX=8, DXT_MPIIO=9),
           (3, 20): dict(POSIX=1, MPIIO=2, LUSTRE=7, STDIO=8, DXT_POSIX=9, DXT_MPIIO=10),
           (3, 41): dict(POSIX=1, MPIIO=2, LUSTRE=8, STDIO=9, DXT_POSIX=10, DXT_MPIIO=11)}
# counters, times; reads, writes, bytes read, bytes written; start and time of reads, of writes
COUNTERS = {("POSIX", 3): (64, 17, 1, 2, 9, 10, 1, 8, 2, 9), ("POSIX", 4): (69, 17, 3, 4, 14, 15, 1, 8, 2, 9),
            ("STDIO", 1): (13, 15, 1, 2, 6, 5, 6, 2, 5, 1), ("STDIO", 2): (14, 15, 2, 3, 7, 6, 6, 2, 5, 1),
            ("MPIIO", 2): (51, 15, 2, 3, 14, 15, 1, 6, 2, 7), ("MPIIO", 3): (51, 17, 2, 3, 14, 15, 1, 8, 2, 9)}


def text(b):
    return b.split(b"\0")[0].decode()


class Raw:
    def __init__(self, path):
        self.b = open(path, "rb").read()
        self.o = "<" if self.b[8:16] == struct.pack("<q", 6567223) else ">"
        self.version = tuple(int(x) for x in text(self.b[:8]).split("."))
        new, n = self.version >= (3, 41), 64 if self.version >= (3, 41) else 16
        at = 32 if new else 24
        maps = [struct.unpack_from(self.o + "QQ", self.b, at + 16 * i) for i in range(n + 1)]
        at += 16 * (n + 1)
        self.versions = struct.unpack_from(self.o + "%dI" % n, self.b, at)
        at += 4 * n
        self.names, self.maps = maps[0], maps[1:]
        self.job = (at, self.names[0] - at)
        self.ids = MODULES[max(v for v in MODULES if v <= self.version)]

    def region(self, where):
        b, out = self.b[where[0]:where[0] + where[1]], b""
        while b:
            if self.b[16] == 2:
                return b
            d = zlib.decompressobj() if self.b[16] == 0 else bz2.BZ2Decompressor()
            out += d.decompress(b)
            b = d.unused_data
        return out

    def module(self, name):
        i = self.ids[name]
        return self.region(self.maps[i]), self.versions[i]

    def counted(self, name):
        b, version = self.module(name)
        if not b:
            return
        words, times, r, w, br, bw, rs, rt, ws, wt = COUNTERS[name, version]
        for at in range(0, len(b), 16 + 8 * (words + times)):
            x = struct.unpack_from(self.o + "Qq%dq%dd" % (words, times), b, at)
            c, f = x[2:2 + words], x[2 + words:]
            yield Counted(name, x[0], x[1], c[r], c[w], c[br], c[bw], (f[rs], f[ws]), (f[rt], f[wt]),
                          name == "MPIIO" and any(v > 0 for v in c[4:10]))

    def traced(self, name):
        b, version = self.module(name)
        at, size = 0, 40 if version >= (2 if name == "DXT_POSIX" else 3) else 32
        if name == "DXT_MPIIO" and version < 2:
            return
        while at < len(b):
            x = struct.unpack_from(self.o + "Qqq64sqq", b, at)
            at += 104
            segments = [struct.unpack_from(self.o + "qqdd", b, at + size * i) for i in range(x[4] + x[5])]
            at += size * len(segments)
            yield Traced(name, x[0], x[1], x[2] == -1, text(x[3]), segments[:x[4]], segments[x[4]:])

    def layouts(self):
        b, version = self.module("LUSTRE")
        at, out = 0, {}
        while at < len(b):
            if version == 1:
                x = struct.unpack_from(self.o + "Qq5q", b, at)
                osts = struct.unpack_from(self.o + "%dq" % x[6], b, at + 56)
                at += 56 + 8 * x[6]
                spans = [Span(0, 1 << 62, x[5], osts)]
            else:
                x = struct.unpack_from(self.o + "Qqqq", b, at)
                c = [struct.unpack_from(self.o + "7q", b, at + 32 + 72 * i) for i in range(x[2])]
                at += 32 + 72 * x[2]
                osts = struct.unpack_from(self.o + "%dq" % x[3], b, at)
                at += 8 * x[3]
                spans = []
                for k in c:
                    if k[0] == -1:
                        break
                    spans.append(Span(k[4], k[5] if k[5] >= 0 else 1 << 62, k[0], osts[:k[1]]))
                    osts = osts[k[1]:]
            out.setdefault(x[0], spans)
        return out

    def log(self):
        b = self.region(self.job)
        new = self.version >= (3, 41)
        x = struct.unpack_from(self.o + ("7q" if new else "5q"), b)
        lines = text(b[(56 if new else 40) + 1024:]).split("\n")
        names, at, n = {}, 0, self.region(self.names)
        while at < len(n):
            end = n.index(b"\0", at + 8)
            names[struct.unpack_from(self.o + "Q", n, at)[0]] = n[at + 8:end].decode()
            at = end + 1
        return Log(x[-1], x[1] + (x[2] / 1e9 if new else 0), lines[0].split(" ")[0].split("/")[-1] or "program",
                   [line.split("\t") for line in lines[1:] if "\t/" in line], names,
                   [c for m in ("POSIX", "STDIO", "MPIIO") for c in self.counted(m)],
                   [t for m in ("DXT_POSIX", "DXT_MPIIO") for t in self.traced(m)], self.layouts())


def libdarshan(path):
    """The same by PyDarshan, which converts old records to the newest form. It does not say which traces are shared."""
    from darshan.backend import cffi_backend as backend

    log = backend.log_open(path)
    job, modules = backend.log_get_job(log), backend.log_get_modules(log)
    counted, traced, layouts = [], [], {}

    def records(module, get):
        r = get() if module in modules else None
        while r is not None:
            yield r
            r = get()

    for module, word in (("POSIX", "POSIX"), ("STDIO", "STDIO"), ("MPI-IO", "MPIIO")):
        names = backend.counter_names(module), backend.fcounter_names(module)
        for r in records(module, lambda m=module: backend.log_get_record(log, m)):
            c, f = dict(zip(names[0], r["counters"])), dict(zip(names[1], r["fcounters"]))
            p = word + ("_INDEP" if word == "MPIIO" else "")
            counted.append(Counted(
                word, r["id"], r["rank"], *(int(c[x]) for x in (
                    p + "_READS", p + "_WRITES", word + "_BYTES_READ", word + "_BYTES_WRITTEN")),
                (f[word + "_F_READ_START_TIMESTAMP"], f[word + "_F_WRITE_START_TIMESTAMP"]),
                (f[word + "_F_READ_TIME"], f[word + "_F_WRITE_TIME"]),
                word == "MPIIO" and any(c["MPIIO_" + x] > 0 for x in (
                    "COLL_READS", "COLL_WRITES", "SPLIT_READS", "SPLIT_WRITES", "NB_READS", "NB_WRITES"))))
    for module in ("DXT_POSIX", "DXT_MPIIO"):
        for r in records(module, lambda m=module: backend.log_get_dxt_record(log, m)):
            traced.append(Traced(module, r["id"], r["rank"], False, r["hostname"], *(
                [tuple(s[k] for k in ("offset", "length", "start_time", "end_time")) for s in r[w + "_segments"]]
                for w in ("write", "read"))))
    for r in records("LUSTRE", lambda: backend.log_get_record(log, "LUSTRE")):
        spans = []
        for c in r["components"]:  # size, count, pattern, flags, extent
            size, _, _, _, start, end = (int(x) for x in c["counters"][:6])
            spans.append(Span(start, end if end >= 0 else 1 << 62, size, tuple(int(o) for o in c["ost_ids"])))
        layouts.setdefault(r["id"], spans)
    return Log(job["jobid"], job["start_time_sec"] + job["start_time_nsec"] / 1e9,
               backend.log_get_exe(log).split(" ")[0].split("/")[-1],
               [(t, p) for p, t in backend.log_get_mounts(log)], backend.log_get_name_records(log), counted, traced, layouts)


# ---- which server ---------------------------------------------------------------------------------------

def target(log, id, ost):
    path = log.names.get(id, "")
    mounts = [p for t, p in log.mounts if t == "lustre" and (path + "/").startswith(p.rstrip("/") + "/")]
    mount = max(mounts, key=len, default="").rstrip("/").split("/")[-1]
    return ("%s-" % mount if mount else "") + "OST%04x" % ost


def bytes_by_server(log, id, at, length):
    """Byte ranges of an access by server, in the order in which it comes to them; None: not known."""
    out, end = {}, at + length
    while at < end:
        spans = [s for s in log.layouts[id] if s.start <= at < s.end]
        if len(spans) != 1 or not spans[0].osts:
            return None
        s = spans[0]
        stop = min(end, s.end, (at // s.size + 1) * s.size)
        server = target(log, id, s.osts[at // s.size % len(s.osts)])
        out[server] = out.get(server, 0) + stop - at
        at = stop
    return out


def size_word(n):
    words = "1 4 16 64 256 1K 4K 16K 64K 256K 1M 4M 16M 64M 256M 1G".split()
    i = 0
    while n >= 4 and i + 1 < len(words):
        n, i = n // 4, i + 1
    return words[i]


def states(log):
    traced = {(t.id, t.rank) for t in log.traced if t.module == "DXT_POSIX"}
    posix = {i for i, _ in traced} | {c.id for c in log.counted if c.module == "POSIX"}
    collective = {c.id for c in log.counted if c.collective}
    hosts = {t.rank: t.host for t in log.traced if t.module == "DXT_POSIX"}
    for c in log.counted:
        servers = {target(log, c.id, o) for s in log.layouts.get(c.id, ()) for o in s.osts}
        if (len(servers) != 1 or c.rank < 0 or (c.module == "POSIX" and (c.id, c.rank) in traced) or
                (c.module == "MPIIO" and (c.id in posix or c.id in collective))):
            continue
        for k, (what, n, b) in enumerate((("read", c.reads, c.read), ("write", c.writes, c.written))):
            if n > 0 and b > 0 and c.times[k] > 0:
                yield ("ost-" + what, *servers, c.starts[k], c.times[k], b, n, hosts.get(c.rank, ""),
                       "%d.%d.%016x.%s" % (log.job, c.rank, c.id, what[0]), c.id,
                       "%s %s %s" % (log.exe, c.module.lower(), size_word(b // n)))
    for t in log.traced:
        if t.id not in log.layouts or (t.module == "DXT_MPIIO" and (t.id in posix or t.id in collective)):
            continue
        for what, segments in (("write", t.writes), ("read", t.reads)):
            for i, (at, length, start, end) in enumerate(segments):
                parts = bytes_by_server(log, t.id, at, length) if length > 0 else None
                for k, (server, b) in enumerate((parts or {}).items()):
                    wide = len(parts) > 1
                    yield ("ost-%s%s" % (what, "-wide" if wide else ""), server, start,
                           (end - start) * (b / length if wide else 1), b, 1, t.host,
                           "%d.%d.%016x.%s%d" % (log.job, t.rank, t.id, what[0], i) + ("/%d" % (k + 1) if wide else ""),
                           t.id, log.exe + (" trace shared" if t.shared else " trace"))


def main():
    args = sys.argv[1:]
    lib = args[0] == "--libdarshan"
    table, path = args[lib:]
    log = libdarshan(path) if lib else Raw(path).log()
    want = {}
    for kind, node, start, seconds, b, n, peer, id, file, cls in states(log):
        name = log.names.get(file, "")
        want[kind, id] = (node, round(seconds, 6), b, n, peer, cls, str(log.job), name if "read" in kind else "",
                          "" if "read" in kind else name)
    got, count = {}, 0
    for r in csv.DictReader(open(table)):
        count += 1
        got[r["state"], r["id"]] = (r["node"], round(float(r["duration"]), 6), int(r["bytes"]), int(r["records"]),
                                    r["peer"], r["class"].replace(" shared", "") if lib else r["class"], r["job"],
                                    r["in"], r["out"])
    wrong = [k for k in want.keys() | got.keys() if not same(want.get(k), got.get(k))]
    for k in sorted(wrong)[:5]:
        print(k, "limpet", got.get(k), "Python", want.get(k))
    print("%d states, %d differ" % (count, len(wrong)))
    sys.exit(bool(wrong) or count != len(want))


def same(a, b):
    return a and b and abs(a[1] - b[1]) < 2e-6 and a[:1] + a[2:] == b[:1] + b[2:]


if __name__ == "__main__":
    main()
