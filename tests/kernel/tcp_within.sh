#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Connections within one host count once, as what the server has of them; TCP and MPTCP, and whether all
# sockets are looked at, those of a port, or those of the server.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip python3 ss
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_new || all_skip "no network namespaces here (CONFIG_NET_NS)"
inside "$netns" ip link set lo up

# Reads what comes and answers with as much again at the end of it. Its client sends 150000 bytes for each
# line of its standard input, over a connection of its own, and reads the answer.
cat >"$T/box.py" <<'P'
import socket, sys
role, protocol, port = sys.argv[1], {"tcp": 0, "mptcp": 262}[sys.argv[2]], int(sys.argv[3])
def take(s):
    n = 0
    while True:
        got = len(s.recv(65536))
        if not got:
            return n
        n += got
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
if role == "serve":
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", port))
    s.listen()
    print("ready", flush=True)
    kept = []
    while True:
        c = s.accept()[0]
        c.sendall(b"x" * take(c))
        c.shutdown(socket.SHUT_WR)
        kept.append(c)
for line in sys.stdin:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) as c:
        c.connect(("127.0.0.1", port))
        c.sendall(b"x" * 150000)
        c.shutdown(socket.SHUT_WR)
        print("done" if take(c) == 150000 else "wrong", flush=True)
P

within() { # PROTOCOL PORT
	: >"$T/server$1"
	ip netns exec "$netns" python3 "$T/box.py" serve "$1" "$2" >"$T/server$1" 2>"$T/server$1.err" &
	pid=$!
	at_exit "end_child $pid"
	eventually grep -q ready "$T/server$1" || { fail "$(cat "$T/server$1.err")"; return; }
	probe_start $1-all --disk "$loop" --netns "$netns"
	probe_start $1-port --disk "$loop" --netns "$netns" --port "$2"
	probe_start $1-pid --disk "$loop" --netns "$netns" --pid $pid
	for p in all port pid; do probe_wait $1-$p 2 || return; done
	check_eq "$(printf 'a\nb\nc\n' | inside "$netns" python3 "$T/box.py" ask "$1" "$2" | tr '\n' ' ')" \
		"done done done " "the client" && ok
	probe_settle $1-all $1-port $1-pid
	for p in all port pid; do
		# And an end each, which the kernel counts as a byte.
		case_begin "$1, $p: three connections carried their bytes once, as the server saw them"
		check_eq "$(probe_sums $1-$p tcp 0 tcp-rxkB/s tcp-txkB/s)" "450003 450003" \
			"bytes received, acknowledged" && ok
	done
}
# What a process of --pid has opened before the probe looks, and goes on using.
opened_before() {
	cat >"$T/before.py" <<'P'
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
s.connect(("127.0.0.1", 7101))
print("open", flush=True)
sys.stdin.readline()
s.sendall(b"x" * 90000)
print("sent", flush=True)
time.sleep(1000)
P
	mkfifo "$T/go"
	ip netns exec "$netns" python3 "$T/before.py" <"$T/go" >"$T/before" &
	pid=$!
	at_exit "end_child $pid"
	exec 5>"$T/go"
	eventually grep -q open "$T/before" || return
	acked=$(acknowledged)
	probe_start before --disk "$loop" --netns "$netns" --pid $pid
	probe_wait before 2 || return
	echo >&5
	eventually grep -q sent "$T/before" && probe_settle before
	# MPTCP may send some of it again, which TCP counts twice.
	check_eq "$(probe_sums before tcp 0 tcp-txkB/s)" $(($(acknowledged) - acked)) \
		"bytes acknowledged, by ss" && ok
}
# By the socket of that process.
acknowledged() {
	inside "$netns" ss -tinpH state established dst 127.0.0.1:7101 | grep -A1 "pid=$pid," |
		sed -n 's/.*bytes_acked:\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }'
}

case_begin "tcp: a server and a client within one host"
within tcp 7100
case_begin "mptcp: a server and a client within one host"
if why=$(python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)' 2>&1); then
	within mptcp 7101
	case_begin "mptcp, pid: a connection that was opened before"
	opened_before
else
	skip "no MPTCP here: ${why##*: }"
fi
