#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Evidence from counts, and evidence combined, against scipy's distributions. Prints TAP."""
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
try:
    import numpy as np
    from scipy import stats
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-scipy)")
    sys.exit(77)

import pipe
from pipe import apart, call, check, report

pipe.program = "numeric_evidence"

RTOL = 1e-8
NONE, SUSPICIOUS, INDICTED = 0, 1, 2
LEAST, MOST, DF_COUNTS, DF_NORMAL = 1e-14, 4, 200, 1e6
nan, inf = float("nan"), float("inf")
rng = np.random.default_rng(20240611)


def deviate(p, df):
    """The t that is exceeded with chance p, of chances that are told apart. Tails of scipy's t err near 1: by symmetry."""
    p = min(max(p, LEAST), 1 - LEAST)
    return -stats.t.isf(1 - p, df) if p > 0.5 else stats.t.isf(p, df)


def count_level(hits, expected, p, chance, times, few=0):
    if p > 10 * chance or hits < times * expected or hits < few:
        return NONE
    return INDICTED if p <= chance else SUSPICIOUS


def counted(hits, expected, p, chance, times, few=0):
    return [count_level(hits, expected, p, chance, times, few), np.log(hits / expected) if hits else -inf, p,
            deviate(p, DF_COUNTS), stats.t.isf(chance, DF_COUNTS), DF_COUNTS]


def same(got, want):
    """Infinite where the other one is; else how far apart."""
    got, want = np.ravel(got), np.ravel(want).astype(float)
    infinite = np.isinf(want)
    if not np.array_equal(got[infinite], want[infinite]):
        return inf
    return apart(got[~infinite], want[~infinite])


# ---- counts -------------------------------------------------------------------------------------

def binomial(hits, expected, of, chance, times, few):
    return counted(hits, expected, stats.binom.sf(hits - 1, of, min(0.9, expected / of)), chance, times, few)


worst, levels = 0, set()
for _ in range(120):
    of = int(rng.integers(1, 400))
    args = (int(rng.integers(0, min(of, 40) + 1)), of * 10 ** rng.uniform(-3.3, -0.5), of, 10 ** rng.uniform(-5, -2), 2,
            int(rng.integers(0, 4)))
    want = binomial(*args)
    levels.add(want[0])
    if want[2] < 1e-13 or want[2] > 1 - 1e-6:  # where a sum of tails, or its complement, has no digits
        continue
    worst = max(worst, same(call("binomial", *args), want))
report("more of n than their share: tail, deviate and level as scipy's binomial distribution has them", worst, RTOL)
check("of these some are indicted, some suspicious, most neither", levels == {NONE, SUSPICIOUS, INDICTED})

worst = 0
for _ in range(120):
    burst = rng.choice([1, 5])
    hits, expected = int(rng.integers(0, 200)), rng.uniform(0, 60)
    chance = 10 ** rng.uniform(-5, -2)
    p = stats.poisson.sf(np.floor(hits / burst) - 1, max(1, expected / burst))
    if p > 1e-10 and p < 1 - 1e-6:  # the tail is one less what is below it
        got = call("poisson", hits, expected, burst, 1, chance, 3)
        worst = max(worst, same(got[[0, 1, 4, 5]], np.array(counted(hits, expected, p, chance, 3))[[0, 1, 4, 5]]),
                    apart(got[2:4], [p, deviate(p, DF_COUNTS)]) * 1e-4)
report("more bursts than expected: as scipy's Poisson distribution has them", worst, RTOL)


def fewer(hits, expected, chance, prior, prior_df, gate):
    """Each beside the others that may serve as a yardstick: by the definition, every one taken out."""
    m = np.array([deviate(stats.poisson.cdf(h, e), DF_NORMAL) / np.sqrt(e) for h, e in zip(hits, expected)])
    g, own = np.log((expected + 0.5) / (hits + 0.5)), 1 / expected
    u = m - np.median(m)
    low = np.sort(u)[:len(u) - len(u) // 3]
    factor = [1.704, 1.583, 1.499, 1.879, 1.779, 1.700, 1.950, 1.872, 1.806, 1.993][len(u) - 3]
    usual = np.median(own)
    known = usual + prior ** 2
    core = u <= 3 * np.sqrt(max(factor * np.var(low, ddof=1), 0.0295588 ** 2 / 4, known))
    out = []
    for i in range(len(u)):
        others = core & (np.arange(len(u)) != i)
        n = others.sum()
        seen = 1.03 * np.var(u[others], ddof=1)
        df = prior_df + n - 1
        v = max(seen, (prior_df * known + (n - 1) * seen) / df, 0.0295588 ** 2)
        t = (u[i] - u[others].mean()) / np.sqrt(v * (1 + 1 / n) + max(0, own[i] - usual))
        effect, needs = g[i] - g[others].mean(), stats.t.isf(chance / len(u), df)
        sure = t >= needs or t >= stats.t.isf(min(0.4, 10 * chance / len(u)), df)
        level = NONE if effect < gate or not sure else INDICTED if t >= needs else SUSPICIOUS
        out += [level, effect, stats.t.sf(t, df), t, needs, df]
    return out


worst, levels = 0, set()
for _ in range(60):
    n = int(rng.integers(4, 12))
    expected = rng.uniform(4, 60, n)
    hits = rng.poisson(expected)
    hits[0] = rng.poisson(expected[0] * rng.choice([0.1, 0.4, 1]))
    args = (0.005, 0.15, 12, np.log(2))
    want = fewer(hits, expected, *args)
    levels.add(want[0])
    worst = max(worst, apart(call("fewer", n, *args, np.column_stack((hits, expected))), want, 1))
report("fewer than expected, each beside the others: as by the definition", worst, 1e-7)
check("of these some are indicted", {NONE, INDICTED} <= levels)

# ---- one mean beside others ----------------------------------------------------------------------

worst = 0
for _ in range(100):
    n, prior, prior_df, chance = int(rng.integers(3, 9)), 0.2, 4, 10 ** rng.uniform(-5, -2)
    peers, x = rng.normal(0, rng.uniform(0.01, 1), n), rng.normal(0.5, 1)
    m = np.median(peers)
    df = n - 1 + prior_df
    v = max(prior ** 2, (prior_df * prior ** 2 + ((peers - m) ** 2).sum()) / df)
    t = (x - m) / np.sqrt(v * (1 + 1 / n))
    needs = stats.t.isf(chance, df)
    level = INDICTED if t > needs and x - m >= 0.26236426 else NONE
    worst = max(worst, apart(call("mean", x, n, chance, prior, prior_df, peers),
                             [level, x - m, stats.t.sf(t, df), t, needs, df]))
report("one mean beside its peers' and what is expected of them: as by the definition", worst, RTOL)
check("beside one peer nothing is judged", np.isnan(call("mean", 1, 1, 0.01, 0.2, 4, 0)[3]))

# ---- combined ------------------------------------------------------------------------------------

worst = max(apart(call("deviate", p), max(-MOST, min(MOST, deviate(p, DF_NORMAL))), 1) for p in rng.uniform(0, 1, 100) ** 3)
report("a chance as a normal deviate: as scipy has it", worst, RTOL)
check("and never more than four, whatever the chance",
      [call("deviate", p)[0] for p in (0, 1e-300, 1e-14, 1, nan)] == [4, 4, 4, -4, 4])

worst, levels = 0, set()
for _ in range(100):
    total, n, deviation, effect = rng.normal(5, 6), int(rng.integers(1, 12)), rng.choice([1, 1.15]), rng.uniform(0, 1.2)
    gate, chance = rng.choice([0.26236426, 0.69314718]), 10 ** rng.uniform(-5, -2)
    t = total / np.sqrt(n) / deviation
    needs, maybe = (deviate(p, DF_NORMAL) for p in (chance, 10 * chance))
    level = NONE if effect < 0.26236426 or t < maybe else INDICTED if t >= needs and effect >= gate else SUSPICIOUS
    levels.add(level)
    worst = max(worst, apart(call("sum", total, effect, n, deviation, gate, 0.26236426, chance),
                             [level, effect, stats.t.sf(t, DF_NORMAL), t, needs, DF_NORMAL]))
report("deviates that add up (Stouffer): as scipy's distribution has them", worst, 1e-6)
check("of these some are indicted, some suspicious", levels == {NONE, SUSPICIOUS, INDICTED})

worst = 0
for _ in range(100):
    p, df = 10 ** rng.uniform(-12, 0, 2) * 0.4, rng.uniform(1, 200, 2)
    t = stats.t.isf(p, df)
    want = stats.combine_pvalues(stats.t.sf(t, df), method="fisher")[1]
    worst = max(worst, apart(call("both", t[0], df[0], t[1], df[1]), want))
report("two chances (Fisher): as scipy combines them", worst, RTOL)
check("the chance of both is not known where one is not", np.isnan(call("both", nan, 3, 2, 3)[0]))
check("one of 1e-300 leaves a number", 0 < call("both", stats.t.isf(1e-300, 5), 5, 0, 3)[0] < 1e-296)

# ---- bounds --------------------------------------------------------------------------------------

got = call("binomial", 0, 2, 10, 0.01, 2, 0)
check("no hits: a chance of one, and no evidence", got[0] == NONE and got[2] > 1 - 1e-12 and got[3] < -6)
got = call("binomial", 10, 9.99, 10, 0.5, 1, 0)
check("a share near one counts as 0.9", abs(got[2] / 0.9 ** 10 - 1) < 1e-9)
got = call("binomial", 400, 1, 400, 0.001, 2, 3)
check("a chance below 1e-300 is a finite deviate",
      got[0] == INDICTED and got[2] < 1e-300 and abs(got[3] - deviate(LEAST, DF_COUNTS)) < 1e-6)
got = call("poisson", 1e5, 3, 5, 1, 0.001, 3)
check("so is that of a hundred thousand slow packets", got[0] == INDICTED and np.isfinite(got[3]))
for name, args in (("binomial", (nan, 1, 10, 0.01, 2, 0)), ("binomial", (3, nan, 10, 0.01, 2, 0)),
                   ("binomial", (3, 1, 0, 0.01, 2, 0)), ("binomial", (3, 0, 10, 0.01, 2, 0)),
                   ("poisson", (nan, 1, 5, 1, 0.01, 3)), ("poisson", (9, nan, 5, 1, 0.01, 3))):
    got = call(name, *args)
    check(f"{name} of {args[:3]} is not judged", got[0] == NONE and np.isnan(got[1:]).all())
check("of entities of which nothing is expected none is judged, and the others are",
      np.isnan(call("fewer", 4, 0.005, 0.15, 12, 0.69, (9, 0), (5, 5), (6, 5), (4, 5))[1]))
sys.exit(pipe.failed)
