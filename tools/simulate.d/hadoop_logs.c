// SPDX-License-Identifier: BSD-2-Clause
/* What happens in the simulated Hadoop, as lines of its logs. The grammar is that of 1.2.1, read off one. */
#include "hadoop_logs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hadoop_lines.h"
#include "userspace/common/options.h"

#define BLOCK_KB  65536.0 /* of HDFS, its default of the time */
#define SORTED	  0.1	  /* share of the reduce stage that is the sort [D] */
#define PORT_FROM 32768
enum { ADDRESS_LEN = 20 };

/* Where the output of a finished map is. */
struct output {
	unsigned int slave, map;
};

struct hadoop_logs {
	const struct setup *s;
	struct hadoop_lines *lines;
	struct rng rng;
	int64_t begin_ms;
	char cluster[16]; /* when its master began, as in every id */
	unsigned int job, maps, reduces, maps_begun, reduces_begun;
	uint64_t blocks;
	struct output *outputs; /* owned: of the job's maps, as they ended */
	unsigned int n_outputs;
	char name[160]; /* of the job's file */
};

static int64_t ms_at(const struct hadoop_logs *l, double second)
{
	return l->begin_ms + (int64_t)(second * 1000);
}

static void address(unsigned int slave, char out[ADDRESS_LEN])
{
	snprintf(out, ADDRESS_LEN, "10.%u.%u.%u", 1 + slave / 62500, slave / 250 % 250,
		 slave % 250 + 1);
}

static unsigned int port(struct hadoop_logs *l)
{
	return PORT_FROM + (unsigned int)rng_below(&l->rng, 28000);
}

struct hadoop_logs *hadoop_logs_open(const struct setup *s, const char *dir, int64_t begin_ns)
{
	struct hadoop_logs *l = calloc(1, sizeof(*l));
	struct tm begin;

	if (!l || !(l->lines = hadoop_lines_open(s, dir))) {
		if (!l)
			fail("out of memory");
		free(l);
		return NULL;
	}
	l->s = s;
	l->rng = stream(s->seed, FOR_LOGS, 0);
	l->begin_ms = begin_ns / 1000000;
	begin = hadoop_lines_time(l->begin_ms);
	strftime(l->cluster, sizeof(l->cluster), "%Y%m%d%H%M", &begin);
	return l;
}

int hadoop_logs_close(struct hadoop_logs *l)
{
	int err;

	if (!l)
		return 0;
	err = hadoop_lines_close(l->lines);
	free(l->outputs);
	free(l);
	return err;
}

/* ---- the master's history ----------------------------------------------------------------------- */

void hadoop_logs_job(struct hadoop_logs *l, unsigned int t, unsigned int maps, unsigned int reduces)
{
	int64_t ms = ms_at(l, t);
	const char *name = l->s->workload->name;

	free(l->outputs);
	l->outputs = calloc(maps, sizeof(*l->outputs));
	if (!l->outputs)
		hadoop_lines_failed(l->lines, ENOMEM);
	l->job++;
	l->maps = maps;
	l->reduces = reduces;
	l->maps_begun = l->reduces_begun = l->n_outputs = 0;
	snprintf(l->name, sizeof(l->name), "job_%s_%04u_%" PRId64 "_sim_%s", l->cluster, l->job, ms,
		 name);
	hadoop_lines_history(l->lines, l->name);
	hadoop_line(l->lines, HISTORY, 0, ms, "Meta VERSION=\"1\" .\n");
	hadoop_line(l->lines, HISTORY, 0, ms,
		    "Job JOBID=\"job_%s_%04u\" JOBNAME=\"%s\" USER=\"sim\" SUBMIT_TIME=\"%" PRId64
		    "\" JOBCONF=\"\" JOB_QUEUE=\"default\" .\n",
		    l->cluster, l->job, name, ms);
	hadoop_line(l->lines, HISTORY, 0, ms,
		    "Job JOBID=\"job_%s_%04u\" LAUNCH_TIME=\"%" PRId64
		    "\" TOTAL_MAPS=\"%u\" TOTAL_REDUCES=\"%u\" JOB_STATUS=\"PREP\" .\n",
		    l->cluster, l->job, ms, maps, reduces);
}

void hadoop_logs_job_end(struct hadoop_logs *l, unsigned int t)
{
	if (!l->job)
		return;
	hadoop_line(l->lines, HISTORY, 0, ms_at(l, t + 1) - 1,
		    "Job JOBID=\"job_%s_%04u\" FINISH_TIME=\"%" PRId64
		    "\" JOB_STATUS=\"SUCCESS\" FINISHED_MAPS=\"%u\" FINISHED_REDUCES=\"%u\" "
		    "FAILED_MAPS=\"0\" FAILED_REDUCES=\"0\" COUNTERS=\"\" .\n",
		    l->cluster, l->job, ms_at(l, t + 1) - 1, l->maps, l->reduces);
}

static const char *type_of(const struct task *task)
{
	return task->stage == STAGE_MAP ? "MAP" : "REDUCE";
}

/* "JOB_m_000003", of "task_" and "attempt_". */
static void id_of(const struct hadoop_logs *l, const struct task *task, char out[40])
{
	snprintf(out, 40, "%s_%04u_%c_%06u", l->cluster, l->job,
		 task->stage == STAGE_MAP ? 'm' : 'r', task->number);
}

/* Both lines of an attempt are written when it ends. */
static void history_of(struct hadoop_logs *l, unsigned int slave, const struct task *task,
		       const struct work *w, int64_t ms)
{
	char id[40], host[SERVER_NAME_LEN], parts[96] = "", what[128] = "reduce > reduce";
	const char *type = type_of(task), *kind = task->stage == STAGE_MAP ? "Map" : "Reduce";
	double read = w->read_kb * 1024 * task->size, written = w->copies_kb * 1024 * task->size;

	id_of(l, task, id);
	server_name(l->s, slave, host);
	if (task->stage == STAGE_MAP)
		snprintf(what, sizeof(what), "hdfs://master:9000/in/part-%05u:0+%.0f", task->number,
			 floor(read));
	else
		snprintf(parts, sizeof(parts),
			 " SHUFFLE_FINISHED=\"%" PRId64 "\" SORT_FINISHED=\"%" PRId64 "\"",
			 task->shuffled_ms, task->sorted_ms);
	hadoop_line(
		l->lines, HISTORY, 0, ms,
		"%sAttempt TASK_TYPE=\"%s\" TASKID=\"task_%s\" TASK_ATTEMPT_ID=\"attempt_%s_0\" "
		"START_TIME=\"%" PRId64
		"\" TRACKER_NAME=\"tracker_%s:localhost/127\\.0\\.0\\.1:50061\" "
		"HTTP_PORT=\"50060\" LOCALITY=\"NODE_LOCAL\" AVATAAR=\"VIRGIN\" .\n",
		kind, type, id, id, task->begun_ms, host);
	hadoop_line(
		l->lines, HISTORY, 0, ms,
		"%sAttempt TASK_TYPE=\"%s\" TASKID=\"task_%s\" TASK_ATTEMPT_ID=\"attempt_%s_0\" "
		"TASK_STATUS=\"SUCCESS\"%s FINISH_TIME=\"%" PRId64
		"\" HOSTNAME=\"/default-rack/%s\" STATE_STRING=\"%s\" "
		"COUNTERS=\"{(FileSystemCounters)(FileSystemCounters)"
		"[(HDFS_BYTES_READ)(HDFS_BYTES_READ)(%.0f)]"
		"[(HDFS_BYTES_WRITTEN)(HDFS_BYTES_WRITTEN)(%.0f)]}"
		"{(org\\.apache\\.hadoop\\.mapred\\.Task$Counter)(Map-Reduce Framework)"
		"[(REDUCE_SHUFFLE_BYTES)(Reduce shuffle bytes)(%.0f)]}\" .\n",
		kind, type, id, id, parts, ms, host, what,
		task->stage == STAGE_MAP ? floor(read) : 0, floor(written), floor(task->fetched_b));
	hadoop_line(l->lines, HISTORY, 0, ms,
		    "Task TASKID=\"task_%s\" TASK_TYPE=\"%s\" TASK_STATUS=\"SUCCESS\" "
		    "FINISH_TIME=\"%" PRId64 "\" COUNTERS=\"\" .\n",
		    id, type, ms);
}

/* ---- the slaves' logs --------------------------------------------------------------------------- */

void hadoop_logs_begin(struct hadoop_logs *l, unsigned int t, unsigned int slave, struct task *task)
{
	double at = t + 0.999 * rng_uniform(&l->rng);
	char id[40];

	task->number = task->stage == STAGE_MAP ? l->maps_begun++ : l->reduces_begun++;
	task->begun_ms = task->read_ms = task->written_ms = ms_at(l, at);
	id_of(l, task, id);
	hadoop_line(l->lines, HISTORY, 0, task->begun_ms,
		    "Task TASKID=\"task_%s\" TASK_TYPE=\"%s\" START_TIME=\"%" PRId64
		    "\" SPLITS=\"\" .\n",
		    id, type_of(task), task->begun_ms);
	hadoop_log(l->lines, TASKTRACKER, slave, task->begun_ms,
		   "org.apache.hadoop.mapred.TaskTracker: LaunchTaskAction (registerTask): "
		   "attempt_%s_0 task's state:UNASSIGNED",
		   id);
	hadoop_log(
		l->lines, TASKTRACKER, slave, task->begun_ms,
		"org.apache.hadoop.mapred.TaskTracker: JVM with ID: jvm_%s_%04u_%c_%u given task: "
		"attempt_%s_0",
		l->cluster, l->job, task->stage == STAGE_MAP ? 'm' : 'r',
		(unsigned int)rng_below(&l->rng, 2000000000), id);
}

/* One block of `kb`, from since_ms to ms: read here, or written here and to the two that have copies. */
static void block(struct hadoop_logs *l, unsigned int slave, const struct task *task, bool read,
		  double kb, int64_t since_ms, int64_t ms)
{
	char id[40], from[ADDRESS_LEN], to[ADDRESS_LEN];
	uint64_t number = ++l->blocks;
	int64_t ns = (ms > since_ms ? ms - since_ms : 1) * 1000000;
	unsigned int hops = read ? 1 : 3;

	id_of(l, task, id);
	for (unsigned int hop = 0; hop < hops; hop++) {
		unsigned int at = hop ? task->copy_to[hop - 1] : slave;
		unsigned int source = hop < 2 ? slave : task->copy_to[0], p = port(l);

		address(source, from);
		address(at, to);
		hadoop_log(
			l->lines, DATANODE, at, ms,
			"org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: src: /%s:%u, "
			"dest: /%s:%u, bytes: %.0f, op: HDFS_%s, cliID: "
			"DFSClient_attempt_%s_0_%u_1, "
			"offset: 0, srvID: DS-%u-%s-50010-%" PRId64 ", blockid: blk_%" PRIu64
			"_%" PRIu64 ", duration: %" PRId64,
			read ? to : from, read ? 50010 : p, to, read ? p : 50010, floor(kb * 1024),
			read ? "READ" : "WRITE", id, task->number, at, to, l->begin_ms, number,
			1000 + number, ns);
	}
}

/* When the stage, on its way in this second, was at x. */
static int64_t when(const struct hadoop_logs *l, unsigned int t, double before, double after,
		    double x)
{
	return ms_at(l, t + fmin(0.999, fmax(0, (x - before) / (after - before))));
}

/* The blocks of which the last byte was read or written between before and after. */
static void blocks(struct hadoop_logs *l, unsigned int t, unsigned int slave, struct task *task,
		   const struct work *w, double before, double after)
{
	/* What a reduce reads it has spilt itself; what comes from outside is no block. */
	double read_kb = task->stage == STAGE_MAP ? w->read_kb * task->size : 0;
	const double kb[2] = {w->copies_kb * task->size, read_kb};
	int64_t *since[2] = {&task->written_ms, &task->read_ms};

	for (int read = 0; read < 2; read++) {
		double n = ceil(kb[read] / BLOCK_KB);

		for (double k = floor(before * n) + 1; k <= n && k / n <= after; k++) {
			int64_t ms = when(l, t, before, after, k / n);

			ms = ms > *since[read] ? ms : *since[read] + 1;
			block(l, slave, task, read, kb[read] / n, *since[read], ms);
			*since[read] = ms;
		}
	}
}

/* The map outputs that the reduce fetched meanwhile, in the order in which the maps ended. */
static void fetches(struct hadoop_logs *l, unsigned int t, const struct slave *slaves,
		    unsigned int slave, struct task *task, const struct work *w, double before,
		    double after)
{
	double bytes = w->fetch_kb * 1024 * task->size / fmax(1, l->maps);
	char from[ADDRESS_LEN], to[ADDRESS_LEN];

	if (l->s->histories) { /* where nobody asks when, or from whom */
		unsigned int there = (unsigned int)fmin(l->n_outputs, after * l->maps + 1e-6);

		task->fetched_b += floor(bytes) * (there - task->fetched);
		task->fetched = there;
		return;
	}
	address(slave, to);
	while (task->fetched < l->n_outputs && task->fetched + 1 <= after * l->maps + 1e-6) {
		const struct output *o = &l->outputs[task->fetched++];
		int64_t ms = when(l, t, before, after, (double)task->fetched / l->maps);
		double kb_s = slave_fetch_kb_s(&slaves[o->slave], &slaves[slave]);
		double s = bytes / 1024 / kb_s * lognormal(&l->rng, 0.3);

		address(o->slave, from);
		task->fetched_b += floor(bytes);
		hadoop_log(l->lines, TASKTRACKER, o->slave, ms,
			   "org.apache.hadoop.mapred.TaskTracker.clienttrace: src: %s:50060, dest: "
			   "%s:%u, "
			   "bytes: %.0f, op: MAPRED_SHUFFLE, cliID: attempt_%s_%04u_m_%06u_0, "
			   "duration: %.0f",
			   from, to, port(l), floor(bytes), l->cluster, l->job, o->map,
			   fmax(1e5, s * 1e9));
	}
}

static void ended(struct hadoop_logs *l, unsigned int slave, struct task *task,
		  const struct work *w, int64_t ms)
{
	char id[40];

	ms = ms > task->begun_ms ? ms : task->begun_ms + 1;
	id_of(l, task, id);
	if (task->stage == STAGE_MAP && l->outputs)
		l->outputs[l->n_outputs++] = (struct output){slave, task->number};
	hadoop_log(l->lines, TASKTRACKER, slave, ms,
		   "org.apache.hadoop.mapred.TaskTracker: Task attempt_%s_0 is done.", id);
	history_of(l, slave, task, w, ms);
}

void hadoop_logs_progress(struct hadoop_logs *l, unsigned int t, const struct slave *slaves,
			  unsigned int slave, struct task *task, const struct work *w,
			  double before, double after)
{
	int64_t ms;

	if (!(after > before))
		return;
	if (task->stage == STAGE_SHUFFLE)
		fetches(l, t, slaves, slave, task, w, before, after);
	else
		blocks(l, t, slave, task, w, before, after);
	if (task->stage == STAGE_REDUCE && before < SORTED && after >= SORTED) {
		ms = when(l, t, before, after, SORTED);
		task->sorted_ms = ms > task->shuffled_ms ? ms : task->shuffled_ms;
	}
	if (after < 1)
		return;
	ms = when(l, t, before, after, 1);
	if (task->stage == STAGE_SHUFFLE)
		task->shuffled_ms = task->written_ms = ms > task->begun_ms ? ms : task->begun_ms;
	else
		ended(l, slave, task, w, ms > task->sorted_ms ? ms : task->sorted_ms);
}

void hadoop_logs_second(struct hadoop_logs *l)
{
	hadoop_lines_second(l->lines);
}
