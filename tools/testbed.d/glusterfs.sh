# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# GlusterFS in the testbed: one dispersed volume (every server has a share of every file), mounted by
# the clients through FUSE. What the functions fs_* do is said in testbed.d/lib/fs.sh.
#
# shellcheck disable=SC2015,SC2086

RATE=${RATE:-40} PING_S=${PING_S:-10} MEM_MB=${MEM_MB:-128} DIRTY_MB=${DIRTY_MB:-16}
READ_FILE_MB=256                                  # 256 MB a server, 2-3 times its page cache
# shellcheck disable=SC2034 # the faults' part uses it
[[ $FAULTS == *busy-lock ]] || FAULTS+=' busy-lock'
HELD=$REPO/.output/heldlock.so HELD_SRC=$REPO/tools/heldlock.c

fs_help() {
	cat <<'END'
  hang: the server's files are stale afterwards; 'down' and 'up'
  busy-lock        seconds (8)       of ten: a thread of the server's own holds a lock that others need
  RATE=40
  MEM_MB=128 memory of a server, its page cache included
  DIRTY_MB=16 per disk, that wait to be written
  PING_S=10 after which clients go on without a server that is silent (GlusterFS's default: 42)
END
}

fs_needs() {
	[ "$HELD" -nt "$HELD_SRC" ] || echo cc:gcc
	echo glusterd:glusterfs-server glusterfs:glusterfs-client gluster:glusterfs-client mkfs.ext4:e2fsprogs
}
fs_version() { glusterfs --version | awk 'NR == 1 { print $2 }'; }
fs_check() { check_number DIRTY_MB 1 65536; }
# A lock for the servers that is held to order. Nothing of it is in use until 'busy-lock'.
fs_prepare() { build_shared "$HELD" "$HELD_SRC" -ldl; }

fault_lock() { # server state: written in place, for it is mapped
	printf '%-31s\n' "$2" 1<> "$STATE/$1/lock"
}
more_fault_on() { # kind server argument
	[ "$1" = busy-lock ] && fault_lock "$2" "1 $((${3:-8} * 1000)) $(((10 - ${3:-8}) * 1000))"
}
more_fault_off() { # kind server
	[ "$1" != busy-lock ] || fault_lock "$2" 0
}
more_fault_arg() { # kind
	[ "$1" = busy-lock ] && echo '^[1-9]$'
}

fs_disk() { ext4_disk "$1" "$2" brick && mkdir "$STATE/$1/brick/b"; } # server loop

# ---- servers --------------------------------------------------------------------------------------

uuid_of() { printf '00000000-0000-4000-8000-%012d' "$1"; }

# The servers start as members of one pool: glusterd's own files say so (probing takes seconds).
server_up() { # number
	local D=$STATE/s$1 i version
	version=$(glusterd --version | awk 'NR == 1 { print $2 + 0 }')
	mkdir -p "$D/lib/peers" "$D/log" && fault_lock "s$1" 0 || return
	printf 'UUID=%s\noperating-version=%d0000\n' "$(uuid_of "$1")" "${version%%.*}" > "$D/lib/glusterd.info"
	for ((i = 1; i <= N; i++)); do
		[ $i = "$1" ] || printf 'uuid=%s\nstate=3\nhostname1=%s\n' "$(uuid_of $i)" $NET_ID.$i \
			> "$D/lib/peers/$(uuid_of $i)"
	done
	# shellcheck disable=SC2016 # expanded by the inner shell
	start "s$1" "$D/glusterd.out" nsenter --net=/run/netns/$PREFIX-s"$1" unshare -m --propagation private \
		sh -c 'mount -t tmpfs tmpfs /run && mkdir -p /run/gluster /run/lock /var/log/glusterfs &&
			mount --bind "$0/lib" /var/lib/glusterd && mount --bind "$0/log" /var/log/glusterfs &&
			LD_PRELOAD=$1 LIMPET_HELDLOCK=$0/lock LIMPET_HELDLOCK_IN=glusterfsd exec glusterd -N -L WARNING' \
		"$D" "$HELD"
	echo $! > "$D/glusterd.pid"
}

gluster_cli() { # in the mount namespace of the first glusterd, where its socket is
	timeout 60 nsenter -t "$(<"$STATE/s1/glusterd.pid")" -n -m gluster --mode=script "$@"
}
pool_complete() { [ "$(gluster_cli pool list 2>/dev/null | grep -cw Connected)" = "$N" ]; }

fs_start() {
	local bricks='' s
	for s in $(names s $N); do server_up ${s#s}; done
	wait_for 30 pool_complete || { gluster_cli pool list >&2; warn "the servers do not find each other"; return 1; }
	say "servers: $N glusterd connected"
	for s in $(names s $N); do bricks+=" $NET_ID.${s#s}:$STATE/$s/brick/b"; done
	gluster_cli volume create v1 disperse "$N" redundancy 2 $bricks force >/dev/null &&
		gluster_cli volume set v1 disperse.read-policy round-robin performance.client-io-threads on \
			cluster.disperse-self-heal-daemon disable network.ping-timeout "$PING_S" >/dev/null &&
		gluster_cli volume start v1 >/dev/null &&
		say "volume: disperse $N, redundancy 2"
}

fs_errors() { grep -h '^[^]]*\] E ' "$STATE"/*/log "$STATE"/*/log/*.log "$STATE"/*/log/bricks/*.log; }

# ---- clients --------------------------------------------------------------------------------------

fs_has_client() { grep -q " $STATE/$1/mnt .* fuse.glusterfs " /proc/self/mountinfo; }
fs_client() { # client [node volume]: the mount is everybody's, its sockets are in the node's namespace
	local D=$STATE/$1
	mkdir -p "$D/mnt"
	start clients "$D/out" nsenter --net=/run/netns/$PREFIX-"${2:-$1}" glusterfs -N --process-name fuse \
		-s $NET_ID.1 --volfile-id=/"${3:-v1}" -l "$D/log" -L WARNING "$D/mnt"
	wait_for 20 fs_has_client "$1" && wait_for 20 timeout 5 touch "$D/mnt/.$1" 2>/dev/null ||
		{ tail -5 "$D/log" >&2; return 1; }
}
fs_where() { echo "clients at $STATE/c1/mnt$([ "$C" -gt 1 ] && echo " .. c$C/mnt")"; }

# ---- a hot server ---------------------------------------------------------------------------------

# A volume of one brick: what is done in it, this server's own processes do, on its own disk.
fs_hot_on() { # server
	gluster_cli volume create hot "$NET_ID.${1#s}:$STATE/$1/brick/hot" force >/dev/null &&
		gluster_cli volume start hot >/dev/null && fs_client hot h1 hot
}
fs_hot_off() { # server
	[ -e "$STATE/hot" ] || return 0
	kill_all hot_clients
	! fs_has_client hot || umount -l "$STATE/hot/mnt"
	gluster_cli volume stop hot force >/dev/null && gluster_cli volume delete hot >/dev/null
	rm -rf --one-file-system "$STATE/hot" "$STATE/$1/brick/hot"
} 2>/dev/null
hot_clients() {
	local pid
	for pid in $(cgroup_pids clients); do
		! tr '\0' ' ' < "/proc/$pid/cmdline" | grep -q -- '--volfile-id=/hot ' || echo "$pid"
	done
}

# In both directions, each at half the rate; what is read was written first, or no disk had to move.
fs_hot_load() { # MB/s
	local fio="fio --directory=$STATE/hot/mnt --bs=256k --ioengine=psync --direct=1 --output=/dev/null"
	$fio --rate="$1m" --name=lay --rw=write --filename=read --size=128m
	while :; do
		$fio --rate=$(($1 * 512))k --time_based --runtime=3600 --name=write --rw=write --filename=write \
			--size=64m --name=read --rw=read --filename=read --size=128m || sleep 1
	done
}

# ---- load -----------------------------------------------------------------------------------------

fs_lay() { # client file
	dd if=/dev/zero of="$STATE/$1/mnt/$2" bs=1M count=$READ_FILE_MB status=none
}
fs_laid() { # file
	local bytes
	bytes=$(timeout 20 stat -c %s "$STATE/c1/mnt/$1" 2>/dev/null)
	echo $((${bytes:-0} >> 20))
}

fs_pass() { # kind client stream files...
	local dir=$STATE/$2/mnt kind=$1 own=$2.$3 f i
	shift 3
	case $kind in
	write) # over the same blocks: the disks never fill, and nothing is allocated or freed
		dd if=/dev/zero of="$dir/write.$own" bs=1M count=$WRITE_FILE_MB conv=notrunc status=none ;;
	read) # the client caches nothing, and all files together are more than the servers can
		for f; do dd if="$dir/$f" of=/dev/null bs=1M iflag=nocache status=none || return; done ;;
	random) # direct: the page cache of a client would soon hold all
		fio --name=random --filename="$dir/$1" --size=${READ_FILE_MB}m --rw=randrw --rwmixread=70 \
			--bs=16k --direct=1 --ioengine=psync --time_based --runtime=3600 --output=/dev/null ;;
	small) # files are written, read back and removed
		mkdir -p "$dir/small.$own" && for ((i = 0; i < 100; i++)); do
			head -c $((4096 + RANDOM)) /dev/zero > "$dir/small.$own/$i" || return
		done && cat "$dir/small.$own"/* >/dev/null && rm -r "$dir/small.$own" ;;
	esac
}

# ---- status ---------------------------------------------------------------------------------------

fs_columns() { printf '%-9s %-7s %-7s' GLUSTERD BRICK MOUNTED; }
fs_cells() {
	local s loop pid brick disk p bad=0
	for s in $(names s "$N"); do
		loop=$(loop_of "$s") pid=$(<"$STATE/$s/glusterd.pid") brick=none disk=no
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = glusterd ] || pid=dead
		for p in $(cgroup_pids "$s"); do [ "$(cat "/proc/$p/comm" 2>/dev/null)" = glusterfsd ] && brick=$p; done
		grep -q " $STATE/$s/brick rw.* /dev/$loop rw" /proc/self/mountinfo && disk=yes
		grep -q " $STATE/$s/brick .*emergency_ro" /proc/self/mountinfo && disk=ro
		[ $pid = dead ] || [ $brick = none ] || [ $disk != yes ] && bad=1
		printf '%-9s %-7s %-7s\n' "$pid" "$brick" "$disk"
	done
	return $bad
}
