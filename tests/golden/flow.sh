#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# limpet flow: what jobs waited for, on real logs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
D=${LIMPET_TEST_DATA:-}

case_begin "the server that the logs indict is the one without whose delay the job is told"
H=tests/data/hadoop-hang/logs
"$O/limpet" flow --json "$H" >"$T/json" 2>"$T/err"
"$O/limpet" flow "$H" >"$T/text" 2>>"$T/err"
check_eq "$(jq -r '.limps | .node + " " + .cause' "$T/json")" "node-flint hung" "who limps ($(cat "$T/err"))" &&
	check_eq "$(grep -c 'the delay of node-flint, which limps: hung, the job' "$T/text")" 1 "line" &&
	check_eq "$("$O/limpet" flow --json --node node-kelp "$H" 2>/dev/null | jq -r '.limps, .without[].node' | tr '\n' ' ')" \
		"null node-kelp " "one that is asked for" && ok

case_begin "which log would have what is missing: of Hadoop 1 a TaskTracker's, of later ones the reduces' own"
for job in 200909120624_0005 1795434336630_0006; do
	{
		echo 'Meta VERSION="1" .'
		for i in 0 1 2; do
			echo "MapAttempt TASK_TYPE=\"MAP\" TASK_ATTEMPT_ID=\"attempt_${job}_m_00000${i}_0\" START_TIME=\"100000\" TRACKER_NAME=\"tracker_s$i:x\" ."
			echo "MapAttempt TASK_TYPE=\"MAP\" TASK_ATTEMPT_ID=\"attempt_${job}_m_00000${i}_0\" TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"105000\" HOSTNAME=\"/r/s$i\" ."
		done
		echo "ReduceAttempt TASK_TYPE=\"REDUCE\" TASK_ATTEMPT_ID=\"attempt_${job}_r_000000_0\" START_TIME=\"101000\" TRACKER_NAME=\"tracker_s0:x\" ."
		echo "ReduceAttempt TASK_TYPE=\"REDUCE\" TASK_ATTEMPT_ID=\"attempt_${job}_r_000000_0\" TASK_STATUS=\"SUCCESS\" SHUFFLE_FINISHED=\"106000\" SORT_FINISHED=\"106100\" FINISH_TIME=\"109000\" HOSTNAME=\"/r/s0\" ."
	} >"$T/$job"
	"$O/limpet" flow "$T/$job" 2>/dev/null | tr -s ' \n' ' ' | grep -o 'shuffles ([^)]*)'
done >"$T/out"
check_eq "$(tr '\n' ,  <"$T/out")" \
	"shuffles (clienttrace lines of TaskTrackers' logs),shuffles (syslog.shuffle of reduces, in userlogs)," "logs" && ok

case_begin "a log without attempts, a job and a server that are not there are said"
printf 'Meta VERSION="1" .\nJob JOBID="job_1_1" SUBMIT_TIME="1" .\n' >"$T/empty"
"$L" flow "$T/empty" >"$T/out" 2>"$T/err"
check_eq "$?" 1 "status" && check_eq "$(grep -c 'no map, reduce or task' "$T/err")" 1 "message" || exit
"$L" flow --job nothing "$T/empty" >"$T/out" 2>"$T/err"
check_eq "$?" 1 "status" && check_eq "$(grep -c "'nothing' is no job" "$T/err")" 1 "message" && ok

# history MAPS REDUCES: a job's, on four servers, s3 slow
history() {
	awk -v maps="$1" -v reduces="$2" 'function line(kind, i, end, more) {
		printf "%sAttempt TASK_TYPE=\"%s\" TASKID=\"task_1_1_%s_%06d\" TASK_ATTEMPT_ID=\"attempt_1_1_%s_%06d_0\"" \
			" TASK_STATUS=\"SUCCESS\" START_TIME=\"%.0f\" FINISH_TIME=\"%.0f\" HOSTNAME=\"/r/s%d\"%s .\n",
			kind, toupper(kind), tolower(substr(kind, 1, 1)), i, tolower(substr(kind, 1, 1)), i,
			start, end, i % 4, more
	}
	BEGIN {
		print "Meta VERSION=\"1\" ."
		print "Job JOBID=\"job_1_1\" SUBMIT_TIME=\"1700000000000\" ."
		for (i = 0; i < maps; i++) {
			start = 1700000001000 + 10 * i
			line("Map", i, last = start + (i % 4 == 3 ? 900 : 300) + i % 17)
		}
		for (i = 0; i < reduces; i++) {
			start = 1700000002000
			line("Reduce", i, last + 4000 + i, sprintf(" SHUFFLE_FINISHED=\"%.0f\" SORT_FINISHED=\"%.0f\"", last + 1000 + i, last + 1500 + i))
		}
		printf "Job JOBID=\"job_1_1\" FINISH_TIME=\"%.0f\" JOB_STATUS=\"SUCCESS\" .\n", last + 5000 + reduces
	}'
}

case_begin "pictures are well-formed, without scripts, and tell each bar: of 10 states and of 20,000"
history 8 2 >"$T/few"
history 18000 2000 >"$T/many"
for log in few many; do
	for lines in server start together; do
		"$L" flow --svg swimlanes --lines $lines "$T/$log" >"$T/$log-$lines.svg" || fail "$log $lines"
	done
	for picture in miros rep area; do
		"$L" flow --svg $picture "$T/$log" >"$T/$log-$picture.svg" || fail "$log $picture"
	done
done
python3 - "$T" >"$T/said" 2>&1 <<'PYTHON' || fail "$(cat "$T/said")"
import glob, sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
files = glob.glob(sys.argv[1] + "/*.svg")
assert len(files) == 12, files
for name in files:
    bars = titled = 0

    def walk(e, told):
        global bars, titled
        told = told or e.find(SVG + "title") is not None and e.tag != SVG + "svg"
        assert e.tag != SVG + "script" and not any(a.startswith("on") for a in e.attrib), name
        if e.tag in (SVG + "rect", SVG + "path") and e.get("class", "") not in ("", "paper") and "title" != e.tag:
            bars += 1
            titled += bool(told)
        for c in e:
            walk(c, told)

    root = tree.parse(name).getroot()
    walk(root, False)
    keys = sum(1 for e in root.iter(SVG + "rect") if e.get("width") == "9")
    assert bars - keys == titled, (name, bars, keys, titled)
    # a browser is slow with more than 5,000 bars; some are strips of density
    assert bars < 12000, (name, bars)
    if name.endswith("few-server.svg"):
        assert titled == 8 + 2 * 3, titled
PYTHON
ok

case_begin "a picture of one server, from one time to another"
"$L" flow --svg swimlanes -n s1 --from 2023-11-14T22:13:21 --to 2023-11-14T22:13:22 "$T/few" >"$T/part.svg" &&
	check_eq "$(grep -c '<title>map of .* on s1' "$T/part.svg")" 2 "maps of s1" &&
	check_eq "$(grep -c ' on s[023]' "$T/part.svg")" 0 "others" || exit
"$L" flow --svg area --from 2024-01-01 "$T/few" >/dev/null 2>"$T/err"
check_eq "$?" 1 "status of a time without states" || exit
"$L" flow --svg pie "$T/few" >/dev/null 2>"$T/err"
check_eq "$?" 2 "status of a picture that is none" && ok

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

	case_begin "history and clienttrace of one job: every path from a block read to one written"
	"$L" flow --json --zone -07:00 "$D/hadoop-history/JobHistory.log" \
		"$D/hadoop-history/ClientTrace.log" 2>/dev/null >"$T/trace"
	# 10 reads, maps and outputs, 80 shuffles, 8 reduces of three vertices, 8 writes
	check_eq "$(jq -c '[.graph.vertices, .graph.edges, .graph.guessed, (.graph.paths | round), .missing]' "$T/trace")" \
		'[142,204,0,80,[]]' "vertices, edges, guessed ones, paths, what is missing" && ok

	case_begin "Sort with all its logs: what names no reduce is told by where it went"
	"$L" flow --json --job job_202611221921_0003 "$D/hadoop-1.2.1" 2>/dev/null >"$T/sort"
	check_eq "$(jq -c '[.graph.vertices, .graph.edges, .graph.guessed, (.graph.paths | round), .missing]' "$T/sort")" \
		'[760,1110,0,14400,[]]' "vertices, edges, guessed ones, paths, what is missing" && ok

	case_begin "Spark: stages that wait for each other, paths by way of what a stage wrote"
	"$L" flow --json "$D/spark-events/eventlog_v2_local-1623876083964" 2>/dev/null >"$T/spark"
	check_eq "$(jq -c '[.attempts, .graph.vertices, .graph.edges, (.graph.paths | round)]' "$T/spark")" \
		'[2801,2804,3201,520000]' "attempts, vertices, edges, paths" &&
		check_eq "$(jq '([.path[].seconds] | add) - .seconds | fabs < 1e-6' "$T/spark")" true \
			"segments add up" && ok

	case_begin "without a source of shuffles there is a path of each map to each reduce"
	check_eq "$(jq -r '.graph.paths | round' "$T/json")" 400 "40 maps to 10 reduces" && ok
fi
