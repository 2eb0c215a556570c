#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --color and --quiet of limpet diagnose and limpet watch.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
HOG=tests/data/disk-hog/series
ESC=$(printf '\033')
RED="${ESC}[1;31m" YELLOW="${ESC}[33m" GREEN="${ESC}[32m" END="${ESC}[0m"
unset NO_COLOR

plain() { sed "s/$ESC\[[0-9;]*m//g" "$1"; }
# On a terminal, without the carriage returns that it adds.
on_terminal() { # WORD…
	TERM=${TERM_IS:-xterm} script -qec "$* 2>/dev/null" /dev/null </dev/null | tr -d '\r'
}

"$L" diagnose "$HOG" >"$T/pipe" 2>"$T/err"
"$L" diagnose --color always "$HOG" >"$T/always" 2>>"$T/err"

case_begin "--color always colours the server that limps and what is unproven, and changes nothing else"
check_eq "$(head -n 1 "$T/always" | cut -d : -f 1)" "${RED}oss-s3 limps$END" "the first words ($(cat "$T/err"))" &&
	check_eq "$(grep -cF "${YELLOW}unproven$END disk of 5" "$T/always")" 1 "unproven" &&
	check_eq "$(tr -cd "$ESC" <"$T/always" | wc -c)" 4 "escapes" &&
	check_eq "$(plain "$T/always" | diff - "$T/pipe")" '' "the rest" && ok

case_begin "a pipe or a file has no colours, a terminal has the same as with --color always"
check_eq "$(tr -cd "$ESC" <"$T/pipe" | wc -c)" 0 "escapes in a file" && if command -v script >/dev/null; then
	check_eq "$(on_terminal "$L" diagnose "$HOG" | diff - "$T/always")" '' "on a terminal" && ok
else
	skip "script is not installed"
fi

case_begin "NO_COLOR, TERM=dumb and --color never: none on a terminal; an empty NO_COLOR counts as none"
if command -v script >/dev/null; then
	check_eq "$(NO_COLOR=1 on_terminal "$L" diagnose "$HOG" | diff - "$T/pipe")" '' NO_COLOR &&
		check_eq "$(TERM_IS=dumb on_terminal "$L" diagnose "$HOG" | diff - "$T/pipe")" '' TERM &&
		check_eq "$(on_terminal "$L" diagnose --color never "$HOG" | diff - "$T/pipe")" '' never &&
		check_eq "$(NO_COLOR='' on_terminal "$L" diagnose "$HOG" | diff - "$T/always")" '' "empty" &&
		check_eq "$(NO_COLOR=1 "$L" diagnose --color always "$HOG" | diff - "$T/always")" '' "an option counts more" && ok
else
	skip "script is not installed"
fi

case_begin "what is well is green, what is unproven yellow"
awk 'BEGIN {
	print "time,node,await"
	srand(3)
	for (t = 0; t < 600; t++)
		for (i = 1; i <= 6; i++)
			printf "%d,oss%d,%.3f\n", 1795893800 + t, i, 5 + rand()
}' >"$T/well.csv"
check_eq "$("$L" diagnose --color always --signal await "$T/well.csv" 2>"$T/err" | head -n 1)" \
	"${GREEN}no server limps$END" "well ($(cat "$T/err"))" &&
	check_eq "$("$L" diagnose --color always --to 2026-11-21T19:26:50 "$HOG" 2>"$T/err" | head -n 1 | cut -d , -f 1)" \
		"${YELLOW}no server is seen to limp$END" "not known ($(cat "$T/err"))" && ok

case_begin "JSON has no colours"
check_eq "$("$L" diagnose --color always --json "$HOG" 2>"$T/err")" "$("$L" diagnose --json "$HOG" 2>&1)" "--json" &&
	check_eq "$("$L" watch --color always --once --json "$HOG" 2>"$T/err" | tr -cd "$ESC" | wc -c)" 0 "watch --json" && ok

case_begin "lines of watch have the word of the change in colour"
"$L" watch --once "$HOG" >"$T/pipe" 2>"$T/err"
"$L" watch --once --color always "$HOG" >"$T/always" 2>"$T/err"
check_eq "$(cut -d ' ' -f 2 "$T/always" | tr '\n' ' ')" \
	"${YELLOW}cannot-judge$END ${GREEN}judging$END ${YELLOW}unproven$END ${RED}opened$END " words &&
	check_eq "$(plain "$T/always" | diff - "$T/pipe")" '' "the rest" && ok

case_begin "another word is refused"
"$L" diagnose --color red "$HOG" >"$T/out" 2>"$T/err"
check_eq "$? $(cat "$T/out" "$T/err")" "2 limpet: '--color red': auto, always or never is needed" message && ok

case_begin "--quiet prints nothing; the status is that of --exit-code"
for of in "diagnose -q:3" "watch --quiet --once:3" "diagnose --quiet --signal await $T/well.csv:0"; do
	words=${of%:*}
	case $words in *csv) ;; *) words="$words $HOG" ;; esac
	# shellcheck disable=SC2086
	"$L" $words >"$T/out" 2>&1
	check_eq "$? $(cat "$T/out")" "${of##*:} " "$words" || break
done && ok

case_begin "--quiet still says what fails, and excludes what asks for output"
"$L" diagnose --quiet "$T/no-such" >"$T/out" 2>"$T/err"
check_eq "$? $(wc -c <"$T/out") $(grep -c no-such "$T/err")" "1 0 1" "a source that is not there" &&
	check_eq "$("$L" diagnose --quiet --json "$HOG" 2>&1; echo $?)" "limpet: '--quiet' and '--json' exclude each other
2" json &&
	check_eq "$("$L" watch --quiet --plain "$HOG" 2>&1; echo $?)" "limpet: '--quiet' and '--plain' exclude each other
2" plain && ok
