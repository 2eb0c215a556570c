// SPDX-License-Identifier: BSD-2-Clause
/* job_flow.h: the job replayed without what one server's states took longer than its peers'. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* One attempt in a replay: seconds. */
struct turn {
	double gap; /* between what it waited for and its start */
	double own; /* how long it takes; of one that overlaps, after the last before it ended */
	double parts[3]; /* of that, in shuffle-wait, sort, reducer; 0: it is not told apart */
	uint32_t kind, node;
	double end; /* in the replay that is under way */
};

struct flow_replay {
	struct job_flow *f;
	struct turn *turns;
	/* Of slots of maps and all of Spark's tasks, and of reduces: when they are free, the first is free first. */
	double *heaps[2];
	size_t room[2];
	struct replay_group {
		double end;	/* when its last attempt that ends well is over */
		double usual_s; /* how long attempts that ended well took (turn.own), the median */
		int64_t last_ns;
	} * groups;
	size_t *repeated; /* of each node: attempts that others repeat */
	struct replay_kind {
		double ratio;	 /* how many times longer than its peers'; 1: no longer */
		double excess_s; /* what that is in seconds, of all its states */
		size_t n;	 /* states that these are of */
	} * kinds;		 /* of each node and kind */
};

static const uint8_t part_kinds[3] = {STATE_SHUFFLE_WAIT, STATE_SORT, STATE_REDUCER};

/* ---- how much slower each server is --------------------------------------------------------------------------- */

struct state_ratio {
	uint32_t node;
	uint8_t kind;
	double r, s; /* ln of its own to the usual; seconds */
};

COMPARISON(by_node_kind, struct state_ratio,
	   ORDER(a->node, b->node) ?: ORDER(a->kind, b->kind) ?: ORDER(a->r, b->r))

static struct replay_kind *at_kind(const struct flow_replay *r, uint32_t node, uint8_t kind)
{
	return &r->kinds[(size_t)node * STATE_KIND_COUNT + kind];
}

static int find_ratios(struct flow_replay *r)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct job_flow *f = r->f;
	struct state_ratio *at = scratch_array(&room, f->n_states, sizeof(*at));
	size_t n = 0, to;

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_states; i++) {
		const struct state *x = flow_state(f, f->states[i]);
		double own, usual = flow_usual(f, f->states[i], &own);

		if (!isnan(usual))
			at[n++] = (struct state_ratio){x->node, x->kind, own - usual, exp(own)};
	}
	sort(at, n, by_node_kind);
	for (size_t i = 0; i < n; i = to) {
		struct replay_kind *k = at_kind(r, at[i].node, at[i].kind);

		to = run_end(m, i, n, at[m].node == at[i].node && at[m].kind == at[i].kind);
		k->n = to - i;
		for (size_t m = i; m < to; m++)
			k->excess_s += at[m].s;
		k->ratio = exp(fmax((at[i + k->n / 2].r + at[i + (k->n - 1) / 2].r) / 2, 0));
	}
	for (uint32_t node = 0; node < f->s->nodes.n; node++) {
		/* a job has one setup, which runs in a slot of maps: what slows these, slows it */
		at_kind(r, node, STATE_SETUP)->ratio = at_kind(r, node, STATE_MAP)->ratio;
		at_kind(r, node, STATE_CLEANUP)->ratio = at_kind(r, node, STATE_MAP)->ratio;
		for (uint8_t k = 0; k < STATE_KIND_COUNT; k++)
			at_kind(r, node, k)->excess_s *= 1 - 1 / at_kind(r, node, k)->ratio;
	}
	return 0;
}

/* ---- attempts ------------------------------------------------------------------------------------------------------ */

/* From when on an attempt is on its own: of one that overlaps with others, the end of the last of them, where
 * that came before the attempt could have had all. */
static int64_t alone_ns(const struct flow_replay *r, const struct flow_task *t)
{
	const struct job_flow *f = r->f;
	const struct flow_group *g = &f->groups[t->group];
	int64_t until = flow_waits_until(f, t), from = t->start_ns;

	for (size_t b = 0; b < g->n_before && g->overlaps; b++) {
		int64_t last_ns = r->groups[g->before[b]].last_ns;

		from = last_ns > from ? last_ns : from;
	}
	return from < until ? from : until;
}

static struct turn turn_of(const struct flow_replay *r, const struct flow_task *t)
{
	const struct job_flow *f = r->f;
	const struct state *x = flow_state(f, t->state);
	int64_t before = t->after == STATE_NONE ? f->from_ns : f->tasks[t->after].end_ns;
	int64_t alone = alone_ns(r, t);
	const uint32_t parts[3] = {t->wait, t->sort, t->reducer};
	struct turn u = {.gap = s_of_ns(t->start_ns - before),
			 .own = s_of_ns(t->end_ns - alone),
			 .kind = x->kind,
			 .node = x->node};

	for (size_t i = 0; i < 3 && t->group == FLOW_REDUCES; i++) {
		const struct state *p = parts[i] == STATE_NONE ? NULL : flow_state(f, parts[i]);
		int64_t from = p && p->start_ns > alone ? p->start_ns : alone;

		if (p && p->end_ns > from)
			u.parts[i] = s_of_ns(p->end_ns - from);
	}
	return u;
}

static void make_turns(struct flow_replay *r)
{
	struct job_flow *f = r->f;

	for (size_t i = 0; i < f->n_tasks; i++) {
		const struct flow_task *t = &f->tasks[i];

		if (t->done && t->end_ns > r->groups[t->group].last_ns)
			r->groups[t->group].last_ns = t->end_ns;
	}
	for (size_t i = 0; i < f->n_tasks; i++)
		r->turns[i] = turn_of(r, &f->tasks[i]);
}

static double took(const struct flow_replay *r, size_t task, uint32_t without)
{
	const struct turn *u = &r->turns[task];
	double s = u->own;

	if (u->node != without)
		return s;
	if (!r->f->tasks[task].done)
		return fmin(s, r->groups[r->f->tasks[task].group].usual_s);
	for (size_t i = 0; i < 3; i++)
		s -= u->parts[i] * (1 - 1 / at_kind(r, u->node, part_kinds[i])->ratio);
	return fmax(s / at_kind(r, u->node, (uint8_t)u->kind)->ratio, 0);
}

/* ---- slots ----------------------------------------------------------------------------------------------------------- */

static size_t slots_of(const struct job_flow *f, const struct flow_task *t)
{
	return t->group == FLOW_REDUCES && !f->spark;
}

struct slot_moment {
	int64_t ns;
	int more;
	uint32_t node;
};

COMPARISON(by_node_time, struct slot_moment,
	   ORDER(a->node, b->node) ?: ORDER(a->ns, b->ns) ?: ORDER(a->more, b->more))

/* As many slots as attempts of a kind ran at once on each server. */
static int count_slots(struct scratch *slots, struct flow_replay *r, size_t kind)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct job_flow *f = r->f;
	struct slot_moment *at = scratch_array(&room, 2 * f->n_tasks, sizeof(*at));
	size_t n = 0, most = 0;
	long now = 0;

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_tasks; i++) {
		const struct flow_task *t = &f->tasks[i];
		uint32_t node = flow_node(f, i);

		if (f->groups[t->group].no_slots || slots_of(f, t) != kind ||
		    t->end_ns <= t->start_ns)
			continue;
		at[n++] = (struct slot_moment){t->start_ns, 1, node};
		at[n++] = (struct slot_moment){t->end_ns, -1, node};
	}
	sort(at, n, by_node_time);
	for (size_t i = 0; i < n; i++) {
		if (i && at[i].node != at[i - 1].node)
			most = 0;
		now += at[i].more;
		if (now > (long)most) {
			most = (size_t)now;
			r->room[kind]++;
		}
	}
	r->heaps[kind] = scratch_array(slots, r->room[kind], sizeof(*r->heaps[kind]));
	return r->heaps[kind] ? 0 : -ENOMEM;
}

/* The slot that is free first gets another time. */
static void slot_taken(double *heap, size_t n, double free_s)
{
	size_t i = 0, down;

	while ((down = 2 * i + 1) < n) {
		if (down + 1 < n && heap[down + 1] < heap[down])
			down++;
		if (!(heap[down] < free_s))
			break;
		heap[i] = heap[down];
		i = down;
	}
	heap[i] = free_s;
}

/* ---- the replay ------------------------------------------------------------------------------------------------------ */

/* When the last attempt that ends well is over, in seconds since the job's start. */
static double replay(struct flow_replay *r, uint32_t without)
{
	struct job_flow *f = r->f;
	double last = 0;

	for (size_t k = 0; k < 2; k++)
		memset(r->heaps[k], 0, r->room[k] * sizeof(*r->heaps[k]));
	for (size_t g = 0; g < f->n_groups; g++)
		r->groups[g].end = 0;
	for (size_t i = 0; i < f->n_tasks; i++) {
		const struct flow_task *t = &f->tasks[i];
		const struct flow_group *g = &f->groups[t->group];
		size_t k = slots_of(f, t);
		bool slot = !g->no_slots && r->room[k] > 0 && t->end_ns > t->start_ns;
		double start = slot ? r->heaps[k][0] : 0, got = 0, end;
		bool done = t->done || r->turns[i].node == without;

		if (t->repeats != STATE_NONE && r->turns[t->repeats].node == without) {
			r->turns[i].end = r->turns[t->repeats].end;
			continue;
		}
		for (size_t b = 0; b < g->n_before; b++)
			got = fmax(got, r->groups[g->before[b]].end);
		if (!g->overlaps)
			start = fmax(start, got);
		if (t->after != STATE_NONE &&
		    (t->why == FLOW_WHY_RETRY || (g->overlaps && t->why == FLOW_WHY_STAGE)))
			start = fmax(start, r->turns[t->after].end);
		start += r->turns[i].gap;
		end = fmax(start, got) + took(r, i, without);
		r->turns[i].end = end;
		if (slot)
			slot_taken(r->heaps[k], r->room[k], end);
		if (done)
			r->groups[t->group].end = fmax(r->groups[t->group].end, end);
		last = done ? fmax(last, end) : last;
	}
	return last;
}

COMPARISON(by_time_then, struct flow_without, ORDER(a->s, b->s) ?: ORDER(a->node, b->node))

/* The kind of state that cost most on this node. */
static struct flow_without slowest(const struct flow_replay *r, uint32_t node)
{
	struct flow_without w = {.node = node, .ratio = 1};
	double most = 0;

	for (uint8_t k = 0; k < STATE_KIND_COUNT; k++) {
		const struct replay_kind *x = at_kind(r, node, k);

		/* setup and cleanup are as their maps; shuffles are not replayed */
		if (!(x->excess_s > most) || k == STATE_SETUP || k == STATE_CLEANUP ||
		    k == STATE_SHUFFLE)
			continue;
		most = x->excess_s;
		w.ratio = x->ratio;
		w.states = x->n;
		w.kind = k;
	}
	return w;
}

/* With that server as its peers are; nothing where it is no slower. */
static int try_without(struct flow_replay *r, uint32_t node, double was)
{
	struct job_flow *f = r->f;
	const double time_s = s_of_ns(f->to_ns - f->from_ns);
	struct flow_without w = slowest(r, node);

	w.repeated = r->repeated[node];
	if (!(w.ratio > 1) && !w.repeated)
		return 0;
	for (size_t i = 0; i < f->n_without; i++)
		if (f->without[i].node == node)
			return 0;
	w.s = time_s - fmin(fmax(was - replay(r, node), 0), time_s);
	return array_put(&f->without, &f->n_without, w);
}

static int replay_all(struct flow_replay *r)
{
	struct job_flow *f = r->f;
	double was = replay(r, STATE_NONE);
	int err = 0;

	/* only servers on the path, or attempts made again, can have made it longer: those that lost it most come first */
	for (size_t i = 0; i < f->n_share_nodes && i < FLOW_WITHOUT && !err; i++)
		err = try_without(r, f->nodes[i].what, was);
	for (uint32_t n = 0; n < f->s->nodes.n && f->n_without < 2 * FLOW_WITHOUT && !err; n++)
		err = r->repeated[n] ? try_without(r, n, was) : 0;
	sort(f->without, f->n_without, by_time_then);
	return err;
}

COMPARISON_WITH(by_group_own, size_t, struct flow_replay,
		ORDER(with->f->tasks[*a].group, with->f->tasks[*b].group)
			?: ORDER(with->turns[*a].own, with->turns[*b].own))

/* How long attempts usually take, and whose were made again. */
static int find_usual(struct flow_replay *r)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct job_flow *f = r->f;
	size_t *at = scratch_array(&room, f->n_tasks, sizeof(*at)), n = 0, to;

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_tasks; i++) {
		if (f->tasks[i].done)
			at[n++] = i;
		if (f->tasks[i].repeats != STATE_NONE)
			r->repeated[r->turns[f->tasks[i].repeats].node]++;
	}
	sort_with(at, n, by_group_own, r);
	for (size_t i = 0; i < n; i = to) {
		to = run_end(m, i, n, f->tasks[at[m]].group == f->tasks[at[i]].group);
		r->groups[f->tasks[at[i]].group].usual_s = r->turns[at[i + (to - i) / 2]].own;
	}
	return 0;
}

int flow_without(struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	size_t nodes = f->s->nodes.n, kinds = nodes * STATE_KIND_COUNT;
	struct flow_replay r = {.f = f,
				.turns = scratch_array(&room, f->n_tasks, sizeof(*r.turns)),
				.groups = scratch_array(&room, f->n_groups, sizeof(*r.groups)),
				.repeated = scratch_array(&room, nodes, sizeof(*r.repeated)),
				.kinds = scratch_array(&room, kinds, sizeof(*r.kinds))};
	int err;

	if (room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < kinds; i++)
		r.kinds[i].ratio = 1;
	make_turns(&r);
	err = find_usual(&r);
	for (size_t k = 0; k < 2 && !err; k++)
		err = count_slots(&room, &r, k);
	err = err ? err : find_ratios(&r);
	return err ? err : replay_all(&r);
}
