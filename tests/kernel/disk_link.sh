#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# A disk given by a link of /dev/disk where the nodes are not to be seen, as the service has it.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup unshare
loop_new 8M || all_skip "no loop device"
mkdir -p "$T/disk/by-id"
ln -s "../../$loop" "$T/disk/by-id/wwn-1"
ln -s ../../nosuchdisk "$T/disk/by-id/wwn-2"
in_service() { # DISK
	unshare -m sh -c 'mount -t tmpfs limpet-test /dev && mkdir /dev/disk && mount --bind "$1" /dev/disk &&
		shift && exec "$@"' - "$T/disk" "$PROBE" record -j --source proc --disk "$1" 1 1 \
		2>"$T/stderr" | jq -r '.disk | keys | join(" ")'
}
for disk in "/dev/disk/by-id/wwn-1" "/dev/$loop" "$loop"; do
	case_begin "'${disk%"$loop"}…' is found without device nodes"
	check_eq "$(in_service "$disk")" "$loop" "disks recorded ($(cat "$T/stderr"))" && ok
done
case_begin "a link to a disk that is not there is refused by its name"
check_eq "$(in_service /dev/disk/by-id/wwn-2) $(grep -c "no disk '/dev/disk/by-id/wwn-2'" "$T/stderr")" " 1" \
	"disks, message" && ok
