// SPDX-License-Identifier: BSD-2-Clause
/* states_sums.h */
#include "states_sums.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/states_lines.h"
#include "analyzer/stat/stats.h"
#include "userspace/common/options.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

/* Of one server and one state. */
struct states_sum {
	size_t n, failed, killed, open;
	double s, median_s, bytes;
};

/* Permutes x. NaN of nothing. */
static double median(double *x, size_t n)
{
	double low, high, most;

	if (!n)
		return NAN;
	high = low = stats_select(x, n, (n - 1) / 2);
	if (n % 2 == 0)
		stats_range(x + n / 2, n / 2, &high, &most);
	return (high + low) / 2;
}

static struct states_sum sum_up(const struct states *s, const size_t *at, size_t n, double *s_each)
{
	struct states_sum sum = {.n = n};
	size_t ended = 0;

	for (size_t i = 0; i < n; i++) {
		const struct state *st = &s->at[at[i]];

		sum.failed += st->outcome == OUTCOME_FAILED;
		sum.killed += st->outcome == OUTCOME_KILLED;
		sum.open += st->outcome == OUTCOME_OPEN;
		sum.bytes += st->bytes > 0 ? (double)st->bytes : 0;
		if (st->outcome != OUTCOME_OPEN)
			s_each[ended++] = (double)(st->end_ns - st->start_ns) / 1e9;
	}
	for (size_t i = 0; i < ended; i++)
		sum.s += s_each[i];
	sum.median_s = median(s_each, ended);
	return sum;
}

COMPARISON_WITH(by_node_name, uint32_t, struct names, strcmp(with->at[*a], with->at[*b]))

/* Numbers of nodes in the order of their names: at[n_nodes + i] is the place of node i. NULL: no memory. */
static uint32_t *nodes_by_name(const struct names *nodes)
{
	uint32_t *at = malloc((2 * nodes->n + 1) * sizeof(*at));

	for (size_t i = 0; at && i < nodes->n; i++)
		at[i] = (uint32_t)i;
	if (at)
		sort_with(at, nodes->n, by_node_name, (void *)(uintptr_t)nodes);
	for (size_t i = 0; at && i < nodes->n; i++)
		at[nodes->n + at[i]] = (uint32_t)i;
	return at;
}

/* By its node's place; without places by its kind. */
static uint32_t key_of(const struct state *st, const uint32_t *place)
{
	return place ? place[st->node] : st->kind;
}

/* `at` by keys below n_keys; those of one key stay in their order. 0 or -ENOMEM. */
static int put_by(size_t *at, size_t n, size_t n_keys, const struct states *s,
		  const uint32_t *place)
{
	size_t *begin = calloc(n_keys + 1, sizeof(*begin)), *to = malloc((n + 1) * sizeof(*to));
	int err = begin && to ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++)
		begin[key_of(&s->at[at[i]], place) + 1]++;
	for (size_t k = 0; k < n_keys && !err; k++)
		begin[k + 1] += begin[k];
	for (size_t i = 0; i < n && !err; i++)
		to[begin[key_of(&s->at[at[i]], place)]++] = at[i];
	if (!err && n)
		memcpy(at, to, n * sizeof(*at));
	free(begin);
	free(to);
	return err;
}

/* By state, server's name and time: to sort a million states takes as long as to read them. */
static int by_state_and_node(const struct states *s, size_t *at, size_t n)
{
	uint32_t *nodes = nodes_by_name(&s->nodes);
	int err = nodes ? 0 : -ENOMEM;

	err = err ?: put_by(at, n, s->nodes.n, s, nodes + s->nodes.n);
	err = err ?: put_by(at, n, STATE_KIND_COUNT, s, NULL);
	free(nodes);
	return err;
}

int states_print_sums(const struct states *s, size_t *at, size_t n)
{
	double *s_each = malloc((n + 1) * sizeof(*s_each));
	char node[HOST_LEN];

	if (!s_each || by_state_and_node(s, at, n)) {
		free(s_each);
		return fail("out of memory");
	}
	printf("%-16s %-20s %8s %10s %10s %10s %7s %7s %6s\n", "state", "server", "count",
	       "seconds", "median s", "MiB", "failed", "killed", "open");
	for (size_t i = 0, end; i < n; i = end) {
		const struct state *first = &s->at[at[i]];
		struct states_sum sum;

		for (end = i; end < n && s->at[at[end]].kind == first->kind &&
			      s->at[at[end]].node == first->node;)
			end++;
		sum = sum_up(s, at + i, end - i, s_each);
		printf("%-16s %-20s %8zu %10.1f ", state_rows[first->kind].word,
		       output_plain(states_name(&s->nodes, first->node), node, sizeof(node)), sum.n,
		       sum.s);
		if (isnan(sum.median_s))
			printf("%10s", "-");
		else
			printf("%10.3f", sum.median_s);
		printf(" %10.1f %7zu %7zu %6zu\n", sum.bytes / (1 << 20), sum.failed, sum.killed,
		       sum.open);
	}
	free(s_each);
	return 0;
}
