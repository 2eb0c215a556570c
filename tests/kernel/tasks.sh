#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Processes: what each used against what it and /proc say; sums hold for those that come and go.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel mkfifo
loop_new 8M || all_skip "no loop device (modprobe loop)"
BOX=$O/tests/taskbox
MIB=1048576

# A taskbox that runs until box_end NAME closes its standard input; $pid when it says it is ready.
box_start() { # NAME WORD…
	box=$1
	shift
	mkfifo "$T/$box.in"
	: >"$T/$box.out"
	"$BOX" disk="/dev/$loop" "$@" ready wait <"$T/$box.in" >"$T/$box.out" &
	pid=$!
	at_exit "end_child $pid"
	# A process of its own holds the other end: ending that one closes it.
	sleep 1000 >"$T/$box.in" &
	at_exit "end_child $!"
	eval "box_$box=$pid hold_$box=$!"
	eventually grep -q ready "$T/$box.out"
}
box_end() { # NAME
	eval "end_child \$hold_$1; wait \$box_$1" 2>/dev/null
}
# One that runs to its end; its number in $pid. It writes nothing but what it is told to.
box_run() { # PROGRAM WORD…
	program=$1
	shift
	"$program" disk="/dev/$loop" "$@" >/dev/null &
	pid=$!
	wait $pid
}
# Until all that was used so far is in the lines: what exited and is not said to be freed is shown two
# looks later. A machine on which a look is too costly takes one every ten seconds, and shows it for ten.
slow() { # PROBE
	grep -q 'every ten seconds' "$T/$1.err"
}
tasks_settle() { # PROBE…
	probe_settle "$@" && probe_settle "$@" || return 1
	for settled; do
		! slow "$settled" || for more in 14 14 14; do
			probe_wait "$settled" $(($(probe_lines "$settled") + more))
		done
	done
}
of_io() { # PID FIELD
	awk -v field="$2:" '$1 == field { print $2 }' "/proc/$1/io"
}

# Bytes or nanoseconds in all rows of a process, whatever it was called; of all with PID "".
used() { # PROBE PID METRIC [FROM TO]
	per=1024
	[ "$3" != %CPU ] || per=10000000
	jq -rs --arg pid ":$2" --arg metric "$3" "[.[${4:-0}:${5:-1000000}][] | .interval_s as \$t | .process // {} |
		to_entries[] | select(.key | endswith(\$pid) or \$pid == \":\") |
		(.value[\$metric] // 0) * \$t * $per] | (add // 0) | round" "$T/$1.jsonl"
}
called() { # PROBE PID: every name it had
	jq -rs --arg pid ":$2" '[.[].process // {} | keys[] | select(endswith($pid))] | unique |
		join(" ")' "$T/$1.jsonl"
}
near() { # GOT WANT: but for the seven digits of a line
	slack=$(($2 / 500000 + 1)) off=$(($1 - $2))
	[ $off -le $slack ] && [ $off -ge -$slack ]
}
check_near() { # GOT WANT WHAT
	near "$1" "$2" && return
	fail "$3: expected $2, got $1"
	return 1
}

for mode in tp_btf raw_tp; do
	probe_start $mode --disk "$loop" --attach $mode
done
case_begin "the task programs are there"
if probe_wait tp_btf 2 && probe_wait raw_tp 2; then
	if grep -q 'no process' "$T/tp_btf.err" "$T/raw_tp.err"; then
		fail "$(cat "$T/tp_btf.err" "$T/raw_tp.err")"
	else
		ok
	fi
else
	fail "a probe did not start"
	exit 1
fi

case_begin "every second has a row for the rest, and no more than ten others"
check_eq "$(probe_jq tp_btf '[.[].process // empty] |
	length > 0 and all(.[]; has("(rest)") and length <= 11)')" true "rows" && ok

# ---- processes that live, and one that does not ---------------------------------------------------
grep -q '^read_bytes' /proc/self/io || all_skip "this kernel does not account I/O to processes"
# Five are shown by their bytes, and five by their time, each second. So these do more than whatever else
# this machine may be doing, and from the beginning of a second, lest a little of it is in another one.
second_begins() { probe_wait tp_btf $(($(probe_lines tp_btf) + 1)); }
second_begins
box_start alive name=alive read=80 write=80
alive=$pid
second_begins
box_start burner name=burner fifo burn=400
burner=$pid
second_begins
box_run "$BOX" name=short read=80 write=60
short=$pid
second_begins
box_start exec name=before read=80 threads=3,30 exec disk="/dev/$loop" read=80
exec=$pid
tasks_settle tp_btf raw_tp
for mode in tp_btf raw_tp; do
	case_begin "$mode: direct reads and writes of a process are /proc/PID/io's"
	want=$(of_io "$alive" read_bytes)
	check_near "$(used $mode "$alive" kB_rd/s)" "$want" "bytes read" &&
		check_near "$(used $mode "$alive" kB_wr/s)" "$(of_io "$alive" write_bytes)" \
			"bytes written" &&
		check_eq "$((want >= 80 * MIB))" 1 "/proc/PID/io has them" && ok

	case_begin "$mode: CPU time is the scheduler's, less what is too little to be shown"
	read -r want _ <"/proc/$burner/schedstat"
	got=$(used $mode "$burner" %CPU)
	# Under 1 % of a processor is not shown: 10 ms for each line.
	floor=$(jq -rs '[.[] | .interval_s * 10000000] | add | ceil' "$T/$mode.jsonl")
	if [ "$want" -ge 400000000 ] && [ "$got" -le $((want + 1000)) ] &&
		[ "$got" -ge $((want - floor)) ] && [ "$got" -gt 0 ]; then
		ok
	else
		fail "expected $want less up to $floor, got $got"
	fi

	case_begin "$mode: a process that comes and goes within a second is seen whole"
	check_near "$(used $mode "$short" kB_rd/s)" $((80 * MIB)) "bytes read" &&
		check_near "$(used $mode "$short" kB_wr/s)" $((60 * MIB)) "bytes written" && ok

	case_begin "$mode: a thread that executes another program takes its process over, once"
	want=$(of_io "$exec" read_bytes)
	check_near "$(used $mode "$exec" kB_rd/s)" "$want" "bytes read" &&
		check_eq "$((want >= 250 * MIB))" 1 "/proc/PID/io has them" && ok
done
box_end alive
box_end burner
box_end exec

# ---- threads, many, names, numbers, control groups ------------------------------------------------
# shellcheck disable=SC2034
from_tp_btf=$(probe_lines tp_btf) from_raw_tp=$(probe_lines raw_tp)
box_run "$BOX" children=200,1024
# In another second: among so many a process may be one of the rest.
tasks_settle tp_btf raw_tp
# shellcheck disable=SC2034
upto_tp_btf=$(probe_lines tp_btf) upto_raw_tp=$(probe_lines raw_tp)
second_begins
box_start threads name=threads read=20 threads=20,10
threads=$pid
odd_name=$(printf 'a b\nc\303\251\t"\\x')
mkdir "$T/bin"
cp "$BOX" "$T/bin/$odd_name"
second_begins
box_run "$T/bin/$odd_name" read=80
odd=$pid
again=0
while [ $again -lt 50 ] && [ -w /proc/sys/kernel/ns_last_pid ]; do
	again=$((again + 1))
	echo $((odd - 1)) >/proc/sys/kernel/ns_last_pid
	box_run "$BOX" only="$odd" name=later read=120
	[ "$pid" -ne "$odd" ] || break
done
later=$pid

group=
while read -r _ where type options _; do
	case $type:,$options, in
	cgroup:*,blkio,* | cgroup2:*) group=$where/limpet-tasks-$$ ;;
	esac
	[ -z "$group" ] || break
done </proc/mounts
if [ -n "$group" ] && mkdir "$group" 2>/dev/null; then
	at_exit "eventually group_gone $group"
	box_start group name=grouped cgroup="$group" read=80
else
	group=
fi
tasks_settle tp_btf raw_tp

for mode in tp_btf raw_tp; do
	case_begin "$mode: threads that end are part of their process"
	want=$(of_io "$threads" read_bytes)
	check_near "$(used $mode "$threads" kB_rd/s)" "$want" "bytes read" &&
		check_eq "$((want >= 220 * MIB))" 1 "/proc/PID/io has them" && ok

	case_begin "$mode: 200 processes that come and go are all counted, and none twice"
	# Missing: what they read is known. Twice: the kernel counts pages read in at the very place
	# where it accounts them to a process; but the looks come a little after the sweeps, and what
	# others read between the two at the end is in one of them only.
	eval "from=\$from_$mode upto=\$upto_$mode"
	got=$(used $mode "" kB_rd/s "$from" "$upto")
	all=$(jq -rs "[.[$from:$upto][] | .system[\"pgpgin/s\"] * .interval_s * 1024] | add | round" \
		"$T/$mode.jsonl")
	if [ "$got" -ge $((200 * MIB - 1000)) ] &&
		{ slow $mode || [ "$got" -le $((all + all / 4)) ]; }; then
		ok
	else
		fail "they read $((200 * MIB)), all processes $got, pages read in were $all"
	fi

	case_begin "$mode: names of any bytes come out printable and without blanks"
	names="a?b?c???\"\\x:$odd"
	[ "$later" -ne "$odd" ] || names="$names later:$odd"
	check_eq "$(called $mode "$odd")" "$names" "names" && ok
	case_begin "$mode: a number that comes back is another process"
	if [ "$later" -eq "$odd" ]; then
		check_near "$(used $mode "$odd" kB_rd/s)" $((200 * MIB)) "bytes read by both" && ok
	else
		skip "no process got the number $odd again"
	fi
done

case_begin "a process is shown with its control group"
if [ -n "$group" ]; then
	check_eq "$(probe_jq tp_btf '[.[].process // {} | to_entries[] | select(.key == "grouped:'$box_group'") |
		.value.cgroup] | unique | tojson')" "[\"/limpet-tasks-$$\"]" "cgroup" && ok
	box_end group
else
	skip "no control group can be made here"
fi

box_end threads

case_begin "nothing was lost, not of 3,000 processes that come and go at once either"
# 6,000 samples: less than there is room for, more than there was.
box_run "$BOX" children=3000,0
tasks_settle tp_btf raw_tp
check_eq "$(probe_jq tp_btf '[.[].lost] | add') $(probe_jq raw_tp '[.[].lost] | add')" "0 0" "lost" && ok
probe_stop raw_tp

# ---- a crowd -------------------------------------------------------------------------------------
# A sleeping process takes some 30 kB of the kernel's memory.
room=$(awk '/^MemAvailable/ { print int($2 / 100) }' /proc/meminfo)
numbers=$(($(cat /proc/sys/kernel/pid_max) - 6000))
crowd=20000
[ $crowd -le "$room" ] || crowd=$room
[ $crowd -le $numbers ] || crowd=$numbers
limit=$(($(cat /proc/sys/kernel/threads-max) / 3))
[ $crowd -le $limit ] || crowd=$limit
rss() { awk '/^VmRSS/ { print $2 }' "/proc/$(probe_pid tp_btf)/status"; }
# A look has room for 12,288 processes that used anything, which the crowd does in its first moments: what else that
# look found may be in the rest. That one is over once a process is shown that began after them.
marked() {
	box_run "$BOX" name=marker read=80
	probe_jq tp_btf '[.[].process // {} | keys[] | select(startswith("marker:"))] | length > 0' | grep -q true
}
# Until the lines have all that a process read: where a look comes every ten seconds, two of them may be needed, and
# one is shown over ten.
read_by() { # PROBE PID BYTES
	for _ in 1 2 3 4 5 6; do
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			[ "$(used "$1" "$2" kB_rd/s)" -lt $(($3 - $3 / 500000)) ] || return 0
			probe_wait "$1" $(($(probe_lines "$1") + 1)) || return 1
		done
	done
}
before=$(rss)
case_begin "with $crowd processes memory stays bounded, and one of them is still seen exactly"
if box_start crowd name=crowd crowd=$crowd && eventually marked; then
	box_run "$BOX" name=one read=480
	one=$pid
	read_by tp_btf "$one" $((480 * MIB))
	if [ $(($(rss) - before)) -le 6144 ]; then
		check_near "$(used tp_btf "$one" kB_rd/s)" $((480 * MIB)) "bytes read" &&
			check_eq "$(probe_jq tp_btf '[.[].lost] | add')" 0 "lost" && ok
	else
		fail "$before kB before, $(rss) kB with them"
	fi
else
	fail "no crowd"
fi
probe_stop tp_btf
end_child "$hold_crowd" # its ten seconds to disperse begin

case_begin "--no-processes: none, and nothing runs for them"
probe_start none --disk "$loop" --no-processes
if probe_wait none 2; then
	check_eq "$(probe_jq none 'map(has("process")) | any')" false "rows" &&
		check_eq "$(grep process "$T/none.err" | grep -v "cannot be told apart")" "" "messages" && ok
else
	fail "$(cat "$T/none.err")"
fi
probe_stop none
box_end crowd
