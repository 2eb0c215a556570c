#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2015,SC2016,SC2046,SC2086,SC2154
# The arithmetic of every metric read from /proc and /sys, against numbers written down by hand: the
# probe gets a /proc and a /sys made for it, in a mount namespace of its own.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
[ "$(id -u)" = 0 ] || all_skip "needs root (sudo make check)"
for need in jq unshare; do
	command -v $need >/dev/null || all_skip "'$need' is not installed (tools/deps check)"
done
[ -x "$PROBE" ] || all_skip "'$PROBE' is not built (make)"
unshare -m true 2>/dev/null || all_skip "no mount namespaces here"

# ---- the stage ----
# Files stay open while they change, so they are written over in place, all of them while the probe is
# stopped: no sweep sees one half written. Numbers have a width, so that no file shrinks.
put() { # FILE: from stdin; a probe that runs sees it from change() on
	if [ -z "$runs" ]; then
		dd of="$1" conv=notrunc bs=1M iflag=fullblock status=none
	else
		next=$(mktemp "$T/next.XXXXXX") && cat >"$next" && echo "$1" >"$next.to"
	fi
}
runs=
change() {
	kill -STOP "$(probe_pid $runs)"
	for to in "$T"/next.*.to; do
		dd if="${to%.to}" of="$(cat "$to")" conv=notrunc bs=1M status=none
	done
	kill -CONT "$(probe_pid $runs)"
	rm -f "$T"/next.*
}
stage() { # DIRECTORY: empty, with the folders
	mkdir -p "$1/proc/pressure" "$1/proc/thread-self/net" "$1/proc/thread-self/ns" \
		"$1/sys/class/block" "$1/sys/block"
	: >"$1/proc/thread-self/ns/net"
	cat >"$1/probe" <<-END
		#!/bin/sh
		exec unshare -m sh -c 'mount --bind $1/sys /sys && mount --bind $1/proc /proc &&
			exec $real "\$@"' probe "\$@"
	END
	chmod +x "$1/probe"
}
disk_new() { # DIRECTORY NAME NUMBER
	mkdir "$1/sys/block/$2"
	echo "$3" >"$1/sys/block/$2/dev"
	echo 2048 >"$1/sys/block/$2/size"
}
stat_is() { # DIRECTORY USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL CTXT RUNNING BLOCKED
	{
		printf 'cpu  %19d %19d %19d %19d %19d %19d %19d %19d 0 0\n' $2 $3 $4 $5 $6 $7 $8 $9
		shift 9
		echo 'cpu0 9 9 9 9 9 9 9 9 9 9'
		# More than fits the first buffer, as on a host with many processors.
		printf 'intr 9'
		awk 'BEGIN { for (i = 0; i < 60000; i++) printf " 0"; print "" }'
		printf 'ctxt %19d\nbtime 1\nprocesses 9\nprocs_running %19d\nprocs_blocked %19d\nsoftirq 9 9\n' \
			$1 $2 $3
	} | put "$dir/proc/stat"
}
vmstat_is() { # BASE TIMES: each counter is the base and its own number so many times
	for row in nr_dirty:9 pgpgin:1000 pgpgout:2000 pswpin:3 pswpout:4 pgfault:5000 pgmajfault:60 \
		pgfree:7000 pgscan_kswapd:80 pgscan_direct:90 pgscan_direct_throttle:1000000 \
		pgscan_anon:1000000 pgscan_file:1000000 pgsteal_kswapd:1000000 pgsteal_direct:1000000 \
		pgsteal_khugepaged:1000000 pgsteal_proactive:1000000 pgsteal_anon:50 pgsteal_file:100 \
		allocstall_dma:1 allocstall_dma32:2 allocstall_normal:4 allocstall_movable:8 \
		allocstall_device:16 pgfree_x:1000000; do
		printf '%s %19d\n' ${row%:*} $(($1 + $2 * ${row#*:}))
	done | put "$dir/proc/vmstat"
}
pressure_is() { # SOME FULL
	for what in cpu io memory; do
		printf 'some avg10=0.00 avg60=0.00 avg300=0.00 total=%019d
full avg10=0.00 avg60=0.00 avg300=0.00 total=%019d\n' $1 $2 | put "$dir/proc/pressure/$what"
	done
}
meminfo_is() { # FREE AVAILABLE DIRTY
	printf 'MemTotal:       %19d kB\nMemFree:        %19d kB\nMemAvailable:   %19d kB
Buffers: 1 kB\nDirty:          %19d kB\nWriteback: 1 kB\n' 99999999 $1 $2 $3 | put "$dir/proc/meminfo"
}
netdev_line() { # NAME, 16 NUMBERS
	name=$1
	shift
	printf '%6s:' $name
	printf ' %19d' "$@"
	echo
}
netdev_head() {
	echo 'Inter-|   Receive                                                |  Transmit'
	echo ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed'
}
net_is() { # SIXTEEN NUMBERS, of eth0
	{
		netdev_head
		netdev_line lo 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99
		netdev_line eth0 "$@"
		netdev_line bond0.7-x 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5
	} | put "$dir/proc/thread-self/net/dev"
}
disk_is() { # NAME NUMBER…
	path=$dir/sys/block/$1/stat
	shift
	{
		printf ' %19d' "$@"
		echo
	} | put "$path"
}
load_is() { echo "$1" | put "$dir/proc/loadavg"; }

real=$(realpath "$PROBE")
dir=$T/a
stage "$dir"
PROBE=$dir/probe
disk_new "$dir" 'cciss!c0d0' 104:0
disk_new "$dir" old 8:16
disk_new "$dir" older 8:32
mkdir "$dir/sys/class/block/sda1"
echo 1 >"$dir/sys/class/block/sda1/partition"

begin() { # [BASE OF VMSTAT]
	stat_is "$dir" 1000 1000 1000 1000 1000 1000 1000 1000 5000000000 1 0
	vmstat_is ${1:-77} 0
	pressure_is 1000000 1000000
	meminfo_is 1 1 1
	load_is '0.00 0.00 0.00 1/1 1'
	net_is 4294967290 1 1 1 1 1 1 1 4294967290 1 1 1 1 1 1 1
	disk_is 'cciss!c0d0' 4294967290 1 1 1 1 1 1 1 0 1 1 1 1 1 1 1 1
	disk_is old 1 1 1 1 1 1 1 1 0 1 1 1 1 1 1
	disk_is older 1 1 1 1 1 1 1 1 0 1 1
}
begin
case_begin "a disk with a slash in its name is recorded, beside disks of older kernels"
probe_start a --source proc --disk /dev/cciss/c0d0 --disk old --disk older
probe_wait a 1 && ok || fail "$(cat "$T/a.err")"
runs=a
stat_is "$dir" 1100 1050 1030 1200 1060 1010 1020 1030 5000012345 8 3
vmstat_is 77 1
pressure_is 1123456 1054321
meminfo_is 8111111 9222222 33333
load_is '3.25 2.50 1.75 7/812 4242'
net_is 4299967290 2001 31 41 5 6 7 8 4300967290 3001 51 61 5 6 7 8
disk_is 'cciss!c0d0' 4294967300 4 81 51 21 6 161 201 2 401 999 5 2 1025 9 7 13
disk_is old 11 4 81 51 21 6 161 201 2 401 999 5 2 1025 9
disk_is older 11 4 81 51 21 6 161 201 2 401 999
change
probe_settle a
lines=$(probe_lines a)

rates() { # PATH METRIC=SUM…
	at=$1
	shift
	for row; do
		got=$(probe_sum a "$at[\"${row%=*}\"]")
		check_eq "$got" "${row##*=}" "sum of ${row%=*}" || return 1
	done
}
# Of the one second in which there was something, to seven digits.
peaks() { # PATH METRIC=VALUE…
	at=$1
	shift
	for row; do
		got=$(probe_jq a "[.[] | $at[\"${row%=*}\"] | numbers] | max")
		echo "$got ${row##*=}" | awk '{ d = $1 - $2; exit !(NF == 2 && d * d <= 1e-12 * $2 * $2) }' || {
			fail "${row%=*}: expected ${row##*=}, got $got"
			return 1
		}
	done
}
nulls() { # PATH METRIC…: in every second
	at=$1
	shift
	for metric; do
		got=$(probe_jq a "[.[] | $at | has(\"$metric\") and .[\"$metric\"] == null] | all")
		check_eq "$got" true "$metric is null" || return 1
	done
}
# A rate divides by the second it is in, and two files may be on two sides of a sweep.
levels() { # PATH METRIC=SUM: of a gauge that is a rate by nature, times its intervals
	at=$1
	shift
	for row; do
		got=$(probe_jq a "[.[] | ($at[\"${row%=*}\"] // 0) * .interval_s] | add")
		echo "$got ${row##*=}" | awk '{ d = $1 - $2; exit !(NF == 2 && d * d <= 1e-11 * $2 * $2) }' || {
			fail "${row%=*} x time: expected ${row##*=}, got $got"
			return 1
		}
	done
}

case_begin "processors: shares of all eight states; guest time, in user already, not again"
peaks .system %user=20 %nice=10 %system=12 %iowait=12 %steal=6 %idle=40 && ok
case_begin "scheduler: switches, running less the reader itself, blocked, tasks, load"
rates .system cswch/s=12345 && peaks .system runq-sz=7 blocked=3 plist-sz=812 ldavg-1=3.25 \
	ldavg-5=2.5 && nulls .system runq-delay runq-p99 && ok
case_begin "memory events: each from its own line, reclaim by who reclaims and nothing twice"
rates .system pgpgin/s=1000 pgpgout/s=2000 pswpin/s=3 pswpout/s=4 fault/s=5000 majflt/s=60 \
	pgfree/s=7000 pgscank/s=80 pgscand/s=90 pgsteal/s=150 allocstall/s=31 && ok
case_begin "memory sizes"
peaks .system kbmemfree=8111111 kbavail=9222222 kbdirty=33333 && ok
# Read when the second is merged, and a rate over the time between two such moments, which on a busy
# machine is not the second's.
case_begin "pressure: microseconds lost are percent of the time (30 %)"
near() { # METRIC=SUM…
	for row; do
		got=$(probe_jq a "[.[] | (.system[\"${row%=*}\"] // 0) * .interval_s] | add")
		echo "$got ${row##*=}" | awk '{ d = $1 - $2; exit !(NF == 2 && d * d <= 0.09 * $2 * $2) }' || {
			fail "${row%=*}: expected ${row##*=}, got $got"
			return 1
		}
	done
}
near %scpu=12.3456 %sio=12.3456 %smem=12.3456 %fio=5.4321 %fmem=5.4321 && ok
case_begin "interfaces: each of the eight columns, past 32 bits; lo is left out"
rates .net.eth0 rxpck/s=2000 rxerr/s=30 rxdrop/s=40 txpck/s=3000 txerr/s=50 txdrop/s=60 &&
	levels .net.eth0 rxkB/s=4882.8125 txkB/s=5859.375 && nulls .net.eth0 %ifutil &&
	check_eq "$(probe_jq a '[.[].net | keys[]] | unique | join(" ")')" "bond0.7-x eth0" interfaces && ok

disk='.disk["cciss!c0d0"]'
for disk in '.disk["cciss!c0d0"]' .disk.old .disk.older; do
	case_begin "$disk: counts, merges, kB and times as iostat -x defines them"
	rates "$disk" r/s=10 w/s=20 rkB/s=40 wkB/s=80 rrqm/s=3 wrqm/s=5 tps=30 &&
		peaks "$disk" rareq-sz=4 wareq-sz=4 areq-sz=4 r_await=5 w_await=10 await=8.333333 &&
		levels "$disk" %util=40 && nulls "$disk" r_dev w_dev foreign-rkB/s foreign-wkB/s \
		unknown-wkB/s && ok
done
disk='.disk["cciss!c0d0"]'
case_begin "discards and flushes, and the queue length with them"
rates "$disk" d/s=4 drqm/s=1 dkB/s=512 f/s=6 && peaks "$disk" d_await=2 f_await=2 &&
	levels "$disk" aqu-sz=0.27 && ok
case_begin "a kernel without flushes: null; without discards: null too; never 0"
rates .disk.old d/s=4 dkB/s=512 && nulls .disk.old f/s f_await &&
	levels .disk.old aqu-sz=0.258 && nulls .disk.older d/s drqm/s dkB/s d_await f/s f_await &&
	levels .disk.older aqu-sz=0.25 && ok
case_begin "bread and bwrtn are blocks of 512 bytes of all watched disks"
rates .system bread/s=240 bwrtn/s=480 && ok

case_begin "every metric of the two sources is in the lines, and no second is lost"
check_eq "$(probe_jq a '[.[] | .lost] | add')" 0 lost &&
	check_eq "$(probe_jq a "[.[1:][] | [.system, .net.eth0, .disk.old] | map(length)] | unique | length")" 1 \
		"numbers of metrics" && ok

case_begin "counters that go back give null, nothing negative and nothing huge"
begin 7
change
probe_settle a
check_eq "$(probe_jq a "[.[$lines:][] | .. | numbers | select(. < 0)] | length")" 0 "negative values" &&
	check_eq "$(probe_jq a "[.[$lines:][] | [.system, .net.eth0, .disk.old] | .. | numbers |
		select(. > 1e7)] | length")" 0 "huge values" &&
	check_eq "$(probe_jq a "[.[$lines:][] | .system[\"fault/s\"] == null] | any")" true \
		"one second without fault/s" &&
	check_eq "$(probe_jq a "[.[$lines:][] | .disk.old[\"r/s\"] == null] | any")" true \
		"one second without r/s" && ok

case_begin "files that turn into rubbish, or are cut, make their metrics null; the rest goes on"
lines=$(probe_lines a)
for file in stat vmstat loadavg meminfo pressure/io thread-self/net/dev; do
	# Letters over the numbers of every line.
	sed 's/[0-9][0-9 ]*\(kB\)*$/rubbish/; s/total=.*/total=x/; s/^\(cpu\|ctxt\|[0-9]\).*/cpu -/' "$dir/proc/$file" >"$T/new"
	truncate -s 0 "$dir/proc/$file"
	put "$dir/proc/$file" <"$T/new"
done
printf '1 2 x\n' >"$T/new"
truncate -s 0 "$dir/sys/block/old/stat"
put "$dir/sys/block/old/stat" <"$T/new"
change
probe_settle a
check_eq "$(probe_jq a '.[-1].system | [.["fault/s"], .["cswch/s"], .["%user"], .["runq-sz"], .["ldavg-1"],
	.kbavail, .["%sio"]] | unique | tojson')" "[null]" "what cannot be read" &&
	check_eq "$(probe_jq a '.[-1] | [.disk.old["r/s"], .net.eth0["rxkB/s"]] | unique | tojson')" "[null]" \
		"disk and interface" &&
	check_eq "$(probe_jq a '.[-1] | [.disk.older["r/s"], .system["%scpu"]] | map(. == 0) | all')" true \
		"what can" && ok

case_begin "and all is back when they are"
begin
change
probe_settle a
probe_settle a
check_eq "$(probe_jq a '.[-1] | [.system["cswch/s"], .system["%sio"], .net.eth0["rxkB/s"],
	.disk.old["r/s"]] | map(. == 0) | all')" true "zeros" && ok
case_begin "it ends with status 0"
runs=
probe_stop a
check_eq "$status" 0 status && ok

# ---- what there is no room for, what there is not ----
dir=$T/b
stage "$dir"
PROBE=$dir/probe
disk_new "$dir" "$(printf 'd%.0s' $(seq 55))" 8:16
disk_new "$dir" "$(printf 'e%.0s' $(seq 56))" 8:32
mkdir "$dir/sys/class/block/sda1"
echo 1 >"$dir/sys/class/block/sda1/partition"
disk_is "$(printf 'd%.0s' $(seq 55))" 1 1 1 1 1 1 1 1 0 1 1
stat_is "$dir" 1 1 1 1 1 1 1 1 1 1 1
{
	netdev_head
	for i in $(seq 70); do netdev_line eth$i $i 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0; done
} | put "$dir/proc/thread-self/net/dev"
rm -r "$dir/proc/pressure"
case_begin "70 interfaces: 64 are recorded, and a message counts the others"
d55=$(printf 'd%.0s' $(seq 55))
probe_start b --source proc --disk "$d55"
probe_wait b 1
check_eq "$(probe_jq b '.[0].net | length')" 64 interfaces && {
	if grep -q '6 of 70 interfaces are left out' "$T/b.err"; then ok; else fail "$(cat "$T/b.err")"; fi
}
case_begin "a name of 55 characters is kept whole; no pressure files: null"
check_eq "$(probe_jq b '.[0].disk | keys | join(" ")')" "$d55" disk &&
	check_eq "$(probe_jq b '.[0].system | [.["%scpu", "%sio", "%fio", "%smem", "%fmem"]] | unique | tojson')" \
		"[null]" pressure && ok
probe_stop b
refused() { # MESSAGE OPTION…
	wanted=$1
	shift
	if timeout 120 "$PROBE" record -j --source proc "$@" 1 1 >/dev/null 2>"$T/refused"; then
		fail "not refused"
	elif grep -q "$wanted" "$T/refused"; then
		ok
	else
		fail "$(cat "$T/refused")"
	fi
}
case_begin "a partition is refused"
refused "'sda1' is a partition; give the whole disk" --disk sda1
case_begin "a name that is too long for a disk is refused"
refused "is not a disk" --disk "$(printf 'e%.0s' $(seq 56))"
case_begin "an interface that does not exist is refused"
refused "only 1 of the 2 interfaces asked for exist" --disk "$d55" --netdev eth3 --netdev nothere
case_begin "without /proc/vmstat its metrics are null, those of disks are not"
probe_start c --source proc --disk "$d55"
probe_wait c 1
check_eq "$(probe_jq c '.[0] | [.system["fault/s"] == null, (.disk | .[] | .["r/s"] == 0)] | tojson')" "[true,true]" \
	"fault/s and r/s" && ok
probe_stop c
