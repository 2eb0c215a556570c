#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2015,SC2016,SC2086,SC2153,SC2154
# What a server's threads compute (--user-stacks): programs of which it is known, by name, and how much of it. Shares
# are compared within what the number of samples allows (five standard deviations), however slow the machine is.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel awk
loop_new 8M || all_skip "no loop device (modprobe loop)"
HOT=$O/tests/hotbox

# A box stands still unless a case needs what it computes: all that a box computes is taken from the other tests.
box_start() { # NAME WORD; $pid once it is ready and stands still
	: >"$T/$1.out"
	"$HOT" "$@" >"$T/$1.out" &
	pid=$!
	at_exit "end_child $pid"
	eventually grep -q ready "$T/$1.out"
	kill -STOP "$pid"
}
box_end() { # PID…
	end_child "$@"
}
# Processor time of a process so far, in ticks of 10 ms.
ticks() { # PID
	read -r tick_line <"/proc/$1/stat"
	# shellcheck disable=SC2046
	set -- ${tick_line##*) }
	echo $((${12} + ${13}))
}
# Stacks of user space that a probe recorded, without the server's name.
stacks() { # PROBE OPTION…
	probe=$1
	shift
	"$O/limpet" show --stacks "$@" "$T/$probe" | grep -F ';[processor time]' | sed 's/^[^;]*;//'
}
count() { # FILE PATTERN: samples in stacks that match
	awk -v p="$2" '$0 ~ p { n += $NF } END { print n + 0 }' "$1"
}
# Lets each of these boxes compute for so long and stand still again, however long that takes.
compute() { # {TENTHS-OF-A-SECOND PID}…
	set_ends=
	while [ $# -gt 0 ]; do
		set_ends="$set_ends $2 $(($(ticks "$2") + 10 * $1))"
		kill -CONT "$2"
		shift 2
	done
	set -- $set_ends
	while [ $# -gt 0 ]; do
		sleep 0.1
		set_ends=
		while [ $# -gt 0 ]; do
			if [ "$(ticks "$1")" -lt "$2" ]; then
				set_ends="$set_ends $1 $2"
			else
				kill -STOP "$1"
			fi
			shift 2
		done
		set -- $set_ends
	done
}

mkdir "$T/symbols"
cp "$HOT" "$T/symbols"
box_start srv-hot hot
hot=$pid
box_start not-mine hot
other=$pid
case_begin "samples start, one clock on each processor"
mkdir "$T/hot"
probe_start hot -o "$T/hot" --disk "$loop" --pid $hot --user-stacks
probe_wait hot 2
clocks=$(for fd in /proc/"$(probe_pid hot)"/fd/*; do readlink "$fd"; done | grep -c perf_event)
check_eq "$clocks" "$(getconf _NPROCESSORS_ONLN 2>/dev/null || grep -c ^processor /proc/cpuinfo)" "clocks" && ok
compute 50 $hot 10 $other
probe_settle hot
probe_stop hot
all=$(ticks $hot)
box_end $hot $other

case_begin "shares of two functions, by name, with what called them"
stacks hot --symbols "$T/symbols" >"$T/named"
a=$(count "$T/named" 'srv-hot;.*;main;hot;hot_a[ ;]') b=$(count "$T/named" 'srv-hot;.*;main;hot;hot_b[ ;]')
n=$(count "$T/named" .)
awk -v a="$a" -v b="$b" 'BEGIN { n = a + b; exit !(n >= 40 && (a / n - 0.75) ^ 2 < 25 * 0.75 * 0.25 / n) }' ||
	fail "hot_a $a, hot_b $b, of $n: $(cat "$T/named")"
[ $((10 * (a + b))) -ge $((8 * n)) ] && ok || fail "only $a and $b of $n: $(cat "$T/named")"

# Fewer than 49 a second are no fault: a clock of a virtual machine that waits for a processor misses its time.
case_begin "no more samples than it had processor time for"
awk -v n="$n" -v most="$all" 'BEGIN { high = most * 0.49; exit !(n < high + 5 * sqrt(high) + 2) }' && ok ||
	fail "$n samples in $all ticks of 10 ms"

case_begin "nothing of a program that is not the server"
check_eq "$(grep -c not-mine "$T/named")" 0 "stacks" && ok

case_begin "the build id is the file's, as readelf has it; without symbols places are said by it"
if command -v readelf >/dev/null; then
	id=$(readelf -n "$HOT" | sed -n 's/.*Build ID: //p' | cut -c 1-8)
	stacks hot >"$T/raw"
	got=$(count "$T/raw" "srv-hot;.*;$id[+]0x[0-9a-f]+;$id[+]0x[0-9a-f]+[ ;]")
	[ "$got" -ge $((a + b)) ] && check_eq "$(grep -c hot_a "$T/raw")" 0 "names" && ok ||
		fail "$id in $got of $((a + b)): $(cat "$T/raw")"
else
	ok # other kernels' machines have none; the names above were found by it
fi

case_begin "the kernel's functions behind those of user space; code of no file is said to be"
box_start srv-read read
read=$pid
box_start srv-jit jit
jit=$pid
mkdir "$T/two"
probe_start two -o "$T/two" --disk "$loop" --pid $read --pid $jit --user-stacks
probe_wait two 2
compute 20 $read 20 $jit
probe_settle two
probe_stop two
box_end $read $jit
stacks two --symbols "$T/symbols" >"$T/named"
[ "$(count "$T/named" '^srv-read;.*;vfs_read')" -gt 5 ] || fail "read: $(cat "$T/named")"
[ "$(count "$T/named" '^srv-jit;.*;main;hot_jit;.no build id.[ ;]')" -gt 5 ] && ok || fail "jit: $(cat "$T/named")"

case_begin "processes of a group are sampled, those that come to it, too, and no others"
cgroup=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
v1=${cgroup:+1}
cgroup=${cgroup:-$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)}/limpet-hot-$$
[ -n "$v1" ] || echo +io >"$(dirname "$cgroup")/cgroup.subtree_control"
if mkdir "$cgroup"; then
	at_exit "eventually group_gone $cgroup"
	box_start srv-stays read
	stays=$pid
	box_start srv-comes read
	comes=$pid
	box_start srv-never read
	never=$pid
	echo $stays >"$cgroup/cgroup.procs"
	mkdir "$T/group"
	probe_start group -o "$T/group" --disk "$loop" --cgroup "$cgroup" --user-stacks
	probe_wait group 2
	echo $comes >"$cgroup/cgroup.procs"
	probe_settle group
	compute 20 $comes 20 $stays 10 $never
	probe_settle group
	probe_stop group
	box_end $stays $comes $never
	stacks group >"$T/named"
	[ "$(count "$T/named" '^srv-comes;')" -gt 5 ] && [ "$(count "$T/named" '^srv-stays;')" -gt 5 ] &&
		check_eq "$(count "$T/named" '^srv-never;')" 0 "of another" && ok || fail "$(cat "$T/named")"
else
	fail "no control group can be made"
fi

case_begin "where the clocks are refused, that is said, and the rest is recorded"
box_start srv-none hot
none=$pid
mkdir "$T/none"
: >"$T/none.jsonl"
(eventually test -s "$T/none.jsonl" && compute 5 $none) &
feed=$!
"$O/tests/without_call" perf_event_open "$PROBE" record -j -o "$T/none" --host none --disk "$loop" --pid $none \
	--user-stacks 1 3 >"$T/none.jsonl" 2>"$T/none.err"
check_eq "$?" 0 "status" &&
	check_eq "$(grep -c "^limpet-probe: user-stacks: cannot start the clock of a processor: .*; nothing of what threads compute" \
		"$T/none.err")" 1 "message ($(cat "$T/none.err"))" &&
	check_eq "$(stacks none | wc -l) $(probe_lines none)" "0 3" "stacks, seconds" && ok
case_begin "and check says so"
"$O/tests/without_call" perf_event_open "$PROBE" check --disk "$loop" --pid $none --user-stacks >"$T/check"
check_eq "$? $(grep -c '^user-stacks *NO *cannot start' "$T/check")" "1 1" "status, line" && ok
wait "$feed" # it stops the box at its end

case_begin "without the option there is nothing of it"
mkdir "$T/off"
probe_start off -o "$T/off" --disk "$loop" --pid $none
probe_wait off 2
compute 5 $none
probe_settle off
clocks=$(for fd in /proc/"$(probe_pid off)"/fd/*; do readlink "$fd"; done | grep -c -e perf_event -e sampled)
probe_stop off
box_end $none
check_eq "$clocks $(stacks off | wc -l)" "0 0" "clocks, stacks" && ok

case_begin "the option alone, or with --no-profile, is refused"
"$PROBE" record -j --user-stacks 1 1 >/dev/null 2>"$T/err"
one=$?
"$PROBE" record -j --user-stacks --no-profile --pid $$ 1 1 >/dev/null 2>>"$T/err"
check_eq "$one $? $(wc -l <"$T/err")" "2 2 2" "status, messages" && ok
