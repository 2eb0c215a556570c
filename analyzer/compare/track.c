// SPDX-License-Identifier: BSD-2-Clause
/* One signal over time: the peers' spread, the votes, and what of it may be learnt. */
#include "track_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"

enum {
	LEAST = 3,  /* judged in a window; with fewer nobody knows who is the odd one */
	FEW = 5,    /* with fewer the rule for few is used */
	FORGET = 3, /* votes are forgotten after so many times `of` */
};

static unsigned int at_least(unsigned int x, unsigned int least)
{
	return x < least ? least : x;
}

struct track *track_new(size_t n, const struct track_params *p)
{
	struct track *t = calloc(1, sizeof(*t));
	struct track_params *q;
	size_t own;

	if (!t)
		return NULL;
	t->p = *p;
	q = &t->p;
	q->spread = at_least(q->spread, 1);
	q->apart = at_least(q->apart, 1);
	q->of = at_least(q->of, 1);
	q->few_of = at_least(q->few_of, 1);
	q->offset_intervals = at_least(q->offset_intervals, 2);
	q->slow_min = at_least(q->slow_min, 1);
	q->slow_max = at_least(q->slow_max, q->slow_min);
	t->ring = (size_t)at_least(at_least(q->of, q->few_of), q->apart) + 1;
	own = at_least(q->slow_max, q->spread);
	t->own = calloc(own, sizeof(*t->own));
	if (!t->own || track_grow(t, n)) {
		track_free(t);
		return NULL;
	}
	return t;
}

void track_free(struct track *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		free(t->at[i].past);
		free(t->at[i].offset);
		free(t->at[i].slow.d);
		free(t->at[i].slow.excess);
	}
	free(t->at);
	free(t->recent);
	free(t->work);
	free(t->own);
	free(t->d);
	free(t->away);
	free(t);
}

/* On failure *x stays as it was. */
static bool larger(double **x, size_t n, size_t each)
{
	double *more = reallocarray(*x, n + 1, each * sizeof(*more));

	if (more)
		*x = more;
	return more;
}

int track_grow(struct track *t, size_t n)
{
	struct entity *at;

	if (n < t->n)
		return 0;
	if (!larger(&t->recent, n, t->p.spread) || !larger(&t->work, n, t->p.spread) ||
	    !larger(&t->d, n, 1) || !larger(&t->away, n, 1))
		return -ENOMEM;
	at = reallocarray(t->at, n + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	t->at = at;
	for (size_t i = t->n; i < n; i++)
		t->at[i] = (struct entity){
			.slow = {
				.value = NAN, .z = NAN, .ratio = NAN, .sigma = NAN, .median = NAN}};
	for (size_t k = t->n * t->p.spread; k < n * t->p.spread; k++)
		t->recent[k] = NAN;
	t->n = n;
	return 0;
}

/* ---- the peers' spread ---------------------------------------------------------------------------- */

/* |d - what is usual - what was common| of everybody in the last windows: work[0, m), of which [lo, hi] is in its
 * sorted place. */
struct spread {
	size_t m, lo, hi;
};

static size_t residuals(const struct track *t, size_t i, double *out)
{
	const double *recent = t->recent + i * t->p.spread;
	size_t m = 0;

	for (size_t k = 0; k < t->p.spread; k++)
		if (!isnan(recent[k]))
			out[m++] = fabs(recent[k] - t->at[i].usual);
	return m;
}

/* Without one's own, of which there are at most `spread`, the middle is near the middle of all: only
 * there it has to be sorted. */
static struct spread spread_of(struct track *t)
{
	struct spread s = {0};

	for (size_t i = 0; i < t->n; i++)
		s.m += residuals(t, i, t->work + s.m);
	if (!s.m)
		return s;
	s.lo = s.m > t->p.spread + 1 ? (s.m - t->p.spread - 1) / 2 : 0;
	s.hi = s.m / 2 + t->p.spread < s.m ? s.m / 2 + t->p.spread : s.m - 1;
	stats_select(t->work, s.m, s.lo);
	if (s.hi > s.lo)
		stats_select(t->work + s.lo + 1, s.m - s.lo - 1, s.hi - s.lo - 1);
	stats_sort(t->work + s.lo, s.hi - s.lo + 1);
	return s;
}

/* The k-th smallest of the peers': one's own, ascending, are passed over. */
static double peer(const struct track *t, const struct spread *s, size_t n_own, size_t k)
{
	for (size_t o = 0; o < n_own && k < s->hi; o++)
		k += t->own[o] <= t->work[k];
	return t->work[k];
}

static double sigma_of(struct track *t, const struct spread *s, size_t i)
{
	size_t n_own = residuals(t, i, t->own), m = s->m - n_own;
	double median;

	if (!m)
		return t->p.sigma_min;
	stats_sort(t->own, n_own);
	median = 0.5 * (peer(t, s, n_own, (m - 1) / 2) + peer(t, s, n_own, m / 2));
	return fmax(t->p.sigma_min, 1.4826 * median);
}

/* ---- one entity ----------------------------------------------------------------------------------- */

/* The window so many judged windows ago; 0: the one at hand. */
static const struct past *ago(const struct track *t, const struct entity *e, uint64_t k)
{
	return &e->past[(e->judged - 1 - k) % t->ring];
}

/* Whether all intervals were worse, each alone, for as long as two windows that do not overlap take, and `votes`
 * of these windows flagged by far. */
static bool without_a_break(const struct track *t, const struct entity *e, unsigned int votes)
{
	for (uint64_t k = 0; k <= t->p.apart; k++) {
		const struct past *w = k < e->judged ? ago(t, e, k) : NULL;

		if (!w || !w->worse || t->push - w->push != k)
			return false;
		votes -= w->by_far && votes;
	}
	return !votes;
}

/* Whether the vote is complete, and how it stands. */
static bool count_votes(const struct track *t, const struct entity *e, struct look *l)
{
	unsigned int of = l->low ? t->p.few_of : t->p.of;
	unsigned int votes = l->low ? t->p.few_votes : t->p.votes;
	uint64_t first = 0, last = 0;

	for (uint64_t k = 0; k < of && k < e->judged; k++) {
		const struct past *w = ago(t, e, k);

		if (t->push - w->push > (uint64_t)FORGET * of)
			break;
		l->of++;
		if (!w->flagged)
			continue;
		if (!l->flags++)
			last = w->push;
		first = w->push;
	}
	return l->flagged && l->flags >= votes &&
	       (last - first >= t->p.apart || without_a_break(t, e, votes));
}

/*
 * What is learnt is the window that is `ring - 1` judged windows old, and only if neither it nor any of
 * as many before and after it was flagged, odd or chronic: a fault would have shown by then.
 */
static void learn(const struct track *t, struct entity *e)
{
	uint64_t delay = t->ring - 1;

	if (t->p.offset && e->quiet > 2 * delay && e->judged > delay)
		offset_learn(t, e, ago(t, e, delay)->d, 1);
}

static void remember(const struct track *t, struct entity *e, double d, bool flagged, bool by_far,
		     bool worse)
{
	uint64_t delay = t->ring - 1;

	if (!e->judged) {
		e->quiet = delay; /* nothing was flagged before the beginning */
		e->clear = 0;
	} else if (t->push - ago(t, e, 0)->push > (uint64_t)FORGET * t->p.of) {
		e->odd = false; /* too long ago to be said of it still */
		e->quiet = 0;
	}
	e->past[e->judged++ % t->ring] = (struct past){
		.push = t->push, .d = d, .flagged = flagged, .by_far = by_far, .worse = worse};
	e->clear = flagged ? 0 : e->clear + 1;
}

static void look_at(struct track *t, const struct spread *s, size_t i, const struct compared *c,
		    bool excess, bool low, struct look *l)
{
	struct entity *e = &t->at[i];
	unsigned int of = low ? t->p.few_of : t->p.of;
	double ratio = low ? t->p.few_ratio : t->p.ratio;

	l->judged = true;
	l->low = low;
	l->d = c->d;
	l->value = c->value;
	l->peers = c->peers;
	l->offset = e->b;
	l->sigma = sigma_of(t, s, i);
	l->z = (c->d - e->b) / l->sigma;
	l->ratio = exp(c->d - e->b);
	l->flagged = excess && !c->over && l->z >= t->p.z && l->ratio >= ratio;
	remember(t, e, c->d, l->flagged, l->flagged && l->z >= t->p.far_z,
		 c->newest - e->b >= fmax(log(ratio), t->p.z * l->sigma));
	if (count_votes(t, e, l))
		e->odd = true;
	else if (e->clear >= of)
		e->odd = false;
	l->odd = e->odd;
}

/* ---- all of them ---------------------------------------------------------------------------------- */

static int begin(const struct track *t, struct entity *e)
{
	if (!e->past)
		e->past = calloc(t->ring, sizeof(*e->past));
	if (!e->past || slow_begin(t, e) || (t->p.offset && offset_begin(e)))
		return -ENOMEM;
	return 0;
}

static const struct look unseen = {.d = NAN,
				   .offset = NAN,
				   .sigma = NAN,
				   .z = NAN,
				   .ratio = NAN,
				   .value = NAN,
				   .peers = NAN,
				   .slow_d = NAN,
				   .slow_z = NAN,
				   .slow_ratio = NAN,
				   .slow_sigma = NAN};

/*
 * What the healthy have in common in this window: with few peers one that is slow moves the medians of
 * all the others, by the same amount and down. That is not spread: with three servers it would hide the
 * one that limps [D].
 */
static double centre(struct track *t, const struct compared *c)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (isfinite(c[i].d))
			t->work[n++] = c[i].d - t->at[i].usual;
	return n ? stats_quantile(t->work, n, 0.5) : 0;
}

int track_push(struct track *t, const struct compared *c, const bool *excess, struct look *out)
{
	size_t judged = 0;
	struct spread s;
	double common;

	for (size_t i = 0; i < t->n; i++) {
		out[i] = unseen;
		judged += isfinite(c[i].d);
	}
	for (size_t i = 0; i < t->n && judged >= LEAST; i++) {
		if (!isfinite(c[i].d))
			continue;
		if (begin(t, &t->at[i]))
			return -ENOMEM;
	}
	t->push++;
	for (size_t i = 0; i < t->n; i++)
		offset_turn(t, &t->at[i]);
	common = centre(t, c);
	for (size_t i = 0; i < t->n; i++) {
		bool here = judged >= LEAST && isfinite(c[i].d);

		t->recent[i * t->p.spread + t->push % t->p.spread] = here ? c[i].d - common : NAN;
	}
	s = spread_of(t);
	for (size_t i = 0; i < t->n && judged >= LEAST; i++) {
		if (!isfinite(c[i].d))
			continue;
		look_at(t, &s, i, &c[i], !excess || excess[i], judged < FEW, &out[i]);
		slow_add(t, &t->at[i], c[i].d, !excess || excess[i]);
	}
	if (t->push % t->p.apart == 0)
		slow_test(t);
	for (size_t i = 0; i < t->n; i++) {
		struct entity *e = &t->at[i];
		struct look *l = &out[i];

		if (!l->judged)
			continue;
		l->slow_d = e->slow.value;
		l->slow_z = e->slow.z;
		l->slow_ratio = e->slow.ratio;
		l->slow_sigma = e->slow.sigma;
		l->slow_windows = e->slow.windows;
		l->chronic = e->slow.chronic;
		e->quiet = l->flagged || l->odd || l->chronic ? 0 : e->quiet + 1;
		learn(t, e);
	}
	return 0;
}

double track_offset(const struct track *t, size_t i)
{
	const struct entity *e = &t->at[i];

	return e->offset && e->learnt >= t->p.offset_min && e->learnt > 0 ? e->b : NAN;
}

void track_set_offset(struct track *t, size_t i, double offset)
{
	if (!t->p.offset || !isfinite(offset) || offset_begin(&t->at[i]))
		return;
	offset_learn(t, &t->at[i], offset, at_least(t->p.offset_min, 1));
}
