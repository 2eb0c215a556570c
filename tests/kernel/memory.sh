#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2154
# What the probe has resident at most, loading included: 16 MiB, also while it serves and writes.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel curl
loop_new 8M || all_skip "no loop device"
LIMIT=16384 # KiB
# The largest description of a kernel that Debian has had is 5.5 MB; libbpf holds two while it loads.
[ "$(stat -c %s /sys/kernel/btf/vmlinux)" -le 6000000 ] || all_skip "this kernel's BTF is larger than 6 MB"

at_most() { awk '$1 == "VmHWM:" { print $2 }' "/proc/$(probe_pid "$1")/status"; } # PROBE
maps() { grep -c "$2" "/proc/$(probe_pid "$1")/maps"; }				  # PROBE LIBRARY
port=$((20000 + $$ % 20000))
mkdir "$T/out"
probe_start quiet --disk "$loop"
probe_start serves --disk "$loop" -o "$T/out" --listen "$port"
probe_wait quiet 3
probe_wait serves 3

case_begin "without --listen neither the HTTP library is loaded nor what it brings"
check_eq "$(maps quiet microhttpd) $(maps quiet gnutls)" "0 0" "libraries" && ok
case_begin "with it, it serves"
if curl -sf "http://127.0.0.1:$port/metrics" >"$T/metrics" && grep -q '^limpet_' "$T/metrics" && [ "$(maps serves microhttpd)" -gt 0 ]
then ok; else fail "$(cat "$T/serves.err")"; fi
for name in quiet serves; do
	case_begin "at most $LIMIT KiB resident: $name"
	if [ "$(at_most $name)" -le $LIMIT ]; then ok; else fail "$(at_most $name) KiB"; fi
done
