// SPDX-License-Identifier: BSD-2-Clause
/*
 * The numeric routines of method `ganesha` behind a pipe, for gmm_reference.py and
 * distance_reference.py: each command on standard input, a word and numbers, is answered by one line
 * of numbers.
 *
 *   fill n from to y…                               filled…
 *   root n p… q…                                    distance
 *   score n labels k t all p…                       kth… above…
 *   density k d n mean… cov… x…                     logp… mahal…
 *   classify k d n unknown mean… cov… x…            label… distance…
 *   em k d n ridge tolerance most mean… cov… x…     iterations lnL before mean… cov…
 *   start k d n ridge label… centre… x…             mean… cov…
 *   kmeans k d n centre… x…                         distortion label… centre…
 *   seeds k d n seed x…                             found centre…
 */
#include "pipe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/methods/learn/gmm.h"
#include "analyzer/methods/learn/jsd.h"
#include "analyzer/stat/kmeans.h"
#include "analyzer/methods/learn/lwlr.h"

static double *numbers(size_t n)
{
	double *x = room(n, sizeof(double));

	for (size_t i = 0; i < n; i++)
		x[i] = number();
	return x;
}

static void print(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%.17g ", x[i]);
}

static void print_labels(const uint32_t *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%u ", x[i]);
}

static uint32_t *labels(size_t n)
{
	uint32_t *x = calloc(n + 1, sizeof(*x));

	if (!x)
		broken("out of memory");
	return x;
}

static void do_fill(void)
{
	size_t n = whole(), from = whole(), to = whole();
	double *y = numbers(n), *out = room(n, sizeof(double));

	lwlr_fill(y, n, from, to, out);
	print(out, to - from);
}

static void do_root(void)
{
	size_t n = whole();
	double *p = numbers(n), *q = numbers(n);

	printf("%.17g ", jsd_root(p, q, n));
}

static void do_score(void)
{
	size_t n = whole(), n_labels = whole(), k = whole();
	double t = number(), all = number(), *p = numbers(n * n_labels),
	       *kth = room(n, sizeof(double));
	uint32_t *above = labels(n);
	struct jsd j;

	if (jsd_init(&j, n, n_labels))
		broken("out of memory");
	jsd_score(&j, p, n, k, t, all != 0, kth, above);
	print(kth, n);
	print_labels(above, n);
	jsd_release(&j);
}

static void parameters(struct gmm *g, size_t k, size_t d)
{
	double *mean = numbers(k * d), *cov = numbers(k * d * d);

	if (gmm_init(g, k, d))
		broken("out of memory");
	memcpy(g->mean, mean, k * d * sizeof(double));
	memcpy(g->cov, cov, k * d * d * sizeof(double));
	if (gmm_factor(g))
		broken("a covariance is not positive definite");
}

static void do_density(void)
{
	size_t k = whole(), d = whole(), n = whole();
	double *x, *logp = room(n * k, sizeof(double)), *mahal = room(n * k, sizeof(double));
	struct gmm g;

	parameters(&g, k, d);
	x = numbers(n * d);
	gmm_density(&g, x, n, logp, mahal);
	print(logp, n * k);
	print(mahal, n * k);
	gmm_release(&g);
}

static void do_classify(void)
{
	size_t k = whole(), d = whole(), n = whole();
	double unknown = number(), *x, *distance = room(n, sizeof(double));
	uint32_t *label = labels(n);
	struct gmm g;

	parameters(&g, k, d);
	x = numbers(n * d);
	gmm_classify(&g, x, n, unknown, label, distance);
	print_labels(label, n);
	print(distance, n);
	gmm_release(&g);
}

static void do_em(void)
{
	size_t k = whole(), d = whole(), n = whole();
	struct gmm_fit fit = {.ridge = number()};
	struct gmm g;
	double *x;

	fit.tolerance = number();
	fit.most = (unsigned int)whole();
	parameters(&g, k, d);
	x = numbers(n * d);
	if (gmm_em(&g, x, n, &fit))
		broken("a covariance is not positive definite");
	printf("%u %.17g %.17g ", fit.iterations, fit.log_likelihood, fit.before);
	print(g.mean, k * d);
	print(g.cov, k * d * d);
	gmm_release(&g);
}

static void do_start(void)
{
	size_t k = whole(), d = whole(), n = whole();
	double ridge = number(), *centre, *x;
	uint32_t *label = labels(n);
	struct gmm g;

	for (size_t i = 0; i < n; i++)
		label[i] = (uint32_t)whole();
	centre = numbers(k * d);
	x = numbers(n * d);
	if (gmm_init(&g, k, d) || gmm_start(&g, x, n, label, centre, ridge))
		broken("no start");
	print(g.mean, k * d);
	print(g.cov, k * d * d);
	gmm_release(&g);
}

static void do_kmeans(void)
{
	size_t k = whole(), d = whole(), n = whole();
	double *centre = numbers(k * d), *x = numbers(n * d);
	uint32_t *label = labels(n);

	kmeans(x, n, d, k, centre, label);
	printf("%.17g ", kmeans_distortion(x, n, d, centre, label));
	print_labels(label, n);
	print(centre, k * d);
}

static void do_seeds(void)
{
	size_t k = whole(), d = whole(), n = whole(), found;
	double *centre = room(k * d, sizeof(double)), *x;
	struct rng rng;

	rng_seed(&rng, whole());
	x = numbers(n * d);
	found = kmeans_start(x, n, d, k, &rng, centre);
	printf("%zu ", found);
	print(centre, found * d);
}

int main(void)
{
	static const struct pipe_command commands[] = {
		{"fill", do_fill},	   {"root", do_root},	  {"score", do_score},
		{"density", do_density},   {"em", do_em},	  {"start", do_start},
		{"classify", do_classify}, {"kmeans", do_kmeans}, {"seeds", do_seeds}};

	return pipe_answer(commands, sizeof(commands) / sizeof(*commands));
}
