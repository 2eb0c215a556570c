#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# limpet states: what logs say jobs did, counted on real logs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
D=${LIMPET_TEST_DATA:-}

# counts LOG…: "STATE N", a line each
counts() {
	"$L" states --csv "$@" 2>/dev/null | awk -F, 'NR > 1 { n[$3]++ } END { for (s in n) print s, n[s] }' | sort
}

if [ -n "$D" ]; then
	case_begin "a job history has its 42 states, a setup and a cleanup"
	counts "$D/hadoop-history/JobHistory.log" >"$T/counts"
	check_eq "$(tr '\n' ',' <"$T/counts")" \
		"cleanup 1,map 10,reduce 8,reducer 8,setup 1,shuffle-wait 8,sort 8," "states by kind" && ok

	case_begin "stack traces in values are part of their record"
	counts "$D/hadoop-history/TestJobLog.txt" >"$T/counts"
	check_eq "$(grep -c . "$T/counts")" 7 "kinds of states ($(cat "$T/counts"))" && ok

	case_begin "a compressed log gives what it gives plain"
	cp "$D/hadoop-history/JobHistory.log" "$T/log" && "$L" states --csv "$T/log" >"$T/plain" &&
		gzip -f "$T/log" && mv "$T/log.gz" "$T/log" && "$L" states --csv "$T/log" >"$T/gz" &&
		check_eq "$(cksum <"$T/gz")" "$(cksum <"$T/plain")" "states" && ok

	case_begin "from a task to its input and its line, and back"
	task=attempt_200909120624_0005_m_000000_0
	"$L" states --id $task "$D/hadoop-history/JobHistory.log" >"$T/out"
	input=$(awk '$1 == "in:" { print $2 }' "$T/out")
	offset=$(awk '$1 == "log:" { print $NF }' "$T/out")
	check_eq "$input" "hdfs://localhost:9020/user/jobuser/out2/part-00000:0+10538048" "input" || exit
	tail -c +$((offset + 1)) "$D/hadoop-history/JobHistory.log" | head -n 1 >"$T/line"
	if grep -q "^MapAttempt.*$task.*FINISH_TIME" "$T/line"; then :; else fail "$(cat "$T/line")"; fi
	"$L" states --csv --input "${input%%:0+*}" "$D/hadoop-history/JobHistory.log" >"$T/back"
	check_eq "$(awk -F, 'NR == 2 { print $9 }' "$T/back")" $task "the task that read it" && ok
fi

printf 'Meta VERSION="1" .\n' >"$T/history"
attempt() { # N KEYS
	printf 'MapAttempt TASK_TYPE="MAP" TASKID="task_1_0001_m_%06d" TASK_ATTEMPT_ID="attempt_1_0001_m_%06d_0" %s .\n' \
		"$1" "$1" "$2"
}

case_begin "an attempt that ended well and was killed later keeps its duration"
{
	cat "$T/history"
	attempt 0 'START_TIME="1000000" TRACKER_NAME="tracker_a:x"'
	attempt 0 'TASK_STATUS="SUCCESS" FINISH_TIME="1005000" HOSTNAME="/r/a"'
	attempt 0 'START_TIME="1000001" TRACKER_NAME="tracker_a:x"'
	attempt 0 'TASK_STATUS="KILLED" FINISH_TIME="1090000" HOSTNAME="/r/a"'
} >"$T/killed"
"$L" states --csv "$T/killed" >"$T/out" 2>"$T/err"
check_eq "$(sed 1d "$T/out" | cut -d , -f 2-4,11,15)" a,map,5,ok,1 "state" && ok

case_begin "what ends before it begins or without a begin is left out and said, what never ends is open"
{
	cat "$T/history"
	attempt 1 'START_TIME="2000000" TRACKER_NAME="tracker_a:x"'
	attempt 1 'TASK_STATUS="SUCCESS" FINISH_TIME="1999999" HOSTNAME="/r/a"'
	attempt 2 'TASK_STATUS="SUCCESS" FINISH_TIME="2000005" HOSTNAME="/r/a"'
	attempt 3 'START_TIME="1500000" TRACKER_NAME="tracker_a:x"'
	echo "what is this?"
} >"$T/odd"
"$L" states --json "$T/odd" >"$T/out" 2>"$T/err"
check_eq "$(jq -r '[.id, .outcome, .age] | join(" ")' "$T/out")" "attempt_1_0001_m_000003_0 open 500.005" "states" &&
	check_eq "$(cut -d ' ' -f 1 "$T/err" | sort | tr '\n' ' ')" "1 1 1 1 " "counts ($(cat "$T/err"))" && ok

case_begin "a name that is markup or moves a terminal comes out clean"
{
	cat "$T/history"
	attempt 4 "START_TIME=\"1\" TRACKER_NAME=\"tracker_<b>$(printf '\033')[2J:x\""
	attempt 5 'START_TIME="1" TRACKER_NAME="tracker_<script>:x"'
} >"$T/markup"
"$L" states "$T/markup" >"$T/out" 2>"$T/err"
if ! grep -q "$(printf '\033')" "$T/out" "$T/err" && grep -q '<script>' "$T/out" && grep -q 'no text' "$T/err"
then ok; else fail "$(cat "$T/out" "$T/err")"; fi

case_begin "logs lie in folders below, beside files that are none"
mkdir -p "$T/folder/a/b" && cp "$T/killed" "$T/folder/a/b/history" && echo "<configuration/>" >"$T/folder/job.xml" &&
	"$L" states --csv "$T/folder" >"$T/out" 2>"$T/err"
check_eq "$(grep -c ,map, "$T/out")" 1 "states ($(cat "$T/err"))" && ok

case_begin "logs are no seconds: methods of seconds say so"
"$L" diagnose --method ratio "$T/killed" >"$T/out" 2>"$T/err"
check_eq $? 1 "exit status" &&
	if grep -q 'reads no logs' "$T/err"; then ok; else fail "$(cat "$T/err")"; fi
