#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Method autodiagn against the paper's equations and algorithm 1 written down naively with numpy: single looks, and
logs with a look every three seconds at all that runs. Prints TAP."""
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
try:
    import numpy as np
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-numpy)")
    sys.exit(77)

import pipe
from pipe import apart, call, check, report

pipe.program = "numeric_autodiagn"
MAP, REDUCE = 0, 1


def scaled(x):
    return np.ones(len(x)) if np.ptp(x) == 0 else 0.1 + 0.9 * (x - x.min()) / np.ptp(x)


def look(done, age):
    p = scaled(np.asarray(done)) / scaled(np.asarray(age))
    return np.median(p), p, 1.5 * p < np.median(p)


def looks():
    worst, same, outliers = 0.0, True, 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([1, 2, 3, 4, 10, 101]))
        done, age = rng.random(n).round(2), rng.integers(0, 200, n).astype(float)
        if seed % 5 == 0:
            done[:] = done[0]
        if seed % 7 == 0:
            age[:] = age[0]
        median, p, out = look(done, age)
        got = call("look", n, done, age)
        worst = max(worst, apart(got[:n + 1], np.append(median, p)))
        same &= np.array_equal(got[n + 1:] > 0, out)
        outliers += out.sum()
    report("performance and its median", worst, 1e-12)
    check("outliers", same, f"{outliers}")


def replay(tasks, reports):
    """A dictionary: flagged, judged, first, last."""
    told = {tasks[r[0]][2] for r in reports}
    out = {}
    for job in {t[0] for t in tasks}:
        mine = [i for i, t in enumerate(tasks) if t[0] == job and t[2] in told]
        if not mine:
            continue
        begin, end = min(tasks[i][3] for i in mine), max(tasks[i][4] for i in mine)
        for now in range(begin, end + 1, 3000):
            for kind in (MAP, REDUCE):
                run = [i for i in mine if tasks[i][1] == kind and tasks[i][3] <= now < tasks[i][4]]
                if not run:
                    continue
                done = [max([(r[1], r[2]) for r in reports if r[0] == i and r[1] <= now], default=(0, 0.0))[1]
                        for i in run]
                _, _, outlier = look(np.float32(done).astype(float), [(now - tasks[i][3]) / 1e3 for i in run])
                for i, odd in zip(run, outlier):
                    o = out.setdefault(i, [0, 0, 0, 0])
                    o[1] += 1
                    if odd:
                        o[0] += 1
                        o[2] = o[2] or now
                        o[3] = now
    return out


def replays():
    same, flagged, judged = True, 0, 0
    for seed in range(12):
        rng = np.random.default_rng(200 + seed)
        tasks, reports = [], []
        for _ in range(int(rng.integers(5, 40))):
            begin = 10_000_000 + int(rng.integers(0, 60_000))
            length, node = int(rng.lognormal(10.3, 0.5)), int(rng.integers(0, 6))
            tasks.append((int(rng.integers(0, 2)), int(rng.choice([MAP, REDUCE], p=[0.8, 0.2])), node, begin,
                          begin + length))
            for t in range(2500, length, 3000):
                if node != 5 and rng.random() < 0.9:  # of the last server nothing is told
                    reports.append((len(tasks) - 1, begin + t, round(t / length, 3)))
        rng.shuffle(reports)
        reports = sorted(((int(a), int(b), c) for a, b, c in reports), key=lambda r: r[1])
        got = call("replay", len(tasks), tasks, len(reports), reports).reshape(-1, 5)
        want = replay(tasks, reports)
        same &= len(got) == len(want) and all(list(g[1:]) == want[int(g[0])] for g in got)
        flagged += sum(w[0] > 0 for w in want.values())
        judged += len(want)
    check("logs: each task's looks, how often it was an outlier, when first and last", same,
          f"{flagged} of {judged} tasks")


def main():
    looks()
    replays()
    return pipe.failed


if __name__ == "__main__":
    sys.exit(main())
