#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2015,SC2016,SC2046,SC2086,SC2154
# Processors, scheduler, memory events and pressure of the whole host, from kernel memory and from
# /proc at once. Such counters never stand still, so each has two bounds that hold however busy the
# machine is: what /proc counted while the work was done, which is wholly inside the lines, and what it
# counted from before the probe's start until the last line was out, which wholly covers them.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel fio stress-ng flock python3
loop_new 64M || all_skip "no loop device (modprobe loop)"
SOURCES="bpf proc"

counters() { # a line "name value" each, as /proc has them; times in s
	awk -v OFMT=%.2f -v hz="$(getconf CLK_TCK)" '
		$1 == "cpu" {
			print "user", $2 / hz; print "nice", $3 / hz
			print "system", ($4 + $7 + $8) / hz; print "idle", $5 / hz
			print "iowait", $6 / hz; print "steal", $9 / hz
		}
		$1 == "ctxt"' /proc/stat
	awk -v OFMT=%.0f '$1 ~ /^(pgpgin|pgpgout|pswpin|pswpout|pgfault|pgmajfault|pgfree|pgscan_kswapd|pgscan_direct)$/
		$1 ~ /^pgsteal_(anon|file)$/ { steal += $2 }
		$1 ~ /^allocstall_/ { stall += $2 }
		END { print "pgsteal", steal; print "allocstall", stall }' /proc/vmstat
	for what in cpu io memory; do
		[ ! -e /proc/pressure/$what ] || sed "s/^\([a-z]*\).*total=/$what-\1 /" /proc/pressure/$what
	done 2>/dev/null | awk -v OFMT=%.6f '{ print $1, $2 / 1e6 }'
}
seen() { # PROBE: the same names, added up over its lines
	probe_whole "$1" | jq -rs --argjson n "$(getconf _NPROCESSORS_ONLN)" '
		def total(rate): map((.system[rate] // 0) * .interval_s) | add;
		[["user", total("%user") * $n / 100], ["nice", total("%nice") * $n / 100],
		["system", total("%system") * $n / 100], ["idle", total("%idle") * $n / 100],
		["iowait", total("%iowait") * $n / 100], ["steal", total("%steal") * $n / 100],
		["ctxt", total("cswch/s")], ["pgpgin", total("pgpgin/s")], ["pgpgout", total("pgpgout/s")],
		["pswpin", total("pswpin/s")], ["pswpout", total("pswpout/s")], ["pgfault", total("fault/s")],
		["pgmajfault", total("majflt/s")], ["pgfree", total("pgfree/s")],
		["pgscan_kswapd", total("pgscank/s")], ["pgscan_direct", total("pgscand/s")],
		["pgsteal", total("pgsteal/s")], ["allocstall", total("allocstall/s")],
		["cpu-some", total("%scpu") / 100], ["io-some", total("%sio") / 100],
		["io-full", total("%fio") / 100], ["memory-some", total("%smem") / 100],
		["memory-full", total("%fmem") / 100]] | .[] | join(" ")'
}

# A small group of its own for what is to swap; with it in $memory and its limit set.
memory_group() { # BYTES
	v1=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
	v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	if [ -n "$v1" ]; then
		memory=$v1/limpet-test-$$
		limit=memory.limit_in_bytes
	else
		memory=$v2/limpet-test-$$
		limit=memory.max
		echo +memory 2>/dev/null >"$v2/cgroup.subtree_control"
	fi
	mkdir "$memory" 2>/dev/null || return 1
	at_exit "eventually group_gone $memory"
	echo "$1" >"$memory/$limit"
}

touch_memory() { # 48 MiB, page by page, three times, in the group
	python3 -c 'import os, sys
open(sys.argv[1] + "/cgroup.procs", "w").write("0")
memory = bytearray(48 << 20)
for turn in range(1, 4):
    for at in range(0, len(memory), 4096):
        memory[at] = turn' "$memory"
}
worked() { # NAME: how much of it the work has done
	counters >"$T/after"
	awk -v n="$1" '$1 == n { v = $2 - v } END { print v + 0 }' "$T/before" "$T/after"
}
enough() { worked $1 | awk -v least="$2" '{ exit !($1 >= least) }'; }
until_worked() { # NAME LEAST COMMAND…: processors differ in speed
	name=$1 least=$2
	shift 2
	for _ in $(seq 50); do
		enough $name $least && break
		"$@"
	done
}
swapped() { [ "$(worked pswpout)" -gt 100 ] && [ "$(worked pswpin)" -gt 100 ]; }

swap=
if grep -q . /proc/swaps && mkswap "/dev/$loop" >/dev/null 2>&1 && memory_group 36M; then
	loop_release
	if swapon "/dev/$loop" 2>/dev/null; then
		at_exit "swapoff /dev/$loop 2>/dev/null"
		swap=yes
	fi
fi

counters >"$T/start"
for source in $SOURCES; do probe_start $source --source $source --disk "$loop"; done
case_begin "a probe of each source records"
probe_wait bpf 1 && probe_wait proc 1 && ok || fail "$(cat "$T"/*.err)"

counters >"$T/before"
{
	# User time, nice time, and two tasks for each processor, which puts pressure on them.
	until_worked nice 0.4 nice -n 10 stress-ng --cpu 2 --cpu-method loop --cpu-ops 400 -q --timeout 20
	[ "$(nice)" != 0 ] || until_worked user 0.4 stress-ng --cpu 4 --cpu-method loop --cpu-ops 300 -q --timeout 20
	stress-ng --switch 1 --switch-ops 30000 -q --timeout 20
	stress-ng --fault 1 --fault-ops 3000 -q --timeout 20
	fio --name=x --filename="$T/pages" --size=16M --rw=write --bs=64k --ioengine=psync --end_fsync=1
	fio --name=x --filename="$T/pages" --size=16M --rw=randread --bs=4k --ioengine=mmap --number_ios=1500
	# One node's memory is asked for some of its page cache back, where the kernel can be asked.
	[ ! -e /sys/devices/system/node/node0/reclaim ] || echo 4M >/sys/devices/system/node/node0/reclaim
	# The disk below the swap space needs memory of the same group, which may cost the task its life.
	for _ in 1 2 3 4 5; do
		[ -z "$swap" ] || swapped || touch_memory
	done
} >"$T/work" 2>&1
counters >"$T/after"
cp "$T/after" "$T/inside"
probe_settle $SOURCES
counters >"$T/end"
for source in $SOURCES; do
	seen $source >"$T/seen-$source"
	probe_stop $source
done

# Counts must be within the bounds but for rounding (kB of sectors, seven digits); times as shares of
# all processors' time within 3 % and 50 ms, for processors tick by themselves. Where the hypervisor
# steals, it is accounted late: one second's shares are of more than a second, another's of less. Then
# times may be off by as much as twice the share that was stolen.
for source in $SOURCES; do
	for name in user nice system idle iowait steal ctxt pgpgin pgpgout pswpin pswpout pgfault pgmajfault \
		pgfree pgscan_kswapd pgscan_direct pgsteal allocstall cpu-some io-some io-full memory-some \
		memory-full; do
		grep -q "^$name " "$T/start" || continue
		case_begin "$source: $name lies between what /proc counted inside and around"
		awk -v name=$name '
			$1 ~ /^(user|nice|system|idle|iowait|steal)$/ && FILENAME ~ /(start|end)$/ {
				sign = FILENAME ~ /end$/ ? 1 : -1
				all += sign * $2
				if ($1 == "steal") stolen += sign * $2
			}
			$1 != name { next }
			FILENAME ~ /seen/ { got = $2 }
			FILENAME ~ /start$/ { start = $2 }
			FILENAME ~ /before$/ { before = $2 }
			FILENAME ~ /inside$/ { after = $2 }
			FILENAME ~ /end$/ { end = $2 }
			END {
				low = after - before
				high = end - start
				slack = 1.5 + 1e-6 * high
				if (name ~ /^(user|nice|system|idle|iowait|steal)$/)
					slack = 0.05 + (0.03 + 2 * stolen / all) * high
				# Pressure is a rate over its own time, from one reading to the next, which on
				# a busy machine come late: over lines of a second it adds up roughly.
				if (name ~ /-/) slack = 0.005 + 0.2 * high
				printf "%s: %.10g, inside %.10g, around %.10g\n", name, got, low, high
				# iowait and idle may run backwards; the probe then has 0.
				exit !(got >= low - slack && got <= high + slack)
			}' "$T/seen-$source" "$T/start" "$T/before" "$T/inside" "$T/end" >"$T/verdict"
		inside=$?
		sed 's/^/# /' "$T/verdict"
		if [ $inside = 0 ]; then ok; else fail "$source: $(cat "$T/verdict")"; fi
	done
done

case_begin "the work did enough of each for that to mean something"
few= plain=user:0.3
[ "$(nice)" = 0 ] || plain= # all of this is nice already
for row in $plain nice:0.3 ctxt:10000 pgpgout:10000 pgfault:10000 pgmajfault:100 pgfree:5000; do
	enough ${row%:*} ${row#*:} || few="$few $row ($(worked ${row%:*}))"
done
if [ -z "$few" ]; then ok; else fail "only$few: $(cat "$T/work")"; fi
case_begin "pages were swapped out and in"
if [ -z "$swap" ]; then
	skip "no swap space can be added here (a kernel with CONFIG_SWAP, and a memory cgroup)"
elif swapped; then
	ok
else
	fail "out $(worked pswpout), in $(worked pswpin): $(cat "$T/work")"
fi

# ---- tasks that wait for a disk ----
[ -z "$swap" ] || swapoff "/dev/$loop"
group=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
throttle=blkio.throttle.read_iops_device limit=2
if [ -z "$group" ]; then
	group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	throttle=io.max limit=riops=2
	echo +io 2>/dev/null >"$group/cgroup.subtree_control"
fi
WAITERS=12
case_begin "$WAITERS tasks that wait for a slow disk are blocked in every second, by both sources"
group=$group/limpet-test-$$-slow
if mkdir "$group" 2>/dev/null && echo "$(cat "/sys/block/$loop/dev") $limit" 2>/dev/null >"$group/$throttle"; then
	at_exit "eventually group_gone $group"
	pids=
	for i in $(seq $WAITERS); do
		sh -c 'echo 0 >"$0/cgroup.procs" && exec dd if="/dev/$1" of=/dev/null bs=4096 iflag=direct status=none' \
			"$group" "$loop" &
		pids="$pids $!"
		at_exit "end_child $!"
	done
	blocked_now() { [ "$(awk '$1 == "procs_blocked" { print $2 }' /proc/stat)" -ge $((WAITERS - 1)) ]; }
	eventually blocked_now
	for source in $SOURCES; do probe_start slow-$source --source $source --disk "$loop"; done
	probe_wait slow-bpf 4
	probe_wait slow-proc 4
	least=
	for source in $SOURCES; do
		# One may just be between two requests.
		least="$least $(probe_jq slow-$source 'map(.system.blocked) | min')"
		probe_stop slow-$source
	done
	# Let go at full speed, for a task in the middle of a request cannot be killed.
	echo "$(cat "/sys/block/$loop/dev") ${limit%[0-9]}$(case $limit in 2) echo 0 ;; *) echo max ;; esac)" >"$group/$throttle"
	kill -KILL $pids
	wait $pids 2>/dev/null
	echo "# least$least"
	set -- $least
	if [ "$1" -ge $((WAITERS - 2)) ] && [ "$2" -ge $((WAITERS - 2)) ]; then ok; else fail "least blocked:$least"; fi
else
	skip "no cgroup controller slows down a disk here (CONFIG_BLK_DEV_THROTTLING)"
fi
