#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# NVMe with two paths: the disk that users see hands its requests to hidden ones, and the probe counts there.
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel awk
# The kernel looks for it while this machine is already at work, and whichever controller it finds first
# gives the disk its number.
has_disk() {
	for disk in /sys/block/nvme*c0n1; do
		disk=${disk##*/}
		disk=${disk%c0n1}n1
		[ -b /dev/$disk ] && [ -d "/sys/block/${disk%n1}c1n1" ] && return
	done
	return 1
}
[ -d /sys/class/nvme ] || all_skip "no NVMe here"
eventually has_disk || all_skip "no native multipath ($(echo /sys/block/nvme*))"
MODES="tp_btf raw_tp"

histogram() { # PROBE: requests of reads and writes
	probe_jq "$1" "[.[].disk.$disk.lat] | [[\"read\",\"write\"][] as \$op | [.[][\$op][][][2]] | add // 0] |
		map(tostring) | join(\" \")"
}
by_paths() { # FIELD: what their own statistics say
	awk -v f="$1" '$3 ~ /^nvme[0-9]c[01]n1$/ { n += $f } END { print n + 0 }' /proc/diskstats
}

for mode in $MODES; do probe_start $mode --disk $disk --attach $mode; done
case_begin "probes record"
probe_wait tp_btf 1 && probe_wait raw_tp 1 && ok || fail "$(cat "$T"/*.err)"
read_direct $disk 4096 23
write_direct $disk 4096 17
probe_settle $MODES
for mode in $MODES; do
	case_begin "$mode: reads and writes of the disk are in its histograms, whichever path they took"
	check_eq "$(histogram $mode)" "23 17" "reads, writes" && ok
done
# Before Linux 6.4 the disk has no statistics of its own, only its paths have: its rates are then its requests.
case_begin "its rates are its requests, also where the kernel keeps statistics of the paths only"
check_eq "$(probe_sums tp_btf "disk.$disk" 0 r/s w/s)" "23 17" "reads, writes" && ok
want=$(awk -v d=$disk '$3 == d { print $4, $8 }' /proc/diskstats)
echo "# paths: $(by_paths 4) reads, $(by_paths 8) writes; the disk: $want"
