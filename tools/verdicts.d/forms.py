# SPDX-License-Identifier: BSD-2-Clause
"""One form of every output.

A form is a dictionary of columns: what is not in it, that output does not say. Columns of accusations
are lists of (server, words); a column of Rows (rows.py) is a part of the output taken as it is. A reader for
another schema is one function and one row of READERS."""
import json
import re

from rows import Rows

ACCUSED = ("cause", "direction", "culprit", "confidence", "guess", "onset", "decided", "last", "flags", "words",
           "evidence", "numbers")
COLUMNS = ("inputs", "status", "form", "method", "verdict", "indicted", "order") + ACCUSED + (
    "servers", "server-words", "notices", "notice-words", "unjudged", "partly", "why", "judged", "notes", "changes",
    "change-words", "runs", "scores", "incidents", "bytes", "text", "page", "charts", "stderr", "files")
READ_OF_INCIDENT = {"cause", "text", "why", "detail", "guess", "confidence", "doubt", "culprit", "held", "chronic",
                    "open", "from", "to", "decided", "findings", "suspicious"}
READ_OF_FINDING = {"value", "peers_median", "ratio", "own_usual_ratio", "score", "peers", "peers_within_ratio", "p99",
                   "p99_peers_median", "average_ratio", "flagged", "judged", "added_to_both", "from", "to", "decided",
                   "chronic", "open", "held", "symptom", "direction"}
OF_EVENT = {"time", "change", "server", "cause", "text", "from", "decided", "to"}
READ_OF_SCHEMA = {"schema", "verdict", "why", "method", "incidents", "notices", "servers", "not_judged",
                  "notes", "judged"}


def words_of(value):
    if isinstance(value, list):
        return "; ".join(words_of(v) for v in value) or "-"
    if isinstance(value, tuple):
        return " ".join(words_of(v) for v in value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return "-" if value in (None, "") else str(value)


def side_of_loss(detail):
    """The detail of packet loss begins with the side."""
    m = re.match(r"(send|receive) side|both directions", detail or "")
    return m and (m[1] or "both")


def culprit_words(c):
    if not c:
        return None
    pid = f" pid {c['pid']}" if c["pid"] is not None else ""
    return f"{c['kind']} {c['name']}{pid} in {c['cgroup']}: {c['of']}"


def flags(o):
    return " ".join(k for k in ("suspicious", "held", "chronic", "open", "symptom") if o.get(k))


def accused_of_account(a):
    """An accusation of analyzer/robust/account_json.c."""
    numbers = [a["culprit"]["share"]] if a["culprit"] else []
    evidence = []
    for e in a["evidence"]:
        # a column of a table was named apart from the metric, and is the metric since
        evidence.append(" ".join(filter(None, (e["node"], e.get("column") or e["metric"], e["disk"], e["direction"],
                                               flags(e), f"{e['from']}-{e['to']} {e['decided']}"))))
        numbers += [e[k] for k in ("value", "peers_median", "ratio", "own_usual_ratio", "z", "peers",
                                   "peers_within_ratio", "p99", "p99_peers_median", "average_ratio",
                                   "windows_flagged", "windows_judged", "added_to_both")]
    return {"node": a["node"], "cause": a["cause"], "direction": side_of_loss(a["detail"]),
            "culprit": culprit_words(a["culprit"]), "confidence": a["confidence"], "guess": a["guess"],
            "onset": a["from"], "decided": a["decided"], "last": a["to"], "flags": flags(a),
            "words": "; ".join(str(a[k]) for k in ("text", "why", "detail", "doubt")),
            "evidence": evidence, "numbers": numbers}


def accused_of_verdict(a):
    """An indictment of analyzer/verdict_json.c."""
    return {"node": a["node"], "cause": a["cause"], "onset": a["from"], "decided": a["decided"], "last": a["to"],
            "words": f"rule {a['rule']}: {a['why']}",
            "evidence": [f"{e['metric']} {e['method']} {e['direction']} {e['from']}-{e['to']} {e['decided']}"
                         for e in a["evidence"]],
            "numbers": [a["divergence_over_threshold"]] + [
                e[k] for e in a["evidence"] for k in ("value", "peers_median", "ratio", "windows_flagged",
                                                      "windows_judged", "divergence_over_threshold")]}


def column_of_accused(accused, column):
    return [(a["node"], a[column]) for a in accused if column in a]


def form_of_accused(accused):
    """Sorted, but for `order`, by server and onset."""
    names = list(dict.fromkeys(a["node"] for a in accused))
    form = {"indicted": sorted(names), "order": names}
    accused = sorted(accused, key=lambda a: (a["node"], a["onset"], a["cause"]))
    for column in ACCUSED:
        said = column_of_accused(accused, column)
        if said or not accused:
            form[column] = said
    return form


def judged_of(j):
    return [f"{k} {j[k]}" for k in ("from", "to", "windows", "duplicate_seconds", "lost_records",
                                    "damaged_values")] + [f"servers {sorted(j['nodes'])}"]


def read_account(o):
    """analyzer/robust/account_json.c: the method robust."""
    judged = dict(o["judged"], unknown_hardware=o["unknown_hardware"])
    form = form_of_accused([accused_of_account(a) for a in o["indicted"]])
    form.update({
        "verdict": o["verdict"], "why": o.get("why"), "judged": judged_of(judged),
        "notices": sorted(f"{r['kind']} {r['node'] or '-'}" for r in o["remarks"]),
        "notice-words": sorted(f"{r['kind']} {r['node'] or '-'} {r['from']}-{r['to']} "
                               f"{'is the verdict' if r['is_the_verdict'] else ''}: {r['text']}" for r in o["remarks"]),
        "unjudged": sorted(u["node"] for u in o["not_judged"] if not u["partly"]),
        "partly": sorted(f"{u['node']} {m}: {u['why']}" for u in o["not_judged"] for m in (u["metrics"] if u["partly"] else [""])),
        "notes": o["notes"]})
    return form


def read_verdict(o):
    """analyzer/verdict_json.c: trained methods, and the rules of thumb."""
    form = form_of_accused([accused_of_verdict(a) for a in o["indicted"]])
    more = {k: o[k] for k in ("trained", "blind", "false_alarm", "two_sided", "weighted")}
    more.update(o["judged"])
    form.update({
        "verdict": o["verdict"], "why": o.get("why"), "judged": judged_of(o["judged"]),
        "unjudged": sorted(u["node"] for u in o["not_judged"] if not u["partly"]),
        "partly": sorted(f"{u['node']} {m}: {u['why']}" for u in o["not_judged"] for m in (u["metrics"] if u["partly"] else [""])),
        "notes": o["notes"]})
    return form


def incident_of_schema(a):
    """An incident of schema 1 (limpet-json(5))."""
    numbers = [a["culprit"]["share"]] if a["culprit"] else []
    checklist = a["confidence"] is None
    evidence = []
    for e in a["findings"]:
        if checklist:
            evidence.append(f"{e['signal']} {e['method']} {e['direction']} {e['from']}-{e['to']} {e['decided']}")
            numbers += [e[k] for k in ("value", "peers_median", "ratio", "flagged", "judged", "score")]
            continue
        evidence.append(" ".join(filter(None, (e["server"], e["signal"], e["disk"], e["direction"],
                                               flags(e), f"{e['from']}-{e['to']} {e['decided']}"))))
        numbers += [e[k] for k in ("value", "peers_median", "ratio", "own_usual_ratio", "score", "peers",
                                   "peers_within_ratio", "p99", "p99_peers_median", "average_ratio", "flagged",
                                   "judged", "added_to_both")]
    form = {"node": a["server"], "cause": a["cause"], "onset": a["from"], "decided": a["decided"], "last": a["to"],
            "evidence": evidence, "numbers": numbers}
    if checklist:
        form["numbers"] = [a["findings"][0]["score"]] + numbers
        return form
    return dict(form, direction=side_of_loss(a["detail"]), culprit=culprit_words(a["culprit"]),
                confidence=a["confidence"], guess=a["guess"], flags=flags(a),
                words="; ".join(str(a[k]) for k in ("text", "why", "detail", "doubt")))


def rest_of_incidents(incidents):
    """What the columns of accusations have not, by server."""
    rest = {}
    for a in incidents:
        findings = [{k: v for k, v in e.items() if k not in READ_OF_FINDING} for e in a["findings"]]
        rest.setdefault(a["server"], []).append(
            {k: v for k, v in a.items() if k not in READ_OF_INCIDENT} | {"findings": findings})
    return rest


def read_schema(o):
    """Schema 1: every method. What is judged is said in another way than before. Keys that have no column
    of their own are columns of Rows by their names: signals, parts, jobs, stragglers, looks ..."""
    form = form_of_accused([incident_of_schema(a) for a in o["incidents"]])
    blind = "blind: "
    form.update({
        "verdict": o["verdict"], "why": o["why"],
        "notices": sorted(f"{r['kind']} {r['server'] or '-'}" for r in o["notices"]),
        "notice-words": sorted(f"{r['kind']} {r['server'] or '-'} {r['from']}-{r['to']} "
                               f"{'is the verdict' if r['is_the_verdict'] else ''}: {r['text']}" for r in o["notices"]),
        "unjudged": sorted(u["server"] for u in o["not_judged"] if not u["signals"]),
        "partly": sorted(f"{u['server']} {s}: {u['why']}" for u in o["not_judged"] if not u["why"].startswith(blind)
                         for s in u["signals"] or [""]),
        "notes": o["notes"], "incidents": rest_of_incidents(o["incidents"]),
        "method": o["method"],
        "servers": sorted(f"{s['server']} {s['status']} {s['reason'] or ''}".strip() for s in o.get("servers", [])),
        "server-words": sorted(f"{s['server']}: {s['why']}" for s in o.get("servers", []) if s["why"])})
    form.update({k: Rows(v) for k, v in o.items() if k not in READ_OF_SCHEMA})
    judged = o["judged"]
    form["judged"] = [f"{k} {words_of(judged[k])}" for k in (
        "from", "to", "windows", "window_s", "interval_s", "duplicate_seconds", "lost_records", "damaged_values",
        "unknown_hardware")] + [f"servers {sorted(judged['servers'])}"]
    if o["method"] != "robust":
        del form["notices"], form["notice-words"]
    return form


def read_changes(lines):
    """analyzer/watch/plain.c: what `watch --json` says of each change; the last of each accusation counts."""
    accused, remarks, verdict = {}, {}, "cannot-judge"
    for c in lines:
        a, r = c.get("accusation"), c.get("remark") or c.get("notice")
        i = c.get("incident")
        verdict = {"judging": "clean", "cannot-judge": "cannot-judge"}.get(c["change"], verdict)
        if a:
            accused[a["node"], a["cause"], a["from"]] = accused_of_account(a)
        if i:
            accused[i["server"], i["cause"], i["from"]] = incident_of_schema(i)
        if r:
            node = r.get("node") or r.get("server")
            remarks[r["kind"], node, r["from"]] = f"{r['kind']} {node or '-'}"
    form = form_of_accused(list(accused.values()))
    form.update({"verdict": "indicted" if accused else verdict, "notices": sorted(remarks.values()),
                 "changes": [f"{c['time']} {'notice' if c['change'] == 'remark' else c['change']} {c.get('node') or c.get('server') or '-'} {c['cause'] or '-'}: {c['text']}"
                             for c in lines]})
    return form


def read_events(lines):
    """What `tools/replay events` prints: changes, in the order of time, and what was said besides."""
    spans = ("from", "decided", "to")
    return {"indicted": sorted({e["server"] for e in lines if e["change"] == "opened"}),
            "changes": [" ".join(str(e.get(k) or "-") for k in ("time", "change", "server", "cause", *spans))
                        for e in lines],
            "change-words": [f"{e.get('time', '-')} {e['change']}: {e['text']}" for e in lines]}


def read_scores(o):
    """analyzer/evaluate_json.c: what was said of each run, and the scores."""
    said = [(e["source"], e["verdict"], e["why"], [sorted(a.items()) for a in e["indicted"]]) for e in o["each"]]
    return {"indicted": [], "verdict": f"{o['runs']} runs, {o['failed']} failed",
            "runs": [words_of(s) for s in said], "scores": Rows(o["scores"])}


def read_rows(o):
    """What a job waited for, states, seconds, a model: all of it is rows."""
    return {"indicted": [], "rows": Rows(o)}


def has(*keys):
    """A function of JSON: it is an object of a schema without a number, with these keys."""
    return lambda o: isinstance(o, dict) and "schema" not in o and all(k in o for k in keys)


def all_have(o, *keys):
    return isinstance(o, list) and all(isinstance(line, dict) and set(keys) <= set(line) for line in o)


READERS = (
    ("schema 1", lambda o: isinstance(o, dict) and o.get("schema") == 1 and "incidents" in o, read_schema),
    ("account", has("method", "remarks", "unknown_hardware"), read_account),
    ("verdict", has("trained", "blind"), read_verdict),
    ("scores", has("scores", "each"), read_scores),
    ("flow", lambda o: isinstance(o, dict) and {"schema", "job", "path"} <= set(o), read_rows),
    ("model", has("methods"), read_rows),
    ("states", lambda o: all_have(o, "state", "duration"), read_rows),
    ("seconds", lambda o: all_have(o, "family", "instance"), read_rows),
    ("events", lambda o: all_have(o, "change", "text") and all(set(e) <= OF_EVENT for e in o), read_events),
    ("changes", lambda o: isinstance(o, list) and all(isinstance(c, dict) and "change" in c for c in o), read_changes),
)


def parsed(text):
    """An object, or a list of those that stand on lines of their own. None: it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return None


def normal_form(text):
    """(name of the schema, form), or (None, why not)."""
    if not text.strip():
        return None, "nothing was printed"
    o = parsed(text)
    if isinstance(o, dict) and ("change" in o or {"state", "duration"} <= set(o)):
        o = [o]
    if o is None:
        return None, "it is not JSON"
    for name, fits, read in READERS:
        if fits(o):
            try:
                return name, read(o)
            except (KeyError, TypeError, AttributeError) as e:
                return None, f"the schema '{name}' has another shape: {type(e).__name__} {e}"
    if not isinstance(o, dict):
        return None, f"it is no object but {type(o).__name__}"
    return None, f"no schema of these keys: {', '.join(o)}" + (f" (schema {o['schema']})" if "schema" in o else "")


def page_form(text):
    """A page or a drawing: its words, and its charts with numbers rounded to a whole pixel."""
    charts = []

    def chart(m):
        charts.extend(re.sub(r"-?\d+\.\d+", lambda n: str(round(float(n[0]))), m[0]).split("<"))
        return " [chart] "
    text = re.sub(r"<svg.*?</svg>", chart, text, flags=re.DOTALL)
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", text, flags=re.DOTALL)
    words = [line.strip() for line in re.sub(r"<[^>]*>", "\n", text).splitlines()]
    return {"page": [w for w in words if w], "charts": charts}


def is_page(text):
    return text[:200].lstrip().lower().startswith(("<!doctype html", "<html", "<svg", "<?xml"))
