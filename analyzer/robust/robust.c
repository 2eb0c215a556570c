// SPDX-License-Identifier: BSD-2-Clause
/* The engine: servers, disks, their peers, and one window after the other. */
#include "robust.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* Grows *at, of *n elements of `size`, by one, doubling *cap; the new one is zeroed. */
static int grow(void *at, size_t n, size_t *cap, size_t size)
{
	void **p = at, *more;

	if (n < *cap)
		return 0;
	*cap = *cap ? 2 * *cap : 8;
	more = realloc(*p, *cap * size);
	if (!more)
		return -ENOMEM;
	memset((char *)more + n * size, 0, (*cap - n) * size);
	*p = more;
	return 0;
}

struct robust *robust_new(const struct robust_params *p)
{
	struct robust *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->p = *p;
	r->p.track.apart = r->span = p->window_hops;
	r->next_ns = INT64_MIN;
	return r;
}

static void node_free(struct node *n)
{
	for (int i = 0; i < RING_HOPS; i++)
		hop_release(&n->ring[i].hop);
	hop_release(&n->before);
	free(n->disks);
}

void robust_free(struct robust *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_nodes; i++)
		node_free(&r->nodes[i]);
	for (size_t i = 0; i < r->n_sets; i++) {
		track_free(r->sets[i].track);
		free(r->sets[i].members);
		free(r->sets[i].standing);
		free(r->sets[i].fleet);
	}
	for (size_t i = 0; i < r->n_cases; i++)
		case_free(r->cases[i]);
	free(r->nodes);
	free(r->disks);
	free(r->classes);
	free(r->devices);
	free(r->sets);
	free(r->kept);
	free(r->cases);
	free(r->remarks);
	free(r->looks);
	free(r->cells);
	free(r->talkers);
	free(r);
}

/* ---- who is there ---------------------------------------------------------------------------------*/

static struct peerset *set_of(struct robust *r, enum signal s, int32_t group, int class)
{
	struct track_params p = r->p.track;
	struct peerset *set;

	for (size_t i = 0; i < r->n_sets; i++)
		if (r->sets[i].signal == s && r->sets[i].group == group &&
		    r->sets[i].class == class)
			return &r->sets[i];
	set = realloc(r->sets, (r->n_sets + 1) * sizeof(*set));
	if (!set)
		return NULL;
	r->sets = set;
	set += r->n_sets;
	*set = (struct peerset){.signal = s, .group = group, .class = class};
	if (signals[s].ratio > 0) {
		p.ratio = signals[s].ratio;
		p.few_ratio = fmax(p.few_ratio, signals[s].ratio);
		p.slow_ratio = signals[s].ratio;
	}
	/* A mean is worse as soon as any part of the window is: it is believed when twice as long has
	 * passed, or a burst of one window would do. */
	if (s == SIG_READ_AWAIT || s == SIG_WRITE_AWAIT) {
		p.apart *= 2;
		p.votes += 2;
		p.of += 2;
	}
	/* a number has no buckets */
	if (signals[s].kind == KIND_NUMBER)
		p.sigma_min = log(1.05);
	set->track = track_new(0, &p);
	if (!set->track)
		return NULL;
	r->n_sets++;
	return set;
}

static const char *member_disk(const struct robust *r, enum signal s, size_t member)
{
	return signals[s].level == LEVEL_DISK ? r->disks[member].name : "";
}

static size_t member_node(const struct robust *r, enum signal s, size_t member)
{
	return signals[s].level == LEVEL_DISK ? r->disks[member].node : member;
}

static int join(struct robust *r, enum signal s, int32_t group, int class, size_t member)
{
	struct peerset *set = set_of(r, s, group, class);
	struct standing *standing;
	const char *disk = member_disk(r, s, member);
	size_t cap;

	if (!set)
		return -ENOMEM;
	cap = set->cap;
	if (grow(&set->members, set->n, &cap, sizeof(*set->members)))
		return -ENOMEM;
	standing = realloc(set->standing, cap * sizeof(*standing));
	if (!standing || track_grow(set->track, set->n + 1))
		return -ENOMEM;
	memset(&standing[set->n], 0, sizeof(*standing));
	set->standing = standing;
	set->cap = cap;
	set->members[set->n] = member;
	for (size_t i = 0; i < r->n_kept; i++)
		if (r->kept[i].signal == s && class != ANY_CLASS &&
		    !strcmp(r->kept[i].node, r->nodes[member_node(r, s, member)].name) &&
		    !strcmp(r->kept[i].disk, disk))
			track_set_offset(set->track, set->n, r->kept[i].offset);
	set->n++;
	return 0;
}

ssize_t robust_node(struct robust *r, const char *name, int32_t group)
{
	size_t i = 0;
	int err = 0;

	while (i < r->n_nodes && strcmp(r->nodes[i].name, name))
		i++;
	if (i < r->n_nodes)
		return (ssize_t)i;
	if (grow(&r->nodes, r->n_nodes, &r->cap_nodes, sizeof(*r->nodes)))
		return -ENOMEM;
	r->nodes[i] = (struct node){.group = group};
	snprintf(r->nodes[i].name, sizeof(r->nodes[i].name), "%s", name);
	r->n_nodes++;
	for (int s = 0; s < SIG_COUNT && !err; s++)
		if (signals[s].level == LEVEL_NODE && s != SIG_TABLE && group >= 0)
			err = join(r, s, group, 0, i);
	return err ? err : (ssize_t)i;
}

void robust_acknowledge(struct robust *r, size_t node)
{
	r->nodes[node].acknowledged = true;
}

int robust_set_offset(struct robust *r, const char *node, const char *disk, enum signal s,
		      double offset)
{
	struct kept_offset *more = realloc(r->kept, (r->n_kept + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	r->kept = more;
	more += r->n_kept++;
	*more = (struct kept_offset){.signal = s, .offset = offset};
	snprintf(more->node, sizeof(more->node), "%s", node);
	snprintf(more->disk, sizeof(more->disk), "%s", disk);
	/* servers are members already, disks join later */
	for (size_t i = 0; i < r->n_sets; i++)
		for (size_t m = 0; m < r->sets[i].n && r->sets[i].signal == s; m++)
			if (r->sets[i].class != ANY_CLASS &&
			    !strcmp(r->nodes[member_node(r, s, r->sets[i].members[m])].name,
				    node) &&
			    !strcmp(member_disk(r, s, r->sets[i].members[m]), disk))
				track_set_offset(r->sets[i].track, m, offset);
	return 0;
}

int robust_offsets(const struct robust *r,
		   int (*fn)(void *arg, const char *node, const char *disk, enum signal s,
			     double offset),
		   void *arg)
{
	int err = 0;

	for (size_t i = 0; i < r->n_sets && !err; i++) {
		const struct peerset *set = &r->sets[i];

		for (size_t m = 0; m < set->n && !err && set->class != ANY_CLASS; m++) {
			double offset = track_offset(set->track, m);
			size_t member = set->members[m];

			if (!isnan(offset))
				err = fn(arg, r->nodes[member_node(r, set->signal, member)].name,
					 member_disk(r, set->signal, member), set->signal, offset);
		}
	}
	return err;
}

int robust_identity(struct robust *r, size_t node, const struct device_identity *id)
{
	struct device *d;

	for (size_t i = 0; i < r->n_devices; i++)
		if (r->devices[i].node == node && r->devices[i].id.family == id->family &&
		    !strcmp(r->devices[i].id.name, id->name)) {
			r->devices[i].id = *id;
			return 0;
		}
	if (id->family != FAM_DISK && id->family != FAM_NET)
		return 0;
	if (grow(&r->devices, r->n_devices, &r->cap_devices, sizeof(*r->devices)))
		return -ENOMEM;
	d = &r->devices[r->n_devices++];
	d->node = node;
	d->id = *id;
	return 0;
}

static const struct device_identity *identity_of(const struct robust *r, size_t node,
						 const char *name)
{
	for (size_t i = 0; i < r->n_devices; i++)
		if (r->devices[i].node == node && r->devices[i].id.family == FAM_DISK &&
		    !strcmp(r->devices[i].id.name, name))
			return &r->devices[i].id;
	return NULL;
}

/* Disks are peers within one model, and where no model is known, within one size (to an octave). */
static int class_of(struct robust *r, const struct device_identity *id)
{
	struct disk_class c = {.key = ""}, *more;
	int octave = -1;

	if (id && *id->model)
		r->identities = true;
	if (id && !*id->model && id->size_bytes > 0)
		octave = ilogb((double)id->size_bytes);
	if (id) {
		snprintf(c.model, sizeof(c.model), "%s", id->model);
		snprintf(c.key, sizeof(c.key), "%s|%d|%d", id->model, id->rotational, octave);
	}
	for (size_t i = 0; i < r->n_classes; i++)
		if (!strcmp(r->classes[i].key, c.key))
			return (int)i;
	more = realloc(r->classes, (r->n_classes + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->classes = more;
	more[r->n_classes] = c;
	return (int)r->n_classes++;
}

static ssize_t find_disk(struct robust *r, size_t node, const char *name)
{
	const struct device_identity *id;
	struct node *n = &r->nodes[node];
	struct disk *d;
	size_t *own;
	int err = 0, class;

	for (size_t i = 0; i < n->n_disks; i++)
		if (!strcmp(r->disks[n->disks[i]].name, name))
			return (ssize_t)n->disks[i];
	id = identity_of(r, node, name);
	class = class_of(r, id);
	own = realloc(n->disks, (n->n_disks + 1) * sizeof(*own));
	if (own)
		n->disks = own;
	if (!own || class < 0 || grow(&r->disks, r->n_disks, &r->cap_disks, sizeof(*r->disks)))
		return -ENOMEM;
	n->disks[n->n_disks++] = r->n_disks;
	d = &r->disks[r->n_disks];
	*d = (struct disk){.node = node, .class = class, .flash = id && id->rotational == 0};
	snprintf(d->name, sizeof(d->name), "%s", name);
	r->n_disks++;
	for (int s = 0; s < SIG_COUNT && !err; s++) {
		if (signals[s].level != LEVEL_DISK || r->nodes[node].group < 0)
			continue;
		err = join(r, s, r->nodes[node].group, class, r->n_disks - 1);
		if (!err && (s == SIG_READ || s == SIG_WRITE))
			err = join(r, s, r->nodes[node].group, ANY_CLASS, r->n_disks - 1);
	}
	return err ? err : (ssize_t)(r->n_disks - 1);
}

/* ---- hops -----------------------------------------------------------------------------------------*/

const struct hop *node_hop(const struct robust *r, size_t node, unsigned int back)
{
	const struct ring_hop *h;

	if (back >= r->n_hops || back >= RING_HOPS)
		return NULL;
	h = &r->nodes[node].ring[(r->n_hops - 1 - back) % RING_HOPS];
	return h->hop.seconds ? &h->hop : NULL;
}

double node_seconds(const struct robust *r, size_t node)
{
	double sum = 0;

	for (unsigned int b = 0; b < r->span; b++) {
		const struct hop *h = node_hop(r, node, b);

		sum += h ? h->seconds : 0;
	}
	return sum;
}

const struct hop_disk *hop_find_disk(const struct hop *h, const char *name)
{
	for (size_t i = 0; h && i < h->n_disks; i++)
		if (!strcmp(h->disks[i].name, name))
			return &h->disks[i];
	return NULL;
}

/* The oldest hop of the ring makes room; what it did goes to `before`, which forgets slowly. */
static int keep_hop(struct robust *r, size_t i, int64_t from_ns, const struct hop *h)
{
	struct node *n = &r->nodes[i];
	struct ring_hop *slot = &n->ring[r->n_hops % RING_HOPS];
	int err = 0;

	if (slot->hop.seconds) {
		hop_scale(&n->before, 1 - 1.0 / BEFORE_HOPS);
		err = hop_merge(&n->before, &slot->hop);
	}
	hop_release(&slot->hop);
	slot->from_ns = from_ns;
	if (r->n_hops >= r->p.window_hops)
		hop_strip(&n->ring[(r->n_hops - r->p.window_hops) % RING_HOPS].hop);
	if (err || !h || !h->seconds)
		return err;
	n->seen = true;
	r->lost += h->lost;
	for (size_t d = 0; d < h->n_disks && !err; d++)
		err = find_disk(r, i, h->disks[d].name) < 0 ? -ENOMEM : 0;
	return err ? err : hop_copy(&slot->hop, h);
}

/* ---- a window -------------------------------------------------------------------------------------*/

static bool present(const struct robust *r, size_t node)
{
	return node_seconds(r, node) >= r->p.min_share * r->p.hop_s * r->span;
}

static double floor_of(const struct robust *r, const struct peerset *set, size_t member)
{
	const struct signal_row *row = &signals[set->signal];

	if (row->level == LEVEL_DISK && r->disks[member].flash && row->floor_flash > 0)
		return row->floor_flash;
	return row->floor;
}

/* What each member showed in this window against the others. */
static int compare_set(struct robust *r, const struct peerset *set, double events,
		       struct compared *out)
{
	const struct compare_opts o = {.events = events, .peers = r->p.peers};
	struct cells *e = calloc(set->n + 1, sizeof(*e));
	size_t *first = calloc(set->n + 1, sizeof(*first));
	double *x = calloc(set->n + 1, sizeof(*x));
	int err = e && x && first ? 0 : -ENOMEM;

	r->n_cells = 0;
	for (size_t m = 0; m < set->n && !err; m++) {
		size_t member = set->members[m];
		bool here = present(r, member_node(r, set->signal, member));

		x[m] = NAN;
		first[m] = r->n_cells;
		if (here && signals[set->signal].kind == KIND_LATENCY)
			err = value_cells(r, set->signal, member, &e[m]) < 0 ? -ENOMEM : 0;
		else if (here)
			x[m] = value_number(r, set->signal, member);
	}
	/* r->cells may have moved while it grew */
	for (size_t m = 0; m < set->n && !err; m++)
		e[m].at = r->cells + first[m];
	if (!err && signals[set->signal].kind == KIND_LATENCY)
		err = compare_cells(e, set->n, &o, out);
	else if (!err)
		err = compare_numbers(x, set->n, signals[set->signal].c, out);
	free(e);
	free(x);
	free(first);
	return err;
}

/*
 * A burst stays in every window it is part of. So a window is flagged only if its newest hop is worse,
 * too, by half as much as a window must be: what is over does not collect votes [D].
 */
static int newest(struct robust *r, const struct peerset *set, struct compared *c)
{
	double ratio = signals[set->signal].ratio > 0 ? signals[set->signal].ratio
						      : r->p.track.ratio,
	       half = log(1 + (ratio - 1) / 2);
	struct compared *one;
	bool any = false;
	int err;

	for (size_t m = 0; m < set->n; m++)
		any |= c[m].d >= half;
	if (!any || r->p.window_hops == 1)
		return 0;
	one = calloc(set->n, sizeof(*one));
	if (!one)
		return -ENOMEM;
	r->span = 1;
	err = compare_set(r, set, r->p.events / r->p.window_hops, one);
	r->span = r->p.window_hops;
	for (size_t m = 0; m < set->n && !err; m++)
		c[m].over = one[m].d < half; /* NaN: too little to tell */
	free(one);
	return err;
}

static int explain(struct robust *r, const struct robust_look *l)
{
	struct explained_look *e;

	if (r->observe)
		r->observe(r->observe_arg, l);
	if (!r->p.explain)
		return 0;
	if (grow(&r->looks, r->n_looks, &r->cap_looks, sizeof(*r->looks)))
		return -ENOMEM;
	e = &r->looks[r->n_looks++];
	*e = (struct explained_look){l->from_ns,
				     l->to_ns,
				     l->node,
				     "",
				     l->signal,
				     value_shown(l->signal, l->look->value),
				     value_shown(l->signal, l->look->peers),
				     l->look->d,
				     l->look->offset,
				     l->look->sigma,
				     l->look->z,
				     l->look->ratio,
				     l->look->flagged,
				     l->look->odd,
				     l->look->chronic};
	snprintf(e->disk, sizeof(e->disk), "%s", l->disk);
	return 0;
}

/* The evidence's numbers, at their worst since the onset. */
static void note_worst(struct robust *r, const struct peerset *set, size_t m, const struct look *k,
		       const struct compared *c)
{
	struct standing *st = &set->standing[m];
	size_t member = set->members[m];

	bool slow = k->chronic && st->slow && !k->flagged;
	double z = slow ? k->slow_z : k->z;

	if (st->worst.judged && !(z > st->worst.z))
		return;
	st->worst = (struct evidence){
		.signal = set->signal,
		.node = member_node(r, set->signal, member),
		.value = value_shown(set->signal, k->value),
		.peers = value_shown(set->signal, k->peers),
		.ratio = slow ? k->slow_ratio : k->ratio,
		.usual = slow ? 1 : exp(k->offset),
		.z = z,
		.spread = exp(slow ? k->slow_sigma : k->sigma),
		.w1 = NAN,
		.p99 = NAN,
		.p99_peers = NAN,
		.judged = 1,
		.n_peers = c->n_peers,
	};
	snprintf(st->worst.disk, sizeof(st->worst.disk), "%s", member_disk(r, set->signal, member));
}

/* From looks to standings: since when, how often. */
static void stand(struct robust *r, const struct peerset *set, size_t m, const struct look *k,
		  const struct compared *c, int64_t from_ns, int64_t to_ns)
{
	struct standing *st = &set->standing[m];
	unsigned int of = r->p.track.of;
	bool before = st->last.judged && !st->unjudged;

	st->last = *k;
	if (!k->judged) {
		st->unjudged++;
		if (st->running && !standing_odd(st) && st->unjudged > 3 * of)
			st->running = false;
		return;
	}
	st->unjudged = 0;
	if (!st->running && (k->flagged || k->odd || k->chronic)) {
		/* the window before was not flagged: what is new is in the newest hop */
		*st = (struct standing){.last = *k,
					.running = true,
					.slow = k->chronic && !k->odd,
					.onset_ns = before ? to_ns - hop_ns(r) : from_ns};
	}
	if (!st->running)
		return;
	if (!st->decided_ns)
		st->slow = k->chronic && !k->odd;
	st->judged++;
	st->flagged += k->flagged;
	st->quiet = k->flagged ? 0 : st->quiet + 1;
	if (k->flagged || (k->chronic && st->slow)) {
		note_worst(r, set, m, k, c);
		st->last_ns = to_ns;
	}
	if (standing_odd(st) && !st->decided_ns)
		st->decided_ns = to_ns;
	if (st->quiet >= of && !standing_odd(st))
		st->running = false;
}

/* Whether it is worse by more than is worth a word. */
static bool exceeds(const struct robust *r, const struct peerset *set, size_t m,
		    const struct compared *c)
{
	/* worse is less here: the peers must do something, for their being idle is no standard */
	if (set->signal == SIG_IDLE)
		return value_shown(SIG_IDLE, c->peers) > 256;
	return c->value - c->peers > floor_of(r, set, set->members[m]);
}

static int look_at(struct robust *r, struct peerset *set, int64_t from_ns, int64_t to_ns)
{
	struct compared *c = calloc(set->n + 1, sizeof(*c));
	struct look *looks = calloc(set->n + 1, sizeof(*looks));
	bool *excess = calloc(set->n + 1, sizeof(*excess));
	int err = c && looks && excess ? compare_set(r, set, r->p.events, c) : -ENOMEM;

	if (!err)
		err = newest(r, set, c);

	for (size_t m = 0; m < set->n && !err; m++)
		excess[m] = exceeds(r, set, m, &c[m]);
	if (!err)
		err = track_push(set->track, c, excess, looks);
	if (!err)
		err = fleet_update(r, set, c, from_ns, to_ns);
	for (size_t m = 0; m < set->n && !err; m++) {
		size_t member = set->members[m], node = member_node(r, set->signal, member);
		struct robust_look l = {from_ns,     to_ns,
					node,	     member_disk(r, set->signal, member),
					set->signal, &looks[m]};

		stand(r, set, m, &looks[m], &c[m], from_ns, to_ns);
		if (!looks[m].judged || set->class == ANY_CLASS)
			continue;
		set->judged = true;
		r->nodes[node].judged = true;
		err = explain(r, &l);
	}
	free(c);
	free(looks);
	free(excess);
	return err;
}

static int window(struct robust *r)
{
	int64_t to = r->next_ns, from = to - (int64_t)r->p.window_hops * hop_ns(r);
	size_t here = 0;
	int err = 0;

	for (size_t i = 0; i < r->n_nodes; i++)
		here += present(r, i);
	r->n_windows++;
	r->n_useful += here >= 3;
	err = value_talkers(r);
	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = look_at(r, &r->sets[i], from, to);
	return err ? err : cases_update(r, from, to);
}

static int one_hop(struct robust *r, int64_t from_ns, const struct hop *const *at, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < r->n_nodes && !err; i++)
		err = keep_hop(r, i, from_ns, i < n ? at[i] : NULL);
	if (err)
		return err;
	r->n_hops++;
	r->next_ns = from_ns + hop_ns(r);
	return window(r);
}

int robust_push(struct robust *r, int64_t from_ns, const struct hop *const *at, size_t n)
{
	int64_t gap;
	int err = 0;

	if (r->next_ns == INT64_MIN) {
		r->first_ns = from_ns;
	} else {
		gap = (from_ns - r->next_ns) / hop_ns(r);
		if (from_ns < r->next_ns || (from_ns - r->next_ns) % hop_ns(r))
			return -EINVAL;
		/* Silence: enough of it that nothing of before is in the window or votes any more. */
		gap = gap > RING_HOPS + 3 * (int64_t)r->p.track.of
			      ? RING_HOPS + 3 * (int64_t)r->p.track.of
			      : gap;
		for (; gap > 0 && !err; gap--)
			err = one_hop(r, from_ns - gap * hop_ns(r), NULL, 0);
	}
	return err ? err : one_hop(r, from_ns, at, n);
}

/* ---- for others -----------------------------------------------------------------------------------*/

void robust_observe(struct robust *r, void (*fn)(void *arg, const struct robust_look *l), void *arg)
{
	r->observe = fn;
	r->observe_arg = arg;
}

bool robust_latency(const struct robust *r, size_t node, const char *disk, int op,
		    enum lat_part part, uint64_t at[LAT_BUCKETS])
{
	const struct node *n = &r->nodes[node];

	for (size_t i = 0; i < n->n_disks; i++)
		if (!strcmp(r->disks[n->disks[i]].name, disk))
			return value_histogram(r, n->disks[i], op, part, at) > 0;
	return false;
}

size_t robust_nodes(const struct robust *r)
{
	return r->n_nodes;
}

const char *robust_node_name(const struct robust *r, size_t node)
{
	return r->nodes[node].name;
}

int64_t robust_now(const struct robust *r)
{
	return r->next_ns;
}
