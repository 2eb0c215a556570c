#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A source that is not a file: recordings as frames of many servers in one stream, into `limpet watch -`, give the verdict that
# `limpet diagnose` gives on the files. And what a stream costs that is late, damaged, cut, or none.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
G=$O/replay/grow
for need in jq python3; do
	command -v "$need" >/dev/null || all_skip "needs $need (tools/deps check)"
done
[ -x "$G" ] || all_skip "'$G' is not built (make all)"

# frames FOLDER OPTION…: its recordings as one stream
frames() {
	folder=$1
	shift
	"$G" - "$@" -- "$folder"/*.limpet
}

# watch OPTION… <FRAMES: the verdict in $T/verdict, lines before it in $T/lines, messages in $T/err
watch() {
	"$L" watch --json "$@" - >"$T/out" 2>"$T/err"
	status=$?
	tail -n 1 "$T/out" >"$T/verdict"
	sed '$d' "$T/out" >"$T/lines"
}

# Server, cause, times of each incident; the verdict.
incidents() { jq -c '[.verdict, (.incidents[] | [.server, .cause, .from, .to, .decided, .times])]' "$1"; }

# same NAME FOLDER OPTION…: diagnose reads the files, watch the frames; to the letter
same() {
	case_begin "$1"
	folder=$2
	shift 2
	"$L" diagnose --json "$@" "$folder" >"$T/files" 2>"$T/files.err"
	expected=$?
	frames "$folder" >"$T/frames" 2>"$T/grow.err"
	watch "$@" <"$T/frames"
	if [ -s "$T/grow.err" ] || ! check_eq "$status" "$expected" "status ($(cat "$T/err"))"; then
		fail "$(cat "$T/grow.err")"
	elif [ "$(incidents "$T/verdict")" != "$(incidents "$T/files")" ]; then
		fail "watch: $(incidents "$T/verdict"), diagnose: $(incidents "$T/files")"
	elif ! cmp -s "$T/verdict" "$T/files"; then
		fail "$(jq . "$T/files" >"$T/a"; jq . "$T/verdict" | diff "$T/a" - | head -n 20)"
	else
		ok
	fi
}

# ---- the verdict on the files -------------------------------------------------------------------------------
for name in disk-hog lock-and-disk replay; do
	same "recorded on real servers: $name" "tests/data/$name/series"
done
same "in intervals of 7 s" tests/data/disk-hog/series --hop 7
same "from a time on" tests/data/disk-hog/series --from 2026-11-21T19:26:30Z
PFS="--seed 1 --servers 5 --clients 5 --seconds 240 --fault-from 60 --fault-seconds 90 --brief"
# shellcheck disable=SC2086
for fault in "disk-hog --node io04" "receive-packet-loss --node io02" none; do
	"$O/simulate" pfs $PFS --workload ddr --fault $fault "$T/sim-${fault%% *}" >"$T/made" 2>&1 || echo "# $(cat "$T/made")"
	same "simulated: $fault" "$T/sim-${fault%% *}"
done
if [ -n "${LIMPET_TEST_DATA:-}" ]; then
	for folder in "$LIMPET_TEST_DATA"/orangefs/*/full; do
		name=${folder%/full}
		same "OrangeFS: ${name##*/}" "$folder"
	done
else
	case_begin "OrangeFS"
	skip "needs public data (LIMPET_TEST_DATA)"
fi

# ---- how it is told -----------------------------------------------------------------------------------------
H=tests/data/disk-hog/series
frames $H >"$T/hog"

case_begin "what happens is told when it does, and the verdict at the end, as text too"
watch <"$T/hog"
"$L" watch - <"$T/hog" >"$T/text" 2>"$T/err"
"$L" diagnose $H >"$T/files"
check_eq "$(jq -r 'select(.change == "opened") | "\(.time) \(.server) \(.cause)"' "$T/lines")" \
	"2026-11-21T19:27:24Z oss-s3 disk-hog" "opened" &&
	check_eq "$(tail -n "$(wc -l <"$T/files")" "$T/text" | cmp - "$T/files")" "" "the text at the end" &&
	check_eq "$(head -n 3 "$T/text" | grep -c '^2026-.*judging 6 of 6 servers')" 1 "lines before it" && ok

case_begin "times of changes are those of the frames, and rise; where nothing ever came it is now"
watch <"$T/hog"
jq -r .time "$T/lines" >"$T/times"
check_eq "$(cut -c 1-10 "$T/times" | sort -u) $(LC_ALL=C sort -c "$T/times" 2>&1)" "2026-11-21 " "days, order" && {
	watch </dev/null
	check_eq "$(jq -r '.change + " " + .time' "$T/lines" | cut -c 1-17)" "cannot-judge $(date -u +%Y)" "of no frames" && ok
}

case_begin "--exit-code says what is known, and --alert is told"
printf '#!/bin/sh\necho "$LIMPET_SERVER" >>"%s"\n' "$T/alerts" >"$T/alert"
chmod +x "$T/alert"
watch --exit-code --alert "$T/alert" <"$T/hog"
check_eq "$status $(sort -u "$T/alerts")" "3 oss-s3" "status, alerts ($(cat "$T/err"))" && ok

# ---- what is late, comes twice, or never ---------------------------------------------------------------------
case_begin "a server 3 s behind the others is waited for"
frames $H --lag oss-s2:0:3 >"$T/frames"
watch <"$T/frames"
"$L" diagnose --json $H >"$T/files"
check_eq "$(incidents "$T/verdict")" "$(incidents "$T/files")" "incidents ($(cat "$T/err"))" &&
	check_eq "$(cat "$T/err")" "" "messages" && ok

case_begin "what comes more than 5 s late does not count, and that is said"
frames $H --pause oss-s2:60:20 >"$T/frames"
watch <"$T/frames"
check_eq "$status $(jq -r '.incidents[].server' "$T/verdict") $(grep -c "frames of 'oss-s2' came more than 5 s late" "$T/err")" \
	"0 oss-s3 1" "status, server, messages ($(cat "$T/err"))" &&
	check_eq "$(grep -c "[0-9] frames of 'oss-s2' left out: too late" "$T/verdict")" 1 "in the verdict" && ok

case_begin "of a second that comes twice the first one counts"
python3 - "$T/hog" >"$T/frames" <<'EOF'
import struct, sys
data, at = open(sys.argv[1], "rb").read(), 0
while at < len(data):
    end = at + 28 + data[at + 6] + struct.unpack_from("<I", data, at + 8)[0]
    sys.stdout.buffer.write(2 * data[at:end])
    at = end
EOF
watch <"$T/frames"
check_eq "$(incidents "$T/verdict")" "$(incidents "$T/files")" "incidents ($(cat "$T/err"))" &&
	check_eq "$(cat "$T/err") $(grep -c 'too late' "$T/verdict")" " 0" "messages, late" && ok

case_begin "a frame that is refused, of a time two hours ahead, costs that frame"
python3 - "$T/hog" >"$T/frames" <<'EOF'
import struct, sys, zlib
data, at = open(sys.argv[1], "rb").read(), 0
for i in range(400):
    n = 24 + data[at + 6]
    length, = struct.unpack_from("<I", data, at + 8)
    end = at + n + 4 + length
    if i == 20:
        head = bytearray(data[at:at + n])
        struct.pack_into("<q", head, 16, struct.unpack_from("<q", head, 16)[0] + 7200 * 10**9)
        sys.stdout.buffer.write(head + struct.pack("<I", zlib.crc32(head)) + data[at + n + 4:end])
    sys.stdout.buffer.write(data[at:end])
    at = end
sys.stdout.buffer.write(data[at:])
EOF
watch <"$T/frames"
check_eq "$(incidents "$T/verdict") $(grep -c 'too late' "$T/verdict")" "$(incidents "$T/files") 0" "incidents, late ($(cat "$T/err"))" && ok

case_begin "one server alone, and an empty stream, cannot be judged"
"$G" - -- $H/oss-s1-*.limpet >"$T/one"
watch <"$T/one"
one="$status $(jq -r .why "$T/verdict")"
watch </dev/null
check_eq "$one, $status $(jq -r .verdict "$T/verdict")" "4 3 servers are needed, and 1 has data, 4 cannot-judge" \
	"statuses and why ($(cat "$T/err"))" && ok

# ---- damage -------------------------------------------------------------------------------------------------
# spoil FRAMES N PLACE: frame N with its byte at PLACE changed, PLACE body in the middle of it; or it is cut there
spoil() {
	python3 - "$@" <<-'EOF'
	import struct, sys
	data, n, place = bytearray(open(sys.argv[1], "rb").read()), int(sys.argv[2]), sys.argv[3]
	at = 0
	for _ in range(n):
	    at += 24 + data[at + 6] + 4 + struct.unpack_from("<I", data, at + 8)[0]
	if place == "cut":
	    data = data[:at + 99]
	else:
	    data[at + (300 if place == "body" else int(place))] ^= 1
	sys.stdout.buffer.write(data)
	EOF
}

# whole FRAMES: the host of each, if all of them are whole
whole() {
	python3 - "$1" <<-'EOF'
	import struct, sys, zlib
	data, at = open(sys.argv[1], "rb").read(), 0
	while at < len(data):
	    n = 24 + data[at + 6]
	    length, check = struct.unpack_from("<II", data, at + 8)
	    assert data[at:at + 4] == b"lmpw" and zlib.crc32(data[at + n + 4:at + n + 4 + length]) == check, at
	    print(data[at + 24:at + n].decode())
	    at += n + 4 + length
	EOF
}

case_begin "a damaged body costs one second of one server: it is said, and the rest is judged"
spoil "$T/hog" 500 body >"$T/frames"
watch <"$T/frames"
check_eq "$status $(jq -r '.incidents[] | "\(.server) \(.cause)"' "$T/verdict") $(grep -c "a frame of 'oss-s[1-6]' is damaged, and left out" "$T/err")" \
	"0 oss-s3 disk-hog 1" "status, incident, messages ($(cat "$T/err"))" &&
	check_eq "$(grep -c "1 frame of 'oss-s[1-6]' left out: damaged" "$T/verdict")" 1 "in the verdict" && ok

case_begin "two things that are wrong soon after each other are both said"
spoil "$T/hog" 500 body >"$T/once"
spoil "$T/once" 503 body >"$T/frames"
spoil "$T/frames" 502 cut >"$T/begin"
: >"$T/err"
{
	cat "$T/begin"
	tries=0
	until [ -s "$T/err" ] || [ $tries -ge 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	tail -c +$(($(wc -c <"$T/begin") + 1)) "$T/frames"
} | watch
check_eq "$(sort -u "$T/err" | grep -c "a frame of 'oss-s[1-6]' is damaged, and left out")" 2 "messages ($(cat "$T/err"))" && ok

case_begin "a stream that is cut is judged as far as it goes, and that is said"
spoil "$T/hog" 1000 cut >"$T/frames"
watch <"$T/frames"
check_eq "$status $(jq -r '.incidents[] | "\(.server) \(.cause)"' "$T/verdict") $(grep -c 'the stream ends in the middle of a frame' "$T/err")" \
	"0 oss-s3 disk-hog 1" "status, incident, messages ($(cat "$T/err"))" && ok

# refused NAME WORDS: it ends with status 1 and this message
refused() {
	case_begin "$1"
	watch <"$T/frames"
	check_eq "$status $(grep -c "^limpet: cannot read frames: .*$2" "$T/err")" "1 1" "status, message ($(cat "$T/err"))" && ok
}
spoil "$T/hog" 500 9 >"$T/frames"
refused "a damaged header ends it" "a frame is damaged in its header"
spoil "$T/hog" 500 4 >"$T/frames"
refused "another version ends it" "a frame is of version 0, and this limpet reads version 1"
echo '{"host":"s1"}' >"$T/frames"
refused "what is no frame ends it" "these are no frames"
case_begin "in a terminal that is said when the view has gone"
if command -v script >/dev/null; then
	TERM=xterm script -qec "'$L' watch - <'$T/frames'" /dev/null </dev/null >"$T/out" 2>&1
	check_eq "$? $(sed -n 's/.*\[?1049l//p' "$T/out" | grep -c '^limpet: cannot read frames: these are no frames')" "1 1" \
		"status, message ($(cat -v "$T/out"))" && ok
else
	skip "needs script (util-linux)"
fi

# ---- several servers, as the man page says ----------------------------------------------------------------------
case_begin "the man page's program brings frames of several servers into one stream, whole"
mkdir "$T/bin"
printf '#!/bin/sh\nexec cat "%s/from-$1"\n' "$T" >"$T/bin/ssh"
chmod +x "$T/bin/ssh"
sed -n '/^import selectors/,/^\.EE/p' analyzer/man/limpet-watch.1 | sed '/^\.EE/d;s/\\-/-/g' >"$T/frames.py"
for host in oss-s1 oss-s2 oss-s3; do
	"$G" - -- $H/$host-*.limpet >"$T/from-$host"
done
PATH=$T/bin:$PATH python3 "$T/frames.py" oss-s1 oss-s2 oss-s3 >"$T/merged" 2>"$T/err"
check_eq "$? $(whole "$T/merged" | sort | uniq -c | tr -s ' ' | tr '\n' ',')" \
	"0 $(cat "$T"/from-oss-s? >"$T/frames"; whole "$T/frames" | sort | uniq -c | tr -s ' ' | tr '\n' ',')" \
	"status, frames ($(cat "$T/err"))" && ok

# ---- what is asked for ---------------------------------------------------------------------------------------
# usage NAME STATUS WORDS ARGUMENT…
usage() {
	case_begin "$1"
	expected=$2 words=$3
	shift 3
	"$L" watch "$@" <"$T/hog" >"$T/out" 2>"$T/err"
	status=$?
	check_eq "$status $(grep -c "$words" "$T/err")" "$expected 1" "status, message ($(cat "$T/err"))" && ok
}
usage "--once is for files" 2 "'--once' is for files" --once -
usage "--back is for files" 2 "'--back' is for files" --back 60 -
usage "no series files beside a stream" 1 "is no log: beside frames" - $H/oss-s1-20261121.limpet
