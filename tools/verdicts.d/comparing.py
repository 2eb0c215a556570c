# SPDX-License-Identifier: BSD-2-Clause
"""What differs between two folders of recorded cases, and what that costs."""
import collections
import glob
import json
import math
import os

from cases import die, pattern, read_list, wanted
from forms import ACCUSED, COLUMNS, normal_form, words_of

TOLERANCE = 1e-6  # of numbers that stand as evidence, relative
COST_ROWS = 16    # methods whose cost is shown: all, and those that take the most time


def near(a, b):
    """The same but for rounding. What is no number must be equal."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(near(x, y) for x, y in zip(a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-9)
    return a == b


def without_common(old, new):
    """What only one of the two lists has, for those who read."""
    if not (isinstance(old, list) and isinstance(new, list)):
        return old, new
    a, b = [v for v in old if v not in new], [v for v in new if v not in old]
    return (a, b) if a or b else (old, new)


def form_differences(old, new):
    """[(column, old, new)], and the columns that only one of them says."""
    rows, unsaid = [], []
    both = set(old["indicted"]) & set(new["indicted"])
    for column in COLUMNS:
        if (column in old) != (column in new):
            unsaid.append(column)
        if column not in old or column not in new:
            continue
        a, b = old[column], new[column]
        if column in ACCUSED:  # of those that both indict
            a, b = ([v for v in side if v[0] in both] for side in (a, b))
        if column == "order":
            a, b = ([v for v in side if v in both] for side in (a, b))
        if not (near(a, b) if column == "numbers" else a == b):
            rows.append((column, *without_common(a, b)))
    return rows, unsaid


def first_difference(old, new):
    a, b = old.splitlines(), new.splitlines()
    for x, y in zip(a, b):
        if x != y:
            return x, y
    return f"{len(a)} lines", f"{len(b)} lines"


class Recorded:
    """One case of a folder."""

    def __init__(self, folder, name):
        at = os.path.join(folder, name)
        with open(at + ".run") as f:
            self.run = json.load(f)
        with open(at + ".out", errors="replace") as f:
            self.out = f.read()
        with open(at + ".err", errors="replace") as f:
            self.err = f.read()
        self.files = {}
        for path in sorted(glob.glob(at + ".files/**", recursive=True)):
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    self.files[os.path.relpath(path, at + ".files")] = f.read()


def case_differences(old, new, is_json, notes):
    """[(column, old, new)]. What cannot be compared column by column is counted in notes."""
    rows = []
    if old.run["status"] != new.run["status"]:
        rows.append(("status", old.run["status"], new.run["status"]))
    if is_json and old.out and new.out:
        (schema, a), (other, b) = normal_form(old.out), normal_form(new.out)
        for which, name, why in (("old", schema, a), ("new", other, b)):
            if name is None:
                notes["unread"].append(f"{which}: {why}")
        if schema and other:
            more, unsaid = form_differences(a, b)
            rows += more
            notes["unsaid"].update(unsaid)
            if not more and old.out != new.out:
                notes["bytes"] += 1
                rows.append(("bytes", *first_difference(old.out, new.out)))
        elif schema != other:
            rows.append(("form", schema or "not readable", other or "not readable"))
        elif old.out != new.out:
            rows.append(("bytes", *first_difference(old.out, new.out)))
    elif old.out != new.out:
        rows.append(("text", *first_difference(old.out, new.out)))
    if old.err != new.err:
        rows.append(("stderr", *first_difference(old.err, new.err)))
    if old.files != new.files:
        rows.append(("files", *(words_of([f"{n} of {len(d)} bytes" for n, d in f.items()])
                                for f in (old.files, new.files))))
    return [(column, words_of(a), words_of(b)) for column, a, b in rows]


class Known:
    """Differences with an explanation, of a file."""

    def __init__(self, path):
        self.rows = []
        if not path:
            return
        with open(path) as f:
            for number, line in enumerate(f, 1):
                fields = [p.strip() for p in line.split("|")]
                if not line.strip() or line.startswith("#"):
                    continue
                if len(fields) < 5 or not fields[4]:
                    die(f"'{path}' line {number}: not CASE | COLUMN | OLD | NEW | WHY")
                self.rows.append([[pattern(p) for p in fields[:4]], " | ".join(fields[4:]), 0, line.strip()])

    def why(self, row):
        for known in self.rows:
            if all(p.fullmatch(value) for p, value in zip(known[0], row)):
                known[2] += 1
                return known[1]
        return None


def cut(text, width):
    text = text.replace("\n", " ")
    return text if len(text) <= width else text[:width - 1] + "…"


def print_table(heading, rows, widths):
    rows = [heading] + rows
    size = [min(max(len(r[i]) for r in rows), w) for i, w in enumerate(widths)]
    for r in rows:
        print("  ".join(cut(v, s).ljust(s) for v, s in zip(r, size)).rstrip())


def ratio(a, b):
    return f"{b / a:.2f}" if a else "-"


def print_costs(costs):
    """By method, the last part of a name: processor time, and peaks of memory (their sum, the largest)."""
    groups = {"all": costs}
    for name, *runs in costs:
        groups.setdefault(name.rsplit("/", 1)[-1], []).append((name, *runs))
    rows = []
    shares = sorted(groups.items(), key=lambda g: -sum(old["cpu_s"] for _, old, _ in g[1]))
    for group, of in shares[:COST_ROWS]:
        s, kb = ([[r[key] for r in side] for side in list(zip(*of))[1:]] for key in ("cpu_s", "peak_kb"))
        rows.append([group, str(len(of)), f"{sum(s[0]):.2f}", f"{sum(s[1]):.2f}", ratio(sum(s[0]), sum(s[1])),
                     *(f"{sum(k) / 1024:.0f}" for k in kb), ratio(sum(kb[0]), sum(kb[1])),
                     *(f"{max(k) / 1024:.1f}" for k in kb)])
    print()
    print_table(["method", "cases", "old s", "new s", "ratio", "old MiB", "new MiB", "ratio", "old peak", "new peak"],
                rows, [30] + [9] * 9)


def print_totals(rows, notes, seen, only_one):
    unlike = {r[0] for r in rows}
    open_rows = [r for r in rows if not r[4]]
    print(f"{seen} cases compared: {seen - len(unlike)} equal, {len(unlike)} differ, "
          f"of these {len({r[0] for r in open_rows})} without an explanation")
    for which, names in only_one:
        if names:
            print(f"only in the {which} folder: {len(names)} cases: {cut(', '.join(sorted(names)), 200)}")
    columns = collections.Counter(r[1] for r in rows)
    unexplained = collections.Counter(r[1] for r in open_rows)
    if columns:
        print_table(["column", "differ", "unexplained"],
                    [[c, str(columns[c]), str(unexplained[c])] for c in COLUMNS if columns[c]], [30, 9, 12])
    if notes["bytes"]:
        print(f"other bytes, though every column is equal: {notes['bytes']} cases (--bytes: they differ)")
    for column, n in sorted(notes["unsaid"].items()):
        print(f"said by one of the two schemas only, not compared: {column} of {n} cases")
    unread = collections.Counter(notes["unread"])
    for why, n in unread.most_common(10):
        print(f"NOT NORMALISED, compared as bytes: {n} outputs, {why}")


def compare(o):
    if len(o.args) != 2:
        die("OLD and NEW are needed (see tools/verdicts --help)")
    take, known = wanted(o.only), Known(o.differences)
    old, new = ({n: w for n, w in read_list(os.path.join(folder, "cases.txt")) if take(n)} for folder in o.args)
    names = [n for n in old if n in new]
    if not names:
        die("no case is in both folders")
    rows, costs, notes = [], [], {"unread": [], "unsaid": collections.Counter(), "bytes": 0}
    skipped = set(o.ignore.split(",")) | (set() if o.bytes else {"bytes"})
    for name in names:
        a, b = (Recorded(folder, name) for folder in o.args)
        found = case_differences(a, b, {"--json", "-j"} & set(new[name]), notes)
        if old[name] != new[name]:
            print(f"other arguments: {name}")
        for row in found:
            schemas_unread = row[0] == "bytes" and normal_form(a.out)[0] is None
            if row[0] not in skipped or schemas_unread and "bytes" not in o.ignore.split(","):
                rows.append((name, *row, known.why((name, *row))))
        costs.append((name, a.run, b.run))
    if rows:
        width = 10 ** 6 if o.wide else 60
        print_table(["case", "column", "old", "new", "known"],
                    [[*r[:4], r[4] or "UNEXPLAINED"] for r in rows[:o.rows]], [70, 12, width, width, 60])
        print(f"… and {len(rows) - o.rows} more rows (--rows)\n" if len(rows) > o.rows else "")
    only_one = [("old", set(old) - set(new)), ("new", set(new) - set(old))] if not o.common else []
    print_totals(rows, notes, len(names), only_one)
    for _, _, n, line in known.rows:
        if not n:
            print(f"nothing matched: {line}")
    print_costs(costs)
    return 1 if any(not r[4] for r in rows) or only_one and only_one[0][1] else 0
