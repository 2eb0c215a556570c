#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The recordings kept in the tree give the verdicts, trained and untrained, and the series they always
# gave: one without the device's part of latencies, one that has it, and processes, and one of two servers
# with a fault each. Where the demo cannot run live it falls back on that and says so.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

R=tests/data/replay
H=tests/data/disk-hog
B=tests/data/lock-and-disk
G=tests/golden
start=$(cut -d' ' -f1 $R/trained)
from=$(cut -d' ' -f2 $R/trained)

same() { # FILE COMMAND…: its output is as the golden file
	golden=$G/$1
	shift
	"$@" >"$T/now" 2>&1
	if diff -u "$golden" "$T/now" >"$T/diff"; then ok; else fail "$(cat "$T/diff")"; fi
}

truth() { sed -n "s/^$1=//p" "${2:-$R}/truth"; }
# Who is said to limp and in what, in one line.
named() { jq -r '.incidents | map("\(.server) \(.cause)") | join(", ")' "$T/json"; }

case_begin "the verdict without training, to the letter"
same replay.untrained "$O/limpet" diagnose $R/series

case_begin "it is the truth"
"$O/limpet" diagnose --json $R/series >"$T/json"
check_eq "$(named)" "$(truth server) $(truth cause)" "the servers named" && ok

case_begin "its trouble begins with the fault, to a window"
since=$(jq -r '.incidents[0].from | fromdateiso8601' "$T/json")
check_eq "$((since >= $(truth onset) - 30 && since <= $(truth onset) + 30))" 1 "since $since" && ok

case_begin "before the fault nobody is named, and not until some windows are bad"
"$O/limpet" diagnose --json --to "@$(truth onset)" $R/series >"$T/json"
check_eq "$(named)" "" "the servers named" &&
	"$O/limpet" diagnose --json --to "@$(($(truth onset) + 12))" $R/series >"$T/json" &&
	check_eq "$(named)" "" "after 12 s" && ok

case_begin "a recording with histograms of the device and with processes, to the letter"
same replay.hog "$O/limpet" diagnose $H/series

case_begin "it is the one that README.md shows"
# bash tests/golden/regenerate writes both anew
case "$(cat README.md)" in
*"$(sed 's/./    &/' $G/replay.hog)"*) ok ;;
*) fail "README.md has another one" ;;
esac

case_begin "it is the truth, without a doubt, and names the process"
"$O/limpet" diagnose --json $H/series >"$T/json"
check_eq "$(named)" "$(truth server $H) $(truth cause $H)" "the servers named" &&
	check_eq "$(jq -r '.incidents[0] | "\(.confidence) \(.culprit.name) \(.culprit.pid)"' "$T/json")" \
		"0.98 fio 22069" "confidence, culprit" && ok

case_begin "two servers, one with a lock and one with a slow disk, to the letter"
same replay.both "$O/limpet" diagnose $B/series

case_begin "each is named with its own reason, within 90 s, and before the faults nobody is"
"$O/limpet" diagnose --json --to "@$(($(truth onset $B) + 90))" $B/series >"$T/json"
said=$(named | sed 's/, /\n/' | sort | paste -s -d , | sed 's/,/, /')
"$O/limpet" diagnose --json --to "@$(truth onset $B)" $B/series >"$T/json"
check_eq "$said; $(named)" "$(grep -v = $B/truth | paste -s -d , | sed 's/,/, /'); " "the servers named" && ok

case_begin "what threads waited for tells the two apart"
# Shares of the looks after the onset, of the server with the lock, of that with the disk, of another.
for server in 2 5 1; do
	"$O/limpet" show --json --family host -n oss-s$server --from "@$(truth onset $B)" $B/series |
		jq -rs '[["%thr-lock", "%thr-disk"][] as $m | map(.[$m] // 0) | add / length] |
			if .[0] > 2 * .[1] then "lock" elif .[1] > 2 * .[0] then "disk" else "neither" end'
done >"$T/waits"
check_eq "$(tr '\n' ' ' <"$T/waits")" "lock disk disk " "what they wait for most" && ok

case_begin "it is named within 60 s, and before the fault nobody is"
"$O/limpet" diagnose --json --to "@$(($(truth onset $H) + 60))" $H/series >"$T/json"
said=$(named)
"$O/limpet" diagnose --json --to "@$(truth onset $H)" $H/series >"$T/json"
check_eq "$said, $(named)" "oss-s3 disk-hog, " "the servers named after 60 s, and before" && ok

case_begin "the verdict of the trained methods, to the letter"
same replay.trained "$O/limpet" diagnose --model $R/model.json --from "$from" $R/series

case_begin "it is the truth, in the words of their checklist"
"$O/limpet" diagnose --json --model $R/model.json --from "$from" $R/series >"$T/json"
check_eq "$(named)" "$(truth server) $(truth kind)" "the servers named" && ok

case_begin "training anew gives the model that is kept, thresholds within 1e-9"
"$O/limpet" train --window 32 --shift 8 --slack 1.2 --from "$start" --to "$from" -o "$T/model.json" $R/series >/dev/null
if jq -e -n --slurpfile a "$T/model.json" --slurpfile b $R/model.json '
	def leaves: [.methods | paths(type == "number") as $p | [($p | map(tostring) | join(".")), getpath($p)]] | sort;
	[($a[0] | leaves), ($b[0] | leaves)] | transpose | all(.[0][0] == .[1][0] and
		((.[0][1] - .[1][1]) | fabs) <= 1e-9 * ((.[1][1] | fabs) + 1e-9))' >"$T/jq" 2>&1
then ok; else fail "$(cat "$T/jq")"; fi

case_begin "series as sar would print them, to the letter"
same replay.show "$O/limpet" show -n oss-amber --from 2026-11-21T04:11:00Z --to 2026-11-21T04:11:03Z \
	$R/series

case_begin "--exit-code: 3 when a server is indicted; before the fault 0 by a vote, and 6 in the first minutes, which prove nothing"
"$O/limpet" diagnose --exit-code --model $R/model.json --from "$from" $R/series >/dev/null
indicted=$?
"$O/limpet" diagnose --exit-code --model $R/model.json --from "$start" --to "$from" $R/series >/dev/null
before=$?
"$O/limpet" diagnose --exit-code $R/series >/dev/null
untrained=$?
"$O/limpet" diagnose --exit-code --to "@$(($(truth onset) - 60))" $R/series >/dev/null
check_eq "$indicted $before, $untrained $?" "3 0, 3 6" "exit statuses, trained and untrained" && ok

case_begin "a server without data is named as not judged: status 4 with --exit-code, else 0"
mkdir "$T/five" && cp $R/series/* "$T/five" && rm "$T"/five/oss-amber-*
"$O/limpet" diagnose --exit-code --model $R/model.json --from "$start" --to "$from" "$T/five" >"$T/out" 2>&1
coded=$?
"$O/limpet" diagnose --json --model $R/model.json --from "$start" --to "$from" "$T/five" >"$T/json" 2>&1
check_eq "$coded $?" "4 0" "exit statuses" &&
	if grep -qx 'no server is indicted: 5 are well, 1 could not be judged' "$T/out" &&
		grep -qx 'not judged: oss-amber (in the model but not in the data)' "$T/out" &&
		jq -e '(.not_judged | map(.server)) == ["oss-amber"] and (.judged.servers | length) == 5' "$T/json" >"$T/jq"
	then ok; else fail "$(cat "$T/out" "$T/json")"; fi

for model in "--model $R/model.json" ''; do
	case_begin "--json with nothing in the time asked says so on standard output: status 4 (${model:-untrained})"
	# shellcheck disable=SC2086
	"$O/limpet" diagnose --json $model --from 2027-01-01 $R/series >"$T/json" 2>"$T/err"
	check_eq $? 4 "exit status" &&
		if jq -e '.verdict == "cannot-judge" and (.why | length) > 0 and .judged.from == null' "$T/json" >"$T/jq"
		then ok; else fail "$(cat "$T/json" "$T/err")"; fi
done

case_begin "the demo, not being root, says why, replays, says REPLAY and exits 4"
if [ "$(id -u)" = 0 ]; then
	# as somebody who can read the tree but is not root
	mkdir "$T/tree" && cp -r "$O" tools tests "$T/tree/" 2>/dev/null
	chmod -R a+rX "$T"
	run="setpriv --reuid 65534 --regid 65534 --clear-groups env O=$T/tree/$(basename "$O") DEMO_DIR=$T/none $T/tree/tools/demo"
else
	run="env DEMO_DIR=$T/none tools/demo"
fi
$run >"$T/out" 2>"$T/err"
status=$?
if grep -q 'no live run: .*root' "$T/err" && grep -qx REPLAY "$T/out" && ! grep -qx LIVE "$T/out" &&
	grep -q 'oss-s3 limps: disk-hog' "$T/out" &&
	grep -qx "truth: *oss-s3, disk-hog ('testbed fault disk-hog' at 19:27:06 UTC)" "$T/out"; then
	check_eq $status 4 "exit status" && ok
else
	fail "$(cat "$T/out" "$T/err")"
fi
