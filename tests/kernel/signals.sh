#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# How a recording ends: by a count, by signals, by a reader that leaves, and by force.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel sqlite3
loop_new 8M || all_skip "no loop device (modprobe loop)"
mkdir "$T/out"

whole() { # NAME: every line is JSON, and the last one ends
	[ -z "$(tail -c 1 "$T/$1.jsonl")" ] && jq -s . "$T/$1.jsonl" >"$T/lines" 2>&1 || return 1
	check_eq "$(jq 'length' "$T/lines")" "$(probe_lines "$1")" "JSON objects"
}
seconds() { # NAME: how many are in its file
	series_seqs "$T/out/$1"-*.limpet | wc -l
}

# All at once, for each only waits for its seconds.
names=
for i in 0 1 2 3 4 5 6 7 8 9; do
	probe_start kill$i --disk "$loop" -o "$T/out"
	names="$names kill$i"
done
for p in INT TERM hup; do probe_start $p --disk "$loop" -o "$T/out"; done
probe_start slow --disk "$loop" 2 1
probe_start count --disk "$loop" 1 2
{ timeout 120 "$PROBE" record -j --host pipe --disk "$loop" 2>"$T/pipe.err"; echo $? >"$T/pipe.status"; } |
	head -n 1 >"$T/pipe.jsonl" &
piped=$!

for signal in INT TERM; do
	probe_wait $signal 2
	probe_stop $signal $signal
	case_begin "SIG$signal: status 0, whole lines, the same seconds in the file, no -wal, no message"
	check_eq "$status $(probe_messages $signal)" "0 " "status, messages" &&
		check_eq "$(seconds $signal)" "$(probe_lines $signal)" "seconds" &&
		check_eq "$(find "$T/out" -name "*$signal*-wal" -o -name ".$signal.lock")" "" "left behind" && {
		if whole $signal; then ok; else fail "not whole lines"; fi
	}
done

case_begin "count: 2 lines, then the end with status 0"
wait "$(probe_pid count)"
check_eq "$? $(probe_lines count) $(probe_messages count)" "0 2 " "status, lines, messages" && ok

case_begin "interval 2: seconds are two apart and as long"
probe_wait slow 1 && wait "$(probe_pid slow)"
check_eq "$(probe_jq slow '.[0] | (.interval_s | round), (.time | .[17:19] | tonumber % 2)' |
	tr '\n' ' ')" "2 0 " "interval_s, second modulo 2" && ok

case_begin "SIGPIPE: the reader leaves, the probe ends quietly with status 0"
wait $piped
eventually [ -s "$T/pipe.status" ]
check_eq "$(cat "$T/pipe.status") $(probe_messages pipe) $(probe_lines pipe)" "0  1" \
	"status, messages, lines" && ok

case_begin "SIGHUP: the recording goes on in a new file when the old one was moved away"
probe_wait hup 1
mkdir "$T/moved"
mv "$T"/out/hup-* "$T/moved/"
kill -HUP "$(probe_pid hup)"
probe_settle hup
probe_stop hup
all=$(series_seqs "$T"/moved/hup-*.limpet "$T"/out/hup-*.limpet | sort -n | uniq | wc -l)
check_eq "$status $all $(probe_messages hup)" "0 $(probe_lines hup) " "status, seconds in both, messages" && ok

# The moments are random, the outcome is not.
for p in $names; do probe_wait "$p" 1; done
# shellcheck disable=SC2086
for p in $(shuf -e $names); do
	sleep "0.$(shuf -i 0-399 -n 1 | sed 's/^..$/0&/; s/^.$/00&/')"
	kill -KILL "$(probe_pid "$p")"
	wait "$(probe_pid "$p")" 2>/dev/null
done
case_begin "SIGKILL at ten random moments: every second that was printed is in the file, whole"
for p in $names; do
	# A second is written to the file first, so that one more than printed is right as well.
	printed=$(probe_lines "$p")
	# shellcheck disable=SC2046
	set -- $(series_rows host "$T/out/$p"-*.limpet | jq -rs 'length, .[-1].seq - .[0].seq + 1') \
		$(series_rows disk "$T/out/$p"-*.limpet | wc -l)
	[ "$1" = "$2" ] && [ "$1" = "$3" ] &&
		[ $(($1 - printed)) -ge 0 ] && [ $(($1 - printed)) -le 1 ] || {
		fail "$p: $printed printed; seconds, span, disk rows: $*"
		break
	}
done
[ -z "$lib_case" ] || ok
case_begin "a file left by SIGKILL is continued by the next run"
before=$(seconds kill0)
"$PROBE" record -o "$T/out" --host kill0 --disk "$loop" 1 1 2>"$T/again.err"
check_eq "$? $(seconds kill0) $(sqlite3 "$T"/out/kill0-*.limpet 'SELECT count(*) FROM boot')" \
	"0 $((before + 1)) 2" \
	"status, seconds and runs" && ok
case_begin "a second probe of the same host and folder is refused"
probe_start first --disk "$loop" -o "$T/out"
probe_wait first 1
"$PROBE" record -o "$T/out" --host first --disk "$loop" 1 1 2>"$T/refused.err"
check_eq "$? $(grep -c 'another probe' "$T/refused.err")" "1 1" "status, message" && ok
case_begin "SIGTERM ends a probe whose reader has stalled"
# A pipe of one page, full before the probe starts; nobody reads it. Its lines never fit.
python3 - "$PROBE" "$T/out" "$loop" >"$T/stalled" 2>"$T/stalled.err" <<'P'
import fcntl, glob, os, signal, sqlite3, subprocess, sys, time
probe, out, loop = sys.argv[1:]
r, w = os.pipe()
fcntl.fcntl(w, fcntl.F_SETPIPE_SZ, 4096)
os.write(w, b"x" * 4096)
p = subprocess.Popen([probe, "record", "-j", "-o", out, "--host", "stalled", "--disk", loop], stdout=w)

def recorded():  # the second the probe is stuck in is in the file already
    files = glob.glob(out + "/stalled-*.limpet")
    try:
        return files and sqlite3.connect(files[0]).execute("SELECT count(*) FROM chunk").fetchone()[0]
    except sqlite3.OperationalError:  # not yet a whole file
        return False

try:
    for _ in range(1200):
        if recorded():
            break
        time.sleep(0.05)
    time.sleep(1.5)  # into the wait for the pipe
    p.send_signal(signal.SIGTERM)
    print(p.wait(120))
finally:
    p.kill()
P
check_eq "$(cat "$T/stalled")" 0 "exit status ($(cat "$T/stalled.err"))" && ok
