#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# The host's counters against /proc/stat and /proc/vmstat: switches, faults, pages in and out.
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
. tests/vm/guest/bracket.sh
need_kernel losetup
[ -b /dev/vda ] || all_skip "no disk 'vda'"
PROBES="auto raw proc"

bracket_open $PROBES
probe_start auto --disk vda
probe_start raw --disk vda --attach raw_tp
probe_start proc --disk vda --source proc
for p in $PROBES; do probe_wait $p 1; done
bracket_begin
dd if=/dev/vda of=/dev/null bs=64K count=80 iflag=direct status=none
dd if=/dev/zero of=/dev/vda bs=64K count=40 oflag=direct conv=notrunc status=none
i=0
while [ $i -lt 100 ]; do
	/busybox/busybox true | cat
	i=$((i + 1))
done
bracket_end

for p in $PROBES; do
	for pair in ctxt:cswch/s pgfault:fault/s pgmajfault:majflt/s pgfree:pgfree/s \
		pgpgin:pgpgin/s pgpgout:pgpgout/s; do
		case_begin "$p: ${pair#*:} adds up to the kernel's ${pair%:*}"
		# Nothing in this machine reads from a disk but the test, so nothing has to be
		# read in for a fault.
		if [ $pair = pgmajfault:majflt/s ]; then
			check_eq "$(probe_sum $p '.system["majflt/s"]')" 0 "major faults" && ok
		else
			bracketed $p ${pair%:*} ${pair#*:} && ok
		fi
	done
	# Nobody else uses the disk here.
	case_begin "$p: pages in and out are what was read and written, to the kilobyte"
	check_eq "$(probe_sum $p '.system["pgpgin/s"]') $(probe_sum $p '.system["pgpgout/s"]')" "5120 2560" \
		"kB in and out" && ok
done
