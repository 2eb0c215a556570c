# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What goes wrong on a server, and what only looks like it; undone again.
#
# shellcheck disable=SC2015,SC2046,SC2086

fault_on() { # kind server argument
	local D=$STATE/$2 log=$STATE/faults/$1.$2.log
	local fio="fio --name=hog --rw=read --offset=50% --size=50% --time_based --runtime=999999 --direct=1"
	case $1 in
	disk-hog)
		hog "$1" "$2" $fio --filename="/dev/$(loop_of "$2")" --bs="${3:-8m}" --ioengine=libaio --iodepth=2 ;;
	disk-busy) # a second connection to the head: nothing of it passes the server's block device
		hog "$1" "$2" $fio --ioengine=nbd --uri="nbd+unix:///?socket=$D/sock" --bs=1m --iodepth="${3:-3}" ;;
	slow-disk) # its seeks take as many times as long as its transfers, and three times at most
		local mb=${3:-$(((RATE + 4) / 5))}
		set_disk "$2" "$mb" $((RATE < 3 * mb ? SEEK * RATE / mb : SEEK * 3)) $FIXED ;;
	hang) stop_server "$2" ;;
	imbalance) fs_hot_on "$2" && hog "$1" "$2" "$SELF" _hot-load "${3:-6}" ;;
	scrub) hog "$1" "$2" "$SELF" _scrub "${3:-300}" "/dev/$(loop_of "$2")" ;;
	fleet)
		local s
		for s in $(names s "$N"); do
			set_disk "$s" $(((RATE + ${3:-2} - 1) / ${3:-2})) $((SEEK * ${3:-2})) $((FIXED * ${3:-2}))
		done ;;
	write-net-hog | read-net-hog)
		hog "$1" "$2" "$SELF" _net-hog "$1" "$2" "${3:-0}" ;;
	recv-loss) drop "$2" eth0 "$2" "${3:-5}" ;;
	send-loss) drop sw "v$2" "$2" "${3:-5}" ;; # at the switch: a drop in the sender's own stack is told to its TCP
	*) more_fault_on "$@" ;;
	esac || { cat "$log" >&2 2>/dev/null; return 1; }
}

# hog KIND SERVER COMMAND...: recorded by pid; alive after a second, or it is no fault.
hog() {
	local pid record=$STATE/faults/$1.$2
	start hogs "$record.log" "${@:3}"
	pid=$!
	echo $pid > "$record.pid"
	sleep 1
	[[ $1 != *-net-hog ]] || wait_for 5 hog_connected "$2" || return 1
	kill -0 $pid 2>/dev/null
}

hog_connected() { in_net "$1" ss -tnH state established sport = :5301 | grep -q .; }

net_hog() { # kind server MB/s: runs as long as it is let, whatever happens to the server
	local reverse=()
	[ "$1" = read-net-hog ] && reverse=(-R)
	while :; do in_net "$2" iperf3 -s -p 5301 >/dev/null; sleep .2; done &
	while sleep .3; do
		in_net h1 iperf3 -i 60 -c $NET_ID."${2#s}" -p 5301 -t 86400 -b "$(($3 * 8))M" "${reverse[@]}"
	done
}

# Stopped processes still have their sockets, and the kernel goes on to acknowledge: what a hung
# server is like from outside. Until none runs, for one may have been about to fork.
stop_server() { # server
	kill -STOP $(cgroup_pids "$1") && wait_for 5 all_stopped "$1"
}
all_stopped() {
	local pid
	for pid in $(cgroup_pids "$1"); do
		grep -q '^State:.*T' "/proc/$pid/status" 2>/dev/null || { kill -STOP "$pid"; return 1; }
	done
}

drop() { # namespace-node device server percent
	local some
	some="ip protocol tcp numgen random mod 10000 < $(awk "BEGIN { print int($4 * 100) }")"
	[ "$4" != 100 ] || some=''
	in_net "$1" nft -f - <<-END
		table netdev limpet_$3 {
			chain loss {
				type filter hook ingress device "$2" priority 0;
				$some counter drop
			}
		}
	END
}

fault_off() { # kind server
	local record=$STATE/faults/$1.$2 pid s
	case $1 in
	slow-disk) set_disk "$2" "$RATE" "$SEEK" $FIXED ;;
	fleet) for s in $(names s "$N"); do set_disk "$s" "$RATE" "$SEEK" $FIXED; done ;;
	hang) kill -CONT $(cgroup_pids "$2") ;;
	recv-loss) in_net "$2" nft delete table netdev limpet_"$2" ;;
	send-loss) in_net sw nft delete table netdev limpet_"$2" ;;
	*)
		pid=$(cat "$record.pid") && kill -9 -- -"$pid"
		[ "$1" != imbalance ] || fs_hot_off "$2"
		more_fault_off "$@" ;;
	esac 2>/dev/null
	rm -f "$record" "$record.pid" "$record.log"
}

check_fault_arg() { # kind argument
	local ok='^[0-9]{1,6}$'
	case $1 in
	disk-hog) ok='^[1-9][0-9]{0,6}[km]?$' ;;
	*-loss) ok='^(0*[1-9][0-9]?(\.[0-9]{1,2})?|0*\.[0-9]{1,2}|100)$' ;;
	disk-busy | slow-disk | imbalance | scrub | fleet) ok='^[1-9][0-9]{0,3}$' ;;
	hang) ok='^$' ;;
	*-net-hog) ;;
	*) ok=$(more_fault_arg "$1") ;;
	esac
	[[ $2 =~ $ok ]]
}

cmd_fault() {
	local s
	[ $# -eq 2 ] || [ $# -eq 3 ] || misuse "usage: testbed fault KIND SERVER [ARG]"
	[ -z "$(known_up)" ] || load_fs "$(known_up)"
	[[ " $FAULTS $CALMS " == *" $1 "* ]] || misuse "unknown fault '$1' (one of: $FAULTS $CALMS)"
	[ $# -eq 2 ] || check_fault_arg "$1" "$3" || misuse "'$3' is no argument for '$1' (see 'testbed help')"
	need_root
	need_up
	if [ "$1" = fleet ]; then
		[ "$2" = all ] || misuse "'fleet' is of 'all' servers, not of '$2'"
	else
		for s in ${2//,/ }; do
			[[ " $(names s "$N" | tr '\n' ' ')" == *" $s "* ]] || misuse "unknown server '$s' (s1 to s$N)"
		done
	fi
	[ "$1" != imbalance ] || [ -z "$(echo "$STATE"/faults/imbalance.*)" ] ||
		die "one server is hot already: 'clear' first"
	lock 10
	for s in ${2//,/ }; do
		fault_off "$1" "$s"
		echo "${3:-default}" > "$STATE/faults/$1.$s" # first, so that 'clear' knows what was tried
		if ! fault_on "$1" "$s" "${3:-}"; then
			fault_off "$1" "$s"
			die "cannot inject '$1' on '$s'"
		fi
	done
	say "fault: $1 on $2 ${3:-}"
}

cmd_clear() {
	local f k
	need_root
	need_up
	lock 10
	for f in "$STATE"/faults/*; do # 'KIND.SERVER', and beside it .pid and .log
		f=${f##*/} k=${f%%.*}
		[[ $f != *.*.* ]] && fault_off "$k" "${f#*.}"
	done
	kill_all cgroup_pids hogs || die "cannot stop: $(cgroup_pids hogs | tr '\n' ' ')"
	rm -f "$STATE"/faults/*
	say "clear: no faults"
}
