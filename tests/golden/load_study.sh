#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/load-study, a small part of it: servers of unequal loads. Of servers that have less to do because they are slow, one that is
# twice as slow is named, and one that is three times as slow, with less to do than any other, is suspicious; nobody else is.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

command -v python3 >/dev/null || all_skip "no python3"

study() { # LOAD FACTOR: right, wrong, suspect, not-well, well
	tools/load-study --limpet "$O/limpet" --loads "$1" --factors "$2" --seeds 6 --healthy 6 2>"$T/err" |
		awk 'NR == 2 { print $4, $5, $6, $7, $8 }'
}

case_begin "clients wait, so that a server that is slower has less to do than any other: five of six are seen, none is called well"
study closed 3 >"$T/closed"
check_eq "$(awk '{ print ($1 + $3 >= 0.83), $2, $5 }' "$T/closed")" "1 0.00 0.00" "seen, wrong, well ($(cat "$T/closed" "$T/err"))" && ok

case_begin "and it is said why it is not indicted"
tools/load-study --limpet "$O/limpet" --loads closed --factors 3 --seeds 6 --healthy 6 --write "$T/tables" >"$T/out" 2>&1
"$O/limpet" diagnose --signal latency --given throughput "$T"/tables/closed-3-1000.csv >"$T/why" 2>&1
check_eq "$(grep -c '^  not indicted: no peer is as lightly loaded, so its values cannot be compared at' "$T/why")" 1 "$(cat "$T/why")" && ok

case_begin "clients wait, and as much is under way: five of six twice as slow are named, and nobody else"
study closed 2 >"$T/twice"
check_eq "$(awk '{ print ($1 >= 0.83), $2 }' "$T/twice")" "1 0.00" "right, wrong ($(cat "$T/twice" "$T/err"))" && ok

case_begin "loads that never come twice: four of six five times slower are named at least, and nobody else"
study drifts 5 >"$T/drifts"
check_eq "$(awk '{ print ($1 >= 0.66), $2 }' "$T/drifts")" "1 0.00" "right, wrong ($(cat "$T/drifts" "$T/err"))" && ok

case_begin "healthy servers with 4 or 10 times the others' load: nobody"
check_eq "$(study unequal 1 | awk '{ print $2 }')" "0.00" "wrong" && ok
