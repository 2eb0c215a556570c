#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2016
# userspace/METRICS.md is what tools/metrics makes of it and the metric table, each row of which is
# complete; and what is measured there is of metrics that there are.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
DOC=userspace/METRICS.md

"$O/limpet-probe" --dump-metrics >"$T/table"
case_begin "the metric table has every family and says of each metric what it is and where it comes from"
awk -F ' *[|] *' '/^## / { families++ } /^\| `/ { rows++ }
	/^\|/ && NF != 10 || /^\| `/ && ($3 == "" || $4 == "" || $5 == "" || $6 == "") { print }
	END { if (families < 6 || rows < 100) print families " families, " rows " metrics" }' "$T/table" >"$T/lacking"
if [ -s "$T/lacking" ]; then fail "$(cat "$T/lacking")"; else ok; fi

case_begin "METRICS.md is what tools/metrics makes"
if ! tools/metrics --print >"$T/made" 2>&1; then fail "$(tail -n 1 "$T/made")"
elif diff $DOC "$T/made" >"$T/diff"; then ok; else fail "run tools/metrics: $(cat "$T/diff")"; fi

case_begin "what is measured there is of metrics there are"
sed -n 's/^| `\([^`]*\)`.*/\1/p' "$T/table" | sort -u >"$T/names"
unknown=$(awk -F ' *[|] *' '/^## Measured/ { on = 1 } /^## Known/ { on = 0 }
	on && NF == 9 && $2 != "metric" && $2 !~ /^-/ { print $2 }' $DOC | sort |
	comm -23 - "$T/names")
check_eq "$unknown" "" "not in the table" && ok
