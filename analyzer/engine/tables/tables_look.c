// SPDX-License-Identifier: BSD-2-Clause
/*
 * One look at a column of a table: all of an entity's values together, without regard to time. For a job's log,
 * and for tables that are too short for evidence to add up: those make nobody more than suspicious.
 */
#include "internal.h"
#include "userspace/common/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Values of loads within half an octave are of one kind of work. */
static unsigned int kind_of(double x)
{
	return isfinite(x) ? (unsigned int)((int)floor(2 * x / log(2)) + 4096) : 0;
}

struct look_values {
	struct look_value *at;
	size_t n;
};

static int values_gather(struct table_panel *p, struct look_values *g)
{
	double x, y;

	table_rewind(p);
	for (size_t i = 0; i < p->n; i++)
		while (table_next(p, &p->e[i], INT64_MAX, &x, &y)) {
			if (array_put(&g->at, &g->n, (struct look_value){i, kind_of(x), y}))
				return -ENOMEM;
			p->e[i].values++;
		}
	return 0;
}

/* Its value is the mean of the entity's logarithms, its peers' what that would be without the effect. */
static struct track_look look_of(const struct table_panel *p, const struct look_values *g, size_t i,
				 const struct evidence *w)
{
	double sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < g->n; k++)
		if (g->at[k].entity == i) {
			sum += g->at[k].value;
			n++;
		}
	return (struct track_look){
		.evidence = *w,
		.value = exp(sum / (double)n),
		.peers = exp(sum / (double)n - w->effect),
		.from_ns = p->begin_ns,
		.to_ns = p->end_ns,
		/* Rows that follow each other are no tasks: what lasts a minute is in many of them. */
		.brief = !p->t->events};
}

int table_look(struct table_panel *p)
{
	struct evidence *w = calloc(p->n + 1, sizeof(*w));
	struct look_values g = {0};
	int err = w ? values_gather(p, &g) : -ENOMEM;

	err = err ?: evidence_look(g.at, g.n, p->n, &p->look, w);
	for (size_t i = 0; i < p->n && !err; i++) {
		struct track_look x;

		if (!w[i].n)
			continue;
		x = look_of(p, &g, i, &w[i]);
		panel_look(&p->panel, i, &x);
	}
	free(w);
	free(g.at);
	return err == -ENODATA ? 0 : err;
}
