#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2034,SC2046,SC2086,SC2154
# cgroup v2 and a file system: what the page cache writes back belongs to the group that wrote it,
# whoever syncs.
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel sync
[ -b /dev/vda ] || all_skip "no disk 'vda'"
groups=/sys/fs/cgroup
# Only with both controllers does the kernel keep the pages' owners apart.
echo '+memory +io' >$groups/cgroup.subtree_control || all_skip "no cgroup v2 with memory and io"
for group in own foreign; do
	mkdir "$groups/$group" || exit 1
	at_exit "eventually group_gone $groups/$group"
done
write_in() { # GROUP BLOCKS [FLAGS]
	group=$1 blocks=$2
	shift 2
	# shellcheck disable=SC2016
	/bin/sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$groups/$group" dd if=/dev/zero \
		of="$T/mnt/$group" bs=4096 count=$blocks conv=notrunc status=none "$@"
}
kb() { # PROBE FROM: of writes: all, foreign, unknown
	for metric in wkB/s foreign-wkB/s unknown-wkB/s; do
		probe_sum "$1" ".disk.vda[\"$metric\"]" "$2"
	done | tr '\n' ' '
}
mark() {
	mark_tp_btf=$(probe_lines tp_btf)
	mark_raw_tp=$(probe_lines raw_tp)
}
mark_of() { eval "echo \$mark_$1"; }
MODES="tp_btf raw_tp"
# Own to the kilobyte; foreign too but for the inode, which some kernels write in the name of the one
# who syncs.
synced() { # OWN FOREIGN, since the mark
	set -- "$1" "$2" $(kb $mode "$(mark_of $mode)")
	[ $(($3 - $4 - $5)) -eq "$1" ] && [ "$4" -ge "$2" ] && [ "$4" -le $(($2 + 8)) ] &&
		[ "$5" -eq 0 ] && return
	fail "writes, foreign, unknown (kB): $3 $4 $5; $1 own and $2 foreign were written"
	return 1
}

mkdir "$T/mnt"
mke2fs -b 4096 /dev/vda >/dev/null && mount -t ext4 -o noatime /dev/vda "$T/mnt" || exit 1
at_exit "umount $T/mnt"
# The files stand, on the disk and as each group's own, so that only their blocks are written below.
write_in own 64
write_in foreign 128
sync
for mode in $MODES; do
	probe_start $mode --disk vda --cgroup "$groups/own" --attach $mode
done
case_begin "the probe records with a group of its own"
probe_wait tp_btf 1 && probe_wait raw_tp 1 && ok

write_in own 1 oflag=direct
write_in foreign 2 oflag=direct
probe_settle $MODES
for mode in $MODES; do
	case_begin "$mode: direct writes to files belong to the group that wrote"
	check_eq "$(kb $mode 0)" "12 8 0 " "writes, foreign, unknown (kB)" && ok
done

mark
write_in own 64
sync -d "$T/mnt/own"
probe_settle $MODES
for mode in $MODES; do
	case_begin "$mode: what somebody else syncs is the writer's own"
	synced 256 0 && ok
done

mark
write_in foreign 128
sync -d "$T/mnt/foreign"
probe_settle $MODES
for mode in $MODES; do
	case_begin "$mode: and foreign when a foreign group wrote it"
	synced 0 512 && ok
done

mark
write_in own 32
write_in foreign 96
sync
probe_settle $MODES
# The kernel's own threads write everything now, the changed inodes too, which are a block or two.
for mode in $MODES; do
	case_begin "$mode: the kernel's threads write in the name of the groups"
	set -- $(kb $mode "$(mark_of $mode)")
	if [ $(($1 - $2)) -ge 128 ] && [ $(($1 - $2)) -le 192 ] && [ "$2" -ge 384 ] &&
		[ "$2" -le 448 ] && [ "$3" -eq 0 ]; then
		ok
	else
		fail "writes, foreign, unknown (kB): $*; 128 own and 384 foreign were written"
	fi
done
