# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# For test scripts; source it with `. "$(dirname "$0")/../lib.sh"`. A script is a list of cases:
#
#   case_begin "counts 23 I/Os exactly"      what it proves, in words; ends the case before it
#   at_exit 'losetup -d /dev/loop7'          run when the script ends, however it ends; last first
#   ok | fail "got 22" | skip "no loop devices"    the result; a case that gives none has failed
#   check_eq "$got" 23 "I/Os"                fail unless the two are the same
#   end_child PID…                           ends processes that this shell started, those that still run
#   all_skip "needs root"                    before the first case: skip the whole script
#
# Results are TAP lines on stdout, read by tests/run; anything else on stdout and stderr is shown
# only when something failed. $O is the build directory, $T an empty directory for this script.

O=${O:-.output}
T=$(mktemp -d "${TMPDIR:-/tmp}/limpet-test.XXXXXX") || exit 1

lib_case=
lib_cleanup="rm -rf '$T'"
lib_failed=0

# The case that stands open got no result: the script broke off or forgot it.
lib_close() {
	[ -z "$lib_case" ] || fail "no result: the script ended or went on before one was given"
}

lib_exit() {
	lib_status=$?
	trap - EXIT INT TERM HUP
	lib_close
	eval "$lib_cleanup"
	[ "$lib_status" -ne 0 ] || lib_status=$lib_failed
	exit "$lib_status"
}
trap lib_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

at_exit() {
	lib_cleanup="$1
$lib_cleanup"
}

# The kernel gives the number of a process that has ended, and was waited for, to another one: by then it may be that of
# some other test's, and with 20,000 processes (kernel/tasks) all numbers are used up within seconds.
end_child() { # PID…
	for lib_pid; do
		lib_stat=$(cat "/proc/$lib_pid/stat" 2>/dev/null) || continue
		lib_stat=${lib_stat##*) ? } # its parent comes first now
		[ "${lib_stat%% *}" = $$ ] || continue
		{ kill -KILL "$lib_pid" && wait "$lib_pid"; } 2>/dev/null
	done
	:
}

case_begin() {
	lib_close
	lib_case=$1
}

ok() {
	[ -z "$lib_case" ] || echo "ok - $lib_case"
	lib_case=
}

fail() {
	[ -z "$lib_case" ] || { echo "not ok - $lib_case"; lib_failed=1; }
	[ $# -eq 0 ] || echo "# $*"
	lib_case=
}

skip() {
	[ -z "$lib_case" ] || echo "ok - $lib_case # SKIP $*"
	lib_case=
}

check_eq() {
	[ "$1" = "$2" ] && return 0
	fail "${3:-result}: expected '$2', got '$1'"
	return 1
}

all_skip() {
	lib_case=
	echo "SKIP $*"
	exit 77
}
