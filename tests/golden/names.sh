#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Servers that logs of jobs call by a name here and by an address there are one each, as if --hosts had said so.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
D=${LIMPET_TEST_DATA:-}

# history HOST…: a job's, with the map of each number on the server of that number. sends FROM TO MAP: what a DataNode says.
history() {
	echo 'Meta VERSION="1" .'
	for host; do
		printf 'MapAttempt TASK_TYPE="MAP" TASKID="t%s" TASK_ATTEMPT_ID="attempt_1_0001_m_00000%s_0" START_TIME="1700000000000" ' "$host" "${host#s}"
		printf 'TRACKER_NAME="tracker_%s:x" FINISH_TIME="1700000005000" TASK_STATUS="SUCCESS" HOSTNAME="%s" .\n' "$host" "$host"
	done
}
sends() {
	printf '2023-11-14 22:13:21,000 INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: src: /%s:50010, dest: /%s:4711, ' "$1" "$2"
	printf 'bytes: 5, op: HDFS_READ, cliID: DFSClient_attempt_1_0001_m_00000%s_0_7_1, offset: 0, srvID: x, blockid: blk_%s, duration: 9\n' "$3" "$3"
}
mkdir "$T/open" "$T/both" "$T/file"
history s1 s2 s3 | tee "$T/open/history" >"$T/both/history"
sends 10.0.0.1 10.0.0.2 2 >"$T/open/datanode"
sends 10.0.0.9 10.0.0.9 1 >"$T/both/datanode"
for host in s1 s2 s3; do
	{ echo "STARTUP_MSG:   host = $host/10.0.0.9"; sends 10.0.0.8 10.0.0.8 1; } >"$T/both/$host"
done
for i in 1 2; do sends 10.0.0.$i 10.0.0.$i $i >"$T/file/hadoop-hdfs-datanode-10.0.0.$i.log"; done

case_begin "an address without a name, and one of three servers, are said; --hosts counts more than logs"
for how in diagnose states; do
	for f in open both; do
		"$L" $how "$T/$f" 2>&1 | tr -s '\n ' ' ' |
			grep -o '10.0.0.1 has no sure name.* one\|taken for none of them.*whose they are'
	done
done >"$T/said"
for how in diagnose states; do
	echo "10.0.0.1 has no sure name in what was read: --hosts FILE gives it one"
	echo "taken for none of them: 10.0.0.9 (s1, s2, s3), 10.0.0.8 (s1, s2, s3): --hosts FILE says whose they are"
done >"$T/want"
printf '10.0.0.8 s8\n10.0.0.9 s2\n' >"$T/hosts"
"$L" states --csv --hosts "$T/hosts" "$T/both" 2>"$T/err" | awk -F, '$3 == "read" { print $2 }' | sort -u >"$T/out"
check_eq "$(cat "$T/said")" "$(cat "$T/want")" "lines" && check_eq "$(tail -n 1 "$T/out")" s3 "server by --hosts" &&
	check_eq "$(grep -c 'none of them' "$T/err")" 0 "remarks" && ok

case_begin "two logs whose files are called after addresses are of two servers"
"$L" states --csv "$T/file" 2>/dev/null | awk -F, '$3 == "read" { print $2 }' | sort >"$T/out"
check_eq "$(cat "$T/out")" "10.0.0.1
10.0.0.2" servers && ok

if [ -z "$D" ]; then
	case_begin "real logs without --hosts"
	skip "needs public data (LIMPET_TEST_DATA)"
	exit
fi
for i in 1 2 3 4 5 6 7; do echo "10.78.0.$i s$i"; done >"$T/hosts"

# says COMMAND OPTION…: without the ids of transfers, which have the address as it was logged
says() {
	# shellcheck disable=SC2086 # words
	"$L" "$@" --zone $zone "$D/engines-2/$run" 2>&1 | sed 's/,blk_[^,]*@[^,]*,/,,/'
}
for run in h1-02 h1-03 h1-09 h3-02 h3-07; do
	case $run in h3*) zone=+05:30 ;; *) zone=+00:00 ;; esac
	case_begin "$run: diagnose, watch, states and flow say without --hosts what they say with it"
	for how in "diagnose --explain" "watch --once" "states --csv" flow; do
		# shellcheck disable=SC2086
		says $how >"$T/without"
		# shellcheck disable=SC2086
		says $how --hosts "$T/hosts" >"$T/with"
		[ -s "$T/with" ] && cmp -s "$T/without" "$T/with" || { fail "$how: $(diff "$T/without" "$T/with" | head -n 5)" && break; }
	done
	ok
done
