#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
# Connections with data that nobody reads: what a server that hangs has.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip ss
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_new || all_skip "no network namespaces here (CONFIG_NET_NS)"
helper_start server "$netns" tcpbox serve 127.0.0.1 7000
# Three are not read after the first byte. All of the others are, whether they are answered or not.
helper_start push "$netns" tcpbox push 127.0.0.1 7000 3 1 100
helper_start stream "$netns" tcpbox stream 127.0.0.1 7000 2 127.0.0.3
stream_pid=$pid
helper_start idle "$netns" tcpbox idle 127.0.0.1 7000 2 127.0.0.4
helper_start put "$netns" tcpbox put 127.0.0.1 7000 100 127.0.0.5
for h in push stream idle put; do eventually grep -q ready "$T/$h.out" || exit 1; done

PROBES="tp_btf raw_tp any proc"
probe_start tp_btf --disk "$loop" --netns "$netns" --port 7000 --attach tp_btf
probe_start raw_tp --disk "$loop" --netns "$netns" --port 7000 --attach raw_tp
probe_start any --disk "$loop" --netns "$netns"
probe_start proc --disk "$loop" --netns "$netns" --port 7000 --source proc
# Of the last second that had a look; on a slow machine not all have one.
last() { probe_jq $1 "[.[].tcp[\"$2\"] | values] | last"; } # PROBE METRIC
is() { [ "$(last $1 $2)" = "$3" ]; }			    # PROBE METRIC VALUE

for p in $PROBES; do
	sockets=8 # their other ends, in the same namespace, are the same connections
	case_begin "$p: three that nobody reads, of $sockets"
	eventually is $p tcp-unread 3
	probe_settle $p
	check_eq "$(last $p tcp-unread) $(last $p tcpsck) $(probe_jq $p '[.[].tcp["tcp-unread"]] | max')" \
		"3 $sockets 3" "unread, all, most unread at once" && ok
	case_begin "$p: and whose they are"
	check_eq "$(probe_jq $p '[.[] | select(.tcp["tcp-unread"] != null)] | last | .remote |
		map_values(.["tcp-unread"] | select(. > 0)) | tojson')" '{"127.1.0.1>7000":3}' "by remote host" && ok
done
case_begin "with eBPF it is not known at first, and then not 0"
check_eq "$(probe_jq tp_btf '[.[].tcp["tcp-unread"] | values] | any(. == 0)')" false "some 0" && ok

# A client that does not read is not a server that hangs: nobody listens on its port.
kill -STOP $stream_pid
unread_clients() { # how many of its ends have something to be read
	inside "$netns" ss -Htn state established dst 127.0.0.1:7000 src 127.0.0.3 | awk '$1 > 0 { n++ } END { print n + 0 }'
}
stuck() { [ "$(unread_clients)" = 2 ]; }
case_begin "two clients do not read"
eventually stuck && ok
# 5 s of it, and a look thereafter.
for p in $PROBES; do eval "mark_$p=$(probe_lines $p)"; done
probe_wait any $((mark_any + 8))
for p in $PROBES; do
	case_begin "$p: clients that do not read do not count"
	eval "set_mark=\$mark_$p"
	check_eq "$(probe_jq $p "[.[$set_mark:][].tcp[\"tcp-unread\"] | values] | unique | tojson") $(unread_clients)" \
		"[3] 2" "unread, clients with unread data" && ok
done
