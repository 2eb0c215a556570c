# SPDX-License-Identifier: BSD-2-Clause
"""What numeric tests of methods on series share: recordings made of numbers, and looks of `--explain`."""
import os
import subprocess
from datetime import datetime

import numpy as np

O = os.environ.get("O", ".output")
DISK = ("rkB/s", "wkB/s", "await", "r_await", "w_await")
T0 = 1795230000


def verdict_of(look):
    return "odd" if look["flagged"] else "fine" if look["judged"] else "abstain"


def second_of(look):
    return int(datetime.fromisoformat(look["from"].replace("Z", "+00:00")).timestamp()) - T0


def kept(x):
    """Numbers that the series file keeps to the last bit (userspace/series/series.h)."""
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.round(np.ldexp(fraction, 16)), exponent - 16)


def write(folder, data):
    """A series of every server from {metric: servers x seconds}."""
    os.mkdir(folder)
    n, seconds = next(iter(data.values())).shape
    lines = []
    for t in range(seconds):
        for i in range(n):
            for m, x in data.items():
                inst = "sda" if m in DISK else "eth0" if m.startswith(("rx", "tx")) else ""
                lines.append(f"{T0 + t},n{i:03},{m},{inst},{x[i, t]:.17g}")
    subprocess.run([f"{O}/tests/make_series", folder], input="\n".join(lines), text=True, check=True)
