// SPDX-License-Identifier: BSD-2-Clause
/*
 * The share of work: schedulers give the next task to the slot that is free first, so a slow node gets few, and then has too
 * few durations to compare. While tasks of a job were queued (from its first to its last start), each node could
 * have done as many for each of its slots as its peers did; slots are the most tasks it ran at a time, and
 * other jobs' tasks in them are taken off. A node counts from its first task on, so that one which joins late is none
 * that limps.
 */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/student.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* Healthy nodes are this far apart beside what so few tasks vary by themselves: heartbeats hand tasks out in gulps. */
static const double EXPECTED = 0.15, EXPECTED_DF = 12;
/* ln 2: fewer tasks by less may be a neighbour's load (a job's master took 0.6 of the maps of a healthy node). */
static const double GATE = 0.69314718;
#define DF_NORMAL 1e6		     /* student.h: normal from there on */
static const double LEAST_TASKS = 4; /* that a node should have done */
static const double LARGER = 1.5;    /* bytes of a node's tasks beside the job's: half an octave */

struct shared {
	double done, expected;
	double bytes; /* of its tasks, on average */
	int64_t from_ns, to_ns;
};

/* One task, by job and start. */
struct task {
	uint32_t job, node;
	int32_t group;
	int64_t from, to, bytes;
	bool counts, ended; /* starts the queue's time; ended well */
};

struct shares {
	struct states_job *j;
	size_t signal, n;
	struct task *at;
	unsigned int *slots; /* of each node */
	struct shared *all, *one;
	double *offered;
	struct look_mean *mean;
	struct weighed *out;
};

static int by_node(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return ORDER(x->node, y->node) ?: ORDER(x->from, y->from) ?: ORDER(x->to, y->to);
}

static int by_job(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return ORDER(x->group, y->group) ?: ORDER(x->job, y->job) ?: by_node(a, b);
}

static int by_ns(const void *a, const void *b)
{
	return ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

/* The most at one time: starts and ends in order, an end before a start of the same time. */
static unsigned int most_at_a_time(const struct task *t, size_t n, int64_t *ends)
{
	unsigned int now = 0, most = 0;
	size_t ended = 0;

	for (size_t i = 0; i < n; i++)
		ends[i] = t[i].to;
	sort(ends, n, by_ns);
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

static int gather(struct shares *w, enum state_kind kind)
{
	const struct states *s = w->j->s;
	int64_t *ends;
	size_t next;

	for (size_t i = 0; i < s->n; i++)
		w->n += s->at[i].kind == kind;
	w->at = calloc(w->n + 1, sizeof(*w->at));
	ends = calloc(w->n + 1, sizeof(*ends));
	if (!w->at || !ends) {
		free(ends);
		return -ENOMEM;
	}
	w->n = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];
		size_t row = states_row(w->j, x->node);

		if (x->kind != kind || row == SIZE_MAX || w->j->group[row] < 0 ||
		    x->job >= s->jobs.n || x->end_ns < x->start_ns)
			continue;
		w->at[w->n++] = (struct task){x->job,		(uint32_t)row,
					      w->j->group[row], x->start_ns,
					      x->end_ns,	x->bytes > 0 ? x->bytes : 0,
					      !x->speculative,	x->outcome == OUTCOME_OK};
	}
	sort(w->at, w->n, by_node);
	for (size_t i = 0; i < w->n; i = next) {
		for (next = i; next < w->n && w->at[next].node == w->at[i].node; next++)
			;
		w->slots[w->at[i].node] = most_at_a_time(&w->at[i], next - i, ends);
	}
	free(ends);
	return 0;
}

/* Slot time that others' tasks took on a node: t are the node's, of all jobs, by start. */
static double taken_s(const struct shares *w, uint32_t node, uint32_t job, int64_t from, int64_t to)
{
	size_t at = search_first(mid, w->n, w->at[mid].node < node);
	double sum = 0;

	for (; at < w->n && w->at[at].node == node && w->at[at].from < to; at++) {
		const struct task *x = &w->at[at];
		int64_t begin = x->from > from ? x->from : from, end = x->to < to ? x->to : to;

		if (x->job != job && end > begin)
			sum += s_of_ns(end - begin);
	}
	return sum;
}

/* What nodes did of one job while its tasks were queued; t by node. */
static void one_job(struct shares *w, const struct task *t, size_t n)
{
	int64_t from = INT64_MAX, to = INT64_MIN;
	double offered = 0, done = 0, bytes = 0;
	size_t next;

	for (size_t i = 0; i < n; i++) {
		from = t[i].counts && t[i].from < from ? t[i].from : from;
		to = t[i].counts && t[i].from > to ? t[i].from : to;
	}
	for (size_t i = 0; i < n; i = next) {
		struct shared *one = &w->one[t[i].node];
		int64_t first = t[i].from > from ? t[i].from : from;

		*one = (struct shared){.from_ns = first, .to_ns = to};
		for (next = i; next < n && t[next].node == t[i].node; next++) {
			one->done += t[next].ended && t[next].to <= to;
			one->bytes += (double)t[next].bytes;
		}
		bytes += one->bytes / (double)n;
		one->bytes /= (double)(next - i);
		w->offered[t[i].node] = fmax(0, w->slots[t[i].node] * s_of_ns(to - first) -
							taken_s(w, t[i].node, t[i].job, first, to));
		offered += w->offered[t[i].node];
		done += one->done;
	}
	for (size_t i = 0; i < n; i = next) {
		struct shared *one = &w->one[t[i].node], *all = &w->all[t[i].node];
		double others = offered - w->offered[t[i].node];

		for (next = i; next < n && t[next].node == t[i].node; next++)
			;
		one->expected =
			others > 0 ? (done - one->done) / others * w->offered[t[i].node] : 0;
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
				   const struct weighed *r, uint32_t job)
{
	struct state_found f = {.e = states_finding(w->j, w->signal, node),
				.level = r->level,
				.job = job,
				.peers = r->peers,
				.signal = w->signal,
				.times = 1,
				.duty = 1};
	struct finding *e = &f.e;

	e->value = x->done;
	e->peers = x->expected;
	e->ratio = exp(r->effect);
	e->lower = exp(r->lower);
	e->z = e->score = r->t;
	e->needs = r->need;
	e->df = r->df;
	e->spread = exp(r->spread);
	e->n_peers = (unsigned int)r->peers;
	e->onset_ns = x->from_ns;
	e->decided_ns = e->last_ns = e->window_end_ns = x->to_ns;
	e->window_s = s_of_ns(x->to_ns - x->from_ns);
	return f;
}

/* How far below what is expected, in standard deviations: the chance of so few (Poisson) as a normal deviate. A
 * logarithm alone would make too much of one task where eight are expected. */
static double too_few(double done, double expected)
{
	double sum = 0;

	for (double k = 0; k <= done; k++)
		sum += exp(k * log(expected) - expected - lgamma(k + 1));
	return student_quantile(fmin(fmax(sum, 1e-14), 1 - 1e-14), DF_NORMAL);
}

/* The nodes of one group. */
static int judge(struct shares *w, const struct shared *of, double chance, uint32_t job,
		 int32_t group)
{
	struct look_params p = LOOK_PARAMS_DEFAULT;
	size_t nodes = w->j->a->n_nodes;
	int err;

	for (size_t i = 0; i < nodes; i++) {
		double e = of[i].expected, g = log((e + 0.5) / (of[i].done + 0.5));
		bool there = w->j->group[i] == group && e >= LEAST_TASKS;
		double m = there ? too_few(of[i].done, e) / sqrt(e) : 0;

		w->mean[i] = (struct look_mean){.values = there, .m = m, .g = g, .own = 1 / e};
	}
	p.chance = chance;
	p.prior = EXPECTED;
	p.prior_df = EXPECTED_DF;
	p.gate = p.gate_suspect = GATE;
	err = evidence_means(w->mean, nodes, &p, w->out);
	for (size_t i = 0; i < nodes && !err; i++) {
		struct state_found f;

		if (w->out[i].intervals)
			w->j->a->signals[w->j->signals[w->signal].row].judged = true;
		if (w->out[i].level == EVIDENCE_NONE)
			continue;
		f = found_of(w, i, &of[i], &w->out[i], job);
		err = states_keep(w->j, &f);
	}
	return err == -ENODATA ? 0 : err;
}

static int all_jobs(struct shares *w)
{
	struct task *by = calloc(w->n + 1, sizeof(*by));
	size_t next, jobs = 0;
	int err = 0;

	if (!by)
		return -ENOMEM;
	for (size_t i = 0; i < w->n; i++)
		by[i] = w->at[i];
	sort(by, w->n, by_job);
	for (size_t i = 0; i < w->n; i++)
		jobs += !i || by[i].job != by[i - 1].job;
	for (size_t i = 0; i < w->n && !err; i = next) {
		for (next = i;
		     next < w->n && by[next].job == by[i].job && by[next].group == by[i].group;
		     next++)
			w->one[by[next].node].expected = 0;
		one_job(w, &by[i], next - i);
		if ((double)(next - i) >= LEAST_TASKS * STATES_NODES)
			err = judge(w, w->one, states_chance(w->j, jobs + (jobs > 1)), by[i].job,
				    by[i].group);
		for (size_t k = i; k < next; k++)
			w->one[by[k].node] = (struct shared){0};
	}
	for (size_t g = 0; jobs > 1 && g < w->j->n_groups && !err; g++)
		err = judge(w, w->all, states_chance(w->j, jobs + 1), STATE_NONE, (int32_t)g);
	free(by);
	return err;
}

int states_share(struct states_job *j, size_t signal)
{
	struct shares w = {.j = j, .signal = signal};
	size_t nodes = j->a->n_nodes;
	int err = -ENOMEM;

	w.slots = calloc(nodes + 1, sizeof(*w.slots));
	w.all = calloc(nodes + 1, sizeof(*w.all));
	w.one = calloc(nodes + 1, sizeof(*w.one));
	w.offered = calloc(nodes + 1, sizeof(*w.offered));
	w.mean = calloc(nodes + 1, sizeof(*w.mean));
	w.out = calloc(nodes + 1, sizeof(*w.out));
	if (w.slots && w.all && w.one && w.offered && w.mean && w.out)
		err = gather(&w, j->signals[signal].kind);
	if (!err)
		err = all_jobs(&w);
	free(w.at);
	free(w.slots);
	free(w.all);
	free(w.one);
	free(w.offered);
	free(w.mean);
	free(w.out);
	return err;
}
