#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the all-clear claims: "no server limps" only where a resource that is twice as bad would have been seen; where
# it was used and would not have been, servers are unproven, with the ratio that was needed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
[ -x "$O/simulate" ] || all_skip "$O/simulate is not built (make)"

# diagnosed STATUS FIRST-LINE-REGEX SOURCE…
diagnosed() {
	want=$1 first=$2
	shift 2
	"$L" diagnose --exit-code "$@" >"$T/out" 2>"$T/err"
	check_eq $? "$want" "exit status ($(head -n 3 "$T/out" "$T/err"))" || return
	if head -n 1 "$T/out" | grep -q "$first"; then ok; else fail "$(head -n 3 "$T/out")"; fi
}

for work in light ddr; do
	"$O/simulate" pfs -w $work --servers 8 --clients 8 --fault none --seconds 600 --brief --seed 40001 \
		--cluster-seed 41001 "$T/$work" || echo "# simulate: status $?"
done

case_begin "steady work of ten minutes: clean, status 0"
diagnosed 0 '^no server limps$' "$T/light"

case_begin "disks whose latency goes up and down with the work: unproven, status 6, and by how much"
diagnosed 6 '^no server is seen to limp, but a disk that takes 2 x as long would not have been seen: a' "$T/ddr"

case_begin "below, which resource, the ratios, and what helps"
if tr -s ' \n' ' ' <"$T/out" | grep -q 'unproven disk of 8 servers: faults below [0-9.]* x to [0-9.]* x in [a-z ]* would be missed (longer recordings'
then ok; else fail "$(cat "$T/out")"; fi

case_begin "without --exit-code the status is 0"
"$L" diagnose "$T/ddr" >"$T/out" 2>&1
check_eq $? 0 "exit status" && ok

case_begin "JSON: the verdict, each server, and the list of what is unproven"
"$L" diagnose --json "$T/ddr" >"$T/json" 2>"$T/err"
check_eq "$(jq -r '.verdict, (.servers | map(.status) | unique | .[]), (.unproven | length),
	(.unproven | map(.resource + " " + .disk) | unique | .[]), (.unproven | map(.seen > 2) | all)' "$T/json" | tr '\n' ' ')" \
	"unproven unproven 8 disk sda true " "verdict" && ok

case_begin "watch --once tells the same, and its exit status"
"$L" watch --once --json --exit-code "$T/ddr" >"$T/lines" 2>"$T/err"
check_eq $? 6 "exit status ($(cat "$T/err"))" && ok

# table JITTER: five servers, an hour, latencies that go up and down by JITTER from minute to minute
table() {
	awk -v jitter="$1" 'BEGIN {
		srand(11)
		print "time,node,lat"
		for (t = 0; t < 3600; t += 10)
			for (i = 1; i <= 5; i++) {
				if (t % 300 == 0)
					level[i] = exp(jitter * (rand() - 0.5))
				printf "%d,oss%d,%.4f\n", 1700000000 + t, i, 5 * level[i] * (0.9 + 0.2 * rand())
			}
	}'
}

case_begin "a table of steady latencies: clean"
table 0.02 >"$T/steady.csv"
diagnosed 0 '^no server limps$' --signal lat "$T/steady.csv"

case_begin "a table of bursts that differ between servers: unproven in its column"
table 4 >"$T/bursts.csv"
diagnosed 6 '^no server is seen to limp, but values 2 x worse would not have been seen: a ratio of' --signal lat "$T/bursts.csv"
