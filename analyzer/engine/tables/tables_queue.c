// SPDX-License-Identifier: BSD-2-Clause
/* Whether requests wait longer at a disk that takes no longer for each, as all others wait for it (internal.h). */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/scratch.h"
#include "userspace/metrics/metrics.h"
#include "userspace/common/sort.h"

/* A disk that takes this much longer for a request is slow itself: disks of one model differ by less [D]; rules.h has the same. */
#define SLOWER 1.3
/* Of the difference in waiting (ln), what a slow disk explains: without a queue all of it. */
static const double EXPLAINS = 0.5;
/* ln: who does as much as the others, as servers do that have a part of each file. */
static const double ALIKE = 0.22314355;
/* %: beyond it a disk that is no longer at work for a request may have many at a time. */
static const double SATURATED = 95;

/* What a disk did in a time: means of what its columns have. */
struct disk_work {
	double busy; /* % */
	double ops;  /* 1/s */
};

/* The mean of a column of a server's disk in [from, to]; 0: nothing. */
static double run_mean(const struct job *j, int64_t metric, const struct table_run *of,
		       int64_t from, int64_t to)
{
	const struct table_runs *r = &j->runs;
	size_t i = metric < 0 ? r->n
			      : search_first(k, r->n,
					     r->at[k].metric != (uint32_t)metric
						     ? r->at[k].metric < (uint32_t)metric
					     : r->at[k].node != of->node
						     ? r->at[k].node < of->node
						     : r->at[k].instance < of->instance);
	double sum = 0;
	size_t n = 0;

	if (i == r->n || r->at[i].metric != (uint32_t)metric || r->at[i].node != of->node ||
	    r->at[i].instance != of->instance)
		return 0;
	for (size_t k = r->at[i].begin; k < r->at[i].end; k++)
		if (j->t->at[k].time_ns >= from && j->t->at[k].time_ns <= to) {
			sum += j->t->at[k].value;
			n++;
		}
	return n ? sum / (double)n : 0;
}

/* The columns of limpet's metrics, numbered as the table has them; -1: it has none. */
static int64_t column_of(const struct job *j, int known)
{
	return names_find(&j->t->metrics, metrics[known].name);
}

static struct disk_work work_of(const struct job *j, const struct table_run *of, int64_t from,
				int64_t to)
{
	struct disk_work w = {.busy = run_mean(j, (int64_t)of->metric, of, from, to)};

	w.ops = run_mean(j, column_of(j, M_R_S), of, from, to) +
		run_mean(j, column_of(j, M_W_S), of, from, to);
	if (!(w.ops > 0))
		w.ops = run_mean(j, column_of(j, M_IOPS), of, from, to);
	return w;
}

/* Of a finding: how its disk compares with the medians of the others'. False: that is not known. */
static bool compare_work(const struct job *j, const struct finding *e, struct disk_work *beside,
			 double *peers_busy)
{
	struct scratch room SCRATCH_SCOPED = {0};
	const struct table_runs *r = &j->runs;
	int64_t util = column_of(j, M_UTIL);
	size_t first = search_first(k, r->n, (int64_t)r->at[k].metric < util), n = 0;
	size_t last = search_first(k, r->n, (int64_t)r->at[k].metric <= util);
	double *busy = scratch_array(&room, last - first, sizeof(*busy));
	double *ops = scratch_array(&room, last - first, sizeof(*ops));
	double *each = scratch_array(&room, last - first, sizeof(*each));
	struct disk_work own = {0};

	if (util < 0 || room.failed)
		return false;
	for (size_t i = first; i < last; i++) {
		size_t node = j->row[r->at[i].node];
		const char *name = j->t->instances.n ? j->t->instances.at[r->at[i].instance] : "";
		struct disk_work w;

		if (j->group[node] != j->group[e->node])
			continue;
		w = work_of(j, &r->at[i], e->onset_ns, e->last_ns);
		if (!(w.busy > 0) || !(w.ops > 0))
			continue;
		if (node == e->node && !strcmp(name, e->disk)) {
			own = w;
		} else if (node != e->node) {
			busy[n] = w.busy;
			ops[n] = w.ops;
			each[n++] = w.busy / w.ops;
		}
	}
	if (n < 2 || !(own.ops > 0))
		return false;
	*peers_busy = stats_quantile(busy, n, 0.5);
	beside->ops = own.ops / stats_quantile(ops, n, 0.5);
	beside->busy = own.busy / own.ops / stats_quantile(each, n, 0.5);
	return true;
}

bool table_queues(const struct job *j, const struct incident *a)
{
	bool any = false;

	/* with the device's own time measured it says itself whether the wait is above it */
	if (column_of(j, M_R_DEV) >= 0 || column_of(j, M_W_DEV) >= 0)
		return false;
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct finding *e = &a->findings[i];
		int known = metric_by_name(j->t->metrics.at[j->columns.at[e->signal].metric]);
		struct disk_work beside;
		double peers_busy;

		if (e->symptom)
			continue;
		if ((known != M_R_AWAIT && known != M_W_AWAIT && known != M_AWAIT) ||
		    !compare_work(j, e, &beside, &peers_busy))
			return false;
		if (fabs(log(beside.ops)) > ALIKE || peers_busy > SATURATED ||
		    beside.busy >= SLOWER ||
		    log(beside.busy) >= EXPLAINS * log(e->value / e->peers))
			return false;
		any = true;
	}
	return any;
}
