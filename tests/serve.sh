# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# For tests of limpet serve with real limpet-push; sourced after lib.sh. The caller has set HOSTS, how many servers there are, and D, the folder of
# the service.
# shellcheck disable=SC2154 # lib.sh sets T and O

L=$O/limpet P=$O/limpet-push PUSH=()

serve_needs() {
	[ -x "$P" ] && [ -x "$O/tests/make_series" ] || all_skip "'$P' is not built (make all)"
	command -v curl >/dev/null && command -v sqlite3 >/dev/null && command -v jq >/dev/null || all_skip "needs curl, sqlite3 and jq (tools/deps check)"
	INGEST=127.0.0.1:$(serve_port) METRICS=127.0.0.1:$(serve_port)
}
serve_port() {
	/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
serve() { # OPTION…
	"$L" serve --state "$D" --ingest "$INGEST" --listen "$METRICS" --json "$@" >>"$T/events" 2>>"$T/serve.log" &
	SERVE=$!
	at_exit "end_child $SERVE"
}
killed() {
	kill -KILL "$SERVE"
	wait "$SERVE" 2>/dev/null
}
# Recordings that grow: BACK AGO FACTOR [ENDS] as of serve_feed.py.
feed() {
	mkdir -p "$T/recorded" "$T/receivers"
	mkfifo "$T/more"
	/usr/bin/python3 tests/golden/serve_feed.py "$HOSTS" "$@" <"$T/more" > >(exec "$O/tests/make_series" "$T/recorded" 2>"$T/feed.err") &
	FEED=$!
	at_exit "end_child $FEED"
	exec 3>"$T/more"
}
recorded_all() { [ "$(find "$T/recorded" -name 's*.limpet' | wc -l)" -ge $HOSTS ]; }
enrol() { # LINE HOST
	"$P" enroll --host "$2" --receivers "$T/receivers/$2" "$1" >"$T/enroll.log" 2>&1
}
enrol_all() {
	local line h
	line=$("$L" serve enroll --state "$D" --address "$INGEST" --uses "$HOSTS") || return 1
	for ((h = 1; h <= HOSTS; h++)); do
		enrol "$line" "s$h" || return 1
	done
}
push() { # HOST
	"$P" run --no-logs --host "$1" --series "$T/recorded" --receivers "$T/receivers/$1" >>"$T/push-$1.log" 2>&1 &
	at_exit "end_child $!"
	PUSH+=($!)
}
metric() { curl -sf --max-time 5 "http://$METRICS/metrics" | grep "^$1" | sed -n '1s/.* //p'; }
# within SECONDS COMMAND…: until it is true
within() {
	local left=$1
	shift
	until "$@"; do
		[ $((left--)) -gt 0 ] || return 1
		sleep 1
	done
}
answers() { [ -n "$(metric limpet_watch_build_info)" ]; }
judges() { [ "$(metric limpet_can_judge)" = 1 ] && [ "$(metric limpet_servers_reporting)" = "$HOSTS" ]; }
indicts() { [ "$(metric 'limpet_indicted{server="s3"')" = 1 ]; }
of_kept() { sqlite3 -batch "file:$D/incidents.db?mode=ro" "$1"; }
chunks_of() { sqlite3 -batch "file:$1?mode=ro" 'SELECT count(*), sum(seconds), sum(length(head)), max(id) FROM chunk WHERE seconds > 1' 2>/dev/null; }
# Whether each minute that was recorded was kept.
all_kept() {
	local f
	for f in "$T"/recorded/*.limpet; do
		[ "$(chunks_of "$f")" = "$(chunks_of "$D/series/$(basename "$f" | cut -d - -f 1)/$(basename "$f")")" ] || return 1
	done
}
opened() { jq -r 'select(.change == "opened") | "\(.incident.id) \(.server)"' "$T/events"; }
# late_tasks FILE: a log of a real job that runs, with three late tasks on s3: one as it was, and two more that go on as slowly.
late_tasks() {
	local log=tests/data/progress/progress.jsonl n last i
	n=$(($(grep -n '_0003_m_000011_0.*outcome' $log | cut -d: -f1) - 1))
	last=$(sed -n "${n}p" $log | jq .t)
	head -n "$n" $log |
		awk '{ print } /_0003_m_000011_0/ { for (n = 91; n <= 92; n++) { x = $0; sub(/m_000011_0/, "m_0000" n "_0", x); print x } }' >"$1"
	for ((i = 1; i <= 8; i++)); do echo "{\"t\":$((last + i * 3000))}"; done >>"$1"
}
