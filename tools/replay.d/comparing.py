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
        if abs(ns_of(last["from"]) / 1e9 - value) > 1e-3:
            last["from"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(value))
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


def diagnose(o, paths):
    run = subprocess.run([o.limpet, "diagnose", "--json", "--hop", repr(o.hop), *o.options, *paths],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode not in (0, 3, 4, 5) or not run.stdout:
        raise Failed(f"limpet diagnose ended with {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def differences(live, batch):
    """Lines "SERVER …: watch …, diagnose …"."""
    found = []
    for server in sorted(set(live[0]) | set(batch[0])):
        one, other = live[0].get(server, []), batch[0].get(server, [])
        if len(one) != len(other):
            found.append(f"{server} incidents: watch {len(one)}, diagnose {len(other)}")
        found += [f"{server} {f}: watch {x[f]}, diagnose {y[f]}" for x, y in zip(one, other) for f in FIELDS
                  if (x[f] if f == "cause" else ns_of(x[f])) != (y[f] if f == "cause" else ns_of(y[f]))]
    found += [f"{server} suspicious: watch {live[1].get(server)}, diagnose {batch[1].get(server)}"
              for server in sorted(set(live[1]) | set(batch[1])) if live[1].get(server) != batch[1].get(server)]
    return found


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
    live, batch = live_incidents(replay), batch_incidents(diagnose(o, [replay.folder]))
    found = differences(live, batch)
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
