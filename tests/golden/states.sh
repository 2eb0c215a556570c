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

# What the NodeManager of oss-s3 and a job's master say of one container, which is a process of a recording; REST follows its
# number.
containers() { # REST
	mkdir -p "$T/containers/logs"
	cp tests/data/disk-hog/series/* "$T/containers/"
	cat >"$T/containers/logs/hadoop-nodemanager-oss-s3.log" <<-END
		2026-11-21 19:27:00,000 INFO org.apache.hadoop.yarn.server.nodemanager.NodeManager: STARTUP_MSG:   host = oss-s3/10.77.0.3
		2026-11-21 19:27:06,500 INFO ContainerImpl: Container container_1_0001_01_000002 transitioned from SCHEDULED to RUNNING
		2026-11-21 19:27:10,000 INFO ContainersMonitorImpl: $1 94.5 MB of 256 MB physical memory used; 2.4 GB of 537.6 MB virtual memory used
		2026-11-21 19:27:13,000 INFO ContainersMonitorImpl: $1 80 MB of 256 MB physical memory used; 2.4 GB of 537.6 MB virtual memory used$2
		2026-11-21 19:27:50,250 INFO ContainerImpl: Container container_1_0001_01_000002 transitioned from RUNNING to EXITED_WITH_SUCCESS
	END
	cat >"$T/containers/logs/master.log" <<-END
		2026-11-21 19:27:06,000 INFO org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl: TaskAttempt: [attempt_1_0001_m_000000_0] using containerId: [container_1_0001_01_000002 on NM: [oss-s3:4000]
		2026-11-21 19:27:08,000 INFO TaskAttemptImpl: attempt_1_0001_m_000000_0 TaskAttempt Transitioned from ASSIGNED to RUNNING
		2026-11-21 19:27:40,750 INFO TaskAttemptImpl: attempt_1_0001_m_000000_0 TaskAttempt Transitioned from RUNNING to SUCCEEDED
	END
	"$L" states --json "$T/containers" 2>"$T/err" | jq -r '"\(.state) \(.container // .id) \(.pid) \(.memory_mib) \(.cpu_s)"'
}

case_begin "a container's processor time is its process's, as the probe of its server saw it; and so is its task's"
containers "Memory usage of ProcessTree 22069 for container-id container_1_0001_01_000002:" "" >"$T/out"
"$L" show --json -f process -n oss-s3 tests/data/disk-hog/series | jq -sr '
	def within($from; $to): map(select(.instance == "fio:22069") |
		(.time | fromdate) as $t |
		(([$t, $to] | min) - ([$t - 1, $from] | max)) as $part |
		select($part > 0) | .["%CPU"] / 100 * $part) | add;
	(("2026-11-21T19:27:06Z" | fromdate) + 0.5) as $a |
	within($a; $a + 43.75), within($a + 1.5; $a + 34.25)' >"$T/sums"
awk 'FNR == NR { sum[FNR] = $1; next } { at = $1 == "run" ? 1 : 2
	print $1, $2, $3, $4, (($5 - sum[at]) ^ 2 < (0.002 * sum[at]) ^ 2 ? "right" : $5 " beside " sum[at]) }' "$T/sums" "$T/out" >"$T/both"
check_eq "$(cat "$T/both")" "run container_1_0001_01_000002 22069 94.5 right
map container_1_0001_01_000002 22069 94.5 right" "states" && ok

case_begin "what is known of one task is said in words"
check_eq "$("$L" states --id attempt_1_0001_m_000000_0 "$T/containers" 2>"$T/err" | sed -n 2,5p | cut -c 1-46)" \
	"  out:   attempt_1_0001_m_000000_0
  took:  0.02 s of processor time
  held:  94.5 MiB of memory
  was:   process 22069 of container_1_0001_01_" "lines" && ok

case_begin "of a second that is in two files of a server the first one's processes count"
cp "$T/containers/oss-s3-20261121.limpet" "$T/containers/oss-s3-20261122.limpet"
"$L" states --json "$T/containers" 2>"$T/err" | jq -r '"\(.state) \(.container // .id) \(.pid) \(.memory_mib) \(.cpu_s)"' >"$T/twice"
rm "$T/containers/oss-s3-20261122.limpet"
grep -q "first one's counts" "$T/err" && check_eq "$(cat "$T/twice")" "$(cat "$T/out")" "states" && ok

case_begin "memory that is no number of a server's is none, and never more than JSON takes"
for size in inf 1e300 nan 0x10 -5; do
	containers "Memory usage of ProcessTree 4242 for container-id container_1_0001_01_000002: $size MB of" "" >"$T/odd"
	check_eq "$(grep -c . "$T/odd")" 2 "lines of JSON with $size" || exit
	cut -d ' ' -f 4 "$T/odd"
done >"$T/sizes"
check_eq "$(sort -u "$T/sizes" | tr '\n' ' ')" "16 null " "memory" && ok

case_begin "where the log says what it took, that counts"
containers "Resource usage of ProcessTree 22069 for container-id container_1_0001_01_000002:" " %CPU: 23.5 Cumulative-CPU-ms: 1230" >"$T/out"
check_eq "$(cat "$T/out")" "run container_1_0001_01_000002 22069 94.5 1.23
map container_1_0001_01_000002 22069 94.5 1.23" "states" && ok

case_begin "a container whose process nobody saw has no processor time"
containers "Memory usage of ProcessTree 4242 for container-id container_1_0001_01_000002:" "" >"$T/out"
check_eq "$(cat "$T/out")" "run container_1_0001_01_000002 4242 94.5 null
map container_1_0001_01_000002 4242 94.5 null" "states" && ok

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

	case_begin "clienttrace of the same job: its reads, writes and shuffles, in nanoseconds"
	counts "$D/hadoop-history/ClientTrace.log" >"$T/counts"
	check_eq "$(tr '\n' ',' <"$T/counts")" "read 10,shuffle 80,write 8," "states by kind" &&
		"$L" states --csv "$D/hadoop-history/ClientTrace.log" >"$T/out" 2>/dev/null &&
		check_eq "$(awk -F, '$3 == "write" && $4 > 0.9 && $4 < 1.3' "$T/out" | grep -c .)" 8 "writes of about a second" &&
		ok

	case_begin "logs of daemons beside the history give no task twice, in whatever order"
	"$L" states --csv "$D/hadoop-1.2.1" 2>/dev/null | cut -d, -f2-16 | sort >"$T/all"
	"$L" states --csv "$D"/hadoop-1.2.1/slaves "$D"/hadoop-1.2.1/history 2>/dev/null | cut -d, -f2-16 | sort >"$T/slaves-first"
	counts "$D"/hadoop-1.2.1/history/* >"$T/history"
	awk -F, '{ n[$2]++ } END { for (s in n) print s, n[s] }' "$T/all" | sort | grep -xFf "$T/history" >"$T/tasks"
	check_eq "$(cksum <"$T/slaves-first")" "$(cksum <"$T/all")" "states" &&
		check_eq "$(cat "$T/tasks")" "$(cat "$T/history")" "tasks" && ok

	case_begin "nothing is open where all jobs came to their end"
	check_eq "$("$L" states --csv "$D/hadoop-1.2.1" 2>/dev/null | cut -d, -f11 | grep -c open)" 0 "open states" && ok

	case_begin "a zone that is not said is noticed beside the history"
	"$L" states --zone +07:00 "$D/hadoop-1.2.1" >"$T/out" 2>"$T/err"
	check_eq "$(grep -c 'zone s[1-5]=+00:00' "$T/err")" 5 "remarks" && ok

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

# daemon WORD HOST: a log of text lines that come on standard input, a second and three milliseconds apart
daemon() {
	echo "STARTUP_MSG:   host = $2/10.0.0.9"
	awk -v class="$1" '{ printf "2026-11-22 19:22:%02d,%03d INFO %s: %s\n", NR, 3 * NR, class, $0 }'
}
table() { # LOG: state, peer, seconds, bytes, class, outcome and progress of each
	"$L" states --csv "$1" 2>"$T/err" | sed 1d | sort -t , -k 3,3 -k 1,1 | awk -F, '{ print $2, $3, $7, $4, $5, $10, $11, $12 }'
}

case_begin "a TaskTracker of 0.18, one of 1.x, and a hang that is open with its progress"
daemon mapred.TaskTracker t9 <<EOF >"$T/tt"
LaunchTaskAction: task_200812041205_0001_m_000003_0
Task task_200812041205_0001_m_000003_0 is done.
JVM with ID: jvm_1_0001_m_-7 given task: attempt_200812041205_0002_m_000004_0
attempt_200812041205_0002_m_000004_0 0.25% hdfs://n/part:0+5
Task attempt_200812041205_0002_m_000005_0 is done.
EOF
check_eq "$(table "$T/tt")" "t9 map  1.003   ok 
t9 map     open 0.25" "states ($(cat "$T/err"))" && grep -q '^1 states end without a begin' "$T/err" && ok

case_begin "DataNodes: writes by their two lines in every version, reads and shuffles by clienttrace"
{
	daemon org.apache.hadoop.hdfs.server.datanode.DataNode d9 <<EOF
Receiving block blk_1_1001 src: /10.0.0.1:1 dest: /10.0.0.9:50010
Received block blk_1_1001 of size 77 from /10.0.0.1
Receiving blk_2_1001 src: /10.0.0.9:2 dest: /10.0.0.9:50010
Received blk_2_1001 src: /10.0.0.9:2 dest: /10.0.0.9:50010 size 78
Receiving BP-1-10.0.0.1-5:blk_3_1001 src: /10.0.0.1:3 dest: /10.0.0.9:50010
Received BP-1-10.0.0.1-5:blk_3_1001 size 79 from /10.0.0.1
Receiving block blk_4_1001 src: /10.0.0.1:4 dest: /10.0.0.9:50010
writeBlock blk_4_1001 received exception java.io.IOException
EOF
	daemon org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace d9 <<EOF
src: /10.0.0.9:50010, dest: /10.0.0.2:3, bytes: 5, op: HDFS_READ, cliID: DFSClient_attempt_1_0002_m_000004_0_-5_1, offset: 0, srvID: x, blockid: BP-1:blk_5_1, duration(ns): 500000000
src: 10.0.0.9:50060, dest: 10.0.0.2:4, maps: 3, op: MAPRED_SHUFFLE, reduceID: attempt_1_0002_r_000001_0, duration: 250
EOF
	daemon org.apache.hadoop.hdfs.server.datanode.BlockReceiver d9 <<EOF
Slow BlockReceiver write packet to mirror took 812ms (threshold=300ms), downstream DNs=[10.0.0.3:9866, 10.0.0.4:9866], blockId=1
Slow BlockReceiver write data to disk cost:401ms (threshold=300ms), volume=file:/data/1, blockId=1
EOF
} >"$T/dn"
check_eq "$(table "$T/dn")" "d9 disk-slow  0.401   ok 
d9 mirror-slow 10.0.0.3 0.812   ok 
d9 read 10.0.0.2 0.5 5 remote ok 
d9 shuffle 10.0.0.2 0.25   ok 
d9 write 10.0.0.1 1.003  remote failed 
d9 write-replicated 10.0.0.1 1.003 77 remote ok 
d9 write-replicated d9 1.003 78 local ok 
d9 write-replicated 10.0.0.1 1.003 79 remote ok " "states ($(cat "$T/err"))" && ok

case_begin "a task's own log: merges, copies, and sessions of MR2 charged to the server that sends"
{
	daemon org.apache.hadoop.mapred.ReduceTask r9 <<EOF
attempt_1_0002_r_000001_0 Scheduled 1 outputs (0 slow hosts and0 dup hosts)
Shuffling 30 bytes (34 raw bytes) into RAM from attempt_1_0002_m_000002_0
Read 30 bytes from map-output for attempt_1_0002_m_000002_0
Initiating in-memory merge with 2 segments...
attempt_1_0002_r_000001_0 Merge of the 2 files in-memory complete. Local file is x
EOF
	daemon "[fetcher#1] org.apache.hadoop.mapreduce.task.reduce.Fetcher" r9 <<EOF
fetcher#1 about to shuffle output of map attempt_1_0002_m_000003_0 decomp: 7 len: 11 to MEMORY
EOF
	daemon "[fetcher#1] org.apache.hadoop.mapreduce.task.reduce.ShuffleSchedulerImpl" r9 <<EOF
s3:13562 freed by fetcher#1 in 45ms
EOF
} >"$T/task"
check_eq "$(table "$T/task")" "r9 copy  1.003 30  ok 
r9 merge  1.003   ok 
s3 shuffle r9 0.045 11  ok " "states ($(cat "$T/err"))" && ok

case_begin "an address becomes the host that --hosts says"
echo "10.0.0.2 s2" >"$T/hosts" && "$L" states --csv --hosts "$T/hosts" "$T/dn" >"$T/out" 2>/dev/null
check_eq "$(awk -F, '$3 == "read" { print $7 }' "$T/out")" s2 "peer" && ok

case_begin "a log that is cut off, compressed, or holds one endless line is read as far as it goes"
head -c 700 "$T/dn" >"$T/cut" && "$L" states --csv "$T/cut" >"$T/out" 2>"$T/cut.err"
gzip -c "$T/dn" | head -c 600 >"$T/cut.gz" && "$L" states --csv "$T/cut.gz" >"$T/gz" 2>"$T/gz.err"
{ head -n 3 "$T/dn"; head -c 40000000 /dev/zero | tr '\0' x; echo; tail -n +4 "$T/dn"; } >"$T/long"
table "$T/long" >"$T/long.out"
check_eq "$(grep -c . "$T/long.out")" 8 "states around an endless line" &&
	if grep -q 'cut off' "$T/gz.err" && grep -q 'too long' "$T/err" && grep -q write "$T/out"
	then ok; else fail "$(cat "$T/gz.err" "$T/err")"; fi
