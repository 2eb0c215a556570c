# SPDX-License-Identifier: BSD-2-Clause
"""JSON of any shape as rows, for comparison.

A row is an object, found by its path; an item of a list is found by what names it (its server, signal,
time ...), so that one more item moves no other. Fields are numbers, words, and lists of these. A row or field
that only one side has is a difference, unless its whole key is new: then the schema has grown."""
import collections
import math

TOLERANCE = 1e-6  # of numbers, relative: rounding of another order of sums, and no more
NAMES = ("server", "node", "signal", "method", "disk", "job", "task", "state", "id", "kind", "group", "cluster",
         "fault", "workload", "source", "family", "instance", "time")
SPANS = ("from", "to")  # name an item where the names do not: looks
PLAIN = (str, int, float, bool, type(None))


def near(a, b):
    """The same but for rounding. What is no number must be equal."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(near(x, y) for x, y in zip(a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-9)
    return a == b


def keys_of(value):
    """All keys in it."""
    if isinstance(value, dict):
        return set(value).union(*(keys_of(v) for v in value.values()))
    return set().union(*(keys_of(v) for v in value)) if isinstance(value, list) else set()


class Rows:
    """JSON that is to be compared as rows."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value


class Flat:
    """rows: {path: {field: value}}; a path is a tuple of keys and, in brackets, names of items. An item is named
    by KEYS, which the other side has, too: or a new `id` would be another name of each."""

    def __init__(self, value, keys):
        self.names = [n for n in NAMES if n in keys]
        self.rows = {}
        self.take((), value)

    def items(self, items):
        """Names of items, no two alike."""
        def said(keys):
            return ["/".join(str(i[k]) for k in keys if isinstance(i, dict) and isinstance(i.get(k), (str, int)))
                    for i in items]
        names = said(self.names)
        if len(set(names)) < len(names):
            names = said(self.names + list(SPANS))
        seen = collections.Counter()
        for name in names:
            seen[name] += 1
            yield f"[{name}]" if seen[name] == 1 else f"[{name}#{seen[name]}]"

    def take(self, at, value):
        if isinstance(value, PLAIN) or isinstance(value, list) and value and all(isinstance(v, PLAIN) for v in value):
            self.rows.setdefault(at[:-1], {})[at[-1] if at else ""] = value
            return
        fields = self.rows.setdefault(at, {})
        if isinstance(value, dict):
            for key, v in value.items():
                self.take(at + (key,), v)
        elif value:
            for name, v in zip(self.items(value), value):
                self.take(at + (name,), v)
        else:
            fields[""] = []  # an empty list, of whatever

    def grown(self, path):
        """PATH, which the other side has: is it of a key that we do not know at all?"""
        at = next(n for n in range(len(path), -1, -1) if path[:n] in self.rows or n == 0)
        return at < len(path) and not path[at].startswith("[") and path[at] not in self.rows.get(path[:at], {})


def key_of(path):
    return ".".join(p for p in path if not p.startswith("[")) or "(all)"


def row_differences(a, b):
    """(what only the old side says, what only the new side says, the keys that only one knows)."""
    old, new, unsaid = [], [], set()
    keys = keys_of(a.value) & keys_of(b.value)
    a, b = Flat(a.value, keys), Flat(b.value, keys)
    for mine, other, said in ((a, b, old), (b, a, new)):
        for path, fields in mine.rows.items():
            there = other.rows.get(path)
            if there is None:
                if other.grown(path):
                    unsaid.add(key_of(path))
                else:
                    said.append("".join(f".{p}" if not p.startswith("[") else p for p in path).lstrip("."))
                continue
            for field, value in fields.items():
                if field == "" and value == []:
                    continue
                if field in there:
                    if not near(value, there[field]):
                        said.append(" ".join(filter(None, (key_of(path), *(p for p in path if p[:1] == "["), field,
                                                           str(value)))))
                elif path + (field,) not in other.rows:
                    unsaid.add(key_of(path + (field,)))
                else:
                    said.append(f"{key_of(path)} {field} {value}")
    return old, new, unsaid
