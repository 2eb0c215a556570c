// SPDX-License-Identifier: BSD-2-Clause
/* After the last file: samples in order, once each. */
#include "table_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t table_run(const struct table *t, size_t i)
{
	const struct sample *s = &t->at[i];

	for (i++; i < t->n && t->at[i].node == s->node && t->at[i].metric == s->metric &&
		  t->at[i].instance == s->instance;
	     i++)
		;
	return i;
}

enum key { BY_INSTANCE, BY_METRIC, BY_NODE, KEYS };

static uint32_t key(const struct sample *s, enum key k)
{
	return k == BY_INSTANCE ? s->instance : k == BY_METRIC ? s->metric : s->node;
}

/* A counting sort by one key, which keeps the order of what is equal; 0 or -ENOMEM. */
static int sort_by(struct table *t, enum key k, size_t values, struct sample *to)
{
	size_t *at = calloc(values + 1, sizeof(*at));
	struct sample *from = t->at;

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		at[key(&from[i], k) + 1]++;
	for (size_t v = 0; v < values; v++)
		at[v + 1] += at[v];
	for (size_t i = 0; i < t->n; i++)
		to[at[key(&from[i], k)]++] = from[i];
	free(at);
	return 0;
}

/* Merges [a, b) and [b, c), which are in order of time; what is equal keeps its order. */
static void merge(struct sample *s, struct sample *spare, size_t a, size_t b, size_t c)
{
	size_t i = a, k = b, n = a;

	if (s[b - 1].time_ns <= s[b].time_ns)
		return;
	while (i < b && k < c)
		spare[n++] = s[k].time_ns < s[i].time_ns ? s[k++] : s[i++];
	memcpy(&spare[n], &s[i], (b - i) * sizeof(*s));
	n += b - i;
	memcpy(&s[a], &spare[a], (n - a) * sizeof(*s));
}

/* A run of one node, metric and instance: mostly in order already. */
static void sort_times(struct sample *s, struct sample *spare, size_t from, size_t to)
{
	for (size_t width = 1; width < to - from; width *= 2) {
		bool sorted = true;

		for (size_t a = from; a + width < to; a += 2 * width) {
			size_t b = a + width, c = to - b < width ? to : b + width;

			merge(s, spare, a, b, c);
		}
		for (size_t i = from + 1; i < to && sorted; i++)
			sorted = s[i - 1].time_ns <= s[i].time_ns;
		if (sorted)
			return;
	}
}

/* By node, metric, instance and time; of what has all four the same, as the lines came. */
static int sort(struct table *t)
{
	const size_t values[KEYS] = {t->instances.n, t->metrics.n, t->nodes.n};
	struct sample *spare = malloc((t->n ? t->n : 1) * sizeof(*spare));
	int err = spare ? 0 : -ENOMEM;

	for (enum key k = 0; k < KEYS && !err; k++) {
		if (values[k] < 2)
			continue;
		err = sort_by(t, k, values[k], spare);
		if (!err) {
			struct sample *sorted = spare;

			spare = t->at;
			t->at = sorted;
			t->cap = t->n; /* the spare one has no more */
		}
	}
	for (size_t i = 0, end; i < t->n && !err; i = end) {
		end = table_run(t, i);
		sort_times(t->at, spare, i, end);
	}
	free(spare);
	return err;
}

/* The first line of one time counts. */
static void drop_duplicates(struct table *t)
{
	size_t n = 0;

	if (t->events)
		return;
	for (size_t i = 0; i < t->n; i++) {
		const struct sample *a = n ? &t->at[n - 1] : NULL, *b = &t->at[i];

		if (a && a->time_ns == b->time_ns && a->node == b->node && a->metric == b->metric &&
		    a->instance == b->instance) {
			t->duplicates++;
			continue;
		}
		t->at[n++] = *b;
	}
	t->n = n;
}

int table_finish(struct table *t, const struct table_opts *o)
{
	int err = sort(t);

	if (!err) {
		drop_duplicates(t);
		err = table_rates(t, o);
	}
	if (!err)
		err = table_steps(t, o);
	if (err == -ENOMEM)
		fail("out of memory");
	return err;
}
