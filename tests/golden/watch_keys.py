# SPDX-License-Identifier: BSD-2-Clause
"""The keys of `limpet watch` in a terminal, and fifty servers for it: watch_keys.py feed STOP | make_series FOLDER;
watch_keys.py CASE LIMPET FOLDER."""
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from terminal import Terminal  # noqa: E402

SERVERS, BACK_S = 50, 240
SLOW, SLOWER = 17, 33
SLOW_S, SLOWER_S = 120, 60  # ago, when they became it


def second(t, now, rng):
    for i in range(1, SERVERS + 1):
        bad = (i == SLOW and t >= now - SLOW_S) or (i == SLOWER and t >= now - SLOWER_S)
        name = "srv-%d" % i
        wait = rng.uniform(60, 65) if bad else rng.uniform(0, 4)
        print("%d,%s,%%smem,,%.2f" % (t, name, wait))
        print("%d,%s,draw:read,sdb,40 8" % (t, name))


def feed(stop):
    """As the clock goes, until the file is there."""
    rng = random.Random(1)
    now = t = int(time.time())
    for t in range(now - BACK_S, now + 1):
        second(t, now, rng)
    while not os.path.exists(stop):
        sys.stdout.flush()
        time.sleep(0.2)
        while t < int(time.time()):
            t += 1
            second(t, now, rng)


def servers(t):
    """Those of the table, from the top."""
    return [line.split()[0] for line in t.lines() if line.startswith("srv-") and " limps" not in line]


def opened(limpet, folder, rows=24, cols=80, ready="judged until", **more):
    t = Terminal([limpet, "watch", folder], rows, cols, **more)
    t.wait(ready)
    return t


def enter_opens_one(limpet, folder):
    t = opened(limpet, folder)
    t.wait("srv-%d limps: memory-pressure" % SLOWER)
    t.wait(lambda t: servers(t)[:2] == ["srv-%d" % SLOW, "srv-%d" % SLOWER])
    t.send("\x1b[B\x1b[B\r")  # at once: the second one
    t.wait("q go back")
    page = t.text()
    for words in ("srv-%d limps: memory-pressure" % SLOWER, "why: tasks wait for memory", "\nsince ",
                  "* memory pressure", "signals", "peers", "  read latency of sdb"):
        assert words in page, "no %r:\n%s" % (words, page)
    assert "srv-%d " % SLOW not in page, page
    before = t.lines()[0]
    assert before.startswith(" srv-%d " % SLOWER), before
    until = before.split("judged until ")[1]
    t.wait(lambda t: t.lines()[0].split("judged until ")[-1] > until)  # it stays live
    t.resize(10, 80)
    t.wait("1-8 of ")
    t.send("\x1b[F")
    t.wait(lambda t: "1-8 of " not in t.text() and " of " in t.lines()[9])
    first, rest = t.lines()[9].split("-", 1)
    last, _, lines = rest.split()[:3]
    assert last == lines and int(lines) - int(first) == 7, t.text()
    for back in ("\x1b", "q", "\r"):
        t.send(back)
        t.wait("q quits" if back != "\r" else "quits")
        assert t.chosen() == "srv-%d" % SLOWER, t.chosen()
        t.send("\r")
        t.wait("q go back")
    t.send("q")
    t.wait("Enter opens")
    t.send("q")
    assert t.end() == 0, t.status


def a_part_of_a_name(limpet, folder):
    t = opened(limpet, folder)
    t.send("/")
    t.wait("/_  50 of 50 servers")
    t.send("SRV-4")
    t.wait("/SRV-4_  11 of 50 servers")
    assert set(servers(t)) <= {"srv-4"} | {"srv-%d" % i for i in range(40, 50)}, t.text()
    t.send("q\x9b\x7f\x1b[31")  # bytes for a terminal are letters, or keys that mean nothing
    t.wait("/SRV-4q_  0 of 50 servers")
    assert "no server's name has this in it" in t.text(), t.text()
    t.send("m\x7f2")
    t.wait("/SRV-42_  1 of 50 servers")
    t.send("\r")
    t.wait("/SRV-42  1 of 50 servers  Esc lists all")
    t.send("\r")
    t.wait("q go back")
    assert t.lines()[0].startswith(" srv-42 "), t.text()
    t.send("\x1b")
    t.wait("Esc lists all")
    t.send("\x1b")
    t.wait("Enter opens")
    assert len(servers(t)) > 5 and t.chosen() in (None, "srv-42"), t.text()
    t.send("q")
    assert t.end() == 0, t.status


def orders(limpet, folder):
    t = opened(limpet, folder)
    t.wait("srv-%d limps" % SLOWER)
    by_name = ["srv-%d" % i for i in range(1, SERVERS + 1)]
    for word, column in (("by name", None), ("oldest trouble", "trouble"), ("oldest data", "data"), ("odd first", None)):
        t.send("s")
        t.wait(word)
        shown = servers(t)
        if column:
            assert any(line.startswith("server") and " %s " % column in line for line in t.lines()), t.text()
        if word == "oldest trouble":
            ages = [line.split()[1:3] for line in t.lines() if line.startswith("srv-") and " limps" not in line]
            assert shown[:2] == ["srv-%d" % SLOW, "srv-%d" % SLOWER] and ages[0][1] == "s" and ages[2][0] == "-", t.text()
            assert int(ages[0][0]) > int(ages[1][0]), t.text()
        if word in ("by name", "oldest data"):
            assert shown == by_name[: len(shown)], t.text()
    # every server can be reached
    t.send("s\x1b[F")
    t.wait(by_name[-1])
    assert t.chosen() == by_name[-1], t.text()
    seen = set(servers(t))
    for _ in range(9):
        at = t.chosen()
        t.send("\x1b[5~")
        t.wait(lambda t: t.chosen() != at or at == by_name[0])
        seen |= set(servers(t))
    assert seen == set(by_name), set(by_name) - seen
    t.send("q")
    assert t.end() == 0, t.status


def keys_are_shown(limpet, folder):
    t = opened(limpet, folder)
    assert t.lines()[23] == "arrows PgUp PgDn move  Enter opens  / finds  s sorts  ? keys  q quits", t.text()
    t.send("?")
    t.wait("list the servers with a part of a name")
    assert "Marks of values:" in t.text(), t.text()
    t.send("?")
    t.wait("Enter opens")
    t.send("\r?")
    t.wait("list the servers")
    t.send("\x1b")
    t.wait(lambda t: "signals " in t.text() and "q go back" in t.text())
    t.send("qq")
    assert t.end() == 0, t.status


def small_and_resized(limpet, folder):
    t = opened(limpet, folder, 10, 40, "srv-1")
    assert t.lines()[9] == "Enter opens  / finds  s sorts  ? q quits", t.text()
    assert len(servers(t)) >= 3, t.text()
    t.send("/9\r\r")
    t.wait(" srv-9 ")
    t.send("q")
    t.wait("/9  5 of 50 servers")
    for rows, cols in ((50, 200), (1, 1), (24, 80), (3, 20), (12, 60)):
        at = time.monotonic()
        t.resize(rows, cols)
        t.wait(lambda t: any(map(any, t.screen.reversed)))
        assert time.monotonic() - at < 30
        t.read(1.2)  # and the pictures after it, which must not leave the window
    t.wait("srv-9")
    t.send("qq")
    assert t.end() == 0, t.status


def any_bytes(limpet, folder, n=10000, seed=1):
    """Any bytes but those with which a terminal sends signals. Who quits is started anew."""
    rng = random.Random(seed)
    words = [b"\x1b[A", b"\x1b[B", b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1b[F", b"\x1b", b"\r", b"/", b"s", b"?", b"1"]
    t, quits, sent = opened(limpet, folder), 0, 0
    while sent < n:
        keys = b"".join(
            rng.choice(words) if rng.random() < 0.7 else bytes([rng.choice([b for b in range(256) if b not in (3, 17, 19, 22, 26, 28)])])
            for _ in range(rng.randrange(1, 40))
        )
        t.send(keys)
        sent += len(keys)
        if rng.random() < 0.05:
            t.resize(rng.choice((1, 2, 5, 10, 24, 60)), rng.choice((1, 7, 40, 80, 200)))
        if not t.read(0.02):
            assert t.status == 0, "status %s after %r\n%s" % (t.status, keys, t.raw[-2000:].decode("latin1"))
            t, quits = opened(limpet, folder), quits + 1
    if not t.read(3):  # the last keys, too
        t = opened(limpet, folder)
    t.resize(24, 80)
    t.wait("judged until")
    # out of everything: typing, the keys, a server
    t.send("\x1b")
    t.read(0.5)
    t.send("\x1b")
    t.read(0.5)
    t.send("\x1b")
    t.wait("Enter opens")
    t.send("q")
    assert t.end() == 0, t.status
    return "%d bytes, %d times quit" % (sent, quits)


if __name__ == "__main__":
    if sys.argv[1] == "feed":
        feed(sys.argv[2])
    else:
        print(globals()[sys.argv[1]](*sys.argv[2:4], *map(int, sys.argv[4:])) or "done")
