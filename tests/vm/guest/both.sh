#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2034,SC2046,SC2086,SC2154
# Disk, interfaces and sockets on a real (virtio) disk and a wire between two namespaces: eBPF by
# either kind of tracepoint, and /proc and /sys alone, count the same, which is what was done.
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip
[ -b /dev/vda ] || all_skip "no disk 'vda'"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
helper_start server "$server" tcpbox serve 10.77.0.1 7000
helper_start idle "$client" tcpbox idle 10.77.0.1 7000 5 10.77.0.2
eventually grep -q ready "$T/idle.out" || exit 1
TRACED="auto tp_btf raw_tp"
PROBES="$TRACED proc"

sum() { # PROBE METRIC… of family and instance $at
	probe=$1
	shift
	for metric; do probe_sum $probe "($at[\"$metric\"] // 0) * $per"; done | tr '\n' ' '
}
dev() { # rx bytes, rx packets, tx bytes, tx packets, as the namespace's /proc/net/dev has them
	inside "$server" awk '$1 == "v0:" { print $2, $3, $10, $11 }' /proc/net/dev
}
# In emulation a look at the sockets may be late by a second or two: no number of lines is enough.
counts_sockets() { [ "$(probe_jq $1 'any(.[]; .tcp["tcp-rxkB/s"] != null)')" = true ]; }
received() { [ "$(probe_sum $1 '(.tcp["tcp-rxkB/s"] // 0) * 1024')" -ge 300000 ]; }
still() { was=$now; now=$(dev); [ "$now" = "$was" ]; }

set -- --disk vda --netns "$server"
probe_start auto "$@"
probe_start tp_btf "$@" --port 7000 --attach tp_btf
probe_start raw_tp "$@" --port 7000 --attach raw_tp
probe_start proc "$@" --port 7000 --source proc
for p in $PROBES; do probe_wait $p 1; done
for p in $TRACED; do eventually counts_sockets $p || exit 1; done
before=$(dev)
read_direct vda 4096 23
read_direct vda 64K 5
write_direct vda 4096 17
write_direct vda 256K 3
inside "$client" "$O/tests/tcpbox" send 10.77.0.1 7000 300000 10.77.0.2
now=
eventually still
# Raw tracepoints tell nothing of sockets: netlink does, and knows only those that are there when it is asked.
for p in $TRACED; do [ "$p" = raw_tp ] || eventually received $p; done
probe_settle $PROBES
after=$(dev)
want_net=$(echo $before $after | awk '{ print $5 - $1, $6 - $2, $7 - $3, $8 - $4 }')

for p in $PROBES; do
	case_begin "$p: requests and bytes of a virtio disk are exact"
	at=.disk.vda per=1
	got=$(sum $p r/s w/s)
	per=1024
	check_eq "$got$(sum $p rkB/s wkB/s)" "28 20 $((23 * 4096 + 5 * 65536)) $((17 * 4096 + 3 * 262144)) " \
		"reads, writes, bytes read and written" && ok
	case_begin "$p: bytes and packets of the interface are exact"
	at=.net.v0 per=1024
	got=$(sum $p rxkB/s txkB/s)
	per=1
	set -- $got $(sum $p rxpck/s txpck/s)
	check_eq "$1 $3 $2 $4" "$want_net" "bytes and packets in, out" && ok
	case_begin "$p: the server's five sockets are counted"
	check_eq "$(probe_jq $p '[.[].tcp.tcpsck] | max >= 5 and .[-1] == 5')" true \
		"$(probe_jq $p '[.[].tcp.tcpsck]|tojson')" && ok
done
for p in $TRACED; do
	[ "$p" != raw_tp ] || continue
	case_begin "$p: the bytes of a connection that came and went are exact"
	# The end of the stream is a byte to the kernel.
	at=.tcp per=1024
	got=$(sum $p tcp-rxkB/s)
	if [ "${got% }" -ge 300000 ] && [ "${got% }" -le 300001 ]; then ok; else
		fail "$got bytes received of 300000"
		probe_show $p '.tcp["tcp-rxkB/s"]'
	fi
done
for p in $TRACED; do
	case_begin "$p: every request is in a histogram"
	check_eq "$(probe_jq $p '[.[].disk.vda.lat | [.read, .write] | map([.[][][2]] | add // 0)] |
		transpose | map(add) | join(" ")')" "28 20" "reads, writes" && ok
done
