#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Bytes and segments, by remote host: what the probe adds up is what the kernel's own tools say, by
# every way of looking. Loss is real.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip nft ss
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"

helper_start main "$server" tcpbox serve 10.77.0.1 7000
server_pid=$pid
helper_start second "$server" tcpbox serve 10.77.0.1 7001
# Connections that were there before: what they had is nobody's business.
helper_start before "$client" tcpbox put 10.77.0.1 7000 3000000 10.77.0.4
ready() { grep -q ready "$T/$1.out"; }
eventually ready before

for mode in auto tp_btf raw_tp; do
	probe_start $mode --disk "$loop" --netns "$server" --attach $mode
done
probe_start port --disk "$loop" --netns "$server" --port 7000
probe_start pid --disk "$loop" --netns "$server" --pid $server_pid
probe_start proc --disk "$loop" --netns "$server" --source proc
PROBES="auto tp_btf raw_tp port pid proc"
for p in $PROBES; do probe_wait $p 2 || break; done

all() { # PROBE: the counters of all sockets
	probe_sums $1 tcp 0 tcp-rxkB/s tcp-txkB/s iseg/s oseg/s idseg/s odseg/s ooo/s
}
remote() { # PROBE INSTANCE: the same of a remote host, and its retransmissions
	probe_sums $1 "remote[\"$2\"]" 0 tcp-rxkB/s tcp-txkB/s iseg/s oseg/s idseg/s odseg/s ooo/s retrans/s
}
kernel() { # FILTER…: the same of sockets that stand, from ss, and their retransmissions
	inside "$server" ss -HOtin state connected "$@" | awk '
		function field(name, i) {
			for (i = 1; i <= NF; i++)
				if (index($i, name ":") == 1) { sub(".*[:/]", "", $i); return $i }
			return 0
		}
		{ rx += field("bytes_received"); tx += field("bytes_acked"); si += field("segs_in")
		  so += field("segs_out"); di += field("data_segs_in"); do_ += field("data_segs_out")
		  ooo += field("rcv_ooopack"); re += field("retrans") }
		END { printf "%d %d %d %d %d %d %d %d\n", rx, tx, si, so, di, do_, ooo, re }'
}

# ---- short connections: each ends before or between looks ----------------------------------------
inside "$client" "$O/tests/tcpbox" send 10.77.0.1 7000 400 10.77.0.2 500
probe_settle $PROBES
# The end of a connection counts as a byte each way, as it has a place among the bytes of TCP.
for p in auto tp_btf port pid; do
	case_begin "$p: 500 short connections, every byte"
	check_eq "$(all $p | cut -d ' ' -f 1,2)" "$((500 * 401)) 500" "received, acknowledged" &&
		check_eq "$(remote $p '10.77.0.2>7000' | cut -d ' ' -f 1,2)" \
			"$((500 * 401)) 500" "received, acknowledged, of the host" && ok
done
case_begin "what stood before the probe came counts no bytes"
for p in $PROBES; do
	got=$(remote $p '10.77.0.4>7000' | cut -d ' ' -f 1,2)
	[ "$got" = "0 0" ] || break
done
check_eq "$p $got" "$p 0 0" "received, acknowledged" && ok

# ---- connections that stay, with loss each way ---------------------------------------------------
# One of five packets of data is lost: from the server to .3, and from .5 to the server.
lose() { # NETNS CONDITION…
	inside "$1" nft -f - <<N
table ip lossy {
	chain in {
		type filter hook prerouting priority 0;
		$2 meta length > 500 numgen inc mod 5 < 1 drop
	}
}
N
}
lose "$client" "ip daddr 10.77.0.3 tcp sport 7000" && lose "$server" "ip saddr 10.77.0.5 tcp dport 7001" || {
	case_begin "nft can lose packets"
	fail
	exit 1
}
# And is sent again soon.
inside "$server" ip route add 10.77.0.3/32 dev v0 rto_min 5ms
inside "$client" ip route add 10.77.0.1/32 dev v0 rto_min 5ms
mkfifo "$T/line"
ip netns exec "$client" "$O/tests/tcpbox" pull 10.77.0.1 7000 1 10.77.0.3 <"$T/line" >"$T/pull.out" &
pull=$!
at_exit "end_child $pull"
exec 8>"$T/line"
helper_start put "$client" tcpbox put 10.77.0.1 7001 250000 10.77.0.5
helper_start clean "$client" tcpbox put 10.77.0.1 7001 100000 10.77.0.2
case_begin "connections with loss each way come through"
eventually ready pull && eventually ready put && eventually ready clean && ok
inside "$client" nft delete table ip lossy
inside "$server" nft delete table ip lossy
quiet() { # nothing of the server's is under way
	inside "$server" ss -Htn state connected | awk '$3 { n++ } END { exit n > 0 }'
}
eventually quiet
probe_settle $PROBES

want=$(kernel dst 10.77.0.3)
case_begin "segments were sent again, and others came out of order"
if [ "${want##* }" -gt 0 ] && [ "$(kernel dst 10.77.0.5 | cut -d ' ' -f 7)" -gt 0 ]; then ok
else fail "'$want', '$(kernel dst 10.77.0.5)'"; fi
for p in $PROBES; do
	case_begin "$p: bytes, segments, retransmissions of the host they are lost to, as ss says"
	check_eq "$(remote $p '10.77.0.3>7000')" "$want" "rx tx seg in, out, data in, out, ooo, retrans" && ok
done
want=$(kernel dst 10.77.0.5)
for p in auto tp_btf raw_tp proc; do
	case_begin "$p: bytes, segments, out-of-order arrivals of the host that loses them"
	check_eq "$(remote $p '10.77.0.5>7001')" "$want" "rx tx seg in, out, data in, out, ooo, retrans" && ok
done
case_begin "another port of a host is a row of its own; what was not selected has none"
check_eq "$(remote auto '10.77.0.2>7001' | cut -d ' ' -f 1)" 100000 "bytes received" &&
	check_eq "$(for p in port pid; do
		probe_jq $p '[.[].remote // {} | keys[]] | unique | map(select(endswith(">7000") | not)) | length'
	done | xargs)" "0 0" "rows of another port" && ok
case_begin "the rows of all hosts add up to all sockets"
for p in $PROBES; do
	got=$(probe_jq $p '[.[] | .interval_s as $i | (.tcp | [.["tcp-rxkB/s"], .["tcp-txkB/s"], .["iseg/s"],
			.["oseg/s"], .["idseg/s"], .["odseg/s"], .["ooo/s"]] | map((. // 0) * $i)),
		(.remote // {} | .[] | [.["tcp-rxkB/s"], .["tcp-txkB/s"], .["iseg/s"], .["oseg/s"],
			.["idseg/s"], .["odseg/s"], .["ooo/s"]] | map(-(. // 0) * $i))] |
		transpose | map(add | fabs < 0.5) | all')
	[ "$got" = true ] || break
done
check_eq "$p $got" "$p true" "sums are the same" && ok

# ---- the window, the threshold and the round-trip time of a connection that was idle -------------
window() { # cwnd ssthresh rtt of each, from ss
	inside "$server" ss -HOtin state connected dst 10.77.0.3 | awk '{
		for (i = 1; i <= NF; i++) {
			if (sub("^cwnd:", "", $i)) c += $i
			if (sub("^ssthresh:", "", $i)) { s += $i; n++ } # none: still in slow start
			if (sub("^rtt:", "", $i)) { sub("/.*", "", $i); r += $i }
		}
	} END { printf "%.3f %.3f %.3f\n", c / NR, n ? s / n : 0, r / NR }'
}
nudges=0
nudged() { [ "$(grep -c done "$T/pull.out")" = $nudges ]; }
nudge() {
	before=$(window)
	for q in $PROBES; do eval "mark_$q=$(probe_lines $q)"; done
	nudges=$((nudges + 1))
	echo >&8
	eventually nudged
	eventually quiet
	probe_settle $PROBES
	after=$(window)
}
nudge
got() { # PROBE METRIC: in the seconds since, of .3
	eval "set_mark=\$mark_$1"
	probe_jq "$1" "[.[$set_mark:][].remote[\"10.77.0.3>7000\"][\"$2\"] | select(. != null)] |
		map(. * 1000 | round / 1000) | unique | map(tostring) | join(\" \")"
}
for p in auto raw_tp port pid proc; do
	case_begin "$p: ssthresh and smoothed round-trip time as ss says"
	# On a busy machine a look may come when all is over: then once more.
	for _ in 1 2 3 4 5 6 7 8; do
		[ -z "$(got $p ssthresh)" ] || break
		nudge
	done
	[ -n "$(got $p ssthresh)" ] || { fail "never active"; continue; }
	check_eq "$(got $p ssthresh | awk '{ printf "%.3f", $1 }')" "$(echo $before | cut -d ' ' -f 2)" \
		"ssthresh" || continue
	srtt=$(got $p srtt | awk '{ printf "%.3f", $1 }')
	low=$(echo "$before $after" | awk '{ print ($3 < $6 ? $3 : $6) - 0.002 }')
	high=$(echo "$before $after" | awk '{ print ($3 > $6 ? $3 : $6) + 0.002 }')
	if awk "BEGIN { exit !($srtt >= $low && $srtt <= $high) }"; then ok
	else fail "srtt $srtt, ss had '$before' and '$after'"; fi
done

# ---- ends ----------------------------------------------------------------------------------------
exec 8>&-
kill -KILL $pull
probe_settle $PROBES
case_begin "a connection that ends takes nothing with it"
got=$(remote auto '10.77.0.3>7000' | cut -d ' ' -f 2)
# 256 KiB, the byte that answers and one that answers each line; the end may count as one.
if [ "$got" -ge $((262144 + 1 + nudges)) ] && [ "$got" -le $((262144 + 2 + nudges)) ]; then ok
else fail "$got bytes acknowledged"; fi
