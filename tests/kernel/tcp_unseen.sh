#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2154
# Connections whose beginning the probe could not see: the kernel had no memory for what leads from the socket to
# its row. They are found once it has, within half a minute, and count as if they had been seen from the beginning.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip sysctl
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
memory=$(inside "$server" sysctl -n net.core.optmem_max 2>/dev/null) ||
	all_skip "this kernel has no net.core.optmem_max of a namespace (6.8)"
helper_start server "$server" tcpbox serve 10.77.0.1 7000
probe_start all --disk "$loop" --netns "$server"
probe_wait all 2 || exit 1
sockets() { probe_jq all "[.[].tcp.tcpsck | values] | last // 0"; }

inside "$server" sysctl -qw net.core.optmem_max=1
helper_start idle "$client" tcpbox idle 10.77.0.1 7000 5 10.77.0.2
eventually grep -q ready "$T/idle.out"
probe_settle all
case_begin "connections for which there is no memory are not seen"
check_eq "$(sockets)" 0 "sockets" && ok
inside "$server" sysctl -qw net.core.optmem_max="$memory"
case_begin "they are found when there is"
found() { [ "$(sockets)" = 5 ]; }
eventually found && ok
probe_settle all
case_begin "what they have sent counts, once"
check_eq "$(probe_sum all '.tcp["tcp-rxkB/s"] * 1024')" 5 "bytes" && ok
