// SPDX-License-Identifier: BSD-2-Clause
/*
 * Evidence from counts, and evidence combined, behind a pipe for evidence_reference.py: each command on standard input, a
 * word and numbers, is answered by "level effect p t needs df" of one piece of evidence or of each.
 *
 *   binomial hits expected of chance times few
 *   poisson hits expected burst least chance times
 *   fewer n chance prior prior_df gate (hits expected)…
 *   mean x n chance prior prior_df peers…
 *   deviate p                                      deviate
 *   sum sum effect n deviation gate gate_suspect chance
 *   both t df t df                                 chance
 */
#include "pipe.h"

#include <stdio.h>

#include "analyzer/evidence/evidence.h"

static void print(const struct evidence *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%d %.17g %.17g %.17g %.17g %.17g ", (int)e[i].level, e[i].effect, e[i].p,
		       e[i].t, e[i].needs, e[i].df);
}

/* Numbers to fields, one after the other: initializers have no order. */
static void read_to(double *const to[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		*to[i] = number();
}
#define READ(...)                               \
	read_to((double *const[]){__VA_ARGS__}, \
		sizeof((double *[]){__VA_ARGS__}) / sizeof(double *))

static void do_binomial(void)
{
	struct count x = {0};
	struct count_params p = {0};
	struct evidence e;

	READ(&x.hits, &x.expected, &x.of, &p.chance, &p.times, &p.few);
	e = evidence_binomial(&x, &p);
	print(&e, 1);
}

static void do_poisson(void)
{
	struct count x = {0};
	struct count_params p = {0};
	struct evidence e;

	READ(&x.hits, &x.expected, &p.burst, &p.least, &p.chance, &p.times);
	e = evidence_poisson(&x, &p);
	print(&e, 1);
}

static struct look_params look(void)
{
	struct look_params p = LOOK_PARAMS_DEFAULT;

	READ(&p.chance, &p.prior, &p.prior_df);
	return p;
}

static void do_fewer(void)
{
	size_t n = whole();
	struct look_params p = look();
	struct count *x = room(n, sizeof(*x));
	struct evidence *out = room(n, sizeof(*out));

	p.gate = p.gate_suspect = number();
	for (size_t i = 0; i < n; i++)
		READ(&x[i].hits, &x[i].expected);
	if (evidence_fewer(x, n, &p, out))
		broken("too few can be compared");
	print(out, n);
}

static void do_mean(void)
{
	double mean = number(), *peers;
	size_t n = whole();
	struct look_params p = look();
	struct evidence e;

	peers = room(n, sizeof(*peers));
	for (size_t i = 0; i < n; i++)
		peers[i] = number();
	e = evidence_mean(mean, peers, n, &p);
	print(&e, 1);
}

static void do_deviate(void)
{
	const struct evidence e = {.p = number()};

	printf("%.17g ", evidence_deviate(&e));
}

static void do_sum(void)
{
	struct deviates x = {0};
	struct sum_params p = {0};
	struct evidence e;

	READ(&x.sum, &x.effect);
	x.n = (unsigned int)whole();
	READ(&p.deviation, &p.gate, &p.gate_suspect, &p.chance);
	e = evidence_sum(&x, &p);
	print(&e, 1);
}

static void do_both(void)
{
	struct evidence a = {0}, b = {0};

	READ(&a.t, &a.df, &b.t, &b.df);
	printf("%.17g ", evidence_both(&a, &b));
}

int main(void)
{
	static const struct pipe_command commands[] = {
		{"binomial", do_binomial}, {"poisson", do_poisson}, {"fewer", do_fewer},
		{"mean", do_mean},	   {"deviate", do_deviate}, {"sum", do_sum},
		{"both", do_both}};

	return pipe_answer(commands, sizeof(commands) / sizeof(*commands));
}
