# SPDX-License-Identifier: BSD-2-Clause
"""What every section needs: columns of the CSV files, the run of `measure`, limpet as a program."""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # tools
O = os.path.abspath(os.environ.get("O", ".output"))
ENV = dict(os.environ, LC_ALL="C", O=O)
RULES = ("ratio", "hdfs", "ceph")
SHORT = ("--window", "30", "--shift", "10")  # of the rules of thumb: windows as long as robust's, as often
HARMLESS = {"none", "imbalance", "hardware", "half-cpu", "skew", "fleet", "scrub", "lossy-client", "burst", ""}
RATES = ("itp", "dtp", "within_60s", "direction", "ifp", "false_alarm_runs", "tp", "fp", "precision", "recall")
SCORES = ["commit", "section", "data", "method", "group", "cluster", "fault", "workload", "runs_faulty",
          "runs_fault_free"] + [f"{r}_{x}" for r in RATES for x in ("k", "n", "lo", "hi")] + \
         ["mcc", "ttd_median_s", "ttd_max_s"]
FILES = {
    "scores": SCORES,
    "misses": ["commit", "section", "data", "method", "run", "fault", "server", "wrong", "said"],
    "public": ["commit", "section", "data", "case", "options", "truth", "said", "status", "right"],
    "alarms": ["commit", "section", "data", "what", "method", "n", "budget", "runs", "runs_named", "named",
               "runs_suspicious", "runs_unjudged", "hours", "lo", "hi"],
    "found": ["commit", "section", "data", "factor", "span", "method", "n", "budget", "runs", "slow", "found", "alone",
              "suspicious", "missed", "unjudged", "others"],
    "reliability": ["commit", "section", "data", "confidence", "indicted", "right", "lo", "hi"],
    "onset": ["commit", "section", "data", "fault", "factor", "slow", "found", "within_20s", "within_60s", "median_s",
              "max_s"],
    "cost": ["commit", "section", "what", "servers", "seconds", "cpu_s", "mib"],
    "probe": ["commit", "section", "what", "measured", "unit", "budget", "met"],
    "made": ["commit", "section", "date", "machine", "cpu_s", "how"],
}


def die(text, status=1):
    print(f"results: {text}", file=sys.stderr)
    sys.exit(status)


def say(text):
    print(f"results: {time.strftime('%T', time.gmtime())} {text}", file=sys.stderr)


class Run:
    """One run of `measure`: its options, its rows so far, a folder for what is simulated."""

    def __init__(self, options, commit, work):
        self.quick, self.testbeds, self.data = options["quick"], options["testbed"], options["data"]
        self.tuning = options["tuning"]  # of the default method: nothing else is measured
        self.seed = options["seed"] or (2 if self.tuning else 1)
        self.budgets, self.hours = options["budgets"], options["hours"]
        self.commit, self.work, self.section, self.how = commit, work, "", ""
        self.rows = {name: [] for name in FILES}

    def add(self, name, *values):
        row = [self.commit, self.section, *values]
        assert len(row) == len(FILES[name])
        self.rows[name].append(row)


def call(*words, status=(0,)):
    """stdout of a program that must end well, with the processor seconds and MiB it took."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        p = subprocess.Popen([str(w) for w in words], stdout=out, stderr=err, env=ENV,
                             start_new_session=True)
        try:
            _, code, usage = os.wait4(p.pid, 0)
        except BaseException:  # ended by a signal: so are the programs, before their folder is removed
            os.killpg(p.pid, signal.SIGTERM)
            p.wait()
            raise
        p.returncode = os.waitstatus_to_exitcode(code)
        out.seek(0), err.seek(0)
        text = out.read()
        if status is not None and p.returncode not in status:
            die(f"'{' '.join(map(str, words))}' ended with status {p.returncode}: {err.read().strip()[-300:]}")
    call.cpu_s, call.mib, call.status = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, p.returncode
    return text


def limpet(*words, status=(0,)):
    text = call(f"{O}/limpet", *words, status=status)
    limpet.status = call.status
    return text
