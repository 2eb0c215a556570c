#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2010,SC2012,SC2086,SC2154
# Rights end for good: no thread of the probe has any, what it executed would have none, files but
# the folder's are out of reach whoever it runs as; and the recording goes on all the same. What is
# left to a program is tried by tests/helpers/confined.c, which ends its rights as the probe does.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel setpriv losetup
loop_new 8M || all_skip "no loop device"
NONE=0000000000000000
CONFINED=$O/tests/confined

# ---- what a program can still do ----
confined() { # NAME try|open COMMAND…: what it tried is in the file NAME; its folder and its victim beside it
	name=$1 how=$2
	shift 2
	mkdir "$T/$name.folder"
	echo precious >"$T/$name.victim"
	"$@" "$CONFINED" "$how" "$T/$name.folder" "$T/$name.victim" >"$T/$name" 2>"$T/err" ||
		echo "# $(cat "$T/err")"
}
confined tried try env
tried() { # WHAT…: those of them that could be done
	for what; do
		grep -q "^$what " "$T/tried" || echo "$what?"
		sed -n "s/^\($what\) ok$/\1/p" "$T/tried"
	done | tr '\n' ' '
}
field() { sed -n "s/^$1 //p" "$2" | cut -d ' ' -f "$3"; } # LINE FILE FIELD: of confined's status
# The same of a kernel without Landlock, where only the filter of calls is left, and with nothing left.
confined filtered try "$CONFINED" without
confined unfiltered open "$CONFINED" without
# What the filter of calls refuses: by its number, or because of its arguments.
MODES="setuid-openat setgid-openat setuid-open setuid-creat setuid-unnamed setuid-mknod setuid-fchmod
	setgid-fchmod setuid-chmod setuid-fchmodat2 mkdir chmod-victim truncate-victim"
MESSAGES="socket-tcp socket-udp socket-unix socket-netlink socketpair connect bind listen fast-open
	fast-open-nowhere fast-open-sendmsg udp-sendto udp-sendmsg udp-sendmmsg unix-sendto unix-sendmsg"
OTHERS="fork fork-clone kill tgkill prlimit shared-memory file-owner file-signal socket-owner terminal"
answered() { # FILE ERRNO WHAT…: those of them that were answered with another one
	file=$1 errno=$2
	shift 2
	for what; do grep -qx "$what $errno" "$T/$file" || echo "$what"; done | tr '\n' ' '
}
one_line() { echo $*; }
landlock=$(sed -n 's/^landlock //p' "$T/tried")

case_begin "root ends with no capability, an empty bounding set, locked securebits, no new privileges, a filter"
check_eq "$(sed -n 's/^after //p' "$T/tried")" "$NONE $NONE $NONE $NONE $NONE 1 2 239" "status" && ok
case_begin "what is executed after that has nothing either"
"$CONFINED" exec >"$T/exec" 2>"$T/err"
check_eq "$? $(sed -n 's/^executed //p' "$T/exec")" "0 $NONE $NONE $NONE $NONE $NONE 1 0 239" \
	"status, status ($(cat "$T/err"))" && ok
case_begin "nothing is executed, in fact, nor may anything be that a recorder never does"
check_eq "$(tried execve socket-packet bpf-map unshare clone-user io-uring chown-victim)" "" "possible" &&
	check_eq "$(tried thread fchmod file-flags prlimit-own tgkill-own mode-of-none-made)" \
		"thread fchmod file-flags prlimit-own tgkill-own mode-of-none-made " \
		"possible of what is needed" && ok
# The second run without Landlock, the third without the filter, too: there none of them is refused.
case_begin "nothing is sent but to what was connected to before, and no socket is made"
check_eq "$(answered tried EPERM $MESSAGES)$(answered filtered EPERM $MESSAGES)" "" "not refused" &&
	check_eq "$(answered unfiltered EPERM $MESSAGES)" "$(one_line $MESSAGES) " \
		"not refused without the filter" &&
	check_eq "$(tried unix-send unix-write)" "unix-send unix-write " "possible of what is needed" && ok
case_begin "no file is made, or becomes one, that runs as the user it belongs to"
check_eq "$(answered tried EPERM $MODES)$(answered filtered EPERM $MODES)" "" "not refused" &&
	check_eq "$(answered filtered ENOSYS setuid-openat2)" "" "a call that libraries can do without" &&
	check_eq "$(answered unfiltered EPERM $MODES)$(answered unfiltered ok setuid-openat2)" \
		"$(one_line $MODES) " "not refused without the filter" && ok
case_begin "no other program is begun, signalled or limited, nor the terminal typed into"
check_eq "$(answered tried EPERM $OTHERS)$(answered filtered EPERM $OTHERS)" "" "not refused" &&
	check_eq "$(answered unfiltered EPERM $OTHERS)" "$(one_line $OTHERS) " \
		"not refused without the filter" && ok
case_begin "root opens neither /etc/shadow nor a file beside the folder, makes none, moves none out"
if [ "$landlock" = 0 ]; then
	skip "this kernel has no Landlock"
else
	check_eq "$(tried read-shadow read-root-of-1 read-victim write-victim write-proc create-beside \
		unlink-victim move-out link-out symlink-inside fifo-inside folder-inside)" "" "possible" &&
		check_eq "$(one_line $(cat "$T/tried.victim") "$T"/tried.v*)" \
			"precious $T/tried.victim $T/tried.victim.socket" "file outside" && ok
fi
case_begin "/proc and /sys are read, and files of the folder made, moved and removed"
check_eq "$(tried read-proc read-sys create-inside move-inside read-inside remove-inside)" \
	"read-proc read-sys create-inside move-inside read-inside remove-inside " "possible" && ok
case_begin "a series goes on over midnight, and its old days are removed"
check_eq "$(tried series) $(ls "$T/tried.folder")" "series  confined-20241006.limpet" "written, files left" && ok

# As systemd starts it: a user of its own with ambient capabilities, none of them CAP_SETPCAP.
caps=-all,+bpf,+perfmon,+sys_nice
AS_SERVICE="setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set $caps
	--inh-caps $caps --ambient-caps $caps"
case_begin "a user with ambient capabilities loses them for good, though the bounding set stays"
# Where the user may go.
mkdir "$T/bin"
cp "$CONFINED" "$PROBE" "$T/bin"
chmod 755 "$T"
$AS_SERVICE "$T/bin/confined" exec >"$T/exec" 2>"$T/err"
check_eq "$? $(field before "$T/exec" 2) $(field executed "$T/exec" 1-3,5-6)" \
	"0 000000c000800000 $NONE $NONE $NONE $NONE 1" "status, permitted before, after ($(cat "$T/err"))" && ok

# ---- the probe ----
threads() { # NAME FIELD: its values, of all threads
	cat /proc/"$(probe_pid $1)"/task/*/status | awk -v f="$2:" '$1 == f { print $2 }' | sort | uniq -c |
		awk '{ print $1, $2 }'
}
named() { # NAME: its threads
	cat /proc/"$(probe_pid $1)"/task/*/comm | sort | tr '\n' ' '
}
ended() { # NAME BOUNDING THREADS
	for f in CapInh CapPrm CapEff CapAmb; do
		check_eq "$(threads $1 $f)" "$3 $NONE" $f || return
	done
	check_eq "$(threads $1 CapBnd) $(threads $1 NoNewPrivs) $(threads $1 Seccomp)" "$3 $2 $3 1 $3 2" \
		"bounding set, no new privileges, seccomp"
}
port=$((30000 + $$ % 10000))
mkdir "$T/out"
probe_start root --disk "$loop" -o "$T/out" --listen $port --pid $$
probe_wait root 1
case_begin "as root, each of five threads has ended its rights, and is called what it does"
ended root $NONE 5 &&
	check_eq "$(named root)" "limpet-http limpet-probe limpet-profile limpet-sweep limpet-tcp " threads && ok
# The kernel lists no UDP socket that has not sent anything.
sockets() { # NAME: of what kinds
	python3 - "$(probe_pid $1)" <<'P'
import ctypes, os, socket, sys
pid, libc, found = int(sys.argv[1]), ctypes.CDLL(None, use_errno=True), set()
probe = os.pidfd_open(pid)
for fd in os.listdir(f"/proc/{pid}/fd"):
    if int(fd) > 2 and os.readlink(f"/proc/{pid}/fd/{fd}").startswith("socket:"):
        copy = libc.syscall(438, probe, int(fd), 0)  # pidfd_getfd
        if copy < 0:
            sys.exit(os.strerror(ctypes.get_errno()))
        s = socket.socket(fileno=copy)
        listens = s.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        found.add(f"{s.family.name} {s.type.name}{' listens' if listens else ''}")
print(", ".join(sorted(found)))
P
}
# An emulated machine has no python3: nobody looks there.
if command -v python3 >/dev/null; then
	case_begin "the sockets it keeps open are the one it listens on, and one that is never connected"
	check_eq "$(sockets root)" "AF_INET SOCK_STREAM listens, AF_UNIX SOCK_STREAM" "sockets" && ok
fi
case_begin "a file moved away is begun anew at a SIGHUP, without a right"
mkdir "$T/moved"
mv "$T"/out/root-* "$T/moved/"
kill -HUP "$(probe_pid root)"
probe_settle root
read_direct "$loop" 4096 5
probe_settle root
probe_stop root
check_eq "$status $(probe_messages root)" "0 " "status, messages" &&
	check_eq "$(series_seqs "$T"/moved/root-*.limpet "$T"/out/root-*.limpet | sort -nu | wc -l)" \
		"$(probe_lines root)" "seconds in both" &&
	check_eq "$(probe_sum root ".disk.$loop[\"r/s\"]")" 5 "reads" && ok

case_begin "as a user with ambient capabilities it records what root does, and ends like root"
mkdir "$T/service"
chown 65534:65534 "$T/service"
: >"$T/service.jsonl"
$AS_SERVICE "$T/bin/limpet-probe" record -j --host service --source bpf --disk "$loop" -o "$T/service" \
	--listen $port >"$T/service.jsonl" 2>"$T/service.err" &
echo $! >"$T/service.pid"
at_exit "end_child $!"
probe_wait service 1 && {
	read_direct "$loop" 4096 7
	probe_settle service
	ended service 000000c000800000 4 && {
		probe_stop service
		check_eq "$status $(probe_messages service)" "0 " "status, messages" &&
			check_eq "$(probe_sum service ".disk.$loop[\"r/s\"]") $(stat -c '%u %a' \
				"$T"/service/service-*.limpet)" "7 65534 640" "reads; owner and mode" && ok
	}
}

case_begin "without eBPF, from /proc and by netlink, as well"
probe_start proc --disk "$loop" --source proc --listen $port
probe_wait proc 2
ended proc $NONE 4 && { ! command -v python3 >/dev/null || check_eq "$(sockets proc)" \
	"AF_INET SOCK_STREAM listens, AF_NETLINK SOCK_DGRAM, AF_UNIX SOCK_STREAM" "sockets"; } && {
	probe_stop proc
	# A second in which a busy machine did not come to look has no number of sockets.
	check_eq "$status $(probe_messages proc) $(probe_jq proc '[.[].tcp] |
		any(.tcpsck != null), all(.tcpsck != null or (.["tcp-looks"] // 0) == 0)' | tr '\n' ' ')" \
		"0  true true " "status, messages, sockets" && ok
}

case_begin "check tells what ended them, and how"
"$PROBE" check --disk "$loop" >"$T/check" 2>&1
check_eq "$(awk '$1 == "seccomp" || $1 == "rights" || $1 == "sweep" { print $1, $2 }' "$T/check" |
	tr '\n' ' ')" "seccomp yes rights yes sweep yes " "lines" &&
	check_eq "$(grep -c "^landlock *\(yes *ABI [1-9]\|NO \)" "$T/check")" 1 "Landlock" && ok
case_begin "and tells it where nothing can be attached as well"
setpriv --bounding-set -all "$PROBE" check --disk "$loop" >"$T/check" 2>&1
check_eq "$(grep -c '^eBPF *NO' "$T/check") $(grep -c '^rights *yes' "$T/check")" "1 1" "lines" && ok
case_begin "a kernel without Landlock records, and that is said"
"$CONFINED" without "$PROBE" record -o "$T/out" --host without --disk "$loop" 1 1 2>"$T/err"
check_eq "$? $(grep -c 'no Landlock' "$T/err") $(ls "$T/out" | grep -c '^without-.*limpet$')" "0 1 1" \
	"status, message, files ($(cat "$T/err"))" && ok
case_begin "and then a folder below another user's is refused, for he could exchange it"
mkdir "$T/home" "$T/home/rec"
chown 65534:65534 "$T/home"
"$CONFINED" without "$PROBE" record -o "$T/home/rec" --disk "$loop" 1 1 2>"$T/err"
check_eq "$? $(grep -c "'home' belongs to user 65534" "$T/err")" "1 1" "status, message" && ok
