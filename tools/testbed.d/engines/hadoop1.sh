# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Hadoop 1.2.1 in the testbed: DataNode and TaskTracker on each slave, NameNode and JobTracker on the
# master, RandomWriter, Sort and WordCount as jobs. What the functions do is said in
# testbed.d/lib/fs.sh, and in lib/engine.sh.
#
# shellcheck disable=SC2015,SC2034,SC2086

ENGINE_NAME=hadoop
ENGINE_FAULTS='cpu-hog disk-full loss cut-off tracker-hang datanode-hang map-hang reduce-hang'
ENGINE_NEEDS='' JAVA_OPENS='' REMOVE=-rmr
declare -gA TASK_JVMS=([map]='mapred\.Child .* attempt_[0-9_]*_m_' [reduce]='mapred\.Child .* attempt_[0-9_]*_r_')
# shellcheck source=tools/testbed.d/engines/lib/hadoop.sh
source "$PARTS/engines/lib/hadoop.sh"

MAPS=8                                            # of RandomWriter, a slave; each writes a block
RECORDS=3900000                                   # bytes; with its marks it is less than a block
SPECULATIVE=${SPECULATIVE:-false}

fs_help() {
	cat <<'END'
  RandomWriter, Sort, WordCount; two slots for maps and two for reduces a slave; copies: 2
  SPECULATIVE=false           whether slow tasks are begun again elsewhere
END
}

fs_version() { echo 1.2.1; }
fs_fetch() { fetch_jars hadoop1; }

# Those of Jetty's JSP last: they bring a servlet API of their own.
class_path() {
	local jar last=''
	printf %s "$STATE/classes"
	for jar in "$CACHE"/hadoop1/*.jar; do
		if [[ $jar == */jsp-* ]]; then last+=:$jar; else printf :%s "$jar"; fi
	done
	printf %s "$last"
}

conf_of() { # node
	local tmp=$STATE/$1/data/tmp # on the slow disk
	[[ $1 == s* ]] || tmp=$STATE/$1/hadoop
	property fs.default.name hdfs://$MASTER:19000 mapred.job.tracker $MASTER:19001 hadoop.tmp.dir "$tmp" \
		slave.host.name "$(host_of $1)" dfs.replication 2 dfs.block.size $BLOCK dfs.permissions false \
		dfs.safemode.extension 0 dfs.datanode.max.xcievers 256 dfs.namenode.handler.count 5 \
		heartbeat.recheck.interval $((PING_S * 250)) dfs.socket.timeout $((PING_S * 1000)) \
		dfs.datanode.socket.write.timeout $((PING_S * 1000)) \
		mapred.tasktracker.map.tasks.maximum 2 mapred.tasktracker.reduce.tasks.maximum 2 \
		mapred.child.java.opts "-Xmx96m $JAVA_SMALL" mapred.job.reuse.jvm.num.tasks -1 io.sort.mb 16 \
		mapred.map.tasks.speculative.execution $SPECULATIVE mapred.reduce.tasks.speculative.execution $SPECULATIVE \
		mapreduce.tasktracker.outofband.heartbeat true mapred.task.timeout $((PING_S * 1000)) \
		mapred.tasktracker.expiry.interval $((PING_S * 1000)) \
		mapreduce.reduce.shuffle.read.timeout $((PING_S * 667)) mapreduce.reduce.shuffle.connect.timeout $((PING_S * 667)) \
		hadoop.job.history.location "file://$STATE/$MASTER/history" hadoop.job.history.user.location none \
		io.seqfile.compression.type NONE mapred.userlog.retain.hours 1
}

fs_prepare() {
	prepare_hadoop core-site.xml hdfs-site.xml mapred-site.xml || return
	cat > "$STATE/classes/task-log4j.properties" <<-'END'
		log4j.rootLogger=INFO,TLA
		log4j.appender.TLA=org.apache.hadoop.mapred.TaskLogAppender
		log4j.appender.TLA.taskId=${hadoop.tasklog.taskid}
		log4j.appender.TLA.isCleanup=${hadoop.tasklog.iscleanup}
		log4j.appender.TLA.totalLogFileSize=${hadoop.tasklog.totalLogFileSize}
		log4j.appender.TLA.layout=org.apache.log4j.PatternLayout
		log4j.appender.TLA.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n
	END
}

fs_start() {
	local s
	master_up && storage_up 'registerDatanode: node registration from [0-9.]*' || return
	daemon $MASTER monitors jobtracker org.apache.hadoop.mapred.JobTracker
	wait_for 60 listens $MASTER 19001 || { warn "no JobTracker"; return 1; }
	for s in $(names s "$N"); do daemon $s $s tasktracker org.apache.hadoop.mapred.TaskTracker; done
	wait_for 90 all_registered 'Adding tracker tracker_[^:]*' "hadoop-jobtracker-$MASTER.log" ||
		{ warn "not all TaskTrackers come up"; return 1; }
	say "tasks: $N TaskTrackers"
	stat -c '%s %n' "$STATE"/*/log/hadoop-*.log > "$STATE/logged"
	engine_lay text # while the disks are still fast
}

# Logs keep their beginning, which says what is what. Daemons append to them, wherever the end is.
fs_renew() {
	local size log
	(join_cgroup clients && wait_for 90 no_jobs) || { warn "jobs go on"; return 1; }
	sleep 4 # more than a heartbeat: what slaves say of it is not for the logs to come
	while read -r size log; do truncate -s "$size" "$log" || return; done < "$STATE/logged"
	find "$STATE/$MASTER/history" -type f -delete
	find "$STATE"/s*/log/userlogs -mindepth 1 -delete
	return 0
}
no_jobs() { # and ends what jobs there are, for no client's death does
	local jobs
	job_client jobs -list || return
	jobs=$(grep -oE '^job_[0-9_]+' "$STATE/c1/log/jobs.out") || return 0
	in_parallel kill_job $jobs
	return 1
}
kill_job() { job_client kill-$1 -kill $1; }
job_client() { hadoop c1 $1 org.apache.hadoop.mapred.JobClient "${@:2}"; } # log args...

engine_daemon() { # kind server
	case $1 in
	compute) cat "$STATE/$2/tasktracker.pid" ;;
	storage) cat "$STATE/$2/datanode.pid" ;;
	esac
}

# ---- jobs ---------------------------------------------------------------------------------------

engine_lay() { # text | records
	[ ! -e "$STATE/laid.$1" ] || return 0
	say "load: laying down $1"
	case $1 in
	text) lay_texts ;;
	records) random_writer c1 lay-records /records $MAPS ;;
	esac && : > "$STATE/laid.$1"
}

example() { # client log args...
	hadoop $1 $2 org.apache.hadoop.examples.ExampleDriver "${@:3}"
}
random_writer() { # client log folder maps-a-slave
	example $1 $2 randomwriter -Dtest.randomwriter.maps_per_host=$4 -Dtest.randomwrite.bytes_per_map=$RECORDS $3
}
engine_job() { # kind client stream
	local out=out.$2.$3
	remove $2 $out
	case $1 in
	write) random_writer $2 job.$out /$out $MAPS ;;
	small-write) random_writer $2 job.$out /$out 2 ;;
	sort) example $2 job.$out sort -r $((N * 9 / 5)) /records /$out ;;
	count) example $2 job.$out wordcount -Dmapred.reduce.tasks=$N "$(text_to_count)" /$out ;;
	small-count) example $2 job.$out wordcount -Dmapred.reduce.tasks=2 /small-text /$out ;;
	esac
}

# DIR/history beside the logs.
fs_collect() { # folder
	mkdir -p "$1/history" && find "$STATE/$MASTER/history" -type f ! -name '.*' ! -name '*_conf.xml' \
		-exec cp -p -t "$1/history" {} + && collect_logs "$1" userlogs
}
