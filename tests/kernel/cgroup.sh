#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Whose I/O it is: own, foreign or unknown, by cgroup; and the three make up the whole.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel flock
loop_new 32M || all_skip "no loop device (modprobe loop)"

group_new() { # PATH
	mkdir "$1" || return 1
	at_exit "eventually group_gone $1"
}
# In the group from before the command's first instruction to its end.
in_group() { # PATH COMMAND…
	# shellcheck disable=SC2016
	sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$@"
}
bytes() { # PROBE METRIC…
	set_name=$1
	shift
	probe_sums "$set_name" "disk.$loop" 0 "$@"
}
all_bytes() { # PROBE: of reads and foreign ones, of writes, foreign and unknown ones
	bytes "$1" rkB/s foreign-rkB/s wkB/s foreign-wkB/s unknown-wkB/s
}
read_in() { in_group "$1" dd if="/dev/$loop" of=/dev/null bs=4096 count="$2" iflag=direct status=none; }
write_in() { in_group "$1" dd if=/dev/zero of="/dev/$loop" bs=4096 count="$2" $3 conv=notrunc status=none; }
# As the kernel's own threads do it; a group that calls fsync(2) itself is known.
write_back() { in_group "$1" sync "/dev/$loop"; }

labels() { # ROOT VERSION
	own=$1/limpet-test-$$-own
	second=$1/limpet-test-$$-second
	foreign=$1/limpet-test-$$-foreign
	case_begin "$2: probes label by one group, by two, and by none"
	group_new "$own" && group_new "$own/child" && group_new "$second" && group_new "$foreign" || return
	# In v2 a group that hands the controller down to others has no processes itself.
	within=$own
	if [ "$2" = v2 ]; then
		within=$own/leaf
		group_new "$within" && echo +io >"$own/cgroup.subtree_control" || return
	fi
	for mode in tp_btf raw_tp; do
		probe_start $2-$mode --disk "$loop" --cgroup "$own" --attach $mode
	done
	probe_start $2-two --disk "$loop" --cgroup "$own" --cgroup "$second"
	probe_start $2-child --disk "$loop" --cgroup "$own/child"
	probe_start $2-none --disk "$loop"
	for p in tp_btf raw_tp two child none; do probe_wait $2-$p 1 || return; done
	ok
	# A power of two each, so that a sum tells who is in it (4 KiB once, twice, four times…).
	read_in "$within" 1
	read_in "$own/child" 2
	read_in "$second" 4
	read_in "$foreign" 8
	read_in "$1" 16
	write_in "$within" 1 oflag=direct
	write_in "$own/child" 2 oflag=direct
	write_in "$second" 4 oflag=direct
	write_in "$foreign" 8 oflag=direct
	probe_settle $2-tp_btf $2-raw_tp $2-two $2-child $2-none
	for mode in tp_btf raw_tp; do
		case_begin "$2 $mode: the group and what is below it are own, other groups foreign"
		check_eq "$(all_bytes $2-$mode)" "$((31 * 4096)) $((28 * 4096)) $((15 * 4096)) $((12 * 4096)) 0" \
			"reads, foreign, writes, foreign, unknown (bytes)" && ok
	done
	case_begin "$2: two groups may be own"
	check_eq "$(all_bytes $2-two)" "$((31 * 4096)) $((24 * 4096)) $((15 * 4096)) $((8 * 4096)) 0" \
		"reads, foreign, writes, foreign, unknown (bytes)" && ok
	case_begin "$2: a group's parent is foreign to it"
	check_eq "$(all_bytes $2-child)" "$((31 * 4096)) $((29 * 4096)) $((15 * 4096)) $((13 * 4096)) 0" \
		"reads, foreign, writes, foreign, unknown (bytes)" && ok
	case_begin "$2: without --cgroup origins are null, not 0"
	check_eq "$(probe_jq $2-none "[.[].disk.$loop | .[\"foreign-rkB/s\",\"foreign-wkB/s\",
		\"unknown-wkB/s\"]] | unique | tojson")" "[null]" "values" && ok
}

# What was in a group before it was removed stays own, and what is in the one made anew is.
anew() { # VERSION GROUP
	set_probe=$1-child
	case_begin "$1: a group that was made anew is followed, and that is said"
	before=$(all_bytes $set_probe)
	eventually group_gone "$2" && mkdir "$2" || { fail "'$2' is not to be removed"; return; }
	eventually grep -q 'was made anew' "$T/$set_probe.err" || { fail "not said"; return; }
	read_in "$2" 32
	read_in "$foreign" 64
	probe_settle $set_probe
	# shellcheck disable=SC2046,SC2086
	set -- $(echo $before $(all_bytes $set_probe) | awk '{ print $6 - $1, $7 - $2 }')
	check_eq "$*" "$((96 * 4096)) $((64 * 4096))" "reads, foreign (bytes)" && ok
}

v1=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
if [ -n "$v1" ]; then
	labels "$v1" v1
	case_begin "v1: writeback of the page cache is unknown, whoever wrote"
	before=$(all_bytes v1-tp_btf)
	write_in "$own" 16
	write_back "$v1"
	write_in "$foreign" 32
	write_back "$v1"
	probe_settle v1-tp_btf v1-raw_tp
	# shellcheck disable=SC2046,SC2086
	set -- $(echo $before $(all_bytes v1-tp_btf) | awk '{ print $8 - $3, $9 - $4, $10 - $5 }')
	check_eq "$*" "$((48 * 4096)) 0 $((48 * 4096))" "writes, foreign, unknown (bytes)" &&
		check_eq "$(bytes v1-raw_tp unknown-wkB/s)" $((48 * 4096)) "unknown by raw_tp (bytes)" && ok
	case_begin "v1: what a group syncs itself is its own"
	# If another program calls sync(2) in between, the kernel writes some of it back for that: once more then.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		before=$(all_bytes v1-tp_btf)
		write_in "$own" 16 conv=fsync
		write_in "$foreign" 32 conv=fsync
		probe_settle v1-tp_btf
		# shellcheck disable=SC2046,SC2086
		set -- $(echo $before $(all_bytes v1-tp_btf) | awk '{ print $8 - $3, $9 - $4, $10 - $5 }')
		[ "$3" != 0 ] || break
	done
	check_eq "$*" "$((48 * 4096)) $((32 * 4096)) 0" "writes, foreign, unknown (bytes)" && ok
	case_begin "v1: direct writes of the root group cannot be told from writeback: unknown"
	before=$(all_bytes v1-tp_btf)
	write_in "$v1" 64 oflag=direct
	probe_settle v1-tp_btf
	# shellcheck disable=SC2046,SC2086
	set -- $(echo $before $(all_bytes v1-tp_btf) | awk '{ print $6 - $1, $7 - $2, $8 - $3, $9 - $4, $10 - $5 }')
	check_eq "$*" "0 0 $((64 * 4096)) 0 $((64 * 4096))" "reads, foreign, writes, foreign, unknown (bytes)" && ok
	anew v1 "$own/child"
	case_begin "v1: own, foreign and unknown are never more than the whole"
	check_eq "$(probe_jq v1-tp_btf "[.[].disk.$loop | .[\"foreign-rkB/s\"] <= .[\"rkB/s\"] and
		.[\"foreign-wkB/s\"] + .[\"unknown-wkB/s\"] <= .[\"wkB/s\"] * 1.000001] | all")" true \
		"in every second" && ok
fi

v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$v2" ] && grep -qw io "$v2/cgroup.controllers"; then
	if grep -qw io "$v2/cgroup.subtree_control" || echo +io >"$v2/cgroup.subtree_control"; then
		labels "$v2" v2
		case_begin "v2: writeback belongs to the group that wrote"
		write_in "$within" 16
		write_in "$foreign" 32
		write_back "$v2"
		probe_settle v2-tp_btf
		check_eq "$(bytes v2-tp_btf unknown-wkB/s)" 0 "unknown (bytes)" && ok
		anew v2 "$own/child"
	else
		case_begin "v2: I/O is labelled by cgroup"
		skip "the io controller cannot be switched on"
	fi
elif [ -z "$v1" ]; then
	case_begin "I/O is labelled by cgroup"
	skip "no cgroup hierarchy has the block controller (CONFIG_BLK_CGROUP)"
fi
