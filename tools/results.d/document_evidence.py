# SPDX-License-Identifier: BSD-2-Clause
"""Tables of RESULTS.md about evidence: what is found, and what it costs in false alarms."""
from markdown import table

DATA = "data | "


def picked(rows, **columns):
    return [r for r in rows if all(r[k] == v for k, v in columns.items())]


def per_week(r):
    """A rate with its exact 95 % interval."""
    hours = float(r["hours"])
    return f"{int(r['named']) * 168 / hours:.2g} ({float(r['lo']):.2g}–{float(r['hi']):.2g})" if hours else "–"


def alarms(rows):
    return table(
        "data | method | peers | budget | runs | weeks observed | servers indicted | a group-week | runs with an "
        "indictment | runs with a suspicion",
        [[" ".join(filter(None, (r["data"], r["what"]))), r["method"], r["n"], r["budget"] or "–", r["runs"],
          f"{float(r['hours']) / 168:.1f}", r["named"], per_week(r), r["runs_named"], r["runs_suspicious"]]
         for r in rows])


def of_slow(r, column="found"):
    k, n = int(r[column]), int(r["slow"])
    return f"{k} of {n} ({100 * k / n:.0f} %)" if n else "–"


def found(rows):
    return table(
        "data | factor | of the data | method | peers | budget | found | found alone | suspicious | missed | "
        "could not be judged | others indicted",
        [[r["data"], r["factor"] or "as labelled", r["span"], r["method"], r["n"], r["budget"] or "–", of_slow(r),
          r["alone"], r["suspicious"], r["missed"], r["unjudged"], r["others"]] for r in rows])


def order(r):
    return (r["data"], r["span"], float(r["factor"] or 0), r["method"] != "robust", r["method"], int(r["n"]),
            r["budget"])


def evidence(csvs):
    drives = sorted(picked(csvs["found"], section="drives"), key=order)
    injected = picked(drives, data="quiet-drives")
    robust = picked(injected, method="robust", budget="default")
    by_time = {}
    for r in robust:
        if r["span"] in TIMES:
            by_time.setdefault((float(r["factor"]), int(r["n"])), {})[r["span"]] = r
    return {
        "healthy": alarms(sorted(picked(csvs["alarms"], section="healthy"),
                                 key=lambda r: (r["data"], r["method"] != "robust", r["method"], int(r["n"])))),
        "doubled": found(picked(drives, factor="2", span="all")),
        "labelled": found(picked(drives, data="failslow-drives")),
        "evening": found([r for r in injected if r["span"].startswith("3 h")]),
        "by-time": table("factor | peers | " + " | ".join(TIMES),
                         [[f"{f:g}", n, *(of_slow(t[s], "alone") if s in t else "–" for s in TIMES)]
                          for (f, n), t in sorted(by_time.items())]),
        "five-sd": found([r for r in drives if "sd" in r["span"]]),
    }


TIMES = ("25 min", "50 min", "100 min", "3 h")
