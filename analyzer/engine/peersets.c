// SPDX-License-Identifier: BSD-2-Clause
/* Who is there: servers, their disks, which of them are peers in which signal. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

struct device {
	size_t node;
	struct device_identity id;
};

struct kept_offset {
	char node[HOST_LEN], disk[INSTANCE_LEN];
	enum signal signal;
	double offset;
};

/* What the budget is shared by: signals that may indict. */
static unsigned int signals_that_indict(void)
{
	return (unsigned int)count_if(
		s, SIG_COUNT, signals[s].role == ROLE_LOCAL && signals[s].kind != KIND_TOGETHER);
}

/*
 * The mean of the logarithms of an interval's requests is nearly normal, and four intervals make a window. A
 * number, or the logarithm of a mean, may be moved by one event; of those eight intervals are asked for, the
 * shortest that hold a majority without the three worst.
 */
enum { SHORTEST_LATENCY = 2, SHORTEST_NUMBER = 3 };

/* A disk's usual is its mean until so long ago: what came in since may be the fault. */
enum { LAG_INTERVALS = 8 };

static int set_init(const struct robust *r, struct peerset *set)
{
	const struct signal_row *row = &signals[set->signal];
	const struct panel_opts o = {.row = row,
				     .signal = set->signal,
				     .hidden = set->class == ANY_CLASS,
				     .least_alone = SHORTEST};
	bool one_event = row->kind == KIND_LATENCY && !row->mean;
	struct evidence_params p =
		panel_params(row, r->p.interval_s, r->p.budget, signals_that_indict(),
			     one_event ? SHORTEST_LATENCY : SHORTEST_NUMBER);

	p.lag_s = LAG_INTERVALS * r->p.interval_s;
	p.kinds = set->class == ANY_CLASS;
	p.looks *= 2; /* half of the budget is for signals that agree */
	if (row->kind == KIND_TOGETHER) {
		p.looks = 2;
		together_params(&p);
	}
	return panel_init(&set->panel, &o, &p);
}

static struct peerset *set_of(struct robust *r, enum signal s, int32_t group, int class)
{
	struct peerset *set;

	for (size_t i = 0; i < r->n_sets; i++)
		if (r->sets[i].signal == s && r->sets[i].group == group &&
		    r->sets[i].class == class)
			return &r->sets[i];
	set = array_add(&r->sets, &r->n_sets);
	if (!set)
		return NULL;
	*set = (struct peerset){.signal = s, .group = group, .class = class};
	return set_init(r, set) ? NULL : set;
}

static uint64_t kept_hash(const char *node, const char *disk, enum signal s)
{
	return map_hash_after(map_hash_after(s, node, strlen(node)), disk, strlen(disk));
}

/* Goes on: where two are of one member, the later one counts. */
static bool recall_one(struct peerset *set, size_t member, double offset)
{
	struct track_group *t = &set->panel.track;

	if (!track_group_settle(t))
		over_time_set_baseline(t->evidence, member, offset);
	return false;
}

/* Gives the newest member of a set what was kept of it. */
static void recall(struct robust *r, struct peerset *set, const struct panel_member *m)
{
	const char *node = r->nodes[m->node].name, *disk = m->disk;
	const struct kept_offset *k = r->kept;

	if (!r->n_kept || set->class == ANY_CLASS)
		return;
	map_find(i, &r->by_owner, kept_hash(node, disk, set->signal),
		 k[i].signal == set->signal && !strcmp(k[i].node, node) &&
			 !strcmp(k[i].disk, disk) &&
			 recall_one(set, set->panel.n - 1, k[i].offset));
}

static int join_peerset(struct robust *r, enum signal s, int32_t group, int class,
			const struct panel_member *m)
{
	struct peerset *set = set_of(r, s, group, class);

	if (!set || panel_join(&set->panel, m))
		return -ENOMEM;
	recall(r, set, m);
	return 0;
}

static size_t node_of(const struct robust *r, const char *name)
{
	return map_find(i, &r->by_name, map_hash(name, strlen(name)),
			!strcmp(r->nodes[i].name, name));
}

ssize_t robust_node(struct robust *r, const char *name, int32_t group)
{
	size_t i = node_of(r, name);
	struct node *new;
	int err = 0;

	if (i != MAP_NONE)
		return (ssize_t)i;
	i = r->n_nodes;
	new = map_append(&r->by_name, map_hash(name, strlen(name)),
			 array_refill(&r->nodes, &r->n_nodes, &r->cap_nodes), &r->n_nodes);
	if (!new)
		return -ENOMEM;
	*new = (struct node){.group = group};
	snprintf(new->name, sizeof(new->name), "%s", name);
	err = track_server(r->track, name);
	for (int s = 0; s < SIG_COUNT && !err; s++)
		if (signals[s].level == LEVEL_NODE && group >= 0)
			err = join_peerset(r, s, group, 0, &(struct panel_member){i, i, ""});
	return err ?: (ssize_t)i;
}

void robust_acknowledge(struct robust *r, size_t node)
{
	track_acknowledge(r->track, node);
}

/* The number in a set of a server or disk; SIZE_MAX: it is not in it. Members are in order: they join as
 * they come. */
static size_t member_index(const struct panel *p, size_t number)
{
	size_t lo = search_first(mid, p->n, p->members[mid].number < number);

	return lo < p->n && p->members[lo].number == number ? lo : SIZE_MAX;
}

/* The number of a server's disk of this name; SIZE_MAX: it has none. */
static size_t disk_of(const struct robust *r, size_t node, const char *name)
{
	const struct node *n = &r->nodes[node];

	for (size_t i = 0; i < n->n_disks; i++)
		if (!strcmp(r->disks[n->disks[i]].name, name))
			return n->disks[i];
	return SIZE_MAX;
}

/* To who is there already: servers; disks join later, as a rule. */
static void give_offset(struct robust *r, size_t node, const struct kept_offset *k)
{
	bool of_disk = signals[k->signal].level == LEVEL_DISK;
	size_t member = of_disk ? disk_of(r, node, k->disk) : node;

	if (!of_disk && *k->disk)
		return;
	for (size_t i = 0; i < r->n_sets && member != SIZE_MAX; i++) {
		struct peerset *set = &r->sets[i];
		size_t m;

		if (set->signal != k->signal || set->class == ANY_CLASS)
			continue;
		m = member_index(&set->panel, member);
		if (m != SIZE_MAX)
			recall_one(set, m, k->offset);
	}
}

int robust_set_offset(struct robust *r, const char *node, const char *disk, enum signal s,
		      double offset)
{
	struct kept_offset k = {.signal = s, .offset = offset}, *new;
	size_t at;

	snprintf(k.node, sizeof(k.node), "%s", node);
	snprintf(k.disk, sizeof(k.disk), "%s", disk);
	new = map_append(&r->by_owner, kept_hash(k.node, k.disk, s),
			 array_add(&r->kept, &r->n_kept), &r->n_kept);
	if (!new)
		return -ENOMEM;
	*new = k;
	at = node_of(r, k.node);
	if (at != MAP_NONE)
		give_offset(r, at, new);
	return 0;
}

int robust_offsets(const struct robust *r,
		   int (*fn)(void *arg, const char *node, const char *disk, enum signal s,
			     double offset),
		   void *arg)
{
	int err = 0;

	for (size_t i = 0; i < r->n_sets && !err; i++) {
		const struct panel *p = &r->sets[i].panel;

		/* how far signals agree is in no unit that outlasts a run */
		if (p->o.row->kind == KIND_TOGETHER)
			continue;
		for (size_t m = 0; m < p->n && !err && !p->o.hidden; m++) {
			double offset = over_time_baseline(p->track.evidence, m);

			if (!isnan(offset))
				err = fn(arg, r->nodes[p->members[m].node].name, p->members[m].disk,
					 r->sets[i].signal, offset);
		}
	}
	return err;
}

static uint64_t device_hash(size_t node, const char *name)
{
	return map_hash_after(node, name, strlen(name));
}

static struct device_identity *identity_of(const struct robust *r, size_t node, const char *name)
{
	size_t at = map_find(i, &r->by_device, device_hash(node, name),
			     r->devices[i].node == node && !strcmp(r->devices[i].id.name, name));

	return at == MAP_NONE ? NULL : &r->devices[at].id;
}

int robust_identity(struct robust *r, size_t node, const struct device_identity *id)
{
	struct device_identity *known;
	struct device *new;

	/* nothing is asked of an interface */
	if (id->family != FAM_DISK)
		return 0;
	known = identity_of(r, node, id->name);
	if (known) {
		*known = *id;
		return 0;
	}
	new = map_append(&r->by_device, device_hash(node, id->name),
			 array_add(&r->devices, &r->n_devices), &r->n_devices);
	if (!new)
		return -ENOMEM;
	*new = (struct device){node, *id};
	return 0;
}

/* Disks are peers within one model, and where no model is known, within one size (to an octave). */
static int class_of(struct robust *r, const struct device_identity *id)
{
	struct disk_class c = {.key = ""};

	if (id) {
		bool by_size = !*id->model && id->size_bytes > 0;
		int octave = by_size ? ilogb((double)id->size_bytes) : -1;

		r->identities |= *id->model != 0;
		snprintf(c.model, sizeof(c.model), "%s", id->model);
		snprintf(c.key, sizeof(c.key), "%s|%d|%d", id->model, id->rotational, octave);
	}
	for (size_t i = 0; i < r->n_classes; i++)
		if (!strcmp(r->classes[i].key, c.key))
			return (int)i;
	return array_put(&r->classes, &r->n_classes, c) ? -ENOMEM : (int)r->n_classes - 1;
}

ssize_t robust_disk(struct robust *r, size_t node, const char *name)
{
	const struct device_identity *id;
	struct node *n = &r->nodes[node];
	struct disk *d;
	struct panel_member m;
	size_t at = disk_of(r, node, name);
	int err = 0, class;

	if (at != SIZE_MAX)
		return (ssize_t)at;
	if (n->n_disks == INTERVAL_DISKS)
		return -ENOSPC;
	id = identity_of(r, node, name);
	class = class_of(r, id);
	d = class >= 0 ? array_refill(&r->disks, &r->n_disks, &r->cap_disks) : NULL;
	if (!d)
		return -ENOMEM;
	*d = (struct disk){.node = node,
			   .name = strndup(name, INSTANCE_LEN - 1),
			   .class = class,
			   .flash = id && id->rotational == 0};
	m = (struct panel_member){node, r->n_disks - 1, d->name};
	if (!d->name || array_put(&n->disks, &n->n_disks, m.number))
		return -ENOMEM;
	for (int s = 0; s < SIG_COUNT && !err; s++) {
		if (signals[s].level != LEVEL_DISK || r->nodes[node].group < 0)
			continue;
		err = join_peerset(r, s, r->nodes[node].group, class, &m);
		if (!err && signals[s].across)
			err = join_peerset(r, s, r->nodes[node].group, ANY_CLASS, &m);
	}
	return err ?: (ssize_t)(r->n_disks - 1);
}
