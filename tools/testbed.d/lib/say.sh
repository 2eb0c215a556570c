# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What the testbed says, how it ends with it, and how it waits.

ms() { local t=${EPOCHREALTIME/./}; echo $((t / 1000)); }
T0=$(ms)
say() {
	local t=$(($(ms) - T0))
	printf 'testbed: %3d.%d s  %s\n' $((t / 1000)) $((t % 1000 / 100)) "$*" >&2
}
warn() { echo "testbed: $*" >&2; }
die() { warn "$*"; exit 1; }
misuse() { warn "$*"; exit 2; }

# wait_for SECONDS COMMAND...: polls until the command succeeds.
wait_for() {
	local end=$(($(ms) + $1 * 1000))
	shift
	until "$@"; do
		[ "$(ms)" -lt $end ] || return 1
		sleep .05
	done
}
