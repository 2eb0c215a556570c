#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# waits: who reads nothing is dropped after a minute and a half
# Server-sent events of limpet serve, to some who read them and some who never do.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

# shellcheck disable=SC2034 # HOSTS is of serve.sh
D=$T/state HOSTS=5 R=tests/data/progress/progress.jsonl JOBS=120
serve_needs
mkdir "$T/logs"

# A real job with a late task, many times, with long names: each is decided, which is an event.
head -n "$(($(grep -n '_0003_m_000011_0.*outcome' $R | cut -d: -f1) - 1))" $R |
	awk -v jobs=$JOBS -v long="$(printf 'x%.0s' $(seq 80))" '!/_0003/ { print; next } { for (n = 1; n <= jobs; n++) { x = $0; gsub(/_0003/, "_" n long, x); print x } }' >"$T/logs/progress.jsonl"
mkfifo "$T/never"
(
	exec 9<>"$T/never"
	now=$(tail -n 1 "$T/logs/progress.jsonl" | jq .t)
	while ! read -rt 0.2 -u 9; do echo "{\"t\":$((now += 1500))}" >>"$T/logs/progress.jsonl"; done
) &
at_exit "end_child $!"
serve "$T/logs"
told() { [ "$(wc -l <"$T/events")" -ge $JOBS ]; }
within 90 told || fail "too few events: $(wc -l <"$T/events") $(tail -n 3 "$T/serve.log")"

case_begin "who never reads is dropped, and who reads has every event"
/usr/bin/python3 - "${METRICS##*:}" "$SERVE" "$T/heard" >"$T/out" 2>&1 <<-'END'
	import os, re, select, socket, sys, time
	def files():
	    return len(os.listdir(f"/proc/{sys.argv[2]}/fd"))
	def listen(reads):
	    s = socket.socket()
	    if not reads:  # so that the kernels keep little for it
	        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
	        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
	    s.connect(("127.0.0.1", int(sys.argv[1])))
	    s.sendall(b"GET /api/v1/events HTTP/1.0\r\nHost: localhost\r\nLast-Event-ID: x\r\n\r\n")
	    return s
	before = files()
	deaf, readers = [listen(False) for _ in range(20)], [listen(True) for _ in range(200)]
	got, until = {s: b"" for s in readers}, time.monotonic() + 170
	while time.monotonic() < until:
	    for s in select.select(readers, [], [], 1)[0]:
	        got[s] += s.recv(1 << 20)
	    if files() <= before + 200 and min(len(x) for x in got.values()) > 60000:
	        break
	ended = sum(s.recv(1, socket.MSG_DONTWAIT) == b"" for s in select.select(readers, [], [], 0)[0])
	print("open:", files() - before, "of readers ended:", ended)
	numbers = [[int(n) for n in re.findall(rb"\nid: [0-9a-f]+-([0-9]+)\n", x)] for x in got.values()]
	print("in order:", sum(x == list(range(1, len(x) + 1)) and len(x) >= 120 for x in numbers))
END
check_eq "$(cat "$T/out")" $'open: 200 of readers ended: 0\nin order: 200' 'connections, events' && ok
