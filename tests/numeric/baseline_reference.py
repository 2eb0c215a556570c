#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The baselines against an independent implementation: numpy and scipy.stats.

Seeded recordings go through make_series into `limpet diagnose --method ratio (hdfs, ceph) --explain`,
without a model; the mean, the peers' median, the limit and the verdict of every server, metric and
window, and who is indicted, must agree with what is computed here straight from the numbers. Prints
TAP."""
import json
import os
import subprocess
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True  # the tree stays as it is
warnings.simplefilter("ignore")
try:
    import numpy as np
    from scipy.stats import median_abs_deviation
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-scipy)")
    sys.exit(77)

from recordings import DISK, O, T0, kept, second_of, verdict_of, write

# floors of the metric table; one segment a second for retransmissions
METRICS = {"rkB/s": 1024, "wkB/s": 1024, "await": 1, "r_await": 1, "w_await": 1, "rxkB/s": 64, "txkB/s": 64,
           "retrans/s": 1}
WINDOW, SHIFT, VOTES, OF = 64, 32, 3, 5
RTOL = 1e-9


def recording(rng, n, seconds):
    """{metric: n x seconds}; server 1 is worse in some, by more than one factor; some is missing."""
    data = {
        "rkB/s": np.full((n, seconds), 0.0625),
        "wkB/s": np.abs(rng.normal(40000, 6000, (n, seconds))),
        "await": rng.gamma(9, 2, (n, seconds)),
        "r_await": rng.gamma(2, 3, (n, seconds)),
        "w_await": rng.gamma(4, 3, (n, seconds)) * rng.uniform(1, 2.5, (n, 1)),
        "rxkB/s": np.abs(rng.normal(41000, 5000, (n, seconds))),
        "txkB/s": np.abs(rng.normal(900, 80, (n, seconds))),
        "retrans/s": rng.poisson(0.2, (n, seconds)).astype(float),
    }
    half = seconds // 2
    data["await"][1, half:] *= 2.3
    data["txkB/s"][1, half:] *= 3.5
    data["wkB/s"][2 % n] *= 0.2
    data["retrans/s"][1, half:] += 5
    data["rkB/s"][0] = 2000
    data["r_await"][rng.random((n, seconds)) < 0.6] = np.nan
    data["r_await"][0, :100] = np.nan
    for m in data:
        data[m][rng.random((n, seconds)) < 0.02] = np.nan
    return {m: kept(x) for m, x in data.items()}


def limit_ratio(x, i, floor):
    median = np.median(np.delete(x, i))
    return max(2 * median, median + floor)


def limit_hdfs(x, _, floor):
    return max(floor, 3 * np.median(x),
               np.median(x) + 3 * 1.4826 * median_abs_deviation(x))


def limit_ceph(x, _, floor):
    return np.median(x) + 10 * max(floor, median_abs_deviation(x))


LIMITS = {"ratio": limit_ratio, "hdfs": limit_hdfs, "ceph": limit_ceph}


def expected(data, method):
    """{(metric, window, node): (mean, peers, limit, odd)}, and {(node, metric)} of those indicted."""
    out, indicted = {}, set()
    for m, floor in METRICS.items():
        x = data[m]
        odd = {}
        for w, s in enumerate(range(0, x.shape[1] - WINDOW + 1, SHIFT)):
            part = x[:, s:s + WINDOW]
            there = [i for i in range(len(x)) if 2 * np.count_nonzero(~np.isnan(part[i])) >= WINDOW]
            if len(there) < 3:
                continue
            means = np.array([np.nanmean(part[i]) for i in there])
            for at, i in enumerate(there):
                limit, peers = LIMITS[method](means, at, floor), np.median(np.delete(means, at))
                over = means[at] >= limit if method == "ceph" else means[at] > limit
                odd[w, i] = over and means[at] > peers
                out[m, w, i] = (means[at], peers, limit, bool(odd[w, i]))
        windows = range((x.shape[1] - WINDOW) // SHIFT + 1)
        for i in range(len(x)):
            for w in windows:
                recent = [odd.get((v, i), False) for v in range(max(0, w - OF + 1), w + 1)]
                if recent[-1] and sum(recent) >= VOTES:
                    indicted.add((f"n{i:03}", m))
    return out, indicted


def close(a, b):
    return a is not None and abs(a - b) <= RTOL * max(1, abs(a), abs(b))


def diagnose(folder, method):
    said = subprocess.run([f"{O}/limpet", "diagnose", "--method", method, "--json", "--explain", folder],
                          check=True, capture_output=True).stdout
    return json.loads(said)


def check(folder, method, data):
    out, bad, seen = diagnose(folder, method), [], 0
    want, indicted = expected(data, method)
    for e in out["looks"]:
        key = (e["signal"], second_of(e) // SHIFT, int(e["server"][1:]))
        if key not in want:
            if e["judged"]:
                bad.append(f"{key}: should abstain, is {verdict_of(e)}")
            continue
        seen += 1
        mean, peers, limit, odd = want[key]
        if not (close(e["value"], mean) and close(e["peers_median"], peers) and close(e["score"], mean)
                and close(e["threshold"], limit)) or e["flagged"] != odd:
            bad.append(f"{key}: {e} is not {want[key]}")
    if seen != len(want):
        bad.append(f"{len(want)} judgements expected, {seen} came")
    said = {(i["server"], f["signal"]) for i in out["incidents"] for f in i["findings"]}
    if said != indicted:
        bad.append(f"indicted {sorted(said)} and not {sorted(indicted)}")
    odd = sum(v[3] for v in want.values())
    if not 0 < odd < len(want) or not indicted:
        bad.append(f"{odd} of {len(want)} odd: this recording shows nothing")
    return bad, f"{seen} judgements, {odd} odd, {len(indicted)} indictments"


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="limpet-numeric.") as folder:
        for seed, n in ((31, 3), (32, 6), (33, 7)):
            data = recording(np.random.default_rng(seed), n, 400)
            write(f"{folder}/{n}", data)
            for method in LIMITS:
                bad, what = check(f"{folder}/{n}", method, data)
                print(f"{'not ' if bad else ''}ok - agrees with numpy and scipy: {method}, {n} servers ({what})")
                for line in bad[:10]:
                    print(f"# {line}")
                failed |= bool(bad)
    return failed


if __name__ == "__main__":
    sys.exit(main())
