#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/PROMISES.md: every test function that reaches into the analyzer stands in it once, every entry exists, and what
# is said to have moved is where it is said to be.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

python3 tests/helpers/promises.py tests | sort >"$T/tests" && python3 tests/helpers/promises.py table >"$T/table" ||
	all_skip "python3 is needed"
grep -v '>' "$T/table" | sort >"$T/kept"
grep '>' "$T/table" >"$T/moved"

case_begin "every test function of the analyzer's inside is in tests/PROMISES.md"
missing=$(sort -u "$T/kept" | comm -23 "$T/tests" -)
check_eq "$missing" '' "not in the table" &&
	check_eq "$([ "$(wc -l <"$T/tests")" -gt 100 ] && echo many)" many "tests" && ok

case_begin "every entry is a test function that there is; one that was taken away has moved, or is crossed off"
check_eq "$(sort -u "$T/kept" | comm -13 "$T/tests" -)" '' "no such tests" && ok

case_begin "no entry stands there twice, and what has moved is not there any more"
check_eq "$(cut -d' ' -f1,2 "$T/table" | sort | uniq -d)" '' "twice" &&
	check_eq "$(cut -d' ' -f1,2 "$T/moved" | sort | comm -12 - "$T/tests")" '' "moved, and still there" && ok

case_begin "what has moved is a case of the test that is named"
while read -r file function _ where words; do
	where=tests/${where%:}
	for script in "$where" "$where.sh" "$where.py"; do
		[ ! -f "$script" ] || grep -E '^@?(case|case_begin|cause|no_fault)[ (]|^    @(case|no_fault)\(' "$script"
	done 2>/dev/null | grep -qF -- "$words" || echo "$file $function: no case of $where says '$words'"
done <"$T/moved" >"$T/wrong"
check_eq "$(cat "$T/wrong")" '' "moved to nowhere" && ok
