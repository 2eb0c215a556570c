// SPDX-License-Identifier: BSD-2-Clause
/* Whether a server is slow by itself or waits for a replica, where a table has both times (internal.h). */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/scratch.h"
#include "userspace/common/sort.h"
#include "userspace/common/text.h"

/* Of the whole difference (ln): so much of it in its own part is a server's own; and so much explains those that wait. */
static const double OWN = 0.25, EXPLAINS = 0.5;

enum { VALUES = 4 }; /* of the time that it is about; fewer tell nothing */

/*
 * The column with a server's own part of the times in `name`; -1: the table has none. Ceph's are op_… of a whole operation, with what its
 * replicas take, and subop_… of what is done for others.
 */
static int64_t own_part(const struct table *t, const char *name)
{
	struct text own TEXT_SCOPED = {0};
	const char *op = strstr(name, "op_");

	/* what a Prometheus has of Ceph (source/tables/prometheus_counters.c) */
	if (!strcmp(name, "w_await"))
		return names_find(&t->metrics, "subop_w_latency");
	while (op && op > name && op[-1] != '_' && op[-1] != '.')
		op = strstr(op + 1, "op_");
	if (!op)
		return -1;
	text_add(&own, "%.*ssub%s", (int)(op - name), name, op);
	return own.failed ? -1 : names_find(&t->metrics, text_of(&own));
}

/* The median of a run's values in [from, to]; NaN: too few, or none above zero. */
static double run_median(const struct table *t, const struct table_run *r, int64_t from, int64_t to,
			 double *room)
{
	size_t n = 0;
	double m;

	for (size_t i = r->begin; i < r->end; i++)
		if (t->at[i].time_ns >= from && t->at[i].time_ns <= to)
			room[n++] = t->at[i].value;
	m = n >= VALUES ? stats_quantile(room, n, 0.5) : NAN;
	return m > 0 ? m : NAN;
}

/* Of a column: what a server or disk had beside its peers, and who had most. */
struct part_beside {
	double own, most; /* most: less what it was before, where that is known */
	size_t server;	  /* of `most` */
};

/* The medians of the runs [first, last) of one group in [from, to], NaN elsewhere; theirs all together, NaN: there are none. */
static double runs_medians(const struct job *j, size_t first, size_t last, int32_t group,
			   int64_t from, int64_t to, double *each, double *room, double *some)
{
	size_t n = 0;

	for (size_t i = first; i < last; i++) {
		const struct table_run *r = &j->runs.at[i];

		each[i - first] = j->group[j->row[r->node]] != group
					  ? NAN
					  : run_median(j->t, r, from, to, room);
		if (!isnan(each[i - first]))
			some[n++] = each[i - first];
	}
	return n ? stats_quantile(some, n, 0.5) : NAN;
}

static int beside_peers(const struct job *j, uint32_t metric, const struct finding *e,
			struct part_beside *b)
{
	struct scratch room SCRATCH_SCOPED = {0};
	const struct table_runs *r = &j->runs;
	size_t first = search_first(k, r->n, r->at[k].metric < metric), longest = 0;
	size_t last = search_first(k, r->n, r->at[k].metric <= metric);
	double *now = scratch_array(&room, last - first, sizeof(*now)), usual_now;
	double *before = scratch_array(&room, last - first, sizeof(*before)), usual_before;
	double *some = scratch_array(&room, last - first, sizeof(*some)), *values;

	for (size_t i = first; i < last; i++)
		longest = fmax((double)longest, (double)(r->at[i].end - r->at[i].begin));
	values = scratch_array(&room, longest, sizeof(*values));
	if (room.failed)
		return -ENOMEM;
	usual_now = runs_medians(j, first, last, j->group[e->node], e->onset_ns, e->last_ns, now,
				 values, some);
	usual_before = runs_medians(j, first, last, j->group[e->node], INT64_MIN, e->onset_ns - 1,
				    before, values, some);
	*b = (struct part_beside){.own = NAN, .most = NAN};
	for (size_t i = first; i < last; i++) {
		size_t node = j->row[r->at[i].node];
		const char *name = j->t->instances.n ? j->t->instances.at[r->at[i].instance] : "";
		double m = now[i - first] / usual_now, was = before[i - first] / usual_before;

		if (node == e->node && !strcmp(name, e->disk))
			b->own = m;
		/* who always was slower is not what it waits for now */
		m /= was > 1 ? was : 1;
		if (node != e->node && !(m <= b->most) && !isnan(m)) {
			b->most = m;
			b->server = node;
		}
	}
	return 0;
}

int table_waits(const struct job *j, const struct incident *a, struct notice *m, bool *waits)
{
	*waits = false;
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct finding *e = &a->findings[i];
		const char *name = j->t->metrics.at[j->columns.at[e->signal].metric];
		int64_t own = own_part(j->t, name);
		struct part_beside b;

		if (e->symptom)
			continue;
		*waits = false;
		if (own < 0)
			return 0;
		if (beside_peers(j, (uint32_t)own, e, &b))
			return -ENOMEM;
		*waits =
			log(b.own) < OWN * log(e->ratio) && log(b.most) >= EXPLAINS * log(e->ratio);
		if (!*waits)
			return 0;
		if (m->kind == NOTICE_WAITS && m->ratio > e->ratio)
			continue;
		m->kind = NOTICE_WAITS;
		m->signal = e->signal;
		m->ratio = e->ratio;
		m->latency = b.own;
		m->most = b.server;
		snprintf(m->process, sizeof(m->process), "%s", j->t->metrics.at[own]);
	}
	return 0;
}
