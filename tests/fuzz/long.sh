#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# long.sh [SECONDS [TARGET…]]: every fuzz target, or these, for so long each ($FUZZ_SECONDS, or 60),
# begun from its corpus and from what earlier runs have found, which is kept in $O/fuzz/found (and an
# input that breaks something in $O/fuzz/broken). Status 1: something is broken. For `make fuzz`.
# long: minutes, and each time other inputs; run.sh has a fixed number of them
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/fuzz/lib.sh
. "$(dirname "$0")/lib.sh"

seconds=${1:-${FUZZ_SECONDS:-60}}
[ $# -eq 0 ] || shift
has_libfuzzer "$T" || all_skip "clang has no libFuzzer here (Debian: clang, libclang-rt-dev)"
make --no-print-directory -j"$(nproc)" O="$O" fuzzers "$O/tests/make_series" "$O/replay/grow" >"$T/make" 2>&1 || {
	tail -n 20 "$T/make"
	exit 1
}
export O TMPDIR="$T"
mkdir "$T/corpus"
"$F/corpus/make-corpus" "$T/corpus" || exit 1
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $targets
for t; do
	found=$O/fuzz/found/$t
	mkdir -p "$found" "$O/fuzz/broken"
	case_begin "fuzz_$t: $seconds s from all that is known"
	if fuzz "$t" "$found" -max_total_time="$seconds" -artifact_prefix="$O/fuzz/broken/$t-" \
		"$T/corpus/$t" >"$O/fuzz/$t.log" 2>&1
	then
		ok
		awk '/DONE  *cov:/ { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1); n = $1 }
			END { sub("#", "", n); printf "# %s inputs, %s edges covered\n", n, cov }' "$O/fuzz/$t.log"
	else
		fail "see $O/fuzz/$t.log:
$(grep -E 'broken|last message|runtime error|ERROR|^ +#[0-9]|Test unit' "$O/fuzz/$t.log" | tail -n 30)
$(input=$(sed -n 's/.*Test unit written to //p' "$O/fuzz/$t.log"); [ ! -f "$input" ] || { echo "base64 of it:"; base64 "$input" | head -c 20000; })"
	fi
done
