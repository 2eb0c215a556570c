# SPDX-License-Identifier: BSD-2-Clause
"""Tables of RESULTS.md about evidence: what is found, by when and how surely, and what it costs in false alarms."""
import collections

from base import RULES
from markdown import added, by_system, number, percent, picked, rate, sentence, table
from said import DEFAULT

METHODS = ("robust", *RULES, "kl")
TIMES = ("25 min", "50 min", "100 min", "3 h")
AFTER = "3 h, after other evenings"


def dictionary(rows, *keys):
    return {tuple(r[k] for k in keys): r for r in rows}


def of_slow(r):
    return f"{r['found']} of {r['slow']}"


def named(r):
    return [f"{r['named']} in {float(r['hours']) / 168:.1f}", rate(int(r["named"]), float(r["hours"]))]


def healthy(rows):
    """A line for each method and budget, with two cells for each cluster."""
    data = sorted({r["data"] for r in rows})
    sums = dictionary(added(rows, "method", "budget", "data"), "method", "budget", "data")
    lines = sorted({k[:2] for k in sums}, key=lambda k: (METHODS.index(k[0]), number(k[1] or "0")))
    return table("method, budget | " + " | ".join(f"{d}: indicted in weeks | a group-week" for d in data),
                 [[", ".join(filter(None, line)), *(cell for d in data for cell in named(sums[*line, d]))]
                  for line in lines])


def kinds(rows):
    """Kinds by how many of their servers were indicted, most first."""
    sums = collections.defaultdict(list)
    for r in added([r for r in rows if int(r["named"])], "what"):
        sums[int(r["named"])].append(r["what"])
    return sentence("Servers indicted of each kind: ",
                    [f"{n} of {', '.join(sums[n])}" for n in sorted(sums, reverse=True)])


def evening(rows):
    """By factor: what was found with five and with all peers; by when at the default budget, at other budgets at the
    end."""
    rows = sorted(picked(rows, method="robust", data="quiet-drives"), key=lambda r: number(r["n"]))
    spans = [*((s, DEFAULT) for s in TIMES),
             *(("3 h", b) for b in sorted({r["budget"] for r in rows} - {DEFAULT, "0.05"})), (AFTER, DEFAULT)]
    heading = [f"{s}, budget {b}" if b != DEFAULT else s for s, b in spans]
    some = lambda factor, column, s, b: ", ".join(r[column] for r in picked(rows, factor=factor, span=s, budget=b))
    return table(f"factor | {' | '.join(heading)} | 3 h: missed",
                 [[f, *(some(f, "found", *s) for s in spans), some(f, "missed", "3 h", DEFAULT)]
                  for f in sorted({r["factor"] for r in rows if r["span"] == "3 h"}, key=number)])


def drive_methods(rows):
    """Found and others indicted by each method, whatever the number of peers."""
    rows = [dict(r, what=f"{r['factor']} ×, {r['data']}" if r["factor"] else "labelled, one evening")
            for r in rows if r["budget"] in (DEFAULT, "")]
    same = lambda r: tuple(r[k] for k in ("data", "factor", "span", "n"))
    judged = {same(r) for r in rows if r["method"] != "robust"}
    rows = sorted((r for r in rows if same(r) in judged), key=lambda r: number(r["factor"]))
    sums = dictionary(added(rows, "what", "method"), "what", "method")
    lines = {}
    for (what, m), r in sums.items():
        n = sums[what, "robust"]["slow"]
        lines.setdefault(what, [f"{what} ({n})", *"–" * len(METHODS)])[1 + METHODS.index(m)] = \
            f"{r['found'] if r['slow'] == n else of_slow(r)}, {r['others']}"
    return table("slow drives | " + " | ".join(METHODS), list(lines.values()))


def states(found, alarms):
    """Job states: traces by factor, engines all faults together; beside each what a log without a fault says."""
    free = dictionary(added(by_system(alarms), "data", "what", "method"), "data", "what", "method")
    quiet = lambda r: (lambda a: f"{a['runs_named']} of {a['runs']}" if a else "–")(
        free.get((r["data"], r["span"], r["method"])))
    some = lambda r: [r["suspicious"], r["unjudged"], r["others"], quiet(r)]
    rest = "suspicious | not judged | another server | no fault: indicted"
    traces = picked(found, data="hadoop-traces")
    factors = sorted({r["factor"] for r in traces}, key=number)
    cells = dictionary(traces, "span", "method", "factor")
    order = lambda r: (r["span"], r["method"])
    engines = [r for r in found if r["data"] != "hadoop-traces"]
    return {
        "traces": table(f"trace of | method | hosts | {' | '.join(f'{f} ×' for f in factors)} | {rest}",
            [[r["span"].replace("a trace of ", ""), r["method"], cells[r["span"], r["method"], factors[0]]["slow"],
              *(cells[r["span"], r["method"], f]["found"] for f in factors), *some(r)]
             for r in sorted(added(traces, "span", "method"), key=order)]),
        "engines": table(f"read | method | right server | % | {rest}",
            [[r["span"], r["method"], of_slow(r), percent(r["found"], r["slow"]), *some(r)]
             for r in sorted(added(by_system(engines), "data", "span", "method"), key=order)]),
    }


def onset(csvs):
    """Simulated runs: disks and schedulers by factor, the other faults together, and what is no fault."""
    label = lambda factor, fault: factor or ("other faults" if fault else "no fault")
    late = [dict(r, what=label(r["factor"], True)) for r in picked(csvs["onset"], data="simulated")]
    known, lines = dictionary(added(late, "what"), "what"), []
    rows = [dict(r, what=label(r["factor"], int(r["slow"])))
            for r in picked(csvs["found"], section="confidence", data="simulated")]
    for r in added(sorted(rows, key=lambda r: (number(r["factor"] or "99"), r["what"] == "no fault")), "what"):
        t = known.get((r["what"],), collections.defaultdict(lambda: "–"))
        medians = sorted({int(x["median_s"]) for x in late if x["what"] == r["what"] and x["median_s"]})
        lines.append([r["what"], r["runs"], *(r[c] if t else "–" for c in ("found", "suspicious", "missed")),
                      r["others"], t["within_60s"], "–".join(map(str, medians[:1] + medians[1:][-1:])) or "–",
                      t["max_s"] or "–"])
    return table("fault | runs | found | suspicious | missed | others indicted | within 60 s | medians s | most s",
                 lines)


def evidence(csvs):
    alarms, found = csvs["alarms"], csvs["found"]
    constructed, slow = picked(alarms, section="kinds"), picked(found, section="drives")
    jobs = dictionary(picked(alarms, section="jobs"), "method")
    return {
        "healthy": healthy([r for r in picked(alarms, section="healthy") if r["budget"] != "0.05"]),
        "kinds": table("servers | indicted in weeks | a group-week | tables: suspicious | not judged",
            [[r["n"], *named(r), r["runs_suspicious"], r["runs_unjudged"]]
             for r in sorted(added(picked(constructed, budget=DEFAULT), "n"), key=lambda r: number(r["n"]))]),
        "kinds-named": kinds(constructed),
        "hours": sentence("Indicted: ", [
            f"{r['data']} {r['named']} in {float(r['hours']):.1f} h ({r['runs']} runs, {r['runs_suspicious']} suspicious, "
            f"{r['runs_unjudged']} not judged)"
            for r in added(by_system(picked(alarms, section="hours")), "data")]),
        "jobs": sentence("Found, not judged, innocents indicted: ", [
            f"{r['method']} {of_slow(r)}, {r['unjudged']}, {int(r['others']) + int(jobs[(r['method'],)]['named'])}"
            for r in picked(found, section="jobs")]),
        **states(picked(found, section="states"), picked(alarms, section="states")),
        "evening": evening(slow), "drive-methods": drive_methods(slow),
        "labelled": sentence("Also found by `robust`, of labelled drives over five spans of time, by budget: ", [
            f"{r['budget']} {of_slow(r)}"
            for r in added(picked(slow, data="failslow-drives", method="robust"), "budget")] + [
            f"`{r['data']}` {r['factor']} × slower for 100 min {of_slow(r)}"
            for r in added(picked(slow, data="healthy-drives", span="100 min, less than 5 sd", method="robust"), "data")]),
        "reliability": table("data | said | indicted | right | right %",
            [[r["data"], r["confidence"], r["indicted"], r["right"], percent(r["right"], r["indicted"])]
             for r in sorted(added(by_system(csvs["reliability"]), "data", "confidence"),
                             key=lambda r: (r["data"] != "simulated", r["data"], r["confidence"]))]),
        "onset": onset(csvs),
    }
