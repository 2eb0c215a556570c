#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every source says its licence, and it is the one that debian/copyright and LICENSE give.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

copyright=tools/packaging/debian/copyright

# Sources and scripts, with the licence their first lines name: "PATH: EXPRESSION".
licences() {
	find . \( -name .git -o -name .output \) -prune -o -type f -print | sort | while read -r file; do
		case $file in
		*.[ch] | *.py) ;;
		*) head -c 2 "$file" | grep -qa '#!' || continue ;;
		esac
		echo "${file#./}: $(head -n 3 "$file" |
			sed -n 's/.*SPDX-License-Identifier: *//p' | sed 's: *\*/$::')"
	done
}

licences >"$T/licences"

# BPF programs are the kernel's side wherever they are.
kernel_side='^(bpf|vmlinux)/|^[^:]*\.bpf\.[ch]:'

case_begin "the kernel side is BSD-2-Clause OR GPL-2.0-only"
wrong=$(grep -E "$kernel_side" "$T/licences" | grep -v ': BSD-2-Clause OR GPL-2.0-only$')
check_eq "$wrong" '' "other licences" &&
	check_eq "$([ "$(grep -c ^bpf/ "$T/licences")" -gt 3 ] && echo some)" some "files" && ok

case_begin "all else is BSD-2-Clause"
wrong=$(grep -vE "$kernel_side" "$T/licences" | grep -v ': BSD-2-Clause$')
check_eq "$wrong" '' "other licences" &&
	check_eq "$([ "$(wc -l <"$T/licences")" -gt 50 ] && echo many)" many "files" && ok

case_begin "debian/copyright says the same of the folders"
awk '/^Files: /{ files = substr($0, 8) } /^License: / && files { print files ": " substr($0, 10)
	files = "" }' $copyright >"$T/folders"
check_eq "$(cat "$T/folders")" "*: BSD-2-Clause
tests/data/darshan/*: Darshan
bpf/* vmlinux/* *.bpf.c *.bpf.h: BSD-2-Clause or GPL-2.0-only" "copyright" && ok

# Words alone, from "Redistribution" to the end of the paragraphs.
words() { sed -n '/^ *Redistribution and use/,/^License:/p' "$1" | grep -v ^License: |
	sed 's/^ \.$//' | tr -s ' \n' '\n' | sed '/^$/d'; }

case_begin "debian/copyright has the words of LICENSE"
words $copyright >"$T/copyright"
words LICENSE >"$T/licence"
check_eq "$(diff "$T/copyright" "$T/licence")" '' "differences" &&
	check_eq "$([ "$(wc -l <"$T/licence")" -gt 100 ] && echo many)" many "words" && ok
