// SPDX-License-Identifier: BSD-2-Clause
/* The engine: intervals come in, and are judged one after the other; and what others may ask of it. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"

enum { BEFORE_INTERVALS = 75 }; /* sums before those of the ring: 5 min */

struct robust *robust_new(const struct robust_params *p)
{
	struct robust *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->p = *p;
	r->next_ns = INT64_MIN;
	r->track = incidents_track(r);
	r->talkers = talkers_new();
	r->addresses = addresses_new();
	if (r->talkers && r->addresses && r->track)
		return r;
	robust_free(r);
	return NULL;
}

static void node_free(struct node *n)
{
	for (int i = 0; i < RING_INTERVALS; i++)
		interval_release(&n->ring[i].interval);
	interval_release(&n->before);
	for (size_t i = 0; i < n->n_own; i++)
		free(n->own[i]);
	free(n->own);
	free(n->disks);
}

int robust_own(struct robust *r, size_t node, const char *cgroup)
{
	struct node *n = &r->nodes[node];
	char **more, *copy;

	for (size_t i = 0; i < n->n_own; i++)
		if (!strcmp(n->own[i], cgroup))
			return 0;
	if (n->n_own == SERIES_MAX_CGROUPS)
		return 0;
	copy = strdup(cgroup);
	more = copy ? array_add(&n->own, &n->n_own) : NULL;
	if (!more) {
		free(copy);
		return -ENOMEM;
	}
	*more = copy;
	return 0;
}

void robust_free(struct robust *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_nodes; i++)
		node_free(&r->nodes[i]);
	for (size_t i = 0; i < r->n_sets; i++) {
		panel_release(&r->sets[i].panel);
		free(r->sets[i].fleet);
	}
	track_free(r->track);
	free(r->nodes);
	map_release(&r->by_name);
	for (size_t i = 0; i < r->n_disks; i++)
		free(r->disks[i].name);
	free(r->disks);
	free(r->classes);
	free(r->devices);
	map_release(&r->by_device);
	free(r->sets);
	free(r->kept);
	map_release(&r->by_owner);
	panel_values_release(&r->values);
	free(r->explained.at);
	free(r->typical.at);
	free(r->means.at);
	talkers_free(r->talkers);
	addresses_free(r->addresses);
	free(r);
}

/* ---- stages ------------------------------------------------------------------------------------------*/

static double thread_s(void)
{
	return s_of_ns(clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

void robust_measure(struct robust *r, double stages_s[ROBUST_STAGES])
{
	r->stages_s = stages_s;
}

void robust_enter(struct robust *r, enum robust_stage s)
{
	double now;

	if (!r->stages_s)
		return;
	now = thread_s();
	r->stages_s[r->stage] += now - r->stage_from_s;
	r->stage = s;
	r->stage_from_s = now;
}

/* ---- intervals -----------------------------------------------------------------------------------------*/

int64_t interval_ns(const struct robust *r)
{
	return ns_of_s(r->p.interval_s);
}

const struct interval *node_interval(const struct robust *r, size_t node, unsigned int back)
{
	const struct ring_interval *h;

	if (back >= r->n_intervals || back >= RING_INTERVALS)
		return NULL;
	h = &r->nodes[node].ring[(r->n_intervals - 1 - back) % RING_INTERVALS];
	return h->interval.seconds ? &h->interval : NULL;
}

/* The oldest interval of the ring makes room; what it did goes to `before`, which forgets slowly. */
static int keep_interval(struct robust *r, size_t i, int64_t from_ns, const struct interval *h)
{
	struct node *n = &r->nodes[i];
	struct ring_interval *slot = &n->ring[r->n_intervals % RING_INTERVALS];
	int err = 0;

	/* `before` is what there was before a trouble that is not over. */
	if (slot->interval.seconds && slot->from_ns < track_since(r->track, i)) {
		interval_scale(&n->before, 1 - 1.0 / BEFORE_INTERVALS);
		err = interval_merge(&n->before, &slot->interval);
	}
	interval_release(&slot->interval);
	slot->from_ns = from_ns;
	if (r->n_intervals >= WINDOW_INTERVALS)
		interval_strip(
			&n->ring[(r->n_intervals - WINDOW_INTERVALS) % RING_INTERVALS].interval);
	if (err || !h || !h->seconds)
		return err;
	n->seen = true;
	r->lost += h->lost;
	err = restarts_note(r, i, h);
	for (size_t d = 0; d < h->n_disks && !err; d++)
		err = robust_disk(r, i, h->disks[d].name) == -ENOMEM ? -ENOMEM : 0;
	return err ?: interval_copy(&slot->interval, h);
}

static int interval_judge(struct robust *r)
{
	int64_t to = r->next_ns, from = to - interval_ns(r);
	size_t here = 0;
	int err = 0;

	err = window_sums(r);
	for (size_t i = 0; i < r->n_nodes; i++)
		here += r->nodes[i].present;
	r->n_useful += here >= 3;
	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = set_fill(r, &r->sets[i], from, to);
	robust_enter(r, STAGE_RULES);
	err = err ? err : stolen_update(r, from, to);
	return err ?: incidents_update(r, to);
}

static int one_interval(struct robust *r, int64_t from_ns, const struct interval *const *at,
			size_t n)
{
	int err = 0;

	for (size_t i = 0; i < r->n_nodes && !err; i++)
		err = keep_interval(r, i, from_ns, i < n ? at[i] : NULL);
	if (err)
		return err;
	r->n_intervals++;
	r->next_ns = from_ns + interval_ns(r);
	return interval_judge(r);
}

/* Enough silence that nothing of before is in the ring, and that what stood has ended (track_signal.c). */
enum { SILENT_INTERVALS = RING_INTERVALS + 18 };

int robust_push(struct robust *r, int64_t from_ns, const struct interval *const *at, size_t n)
{
	int64_t gap;
	int err = 0;

	r->stage_from_s = r->stages_s ? thread_s() : 0;
	if (r->next_ns == INT64_MIN)
		r->first_ns = r->next_ns = from_ns;
	gap = (from_ns - r->next_ns) / interval_ns(r);
	if (from_ns < r->next_ns || (from_ns - r->next_ns) % interval_ns(r))
		return -EINVAL;
	/* Silence: enough of it that nothing of before is in the ring, and trouble has ended. */
	gap = gap > SILENT_INTERVALS ? SILENT_INTERVALS : gap;
	/* The first of it come at once after what was said last, which is in their windows. */
	for (unsigned int k = 0; gap > 0 && !err; gap--, k++)
		err = one_interval(
			r, k < WINDOW_INTERVALS ? r->next_ns : from_ns - gap * interval_ns(r), NULL,
			0);
	err = err ?: one_interval(r, from_ns, at, n);
	robust_enter(r, STAGE_VALUES);
	return err;
}

/* ---- for others -----------------------------------------------------------------------------------*/

size_t robust_nodes(const struct robust *r)
{
	return r->n_nodes;
}

const char *robust_node_name(const struct robust *r, size_t node)
{
	return r->nodes[node].name;
}

int32_t robust_node_group(const struct robust *r, size_t node)
{
	return r->nodes[node].group;
}

double robust_interval_s(const struct robust *r)
{
	return r->p.interval_s;
}

double robust_window_s(const struct robust *r)
{
	return r->p.interval_s * WINDOW_INTERVALS;
}

int64_t robust_now(const struct robust *r)
{
	return r->next_ns;
}

/* ---- for those who draw: looks, who is compared with whom, and distributions -------------------- */

void robust_observe(struct robust *r, void (*fn)(void *arg, const struct observation *o), void *arg)
{
	r->p.explain = false;
	r->observe = fn;
	r->observe_arg = arg;
}

void robust_history(struct robust *r, struct track_history *h)
{
	r->history = h;
}

const struct panel *robust_panel(const struct robust *r, size_t i)
{
	return i < r->n_sets ? &r->sets[i].panel : NULL;
}

size_t robust_panel_of(const struct robust *r, size_t node, const char *disk, enum signal s)
{
	for (size_t i = 0; i < r->n_sets; i++) {
		const struct panel *p = &r->sets[i].panel;

		for (size_t m = 0; m < p->n && p->o.signal == s && !p->o.hidden; m++)
			if (p->members[m].node == node && !strcmp(p->members[m].disk, disk))
				return i;
	}
	return SIZE_MAX;
}

uint64_t robust_latency(const struct robust *r, size_t panel, size_t member, int op,
			enum lat_part part, uint64_t at[LAT_BUCKETS])
{
	return window_histogram(r, r->sets[panel].panel.members[member].number, op, part, at);
}
