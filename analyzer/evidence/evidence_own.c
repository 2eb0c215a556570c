// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is usual for each entity: the mean of its own residuals until half an hour ago. Exact to the
 * interval where half an hour has up to 16; else in slots of a sixteenth, so that it may be 32
 * minutes.
 */
#include "evidence_parts.h"

static const double LAG_S = 1800; /* a fault of half an hour is not learnt before it is seen */
static const double OWN_MAX = 0.4054651081; /* ln 1.5: what is further up is no habit */
static const double OWN_CLIP = 1; /* ln: of one interval, so that a burst is none either */

void own_start(struct evidence *e)
{
	double lag = LAG_S / e->p.interval_s;

	e->own_lag = lag < 1 ? 1 : lag > 1e6 ? 1000000 : (unsigned int)lag;
	e->own_step = (e->own_lag + OWN_SLOTS - 2) / (OWN_SLOTS - 1);
	/* The newest value of the slot that is emptied is own_lag old. */
	e->own_slots = (e->own_lag - 1 + e->own_step - 1) / e->own_step + 1;
}

static double clipped(double x, double max)
{
	return fmax(-max, fmin(max, x));
}

double evidence_usual(const struct evidence *e, size_t i)
{
	if (i >= e->n || e->own[i].count < e->own_lag)
		return NAN;
	return clipped(e->own[i].sum / e->own[i].count, OWN_MAX);
}

/* The oldest slot becomes part of the past, and is filled anew. */
static void next_slot(struct evidence *e)
{
	e->own_in = 0;
	e->own_at = (e->own_at + 1) % e->own_slots;
	for (size_t i = 0; i < e->n; i++) {
		struct own *o = &e->own[i];
		struct own_slot *s = &o->slot[e->own_at];

		if (!s->count)
			continue;
		o->sum += s->sum;
		o->doubt += s->doubt;
		o->count += s->count;
		*s = (struct own_slot){0};
	}
}

bool own_less(struct evidence *e)
{
	bool any = false;

	if (e->own_in == e->own_step)
		next_slot(e);
	for (size_t i = 0; i < e->n; i++) {
		double usual = evidence_usual(e, i);

		e->less[i] = e->in[i];
		e->less[i].r -= usual;
		/* The load differed then, too. */
		if (!isnan(usual))
			e->less[i].doubt -= clipped(e->own[i].doubt / e->own[i].count, OWN_MAX);
		any |= !isnan(usual);
	}
	return any;
}

void own_learn(struct evidence *e)
{
	for (size_t i = 0; i < e->n; i++) {
		struct own *o = &e->own[i];
		struct own_slot *s = &o->slot[e->own_at];

		if (e->out[i].level == EVIDENCE_INDICTED) {
			/* What is in the slots may be the fault already. */
			if (!o->frozen)
				for (unsigned int k = 0; k < OWN_SLOTS; k++)
					o->slot[k] = (struct own_slot){0};
			o->frozen = true;
			continue;
		}
		o->frozen = false;
		if (isnan(e->in[i].r))
			continue;
		s->sum += (float)clipped(e->in[i].r, OWN_CLIP);
		s->doubt += (float)clipped(e->in[i].doubt, OWN_CLIP);
		s->count++;
	}
	e->own_in++;
}

void evidence_set_usual(struct evidence *e, size_t i, double usual)
{
	struct own *o = &e->own[i];

	o->count = e->own_lag;
	o->sum = clipped(usual, OWN_MAX) * o->count;
	o->doubt = 0;
}
