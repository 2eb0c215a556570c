// SPDX-License-Identifier: BSD-2-Clause
/*
 * The newest interval: for each server and disk its values and the cells of its latencies, made once for all
 * that looks at them; with these each panel's members are compared at equal load. And the window now held, where a
 * distribution is shown.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/rules/meanwhile.h"
#include "analyzer/stat/stats.h"
#include "userspace/common/sort.h"

#define MIN_SHARE 0.5 /* of its seconds that an interval needs on a server */
/* What a cell needs: fewer events have no mean to speak of. */
enum { CELL_EVENTS = 5, CELL_PEERS = 4 };

/* ---- loss between servers, from both ends of each link ------------------------------------------ */

/* Of this many links of a server with others one is left out, at least one: a link alone tells of neither end. */
enum { LEFT_OUT = 5 };

/* What is added to an interval's counts of a server: what both ends of its links saw. */
static struct both_ends *node_ends(const struct robust *r, size_t node, unsigned int back)
{
	return &r->nodes[node].ring[(r->n_intervals - 1 - back) % RING_INTERVALS].ends;
}

/* What one server counted with another: segments. */
struct end {
	size_t node, other;
	struct both_ends own, peer;
	double lost; /* at both ends, of what is looked at */
};

static double or_zero(double x)
{
	return isfinite(x) ? x : 0;
}

COMPARISON(by_ends, struct end, ORDER(a->node, b->node) ?: ORDER(a->other, b->other))

COMPARISON(by_lost, struct end, ORDER(b->lost, a->lost) ?: ORDER(a->other, b->other))

static void ends_add(struct both_ends *to, const struct both_ends *x)
{
	to->retrans += x->retrans;
	to->data_out += x->data_out;
	to->ooo += x->ooo;
	to->data_in += x->data_in;
}

/* The ends of all servers' links with each other, in order; of a server with several addresses one end. */
static size_t ends_gather(const struct robust *r, struct end *at)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < r->n_nodes; i++) {
		const struct interval *h = node_interval(r, i, 0);

		for (size_t k = 0; h && k < h->n_remotes; k++) {
			const struct interval_remote *x = &h->remotes[k];
			size_t other = addresses_owner(r->addresses, r->nodes[i].group, x->addr);

			if (other == SIZE_MAX || other == i)
				continue;
			at[n++] = (struct end){.node = i,
					       .other = other,
					       .own = {true, or_zero(x->retrans),
						       or_zero(x->data_out), or_zero(x->ooo),
						       or_zero(x->data_in)}};
		}
	}
	sort(at, n, by_ends);
	for (size_t i = 0; i < n; i++) {
		if (kept && !by_ends(&at[kept - 1], &at[i]))
			ends_add(&at[kept - 1].own, &at[i].own);
		else
			at[kept++] = at[i];
	}
	return kept;
}

static void ends_meet(struct end *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct end key = {.node = at[i].other, .other = at[i].node};
		const struct end *peer = search(&key, at, n, by_ends);

		if (peer)
			at[i].peer = peer->own;
	}
}

/* One server's n ends, without the worst. Its segments sent again and its peers' to it are added up; so are its segments out of
 * order and its peers' from it. */
static void ends_sum(struct end *at, size_t n, struct both_ends *to)
{
	size_t out = (n + LEFT_OUT - 1) / LEFT_OUT;

	to->any = true;
	for (size_t i = 0; i < n; i++)
		at[i].lost = at[i].own.retrans + at[i].peer.retrans;
	sort(at, n, by_lost);
	for (size_t i = 0; i < n; i++) {
		to->retrans += i < out ? -at[i].own.retrans : at[i].peer.retrans;
		to->data_out += i < out ? -at[i].own.data_out : at[i].peer.data_out;
		at[i].lost = at[i].own.ooo;
	}
	sort(at, n, by_lost);
	for (size_t i = 0; i < out; i++) {
		to->ooo -= at[i].own.ooo;
		to->data_in -= at[i].own.data_in;
	}
}

/*
 * node_ends() of the newest interval, where servers talk to each other and it is known whose their addresses
 * are. A link that loses is seen from both ends, so that to what a server sends again comes what its peers send to it again;
 * and one bad server makes one link of each peer bad: the worst fifth of a server's links with others, at least one, is left
 * out. The bad one's are all bad. 0 or -ENOMEM.
 */
static int between_servers(struct robust *r)
{
	struct end *at;
	size_t most = 0, n;
	int err = 0;

	for (size_t i = 0; i < r->n_nodes && !err; i++) {
		const struct interval *h = node_interval(r, i, 0);

		*node_ends(r, i, 0) = (struct both_ends){0};
		most += h ? h->n_remotes : 0;
		if (h && r->nodes[i].group >= 0)
			err = addresses_add(r->addresses, i, r->nodes[i].group, h);
	}
	err = err ? err : addresses_settle(r->addresses);
	at = err ? NULL : calloc(most + 1, sizeof(*at));
	if (!at)
		return err ?: -ENOMEM;
	n = ends_gather(r, at);
	ends_meet(at, n);
	for (size_t i = 0, end; i < n; i = end) {
		end = run_end(k, i, n, at[k].node == at[i].node);
		ends_sum(at + i, end - i, node_ends(r, at[i].node, 0));
	}
	free(at);
	return 0;
}

/* ---- values and cells --------------------------------------------------------------------------- */

/* The disk of this name; `hint` is looked at first. */
static const struct interval_disk *find_disk(const struct interval *h, const char *name,
					     size_t hint)
{
	if (h && hint < h->n_disks && !strcmp(h->disks[hint].name, name))
		return &h->disks[hint];
	return interval_find_disk(h, name);
}

/* Disks of a server, most often in the same order in all its intervals. */
static void find_disks(struct robust *r, struct node *n)
{
	for (size_t i = 0; i < n->n_disks; i++) {
		struct disk *d = &r->disks[n->disks[i]];

		for (unsigned int b = 0; b < WINDOW_INTERVALS; b++)
			d->at[b] = find_disk(node_interval(r, d->node, b), d->name, i);
		d->acc = d->at[0] ? d->at[0]->acc : NULL;
	}
}

static int take_node(struct robust *r, size_t i)
{
	struct node *n = &r->nodes[i];
	const struct interval *newest = node_interval(r, i, 0);
	int err = 0;

	n->lone = (struct lone){0};
	for (unsigned int b = 0; b < WINDOW_INTERVALS && !err; b++) {
		const struct interval *h = node_interval(r, i, b);

		if (h)
			err = talkers_add(r->talkers, i, n->group, h);
	}
	n->present = newest && newest->seconds >= MIN_SHARE * r->p.interval_s;
	find_disks(r, n);
	return err;
}

/* Once it is known who talks to whom, and whose the addresses of servers are: what they tell each other is the file system's. */
static void sum_lone(const struct robust *r, size_t i)
{
	struct node *n = &r->nodes[i];
	const struct interval *h = node_interval(r, i, 0);

	for (size_t k = 0; h && k < h->n_remotes; k++) {
		const struct interval_remote *x = &h->remotes[k];

		if (!talkers_lone(r->talkers, i, n->group, x) ||
		    addresses_owner(r->addresses, n->group, x->addr) != SIZE_MAX)
			continue;
		n->lone.rx_kb += x->rx_kb;
		n->lone.tx_kb += x->tx_kb;
	}
}

static int put_cells(struct robust *r, struct disk *d)
{
	int err = 0;

	for (size_t k = 0; k < LATENCIES && !err; k++) {
		size_t typical = r->typical.n, means = r->means.n;

		if (r->nodes[d->node].present)
			err = value_cells(&value_latencies[k], d->at, 1, &r->typical, &r->means);
		d->typical[k] = (struct some){typical, r->typical.n - typical};
		d->means[k] = (struct some){means, r->means.n - means};
	}
	return err;
}

int window_sums(struct robust *r)
{
	int err = 0;

	talkers_clear(r->talkers);
	r->typical.n = r->means.n = 0;
	for (size_t i = 0; i < r->n_nodes && !err; i++)
		err = take_node(r, i);
	err = err ? err : between_servers(r);
	for (size_t i = 0; i < r->n_nodes && !err; i++)
		sum_lone(r, i);
	for (size_t i = 0; i < r->n_disks && !err; i++)
		err = put_cells(r, &r->disks[i]);
	return err;
}

static void add_interval(struct interval *to, const struct interval *h, const struct both_ends *e)
{
	static const enum node_acc accs[] = {NA_RETRANS, NA_DATA_OUT, NA_OOO, NA_DATA_IN};
	const double more[] = {e->retrans, e->data_out, e->ooo, e->data_in};

	for (size_t i = 0; i < sizeof(accs) / sizeof(*accs); i++) {
		struct acc *a = &to->acc[accs[i]];

		a->sum += fmax(0, h->acc[accs[i]].sum + more[i]);
		a->n += h->acc[accs[i]].n;
	}
}

/* A count less two standard deviations: of few segments one or two are lost by chance, and that is as many per cent. The root
 * of a count has a deviation of a half, whatever the count. */
static void less_chance(struct acc *a)
{
	double root = sqrt(a->sum) - 1;

	a->sum = root > 0 ? root * root : 0;
}

/*
 * What both ends of a server's links saw, in the newest interval. Where so much is lost that hardly anything is sent, the window:
 * of four intervals with ten segments each none tells.
 */
static struct interval with_ends(const struct robust *r, size_t node, enum signal s,
				 unsigned int *intervals)
{
	enum node_acc of = s == SIG_RETRANS ? NA_DATA_OUT : NA_DATA_IN;
	struct interval x = {0};

	*intervals = 0;
	for (unsigned int b = 0; b < WINDOW_INTERVALS; b++) {
		const struct interval *h = node_interval(r, node, b);
		const struct both_ends *e = node_ends(r, node, b);

		if (!h || (b && !e->any) || x.acc[of].sum >= SEGMENTS_MIN)
			continue;
		add_interval(&x, h, e);
		++*intervals;
	}
	if (*intervals > 1) {
		less_chance(&x.acc[NA_RETRANS]);
		less_chance(&x.acc[NA_OOO]);
	}
	return x;
}

/* What a number of a server is of: its newest interval, or what both ends saw, in *room; of so many intervals. NULL: none. */
static const struct interval *number_interval(const struct robust *r, enum signal s, size_t node,
					      struct interval *room, unsigned int *intervals)
{
	const struct interval *h = node_interval(r, node, 0);

	*intervals = 1;
	if (!h || (s != SIG_RETRANS && s != SIG_OOO))
		return h;
	*room = with_ends(r, node, s, intervals);
	return room;
}

double window_number(const struct robust *r, enum signal s, size_t member)
{
	const struct interval *h;
	unsigned int intervals;
	struct interval ends;

	if (signals[s].level == LEVEL_DISK)
		return value_of_disk(s, r->disks[member].acc);
	h = number_interval(r, s, member, &ends, &intervals);
	return h ? value_of_node(s, h, r->nodes[member].lone) : NAN;
}

/* What one event makes of a number of a server in the newest interval. */
static double window_event(const struct robust *r, enum signal s, size_t node)
{
	unsigned int intervals;
	struct interval ends;
	const struct interval *h = number_interval(r, s, node, &ends, &intervals);

	/* each interval has to have its events */
	return h ? value_event(s, h) * intervals : 0;
}

/* The cells of a latency of a disk in the newest interval, until the next window_sums(). */
static struct cells window_cells(const struct robust *r, enum signal s, size_t disk)
{
	const struct disk *d = &r->disks[disk];

	for (size_t k = 0; k < LATENCIES; k++) {
		struct some typical = d->typical[k], means = d->means[k];

		if (value_latencies[k].signal == s)
			return (struct cells){r->typical.at + typical.first, typical.n};
		if (value_latencies[k].mean == s)
			return (struct cells){r->means.at + means.first, means.n};
	}
	return (struct cells){0};
}

uint64_t window_histogram(const struct robust *r, size_t disk, int op, enum lat_part part,
			  uint64_t at[LAT_BUCKETS])
{
	memset(at, 0, LAT_BUCKETS * sizeof(*at));
	return value_histogram(r->disks[disk].at, WINDOW_INTERVALS, op, part, at);
}

/* ---- roles: what disks of one name have in common ----------------------------------------------- */

/*
 * Disks of one model that do different work: where a server has several, the
 * one with the system or the journal on it may be slower at any load than those
 * with data, on all servers alike. That is what a disk of this name is for, and
 * no fault.
 */

/* A member that was compared. */
struct named_member {
	const char *name;
	bool several; /* disks has its server */
	size_t member;
	double d;
};

COMPARISON(by_name, struct named_member, strcmp(a->name, b->name) ?: ORDER(a->d, b->d))

/* What it is worse by than half of those of its name on other servers; they are
 * in order of d. The lower of two middle ones, so that of three bad disks of
 * one name two are still seen. */
static double role_common(const struct named_member *at, size_t n, size_t own)
{
	size_t middle = (n - 2) / 2;

	return fmax(0, at[middle + (middle >= own)].d);
}

/* The peers' value that is shown is then that of their like. */
static void role_take_off(const struct peerset *set, struct compared *c, double by)
{
	double k = signals[set->signal].kind == KIND_NUMBER ? signals[set->signal].c : 0;

	c->d -= by;
	c->peers = (c->peers + k) * exp(by) - k;
}

/* Takes off each disk's d what disks of its name on other servers have in common. 0 or -ENOMEM. */
static int roles_apply(const struct robust *r, const struct peerset *set, struct compared *c)
{
	struct named_member *at;
	size_t n = 0;

	if (signals[set->signal].level != LEVEL_DISK || set->class == ANY_CLASS)
		return 0;
	at = calloc(set->panel.n + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (size_t m = 0; m < set->panel.n; m++) {
		const struct disk *d = &r->disks[set->panel.members[m].number];

		if (isnan(c[m].d))
			continue;
		at[n++] = (struct named_member){d->name, r->nodes[d->node].n_disks > 1, m, c[m].d};
	}
	sort(at, n, by_name);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && !strcmp(at[end].name, at[first].name);)
			end++;
		if (end - first < 3) /* two of one name are no role */
			continue;
		for (size_t i = first; i < end; i++)
			if (at[i].several)
				role_take_off(set, &c[at[i].member],
					      role_common(at + first, end - first, i - first));
	}
	free(at);
	return 0;
}

/* ---- the newest interval of one panel ----------------------------------------------------------- */

#define EVENTS_S 30 /* signal_row.events are of so long a time */

static double floor_of(const struct robust *r, const struct peerset *set, size_t member)
{
	const struct signal_row *row = &signals[set->signal];

	if (row->level == LEVEL_DISK && r->disks[member].flash && row->floor_flash > 0)
		return row->floor_flash;
	if (row->events > 0 && row->level == LEVEL_NODE)
		return fmax(row->floor, row->events * r->p.interval_s / EVENTS_S *
						window_event(r, set->signal, member));
	return row->floor;
}

/* What each member showed against the others. */
static int compare_set(const struct robust *r, const struct peerset *set, struct compared *out)
{
	static const struct compare_opts o = {.events = CELL_EVENTS, .peers = CELL_PEERS};
	bool latency = signals[set->signal].kind == KIND_LATENCY;
	const struct panel *p = &set->panel;
	struct cells *e = calloc(p->n + 1, sizeof(*e));
	double *x = calloc(p->n + 1, sizeof(*x));
	int err = -ENOMEM;

	for (size_t m = 0; m < p->n && e && x; m++) {
		size_t member = p->members[m].number;
		bool here = r->nodes[p->members[m].node].present;

		x[m] = NAN;
		if (here && latency)
			e[m] = window_cells(r, set->signal, member);
		else if (here)
			x[m] = window_number(r, set->signal, member);
	}
	if (e && x)
		err = latency ? compare_cells(e, p->n, &o, out)
			      : compare_numbers(x, p->n, signals[set->signal].c, out);
	free(e);
	free(x);
	return err;
}

/* Whether it is worse by more than is worth a word. */
static bool exceeds(const struct robust *r, const struct peerset *set, size_t m,
		    const struct compared *c)
{
	const struct signal_row *row = &signals[set->signal];

	/* the peers must do something, for their being idle is no standard */
	if (row->peers_min > 0)
		return signal_shown(row, c->peers) > row->peers_min;
	return c->value - c->peers > floor_of(r, set, set->panel.members[m].number);
}

/* Cells of loads at most an octave apart: what is not known of the effect of that, ln. As much as the slope of
 * latency over load is unknown (a half, of slopes between 0 and 1) by the middle of an octave. */
#define NEAREST_DOUBT 0.17

/*
 * Of three, each is held against the middle between two others, and one that is slow moves that for both: the slow
 * one is up by its difference and the others are down by half of it, which is half as much again as they differ.
 */
#define AMONG_THREE (2.0 / 3)

/*
 * From what was compared to residuals. A mean of few requests is less sure than its peers' by what few requests
 * are.
 */
static int residuals(struct robust *r, const struct peerset *set, const struct compared *c)
{
	size_t n = 0, members = set->panel.n;
	double *weight = calloc(members + 1, sizeof(*weight)), variance = 0, all = 0, usual;
	struct panel_values *v = &r->values;

	if (!weight)
		return -ENOMEM;
	for (size_t m = 0; m < members; m++) {
		if (!isfinite(c[m].d))
			continue;
		weight[n++] = c[m].weight;
		variance += c[m].weight * c[m].variance;
		all += c[m].weight;
	}
	usual = n ? stats_quantile(weight, n, 0.5) : NAN;
	free(weight);
	for (size_t m = 0; m < members; m++) {
		double more = variance / all * (1 / c[m].weight - 1 / usual);

		v->shown[m] =
			(struct track_values){c[m].value, c[m].peers, c[m].n_peers, c[m].alone};
		v->d[m] = c[m].d;
		if (!isfinite(c[m].d))
			continue;
		v->in[m].r = n == 3 ? AMONG_THREE * c[m].d : c[m].d;
		v->in[m].extra = more > 0 ? more : 0;
		v->in[m].doubt = c[m].in == IN_NEAREST ? NEAREST_DOUBT : 0;
		v->small[m] = !exceeds(r, set, m, &c[m]);
	}
	return 0;
}

static int on_observation(void *arg, const struct panel *p, const struct observation *o)
{
	struct robust *r = arg;

	if (r->observe)
		r->observe(r->observe_arg, o);
	if (r->history)
		meanwhile_add(r->history, o->node, o->signal,
			      &(struct track_point){o->from_ns, o->d,
						    signal_shown(p->o.row, o->value),
						    signal_shown(p->o.row, o->peers)});
	return r->p.explain ? panel_explain(&r->explained, p, o) : 0;
}

/*
 * Across models only what models differ by is compared: what a disk is slower than its own model is its own trouble,
 * and in the spread of the slow model it would hide that. (Of a panel that is filled later: as of the interval before.)
 */
static int take_own_trouble_off(const struct robust *r, const struct peerset *set,
				struct compared *c)
{
	double *own = calloc(r->n_disks + 1, sizeof(*own));

	if (!own)
		return -ENOMEM;
	for (size_t k = 0; k < r->n_sets; k++) {
		const struct peerset *model = &r->sets[k];
		const struct panel *p = &model->panel;

		if (model->signal != set->signal || model->group != set->group ||
		    model->class == ANY_CLASS)
			continue;
		for (size_t m = 0; m < p->n; m++)
			if (!p->track.at[m].unjudged && p->track.at[m].r > 0)
				own[p->members[m].number] = p->track.at[m].r;
	}
	for (size_t m = 0; m < set->panel.n; m++)
		c[m].d -= own[set->panel.members[m].number];
	free(own);
	return 0;
}

static int values_of_signal(struct robust *r, struct peerset *set, int64_t from_ns, int64_t to_ns)
{
	struct compared *c = calloc(set->panel.n + 1, sizeof(*c));
	int err = c ? compare_set(r, set, c) : -ENOMEM;

	err = err ?: fleet_update(r, set, c, from_ns, to_ns) ?: roles_apply(r, set, c);
	if (!err && set->class == ANY_CLASS && r->n_classes > 1)
		err = take_own_trouble_off(r, set, c);
	err = err ?: residuals(r, set, c);
	free(c);
	return err;
}

int set_fill(struct robust *r, struct peerset *set, int64_t from_ns, int64_t to_ns)
{
	int err = panel_values_begin(&r->values, set->panel.n);

	robust_enter(r, STAGE_COMPARE);
	err = err
		      ?: signals[set->signal].kind == KIND_TOGETHER
			 ? together_values(r, set)
			 : values_of_signal(r, set, from_ns, to_ns);
	robust_enter(r, STAGE_EVIDENCE);
	return err ?: panel_push(&set->panel, &r->values, from_ns, to_ns, on_observation, r);
}
