# SPDX-License-Identifier: BSD-2-Clause
"""Cases of logs of jobs: what is judged by them, and what is printed of them."""
import csv
import glob
import os

JUDGE = ["diagnose", "--json", "--exit-code"]
REPLAY = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "replay")
METHODS = {"stragglers": [], "autodiagn": [], "salsa": [], "salsa-min-2": ["--min", "2"]}
LARGE = 1 << 20  # bytes of a log: of a larger one its states are not kept one by one
PUBLIC = (  # of the public data; an empty name: the folder itself
    ("hadoop-0.20.2", "", []), ("hadoop-1.2.1", "", []), ("hadoop-1.2.1", "history", []),
    ("hadoop-1.2.1", "slaves", []), ("hadoop-history", "", ["--zone", "-07:00"]))
EACH = ("hadoop-history", "hadoop-traces", "spark-events")  # each file or folder in it by itself


def replayed(name, options, sources):
    """What `limpet watch` says while they grow, where there is a tools/replay."""
    if os.path.exists(REPLAY):
        yield f"{name}/events", ["events", *options, *sources]


def judged_logs(name, options, sources):
    yield f"{name}/logs", JUDGE + options + sources
    yield f"{name}/logs-text", ["diagnose", *options, *sources]
    yield f"{name}/logs-watch-text", ["watch", "--once", *options, *sources]
    for method, more in METHODS.items():
        yield f"{name}/{method}", JUDGE + ["--method", method.split("-")[0], *more] + options + sources


def printed_logs(name, options, sources):
    yield f"{name}/flow", ["flow", *options, *sources]
    yield f"{name}/flow-json", ["flow", "--json", *options, *sources]
    yield f"{name}/states", ["states", *options, *sources]


def all_of_logs(name, options, sources):
    """Where one set of logs is enough for all that can be asked of it."""
    yield from judged_logs(name, options, sources)
    yield from printed_logs(name, options, sources)
    yield f"{name}/logs-explain", JUDGE + ["--explain"] + options + sources
    for method in ("stragglers", "autodiagn", "salsa"):
        yield f"{name}/{method}-text", ["diagnose", "--explain", "--method", method, *options, *sources]
    yield f"{name}/logs-watch", ["watch", "--once", "--json", *options, *sources]
    yield f"{name}/logs-report", ["report", "-o", "{tmp}/report.html", *options, *sources]
    if not any(".darshan" in s for s in sources):  # a log that is whole when the job is over
        yield from replayed(name, options, sources)
    for svg in ("swimlanes", "miros", "rep", "area"):
        yield f"{name}/flow-{svg}", ["flow", "--svg", svg, *options, *sources]
    if all(os.path.getsize(s) < LARGE for s in sources if os.path.isfile(s)):
        yield f"{name}/states-csv", ["states", "--csv", *options, *sources]
        yield f"{name}/states-json", ["states", "--json", *options, *sources]


def engine_runs(name, folder):
    """Runs of engines, whose truth.csv has a column `run` and the node that was broken."""
    with open(os.path.join(folder, "truth.csv"), newline="") as f:
        for row in csv.DictReader(f):
            source, at = os.path.join(folder, row["run"]), f"{name}/{row['run']}"
            zone = ["--zone", "+05:30"] if row["run"].startswith("h3") else []
            yield from all_of_logs(at, zone, [source])
            if row["faulty node"]:
                yield f"{at}/flow-node", ["flow", "--node", row["faulty node"], *zone, source]


def public_logs(name, folder):
    """The logs among the public data."""
    for part, below, options in PUBLIC:
        source = os.path.join(folder, part, below) if below else os.path.join(folder, part)
        if os.path.exists(source):
            yield from all_of_logs("/".join(filter(None, (name, part, below, "all"))), options, [source])
    for part in EACH:
        for source in sorted(glob.glob(os.path.join(glob.escape(folder), part, "*"))):
            options = ["--zone", "-07:00"] if part == "hadoop-history" else []
            yield from all_of_logs(f"{name}/{part}/{os.path.basename(source)}", options, [source])
    if os.path.isdir(os.path.join(folder, "engines-2")):
        yield from engine_runs(f"{name}/engines-2", os.path.join(folder, "engines-2"))
