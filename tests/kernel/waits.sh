#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2086,SC2154
# What threads wait for: programs of which it is known, beside what /proc/PID/task tells of the same threads.
# Shares are of looks; what is compared holds however slow the machine is.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel chrt
loop_new 64M || all_skip "no loop device (modprobe loop)"
BOX=$O/tests/waitbox

# A waitbox that runs until the test ends; $pid once it is ready.
box_start() { # NAME COMMAND…
	box=$1
	shift
	: >"$T/$box.out"
	"$@" >"$T/$box.out" &
	pid=$!
	at_exit "end_child $pid"
	eventually grep -q ready "$T/$box.out"
}
box_end() { # PID
	end_child "$1"
}

# Means over the lines from the third one on, in which every thread was where it will be. A machine that is slow
# has seconds without a look.
shares() { # PROBE: cpu ready disk lock net mem idle stop unknown, rounded
	probe_jq "$1" '[.[2:][].system | select(.threads) | [.["%thr-cpu", "%thr-ready", "%thr-disk", "%thr-lock", "%thr-net",
		"%thr-mem", "%thr-idle", "%thr-stop", "%thr-unknown"]]] | transpose |
		map(add / length | round) | join(" ")'
}
all_hundred() { # PROBE: each second's shares add up
	check_eq "$(probe_jq "$1" '[.[1:][].system | select(.threads) | [.["%thr-cpu", "%thr-ready", "%thr-disk", "%thr-lock",
		"%thr-net", "%thr-mem", "%thr-idle", "%thr-stop", "%thr-unknown"]] | add | round] |
		unique | tojson')" "[100]" "sum of the shares"
}

# A metric in the last second with a look, once there was one more.
latest() { # PROBE METRIC
	probe_settle "$1"
	probe_jq "$1" "[.[].system | select(.threads) | .[\"$2\"]] | last"
}

# The independent reader: of each thread its state, the system call it is in with its arguments, and where it
# sleeps, thirty times. Prints shares of: disk lock idle.
reader() { # PID
	seen=0 disk=0 lock=0 idle=0
	for round in 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9; do
		for task in /proc/"$1"/task/*; do
			read -r stat <"$task/stat"
			state=${stat##*) }
			read -r call _ op value _ <"$task/syscall"
			read -r where <"$task/wchan"
			held=
			case $call in 202 | 98)
				case $((op & 127)),$((value)) in
				6,* | 13,* | 0,2 | 9,3) held=1 ;;
				esac ;;
			esac
			case $where in *lock_inode*) held=1 ;; esac
			seen=$((seen + 1))
			case ${state%% *}$held in
			D) disk=$((disk + 1)) ;;
			S) idle=$((idle + 1)) ;;
			S1) lock=$((lock + 1)) ;;
			esac
		done
		sleep 0.05
	done
	: "$round"
	echo $((100 * disk / seen)) $((100 * lock / seen)) $((100 * idle / seen))
}

near() { # GOT WANT WHAT: within what two readers at different moments may differ by
	[ $(($1 - $2)) -le 25 ] && [ $(($2 - $1)) -le 25 ] && return
	fail "$3: $1 of 100 by the probe, $2 by /proc"
	return 1
}

# ---- locks: of five threads three wait for it, or two and one that was just let in -----------------
for kind in lock pi rwlock file; do
	case_begin "threads that want one lock wait for it ($kind)"
	box_start $kind "$BOX" $kind=4,300
	probe_start $kind --disk "$loop" --pid $pid
	probe_wait $kind 3 || { fail "no lines"; continue; }
	set -- $(reader $pid)
	by_proc=$2
	probe_settle $kind
	set -- $(shares $kind)
	if [ "$4" -ge 40 ] && [ "$4" -le 60 ] && [ $(($7 + $4 + $1 + $2)) -ge 98 ]; then
		near "$4" "$by_proc" "in the lock" && check_eq "$3 $5 $6 $8 $9" "0 0 0 0 0" "other reasons" &&
			all_hundred $kind && ok
	else
		fail "40 to 60 of 100 in the lock, the rest idle: $*"
	fi
	probe_stop $kind
	box_end $pid
done

case_begin "threads without work are idle, whatever they wait with"
box_start idle "$BOX" idle=3
idle=$pid
probe_start idle --disk "$loop" --pid $pid
if probe_wait idle 3; then
	set -- $(reader $pid)
	check_eq "$3" 100 "idle by /proc" && check_eq "$(shares idle)" "0 0 0 0 0 0 100 0 0" "shares" &&
		check_eq "$(probe_jq idle '[.[1:][].system.threads // empty] | unique | tojson')" "[16]" "threads" && ok
fi

case_begin "a process that is stopped is said to be"
kill -STOP $idle
probe_settle idle
check_eq "$(latest idle %thr-stop)" 100 "share" && ok
kill -CONT $idle
probe_stop idle

case_begin "writers of a socket that nobody reads wait for the network"
box_start full "$BOX" full=3
probe_start full --disk "$loop" --pid $pid -o "$T/full"
probe_wait full 5 && check_eq "$(shares full)" "0 0 0 0 75 0 25 0 0" "shares" && ok
probe_stop full
case_begin "the file has their stacks: from the program on, functions by name, one for each look at each thread"
looks=$("$O/limpet" show --json -m threads -m thread-looks "$T/full" |
	jq -s 'map(.interval_s * .threads * .["thread-looks"]) | add | round')
"$O/limpet" show --stacks "$T/full" >"$T/stacks"
counted=$(awk '{ n += $NF } END { print n }' "$T/stacks")
check_eq "$(grep -c "^full;waitbox;.*;unix_stream_sendmsg;.* [0-9]*$" "$T/stacks") $(grep -vc '^full;waitbox;' "$T/stacks")" \
	"1 0" "stacks of writers, of others" && if [ "$counted" -ge "$looks" ] && [ "$counted" -le $((looks * 4)) ]; then
	ok
else
	fail "$counted in stacks, $looks in seconds: $(cat "$T/stacks")"
fi
box_end $pid

case_begin "a thread that computes is on a processor, and a real-time one most of the time"
box_start busy chrt -f 1 "$BOX" busy=1
probe_start busy --disk "$loop" --pid $pid
if probe_wait busy 6; then
	set -- $(shares busy)
	if [ "$1" -ge 25 ] && [ $(($1 + $2)) -ge 49 ] && [ $(($1 + $2)) -le 51 ]; then
		check_eq "$3 $4 $5 $6 $7 $8 $9" "0 0 0 0 50 0 0" "other reasons" && ok
	else
		fail "25 to 50 of 100 on a processor, 50 with those ready: $*"
	fi
fi
probe_stop busy
box_end $pid

# ---- a disk, and a control group that is followed ---------------------------------------------------
cgroup=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
v1=${cgroup:+1}
cgroup=${cgroup:-$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)}/limpet-waits-$$
[ -n "$v1" ] || echo +io >"$(dirname "$cgroup")/cgroup.subtree_control"
mkdir "$cgroup" || all_skip "no control group can be made"
at_exit "eventually group_gone $cgroup"
number=$(cat /sys/block/$loop/dev)
limit=io.max rate="$number rbps=4194304"
[ -z "$v1" ] || limit=blkio.throttle.read_bps_device rate="$number 4194304"
case_begin "a thread that reads from a slow disk waits for it"
if echo "$rate" >"$cgroup/$limit" && box_start disk "$BOX" cgroup="$cgroup" disk="/dev/$loop"; then
	probe_start disk --disk "$loop" --cgroup "$cgroup"
	disk=$pid
	probe_wait disk 3
	set -- $(reader $pid)
	by_proc=$1
	probe_settle disk
	set -- $(shares disk)
	if [ "$3" -ge 5 ] && [ "$7" = 50 ]; then
		near "$3" "$by_proc" "waiting for the disk" &&
			check_eq "$4 $5 $6 $8 $9" "0 0 0 0 0" "other reasons" && ok
	else
		fail "up to 50 of 100 wait for the disk, 50 are idle: $*"
	fi
	box_end $disk
else
	fail "it did not start"
	exit 1
fi

case_begin "a server that is started anew in its control group is followed, in a folder of it, too"
probe_settle disk
none=$(latest disk threads)
mkdir "$cgroup/inner"
at_exit "eventually group_gone $cgroup/inner"
box_start again "$BOX" cgroup="$cgroup" idle=2
outer=$pid
box_start inner "$BOX" cgroup="$cgroup/inner" idle=1
inner=$pid
probe_settle disk
probe_settle disk
check_eq "$none $(latest disk threads) $(latest disk %thr-idle)" "0 17 100" \
	"threads without it, with two, share idle" && ok

case_begin "a control group that is made anew is followed"
box_end $outer
box_end $inner
eventually group_gone "$cgroup/inner"
eventually group_gone "$cgroup"
probe_settle disk
mkdir "$cgroup"
box_start anew "$BOX" cgroup="$cgroup" busy=2
probe_settle disk
probe_settle disk
check_eq "$(latest disk threads)" 3 "threads" &&
	check_eq "$(probe_messages disk | grep -v -e "was made anew" -e "a look at .* costs")" "" "messages" && ok
box_end $pid
probe_stop disk

case_begin "--no-profile: nothing of it, and check tells why not"
box_start off "$BOX" idle=1
probe_start off --disk "$loop" --pid $pid --no-profile
probe_wait off 2 && check_eq "$(probe_jq off '[.[].system | .threads, .["%thr-idle"]] | unique | tojson')" "[null]" \
	"values" && check_eq "$(probe_messages off)" "" "messages" && ok
probe_stop off
