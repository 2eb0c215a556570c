// SPDX-License-Identifier: BSD-2-Clause
/*
 * log_source.h: until when states last that have no end: a server that hangs writes nothing, and the logs of the others go
 * on. So it is the newest time of all logs, with care, as clocks and zones may be wrong:
 *	- of servers' logs the newest but one server's counts: a time that only one server says may be its clock's;
 *	- logs in local time count for each other only, those in UTC likewise: one zone that is not given moves the others' apart;
 *	- an executor of Spark waits until its own log's last line, which is the driver's: no other log says whether it came;
 *	- no state lasts longer than its job, nor longer than UNHEARD_NS after its log or its job was last heard of: then
 *	  its master is gone, and what comes later is of another life.
 */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"
#include "userspace/common/clock.h"

/* Hadoop ends an attempt that has said nothing for so long (mapred.task.timeout, ten minutes), Spark an executor sooner. */
#define UNHEARD_NS (600 * NS_PER_S)
enum { CLOCKS = 2 }; /* UTC; local time */

struct open_ends {
	const struct states *s;
	int64_t reached_ns[CLOCKS]; /* of servers' logs the newest but one; INT64_MIN */
	int64_t *job_ns;	    /* of each job: its last sign */
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t said_ns(const struct reading *r, const struct stem *of)
{
	return r->clock_behind ? later(of->last_ns, of->ahead_ns) : of->last_ns;
}

static int reached(struct open_ends *e, bool local)
{
	const struct reading *r = e->s->reading;
	int64_t *node_ns = malloc((e->s->nodes.n + 1) * sizeof(*node_ns)), newest = INT64_MIN;

	if (!node_ns)
		return -ENOMEM;
	for (size_t i = 0; i < e->s->nodes.n; i++)
		node_ns[i] = INT64_MIN;
	for (size_t i = 0; i < r->stems.n; i++)
		if (r->stem[i].node < e->s->nodes.n && r->stem[i].local == local)
			node_ns[r->stem[i].node] =
				later(node_ns[r->stem[i].node], said_ns(r, &r->stem[i]));
	e->reached_ns[local] = INT64_MIN;
	for (size_t i = 0; i < e->s->nodes.n; i++) {
		if (node_ns[i] <= newest) {
			e->reached_ns[local] = later(e->reached_ns[local], node_ns[i]);
			continue;
		}
		e->reached_ns[local] = newest;
		newest = node_ns[i];
	}
	free(node_ns);
	return 0;
}

static int last_signs(struct open_ends *e)
{
	const struct states *s = e->s;

	e->job_ns = malloc((s->jobs.n + 1) * sizeof(*e->job_ns));
	if (!e->job_ns)
		return -ENOMEM;
	for (size_t i = 0; i < s->jobs.n; i++)
		e->job_ns[i] = INT64_MIN;
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		if (x->job < s->jobs.n)
			e->job_ns[x->job] =
				later(e->job_ns[x->job],
				      x->outcome == OUTCOME_OPEN ? x->start_ns : x->end_ns);
	}
	return 0;
}

static int64_t end_of(const struct open_ends *e, const struct state *x)
{
	const struct states *s = e->s;
	const struct stem *own = &s->reading->stem[s->reading->stem_of[x->file]];
	int64_t end = later(x->start_ns, said_ns(s->reading, own)), heard = end, finish = 0, most;

	if (x->kind == STATE_EXECUTOR)
		return end;
	if (x->job < s->jobs.n) {
		heard = later(heard, e->job_ns[x->job]);
		finish = s->job[x->job].finish_ns;
	}
	most = finish ? finish : heard + UNHEARD_NS;
	return later(end, e->reached_ns[own->local] < most ? e->reached_ns[own->local] : most);
}

int64_t states_heard(const struct states *s, uint32_t file)
{
	const struct reading *r = s->reading;

	if (r && r->full_progress)
		return INT64_MIN;
	return r && file < s->files.n ? said_ns(r, &r->stem[r->stem_of[file]]) : INT64_MAX;
}

int states_open(struct states *s)
{
	struct open_ends e = {.s = s};
	int err = reached(&e, false);

	s->counts.open = 0;
	err = err ?: reached(&e, true) ?: last_signs(&e);
	for (size_t i = 0; i < s->n && !err; i++)
		if (s->at[i].outcome == OUTCOME_OPEN) {
			s->counts.open++;
			s->at[i].end_ns = end_of(&e, &s->at[i]);
		}
	free(e.job_ns);
	return err;
}
