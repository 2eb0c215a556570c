#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The man pages, the shell completion and the service tell what the programs have: every option with
# its letter and placeholder, every metric; nothing missing, nothing that is not there.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

PACKAGING=tools/packaging

# The options of a program, one a line: "record: -o, --output DIR".
options_of() { # PROGRAM
	"$O/$1" --dump-options | while read -r command letter name placeholder; do
		[ "$letter" = - ] && letter='' || letter="$letter, "
		[ "$placeholder" = - ] && placeholder='' || placeholder=" $placeholder"
		echo "$command: $letter$name$placeholder"
	done | sort
}

# The same of a man page: the line after .TP, for the commands that its heading names.
documented_in() { # PAGE PROGRAM
	awk -v commands="$("$O/$2" --dump-options | cut -d ' ' -f 1 | sort -u | tr '\n' ' ')" '
		BEGIN { n = split(commands, command, " ") }
		/^\.SH / { on = $2 == "OPTIONS" }
		/^\.SS / { heading = " " substr($0, 5) " "; gsub(",", " ", heading) }
		on && option {
			line = $0
			gsub(/\\f[BIRP]/, "", line)
			gsub(/\\-/, "-", line)
			for (i = 1; i <= n; i++)
				if (heading == " Every command " || index(heading, " " command[i] " "))
					print command[i] ": " line
		}
		{ option = $0 == ".TP" }' "$1" | sort
}

for page in userspace/limpet-probe.8 userspace/limpet-push.8 analyzer/limpet.1; do
	program=$(basename "${page%.*}")

	case_begin "$page has the options of $program, all and no others"
	options_of "$program" >"$T/program"
	documented_in "$page" "$program" >"$T/page"
	if [ "$(wc -l <"$T/program")" -lt 10 ]; then
		fail "$program tells hardly any options: $(cat "$T/program")"
	elif difference=$(diff "$T/program" "$T/page"); then
		ok
	else
		fail "program (<) and page (>) differ:" "$difference"
	fi

	case_begin "--help of $program tells what --dump-options does"
	"$O/$program" --dump-options | cut -d ' ' -f 1,3 | sort >"$T/dump"
	for command in $(cut -d ' ' -f 1 "$T/dump" | uniq); do
		"$O/$program" "$command" --help |
			sed -n "s/^  \(-., \|    \)\(--[a-z-]*\).*/$command \2/p"
	done | sort >"$T/help"
	check_eq "$(diff "$T/dump" "$T/help")" '' "differences" && ok

	case_begin "$page names every command in COMMANDS"
	awk '/^\.SH /{ on = $2 == "COMMANDS" } on && /^\.B / { print $2 }' "$page" | sort >"$T/page"
	missing=$("$O/$program" --dump-options | cut -d ' ' -f 1 | sort -u | comm -23 - "$T/page")
	check_eq "$missing" '' "commands not in the page" && ok

	case_begin "$page is without warnings (man)"
	if command -v man >/dev/null && command -v groff >/dev/null; then
		man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>"$T/warnings" >/dev/null &&
			check_eq "$(cat "$T/warnings")" '' "warnings" && ok
	else
		skip "man is not installed (tools/deps deb)"
	fi

	case_begin "$page is without findings (mandoc)"
	if command -v mandoc >/dev/null; then
		findings=$(mandoc -T lint "$page") && check_eq "$findings" '' "findings" && ok
	else
		skip "mandoc is not installed (tools/deps ci)"
	fi
done

case_begin "limpet-probe.8 has the metrics of the metric table, all and no others"
"$O/limpet" show --csv tests/data/replay/series 2>/dev/null | head -n 1 | tr ',' '\n' |
	sed 1,4d | sort -u >"$T/table"
awk '/^\.SH /{ on = $2 == "METRICS" } on && option && /^\.B / { print substr($0, 4) }
	on && /^\.B [a-z%]/ && !option { print $2 }
	{ option = $0 == ".TP" }' userspace/limpet-probe.8 | sed 's/, /\n/g' | sort -u >"$T/page"
if [ "$(wc -l <"$T/table")" -lt 10 ]; then
	fail "no table: $(cat "$T/table")"
elif difference=$(diff "$T/table" "$T/page"); then
	ok
else
	fail "table (<) and page (>) differ:" "$difference"
fi

# completes WORD…: what completion offers for the last word, in one sorted line.
completes() {
	bash --norc -c '. "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_limpet
		printf "%s\n" "${COMPREPLY[@]}"' "$PACKAGING/completion.bash" "$@" 2>&1 |
		sort | tr '\n' ' ' | sed 's/ $//'
}

case_begin "completion offers the commands"
check_eq "$(completes "$O/limpet-probe" '')" "--help --version check help record" commands &&
	check_eq "$(completes "$O/limpet-probe" rec)" record "what begins with 'rec'" && ok

for program in limpet-probe limpet-push limpet; do
	case_begin "completion offers every option of $program"
	wrong=
	for command in $("$O/$program" --dump-options | cut -d ' ' -f 1 | sort -u); do
		offered=$(completes "$O/$program" "$command" -)
		wanted=$("$O/$program" --dump-options | awk -v c="$command" '
			$1 == c { print $3; if ($2 != "-") print $2 }' | sort | tr '\n' ' ')
		[ "$offered " = "$wanted" ] || wrong="$command: '$offered' and not '$wanted'"
	done
	check_eq "$wrong" '' options && ok
done

case_begin "completion offers folders, files and disks where they are asked for"
# Other tests make disks and remove them meanwhile.
disks() { printf '%s\n' /sys/block/* | sed 's|.*/||;/^\*$/d' | sort; }
disks >"$T/before"
completes "$O/limpet-probe" check --disk '' | tr ' ' '\n' | sort >"$T/offered"
disks >"$T/after"
missing_disks() { comm -12 "$T/before" "$T/after" | comm -23 - "$T/offered"; }
other_disks() { sort -u "$T/before" "$T/after" | comm -13 - "$T/offered" | grep .; }
mkdir -p "$T/c/folder"
: >"$T/c/file"
check_eq "$(completes "$O/limpet-probe" record -o "$T/c/f")" "$T/c/folder" "after -o" &&
	check_eq "$(completes "$O/limpet-probe" record --output = "$T/c/f")" "$T/c/folder" \
		"after --output=" &&
	check_eq "$(completes "$O/limpet" diagnose --model "$T/c/f")" "$T/c/file $T/c/folder" \
		"after --model" &&
	check_eq "$(completes "$O/limpet" show "$T/c/fi")" "$T/c/file" "a SOURCE" &&
	check_eq "$(missing_disks)$(other_disks)" "" "missing, or no disk, after --disk" && ok

case_begin "completion offers the words of a placeholder with bars"
printf '#!/bin/sh\necho "go - --how text|json"\necho "go -h --help -"\n' >"$T/fake"
chmod 755 "$T/fake"
check_eq "$(completes "$T/fake" go --how '')" "json text" "all" &&
	check_eq "$(completes "$T/fake" go --how j)" json "what begins with 'j'" && ok

case_begin "completion is silent where it knows nothing"
check_eq "$(completes "$T/no-such-program" rec)" '' "of a program that is not there" &&
	check_eq "$(completes "$O/limpet-probe" no-such-command -)" '' "of an unknown command" &&
	check_eq "$(completes "$O/limpet-probe" record 1)" '' "of an interval" &&
	check_eq "$(completes "$O/limpet-probe" record --host x)" '' "of a name" && ok

# accepts WORD…: whether the daemon's command takes them; --help stops it before it does anything.
accepts() {
	"$O/$daemon" $command "$@" --help >/dev/null 2>"$T/err"
}

for of in limpet-probe:record:PROBE limpet-push:run:PUSH; do
	IFS=: read -r daemon command variable <<<"$of"
	case_begin "the options of the service are options of the program: $daemon"
	tried=0 wrong=
	# As they are, and as the comments propose them.
	sed -n "s/.*LIMPET_${variable}_OPTIONS=\"\(.*\)\"\$/\1/p" "$PACKAGING/$daemon.default" >"$T/defaults"
	while IFS= read -r line; do
		tried=$((tried + 1))
		# shellcheck disable=SC2086
		accepts $line || wrong="$wrong '$line': $(cat "$T/err")"
	done <"$T/defaults"
	line=$(sed -n "s|^ExecStart=/usr/sbin/$daemon $command \(.*\)\$|\1|p" "$PACKAGING/$daemon.service")
	# shellcheck disable=SC2086
	[ -n "$line" ] && accepts $line || wrong="$wrong ExecStart '$line': $(cat "$T/err")"
	accepts --no-such-option && wrong="$wrong: it takes anything"
	check_eq "$wrong" '' "not taken" && check_eq "$([ $tried -ge 2 ] && echo enough)" enough \
		"options found in $daemon.default" && ok
done
