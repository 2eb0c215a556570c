#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The cluster simulator: seeds reproduce, what it writes adds up, servers are alike without a fault,
# what is no fault is called so, bad options are refused. What its faults do: simulate_faults.sh.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/golden/simulated.sh
. "$(dirname "$0")/simulated.sh"

case_begin "the same seed gives the same values, another one others"
run a pfs -w mixed --seconds 200 --seed 7
run b pfs -w mixed --seconds 200 --seed 7
run c pfs -w mixed --seconds 200 --seed 8
csv a >"$T/a.csv"
csv b >"$T/b.csv"
csv c >"$T/c.csv"
check_eq "$(wc -l <"$T/a.csv" | awk '{ print ($1 > 7900) }')" 1 "200 s of 10 servers, 4 families" &&
	if cmp "$T/a.csv" "$T/b.csv" && ! cmp -s "$T/a.csv" "$T/c.csv"; then ok; else fail "differ or do not"; fi

case_begin "up to the fault a run is the one without it, to the letter"
run d pfs -w mixed --seconds 200 --seed 7 -f disk-hog -n io03 --fault-from 100 --fault-seconds 50
csv d >"$T/d.csv"
for f in a d; do # 99 s after the beginning, which is midnight
	awk -F, -v before="$T/$f.before" -v after="$T/$f.after" '
		{ print >(NR == 1 || $1 < "2026-01-05T00:01:39Z" ? before : after) }' "$T/$f.csv"
done
check_eq "$(wc -l <"$T/a.before" | awk '{ print ($1 > 3900) }')" 1 "lines of 99 s" &&
	if cmp "$T/a.before" "$T/d.before" && ! cmp -s "$T/a.after" "$T/d.after"; then ok; else fail "the noise moved"; fi

case_begin "it adds up: Little's law, blocks, pages, processors"
run hog pfs -w mixed --seconds 300 -f disk-hog -n io03 --fault-from 100 --fault-seconds 150
csv hog >"$T/hog.csv"
awk -F, '
	function off(a, b, tolerance) { return a - b > tolerance || b - a > tolerance }
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$3 == "disk" { key = $1 " " $2; n++
		little = ($(at["r/s"]) * $(at["r_await"]) + $(at["w/s"]) * $(at["w_await"])) / 1000
		if (off(little, $(at["aqu-sz"]), 0.002 + 0.001 * little)) bad["little"]++
		if (off($(at["r/s"]) + $(at["w/s"]), $(at["tps"]), 0.01)) bad["tps"]++
		if ($(at["%util"]) > 100 || $(at["foreign-rkB/s"]) > $(at["rkB/s"])) bad["over"]++
		r[key] = $(at["rkB/s"]); w[key] = $(at["wkB/s"]) }
	$3 == "net" { if ($(at["rxkB/s"]) > 125000 || $(at["txkB/s"]) > 125000) bad["over a gigabit"]++ }
	$3 == "host" { key = $1 " " $2
		if (off(2 * r[key], $(at["bread/s"]), 0.001 * r[key] + 0.1)) bad["bread"]++
		if (off(2 * w[key], $(at["bwrtn/s"]), 0.001 * w[key] + 0.1)) bad["bwrtn"]++
		if (off(r[key], $(at["pgpgin/s"]), 0.001 * r[key] + 0.1)) bad["pgpgin"]++
		if (off($(at["%user"]) + $(at["%system"]) + $(at["%iowait"]) + $(at["%idle"]), 100, 0.1)) bad["cpu"]++ }
	END { for (k in bad) print k, bad[k]; if (n < 2900) print "rows", n }' "$T/hog.csv" >"$T/bad"
check_eq "$(cat "$T/bad")" "" "seconds that do not add up" && ok

case_begin "what histograms give agrees with the counters, clients and processes with their host"
awk -F, '
	function off(a, b) { return a - b > 0.01 + 0.001 * b || b - a > 0.01 + 0.001 * b }
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$3 == "disk" { n++
		for (op = 1; op <= 2; op++) { o = op == 1 ? "r" : "w"
			if (($(at[o "/s"]) > 0) != ($(at[o "_dev"]) != "" && $(at[o "_dev"]) != "nan")) bad["no time in the device"]++
			if ($(at[o "/s"]) > 0 && $(at[o "_dev"]) > $(at[o "_await"]) && $(at[o "_await"]) > 1) bad["longer in the device"]++ }
		foreign[$1 " " $2] = $(at["foreign-rkB/s"]) }
	$3 == "tcp" { key = $1 " " $2; iseg[key] = $(at["iseg/s"]); odseg[key] = $(at["odseg/s"]) }
	$3 == "host" { key = $1 " " $2; cpu[key] = 2 * ($(at["%user"]) + $(at["%system"]))
		if (!($(at["runq-delay"]) > 0) || $(at["runq-p99"]) < $(at["runq-delay"])) bad["run queue"]++ }
	$3 == "remote" { key = $1 " " $2; remotes++; ri[key] += $(at["iseg/s"]); ro[key] += $(at["odseg/s"]) }
	$3 == "process" { key = $1 " " $2; pc[key] += $(at["%CPU"]); if ($4 == "dd:4711") dd[key] = $(at["kB_rd/s"]) }
	END { for (k in iseg) { if (off(ri[k], iseg[k]) || off(ro[k], odseg[k])) bad["clients"]++
			if (pc[k] > cpu[k] * 1.01 || pc[k] < 0.84 * cpu[k]) bad["processors"]++ }
		for (k in dd) { hogs++; if (off(dd[k], foreign[k])) bad["the hog"]++ }
		if (hogs < 148 || hogs > 150) print "seconds of the hog", hogs
		if (remotes != 10 * n) print "clients", remotes, n
		for (k in bad) print k, bad[k] }' "$T/hog.csv" >"$T/bad"
check_eq "$(cat "$T/bad")" "" "seconds that do not agree" && ok

case_begin "without a fault servers get the same work; over several clusters they do it alike"
for s in 1 2 3 4 5 6; do
	run "k$s" pfs -w ddw --seconds 240 --seed "$s" --cluster-seed "$s"
	means "k$s" "rxkB/s w_await" 30 240
done | awk '
	{ s[$1 " " $2] += $3 }
	END { for (k in s) { split(k, p, " "); sum[p[2]] += s[k]; n[p[2]]++ }
		for (k in s) { split(k, p, " "); r = s[k] / (sum[p[2]] / n[p[2]])
			if (r < (p[2] == "rxkB/s" ? 0.98 : 0.8) || r > (p[2] == "rxkB/s" ? 1.02 : 1.2)) print k, r }
		if (n["w_await"] != 10) print "servers", n["w_await"] }' >"$T/bad"
check_eq "$(cat "$T/bad")" "" "servers that differ" && ok

case_begin "one cluster's disks keep their own speed from run to run, another's have others"
for s in 1 2; do run "s$s" pfs -w ddr --clients 30 --servers 30 --seconds 240 --seed "1$s" --cluster-seed 3; done
run s3 pfs -w ddr --clients 30 --servers 30 --seconds 240 --seed 13 --cluster-seed 4
for s in 1 2 3; do means s$s "%util" 30 240 | sed "s/^/$s /"; done | awk '
	{ v[$1, $2] = $4; name[$2]; m[$1] += $4 / 30 }
	function correlation(a, b,  k, xy, xx, yy) { for (k in name) {
			xy += (v[a, k] - m[a]) * (v[b, k] - m[b]); xx += (v[a, k] - m[a]) ^ 2; yy += (v[b, k] - m[b]) ^ 2 }
		return xy / sqrt(xx * yy) }
	END { x = correlation(1, 2); y = correlation(1, 3); print (x > 0.45 && y < 0.35 ? "yes" : x " " y) }' >"$T/corr"
check_eq "$(cat "$T/corr")" yes "utilisation correlates over 0.45 in one cluster, under 0.35 between two" && ok

case_begin "postmark loads the server of \"/\" more, and lustre has none among the peers"
run pm pfs -w postmark --seconds 300
run lu pfs -w postmark --seconds 300 --kind lustre --mds
for r in pm lu; do
	means $r rxkB/s 100 280 | sort -k3,3gr | awk '$1 != "mds" { v[++n] = $3 } END { print n, (v[1] > 1.3 * v[2]) }'
done >"$T/root"
check_eq "$(tr '\n' ' ' <"$T/root")" "10 1 10 0 " "one server stands out: pvfs, lustre" &&
	check_eq "$(find "$T/lu" -name 'mds-*.limpet' | wc -l)" 1 "files of the metadata server" && ok

case_begin "the line of truth"
mkdir "$T/truth"
"$O/simulate" pfs -w ddw --seconds 100 --clients 6 --servers 12 --truth "$T/truth/t.csv" "$T/truth/clean"
"$O/simulate" pfs -w ddr --seconds 100 -f disk-busy -n io02 --fault-from 30 --fault-seconds 40 \
	--begin @1767580000 --model "$T/truth/m.json" --truth "$T/truth/t.csv" "$T/truth/busy"
check_eq "$(cut -d, -f1-8 "$T/truth/t.csv")" "source,model,cluster,workload,fault,node,from,to
clean,,6/12,ddw,none,,,
busy,m.json,10/10,ddr,disk-busy,io02,@1767580030,@1767580070" "truth" && ok

case_begin "what is no fault is called so, and says where and how long it is"
mkdir "$T/no"
for f in burst fleet hardware; do
	"$O/simulate" pfs -w idle --seconds 100 -f $f --fault-from 30 --fault-seconds 40 --cluster-seed 3 \
		--truth "$T/no/t.csv" "$T/no/$f"
done
"$O/simulate" pfs -w idle --seconds 100 --heterogeneity 0.5 --imbalance 0.3 --noise 3 "$T/no/other" || echo "# $?"
check_eq "$(cut -d, -f5-8 "$T/no/t.csv")" "fault,node,from,to
burst,io02,@$((B + 30)),@$((B + 50))
fleet,,@$((B + 30)),@$((B + 70))
hardware,$("$O/simulate" pfs -w idle --seconds 100 -f hardware --cluster-seed 3 --fault-seconds 1 --fault-from 1 \
	--truth "$T/no/u.csv" "$T/no/again" && tail -n 1 "$T/no/u.csv" | cut -d, -f6),," "truth" &&
	check_eq "$(tail -n 1 "$T/no/t.csv" | cut -d, -f6 | grep -c io02)" 1 "the drawn server is of the other model" && ok

case_begin "some seconds are missing if asked for, and what they moved is not"
run gaps pfs -w ddw --seconds 300 --missing 0.1
run whole pfs -w ddw --seconds 300 --missing 0
g=$(csv gaps 0 300 -m tps | grep -c ',disk,')
w=$(csv whole 0 300 -m tps | grep -c ',disk,')
check_eq "$w $((g > 2500 && g < 2900))" "3000 1" "seconds" && ok

case_begin "Hadoop: what its four faults do to one slave"
for f in none cpu-hog disk-hog packet-loss hang; do
	if [ $f = none ]; then set --; else set -- -f $f -n slave03; fi
	run "h-$f" hadoop -w sort --seconds 500 --fault-seconds 300 "$@"
	means "h-$f" "%user bwrtn/s rxkB/s" 150 450 | awk -v f=$f '
		$1 == "slave03" { own[$2] = $3 } $1 != "slave03" { s[$2] += $3 / 4 }
		END { print f, own["%user"] - s["%user"], own["bwrtn/s"] / s["bwrtn/s"], own["rxkB/s"] / s["rxkB/s"] }'
done >"$T/hadoop"
bad=$(awk '$1 == "none" && ($2 < -8 || $2 > 8 || $3 < 0.7 || $3 > 1.4) { print }
	$1 == "cpu-hog" && ($2 < 40 || $3 > 1.4) { print } $1 == "disk-hog" && $3 < 1.5 { print }
	$1 == "packet-loss" && $4 > 0.5 { print } $1 == "hang" && ($2 < 8 || $2 > 30) { print }
	END { if (NR != 5) print NR }' "$T/hadoop")
check_eq "$bad" "" "slave03 against the others: %user less, bwrtn/s and rxkB/s over" && ok

case_begin "a whole experiment in small, and its two sets of seeds"
for s in tuning evaluation; do
	tools/simulated-runs --no-model --repeat 1 --seconds 100 --clusters "2/3 3/4" --workloads "ddw postmark" \
		--faults "none disk-hog" --seeds $s "$T/x-$s" >"$T/out" 2>&1 || cat "$T/out"
done
rows=$(tail -q -n +2 "$T/x-tuning/truth.csv" "$T/x-evaluation/truth.csv" | cut -d, -f1,3-5,11 | sort -u | wc -l)
seeds=$(tail -q -n +2 "$T/x-tuning/truth.csv" "$T/x-evaluation/truth.csv" | cut -d, -f11 | sort -u | wc -l)
files=$(find "$T/x-tuning" -name '*.limpet' | wc -l) # (3 training runs + 4) of 3 and of 4 servers
tools/simulated-runs --no-model "$T/x-tuning" >"$T/out" 2>&1
again=$?
tools/simulated-runs --seeds other "$T/y" >"$T/out" 2>&1
check_eq "$rows $seeds $files $again $?" "16 16 49 2 2" "lines, seeds, files, statuses of refusals" && ok

case_begin "without habits a run is what it always was, byte for byte"
i=0
for words in "pfs -w mixed --seconds 60 --servers 3 --seed 7 -f disk-hog --fault-from 20 --fault-seconds 30" \
	"pfs -w postmark --seconds 60 --servers 3 --kind lustre --mds -f hang --fault-from 10 --fault-seconds 40" \
	"hadoop -w sort --seconds 60 -f cpu-hog --fault-from 20 --fault-seconds 30"; do
	i=$((i + 1))
	# shellcheck disable=SC2086
	run "same$i" $words
	csv "same$i" | awk -F, '{ row[NR] = $0; for (i = 1; i <= NF; i++) if (NR > 1 && $i != "") has[i] = 1 }
		END { for (r = 1; r <= NR; r++) {
			n = split(row[r], f); s = ""; for (i = 1; i <= n; i++) if (i in has) s = s f[i] ","; print s } }' | cksum
done >"$T/sums"
check_eq "$(cut -d' ' -f1 "$T/sums" | tr '\n' ' ')" "3748561623 3194277846 2605781798 " "sums of limpet show --csv, without what it does not simulate" && ok

case_begin "habits: units are whole and lose nothing, unread connections are recorded when asked for"
run units pfs -w light --seconds 200 --servers 3 --unit 1024 --missing 0
run plain pfs -w light --seconds 200 --servers 3 --missing 0
run unread pfs -w ddr --seconds 200 --servers 3 --clients 5 -f hang -n io02 --unread --fault-from 50 --fault-seconds 100
for r in units plain; do
	csv $r 0 300 -f disk -m rkB/s -m wkB/s | awk -F, -v r=$r '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ for (k = 1; k <= 2; k++) { x = $(at[k == 1 ? "rkB/s" : "wkB/s"]); s += x
			# divided by an interval of a second and some 0.1 ms
			u = x / 1024; if (u > 0.5 && (u - int(u + 0.5)) ^ 2 > (0.002 * u) ^ 2) odd++ } }
		END { print r, s, odd + 0 }'
done >"$T/kb"
awk '{ s[$1] = $2; odd[$1] = $3 } END { print (odd["units"] == 0 && odd["plain"] > 100 &&
	s["units"] > s["plain"] - 6 * 1024 * 1.01 && s["units"] < s["plain"] * 1.0005) }' "$T/kb" >"$T/good"
csv unread 56 90 -f tcp -m tcp-unread | awk -F, 'NR > 1 { s[$2] += $5; n[$2]++ } END { for (k in s) print k, s[k] / n[k] }' >"$T/open"
before=$(csv unread 0 3 -f tcp -m tcp-unread | awk -F, 'NR > 1 && $5 != "" && $5 != "nan"' | wc -l)
none=$(csv plain 0 300 -f tcp -m tcp-unread | awk -F, 'NR > 1 && $5 != "" && $5 != "nan"' | wc -l)
check_eq "$(cat "$T/good") $(sort "$T/open" | awk '{ printf "%s %s;", $1, $2 }') $before $none" \
	"1 io01 0;io02 5;io03 0; 0 0" "whole units; unread while it hangs; rows before 5 s, and unasked" && ok

case_begin "rows of more seconds have their sums, and brief runs no clients and processes"
run tens pfs -w light --seconds 300 --servers 3 --missing 0 --interval 10 --brief
for r in tens ones; do
	[ $r = tens ] || run ones pfs -w light --seconds 300 --servers 3 --missing 0
	csv $r 0 300 | awk -F, -v r=$r -v step=$([ $r = tens ] && echo 10 || echo 1) '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$3 == "disk" { n++; reads += step * $(at["r/s"]); ms += step * $(at["r/s"]) * $(at["r_await"]) }
		$3 == "remote" || $3 == "process" { more++ }
		END { print r, n, reads, ms, (more > 0) }'
done >"$T/rows"
awk '{ n[$1] = $2; reads[$1] = $3; ms[$1] = $4; more[$1] = $5 }
	END { r = reads["tens"] / reads["ones"]; m = ms["tens"] / ms["ones"]
		print n["tens"], n["ones"], more["tens"], more["ones"], (r > 0.999 && r < 1.001), (m > 0.999 && m < 1.001) }' \
	"$T/rows" >"$T/same"
check_eq "$(cat "$T/same")" "90 900 0 1 1 1" "rows, clients, the same requests and milliseconds" && ok

case_begin "sets: fault-free runs of all habits, slow disks by factor and time"
tools/simulated-runs --set fault-free --seconds 100 --clusters 3/3 --workloads light "$T/free" >"$T/out" 2>&1 || cat "$T/out"
tools/simulated-runs --set slow --seconds 100 --clusters 3/3 --workloads light --factors "1.3 3" --repeat 2 "$T/slow" \
	>"$T/out" 2>&1 || cat "$T/out"
check_eq "$(cut -d, -f5,6 "$T/free/truth.csv" | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 1 fault,node; 8 none,;" "fault-free" &&
	check_eq "$(tail -n +2 "$T/slow/truth.csv" | awk -F, '{ print $10, substr($8, 2) - substr($7, 2) }' | sort | uniq -c |
		tr -s ' ' | tr '\n' ';')" " 2 1.3 100; 4 1.3 75; 2 3 100; 4 3 75;" "factors and seconds" && ok

case_begin "tables: kinds are listed, a seed gives the same table, limpet reads it and finds who is slow"
kinds=$("$O/simulate" table --list | awk 'NF > 1' | wc -l)
for s in 7 7 8; do "$O/simulate" table wander-10min-0.1 --servers 5 --hours 24 --seed $s | cksum; done >"$T/sums"
for slow in "" "--slow 5 --node s03"; do
	# shellcheck disable=SC2086
	"$O/simulate" table white-0.5 --servers 5 $slow | "$O/limpet" diagnose --signal latency --given throughput - |
		sed -n '1s/ .*//p'
done >"$T/said"
check_eq "$((kinds >= 40)) $(uniq "$T/sums" | wc -l) $(tr '\n' ';' <"$T/said")" "1 2 no;s03;" "kinds, tables, who is slow" && ok

case_begin "tables: bad orders are refused with status 2 and nothing on standard output"
refused=
while read -r words; do
	# shellcheck disable=SC2086
	"$O/simulate" table $words >"$T/out" 2>"$T/err"
	status=$?
	[ $status = 2 ] && [ ! -s "$T/out" ] && [ "$(wc -l <"$T/err")" = 1 ] || refused="$refused [$words: $status]"
done <<-END

	nonsense
	white-1 pairs
	--list white-1
	white-1 --servers 1
	white-1 --hours 0
	white-1 --servers 10000 --hours 10000 --step 1
	white-1 --slow 0.5
	white-1 --node s01
	white-1 --slow 2 --node s07
	white-1 --slow 2 --node io01
	white-1 --slow 2 --duty 1h
	white-1 --duty 1h:0.5
	white-1 --slow-from 3
	white-1 --begin @1.5
END
"$O/simulate" table white-1 >/dev/full 2>"$T/err"
check_eq "$refused $? $(wc -l <"$T/err")" " 1 1" "not refused; status and message of a full disk" && ok

case_begin "bad options are refused, with status 2 and no folder"
refused=
while read -r words; do
	# shellcheck disable=SC2086
	"$O/simulate" $words "$T/never" >"$T/out" 2>"$T/err"
	status=$?
	[ $status = 2 ] && [ "$(wc -l <"$T/err")" = 1 ] && [ ! -e "$T/never" ] || refused="$refused [$words: $status]"
done <<-END
	pfs
	pfs -w nonsense
	pfs -w ddw -f nonsense
	pfs -w ddw -f packet-loss
	pfs -w ddw -n io01
	pfs -w ddw -f disk-hog -n io11
	pfs -w ddw -f disk-hog --intensity 0.99
	pfs -w ddw --intensity 0.5
	pfs -w ddw -f slow-disk --intensity 0.9
	pfs -w ddw -f slow-disk --intensity 21
	pfs -w ddw -f fleet -n io01
	pfs -w ddw -f lossy-client -n io01
	pfs -w ddw --noise -1
	pfs -w ddw --wander 0.1
	pfs -w ddw --wander 0.1:1h,
	pfs -w ddw --rack 2
	pfs -w ddw --shared 0.5
	pfs -w ddw --warm-up 10m
	pfs -w ddw --hits 0.1:1h
	pfs -w ddw --cache 0.5 --warm-up soon
	pfs -w ddw --job-share 0.2
	pfs -w ddw --job 1h:2
	pfs -w ddw --like nonsense
	pfs -w ddw --like wander,all
	pfs -w ddw --layout replica
	pfs -w ddw --tick 0
	pfs -w ddw --interval 0
	pfs -w ddw --duty 1h:0.5
	pfs -w ddw -f hardware --duty 1h:0.5
	hadoop -w sort --wander 0.1:1h
	pfs -w ddw --heterogeneity 2
	pfs -w ddw --servers 0
	pfs -w ddw --servers 10000 --seconds 86000
	pfs -w ddw --seconds 100 -f disk-hog
	pfs -w ddw --mds
	pfs -w ddw --kind gpfs
	pfs -w ddw --begin @1.5
	pfs -w ddw --seed -1
	pfs -w ddw another
	hadoop -w ddw
	hadoop -w sort -f disk-busy
	nonsense
END
check_eq "$refused" "" "not refused" && ok

case_begin "a folder or a file of truth that cannot be written: status 1"
"$O/simulate" pfs -w ddw --seconds 10 "$T/no/such/folder" 2>"$T/err"
first=$?
"$O/simulate" pfs -w ddw --seconds 10 --truth "$T/no/such/truth.csv" "$T/x" 2>>"$T/err"
check_eq "$first $? $(wc -l <"$T/err")" "1 1 2" "statuses and messages" && ok
