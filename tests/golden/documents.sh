#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Documents lead where they say: links between them, headings in links, and the programs and folders
# that are named like files of the tree.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

documents() {
	find . \( -name .git -o -name .output \) -prune -o \( -name '*.md' -o -name '*.md.in' \) -print
}

case_begin "links lead to files that there are"
documents | while read -r file; do
	grep -o '](\([^)]*\))' "$file" | sed 's/^](//; s/)$//' | grep -v '^https\?:' | while read -r link; do
		path=${link%%#*}
		[ -z "$path" ] || [ -e "$(dirname "$file")/$path" ] || echo "$file: $link"
		case $link in
		*#*)
			[ -n "$path" ] && target=$(dirname "$file")/$path || target=$file
			sed -n 's/^##* //p' "$target" | tr '[:upper:]' '[:lower:]' | sed "s/[^a-z0-9 -]//g; s/ /-/g" |
				grep -qx -- "${link#*#}" || echo "$file: $link: no such heading"
			;;
		esac
	done
done >"$T/broken"
check_eq "$(cat "$T/broken")" "" "broken links" &&
	check_eq "$([ "$(documents | wc -l)" -gt 4 ] && echo several)" several "documents" && ok

# `engine/track.h` in analyzer/METHOD.md is analyzer/engine/track.h; `tools/x --y` is tools/x.
case_begin "files that documents name are in the tree"
documents | while read -r file; do
	grep -o '`[A-Za-z_.][A-Za-z0-9_.-]*/[A-Za-z0-9_./-]*[ `]' "$file" | tr -d '` ' | sort -u | while read -r path; do
		case $path in *//* | tests/run | *.limpet) continue ;; esac
		case ${path%%/*} in
		analyzer | bpf | tests | tools | userspace | vmlinux) from=. ;;
		unit | golden | kernel | cluster | vm | numeric | fuzz | package) from=tests ;;
		*)
			from=$(dirname "$file")
			# a folder that is not there is another system's, but not one with our sources in it
			[ -d "$from/${path%%/*}" ] || case $path in *.[ch]) ;; *) continue ;; esac
			;;
		esac
		for name in "$from/$path" "$from/$path".[ch] "$from/$path".sh; do
			[ ! -e "$name" ] || continue 2
		done
		echo "$file: $path"
	done
done >"$T/missing"
check_eq "$(cat "$T/missing")" "" "files that are not there" && ok

case_begin "documents are no longer than their reader's patience"
while read -r file most; do
	[ "$(wc -w <"$file")" -le "$most" ] || echo "$file has $(wc -w <"$file") words, and $most are enough"
done >"$T/long" <<'END'
README.md 1300
analyzer/METHOD.md 6500
END
check_eq "$(cat "$T/long")" "" "too long" && ok

case_begin "every key of a verdict in JSON is in limpet-json(5), KEYS"
if ! command -v jq >/dev/null; then
	skip "no jq (tools/deps check)"
	exit
fi
"$O/limpet" show --csv tests/data/disk-hog/series >"$T/table.csv" 2>/dev/null
sed -n '/^\.SH KEYS/,/^\.SH [^K]/p' analyzer/man/limpet-json.5 | tr -cs 'a-z0-9_' '\n' | sort -u >"$T/told"
for options in tests/data/disk-hog/series "--method ratio tests/data/disk-hog/series" \
	"--instance instance $T/table.csv"; do
	# shellcheck disable=SC2086
	"$O/limpet" diagnose --json --explain $options | jq -r 'del(.facts) | [paths | .[] | strings] | unique[]'
done | sort -u >"$T/keys"
check_eq "$(comm -23 "$T/keys" "$T/told")" "" "keys without a word" &&
	check_eq "$([ "$(wc -l <"$T/keys")" -gt 50 ] && echo many)" many "keys" && ok
