#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2086,SC2154
# Metrics over HTTP: what is served is what was done, to curl, to strict parsers and to Prometheus;
# and clients that behave badly are only their own trouble.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup flock curl ss setpriv
loop_new 32M || all_skip "no loop device (modprobe loop)"

# A TCP port nobody listens on, in $port.
port=$((20000 + $$ % 10000))
free_port() {
	port=$((port + 1))
	while [ -n "$(ss -Hltn "sport = :$port")" ]; do port=$((port + 1)); done
}

OPENMETRICS='Accept: application/openmetrics-text;version=1.0.0'
get() { # PATH CURL-OPTION…: the body
	path=$1
	shift
	curl -s --max-time 120 "$@" "http://127.0.0.1:$web$path"
}
# The value of a series of limpet's, by its name and the inside of the braces.
value() { # NAME LABELS
	get /metrics | awk -v s="$1{$2} " 'index($0, s) == 1 { print $NF }'
}
served() { get / >/dev/null; }

free_port
web=$port
case_begin "--listen PORT serves on 127.0.0.1 only"
probe_start one --disk "$loop" --listen "$web"
probe_wait one 1
check_eq "$(ss -Hltn "sport = :$web" | awk '{ print $4 }')" "127.0.0.1:$web" "listens on" && ok

case_begin "23 reads and 17 writes are 23 and 17, with their bytes, and in the histograms"
read_direct "$loop" 4096 23
write_direct "$loop" 128K 17
probe_settle one
d="disk=\"$loop\""
check_eq "$(value limpet_disk_reads_total "$d") $(value limpet_disk_writes_total "$d")" "23 17" \
	"requests" &&
	check_eq "$(value limpet_disk_read_bytes_total "$d") \
$(value limpet_disk_written_bytes_total "$d")" "$((23 * 4096)) $((17 * 131072))" "bytes" &&
	for series in 'read",size="<=16KiB' 'write",size="<=16KiB' 'write",size="<=128KiB'; do
		value limpet_disk_latency_seconds_count "$d,op=\"$series\""
		value limpet_disk_latency_seconds_bucket "$d,op=\"$series\",le=\"+Inf\""
	done | tr '\n' ' ' >"$T/counts" && check_eq "$(cat "$T/counts")" "23 23 0 0 17 17 " \
		"_count, +Inf" && ok

case_begin "the format is the one asked for"
get /metrics -D "$T/head" -H "$OPENMETRICS" >"$T/om.txt"
om=$(tr -d '\r' <"$T/head" | sed -n 's/^Content-Type: //p')
get /metrics -D "$T/head" >"$T/prom.txt"
prom=$(tr -d '\r' <"$T/head" | sed -n 's/^Content-Type: //p')
check_eq "$om | $prom" "application/openmetrics-text; version=1.0.0; charset=utf-8 | \
text/plain; version=0.0.4; charset=utf-8" "Content-Type" &&
	check_eq "$(tail -n 1 "$T/om.txt") $(grep -c EOF "$T/prom.txt")" "# EOF 0" "end" &&
	check_eq "$(grep -c '^# TYPE limpet_disk_reads counter' "$T/om.txt") \
$(grep -c '^# TYPE limpet_disk_reads_total counter' "$T/prom.txt")" "1 1" "TYPE lines" && ok

case_begin "promtool check metrics has nothing to say"
if ! command -v promtool >/dev/null; then
	skip "'promtool' is not installed (Debian: prometheus)"
elif promtool check metrics <"$T/prom.txt" >"$T/promtool" 2>&1 && [ ! -s "$T/promtool" ]; then
	ok
else
	fail "$(cat "$T/promtool")"
fi

case_begin "the reference parser of OpenMetrics takes every line"
# Debian's, with Debian's modules: another python3 may come first in PATH.
python=$(PATH=/usr/bin:$PATH command -v python3)
if ! "$python" -c 'import prometheus_client' 2>/dev/null; then
	skip "no Python module 'prometheus_client' (Debian: python3-prometheus-client)"
else
	parsed=$("$python" - "$T/om.txt" 2>&1 <<'P'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
text = open(sys.argv[1]).read()
samples = [s for f in text_string_to_metric_families(text) for s in f.samples]
print(len(samples) == sum(not line.startswith("#") for line in text.splitlines()))
P
	)
	check_eq "$parsed" True "all samples parsed" && ok
fi

case_begin "HEAD has the headers of GET and no body"
get / -I >"$T/head"
get /metrics -I >>"$T/head"
check_eq "$(grep -c '^HTTP/1.1 200' "$T/head") $(grep -c '^Content-Length: [1-9]' "$T/head") \
$(get /metrics -X HEAD --raw -o "$T/body" -w '%{http_code} %{size_download}')" "2 2 200 0" \
	"status, lengths, body" && ok

case_begin "/ leads to the metrics; other paths are 404, other methods 405"
for what in "/ GET" "/metrics?x=1 GET" "/metric GET" "/metrics/ GET" "/.. GET" "/metrics POST" \
	"/metrics PUT" "/ DELETE" "/ OPTIONS" "/nothing POST"; do
	get "${what% *}" --path-as-is -X "${what#* }" -o /dev/null -w '%{http_code} '
done >"$T/codes"
get /metrics -X POST --data-binary @"$T/om.txt" -o /dev/null -w '%{http_code}' >>"$T/codes"
check_eq "$(cat "$T/codes")" "200 200 404 404 404 405 405 405 405 405 405" "statuses" &&
	check_eq "$(get / | grep -c 'href="/metrics"')" 1 "links" &&
	check_eq "$(get /metrics -X PUT -D - -o /dev/null | tr -d '\r' | grep '^Allow')" \
		"Allow: GET, HEAD" "header" && ok

case_begin "no thread of the probe has kept a capability, that of HTTP least"
check_eq "$(cat /proc/"$(probe_pid one)"/task/*/comm | grep -c '^limpet-http$') \
$(cat /proc/"$(probe_pid one)"/task/*/status | awk '/^CapEff|^CapPrm/ { print $2 }' | sort -u)" \
	"1 0000000000000000" "threads, capabilities" && ok

# Connects COUNT times, says TEXT, and stays until it is killed.
idlers() { # COUNT TEXT
	: >"$T/idle"
	python3 -c '
import socket, sys, time
kept = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(int(sys.argv[2]))]
for s in kept:
    try: s.sendall(sys.argv[3].encode())
    except OSError: pass
print("connected", flush=True)
time.sleep(600)' "$web" "$1" "$2" >"$T/idle" &
	idle=$!
	at_exit "end_child $idle"
	eventually [ -s "$T/idle" ]
}
case_begin "100 connections that send nothing keep nobody out, and the probe goes on"
idlers 100 ''
probe_settle one
get /metrics >"$T/text"
kept=$(ss -Htn state established "sport = :$web" | wc -l)
[ "$kept" -le 33 ] || fail "$kept of them are kept"
check_eq "$(grep -c "^limpet_disk_reads_total{$d} 23$" "$T/text")" 1 \
	"reads while they are there" && ok
case_begin "nor do 100 whose request has no end"
idlers 100 'GET /metrics HTTP/1.1
X: '
probe_settle one
check_eq "$(value limpet_disk_reads_total "$d")" 23 "reads while they are there" && ok

case_begin "a request that never ends is cut off, however steadily it comes"
python3 - "$web" >"$T/trickle" 2>&1 <<'P'
import select, socket, sys, time
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
for i in range(600):
    readable, _, _ = select.select([s], [], [], 0.1)
    try:
        if readable and not s.recv(100):
            break
        s.sendall(b"x")
    except OSError:
        break
else:
    print("still connected")
P
check_eq "$(cat "$T/trickle")" "" "after a minute" && ok

case_begin "a second probe on the same port says so and ends with status 1"
"$PROBE" record -j --disk "$loop" --listen "127.0.0.1:$web" 1 1 >"$T/out" 2>"$T/err"
check_eq "$?" 1 "status" &&
	if grep -q "cannot listen on '127.0.0.1:$web': Address already in use" "$T/err"; then ok; else
		fail "$(cat "$T/err")"
	fi

case_begin "a port below 1024 needs a capability, and the message names it"
if [ "$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)" -le 81 ]; then
	skip "ip_unprivileged_port_start is $(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)"
else
	setpriv --bounding-set -net_bind_service --inh-caps -net_bind_service \
		"$PROBE" record -j --disk "$loop" --listen 81 1 1 >"$T/out" 2>"$T/err"
	check_eq "$?" 1 "status" &&
		if grep -q "'81': Permission denied (.*CAP_NET_BIND_SERVICE" "$T/err"; then ok; else
			fail "$(cat "$T/err")"
		fi
fi

case_begin "what is no address is refused with a sentence and status 2"
for bad in '' 0 65536 9810x -1 localhost:9810 :9810 ::1:9810 '[::1]' '[::1]9810' 10.1:9810 \
	'[127.0.0.1]:9810' 127.0.0.1: '127.0.0.1:9810:1' "$(printf 'x%.0s' 1 2 3 4 5 6 7 8)%s%n:1"; do
	"$PROBE" record -j --disk "$loop" --listen "$bad" 1 1 >"$T/out" 2>"$T/err"
	check_eq "$? $(grep -cF "cannot listen on '$bad': " "$T/err") $(wc -l <"$T/err")" "2 1 1" \
		"'$bad': status, sentence, lines" || break
done
[ -z "$lib_case" ] || ok

case_begin "Prometheus, scraping each second, has exactly as many reads as were made"
if ! command -v prometheus >/dev/null; then
	skip "'prometheus' is not installed (tools/deps check)"
else
	free_port
	prometheus=$port
	cat >"$T/prometheus.yml" <<-C
		global: { scrape_interval: 1s, scrape_timeout: 1s }
		scrape_configs:
		  - job_name: limpet
		    static_configs: [ { targets: [ "127.0.0.1:$web" ] } ]
	C
	GOMAXPROCS=1 prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" \
		--web.listen-address="127.0.0.1:$prometheus" --log.level=warn >"$T/prometheus" 2>&1 &
	at_exit "end_child $!"
	query() { # PROMQL: the values
		curl -s --max-time 120 --data-urlencode "query=$1" \
			"http://127.0.0.1:$prometheus/api/v1/query" |
			jq -r '[.data.result[].value[1]] | join(" ")'
	}
	shows() { [ "$(query "$1")" = "$2" ]; } # PROMQL VALUE
	eventually shows 'up' 1
	read_direct "$loop" 4096 88
	write_direct "$loop" 4096 5
	probe_settle one
	eventually shows "limpet_disk_reads_total{$d}" 111
	check_eq "$(query "limpet_disk_reads_total{$d}") $(query "limpet_disk_writes_total{$d}") \
$(query "limpet_disk_read_bytes_total{$d}")" "111 22 $((111 * 4096))" "reads, writes, bytes" &&
		check_eq "$(query "sum(limpet_disk_latency_seconds_count{$d,op=\"read\"})") \
$(query "sum(limpet_disk_latency_seconds_bucket{$d,op=\"write\",le=\"+Inf\"})")" "111 22" \
			"histograms" && ok
	# Unit and type "info" are of OpenMetrics: so that is what Prometheus asked for and got.
	case_begin "Prometheus has understood types and units"
	metadata() { # FAMILY
		curl -s --max-time 120 --get --data-urlencode "metric=$1" \
			"http://127.0.0.1:$prometheus/api/v1/targets/metadata" |
			jq -r '.data[0] | "\(.type) \(.unit)"'
	}
	check_eq "$(metadata limpet_disk_read_bytes), $(metadata limpet_disk_latency_seconds), \
$(metadata limpet_host_cpu_user_ratio), $(metadata limpet_build)" \
		"counter bytes, histogram seconds, gauge ratio, info " "type and unit" &&
		check_eq "$(query "histogram_quantile(0.5, sum by (le) (limpet_disk_latency_seconds_bucket)) \
			> bool 0")" 1 "a median from the buckets" && ok
fi

case_begin "SIGTERM ends the probe with status 0 while clients are connected"
idlers 10 'GET /metrics HTTP/1.1'
probe_stop one TERM
check_eq "$status" 0 "status" && ok

case_begin "[::1]:PORT is served, with no other sink than HTTP"
if [ ! -e /proc/net/if_inet6 ] || ! grep -q '^0*1 ' /proc/net/if_inet6; then
	skip "no IPv6 on the loopback interface (sysctl net.ipv6.conf.lo.disable_ipv6=0)"
else
	free_port
	"$PROBE" record --disk "$loop" --listen "[::1]:$port" >"$T/out" 2>"$T/err" &
	six=$!
	at_exit "end_child $six"
	six() { curl -s --max-time 120 -o "$T/six" "http://[::1]:$port/metrics"; }
	swept() { six && grep -q '^limpet_probe_sweeps_total [1-9]' "$T/six"; }
	eventually swept
	kill -INT $six
	wait $six
	check_eq "$? $(grep -c '^limpet_disk_reads_total' "$T/six")" "0 1" "status, disks" && ok
fi
