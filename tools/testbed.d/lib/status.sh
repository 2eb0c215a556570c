# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What runs, for people and for scripts; the logs of an engine.
#
# shellcheck disable=SC2015,SC2086

client_bytes() { # received and sent by each client, one line each
	local c
	# shellcheck disable=SC2016 # awk's
	for c in $(names c "$C"); do in_net "$c" awk '/eth0:/ { sub(/.*:/, ""); print $1, $9 }' /proc/net/dev; done
}

cmd_status() {
	local s c bad=0 cells faults f before text
	if ! is_up; then
		[ -z "$(namespaces)" ] || { echo "testbed: partly up: not by '$STATE', or its driver was killed"; return 1; }
		echo "testbed: nothing is up"
		return 3
	fi
	need_up
	find_cgroups
	printf '%-8s %-8s %-8s %s %s\n' SERVER NETNS DISK "$(fs_columns)" FAULTS
	text=$(fs_cells) || bad=1
	readarray -t cells <<<"$text"
	for s in $(names s "$N"); do
		faults=''
		for f in "$STATE"/faults/*."$s" "$STATE"/faults/*.all; do
			faults+=" ${f##*/}" faults=${faults%.*}
			[ "$(<"$f")" = default ] || faults+="($(<"$f"))"
			[ ! -e "$f.pid" ] || kill -0 "$(<"$f.pid")" 2>/dev/null || faults+=" (dead)" bad=1
		done
		printf '%-8s %-8s %-8s %s%s\n' "$s" "$PREFIX-$s" "$(loop_of "$s")" "${cells[${s#s} - 1]:-?}" "${faults:- -}"
	done
	before=$(client_bytes)
	sleep 1
	paste -d ' ' <(names c "$C") <(echo "$before") <(client_bytes) |
		awk '{ printf "%-8s receives %.1f MB/s, sends %.1f MB/s\n", $1, ($4 - $2) / 1e6, ($5 - $3) / 1e6 }'
	for c in $(names c "$C"); do fs_has_client "$c" || { echo "$c has no $FS"; bad=1; }; done
	echo "load     $(cat "$STATE/load/kind" 2>/dev/null || echo none)"
	[ ! -e "$STATE/load/kind" ] || [ -n "$(cgroup_pids load)" ] || { echo "load     is dead"; bad=1; }
	return $bad
}

cmd_servers() {
	local s
	need_up
	find_cgroups
	for s in $(names s "$N"); do echo "$s $PREFIX-$s $(loop_of "$s") $CG_IO/$s"; done
}

cmd_collect() {
	[ $# -eq 1 ] || misuse "usage: testbed collect DIR"
	need_root
	need_up
	find_cgroups
	mkdir -p "$1" || die "cannot make '$1'"
	# shellcheck disable=SC2317 # the engines' does not end here
	fs_collect "$1" || die "cannot copy the logs to '$1'"
}
