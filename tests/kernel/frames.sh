#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Frames of a real probe: through a pipe into `limpet watch -`, the same seconds that its series file has; with a reader that is slow, or
# leaves.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel python3
loop_new 8M || all_skip "no loop device (modprobe loop)"
mkdir "$T/out"

# Host, second, length of each frame; and whether all of it is whole.
cat >"$T/read.py" <<'EOF'
import struct, sys, zlib
data, at = open(sys.argv[1], "rb").read(), 0
while at < len(data):
    n = 24 + data[at + 6]
    assert data[at:at + 6] == b"lmpw\1\1", at
    length, check, wall = struct.unpack_from("<IIq", data, at + 8)
    assert zlib.crc32(data[at:at + n]) == struct.unpack_from("<I", data, at + n)[0], at
    body = data[at + n + 4:at + n + 4 + length]
    assert len(body) == length and zlib.crc32(body) == check, at
    print(data[at + 24:at + n].decode(), wall // 10**9, length)
    at += n + 4 + length
EOF

# All at once, for each only waits for its seconds.
"$PROBE" record --frames - --host live --disk "$loop" -o "$T/out" 1 12 2>"$T/live.err" | tee "$T/live" |
	"$O/limpet" watch --json - >"$T/watch" 2>"$T/watch.err" &
live=$!
{ timeout 120 "$PROBE" record --frames - --host leaves --disk "$loop" 2>"$T/leaves.err"; echo $? >"$T/leaves.status"; } |
	head -c 100 >"$T/leaves" &
leaves=$!
# A reader that takes nothing: a pipe of one page is full after some seconds, and the file goes on.
mkfifo "$T/slow"
python3 -c 'import fcntl, os, sys, time
fcntl.fcntl(os.open(sys.argv[1], os.O_RDWR), 1031, 4096) # F_SETPIPE_SZ
open(sys.argv[1] + ".ready", "w")
time.sleep(1000)' "$T/slow" &
at_exit "end_child $!"
eventually [ -e "$T/slow.ready" ]
"$PROBE" record --frames "$T/slow" --host slow --disk "$loop" -o "$T/out" 1 8 2>"$T/slow.err" &
slow=$!
"$PROBE" record --frames "$T/made" --host made --disk "$loop" 1 3 2>"$T/made.err"
made=$?

case_begin "into a new file: whole frames, one a second"
python3 "$T/read.py" "$T/made" >"$T/frames" 2>&1
check_eq "$made $(probe_messages made) $(cut -d ' ' -f 1 "$T/frames" | tr '\n' ' ')" "0  made made made " "status, messages, hosts" && ok

case_begin "not into a file that is there, nor into a pipe that nobody reads"
mkfifo "$T/nobody"
"$PROBE" record --frames "$T/made" --disk "$loop" 1 1 2>"$T/err1"
one=$?
"$PROBE" record --frames "$T/nobody" --disk "$loop" 1 1 2>"$T/err2"
check_eq "$one $? $(grep -c 'it is there already' "$T/err1") $(grep -c 'nobody reads the pipe' "$T/err2")" "1 1 1 1" \
	"statuses, messages ($(cat "$T/err1" "$T/err2"))" && ok

case_begin "what cannot be is said: JSON and frames on one output, frames on a terminal"
"$PROBE" record -j --frames - >"$T/out1" 2>"$T/err1"
one=$?
script -qec "'$PROBE' record --frames -" /dev/null </dev/null >"$T/err2" 2>&1
check_eq "$one $? $(grep -c 'cannot both have' "$T/err1") $(grep -c 'frames are no text' "$T/err2")" "2 2 1 1" \
	"statuses, messages ($(cat "$T/err1" "$T/err2"))" && ok

case_begin "a reader that leaves ends it, with a message and status 1"
# Other tests may have many connections at the time, which the probe says too.
wait $leaves
eventually [ -s "$T/leaves.status" ]
check_eq "$(cat "$T/leaves.status") $(probe_messages leaves | grep -c 'nobody reads them any more') $(probe_messages leaves | wc -l)" "1 1 1" \
	"status, messages ($(cat "$T/leaves.err"))" && ok

case_begin "watch - has the seconds of the probe, and judges when it ends"
wait $live
python3 "$T/read.py" "$T/live" >"$T/frames" 2>&1
check_eq "$(cut -d ' ' -f 1 "$T/frames" | sort | uniq -c | tr -s ' ')" " 12 live" "frames ($(cat "$T/live.err"))" &&
	check_eq "$(tail -n 1 "$T/watch" | jq -r '.verdict, .why' | tr '\n' ' ')" \
		"cannot-judge 3 servers are needed, and 1 has data " "verdict ($(cat "$T/watch.err"))" && ok

case_begin "they are the seconds of its series file: judged alike, to the letter"
"$O/limpet" diagnose --json "$T/out"/live-*.limpet >"$T/files" 2>"$T/err"
# Read again: of a machine that stalls for longer than 5 s some came too late as they came.
"$O/limpet" watch --json - <"$T/live" 2>"$T/err" | tail -n 1 >"$T/last"
check_eq "$(jq -r '.servers | length' "$T/files") $(cmp "$T/last" "$T/files" 2>&1)" "1 " "servers, difference" && ok

case_begin "a reader that takes nothing does not hold up the recording; what it did not take is said"
wait $slow
check_eq "$? $(series_seqs "$T/out"/slow-*.limpet | wc -l) $(grep -c 'has not taken the last [2-8] frames' "$T/slow.err")" "1 8 1" \
	"status, seconds in the file, messages ($(cat "$T/slow.err"))" && ok
