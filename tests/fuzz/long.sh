#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# long.sh [SECONDS [TARGET…]]: every fuzz target, or these, for so long each, begun from its corpus
# and from what earlier runs have found, which is kept in $O/fuzz/found (and an input that breaks
# something in $O/fuzz/broken). Status 1: something is broken. It is no test: `make fuzz` runs it.
set -u
O=${O:-.output}
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/fuzz/lib.sh
. tests/fuzz/lib.sh

seconds=${1:-60}
[ $# -eq 0 ] || shift
T=$(mktemp -d "${TMPDIR:-/tmp}/limpet-fuzz.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM HUP
export O TMPDIR="$T"
"$F/corpus/make-corpus" "$T" || exit 1
status=0
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $targets
for t; do
	found=$O/fuzz/found/$t
	mkdir -p "$found" "$O/fuzz/broken"
	printf '%-8s ' "$t"
	if fuzz "$t" "$found" -max_total_time="$seconds" -artifact_prefix="$O/fuzz/broken/$t-" \
		"$T/$t" >"$O/fuzz/$t.log" 2>&1
	then
		awk '/DONE  *cov:/ { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1); n = $1 }
			END { sub("#", "", n); printf "%s inputs, %s edges covered\n", n, cov }' "$O/fuzz/$t.log"
	else
		echo "BROKEN, see $O/fuzz/$t.log"
		grep -E 'broken|last message|runtime error|ERROR|Test unit' "$O/fuzz/$t.log"
		status=1
	fi
done
exit $status
