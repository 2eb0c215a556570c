# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What the engines of the testbed have in common: slaves with storage on their slow disks and a share of
# the processors each, a master and clients without such limits, and jobs of which logs tell. Sourced by
# testbed.d/engines/NAME.sh, which defines besides
#
#   fs_version, fs_fetch, fs_prepare, fs_start, fs_collect   as testbed.d/lib/fs.sh has them
#   engine_lay INPUT          makes the input of jobs: "text" or "records"
#   engine_job KIND CLIENT STREAM    runs one job to its end; status 0: it succeeded
#   engine_skew SERVER        lays the text anew, on the slaves of $STATE/faults/skew.* alone
#   engine_daemon KIND SERVER prints the pid of a daemon: compute or storage
#   TASK_JVMS                 patterns of command lines: [map], [reduce], or [task]
#   ENGINE_FAULTS             which of the faults below it has
#
# shellcheck disable=SC2015,SC2017,SC2034,SC2086,SC2088,SC2206

RATE=${RATE:-20} PING_S=${PING_S:-30} MEM_MB=${MEM_MB:-1024} DIRTY_MB=${DIRTY_MB:-16}
CPU_PCT=${CPU_PCT:-25}                            # six of them: one and a half processors
READ_FILE_MB=0                                    # nothing is read but by jobs
MASTER=m1 MASTER_HOST=200                         # of the namespace, and in its address
LOADS='write sort count mixed'
CALMS='skew half-cpu scrub fleet'
FAULTS="disk-hog disk-busy slow-disk write-net-hog read-net-hog recv-loss send-loss hang ${ENGINE_FAULTS:-}"

engine_help() {
	cat <<'END'
engines: loads
  write                       jobs that write records
  sort                        jobs that sort 192 MB of them
  count                       jobs that count words of a text: they compute
  mixed                       all of these at once, of different sizes

engines: faults beside those above
  cpu-hog          percent (70)      of the slave's share of the processors is another's
  disk-full        MB left (0)       the slave's disk
  loss             percent (5)       frames to and from the slave
  cut-off          -                 the slave's network is gone
  tracker-hang     -                 what runs tasks (TaskTracker, NodeManager, Worker) is stopped
  datanode-hang    -                 the DataNode is stopped
  map-hang, reduce-hang, task-hang   -      every process of such a task on the slave is stopped
no faults of a slave
  half-cpu         percent (50)      the slave has so much of the others' processors: slower hardware
  skew             -                 the text that is counted lies on this slave alone, or these

engines: environment
  HOSTS='NAME...'             host names of the slaves (s1 .. sN)
  CPU_PCT=25                  of one processor, for each slave
  RATE=20  MEM_MB=1024  DIRTY_MB=16
  PING_S=30                   after which a silent task or slave is given up
END
}

fs_needs() { echo java:default-jre-headless mkfs.ext4:e2fsprogs perl:perl-base $ENGINE_NEEDS; }
fs_check() {
	local h
	check_number DIRTY_MB 1 65536
	check_number CPU_PCT 5 1000
	for h in $HOSTS; do [[ $h =~ ^[a-z][a-z0-9-]{0,30}$ ]] || misuse "HOSTS: '$h' is no host name of lower case letters"; done
	[ -z "$HOSTS" ] || [ "$(wc -w <<<"$HOSTS")" = "$N" ] || misuse "HOSTS names $(wc -w <<<"$HOSTS") slaves, N is $N"
}

fs_disk() { ext4_disk "$1" "$2" data; } # server loop
fs_client() { :; }
fs_has_client() { [ -e "/run/netns/$PREFIX-$1" ]; }
fs_lay() { return 1; }
fs_laid() { echo 0; }
fs_hot_on() { return 1; }
fs_hot_off() { return 1; }
fs_hot_load() { return 1; }

# ---- programs -----------------------------------------------------------------------------------

# What the project file NAME.pom asks for, from Maven's central repository, or the mirror in ~/.m2/settings.xml.
# The versions are fixed, and so are the bytes: NAME.sums.
fetch_jars() { # name
	local jars=$CACHE/$1 pom=$PARTS/engines/$1.pom sums=$PARTS/engines/$1.sums log=$CACHE/$1.log
	local plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies
	[ -e "$jars" ] && (cd "$jars" && sha256sum --quiet -c "$sums") >/dev/null 2>&1 && return
	command -v mvn >/dev/null || die "missing: mvn; apt-get install --no-install-recommends maven"
	say "fetching $1 into '$CACHE'"
	mkdir -p "$CACHE" && rm -rf "$jars.new" || return
	timeout 900 mvn -B -C -f "$pom" -Dmaven.repo.local="$CACHE/m2" "$plugin" -DincludeScope=runtime \
		-DoutputDirectory="$jars.new" >"$log" 2>&1 || {
		grep -m 3 ERROR "$log" >&2
		warn "cannot fetch $1 from Maven's central repository (log: '$log'). Where it cannot be reached, set a mirror in"
		warn "~/.m2/settings.xml, or copy '$jars' from a machine that could"
		return 1
	}
	(cd "$jars.new" && sha256sum --quiet -c "$sums") >&2 || {
		warn "what was fetched is not what $sums says"
		rm -rf "$jars.new"
		return 1
	}
	rm -rf "$jars" && mv "$jars.new" "$jars"
}

# ---- nodes --------------------------------------------------------------------------------------

host_of() { # node: its host name
	local hosts=($HOSTS)
	[[ $1 == s* ]] && [ -n "$HOSTS" ] && echo "${hosts[${1#s} - 1]}" || echo "$1"
}
address_of() { # node
	case $1 in
	s*) echo $NET_ID.${1#s} ;;
	c*) echo $NET_ID.$((100 + ${1#c})) ;;
	*) echo $NET_ID.$MASTER_HOST ;;
	esac
}

# Files of the nodes: $STATE/NODE/log, and on the slow disk of a slave $STATE/NODE/data.
make_nodes() {
	local n
	echo '127.0.0.1 localhost' > "$STATE/hosts" || return
	for n in $MASTER $(names s "$N") $(names c "$C"); do
		mkdir -p "$STATE/$n/log" "$STATE/$n/conf" "$STATE/$n/tmp" || return
		echo "$(address_of $n) $(host_of $n)" >> "$STATE/hosts"
	done
}
master_up() { net_up $MASTER $MASTER_HOST "$CNET"; } # its network

# The namespace that makes a process one of the node's: network, host name, and who else there is.
# shellcheck disable=SC2016 # expanded by the inner shell
AS_NODE='hostname "$0" && mount --bind "$1" /etc/hosts && shift && exec "$@"'
on_node() { # node command...
	local node=$1
	shift
	nsenter --net=/run/netns/$PREFIX-$node unshare -m -u --propagation private \
		sh -c "$AS_NODE" "$(host_of $node)" "$STATE/hosts" "$@"
}
# A daemon: its pid is kept in $STATE/NODE/NAME.pid.
start_on() { # node group name command...
	local node=$1 group=$2 name=$3
	shift 3
	start $group "$STATE/$node/log/$name.out" nsenter --net=/run/netns/$PREFIX-$node unshare -m -u \
		--propagation private sh -c "$AS_NODE" "$(host_of $node)" "$STATE/hosts" "$@"
	echo $! > "$STATE/$node/$name.pid"
}

# Small: all of them are on one machine.
JAVA_SMALL='-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Duser.timezone=UTC'

listens() { in_net "$1" ss -tlnH "sport = :$2" | grep -q .; } # node port

# A text in which, as in others, few words are most of it: the same each time.
make_text() { # file bytes
	# shellcheck disable=SC2016 # perl's
	perl -e 'srand 1; my @w = map { join "", map { chr(97 + rand 26) } 1 .. 2 + rand 8 } 1 .. 2000;
		for (my $n = 0; $n < $ARGV[0] - 200;) { my $l = join(" ", map { $w[2000 ** rand() - 1] } 1 .. 12) . "\n";
		print $l; $n += length $l }' "$2" > "$1"
}

# ---- load ---------------------------------------------------------------------------------------

fs_where() { echo "$N slaves with $CPU_PCT % of a processor each, logs below '$STATE/*/log'"; }

load_streams() { # kind
	case $1 in
	write) STREAMS_OF=("write c1 1") ;;
	sort) engine_lay records && STREAMS_OF=("sort c1 1") ;;
	count) engine_lay text && STREAMS_OF=("count c1 1") ;;
	mixed)
		engine_lay text && engine_lay records &&
			STREAMS_OF=("sort c1 1" "small-count c$((C > 1 ? 2 : 1)) 2" "small-write c$((C > 1 ? 2 : 1)) 3") ;;
	esac
}
# What a job reads comes from the disks, not from the memory of who wrote it a minute ago.
fs_pass() { empty_server_caches; engine_job "$@"; }

# ---- faults -------------------------------------------------------------------------------------

more_fault_on() { # kind server argument
	local pid
	case $1 in
	cpu-hog) hog $1 $2 "$SELF" _engine cpu-hog $2 "${3:-70}" ;;
	map-hang | reduce-hang | task-hang) hog $1 $2 "$SELF" _engine hang-tasks $2 ${1%-hang} ;;
	disk-full) fill_disk $2 "${3:-0}" && hog $1 $2 "$SELF" _engine keep-full $2 "${3:-0}" ;;
	loss) drop $2 eth0 $2 "${3:-5}" && drop sw v$2 $2 "${3:-5}" ;;
	cut-off) drop $2 eth0 $2 100 && drop sw v$2 $2 100 ;;
	tracker-hang) pid=$(engine_daemon compute $2) && kill -STOP $pid ;;
	datanode-hang) pid=$(engine_daemon storage $2) && kill -STOP $pid ;;
	half-cpu) set_cpu $2 $((CPU_PCT * ${3:-50} / 100)) ;;
	skew) engine_skew $2 ;;
	*) return 1 ;;
	esac
}

more_fault_off() { # kind server
	local pid
	case $1 in
	disk-full) rm -f "$STATE/$2/data/filler" ;;
	loss | cut-off)
		in_net $2 nft delete table netdev limpet_$2
		in_net sw nft delete table netdev limpet_$2 ;;
	tracker-hang) pid=$(engine_daemon compute $2) && kill -CONT $pid ;;
	datanode-hang) pid=$(engine_daemon storage $2) && kill -CONT $pid ;;
	*-hang) for pid in $(task_pids $2 ${1%-hang}); do kill -CONT $pid; done ;;
	half-cpu) set_cpu $2 $CPU_PCT ;;
	skew) rm -f "$STATE/skew" ;;
	esac
}

more_fault_arg() { # kind
	case $1 in
	cpu-hog | half-cpu) echo '^[1-9][0-9]?$' ;;
	loss) echo '^(0*[1-9][0-9]?(\.[0-9]{1,2})?|0*\.[0-9]{1,2}|100)$' ;;
	disk-full) echo '^[0-9]{1,5}$' ;;
	*) echo '^$' ;;
	esac
}

# Uses so much of what the slave may use, in steps far below the period of its quota.
engine_cpu-hog() { # server percent
	echo $BASHPID > "$CG_CPU/$1/cgroup.procs" || return
	# shellcheck disable=SC2016 # perl's
	exec perl -MTime::HiRes=time,sleep -e '
		my ($share, $then) = ($ARGV[0] / 100, time);
		for (my $used = 0;;) {
			my $now = time;
			# What it did not get it does not make up for.
			$used = ($now - $then) * $share - 0.05 if $used < ($now - $then) * $share - 0.05;
			if ($used >= ($now - $then) * $share) { sleep 0.002; next }
			my ($user, $system) = times;
			do { 1 for 1 .. 2000 } while (times)[0] - $user < 0.01 && time - $now < 0.2;
			$used += (times)[0] - $user + (times)[1] - $system;
		}' "$(awk "BEGIN { print $2 * $CPU_PCT / 100 }")"
}

task_pids() { # server kind
	local pid
	for pid in $(cgroup_pids $1); do
		! tr '\0' ' ' < /proc/$pid/cmdline | grep -qE -- "${TASK_JVMS[$2]}" || echo $pid
	done
} 2>/dev/null
engine_hang-tasks() { # server kind: those that run now, and those to come
	while :; do
		for pid in $(task_pids $1 $2); do kill -STOP $pid; done
		sleep .5
	done
}

# In pieces, for what a file takes to say where its blocks are cannot be its own.
fill_disk() { # server MB-left
	local free size piece todo filler=$STATE/$1/data/filler at
	at=$(stat -c %s "$filler" 2>/dev/null || echo 0)
	read -r free size < <(stat -f -c '%f %S' "$STATE/$1/data") || return
	for ((todo = free * size - ($2 << 20), piece = todo; piece >= 4096; )); do
		if [ $piece -le $todo ] && fallocate -o $at -l $piece "$filler"; then
			at=$((at + piece)) todo=$((todo - piece))
		else
			piece=$((piece / 8192 * 4096)) # of whole blocks
		fi
	done 2>/dev/null
	[ $at -gt 0 ]
}
engine_keep-full() { # server MB-left: what is deleted elsewhere on the disk leaves no room
	while sleep 1; do fill_disk "$@"; done
}

# ---- status -------------------------------------------------------------------------------------

fs_columns() { printf '%-12s %-9s %-9s' HOST COMPUTE STORAGE; }
daemon_cell() { # kind server: its pid, or that it is dead
	local pid
	pid=$(engine_daemon $1 $2 2>/dev/null)
	[ -z "$pid" ] && echo - || { [ -d "/proc/$pid" ] && echo $pid || echo dead; }
}
fs_cells() { # a fault may well end a daemon: that is the fault's doing
	local s row bad=0
	for s in $(names s "$N"); do
		row=$(printf '%-12s %-9s %-9s' "$(host_of $s)" "$(daemon_cell compute $s)" "$(daemon_cell storage $s)")
		echo "$row"
		[[ $row != *dead* ]] || [ -n "$(echo "$STATE"/faults/*.$s)" ] || bad=1
	done
	return $bad
}
