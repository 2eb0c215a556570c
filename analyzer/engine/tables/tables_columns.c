// SPDX-License-Identifier: BSD-2-Clause
/* Chooses the columns of a table that are judged (tables_columns.h). */

#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/source/frame/frame.h"
#include "userspace/metrics/metrics.h"
#include "userspace/common/array.h"
#include "userspace/common/options.h"

enum { NAMED = 12 }; /* columns that a note names */

/* The column with the sizes of the requests whose times these are; -1: there is none. */
static int64_t size_of(const struct table *t, uint32_t metric)
{
	static const struct {
		int times, sizes;
	} of[] = {
		{M_R_AWAIT, M_RAREQ_SZ}, {M_R_DEV, M_RAREQ_SZ}, {M_W_AWAIT, M_WAREQ_SZ},
		{M_W_DEV, M_WAREQ_SZ},	 {M_AWAIT, M_AREQ_SZ},
	};
	int known = metric_by_name(t->metrics.at[metric]);

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (known == of[i].times)
			return names_find(&t->metrics, metrics[of[i].sizes].name);
	return -1;
}

/* A column as a signal. */
static struct table_column column(const struct table *t, uint32_t metric, int64_t given,
				  enum signal_role role, double floor)
{
	const char *name = t->metrics.at[metric];

	return (struct table_column){
		.row = {.name = name,
			.word = name,
			.unit = "",
			.level = LEVEL_NODE,
			.kind = KIND_LATENCY,
			.role = role,
			.resource = role == ROLE_LOCAL ? RESOURCE_COLUMN : RESOURCE_NONE,
			.floor = floor,
			.decimals = 3},
		.metric = metric,
		.given = given,
		.size = size_of(t, metric),
		.speaks = SIG_COUNT};
}

/* The signal of which a column of this metric of limpet's is; NULL: of none. */
static const struct signal_row *signal_of_metric(int metric)
{
	for (size_t i = 0; i < SIG_COUNT; i++)
		for (const int *m = signals[i].columns; m && *m >= 0; m++)
			if (*m == metric)
				return &signals[i];
	return NULL;
}

static int find_metric(const struct table *t, const char *name, const char *option, int64_t *metric)
{
	*metric = names_find(&t->metrics, name);
	if (*metric >= 0)
		return 0;
	return fail("the table has no column '%s' of numbers for '%s'", name, option);
}

static int columns_add(struct table_columns *c, struct table_column x)
{
	x.row.inverse_c = x.row.c;
	return array_put(&c->at, &c->n, x);
}

/* The metric that a known one is weighted by, if the table has it. */
static int64_t weight_of(const struct table *t, int known)
{
	return known >= 0 && metrics[known].weight >= 0
		       ? names_find(&t->metrics, metrics[metrics[known].weight].name)
		       : -1;
}

/* What its name tells of it; known: the signal of which it is, NULL: of none. */
static void speak(struct table_column *x, const struct table *t, const struct frame_metric *m,
		  const struct signal_row *known)
{
	x->speaks = known ? (enum signal)(known - signals) : SIG_COUNT;
	x->both = m->known == M_AWAIT;
	x->at_rate = x->given >= 0 && x->given == weight_of(t, m->known);
	x->row.resource = known ? known->resource : x->row.resource;
	x->row.inverse = m->worse == WORSE_DOWN;
}

static int add_asked(struct table_columns *c, const struct table *t, const char *name,
		     int64_t given, const struct analysis_opts *o, const char *option)
{
	struct table_column x;
	struct frame_metric m;
	int64_t metric;
	int err = find_metric(t, name, option, &metric);

	if (err)
		return err;
	frame_name(&m, name);
	if (!o->given)
		given = weight_of(t, m.known);
	x = column(t, (uint32_t)metric, given == metric ? -1 : given, ROLE_LOCAL, o->floor);
	speak(&x, t, &m, signal_of_metric(m.known));
	x.row.c = o->floor;
	return columns_add(c, x);
}

static int add_state(struct table_columns *c, const struct table *t, uint32_t metric, double floor)
{
	struct table_column x = column(t, metric, -1, ROLE_LOCAL, floor);

	x.row.c = floor;
	x.row.resource = RESOURCE_TASKS;
	return columns_add(c, x);
}

static int add_known(struct table_columns *c, const struct table *t, uint32_t metric, int64_t given,
		     const struct frame_metric *m, const struct analysis_opts *o)
{
	const struct signal_row *known = signal_of_metric(m->known);
	struct table_column x =
		column(t, metric, o->given ? given : weight_of(t, m->known),
		       known ? ROLE_LOCAL : ROLE_SYMPTOM, known ? known->floor : m->floor);

	if (x.given == metric)
		return 0;
	speak(&x, t, m, known);
	x.row.ratio = known ? known->ratio : 0;
	if (o->floor > 0)
		x.row.floor = o->floor;
	/* A latency of 0 is that of no request: it needs no logarithm. */
	x.row.c = known ? known->kind == KIND_NUMBER ? known->c : 0 : x.row.floor;
	return columns_add(c, x);
}

/* Tells which columns nobody looked at. */
static int note_rest(struct table_columns *c, const struct table *t, const bool *judged)
{
	size_t len = 0, n = 0;
	char list[1024] = "";

	for (size_t m = 0; m < t->metrics.n; m++)
		if (!judged[m] && n++ < NAMED)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
						len ? ", " : "", t->metrics.at[m]);
	if (!n)
		return 0;
	if (n > NAMED)
		snprintf(list + len, sizeof(list) - len, " and %zu more", n - NAMED);
	c->unknown = strdup(list);
	return c->unknown ? 0 : -ENOMEM;
}

static int add_all(struct table_columns *c, const struct table *t, int64_t given,
		   const struct analysis_opts *o)
{
	bool *judged = calloc(t->metrics.n + 1, sizeof(*judged));
	int err = judged ? 0 : -ENOMEM;

	/* names without a number need no word: the reader said that they are left out */
	for (size_t i = 0; i < t->metrics.n && !err; i++)
		judged[i] = true;
	for (size_t i = 0; i < t->n && !err; i++)
		judged[t->at[i].metric] = false;
	for (size_t i = 0; i < t->metrics.n && !err; i++) {
		struct frame_metric m;

		frame_name(&m, t->metrics.at[i]);
		judged[i] |= t->events || m.worse != WORSE_EITHER || given == (int64_t)i;
		if (t->events)
			err = add_state(c, t, (uint32_t)i, o->floor);
		else if (m.worse != WORSE_EITHER)
			err = add_known(c, t, (uint32_t)i, given, &m, o);
	}
	err = err ?: note_rest(c, t, judged);
	free(judged);
	return err;
}

int table_columns(struct table_columns *c, const struct table *t, const struct analysis_opts *o)
{
	int64_t given = -1;
	int err = 0;

	if (o->given && t->events && !strcmp(o->given, "bytes"))
		; /* as they are, where there are any */
	else if (o->given)
		err = find_metric(t, o->given, "--given", &given);
	if (!err && o->given && o->signal && !strcmp(o->given, o->signal))
		err = fail("'%s' cannot be judged given itself", o->signal);
	if (err)
		return err;
	if (o->signal)
		err = add_asked(c, t, o->signal, given, o, "--signal");
	for (size_t i = 0; !err && !o->signal && i < o->table.metrics.n; i++)
		if (names_find(&t->metrics, o->table.metrics.at[i]) != given || given < 0)
			err = add_asked(c, t, o->table.metrics.at[i], given, o, "--metric");
	if (!err && !o->signal && !o->table.metrics.n)
		err = add_all(c, t, given, o);
	return err;
}

void table_columns_release(struct table_columns *c)
{
	free(c->at);
	free(c->unknown);
	*c = (struct table_columns){0};
}
