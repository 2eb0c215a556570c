#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the testbed calls a lock, a hang, a hot server, maintenance and a slow fleet is what happens, there and
# nowhere else, and 'clear' ends it.
# hardship: minutes for the testbed itself, of which limpet has no part
# alone: there is one testbed, and what its clients get done depends on the machine
# shellcheck disable=SC2034 # lib.sh uses variables of ours
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$(id -u)" = 0 ] || all_skip "needs root (sudo make check)"
tools/testbed status >/dev/null 2>&1
[ $? = 3 ] || all_skip "a testbed is up already; 'tools/testbed down' first"
at_exit 'tools/testbed down >/dev/null 2>&1'
N=5 C=1 tools/testbed up >"$T/log" 2>&1 || { cat "$T/log"; exit 1; }
tools/testbed servers >"$T/servers"
BED=${LIMPET_TESTBED:-/var/tmp/limpet-testbed}

states() { # SERVER: of its processes
	while read -r p; do
		awk '$1 == "State:" { print $2 }' "/proc/$p/status"
	done <"$(awk -v s="$1" '$1 == s { print $4 }' "$T/servers")/cgroup.procs" 2>/dev/null | sort -u | tr -d '\n'
}
# Sectors read and written by the disk of each server, while seconds pass: "s1 READ WRITTEN".
sectors() { while read -r s _ disk _; do awk -v s="$s" '{ print s, $3, $7 }' "/sys/block/$disk/stat"; done <"$T/servers"; }
moved() { # SECONDS
	sectors >"$T/then"
	sleep "$1"
	sectors | paste -d ' ' "$T/then" - | awk '{ print $1, $5 - $2, $6 - $3 }' >"$T/moved"
}
# shellcheck disable=SC2016 # awk's
sent() { nsenter --net=/run/netns/lt-c1 awk '/eth0:/ { sub(/.*:/, ""); print $9 }' /proc/net/dev; }
# A process that waits for its disk ends when that has answered.
gone() { # COMMAND
	for _ in $(seq 200); do
		cat /proc/*/comm 2>/dev/null | grep -qx "$1" || return 0
		sleep 0.1
	done
	return 1
}
# The kernel writes what a process had written before it was stopped, up to half a minute later.
# shellcheck disable=SC2016 # awk's
flushed() { # SERVER
	awk -v s="$1" '$1 == s { print "/dev/" $3 }' "$T/servers" | while read -r disk; do
		awk -v d="$disk" '$1 == d { print $2 }' /proc/self/mounts | head -n 1 | xargs -r sync -f
	done
}
bed() { tools/testbed "$@" >>"$T/log" 2>&1 || fail "$(tail -n 3 "$T/log")"; }

case_begin "maintenance: one disk is read, slowly, by badblocks, and no other"
bed fault scrub s2 && moved 4 && bed status &&
	check_eq "$(awk '$2 > 2048 { print $1 }' "$T/moved")" s2 "who reads 1 MiB in 4 s" &&
	check_eq "$(cat /proc/*/comm 2>/dev/null | grep -cx badblocks)" 1 "badblocks" && bed clear &&
	if gone badblocks; then ok; else fail "badblocks is there 20 s after 'clear'"; fi

case_begin "a hot server: its own file system's processes write and read, on its disk alone"
bed fault imbalance s4 && moved 20 && bed status &&
	check_eq "$(awk '$3 > 20480 { print $1 }' "$T/moved")" s4 "who writes 10 MiB in 20 s" &&
	bed clear && check_eq "$(grep -c "$BED/hot" /proc/self/mountinfo)" 0 "mounts after 'clear'" && ok

case_begin "after 'clear' there is no second volume, and there can be another hot server"
bed fault imbalance s1 && bed clear && ok

case_begin "a slow fleet: every disk becomes slower, and 'clear' makes it fast again"
cat "$BED"/s*/params | sort -u >"$T/params"
bed fault fleet all 4 && check_eq "$(cat "$BED"/s*/params | sort -u)" "10 16000 400" "rate, seek, fixed cost" &&
	bed clear && check_eq "$(cat "$BED"/s*/params | sort -u)" "$(cat "$T/params")" "after 'clear'" && ok

# Connections with data that nobody reads, the same for three seconds.
unread() { # SERVER
	ns=$(awk -v s="$1" '$1 == s { print $2 }' "$T/servers")
	for i in 1 2 3; do
		ip netns exec "$ns" ss -Htn state established | awk '$1 > 0 { print $1, $3, $4 }' | sort >"$T/unread.$i"
		sleep 1
	done
	sort "$T"/unread.[123] | uniq -c | awk '$1 == 3' | grep -c .
}
stuck() { # SERVER: within a minute
	for _ in $(seq 20); do
		[ "$(unread "$1")" = 0 ] || return 0
	done
	return 1
}
case_begin "a lock is held and a disk is slow at once: of the one nobody reads what comes, and 'clear' ends both"
bed load write
sleep 5
bed fault busy-lock s2 9 && bed fault slow-disk s5 10 && bed status &&
	check_eq "$(awk '{ print $1 }' "$BED/s2/lock") $(awk '{ print $1 }' "$BED/s1/lock") $(cat "$BED/s5/params")" \
		"1 0 10 12000 100" "locks of s2 and s1, disk of s5" &&
	if stuck s2 && check_eq "$(unread s1)" 0 "unread connections of s1"; then
		bed clear && check_eq "$(awk '{ print $1 }' "$BED/s2/lock") $(cat "$BED"/s*/params | sort -u)" \
			"0 $(cat "$T/params")" "lock and disks after 'clear'" && ok
	else
		fail "s2: $(cat "$T/unread.3")"
	fi
bed load stop

case_begin "a hung server is stopped, and after a while the clients go on without it"
bed load write
sleep 5
bed fault hang s3 && check_eq "$(states s3)" T "states of its processes" && {
	sleep 20
	flushed s3
	before=$(sent)
	sleep 5
	after=$(sent)
	moved 5
	check_eq "$(awk '$1 != "s3" && $3 == 0 { print $1 }' "$T/moved")" '' "disks without a write" &&
		check_eq "$(awk '$1 == "s3" { print $2 + $3 }' "$T/moved")" 0 "sectors of the hung one" &&
		if [ "$after" -gt "$before" ]; then bed status && bed clear && check_eq "$(states s3 | tr -d SDR)" '' "stopped after 'clear'" && ok; else fail "no client sends"; fi
}

case_begin "'down' removes a cluster with a hung and a hot server"
bed clear
bed load stop
bed fault imbalance s5
bed fault hang s5
if tools/testbed down >"$T/down" 2>&1; then ok; else fail "$(cat "$T/down")"; fi

case_begin "'until': a cluster whose builder was killed is taken down"
sh -c 'tools/testbed until $$ && N=5 C=1 tools/testbed up; sleep 60' >>"$T/log" 2>&1 &
pid=$!
tries=0
until tools/testbed status >/dev/null 2>&1 || [ $tries -ge 60 ]; do
	sleep 1
	tries=$((tries + 1))
done
kill -KILL $pid
tries=0
tools/testbed status >/dev/null 2>&1
while [ $? != 3 ] && [ $tries -lt 30 ]; do
	tries=$((tries + 1))
	sleep 1
	tools/testbed status >/dev/null 2>&1
done
tools/testbed status >"$T/status" 2>&1
check_eq $? 3 "exit status of 'status'" && ok
