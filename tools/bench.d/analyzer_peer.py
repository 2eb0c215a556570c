#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The same computations as bench/analyzer's in numpy, scipy and scikit-learn, on the same numbers.

    analyzer_peer.py score NODES ROUNDS FILE [PAIRS]   one metric of one window
    analyzer_peer.py em ROWS ITERATIONS ROUNDS FILE

Prints lines of names and numbers, as bench/analyzer does. `scipy` is the natural loop: for each pair
scipy.stats.entropy(p, q) both ways, PAIRS pairs of it (default 2,000), times as many as there are.
`rel_entr` is scipy's vectorised function, a row at a time; `numpy` the matrix product."""
import sys
import time
import warnings

import numpy as np

WINDOW, BINS, FLOOR = 64, 10, 1.0


def timed(name, rounds, f):
    ms, out = [], None
    for _ in range(rounds):
        at = time.process_time()
        out = f()
        ms.append(1e3 * (time.process_time() - at))
    print(f"{name}\t{min(ms):.6f}\t{np.median(ms):.6f}")
    return out


def edges(x):
    pooled = x.ravel()
    low, median, high = np.quantile(pooled, [0.01, 0.5, 0.99])
    least = max(FLOOR, 0.01 * abs(median))
    assert pooled.max() - pooled.min() >= least and high - low >= least
    return low, (high - low) / BINS


def fill(x, low, width):
    n = len(x)
    at = np.clip(np.floor((x - low) / width), 0, BINS - 1).astype(np.intp)
    at += BINS * np.arange(n)[:, None]
    count = np.bincount(at.ravel(), minlength=n * BINS).reshape(n, BINS)
    return (count + 0.5) / (x.shape[1] + 0.5 * BINS)


def blocks(p, most=1 << 24):
    """D' of some rows with all nodes, as a matrix product: H_i + H_j - (P L' + L P'), halved."""
    logs = np.log(p)
    h = (p * logs).sum(1)
    step = max(1, most // len(p))
    for i in range(0, len(p), step):
        rows = slice(i, i + step)
        d = p[rows] @ logs.T
        if step >= len(p):
            d = d + d.T
        else:
            d += logs[rows] @ p.T
        np.subtract(h, d, out=d)
        d += h[rows, None]
        d *= 0.5
        yield rows, d


def count(p, t):
    above = np.empty(len(p), np.intp)
    for rows, d in blocks(p):
        # of a node with itself 0, or a rounding error: never over t
        above[rows] = np.count_nonzero(d > t, axis=1)
    return above


def select(p, k):
    kth = np.empty(len(p))
    for rows, d in blocks(p):
        d[np.arange(len(d)), np.arange(rows.start, rows.start + len(d))] = -1
        kth[rows] = np.partition(d, len(p) - k, axis=1)[:, len(p) - k]
    return kth


def rel_entr_count(p, t):
    from scipy.special import rel_entr
    return np.array([np.count_nonzero(0.5 * (rel_entr(q, p) + rel_entr(p, q)).sum(1) > t) for q in p])


def scipy_pairs(p, t, pairs):
    from scipy.stats import entropy
    above = 0
    for k in range(pairs):
        i, j = k % len(p), (k * 7 + 1) % len(p)
        above += 0.5 * (entropy(p[i], p[j]) + entropy(p[j], p[i])) > t
    return above


def score(n, rounds, path, pairs=2000):
    data = np.fromfile(path)
    t, x = data[0], data[1:].reshape(n, WINDOW)
    low, width = timed("edges", rounds, lambda: edges(x))
    p = timed("fill", rounds, lambda: fill(x, low, width))
    above = timed("numpy", rounds, lambda: count(p, t))
    kth = timed("numpy_all", 1, lambda: select(p, (n - 1) // 2 + 1))
    if n <= 1000:
        other = timed("rel_entr", min(rounds, 3), lambda: rel_entr_count(p, t))
        assert (above == other).all()
    pairs = min(pairs, n * (n - 1) // 2)
    timed(f"scipy_{pairs}", min(rounds, 3), lambda: scipy_pairs(p, t, pairs))
    print(f"odd\t{np.count_nonzero(2 * above > n - 1)}\nabove\t{above.sum()}\nkth\t{kth.sum():.15g}")


def em(n, iterations, rounds, path):
    from sklearn.mixture import GaussianMixture
    dim, k = 14, 6
    with open(path, "rb") as f:
        x = np.fromfile(f, count=n * dim).reshape(n, dim)
        label = np.fromfile(f, dtype=np.uint32)
    means = np.array([x[label == i].mean(0) for i in range(k)])
    ridge = 1e-6 * np.eye(dim)
    precisions = np.array([np.linalg.inv(np.cov(x[label == i].T) + ridge) for i in range(k)])
    ms = []
    for _ in range(rounds):
        cost = []
        # the difference of two runs has no start in it
        for most in (1, 1 + iterations):
            m = GaussianMixture(k, tol=0, reg_covar=1e-6, max_iter=most, means_init=means,
                                precisions_init=precisions, weights_init=np.full(k, 1 / k),
                                init_params="random", random_state=1)
            at = time.process_time()
            m.fit(x)
            cost.append((time.process_time() - at, m.n_iter_))
        ms.append(1e3 * (cost[1][0] - cost[0][0]) / (cost[1][1] - cost[0][1]))
    print(f"em\t{min(ms):.6f}\t{np.median(ms):.6f}\nlikelihood\t{m.score(x):.12g}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    what, *rest = sys.argv[1:]
    if what == "score":
        score(int(rest[0]), int(rest[1]), rest[2], *map(int, rest[3:]))
    else:
        em(int(rest[0]), int(rest[1]), int(rest[2]), rest[3])
