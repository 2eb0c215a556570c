// SPDX-License-Identifier: BSD-2-Clause
/*
 * The newest interval: for each server and disk its values and the cells of its latencies, made once for all
 * that looks at them; and the window now held, where a distribution is shown.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "inside.h"

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

		for (unsigned int b = 0; b < r->p.window_intervals; b++)
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
	for (unsigned int b = 0; b < r->p.window_intervals && !err; b++) {
		const struct interval *h = node_interval(r, i, b);

		if (h)
			err = talkers_add(r->talkers, i, n->group, h);
	}
	n->present = newest && newest->seconds >= r->p.min_share * r->p.interval_s;
	find_disks(r, n);
	return err;
}

/* Once it is known who talks to whom. */
static void sum_lone(const struct robust *r, size_t i)
{
	struct node *n = &r->nodes[i];
	const struct interval *h = node_interval(r, i, 0);

	for (size_t k = 0; h && k < h->n_remotes; k++) {
		const struct interval_remote *x = &h->remotes[k];

		if (!talkers_lone(r->talkers, i, n->group, x))
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
	for (size_t i = 0; i < r->n_nodes && !err; i++)
		sum_lone(r, i);
	err = err ? err : between_servers(r);
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
	for (unsigned int b = 0; b < r->p.window_intervals; b++) {
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

double window_number(const struct robust *r, enum signal s, size_t member)
{
	const struct interval *h;
	unsigned int intervals;
	struct interval ends;

	if (signals[s].level == LEVEL_DISK)
		return value_of_disk(s, r->disks[member].acc);
	h = node_interval(r, member, 0);
	if (!h)
		return NAN;
	if (s != SIG_RETRANS && s != SIG_OOO)
		return value_of_node(s, h, r->nodes[member].lone);
	ends = with_ends(r, member, s, &intervals);
	return value_of_node(s, &ends, r->nodes[member].lone);
}

double window_event(const struct robust *r, enum signal s, size_t node)
{
	const struct interval *h = node_interval(r, node, 0);
	unsigned int intervals;
	struct interval ends;

	if (!h)
		return 0;
	if (s != SIG_RETRANS && s != SIG_OOO)
		return value_event(s, h);
	ends = with_ends(r, node, s, &intervals);
	/* each interval has to have its events */
	return value_event(s, &ends) * intervals;
}

struct cells window_cells(const struct robust *r, enum signal s, size_t disk)
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
	return value_histogram(r->disks[disk].at, r->p.window_intervals, op, part, at);
}
