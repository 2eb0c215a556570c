# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Spark 4.3.0 in the testbed, standalone: a Worker on each slave, the Master on the master, drivers on the
# clients; what it spills, shuffles and keeps is on the slow disks. What the functions do is said in
# testbed.d/lib/fs.sh, and in lib/engine.sh; the jobs are lib/spark_job.py.
#
# shellcheck disable=SC2015,SC2034,SC2086

ENGINE_NAME=spark
ENGINE_FAULTS='cpu-hog disk-full loss cut-off tracker-hang task-hang'
ENGINE_NEEDS='python3:python3'
declare -gA TASK_JVMS=([task]='CoarseGrainedExecutorBackend')
MEM_MB=${MEM_MB:-1536}                            # two executors of 512 MB, which is the least, and the Worker
# shellcheck source=tools/testbed.d/engines/lib/engine.sh
source "$PARTS/engines/lib/engine.sh"
CALMS='half-cpu scrub fleet'                      # it has no storage whose blocks could be on one slave

TEXTS=24 SMALL_TEXTS=6                            # files of 4 MB
SPARK_SUM=e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6
PY4J_SUM=c7c26e4158defb37b0bb124933163641a2ff6e3a3913f7811b0ddbe07ed61533

fs_help() {
	cat <<'END'
  keeps records on disk, sorts, counts words; two executors a slave at most, of two tasks each; event logs of c1's
  applications are plain, those of c2's are compressed (zstd)
END
}

fs_version() { echo 4.3.0; }

# As pip installs it: Spark's own folder is CACHE/spark/pyspark. The package is checked before.
fs_fetch() {
	local log=$CACHE/spark.log
	[ ! -x "$CACHE/spark/pyspark/bin/spark-class" ] || return 0
	python3 -m pip --version >/dev/null 2>&1 || die "missing: pip; apt-get install --no-install-recommends python3-pip"
	say "fetching spark into '$CACHE'"
	mkdir -p "$CACHE" && rm -rf "$CACHE/spark.new" || return
	{
		echo "pyspark==4.3.0 --hash=sha256:$SPARK_SUM"
		echo "py4j==0.10.9.9 --hash=sha256:$PY4J_SUM"
	} > "$CACHE/spark.txt"
	timeout 1200 python3 -m pip install --no-compile --no-input --require-hashes -r "$CACHE/spark.txt" \
		--target "$CACHE/spark.new" >"$log" 2>&1 && rm -rf "$CACHE/spark" && mv "$CACHE/spark.new" "$CACHE/spark" || {
		rm -rf "$CACHE/spark.new"
		{ grep -m 1 -oE "Failed to establish [^']*|Tunnel connection failed[^']*" "$log"; grep -m 3 ^ERROR "$log"; } >&2
		warn "cannot fetch spark from PyPI (log: '$log'). Where it cannot be reached, set an index in pip.conf, or copy"
		warn "'$CACHE/spark' from a machine that could"
		return 1
	}
}

fs_prepare() {
	local n i
	make_nodes && mkdir -p "$STATE/$MASTER/history" "$STATE/texts" && make_text "$STATE/text" 4194304 || return
	for ((i = 0; i < TEXTS; i++)); do ln "$STATE/text" "$STATE/texts/part-$i" || return; done
	for n in $(names c "$C"); do
		cat > "$STATE/$n/conf/spark-defaults.conf" <<-END || return
			spark.master spark://$MASTER:17077
			spark.driver.host $(address_of $n)
			spark.driver.memory 512m
			spark.executor.memory 512m
			spark.executor.cores 2
			spark.cores.max $((2 * N))
			spark.executor.extraJavaOptions $JAVA_SMALL
			spark.driver.extraJavaOptions $JAVA_SMALL
			spark.sql.shuffle.partitions $((4 * N))
			spark.sql.adaptive.enabled false
			spark.ui.enabled ${SPARK_UI:-false}
			spark.network.timeout ${PING_S}s
			spark.network.timeoutInterval $((PING_S / 2))s
			spark.executor.heartbeatInterval 5s
			spark.eventLog.enabled true
			spark.eventLog.dir file://$STATE/$MASTER/history
			spark.eventLog.rolling.enabled false
			spark.eventLog.compress $([ $n = c1 ] && echo false || echo true)
			spark.eventLog.compression.codec zstd
		END
	done
}

spark_daemon() { # node group name class args...
	local node=$1 group=$2 name=$3
	shift 3
	start_on $node $group $name env SPARK_HOME="$CACHE/spark/pyspark" SPARK_DAEMON_MEMORY=160m \
		SPARK_DAEMON_JAVA_OPTS="$JAVA_SMALL -Djava.io.tmpdir=$STATE/$node/tmp" SPARK_CONF_DIR="$STATE/$node/conf" \
		SPARK_LOCAL_DIRS="$STATE/$node/data/local" "$CACHE/spark/pyspark/bin/spark-class" "$@"
}
workers_up() { [ "$(grep -c 'Registering worker' "$STATE/$MASTER/log/master.out")" -ge "$N" ]; }

fs_start() {
	local s p=org.apache.spark.deploy
	master_up || return
	spark_daemon $MASTER monitors master $p.master.Master --host $MASTER --port 17077 --webui-port 18080
	wait_for 60 listens $MASTER 17077 || { warn "no Master"; return 1; }
	for s in $(names s "$N"); do
		spark_daemon $s $s worker $p.worker.Worker --host "$(host_of $s)" --webui-port 8081 -c 4 -m 1100m \
			-d "$STATE/$s/log/work" spark://$MASTER:17077
	done
	wait_for 90 workers_up || { warn "not all Workers come up"; return 1; }
	say "tasks: $N Workers"
}

engine_daemon() { # kind server
	[ $1 != compute ] || cat "$STATE/$2/worker.pid"
}
fs_errors() { grep -hE -A 1 ' (ERROR|FATAL) |^Error|^Exception|^Caused by' "$STATE"/*/log/*.out; }

# ---- jobs ---------------------------------------------------------------------------------------

engine_lay() { :; } # records are made where they are needed
engine_skew() { return 1; }

engine_job() { # kind client stream
	local texts=$TEXTS
	[ $1 != small-count ] || texts=$SMALL_TEXTS
	on_node $2 env PYTHONPATH="$CACHE/spark" SPARK_HOME="$CACHE/spark/pyspark" SPARK_CONF_DIR="$STATE/$2/conf" \
		SPARK_LOCAL_DIRS="$STATE/$2/tmp" PYTHONDONTWRITEBYTECODE=1 python3 "$PARTS/engines/lib/spark_job.py" $1 \
		$((4 * N)) "$STATE/texts" $texts </dev/null >"$STATE/$2/log/job.$2.$3.out" 2>&1
}

# DIR/history has the event logs; DIR/HOST what Worker and executors say.
fs_collect() { # folder
	local s h
	mkdir -p "$1/history" "$1/master" && cp -pr "$STATE/$MASTER/history/." "$1/history/" &&
		cp -p "$STATE/$MASTER/log/master.out" "$1/master/" || return
	for s in $(names s "$N"); do
		h=$1/$(host_of $s)
		mkdir -p "$h" && cp -p "$STATE/$s/log/worker.out" "$h/" || return
		(cd "$STATE/$s/log" && find work -name stderr -size +0 -exec cp -p --parents -t "$h" {} +) 2>/dev/null
	done
	return 0
}
