#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Loss between real TCPs: six servers with two clients, requests of one segment, answers of 23. Of what comes
# to one server a part is lost, and of what another sends. Which servers, and which way, is to be told from the
# recordings. Nothing arrives out of order at the first, and few of its segments are sent again.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip nft
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"

# A server is a port, as one wire has room for all.
SERVERS="1 2 3 4 5 6"
for s in $SERVERS; do
	helper_start serve$s "$server" tcpbox serve 10.77.0.1 700$s
	for c in 2 3; do helper_start ask$s$c "$client" tcpbox ask 10.77.0.1 700$s 2 10.77.0.$c; done
done
ready() { [ "$(cat "$T"/ask??.out | grep -c ready)" = 12 ]; }
eventually ready || { case_begin "the clients have their connections"; fail; exit 1; }

# Every eighth packet in, and a twentieth of those out: what is lost out is lost with all its segments.
inside "$server" nft -f - <<'N' && inside "$client" nft -f - <<'M' || { case_begin "nft can lose packets"; fail; exit 1; }
table ip lossy {
	chain in {
		type filter hook prerouting priority 0;
		tcp dport 7003 numgen random mod 100 < 8 drop
	}
}
N
table ip lossy {
	chain in {
		type filter hook prerouting priority 0;
		tcp sport 7005 numgen random mod 100 < 5 drop
	}
}
M
mkdir "$T/series"
for s in $SERVERS; do
	"$PROBE" record -o "$T/series" --host oss-$s --disk "$loop" --netns "$server" --port 700$s 2>"$T/oss-$s.err" &
	at_exit "end_child $!"
done

# As often as somebody would look, until both are named. What is wrong meanwhile is told at the end.
named() {
	"$O/limpet" diagnose --json "$T/series" 2>"$T/err" |
		jq -r '.incidents[] | "\(.server) \(.cause) \(.detail | sub(",.*"; ""))"' 2>/dev/null | sort
}
both() {
	sleep 2
	named >"$T/named"
	[ "$(wc -l <"$T/named")" -ge 2 ]
}
case_begin "a server that loses requests and one that loses answers, each with its side; nobody else"
eventually both
check_eq "$(cat "$T/named")" "oss-3 packet-loss receive side
oss-5 packet-loss send side" "the verdict" && ok
case_begin "nothing came out of order, and no client is blamed"
"$O/limpet" show --csv -f tcp -n oss-3 "$T/series" >"$T/csv"
ooo=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ooo/s") k = i } NR > 1 { n += $k } END { print n + 0 }' "$T/csv")
blamed=$("$O/limpet" diagnose "$T/series" | grep -c 'loses packets with most servers')
check_eq "$ooo $blamed" "0 0" "segments out of order, clients" && ok
