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

# ---- rows each minute among rows of five seconds ---------------------------------------------------------

table 'if (i == 1 && t % 60) v = ""; if (i == 1 && v != "") v *= 5' >"$T/minute.csv"

case_begin "values that come too seldom to be compared: that is the reason"
said 'not judged: oss1 (its values come every 60 s, those of most others every 5 s: too seldom' "$T/minute.csv"

# ---- one server ---------------------------------------------------------------------------------------------

table '' | sed 's/node,/host,disk,/; s/,oss/,oss1,sd/' >"$T/host.csv"

case_begin "one server: its disks may be each other's peers, and with which option"
said 'there is one server; --node disk compares' "$T/host.csv"

case_begin "and why it was not judged"
said 'not judged: oss1 (fewer than 3 servers to compare)' "$T/host.csv"

case_begin "that option does it"
"$L" diagnose --exit-code --node disk "$T/host.csv" >"$T/out" 2>&1
check_eq $? 0 "exit status" && said 'no server limps' --node disk "$T/host.csv"

# ---- gaps ----------------------------------------------------------------------------------------------

table 'if (t >= 1200 && t < 2160) v = ""' >"$T/hole.csv"
table 'if (i == 3 && t >= 1200 && t < 2160) v = ""' >"$T/one.csv"
table '' >"$T/whole.csv"

case_begin "sixteen minutes without a value of any server stand beside the time that was judged"
said 'gaps no data of any server from 2026-11-21T19:45:55Z to 2026-11-21T20:02:00Z (16 min) ' "$T/hole.csv"

case_begin "of one server: with its name"
said 'gaps no data of oss3 from 2026-11-21T19:45:55Z to 2026-11-21T20:02:00Z (16 min) ' "$T/one.csv"

case_begin "where nothing is missing no gap is said"
"$L" diagnose "$T/whole.csv" >"$T/out" 2>&1 && not_said 'no data of'

case_begin "in JSON, of any and of one"
for f in hole one whole; do "$L" diagnose --json "$T/$f.csv"; done 2>"$T/err" |
	jq -c '.gaps | map([.server, .from, .to])' >"$T/json"
check_eq "$(cat "$T/json")" '[[null,"2026-11-21T19:45:55Z","2026-11-21T20:02:00Z"]]
[["oss3","2026-11-21T19:45:55Z","2026-11-21T20:02:00Z"]]
[]' "gaps" && ok

case_begin "what else was measured meanwhile is data: the disk was idle"
awk -F, -v OFS=, 'NR == 1 { print $0, "util"; next } { print $0, 5 }' "$T/hole.csv" >"$T/idle.csv"
awk -v OFS=, 'BEGIN { for (t = 1200; t < 2160; t += 5) for (i = 1; i <= 5; i++) print 1795289160 + t, "oss" i, "", 5 }' >>"$T/idle.csv"
"$L" diagnose "$T/idle.csv" >"$T/out" 2>&1 && not_said 'no data of'

[ -x "$O/simulate" ] && for t in 00 20; do
	"$O/simulate" pfs -w light --servers 4 --clients 4 --fault none --seconds 200 --brief \
		--begin "2026-01-05T00:$t:00Z" "$T/pfs-$t"
done >"$T/sim" 2>&1

case_begin "recordings with a hole: so it is said of them"
if [ -d "$T/pfs-20" ]
then said 'gaps no data of any server from 2026-01-05T00:03:20Z to 2026-01-05T00:20:00Z (17 min) ' "$T/pfs-00" "$T/pfs-20"
else skip "$O/simulate is not built"; fi

case_begin "and on the page"
if [ -d "$T/pfs-20" ]; then
	"$L" report -o "$T/page.html" "$T/pfs-00" "$T/pfs-20" >"$T/out" 2>&1
	grep -o 'no data of any server from [^(]*' "$T/page.html" >"$T/out"
	if [ -s "$T/out" ]; then ok; else fail "$(head -c 900 "$T/page.html")"; fi
else skip "$O/simulate is not built"; fi

case_begin "where there is none the page has no end of a line for it"
if [ -d "$T/pfs-20" ]; then
	"$L" report -o "$T/page.html" "$T/pfs-20" >"$T/out" 2>&1
	grep -o '<p class="top">[^<]*' "$T/page.html" >"$T/out"
	if [ ! -s "$T/out" ] || grep -q 'middot; $' "$T/out"; then fail "$(cat "$T/out")"; else ok; fi
else skip "$O/simulate is not built"; fi

# ---- tables that cannot be read, or can ------------------------------------------------------------------

table 'if (i == 2) v *= 3; v = sprintf("%.2f", v); gsub(/[.]/, "c", v)' | tr ',c' ';,' >"$T/commas.csv"

case_begin "decimal commas where semicolons part the fields: numbers"
said 'oss2 limps: slow: await' "$T/commas.csv"

case_begin "and that is said"
said "column 'await': commas are read as decimal points" "$T/commas.csv"

case_begin "1,234 alone may be thousands, for another server's file may have 987: refused, with the reason"
printf 'time;node;await\n1795289160;a;1,234\n1795289161;a;1,987\n' >"$T/thousands.csv"
said "column 'await' has numbers with commas, of which it is not known whether" "$T/thousands.csv"

case_begin "so is a column with points and commas"
printf 'time;node;await\n1795289160;a;1,23\n1795289161;a;9.87\n' >"$T/both.csv"
said "column 'await' has numbers with commas, of which it is not known whether" "$T/both.csv"

case_begin "servers without a value say nothing of the clock of the one that has some"
table 'if (i < 5) v = "nan"' >"$T/nan.csv"
"$L" diagnose "$T/nan.csv" >"$T/out" 2>&1
if grep -q clock "$T/out"; then fail "$(cat "$T/out")"; else said 'not judged: oss5 (fewer than 3 servers' "$T/nan.csv"; fi

case_begin "negative values are called that, and no zeros"
table 'v = -5' >"$T/negative.csv"
said 'negative values have no logarithm' "$T/negative.csv"

case_begin "so are values that no disk has"
table 'if (i == 5) v = 1e308' >"$T/huge.csv"
said 'not judged: oss5 (values above 1e18 are taken for damage' "$T/huge.csv"

case_begin "a thousand times from the first value on, and as steady: an indictment, and the hint of units"
table 'if (i == 4) v *= 1000' >"$T/unit.csv"
said 'a guess: a mix-up of units?' "$T/unit.csv"

case_begin "the indictment stands"
said 'oss4 limps: slow: await' "$T/unit.csv"

case_begin "a thousand times from half time on is no unit"
table 'if (i == 4 && t >= 1800) v *= 1000' >"$T/late.csv"
"$L" diagnose "$T/late.csv" >"$T/out" 2>&1
if grep -q units "$T/out"; then fail "$(cat "$T/out")"; else said 'oss4 limps' "$T/late.csv"; fi

case_begin "a JSON array of objects is read; one of numbers is not, and that is said"
printf '[\n {"time":"2026-11-21T19:26:00Z","node":"a","await":1}]' >"$T/array.json"
said "fewer than 3 servers to compare" "$T/array.json"
printf '[{"time":"2026-11-21T19:26:00Z","node":"a","await":1}, 5]' >"$T/numbers.json"
said "'$T/numbers.json' line 1: this is no JSON object" "$T/numbers.json"

case_begin "sysstat's JSON that is cut off"
printf '{"sysstat": {\n\t"hosts": [\n' >"$T/iostat.json"
said "line 3: the file ends in the middle of its JSON: it is cut off" "$T/iostat.json"
