# SPDX-License-Identifier: BSD-2-Clause
"""Rows of the CSV files, picked and added up, and tables of Markdown."""
import textwrap

from stats import poisson, wilson

NOTHING = "Not measured.\n"
SUMS = {"runs", "runs_faulty", "runs_fault_free", "runs_named", "runs_suspicious", "runs_unjudged", "named", "hours",
        "slow", "found", "alone", "suspicious", "missed", "unjudged", "others", "indicted", "right", "within_20s",
        "within_60s"}
SYSTEMS = {"glusterfs": "Ceph, GlusterFS", "ceph": "Ceph, GlusterFS",
           "hadoop1": "Hadoop, Spark", "hadoop3": "Hadoop, Spark", "spark": "Hadoop, Spark"}


def picked(rows, **columns):
    return [r for r in rows if all(r[k] == v for k, v in columns.items())]


def by_system(rows):
    """Recordings of file systems, and of engines, have one name. Their folders are named SYSTEM-ANYTHING."""
    return [dict(r, data=SYSTEMS.get(r["data"].split("-")[0], r["data"])) for r in rows]


def added(rows, *keys):
    """Rows of the same keys are one: counts and hours are added up, the longest time stays. Other columns are those of
    the first row."""
    sums = {}
    for r in rows:
        key = tuple(r[k] for k in keys)
        s = sums.get(key)
        if s is None:
            s = sums[key] = dict(r)
            continue
        for c in r:
            if c in SUMS or c.endswith(("_k", "_n")):
                s[c] = float(s[c]) + float(r[c]) if c == "hours" else int(s[c]) + int(r[c])
            elif c.endswith("max_s"):
                s[c] = max(s[c], r[c], key=lambda x: float(x or "-inf"))
    return list(sums.values())


def percent(k, n):
    """With Wilson's 95 % interval, of as many digits as in the CSV files."""
    k, n = int(k), int(n)
    lo, hi = (float(f"{x:.3g}") for x in wilson(k, n))
    return f"{100 * k / n:.0f} ({100 * lo:.0f}–{100 * hi:.0f})" if n else "–"


def rate(named, hours):
    """A group-week, with its exact 95 % interval."""
    one, lo, hi = (f"{x * 168 / hours:.2g}" if hours else "" for x in (named, *poisson(named)))
    return f"{one} ({lo}–{hi})" if hours else "–"


def number(text):
    """So that sizes and factors are in order; words come last."""
    try:
        return float(text), ""
    except ValueError:
        return float("inf"), text


def table(heading, rows):
    """Markdown; without rows a sentence instead."""
    if not rows:
        return NOTHING
    lines = [heading.split(" | "), *rows]
    assert all(len(r) == len(lines[0]) for r in lines), lines
    text = ["| " + " | ".join(str(c).replace("|", "/") for c in r) + " |\n" for r in lines]
    return "".join([text[0], "|---" * len(lines[0]) + "|\n", *text[1:]])


def sentence(begin, parts):
    text = textwrap.fill(begin + "; ".join(parts) + ".", 120, break_on_hyphens=False)
    return text + "\n" if parts else NOTHING
