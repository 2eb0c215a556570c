#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Logs from a hostile node: lines without an end, names without an end, names that are markup or move a cursor. Read
# within bounds of memory and of processor time, and clean on a terminal and in a page.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
# Processor time, not the clock: twenty times what it takes, on a busy machine too.
limit="prlimit --as=1610612736 --cpu=120"
case $O in *address*) limit="prlimit --cpu=600" ;; esac

# attempts HOST N MILLISECONDS: so many maps of one server
attempts() {
	awk -v host="$1" -v n="$2" -v ms="$3" 'BEGIN {
		gsub(/\\/, "\\\\", host); gsub(/"/, "\\\"", host)
		for (i = 0; i < n; i++) {
			id = sprintf("1_0001_m_%06d", (length(host) * 31 + NR++) * 1000 + i)
			start = 1700000000000 + i * 1000
			printf "MapAttempt TASK_TYPE=\"MAP\" TASKID=\"task_%s\" TASK_ATTEMPT_ID=\"attempt_%s_0\" START_TIME=\"%.0f\" HOSTNAME=\"%s\" .\n", id, id, start, host
			printf "MapAttempt TASK_TYPE=\"MAP\" TASKID=\"task_%s\" TASK_ATTEMPT_ID=\"attempt_%s_0\" TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"%.0f\" HOSTNAME=\"%s\" .\n", \
				id, id, start + ms * (1 + (i * 7 + length(host)) % 10 / 50), host
		}
	}'
}

if command -v zstd >/dev/null; then
	case_begin "a line of 10 GB costs that line: what stands before and behind it is read"
	{ echo 'Meta VERSION="1" .' && attempts s1 3 1000; } | zstd -q >"$T/log"
	head -c 67108864 /dev/zero | tr '\0' x | zstd -q >"$T/x"
	i=0
	while [ $i -lt 160 ]; do cat "$T/x" && i=$((i + 1)); done >>"$T/log"
	{ echo && attempts s22 4 1000; } | zstd -q >>"$T/log"
	$limit "$L" states --csv "$T/log" >"$T/csv" 2>"$T/err"
	check_eq "$?, $(sed 1d "$T/csv" | grep -c .) states" "0, 7 states" "what is read ($(cat "$T/err"))" &&
		check_eq "$(cat "$T/err")" "1 lines are too long and were passed over" remarks && ok
fi

case_begin "of a million jobs as many are read as there may be, and the others are told"
awk 'BEGIN {
	print "Meta VERSION=\"1\" ."
	for (i = 0; i < 1000000; i++) {
		printf "Job JOBID=\"job_%d_0001\" SUBMIT_TIME=\"1700000000000\" .\n", i
		printf "MapAttempt TASK_TYPE=\"MAP\" TASK_ATTEMPT_ID=\"attempt_%d_0001_m_000000_0\" START_TIME=\"1700000000000\" ", i
		printf "FINISH_TIME=\"1700000001000\" TASK_STATUS=\"SUCCESS\" HOSTNAME=\"s%d\" .\n", i % 4
	}
}' >"$T/jobs"
$limit "$L" diagnose "$T/jobs" >"$T/out" 2>"$T/err"
diagnosed=$?
$limit "$L" states "$T/jobs" >"$T/out" 2>"$T/err"
check_eq "$diagnosed $?" "0 0" "status ($(cat "$T/err"))" && check_eq "$(grep -c "names of one kind: the others are left out" "$T/err")" 1 "remarks ($(cat "$T/err"))" &&
	check_eq "$([ "$(wc -c <"$T/err")" -lt 4096 ] && echo little)" little "said" && ok

# The one that is slow is the worst of them, so that it is named in all outputs.
bad='<img/src=x/onerror=alert(1)>'
{
	echo 'Meta VERSION="1" .'
	printf 'Job JOBID="job_1_0001" JOBNAME="<script>alert(1)</script>" SUBMIT_TIME="1700000000000" .\n'
	for host in s1 s22 s333 s4444 's5&amp;"quote"'; do attempts "$host" 30 2000; done
	attempts "$bad" 30 9000
	printf 'Job JOBID="job_1_\033[2J" SUBMIT_TIME="1700000000000" .\n'
	attempts "$(printf 's\033]0;title\007')" 5 1000
} >"$T/markup"
clean() { # FILE: no byte that a terminal obeys
	LC_ALL=C tr -d '\n\t -~\200-\377' <"$1" | wc -c
}

case_begin "names that move a cursor are refused, and markup is only text on a terminal"
"$L" diagnose "$T/markup" >"$T/out" 2>&1
"$L" states --csv "$T/markup" >"$T/csv" 2>"$T/err"
check_eq "$(grep -c limps "$T/out")" 1 "verdicts ($(cat "$T/out"))" &&
	check_eq "$(clean "$T/out") $(clean "$T/csv") $(clean "$T/err")" "0 0 0" "bytes that a terminal obeys" &&
	check_eq "$(grep -c "names are no text" "$T/err")" 1 remarks && ok

case_begin "in a page and its pictures markup is text, too"
"$L" report -o "$T/page.html" "$T/markup" >"$T/out" 2>&1
"$L" flow --svg swimlanes "$T/markup" >"$T/page.svg" 2>>"$T/out"
check_eq "$(grep -c '<img\|<script>alert' "$T/page.html" "$T/page.svg" | cut -d: -f2 | tr '\n' ' ')" "0 0 " "tags of names" &&
	check_eq "$([ "$(grep -c 'onerror=alert(1)&gt;' "$T/page.html")" -gt 0 ] && echo there)" there "the server, as text" &&
	check_eq "$(clean "$T/page.html")" 0 "bytes that a terminal obeys" && ok

case_begin "in JSON they are one string each"
"$L" diagnose --json "$T/markup" >"$T/json" 2>/dev/null
check_eq "$(jq -r '[.. | strings | select(. == "s5&amp;\"quote\"")] | length > 0' "$T/json")" true "the quote" && ok

# Ends of every eighth map, each in another far year; one server is slow.
{
	echo 'Meta VERSION="1" .'
	for host in s1 s22 s333 s4444; do attempts "$host" 40 2000; done
	attempts s55555 40 9000
} | awk '/FINISH_TIME/ && ++n % 8 == 1 { sub(/FINISH_TIME="[0-9]*"/, sprintf("FINISH_TIME=\"%.0f\"", 4102444800000 + n * 20000000000)) } 1' >"$T/years"

case_begin "times that are wrong by years cost no processor time"
for how in "diagnose" "diagnose --method stragglers" "diagnose --method autodiagn" "diagnose --method salsa" flow "flow --svg swimlanes" \
	states "report -o $T/page.html" "watch --once"; do
	# shellcheck disable=SC2086
	(ulimit -t 10 && exec $L $how "$T/years") >"$T/out" 2>"$T/err"
	case $? in 0 | 4) ;; *) fail "$how: $(tail -n 3 "$T/err")" && break ;; esac
done
# autodiagn and salsa have nothing to judge there, which is status 4
check_eq "$how" "watch --once" "the last that was tried" && ok

case_begin "they are left out, which is said, and the rest is judged"
"$L" diagnose "$T/years" >"$T/out" 2>&1
check_eq "$(grep -c '^s55555 limps: slow: map' "$T/out") $(grep -c '^25 states have times that cannot be right' "$T/out")" "1 1" \
	"the server, what is left out ($(cat "$T/out"))" && ok
