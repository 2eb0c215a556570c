/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A MapReduce cluster: jobs of map and reduce tasks, slots on every slave, tasks that share their
 * slave's processors, disk and interface, and those of the slaves they exchange data with.
 */
#ifndef LIMPET_SIM_HADOOP_H
#define LIMPET_SIM_HADOOP_H

#include "sim.h"

#define HADOOP_RTT_S 0.0003

enum {
	MAP_SLOTS = 2, /* Hadoop's default of the time, as are the reduces */
	REDUCE_SLOTS = 2,
	SLOTS = MAP_SLOTS + REDUCE_SLOTS,
	CORES = 4, /* two dual-core processors: EC2's large instance, as in Ganesha [R] */
};

/* What a task consumes from its beginning to its end. */
struct work {
	double cpu_s, read_kb, write_kb; /* write_kb: to its own disk */
	double copies_kb;		 /* to the disks of two other slaves, each */
	double fetch_kb;		 /* from all slaves alike: the shuffle */
	double crawl_kb;		 /* from outside the cluster */
};

enum stage { STAGE_MAP, STAGE_SHUFFLE, STAGE_REDUCE, STAGES };

struct job {
	unsigned int maps;    /* per slave */
	unsigned int reduces; /* per slave */
	struct work work[STAGES];
	double spread; /* of the tasks' sizes: deviation of the logarithm */
};

enum { JOBS_MAX = 4 };

struct workload {
	const char *name;
	struct job jobs[JOBS_MAX]; /* round and round; ends with maps 0 */
};

struct task {
	enum stage stage;
	bool running, hung;
	double size, done;	 /* factor on the work; 0 … 1 of this stage */
	unsigned int copy_to[2]; /* slaves */
	unsigned int stalled;	 /* seconds without progress: HDFS gives a copy up after 60 */
	/* For the logs: its number in the job, and when what began and ended. */
	unsigned int number, fetched; /* map outputs */
	double fetched_b;
	int64_t begun_ms, shuffled_ms, sorted_ms, read_ms, written_ms;
};

/* What tasks share; has, asked in its own unit a second. */
enum resource { R_CPU, R_DISK, R_RX, R_TX, RESOURCES };

struct slave {
	struct task tasks[SLOTS];
	struct effect effect;
	double disk_kb_s, has[RESOURCES], asked[RESOURCES], factor[RESOURCES];
	double cpu, read_kb, write_kb, rx_kb, tx_kb, lossy_kb; /* of this second */
	double dirty_kb, ldavg, plist;
	struct ar1 disk, host;
	struct spikes slow;
	struct rng rng;
};
void slave_init(struct slave *v, const struct setup *s, unsigned int i);
/* The totals of a second, from what its tasks and its peers' did. */
void slave_totals(struct slave *v, float *total);

/* Of one map output on its way from slave to slave in this second. */
double slave_fetch_kb_s(const struct slave *from, const struct slave *to);

/* Seconds the stage takes if nobody else wants anything. */
double work_seconds(const struct work *w, double disk_kb_s);

#endif
