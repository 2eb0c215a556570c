#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Where no connection is at work the looks between walks are left out, which saves their wakeups: they
# count all the same, and what begins to work is seen.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
helper_start server "$server" tcpbox serve 10.77.0.1 7000
mkfifo "$T/line"
ip netns exec "$client" "$O/tests/tcpbox" pull 10.77.0.1 7000 3 10.77.0.2 \
	<"$T/line" >"$T/pull.out" 2>&1 &
at_exit "{ kill -KILL $! && wait $!; } 2>/dev/null"
exec 8>"$T/line"
eventually grep -q ready "$T/pull.out"
probe_start p --disk "$loop" --netns "$server"
# Two seconds of quiet, and then it rests.
probe_wait p 6 || exit 1
looker=
for task in /proc/"$(probe_pid p)"/task/*; do
	[ "$(cat "$task/comm")" != limpet-tcp ] || looker=$task
done
wakeups() { awk '/^voluntary_ctxt/ { print $2 }' "$looker/status"; }

before=$(wakeups) lines=$(probe_lines p)
probe_wait p $((lines + 6)) || exit 1
after=$(wakeups)
case_begin "three idle connections: the thread that looks wakes once a second"
# A second may begin before it is read here, and another end after.
passed=$(probe_jq p "[.[$lines:][].interval_s] | add | round")
if [ $((after - before)) -le $((passed + 2)) ]; then ok
else fail "$((after - before)) wakeups in $passed seconds"; fi
case_begin "each counts as ten looks, and the sockets are there"
# A sweep may have come before the look it should have followed, at both ends.
looks=$(probe_jq p "[.[$lines:][] | (.tcp[\"tcp-looks\"] // 0) * .interval_s] | add | round")
check_eq "$(probe_jq p "[.[$lines:][].tcp.tcpsck | values] | unique | map(tostring) | join(\" \")")" 3 "sockets" && {
	if [ "$looks" -ge $((10 * (after - before - 2))) ]; then ok
	else fail "$looks looks of $((after - before)) wakeups"; fi
}

lines=$(probe_lines p)
echo >&8
eventually grep -q done "$T/pull.out"
probe_settle p
case_begin "a segment on each: seen at work by a look, every segment counted"
check_eq "$(probe_jq p "[.[$lines:][].tcp[\"tcp-active\"] // 0] | max > 0")" true "active" &&
	check_eq "$(probe_sum p '.tcp["odseg/s"]' $lines)" 3 "segments" && ok
