#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/load-study, a small part of it: servers of unequal loads. A server that is three times slower and has less to do because of it
# is not called well, nor is another one named.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

command -v python3 >/dev/null || all_skip "no python3"

study() { # LOAD FACTOR: right, wrong, suspect, not-well, well
	tools/load-study --limpet "$O/limpet" --loads "$1" --factors "$2" --seeds 6 --healthy 6 2>"$T/err" |
		awk 'NR == 2 { print $4, $5, $6, $7, $8 }'
}

case_begin "clients wait, so that a server that is slower has less to do: not called well"
study closed 3 >"$T/closed"
check_eq "$(awk '{ print $2, $5 }' "$T/closed")" "0.00 0.00" "wrong, well ($(cat "$T/err"))" && ok

case_begin "loads that never come twice: four of six five times slower are named at least, and nobody else"
study drifts 5 >"$T/drifts"
check_eq "$(awk '{ print ($1 >= 0.66), $2 }' "$T/drifts")" "1 0.00" "right, wrong ($(cat "$T/drifts" "$T/err"))" && ok

case_begin "healthy servers with 4 or 10 times the others' load: nobody"
check_eq "$(study unequal 1 | awk '{ print $2 }')" "0.00" "wrong" && ok
