# SPDX-License-Identifier: BSD-2-Clause
"""Recorded and simulated runs whose faults are known, scored by `limpet evaluate`: sections testbed, simulated,
curves and papers."""
import csv
import json
import os
import re
import shutil

from base import HERE, RULES, SCORES, SHORT, call, die, limpet, say


def evaluate(run, data, method, truth, *options, groups=("all", "cluster", "fault", "workload"), misses=True,
             name=None):
    """Adds the scores of a method on labelled runs, and each run in which something was wrong. Without
    a model that it needs, or where it could judge nothing, a method has no rows."""
    words = ("evaluate", "--method", method, *options, truth)
    name = name or method.replace(",", "+")
    lines = list(csv.DictReader(limpet(*words, "--csv", status=None).splitlines()))
    if call.status or not lines or lines[-1]["failed_faulty"] + lines[-1]["failed_fault_free"] == \
            lines[-1]["runs_faulty"] + lines[-1]["runs_fault_free"]:
        say(f"{data}: {name} could not judge these runs")
        return
    for r in lines:
        if r["group"] in groups:
            short = [f"{float(r[c]):.3g}" if c.endswith(("_lo", "_hi", "mcc", "_s")) and r[c] else r[c]
                     for c in SCORES[8:]]
            run.add("scores", data, name, r["group"], r["cluster"], r["fault"], r["workload"], *short)
    if misses:
        for each in json.loads(limpet(*words, "--json", "--runs", status=(0, 1)))["each"]:
            miss(run, data, name, each, os.path.dirname(os.path.abspath(truth)))


def miss(run, data, name, each, folder):
    wrong = {"failed": ["failed"], "not-judged": ["not judged"], "miss": ["not found"],
             "miss+alarm": ["not found", "alarm"], "hit+alarm": ["alarm"], "alarm": ["alarm"]}.get(
                 each["verdict"], [])
    wrong += [what for what in ("cause", "direction") if each["verdict"].startswith("hit") and
              each[f"{what}_right"] is False]
    if not wrong:
        return
    said = []
    for i in each["indicted"] if name == "robust" else []:
        way = f" ({i['direction']})" if i["direction"] else ""
        said.append(f"{i['node']} {i['cause']}{way} after {i['after_s']:.0f} s{' *' if i['alarm'] else ''}")
    source = os.path.relpath(each["source"], folder) if each["source"].startswith("/") else each["source"]
    run.add("misses", data, name, re.sub(r"/?(runs|series)(?=/|$)", "", source).strip("/"), each["fault"],
            " ".join(each["nodes"]), "; ".join(wrong), "; ".join(said))


def simulated(run, name, *options):
    to = f"{run.work}/{name}"
    shutil.rmtree(to, ignore_errors=True)
    call(f"{HERE}/simulated-runs", "--no-model", *options, to)
    return to


def train(folder, name, rounds, workloads, *options):
    """FOLDER/NAME.json from the first rounds of training of one cluster."""
    runs = [f"{folder}/train/{w}-{i}" for i in range(rounds) for w in workloads]
    limpet("train", *options, "-o", f"{folder}/{name}.json", *runs)


def labelled(folder, name, column):
    """A copy of the truth that names models: column(row) gives the model's path below the folder."""
    with open(f"{folder}/truth.csv", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    with open(f"{folder}/{name}.csv", "w", encoding="utf-8") as f:
        w = csv.DictWriter(f, rows[0].keys())
        w.writeheader()
        for r in rows:
            w.writerow(dict(r, model=column(r)))
    return f"{folder}/{name}.csv"


def per_cluster(model):
    return lambda r: f"{r['cluster'].replace('/', 'x')}/{model}.json"


def measure_testbed(run):
    """Recordings of tools/matrix (--testbed), all methods."""
    for folder in run.testbeds:
        truth = f"{folder}/truth.csv"
        if not os.path.exists(truth):
            die(f"'{folder}' has no truth.csv")
        with open(f"{folder}/plan", encoding="utf-8") as f:
            plan = f.read().splitlines()[1].lstrip("# ")
        name = os.path.basename(folder.rstrip("/"))
        run.how += f"{name}: {plan}; "
        evaluate(run, name, "robust", truth)
        for m in RULES:
            evaluate(run, name, m, truth, *SHORT, misses=False)
        for m in ("kl,cwnd", "ganesha"):
            evaluate(run, name, m, truth)
    if not run.testbeds:
        say("no --testbed was given: passed over")


def measure_simulated(run):
    """Simulated clusters, all faults, all methods."""
    scope = ("--clusters", "6/6", "--workloads", "ddw", "--seconds", "240") if run.quick else ("--seconds", "300")
    run.how = f"tools/simulated-runs --set robust --repeat {1 if run.quick else 2} --fault-from 120 " + \
        "--fault-seconds 100 --training 1 --with --unread " + " ".join(scope)
    folder = simulated(run, "set", *run.how.split()[1:])
    truth, loads = f"{folder}/truth.csv", ("ddw", "ddr", "postmark")
    evaluate(run, "all faults", "robust", truth)
    for m in RULES:
        evaluate(run, "all faults", m, truth, *SHORT, misses=False)
    for d in clusters_of(folder):
        train(d, "long", 1, loads, "--method", "kl,cwnd,ganesha")
        train(d, "short", 1, loads, "--method", "kl,cwnd", "--window", "32", "--shift", "8")
    long, short = (labelled(folder, m, per_cluster(m)) for m in ("long", "short"))
    evaluate(run, "all faults", "kl,cwnd", long)
    evaluate(run, "all faults", "kl,cwnd", short, "--slack", "1.2", name="kl+cwnd 32/8")
    evaluate(run, "all faults", "ganesha", long)


def clusters_of(folder):
    return [f"{folder}/{d}" for d in sorted(os.listdir(folder)) if os.path.isdir(f"{folder}/{d}/runs")]


POINTS = {"heterogeneity": (0, 0.06, 0.12, 0.25, 0.5), "imbalance": (0, 0.05, 0.1, 0.2, 0.4),
          "noise": (0.5, 1, 2, 3), "servers": (3, 4, 6, 10, 20, 50), "severity": (1.2, 1.5, 2, 3, 5)}


def measure_curves(run):
    """The same where one thing changes: how slow, how noisy, how many ..."""
    run.how = "tools/simulated-runs --repeat 1 --seconds 240 --fault-from 90 --fault-seconds 120 --training 0"
    faults = "disk-hog slow-disk send-packet-loss receive-packet-loss cpu-hog"
    for axis, values in (("severity", (2,)),) if run.quick else POINTS.items():
        for value in values:
            these = "slow-disk io-scheduler" if axis == "severity" else faults
            size = value if axis == "servers" else 10
            more = ["--intensity", value] if axis == "severity" else \
                ["--with", "" if axis == "servers" else f"--{axis} {value}"]
            folder = simulated(run, "curve", *run.how.split()[1:], "--clusters", f"{size}/{size}", "--workloads",
                               "mixed" if run.quick else "mixed ddr", "--faults", these + " none none", *more)
            evaluate(run, f"{axis} {value}", "robust", f"{folder}/truth.csv", groups=("all",))


def measure_papers(run):
    """FAST'10 and Ganesha as their papers have them, each with less training than they had."""
    rounds = (1, 2) if run.quick else (1, 8)
    scope = ("--clusters", "6/6", "--workloads", "ddw", "--seconds", "300") if run.quick else ()
    run.how = f"tools/simulated-runs --repeat 1 --training {rounds[-1]} {' '.join(scope)}; --hadoop --repeat 2"
    folder = simulated(run, "fast10", "--repeat", 1, "--training", rounds[-1], *scope)
    for n in rounds:
        for d in clusters_of(folder):
            train(d, f"r{n}", n, ("ddw", "ddr", "postmark"), "--method", "kl,cwnd")
        truth = labelled(folder, f"r{n}", per_cluster(f"r{n}"))
        for slack in ("1", "1.5"):
            evaluate(run, f"FAST'10 {n} x {slack}", "kl,cwnd", truth, "--slack", slack, misses=False)
    evaluate(run, "FAST'10", "robust", f"{folder}/truth.csv")
    if run.quick:
        return
    partition(run)
    hadoop_runs(run, 10, ("randwriter", "sort", "nutch"))


def hadoop_runs(run, n, loads):
    """Two clusters, trained on the smaller one only."""
    small = simulated(run, "small", "--hadoop", "--clusters", 5, "--repeat", 2, "--training", n)
    large = simulated(run, "large", "--hadoop", "--clusters", 15, "--repeat", 2, "--training", 0)
    train(f"{small}/5", "own", n, loads, "--method", "ganesha")
    for w in loads:
        train(f"{small}/5", f"cross-{w}", n, [x for x in loads if x != w], "--method", "ganesha")
    for name, model in (("own", lambda r: "own"), ("cross", lambda r: f"cross-{r['workload']}")):
        truths = [labelled(folder, name, lambda r: f"{small}/5/{model(r)}.json") for folder in (small, large)]
        evaluate(run, f"Hadoop {name}", "ganesha", truths[1], truths[0], misses=False,
                 groups=("all", "cell", "cluster"))


def partition(run):
    """Each server beside K others, drawn anew each window, instead of beside all."""
    folder = simulated(run, "wide", "--clusters", "40/40", "--training", 2, "--repeat", 1, "--workloads", "ddw ddr")
    for k in (0, 4, 10):
        some = ("--partition", k) if k else ()
        train(f"{folder}/40x40", f"k{k}", 2, ("ddw", "ddr", "postmark"), "--method", "kl,cwnd", *some)
        evaluate(run, f"40/40 {k or 'all'} others", "kl,cwnd", labelled(folder, f"k{k}", per_cluster(f"k{k}")),
                 "--slack", "1.5", groups=("all",), misses=False)
