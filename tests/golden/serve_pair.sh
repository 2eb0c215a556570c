#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Two receivers of the same senders: each judges by itself and asks the other what it says.
# waits: for the other of the pair to be away, and to say something else
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

HOSTS=6
serve_needs
A_INGEST=$INGEST A_METRICS=$METRICS B_INGEST=127.0.0.1:$(serve_port) B_METRICS=127.0.0.1:$(serve_port)
be() { # a|b: the functions of serve.sh are about that one
	D=$T/$1
	[ "$1" = a ] && INGEST=$A_INGEST METRICS=$A_METRICS || INGEST=$B_INGEST METRICS=$B_METRICS
}
feed 400 100 1.6
be b
serve
B=$SERVE
within 20 answers
# A is a sender of B's, by a name of its own.
line=$("$L" serve enroll --state "$D" --address "$INGEST")
mkdir -p "$T/a"
"$P" enroll --host limpet-a --receivers "$T/a/pair" "$line" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
be a
serve
within 20 answers
for s in a b; do # each in a file of its own
	be $s
	enrol_all || fail "$(cat "$T/enroll.log")"
done
for ((h = 1; h <= HOSTS; h++)); do push "s$h"; done

case_begin "what it says is told to nobody but who is trusted"
be a
mistrusted() { [ "$(metric limpet_pair_receivers)" = 1 ] && [ "$(metric limpet_pair_answering)" = 0 ]; }
if within 20 mistrusted; then ok; else fail "$(curl -s "http://$METRICS/metrics" | grep '^limpet_pair')"; fi

case_begin "trusted, both say the same, and each says that the other agrees"
"$L" serve trust limpet-a --state "$T/b"
agree() { [ "$(metric limpet_pair_answering)" = 1 ] && [ "$(metric limpet_pair_agreeing)" = 1 ]; }
if within 90 indicts && be b && within 30 indicts && be a && within 40 agree; then ok; else fail "$(curl -s "http://$METRICS/metrics" | grep '^limpet_pair'; tail -n 3 "$T/serve.log" "$T"/push-*.log)"; fi

case_begin "an incident is told by both, once each, with one id"
check_eq "$(opened | sort | uniq -c | awk '{ print $1, $3 }')" '2 s3' "what was opened ($(opened))" && ok

case_begin "when the other is gone, that is said"
kill -KILL "$B"
wait "$B" 2>"$T/out"
says() { grep -q "$1" "$T/serve.log"; }
if within 100 says 'does not answer'; then
	alone() { [ "$(metric limpet_pair_answering) $(metric limpet_pair_receivers)" = '0 1' ]; }
	if within 10 alone && indicts; then ok; else fail "$(curl -s "http://$METRICS/metrics" | grep -E '^limpet_(pair|indicted)')"; fi
else
	fail "$(tail -n 3 "$T/serve.log")"
fi

case_begin "when the other says something else for two minutes, that is said, and what"
be b
serve --acknowledge s3
be a
agrees_not() { [ "$(metric limpet_pair_answering)" = 1 ] && [ "$(metric limpet_pair_agreeing)" = 0 ]; }
if within 90 agrees_not && within 220 says 'does not agree: we say that s3 limps, and it does not'; then ok; else fail "$(tail -n 3 "$T/serve.log"; curl -s "http://$METRICS/metrics" | grep '^limpet_pair')"; fi
