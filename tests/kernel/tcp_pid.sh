#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# --pid: the sockets of some processes and no others; what happens when they go.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip ss
loop_new 8M || all_skip "no loop device (modprobe loop)"

refused() { # STATUS MESSAGE OPTION…: nothing is recorded, and the message says why
	want=$1 message=$2
	shift 2
	timeout 120 "$PROBE" record -j --disk "$loop" "$@" 1 1 >"$T/out" 2>"$T/err"
	check_eq "$?" "$want" "exit status" || return 1
	[ ! -s "$T/out" ] || { fail "something was recorded"; return 1; }
	grep -q -- "$message" "$T/err" || { fail "$(cat "$T/err")"; return 1; }
}
gone() { ! kill -0 "$1" 2>/dev/null; }
sleep 0 &
none=$!
wait $none
case_begin "a word, 0 and a negative number are no processes"
refused 2 "'--pid glusterfsd' is not the number of a process" --pid glusterfsd &&
	refused 2 "'--pid 0' is not" --pid 0 && refused 2 "'--pid -1' is not" --pid=-1 && ok
case_begin "a process that is not there is refused"
refused 1 "'--pid $none': no such process" --pid $none && ok
case_begin "the same process twice is refused"
refused 2 "process $$ is given twice" --pid $$ --pid $$ && ok
case_begin "more processes than can be followed are refused"
set --
for i in 1 2 3 4 5 6 7 8 9; do set -- "$@" --pid $i; done
refused 2 "at most 8 processes" "$@" && ok

netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
helper_start one "$server" tcpbox serve 10.77.0.1 7000
one=$pid
helper_start two "$server" tcpbox serve 10.77.0.1 7001
two=$pid
helper_start three "$server" tcpbox serve 10.77.0.1 7002
ready() { grep -q ready "$T/$1.out"; }
for port in 7000 7001 7002; do
	helper_start idle$port "$client" tcpbox idle 10.77.0.1 $port 3 10.77.0.2
	eventually ready idle$port || break
done
probe_start first --disk "$loop" --netns "$server" --pid $one
probe_start both --disk "$loop" --netns "$server" --pid $one --pid $two
probe_start bothports --disk "$loop" --netns "$server" --port 7000 --port 7001
probe_start narrow --disk "$loop" --netns "$server" --pid $one --pid $two --port 7001
probe_start elsewhere --disk "$loop" --pid $one
probe_start raw --disk "$loop" --netns "$server" --pid $one --attach raw_tp
PROBES="first both bothports narrow elsewhere raw"
for p in $PROBES; do probe_wait $p 2 || break; done
for port in 7000 7001 7002; do
	inside "$client" "$O/tests/tcpbox" send 10.77.0.1 $port 10000 10.77.0.3 20
	helper_start put$port "$client" tcpbox put 10.77.0.1 $port 50000 10.77.0.4
	eventually ready put$port || break
done
probe_settle $PROBES

bytes() { # PROBE [FROM]: received
	probe_jq "$1" "[.[${2:-0}:][] | (.tcp[\"tcp-rxkB/s\"] // 0) * .interval_s * 1024 | round] | add"
}
sockets() { probe_jq "$1" '[.[].tcp.tcpsck | values] | last'; }
each=$((20 * 10001 + 50000))
case_begin "the sockets and bytes of one process, of two, and of two by their ports"
check_eq "$(sockets first) $(bytes first)" "4 $each" "of one" &&
	check_eq "$(sockets both) $(bytes both)" "8 $((2 * each))" "of two" &&
	check_eq "$(sockets bothports) $(bytes bothports)" "8 $((2 * each))" "by ports" && ok
case_begin "every metric of every host is the same by process and by port"
hosts() { # PROBE: sums of the rates, sockets at the end
	probe_jq $1 '[.[] | .interval_s as $i | .remote // {} | to_entries[] | {k: .key, v: .value | [.["tcp-rxkB/s"],
		.["tcp-txkB/s"], .["iseg/s"], .["oseg/s"], .["idseg/s"], .["odseg/s"], .["ooo/s"],
		.["retrans/s"]] | map((. // 0) * $i)}] | group_by(.k) |
		map([.[0].k, (map(.v) | transpose | map(add | round))]) | tostring'
}
check_eq "$(hosts both)" "$(hosts bothports)" "sums by host" && ok
case_begin "--port narrows it further"
check_eq "$(sockets narrow) $(bytes narrow)" "4 $each" "of one port" && ok
case_begin "a process in another namespace than --netns has no sockets here"
check_eq "$(sockets elsewhere) $(bytes elsewhere)" "0 0" "elsewhere" && ok
case_begin "without typed tracepoints nothing tells whose a socket is: all count, and the probe says so"
if ! grep -q -- "tcp-pid: .*--pid.*all TCP sockets" "$T/raw.err"; then fail "$(cat "$T/raw.err")"
else check_eq "$(sockets raw)" 12 "of the namespace" && ok; fi

# ---- they go -------------------------------------------------------------------------------------
kill -KILL $one
eventually gone $one
said() { grep -q "processes of --pid have gone" "$T/$1.err"; }
eventually said first
probe_settle first both
case_begin "one of two goes: the other's sockets are still those that count"
if said both; then fail "$(cat "$T/both.err")"
else
	# Three idle clients hear that their server has gone, and answer with their own end.
	both=$(bytes both)
	if [ $both -lt $((2 * each)) ] || [ $both -gt $((2 * each + 3)) ]; then fail "$both bytes"
	else check_eq "$(sockets both)" 4 "sockets" && ok; fi
fi
case_begin "the last goes: all sockets of the namespace, said once, and no burst of old bytes"
inside "$server" ss -Htn state established | wc -l >"$T/left"
settled() { [ "$(sockets first)" = "$(cat "$T/left")" ]; }
eventually settled
# The end of each of its four connections may still have come: a byte.
got=$(bytes first)
case $((got - each)) in [0-4]) got=$each ;; esac
check_eq "$(sockets first) $got" "$(cat "$T/left") $each" "sockets, bytes" &&
	check_eq "$(grep -c "have gone: from now on all TCP sockets" "$T/first.err")" 1 "times said" && ok
lines=$(probe_lines first)
inside "$client" "$O/tests/tcpbox" send 10.77.0.1 7002 10000 10.77.0.5 20
probe_settle first both
case_begin "from then on everything counts"
check_eq "$(bytes first $lines)" "$((20 * 10001))" "bytes" && ok
case_begin "what another process receives still does not count for the one that is left"
check_eq "$(bytes both)" "$both" "bytes" && ok
