# SPDX-License-Identifier: BSD-2-Clause
"""Exact and score intervals of counts, and a few figures of lists."""
import math


def wilson(k, n, z=1.959964):
    """Wilson's 95 % interval of k of n."""
    if not n:
        return 0.0, 1.0
    middle, half = (k + z * z / 2) / (n + z * z), z * math.sqrt(k * (n - k) / n + z * z / 4) / (n + z * z)
    return max(0.0, middle - half), min(1.0, middle + half)


def at_most(k, mean):
    """Chance of k or fewer where so many are expected (Poisson)."""
    term = total = math.exp(-mean)
    for i in range(1, k + 1):
        term *= mean / i
        total += term
    return total


def poisson(k):
    """Exact (Garwood's) 95 % interval of what is expected where k were counted."""
    def solve(chance):
        lo, hi = 0.0, k + 10 * math.sqrt(k + 1) + 10
        for _ in range(80):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if chance(mid) > 0 else (lo, mid)
        return lo
    return solve(lambda m: 0.025 - (1 - at_most(k - 1, m))) if k else 0.0, solve(lambda m: at_most(k, m) - 0.025)


def median(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def deviation(values):
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1))
