#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# One bad source costs only the server whose it is: it is named with the reason, on standard error and in
# the verdict, and the others are judged. With --strict it is an error.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
S=tests/data/disk-hog/series
D=20261121

# A folder with the recording, in which the file of oss-s1 is to be damaged.
fresh() {
	rm -rf "$T/d"
	mkdir "$T/d"
	cp "$S"/* "$T/d"
	f=$T/d/oss-s1-$D.limpet
}

# shellcheck disable=SC2016
json_says() { # FILE SERVER WORDS: the verdict names oss-s3, and of SERVER that it was not judged, and why
	"$PYTHON" -c '
import json, sys
v = json.load(open(sys.argv[1]))
bad = [u["why"] for u in v["not_judged"] if u["server"] == sys.argv[2] and not u["signals"]]
who = [i["server"] for i in v["incidents"]]
sys.exit(0 if who == ["oss-s3"] and len(bad) == 1 and sys.argv[3] in bad[0] else f"{who} {bad}")' "$@"
}
PYTHON=${PYTHON:-python3}
command -v "$PYTHON" >/dev/null || all_skip "needs python3"

# judged SERVER WORDS SOURCE…: every command that judges names the source and goes on; the timeout is for
# what waits.
judged() {
	server=$1 words=$2
	shift 2
	timeout 60 "$L" diagnose "$@" >"$T/out" 2>"$T/err"
	check_eq $? 0 "exit status of diagnose ($(cat "$T/err"))" || return 1
	grep -q "$words" "$T/err" || { fail "standard error: $(cat "$T/err")"; return 1; }
	grep -q '^oss-s3 limps: disk-hog' "$T/out" || { fail "$(cat "$T/out")"; return 1; }
	tr -s ' \n' '  ' <"$T/out" | grep -q "not judged: .*$server (" || { fail "$server is not there: $(cat "$T/out")"; return 1; }
	timeout 60 "$L" diagnose --json "$@" >"$T/json" 2>/dev/null
	json_says "$T/json" "$server" "$words" 2>"$T/why" || { fail "$(cat "$T/why")"; return 1; }
	timeout 60 "$L" watch --once --json "$@" >"$T/once" 2>"$T/err"
	check_eq "$? $(cmp "$T/json" "$T/once" 2>&1)" "0 " "watch --once --json" || return 1
	grep -q "$words" "$T/err" || { fail "standard error of watch: $(cat "$T/err")"; return 1; }
	timeout 60 "$L" watch --once "$@" >"$T/out" 2>"$T/err"
	check_eq "$? $(grep -c ' opened oss-s3' "$T/out") $(grep -c "$words" "$T/err")" "0 1 1" "watch --once" || return 1
	timeout 60 "$L" diagnose --strict "$@" >"$T/out" 2>"$T/err"
	check_eq $? 1 "exit status with --strict" || return 1
	timeout 60 "$L" watch --once --strict "$@" >"$T/out" 2>"$T/err"
	check_eq $? 1 "exit status of watch with --strict"
}

fresh
case_begin "truncated"
head -c 60000 "$S/oss-s1-$D.limpet" >"$f"
judged oss-s1 "it is damaged: truncated" "$T/d" && ok

case_begin "also by the names of files"
judged oss-s1 "it is damaged: truncated" "$T"/d/* && ok

case_begin "the other commands"
says() { # STATUS COMMAND…
	want=$1
	shift
	timeout 60 "$L" "$@" >"$T/out" 2>"$T/err"
	check_eq $? "$want" "exit status of $1 ($(cat "$T/err"))" && grep -q "oss-s1-$D.limpet': it is damaged" "$T/err"
}
echo "run,source,node,cause,from,to
one,$T/d,oss-s3,disk-hog,2026-11-21T19:26:45Z,2026-11-21T19:28:30Z" >"$T/truth.csv"
if says 0 show --csv -m await "$T/d" && grep -q oss-s6 "$T/out" &&
	says 0 report -o "$T/page.html" "$T/d" && grep -q oss-s1 "$T/page.html" &&
	says 0 diagnose --method ratio "$T/d" && grep -q oss-s1 "$T/out" &&
	says 0 train --window 20 --shift 5 -o "$T/model" "$T/d" && grep -q '5 servers' "$T/out" &&
	says 1 show --strict "$T/d" && says 1 train --strict -o "$T/model" "$T/d" &&
	says 1 report --strict -o "$T/page.html" "$T/d"; then ok; else fail "$(cat "$T/out" "$T/err")"; fi

case_begin "damaged in the middle, which only reading it tells: nothing of it counts"
fresh
sqlite3 "$f" "update chunk set disk = zeroblob(length(disk)) where id = (select id from chunk order by id limit 1 offset (select count(*) / 2 from chunk))" 2>"$T/err" ||
	fail "$(cat "$T/err")"
judged oss-s1 "it is damaged" "$T/d" && ok

case_begin "random bytes"
head -c 20000 /dev/urandom >"$f"
judged oss-s1 "it is not a series file" "$T/d" && ok

case_begin "another program's file"
cp README.md "$f"
judged oss-s1 "it is not a series file" "$T"/d/* && ok

case_begin "another program's database"
rm "$f"
sqlite3 "$f" "create table t(x)"
judged oss-s1 "not a series file" "$T/d" && ok

case_begin "empty"
: >"$f"
judged oss-s1 "it is empty" "$T/d" && ok

case_begin "a file that nobody may read"
cp "$S/oss-s1-$D.limpet" "$f"
chmod 0 "$f"
if [ "$(id -u)" = 0 ]; then
	rm "$f"
	ln -s nowhere "$f"
	judged oss-s1 "No such file" "$T/d" && ok
else
	judged oss-s1 "Permission denied" "$T/d" && ok
fi

case_begin "a folder of that name"
rm -f "$f"
mkdir "$f"
judged oss-s1 "it is a folder" "$T/d" && ok

case_begin "series files lie in a folder of the folder, beside logs"
mkdir -p "$T/run/logs" "$T/run/a/series"
cp "$S"/* "$T/run/a/series"
echo none >"$T/run/logs/log"
timeout 60 "$L" diagnose "$T/run" >"$T/out" 2>"$T/err"
check_eq "$? $(cat "$T/err")" "0 " "status and messages" && { grep -q '^oss-s3 limps: disk-hog' "$T/out" || fail "$(cat "$T/out")"; } && ok

case_begin "a FIFO of that name"
rmdir "$f"
mkfifo "$f"
judged oss-s1 "it is a FIFO" "$T"/d/* && ok

case_begin "what SQLite has beside a file is no source"
fresh
cp "$f" "$f-shm"
: >"$f-wal"
cp README.md "$f-journal"
"$L" diagnose "$T"/d/* >"$T/out" 2>"$T/err"
check_eq "$? $(cat "$T/err")" "0 " "status and messages" && {
	"$L" show -m await "$T"/d/* >"$T/out" 2>"$T/err"
	check_eq "$? $(cat "$T/err")" "0 " "status and messages of show" && ok
}

case_begin "a clock that is years off"
fresh
rm "$f"
awk 'BEGIN { for (t = 1000000; t < 1000200; t++) printf "%d,oss-s1,await,sda,5\n", t }' | "$O/tests/make_series" "$T/d"
judged oss-s1 "its clock was wrong" "$T/d" && ok

case_begin "a file that says it is another server's"
fresh
mv "$f" "$T/d/oss-x-$D.limpet"
cp "$T/d/oss-s3-$D.limpet" "$f"
mv "$T/d/oss-x-$D.limpet" "$T/oss-x"
judged oss-s1 "inside it says that it is 'oss-s3's" "$T/d" && ok

case_begin "one whose name is no server's does not count beside those of its server"
fresh
cp "$T/d/oss-s3-$D.limpet" "$T/d/backup.limpet"
"$L" diagnose "$T/d" >"$T/out" 2>"$T/err"
check_eq "$? $(grep -c "backup.limpet' is left out: inside it says that it is 'oss-s3's" "$T/err") $(grep -c '^oss-s3 limps' "$T/out")" "0 1 1" "diagnose" && ok

case_begin "alone it counts, which is said"
mv "$T/d/backup.limpet" "$T/d/oss-s3-$D.limpet"
mv "$f" "$T/d/first.limpet"
"$L" diagnose "$T/d" >"$T/out" 2>"$T/err"
check_eq "$? $(grep -c "first.limpet' is no server's: it counts as 'oss-s1's" "$T/err") $(grep -c 'not judged' "$T/out")" "0 1 0" "diagnose" && ok

case_begin "two files of one server and of the same time: said, and the first one counts"
fresh
mkdir "$T/copy"
cp "$f" "$T/copy"
"$L" diagnose --json "$T/d" >"$T/want" 2>&1
"$L" diagnose --json "$T/copy" "$T/d" >"$T/json" 2>"$T/err"
"$L" diagnose --json "$T/d" "$T/copy" >"$T/other" 2>/dev/null
check_eq "$? $(grep -c "are both 'oss-s1's and of the same time" "$T/err") $(cmp "$T/json" "$T/other")" "0 1 " "diagnose" &&
	check_eq "$("$PYTHON" -c 'import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
key = "indicted" if "indicted" in a else "incidents"
print(a[key] == b[key])' "$T/want" "$T/json")" True "the same incidents" && ok

case_begin "sources that are only bad: status 1, and each is named"
mkdir "$T/bad"
for i in 1 2 3; do head -c 5000 /dev/urandom >"$T/bad/oss-s$i-$D.limpet"; done
for command in diagnose "watch --once" show "report -o $T/page" "train -o $T/m"; do
	# shellcheck disable=SC2086
	timeout 60 "$L" $command "$T/bad" >"$T/out" 2>"$T/err"
	check_eq "$? $(grep -c 'is not a series file' "$T/err")" "1 3" "$command" || break
done && ok

case_begin "a FIFO among tables is not waited for"
mkdir "$T/tables"
"$L" show --csv -f disk "$S" >"$T/tables/a.csv"
mkfifo "$T/tables/x.csv"
timeout 60 "$L" diagnose --instance instance "$T/tables" >"$T/out" 2>"$T/err"
check_eq "$? $(grep -c "x.csv': it is a FIFO" "$T/err") $(grep -c '^oss-s3 limps' "$T/out") $(grep -c "'x.csv' is left out" "$T/out")" "0 1 1 1" "diagnose" && ok

case_begin "a table that is damaged costs its server"
rm "$T/tables/x.csv"
for i in 1 2 3 4 5 6; do
	{ head -1 "$T/tables/a.csv"; grep ",oss-s$i," "$T/tables/a.csv"; } | cut -d, -f 1,4- >"$T/tables/oss-s$i.csv"
done
rm "$T/tables/a.csv"
echo "2026,1" >>"$T/tables/oss-s1.csv"
timeout 60 "$L" diagnose --node @file --instance instance "$T/tables" >"$T/out" 2>"$T/err"
check_eq "$? $(grep -c "oss-s1.csv' line" "$T/err") $(grep -c '^oss-s3 limps' "$T/out")" "0 1 1" "diagnose" &&
	if grep -q 'not judged: oss-s1 (' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "a pipe of our own is read"
"$L" show --csv -f disk "$S" | "$L" diagnose --instance instance /dev/stdin >"$T/out" 2>&1
if grep -q '^oss-s3 limps' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi
