// SPDX-License-Identifier: BSD-2-Clause
/* Slots of nodes: the most tasks of a kind that each ran at a time; and nodes that have fewer than their peers. */
#include "states_share.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

enum { SLOTS_TASKS = 4 }; /* a slot has to have these to be worth telling */

static int by_node(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return ORDER(x->node, y->node) ?: ORDER(x->from, y->from) ?: ORDER(x->to, y->to);
}

static int by_ns(const void *a, const void *b)
{
	return ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

/* The most at one time: starts and ends in order, an end before a start of the same time. */
static unsigned int most_at_a_time(const struct task *t, size_t n, const int64_t *ends)
{
	unsigned int now = 0, most = 0;
	size_t ended = 0;

	for (size_t i = 0; i < n; i++) {
		while (ended < i && ends[ended] <= t[i].from) {
			ended++;
			now--;
		}
		now++;
		most = now > most ? now : most;
	}
	return most;
}

static void gather_tasks(struct shares *w, enum state_kind kind)
{
	const struct states *s = w->j->s;

	w->n = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];
		size_t row = states_row(w->j, x->node);

		if (x->kind != kind || row == SIZE_MAX || w->j->group[row] < 0 ||
		    x->job >= s->jobs.n || x->end_ns < x->start_ns)
			continue;
		w->at[w->n++] = (struct task){x->job,
					      (uint32_t)row,
					      w->j->group[row],
					      x->start_ns,
					      x->end_ns,
					      x->bytes > 0 ? x->bytes : 0,
					      !x->speculative,
					      x->outcome == OUTCOME_OK,
					      x->clock == CLOCK_OF_NODE};
	}
	sort(w->at, w->n, by_node);
}

/* One node's n tasks, which are the first of `at`. */
static void sum_node(struct shares *w, size_t first, size_t n)
{
	task_sum begun = 0, ended = 0;

	for (size_t i = first; i < first + n; i++)
		w->ends[i] = w->at[i].to;
	sort(&w->ends[first], n, by_ns);
	for (size_t i = first; i < first + n; i++) {
		w->begun[i] = begun;
		w->ended[i] = ended;
		begun += w->at[i].from;
		ended += w->ends[i];
	}
	/* what comes after the last is at the end: of n tasks there are n + 1 sums */
	w->begun_all[w->at[first].node] = begun;
	w->ended_all[w->at[first].node] = ended;
}

static int gather(struct shares *w, enum state_kind kind)
{
	const struct states *s = w->j->s;
	size_t nodes = w->j->a->n_nodes, next;

	for (size_t i = 0; i < s->n; i++)
		w->n += s->at[i].kind == kind;
	w->at = calloc(w->n + 1, sizeof(*w->at));
	w->first = calloc(nodes + 2, sizeof(*w->first));
	w->ends = calloc(w->n + 1, sizeof(*w->ends));
	w->begun = calloc(w->n + 1, sizeof(*w->begun));
	w->ended = calloc(w->n + 1, sizeof(*w->ended));
	w->begun_all = calloc(nodes + 1, sizeof(*w->begun_all));
	w->ended_all = calloc(nodes + 1, sizeof(*w->ended_all));
	if (!w->at || !w->first || !w->ends || !w->begun || !w->ended || !w->begun_all ||
	    !w->ended_all)
		return -ENOMEM;
	gather_tasks(w, kind);
	for (size_t i = 0; i < w->n; i = next) {
		uint32_t node = w->at[i].node;

		for (next = i; next < w->n && w->at[next].node == node; next++)
			;
		w->first[node + 1] = next - i;
		sum_node(w, i, next - i);
		w->slots[node] = most_at_a_time(&w->at[i], next - i, &w->ends[i]);
		w->there[node].first = w->at[i].from;
	}
	for (size_t i = 0; i < nodes; i++)
		w->first[i + 1] += w->first[i];
	for (size_t i = 0; i < s->n; i++) {
		size_t row = states_row(w->j, s->at[i].node);

		if (row != SIZE_MAX && s->at[i].start_ns > w->there[row].last)
			w->there[row].last = s->at[i].start_ns;
	}
	return 0;
}

/* Slot time of a node's tasks before t. */
static task_sum taken_before(const struct shares *w, uint32_t node, int64_t t)
{
	size_t first = w->first[node], n = w->first[node + 1] - first;
	size_t begun = search_first(i, n, w->at[first + i].from < t),
	       ended = search_first(i, n, w->ends[first + i] < t);

	return ((task_sum)begun * t - (begun < n ? w->begun[first + begun] : w->begun_all[node])) -
	       ((task_sum)ended * t - (ended < n ? w->ended[first + ended] : w->ended_all[node]));
}

task_sum slots_taken_ns(const struct shares *w, uint32_t node, int64_t from, int64_t to)
{
	return taken_before(w, node, to) - taken_before(w, node, from);
}

void slots_release(struct shares *w)
{
	free(w->at);
	free(w->first);
	free(w->ends);
	free(w->begun);
	free(w->ended);
	free(w->begun_all);
	free(w->ended_all);
}

/*
 * Nodes that never ran more than half as many at a time as most of their group: fewer slots, or no use for them; where
 * there were tasks enough for all.
 */
int slots_tell(struct shares *w)
{
	double *some = calloc(w->j->a->n_nodes + 1, sizeof(*some));
	int err = some ? 0 : -ENOMEM;

	for (size_t g = 0; g < w->j->n_groups && !err; g++) {
		const uint32_t *node = &w->nodes[w->group[g]];
		size_t nodes = 0, slots = 0;
		double usual;

		for (size_t i = w->group[g]; i < w->group[g + 1]; i++)
			if (w->slots[w->nodes[i]]) {
				some[nodes++] = w->slots[w->nodes[i]];
				slots += w->slots[w->nodes[i]];
			}
		if (nodes < STATES_NODES || w->n < SLOTS_TASKS * slots)
			continue;
		usual = stats_quantile(some, nodes, 0.5);
		for (size_t i = 0; i < w->group[g + 1] - w->group[g] && !err; i++) {
			struct notice m = {.kind = NOTICE_SLOTS,
					   .node = node[i],
					   .from_ns = w->j->a->from_ns,
					   .to_ns = w->j->a->to_ns,
					   .servers = w->slots[node[i]],
					   .of = (size_t)usual,
					   .work = state_rows[w->j->signals[w->signal].kind].word};

			if (w->slots[node[i]] && 2 * w->slots[node[i]] <= usual)
				err = verdict_add_notice(w->j->a, &m);
		}
	}
	free(some);
	return err;
}

/* Nodes by group. */
static void gather_groups(struct shares *w)
{
	for (size_t i = 0; i < w->j->a->n_nodes; i++)
		if (w->j->group[i] >= 0)
			w->group[w->j->group[i]]++;
	for (size_t g = 1; g <= w->j->n_groups; g++)
		w->group[g] += w->group[g - 1];
	for (size_t i = w->j->a->n_nodes; i-- > 0;)
		if (w->j->group[i] >= 0)
			w->nodes[--w->group[w->j->group[i]]] = (uint32_t)i;
}

int slots_gather(struct shares *w, enum state_kind kind)
{
	gather_groups(w);
	return gather(w, kind);
}
