#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The alerting rules for Prometheus: a real promtool takes them, and they fire and end as tests/data/limpet.rules.test.yml says.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1

RULES=tools/packaging/limpet.rules.yml
command -v promtool >/dev/null || all_skip "needs promtool (tools/deps check)"
cp $RULES "$T/all.yml"
cp $RULES tests/data/limpet.rules.test.yml "$T" || exit 1

case_begin "promtool finds no error in the rules"
if promtool check rules "$T/limpet.rules.yml" >"$T/out" 2>&1; then ok; else fail "$(cat "$T/out")"; fi

case_begin "each rule fires when it should, and only then"
if (cd "$T" && promtool test rules limpet.rules.test.yml) >"$T/out" 2>&1; then ok; else fail "$(cat "$T/out")"; fi

case_begin "each rule has a test that notices its absence"
unnoticed=
names=$(sed -n 's/^  - alert: //p' $RULES)
for name in $names; do
	sed "s/alert: $name\$/alert: Other/" "$T/all.yml" >"$T/limpet.rules.yml"
	(cd "$T" && promtool test rules limpet.rules.test.yml) >"$T/out" 2>&1 && unnoticed="$unnoticed $name"
done
check_eq "$(echo "$names" | wc -l)$unnoticed" 5 "rules, and those without a test" && ok

case_begin "the rules ask for metrics that limpet has"
grep 'expr:' $RULES | grep -o 'limpet_[a-z_]*' | sort -u >"$T/asked"
sed -n 's/^| `\(limpet_[a-z_]*\)`.*/\1/p' userspace/METRICS.md | sort -u >"$T/has"
unknown=$(comm -23 "$T/asked" "$T/has")
check_eq "$(wc -l <"$T/asked")$unknown" 4 "metrics, and those that are not in METRICS.md" && ok
