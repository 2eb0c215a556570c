// SPDX-License-Identifier: BSD-2-Clause
/*
 * evidence.h: beside an independent implementation, what stands and what is over, what damages
 * nothing.
 */
#include "unit.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

#include "analyzer/evidence/internal.h"
#include "analyzer/stat/rng.h"
#include "evidence_scenes.h"

/*
 * What an implementation in numpy says of the scenes, which holds whole runs in arrays and has its
 * quantiles from scipy: the pushes of the first indictment and the first suspicion, and of the
 * windows that indict then the one with the largest part of the t it needs.
 */
static const struct expected {
	const char *scene;
	size_t entity;
	int indicted, suspicious;
	unsigned int intervals;
	bool own;
	double effect, t, need, df, spread;
} expected[] = {
	{"start", 0, 63, 63, 64, false, 0.643781805, 7.07477047, 6.89786167, 15.0, 0.080532729},
	{"later", 0, 203, 203, 4, false, 0.563124832, 5.84035222, 5.39871162, 146.5, 0.078513631},
	{"three", 0, 167, 167, 16, false, 1.224437590, 8.15700871, 6.45916631, 21.0, 0.118428377},
	{"ends", 0, 119, 119, 16, false, 0.814877546, 6.40020897, 5.85081588, 44.75, 0.116542263},
	{"comes-and-goes", 0, 127, 127, 64, false, 0.367399750, 6.31934447, 6.04350174, 26.25,
	 0.052495264},
	{"gaps", 0, 152, 120, 128, false, 0.401600355, 7.88386966, 6.14801616, 21.0, 0.047699264},
	{"extra", 0, 223, 223, 64, false, 0.612298760, 7.32543481, 5.91193296, 24.0, 0.032845247},
	{"doubt", 0, 359, 359, 16, true, 0.805972608, 12.60108707, 5.46874210, 56.75, 0.051815788},
	{"two-of-twelve", 0, 143, 135, 32, true, 0.458709384, 8.15290548, 6.77596275, 21.0,
	 0.051714448},
	{"two-of-twelve", 1, 135, 135, 16, true, 0.613877663, 7.31098081, 7.09892919, 21.0,
	 0.078657484},
	{"offsets", 0, 319, 311, 32, true, 0.282183414, 8.24882445, 5.45323929, 49.25, 0.029708504},
	{"late", 0, 271, 263, 32, false, 0.370487364, 6.86337677, 5.50396953, 41.5, 0.046841790},
};
static const int HALVES_SINCE =
	135; /* of the scene of that name; in no other are there two groups */

/* A scene that runs. */
struct run {
	const struct scene *s;
	struct over_time *e;
	uint64_t random;
	double wander[SCENE_MOST];
	struct residual in[SCENE_MOST];
	struct evidence out[SCENE_MOST];
	struct evidence_group group;
	size_t n;
};

static struct run run_start(const char *name)
{
	struct run r = {.random = 1};
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;

	for (size_t i = 0; i < SCENES; i++)
		if (!strcmp(scenes[i].name, name))
			r.s = &scenes[i];
	assert_non_null(r.s);
	p.interval_s = SCENE_INTERVAL_S;
	p.k_min = r.s->k_min;
	r.n = r.s->late ? r.s->n - 1 : r.s->n;
	r.e = over_time_new(r.n, &p);
	assert_non_null(r.e);
	return r;
}

static void run_push(struct run *r, int w)
{
	if (w == r->s->late && r->n < r->s->n) {
		r->n = r->s->n;
		assert_int_equal(over_time_grow(r->e, r->n), 0);
	}
	scene_push(r->s, w, &r->random, r->wander, r->in);
	assert_int_equal(over_time_push(r->e, r->in, 1, r->out, &r->group), 0);
}

static const struct expected *expectation(const char *scene, size_t entity)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		if (!strcmp(expected[i].scene, scene) && expected[i].entity == entity)
			return &expected[i];
	return NULL;
}

static void near(double x, double y)
{
	if (!(fabs(x - y) <= 2e-6 * fabs(y)))
		fail_msg("%.9g is not %.9g", x, y);
}

static void like_the_reference(const struct scene *s, size_t i, int indicted, int suspicious,
			       const struct evidence *first)
{
	const struct expected *x = expectation(s->name, i);

	if (indicted != (x ? x->indicted : -1) || suspicious != (x ? x->suspicious : -1))
		fail_msg("%s, %zu: indicted at %d, suspicious at %d", s->name, i, indicted,
			 suspicious);
	if (!x)
		return;
	assert_int_equal(first->level, EVIDENCE_INDICTED);
	assert_int_equal(first->view, x->own);
	assert_int_equal(first->n, x->intervals);
	near(first->effect, x->effect);
	near(first->t, x->t);
	near(first->needs, x->need);
	assert_true(first->df == x->df);
	near(first->spread, x->spread);
	assert_int_equal(first->n_peers, s->n - 1);
}

/* The strongest of the latest windows of all lengths, over or not: the reference knows no end. */
static enum evidence_level past(const struct over_time *e, size_t i)
{
	enum evidence_level level = EVIDENCE_NONE;

	for (size_t v = 0; v < 2; v++)
		for (unsigned int k = e->p.k_min; k <= e->p.k_max; k++) {
			const struct length *l = &e->view[v].length[k];

			if (l->at && l->at[i].level > level)
				level = l->at[i].level;
		}
	return level;
}

static void scenes_are_judged_as_by_the_reference(void **state)
{
	(void)state;
	for (size_t k = 0; k < SCENES; k++) {
		const struct scene *s = &scenes[k];
		struct run r = run_start(s->name);
		int indicted[SCENE_MOST], suspicious[SCENE_MOST], halves = -1;
		struct evidence first[SCENE_MOST];

		memset(indicted, -1, sizeof(indicted));
		memset(suspicious, -1, sizeof(suspicious));
		for (int w = 0; w < s->pushes; w++) {
			run_push(&r, w);
			if (r.group.halves && halves < 0) {
				halves = w;
				assert_int_equal(r.group.slow, 3);
				assert_int_equal(r.group.of, 6);
			}
			for (size_t i = 0; i < r.n; i++) {
				if (past(r.e, i) == EVIDENCE_INDICTED && indicted[i] < 0) {
					indicted[i] = w;
					first[i] = r.out[i];
				}
				if (past(r.e, i) >= EVIDENCE_SUSPICIOUS && suspicious[i] < 0)
					suspicious[i] = w;
			}
		}
		for (size_t i = 0; i < s->n; i++)
			like_the_reference(s, i, indicted[i], suspicious[i], &first[i]);
		assert_int_equal(halves, strcmp(s->name, "halves") ? -1 : HALVES_SINCE);
		over_time_free(r.e);
	}
}

/* Runs to push `to`, and returns how many of the pushes had the entity at the level. */
static int run_to(struct run *r, int *w, int to, size_t i, enum evidence_level level)
{
	int n = 0;

	for (; *w < to; ++*w) {
		run_push(r, *w);
		n += r->out[i].level == level;
	}
	return n;
}

/*
 * 70 pushes of it are over 96 pushes later, two moves of the window of 64 that shows it; not past,
 * though.
 */
static void what_is_over_ends(void **state)
{
	struct run r = run_start("ends");
	int w = 0;

	(void)state;
	assert_int_equal(run_to(&r, &w, 120, 0, EVIDENCE_INDICTED), 1);
	assert_int_equal(run_to(&r, &w, 170, 0, EVIDENCE_INDICTED), 50);
	run_to(&r, &w, 170 + 96, 0, EVIDENCE_INDICTED);
	assert_int_equal(r.out[0].level, EVIDENCE_NONE);
	assert_int_equal(past(r.e, 0), EVIDENCE_INDICTED);
	assert_int_equal(run_to(&r, &w, 500, 0, EVIDENCE_NONE), 500 - 266);
	assert_int_equal(past(r.e, 0), EVIDENCE_NONE);
	over_time_free(r.e);
}

/* Both while it lasts, and in the pauses: those are shorter than four of the shortest windows. */
static void what_comes_and_goes_stands(void **state)
{
	struct run r = run_start("comes-and-goes");
	int w = 0;

	(void)state;
	run_to(&r, &w, 160, 0, EVIDENCE_INDICTED);
	assert_int_equal(run_to(&r, &w, 600, 0, EVIDENCE_INDICTED), 600 - 160);
	over_time_free(r.e);
}

static void halves_that_are_known_stay(void **state)
{
	struct run r = run_start("halves");

	(void)state;
	for (int w = 0; w < 400; w++) {
		run_push(&r, w);
		if (w >= HALVES_SINCE)
			assert_true(r.group.halves);
		for (size_t i = 0; i < r.n; i++)
			assert_int_equal(past(r.e, i), EVIDENCE_NONE);
	}
	over_time_free(r.e);
}

/* Seven quiet entities; the first is slower by `effect` in the pushes from `from` to `to`. */
struct quiet {
	struct over_time *e;
	struct rng random;
	struct residual in[7];
	struct evidence out[7];
	struct evidence_group group;
};

static struct quiet quiet_start(void)
{
	struct quiet q = {.in = {{0}}};
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;

	rng_seed(&q.random, 7);
	q.e = over_time_new(7, &p);
	assert_non_null(q.e);
	return q;
}

static void quiet_push(struct quiet *q, int pushes, double effect)
{
	for (int w = 0; w < pushes; w++) {
		for (size_t i = 0; i < 7; i++)
			q->in[i].r = 0.1 * rng_normal(&q->random) + (i ? 0 : effect);
		assert_int_equal(over_time_push(q->e, q->in, 1, q->out, &q->group), 0);
	}
}

/*
 * A week: the fault does not become usual, and its end is seen within minutes for all of its
 * length. Afterwards the entity's usual level is what it was.
 */
static void a_long_fault_is_not_learnt_and_ends(void **state)
{
	struct quiet q = quiet_start();
	double usual;

	(void)state;
	quiet_push(&q, 1000, 0);
	usual = over_time_baseline(q.e, 0);
	quiet_push(&q, 20000, 1);
	assert_int_equal(q.out[0].level, EVIDENCE_INDICTED);
	assert_true(fabs(q.out[0].effect - 1) < 0.1 && q.out[0].lower > 0.9);
	assert_true(q.out[0].p < 1e-9 && q.out[0].t > q.out[0].needs);
	assert_true(fabs(over_time_baseline(q.e, 0) - usual) < 0.05);
	quiet_push(&q, 100, 0);
	assert_int_equal(q.out[0].level, EVIDENCE_NONE);
	assert_int_equal(past(q.e, 0), EVIDENCE_INDICTED);
	quiet_push(&q, 200, 0);
	assert_int_equal(q.out[0].level, EVIDENCE_NONE);
	/* It comes again, and is seen at once. */
	quiet_push(&q, 32, 1);
	assert_int_equal(q.out[0].level, EVIDENCE_INDICTED);
	for (size_t i = 1; i < 7; i++)
		assert_int_equal(q.out[i].level, EVIDENCE_NONE);
	over_time_free(q.e);
}

/*
 * A fault a fifth larger than `seen` is indicted once it fills the windows; one of half of it is
 * not.
 */
static void what_would_have_been_seen_is_seen(void **state)
{
	(void)state;
	for (int over = 0; over < 2; over++) {
		struct quiet q = quiet_start();
		double seen;

		quiet_push(&q, 700, 0);
		seen = q.out[0].least_indicted;
		assert_true(seen >= 0.2231 && seen < 0.3);
		quiet_push(&q, 700, over ? 1.2 * seen : 0.5 * seen);
		assert_int_equal(q.out[0].level == EVIDENCE_INDICTED, over);
		over_time_free(q.e);
	}
}

/* The same of a suspicion, which takes less. */
static void what_would_have_been_noticed_is_noticed(void **state)
{
	(void)state;
	for (int over = 0; over < 2; over++) {
		struct quiet q = quiet_start();
		double noticed;

		quiet_push(&q, 700, 0);
		noticed = q.out[0].least;
		assert_true(noticed >= 0.0953 && noticed <= q.out[0].least_indicted);
		quiet_push(&q, 700, over ? 1.2 * noticed : 0.5 * noticed);
		assert_int_equal(q.out[0].level != EVIDENCE_NONE, over);
		over_time_free(q.e);
	}
}

static void same(const struct evidence *a, const struct evidence *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(a[i].level, b[i].level);
		assert_int_equal(a[i].n, b[i].n);
		assert_memory_equal(&a[i].t, &b[i].t, sizeof(a[i].t));
		assert_memory_equal(&a[i].effect, &b[i].effect, sizeof(a[i].effect));
		assert_memory_equal(&a[i].least_indicted, &b[i].least_indicted,
				    sizeof(a[i].least_indicted));
	}
}

static void gaps_change_nothing(void **state)
{
	struct quiet a = quiet_start(), b = quiet_start();
	const struct residual none = {.r = NAN};
	struct residual gap[7] = {none, none, none, none, none, none, none};
	struct evidence kept[7];

	(void)state;
	quiet_push(&a, 50, 1);
	quiet_push(&b, 50, 1);
	assert_int_equal(b.out[0].level, EVIDENCE_INDICTED);
	memcpy(kept, b.out, sizeof(kept));
	for (int w = 0; w < 5000; w++) {
		/* Two are not enough to tell which is odd, whatever they say. */
		gap[0].r = w % 2 ? 9 : NAN;
		gap[1].r = w % 2 ? 0 : INFINITY;
		assert_int_equal(over_time_push(b.e, gap, 1, b.out, NULL), 0);
		same(kept, b.out, 7);
	}
	for (int w = 0; w < 300; w++) {
		quiet_push(&a, 1, 0);
		quiet_push(&b, 1, 0);
		same(a.out, b.out, 7);
	}
	over_time_free(a.e);
	over_time_free(b.e);
}

static void three_worst_are_no_evidence(void **state)
{
	struct quiet q = quiet_start();

	(void)state;
	quiet_push(&q, 200, 0);
	for (int hour = 0; hour < 10; hour++) {
		quiet_push(&q, 3, 6);
		for (int w = 0; w < 120; w++) {
			quiet_push(&q, 1, 0);
			assert_int_not_equal(q.out[0].level, EVIDENCE_INDICTED);
		}
	}
	over_time_free(q.e);
}

static void parameters_without_sense_are_refused(void **state)
{
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;

	(void)state;
	p.k_min = 1;
	assert_null(over_time_new(3, &p));
	assert_int_equal(errno, EINVAL);
	p.k_min = 14;
	assert_null(over_time_new(3, &p));
	p = EVIDENCE_PARAMS_DEFAULT;
	p.k_max = EVIDENCE_LONGEST + 1;
	assert_null(over_time_new(3, &p));
	p = EVIDENCE_PARAMS_DEFAULT;
	p.budget = NAN;
	assert_null(over_time_new(3, &p));
	over_time_free(NULL);
}

static double damaged(struct rng *random)
{
	static const double odd[] = {NAN,   INFINITY, -INFINITY, 0,	 -0.0,
				     1e308, -1e308,   1e-310,	 -5e-324};

	if (rng_below(random, 4))
		return rng_normal(random);
	return odd[rng_below(random, sizeof(odd) / sizeof(*odd))];
}

static void judged_or_not(const struct evidence *w)
{
	assert_true(w->level <= EVIDENCE_INDICTED);
	if (!w->n) {
		assert_true(isnan(w->effect) && isnan(w->t) && isnan(w->p));
		assert_int_equal(w->level, EVIDENCE_NONE);
		return;
	}
	assert_true(isfinite(w->effect) && isfinite(w->lower) && isfinite(w->t));
	assert_true(w->lower < w->effect && w->needs > 0 && w->df >= 0.5 && w->spread > 0);
	assert_true(w->p >= 0 && w->p <= 1 && w->least_indicted > 0 && w->n_peers >= 2);
}

/* Of any number of entities, any values, at any length; and memory is taken once for each length and view. */
static void nothing_that_is_pushed_does_damage(void **state)
{
	struct rng random;

	(void)state;
	rng_seed(&random, 11);
	for (int round = 0; round < 60; round++) {
		struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;
		size_t n = rng_below(&random, 9), in_use, took = 0;
		struct residual in[16] = {{0}};
		struct evidence out[16];
		struct over_time *e;

		p.k_min = 2 + (unsigned int)rng_below(&random, 3);
		p.k_max = p.k_min + (unsigned int)rng_below(&random, 12);
		p.interval_s = exp(3 * rng_normal(&random));
		p.budget = exp(5 * rng_normal(&random));
		e = over_time_new(n, &p);
		assert_non_null(e);
		for (int w = 0; w < 500; w++) {
			if (n < 16 && !rng_below(&random, 100))
				assert_int_equal(over_time_grow(e, ++n), 0);
			for (size_t i = 0; i < n; i++)
				in[i] = (struct residual){damaged(&random), damaged(&random),
							  damaged(&random), damaged(&random)};
			in_use = mallinfo2().uordblks;
			assert_int_equal(over_time_push(e, in, 1, out, NULL), 0);
			took += mallinfo2().uordblks != in_use;
			for (size_t i = 0; i < n; i++)
				judged_or_not(&out[i]);
		}
		assert_true(took <= 2 * p.k_max);
		over_time_free(e);
	}
}

/*
 * ---- one look
 * ------------------------------------------------------------------------------------
 */

enum { LOOKED = 7 };

/* Two kinds of work; more values of the later entities, but too few of number 5 in kind 1. */
static size_t look_values(struct look_value *v, double effect)
{
	uint64_t random = 1;
	size_t n = 0;

	for (unsigned int kind = 0; kind < 2; kind++) {
		for (size_t i = 0; i < LOOKED; i++) {
			size_t count = i == 5 && kind ? 4 : 10 + 3 * i + 5 * kind;

			for (size_t k = 0; k < count; k++) {
				double x = 1 + kind + 0.4 * scene_normal(&random);

				v[n++] = (struct look_value){i, kind, i ? x : x + effect};
			}
		}
	}
	return n;
}

/* By the same implementation in numpy. */
static const struct looked {
	double effect;
	bool named;
	double need, found[LOOKED], t[LOOKED];
} looked[] = {
	{0.9,
	 true,
	 5.436374060,
	 {0.824822604, 0.006351481, 0.175013090, 0.065060077, -0.069886521, -0.151821849,
	  -0.024716277},
	 {5.862558329, -0.282912830, 1.521629263, 0.428332414, -0.509721805, -1.095377500,
	  -0.001430701}},
	{0.35,
	 false,
	 4.848106508,
	 {0.235562232, -0.032908891, 0.135752718, 0.025799705, -0.109146893, -0.191082221,
	  -0.063976649},
	 {1.241458791, -0.523703612, 1.133660802, 0.143051385, -0.717292506, -1.047877600,
	  -0.251109276}},
};

static void one_look_is_judged_as_by_the_reference(void **state)
{
	const struct look_params p = LOOK_PARAMS_DEFAULT;
	struct look_value v[1000];
	struct evidence out[LOOKED];

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		const struct looked *x = &looked[k];
		size_t n = look_values(v, x->effect);

		assert_int_equal(evidence_look(v, n, LOOKED, &p, out), 0);
		for (size_t i = 0; i < LOOKED; i++) {
			near(out[i].effect, x->found[i]);
			near(out[i].t, x->t[i]);
			near(out[i].needs, x->need);
			assert_int_equal(out[i].n_peers, LOOKED - 1);
			assert_int_equal(out[i].level,
					 !i && x->named ? EVIDENCE_INDICTED : EVIDENCE_NONE);
		}
		/* In another order the same. */
		for (size_t i = 0; i < n / 2; i++) {
			struct look_value swap = v[i];

			v[i] = v[n - 1 - i];
			v[n - 1 - i] = swap;
		}
		assert_int_equal(evidence_look(v, n, LOOKED, &p, out), 0);
		near(out[0].t, x->t[0]);
	}
}

static void a_look_at_too_little_says_so(void **state)
{
	const struct look_params p = LOOK_PARAMS_DEFAULT;
	struct look_value v[1000];
	struct evidence out[LOOKED];
	size_t n = look_values(v, 1), few = 0;

	(void)state;
	assert_int_equal(evidence_look(NULL, 0, 0, &p, out), -ENODATA);
	assert_int_equal(evidence_look(v, n, LOOKED - 1, &p, out), -EINVAL);
	for (size_t i = 0; i < n; i++)
		if (v[i].entity < 2)
			v[few++] = v[i];
	assert_int_equal(evidence_look(v, few, LOOKED, &p, out), -ENODATA);
	for (size_t i = 0; i < LOOKED; i++)
		assert_true(!out[i].n && isnan(out[i].t));
	/* All equal: nobody, and no division by nothing. */
	for (size_t i = 0; i < 60; i++)
		v[i] = (struct look_value){i % 6, 0, 2};
	assert_int_equal(evidence_look(v, 60, LOOKED, &p, out), 0);
	for (size_t i = 0; i < 6; i++)
		assert_true(out[i].t == 0 && out[i].level == EVIDENCE_NONE);
	/* What is not finite is left out, and so is an entity of which nothing else is there. */
	for (size_t i = 0; i < 60; i++)
		v[i].value = v[i].entity ? 1 : i % 2 ? INFINITY : NAN;
	assert_int_equal(evidence_look(v, 60, LOOKED, &p, out), 0);
	assert_int_equal(out[0].n, 0);
	assert_int_equal(out[1].n_peers, 4);
}

/*
 * Means of three, of which little is known: what they are expected to differ by makes one of them odd, and what is seen
 * of the others widens that.
 */
static void means_of_few_lean_on_what_is_expected(void **state)
{
	struct look_params p = LOOK_PARAMS_DEFAULT;
	struct look_mean x[5] = {
		{9, 0, 0, 0.002}, {9, 0.01, 0.01, 0.002}, {9, 1, 1, 0.002}, {0}, {0}};
	struct evidence out[5];

	(void)state;
	assert_int_equal(evidence_means(x, 3, &p, out), 0);
	assert_int_equal(out[2].level, EVIDENCE_NONE); /* one degree of freedom */
	p.prior = 0.05;
	p.prior_df = 12;
	assert_int_equal(evidence_means(x, 3, &p, out), 0);
	assert_int_equal(out[2].level, EVIDENCE_INDICTED);
	near(out[2].df, 13);
	near(out[2].effect, 0.995);
	x[3] = (struct look_mean){9, 0.5, 0.5, 0.002};
	x[4] = (struct look_mean){9, -0.5, -0.5, 0.002};
	assert_int_equal(evidence_means(x, 5, &p, out), 0);
	assert_int_equal(out[2].level, EVIDENCE_NONE);
	assert_int_equal(evidence_means(x, 2, &p, out), -ENODATA);
}

/* One interval of n entities, of which the first `slow` are worse by this. */
static void draw(struct over_time *e, struct rng *rng, size_t n, size_t slow, double noise,
		 double by, struct evidence *out, struct evidence_group *group)
{
	struct residual in[SCENE_MOST] = {{0}};

	for (size_t i = 0; i < n; i++)
		in[i].r = noise * rng_normal(rng) + (i < slow ? by : 0);
	assert_int_equal(over_time_push(e, in, 1, out, group), 0);
}

/* More than a third, but a minority: all of them, and nobody else. */
static void a_large_minority_is_named(void **state)
{
	static const size_t of[][2] = {{2, 5}, {3, 7}, {3, 8}, {4, 9}, {5, 12}};
	enum { PUSHES = 80, FROM = 40 };

	(void)state;
	for (size_t s = 0; s < sizeof(of) / sizeof(*of); s++) {
		struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;
		size_t slow = of[s][0], n = of[s][1];
		struct evidence out[SCENE_MOST];
		struct evidence_group group;
		struct over_time *e = over_time_new(n, &p);
		struct rng rng;

		assert_non_null(e);
		rng_seed(&rng, 19);
		for (int w = 0; w < PUSHES; w++) {
			draw(e, &rng, n, w >= FROM ? slow : 0, 0.15, log(6), out, &group);
			for (size_t i = slow; i < n; i++)
				assert_int_equal(out[i].level, EVIDENCE_NONE);
		}
		assert_false(group.halves);
		for (size_t i = 0; i < slow; i++)
			assert_int_equal(out[i].level, EVIDENCE_INDICTED);
		over_time_free(e);
	}
}

/* Two of five that always were slower: which side is at fault is not known. */
static void a_large_minority_of_always(void **state)
{
	enum { N = 5, SLOW = 2, PUSHES = 600 };
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;
	struct over_time *e = over_time_new(N, &p);
	struct evidence out[N];
	struct evidence_group group;
	struct rng rng;

	(void)state;
	assert_non_null(e);
	rng_seed(&rng, 19);
	for (int w = 0; w < PUSHES; w++) {
		draw(e, &rng, N, SLOW, 0.05, log(1.5), out, &group);
		for (size_t i = 0; i < N; i++)
			assert_int_not_equal(out[i].level, EVIDENCE_INDICTED);
	}
	assert_true(group.halves);
	assert_int_equal(group.slow, SLOW);
	assert_int_equal(group.of, N);
	assert_true(fabs(group.effect - log(1.5)) < 0.05);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(out[i].level, i < SLOW ? EVIDENCE_SUSPICIOUS : EVIDENCE_NONE);
	over_time_free(e);
}

/* Healthy entities fall in two groups by chance now and then: that is no reason to name anybody. */
static void groups_by_chance_name_nobody(void **state)
{
	enum { N = 5, PUSHES = 200, DRAWS = 1000 };
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;

	(void)state;
	p.k_min = EVIDENCE_SHORTEST;
	for (unsigned int seed = 1; seed <= DRAWS; seed++) {
		struct over_time *e = over_time_new(N, &p);
		struct evidence out[N];
		struct rng rng;

		assert_non_null(e);
		rng_seed(&rng, seed);
		for (int w = 0; w < PUSHES; w++) {
			draw(e, &rng, N, 0, 0.5, 0, out, NULL);
			for (size_t i = 0; i < N; i++)
				assert_int_not_equal(out[i].level, EVIDENCE_INDICTED);
		}
		over_time_free(e);
	}
}

/* Three of seven, and one that is never there; they are repaired, and three others are slow. */
static void a_large_minority_comes_and_goes(void **state)
{
	enum { N = 8, HERE = 7, SLOW = 3, FROM = 600, TO = 1200, OTHERS = 1300, PUSHES = 1500 };
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;
	struct over_time *e = over_time_new(N, &p);
	struct residual in[N] = {{0}};
	struct evidence out[N];
	struct evidence_group group;
	struct rng rng;
	double weight;

	(void)state;
	assert_non_null(e);
	rng_seed(&rng, 5);
	for (int w = 0; w < PUSHES; w++) {
		for (size_t i = 0; i < N; i++) {
			bool slow = w >= OTHERS ? i >= SLOW && i < 2 * SLOW
						: w >= FROM && w < TO && i < SLOW;

			in[i].r = i < HERE ? 0.1 * rng_normal(&rng) + (slow ? 2 : 0) : NAN;
		}
		assert_int_equal(over_time_push(e, in, 1, out, &group), 0);
		for (size_t i = 0; i < HERE; i++)
			assert_true(isfinite(over_time_z(e, i, 8, &weight)));
		for (size_t i = 0; i < SLOW && w == TO - 1; i++)
			assert_int_equal(out[i].level, EVIDENCE_INDICTED);
		if (w > TO + 40 && w < OTHERS)
			assert_false(group.halves);
	}
	over_time_free(e);
}

/* Residuals in another unit, and the parameters with them: the same evidence, its effects in logarithms. */
static void a_weight_is_a_unit(void **state)
{
	enum { WEIGHT = 3 };

	(void)state;
	for (size_t s = 0; s < SCENES; s++) {
		struct run a = run_start(scenes[s].name), b = run_start(scenes[s].name);
		struct evidence_params p = b.e->p;

		over_time_free(b.e);
		p.floor *= WEIGHT;
		p.clip *= WEIGHT;
		p.baseline_most *= WEIGHT;
		b.e = over_time_new(b.n, &p);
		assert_non_null(b.e);
		for (int w = 0; w < a.s->pushes; w++) {
			run_push(&a, w);
			if (b.n < a.n) {
				assert_int_equal(over_time_grow(b.e, a.n), 0);
				b.n = a.n;
			}
			for (size_t i = 0; i < a.n; i++)
				b.in[i] = (struct residual){a.in[i].r * WEIGHT,
							    a.in[i].extra * WEIGHT * WEIGHT,
							    a.in[i].doubt * WEIGHT, 0};
			assert_int_equal(over_time_push(b.e, b.in, WEIGHT, b.out, &b.group), 0);
			assert_int_equal(a.group.halves, b.group.halves);
			for (size_t i = 0; i < a.n; i++) {
				assert_int_equal(a.out[i].level, b.out[i].level);
				assert_int_equal(a.out[i].n, b.out[i].n);
				if (!a.out[i].n)
					continue;
				assert_true(fabs(a.out[i].effect - b.out[i].effect) < 1e-4);
				assert_true(fabs(a.out[i].lower - b.out[i].lower) < 1e-4);
				assert_true(fabs(a.out[i].spread - b.out[i].spread) < 1e-4);
				if (isfinite(a.out[i].least))
					assert_true(fabs(a.out[i].least - b.out[i].least) < 1e-4);
			}
		}
		over_time_free(a.e);
		over_time_free(b.e);
	}
}

/* What the last of 64 intervals says of one of six, the others alike: its residual, and a doubt about its load. */
static struct evidence beside_load(double slope, double r, double doubt)
{
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;
	struct residual in[6] = {{.r = r, .doubt = doubt}};
	struct evidence out[6];
	struct over_time *e;

	p.slope = slope;
	e = over_time_new(6, &p);
	assert_non_null(e);
	for (int w = 0; w < 64; w++)
		assert_int_equal(over_time_push(e, in, 1, out, NULL), 0);
	over_time_free(e);
	return out[0];
}

/* What may have been taken off would not be seen: as much more is needed to be seen, and nothing else changes. */
static void what_is_open_is_not_seen(void **state)
{
	const double open = 0.4;

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;
		struct residual in[6] = {{.r = 0.3 * k}};
		struct evidence out[2][6];

		for (int with = 0; with < 2; with++) {
			struct over_time *e = over_time_new(6, &p);

			assert_non_null(e);
			in[0].open = with * open;
			for (int w = 0; w < 64; w++)
				assert_int_equal(over_time_push(e, in, 1, out[with], NULL), 0);
			over_time_free(e);
		}
		near(out[1][0].t, out[0][0].t);
		assert_int_equal(out[1][0].level, out[0][0].level);
		near(out[1][0].least, out[0][0].least + open);
		near(out[1][0].least_indicted, out[0][0].least_indicted + open);
		near(out[1][1].least, out[0][1].least);
	}
}

/*
 * One that is as much slower as it has less to do has as much under way as its peers: there is no doubt about its load. Half of that
 * leaves half; more to do is no excuse less.
 */
static void less_to_do_is_no_doubt_where_as_much_is_under_way(void **state)
{
	double half = log(2) / 2;
	struct evidence certain = beside_load(0, log(2), 0);

	(void)state;
	assert_int_equal(certain.level, EVIDENCE_INDICTED);
	assert_true(beside_load(0, log(2), -half).t < certain.t / 2);
	near(beside_load(0.5, log(2), -half).t, certain.t);
	near(beside_load(0.5, log(4), -half).t, beside_load(0, log(4), 0).t);
	near(beside_load(0.5, half, -half).t, beside_load(0, half, -half / 2).t);
	near(beside_load(0.5, log(2), half).t, beside_load(0, log(2), half).t);
	near(beside_load(0.5, -log(2), -half).t, beside_load(0, -log(2), -half).t);
}

/* Two entities of few values, and what ranks let the look say of them at a chance of 1 in 1000. */
static void few_values_are_no_surer_than_ranks(void **state)
{
	struct few_values few = {.n = 4, .others = 80, .above = 0, .largest = 0.2};
	struct evidence e = {.level = EVIDENCE_INDICTED, .n = 4, .t = 15, .df = 17, .p = 1e-9};
	struct evidence out;

	(void)state;
	e = evidence_at_chance(&e, 0.001);
	e.level = EVIDENCE_INDICTED;
	e.least = e.least_indicted = 0.1;
	out = evidence_few(&e, &few); /* four beyond all 80: 1 in 43 million */
	assert_int_equal(out.level, EVIDENCE_INDICTED);
	near(out.p, 1.0 / (81.0 * 81 * 81 * 81));
	near(out.least, 0.2); /* what is beside them would not be seen */
	few.above = 14;	      /* as one in 5.4 of the others: 1 in 850 */
	out = evidence_few(&e, &few);
	assert_int_equal(out.level, EVIDENCE_SUSPICIOUS);
	assert_true(out.t < out.needs);
	few.n = 1; /* one alone is no more than one of 81 */
	few.above = 0;
	out = evidence_few(&e, &few);
	assert_int_equal(out.level, EVIDENCE_NONE);
	assert_true(isnan(out.least) && isnan(out.least_indicted));
	few.others = 20000; /* and indicts nobody, however many there are */
	out = evidence_few(&e, &few);
	near(out.p, 1.0 / 20001);
	assert_int_equal(out.level, EVIDENCE_SUSPICIOUS);
	assert_true(isnan(out.least_indicted) && !isnan(out.least));
	e.p = 0.5; /* and what the look was not sure of stays so */
	assert_true(evidence_few(&e, &few).p == 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scenes_are_judged_as_by_the_reference),
		cmocka_unit_test(what_is_over_ends),
		cmocka_unit_test(what_comes_and_goes_stands),
		cmocka_unit_test(halves_that_are_known_stay),
		cmocka_unit_test(a_long_fault_is_not_learnt_and_ends),
		cmocka_unit_test(what_would_have_been_seen_is_seen),
		cmocka_unit_test(what_would_have_been_noticed_is_noticed),
		cmocka_unit_test(gaps_change_nothing),
		cmocka_unit_test(a_large_minority_is_named),
		cmocka_unit_test(a_large_minority_of_always),
		cmocka_unit_test(groups_by_chance_name_nobody),
		cmocka_unit_test(a_large_minority_comes_and_goes),
		cmocka_unit_test(a_weight_is_a_unit),
		cmocka_unit_test(three_worst_are_no_evidence),
		cmocka_unit_test(parameters_without_sense_are_refused),
		cmocka_unit_test(nothing_that_is_pushed_does_damage),
		cmocka_unit_test(one_look_is_judged_as_by_the_reference),
		cmocka_unit_test(a_look_at_too_little_says_so),
		cmocka_unit_test(means_of_few_lean_on_what_is_expected),
		cmocka_unit_test(what_is_open_is_not_seen),
		cmocka_unit_test(less_to_do_is_no_doubt_where_as_much_is_under_way),
		cmocka_unit_test(few_values_are_no_surer_than_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
