# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Control groups and what runs in them: shares of memory and processors, starting, killing.
#
# shellcheck disable=SC2015,SC2046,SC2086

# Servers: $CG_IO/s1..sN, in the hierarchy that accounts block I/O, and the same under $CG_MEM,
# which bounds their page cache. All other processes have groups too, beside the servers': being in
# one is how 'down' finds a process, whatever became of the driver that started it.

declare -r HELPERS='setup disks hogs load clients monitors'

find_cgroups() {
	local v2
	v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	v1_mount() { awk -v c="$1" '$3 == "cgroup" && ("," $4 ",") ~ ("," c ",") { print $2; exit }' /proc/mounts; }
	CG_V2='' CG_IO=$(v1_mount blkio) CG_MEM=$(v1_mount memory)
	if [ -n "$v2" ] && grep -qw io "$v2/cgroup.controllers"; then
		CG_V2=$v2 CG_IO=$v2 CG_MEM=$v2
	fi
	[ -n "$CG_IO" ] || die "no cgroup hierarchy accounts block I/O (v2 'io' or v1 'blkio')"
	CG_CPU=${v2:+$v2/$GROUP}
	[ -n "$CG_V2" ] || { CG_CPU=$(v1_mount cpu) && CG_CPU=${CG_CPU:+$CG_CPU/$GROUP}; }
	CG_ROOT=$CG_IO CG_IO=$CG_IO/$GROUP CG_MEM=${CG_MEM:-$CG_ROOT}/$GROUP
}

# The servers' shares of the processors, under $CG_CPU: only where they have one (CPU_PCT).
make_cpu_groups() {
	local g
	[ -n "$CG_CPU" ] || die "no cgroup hierarchy limits processors (v2 or v1 'cpu')"
	# Masters and clients have no quota, and the weight of the testbed like the servers, or a busy machine starves
	# them alone. Disks do with their nice value better than with a weight among the groups.
	for g in monitors clients load hogs $(names s $N); do
		mkdir -p "$CG_CPU/$g" || die "cannot make cgroup '$CG_CPU/$g'"
	done
	# All servers together would weigh as much as one other process of this machine. What they may have
	# at most is their quota; that they have.
	if [ -n "$CG_V2" ]; then
		echo '+cpu' > "$CG_V2/cgroup.subtree_control" && echo '+cpu' > "$CG_CPU/cgroup.subtree_control" &&
			echo $((WEIGHT * 100)) > "$CG_CPU/cpu.weight"
	else
		echo $((WEIGHT * 1024)) > "$CG_CPU/cpu.shares"
	fi || die "cannot give '$CG_CPU' its weight"
}

# Per 20 ms: a server whose share is used up stands still for that long, not for the usual 100 ms.
set_cpu() { # server percent-of-one-processor
	if [ -n "$CG_V2" ]; then
		echo "$(($2 * 200)) 20000" > "$CG_CPU/$1/cpu.max"
	else
		echo 20000 > "$CG_CPU/$1/cpu.cfs_period_us" && echo $(($2 * 200)) > "$CG_CPU/$1/cpu.cfs_quota_us"
	fi
}

make_cgroups() {
	local g
	mkdir -p "$CG_IO" "$CG_MEM" || die "cannot make cgroup '$CG_IO'"
	if [ -n "$CG_V2" ]; then # a controller is handed down one level at a time
		echo '+io +memory' > "$CG_V2/cgroup.subtree_control" &&
			echo '+io +memory' > "$CG_IO/cgroup.subtree_control" ||
			die "cannot enable the io and memory controllers below '$CG_V2'"
	fi
	for g in $HELPERS $(names s $N); do
		mkdir -p "$CG_IO/$g" "$CG_MEM/$g" || die "cannot make cgroup '$CG_IO/$g'"
	done
	for g in $(names s $N); do
		echo $((MEM_MB << 20)) > "$CG_MEM/$g/$([ -n "$CG_V2" ] && echo memory.max || echo memory.limit_in_bytes)" ||
			die "cannot bound the memory of '$g'"
	done
	[ -z "$CPU_PCT" ] || make_cpu_groups
}

join_cgroup() { # group: the calling (sub)shell and what it starts
	local g
	echo $BASHPID > "$CG_IO/$1/cgroup.procs" || return
	for g in "$CG_MEM" "$CG_CPU"; do
		[ "$CG_IO" = "$g" ] || ! [ -d "$g/$1" ] || echo $BASHPID > "$g/$1/cgroup.procs" || return
	done
}

leave_cgroup() {
	echo $BASHPID > "$CG_ROOT/cgroup.procs"
	[ "$CG_IO" = "$CG_MEM" ] || echo $BASHPID > "${CG_MEM%/*}/cgroup.procs"
} 2>/dev/null

cgroup_pids() { cat "$CG_IO/$1/cgroup.procs" 2>/dev/null; }

# kill_all PIDS-COMMAND...: kills what the command lists until it lists nothing. On a busy machine a process that waits
# for its disk ends seconds later.
kill_all() {
	local pids until=$((SECONDS + ${KILL_S:-15}))
	while [ $SECONDS -lt $until ]; do
		pids=$("$@")
		[ -n "$pids" ] || return 0
		kill -9 $pids 2>/dev/null
		sleep .05
	done
	return 1
}

# start GROUP LOG COMMAND...: in a session and cgroup of its own, without our lock; pid in $!.
start() {
	local group=$1 log=$2
	shift 2
	(
		join_cgroup "$group"
		exec setsid "$@" </dev/null >"$log" 2>&1 9>&-
	) &
	disown 2>/dev/null # or bash reports its end
}
