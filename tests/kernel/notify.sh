#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# What systemd is told: ready, alive with each second that was merged, and that it stops. A sampler that
# hangs is no longer alive, whatever else of the probe runs.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup python3
loop_new 8M || all_skip "no loop device"

# Receives as systemd does, starts the probe, and prints what was told; "abstract" or a path.
cat >"$T/manager.py" <<'P'
import ctypes, os, re, signal, socket, subprocess, sys, time
name, interval, probe, loop, stall = sys.argv[1:6]
libc = ctypes.CDLL(None, use_errno=True)
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("\0" + name[1:] if name[0] == "@" else name)
env = dict(os.environ, NOTIFY_SOCKET=name, WATCHDOG_USEC="2000000", WATCHDOG_PID="PID")
p = subprocess.Popen(["sh", "-c", 'export WATCHDOG_PID=$$; exec "$@"', "sh", probe, "record", "-j", "--disk", loop,
                      interval], env=env, stdout=subprocess.DEVNULL)
def hear(limit):  # one message; None when none came
    s.settimeout(limit)
    try:
        return s.recv(4096).decode()
    except socket.timeout:
        return None
def sweeper():
    for tid in os.listdir(f"/proc/{p.pid}/task"):
        with open(f"/proc/{p.pid}/task/{tid}/comm") as f:
            if f.read() == "limpet-sweep\n":
                return int(tid)
try:
    for _ in range(4):
        print(hear(60), flush=True)
    if stall == "stall":
        tid = sweeper()
        if libc.ptrace(0x4206, tid, None, None) or libc.ptrace(0x4207, tid, None, None):  # SEIZE, INTERRUPT
            print("cannot stop a thread")
        os.waitpid(tid, 0x40000000)  # __WALL
        waiting = 0  # what was swept before may still be merged
        while hear(5):
            waiting += 1
        print("silent" if waiting <= 5 else "still alive")
        libc.ptrace(17, tid, None, None)  # DETACH
        print(hear(60))
    p.send_signal(signal.SIGTERM)
    last = None
    while last != "STOPPING=1" and (last := hear(60)):
        pass
    print(last, p.wait(60))
finally:
    p.kill()
P
manager() { # NAME INTERVAL stall|no
	python3 "$T/manager.py" "$1" "$2" "$PROBE" "$loop" "$3" 2>"$T/err" | tr '\n' ' '
}
case_begin "it is ready when it records, alive with each second, and says that it stops"
check_eq "$(manager "$T/socket" 1 no)" "WATCHDOG_USEC=4000000 READY=1 WATCHDOG=1 WATCHDOG=1 STOPPING=1 0 " \
	"told ($(cat "$T/err"))" && ok
case_begin "the same through an abstract socket, and the watchdog waits for a longer interval"
check_eq "$(manager "@limpet-test-$$" 2 no)" \
	"WATCHDOG_USEC=8000000 READY=1 WATCHDOG=1 WATCHDOG=1 STOPPING=1 0 " "told ($(cat "$T/err"))" && ok
case_begin "a sampler that hangs ends what says that it is alive; when it goes on, that does"
check_eq "$(manager "$T/other" 1 stall)" \
	"WATCHDOG_USEC=4000000 READY=1 WATCHDOG=1 WATCHDOG=1 silent WATCHDOG=1 STOPPING=1 0 " \
	"told ($(cat "$T/err"))" && ok
case_begin "who is not the one that is watched says nothing but what every service says"
cat >"$T/other.py" <<'P'
import os, socket, subprocess, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
env = dict(os.environ, NOTIFY_SOCKET=sys.argv[1], WATCHDOG_USEC="2000000", WATCHDOG_PID="1")
status = subprocess.run([sys.argv[2], "record", "-j", "--disk", sys.argv[3], "1", "3"], env=env,
                        stdout=subprocess.DEVNULL).returncode
s.settimeout(0)
print(s.recv(99).decode(), s.recv(99).decode(), status)
P
check_eq "$(python3 "$T/other.py" "$T/third" "$PROBE" "$loop" 2>"$T/err")" "READY=1 STOPPING=1 0" "told" && ok
case_begin "a manager that has gone, or a name that is none, is no reason to fail"
for name in "$T/nobody" '' @ relative "/$(printf '%0200d' 0)"; do
	NOTIFY_SOCKET=$name "$PROBE" record -j --disk "$loop" 1 1 >"$T/out" 2>"$T/err"
	check_eq "$? $(wc -l <"$T/out")" "0 1" "'$name': status, lines ($(cat "$T/err"))" || break
done
[ -z "$lib_case" ] || ok
