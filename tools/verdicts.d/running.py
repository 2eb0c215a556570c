# SPDX-License-Identifier: BSD-2-Clause
"""Runs cases, and keeps what came of them: what was printed, status, processor time, peak of memory."""
import collections
import concurrent.futures
import ctypes
import hashlib
import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from cases import all_cases, die, read_list

PR_SET_CHILD_SUBREAPER = 36
HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
OUTPUT = os.path.abspath(os.environ.get("O", ".output"))  # of what replays need besides limpet
STARTER = """exec 3<&0
{ read -r _ <&3; exec "$@" 3<&-; } >"$0.out" 2>"$0.err" </dev/null &
echo $!"""
RUNNING = set()  # pids, to be ended when we are
ENDING = False  # they are: what is begun from now on ends at once


def run(command, to, timeout):
    """Runs it, output to TO.out and TO.err. Status, processor seconds, peak kB.

    A process that is forked from this one is charged with our memory as its peak. So a shell starts
    it, and ends, and we inherit it: we are the subreaper. It waits for that, or the shell would know
    how it ended."""
    ready, go = os.pipe()
    try:
        shell = subprocess.run(["/bin/sh", "-c", STARTER, to] + command, stdin=ready,
                               stdout=subprocess.PIPE, check=True)
    finally:
        os.close(ready)
        os.close(go)
    pid, late = int(shell.stdout), False
    RUNNING.add(pid)
    if ENDING:  # begun while the others were ended
        os.kill(pid, signal.SIGKILL)
    fd = os.pidfd_open(pid)
    if not select.select([fd], [], [], timeout)[0]:
        late = True
        os.kill(pid, signal.SIGKILL)
    os.close(fd)
    _, status, usage = os.wait4(pid, 0)
    RUNNING.discard(pid)
    code = os.waitstatus_to_exitcode(status)
    return "timeout" if late else code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def with_files(words, tmp):
    """The arguments, with {tmp} and {copy:FILE}."""
    def copied(m):
        return shutil.copy(m[1], tmp)
    return [re.sub(r"\{copy:([^}]*)\}", copied, w.replace("{tmp}", tmp)) for w in words]


def command_of(limpet, words):
    """`events` is no command of limpet: a replay into a growing folder, under `limpet watch`."""
    if words[0] == "events":
        return [os.path.join(HERE, "replay"), "events", "--build", OUTPUT, "--limpet", limpet, *words[1:]]
    return [limpet, *words]


def record_case(limpet, name, words, out, timeout):
    to = os.path.join(out, name)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    shutil.rmtree(to + ".files", ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="limpet-verdicts.") as tmp:
        status, seconds, peak = run(command_of(limpet, with_files(words, tmp)), to, timeout)
        if os.listdir(tmp):
            shutil.copytree(tmp, to + ".files")
    for end in (".out", ".err"):  # the folder's name is another every time
        with open(to + end, "rb") as f:
            text = f.read()
        if tmp.encode() in text:
            with open(to + end, "wb") as f:
                f.write(text.replace(tmp.encode(), b"{tmp}"))
    with open(to + ".run", "w") as f:
        json.dump({"status": status, "cpu_s": round(seconds, 6), "peak_kb": peak}, f)
        f.write("\n")
    return status


def in_parallel(jobs, work, items):
    """Yields what work(item) returns, in the order of the items; says how far it is."""
    global ENDING
    shown = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            for n, result in enumerate(pool.map(work, items), 1):
                yield result
                if time.monotonic() - shown > 10:
                    shown = time.monotonic()
                    print(f"{n} of {len(items)} cases", file=sys.stderr)
        except BaseException:
            ENDING = True
            pool.shutdown(wait=False, cancel_futures=True)
            for pid in list(RUNNING):
                os.kill(pid, signal.SIGKILL)
            raise


def prepare(limpet):
    if not os.access(limpet, os.X_OK):
        die(f"there is no '{limpet}': run make")
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        die("cannot become the parent of orphans (prctl)")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.environ["LC_ALL"] = "C"
    os.environ["TZ"] = "UTC"


def record_cases(limpet, cases, out, o):
    """Runs CASES, keeps in the folder OUT what came of them, and says so."""
    prepare(limpet)
    os.makedirs(out, exist_ok=True)
    index, began = os.path.join(out, "cases.txt"), time.monotonic()
    kept = dict(read_list(index)) if os.path.exists(index) else {}
    statuses = collections.Counter(in_parallel(
        o.jobs, lambda case: record_case(limpet, *case, out, o.timeout), list(cases.items())))
    kept.update(cases)
    with open(index, "w") as f:
        f.writelines(f"{name} {shlex.join(words)}\n" for name, words in kept.items())
    with open(limpet, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()[:16]
    with open(os.path.join(out, "recorded.txt"), "a") as f:
        f.write(f"{len(cases)} cases with {limpet}, sha256 {digest}\n")
    said = ", ".join(f"{n} with {s}" for s, n in sorted(statuses.items(), key=str))
    print(f"{len(cases)} cases in {time.monotonic() - began:.0f} s; status: {said}")


def record(o):
    if len(o.args) < 2:
        die("CASES and OUT are needed (see tools/verdicts --help)")
    *sources, out = o.args
    record_cases(os.path.abspath(o.limpet), all_cases(sources, o.models, o.only), out, o)
    return 0
