#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The arithmetic of method robust against an independent implementation by the definitions: plain
medians of plain lists, every peer taken out one by one, no cleverness. Prints TAP."""
import os
import subprocess
import sys
import warnings

sys.dont_write_bytecode = True  # the tree stays as it is
warnings.simplefilter("ignore")
try:
    import numpy as np
    from scipy.stats import wasserstein_distance
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-scipy)")
    sys.exit(77)

import numeric_ganesha as ng
from numeric_ganesha import apart, check, report

O = os.environ.get("O", ".output")
RTOL = 1e-9
ANY, SHARED, NEAREST, ALL, NONE = 255, 0, 1, 2, 3
nan = float("nan")


def call(command, *args):
    words = [command]
    for a in args:
        words += [f"{v:.17g}" for v in np.ravel(np.asarray(a, dtype=float))]
    done = subprocess.run([f"{O}/tests/numeric_robust"], input=" ".join(words), text=True,
                          capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"numeric_robust {command}: {done.stderr}")
    return np.array([float(w) for w in done.stdout.split()])


# ---- compare_cells ------------------------------------------------------------------------------

def versus(entities, i, cell, at, events, enough):
    """(d, weight, own, peers, id, n) of a (ln q, n) of entity i against the others in cell `at`."""
    others = [e[at] for j, e in enumerate(entities) if j != i and at in e and e[at][1] >= events
              and np.isfinite(e[at][0])]
    if len(others) < enough:
        return None
    own, n = entities[i][cell]
    peers = np.median([q for q, _ in others])
    return own - peers, min(n, np.median([m for _, m in others])), own, peers, cell, len(others)


def parts_of_class(entities, i, c, events, peers):
    at_work = sum(any(k >> 8 == c and v[1] > 0 for k, v in e.items()) for e in entities)
    enough = max(2, min(peers, at_work - 1))
    parts, how, lonely, done = [], [], False, 0
    for k in sorted(k for k in entities[i] if k >> 8 == c and k & 255 != ANY):
        q, n = entities[i][k]
        if n < events or not np.isfinite(q):
            continue
        part, kind = versus(entities, i, k, k, events, enough), SHARED
        for far in (1, 2):
            if part is None:
                near = [versus(entities, i, k, k + s, events, enough) for s in (-far, far)]
                near = [p for p in near if p is not None]
                part, kind = (min(near, key=lambda p: p[0]) if near else None), NEAREST
        if part is None:
            lonely = True
            continue
        parts.append(part)
        how.append(kind)
        done += n
    whole = c << 8 | ANY
    if (lonely or not parts) and whole in entities[i]:
        q, n = entities[i][whole]
        if n >= events and np.isfinite(q) and n > done:
            part = versus(entities, i, whole, whole, events, enough)
            if part is not None:
                parts.append((part[0], min(part[1], n - done)) + part[2:])
                how.append(ALL)
    return parts, how


def cells_by_definition(entities, events, peers):
    out = []
    for i, e in enumerate(entities):
        parts, how = [], []
        for c in sorted({k >> 8 for k in e}):
            p, h = parts_of_class(entities, i, c, events, peers)
            parts, how = parts + p, how + h
        if not parts:
            out.append([nan, nan, nan, 0, 0, 0, 0, NONE])
            continue
        parts.sort(key=lambda p: (p[0], p[4]))
        weight = np.cumsum([p[1] for p in parts])
        k = int(np.searchsorted(weight, weight[-1] / 2))
        d = parts[k][0]
        if weight[k] == weight[-1] / 2 and k + 1 < len(parts):
            d = (d + parts[k + 1][0]) / 2
        out.append([d, np.exp(parts[k][2]), np.exp(parts[k][3]), weight[-1], parts[k][4],
                    len(parts), parts[k][5], max(how)])
    return np.array(out)


def random_entities(rng, n, classes, loads, spread):
    entities = []
    for i in range(n):
        e, centre = {}, rng.integers(0, loads)
        for c in range(classes):
            if rng.random() < 0.1:
                continue
            total = 0
            for load in range(loads):
                if abs(load - centre) > spread or rng.random() < 0.2:
                    continue
                events = int(rng.integers(1, 120))
                q = rng.normal(8 + c, 0.3) if rng.random() > 0.02 else nan
                e[c * 3 << 8 | load + 120] = (q, events)
                total += events
            if total:
                e[c * 3 << 8 | ANY] = (rng.normal(8 + c, 0.2), total)
        entities.append(e if i != 1 or n < 4 else {})
    return entities


def cells():
    worst, seen, bad = 0, [0, 0, 0, 0], 0
    for case in range(160):
        rng = np.random.default_rng(case)
        n = int(rng.choice([1, 2, 3, 4, 5, 6, 7, 12, 31]))
        entities = random_entities(rng, n, int(rng.integers(1, 4)), int(rng.integers(1, 12)),
                                   int(rng.integers(0, 4)))
        events, peers = int(rng.choice([1, 30, 60])), int(rng.choice([2, 4, 6]))
        args = [n, events, peers]
        for e in entities:
            args.append(len(e))
            for k in sorted(e):
                args += [k, *e[k]]
        got = call("cells", args).reshape(n, 8)
        want = cells_by_definition(entities, events, peers)
        worst = max(worst, apart(got[:, :4], want[:, :4], np.maximum(1, np.abs(
            want[:, :4][~np.isnan(want[:, :4])]))))
        bad += int((got[:, 4:] != want[:, 4:]).sum())
        for how in want[:, 7]:
            seen[int(how)] += 1
    report(f"compare_cells: {sum(seen)} entities", worst, RTOL)
    check("compare_cells: cells, numbers and ways are the same", not bad and min(seen) > 50,
          f"shared, nearest, any, none: {seen}")


def numbers():
    worst = 0
    for case in range(100):
        rng = np.random.default_rng(1000 + case)
        n = int(rng.choice([1, 2, 3, 4, 5, 6, 50, 101]))
        x = np.where(rng.random(n) < 0.3, 0, rng.gamma(1, 10, n).round(int(rng.integers(0, 3))))
        x[rng.random(n) < 0.15] = nan
        c = float(rng.choice([0, 0.5, 64]))
        got = call("numbers", n, c, x).reshape(n, 8)
        want = np.full((n, 3), nan)
        for i in range(n):
            others = np.delete(x, i)
            others = others[~np.isnan(others)]
            if np.isnan(x[i]) or len(others) < 2 or x[i] + c <= 0 or np.median(others) + c <= 0:
                continue
            m = np.median(others)
            want[i] = np.log((x[i] + c) / (m + c)), x[i], m
        scale = np.maximum(1, np.abs(want[~np.isnan(want)]))
        worst = max(worst, apart(got[:, :3], want, scale))
    report("compare_numbers: 100 cases", worst, RTOL)


def low(b, bits):
    octave = b >> bits
    return b if octave < 2 else ((b & (1 << bits) - 1) + (1 << bits)) << (octave - 1)


def w1():
    worst = 0
    for case, (n, bits) in enumerate([(256, 3)] * 20 + [(512, 5), (128, 3), (1, 3), (2, 3)]):
        rng = np.random.default_rng(2000 + case)
        a, b = (np.zeros(n, dtype=int) for _ in range(2))
        for h in (a, b):
            at = np.clip(rng.normal(n * rng.random(), n / 12, 400).astype(int), 0, n - 1)
            np.add.at(h, at[:int(rng.integers(1, 400))], int(rng.integers(1, 10 ** 6)))
        x = np.log([(low(k, bits) + low(k + 1, bits)) / 2 for k in range(n)])
        want = wasserstein_distance(x, x, a, b)
        worst = max(worst, apart(call("w1", n, bits, a, b), [want], 1))
    report("compare_w1: scipy.stats.wasserstein_distance", worst, RTOL)
    empty = np.zeros(256)
    check("compare_w1: nothing is NaN", np.isnan(call("w1", 256, 3, empty, empty + 1))[0] and
          np.isnan(call("w1", 256, 3, empty + 1, empty))[0])


# ---- track --------------------------------------------------------------------------------------

NAMES = ("apart", "votes", "of", "z", "ratio", "sigma_min", "spread", "offset", "offset_max",
         "offset_min", "offset_hops", "few_ratio", "few_votes", "few_of", "slow_min", "slow_max",
         "slow_z", "slow_ratio", "slow_sigma")
DEFAULT = dict(zip(NAMES, (3, 3, 5, 4, 1.3, 0.0606, 8, 1, 0.405465, 12, 8640, 2, 5, 7, 20, 360, 4,
                           1.15, 0.0296)))


class Track:
    def __init__(self, n, p):
        self.n, self.p = n, p
        self.d = np.full((n, 0), nan)
        self.looks = [[] for _ in range(n)]  # of judged windows: dict
        self.learnt = [[] for _ in range(n)]  # (push, clipped and stepped d)
        self.odd, self.slow = [False] * n, [None] * n

    def b(self, i, push):
        if not self.p["offset"]:
            return 0
        half = int(self.p["offset_hops"]) // 2
        kept = [x for w, x in self.learnt[i] if push // half - w // half <= 1]
        return float(np.median(kept)) if len(kept) >= max(self.p["offset_min"], 1) else 0

    def sigma(self, i, b):
        recent = self.d[:, -int(self.p["spread"]):]
        away = [abs(x - b[j]) for j in range(self.n) if j != i for x in recent[j] if x == x]
        return max(self.p["sigma_min"], 1.4826 * np.median(away)) if away else self.p["sigma_min"]

    def votes(self, i, push, low_):
        of = int(self.p["few_of" if low_ else "of"])
        last = [x for x in self.looks[i][-of:] if push - x["push"] <= 3 * of]
        flagged = [x["push"] for x in last if x["flagged"]]
        need = self.p["few_votes" if low_ else "votes"]
        complete = bool(flagged and flagged[-1] == push and len(flagged) >= need and
                        flagged[-1] - flagged[0] >= self.p["apart"])
        return len(flagged), len(last), complete

    def learn(self, i, push):
        """The window `delay` judged ones ago, if all is quiet as far before as after it."""
        delay = int(max(self.p["of"], self.p["few_of"]))
        past = self.looks[i]
        if not self.p["offset"] or len(past) <= delay:
            return
        around = past[-(2 * delay + 1):]
        loud = any(x["flagged"] or x["odd"] or x["chronic"] for x in around)
        # what is before a gap is as a flag
        if not loud and not any(x["gap"] for x in around[1:]):
            step = self.p["offset_max"] / 162
            x = np.clip(np.floor(past[-1 - delay]["d"] / step + 0.5), -162, 162) * step
            self.learnt[i].append((push, x))

    def slow_test(self, push):
        p, D = self.p, {}
        for i, past in enumerate(self.looks):
            if len(past) >= p["slow_min"] and push - past[-1]["push"] <= p["slow_max"]:
                last = past[-int(p["slow_max"]):]
                x = np.array([v["d"] for v in last]).astype(np.float32).astype(float)
                error = 1.2533 * 1.4826 * np.median(np.abs(x - np.median(x))) / \
                    np.sqrt(max(1, len(x) / p["apart"]))
                parts = [x[len(x) * k // 3:len(x) * (k + 1) // 3] for k in range(3)]
                least = min(np.median(part) for part in parts) if len(x) >= 3 else np.inf
                D[i] = (np.median(x), len(x), 2 * sum(v["excess"] for v in last) >= len(x), error,
                        least)
        self.slow = [None] * self.n
        for i in D if len(D) >= 5 else ():
            peers = np.array([D[j][0] for j in D if j != i])
            m = np.median(peers)
            few = {2: 1.196, 3: 1.495, 4: 1.363, 5: 1.206, 6: 1.2, 7: 1.14, 8: 1.129, 9: 1.107}
            k = len(peers)
            sigma = max(p["slow_sigma"], D[i][3],
                        1.4826 * few.get(k, k / (k - 0.8)) * np.median(np.abs(peers - m)))
            z, ratio = (D[i][0] - m) / sigma, np.exp(D[i][0] - m)
            self.slow[i] = (D[i][0], z, ratio, sigma, z >= p["slow_z"] and
                            ratio >= p["slow_ratio"] and D[i][2] and
                            D[i][4] - m >= np.log(p["slow_ratio"]), D[i][1])

    def push(self, push, d, excess):
        p, out = self.p, [None] * self.n
        here = [i for i in range(self.n) if d[i] == d[i]]
        here = here if len(here) >= 3 else []
        usual, low_ = [self.b(i, push) for i in range(self.n)], len(here) < 5
        b = [max(0, x) for x in usual]
        common = np.median([d[i] - usual[i] for i in here]) if here else 0
        self.d = np.column_stack([self.d, [d[i] - common if i in here else nan
                                           for i in range(self.n)]])
        for i in here:
            s = self.sigma(i, usual)
            z, ratio = (d[i] - b[i]) / s, np.exp(d[i] - b[i])
            flagged = bool(excess[i] and z >= p["z"] and
                           ratio >= p["few_ratio" if low_ else "ratio"])
            gap = bool(self.looks[i]) and push - self.looks[i][-1]["push"] > 3 * p["of"]
            self.looks[i].append({"push": push, "d": d[i], "flagged": flagged, "gap": gap,
                                  "excess": excess[i]})
            flags, of, complete = self.votes(i, push, low_)
            need = int(p["few_of" if low_ else "of"])
            last = self.looks[i][-need:]
            quiet = len(last) == need and not any(x["flagged"] for x in last)
            self.odd[i] = complete or (self.odd[i] and not gap and not quiet)
            self.looks[i][-1]["odd"] = self.odd[i]
            out[i] = [1, d[i], b[i], s, z, ratio, flagged, self.odd[i], flags, of, low_]
        if push % p["apart"] == 0:
            self.slow_test(push)
        for i in range(self.n):
            slow = self.slow[i] or (nan, nan, nan, nan, False, 0)
            if out[i] is None:
                out[i] = [0] + [nan] * 5 + [0] * 5 + [nan] * 4 + [0, 0]
                continue
            out[i] += slow
            self.looks[i][-1]["chronic"] = slow[4]
            self.learn(i, push)
        return np.array(out, dtype=float)


def random_d(rng, n, windows):
    d = rng.normal(0, rng.choice([0.02, 0.08, 0.3]), (n, windows)) + \
        rng.normal(0, 0.1, n)[:, None] * (rng.random() < 0.7)
    for _ in range(int(rng.integers(0, 5))):  # faults: steps, bursts, all the time, ramps
        i, at = rng.integers(0, n), rng.integers(0, windows)
        length = rng.choice([2, 6, 40, windows])
        d[i, at:at + length] += rng.choice([0.2, 0.4, 1, 3]) * \
            (np.linspace(0, 1, len(d[i, at:at + length])) if rng.random() < 0.3 else 1)
    d[rng.random((n, windows)) < rng.choice([0, 0.05, 0.4])] = nan
    for _ in range(int(rng.integers(0, 4))):  # NaN runs: one's, everybody's, all but three's
        at, length = rng.integers(0, windows), rng.choice([3, 17, 30, 70])
        who = [[int(rng.integers(0, n))], range(n), range(3, n)][int(rng.integers(0, 3))]
        d[list(who), at:at + length] = nan
    return d


def track():
    worst, bad, seen = 0, 0, np.zeros(17)
    for case in range(60):
        rng = np.random.default_rng(3000 + case)
        n, windows = int(rng.choice([1, 2, 3, 4, 5, 6, 7, 13])), int(rng.choice([40, 150, 260]))
        p = dict(DEFAULT)
        if case % 3 == 1:
            p.update(offset_hops=60, slow_max=50, apart=1, spread=1, offset=case % 2)
        if case % 3 == 2:
            p.update(offset_hops=int(rng.integers(2, 90)), offset_min=3, slow_min=7, slow_max=64,
                     of=9, votes=4, apart=2, spread=5, offset_max=0.2)
        d, excess = random_d(rng, n, windows), rng.random((n, windows)) < rng.choice([1, 0.7, 0.4])
        got = call("track", n, windows, [p[k] for k in NAMES],
                   np.hstack([d.T, excess.T])).reshape(windows, n, 17)
        ref = Track(n, p)
        want = np.stack([ref.push(w + 1, d[:, w], excess[:, w]) for w in range(windows)])
        real = [1, 2, 3, 4, 5, 11, 12, 13, 14]
        scale = np.maximum(1, np.abs(want[..., real][~np.isnan(want[..., real])]))
        worst = max(worst, apart(got[..., real], want[..., real], scale))
        flags = [k for k in range(17) if k not in real]
        differ = np.argwhere(got[..., flags] != want[..., flags])
        bad += len(differ)
        if len(differ) and bad == len(differ):
            w, i, k = differ[0]
            print(f"# case {case} window {w} entity {i} field {flags[k]}: {got[w, i]} is not "
                  f"{want[w, i]}")
        seen += (np.nan_to_num(want) != 0).sum(axis=(0, 1))
    what = dict(zip(("judged", "offset", "flagged", "odd", "low", "chronic"),
                    seen[[0, 2, 6, 7, 10, 15]].astype(int).tolist()))
    report("track: d, offset, sigma, z, ratio and the slow test", worst, RTOL)
    check("track: every flag, vote and verdict is the same",
          not bad and min(what.values()) > 100, f"{what}, {bad} differ")


if __name__ == "__main__":
    cells()
    numbers()
    w1()
    track()
    sys.exit(ng.failed)
