// SPDX-License-Identifier: BSD-2-Clause
/* evidence.h: beside an independent implementation, what stands and what is over, what damages nothing. */
#include "unit.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

#include "analyzer/evidence/evidence.h"
#include "analyzer/stat/rng.h"
#include "evidence_scenes.h"

/*
 * What an implementation in numpy says of the scenes, which holds whole runs in arrays and has its quantiles from
 * scipy: the pushes of the first indictment and the first suspicion, and of the windows that indict then the one
 * with the largest part of the t it needs.
 */
static const struct expected {
	const char *scene;
	size_t entity;
	int indicted, suspicious;
	unsigned int intervals;
	bool own;
	double effect, t, need, df, spread;
} expected[] = {
	{"start", 0, 127, 63, 128, false, 0.627494807, 12.50067353, 7.63466829, 11.0, 0.044613580},
	{"later", 0, 203, 203, 4, false, 0.563124832, 5.84580188, 5.47582379, 113.5, 0.078440437},
	{"three", 0, 167, 167, 16, false, 1.224437590, 8.87997446, 6.96168272, 17.25, 0.108786496},
	{"ends", 0, 119, 119, 16, false, 0.814877546, 7.24785416, 5.88384317, 43.25, 0.102912506},
	{"comes-and-goes", 0, 159, 127, 64, false, 0.398129564, 6.59615229, 6.17599252, 24.25,
	 0.054646903},
	{"gaps", 0, 152, 152, 128, false, 0.401600355, 7.42031489, 6.63287382, 17.0, 0.050679087},
	{"extra", 0, 223, 223, 64, false, 0.612298760, 6.90125029, 6.24649433, 20.0, 0.041357656},
	{"doubt", 0, 359, 359, 16, true, 0.805972608, 14.25395846, 5.48938829, 55.0, 0.045807294},
	{"two-of-twelve", 0, 135, 135, 16, true, 0.583959350, 9.92707484, 6.02316938, 38.0,
	 0.054985437},
	{"two-of-twelve", 1, 135, 135, 16, true, 0.613877663, 10.45846664, 6.02316938, 38.0,
	 0.054985437},
	{"offsets", 0, 311, 311, 16, true, 0.335505708, 5.91312103, 5.57764764, 54.25, 0.047186822},
	{"late", 0, 271, 263, 16, false, 0.617663213, 7.04346645, 5.62340304, 46.0, 0.079499179},
};
static const int HALVES_SINCE =
	295; /* of the scene of that name; in no other are there two groups */

/* A scene that runs. */
struct run {
	const struct scene *s;
	struct evidence *e;
	uint64_t random;
	double wander[SCENE_MOST];
	struct residual in[SCENE_MOST];
	struct weighed out[SCENE_MOST];
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
	r.e = evidence_new(r.n, &p);
	assert_non_null(r.e);
	return r;
}

static void run_push(struct run *r, int w)
{
	if (w == r->s->late && r->n < r->s->n) {
		r->n = r->s->n;
		assert_int_equal(evidence_grow(r->e, r->n), 0);
	}
	scene_push(r->s, w, &r->random, r->wander, r->in);
	evidence_push(r->e, r->in, r->out, &r->group);
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
			       const struct weighed *first)
{
	const struct expected *x = expectation(s->name, i);

	if (indicted != (x ? x->indicted : -1) || suspicious != (x ? x->suspicious : -1))
		fail_msg("%s, %zu: indicted at %d, suspicious at %d", s->name, i, indicted,
			 suspicious);
	if (!x)
		return;
	assert_int_equal(first->level, EVIDENCE_INDICTED);
	assert_int_equal(first->own, x->own);
	assert_int_equal(first->intervals, x->intervals);
	near(first->effect, x->effect);
	near(first->t, x->t);
	near(first->need, x->need);
	assert_true(first->df == x->df);
	near(first->spread, x->spread);
	assert_int_equal(first->peers, s->n - 1);
}

static void scenes_are_judged_as_by_the_reference(void **state)
{
	(void)state;
	for (size_t k = 0; k < SCENES; k++) {
		const struct scene *s = &scenes[k];
		struct run r = run_start(s->name);
		int indicted[SCENE_MOST], suspicious[SCENE_MOST], halves = -1;
		struct weighed first[SCENE_MOST];

		memset(indicted, -1, sizeof(indicted));
		memset(suspicious, -1, sizeof(suspicious));
		for (int w = 0; w < s->pushes; w++) {
			run_push(&r, w);
			if (r.group.halves && halves < 0) {
				halves = w;
				assert_int_equal(r.group.since, w);
				assert_int_equal(r.group.slow, 3);
				assert_int_equal(r.group.of, 6);
			}
			for (size_t i = 0; i < r.n; i++) {
				if (r.out[i].past == EVIDENCE_INDICTED && indicted[i] < 0) {
					indicted[i] = w;
					first[i] = r.out[i];
				}
				if (r.out[i].past >= EVIDENCE_SUSPICIOUS && suspicious[i] < 0)
					suspicious[i] = w;
			}
		}
		for (size_t i = 0; i < s->n; i++)
			like_the_reference(s, i, indicted[i], suspicious[i], &first[i]);
		assert_int_equal(halves, strcmp(s->name, "halves") ? -1 : HALVES_SINCE);
		evidence_free(r.e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scenes_are_judged_as_by_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
