# SPDX-License-Identifier: BSD-2-Clause
"""What `limpet diagnose --method stragglers` says of straggling, once more from `limpet states --csv` on standard input."""
import collections
import csv
import json
import statistics
import sys

cells, out = collections.defaultdict(list), dict.fromkeys(("beyond_s", "explained_s", "tasks", "few", "uneven", "no_input"), 0)
for row in csv.DictReader(sys.stdin):
    if row["state"] in ("map", "reduce", "task") and row["job"] and row["outcome"] == "ok":
        stage = " ".join(row["class"].split()[:2]) if row["class"].startswith("stage") else ""
        cells[row["job"], row["state"], stage].append((float(row["duration"]), row["bytes"], row["node"]))
for tasks in cells.values():
    n = len(tasks)
    out["tasks"] += n
    known = all(b for _, b, _ in tasks)
    usual = statistics.median(t for t, _, _ in tasks)
    if n < 6:
        out["few"] += n
    elif 3 * max(collections.Counter(s for _, _, s in tasks).values()) > n:
        out["uneven"] += n
    elif not known or statistics.median(int(b) for _, b, _ in tasks) < 1 << 20:
        out["no_input"] += n
    else:
        size = statistics.median(int(b) for _, b, _ in tasks)
        for took, b, _ in tasks:
            if took >= 1.5 * usual:
                out["beyond_s"] += took - usual
                out["explained_s"] += min(max(usual * (int(b) / size - 1), 0), took - usual)
json.dump(out, sys.stdout)
