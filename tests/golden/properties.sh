#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What must be so of every recording: the verdict is the same, byte for byte, in whatever order the files are named, on
# however many threads, and however the time is split into files. (That `watch` says the same of files that grow:
# golden/replay_live.)
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet

# same WHAT COMMAND…: the command prints what diagnose did.
same() {
	what=$1
	shift
	"$L" "$@" >"$T/got" 2>"$T/err"
	check_eq "$? $(cmp "$T/want" "$T/got" 2>&1)" "$status " "$what"
}

# check NAME FOLDER OPTION…
check() {
	case_begin "$1"
	dir=$2
	shift 2
	"$L" diagnose --json "$@" "$dir" >"$T/want" 2>"$T/err"
	status=$?
	[ "$(wc -l <"$T/want")" = 1 ] || { fail "status $status, no line: $(cat "$T/err")"; return; }
	# shellcheck disable=SC2046
	same "files by name" diagnose --json "$@" "$dir"/*.limpet &&
		same "backwards" diagnose --json "$@" $(ls -r "$dir"/*.limpet) &&
		same "on four threads" diagnose --json --threads 4 "$@" "$dir" && ok
}

for recording in tests/data/*/series; do
	check "$recording" "$recording"
	check "$recording, looked at each 5 s" "$recording" --hop 5
done

if [ -x "$O/simulate" ]; then
	for fault in none disk-hog receive-packet-loss; do
		"$O/simulate" pfs --servers 6 --clients 6 --workload ddw --seconds 300 --fault-from 100 --fault-seconds 150 --fault $fault "$T/$fault" >"$T/made" 2>&1 ||
			echo "# simulate $fault: $(cat "$T/made")"
		check "simulated: $fault" "$T/$fault"
	done
else
	case_begin "simulated runs"
	skip "$O/simulate is not built (make)"
fi

# ---- split into files -----------------------------------------------------------------------------
B=1795230000
part() { # FROM TO: seconds of six servers, the third of which is slow from the 300th on
	awk -v b=$B -v from="$1" -v to="$2" 'BEGIN {
		for (t = from; t < to; t++) for (h = 1; h <= 6; h++) {
			n = "s" h; v = 5 + (t * 7919 + h * 104729) % 13 / 10
			if (h == 3 && t >= 300) v *= 8
			printf "%d,%s,r/s,sda,100\n%d,%s,await,sda,%g\n%d,%s,rkB/s,sda,5000\n", b + t, n, b + t, n, v, b + t, n
		}
	}'
}
mkdir "$T/whole" "$T/one" "$T/two" "$T/three"
for d in "0 200 one" "200 410 two" "410 600 three"; do
	# shellcheck disable=SC2086
	set -- $d
	part "$1" "$2" | "$O/tests/make_series" "$T/whole"
	part "$1" "$2" | "$O/tests/make_series" "$T/$3"
done
check "a recording in one file each" "$T/whole"
case_begin "split in time into three files each, in any order"
same "in order" diagnose --json "$T/one" "$T/two" "$T/three" &&
	same "backwards" diagnose --json "$T/three" "$T/two" "$T/one" &&
	same "mixed" diagnose --json "$T"/two/* "$T"/three/* "$T"/one/* && ok

mkdir "$T/few"
cp "$T"/whole/s[12]-* "$T/few"
check "two servers, of which none can be judged" "$T/few"
case_begin "and the status says so"
"$L" watch --once "$T/few" >"$T/got" 2>"$T/err"
check_eq "$status $?" "4 4" "exit statuses: as JSON, as lines" && ok
