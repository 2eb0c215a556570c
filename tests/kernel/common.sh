# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC1087
# For the tests on a real kernel; sourced after lib.sh. The probe's counters begin with its first
# sweep and its first line comes with the second, so a test waits for a line, does its work, and
# waits for two more lines: everything it did then lies between sweeps, however slow the machine.
# Nothing here depends on how long anything takes; limits are only for what will never come.

PROBE=$O/limpet-probe

# What every test here needs.
need_kernel() { # COMMAND…
	[ "$(id -u)" = 0 ] || all_skip "needs root (sudo make check)"
	[ -e /sys/kernel/btf/vmlinux ] || all_skip "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF, as Debian's have)"
	[ -x "$PROBE" ] || all_skip "'$PROBE' is not built (make)"
	[ -x "$O/limpet" ] || all_skip "'$O/limpet' is not built (make)"
	for need in jq "$@"; do
		command -v "$need" >/dev/null || all_skip "'$need' is not installed (tools/deps check)"
	done
}

# Waits until the command succeeds; after a minute and more it never will.
eventually() { # COMMAND…
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || { echo "# never came: $*"; return 1; }
		sleep 0.05
	done
}

# A control group can go when the last of its processes is wholly gone.
group_gone() { # PATH
	[ ! -d "$1" ] || rmdir "$1" 2>/dev/null
}

# Children are ended by SIGKILL: between fork and exec a shell may lose any other signal.
# Runs `limpet-probe record -j` as probe NAME: lines in $T/NAME.jsonl, messages in $T/NAME.err.
probe_start() { # NAME OPTION…
	probe=$1
	shift
	: >"$T/$probe.jsonl"
	"$PROBE" record -j --host "$probe" "$@" >"$T/$probe.jsonl" 2>"$T/$probe.err" &
	echo $! >"$T/$probe.pid"
	at_exit "end_child $!"
}

probe_pid() { cat "$T/$1.pid"; } # NAME

probe_lines() { wc -l <"$T/$1.jsonl"; } # NAME

probe_has() { # NAME LINES
	[ "$(probe_lines "$1")" -ge "$2" ] || ! kill -0 "$(probe_pid "$1")" 2>/dev/null
}

# Until the probe has written so many lines; fails when it has ended before.
probe_wait() { # NAME LINES
	eventually probe_has "$1" "$2" && [ "$(probe_lines "$1")" -ge "$2" ] && return
	echo "# probe '$1' gave $(probe_lines "$1") lines of $2:" "$(cat "$T/$1.err")"
	return 1
}

# Until everything done so far is in the lines, which is two more of them.
probe_settle() { # NAME…
	set_lines=
	for probe; do
		set_lines="$set_lines $probe $(($(probe_lines "$probe") + 2))"
	done
	# shellcheck disable=SC2086
	set -- $set_lines
	while [ $# -gt 0 ]; do
		probe_wait "$1" "$2" || return 1
		shift 2
	done
}

# Ends the probe and gives its exit status in $status.
probe_stop() { # NAME [SIGNAL]
	kill "-${2:-INT}" "$(probe_pid "$1")"
	wait "$(probe_pid "$1")"
	status=$?
}

# Its lines so far, without one that is only half written.
probe_whole() { # NAME
	head -n "$(probe_lines "$1")" "$T/$1.jsonl"
}

# The sum over lines FROM+1… (to the last one, or to line TO) of a rate times its interval, rounded.
# PATH is a jq expression on a line; null counts as 0, but null times something is an error.
probe_sum() { # NAME PATH [FROM [TO]]
	probe_whole "$1" |
		jq -rs "[.[${3:-0}:${4:-1000000}][] | ($2 // 0) * .interval_s] | add | round"
}

# The same of several metrics of the object at PATH in one row, kB/s as bytes, rounded second by second:
# a line has digits enough for that. One run of jq, which takes most of a second where the processor
# is emulated.
probe_sums() { # NAME PATH FROM METRIC…
	set_probe=$1 set_path=$2 set_from=$3
	shift 3
	probe_jq "$set_probe" "[.[$set_from:][] | .interval_s as \$i | .$set_path // {} |
		[(\"$(echo "$*" | sed 's/ /","/g')\") as \$m |
			(.[\$m] // 0) * \$i * (if \$m | test(\"kB/s\") then 1024 else 1 end) | round]] |
		transpose | map(add) | join(\" \")"
}

# For a failed case: what the lines say, beside the sequence numbers, as comments.
probe_show() { # NAME PATH
	probe_whole "$1" | jq -rc "[.seq, .interval_s, .late_ms, .lost, $2] | \"# \\(.)\""
}

# Runs a jq program on the list of lines.
probe_jq() { # NAME PROGRAM
	probe_whole "$1" | jq -rs "$2"
}

# What the probe said, but for what it says when the machine is busy, serves no file system, or has thousands of other tests' connections.
probe_messages() { # NAME
	grep -v -e 'a look at all .* costs \(over\|under\)' -e 'a look at [0-9]* threads\{0,1\} costs ' \
		-e 'cannot be told apart' -e 'TCP connections are at work' "$T/$1.err"
}

# Series files, as `limpet show` gives them: one JSON object per second and instance.
series_rows() { # FAMILY FILE…
	set_family=$1
	shift
	"$O/limpet" show --json --family "$set_family" "$@"
}
series_seqs() { # FILE…: the sequence numbers of their seconds
	series_rows host "$@" | jq -r .seq
}
# The sum of a rate times its interval, rounded second by second.
series_sum() { # FAMILY INSTANCE EXPRESSION FILE…
	set_instance=$2 set_expression=$3
	set_family=$1
	shift 3
	series_rows "$set_family" "$@" | jq -s --arg i "$set_instance" "[.[] | select(.instance == \$i) |
		($set_expression // 0) * .interval_s | round] | add // 0"
}

# A loop device of SIZE on a file in $T, with a number nobody else takes; its name in $loop. udev,
# where there is one, leaves a device alone whose lock somebody holds.
loop_number=$((100000 + $$ % 100000 * 8))
loop_new() { # SIZE
	loop=loop$loop_number
	truncate -s "$1" "$T/$loop.file"
	"$O/tests/loopdev" add $loop_number || return 1
	at_exit "\"$O/tests/loopdev\" remove $loop_number"
	loop_number=$((loop_number + 1))
	eventually [ -b "/dev/$loop" ] || return 1
	losetup "/dev/$loop" "$T/$loop.file" || return 1
	at_exit "losetup -d /dev/$loop 2>/dev/null"
	(exec 9<"/dev/$loop" && flock 9 && exec sleep infinity) &
	holder=$!
	at_exit "end_child $!"
}

# Lets go of the lock, for a device that is to be detached.
loop_release() {
	end_child "$holder"
	:
}

# Direct I/O on a device, one request a block (up to 256 KiB).
read_direct() { # DEVICE SIZE COUNT
	dd if="/dev/$1" of=/dev/null bs="$2" count="$3" iflag=direct status=none
}
write_direct() { # DEVICE SIZE COUNT [FLAGS]
	dd if=/dev/zero of="/dev/$1" bs="$2" count="$3" oflag="direct${4:+,$4}" conv=notrunc status=none
}

# A new network namespace without background traffic; its name in $netns.
netns_count=0
netns_new() {
	netns=limpet-test-$$-$netns_count
	netns_count=$((netns_count + 1))
	ip netns add "$netns" || return 1
	at_exit "ip netns del $netns"
	inside "$netns" sh -c '
		for s in net.ipv4.tcp_congestion_control=reno net.ipv4.tcp_slow_start_after_idle=0 \
			net.ipv4.tcp_early_retrans=0; do
			sysctl -qw $s
		done
		[ ! -e /proc/sys/net/ipv6 ] || sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
			net.ipv6.conf.default.disable_ipv6=1
		ip link set lo up'
}

inside() { # NETNS COMMAND…
	ip netns exec "$@"
}

# Two namespaces, $server (10.77.0.1) and $client (10.77.0.2, and .3, .4…), on one wire v0-v0; the
# neighbours are known, so that nothing is sent but what the test sends.
netns_pair() {
	netns_new || return 1
	server=$netns
	netns_new || return 1
	client=$netns
	ip link add v0 netns "$server" address 02:00:00:00:00:01 type veth \
		peer name v0 netns "$client" address 02:00:00:00:00:02 || return 1
	inside "$server" ip addr add 10.77.0.1/24 dev v0
	inside "$server" ip link set v0 up
	for i in 2 3 4 5; do
		inside "$client" ip addr add 10.77.0.$i/24 dev v0
		inside "$server" ip neigh add 10.77.0.$i lladdr 02:00:00:00:00:02 dev v0 nud permanent
	done
	inside "$client" ip link set v0 up
	inside "$client" ip neigh add 10.77.0.1 lladdr 02:00:00:00:00:01 dev v0 nud permanent
}

# Runs a helper of tests/helpers in a namespace until the end; its output in $T/NAME.out, its
# process in $pid.
helper_start() { # NAME NETNS HELPER ARGUMENT…
	helper=$1
	shift
	: >"$T/$helper.out"
	ns=$1 program=$2
	shift 2
	ip netns exec "$ns" "$O/tests/$program" "$@" >"$T/$helper.out" &
	pid=$!
	at_exit "end_child $pid"
}
