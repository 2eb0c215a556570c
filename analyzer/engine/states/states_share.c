// SPDX-License-Identifier: BSD-2-Clause
/*
 * The share of work: schedulers give the next task to the slot that is free first, so a slow node gets few, and then has too
 * few durations to compare. While tasks of a job were queued (from its first to its last start), each node could
 * have done as many for each of its slots as its peers did; slots are the most tasks it ran at a time, and
 * other jobs' tasks in them are taken off. A node counts from its first task on, so that one which joins late is none
 * that limps. Of a job with two tasks and more for each slot all nodes count that are known by then and did anything
 * later: one that is handed nothing has done nothing. (Not on YARN, and not Spark, which choose nodes for each job.)
 *
 * Parts of the time are looked at for all kinds together only (states_together.c): one job's few tasks are handed out by
 * chance, of 48 on six healthy nodes none to 17.
 */
#include "states_share.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* Healthy nodes are this far apart beside what so few tasks vary by themselves: heartbeats hand tasks out in gulps. */
static const double EXPECTED = 0.15, EXPECTED_DF = 12;
/* ln 2: fewer tasks by less may be a neighbour's load (a job's master took 0.6 of the maps of a healthy node). */
static const double GATE = 0.69314718;
static const double LEAST_TASKS = 4; /* that a node should have done */
static const double LARGER = 1.5;    /* bytes of a node's tasks beside the job's: half an octave */

static int by_job(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return ORDER(x->group, y->group) ?: ORDER(x->job, y->job) ?: ORDER(x->node, y->node)
		?: ORDER(x->from, y->from) ?: ORDER(x->to, y->to);
}

static int64_t overlap_ns(const struct task *x, int64_t from, int64_t to)
{
	int64_t begin = x->from > from ? x->from : from, end = x->to < to ? x->to : to;

	return end > begin ? end - begin : 0;
}

/* Slot time that other jobs' tasks took on a node. */
static double taken_s(const struct shares *w, uint32_t node, int64_t from, int64_t to)
{
	return (double)(slots_taken_ns(w, node, from, to) - w->one[node].own_ns) / 1e9;
}

static int by_number(const void *a, const void *b)
{
	return ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Those that had no task of this job, and could have had one. */
static void idle_nodes(struct shares *w, const struct task *t, size_t n, int64_t from, int64_t to)
{
	size_t slots = 0, had = w->n_here;
	const uint32_t *node = &w->nodes[w->group[t->group]];
	size_t nodes = w->group[t->group + 1] - w->group[t->group];

	if (!t->offered || n < nodes)
		return;
	for (size_t i = 0; i < nodes; i++)
		slots += w->slots[node[i]];
	for (size_t i = 0, k = 0; i < nodes && n >= 2 * slots; i++) {
		const struct there *x = &w->there[node[i]];

		while (k < had && w->here[k] < node[i])
			k++;
		if ((k < had && w->here[k] == node[i]) || !w->slots[node[i]] || x->first > from ||
		    x->last < to)
			continue;
		w->one[node[i]] = (struct shared){.from_ns = from, .to_ns = to};
		w->here[w->n_here++] = node[i];
	}
}

/* What nodes did of one job while its tasks were queued, of a part of the time; t by node. */
static void one_job(struct shares *w, const struct task *t, size_t n, size_t part)
{
	int64_t from = INT64_MAX, to = INT64_MIN, begin, end;
	double offered = 0, done = 0, bytes = 0;
	size_t next;

	for (size_t i = 0; i < n; i++) {
		from = t[i].counts && t[i].from < from ? t[i].from : from;
		to = t[i].counts && t[i].from > to ? t[i].from : to;
	}
	states_part(w->j, part, &begin, &end);
	from = from > begin ? from : begin;
	to = to < end ? to : end;
	w->n_here = 0;
	for (size_t i = 0; i < n && from < to; i = next) {
		struct shared *one = &w->one[t[i].node];

		*one = (struct shared){.from_ns = t[i].from > from ? t[i].from : from, .to_ns = to};
		w->here[w->n_here++] = t[i].node;
		for (next = i; next < n && t[next].node == t[i].node; next++) {
			one->done += t[next].ended && t[next].to <= to && t[next].to > from;
			one->bytes += (double)t[next].bytes;
			one->own_ns += overlap_ns(&t[next], one->from_ns, to);
		}
		bytes += one->bytes / (double)n;
		one->bytes /= (double)(next - i);
	}
	if (w->n_here)
		idle_nodes(w, t, n, from, to);
	for (size_t i = 0; i < w->n_here; i++) {
		struct shared *one = &w->one[w->here[i]];
		int64_t first = one->from_ns;

		w->offered[w->here[i]] =
			first < to ? fmax(0, w->slots[w->here[i]] * s_of_ns(to - first) -
						     taken_s(w, w->here[i], first, to))
				   : 0;
		offered += w->offered[w->here[i]];
		done += one->done;
	}
	for (size_t i = 0; i < w->n_here; i++) {
		uint32_t node = w->here[i];
		struct shared *one = &w->one[node], *all = &w->all[node * PARTS + part];
		double others = offered - w->offered[node];

		one->expected = others > 0 ? (done - one->done) / others * w->offered[node] : 0;
		/* Larger tasks take longer: nothing is known of so many. */
		if (one->bytes > LARGER * bytes)
			one->expected = 0;
		all->from_ns = all->expected > 0 && all->from_ns < one->from_ns ? all->from_ns
										: one->from_ns;
		all->to_ns = all->expected > 0 && all->to_ns > one->to_ns ? all->to_ns : one->to_ns;
		all->done += one->done;
		all->expected += one->expected;
	}
}

static struct state_found found_of(const struct shares *w, size_t node, const struct shared *x,
				   const struct evidence *r, uint32_t job)
{
	struct finding_about about = states_about(w->j, w->signal, node);
	struct state_found f;

	about.value = x->done;
	about.peers = x->expected;
	about.onset_ns = x->from_ns;
	about.last_ns = x->to_ns;
	f = states_found(w->signal, &about, r);
	f.job = job;
	return f;
}

/* Some nodes; those of a part of the time are `step` apart. */
static int weigh(struct shares *w, const struct shared *of, size_t step, double chance,
		 const uint32_t *nodes, size_t n)
{
	struct look_params p = LOOK_PARAMS_DEFAULT;

	for (size_t i = 0; i < n; i++) {
		const struct shared *x = &of[nodes[i] * step];

		w->count[i] = (struct count){
			.hits = x->done, .expected = x->expected >= LEAST_TASKS ? x->expected : 0};
	}
	p.chance = chance;
	p.prior = EXPECTED;
	p.prior_df = EXPECTED_DF;
	p.gate = p.gate_suspect = GATE;
	return evidence_fewer(w->count, n, &p, w->out);
}

static int judge(struct shares *w, const struct shared *of, size_t step, double chance,
		 uint32_t job, const uint32_t *nodes, size_t n)
{
	int err = weigh(w, of, step, chance, nodes, n);

	for (size_t i = 0; i < n && !err; i++) {
		struct state_found f;

		if (w->out[i].n)
			w->j->a->signals[w->j->signals[w->signal].row].judged = true;
		if (w->out[i].level == EVIDENCE_NONE)
			continue;
		f = found_of(w, nodes[i], &of[nodes[i] * step], &w->out[i], job);
		err = states_keep(w->j, &f);
	}
	return err == -ENODATA ? 0 : err;
}

/* Each part of the time, for all kinds together. */
static int judge_parts(struct shares *w, const uint32_t *nodes, size_t n)
{
	int err = 0;

	for (size_t part = 0; part < PARTS && !err; part++) {
		err = weigh(w, &w->all[part], PARTS, 1, nodes, n);
		for (size_t i = 0; i < n && !err; i++)
			if (w->out[i].n)
				states_together_add(w->j, w->signal, part, nodes[i], 0, 0,
						    &w->out[i]);
		err = err == -ENODATA ? 0 : err;
	}
	return err;
}

static int each_job(struct shares *w, const struct task *by, size_t jobs)
{
	size_t next;
	int err = 0;

	for (size_t i = 0; i < w->n && !err; i = next) {
		for (next = i;
		     next < w->n && by[next].job == by[i].job && by[next].group == by[i].group;)
			next++;
		for (size_t part = PARTS; part-- > 0 && !err;) {
			one_job(w, &by[i], next - i, part);
			/* the whole comes last */
			sort(w->here, w->n_here, by_number);
			if (!part && (double)(next - i) >= LEAST_TASKS * STATES_NODES)
				err = judge(w, w->one, 1, states_chance(w->j, jobs + (jobs > 1)),
					    by[i].job, w->here, w->n_here);
			for (size_t k = 0; k < w->n_here; k++)
				w->one[w->here[k]] = (struct shared){0};
		}
	}
	return err;
}

static int all_jobs(struct shares *w)
{
	struct task *by = calloc(w->n + 1, sizeof(*by));
	size_t jobs = 0;
	int err;

	if (!by)
		return -ENOMEM;
	for (size_t i = 0; i < w->n; i++)
		by[i] = w->at[i];
	sort(by, w->n, by_job);
	for (size_t i = 0; i < w->n; i++)
		jobs += !i || by[i].job != by[i - 1].job;
	err = each_job(w, by, jobs);
	for (size_t g = 0; g < w->j->n_groups && !err; g++) {
		const uint32_t *nodes = &w->nodes[w->group[g]];
		size_t n = w->group[g + 1] - w->group[g];

		if (n < STATES_NODES)
			continue;
		if (jobs > 1)
			err = judge(w, w->all, PARTS, states_chance(w->j, jobs + 1), STATE_NONE,
				    nodes, n);
		if (!err)
			err = judge_parts(w, nodes, n);
	}
	free(by);
	return err;
}

int states_share(struct states_job *j, size_t signal)
{
	struct shares w = {.j = j, .signal = signal};
	size_t nodes = j->a->n_nodes;
	int err = -ENOMEM;

	w.slots = calloc(nodes + 1, sizeof(*w.slots));
	w.there = calloc(nodes + 1, sizeof(*w.there));
	w.nodes = calloc(nodes + 1, sizeof(*w.nodes));
	w.group = calloc(j->n_groups + 2, sizeof(*w.group));
	w.here = calloc(nodes + 1, sizeof(*w.here));
	w.all = calloc(nodes * PARTS + 1, sizeof(*w.all));
	w.one = calloc(nodes + 1, sizeof(*w.one));
	w.offered = calloc(nodes + 1, sizeof(*w.offered));
	w.count = calloc(nodes + 1, sizeof(*w.count));
	w.out = calloc(nodes + 1, sizeof(*w.out));
	if (w.slots && w.there && w.nodes && w.group && w.here && w.all && w.one && w.offered &&
	    w.count && w.out) {
		err = slots_gather(&w, j->signals[signal].kind);
	}
	if (!err)
		err = slots_tell(&w);
	if (!err)
		err = all_jobs(&w);
	slots_release(&w);
	free(w.slots);
	free(w.there);
	free(w.nodes);
	free(w.group);
	free(w.here);
	free(w.all);
	free(w.one);
	free(w.offered);
	free(w.count);
	free(w.out);
	return err;
}
