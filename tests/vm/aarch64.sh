#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2034
# limpet for 64-bit ARM: everything is built, the kernel side too, and the unit tests run emulated.
# hardship: everything is built once more, and its unit tests run emulated
# alone: it builds with all processors
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

case_begin "both programs are built for arm64"
O=$O/arm64 tools/cross-arm64 check >"$T/log" 2>&1
status=$?
if [ $status -eq 77 ]; then
	skip "$(sed -n 's/^SKIP //p' "$T/log" | tail -n 1)"
elif grep -q '^built' "$T/log"; then
	ok
	sed -n 's/^passed /ok - arm64 /p; s/^FAILED /not ok - arm64 /p
		s/^left out/# &/p' "$T/log"
else
	sed 's/^/# /' "$T/log"
	fail "status $status"
fi
grep -q '^FAILED' "$T/log" && lib_failed=1
case_begin "what is for arm64 runs emulated to the end"
if [ $status -eq 77 ]; then skip "see above"; elif check_eq $status 0 "status"; then ok; fi
