#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Method ganesha as a whole against an independent implementation in numpy and scipy.

Seeded tables go through `limpet train` and `limpet diagnose --explain`. From the model's profiles
everything else is computed here straight from the numbers, with the figures of the paper in hand:
sigma, the unknown distance, the threshold, the weighted count, every distance and alarm of every
second, and the findings. Prints TAP."""
import json
import os
import subprocess
import sys
import tempfile
import warnings
from datetime import datetime, timezone

sys.dont_write_bytecode = True  # the tree stays as it is
warnings.simplefilter("ignore")
try:
    import numpy as np
    from scipy.spatial.distance import jensenshannon
    from scipy.stats import multivariate_normal
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-scipy)")
    sys.exit(77)

from distance_reference import fill
from recordings import O, T0, second_of

RTOL = 1e-9
LAMBDA, DECAY, ROW, SIGMA_MIN = 0.99, 0.95, 20, 0.01
WARM_UP = 100
PAPER = {"%user": 30, "%system": 9, "%iowait": 5, "cswch/s": 4000, "runq-sz": 3, "plist-sz": 300,
         "ldavg-1": 2, "rxkB/s": 9000, "txkB/s": 4000, "pgpgin/s": 500, "pgpgout/s": 8000,
         "fault/s": 900, "bread/s": 1000, "bwrtn/s": 16000}
SCALE = {"rxkB/s": 1024, "txkB/s": 1024, "bread/s": 512, "bwrtn/s": 512}


def recording(rng, n, seconds, levels, fault):
    """{metric: n x seconds}: four behaviours shared by all nodes, each node late now and then."""
    behaviour = np.repeat(rng.integers(0, 4, seconds // 7 + 2), 7)
    profile = rng.normal(0, 0.8, (4, len(levels)))
    data = {}
    late = rng.integers(0, 4, (n, seconds))
    at = behaviour[np.arange(seconds)[None, :] + 4 - late]
    for k, (m, level) in enumerate(levels.items()):
        data[m] = level * np.exp(profile[at, k] + 0.25 * rng.normal(0, 1, (n, seconds)))
    first = list(levels)[0]
    if fault:
        data[first][1, seconds // 3:seconds // 3 + 160] *= 4
        data[first][1, seconds // 3 + 220:seconds // 3 + 300] *= 4
    for x in data.values():
        x[rng.random((n, seconds)) < 0.01] = np.nan
    for x in data.values():  # a short gap, a long one, a late start
        x[2, 150:165] = np.nan
        x[0, 200:240] = np.nan
        x[n - 1, :30] = np.nan
    return data


def write(path, data):
    n, seconds = next(iter(data.values())).shape
    with open(path, "w", encoding="utf-8") as f:
        f.write("time,node," + ",".join(data) + "\n")
        for t in range(seconds):
            for i in range(n):
                cells = ["" if np.isnan(x[i, t]) else f"{x[i, t]:.17g}" for x in data.values()]
                f.write(f"{T0 + t},n{i:02}," + ",".join(cells) + "\n")


class Ganesha:
    """Deployment: n x T histograms and distances, from the profiles of a model."""

    def __init__(self, data, model):
        self.g = g = model["methods"]["ganesha"]
        self.d, self.k = len(g["metrics"]), len(g["profiles"])
        self.raw = np.stack([np.stack([fill(y) for y in data[m]]) for m in g["metrics"]], axis=-1)
        scale = np.array([SCALE.get(m, 1) for m in g["metrics"]])
        self.ln = np.where(self.raw * scale > -1, np.log(self.raw * scale + 1), np.nan)
        self.x = self.ln / g["sigma"]
        self.there = ~np.isnan(self.x).any(axis=-1)
        self.profiles = []
        for p in g["profiles"]:
            cov = np.zeros((self.d, self.d))
            cov[np.tril_indices(self.d)] = p["cov"]
            self.profiles.append((np.array(p["mean"]), cov + np.tril(cov, -1).T))
        flat = self.x[self.there]
        self.logp = np.column_stack([multivariate_normal(m, c).logpdf(flat).reshape(-1)
                                     for m, c in self.profiles])
        far = [np.sqrt(np.einsum("nd,de,ne->n", flat - m, np.linalg.inv(c), flat - m))
               for m, c in self.profiles]
        best = self.logp.argmax(1)
        self.far = np.choose(best, far)
        self.label = np.full(self.there.shape, -1)
        self.label[self.there] = np.where(self.far > g["unknown"], self.k, best)

    def seconds(self):
        """For each second {node: (k-th largest distance, all distances)}; {} if under three."""
        n, seconds = self.there.shape
        hist, age = np.zeros((n, self.k + 1)), np.zeros(n)
        for t in range(seconds):
            for i in np.flatnonzero(self.there[:, t]):
                hist[i] *= LAMBDA
                hist[i, self.label[i, t]] += 1
                age[i] += 1
            who = [i for i in range(n) if self.there[i, t] and age[i] >= WARM_UP]
            if len(who) < 3:
                yield t, {}
                continue
            out = {}
            for i in who:
                d = np.array([jensenshannon(hist[i], hist[j]) for j in who if j != i])
                d[np.isnan(d)] = 0
                out[i] = np.sort(d)[::-1]
            yield t, out


def kth(d):
    """With n - 1 = len(d) peers: the (floor((n-1)/2)+1)-th largest."""
    return d[len(d) // 2]


def close(a, b):
    # scipy cancels where histograms are nearly equal
    return abs(a - b) <= max(RTOL * max(abs(a), abs(b)), 1e-7 if max(abs(a), abs(b)) < 1e-6 else 0)


def thresholds(ref):
    """The closed form written out: over all rows of 20 seconds, and the weighted count with it."""
    rows, best, all_seconds = {}, np.sqrt((ref.k - 1 or 1) * (1 - LAMBDA) / (4 * (1 + LAMBDA))), []
    for _, out in ref.seconds():
        all_seconds.append(out)
        for i in range(len(ref.there)):
            if i not in out:
                rows[i] = []
                continue
            rows[i] = (rows.get(i, []) + [kth(out[i])])[-ROW:]
            if len(rows[i]) == ROW:
                best = max(best, min(rows[i]))
    count, most, longest, row = {}, 0, 0, {}
    for out in all_seconds:
        for i in range(len(ref.there)):
            alarm = i in out and (out[i] > best).sum() > len(out[i]) / 2
            row[i] = row.get(i, 0) + 1 if alarm else 0
            longest = max(longest, row[i])
            if i in out:
                count[i] = DECAY * count.get(i, 0) + alarm
                most = max(most, count[i])
    return best, max(most, (1 - DECAY ** ROW) / (1 - DECAY)), longest


def trained(data, model):
    ref, bad = Ganesha(data, model), []
    g = ref.g
    ln = ref.ln[ref.there]
    sigma = np.maximum(SIGMA_MIN, ln.std(axis=0, ddof=1))
    top = ref.logp.max(axis=1)
    likelihood = (top + np.log(np.exp(ref.logp - top[:, None]).mean(axis=1))).mean()
    best, count, longest = thresholds(ref)
    want = {"unknown": max(np.quantile(ref.far, 0.999), np.sqrt(ref.d) + 3.1 / np.sqrt(2)),
            "distance": best, "alarm_count": count, "log_likelihood": likelihood,
            "vectors": len(ln)}
    bad += [f"{m}: sigma {a} is not {b}" for m, a, b in zip(g["metrics"], g["sigma"], sigma)
            if not close(a, b)]
    bad += [f"{name}: {g[name]} is not {v}" for name, v in want.items() if not close(g[name], v)]
    if longest >= ROW:
        bad.append(f"{longest} alarms in a row in training")
    return bad


def findings(ref, threshold, weighted):
    """{node: finding} of the rule, by what the figure and the text say."""
    g, found, state = ref.g, {}, {}
    for t, out in ref.seconds():
        for i in range(len(ref.there)):
            s = state.setdefault(i, {"row": 0, "count": 0, "pending": None, "proof": None})
            if i not in out:
                s["row"] = 0
                if not weighted:
                    s["pending"] = None
                continue
            alarm = (out[i] > threshold).sum() > len(out[i]) / 2
            s["row"] = s["row"] + 1 if alarm else 0
            s["count"] = DECAY * s["count"] + alarm
            if not alarm and (not weighted or s["count"] < 1):
                s["pending"] = None
            if alarm and s["pending"] is None:
                s["pending"] = []
            if s["pending"] is None:
                continue
            peers = [j for j in out if j != i]
            s["pending"].append((t, alarm, kth(out[i]) / threshold, ref.raw[i, t],
                                 np.median(ref.raw[peers, t], axis=0)))
            holds = s["count"] > g["alarm_count"] if weighted else s["row"] >= ROW
            if holds and alarm:
                if s["proof"] is None:
                    s["proof"], s["decided"] = [], t
                s["proof"] += s["pending"]
                s["pending"] = []
    scale = np.array([SCALE.get(m, 1) for m in g["metrics"]])
    for i, s in state.items():
        if s["proof"] is None:
            continue
        alarms = [p for p in s["proof"] if p[1]]
        mine, peers = np.stack([p[3] for p in alarms]), np.stack([p[4] for p in alarms])
        off = np.abs((np.log(mine * scale + 1) - np.log(peers * scale + 1)).mean(0) / g["sigma"])
        m = off.argmax()
        found[i] = {"signal": g["metrics"][m], "flagged": len(alarms),
                    "judged": len(s["proof"]),
                    "score": max(p[2] for p in alarms),
                    "value": mine.mean(0)[m], "peers_median": peers.mean(0)[m],
                    "from": alarms[0][0], "to": alarms[-1][0] + 1, "decided": s["decided"] + 1}
    return found


def judged(data, model, out, slack, weighted):
    ref, bad, n_seen, n_odd = Ganesha(data, model), [], 0, 0
    threshold = slack * ref.g["distance"]
    got = {(second_of(e), int(e["server"][1:])): e for e in out["looks"]}
    for t, second in ref.seconds():
        for i in range(len(ref.there)):
            e = got.get((t, i))
            if i not in second:
                if e is None or e["judged"]:
                    bad.append(f"second {t} n{i:02}: should abstain")
                continue
            above, n_seen = int((second[i] > threshold).sum()), n_seen + 1
            odd = above > len(second[i]) / 2
            n_odd += odd
            if e["above"] != above or not e["judged"] or e["flagged"] != odd or \
                    not close(e["score"], kth(second[i])) or not close(e["threshold"], threshold):
                bad.append(f"second {t} n{i:02}: {e} is not {above} {kth(second[i])}")
    want = findings(ref, threshold, weighted)
    have = {int(n["server"][1:]): n["findings"] for n in out["incidents"]}
    if sorted(want) != sorted(have):
        bad.append(f"indicted: {sorted(have)}, not {sorted(want)}")
    for i in set(want) & set(have):
        f = have[i][0]
        for name in ("from", "to", "decided"):
            at = datetime.fromisoformat(f[name].replace("Z", "+00:00")).astimezone(timezone.utc)
            f[name] = at.timestamp() - T0
        bad += [f"n{i:02} {name}: {f[name]} is not {v}" for name, v in want[i].items()
                if f[name] != v and (isinstance(v, str) or not close(f[name], v))]
    return bad, f"{n_seen} distances, {n_odd} alarms, indicted {sorted(want)}"


def check(folder, seed, n, levels, slack, weighted):
    rng = np.random.default_rng(seed)
    clean, faulty = (recording(np.random.default_rng(seed), n, 700, levels, False),
                     recording(rng, n, 700, levels, True))
    for name, data in (("clean", clean), ("faulty", faulty)):
        write(f"{folder}/{name}.csv", data)
    subprocess.run([f"{O}/limpet", "train", "--method", "ganesha", "-o", f"{folder}/model",
                    f"{folder}/clean.csv"], check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/model", encoding="utf-8") as f:
        model = json.load(f)
    bad = trained(clean, model)
    text = subprocess.run([f"{O}/limpet", "diagnose", "--model", f"{folder}/model", "--json",
                           "--explain", "--slack", str(slack), f"{folder}/faulty.csv"] +
                          (["--weighted"] if weighted else []), check=True,
                          capture_output=True).stdout
    more, what = judged(faulty, model, json.loads(text), slack, weighted)
    return bad + more, what


def main():
    other = {"a": 3, "b": 0.5, "c": 1e6}
    cases = [("the paper's metrics, six nodes", 21, 6, PAPER, 1, False),
             ("seven nodes, slack 1.3, the weighted count", 22, 7, PAPER, 1.3, True),
             ("unknown columns, three nodes", 23, 3, other, 1, False),
             ("unknown columns, five nodes, weighted, slack 0.7", 25, 5, other, 0.7, True)]
    failed = 0
    for name, seed, n, levels, slack, weighted in cases:
        with tempfile.TemporaryDirectory(prefix="limpet-numeric.") as folder:
            bad, what = check(folder, seed, n, levels, slack, weighted)
        print(f"{'not ' if bad else ''}ok - agrees with numpy and scipy: {name} ({what})")
        for line in bad[:10]:
            print(f"# {line}")
        failed |= bool(bad)
    return failed


if __name__ == "__main__":
    sys.exit(main())
