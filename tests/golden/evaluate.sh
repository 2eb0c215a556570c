#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# limpet evaluate on labelled runs whose scores were worked out by hand: text, CSV and JSON.
#
# Four servers, 400 s each; windows of 40 s begin every 20 s, and 3 odd ones of 5 indict. A server is
# made odd from second A to B: five times the await or three times the bytes written. The window that
# begins 20 s before A is half odd, which is enough: the third odd one begins at A + 20 and ends at
# A + 60, and there the vote is complete.
#
#  line fault       load label      made odd             so
#   2   disk-busy   ddw  oss3 200-  oss3 await 200-400   hit after 60 s, with the right cause
#   3   disk-busy   ddw  oss2 160-  oss2 await 200-400   hit after 100 s, with the right cause
#   4   disk-hog    ddw  oss1 200-  oss1 bytes 200-400   hit after 60 s, with the right cause
#   5   disk-hog    ddr  oss4 200-  oss4 await 200-400   hit after 60 s; the cause is disk-busy: wrong
#   6   none        ddw             nobody               clean
#   7   none        ddw             oss2 await 0-400     alarm, disk-busy (no window before: at 80)
#   8   disk-busy   ddr  oss1 300-  oss1 await 100-200   decided at 160: a miss and an alarm
#   9   cpu-hog     ddr  oss1       nobody               miss; the checklist has no such cause
#  10   none        ddr             two servers only     cannot be judged; 4 servers are not
#  11   disk-busy   ddr  oss1 oss2  both, await 200-400  hit after 60 s, both with the right cause
#  12   packet-loss ddr  oss1 200-  two servers only     cannot be judged: a miss
#
# In all, of runs: ITP 5 of 8 (not 8, 9, 12); DTP 4 of the 7 whose fault has a cause (not 5, 8, 12);
# IFP and DFP 2 of the 9 that were judged (7, 8); TTD 60, 60, 60, 60, 100.
# Of servers: TP 6 of 9; FP 1 of 3 + 3 + 3 + 3 + (3 + oss1 of line 8 before its fault) + 3 + 2 = 21;
# false alarms in runs without a fault 1 of 8. tp 6; fp 2 (7, 8); fn 2 (8, 9; that of 12 was not judged);
# tn 3 + 3 + 3 + 3 + 4 + 3 + 3 + 3 + 2 = 27. Precision 6/8, recall 6/8,
# MCC (6 * 27 - 2 * 2)/(8 * 8 * 29 * 29)^(1/2) = 158/232 = 0.681034.
# Of disk-busy and ddr (8, 11): ITP, IFP 1 of 2; TP 2 of 3; FP 1 of 4 + 2; tp 2, fp 1, fn 1, tn 5,
# MCC 9/18. Wilson's 95 % of 1 of 2, by hand: (0.5 + 0.9604)/2.9207 = 0.5, and half its width
# 1.96 * (0.125 + 0.2401)^(1/2)/2.9207 = 0.4055: 9 to 91 %.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

G=tests/golden
T0=1795230000 # 2026-11-21T03:00:00Z

# A folder of series: NAME SERVERS [METRIC FROM TO SERVER…]. Healthy servers go through the same
# 97 values, each in an order of its own: no two are the same, and none is odd.
make_run() {
	folder=$T/$1 servers=$2 metric=${3:-} from=${4:-0} to=${5:-0}
	shift $(($# < 5 ? $# : 5))
	mkdir "$folder"
	awk -v t0=$T0 -v n="$servers" -v metric="$metric" -v from="$from" -v to="$to" \
		-v odd=" $* " 'BEGIN {
		for (t = 0; t < 400; t++)
			for (i = 1; i <= n; i++) {
				u = (t * 37 + i * 29 + int(t / 97) * i) % 97
				here = t >= from && t < to && index(odd, " oss" i " ")
				await = (20 + u / 10) * (here && metric == "await" ? 5 : 1)
				bytes = (20000 + u * 100) * (here && metric == "wkB/s" ? 3 : 1)
				printf "%d,oss%d,await,sda,%g\n", t0 + t, i, await
				printf "%d,oss%d,wkB/s,sda,%d\n", t0 + t, i, bytes
			}
	}' | "$O/tests/make_series" "$folder"
}

make_all() {
	make_run healthy 4 &&
		make_run await3 4 await 200 400 oss3 &&
		make_run await2 4 await 200 400 oss2 &&
		make_run bytes1 4 wkB/s 200 400 oss1 &&
		make_run await4 4 await 200 400 oss4 &&
		make_run always2 4 await 0 400 oss2 &&
		make_run early1 4 await 100 200 oss1 &&
		make_run two 2 &&
		make_run both 4 await 200 400 oss1 oss2 &&
		"$O/limpet" train --smooth 1 --window 40 --shift 20 --bins 5 -o "$T/model.json" \
			"$T/healthy"
	cat >"$T/truth.csv" <<-END
		cluster,workload,fault,node,from,to,source,model,seed
		4/4,ddw,disk-busy,oss3,@$((T0 + 200)),,await3,model.json,1
		4/4,ddw,disk-busy,oss2,@$((T0 + 160)),,await2,model.json,2
		4/4,ddw,disk-hog,oss1,@$((T0 + 200)),,bytes1,model.json,3
		4/4,ddr,disk-hog,oss4,@$((T0 + 200)),@$((T0 + 400)),await4,model.json,4
		4/4,ddw,none,,,,healthy,model.json,5
		4/4,ddw,,,,,always2,model.json,6
		4/4,ddr,disk-busy,oss1,2026-11-21T03:05:00Z,,early1,model.json,7
		4/4,ddr,cpu-hog,oss1,,,healthy,model.json,8
		4/4,ddr,none,,,,two,model.json,9
		4/4,ddr,disk-busy,"oss1 oss2",@$((T0 + 200)),,both,model.json,10
		4/4,ddr,packet-loss,oss1,@$((T0 + 200)),,two,model.json,11
	END
}

if ! make_all >"$T/made" 2>&1; then
	cat "$T/made"
	exit 1
fi

case_begin "runs and scores, to the letter"
"$O/limpet" evaluate --runs "$T/truth.csv" >"$T/out" 2>"$T/err"
check_eq "$? $(cat "$T/err")" "0 " "exit status and messages" &&
	if sed "s|^$T/||" "$T/out" | diff -u $G/evaluate.expected - >"$T/diff"; then ok; else
		fail "$(cat "$T/diff")"
	fi

case_begin "no line has more than 99 columns"
check_eq "$(awk 'length > 99 { print } END { print NR }' "$T/out")" "$(wc -l <$G/evaluate.expected)" \
	"longer lines, lines" && ok

case_begin "--csv: all columns have names, and in all is what was worked out"
"$O/limpet" evaluate --csv "$T/truth.csv" >"$T/csv"
all="all,,,,,8,3,1,1,0,0"
# k, n and k/n, and binomtest(k, n).proportion_ci(method="wilson") of scipy.stats
all="$all,5,8,0.625,0.305742,0.863156" # itp
all="$all,2,9,0.222222,0.0632251,0.547411" # ifp
all="$all,4,7,0.571429,0.250458,0.84178" # dtp
all="$all,2,9,0.222222,0.0632251,0.547411" # dfp
all="$all,6,9,0.666667,0.354202,0.879416" # tp
all="$all,1,21,0.047619,0.00845599,0.226694" # fp
all="$all,1,8,0.125,0.0224175,0.470888" # false alarms, servers
all="$all,1,2,0.5,0.0945312,0.905469" # false alarms, runs
all="$all,6,8,0.75,0.409275,0.928521" # precision
all="$all,6,8,0.75,0.409275,0.928521" # recall
all="$all,4,8,0.5,0.215216,0.784784" # within 60 s
all="$all,0,0,,,,0,0,,," # kl names no side of packet loss, and guesses nothing
all="$all,0,2,0,0,0.65762" # unproven: kl never is; of the healthy run, and cpu-hog of the same
all="$all,1,8,0.125,0.0224175,0.470888" # clear: cpu-hog
# tp, fp, tn, fn, not judged, MCC, runs detected, median and largest time to detection
all="$all,6,2,27,2,8,0.681034,5,60,100"
check_eq "$(grep ^all "$T/csv")" "$all" "in all" &&
	check_eq "$(awk -F, '{ print NF }' "$T/csv" | sort -u)" 95 "columns" && ok

case_begin "--json says the same as --csv, null where that is empty"
"$O/limpet" evaluate --json --runs "$T/truth.csv" >"$T/json"
jq -r '.scores[] | [.group, .cluster, .fault, .workload, .intensity, .runs_faulty, .runs_fault_free,
	.cannot_faulty, .cannot_fault_free, .failed_faulty, .failed_fault_free] + [(.itp, .ifp, .dtp, .dfp, .tp, .fp, .false_alarm_servers,
	.false_alarm_runs, .precision, .recall, .within_60s, .direction, .guess, .unproven, .clear) | .k, .n, .value, .lo, .hi] + [(.servers | .true_positives,
	.false_positives, .true_negatives, .false_negatives, .not_judged, .mcc),
	(.time_to_detection_s | .runs, .median, .max)] | map(. // "" | tostring) | join(",")' \
	"$T/json" >"$T/from_json"
sed 1d "$T/csv" | paste -d , - "$T/from_json" | awk -F, '
	function same(a, b, number) {
		if (!number || a == "" || b == "")
			return a "" == b ""
		return (a - b) * (a - b) <= 1e-10 * a * a
	}
	{
		n = NF / 2
		for (i = 1; i <= n; i++)
			if (!same($i, $(i + n), i > 5))
				print $i " is not " $(i + n) " (row " NR ", column " i ")"
	}
	END { print NR " rows of " n }' >"$T/diff" 2>&1
check_eq "$(cat "$T/diff")" "17 rows of 95" "differences" && ok

case_begin "--json --runs has every run: who, why, when, and whether rightly"
expected='[11,"miss+alarm",8,null,[{"node":"oss1","cause":"disk-busy","after_s":-140,"faulty":true,'
expected=$expected'"hit":false,"alarm":true,"direction":null,"guess":null}],"3 servers are neede"]'
check_eq "$(jq -c '[(.each | length)] + (.each[6] | [.verdict, .line, .ttd_s, .indicted]) +
	[.each[8].why[:19]]' "$T/json")" "$expected" "runs" &&
	check_eq "$(jq -c '[.each[] | select(.cause_right != null) | [.verdict, .cause_right]] | unique' "$T/json")" \
		'[["hit",false],["hit",true]]' "causes of hits" && ok

case_begin "--csv --runs has a line per run, and why one was not judged"
"$O/limpet" evaluate --csv --runs "$T/truth.csv" >"$T/runs"
check_eq "$(wc -l <"$T/runs") $(sed "s|$T/||g" "$T/runs" | sed -n 11p)" \
	'12 truth.csv,11,both,4/4,disk-busy,ddr,"oss1 oss2",hit,60,"oss1:disk-busy:60 oss2:disk-busy:60",' \
	"lines and the one of two servers" &&
	check_eq "$(sed -n '12s/.*,not-judged/not-judged/p' "$T/runs" | cut -c 1-40)" \
		'not-judged,,"","3 servers are needed, an' "the one without judgement" && ok

case_begin "--top: of two servers that are rightly indicted only one counts, so that run is a miss"
"$O/limpet" evaluate --json --top --runs "$T/truth.csv" >"$T/top"
check_eq "$(jq -c '[.each[] | .verdict] | [.[0], .[9]]' "$T/top")" '["hit","miss"]' verdicts &&
	check_eq "$(jq -c '.scores[-1] | [.itp.k, .tp.k, .servers.false_negatives]' "$T/top")" \
		"[4,5,3]" "ITP, TP, fn" && ok

case_begin "--method, --slack and --model reach the diagnosis"
slack=$("$O/limpet" evaluate --json --slack 1000 "$T/truth.csv" | jq .scores[-1].itp.k)
cwnd=$("$O/limpet" evaluate --json --method cwnd "$T/truth.csv" |
	jq -c '.scores[-1] | [.itp.k, .cannot_faulty]')
cut -d, -f1-7 "$T/truth.csv" >"$T/bare.csv"
model=$("$O/limpet" evaluate --json --model "$T/model.json" "$T/bare.csv" | jq .scores[-1].itp.k)
check_eq "$slack $cwnd $model" "0 [0,8] 5" "ITP" && ok

case_begin "words with commas and quotes come out as they went in"
printf 'source,model,fault,workload,cluster\nhealthy,model.json,none,"a ""b"", c",x\n' >"$T/words.csv"
"$O/limpet" evaluate --csv "$T/words.csv" >"$T/csv"
check_eq "$(sed -n 2p "$T/csv" | cut -c 1-31)" 'cell,x,none,"a ""b"", c",,0,1,0' "its line" && ok

case_begin "a run that cannot be read is told with file and line, the others are scored: status 1"
sed '3s/await2/nowhere/; 5s/oss4/oss9/' "$T/truth.csv" >"$T/bad.csv"
"$O/limpet" evaluate --json "$T/bad.csv" >"$T/json" 2>"$T/err"
check_eq $? 1 "exit status" &&
	check_eq "$(jq -c '[.runs, .failed, (.scores[-1] | .itp.k, .itp.n, .failed_faulty)]' "$T/json")" \
		"[11,2,3,8,2]" "runs; no recording is dropped: the two count as misses" &&
	if grep -q "bad.csv' line 3: " "$T/err" && grep -q "bad.csv' line 5: .*'oss9'" "$T/err" &&
		grep -q "2 of 11 runs failed" "$T/err"
	then ok; else fail "$(cat "$T/err")"; fi

case_begin "--csv --runs says why a run failed"
"$O/limpet" evaluate --csv --runs "$T/bad.csv" 2>/dev/null | awk -F, 'NR == 3 || NR == 5' | sed 's/.*,failed/failed/' >"$T/runs"
check_eq "$(cat "$T/runs")" 'failed,,"",could not be read
failed,,"",the label does not fit the recording' "their ends" && ok

case_begin "labels that are wrong, missing or without a model: status 1, nothing scored"
sed '4s/@.*,,/noon,,/' "$T/truth.csv" >"$T/noon.csv"
"$O/limpet" evaluate "$T/truth.csv" "$T/noon.csv" >"$T/out" 2>"$T/err"
status=$?
sed '2s/model.json//' "$T/truth.csv" >"$T/one.csv"
"$O/limpet" evaluate "$T/one.csv" >>"$T/out" 2>>"$T/err"
status=$status$?
"$O/limpet" evaluate --method ratio,kl "$T/bare.csv" >>"$T/out" 2>>"$T/err"
status=$status$?
"$O/limpet" evaluate "$T/none.csv" >>"$T/out" 2>>"$T/err"
status=$status$?
check_eq "$status $(cat "$T/out")" "1111 " "exit statuses and output" &&
	if grep -q "noon.csv' line 4: 'noon' is no time" "$T/err" &&
		grep -q "one.csv' line 2: no model" "$T/err" &&
		grep -q "bare.csv' line 2: no model" "$T/err" && grep -q "none.csv'" "$T/err"
	then ok; else fail "$(cat "$T/err")"; fi

case_begin "the baselines need no model, and say the checklist's causes"
for m in ratio hdfs ceph; do
	"$O/limpet" evaluate --json --method $m --runs "$T/bare.csv" |
		jq -r --arg m $m '[$m] + [.each[] | .verdict] + [.each[0].indicted[0].cause] | join(" ")'
done >"$T/out"
# three times the bytes are not over three times the median, and of two in four the median is between
check_eq "$(cat "$T/out")" \
	"ratio hit hit hit hit clean alarm miss+alarm miss not-judged hit not-judged disk-busy
hdfs hit hit miss hit clean alarm miss+alarm miss not-judged miss not-judged disk-busy
ceph hit hit hit hit clean alarm miss+alarm miss not-judged miss not-judged disk-busy" verdicts && ok

case_begin "without models: robust, which is to be had by its name, too"
"$O/limpet" evaluate --json "$T/bare.csv" >"$T/json" 2>"$T/err"
status=$?
"$O/limpet" evaluate --json --method robust "$T/truth.csv" 2>>"$T/err" >"$T/again"
status=$status$?
check_eq "$status $(cat "$T/err")" "00 " "exit statuses and messages" &&
	check_eq "$(jq .method "$T/json")" '"robust"' "method" &&
	if cmp "$T/json" "$T/again" >&2; then ok; else fail "they differ"; fi

case_begin "options of one way of judging are refused with the other"
for o in "--method robust --slack 2" "--votes 2" "--signal x --method kl --model $T/model.json"; do
	# shellcheck disable=SC2086
	"$O/limpet" evaluate $o "$T/bare.csv" 2>&1
	echo "status $?"
done >"$T/out"
check_eq "$(tr '\n' ' ' <"$T/out")" "limpet: '--slack' is not for the method robust: it is for kl, cwnd, ganesha, ratio, hdfs, ceph status 1 \
limpet: '--votes' is not for the method robust: it is for kl, cwnd, ratio, hdfs, ceph status 1 \
limpet: '--signal' is not for the method kl: it is for robust status 1 " "messages and statuses" && ok

case_begin "what is no fault makes a group of its own, without a fault"
sed '6s/none,/imbalance,oss2/' "$T/truth.csv" >"$T/hot.csv"
"$O/limpet" evaluate --csv "$T/hot.csv" >"$T/csv"
check_eq "$(grep '^fault,,imbalance' "$T/csv" | cut -d, -f1-7)" "fault,,imbalance,,,0,1" "its runs" &&
	check_eq "$(grep ^all "$T/csv")" "$all" "in all, as before" && ok

case_begin "no TRUTH: status 2"
"$O/limpet" evaluate >"$T/out" 2>&1
check_eq "$? $(cat "$T/out")" "2 limpet: a TRUTH is needed (see 'limpet evaluate --help')" \
	"exit status and message" && ok
