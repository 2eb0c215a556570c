// SPDX-License-Identifier: BSD-2-Clause
/*
 * The arithmetic of method `robust` behind a pipe, for robust_reference.py: each command on standard
 * input, a word and numbers, is answered by one line of numbers.
 *
 *   cells n events peers (count (id ln_q variance n)…)…
 *                                                  d value peers weight variance id cells n_peers in, for each
 *   numbers n c x…                                 likewise
 *   w1 buckets sub_bits a… b…                      distance
 *   loads n intervals given (x y n ss)…            r extra doubt peers alone of each, by interval
 */
#include "pipe.h"

#include <stddef.h>
#include <stdio.h>

#include "analyzer/compare/compare.h"
#include "analyzer/compare/equal_load.h"

static void print(const struct compared *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%.17g %.17g %.17g %.17g %.17g %u %u %u %d ", c[i].d, c[i].value, c[i].peers,
		       c[i].weight, c[i].variance, c[i].id, c[i].cells, c[i].n_peers, (int)c[i].in);
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
			at[k].variance = number();
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
	static uint64_t a[LAT_BUCKETS], b[LAT_BUCKETS];

	for (size_t i = 0; i < LAT_BUCKETS; i++)
		a[i] = (uint64_t)number();
	for (size_t i = 0; i < LAT_BUCKETS; i++)
		b[i] = (uint64_t)number();
	printf("%.17g ", compare_w1(a, b));
}

static void do_loads(void)
{
	size_t n = whole(), intervals = whole();
	struct equal_load *e = equal_load_new(n, whole() != 0);
	struct loaded *in = room(n, sizeof(*in));
	struct residual *out = room(n, sizeof(*out));

	if (!e)
		broken("out of memory");
	for (size_t w = 0; w < intervals; w++) {
		for (size_t i = 0; i < n; i++) {
			in[i].x = number();
			in[i].y = number();
			in[i].n = number();
			in[i].ss = number();
		}
		equal_load_push(e, in, out);
		for (size_t i = 0; i < n; i++)
			printf("%.17g %.17g %.17g %.17g %d ", out[i].r, out[i].extra, out[i].doubt,
			       in[i].y - out[i].r, in[i].alone);
	}
	equal_load_free(e);
}

int main(void)
{
	static const struct pipe_command commands[] = {
		{"cells", do_cells}, {"numbers", do_numbers}, {"w1", do_w1}, {"loads", do_loads}};

	return pipe_answer(commands, sizeof(commands) / sizeof(*commands));
}
