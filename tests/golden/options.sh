#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Options: times as people say them, local time, and options that would do nothing, which are refused.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

S=tests/data/disk-hog/series
H=tests/data/hadoop-hang/logs
L=$O/limpet
export TZ=UTC0

# says STATUS WORDS COMMAND…: the command ends with that status and these words on stderr, and prints nothing else.
says() {
	want=$1 words=$2
	shift 2
	timeout 20 "$@" >"$T/out" 2>"$T/err"
	got=$?
	check_eq "$got" "$want" "exit status of '$*' ($(cat "$T/err"))" &&
		check_eq "$(cat "$T/out")" '' "output of '$*'" || return
	grep -qF -- "$words" "$T/err" || {
		fail "'$words' is not in what '$*' says: $(cat "$T/err")"
		return 1
	}
}

# series DIR NODE…: 1200 s of the same values for every node, which end now.
series() {
	dir=$1
	shift
	mkdir -p "$dir"
	now=$(date +%s)
	for node; do
		awk -v n="$node" -v now="$now" 'BEGIN {
			for (t = now - 1200; t < now; t++)
				printf "%d,%s,r/s,sda,100\n%d,%s,await,sda,50\n", t, n, t, n
		}'
	done | "$O/tests/make_series" "$dir"
}

# ---- times ----

case_begin "a time that is none: status 2, and what would be one"
for t in noon 2026-02-31 -10 -5x +10m tomorrow '2026-11-21 25:00' 19:26+1; do
	says 2 "'--from $t': a time such as 2026-11-21T03:00:00Z, '2026-11-21 19:26'" "$L" show --from "$t" $S || break
done && ok

case_begin "a time of today that is still to come is refused: yesterday's may be meant"
# At any time of the day, one of these is to come.
later=$(date -u -d '+2 minutes' +%H:%M)
if [ "$later" \< "$(date -u +%H:%M)" ]; then
	skip "midnight is near"
else
	says 2 "'--from $later': $later UTC is still to come (it is " "$L" show --from "$later" $S &&
		says 2 "): say 'yesterday $later', or --local-time if you mean local time" "$L" show --from "$later" $S && ok
fi

case_begin "--from that is not before --to: status 2, and both times"
says 2 "'--from 2026-11-21 20:00' (2026-11-21T20:00:00Z) is not before '--to 2026-11-21T20:30:00+01:00' (2026-11-21T19:30:00Z)" \
	"$L" diagnose --from '2026-11-21 20:00' --to 2026-11-21T20:30:00+01:00 $S &&
	says 2 "is not before '--to @10' (1970-01-01T00:00:10Z)" "$L" flow --svg area --from @10 --to @10 $H && ok

case_begin "one time in many words selects the same seconds"
words="2026-11-21T19:26:00Z 2026-11-21T19:26 2026-11-21T20:26+01:00 @1795289160"
"$L" show --csv -m await --from 2026-11-21T19:26:00Z $S | sha256sum >"$T/want"
check_eq "$([ "$("$L" show --csv -m await --from 2026-11-21T19:26:00Z $S | wc -l)" -gt 100 ] && echo many)" many "seconds" &&
	for t in $words '2026-11-21 19:26' '2026-11-21 15:56:00 -03:30' '2026-11-21 19:26 UTC'; do
	"$L" show --csv -m await --from "$t" $S | sha256sum | cmp -s - "$T/want" || { fail "'$t' selects others"; break; }
done && check_eq "$(TZ='CET-1CEST,M3.5.0,M10.5.0/3' "$L" show --csv -m await --local-time --from '2026-11-21 20:26' $S | sha256sum)" \
	"$(cat "$T/want")" "of local time" && ok

case_begin "a time that is so long ago, of a recording that ends now"
series "$T/now" a b c
seconds() { "$L" show --csv -m await "$@" "$T/now" | grep -c ',a,'; }
# What lies between the recording and the command counts, too.
passed=$(($(date +%s) - now))
ten=$(seconds --from -10m) quarter=$(seconds --from -15m --to -10m)
if [ "$ten" -le 600 ] && [ "$ten" -ge $((595 - passed)) ] && [ "$quarter" -le 301 ] && [ "$quarter" -ge 299 ]; then ok; else
	fail "of the last ten minutes $ten s, of five before $quarter s"
fi

case_begin "what today and yesterday select is all of a recording that ends now"
check_eq "$(seconds --from yesterday)" 1200 "since yesterday" &&
	check_eq "$(seconds --from yesterday --to now)" 1200 "until now" && ok

case_begin "--from and --to of tasks that hold up their job: those that ran in that time"
held_up() { "$L" diagnose --json --method stragglers "$@" $H 2>"$T/err" | jq -r '.stragglers[].task' | sort; }
held_up >"$T/all" && held_up --to '2026-11-23 11:42:40' >"$T/before" && held_up --from '2026-11-23 11:42:40' >"$T/after"
check_eq "$(comm -3 "$T/before" "$T/after" | wc -l) $(grep -c _0007_ "$T/before") $(grep -c _0002_ "$T/after")" \
	"$(wc -l <"$T/all") 0 0" "tasks of either time, of a later job before, of an earlier one after" &&
	check_eq "$(sort -u "$T/before" "$T/after" | diff - "$T/all")" '' "both and all" &&
	check_eq "$(held_up --from 2026-11-24)" '' "of the day after" && ok

# ---- local time ----

export TZ='CET-1CEST,M3.5.0,M10.5.0/3'

case_begin "--local-time: text has local times, and differs in nothing else"
"$L" diagnose $S >"$T/utc" && "$L" diagnose --local-time $S >"$T/local" &&
	sed 's/T20:\([0-9:]*\)+01:00/T19:\1Z/g' "$T/local" | tr -s ' \n' ' ' >"$T/back" &&
	tr -s ' \n' ' ' <"$T/utc" | cmp - "$T/back" && ! grep -q '[0-9]Z' "$T/local" && ok

case_begin "--local-time: the table of show has local time, and its heading says how far it is ahead of UTC"
check_eq "$("$L" show --local-time -f host $S | awk 'NR == 2 { day = $1 " " $3 } NR == 3 { print day, $1 }')" \
	"oss-s1 2026-11-21 +01:00" "heading" &&
	check_eq "$("$L" show --local-time -f host $S | sed -n '5s/ .*//p')" \
		"$("$L" show -f host $S | sed -n '5s/ .*//;5s/^19/20/p')" "first second" && ok

case_begin "--local-time: the page has it in charts, too"
"$L" report --local-time -o - $S >"$T/page" 2>"$T/err" && grep -q 'Times are local time' "$T/page" &&
	! grep -q 'T19:[0-9:]*Z' "$T/page" && grep -q '>20:2[0-9]' "$T/page" &&
	! grep -q '>19:[0-9][0-9]' "$T/page" && ok

case_begin "JSON and CSV stay in UTC, and --local-time is then for --from and --to alone"
"$L" diagnose --json --from '2026-11-21T19:25:40Z' $S >"$T/want"
"$L" diagnose --json --local-time --from '2026-11-21 20:25:40' $S | cmp - "$T/want" &&
	says 2 "'--local-time' has no meaning for '--json'" "$L" diagnose --json --local-time $S &&
	says 2 "'--local-time' has no meaning for '--csv'" "$L" show --local-time --csv $S && ok

case_begin "--local-time: what watch tells is local, and what an alert is given for programs is UTC"
printf '#!/bin/sh\nenv | grep ^LIMPET_ >>"%s"\n' "$T/told" >"$T/alert" && chmod +x "$T/alert"
"$L" watch --once --local-time --alert "$T/alert" $S >"$T/out" 2>"$T/err"
check_eq "$(grep -c '^2026-11-21T20:2[0-9:]*+01:00 ' "$T/out")" "$(grep -c '^2026' "$T/out")" "lines in local time" &&
	check_eq "$(sed -n '/^2026.* opened /s/ .*//p' "$T/out")" "2026-11-21T20:27:24+01:00" "when it was indicted" &&
	check_eq "$(grep LIMPET_SINCE "$T/told")" LIMPET_SINCE=2026-11-21T19:27:04Z "of the alert" &&
	check_eq "$(sed -n 's/^LIMPET_JSON=//p' "$T/told" | grep -c '+01:00')" 0 "local times in its JSON" && ok

case_begin "--local-time where no time is shown"
says 2 "'--local-time' has no meaning without '--id' or '--input'" "$L" states --local-time $H &&
	says 2 "'--local-time' has no meaning for '--svg'" "$L" flow --local-time --svg rep $H &&
	says 2 "'--local-time' has no meaning for '--stacks'" "$L" show --local-time --stacks $S &&
	"$L" flow --local-time $H >"$T/out" 2>"$T/err" &&
	check_eq "$(grep -c 's from 2026-11-2[0-9]T[0-9:.]*+01:00;' "$T/out")" 1 "of the job" && ok

case_begin "a local time that the clocks skip, and one that they show twice"
says 2 "this local time does not exist, as clocks were put forward: the next one is 2026-03-29T03:00:00+02:00" \
	"$L" show --local-time --from '2026-03-29 02:30' $S &&
	says 2 "twice: say 2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00" \
		"$L" show --local-time --from '2026-10-25 02:30' $S && ok

# ---- options that would do nothing ----

case_begin "options of tables and of logs, with series files"
while read -r options; do
	option=${options%% *}
	[ "$option" != -m ] || option=--metric
	case $option in --time | --instance) for="names the column" ;; *) for="is for" ;; esac
	# shellcheck disable=SC2086
	says 1 "'$option' has no meaning for series files: it $for" "$L" diagnose $options $S || break
done <<-'END' && ok
	-m nosuch
	-m r_await
	--floor 1e9
	--node nosuch
	--instance nosuch
	--interval 60
	--time nosuch
	--counter nosuch
	--signal nosuch
	--given nosuch
	--zone +01:00
	--time nosuch --method ratio
END

case_begin "options of series files and tables, with logs of jobs"
for options in "--hop 4" "--offsets $T/offsets" "--node x" "-m await" "--floor 2"; do
	# shellcheck disable=SC2086
	says 1 "has no meaning for logs of jobs: it is for" "$L" diagnose $options $H || break
done && says 1 "has no meaning for logs of jobs: it names" "$L" diagnose --method salsa --time x $H &&
	says 1 "'--symbols' has no meaning for logs of jobs" "$L" report --symbols "$T" -o - $H && ok

case_begin "an option has its meaning where one of the sources is for it"
"$L" diagnose --zone +00:00 --hop 4 $S $H >"$T/out" 2>"$T/err" &&
	"$L" diagnose --method ratio -m r_await $S >"$T/out" 2>>"$T/err"
check_eq "$? $(grep -c 'no meaning' "$T/err")" "0 0" "status, refusals" && ok

case_begin "evaluate: an option that no run has a use for is refused, one that some have is taken"
"$L" show --csv -f disk $S >"$T/disks.csv"
printf 'source,node,fault\n%s,oss-s3,disk-hog\n' "$PWD/$S" >"$T/one.csv"
printf 'source,node,fault\n%s,oss-s3,disk-hog\n%s,oss-s3,disk-hog\n' "$PWD/$S" "$T/disks.csv" >"$T/two.csv"
says 1 "'--instance' has no meaning for series files" "$L" evaluate --instance instance "$T/one.csv" &&
	"$L" evaluate --json --runs --instance instance "$T/two.csv" >"$T/out" 2>"$T/err" &&
	check_eq "$(jq '.runs | length' "$T/out")" 2 "runs" && ok

case_begin "options that need another one, or exclude it: status 2"
says 2 "'--alert-interval' has no meaning without '--alert'" "$L" watch --alert-interval 3 $S &&
	says 2 "'--allow-host' has no meaning without '--listen'" "$L" watch --allow-host x $S &&
	says 2 "'--exit-code' has no meaning without '--once' or '-'" "$L" watch --exit-code $S &&
	says 2 "'--strict' has no meaning without '--once'" "$L" watch --strict $S &&
	says 2 "'--back' and '--from' exclude each other" "$L" watch --back 5 --from -5m $S &&
	says 2 "'--csv' and '--json' exclude each other" "$L" evaluate --csv --json "$T/one.csv" &&
	says 2 "'--lines' has no meaning for the picture 'area': it is for swimlanes" "$L" flow --svg area --lines start $H &&
	says 2 "'--from' has no meaning for the picture 'miros'" "$L" flow --svg miros --from @1 $H &&
	says 2 "'--cwnd-smooth' has no meaning without '--method cwnd'" "$L" train --method kl --cwnd-smooth 5 -o "$T/m" $S &&
	says 2 "'--weighted' is not for the method kl" "$L" diagnose --method kl --weighted $S && ok

case_begin "a table of sysstat's has its own columns of times and disks"
for h in a b c; do
	awk -v h=s$h 'BEGIN {
		print "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util"
		for (t = 0; t < 400; t += 10)
			printf "%s;10;2026-11-21 03:%02d:%02d UTC;sda;%d;10.0;0.0;0.0;10.0;0.1;5.0;1.0\n", h, t / 60, t % 60, 20 + t % 7
	}' >"$T/sa-$h.txt"
done
for options in "--time timestamp" "--instance DEV"; do
	case $options in --time*) what=times ;; *) what=disks ;; esac
	# shellcheck disable=SC2086
	says 1 "has no meaning for tables of sysstat's: it names the column of $what of other tables" \
		"$L" diagnose $options "$T"/sa-?.txt || break
done && for node in foo DEV @column; do
	says 1 "'--node $node' has no meaning for tables of sysstat's, which name their server" \
		"$L" diagnose --node $node "$T"/sa-?.txt || break
done && "$L" diagnose --interval 20 --node @file "$T"/sa-?.txt >"$T/out" 2>&1
check_eq "$(grep -c 'no meaning' "$T/out")" 0 "refusals of --interval and --node" &&
	check_eq "$(grep -c "'--interval' does not change what is judged" "$T/out")" 1 "notes of --interval" && ok

case_begin "watch: logs that grow are read from their beginning, so that --from says nothing to them alone"
log=$(find $H -type f | head -n 1)
says 1 "'--from' has no meaning for logs that grow: they are read from their beginning" "$L" watch --plain --from -10m "$log" &&
	says 1 "'--hop' has no meaning for logs that grow" "$L" watch --plain --hop 5 "$log" &&
	says 1 "'--back' has no meaning for logs that grow: it is for series files" "$L" watch --plain --back 60 "$log" &&
	says 1 "'--back' has no meaning for logs of jobs" "$L" watch --once --back 60 "$log" && ok

case_begin "show: a device or a metric that is not in the data is said"
says 1 "none of the devices asked for is in the data" "$L" show -d nosuch $S &&
	says 1 "there is no value of what was asked for in the data" "$L" show -m f_await -f disk --from 2026-11-22 $S && ok
