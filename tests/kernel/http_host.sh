#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Requests over HTTP that name another host than this one are refused, by limpet-probe and limpet watch.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup curl ss
loop_new 8M || all_skip "no loop device"

port=$((40000 + $$ % 10000))
free_port() {
	port=$((port + 1))
	while [ -n "$(ss -Hltn "sport = :$port")" ]; do port=$((port + 1)); done
}
status_of() { # PORT CURL-OPTION…
	of=$1
	shift
	curl -s --max-time 20 -o "$T/body" -w '%{http_code} ' "$@" "http://127.0.0.1:$of/metrics"
}
asked() { # PORT: what comes for each name, ours first
	for host in 127.0.0.1 "localhost:$1" "[::1]:9" "$(hostname)" "$(hostname):$1" metrics.example.com \
		a.fleet.example evil.example "$(hostname).evil.example"; do
		status_of $1 -H "Host: $host"
	done
	status_of $1 -0 -H 'Host:'
}
free_port
mkdir "$T/out"
probe_start one --disk "$loop" -o "$T/out" --listen $port --allow-host metrics.example.com. \
	--allow-host .fleet.example
probe_wait one 1
case_begin "the probe answers to addresses, its own name and names that were allowed; 421 is for others"
check_eq "$(asked $port)" "200 200 200 200 200 200 200 421 421 200 " "statuses" && ok
case_begin "who asks by another name is told what is wrong, at any path and by any method"
check_eq "$(status_of $port -X POST -H 'Host: evil.example')$(cat "$T/body")" \
	"421 this host has another name (see --allow-host)" "answer" && ok
case_begin "and the operator is told once, by the first such name"
check_eq "$(grep -c 'is refused' "$T/one.err") $(grep -c "'evil.example' is refused.*--allow-host" "$T/one.err")" \
	"1 1" "messages" && ok

free_port
"$O/limpet" watch --plain --listen $port "$T/out" --allow-host metrics.example.com \
	--allow-host .fleet.example >"$T/watch" 2>&1 &
at_exit "end_child $!"
serves() { [ "$(status_of $port)" = "200 " ]; }
case_begin "limpet watch does the same"
eventually serves && check_eq "$(asked $port)" "200 200 200 200 200 200 200 421 421 200 " "statuses" && ok
probe_stop one

case_begin "what is no name is refused with status 2"
for bad in '' 'a:1' '*' 'a b'; do
	"$PROBE" record -j --disk "$loop" --listen 9 --allow-host "$bad" 1 1 >"$T/stdout" 2>"$T/stderr"
	check_eq "$? $(grep -cF -- "'--allow-host $bad': " "$T/stderr")" "2 1" "'$bad': status, sentence" || break
done
[ -z "$lib_case" ] || ok
