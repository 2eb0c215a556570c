// SPDX-License-Identifier: BSD-2-Clause
/*
 * One look at a column of a table: all of an entity's values together, without regard to time. For a job's log,
 * and for tables that are too short for evidence to add up: those make nobody more than suspicious.
 */
#include "tables_internal.h"
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
	size_t n, cap;
};

static int values_gather(struct table_panel *p, struct look_values *g)
{
	double x, y;

	table_rewind(p);
	for (size_t i = 0; i < p->n; i++)
		while (table_next(p, &p->e[i], INT64_MAX, &x, &y)) {
			struct look_value *at = array_refill(&g->at, &g->n, &g->cap);

			if (!at)
				return -ENOMEM;
			*at = (struct look_value){i, kind_of(x), y};
			p->e[i].values++;
		}
	return 0;
}

/* The value is the mean of an entity's logarithms, the peers' what it would be without the effect. */
static struct finding finding_of(const struct table_panel *p, const struct look_values *g, size_t i,
				 const struct evidence *w)
{
	const struct signal_row *row = &p->column->row;
	struct finding_about about = {.signal = p->column->signal,
				      .node = p->e[i].node,
				      .disk = p->e[i].name,
				      .symptom = row->role == ROLE_SYMPTOM,
				      .onset_ns = p->begin_ns,
				      .last_ns = p->end_ns,
				      .open = true};
	double sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < g->n; k++)
		if (g->at[k].entity == i) {
			sum += g->at[k].value;
			n++;
		}
	about.value = signal_shown(row, exp(sum / (double)n));
	about.peers = signal_shown(row, exp(sum / (double)n - w->effect));
	return finding_make(&about, w);
}

/* That it was judged, and what would have been suspicious. */
static void note_judged(struct track_entity *st, const struct evidence *w)
{
	st->least = st->tested ? fmin(st->least, w->least) : w->least;
	st->last.least_indicted = st->tested ? st->last.least_indicted : NAN;
	st->judged += !st->judged;
	st->tested = true;
}

int table_look(struct table_panel *p)
{
	struct evidence *w = calloc(p->n + 1, sizeof(*w));
	struct look_values g = {0};
	int err = w ? values_gather(p, &g) : -ENOMEM;

	if (!err)
		err = evidence_look(g.at, g.n, p->n, &p->look, w);
	for (size_t i = 0; i < p->n && !err; i++) {
		struct table_found *v = &p->found[i];
		bool brief;

		if (!w[i].n)
			continue;
		note_judged(&p->panel.track.at[i], &w[i]);
		/* Rows that follow each other are no tasks: what lasts a minute is in many of them. */
		brief = !p->t->events && w[i].level > EVIDENCE_SUSPICIOUS;
		if (brief)
			w[i].level = EVIDENCE_SUSPICIOUS;
		if (w[i].level <= v->level)
			continue;
		*v = (struct table_found){
			w[i].level, finding_of(p, &g, i, &w[i]), w[i].n_peers, 1, 1, brief};
	}
	free(w);
	free(g.at);
	return err == -ENODATA ? 0 : err;
}
