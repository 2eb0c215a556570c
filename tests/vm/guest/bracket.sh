# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC1087,SC2154
# For tests in the virtual machine; sourced after tests/kernel/common.sh. What a probe counted lies
# between two bounds that no delay can move: what the kernel itself counted between two readings
# that were surely inside, and between two that surely cover all.
#
#   bracket_open PROBE…       before the probes start
#   bracket_begin             when they have their first line; then comes the work
#   bracket_end               when the work is done; waits for the lines
#   bracketed PROBE NAME METRIC    whether the probe's sum of METRIC is within the bounds of the
#                             kernel's counter NAME (of /proc/vmstat, or "ctxt"); says so if not

bracket_read() { # WHEN
	{ cat /proc/vmstat; grep '^ctxt' /proc/stat; } >"$T/bracket.$1"
}
bracket_open() {
	bracket_probes=$*
	bracket_read outer-begin
}
bracket_begin() {
	bracket_read inner-begin
}
bracket_end() {
	bracket_read inner-end
	# shellcheck disable=SC2086
	probe_settle $bracket_probes
	# Later lines are about what came after the last reading.
	for probe in $bracket_probes; do probe_lines "$probe" >"$T/bracket.$probe"; done
	bracket_read outer-end
}
bracket_value() { # WHEN NAME
	awk -v n="$2" '$1 == n { print $2 }' "$T/bracket.$1"
}
bracketed() { # PROBE NAME METRIC
	least=$(($(bracket_value inner-end "$2") - $(bracket_value inner-begin "$2")))
	most=$(($(bracket_value outer-end "$2") - $(bracket_value outer-begin "$2")))
	got=$(probe_sum "$1" ".system[\"$3\"]" 0 "$(cat "$T/bracket.$1")")
	echo "# $1: $3 adds up to $got, the kernel's $2 to $least or at most $most"
	if [ "$got" -ge "$least" ] && [ "$got" -le "$most" ] && [ "$least" -gt 0 ]; then
		return 0
	fi
	fail "$1: $3 adds up to $got, the kernel's $2 to $least or at most $most"
	return 1
}

# For tests with $loop and $MODES: reads that a probe counted on the disk.
reads() { # PROBE FROM TO
	probe_sum "$1" ".disk.$loop[\"r/s\"]" "$2" "$3"
}
# Switches, page faults and traffic of pages, some of it on the second processor while it is there.
churn() {
	i=0
	while [ $i -lt 50 ]; do
		/busybox/busybox true | cat
		i=$((i + 1))
	done
}
# A probe of each mode, and three reads and some churn before what the test is about.
bracket_first_part() {
	bracket_open $MODES
	for mode in $MODES; do probe_start $mode --disk "$loop" --attach $mode; done
	for mode in $MODES; do probe_wait $mode 1; done
	bracket_begin
	read_direct "$loop" 4096 3
	churn
	probe_settle $MODES
}
