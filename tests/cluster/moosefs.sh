#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The cluster in a box with MooseFS: a slow disk is named from the series files alone, a stopped server comes
# back, a hot one is hot, and nothing is left behind.
# hardship: as ceph, minutes of another file system, which has to be installed first
# alone: a verdict about a cluster in a box is one about this machine, which it shares
# shellcheck disable=SC2034 # lib.sh uses variables of ours
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$(id -u)" = 0 ] || all_skip "needs root (sudo make check)"
[ -e /sys/kernel/btf/vmlinux ] || all_skip "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF, as Debian's have)"
for program in mfsmaster mfschunkserver mfsmount; do
	command -v $program >/dev/null || all_skip "no $program (tools/deps moosefs installs it)"
done
tools/testbed status >/dev/null 2>&1
[ $? = 3 ] || all_skip "a testbed is up already; 'tools/testbed down' first"
at_exit 'tools/testbed down >/dev/null 2>&1'

bed=${LIMPET_TESTBED:-/var/tmp/limpet-testbed}
inventory() {
	ip netns list | grep -c '^lt-'
	losetup -n -O BACK-FILE -l | grep -c "^$bed/"
	grep -c "$bed\|limpet-testbed" /proc/mounts
	find /sys/fs/cgroup -maxdepth 3 -name 'limpet-testbed*' | wc -l
	pgrep -c -f -- "-c $bed/"
}
before=$(inventory)

case_begin "a disk five times slower is named, with its cause, from the series files alone"
O=$O tools/matrix --uncommitted --fs moosefs --training 0 --workloads write --faults slow-disk --fault-free 0 \
	--imbalance 0 --calms '' --fault-seconds 60 "$T/runs" >"$T/out" 2>&1
truth=$(awk -F , 'END { print $6, "device-slow" }' "$T/runs/truth.csv")
"$O/limpet" diagnose --json "$T/runs/runs/0001/series" >"$T/verdict" 2>>"$T/out"
jq -r '.incidents[] | "\(.server) \(.cause)"' "$T/verdict" >"$T/named" 2>>"$T/out"
check_eq "$(cat "$T/named")" "$truth" "server and cause; $(tail -n 3 "$T/out")" && ok

case_begin "the recording leaves no process, namespace, loop device, mount or cgroup behind"
check_eq "$(inventory)" "$before" "namespaces, loop devices, mounts, cgroups, processes" && ok

N=5 C=1 PING_S=6 tools/testbed --fs moosefs up >"$T/log" 2>&1 || { cat "$T/log"; exit 1; }
# shellcheck disable=SC2016 # awk's
sent() { nsenter --net=/run/netns/lt-c1 awk '/eth0:/ { sub(/.*:/, ""); print $9 }' /proc/net/dev; }
grows() { # the clients send a megabyte in five seconds
	then=$(sent)
	sleep 5
	[ "$(sent)" -gt $((then + 1000000)) ]
}

case_begin "the clients go on without a stopped server, and after 'clear' it is there again"
tools/testbed load write >>"$T/log" 2>&1
sleep 3
tools/testbed fault hang s3 >>"$T/log" 2>&1
sleep 12
if grows; then
	tools/testbed clear >>"$T/log" 2>&1
	if tools/testbed status >"$T/status" 2>&1; then ok; else fail "$(cat "$T/status")"; fi
else
	fail "the clients send nothing: $(tail -n 3 "$T/log")"
fi

case_begin "the disk of a hot server has more to do than those of the others"
tools/testbed load stop >>"$T/log" 2>&1
reads() { for s in 1 2 3 4 5; do awk '{ print $1 }' "/sys/block/$(cat "$bed/s$s/loop")/stat"; done; }
tools/testbed fault imbalance s5 >>"$T/log" 2>&1
sleep 15 # what it reads is written first
reads >"$T/a"
sleep 10
reads >"$T/b"
most=$(paste "$T/a" "$T/b" | awk '$2 - $1 > most { most = $2 - $1; at = NR } END { print at }')
check_eq "$most" 5 "server whose disk reads most" && ok

case_begin "'down' removes a cluster with a hung and a hot server"
if tools/testbed fault hang s4 >>"$T/log" 2>&1 && tools/testbed down >"$T/down" 2>&1; then
	check_eq "$(inventory)" "$before" "namespaces, loop devices, mounts, cgroups, processes" && ok
else
	fail "$(tail -n 3 "$T/log"; cat "$T/down")"
fi
