#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/verdicts: what it has recorded is equal to itself; a difference is found, and may be explained; a commit is
# frozen into one file, and what is built is checked against it.
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

case_begin "what is said while recordings grow is compared by event"
mkdir -p "$T/tool" && cp -r tools/verdicts tools/verdicts.d "$T/tool/" && cat >"$T/tool/replay" <<-'END' && chmod +x "$T/tool/replay"
	#!/bin/sh
	[ "$1 $2 $4 $6" = 'events --build --limpet --zone' ] && [ -x "$5" ] || exit 2
	echo '{"time":"2026-11-21T19:27:24Z","change":"opened","server":"oss-s3","cause":"hang","text":"it hangs"}'
	echo '{"change":"said","text":"two seconds came late"}'
END
echo 'grows/events events --zone +00:00 tests/data/disk-hog/series' >"$T/grows"
"$T/tool/verdicts" record "$T/grows" "$T/grown" >"$T/said" 2>&1 && sed -i s/oss-s3/oss-s4/ "$T/tool/replay" &&
	"$T/tool/verdicts" record "$T/grows" "$T/later" >"$T/said" 2>&1 &&
	compared 1 '^grows/events  *changes .*opened oss-s3 hang' "$T/grown" "$T/later"
rm -r "$T/tool"

# changed FILTER WORDS STATUS: after jq FILTER on one output the comparison says WORDS.
changed() {
	jq -c "$1" "$T/old/hog/robust.out" >"$T/new/hog/robust.out" || fail "jq"
	compared "$3" "$2" --only hog/robust "$T/old" "$T/new"
}
case_begin "keys that are new are no difference, and are said"
changed '.incidents[0].cluster = "4711" | .signals[].panel = {"cells": [{"n": 1}]} | .schedule = [{"a": 1}]' \
	'not compared: schedule of 1 cases' 0
case_begin "a row that is missing is a difference"
changed 'del(.signals[2])' '^hog/robust  *signals  *\[read-device/robust\]' 1
case_begin "so is the status word of a server, by its column"
changed '.servers[0].status = "well"' '^hog/robust  *servers  *oss-s1 unproven disk  *oss-s1 well disk' 1
case_begin "so is a number, but not its rounding"
changed '.incidents[0].findings[0].score *= 1.001' '^hog/robust  *numbers ' 1 &&
	case_begin "rounding is none" && changed '.incidents[0].findings[0].score *= 1.0000000001' ' 1 equal' 0

case_begin "of a page words are compared, and charts to the pixel"
cp "$T/old/hog/robust.out" "$T/new/hog/" && cp -r "$T/old/hog/report.files" "$T/new/hog/" &&
	sed -i 's/oss-s6/oss-s9/g' "$T/new/hog/report.files/report.html" &&
	compared 1 '^hog/report  *page .*oss-s6' --only hog/report "$T/old" "$T/new"

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

command -v git >"$T/git" || { case_begin "freeze and check"; skip "needs git"; exit 0; }

# A tree whose Makefile "builds" what was built already: of its second commit a limpet that flips a verdict.
R=$T/repository
ROOT=$PWD
freezes() { (cd "$R" && LIMPET_TEST_DATA='' O=.output "$ROOT/$V" "$@"); }
known_trees() { git -C "$R" worktree list | wc -l; }
git_in() { git -C "$R" -c user.name=t -c user.email=t@t "$@" >>"$T/git" 2>&1; }
mkdir -p "$R/tests/data" && cp -r tests/data/disk-hog "$R/tests/data/" &&
	cp "$O/limpet" "$T/limpet" && cp "$O/simulate" "$T/simulate" &&
	printf '.output/limpet: limpet.sh\n\tmkdir -p .output\n\tcp limpet.sh $@\n.output/simulate:\n\tmkdir -p .output\n\tcp %s $@\n' \
		"$T/simulate" >"$R/Makefile" &&
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$T/limpet" >"$R/limpet.sh" && chmod +x "$R/limpet.sh" &&
	echo .output >"$R/.gitignore" &&
	git_in init -q . && git_in add -A && git_in commit -q -m well && make -s -C "$R" .output/limpet ||
	{ echo "# cannot make a repository: $(cat "$T/git")"; exit 1; }
ONLY='tree/disk-hog/robust,tree/disk-hog/text,tree/disk-hog/report,made/tables/white-0.1-5/robust'

case_begin "a freeze of a commit is one file, with simulated inputs, and its work tree is gone"
freezes freeze --only "$ONLY" HEAD "$T/well.tar.gz" >"$T/said" 2>&1
check_eq $? 0 "exit status ($(cat "$T/said"))" && check_eq "$(known_trees)" 1 "work trees" &&
	check_eq "$(ls "$R/.output")" limpet "what is left" &&
	check_eq "$(tar -tzf "$T/well.tar.gz" | grep -c '\.run$')" 4 "cases" &&
	check_eq "$(tar -tzf "$T/well.tar.gz" | grep -cx 'made/tables/white-0.1-5.csv')" 1 "simulated tables" && ok

case_begin "the build of the same commit says the same of the same inputs"
freezes check "$T/well.tar.gz" >"$T/said" 2>&1
check_eq $? 0 "exit status ($(cat "$T/said"))" && check_eq "$(grep -c '^4 cases compared: 4 equal' "$T/said")" 1 "equal" && ok

case_begin "check finds a flipped verdict; a freeze of that commit has it, and compare finds it between the files"
printf '#!/bin/sh\n"%s" "$@" | sed s/oss-s3/oss-s4/g\n' "$T/limpet" >"$R/limpet.sh"
git_in commit -q -a -m flipped
freezes check "$T/well.tar.gz" >"$T/said" 2>&1
check_eq $? 2 "exit status with a build that is older than its sources ($(cat "$T/said"))" &&
	make -s -C "$R" .output/limpet && {
	freezes check "$T/well.tar.gz" >"$T/said" 2>&1
	check_eq $? 1 "exit status of check ($(cat "$T/said"))"
} && check_eq "$(grep -c '^tree/disk-hog/robust  *indicted  *oss-s3  *oss-s4  *UNEXPLAINED' "$T/said")" 1 "flipped" &&
	freezes freeze --inputs "$T/well.tar.gz" --only "$ONLY" HEAD "$T/flipped.tar.gz" >"$T/said" 2>&1 &&
	compared 1 '^tree/disk-hog/robust  *indicted  *oss-s3  *oss-s4  *UNEXPLAINED' "$T/well.tar.gz" "$T/flipped.tar.gz"

case_begin "the differences of the tree are known without an option; one that is no more is said"
mkdir -p "$T/tool" && cp -r tools/verdicts tools/verdicts.d "$T/tool/" && {
	echo 'tree/disk-hog/* | * | * | * | oss-s4 it is'
	echo 'made/tables/* | indicted | * | * | gone'
} >>"$T/tool/verdicts.d/differences" && V=$T/tool/verdicts &&
	compared 0 'nothing matched: made/tables' "$T/well.tar.gz" "$T/flipped.tar.gz"
V=tools/verdicts

case_begin "a case whose input is another now is left out, and said"
make -s -C "$R" -B .output/limpet && echo oss-s1 >"$R/tests/data/disk-hog/series/more.csv"
freezes check "$T/well.tar.gz" >"$T/said" 2>&1
check_eq $? 1 "exit status" && check_eq "$(grep -c '^left out: 3 cases .*: tree/disk-hog/series/more.csv' "$T/said")" 1 "said" && ok
rm "$R/tests/data/disk-hog/series/more.csv"

# refused WHAT WORDS: the freeze $T/bad.tar.gz is no freeze.
refused() {
	case_begin "a freeze that is $1 is refused"
	$V compare "$T/well.tar.gz" "$T/bad.tar.gz" >"$T/said" 2>&1
	check_eq $? 2 "exit status ($(cat "$T/said"))" && check_eq "$(grep -c "bad.tar.gz'.*$2" "$T/said")" 1 "$(cat "$T/said")" && ok
}
size=$(wc -c <"$T/well.tar.gz")
head -c $((size / 2)) "$T/well.tar.gz" >"$T/bad.tar.gz"
refused "cut off" 'Compressed file ended'
cp "$T/well.tar.gz" "$T/bad.tar.gz" && printf XXXX | dd of="$T/bad.tar.gz" bs=1 seek=$((size / 3)) conv=notrunc 2>/dev/null
refused damaged 'damaged or none'
mkdir "$T/open" && tar -xzf "$T/well.tar.gz" -C "$T/open" && sed -i s/oss-s3/oss-s2/ "$T/open/said/tree/disk-hog/robust.out" &&
	(cd "$T/open" && tar -czf "$T/bad.tar.gz" SUMS freeze.json $(find said made -type f))
refused "made over" "robust.out' is not what SUMS says"
(cd "$T/open" && rm said/tree/disk-hog/report.run && tar -xzf "$T/well.tar.gz" said/tree/disk-hog/robust.out &&
	tar -czf "$T/bad.tar.gz" SUMS freeze.json $(find said made -type f))
refused "less than it was" "report.run' is missing"
echo none >"$T/bad.tar.gz"
refused "none" 'not a gzip file'

case_begin "a freeze that is interrupted leaves no work tree"
for s in INT TERM; do
	for while in building recording; do
		rm -f "$T/begun"
		printf '#!/bin/sh\n: >"%s"\nexec sleep 300\n' "$T/begun" >"$T/stuck" && chmod +x "$T/stuck"
		if [ $while = building ]; then
			printf '.output/limpet:\n\t%s\n' "$T/stuck" >"$R/Makefile"
		else
			git_in checkout -q HEAD^ -- Makefile && cp "$T/stuck" "$R/limpet.sh"
		fi
		git_in commit -q -a -m stuck
		(cd "$R" && LIMPET_TEST_DATA='' O=.output exec python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])' "$ROOT/$V" freeze --only "$ONLY" HEAD "$T/none.tar.gz" >"$T/said" 2>&1) &
		pid=$!
		n=0
		while [ ! -e "$T/begun" ] && kill -0 $pid 2>/dev/null && [ $((n += 1)) -lt 600 ]; do sleep 0.1; done
		kill -$s $pid
		wait $pid
		check_eq "$? $(known_trees) $(ls "$R/.output" | grep -c freeze) $(ls "$T" | grep -c none)" \
			"$([ $s = INT ] && echo 130 || echo 143) 1 0 0" "status, work trees, files; $while, $s ($(cat "$T/said"))" || break 2
	done
done
[ -z "$lib_case" ] || ok
