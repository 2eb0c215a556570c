#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Scores against independent implementations: scipy, scikit-learn and numpy.

Wilson's intervals against scipy.stats.binomtest, precision, recall and Matthews' coefficient against
sklearn.metrics, times against numpy, and the rates of runs against their definitions applied to
seeded labels and indictments, server by server. `test_score -` computes ours. Prints TAP."""
import os
import subprocess
import sys
import warnings

warnings.simplefilter("ignore")
try:
    import numpy as np
    from scipy.stats import binomtest
    from sklearn.metrics import matthews_corrcoef, precision_score, recall_score
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-scipy, python3-sklearn)")
    sys.exit(77)

O = os.environ.get("O", ".output")
RATES = ("itp", "ifp", "dtp", "dfp", "tp", "fp", "alarm_servers", "alarm_runs", "precision", "recall",
         "within_60s", "direction", "guess", "unproven", "clear")
RTOL = 1e-12


def compute(sets):
    """One dict per list of outcomes, as test_score prints them."""
    text = "\n".join("".join(" ".join(map(str, o)) + "\n" for o in s) for s in sets)
    said = subprocess.run([f"{O}/tests/test_score", "-"], input=text, text=True, check=True,
                          capture_output=True).stdout
    rows = [[float(v) for v in line.split()] for line in said.splitlines()]
    if len(rows) != len(sets):
        raise SystemExit(f"{len(rows)} answers to {len(sets)} questions")
    out = []
    for row in rows:
        score = {name: row[5 * i:5 * i + 5] for i, name in enumerate(RATES)}
        at = 5 * len(RATES)
        score["matrix"] = tuple(int(v) for v in row[at:at + 4])
        score["mcc"], score["median"], score["max"] = row[at + 4:]
        out.append(score)
    return out


def close(a, b):
    if np.isnan(a) or np.isnan(b):
        return np.isnan(a) and np.isnan(b)
    return abs(a - b) <= RTOL * max(abs(a), abs(b)) + 1e-15


def wilson(k, n):
    if n == 0:
        return np.nan, np.nan
    ci = binomtest(k, n).proportion_ci(confidence_level=0.95, method="wilson")
    return ci.low, ci.high


def free_run(n, alarmed):
    return (0, 0, 0, 0, 0, 0, n, alarmed, 0, 0, 0, "nan")


def check_wilson():
    """0 of 0, 0 of n, n of n, and everything between, small and large."""
    pairs = [(0, 0)] + [(k, n) for n in (1, 2, 3, 10, 100, 101) for k in range(n + 1)]
    pairs += [(1, 1000000), (0, 1000000), (999999, 1000000), (1000000, 1000000), (499999, 1000000)]
    bad = []
    for (k, n), s in zip(pairs, compute([[free_run(n, k)] for k, n in pairs])):
        got, want = s["alarm_servers"], (k, n, k / n if n else np.nan, *wilson(k, n))
        if not all(close(g, w) for g, w in zip(got, want)):
            bad.append(f"{k} of {n}: {got} is not {want}")
    return bad, f"{len(pairs)} shares"


def random_run(rng, servers, p_fault, p_hit, p_alarm, p_judged):
    """A run's outcome line, and what sklearn and the definitions are given."""
    faulty = rng.random(servers) < p_fault
    judged = rng.random(servers) < p_judged
    indicted = np.where(faulty, rng.random(servers) < p_hit, rng.random(servers) < p_alarm) & judged
    early = faulty & judged & (rng.random(servers) < p_alarm)
    right = rng.random(servers) < 0.7
    known = bool(rng.random() < 0.8)
    ttd = float(rng.integers(30, 300)) if faulty.any() and indicted[faulty].all() else np.nan
    run = dict(faulty=faulty, judged=judged, indicted=indicted, early=early, right=right, known=known,
               ttd=ttd)
    hit = faulty & indicted
    alarm = ~faulty & indicted
    # an alarm's cause: "none" where `right` is false
    misnamed = int((alarm & right).sum() + (early & right).sum())
    run["misnamed"] = misnamed
    line = (int(not judged.any()), faulty.sum(), hit.sum(), (hit & right).sum(), int(known),
            (faulty & judged & ~hit).sum(), (~faulty & judged).sum(), alarm.sum(), early.sum(), misnamed,
            (~judged).sum(), ttd)
    return run, line


def expected(runs):
    """Straight from the definitions, over lists."""
    fault = [r for r in runs if r["faulty"].any()]
    clean = [r for r in runs if not r["faulty"].any()]
    able = [r for r in runs if r["judged"].any()]
    alarms = [(r["indicted"] & ~r["faulty"]).any() or r["early"].any() for r in able]
    truth, said = [], []
    for r in runs:
        truth += list(r["faulty"][r["judged"]]) + [False] * int(r["early"].sum())
        said += list(r["indicted"][r["judged"]]) + [True] * int(r["early"].sum())
    # fault-free servers that were judged; a faulty one was one of them when it was indicted early
    servers = [bool(early or indicted) for r in fault
               for f, j, indicted, early in zip(*(r[x] for x in ("faulty", "judged", "indicted", "early")))
               if early or (j and not f)]
    known = [r for r in fault if r["known"]]
    times = [r["ttd"] for r in fault if not np.isnan(r["ttd"])]
    count = {
        "itp": [r["indicted"][r["faulty"]].all() for r in fault],
        "ifp": alarms,
        "dtp": [(r["indicted"] & r["right"])[r["faulty"]].all() for r in known],
        "dfp": [r["misnamed"] > 0 for r in able],
        "tp": [x for r in fault for x in r["indicted"][r["faulty"]]],
        "fp": servers,
        "within_60s": [r["ttd"] <= 60 for r in fault],
        "alarm_servers": [x for r in clean for x in r["indicted"][r["judged"]]],
        "alarm_runs": [r["indicted"].any() for r in clean if r["judged"].any()],
    }
    rates = {name: (sum(map(bool, x)), len(x)) for name, x in count.items()}
    positive, called = sum(truth), sum(said)
    both = len(set(truth)) == 2 and len(set(said)) == 2
    return rates, {
        "precision": precision_score(truth, said) if called else np.nan,
        "recall": recall_score(truth, said) if positive else np.nan,
        "mcc": matthews_corrcoef(truth, said) if both else np.nan,
        "median": np.median(times) if times else np.nan,
        "max": np.max(times) if times else np.nan,
    }


def check_runs(sets):
    bad = []
    got = compute([[line for _, line in s] for s in sets])
    for n, (s, ours) in enumerate(zip(sets, got)):
        rates, numbers = expected([run for run, _ in s])
        for name, (k, of) in rates.items():
            if tuple(ours[name][:2]) != (k, of):
                bad.append(f"set {n}: {name} is {ours[name][:2]} and not {(k, of)}")
        for name, value in numbers.items():
            mine = ours[name][2] if name in RATES else ours[name]
            if not close(mine, value):
                bad.append(f"set {n}: {name} is {mine} and not {value}")
    undefined = sum(np.isnan(s["mcc"]) for s in got)
    return bad, f"{len(sets)} sets of runs, MCC undefined in {undefined}"


def many(seed, kinds):
    rng = np.random.default_rng(seed)
    return [[random_run(rng, *kind) for _ in range(size)] for kind in kinds for size in (0, 1, 2, 3, 50)]


def main():
    ordinary = [(10, 0.1, 0.8, 0.05, 0.97), (6, 0.2, 0.5, 0.3, 0.8), (20, 0.02, 0.9, 0.01, 1),
                (3, 0.5, 0.5, 0.5, 0.3)]
    # no faults, faults only, nothing indicted, all indicted, all right, all wrong, nothing judged
    edges = [(5, 0, 1, 0.2, 1), (5, 1, 0.5, 0, 1), (5, 0.4, 0, 0, 1), (5, 0.4, 1, 1, 1),
             (5, 0.4, 1, 0, 1), (5, 0.4, 0, 1, 1), (5, 0.4, 1, 1, 0), (5, 0, 0, 0, 1)]
    others = "scikit-learn, numpy and the definitions"
    checks = [("scipy: Wilson's intervals", check_wilson),
              (f"{others}: random runs", lambda: check_runs(many(21, ordinary))),
              (f"{others}: one class only", lambda: check_runs(many(22, edges)))]
    failed = 0
    for name, run in checks:
        bad, what = run()
        print(f"{'not ' if bad else ''}ok - agrees with {name} ({what})")
        for line in bad[:10]:
            print(f"# {line}")
        failed |= bool(bad)
    return failed


if __name__ == "__main__":
    sys.exit(main())
