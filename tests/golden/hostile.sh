#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Series files that want more than they should: within 512 MB of address space each of them ends, in a
# sentence about that file where it cannot be right, and in what it holds where it is.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
MAKE=tests/helpers/hostile_series.py
GOOD=tests/data/disk-hog/series/oss-s1-20261121.limpet
PYTHON=/usr/bin/python3

[ -x "$PYTHON" ] || all_skip "needs python3 (tools/deps check)"
limit="prlimit --as=536870912"
# Shadow memory has terabytes of addresses: what is held is looked at instead.
case $O in *address*) limit= ;; esac
export ASAN_OPTIONS=detect_leaks=0

# run WORD…: the command's status in $status, its messages in $T/err, the most memory in $peak (kB). The
# timeout is for what hangs.
run() {
	$limit timeout 60 "$PYTHON" -I -S -c 'import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
with open("'"$T/peak"'", "w") as f:
    print(used.ru_maxrss, file=f)
status = os.waitstatus_to_exitcode(status)
sys.exit(status if status >= 0 else 128 - status)' "$L" "$@" >/dev/null 2>"$T/err"
	status=$?
	peak=$(cat "$T/peak" 2>/dev/null || echo unknown)
}

# Each kind is made once: nobody writes to what is read.
make_file() {
	rm -f "$T/peak"
	[ ! -e "$T/$1.limpet" ] || return 0
	"$PYTHON" "$MAKE" "$1" "$GOOD" "$T/$1.limpet" >"$T/make" 2>&1
}

most() { # kB: no more was held
	case $O in *address*) return 0 ;; esac
	[ "$peak" -le "$1" ] || { fail "$peak kB were held"; return 1; }
}

# refused KIND WORDS COMMAND…: it is refused, with these words and the name of the file.
refused() {
	kind=$1 words=$2
	shift 2
	case_begin "$kind: 'limpet $1' refuses it"
	make_file "$kind" || { fail "$(cat "$T/make")"; return; }
	run "$@" "$T/$kind.limpet"
	check_eq $status 1 "exit status ($(cat "$T/err"))" && most 65536 &&
		if grep -q "^limpet: cannot read '.*$kind.limpet': it is damaged: $words" "$T/err"; then ok; else fail "$(cat "$T/err")"; fi
}

refused spin_device "it has too many devices" show
refused padded "it has too many devices" show
refused hole "of its 1000000000000 bytes all but [0-9]* are a hole" show
refused hole "of its 1000000000000 bytes all but [0-9]* are a hole" diagnose
refused spin_metric "reading it takes more work" diagnose
refused spin_chunk "seconds are missing" diagnose
refused no_key "rows of its table 'chunk' have no number" show
refused no_key "rows of its table 'chunk' have no number" diagnose
refused without_rowid "rows of its table 'chunk' have no number" diagnose
refused descending "rows of its table 'chunk' have no number" diagnose
refused generated "its table 'chunk' has no column 'head'" diagnose
refused many_meta "its table 'meta' has no end" show
refused large_meta "a value is too large" show
refused large_key "a value is too large" show
refused many_tables "reading it takes more" show
refused zip_bomb "it holds more than a day can" diagnose
refused many_rows "a second has too many instances" show
refused many_rows "a second has too many instances" diagnose
refused many_chunks "it has more seconds than a day" diagnose
refused two_days "its seconds are not all of one day" diagnose
refused large_wal "its '-wal' has 1000000000000 bytes" show

# What does no harm is read.
for kind in small_pages large_pages trigger spin_boot last_time; do
	case_begin "$kind: it is read"
	if make_file "$kind"; then
		run show "$T/$kind.limpet"
		check_eq $status 0 "exit status ($(cat "$T/err"))" && most 65536 && ok
	else
		fail "$(cat "$T/make")"
	fi
done

case_begin "a second each millisecond takes no more memory than others do"
mkdir "$T/fast"
made=yes
for host in a b c; do
	make_file millisecond && cp "$T/millisecond.limpet" "$T/fast/$host.limpet" &&
		sqlite3 "$T/fast/$host.limpet" "UPDATE meta SET value = '$host' WHERE key = 'host'" || made=
done
run diagnose "$T/fast"
check_eq "$made" yes "$(cat "$T/make")" && check_eq $status 4 "exit status ($(cat "$T/err"))" && most 131072 &&
	if grep -q "out of memory" "$T/err"; then fail "$(cat "$T/err")"; else ok; fi

# What a file is called, and what SQLite says of it, is for the terminal.
text_only() {
	if LC_ALL=C tr -d '\n -~' <"$T/err" | grep -q .; then fail "$(od -c "$T/err" | head -n 20)"; else ok; fi
}
case_begin "what SQLite says of a file has no escapes of the file's"
make_file collation
run show "$T/collation.limpet"
check_eq $status 1 "exit status" && text_only

case_begin "what a file is called does not reach the terminal as it is"
odd=$(printf '%s/x\033[2J\n\302\233\342\200\256\377.limpet' "$T")
cp README.md "$odd"
run show "$odd"
check_eq $status 1 "exit status" && check_eq "$(wc -l <"$T/err")" 1 "lines" && text_only

case_begin "nor what its servers are called: no table has such a name"
for name in '\033[2J' '\302\233' '\342\200\256' '\377'; do
	printf "time,node,await\n1,a,5\n1,b,5\n1,$name,5\n" >"$T/names.csv"
	"$L" diagnose "$T/names.csv" >"$T/out" 2>"$T/err" && break
	cat "$T/out" >>"$T/err"
	LC_ALL=C tr -d '\n -~' <"$T/err" | grep -q . && break
	name=
done
if [ -z "$name" ]; then ok; else fail "$name: $(od -c "$T/err" | head)"; fi

# ---- names that look alike --------------------------------------------------------------------------------

# The second of these has a blank without width at its end, the third begins with a Cyrillic o.
twin=$(printf 'oss1\342\200\213') cyrillic=$(printf '\320\276ss1') letters=$(printf 'gr\303\266\303\237er')
awk -v names="oss1 $twin $cyrillic $letters oss4 oss5" 'BEGIN {
	n = split(names, name, " ")
	print "time,node,await"
	srand(3)
	for (t = 0; t < 600; t++)
		for (i = 1; i <= n; i++)
			printf "%d,%s,%.3f\n", 1795893800 + t, name[i], (5 + rand()) * (i == 2 && t > 200 ? 8 : 1)
}' >"$T/twins.csv"

case_begin "servers whose names look alike are told apart on a terminal"
"$L" diagnose --explain --signal await "$T/twins.csv" >"$T/out" 2>"$T/err"
check_eq "$(head -n 1 "$T/out")" "oss1<U+200B> limps: slow: await" "$(cat "$T/err")" &&
	check_eq "$(awk '$1 ~ /T.*Z$/ && $4 == "await" { print $2 }' "$T/out" | sort -u | tr '\n' ' ')" \
		"<U+043E>ss1 gr<U+00F6> oss1 oss1<U+200B> oss4 oss5 " "servers of the looks" && ok

case_begin "and on the page of a report, which has letters of any script as they are"
"$L" report --signal await -o "$T/page.html" "$T/twins.csv" >"$T/out" 2>"$T/err"
check_eq "$(grep -c '<h1><b>oss1&lt;U+200B&gt;</b>' "$T/page.html")" 1 "its heading ($(cat "$T/err"))" &&
	check_eq "$(grep -c "$twin" "$T/page.html")" 0 "unseen characters" &&
	if grep -q "$letters" "$T/page.html" && grep -q "$cyrillic" "$T/page.html"; then ok; else fail "no letters"; fi

case_begin "JSON has the names as they are"
check_eq "$("$L" diagnose --json --signal await "$T/twins.csv" 2>/dev/null | jq -r '.incidents[0].server')" "$twin" server && ok
