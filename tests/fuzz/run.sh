#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every fuzz target over its corpus, and a fixed number of inputs made from it with a fixed seed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/fuzz/lib.sh
. "$(dirname "$0")/lib.sh"

has_libfuzzer "$T" || all_skip "clang has no libFuzzer here (Debian: clang, libclang-rt-dev)"
export O TMPDIR="$T"
if [ -w /dev/shm ] && [ -z "${LIMPET_FUZZ_DISK:-}" ]; then
	TMPDIR=$(mktemp -d /dev/shm/limpet-fuzz.XXXXXX) && at_exit "rm -rf '$TMPDIR'"
fi

case_begin "the fuzz targets are built"
if make --no-print-directory -j"$(nproc)" O="$O" fuzzers >"$T/make" 2>&1; then ok; else
	fail "$(tail -n 20 "$T/make")"
	exit 1
fi

case_begin "the corpus is made"
if mkdir "$T/corpus" "$T/new" && "$F/corpus/make-corpus" "$T/corpus" >"$T/make" 2>&1; then ok; else
	fail "$(tail -n 20 "$T/make")"
	exit 1
fi

said() {
	grep -E 'broken|last message|runtime error|ERROR|SUMMARY|Test unit|DONE' "$T/log" | head -n 20
}

for t in $targets; do
	good=$(find "$T/corpus/$t" -name 'good-*')
	if [ -n "$good" ]; then
		case_begin "fuzz_$t: what the corpus has of good inputs is taken"
		status=0
		for input in $good; do
			FUZZ_TAKEN=1 fuzz "$t" "$input" >"$T/log" 2>&1 || { status=1; break; }
		done
		if [ $status = 0 ]; then ok; else fail "$(basename "$input"): $(said)"; fi
	fi
	case_begin "fuzz_$t: the corpus, and $(runs_of "$t") inputs made from it"
	mkdir "$T/new/$t"
	if fuzz "$t" "$T/new/$t" -seed=1 -runs="$(runs_of "$t")" \
		-artifact_prefix="$T/new/" "$T/corpus/$t" >"$T/log" 2>&1
	then ok; else fail "$(said)
$(for input in "$T"/new/*-*; do [ ! -f "$input" ] || { echo "base64 of $input:"; base64 "$input" | head -c 20000; }; done)"; fi
done
