#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# limpet-push progress, and the log that it writes: of a real Hadoop as it was recorded, and of masters that answer as none should.
# waits: it asks once a second
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet P=$O/limpet-push D=tests/data/progress
command -v jq >/dev/null || all_skip "needs jq (tools/deps check)"

case_begin "what was recorded: each attempt once, with server, start, end and outcome; none is left open"
"$L" states --csv $D/progress.jsonl >"$T/states.csv" 2>"$T/err"
check_eq "$(grep -c 'job_1795893497417_0003,.*_m_.*,ok,' "$T/states.csv") $(grep -c ',open,' "$T/states.csv")" "24 0" "maps, open ones" &&
	check_eq "$(grep 0003_m_000011_0 "$T/states.csv" | cut -d, -f1-4)" "2026-11-28T19:23:50.091Z,s3,map,53.26" "one of them" &&
	check_eq "$(cat "$T/err")" "" "what is said" && ok

case_begin "the tasks that a hog made late are told while they run, with their server; a word count without it has none"
"$L" diagnose --method stragglers --json $D/progress.jsonl >"$T/v.json"
check_eq "$(jq -c '[.stragglers[] | [.server, .task[-11:]]] | sort' "$T/v.json")" \
	'[["s3","_m_000011_0"],["s3","_m_000014_0"],["s3","_m_000021_0"]]' "stragglers" &&
	check_eq "$(jq -c '[.jobs[] | .stragglers]' "$T/v.json")" "[0,3,0]" "of each job" && ok
head -n "$(($(grep -n '_0003_m_000011_0.*outcome' $D/progress.jsonl | cut -d: -f1) - 1))" $D/progress.jsonl >"$T/before.jsonl"

case_begin "of what still runs its projected time is told"
"$L" diagnose --method stragglers --json "$T/before.jsonl" >"$T/v.json"
check_eq "$(jq -c '[.stragglers[] | select(.task | endswith("m_000011_0")) | [.server, .running, .takes_s > 50]]' "$T/v.json")" '[["s3",true,true]]' "it" && ok

case_begin "who begins to ask anew does not know what was open: it is no task that hangs"
{ cat "$T/before.jsonl"; echo '{"limpet-progress":1,"of":"yarn","from":"http://rm:8088","t":1795894500000}'; } >"$T/anew.jsonl"
check_eq "$("$L" states --csv "$T/anew.jsonl" 2>/dev/null | grep -c ,open,)" 0 "open ones" &&
	check_eq "$("$L" states --csv "$T/before.jsonl" 2>/dev/null | grep -c ,open, | sed 's/^[1-9].*/some/')" some "open ones before" && ok

case_begin "tasks that stand still while others go on hang: a line with the time alone makes them older"
first=$(jq -r 'select(.server == "s3" and (.id | contains("_0003_m"))) | .id' $D/progress.jsonl | head -n 1)
start=$(grep -m 1 "$first" $D/progress.jsonl | jq .start)
{ grep -v "_0002_\|_0004_" $D/progress.jsonl | grep -v '"server":"s3".*"\(end\|progress\)":.*"outcome"'; for ((s = 180; s < 480; s += 3)); do echo "{\"t\":$((start + s * 1000))}"; done; } >"$T/still.jsonl"
"$L" diagnose "$T/still.jsonl" >"$T/out" 2>"$T/err"
grep -v '^{"t":[0-9]*}$' "$T/still.jsonl" >"$T/without.jsonl"
"$L" diagnose "$T/without.jsonl" >"$T/out2" 2>"$T/err"
check_eq "$(head -n 1 "$T/out")" 's3 limps: hung: attempts that do not end or are lost, 4 of 5' 'with those lines' &&
	check_eq "$(head -n 1 "$T/out2" | cut -c1-16)" 's3 limps: slow: ' 'without' && ok

case_begin "lines that are none cost themselves alone"
{ head -n 40 $D/progress.jsonl; printf '%s\n' '{}' '{"t":1}' 'x' '{"t":1795893900000,"id":"a","kind":"nothing","server":"s1","start":1}' \
	'{"t":1795893900000,"id":"a","kind":"map","server":"../x\u0000","start":-5}' '{"t":99999999999999999999,"id":"a","kind":"map","server":"s1","start":1}' \
	'{"t":1795893900000,"id":"a","kind":"map","server":"s1","start":1795893900000,"progress":"x"}'; tail -n +41 $D/progress.jsonl; } >"$T/junk.jsonl"
"$L" states --csv "$T/junk.jsonl" 2>"$T/err" | cut -d, -f1-12 | grep -v ',a,' >"$T/junk.csv"
cut -d, -f1-12 "$T/states.csv" | diff - "$T/junk.csv" >"$T/diff"
check_eq "$(cat "$T/diff")" "" "difference" && grep -q "lines" "$T/err" &&
	check_eq "$("$L" states --csv "$T/junk.jsonl" 2>"$T/err" | grep ',a,' | cut -d, -f2,3,11,12)" "s1,map,open," "the one that is a task, without its word for a number" && ok

master() { # SCENE
	rm -f "$T/port" "$T/to_master"
	mkfifo "$T/to_master"
	/usr/bin/python3 tests/golden/progress_master.py "$T/port" "$1" <"$T/to_master" 2>"$T/master.err" &
	at_exit "end_child $!"
	exec 4>"$T/to_master"
	for _ in $(seq 100); do [ -s "$T/port" ] && break; sleep 0.1; done
	URL=http://127.0.0.1:$(cat "$T/port")
}
ask() { timeout 60 "$P" progress --yarn "$URL" -o "$T/log.jsonl" --every 1 "$@" >"$T/out" 2>"$T/err"; }

case_begin "a job from its first task to its end: what is new is a line, and what ended unseen ends with its job"
master good
ask --looks 5
check_eq "$?" 0 "status ($(cat "$T/err"))" &&
	check_eq "$(sed -n 5p "$T/log.jsonl" | sed 's/[0-9]\{13\}/MS/')" '{"t":MS}' "where nothing is new" &&
	check_eq "$(sed '1d; 5d' "$T/log.jsonl" | jq -c '[.id[-11:], .server, .progress, .outcome, (.end // 0) - .start]')" \
		'["_m_000000_0","s1",0.1025,null,-1795000000000]
["_m_000001_0","s2",0.2,null,-1795000000000]
["_m_000000_0","s1",0.5,null,-1795000000000]
["_m_000000_0","s1",1,"ok",9000]
["_m_000001_0","s2",0.3,null,-1795000000000]
["_m_000001_0","s2",0.3,"ok",20000]' "lines" &&
	check_eq "$(head -n 1 "$T/log.jsonl" | jq -c '[.["limpet-progress"], .of, .from]')" "[1,\"yarn\",\"$URL\"]" "first line" && ok
exec 4>&-

case_begin "of more tasks than can be asked for again in time the last ones are asked for, too"
master many
ask --looks 12
check_eq "$? $(jq -r 'select(.id) | .id' "$T/log.jsonl" | sort -u | wc -l)" "0 10500" "status, attempts ($(cat "$T/err"))" && ok
exec 4>&-
rm -f "$T/log.jsonl"

case_begin "half a line, where the disk was full, costs itself alone; names and passwords of a URL are in no log"
{ head -n 3 $D/progress.jsonl; printf '{"t":17958'; } >"$T/half.jsonl"
timeout 60 "$P" progress --yarn http://me:secret@127.0.0.1:9 -o "$T/half.jsonl" --every 1 --looks 1 >"$T/out" 2>"$T/err"
check_eq "$(sed -n 4,5p "$T/half.jsonl" | cut -c1-60)" '{"t":17958
{"limpet-progress":1,"of":"yarn","from":"127.0.0.1:9","t":17' "what follows it" && check_eq "$(grep -c secret "$T/half.jsonl")" 0 "passwords" && ok

case_begin "a driver of Spark: where and since when, how each ended, also of a stage that is over; with the driver the last ones are gone"
master driver
timeout 60 "$P" progress --spark "$URL" -o "$T/spark.jsonl" --every 1 --looks 6 >"$T/out" 2>"$T/err"
check_eq "$(sed 1d "$T/spark.jsonl" | jq -c 'select(.id) | [.job, .id, .server, .class, .outcome, if .outcome == "ok" then .end - .start else null end]')" \
	'["app-1.4","app-1.TID1","s1","stage 7.0 NODE_LOCAL",null,null]
["app-1.4","app-1.TID2","s2","stage 7.0 NODE_LOCAL",null,null]
["app-1.4","app-1.TID3","s3","stage 8.0 NODE_LOCAL",null,null]
["app-1.4","app-1.TID1","s1","stage 7.0 NODE_LOCAL","ok",1234]
["app-1.4","app-1.TID2","s2","stage 7.0 NODE_LOCAL","failed",null]
["app-1.4","app-1.TID3","s3","stage 8.0 NODE_LOCAL","killed",null]' "lines" && ok
exec 4>&-

case_begin "a real Spark's tasks that were seen to end are those of its event log, to the millisecond"
"$L" states --csv $D/spark.jsonl 2>"$T/err" | grep ',ok,' | cut -d, -f1,2,4,8-11 | sort >"$T/spark.csv"
check_eq "$(wc -l <"$T/spark.csv") $(comm -23 "$T/spark.csv" $D/spark.csv)" "50 " "how many, others" && ok

case_begin "a log that is large is put aside, and the new one is known by its first line"
master good
truncate -s 257M "$T/log.jsonl"
ask --looks 2
check_eq "$(stat -c %s "$T/log.jsonl.1") $(head -c 20 "$T/log.jsonl") $(grep -c limpet-progress "$T/log.jsonl")" '269484032 {"limpet-progress":1 1' "sizes, first line" && ok
exec 4>&-
rm -f "$T"/log.jsonl*

for scene in error text cut list empty deep types; do
	case_begin "a master that answers with '$scene': said once, asked again, nothing is told"
	rm -f "$T/log.jsonl"
	master "$scene"
	ask --looks 2
	check_eq "$? $(wc -l <"$T/log.jsonl")" "0 1" "status, lines" &&
		case $scene in
		types) check_eq "$(cat "$T/err")" "" "what is said" && ok ;;
		*) check_eq "$(grep -c 'cannot ask.*asked again' "$T/err")" 1 "what is said ($(cat "$T/err"))" && ok ;;
		esac
	exec 4>&-
done

case_begin "nobody there, a full disk, no URL, none of it told: a message and a status"
URL=http://127.0.0.1:9
ask --looks 2
check_eq "$? $(grep -c 'cannot ask' "$T/err")" "0 1" "nobody there" && {
	timeout 20 "$P" progress --yarn "$URL" -o /dev/full --looks 1 >"$T/out" 2>"$T/err"
	check_eq "$? $(grep -c 'cannot write' "$T/err")" "1 1" "a full disk ($(cat "$T/err"))"
} && {
	"$P" progress -o "$T/x" >"$T/out" 2>"$T/err"
	check_eq "$? $(grep -c 'are needed' "$T/err")" "2 1" "no master"
} && {
	"$P" progress --yarn x --spark y -o "$T/x" >"$T/out" 2>"$T/err"
	check_eq "$?" 2 "two masters"
} && ok

case_begin "a file of options names the master, as the service has it; one that names none is named itself"
echo 'LIMPET_PROGRESS_OPTIONS="--yarn http://me:secret@127.0.0.1:9 --looks 1"' >"$T/options"
timeout 20 "$P" progress -o "$T/of_file.jsonl" --options "$T/options" >"$T/out" 2>"$T/err"
check_eq "$? $(wc -l <"$T/of_file.jsonl") $(grep -c "cannot ask '127.0.0.1:9'" "$T/err") $(grep -c secret "$T/err")" "0 1 1 0" "with a master ($(cat "$T/err"))" && {
	echo 'LIMPET_PROGRESS_OPTIONS=""' >"$T/options"
	timeout 20 "$P" progress -o "$T/x" --options "$T/options" >"$T/out" 2>"$T/err"
	check_eq "$? $(grep -c "no master is named.*'$T/options'" "$T/err")" "2 1" "without ($(cat "$T/err"))"
} && {
	timeout 20 "$P" progress -o "$T/x" --options "$T/none" >"$T/out" 2>"$T/err"
	check_eq "$? $(grep -c "no master is named" "$T/err")" "2 1" "no file ($(cat "$T/err"))"
} && check_eq "$(ls "$T/x" 2>/dev/null)" "" "a log" && ok

case_begin "told to end it ends, also while a master is silent"
master silent
timeout 60 "$P" progress --yarn "$URL" -o "$T/log2.jsonl" >"$T/out" 2>"$T/err" &
asker=$!
sleep 1.5
begin=$SECONDS
kill -TERM $asker
wait $asker
status=$?
exec 4>&-
[ $((SECONDS - begin)) -le 5 ] && check_eq "$status" 0 status && ok
