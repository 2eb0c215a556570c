// SPDX-License-Identifier: BSD-2-Clause
/* What the tracker is told of each interval: signals in trouble, their findings, and what the rules say of them. */
#include <errno.h>
#include <stdlib.h>

#include "inside.h"

static enum ruled rule_scene(struct robust *r, const struct scene_node *nodes, struct incident *a,
			     struct notice *m)
{
	const struct scene s = {.nodes = nodes,
				.n_nodes = r->n_nodes,
				.interval_s = r->p.interval_s,
				.addresses = r->addresses};

	return rules_apply(&s, a, m);
}

int incident_rule(void *arg, int64_t onset_ns, struct incident *a, struct notice *m,
		  enum ruled *ruled)
{
	struct robust *r = arg;
	struct scene_node *nodes;
	int err = scene_of(r, onset_ns, &nodes);

	if (err)
		return err;
	err = scene_sizes(r, a, nodes);
	if (!err)
		*ruled = rule_scene(r, nodes, a, m);
	scene_free(nodes, r->n_nodes);
	return err;
}

static void mark_set(struct robust *r, const struct peerset *set)
{
	enum signal_role role = signals[set->signal].role;

	for (size_t m = 0; m < set->n && role != ROLE_SYMPTOM; m++) {
		const struct track_entity *st = &set->track.at[m];
		struct track_mark mark = {.onset_ns = st->onset_ns,
					  .last_ns = st->last_ns,
					  .indicts =
						  st->state == TRACK_INDICTED && role == ROLE_LOCAL,
					  .few = track_few(st),
					  .fresh = st->r >= set->track.o.gate / 2 && !st->unjudged};

		if (track_in_trouble(st))
			track_mark(r->track, member_node(r, set->signal, set->members[m]), &mark);
	}
}

static int gather_set(struct robust *r, const struct peerset *set)
{
	int err = 0;

	for (size_t m = 0; m < set->n && !err; m++)
		if (track_gathers(r->track, member_node(r, set->signal, set->members[m])) &&
		    track_in_trouble(&set->track.at[m]))
			err = finding_note(r, set, m);
	return err;
}

struct timed {
	struct robust *r;
	int64_t from_ns, to_ns;
};

static int on_timed_notice(void *arg, const struct notice *m)
{
	struct timed *t = arg;
	struct notice one = *m;

	one.from_ns = one.from_ns ? one.from_ns : t->from_ns;
	one.to_ns = t->to_ns;
	return track_notice(t->r->track, &one);
}

static int notices_find(struct robust *r, int64_t from_ns, int64_t to_ns)
{
	struct scene s = {
		.n_nodes = r->n_nodes, .interval_s = r->p.interval_s, .addresses = r->addresses};
	struct timed t = {r, from_ns, to_ns};
	struct scene_node *nodes;
	int err = scene_of(r, from_ns, &nodes);

	if (err)
		return err;
	s.nodes = nodes;
	err = rules_notices(&s, on_timed_notice, &t);
	scene_free(nodes, r->n_nodes);
	return err;
}

int incidents_update(struct robust *r, int64_t to_ns)
{
	int64_t window_ns = (int64_t)r->p.window_intervals * interval_ns(r);
	int err;

	track_begin(r->track);
	for (size_t i = 0; i < r->n_sets; i++)
		if (r->sets[i].class != ANY_CLASS)
			mark_set(r, &r->sets[i]);
	err = track_open(r->track);
	for (size_t i = 0; i < r->n_sets && !err; i++)
		if (r->sets[i].class != ANY_CLASS)
			err = gather_set(r, &r->sets[i]);
	err = err ? err : track_update(r->track, to_ns);
	/* once per window that does not overlap */
	if (!err && r->n_intervals % r->p.window_intervals == 0)
		err = notices_find(
			r, to_ns - window_ns < r->first_ns ? r->first_ns : to_ns - window_ns,
			to_ns);
	return err;
}

/* It is not told besides that the disks of a server that was indicted are of another model: nor is it when that is
 * forgotten, as long as they go on like this. */
static void excuse_disks(void *arg, size_t server)
{
	struct robust *r = arg;

	for (size_t i = 0; i < r->n_sets; i++) {
		const struct peerset *set = &r->sets[i];

		for (size_t m = 0; m < set->n && set->class == ANY_CLASS; m++)
			if (track_in_trouble(&set->track.at[m]) &&
			    member_node(r, set->signal, set->members[m]) == server)
				track_excuse(&set->track.at[m]);
	}
}

void robust_forget(struct robust *r, int64_t before_ns)
{
	track_forget(r->track, before_ns, excuse_disks, r);
	for (size_t i = 0; i < r->n_sets; i++)
		track_group_forget(&r->sets[i].track, before_ns);
}
