# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What both Hadoops of the testbed have in common: how their programs are configured and called, and the
# text that is counted. Sourced by hadoop1.sh and hadoop3.sh, which define
#
#   class_path                what java is told
#   conf_of NODE              properties of a node
#   JAVA_OPENS                further options of java
#
# shellcheck disable=SC2015,SC2034,SC2086,SC2206

# shellcheck source=tools/testbed.d/engines/lib/engine.sh
source "$PARTS/engines/lib/engine.sh"

BLOCK=4194304                                     # bytes, small: a job has many tasks
TEXTS=${TEXTS:-24} SMALL_TEXTS=6                            # files of a block

property() { printf '<property><name>%s</name><value>%s</value></property>\n' "$@"; }

# The settings of all nodes; pages that nobody asks for; how daemons and clients log; the text.
prepare_hadoop() { # names of settings files...
	local n w classes=$STATE/classes
	make_nodes && mkdir -p "$classes" "$STATE/$MASTER/history" || return
	for w in hdfs datanode job task secondary history static; do
		mkdir -p "$classes/webapps/$w/WEB-INF" && echo '<web-app/>' > "$classes/webapps/$w/WEB-INF/web.xml" || return
	done
	cat > "$classes/log4j.properties" <<-'END'
		log4j.rootLogger=INFO,FILE
		log4j.appender.FILE=org.apache.log4j.FileAppender
		log4j.appender.FILE.File=${hadoop.log.dir}/${hadoop.log.file}
		log4j.appender.FILE.layout=org.apache.log4j.PatternLayout
		log4j.appender.FILE.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n
		log4j.logger.org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor.ContainersMonitorImpl.audit=DEBUG
	END
	# Each part of Hadoop reads its own file, after defaults of its own: all is in each.
	for n in $MASTER $(names s "$N") $(names c "$C"); do
		{ echo '<configuration>'; conf_of $n; echo '</configuration>'; } |
			(cd "$STATE/$n/conf" && tee "$@" >/dev/null) || return
	done
	make_text "$STATE/text" $BLOCK
}

hadoop_java() { # node program log-file MB: JAVA, the command line of a program
	JAVA=(java "-Xmx${4}m" $JAVA_SMALL $JAVA_OPENS "-Dhadoop.log.dir=$STATE/$1/log" "-Dhadoop.log.file=$3"
		"-Djava.io.tmpdir=$STATE/$1/tmp" -cp "$STATE/$1/conf:$(class_path)" "$2")
}
daemon() { # node group name program
	local JAVA=()
	hadoop_java $1 "$4" "hadoop-$3-$(host_of $1).log" 160
	start_on $1 $2 $3 "${JAVA[@]}"
}
hadoop() { # node log-name program args...
	local JAVA=()
	hadoop_java $1 "$3" "$2.log" 160
	on_node $1 "${JAVA[@]}" "${@:4}" </dev/null >"$STATE/$1/log/$2.out" 2>&1
}

count_of() { # pattern log-of-the-master: how many different texts fit
	grep -oE "$1" "$STATE/$MASTER/log/$2" 2>/dev/null | sort -u | wc -l
}
fs_errors() { grep -hE -A 1 ' (ERROR|FATAL) |^Error|^Exception|^Caused by' "$STATE"/*/log/*.log "$STATE"/*/log/*.out; }

# Storage: NameNode and DataNodes. The slaves register in the words of the master's log.
storage_up() { # words
	local s p=org.apache.hadoop.hdfs.server
	hadoop $MASTER format $p.namenode.NameNode -format || { tail -3 "$STATE/$MASTER/log/format.out" >&2; return 1; }
	daemon $MASTER monitors namenode $p.namenode.NameNode
	wait_for 60 listens $MASTER 19000 || { warn "no NameNode"; return 1; }
	for s in $(names s "$N"); do daemon $s $s datanode $p.datanode.DataNode; done
	wait_for 90 all_registered "$1" "hadoop-namenode-$MASTER.log" || { warn "not all DataNodes come up"; return 1; }
	say "storage: $N DataNodes"
}
all_registered() { [ "$(count_of "$1" "$2")" -ge "$N" ]; } # words log

put_text() { # node name files [options...]
	local i links=$STATE/$2.files
	rm -rf "$links" && mkdir "$links" || return
	for ((i = 0; i < $3; i++)); do ln "$STATE/text" "$links/part-$i" || return; done
	hadoop $1 put-$2 org.apache.hadoop.fs.FsShell "${@:4}" -put "$links" /$2
}
lay_texts() { put_text c1 text $TEXTS && put_text c1 small-text $SMALL_TEXTS; }
remove() { hadoop $1 remove-$2 org.apache.hadoop.fs.FsShell $REMOVE /$2; } # node folder
# One copy, and who writes has the first: of each slave that has the fault an equal part.
engine_skew() { # server
	local s slaves=("$STATE"/faults/skew.s*)
	hadoop c1 remove-skewed org.apache.hadoop.fs.FsShell $REMOVE '/skewed-*'
	for s in "${slaves[@]##*.}"; do
		put_text $s skewed-$s $((TEXTS / ${#slaves[@]})) -D dfs.replication=1 || return
	done
	echo '/skewed-*' > "$STATE/skew"
}
text_to_count() { cat "$STATE/skew" 2>/dev/null || echo /text; }

# DIR/master, DIR/HOST: what daemons log, and tasks, below the folders that are named.
collect_logs() { # DIR folder...
	local s h f
	mkdir -p "$1/master" && cp -p "$STATE/$MASTER"/log/hadoop-*.log "$1/master/" || return
	for s in $(names s "$N"); do
		h=$1/$(host_of $s)
		mkdir -p "$h" && cp -p "$STATE/$s"/log/hadoop-*.log "$h/" || return
		for f in "${@:2}"; do # links of tasks that are at work may lead nowhere
			(cd "$STATE/$s/log" && find -L "$f" -name syslog -size +0 -exec cp -p --parents -t "$h" {} +) 2>/dev/null
		done
	done
	return 0
}
