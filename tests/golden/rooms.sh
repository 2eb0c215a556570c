#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2016
# tests/rooms.txt: each folder with C files is a room of it, and includes only what it may. Names of functions and tags.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

find . \( -name .git -o -name .output \) -prune -o -name '*.[ch]' -print | sed 's|^\./||' | sort >"$T/files"

# From the table, the names of the files and the files: "KIND what is wrong".
# shellcheck disable=SC2046
awk '
function dir(path) { return sub("/[^/]*$", "", path) ? path : "." }
function wrong(kind, text) { print kind, text }

FILENAME == "tests/rooms.txt" && /^(#|$)/ { next }
FILENAME == "tests/rooms.txt" && /^only: / {
	if (NF != 2 || !(dir($2) in place)) wrong("table", "line " FNR ": " $0)
	only[dir($2)] = $2
	next
}
FILENAME == "tests/rooms.txt" && /^but: / {
	if (NF != 4 || $3 != ">" || !($2 in place) || !($4 in place)) wrong("table", "line " FNR ": " $0)
	if (($2, $4) in may) wrong("table", "line " FNR ": it may anyway")
	except[$2, $4] = $2 " > " $4
	next
}
FILENAME == "tests/rooms.txt" {
	n = split($0, part, / *[|] */)
	room = part[1]
	if (n != 3 || part[3] == "" || room in place) wrong("table", "line " FNR ": " $0)
	if (part[2] == "*") { for (r in place) may[room, r] = 1 }
	else for (i = split(part[2], may_name, / +/); i; i--) {
		if (!(may_name[i] in place)) wrong("table", room " may not include " may_name[i] ", which is not above it")
		may[room, may_name[i]] = 1
	}
	place[room] = FNR
	next
}
FILENAME == ARGV[2] {
	there[$0] = 1
	room = dir($0)
	lived[room] = 1
	if (!(room in place)) wrong("folder", $0 " is in no room of the table")
	name = substr($0, length(room) + 2)
	if (name ~ /[.]h$/ && name != "internal.h" && name in header) wrong("header", $0 " and " header[name])
	header[name] = $0
	next
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	name = part[2]
	from = dir(FILENAME)
	if (name ~ /[.]skel[.]h$/) next # made from bpf/
	to = name ~ "/" ? dir(name) : from
	if (!((name ~ "/" ? "" : from "/") name in there)) wrong("name", FILENAME ": " name)
	else if (name ~ "/" && to == from) wrong("name", FILENAME ": " name ", of its own room")
	else if (to != from && to in only && name != only[to] && from !~ /^tests\//) wrong("inner", FILENAME ": " name)
	else if (to != from && name ~ /\/internal[.]h$/ && from !~ /^tests\//) wrong("inner", FILENAME ": " name)
	else if (to == from || (from, to) in may) next
	else if ((from, to) in except) used[from, to] = 1
	else wrong("include", FILENAME ": " name)
}
END {
	for (r in place) if (!(r in lived)) wrong("folder", r " has no C files")
	for (r in only) if (!(only[r] in there)) wrong("inner", only[r] " is not there")
	for (e in except) if (!(e in used)) wrong("exception", except[e])
}' tests/rooms.txt "$T/files" $(cat "$T/files") >"$T/wrong" || echo "table it was not read to its end" >>"$T/wrong"

none() {
	sed -n "s/^$1 //p" "$T/wrong" >"$T/of_kind"
	if [ -s "$T/of_kind" ]; then fail "$2: $(cat "$T/of_kind")"; else ok; fi
}

case_begin "there are files to look at"
if [ "$(wc -l <"$T/files")" -gt 200 ]; then ok; else fail "$(wc -l <"$T/files") files"; fi
case_begin "the table can be read, and has no circle"
none table "tests/rooms.txt"
case_begin "each folder with C files is a room of the table, and each room has some"
none folder "rooms"
case_begin "includes name a header of the own room by its name, others from the root of the tree"
none name "cannot be"
case_begin "each room includes what it may"
none include "the table does not allow"
case_begin "of a room that has one header for others they include that one, and no internal.h of any"
none inner "the table does not allow"
case_begin "each exception of the table is still needed"
none exception "take it out of tests/rooms.txt"
case_begin "no two headers have one name"
none header "the same name"

case_begin "files are cut by concept, not by size: no *_parts.h and no inside.h"
if grep -E '(_parts|inside)\.h$' "$T/files" >"$T/cut"; then fail "$(cat "$T/cut")"; else ok; fi
case_begin "what the files of a room share fits in 150 lines"
grep '/internal\.h$' "$T/files" | xargs wc -l | awk '$2 != "total" && $1 > 150 { print $2 ": " $1 " lines" }' >"$T/long"
if [ -s "$T/long" ]; then fail "$(cat "$T/long")"; else ok; fi

# Lines of the analyzer that match the first argument are in files that match the second one, and there are some.
lines_only() {
	grep '^analyzer/' "$T/files" | tr '\n' '\0' | xargs -0 grep -nHE "$1" >"$T/lines"
	grep -vE "$2" "$T/lines" >"$T/elsewhere"
	if [ -s "$T/elsewhere" ]; then fail "$(cat "$T/elsewhere")"
	elif [ -s "$T/lines" ]; then ok
	else fail "the pattern matches nothing"; fi
}

case_begin "statistics that decide are in analyzer/evidence: no tails and quantiles of distributions elsewhere"
lines_only '(^|[^a-z_])(student_[a-z]+|[lt]gamma[fl]?(_r)?|erfc?[fl]?) ?\(|analyzer/stat/student\.h' \
	'^analyzer/(evidence|methods|stat)/'
case_begin "findings have one maker: verdict/finding_make.c"
lines_only '\(struct finding\) *(\{|$)|struct finding (const )?[A-Za-z0-9_]+(\[[^]]*\])? *=.*\{' \
	'^analyzer/verdict/finding_make\.c:'

# Fails with each name that is in more files than the argument says. $T/names: "NAME FILE" lines.
in_files() {
	sort -u "$T/names" | awk -v most="$1" '{ n[$1]++; of[$1] = of[$1] " " $2 }
		END { for (x in n) if (n[x] > most) print x ":" of[x] }' | sort >"$T/more"
	if [ -s "$T/more" ]; then fail "$(cat "$T/more")"
	elif [ -s "$T/names" ]; then ok
	else fail "the pattern matches nothing"; fi
}

case_begin "a static function's name says what it works on: none is in more than four files of the analyzer, but by_…"
grep '^analyzer/' "$T/files" | xargs awk '/^static / {
	gsub(/__attribute__ *\(\([^)]*\)+/, "")
	if (match($0, /[A-Za-z0-9_]+\(/) && substr($0, 1, RSTART) !~ /=/)
		print substr($0, RSTART, RLENGTH - 1), FILENAME
}' | grep -v '^by_' >"$T/names"
in_files 4

# The struct, union and enum tags that files define.
tags() {
	xargs awk '{
		gsub(/__attribute__ *\(\([^)]*\)+/, "")
		while (match($0, /(struct|union|enum) +[A-Za-z0-9_]+ *\{/)) {
			split(substr($0, RSTART, RLENGTH), part, /[ {]+/)
			print part[2], FILENAME
			$0 = substr($0, RSTART + RLENGTH)
		}
	}' >"$T/names"
}

case_begin "limpet defines a tag in one place only"
grep -E '^(bpf/[a-z_]*\.h|analyzer/|userspace/)' "$T/files" | grep -Ev '^userspace/(probe|push)/' | tags
in_files 1
case_begin "limpet-probe defines a tag in one place only"
grep -E '^(bpf/[a-z_]*\.h|userspace/)' "$T/files" | grep -Ev '^userspace/(push|fetch)/' | tags
in_files 1
case_begin "limpet-push defines a tag in one place only"
grep -E '^(bpf/[a-z_]*\.h|userspace/)' "$T/files" | grep -v '^userspace/probe/' | tags
in_files 1

case_begin "the Makefile builds the programs from these rooms"
printf 'include Makefile\nrooms:\n\t@printf "%%s\\n" $(SHARED_ROOMS) $(PROBE_ROOMS) $(filter-out userspace/fetch,$(PUSH_ROOMS)) $(ANALYZER_ROOMS)\n' |
	make -s -f - rooms | sort >"$T/made"
sed -n 's/^\(\(userspace\|analyzer\)[^ ]*\) |.*/\1/p' tests/rooms.txt | sort >"$T/rooms"
if diff "$T/rooms" "$T/made" >"$T/diff"; then ok; else fail "$(cat "$T/diff")"; fi

case_begin "the top level has what it has; a file of nobody does not lie there"
if git ls-files --error-unmatch Makefile >"$T/out" 2>&1; then
	top=$(git ls-files | sed 's|/.*||' | LC_ALL=C sort -u | tr '\n' ' ')
	check_eq "$top" ".ci .clang-format .gitignore LICENSE Makefile README.md analyzer bpf tests tools userspace vmlinux " \
		"the top level" && ok
else
	skip "not a clone of git: what belongs to the tree is not known"
fi
