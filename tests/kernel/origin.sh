#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2086,SC2154
# Own and others' I/O: where they cannot be told apart it is said, and the file has the processes that were told.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel sqlite3
loop_new 8M || all_skip "no loop device (modprobe loop)"
mkdir "$T/out"

said() { # HOST [alone] OPTION…: how often it was said
	host=$1 in=
	shift
	[ "${1:-}" != alone ] || { in=alone; shift; }
	$in timeout 120 "$PROBE" record -o "$T/out" --host "$host" --disk "$loop" "$@" 1 1 2>"$T/$host.err" ||
		{ fail "$(cat "$T/$host.err")"; return 1; }
	grep -c "own and others' I/O on the disks cannot be told apart" "$T/$host.err"
}
told() { # HOST
	sqlite3 "$T/out/$1"-*.limpet "SELECT value FROM meta WHERE key = 'pids'"
}

# In a /proc of its own, for a daemon may run on this machine.
alone() { unshare --mount --pid --fork --mount-proc "$@"; }
case_begin "no cgroup, no process, and no daemon of a known name"
if alone true 2>"$T/err"; then
	check_eq "$(said none alone) $(told none)" "1 " "said, processes" && ok
else
	skip "no namespaces of processes here ($(cat "$T/err"))"
fi

case_begin "no cgroup, and no processes are recorded"
check_eq "$(said bare --no-processes) $(said proc --source proc)" "1 1" said && ok

case_begin "a process that is told tells them apart, and is in the file"
check_eq "$(said pid --pid $$) $(told pid)" "0 $$" "said, processes" && ok

case_begin "a daemon of a known name tells them apart"
cp "$(command -v sleep)" "$T/glusterfsd"
"$T/glusterfsd" 60 &
daemon=$!
check_eq "$(said named)" 0 said && ok
kill $daemon
