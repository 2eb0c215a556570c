#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# The machine is suspended to memory while the probe records, and woken by its clock.
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
. tests/vm/guest/bracket.sh
need_kernel losetup
loop_new 8M || all_skip "no loop device (modprobe loop)"
alarm=/sys/class/rtc/rtc0/wakealarm
grep -qw mem /sys/power/state 2>/dev/null && [ -w $alarm ] || all_skip "cannot be suspended and woken"
MODES="tp_btf raw_tp"

bracket_first_part
for mode in $MODES; do eval "mark_$mode=$(probe_lines $mode)"; done
case_begin "the machine sleeps and wakes up while probes record"
echo 0 >$alarm
if echo +5 >$alarm && echo mem >/sys/power/state; then ok; else fail; fi
read_direct "$loop" 4096 5
churn
bracket_end
for mode in $MODES; do
	eval "mark=\$mark_$mode"
	case_begin "$mode: reads before and after are exact"
	check_eq "$(reads $mode 0 $mark) $(reads $mode $mark)" "3 5" "reads" && ok
	case_begin "$mode: context switches and page faults go on"
	bracketed $mode ctxt cswch/s && bracketed $mode pgfault fault/s && ok
	case_begin "$mode: the seconds are in order, and shares are shares"
	check_eq "$(probe_jq $mode '([.[].seq] | . == [range(.[0]; .[0] + length)]) and
		([.[].interval_s] | min > 0) and ([.[].system | .["%user", "%system", "%iowait"] |
		. == null or (. >= 0 and . <= 100.0001)] | all)')" true "order and shares" && ok
done
