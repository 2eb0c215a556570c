# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# MooseFS in the testbed: one chunk server for each server, its chunks on ext4 on the slow disk, and a master in a
# namespace of its own. Every file is one chunk, on COPIES servers; clients mount it through FUSE. What the
# functions fs_* do is said in testbed.d/lib/fs.sh.
#
# shellcheck disable=SC2015,SC2086

RATE=${RATE:-20} PING_S=${PING_S:-10} MEM_MB=${MEM_MB:-256} DIRTY_MB=${DIRTY_MB:-16} COPIES=${COPIES:-2}
READ_FILE_MB=256                                  # with 2 copies 340 MB a server, 2-3 times its page cache

# A chunk lies whole on its servers: of a few large files some servers would have none. What the testbed calls a
# file is a folder of files of PIECE_MB.
PIECE_MB=4
MOOSE=$STATE/moosefs MASTER=m1 MASTER_HOST=200

fs_help() {
	cat <<'END'
  hang: after PING_S the others go on without the server; it is back soon after 'clear'
  imbalance: a folder with one copy, on this server
  RATE=20
  MEM_MB=256 memory of a server, of which its chunk server takes 136 and the page cache the rest
  DIRTY_MB=16 per disk, that wait to be written
  COPIES=2 of each file
  PING_S=10 after which the master goes on without a server that is silent (MooseFS's default)
END
}

fs_needs() {
	echo mfsmaster:moosefs-master mfschunkserver:moosefs-chunkserver mfsmount:moosefs-client mkfs.ext4:e2fsprogs
}
fs_version() { mfsmaster -v 2>&1 | awk 'NR == 1 { print $2 }'; }
fs_check() {
	check_number DIRTY_MB 1 65536; check_number COPIES 1 5
	check_number N 5 26                       # a server's label is a letter
}

# Neither the master nor a disk's own tests move or read a chunk of their own accord.
fs_prepare() {
	mkdir -p "$MOOSE" && cp /var/lib/mfs/metadata.mfs.empty "$MOOSE/metadata.mfs" &&
		echo '* / rw,alldirs,admin,maproot=0:0' > "$MOOSE/exports" && cat > "$MOOSE/conf" <<-END
			WORKING_USER = root
			WORKING_GROUP = root
			SYSLOG_IDENT = mfsmaster-$MASTER
			DATA_PATH = $MOOSE
			EXPORTS_FILENAME = $MOOSE/exports
			LOCK_MEMORY = 0
			NICE_LEVEL = 0
			MATOCS_TIMEOUT = $PING_S
			REPLICATIONS_DELAY_INIT = 86400
			ACCEPTABLE_PERCENTAGE_DIFFERENCE = 10.0
		END
}

fs_disk() { ext4_disk "$1" "$2" chunks; } # server loop

# ---- servers --------------------------------------------------------------------------------------

label_of() { printf "\\x$(printf %x $((64 + $1)))"; } # number: 1 is A

server_up() { # number
	local D=$STATE/s$1
	mkdir -p "$D/lib" && echo "$D/chunks" > "$D/hdd" && cat > "$D/conf" <<-END || return
		WORKING_USER = root
		WORKING_GROUP = root
		SYSLOG_IDENT = mfschunkserver-s$1
		DATA_PATH = $D/lib
		HDD_CONF_FILENAME = $D/hdd
		HDD_TEST_SPEED = 0.0
		HDD_SPARSIFY_ON_WRITE = 0
		NICE_LEVEL = 0
		LABELS = $(label_of $1)
		BIND_HOST = $NET_ID.$1
		CSSERV_LISTEN_HOST = $NET_ID.$1
		MASTER_HOST = $NET_ID.$MASTER_HOST
		MASTER_RECONNECTION_DELAY = 1
	END
	start "s$1" "$D/server.out" nsenter --net=/run/netns/$PREFIX-s"$1" mfschunkserver -f -n -c "$D/conf" start
	echo $! > "$D/server.pid"
}

# Each has told the master of itself and its disk.
servers_connected() {
	[ "$(in_net $MASTER ss -tnH state established sport = :9420 | wc -l)" = "$N" ]
}

fs_start() {
	local s
	net_up $MASTER $MASTER_HOST "$CNET" || return
	start monitors "$MOOSE/master.out" nsenter --net=/run/netns/$PREFIX-$MASTER mfsmaster -f -n -c "$MOOSE/conf" start
	wait_for 20 master_listens || { tail -n 3 "$MOOSE/master.out" >&2; warn "the master does not come up"; return 1; }
	for s in $(names s "$N"); do server_up ${s#s} || return; done
	wait_for 30 servers_connected || { tail -n 3 "$STATE"/s*/server.out >&2; warn "not all chunk servers come up"; return 1; }
	say "servers: $N chunk servers, $COPIES copies"
}
master_listens() { in_net $MASTER ss -tlnH sport = :9421 | grep -q .; }

fs_errors() { grep -hi 'error\|can.t' "$MOOSE/master.out" "$STATE"/s*/server.out; }

# ---- clients --------------------------------------------------------------------------------------

fs_has_client() { grep -q " $STATE/$1/mnt .* - fuse mfs.*:9421 " /proc/self/mountinfo; }
fs_client() { # client: the mount is everybody's, its sockets are in the client's namespace
	local D=$STATE/$1
	mkdir -p "$D/mnt"
	start clients "$D/out" nsenter --net=/run/netns/$PREFIX-"$1" mfsmount -f -H $NET_ID.$MASTER_HOST \
		-o mfsnice=0,mfscachemode=NEVER,mfswritecachesize=16,mfsreadaheadsize=16,mfsioretries=1000 "$D/mnt"
	wait_for 20 fs_has_client "$1" && wait_for 20 in_net "$1" timeout 10 mfssetgoal -r "$COPIES" "$D/mnt" >"$D/goal" 2>&1 ||
		{ tail -n 3 "$D/out" "$D/goal" >&2; return 1; }
}
fs_where() { echo "clients at $STATE/c1/mnt$([ "$C" -gt 1 ] && echo " .. c$C/mnt")"; }

# ---- a hot server ---------------------------------------------------------------------------------

fs_hot_on() { # server
	local mnt=$STATE/h1/mnt
	fs_has_client h1 || fs_client h1 || return
	# A storage class of an earlier hot server may be there.
	in_net h1 mfsscadmin "$mnt" create "$(label_of ${1#s})" "hot$1" >/dev/null 2>&1
	mkdir -p "$mnt/hot.$1" && in_net h1 mfssetsclass "hot$1" "$mnt/hot.$1" >/dev/null
}
fs_hot_off() { # server
	kill_all cgroup_pids hogs
	timeout 20 rm -rf "$STATE/h1/mnt/hot.$1"
} 2>/dev/null

fs_hot_load() { # MB/s: in both directions, each at half the rate; what is read was written first
	local dir
	dir=$(echo "$STATE"/h1/mnt/hot.s*)
	local fio="fio --directory=$dir --bs=256k --ioengine=psync --output=/dev/null"
	$fio --rate="$1m" --name=lay --rw=write --filename=read --size=60m --end_fsync=1
	while :; do
		$fio --rate=$(($1 * 512))k --time_based --runtime=3600 --name=write --rw=write --filename=write \
			--size=60m --name=read --rw=read --filename=read --size=60m || sleep 1
	done
}

# ---- load -----------------------------------------------------------------------------------------

pieces() { seq -f "$1/%g" $(($2 / PIECE_MB)) | shuf; } # folder MB

fs_lay() { # client file
	local dir=$STATE/$1/mnt/$2 p
	mkdir -p "$dir" && for p in $(pieces "$dir" $READ_FILE_MB); do
		dd if=/dev/zero of="$p" bs=1M count=$PIECE_MB conv=notrunc status=none || return
	done
}
fs_laid() { # file
	timeout 20 find "$STATE/c1/mnt/$1" -type f -size "$PIECE_MB"M 2>/dev/null | wc -l |
		awk -v mb=$PIECE_MB '{ print $1 * mb }'
}

fs_pass() { # kind client stream files...
	local mnt=$STATE/$2/mnt kind=$1 own=$2.$3 f p i
	shift 3
	case $kind in
	write) # over the same chunks: the disks never fill
		mkdir -p "$mnt/write.$own" && for p in $(pieces "$mnt/write.$own" $WRITE_FILE_MB); do
			dd if=/dev/zero of="$p" bs=1M count=$PIECE_MB conv=notrunc status=none || return
		done ;;
	read) # the clients cache nothing, and all files together are more than the servers can
		for f; do
			for p in $(pieces "$mnt/$f" $READ_FILE_MB); do dd if="$p" of=/dev/null bs=1M status=none || return; done
		done ;;
	random)
		fio --name=random --filename="$(pieces "$mnt/$1" $READ_FILE_MB | paste -sd :)" --size=${READ_FILE_MB}m \
			--rw=randrw --rwmixread=70 --bs=16k --ioengine=psync --file_service_type=random \
			--time_based --runtime=3600 --output=/dev/null ;;
	small) # files are written, read back and removed
		mkdir -p "$mnt/small.$own" && for ((i = 0; i < 100; i++)); do
			head -c $((4096 + RANDOM)) /dev/zero > "$mnt/small.$own/$i" || return
		done && cat "$mnt/small.$own"/* >/dev/null && rm -r "$mnt/small.$own" ;;
	esac
}

# ---- status ---------------------------------------------------------------------------------------

fs_columns() { printf '%-9s %-7s' CHUNKS MOUNTED; }
fs_cells() {
	local s loop pid disk bad=0
	for s in $(names s "$N"); do
		loop=$(loop_of "$s") pid=$(<"$STATE/$s/server.pid") disk=no
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = mfschunkserver ] || pid=dead
		grep -q " $STATE/$s/chunks rw.* /dev/$loop rw" /proc/self/mountinfo && disk=yes
		grep -q " $STATE/$s/chunks .*emergency_ro" /proc/self/mountinfo && disk=ro
		[ $pid = dead ] || [ $disk != yes ] && bad=1
		printf '%-9s %-7s\n' "$pid" "$disk"
	done
	return $bad
}
