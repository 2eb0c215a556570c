#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is said is true: of servers that could not be judged, of gaps, of clocks, of tables that cannot be read.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet

# said WORDS SOURCE…: they are in what diagnose prints, in text.
said() {
	words=$1
	shift
	"$L" diagnose "$@" >"$T/out" 2>&1
	if tr -s ' \n' ' ' <"$T/out" | grep -qF -- "$words"; then ok; else fail "'$words' is not in: $(cat "$T/out")"; fi
}

# not_said WORDS: and these are not.
not_said() {
	if tr -s ' \n' ' ' <"$T/out" | grep -qF -- "$1"; then fail "$(cat "$T/out")"; else ok; fi
}

# table PROGRAM: await of five servers, 10 ms and 20 % of noise, each STEP seconds for LONG; the awk program may change
# `v`, or set it to "" for none.
table() {
	awk -v step="${STEP:-5}" -v long="${LONG:-3600}" 'BEGIN {
		srand(7)
		print "time,node,await"
		for (t = 0; t < long; t += step)
			for (i = 1; i <= 5; i++) {
				v = 10 * (0.9 + 0.2 * rand())
				'"$1"'
				if (v != "")
					printf "%d,oss%d,%s\n", 1795289160 + t, i, v
			}
	}'
}

# ---- one status for each server --------------------------------------------------------------------

table 'if ((i == 1 && t >= 900) || (i == 2 && t >= 1500)) v *= 6' >"$T/second.csv"

case_begin "two of five slow, one after the other: who is indicted was judged"
said '2 of 5 servers,' "$T/second.csv"

case_begin "and the servers that could not be judged are the others"
said 'not judged: oss3, oss4, oss5 (two groups' "$T/second.csv"

case_begin "so it is in JSON"
"$L" diagnose --json "$T/second.csv" >"$T/json" 2>"$T/err"
check_eq "$(jq -r '[.servers[] | select(.status == "indicted").server], .judged.servers,
	([.not_judged[].server] | unique) | join(" ")' "$T/json" | tr '\n' ';')" \
	'oss1 oss2;oss1 oss2;oss3 oss4 oss5;' "indicted, judged, not judged" && ok
