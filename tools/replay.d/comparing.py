# SPDX-License-Identifier: BSD-2-Clause
"""Incidents as `limpet watch` told them one event after the other, beside those of `limpet diagnose` of the whole folder."""
import calendar
import json
import subprocess
import time

from player import Failed

FIELDS = ("cause", "from", "decided", "to")


def ns_of(text):
    """Of a time as limpet prints it; None: there is none."""
    if text is None:
        return None
    whole, _, fraction = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) * 10**9 + int((fraction + "0" * 9)[:9])


def text_of(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{round(seconds * 1000) % 1000:03}Z"


def told(incident, cause):
    return {"cause": cause, "from": incident["from"], "decided": incident["decided"], "to": None}


def live_incidents(replay):
    """server -> indictments in order of time, with what was told of each last; "to" is None as long as it goes on. Besides the
    servers that are suspicious at the end, and why."""
    incidents, suspicious = {}, {}
    for e in replay.events:
        change, server, incident = e["change"], e["server"], e.get("incident")
        of = incidents.setdefault(server, [])
        if change == "suspicious":
            suspicious[server] = e["cause"]
        elif change in ("cleared", "opened"):
            suspicious.pop(server, None)
        if change == "opened" and of and of[-1]["decided"] == incident["decided"]:
            of[-1] = told(incident, e["cause"])  # it is back: one story
        elif change == "opened":
            of.append(told(incident, e["cause"]))
        elif change in ("changed", "held", "resumed"):
            of[-1] = told(incident, e["cause"])
        elif change == "over":
            of[-1]["to"] = e["time"]
            if incident:
                of[-1] = dict(told(incident, e["cause"]), to=incident["to"])
    # The beginning may have moved since it was told.
    for labels, value in replay.metrics.get("limpet_indicted_since_timestamp_seconds", []):
        last = incidents[labels["server"]][-1]
        if abs(value * 1000 - ns_of(last["from"]) / 10**6) > 1:
            last["from"] = text_of(value)
    return {s: of for s, of in incidents.items() if of}, suspicious


def batch_incidents(verdict):
    incidents, suspicious = {}, {}
    for x in verdict["incidents"]:
        if x["suspicious"]:
            if x["open"]:
                suspicious[x["server"]] = x["cause"]
            continue
        incidents.setdefault(x["server"], []).append(
            {"cause": x["cause"], "from": x["from"], "decided": x["decided"], "to": None if x["open"] else x["to"]})
    for of in incidents.values():
        of.sort(key=lambda x: ns_of(x["decided"]))
    return incidents, suspicious


def diagnose(o, paths, series):
    """Logs alone have no intervals."""
    hop = ["--hop", repr(o.hop)] if series else []
    run = subprocess.run([o.limpet, "diagnose", "--json", *hop, *o.options, *paths],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not run.stdout:
        raise Failed(f"limpet diagnose ended with {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def count_states(o, paths):
    zone = ["--zone", o.zone] if o.zone else []
    run = subprocess.run([o.limpet, "states", "--csv", *zone, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return max(0, run.stdout.count(b"\n") - 1)


def value_of(replay, name):
    return replay.metrics[name][0][1]


def taken_in(o, replay, verdict):
    """What there was to judge by: a name, and what watch and diagnose have of it. Where logs end after the recordings beside
    them, watch judges intervals that diagnose does not have."""
    judged = verdict["judged"]
    to_ns = ns_of(judged["to"])
    yield ("seconds left out", int(value_of(replay, "limpet_watch_dropped_seconds")), judged["duplicate_seconds"])
    if not (replay.growing and replay.logs.first):
        yield ("judged until", text_of(value_of(replay, "limpet_watch_last_hop_timestamp_seconds")), text_of(to_ns / 1e9))
    if replay.growing and not replay.logs.first:
        yield ("intervals", int(value_of(replay, "limpet_watch_hops_total")),
               (to_ns - ns_of(judged["from"])) // int(o.hop * 1e9))
    if replay.logs.first:
        yield "states of jobs", int(value_of(replay, "limpet_watch_states")), count_states(o, [replay.folder])


def statuses(replay, verdict, incidents):
    """server -> what is known of it at the end. Of one that limped diagnose says so still; watch does not."""
    live = {x["server"]: x["status"] for x, value in replay.metrics["limpet_server_status"] if value}
    batch = {x["server"]: x["status"] for x in verdict["servers"]}
    for server in batch:
        if batch[server] == "indicted" and all(x["to"] for x in incidents.get(server, [])):
            live.pop(server, None)
    return [(f"{s} status", live[s], batch.get(s)) for s in sorted(live)]


def notices(replay, verdict):
    """Of those that diagnose has. What watch tells may be gone in the end."""
    live = {(e["cause"], e["server"]) for e in replay.events if e["change"] in ("notice", "silent")}
    batch = {(x["kind"], x["server"]) for x in verdict["notices"]}
    return [(f"notice {kind} of {server}", "none", "one") for kind, server in sorted(batch - live, key=str)]


def differences(o, replay, live, verdict):
    """Lines "WHAT: watch …, diagnose …"."""
    batch = batch_incidents(verdict)
    pairs = []
    for server in sorted(set(live[0]) | set(batch[0])):
        one, other = live[0].get(server, []), batch[0].get(server, [])
        if len(one) != len(other):
            pairs.append((f"{server} incidents", len(one), len(other)))
        pairs += [(f"{server} {f}", x[f], y[f]) for x, y in zip(one, other) for f in FIELDS]
    pairs += [(f"{server} suspicious", live[1].get(server), batch[1].get(server))
              for server in sorted(set(live[1]) | set(batch[1]))]
    pairs += statuses(replay, verdict, batch[0])
    pairs += notices(replay, verdict)
    pairs += taken_in(o, replay, verdict)
    return [f"{what}: watch {x}, diagnose {y}" for what, x, y in pairs if x != y]


def known_differences(path, name):
    """Of this name: those that are known, with the reason."""
    known = {}
    with open(path) as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            part = [x.strip() for x in line.split(" | ")]
            if len(part) != 3 or not all(part):
                raise Failed(f"{path}:{number}: it is not NAME | DIFFERENCE | WHY")
            if part[0] == name:
                known[part[1]] = part[2]
    return known


def check(o, replay):
    live = live_incidents(replay)
    found = differences(o, replay, live, diagnose(o, [replay.folder], replay.growing))
    known = known_differences(*o.known) if o.known[0] else {}
    for server, of in sorted(live[0].items()):
        for x in of:
            print(f"{server} {x['cause']} since {x['from']}, decided {x['decided']}, "
                  + (f"over {x['to']}" if x["to"] else "still so"))
    print(f"{len(replay.events)} events, {sum(map(len, live[0].values()))} incidents, {len(found)} differences")
    for line in replay.said:
        print(f"said: {line}")
    for line in found:
        print(f"{'known' if line in known else 'DIFFERS'}: {line}")
    gone = [line for line in known if line not in found]
    for line in gone:
        print(f"NO MORE: {line}")
    return 1 if gone or any(line not in known for line in found) else 0
