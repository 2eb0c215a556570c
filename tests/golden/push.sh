#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# limpet-push against a receiver in Python (push_receiver.py), which has the protocol from its description alone: what it sends is complete and
# right, whatever the receiver does meanwhile, and one that hangs holds up no other.
# waits: for seconds to pass, and for looks at logs
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

P=$O/limpet-push H=s1 PYTHON=/usr/bin/python3
[ -x "$P" ] && [ -x "$O/tests/make_series" ] || all_skip "'$P' is not built (make all)"
[ -x "$PYTHON" ] && command -v openssl >/dev/null && command -v sqlite3 >/dev/null && command -v jq >/dev/null ||
	all_skip "needs python3, openssl, sqlite3 and jq (tools/deps check)"
here=$(dirname "$0")

port() {
	"$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# receiver NAME: begins it, or begins it again; its process is ${RECEIVER[NAME]}, its port ${PORT[NAME]}.
declare -A RECEIVER PORT
receiver() {
	"$PYTHON" "$here/push_receiver.py" "$T/$1" "${PORT[$1]}" >"$T/$1/log" 2>&1 &
	RECEIVER[$1]=$!
	at_exit "end_child ${RECEIVER[$1]}"
	for _ in $(seq 100); do
		! curl -sk -o "$T/null" --max-time 5 "https://127.0.0.1:${PORT[$1]}/" || return 0
		kill -0 "${RECEIVER[$1]}" 2>/dev/null || break
		sleep 0.1
	done
	echo "# the receiver did not start: $(cat "$T/$1/log")"
	return 1
}
mode() { echo "$2" >"$T/$1/mode"; }
make_receiver() {
	mkdir -p "$T/$1"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
		-keyout "$T/$1/key.pem" -out "$T/$1/cert.pem" 2>"$T/openssl.err"
	PORT[$1]=$(port)
	mode "$1" ok
	receiver "$1"
}
pin() {
	openssl x509 -in "$T/$1/cert.pem" -noout -pubkey | openssl pkey -pubin -outform DER |
		openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '='
}
token() { printf "$1%.0s" $(seq 43); }
state() { jq -r "$2" "$T/$1/state.json"; }

# within SECONDS COMMAND…: until it is true
within() {
	local left=$((5 * $1))
	shift
	until "$@" 2>/dev/null; do
		[ $((left--)) -gt 0 ] || return 1
		sleep 0.2
	done
}
push() { # OPTION…: begins it; ends as $PUSH
	: >"$T/push.log"
	"$P" run --host $H --series "$T/series" --receivers "$T/receivers" --no-logs "$@" >>"$T/push.log" 2>&1 &
	PUSH=$!
	at_exit "end_child $PUSH"
}
said() { grep -c -- "$1" "$T/push.log"; }
newest() { state "$1" ".seconds.$H[-1] // 0 | . / 1e9 | floor"; }
# The receiver has a second that is newer than the moment of asking.
comes_on() {
	local from
	from=$(date +%s)
	within "${2:-15}" eval "[ \"\$(newest $1)\" -gt $from ]"
}
# has_all NAME: no second is missing between the first and the last
gaps() { state "$1" "[.seconds.$H as \$s | range(1; \$s | length) | select(\$s[.] - \$s[. - 1] != 1000000000)] | length"; }

make_receiver r1 || all_skip "python3 cannot serve TLS here"
make_receiver r2
line="https://127.0.0.1:${PORT[r1]}#$(pin r1).$(token E)"

# enroll STATUS WORDS LINE OPTION…
enroll() {
	local want=$1 words=$2
	shift 2
	"$P" enroll --receivers "$T/receivers" "$@" >"$T/out" 2>"$T/err"
	check_eq $? "$want" "exit status of 'enroll $*' ($(cat "$T/err"))" || return
	if grep -q -- "$words" "$T/out" "$T/err"; then ok; else fail "'$words' is not in: $(cat "$T/out" "$T/err")"; fi
}

case_begin "enroll: a line of another key is refused, and nothing is told to who answers there"
enroll 1 "has another key than this line says" "https://127.0.0.1:${PORT[r1]}#$(pin r2).$(token E)" --host $H
check_eq "$(state r1 '.posts.enroll // 0' 2>/dev/null || echo 0)" 0 requests

case_begin "enroll: a token that has expired"
enroll 1 "limpet serve enroll" "${line%.*}.$(token X)" --host $H

case_begin "enroll: what is no line"
enroll 2 "https://ADDRESS:PORT#PIN.TOKEN" "https://127.0.0.1:${PORT[r1]}" --host $H

case_begin "enroll: the first time"
enroll 0 "is enrolled at" "$line" --host $H
file=$T/receivers/127.0.0.1-${PORT[r1]}.conf

case_begin "enroll: the file is its owner's alone"
check_eq "$(stat -c %a "$file")" 600 mode && ok

case_begin "enroll: a name that is taken says what to do"
enroll 1 "limpet serve approve $H" "$line" --host $H

case_begin "a file that others may read is refused"
chmod 640 "$file"
"$P" run --host $H --series "$T" --receivers "$T/receivers" >"$T/out" 2>&1
check_eq $? 1 status && grep -q 'others may read it' "$T/out" && ok
chmod 600 "$file"

case_begin "without a receiver it says how to make one known"
mkdir "$T/none"
"$P" run --host $H --receivers "$T/none" >"$T/out" 2>&1
check_eq $? 1 status && grep -q 'limpet-push enroll LINE' "$T/out" && ok

# Days before, and one that is written, the last three minutes of it at once.
mkdir -p "$T/series" "$T/logs/deep" "$T/outside"
for days in 2 1; do
	"$PYTHON" - $days <<'END' | "$O/tests/make_series" "$T/series"
import sys, time
day = (int(time.time()) // 86400 - int(sys.argv[1])) * 86400
for t in range(day + 36000, day + 36000 + 200):
    print(f"{t},s1,r/s,sda,{100 + t % 7}\n{t},s1,%user,,{t % 90}")
END
done
mkfifo "$T/more"
"$PYTHON" "$here/serve_feed.py" 1 200 0 1 <"$T/more" > >(exec "$O/tests/make_series" "$T/series" 2>"$T/feed.err") &
at_exit "end_child $!"
exec 3>"$T/more"
sleep 2

printf 'one\ntwo\nhal' >"$T/logs/whole.log"
printf 'a\n%s' "$(seq 100000)" >"$T/logs/deep/long.log"
gzip -c "$T/logs/deep/long.log" >"$T/logs/packed.gz"
touch -d '1 minute ago' "$T/logs/packed.gz" "$T/logs/deep/long.log"
echo old >"$T/logs/old.log"
touch -d '8 days ago' "$T/logs/old.log"
echo secret >"$T/outside/secret.log"
ln -s "$T/outside/secret.log" "$T/logs/link.log"
ln -s "$T/outside" "$T/logs/linked"
mkfifo "$T/logs/pipe"
: >"$T/logs/empty"
printf 'control\n' >"$T/logs/$(printf 'a\033[31mb')"

push --logs "job=$T/logs" --logs "one=$T/outside/secret.log"

case_begin "seconds come as they are written, the last minutes first"
if comes_on r1; then check_eq "$(gaps r1) $(state r1 .seconds_twice)" "0 0" "gaps and seconds sent twice" && ok; else fail "none: $(cat "$T/push.log")"; fi

case_begin "a second receiver that hangs holds up nothing, and is told once"
"$P" enroll --host $H --receivers "$T/receivers" "https://127.0.0.1:${PORT[r2]}#$(pin r2).$(token E)" >"$T/out" 2>&1 || echo "# $(cat "$T/out")"
mode r2 hang
end_child $PUSH
push --logs "job=$T/logs" --logs "one=$T/outside/secret.log"
within 15 eval '[ "$(said "127.0.0.1:${PORT[r2]}. cannot be reached")" = 1 ]'
first=$?
slow=0
for _ in 1 2 3; do comes_on r1 4 || slow=1; done
check_eq "$first $slow $(said 'cannot be reached')" "0 0 1" "told, slow, times told ($(cat "$T/push.log"))" && ok

case_begin "whole lines of logs, packed ones as they are; no links, no pipes, nothing old"
all_logs() { [ "$(state r1 '.logs | keys | join(" ")')" = "job/deep/long.log job/packed.gz job/whole.log one/secret.log" ] &&
	[ "$(state r1 '.logs."job/packed.gz".text | length')" = "$(stat -c %s "$T/logs/packed.gz")" ]; }
within 20 all_logs
for name in deep/long.log packed.gz; do
	state r1 ".logs.\"job/$name\".text" | iconv -f utf-8 -t latin1 | head -c -1 | cmp - "$T/logs/$name" || echo "# $name"
done >"$T/differences"
check_eq "$(state r1 '.logs | keys | join(" ")')" "job/deep/long.log job/packed.gz job/whole.log one/secret.log" paths &&
	check_eq "$(state r1 '.logs."job/whole.log".text')" "one
two" lines && check_eq "$(cat "$T/differences")" '' differences && ok

case_begin "what is left out is said"
check_eq "$(said 'logs are left out: 1 silent for a week') $(said 'names that are no text')" "1 1" "$(cat "$T/push.log")" && ok
# Rotated: the old one under a new name, the new one in its place; cut short with the same first line; replaced by another.
echo f >>"$T/logs/whole.log"
mv "$T/logs/whole.log" "$T/logs/whole.log.1"
echo new >"$T/logs/whole.log"
(printf 'a\n'; seq 5) >"$T/logs/deep/long.log"

case_begin "files are copied as they are, the newest first, then those of days before"
copied() {
	for of in "$T"/series/*.limpet; do
		sqlite3 -batch "file:$of?mode=ro" 'SELECT id, seconds FROM chunk WHERE seconds > 1 ORDER BY id' | tr '|' ' ' >"$T/has"
		state "$1" ".series.\"${of##*/}\".chunks // {} | to_entries | sort_by(.key | tonumber)[] | \"\(.key) \(.value[0])\"" >"$T/got"
		# The last minute may have been packed just now.
		[ -s "$T/got" ] && [ "$(head -n 3 "$T/has")" = "$(head -n 3 "$T/got")" ] || return 1
	done
}
if within 30 copied r1; then ok; else fail "$(diff "$T/has" "$T/got")"; fi

case_begin "blobs of a copy are those of the file"
of=$(find "$T/series" -name '*.limpet' | sort | head -n 1)
sqlite3 -batch "file:$of?mode=ro" "SELECT hex(head) FROM chunk ORDER BY id" | while read -r hex; do
	printf '%s' "$hex" | xxd -r -p | sha256sum | cut -d ' ' -f 1
done >"$T/has"
state r1 ".series.\"${of##*/}\".chunks | to_entries | sort_by(.key | tonumber)[].value[1][2][] | select(.[0] == 6)[1]" >"$T/got"
check_eq "$(wc -l <"$T/got")" "$(wc -l <"$T/has")" chunks && check_eq "$(diff "$T/has" "$T/got")" '' differences && ok

case_begin "a log that was rotated, cut short or replaced is another one"
rotated() { [ "$(state r1 '.logs."job/whole.log" | .text + (.others | tostring)')" = "new
1" ] && [ "$(state r1 '.logs."job/whole.log.1".text')" = "one
two
half" ] && [ "$(state r1 '.logs."job/deep/long.log".text | length')" = 12 ]; }
if within 25 rotated; then ok; else fail "$(state r1 '.logs | map_values(.text |= .[:60])')"; fi

case_begin "a receiver that was killed goes on where it was; no second is missing, none comes twice"
end_child "${RECEIVER[r1]}"
within 10 eval '[ "$(said "127.0.0.1:${PORT[r1]}. cannot be reached")" = 1 ]'
sleep 3
receiver r1
if comes_on r1 40; then
	check_eq "$(gaps r1) $(state r1 .seconds_twice) $(said "127.0.0.1:${PORT[r1]}. cannot be reached") $(said "127.0.0.1:${PORT[r1]}. is reached again")" "0 0 1 1" \
		"gaps, twice, lost, found ($(cat "$T/push.log"))" && ok
else
	fail "nothing comes: $(cat "$T/push.log")"
fi

# misbehaves MODE WORDS: the receiver does that, this is said, once; after it all goes on
misbehaves() {
	: >"$T/push.log"
	mode r1 "$1"
	within 15 eval "[ \"\$(said '$2')\" -ge 1 ]"
	sleep 1
	mode r1 ok
	if comes_on r1 40; then
		check_eq "$(gaps r1) $(grep -c "${PORT[r1]}.*seconds: $2\|${PORT[r1]}.*reached: $2" "$T/push.log")" "0 1" "gaps, times told ($(cat "$T/push.log"))" && ok
	else
		fail "nothing comes after '$1': $(cat "$T/push.log")"
	fi
}
case_begin "answers that are no JSON" && misbehaves garbage "its answer is none"
case_begin "an answer without end" && misbehaves huge "the answer is longer than 64 KiB"
case_begin "JSON of other types" && misbehaves json "its answer is none"
case_begin "cursors that lie" && misbehaves lie "it has seconds that are to come"
case_begin "cursors that stay" && misbehaves stuck "it still wants what was sent"
case_begin "403, with what a terminal would obey" && misbehaves forbid 'status 403, this host may not send that ("not of ?\[31mthis??? host")'
case_begin "connections that end" && misbehaves drop "Empty reply from server"

case_begin "503 is no news"
: >"$T/push.log"
mode r1 busy
sleep 4
mode r1 ok
comes_on r1 40
# That the files of the case before are taken again may be told only now: each stream is tried again by itself.
check_eq "$? $(gaps r1) $(grep -c "${PORT[r1]}.*\(does not take\|cannot be reached\)" "$T/push.log")" "0 0 0" "comes, gaps, told ($(cat "$T/push.log"))" && ok

case_begin "wait_ms is heeded"
mode r1 slow
comes_on r1 10
before=$(state r1 '[.posts[]] | add')
sleep 6
after=$(state r1 '[.posts[]] | add')
mode r1 ok
if [ $((after - before)) -le 4 ]; then ok; else fail "$((after - before)) requests in 6 s"; fi

case_begin "the one that hung has it all once it answers"
mode r2 ok
if comes_on r2 45; then
	check_eq "$(gaps r2) $(said "127.0.0.1:${PORT[r2]}. is reached again")" "0 1" "gaps, found ($(cat "$T/push.log"))" && ok
else
	fail "$(cat "$T/push.log")"
fi

case_begin "check says what goes where"
"$P" check --host $H --series "$T/series" --receivers "$T/receivers" --no-logs --logs "job=$T/logs" >"$T/out" 2>&1
check_eq "$? $(grep -c 'answers, and takes' "$T/out") $(grep -c '3 files of this host' "$T/out") $(grep -c '^logs  *job: ' "$T/out")" "0 2 1 1" "$(cat "$T/out")" && ok

# In a mount namespace of its own, where /var/log is empty.
case_begin "the log of limpet-progress.service is sent where nobody says so, and not missed where it is not"
if ! unshare --map-root-user --mount mount -t tmpfs limpet-test /var/log 2>"$T/err"; then
	skip "cannot mount in a namespace of its own: $(cat "$T/err")"
else
	# shellcheck disable=SC2016
	unshare --map-root-user --mount sh -c 'log=$1
		shift
		mount -t tmpfs limpet-test /var/log
		"$@" 2>&1 | grep "limpet:\|/var/log" && exit 1
		mkdir /var/log/limpet
		cp "$log" /var/log/limpet
		"$@"' sh tests/data/progress/progress.jsonl \
		"$P" check --host $H --series "$T/series" --receivers "$T/receivers" >"$T/out" 2>&1
	check_eq "$? $(grep -c '^logs  *limpet: /var/log/limpet: 1 log, ' "$T/out")" "0 1" "$(cat "$T/out")" && ok
fi

case_begin "it ends when it is told to"
kill -TERM $PUSH
within 3 eval "! kill -0 $PUSH"
wait $PUSH
check_eq $? 0 status && ok

case_begin "the receivers saw nothing wrong"
check_eq "$(state r1 '.wrong[]')$(state r2 '.wrong[]')" '' wrong && ok
exec 3>&-
