# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# A testbed is built, taken down, looked after and found again.
#
# shellcheck disable=SC2015,SC2046,SC2086

# in_parallel FUNCTION ARGS...: one subshell per argument; fails if one fails.
in_parallel() {
	local f=$1 a err=0 pids=()
	shift
	for a; do "$f" "$a" 9>&- & pids+=($!); done
	for a in "${pids[@]}"; do wait "$a" || err=1; done
	return $err
}

# The children of a killed driver hold its lock on: what 'up' had started is in the setup cgroup.
lock() { # seconds to wait
	local holder wait=$1
	exec 9<>$LOCK || die "cannot open '$LOCK'"
	find_cgroups
	if ! flock -n 9; then
		holder=$(cat $LOCK.pid 2>/dev/null)
		[ -n "$holder" ] && [ -d "/proc/$holder" ] || { kill_all cgroup_pids setup; wait=20; }
		flock -w "$wait" 9 || die "another testbed command is at work (pid ${holder:-unknown}): wait for it, or stop it"
	fi
	echo $$ > $LOCK.pid
}

# What is in the state directory is obeyed, and the directory removed, as root: it must be root's own.
trust_state() {
	[ -e "$STATE" ] || return 0
	[ "$(stat -c %u "$STATE")" = 0 ] && [ -z "$(find "$STATE" -maxdepth 1 -perm /022 ! -type l)" ] && return
	[ "$(id -u)" != 0 ] || die "'$STATE' is not root's alone: remove it, or choose another LIMPET_TESTBED"
}

owner() { cat $LOCK 2>/dev/null; }                # the state directory of the testbed that is up
is_up() { [ -e "$STATE/up" ]; }
known_up() { sed -n 's/^FS=\([a-z0-9]*\) .*/\1/p' "$STATE/up" 2>/dev/null; } # of what it is that is up
need_up() { # and takes over the settings it was built with
	is_up || die "no testbed is up in '$STATE' ('testbed up' makes one)"
	# shellcheck source=/dev/null
	source "$STATE/up"
	[ -z "$ASKED_FS" ] || [ "$ASKED_FS" = "$FS" ] || die "the testbed that is up is of $FS, not of $ASKED_FS ('testbed down' takes it down)"
	load_fs "$FS"
}

refuse_second() {
	local other
	other=$(owner)
	[ -n "$other" ] && [ "$other" != "$STATE" ] && [ -e "$other/up" ] &&
		die "another testbed is up in '$other': LIMPET_TESTBED=$other testbed down"
}

on_exit() {
	local err=$?
	trap '' INT TERM HUP
	fs_errors 2>/dev/null | tail -8 >&2
	say "up failed or was stopped: taking it down"
	tear_down
	exit $((err ? err : 1))
}

cmd_up() {
	local s
	load_fs "${ASKED_FS:-glusterfs}"
	check_number N 5 64; check_number C 1 32; check_number RATE 1 100000; check_number SEEK 0 1000000
	check_number DISK_MB 1024 1000000; check_number MTU 576 65000
	check_number MEM_MB 64 1000000; check_number PING_S 1 1000; check_number WEIGHT 1 100
	fs_check
	need_root
	need_machine
	fs_fetch || die "without its programs there is no $FS"
	lock 0
	refuse_second
	# One whose programs have ended is taken down below, whatever it is of.
	is_up && (ASKED_FS='' cmd_status) >/dev/null && die "a testbed of $(known_up) is up in '$STATE' already: 'testbed down' first"
	build_plugin
	tear_down || die "cannot remove what a former run has left"
	[[ $STATE == /* ]] || die "LIMPET_TESTBED='$STATE' is not an absolute path"
	[ -d "$STATE" ] && ! [ -e "$STATE/$MARK" ] && [ -n "$(ls -A "$STATE")" ] &&
		die "'$STATE' has files that are not a testbed's: choose another LIMPET_TESTBED"
	trap on_exit EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	mkdir -p "$STATE/faults" && echo $PPID > "$STATE/$MARK" && echo "$STATE" > $LOCK || die "cannot make '$STATE'"
	# Shared: when a mount below goes, it also goes from the mount namespaces that 'ip netns exec' has made
	# meanwhile. A disk that is mounted in one of them could not be taken down.
	mount --bind "$STATE" "$STATE" && mount --make-shared "$STATE" || die "cannot mount '$STATE'"
	make_cgroups
	join_cgroup setup                         # what a killed 'up' was doing is then found, too
	fs_prepare || die "cannot prepare $FS"
	switch_up || die "cannot make the switch namespace"
	in_parallel disk_up $(names s $N) & disks=$!
	for s in $(names s $N); do net_up $s ${s#s} "$NET" || die "cannot make the network of '$s'"; done
	for s in $(names c $C); do net_up $s $((100 + ${s#c})) "$CNET" || die "cannot make the network of '$s'"; done
	net_up h1 254 "$CNET" || die "cannot make the network of 'h1'" # the third party of network hogs
	say "network: $N servers at $NET, $C clients at $CNET"
	wait $disks || die "cannot make the disks"
	say "disks: $(our_loops | tr '\n' ' ')at $RATE MB/s"
	fs_start || die "cannot start $FS"
	in_parallel fs_client $(names c $C) || die "the clients have no $FS"
	for s in $(names s $N); do
		set_disk "$s" "$RATE" "$SEEK" $FIXED || die "cannot slow the disk of '$s'"
		[ -z "$CPU_PCT" ] || set_cpu "$s" "$CPU_PCT" || die "cannot give '$s' its share of the processors"
	done
	printf 'FS=%q N=%q C=%q RATE=%q SEEK=%q NET=%q CNET=%q MEM_MB=%q CPU_PCT=%q CACHE=%q HOSTS=%q\n' "$FS" "$N" "$C" \
		"$RATE" "$SEEK" "$NET" "$CNET" "$MEM_MB" "$CPU_PCT" "$CACHE" "$HOSTS" > "$STATE/up"
	leave_cgroup
	trap - EXIT INT TERM HUP
	say "up: $(fs_where)"
}

server_pids() {
	local ns g
	for ns in $(namespaces); do ip netns pids "$ns"; done 2>/dev/null
	for g in "$CG_IO"/*/; do [[ $g == */disks/ ]] || cat "$g/cgroup.procs"; done 2>/dev/null
}
disk_pids() { cgroup_pids disks; }

# Takes down what is there, whether or not the state directory knows of it. The order matters: users
# of a file system before the file system, it before its disk. No step may hang on a dead mount.
tear_down() {
	local dirs d m loop s g
	leave_cgroup
	dirs=$(printf '%s\n' "$STATE" "$(owner)" | sort -u)
	for s in "$STATE"/s*/params; do s=${s%/params}; set_disk "${s##*/}" 100000 0 0; done
	KILL_S=3 kill_all server_pids || kill_all disk_pids # a process stuck on its disk ends with the disk
	kill_all server_pids
	for d in $dirs; do
		for m in $(our_mounts "$d"); do
			[[ $m == */nbd ]] && continue # under the loop devices, which go first
			[[ $m == */mnt ]] || timeout -k 1 5 umount "$m" 2>/dev/null || umount -l "$m"
		done
	done
	for loop in $(our_loops); do
		s=$(sed 's/.*-\(s[0-9]*\)\.disk.*/\1/' "/sys/block/$loop/loop/backing_file")
		untune "$s" "$loop"
		timeout -k 1 5 losetup -d "/dev/$loop"
	done
	# The mounts of processes that were in mount namespaces of their own go when the kernel gets to it,
	# after the last write.
	wait_for 30 no_loops
	for d in $dirs; do
		for m in $(our_mounts "$d"); do umount -l "$m"; done
	done
	kill_all disk_pids
	for d in $dirs; do
		while mountpoint -q "$d"; do umount "$d" 2>/dev/null || umount -l "$d" || break; done
	done
	for g in $(namespaces); do ip netns del "$g"; done
	for g in "$CG_IO" "$CG_MEM" "$CG_CPU"; do
		[ -d "$g" ] && find "$g" -depth -type d -exec rmdir {} + 2>/dev/null
	done
	if [ -z "$(leftovers)" ]; then
		for d in $dirs; do [ -e "$d/$MARK" ] && rm -rf --one-file-system "$d"; done
		[ -e $LOCK ] && : > $LOCK
	fi
	leftovers >&2
	[ -z "$(leftovers)" ]
}

no_loops() { [ -z "$(our_loops)" ]; }

leftovers() {
	local x
	for x in $(server_pids) $(disk_pids); do echo "testbed: left: process $x $(tr '\0' ' ' <"/proc/$x/cmdline")"; done
	for x in $(our_mounts "$STATE"); do echo "testbed: left: mount $x"; done
	for x in $(our_loops); do echo "testbed: left: loop device $x"; done
	for x in $(namespaces); do echo "testbed: left: network namespace $x"; done
	for x in "$CG_IO" "$CG_MEM" "$CG_CPU"; do [ -d "$x" ] && echo "testbed: left: cgroup $x"; done
} 2>/dev/null

cmd_down() {
	need_root
	lock 60 # another 'down' may be at work, of a testbed whose caller has ended
	refuse_second
	trap '' INT TERM HUP # half a teardown helps nobody
	tear_down || die "down is not complete"
	say "down"
}

# The process is gone: what stands goes, too, if it was this process that called 'up'. Not in the
# caller's session, or what ends the caller ends this.
cmd_until() {
	[[ $# -eq 1 && $1 =~ ^[1-9][0-9]{0,9}$ ]] || misuse "usage: testbed until PID"
	need_root
	[ -d "/proc/$1" ] || misuse "no process $1"
	setsid "$SELF" _until "$1" </dev/null >/dev/null 2>&1 &
	disown
}

until_gone() { # pid
	tail --pid="$1" -s .5 -f /dev/null
	exec 8<>$LOCK && flock -w 60 8            # an 'up' that goes on without its caller
	exec 8>&-
	[ "$(cat "$STATE/$MARK" 2>/dev/null)" != "$1" ] || cmd_down
}
