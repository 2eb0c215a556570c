#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# SIGHUP has the options' file read again, by a probe without rights: what changes, what takes a restart, and
# that a wrong one changes nothing.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup sqlite3
loop_new 8M || all_skip "no loop device (modprobe loop)"
first=$loop
loop_new 8M || all_skip "no loop device (modprobe loop)"
second=$loop
mkdir "$T/etc" "$T/out"
FILE=$T/etc/options

options() { echo "LIMPET_PROBE_OPTIONS=\"$*\"" >"$FILE"; }
said() { grep -q -- "$1" "$T/box.err"; }
hup() { # MESSAGE: which it waits for
	: >"$T/box.err"
	kill -HUP "$(probe_pid box)"
	eventually said "$1"
}
disks() { probe_jq box '.[-1].disk // {} | keys | join(" ")'; }
reads() { probe_sum box ".disk.$1[\"r/s\"]"; } # DISK

options --disk $first --netdev lo --netdev lo 1
probe_start box --options "$FILE" -o "$T/out"
case_begin "the file's options are those of the command line, the interval too"
probe_wait box 1 && {
	read_direct "$first" 4096 3
	probe_settle box
	check_eq "$(disks) $(reads $first) $(probe_jq box '.[-1].net | keys | join(" ")')" "$first 3 lo" \
		"disks, reads, interfaces" && ok
}

case_begin "another disk, instead of the first: it is watched, and the first no longer"
options --disk $second --netdev lo --netdev lo
hup 'have changed: --disk$'
alone() { [ "$(disks)" = "$second" ]; }
eventually alone
probe_settle box
mark=$(reads $first)
read_direct "$first" 4096 5
read_direct "$second" 4096 7
probe_settle box
check_eq "$(disks) $(($(reads $first) - mark)) $(reads $second)" "$second 0 7" "disks, reads" && ok

case_begin "the first one again, as well: nothing of what it did meanwhile is counted"
# Replaced, as most editors do it.
echo "LIMPET_PROBE_OPTIONS='--disk $first --disk $second'" >"$T/etc/new" && mv "$T/etc/new" "$FILE"
hup 'have changed: --disk, --netdev$'
both() { [ "$(probe_jq box ".[-1].disk.$first[\"r/s\"] != null and (.[-1].disk | length) == 2")" = true ]; }
eventually both
probe_settle box
mark=$(reads $first)
read_direct "$first" 4096 2
read_direct "$second" 4096 1
probe_settle box
check_eq "$(($(reads $first) - mark)) $(reads $second) $(probe_jq box '.[-1].net // {} | has("lo")')" "2 8 false" \
	"reads, lo" && ok

case_begin "a wrong option, a disk that is not there, a file that has gone: all stays as it was"
every=$(printf '%s\n' $first $second | sort | tr '\n' ' ' | sed 's/ $//')
stays() { # MESSAGE OPTION…: what was kept
	want=$1
	shift
	options "$@"
	hup 'all options stay as they were' && said "$want" && probe_settle box &&
		check_eq "$(disks)" "$every" "disks" || { fail "'$*': $(cat "$T/box.err")"; return 1; }
}
stays 'no-such-option' --no-such-option && stays "no disk 'nothere'" --disk $first --disk nothere &&
	stays 'of 1 interfaces\|of the 1 interfaces' --disk $first --netdev nothere &&
	stays "is out of range\|whole number" --keep-days 0 && stays "'--cgroup'" --cgroup /sys/fs/cgroup && {
	echo 'not an option' >"$FILE"
	hup 'all options stay as they were' && said 'neither a comment' && rm "$FILE" &&
		hup 'all options stay as they were' && said 'No such file' && probe_settle box &&
		check_eq "$(disks)" "$every" disks && ok
}

case_begin "what takes a restart is named, and the rest is done"
options --disk $second --no-sched --host other --keep-days 7 5
hup 'have changed: --disk, --keep-days$'
for option in --no-sched --host "interval or the count"; do
	said "$option.* has changed in.*: that takes a restart" || fail "not said: $option"
done
eventually alone
check_eq "$(grep -c 'takes a restart' "$T/box.err") $(probe_jq box '.[-1].host')" "3 box" \
	"messages, host" && ok

case_begin "the same options again: nothing is said, and its end is as ever"
options --disk $second --keep-days 7
: >"$T/box.err"
kill -HUP "$(probe_pid box)"
probe_settle box
kill -HUP "$(probe_pid box)"
probe_settle box
probe_stop box
# What is written behind the place that was cut off has a hole before it.
check_eq "$status $(tr -d '\0' <"$T/box.err") $(ls "$T/out" | wc -l)" "0  1" \
	"status, messages, files" && ok

# ---- groups ----
v1=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
top=$v1
[ -n "$v1" ] || { [ -n "$v2" ] && grep -qw io "$v2/cgroup.subtree_control" && top=$v2; }
case_begin "another group is own from then on, and the file says so"
if [ -z "$top" ]; then
	skip "no group of the block controller's can be made"
	exit
fi
own=$top/limpet-test-$$-own other=$top/limpet-test-$$-other
for g in "$own" "$other"; do
	mkdir "$g" && at_exit "eventually group_gone $g"
done
read_in() { # GROUP COUNT
	# shellcheck disable=SC2016
	sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$1" dd if="/dev/$first" of=/dev/null bs=4096 count="$2" \
		iflag=direct status=none
}
foreign() { probe_sums group "disk.$first" 0 rkB/s foreign-rkB/s; }
options --disk $first --cgroup "$own"
probe_start group --options "$FILE" -o "$T/out"
probe_wait group 1
read_in "$own" 1
read_in "$other" 2
probe_settle group
got=$(foreign)
options --disk $first --cgroup "$other"
kill -HUP "$(probe_pid group)"
told() { grep -q 'have changed: --cgroup$' "$T/group.err"; }
eventually told
read_in "$own" 4
read_in "$other" 8
probe_settle group
probe_stop group
check_eq "$got, $(foreign)" "$((3 * 4096)) $((2 * 4096)), $((15 * 4096)) $((6 * 4096))" \
	"reads, foreign (bytes), before and after" &&
	check_eq "$(sqlite3 "$T"/out/group-*.limpet "SELECT value FROM meta WHERE key = 'cgroups'")" \
		"/limpet-test-$$-other" "the file's" && ok
