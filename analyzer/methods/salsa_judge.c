// SPDX-License-Identifier: BSD-2-Clause
/* salsa.h: windows one after the other, or second after second with decay (algorithm 1). */
#include <errno.h>
#include <stdlib.h>

#include "salsa.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* A duration, known when its state ends. */
struct event {
	int32_t group;
	int64_t end_ns;
	size_t node;
	double seconds;
};

/* Whole seconds in which a job runs: [from, to). */
struct job_seconds {
	int64_t from, to;
};

struct salsa_judging {
	struct salsa *r;
	const struct states *s;
	const int32_t *group;
	const struct salsa_opts *o;
	struct salsa_node *nodes; /* of s->nodes */
	struct event *all;	  /* of one kind, by group, then end */
	struct event *events;	  /* those of the group at hand */
	size_t n_events;
	struct job_seconds *spans; /* online; by time, apart */
	size_t n_spans;
	struct salsa_track *tracks; /* of the kind at hand, by node */
	enum state_kind kind;
};

const struct salsa_track *salsa_track(const struct salsa *r, size_t k, size_t node)
{
	return &r->at[k * r->n_nodes + node];
}

void salsa_release(struct salsa *r)
{
	free(r->at);
	free(r->looks);
	*r = (struct salsa){0};
}

static int64_t second_of(int64_t ns)
{
	return ns / NS_PER_S - (ns % NS_PER_S < 0);
}

/* ---- what there is ---------------------------------------------------------------------------------------- */

static bool counts(const struct salsa_judging *j, const struct state *a)
{
	return a->outcome == OUTCOME_OK && a->end_ns >= a->start_ns && a->node < j->s->nodes.n &&
	       a->end_ns >= j->o->from_ns && a->end_ns < j->o->to_ns && j->group[a->node] >= 0 &&
	       !(j->s->no_peer && j->s->no_peer[a->node]);
}

static void bounds(struct salsa_judging *j)
{
	struct salsa *r = j->r;

	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *a = &j->s->at[i];

		if (!counts(j, a))
			continue;
		if (r->to_ns == 0 || a->start_ns < r->from_ns)
			r->from_ns = a->start_ns;
		if (r->to_ns == 0 || a->end_ns > r->to_ns)
			r->to_ns = a->end_ns;
	}
}

COMPARISON(by_end, struct event,
	   ORDER(a->group, b->group) ?: ORDER(a->end_ns, b->end_ns) ?: ORDER(a->node, b->node)
		   ?: ORDER(a->seconds, b->seconds))

/* How many there are of the kind at hand. */
static size_t fill_events(struct salsa_judging *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *a = &j->s->at[i];

		if (a->kind == j->kind && counts(j, a))
			j->all[n++] = (struct event){j->group[a->node], a->end_ns, a->node,
						     (double)(a->end_ns - a->start_ns) / NS_PER_S};
	}
	sort(j->all, n, by_end);
	return n;
}

static bool is_here(const struct salsa_judging *j, size_t node)
{
	return j->group[node] == j->events[0].group;
}

static void forget(struct salsa_judging *j)
{
	for (size_t i = 0; i < j->s->nodes.n; i++) {
		j->nodes[i].n = 0;
		j->nodes[i].last_s = 0;
	}
}

/* A duration more, of weight 1; those before it are multiplied by `decay`. */
static int add_duration(struct salsa_node *a, double seconds, double decay)
{
	static const double least = 1e-6;
	struct kde_sample *new;
	size_t kept = 0;

	for (size_t i = 0; i < a->n && decay < 1; i++) {
		a->at[i].weight *= decay;
		if (a->at[i].weight >= least)
			a->at[kept++] = a->at[i];
	}
	if (decay < 1)
		a->n = kept;
	new = array_refill(&a->at, &a->n, &a->cap);
	if (!new)
		return -ENOMEM;
	*new = (struct kde_sample){seconds, 1};
	return 0;
}

/* ---- looks ------------------------------------------------------------------------------------------------ */

static struct salsa_look look_of(const struct salsa_judging *j, size_t node, int64_t from_ns,
				 int64_t to_ns, size_t n_compared)
{
	const struct salsa_node *a = &j->nodes[node];

	return (struct salsa_look){.kind = j->kind,
				   .node = node,
				   .from_ns = from_ns,
				   .to_ns = to_ns,
				   .distance = a->distance,
				   .own = a->own,
				   .peers = a->peers,
				   .n_peers = (unsigned int)n_compared - 1,
				   .alarm = a->alarm};
}

static int keep(struct salsa_judging *j, const struct salsa_look *l)
{
	return !j->o->explain ? 0 : array_put(&j->r->looks, &j->r->n_looks, *l);
}

static void worsen(struct salsa_look *worst, const struct salsa_look *l)
{
	if (l->distance > worst->distance)
		*worst = *l;
}

static int compare(const struct salsa_judging *j, double *h, size_t *n_compared)
{
	return salsa_compare(j->nodes, j->s->nodes.n, state_rows[j->kind].floor_s, j->o, h,
			     n_compared);
}

/* Alarms in a row that indict. */
static int64_t needed(const struct salsa_judging *j)
{
	return j->o->online ? SALSA_IN_A_ROW : 1;
}

/* One look after the other of a node, which stands for so many that are all alike; with them a row of alarms is
 * long enough at decided_ns, if it is. */
static int take_look(struct salsa_judging *j, const struct salsa_look *l, int64_t times,
		     int64_t decided_ns)
{
	struct salsa_track *t = &j->tracks[l->node];

	t->compared += (size_t)times;
	if (!l->alarm) {
		t->row = 0;
		return keep(j, l);
	}
	if (!t->row) {
		t->row_from_ns = l->from_ns;
		t->row_worst = *l;
	}
	worsen(&t->row_worst, l);
	if (t->row + times >= needed(j)) {
		if (!t->indicted) {
			t->onset_ns = t->row_from_ns;
			t->decided_ns = decided_ns;
		}
		t->alarms += (size_t)(times + (t->row < needed(j) ? t->row : 0));
		t->indicted = true;
		t->last_ns = l->to_ns;
		worsen(&t->worst, &t->row_worst);
	}
	t->row += times;
	return keep(j, l);
}

/* ---- offline ---------------------------------------------------------------------------------------------- */

static int end_window(struct salsa_judging *j, int64_t from_ns, int64_t to_ns)
{
	size_t n;
	double h;
	int err = compare(j, &h, &n);

	for (size_t i = 0; i < j->s->nodes.n && !err; i++) {
		const struct salsa_node *a = &j->nodes[i];
		struct salsa_track *t = &j->tracks[i];
		struct salsa_look l = look_of(j, i, from_ns, to_ns, n);

		if (!is_here(j, i))
			continue;
		t->most = a->n > t->most ? a->n : t->most;
		if (a->compared)
			err = take_look(j, &l, 1, to_ns);
	}
	return err;
}

static int judge_windows(struct salsa_judging *j)
{
	int64_t begin = j->r->from_ns, length = (int64_t)j->o->window_s * NS_PER_S;
	int err = 0;

	for (size_t i = 0, end; i < j->n_events && !err; i = end) {
		int64_t from = begin, to = j->r->to_ns;

		if (length) {
			from += (j->events[i].end_ns - begin) / length * length;
			to = from + length;
		}
		forget(j);
		for (end = i; end < j->n_events && !err; end++) {
			if (length && j->events[end].end_ns >= to)
				break;
			err = add_duration(&j->nodes[j->events[end].node], j->events[end].seconds,
					   1);
		}
		err = err ?: end_window(j, from, to);
	}
	return err;
}

/* ---- online ----------------------------------------------------------------------------------------------- */

COMPARISON(by_from, struct job_seconds, ORDER(a->from, b->from) ?: ORDER(a->to, b->to))

/* Of any state: a job runs while one of its states does. */
static int fill_spans(struct salsa_judging *j)
{
	size_t n = 0;

	j->spans = calloc(j->s->n + 1, sizeof(*j->spans));
	if (!j->spans)
		return -ENOMEM;
	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *a = &j->s->at[i];

		if (a->end_ns >= a->start_ns)
			j->spans[n++] = (struct job_seconds){second_of(a->start_ns),
							     second_of(a->end_ns) + 1};
	}
	sort(j->spans, n, by_from);
	for (size_t i = 0; i < n; i++) {
		struct job_seconds *last = j->n_spans ? &j->spans[j->n_spans - 1] : NULL;

		if (last && j->spans[i].from <= last->to)
			last->to = j->spans[i].to > last->to ? j->spans[i].to : last->to;
		else
			j->spans[j->n_spans++] = j->spans[i];
	}
	return 0;
}

/* How many seconds of [from, to) are in spans; *last: end of the last of them, *when: of the one numbered `want`
 * from 1, if there are so many. */
static int64_t in_progress(const struct salsa_judging *j, int64_t from, int64_t to, int64_t want,
			   int64_t *when, int64_t *last)
{
	size_t i = search_first(k, j->n_spans, j->spans[k].to <= from);
	int64_t seconds = 0;

	*last = from;
	for (; i < j->n_spans && j->spans[i].from < to; i++) {
		int64_t a = j->spans[i].from > from ? j->spans[i].from : from;
		int64_t b = j->spans[i].to < to ? j->spans[i].to : to;

		if (seconds < want && seconds + b - a >= want)
			*when = a + want - seconds;
		seconds += b - a;
		*last = b;
	}
	return seconds;
}

/* From second `from` up to `to` the distributions are as they are: the same alarm in each of these seconds. */
static int hold(struct salsa_judging *j, size_t node, int64_t from, int64_t to, size_t n_compared)
{
	const struct salsa_node *a = &j->nodes[node];
	struct salsa_track *t = &j->tracks[node];
	int64_t when = to, last, seconds;
	struct salsa_look l;

	t->most = a->n > t->most ? a->n : t->most;
	if (!a->compared) {
		t->row = 0;
		return 0;
	}
	seconds = in_progress(j, from, to, SALSA_IN_A_ROW - t->row, &when, &last);
	l = look_of(j, node, from * NS_PER_S, last * NS_PER_S, n_compared);
	return take_look(j, &l, seconds, when * NS_PER_S);
}

/* A duration that came: whether it is longer than nearly all of its node's before it; then it is one of them. */
static int take_duration(struct salsa_judging *j, const struct event *e, int64_t second, double h)
{
	struct salsa_node *a = &j->nodes[e->node];
	struct salsa_track *t = &j->tracks[e->node];
	double decay = salsa_decay((double)(second - a->last_s));

	if (h > 0 && a->n >= j->o->min) {
		t->samples++;
		t->above += kde_cdf(a->at, a->n, h, e->seconds) > SALSA_THRESHOLD_H;
	}
	a->last_s = second;
	return add_duration(a, e->seconds, decay);
}

static int judge_seconds(struct salsa_judging *j)
{
	int64_t ends = j->n_spans ? j->spans[j->n_spans - 1].to : 0;
	double h = 0;
	int err = 0;

	forget(j);
	for (size_t i = 0, end = 0; i < j->n_events && !err; i = end) {
		int64_t second = second_of(j->events[i].end_ns), next;
		size_t n;

		for (; end < j->n_events && second_of(j->events[end].end_ns) == second && !err;
		     end++)
			err = take_duration(j, &j->events[end], second, h);
		next = end < j->n_events ? second_of(j->events[end].end_ns) : ends;
		err = err ?: compare(j, &h, &n);
		for (size_t k = 0; k < j->s->nodes.n && !err; k++)
			err = is_here(j, k) ? hold(j, k, second, next, n) : 0;
	}
	return err;
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static int judge_kind(struct salsa_judging *j)
{
	size_t n = fill_events(j);
	int err = 0;

	for (size_t i = 0; i < n && !err; i += j->n_events) {
		j->events = j->all + i;
		j->n_events = 1;
		while (i + j->n_events < n && j->events[j->n_events].group == j->events[0].group)
			j->n_events++;
		err = j->o->online ? judge_seconds(j) : judge_windows(j);
	}
	for (size_t k = 0; k < j->s->nodes.n; k++)
		j->tracks[k].open = j->tracks[k].row >= needed(j);
	return err;
}

static void conclude(struct salsa_judging *j)
{
	struct salsa *r = j->r;
	size_t most = 0;

	for (size_t i = 0; i < salsa_n_kinds * r->n_nodes; i++)
		most = r->at[i].compared > most ? r->at[i].compared : most;
	r->n_windows = most;
	r->window_s = j->o->online     ? 1
		      : j->o->window_s ? j->o->window_s
				       : (double)(r->to_ns - r->from_ns) / NS_PER_S;
}

int salsa_judge(struct salsa *r, const struct states *s, const int32_t *group,
		const struct salsa_opts *o)
{
	struct salsa_judging j = {.r = r, .s = s, .group = group, .o = o};
	int err = -ENOMEM;

	*r = (struct salsa){.n_nodes = s->nodes.n};
	r->at = calloc(salsa_n_kinds * s->nodes.n + 1, sizeof(*r->at));
	j.nodes = calloc(s->nodes.n + 1, sizeof(*j.nodes));
	j.all = calloc(s->n + 1, sizeof(*j.all));
	if (!r->at || !j.nodes || !j.all || (o->online && fill_spans(&j)))
		goto out;
	bounds(&j);
	err = 0;
	for (size_t k = 0; k < salsa_n_kinds && !err; k++) {
		j.kind = salsa_kinds[k];
		j.tracks = &r->at[k * s->nodes.n];
		err = judge_kind(&j);
	}
	if (!err)
		conclude(&j);
out:
	for (size_t i = 0; j.nodes && i < s->nodes.n; i++)
		free(j.nodes[i].at);
	free(j.nodes);
	free(j.all);
	free(j.spans);
	if (err)
		salsa_release(r);
	return err;
}
