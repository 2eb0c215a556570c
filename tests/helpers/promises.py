# SPDX-License-Identifier: BSD-2-Clause
"""
promises.py tests: "FILE FUNCTION" of each cmocka test of the rooms that tests/PROMISES.md is about.
promises.py table: "FILE FUNCTION" of each entry of that table, and "FILE FUNCTION > TEST: WORDS" of one that moved.
"""
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
# Headers of these rooms, and those that are for a room itself.
INNER = re.compile(r'#include "(analyzer/(engine|track|rules|watch|evidence|compare|interval|signal|verdict|methods/(?!model/|learn/)|jobs/(?!job_flow)|'
                   r'output|source/frame|source/(?!tables/|logs/(?!states)))[^"]*|analyzer/[^"]*/internal\.h)"')


def includes(path, seen):
    text = path.read_text()
    seen.add(path.name)
    if INNER.search(text):
        return True
    return any(includes(path.with_name(name), seen) for name in re.findall(r'#include "([^"/]+)"', text)
               if name not in seen and path.with_name(name).exists())


def tests():
    for path in sorted((TESTS / "unit").glob("test_*.c")):
        if not includes(path, set()):
            continue
        text = path.read_text()
        defined = set(re.findall(r"^static void (\w+)\(void \*\*", text, re.M))
        run = re.search(r"CMUnitTest tests\[\] = \{(.*?)\n\t\};", text, re.S).group(1)
        for name in re.findall(r"\w+", run):
            if name in defined:
                yield path.stem, name
                defined.discard(name)


def table():
    for line in (TESTS / "PROMISES.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip("|").split(" | ")]
        if len(cells) != 3 or not cells[0].startswith("`test_"):
            continue
        names = re.findall(r"`(\w+)`", cells[0])
        moved = re.fullmatch(r"moved to `([\w/.]+)`: (.+)", cells[2])
        for name in names[1:]:
            yield names[0], name, (moved.group(1), moved.group(2)) if moved else None


if __name__ == "__main__":
    for row in tests() if sys.argv[1] == "tests" else table():
        print(*row[:2], *(["> " + ": ".join(row[2])] if len(row) > 2 and row[2] else []))
