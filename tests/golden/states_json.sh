#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# limpet states: logs in JSON (Spark, Rumen), beside what Python reads of them.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
D=${LIMPET_TEST_DATA:-}
HERE=$(dirname "$0")

same() { # KIND LOG FILE…: LOG is what limpet is given, FILE… what Python reads
	kind=$1 log=$2
	shift 2
	"$L" states --csv "$log" >"$T/csv" 2>"$T/err" || { fail "$(cat "$T/err")"; return 1; }
	python3 "$HERE/states_json.py" "$kind" "$T/csv" "$@" >"$T/same" || { fail "$(cat "$T/same")"; return 1; }
}

if [ -n "$D" ]; then
	case_begin "Rumen's traces have the states that Python finds"
	for f in "$D"/hadoop-traces/*.json.gz; do same rumen "$f" "$f" || break; done && ok

	S=$D/spark-events
	case_begin "Spark's event logs have the states that Python finds, plain, zstd and rolled"
	n=0
	for f in "$S/eventlog_3nodes_12cores_exec_removed" "$S/eventlog_4nodes_8cores_dynamic_alloc.zstd" \
		"$S/nds_q72_dataproc_2_2.zstd"; do
		same spark "$f" "$f" && n=$((n + 1))
	done
	same spark "$S/eventlog_v2_local-1623876083964" "$S"/eventlog_v2_local-1623876083964/events_*.zstd &&
		check_eq $n 3 "logs that are the same" && ok

	case_begin "13,504 tasks in nds_q72, in 49 jobs"
	"$L" states --csv "$S/nds_q72_dataproc_2_2.zstd" >"$T/csv"
	check_eq "$(awk -F, '$3 == "task" { n++; j[$8] } END { print n, length(j) }' "$T/csv")" "13504 49" "tasks" && ok

	case_begin "tasks without an end are open, and executors without a task are said"
	"$L" states --csv "$S/eventlog_3nodes_12cores_exec_removed" >"$T/csv" 2>"$T/err"
	check_eq "$(grep -c ',open,' "$T/csv") $(grep -c 'none of its executors had a task' "$T/err")" "3 3" \
		"open tasks, silent servers" && ok

	case_begin "a zstd file that is cut off is read as far as it goes, which is said"
	head -c 600000 "$S/nds_q72_dataproc_2_2.zstd" >"$T/cut"
	"$L" states --csv "$T/cut" >"$T/csv" 2>"$T/err"
	if grep -q 'is cut off' "$T/err" && [ "$(grep -c ,task, "$T/csv")" -gt 100 ]; then ok; else fail "$(cat "$T/err")"; fi

	case_begin "two frames of zstd, one after the other, are one log"
	cat "$S"/eventlog_v2_local-1623876083964/events_1_*.zstd "$S"/eventlog_v2_local-1623876083964/events_2_*.zstd >"$T/two"
	same spark "$T/two" "$S"/eventlog_v2_local-1623876083964/events_*.zstd && ok
fi

case_begin "a log of Spark that is compressed with lz4, lzf or snappy is refused by name"
printf 'LZ4Block\026abc' >"$T/a.lz4"
printf 'ZV\001\001\002abc' >"$T/a.lzf"
printf '\202SNAPPY\000\000\000\000\001abc' >"$T/a.snappy"
for codec in lz4 lzf snappy; do "$L" states "$T/a.$codec" 2>&1; done >"$T/out"
check_eq "$(grep -o 'compressed with [a-z0-9]*' "$T/out" | tr '\n' ,)" \
	"compressed with lz4,compressed with lzf,compressed with snappy," "what is said" && ok

case_begin "Rumen: what is -1 or null is not known, dots may be escaped, a cut job is read up to there"
cat >"$T/rumen" <<'EOF'
{ "jobID" : "job_1_0001", "outcome" : "SUCCESS", "submitTime" : 999, "mapTasks" : [ { "taskType" : "MAP",
  "preferredLocations" : [ { "layers" : [ "r", "a.b" ] } ], "inputBytes" : 7, "attempts" : [
  { "attemptID" : "attempt_1_0001_m_000000_0", "hostName" : "/r/a\\.b", "result" : "SUCCESS",
    "startTime" : 1000, "finishTime" : 3500, "hdfsBytesRead" : -1, "mapInputBytes" : null },
  { "attemptID" : "attempt_1_0001_m_000000_1", "hostName" : "/r/c", "result" : "KILLED",
    "startTime" : 2000, "finishTime" : 3000 },
  { "attemptID" : "attempt_1_0001_m_000000_2", "hostName" : null, "startTime" : 1, "finishTime" : 2, "result" : "SUCCESS" },
  { "attemptID" : "attempt_1_0001_m_000000_3", "hostName" : "/r/c", "startTime" : 2500, "finishTime" : -1, "result" : null }
  ] } ], "reduceTasks" : [] }
{ "jobID" : "job_1_0002", "mapTasks" : [
EOF
"$L" states --csv "$T/rumen" >"$T/out" 2>"$T/err"
check_eq "$(sed 1d "$T/out" | cut -d , -f 2-5,10,11 | tr '\n' ' ')" \
	"a.b,map,2.5,7,NODE_LOCAL,ok c,map,1,7,RACK_LOCAL,killed c,map,,7,RACK_LOCAL,open " "states" || exit
if grep -q 'cut off in the middle of a job' "$T/err"; then ok; else fail "$(cat "$T/err")"; fi

event() { # NAME REST
	printf '{"Event":"SparkListener%s",%s}\n' "$1" "$2"
}
info() { # ID LAUNCH FINISH EXECUTOR HOST
	printf '"Stage ID":1,"Stage Attempt ID":0,"Task Info":{"Task ID":%d,"Launch Time":%d,"Finish Time":%d,"Executor ID":"%s","Host":"%s","Locality":"ANY","Speculative":false}' "$@"
}
case_begin "Spark: a fetch that fails counts against the server that it names, a lost output as lost, units are as Spark's"
{
	event LogStart '"Spark Version":"3.5.0"'
	event ApplicationStart '"App Name":"sort","App ID":"app-1","Timestamp":1000,"User":"u"'
	event JobStart '"Job ID":4,"Submission Time":1000,"Stage Infos":[{"Stage ID":1,"Parent IDs":[0]}],"Stage IDs":[0,1]'
	event TaskStart "$(info 7 2000 0 1 a)"
	event TaskEnd "$(info 7 2000 5000 1 a),"'"Task End Reason":{"Reason":"FetchFailed","Block Manager Address":{"Executor ID":"2","Host":"b","Port":7337},"Shuffle ID":0}'
	event TaskEnd "$(info 8 2000 6000 2 b),"'"Task End Reason":{"Reason":"Success"},"Task Metrics":{"Executor Run Time":3000,"Executor CPU Time":2500000000,"JVM GC Time":100,"Shuffle Write Metrics":{"Shuffle Write Time":500000000,"Shuffle Bytes Written":10}}'
	event TaskEnd "$(info 8 2000 6000 2 b),"'"Task End Reason":{"Reason":"Resubmitted"}'
} >"$T/spark"
"$L" states --csv "$T/spark" >"$T/out" 2>"$T/err"
sed 1d "$T/out" | cut -d , -f 2-4,7-11,15 | sort >"$T/got"
sort >"$T/want" <<'EOF'
a,task,3,,app-1.4,app-1.TID7,stage 1.0 ANY,killed,0
b,task,0,a,app-1.4,app-1.TID7.fetch,stage 1.0 ANY,failed,0
b,task,4,,app-1.4,app-1.TID8,stage 1.0 ANY,ok,1
b,task-compute,2.5,,app-1.4,app-1.TID8,stage 1.0 ANY,ok,0
b,task-cpu,2.5,,app-1.4,app-1.TID8,stage 1.0 ANY,ok,0
b,gc,0.1,,app-1.4,app-1.TID8,stage 1.0 ANY,ok,0
b,shuffle-write,0.5,,app-1.4,app-1.TID8,stage 1.0 ANY,ok,0
b,schedule,1,,app-1.4,app-1.TID8,stage 1.0 ANY,ok,0
EOF
if diff "$T/want" "$T/got" >"$T/diff"; then ok; else fail "$(cat "$T/diff")"; fi
