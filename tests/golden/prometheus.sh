#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prometheus as a source: a real one whose blocks hold six servers' counters says what the same numbers in a CSV say, also over
# TLS; what is asked for is what a real node_exporter serves; and a server that lies, hangs up or never ends is an error.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || all_skip "needs python3 (tools/deps check)"
command -v prometheus >/dev/null && command -v promtool >/dev/null || all_skip "needs prometheus (tools/deps check)"
FROM=@1767571200 TO=@1767574800

# says STATUS WORDS SOURCE OPTION…
says() {
	want=$1 words=$2
	shift 2
	timeout 120 "$L" diagnose --from $FROM --to $TO "$@" >"$T/out" 2>"$T/err"
	check_eq $? "$want" "exit status of '$*' ($(cat "$T/err"))" || return
	if cat "$T/out" "$T/err" | tr -s ' \n' '  ' | grep -q "$words"; then ok; else fail "'$words' is not in: $(cat "$T/out" "$T/err")"; fi
}

port() {
	"$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}


# start PORT SCHEME OPTION…: a Prometheus that has the blocks
start() {
	at=$1 scheme=$2
	shift 2
	GOMAXPROCS=1 prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" --storage.tsdb.retention.time=50y --web.listen-address="127.0.0.1:$at" --log.level=warn "$@" >"$T/log.$at" 2>&1 &
	prometheus=$!
	at_exit "end_child $prometheus"
	for _ in $(seq 600); do
		! curl -sk -o /dev/null --max-time 5 --fail "$scheme://127.0.0.1:$at/-/ready" || return 0
		kill -0 $prometheus 2>/dev/null || break
		sleep 0.1
	done
	return 1
}

# Six servers, an hour of 15 s; from the twentieth minute on reads of io3 take twice as long. The counters as OpenMetrics,
# and what they are between two scrapes as CSV, by arithmetic of its own.
"$PYTHON" - "$T" <<'END'
import random, sys
r, begin = random.Random(1), 1767571200
names = {"node_disk_reads_completed": [], "node_disk_read_time_seconds": [], "node_disk_read_bytes": []}
with open(sys.argv[1] + "/counters.csv", "w") as csv:
    csv.write("time,node,disk,r/s,rkB/s,r_await\n")
    for n in range(1, 7):
        reads, took, size = 1000 * n, 5.0 * n, 1 << 20
        at = begin + 2 * n
        for k in range(239):
            t = at + 15 * k
            more = r.randrange(1400, 1600)
            ms = r.gauss(5, 0.3) * (2 if n == 3 and t > begin + 1200 else 1)
            if k:
                before = reads, took
                reads, took, size = reads + more, round(took + more * ms / 1e3, 3), size + more * 65536
                csv.write(f"{t},io{n},sda,{more / 15:.17g},{more * 64 / 15:.17g},{1e3 * (took - before[1]) / more:.17g}\n")
            label = f'{{instance="io{n}:9100",device="sda"}}'
            for name, value in zip(names, (reads, took, size)):
                names[name].append(f"{name}_total{label} {value} {t}")
with open(sys.argv[1] + "/counters", "w") as to:
    for name, lines in names.items():
        to.write(f"# TYPE {name} counter\n" + "\n".join(lines) + "\n")
    to.write("# EOF\n")
END
echo 'global: { scrape_interval: 15s }' >"$T/prometheus.yml"
promtool tsdb create-blocks-from openmetrics "$T/counters" "$T/tsdb" >"$T/out" 2>&1
web=$(port)
start "$web" http || fail "Prometheus did not start: $(cat "$T/log.$web")"

# The same an hour ago, for what looks at the clock.
now=$(date +%s)
awk -v by=$((now - 3700 - 1767571200)) '/^#/ { print; next } { $3 += by; print }' "$T/counters" >"$T/recent.counters"
promtool tsdb create-blocks-from openmetrics "$T/recent.counters" "$T/recent" >"$T/out" 2>&1
mv "$T/tsdb" "$T/tsdb.old" && mv "$T/recent" "$T/tsdb"
recent=$(port)
start "$recent" http || fail "Prometheus did not start: $(cat "$T/log.$recent")"

case_begin "the slow disk of six servers is named"
says 0 '^io3 limps: slow: r_await' "prometheus://127.0.0.1:$web"

case_begin "the verdict is that of the same numbers in a CSV"
"$L" diagnose --json --explain --instance disk --from $FROM --to $TO "$T/counters.csv" >"$T/csv.json" 2>"$T/err" &&
	"$L" diagnose --json --explain --from $FROM --to $TO "http://127.0.0.1:$web/" >"$T/prometheus.json" 2>>"$T/err"
if "$PYTHON" - "$T/csv.json" "$T/prometheus.json" >"$T/diff" 2>&1 <<'END'
import json, math, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
def same(a, b, path):
    if isinstance(a, dict) and isinstance(b, dict):
        assert a.keys() == b.keys(), path
        for k in a: same(a[k], b[k], f"{path}.{k}")
    elif isinstance(a, list) and isinstance(b, list):
        assert len(a) == len(b), (path, len(a), len(b))
        for i, (x, y) in enumerate(zip(a, b)): same(x, y, f"{path}[{i}]")
    elif isinstance(a, float) or isinstance(b, float):
        assert math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9), (path, a, b)
    else:
        assert a == b, (path, a, b)
assert [i["server"] for i in a["incidents"]] == ["io3"]
for key in ("incidents", "servers", "verdict", "not_judged", "unproven", "judged"):
    same(a[key], b[key], key)
END
then ok; else fail "$(cat "$T/diff" "$T/err")"; fi

case_begin "what is asked for with --metric is what is read"
says 0 "no server limps\|cannot judge\|does not judge\|nothing" -m r/s "prometheus://127.0.0.1:$web"

case_begin "labels that no series has are an error that says so"
says 4 "it has none of the counters of node_exporter, Ceph or Lustre (node_disk_reads_completed_total …) with these labels" \
	"prometheus://127.0.0.1:$web?job=nobody"

case_begin "what Prometheus refuses is told in its words"
says 1 "it says: .*parse error" "prometheus://127.0.0.1:$web?job=~["

case_begin "beside a series file it is left out"
"$L" diagnose "prometheus://127.0.0.1:$web" tests/data/disk-hog/series >"$T/out" 2>"$T/err"
check_eq "$? $(grep -c '^oss-s3 limps' "$T/out") $(grep -c "one command takes one of the two" "$T/err")" "0 1 1" "$(cat "$T/err")" && ok

# ---- Ceph -----------------------------------------------------------------------------------------
# Writes of osd.3 take five times as long, its own and those that it does for osd.2.
"$PYTHON" - "$T" <<'END'
import random, sys
r, begin = random.Random(3), 1767571200
names = ["op_w", "op_w_latency_sum", "op_w_latency_count", "subop_w_latency_sum", "subop_w_latency_count"]
lines = {name: [] for name in names}
for n in range(6):
    c = dict.fromkeys(names, 0.0)
    for k in range(240):
        for name in names:
            lines[name].append(f'ceph_osd_{name}{{ceph_daemon="osd.{n}",instance="mgr:9283"}} {c[name]:.6f} {begin + 15 * k}')
        bad = k > 80
        writes, replicas = r.randrange(900, 1100), r.randrange(900, 1100)
        own = r.gauss(4, 0.2) * (5 if n == 3 and bad else 1)
        ms = own + (r.gauss(16, 0.5) if n == 2 and bad else r.gauss(1, 0.1))
        for name, more in zip(names, (writes, writes * ms / 1e3, writes, replicas * own / 1e3, replicas)):
            c[name] += more
with open(sys.argv[1] + "/ceph.counters", "w") as to:
    for name in names:
        to.write(f"# TYPE ceph_osd_{name} unknown\n" + "\n".join(lines[name]) + "\n")
    to.write("# EOF\n")
END
case_begin "Ceph: the slow OSD is named, and the primary that waits for it is not"
promtool tsdb create-blocks-from openmetrics "$T/ceph.counters" "$T/ceph" >"$T/out" 2>&1
mv "$T/tsdb" "$T/recent" && mv "$T/ceph" "$T/tsdb"
ceph=$(port)
if start "$ceph" http; then
	"$L" diagnose --json --from $FROM --to $TO "prometheus://127.0.0.1:$ceph" >"$T/json" 2>"$T/err"
	check_eq "$(jq -r '[.incidents[].server], [.notices[] | select(.kind == "waits") | .server] | join(" ")' "$T/json" | paste -sd/)" \
		"osd.3/osd.2" "$(cat "$T/err")" && ok
else
	fail "Prometheus did not start: $(cat "$T/log.$ceph")"
fi
mv "$T/tsdb" "$T/ceph" && mv "$T/recent" "$T/tsdb"

# ---- watch ----------------------------------------------------------------------------------------
case_begin "watch --once tells what diagnose does"
"$L" watch --once --json --from $FROM "prometheus://127.0.0.1:$web" >"$T/once.json" 2>"$T/err"
check_eq "$? $(jq -r '.incidents[0].server' "$T/once.json")" "0 io3" "$(cat "$T/err")" && ok

case_begin "watch tells of a server that limps, and runs the alert program"
cat >"$T/alert" <<'END'
#!/bin/sh
echo "$1 $2" >>"${0%/*}/alerts"
END
chmod +x "$T/alert"
"$L" watch --from @$((now - 3700)) --alert "$T/alert" "prometheus://127.0.0.1:$recent" >"$T/lines" 2>"$T/err" &
watch=$!
at_exit "end_child $watch"
for _ in $(seq 600); do
	[ ! -s "$T/alerts" ] || break
	sleep 0.1
done
kill -TERM $watch
wait $watch
check_eq "$? $(grep -c ' opened io3 limps: slow: r_await' "$T/lines") $(cat "$T/alerts")" "0 1 opened io3" \
	"$(cat "$T/lines" "$T/err")" && ok

case_begin "watch: who is not there at the beginning is misspelt"
timeout 60 "$L" watch prometheus://127.0.0.1:1 >"$T/out" 2>"$T/err"
check_eq "$? $(grep -c 'Failed to connect' "$T/err")" "1 1" "$(cat "$T/out" "$T/err")" && ok

case_begin "watch: a source that is missing at the first look is asked again after half a minute"
timeout 5 "$L" watch --from @$((now - 3700)) "prometheus://127.0.0.1:$recent" prometheus://127.0.0.1:1 >"$T/out" 2>"$T/err"
check_eq "$(grep -c ' opened io3 limps' "$T/out") $(grep -c 'Failed to connect' "$T/err")" "1 1" "$(cat "$T/out" "$T/err")" && ok

case_begin "watch: a Prometheus beside a folder is refused"
timeout 60 "$L" watch "prometheus://127.0.0.1:$web" tests/data >"$T/out" 2>"$T/err"
check_eq "$? $(grep -c "is watched alone: run another 'limpet watch' for 'tests/data'" "$T/err")" "2 1" "$(cat "$T/err")" && ok

# ---- TLS ------------------------------------------------------------------------------------------
case_begin "over TLS, with --ca-file; without it the certificate is refused"
if command -v openssl >/dev/null; then
	tls=$(port)
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$T/key" -out "$T/cert" -days 2 -subj /CN=127.0.0.1 \
		-addext subjectAltName=IP:127.0.0.1 2>"$T/err" &&
		printf 'tls_server_config: { cert_file: %s, key_file: %s }\n' "$T/cert" "$T/key" >"$T/web.yml" &&
		mv "$T/tsdb" "$T/recent" && cp -r "$T/tsdb.old" "$T/tsdb" && start "$tls" https --web.config.file="$T/web.yml" ||
		fail "Prometheus did not start: $(cat "$T/log.$tls" "$T/err")"
	"$L" diagnose --from $FROM --to $TO "https://127.0.0.1:$tls" >"$T/out" 2>"$T/err"
	check_eq "$? $(grep -c certificate "$T/err")" "1 1" "without --ca-file ($(cat "$T/err"))" &&
		says 0 '^io3 limps: slow: r_await' --ca-file "$T/cert" "prometheus+https://127.0.0.1:$tls"
else
	skip "needs openssl (tools/deps check)"
fi

# ---- servers that lie -------------------------------------------------------------------------------
"$PYTHON" tests/golden/prometheus_server.py "$T/port" "$T/queries" 2>"$T/lies" &
at_exit "end_child $!"
for _ in $(seq 600); do
	[ ! -s "$T/port" ] || break
	sleep 0.1
done
lies=prometheus://127.0.0.1:$(cat "$T/port")

case_begin "a token is asked for"
says 1 "it wants a token, --token-file FILE" "$lies/token"
echo wrong >"$T/token"
case_begin "a wrong token is refused"
says 1 "it refuses (status 401)$\|it refuses (status 401) " --token-file "$T/token" "$lies/token"
echo right-token >"$T/token"
case_begin "the right token is sent"
says 4 "cannot judge: fewer than 3 servers" --token-file "$T/token" "$lies/token"
case_begin "a token that is none is refused before anybody sees it"
printf 'two words\n' >"$T/token"
says 1 "the first line of '$T/token' is no token" --token-file "$T/token" "$lies/token"
case_begin "a file of tokens that is not there is an error"
says 1 "cannot read the token in '$T/nowhere': No such file" --token-file "$T/nowhere" "$lies/token"

case_begin "a redirect is not followed"
says 1 "it redirects (status 302)" "$lies/elsewhere"
case_begin "200 MiB that are packed into little are refused"
says 1 "the answer is longer than 32 MiB" "$lies/bomb"
case_begin "an answer that is cut off is an error"
says 1 "cannot read '$lies/cut': .*\(transfer closed\|outstanding\)" "$lies/cut"
case_begin "a server that hangs up is an error"
says 1 "cannot read '$lies/hangs-up': Empty reply" "$lies/hangs-up"
case_begin "nobody who listens is an error"
says 1 "cannot read 'prometheus://127.0.0.1:1': Failed to connect" prometheus://127.0.0.1:1

# ---- node_exporter ---------------------------------------------------------------------------------
case_begin "each counter that is asked for is one that node_exporter serves"
if command -v prometheus-node-exporter >/dev/null; then
	exporter=$(port)
	prometheus-node-exporter --web.listen-address="127.0.0.1:$exporter" --log.level=error >"$T/exporter" 2>&1 &
	at_exit "end_child $!"
	for _ in $(seq 600); do
		! curl -s --max-time 5 --fail "http://127.0.0.1:$exporter/metrics" >"$T/metrics" || break
		sleep 0.1
	done
	rm -f "$T/queries"
	"$L" diagnose "$lies/any" >"$T/out" 2>&1
	sed 's/[{[].*//' "$T/queries" | sort -u >"$T/asked"
	[ -e /proc/pressure/cpu ] || sed -i '/_pressure_/d' "$T/asked"
	missing=$(while read -r name; do grep -q "^# TYPE $name \(counter\|untyped\)" "$T/metrics" || echo "$name"; done <"$T/asked")
	[ "$(wc -l <"$T/asked")" -ge 15 ] && check_eq "$missing" "" "not served" && ok
else
	skip "needs prometheus-node-exporter (tools/deps check)"
fi

case_begin "a Prometheus that scrapes three of them: three servers are read"
if [ -n "${exporter:-}" ]; then
	e2=$(port)
	prometheus-node-exporter --web.listen-address="127.0.0.1:$e2" --log.level=error >"$T/exporter2" 2>&1 &
	at_exit "end_child $!"
	e3=$(port)
	prometheus-node-exporter --web.listen-address="127.0.0.1:$e3" --log.level=error >"$T/exporter3" 2>&1 &
	at_exit "end_child $!"
	cat >"$T/live.yml" <<-C
		global: { scrape_interval: 1s, scrape_timeout: 1s }
		scrape_configs: [ { job_name: node, static_configs: [ { targets: [ "127.0.0.1:$exporter", "127.0.0.1:$e2", "127.0.0.1:$e3" ] } ] } ]
	C
	live=$(port)
	GOMAXPROCS=1 prometheus --config.file="$T/live.yml" --storage.tsdb.path="$T/live" --web.listen-address="127.0.0.1:$live" \
		--log.level=warn >"$T/log.live" 2>&1 &
	at_exit "end_child $!"
	for _ in $(seq 60); do
		"$L" diagnose --json "prometheus://127.0.0.1:$live?device=~.*" >"$T/live.json" 2>"$T/err"
		[ "$(jq '.servers | length' "$T/live.json" 2>&1)" != 3 ] || break
		sleep 1
	done
	check_eq "$(jq -r '[.servers[].server] | sort | join(" ")' "$T/live.json" 2>&1)" \
		"$(printf '127.0.0.1:%s\n' "$exporter" "$e2" "$e3" | sort | paste -sd' ')" "servers ($(cat "$T/err" "$T/log.live"))" && ok
else
	skip "needs prometheus-node-exporter (tools/deps check)"
fi
