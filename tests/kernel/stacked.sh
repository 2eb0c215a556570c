#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2015,SC2016,SC2046,SC2086,SC2154
# Awkward disks: bio-based and stacked ones, statistics switched off and on, disks that come, go, grow
# and give their number to others. Runs those this kernel has a driver for, or the ones named:
#
#   tests/kernel/stacked.sh [loop|zram|brd|dm|md|null_blk|virtio]…
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
. tests/kernel/diskstats.sh
need_kernel losetup blkdiscard flock fio
loop_new 48M || all_skip "no loop device (modprobe loop)"
low=$loop
SOURCES="bpf proc"

has_driver() { # NAME IN /proc/devices
	grep -qw "$1" /proc/devices
}
if [ $# -eq 0 ]; then
	set -- loop
	! has_driver zram || set -- "$@" zram
	! has_driver ramdisk || set -- "$@" brd
	! has_driver device-mapper || set -- "$@" dm
	! has_driver md || ! command -v mdadm >/dev/null || set -- "$@" md
	[ ! -e /sys/block/nullb0 ] || set -- "$@" null_blk
fi
kinds="$*"
wanted() { case " $kinds " in *" $1 "*) return 0 ;; esac; return 1; }

run=0
both_start() { # DISK…: a probe of each source, on a name and a mark of their own
	run=$((run + 1))
	both=
	options=
	for d; do options="$options --disk $d"; done
	for source in $SOURCES; do
		probe_start $source-$run --source $source $options
		both="$both $source-$run"
	done
	for p in $both; do probe_wait $p 1 || return 1; done
}
both_stop() {
	for p in $both; do probe_stop $p; done
}
both_agree() { # DISK "BEFORE"
	for p in $both; do diskstats_agree $p "$1" "$2" "$(diskstats "$1")" || return 1; done
}
work() { # DISK: something of everything
	read_direct "$1" 4096 23
	write_direct "$1" 64K 17
	fio --name=x --filename="/dev/$1" --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=16 \
		--size=8M --number_ios=500 --randseed=5 >"$T/fio" 2>&1 || cat "$T/fio"
	dd if=/dev/zero of="/dev/$1" bs=64k count=64 conv=notrunc,fsync status=none
	blkdiscard -f -o 1M -l 256K "/dev/$1" 2>/dev/null
	:
}
# The usual case of a disk without requests of its own.
bio_based() { # DISK
	before=$(diskstats "$1")
	both_start "$1" || return
	work "$1"
	probe_settle $both
	both_agree "$1" "$before" && {
		timed=$(probe_jq bpf-$run "[.[].disk[\"$1\"] | .lat // {} | .. | arrays | select(length == 3 and (.[2] | numbers)) | .[2]] |
			add // 0")
		did=$(probe_sum bpf-$run ".disk[\"$1\"].tps")
		echo "# $1: $did reads and writes, $timed in the histograms"
		[ -d "/sys/block/$1/mq" ] || check_eq "$(probe_jq bpf-$run "[.[].disk[\"$1\"] | .lat, .dev] |
			unique | tojson")" "[null]" "histograms" && {
			if [ "$did" -gt 500 ]; then ok; else fail "only $did reads and writes"; fi
		}
	}
	both_stop
}

if wanted loop; then
	case_begin "loop: statistics switched off and on while it is recorded: no I/O is lost or counted twice"
	stats=/sys/block/$low/queue/iostats
	at_exit "echo $(cat "$stats") >$stats 2>/dev/null"
	both_start "$low"
	read_direct "$low" 4096 23
	probe_settle $both
	echo 0 >"$stats"
	probe_settle $both
	off=$(probe_lines bpf-$run)
	read_direct "$low" 4096 31
	write_direct "$low" 4096 5
	probe_settle $both
	echo 1 >"$stats"
	probe_settle $both
	on=$(probe_lines bpf-$run)
	read_direct "$low" 4096 41
	probe_settle $both
	sum() { probe_sum bpf-$run ".disk.$low[\"$1\"]" $2 $3; }
	check_eq "$(sum r/s 0 $off) $(sum r/s $off $on) $(sum w/s $off $on) $(sum r/s $on) $(sum r/s 0)" \
		"23 31 5 41 95" "before, while off (reads, writes), after, all" && {
		# From /sys alone it cannot be told from an idle disk, so that is what it is there.
		check_eq "$(probe_sum proc-$run ".disk.$low[\"r/s\"]")" 64 "reads from /sys" && ok
	}
	case_begin "loop: while they are off, no await and no utilisation is made up"
	check_eq "$(probe_jq bpf-$run "[.[$off:$on][].disk.$low | select(.[\"r/s\"] > 0) |
		[.r_await, .[\"%util\"], .[\"aqu-sz\"]]] | flatten | unique | tojson")" "[null]" "values" && ok
	both_stop

	loop_new 8M || all_skip "no loop device (modprobe loop)"
	loop_release
	hot=$loop
	case_begin "loop: a disk that grows while it is watched stays the same disk"
	both_start "$hot"
	before=$(diskstats "$hot")
	read_direct "$hot" 4096 7
	truncate -s 16M "$T/$hot.file"
	losetup -c "/dev/$hot"
	dd if="/dev/$hot" of=/dev/null bs=4096 skip=3000 count=9 iflag=direct status=none
	probe_settle $both
	both_agree "$hot" "$before" && check_eq "$(probe_messages bpf-$run)" "" "messages" && ok
	both_stop

	# Taken out wholly, so that its memory is given back, and made again under the same number.
	case_begin "loop: a disk whose number is given to another counts neither's I/O twice"
	again() { losetup "/dev/$hot" "$T/$hot.file" 2>/dev/null; }
	away() { [ ! -e "/sys/block/$hot" ]; }
	take_out() {
		losetup -d "/dev/$hot" 2>/dev/null
		"$O/tests/loopdev" remove "${hot#loop}" 2>/dev/null
		away
	}
	both_start "$hot"
	read_direct "$hot" 4096 13
	probe_settle $both
	for p in $both; do eval "lines_${p%%-*}=$(probe_lines $p)"; done
	eventually take_out
	"$O/tests/loopdev" add "${hot#loop}"
	eventually [ -b "/dev/$hot" ]
	eventually again
	is_back() { grep -q "disk '$hot' is back" "$T/bpf-$run.err" && grep -q "disk '$hot' is back" "$T/proc-$run.err"; }
	eventually is_back
	probe_settle $both
	read_direct "$hot" 4096 19
	probe_settle $both
	for p in $both; do
		eval "lines=\$lines_${p%%-*}"
		check_eq "$(probe_sum $p ".disk.$hot[\"r/s\"]" 0 $lines) $(probe_jq $p \
			"[.[].disk.$hot[\"r/s\"] // 0 | select(. > 19.5)] | length")" "13 0" "$p: reads before; impossible rates" &&
			check_eq "$(probe_jq $p "[.[-4:][] | (.disk.$hot[\"r/s\"] // 0) * .interval_s] | add | round")" 19 \
				"$p: reads of the new one" || break
	done
	[ -z "$lib_case" ] || ok
	both_stop

	# Where the kernel finds partitions on a loop device; exact_proc.sh has the refusal anywhere.
	losetup -d "/dev/$hot"
	printf 'label: dos\n1M 2M\n' | sfdisk -q "$T/$hot.file" >/dev/null 2>&1
	losetup -P "/dev/$hot" "$T/$hot.file"
	for name in "${hot}p1" "/dev/${hot}p1"; do
		[ -e "/sys/class/block/${hot}p1" ] || break
		case_begin "loop: a partition is refused as '$name'"
		if "$PROBE" record -j --disk "$name" 1 1 >/dev/null 2>"$T/refused"; then
			fail "taken"
		elif grep -q "'$name' is a partition; give the whole disk" "$T/refused"; then
			ok
		else
			fail "$(cat "$T/refused")"
		fi
	done
	case_begin "loop: one disk by two names is refused"
	ln -s "/dev/$low" "$T/by-id"
	if "$PROBE" record -j --disk "$low" --disk "$T/by-id" 1 1 >/dev/null 2>"$T/refused"; then
		fail "taken"
	elif grep -q "disk '$low' is given twice" "$T/refused"; then
		ok
	else
		fail "$(cat "$T/refused")"
	fi
fi

if wanted zram; then
	case_begin "zram: every field of /proc/diskstats, without requests"
	number=$(cat /sys/class/zram-control/hot_add 2>/dev/null)
	if [ -z "$number" ]; then
		skip "no zram device can be added (modprobe zram)"
	else
		at_exit "echo $number >/sys/class/zram-control/hot_remove 2>/dev/null"
		echo 32M >"/sys/block/zram$number/disksize"
		eventually [ -b "/dev/zram$number" ]
		bio_based "zram$number"
	fi
fi

if wanted brd; then
	case_begin "brd: every field of /proc/diskstats, without requests"
	if [ -b /dev/ram0 ]; then bio_based ram0; else skip "no /dev/ram0 (modprobe brd)"; fi
fi

if wanted dm; then
	case_begin "dm: linear over a loop device, both watched: every field of both"
	odd="limpet test $$"
	sectors=$(cat "/sys/block/$low/size")
	if dmsetup create "$odd" --table "0 $sectors linear /dev/$low 0"; then
		at_exit "dmsetup remove '$odd' 2>/dev/null"
		mapped=$(basename "$(realpath "/dev/mapper/$(dmsetup mangle "$odd" 2>/dev/null | awk '{ print $NF }')" 2>/dev/null)")
		[ -e "/sys/block/$mapped" ] || mapped=dm-$(dmsetup info -c --noheadings -o minor "$odd")
		below=$(diskstats "$low")
		before=$(diskstats "$mapped")
		both_start "$mapped" "$low"
		work "$mapped"
		probe_settle $both
		both_agree "$mapped" "$before" && both_agree "$low" "$below" && ok
		both_stop
		case_begin "dm: left out when no disk is named, for what is below it is watched"
		"$PROBE" record -j --source proc 1 1 >"$T/all.jsonl" 2>/dev/null
		check_eq "$(probe_jq all "[.[].disk // {} | keys[]] | index(\"$mapped\") | tojson")" null "its place" && ok
	else
		skip "no device mapper (modprobe dm-mod)"
	fi
fi

if wanted md; then
	case_begin "md: RAID 1 over two loop devices: every field of all three"
	loop_new 24M
	one=$loop
	loop_release
	loop_new 24M
	two=$loop
	loop_release
	array=md$((100 + $$ % 100))
	if mdadm --create "/dev/$array" --run --assume-clean --level=1 --raid-devices=2 --metadata=1.2 \
		"/dev/$one" "/dev/$two" >"$T/mdadm" 2>&1; then
		at_exit "mdadm --stop /dev/$array >/dev/null 2>&1"
		b0=$(diskstats $array) b1=$(diskstats "$one") b2=$(diskstats "$two")
		both_start $array "$one" "$two"
		work $array
		# The superblocks are written once more when the array has been still for a while.
		all_still() { was=$now; now=$(diskstats "$one"; diskstats "$two"); sleep 1; [ "$now" = "$was" ]; }
		now=
		eventually all_still
		probe_settle $both
		both_agree $array "$b0" && both_agree "$one" "$b1" && both_agree "$two" "$b2" && ok
		both_stop
	else
		fail "$(cat "$T/mdadm")"
	fi
fi

if wanted null_blk; then
	case_begin "null_blk: every field of /proc/diskstats"
	bio_based nullb0
fi

if wanted virtio; then
	case_begin "virtio: every field of /proc/diskstats"
	bio_based vda
fi
