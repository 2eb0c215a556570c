#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# limpet serve with sources beside what it receives: a recording that lies there, and a site of which half the servers send and half are
# recorded into a folder. And what it says when nothing comes any more.
# waits: for a minute in which nothing comes
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

D=$T/old HOSTS=6
serve_needs

case_begin "a recording of before is judged; it cannot judge the present, and says since when"
serve tests/data/disk-hog/series
limps() { [ "$(metric 'limpet_indicted{server="oss-s3",cause="disk-hog"')" = 1 ]; }
if within 20 limps; then
	check_eq "$(metric limpet_can_judge)" 0 "whether it can judge" &&
		check_eq "$(jq -r 'select(.change != "notice" and .change != "unproven") | "\(.change) \(.server)"' "$T/events" | sort)" \
			$'cannot-judge null\nopened oss-s3' "events" &&
		if grep -q 'since 2026-11-21T19:28:2' "$T/events"; then ok; else fail "$(cat "$T/events")"; fi
else
	fail "$(cat "$T/events" "$T/serve.log")"
fi

case_begin "started again it tells nothing twice"
kill -TERM "$SERVE"
wait "$SERVE"
serve tests/data/disk-hog/series
within 20 limps
check_eq "$(jq -r 'select(.change == "opened") | .server' "$T/events" | wc -l)" 1 "how often it was opened" && ok
kill -TERM "$SERVE"
wait "$SERVE"

case_begin "what is neither a word nor there, and a Prometheus, are refused"
"$L" serve --state "$T/none" --ingest 127.0.0.1:0 enrol >"$T/out" 2>&1
check_eq $? 2 status && grep -q "'enrol' is none of enroll" "$T/out" &&
	{ "$L" serve --state "$T/none" --ingest 127.0.0.1:0 prometheus://127.0.0.1:9 >"$T/out" 2>&1; check_eq $? 2 "status of a Prometheus"; } &&
	if grep -q 'limpet watch' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "--check says whether it could start, and leaves it at that"
mkdir -p "$D/series/s1"
: >"$D/series/s1/s1-20200101.limpet"
: >"$D/series/s1/s1-20200110.limpet"
"$L" serve --check --keep-days 3 --state "$D" --ingest "$INGEST" >"$T/out" 2>&1
check_eq $? 0 "status ($(cat "$T/out"))" && check_eq "$(find "$D/series/s1" -type f | wc -l)" 2 "recordings that are left" && if grep -q '^it could start: 0 senders' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

D=$T/state
feed 400 100 1.6
: >"$T/events"
within 20 recorded_all
serve "$T"/recorded/s[123]-*.limpet
within 20 answers
line=$("$L" serve enroll --state "$D" --address "$INGEST" --uses 3)
for h in s4 s5 s6; do
	enrol "$line" "$h" || fail "$h: $(cat "$T/enroll.log")"
	push "$h"
done

case_begin "three that send and three whose files grow here are peers: the slow disk is told, and nobody else"
if within 60 judges && within 40 indicts; then
	check_eq "$(jq -r 'select(.change == "opened") | "\(.server) \(.cause)"' "$T/events")" 's3 device-slow' "what was opened" && ok
else
	fail "not told: $(cat "$T/events" "$T/serve.log" "$T"/push-*.log "$T/feed.err" | tail -n 40)"
fi

case_begin "those that send stop: nobody knows how they are, and the others are judged still"
for pid in "${PUSH[@]}"; do end_child "$pid"; done
well() { for h in "$@"; do [ "$(metric "limpet_server_status{server=\"$h\",status=\"well\"}")" = 1 ] || return 1; done; }
gone() { ! well s4 && ! well s5 && ! well s6; }
if within 100 gone && indicts; then
	if well s1 s2 && [ "$(metric limpet_can_judge)" = 1 ]; then ok; else fail "$(tail -n 5 "$T/events")"; fi
else
	fail "$(tail -n 5 "$T/events" "$T/serve.log")"
fi

case_begin "when nothing comes any more it cannot judge, and what was told stands"
end_child "$FEED"
silent() { [ "$(metric limpet_can_judge)" = 0 ] && [ "$(metric limpet_servers_reporting)" = 0 ]; }
if within 110 silent; then
	check_eq "$(jq -r 'select(.change == "over") | .server' "$T/events" | wc -l)" 0 "what was over" &&
		check_eq "$(jq -r 'select(.change == "cannot-judge") | .text' "$T/events" | tail -n 1 | cut -d ' ' -f 1-6)" 'nothing was heard of any server' "what it says" &&
		if indicts; then ok; else fail "it limps no more: $(tail -n 5 "$T/events")"; fi
else
	fail "can judge: $(metric limpet_can_judge), $(tail -n 3 "$T/events")"
fi

case_begin "SIGHUP has the options' file read again, and says what takes a restart"
kill -TERM "$SERVE"
wait "$SERVE"
echo 'LIMPET_SERVE_OPTIONS="--keep-days 9"' >"$T/options"
serve --options "$T/options" "$T"/recorded/s[123]-*.limpet
within 20 answers
echo 'LIMPET_SERVE_OPTIONS="--keep-days 7 --alert /bin/true --alertmanager http://127.0.0.1:1"' >"$T/options"
kill -HUP "$SERVE"
says() { grep -q "$1" "$T/serve.log"; }
if within 10 says 'recordings of 7 days are kept'; then
	check_eq "$(grep -c 'that takes a restart' "$T/serve.log")" 2 "what takes a restart" &&
		says "'--alert' has changed in '$T/options': that takes a restart" && says "'--alertmanager' has changed" && ok
else
	fail "$(tail -n 3 "$T/serve.log")"
fi

case_begin "a file of options that makes no sense changes nothing"
echo 'LIMPET_SERVE_OPTIONS="--keep-days x"' >"$T/options"
kill -HUP "$SERVE"
if within 10 says 'the options stay as they were' && answers; then ok; else fail "$(tail -n 3 "$T/serve.log")"; fi
