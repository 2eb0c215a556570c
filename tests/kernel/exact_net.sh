#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2015,SC2016,SC2046,SC2086,SC2154
# Interfaces under load and with real drops and errors, against /proc/net/dev and sar, on a wire between
# two network namespaces, by both sources at once.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip iperf3 sar python3 ethtool
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
SOURCES="bpf proc"

# The eight columns of an interface: rx bytes, packets, errors, drops, and the same of tx.
dev() { # NETNS NAME
	inside "$1" awk -v d="$2:" '$1 == d { print $2, $3, $4, $5, $10, $11, $12, $13 }' /proc/net/dev
}
seen() { # PROBE NAME FROM: the same of its lines
	probe_jq "$1" "[.[$3:][] | .interval_s as \$t | .net[\"$2\"] // {} |
		[(.[\"rxkB/s\"] // 0) * 1024, .[\"rxpck/s\"] // 0, .[\"rxerr/s\"] // 0, .[\"rxdrop/s\"] // 0,
		(.[\"txkB/s\"] // 0) * 1024, .[\"txpck/s\"] // 0, .[\"txerr/s\"] // 0, .[\"txdrop/s\"] // 0] |
		map(. * \$t)] | transpose | map(add) | map(tostring) | join(\" \")"
}
# Counts must be the same; bytes to the seven digits of a line.
agree() { # PROBE NETNS NAME "BEFORE" FROM
	set -- "$1" "$2" "$3" "$4" "$5" "$(seen "$1" "$3" "$5")" "$(dev "$2" "$3")"
	agree_why=$(echo "$6 $4 $7" | awk '
		NF != 24 { print "fields: " NF; exit }
		{
			split("rxbytes rxpck rxerr rxdrop txbytes txpck txerr txdrop", name)
			for (i = 1; i <= 8; i++) {
				d = $i - ($(16 + i) - $(8 + i))
				if (d * d > (0.01 + 1.1e-6 * $i) ^ 2)
					print name[i] ": " $i ", kernel " $(16 + i) - $(8 + i) ";"
			}
		}')
	[ -z "$agree_why" ] && return 0
	fail "$1, $3: $agree_why"
	return 1
}
both_agree() { # "BEFORE" of the server's v0, since mark()
	for source in $SOURCES; do
		eval "from=\$mark_$source"
		agree $source "$server" v0 "$1" "$from" || return 1
	done
}
mark() {
	before=$(dev "$server" v0)
	before_client=$(dev "$client" v0)
	for source in $SOURCES client; do eval "mark_$source=$(probe_lines $source)"; done
}
# Frames of an Ethernet type that nobody knows: SIZE bytes each.
frames() { # NETNS INTERFACE COUNT SIZE
	inside "$1" python3 -c 'import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind((sys.argv[1], 0))
frame = bytes.fromhex("020000000001020000000002" if sys.argv[4] == "up" else "020000000002020000000001")
frame += bytes.fromhex("88b5") + bytes(int(sys.argv[3]) - 14)
for i in range(int(sys.argv[2])):
    try:
        s.send(frame)
    except OSError: # ENOBUFS: the interface dropped it
        pass' "$2" "$3" "$4" "${5:-up}"
}
still() { was=$now; now=$(dev "$server" v0; dev "$client" v0); [ "$now" = "$was" ]; }
quiet() { now=; eventually still; }

case_begin "two probes look into one namespace and one into the other"
for source in $SOURCES; do probe_start $source --source $source --disk "$loop" --netns "$server"; done
probe_start client --source proc --disk "$loop" --netns "$client"
probe_wait bpf 1 && probe_wait proc 1 && probe_wait client 1 && ok || fail "$(cat "$T"/*.err)"
: >"$T/sar"
LC_ALL=C ip netns exec "$server" stdbuf -oL sar -n DEV,EDEV --iface=v0 1 3600 >"$T/sar" 2>&1 &
sar_pid=$!
at_exit "end_child $sar_pid"
sar_began() { [ "$(grep -c v0 "$T/sar")" -ge 2 ]; }
eventually sar_began

case_begin "iperf3 both ways: bytes and packets of each side"
mark
listening() { inside "$server" ss -ltn | grep -q :5201; }
for way in '' -R; do
	inside "$server" iperf3 -s -1 -B 10.77.0.1 >"$T/iperf-server" 2>&1 &
	iperf=$!
	at_exit "end_child $iperf"
	eventually listening
	inside "$client" iperf3 -c 10.77.0.1 $way -n 64M -P 2 >"$T/iperf" 2>&1 || cat "$T/iperf"
	wait $iperf
done
quiet
probe_settle $SOURCES client
both_agree "$before" && agree client "$client" v0 "$before_client" "$mark_client" && {
	set -- $before $(dev "$server" v0)
	if [ $(($9 - $1)) -ge 60000000 ] && [ $((${13} - $5)) -ge 60000000 ]; then ok; else
		fail "$(($9 - $1)) and $((${13} - $5)) bytes only: $(cat "$T/iperf")"
	fi
}

case_begin "37 frames of a type that nobody wants are 37 drops of the receiver"
mark
frames "$client" v0 37 100
quiet
probe_settle $SOURCES client
set -- $before $(dev "$server" v0)
check_eq $((${12} - $4)) 37 "drops in /proc/net/dev" && both_agree "$before" &&
	check_eq "$(probe_sum bpf '.net.v0["rxdrop/s"]' $mark_bpf)" 37 "rxdrop" && ok

case_begin "23 frames larger than the other end takes are 23 drops of the sender, and of the receiver"
inside "$client" ip link set v0 mtu 1000
mark
frames "$server" v0 23 1400 down
quiet
probe_settle $SOURCES client
set -- $before $(dev "$server" v0)
check_eq $((${16} - $8)) 23 "tx drops in /proc/net/dev" && both_agree "$before" &&
	agree client "$client" v0 "$before_client" "$mark_client" &&
	check_eq "$(probe_sum bpf '.net.v0["txdrop/s"]' $mark_bpf) $(probe_sum client '.net.v0["rxdrop/s"]' $mark_client)" \
		"23 23" "txdrop of the sender, rxdrop of the receiver" && ok
inside "$client" ip link set v0 mtu 1500

# The averages of sar are from its first look to its last; what of them does not depend on when is the
# share of drops and the size of packets.
kill -INT $sar_pid
wait $sar_pid
case_begin "the size of packets and the share of drops are sar's, to its two decimals"
sar=$(awk '/^Average/ && $2 == "IFACE" { errors = /rxerr/ }
	/^Average/ && $2 == "v0" { print $3, $4, $(5 + errors), $(6 + errors) }' "$T/sar" | tr '\n' ' ')
echo "# sar: $sar"
for source in $SOURCES; do
	echo "$sar $(seen $source v0 0)" | awk -v s=$source '
		function off(got, want, slack) { return (got - want) ^ 2 > (slack * want) ^ 2 }
		{
			# rxpck/s txpck/s rxkB/s txkB/s, rxerr/s txerr/s rxdrop/s txdrop/s
			printf "# %s: rx %.4f kB a packet, sar %.4f; tx %.4f, sar %.4f\n", s,
				$9 / 1024 / $10, $3 / $1, $13 / 1024 / $14, $4 / $2
			exit NF != 16 || off($9 / 1024 / $10, $3 / $1, 0.001) ||
				off($13 / 1024 / $14, $4 / $2, 0.001) ||
				($12 / $10 - $7 / $1) ^ 2 > (0.01 / $1 + 0.01 * $12 / $10) ^ 2 ||
				($16 / $14 - $8 / $2) ^ 2 > (0.01 / $2 + 0.01 * $16 / $14) ^ 2
		}' || fail "$source: $(seen $source v0 0); sar: $sar: $(grep Average "$T/sar")"
done
[ -z "$lib_case" ] || ok

case_begin "%ifutil is the busier direction in percent of the speed the driver tells"
speed=$(inside "$server" ethtool v0 | sed -n 's/.*Speed: \([0-9]*\)Mb.*/\1/p')
check_eq "$(probe_jq bpf "[.[].net.v0 | select(.[\"%ifutil\"] != null) |
	(([.[\"rxkB/s\"], .[\"txkB/s\"]] | max) * 1024 * 8 / ($speed * 1e4) - .[\"%ifutil\"]) | fabs < 1e-4] |
	[length > 3, all] | tojson")" "[true,true]" "%ifutil" && ok

case_begin "an interface that is made again counts from nothing: null, then its own numbers"
inside "$server" ip link del v0
probe_settle $SOURCES
gone=$(probe_jq bpf '.[-1].net.v0 == null')
ip link add v0 netns "$server" type veth peer name v0 netns "$client"
inside "$server" ip link set v0 up
inside "$client" ip link set v0 up
probe_settle $SOURCES
quiet
probe_settle $SOURCES client
mark
frames "$client" v0 11 100
quiet
probe_settle $SOURCES client
check_eq "$gone" true "absent while it is away" && both_agree "$before" &&
	check_eq "$(probe_jq bpf '[.[].net.v0 // {} | .[] | numbers | select(. < 0 or . > 1e9)] | length')" 0 \
		"impossible values" && ok

case_begin "errors: of a tunnel to nowhere (tx) and of a bad frame (rx), where this kernel makes them"
inside "$server" ip link add vx0 type vxlan id 7 remote 10.99.99.99 dstport 4789 2>/dev/null
if ! inside "$server" ip link set vx0 up 2>/dev/null; then
	skip "no vxlan here (modprobe vxlan)"
else
	probe_settle $SOURCES
	mark
	before=$(dev "$server" vx0)
	frames "$server" vx0 19 100
	probe_settle $SOURCES
	set -- $before $(dev "$server" vx0)
	echo "# tx errors $((${15} - $7)), drops $((${16} - $8))"
	for source in $SOURCES; do
		eval "from=\$mark_$source"
		agree $source "$server" vx0 "$before" "$from" || break
	done
	[ -z "$lib_case" ] || {
		if [ $((${15} - $7)) -ge 19 ]; then ok; else fail "the kernel counted $((${15} - $7)) tx errors"; fi
	}
fi
