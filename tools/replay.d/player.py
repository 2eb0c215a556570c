# SPDX-License-Identifier: BSD-2-Clause
"""Recordings and logs into a folder that grows, and the `limpet watch` that follows it, second by second: nothing goes on
before the program has looked and waits."""
import json
import math
import os
import re
import select
import signal
import socket
import subprocess
import urllib.request

from logs import Logs

WAIT_S = 120  # for a program that should have answered at once
GRACE_S = 5  # that watch waits for a server
JOBS_S = 15  # after the last line of a log: five looks at jobs, three seconds apart
NS = 10**9


class Failed(Exception):
    pass


def find_files(sources):
    """Series files, and pairs of all other files and their names in the new folder."""
    series, others = [], []
    for source in sources:
        if os.path.isfile(source):
            (series if source.endswith(".limpet") else others).append(
                source if source.endswith(".limpet") else (source, os.path.basename(source)))
            continue
        if not os.path.isdir(source):
            raise Failed(f"cannot read '{source}'")
        for at, folders, names in os.walk(source):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(at, name)
                if name.endswith(".limpet"):
                    series.append(path)
                elif not re.search(r"\.limpet-|\.lock$", name) and name not in ("README", "truth"):
                    others.append((path, os.path.relpath(path, source)))
    return series, others


class Growing:
    """tools/replay.d/grow, which writes series files."""

    def __init__(self, build, folder, files, options):
        self.process = subprocess.Popen([os.path.join(build, "replay", "grow"), folder, *options, "--", *files],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.hosts, self.first_ns, self.last_ns = (int(x) for x in self.answer().split())

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"grow ended with {self.process.wait()}")
        return line

    def grow(self, until_ns):
        self.process.stdin.write(f"{until_ns}\n")
        self.process.stdin.flush()
        self.answer()

    def end(self):
        self.process.stdin.close()
        if self.process.wait(WAIT_S):
            raise Failed(f"grow ended with {self.process.returncode}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Watching:
    """`limpet watch` with a clock that is told (clock.c)."""

    def __init__(self, build, limpet, folder, options, now_ns, out, err):
        told, self.tell = os.pipe()
        self.hear, says = os.pipe()
        self.port = free_port()
        env = dict(os.environ, LD_PRELOAD=os.path.join(os.path.realpath(build), "replay", "clock.so"),
                   LIMPET_CLOCK=str(now_ns), LIMPET_CLOCK_ASLEEP=str(says), LIMPET_CLOCK_TIMES=str(told),
                   ASAN_OPTIONS="verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""))
        self.process = subprocess.Popen(
            [limpet, "watch", "--json", "--listen", f"127.0.0.1:{self.port}", *options, folder],
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, pass_fds=(told, says))
        os.close(told)
        os.close(says)
        try:
            self.wait()
        except Failed:
            self.kill()
            raise

    def wait(self):
        """Until it has looked at all there is, and sleeps."""
        if not select.select([self.hear], [], [], WAIT_S)[0]:
            raise Failed(f"limpet watch did not come back within {WAIT_S} s")
        if not os.read(self.hear, 1):
            raise Failed(f"limpet watch ended with {self.process.wait()}")

    def step(self, now_ns):
        os.write(self.tell, now_ns.to_bytes(8, "little"))
        self.wait()

    def metrics(self):
        """name -> [(labels, value)], as it is served now."""
        found = {}
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=WAIT_S) as answer:
            text = answer.read().decode("ascii")
        for name, labels, value in re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", text, re.M):
            found.setdefault(name, []).append((dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)), float(value)))
        return found

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        os.close(self.tell)  # it asks the kernel for the time from now on, and finds the signal
        status = self.process.wait(WAIT_S)
        os.close(self.hear)
        if status:
            raise Failed(f"limpet watch ended with {status}")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Replay:
    """What came of one: .events, objects as watch printed them; .said, lines of standard error; .metrics at the end; and the
    whole recording in .folder."""

    def __init__(self, o, folder, at):
        self.folder = folder
        self.out, self.err = os.path.join(at, "events"), os.path.join(at, "said")
        series, others = find_files(o.sources)
        self.logs = Logs(others, o.east)
        self.growing = Growing(o.build, folder, series, self.grow_options(o)) if series else None
        if self.logs.logs and self.growing and o.midnight is not None:
            raise Failed("--midnight cannot move recordings that lie beside logs")
        if not series and self.logs.first is None:
            raise Failed("neither recordings nor logs are there")
        try:
            with open(self.out, "w") as out, open(self.err, "w") as err:
                self.run(o, out, err)
        except Failed as e:
            with open(self.err) as f:
                raise Failed(f"{e}: {f.read().strip()}") from e
        if self.growing:
            self.growing.end()
        with open(self.out) as f:
            self.events = [json.loads(line) for line in f]
        with open(self.err) as f:
            self.said = [line.strip().replace(folder, "FOLDER") for line in f]

    @staticmethod
    def grow_options(o):
        words = ["--midnight", str(o.midnight)] if o.midnight is not None else []
        for name, rules in (("--pause", o.pause), ("--drop", o.drop), ("--lag", o.lag)):
            for rule in rules:
                words += [name, rule]
        return words

    def span(self, o):
        """First and last second of the replay. It ends when watch has waited for the last interval, or else all servers would
        be silent; and when jobs have been judged."""
        first, last = [], []
        if self.growing:
            first.append(self.growing.first_ns / NS)
            last.append((math.floor(self.growing.last_ns / NS / o.hop) + 1) * o.hop + GRACE_S)
        if self.logs.first is not None:
            first.append(self.logs.first)
            last.append(self.logs.last + (1 if self.growing else JOBS_S))
        return math.floor(min(first)), math.ceil(max(last))

    def run(self, o, out, err):
        first, last = self.span(o)
        options = ["--hop", repr(o.hop)] + o.options
        watching = Watching(o.build, o.limpet, self.folder, options, first * NS, out, err)
        try:
            for now in range(first + 1, last + 1):
                self.second(now)
                watching.step(now * NS)
            self.metrics = watching.metrics()
            watching.end()
        finally:
            watching.kill()

    def second(self, now):
        """All of before `now`: the probe writes a second when it is over, and watch looks when one begins."""
        if self.growing:
            self.growing.grow(now * NS - 1)
        self.logs.grow(self.folder, now)
        for at, _, names in os.walk(self.folder):
            for name in names:
                if ".limpet" in name:
                    os.utime(os.path.join(at, name), (now, now))
            os.utime(at, (now, now))
