#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/evaluate-methods, which makes the tables of analyzer/EVALUATION.md: a quick run of its sections
# on simulated clusters ends, and its tables and marks are whole. What the scores are is not asked.
# These are the sections of the trained methods; evaluate_robust.sh takes the others.
sections=${sections:-fast10 study ganesha partition real} of=${of:-fast10 ganesha partition}
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# A minute of processor time, and several of them under sanitizers, where the programs it runs have
# tests of their own.
case $O in *address*) all_skip "takes too long under sanitizers (the plain build has it)" ;; esac

# The marks of a document that are of these sections.
marks() {
	sed -n 's/^<!-- table \([a-z0-9-]*\) -->$/\1/p' "$1" |
		case $sections in *robust*) grep '^robust-\|^curve-' ;; *) grep -v '^robust-\|^curve-' ;; esac
}

case_begin "a quick run writes a table for every mark of the document"
if ! command -v jq >/dev/null; then
	skip "there is no jq (tools/deps check)"
	exit
fi
cp analyzer/EVALUATION.md "$T/document"
# shellcheck disable=SC2086
env -u LIMPET_TEST_DATA TMPDIR="$T" tools/evaluate-methods --quick --insert "$T/document" "$T/out" $sections 2>"$T/err"
check_eq $? 0 "exit status ($(tail -n 3 "$T/err"))" && {
	marks "$T/document" | while read -r name; do
		[ "$name" = real ] || [ -s "$T/out/$name.md" ] || echo "$name"
	done >"$T/missing"
	check_eq "$(cat "$T/missing") $(marks "$T/document" | wc -l)" " $(marks analyzer/EVALUATION.md | wc -l)" \
		"tables that are missing, marks" && ok
}

case_begin "the rows of each table have as many cells as its heading, and each table has rows"
for f in "$T"/out/*.md; do
	[ -s "$f" ] || echo "$f: nothing"
	awk -F'|' -v name="${f##*/}" '
		/^\|/ && !n { n = NF }
		/^\|/ { rows++ }
		/^\|/ && NF != n { print name ": " $0 }
		END { if (rows < 3) print name ": no row" }' "$f"
done >"$T/uneven"
check_eq "$(cat "$T/uneven")" "" "uneven tables" && ok

case_begin "the scores have a count in every group: runs that were judged"
for f in $of; do
	sed "s/^/$f,/" "$T/out/$f.csv"
done | awk -F, '$2 == "method" { for (i = 1; i <= NF; i++) c[$i] = i; n++; next }
	$(c["runs_faulty"]) + $(c["runs_fault_free"]) == 0
	END { print n + 0 " files of scores" }' >"$T/empty"
check_eq "$(cat "$T/empty")" "$(echo "$of" | wc -w) files of scores" "empty groups" && ok

case_begin "tables are put between the marks, and again with the same result"
cp "$T/document" "$T/again"
check_eq "$(grep -c '^<!-- end -->$' "$T/document")" "$(grep -c '^<!-- end -->$' analyzer/EVALUATION.md)" "ends" &&
	env -u LIMPET_TEST_DATA tools/evaluate-methods --insert "$T/again" "$T/out" real 2>"$T/err" && # that section makes nothing without data
	if cmp "$T/document" "$T/again" >&2 && ! cmp -s "$T/document" analyzer/EVALUATION.md
	then ok; else fail "they differ"; fi

case_begin "nothing is left behind"
check_eq "$(find "$T" -name 'limpet-evaluate.*' | wc -l)" 0 "folders left in TMPDIR" && ok
