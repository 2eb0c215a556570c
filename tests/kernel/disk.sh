#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Block I/O: what is done is what is counted, request by request and byte by byte.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel sqlite3 losetup blkdiscard flock fio
loop_new 32M || all_skip "no loop device (modprobe loop)"
other=$loop
loop_new 32M || all_skip "no loop device (modprobe loop)"
MODES="tp_btf raw_tp"

sums() { # PROBE FROM METRIC…: requests, and bytes of what is in kB/s
	set_name=$1 set_mark=$2
	shift 2
	probe_sums "$set_name" "disk.$loop" "$set_mark" "$@"
}
histogram() { # PROBE FROM: requests of reads and writes by size class
	jq -rsc ".[$2:] | [.[].disk.$loop.lat] | [[\"read\",\"write\"][] as \$op |
		[\"<=16K\",\"<=128K\",\">128K\"][] as \$size |
		[.[][\$op][\$size][][2]] | add // 0] | map(tostring) | join(\" \")" "$T/$1.jsonl"
}
# Fields of /proc/diskstats from the reads on: 1 r, 3 sectors, 4 ms, 5 w, 7 sectors, 8 ms,
# 10 io_ticks, 12 d, 16 f.
diskstats() {
	awk -v d="$loop" '$3 == d { $1 = $2 = $3 = ""; print }' /proc/diskstats
}
mark() { # begins a phase: what comes counts from here on, for all before has settled
	mark_tp_btf=$(probe_lines tp_btf)
	mark_raw_tp=$(probe_lines raw_tp)
}
mark_of() { eval "echo \$mark_$1"; }

case_begin "the probe records with tp_btf and raw_tp at once"
mkdir "$T/out"
probe_start tp_btf --disk "$loop" --attach tp_btf -o "$T/out"
probe_start raw_tp --disk "$loop" --attach raw_tp
probe_wait tp_btf 1 && probe_wait raw_tp 1 && ok
first=$(diskstats)

read_direct "$loop" 4096 23
write_direct "$loop" 4096 17
probe_settle $MODES
for mode in $MODES; do
	case_begin "$mode: 23 reads and 17 writes of 4096 bytes are 23 and 17"
	check_eq "$(sums $mode 0 r/s w/s tps)" "23 17 40" "requests" && ok
	case_begin "$mode: their bytes are exact"
	check_eq "$(sums $mode 0 rkB/s wkB/s)" "$((23 * 4096)) $((17 * 4096))" "bytes" && ok
	case_begin "$mode: all are in the histograms of small requests"
	check_eq "$(histogram $mode 0)" "23 0 0 17 0 0" "read, write by size" && ok
done

mark
read_direct "$loop" 16K 2
read_direct "$loop" 20K 3
read_direct "$loop" 128K 4
read_direct "$loop" 132K 5
write_direct "$loop" 256K 6
probe_settle $MODES
for mode in $MODES; do
	case_begin "$mode: requests fall into the size class of their bytes, limits included"
	check_eq "$(histogram $mode "$(mark_of $mode)")" "2 7 5 0 0 6" "read, write by size" && ok
done

mark
before=$(diskstats)
read_direct "$loop" 1M 4
write_direct "$loop" 1M 3
probe_settle $MODES
after=$(diskstats)
# shellcheck disable=SC2046,SC2086
set -- $(echo $before $after | awk '{ n = NF / 2; print $(n+1) - $1, $(n+5) - $5 }')
for mode in $MODES; do
	case_begin "$mode: I/O of 1 MiB, cut up by the kernel or not, counts as in /proc/diskstats"
	m=$(mark_of $mode)
	check_eq "$(sums $mode "$m" r/s w/s rkB/s wkB/s)" "$1 $2 $((4 << 20)) $((3 << 20))" \
		"requests, bytes" && ok
done

# shellcheck disable=SC2046,SC2086
set -- $(echo $first $after | awk '{ n = NF / 2; print $(n+1) - $1, $(n+5) - $5 }')
for mode in $MODES; do
	case_begin "$mode: all reads and writes so far are those of /proc/diskstats"
	check_eq "$(sums $mode 0 r/s w/s)" "$1 $2" "reads and writes" && ok
done

mark
before=$after
for i in 1 2 3 4 5; do sync "/dev/$loop"; done
for i in 1 2 3 4; do blkdiscard -f -o ${i}M -l 64K "/dev/$loop" 2>/dev/null; done
read_direct "$other" 4096 11
write_direct "$other" 4096 7
probe_settle $MODES
# The kernel counts the empty write that asks for a flush as a write of nothing, and iostat shows it.
# shellcheck disable=SC2046,SC2086
set -- $(echo $before $(diskstats) | awk '{ n = NF / 2; print $(n+5) - $5 }')
for mode in $MODES; do
	m=$(mark_of $mode)
	# shellcheck disable=SC2015
	case_begin "$mode: 5 flushes and 4 discards are counted apart"
	check_eq "$(sums $mode "$m" f/s d/s dkB/s wkB/s) $(histogram $mode "$m")" \
		"5 4 $((4 << 16)) 0 0 0 0 0 0 0" "f d, bytes of d w, histograms" && ok || probe_show $mode ".disk.$loop[\"f/s\", \"d/s\"]"
	case_begin "$mode: another disk's I/O is not counted"
	check_eq "$(sums $mode "$m" r/s w/s)" "0 $1" "requests" && ok
done

mark
write_direct "$loop" 4096 6 dsync
probe_settle $MODES
after=$(diskstats)
# The kernel's statistics count the empty write that carries the flush as well.
# shellcheck disable=SC2046,SC2086
set -- $(echo $before $after | awk '{ n = NF / 2; print $(n + 5) - $5 - 5, $(n + 16) - $16 - 5 }')
for mode in $MODES; do
	case_begin "$mode: writes with their flushes count as in /proc/diskstats, six of them in the histogram"
	m=$(mark_of $mode)
	check_eq "$(sums $mode "$m" w/s wkB/s f/s)" \
		"$1 $((6 * 4096)) $2" "writes, bytes, flushes" && check_eq "$(histogram $mode "$m")" "0 0 0 6 0 0" \
		"read, write by size" && ok
done

mark
before=$after
fio --name=deep --filename="/dev/$loop" --rw=randrw --bs=4k --direct=1 --ioengine=libaio --iodepth=32 \
	--size=32M --number_ios=3000 --randseed=23 >"$T/fio" 2>&1 || cat "$T/fio"
probe_settle $MODES
after=$(diskstats)
# shellcheck disable=SC2086
set -- $(echo $before $after | awk '{ n = NF / 2
	print $(n+1) - $1, $(n+5) - $5, $(n+3) - $3, $(n+7) - $7, $(n+4) - $4, $(n+8) - $8 }')
for mode in $MODES; do
	m=$(mark_of $mode)
	case_begin "$mode: 32 requests at a time: counts and bytes as in /proc/diskstats"
	check_eq "$(sums $mode "$m" r/s w/s rkB/s wkB/s)" "$1 $2 $(($3 * 512)) $(($4 * 512))" \
		"requests, bytes" && ok
	# Both begin at the request's start_time_ns, but end at moments of their own: 20 us a
	# request, 3 %, and 1 ms as the kernel shows whole ms.
	case_begin "$mode: await adds up to the kernel's time of all requests (3 % + 20 us each + 1 ms)"
	read -r r w aqu <<-END
	$(jq -rs "[.[$m:][] | .interval_s as \$i | .disk.$loop | [(.r_await // 0) * .[\"r/s\"] * \$i,
		(.w_await // 0) * .[\"w/s\"] * \$i, (.[\"aqu-sz\"] // 0) * 1e6 * \$i]] |
		transpose | map(add) | \"\\(.[0]) \\(.[1]) \\(.[2] | round)\"" "$T/$mode.jsonl")
	END
	echo "# reads $r ms, kernel $5; writes $w ms, kernel $6; aqu-sz $aqu us"
	if echo "$r $5 $1 $w $6 $2" | awk 'function off(a, b, n, d) { d = a > b ? a - b : b - a
		return d > 1 + 0.02 * n + 0.03 * b } { exit off($1, $2, $3) || off($4, $5, $6) }'; then
		ok
	else
		fail "reads $r ms, kernel $5; writes $w ms, kernel $6"
	fi
	case_begin "$mode: aqu-sz is the same time by Little's law"
	if echo "$r $w $aqu" | awk '{ d = ($1 + $2) * 1000 - $3; exit d * d > 100 + $3 * $3 * 1e-8 }'; then
		ok
	else
		fail "$r + $w ms by await, $aqu us by aqu-sz"
	fi
done
upto=$(probe_lines tp_btf)
# shellcheck disable=SC2086
ticks=$(echo $first $after | awk '{ print $(NF / 2 + 10) - $10 }')

case_begin "with queue/iostats=0: 23 reads are still 23, with honest times or none"
stats=/sys/block/$loop/queue/iostats
at_exit "echo $(cat "$stats") >$stats 2>/dev/null"
mark
echo 0 >"$stats"
began=$(date +%s%N)
read_direct "$loop" 4096 23
took_ms=$((($(date +%s%N) - began) / 1000000 + 1))
probe_settle $MODES
for mode in $MODES; do
	m=$(mark_of $mode)
	timed=$(histogram $mode "$m")
	# The kernel leaves an old start in the request: from before, so longer than all this took.
	slow=$(jq -rs "[.[$m:][].disk.$loop.r_await // 0] | max > $took_ms" "$T/$mode.jsonl")
	check_eq "$(sums $mode "$m" r/s rkB/s)" "23 $((23 * 4096))" "$mode: reads, bytes" &&
		check_eq "$slow" false "$mode: an await over $took_ms ms" || break
	case $timed in
	"23 0 0 0 0 0" | "0 0 0 0 0 0") ;;
	*) fail "$mode: histogram $timed" ;;
	esac
done
[ -z "$lib_case" ] || ok

case_begin "%util adds up to the kernel's io_ticks exactly"
util=$(jq -rs "[.[:$upto][] | (.disk.$loop[\"%util\"] * .interval_s * 10 | round)] | add" \
	"$T/tp_btf.jsonl")
check_eq "$util" "$ticks" "ms with requests in flight" && ok
