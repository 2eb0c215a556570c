# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# The slow disks of servers: slowdisk.c behind a loop device, and a file system on it.
#
# shellcheck disable=SC2015,SC2086

set_disk() { # server rate seek fixed: by rename, so that the disk never reads half a file
	echo "$2 $3 $4" > "$STATE/$1/params.new" && mv "$STATE/$1/params.new" "$STATE/$1/params"
}

# tune FILE VALUE: what loop devices inherit outlives 'losetup -d', so the old value is noted first.
tune() {
	[ -e "$1" ] || return 0
	echo "$1 $(sed 's/.*\[\(.*\)\].*/\1/' "$1")" >> "$D/tuned"
	echo "$2" > "$1"
}
untune() { # server loop
	local file value
	while read -r file value; do
		[[ $file == /sys/*/"$2"/* || $file == /sys/class/bdi/* ]] && echo "$value" > "$file"
	done < "$STATE/$1/tuned"
} 2>/dev/null

disk_up() { # server
	local D=$STATE/$1 loop queue file=$STATE/$1/nbd/$GROUP-$1.disk
	mkdir -p "$D/nbd" && set_disk "$1" 100000 0 0 || return # fast until the cluster stands
	# The disks run before all else on the CPUs: what shall be slow about them is the model.
	start disks "$D/nbdkit.log" nice -n -15 nbdkit -t 16 -U "$D/sock" \
		"$PLUGIN" size="${DISK_MB}M" file="$D/image" params="$D/params"
	wait_for 10 test -S "$D/sock" || { cat "$D/nbdkit.log" >&2; return 1; }
	start disks "$D/nbdfuse.log" nice -n -15 nbdfuse "$file" --unix "$D/sock"
	wait_for 10 grep -q " $D/nbd " /proc/self/mountinfo && wait_for 5 test -s "$file" ||
		{ cat "$D/nbdfuse.log" >&2; return 1; }
	loop=$(losetup -f --show --direct-io=on "$file") ||
		loop=$(sleep .2; losetup -f --show --direct-io=on "$file") || return # lost a race for it
	echo "${loop#/dev/}" > "$D/loop"
	queue=/sys/block/${loop#/dev/}/queue
	: > "$D/tuned"
	tune "$queue/scheduler" mq-deadline || return
	tune "$queue/nr_requests" 64
	tune "$queue/max_sectors_kb" 512
	tune "$queue/rotational" 1
	fs_disk "$1" "${loop#/dev/}"
}

# A file system of the server's own on its disk, mounted at $STATE/SERVER/FOLDER. What waits to be
# written is at most DIRTY_MB: without a limit of its own it sits in the page cache of a big machine for 30 s.
ext4_disk() { # server loop folder
	local D=$STATE/$1 bdi
	bdi=/sys/class/bdi/$(<"/sys/block/$2/dev")
	mkdir "$D/$3" || return
	# The same hash seed everywhere, so that the same files lie at the same places on all disks.
	mkfs.ext4 -q -E nodiscard,lazy_itable_init=0,lazy_journal_init=0,hash_seed=6c696d70-6574-4000-8000-000000000001 \
		-J size=16 -I 512 "/dev/$2" && mount -o noatime "/dev/$2" "$D/$3" || return
	echo "$bdi/strict_limit 0" >> "$D/tuned"
	tune "$bdi/max_ratio" 100
	echo 1 > "$bdi/strict_limit" && echo $((DIRTY_MB << 20)) > "$bdi/max_bytes"
}
