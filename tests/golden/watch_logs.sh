#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `limpet watch` on the logs of jobs while they grow: the recorded logs of a cluster in which a server hung, written
# line by line while the program runs, and rotated; and that it ends when it is told to.
# waits: logs grow as the clock goes
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
command -v zstd >/dev/null || all_skip "needs zstd (tools/deps check)"
for f in tests/data/hadoop-hang/logs/*/*.zst; do
	to=$T/whole/$(basename "$(dirname "$f")")
	mkdir -p "$to"
	zstd -q -d -o "$to/$(basename "$f" .zst)" "$f"
done
mkdir "$T/logs"

# waits until words are in a file; for a minute.
has() { # FILE WORDS
	for _ in $(seq 600); do
		grep -q "$2" "$1" 2>/dev/null && return
		sleep 0.1
	done
	fail "'$2' is not in $1: $(cat "$1")"
	return 1
}

ends() { # PID SIGNAL
	kill "-$2" "$1"
	for _ in $(seq 600); do
		! grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null || { sleep 0.1 && continue; }
		wait "$1"
		return
	done
	kill -9 "$1"
	wait "$1"
}

# part K: thousandths of each log that are there then, cut wherever that is
part() {
	(cd "$T/whole" && find . -type f) | while read -r f; do
		mkdir -p "$T/logs/$(dirname "$f")"
		size=$(wc -c <"$T/whole/$f")
		tail -c "+$((size * $1 / 1000 + 1))" "$T/whole/$f" | head -c "$((size * $2 / 1000 - size * $1 / 1000))" \
			>>"$T/logs/$f"
	done
}

"$L" watch --plain "$T/logs" >"$T/lines" 2>"$T/errors" &
watch=$!
at_exit "end_child $watch"

case_begin "an empty folder is watched, and logs that appear in it are judged"
part 0 300
has "$T/lines" ' judging 6 of 6 servers' && ok

case_begin "tasks that hold up their job are told while they run"
part 300 500
has "$T/lines" ' straggler attempt_[^ ]* on node-flint runs for [0-9]* s, others [0-9.]* s' && ok

case_begin "the server that hangs is told while the logs grow, in spite of rotation"
mv "$T/logs/node-flint/hadoop-tasktracker-node-flint.log" "$T/logs/node-flint/hadoop-tasktracker-node-flint.log.1"
part 500 700
cp "$T/logs/node-kelp/hadoop-tasktracker-node-kelp.log" "$T/logs/node-kelp/hadoop-tasktracker-node-kelp.log.1"
: >"$T/logs/node-kelp/hadoop-tasktracker-node-kelp.log"
part 700 1000
has "$T/lines" ' opened node-flint limps: hung' && ok

case_begin "SIGTERM ends it, and nothing went wrong"
ends $watch TERM
check_eq "$? $(cat "$T/errors")" '0 ' "status, messages" && ok

case_begin "a log is watched by its name; SIGINT ends it"
"$L" watch --json "$T"/logs/node-*/*.log "$T"/logs/node-*/*.log.1 "$T"/logs/history/* >"$T/lines" 2>"$T/errors" &
watch=$!
has "$T/lines" '"change":"opened","server":"node-flint","cause":"hung"'
ends $watch INT
check_eq "$? $(cat "$T/errors")" '0 ' "status, messages" && ok
