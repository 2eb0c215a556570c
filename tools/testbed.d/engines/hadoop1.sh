# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Hadoop 1.2.1 in the testbed: DataNode and TaskTracker on each slave, NameNode and JobTracker on the
# master, RandomWriter, Sort and WordCount as jobs. What the functions do is said in tools/testbed, at
# FS_FUNCTIONS, and in lib/engine.sh.
#
# shellcheck disable=SC2015,SC2034,SC2086,SC2206

ENGINE_FAULTS='cpu-hog disk-full loss cut-off tracker-hang datanode-hang map-hang reduce-hang'
ENGINE_NEEDS=''
declare -gA TASK_JVMS=([map]='mapred\.Child .* attempt_[0-9_]*_m_' [reduce]='mapred\.Child .* attempt_[0-9_]*_r_')
# shellcheck source=tools/testbed.d/engines/lib/engine.sh
source "$PARTS/engines/lib/engine.sh"

MAPS=8                                            # of RandomWriter, a slave; each writes a block
BLOCK=4194304 RECORDS=3900000                     # bytes; with its marks RECORDS is less than a block
TEXTS=24 SMALL_TEXTS=6                            # files of a block

fs_help() {
	cat <<'END'
  RandomWriter, Sort, WordCount; two slots for maps and two for reduces a slave; copies: 2
  SPECULATIVE=false           whether slow tasks are begun again elsewhere
END
}
SPECULATIVE=${SPECULATIVE:-false}

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

property() { printf '<property><name>%s</name><value>%s</value></property>\n' "$@"; }
conf_of() { # node, on whose disk the folder is
	local tmp=$STATE/$1/data/tmp
	[[ $1 == s* ]] || tmp=$STATE/$1/hadoop
	echo '<configuration>'
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
	echo '</configuration>'
}

fs_prepare() {
	local n w classes=$STATE/classes
	make_nodes && mkdir -p "$classes" "$STATE/$MASTER/history" || return
	for w in hdfs datanode job task secondary history static; do # pages that nobody asks for
		mkdir -p "$classes/webapps/$w/WEB-INF" && echo '<web-app/>' > "$classes/webapps/$w/WEB-INF/web.xml" || return
	done
	cat > "$classes/log4j.properties" <<-'END'
		log4j.rootLogger=INFO,FILE
		log4j.appender.FILE=org.apache.log4j.FileAppender
		log4j.appender.FILE.File=${hadoop.log.dir}/${hadoop.log.file}
		log4j.appender.FILE.layout=org.apache.log4j.PatternLayout
		log4j.appender.FILE.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n
	END
	cat > "$classes/task-log4j.properties" <<-'END'
		log4j.rootLogger=INFO,TLA
		log4j.appender.TLA=org.apache.hadoop.mapred.TaskLogAppender
		log4j.appender.TLA.taskId=${hadoop.tasklog.taskid}
		log4j.appender.TLA.isCleanup=${hadoop.tasklog.iscleanup}
		log4j.appender.TLA.totalLogFileSize=${hadoop.tasklog.totalLogFileSize}
		log4j.appender.TLA.layout=org.apache.log4j.PatternLayout
		log4j.appender.TLA.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n
	END
	# Each part of Hadoop has its own file, and defaults of its own, which come after the others' files.
	for n in $MASTER $(names s "$N") $(names c "$C"); do
		conf_of $n | (cd "$STATE/$n/conf" && tee core-site.xml hdfs-site.xml mapred-site.xml >/dev/null) || return
	done
	# A text in which, as in others, few words are most of it.
	perl -e 'srand 1; my @w = map { join "", map { chr(97 + rand 26) } 1 .. 2 + rand 8 } 1 .. 2000;
		for (my $n = 0; $n < $ARGV[0] - 200;) { my $l = join(" ", map { $w[2000 ** rand() - 1] } 1 .. 12) . "\n";
		print $l; $n += length $l }' $BLOCK > "$STATE/text" || return
}

hadoop_java() { # node program log-file MB: the command line of a program
	JAVA=(java "-Xmx${4}m" $JAVA_SMALL "-Dhadoop.log.dir=$STATE/$1/log" "-Dhadoop.log.file=$3"
		"-Djava.io.tmpdir=$STATE/$1/tmp" -cp "$STATE/$1/conf:$(class_path)" "$2")
}
daemon() { # node group name program
	local JAVA=()
	hadoop_java $1 "$4" "hadoop-$3-$(host_of $1).log" 160
	start_on $1 $2 $3 "${JAVA[@]}"
}
hadoop() { # client log-name program args...
	local JAVA=()
	hadoop_java $1 "$3" "$2.log" 160
	on_node $1 "${JAVA[@]}" "${@:4}" >"$STATE/$1/log/$2.out" 2>&1
}

count_of() { # of live slaves that the master's log knows: pattern file
	grep -oE "$1" "$STATE/$MASTER/log/$2" 2>/dev/null | sort -u | wc -l
}
datanodes_up() { [ "$(count_of 'registerDatanode: node registration from [0-9.]*' "hadoop-namenode-$MASTER.log")" -ge "$N" ]; }
trackers_up() { [ "$(count_of 'Adding tracker tracker_[^:]*' "hadoop-jobtracker-$MASTER.log")" -ge "$N" ]; }

fs_start() {
	local s p=org.apache.hadoop
	master_up || return
	hadoop $MASTER format $p.hdfs.server.namenode.NameNode -format </dev/null || { tail -3 "$STATE/$MASTER/log/format.out" >&2; return 1; }
	daemon $MASTER monitors namenode $p.hdfs.server.namenode.NameNode
	wait_for 60 listens $MASTER 19000 || { warn "no NameNode"; return 1; }
	for s in $(names s "$N"); do daemon $s $s datanode $p.hdfs.server.datanode.DataNode; done
	daemon $MASTER monitors jobtracker $p.mapred.JobTracker
	wait_for 90 datanodes_up && wait_for 90 listens $MASTER 19001 || { warn "not all DataNodes, or no JobTracker"; return 1; }
	say "storage: $N DataNodes"
	for s in $(names s "$N"); do daemon $s $s tasktracker $p.mapred.TaskTracker; done
	wait_for 90 trackers_up || { warn "not all TaskTrackers come up"; return 1; }
	say "tasks: $N TaskTrackers"
	# The text is there when the disks are fast still.
	engine_lay text
}

engine_daemon() { # kind server
	case $1 in
	compute) cat "$STATE/$2/tasktracker.pid" ;;
	storage) cat "$STATE/$2/datanode.pid" ;;
	esac
}
fs_errors() { grep -hE ' (ERROR|FATAL) |^Error|^Exception' "$STATE"/*/log/*.log "$STATE"/*/log/*.out; }

# ---- jobs ---------------------------------------------------------------------------------------

put_text() { # node name files [options...]
	local i links=$STATE/$2.files
	rm -rf "$links" && mkdir "$links" || return
	for ((i = 0; i < $3; i++)); do ln "$STATE/text" "$links/part-$i" || return; done
	hadoop $1 put-$2 org.apache.hadoop.fs.FsShell "${@:4}" -put "$links" /$2
}
engine_lay() { # text | records
	[ ! -e "$STATE/laid.$1" ] || return 0
	say "load: laying down $1"
	case $1 in
	text) put_text c1 text $TEXTS && put_text c1 small-text $SMALL_TEXTS ;;
	records) random_writer c1 lay-records /records $MAPS ;;
	esac && : > "$STATE/laid.$1"
}
engine_skew() { # server: one copy, and who writes has the first
	hadoop c1 remove-skewed org.apache.hadoop.fs.FsShell -rmr /skewed
	put_text $1 skewed $TEXTS -D dfs.replication=1 && echo /skewed > "$STATE/skew"
}

example() { # client log args...
	hadoop $1 $2 org.apache.hadoop.examples.ExampleDriver "${@:3}"
}
random_writer() { # client log folder maps-a-slave
	example $1 $2 randomwriter -Dtest.randomwriter.maps_per_host=$4 -Dtest.randomwrite.bytes_per_map=$RECORDS $3
}
engine_job() { # kind client stream
	local own=$2.$3 out=/out.$2.$3 text=/text
	[ ! -e "$STATE/skew" ] || text=$(<"$STATE/skew")
	hadoop $2 remove.$own org.apache.hadoop.fs.FsShell -rmr $out
	case $1 in
	write) random_writer $2 job.$own $out $MAPS ;;
	small-write) random_writer $2 job.$own $out 2 ;;
	sort) example $2 job.$own sort -r $((N * 9 / 5)) /records $out ;;
	count) example $2 job.$own wordcount -Dmapred.reduce.tasks=$N $text $out ;;
	small-count) example $2 job.$own wordcount -Dmapred.reduce.tasks=2 /small-text $out ;;
	esac
}

# ---- logs ---------------------------------------------------------------------------------------

# DIR/history, DIR/master, DIR/HOST: as they are, but what tasks print.
fs_collect() { # folder
	local s h
	mkdir -p "$1/history" "$1/master" || return
	find "$STATE/$MASTER/history" -type f ! -name '.*' ! -name '*_conf.xml' -exec cp -p -t "$1/history" {} + || return
	cp -p "$STATE/$MASTER"/log/hadoop-*.log "$1/master/" || return
	for s in $(names s "$N"); do
		h=$1/$(host_of $s)
		mkdir -p "$h" && cp -p "$STATE/$s"/log/hadoop-*.log "$h/" || return
		(cd "$STATE/$s/log" && find -L userlogs -name syslog -size +0 -exec cp -p --parents -t "$h" {} +) 2>/dev/null
	done
	return 0
}
