#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2154
# Kernels to come: whatever one field, variable or enumerator is called there, only the family of
# metrics that needs it is missing, and says so. What is renamed is the description (BTF) of this kernel.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel python3 unshare
loop_new 8M || all_skip "no loop device"

# Any group will do; v1 where the block controller is still there.
cgroup=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
cgroup=${cgroup:-$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)}
mkdir "$cgroup/limpet-test-$$" && at_exit "rmdir '$cgroup/limpet-test-$$'"

python3 tests/helpers/renamed.py "$T" "$PROBE" check --disk "$loop" --pid $$ \
	--cgroup "$cgroup/limpet-test-$$" || lib_failed=1

# What Linux 7.2 took away, where what it has instead is not known either.
case_begin "a record says what is missing by the field's name, and has the same numbers from /proc"
python3 -c 'import sys
btf = sys.stdin.buffer.read()
for name in b"idle_sleeptime", b"iowait_sleeptime":
	btf = btf.replace(b"\0" + name + b"\0", b"\0" + name[:-1] + b"Z\0")
sys.stdout.buffer.write(btf)' </sys/kernel/btf/vmlinux >"$T/btf"
unshare -m sh -c 'mount --bind "$1" /sys/kernel/btf/vmlinux && shift && exec "$@"' - "$T/btf" \
	"$PROBE" record -j --disk "$loop" 1 2 >"$T/lines" 2>"$T/err"
status=$?
said="this kernel has no field 'tick_sched.idle_sleeptime'; host counters are read from /proc"
if check_eq $status 0 "status ($(cat "$T/err"))"; then
	got=$(jq -rs --arg said "host: $said" 'map((.missing == [$said]) and .system["%user"] != null and
		.system["cswch/s"] > 0 and .system.runq != null and .disk[].lat != null) | join(" ")' "$T/lines")
	check_eq "$got" "true true" "lines as they should be ($(cut -c1-400 "$T/lines"))" && ok
fi
