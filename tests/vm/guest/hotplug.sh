#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# A processor is taken away while the probe records, and given back.
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
. tests/vm/guest/bracket.sh
need_kernel losetup taskset
loop_new 8M || all_skip "no loop device (modprobe loop)"
online=/sys/devices/system/cpu/cpu1/online
[ -w $online ] || all_skip "the second processor cannot be taken away"
at_exit "echo 1 >$online"
MODES="tp_btf raw_tp"

bracket_first_part
for mode in $MODES; do eval "with_$mode=$(probe_lines $mode)"; done
case_begin "the second processor goes while probes record"
if echo 0 >$online; then ok; else fail; fi
read_direct "$loop" 4096 5
churn
probe_settle $MODES
for mode in $MODES; do eval "without_$mode=$(probe_lines $mode)"; done
case_begin "and comes back"
if echo 1 >$online; then ok; else fail; fi
read_direct "$loop" 4096 7
churn
bracket_end
for mode in $MODES; do
	eval "with=\$with_$mode without=\$without_$mode"
	case_begin "$mode: reads with two processors, with one, with two again are exact"
	check_eq "$(reads $mode 0 $with) $(reads $mode $with $without) $(reads $mode $without)" "3 5 7" \
		"reads" && ok
	case_begin "$mode: context switches neither jump nor vanish with the processor"
	bracketed $mode ctxt cswch/s && ok
	case_begin "$mode: page faults neither jump nor vanish with the processor"
	bracketed $mode pgfault fault/s && ok
	case_begin "$mode: the processors' times stay shares of all time"
	check_eq "$(probe_jq $mode '[.[].system | [.["%user"], .["%nice"], .["%system"], .["%iowait"],
		.["%steal"], .["%idle"]] | map(. // 0) | all(. >= 0 and . <= 100.0001) and
		add <= 100.01] | all')" true "shares in 0..100" && ok ||
		probe_show $mode '.system | [.["%user"], .["%system"], .["%iowait"], .["%idle"]]'
	case_begin "$mode: the run queue stays a small number"
	check_eq "$(probe_jq $mode '[.[].system["runq-sz"] | . >= 0 and . < 100] | all')" true \
		"runq-sz in 0..100" && ok
done

# What a processor that is away has counted is found where its kernel threads are parked.
case_begin "a probe that begins while a processor is away trusts kernel memory all the same"
# Some of these end on the second processor, wherever they were asked for.
for cpu in 0 1; do
	taskset -c $cpu dd if="/dev/$loop" of=/dev/null bs=4096 count=1000 iflag=direct status=none
done
echo 0 >$online
probe_start away --disk "$loop"
probe_wait away 1
echo 1 >$online
read_direct "$loop" 4096 7
probe_settle away
probe_stop away
check_eq "$(grep -e '^[^:]*: host:' -e 'disk-stats:' "$T/away.err")" "" "what is not trusted" &&
	check_eq "$(probe_sum away ".disk.$loop[\"r/s\"]")" 7 "reads" && ok ||
	probe_show away ".disk.$loop[\"r/s\"]"
case_begin "and no second is without the host's counters when it comes"
check_eq "$(probe_jq away '[.[].system | .["cswch/s"] != null] | all')" true "cswch/s" && ok
