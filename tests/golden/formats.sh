#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files that sites have already: each is read as it is, and the slow server in it is named. The recordings are of
# the real programs (tests/data/formats/README).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet

# names SERVER WORDS COMMAND…: status 3, that server and these words in what is printed.
names() {
	server=$1 words=$2
	shift 2
	"$@" --exit-code >"$T/out" 2>"$T/err"
	check_eq $? 3 "exit status of '$*' ($(cat "$T/err" "$T/out"))" || return
	if grep -q "^$server limps" "$T/out" && grep -q -- "$words" "$T/out"
	then ok; else fail "$(cat "$T/err" "$T/out")"; fi
}

refuses() { # WORDS COMMAND…
	words=$1
	shift
	"$@" >"$T/out" 2>"$T/err"
	check_eq $? 1 "exit status of '$*' ($(cat "$T/err"))" || return
	if grep -q -- "$words" "$T/err"; then ok; else fail "'$words' is not in: $(cat "$T/err")"; fi
}

# ---- dates and numbers ---------------------------------------------------------------------------
# table SEPARATOR COMMA DATE: five servers, the third three times as slow; minutes of 2026-11-21.
table() {
	awk -v sep="$1" -v comma="$2" -v date="$3" 'BEGIN {
		srand(4)
		print "time" sep "node" sep "await"
		for (t = 0; t < 600; t++)
			for (n = 1; n <= 5; n++) {
				h = 9 + int(t / 60)
				stamp = date
				sub("HH", sprintf("%02d", h), stamp)
				sub("hh", (h + 11) % 12 + 1, stamp)
				sub("MM", sprintf("%02d", t % 60), stamp)
				sub("AM", h < 12 ? "AM" : "PM", stamp)
				v = sprintf("%.3f", (8 + 4 * rand()) * (n == 3 ? 3 : 1))
				sub("[.]", comma, v)
				print stamp sep "oss" n sep v
			}
	}'
}
table , . "2026-11-21T HH:MM:00Z" | sed 's/T /T/' >"$T/iso.csv"
"$L" diagnose --explain "$T/iso.csv" >"$T/iso.txt"

case_begin "the slow one of five in dates that everybody reads"
names oss3 'slow: await' "$L" diagnose "$T/iso.csv"

n=0
for date in "21.11.2026 HH:MM" "21.11.26 HH:MM:00" "2026-11-21 HH:MM" "2026/11/21 HH:MM" "11/21/2026 hh:MM AM" "11/21/26, hh:MM:00 AM"; do
	n=$((n + 1))
	case_begin "'$date', semicolons and decimal commas: the same verdict, every word"
	table ';' , "$date" >"$T/date.csv"
	case $date in 21*) ;; *) sed -i '2s/,\([0-9]*\)$/,\10/' "$T/date.csv" ;; esac
	"$L" diagnose --explain "$T/date.csv" 2>"$T/err" | grep -v 'commas are read as decimal points' >"$T/date.txt"
	if [ -s "$T/date.txt" ] && cmp "$T/iso.txt" "$T/date.txt" >"$T/diff" 2>&1; then ok; else
		fail "$(cat "$T/err" "$T/diff"; diff "$T/iso.txt" "$T/date.txt" | head -n 20)"
	fi
done

case_begin "of 2/3/2026 nobody knows the month: refused, with what would do"
table , . "2/3/2026 HH:MM" >"$T/date.csv"
refuses "line 2: '2/3/2026 09:00': which is the month? write dates as 2026-11-21 19:26:00" "$L" diagnose "$T/date.csv"
