# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What clients do: streams in the background, until they are stopped or drained.
#
# shellcheck disable=SC2015,SC2086,SC2153

# A stream is this script run again by 'load', in a session of its own; it goes on until killed, or until
# the load is drained: not before its first pass, for 'drain' may come before the stream does. A failed
# pass is tried again after a second: faults are what the load is there to meet.
stream() { # kind client stream files...
	while fs_pass "$@" || sleep 1; do
		[ ! -e "$STATE/load/last" ] || break
	done
}

file_complete() { [ "$(fs_laid "$1")" = $READ_FILE_MB ]; }

# Makes read.1 .. read.COUNT where they are not there yet, one client after the other in parallel.
lay_files() { # count
	local i f todo=() pids=() done_mb
	for ((i = 1; i <= $1; i++)); do file_complete "read.$i" || todo+=("read.$i"); done
	[ ${#todo[@]} -gt 0 ] || return 0
	for i in "${!todo[@]}"; do
		start load "$STATE/load/lay.$i" "$SELF" _lay "c$((i % C + 1))" "${todo[i]}"
		pids+=($!)
	done
	while kill -0 "${pids[@]}" 2>/dev/null; do
		done_mb=0
		for f in "${todo[@]}"; do done_mb=$((done_mb + $(fs_laid "$f"))); done
		say "load: laying down files, $done_mb of $((${#todo[@]} * READ_FILE_MB)) MB"
		sleep 3
	done
	for f in "${todo[@]}"; do file_complete "$f" || { cat "$STATE"/load/lay.* >&2; return 1; }; done
}

empty_server_caches() {
	local g
	for g in "$CG_MEM"/s[0-9]*; do
		if [ -n "$CG_V2" ]; then echo "${MEM_MB}M" > "$g/memory.reclaim"; else echo 0 > "$g/memory.force_empty"; fi
	done
} 2>/dev/null

stop_load() {
	kill_all cgroup_pids load || die "cannot stop: $(cgroup_pids load | tr '\n' ' ')"
	[ ! -e "$STATE/load/kind" ] || fs_idle
	rm -rf "$STATE/load"
}

load_is_over() { [ -z "$(cgroup_pids load)" ]; }
drain_load() { # seconds
	[ -e "$STATE/load/kind" ] || die "no load is at work"
	: > "$STATE/load/last"
	if wait_for "$1" load_is_over; then say "load: at its end"; else say "load: not at its end after $1 s"; fi
	stop_load
}

# For a recording to come: what it reads of logs shall be of itself alone.
cmd_renew() {
	need_root
	cmd_clear
	stop_load
	fs_renew || die "cannot renew: 'testbed down', and 'up'"
	say "renewed"
}

# Whom a file system's load takes: the clients that write, and those that read.
load_streams() { # kind
	local c
	for c in $(names c "$C"); do
		case $1 in
		mixed) # both directions of the network carry data, and no client is its own bottleneck
			if [ "$C" = 1 ]; then WRITERS=c1 READERS=c1
			elif ((${c#c} % 2)); then WRITERS+=" $c"; else READERS+=" $c"; fi ;;
		write | small) WRITERS+=" $c" ;;
		read | random) READERS+=" $c" ;;
		esac
	done
}

cmd_load() {
	local kind=${1:-} i f WRITERS='' READERS='' STREAMS_OF=() streams=() files count c s
	[ -z "$(known_up)" ] || load_fs "$(known_up)"
	[ $# -eq 1 ] && [[ " $LOADS stop drain " == *" $kind "* ]] ||
		[[ $kind == drain && $# -eq 2 && $2 =~ ^[0-9]{1,4}$ ]] ||
		misuse "usage: testbed load KIND | stop | drain [SECONDS] (one of: $LOADS)"
	need_root
	need_up
	lock 10
	[ "$kind" != drain ] || { drain_load "${2:-60}"; return; }
	stop_load
	[ "$kind" != stop ] || { say "load: stopped"; return; }
	mkdir -p "$STATE/load"
	trap 'stop_load; exit 130' INT
	trap 'stop_load; exit 143' TERM HUP
	load_streams "$kind" || { stop_load; die "cannot prepare what '$kind' reads"; }
	for c in $READERS; do for ((s = 1; s <= STREAMS; s++)); do streams+=("$c $s"); done; done
	count=$((${#streams[@]} > READ_FILES ? ${#streams[@]} : READ_FILES))
	[ -z "$READERS" ] || lay_files $count || { stop_load; die "cannot lay down the files to read"; }
	empty_server_caches
	for i in "${!streams[@]}"; do # the files are shared out: none is read by two, or caches would serve it
		files=''
		for ((f = i + 1; f <= count; f += ${#streams[@]})); do files+=" read.$f"; done
		start load "$STATE/load/r$i" "$SELF" _stream "${kind/mixed/read}" ${streams[i]} $files
	done
	for c in $WRITERS; do
		for ((s = 1; s <= STREAMS; s++)); do
			start load "$STATE/load/w$c.$s" "$SELF" _stream "${kind/mixed/write}" "$c" "$s"
		done
	done
	for i in "${!STREAMS_OF[@]}"; do
		start load "$STATE/load/j$i" "$SELF" _stream ${STREAMS_OF[i]}
	done
	echo "$kind" > "$STATE/load/kind"
	trap - INT TERM HUP
	say "load: $kind"
}
