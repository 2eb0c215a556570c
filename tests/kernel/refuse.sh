#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# What cannot be recorded is refused with a message that names it: status 2 for a wrong command
# line, 1 for what is not there or not allowed.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup sqlite3
loop_new 8M || all_skip "no loop device"
mkdir "$T/out" "$T/folder"
touch "$T/file"

refused() { # CASE STATUS WORDS COMMAND…
	case_begin "$1"
	want=$2 words=$3
	shift 3
	timeout 30 "$@" >"$T/stdout" 2>"$T/stderr" </dev/null
	check_eq $? "$want" "status ($(head -n 1 "$T/stderr"))" || return
	if ! grep -qF -- "$words" "$T/stderr"; then
		fail "'$words' is not in the message: $(cat "$T/stderr")"
	elif [ -s "$T/stdout" ]; then
		fail "something was written to stdout"
	else
		ok
	fi
}
record() { # CASE STATUS WORDS OPTION…
	name=$1 st=$2 say=$3
	shift 3
	refused "$name" "$st" "$say" "$PROBE" record -j --disk "$loop" "$@" 1 1
}

refused "neither -o nor -j" 2 "'-o DIR'" "$PROBE" record --disk "$loop"
refused "interval 0" 2 "'0' is not an interval" "$PROBE" record -j 0
refused "interval of letters" 2 "'1s' is not an interval" "$PROBE" record -j 1s
refused "interval too long" 2 "'3601' is not an interval" "$PROBE" record -j 3601
refused "interval with a sign" 2 "'+1' is not an interval" "$PROBE" record -j +1
refused "interval with a fraction" 2 "'0.5' is not an interval" "$PROBE" record -j 0.5
refused "empty interval" 2 "'' is not an interval" "$PROBE" record -j ''
refused "count 0" 2 "'0' is not a count" "$PROBE" record -j 1 0
refused "negative count" 2 "'-1' is not a count" "$PROBE" record -j -- 1 -1
refused "count beyond any number" 2 "'99999999999999999999' is not a count" \
	"$PROBE" record -j 1 99999999999999999999
refused "a third word" 2 "'x': only an interval and a count" "$PROBE" record -j 1 1 x
refused "unknown option" 2 "'--nonsense'" "$PROBE" record -j --nonsense
refused "an option without its value" 2 "'--disk'" "$PROBE" record -j --disk
refused "unknown command" 2 "'recrod' is not a command" "$PROBE" recrod
record "--host with a slash" 2 "--host a/b" --host a/b
record "--host of nothing" 2 "--host " --host ''
record "--host too long" 2 "--host " --host "$(printf '%0100d' 0)"
record "--host with a newline" 2 "--host " --host 'a
b'
record "port 0" 2 "'--port 0'" --port 0
record "port 65536" 2 "'--port 65536'" --port 65536
record "port by name" 2 "'--port http'" --port http
record "unknown way to attach" 2 "'--attach kprobe'" --attach kprobe

record "unknown disk" 1 "'nosuchdisk'" --disk nosuchdisk
record "a file that is no disk" 1 "'$T/file'" --disk "$T/file"
record "a loop device without a file" 1 "no medium" --disk "$(basename "$(losetup -f)")"
record "the same disk given twice" 2 "given twice" --disk "$loop" --disk "/dev/$loop"
record "unknown network namespace" 1 "'nosuchns'" --netns nosuchns
record "a file that is no network namespace" 1 "'$T/file' is not a network namespace" --netns "$T/file"
record "a namespace of another kind" 1 "is not a network namespace" --netns /proc/self/ns/uts
record "unknown interface" 1 "interfaces" --netdev nosuchdev
record "unknown cgroup" 1 "'/nosuchgroup'" --cgroup /nosuchgroup
record "a folder that is no cgroup" 1 "'$T/folder' is not a cgroup" --cgroup "$T/folder"
record "missing output folder" 1 "'$T/nosuch'" -o "$T/nosuch"
record "an output folder that is a file" 1 "'$T/file'" -o "$T/file"
# Only where there is more than one hierarchy can a cgroup be of the wrong one.
v1=$(awk '$3 == "cgroup" && $4 !~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$v1" ]; then
	record "a cgroup of another v1 hierarchy" 1 "block controller" --cgroup "$v1"
fi
if [ -n "$v2" ] && ! grep -qw io "$v2/cgroup.controllers"; then
	record "a v2 cgroup where the block controller is elsewhere" 1 "block controller" --cgroup "$v2"
fi

# Not every kernel makes partitions on loop devices; what the probe asks of sysfs can be shown to it.
case_begin "a partition"
unshare -m sh -c 'mount -t tmpfs none /sys/class/block && mkdir /sys/class/block/sdz1 &&
	: >/sys/class/block/sdz1/partition && "$@"' - "$PROBE" record -j --disk sdz1 1 1 \
	>"$T/stdout" 2>"$T/stderr"
check_eq $? 1 "status ($(cat "$T/stderr"))" && {
	if grep -q "'sdz1' is a partition; give the whole disk" "$T/stderr"; then ok; else fail "$(cat "$T/stderr")"; fi
}

if command -v setpriv >/dev/null; then
	for drop in all bpf perfmon; do
		case_begin "without capabilities ($drop): the message names what is missing"
		setpriv --bounding-set "-$drop,-sys_admin" "$PROBE" record -j --disk "$loop" 1 1 \
			>"$T/stdout" 2>"$T/stderr" </dev/null
		check_eq $? 1 "status ($(head -n 1 "$T/stderr"))" || continue
		name=$(echo "$drop" | sed 's/all/bpf/' | tr '[:lower:]' '[:upper:]')
		if grep -q "CAP_$name" "$T/stderr"; then
			ok
		else
			fail "no CAP_$name in: $(cat "$T/stderr")"
		fi
	done
	case_begin "check says NO, names the capabilities and gives 1 where they are missing"
	setpriv --bounding-set -all "$PROBE" check --disk "$loop" >"$T/stdout" 2>&1
	check_eq $? 1 "status" && {
		if grep -q '^capability *NO .*CAP_BPF' "$T/stdout" && grep -q '^eBPF *NO' "$T/stdout"; then
			ok
		else
			fail "$(cat "$T/stdout")"
		fi
	}
	case_begin "an output folder nobody may write to"
	mkdir -m 555 "$T/readonly"
	setpriv --bounding-set -dac_override "$PROBE" record -o "$T/readonly" --disk "$loop" 1 1 2>"$T/stderr"
	check_eq $? 1 "status" && {
		if grep -q "'$T/readonly': Permission denied" "$T/stderr"; then ok; else
			fail "$(cat "$T/stderr")"
		fi
	}
else
	case_begin "without capabilities the message names what is missing"
	skip "setpriv is not installed"
fi

case_begin "a kernel without BTF: record says so and gives 1, check says NO and gives 1"
: >"$T/empty"
cat >"$T/nobtf" <<EOF
mount --bind "$T/empty" /sys/kernel/btf/vmlinux || exit 9
ls /boot/vmlinux-* /lib/modules/*/vmlinux* /usr/lib/debug/boot/vmlinux-* 2>/dev/null | grep -q . && exit 8
"$PROBE" record -j --disk "$loop" 1 1 2>"$T/stderr"; echo record \$?
"$PROBE" check --disk "$loop"; echo check \$?
EOF
unshare -m sh "$T/nobtf" >"$T/stdout" 2>/dev/null
case $? in
9) skip "cannot cover /sys/kernel/btf/vmlinux" ;;
8) skip "libbpf finds the BTF of a vmlinux file" ;;
*)
	if grep -q '^record 1' "$T/stdout" && grep -q '^check 1' "$T/stdout" &&
		grep -q '^BTF *NO' "$T/stdout" && grep -q 'has no BTF' "$T/stderr"; then
		ok
	else
		fail "$(cat "$T/stdout" "$T/stderr")"
	fi
	;;
esac

case_begin "a full folder: a message, status 1, and all that was written before can be read"
mkdir "$T/full"
if ! mount -t tmpfs -o size=2M limpet-test "$T/full"; then
	skip "cannot mount a tmpfs"
else
	at_exit "umount '$T/full'"
	probe_start full --disk "$loop" -o "$T/full"
	probe_wait full 2
	cat /dev/zero >"$T/full/filler" 2>/dev/null
	wait "$(probe_pid full)"
	status=$?
	check_eq "$status" 1 "status" && {
		lines=$(probe_lines full)
		rows=$(sqlite3 "$T"/full/*.limpet 'SELECT count(*) FROM second')
		sane=$(sqlite3 "$T"/full/*.limpet 'PRAGMA integrity_check')
		if ! grep -qi 'no space\|full' "$T/full.err"; then
			fail "$(cat "$T/full.err")"
		elif check_eq "$rows $sane" "$lines ok" "seconds in the file, its integrity"; then
			ok
		fi
	}
fi
