#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# limpet serve and logs of jobs: whoever has a token of its own host sends logs that say that another server hangs. They are kept; they are
# judged once the administrator has said that this host may speak of others.
# waits: for senders, and for logs to be judged
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

D=$T/state HOSTS=3
serve_needs
command -v zstd >/dev/null || all_skip "needs zstd (tools/deps check)"
feed 400 100 1
serve
within 20 answers || fail "it does not answer: $(cat "$T/serve.log")"
enrol_all || fail "$(cat "$T/enroll.log")"
for ((h = 1; h <= HOSTS; h++)); do push "s$h"; done

# A hang of Hadoop's, of a server that is called s2 now.
for f in tests/data/hadoop-hang/logs/*/*.zst; do
	to=$T/logs/$(basename "$(dirname "$f")")
	mkdir -p "$to"
	zstd -q -d -c "$f" | sed 's/node-flint/s2/g' >"$to/$(basename "${f%.zst}" | sed 's/node-flint/s2/g')"
done
line=$("$L" serve enroll --state "$D" --address "$INGEST")
enrol "$line" evil || fail "$(cat "$T/enroll.log")"
mkdir -p "$T/nothing"
"$P" run --no-logs --logs "app=$T/logs" --host evil --series "$T/nothing" --receivers "$T/receivers/evil" >>"$T/push-evil.log" 2>&1 &
EVIL=$!
at_exit "end_child $EVIL"

case_begin "logs of a host that is not trusted are kept, and accuse nobody"
kept() { [ "$(find "$D/logs/evil" -type f 2>/dev/null | wc -l)" -ge 5 ]; }
if within 60 kept && within 60 judges; then
	sleep 25
	check_eq "$(jq -r 'select(.change == "opened") | .server' "$T/events" | wc -l)" 0 "what was opened ($(tail -n 2 "$T/events"))" &&
		check_eq "$(metric limpet_servers)" 3 "servers" && check_eq "$(metric limpet_watch_logs)" 0 "logs that are judged" && ok
else
	fail "$(tail -n 3 "$T/push-evil.log" "$T/serve.log"; find "$D/logs" | head)"
fi

case_begin "nobody but a sender can be trusted, and 'senders' says who is"
"$L" serve trust nobody --state "$D" >"$T/out" 2>&1
check_eq $? 1 "status for one that is no sender ($(cat "$T/out"))" && "$L" serve trust evil --state "$D" &&
	check_eq "$("$L" serve senders --state "$D" | grep -c 'its logs are judged')" 1 "senders whose logs are judged" && ok

case_begin "trusted, what its logs say of others is told"
told() { [ "$(jq -r 'select(.change == "opened") | "\(.server) \(.cause)"' "$T/events")" = "s2 hung" ]; }
if within 60 told; then ok; else fail "$(tail -n 3 "$T/events" "$T/serve.log")"; fi
