# SPDX-License-Identifier: BSD-2-Clause
"""What numeric tests of methods share: the pipe to a program, numeric_stat.c unless told otherwise, and TAP."""
import os
import subprocess
import sys

import numpy as np

O = os.environ.get("O", ".output")
failed = 0
program = "numeric_stat"


def call(command, *args):
    """One command: numbers and arrays in, one array of numbers out."""
    words = [command]
    for a in args:
        words += [f"{v:.17g}" for v in np.ravel(np.asarray(a, dtype=float))]
    done = subprocess.run([f"{O}/tests/{program}"], input=" ".join(words), text=True,
                          capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{program} {command}: {done.stderr}")
    return np.array([float(w) for w in done.stdout.split()])


def apart(got, want, scale=None):
    """The largest relative difference; inf where one is NaN and the other is not."""
    got, want = np.ravel(got), np.ravel(want)
    if got.shape != want.shape or np.any(np.isnan(got) != np.isnan(want)):
        return np.inf
    there = ~np.isnan(want)
    if not there.any():
        return 0.0
    off = np.abs(got[there] - want[there])
    size = np.abs(want[there]) if scale is None else scale
    return float(np.max(np.where(off == 0, 0, off / np.maximum(size, 1e-300))))


def report(name, worst, rtol):
    global failed
    good = worst <= rtol
    failed |= not good
    print(f"{'' if good else 'not '}ok - {name} (worst {worst:.1e}, allowed {rtol:.0e})")


def check(name, good, what=""):
    global failed
    failed |= not good
    print(f"{'' if good else 'not '}ok - {name}{' (' + what + ')' if what else ''}")
