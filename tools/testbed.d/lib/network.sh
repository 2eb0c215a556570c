# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Nodes by name; their network namespaces and links.
#
# shellcheck disable=SC2015,SC2086

names() { # s 3 -> s1 s2 s3
	local i
	for ((i = 1; i <= $2; i++)); do echo "$1$i"; done
}
namespaces() { ip netns list | awk -v p="^$PREFIX-" '$1 ~ p { print $1 }'; }
in_net() { # node command...: only the network is another; mounts and /sys stay this machine's
	local node=$1
	shift
	nsenter --net=/run/netns/$PREFIX-"$node" "$@"
}
loop_of() { cat "$STATE/$1/loop"; }

# Every loop device on one of our disks, whoever remembers it: "loop3".
our_loops() {
	local f
	for f in /sys/block/loop*/loop/backing_file; do
		[[ $(<"$f") == */$GROUP-s[0-9]*.disk* ]] && { f=${f#/sys/block/} && echo "${f%%/*}"; }
	done 2>/dev/null
}
# Mount points below the state directory, innermost first. Read from the kernel's table: to look at
# a dead FUSE mount would hang.
our_mounts() { awk -v d="$1/" 'index($5, d) == 1 { print $5 }' /proc/self/mountinfo | sort -r; }

net_up() { # node host-number rate
	local ns=$PREFIX-$1 port=v$1 ip=$NET_ID.$2 cpu
	ip netns add $ns || return
	ip link add $port netns $PREFIX-sw mtu "$MTU" type veth peer name eth0 netns $ns mtu "$MTU" || return
	ip -n $PREFIX-sw link set $port master br0 up
	ip -n $ns link set lo up
	ip -n $ns addr add $ip/24 dev eth0
	ip -n $ns link set eth0 up
	# Cubic, as a cluster would have it, and not the machine's default: bbr, for one, does not shrink
	# cwnd on loss. The sysctl is refused inside a namespace, the route attribute is not.
	modprobe -q tcp_cubic 2>/dev/null
	ip -n $ns route replace $NET_ID.0/24 dev eth0 src $ip congctl cubic || return
	# One CPU for the frames of a link: two reorder them (5 % spurious retransmissions, and a cwnd
	# of 12-20 in place of 70, with no fault present).
	cpu=$(printf %x $((1 << ($2 % $(nproc)))))
	# Frames of at most one MTU on the wire, so that losses and packets count as on a real link.
	ip netns exec $ns sh -c "ethtool -K eth0 tso off gso off gro off
		echo $cpu > /sys/class/net/eth0/queues/rx-0/rps_cpus" || return
	ip netns exec $PREFIX-sw sh -c "ethtool -K $port tso off gso off gro off
		echo $cpu > /sys/class/net/$port/queues/rx-0/rps_cpus" || return
	tc -n $ns qdisc add dev eth0 root tbf rate "$3" burst 32k latency 50ms &&
		tc -n $PREFIX-sw qdisc add dev $port root tbf rate "$3" burst 32k latency 50ms
}

switch_up() {
	ip netns add $PREFIX-sw && ip -n $PREFIX-sw link add br0 type bridge &&
		ip -n $PREFIX-sw link set br0 up && ip -n $PREFIX-sw link set lo up
}
