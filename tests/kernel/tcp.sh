#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# TCP: congestion windows pinned by the route, sockets that are counted, segments sent again.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip nft ss
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"

# A window of its own for each client address: the server's sockets never leave it, for they begin
# with it and may not grow, and on this wire nothing is lost. The kernel takes a locked window from
# its cache of metrics, which an earlier connection must have filled.
helper_start main "$server" tcpbox serve 10.77.0.1 7000
helper_start second "$server" tcpbox serve 10.77.0.1 7001
for pin in 2:7 3:40 4:3; do
	inside "$server" ip route add 10.77.0.${pin%:*}/32 dev v0 cwnd lock ${pin#*:} \
		initcwnd ${pin#*:} rto_min 5s || all_skip "this ip(8) cannot pin a window"
	inside "$client" "$O/tests/tcpbox" send 10.77.0.1 7000 100 10.77.0.${pin%:*}
	cached() { inside "$server" ip tcp_metrics show | grep -q "^10.77.0.${pin%:*} "; }
	eventually cached
done

# Of the namespace, apart from SYN and SYN+ACK: an answer to a SYN belongs to no socket yet.
resent() {
	inside "$server" cat /proc/net/snmp /proc/net/netstat | awk '
		$1 == was { for (i = 2; i <= NF; i++) v[name[i]] = $i }
		{ was = $1; split($0, name, " ") }
		END { print v["'"${1:-RetransSegs}"'"] - ("'"${1:-}"'" == "" ? v["TCPSynRetrans"] : 0) }'
}
# As long as nothing was sent again (below).
metric() { # PROBE METRIC: the distinct values it had, without those of seconds without a value
	probe_jq "$1.calm" "[.[].tcp[\"$2\"] | select(. != null)] | unique | map(tostring) | join(\" \")"
}
near() { # PROBE N: exp(cwnd-ln) is within 0.1 % of N in every second
	probe_jq "$1.calm" "[.[].tcp[\"cwnd-ln\"] | select(. != null) | exp / $2 - 1 |
		. < 0.001 and . > -0.001] | length > 0 and all"
}
retrans() { probe_sum "$1" '.tcp["retrans/s"]' "${2:-0}"; }

ready() { grep -q ready "$T/$1.out"; }
PROBES="auto tp_btf raw_tp other both any ours"
connect_and_probe() {
	for name in seven idle forty; do rm -f "$T/$name.out"; done
	helper_start seven "$client" tcpbox stream 10.77.0.1 7000 3 10.77.0.2
	stream=$pid
	helper_start idle "$client" tcpbox idle 10.77.0.1 7000 5 10.77.0.4
	idle=$pid
	helper_start forty "$client" tcpbox stream 10.77.0.1 7001 2 10.77.0.3
	forty=$pid
	for name in seven idle forty; do eventually ready $name || return 1; done
	for mode in auto tp_btf raw_tp; do
		probe_start $mode --disk "$loop" --netns "$server" --port 7000 --attach $mode
	done
	probe_start other --disk "$loop" --netns "$server" --port 7001
	probe_start both --disk "$loop" --netns "$server" --port 7001 --port 7000
	probe_start any --disk "$loop" --netns "$server"
	probe_start ours --disk "$loop" --port 7000 --port 7001
	for p in $PROBES; do probe_wait "$p" 3 || return 1; done
}
nobody() { [ -z "$(inside "$server" ss -Htn state connected exclude time-wait)" ]; }

# A connection that had to send again has not the window it began with: then everything anew. What
# is sent again while the probes start may or may not be theirs to count.
case_begin "the connections stand"
for attempt in 1 2 3; do
	before=$(resent)
	connect_and_probe || { fail; exit 1; }
	for p in $PROBES; do probe_whole "$p" >"$T/$p.calm.jsonl"; done
	starting=$(($(resent) - before))
	if [ $starting -eq 0 ] || [ $attempt -eq 3 ]; then break; fi
	echo "# attempt $attempt: $starting segments were sent again before any was lost"
	for p in $PROBES; do probe_stop "$p"; done
	kill -KILL "$stream" "$idle" "$forty"
	eventually nobody
done
ok

case_begin "a window pinned to 7: median and least are 7, exp(cwnd-ln) is 7 within 0.1 %"
check_eq "$(metric auto cwnd-median) $(metric auto cwnd-min) $(near auto 7)" "7 7 true" \
	"median, least, mean near 7" && ok
case_begin "--port selects: on the other port the window is 40"
check_eq "$(metric other cwnd-median) $(metric other cwnd-min) $(near other 40)" "40 40 true" \
	"median, least, mean near 40" && ok
case_begin "the least of both is 7, though two of five have 40, and idle ones have 3"
check_eq "$(metric both cwnd-min) $(metric any cwnd-min)" "7 7" \
	"least of two ports, of all" && ok
case_begin "their median is a window that there is, and 7 in most seconds: three of five have it"
# Which are read most often in one second is a busy machine's affair.
check_eq "$(probe_jq both.calm '[.[].tcp["cwnd-median"] | select(. != null)] |
	"\(all(. == 7 or . == 40)) \((map(select(. == 7)) | length) * 2 > length)"')" "true true" "medians" && ok
case_begin "an idle connection is a socket, but not an active one"
check_eq "$(metric auto tcpsck) $(probe_jq auto.calm '[.[].tcp["tcp-active"]] | max | . > 0 and . <= 3')" \
	"8 true" "sockets; most active at once are 3 or fewer" && ok
case_begin "sockets are counted exactly: by port, by two ports, of the whole namespace"
check_eq "$(metric other tcpsck) $(metric both tcpsck) $(metric any tcpsck)" "2 10 10" "sockets" && ok
case_begin "another namespace's sockets do not count"
check_eq "$(metric ours tcpsck) $(metric ours cwnd-min)" "0 " "sockets, least" && ok

# Of ten packets that arrive three in a row are lost, on a connection whose window is not pinned:
# packets of many segments, so that one retransmission is often more than one segment.
helper_start lossy "$client" tcpbox stream 10.77.0.1 7000 1 10.77.0.5
lossy=$pid
eventually ready lossy
inside "$client" nft -f - <<'N' || { case_begin "nft can lose packets"; fail; exit 1; }
table ip lossy {
	chain in {
		type filter hook prerouting priority 0;
		ip daddr 10.77.0.5 tcp sport 7000 numgen inc mod 10 < 3 drop
	}
}
N
probe_settle auto
enough() { [ "$(resent)" -ge 20 ]; }
eventually enough
# Nobody may send again after the probes' last look: all connections end first. What stands in the
# server's sockets is answered by a reset now.
kill -KILL "$lossy" "$stream" "$idle" "$forty"
inside "$client" nft delete table ip lossy
eventually nobody
# shellcheck disable=SC2086
probe_settle $PROBES
want=$(($(resent) - before))
# The kernel counts some that it could not send after all.
starting=$((starting + $(resent TCPRetransFail)))
case_begin "segments were sent again"
if [ "$want" -ge 20 ]; then ok; else fail "only $want"; fi
# On a machine that stands still the other port's connections send again, too.
elsewhere=$(retrans other)
for p in auto tp_btf raw_tp both any; do
	case_begin "$p: as many segments as TcpRetransSegs"
	got=$(retrans $p)
	case $p in auto | tp_btf | raw_tp) got=$((got + elsewhere)) ;; esac
	if [ "$got" -le "$want" ] && [ "$got" -ge $((want - starting)) ]; then
		ok
	else
		fail "$got, not $want or up to $starting less"
	fi
done
# The other port's connections send again only where the machine stands still for 5 s.
case_begin "another port's and another namespace's retransmissions do not count"
check_eq "$(retrans ours)" 0 "retransmissions elsewhere" && {
	if [ "$(retrans other)" -lt 5 ]; then ok; else fail "$(retrans other) of $want on the other port"; fi
}
