#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Disks that come while every disk is watched. The probe sees a /sys/block of our making, in which
# real loop devices stand under the names of disks that a server would have.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup unshare
loop_new 8M || all_skip "no loop device (modprobe loop)"
first=$loop
loop_new 8M || all_skip "no loop device (modprobe loop)"
second=$loop
loop_new 8M || all_skip "no loop device (modprobe loop)"
third=$loop
mkdir "$T/block"
plug() { ln -s "/sys/devices/virtual/block/$1" "$T/block/$2"; } # LOOP NAME

plug "$first" sda
: >"$T/all.jsonl"
unshare -m sh -c 'mount --bind "$1" /sys/block && shift && exec "$@"' - "$T/block" \
	"$PROBE" record -j --host all >"$T/all.jsonl" 2>"$T/all.err" &
echo $! >"$T/all.pid"
at_exit "end_child $!"
probe_wait all 1 || { cat "$T/all.err"; all_skip "cannot show another /sys/block"; }
said() { grep -q "$1" "$T/all.err"; }

case_begin "with no --disk, the disks there are recorded"
read_direct "$first" 4096 7
probe_settle all
check_eq "$(probe_jq all '.[-1].disk | keys | join(" ")') $(probe_sum all '.disk.sda["r/s"]')" "sda 7" \
	"disks, reads" && ok

case_begin "a disk that comes is recorded from then on, another one as well"
plug "$second" sdb
eventually said "'sdb' is new"
plug "$third" nvme7n1
eventually said "'nvme7n1' is new"
probe_settle all
read_direct "$second" 4096 11
read_direct "$third" 16384 3
read_direct "$first" 4096 5
probe_settle all
check_eq "$(probe_jq all '.[-1].disk | keys | join(" ")') $(probe_sum all '.disk.sda["r/s"]') \
$(probe_sum all '.disk.sdb["r/s"]') $(probe_sum all '.disk.nvme7n1["rkB/s"]')" "nvme7n1 sda sdb 12 11 48" \
	"disks, reads, kB" && ok
case_begin "the histograms of the new ones are their own"
check_eq "$(jq -s '[.[].disk | [.sdb, .nvme7n1][] | .lat.read["<=16K"]? // [] | .[][2]] | add' \
	"$T/all.jsonl")" 14 "requests" && ok

# ---- a disk that was named, and is away when all are asked for ----
mkdir "$T/etc"
echo 'LIMPET_PROBE_OPTIONS="--disk sda --disk sdb"' >"$T/etc/options"
: >"$T/named.jsonl"
unshare -m sh -c 'mount --bind "$1" /sys/block && shift && exec "$@"' - "$T/block" \
	"$PROBE" record -j --host named --options "$T/etc/options" >"$T/named.jsonl" 2>"$T/named.err" &
echo $! >"$T/named.pid"
at_exit "end_child $!"
case_begin "a disk that is away when a reload asks for every disk is recorded when it comes"
named_said() { grep -q -- "$1" "$T/named.err"; }
probe_wait named 1 && {
	rm "$T/block/sda"
	echo 'LIMPET_PROBE_OPTIONS="--disk sdb"' >"$T/etc/options"
	kill -HUP "$(probe_pid named)"
	eventually named_said 'have changed: --disk$'
	probe_settle named
	: >"$T/named.err"
	echo 'LIMPET_PROBE_OPTIONS=""' >"$T/etc/options"
	kill -HUP "$(probe_pid named)"
	eventually named_said 'have changed: --disk$'
	probe_settle named
	plug "$first" sda
	eventually named_said "'sda' is back"
	probe_settle named
	lines=$(probe_lines named)
	read_direct "$first" 4096 9
	probe_settle named
	check_eq "$(probe_sum named '.disk.sda["r/s"]' "$lines")" 9 "reads" && ok
}

case_begin "its end is quiet, with status 0"
probe_stop all
check_eq "$status $(probe_messages all | grep -vc 'is new')" "0 0" "status, other messages" && ok
