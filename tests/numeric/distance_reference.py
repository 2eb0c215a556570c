#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Locally weighted regression against numpy's least squares with every sample, and the root of the
Jensen-Shannon divergence against scipy, single pairs and all peers of every node. Prints TAP."""
import sys
import warnings

sys.dont_write_bytecode = True  # the tree stays as it is
warnings.simplefilter("ignore")
try:
    import numpy as np
    from scipy.spatial.distance import jensenshannon
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-scipy)")
    sys.exit(77)

import pipe
from pipe import apart, call, check, report

GAP = 20


def fill(y):
    """Fig. 3 with the limits of lwlr.h, to the letter: lstsq over all samples, weights and all."""
    out, have = y.copy(), np.flatnonzero(~np.isnan(y))
    for t in np.flatnonzero(np.isnan(y)):
        before, after = have[have < t], have[have > t]
        if not len(before) or not len(after) or after[0] - before[-1] - 1 > GAP:
            continue
        distance = np.sort(np.abs(have - t))
        if len(have) < 3 or distance[2] > GAP:
            continue
        root = np.exp(-((have - t) / distance[2]) ** 2 / 4)  # of the weight
        a = np.column_stack([np.ones(len(have)), have - t])
        out[t] = np.linalg.lstsq(a * root[:, None], y[have] * root, rcond=None)[0][0]
    return out


def filling():
    for i, (n, share, level) in enumerate([(3, 0.3, 0), (4, 0.3, 5), (60, 0.1, 0), (400, 0.3, 1e6),
                                           (700, 0.8, 1), (900, 0.93, 3), (600, 0.02, 1e3)]):
        rng = np.random.default_rng(i)
        y = level + rng.normal(0, 1, n).cumsum()
        y[rng.random(n) < share] = np.nan
        if n >= 400:
            y[100:100 + GAP] = y[200:200 + GAP + 1] = np.nan
            y[[99, 100 + GAP, 199, 200 + GAP + 1]] = level
        want, got = fill(y), call("fill", n, 0, n, y)
        report(f"filled as numpy does: n={n}, {share:.0%} missing, "
               f"{np.isnan(y).sum() - np.isnan(want).sum()} filled", apart(got, want), 1e-9)
        if n >= 400:
            check("a gap of 20 is filled, one of 21 is not",
                  not np.isnan(got[100:100 + GAP]).any() and np.isnan(got[200:200 + GAP + 1]).all()
                  or share > 0.7)
            lo, hi, reach = n // 2 - 30, n // 2 + 30, 177
            part = call("fill", hi - lo + 2 * reach if lo >= reach and hi + reach <= n else n,
                        *((reach, hi - lo + reach, y[lo - reach:hi + reach])
                          if lo >= reach and hi + reach <= n else (lo, hi, y)))
            report("… and the same from the slice alone", apart(part, got[lo:hi]), 0)


def distributions(rng, n, labels, spread):
    p = rng.dirichlet(np.ones(labels), 1) * np.exp(spread * rng.normal(0, 1, (n, labels)))
    p[rng.random((n, labels)) < 0.2] = 0
    p[:, 0] += 1e-9
    return p / p.sum(1, keepdims=True)


def naive(p, k, t):
    n = len(p)
    d = np.array([[0 if i == j else jensenshannon(p[i], p[j]) for j in range(n)]
                  for i in range(n)])
    others = np.array([np.sort(np.delete(d[i], i)) for i in range(n)])
    return others, others[:, n - 1 - k], (others > t).sum(1)


def exact(p, q):
    """With 60 digits: scipy cancels where distributions are nearly equal."""
    from decimal import Decimal, getcontext
    getcontext().prec = 60
    total = Decimal(0)
    for a, b in zip(p.tolist(), q.tolist()):
        a, b = Decimal(a), Decimal(b)
        for v in (a, b):
            if v:
                total += v * (2 * v / (a + b)).ln() / 2
    return float(total.sqrt())


def distances():
    rng = np.random.default_rng(30)
    for labels in (1, 2, 7, 65):
        worst = 0
        for _ in range(20):
            p, q = distributions(rng, 2, labels, 2)
            worst = max(worst, apart(call("root", labels, p, q), jensenshannon(p, q))
                        if labels > 1 else call("root", 1, p, q)[0])
        report(f"root of JSD is scipy's, {labels} labels", worst, 1e-9)
    for step in (1e-3, 1e-6, 1e-9, 1e-12):
        p = rng.dirichlet(np.ones(7))
        q = p * (1 + step * rng.normal(0, 1, 7))
        report(f"root of JSD of distributions {step:.0e} apart",
               apart(call("root", 7, p, q), exact(p, q)), 1e-9)
    report("disjoint distributions are sqrt(ln 2) apart",
           apart(call("root", 3, [1, 0, 0], [0, 0.5, 0.5]), np.sqrt(np.log(2))), 1e-12)


def scores():
    for i, (n, labels, spread) in enumerate([(2, 7, 1), (3, 7, 1), (3, 2, 0.01), (10, 7, 0.3),
                                             (11, 7, 0), (101, 7, 1), (100, 3, 3), (64, 7, 0.05)]):
        rng = np.random.default_rng(40 + i)
        p = distributions(rng, n, labels, spread)
        p[0] = np.eye(labels)[-1]
        k = (n - 1) // 2 + 1
        for share in (0, 0.2, 0.5, 0.9):
            others, _, _ = naive(p, k, 0)
            t = float(np.quantile(others, share)) * 1.0001
            _, kth, above = naive(p, k, t)
            out = call("score", n, labels, k, t, 1, p)
            # scipy cancels below about 1e-8
            bad = apart(np.where(kth < 1e-6, 0, out[:n]), np.where(kth < 1e-6, 0, kth))
            report(f"k-th largest of {n - 1} peers, {labels} labels, spread {spread}", bad, 1e-9)
            check("… and how many are over the threshold", np.array_equal(out[n:], above),
                  f"{int(above.min())} to {int(above.max())}")
            some = call("score", n, labels, k, t, 0, p)
            check("… the same where only those over it are asked for",
                  np.array_equal(some[n:], above) and
                  apart(some[:n], np.where(above >= k, out[:n], np.nan)) == 0)


def main():
    filling()
    distances()
    scores()
    return pipe.failed


if __name__ == "__main__":
    sys.exit(main())
