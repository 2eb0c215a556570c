# SPDX-License-Identifier: BSD-2-Clause
"""What the programs cost: sections cost and probe."""
import json
import os

from base import HERE, O, call, limpet, say


def measure_cost(run):
    """What the commands of limpet cost."""
    servers, seconds = (6, 240) if run.quick else (200, 600)
    run.how = f"simulate pfs --servers {servers} --clients 10 --seconds {seconds}, each command once, one thread"
    folder = f"{run.work}/cost"
    call(f"{O}/simulate", "pfs", "--servers", servers, "--clients", 10, "--seconds", seconds, "--workload", "mixed",
         "--begin", "@1767571200", folder)
    model = f"{run.work}/cost.json"
    for words in (("diagnose", folder), ("watch", "--once", "--back", "100000", folder),
                  ("report", "-o", f"{run.work}/cost.html", folder),
                  ("train", "--method", "kl,cwnd,ganesha", "-o", model, folder),
                  ("diagnose", "--model", model, "--method", "kl,cwnd", folder),
                  ("diagnose", "--model", model, "--method", "ganesha", folder),
                  ("diagnose", "--method", "ratio", folder), ("show", "-m", "await", "--csv", folder)):
        limpet(*words, status=(0, 3, 4))
        what = " ".join(w for w in words if not w.startswith("/") and w not in ("-o", "--model"))
        run.add("cost", f"limpet {what}", servers, seconds, f"{call.cpu_s:.2f}", f"{call.mib:.0f}")


def measure_probe(run):
    """What limpet-probe costs."""
    if os.geteuid() or not os.access(f"{O}/bench/hooks", os.X_OK):
        say("probe: needs root and `make bench-probe`: passed over")
        return
    run.how = "tools/bench-probe --quick"
    path = f"{run.work}/probe.json"
    call(f"{HERE}/bench-probe", "--quick", "--json", path, *(["events"] if run.quick else []), status=None)
    if not os.path.exists(path):
        say("probe: bench-probe failed: passed over")
        return
    with open(path, encoding="utf-8") as f:
        for t in json.load(f)["targets"]:
            if t["measured"] is not None:
                run.add("probe", t["what"], f"{t['measured']:.3g}", t["unit"], t["limit"], int(t["met"]))
