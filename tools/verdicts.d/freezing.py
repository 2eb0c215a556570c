# SPDX-License-Identifier: BSD-2-Clause
"""A freeze: what one commit says of all cases, in one file; and what the present build says of the same."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from cases import all_cases, die, read_list, wanted
from comparing import compare_folders, print_times
from log_cases import REPLAY
from making import Failed, call, make_inputs
from packing import changed_inputs, pack, read_inputs, unpacked, write_inputs
from running import OUTPUT, record_cases

BUILD = (".output/limpet", ".output/simulate")
NOT_INHERITED = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "O", "DEBUG", "SANITIZE", "CFLAGS", "V")


def end_on_signals():
    for s in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, lambda number, _: sys.exit(128 + number))


def git(*words):
    p = subprocess.run(["git", *words], capture_output=True, text=True)
    if p.returncode:
        die(f"'git {' '.join(words)}' failed: {p.stderr.strip()}")
    return p.stdout.strip()


def ended(work):
    """Was WORK, a folder freeze.PID.…, left by a process that is no more?"""
    try:
        os.kill(int(work.split(".")[1]), 0)
    except (ValueError, IndexError, PermissionError):
        return False
    except ProcessLookupError:
        return True
    return False


def forget(top, work):
    """Removes the work tree, and what git knows of it. WORK may have been ended at any place."""
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run(["git", "-C", top, "worktree", "prune"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def work_folder(top, output):
    """A folder of our own below OUTPUT. What killed freezes have left there goes, too."""
    os.makedirs(output, exist_ok=True)
    for left in os.listdir(output):
        if left.startswith("freeze.") and ended(left):
            forget(top, os.path.join(output, left))
    work = tempfile.mkdtemp(prefix=f"freeze.{os.getpid()}.", dir=os.path.abspath(output))
    try:
        yield work
    finally:
        forget(top, work)


def build(commit, tree, jobs):
    """The programs of COMMIT, in a work tree of its own."""
    env = {k: v for k, v in os.environ.items() if k not in NOT_INHERITED}
    git("worktree", "add", "--quiet", "--detach", tree, commit)
    call(["make", "-C", tree, f"-j{jobs}", "WERROR=0", *BUILD], env=env)


def link_inputs(top, stage):
    """In STAGE cases run, so that their paths are the same wherever the tree lies."""
    os.makedirs(stage, exist_ok=True)
    os.symlink(os.path.join(top, "tests/data"), os.path.join(stage, "tree"))
    data = os.environ.get("LIMPET_TEST_DATA")
    if data:
        os.symlink(os.path.abspath(data), os.path.join(stage, "data"))
    return ["tree", "data"] if data else ["tree"]


def build_replay(top):
    """What replays need of the present tree, if this tool is a part of it."""
    if os.path.dirname(os.path.dirname(REPLAY)) == os.path.realpath(top):
        o = os.path.relpath(OUTPUT, top)
        try:
            call(["make", "-C", top, f"O={o}", *(f"{o}/replay/{name}" for name in ("grow", "clock.so"))])
        except Failed as e:
            die(str(e))


def say(began, what):
    print(f"{time.monotonic() - began:5.0f} s  {what}", file=sys.stderr, flush=True)


def make_or_take(o, tree, stage):
    """The simulated inputs: of another freeze, or made by this commit."""
    made = os.path.join(stage, "made")
    if not o.inputs:
        make_inputs(tree, made, o.only, o.jobs)
        return
    with unpacked(o.inputs, lambda name: name.startswith("made/")) as other:
        if os.path.isdir(os.path.join(other, "made")):
            shutil.move(os.path.join(other, "made"), made)


def freeze_in(work, commit, top, o):
    """Builds, makes and records in WORK. The folder that is to be packed."""
    began, tree, stage = time.monotonic(), os.path.join(work, "tree"), os.path.join(work, "stage")
    said, seconds = os.path.join(stage, "said"), {}
    build(commit, tree, o.jobs)
    build_replay(top)
    seconds["build"] = time.monotonic() - began
    say(began, "is built")
    roots = link_inputs(top, stage)
    make_or_take(o, tree, stage)
    if os.path.isdir(os.path.join(stage, "made")):
        roots.append("made")
    seconds["inputs"] = time.monotonic() - began - seconds["build"]
    say(began, "inputs are made")
    os.chdir(stage)
    cases = all_cases(roots, None, o.only)
    record_cases(os.path.join(tree, BUILD[0]), cases, said, o)
    write_inputs(stage, roots, os.path.join(said, "inputs.txt"))
    seconds["record"] = time.monotonic() - began - seconds["build"] - seconds["inputs"]
    say(began, f"{len(cases)} cases are recorded")
    os.chdir(top)
    for link in ("tree", "data"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(stage, link))
    with open(os.path.join(stage, "freeze.json"), "w") as f:
        json.dump({"commit": commit, "tool": git("rev-parse", "HEAD"), "cases": len(cases), "only": o.only,
                   "seconds": {k: round(v, 1) for k, v in seconds.items()},
                   "recorded": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}, f, indent=1)
        f.write("\n")
    return stage


def freeze(o):
    if not 1 <= len(o.args) <= 2:
        die("COMMIT and perhaps OUT are needed (see tools/verdicts --help)")
    end_on_signals()
    top = git("rev-parse", "--show-toplevel")
    commit = git("rev-parse", "--verify", f"{o.args[0]}^{{commit}}")
    output = os.path.join(top, os.environ.get("O", ".output"))
    out = os.path.abspath(o.args[1]) if len(o.args) == 2 else os.path.join(output, f"verdicts-{commit[:7]}.tar.gz")
    if not os.path.isdir(os.path.dirname(out)) and os.path.dirname(out) != output:
        die(f"there is no folder '{os.path.dirname(out)}'")
    o.inputs = os.path.abspath(o.inputs) if o.inputs else None
    with work_folder(top, output) as work:
        try:
            folder = freeze_in(work, commit, top, o)
        except Failed as e:
            die(str(e))
        pack(folder, out)
        print_times(os.path.join(folder, "said"))
    print(f"'{out}': {os.path.getsize(out) / 1e6:.1f} MB, of commit {commit[:7]}")
    return 0


def see_that_it_is_built(limpet):
    """What is older than its sources is another program."""
    if subprocess.run(["make", "-q", limpet], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 1:
        die(f"'{limpet}' is older than its sources: run make")


def cases_with_inputs(stage, roots, o):
    """The cases of a freeze that was unpacked in STAGE, less those whose inputs are others now or not there."""
    said = os.path.join(stage, "said")
    present = os.path.join(stage, "present.txt")
    write_inputs(stage, roots, present)
    with open(present) as f:
        now = dict(reversed(line.rstrip("\n").split(" ", 1)) for line in f)
    frozen, take = read_inputs(said), wanted(o.only)
    changed, cases, left, why = changed_inputs(frozen, now), {}, 0, []
    for name, words in read_list(os.path.join(said, "cases.txt")):
        if not take(name):
            continue
        others = changed(words)
        if others:
            left, why = left + 1, why or others
        else:
            cases[name] = words
    if left:
        print(f"left out: {left} cases whose inputs are not there, or others than were frozen: {', '.join(why[:3])}")
    if not cases:
        die("no case is left")
    return cases


def check(o):
    if not 1 <= len(o.args) <= 2:
        die("PACKED and perhaps OUT are needed (see tools/verdicts --help)")
    end_on_signals()
    top, limpet = git("rev-parse", "--show-toplevel"), os.path.abspath(o.limpet)
    output = os.path.join(top, os.environ.get("O", ".output"))
    out = os.path.abspath(o.args[1] if len(o.args) == 2 else os.path.join(output, "verdicts-check"))
    if not o.limpet_given:
        see_that_it_is_built(o.limpet)
    packed, o.differences = os.path.abspath(o.args[0]), o.differences and os.path.abspath(o.differences)
    if os.path.exists(out) and os.listdir(out) and not os.path.exists(os.path.join(out, "cases.txt")):
        die(f"'{out}' is no folder of recorded cases")
    build_replay(top)
    with unpacked(packed) as stage:
        roots = link_inputs(top, stage) + [r for r in ("made",) if os.path.isdir(os.path.join(stage, r))]
        os.chdir(stage)
        cases = cases_with_inputs(stage, roots, o)
        shutil.rmtree(out, ignore_errors=True)
        record_cases(limpet, cases, out, o)
        shutil.copy(os.path.join(stage, "said/inputs.txt"), out)
        with open(os.path.join(stage, "freeze.json")) as f:
            print(f"old: commit {json.load(f)['commit'][:7]}; new: {limpet}, kept in '{out}'")
        status = compare_folders(os.path.join(stage, "said"), out, o)
        os.chdir(top)
    return status
