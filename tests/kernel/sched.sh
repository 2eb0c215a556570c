#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Scheduler: context switches and run queue against what /proc says.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel
loop_new 8M || all_skip "no loop device (modprobe loop)"
SPINNERS=100 # far more than run on a busy machine

"$O/tests/ctxtlog" >"$T/ctxt" &
at_exit "end_child $!"
for mode in tp_btf raw_tp; do
	mkdir "$T/$mode"
	probe_start $mode --disk "$loop" --attach $mode -o "$T/$mode"
done
probe_wait tp_btf 4 && probe_wait raw_tp 4
calm=$(probe_lines tp_btf)
mkfifo "$T/stop"
"$O/tests/taskbox" spin=$SPINNERS ready wait <"$T/stop" >"$T/spinning" &
exec 9>"$T/stop"
at_exit "exec 9>&-"
eventually grep -q ready "$T/spinning" || exit 1
probe_settle tp_btf raw_tp
spun=$(probe_lines tp_btf)
probe_wait tp_btf $((spun + 2))
upto=$(probe_lines tp_btf)
exec 9>&-
probe_stop tp_btf
probe_stop raw_tp

# The switches between two sweeps lie between two bounds: what /proc/stat counted in the time that
# is surely inside, and in the time that surely covers it. A sweep follows its mono_ns at once; the
# bounds leave it 100 ms, so that the tolerance is the switches of 0.2 s, whatever their rate.
for mode in tp_btf raw_tp; do
	case_begin "$mode: context switches are /proc/stat's ctxt (up to those of 0.1 s at each end)"
	# Without the first second, whose beginning is not in the file.
	series_rows host "$T/$mode"/*.limpet | jq -rs "\"\(.[0].mono_ns) \(.[-1].mono_ns)\",
		\"0 \([.[1:][] | .[\"cswch/s\"] * .interval_s] | add | round)\"" >"$T/sum"
	{ cat "$T/sum" "$T/ctxt"; } | awk '
		NR == 1 { begin = $1; end = $2; next }
		NR == 2 { got = $2; next }
		$3 <= begin { begin_low = $2 }
		$1 >= begin + 1e8 && !begin_high { begin_high = $2 }
		$3 <= end { end_low = $2 }
		$1 >= end + 1e8 && !end_high { end_high = $2 }
		END {
			if (!begin_low || !end_high) end_high = $2
			low = end_low - begin_high
			high = end_high - begin_low
			print got, low, high
			exit !(got > 0 && low > 0 && got >= low && got <= high)
		}' >"$T/verdict" && ok || fail "got, least, most: $(cat "$T/verdict")"
done

runq() { # PROBE FROM TO: least and most
	jq -rs "[.[$2:$3][].system[\"runq-sz\"]] | \"\\(min) \\(max)\"" "$T/$1.jsonl"
}
case_begin "$SPINNERS tasks that never sleep are in runq-sz, all of them and in every second"
least=$(runq tp_btf "$spun" "$upto")
least=${least% *}
if [ "$least" -ge $SPINNERS ]; then ok; else fail "runq-sz was $least"; fi
case_begin "runq-sz counts tasks once (with $SPINNERS that spin under twice as many, without under $SPINNERS)"
most=$(runq tp_btf "$spun" "$upto")
idle=$(runq tp_btf 0 "$calm")
if [ "${most#* }" -lt $((2 * SPINNERS)) ] && [ "${idle% *}" -lt $SPINNERS ]; then
	ok
else
	fail "with spinners $most, without $idle (least, most)"
fi
case_begin "the processors' times are shares of all time"
check_eq "$(probe_jq tp_btf '[.[].system | [.["%user"], .["%system"], .["%iowait"]] |
	all(. >= 0 and . <= 100) and add <= 100.0001] | all')" true "%user, %system, %iowait in 0..100" && ok
