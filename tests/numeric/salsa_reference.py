#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Kernel densities against scipy's gaussian_kde and numpy's quantiles, and method salsa against the papers'
algorithms written down naively: all pairs, every second. Prints TAP."""
import sys
import warnings

sys.dont_write_bytecode = True  # the tree stays as it is
warnings.simplefilter("ignore")
try:
    import numpy as np
    from scipy.spatial.distance import jensenshannon
    from scipy.stats import gaussian_kde, iqr, norm
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-scipy)")
    sys.exit(77)

import pipe
from pipe import apart, call, check, report

pipe.program = "numeric_salsa"
CELLS, FLOOR, MAP, READ = 256, 0.5, 0, 9  # rows of STATE_KINDS; FLOOR: of a map
FLOORS = {MAP: 0.5, READ: 0.05}


def weighted_quantile(x, w, q):
    """The samples' places are the middles of their weights, from 0 to 1."""
    order = np.lexsort((w, x))
    x, w = x[order], w[order]
    middle = np.cumsum(w) - w / 2
    place = (middle - middle[0]) / (middle[-1] - middle[0]) if len(x) > 1 else np.zeros(1)
    return float(np.interp(q, place, x))


def bandwidth(x, w, count, floor):
    if len(x) < 2:
        return floor
    spread = weighted_quantile(x, w, 0.75) - weighted_quantile(x, w, 0.25)
    sd = float(np.sqrt(np.cov(x, aweights=w)))
    return max(floor, 0.9 * min(sd, spread / 1.34) * count ** -0.2)


def cells(x, w, low, high, h):
    middle = np.linspace(low - 3 * h, high + 3 * h, CELLS)
    edges = np.append(middle - (middle[1] - middle[0]) / 2, middle[-1] + (middle[1] - middle[0]) / 2)
    p = np.diff((w * norm.cdf((edges[:, None] - x) / h)).sum(1))
    return p / p.sum()


def compare(nodes, least, threshold, floor, pooled=False):
    """Algorithm 2: nodes are pairs of durations and weights. Bandwidth, and for each node distance and alarm."""
    there = [i for i, (x, _) in enumerate(nodes) if len(x) >= least]
    distance, alarm = np.full(len(nodes), np.nan), np.zeros(len(nodes), bool)
    if len(there) < 3:
        return 0.0, distance, alarm
    x, w = (np.concatenate([nodes[i][k] for i in there]) for k in (0, 1))
    count = np.mean([nodes[i][1].sum() ** 2 / (nodes[i][1] ** 2).sum() for i in there])
    h = bandwidth(x, w, count, floor / 5)
    p = {i: cells(*nodes[i], x.min(), x.max(), h) for i in there}
    pool = cells(x, w, x.min(), x.max(), h)
    for i in there:
        d = np.sort([jensenshannon(p[i], p[j]) for j in there if j != i])
        majority = (len(there) - 1) // 2 + 1
        distance[i] = jensenshannon(p[i], pool) if pooled else d[-majority]
        alarm[i] = distance[i] > threshold if pooled else (d > threshold).sum() > (len(there) - 1) / 2
    return h, distance, alarm


def densities():
    worst = {"quantile": 0, "weighted": 0, "bandwidth": 0, "weighted bandwidth": 0, "cells": 0, "cdf": 0}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([1, 2, 3, 4, 7, 100, 101]))
        x, one = rng.gamma(2, 3, n).round(rng.integers(0, 4)), np.ones(n)
        w, q = rng.uniform(0.01, 1, n), float(rng.choice([0, 0.1, 0.25, 0.5, 0.75, 1]))
        worst["quantile"] = max(worst["quantile"], apart(call("quantile", n, q, x, one), np.quantile(x, q)))
        worst["weighted"] = max(worst["weighted"], apart(call("quantile", n, q, x, w), weighted_quantile(x, w, q)))
        if n > 1:
            want = max(0.1, 0.9 * min(x.std(ddof=1), iqr(x) / 1.34) * n ** -0.2)
            worst["bandwidth"] = max(worst["bandwidth"], apart(call("bandwidth", n, n, 0.1, x, one), want))
            worst["weighted bandwidth"] = max(worst["weighted bandwidth"], apart(
                call("bandwidth", n, 3, 0.01, x, w), bandwidth(x, w, 3, 0.01)))
        h, low, high = float(rng.choice([0.01, 0.3, 2])), x.min() - rng.random(), x.max() + rng.random()
        got = call("cells", n, low, high, h, x, w)
        worst["cells"] = max(worst["cells"], apart(got[2:], cells(x, w, low, high, h), 1))
        if n > 1 and np.ptp(x) > 0:
            kde = gaussian_kde(x, weights=w)
            kde.set_bandwidth(h / np.sqrt(kde.covariance[0, 0]) * kde.factor)
            at = float(rng.choice(x) + h * rng.normal())
            worst["cdf"] = max(worst["cdf"], apart(call("cdf", n, h, at, x, w),
                                                  kde.integrate_box_1d(-np.inf, at), 1))
            edge = got[0] - got[1] / 2 + got[1] * np.arange(CELLS + 1)
            box = np.array([kde.integrate_box_1d(a, b) for a, b in zip(edge, edge[1:])])
            worst["cells"] = max(worst["cells"], apart(got[2:], box / box.sum(), 1))
    report("quantiles are numpy's", worst["quantile"], 1e-12)
    report("quantiles of weighted samples", worst["weighted"], 1e-9)
    report("bandwidth is 0.9 min(sd, IQR/1.34) n^-1/5 of numpy's and scipy's", worst["bandwidth"], 1e-9)
    report("… of weighted samples, with numpy's cov", worst["weighted bandwidth"], 1e-9)
    report("cells are scipy's gaussian_kde, integrated", worst["cells"], 1e-12)
    report("distribution is scipy's gaussian_kde, integrated", worst["cdf"], 1e-12)
    p = call("cells", 2, 0, 1000, 0.1, [2.1, 502], [1, 1])[2:]
    check("a kernel narrower than a cell keeps its weight", abs(p[p > 0.4].sum() - 1) < 1e-4,
          f"{(p > 0.4).sum()} cells")


def decay(gap):
    return np.exp(-(1 / 300) * gap / ((1 / 60) * gap + 1))


def decays():
    gaps = [0, 0.5, 1, 20, 60, 3600, 1e7]
    got = call("decay", len(gaps), gaps)
    report("decay is exp(-lambda D / (alpha D + 1))", apart(got, decay(np.array(gaps))), 1e-12)
    check("a lull takes a fifth of it, and no more", abs(got[-1] - np.exp(-0.2)) < 1e-6 and min(got) >= np.exp(-0.2))


def comparisons():
    worst = {"h": 0, "distance": 0}
    alarms = [0, 0]
    same = True
    for seed in range(60):
        rng = np.random.default_rng(100 + seed)
        n, least = int(rng.choice([3, 4, 5, 10, 11])), int(rng.choice([2, 5, 10]))
        pooled = seed % 3 == 2
        nodes = []
        for i in range(n):
            k = int(rng.integers(1, 30))
            nodes.append((rng.lognormal(1, 0.5, k) * (2.5 if i == 0 else 1),
                          np.ones(k) if seed % 2 else rng.uniform(0.01, 1, k)))
        h, distance, alarm = compare(nodes, least, 0.3, FLOOR, pooled)
        args = [v for x, w in nodes for v in (len(x), x, w)]
        got = call("compare", n, least, 0.3, int(pooled), FLOOR, *args)
        worst["h"] = max(worst["h"], apart(got[0], h))
        worst["distance"] = max(worst["distance"], apart(got[2:2 + n], distance))
        same &= np.array_equal(got[2 + n:2 + 2 * n] > 0, alarm) and got[1] == (~np.isnan(distance)).sum()
        own = np.array([weighted_quantile(x, w, 0.5) for x, w in nodes])
        own[np.isnan(distance)] = np.nan
        same &= apart(got[2 + 2 * n:2 + 3 * n], own) < 1e-9
        alarms[pooled] += alarm.sum()
    report("bandwidth of a comparison", worst["h"], 1e-9)
    report("distances of a comparison are scipy's of scipy's densities", worst["distance"], 1e-7)
    check("alarms, who is compared, medians", same, f"{alarms[0]} alarms, {alarms[1]} by the pool")


def offline(states, window, threshold, least):
    """Rows of kind, node: as numeric_salsa judge."""
    begin = min(s[2] for s in states)
    ends = sorted({(s[3] - begin) // (window * 1000) if window else 0 for s in states})
    out = {}
    for kind, node in sorted({(s[0], s[1]) for s in states}):
        out[kind, node] = [0, 0, 0, 0]
    for w in ends:
        for kind in sorted({s[0] for s in states}):
            here = [s for s in states if s[0] == kind and (not window or (s[3] - begin) // (window * 1000) == w)]
            if not here:
                continue
            n = max(s[1] for s in states) + 1
            nodes = [np.array([(s[3] - s[2]) / 1e3 for s in here if s[1] == i]) for i in range(n)]
            _, distance, alarm = compare([(x, np.ones(len(x))) for x in nodes], least, threshold, FLOORS[kind])
            for i in range(n):
                if (kind, i) in out:
                    o = out[kind, i]
                    out[kind, i] = [max(o[0], len(nodes[i])), o[1] + (not np.isnan(distance[i])), o[2] + alarm[i],
                                    o[3] or int(alarm[i])]
    return out


def online(states, threshold, least):
    """Algorithms 1 and 2, a second at a time: as numeric_salsa judge."""
    n, out = max(s[1] for s in states) + 1, {}
    busy = {t for s in states for t in range(s[2] // 1000, s[3] // 1000 + 1)}
    for kind in sorted({s[0] for s in states}):
        dist = [(np.empty(0), np.empty(0)) for _ in range(n)]
        last, row, h = [0] * n, [0] * n, 0
        res = [[0] * 8 for _ in range(n)]  # most compared alarms indicted decided distance samples above
        alarm, distance, worst = np.zeros(n, bool), np.full(n, np.nan), [0] * n
        for t in range(min(busy), max(busy) + 1):
            new = sorted((s[3], s[1], (s[3] - s[2]) / 1e3) for s in states if s[0] == kind and s[3] // 1000 == t)
            for _, i, seconds in new:
                x, w = dist[i]
                if h and len(x) >= least:
                    res[i][6] += 1
                    res[i][7] += (w * norm.cdf((seconds - x) / h)).sum() / w.sum() > 0.99
                w = w * decay(t - last[i])
                x, w, last[i] = x[w >= 1e-6], w[w >= 1e-6], t
                dist[i] = np.append(x, seconds), np.append(w, 1)
                res[i][0] = max(res[i][0], len(x) + 1)
            if new:
                h, distance, alarm = compare(dist, least, threshold, FLOORS[kind])
            if t not in busy:
                continue
            for i in range(n):
                if np.isnan(distance[i]):
                    continue
                r = res[i]
                r[1] += 1
                row[i] = row[i] + 1 if alarm[i] else 0
                worst[i] = max(worst[i], distance[i]) if alarm[i] else 0
                if row[i] == 20:
                    r[2] += 19
                if row[i] >= 20:
                    r[2] += 1
                    r[4] = r[4] if r[3] else t + 1
                    r[3], r[5] = 1, max(r[5], worst[i])
        for i in range(n):
            if res[i][0]:
                out[kind, i] = res[i]
    return out


def run(rng, slow, jobs):
    """Jobs of maps and reads on 5 nodes, lulls between them."""
    states, begin = [], 1_700_000_000_000
    for _ in range(jobs):
        for node in range(5):
            for kind, mean in ((MAP, 8.0), (READ, 0.3)):
                t = begin + int(rng.integers(0, 5000))
                for _ in range(int(rng.integers(4, 14))):
                    length = int(1000 * mean * rng.lognormal(0, 0.3) * (slow if node == 2 else 1))
                    states.append((kind, node, t, t + length))
                    t += length + int(rng.integers(0, 3000))
        begin = max(s[3] for s in states) + int(rng.integers(1, 90_000))
    return states


def judgements():
    worst, same, indicted, samples = 0.0, {"offline": True, "online": True}, [0, 0], 0
    for seed in range(12):
        rng = np.random.default_rng(500 + seed)
        states = run(rng, [1, 2, 3][seed % 3], 3)
        least, threshold, window = [2, 5, 10][seed % 3], 0.35, [0, 0, 120, 300][seed % 4]
        args = [v for s in states for v in s]
        got = call("judge", 0, window, threshold, least, len(states), args).reshape(-1, 10)
        want = offline(states, window, threshold, least)
        same["offline"] &= len(got) == len(want) and all(list(g[2:6]) == want[int(g[0]), int(g[1])] for g in got)
        indicted[0] += sum(w[3] for w in want.values())
        got = call("judge", 1, 0, threshold, least, len(states), args).reshape(-1, 10)
        want = online(states, threshold, least)
        for g in got:
            w = want[int(g[0]), int(g[1])]
            same["online"] &= list(g[2:7]) == w[:5] and list(g[8:]) == w[6:]
            worst = max(worst, abs(g[7] - w[5]))
            samples += w[7]
        same["online"] &= len(got) == len(want)
        indicted[1] += sum(w[3] for w in want.values())
    check("offline: instances, windows, alarms, indictments", same["offline"], f"{indicted[0]} indicted")
    check("online: the same and when, second by second", same["online"],
          f"{indicted[1]} indicted, {samples} single samples")
    report("online: the largest distance", worst, 1e-7)


def main():
    densities()
    decays()
    comparisons()
    judgements()
    return pipe.failed


if __name__ == "__main__":
    sys.exit(main())
