#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tables on the grid against an independent reader: Python's csv module, exact fractions and numpy.

Seeded tables (jittering clocks, gaps, lines in any order, counters that are reset, instances, state
durations) and, where LIMPET_TEST_DATA is set, real ones go through the program's reader, which
test_frame_table prints the grid of; every cell must agree with what is computed here from the same
files. Prints TAP."""
import csv
import glob
import gzip
import io
import math
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from datetime import datetime, timezone
from decimal import Decimal

try:
    import numpy as np
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-numpy)")
    sys.exit(77)

O = os.environ.get("O", ".output")
DATA = os.environ.get("LIMPET_TEST_DATA")
RTOL = 1e-12
# How limpet's own metrics of several instances become one, as userspace/metrics/metrics.h says.
MERGE = {"tps": ("sum", None), "rkB/s": ("sum", None), "%util": ("max", None), "await": ("mean", "tps")}


def ns(text):
    if ":" in text:
        t = datetime.fromisoformat(text.replace("Z", "+00:00"))
        t = t if t.tzinfo else t.replace(tzinfo=timezone.utc)
        return round(t.timestamp()) * 10**9
    v = Decimal(text)
    return int(v * (10**9 if v < 10**11 else 10**6))  # seconds or milliseconds


def rows(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", newline="") as f:
        yield from csv.DictReader(f)


def number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


class Case:
    def __init__(self, paths, time="time", node="node", instance="", counters=(), interval="", window=(None, None)):
        self.paths, self.time, self.node, self.instance = paths, time, node, instance
        self.counters, self.interval, self.window = counters, interval, window

    def read(self):
        """{(node, metric, instance): [(ns, value)]} in the order of the lines."""
        series = defaultdict(list)
        self.events = False
        for path in self.paths:
            for k, row in enumerate(rows(path)):
                t = round(k * self.interval * 1e9) if self.time == "@row" else ns(row.pop(self.time))
                node = os.path.basename(path).split(".")[0] if self.node == "@file" else row.pop(self.node)
                instance = row.pop(self.instance) if self.instance else ""
                if "state" in row:
                    self.events = True
                    row = {row["state"]: row["duration"]}
                elif "metric" in row:
                    row = {row["metric"]: row["value"]}
                for metric, text in row.items():
                    v = number(text)
                    if not math.isnan(v):
                        series[node, metric, instance].append((t, v))
        return series

    def rates(self, series):
        """Sorted, one value a time, counters as rates; and how many duplicates and resets."""
        duplicates = resets = 0
        for key, values in series.items():
            values.sort(key=lambda x: x[0])
            if not self.events:
                last = dict(values)
                duplicates += len(values) - len(last)
                values = list(last.items())
            if key[1] in self.counters:
                pairs = list(zip(values, values[1:]))
                resets += sum(b[1] < a[1] for a, b in pairs)
                values = [(b[0], (b[1] - a[1]) / ((b[0] - a[0]) / 1e9)) for a, b in pairs if b[1] >= a[1]]
            series[key] = values
        return duplicates, resets

    def cells(self, series, limit, step):
        """{(metric, node, column): value}"""
        parts = defaultdict(list)  # (metric, node, column) -> [(instance, value, weight)]
        low, high = self.window
        for (node, metric, instance), values in series.items():
            how, by = MERGE.get(metric, (None, None)) if self.instance else (None, None)
            weights = dict(series.get((node, by, instance), ()))
            for t, v in values:
                if (low is None or t >= low) and (high is None or t < high):
                    w = weights.get(t, 1.0) if by else 1.0
                    parts[metric, node, (t - limit) // step].append((instance, v, w))
        out = {}
        for (metric, node, column), values in parts.items():
            how, by = MERGE.get(metric, ("sum" if metric in self.counters else "mean", None))
            if by and self.instance:
                weight = sum(w for _, _, w in values)
                if weight > 0:
                    out[metric, node, column] = math.fsum(v * w for _, v, w in values) / weight
                continue
            own = defaultdict(list)
            for instance, v, _ in values:
                own[instance].append(v)
            means = [math.fsum(x) / len(x) for x in own.values()]
            how = how if self.instance else "mean"
            out[metric, node, column] = {"sum": math.fsum(means), "max": max(means),
                                         "mean": math.fsum(means) / len(means)}[how]
        return out

    def run(self):
        low, high = ("" if x is None else str(x) for x in self.window)
        text = subprocess.run([f"{O}/tests/test_frame_table", self.time, self.node, self.instance,
                               " ".join(self.counters), str(self.interval), low, high, *self.paths],
                              check=True, capture_output=True, text=True).stdout
        lines = csv.reader(io.StringIO(text))
        head = [int(x) for x in next(lines)[0][2:].split()]
        return head, {(m, n, int(c)): float(v) for m, n, c, v in lines}

    def check(self, step_ms, single_phase=True):
        """What differs, at most ten lines of it; and how many cells there are."""
        series = self.read()
        duplicates, resets = self.rates(series)
        (first, interval, _, got_duplicates, got_resets, limit), got = self.run()
        bad = []
        if interval != step_ms:
            bad.append(f"the interval is {interval} ms, not {step_ms}")
        if (duplicates, resets) != (got_duplicates, got_resets):
            bad.append(f"duplicates, resets: {got_duplicates}, {got_resets} are not {duplicates}, {resets}")
        step = interval * 10**6
        times = np.array([t for v in series.values() for t, _ in v], dtype=np.int64)
        off = (times - limit) % step
        if single_phase and min(off.min(), (step - off).min()) < 0.2 * step:
            bad.append("a limit of columns is near a sample")
        if not limit <= first < limit + step:
            bad.append(f"the first column is named {first}, it begins at {limit}")
        want = self.cells(series, limit, step)
        for key in sorted(want.keys() | got.keys()):
            a, b = want.get(key), got.get(key)
            if a is None or b is None or abs(a - b) > RTOL * max(abs(a), abs(b)):
                bad.append(f"{key}: {b} is not {a}")
        return bad[:10], len(want)


def write(path, header, lines, rng):
    lines = [lines[i] for i in rng.permutation(len(lines))]
    text = ",".join(header) + "\n" + "\n".join(",".join(x) for x in lines) + "\n"
    with (gzip.open if path.endswith(".gz") else open)(path, "wt") as f:
        f.write(text)
    return path


def jittering(folder, rng):
    lines = []
    for n in range(7):
        for t in range(13 * n, 400):  # late starters
            if rng.random() < 0.05 or 200 < t < 200 + 5 * n:
                continue
            at = f"{1795230000 + 15 * t + rng.uniform(-2, 2):.3f}"
            lines.append([at, f"n{n}", f"{rng.gamma(2, 1e4):.17g}", "" if rng.random() < 0.3 else
                          f"{rng.normal():.6e}", rng.choice(["ok", "busy"])])
    return Case([write(f"{folder}/wide.csv.gz", ["time", "node", "a", "b", "text"], lines, rng)]), 15000


def counting(folder, rng):
    paths, lines = [], []
    for n in range(5):
        for disk in "sda", "sdb", "sdc":
            count = int(rng.integers(0, 2**45))
            for t in range(300):
                count = 0 if rng.random() < 0.02 else count + int(rng.integers(0, 10**8))
                w = rng.integers(0, 4)
                lines.append([str(1795230000000 + 5000 * t), f"n{n}", disk, "" if rng.random() < 0.1 else str(count),
                              str(w), f"{rng.gamma(2, 3):.3f}", f"{rng.uniform(0, 1e5):.2f}",
                              f"{rng.uniform(0, 100):.2f}", str(rng.integers(20, 60))])
    rng.shuffle(lines)
    header = ["ms", "host", "disk", "bytes", "tps", "await", "rkB/s", "%util", "temp"]
    for i in range(3):  # the lines of one node lie in several files
        paths.append(write(f"{folder}/part{i}.csv", header, lines[i::3], rng))
    return Case(paths, "ms", "host", "disk", ("bytes",)), 5000


def wider(folder, rng):
    lines = [[f"{1795230000 + t}", f"n{n}", m, f"{rng.normal():.9f}"]
             for n in range(4) for t in range(500) for m in ("x", "y") if rng.random() < 0.8]
    lines += lines[:50]  # the same lines again
    case = Case([write(f"{folder}/long.csv", ["time", "node", "metric", "value"], lines, rng)], interval=7,
                window=((1795230000 + 50) * 10**9, (1795230000 + 400) * 10**9))
    return case, 7000


def durations(folder, rng):
    lines = [[f"{1795230000 + rng.uniform(0, 300):.6f}", f"n{rng.integers(0, 6)}", str(rng.choice(["read", "write"])),
              f"{rng.gamma(2, 0.5):.6f}"] for _ in range(3000)]
    return Case([write(f"{folder}/events.csv", ["time", "node", "state", "duration"], lines, rng)], interval=10), 10000


def real():
    """(name, case, step_ms, single_phase)"""
    for path in sorted(glob.glob(f"{DATA}/failslow-drives/h*.csv.gz"))[:2]:
        yield f"drives of {os.path.basename(path)[:4]}", Case([path]), 15000, True
    yield ("Lustre's servers", Case([f"{DATA}/lustre-lmt/oss.csv.gz"], "timestamp", "ost_name", "",
                                    ("read_bytes_cum", "write_bytes_cum")), 5000, True)
    yield ("files without times", Case(sorted(glob.glob(f"{DATA}/peers-asd/*.csv.gz"))[-2:], "@row", "@file",
                                              interval=300), 300000, True)
    yield "writes to Lustre", Case([f"{DATA}/lustre-writes/healthy.csv"], interval=1), 1000, False


def report(name, bad, cells):
    print(f"{'not ' if bad else ''}ok - the same cells as Python reads: {name} ({cells})")
    for line in bad:
        print(f"# {line}")
    return bool(bad)


def main():
    failed = False
    with tempfile.TemporaryDirectory(prefix="limpet-numeric.") as folder:
        for seed, make, single in ((1, jittering, True), (2, counting, True), (3, wider, False), (4, durations, False)):
            case, step = make(folder, np.random.default_rng(seed))
            failed |= report(make.__name__, *case.check(step, single))
    if not DATA:
        return failed
    for name, case, step, single in real():
        failed |= report(name, *case.check(step, single))
    return failed


if __name__ == "__main__":
    sys.exit(main())
