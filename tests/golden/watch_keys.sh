#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The keys of `limpet watch` in a terminal, with fifty servers that report as the clock goes.
# waits: for intervals as they come, for two servers to be named, and for pictures
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || all_skip "needs python3 (tools/deps check)"

mkdir "$T/live"
{ "$PYTHON" tests/golden/watch_keys.py feed "$T/stop" | "$O/tests/make_series" "$T/live"; } &
feeding=$!
at_exit "touch '$T/stop'; wait $feeding"

# keys NAME WORDS: the case of watch_keys.py.
keys() {
	case_begin "$2"
	if timeout 300 "$PYTHON" tests/golden/watch_keys.py "$1" "$O/limpet" "$T/live" >"$T/out" 2>&1; then
		ok
	else
		fail "$(cat "$T/out")"
	fi
}

keys enter_opens_one "Enter opens the chosen server, which stays live and scrolls; Escape, q and Enter go back"
keys a_part_of_a_name "/ lists the servers with a part of a name, and Escape lists all"
keys orders "s goes through the orders, each with its word and its age; every server can be reached"
keys keys_are_shown "? shows the keys, from the table and from a server's page"
keys small_and_resized "10 x 40 is enough, and a window may change: nothing is written beyond it"
keys any_bytes "10,000 bytes as keys: nothing but what a terminal may show, and q still quits"
