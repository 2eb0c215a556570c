#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# --cgroup of cgroup v2: the sockets of its processes and no others; a server that is started anew, in the same
# group or in one made anew, is followed.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip ss
loop_new 8M || all_skip "no loop device (modprobe loop)"
v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$v2" ] || all_skip "no cgroup v2 is mounted"
# Where disks are v2's, too, the group must have that controller.
if grep -qw io "$v2/cgroup.controllers"; then
	grep -qw io "$v2/cgroup.subtree_control" || echo +io >"$v2/cgroup.subtree_control" ||
		all_skip "the io controller cannot be switched on"
fi
own=$v2/limpet-test-$$-own
mkdir "$own" || all_skip "no group can be made in '$v2'"
at_exit "eventually group_gone $own"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"

ready() { grep -q ready "$T/$1.out"; }
# A helper in the group from before its first instruction; its process in $pid.
start_in_group() { # NAME NETNS HELPER ARGUMENT…
	name=$1 ns=$2 program=$3
	shift 3
	: >"$T/$name.out"
	# shellcheck disable=SC2016
	sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$own" ip netns exec "$ns" "$O/tests/$program" "$@" \
		>"$T/$name.out" &
	pid=$!
	at_exit "end_child $pid"
}
listens() { inside $1 ss -tlnH "sport = :$2" | grep -q .; } # NETNS PORT
end_of() { end_child $1; } # PID

start_in_group server "$server" tcpbox serve 10.77.0.1 7000
first=$pid
helper_start foreign "$server" tcpbox serve 10.77.0.1 7001
eventually listens "$server" 7000
eventually listens "$server" 7001
for port in 7000 7001; do
	helper_start before$port "$client" tcpbox put 10.77.0.1 $port 70000 10.77.0.2
	eventually ready before$port
done
probe_start group --disk "$loop" --netns "$server" --cgroup "$own"
probe_start both --disk "$loop" --netns "$server" --cgroup "$own" --pid $$
probe_start narrow --disk "$loop" --netns "$server" --cgroup "$own" --port 7001
PROBES="group both narrow"
for p in $PROBES; do probe_wait $p 2 || break; done

bytes() { # PROBE [FROM]: received
	probe_jq "$1" "[.[${2:-0}:][] | (.tcp[\"tcp-rxkB/s\"] // 0) * .interval_s * 1024 | round] | add"
}
sockets() { probe_jq "$1" '[.[].tcp.tcpsck | values] | last'; }
send() { inside "$client" "$O/tests/tcpbox" send 10.77.0.1 $1 10000 10.77.0.3 $2; } # PORT COUNT

case_begin "the sockets of the group and no others: those from before, those that stay, those that come and go"
for port in 7000 7001; do
	send $port 20
	helper_start put$port "$client" tcpbox put 10.77.0.1 $port 50000 10.77.0.4
	eventually ready put$port
done
probe_settle $PROBES
each=$((20 * 10001 + 50000))
check_eq "$(sockets group) $(bytes group)" "2 $each" "sockets, bytes received" &&
	check_eq "$(sockets both) $(bytes both)" "2 $each" "with a process that has no sockets" &&
	check_eq "$(bytes narrow)" 0 "of another server's port" && ok

case_begin "a server that is started anew is another process, and followed"
end_of $first
start_in_group again "$server" tcpbox serve 10.77.0.1 7002
second=$pid
eventually listens "$server" 7002
mark=$(probe_lines group)
send 7002 30
send 7001 7
probe_settle group
check_eq "$(bytes group $((mark - 1)))" $((30 * 10001)) "bytes received since" && ok

case_begin "a connection that the group's process opens is the group's"
helper_start away "$client" tcpbox serve 10.77.0.2 7003
eventually listens "$client" 7003
start_in_group ask "$server" tcpbox put 10.77.0.2 7003 40000 10.77.0.1
eventually ready ask
probe_settle group
sent() { probe_jq group '[.[] | (.tcp["tcp-txkB/s"] // 0) * .interval_s * 1024 | round] | add >= 40000'; }
acknowledged() { [ "$(sent)" = true ]; }
if eventually acknowledged; then ok; else fail "$(probe_jq group '[.[].tcp["tcp-txkB/s"]] | tojson')"; fi
end_of $pid

case_begin "a group that was made anew is followed, and what connected before that was noticed counts"
end_of $second
eventually group_gone "$own" && mkdir "$own" || fail "'$own' is not to be removed"
start_in_group anew "$server" tcpbox serve 10.77.0.1 7004
# What ended before has ended, and the end that the kernel counts as a byte.
probe_settle group
mark=$(probe_lines group)
eventually listens "$server" 7004
helper_start early "$client" tcpbox put 10.77.0.1 7004 60000 10.77.0.3
eventually ready early
told() { grep -q 'was made anew' "$T/group.err"; }
eventually told
probe_settle group
send 7004 5
probe_settle group
check_eq "$(bytes group $((mark - 1)))" $((60000 + 5 * 10001)) "bytes received since" && ok

case_begin "where the block controller is not v2's, the origin of disks' bytes is null, not 0"
if grep -qw io "$v2/cgroup.controllers"; then
	skip "it is v2's"
else
	check_eq "$(probe_jq group "[.[].disk.$loop[\"foreign-rkB/s\"]] | unique | tojson")" "[null]" values && ok
fi

case_begin "check says so, and its end is as ever"
"$PROBE" check --disk "$loop" --cgroup "$own" >"$T/check" 2>&1
probe_stop group
check_eq "$(awk '$1 == "tcp-cgroup" { print $2 }' "$T/check") $status" "yes 0" "check, status" && ok
