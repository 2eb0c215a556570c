#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# SIGHUP with other ports and processes in the options' file, of a probe without rights: which connections
# are looked at, and that every byte of them counts from then on.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip ss sqlite3
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
mkdir "$T/etc" "$T/out"
FILE=$T/etc/options
options() { echo "LIMPET_PROBE_OPTIONS=\"--disk $loop --netns $server $*\"" >"$FILE"; }
hup() { # MESSAGE: which it waits for
	: >"$T/box.err"
	kill -HUP "$(probe_pid box)"
	eventually grep -q -- "$1" "$T/box.err"
}
last() { probe_jq box '[.[].tcp.tcpsck | values] | last'; }
seen() { [ "$(last)" = "$1" ]; }
bytes() { probe_jq box "[.[] | (.tcp[\"tcp-rxkB/s\"] // 0) * .interval_s * 1024 | round] | add"; }
# Connections that stand, and one that sends so many bytes and stays.
stand() { # NAME PORT COUNT FROM
	helper_start "$1" "$client" tcpbox idle 10.77.0.1 "$2" "$3" "$4"
	eventually grep -q ready "$T/$1.out"
}
put() { # NAME PORT BYTES FROM
	helper_start "$1" "$client" tcpbox put 10.77.0.1 "$2" "$3" "$4"
	eventually grep -q ready "$T/$1.out"
}

helper_start one "$server" tcpbox serve 10.77.0.1 7000
one=$pid
helper_start two "$server" tcpbox serve 10.77.0.1 7001
two=$pid
stand idle0 7000 3 10.77.0.2
stand idle1 7001 5 10.77.0.3

options --port 7000
probe_start box --options "$FILE" -o "$T/out"
probe_wait box 2 || exit 1
case_begin "another port, instead of the first: its connections, and no others"
eventually seen 3
before=$(bytes)
options --port 7001
hup 'have changed: --port$'
eventually seen 5
probe_settle box
check_eq "$((before - $(bytes)))" 0 "bytes of before that count" && {
	put a0 7000 1000 10.77.0.2
	put a1 7001 20000 10.77.0.3
	probe_settle box
	check_eq "$(last) $(($(bytes) - before))" "6 20000" "sockets, bytes" && ok
}
case_begin "both: what the first had counted meanwhile is nobody's, and what comes counts"
before=$(bytes)
options --port 7000 --port 7001
hup 'have changed: --port$'
eventually seen 10
put b0 7000 3000 10.77.0.2
probe_settle box
check_eq "$(last) $(($(bytes) - before))" "11 3000" "sockets, bytes" && ok
case_begin "no port: every connection of the namespace"
options
hup 'have changed: --port$'
put c1 7001 500 10.77.0.3
probe_settle box
check_eq "$(last) $(($(bytes) - before))" "12 3500" "sockets, bytes" && ok
case_begin "the first process takes a restart, and is said so"
options --pid $one
: >"$T/box.err"
kill -HUP "$(probe_pid box)"
eventually grep -q -- "'--pid' has changed in .*: that takes a restart" "$T/box.err"
probe_settle box
check_eq "$(last)" 12 "sockets" && ok
probe_stop box

options --pid $one
probe_start box --options "$FILE" -o "$T/out"
probe_wait box 2 || exit 1
case_begin "another process: its connections, and no others; the file says so"
eventually seen 5
before=$(bytes)
options --pid $two
hup 'have changed: --pid$'
eventually seen 7
put d0 7000 100 10.77.0.2
put d1 7001 4000 10.77.0.3
probe_settle box
check_eq "$(last) $(($(bytes) - before))" "8 4000" "sockets, bytes" && {
	rm -f "$T/said"
	for file in "$T"/out/box-*.limpet; do
		sqlite3 "$file" "SELECT value FROM meta WHERE key = 'pids'" >>"$T/said"
	done
	check_eq "$(cat "$T/said")" "$two" "processes in the file" && ok
}
case_begin "a process that has gone, and the one that was started in its place"
kill -KILL $two
eventually grep -q 'have gone' "$T/box.err"
helper_start three "$server" tcpbox serve 10.77.0.1 7002
three=$pid
options --pid $three
hup 'have changed: --pid$'
eventually seen 0
before=$(bytes)
put e2 7002 700 10.77.0.4
put e0 7000 900 10.77.0.2
probe_settle box
check_eq "$(last) $(($(bytes) - before))" "1 700" "sockets, bytes" && ok
case_begin "one that is not there: nothing changes, and that is said"
options --pid 4194300 --port 7000
hup 'all options stay as they were'
grep -q 'no such process' "$T/box.err" && probe_settle box && check_eq "$(last)" 1 "sockets" && ok
