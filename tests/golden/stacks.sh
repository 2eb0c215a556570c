#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091
# limpet show --stacks and --pprof: stacks of minutes and servers added up, chosen by time and server, as text and
# as a profile that is decoded here by its definition (profile.proto).
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

# a: 3 + 4 in one stack over two minutes, 1 in another; b: 5; c has none.
cat >"$T/csv" <<'E2'
1795230000,a,r/s,sda,5
1795230000,a,stack,srv;entry;read;submit_bio_wait,3
1795230060,a,r/s,sda,5
1795230060,a,stack,srv;entry;read;submit_bio_wait,4
1795230060,a,stack,srv;entry;odd name,1
1795230060,b,r/s,sda,5
1795230060,b,stack,srv;entry;read,5
1795230060,c,r/s,sda,5
E2
mkdir "$T/s"
"$O/tests/make_series" "$T/s" <"$T/csv" || exit 1
all="a;srv;entry;odd name 1
a;srv;entry;read;submit_bio_wait 7
b;srv;entry;read 5"

case_begin "stacks of all minutes and servers, the count last"
check_eq "$("$O/limpet" show --stacks "$T/s")" "$all" "stacks" && ok
case_begin "of some time, of a server"
check_eq "$("$O/limpet" show --stacks --to 2026-11-21T03:01:00Z "$T/s")" "a;srv;entry;read;submit_bio_wait 3" "time" &&
	check_eq "$("$O/limpet" show --stacks --node b "$T/s")" "b;srv;entry;read 5" "server" && ok
case_begin "recordings without stacks have none, and other tables do not show them"
check_eq "$("$O/limpet" show --stacks --node c "$T/s")" "" "stacks" &&
	check_eq "$("$O/limpet" show --json "$T/s" | grep -c srv)" 0 "seconds" && ok

case_begin "the same as a profile of pprof"
"$O/limpet" show --pprof "$T/p" "$T/s" >"$T/out" || fail "status $?"
cp "$T/p" "$T/p0"
cat >"$T/decode" <<'E2'
import gzip, sys
def varint(b, i):
    v = s = 0
    while True:
        v |= (b[i] & 127) << s
        s += 7
        i += 1
        if b[i - 1] < 128: return v, i
def fields(b):
    i = 0
    while i < len(b):
        key, i = varint(b, i)
        if key & 7 == 0:
            v, i = varint(b, i)
        else:
            assert key & 7 == 2
            n, i = varint(b, i)
            v, i = b[i:i + n], i + n
            assert len(v) == n
        yield key >> 3, v
def numbers(b):
    i = 0
    while i < len(b):
        v, i = varint(b, i)
        yield v
p = gzip.open(sys.argv[1]).read()
strings = [v.decode() for f, v in fields(p) if f == 6]
functions = {d[1]: strings[d[2]] for d in (dict(fields(v)) for f, v in fields(p) if f == 5)}
files = {d[1]: strings[d[6]] for d in (dict(fields(v)) for f, v in fields(p) if f == 3)}
places = {d[1]: functions[dict(fields(d[4]))[1]] + (f" of {files[d[2]]} at {d.get(3, 0):x}" if 2 in d else "")
          for d in (dict(fields(v)) for f, v in fields(p) if f == 4)}
for f, v in fields(p):
    if f == 1: print(*(strings[w] for _, w in fields(v)))
    if f == 2:
        d = dict(fields(v))
        values = [d[2]] if isinstance(d[2], int) else numbers(d[2])
        print(";".join(places[n] for n in reversed(list(numbers(d[1])))), *values)
one = dict(fields(p))
print(strings[0] == "", one[9], one[10])
E2
python3 "$T/decode" "$T/p" >"$T/decoded"
check_eq "$(cat "$T/decoded")" "samples count
$all
True 1795230000000000000 120000000000" "decoded" && check_eq "$(cat "$T/out")" "" "text" && ok

case_begin "what threads computed, below a word of its own, with places for names"
cat >"$T/csv" <<'E2'
1795230000,u,r/s,sda,5
1795230000,u,stack,srv;entry;read,3
1795230000,u,user_stack, 0 0102030405060708090a0b0c0d0e0f1011121314| 1 ff00000000000000000000000000000000000000 /bin/x|srv;@1+10;@0+1a2b;vfs_read 3|srv;@1+10;[no build id],1
1795230060,u,r/s,sda,5
1795230060,u,user_stack, 1 0102030405060708090a0b0c0d0e0f1011121314| 0 ff00000000000000000000000000000000000000|srv;@0+10;@1+1a2b;vfs_read,4
E2
mkdir "$T/u"
"$O/tests/make_series" "$T/u" <"$T/csv"
check_eq "$("$O/limpet" show --stacks "$T/u")" "u;srv;[processor time];ff000000+0x10;01020304+0x1a2b;vfs_read 7
u;srv;[processor time];ff000000+0x10;[no build id] 1
u;srv;entry;read 3" "stacks" && ok
case_begin "and as a profile of pprof: two values of each, and of places their files and offsets"
"$O/limpet" show --pprof "$T/p" "$T/u" || fail "status $?"
check_eq "$(python3 "$T/decode" "$T/p")" "samples count
cpu nanoseconds
u;srv;[processor time];ff000000+0x10 of ff00000000000000000000000000000000000000 at 10;$(
	)01020304+0x1a2b of 0102030405060708090a0b0c0d0e0f1011121314 at 1a2b;vfs_read 0 142857141
u;srv;[processor time];ff000000+0x10 of ff00000000000000000000000000000000000000 at 10;[no build id] 0 20408163
u;srv;entry;read 3 0
True 1795230000000000000 120000000000" "decoded" && ok

case_begin "options that go together with neither are refused"
for o in --json --csv --latencies --metric=r/s --family=disk --device=sda; do
	"$O/limpet" show --stacks $o "$T/s" >"$T/out" 2>"$T/err"
	[ $? -eq 2 ] || { fail "$o: status"; break; }
done
"$O/limpet" show --pprof /nowhere/p "$T/s" 2>"$T/err"
check_eq "$?" 1 "status" && check_eq "$(cat "$T/err")" "limpet: cannot write '/nowhere/p': No such file or directory" "message" && ok

case_begin "the profile is replaced in one step, and not through another user's link; standard output takes it, too"
echo precious >"$T/precious"
ln -s precious "$T/link"
"$O/limpet" show --pprof /dev/stdout "$T/s" >"$T/out" || fail "status $?"
if [ "$(id -u)" = 0 ]; then
	chown -h 65534 "$T/link"
	"$O/limpet" show --pprof "$T/link" "$T/s" 2>"$T/err"
	check_eq "$? $(cat "$T/precious")" "1 precious" "status, the file" &&
		check_eq "$(grep -c "'link' is a symbolic link of user 65534" "$T/err")" 1 "message ($(cat "$T/err"))"
fi && cmp "$T/out" "$T/p0" && check_eq "$(find "$T" -name '.p*' | wc -l)" 0 "temporary files" && ok

case_begin "a file whose stacks are damaged is said to be"
python3 - "$T/s/b-20261121.limpet" <<'E2'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE stack SET folded = substr(folded, 1, length(folded) - 1) || x'00'")
db.commit()
E2
"$O/limpet" show --stacks "$T/s" >"$T/out" 2>"$T/err"
check_eq "$(grep -c "stacks cannot be unpacked" "$T/err") $(cat "$T/out")" "1 $(echo "$all" | head -n 2)" "message, the rest" && ok

case_begin "more different stacks than can be shown: that is the reason given, and the rest is shown"
mkdir "$T/more" "$T/a"
printf '1795230000,a,r/s,sda,5\n1795230000,a,stack,first,1\n' | "$O/tests/make_series" "$T/a"
{
	echo "1795230000,m,r/s,sda,5"
	for minute in 0 1 2; do
		printf '%s,m,user_stack,' $((1795230000 + 60 * minute))
		awk -v m=$minute 'BEGIN { for (i = 0; i < 350000; i++) printf "%d%06d 1|", m + 1, i; print "last,1" }'
	done
} | "$O/tests/make_series" "$T/more"
"$O/limpet" show --stacks "$T/a" "$T/more" >"$T/out" 2>"$T/err"
check_eq "$(cat "$T/err")" "limpet: there are more than 1000000 different stacks: show a shorter time, or fewer servers" "message" &&
	check_eq "$(wc -l <"$T/out")" 1000000 "stacks" && ok
