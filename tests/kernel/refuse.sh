#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# What cannot be recorded is refused with a message that names it: status 2 for a wrong command
# line, 1 for what is not there or not allowed.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup
loop_new 8M || all_skip "no loop device (modprobe loop)"
empty=loop$loop_number # the next that is ours; one from 'losetup -f' may get somebody else's file
"$O/tests/loopdev" add $loop_number || all_skip "no loop device (modprobe loop)"
at_exit "\"$O/tests/loopdev\" remove $loop_number"
eventually [ -b "/dev/$empty" ]
mkdir "$T/out" "$T/folder"
touch "$T/file"

refused() { # CASE STATUS WORDS COMMAND…
	case_begin "$1"
	want=$2 words=$3
	shift 3
	timeout 120 "$@" >"$T/stdout" 2>"$T/stderr" </dev/null
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
refused "interval too long" 2 "'601' is not an interval" "$PROBE" record -j 601
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

record "options in a folder" 1 "cannot read '$T/folder'" --options "$T/folder"
echo 'LIMPET_PROBE_OPTIONS="--help"' >"$T/options"
record "a file of options that asks for help" 2 "'--help' has its place on the command line" --options "$T/options"

record "unknown disk" 1 "'nosuchdisk'" --disk nosuchdisk
record "a file that is no disk" 1 "'$T/file'" --disk "$T/file"
record "a loop device without a file" 1 "no medium" --disk "$empty"
record "the same disk given twice" 2 "given twice" --disk "$loop" --disk "/dev/$loop"
record "unknown network namespace" 1 "'nosuchns'" --netns nosuchns
record "a file that is no network namespace" 1 "'$T/file' is not a network namespace" --netns "$T/file"
record "a namespace of another kind" 1 "is not a network namespace" --netns /proc/self/ns/uts
record "unknown interface" 1 "interfaces" --netdev nosuchdev
record "unknown cgroup" 1 "'/nosuchgroup'" --cgroup /nosuchgroup
record "a folder that is no cgroup" 1 "'$T/folder' is not a cgroup" --cgroup "$T/folder"
record "an output folder in a missing one" 1 "'$T/nosuch/folder'" -o "$T/nosuch/folder"
record "an output folder that is a file" 1 "'$T/file'" -o "$T/file"
# Only where there is more than one hierarchy can a cgroup be of the wrong one.
v1=$(awk '$3 == "cgroup" && $4 !~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
if [ -n "$v1" ]; then
	record "a cgroup of another v1 hierarchy" 1 "block controller" --cgroup "$v1"
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
		setpriv --bounding-set "-$drop,-sys_admin" "$PROBE" record -j --source bpf \
			--disk "$loop" 1 1 >"$T/stdout" 2>"$T/stderr" </dev/null
		check_eq $? 1 "status ($(head -n 1 "$T/stderr"))" || continue
		name=$(echo "$drop" | sed 's/all/bpf/' | tr '[:lower:]' '[:upper:]')
		if grep -q "CAP_$name" "$T/stderr"; then
			ok
		else
			fail "no CAP_$name in: $(cat "$T/stderr")"
		fi
	done
	case_begin "without capabilities, what /proc and /sys tell is recorded, and that is said"
	setpriv --bounding-set -all "$PROBE" record -j --disk "$loop" 1 1 >"$T/stdout" 2>"$T/stderr"
	check_eq $? 0 "status" && check_eq "$(jq -c "[.disk.$loop[\"r/s\"], .disk.$loop.r_dev,
		.system[\"runq-delay\"], (.system[\"cswch/s\"] > 0)]" "$T/stdout")" \
		"[0,null,null,true]" "known and unknown" && {
		if grep -q 'CAP_BPF' "$T/stderr" && grep -q '/proc and /sys' "$T/stderr"; then
			ok
		else
			fail "$(cat "$T/stderr")"
		fi
	}
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
	skip "setpriv is not installed (Debian: util-linux)"
fi

case_begin "a kernel without BTF: record says so and uses /proc, check says NO and gives 1"
: >"$T/empty"
cat >"$T/nobtf" <<EOF
mount --bind "$T/empty" /sys/kernel/btf/vmlinux || exit 9
ls /boot/vmlinux-* /lib/modules/*/vmlinux* /usr/lib/debug/boot/vmlinux-* 2>/dev/null | grep -q . && exit 8
"$PROBE" record -j --disk "$loop" 1 1 2>"$T/stderr"; echo record \$?
"$PROBE" record -j --source bpf --disk "$loop" 1 1 2>/dev/null; echo bpf \$?
"$PROBE" check --disk "$loop"; echo check \$?
EOF
unshare -m sh "$T/nobtf" >"$T/stdout" 2>/dev/null
case $? in
9) skip "cannot cover /sys/kernel/btf/vmlinux" ;;
8) skip "libbpf finds the BTF of a vmlinux file" ;;
*)
	if grep -q '^record 0' "$T/stdout" && grep -q '^bpf 1' "$T/stdout" && grep -q '^check 1' "$T/stdout" &&
		grep -q '^BTF *NO' "$T/stdout" && grep -q 'has no BTF' "$T/stderr"; then
		ok
	else
		fail "$(cat "$T/stdout" "$T/stderr")"
	fi
	;;
esac

case_begin "host counters in kernel memory that do not agree with /proc are not used; disks are not in doubt"
sed 's/^ctxt .*/ctxt 1/' /proc/stat >"$T/stat"
: >"$T/doubt.jsonl"
unshare -m sh -c 'mount --bind "$1" /proc/stat && shift && exec "$@"' - "$T/stat" \
	"$PROBE" record -j --host doubt --disk "$loop" >"$T/doubt.jsonl" 2>"$T/doubt.err" &
echo $! >"$T/doubt.pid"
at_exit "end_child $!"
probe_wait doubt 1 && {
	read_direct "$loop" 4096 7
	probe_settle doubt
	probe_stop doubt
	# The wrong number stands still, and what is told of every second comes from there now.
	check_eq "$(probe_sum doubt ".disk.$loop[\"r/s\"]") $(jq -s "[.[].disk.$loop.lat.read[\"<=16K\"][][2]] | add" \
		"$T/doubt.jsonl") $(probe_jq doubt '[.[].system["cswch/s"]] | unique | tojson')" "7 7 [0]" \
		"reads, in histograms, switches a second" && {
		if grep -q 'host: .* in kernel memory' "$T/doubt.err" &&
			! grep -q 'disk-stats' "$T/doubt.err"; then ok; else
			fail "$(cat "$T/doubt.err")"
		fi
	}
}

mkdir "$T/full"
if ! mount -t tmpfs -o size=2M,mode=755 limpet-test "$T/full"; then
	case_begin "a full folder"
	skip "cannot mount a tmpfs"
else
	at_exit "umount '$T/full'"
	said() { grep -q "$1" "$T/full.err"; }
	probe_start full --disk "$loop" -o "$T/full"
	probe_wait full 2
	case_begin "a full folder: seconds are kept, that is said once, and they are written when there is room"
	cat /dev/zero >"$T/full/filler" 2>/dev/null
	eventually said 'kept in memory until' && probe_settle full && rm "$T/full/filler" &&
		eventually said 'kept in memory are written' && {
		probe_stop full
		check_eq "$status $(series_seqs "$T"/full/*.limpet | wc -l) $(probe_messages full | wc -l)" \
			"0 $(probe_lines full) 2" "status, seconds in the file, messages" && ok
	}
	case_begin "a folder full to the end: a message, status 1, and all that was written before is there"
	rm -f "$T"/full/*
	probe_start full --disk "$loop" -o "$T/full"
	probe_wait full 2
	cat /dev/zero >"$T/full/filler" 2>/dev/null
	eventually said 'kept in memory until' && {
		probe_stop full
		kept=$(series_seqs "$T"/full/*.limpet | wc -l)
		if [ "$status" != 1 ] || [ "$kept" -lt 1 ] || [ "$kept" -ge "$(probe_lines full)" ]; then
			fail "status $status, $kept seconds of $(probe_lines full): $(cat "$T/full.err")"
		elif grep -q 'lost' "$T/full.err"; then
			ok
		else
			fail "$(cat "$T/full.err")"
		fi
	}
fi
