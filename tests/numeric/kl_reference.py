#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Both trained methods against an independent implementation: numpy and scipy.stats.entropy.

Seeded recordings go through make_series into `limpet train` and `limpet diagnose --explain`; every
threshold of the model, and every divergence, mean, median and verdict of every window must agree
with what is computed here straight from the numbers. Prints TAP."""
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
    from scipy.stats import entropy
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-scipy)")
    sys.exit(77)

from recordings import DISK, O, T0, kept, second_of, verdict_of, write

METRICS = {"rkB/s": 1024, "wkB/s": 1024, "await": 1, "r_await": 1, "w_await": 1, "rxkB/s": 64, "txkB/s": 64}
UP = ("await", "r_await", "w_await")
RTOL = 1e-9


def recording(rng, n, seconds, fault):
    """{metric: n x seconds}; node 1 has the fault; some samples are missing."""
    load = 1 + 0.4 * np.sin(np.arange(seconds) / 17)
    data = {
        "rkB/s": np.full((n, seconds), 0.0625),
        "wkB/s": np.abs(rng.normal(40000, 6000, (n, seconds))) * load,
        "await": rng.gamma(9, 2, (n, seconds)),
        "r_await": rng.gamma(2, 3, (n, seconds)),
        "rxkB/s": np.abs(rng.normal(41000, 5000, (n, seconds))) * load,
        "txkB/s": np.abs(rng.normal(900, 80, (n, seconds))),
        "cwnd-ln": rng.normal(3.4, 0.3, (n, seconds)),
    }
    data["w_await"] = data["await"] * 1.1
    if fault:
        data["await"][1] *= 2
        data["w_await"][1] *= 0.5
        data["cwnd-ln"][1, seconds // 3:] *= 0.7
    data["r_await"][rng.random((n, seconds)) < 0.8] = np.nan
    data["r_await"][0, :100] = np.nan
    for m in data:
        data[m][rng.random((n, seconds)) < 0.02] = np.nan
    # what a file holds is what was printed
    return {m: kept(x) for m, x in data.items()}


def smooth(x, length):
    out = np.full(x.shape, np.nan)
    for t in range(x.shape[1]):
        out[:, t] = np.nanmean(x[:, max(0, t + 1 - length):t + 1], axis=1)
    return out


def windows(x, p):
    for w, s in enumerate(range(0, x.shape[1] - p["window"] + 1, p["shift"])):
        yield w, x[:, s:s + p["window"]]


def enough(x, p):
    return [i for i in range(len(x)) if 2 * np.count_nonzero(~np.isnan(x[i])) >= p["window"]]


def kl_window(x, floor, p):
    """{node: sorted divergences to its peers, largest first}, or {} if too few have data."""
    members = enough(x, p)
    if len(members) < 3:
        return {}
    pooled = np.concatenate([x[i][~np.isnan(x[i])] for i in members])
    lo, mid, hi = np.quantile(pooled, [0.01, 0.5, 0.99])
    least = max(floor, 0.01 * abs(mid))
    if pooled.max() - pooled.min() < least:
        return {i: np.zeros(len(members) - 1) for i in members}
    bins, width = p["bins"], (hi - lo) / p["bins"]
    if hi - lo < least:
        width = 2 * least
        lo = mid - width * (bins // 2 + 0.5)
    inner = lo + width * np.arange(1, bins)
    prob = {}
    for i in members:
        have = x[i][~np.isnan(x[i])]
        count = np.bincount(np.searchsorted(inner, have, side="right"), minlength=bins)
        prob[i] = (count + 0.5) / (len(have) + 0.5 * bins)
    return {i: np.array(sorted((0.5 * (entropy(prob[i], prob[j]) + entropy(prob[j], prob[i]))
                                for j in members if j != i), reverse=True)) for i in members}


def majority(d):
    return d[len(d) // 2]  # the (floor((n-1)/2)+1)-th largest of n-1


def kl_train(x, floor, p):
    best = np.full(len(x), np.nan)
    for _, part in windows(smooth(x, p["smooth"]), p):
        for i, d in kl_window(part, floor, p).items():
            best[i] = np.nanmax([best[i], majority(d)])
    return best


def ratios(x, p):
    s = smooth(x, p["cwnd_smooth"])
    median = np.nanmedian(s, axis=0)
    median[(np.count_nonzero(~np.isnan(s), axis=0) < 3) | (median < np.log(2))] = np.nan
    return s, s / median


def close(a, b):
    if a is None or b is None or np.isnan(a) or np.isnan(b):
        return (a is None or np.isnan(a)) and (b is None or np.isnan(b))
    return abs(a - b) <= RTOL * max(1, abs(a), abs(b))


def expected(data, model, p):
    """What --explain should say: {(metric, window, node): (mean, peers, score, above, verdict)}."""
    out = {}
    for m, floor in METRICS.items():
        trained = model["methods"]["kl"][m]["trained"]
        for w, x in windows(smooth(data[m], p["smooth"]), p):
            means = {i: np.nanmean(x[i]) for i in enough(x, p)}
            for i, d in kl_window(x, floor, p).items():
                peers = np.median([v for j, v in means.items() if j != i])
                if trained[i] is None:
                    out[m, w, i] = (means[i], peers, majority(d), 0, "abstain")
                    continue
                above = int((d > max(p["t_min"], p["slack"] * trained[i])).sum())
                odd = above > len(d) / 2 and (m not in UP or means[i] > peers)
                out[m, w, i] = (means[i], peers, majority(d), above, "odd" if odd else "fine")
    trained = model["methods"]["cwnd"]["cwnd-ln"]["trained"]
    s, r = ratios(data["cwnd-ln"], p)
    for w, x in windows(r, p):
        members = enough(x, p)
        part = s[:, w * p["shift"]:w * p["shift"] + p["window"]]
        means = {i: np.nanmean(part[i]) for i in members}
        for i in members:
            limit = min(0.95, 1 - p["slack"] * (1 - min(trained[i], 0.95)))
            low = int((x[i] < limit).sum())
            share = low / np.count_nonzero(~np.isnan(x[i]))
            out["cwnd-ln", w, i] = (means[i], np.median([v for j, v in means.items() if j != i]),
                                    share, low, "odd" if share > 0.5 else "fine")
    return out


def check(folder, seed, n, options):
    rng = np.random.default_rng(seed)
    clean, faulty = recording(rng, n, 500, False), recording(rng, n, 330, True)
    write(f"{folder}/clean", clean)
    write(f"{folder}/faulty", faulty)
    subprocess.run([f"{O}/limpet", "train", "-o", f"{folder}/model", *options, f"{folder}/clean"],
                   check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/model", encoding="utf-8") as f:
        model = json.load(f)
    p = model["params"]
    bad = []
    for m, floor in METRICS.items():
        want = kl_train(clean[m], floor, p)
        got = model["methods"]["kl"][m]["trained"]
        bad += [f"threshold {m} n{i:03}: {g} is not {w}" for i, (w, g) in enumerate(zip(want, got))
                if not close(w, g)]
    want = np.nanmin(ratios(clean["cwnd-ln"], p)[1], axis=1)
    got = model["methods"]["cwnd"]["cwnd-ln"]["trained"]
    bad += [f"fraction n{i:03}: {g} is not {w}" for i, (w, g) in enumerate(zip(want, got))
            if not close(w, g)]
    text = subprocess.run([f"{O}/limpet", "diagnose", "--model", f"{folder}/model", "--json",
                           "--explain", f"{folder}/faulty"], check=True, capture_output=True).stdout
    out = json.loads(text)
    want, seen = expected(faulty, model, p), 0
    for e in out["looks"]:
        key = (e["signal"], second_of(e) // p["shift"], int(e["server"][1:]))
        if key not in want:
            if e["judged"]:
                bad.append(f"{key}: should abstain, is {verdict_of(e)}")
            continue
        seen += 1
        got = (e["value"], e["peers_median"], e["score"], e["above"], verdict_of(e))
        if got[4] != want[key][4] or got[3] != want[key][3] or not all(
                close(a, b) for a, b in zip(got[:3], want[key][:3])):
            bad.append(f"{key}: {got} is not {want[key]}")
    if seen != len(want):
        bad.append(f"{len(want)} judgements expected, {seen} came")
    odd = sum(v[4] == "odd" for v in want.values())
    return bad, f"{seen} judgements, {odd} odd"


def main():
    cases = [("six nodes, defaults", 11, 6, []), ("three nodes", 12, 3, []),
             ("seven nodes, slack 1.5", 13, 7, ["--slack", "1.5"]),
             ("other windows and bins", 14, 5, ["--window", "50", "--shift", "7", "--smooth", "3",
                                                "--bins", "7", "--cwnd-smooth", "9"])]
    failed = 0
    for name, seed, n, options in cases:
        with tempfile.TemporaryDirectory(prefix="limpet-numeric.") as folder:
            bad, what = check(folder, seed, n, options)
        print(f"{'not ' if bad else ''}ok - agrees with numpy and scipy: {name} ({what})")
        for line in bad[:10]:
            print(f"# {line}")
        failed |= bool(bad)
    return failed


if __name__ == "__main__":
    sys.exit(main())
