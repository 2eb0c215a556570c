# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# For demonstrations of a site: probes (box.sh), senders, and one limpet serve; sourced. The caller has set PUSH, LIMPET, TESTBED, KEEP,
# INGEST and METRICS, and has sourced box.sh.
# shellcheck disable=SC2153 # METRICS is the caller's

T0=$EPOCHSECONDS
say() { printf '[%3d s] %s\n' $((EPOCHSECONDS - T0)) "$*"; }
die() {
	echo "demo: $*" >&2
	exit 1
}

SENDERS=() SERVE=
TORN=
tear_down() {
	[ -z "$TORN" ] || return
	TORN=1
	[ ${#SENDERS[@]} = 0 ] || kill "${SENDERS[@]}" 2>/dev/null
	[ -z "$SERVE" ] || kill "$SERVE" 2>/dev/null
	[ ${#SENDERS[@]} = 0 ] || wait "${SENDERS[@]}" 2>/dev/null
	[ -z "$SERVE" ] || wait "$SERVE" 2>/dev/null
	end_all "$KEEP/log" || echo "demo: tear-down was not complete, see $KEEP/log: $(tail -n 5 "$KEEP/log")" >&2
}
bed() { act "$TESTBED" "$@" >>"$KEEP/log" 2>&1 || die "testbed $*: $(tail -n 3 "$KEEP/log")"; }

# ---- the service, and its senders ------------------------------------------------------------------

serve() {
	setpriv --pdeathsig KILL "$LIMPET" serve --state "$KEEP/serve" --ingest "$INGEST" --listen "$METRICS" --json \
		>>"$KEEP/events" 2>>"$KEEP/serve.log" &
	SERVE=$!
}
# A line of metrics, by its name and the beginning of its labels.
metric() { curl -sf "http://$METRICS/metrics" | grep "^$1" | sed -n '1s/.* //p'; }
until_so() { # SECONDS command...
	local left=$1
	shift
	until "$@"; do
		kill -0 "$SERVE" 2>/dev/null || die "limpet serve has ended: $(tail -n 3 "$KEEP/serve.log")"
		[ $((left--)) -gt 0 ] || return 1
		nap 1
	done
}
answers() { [ -n "$(metric limpet_watch_build_info)" ]; }
all_report() { [ "$(metric limpet_servers_reporting)" = ${#PROBES[@]} ] && [ "$(metric limpet_can_judge)" = 1 ]; }

# Each probe and sender is alive.
alive() {
	probes_alive || die "a probe has died: $(tail -n 3 "$KEEP"/probe-*.log)"
	local p
	for p in "${SENDERS[@]}"; do
		kill -0 "$p" 2>/dev/null || die "a sender has died: $(tail -n 3 "$KEEP"/push-*.log)"
	done
}
# enrol HOST LINE, and then send HOST OPTION…
enrol() {
	"$PUSH" enroll --host "$1" --receivers "$KEEP/receivers/$1" "$2" >>"$KEEP/push-$1.log" 2>&1 ||
		die "'$1' was not enrolled: $(tail -n 2 "$KEEP/push-$1.log")"
}
send() {
	setpriv --pdeathsig TERM "$PUSH" run --host "$1" --receivers "$KEEP/receivers/$1" "${@:2}" >>"$KEEP/push-$1.log" 2>&1 &
	SENDERS+=($!)
}
# A sender for each server, and for other hosts that are named.
start_senders() { # HOST…
	local line host
	line=$("$LIMPET" serve enroll --state "$KEEP/serve" --address "$INGEST" --uses $((${#PROBES[@]} + $#))) || die "no line of enrolment"
	say "enrolling $((${#PROBES[@]} + $#)) senders: limpet-push enroll ${line%%#*}#…"
	while read -r _ host; do
		enrol "$host" "$line"
		send "$host" --series "$KEEP/series/$host" --no-logs
	done <"$KEEP/names"
	for host; do enrol "$host" "$line"; done
}

# Of the events: incidents that were opened, "ID SERVER CAUSE" each.
opened() { jq -r 'select(.change == "opened") | "\(.incident.id) \(.server) \(.cause)"' "$KEEP/events"; }
is_opened() { [ -n "$(opened)" ]; }
