#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
# data: failslow-drives
"""`limpet diagnose --signal latency --given throughput` on real drives, some of them known to be
slow, with no other option: against the labels, and against an independent implementation.

Each file is a host, its drives are peers of each other. Every labelled drive must be indicted, and
no more than one other per host; every number of every window must agree with what numpy makes of the
same lines. Prints TAP. Needs $LIMPET_TEST_DATA."""
import csv
import gzip
import json
import math
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-numpy)")
    sys.exit(77)

O = os.environ.get("O", ".output")
FOLDER = os.path.join(os.environ.get("LIMPET_TEST_DATA", ""), "failslow-drives")
WINDOW_S, EVENTS, PEERS, NEAR = 600, 3, 4, 2  # 40 samples of 15 s
SIGMA = math.log(1.05)
FORGET = 21  # windows of silence after which no vote is left
HOSTS = [f"h{k:03}" for k in range(9)]


def read(host):
    """{drive: [(time, throughput, latency)]}; a missing value is NaN."""
    drives = {}
    with gzip.open(f"{FOLDER}/{host}.csv.gz", "rt") as f:
        for row in csv.DictReader(f):
            values = [float(row[c]) if row[c] else math.nan for c in ("throughput", "latency")]
            drives.setdefault(row["node"], []).append((int(row["time"]), *values))
    return dict(sorted(drives.items()))


def windows(drives):
    """[(start, windows of silence before it)]: a new beginning after a gap."""
    times = np.unique([t for rows in drives.values() for t, _, v in rows if not math.isnan(v)])
    out, at, silent = [], times[0], 0
    while True:
        out.append((at, silent))
        at += WINDOW_S
        later = times[times >= at]
        if not len(later):
            return out
        silent = 0
        if later[0] >= at + WINDOW_S:
            silent = int((later[0] - at) // WINDOW_S)
            at = later[0]


def cells(rows, start):
    """{half octave: (ln median, n)}, and under None of all of them."""
    here = [(g, v) for t, g, v in rows if start <= t < start + WINDOW_S and not math.isnan(v)]
    groups = {None: [v for _, v in here]} if here else {}
    for g, v in here:
        if not math.isnan(g):
            groups.setdefault(math.floor(2 * math.log2(g)), []).append(v)
    return {k: (math.log(np.median(v)), len(v)) for k, v in groups.items() if len(v) >= EVENTS}


def against(all_cells, i, mine, load, enough):
    """(d, weight) of one cell against the others' of that load; None: they are too few."""
    others = [c[load] for j, c in enumerate(all_cells) if j != i and load in c]
    if len(others) < enough:
        return None
    peers, weight = np.median(others, axis=0)
    return mine[0] - peers, min(mine[1], weight)


def deviation(all_cells, i, enough):
    parts, done, lonely = [], 0, False
    for load in sorted(k for k in all_cells[i] if k is not None):
        mine = all_cells[i][load]
        part = against(all_cells, i, mine, load, enough)
        for far in range(1, NEAR + 1):
            if part:
                break
            near = [against(all_cells, i, mine, load + s * far, enough) for s in (-1, 1)]
            part = min((p for p in near if p), key=lambda p: p[0], default=None)
        if part:
            parts.append(part)
            done += mine[1]
        else:
            lonely = True
    if None in all_cells[i] and (lonely or not parts):
        whole = all_cells[i][None]
        part = against(all_cells, i, whole, None, enough)
        if part and whole[1] > done:
            parts.append((part[0], min(part[1], whole[1] - done)))
    if not parts:
        return math.nan
    parts.sort()
    half, total = sum(w for _, w in parts) / 2, 0
    for k, (d, w) in enumerate(parts):
        total += w
        if total == half and k + 1 < len(parts):
            return (d + parts[k + 1][0]) / 2
        if total >= half or k + 1 == len(parts):
            return d


def fast(d, starts):
    """sigma, z, flagged, odd of every window and drive."""
    n, m = d.shape
    sigma, z = np.full((n, m), np.nan), np.full((n, m), np.nan)
    flagged, odd = np.zeros((n, m), bool), np.zeros((n, m), bool)
    pushed = []  # number of each window, silence counted
    rest = d - np.nanmedian(d, axis=1, keepdims=True)  # less what all have in common
    for w in range(n):
        silent = min(starts[w][1], FORGET + 1)
        pushed.append((pushed[-1] if pushed else 0) + 1 + silent)
        last = [k for k in range(w + 1) if pushed[w] - pushed[k] < 8]
        for i in range(m):
            if math.isnan(d[w, i]):
                continue
            away = np.abs(np.delete(rest[last], i, axis=1))
            sigma[w, i] = max(SIGMA, 1.4826 * np.median(away[~np.isnan(away)]))
            z[w, i] = d[w, i] / sigma[w, i]
            flagged[w, i] = z[w, i] >= 4 and math.exp(d[w, i]) >= 1.3
            judged = [k for k in range(w + 1) if not math.isnan(d[k, i])][-5:]
            votes = [k for k in judged if flagged[k, i] and pushed[w] - pushed[k] <= 15]
            fresh = len(judged) < 2 or pushed[w] - pushed[judged[-2]] <= 15
            was = len(judged) > 1 and odd[judged[-2], i] and fresh
            done = flagged[w, i] and len(votes) >= 3
            odd[w, i] = done or (was and any(flagged[k, i] for k in judged))
    return sigma, z, flagged, odd


def slow(d):
    """z, ratio and verdict of each drive over all windows."""
    D = np.nanmedian(d, axis=0)
    out = []
    for i in range(len(D)):
        others = np.delete(D, i)
        excess = D[i] - np.median(others)
        own = d[~np.isnan(d[:, i]), i]
        error = 1.2533 * 1.4826 * np.median(np.abs(own - D[i])) / math.sqrt(len(own))
        few = len(others) / (len(others) - 0.8)  # Croux and Rousseeuw, of ten and more
        sigma = max(SIGMA, error,
                    1.4826 * few * np.median(np.abs(others - np.median(others))))
        thirds = [own[len(own) * k // 3:len(own) * (k + 1) // 3] for k in range(3)]
        least = min(np.median(part) for part in thirds) - np.median(others)
        out.append((excess / sigma, math.exp(excess),
                    excess / sigma >= 4 and math.exp(excess) >= 1.15 and
                    least >= math.log(1.15)))
    return out


def compare(host, labels):
    """Lines of what is wrong, and what was found: (labelled, extra, fast alone)."""
    run = subprocess.run([f"{O}/limpet", "diagnose", "--json", "--explain", "--signal", "latency",
                          "--given", "throughput", f"{FOLDER}/{host}.csv.gz"],
                         stdout=subprocess.PIPE, text=True, check=True)
    said = json.loads(run.stdout)
    drives = read(host)
    names, starts = list(drives), windows(drives)
    d = np.array([[deviation(c, i, PEERS) for i in range(len(names))]
                  for c in ([cells(rows, s) for rows in drives.values()] for s, _ in starts)])
    sigma, z, flagged, odd = fast(d, starts)
    wrong = []
    looks = said["looks"]
    if len(looks) != np.isfinite(d).sum():
        wrong.append(f"{len(looks)} windows were judged, not {np.isfinite(d).sum()}")
    times = sorted({x["from"] for x in looks})
    for x in looks:
        w, i = times.index(x["from"]), names.index(x["server"])
        for key, want in (("d", d), ("sigma", sigma), ("score", z)):
            if not math.isclose(x[key], want[w, i], rel_tol=1e-9, abs_tol=1e-12):
                wrong.append(f"{x['server']} {x['from']}: {key} {x[key]}, not {want[w, i]}")
        if (x["flagged"], x["odd"]) != (flagged[w, i], odd[w, i]):
            wrong.append(f"{x['server']} {x['from']}: flagged, odd {x['flagged']}, {x['odd']}")
    found = {x["server"]: x for x in said["incidents"]}
    for name, (sz, ratio, chronic) in zip(names, slow(d)):
        is_odd = odd[:, names.index(name)].any()
        if (name in found) != (chronic or is_odd):
            wrong.append(f"{name}: chronic {chronic}, odd {is_odd}, indicted {name in found}")
        elif chronic:
            e = found[name]["findings"][0]
            if not (e["chronic"] and math.isclose(e["score"], sz, rel_tol=1e-5) and
                    math.isclose(e["ratio"], ratio, rel_tol=1e-5)):
                wrong.append(f"{name}: z {e['score']}, ratio {e['ratio']}, not {sz}, {ratio}")
    quick = {x["server"] for x in looks if x["odd"]}
    return wrong, set(found) & labels, set(found) - labels, quick


def main():
    if not os.path.isdir(FOLDER):
        print("SKIP no failslow-drives in $LIMPET_TEST_DATA")
        return 77
    with open(f"{FOLDER}/labels.csv") as f:
        labels = [tuple(row) for row in csv.reader(f)][1:]
    print(f"1..{2 * len(HOSTS)}")
    number = failures = 0
    total = [0, 0, 0]
    for host in HOSTS:
        slow_ones = {node for h, node in labels if h == host}
        wrong, hit, extra, quick = compare(host, slow_ones)
        for bad, what in (
                (wrong, "every window agrees with numpy"),
                (hit != slow_ones or len(extra) > 1,
                 f"{len(hit)} of {len(slow_ones)} slow drives indicted, and {len(extra)} others")):
            number += 1
            failures += bool(bad)
            print(f"{'not ' if bad else ''}ok {number} - {host}: {what}")
        for line in wrong[:10]:
            print(f"# {line}")
        for k, n in enumerate((len(hit), len(extra), len(quick & slow_ones))):
            total[k] += n
    print(f"# {total[0]} of {len(labels)} slow drives indicted, {total[1]} others; "
          f"the fast test alone: {total[2]}")
    return 1 if failures else 0


sys.exit(main())
