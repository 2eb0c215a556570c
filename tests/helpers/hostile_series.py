#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""hostile_series.py KIND GOOD OUT: a series file that wants more than it should, made from a good one.

GOOD is a file of schema 2 with a boot, some devices and metrics. KINDs are the functions below."""
import functools
import os
import sqlite3
import struct
import sys
import zlib

PAGE = 4096
NS = 10**9
DAY = 1795219200  # 2026-11-21T00:00:00Z
FAMILIES = ("disk", "net", "tcp", "host", "remote", "process")
HEAD = len(FAMILIES)


def varint(v):
    out = bytearray()
    while v >= 0x80:
        out.append(v & 0x7F | 0x80)
        v >>= 7
    return bytes(out + bytes([v]))


def folded(v):
    return varint(2 * v if v >= 0 else -2 * v - 1)


def constant(v):
    return b"\xff" + folded(v)


def steps(first, step, n):
    """n numbers, each `step` more than the one before: mode 1, k = 0, in full from 20 ones on."""
    bits = "".join("1" * 20 + f"{2 * step:064b}"[::-1] for _ in range(n - 1))
    bits += "0" * (-len(bits) % 8)
    return b"\x40" + folded(first) + bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))


@functools.lru_cache(maxsize=2)
def deflated(text):
    """The last blocks of a deflate stream, and their Adler-32."""
    # Megabytes that are all alike need no effort.
    z = zlib.compressobj(1 if len(text) > 1 << 20 else 6, wbits=-zlib.MAX_WBITS)
    return z.compress(text) + z.flush(), zlib.adler32(text)


def blob(number, section, text):
    """Many chunks have the same megabytes behind their numbers: these are compressed once."""
    before = varint(number) + bytes([section])
    z = zlib.compressobj(6)
    packed, adler = deflated(text)
    first = zlib.adler32(before)
    low = ((first & 0xFFFF) + (adler & 0xFFFF) - 1) % 65521
    high = ((first >> 16) + (adler >> 16) + len(text) * ((first & 0xFFFF) - 1)) % 65521
    return (varint(len(before) + len(text)) + z.compress(before) + z.flush(zlib.Z_SYNC_FLUSH) + packed +
            struct.pack(">HH", high, low))


def head(number, at, n, sections, step_ns=NS):
    columns = (steps(at, step_ns, n), steps(number, 1, n), steps(step_ns * number, step_ns, n),
               constant(0), constant(0)) if n > 1 else (constant(at), constant(number),
                                                        constant(step_ns * number), constant(0), constant(0))
    bits = sum(1 << s for s in sections) | 1 << HEAD
    text = varint(DAY * NS) + varint(n) + varint(bits) + b"".join(columns)
    return blob(number, HEAD, text + constant(3) + struct.pack("<d", step_ns / NS) * n)


def rows(names, n_metrics, metric):
    """Instances that are there in every second, each with constant values of as many metrics."""
    values = b"".join(varint(m) + b"\x00" + constant(7) for m in metric[:n_metrics])
    return varint(len(names)) + b"".join(
        varint(len(x)) + x + varint(0) + constant(1) + varint(min(n_metrics, len(metric))) + values for x in names)


class File:
    def __init__(self, good, out, skip=()):
        if os.path.exists(out):
            os.unlink(out)
        self.out = out
        src = sqlite3.connect(f"file:{good}?immutable=1", uri=True)
        self.db = sqlite3.connect(out)
        # Nobody needs the file if making it breaks off.
        for p in (f"page_size={PAGE}", "journal_mode=OFF", "synchronous=OFF", "cache_size=-100000"):
            self.db.execute("PRAGMA " + p)
        for p in ("application_id", "user_version"):
            self.db.execute(f"PRAGMA {p}={src.execute('PRAGMA ' + p).fetchone()[0]}")
        for name, sql in src.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
            if name in skip:
                continue
            self.db.execute(sql)
            if name == "chunk":
                continue
            for row in src.execute(f"SELECT * FROM {name}").fetchall():
                self.db.execute(f"INSERT INTO {name} VALUES ({','.join('?' * len(row))})", row)
        if "meta" not in skip:
            self.db.execute("DELETE FROM meta WHERE key = 'packed'")

    def metrics(self, family):
        return [r[0] for r in self.db.execute("SELECT id FROM metric WHERE family = ? ORDER BY id", (family,))]

    def chunk(self, number, at, n, sections, step_ns=NS):
        """sections: number of a family -> what stands in it."""
        last = at + (n - 1) * step_ns
        self.db.execute("INSERT INTO chunk(id, first_ns, last_ns, seconds, head) VALUES (?, ?, ?, ?, ?)",
                        (number, at, last, n, head(number, at, n, sections, step_ns)))
        for s, text in sections.items():
            self.db.execute(f'UPDATE chunk SET "{FAMILIES[s]}" = ? WHERE id = ?', (blob(number, s, text), number))

    def close(self):
        self.db.commit()
        self.db.close()

    def spin(self, table, levels, fan=400):
        """Above the leaves of a table pages that point to its first leaf again and again."""
        self.db.commit()
        root = self.db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
        self.db.close()
        b = bytearray(open(self.out, "rb").read())
        at = (root - 1) * PAGE
        while b[at] == 5:  # down to a leaf
            at = (struct.unpack(">I", b[at + struct.unpack(">H", b[at + 12:at + 14])[0]:][:4])[0] - 1) * PAGE
        assert b[at] == 13, b[at]
        b += b[at:at + PAGE]
        for level in range(levels):
            page = bytearray(PAGE)
            page[0] = 5
            child, end = len(b) // PAGE, PAGE
            for i in range(fan):
                end -= 5
                struct.pack_into(">IB", page, end, child, 1)
                struct.pack_into(">H", page, 12 + 2 * i, end)
            struct.pack_into(">HHBI", page, 3, fan, end, 0, child)
            if level == levels - 1:
                b[(root - 1) * PAGE:root * PAGE] = page
            else:
                b += page
        struct.pack_into(">I", b, 28, len(b) // PAGE)
        struct.pack_into(">I", b, 92, struct.unpack(">I", b[24:28])[0])
        open(self.out, "wb").write(b)


def spin_device(f):
    f.db.executemany("INSERT INTO device(family, name) VALUES ('disk', ?)", [(f"d{i}",) for i in range(100)])
    f.spin("device", 3)


def spin_metric(f):
    f.spin("metric", 3)


def spin_chunk(f):
    for i in range(8):
        f.chunk(1 + i, (DAY + i) * NS, 1, {})
    f.spin("chunk", 3)


def spin_boot(f):
    f.chunk(1, DAY * NS, 2, {})
    f.spin("boot", 4)


def hole(f):
    spin_device(f)
    os.truncate(f.out, 10**12)


def padded(f):
    """The apparent size of an honest day."""
    spin_device(f)
    os.truncate(f.out, 38 * 10**6)


def no_key(f):
    f.db.execute("DROP TABLE chunk")
    f.db.execute("CREATE TABLE chunk(id, first_ns, last_ns, seconds, head BLOB, disk, net, tcp, host, remote, process,"
                 " hist)")
    f.db.execute("INSERT INTO chunk(id, first_ns, last_ns, seconds, head) VALUES (1, 1, 1, 1, zeroblob(1500))")
    f.spin("chunk", 3)


def without_rowid(f):
    f.db.execute("DROP TABLE chunk")
    f.db.execute("CREATE TABLE chunk(id INTEGER PRIMARY KEY, first_ns, last_ns, seconds, head BLOB, hist BLOB)"
                 " WITHOUT ROWID")
    f.close()


def descending(f):
    """INTEGER PRIMARY KEY DESC is no row number."""
    f.db.execute("DROP TABLE chunk")
    f.db.execute("CREATE TABLE chunk(id INTEGER PRIMARY KEY DESC, first_ns, last_ns, seconds, head BLOB, hist BLOB)")
    f.close()


def generated(f):
    f.db.execute("DROP TABLE chunk")
    f.db.execute("CREATE TABLE chunk(id INTEGER PRIMARY KEY, first_ns, last_ns, seconds,"
                 " head AS (zeroblob(1000000000)), hist)")
    f.close()


def many_meta(f):
    f.db.executemany("INSERT INTO meta VALUES (?, zeroblob(100))", [(f"k{i:06}",) for i in range(100000)])
    f.close()


def large_meta(f):
    f.db.execute("UPDATE meta SET value = zeroblob(30000000) WHERE key = 'host'")
    f.close()


def large_key(f):
    f.db.execute("INSERT INTO meta VALUES (zeroblob(30000000), 1)")
    f.close()


def many_tables(f):
    columns = ",".join(f"column_{i}" for i in range(190))
    for i in range(3000):
        f.db.execute(f"CREATE TABLE t{i}({columns})")
    f.close()


def collation(f):
    """What SQLite says of it is a terminal escape."""
    f.db.execute("PRAGMA writable_schema=ON")
    f.db.execute("UPDATE sqlite_master SET sql = replace(sql, 'CREATE TABLE', 'CREATE \033]0;x\007\033[2J TABLE')"
                 " WHERE name = 'device'")
    f.close()


def trigger(f):
    f.chunk(1, DAY * NS, 2, {})
    f.db.execute("CREATE TRIGGER t AFTER INSERT ON chunk BEGIN DELETE FROM meta; END")
    f.db.execute("CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
    f.close()


def zip_bomb(f):
    """Sections of 8 kB that are inflated to 8 MB: what comes after the last value that is wanted."""
    m = f.metrics("host")
    text = (varint(1) + b"\0\0" + constant(1) + varint(len(m) + 1) + b"".join(varint(x) + b"\x00" + constant(7) for x in m) +
            bytes(8 * 1024 * 1024 - 2000))
    for i in range(400):
        f.chunk(1 + i, (DAY + i) * NS, 1, {FAMILIES.index("host"): text})
    f.close()


def many_rows(f):
    """A day of thousands of instances, constant, which packs to nothing."""
    names = [b"d%d" % i for i in range(4000)]
    text = rows(names, 20, f.metrics("disk"))
    for i in range(1440):
        f.chunk(1 + 60 * i, (DAY + 60 * i) * NS, 60, {0: text})
    f.close()


def idle_day(f):
    """As many rows as the largest server has, all constant: no file is refused for that."""
    disks = rows([b"sd%d" % i for i in range(128)], 25, f.metrics("disk"))
    remotes = rows([b"10.0.0.%d:%d" % (i, i) for i in range(256)], 25, f.metrics("remote"))
    for i in range(240):
        f.chunk(1 + 60 * i, (DAY + 60 * i) * NS, 60, {0: disks, 4: remotes})
    f.close()


def many_chunks(f):
    same = varint(DAY * NS) + varint(1) + varint(1 << HEAD)
    end = constant(0) + constant(0) + constant(2)
    times = [constant((DAY + s) * NS) for s in range(86400)]

    def stored(i):  # zlib would prepare to compress, which takes ten times as long as all else
        text = varint(1 + i) + bytes([HEAD]) + same + times[i % 86400] + constant(i) + constant(NS * i) + end
        n = len(text)
        return varint(n) + b"\x78\x01\x01" + struct.pack("<HH", n, n ^ 0xFFFF) + text + struct.pack(">I", zlib.adler32(text))

    f.db.executemany("INSERT INTO chunk(id, first_ns, last_ns, seconds, head) VALUES (?, ?, ?, 1, ?)",
                     ((1 + i, (DAY + i % 86400) * NS, (DAY + i % 86400) * NS, stored(i)) for i in range(86400 * 4)))
    f.close()


def two_days(f):
    f.chunk(1, DAY * NS, 1, {})
    f.chunk(2, (DAY + 300 * 86400) * NS, 1, {})
    f.close()


def last_time(f):
    f.chunk(1, 2**63 - 2, 1, {})
    f.close()


def millisecond(f):
    """A day that says it has a second each millisecond: a look has 10,000 places for them."""
    f.db.execute("UPDATE meta SET value = 1 WHERE key = 'interval_ms'")
    host = rows([b""], 5, f.metrics("host"))
    for i in range(100):
        f.chunk(1 + 60 * i, (DAY + 800 * i) * NS, 60, {FAMILIES.index("host"): host}, 10**6)
    f.close()


def small_pages(f):
    """Nothing is wrong with those."""
    f.chunk(1, DAY * NS, 2, {})
    f.db.commit()
    f.db.execute("PRAGMA page_size=512")
    f.db.execute("VACUUM")
    f.close()


def large_pages(f):
    f.chunk(1, DAY * NS, 2, {})
    f.db.commit()
    f.db.execute("PRAGMA page_size=65536")
    f.db.execute("VACUUM")
    f.close()


def large_wal(f):
    f.chunk(1, DAY * NS, 2, {})
    f.close()
    with open(f.out + "-wal", "wb") as wal:
        wal.truncate(10**12)


if __name__ == "__main__":
    globals()[sys.argv[1]](File(sys.argv[2], sys.argv[3]))
