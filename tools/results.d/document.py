# SPDX-License-Identifier: BSD-2-Clause
"""RESULTS.md from the CSV files."""
import csv
import re

from base import FILES, HERE, RULES, die
from document_evidence import evidence
from markdown import NOTHING, table

METHODS = ("robust", "kl+cwnd", "kl+cwnd 32/8", "ganesha", *RULES)

# Pan et al., CMU-PDL-08-112, table 3, as printed: TP / FP of randwriter, sort, nutch.
PAPER = {
    ("5", "own", "cpu-hog"): "1.0 / 0, 1.0 / 0, 1.0 / 0",
    ("5", "cross", "cpu-hog"): "1.0 / 0, 1.0 / 0.03, 1.0 / 0",
    ("5", "own", "disk-hog"): "1.0 / 0.03, 1.0 / 0.03, 1.0 / 0",
    ("5", "cross", "disk-hog"): "1.0 / 0, 0.9 / 0.2, 1.0 / 0",
    ("5", "own", "packet-loss"): "0.7 / 0.03, 0.6 / 0.2, 0.7 / 0.33",
    ("5", "cross", "packet-loss"): "0.6 / 0, 1.0 / 0.48, 0.7 / 0.4",
    ("5", "own", "hang"): "1.0 / 0, 0 / 0, 0 / 0",
    ("5", "cross", "hang"): "0.9 / 0, 0 / 0, 0 / 0",
    ("15", "own", "cpu-hog"): "0.9 / 0.03, 1.0 / 0, 1.0 / 0.04",
    ("15", "cross", "cpu-hog"): "1.0 / 0.05, 1.0 / 0.11, 1.0 / 0.04",
    ("15", "own", "disk-hog"): "1.0 / 0.06, 1.0 / 0, 1.0 / 0.01",
    ("15", "cross", "disk-hog"): "1.0 / 0.05, 1.0 / 0.07, 1.0 / 0.01",
    ("15", "own", "packet-loss"): "0.5 / 0.06, 0.9 / 0.53, 0.7 / 0.06",
    ("15", "cross", "packet-loss"): "0.5 / 0.04, 1.0 / 0.63, 0.8 / 0.09",
    ("15", "own", "hang"): "1.0 / 0.02, 0 / 0, 0 / 0",
    ("15", "cross", "hang"): "1.0 / 0.04, 0.4 / 0.06, 0 / 0",
}


def share(r, rate):
    """In per cent, with Wilson's 95 % interval as `limpet evaluate` gives it."""
    if not int(r[f"{rate}_n"]):
        return "–"
    k, n, lo, hi = (float(r[f"{rate}_{x}"]) for x in ("k", "n", "lo", "hi"))
    return f"{100 * k / n:.0f} ({100 * lo:.0f}–{100 * hi:.0f})"


def of(r, rate):
    return f"{r[rate + '_k']} of {r[rate + '_n']}" if int(r[f"{rate}_n"]) else "–"


def seconds(r):
    return f"{float(r['ttd_median_s']):.0f}, {float(r['ttd_max_s']):.0f}" if r["ttd_median_s"] else "–"


COMMON = "right server % | right cause too % | within 60 s % | right direction % | another server % | " \
    "fault-free runs with an indictment % | seconds to the verdict: median, most"


def common(r):
    return [*(share(r, x) for x in ("itp", "dtp", "within_60s", "direction", "ifp", "false_alarm_runs")), seconds(r)]


def runs(r):
    return f"{r['runs_faulty']}, {r['runs_fault_free']}"


def picked(rows, section, **columns):
    return [r for r in rows if r["section"] == section and all(r[k] == v for k, v in columns.items())]


def by_method(rows):
    return sorted(rows, key=lambda r: (r["data"], METHODS.index(r["method"])))


def grid(rows, key, cell, about, heading):
    """A line for each value of a column, with a cell for each method that there is."""
    methods = [m for m in METHODS if any(r["method"] == m for r in rows)]
    lines = {}
    for r in rows:
        lines.setdefault(r[key], {})[r["method"]] = r
    return table(f"{heading} | {' | '.join(methods)}" if methods else heading,
                 [[k, *about(v[methods[0]]), *(cell(v[m]) if m in v else "–" for m in methods)]
                  for k, v in lines.items() if methods[0] in v])


def tables(csvs):
    scores = csvs["scores"]
    found = lambda r: f"{r['itp_k']}, {r['dtp_k'] if int(r['dtp_n']) else '–'}"
    alarms = lambda r: r["false_alarm_runs_k"]
    sim = lambda **c: picked(scores, "simulated", **c)
    total = sum(float(r["cpu_s"]) for r in csvs["made"])
    commit = csvs["made"][0]["commit"] if csvs["made"] else "none"
    t = {"made": f"Measured with commit {commit}, in {total / 60:.0f} minutes of "
                 "processor time.\n\n" +
                 table("section | date | machine | processor s | made by",
                       [[r["section"], r["date"], r["machine"], r["cpu_s"], f"`{r['how']}`"] for r in csvs["made"]])}
    for name in ("testbed", "simulated"):
        t[name] = table(f"runs of | method | runs with, without a fault | {COMMON}",
                        [[r["data"], r["method"], runs(r), *common(r)]
                         for r in by_method(picked(scores, name, group="all"))])
    faulty = lambda name: [r for r in picked(scores, name, group="fault") if int(r["runs_faulty"])]
    free = lambda name: [r for r in picked(scores, name, group="fault") if not int(r["runs_faulty"])]
    t["faults"] = grid(faulty("simulated"), "fault", found,
                       lambda r: [r["runs_faulty"], seconds(r), of(r, "direction")],
                       "fault | runs | robust: seconds | robust: right direction")
    t["free"] = grid(free("simulated"), "fault", alarms, lambda r: [r["runs_fault_free"]], "no fault | runs")
    for key in ("cluster", "workload"):
        t[key + "s"] = grid(sim(group=key), key, lambda r: f"{r['itp_k']}, {alarms(r)}",
                            lambda r: [runs(r)], f"{key} | runs with, without a fault")
    t["testbed-faults"] = table(
        "runs of | fault | runs | right server | right cause too | right direction | another server | seconds",
        [[r["data"], r["fault"], r["runs_faulty"], *(of(r, x) for x in ("itp", "dtp", "direction", "ifp")), seconds(r)]
         for r in faulty("testbed") if r["method"] == "robust"])
    t["testbed-free"] = table("runs of | no fault | runs | with an indictment",
        [[r["data"], r["fault"], r["runs_fault_free"], alarms(r)] for r in free("testbed") if r["method"] == "robust"])
    t["misses"] = table("section | runs of | run | fault | server | wrong | indicted (\\*: wrongly)",
        [[r["section"], r["data"], r["run"], r["fault"], r["server"] or "–", r["wrong"],
          r["said"].replace("*", "\\*") or "nobody"] for r in csvs["misses"] if r["method"] == "robust"])
    t["curves"] = table(f"one thing changed | value | runs with, without a fault | {COMMON}",
        [[*r["data"].split(), runs(r), *common(r)] for r in picked(scores, "curves")])
    t["fast10"] = table(f"rounds of training x slack | method | runs with, without a fault | {COMMON}",
        [[r["data"][8:] or "–", r["method"], runs(r), *common(r)]
         for r in picked(scores, "papers", group="all") if r["data"].startswith("FAST'10")])
    t["partition"] = table("each with | right server | precision | recall | MCC | fault-free runs with an indictment",
        [[r["data"][6:], of(r, "itp"), *(f"{number(r, x):.2f}" for x in ("precision", "recall")),
          r["mcc"] or "–", of(r, "false_alarm_runs")]
         for r in picked(scores, "papers", group="all") if r["data"].startswith("40/40")])
    t["hadoop"] = hadoop(scores)
    t["drives"] = table(
        "data | method | hosts with, without a slow drive | slow drives found | healthy drives beside them indicted | "
        "hosts without: with an indictment",
        [[r["data"], r["method"], runs(r), of(r, "tp"), of(r, "fp"), of(r, "false_alarm_runs")]
         for r in picked(scores, "public", group="all")])
    t["cases"] = table("data | case | options | truth | indicted | exit status | right",
        [[r["data"], r["case"], f"`{r['options']}`" if r["options"] else "–", r["truth"], r["said"], r["status"],
          "yes" if r["right"] == "1" else "**no**"]
         for r in csvs["public"]])
    t["cost"] = table("command | servers | seconds each | processor s | servers × seconds per s | peak MiB",
        [[f"`{r['what']}`", r["servers"], r["seconds"], r["cpu_s"],
          f"{int(r['servers']) * int(r['seconds']) / max(float(r['cpu_s']), 0.01):,.0f}", r["mib"]]
         for r in csvs["cost"]])
    t["probe"] = table("what | measured | budget | within it",
        [[r["what"], f"{r['measured']} {r['unit']}", r["budget"], "yes" if r["met"] == "1" else "**no**"]
         for r in csvs["probe"]])
    return t | evidence(csvs)


def number(r, rate):
    return float(r[f"{rate}_k"]) / int(r[f"{rate}_n"]) if int(r[f"{rate}_n"]) else float("nan")


def hadoop(scores):
    ours = {(r["cluster"].split("/")[1], r["data"].split()[1], r["fault"], r["workload"]): r
            for r in picked(scores, "papers", group="cell") if r["data"].startswith("Hadoop")}
    rows = []
    for (slaves, training, fault), paper in PAPER.items():
        cells = []
        for load, printed in zip(("randwriter", "sort", "nutch"), paper.split(", ")):
            r = ours.get((slaves, training, fault, load))
            cells += [f"{number(r, 'tp'):.1f} / {number(r, 'fp'):.2f}" if r else "–", printed]
        rows.append([slaves, "three workloads" if training == "own" else "the two others", fault, *cells])
    return table("slaves | trained on | fault | randwriter: ours | paper | sort: ours | paper | nutch: ours | paper",
                 rows if ours else [])


def read(folder):
    csvs, commits = {}, set()
    for name, heading in FILES.items():
        try:
            with open(f"{folder}/{name}.csv", encoding="utf-8", newline="") as f:
                csvs[name] = list(csv.DictReader(f))
        except OSError as e:
            die(f"cannot read '{e.filename}': {e.strerror}")
        if any(list(r) != heading for r in csvs[name]):
            die(f"'{folder}/{name}.csv' has other columns than '{','.join(heading)}'")
        commits |= {r["commit"] for r in csvs[name]}
    if len(commits) != 1:
        die(f"rows of more than one commit: {', '.join(sorted(commits)) or 'none'}")
    return csvs


def write(folder, check):
    with open(f"{HERE}/evaluation/RESULTS.md.in", encoding="utf-8") as f:
        text = f.read()
    made = tables(read(folder))
    marks = re.findall(r"^@([a-z0-9-]+)@\n", text, re.M)
    if set(marks) != set(made):
        die(f"RESULTS.md.in and the tables differ: {', '.join(sorted(set(marks) ^ set(made)))}")
    text = re.sub(r"^@([a-z0-9-]+)@\n", lambda m: made[m[1]], text, flags=re.M)
    if check:
        with open(f"{folder}/RESULTS.md", encoding="utf-8") as f:
            if f.read() != text:
                die(f"'{folder}/RESULTS.md' is not what its CSV files give: run tools/results write {folder}")
        return
    with open(f"{folder}/RESULTS.md", "w", encoding="utf-8") as f:
        f.write(text)
