#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The logs of the simulated Hadoop: histories, daemons' logs and series files tell of the same jobs.
# shellcheck disable=SC2034 # lib.sh uses variables of ours
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

[ -x "$O/simulate" ] || all_skip "$O/simulate is not built (make)"
hadoop() { # FOLDER OPTIONS…
	d=$1
	shift
	"$O/simulate" hadoop --workload sort --seed 3 "$@" --logs "$T/$d/logs" "$T/$d" || echo "# simulate: status $?"
}
hadoop sound
finished() { grep -l 'JOB_STATUS="SUCCESS"' "$T/$1"/logs/history/*; } # FOLDER: histories of jobs that ended
jobs_of() { finished "$1" | sed 's/.*job_\([0-9]*_[0-9]*\)_.*/attempt_\1_/' >"$T/jobs"; }

case_begin "the series files are what they are without logs"
"$O/simulate" hadoop --workload sort --seed 3 "$T/bare"
"$O/limpet" show --csv "$T/bare" >"$T/bare.csv" && rm -rf "$T/logs" && mv "$T/sound/logs" "$T/logs" &&
	"$O/limpet" show --csv "$T/sound" >"$T/sound.csv" && mv "$T/logs" "$T/sound/logs" &&
	if [ -s "$T/bare.csv" ] && cmp -s "$T/bare.csv" "$T/sound.csv"; then ok; else fail "they differ"; fi

case_begin "each attempt of a history is begun and done in the TaskTracker's log of its host, at its times"
cat "$T"/sound/logs/history/* | sed -n 's/.*TASK_ATTEMPT_ID="\([^"]*\)" TASK_STATUS="SUCCESS".* FINISH_TIME="\([0-9]*\)" HOSTNAME="\/default-rack\/\([^"]*\)".*/\3 \1 \2/p' |
	sort >"$T/history"
for log in "$T"/sound/logs/slave*/hadoop-tasktracker-*.log; do
	host=$(basename "$log" .log)
	sed -n "s/^\([0-9-]* [0-9:]*\),\([0-9]*\) INFO .*: Task \(attempt_[^ ]*\) is done.*/${host#hadoop-tasktracker-} \3 \1 \2/p" "$log"
done | while read -r host id day time ms; do
	echo "$host $id $(date -u -d "$day $time" +%s)$ms"
done | sort >"$T/trackers"
check_eq "$(wc -l <"$T/history" | awk '{ print ($1 > 300) }')" 1 "more than 300 attempts" &&
	if diff "$T/history" "$T/trackers" >"$T/diff"; then ok; else fail "$(head -n 5 "$T/diff")"; fi

case_begin "a job that ended has a shuffle of each map output by each reduce, of the bytes its reduces count"
jobs_of sound
maps=$(cat "$T/sound"/logs/history/* | grep -c '^MapAttempt .* TASK_STATUS="SUCCESS"')
shuffles=$(cat "$T"/sound/logs/slave*/hadoop-tasktracker-*.log | grep MAPRED_SHUFFLE | grep -cFf "$T/jobs")
counted=$(finished sound | xargs cat | sed -n 's/^ReduceAttempt .*Reduce shuffle bytes)(\([0-9]*\)).*/\1/p' | awk '{ n += $1 } END { printf "%.0f", n }')
sent=$(cat "$T"/sound/logs/slave*/hadoop-tasktracker-*.log | grep MAPRED_SHUFFLE | grep -Ff "$T/jobs" |
	sed 's/.*bytes: \([0-9]*\),.*/\1/' | awk '{ n += $1 } END { printf "%.0f", n }')
check_eq "$shuffles" $(($(wc -l <"$T/jobs") * 50 * 10)) "shuffles of $(wc -l <"$T/jobs") jobs" &&
	check_eq "$sent" "$counted" "bytes" && ok

case_begin "daemons' logs are in order of time, and a block is written on three slaves"
for log in "$T"/sound/logs/slave*/*.log; do cut -c1-23 "$log" | LC_ALL=C sort -c || echo "$log"; done >"$T/order" 2>&1
check_eq "$(cat "$T/order")" '' "out of order" && check_eq "$(cat "$T"/sound/logs/slave*/hadoop-datanode-*.log |
	sed -n 's/.*HDFS_WRITE.*blockid: \([^,]*\),.*/\1/p' | sort | uniq -c | awk '{ print $1 }' | sort -u)" 3 "copies" && ok

case_begin "limpet states reads them all: maps and reduces as many as the histories have"
"$O/limpet" states --csv --state map --state reducer "$T/sound/logs/history" >"$T/states" 2>"$T/err"
check_eq "$(sed 1d "$T/states" | wc -l)" "$(wc -l <"$T/history")" "states" && ok

case_begin "under a CPU hog the maps of its slave take a quarter longer than those of the others"
hadoop hog --fault cpu-hog --node slave02 --fault-from 0 --fault-seconds 600 && "$O/limpet" states --csv --state map "$T/hog/logs/history" |
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n[$at["node"]]++; s[$at["node"]] += $at["duration"] }
		END { for (h in n) if (h != "slave02") { others += s[h]; m += n[h] }
		print (s["slave02"] / n["slave02"] > 1.25 * others / m) }' >"$T/ratio" && check_eq "$(cat "$T/ratio")" 1 "1.25 times" && ok

case_begin "a task that hangs is begun and never done, and its job does not end"
hadoop hang --fault hang --node slave04 --fault-from 100
cat "$T"/hang/logs/slave04/hadoop-tasktracker-*.log >"$T/log"
open=$(sed -n 's/.*given task: //p' "$T/log" | grep -vFf - /dev/null; sed -n 's/.*given task: //p' "$T/log" | while read -r id; do
	grep -q "Task $id is done" "$T/log" || echo "$id"
done | wc -l)
check_eq "$(ls "$T"/hang/logs/history | wc -l)" $(($(finished hang | wc -l) + 1)) "jobs" &&
	if [ "$open" -ge 1 ]; then ok; else fail "no task is open"; fi

case_begin "jobs of a given size and number, histories alone"
"$O/simulate" hadoop --workload sort --slaves 25 --maps 60 --reduces 7 --jobs 2 --seconds 3000 --no-series --histories --logs "$T/few/logs" "$T/few" &&
	check_eq "$(find "$T/few" -type f | sed 's|/job_[^/]*||' | sort | uniq -c | awk '{ print $1, $2 }')" "2 $T/few/logs/history" "files" &&
	check_eq "$(cat "$T"/few/logs/history/* | grep -c '^MapAttempt .*SUCCESS') $(cat "$T"/few/logs/history/* | grep -c '^ReduceAttempt .*SUCCESS')" "120 14" "maps, reduces" && ok

verdict() { # FOLDER: who is indicted, and as what
	"$O/limpet" diagnose --json "$1" 2>/dev/null | jq -r '[.verdict] + [.incidents[] | select(.suspicious | not) | .server + " " + .cause] | join(" ")'
}
case_begin "the verdict on a sound cluster: nobody, by logs alone and with recordings, whose disks are unproven"
check_eq "$(verdict "$T/sound/logs"), $(verdict "$T/sound")" 'clean, unproven' "verdicts" && ok

case_begin "the verdict under a CPU hog: its slave, slow by logs alone, and with recordings the hog"
check_eq "$(verdict "$T/hog/logs"), $(verdict "$T/hog")" 'indicted slave02 slow, indicted slave02 cpu-hog' "verdicts" && ok

case_begin "other programs on all slaves: none stands out, since when, and with recordings what rose everywhere"
hadoop all --fault fleet --fault-from 300 --fault-seconds 400 --seconds 700
for from in logs .; do "$O/limpet" diagnose --json "$T/all/$from" 2>/dev/null | jq -r '.verdict, (.notices[] | select(.kind == "fleet") |
	(.from | sub("T00:0(4:5|5:0).*"; " then")), .servers, (.ratio > 2.5 and .ratio < 3.5), .signal)' | tr '\n' ' '; done >"$T/told"
check_eq "$(cat "$T/told")" 'all-slow 2026-01-05 then 5 true null all-slow 2026-01-05 then 5 true runq ' "told" &&
	check_eq "$("$O/limpet" diagnose "$T/all" 2>/dev/null | tr -s ' \n' ' ' | grep -o 'so that none stands out: a map takes .* x what it took before, on 5 of 5; meanwhile run-queue delay' |
	wc -l)" 1 "words" && ok

# A server that is in the logs alone, and whose name comes before the others', moves their numbers.
case_begin "the page of recordings and logs: charts and distribution of its maps, and each server's strip under its name"
mkdir "$T/page" && cp "$T"/hog/*.limpet "$T/page/" && cp -r "$T/hog/logs" "$T/page/logs" &&
	sed 's/slave05/a-slave/g' "$T/hog/logs/history/$(ls "$T/hog/logs/history" | head -n 1)" >"$T/page/logs/history/one" &&
	rm "$T/page/logs/history/$(ls "$T/hog/logs/history" | head -n 1)" && mv "$T/page/logs/history/one" \
	"$T/page/logs/history/$(ls "$T/hog/logs/history" | head -n 1)"
"$O/limpet" report -o "$T/page.html" "$T/page" 2>"$T/err"
check_eq "$?" 0 "status ($(cat "$T/err"))" &&
	check_eq "$(grep -c 'map duration: distribution' "$T/page.html")" 1 "distributions" &&
	check_eq "$(grep -c 'map duration over time' "$T/page.html")" 1 "charts of maps over time" &&
	check_eq "$(grep -c '<dt>jobs</dt>' "$T/page.html")" 1 "what jobs feel" &&
	check_eq "$(sed -n '/class="heat"/,/class="why"/p' "$T/page.html" | grep -o '<b>[^<]*</b>' | head -n 1)" '<b>slave02</b>' "first strip" &&
	check_eq "$(sed -n '/class="heat"/,/class="draw"/p' "$T/page.html" | grep -o 'slave0[1-5]\|a-slave' | sort -u | tr '\n' ' ')" \
		'a-slave slave01 slave02 slave03 slave04 slave05 ' "names" && ok

# Each third attempt of slave03 fails, of four words one is the commonest; its numbers, escapes and bytes are no text.
case_begin "a slave whose attempts fail: what they said most often stands beside the count, as plain text on one line"
mkdir -p "$T/failing" && for f in "$T"/sound/logs/history/*; do
	awk '/TASK_STATUS="SUCCESS"/ && /HOSTNAME="\/default-rack\/slave03"/ && /^MapAttempt/ && ++n % 3 == 0 {
		sub(/TASK_STATUS="SUCCESS"/, "TASK_STATUS=\"FAILED\"")
		sub(/ \.$/, n % 12 ? " ERROR=\"java\\.io\\.IOException: <b>disk " n "\033[31m is read-only\nat Fs\\.java\" ." : " ERROR=\"other " n "\" .")
	} 1' "$f" >"$T/failing/$(basename "$f")"
done
check_eq "$(verdict "$T/failing")" 'indicted slave03 failing' "verdict" &&
	check_eq "$("$O/limpet" diagnose --json "$T/failing" 2>/dev/null | jq -r '.incidents[0].detail' | sed 's/failed attempts, [0-9]* of [0-9]*/N/')" \
		'N, most often "java.io.IOException: <b>disk #?[#m is read-only"' "what they said" &&
	check_eq "$("$O/limpet" report -o - "$T/failing" 2>/dev/null | grep -c '<b>disk')" 0 "markup in the page" && ok
