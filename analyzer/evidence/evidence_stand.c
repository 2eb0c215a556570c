// SPDX-License-Identifier: BSD-2-Clause
/* What stands: of all lengths and both views the window that says most and is not over. */
#include "evidence_parts.h"

#include "analyzer/stat/student.h"

/*
 * A window shows a fault to be over if even two standard errors above its effect it is under half
 * of what the fault was at least, and no suspicion would fall on the effect itself. A fault that
 * lasts would have to seem smaller by four standard errors.
 */
static const double SURE = 2, HALF = 0.5;
/* Such a window holds two of the shortest, so that a pause of a fault is no end. */
enum { CLEAR_SHORTEST = 2 };

const struct weighed weighed_nothing = {.effect = NAN,
					.lower = NAN,
					.t = NAN,
					.need = NAN,
					.df = NAN,
					.spread = NAN,
					.p = NAN,
					.seen = NAN,
					.noticed = NAN};

static double lower_bound(const struct judged *j)
{
	return j->effect - j->bound * j->error;
}

/* Whether the latest window of this length holds against the entity today. */
static bool stands(const struct view *v, const struct length *l, size_t i)
{
	return l->at && l->at[i].level != EVIDENCE_NONE && !l->at[i].over &&
	       l->end - l->intervals >= v->course[i].cleared;
}

/*
 * What stands against the entity makes its effect, and a shorter window that came later and shows
 * nothing of it clears all that began before. A length that stands ends the search: its window lies
 * in those of the longer ones, or came after them, so that they do not show the end of it.
 */
static void clear(const struct evidence *e, struct view *v, size_t i)
{
	const struct length *shortest = &v->length[e->p.k_min], *end = &v->length[e->p.k_max] + 1;
	struct course *course = &v->course[i];
	bool any = false;

	for (const struct length *l = shortest; l < end; l++) {
		if (stands(v, l, i)) {
			course->effect = fmax(course->effect, lower_bound(&l->at[i]));
			any = true;
		}
	}
	if (!any)
		course->effect = 0;
	for (const struct length *l = shortest; any && l < end && !stands(v, l, i); l++) {
		const struct judged *j = l->at ? &l->at[i] : NULL;

		if (!j || l->intervals < CLEAR_SHORTEST * shortest->intervals ||
		    !(j->effect < e->p.gate_suspect) ||
		    j->effect + SURE * j->error >= HALF * course->effect)
			continue;
		if (l->end - l->intervals > course->cleared) {
			course->cleared = l->end - l->intervals;
			course->effect = 0;
			break;
		}
	}
}

/* Whether a says more than b, each by how much of what it needs it has. */
static bool says_more(enum evidence_level level, double t, double need, const struct weighed *b)
{
	if (!b->intervals || level != b->level)
		return !b->intervals || level > b->level;
	return t * b->need > b->t * need;
}

static void one_length(const struct evidence *e, const struct view *v, const struct length *l,
		       size_t i, struct weighed *w)
{
	const struct judged *j = l->at ? &l->at[i] : NULL;

	if (!j || isnan(j->t))
		return;
	w->seen = fmin(w->seen, j->seen);
	if (v == e->view)
		w->noticed = fmin(w->noticed, j->noticed);
	if (j->level != EVIDENCE_NONE && !stands(v, l, i))
		return;
	if (!says_more(j->level, j->t, j->need, w))
		return;
	w->level = j->level;
	w->own = v != e->view;
	w->intervals = l->intervals;
	w->peers = l->judged - 1;
	w->effect = j->effect;
	w->lower = lower_bound(j);
	w->t = j->t;
	w->need = j->need;
	w->df = j->df;
	w->spread = sqrt(j->used);
}

static void one_entity(struct evidence *e, size_t i)
{
	struct weighed *w = &e->out[i];
	double t = w->t, df = w->df, p = w->p;

	*w = weighed_nothing;
	for (size_t view = 0; view < 2; view++) {
		clear(e, &e->view[view], i);
		for (unsigned int k = e->p.k_min; k <= e->p.k_max; k++)
			one_length(e, &e->view[view], &e->view[view].length[k], i, w);
	}
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
