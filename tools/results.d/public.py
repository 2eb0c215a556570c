# SPDX-License-Identifier: BSD-2-Clause
"""Public tables (LIMPET_TEST_DATA), as they are: section public."""
import csv
import gzip
import os

from base import limpet, say
from labelled_runs import evaluate, labelled
from said import diagnose


def measure_public(run):
    """Public tables as they are, verdict-cases among them."""
    if not run.data:
        say("no public data (LIMPET_TEST_DATA): passed over")
        return
    run.how = "limpet evaluate --signal latency --given throughput; limpet diagnose --exit-code"
    for name in ("failslow-drives", "healthy-drives", "quiet-drives"):
        drives(run, name, ("robust",) if name != "failslow-drives" else ("robust", "ratio", "kl"))
    with open(f"{run.data}/verdict-cases/truth.csv", encoding="utf-8") as f:
        for r in csv.DictReader(f):
            case(run, "verdict-cases", r["file"].split(".")[0], r["truth"], r["options"].split(),
                 f"{run.data}/verdict-cases/{r['file']}")
    case(run, "lustre-writes", "healthy", "nobody", [], f"{run.data}/lustre-writes/healthy.csv")
    case(run, "lustre-lmt", "oss", "nobody", "--time timestamp --node ost_name --counter read_bytes_cum "
         "--signal read_bytes_cum".split(), f"{run.data}/lustre-lmt/oss.csv.gz")


def drives(run, name, methods):
    folder = f"{run.work}/{name}"
    os.makedirs(folder, exist_ok=True)
    slow = {}
    if os.path.exists(f"{run.data}/{name}/labels.csv"):
        with open(f"{run.data}/{name}/labels.csv", encoding="utf-8") as f:
            for r in csv.DictReader(f):
                slow.setdefault(r["host"], []).append(r["node"])
    files = sorted(f for f in os.listdir(f"{run.data}/{name}") if f.endswith(".csv.gz"))[:2 if run.quick else None]
    for f in files:
        os.symlink(f"{run.data}/{name}/{f}", f"{folder}/{f}")
    with open(f"{folder}/truth.csv", "w", encoding="utf-8") as f:
        f.write("source,model,fault,node\n")
        for x in files:
            here = slow.get(x.split(".")[0], [])
            f.write(f"{x},,{'slow' if here else 'none'},{' '.join(here)}\n")
    table = ("--signal", "latency", "--given", "throughput")
    for m in methods:
        truth = f"{folder}/truth.csv"
        if m == "kl":  # trained on the first evening
            for x in files:
                with gzip.open(f"{folder}/{x}", "rt") as f:
                    first = int(next(csv.DictReader(f))["time"])
                limpet("train", "--method", "kl", "--to", f"@{first + 86400}", "-o", f"{folder}/{x}.json",
                       f"{folder}/{x}")
            truth = labelled(folder, "kl", lambda r: f"{r['source']}.json")
        evaluate(run, name, m, truth, *(table if m == "robust" else ()), groups=("all",),
                 misses=m == "robust")


def case(run, data, name, truth, options, path):
    """One table with one right answer. 'abstain' is status 4, or that only servers are suspicious that another right
    answer names."""
    said = diagnose("--exit-code", *options, path)
    named, suspicious = (" ".join(sorted(x)) for x in (said.named, said.suspicious))
    answers = truth.split(" or ")
    abstains = said.status == 4 or said.status == 5 and suspicious in answers
    right = (named or "nobody") in answers or "abstain" in answers and not named and abstains
    run.add("public", data, name, " ".join(options), truth,
            (named or "nobody") + (f" (suspicious: {suspicious})" if suspicious else ""), said.status, int(right))
