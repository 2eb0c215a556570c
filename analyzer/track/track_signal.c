// SPDX-License-Identifier: BSD-2-Clause
/* track.h: the states, and each entity in one signal. */
#include "track.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"

/* What began with the data, or so soon after that nothing can be said of a time before, and lasted: it was
 * always there. */
#define ALWAYS_S 3600
enum { ALWAYS_INTERVALS = 16 };

enum { AGAIN = 4 }; /* bad intervals after a silence */

/* Silence for so long is an end: what comes after it begins anew. Where intervals are long, some that are
 * missing are none: a table's shortest window of 16 bears 8. */
#define SILENCE_S 150
enum { SILENCE_INTERVALS = 8 };
/* Fewer intervals without a value are no news: as many as the shortest window of recordings has. */
enum { HELD_INTERVALS = 4 };

enum track_state track_next(enum track_state now, enum track_sign sign)
{
	static const enum track_state next[TRACK_STATES][TRACK_SIGNS] = {
		/* nothing, suspicious, indicts, no fault, forget */
		[TRACK_QUIET] = {TRACK_QUIET, TRACK_SUSPECT, TRACK_INDICTED, TRACK_EXCUSED,
				 TRACK_QUIET},
		[TRACK_SUSPECT] = {TRACK_QUIET, TRACK_SUSPECT, TRACK_INDICTED, TRACK_EXCUSED,
				   TRACK_SUSPECT},
		[TRACK_INDICTED] = {TRACK_OVER, TRACK_INDICTED, TRACK_INDICTED, TRACK_EXCUSED,
				    TRACK_INDICTED},
		[TRACK_EXCUSED] = {TRACK_OVER, TRACK_SUSPECT, TRACK_INDICTED, TRACK_EXCUSED,
				   TRACK_EXCUSED},
		[TRACK_OVER] = {TRACK_OVER, TRACK_SUSPECT, TRACK_INDICTED, TRACK_EXCUSED,
				TRACK_QUIET},
	};

	return next[now][sign];
}

int track_group_init(struct track_group *f, const struct track_opts *o,
		     const struct evidence_params *p)
{
	*f = (struct track_group){.o = *o, .evidence = over_time_new(0, p)};
	return f->evidence ? 0 : -ENOMEM;
}

void track_group_close(struct track_group *f)
{
	over_time_free(f->evidence);
	free(f->out);
	f->evidence = NULL;
	f->out = NULL;
}

void track_group_release(struct track_group *f)
{
	track_group_close(f);
	free(f->at);
	*f = (struct track_group){0};
}

int track_group_grow(struct track_group *f, size_t n)
{
	if (array_extend(&f->at, f->n, n) || array_extend(&f->out, f->n, n))
		return -ENOMEM;
	f->n = n > f->n ? n : f->n;
	return 0;
}

/* As it is added up. */
static struct track_values summand(const struct track_group *f, struct track_values x)
{
	if (f->o.logarithmic) {
		x.value = log(x.value);
		x.peers = log(x.peers);
	}
	return x;
}

static void excursion_add(struct excursion_sum *s, const struct track_values *x)
{
	s->value += x->value;
	s->peers += x->peers;
	s->n++;
	s->alone += x->alone;
}

static void excursion(const struct track_group *f, struct track_entity *st,
		      const struct track_values *x, int64_t from_ns, int64_t to_ns)
{
	double worse = fmax(st->r, st->r - st->usual), half = f->o.gate / 2;

	/* If it is as bad in this interval, it went on: its highest point is then the newest, not one of before. */
	if (st->ended) {
		st->cusum = st->highest = 0;
		memset(st->steps, 0, sizeof(st->steps));
	}
	st->ended = false;
	st->cusum = isfinite(worse) ? fmax(0, st->cusum + worse - half) : st->cusum;
	if (!(st->cusum > 0) || !st->since_ns) {
		st->since_ns = st->cusum > 0 ? from_ns : 0;
		st->before = st->bad.n ? st->bad : st->before;
		st->sum = st->bad = (struct excursion_sum){0};
		st->highest = 0;
	}
	if (!(st->cusum > 0))
		return;
	excursion_add(&st->sum, x);
	st->sum.worse += worse > half; /* what is under the floor is half at most */
	if (st->cusum < st->highest)
		return;
	st->highest = st->cusum;
	st->bad = st->sum;
	st->last_bad_ns = to_ns;
}

/*
 * ---- onset: an excursion may have begun long before, with less. Since when an entity is as much worse as it is tells a
 * cumulative sum that half of that difference drains (Page, Biometrika 1954); which difference that is, is known once it is
 * found, so that one is kept for each of a few.
 */

/* The step from 0 to twice `half`; bad: the interval is, as in an excursion. */
static void step_add(struct track_step *s, double r, double half, bool bad,
		     const struct track_values *x, int64_t from_ns)
{
	s->cusum = fmax(0, s->cusum + r - half);
	if (!(s->cusum > 0)) {
		*s = (struct track_step){0};
		return;
	}
	s->since_ns = s->since_ns ? s->since_ns : from_ns;
	excursion_add(&s->sum, x);
	s->sum.worse += bad;
}

static void steps_add(const struct track_group *f, struct track_entity *st,
		      const struct track_values *x, int64_t from_ns)
{
	const double r[] = {[BESIDE_PEERS] = st->r, [BESIDE_BASELINE] = st->r - st->usual};
	double worse = fmax(r[0], r[1]);

	for (size_t view = 0; view < 2; view++)
		for (size_t k = 0; k < TRACK_STEPS && isfinite(r[view]); k++)
			step_add(&st->steps[view][k], r[view], f->o.gate * (1 << k),
				 worse > f->o.gate / 2, x, from_ns);
}

static void onset_find(const struct track_group *f, struct track_entity *st)
{
	const struct track_step *steps = st->steps[st->last.view], *found = NULL;

	st->excursion_ns = st->begun_ns = st->onset_ns = st->since_ns;
	for (size_t k = 0; k < TRACK_STEPS && f->o.gate * (1 << k) <= st->last.effect / 2; k++) {
		if (!steps[k].since_ns)
			continue;
		found = &steps[k];
		if (k < TRACK_BEGUN && found->since_ns > st->begun_ns)
			st->begun_ns = found->since_ns;
	}
	if (!found || found->since_ns <= st->since_ns)
		return;
	st->onset_ns = found->since_ns;
	st->sum = st->bad = found->sum;
}

static double margin(const struct evidence *w)
{
	return w->needs > 0 ? w->t / w->needs : 0;
}

/* The least difference of longer ago says nothing of what may have come since. */
#define LEAST_S 600

static void least_keep(struct track_entity *st, int64_t to_ns)
{
	bool counts =
		st->least_ns && to_ns - st->least_ns <= ns_of_s(LEAST_S) && isfinite(st->least);

	if (st->unjudged) {
		st->least = counts ? st->least : NAN;
		return;
	}
	if (counts && !(st->last.least <= st->least))
		return;
	st->least = st->last.least;
	st->least_ns = to_ns;
}

/* What the test's answer means for it. */
static enum track_sign sign_of(struct track_entity *st)
{
	/* Until the test lets go, or there is as much of it again as the shortest window holds. */
	if (st->silenced)
		st->silenced = st->last.level != EVIDENCE_NONE && st->sum.worse < AGAIN;
	if (st->last.level == EVIDENCE_NONE || st->silenced)
		return SIGN_NOTHING;
	/* Nothing bad since it ended, or ever: what the test says is of before. */
	if (!track_in_trouble(st) && !st->since_ns)
		return SIGN_NOTHING;
	return st->last.level == EVIDENCE_INDICTED ? SIGN_INDICTS : SIGN_SUSPICIOUS;
}

/* The only place where an entity's state changes over time, but for what is excused and forgotten. */
static void entity_turn(const struct track_group *f, struct track_entity *st, enum track_sign sign,
			int64_t to_ns)
{
	enum track_state was = st->state;

	if (was == TRACK_EXCUSED)
		return;
	st->state = track_next(was, sign);
	if (!track_state_open(st->state)) {
		st->ended |= track_state_open(was);
		return;
	}
	if (!track_state_open(was)) {
		st->best = (struct evidence){0};
		onset_find(f, st);
	}
	if (st->state != was)
		st->decided_ns = to_ns;
	if (margin(&st->last) >= margin(&st->best))
		st->best = st->last;
	if (st->last_bad_ns > st->onset_ns)
		st->last_ns = st->last_bad_ns;
	else
		st->last_ns = to_ns;
}

/* Nothing goes on through a silence. */
static void entity_silence(const struct track_group *f, struct track_entity *st, int64_t to_ns)
{
	entity_turn(f, st, SIGN_NOTHING, to_ns);
	st->ended = st->silenced = true;
	st->since_ns = 0;
}

void track_excuse(struct track_entity *s)
{
	s->state = track_next(s->state, SIGN_NO_FAULT);
}

void track_group_silence(struct track_group *g, int64_t to_ns)
{
	for (size_t i = 0; i < g->n; i++)
		if (track_in_trouble(&g->at[i]))
			entity_silence(g, &g->at[i], to_ns);
}

void track_group_forget(struct track_group *g, int64_t before_ns)
{
	for (size_t i = 0; i < g->n; i++) {
		struct track_entity *st = &g->at[i];

		if (track_in_trouble(st) || st->last_ns >= before_ns)
			continue;
		st->state = track_next(st->state, SIGN_FORGET);
		st->onset_ns = 0;
	}
}

int track_group_settle(struct track_group *f)
{
	return over_time_grow(f->evidence, f->n);
}

int track_group_push(struct track_group *f, const struct residual *in, double weight,
		     const struct track_values *shown, int64_t from_ns, int64_t to_ns)
{
	if (track_group_settle(f))
		return -ENOMEM;
	if (over_time_push(f->evidence, in, weight, f->out, &f->group))
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++) {
		struct track_entity *st = &f->at[i];
		struct track_values x;

		st->r = in[i].r / weight;
		st->alone += shown[i].alone;
		if (!isfinite(in[i].r)) {
			st->unjudged++;
			if (shown[i].alone)
				least_keep(st, to_ns);
			if (st->unjudged > SILENCE_INTERVALS &&
			    st->unjudged * f->o.interval_s > SILENCE_S && track_in_trouble(st))
				entity_silence(f, st, to_ns);
			continue;
		}
		st->unjudged = 0;
		if (!st->judged++)
			st->first_ns = from_ns;
		st->last = f->out[i];
		least_keep(st, to_ns);
		st->usual = over_time_baseline(f->evidence, i) / weight;
		st->tested |= st->last.n > 0;
		st->value = shown[i].value;
		st->peers = shown[i].peers;
		st->n_peers = shown[i].n_peers;
		x = summand(f, shown[i]);
		excursion(f, st, &x, from_ns, to_ns);
		steps_add(f, st, &x, from_ns);
		entity_turn(f, st, sign_of(st), to_ns);
	}
	return 0;
}

/* That it was judged, and what would have been suspicious. */
static void look_judged(struct track_entity *st, const struct evidence *e)
{
	st->least = st->tested ? fmin(st->least, e->least) : e->least;
	st->last.least_indicted = st->tested ? st->last.least_indicted : NAN;
	st->judged += !st->judged;
	st->tested = true;
}

static bool says_more(const struct track_entity *st, enum evidence_level level)
{
	return st->state != TRACK_OVER && level > track_level(st);
}

void track_group_look(struct track_group *f, size_t i, const struct track_look *x)
{
	struct track_values shown = {.value = x->value, .peers = x->peers};
	struct track_entity *st = &f->at[i];
	enum evidence_level level = x->evidence.level;

	look_judged(st, &x->evidence);
	st->brief = x->brief && level == EVIDENCE_INDICTED;
	if (st->brief)
		level = EVIDENCE_SUSPICIOUS;
	if (!says_more(st, level))
		return;
	st->at_once = true;
	st->state =
		track_next(st->state, level == EVIDENCE_INDICTED ? SIGN_INDICTS : SIGN_SUSPICIOUS);
	st->last.level = level;
	st->best = x->evidence;
	st->n_peers = (unsigned int)x->evidence.n_peers;
	st->bad = (struct excursion_sum){0};
	shown = summand(f, shown);
	excursion_add(&st->bad, &shown);
	st->excursion_ns = st->begun_ns = st->onset_ns = x->from_ns;
	st->decided_ns = st->last_ns = x->to_ns;
}

struct track_values track_means(const struct track_group *f, size_t i)
{
	const struct track_entity *st = &f->at[i];
	const struct excursion_sum *s = st->bad.n ? &st->bad : st->sum.n ? &st->sum : &st->before;
	struct track_values x = {NAN, NAN, st->n_peers, false};

	if (!s->n)
		return x;
	x.value = s->value / (double)s->n;
	x.peers = s->peers / (double)s->n;
	if (f->o.logarithmic) {
		x.value = exp(x.value);
		x.peers = exp(x.peers);
	}
	return x;
}

static bool always(const struct track_group *f, const struct track_entity *st)
{
	double interval_ns = f->o.interval_s * 1e9;

	return !st->at_once &&
	       (double)(st->excursion_ns - st->first_ns) < ALWAYS_INTERVALS * interval_ns &&
	       (double)(st->last_ns - st->onset_ns) >= ALWAYS_S * 1e9;
}

struct finding track_finding(const struct track_group *f, size_t i, struct finding_about about)
{
	const struct track_entity *st = &f->at[i];
	struct track_values means = track_means(f, i);
	struct evidence e = st->best;
	double effect = log((means.value + f->o.added) / (means.peers + f->o.added));

	about.value = means.value;
	about.peers = means.peers;
	if (e.view == BESIDE_BASELINE && isfinite(st->usual))
		about.baseline = st->usual;
	about.flagged = st->bad.worse;
	about.judged = st->at_once ? 0 : st->bad.n;
	about.begun_ns = st->begun_ns;
	about.onset_ns = st->onset_ns;
	about.decided_ns = st->decided_ns;
	about.last_ns = st->last_ns;
	about.chronic = always(f, st);
	about.open = track_in_trouble(st);
	about.held = st->unjudged >= HELD_INTERVALS;
	/* The effect is that of all the time since the onset, as sure as in the strongest window. */
	effect -= about.baseline;
	e.lower = effect + e.lower - e.effect;
	e.effect = effect;
	return finding_make(&about, &e);
}
