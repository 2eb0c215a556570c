#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `limpet diagnose` of tables without a model, end to end: the slow server of a table that is made
# here, what the options do, and real tables: of slow drives, and of healthy servers.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
D=${LIMPET_TEST_DATA:-}

# table SLOW FROM: six servers over 20 minutes; oss3 takes SLOW times as long from second FROM on.
# oss5 has three times the load of the others, and as much more latency as that makes.
table() {
	awk -v slow="$1" -v from="$2" 'BEGIN {
		srand(5)
		print "time,node,load,lat"
		for (t = 0; t < 1200; t++)
			for (i = 1; i <= 6; i++) {
				load = 1e6 * 2 ^ (4 * rand()) * (i == 5 ? 3 : 1)
				lat = 5 * sqrt(load / 1e6) * (0.9 + 0.2 * rand())
				printf "%d,oss%d,%.0f,%.3f\n", 1700000000 + t, i, load,
					lat * (i == 3 && t >= from ? slow : 1)
			}
	}'
}

# diagnosed STATUS WORDS OPTION…: exit status, and words in what it prints.
diagnosed() {
	want=$1 words=$2
	shift 2
	"$L" diagnose --exit-code "$@" >"$T/out" 2>&1
	check_eq $? "$want" "exit status of '$*' ($(cat "$T/out"))" || return
	if grep -q "$words" "$T/out"; then ok; else fail "'$words' is not in: $(cat "$T/out")"; fi
}

table 3 600 >"$T/slow.csv"
table 1 0 >"$T/healthy.csv"

case_begin "a server that becomes slow is indicted, with the column and since when"
diagnosed 3 '^oss3 limps: slow.*lat given load' --signal lat --given load "$T/slow.csv"

case_begin "and nobody else"
check_eq "$(grep -c ' limp[se]' "$T/out")" 1 "servers indicted" &&
	if grep -q 'since 2023-11-14T22:23:20Z, indicted' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "load is no fault"
diagnosed 4 '^no server is indicted: 5 are well, 1 could not be judged' --signal lat --given load "$T/healthy.csv"

case_begin "but without --given it looks like one"
diagnosed 3 '^oss5 limps' --signal lat "$T/healthy.csv"

case_begin "differences below --floor are nothing"
diagnosed 4 '^no server is indicted' --signal lat --given load --floor 1000 "$T/slow.csv"

case_begin "JSON says the same, with the column of the finding"
"$L" diagnose --json --signal lat --given load "$T/slow.csv" >"$T/json" &&
	check_eq "$(jq -c '[.verdict, (.incidents[] | .server, .cause, .findings[0].signal)]' "$T/json")" \
		'["indicted","oss3","slow","lat"]' "verdict" && ok

case_begin "a table with no column that is known: it says so"
diagnosed 4 'name one with --signal' "$T/slow.csv"

case_begin "a column that is not there"
diagnosed 1 "no column 'latency'" --signal latency "$T/slow.csv"

case_begin "--given the same column"
diagnosed 1 "given itself" --signal lat --given lat "$T/slow.csv"

case_begin "--signal is not for series files"
diagnosed 1 "for tables" --signal lat tests/data/replay/series

case_begin "every disk of a table has a status of its own, and the server that is indicted one for it"
"$L" show --csv tests/data/disk-hog/series 2>/dev/null |
	"$L" diagnose --instance instance --json - >"$T/parts.json" 2>"$T/err"
check_eq "$(jq -r '[.parts[] | select(.disk | startswith("loop")) | "\(.server) \(.status)"] | join(", ")' "$T/parts.json")" \
	"oss-s1 unproven, oss-s2 unproven, oss-s3 indicted, oss-s4 unproven, oss-s5 unproven, oss-s6 unproven" "disks" &&
	check_eq "$(jq -r '[.servers[] | select(.status == "indicted").server] | join(" ")' "$T/parts.json")" oss-s3 \
		"servers" && ok

case_begin "a file of sar of one server: its disks are no servers, and it is not judged"
awk 'BEGIN {
	srand(2)
	print "# hostname;interval;timestamp;DEV;rkB/s;wkB/s;await;%util"
	for (t = 0; t < 600; t++)
		for (d = 0; d < 6; d++)
			printf "me;1;%d;sd%c;900;0;%.2f;%.2f\n", 1795230000 + t, 97 + d, 5 + rand(), 9 + rand()
}' >"$T/sadf.txt"
diagnosed 4 'cannot judge: fewer than 3 servers to compare' "$T/sadf.txt"

# seconds N FACTOR SERVERS: rows each second, oss4 takes FACTOR times as long
seconds() {
	awk -v n="$1" -v factor="$2" -v servers="$3" 'BEGIN {
		srand(3)
		print "time,node,lat"
		for (t = 0; t < n; t++)
			for (i = 1; i <= servers; i++)
				printf "%d,oss%d,%.4f\n", 1700000000 + t, i, 5 * (0.98 + 0.04 * rand()) * (i == 4 ? factor : 1)
	}' >"$T/seconds.csv"
}

# suspected WORD WORDS: why oss4 is suspicious and not indicted, in JSON and in text
suspected() {
	"$L" diagnose --json --signal lat "$T/seconds.csv" >"$T/json" && "$L" diagnose --signal lat "$T/seconds.csv" >"$T/out"
	check_eq "$(jq -r '.servers[3] | .status, .reason' "$T/json" | tr '\n' ' ')" "suspicious $1 " "status and reason" &&
		if tr -s ' \n' ' ' <"$T/out" | grep -q "not indicted: $2"; then ok; else fail "$(cat "$T/out")"; fi
}

for servers in 6 4; do
	case_begin "three times slower in a table of a minute, $servers servers: too little data, not too small a difference"
	seconds 60 3 $servers
	suspected little-data 'too little data yet to know that it lasts;'
done

case_begin "in a table of ten minutes it is indicted"
seconds 600 3 6
diagnosed 3 '^oss4 limps: slow: lat' --signal lat "$T/seconds.csv"

case_begin "1.2 times slower for an hour: too small a difference, whatever the data"
seconds 3600 1.2 6
suspected small-effect 'it is sure, but too small a difference to be a fault: it may be only 1[.]'

# What follows is of data that only their owner has.
[ -d "$D/failslow-drives" ] || exit 0

case_begin "real tables: slow drives are found, at most one other a host"
for f in "$D"/failslow-drives/h*.csv.gz; do
	host=$(basename "$f" .csv.gz)
	"$L" diagnose --json --signal latency --given throughput "$f" |
		jq -r '.incidents[].server' | sort >"$T/found" &&
		sed -n "s/^$host,//p" "$D/failslow-drives/labels.csv" | sort >"$T/slow"
	[ -z "$(comm -13 "$T/found" "$T/slow")" ] && [ "$(comm -23 "$T/found" "$T/slow" | wc -l)" -le 1 ] &&
		continue
	fail "$host: $(diff "$T/slow" "$T/found")"
	break
done
[ -z "$lib_case" ] || ok

case_begin "real tables: two writes a server are too few to judge"
diagnosed 4 'at most 2 values in a window' "$D/lustre-writes/healthy.csv"

set -- --node oss_host --counter read_bytes_cum --counter write_bytes_cum
for column in '' read_bytes_cum write_bytes_cum oss_pct_cpu oss_pct_mem ost_kbytes_used; do
	case_begin "real tables: five minutes of healthy Lustre servers indict nobody: ${column:-no --signal}"
	"$L" diagnose --exit-code "$@" ${column:+--signal "$column"} "$D/lustre-lmt/oss.csv.gz" >"$T/out" 2>&1
	case $? in
	0 | 4 | 5 | 6) if ! grep -v '^no server limps$' "$T/out" | grep -q ' limp[se]'; then ok; else fail "$(cat "$T/out")"; fi ;;
	*) fail "exit status: $(cat "$T/out")" ;;
	esac
done
