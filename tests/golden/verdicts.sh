#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/verdicts: what it has recorded is equal to itself; a difference is found, and may be explained.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

[ -x /usr/bin/python3 ] || all_skip "needs python3 (tools/deps check)"
V="tools/verdicts"

cat >"$T/cases" <<-END
	# two methods on a recording of the tree
	hog/robust diagnose --json --exit-code tests/data/disk-hog/series
	hog/ratio diagnose --json --exit-code --method ratio --window 30 --shift 10 tests/data/disk-hog/series
	hog/text diagnose tests/data/disk-hog/series
	hog/report report -o {tmp}/report.html tests/data/disk-hog/series
END

# compared STATUS WORDS OPTION…: exit status of a comparison, and a line of it.
compared() {
	want=$1 words=$2
	shift 2
	$V compare "$@" >"$T/said" 2>&1
	check_eq $? "$want" "exit status of 'compare $*' ($(cat "$T/said"))" || return
	if grep -q "$words" "$T/said"; then ok; else fail "'$words' is not in: $(cat "$T/said")"; fi
}

case_begin "every case is run and kept, with status, time and memory"
if $V record "$T/cases" "$T/old" >"$T/said" 2>&1; then
	check_eq "$(jq -r '[.status, .cpu_s > 0, .peak_kb > 1000] | join(" ")' "$T/old/hog/robust.run")" \
		"3 true true" "what is kept of the run" &&
		check_eq "$(jq -r '.incidents[0].server' "$T/old/hog/robust.out")" oss-s3 "server" &&
		check_eq "$(ls "$T/old/hog/report.files")" report.html "files" && ok
else
	fail "$(cat "$T/said")"
fi

case_begin "it is equal to itself"
compared 0 '^4 cases compared: 4 equal, 0 differ' "$T/old" "$T/old"

case_begin "recorded anew it says the same, to the byte"
$V record --only 'hog/r*' "$T/cases" "$T/anew" >"$T/said" 2>&1 || fail "$(cat "$T/said")"
compared 0 '^3 cases compared: 3 equal, 0 differ' --bytes --common "$T/old" "$T/anew"

case_begin "a case that is missing is said"
compared 1 'only in the old folder: 1 cases: hog/text' "$T/old" "$T/anew"

case_begin "and is no difference with --common"
compared 0 '^3 cases compared: 3 equal' --common "$T/old" "$T/anew"

case_begin "another server, cause and time are found, by column"
cp -r "$T/old" "$T/new"
sed -i 's/"oss-s3"/"oss-s4"/' "$T/new/hog/robust.out"
sed -i 's/"cause":"[a-z-]*"/"cause":"magic"/; s/"decided":"2026/"decided":"2027/g' "$T/new/hog/ratio.out"
compared 1 '^hog/robust  *indicted  *oss-s3  *oss-s4  *UNEXPLAINED' "$T/old" "$T/new" &&
	case_begin "and both are" &&
	compared 1 '^hog/ratio  *cause .*magic  *UNEXPLAINED' "$T/old" "$T/new" &&
	case_begin "equal and different are counted" &&
	compared 1 ' 2 equal, 2 differ, of these 2 without an explanation' "$T/old" "$T/new"

case_begin "what is explained is no failure"
cat >"$T/known" <<-END
	# CASE | COLUMN | OLD | NEW | WHY
	hog/robust | indicted | oss-s3 | oss-s4 | it was s4 all the time
	hog/robust | judged | *oss-s3* | * | and so s3 was not judged
	hog/ratio | * | * | * | magic
END
compared 0 'oss-s4  *it was s4 all the time$' --differences "$T/known" "$T/old" "$T/new"

case_begin "what the explanation does not fit is one"
sed -i 's/| oss-s4 /| oss-s5 /' "$T/known"
compared 1 'nothing matched: hog/robust' --differences "$T/known" "$T/old" "$T/new"

case_begin "JSON that no schema fits is said"
echo '{"verdict": "oracle"}' >"$T/new/hog/ratio.out"
compared 1 'NOT NORMALISED.*no schema of these keys: verdict' "$T/old" "$T/new"

case_begin "a program that dies is a difference"
printf '#!/bin/sh\nkill -SEGV $$\n' >"$T/dies" && chmod +x "$T/dies"
$V record --limpet "$T/dies" --only hog/robust "$T/cases" "$T/new" >"$T/said" 2>&1
compared 1 '^hog/robust  *status  *3  *-11' --only hog/robust "$T/old" "$T/new"

case_begin "a program that does not end is ended"
printf '#!/bin/sh\nexec sleep 600\n' >"$T/sleeps" && chmod +x "$T/sleeps"
$V record --limpet "$T/sleeps" --timeout 0.2 --only hog/robust "$T/cases" "$T/new" >"$T/said" 2>&1
compared 1 '^hog/robust  *status  *3  *timeout' --only hog/robust "$T/old" "$T/new"

case_begin "the list of a folder's cases has every method, and can be read"
$V cases tests/data >"$T/list" && $V cases "$T/list" >"$T/again" 2>"$T/err"
check_eq "$(grep -c '^data/[a-z-]*/\(robust\|watch\|kl\|cwnd\|ratio\|hdfs\|ceph\) ' "$T/list")" 17 "cases" &&
	$V record --only data/replay/cwnd "$T/list" "$T/some" >"$T/said" 2>&1 && ok

case_begin "property: the order of files does not matter, and what is said of it is a table"
$V property "$T/cases" >"$T/said" 2>&1
if grep -qx 'the order of the files does not matter: 1 of 1 cases' "$T/said"; then ok; else fail "$(cat "$T/said")"; fi
