#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2015,SC2034,SC2046,SC2086,SC2154
# Disks from kernel memory and from /sys at once, against /proc/diskstats and sar -d: all fields,
# under every I/O scheduler, with merged requests, discards, flushes and the page cache.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
. tests/kernel/diskstats.sh
need_kernel losetup blkdiscard flock fio sar
loop_new 64M || all_skip "no loop device (modprobe loop)"
SOURCES="bpf proc"

quiet_fio() { # fio's arguments
	fio --name=x --filename="/dev/$loop" --direct=1 --randseed=23 "$@" >"$T/fio" 2>&1 || cat "$T/fio"
}
agree() { # compares what came since the mark, by both
	now=$(diskstats "$loop")
	for source in $SOURCES; do
		eval "from=\$mark_$source"
		diskstats_agree $source "$loop" "$before" "$now" "$from" || return 1
	done
}
mark() {
	before=$(diskstats "$loop")
	for source in $SOURCES; do
		eval "mark_$source=$(probe_lines $source)"
	done
}
grew() { # FIELD OF /proc/diskstats: since the mark
	echo "$before $now" | awk -v i="$1" '{ print $(17 + i) - $i }'
}

case_begin "a probe of each source records"
for source in $SOURCES; do probe_start $source --source $source --disk "$loop"; done
probe_wait bpf 1 && probe_wait proc 1 && ok || fail "$(cat "$T"/*.err)"
whole=$(diskstats "$loop")
# sar leaves out a disk that has done nothing yet.
read_direct "$loop" 4096 1
probe_settle $SOURCES
: >"$T/sar"
LC_ALL=C stdbuf -oL sar -d --dev="$loop" 1 3600 >"$T/sar" 2>&1 &
sar_pid=$!
at_exit "end_child $sar_pid"
sar_began() { grep -q "$loop" "$T/sar"; }
eventually sar_began

mark
quiet_fio --rw=randrw --bs=4k --ioengine=libaio --iodepth=32 --size=64M --number_ios=3000
quiet_fio --rw=randrw --bsrange=512-256k --ioengine=libaio --iodepth=8 --size=64M --number_ios=400
quiet_fio --rw=randrw --bs=4k --ioengine=psync --size=64M --number_ios=500
probe_settle $SOURCES
case_begin "random reads and writes of many sizes and depths: every field of /proc/diskstats"
agree && {
	if [ "$(grew 1)" -ge 1500 ] && [ "$(grew 5)" -ge 1500 ]; then ok; else
		fail "only $(grew 1) reads and $(grew 5) writes were done"
	fi
}
case_begin "the part in the device is in the whole (20 us a request)"
# Of all seconds together: a request at the end of one may be in the kernel's statistics of the next.
over=$(probe_jq bpf "[.[] | .interval_s as \$t | .disk.$loop | select(.r_dev != null or .w_dev != null) |
	[(.[\"r/s\"] * \$t), (.[\"w/s\"] * \$t)] as [\$r, \$w] |
	[(.r_dev // 0) * \$r + (.w_dev // 0) * \$w, (.r_await // 0) * \$r + (.w_await // 0) * \$w, \$r + \$w]] |
	[length > 0, (transpose | map(add // 0) | .[0] > .[1] + 0.02 * .[2] or (.[2] > 0 and .[0] <= 0))] | tojson")
timed=$(probe_jq bpf "[.[].disk.$loop | .dev[][][][2]] | add // 0")
if [ "$timed" -eq 0 ]; then
	# The driver's start is stamped only where the queue keeps statistics for itself.
	check_eq "$over" "[false,false]" "no time without a start" && ok
else
	check_eq "$over" "[true,false]" "longer than the whole" && ok
fi

# sar gives averages from its first look to its last, and those of a request do not depend on when.
kill -INT $sar_pid
wait $sar_pid
now=$(diskstats "$loop")
case_begin "areq-sz and await are sar -d's (to its two decimals)"
set -- $(awk -v d="$loop" '
	/areq-sz/ { for (i = 1; i <= NF; i++) { if ($i == "areq-sz") a = NF - i; if ($i == "await") w = NF - i } }
	/^Average/ && index($0, d) { print $(NF - a), $(NF - w) }' "$T/sar")
for source in $SOURCES; do
	eval "from=\$mark_$source"
	diskstats_seen $source "$loop" "$from" | awk -v size="$1" -v await="$2" '{
		n = $1 + $5
		a = ($3 + $7) / 2 / n - size
		w = ($4 + $8) / n - await
		printf "# %s: areq-sz differs by %.4f, await by %.4f\n", "'$source'", a, w
		exit !(size > 0 && a * a < 0.011 ^ 2 && w * w < 0.011 ^ 2)
	}' || fail "$source: sar says areq-sz $1, await $2: $(tail -n 1 "$T/sar")"
done
[ -z "$lib_case" ] || ok

scheduler=/sys/block/$loop/queue/scheduler
was=$(sed 's/.*\[\(.*\)\].*/\1/' "$scheduler")
at_exit "echo $was >$scheduler 2>/dev/null"
for name in $(tr -d '[]' <"$scheduler"); do
	case_begin "scheduler $name: 32 neighbours submitted at once are merged, and merges are counted"
	if ! echo "$name" 2>/dev/null >"$scheduler"; then
		skip "cannot be chosen"
		continue
	fi
	mark
	for rw in write read; do
		quiet_fio --rw=$rw --bs=4k --ioengine=libaio --iodepth=32 --iodepth_batch=32 \
			--iodepth_batch_complete_min=32 --size=16M --number_ios=2048
	done
	probe_settle $SOURCES
	agree && {
		if [ "$(grew 2)" -gt 100 ] && [ "$(grew 6)" -gt 100 ]; then ok; else
			fail "the kernel merged $(grew 2) reads and $(grew 6) writes only"
		fi
	}
done
echo "$was" >"$scheduler"

mark
dd if=/dev/zero of="/dev/$loop" bs=64k count=256 conv=notrunc,fsync status=none
blockdev --flushbufs "/dev/$loop"
dd if="/dev/$loop" of=/dev/null bs=64k count=256 status=none
for i in 1 2 3; do sync "/dev/$loop"; done
write_direct "$loop" 4096 7 dsync
for i in 1 2 3 4; do blkdiscard -f -o ${i}M -l 128K "/dev/$loop"; done 2>/dev/null
blkdiscard -f -z -o 8M -l 2M "/dev/$loop" 2>/dev/null
probe_settle $SOURCES
case_begin "through the page cache, flushes, discards and zeroes: every field of /proc/diskstats"
agree && {
	if [ "$(grew 16)" -gt 0 ] && [ "$(grew 12)" -ge 4 ] && [ "$(grew 3)" -ge 32768 ]; then ok; else
		fail "the kernel saw f $(grew 16), d $(grew 12), sectors read $(grew 3)"
	fi
}

case_begin "all of it together, from before the first I/O"
mark_bpf=0 mark_proc=0 before=$whole
agree && ok
case_begin "both sources have the same metrics"
check_eq "$(probe_jq bpf ".[0].disk.$loop | del(.lat, .dev) | keys | length")" \
	"$(probe_jq proc ".[0].disk.$loop | keys | length")" metrics && ok
