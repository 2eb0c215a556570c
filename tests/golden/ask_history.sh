#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What is kept of hours takes seconds to read: others are answered meanwhile, whoever is gone is not read for, the service ends, and keeps
# fewer days when it is told to.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

D=$T/state HOSTS=6
serve_needs
command -v zstd >/dev/null || all_skip "needs zstd (tools/deps check)"
echo 'LIMPET_SERVE_OPTIONS="--keep-days 30000"' >"$T/options"
serve --options "$T/options" tests/data/disk-hog/series
U=http://$METRICS
limps() { [ "$(metric 'limpet_indicted{server="oss-s3"')" = 1 ]; }
within 30 limps || fail "it does not answer: $(cat "$T/serve.log")"
# Forty hours of blocks (analyzer/history/blocks.h), each as of 100,000 servers, of which the verdict has six.
/usr/bin/python3 - "$T/block" <<'END'
import struct, sys

def row(server, value):
    return (struct.pack("B", len(server)) + server.encode() + struct.pack("<BQ", 0, 1) +
            struct.pack("<Bfff", 1, value, 10, 0.5) * 10)
with open(sys.argv[1], "wb") as to:
    to.write(b"\1" + b"".join(row("oss-s%d" % n, n) for n in range(1, 7)) + row("another", 10) * 100000)
END
zstd -q "$T/block"
sqlite3 "$D/history.db" "WITH RECURSIVE ago(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ago WHERE n < 240)
	INSERT INTO block(signal, from_ns, bytes) SELECT 'read', (unixepoch('2026-11-21T19:20:00') - n * 600) * 1000000000, readfile('$T/block.zst') FROM ago" ||
	all_skip "sqlite3 cannot fill the table"
LONG='/api/v1/series?server=oss-s3&signal=read&from=2026-11-20T04:00:00Z&to=2026-11-21T19:00:00Z'
cat >"$T/ask.py" <<'END'
import json, os, select, signal, socket, sys, time

port, long = int(sys.argv[1]), sys.argv[2]

def ask(path):
    s = socket.create_connection(("127.0.0.1", port), 300)
    s.settimeout(300)
    s.sendall(("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % path).encode())
    return s

def answer(s):
    got = b""
    while more := s.recv(65536):
        got += more
    head, body = got.split(b"\r\n\r\n", 1)
    return int(head.split()[1]), body

def answered(of):
    return select.select(of, [], [], 0)[0]
END

case_begin "while hours are read for some, others are answered"
/usr/bin/python3 - "${METRICS##*:}" "$LONG" >"$T/out" 2>&1 <<-END
	$(cat "$T/ask.py")
	some = [ask(long) for _ in range(12)]
	for path in "/healthz", "/", "/api/v1/servers", "/metrics":
	    print(path, answer(ask(path))[0], len(answered(some)) < 12)
	for s in some:
	    status, body = answer(s)
	    of = json.loads(body)
	    print(status, len(of["value"]), set(of["value"]), set(of["low"]), set(of["high"]))
END
check_eq "$(cat "$T/out")" "/healthz 200 True
/ 200 True
/api/v1/servers 200 True
/metrics 200 True
$(for _ in $(seq 12); do echo '200 335 {3.0} {1.0} {6.0}'; done)" 'the answers' && ok

case_begin "a page with charts of hours has them, and is as it was when it was asked for"
check_eq "$(curl -s --max-time 300 -o "$T/page" -w '%{http_code}' "$U/servers/oss-s3?span=1d&signal=read&disk=")" 200 'status' &&
	check_eq "$(grep -c '<figure>' "$T/page")" 1 'charts' && grep -q '<title>limpet: oss-s3 is indicted</title>' "$T/page" && grep -q '<h2>Incidents</h2>' "$T/page" && ok

case_begin "requests that come on a connection while one of it waits are answered after it"
/usr/bin/python3 - "${METRICS##*:}" "$LONG" >"$T/out" 2>&1 <<-END
	$(cat "$T/ask.py")
	s = socket.create_connection(("127.0.0.1", port), 300)
	s.sendall(("GET %s HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" % long).encode())
	answer(ask("/healthz"))
	s.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
	s.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
	got = b""
	while more := s.recv(65536):
	    got += more
	print(got.count(b"HTTP/1.1 200 OK"), got.count(b"step_s"), got.find(b"step_s") < got.find(b"ok"))
END
check_eq "$(cat "$T/out")" '3 1 True' 'answers' && ok

case_begin "64 wait at most, and for those that are gone nothing is read"
/usr/bin/python3 - "${METRICS##*:}" "$LONG" >"$T/out" 2>&1 <<-END
	$(cat "$T/ask.py")
	many = [ask(long) for _ in range(70)]
	refused, rest = [], many
	while not refused and rest:
	    ready = select.select(rest, [], [], 300)[0]
	    rest = [s for s in rest if s not in ready]
	    refused = [body for status, body in map(answer, ready) if status == 503]
	print(503, json.loads(refused[0])["wait_ms"], len(refused) <= 6)
	for s in rest:
	    s.close()
	# 64 times as long as one read takes would be too late
	for _ in range(15):
	    status, body = answer(ask(long))
	    if status == 200:
	        break
	    time.sleep(1)
	print(status)
END
check_eq "$(cat "$T/out")" $'503 5000 True\n200' 'the answers' && ok

case_begin "the service ends while it reads"
/usr/bin/python3 - "${METRICS##*:}" "$LONG" "$SERVE" >"$T/out" 2>&1 <<-END
	$(cat "$T/ask.py")
	some = [ask(long) for _ in range(4)]
	print(answer(ask("/healthz"))[0])
	os.kill(int(sys.argv[3]), signal.SIGTERM)
	print(sum(s.recv(1) == b"" for s in some) > 0)
END
# where it was not asked to
kill -TERM "$SERVE" 2>/dev/null
wait "$SERVE"
check_eq "$? $(cat "$T/out")" $'0 200\nTrue' 'its status, and what was answered' && ok

case_begin "fewer days are kept after a SIGHUP"
blocks() { [ "$(sqlite3 "file:$D/history.db?mode=ro" "SELECT count(*) FROM block WHERE from_ns < $(date -d '2026-11-21 19:10Z' +%s) * 1000000000")" "$1" 0 ]; }
serve --options "$T/options" tests/data/disk-hog/series
within 30 limps && blocks -gt || fail "it does not answer, or has nothing: $(tail -n 2 "$T/serve.log")"
echo 'LIMPET_SERVE_OPTIONS="--keep-days 2"' >"$T/options"
kill -HUP "$SERVE"
if within 20 blocks -eq; then ok; else fail "they are there: $(tail -n 2 "$T/serve.log")"; fi
