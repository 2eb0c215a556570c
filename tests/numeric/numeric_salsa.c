// SPDX-License-Identifier: BSD-2-Clause
/*
 * The numeric routines of method `salsa` behind a pipe, for salsa_reference.py: each command on standard input, a
 * word and numbers, is answered by one line of numbers.
 *
 *   bandwidth n count floor x… w…                   h
 *   quantile n q x… w…                              x
 *   cells n low high h x… w…                        middle of the first, step, probabilities…
 *   cdf n h at x… w…                                probability
 *   decay n gap…                                    factors…
 *   compare nodes min threshold pooled floor {n x… w…}…   h, n compared, distances…, alarms…, own…, peers…
 *   judge online window_s threshold min n {kind node start_ms end_ms}…
 *                                                   per kind and node with states: kind node most compared
 *                                                   alarms indicted decided_s distance samples above
 */
#include "pipe.h"

#include <math.h>
#include <stdio.h>

#include "analyzer/methods/salsa.h"

static struct kde_sample *samples(size_t n)
{
	struct kde_sample *s = room(n, sizeof(*s));

	for (size_t i = 0; i < n; i++)
		s[i].x = number();
	for (size_t i = 0; i < n; i++)
		s[i].weight = number();
	return s;
}

static void do_bandwidth(void)
{
	size_t n = whole();
	double count = number(), floor = number();
	struct kde_sample *s = samples(n);

	kde_sort(s, n);
	printf("%.17g ", kde_bandwidth(s, n, count, floor));
}

static void do_quantile(void)
{
	size_t n = whole();
	double q = number();
	struct kde_sample *s = samples(n);

	kde_sort(s, n);
	printf("%.17g ", kde_quantile(s, n, q));
}

static void do_cells(void)
{
	size_t n = whole();
	double low = number(), high = number(), h = number(), p[KDE_CELLS];
	struct kde_grid g = kde_grid(low, high, h);

	kde_cells(&g, samples(n), n, p);
	printf("%.17g %.17g ", g.from, g.step);
	for (size_t k = 0; k < KDE_CELLS; k++)
		printf("%.17g ", p[k]);
}

static void do_cdf(void)
{
	size_t n = whole();
	double h = number(), at = number();

	printf("%.17g ", kde_cdf(samples(n), n, h, at));
}

static void do_decay(void)
{
	for (size_t n = whole(); n; n--)
		printf("%.17g ", salsa_decay(number()));
}

static void do_compare(void)
{
	size_t n = whole(), n_compared;
	struct salsa_opts o = {.min = (unsigned int)whole(), .explain = true};
	struct salsa_node *nodes = room(n, sizeof(*nodes));
	double floor, h;

	o.threshold = number();
	o.pooled = number() != 0;
	floor = number();
	for (size_t i = 0; i < n; i++) {
		nodes[i].n = whole();
		nodes[i].at = samples(nodes[i].n);
	}
	if (salsa_compare(nodes, n, floor, &o, &h, &n_compared))
		broken("out of memory");
	printf("%.17g %zu ", h, n_compared);
	for (size_t i = 0; i < n; i++)
		printf("%.17g ", nodes[i].compared ? nodes[i].distance : NAN);
	for (size_t i = 0; i < n; i++)
		printf("%d ", nodes[i].alarm);
	for (size_t i = 0; i < n; i++)
		printf("%.17g ", nodes[i].compared ? nodes[i].own : NAN);
	for (size_t i = 0; i < n; i++)
		printf("%.17g ", nodes[i].compared ? nodes[i].peers : NAN);
}

static void do_judge(void)
{
	struct salsa_opts o = {.online = number() != 0, .to_ns = INT64_MAX};
	struct states s = {0};
	struct salsa r;
	int32_t *group;

	o.window_s = (unsigned int)whole();
	o.threshold = number();
	o.min = (unsigned int)whole();
	s.n = whole();
	s.at = room(s.n, sizeof(*s.at));
	for (size_t i = 0; i < s.n; i++) {
		s.at[i].kind = (uint8_t)whole();
		s.at[i].node = (uint32_t)whole();
		s.at[i].start_ns = (int64_t)number() * 1000000;
		s.at[i].end_ns = (int64_t)number() * 1000000;
		s.nodes.n = s.at[i].node >= s.nodes.n ? s.at[i].node + 1 : s.nodes.n;
	}
	group = room(s.nodes.n, sizeof(*group));
	if (salsa_judge(&r, &s, group, &o))
		broken("out of memory");
	for (size_t k = 0; k < salsa_n_kinds; k++)
		for (size_t i = 0; i < s.nodes.n; i++) {
			const struct salsa_track *t = salsa_track(&r, k, i);

			if (t->most)
				printf("%d %zu %zu %zu %zu %d %.17g %.17g %zu %zu ", salsa_kinds[k],
				       i, t->most, t->compared, t->alarms, t->indicted,
				       (double)t->decided_ns / 1e9, t->worst.distance, t->samples,
				       t->above);
		}
}

int main(void)
{
	static const struct pipe_command commands[] = {
		{"bandwidth", do_bandwidth}, {"quantile", do_quantile},
		{"cells", do_cells},	     {"cdf", do_cdf},
		{"decay", do_decay},	     {"compare", do_compare},
		{"judge", do_judge}};

	return pipe_answer(commands, sizeof(commands) / sizeof(*commands));
}
