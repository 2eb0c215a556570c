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
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* ---- slots of nodes, and nodes that have fewer than their peers --------------------------------- */

struct shared {
	double done, expected;
	double bytes;	/* of its tasks, on average */
	int64_t own_ns; /* slot time of them while the job's tasks were queued */
	double offered; /* slot time that it had for this job */
	int64_t from_ns, to_ns;
};

/* One task, by job and start. */
struct shared_task {
	uint32_t job, node;
	int32_t group;
	int64_t from, to, bytes;
	bool counts, ended; /* starts the queue's time; ended well */
	bool offered;	    /* to all nodes */
};

/* Sums over a node's tasks, up to one of them. */
typedef __int128 task_sum; /* of times: a million of them in ns */

/* One node: its tasks are n from at[first] on. */
struct sharer {
	size_t first, n;
	unsigned int slots;
	int64_t known, last; /* when a task of this kind began first, and anything last */
};

struct shares {
	struct states_job *j;
	size_t signal, n;
	struct shared_task *at; /* by node and start */
	int64_t *ends;		/* of the same, by node and end */
	/* Starts, and ends, of those of the node before it, added up: of n tasks n + 1 sums, from first + node on. */
	task_sum *begun, *ended;
	struct sharer *of; /* of each node */
	uint32_t *here;	   /* nodes of the job that is looked at */
	size_t n_here;
	struct shared *all, *one; /* all: PARTS of each node */
	struct count *count;
	struct evidence *out;
};

enum { SLOTS_TASKS = 4 }; /* a slot has to have these to be worth telling */

COMPARISON(by_node, struct shared_task,
	   ORDER(a->node, b->node) ?: ORDER(a->from, b->from) ?: ORDER(a->to, b->to))

/* The most at one time: starts and ends in order, an end before a start of the same time. */
static unsigned int most_at_a_time(const struct shared_task *t, size_t n, const int64_t *ends)
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

/* A job's setup takes a slot of maps: its server begins before its peers, and finds its machine warm. */
static bool is_shared(const struct state *x, enum state_kind kind)
{
	return x->kind == kind ||
	       (kind == STATE_MAP && x->kind == STATE_SETUP && x->clock == CLOCK_OF_NODE);
}

static void gather_tasks(struct shares *w, enum state_kind kind)
{
	const struct states *s = w->j->s;

	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];
		size_t row = states_compared_row(w->j, x->node);

		if (!is_shared(x, kind) || row == SIZE_MAX || x->job >= s->jobs.n ||
		    x->end_ns < x->start_ns)
			continue;
		w->at[w->n++] = (struct shared_task){x->job,
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

static void sum_node(struct shares *w, size_t node)
{
	size_t first = w->of[node].first, n = w->of[node].n;
	task_sum *begun = w->begun + first + node, *ended = w->ended + first + node;

	for (size_t i = 0; i < n; i++)
		w->ends[first + i] = w->at[first + i].to;
	sort(&w->ends[first], n, by_int64);
	for (size_t i = 0; i < n; i++) {
		begun[i + 1] = begun[i] + w->at[first + i].from;
		ended[i + 1] = ended[i] + w->ends[first + i];
	}
}

/* Tasks of a kind by node and start, and their sums, slots, and when nodes were there. */
static void slots_gather(struct shares *w, enum state_kind kind)
{
	const struct states *s = w->j->s;
	size_t nodes = w->j->a->n_nodes;

	gather_tasks(w, kind);
	for (size_t i = 0, next = 0; i < nodes; i++) {
		struct sharer *x = &w->of[i];

		x->first = next;
		while (next < w->n && w->at[next].node == i)
			next++;
		x->n = next - x->first;
		sum_node(w, i);
		x->slots = most_at_a_time(&w->at[x->first], x->n, &w->ends[x->first]);
		x->known = x->n ? w->at[x->first].from : 0;
	}
	for (size_t i = 0; i < s->n; i++) {
		size_t row = states_row(w->j, s->at[i].node);

		if (row != SIZE_MAX && s->at[i].start_ns > w->of[row].last)
			w->of[row].last = s->at[i].start_ns;
	}
}

/* Slot time of a node's tasks before t. */
static task_sum taken_before(const struct shares *w, uint32_t node, int64_t t)
{
	size_t first = w->of[node].first, n = w->of[node].n;
	size_t begun = search_first(i, n, w->at[first + i].from < t),
	       ended = search_first(i, n, w->ends[first + i] < t);

	return ((task_sum)begun * t - w->begun[first + node + begun]) -
	       ((task_sum)ended * t - w->ended[first + node + ended]);
}

/*
 * Nodes that never ran more than half as many at a time as most of their group: fewer slots, or no use for them; where
 * there were tasks enough for all.
 */
static int slots_tell(struct shares *w)
{
	struct scratch room SCRATCH_SCOPED = {0};
	double *some = scratch_array(&room, w->j->a->n_nodes, sizeof(*some));
	int err = some ? 0 : -ENOMEM;

	for (size_t g = 0; g < w->j->n_groups && !err; g++) {
		const uint32_t *node = &w->j->by_group[w->j->group_first[g]];
		size_t n = states_in_group(w->j, (int32_t)g), nodes = 0, slots = 0;
		double usual;

		for (size_t i = 0; i < n; i++)
			if (w->of[node[i]].slots) {
				some[nodes++] = w->of[node[i]].slots;
				slots += w->of[node[i]].slots;
			}
		if (nodes < STATES_NODES || w->n < SLOTS_TASKS * slots)
			continue;
		usual = stats_quantile(some, nodes, 0.5);
		for (size_t i = 0; i < n && !err; i++) {
			unsigned int own = w->of[node[i]].slots;
			struct notice m = {.kind = NOTICE_SLOTS,
					   .node = node[i],
					   .from_ns = w->j->a->from_ns,
					   .to_ns = w->j->a->to_ns,
					   .servers = own,
					   .of = (size_t)usual,
					   .work = state_rows[w->j->signals[w->signal].kind].word};

			if (own && 2 * own <= usual)
				err = verdict_add_notice(w->j->a, &m);
		}
	}
	return err;
}

/* ---- shares ------------------------------------------------------------------------------------- */

/* Healthy nodes are this far apart beside what so few tasks vary by themselves: heartbeats hand tasks out in gulps. */
static const double EXPECTED = 0.15, EXPECTED_DF = 12;
/* ln 2: fewer tasks by less may be a neighbour's load (a job's master took 0.6 of the maps of a healthy node). */
static const double GATE = 0.69314718;
static const double LEAST_TASKS = 4; /* that a node should have done */
static const double LARGER = 1.5;    /* bytes of a node's tasks beside the job's: half an octave */

COMPARISON(by_job, struct shared_task,
	   ORDER(a->group, b->group) ?: ORDER(a->job, b->job) ?: ORDER(a->node, b->node)
		   ?: ORDER(a->from, b->from) ?: ORDER(a->to, b->to))

static int64_t overlap_ns(const struct shared_task *x, int64_t from, int64_t to)
{
	int64_t begin = x->from > from ? x->from : from, end = x->to < to ? x->to : to;

	return end > begin ? end - begin : 0;
}

/* Slot time that a node had for one job: what other jobs' tasks took of it is off. */
static double offered_s(const struct shares *w, uint32_t node, const struct shared *one)
{
	task_sum taken;

	if (one->from_ns >= one->to_ns)
		return 0;
	taken = taken_before(w, node, one->to_ns) - taken_before(w, node, one->from_ns);
	return fmax(0, w->of[node].slots * s_of_ns(one->to_ns - one->from_ns) -
			       (double)(taken - one->own_ns) / 1e9);
}

COMPARISON(by_number, uint32_t, ORDER(*a, *b))

/* Those that had no task of this job, and could have had one. */
static void idle_nodes(struct shares *w, const struct shared_task *t, size_t n, int64_t from,
		       int64_t to)
{
	size_t slots = 0, had = w->n_here;
	const uint32_t *node = &w->j->by_group[w->j->group_first[t->group]];
	size_t nodes = states_in_group(w->j, t->group);

	if (!t->offered || n < nodes)
		return;
	for (size_t i = 0; i < nodes; i++)
		slots += w->of[node[i]].slots;
	for (size_t i = 0, k = 0; i < nodes && n >= 2 * slots; i++) {
		const struct sharer *x = &w->of[node[i]];

		while (k < had && w->here[k] < node[i])
			k++;
		if ((k < had && w->here[k] == node[i]) || !x->slots || x->known > from ||
		    x->last < to)
			continue;
		w->one[node[i]] = (struct shared){.from_ns = from, .to_ns = to};
		w->here[w->n_here++] = node[i];
	}
}

/* What nodes did of one job while its tasks were queued, of a part of the time; t by node. */
static void one_job(struct shares *w, const struct shared_task *t, size_t n, size_t part)
{
	struct state_span time = states_part(w->j, part);
	int64_t from = INT64_MAX, to = INT64_MIN;
	double offered = 0, done = 0, bytes = 0;
	size_t next;

	for (size_t i = 0; i < n; i++) {
		from = t[i].counts && t[i].from < from ? t[i].from : from;
		to = t[i].counts && t[i].from > to ? t[i].from : to;
	}
	from = from > time.from_ns ? from : time.from_ns;
	to = to < time.to_ns ? to : time.to_ns;
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

		one->offered = offered_s(w, w->here[i], one);
		offered += one->offered;
		done += one->done;
	}
	for (size_t i = 0; i < w->n_here; i++) {
		uint32_t node = w->here[i];
		struct shared *one = &w->one[node], *all = &w->all[node * PARTS + part];
		double others = offered - one->offered;

		one->expected = others > 0 ? (done - one->done) / others * one->offered : 0;
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

static int judge_shares(struct shares *w, const struct shared *of, size_t step, double chance,
			uint32_t job, const uint32_t *nodes, size_t n)
{
	int err = weigh(w, of, step, chance, nodes, n);

	for (size_t i = 0; i < n && !err; i++) {
		const struct shared *x = &of[nodes[i] * step];
		struct finding_about about = states_about(w->j, w->signal, nodes[i]);
		struct state_found f;

		if (w->out[i].n)
			w->j->a->signals[w->j->signals[w->signal].row].judged = true;
		if (w->out[i].level == EVIDENCE_NONE)
			continue;
		about.value = x->done;
		about.peers = x->expected;
		about.onset_ns = x->from_ns;
		about.last_ns = x->to_ns;
		f = states_found(w->signal, &about, &w->out[i]);
		f.job = job;
		err = states_keep(w->j, f);
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

static int each_job(struct shares *w, const struct shared_task *by, size_t jobs)
{
	size_t next;
	int err = 0;

	for (size_t i = 0; i < w->n && !err; i = next) {
		next = run_end(m, i, w->n, by[m].job == by[i].job && by[m].group == by[i].group);
		for (size_t part = PARTS; part-- > 0 && !err;) {
			one_job(w, &by[i], next - i, part);
			/* the whole comes last */
			sort(w->here, w->n_here, by_number);
			if (!part && (double)(next - i) >= LEAST_TASKS * STATES_NODES)
				err = judge_shares(w, w->one, 1,
						   states_chance(w->j, jobs + (jobs > 1)),
						   by[i].job, w->here, w->n_here);
			for (size_t k = 0; k < w->n_here; k++)
				w->one[w->here[k]] = (struct shared){0};
		}
	}
	return err;
}

static int all_jobs(struct shares *w)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct shared_task *by = scratch_array(&room, w->n, sizeof(*by));
	size_t jobs = 0;
	int err;

	if (!by)
		return -ENOMEM;
	memcpy(by, w->at, w->n * sizeof(*by));
	sort(by, w->n, by_job);
	for (size_t i = 0; i < w->n; i++)
		jobs += !i || by[i].job != by[i - 1].job;
	err = each_job(w, by, jobs);
	for (size_t g = 0; g < w->j->n_groups && !err; g++) {
		const uint32_t *nodes = &w->j->by_group[w->j->group_first[g]];
		size_t n = states_in_group(w->j, (int32_t)g);

		if (n < STATES_NODES)
			continue;
		if (jobs > 1)
			err = judge_shares(w, w->all, PARTS, states_chance(w->j, jobs + 1),
					   STATE_NONE, nodes, n);
		err = err ?: judge_parts(w, nodes, n);
	}
	return err;
}

int states_share(struct states_job *j, size_t signal)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct shares w = {.j = j, .signal = signal};
	enum state_kind kind = j->signals[signal].kind;
	size_t nodes = j->a->n_nodes, n = 0;

	for (size_t i = 0; i < j->s->n; i++)
		n += is_shared(&j->s->at[i], kind);
	w.at = scratch_array(&room, n, sizeof(*w.at));
	w.ends = scratch_array(&room, n, sizeof(*w.ends));
	w.begun = scratch_array(&room, n + nodes, sizeof(*w.begun));
	w.ended = scratch_array(&room, n + nodes, sizeof(*w.ended));
	w.of = scratch_array(&room, nodes, sizeof(*w.of));
	w.here = scratch_array(&room, nodes, sizeof(*w.here));
	w.all = scratch_array(&room, nodes * PARTS, sizeof(*w.all));
	w.one = scratch_array(&room, nodes, sizeof(*w.one));
	w.count = scratch_array(&room, nodes, sizeof(*w.count));
	w.out = scratch_array(&room, nodes, sizeof(*w.out));
	if (room.failed)
		return -ENOMEM;
	slots_gather(&w, kind);
	return slots_tell(&w) ?: all_jobs(&w);
}
