// SPDX-License-Identifier: BSD-2-Clause
/*
 * Evidence over time: memory, baselines, blocks, and of all lengths and both views the window that says most.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "analyzer/stat/student.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

const struct evidence evidence_none = {.effect = NAN,
				       .lower = NAN,
				       .t = NAN,
				       .needs = NAN,
				       .df = NAN,
				       .p = NAN,
				       .spread = NAN,
				       .least = NAN,
				       .least_indicted = NAN};

/*
 * ---- baselines: the mean of each entity's own residuals until lag_s ago. Exact to the interval where that is up to
 * 16; else in slots of a sixteenth, so that half an hour may be 32 minutes.
 */

static void baseline_start(struct over_time *o)
{
	double lag = o->p.lag_s / o->p.interval_s;

	o->lag = lag < 1 ? 1 : lag > 1e6 ? 1000000 : (unsigned int)lag;
	o->slot_intervals = (o->lag + SLOTS - 2) / (SLOTS - 1);
	/* The newest value of the slot that is emptied is `lag` old. */
	o->n_slots = (o->lag - 1 + o->slot_intervals - 1) / o->slot_intervals + 1;
}

static double clipped(double x, double max)
{
	return fmax(-max, fmin(max, x));
}

double over_time_baseline(const struct over_time *o, size_t i)
{
	if (i >= o->n || o->baseline[i].count < o->lag)
		return NAN;
	return clipped(o->baseline[i].sum / o->baseline[i].count, o->p.baseline_most);
}

/* The oldest slot becomes part of the past, and is filled anew. */
static void slot_next(struct over_time *o)
{
	o->slot_in = 0;
	o->slot_at = (o->slot_at + 1) % o->n_slots;
	for (size_t i = 0; i < o->n; i++) {
		struct baseline *b = &o->baseline[i];
		struct baseline_slot *s = &b->slot[o->slot_at];

		if (!s->count)
			continue;
		b->sum += s->sum;
		b->doubt += s->doubt;
		b->count += s->count;
		*s = (struct baseline_slot){0};
	}
}

/* Makes o->less from o->in; whether any entity has a baseline. */
static bool baseline_less(struct over_time *o)
{
	bool any = false;

	if (o->slot_in == o->slot_intervals)
		slot_next(o);
	for (size_t i = 0; i < o->n; i++) {
		const struct baseline *b = &o->baseline[i];
		double usual = over_time_baseline(o, i);

		o->less[i] = o->in[i];
		o->less[i].r -= usual;
		/* The load differed then, too. What may have been taken off would be taken off of what is new as well. */
		if (!isnan(usual))
			o->less[i].doubt -= clipped(b->doubt / b->count, o->p.baseline_most);
		any |= !isnan(usual);
	}
	return any;
}

/* Learns one interval of o->in. */
static void baseline_learn(struct over_time *o)
{
	for (size_t i = 0; i < o->n; i++) {
		struct baseline *b = &o->baseline[i];
		struct baseline_slot *s = &b->slot[o->slot_at];

		if (o->out[i].level == EVIDENCE_INDICTED) {
			/* What is in the slots may be the fault already. */
			if (!b->frozen)
				for (unsigned int k = 0; k < SLOTS; k++)
					b->slot[k] = (struct baseline_slot){0};
			b->frozen = true;
			continue;
		}
		b->frozen = false;
		if (isnan(o->in[i].r))
			continue;
		s->sum += (float)clipped(o->in[i].r, o->p.clip);
		s->doubt += (float)clipped(o->in[i].doubt, o->p.clip);
		s->count++;
	}
	o->slot_in++;
}

static const double KEPT_S = 1800; /* what a kept baseline counts for */

void over_time_set_baseline(struct over_time *o, size_t i, double usual)
{
	struct baseline *b = &o->baseline[i];
	double kept = KEPT_S / o->p.interval_s;

	b->count = kept > o->lag ? (unsigned int)kept : o->lag;
	b->sum = clipped(usual, o->p.baseline_most) * b->count;
	b->doubt = 0;
}

/* ---- blocks -------------------------------------------------------------------------------- */

double running_add(struct running *r, double x, unsigned int memory)
{
	if (isfinite(x)) {
		if (r->n < memory)
			r->n++;
		r->mean += (x - r->mean) / r->n;
	}
	return r->mean;
}

static struct running running_join(struct running a, struct running b)
{
	unsigned int n = a.n + b.n;

	return (struct running){(a.mean * a.n + b.mean * b.n) / n, n};
}

static void block_join(struct block *to, const struct block *a, const struct block *b)
{
	unsigned int i = 0, j = 0;

	to->sum = a->sum + b->sum;
	to->extra = a->extra + b->extra;
	to->doubt = a->doubt + b->doubt;
	to->open = a->open + b->open;
	to->count = a->count + b->count;
	for (unsigned int k = 0; k < EVIDENCE_TRIM; k++)
		to->top[k] = a->top[i] >= b->top[j] ? a->top[i++] : b->top[j++];
}

/*
 * The residuals of an interval, in o->some; but where a slow minority of more than a third (two of five) has been found, which
 * is not left out with the slowest third, those of the others. What single intervals showed before is forgotten then.
 */
static size_t quick_values(struct over_time *o, struct view *v, const struct residual *in, size_t n)
{
	bool before = v->many;
	size_t slow = count_if(i, o->n, !isnan(in[i].r) && v->course[i].slow);

	v->many = 3 * slow > n && 2 * slow < n && n - slow >= LEAST;
	if (v->many && !before)
		v->usual.n = 0;
	for (size_t i = n = 0; i < o->n; i++)
		if (!isnan(in[i].r) && !(v->many && v->course[i].slow))
			o->some[n++] = in[i].r;
	return n;
}

/* One interval: blocks of one, less the median; and how much the peers differ in it. */
static void interval_blocks(struct over_time *o, struct view *v, const struct residual *in)
{
	size_t n = 0;
	double median;

	for (size_t i = 0; i < o->n; i++)
		if (!isnan(in[i].r))
			o->some[n++] = in[i].r;
	median = stats_quantile(o->some, n, 0.5);
	n = quick_values(o, v, in, n);
	if (n >= LEAST) {
		if (n / 3)
			stats_select(o->some, n, n - n / 3);
		/*
		 * Over all of the past: the shortest length has a yardstick from the first window
		 * on.
		 */
		v->now = lower_variance(o->some, n);
		running_add(&v->usual, v->now, UINT32_MAX);
	}
	for (size_t i = 0; i < o->n; i++) {
		struct block *b = &o->block[i];

		*b = (struct block){.top = {-INFINITY, -INFINITY, -INFINITY}};
		if (isnan(in[i].r))
			continue;
		b->sum = b->top[0] = (float)(in[i].r - median);
		b->extra = (float)in[i].extra;
		b->doubt = (float)in[i].doubt;
		b->open = (float)in[i].open;
		b->count = 1;
		v->course[i].sum += b->sum;
		v->course[i].count++;
	}
	v->intervals++;
	v->begun = true;
}

/* Blocks without a value make windows in which nobody is judged. */
static void view_catch_up(struct over_time *o, struct view *v)
{
	for (unsigned int k = 1; k <= o->p.k_max; k++) {
		struct length *l = &v->length[k];

		l->halves = v->intervals >> (k - 1);
		l->windows = k >= o->p.k_min && l->halves ? l->halves - 1 : 0;
		l->end = l->halves << (k - 1);
	}
}

/* After view_reach(). */
static void view_push(struct over_time *o, struct view *v, const struct residual *in, double weight)
{
	struct running w = {weight, 1}, both;

	if (!v->begun)
		view_catch_up(o, v);
	interval_blocks(o, v, in);
	for (unsigned int k = 1; k <= o->p.k_max; k++) {
		struct length *l = &v->length[k];
		struct block *blocks = o->block;

		both = running_join(l->weight_half, w);
		if (l->halves++) {
			for (size_t i = 0; i < o->n; i++)
				block_join(&o->window[i], &l->half[i], &blocks[i]);
			if (k >= o->p.k_min) {
				l->weight = both.mean;
				window_judge(o, v, l);
				o->changed = true;
			}
		}
		memcpy(l->half, blocks, o->n * sizeof(*blocks));
		l->weight_half = w;
		if (l->halves % 2)
			break;
		/* Two whole blocks: one of the next length. */
		w = both;
		o->block = o->window;
		o->window = blocks;
	}
}

/* ---- the strongest window ------------------------------------------------------------------ */

/*
 * A window shows a fault to be over if even two standard errors above its effect it is under half
 * of what the fault was at least, and no suspicion would fall on the effect itself. A fault that
 * lasts would have to seem smaller by four standard errors.
 */
static const double SURE = 2, HALF = 0.5;
/* Such a window holds two of the shortest, so that a pause of a fault is no end. */
enum { CLEAR_SHORTEST = 2 };

static double lower_bound(const struct judged *j)
{
	return j->effect - j->bound * j->error;
}

/* Whether the latest window of this length holds against the entity today. */
static bool holds(const struct view *v, const struct length *l, size_t i)
{
	return l->at && l->at[i].level != EVIDENCE_NONE && !l->at[i].over &&
	       l->end - l->intervals >= v->course[i].cleared;
}

/*
 * What holds against the entity makes its effect, and a shorter window that came later and shows
 * nothing of it clears all that began before. A length that holds ends the search: its window lies
 * in those of the longer ones, or came after them, so that they do not show the end of it.
 */
static void course_clear(const struct over_time *o, struct view *v, size_t i)
{
	const struct length *shortest = &v->length[o->p.k_min], *end = &v->length[o->p.k_max] + 1;
	struct course *course = &v->course[i];
	bool any = false;

	for (const struct length *l = shortest; l < end; l++) {
		if (holds(v, l, i)) {
			course->effect = fmax(course->effect, lower_bound(&l->at[i]));
			any = true;
		}
	}
	if (!any)
		course->effect = 0;
	for (const struct length *l = shortest; any && l < end && !holds(v, l, i); l++) {
		const struct judged *j = l->at ? &l->at[i] : NULL;

		if (!j || l->intervals < CLEAR_SHORTEST * shortest->intervals ||
		    !(j->effect < o->p.gate_suspect) ||
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
static bool says_more(enum evidence_level level, double t, double needs, const struct evidence *b)
{
	if (!b->n || level != b->level)
		return !b->n || level > b->level;
	return t * b->needs > b->t * needs;
}

static void length_weigh(const struct over_time *o, const struct view *v, const struct length *l,
			 size_t i, struct evidence *e)
{
	const struct judged *j = l->at ? &l->at[i] : NULL;

	if (!j || isnan(j->t))
		return;
	e->least_indicted = fmin(e->least_indicted, j->least_indicted);
	e->least = fmin(e->least, j->least);
	if (j->level != EVIDENCE_NONE && !holds(v, l, i))
		return;
	if (!says_more(j->level, j->t, j->needs, e))
		return;
	e->level = j->level;
	e->view = v == o->view ? BESIDE_PEERS : BESIDE_BASELINE;
	e->n = l->intervals;
	e->n_peers = l->judged - 1;
	e->effect = j->effect;
	e->lower = lower_bound(j);
	e->t = j->t;
	e->needs = j->needs;
	e->df = j->df;
	e->spread = sqrt(j->used) / l->weight;
}

static void entity_weigh(struct over_time *o, size_t i)
{
	struct evidence *e = &o->out[i];
	double t = e->t, df = e->df, p = e->p;

	*e = evidence_none;
	for (size_t view = 0; view < 2; view++) {
		course_clear(o, &o->view[view], i);
		for (unsigned int k = o->p.k_min; k <= o->p.k_max; k++)
			length_weigh(o, &o->view[view], &o->view[view].length[k], i, e);
	}
	if (e->n)
		e->p = e->t == t && e->df == df ? p : student_tail(e->t, e->df);
}

/* Whether something holds at this length against one that is indicted by no other. */
static bool is_unsure(const struct over_time *o, const struct view *v, const struct length *l)
{
	return any_of(i, o->n,
		      v->course[i].slow & l->intervals && holds(v, l, i) &&
			      o->out[i].level != EVIDENCE_INDICTED);
}

static void group_weigh(struct over_time *o)
{
	struct evidence_group g = {0};

	o->falls = NULL;

	for (size_t view = 0; view < 2; view++) {
		for (unsigned int k = o->p.k_min; k <= o->p.k_max; k++) {
			const struct length *l = &o->view[view].length[k];

			if (!l->slow || (g.halves && l->apart <= g.effect) ||
			    (l->old && !is_unsure(o, &o->view[view], l)))
				continue;
			g = (struct evidence_group){.halves = true,
						    .slow = l->slow,
						    .of = l->judged,
						    .effect = l->apart};
			o->falls = l;
		}
	}
	o->group = g;
}

bool over_time_slower(const struct over_time *o, size_t i)
{
	return o->falls && o->falls->at[i].m[0] >= o->falls->from;
}

/* o->out and o->group, from the latest windows of all lengths. */
static void strongest(struct over_time *o)
{
	for (size_t i = 0; i < o->n; i++)
		entity_weigh(o, i);
	group_weigh(o);
}

/* ---- memory, and one interval -------------------------------------------------------------- */

static const double R_MAX =
	20; /* ln: beyond this a value is damaged, and its squares are to stay finite */

static bool params_check(const struct evidence_params *p)
{
	return p->trim <= EVIDENCE_TRIM && p->lag_s > 0 && p->interval_s > 0 && p->budget > 0 &&
	       p->looks > 0 && p->floor > 0 && p->k_min >= EVIDENCE_SHORTEST &&
	       p->k_min <= p->k_max && p->k_max <= EVIDENCE_LONGEST;
}

struct over_time *over_time_new(size_t n, const struct evidence_params *p)
{
	struct over_time *o;

	if (!params_check(p)) {
		errno = EINVAL;
		return NULL;
	}
	o = calloc(1, sizeof(*o));
	if (!o)
		return NULL;
	o->p = *p;
	for (size_t view = 0; view < 2; view++)
		for (unsigned int k = 1; k <= p->k_max; k++)
			o->view[view].length[k].intervals = 1U << k;
	baseline_start(o);
	if (over_time_grow(o, n)) {
		over_time_free(o);
		errno = ENOMEM;
		return NULL;
	}
	return o;
}

void over_time_free(struct over_time *o)
{
	if (!o)
		return;
	for (size_t view = 0; view < 2; view++) {
		for (unsigned int k = 1; k <= o->p.k_max; k++) {
			free(o->view[view].length[k].half);
			free(o->view[view].length[k].at);
		}
		free(o->view[view].course);
	}
	free(o->baseline);
	free(o->out);
	free(o->in);
	free(o->less);
	free(o->block);
	free(o->window);
	free(o->m);
	free(o->g);
	free(o->extra);
	free(o->some);
	free(o->core);
	free(o);
}

#define LARGER(array) array_extend(&(array), o->n, n)

/* Blocks and judgements of entities from `have` on, up to n; of a length that has them. 0 or -ENOMEM. */
static int blocks_grow(struct length *l, size_t have, size_t n)
{
	const struct block empty = {.top = {-INFINITY, -INFINITY, -INFINITY}};

	if (array_extend(&l->half, have, n))
		return -ENOMEM;
	for (size_t i = have; i < n; i++)
		l->half[i] = empty;
	return 0;
}

static int judged_grow(struct length *l, size_t have, size_t n)
{
	const struct judged none = {.u = {NAN, NAN},
				    .m = {NAN, NAN},
				    .effect = NAN,
				    .t = NAN,
				    .error = NAN,
				    .least_indicted = NAN,
				    .least = NAN};

	if (array_extend(&l->at, have, n))
		return -ENOMEM;
	for (size_t i = have; i < n; i++)
		l->at[i] = none;
	return 0;
}

static int view_grow(struct over_time *o, struct view *v, size_t n)
{
	int err = LARGER(v->course);

	for (unsigned int k = 1; k <= o->p.k_max && !err; k++) {
		struct length *l = &v->length[k];

		if (l->half)
			err = blocks_grow(l, o->n, n);
		if (l->at && !err)
			err = judged_grow(l, o->n, n);
	}
	return err;
}

/*
 * A length takes memory when the data are as long: a day takes two thirds of what two weeks do. What was
 * passed over counts as blocks without a value. Room for what the next interval of this view is the first to need.
 */
static int view_reach(struct over_time *o, struct view *v)
{
	uint64_t now = v->intervals + 1;
	int err = 0;

	for (unsigned int k = 1; k <= o->p.k_max && now >> (k - 1) && !err; k++) {
		struct length *l = &v->length[k];

		if (!l->half)
			err = blocks_grow(l, 0, o->n);
		if (!err && !l->at && k >= o->p.k_min && now >> k)
			err = judged_grow(l, 0, o->n);
	}
	return err;
}

int over_time_grow(struct over_time *o, size_t n)
{
	if (n <= o->n)
		return 0;
	if (view_grow(o, &o->view[0], n) || view_grow(o, &o->view[1], n) || LARGER(o->baseline) ||
	    LARGER(o->out) || LARGER(o->in) || LARGER(o->less) || LARGER(o->block) ||
	    LARGER(o->window) || LARGER(o->m) || LARGER(o->g) || LARGER(o->extra) ||
	    LARGER(o->core) || array_extend(&o->some, 2 * o->n, 2 * n))
		return -ENOMEM;
	o->n = n;
	strongest(o);
	return 0;
}

/* What is pushed, with numbers that can be trusted. How many have a residual. */
static size_t interval_take(struct over_time *o, const struct residual *in)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		struct residual *to = &o->in[i];

		*to = in[i];
		if (!isfinite(to->r) || !isfinite(to->extra) || !isfinite(to->doubt) ||
		    !isfinite(to->open)) {
			*to = (struct residual){.r = NAN};
			continue;
		}
		to->r = fmax(-R_MAX, fmin(R_MAX, to->r));
		to->doubt = fmax(-R_MAX, fmin(R_MAX, to->doubt));
		to->open = fmax(0, fmin(R_MAX, to->open));
		to->extra = fmax(0, fmin(R_MAX * R_MAX, to->extra));
		o->some[n++] = to->r;
	}
	return n;
}

/* An interval in which n can be compared. 0 or -ENOMEM, then nothing was pushed. */
static int interval_push(struct over_time *o, size_t n, double weight)
{
	double median = stats_quantile(o->some, n, 0.5);
	bool usual;

	for (size_t i = 0; i < o->n; i++)
		o->in[i].r -= median;
	usual = baseline_less(o) || o->view[1].begun;
	if (view_reach(o, &o->view[0]) || (usual && view_reach(o, &o->view[1])))
		return -ENOMEM;
	o->changed = false;
	view_push(o, &o->view[0], o->in, weight);
	if (usual)
		view_push(o, &o->view[1], o->less, weight);
	else /* none of this view had any value */
		o->view[1].intervals++;
	if (o->changed)
		strongest(o);
	baseline_learn(o);
	return 0;
}

double over_time_z(const struct over_time *o, size_t i, double most, double *weight)
{
	const struct view *v = &o->view[BESIDE_PEERS];
	double w = 1 / sqrt(fmax((v->usual.mean + v->now) / 2, o->p.floor * o->p.floor));

	if (isnan(v->now) || isnan(o->in[i].r))
		return NAN;
	*weight = w;
	return clipped(o->in[i].r * w, most);
}

int over_time_push(struct over_time *o, const struct residual *in, double weight,
		   struct evidence *out, struct evidence_group *group)
{
	size_t n = interval_take(o, in);

	o->view[BESIDE_PEERS].now = NAN;
	if (n >= LEAST && interval_push(o, n, weight))
		return -ENOMEM;
	for (size_t i = 0; i < o->n; i++)
		out[i] = o->out[i];
	if (group)
		*group = o->group;
	return 0;
}

double over_time_spread(const struct over_time *o)
{
	return sqrt(fmax(o->view[0].usual.mean, o->p.floor * o->p.floor));
}
