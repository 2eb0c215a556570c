# SPDX-License-Identifier: BSD-2-Clause
"""RESULTS.md from the CSV files."""
import collections
import csv
import re

from base import FILES, HERE, RULES, die
from document_evidence import evidence
from markdown import NOTHING, added, by_system, percent, picked, sentence, table

METHODS = ("robust", "kl+cwnd", "kl+cwnd 32/8", "ganesha", *RULES)
RATES = {"right server": "itp", "right cause too": "dtp", "within 60 s": "within_60s", "another server": "ifp",
         "fault-free runs: indicted": "false_alarm_runs"}
MARK = r"@([a-z0-9-]+)@"
# Faults by what is short or broken; a fault that has no row here has one of its own.
RESOURCES = {"disk-hog": "disk", "disk-busy": "disk", "slow-disk": "disk", "io-scheduler": "disk",
             "write-network-hog": "network", "read-network-hog": "network", "receive-packet-loss": "network",
             "send-packet-loss": "network", "cpu-hog": "processor, memory", "memory-pressure": "processor, memory"}


def share(r, rate):
    return percent(r[f"{rate}_k"], r[f"{rate}_n"])


def of(r, rate):
    return f"{r[rate + '_k']} of {r[rate + '_n']}" if int(r[f"{rate}_n"]) else "–"


def seconds(r):
    return f"{float(r['ttd_median_s']):.0f}, {float(r['ttd_max_s']):.0f}" if r["ttd_median_s"] else "–"


def most(r):
    return f"{float(r['ttd_max_s']):.0f}" if r["ttd_max_s"] else "–"


def made(rows):
    some = lambda column: " and ".join(sorted({r[column] for r in rows}))
    return sentence("Measured on ", [f"{some('date')} with commit {some('commit')} on {some('machine')}"] if rows else [])


def testbed(scores):
    rows = added(by_system(picked(scores, section="testbed", group="all")), "data", "method")
    return table(f"system | method | runs with, without a fault | {' % | '.join(RATES)} % | most s",
                 [[r["data"], r["method"], f"{r['runs_faulty']}, {r['runs_fault_free']}",
                   *(share(r, x) for x in RATES.values()), most(r)]
                  for r in sorted(rows, key=lambda r: (r["data"], METHODS.index(r["method"])))])


def testbed_faults(scores):
    """What `robust` found of each fault, on all systems."""
    rows = [r for r in picked(scores, section="testbed", group="fault", method="robust") if int(r["runs_faulty"])]
    return sentence("Right server of `robust`, by fault: ",
                    [f"{r['fault']} {r['itp_k']}/{r['itp_n']}" for r in added(rows, "fault")])


def simulated(scores):
    """A column for each method: shares, then runs by what is broken, and those where nothing is."""
    whole = {r["method"]: r for r in picked(scores, section="simulated", group="all")}
    methods = [m for m in METHODS if m in whole]
    if not methods:
        return NOTHING
    lines = [[f"{name} %", whole[methods[0]][f"{rate}_n"], *(share(whole[m], rate) for m in methods)]
             for name, rate in RATES.items() if rate != "within_60s"]
    lines.append(["seconds: median, most", whole[methods[0]]["itp_k"], *(seconds(whole[m]) for m in methods)])
    faults = [dict(r, fault=RESOURCES.get(r["fault"], r["fault"])) for r in picked(scores, section="simulated",
                                                                                  group="fault")]
    sums = {(r["fault"], r["method"]): r for r in added(faults, "fault", "method")}
    for name, count, hits in (("found", "runs_faulty", "itp_k"), ("indicted", "runs_fault_free", "false_alarm_runs_k")):
        lines += [[f"{name}: {r['fault']}", r[count], *(sums[r["fault"], m][hits] for m in methods)]
                  for r in sums.values() if r["method"] == methods[0] and int(r[count])]
    return table(f"what | runs | {' | '.join(methods)}", lines)


def curves(scores):
    axes = collections.defaultdict(list)
    for r in picked(scores, section="curves"):
        axes[r["data"].split()[0]].append(r)
    return table("what changes | values | right server, in runs | of | another server | most s",
                 [[axis, ", ".join(r["data"].split()[1] for r in rows), ", ".join(r["itp_k"] for r in rows),
                   rows[0]["itp_n"], of(added(rows)[0], "ifp"), most(added(rows)[0])]
                  for axis, rows in axes.items()])


def papers(scores):
    rows = picked(scores, section="papers", group="all")
    value = lambda r, rate: f"{int(r[rate + '_k']) / int(r[rate + '_n']):.2f}" if int(r[rate + "_n"]) else "–"
    return {
        "fast10": table("rounds x slack | method | right server % | another server % | fault-free runs: indicted % | "
                        "s: median, most",
            [[r["data"][8:] or "–", r["method"], share(r, "itp"), share(r, "ifp"), share(r, "false_alarm_runs"),
              seconds(r)] for r in rows if r["data"].startswith("FAST'10")]),
        "partition": sentence("Right server, precision, MCC: ",
            [f"with {r['data'][6:]} {of(r, 'itp')}, {value(r, 'precision')}, {r['mcc'] or '–'}"
             for r in rows if r["data"].startswith("40/40")]),
        "hadoop": hadoop(scores),
    }


def hadoop(scores):
    """Faulty and healthy slaves that were indicted, beside the means of what the paper prints."""
    ours = added([r for r in picked(scores, section="papers", group="cell") if r["data"].startswith("Hadoop")], "fault")
    with open(f"{HERE}/evaluation/ganesha-paper.csv", encoding="utf-8") as f:
        paper = list(csv.DictReader(f))
    mean = lambda fault, column: sum(float(p[column]) for p in picked(paper, fault=fault)) / \
        len(picked(paper, fault=fault))
    return table("fault | faulty slaves: ours | paper | healthy slaves: ours | paper",
                 [[r["fault"], of(r, "tp"), f"{100 * mean(r['fault'], 'tp'):.0f} %", of(r, "fp"),
                   f"{100 * mean(r['fault'], 'fp'):.0f} %"] for r in ours if picked(paper, fault=r["fault"])])


def misses(csvs):
    """By section: rows of misses.csv, and what is counted in found.csv without a row."""
    lines = {}
    for section in dict.fromkeys(r["section"] for r in csvs["misses"] if r["method"] == "robust"):
        rows = picked(csvs["misses"], section=section, method="robust")
        count = lambda *words: sum(bool(set(r["wrong"].split("; ")) & set(words)) for r in rows)
        counted = picked(csvs["found"], section=section, method="robust", budget="default")
        more = sum(int(r["slow"]) - int(r["found"]) for r in counted) - count("not found")
        lines[section] = [len(rows), count("not found", "not judged", "failed"), count("alarm"),
                          count("cause", "direction"), max(0, more)]
    return {"misses": table("section | rows | not found | an innocent named | wrong cause or direction | "
                            "not found, without a row", [[s, *line] for s, line in lines.items()]),
            **{f"section-{s}": f"Section `{s}` ({line[1] + line[4]} missed, {line[2]} false alarms)"
               for s, line in lines.items()}}


def tables(csvs):
    scores = csvs["scores"]
    cases = collections.defaultdict(list)
    for r in csvs["public"]:
        cases[r["data"]].append(r)
    return {
        "made": made(csvs["made"]), "testbed": testbed(scores), "testbed-faults": testbed_faults(scores),
        "simulated": simulated(scores), "curves": curves(scores), **papers(scores),
        "drives": table("data | method | slow drives found | healthy ones beside them indicted | other hosts: indicted",
            [[r["data"], r["method"], of(r, "tp"), of(r, "fp"), of(r, "false_alarm_runs")]
             for r in picked(scores, section="public", group="all")]),
        "cases": sentence("Right: ", [f"{data} {sum(int(r['right']) for r in rows)} of {len(rows)}"
                                      for data, rows in cases.items()]),
        **evidence(csvs), **misses(csvs),
        "cost": table("command | processor s | server-seconds per s | peak MiB",
            [[f"`{r['what']}`", r["cpu_s"],
              f"{int(r['servers']) * int(r['seconds']) / max(float(r['cpu_s']), 0.01):,.0f}", r["mib"]]
             for r in csvs["cost"]]),
        "probe": table("what | measured | budget | within it",
            [[r["what"], f"{r['measured']} {r['unit']}", r["budget"], "yes" if r["met"] == "1" else "**no**"]
             for r in csvs["probe"]]),
    }


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
    marks = re.findall(MARK, text)
    parts = {m: f"Section `{m[8:]}`" for m in marks if m.startswith("section-")} | tables(read(folder))
    if set(marks) != set(parts):
        die(f"RESULTS.md.in and the tables differ: {', '.join(sorted(set(marks) ^ set(parts)))}")
    text = re.sub(MARK, lambda m: parts[m[1]].rstrip("\n"), text)
    if check:
        with open(f"{folder}/RESULTS.md", encoding="utf-8") as f:
            if f.read() != text:
                die(f"'{folder}/RESULTS.md' is not what its CSV files give: run tools/results write {folder}")
        return
    with open(f"{folder}/RESULTS.md", "w", encoding="utf-8") as f:
        f.write(text)
