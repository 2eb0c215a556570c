// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who deviates in one column of a table, and its findings: episodes of the fast test, the
 * slow one.
 */
#include "tables_parts.h"
#include "userspace/common/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORGET = 3 }; /* as of track.h: votes are forgotten after so many times `of` windows */

enum { LEAST = 3 }; /* as of track.h: fewer judged entities than this judge nobody */

/*
 * Windows times entities; more than this must not be nearly empty, as of frame.h: times at random
 * would cost hours.
 */
#define SPARSE_LOOKS ((size_t)1 << 26)
enum { SPARSE_FACTOR = 1000 };

/* From a flagged window to `of` judged ones without a flag. */
struct episode {
	struct finding e;    /* of the window with the largest z; times and counts of all of it */
	unsigned int judged; /* so far; e.judged: up to the last flagged one */
	unsigned int alone;  /* flagged where no equal load was to be found */
	bool low;
};

/* How one entity stands. */
struct standing {
	bool running, odd, told, burst; /* whether now, best and worst are there */
	unsigned int quiet;		/* judged windows since the last flag */
	struct episode now;		/* running */
	struct episode best;		/* those the vote was complete in, together */
	struct episode worst;		/* of the others, the one with the largest z */
	struct look last;
	unsigned int judged, flagged, alone; /* of all windows */
	int64_t first_ns, last_ns, flagged_ns, chronic_ns;
	/* The window whose d is nearest to that of the slow test. */
	double nearest, value, peers;
	unsigned int n_peers;
};

struct follower {
	const struct table_signal *s;
	const struct table_entity *e;
	size_t n;
	struct table_found *f;
	struct verdict *a;
	size_t cap_looks;
	struct track *track;
	struct standing *at;
	struct compared *none;
	bool *excess;
	struct look *looks;
	uint64_t silent;      /* windows without judgement since the last */
	size_t samples, work; /* of all; entities looked at, all windows together */
};

static void name_disk(const struct follower *w, size_t i, char disk[INSTANCE_LEN])
{
	snprintf(disk, INSTANCE_LEN, "%.*s", INSTANCE_LEN - 1,
		 w->s->t->instances.n ? w->s->t->instances.at[w->e[i].instance] : "");
}

static struct finding finding_of(const struct follower *w, size_t i)
{
	struct finding e = {.signal = w->s->signal,
			    .node = w->e[i].node,
			    .usual = 1,
			    .w1 = NAN,
			    .p99 = NAN,
			    .p99_peers = NAN,
			    .symptom = w->s->row->role == ROLE_SYMPTOM};

	name_disk(w, i, e.disk);
	return e;
}

/* ---- the fast test --------------------------------------------------------------------------- */

/* Of two times the same trouble: one, from the first to the last. */
static void join(struct episode *to, const struct episode *x, unsigned int judged_since)
{
	struct finding was = to->e;

	if (x->e.z > was.z)
		to->e = x->e;
	to->e.flagged = was.flagged + x->e.flagged;
	to->e.judged = judged_since;
	to->e.onset_ns = was.onset_ns;
	to->e.decided_ns = was.decided_ns;
	to->e.last_ns = x->e.last_ns;
	to->alone += x->alone;
	to->low &= x->low;
}

/* Ends the running episode. */
static void put_away(struct standing *st)
{
	struct episode *x = &st->now;

	if (!st->running)
		return;
	st->running = false;
	if (!x->e.decided_ns) {
		if (!st->burst || x->e.z > st->worst.e.z)
			st->worst = *x;
		st->burst = true;
	} else if (st->told) {
		st->best.judged += x->judged;
		join(&st->best, x, st->best.judged - x->judged + x->e.judged);
	} else {
		st->best = *x;
		st->told = true;
	}
}

static void flag(struct follower *w, size_t i, const struct table_window *at, const struct look *l)
{
	struct standing *st = &w->at[i];
	struct episode *x = &st->now;

	if (!st->running) {
		*x = (struct episode){.e = finding_of(w, i), .judged = 1};
		x->e.z = -INFINITY;
		x->e.onset_ns = at->from_ns;
		x->e.decided_ns = 0;
		st->running = true;
	}
	if (l->z > x->e.z) {
		x->e.z = l->z;
		x->e.ratio = l->ratio;
		x->e.value = l->value;
		x->e.peers = l->peers;
		x->e.spread = exp(l->sigma);
		x->e.n_peers = at->c[i].n_peers;
	}
	x->e.flagged++;
	x->e.judged = x->judged;
	x->e.last_ns = at->to_ns;
	x->alone += at->c[i].in == IN_ANY;
	if (l->odd && !x->e.decided_ns) {
		x->e.decided_ns = at->to_ns;
		x->low = l->low;
	}
	st->quiet = 0;
	st->flagged++;
	st->flagged_ns = at->to_ns;
}

static void look_on(struct follower *w, size_t i, const struct table_window *at)
{
	struct standing *st = &w->at[i];
	const struct look *l = &w->looks[i];

	if (!l->judged)
		return;
	if (!st->judged++)
		st->first_ns = at->from_ns;
	st->last_ns = at->to_ns;
	st->alone += at->c[i].in == IN_ANY;
	if (l->chronic && !(st->last.judged && st->last.chronic))
		st->chronic_ns = at->to_ns;
	st->last = *l;
	/* What is no longer odd, or was flagged long before a gap, is over. */
	if (st->running && st->odd && !l->odd)
		put_away(st);
	if (st->running &&
	    (st->quiet >= w->s->track.of || w->silent > (uint64_t)FORGET * w->s->track.of))
		put_away(st);
	st->odd = l->odd;
	if (st->running) {
		st->now.judged++;
		st->quiet++;
	}
	if (st->told && !st->running)
		st->best.judged++;
	if (l->flagged)
		flag(w, i, at, l);
}

/* ---- each window ----------------------------------------------------------------------------- */

static int explain(struct follower *w, size_t i, const struct table_window *at)
{
	const struct look *l = &w->looks[i];
	struct explained_look *x;

	if (!l->judged)
		return 0;
	x = table_room(w->a->looks, w->a->n_looks, &w->cap_looks, sizeof(*x));
	if (!x)
		return -ENOMEM;
	w->a->looks = x;
	x += w->a->n_looks++;
	*x = (struct explained_look){
		.from_ns = at->from_ns,
		.to_ns = at->to_ns,
		.node = w->e[i].node,
		.signal = w->s->signal,
		.value = l->value,
		.peers = l->peers,
		.d = l->d,
		.offset = l->offset,
		.sigma = l->sigma,
		.z = l->z,
		.ratio = l->ratio,
		.flagged = l->flagged,
		.odd = l->odd,
		.chronic = l->chronic,
	};
	name_disk(w, i, x->disk);
	return 0;
}

/* Votes before a gap do not count with those after it. */
static int pass_silence(struct follower *w)
{
	uint64_t of = w->s->track.of > w->s->track.few_of ? w->s->track.of : w->s->track.few_of;
	int err = 0;

	for (uint64_t k = 0; k < w->silent && k <= FORGET * of && !err; k++) {
		err = track_push(w->track, w->none, NULL, w->looks);
		w->work += w->n;
	}
	return err;
}

/* Whether a window says nothing of anybody: it is silence, too. */
static bool is_silent(const struct follower *w, const struct table_window *at)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n && n < LEAST; i++)
		n += isfinite(at->c[i].d);
	return n < LEAST;
}

static int check_work(struct follower *w)
{
	w->work += w->n;
	if (w->work <= SPARSE_LOOKS || w->work / SPARSE_FACTOR <= w->samples)
		return 0;
	fail("the values of '%s' are spread over too many windows: a clock was wrong, or choose a "
	     "part with --from and --to",
	     w->s->t->metrics.at[w->s->metric]);
	return -E2BIG;
}

static int judge_window(void *arg, const struct table_window *at)
{
	struct follower *w = arg;
	struct table_found *f = w->f;
	int err = check_work(w);

	f->from_ns = f->windows ? f->from_ns : at->from_ns;
	f->to_ns = at->to_ns;
	f->windows++;
	w->silent += at->silent;
	if (err || is_silent(w, at)) {
		w->silent++;
		return err;
	}
	err = pass_silence(w);
	for (size_t i = 0; i < w->n; i++)
		w->excess[i] = fabs(at->c[i].value - at->c[i].peers) > w->s->row->floor;
	if (!err)
		err = track_push(w->track, at->c, w->s->row->floor > 0 ? w->excess : NULL,
				 w->looks);
	for (size_t i = 0; i < w->n && !err; i++) {
		look_on(w, i, at);
		if (w->s->explain)
			err = explain(w, i, at);
	}
	w->silent = 0;
	return err;
}

/* The second time: what is shown of those who are always slower, of a window that is like all. */
static int find_typical(void *arg, const struct table_window *at)
{
	struct follower *w = arg;

	for (size_t i = 0; i < w->n; i++) {
		struct standing *st = &w->at[i];
		double off = fabs(at->c[i].d - st->last.slow_d);

		if (!st->last.chronic || !(off < st->nearest))
			continue;
		st->nearest = off;
		st->value = at->c[i].value;
		st->peers = at->c[i].peers;
		st->n_peers = at->c[i].n_peers;
	}
	return 0;
}

/* ---- in the end ------------------------------------------------------------------------------ */

/* The slow test is of all the time: it says more than an episode of it. */
static struct finding chronic(const struct follower *w, size_t i)
{
	const struct standing *st = &w->at[i];
	struct finding e = finding_of(w, i);

	e.chronic = e.open = true;
	e.value = st->value;
	e.peers = st->peers;
	e.n_peers = st->n_peers;
	e.z = st->last.slow_z;
	e.ratio = st->last.slow_ratio;
	e.spread = exp(st->last.slow_sigma);
	e.flagged = st->flagged;
	e.judged = st->judged;
	e.onset_ns = st->first_ns;
	e.decided_ns = st->chronic_ns;
	if (st->told && st->best.e.decided_ns < e.decided_ns)
		e.decided_ns = st->best.e.decided_ns;
	e.last_ns = st->last_ns;
	return e;
}

static int tell(struct follower *w, size_t i)
{
	struct standing *st = &w->at[i];
	bool open = st->running && st->odd, slow = st->last.judged && st->last.chronic;
	struct table_found *f = w->f;
	struct finding *at;

	put_away(st);
	f->judged[i] = st->judged;
	if (slow || st->told) {
		size_t cap_low = f->cap, cap_unlike = f->cap;
		bool *low = table_room(f->low, f->n, &cap_low, sizeof(*low)), *unlike;

		f->low = low ? low : f->low;
		unlike = table_room(f->unlike, f->n, &cap_unlike, sizeof(*unlike));
		f->unlike = unlike ? unlike : f->unlike;
		at = table_room(f->at, f->n, &f->cap, sizeof(*at));
		f->at = at ? at : f->at;
		if (!low || !unlike || !at)
			return -ENOMEM;
		at[f->n] = slow ? chronic(w, i) : st->best.e;
		if (!slow)
			at[f->n].open = open;
		low[f->n] = !slow && st->best.low;
		unlike[f->n] =
			slow ? 2 * st->alone > st->judged : 2 * st->best.alone > st->best.e.flagged;
		f->n++;
	} else if (st->burst) {
		at = table_room(f->ruled_out, f->n_ruled_out, &f->cap_ruled_out, sizeof(*at));
		if (!at)
			return -ENOMEM;
		f->ruled_out = at;
		at[f->n_ruled_out++] = st->worst.e;
	}
	return 0;
}

int table_follow(const struct table_signal *s, struct table_entity *e, size_t n,
		 struct table_found *f, struct verdict *a)
{
	struct follower w = {.s = s, .e = e, .n = n, .f = f, .a = a, .cap_looks = a->n_looks};
	bool any = false;
	int err = -ENOMEM;

	w.track = track_new(n, &s->track);
	w.at = calloc(n + 1, sizeof(*w.at));
	w.none = calloc(n + 1, sizeof(*w.none));
	w.excess = calloc(n + 1, sizeof(*w.excess));
	w.looks = calloc(n + 1, sizeof(*w.looks));
	if (!w.track || !w.at || !w.none || !w.excess || !w.looks)
		goto out;
	for (size_t i = 0; i < n; i++) {
		w.none[i].d = w.none[i].value = w.none[i].peers = NAN;
		w.samples += e[i].end - e[i].begin;
		w.at[i].nearest = INFINITY;
		w.at[i].value = w.at[i].peers = NAN;
	}
	err = table_walk(s, e, n, judge_window, &w);
	for (size_t i = 0; i < n; i++)
		any |= w.at[i].last.chronic;
	if (!err && any)
		err = table_walk(s, e, n, find_typical, &w);
	for (size_t i = 0; i < n && !err; i++)
		err = tell(&w, i);
out:
	track_free(w.track);
	free(w.at);
	free(w.none);
	free(w.excess);
	free(w.looks);
	return err;
}
