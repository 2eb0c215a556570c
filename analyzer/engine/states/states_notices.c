// SPDX-License-Identifier: BSD-2-Clause
/*
 * What makes tasks slow and is no server's fault: larger inputs than the others', and inputs that are elsewhere. Both are
 * what cells keep apart, so nobody is indicted for them; here they are said.
 */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* Bytes beside others', from which on it is skew; one task alone must stand out more, as the last block of a file and
 * the like differ by this. */
static const double SKEWED = 1.5, SKEWED_ALONE = 3;
/* That much longer it takes; and no longer than that for a byte, or it is not the bytes. */
static const double LONGER = 1.3;
enum { FEW_TASKS = 3, FEW_OTHERS = 8, FEW_REMOTE = 5 };

/* One task that ended well; then sums of a node's. */
struct done {
	uint32_t job, row, cls;
	int32_t group;
	enum state_kind kind;
	bool remote;
	double n, bytes, seconds;
};

static const struct locality {
	const char *word;
	bool remote;
} localities[] = {{"RACK_LOCAL", true},	 {"OFF_SWITCH", true},	   {"ANY", true},
		  {"NODE_LOCAL", false}, {"PROCESS_LOCAL", false}, {"DATA_LOCAL", false}};

/* Of a class: whether it says that data were elsewhere; false: it says that they were not, or nothing. */
static bool is_remote(const char *cls, bool *said)
{
	for (size_t i = 0; i < sizeof(localities) / sizeof(*localities); i++) {
		size_t n = strlen(cls), m = strlen(localities[i].word);

		if (n < m || strcmp(cls + n - m, localities[i].word) != 0)
			continue;
		*said = true;
		return localities[i].remote;
	}
	return false;
}

static bool is_told(enum state_kind kind)
{
	return kind == STATE_MAP || kind == STATE_REDUCER || kind == STATE_TASK;
}

static int by_job(const struct done *x, const struct done *y)
{
	return ORDER(x->group, y->group) ?: ORDER(x->job, y->job) ?: ORDER(x->kind, y->kind);
}

static int in_order(const void *a, const void *b)
{
	const struct done *x = a, *y = b;

	return by_job(x, y) ?: ORDER(x->row, y->row);
}

static size_t gather(const struct states_job *j, struct done *d)
{
	size_t n = 0;

	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *x = &j->s->at[i];
		size_t row = states_row(j, x->node);

		if (!is_told(x->kind) || x->outcome != OUTCOME_OK || row == SIZE_MAX ||
		    j->group[row] < 0 || x->job >= j->s->jobs.n || x->end_ns <= x->start_ns)
			continue;
		d[n++] = (struct done){.job = x->job,
				       .row = (uint32_t)row,
				       .cls = x->cls,
				       .group = j->group[row],
				       .kind = x->kind,
				       .n = 1,
				       .bytes = (double)x->bytes,
				       .seconds = state_seconds(x)};
	}
	sort(d, n, in_order);
	return n;
}

static struct notice *add(struct states_job *j, enum notice_kind kind, uint32_t job)
{
	struct notice *m = array_add(&j->a->notices, &j->a->n_notices);

	if (!m)
		return NULL;
	*m = (struct notice){.kind = kind,
			     .node = SIZE_MAX,
			     .from_ns = j->a->from_ns,
			     .to_ns = j->a->to_ns,
			     .detail = {.kind = DETAIL_STATE}};
	snprintf(m->detail.job, sizeof(m->detail.job), "%s", j->s->jobs.at[job]);
	return m;
}

/* Tasks of one job and kind, by node: the node whose have the most bytes. */
static int skew(struct states_job *j, const struct done *d, size_t n)
{
	struct done all = {0}, most = {0}, others;
	struct notice *m;
	double ratio, longer;
	size_t next;

	for (size_t i = 0; i < n; i = next) {
		struct done own = d[i];

		for (next = i + 1; next < n && d[next].row == d[i].row; next++) {
			own.n++;
			own.bytes += d[next].bytes;
			own.seconds += d[next].seconds;
		}
		all.n += own.n;
		all.bytes += own.bytes;
		all.seconds += own.seconds;
		if (!(most.n > 0) || own.bytes / own.n > most.bytes / most.n)
			most = own;
	}
	others = (struct done){.n = all.n - most.n,
			       .bytes = all.bytes - most.bytes,
			       .seconds = all.seconds - most.seconds};
	if (others.n < FEW_OTHERS || !(others.bytes > 0))
		return 0;
	ratio = most.bytes / most.n / (others.bytes / others.n);
	longer = most.seconds / most.n / (others.seconds / others.n);
	if (ratio < (most.n < FEW_TASKS ? SKEWED_ALONE : SKEWED) || longer < LONGER ||
	    longer > LONGER * ratio)
		return 0;
	m = add(j, NOTICE_SKEW, d->job);
	if (!m)
		return -ENOMEM;
	m->node = most.row;
	m->ratio = ratio;
	m->latency = longer;
	m->servers = (size_t)most.n;
	m->work = state_rows[d->kind].word;
	return 0;
}

/* Tasks of one job and kind whose data were elsewhere, beside those whose were not. */
static int remote(struct states_job *j, const struct done *d, size_t n)
{
	struct done far = {0}, near = {0};
	struct notice *m;
	double longer;

	for (size_t i = 0; i < n; i++) {
		bool said = false, is = d[i].cls < j->s->classes.n &&
					is_remote(j->s->classes.at[d[i].cls], &said);
		struct done *to = is ? &far : &near;

		to->n += said;
		to->seconds += said ? d[i].seconds : 0;
	}
	if (far.n < FEW_REMOTE || near.n < FEW_REMOTE || d->kind != STATE_MAP)
		return 0;
	longer = far.seconds / far.n / (near.seconds / near.n);
	if (longer < LONGER)
		return 0;
	m = add(j, NOTICE_REMOTE, d->job);
	if (!m)
		return -ENOMEM;
	m->ratio = longer;
	m->servers = (size_t)far.n;
	m->of = (size_t)(far.n + near.n);
	m->work = state_rows[d->kind].word;
	return 0;
}

int states_notices(struct states_job *j)
{
	struct done *d = calloc(j->s->n + 1, sizeof(*d));
	size_t n = d ? gather(j, d) : 0, next;
	int err = d ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i = next) {
		bool bytes = true;

		for (next = i; next < n && !by_job(&d[next], &d[i]); next++)
			bytes &= d[next].bytes >= 0;
		if (bytes)
			err = skew(j, &d[i], next - i);
		if (!err)
			err = remote(j, &d[i], next - i);
	}
	free(d);
	return err;
}
