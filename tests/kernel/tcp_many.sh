#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# 10,000 connections from 2,000 hosts: what is kept is bounded, and the sums are right all the same.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip ss
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_new || all_skip "no network namespaces here (CONFIG_NET_NS)"
[ "$(ulimit -Hn)" -ge 10100 ] || all_skip "only $(ulimit -Hn) open files are allowed"

COUNT=10000 HOSTS=2000 BYTES=100
helper_start server "$netns" tcpbox serve 127.0.0.1 7000
server_pid=$pid
mkfifo "$T/line"
ip netns exec "$netns" "$O/tests/tcpbox" push 127.0.0.1 7000 $COUNT $HOSTS $BYTES \
	<"$T/line" >"$T/push.out" 2>"$T/push.err" &
push=$!
at_exit "end_child $push"
exec 8>"$T/line"
said() { [ "$(grep -c "$1" "$T/push.out")" -ge "$2" ]; }
tries=0
until eventually said ready 1 || [ $((tries += 1)) = 10 ]; do :; done
case_begin "$COUNT connections stand"
if said ready 1; then ok; else fail "$(cat "$T/push.err")"; exit 1; fi

probe_start auto --disk "$loop" --netns "$netns" --port 7000
probe_start pid --disk "$loop" --netns "$netns" --pid $server_pid
probe_start proc --disk "$loop" --netns "$netns" --port 7000 --source proc
PROBES="auto pid proc"
sum() { # PROBE EXPRESSION: exact second by second
	probe_jq "$1" "[.[] | ($2 // 0) * .interval_s | round] | add"
}
for p in $PROBES; do probe_wait $p 2 || break; done
for i in 1 2 3; do
	echo >&8
	eventually said done $i || break
	probe_settle $PROBES
done

want=$((COUNT * BYTES * 3))
for p in $PROBES; do
	case_begin "$p: all sockets, every byte"
	check_eq "$(probe_jq $p '[.[].tcp.tcpsck | select(. != null)] | unique | map(tostring) | join(" ")')" \
		$COUNT "sockets" &&
		check_eq "$(sum $p '(.tcp["tcp-rxkB/s"] // 0) * 1024')" $want "bytes" && ok
	case_begin "$p: at most 32 hosts and one row for the others a second"
	check_eq "$(probe_jq $p '[.[].remote // {} | length] | max')" 33 "rows" &&
		check_eq "$(probe_jq $p '[.[].remote["(other)"]] | map(select(. != null)) | length > 0')" \
			true "there is a row of the others" && ok
	case_begin "$p: the rows add up to all: bytes, segments, sockets"
	check_eq "$(sum $p '([.remote // {} | .[]["tcp-rxkB/s"] // 0] | add // 0) * 1024')" $want "bytes" &&
		check_eq "$(sum $p '[.remote // {} | .[]["iseg/s"] // 0] | add // 0')" \
			"$(sum $p '.tcp["iseg/s"] // 0')" "segments" &&
		check_eq "$(probe_jq $p '[.[] | select(.tcp.tcpsck != null)] | last | .remote | map(.tcpsck) | add | round')" $COUNT "sockets" && ok
	case_begin "$p: how often each is looked at is in the lines, and ten looks a second are not given up"
	least=10 # by netlink every look costs all sockets
	[ $p = proc ] || least=4 # 2,000 of 10,000, by turns
	check_eq "$(probe_jq $p "[.[].tcp[\"tcp-looks\"] | values | select(. > 0)] | min <= $least + 0.5")" true \
		"looks" && {
		if [ $p = proc ] || ! grep -q 'once a second' "$T/$p.err"; then ok; else fail "$(cat "$T/$p.err")"; fi
	}
	[ $p = proc ] || {
		case_begin "$p: that they have their turns is said, once, with the share"
		check_eq "$(grep -c 'a look reads the windows of 2000 of them, [0-9]* %, by turns' "$T/$p.err")" 1 \
			"messages" && ok
	}
	case_begin "$p: no record was lost, and memory stays bounded"
	check_eq "$(probe_jq $p 'map(.lost) | add')" 0 "lost" && {
		rss=$(awk '/^VmHWM/ { print $2 }' "/proc/$(probe_pid $p)/status")
		if [ "$rss" -lt 49152 ]; then ok; else fail "$rss KiB"; fi
	}
done

# ---- they all end at once ------------------------------------------------------------------------
exec 8>&-
kill -KILL $push $server_pid
empty() { [ -z "$(inside "$netns" ss -Htn state connected exclude time-wait)" ]; }
eventually empty
probe_settle $PROBES
# The second in which a probe turns from a process that is gone to all sockets has no look.
looked() { tail -n 1 "$T/$p.jsonl" | jq -e ".tcp.tcpsck != null" >/dev/null 2>&1; }
for p in $PROBES; do
	eventually looked
	case_begin "$p: all gone, and no byte more or less"
	check_eq "$(probe_jq $p '[.[].tcp.tcpsck | values] | last')" 0 "sockets" && {
		got=$(sum $p '(.tcp["tcp-rxkB/s"] // 0) * 1024')
		# The client's end of a connection is a byte, if it comes before the server's.
		if [ "$got" -ge $want ] && [ "$got" -le $((want + COUNT)) ]; then ok
		else fail "$got bytes of $want"; fi
	}
done
