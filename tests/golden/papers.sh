#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The papers' methods on logs of jobs, end to end: salsa and autodiagn on logs that are made here, and on those of
# real clusters.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
D=${LIMPET_TEST_DATA:-}

# history SLOW TIMES N: a job of five servers with N maps each; those of server SLOW take so many times as long.
history() {
	awk -v slow="$1" -v times="$2" -v n="$3" 'BEGIN {
		print "Meta VERSION=\"1\" ."
		print "Job JOBID=\"job_201_0001\" JOBNAME=\"made\" USER=\"u\" SUBMIT_TIME=\"1700000000000\" ."
		for (s = 1; s <= 5; s++)
			for (i = 0; i < n; i++) {
				k = sprintf("201_0001_m_%06d", s * 1000 + i)
				start = 1700000000000 + 12000 * i
				ms = 8000 + (s * 7919 + i * 104729) % 3001
				if (s == slow)
					ms *= times
				printf "MapAttempt TASK_TYPE=\"MAP\" TASKID=\"task_%s\" TASK_ATTEMPT_ID=\"attempt_%s_0\" START_TIME=\"%.0f\" TRACKER_NAME=\"tracker_s%d:localhost/127.0.0.1:1\" HTTP_PORT=\"1\" .\n", k, k, start, s
				printf "MapAttempt TASK_TYPE=\"MAP\" TASKID=\"task_%s\" TASK_ATTEMPT_ID=\"attempt_%s_0\" TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"%.0f\" HOSTNAME=\"/r/s%d\" STATE_STRING=\"\" COUNTERS=\"\" .\n", k, k, start + ms, s
			}
	}'
}

# verdict WORD SERVERS COMMAND…: of a command that prints JSON.
verdict() {
	want=$1 servers=$2
	shift 2
	"$@" >"$T/v.json" 2>"$T/err"
	got=$(jq -r '.verdict + " " + ([.incidents[].server] | sort | join(","))' "$T/v.json" 2>>"$T/err")
	check_eq "$got" "$want $servers" "$* ($(cat "$T/err"))"
}

case_begin "salsa names the slow server and the state"
history 3 2.5 20 >"$T/slow.log"
verdict indicted s3 "$L" diagnose --method salsa --json "$T/slow.log" &&
	check_eq "$(jq -r '.incidents[0] | .text, .findings[0].signal' "$T/v.json" | tr '\n' ' ')" \
		"s3 limps: slow: map duration map " "headline and state" && ok

case_begin "… also online, from the pool, and in windows"
for how in --online --pooled "--window 240"; do
	# shellcheck disable=SC2086
	verdict indicted s3 "$L" diagnose --method salsa --json $how "$T/slow.log" || break
done && ok

case_begin "salsa names nobody among equals"
history 0 1 20 >"$T/well.log"
verdict clean "" "$L" diagnose --method salsa --json "$T/well.log" &&
	verdict clean "" "$L" diagnose --method salsa --json --online "$T/well.log" && ok

case_begin "salsa says that there are too few states, and with --min looks at them"
history 3 2.5 6 >"$T/few.log"
verdict cannot-judge "" "$L" diagnose --method salsa --json "$T/few.log" && verdict indicted s3 \
	"$L" diagnose --method salsa --min 5 --json "$T/few.log" && ok

case_begin "what a method does not heed is refused"
for wrong in "--method kl --min 5" "--method salsa --hardware /dev/null" "--method autodiagn --online" \
	"--method salsa,autodiagn" "--method salsa --min 1" "--method salsa --threshold 0.84"; do
	# shellcheck disable=SC2086
	"$L" diagnose $wrong "$T/slow.log" >"$T/out" 2>"$T/err"
	check_eq $? 2 "exit status with $wrong ($(cat "$T/err"))" || break
done && ok

# master SLOW: the log of a YARN job's master: five servers, a map of 40 s each; that of server SLOW takes four times as
# long, and the attempt of a sixth task was begun again.
master() {
	awk -v slow="$1" '
	function line(t, text) {
		lines[++n] = sprintf("%09d 2023-11-14 22:%02d:%02d,%03d INFO [AsyncDispatcher event handler] org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl: %s",
			t * 1000, 13 + t / 60, t % 60, 0, text)
	}
	function map(k, a, s, from, to, last, id, t) {
		id = sprintf("attempt_1700000000000_0001_m_%06d_%d", k, a)
		line(from, "TaskAttempt: [" id "] using containerId: [container_1700000000000_0001_01_" k " on NM: [s" s ":45454]")
		line(from, id " TaskAttempt Transitioned from ASSIGNED to RUNNING")
		for (t = from + 2; t < to; t += 3)
			line(t, "Progress of TaskAttempt " id " is : " (t - from) / (to - from))
		line(to, id " TaskAttempt Transitioned from RUNNING to " last)
	}
	BEGIN {
		for (s = 1; s <= 5; s++)
			map(s, 0, s, 1, 1 + 40 * (s == slow ? 4 : 1), "SUCCEEDED")
		map(6, 0, 1, 1, 20, "KILLED")
		map(6, 1, 2, 21, 61, "SUCCEEDED")
		for (i = 1; i <= n; i++)
			print lines[i]
	}' | sort | cut -d " " -f 2-
}

case_begin "autodiagn names the task that stays behind, and judges no server"
master 4 >"$T/master.log"
"$L" diagnose --method autodiagn --json "$T/master.log" >"$T/v.json" 2>"$T/err"
check_eq "$(jq -c '[.verdict, .incidents, [.stragglers[] | .task, .server], (.jobs[0] | .looked_at, .stragglers)]' "$T/v.json")" \
	'["cannot-judge",[],["attempt_1700000000000_0001_m_000004_0","s4"],7,1]' "what it says ($(cat "$T/err"))" && ok

case_begin "… and with --hardware that its server is the least"
printf 's1 4 16G\ns2 4 16G\ns3 4 16G\ns4 2 16G\ns5 4 16G\n' >"$T/hardware"
"$L" diagnose --method autodiagn --hardware "$T/hardware" --json "$T/master.log" >"$T/v.json" 2>"$T/err"
check_eq "$(jq -c '[.stragglers[0].causes, .jobs[0].causes]' "$T/v.json")" \
	'[["resource-heterogeneity"],{"data-locality":null,"resource-heterogeneity":{"stragglers":1,"tasks":1},"network-failure":{"stragglers":0,"tasks":1}}]' \
	"causes ($(cat "$T/err"))" && ok

case_begin "autodiagn says what is missing where no log has progress"
"$L" diagnose --method autodiagn "$T/slow.log" >"$T/out" 2>"$T/err"
check_eq $? 4 "exit status" && grep -q "no log says how far a task was" "$T/err" && ok

[ -n "$D" ] || exit 0

history_of() { ls "$D"/hadoop-1.2.1/history/job_*_"$1"_*; }

case_begin "Hadoop 1.2.1: salsa with five instances names s3 in job 0003, and nobody in 0001 and 0002"
verdict indicted s3 "$L" diagnose --method salsa --min 5 --json "$(history_of 0003)" &&
	verdict clean "" "$L" diagnose --method salsa --min 5 --json "$(history_of 0002)" &&
	verdict cannot-judge "" "$L" diagnose --method salsa --min 5 --json "$(history_of 0001)" && ok

case_begin "… with two, as the papers, it names well servers in all three"
verdict indicted s3 "$L" diagnose --method salsa --min 2 --json "$(history_of 0001)" &&
	verdict indicted s2 "$L" diagnose --method salsa --min 2 --json "$(history_of 0002)" &&
	verdict indicted s1,s2,s3,s4,s5 "$L" diagnose --method salsa --min 2 --json "$(history_of 0003)" && ok
