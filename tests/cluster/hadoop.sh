#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The cluster in a box with an engine: Hadoop 1.2.1 comes up under the names it is given, its jobs leave logs
# that limpet reads, each fault is what it is said to be, on one slave, and nothing is left behind.
# long: minutes of a cluster's life
# alone: there is one testbed, and how far its jobs get depends on the machine
# shellcheck disable=SC2034 # lib.sh uses variables of ours
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$(id -u)" = 0 ] || all_skip "needs root (sudo make check-all)"
for program in java mvn; do
	command -v $program >/dev/null || all_skip "no $program (tools/deps hadoop1 installs it)"
done
tools/testbed status >/dev/null 2>&1
[ $? = 3 ] || all_skip "a testbed is up already; 'tools/testbed down' first"
# Once more if it fails: what is far away may be out of reach for a while.
tools/testbed --engine hadoop1 fetch >"$T/log" 2>&1 || tools/testbed --engine hadoop1 fetch >"$T/log" 2>&1 ||
	all_skip "Hadoop cannot be fetched: $(tail -n 3 "$T/log" | tr '\n' ' ')"
at_exit 'tools/testbed down >/dev/null 2>&1'
bed=${LIMPET_TESTBED:-/var/tmp/limpet-testbed}
inventory() {
	ip netns list | grep -c '^lt-'
	losetup -n -O BACK-FILE -l | grep -c "limpet-testbed"
	grep -c "$bed\|limpet-testbed" /proc/mounts
	find /sys/fs/cgroup -maxdepth 3 -name 'limpet-testbed*' | wc -l
	pgrep -c -f -- "-Dhadoop.log.dir=$bed/"
}
before=$(inventory)
bed() { tools/testbed "$@" >>"$T/log" 2>&1 || fail "$(tail -n 3 "$T/log")"; }

case_begin "Hadoop comes up, its slaves under other names"
# No task and no slave is given up because the machine is busy.
HOSTS='opal onyx ruby jade agate' N=5 C=1 PING_S=600 bed --engine hadoop1 up
tools/testbed status >"$T/status" 2>&1
check_eq "$(awk '/^s[0-9]/ { printf "%s ", $4 }' "$T/status")" "opal onyx ruby jade agate " "host names" && ok

case_begin "a job runs to its end on all slaves, and limpet reads its states from history and logs"
bed load count
bed load drain 900
bed collect "$T/logs"
"$O/limpet" states --csv --state map "$T/logs/history" >"$T/states" 2>"$T/err"
check_eq "$(cat "$T"/logs/history/* | grep -c 'FINISH_TIME=.* JOB_STATUS="SUCCESS"')" 1 "jobs" &&
	check_eq "$(sed 1d "$T/states" | wc -l)" 24 "maps" &&
	check_eq "$(cat "$T"/logs/*/hadoop-tasktracker-*.log | grep -c 'attempt_[0-9_]*_m_.* is done')" 26 "maps in the TaskTrackers' logs, setup and cleanup" &&
	check_eq "$(find "$T"/logs/*/hadoop-datanode-*.log | wc -l)" 5 "DataNodes' logs" && ok

case_begin "renewed, it knows of no job, and its logs still say what is what"
bed load sort
sleep 20 # a job is under way, which no client's death ends
bed renew
bed collect "$T/renewed"
check_eq "$(find "$T/renewed/history" -type f | wc -l)" 0 "histories" &&
	check_eq "$(cat "$T"/renewed/*/hadoop-tasktracker-*.log | grep -c 'attempt_[0-9_]*_m_.* is done')" 0 "maps" &&
	check_eq "$(grep -h 'clienttrace.* bytes: [0-9]\{5,\}' "$T"/renewed/*/hadoop-datanode-*.log)" "" \
		"blocks of the job and of the text, not the JobTracker's own small files" &&
	check_eq "$(cat "$T"/renewed/*/hadoop-datanode-*.log | grep -c STARTUP_MSG:)" "$(cat "$T"/logs/*/hadoop-datanode-*.log |
		grep -c STARTUP_MSG:)" "beginnings" && ok

state() { awk '$1 == "State:" { print $2 }' "/proc/$(cat "$bed/$1/$2.pid")/status"; } # SERVER DAEMON
answers() { nsenter --net=/run/netns/lt-"$1" timeout 10 bash -c 'exec 3<>/dev/tcp/10.77.0.1/50010' 2>/dev/null; } # does it reach s1?
left() { stat -f -c %f "$bed/$1/data"; }

case_begin "a stopped daemon, a full disk and a slave that is cut off are so, and no longer after 'clear'"
check_eq "$(answers s4 && echo yes)" yes "s1 answers s4" &&
	bed fault tracker-hang s2 && bed fault disk-full s3 && bed fault cut-off s4 &&
	check_eq "$(state s2 tasktracker)$(state s2 datanode | tr RDS S)" TS "TaskTracker, DataNode" &&
	check_eq "$(for _ in $(seq 60); do [ "$(left s3)" -gt 4160 ] || { echo full; break; }; sleep 1; done)" full \
		"the disk, but for what ext4 keeps to itself, though tasks delete files" &&
	if answers s4; then fail "it is not cut off"; else
		bed clear && check_eq "$(state s2 tasktracker | tr RDS S)" S "TaskTracker" &&
			if [ "$(left s3)" -gt 10000 ]; then ok; else fail "the disk is full after 'clear'"; fi
	fi

quota() { # SERVER: microseconds of 20 ms
	g=$(find /sys/fs/cgroup -path "*/limpet-testbed/$1/cpu.cfs_quota_us" -o -path "*/limpet-testbed/$1/cpu.max" | head -n 1)
	cut -d ' ' -f 1 "$g"
}
lossy() { nsenter --net=/run/netns/lt-"$1" nft list table netdev limpet_"$2" 2>/dev/null | grep -c 'mod 10000 < 5000'; } # NAMESPACE SLAVE

case_begin "two slaves have half the processor, and one loses half of the frames in both directions"
bed fault half-cpu s1,s2 && bed fault loss s4 50 &&
	check_eq "$(quota s1) $(quota s2) $(quota s3)" "2400 2400 5000" "quotas" &&
	check_eq "$(lossy s4 s4) $(lossy sw s4) $(lossy s3 s3)" "1 1 0" "losses" && bed clear &&
	check_eq "$(quota s1) $(quota s2) $(lossy s4 s4)$(lossy sw s4)" "5000 5000 00" "after 'clear'" && ok

case_begin "a CPU hog takes its share of what one slave may use, and of no other's"
bed fault cpu-hog s1 70
pid=$(cat "$bed/faults/cpu-hog.s1.pid")
used() { awk '{ print $14 + $15 }' "/proc/$1/stat"; } # PID: its ticks of processor time
uptime_ticks() { awk -v hz="$(getconf CLK_TCK)" '{ printf "%d", $1 * hz }' /proc/uptime; }
check_eq "$(sed -n 's|.*/limpet-testbed/||p' "/proc/$pid/cgroup" | grep -c '^s1$')" 1 "its group of processors" &&
	used=$(used "$pid") && began=$(uptime_ticks) && sleep 5 &&
	used=$(($(used "$pid") - used)) && took=$(($(uptime_ticks) - began)) && bed clear &&
	if [ "$used" -gt 0 ] && [ $((used * 100)) -le $((took * 21)) ]; then ok; else fail "$used ticks in $took, where 17.5 % are due"; fi

case_begin "the text lies on two slaves alone, half of it on each"
bed fault skew s5,s3 &&
	check_eq "$(find "$bed"/s*/data/tmp/dfs/data -name 'blk_*' ! -name '*.meta' -newer "$T/states" -size +4000k |
		sed "s|$bed/\(s[0-9]\)/.*|\1|" | sort | uniq -c | awk '{ printf "%s %s,", $1, $2 }')" "12 s3,12 s5," "blocks, slave" &&
	bed load count && bed load drain 900 && bed collect "$T/skewed" && bed clear &&
	check_eq "$(cat "$T"/skewed/history/* | grep -c 'FINISH_TIME=.* JOB_STATUS="SUCCESS"')" 1 "jobs since it was renewed" && ok

case_begin "maps of one slave hang"
bed fault map-hang s2 && bed load count
# SLAVE: maps' processes there that are stopped
stopped() {
	while read -r p; do
		tr '\0' ' ' <"/proc/$p/cmdline" | grep -q 'mapred.Child .*_m_' && grep '^State:.*T' "/proc/$p/status"
	done <"$(tools/testbed servers | awk -v s="$1" '$1 == s { print $4 }')/cgroup.procs" 2>/dev/null
}
tries=0
until [ -n "$(stopped s2)" ] || [ $tries -ge 300 ]; do
	sleep 1
	tries=$((tries + 1))
done
check_eq "$([ $tries -lt 300 ] && echo stopped)" stopped "a map's process" &&
	check_eq "$(stopped s3)" '' "another slave's" && bed load stop && bed clear && ok

case_begin "'down' removes it all, with a fault and a load"
bed load count
bed fault hang s3
if tools/testbed down >"$T/down" 2>&1; then
	check_eq "$(inventory)" "$before" "namespaces, loop devices, mounts, cgroups, processes" && ok
else
	fail "$(cat "$T/down")"
fi
