#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/results: the document in the tree is what its CSV files give; a quick measurement ends, leaves
# nothing behind, and every table of the document has rows of it. What the scores are is not asked.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

command -v python3 >/dev/null || all_skip "no python3 (tools/deps check)"

case_begin "the document in the tree is made from the CSV files beside it"
if tools/results write --check 2>"$T/err"; then ok; else fail "$(cat "$T/err")"; fi

case_begin "a document that was changed by hand is found, and rows of two commits are refused"
mkdir "$T/copy"
cp tools/evaluation/*.csv tools/evaluation/RESULTS.md "$T/copy/"
echo changed >>"$T/copy/RESULTS.md"
tools/results write --check "$T/copy" 2>"$T/err"
check_eq $? 1 "status of --check" && check_eq "$(grep -c 'is not what its CSV files give' "$T/err")" 1 "says so" && {
	tools/results write "$T/copy" && cmp "$T/copy/RESULTS.md" tools/evaluation/RESULTS.md
	sed -i '2s/^[^,]*/0123456789/' "$T/copy/cost.csv"
	tools/results write "$T/copy" 2>"$T/err"
	check_eq $? 1 "status with two commits" && check_eq "$(grep -c 'more than one commit: 0123456789' "$T/err")" 1 "says so" && ok
}

case_begin "the document is as long as its reader's patience: 4,500 words, tables and all"
check_eq "$([ "$(wc -w <tools/evaluation/RESULTS.md)" -le 4500 ] || wc -w <tools/evaluation/RESULTS.md)" "" "words" && ok

case_begin "wrong words and options end with status 2"
for words in "" measure try "measure $T/none nothing" "try nothing" "write a b" "--nothing" "measure --data" "try --seed" "try --seed x drives" "try --budgets , drives"; do
	# shellcheck disable=SC2086
	tools/results $words >"$T/said" 2>"$T/err"
	echo "$? $(wc -l <"$T/err")"
done | sort -u >"$T/statuses"
check_eq "$(cat "$T/statuses")" "2 1" "statuses and lines" && ok

# Half a minute of processor time, and several under sanitizers, where the programs it runs have tests
# of their own.
case_begin "a quick measurement scores runs in every section"
case $O in
*address*)
	skip "takes too long under sanitizers (the plain build has it)"
	exit
	;;
esac
mkdir "$T/tmp"
env -u LIMPET_TEST_DATA TMPDIR="$T/tmp" tools/results measure --quick "$T/out" simulated curves papers public kinds hours confidence cost 2>"$T/err"
check_eq $? 0 "exit status ($(tail -n 3 "$T/err"))" && {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ n[$(c["section"])]++ }
		$(c["runs_faulty"]) + $(c["runs_fault_free"]) == 0 { print "no runs: " $0 }
		$(c["group"]) == "all" && $(c["section"]) == "simulated" { print $(c["method"]) }
		END { for (s in n) print s }' "$T/out/scores.csv" | sort >"$T/scored"
	check_eq "$(paste -sd ' ' "$T/scored")" \
		"ceph curves ganesha hdfs kl+cwnd kl+cwnd 32/8 papers ratio robust simulated" "methods and sections" &&
		check_eq "$(grep -c limpet "$T/out/cost.csv")" 8 "commands that were timed" &&
		check_eq "$(find "$T/tmp" -mindepth 1 | wc -l)" 0 "files left in TMPDIR" && ok
}

case_begin "its document has a row for what each fault breaks, and none of a testbed that was not measured"
tools/results write "$T/out" 2>"$T/err" &&
	check_eq "$(grep -cE '^\| (found: (disk \| 4|network \| 4|hang \| 1)|indicted: (burst|scrub) \| 1) \|' "$T/out/RESULTS.md")" 5 "rows by fault" &&
	check_eq "$(grep -cE '^\| (Ceph, GlusterFS|Hadoop, Spark) \|' "$T/out/RESULTS.md")" 0 "rows of a testbed" && ok

case_begin "the document counts every row of misses.csv of the default method, section by section"
for folder in "$T/out" tools/evaluation; do
	awk -F, '$4 == "robust" { n[$2]++ } END { for (s in n) print s, n[s] }' "$folder/misses.csv" | sort >"$T/rows"
	sed -n '/^## Every miss/,/^## /p' "$folder/RESULTS.md" | awk -F ' *\\| *' 'NF > 5 && $3 ~ /^[0-9]+$/ { print $2, $3 }' |
		sort >"$T/counted"
	cmp -s "$T/rows" "$T/counted" || echo "$folder: $(paste -sd ' ' "$T/rows"), counted: $(paste -sd ' ' "$T/counted")"
done >"$T/uncounted"
check_eq "$(cat "$T/uncounted")" "" "sections with other numbers" &&
	check_eq "$([ "$(wc -l <"$T/rows")" -gt 5 ] && echo several)" several "sections" && ok

# Exit status 0, and nothing printed, if the parts of each row are its whole.
adds_up() { # FOLDER
	python3 - "$1" <<-'EOF'
		import csv, sys
		rows = lambda name: list(csv.DictReader(open(f"{sys.argv[1]}/{name}.csv")))
		count = lambda r, *names: sum(int(r[n]) for n in names)
		wrong = [r for r in rows("found") if count(r, "slow") != count(r, "found", "suspicious", "missed", "unjudged")
		         or count(r, "alone") > count(r, "found")]
		for r in rows("alarms"):
		    rate = int(r["named"]) * 168 / float(r["hours"]) if float(r["hours"]) else 0
		    if not count(r, "runs_named") <= min(count(r, "named"), count(r, "runs")) or \
		            r["lo"] and not float(r["lo"]) <= rate * 1.01 + 0.01 or r["hi"] and float(r["hi"]) < rate * 0.99:
		        wrong.append(r)
		wrong += [r for r in rows("reliability") if count(r, "right") > count(r, "indicted")]
		wrong += [r for r in rows("onset") if not count(r, "within_20s") <= count(r, "within_60s") <= count(r, "found")]
		print(*wrong, sep="\n", end="")
		sys.exit(bool(wrong))
	EOF
}

case_begin "simulated runs without a fault, and what is found of faults, add up"
adds_up "$T/out" && {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ runs[$(c["section"])] += $(c["runs"]); hours[$(c["section"])] += $(c["hours"]) }
		END { for (s in runs) printf "%s %d runs %.1f hours\n", s, runs[s], hours[s] }' "$T/out/alarms.csv" |
		sort >"$T/runs"
	# Two kinds of tables, of 24 h each; two runs of 300 s.
	check_eq "$(paste -sd ';' "$T/runs")" "hours 2 runs 0.2 hours;kinds 2 runs 48.0 hours" "runs" &&
		check_eq "$(awk -F, 'NR > 1 { n += $9 } END { print n }' "$T/out/found.csv")" 20 "runs with and without" &&
		ok
}

case_begin "real drives, healthy and slow, and logs of jobs: each row adds up"
if [ ! -d "${LIMPET_TEST_DATA:-}/quiet-drives" ]; then
	skip "no public data (LIMPET_TEST_DATA)"
else
	TMPDIR="$T/tmp" tools/results measure --quick "$T/drives" healthy drives jobs 2>"$T/err"
	check_eq $? 0 "exit status ($(tail -n 3 "$T/err"))" && adds_up "$T/drives" && {
		python3 - "$T/drives" <<-'EOF' >"$T/said"
			import csv, sys
			rows = lambda name, **c: [r for r in csv.DictReader(open(f"{sys.argv[1]}/{name}.csv"))
			                          if all(r[k] == v for k, v in c.items())]
			# One set of each size of one host of two clusters, of which all evenings were observed.
			hours = {(r["data"], r["n"]): float(r["hours"]) for r in rows("alarms", section="healthy", method="robust")}
			print(len(hours), *(round(hours[d, n]) for d in ("healthy-drives", "quiet-drives") for n in ("5", "12")))
			# One drive of five was made slow; three of the first host are slow; seven hosts were, one by one.
			for c in (dict(factor="3", span="3 h", n="5"), dict(span="all", data="failslow-drives"), dict(section="jobs")):
			    print(*(r["slow"] for r in rows("found", method="robust", **c)))
		EOF
		check_eq "$(paste -sd ';' "$T/said")" "8 45 45 24 24;1;3;7" "hours, and slow ones" &&
			check_eq "$(find "$T/tmp" -mindepth 1 | wc -l)" 0 "files left in TMPDIR" && ok
	}
fi

case_begin "a section that is measured again takes the place of its old rows"
before=$(cut -d, -f2 "$T/out/made.csv" | sort)
tools/results measure --quick "$T/out" cost 2>"$T/err" &&
	check_eq "$(cut -d, -f2 "$T/out/made.csv" | sort)" "$before" "sections made" &&
	check_eq "$(grep -c limpet "$T/out/cost.csv")" 8 "commands" && ok
