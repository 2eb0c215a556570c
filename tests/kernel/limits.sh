#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2015,SC2016,SC2046,SC2086,SC2154
# More than there is room for: a thousand disks, thousands of cgroups, a buffer that is too small.
# What is left out is said and counted, what is shown is right, and memory does not grow.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup flock
DISKS=1000
SLOTS=128 # MAX_DISKS

# ---- disks ----
first=$((950000 + $$ % 90 * 1000)) # minor numbers have 20 bits
loop_of() { echo loop$((first + $1)); } # 0…
truncate -s 1M "$T/file"
disks_gone() {
	seq $first $((first + DISKS - 1)) | sed 's|^|/dev/loop|' | xargs -P 32 -n 8 losetup -d
	seq $first $((first + DISKS - 1)) | xargs -P 32 -n 1 "$O/tests/loopdev" remove
} 2>/dev/null
case_begin "$DISKS disks: a message says how many have no row of their own"
at_exit disks_gone
seq $first $((first + DISKS - 1)) | xargs -n 1 "$O/tests/loopdev" add 2>"$T/loops" ||
	all_skip "no $DISKS loop devices here: $(head -n 1 "$T/loops")"
all_there() { [ -b "/dev/$(loop_of $((DISKS - 1)))" ]; }
eventually all_there
for i in $(seq 0 $((DISKS - 1))); do losetup "/dev/$(loop_of $i)" "$T/file"; done

options=
for i in $(seq 0 $((DISKS - 1))); do options="$options --disk $(loop_of $i)"; done
read_some() { # DISK COUNT: again from its beginning, for they are small
	read_direct "$(loop_of $1)" 4096 $2
}
for source in bpf proc; do probe_start $source --source $source $options; done
probe_wait bpf 2
probe_wait proc 2
if grep -q "$DISKS disks: the first $SLOTS have a row each, $((DISKS - SLOTS)) are summed up" "$T/bpf.err"; then
	ok
else
	fail "$(cat "$T/bpf.err")"
fi
resident() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$(probe_pid $1)/status"; }

# The first and the last with a row, the first and the last without, some between.
read_some 0 3
read_some $((SLOTS - 1)) 5
read_some $SLOTS 7
read_some $((DISKS / 2)) 11
read_some $((DISKS - 1)) 13
for i in $(seq 200 20 400); do read_some $i 1; done
probe_settle bpf proc
sum() { probe_sum bpf ".disk[\"$1\"][\"${2:-r/s}\"]"; }
case_begin "rows for the first $SLOTS and one for all others, in every second"
check_eq "$(probe_jq bpf '[.[].disk | length] | unique | tojson')" "[$((SLOTS + 1))]" rows &&
	check_eq "$(probe_jq bpf '[.[].disk | has("(other)")] | all')" true "(other)" && ok
case_begin "each disk's reads are in its row, or once in '(other)'"
check_eq "$(sum "$(loop_of 0)") $(sum "$(loop_of $((SLOTS - 1)))") $(sum '(other)')" "3 5 42" "reads" &&
	check_eq "$(probe_jq bpf '[.[] | .interval_s as $t | [.disk[]["r/s"] // 0] | add * $t] | add | round')" 50 \
		"reads of all rows" &&
	check_eq "$(probe_sum bpf '.system["bread/s"]')" 400 "blocks of bread/s" && ok
case_begin "the histograms of '(other)' have them all"
check_eq "$(probe_jq bpf '[.[].disk["(other)"].lat.read[][][2]] | add')" 42 "reads" && ok
case_begin "what cannot be known of the others without eBPF is null"
check_eq "$(probe_jq proc '[.[].disk["(other)"] | [.["r/s"], .await]] | flatten | unique | tojson')" "[null]" \
	values && check_eq "$(probe_sum proc ".disk[\"$(loop_of 0)\"][\"r/s\"]")" 3 "reads of a row" && ok
case_begin "resident memory stays under 64 MiB, and does not grow"
before=$(resident bpf)
for i in 1 2 3; do
	for d in $(seq 0 25 $((SLOTS - 1))); do read_some $d 2; done
	probe_settle bpf
done
after=$(resident bpf)
echo "# resident: $before kB, then $after kB; from /proc $(resident proc) kB"
if [ "$before" -lt 65536 ] && [ "$after" -lt $((before + 2048)) ]; then ok; else fail "$before kB, then $after kB"; fi
case_begin "kernel memory stays under 32 MiB"
"$PROBE" check $options >"$T/check" 2>&1
bytes=$(for fd in /proc/"$(probe_pid bpf)"/fdinfo/*; do
	awk '$1 == "memlock:" { m = $2 } $1 == "map_id:" { map = $2 } END { if (map) print map, m }' "$fd"
done 2>/dev/null | sort -u | awk '{ n += $2 } END { print n + 0 }')
echo "# maps: $bytes bytes"
if [ "$bytes" -gt 100000 ] && [ "$bytes" -lt 33554432 ]; then ok; else fail "$bytes bytes"; fi
probe_stop bpf
probe_stop proc

case_begin "a disk given twice is refused, or its I/O is counted once"
two=$(loop_of $((SLOTS + 5)))
if probe_start twice $options --disk "$two" && probe_wait twice 1 >/dev/null; then
	read_some $((SLOTS + 5)) 9
	probe_settle twice
	check_eq "$(probe_sum twice '.disk["(other)"]["r/s"]')" 9 reads && ok
	probe_stop twice
elif grep -q "disk '$two' is given twice" "$T/twice.err"; then
	ok
else
	fail "$(cat "$T/twice.err")"
fi

# ---- records that find no room ----
# The buffer holds less than two sweeps of so many busy disks. The reader of the lines stops, so the
# probe does, with sweeps still being made: their records are lost. Then it reads on.
case_begin "records that find no room are counted, and no number is wrong"
busy=
for i in $(seq 0 19); do busy="$busy --disk $(loop_of $i)"; done
mkfifo "$T/fifo"
cat >"$T/reader" <<-'END'
	exec 9<"$1"
	IFS= read -r line <&9 && printf '%s\n' "$line"
	until [ -e "$2" ]; do sleep 0.05; done
	exec cat <&9
END
: >"$T/small.jsonl"
sh "$T/reader" "$T/fifo" "$T/go" >"$T/small.jsonl" &
at_exit "end_child $!"
LIMPET_RING_BYTES=524288 "$PROBE" record -j --host small $busy >"$T/fifo" 2>"$T/small.err" &
small=$!
echo $small >"$T/small.pid"
at_exit "end_child $small"
probe_start whole $busy
probe_wait whole 1
small_began() { [ -s "$T/small.jsonl" ]; }
eventually small_began
# Until the pipe is full, the probe is stuck and the buffer has run over: a sweep needs 12 KiB for each
# disk that did something.
rounds=0
while [ $rounds -lt 16 ]; do
	for i in $(seq 0 19); do read_some $i 5; done
	rounds=$((rounds + 1))
	seconds=$(probe_lines whole)
	probe_wait whole $((seconds + 1))
done
: >"$T/go"
probe_settle whole small
probe_stop small
probe_stop whole
small_sum=$(probe_jq small '[.[] | .interval_s as $t | .disk[] | .["r/s"] // 0 | . * $t] | add | round')
small_hist=$(probe_jq small '[.[].disk[].lat.read[][][2]] | add')
lost=$(probe_jq small '[.[].lost] | add')
echo "# $(probe_lines small) lines of $(probe_lines whole), $lost records lost, $small_sum reads: $(sort "$T/small.err" | uniq -c | tr '\n' ';')"
# A record that is missing would be five reads or more. On Linux 6.18 one completion in some 50,000 was seen
# in the kernel's statistics and in no histogram, without a miss that the kernel counts; why is not known.
near=$((small_hist > rounds * 100 - 5 && small_hist <= rounds * 100))
check_eq "$small_sum $near" "$((rounds * 100)) 1" "reads by rate ($small_hist by histogram), and whether nearly" && {
	check_eq "$(probe_jq small '[.[].disk[]["r/s"] // 0 | select(. > 60)] | length')" 0 \
		"rates of several seconds shown as one second's" && {
		if [ "$lost" -eq 0 ]; then
			fail "nothing was lost, so this tried nothing"
		elif ! grep -q 'the records of one second were lost' "$T/small.err"; then
			fail "no message: $(cat "$T/small.err")"
		else
			ok
		fi
	}
}

# ---- cgroups ----
case_begin "one cgroup among 5,000: its I/O is its own, its neighbours' is foreign"
root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
folder=$root/limpet-test-$$
groups_gone() {
	(cd "$folder" 2>/dev/null && rmdir [0-9]*)
	for busy in "$folder"/[0-9]* "$folder"; do eventually group_gone "$busy"; done
} 2>/dev/null
at_exit groups_gone
if ! mkdir "$folder" 2>/dev/null || { [ -e "$folder/cgroup.controllers" ] && ! grep -qw io "$folder/cgroup.controllers"; }; then
	skip "no cgroup hierarchy has the block controller (CONFIG_BLK_CGROUP)"
else
	[ ! -e "$folder/cgroup.subtree_control" ] || echo +io >"$folder/cgroup.subtree_control"
	(cd "$folder" && mkdir $(seq 5000)) || fail "cannot make 5,000 cgroups"
	probe_start groups --disk "$(loop_of 3)" --cgroup "$folder/2500"
	probe_wait groups 1
	in_group() { # GROUP COUNT
		sh -c 'echo 0 >"$0/cgroup.procs" && exec dd if="/dev/$1" of=/dev/null bs=4096 count="$2" iflag=direct status=none' \
			"$folder/$1" "$(loop_of 3)" $2
	}
	in_group 2500 5
	in_group 2499 7
	in_group 5000 11
	for i in $(seq 100 100 2000); do in_group $i 1; done
	probe_settle groups
	path=".disk[\"$(loop_of 3)\"]"
	check_eq "$(probe_sum groups "$path[\"rkB/s\"]") $(probe_sum groups "$path[\"foreign-rkB/s\"]")" \
		"$((43 * 4)) $((38 * 4))" "kB read, of them foreign" && ok
	probe_stop groups
fi
