// SPDX-License-Identifier: BSD-2-Clause
/*
 * One look at a column of a table: all of an entity's values together, without regard to time. For a job's log,
 * and for tables that are too short for evidence to add up: those make nobody more than suspicious.
 */
#include "tables_parts.h"

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
	size_t n, cap;
};

static int gather(const struct table_signal *s, struct table_entity *e, size_t n,
		  struct look_values *g)
{
	double x, y;

	table_rewind(e, n);
	for (size_t i = 0; i < n; i++)
		while (table_next(s, &e[i], INT64_MAX, &x, &y)) {
			struct look_value *at = table_room(g->at, g->n, &g->cap, sizeof(*at));

			if (!at)
				return -ENOMEM;
			g->at = at;
			at[g->n++] = (struct look_value){i, kind_of(x), y};
			e[i].values++;
		}
	return 0;
}

/* The value is the mean of an entity's logarithms, the peers' what it would be without the effect. */
static struct finding finding_of(const struct table_signal *s, const struct table_entity *e,
				 const struct look_values *g, size_t i, const struct evidence *w,
				 const struct table_found *f)
{
	struct finding_about about = table_about(s, e);
	double sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < g->n; k++)
		if (g->at[k].entity == i) {
			sum += g->at[k].value;
			n++;
		}
	about.value = table_shown(s, exp(sum / (double)n));
	about.peers = table_shown(s, exp(sum / (double)n - w->effect));
	about.onset_ns = f->from_ns;
	about.last_ns = f->to_ns;
	about.open = true;
	return finding_make(&about, w);
}

int table_look(const struct table_signal *s, struct table_entity *e, size_t n,
	       struct table_found *f)
{
	struct evidence *w = calloc(n + 1, sizeof(*w));
	struct look_values g = {0};
	int err = w ? gather(s, e, n, &g) : -ENOMEM;

	if (!err)
		err = evidence_look(g.at, g.n, n, &s->look, w);
	for (size_t i = 0; i < n && !err; i++) {
		struct table_entity_verdict *v = &f->at[i];
		bool brief;

		if (!w[i].n)
			continue;
		v->tested = true;
		v->least = fmin(v->least, w[i].least);
		v->compared = v->compared ? v->compared : 1;
		/* Rows that follow each other are no tasks: what lasts a minute is in many of them. */
		brief = !s->t->events && w[i].level > EVIDENCE_SUSPICIOUS;
		if (brief)
			w[i].level = EVIDENCE_SUSPICIOUS;
		if (w[i].level <= v->level)
			continue;
		v->brief = brief;
		v->level = w[i].level;
		v->peers = w[i].n_peers;
		v->times = 1;
		v->duty = 1;
		v->e = finding_of(s, &e[i], &g, i, &w[i], f);
	}
	free(w);
	free(g.at);
	return err == -ENODATA ? 0 : err;
}
