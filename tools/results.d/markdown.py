# SPDX-License-Identifier: BSD-2-Clause
"""Tables of Markdown."""

NOTHING = "Nothing.\n"


def table(heading, rows):
    """Markdown; without rows a sentence instead."""
    if not rows:
        return NOTHING
    lines = [heading.split(" | "), ["---"] * (heading.count(" | ") + 1), *rows]
    assert all(len(r) == len(lines[0]) for r in lines), lines
    return "".join("| " + " | ".join(str(c).replace("|", "/") for c in r) + " |\n" for r in lines)
