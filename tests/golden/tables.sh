#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tables as a source, end to end: limpet's own CSV gives the verdict of the series files, every form of
# one table the same verdict, sysstat's files are read, and real tables of healthy servers indict nobody
# or are too little to judge.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

R=tests/data/replay
L=$O/limpet
D=${LIMPET_TEST_DATA:-}

# says STATUS WORDS COMMAND…: the command ends with that status and these words on stderr.
says() {
	want=$1 words=$2
	shift 2
	"$@" >"$T/out" 2>"$T/err"
	got=$?
	check_eq $got "$want" "exit status of '$*' ($(cat "$T/err"))" || return
	if grep -q "$words" "$T/err"; then ok; else fail "'$words' is not in: $(cat "$T/err")"; fi
}

same_verdict() { # FILE FILE
	if jq -S 'del(.notes)' "$1" >"$T/a.verdict" && jq -S 'del(.notes)' "$2" >"$T/b.verdict" && [ -s "$T/a.verdict" ] &&
		diff "$T/a.verdict" "$T/b.verdict" >"$T/diff"
	then ok; else fail "$(head -n 20 "$T/diff")"; fi
}

case_begin "what show --csv prints gives the verdict of the series files"
"$L" show --csv $R/series >"$T/replay.csv" &&
	"$L" diagnose --json --model $R/model.json $R/series >"$T/series.json" &&
	"$L" diagnose --json --instance instance --model $R/model.json "$T/replay.csv" >"$T/table.json" &&
	grep -q oss-flint "$T/table.json" && same_verdict "$T/series.json" "$T/table.json"

case_begin "and so it does compressed, and on standard input"
gzip -c "$T/replay.csv" >"$T/any-name" &&
	"$L" diagnose --json --instance instance --model $R/model.json "$T/any-name" >"$T/gz.json" &&
	"$L" diagnose --json --instance instance --model $R/model.json - <"$T/any-name" >"$T/in.json" &&
	cmp "$T/gz.json" "$T/in.json" >&2 && same_verdict "$T/series.json" "$T/gz.json"

# Its lines leave out what was not measured, so that metrics come in another order.
case_begin "what show --json prints gives it, too"
"$L" show --json $R/series >"$T/replay.jsonl" &&
	"$L" diagnose --json --instance instance --model $R/model.json "$T/replay.jsonl" >"$T/lines.json" &&
	for f in series lines; do
		jq 'walk(if type == "array" then sort else . end)' "$T/$f.json" >"$T/$f.sorted"
	done && same_verdict "$T/series.sorted" "$T/lines.sorted"

case_begin "a model of the table has the thresholds of one of the series files"
"$L" train --window 32 --shift 8 -o "$T/series.model" $R/series >/dev/null &&
	"$L" train --window 32 --shift 8 --instance instance -m rkB/s -m await -m rxkB/s \
		-o "$T/table.model" "$T/replay.csv" >/dev/null
if jq -e -n --slurpfile a "$T/series.model" --slurpfile b "$T/table.model" '
	["rkB/s", "await", "rxkB/s"] | all(. as $m |
		($b[0].methods.kl[$m].trained | length) == 6 and
		$a[0].methods.kl[$m].trained == $b[0].methods.kl[$m].trained)' >"$T/jq" 2>&1
then ok; else fail "$(cat "$T/jq")"; fi

# Seven servers, 400 s; from second 200 on the service time of oss3 doubles.
awk 'BEGIN {
	srand(4)
	print "time,node,svctm,note"
	for (t = 0; t < 400; t++)
		for (n = 0; n < 7; n++)
			printf "%d,oss%d,%.3f,fine\n", 1795230000 + t, n,
				(5 + 4 * rand()) * (n == 3 && t >= 200 ? 2.5 : 1)
}' >"$T/wide.csv"
half=@1795230200

case_begin "a metric nobody knows: the slow one of seven is named"
"$L" train --to $half -o "$T/m" "$T/wide.csv" >"$T/out" 2>&1 &&
	"$L" diagnose --slack 1.5 --exit-code --from $half --model "$T/m" "$T/wide.csv" >"$T/out" 2>&1
check_eq $? 3 "exit status ($(cat "$T/out"))" &&
	if grep -q '^oss3 limps' "$T/out" && grep -q 'left out: columns note' "$T/out"
	then ok; else fail "$(cat "$T/out")"; fi

case_begin "with --explain a window without values is not judged, a word of its own"
awk -F, 'NR == 1 || $2 != "oss1" || $1 < 1795230250 || $1 > 1795230350' "$T/wide.csv" >"$T/gap.csv"
"$L" diagnose --explain --from $half --model "$T/m" "$T/gap.csv" >"$T/out" 2>&1
if grep -q ' oss1 .* - not judged$' "$T/out"; then ok; else fail "$(grep oss1 "$T/out" | head)"; fi

case_begin "a name's own U+00A0 is no blank of ours: it is shown as what it is, as any character that is not ASCII"
sed "1s/svctm/sv$(printf '\302\240')ctm/" "$T/wide.csv" >"$T/blank.csv"
"$L" diagnose --from $half "$T/blank.csv" >"$T/out" 2>&1
if grep -q 'sv<U+00A0>ctm' "$T/out" && ! grep -q 'sv ctm' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "long, with semicolons, dates and CRLF, in two files: the same verdict"
awk -F, 'NR > 1 && NR % 2 { printf "%s;%s;svctm;%s\r\n", $1, $2, $3 }' "$T/wide.csv" |
	sed '1i when;server;metric;value' >"$T/odd.csv"
awk -F, 'NR > 1 && !(NR % 2) {
	printf "%s;svctm;\"%s\";%s\r\n", $2, $3, strftime("%Y-%m-%dT%H:%M:%SZ", $1, 1) }' "$T/wide.csv" |
	sed '1i server;metric;value;when' >"$T/even.csv"
"$L" diagnose --json --slack 1.5 --from $half --model "$T/m" "$T/wide.csv" >"$T/wide.json"
if ! awk 'BEGIN { exit strftime("%Y", 0, 1) != 1970 }' 2>"$T/err"; then
	skip "this awk has no strftime()"
elif "$L" diagnose --json --slack 1.5 --from $half --model "$T/m" --time when --node server \
	"$T/odd.csv" "$T/even.csv" >"$T/long.json" 2>"$T/err"; then
	same_verdict "$T/wide.json" "$T/long.json"
else
	fail "$(cat "$T/err")"
fi

case_begin "as a counter: the same server is named"
awk -F, -v OFS=, 'NR == 1 { print $1, $2, "work"; next } { c[$2] += $3; printf "%s,%s,%.3f\n", $1, $2, c[$2] }' \
	"$T/wide.csv" >"$T/counter.csv"
"$L" train --counter work --to $half -o "$T/mc" "$T/counter.csv" >"$T/out" 2>&1 &&
	"$L" diagnose --counter work --slack 1.5 --from $half --model "$T/mc" "$T/counter.csv" >"$T/out" 2>&1
if grep -q '^oss3 limps' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "a model of a counter's rate does not judge the counter itself"
says 1 "give --counter work" "$L" diagnose --from $half --model "$T/mc" "$T/counter.csv"

case_begin "nor a model of the counter its rate"
"$L" train --to $half -o "$T/mr" "$T/counter.csv" >"$T/out" 2>&1
says 1 "without --counter work" "$L" diagnose --counter work --from $half --model "$T/mr" "$T/counter.csv"

case_begin "of a model of two metrics one may be chosen when judging"
awk -F, -v OFS=, '{ print $1, $2, $3, NR == 1 ? "other" : 5 + NR % 7 }' "$T/wide.csv" >"$T/two.csv"
"$L" train --to $half -o "$T/m2" "$T/two.csv" >"$T/out" 2>&1 &&
	"$L" diagnose -m svctm --slack 1.5 --from $half --model "$T/m2" "$T/two.csv" >"$T/out" 2>&1
if grep -q '^oss3 limps' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "what is odd about a table is in the JSON too"
if jq -e '.notes | any(. == "left out: columns note")' "$T/wide.json" >"$T/jq" 2>&1
then ok; else fail "$(cat "$T/jq")"; fi

case_begin "lines of several disks without --instance are said to be so"
sed p "$T/counter.csv" | sed 2d >"$T/twice.csv"
"$L" diagnose --counter work --from $half --model "$T/mc" "$T/twice.csv" >"$T/out" 2>&1
if tr -s '\n ' '  ' <"$T/out" | grep -q 'a server has several values of one metric at one time, and the first counts'
then ok; else fail "$(cat "$T/out")"; fi

case_begin "also by train"
"$L" train --to $half -o "$T/mt" "$T/twice.csv" >"$T/out" 2>&1
if grep -q '^[0-9]* values do not count: a server has several of one metric at one time, and the first' "$T/out"
then ok; else fail "$(cat "$T/out")"; fi

case_begin "also by robust"
"$L" diagnose --signal work "$T/twice.csv" >"$T/out" 2>&1
if tr -s '\n ' '  ' <"$T/out" | grep -q 'a server has several values of one metric at one time, and the first counts'
then ok; else fail "$(cat "$T/out")"; fi

# per_disk COLUMN: five servers with six disks each; the third of oss2 is six times slower after 100 s.
per_disk() {
	awk -v column="$1" 'BEGIN {
		srand(3)
		print "time,node," column ",await"
		for (t = 0; t < 300; t++)
			for (h = 1; h <= 5; h++)
				for (d = 0; d < 6; d++)
					printf "%d,oss%d,sd%c,%.2f\n", 1795289160 + t, h, 97 + d,
						(8 + 4 * rand()) * (h == 2 && d == 2 && t > 100 ? 6 : 1)
	}'
}

for column in device disk instance; do
	case_begin "a row per disk: the column '$column' is taken for --instance, and that is said"
	per_disk $column >"$T/disks.csv"
	"$L" diagnose --exit-code "$T/disks.csv" >"$T/out" 2>"$T/err"
	check_eq $? 3 "exit status ($(cat "$T/out" "$T/err"))" &&
		if grep -q '^oss2 limps: slow: await of sdc' "$T/out" &&
			grep -qx "column '$column' tells disks of a server apart: --instance $column" "$T/out"
		then ok; else fail "$(cat "$T/out")"; fi
done

case_begin "the same as with the option"
"$L" diagnose --json --instance instance "$T/disks.csv" >"$T/given.json" &&
	"$L" diagnose --json "$T/disks.csv" >"$T/taken.json" && same_verdict "$T/given.json" "$T/taken.json"

case_begin "a row per disk with a column of any other name: refused, with the option to give"
per_disk slot >"$T/disks.csv"
says 1 'each server has 6 rows at one time: which column tells them apart? Give it with --instance; columns of text are: slot' \
	"$L" diagnose "$T/disks.csv"

case_begin "numbers with a comma between semicolons are numbers: the model is that of points"
awk -F, -v OFS=';' 'NR > 1 { $3 = sprintf("%.2f", $3) } { print $1, $2, $3 }' "$T/wide.csv" >"$T/point.csv"
tail -n +2 "$T/point.csv" | tr . , | sed '1i time;node;svctm' >"$T/decimal.csv"
for f in point decimal; do
	"$L" train -o "$T/m.$f" "$T/$f.csv" >"$T/out" 2>"$T/err" && jq -S .methods "$T/m.$f" >"$T/$f.methods"
done
if [ -s "$T/point.methods" ] && cmp "$T/point.methods" "$T/decimal.methods" >&2; then ok; else fail "$(cat "$T/err")"; fi

case_begin "between commas they are no numbers, and it is said why nothing was learnt"
awk -F, -v OFS=, 'NR > 1 { sub(/[.]/, ",", $3); $3 = "\"" $3 "\"" } { print $1, $2, $3 }' "$T/wide.csv" >"$T/comma.csv"
says 4 "numbers have a decimal point" "$L" train -o "$T/m.comma" "$T/comma.csv"

case_begin "what sadf prints, of three hosts of one name: --node @file"
for h in x y z; do
	awk -v h=$h 'BEGIN {
		srand(h == "x" ? 1 : h == "y" ? 2 : 3)
		print "# hostname;interval;timestamp;DEV;rkB/s;await"
		for (t = 0; t < 200; t++)
			printf "localhost;1;%d;sda;%.2f;%.2f\n", 1795230000 + t, 900 + 900 * rand(), 5 + 9 * rand()
	}' >"$T/sa-$h.txt"
done
says 4 "1 has data" "$L" train -o "$T/m.sa" "$T"/sa-?.txt

case_begin "and with it they are three servers"
"$L" train --node @file -o "$T/m.sa" "$T"/sa-?.txt >"$T/out" 2>&1
if grep -q 'trained on 3 servers' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "an empty file beside others keeps nobody from reading those"
: >"$T/empty.csv"
"$L" diagnose --slack 1.5 --from $half --model "$T/m" "$T/wide.csv" "$T/empty.csv" >"$T/out" 2>&1
if grep -q "empty.csv': it is empty" "$T/out" && grep -q '^oss3 limps' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "names of a peers file that no server has, and servers in no group, are said"
echo 'oss0 oss1 oss2 oss7' >"$T/peers"
"$L" train --peers "$T/peers" --to $half -o "$T/m.p" "$T/wide.csv" >"$T/out" 2>&1
if grep -q "line 1: no server is called 'oss7'" "$T/out" && grep -q "'oss6' is in no group" "$T/out"
then ok; else fail "$(cat "$T/out")"; fi

case_begin "a broken line: file, line number and status 1"
{ head -n 100 "$T/wide.csv"; echo 1795230000,oss1; } >"$T/broken.csv"
says 1 "broken.csv' line 101: 2 fields, but 4 columns" "$L" diagnose --model "$T/m" "$T/broken.csv"

case_begin "a compressed table that is cut off: file, line number and status 1"
gzip -c "$T/wide.csv" | head -c 8000 >"$T/cut.gz"
says 1 "cut.gz' line [0-9]*: the compressed file is cut off" "$L" diagnose --model "$T/m" "$T/cut.gz"

case_begin "a table and a series file together are refused"
says 1 "one command takes one of the two" "$L" diagnose --strict --model "$T/m" "$T/wide.csv" \
	$R/series/oss-amber-20261121.limpet

case_begin "and so they are the other way round"
says 1 "one command takes one of the two" "$L" diagnose --strict --model "$T/m" \
	$R/series/oss-amber-20261121.limpet "$T/wide.csv"

case_begin "a series file on standard input is refused"
says 1 "must be named as it is, not piped" sh -c \
	"'$L' diagnose --model '$T/m' - <$R/series/oss-amber-20261121.limpet"

case_begin "a clock that is two years off is named, and the others are judged"
{ cat "$T/wide.csv"; echo 1858302000,oss9,5,fine; } >"$T/clock.csv"
"$L" diagnose --method ratio --from $half "$T/clock.csv" >"$T/out" 2>"$T/err"
if grep -q "'oss9' is left out: its clock was wrong" "$T/err" && grep -q '^oss3 limps' "$T/out" &&
	grep -q oss9 "$T/out"; then ok; else fail "$(cat "$T/out" "$T/err")"; fi

# ---- sysstat -------------------------------------------------------------------------------------
sadc=/usr/lib/sysstat/sadc
case_begin "a file of sysstat's is read through sadf, whatever its name"
if [ ! -x $sadc ] || ! command -v sadf >/dev/null; then
	skip "there is no sadc and sadf (Debian: sysstat)"
elif ! (cd "$T" && $sadc 1 3 ./-n >/dev/null 2>"$T/err"); then
	skip "sadc does not run here: $(cat "$T/err")"
else
	cp "$T/-n" "$T/5"
	(cd "$T" && sadf -d -U ./-n -- -u -d -n DEV,EDEV) >"$T/sadf.txt"
	case $O in /*) ;; *) L=$PWD/$O/limpet ;; esac
	: >"$T/err"
	for file in ./-n 5 sadf.txt; do
		(cd "$T" && "$L" train -o m.sa "$file") >"$T/out" 2>>"$T/err"
		echo "status $?" >>"$T/err"
	done
	L=$O/limpet
	if [ "$(grep -c '3 servers are needed, and 1 has data' "$T/err")" = 3 ] &&
		[ "$(grep -cx 'status 4' "$T/err")" = 3 ]; then ok; else fail "$(cat "$T/err")"; fi
fi

case_begin "without sadf: a message that names the package"
printf '\226\325\165\041 and so on' >"$T/sa"
case $O in /*) full=$O/limpet ;; *) full=$PWD/$O/limpet ;; esac
says 1 "Debian: package sysstat" env PATH=/nonexistent "$full" train -o "$T/m.sa" "$T/sa"

# ---- real tables ---------------------------------------------------------------------------------
# Data that only their owner has.
[ -n "$D" ] || exit 0

# Some of these are slow and some are not; what kl makes of them is in tools/evaluation/RESULTS.md.
case_begin "real tables: nine hosts' drives are read without a complaint, gaps of days noted"
for f in "$D"/failslow-drives/h*.csv.gz; do
	"$L" train -o "$T/m.drives" "$f" >"$T/out" 2>"$T/err" && [ ! -s "$T/err" ] &&
		grep -q 'have gaps, the longest of: d00' "$T/out" && grep -q 'trained on 1[12] servers' "$T/out" &&
		continue
	fail "$f: $(cat "$T/out" "$T/err")"
	break
done
[ -z "$lib_case" ] || ok

case_begin "real tables: 48 healthy writes to Lustre are too few to judge"
says 4 "cannot train: .* record at least" "$L" train -o "$T/m.writes" "$D/lustre-writes/healthy.csv"

case_begin "real tables: five minutes of 24 healthy Lustre servers are too few to judge"
says 4 "cannot train: .* record at least" "$L" train --time timestamp --node ost_name \
	--counter read_bytes_cum --counter write_bytes_cum -o "$T/m.lmt" "$D/lustre-lmt/oss.csv.gz"

case_begin "real tables: half a month of twelve healthy servers, learnt from the half before, slack 1.5: nobody"
set -- --time @row --interval 300 --node @file
"$L" train "$@" --to 1970-01-16 -o "$T/m.peers" "$D/peers-asd" >"$T/out" 2>&1 &&
	"$L" diagnose "$@" --slack 1.5 --exit-code --from 1970-01-16 --model "$T/m.peers" "$D/peers-asd" \
		>"$T/out" 2>&1
check_eq $? 0 "exit status ($(head -n 5 "$T/out"))" &&
	if grep -qx 'no server limps' "$T/out"; then ok; else fail "$(head -n 20 "$T/out")"; fi
