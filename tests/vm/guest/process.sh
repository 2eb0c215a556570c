#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2086,SC2154
# Processes: what one read and wrote on a disk is found, also of one that has ended.
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel dd
[ -b /dev/vda ] || all_skip "no disk 'vda'"
PROBES="tp_btf raw_tp"

total() { # PROBE METRIC: kB of all processes
	probe_jq $1 "[.[] | .interval_s as \$i | .process // {} | .[] | (.[\"$2\"] // 0) * \$i] |
		add // 0 | round"
}
for p in $PROBES; do probe_start $p --disk vda --attach $p; done
for p in $PROBES; do probe_wait $p 2; done
dd if=/dev/vda of=/dev/null bs=64K count=160 iflag=direct status=none
dd if=/dev/zero of=/dev/vda bs=64K count=80 oflag=direct conv=notrunc status=none
# Looks at processes are rare where they are costly, as they are under emulation.
there() { [ "$(total $1 kB_rd/s)" -ge 10240 ] && [ "$(total $1 kB_wr/s)" -ge 5120 ]; }
for p in $PROBES; do
	case_begin "$p: bytes that ended processes read and wrote are there, to the kilobyte"
	eventually there $p || probe_show $p .process
	check_eq "$(total $p kB_rd/s) $(total $p kB_wr/s)" "10240 5120" "kB read, written" && ok
	case_begin "$p: they are those of dd"
	check_eq "$(probe_jq $p '[.[] | .interval_s as $i | .process // {} | to_entries[] |
		select(.key | startswith("dd:")) | (.value["kB_rd/s"] // 0) * $i] | add // 0 |
		round')" 10240 "kB read by dd" && ok
done
