# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# For the tests of benchmarks; sourced after lib.sh. A benchmark is run with --smoke, at its smallest, and what it
# prints is compared with the shape of its tables: what it measures is nobody's concern there.

# Without errors, and no number in it is none.
smoke() { # TOOL
	"tools/$1" --smoke >"$T/out" 2>"$T/err"
	check_eq $? 0 "exit status ($(tail -n 20 "$T/err"))" || return
	! grep -iE '\<(nan|inf)\>' "$T/out" >"$T/bad" && return
	fail "$(cat "$T/bad")"
	return 1
}

# So many lines of what was printed look like this.
rows() { # N PATTERN
	n=$(grep -cE "$2" "$T/out")
	[ "$n" = "$1" ] && return
	fail "$n lines are as '$2', not $1: $(cat "$T/out" "$T/err")"
	return 1
}
