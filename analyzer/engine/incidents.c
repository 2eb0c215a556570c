// SPDX-License-Identifier: BSD-2-Clause
/* What the tracker is told of each interval: signals in trouble, their findings, and what the rules say of them. */
#include <errno.h>
#include <stdlib.h>

#include "inside.h"

static struct scene scene_for(const struct robust *r, const struct scene_node *nodes)
{
	return (struct scene){.nodes = nodes,
			      .n_nodes = r->n_nodes,
			      .interval_s = r->p.interval_s,
			      .addresses = r->addresses};
}

enum signal_role incident_role(void *arg, size_t signal)
{
	(void)arg;
	return signals[signal].role;
}

int incident_rule(void *arg, int64_t onset_ns, struct incident *a, struct notice *m,
		  enum ruled *ruled)
{
	struct robust *r = arg;
	struct scene_node *nodes;
	struct scene s;
	int err = scene_of(r, onset_ns, &nodes);

	if (err)
		return err;
	s = scene_for(r, nodes);
	err = scene_sizes(r, a, nodes);
	if (!err)
		*ruled = rules_apply(&s, a, m);
	scene_free(nodes, r->n_nodes);
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
	struct scene s;
	struct timed t = {r, from_ns, to_ns};
	struct scene_node *nodes;
	int err = scene_of(r, from_ns, &nodes);

	if (err)
		return err;
	s = scene_for(r, nodes);
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
		panel_mark(&r->sets[i].panel, r->track, false);
	err = track_open(r->track);
	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = findings_gather(r, &r->sets[i]);
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
		const struct panel *p = &r->sets[i].panel;

		for (size_t m = 0; m < p->n && p->o.hidden; m++)
			if (track_in_trouble(&p->track.at[m]) && p->members[m].node == server)
				track_excuse(&p->track.at[m]);
	}
}

void robust_forget(struct robust *r, int64_t before_ns)
{
	track_forget(r->track, before_ns, excuse_disks, r);
	for (size_t i = 0; i < r->n_sets; i++)
		track_group_forget(&r->sets[i].panel.track, before_ns);
}
