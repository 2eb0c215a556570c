#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# One short run of the whole path on the cluster in a box: the demo with a disk far slower than its
# peers', and what must hold around it. The demo itself is longer and harder; this one proves that
# the pieces fit.
# long: minutes of a cluster's life
# alone: a verdict about a cluster in a box is one about this machine, which it shares
# shellcheck disable=SC2034 # lib.sh uses variables of ours
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$(id -u)" = 0 ] || all_skip "needs root (sudo make check)"
[ -e /sys/kernel/btf/vmlinux ] || all_skip "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF, as Debian's have)"
tools/testbed status >/dev/null 2>&1
[ $? = 3 ] || all_skip "a testbed is up already; 'tools/testbed down' first"

D=$T/demo
at_exit 'tools/testbed down >/dev/null 2>&1'

# What there is of each kind of thing that the testbed makes; the machine may have others of them.
bed=${LIMPET_TESTBED:-/var/tmp/limpet-testbed}
inventory() {
	ip netns list | grep -c '^lt-'
	losetup -n -O BACK-FILE -l | grep -c "^$bed/"
	grep -c "$bed\|limpet-testbed" /proc/mounts
	find /sys/fs/cgroup -maxdepth 3 -name 'limpet-testbed*' | wc -l
}
before=$(inventory)

case_begin "a disk five times slower is named, with its cause, from the series files alone"
DEMO_DIR=$D tools/demo slow-disk >"$T/out" 2>&1
status=$?
sed 's/^/# /' "$T/out"
if [ $status = 0 ] && grep -qx LIVE "$T/out"; then ok; else fail "exit status $status"; fi

case_begin "the demo leaves no namespace, loop device, mount or cgroup behind"
check_eq "$(inventory)" "$before" "namespaces, loop devices, mounts, cgroups" && ok

case_begin "every server was recorded every second, with nothing lost"
bad=
for f in "$D"/series/*.limpet; do
	row=$("$O/limpet" show --json --family host "$f" | jq -rs '"\(length >= (.[-1].mono_ns - .[0].mono_ns) / 1e9 - 1) \(map(.lost) | add)"')
	[ "$row" = "true 0" ] || bad="$bad $(basename "$f"): $row"
done
if [ -z "$bad" ] && [ "$(find "$D/series" -name '*.limpet' | wc -l)" -ge 5 ]; then ok; else fail "$bad"; fi

case_begin "limpet's input tells nothing of the truth: no server's name, no fault"
# The tables as they are, and what is packed; there is a metric of page faults.
told=$({ cat "$D"/series/*.limpet; "$O/limpet" show --json "$D"/series | grep -o '"instance":"[^"]*"'; } |
	LC_ALL=C sed 's|fault/s||g' | grep -aoE 'slow-disk|slowdisk|fault|onset|victim' | sort -u)
check_eq "$told" '' "words of the truth" && ok

stop_up() { # SIGNAL: ends an 'up' that has got some way
	tools/testbed up >"$T/up" 2>&1 &
	up=$!
	tries=0
	until grep -q 'network:' "$T/up" || ! kill -0 $up || [ $tries -ge 1200 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	kill "-$1" $up
	wait $up 2>/dev/null
}

case_begin "a testbed whose driver is killed is removed by 'down'"
stop_up KILL
if tools/testbed down >"$T/down" 2>&1; then
	check_eq "$(inventory)" "$before" "namespaces, loop devices, mounts, cgroups" && ok
else
	fail "$(cat "$T/down")"
fi

case_begin "a testbed that is told to stop while it comes up removes itself"
stop_up TERM
check_eq "$(inventory)" "$before" "namespaces, loop devices, mounts, cgroups" && ok

case_begin "the next 'up' cleans what a killed one has left, and stands"
stop_up KILL
if tools/testbed up >"$T/up" 2>&1 && tools/testbed status >"$T/status" 2>&1; then
	ok
else
	fail "$(cat "$T/up" "$T/status")"
fi
tools/testbed down >/dev/null 2>&1
