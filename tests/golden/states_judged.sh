#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# limpet diagnose and report on logs of real jobs: the server that was short of processor, and nobody else.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
D=${LIMPET_TEST_DATA:-}
[ -n "$D" ] || all_skip "LIMPET_TEST_DATA is not set"
H=$D/hadoop-1.2.1/history

# said LOG…: the verdict in a word, and who is indicted
said() {
	"$L" diagnose --json "$@" 2>/dev/null | jq -r '.verdict, (.incidents[] | select(.suspicious | not) | .server, .cause)' |
		tr '\n' ' '
}

case_begin "one history: the job in which s3 had less of its processor names it, and its maps"
check_eq "$(said "$H"/job_*_0003_*)" "indicted s3 slow " "verdict" &&
	check_eq "$("$L" diagnose "$H"/job_*_0003_* | head -n 1)" \
		"s3 limps: slow: map duration 4.0 times that of its peers', in job_202611221921_0003, which" \
		"first line" && ok

case_begin "one history of a healthy job names nobody, and proves little; one of few tasks, all of them alike, is clean"
check_eq "$(said "$H"/job_*_0002_*)" "unproven " "verdict on job 2" &&
	check_eq "$(said "$H"/job_*_0001_*)" "clean " "verdict on job 1" && ok

case_begin "three jobs at once, of which one was hit, name it too"
check_eq "$(said "$H")" "indicted s3 slow " "verdict" && ok

case_begin "the report has the servers over time, and how the maps of s3 are distributed"
"$L" report -o "$T/page" "$H"/job_*_0003_* 2>"$T/err"
check_eq "$?" 0 "status ($(cat "$T/err"))" &&
	check_eq "$(grep -c 'map duration: distribution' "$T/page")" 1 "distributions" &&
	check_eq "$(grep -c 'class="heat"' "$T/page")" 1 "heat maps" &&
	check_eq "$(grep -c 'map duration over time' "$T/page")" 1 "charts over time" && ok

case_begin "an executor that was granted just before its driver's log ends is waited for no longer, whatever other logs go on"
mkdir "$T/cut"
{
	echo "26/11/22 22:00:00 INFO SparkContext: Running Spark version 3.5.1"
	for i in 0 1 2 3 4 5; do
		echo "26/11/22 22:00:01 INFO StandaloneSchedulerBackend: Granted executor ID app-1/$i on hostPort s$i:7078 with 1 core(s), 512.0 MiB RAM"
		echo "26/11/22 22:00:10 INFO DriverEndpoint: Registered executor NettyRpcEndpointRef(spark-client://Executor) (10.78.0.1:3) with ID $i, 0"
	done
	echo "26/11/22 23:00:00 INFO StandaloneSchedulerBackend: Granted executor ID app-1/6 on hostPort s3:7078 with 1 core(s), 512.0 MiB RAM"
	echo "26/11/22 23:00:01 INFO TaskSetManager: Finished task 1.0 in stage 1"
} >"$T/cut/driver.log"
for i in 1 2 3; do
	for m in 05 15 25 35; do
		echo "2026-11-22 23:$m:00,000 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving block blk_$i$m src: /10.0.0.$i:4000 dest: /10.0.0.$i:50010"
	done >"$T/cut/hadoop-x-datanode-s$i.log"
done
check_eq "$("$L" diagnose --json "$T/cut" 2>/dev/null | jq '.incidents | length')" 0 "incidents" && ok

# Runs of one fault each, which their event logs and histories alone tell by little: four slow tasks; one executor that is lost, and
# one that does not register while the others' nine seconds pass six times, are no more than suspicious.
E=$D/engines-2
faulty() { # RUN VERDICT SERVER CAUSE
	check_eq "$("$L" diagnose --json "$E/$1" 2>/dev/null | jq -r '[.verdict, (.incidents[] | .server, .cause)] | join(" ")')" \
		"$2 $3 $4" "verdict on $1"
}
if [ -d "$E" ]; then
	case_begin "few states name a server where they are odd enough, one does not, and healthy runs name nobody"
	faulty sp-12 indicted s3 slow && faulty sp-13 suspicious s4 hung && faulty sp-05 suspicious s4 hung &&
		for run in h1-02 h1-09 h3-02 sp-02; do
			check_eq "$("$L" diagnose --json "$E/$run" 2>/dev/null | jq '.incidents | length')" 0 "incidents of $run" || break
		done && ok

	case_begin "a server whose executor never registered is listed, from the driver's log alone"
	check_eq "$("$L" diagnose "$E/sp-05/m/driver.log.gz" 2>/dev/null | head -n 1)" \
		"no server is indicted: 1 is suspicious, 6 could not be judged" "first line" &&
		check_eq "$("$L" diagnose "$E/sp-05/m/driver.log.gz" 2>/dev/null | grep -c "^not judged: s1, s2, s3, s5, s6, s7 (")" 1 \
			"the others" && ok
else
	skip "no public data (LIMPET_TEST_DATA has no engines-2)"
fi
