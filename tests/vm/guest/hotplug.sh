#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# A processor is taken away while the probe records, and given back.
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
. tests/vm/guest/bracket.sh
need_kernel losetup taskset unshare
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

# The sums over processors of a disk are looked at by themselves: host counters may come from elsewhere.
case_begin "a processor that comes is no burst of reads where host counters are read from /proc"
taskset -c 1 dd if="/dev/$loop" of=/dev/null bs=4096 count=300 iflag=direct status=none
echo 0 >$online
sed 's/^ctxt .*/ctxt 1/' /proc/stat >"$T/stat"
: >"$T/doubt.jsonl"
unshare -m sh -c 'mount --bind "$1" /proc/stat && shift && exec "$@"' - "$T/stat" \
	"$PROBE" record -j --host doubt --disk "$loop" >"$T/doubt.jsonl" 2>"$T/doubt.err" &
echo $! >"$T/doubt.pid"
at_exit "{ kill -KILL $! && wait $!; } 2>/dev/null"
probe_wait doubt 1
echo 1 >$online
probe_settle doubt # the second in which it came cannot be told
taskset -c 1 dd if="/dev/$loop" of=/dev/null bs=4096 count=7 iflag=direct status=none
probe_settle doubt
probe_stop doubt
if grep -q 'host: .* in kernel memory' "$T/doubt.err"; then
	check_eq "$(probe_sum doubt ".disk.$loop[\"r/s\"]")" 7 "reads" && ok || probe_show doubt ".disk.$loop"
else
	fail "host counters are not doubted: $(cat "$T/doubt.err")"
fi
