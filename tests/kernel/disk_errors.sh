#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Requests whose times are left out: those that fail; of histograms, zeroes that the disk makes itself, too.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup blkdiscard flock
loop_new 32M || all_skip "no loop device (modprobe loop)"
MODES="tp_btf raw_tp"

sums() { # PROBE METRIC…
	set_name=$1
	shift
	probe_sums "$set_name" "disk.$loop" 0 "$@"
}
# What the kernel did not hand to a program, because that was just running for another request on the same
# processor, is in "lost", every tenth second.
unseen() { # PROBE
	probe_settle $1 && probe_show $1 ".disk.$loop[\"r/s\", \"err/s\"]"
	bpftool prog show 2>/dev/null | grep -E 'block_(typed|raw).*recursion_misses' | sed 's/^/# /'
}
histogram() { # PROBE KIND: requests of reads and writes
	probe_jq "$1" "[.[].disk.$loop.$2] | [[\"read\",\"write\"][] as \$op | [.[][\$op][][][2]] | add // 0] |
		map(tostring) | join(\" \")"
}

for mode in $MODES; do probe_start $mode --disk "$loop" --attach $mode; done
case_begin "probes record"
probe_wait tp_btf 1 && probe_wait raw_tp 1 && ok || fail "$(cat "$T"/*.err)"
before=$(awk -v d="$loop" '$3 == d { print $8 }' /proc/diskstats)
blkdiscard -f -z -o 0 -l 1M "/dev/$loop"
zeroed=$(($(awk -v d="$loop" '$3 == d { print $8 }' /proc/diskstats) - before))
# What is beyond the end of the file behind a loop device cannot be read.
losetup --direct-io=on "/dev/$loop" 2>/dev/null
truncate -s 16M "$T/$loop.file"
read_direct "$loop" 4096 23
for i in 1 2 3 4 5 6 7; do
	dd if="/dev/$loop" of=/dev/null bs=4096 count=1 skip=$((5000 + i)) iflag=direct status=none 2>/dev/null &&
		echo "# read $i beyond the end did not fail"
done
write_direct "$loop" 4096 5
probe_settle $MODES
for mode in $MODES; do
	case_begin "$mode: 7 reads of 30 fail, and are counted as reads and as errors"
	if check_eq "$(sums $mode r/s err/s)" "30 7" "requests"; then ok; else unseen $mode; fi
	case_begin "$mode: no histogram has those that failed"
	check_eq "$(histogram $mode lat)" "23 5" "reads, writes" && ok
	case_begin "$mode: zeroes written are writes, and in no histogram"
	if [ $zeroed -gt 0 ]; then
		check_eq "$(sums $mode w/s)" $((5 + zeroed)) "writes" &&
			check_eq "$(histogram $mode lat)" "23 5" "reads, writes" && ok
	else
		skip "this loop device writes no zeroes"
	fi
done

# The loop device reads what there is, and gives the rest of the request back.
case_begin "a request that goes back to the queue is counted, and told when it fails at last"
dd if="/dev/$loop" of=/dev/null bs=64k count=1 skip=$((16 * 1048576 - 32768)) iflag=direct,skip_bytes \
	status=none 2>/dev/null
probe_settle $MODES
if [ "$(cat "/sys/block/$loop/loop/dio")" = 1 ]; then
	check_eq "$(sums tp_btf err/s requeue/s), $(sums raw_tp err/s requeue/s)" "8 1, 8 1" \
		"errors and requeues" && ok
else
	skip "the file system of '$T' has no direct I/O for a loop device"
fi

case_begin "without times of requests there is no histogram, not an empty one"
# Nor has the throttling of writeback the driver's time stamped.
{ echo 0 >"/sys/block/$loop/queue/iostats" && echo 0 >"/sys/block/$loop/queue/wbt_lat_usec"; } 2>/dev/null
measured() { # requests of which there are times, in each second that has some; "none": no histogram
	mark=$(probe_lines tp_btf)
	read_direct "$loop" 4096 3
	probe_settle $MODES
	got=$(probe_jq tp_btf "[.[$mark:][].disk.$loop | select(.[\"r/s\"] > 0) | .lat |
		if . == null then \"none\" else [.. | arrays | select(length == 3 and (.[2] | numbers)) | .[2]] | add // 0 end] |
		unique | map(tostring) | join(\" \")")
}
# The throttling ends a while after it is told to: until then some requests have times.
for _ in 1 2 3 4 5 6 7 8; do
	measured
	[ "$got" != none ] || break
done
# Where something else still has the time stamped, all three are measured.
case $got in
none | 3) ok ;;
*) fail "histograms: $got" ;;
esac
