#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# A disk that goes away while it is recorded, and comes back.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup
loop_new 8M || all_skip "no loop device (modprobe loop)"
stays=$loop
loop_new 8M || all_skip "no loop device (modprobe loop)"
loop_release

away() { [ "$(cat "/sys/block/$loop/size")" = 0 ]; }
back() { losetup "/dev/$loop" "$T/$loop.file" 2>/dev/null; }
said() { grep -q "$1" "$T/two.err"; }
sum() { probe_sum two ".disk.$1[\"r/s\"]" "${2:-0}"; }

mkdir "$T/out"
# Nobody may hold the one that is to go.
probe_start two --disk "$loop" --disk "$stays" -o "$T/out"
probe_wait two 1
read_direct "$loop" 4096 5
read_direct "$stays" 4096 3
probe_settle two
losetup -d "/dev/$loop"
eventually away
case_begin "a disk that goes is named in a message, and the rest goes on"
eventually said "disk '$loop' has gone"
gone_at=$(probe_lines two)
read_direct "$stays" 4096 7
probe_settle two
check_eq "$(sum "$loop") $(sum "$stays")" "5 10" "reads of both" &&
	check_eq "$(jq -rs ".[-1].disk | [.$loop, .$stays] | map(.[\"r/s\"] == null) | tojson" \
		"$T/two.jsonl")" "[true,false]" "null for the one that is away" && ok

case_begin "it is followed when it comes back"
eventually back
eventually said "disk '$loop' is back"
probe_settle two
back_at=$(probe_lines two)
read_direct "$loop" 4096 11
probe_settle two
check_eq "$(sum "$loop" "$back_at") $(sum "$loop") $(sum "$stays" "$gone_at")" "11 16 7" "reads" && ok

case_begin "status 1 and a message when it is away at the end"
losetup -d "/dev/$loop"
eventually away
probe_settle two
probe_stop two TERM
check_eq "$status" 1 "status" && {
	if said "disk '$loop' had gone when the recording ended"; then ok; else
		fail "$(cat "$T/two.err")"
	fi
}
case_begin "all seconds of both disks are in the file"
check_eq "$(series_seqs "$T"/out/*.limpet | wc -l) $(for d in "$stays" "$loop"; do
	series_sum disk "$d" '.["r/s"]' "$T"/out/*.limpet
done | sort -n | tr '\n' ' ')" "$(probe_lines two) 10 16 " "seconds, reads of both" && ok

case_begin "status 0 when it has come back before the end"
eventually back
probe_start one --disk "$loop" --disk "$stays"
probe_wait one 1
losetup -d "/dev/$loop"
eventually grep -q "has gone" "$T/one.err"
eventually back
eventually grep -q "is back" "$T/one.err"
probe_stop one
check_eq "$status" 0 "status" && ok
