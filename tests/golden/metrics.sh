#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091
# userspace/METRICS.md has every metric of the table in metrics.h, under its family, with its unit and
# its source, and no other; and a row for every difference that is measured.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
DOC=userspace/METRICS.md

# "family name unit", from the table of macros.
tr -d '\\\n\t' <userspace/metrics/metrics.h | sed 's/X(\([A-Z0-9_]*, "\)/\n&/g' |
	sed -n 's/^X([A-Z0-9_]*, *"\([^"]*\)", *\([A-Z]*\), *"\([^"]*\)".*"\([^"]*\)").*/\2 | \1 | \3 | \4/p' |
	sed 's/^[A-Z]*/\L&/' | sort >"$T/table"
# The same from the tables of the document: below a heading with the family's name.
awk -F ' *[|] *' '/^## / { family = substr($0, 4) }
	/^\| `/ { gsub("`", "", $2); print family " | " $2 " | " $3 " | " $5 }' $DOC | sort >"$T/document"

case_begin "the metric table can be read"
if [ "$(wc -l <"$T/table")" -gt 90 ] && [ "$(cut -d' ' -f1 "$T/table" | uniq | wc -l)" -ge 6 ]; then ok; else
	fail "$(wc -l <"$T/table") metrics found in userspace/metrics/metrics.h"
fi
case_begin "METRICS.md has each metric once, with its family, unit and source, and no other"
if diff "$T/table" "$T/document" >"$T/diff"; then ok; else fail "$(cat "$T/diff")"; fi
case_begin "every row of METRICS.md says what the metric means and where it comes from"
if awk -F '|' '/^\| `/ && NF != 10' $DOC | grep . || awk -F ' *[|] *' '/^\| `/ && ($4 == "" || $6 == "")' $DOC |
	grep .; then
	fail "rows without"
else
	ok
fi
case_begin "what is measured there is of metrics there are"
# shellcheck disable=SC2016
unknown=$(awk -F ' *[|] *' '/^## Measured/ { on = 1 } /^## Known/ { on = 0 }
	on && NF == 9 && $2 != "metric" && $2 !~ /^-/ { print $2 }' $DOC | sort |
	comm -23 - "$(cut -d'|' -f2 "$T/table" | tr -d ' ' | sort -u >"$T/names" && echo "$T/names")")
check_eq "$unknown" "" "not in the table" && ok
