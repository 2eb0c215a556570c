// SPDX-License-Identifier: BSD-2-Clause
/* After the last file: samples in order, once each. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "userspace/common/sort.h"

size_t table_run(const struct table *t, size_t i)
{
	const struct sample *s = &t->at[i];

	return run_end(k, i, t->n,
		       t->at[k].node == s->node && t->at[k].metric == s->metric &&
			       t->at[k].instance == s->instance);
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

/* Likewise of all instances together. */
static size_t run_of_all(const struct table *t, size_t i)
{
	const struct sample *s = &t->at[i];

	while (++i < t->n && t->at[i].node == s->node && t->at[i].metric == s->metric)
		;
	return i;
}

/* By node, metric, instance and time; from BY_METRIC on of all instances together. Of what has the same, as the lines
 * came. */
static int sort_from(struct table *t, enum key k)
{
	size_t (*run)(const struct table *, size_t) = k > BY_INSTANCE ? run_of_all : table_run;
	const size_t values[KEYS] = {t->instances.n, t->metrics.n, t->nodes.n};
	struct sample *spare = malloc((t->n ? t->n : 1) * sizeof(*spare));
	int err = spare ? 0 : -ENOMEM;

	for (; k < KEYS && !err; k++) {
		if (values[k] < 2)
			continue;
		err = sort_by(t, k, values[k], spare);
		if (!err) {
			struct sample *sorted = spare;

			spare = t->at;
			t->at = sorted;
		}
	}
	for (size_t i = 0, end; i < t->n && !err; i = end) {
		end = run(t, i);
		sort_times(t->at, spare, i, end);
	}
	free(spare);
	return err;
}

/* How far the samples from i on are of one line's key. */
static size_t same_end(const struct table *t, size_t i)
{
	const struct sample *a = &t->at[i], *b = a;

	while (++b < t->at + t->n && a->time_ns == b->time_ns && a->node == b->node &&
	       a->metric == b->metric && a->instance == b->instance)
		;
	return (size_t)(b - t->at);
}

/* The first line of one time counts. */
static int drop_duplicates(struct table *t, const struct table_opts *o)
{
	struct table_repeats *of = calloc(t->metrics.n + 1, sizeof(*of));
	size_t n = 0;
	int err;

	if (!of)
		return -ENOMEM;
	for (size_t i = 0, end; i < t->n; i = end) {
		struct table_repeats *r = &of[t->at[i].metric];
		bool differ = false;

		end = same_end(t, i);
		for (size_t k = i + 1; k < end; k++)
			differ |=
				t->at[k].value < t->at[i].value || t->at[k].value > t->at[i].value;
		r->times++;
		r->again += end - i > 1;
		r->differ += differ;
		r->rows += end - i;
		t->duplicates += end - i - 1;
		t->at[n++] = t->at[i];
	}
	t->n = n;
	err = table_refuse(t, o, of);
	free(of);
	return err;
}

int table_finish(struct table *t, const struct table_opts *o)
{
	int err = 0;

	if (t->sysstat && o->node && strcmp(o->node, "@file") != 0)
		return fail("'--node %s' has no meaning for tables of sysstat's, which name their "
			    "server: '--node @file' takes the file's name",
			    o->node);
	if (*t->guess.column) {
		err = sort_from(t, BY_METRIC);
		err = err ? err : table_settle(t, o);
	}
	err = err ?: sort_from(t, BY_INSTANCE);
	if (!err && !t->events)
		err = drop_duplicates(t, o);
	return err ?: table_rates(t, o) ?: table_steps(t, o);
}
