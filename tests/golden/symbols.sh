#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091
# Names for places in files: a program made here, whose functions nm and whose segments readelf tell; whole,
# stripped, as debugging symbols alone, of another linker, and none of these.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
CC=${CC:-cc}
for need in nm readelf objcopy strip python3; do
	command -v $need >/dev/null || all_skip "'$need' is not installed (binutils, python3)"
done

# own() is of its object file only; last() does not return, so what it calls returns to the function behind it.
cat >"$T/prog.c" <<'E2'
volatile int x;
__attribute__((noinline)) static void own(void) { x++; }
__attribute__((noinline, noclone)) void called(void) { own(); own(); }
void same_as_called(void) __attribute__((alias("called")));
__attribute__((noinline, noreturn)) void ends(void) { own(); for (;;) own(); }
__attribute__((noinline, noreturn)) void last(void) { ends(); }
__attribute__((noinline)) void behind_last(void) { own(); }
int main(void) { called(); behind_last(); last(); }
E2
build() { # OUT OPTION…
	out=$1
	shift
	# shellcheck disable=SC2086
	$CC -O1 -fno-reorder-functions -fno-ipa-icf -Wl,--build-id=sha1 "$@" "$T/prog.c" -o "$T/$out" 2>"$T/cc"
}
id_of() { readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'; }
# Where in the file an address is: by the segment that has it.
offset_of() { # FILE FUNCTION BYTES-BEHIND [end: from its end]
	set -- "$1" "$(nm -S "$1" | awk -v f="$2" '$4 == f { print $1, $2 }')" "$3" "${4:-}"
	readelf -lW "$1" | awk -v function_="$2" -v more="$3" -v from="$4" '
		function hex(s,  i, n) { s = tolower(s); sub(/^0x/, "", s)
			for (i = 1; i <= length(s); i++) n = 16 * n + index("0123456789abcdef", substr(s, i, 1)) - 1
			return n + 0 }
		BEGIN { split(function_, f, " "); at = hex(f[1]) + more + (from == "end" ? hex(f[2]) : 0) }
		$1 == "LOAD" && at >= hex($3) && at < hex($3) + hex($5) { printf "%x", at - hex($3) + hex($2); exit }'
}
# A recording with a stack of places in the program: in main, in last() where ends() would return to, in called()
# and own(), where it is.
record() { # NAME PROGRAM ID
	mkdir "$T/$1"
	{
		echo "1795230000,s,r/s,sda,5"
		printf '1795230000,s,user_stack, 0 %s|srv;@0+%s;@0+%s;@0+%s;@0+%s;vfs_read,7\n' "$3" \
			"$(offset_of "$2" main 5)" "$(offset_of "$2" last 0 end)" "$(offset_of "$2" called 4)" \
			"$(offset_of "$2" own 0)"
	} | "$O/tests/make_series" "$T/$1"
}
shown() { # RECORDING OPTION…
	recording=$1
	shift
	"$O/limpet" show --stacks "$@" "$T/$recording" 2>"$T/err"
}
names="s;srv;[processor time];[starts nowhere];main;last;called;own;vfs_read 7"

build prog || all_skip "'$CC' builds no program with a build id: $(head -n 1 "$T/cc")"
id=$(id_of "$T/prog")
record whole "$T/prog" "$id"
mkdir "$T/whole-in" "$T/stripped-in" "$T/debug-in" "$T/both-in" "$T/wrong-in" "$T/empty"
cp "$T/prog" "$T/whole-in/any-name"
strip -o "$T/stripped-in/prog" "$T/prog"
mkdir "$T/debug-in/deep"
objcopy --only-keep-debug "$T/prog" "$T/debug-in/deep/prog.debug" 2>/dev/null
cp "$T/stripped-in/prog" "$T/debug-in/deep/prog.debug" "$T/both-in"

case_begin "a program with all its functions; a call that does not return is in its own"
check_eq "$(shown whole --symbols "$T/whole-in")" "$names" "names" && check_eq "$(cat "$T/err")" "" "messages" && ok
case_begin "debugging symbols beside the program; alone, where GNU ld made it"
check_eq "$(shown whole --symbols "$T/both-in")" "$names" "both" &&
	check_eq "$(shown whole --symbols "$T/stripped-in" --symbols "$T/debug-in")" "$names" "two folders" &&
	if ! readelf -p .comment "$T/prog" | grep -qE 'LLD|mold'; then
		check_eq "$(shown whole --symbols "$T/debug-in")" "$names" "alone"
	fi && ok

case_begin "without names: the file's name or build id and the place, as recorded"
short=$(echo "$id" | cut -c 1-8)
unknown="s;srv;[processor time];$short+0x$(offset_of "$T/prog" main 5);$short+0x$(offset_of "$T/prog" last 0 end);$(
	)$short+0x$(offset_of "$T/prog" called 4);$short+0x$(offset_of "$T/prog" own 0);vfs_read 7"
check_eq "$(shown whole)" "$unknown" "no folder" &&
	check_eq "$(shown whole --symbols "$T/stripped-in")" "$(echo "$unknown" | sed "s/$short/prog/g")" "stripped" &&
	check_eq "$(shown whole --symbols "$T/empty")" "$unknown" "empty" && ok

case_begin "a file with another build id has no say"
build other -DOTHER -Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314
cp "$T/other" "$T/wrong-in/prog"
check_eq "$(shown whole --symbols "$T/wrong-in")" "$unknown" "names" && ok

case_begin "an offset that is in no segment, or in no function, has no name"
mkdir "$T/nowhere"
printf '1795230000,s,r/s,sda,5\n1795230000,s,user_stack, 0 %s|srv;@0+0;@0+fffffff;@0+ffffffffffffffff,1\n' "$id" |
	"$O/tests/make_series" "$T/nowhere"
check_eq "$(shown nowhere --symbols "$T/whole-in")" \
	"s;srv;[processor time];any-name+0x0;any-name+0xfffffff;any-name+0xffffffffffffffff 1" "names" && ok

case_begin "debugging symbols of a linker that gives other offsets are not guessed at"
if build lld-prog -fuse-ld=lld; then
	record lld "$T/lld-prog" "$(id_of "$T/lld-prog")"
	mkdir "$T/lld-in" "$T/lld-debug"
	cp "$T/lld-prog" "$T/lld-in"
	objcopy --only-keep-debug "$T/lld-prog" "$T/lld-debug/lld.debug" 2>/dev/null
	check_eq "$(shown lld --symbols "$T/lld-in")" "$names" "whole" &&
		check_eq "$(shown lld --symbols "$T/lld-debug" | grep -cE 'main|last|called|own')" 0 "alone" && ok
else
	skip "no lld"
fi

case_begin "files that are none, damaged ones and folders that are not there"
mkfifo "$T/whole-in/fifo"
printf '\177ELF' >"$T/whole-in/short"
head -c 5000 "$T/prog" >"$T/whole-in/cut"
ln -s / "$T/whole-in/link"
check_eq "$(shown whole --symbols "$T/whole-in" --symbols "$T/none")" "$names" "names" &&
	check_eq "$(cat "$T/err")" "limpet: cannot read '$T/none': No such file or directory" "message" && ok
# Copies of the program without functions, and of it as it is; each with a build id of its own, or all with one.
cat >"$T/many.py" <<'E2'
import sys
program, old, folder, first, n, one = sys.argv[1:]
whole, old = open(program, "rb").read(), bytes.fromhex(old)
assert whole.count(old) == 1
for i in range(int(first), int(first) + int(n)):
    new = old[:18] + (int(first) if one == "one" else i).to_bytes(2, "big")
    open(f"{folder}/{i}", "wb").write(whole.replace(old, new))
E2
many() { python3 "$T/many.py" "$1" "$id" "$2" "$3" "$4" "${5:-each}"; } # PROGRAM FOLDER FIRST COPIES [one]
many_ids() { # MINUTES FILES: a minute's stack each with so many files, from the first on
	awk -v minutes="$1" -v files="$2" -v start="$(echo "$id" | cut -c 1-36)" -v at="$(offset_of "$T/prog" main 5)" 'BEGIN {
		print "1795230000,s,r/s,sda,5"
		for (m = 0; m < minutes; m++) {
			printf "%d,s,user_stack,", 1795230000 + 60 * m
			for (f = 0; f < files; f++)
				printf " %d %s%04x|", f, start, m * files + f
			for (f = 0; f < files; f++)
				printf "srv;@%d+%s %s", f, at, f < files - 1 ? "1|" : ""
			print ",1"
		}
	}' | sed 's/ ,1$/,1/'
}
case_begin "files beyond those that may be open have no names, which is said once"
mkdir "$T/many" "$T/many-in"
many "$T/prog" "$T/many-in" 0 515
many_ids 1 515 | "$O/tests/make_series" "$T/many"
check_eq "$(shown many --symbols "$T/many-in" | awk '{ n += $NF * / *;main / } END { print n, NR }')" "512 2" "names" &&
	check_eq "$(cat "$T/err")" "limpet: names of functions are read from 512 files, and there are more: functions of the rest have none" "message" && ok
case_begin "files of which nothing is taken take no room"
mkdir "$T/useless" "$T/useless-in"
many "$T/stripped-in/prog" "$T/useless-in" 0 600 one
many "$T/prog" "$T/useless-in" 1000 1
cp "$T/useless-in/1000" "$T/useless-in/behind"
printf '1795230000,s,r/s,sda,5\n1795230000,s,user_stack, 0 %s0000| 1 %s03e8|srv;@0+%s 1|srv;@1+%s,1\n' \
	"$(echo "$id" | cut -c 1-36)" "$(echo "$id" | cut -c 1-36)" "$(offset_of "$T/prog" main 5)" "$(offset_of "$T/prog" main 5)" |
	"$O/tests/make_series" "$T/useless"
check_eq "$(shown useless --symbols "$T/useless-in" | grep -c ';main 1$')" 1 "names" && check_eq "$(cat "$T/err")" "" "messages" && ok
case_begin "so many build ids and no more, which is said once"
mkdir "$T/ids"
many_ids 17 1000 | "$O/tests/make_series" "$T/ids"
check_eq "$(shown ids --symbols "$T/whole-in" | awk '{ n += $NF } END { print n }')" 17000 "samples" &&
	check_eq "$(cat "$T/err")" "limpet: there are more than 16384 build ids: functions of the rest have no names" "message" && ok

case_begin "the option goes with stacks only"
"$O/limpet" show --symbols "$T" "$T/whole" 2>"$T/err"
check_eq "$?" 2 "status" && check_eq "$(cat "$T/err")" "limpet: '--symbols' is for '--stacks' and '--pprof'" "message" && ok
