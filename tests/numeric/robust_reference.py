#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The arithmetic of method robust against an independent implementation by the definitions: plain
medians of plain lists, every peer taken out one by one, no cleverness. Prints TAP."""
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

import pipe
from pipe import apart, call, check, report

pipe.program = "numeric_robust"

RTOL = 1e-9
ANY, SHARED, NEAREST, ALL, NONE = 255, 0, 1, 2, 3
nan = float("nan")


# ---- compare_cells ------------------------------------------------------------------------------

def versus(entities, i, cell, at, events, enough):
    """(d, weight, own, peers, id, n, variance, usual) of a (ln q, n, variance) of entity i against the others
    in cell `at`."""
    others = [e[at] for j, e in enumerate(entities) if j != i and at in e and e[at][1] >= events
              and np.isfinite(e[at][0])]
    if len(others) < enough:
        return None
    own, n, variance = entities[i][cell]
    peers, usual = (np.median([o[k] for o in others]) for k in (0, 1))
    return own - peers, min(n, usual), own, peers, cell, len(others), variance, usual


def parts_of_class(entities, i, c, events, peers):
    at_work = sum(any(k >> 8 == c and v[1] > 0 for k, v in e.items()) for e in entities)
    enough = max(2, min(peers, at_work - 1))
    parts, how, lonely, done = [], [], False, 0
    for k in sorted(k for k in entities[i] if k >> 8 == c and k & 255 != ANY):
        q, n, _ = entities[i][k]
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
        q, n, _ = entities[i][whole]
        if n >= events and np.isfinite(q) and n > done:
            part = versus(entities, i, whole, whole, events, enough)
            if part is not None and n <= 1.4142 * part[7]:
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
            out.append([nan, nan, nan, 0, nan, 0, 0, 0, NONE])
            continue
        w = np.array([p[1] for p in parts])
        mean = [np.average([p[k] for p in parts], weights=w) for k in (0, 2, 3, 6)]
        most = parts[int(np.argmax(w))]
        out.append([mean[0], np.exp(mean[1]), np.exp(mean[2]), w.sum(), mean[3], most[4], len(parts),
                    most[5], max(how)])
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
                e[c * 3 << 8 | load + 120] = (q, events, rng.random())
                total += events
            if total:
                e[c * 3 << 8 | ANY] = (rng.normal(8 + c, 0.2), total, rng.random())
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
                args += [k, e[k][0], e[k][2], e[k][1]]
        got = call("cells", args).reshape(n, 9)
        want = cells_by_definition(entities, events, peers)
        worst = max(worst, apart(got[:, :5], want[:, :5], np.maximum(1, np.abs(
            want[:, :5][~np.isnan(want[:, :5])]))))
        bad += int((got[:, 5:] != want[:, 5:]).sum())
        for how in want[:, 8]:
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
        got = call("numbers", n, c, x).reshape(n, 9)
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
    worst, n, bits = 0, 256, 3
    for case in range(24):
        rng = np.random.default_rng(2000 + case)
        a, b = (np.zeros(n, dtype=int) for _ in range(2))
        for h in (a, b):
            at = np.clip(rng.normal(n * rng.random(), n / 12, 400).astype(int), 0, n - 1)
            np.add.at(h, at[:int(rng.integers(1, 400))], int(rng.integers(1, 10 ** 6)))
        x = np.log([(low(k, bits) + low(k + 1, bits)) / 2 for k in range(n)])
        want = wasserstein_distance(x, x, a, b)
        worst = max(worst, apart(call("w1", a, b), [want], 1))
    report("compare_w1: scipy.stats.wasserstein_distance", worst, RTOL)
    empty = np.zeros(256)
    check("compare_w1: nothing is NaN", np.isnan(call("w1", empty, empty + 1))[0] and
          np.isnan(call("w1", empty + 1, empty))[0])


# ---- equal_load ---------------------------------------------------------------------------------

def median(x):
    x = np.asarray(x)[np.isfinite(x)]
    return np.median(x) if len(x) else nan


def loads_by_definition(x, y, n, ss, given):
    """Rows are intervals. Every sum is made anew from all that came before."""
    out = np.full(x.shape + (5,), nan)
    ok = np.isfinite(y) & (n > 0) & (np.isfinite(x) | (not given))
    dx, dy = (np.array([np.where(o, a - median(np.where(o, a, nan)), nan) for a, o in zip(v, ok)])
              for v in (x, y))
    for w in range(len(x)):
        beta = []
        for i in range(x.shape[1]) if given else ():
            k = ok[:w + 1, i]
            a, b = dx[:w + 1, i][k], dy[:w + 1, i][k]
            if len(a) >= 20 and a.var() > 1e-6:
                beta.append(np.polyfit(a, b, 1)[0])
        slope = min(max(np.median(beta), 0), 2) if beta else 0
        near = np.array([ok[w, i] and (not given or sum(
            ok[w, j] and abs(x[w, i] - x[w, j]) <= np.log(2) for j in range(x.shape[1])) - 1 >= 2)
            for i in range(x.shape[1])])
        # no peer at its load, less to do than they, and slower lately: by weights that fall by a twentieth
        lately = np.array([sum(v * 0.95 ** k for k, v in enumerate(dy[:w, i][ok[:w, i]][::-1])) / 20
                           for i in range(x.shape[1])])
        slower = np.array([ok[w, i] and not near[i] and dx[w, i] < 0 and ok[:w + 1, i].sum() > 20 and
                           lately[i] > 0.1 for i in range(x.shape[1])])
        here = near | slower
        less = np.where(slower, np.maximum(dx[w], -np.log(2)), dx[w])
        r = np.where(here, y[w] - (slope * less if given else 0), nan)
        r = r - median(r) if here.sum() >= 3 else np.full_like(r, nan)
        variance = np.where(ok, ss, 0)[:w + 1].sum() / max(1, np.where(ok, n - 1, 0)[:w + 1].sum())
        extra = np.maximum(0, variance / n[w] - variance / np.median(n[w][ok[w]])) if ok[w].any() else 0
        doubt = np.where(here & given, 0.5 * dx[w], 0)
        out[w] = np.stack([r, np.where(ok[w], extra, 0), doubt, y[w] - r, ok[w] & ~near], axis=1)
    return out


def loads():
    worst, alone, judged = 0, 0, 0
    for case in range(40):
        rng = np.random.default_rng(4000 + case)
        size = int(rng.choice([30, 60])), int(rng.choice([2, 3, 4, 5, 8, 13]))
        x = rng.normal(0, rng.choice([0.05, 0.3, 1]), size) + rng.normal(0, 0.3, size[1])
        y = rng.choice([-0.5, 0, 0.7, 3]) * x + rng.normal(0, 0.2, size)
        n, ss = rng.integers(1, 9, size).astype(float), rng.random(size)
        x[rng.random(size) < 0.1] = nan
        y[rng.random(size) < rng.choice([0, 0.3])] = nan
        y[10:13] = nan
        given = case % 3 != 0
        got = call("loads", size[1], size[0], given, np.stack([x, y, n, ss], axis=2)).reshape(size + (5,))
        want = loads_by_definition(x, y, n, ss, given)
        scale = np.maximum(1, np.abs(want[~np.isnan(want)]))
        worst = max(worst, apart(got, want, scale))
        alone += int(want[..., 4].sum())
        judged += int(np.isfinite(want[..., 0]).sum())
    report("equal_load: residuals, doubts and peers", worst, RTOL)
    check("equal_load: some were alone, most were judged", alone > 100 and judged > 1000,
          f"{alone} alone, {judged} judged")


if __name__ == "__main__":
    cells()
    numbers()
    w1()
    loads()
    sys.exit(pipe.failed)
