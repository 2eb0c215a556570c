# SPDX-License-Identifier: BSD-2-Clause
"""
Scenes: a recording or a table that is made here, what `limpet diagnose --json` makes of it, and what must be so.

    @case("a sentence: what goes in, and what comes out")
    def _():
        v = diagnose(text, "--signal", "lat")
        v.only("n2")
        eq(v.incident["cause"], "slow")

    run()      every case, one TAP line each

Everything is drawn with fixed seeds. A scene is so many calls of one process each, of some ten milliseconds.
"""
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback

O = os.environ.get("O", ".output")
NS = 1000000000
cases = []


class Rand:
    """rand() of the GNU C library (additive feedback over 31 words): the same numbers everywhere."""

    def __init__(self, seed):
        word = [seed]
        for i in range(1, 31):
            word.append(16807 * word[i - 1] % 2147483647)
        self.word, self.at = word, 3
        for _ in range(310):
            self.next()

    def next(self):
        at, word = self.at, self.word
        v = word[at] = word[at] + word[at - 3] & 0xffffffff  # of 31 draws ago and of 3
        self.at = at + 1 if at < 30 else 0
        return v >> 1

    def uniform(self):
        return self.next() / 2147483647


def case(name):
    def add(f):
        cases.append((name, f))
        return f
    return add


def run():
    failed = 0
    for name, f in cases:
        try:
            f()
            print(f"ok - {name}")
        except Exception:  # what is not there, too
            failed = 1
            print(f"not ok - {name}\n# " + traceback.format_exc().strip().replace("\n", "\n# "))
        sys.stdout.flush()
    sys.exit(failed)


def eq(got, want, what="got"):
    assert got == want, f"{what}: {got!r}, not {want!r}"


def near(got, want, within, what="got"):
    assert got is not None and abs(got - want) <= within, f"{what}: {got!r}, not {want!r} within {within}"


def between(got, low, high, what="got"):
    assert low <= got <= high, f"{what}: {got!r}, not from {low!r} to {high!r}"


def has(text, part):
    assert text and part in text, f"{text!r} does not say {part!r}"


def ns_of(text):
    """Of a time as the JSON has it."""
    whole, part = re.fullmatch(r"([^.Z]*)(?:\.(\d+))?Z", text).groups()
    at = datetime.datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=datetime.timezone.utc)
    return int(at.timestamp()) * NS + int((part or "0").ljust(9, "0"))


class Verdict:
    def __init__(self, tree, begin=0):
        self.tree = tree
        self.begin = begin  # what seconds are counted from

    def __getitem__(self, key):
        return self.tree[key]

    @property
    def incidents(self):
        return self.tree["incidents"]

    @property
    def incident(self):
        return self.incidents[0]

    @property
    def finding(self):
        return self.incident["findings"][0]

    def seconds(self, text):
        return ns_of(text) / NS - self.begin

    def servers(self, status=None):
        return [s["server"] for s in self["servers"] if status in (None, s["status"])]

    def status(self, server):
        return next(s["status"] for s in self["servers"] if s["server"] == server)

    def reason(self, server):
        return next(s["reason"] for s in self["servers"] if s["server"] == server)

    def was_judged(self, server):
        return server in self["judged"]["servers"]

    def indicted(self):
        return [i["server"] for i in self.incidents if not i["suspicious"]]

    def suspicious(self):
        return [i["server"] for i in self.incidents if i["suspicious"]]

    def notices(self, kind, server=None):
        return [n for n in self["notices"] if n["kind"] == kind and server in (None, n["server"])]

    def not_judged(self, why=""):
        return [(u["server"], s) for u in self["not_judged"] if why in u["why"] for s in u["signals"] or [None]]

    def nobody(self):
        """Nobody is indicted, nobody suspicious."""
        eq([(i["server"], i["suspicious"], i["cause"]) for i in self.incidents], [], "incidents")

    def only(self, server):
        """This one is indicted, and nobody else so much as suspicious."""
        eq([(i["server"], i["suspicious"]) for i in self.incidents], [(server, False)], "incidents")
        return self.incident


def ask(source, *options, begin=0):
    """diagnose of bytes on standard input, or of a folder."""
    command = [f"{O}/limpet", "diagnose", "--json", *options]
    if isinstance(source, bytes):
        done = subprocess.run([*command, "-"], input=source, capture_output=True, check=False)
    else:
        done = subprocess.run([*command, source], capture_output=True, check=False)
    assert done.returncode in (0, 4), f"status {done.returncode}: {done.stderr.decode()}"
    return Verdict(json.loads(done.stdout), begin)


def record(lines, to, every_s=1):
    """Series files in a folder, of lines of make_series; a row each `every_s`."""
    done = subprocess.run([f"{O}/tests/make_series", to, str(every_s * 1000)], input="".join(lines).encode(),
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def folder():
    return tempfile.TemporaryDirectory(prefix="limpet-test.")
