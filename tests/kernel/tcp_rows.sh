#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# More connections than there is room for: those beyond count when they end, and are counted as lost
# until then; room that becomes free is used. And descriptors of one connection count it once.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip ss
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
helper_start server "$server" tcpbox serve 10.77.0.1 7000
one=$pid
LIMPET_TCP_ROWS=16
export LIMPET_TCP_ROWS
probe_start few --disk "$loop" --netns "$server"
unset LIMPET_TCP_ROWS
probe_start enough --disk "$loop" --netns "$server"
probe_start pid --disk "$loop" --netns "$server" --pid $one
PROBES="few enough pid"
for p in $PROBES; do probe_wait $p 2 || exit 1; done
bytes() { probe_jq "$1" "[.[] | (.tcp[\"tcp-rxkB/s\"] // 0) * .interval_s * 1024 | round] | add"; }
last() { probe_jq "$1" "[.[].tcp.tcpsck | values] | last"; }
lost() { probe_jq "$1" 'map(.lost) | add'; }

helper_start put "$client" tcpbox put 10.77.0.1 7000 70000 10.77.0.3
eventually grep -q ready "$T/put.out"
helper_start idle "$client" tcpbox idle 10.77.0.1 7000 40 10.77.0.2
idle=$pid
eventually grep -q ready "$T/idle.out"
probe_settle $PROBES
case_begin "41 connections, 16 rows: 25 are lost from sight, and counted"
check_eq "$(last few) $(lost few)" "16 25" "sockets, lost" &&
	check_eq "$(last enough) $(lost enough) $(last pid) $(lost pid)" "41 0 41 0" "with room for all" && ok
kill -KILL $idle
gone() { [ -z "$(inside "$server" ss -Htn state established dst 10.77.0.2)" ]; }
eventually gone
probe_settle $PROBES
case_begin "they end: every byte counts, also of those without a row"
# Of each a byte that says what it wants, and one for its end.
for p in $PROBES; do
	got=$(bytes $p)
	[ "$got" = $((70000 + 40 * 2)) ] || break
done
check_eq "$p $got" "pid $((70000 + 40 * 2))" "probe, bytes" && ok
inside "$client" "$O/tests/tcpbox" send 10.77.0.1 7000 400 10.77.0.4 500
helper_start again "$client" tcpbox idle 10.77.0.1 7000 12 10.77.0.5
eventually grep -q ready "$T/again.out"
probe_settle $PROBES
case_begin "rows become free: those that stay find room"
all_seen() { [ "$(last few)" = 13 ]; }
eventually all_seen
probe_settle few
check_eq "$(last few) $(last enough)" "13 13" "sockets" &&
	check_eq "$(bytes few)" "$((70000 + 40 * 2 + 500 * 401 + 12))" "bytes" && ok
