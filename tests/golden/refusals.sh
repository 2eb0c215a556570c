#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What limpet says, and with which status, of input it cannot use. Nothing is ever judged in silence.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

R=tests/data/replay
L=$O/limpet

# says STATUS WORDS COMMAND…: the command ends with that status and these words on stderr.
says() {
	want=$1 words=$2
	shift 2
	"$@" >"$T/out" 2>"$T/err"
	got=$?
	check_eq $got "$want" "exit status of '$*' ($(cat "$T/err"))" || return
	if grep -q "$words" "$T/err"; then ok; else fail "'$words' is not in: $(cat "$T/err")"; fi
}

# series DIR NODE…: 200 s of the same values for every node, from second 1000000 on.
series() {
	dir=$1
	shift
	mkdir -p "$dir"
	for node; do
		awk -v n="$node" -v from="${FROM:-1000000}" -v value="${VALUE:-50}" 'BEGIN {
			for (t = from; t < from + 200; t++) {
				v = value == "noise" ? 50 + (t * 7919) % 13 : value
				printf "%d,%s,r/s,sda,100\n%d,%s,await,sda,%s\n%d,%s,rkB/s,sda,%s\n", t, n, t, n, v, t, n, v
			}
		}'
	done | "$O/tests/make_series" "$dir"
}

cp "$R/series/oss-amber-20261121.limpet" "$T/one.limpet"

case_begin "a truncated series file"
head -c 60000 "$T/one.limpet" >"$T/short.limpet"
says 1 "short.limpet.*truncated" "$L" show "$T/short.limpet"

case_begin "a file that is no series file"
cp README.md "$T/foreign.limpet"
says 1 "foreign.limpet" "$L" show "$T/foreign.limpet"

case_begin "another program's SQLite file"
sqlite3 "$T/other.limpet" "create table t(x)"
says 1 "not a series file" "$L" show "$T/other.limpet"

case_begin "a series file of a newer version"
cp "$T/one.limpet" "$T/newer.limpet"
sqlite3 "$T/newer.limpet" "pragma user_version = 3"
says 1 "newer limpet" "$L" show "$T/newer.limpet"

case_begin "an empty file"
: >"$T/empty.limpet"
says 1 "empty.limpet" "$L" show "$T/empty.limpet"

case_begin "an empty file beside others, as a full disk leaves it, keeps nobody from reading those"
mkdir "$T/beside"
cp "$T/one.limpet" "$T/empty.limpet" "$T/beside"
if "$L" show --json "$T/beside" >"$T/beside.json" 2>"$T/err" && [ -s "$T/beside.json" ] &&
	grep -q 'empty.limpet' "$T/err"; then ok; else fail "$(cat "$T/err")"; fi

case_begin "a folder without series files"
mkdir "$T/nothing"
says 1 "has no \*.limpet file" "$L" show "$T/nothing"

case_begin "two servers are too few: status 4"
series "$T/two" a b
says 4 "3 servers are needed" "$L" train -o "$T/m.json" "$T/two"

case_begin "servers with no common time: status 4"
FROM=1000000 series "$T/apart" a
FROM=1001000 series "$T/apart" b
FROM=1002000 series "$T/apart" c
says 4 "do not overlap" "$L" train -o "$T/m.json" "$T/apart"

case_begin "a server whose clock is weeks off"
FROM=9000000 series "$T/weeks" a
FROM=1000000 series "$T/weeks" b c
says 4 "a-19700415.limpet' is left out: its clock was wrong" "$L" train -o "$T/m.json" "$T/weeks"

case_begin "too little data: status 4, and how much is needed"
says 4 "record at least" "$L" diagnose --model "$R/model.json" --from 2026-11-21T04:12:00Z \
	--to 2026-11-21T04:12:20Z "$R/series"

case_begin "constant metrics indict nobody"
VALUE=50 series "$T/constant" a b c d
"$L" train --window 32 --shift 8 -o "$T/constant.json" "$T/constant" >/dev/null 2>"$T/err" &&
	"$L" diagnose --exit-code --model "$T/constant.json" "$T/constant" >"$T/out" 2>>"$T/err"
status=$?
if ! grep -q 'no server limps' "$T/out"; then
	fail "$(cat "$T/out")"
else
	check_eq $status 0 "exit status ($(cat "$T/err"))" && ok
fi

case_begin "metrics that are NaN throughout: status 4, nothing is judged"
VALUE=nan series "$T/nan" a b c d
says 4 "cannot" "$L" train --window 32 --shift 8 -o "$T/nan.json" "$T/nan"

case_begin "a model of other servers"
VALUE=noise series "$T/noise" w x y z
says 1 "not in the model\|model" "$L" diagnose --model "$R/model.json" "$T/noise"

case_begin "a model that is not one"
echo '{"format": "limpet-model", "version": 99}' >"$T/bad.json"
says 1 "version" "$L" diagnose --model "$T/bad.json" "$R/series"

case_begin "a trained method without a model"
says 1 "the method 'kl' needs a model" "$L" diagnose --method kl "$R/series"

case_begin "a model for the method that takes none: usage, status 2"
says 2 "'--model' is not for the method robust" "$L" diagnose --method robust --model "$R/model.json" "$R/series"

case_begin "untrained too: two servers are too few, status 4"
says 4 "3 servers" "$L" diagnose "$T/two"

case_begin "untrained too: a server whose clock is weeks off leaves too few: status 4"
says 4 "3 servers are needed, and 2 have data" "$L" diagnose "$T/weeks"

case_begin "untrained too: servers with no common time, status 4"
says 4 "intervals of 4 s are needed in which 3 servers have data, and there are 0" "$L" diagnose "$T/apart"

case_begin "untrained too: constant metrics indict nobody"
"$L" diagnose --exit-code "$T/constant" >"$T/out" 2>&1
status=$?
if ! grep -q 'no server limps' "$T/out"; then
	fail "$(cat "$T/out")"
else
	check_eq $status 0 "exit status" && ok
fi

case_begin "untrained too: metrics that are NaN throughout are not among those judged"
"$L" diagnose "$T/nan" >"$T/out" 2>&1
check_eq "$? $(grep -c 'await\|latency' "$T/out")" "0 0" "status, lines about latency" &&
	check_eq "$(grep -c '^signals .*disk operations' "$T/out")" 1 "what was judged" && ok

case_begin "untrained too: a truncated series file"
says 1 "short.limpet.*truncated" "$L" diagnose "$T/short.limpet"

case_begin "a number that is none: usage, status 2"
says 2 "'--window 3x'" "$L" train --window 3x -o "$T/m.json" "$R/series"

case_begin "windows too short to tell a fault from chance: usage, status 2"
says 2 "are blind" "$L" train --window 16 --shift 4 -o "$T/m.json" "$R/series"

case_begin "a full disk under the output: message and status 1"
says 1 "No space left" sh -c "'$L' show '$R/series' >/dev/full"

case_begin "a full disk under the model: message, status 1, and the old model stays"
if [ "$(id -u)" != 0 ] || ! mkdir "$T/full" || ! mount -t tmpfs -o size=16k limpet-test "$T/full"; then
	skip "needs root, to mount a small tmpfs (sudo make check)"
else
	at_exit "umount '$T/full'"
	cp "$R/model.json" "$T/full/model.json"
	head -c 1M /dev/zero >"$T/full/rest" 2>/dev/null
	"$L" train --window 32 --shift 8 -o "$T/full/model.json" "$R/series" >"$T/out" 2>"$T/err"
	check_eq $? 1 "exit status ($(cat "$T/err"))" && {
		if grep -q "No space left" "$T/err" && cmp -s "$R/model.json" "$T/full/model.json"; then
			ok
		else
			fail "$(cat "$T/err"; ls -l "$T/full")"
		fi
	}
fi
