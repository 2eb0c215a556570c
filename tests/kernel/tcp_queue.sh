#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# A queue of the host's own that is so slow that segments are sent again before they have left: since
# Linux 6.17 the tracepoint tells of those as well, and they are not sent again.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip tc ss
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
# Whole segments: of one that the queue has to cut it keeps a copy.
inside "$server" ip link set v0 gso_max_segs 1
helper_start main "$server" tcpbox serve 10.77.0.1 7000
main=$pid

counter() { # NAME: of the namespace
	inside "$server" cat /proc/net/snmp /proc/net/netstat | awk -v want="$1" '
		$1 == was { for (i = 2; i <= NF; i++) v[name[i]] = $i }
		{ was = $1; split($0, name, " ") }
		END { print v[want] + 0 }'
}
resent() { echo $(($(counter RetransSegs) - $(counter TCPSynRetrans))); }
PROBES="tp_btf raw_tp"
for mode in $PROBES; do probe_start $mode --disk "$loop" --netns "$server" --attach $mode; done
for p in $PROBES; do probe_wait "$p" 2 || exit 1; done
before=$(resent)
helper_start stream "$client" tcpbox stream 10.77.0.1 7000 12 10.77.0.2
stream=$pid
ready() { grep -q ready "$T/stream.out"; }
eventually ready
# From one moment to the next what stands in the queue takes seconds; they send again after 200 ms.
inside "$server" tc qdisc add dev v0 root tbf rate 64kbit burst 3000 limit 1000000 2>/dev/null ||
	all_skip "no queue with a rate here (modprobe sch_tbf)"
queued() { [ "$(counter TCPSpuriousRtxHostQueues)" -ge 3 ]; }
case_begin "segments are to be sent again that have not left"
eventually queued && ok
nobody() { [ -z "$(inside "$server" ss -Htn state connected exclude time-wait)" ]; }
kill -KILL "$stream" "$main"
inside "$server" tc qdisc del dev v0 root
eventually nobody
probe_settle $PROBES
want=$(($(resent) - before))
for p in $PROBES; do
	case_begin "$p: as many segments as TcpRetransSegs, and not those as well"
	got=$(probe_sum $p '.tcp["retrans/s"]')
	# The kernel counts some that it could not send after all.
	if [ "$got" -le "$want" ] && [ "$got" -ge $((want - $(counter TCPRetransFail))) ]; then ok
	else fail "$got, not $want"; fi
done
