#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every line of evidence again, from what limpet show prints, as METHOD.md, "Checking a finding by hand", says.

For each finding of each recording: value, peers' median and ratio over the time that the line names. Nothing
of limpet's is used but its output: diagnose --json, show --csv, show --json (how long each second was) and show
--latencies. What cannot be computed again is in NOT_BY_HAND, with the reason. Prints TAP."""
import csv
import glob
import gzip
import io
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from datetime import datetime, timezone

O = os.environ.get("O", ".output")
RTOL = 1e-6
SPAN = 4  # s, an interval

# What cannot be computed again from what is printed, and why.
NOT_BY_HAND = {
    "together": "how far the disks are apart in an interval, and were so far, is not printed",
    "runq": "the run-queue delay's histogram is not printed; runq-delay is its mean, runq-p99 its 99 % quantile",
}

# signal: metric of a disk, weighted by seconds
DISK_NUMBERS = {"queue": "aqu-sz", "foreign-read": "foreign-rkB/s", "foreign-write": "foreign-wkB/s"}
# signal: operation, column of show --latencies; of what has none: column of show --csv, its weight
LATENCIES = {"read": ("read", "typical", "requests"), "write": ("write", "typical", "requests"),
             "read-device": ("read", "device-typical", "device-requests"),
             "write-device": ("write", "device-typical", "device-requests"),
             "read-await": ("read", "mean", "requests"), "write-await": ("write", "mean", "requests")}
AWAIT = {"read-await": ("r_await", "r/s"), "write-await": ("w_await", "w/s")}
EVENTS, PEERS, NEAR = 5, 4, 2  # requests in a cell, peers in it, cells to the nearest


def run(*args):
    done = subprocess.run([f"{O}/limpet", *args], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"limpet {' '.join(args)}: {done.stderr}")
    return done.stdout


def seconds(text):
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc).timestamp())


def number(text):
    return float(text) if text else math.nan


def median(values):
    return statistics.median(values)


class Recording:
    def __init__(self, path):
        self.length = {}  # (node, time): s
        for line in run("show", "--json", path).splitlines():
            row = json.loads(line)
            self.length[row["node"], seconds(row["time"])] = row.get("interval_s", 1.0)
        self.rows = defaultdict(list)  # (family, interval): [(node, instance, s, row)]
        self.covered = defaultdict(float)
        for (node, t), s in self.length.items():
            self.covered[node, t // SPAN * SPAN] += s
        for row in csv.DictReader(io.StringIO(run("show", "--csv", path))):
            t = seconds(row["time"])
            self.rows[row["family"], t // SPAN * SPAN].append(
                (row["node"], row["instance"], self.length[row["node"], t], row))
        self.lat = defaultdict(list)
        for row in csv.DictReader(io.StringIO(run("show", "--latencies", path))):
            self.lat[seconds(row["time"]) // SPAN * SPAN].append(row)

    def present(self, node, at):
        """At least half of the interval was recorded."""
        return round(self.covered[node, at]) >= SPAN / 2

    def mean(self, at, family, metric, weight=None):
        """{(node, instance): mean over the interval's seconds}, of each its length (times another metric)."""
        return {k: s / n for k, (s, n) in self.sums(at, family, metric, weight).items() if n > 0}

    def sums(self, at, family, metric, weight=None):
        out = defaultdict(lambda: [0.0, 0.0])
        for node, instance, s, row in self.rows[family, at]:
            x, w = number(row[metric]), s * (number(row[weight]) if weight else 1)
            if not math.isnan(x) and w > 0 and self.present(node, at):
                out[node, instance][0] += w * x
                out[node, instance][1] += w
        return out


def one_sum(r, at, metric, family="tcp"):
    """Of each server: the sum over its seconds (and instances)."""
    out = defaultdict(float)
    for (node, _), (s, _) in r.sums(at, family, metric).items():
        out[node] += s
    return out


def share(r, at, part, of, least):
    part, of = one_sum(r, at, part), one_sum(r, at, of)
    return {(n, ""): 100 * part[n] / of[n] for n in of if n in part and of[n] >= least}


def plus(*parts):
    """Added up by server; those that have any."""
    out = defaultdict(float)
    for p in parts:
        for (node, _), x in p.items():
            out[node, ""] += x
    return dict(out)


def own_kb(r, at):
    """Of each disk: what was read and written, less others'."""
    out = defaultdict(float)
    for metric, sign in (("rkB/s", 1), ("wkB/s", 1), ("foreign-rkB/s", -1), ("foreign-wkB/s", -1)):
        for k, x in r.mean(at, "disk", metric).items():
            out[k] += sign * x
    return {k: max(0, x) for k, x in out.items()}


def numbers(r, signal, at):
    """What each disk or server showed in an interval, as it is compared; None: of no such signal."""
    if signal in DISK_NUMBERS:
        return r.mean(at, "disk", DISK_NUMBERS[signal])
    if signal == "disk-kb":
        return own_kb(r, at)
    if signal == "retrans":
        return share(r, at, "retrans/s", "odseg/s", 40)
    if signal == "retrans-in":
        return {k: x for k, x in share(r, at, "retrans/s", "idseg/s", 13).items() if x <= 100}
    if signal == "ooo":
        return share(r, at, "ooo/s", "idseg/s", 40)
    if signal == "pure-ack":
        data_in, out, data = (one_sum(r, at, m) for m in ("idseg/s", "oseg/s", "odseg/s"))
        return {(n, ""): max(0, out[n] - data[n]) / data_in[n] for n in data_in
                if data_in[n] >= 40 and data_in[n] > data[n]}
    if signal == "srtt":
        return r.mean(at, "tcp", "srtt", "tcp-active")
    if signal == "cwnd":
        return {k: math.exp(-x) for k, x in r.mean(at, "tcp", "cwnd-ln", "tcp-active").items()}
    if signal == "idle":
        work = plus(own_kb(r, at), r.mean(at, "tcp", "tcp-rxkB/s"), r.mean(at, "tcp", "tcp-txkB/s"))
        return {k: 1 / (64 + x) for k, x in work.items()}
    if signal in ("net-rx", "net-tx"):
        return r.mean(at, "tcp", f"tcp-{signal[4:]}kB/s")
    if signal == "cpu":
        idle, wait = r.mean(at, "host", "%idle"), r.mean(at, "host", "%iowait")
        return {k: max(0, 100 - x - wait.get(k, 0)) for k, x in idle.items()}
    if signal in ("steal", "mem-pressure", "unread"):
        family, metric = {"steal": ("host", "%steal"), "mem-pressure": ("host", "%smem"),
                          "unread": ("tcp", "tcp-unread")}[signal]
        return r.mean(at, family, metric)
    if signal in ("mem-stall", "swap"):
        a, b = {"mem-stall": ("pgscand/s", "allocstall/s"), "swap": ("pswpin/s", "pswpout/s")}[signal]
        a, b = r.mean(at, "host", a), r.mean(at, "host", b)
        return {k: a[k] + b[k] for k in a if k in b}
    if signal in ("foreign-rx", "foreign-tx"):
        return foreign(r, at, signal[8:])
    return None


def foreign(r, at, way):
    """What the interfaces carried besides the file system's sockets, 66 bytes of headers a segment."""
    length = defaultdict(float)
    for node, _, s, _ in r.rows["tcp", at]:
        length[node] += s
    carried = one_sum(r, at, f"{way}kB/s", "net")
    own, segments = one_sum(r, at, f"tcp-{way}kB/s"), one_sum(r, at, "iseg/s" if way == "rx" else "oseg/s")
    again = one_sum(r, at, "retrans/s") if way == "tx" else defaultdict(float)
    out = {}
    for n in carried:
        if n in own and n in segments and length[n] > 0:
            rest = carried[n] - own[n] - segments[n] * 66 / 1024 - again[n] * 1448 / 1024
            out[n, ""] = 0.0 if rest < 0.05 * own[n] else rest / length[n]
    return out


# ---- latencies: cells of equal load ---------------------------------------------------------------------

def cells_of(r, signal, at):
    """{disk: {(size, load): [mean ln, requests]}}; load None: all of them together."""
    operation, column, count = LATENCIES[signal]
    mean = column == "mean"
    sums = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for row in r.lat[at]:
        n = number(row[count])
        if row["operation"] != operation or not n > 0 or not r.present(row["node"], at):
            continue
        load = math.floor(2 * math.log2(float(row["requests"]) / number(row["interval_s"] or "1")))
        x = number(row[column])
        for k in (load, None):
            cell = sums[row["node"], row["instance"]][row["size"], k]
            cell[0] += n * (x if mean else math.log(x))
            cell[1] += n
    out = {e: {k: (math.log(s / n) if mean else s / n, n) for k, (s, n) in c.items()} for e, c in sums.items()}
    if signal in AWAIT:
        for e, (s, n) in r.sums(at, "disk", *AWAIT[signal]).items():
            if e not in out and s > 0:
                out[e] = {("all", None): (math.log(s / n), n)}
    return out


def against(cells, e, own, key):
    """(peers' median ln, weight, usual number of requests) in a cell of this key; None: too few peers."""
    classes = sum(any(k[0] == key[0] for k in c) for c in cells.values())
    others = [c[key] for o, c in cells.items() if o != e and key in c and c[key][1] >= EVENTS]
    if len(others) < max(2, min(PEERS, classes - 1)):
        return None
    usual = median([n for _, n in others])
    return median([x for x, _ in others]), min(own[1], usual), usual


def latency(cells, e):
    """ln value and ln peers of a disk in an interval, weighted over its cells; None: it was not compared."""
    parts = []
    for size in sorted({k[0] for k in cells.get(e, {})}):
        mine = {k[1]: c for k, c in cells[e].items() if k[0] == size}
        done, lonely, compared = 0.0, False, False
        for load in sorted(k for k in mine if k is not None):
            own = mine[load]
            if own[1] < EVENTS:
                continue
            found = against(cells, e, own, (size, load))
            for far in range(1, NEAR + 1):
                if found:
                    break
                near = [x for x in (against(cells, e, own, (size, load + d)) for d in (-far, far)) if x]
                found = max(near, key=lambda x: x[0]) if near else None  # the peers that are slower
            if not found:
                lonely = True
                continue
            parts.append((own[0], found[0], found[1]))
            done += own[1]
            compared = True
        own = mine[None]
        if (lonely or not compared) and own[1] >= EVENTS and own[1] > done:
            found = against(cells, e, own, (size, None))
            if found and own[1] <= 1.4142 * found[2]:
                parts.append((own[0], found[0], min(found[1], own[1] - done)))
    total = sum(w for _, _, w in parts)
    return (sum(v * w for v, _, w in parts) / total, sum(p * w for _, p, w in parts) / total) if total else None


# ---- findings ---------------------------------------------------------------------------------------------

def compared(r, signal, e, at, added):
    """Value and peers of one interval, latencies as logarithms; None: it was not compared."""
    if signal in LATENCIES:
        return latency(cells_of(r, signal, at), e)
    x = numbers(r, signal, at)
    others = [v for k, v in x.items() if k != e]
    if e not in x or len(others) < 2 or not (x[e] + added > 0 and median(others) + added > 0):
        return None
    return x[e], median(others)


def shown(signal, x):
    """What is shown of what was compared."""
    if signal == "cwnd":
        return 1 / x
    if signal == "idle":
        return 1 / x - 64
    return math.exp(x) if signal in LATENCIES else x


def again(r, f):
    """Value, peers and ratio of a finding of series files."""
    e = (f["server"], f["disk"] or "")
    added = f["added_to_inverse_of_both"] or (0 if f["signal"] == "idle" else f["added_to_both"] or 0)
    end = seconds(f["window_end"])
    pairs = [compared(r, f["signal"], e, at, added) for at in range(end - round(f["window_s"]), end, SPAN)]
    pairs = [p for p in pairs if p]
    value, peers = (sum(p[i] for p in pairs) / len(pairs) for i in (0, 1))
    if f["signal"] in LATENCIES:
        ratio = math.exp(value - peers)
    else:
        ratio = (value + added) / (peers + added)
    return shown(f["signal"], value), shown(f["signal"], peers), ratio / f["own_usual_ratio"]


def far(got, want):
    return abs(got - want) / max(abs(want), 1e-9) if got is not None else math.inf


failed = 0


def report(name, bad, n):
    global failed
    failed += bool(bad)
    print(f"{'not ok' if bad else 'ok'} - {name}: {n} lines of evidence")
    for line in bad[:10]:
        print(f"# {line}")


def findings(*args):
    verdict = json.loads(run("diagnose", "--json", *args))
    return [f for i in verdict["incidents"] for f in i["findings"]]


def check(name, path, least):
    r, bad, n = Recording(path), [], 0
    for f in findings(path):
        if f["signal"] in NOT_BY_HAND:
            print(f"# {f['server']} {f['signal']}: {NOT_BY_HAND[f['signal']]}")
            continue
        n += 1
        want = again(r, f)
        for word, x in zip(("value", "peers_median", "ratio"), want):
            if not far(f[word], x) <= RTOL:
                bad.append(f"{f['server']} {f['disk']} {f['signal']}: {word} {f[word]} is not {x}")
    if n < least:
        bad.append(f"{n} lines only")
    report(name, bad, n)


def check_table(name, path, column, least, *options, load=None):
    """A column of a table, entities being node and instance if there is one; with a load only the value."""
    octave = math.log(2) + 1e-12
    verdict = json.loads(run("diagnose", "--json", *options, path))
    samples, bad, n = defaultdict(list), [], 0  # by entity: (time, value, load)
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            if row[column]:
                t = seconds(row["time"]) if ":" in row["time"] else float(row["time"])
                samples[row["node"], row.get("instance", "")].append(
                    (t, float(row[column]), number(row[load]) if load else 1.0))
    first, step = min(x[0] for v in samples.values() for x in v), verdict["judged"]["interval_s"]
    for f in (f for i in verdict["incidents"] for f in i["findings"]):
        added = f["added_to_both"] or 0
        e = (f["server"], f["disk"] or "")
        ln = defaultdict(lambda: defaultdict(list))  # by interval and entity
        end = seconds(f["window_end"])
        for k, values in samples.items():
            for t, v, x in values:
                if first + (t - first) // step * step < end and v + added > 0 and x > 0:
                    ln[(t - first) // step][k].append((math.log(v + added), math.log(x)))
        means, seen, lately = [], defaultdict(int), defaultdict(float)  # by entity: slower than the median, whatever the load
        for at, of in sorted(ln.items()):
            m = {k: [sum(p[i] for p in x) / len(x) for i in (0, 1)] for k, x in of.items()}
            y, x = (median([o[i] for o in m.values()]) for i in (0, 1))
            # compared are those that have two others within twice their load, and those with less to do than
            # the median that were slower by a tenth in the intervals before: 20 of them, which are forgotten by and by
            near = {k for k, o in m.items() if sum(abs(o[1] - z[1]) <= octave for z in m.values()) > 2}
            near |= {k for k, o in m.items() if o[1] < x and seen[k] >= 20 and lately[k] > 0.1}
            for k, o in m.items():
                lately[k] += (o[0] - y - lately[k]) / 20
                seen[k] += 1
            m = {k: m[k][0] for k in near}
            if e in m and len(m) >= 3 and first + at * step >= end - f["window_s"]:
                means.append(m)
        value = sum(m[e] for m in means) / len(means)
        # the residual is against the median of all, which is that of the interval
        peers = sum(median(m.values()) for m in means) / len(means)
        want = [("value", math.exp(value) - added)]
        if not load:
            want += [("peers_median", math.exp(peers) - added),
                     ("ratio", math.exp(value - peers) / f["own_usual_ratio"])]
        n += 1
        for word, x in want:
            if not far(f[word], x) <= RTOL and abs(f[word] - x) > 1e-9 * added:
                bad.append(f"{f['server']} {f['disk']} {f['signal']}: {word} {f[word]} is not {x}")
    if n < least:
        bad.append(f"{n} lines only")
    report(name, bad, n)


check("disk-hog", "tests/data/disk-hog/series", 4)
check("replay", "tests/data/replay/series", 3)
with tempfile.TemporaryDirectory() as folder:
    for metric in ("foreign-rkB/s", "%util"):
        with open(f"{folder}/table.csv", "w", encoding="utf-8") as out:
            out.write(run("show", "--csv", "-f", "disk", "-m", metric, "tests/data/disk-hog/series"))
        check_table(f"disk-hog as a table: {metric}", f"{folder}/table.csv", metric, 1, "--instance", "instance",
                    "--signal", metric, *(("--floor", "1024") if metric[0] == "f" else ()))
if os.environ.get("LIMPET_TEST_DATA"):
    for path in sorted(glob.glob(os.environ["LIMPET_TEST_DATA"] + "/failslow-drives/h*.csv.gz")):
        check_table(f"real drives: {os.path.basename(path)}, values", path, "latency", 0, "--signal", "latency",
                    "--given", "throughput", load="throughput")
# Simulated ones, for the signals of faults that nobody recorded here.
for fault, workload in (("disk-hog", "ddw"), ("write-network-hog", "ddr"), ("read-network-hog", "ddw"),
                        ("receive-packet-loss", "ddw"), ("send-packet-loss", "ddr"), ("slow-disk", "mixed"),
                        ("memory-pressure", "mixed"), ("cpu-hog", "mixed"), ("hang", "ddw")):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([f"{O}/simulate", "pfs", "--servers", "6", "--clients", "6", "-w", workload, "-f", fault,
                        "--seconds", "300", "--fault-from", "100", "--fault-seconds", "150", "--seed", "5", "--brief", folder],
                       check=True, capture_output=True)
        check(f"simulated: {fault}, {workload}", folder, 1)
sys.exit(failed > 0)
