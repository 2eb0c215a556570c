/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks that hold up their job, why, and what to make of it: the entry to this room. Three tables, a row each, which
 * programs of the user may add to (programs.h):
 *
 *	symptom      what is odd about a job's tasks, or about how it uses its servers   (symptoms.c, inefficient.c)
 *	diagnoser    what holds of a straggler and may be why; it may build on others, which run before it (diagnosers.c)
 *	decision     a sentence about a job's stragglers: the first that has one counts  (decisions.c)
 *
 * After AutoDiagn (Demirbaga et al., IEEE Transactions on Computers 2021). AutoDiagn has one symptom of tasks, three causes
 * and no decision; each difference is decided here, with its reason beside it. Stragglers indict no server; that is the
 * engine's (engine/states), whose indictment is one of the causes here.
 */
#ifndef LIMPET_STRAGGLERS_H
#define LIMPET_STRAGGLERS_H

#include <math.h>
#include <sys/types.h>

#include "analyzer/source/logs/states.h"
#include "analyzer/options/analysis.h"
#include "analyzer/verdict/verdict.h"
#include "userspace/common/scratch.h"
#include "hardware.h"

#define STRAGGLERS_NAME "stragglers"

/* One attempt of a task that was looked at. */
struct found_task {
	uint32_t state; /* of states.at */
	uint32_t cell;	/* of the same job, kind and stage */
	size_t node;	/* of the verdict; SIZE_MAX: it is none of its servers */
	size_t job;	/* of the verdict's jobs */
	bool straggler;
	unsigned int flagged, judged; /* looks while it ran */
	int64_t onset_ns, last_ns;
	double takes_s;	     /* its duration, projected while it runs; NaN: not known */
	double usual_s;	     /* the median of its cell at that time */
	double usual_volume; /* bytes, or records: the median of its cell; NaN: not known */
	double usual_cpu_s;  /* likewise */
	uint32_t causes;     /* a bit for each diagnoser */
};

struct stragglers {
	const struct analysis_opts *o;
	const struct states *s;
	struct verdict *v; /* of the engine; its jobs, stragglers and task causes are made here */
	bool running;	   /* only tasks that run are asked for */
	struct hardware_file *hardware;
	struct hardware best; /* of any server with a task */
	/* Of each of states.at: begun again; another attempt of its task ran beside it. */
	bool *restarted, *twin;
	bool *waited_for;      /* likewise: a job that runs waited for it */
	size_t *row;	       /* of each of states.nodes: the verdict's number; SIZE_MAX */
	struct found_task *at; /* by job, cell, start */
	size_t n;
	size_t *first;	     /* of each of the verdict's jobs its first of `at`, and n */
	size_t *late;	     /* of each server, 0: for decisions to count in */
	struct scratch room; /* of all these */
};

/* How much a task had to do: bytes, or records; NaN: not known. */
static inline double task_volume(const struct state *x)
{
	return x->bytes > 0 ? (double)x->bytes : x->records > 0 ? (double)x->records : NAN;
}

/* Whether it counts: while jobs run, only tasks do that run, too. */
bool task_counts(const struct stragglers *g, const struct found_task *t);

/* A table's row. `after`: names of those that run before it, parted by commas; NULL: none. */
struct symptom {
	const char *word, *what;
	/* Marks tasks, or says something of jobs (job_sign()). 0 or -ENOMEM. */
	int (*find)(struct stragglers *g);
	bool running; /* it can be known while the job runs */
};

struct diagnoser {
	const char *word, *what;
	const char *after;
	/* Whether it can be known of this job's tasks. */
	bool (*known)(const struct stragglers *g, const struct found_task *t);
	bool (*holds)(const struct stragglers *g, const struct found_task *t);
};

struct decision {
	const char *word, *what;
	/* Fills in the job's decision and its subject; false: it has none. */
	bool (*decide)(const struct stragglers *g, struct straggler_job *j, size_t job);
};

/* Tables end with word NULL. */
extern const struct symptom symptoms[];
extern const struct diagnoser diagnosers[];
extern const struct decision decisions[];

/* Says something of how a job uses its servers; the first of each word counts. */
void job_sign(struct straggler_job *j, const char *word, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds to the verdict. 0, or negative errno after a message. */
int stragglers_find(struct verdict *v, const struct states *s, const struct analysis_opts *o);

/*
 * The same of what runs at the newest time of the logs, for one who watches: the verdict has open tasks that stand out at
 * present, by the last looks, with their causes, and jobs that have open tasks, of which only these count.
 * roster: what counts, and programs of the user (roster.h); NULL: all rows, and no programs. Costs what is to be known of those
 * jobs, not of all.
 */
struct roster;
int stragglers_running(struct verdict *v, const struct states *s, const struct analysis_opts *o,
		       struct roster *roster);

/* list.c: adds jobs that have[i], in order of name; number: of each of `jobs`, SIZE_MAX: none. 0 or -ENOMEM. */
int straggler_jobs(struct verdict *v, const struct names *jobs, const bool *has, size_t *number);
/* list.c: `row`; jobs of the verdict, and `at`. 0 or -ENOMEM. */
int stragglers_servers(struct stragglers *g);
int stragglers_tasks(struct stragglers *g);

/* explained.c: into the verdict. 0 or -ENOMEM. */
int stragglers_explain(struct stragglers *g);
/* waited.c: what jobs that run waited for so far. 0 or -ENOMEM. */
int stragglers_waited(struct stragglers *g);
/* list.c: the newest of them, and of other states, into the verdict, for those who watch. 0 or -ENOMEM. */
int stragglers_show(struct stragglers *g);
int stragglers_show_states(struct stragglers *g);

/* inefficient.c: symptoms of jobs. */
int find_idle(struct stragglers *g);
int find_uneven(struct stragglers *g);
int find_disk_bound(struct stragglers *g);
/* symptoms.c: the symptom of tasks. */
int find_long(struct stragglers *g);

/*
 * order.c: in which order diagnosers run: each after those that it names. `after` of n names; order: room for n. -1, or the
 * number of the first of which that is not possible (it names one that there is not, or itself through others).
 */
ssize_t diagnosers_order(const char *const *word, const char *const *after, size_t n,
			 size_t *order);

#endif
