#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# limpet serve --alertmanager, with Debian's Alertmanager: alone, as a pair, away, and one that is none.
# waits: for alerts to begin and to end, and for a service that begins anew
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

D=$T/state HOSTS=6
serve_needs
command -v prometheus-alertmanager >/dev/null || all_skip "prometheus-alertmanager is not installed (tools/deps check)"
cat >"$T/am.yml" <<'END'
route: {receiver: none, group_wait: 1s, group_interval: 1s}
receivers: [{name: none}]
END
AM1=$(serve_port) AM2=$(serve_port) G1=$(serve_port) G2=$(serve_port)
alertmanager() { # PORT GOSSIP PEER
	prometheus-alertmanager --config.file="$T/am.yml" --storage.path="$T/am-$1" --web.listen-address="127.0.0.1:$1" \
		--cluster.listen-address="127.0.0.1:$2" ${3:+--cluster.peer="127.0.0.1:$3"} >>"$T/am-$1.log" 2>&1 &
	at_exit "end_child $!"
	AM_PID=$!
}
alerts() { curl -s --max-time 5 "http://127.0.0.1:$1/api/v2/alerts" | jq -c '[.[] | {name: .labels.alertname, server: .labels.server, cause: .annotations.cause, start: .startsAt}] | sort'; }
alertmanager "$AM1" "$G1"
M1=$AM_PID
alertmanager "$AM2" "$G2" "$G1"
ready() { curl -sf "http://127.0.0.1:$AM1/-/ready" >"$T/out" && curl -sf "http://127.0.0.1:$AM2/-/ready" >"$T/out"; }
within 30 ready || all_skip "Alertmanager does not start: $(tail -n 2 "$T"/am-*.log)"
tell() { serve --alertmanager "http://127.0.0.1:$AM1" --alertmanager "http://127.0.0.1:$AM2/" --site here --url "http://limpet.example:9812" "$@"; }

case_begin "a server that limps is an alert at both, since its onset, with the cause as an annotation"
tell tests/data/disk-hog/series
fires() { [ "$(alerts "$AM1" | jq length)" -ge 1 ] && [ "$(alerts "$AM2" | jq length)" -ge 1 ]; }
if within 90 fires; then
	for port in $AM1 $AM2; do
		check_eq "$(alerts "$port")" '[{"name":"LimpetServerLimps","server":"oss-s3","cause":"disk-hog","start":"2026-11-21T19:27:04.000Z"}]' "alerts at $port" || break
	done && check_eq "$(curl -s "http://127.0.0.1:$AM1/api/v2/alerts" | jq -c '.[0].labels')" \
		'{"alertname":"LimpetServerLimps","server":"oss-s3","severity":"warning","site":"here"}' "labels" &&
		id=$(sqlite3 "$D/incidents.db" 'SELECT id FROM incident') &&
		check_eq "$(curl -s "http://127.0.0.1:$AM1/api/v2/alerts" | jq -r '.[0].generatorURL')" "http://limpet.example:9812/incidents/$id" "link" && ok
else
	fail "$(alerts "$AM1") $(tail -n 3 "$T/serve.log" "$T/am-$AM1.log")"
fi

case_begin "killed and started again it is the same alert"
killed
tell tests/data/disk-hog/series
told() { [ "$(metric limpet_alertmanager_told)" -ge 1 ]; }
within 90 told && check_eq "$(alerts "$AM1")" '[{"name":"LimpetServerLimps","server":"oss-s3","cause":"disk-hog","start":"2026-11-21T19:27:04.000Z"}]' "alerts" && ok

case_begin "a silence ends it, at both, and at the end of the silence it is there again"
post() { curl -s --max-time 10 -X POST -H "Authorization: Bearer $(cat "$D/token")" -H 'Content-Type: application/json' "$@"; }
number=$(post -d '{"server": "all", "hours": 1, "why": "maintenance"}' "http://$METRICS/api/v1/silences" | jq .number)
none() { [ "$(alerts "$AM1")$(alerts "$AM2")" = '[][]' ]; }
if within 60 none; then
	post "http://$METRICS/api/v1/silences/$number/end" >"$T/out"
	if within 60 fires; then ok; else fail "not told again: $(cat "$T/out") $(tail -n 3 "$T/serve.log")"; fi
else
	fail "still there: $(alerts "$AM1") $(alerts "$AM2")"
fi

case_begin "one that is away costs the other nothing, is said, and is told when it is back"
kill -TERM "$M1"
wait "$M1"
kill -TERM "$SERVE"
wait "$SERVE"
tell tests/data/disk-hog/series
says() { grep -q "$1" "$T/serve.log"; }
if within 90 says "Alertmanager 'http://127.0.0.1:$AM1' was not told" && within 60 told; then
	rm -rf "$T/am-$AM1"
	alertmanager "$AM1" "$G1" "$G2"
	back() { [ "$(alerts "$AM1" | jq length)" = 1 ]; }
	if within 130 back; then ok; else fail "$(alerts "$AM1") $(tail -n 3 "$T/serve.log")"; fi
else
	fail "$(tail -n 3 "$T/serve.log")"
fi

case_begin "what is no Alertmanager is said to be none, and what is no URL is refused"
kill -TERM "$SERVE"
wait "$SERVE"
serve --alertmanager "http://127.0.0.1:$AM1/nothing" tests/data/disk-hog/series
within 90 says "nothing' was not told: it answers with status 404" && "$L" serve --state "$D.2" --ingest "$INGEST" --alertmanager nowhere >"$T/out" 2>&1
check_eq "$?" 1 "status ($(cat "$T/out"))" && grep -q 'a URL like' "$T/out" && ok
kill -TERM "$SERVE"
wait "$SERVE"


case_begin "when it is over the alert ends, at both"
D=$T/live
feed 400 100 1.6 75
within 20 recorded_all
tell "$T/recorded"
limps() { alerts "$AM1" | grep -q '"server":"s3"' && alerts "$AM2" | grep -q '"server":"s3"'; }
ended() { ! alerts "$AM1" | grep -q '"server":"s3"' && ! alerts "$AM2" | grep -q '"server":"s3"'; }
if within 100 limps; then
	if within 150 ended; then ok; else fail "$(alerts "$AM1") $(tail -n 2 "$T/events" | cut -c1-200)"; fi
else
	fail "$(alerts "$AM1") $(tail -n 3 "$T/events" "$T/serve.log" | cut -c1-300)"
fi

case_begin "with --alert-jobs a job whose late tasks have a server in common is an alert, too, since the first of them was late"
killed
rm -rf "$D"
late_tasks "$T/late.jsonl"
late() { curl -s --max-time 5 "http://127.0.0.1:$AM1/api/v2/alerts" | jq -c '[.[] | select(.labels.alertname == "LimpetJobLate") | [.labels.limpet_job, .labels.server, .generatorURL, .annotations.summary]]'; }
tell --alert-jobs "$T/late.jsonl"
is_late() { [ "$(late)" != '[]' ]; }
if within 90 is_late; then
	check_eq "$(late)" '[["job_1795893497417_0003",null,"http://limpet.example:9812/jobs","job job_1795893497417_0003: 3 of 10 tasks are late; 3 of 3 are on s3, which is not indicted"]]' "alerts" && ok
else
	fail "$(curl -s "http://$METRICS/api/v1/jobs" | cut -c1-300) $(tail -n 3 "$T/serve.log")"
fi
