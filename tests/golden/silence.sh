#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server that stopped reporting before the end of a table is not well, by the rule of recordings: eight steps of its
# own rows, of 4 s at least, while most of its peers go on.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet

# table UNTIL STEP: latencies of six servers each 10 s for an hour (each 1 s: ten minutes); oss4 has the last row before
# second UNTIL, and one each STEP s. -v late=S: oss4 begins then; -v from=S: it is back then; -v out=N: servers 1 to N
# stop with it; -v slow=F; -v random=P: its rows come at random.
table() {
	until=$1 step=$2
	shift 2
	awk -v until="$until" -v step="$step" -v all=10 -v slow=1 -v from=99999 -v random=1 "$@" 'BEGIN {
		srand(11)
		print "time,node,lat"
		for (t = 0; t < (all == 1 ? 600 : 3600); t += all)
			for (i = 1; i <= 6; i++) {
				lat = 5 * (0.9 + 0.2 * rand()) * (i == 4 && t >= 300 ? slow : 1)
				chance = rand()
				if (i == 4 && (t < late || t % step || chance > random)) continue
				if ((i == 4 || i <= out) && t >= until && t < from) continue
				printf "%d,oss%d,%.4f\n", 1700000000 + t, i, lat
			}
	}'
}

# says STATUS FIRST-LINE OPTION…: of the table on standard input.
says() {
	want=$1 first=$2
	shift 2
	cat >"$T/table"
	"$L" diagnose --exit-code --signal lat "$@" "$T/table" >"$T/out" 2>"$T/err"
	check_eq "$? $(head -n 1 "$T/out")" "$want $first" "status and first line ($(cat "$T/out" "$T/err"))"
}
gone='no server is indicted: 5 are well, 1 could not be judged; oss4 stopped reporting'

case_begin "eight rows are missing at the end: not judged, status 4"
table 3520 10 | says 4 "$gone" && ok

case_begin "the reason, and since when"
if grep -qx 'not judged: oss4 (stopped reporting)' "$T/out" &&
	grep -qx '  - oss4 stopped reporting (silent; 2023-11-14T23:11:50Z to 2023-11-14T23:13:10Z)' "$T/out"
then ok; else fail "$(cat "$T/out")"; fi

case_begin "JSON: the word, the sentence, and the notice"
"$L" diagnose --json --signal lat "$T/table" >"$T/json" 2>"$T/err"
check_eq "$(jq -c '[.verdict, (.servers[] | select(.status != "well")), (.notices[] | .kind, .server, .from, .to)]' "$T/json")" \
	'["partly-judged",{"server":"oss4","group":"1","status":"not-judged","reason":"silent","why":"stopped reporting"},"silent","oss4","2023-11-14T23:11:50Z","2023-11-14T23:13:10Z"]' \
	"JSON" && ok

case_begin "JSON Lines of the same: the same verdict"
awk -F, 'NR > 1 { printf "{\"time\":%s,\"node\":\"%s\",\"lat\":%s}\n", $1, $2, $3 }' "$T/table" >"$T/table.jsonl"
check_eq "$("$L" diagnose --json --signal lat "$T/table.jsonl" | cmp - "$T/json")" '' "JSON" && ok

case_begin "seven rows are missing: all are well"
table 3530 10 | says 0 'no server limps' && ok

case_begin "rows each second: 31 s are no silence, and 32 s are"
table 569 1 -v all=1 | says 0 'no server limps' && table 568 1 -v all=1 | says 4 "$gone" && ok

case_begin "a server with a row each minute, its peers with six: eight of its minutes count"
table 3180 60 | says 0 'no server limps' && table 3120 60 | says 4 "$gone" && ok

case_begin "a server whose rows come at random, one in four: nine times their mean are no silence"
table 3240 10 -v random=0.25 | says 0 'no server limps' && table 2000 10 -v random=0.25 | says 4 "$gone" && ok

case_begin "a server that began late, or came back before the end, is not silent"
table 9999 10 -v late=1200 | says 0 'no server limps' && table 2000 10 -v from=3560 | says 0 'no server limps' && ok

case_begin "but up to a time at which it was away it is"
table 2000 10 -v from=3560 | says 4 "$gone" --to @1700003000 && ok

case_begin "where most servers stop it is the table that ends: of six three are silent, four are not"
table 3000 10 -v out=2 | says 4 'no server is indicted: 3 are well, 3 could not be judged; oss1, oss2, oss4 stopped reporting' &&
	table 3000 10 -v out=3 | says 0 'no server limps' && ok

case_begin "in a group of its own with two others it is silent while those go on"
printf 'oss1 oss2 oss3\noss4 oss5 oss6\n' >"$T/peers"
table 3000 10 | says 4 "$gone" --peers "$T/peers" && ok

case_begin "rows without a value are rows"
table 3000 10 | awk -F, '{ print } $2 == "oss5" { print $1 ",oss4," }' | sort -u | sort -s -t, -k2,2 | sort -s -n -t, -k1,1 |
	says 0 'no server limps' && ok

case_begin "up to a time, too: what comes later does not count"
table 3000 10 | awk -F, '{ print } $2 == "oss5" { print $1 ",oss4," }' | sort -u | sort -s -t, -k2,2 | sort -s -n -t, -k1,1 |
	says 0 'no server limps' --to @1700003400 && ok

case_begin "a file that is left out tells nothing of a server"
table 3000 10 >"$T/good.csv"
{ awk 'BEGIN { print "time,node,lat"; for (t = 0; t < 3600; t += 10) print 1700000000 + t ",oss4,5" }'; echo 1700003600; } >"$T/bad.csv"
"$L" diagnose --exit-code --signal lat "$T/good.csv" "$T/bad.csv" >"$T/out" 2>"$T/err"
check_eq "$? $(head -n 1 "$T/out") $(grep -c "bad.csv' line 362" "$T/err")" "4 $gone 1" "status, first line, message ($(cat "$T/err"))" && ok

case_begin "one row of a time to come hides no silence"
{ table 3000 10; echo 1800000000,oss1,5; } | says 4 "$gone" && ok

case_begin "nor does a group that was recorded longer, and it makes no other silent"
table 3600 10 | awk -F, -v OFS=, '{ print } $2 ~ /oss/ { $2 = "x" $2; print; $1 += 3600; print }' | sort -s -n -t, -k1,1 >"$T/two.csv"
printf 'oss*\nxoss*\n' >"$T/two"
says 0 'no server limps' --peers "$T/two" <"$T/two.csv" &&
	awk -F, '$2 != "oss4" || $1 < 1700003000' "$T/two.csv" |
	says 4 'no server is indicted: 11 are well, 1 could not be judged; oss4 stopped reporting' --peers "$T/two" && ok

case_begin "JSON has the groups by the names that the list gives them, of tables, recordings and logs"
groups() { # PEERS SOURCE: of each group its name and how many servers, and the servers that are in none
	printf '%b' "$1" >"$T/groups"
	"$L" diagnose --json --peers "$T/groups" "$2" 2>"$T/err" |
		jq -c '[.groups[] | [.group, (.servers | length)]] + [[.servers[] | select(.group == null).server]]'
}
check_eq "$(groups 'old: oss[1-3]\noss[4-6] xoss1\n' "$T/two.csv")" '[["old",3],["2",4],["xoss2","xoss3","xoss4","xoss5","xoss6"]]' 'a table' &&
	check_eq "$(groups 'all: oss-*\n' tests/data/disk-hog/series)" '[["all",6],[]]' 'one group' &&
	check_eq "$(groups 'oss-s4 oss-s1\nnew: oss-s[25]\n' tests/data/disk-hog/series)" '[["1",2],["new",2],["oss-s3","oss-s6"]]' 'a recording' &&
	check_eq "$(groups 'a: node-basalt node-[ce]*\nnode-flint\n' tests/data/hadoop-hang)" '[["a",3],["2",1],["node-indigo","node-kelp"]]' 'logs' && ok

case_begin "a server that paused as long three times before is not silent"
pauses() { # the server's rows, but those of the last second of so many halves of ten minutes
	table 3590 10 | awk -F, -v n="$1" '$2 != "oss4" || NR == 1 || !((t = $1 - 1700000000) % 600 >= 300 && (t >= 3000 || t < 600 * n))'
}
pauses 2 | says 4 "$gone" && pauses 3 | says 0 'no server limps' && ok

case_begin "lines without a time end when they end"
table 3000 10 | cut -d, -f2,3 | says 0 'no server limps' --time @row --interval 10 && ok

case_begin "state durations are work, and its absence is no silence"
table 3000 10 | awk -F, -v OFS=, 'NR == 1 { print "time,node,state,duration"; next } { print $1, $2, "write", $3 }' >"$T/states"
"$L" diagnose --json "$T/states" >"$T/json" 2>"$T/err"
check_eq "$(jq -c '[.servers[] | select(.server == "oss4").status], [.notices[].kind]' "$T/json" | tr '\n' ' ')" '["well"] [] ' \
	"status, notices ($(cat "$T/json" "$T/err"))" && ok

case_begin "a server that limps and falls silent still limps"
table 3520 10 -v slow=3 | says 3 'oss4 limps: slow: lat' &&
	if grep -q 'still so' "$T/out" && ! grep -q 'not judged' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "disks of a silent server are not judged either"
table 3000 10 | awk -F, -v OFS=, 'NR == 1 { print $1, $2, "disk", $3; next } { print $1, $2, "sda", $3; print $1, $2, "sdb", $3 + rand() / 9 }' |
	says 4 "$gone" --instance disk && "$L" diagnose --json --signal lat --instance disk "$T/table" >"$T/json" &&
	check_eq "$(jq -r '.parts[] | select(.status != "well") | "\(.server) \(.disk) \(.status) \(.reason)"' "$T/json" | tr '\n' ' ')" \
		'oss4 sda not-judged silent oss4 sdb not-judged silent ' "disks" && ok

case_begin "a disk that is gone, of a server that goes on, is no silence"
awk -F, 'NR == 1 || !($2 == "oss5" && $3 == "sdb" && $1 > 1700002000)' "$T/table" >"$T/disk"
"$L" diagnose --json --signal lat --instance disk "$T/disk" >"$T/json"
check_eq "$(jq -r '[.servers[] | select(.status != "well").server] | join(" ")' "$T/json")" 'oss4' "servers" && ok

case_begin "what sadf prints, each 10 min: 80 min without a line"
awk 'BEGIN {
	srand(5)
	print "# hostname;interval;timestamp;DEV;rkB/s;wkB/s;await;%util"
	for (t = 0; t < 432000; t += 600)
		for (i = 1; i <= 6; i++)
			if (i != 4 || t < 432000 - 4800)
				printf "oss%d;600;%d;sda;900;0;%.2f;9\n", i, 1700000000 + t, 5 + rand()
}' >"$T/sadf"
"$L" diagnose --exit-code "$T/sadf" >"$T/out" 2>"$T/err"
check_eq "$? $(head -n 1 "$T/out")" "4 $gone" "status and first line ($(cat "$T/out" "$T/err"))" && ok

case_begin "logs of jobs do not make a server well whose rows end early"
H=tests/data/hadoop-hang/logs
awk 'BEGIN {
	srand(8)
	n = split("basalt cobalt ember flint indigo kelp", name, " ")
	print "time,node,lat"
	for (t = 0; t < 3600; t += 10)
		for (i = 1; i <= n; i++)
			if (i != 2 || t < 3000) printf "%d,node-%s,%.4f\n", 1795433000 + t, name[i], 5 + rand()
}' >"$T/hang.csv"
status() { jq -r '.servers[] | select(.server == "node-cobalt") | "\(.status) \(.reason // "")"' "$1"; }
"$L" diagnose --json $H >"$T/logs.json" 2>"$T/err"
"$L" diagnose --json --signal lat "$T/hang.csv" $H >"$T/both.json" 2>>"$T/err"
check_eq "$(status "$T/logs.json"), $(status "$T/both.json")" 'well , not-judged silent' \
	"logs alone, and both ($(cat "$T/err"))" && ok
