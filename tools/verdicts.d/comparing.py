# SPDX-License-Identifier: BSD-2-Clause
"""What differs between two folders of recorded cases, and what that costs."""
import collections
import glob
import json
import os

from cases import die, pattern, read_list, wanted
from forms import ACCUSED, COLUMNS, is_page, normal_form, page_form, words_of
from packing import at_hand, changed_inputs, read_inputs
from rows import Rows, near, row_differences

KNOWN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "differences")
COST_ROWS = 16    # kinds of case whose cost is shown: all, and those that take the most time
SHOWN = 20        # lines of a page, rows of an object: more of them are cut off


def without_common(old, new):
    """What only one of the two lists has, for those who read."""
    if not (isinstance(old, list) and isinstance(new, list)):
        return old, new
    a, b = [v for v in old if v not in new], [v for v in new if v not in old]
    return (a, b) if a or b else (old, new)


def column_order(column):
    """Those that are known first; keys of the schema that are columns by their own names after them."""
    return (COLUMNS.index(column), "") if column in COLUMNS else (len(COLUMNS), column)


def form_differences(old, new):
    """[(column, old, new)], and the columns that only one of them says."""
    rows, unsaid = [], []
    both = set(old["indicted"]) & set(new["indicted"])
    for column in sorted(set(old) | set(new), key=column_order):
        if (column in old) != (column in new):
            unsaid.append(column)
        if column not in old or column not in new:
            continue
        a, b = old[column], new[column]
        if column == "incidents":
            a, b = (Rows({server: rest for server, rest in side.items() if server in both}) for side in (a, b))
        if isinstance(a, Rows):
            a, b, more = row_differences(a, b)
            unsaid += [f"{column}: {key}" for key in sorted(more)]
            if a or b:
                rows.append((column, a[:SHOWN], b[:SHOWN]))
            continue
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


def json_differences(old, new, notes):
    """Of two outputs that are other bytes: [(column, old, new)]."""
    (schema, a), (other, b) = normal_form(old), normal_form(new)
    for which, name, why in (("old", schema, a), ("new", other, b)):
        if name is None:
            notes["unread"].append(f"{which}: {why}")
    if schema and other:
        rows, unsaid = form_differences(a, b)
        notes["unsaid"].update(unsaid)
        return rows or other_bytes(old, new, notes)
    if schema != other:
        return [("form", schema or "not readable", other or "not readable")]
    return [("form", *first_difference(old, new))]


def other_bytes(old, new, notes):
    notes["bytes"] += 1
    return [("bytes", *first_difference(old, new))]


def page_differences(old, new, notes):
    a, b = page_form(old), page_form(new)
    rows = [(c, *(side[:SHOWN] for side in without_common(a[c], b[c]))) for c in a if a[c] != b[c]]
    return rows or other_bytes(old, new, notes)


def output_differences(old, new, is_json, notes, column="text"):
    """Of what was printed, or of a file. COLUMN: of one that is neither JSON nor a page."""
    if old == new:
        return []
    if old and new and is_json:
        return json_differences(old, new, notes)
    if is_page(old) and is_page(new):
        return page_differences(old, new, notes)
    return [(column, *first_difference(old, new))]


def file_differences(old, new, notes):
    rows = []
    for name in sorted(set(old) | set(new)):
        a, b = old.get(name), new.get(name)
        if a is None or b is None:
            rows.append(("files", *(f"{name}" if side is not None else f"no {name}" for side in (a, b))))
        else:
            a, b = (side.decode(errors="replace") for side in (a, b))
            rows += output_differences(a, b, name.endswith(".json"), notes, "files")
    return rows


def case_differences(old, new, is_json, notes):
    """[(column, old, new)]. What cannot be compared column by column is counted in notes."""
    rows = []
    if old.run["status"] != new.run["status"]:
        rows.append(("status", old.run["status"], new.run["status"]))
    rows += output_differences(old.out, new.out, is_json, notes)
    if old.err != new.err:
        rows.append(("stderr", *first_difference(old.err, new.err)))
    rows += file_differences(old.files, new.files, notes)
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
    """By kind, the last part of a name: processor time, and peaks of memory (their sum, the largest)."""
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
    print_table(["kind", "cases", "old s", "new s", "ratio", "old MiB", "new MiB", "ratio", "old peak", "new peak"],
                rows, [30] + [9] * 9)


def print_times(folder):
    """By kind, the processor time of what was recorded."""
    times = collections.defaultdict(list)
    for name, _ in read_list(os.path.join(folder, "cases.txt")):
        with open(os.path.join(folder, name + ".run")) as f:
            seconds = json.load(f)["cpu_s"]
        for group in ("all", name.rsplit("/", 1)[-1]):
            times[group].append(seconds)
    shares = sorted(times.items(), key=lambda g: -sum(g[1]))
    print_table(["kind", "cases", "processor s", "longest"],
                [[g, str(len(s)), f"{sum(s):.2f}", f"{max(s):.2f}"] for g, s in shares[:COST_ROWS]],
                [30, 9, 12, 9])
    print()


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
                    [[c, str(columns[c]), str(unexplained[c])] for c in sorted(columns, key=column_order)],
                    [30, 9, 12])
    if notes["bytes"]:
        print(f"other bytes, though every column is equal: {notes['bytes']} cases (--bytes: they differ)")
    for column, n in sorted(notes["unsaid"].items()):
        print(f"said by one of the two schemas only, not compared: {column} of {n} cases")
    unread = collections.Counter(notes["unread"])
    for why, n in unread.most_common(10):
        print(f"NOT NORMALISED, compared as bytes: {n} outputs, {cut(why, 200)}")


def compare(o):
    if len(o.args) != 2:
        die("OLD and NEW are needed (see tools/verdicts --help)")
    with at_hand(o.args[0]) as old, at_hand(o.args[1]) as new:
        return compare_folders(old, new, o)


def compare_folders(old_folder, new_folder, o):
    take, known = wanted(o.only), Known(o.differences or (KNOWN if os.path.exists(KNOWN) else None))
    old, new = ({n: w for n, w in read_list(os.path.join(folder, "cases.txt")) if take(n)}
                for folder in (old_folder, new_folder))
    names = [n for n in old if n in new]
    if not names:
        die("no case is in both folders")
    rows, costs, notes = [], [], {"unread": [], "unsaid": collections.Counter(), "bytes": 0}
    skipped = set(o.ignore.split(",")) | (set() if o.bytes else {"bytes"})
    inputs = changed_inputs(read_inputs(old_folder), read_inputs(new_folder))
    for name in names:
        a, b = (Recorded(folder, name) for folder in (old_folder, new_folder))
        found = case_differences(a, b, {"--json", "-j"} & set(new[name]) or new[name][0] == "events", notes)
        if old[name] != new[name]:
            print(f"other arguments: {name}")
        if of_case := inputs(old[name]):
            found.insert(0, ("inputs", f"{of_case[0]} and {len(of_case) - 1} more", "other bytes"))
        rows += [(name, *row, known.why((name, *row))) for row in found if row[0] not in skipped]
        costs.append((name, a.run, b.run))
    if rows:
        width = 10 ** 6 if o.wide else 60
        print_table(["case", "column", "old", "new", "known"],
                    [[*r[:4], r[4] or "UNEXPLAINED"] for r in rows[:o.rows]], [70, 12, width, width, 60])
        print(f"… and {len(rows) - o.rows} more rows (--rows)\n" if len(rows) > o.rows else "")
    only_one = [("old", set(old) - set(new)), ("new", set(new) - set(old))] if not o.common else []
    print_totals(rows, notes, len(names), only_one)
    for known_names, _, n, line in known.rows:
        if not n and (not o.only or any(known_names[0].fullmatch(name) for name in names)):
            print(f"nothing matched: {line}")
    print_costs(costs)
    return 1 if any(not r[4] for r in rows) or only_one and only_one[0][1] else 0
