# SPDX-License-Identifier: BSD-2-Clause
"""Which cases there are: lists of them, and what folders of recordings have. A case is (name, arguments of
limpet)."""
import csv
import glob
import json
import os
import re
import shlex
import sys

from log_cases import JUDGE, all_of_logs, judged_logs, printed_logs, public_logs, replayed

BASELINES = ("ratio", "hdfs", "ceph")
REPLAYED = re.compile(r".*/4x5/ddr-[a-z-]*-0|.*/5/sort-[a-z-]*")  # of simulated runs: a replay takes seconds
SHORT = ["--window", "30", "--shift", "10"]  # as robust looks


def die(message):
    print(f"verdicts: {message}", file=sys.stderr)
    sys.exit(2)


def pattern(text):
    """Like a shell's, but of * alone: names of servers and processes may have brackets."""
    return re.compile(".*".join(re.escape(part) for part in text.strip().split("*")), re.DOTALL)


def wanted(only):
    """A function of a name."""
    patterns = [pattern(p) for p in only.split(",")] if only else []
    return lambda name: not patterns or any(p.fullmatch(name) for p in patterns)


def trained_cases(name, model, options, source):
    try:
        with open(model) as f:
            methods = list(json.load(f)["methods"])
    except (OSError, ValueError, KeyError) as e:
        die(f"cannot read the model '{model}': {e}")
    yield f"{name}/trained", JUDGE + ["--model", model] + options + source
    for method in methods:
        yield f"{name}/{method}", JUDGE + ["--model", model, "--method", method] + options + source


def baseline_cases(name, options, source):
    for method in BASELINES:
        yield f"{name}/{method}", JUDGE + ["--method", method] + options + source
        yield f"{name}/{method}-short", JUDGE + ["--method", method] + SHORT + options + source


def series_cases(name, source, model=None, truth=None):
    """Every method on one recording. TRUTH: the server with the fault, or None, and when it began."""
    node, begin = truth or (None, None)
    yield f"{name}/robust", JUDGE + [source]
    yield f"{name}/text", ["diagnose", "--exit-code", source]
    yield f"{name}/watch", ["watch", "--once", "--json", "--back", "1000000", source]
    if begin:
        yield f"{name}/early", JUDGE + ["--to", f"@{begin + 60}", source]
    if node and node != "all":
        yield f"{name}/acknowledged", JUDGE + ["--acknowledge", node, source]
    yield from baseline_cases(name, [], [source])
    if model:
        yield from trained_cases(name, model, [], [source])


def option_cases(name, source, model):
    """What the options change, where one recording is enough."""
    for word, options in (("explain", ["--explain"]), ("hop-5", ["--hop", "5"]), ("threads", ["--threads", "2"]),
                          ("learn-offsets", ["--offsets", "{tmp}/offsets"])):
        yield f"{name}/robust-{word}", JUDGE + options + [source]
    yield f"{name}/text-explain", ["diagnose", "--explain", source]
    yield f"{name}/watch-text", ["watch", "--once", "--back", "1000000", "--offsets", "{tmp}/offsets", source]
    yield f"{name}/report", ["report", "-o", "{tmp}/report.html", source]
    yield f"{name}/text-ratio", ["diagnose", "--method", "ratio", source]
    yield f"{name}/show", ["show", "--csv", source]
    yield f"{name}/show-text", ["show", "--family", "disk", source]
    yield f"{name}/show-json", ["show", "--json", "--family", "net", source]
    yield f"{name}/show-latencies", ["show", "--latencies", source]
    yield f"{name}/show-stacks", ["show", "--stacks", source]
    yield from replayed(name, [], [source])
    yield f"{name}/all-baselines", JUDGE + ["--method", ",".join(BASELINES), "--explain", source]
    if not model:
        return
    for word, options in (("explain", ["--explain"]), ("two-sided", ["--two-sided"]), ("votes", ["--votes", "2"]),
                          ("slack", ["--slack", "1.5"]), ("threads", ["--threads", "2"]),
                          ("await", ["-m", "await"])):
        yield f"{name}/trained-{word}", JUDGE + ["--model", model] + options + [source]
    yield f"{name}/trained-text", ["diagnose", "--model", model, "--explain", source]


def kept_cases(name, folder):
    """A folder with series/ and what stands beside it, as in tests/data."""
    source, beside = os.path.join(folder, "series"), {}
    if os.path.exists(os.path.join(folder, "truth")):
        with open(os.path.join(folder, "truth")) as f:
            beside = dict(line.strip().split("=", 1) for line in f if "=" in line)
    files = {w: os.path.join(folder, w) for w in ("model.json", "peers", "offsets")}
    model = files["model.json"] if os.path.exists(files["model.json"]) else None
    truth = (beside["server"], int(beside["onset"])) if {"onset", "server"} <= set(beside) else None
    yield from series_cases(name, source, model, truth)
    yield from option_cases(name, source, model)
    if os.path.isdir(os.path.join(folder, "trained")):
        yield f"{name}/train", ["train", "-o", "{tmp}/model.json", os.path.join(folder, "trained")]
    if os.path.exists(files["peers"]):
        yield f"{name}/robust-peers", JUDGE + ["--peers", files["peers"], source]
        yield f"{name}/ratio-peers", JUDGE + ["--method", "ratio", "--peers", files["peers"], source]
    if os.path.exists(files["offsets"]):
        yield f"{name}/robust-offsets", JUDGE + ["--offsets", "{copy:" + files["offsets"] + "}", source]


def kept_series(name, source, truth):
    """A recording of a real cluster: all methods, all options."""
    yield from series_cases(name, source, None, truth)
    yield from option_cases(name, source, None)


def table_cases(name, source, model):
    """A table as `limpet show --csv` prints it."""
    options = ["--instance", "instance"]
    yield f"{name}/robust", JUDGE + options + [source]
    yield f"{name}/robust-await", JUDGE + options + ["--signal", "await", source]
    yield f"{name}/robust-given", JUDGE + options + ["--signal", "await", "--given", "tps", source]
    yield from baseline_cases(name, options, [source])
    if model:
        yield from trained_cases(name, model, options, [source])


def beside_logs(name, source, logs):
    """A run of which there are logs, too."""
    yield from judged_logs(name, [], [logs])
    yield from printed_logs(name, [], [logs])
    yield f"{name}/both", JUDGE + [source, logs]
    yield f"{name}/both-text", ["diagnose", source, logs]


def run_cases(name, folder):
    """The runs of a truth.csv, and their scores."""
    truth = os.path.join(folder, "truth.csv")
    tables = models = False
    with open(truth, newline="") as f:
        for row in csv.DictReader(f):
            source = os.path.normpath(os.path.join(folder, row["source"]))
            model = os.path.normpath(os.path.join(folder, row["model"])) if row.get("model") else None
            run = f"{name}/" + re.sub(r"(^|/)runs/|/series$|\.csv(\.gz)?$", r"\1", row["source"])
            began = row["from"].lstrip("@")
            models = models or bool(model)
            if os.path.isfile(source):
                tables = True
                yield from table_cases(run, source, model)
            else:
                yield from series_cases(run, source, model, (row["node"], int(began)) if began else None)
            logs = os.path.join(os.path.dirname(source), "logs")
            if REPLAYED.fullmatch(run):
                yield from replayed(run, [], [s for s in (source, logs) if os.path.isdir(s)])
            if os.path.isdir(logs):
                yield from beside_logs(run, source, logs)
    options = ["--instance", "instance"] if tables else []
    evaluate = ["evaluate", "--json", "--runs"] + options
    yield f"{name}/evaluate-robust", evaluate + ["--method", "robust", truth]
    yield f"{name}/evaluate-ratio", evaluate + ["--method", "ratio", truth]
    yield f"{name}/evaluate-text", ["evaluate", "--method", "robust"] + options + [truth]
    if models:
        yield f"{name}/evaluate-trained", evaluate + [truth]


def data_cases(name, folder, models):
    """The public tables, with the options that they need."""
    given = ["--signal", "latency", "--given", "throughput"]
    for kind in ("failslow-drives", "healthy-drives", "quiet-drives"):
        for source in sorted(glob.glob(os.path.join(folder, kind, "*[0-9].csv.gz"))):
            at = f"{name}/{kind}/" + os.path.basename(source)[:-len(".csv.gz")]
            yield f"{at}/robust-given", JUDGE + given + [source]
            if kind != "failslow-drives":
                continue
            yield f"{at}/robust", JUDGE + ["--signal", "latency", source]
            yield f"{at}/robust-explain", JUDGE + given + ["--explain", source]
            yield f"{at}/text", ["diagnose"] + given + [source]
            yield from baseline_cases(at, ["-m", "latency"], [source])
            yield from model_cases(at, models, os.path.basename(at), [], source)
    cases = os.path.join(folder, "verdict-cases")
    if os.path.isdir(cases):
        with open(os.path.join(cases, "truth.csv"), newline="") as f:
            for row in csv.DictReader(f):
                at = f"{name}/verdict-cases/" + row["file"][:-len(".csv.gz")]
                source = os.path.join(cases, row["file"])
                yield f"{at}/robust", JUDGE + row["options"].split() + [source]
                yield f"{at}/text", ["diagnose"] + row["options"].split() + [source]
                yield from baseline_cases(at, ["-m", "latency"], [source])
    yield from other_data_cases(name, folder, models)
    yield from labelled_cases(f"{name}/orangefs", os.path.join(folder, "orangefs"))
    yield from public_logs(name, folder)
    if os.path.isdir(os.path.join(folder, "lustre-stats")):
        yield f"{name}/lustre-stats/robust", JUDGE + [os.path.join(folder, "lustre-stats")]


def labelled_cases(name, folder):
    """Recordings in RUN/full, with their truth beside them."""
    for truth in sorted(glob.glob(os.path.join(glob.escape(folder), "*", "truth.txt"))):
        with open(truth) as f:
            said = dict(line.split(" ", 1) for line in f.read().splitlines() if " " in line)
        at, node = f"{name}/{os.path.basename(os.path.dirname(truth))}", said["server"].strip()
        yield from kept_series(at, os.path.join(os.path.dirname(truth), "full"),
                               None if node == "-" else (node, int(float(said["from"]))))


def model_cases(name, models, model, options, source):
    path = os.path.join(models or "", model + ".json")
    if models and os.path.exists(path):
        yield from trained_cases(name, path, options, [source])


def other_data_cases(name, folder, models):
    peers, at = os.path.join(folder, "peers-asd"), f"{name}/peers-asd"
    if os.path.isdir(peers):
        options = ["--time", "@row", "--interval", "300", "--node", "@file"]
        yield f"{at}/robust-none", JUDGE + options + [peers]
        yield f"{at}/robust-m1", JUDGE + options + ["--signal", "m1", peers]
        yield f"{at}/robust-m10", JUDGE + options + ["--signal", "m10", peers]
        yield from baseline_cases(at, options, [peers])
        yield from model_cases(at, models, "peers-asd", options + ["--from", "1970-01-16"], peers)
    writes, at = os.path.join(folder, "lustre-writes", "healthy.csv"), f"{name}/lustre-writes"
    if os.path.exists(writes):
        yield f"{at}/robust", JUDGE + [writes]
        yield from baseline_cases(at, [], [writes])
    lmt, at = os.path.join(folder, "lustre-lmt", "oss.csv.gz"), f"{name}/lustre-lmt"
    if os.path.exists(lmt):
        counters = ["--counter", "read_bytes_cum", "--counter", "write_bytes_cum"]
        host, ost = ["--node", "oss_host"] + counters, ["--time", "timestamp", "--node", "ost_name"] + counters
        yield f"{at}/robust", JUDGE + host + [lmt]
        for column in ("read_bytes_cum", "write_bytes_cum", "oss_pct_cpu", "oss_pct_mem", "ost_kbytes_used"):
            yield f"{at}/robust-{column}", JUDGE + host + ["--signal", column, lmt]
            yield f"{at}/robust-ost-{column}", JUDGE + ost + ["--signal", column, lmt]
        yield from baseline_cases(at, ost, [lmt])


def cases_of(folder, models=None, name=None):
    """The cases of a folder; an empty list if it is none that we know."""
    name = name or os.path.basename(os.path.normpath(os.path.abspath(folder)))
    entries = set(os.listdir(folder))
    if "cases.txt" in entries:
        cases = read_list(os.path.join(folder, "cases.txt"), folder)
        return [(f"{name}/{case}", words) for case, words in cases]
    if "failslow-drives" in entries:
        return list(data_cases(name, folder, models))
    if "truth.csv" in entries:
        return list(run_cases(name, folder))
    if "series" in entries:
        return list(kept_cases(name, folder))
    if "logs" in entries:
        return list(all_of_logs(name, [], [os.path.join(folder, "logs")]))
    darshan = sorted(e for e in entries if re.search(r"\.darshan(\.zst)?$", e))
    if darshan:
        return [c for e in darshan for c in all_of_logs(f"{name}/{e}", [], [os.path.join(folder, e)])]
    if any(e.endswith(".limpet") for e in entries):
        return list(series_cases(name, folder))
    found = []
    for e in sorted(entries):
        if os.path.isdir(os.path.join(folder, e)):
            found += cases_of(os.path.join(folder, e), models, f"{name}/{e}")
    return found


def read_list(path, here=None):
    cases = []
    with open(path) as f:
        for number, line in enumerate(f, 1):
            try:
                words = shlex.split(line, comments=True)
            except ValueError as e:
                die(f"'{path}' line {number}: {e}")
            if len(words) == 1 or words and (".." in words[0] or words[0].startswith("/")):
                die(f"'{path}' line {number}: a name and arguments are needed")
            if words:
                cases.append((words[0], [w.replace("{here}", here) if here else w for w in words[1:]]))
    return cases


def all_cases(sources, models, only):
    cases = {}
    for source in sources:
        if not os.path.exists(source):
            die(f"there is no '{source}'")
        found = cases_of(source, models) if os.path.isdir(source) else read_list(source)
        if not found:
            die(f"no case in '{source}'")
        for name, words in found:
            if name in cases:
                die(f"two cases have the name '{name}'")
            cases[name] = words
    take = wanted(only)
    chosen = {name: words for name, words in cases.items() if take(name)}
    if not chosen:
        die(f"no case matches '{only}'")
    return chosen
