#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A batch is a stream that ends: `limpet watch` of files that grow second by second names the same server as `limpet diagnose` of
# the whole, for the same cause, from and until the same time, and decides in the same interval. What differs stands in
# tests/data/replay.differences with its reason.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

[ -x /usr/bin/python3 ] || all_skip "needs python3 (tools/deps check)"
command -v zstd >/dev/null || all_skip "needs zstd (tools/deps check)"

DIFFERENCES=tests/data/replay.differences
: >"$T/names"

# replay NAME WORDS OPTION…: no difference but those that are listed for NAME; the output has WORDS.
replay() {
	name=$1 words=$2
	shift 2
	echo "$name" >>"$T/names"
	case_begin "$name"
	timeout 300 tools/replay check --known "$DIFFERENCES" "$name" "$@" >"$T/out" 2>"$T/err"
	if [ $? != 0 ] || [ -s "$T/err" ]; then
		fail "tools/replay check $*: $(cat "$T/out" "$T/err")"
	elif ! grep -q "$words" "$T/out"; then
		fail "'$words' is not in: $(cat "$T/out")"
	else
		ok
	fi
}

# simulate KIND NAME OPTION…
simulate() {
	kind=$1 name=$2
	shift 2
	"$O/simulate" "$kind" --seed 1 "$@" "$T/$name" >"$T/made" 2>&1 || echo "# simulate $name: $(cat "$T/made")"
}

# ---- what was recorded on real clusters ----------------------------------------------------------------------
replay disk-hog '^oss-s3 disk-hog .* still so' tests/data/disk-hog/series
replay lock-and-disk '^oss-s5 device-slow .* still so' tests/data/lock-and-disk/series
replay hadoop-hang '^node-flint hung .* still so' tests/data/hadoop-hang/logs
if [ -n "$LIMPET_TEST_DATA" ]; then
	replay hadoop-1.2.1 '^s3 slow .* still so' "$LIMPET_TEST_DATA/hadoop-1.2.1"
else
	case_begin "hadoop-1.2.1"
	skip "needs public data (LIMPET_TEST_DATA)"
fi

# ---- how files grow ------------------------------------------------------------------------------------------
PFS="--servers 5 --clients 5 --seconds 240 --fault-from 60 --fault-seconds 90 --brief"
# shellcheck disable=SC2086
{
	simulate pfs hog $PFS --workload ddw --fault disk-hog --node io04
	simulate pfs loss $PFS --workload ddr --fault receive-packet-loss --node io02
	simulate pfs none $PFS --workload mixed --fault none
}
replay "a new file at midnight, and a pause across it" '^io04 disk-hog .* over ' --midnight 72 --pause io03:68:5 "$T/hog"
replay "a server that comes late, and one that is 3 s behind" '^io02 packet-loss .* over ' --drop io01:0:60 --lag io03:0:3 "$T/loss"
replay "the slow server stops reporting and begins again" '^io02 packet-loss .* over ' --drop io02:100:24 "$T/loss"
replay "no fault, and nobody records for a while" '^.* 0 incidents' --drop '*:100:20' "$T/none"
replay "all come late" "^said: .*: seconds of 'io01' and 4 other servers came more than 5 s late, and do not count" \
	--pause '*:70:14' "$T/hog"

# ---- logs of jobs, alone and beside recordings ---------------------------------------------------------------
HADOOP="--slaves 5 --workload sort --seconds 180 --fault-from 60 --fault-seconds 90 --brief"
# shellcheck disable=SC2086
{
	simulate hadoop jobs $HADOOP --fault none --no-series --logs "$T/jobs/logs"
	simulate hadoop both $HADOOP --fault disk-hog --node slave02 --seed 2 --logs "$T/both/logs"
}
replay "a healthy cluster's jobs" ' incidents' "$T/jobs/logs"
replay "recordings and logs" '^slave02 disk-hog ' "$T/both"

# ---- the replay itself ---------------------------------------------------------------------------------------
case_begin "the differences that are known are those of these replays"
sed '/^#/d; /^$/d; s/ | .*//' "$DIFFERENCES" | sort -u >"$T/listed"
check_eq "$(sort "$T/names" | comm -13 - "$T/listed")" '' "names nobody uses" && ok

case_begin "a difference that is not listed fails, and so does a listed one that is none"
timeout 300 tools/replay check --pause '*:70:14' "$T/hog" >"$T/out" 2>&1
unlisted=$?
echo "hang | node-flint incidents: watch 2, diagnose 1 | it is not so" >"$T/known"
timeout 300 tools/replay check --known "$T/known" hang tests/data/hadoop-hang/logs >"$T/out2" 2>&1
check_eq "$unlisted $? $(grep -c '^DIFFERS: seconds left out: watch 30, diagnose 0' "$T/out") $(grep -c '^NO MORE: ' "$T/out2")" \
	"1 1 1 1" "statuses and lines ($(cat "$T/out" "$T/out2"))" && ok

case_begin "two replays print the same events, byte for byte"
for i in 1 2; do
	timeout 300 tools/replay events tests/data/hadoop-hang/logs >"$T/events$i" 2>"$T/err$i"
done
check_eq "$(grep -c '"change":"opened","server":"node-flint","cause":"hung"' "$T/events1") $(cmp "$T/events1" "$T/events2")" "1 " \
	"lines, difference ($(cat "$T/err1" "$T/err2"))" && ok

case_begin "what cannot be replayed is said"
mkdir "$T/empty"
tools/replay check "$T/empty" >"$T/out" 2>&1
check_eq "$? $(cat "$T/out")" "1 replay: neither recordings nor logs are there" "status, message" && ok
