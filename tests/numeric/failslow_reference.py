#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
# data: failslow-drives
"""`limpet diagnose --signal latency --given throughput` on real drives, some of them known to be
slow, with no other option: against the labels, and against an independent implementation.

Each file is a host, its drives are peers of each other. Every labelled drive must be indicted, and
nobody else; of the first three hours, nobody else than a labelled one. What every drive shows at equal
load, interval by interval, must agree with what numpy makes of the same lines. Prints TAP. Needs
$LIMPET_TEST_DATA."""
import csv
import gzip
import json
import math
import os
import subprocess
import sys
from datetime import datetime

try:
    import numpy as np
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-numpy)")
    sys.exit(77)

O = os.environ.get("O", ".output")
FOLDER = os.path.join(os.environ.get("LIMPET_TEST_DATA", ""), "failslow-drives")
INTERVAL_S, SOON_S = 30, 3 * 3600
OCTAVE, SLOPE_INTERVALS, SLOPE_MAX, SLOWER = math.log(2), 20, 2, 0.1
HOSTS = [f"h{k:03}" for k in range(9)]


def read(host):
    """{drive: [(time, ln throughput, ln latency)]} of rows that have both."""
    drives = {}
    with gzip.open(f"{FOLDER}/{host}.csv.gz", "rt") as f:
        for row in csv.DictReader(f):
            rows = drives.setdefault(row["node"], [])
            load, latency = (float(row[c]) if row[c] else math.nan
                             for c in ("throughput", "latency"))
            if load > 0 and latency > 0:
                rows.append((int(row["time"]), math.log(load), math.log(latency)))
    return dict(sorted(drives.items()))


def residuals(drives):
    """{(drive, start of the interval): how much slower at equal load, ln}."""
    first = min(rows[0][0] for rows in drives.values() if rows)
    names = list(drives)
    slots = {}
    for i, rows in enumerate(drives.values()):
        for t, x, y in rows:
            slots.setdefault((t - first) // INTERVAL_S, [[] for _ in names])[i].append((x, y))
    lately = np.zeros(len(names))
    past = np.zeros((5, len(names)))  # sums of 1, x, y, xx, xy, less the medians
    out = {}
    for slot in sorted(slots):
        x, y = (np.array([np.mean([v[k] for v in of]) if of else np.nan for of in slots[slot]])
                for k in (0, 1))
        dx, dy = x - np.nanmedian(x), y - np.nanmedian(y)
        here = np.isfinite(x)
        past[:, here] += np.array([dx ** 0, dx, dy, dx * dx, dx * dy])[:, here]
        n, sx, sy, sxx, sxy = past[:, past[0] >= SLOPE_INTERVALS]
        slopes = (sxy - sx * sy / n) / (sxx - sx * sx / n)
        beta = min(max(np.median(slopes), 0), SLOPE_MAX) if len(slopes) else 0
        near = np.array([np.sum(np.abs(x - v) <= OCTAVE) for v in x]) > 2
        # No drive at its load, less to do than they, and slower lately: more to do makes none quicker.
        slower = ~near & here & (dx < 0) & (past[0] > SLOPE_INTERVALS) & (lately > SLOWER)
        lately[here] = 0.95 * lately[here] + 0.05 * dy[here]
        r = np.where(near | slower, y - beta * np.where(slower, np.maximum(dx, -OCTAVE), dx), np.nan)
        if np.isfinite(r).sum() < 3:
            continue
        r -= np.nanmedian(r)
        for i in np.flatnonzero(np.isfinite(r)):
            out[names[i], first + int(slot) * INTERVAL_S] = r[i]
    return out


def diagnose(host, *options):
    run = subprocess.run([f"{O}/limpet", "diagnose", "--json", "--signal", "latency", "--given",
                          "throughput", *options, f"{FOLDER}/{host}.csv.gz"],
                         stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout)


def indicted(said):
    return {x["server"] for x in said["incidents"] if not x["suspicious"]}


def disagreements(host, looks):
    want, wrong = residuals(read(host)), []
    if len(looks) != len(want):
        wrong.append(f"{len(looks)} intervals of drives were compared, not {len(want)}")
    for x in looks:
        start = int(datetime.fromisoformat(x["from"].replace("Z", "+00:00")).timestamp())
        r = want.get((x["server"], start), math.nan)
        if not math.isclose(x["d"], r, rel_tol=1e-6, abs_tol=1e-7):
            wrong.append(f"{x['server']} {x['from']}: {x['d']}, not {r}")
    return wrong


def main():
    if not os.path.isdir(FOLDER):
        print("SKIP no failslow-drives in $LIMPET_TEST_DATA")
        return 77
    with open(f"{FOLDER}/labels.csv") as f:
        labels = [tuple(row) for row in csv.reader(f)][1:]
    print(f"1..{3 * len(HOSTS)}")
    number = failures = soon = 0
    for host in HOSTS:
        slow = {node for h, node in labels if h == host}
        said = diagnose(host, "--explain")
        found = indicted(said)
        with gzip.open(f"{FOLDER}/{host}.csv.gz", "rt") as f:
            end = min(int(row["time"]) for row in csv.DictReader(f)) + SOON_S
        early = indicted(diagnose(host, "--to", f"@{end}"))
        soon += len(early & slow)
        wrong = disagreements(host, said["looks"])
        for bad, what in (
                (wrong, "what each drive shows at equal load agrees with numpy"),
                (found != slow, f"indicted: {sorted(found)}, labelled: {sorted(slow)}"),
                (early - slow, f"indicted after three hours: {sorted(early)}")):
            number += 1
            failures += bool(bad)
            print(f"{'not ' if bad else ''}ok {number} - {host}: {what}")
        for line in wrong[:10]:
            print(f"# {line}")
    print(f"# {soon} of {len(labels)} slow drives indicted after three hours")
    return 1 if failures else 0


sys.exit(main())
