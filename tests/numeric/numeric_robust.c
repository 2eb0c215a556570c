// SPDX-License-Identifier: BSD-2-Clause
/*
 * The arithmetic of method `robust` behind a pipe, for robust_reference.py: each command on standard
 * input, a word and numbers, is answered by one line of numbers.
 *
 *   cells n events peers (count (id ln_q n)…)…    d value peers weight id cells n_peers in, for each
 *   numbers n c x…                                 likewise
 *   w1 buckets sub_bits a… b…                      distance
 *   track n windows (19 parameters) (d… excess…)…  17 numbers of each entity, window by window
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/compare.h"
#include "analyzer/compare/track.h"

static void broken(const char *what)
{
	fprintf(stderr, "numeric_robust: %s\n", what);
	exit(1);
}

static double number(void)
{
	double x;

	if (scanf("%lf", &x) != 1)
		broken("a number is missing");
	return x;
}

static unsigned int whole(void)
{
	return (unsigned int)number();
}

/* All that was allocated stays to the end, and is known. */
struct block {
	struct block *next;
	max_align_t at[];
};
static struct block *blocks;

static void *room(size_t n, size_t size)
{
	struct block *b = calloc(1, sizeof(*b) + (n + 1) * size);

	if (!b)
		broken("out of memory");
	b->next = blocks;
	blocks = b;
	return b->at;
}

static void print(const struct compared *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%.17g %.17g %.17g %.17g %u %u %u %d ", c[i].d, c[i].value, c[i].peers,
		       c[i].weight, c[i].id, c[i].cells, c[i].n_peers, (int)c[i].in);
}

static void do_cells(void)
{
	size_t n = whole();
	struct compare_opts o = {.events = number()};
	struct cells *e = room(n, sizeof(*e));
	struct compared *out = room(n, sizeof(*out));

	o.peers = whole();
	for (size_t i = 0; i < n; i++) {
		struct cell *at;

		e[i].n = whole();
		e[i].at = at = room(e[i].n, sizeof(*at));
		for (size_t k = 0; k < e[i].n; k++) {
			at[k].id = whole();
			at[k].ln_q = number();
			at[k].n = number();
		}
	}
	if (compare_cells(e, n, &o, out))
		broken("out of memory");
	print(out, n);
}

static void do_numbers(void)
{
	size_t n = whole();
	double c = number(), *x = room(n, sizeof(*x));
	struct compared *out = room(n, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		x[i] = number();
	if (compare_numbers(x, n, c, out))
		broken("out of memory");
	print(out, n);
}

static void do_w1(void)
{
	size_t n = whole();
	unsigned int sub_bits = whole();
	uint64_t *a = room(n, sizeof(*a)), *b = room(n, sizeof(*b));

	for (size_t i = 0; i < n; i++)
		a[i] = (uint64_t)number();
	for (size_t i = 0; i < n; i++)
		b[i] = (uint64_t)number();
	printf("%.17g ", compare_w1(a, b, n, sub_bits));
}

static struct track_params parameters(void)
{
	struct track_params p;

	p.apart = whole();
	p.votes = whole();
	p.of = whole();
	p.z = number();
	p.ratio = number();
	p.sigma_min = number();
	p.spread = whole();
	p.offset = whole() != 0;
	p.offset_max = number();
	p.offset_min = whole();
	p.offset_intervals = whole();
	p.few_ratio = number();
	p.few_votes = whole();
	p.few_of = whole();
	p.slow_min = whole();
	p.slow_max = whole();
	p.slow_z = number();
	p.slow_ratio = number();
	p.slow_sigma = number();
	return p;
}

static void do_track(void)
{
	size_t n = whole(), windows = whole();
	struct track_params p = parameters();
	struct compared *c = room(n, sizeof(*c));
	struct look *out = room(n, sizeof(*out));
	bool *excess = room(n, sizeof(*excess));
	struct track *t = track_new(n, &p);

	if (!t)
		broken("out of memory");
	for (size_t w = 0; w < windows; w++) {
		for (size_t i = 0; i < n; i++)
			c[i].d = number();
		for (size_t i = 0; i < n; i++)
			excess[i] = number() != 0;
		if (track_push(t, c, excess, out))
			broken("out of memory");
		for (size_t i = 0; i < n; i++) {
			const struct look *l = &out[i];

			printf("%d %.17g %.17g %.17g %.17g %.17g %d %d %u %u %d ", l->judged, l->d,
			       l->offset, l->sigma, l->z, l->ratio, l->flagged, l->odd, l->flags,
			       l->of, l->low);
			printf("%.17g %.17g %.17g %.17g %d %u ", l->slow_d, l->slow_z,
			       l->slow_ratio, l->slow_sigma, l->chronic, l->slow_windows);
		}
	}
	track_free(t);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} commands[] = {
		{"cells", do_cells}, {"numbers", do_numbers}, {"w1", do_w1}, {"track", do_track}};
	char word[16];

	while (scanf("%15s", word) == 1) {
		size_t i = 0, n = sizeof(commands) / sizeof(*commands);

		while (i < n && strcmp(word, commands[i].name))
			i++;
		if (i == n)
			broken("unknown command");
		commands[i].run();
		putchar('\n');
	}
	return 0;
}
