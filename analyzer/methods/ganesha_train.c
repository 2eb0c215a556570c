// SPDX-License-Identifier: BSD-2-Clause
/*
 * Training: what a fault-free time teaches, in three passes over it.
 *
 * Pass 0 collects vectors and learns the profiles [P Fig. 6].
 * Pass 1 learns the threshold of the distance: the smallest with which nobody would have had 20
 * alarms in a row. In closed form [D]: a node has an alarm exactly if the k-th largest distance to
 * its peers, k = floor((n-1)/2)+1, is over the threshold; so it is the largest, over all nodes and
 * all 20 seconds in a row, of the smallest of those 20 k-th distances.
 * Pass 2 counts the alarms there are with it, for the weighted count.
 */

#include "ganesha_phases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/methods/model/ganesha.h"
#include "userspace/common/options.h"
#include "ganesha_watch.h"
#include "analyzer/stat/rng.h"
#include "userspace/common/array.h"

#define SEED		 0x76656374 /* any */
#define SAMPLE_BYTES_MAX ((size_t)128 << 20)

/* One node in passes 1 and 2. */
struct past {
	unsigned int compared; /* seconds in a row */
	unsigned int over; /* seconds in a row in which it was over what is the threshold so far */
	double kth[GANESHA_CONSECUTIVE]; /* of those, the last, by their number */
	double count;			 /* the weighted count of alarms */
};

struct trained_group {
	const struct frame *f;
	struct ganesha_watch watch; /* in pass 0 its seconds only */
	struct past *past;	    /* n_nodes */
};

struct ganesha_training {
	struct model *m;
	struct trained_group *groups;
	size_t n_groups;
	size_t *metric, d; /* looked at: numbers in the frame */
	/* The sample: n x d of ln(x + 1), NaN missing. */
	double *x;
	size_t n, most;
	uint64_t keep; /* a vector is in it if its hash is at most this */
	double distance, count;
	bool complete; /* somebody was compared 20 seconds in a row */
};

void ganesha_train_free(void *state)
{
	struct ganesha_training *t = state;

	if (!t)
		return;
	for (size_t i = 0; t->groups && i < t->n_groups; i++) {
		ganesha_watch_release(&t->groups[i].watch);
		free(t->groups[i].past);
	}
	free(t->groups);
	free(t->metric);
	free(t->x);
	free(t);
}

/*
 * Which part of all seconds of all nodes is kept, if they are too many: by a hash of node and
 * time, so that it does not depend on the order in which they come.
 */
static void plan_sample(struct ganesha_training *t)
{
	double all = 0;
	size_t fit = SAMPLE_BYTES_MAX / ((t->d + 1) * sizeof(double));
	size_t wanted = fit < GANESHA_VECTORS ? fit : GANESHA_VECTORS;

	for (size_t i = 0; i < t->n_groups; i++)
		all += (double)t->groups[i].f->n_nodes * (double)t->groups[i].f->n_times;
	t->keep = UINT64_MAX;
	if (all > (double)wanted)
		t->keep = (uint64_t)((double)wanted / all * 0x1p64);
	t->most = wanted + wanted / 8 + 64; /* chance alone goes no further */
}

void *ganesha_train_new(const struct method *method, const struct peers *peers, struct model *m)
{
	struct ganesha_training *t = calloc(1, sizeof(*t));
	const struct frame *f = peers->n ? &peers->parts[0] : NULL;

	if (!t)
		return NULL;
	t->m = m;
	t->groups = calloc(peers->n + 1, sizeof(*t->groups));
	t->metric = calloc((f ? f->n_metrics : 0) + 1, sizeof(*t->metric));
	if (!t->groups || !t->metric)
		goto nomem;
	for (size_t i = 0; f && i < f->n_metrics; i++)
		if (method_looks_at(method, &f->metrics[i]))
			t->metric[t->d++] = i;
	for (; t->n_groups < peers->n; t->n_groups++) {
		struct trained_group *g = &t->groups[t->n_groups];

		g->f = &peers->parts[t->n_groups];
		if (t->d && t->d <= GANESHA_METRICS_MAX &&
		    ganesha_seconds_init(&g->watch.seconds, g->f, t->metric, t->d))
			goto nomem;
	}
	plan_sample(t);
	return t;
nomem:
	ganesha_train_free(t);
	errno = ENOMEM;
	return NULL;
}

/* ---- pass 0: the sample -----------------------------------------------------------------------*/

static int keep(struct ganesha_training *t, const struct frame *f, const double *raw)
{
	double *x;
	bool any = false;

	if (t->n == t->most)
		return 0;
	if (array_extend(&t->x, t->n * t->d, (t->n + 1) * t->d))
		return -ENOMEM;
	x = t->x + t->n * t->d;
	for (size_t m = 0; m < t->d; m++) {
		x[m] = ganesha_log(raw[m] * ganesha_scale(frame_metric(f, t->metric[m])));
		any |= !isnan(x[m]);
	}
	t->n += any;
	return 0;
}

static int collect(struct ganesha_training *t, struct trained_group *g, size_t column)
{
	const double *raw = ganesha_seconds_at(&g->watch.seconds, column);
	int err = 0;

	for (size_t i = 0; i < g->f->n_nodes && !err; i++)
		if (rng_mix(rng_mix(SEED + g->f->row[i]) + column) <= t->keep)
			err = keep(t, g->f, raw + i * t->d);
	return err;
}

/*
 * Leaves out metrics that more than half of the vectors do not have (nobody measures them, or
 * hardly), then vectors that are not complete [D].
 */
static int choose_metrics(struct ganesha_training *t)
{
	size_t d = 0, n = 0, old = t->d;
	size_t *has = calloc(old + 1, sizeof(*has)); /* then: where it stands in the old vector */

	if (!has)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		for (size_t m = 0; m < old; m++)
			has[m] += !isnan(t->x[i * old + m]);
	for (size_t m = 0; m < old; m++) {
		if (2 * has[m] < t->n)
			continue;
		has[d] = m;
		t->metric[d++] = t->metric[m];
	}
	for (size_t i = 0; i < t->n; i++) {
		bool complete = true;

		for (size_t m = 0; m < d; m++) {
			double x = t->x[i * old + has[m]];

			complete &= !isnan(x);
			t->x[n * d + m] = x;
		}
		n += complete;
	}
	t->n = n;
	t->d = d;
	free(has);
	return 0;
}

/* Nothing was learnt, and why: not an error, other methods may learn something. */
static int give_up(struct ganesha_training *t, const char *why)
{
	warn("method 'ganesha' learns nothing: %s", why);
	ganesha_free(t->m->ganesha);
	t->m->ganesha = NULL;
	return 0;
}

/* What passes 1 and 2 need: the chosen metrics, and everybody's histogram empty. */
static int watch(struct ganesha_training *t)
{
	int err = 0;

	for (size_t i = 0; i < t->n_groups && !err; i++) {
		struct trained_group *g = &t->groups[i];

		ganesha_watch_release(&g->watch);
		free(g->past);
		g->past = calloc(g->f->n_nodes + 1, sizeof(*g->past));
		err = g->past ? ganesha_watch_init(&g->watch, t->m->ganesha, g->f, t->metric)
			      : -ENOMEM;
	}
	return err;
}

static int learn_profiles(struct ganesha_training *t)
{
	struct ganesha *g;

	if (choose_metrics(t))
		return -ENOMEM;
	if (t->d > GANESHA_METRICS_MAX)
		return give_up(t, "too many metrics; choose with '--metric'");
	if (!t->d || !t->n)
		return give_up(t, "no server has a second with all of its metrics");
	g = ganesha_learn(t->x, t->n, t->d);
	free(t->x);
	t->x = NULL;
	if (!g)
		return -errno;
	for (size_t i = 0; i < t->d; i++)
		strcpy(g->metrics[i], frame_metric(t->groups[0].f, t->metric[i])->name);
	t->m->ganesha = g;
	t->distance = ganesha_chance(g->lambda, g->k);
	return watch(t);
}

/* ---- passes 1 and 2: the thresholds -----------------------------------------------------------*/

/* A second in which the node is not compared, or not over the threshold, ends its row. */
static void learn_distance(struct ganesha_training *t, struct trained_group *g)
{
	const struct ganesha_watch *w = &g->watch;
	size_t next = 0;

	for (size_t i = 0; i < g->f->n_nodes; i++) {
		struct past *p = &g->past[i];
		double least = INFINITY;

		if (next == w->n || w->member[next] != i) {
			p->compared = p->over = 0;
			continue;
		}
		if (++p->compared >= GANESHA_CONSECUTIVE)
			t->complete = true;
		if (isnan(w->kth[next])) { /* not over what is the threshold so far */
			p->over = 0;
		} else {
			p->kth[p->over++ % GANESHA_CONSECUTIVE] = w->kth[next];
			for (int s = 0; p->over >= GANESHA_CONSECUTIVE && s < GANESHA_CONSECUTIVE;
			     s++)
				least = fmin(least, p->kth[s]);
			if (p->over >= GANESHA_CONSECUTIVE)
				t->distance = fmax(t->distance, least);
		}
		next++;
	}
}

/* A second in which the node is not compared changes nothing: not an alarm, nor none. */
static void learn_count(struct ganesha_training *t, struct trained_group *g)
{
	const struct ganesha_watch *w = &g->watch;

	for (size_t i = 0; i < w->n; i++) {
		struct past *p = &g->past[w->member[i]];

		p->count = GANESHA_ALARM_DECAY * p->count + ganesha_watch_alarm(w, i);
		t->count = fmax(t->count, p->count);
	}
}

int ganesha_train_slice(void *state, struct slice s, unsigned int pass)
{
	struct ganesha_training *t = state;
	int err = 0;

	if (!t->d || t->d > GANESHA_METRICS_MAX || (pass && !t->m->ganesha))
		return 0;
	for (size_t i = 0; i < t->n_groups && !err; i++) {
		struct trained_group *g = &t->groups[i];
		size_t end;

		for (size_t from = s.from; from < s.to && !err; from = end) {
			end = ganesha_seconds_fill(&g->watch.seconds, from, s.to);
			for (size_t c = from; c < end && !err; c++) {
				if (!pass) {
					err = collect(t, g, c);
					continue;
				}
				ganesha_watch_second(&g->watch, c, t->distance, false);
				if (pass == 1)
					learn_distance(t, g);
				else
					learn_count(t, g);
			}
		}
	}
	return err;
}

/* Pass 1 is over: the threshold is known, and how long was looked. */
static int keep_distance(struct ganesha_training *t)
{
	struct ganesha *g = t->m->ganesha;

	if (!t->complete)
		return give_up(t, "no three servers could be compared for long enough");
	g->distance = t->distance;
	for (size_t i = 0; i < t->n_groups; i++)
		if (t->groups[i].watch.compared > g->seconds)
			g->seconds = t->groups[i].watch.compared;
	return watch(t);
}

/*
 * The weighted count must exceed what it reached in training, and what 20 alarms in a row make:
 * both rules ask for the same persistence [D].
 */
static void keep_count(struct ganesha_training *t)
{
	double row =
		(1 - pow(GANESHA_ALARM_DECAY, GANESHA_CONSECUTIVE)) / (1 - GANESHA_ALARM_DECAY);

	t->m->ganesha->alarm_count = fmax(t->count, row);
}

int ganesha_train_pass_end(void *state, unsigned int pass)
{
	struct ganesha_training *t = state;
	int err = 0;

	if (!pass)
		err = learn_profiles(t);
	else if (t->m->ganesha && pass == 1)
		err = keep_distance(t);
	else if (t->m->ganesha)
		keep_count(t);
	if (err)
		fail("method 'ganesha' cannot learn: %s", strerror(-err));
	return err;
}
