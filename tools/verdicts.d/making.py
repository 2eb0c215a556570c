# SPDX-License-Identifier: BSD-2-Clause
"""Simulated inputs of a freeze: what a folder `made` has. All seeds are of tuning (simulate.d/README.md): what is
looked at before each landing is no evaluation.

Every set has a truth.csv, or a cases.txt for tables; `cases` reads them."""
import concurrent.futures
import contextlib
import os
import re
import signal
import subprocess


CHILDREN = set()  # pids, each of a session of its own
RUNS = "tools/simulated-runs"
BEGIN = ["--seconds", "240", "--fault-from", "90", "--fault-seconds", "120", "--repeat", "1"]
SETS = {  # of tools/simulated-runs
    # all faults, and what only looks like one, under all workloads, each with a model of its cluster
    "pfs": ["--set", "robust", "--clusters", "4/5 4/6"] + BEGIN,
    "pfs-12": ["--set", "robust", "--clusters", "6/12", "--workloads", "mixed postmark", "--with", "--brief"] + BEGIN,
    # disks a little slow, now and then; long runs without a fault, of all that real servers have
    "slow": ["--set", "slow", "--clusters", "5/5 12/12", "--workloads", "light ddr", "--seconds", "1800",
             "--factors", "1.3 1.5 2 3", "--with", "--interval 5 --brief"],
    "fault-free": ["--set", "fault-free", "--clusters", "5/5 12/12", "--workloads", "mixed light", "--seconds", "3600"],
}
HADOOP = [(w, f, n) for w in ("randwriter", "sort", "nutch") for n in (5, 10)
          for f in ("none", "cpu-hog", "disk-hog", "packet-loss", "fleet", "hang")]
TRAINING = [(w, "none", n) for w in ("randwriter", "sort", "nutch") for n in (5, 10)]
TABLES = (("5", ["--servers", "5", "--hours", "12"]), ("12", ["--servers", "12", "--hours", "4"]),
          ("slow", ["--servers", "6", "--hours", "8", "--slow", "2", "--slow-from", "3"]))
SECONDS = "wander-seconds"  # its rows are of a second


class Failed(Exception):
    """A program failed that makes what cases read."""


def call(words, **more):
    """Runs it in a session of its own; what it printed. We end it if we are ended."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True, **more) as p:
        CHILDREN.add(p.pid)
        try:
            out, err = p.communicate()
        except BaseException:
            end_children()
            raise
        finally:
            CHILDREN.discard(p.pid)
    if p.returncode:
        said = "\n".join((err or out).decode(errors="replace").splitlines()[-12:])
        raise Failed(f"'{' '.join(words[:4])} …' failed with status {p.returncode}:\n{said}")
    return out


def end_children():
    for pid in list(CHILDREN):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def make_runs(tree, name, to):
    call([os.path.join(tree, RUNS), "--seeds", "tuning", *SETS[name], os.path.join(to, name)], cwd=tree)


def hadoop_run(tree, folder, number, case, training):
    """One run, its logs in a folder beside its series, a line of the truth."""
    workload, fault, slaves = case
    run = f"{slaves}/{'train/' if training else ''}{workload}-{fault}"
    begin = 1767571200 + number * 900
    series = os.path.join(folder, run, "series")
    os.makedirs(os.path.join(folder, run))
    call([os.path.join(tree, ".output/simulate"), "hadoop", "-w", workload, "-f", fault, "--slaves", str(slaves),
          "--seconds", "400", "--fault-from", "120", "--fault-seconds", "200", "--begin", f"@{begin}",
          "--seed", str((1000000 if training else 2000000) + number), "--cluster-seed", str(100 + slaves),
          "--logs", os.path.join(folder, run, "logs"), series] +
         ([] if training else ["--truth", os.path.join(folder, "truth.csv"),
                               "--model", os.path.join(folder, str(slaves), "model.json")]))
    return series


def make_hadoop(tree, to):
    folder = os.path.join(to, "hadoop")
    os.makedirs(folder)
    trained = {}
    for number, case in enumerate(TRAINING):
        trained.setdefault(case[2], []).append(hadoop_run(tree, folder, number, case, True))
    for slaves, series in trained.items():
        call([os.path.join(tree, ".output/limpet"), "train", "--method", "ganesha", "-o",
              os.path.join(folder, str(slaves), "model.json"), *series])
    for number, case in enumerate(HADOOP, len(TRAINING)):
        hadoop_run(tree, folder, number, case, False)


def make_tables(tree, to, only):
    folder, simulate = os.path.join(to, "tables"), os.path.join(tree, ".output/simulate")
    os.makedirs(folder)
    kinds = [line.split()[0] for line in call([simulate, "table", "--list"]).decode().splitlines()]
    with open(os.path.join(folder, "cases.txt"), "w") as f:
        for number, kind in enumerate(kinds):
            for name, options in TABLES:
                if not may_match(only, f"made/tables/{kind}-{name}/"):
                    continue
                file = f"{kind}-{name}.csv"
                if not re.fullmatch(r"[\w.-]+", file):
                    raise Failed(f"'{kind}' is no name of a table")
                with open(os.path.join(folder, file), "wb") as table:
                    table.write(call([simulate, "table", kind, "--seed", str(100 + number), *options,
                                      *(["--step", "10"] if kind == SECONDS else [])]))
                judge = "diagnose --json --exit-code --signal latency"
                f.write(f"{kind}-{name}/robust-given {judge} --given throughput {{here}}/{file}\n"
                        f"{kind}-{name}/robust {judge} {{here}}/{file}\n"
                        f"{kind}-{name}/text diagnose --signal latency --given throughput {{here}}/{file}\n"
                        f"{kind}-{name}/ratio diagnose --json --exit-code --method ratio -m latency {{here}}/{file}\n")


def make_inputs(tree, to, only, jobs):
    """Makes in the folder TO, by what is built in TREE, all sets of which a case may match ONLY."""
    os.makedirs(to, exist_ok=True)
    work = {name: lambda name=name: make_runs(tree, name, to) for name in SETS}
    work["hadoop"], work["tables"] = lambda: make_hadoop(tree, to), lambda: make_tables(tree, to, only)
    chosen = [w for name, w in work.items() if may_match(only, f"made/{name}/")]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            for done in concurrent.futures.as_completed([pool.submit(w) for w in chosen]):
                done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_children()
            raise


def may_match(only, prefix):
    """Could a name that begins with PREFIX match ONLY?"""
    if not only:
        return True
    return any(p.split("*")[0].startswith(prefix) or prefix.startswith(p.split("*")[0]) and "*" in p
               for p in only.split(","))
