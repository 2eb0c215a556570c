# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Ceph in the testbed: one OSD (BlueStore, straight on the slow disk) for each server, a monitor in a
# namespace of its own, and no manager: data do without, and it would cost 300 MB and a share of the
# processors. Clients use images (RBD) of one replicated pool by fio's engine, which is librbd: there
# is no mount, and no kernel module. What the functions fs_* do is said in testbed.d/lib/fs.sh.
#
# shellcheck disable=SC2015,SC2086

# A byte is written, and crosses the network, three times: with disks as fast as GlusterFS's the
# processors were full, half of them with frames, and the disks 60 % busy.
RATE=${RATE:-20} PING_S=${PING_S:-20} MEM_MB=${MEM_MB:-512} COPIES=${COPIES:-3}
READ_FILE_MB=128                                  # 85 MB a server, 2-3 times its cache

# Where the files of the cluster are; those of server sI, which has osd.I, are with the server's.
CEPH=$STATE/ceph MONITOR=m1 MONITOR_HOST=200 POOL=p1
# Images are cut into objects of 1 MB. A load uses 512 MB: of 128 objects of 4 MB each of six servers
# would have 21 +- 4, and so unequal loads by chance alone; of 512 it has 85 +- 8.
IMAGE='--object-size 1M --image-feature layering --no-progress'
PGS=256                                           # 128 a server with 3 copies: Ceph's own aim is 100
DEPTH=4                                           # requests of a stream that are under way

fs_help() {
	cat <<'END'
  hang: after PING_S the others go on without the server; it is back soon after 'clear'
  imbalance: a second pool, with one copy
  RATE=20
  MEM_MB=512 memory of a server; 32 MB of it are its cache
  COPIES=3 of each object
  PING_S=20 after which clients go on without a server that is silent (Ceph's default)
END
}

fs_needs() {
	echo ceph-mon:ceph-mon ceph-osd:ceph-osd monmaptool:ceph-base osdmaptool:ceph-base ceph:ceph-common \
		rbd:ceph-common rados:ceph-common
}
fs_version() { ceph-osd --version | awk '{ print $3 }'; }
fs_check() {
	check_number COPIES 2 5
	! command -v fio >/dev/null || fio --enghelp 2>/dev/null | grep -qw rbd || die "this fio has no engine for RBD (Debian's has)"
}

# ---- servers --------------------------------------------------------------------------------------

uuid_of() { printf '00000000-0000-4000-8000-%012d' "$1"; }
in_cluster() { timeout 60 nsenter --net=/run/netns/$PREFIX-$MONITOR "$1" -c "$CEPH/conf" "${@:2}"; }

fs_prepare() {
	local s
	mkdir -p "$CEPH/mon" "$CEPH/crash" && cat > "$CEPH/conf" <<-END || return
		[global]
		fsid = $(uuid_of 0)
		mon host = $NET_ID.$MONITOR_HOST
		auth cluster required = none
		auth service required = none
		auth client required = none
		run dir = $CEPH
		log file = $CEPH/\$name.log
		mon cluster log file = $CEPH/cluster.log
		crash dir = $CEPH/crash
		mon data = $CEPH/mon
		osd data = $STATE/s\$id/osd
		osd pool default size = $COPIES
		osd pool default min size = 1
		osd pool default pg autoscale mode = off
		mon max pg per osd = 1000
		mon allow pool size one = true
		mon allow pool delete = true
		osd heartbeat grace = $PING_S
		# The monitor waits for more changes of its map for so long: each of ours would take a second.
		paxos propose interval = 0.1
		# Less than what the clients read, or no disk had to move.
		bluestore cache autotune = false
		bluestore cache size = 32M
		rbd cache = false
	END
	for s in $(names s "$N"); do
		printf '[osd.%s]\npublic addr = %s\ncrush location = root=default host=%s\n' "${s#s}" $NET_ID.${s#s} "$s"
	done >> "$CEPH/conf"
	monmaptool --create --fsid "$(uuid_of 0)" --addv $MONITOR \
		"[v2:$NET_ID.$MONITOR_HOST:3300,v1:$NET_ID.$MONITOR_HOST:6789]" "$CEPH/monmap" >"$CEPH/setup.log" &&
		ceph-mon -c "$CEPH/conf" --mkfs -i $MONITOR --monmap "$CEPH/monmap" >>"$CEPH/setup.log" 2>&1
}

fs_disk() { # server loop
	local D=$STATE/$1
	mkdir "$D/osd" && ln -s "/dev/$2" "$D/osd/block" &&
		ceph-osd -c "$CEPH/conf" -i "${1#s}" --no-mon-config --mkfs --osd-uuid "$(uuid_of "${1#s}")" \
			--monmap "$CEPH/monmap" >"$D/mkfs.log" 2>&1 || { tail -3 "$D/mkfs.log" >&2; return 1; }
}

in_client() { CEPH_CONF=$CEPH/conf in_net "$@"; } # node command...

osds_up() { [[ $(in_cluster ceph osd stat 2>>"$CEPH/setup.log") =~ [\ :]$N\ up ]]; }

fs_start() {
	local s
	net_up $MONITOR $MONITOR_HOST "$CNET" || return
	start monitors "$CEPH/monitor.out" nsenter --net=/run/netns/$PREFIX-$MONITOR \
		ceph-mon -c "$CEPH/conf" -f -i $MONITOR
	for s in $(names s "$N"); do
		echo "osd create $(uuid_of ${s#s}) ${s#s}"
	done | in_cluster ceph >>"$CEPH/setup.log" 2>&1 || return
	for s in $(names s "$N"); do
		start $s "$STATE/$s/osd.out" nsenter --net=/run/netns/$PREFIX-$s ceph-osd -c "$CEPH/conf" -f -i ${s#s}
		echo $! > "$STATE/$s/osd.pid"
	done
	wait_for 60 osds_up || { in_cluster ceph -s >&2; warn "not all OSDs come up"; return 1; }
	say "servers: $N OSDs up"
	in_cluster ceph osd pool create $POOL $PGS $PGS >>"$CEPH/setup.log" 2>&1 && balance &&
		in_cluster rbd pool init $POOL >>"$CEPH/setup.log" 2>&1 || { tail -n 3 "$CEPH/setup.log" >&2; return 1; }
	say "pool: $PGS placement groups, $COPIES copies"
}

# What the manager does in a real cluster: it gives each OSD as many placement groups. Of how many of
# them an OSD is the first, which is the one that reads, stays as chance has it: 36 to 58.
balance() {
	in_cluster ceph osd getmap -o "$CEPH/map" && osdmaptool "$CEPH/map" --upmap "$CEPH/upmap" \
		--upmap-deviation 1 --upmap-max $PGS --upmap-pool $POOL || return
	sed -n 's/^ceph //p' "$CEPH/upmap" | in_cluster ceph
} >>"$CEPH/setup.log" 2>&1

fs_errors() { grep -h ' -1 ' "$CEPH"/*.log | grep -v numa; cat "$CEPH/monitor.out" "$STATE"/s*/osd.out; }

# ---- clients --------------------------------------------------------------------------------------

fs_has_client() { [ -e "/run/netns/$PREFIX-$1" ]; }
fs_client() { # client: with images to write to
	local i
	for ((i = 1; i <= STREAMS; i++)); do
		in_client "$1" timeout 60 rbd create --size ${WRITE_FILE_MB}M $IMAGE $POOL/write.$1.$i || return
	done
}
fs_where() { echo "images in pool '$POOL', conf '$CEPH/conf'"; }

image_io() { # node pool/image options...
	in_client "$1" fio --ioengine=rbd --clientname=admin --pool="${2%/*}" --rbdname="${2#*/}" --name="${2#*/}" \
		--direct=1 --output=/dev/null "${@:3}"
}

# ---- a hot server ---------------------------------------------------------------------------------

fs_hot_on() { # server
	printf '%s\n' "osd crush rule create-replicated hot $1 osd" "osd pool create hot 8 8 replicated hot" |
		in_cluster ceph >>"$CEPH/setup.log" 2>&1 &&
		in_cluster ceph osd pool set hot size 1 --yes-i-really-mean-it >>"$CEPH/setup.log" 2>&1 &&
		in_client h1 timeout 60 rbd create --size 128M $IMAGE hot/read &&
		in_client h1 timeout 60 rbd create --size 64M $IMAGE hot/write
}
fs_hot_off() { # server
	in_cluster ceph osd pool rm hot hot --yes-i-really-really-mean-it
	in_cluster ceph osd crush rule rm hot
} >>"$CEPH/setup.log" 2>&1

fs_hot_load() { # MB/s: in both directions, each at half the rate
	local way
	image_io h1 hot/read --bs=256k --rate="$1m" --rw=write
	for way in write read; do
		while :; do
			image_io h1 hot/$way --bs=256k --rate=$(($1 * 512))k --rw=$way --time_based --runtime=3600 || sleep 1
		done &
	done
	wait
}

# ---- load -----------------------------------------------------------------------------------------

fs_lay() { # client file
	[ -e "$CEPH/created.$2" ] || in_client "$1" rbd create --size ${READ_FILE_MB}M $IMAGE $POOL/$2 || return
	: > "$CEPH/created.$2"
	image_io "$1" $POOL/$2 --bs=1M --iodepth=$DEPTH --rw=write && echo $READ_FILE_MB > "$CEPH/laid.$2"
}
fs_laid() { cat "$CEPH/laid.$1" 2>/dev/null || echo 0; } # file

fs_pass() { # kind client stream files...
	local kind=$1 client=$2 own=$2.$3 f
	shift 3
	case $kind in
	write) image_io $client $POOL/write.$own --bs=1M --iodepth=$DEPTH --rw=write --time_based --runtime=3600 ;;
	read) for f; do image_io $client $POOL/$f --bs=1M --iodepth=$DEPTH --rw=read || return; done ;;
	random) image_io $client $POOL/$1 --bs=16k --rw=randrw --rwmixread=70 --time_based --runtime=3600 ;;
	small) # objects are written, read back and removed
		in_client $client rados -p $POOL bench 60 write -b 8192 -t 4 --max-objects 200 --no-cleanup --run-name $own &&
			in_client $client rados -p $POOL bench 60 seq -t 4 --run-name $own &&
			in_client $client rados -p $POOL cleanup --run-name $own ;;
	esac
}

# ---- status ---------------------------------------------------------------------------------------

fs_columns() { printf '%-9s %-9s' OSD MONITOR; }
fs_cells() { # what the monitor says of an OSD lags behind, and is none of ours
	local s pid tree bad=0
	tree=$(in_cluster ceph osd tree 2>/dev/null)
	for s in $(names s "$N"); do
		pid=$(<"$STATE/$s/osd.pid")
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = ceph-osd ] || pid=dead bad=1
		printf '%-9s %-9s\n' $pid "$(awk -v o=osd.${s#s} '$4 == o { print "says", $5 }' <<<"$tree")"
	done
	return $bad
}
