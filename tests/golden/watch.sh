#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `limpet watch`: what lies back and what comes while it looks; lines, JSON, a terminal, an alert
# program, metrics over HTTP; and that it ends when it is told to.
# waits: what grows does so as the clock goes, and slow terminals are waited for
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
PYTHON=/usr/bin/python3
port=$((20000 + $$ % 20000))
[ -x "$PYTHON" ] || all_skip "needs python3 (tools/deps check)"

# second T: six servers, of which tasks wait for memory now and then; those of s3 much from second
# $from to $to.
second() {
	for i in 1 2 3 4 5 6; do
		v=$((($1 * 7 + i * 3) % 5)).$i
		[ "$i" -ne 3 ] || [ "$1" -lt "$from" ] || [ "$1" -ge "$to" ] || v=6$v
		echo "$1,s$i,%smem,,$v"
	done
}

# waits until words are in a file; for a minute.
has() { # FILE WORDS
	for _ in $(seq 600); do
		grep -q "$2" "$1" 2>/dev/null && return
		sleep 0.1
	done
	fail "'$2' is not in $1: $(cat "$1")"
	return 1
}

# ends PID with a signal; if it does not within a minute, with another.
end() { # PID SIGNAL
	kill "-$2" "$1"
	for _ in $(seq 600); do
		! grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null || { sleep 0.1 && continue; }
		wait "$1"
		return
	done
	kill -9 "$1"
	wait "$1"
}

# ---- what lies back -----------------------------------------------------------------------------
B=1795230000 # 2026-11-21T03:00:00Z
mkdir "$T/silent"
from=$((B + 600)) to=$from
for t in $(seq $B $((B + 399))); do second "$t"; done | awk -F, -v until=$((B + 200)) \
	'!(($2 == "s4" && $1 >= until) || ($2 == "s5" && $1 < until))' | "$O/tests/make_series" "$T/silent"

case_begin "a server that stopped reporting is not well; one that began late is"
"$L" diagnose --exit-code "$T/silent" >"$T/out" 2>"$T/err"
check_eq "$?" 4 "exit status ($(cat "$T/out" "$T/err"))" &&
	check_eq "$(head -1 "$T/out")" \
		'no server is indicted: 5 are well, 1 could not be judged; s4 stopped reporting' "first line" && ok

case_begin "of the same recordings as a table diagnose says it, too"
"$L" show --csv "$T/silent" >"$T/silent.csv" 2>"$T/err" &&
	"$L" diagnose --json --instance instance "$T/silent.csv" >"$T/table.json" 2>>"$T/err"
check_eq "$(jq -c '.servers[] | select(.status == "not-judged")' "$T/table.json")" \
	'{"server":"s4","group":"1","status":"not-judged","reason":"silent","why":"stopped reporting"}' "servers ($(cat "$T/err"))" && ok

case_begin "watch --once says so, too, line by line and as JSON"
"$L" diagnose --json "$T/silent" >"$T/batch.json" 2>"$T/err"
"$L" watch --once --json --exit-code "$T/silent" >"$T/once.json" 2>>"$T/err"
check_eq "$?" 4 "exit status ($(cat "$T/err"))" &&
	check_eq "$(diff "$T/batch.json" "$T/once.json")" '' "JSON" &&
	check_eq "$(jq -c '[.verdict, (.servers[] | select(.status != "well"))]' "$T/once.json")" \
		'["partly-judged",{"server":"s4","group":"1","status":"not-judged","reason":"silent","why":"stopped reporting"}]' \
		"servers" &&
	"$L" watch --once "$T/silent" >"$T/out" 2>"$T/err" && cut -d ' ' -f 2- "$T/out" | tail -2 >"$T/words" &&
	check_eq "$(cat "$T/words")" 'judging 5 of 6 servers; not judged: s4 (stopped reporting)
silent s4 stopped reporting' "lines" && ok

mkdir "$T/old"
from=$((B + 150)) to=$((B + 300))
for t in $(seq $B $((B + 599))); do second "$t"; done | "$O/tests/make_series" "$T/old"

case_begin "--once tells all that changed in what is there"
if "$L" watch --once "$T/old" >"$T/out" 2>"$T/err" && [ ! -s "$T/err" ]; then
	sed 's/: tasks wait.*//' "$T/out" | cut -d ' ' -f 2- >"$T/words"
	printf '%s\n' 'cannot-judge 4 intervals of 4 s are needed in which 3 servers have data, and there are 1' \
		'judging 6 of 6 servers' 'opened s3 limps: memory-pressure' \
		'over s3 limped: memory-pressure' >"$T/want"
	check_eq "$(diff "$T/want" "$T/words")" '' "lines" && ok
else
	fail "status $?: $(cat "$T/err")"
fi

case_begin "times are those of the data, and rise"
cut -d ' ' -f 1 "$T/out" >"$T/times"
if ! LC_ALL=C sort -c "$T/times"; then
	fail "they do not rise: $(cat "$T/times")"
elif awk -F '[:Z]' '$3 % 4 { print; bad = 1 } END { exit !bad }' "$T/times"; then
	fail "no end of an interval of the recording"
else
	ok
fi

case_begin "--back leaves out what is older"
"$L" watch --once --back 200 "$T/old" >"$T/out" 2>&1
if grep -q 'limp' "$T/out" || ! grep -q 'judging 6' "$T/out"; then
	fail "$(cat "$T/out")"
else
	ok
fi

case_begin "an acknowledged server is a remark"
"$L" watch --once --acknowledge s3 "$T/old" >"$T/out" 2>&1
if grep -q ' opened ' "$T/out" || ! grep -q ' notice .*acknowledged' "$T/out"; then
	fail "$(cat "$T/out")"
else
	ok
fi

case_begin "--once --json is the verdict, as diagnose prints it"
"$L" watch --once --json "$T/old" >"$T/out" 2>&1
"$L" diagnose --json "$T/old" >"$T/want" 2>&1
check_eq "$(wc -l <"$T/out") $(cmp "$T/want" "$T/out")" '1 ' "lines, difference" && ok

case_begin "--once --exit-code: 3, as of diagnose; without it 0"
"$L" watch --once --exit-code "$T/old" >/dev/null 2>&1
coded=$?
"$L" watch --once "$T/old" >/dev/null 2>&1
plain=$?
"$L" diagnose --exit-code "$T/old" >/dev/null 2>&1
check_eq "$coded $plain $?" "3 0 3" "exit statuses of watch with and without, and of diagnose" && ok

case_begin "own usual offsets are written at the end"
"$L" watch --once --offsets "$T/offsets" "$T/old" >/dev/null 2>"$T/err"
if grep -q limpet-offsets "$T/offsets"; then ok; else fail "$(cat "$T/err")"; fi

case_begin "what is damaged is named, and the others are judged"
cp -r "$T/old" "$T/hurt"
head -c 5000 /dev/urandom >"$T/hurt/s9-20261121.limpet"
"$L" watch --once "$T/hurt" >"$T/out" 2>"$T/err"
if grep -q 's9-20261121' "$T/err" && grep -q ' opened s3' "$T/out"; then
	ok
else
	fail "$(cat "$T/out" "$T/err")"
fi

# refused STATUS WORDS OPTION…
refused() {
	want=$1 words=$2
	shift 2
	case_begin "refused: $*"
	"$L" watch "$@" >"$T/out" 2>"$T/err" </dev/null
	check_eq $? "$want" "exit status ($(cat "$T/err"))" || return
	if grep -q "$words" "$T/err"; then ok; else fail "$(cat "$T/err")"; fi
}
refused 2 'FOLDER or LOG is needed'
refused 1 "cannot read '$T/none'" "$T/none"
refused 2 'no address\|not an IP address' --listen "nowhere:1" "$T/old"
refused 1 'not executable' --alert "$T/out" "$T/old"
refused 1 "cannot run" --alert "$T/none" "$T/old"
refused 1 "cannot run" --alert "$T" "$T/old"
refused 2 'whole milliseconds' --hop 1.00001 "$T/old"

# ---- what comes ---------------------------------------------------------------------------------
# An alert program that tells what it was given, and then hangs.
cat >"$T/alert" <<-'END'
	#!/bin/sh
	echo "$@" "$LIMPET_SERVER" "$LIMPET_CAUSE" "$LIMPET_SINCE" "$LIMPET_JSON" >>"${0%/*}/alerts"
	echo "$LIMPET_DETAIL" >>"${0%/*}/details"
	echo $$ >>"${0%/*}/pids"
	ALERT_PROGRAM=$0 exec sleep 600
END
chmod +x "$T/alert"

# Until $T/stop is there: as the clock goes. $T/begin and $T/end hold the fault's beginning and end.
grow() {
	t=$(date +%s)
	while [ ! -e "$T/stop" ]; do
		from=$(cat "$T/begin" 2>/dev/null || echo 99999999999)
		to=$(cat "$T/end" 2>/dev/null || echo 99999999999)
		while [ "$t" -le "$(date +%s)" ]; do
			second "$t"
			t=$((t + 1))
		done
		sleep 0.2
	done
}

mkdir "$T/live"
"$L" watch --plain --hop 1 --alert "$T/alert" --alert-interval 1 --offsets "$T/offsets2" \
	--listen "127.0.0.1:$port" "$T/live" >"$T/lines" 2>"$T/errors" &
watch=$!
# The alert programs that still run: by then the number of one that has ended may be any other process's.
alerts_end() {
	while read -r p; do
		! tr '\0' '\n' <"/proc/$p/environ" | grep -qx "ALERT_PROGRAM=$T/alert" || kill "$p"
	done <"$T/pids"
} 2>/dev/null
at_exit alerts_end
at_exit "end_child $watch; touch '$T/stop'"
{ grow | "$O/tests/make_series" "$T/live"; } &
growing=$!

case_begin "an empty folder is watched, and files that appear in it are judged"
has "$T/lines" ' judging 6 of 6 servers' && ok

date +%s >"$T/begin"
case_begin "a server that begins to limp is told"
has "$T/lines" ' opened s3 limps: memory-pressure' && ok

case_begin "the alert program is run with what happened"
if has "$T/alerts" '^opened s3 memory-pressure s3 memory-pressure 20.*Z {"server":"s3"'; then
	if grep -q '^s3 limps: memory-pressure' "$T/details"; then ok; else fail "$(cat "$T/details")"; fi
fi

# scrape ACCEPT FILE
scrape() {
	"$PYTHON" - "$1" "http://127.0.0.1:$port/metrics" >"$2" 2>&1 <<-'END'
		import sys, urllib.request
		ask = urllib.request.Request(sys.argv[2], headers={"Accept": sys.argv[1]})
		with urllib.request.urlopen(ask, timeout=60) as r:
		    print(r.status, r.headers["Content-Type"], file=sys.stderr)
		    sys.stdout.write(r.read().decode("ascii"))
	END
}

case_begin "the verdict stands in the metrics"
scrape 'application/openmetrics-text; version=1.0.0' "$T/metrics"
if [ "$(grep -c '^limpet_indicted{' "$T/metrics")" -ne 1 ] ||
	! grep -qx 'limpet_indicted{server="s3",cause="memory-pressure"} 1' "$T/metrics"; then
	fail "$(cat "$T/metrics")"
elif ! grep -q '^limpet_signal_z{server="s3",disk="",signal="mem-pressure"} [1-9]' "$T/metrics"; then
	fail "no z: $(grep signal_z "$T/metrics")"
elif ! grep -qx 'limpet_servers 6' "$T/metrics" || ! grep -qx 'limpet_alerts_run_total 1' "$T/metrics"; then
	fail "$(grep -v signal "$T/metrics")"
else
	check_eq "$(tail -1 "$T/metrics")" '# EOF' "last line" && ok
fi

case_begin "the metrics are valid"
if command -v promtool >/dev/null; then
	scrape 'text/plain' "$T/metrics"
	sed -i '/^200 /d' "$T/metrics"
	if promtool check metrics <"$T/metrics" >"$T/out" 2>&1; then ok; else fail "$(cat "$T/out")"; fi
else
	skip "needs promtool (Debian: prometheus)"
fi

date +%s >"$T/end"
case_begin "that it is over is told, though the alert program hangs"
has "$T/lines" ' over s3 limped: memory-pressure' && has "$T/alerts" '^over s3' && ok

case_begin "nobody else was indicted, and nothing went wrong"
if grep -v ' s3 limp\| judging \| cannot-judge \| unproven \| proven \| suspicious \| cleared ' "$T/lines" >"$T/out" || [ -s "$T/errors" ]; then
	fail "$(cat "$T/out" "$T/errors")"
else
	ok
fi

case_begin "a file that cannot be read is told, and its server is not judged"
echo junk >"$T/live/s9-20261121.limpet"
for _ in $(seq 600); do
	scrape 'text/plain' "$T/metrics"
	! grep -qx 'limpet_server_unjudged{server="s9",reason="left-out"} 1' "$T/metrics" || break
	sleep 0.1
done
grep -q 'server="s9"' "$T/metrics" && has "$T/errors" "s9-20261121.limpet': it is not a series file" && ok

case_begin "SIGTERM ends it with status 0, and the offsets are written"
end "$watch" TERM
check_eq $? 0 "status" && [ -s "$T/offsets2" ] && ok
touch "$T/stop"
wait "$growing"

# ---- a terminal ---------------------------------------------------------------------------------
# shown TERM END: what the live view of the recording writes in a terminal of 24 x 80; ends it with a
# key or a signal. The last line: its status, and whether the terminal is as it was.
cat >"$T/terminal.py" <<-'END'
	import fcntl, os, pty, select, signal, struct, sys, termios, time
	folder, end, command = sys.argv[1], sys.argv[2], sys.argv[3:]
	looked, look = os.pipe()
	pid, fd = pty.fork()
	if not pid:
	    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
	    os.read(looked, 1) # or it has changed the terminal before we have looked
	    os.execv(command[0], command)
	before = termios.tcgetattr(fd)
	os.write(look, b".")
	text, told, limit = b"", False, time.time() + 60
	while time.time() < limit:
	    if select.select([fd], [], [], 0.1)[0]:
	        try:
	            text += os.read(fd, 65536)
	        except OSError:
	            break
	    if not told and b"judg" in text:
	        told = True
	        if end == "q":
	            os.write(fd, b"q")
	        else:
	            os.kill(pid, getattr(signal, end))
	else:
	    os.kill(pid, signal.SIGKILL)
	status = os.waitpid(pid, 0)[1]
	sys.stdout.write(text.decode("latin1"))
	print("\nstatus", status, termios.tcgetattr(fd)[3] == before[3])
END

# Old data: nobody reports any more, and that is what it says.
for end in q SIGTERM SIGHUP; do
	case_begin "the live view ends by $end, and leaves the terminal as it was"
	TERM=xterm "$PYTHON" "$T/terminal.py" "$T/old" $end "$L" watch "$T/old" >"$T/out" 2>&1
	if ! check_eq "$(tail -1 "$T/out")" 'status 0 True' "end"; then
		:
	elif ! grep -q '\[?1049h' "$T/out" || ! tail -3 "$T/out" | grep -q '\[?1049l'; then
		fail "no screen of its own, or it stayed: $(cat -v "$T/out")"
	elif ! grep -q 'no server reports' "$T/out" || ! grep -q 's3.*silent since 03:1' "$T/out"; then
		fail "$(cat -v "$T/out")"
	else
		ok
	fi
done

# A terminal of 1,000 x 1,000 that nobody reads for a while: the view waits in write(2).
cat >"$T/slow.py" <<-'END'
	import fcntl, os, pty, select, signal, struct, sys, termios, time
	command = sys.argv[1:]
	pid, fd = pty.fork()
	if not pid:
	    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, 1000, 0, 0))
	    os.execv(command[0], command)
	text = b""

	def read_for(seconds):
	    global text
	    until = time.time() + seconds
	    while time.time() < until:
	        if select.select([fd], [], [], 0.1)[0]:
	            try:
	                text += os.read(fd, 65536)
	            except OSError:
	                return False
	    return True

	def writes():
	    with open("/proc/%d/syscall" % pid) as f:
	        return f.read().split()[:2] == [WRITE, "0x1"]

	def wait_blocked():
	    """In write(2), and still so after a while: nobody reads."""
	    for _ in range(600):
	        if writes():
	            time.sleep(0.3)
	            if writes():
	                return
	        time.sleep(0.1)
	    sys.exit("it never waited for the terminal")

	def signalled(sig):
	    """Twice: the first finds something written already, the second nothing."""
	    for _ in range(2):
	        os.kill(pid, sig)
	        time.sleep(0.2)

	WRITE = {"x86_64": "1", "aarch64": "64"}[os.uname().machine]
	limit = time.time() + 60
	while b"judg" not in text and time.time() < limit and read_for(0.2):
	    pass
	wait_blocked()
	signalled(signal.SIGWINCH)
	signalled(signal.SIGCHLD)
	print("alive", read_for(1.5))
	wait_blocked()
	signalled(signal.SIGTERM)
	while read_for(1):
	    pass
	print("status", os.waitpid(pid, 0)[1])
END
case_begin "a slow terminal: what only wakes the view does not end it, and what ends it is no failure"
if ! [ -r /proc/self/syscall ]; then
	skip "no /proc/PID/syscall"
else
	TERM=xterm "$PYTHON" "$T/slow.py" "$L" watch "$T/old" >"$T/out" 2>&1
	check_eq "$(cat "$T/out")" 'alive True
status 0' "what happened" && ok
fi

case_begin "a terminal that cannot place text gets lines"
TERM=dumb "$PYTHON" "$T/terminal.py" "$T/old" SIGTERM "$L" watch "$T/old" >"$T/out" 2>&1
if grep -q ' cannot-judge nothing was heard of any server since 2026-11-21T03:1' "$T/out" && ! grep -q "$(printf '\033')" "$T/out"; then
	check_eq "$(tail -1 "$T/out")" 'status 0 True' "end" && ok
else
	fail "$(cat -v "$T/out")"
fi
