# SPDX-License-Identifier: BSD-2-Clause
"""Tables of RESULTS.md about evidence: what is found, by when and how surely, and what it costs in false alarms."""
import collections

from markdown import table
from said import DEFAULT
from stats import poisson, wilson

METHODS = ("robust", "ratio", "hdfs", "ceph", "kl")
TIMES = ("25 min", "50 min", "100 min", "3 h")


def picked(rows, **columns):
    return [r for r in rows if all(r[k] == v for k, v in columns.items())]


def number(text):
    """So that sizes and factors are in order; words come last."""
    try:
        return float(text), ""
    except ValueError:
        return float("inf"), text


def rate(named, hours):
    """A group-week, with its exact 95 % interval."""
    one, lo, hi = (f"{x * 168 / hours:.2g}" if hours else "" for x in (named, *poisson(named)))
    return f"{one} ({lo}–{hi})" if hours else "–"


ALARMS = "peers | method | budget | runs | weeks | indicted | a group-week | runs with an indictment | " \
    "runs with a suspicion | runs that could not be judged"


def alarm_cells(r):
    return [r["n"], r["method"], r["budget"] or "–", r["runs"], f"{float(r['hours']) / 168:.1f}", r["named"],
            rate(int(r["named"]), float(r["hours"])), r["runs_named"], r["runs_suspicious"], r["runs_unjudged"]]


def by_peers(rows):
    return sorted(rows, key=lambda r: (r["data"], METHODS.index(r["method"]), number(r["budget"] or "0"),
                                       number(r["n"])))


def added(rows, *keys):
    """Rows of the same keys are one."""
    sums = {}
    for r in rows:
        s = sums.setdefault(tuple(r[k] for k in keys), dict(r, what="", **{c: 0 for c in COUNTS}))
        for c in COUNTS:
            s[c] += float(r[c]) if c == "hours" else int(r[c])
    return list(sums.values())


COUNTS = ("runs", "runs_named", "named", "runs_suspicious", "runs_unjudged", "hours")


def kinds(rows):
    """Each kind that alarms, by number of servers."""
    sizes = sorted({int(r["n"]) for r in rows})
    lines = collections.defaultdict(dict)
    for r in rows:
        lines[r["what"]][int(r["n"])] = r
    lines = {k: v for k, v in lines.items() if any(int(r["named"]) for r in v.values())}
    return table("kind | runs of each | " + " | ".join(f"{n} servers" for n in sizes),
                 [[k, max(int(r["runs"]) for r in v.values()), *(v[n]["named"] if n in v else "–" for n in sizes)]
                  for k, v in sorted(lines.items())])


def of_slow(r, column="found"):
    k, n = int(r[column]), int(r["slow"])
    return f"{k} of {n} ({100 * k / n:.0f} %)" if n else "–"


FOUND = "found | of them alone | suspicious | missed | could not be judged | others indicted"


def found_cells(r):
    return [of_slow(r), r["alone"], r["suspicious"], r["missed"], r["unjudged"], r["others"]]


def methods(rows, heading, key):
    """Found and others indicted of each method, a line for each key."""
    lines = collections.defaultdict(dict)
    for r in rows:
        if r["budget"] in (DEFAULT, ""):
            lines[key(r)][r["method"]] = r
    lines = {k: v for k, v in lines.items() if len(v) > 1}
    return table(f"{heading} | slow | {' | '.join(METHODS)}",
                 [[*k, v["robust"]["slow"],
                   *(f"{v[m]['found']}, {v[m]['others']}" if m in v else "–" for m in METHODS)]
                  for k, v in lines.items()])


def drives(rows):
    rows = sorted(rows, key=lambda r: (r["data"], number(r["factor"]), number(r["n"]), number(r["budget"] or "0")))
    robust = picked(rows, method="robust")
    evening = [r for r in robust if r["data"] == "quiet-drives"]
    doubled = [r for r in rows if r["data"] == "healthy-drives" and r["span"] == "all"]
    labelled = picked(rows, data="failslow-drives")
    by_time = collections.defaultdict(dict)
    for r in evening:
        if r["span"] in TIMES and r["budget"] == DEFAULT:
            by_time[r["factor"], r["n"]][r["span"]] = r
    where = lambda r: [r["data"], f"{r['factor']} ×" if r["factor"] else "as labelled", r["span"], r["n"]]
    return {
        "doubled": table(f"peers | budget | {FOUND}", [[r["n"], r["budget"], *found_cells(r)]
                                                       for r in picked(doubled, method="robust")]),
        "labelled": table(f"of the data | budget | {FOUND}", [[r["span"], r["budget"], *found_cells(r)]
                                                              for r in picked(labelled, method="robust")]),
        "evening": table(f"factor | peers | of the data | budget | {FOUND}",
                         [[r["factor"], r["n"], r["span"], r["budget"], *found_cells(r)]
                          for r in evening if r["span"].startswith("3 h")]),
        "by-time": table("factor | peers | " + " | ".join(TIMES),
                         [[f, n, *(of_slow(t[s], "alone") if s in t else "–" for s in TIMES)]
                          for (f, n), t in by_time.items()]),
        "five-sd": table(f"data | of the data | peers | {FOUND}", [[r["data"], r["span"], r["n"], *found_cells(r)]
                                                                   for r in robust if "sd" in r["span"]]),
        "drive-methods": methods(rows, "data | factor | of the data | peers", lambda r: tuple(where(r))),
    }


def confidence(csvs):
    rows = sorted(picked(csvs["found"], section="confidence"),
                  key=lambda r: (r["data"] != "simulated", r["data"], r["span"], number(r["factor"])))
    with_fault = [r for r in rows if int(r["slow"])]
    what = lambda r: [r["data"], r["fault"], r["factor"] or "–"]
    return {
        "reliability": table("data | said | indicted | right | % right (95 %)",
            [[r["data"], r["confidence"], r["indicted"], r["right"],
              f"{100 * int(r['right']) / int(r['indicted']):.0f} ({100 * float(r['lo']):.0f}–"
              f"{100 * float(r['hi']):.0f})"] for r in csvs["reliability"]]),
        "by-fault": table(f"data | fault | factor | {FOUND}",
            [[r["data"], r["span"], r["factor"] or "–", *found_cells(r)] for r in with_fault]),
        "by-no-fault": table("data | no fault of a server | runs | indicted",
            [[r["data"], r["span"], r["runs"], r["others"]] for r in rows if not int(r["slow"])]),
        "onset": table("data | fault | factor | runs | found | within 20 s | within 60 s | median s | most s",
            [[*what(r), *(r[c] or "–" for c in ("slow", "found", "within_20s", "within_60s", "median_s", "max_s"))]
             for r in csvs["onset"]]),
    }


def share(k, n):
    k, n = int(k), int(n)
    return f"{k} of {n} ({100 * wilson(k, n)[0]:.0f}–{100 * wilson(k, n)[1]:.0f} %)"


def states(found, alarms):
    """Job states: by data, what was slow and what was read."""
    return {
        "states": table("logs | read | slow or faulty | method | right server | suspicious | not judged | "
                        "another server in runs",
            [[r["data"], r["span"], f"{r['factor']} ×" if number(r["factor"])[0] < 1e9 else r["factor"], r["method"],
              share(r["found"], r["slow"]), r["suspicious"], r["unjudged"], r["others"]]
             for r in sorted(found, key=lambda r: (r["data"], r["span"], number(r["factor"]), r["method"]))]),
        "states-free": table("logs | read | method | logs without a fault | with an indictment | with a suspicion | "
                             "that could not be judged",
            [[r["data"], r["what"], r["method"], r["runs"], r["runs_named"], r["runs_suspicious"], r["runs_unjudged"]]
             for r in sorted(alarms, key=lambda r: (r["data"], r["what"], r["method"]))]),
    }


def evidence(csvs):
    alarms = csvs["alarms"]
    constructed = picked(alarms, section="kinds")
    jobs, logs = picked(csvs["found"], section="jobs"), picked(alarms, section="jobs")
    return {
        "healthy": table(f"data | {ALARMS}",
                         [[r["data"], *alarm_cells(r)] for r in by_peers(picked(alarms, section="healthy"))]),
        "kinds": table(ALARMS, [alarm_cells(r) for r in by_peers(added(constructed, "n", "budget"))]),
        "kinds-named": kinds(picked(constructed, budget=DEFAULT)),
        "hours": table("data | what | runs | hours | indicted | runs with a suspicion | runs that could not be judged",
            [[r["data"], r["what"], r["runs"], f"{float(r['hours']):.1f}", r["named"], r["runs_suspicious"],
              r["runs_unjudged"]] for r in picked(alarms, section="hours")]),
        "jobs": table("method | logs | could not be judged | hosts indicted | " + " | ".join(
            f"one host twice as slow: {x}" for x in FOUND.split(" | ")),
            [[r["method"], a["runs"], a["runs_unjudged"], a["named"], *found_cells(r)]
             for r in jobs for a in logs if a["method"] == r["method"]]),
        **states(picked(csvs["found"], section="states"), picked(alarms, section="states")),
        **drives(picked(csvs["found"], section="drives")), **confidence(csvs),
    }
