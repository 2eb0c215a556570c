#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Connections with data to send of which nothing is acknowledged: the way to a client is broken, or the
# client does not read. Their windows stay among the others.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip nft ss
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
helper_start server "$server" tcpbox serve 10.77.0.1 7000
helper_start broken "$client" tcpbox stream 10.77.0.1 7000 2 10.77.0.2
helper_start stopped "$client" tcpbox stream 10.77.0.1 7000 3 10.77.0.3
stopped=$pid
helper_start well "$client" tcpbox stream 10.77.0.1 7000 1 10.77.0.4
helper_start idle "$client" tcpbox idle 10.77.0.1 7000 4 10.77.0.5
for h in broken stopped well idle; do eventually grep -q ready "$T/$h.out" || exit 1; done
PROBES="bpf proc"
probe_start bpf --disk "$loop" --netns "$server" --port 7000
probe_start proc --disk "$loop" --netns "$server" --port 7000 --source proc
last() { probe_jq $1 "[.[].tcp[\"$2\"] | values] | last"; } # PROBE METRIC
is() { [ "$(last $1 $2)" = "$3" ]; }			    # PROBE METRIC VALUE
for p in $PROBES; do
	case_begin "$p: none is stalled"
	eventually is $p tcp-stalled 0 && ok
done
case_begin "nothing gets through to one client, and another does not read"
kill -STOP $stopped
inside "$client" nft -f - <<'N' && ok
table ip broken {
	chain in {
		type filter hook prerouting priority 0;
		ip daddr 10.77.0.2 drop
	}
}
N
for p in $PROBES; do
	case_begin "$p: five are stalled, and whose they are"
	eventually is $p tcp-stalled 5
	probe_settle $p
	check_eq "$(last $p tcp-stalled) $(last $p tcp-unread) $(probe_jq $p '[.[] |
		select(.tcp["tcp-stalled"] != null)] | last | .remote | to_entries |
		map("\(.key)=\(.value["tcp-stalled"])") | sort | join(" ")')" \
		'5 0 10.77.0.2>7000=2 10.77.0.3>7000=3 10.77.0.4>7000=0 10.77.0.5>7000=0' \
		"stalled, unread, by remote host" && ok
	case_begin "$p: one whose segments are all lost is active, and its window counts"
	check_eq "$(probe_jq $p '[.[] | .remote["10.77.0.2>7000"] | values] | last |
		[.["tcp-active"], .["cwnd-min"]] | map(tostring) | join(" ")')" "2 1" \
		"active, its smallest window" && ok
done
case_begin "when they can go on none is stalled any more"
kill -CONT $stopped
inside "$client" nft delete table ip broken
for p in $PROBES; do eventually is $p tcp-stalled 0 || break; done && ok
