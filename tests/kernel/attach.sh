#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Everything loads and attaches, and nothing of it stays.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel bpftool
loop_new 8M || all_skip "no loop device (modprobe loop)"

# What is missing, a word each; sockets lead to their rows from typed tracepoints only.
missing() { awk '$2 != "yes" { print $1 }' "$T/check" | tr '\n' ' '; }
for mode in "auto 0" "tp_btf 6" "raw_tp 5"; do
	n=${mode#* } mode=${mode% *}
	case_begin "check: what works with --attach $mode"
	"$PROBE" check --disk "$loop" --attach $mode >"$T/check"
	status=$?
	without=
	if [ $mode = raw_tp ]; then without="tcp tcp-state "; fi
	check_eq "$status $(missing)" "$([ "$without" ] && echo 1 || echo 0) $without" "status, what is missing" &&
		if [ "$(grep -c " $mode/" "$T/check")" -ge "$n" ]; then ok; else fail "not $n by $mode"; fi
done

ids() { # PID KIND: ids of the programs or links a process holds
	sed -n "s/^$2_id:[[:space:]]*//p" /proc/"$1"/fdinfo/* 2>/dev/null | sort -u
}
gone() { # KIND ID
	! bpftool "$1" show id "$2" >/dev/null 2>&1
}

case_begin "record: holds no capability once it records"
probe_start one --disk "$loop"
probe_wait one 1 && {
	if cat /proc/"$(probe_pid one)"/task/*/status | grep '^CapEff' | grep -v '0000000000000000$'; then
		fail "a thread still has capabilities"
	else
		ok
	fi
}

case_begin "record: no program and no link stays after the end"
probe_start killed --disk "$loop" --attach raw_tp
probe_wait killed 1
progs="$(ids "$(probe_pid one)" prog) $(ids "$(probe_pid killed)" prog)"
links="$(ids "$(probe_pid one)" link) $(ids "$(probe_pid killed)" link)"
probe_stop one
one=$status
probe_stop killed KILL
if [ "$(echo "$progs" | wc -w)" -lt 22 ] || [ "$(echo "$links" | wc -w)" -lt 14 ]; then
	fail "at least 2 x 11 programs, 8 and 6 links expected, got '$progs' and '$links'"
elif check_eq "$one" 0 "exit status"; then
	left=
	for id in $progs; do eventually gone prog "$id" || left="$left prog $id"; done
	for id in $links; do eventually gone link "$id" || left="$left link $id"; done
	check_eq "$left" "" "left behind" && ok
fi
