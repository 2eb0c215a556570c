#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# limpet serve with real limpet-push over TLS: what is received is judged as it comes and kept as it was; killed amid a fault it goes on
# with the same incident, told once; and limpet diagnose of what it kept says the same.
# waits: for minutes that are kept, and for senders
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

D=$T/state HOSTS=6
serve_needs
feed 400 100 1.6
serve

case_begin "it says how senders are enrolled, and takes each host once"
if within 20 answers; then
	line=$("$L" serve enroll --state "$D" --uses $HOSTS) # where it listens it has written down
	for ((h = 1; h <= HOSTS; h++)); do
		enrol "$line" "s$h" || fail "s$h: $(cat "$T/enroll.log")"
	done
	check_eq "$("$L" serve enroll --state "$D" --ingest 0.0.0.0:9811 | cut -d '#' -f 1)" "https://$(hostname):9811" "an address that is said, though it is the usual one" &&
	check_eq "$(stat -c %a "$D/listens-at") $(find "$D" -name .listens-at)" "$(printf %o $((0666 & ~$(umask)))) " "what is written down" &&
	check_eq "$("$L" serve senders --state "$D" | grep -c '^s[1-6] .*enrolled')" $HOSTS "senders" && ok
else
	fail "it does not answer: $(cat "$T/serve.log")"
fi

case_begin "the line is used up, and a name that is taken needs to be approved"
"$P" enroll --host s7 --receivers "$T/receivers/s7" "$line" >"$T/out" 2>&1
check_eq $? 1 "status of one host too many ($(cat "$T/out"))" &&
	line=$("$L" serve enroll --state "$D" --address "$INGEST" --uses 2) &&
	{ "$P" enroll --host s2 --receivers "$T/other" "$line" >"$T/out" 2>&1; check_eq $? 1 "status for a name that is taken ($(cat "$T/out"))"; } &&
	if grep -q 'limpet serve approve s2' "$T/out"; then
		"$L" serve approve s2 --state "$D" && rm -rf "$T/receivers/s2" &&
			sleep 1 && "$P" enroll --host s2 --receivers "$T/receivers/s2" "$line" >"$T/out" 2>&1
		check_eq $? 0 "status once it is approved ($(cat "$T/out"))" && ok
	else
		fail "it does not say what to do: $(cat "$T/out")"
	fi

case_begin "another service does not begin in the same folder"
timeout 20 "$L" serve --state "$D" --ingest 127.0.0.1:0 >"$T/out" 2>&1
check_eq $? 1 status && if grep -q 'another' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

for ((h = 1; h <= HOSTS; h++)); do push "s$h"; done

case_begin "a slow disk that was there already is told, once, and nobody else"
if within 60 judges && within 30 indicts; then
	check_eq "$(jq -r 'select(.change == "opened") | "\(.server) \(.cause)"' "$T/events")" 's3 device-slow' "what was opened" && ok
else
	fail "not told: $(cat "$T/events" "$T/serve.log" "$T"/push-*.log "$T/feed.err" | tail -n 40)"
fi
id=$(jq -r 'select(.change == "opened") | .incident.id' "$T/events")
decided=$(jq -r 'select(.change == "opened") | .incident.decided' "$T/events")

case_begin "minutes are kept as they were recorded"
if within 80 all_kept; then ok; else fail "$(find "$D/series" -type f; tail -n 3 "$T/serve.log" "$T"/push-*.log)"; fi

case_begin "killed, it says that it cannot judge until it is where it was"
killed
sleep 15
serve
if within 20 answers && within 70 judges; then ok; else fail "$(tail -n 5 "$T/serve.log" "$T"/push-*.log)"; fi

case_begin "then the same incident goes on, and is not told again"
within 20 indicts
sleep 10
check_eq "$(jq -r 'select(.change == "opened") | .server' "$T/events" | wc -l)" 1 "how often it was opened" &&
	check_eq "$(jq -r 'select(.change == "over") | .server' "$T/events" | wc -l)" 0 "how often it was over" &&
	check_eq "$(of_kept "SELECT id, server, open FROM incident WHERE NOT suspicious")" "$id|s3|1" "incidents" &&
	check_eq "$(of_kept "SELECT state, server FROM level WHERE state <> 'suspicious'")" "limps|s3" "what stands against servers" &&
	if indicts; then ok; else fail "it does not limp any more: $(tail -n 5 "$T/events")"; fi

case_begin "one sender that is gone costs nobody else anything"
end_child "${PUSH[4]}"
gone() { [ "$(metric limpet_servers_reporting)" = $((HOSTS - 1)) ] && indicts; }
if within 30 gone; then ok; else fail "reporting $(metric limpet_servers_reporting)"; fi

case_begin "asked to end it ends, and leaves nothing half-done"
kill -TERM "$SERVE"
wait "$SERVE"
check_eq $? 0 "status ($(tail -n 2 "$T/serve.log"))" && check_eq "$(find "$D" -maxdepth 1 -name '*-wal')" '' "files that SQLite left" && ok

case_begin "what it kept says the same: server, cause, id, when it was decided"
"$L" diagnose --json "$D" >"$T/verdict" 2>"$T/err"
check_eq "$(jq -r '.incidents[] | select(.suspicious | not) | "\(.id) \(.server) \(.cause) \(.decided)"' "$T/verdict")" \
	"$id s3 device-slow $decided" "incident ($(cat "$T/err"))" && ok
