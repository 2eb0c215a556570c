# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Hadoop 3.3.6 in the testbed: DataNode and NodeManager on each slave; NameNode, ResourceManager and
# history server on the master; TeraGen, TeraSort and WordCount as jobs. What the functions do is said in
# testbed.d/lib/fs.sh, and in lib/engine.sh.
#
# shellcheck disable=SC2015,SC2034,SC2086

ENGINE_NAME=hadoop
ENGINE_FAULTS='cpu-hog disk-full loss cut-off tracker-hang datanode-hang map-hang reduce-hang'
ENGINE_NEEDS='' JAVA_OPENS=--add-opens=java.base/java.lang=ALL-UNNAMED REMOVE='-rm -r -skipTrash'
declare -gA TASK_JVMS=([map]='mapred\.YarnChild .* attempt_[0-9_]*_m_' [reduce]='mapred\.YarnChild .* attempt_[0-9_]*_r_')
# shellcheck source=tools/testbed.d/engines/lib/hadoop.sh
source "$PARTS/engines/lib/hadoop.sh"

ROWS=1200000 MAPS=12                              # of TeraGen; rows of 100 bytes: 120 MB
SPECULATIVE=${SPECULATIVE:-false}

fs_help() {
	cat <<'END'
  TeraGen, TeraSort, WordCount; two containers a slave; copies: 2. Histories of c1's jobs are Avro's
  binary form, which is the default, those of c2's are JSON
  SPECULATIVE=false           whether slow tasks are begun again elsewhere
END
}

fs_version() { echo 3.3.6; }
fs_fetch() { fetch_jars hadoop3; }
class_path() { printf %s "$STATE/classes:$CACHE/hadoop3/*"; }

conf_of() { # node
	local tmp=$STATE/$1/data/tmp jhist=binary child="$JAVA_SMALL $JAVA_OPENS" p=yarn.scheduler.capacity.root
	[[ $1 == s* ]] || tmp=$STATE/$1/hadoop
	[ $1 = c1 ] || jhist=json
	property fs.defaultFS hdfs://$MASTER:19000 hadoop.tmp.dir "$tmp" \
		dfs.replication 2 dfs.blocksize $BLOCK dfs.permissions.enabled false dfs.namenode.safemode.extension 0 \
		dfs.datanode.hostname "$(host_of $1)" dfs.namenode.handler.count 5 \
		dfs.namenode.heartbeat.recheck-interval $((PING_S * 250)) dfs.client.socket-timeout $((PING_S * 1000)) \
		dfs.datanode.socket.write.timeout $((PING_S * 1000)) \
		yarn.resourcemanager.hostname $MASTER yarn.nodemanager.hostname "$(host_of $1)" \
		yarn.nodemanager.aux-services mapreduce_shuffle \
		yarn.nodemanager.aux-services.mapreduce_shuffle.class org.apache.hadoop.mapred.ShuffleHandler \
		yarn.nodemanager.local-dirs "$tmp/local" yarn.nodemanager.log-dirs "$STATE/$1/log/userlogs" \
		yarn.nodemanager.resource.memory-mb 512 yarn.nodemanager.resource.cpu-vcores 8 \
		yarn.scheduler.minimum-allocation-mb 256 yarn.nodemanager.vmem-check-enabled false \
		yarn.nodemanager.pmem-check-enabled false yarn.nodemanager.delete.debug-delay-sec 0 \
		yarn.nm.liveness-monitor.expiry-interval-ms $((PING_S * 1000)) \
		yarn.am.liveness-monitor.expiry-interval-ms $((PING_S * 1000)) \
		yarn.client.nodemanager-connect.max-wait-ms $((PING_S * 1000)) \
		yarn.application.classpath "$(class_path)" mapreduce.application.classpath "$(class_path)" \
		mapreduce.framework.name yarn yarn.app.mapreduce.am.resource.mb 256 \
		yarn.app.mapreduce.am.command-opts "-Xmx128m $child" \
		mapreduce.map.memory.mb 256 mapreduce.reduce.memory.mb 256 mapred.child.java.opts "-Xmx112m $child" \
		mapreduce.task.io.sort.mb 16 mapreduce.task.timeout $((PING_S * 1000)) \
		mapreduce.map.speculative $SPECULATIVE mapreduce.reduce.speculative $SPECULATIVE \
		mapreduce.reduce.shuffle.read.timeout $((PING_S * 667)) mapreduce.reduce.shuffle.connect.timeout $((PING_S * 667)) \
		mapreduce.jobhistory.jhist.format $jhist mapreduce.jobhistory.address $MASTER:10020 \
		mapreduce.jobhistory.webapp.address $MASTER:19888 \
		$p.queues default $p.default.capacity 100 $p.default.state RUNNING \
		yarn.scheduler.capacity.maximum-am-resource-percent 1
}

fs_prepare() {
	JAVA_HOME=$(readlink -f "$(command -v java)") && export JAVA_HOME=${JAVA_HOME%/bin/java}
	prepare_hadoop core-site.xml hdfs-site.xml yarn-site.xml mapred-site.xml capacity-scheduler.xml
}

fs_start() {
	local s p=org.apache.hadoop
	master_up || return
	daemon $MASTER monitors resourcemanager $p.yarn.server.resourcemanager.ResourceManager
	storage_up 'registerDatanode: from DatanodeRegistration\([0-9.]*' || return
	wait_for 60 listens $MASTER 8031 || { warn "no ResourceManager"; return 1; }
	for s in $(names s "$N"); do daemon $s $s nodemanager $p.yarn.server.nodemanager.NodeManager; done
	daemon $MASTER monitors historyserver $p.mapreduce.v2.hs.JobHistoryServer
	wait_for 90 all_registered 'NodeManager from node [^(]*\(cmPort' "hadoop-resourcemanager-$MASTER.log" ||
		{ warn "not all NodeManagers come up"; return 1; }
	wait_for 60 listens $MASTER 10020 || { warn "no history server"; return 1; }
	say "tasks: $N NodeManagers"
	engine_lay text
}

engine_daemon() { # kind server
	case $1 in
	compute) cat "$STATE/$2/nodemanager.pid" ;;
	storage) cat "$STATE/$2/datanode.pid" ;;
	esac
}

# ---- jobs ---------------------------------------------------------------------------------------

engine_lay() { # text | records
	[ ! -e "$STATE/laid.$1" ] || return 0
	say "load: laying down $1"
	case $1 in
	text) lay_texts ;;
	records) teragen c1 lay-records /records $ROWS $MAPS ;;
	esac && : > "$STATE/laid.$1"
}

example() { # client log args...
	hadoop $1 $2 org.apache.hadoop.examples.ExampleDriver "${@:3}"
}
teragen() { # client log folder rows maps
	example $1 $2 teragen -Dmapreduce.job.maps=$5 $4 $3
}
engine_job() { # kind client stream
	local out=out.$2.$3
	remove $2 $out
	case $1 in
	write) teragen $2 job.$out /$out $ROWS $((MAPS * 2)) ;;
	small-write) teragen $2 job.$out /$out $((ROWS / 8)) 4 ;;
	sort) example $2 job.$out terasort -Dmapreduce.job.reduces=$N -Dmapreduce.terasort.output.replication=2 /records /$out ;;
	count) example $2 job.$out wordcount -Dmapreduce.job.reduces=$((N / 2)) "$(text_to_count)" /$out ;;
	small-count) example $2 job.$out wordcount -Dmapreduce.job.reduces=2 /small-text /$out ;;
	esac
}

# DIR/history beside the logs, from the storage, which a fault may keep from answering; the AppMaster's log
# is a task's.
fs_collect() { # folder
	local h=$STATE/$MASTER/history
	rm -rf "$h/staging"
	timeout 60 "$SELF" _engine fetch-history "$h"
	mkdir -p "$1/history" && find "$h" -type f -name '*.jhist' -exec cp -p -t "$1/history" {} + &&
		collect_logs "$1" userlogs
}
engine_fetch-history() { hadoop $MASTER fetch-history org.apache.hadoop.fs.FsShell -get /tmp/hadoop-yarn/staging "$1/"; }
