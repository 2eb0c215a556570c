# SPDX-License-Identifier: BSD-2-Clause
"""What must be equal within one state of limpet."""
import collections
import glob
import os
import random
import tempfile

from cases import all_cases, die
from comparing import first_difference, form_differences, print_table
from forms import normal_form, words_of
from running import in_parallel, prepare, run

WATCHED = ("--from", "--hop", "--peers", "--acknowledge", "--offsets")  # options of watch, with a value


def robust_on_series(words):
    """(options, sources) of a diagnosis of series by robust; None if it is another case."""
    options, sources, at = [], [], 1
    if words[0] != "diagnose" or "--json" not in words or "{" in " ".join(words):
        return None
    while at < len(words):
        if words[at] in ("--json", "--exit-code"):
            at += 1
        elif words[at] in WATCHED:
            options += words[at:at + 2]
            at += 2
        elif words[at].startswith("-"):
            return None
        else:
            sources.append(words[at])
            at += 1
    if not sources or not all(os.path.isdir(s) and glob.glob(os.path.join(glob.escape(s), "*.limpet"))
                              for s in sources):
        return None
    return options, sources


def printed(limpet, words, timeout):
    with tempfile.TemporaryDirectory(prefix="limpet-verdicts.") as tmp:
        to = os.path.join(tmp, "o")
        status = run([limpet] + words, to, timeout)[0]
        with open(to + ".out", errors="replace") as f:
            return status, f.read()


def how_they_differ(old, new):
    """Rows of (column, old, new); none when they are the same bytes."""
    (status, a), (other, b) = old, new
    rows = [] if status == other else [("status", str(status), str(other))]
    if a == b:
        return rows
    (schema, x), (another, y) = normal_form(a), normal_form(b)
    if schema != another:
        rows.append(("form", schema or f"not readable: {x}", another or f"not readable: {y}"))
    if schema and another:
        rows += [(c, words_of(p), words_of(q)) for c, p, q in form_differences(x, y)[0]]
    return rows or [("bytes", *first_difference(a, b))]


def check_property(limpet, name, options, sources, timeout):
    rows = []
    diagnosed = printed(limpet, ["diagnose", "--json"] + options + sources, timeout)
    watched = printed(limpet, ["watch", "--once", "--json"] + options + sources, timeout)
    rows += [(name, "watch", *r) for r in how_they_differ(diagnosed, watched)]
    files = [f for s in sources for f in sorted(glob.glob(os.path.join(glob.escape(s), "*.limpet")))]
    shuffled = random.Random(name)  # the same every time
    orders = [files, files[::-1]] + [shuffled.sample(files, len(files)) for _ in range(2)]
    for order in orders:
        found = how_they_differ(diagnosed, printed(limpet, ["diagnose", "--json"] + options + order, timeout))
        rows += [(name, "order", *r) for r in found]
        if found:
            break
    return rows


def properties(o):
    if not o.args:
        die("CASES are needed (see tools/verdicts --help)")
    limpet, cases = os.path.abspath(o.limpet), {}
    for name, words in all_cases(o.args, o.models, o.only).items():
        asked = robust_on_series(words)
        if asked and asked not in cases.values():
            cases[name] = asked
    if not cases:
        die("no case of the method robust on series")
    prepare(limpet)
    found = list(in_parallel(o.jobs, lambda c: check_property(limpet, c[0], *c[1], o.timeout), list(cases.items())))
    rows = [r for rows in found for r in rows]
    if rows:
        print_table(["case", "property", "column", "diagnose", "other"], [list(r) for r in rows[:o.rows]],
                    [60, 8, 12, 60, 60])
        print(f"… and {len(rows) - o.rows} more rows (--rows)" if len(rows) > o.rows else "")
    for which, what in (("watch", "`watch --once` prints what `diagnose` prints"),
                        ("order", "the order of the files does not matter")):
        bad = {r[0] for r in rows if r[1] == which}
        print(f"{what}: {len(cases) - len(bad)} of {len(cases)} cases")
        columns = collections.Counter(r[2] for r in rows if r[1] == which)
        if columns:
            print("    differ: " + ", ".join(f"{c} {n}" for c, n in columns.most_common()))
    return 1 if rows else 0
