// SPDX-License-Identifier: BSD-2-Clause
/*
 * From signals in trouble to the verdict: what the tracker is told of each interval, their findings, what the rules, which are
 * shown all servers, say of them; and at any time incidents, notices, and what could not be judged.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verdict/silence.h"
#include "analyzer/verdict/status.h"
#include "userspace/common/scratch.h"
#include "userspace/common/sort.h"

/* ---- scenes: what the rules are shown ----------------------------------------------------------- */

/* Scenes: what the rules are shown of all servers, out of the intervals that are kept. */

static void scene_free(struct scene_node *nodes, size_t n)
{
	for (size_t i = 0; nodes && i < n; i++)
		interval_release(&nodes[i].now), interval_release(&nodes[i].before);
	free(nodes);
}

/* Whether the server said nothing in the window now held. */
static bool node_is_silent(const struct robust *r, size_t node)
{
	return !any_of(b, WINDOW_INTERVALS, node_interval(r, node, b));
}

/* What every server did since `onset`, as far as the ring goes, and before; *out: the scene's nodes, for scene_free()
 * either way. 0 or -ENOMEM. */
static int scene_of(const struct robust *r, int64_t onset, struct scene *s, struct scene_node **out)
{
	struct scene_node *nodes = *out = calloc(r->n_nodes + 1, sizeof(*nodes));
	unsigned int since = WINDOW_INTERVALS;
	int err = nodes ? 0 : -ENOMEM;

	*s = (struct scene){.nodes = nodes, .n_nodes = r->n_nodes, .addresses = r->addresses};

	/* a window that began before it has the healthy time in it, too */
	while (since > 1 && r->next_ns - (int64_t)since * interval_ns(r) < onset)
		since--;
	for (size_t i = 0; i < r->n_nodes && !err; i++) {
		const struct node *n = &r->nodes[i];

		nodes[i].name = n->name;
		nodes[i].group = n->group;
		nodes[i].own_cgroups = (const char *const *)n->own;
		nodes[i].n_own = n->n_own;
		for (size_t d = 0; d < n->n_disks; d++)
			nodes[i].flash |= r->disks[n->disks[d]].flash;
		nodes[i].silent = n->seen && node_is_silent(r, i);
		err = interval_copy(&nodes[i].before, &n->before);
		for (unsigned int b = 0; b < RING_INTERVALS && !err; b++) {
			const struct interval *h = node_interval(r, i, b);
			bool now = h && (h->from_ns >= onset || b < since);

			if (h)
				err = interval_merge(now ? &nodes[i].now : &nodes[i].before, h);
		}
	}
	return err;
}

/* How the disk that the rules look at fares at each size of request, in the window now held. 0 or -ENOMEM. */
static int scene_sizes(const struct robust *r, const struct scene *s, const struct incident *a,
		       struct scene_node *own)
{
	unsigned int w = WINDOW_INTERVALS;
	const struct interval **at = calloc(r->n_nodes * w + 1, sizeof(*at));
	const char *disk = rules_disk(s, a);
	int err = at ? 0 : -ENOMEM;

	for (size_t i = 0; i < r->n_nodes && !err; i++)
		for (unsigned int b = 0; b < w; b++)
			at[i * w + b] = node_interval(r, i, b);
	if (!err && *disk)
		err = rules_sizes(s, a->node, disk, at, w, own->size_ratio);
	err = err ?: rules_equal_load(s, a->node, disk, at, w, own->equal_load);
	free(at);
	return err;
}

/* ---- findings ----------------------------------------------------------------------------------- */

/* Findings: their distributions, for the tracker. */

static const struct {
	enum signal signal;
	int op;
	enum lat_part part;
} distributions[] = {
	{SIG_READ, OP_READ, PART_WHOLE},
	{SIG_WRITE, OP_WRITE, PART_WHOLE},
	{SIG_READ_DEVICE, OP_READ, PART_DEVICE},
	{SIG_WRITE_DEVICE, OP_WRITE, PART_DEVICE},
};

static double p99_ms(const uint64_t *at)
{
	return hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.99) * (1 << LAT_SHIFT) / 1e6;
}

/* The tail and the distance of distributions against all peers together, in the window that ended when the evidence was
 * strongest. */
static void put_distribution(const void *arg, const struct panel *panel, size_t m,
			     struct finding *e)
{
	const struct robust *r = arg;
	uint64_t own[LAT_BUCKETS], others[LAT_BUCKETS] = {0}, one[LAT_BUCKETS];
	size_t n = sizeof(distributions) / sizeof(*distributions);
	size_t k = index_if(i, n, distributions[i].signal == panel->o.signal);

	if (panel->o.row->kind == KIND_TOGETHER)
		together_parts(r, panel, m, e);
	if (k == n || !window_histogram(r, panel->members[m].number, distributions[k].op,
					distributions[k].part, own))
		return;
	for (size_t i = 0; i < panel->n; i++) {
		if (i == m || !window_histogram(r, panel->members[i].number, distributions[k].op,
						distributions[k].part, one))
			continue;
		for (size_t b = 0; b < LAT_BUCKETS; b++)
			others[b] += one[b];
	}
	e->p99 = p99_ms(own);
	e->p99_peers = p99_ms(others);
	e->w1 = exp(compare_w1(own, others));
}

/* ---- incidents ---------------------------------------------------------------------------------- */

static enum signal_role incident_role(void *arg, size_t signal)
{
	(void)arg;
	return signals[signal].role;
}

#define BEFORE_S 30

/* Whether something was worse from the first data on, if by less: what was before the onset is no better time. */
static bool from_the_first(const struct robust *r, const struct incident *a)
{
	return any_of(i, a->n_findings,
		      !a->findings[i].symptom &&
			      a->findings[i].begun_ns - r->first_ns < ns_of_s(BEFORE_S));
}

/*
 * What was asked of the disk that the rules look at: of this one, and while the ring has some of that time. Else it begins with
 * what there was before the ring, for a fault begins earlier than its latency shows. 0 or -ENOMEM.
 */
static int ask(struct robust *r, size_t node, bool first, const char *disk)
{
	struct node *n = &r->nodes[node];
	struct scene_node *nodes = NULL;
	struct scene s;
	int err = 0;

	if (!*disk)
		return 0;
	if (r->n_intervals - n->asked.at > RING_INTERVALS || strcmp(n->asked.disk, disk) != 0) {
		err = scene_of(r, INT64_MIN, &s, &nodes);
		if (!err)
			n->asked = rules_asked(&s, node, disk);
		scene_free(nodes, r->n_nodes);
	}
	n->asked.at = r->n_intervals;
	n->asked.before = first ? NAN : n->asked.before;
	return err;
}

static int incident_rule(void *arg, int64_t onset_ns, struct incident *a, struct notice *m,
			 enum ruled *ruled)
{
	struct robust *r = arg;
	struct scene_node *nodes;
	struct scene s;
	int err = scene_of(r, onset_ns, &s, &nodes);
	bool first = from_the_first(r, a);

	for (size_t i = 0; i < r->n_nodes && first && !err; i++)
		interval_release(&nodes[i].before);
	err = err ?: scene_sizes(r, &s, a, &nodes[a->node]);
	err = err ?: ask(r, a->node, first, rules_disk(&s, a));
	if (!err) {
		nodes[a->node].asked = &r->nodes[a->node].asked;
		*ruled = rules_apply(&s, a, m);
	}
	scene_free(nodes, r->n_nodes);
	return err;
}

struct track *incidents_track(struct robust *r)
{
	struct track_rules rules = {.rule = incident_rule,
				    .role = incident_role,
				    .arg = r,
				    .again = WINDOW_INTERVALS,
				    .same_ns = TRACK_SAME_NS,
				    .recent_ns = RING_INTERVALS * interval_ns(r)};

	return track_new(&rules);
}

struct notice_span {
	struct robust *r;
	int64_t from_ns, to_ns;
};

static int on_timed_notice(void *arg, const struct notice *m)
{
	struct notice_span *t = arg;
	struct notice one = *m;

	one.from_ns = one.from_ns ? one.from_ns : t->from_ns;
	one.to_ns = t->to_ns;
	return track_notice(t->r->track, &one);
}

static int notices_find(struct robust *r, int64_t from_ns, int64_t to_ns)
{
	struct scene s;
	struct notice_span t = {r, from_ns, to_ns};
	struct scene_node *nodes;
	int err = scene_of(r, from_ns, &s, &nodes) ?: rules_notices(&s, on_timed_notice, &t);

	scene_free(nodes, r->n_nodes);
	return err;
}

int incidents_update(struct robust *r, int64_t to_ns)
{
	int64_t window_ns = (int64_t)WINDOW_INTERVALS * interval_ns(r);
	int err;

	track_begin(r->track);
	for (size_t i = 0; i < r->n_sets; i++)
		panel_mark(&r->sets[i].panel, r->track, false);
	err = track_open(r->track);
	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = panel_gather(&r->sets[i].panel, r->track, put_distribution, r);
	err = err ? err : track_update(r->track, to_ns);
	/* once per window that does not overlap */
	if (!err && r->n_intervals % WINDOW_INTERVALS == 0)
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

/* ---- the verdict -------------------------------------------------------------------------------- */

/* A server that never did what the others do has another part to play, from so much data on. */
#define ROLE_S 120

static int64_t always_ns(const struct robust *r)
{
	return r->n_useful * r->p.interval_s < ROLE_S ? INT64_MIN : r->first_ns;
}

/* ---- disks of different models --------------------------------------------------------------------*/

static size_t of_class(const struct robust *r, int32_t group, int class)
{
	return count_if(i, r->n_disks,
			r->disks[i].class == class && r->nodes[r->disks[i].node].group == group);
}

/* A disk that is lastingly slower than those of other models, and not than its own. */
static int hardware(const struct robust *r, struct verdict *a, const struct peerset *set)
{
	int err = 0;

	for (size_t m = 0; m < set->panel.n && !err; m++) {
		const struct disk *d = &r->disks[set->panel.members[m].number];
		const struct track_entity *st = &set->panel.track.at[m];
		struct notice note = {.kind = NOTICE_HARDWARE,
				      .node = d->node,
				      .from_ns = st->onset_ns,
				      .to_ns = st->last_ns,
				      .signal = set->signal,
				      .ratio = exp(st->best.effect)};
		const struct incident *against = verdict_against(a, d->node, false);
		bool told = against && !against->suspicion;

		if (st->state == TRACK_EXCUSED || track_level(st) != EVIDENCE_INDICTED ||
		    2 * of_class(r, set->group, d->class) > set->panel.n)
			continue;
		for (size_t i = 0; i < a->n_notices; i++)
			told |= a->notices[i].node == d->node &&
				a->notices[i].kind == NOTICE_HARDWARE;
		if (told)
			continue;
		snprintf(note.disk, sizeof(note.disk), "%s", d->name);
		snprintf(note.model, sizeof(note.model), "%s", r->classes[d->class].model);
		err = verdict_add_notice(a, &note);
	}
	return err;
}

/* ---- what could not be judged ---------------------------------------------------------------------*/

/* Latencies that fall apart into two groups: of those servers nobody knows which are slow. What indicts one of
 * them for another reason stands. */
static int halves(const struct robust *r, struct verdict *a)
{
	int err = 0;

	for (size_t k = 0; k < r->n_sets && !err; k++) {
		const struct panel *p = &r->sets[k].panel;

		if (p->o.row->kind != KIND_LATENCY || p->o.hidden || !p->track.group.halves)
			continue;
		for (size_t m = 0; m < p->n && !err; m++) {
			size_t node = p->members[m].node;

			if (verdict_against(a, node, false) || !a->judged[node])
				continue;
			a->judged[node] = false;
			err = verdict_add_unjudged(a, &(struct unjudged){.node = node,
									 .signal = SIGNAL_ALL,
									 .why = UNJUDGED_HALVES,
									 .n = p->track.group.slow});
		}
	}
	return err;
}

/*
 * A server that had stopped reporting by the end (silence.h). The notice is looked for once a window, so that the last
 * one may be almost a window old; a server that came back since then is not silent.
 */
static int silent(const struct robust *r, struct verdict *a)
{
	int64_t windows_ns = 2 * ns_of_s(robust_window_s(r));
	int err = 0;

	for (size_t i = 0; i < a->n_notices && !err; i++) {
		const struct notice *m = &a->notices[i];

		if (m->kind == NOTICE_SILENT && r->next_ns - m->to_ns <= windows_ns &&
		    node_is_silent(r, m->node))
			err = verdict_silent(a, m->node, UNJUDGED_SILENT);
	}
	return err;
}

/* What each panel has to say. */
static int of_panels(const struct robust *r, struct verdict *a)
{
	size_t before = a->n_unjudged;
	int err = 0;

	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = panel_verdict(&r->sets[i].panel, a);
	verdict_unproven_only(a);
	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = panel_unjudged(&r->sets[i].panel, a);
	if (a->n_unjudged > before)
		panel_unjudged_sort(a);
	return err;
}

static int unjudged(const struct robust *r, struct verdict *a)
{
	int err = 0;

	for (size_t i = 0; i < r->n_nodes && !err; i++) {
		struct unjudged u = {.node = i, .signal = SIGNAL_ALL};

		u.why = r->nodes[i].group < 0 ? UNJUDGED_NO_GROUP
			: !r->nodes[i].seen   ? UNJUDGED_NO_DATA
					      : UNJUDGED_TOO_FEW;
		if (!a->judged[i])
			err = verdict_add_unjudged(a, &u);
	}
	return err;
}

static struct cannot cannot(const struct robust *r, const struct verdict *a)
{
	size_t seen = count_if(i, r->n_nodes, r->nodes[i].seen);

	if (!r->n_intervals)
		return (struct cannot){.why = CANNOT_NO_INTERVAL};
	if (seen < 3)
		return (struct cannot){.why = CANNOT_FEW_SERVERS, .n = seen, .needed = 3};
	if (r->n_useful < SHORTEST)
		return (struct cannot){.why = CANNOT_FEW_WINDOWS,
				       .n = r->n_useful,
				       .needed = SHORTEST,
				       .window_s = r->p.interval_s};
	return (struct cannot){.why = verdict_judged(a) ? CANNOT_NOT : CANNOT_NO_SIGNAL};
}

/* ---- all of it ------------------------------------------------------------------------------------*/

/* The groups that were listed. Without a list nobody is in another group than the first. */
static int groups_copy(const struct robust *r, struct verdict *a)
{
	struct scratch room SCRATCH_SCOPED = {0};
	int32_t *group = scratch_array(&room, r->n_nodes, sizeof(*group)), most = 0;
	bool listed = r->p.listed;

	for (size_t i = 0; i < r->n_nodes && group; i++) {
		group[i] = r->nodes[i].group;
		most = group[i] > most ? group[i] : most;
		listed |= group[i] != 0;
	}
	if (!group)
		return -ENOMEM;
	return listed ? verdict_set_groups(a, (size_t)most + 1, group) : 0;
}

static int names_copy(const struct robust *r, struct verdict *a)
{
	a->nodes = calloc(r->n_nodes + 1, sizeof(*a->nodes));
	a->judged = calloc(r->n_nodes + 1, sizeof(*a->judged));
	if (!a->nodes || !a->judged)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_nodes; i++)
		memcpy(a->nodes[i], r->nodes[i].name, HOST_LEN);
	for (size_t i = 0; i < r->n_sets; i++) {
		const struct panel *p = &r->sets[i].panel;

		for (size_t m = 0; m < p->n && !p->o.hidden; m++)
			a->judged[p->members[m].node] |= p->track.at[m].tested;
	}
	a->n_nodes = r->n_nodes;
	return 0;
}

static int looks_copy(const struct robust *r, struct verdict *a)
{
	const struct panel_explained *x = &r->explained;

	a->looks = malloc((x->n + 1) * sizeof(*a->looks));
	if (!a->looks)
		return -ENOMEM;
	if (x->n)
		memcpy(a->looks, x->at, x->n * sizeof(*a->looks));
	a->n_looks = x->n;
	return 0;
}

int robust_verdict(struct robust *r, struct verdict *a)
{
	int err;

	*a = (struct verdict){.method = ROBUST_NAME,
			      .names_causes = true,
			      .from_ns = r->n_intervals ? r->first_ns : 0,
			      .to_ns = r->n_intervals ? r->next_ns : 0,
			      .interval_s = r->p.interval_s,
			      .window_s = r->p.interval_s,
			      .notices_s = robust_window_s(r),
			      .n_windows = r->n_useful,
			      .unknown_hardware = r->n_disks && !r->identities,
			      .lost = r->lost};
	err = names_copy(r, a) ?: groups_copy(r, a) ?: verdict_series_signals(a);
	a->cannot = cannot(r, a);
	err = err ?: track_verdict(r->track, a, always_ns(r));
	for (size_t i = 0; i < r->n_sets && !err; i++)
		if (r->sets[i].class == ANY_CLASS)
			err = hardware(r, a, &r->sets[i]);
	err = err ?: unjudged(r, a) ?: silent(r, a) ?: halves(r, a) ?: groups_notes(r, a) ?: of_panels(r, a);
	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = panel_ruled_out(&r->sets[i].panel, a);
	err = err ?: looks_copy(r, a);
	if (err)
		verdict_release(a);
	else
		verdict_series_unseen(a);
	return err;
}
