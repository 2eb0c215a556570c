#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The man pages, the shell completion and the service tell what the programs have: every option with
# its letter and placeholder, every metric; nothing missing, nothing that is not there.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

PACKAGING=tools/packaging

# The options of a program, one a line: "record: -o, --output DIR".
options_of() { # PROGRAM
	"$O/$1" --dump-options | while read -r command letter name placeholder _; do
		[ "$letter" = - ] && letter='' || letter="$letter, "
		[ "$placeholder" = - ] && placeholder='' || placeholder=" $placeholder"
		echo "$command: $letter$name$placeholder"
	done | sort
}

# Of the pages of a program: "COMMAND: PAGE OPTION", the line after .TP for the commands that the heading names; without
# a heading it is the page's own command. Under the heading "Described elsewhere" each option that another page has of
# the page's command: "elsewhere COMMAND: PAGE --OPTION".
documented_in() { # PROGRAM PAGE…
	local program=$1
	shift
	awk -v program="$program" -v commands="$("$O/$program" --dump-options | cut -d ' ' -f 1 | sort -u | tr '\n' ' ')" '
		BEGIN { n = split(commands, command, " ") }
		FNR == 1 {
			page = FILENAME
			sub(".*/", "", page)
			own = page
			sub("[.][1-9]$", "", own)
			page = own "(" substr(page, length(own) + 2) ")"
			sub(program "-?", "", own)
			heading = " " own " "
			on = option = elsewhere = 0
		}
		/^\.SH / { on = $2 == "OPTIONS" }
		/^\.SS / {
			heading = " " substr($0, 5) " "
			gsub(",", " ", heading)
			elsewhere = heading == " Described elsewhere "
		}
		{ line = $0; gsub(/\\f[BIRP]/, "", line); gsub(/\\-/, "-", line) }
		on && option && elsewhere { there = $2 $3 }
		on && !option && elsewhere {
			for (i = split(line, word, /[ ",]+/); i; i--)
				if (word[i] ~ /^--[a-z]/) print "elsewhere " own ": " there " " word[i]
		}
		on && option && !elsewhere {
			for (i = 1; i <= n; i++)
				if (heading == " Every command " || index(heading, " " command[i] " "))
					print command[i] ": " page " " line
		}
		{ option = $0 == ".TP" }' "$@"
}

# The lines of $T/documented without their pages, as options_of has them.
without_pages() {
	grep -v ^elsewhere "$T/documented" | sed 's/: [^ ]* /: /' | sort
}

for of in "limpet-probe userspace/limpet-probe.8" "limpet-push userspace/limpet-push.8" \
	"limpet $(echo analyzer/man/limpet.1 analyzer/man/limpet-*.[1-9])"; do
	read -r program first rest <<<"$of"
	# shellcheck disable=SC2086
	set -- $first $rest

	case_begin "the pages of $program have its options, each on one page, all and no others"
	options_of "$program" >"$T/program"
	documented_in "$program" "$@" >"$T/documented"
	without_pages >"$T/page"
	if [ "$(wc -l <"$T/program")" -lt 10 ]; then
		fail "$program tells hardly any options: $(cat "$T/program")"
	elif difference=$(diff "$T/program" "$T/page"); then
		ok
	else
		fail "program (<) and pages (>) differ:" "$difference"
	fi

	case_begin "--help of $program tells what --dump-options does"
	"$O/$program" --dump-options | cut -d ' ' -f 1,3 | sort >"$T/dump"
	for command in $(cut -d ' ' -f 1 "$T/dump" | uniq); do
		"$O/$program" "$command" --help |
			sed -n "s/^  \(-., \|    \)\(--[a-z-]*\).*/$command \2/p"
	done | sort >"$T/help"
	check_eq "$(diff "$T/dump" "$T/help")" '' "differences" && ok

	case_begin "$first names every command in COMMANDS"
	awk '/^\.SH /{ on = $2 == "COMMANDS" } on && /^\.B / { print $2 }' "$first" | sort >"$T/page"
	missing=$("$O/$program" --dump-options | cut -d ' ' -f 1 | sort -u | comm -23 - "$T/page")
	check_eq "$missing" '' "commands not in the page" && ok

	case_begin "the pages of $program are without warnings (man)"
	if command -v man >/dev/null && command -v groff >/dev/null; then
		: >"$T/warnings"
		for page; do
			man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>>"$T/warnings" >/dev/null ||
				echo "$page: status $?" >>"$T/warnings"
		done
		check_eq "$(cat "$T/warnings")" '' "warnings" && ok
	else
		skip "man is not installed (tools/deps deb)"
	fi

	case_begin "the pages of $program are without findings (mandoc)"
	if command -v mandoc >/dev/null; then
		findings=$(mandoc -T lint "$@") && check_eq "$findings" '' "findings" && ok
	else
		skip "mandoc is not installed (tools/deps ci)"
	fi

	case_begin "the sources of the pages of $program have lines of 80 bytes at most, but for lists of names"
	check_eq "$(LC_ALL=C awk 'length($0) > 80 && !/^\.B / { print FILENAME ": " FNR }' "$@")" '' "longer lines" && ok
done

# $T/documented is limpet's now.
case_begin "each command of limpet has a page, which limpet.1 and the page itself name"
for command in $("$O/limpet" --dump-options | cut -d ' ' -f 1 | sort -u); do
	page=analyzer/man/limpet-$command.1
	[ -e "$page" ] || echo "$page is not there"
	grep -q "^limpet-$command \\\\- " "$page" || echo "$page: its name"
	grep -q "^\.B limpet $command" "$page" || echo "$page: its synopsis"
	awk -v command="$command" '/^\.SH /{ on = $2 == "COMMANDS" } on && /^\.B / { of = $2 }
		on && of == command && $0 == ".BR limpet-" command " (1)." { found = 1 }
		END { exit !found }' analyzer/man/limpet.1 || echo "limpet.1, COMMANDS: $command"
done >"$T/wrong" 2>&1
check_eq "$(cat "$T/wrong")" '' "wrong" && ok

case_begin "the page of a command names the page of each option that is described elsewhere"
sed -n 's/^elsewhere //p' "$T/documented" | sort >"$T/named"
grep -v ^elsewhere "$T/documented" | awk '{
	command = substr($1, 1, length($1) - 1)
	name = $3 ~ /^--/ ? $3 : $4
	if ($2 != "limpet-" command "(1)") print $1, $2, name
}' | sort >"$T/others"
check_eq "$(diff "$T/others" "$T/named")" '' "described (<) and named (>)" &&
	check_eq "$([ "$(wc -l <"$T/named")" -gt 50 ] && echo many)" many "options described elsewhere" && ok

# The text of a page in one line, references as limpet-watch(1).
text_of() { # PAGE
	grep -v '^\.\\"' "$1" | sed 's/\\f[BIRP]//g; s/\\-/-/g; s/^\.[A-Z]* //; s/"//g' | tr '\n' ' ' |
		sed 's/ (\([1-9]\))/(\1)/g; s/  */ /g'
}

# "PAGE" or "PAGE, SECTION", of what is read.
references() {
	grep -oE 'limpet(-[a-z]+)?\([1-9]\)(, [A-Z]{2,}( [A-Z]+)*\b)?' | sort -u
}

case_begin "pages and sections that pages and documents refer to are there"
for page in userspace/*.8 analyzer/man/*.[1-9]; do
	name=${page##*/}
	echo "${name%.*}(${name##*.})"
	sed -n "s/^\.SH \(.*\)/${name%.*}(${name##*.}), \1/p" "$page"
done | sort -u >"$T/there"
for page in userspace/*.8 analyzer/man/*.[1-9]; do text_of "$page" | references; done >"$T/refer"
tr '\n' ' ' <README.md | references >>"$T/refer"
tr '\n' ' ' <tools/HACKING.md | references >>"$T/refer"
# Words in capitals may follow that are no heading: "limpet(1), JSON of ...".
sort -u "$T/refer" | comm -23 - "$T/there" >"$T/missing"
check_eq "$(cat "$T/missing")" '' "not there" &&
	check_eq "$([ "$(wc -l <"$T/refer")" -gt 40 ] && echo many)" many "references" && ok

# ---- help and version ----

# A man that has the pages which $T/pages names, and tells what it shows.
mkdir "$T/bin" "$T/none"
cat >"$T/bin/man" <<'EOF'
#!/bin/sh
[ "$1" = -w ] && find=$1 && shift
grep -qx -- "$1" "${0%/bin/man}/pages" || { echo "No manual entry for $1" >&2; exit 16; }
[ -n "$find" ] && echo "/usr/share/man/$1" || echo "the page $1"
EOF
chmod 755 "$T/bin/man"
O_PATH=$(realpath "$O")
with_man() { # PROGRAM WORD…
	local program=$1
	shift
	PATH=$T/bin:$PATH "$O_PATH/$program" "$@" 2>&1
}

case_begin "help and help COMMAND show the man page"
printf '%s\n' limpet limpet-diagnose limpet-push >"$T/pages"
check_eq "$(with_man limpet help)" "the page limpet" "help" &&
	check_eq "$(with_man limpet help diagnose)" "the page limpet-diagnose" "help diagnose" &&
	check_eq "$(with_man limpet-push help)" "the page limpet-push" "help of limpet-push" && ok

case_begin "without the page, or without man, they print what --help prints"
check_eq "$(with_man limpet help watch)" "$("$O/limpet" watch --help)" "help watch, no page" &&
	check_eq "$(with_man limpet-probe help)" "$("$O/limpet-probe" --help)" "help of limpet-probe, no page" &&
	check_eq "$(PATH=$T/none "$O_PATH/limpet" help diagnose 2>&1)" "$("$O/limpet" diagnose --help)" "no man" &&
	check_eq "$(PATH=$T/none "$O_PATH/limpet" help 2>&1)" "$("$O/limpet" --help)" "no man, no command" && ok

case_begin "COMMAND --help, --help and help of no command ask no man"
check_eq "$(with_man limpet diagnose --help)" "$("$O/limpet" diagnose --help)" "diagnose --help" &&
	check_eq "$(with_man limpet --help | head -n 1)" "$("$O/limpet" --help | head -n 1)" "--help" &&
	check_eq "$(with_man limpet help nosuch; echo $?)" "limpet: 'nosuch' is not a command (see 'limpet --help')
2" "help nosuch" &&
	check_eq "$(with_man limpet help watch --once; echo $?)" \
		"limpet: '--once': nothing may follow the command here (see 'limpet --help')
2" "more words" && ok

case_begin "the man of this system finds the page of a command"
if command -v man >/dev/null && command -v groff >/dev/null; then
	mkdir -p "$T/man/man1"
	cp analyzer/man/*.1 "$T/man/man1/"
	check_eq "$(MANPATH=$T/man "$O/limpet" help stat 2>&1 | wc -l)" 1 "lines of no command" &&
		check_eq "$(MANPATH=$T/man "$O/limpet" help flow 2>&1 | grep -c '^LIMPET-FLOW(1)')" 1 "heading" && ok
else
	skip "man is not installed (tools/deps deb)"
fi

case_begin "version prints what --version prints"
for program in limpet limpet-probe limpet-push; do
	check_eq "$("$O/$program" version)" "$("$O/$program" --version)" "$program" || break
done && ok

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
check_eq "$(completes "$O/limpet-probe" '')" "--help --version check help record version" commands &&
	check_eq "$(completes "$O/limpet-probe" rec)" record "what begins with 'rec'" &&
	check_eq "$(completes "$O/limpet" help d)" diagnose "after help" && ok

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

for of in limpet-probe:record:PROBE:limpet-probe limpet-push:run:PUSH:limpet-push limpet-push:progress:PROGRESS:limpet-progress; do
	IFS=: read -r daemon command variable service <<<"$of"
	case_begin "the options of the service are options of the program: $service"
	tried=0 wrong=
	# As they are, and as the comments propose them.
	sed -n "s/.*LIMPET_${variable}_OPTIONS=\"\(.*\)\"\$/\1/p" "$PACKAGING/$service.default" >"$T/defaults"
	while IFS= read -r line; do
		tried=$((tried + 1))
		# shellcheck disable=SC2086
		accepts $line || wrong="$wrong '$line': $(cat "$T/err")"
	done <"$T/defaults"
	line=$(sed -n "s|^ExecStart=/usr/sbin/$daemon $command \(.*\)\$|\1|p" "$PACKAGING/$service.service")
	# shellcheck disable=SC2086
	[ -n "$line" ] && accepts $line || wrong="$wrong ExecStart '$line': $(cat "$T/err")"
	accepts --no-such-option && wrong="$wrong: it takes anything"
	check_eq "$wrong" '' "not taken" && check_eq "$([ $tried -ge 2 ] && echo enough)" enough \
		"options found in $service.default" && ok
done
