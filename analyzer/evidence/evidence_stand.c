// SPDX-License-Identifier: BSD-2-Clause
/* What stands: of all lengths and both views the window that says most and is not over. */
#include "evidence_parts.h"

#include "analyzer/stat/student.h"

/*
 * Standard errors above an effect, of which all under half of the old effect ends what longer windows say. A
 * lasting fault is looked at by many shorter windows: an effect of two and a half of their standard errors, the
 * least that is ever indicted, would have to seem lower by more than four of them.
 */
static const double SURE = 3;

const struct weighed weighed_nothing = {.effect = NAN,
					.lower = NAN,
					.t = NAN,
					.need = NAN,
					.df = NAN,
					.spread = NAN,
					.p = NAN,
					.seen = NAN};

/* Such a window holds four of the shortest, so that a pause of a fault is no end. */
enum { CLEAR_SHORTEST = 4 };

/* Shorter windows that show what this one found to be over: none of its age counts for the entity any more. */
static void clear(const struct evidence *e, struct view *v, const struct length *l, size_t i)
{
	const struct length *shortest = &v->length[e->p.k_min];

	for (const struct length *s = shortest; s < l; s++) {
		const struct judged *now = &s->at[i];
		uint64_t begin = s->end - s->intervals;

		if (s->intervals >= CLEAR_SHORTEST * shortest->intervals && s->windows &&
		    now->effect + SURE * now->error < l->at[i].effect / 2 && begin > v->cleared[i])
			v->cleared[i] = begin;
	}
}

/* Whether a says more than b, each by how much of what it needs it has. */
static bool says_more(enum evidence_level level, double t, double need, const struct weighed *b)
{
	if (!b->intervals || level != b->level)
		return !b->intervals || level > b->level;
	return t * b->need > b->t * need;
}

static void one_length(const struct evidence *e, struct view *v, const struct length *l, size_t i,
		       struct weighed *w)
{
	const struct judged *j = &l->at[i];

	if (!l->windows || isnan(j->t))
		return;
	w->seen = fmin(w->seen, j->seen);
	if (j->level != EVIDENCE_NONE) {
		clear(e, v, l, i);
		if (j->level > w->past)
			w->past = j->level;
		if (j->over || l->end - l->intervals < v->cleared[i])
			return;
	}
	if (!says_more(j->level, j->t, l->needs.indict, w))
		return;
	w->level = j->level;
	w->own = v != e->view;
	w->intervals = l->intervals;
	w->peers = l->judged - 1;
	w->effect = j->effect;
	w->lower = j->effect - l->needs.bound * j->error;
	w->t = j->t;
	w->need = l->needs.indict;
	w->df = l->needs.df;
	w->spread = sqrt(l->used);
}

static void one_entity(struct evidence *e, size_t i)
{
	struct weighed *w = &e->out[i];
	double t = w->t, df = w->df, p = w->p;

	*w = weighed_nothing;
	for (size_t view = 0; view < 2; view++)
		for (unsigned int k = e->p.k_min; k <= e->p.k_max; k++)
			one_length(e, &e->view[view], &e->view[view].length[k], i, w);
	if (w->intervals)
		w->p = w->t == t && w->df == df ? p : student_tail(w->t, w->df);
}

static void whole_group(struct evidence *e)
{
	struct evidence_group g = {0};

	for (size_t view = 0; view < 2; view++) {
		for (unsigned int k = e->p.k_min; k <= e->p.k_max; k++) {
			const struct length *l = &e->view[view].length[k];

			if (!l->slow || (g.halves && l->apart <= g.effect))
				continue;
			g = (struct evidence_group){.halves = true,
						    .own = view > 0,
						    .slow = l->slow,
						    .of = l->judged,
						    .effect = l->apart,
						    .intervals = l->intervals};
		}
	}
	g.since = e->group.halves ? e->group.since : e->pushes;
	e->group = g;
}

void stand(struct evidence *e)
{
	for (size_t i = 0; i < e->n; i++)
		one_entity(e, i);
	whole_group(e);
}
