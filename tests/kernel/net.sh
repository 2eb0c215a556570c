#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Network interfaces: bytes and packets of the namespace's own, to the last one.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
helper_start sink "$server" tcpbox serve 10.77.0.1 7000

dev() { # rx bytes, rx packets, tx bytes, tx packets, as the namespace's /proc/net/dev has them
	inside "$1" awk '$1 == "v0:" { print $2, $3, $10, $11 }' /proc/net/dev
}
# From the file, which has all digits and the times of the readings.
total() { # METRIC FACTOR
	series_sum net v0 ".[\"$1\"] * $2" "$T"/out/*.limpet
}

mkdir "$T/out"
probe_start all --disk "$loop" --netns "$server" -o "$T/out"
probe_start named --disk "$loop" --netns "$client" --netdev v0
probe_start ours --disk "$loop"
case_begin "a probe per namespace and one outside record at once"
probe_wait all 1 && probe_wait named 1 && probe_wait ours 1 && ok
before=$(dev "$server")
inside "$client" "$O/tests/tcpbox" send 10.77.0.1 7000 3000000 10.77.0.2
# Until the last acknowledgement is through.
still() { was=$now; now=$(dev "$server"); [ "$now" = "$was" ]; }
now=
eventually still
probe_settle all named ours
after=$(dev "$server")
probe_stop all

# shellcheck disable=SC2086
set -- $(echo $before $after | awk '{ print $5 - $1, $6 - $2, $7 - $3, $8 - $4 }')
case_begin "rx and tx bytes are /proc/net/dev's to the byte, and no less than was sent"
check_eq "$(total rxkB/s 1024) $(total txkB/s 1024)" "$1 $3" "bytes" && {
	if [ "$1" -ge 3000000 ]; then ok; else fail "$1 bytes received of 3000000 sent"; fi
}
case_begin "rx and tx packets are /proc/net/dev's"
check_eq "$(total rxpck/s 1) $(total txpck/s 1)" "$2 $4" "packets" && ok
case_begin "all interfaces but lo are recorded, and only those named with --netdev"
check_eq "$(probe_jq all '[.[].net | keys[]] | unique | join(" ")')" v0 "interfaces" &&
	check_eq "$(probe_jq named '[.[].net | keys[]] | unique | join(" ")')" v0 "with --netdev" && ok
case_begin "the other end of the wire saw the same packets the other way round"
check_eq "$(probe_sum named '.net.v0["rxpck/s"]') $(probe_sum named '.net.v0["txpck/s"]')" "$4 $2" \
	"packets" && ok
case_begin "another namespace's interface is not ours"
check_eq "$(probe_jq ours '[.[].net // {} | has("v0")] | any')" false "v0 outside" && ok
