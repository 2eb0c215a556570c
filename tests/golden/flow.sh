#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# limpet flow: what jobs waited for, on real logs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
D=${LIMPET_TEST_DATA:-}

case_begin "a log without attempts, a job and a server that are not there are said"
printf 'Meta VERSION="1" .\nJob JOBID="job_1_1" SUBMIT_TIME="1" .\n' >"$T/empty"
"$L" flow "$T/empty" >"$T/out" 2>"$T/err"
check_eq "$?" 1 "status" && check_eq "$(grep -c 'no map, reduce or task' "$T/err")" 1 "message" || exit
"$L" flow --job nothing "$T/empty" >"$T/out" 2>"$T/err"
check_eq "$?" 1 "status" && check_eq "$(grep -c "'nothing' is no job" "$T/err")" 1 "message" && ok

if [ -n "$D" ]; then
	case_begin "history alone gives all of it, with what is missing said"
	"$L" flow "$D/hadoop-1.2.1/history" >"$T/out" 2>"$T/err" || fail "$(cat "$T/err")"
	for label in job 'waited for' on longest without paths missing; do
		grep -q "^$label " "$T/out" || fail "no line '$label': $(cat "$T/out")"
	done
	grep -q 'which server sent slowly is not$' "$T/out" || grep -q 'sent slowly is not known' "$T/out" ||
		fail "$(cat "$T/out")"
	ok

	case_begin "the segments add up to the job's time, to the microsecond"
	for log in "$D"/hadoop-1.2.1/history/* "$D/hadoop-history/JobHistory.log"; do
		"$L" flow --json "$log" 2>/dev/null >"$T/json" || fail "$log"
		check_eq "$(jq '[.path[].seconds] | add * 1000 | round' "$T/json")" \
			"$(jq '.seconds * 1000 | round' "$T/json")" "$log" || exit
	done
	ok

	# the same Sort took 45.2 s with all servers well
	case_begin "Sort with one server short of processor: whose delay it was, and the time without it"
	"$L" flow --json "$D"/hadoop-1.2.1/history/*_0003_* >"$T/json" 2>/dev/null
	check_eq "$(jq -r '.without[0] | .node + " " + .state' "$T/json")" "s3 map" "the server" &&
		check_eq "$(jq '.without[0].seconds | . > 40.7 and . < 49.7' "$T/json")" true \
			"within a tenth of 45.2: $(jq '.without[0].seconds' "$T/json")" &&
		check_eq "$(jq -r '.lost.nodes[0].node' "$T/json")" s3 "on the path most" && ok

	case_begin "without a source of shuffles there is a path of each map to each reduce"
	check_eq "$(jq -r '.graph.paths | round' "$T/json")" 400 "40 maps to 10 reduces" && ok
fi
