// SPDX-License-Identifier: BSD-2-Clause
/* One interval, one signal: each entity against the median of its peers, in cells of equal work. */
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

enum { NEAR = 2 };     /* half octaves to the nearest cell, at most */
#define NO_MORE 1.4142 /* times the peers' events: within half an octave is as much to do */

/* All that have enough events in one cell. */
struct pool {
	uint32_t id;
	size_t first, m; /* in pools.ln_q and pools.n */
	double enough;	 /* peers; of the class */
};

struct pools {
	struct pool *at; /* ascending id */
	size_t count;
	struct pool *classes; /* ascending id; only how many entities are at work in each */
	size_t n_classes;
	double *ln_q, *n; /* ascending within a pool */
};

/* One d_ic. */
struct cell_difference {
	double d, weight, ln_q, peers, variance;
	double usual; /* events of the peers' median there */
	uint32_t id;
	unsigned int n_peers;
};

static const struct compared nothing = {
	.d = NAN, .value = NAN, .peers = NAN, .variance = NAN, .in = IN_NONE};

static bool usable(const struct cell *c, const struct compare_opts *o)
{
	return c->n > 0 && c->n >= o->events && isfinite(c->n) && isfinite(c->ln_q);
}

static bool any_load(uint32_t id)
{
	return (id & 0xff) == CELL_ANY;
}

/* Where the pool of this id is, or is to be. Entities have the same cells, by and large: it is most often
 * the one after the last, `hint`. */
static size_t pool_place(const struct pool *at, size_t n, uint32_t id, size_t hint)
{
	return hint < n && at[hint].id == id ? hint : search_first(i, n, at[i].id < id);
}

/* One more in the pool of this id; *place: where the last one was counted. */
static int count_one(struct pool **at, size_t *n, uint32_t id, size_t *place)
{
	*place = pool_place(*at, *n, id, *place + 1);
	if (*place == *n || (*at)[*place].id != id) {
		if (!array_insert(at, n, *place))
			return -ENOMEM;
		(*at)[*place].id = id;
	}
	(*at)[*place].m++;
	return 0;
}

/* Which cells and classes there are, and how many are in each. */
static int count_all(struct pools *p, const struct cells *e, size_t n, const struct compare_opts *o)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		size_t at = SIZE_MAX, class_at = SIZE_MAX;
		int64_t class = -1;

		for (size_t k = 0; k < e[i].n && !err; k++) {
			const struct cell *c = &e[i].at[k];

			if (c->n > 0 && class != (int64_t)(c->id >> 8)) {
				class = (int64_t)(c->id >> 8);
				err = count_one(&p->classes, &p->n_classes, c->id >> 8, &class_at);
			}
			if (!err && usable(c, o))
				err = count_one(&p->at, &p->count, c->id, &at);
		}
	}
	return err;
}

static void pools_release(struct pools *p)
{
	free(p->at);
	free(p->classes);
	free(p->ln_q);
	free(p->n);
}

static int pools_init(struct pools *p, const struct cells *e, size_t n, size_t total,
		      const struct compare_opts *o)
{
	size_t first = 0, class = 0;

	p->ln_q = malloc((total + 1) * sizeof(*p->ln_q));
	p->n = malloc((total + 1) * sizeof(*p->n));
	if (!p->ln_q || !p->n || count_all(p, e, n, o))
		return -ENOMEM;
	for (size_t k = 0; k < p->count; k++) {
		struct pool *pool = &p->at[k];

		while (p->classes[class].id < pool->id >> 8)
			class ++;
		pool->first = first;
		first += pool->m;
		pool->m = 0;
		pool->enough = fmax(2, fmin(o->peers, (double)p->classes[class].m - 1));
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0, at = SIZE_MAX; k < e[i].n; k++) {
			const struct cell *c = &e[i].at[k];
			struct pool *pool;

			if (!usable(c, o))
				continue;
			at = pool_place(p->at, p->count, c->id, at + 1);
			pool = &p->at[at];
			p->ln_q[pool->first + pool->m] = c->ln_q;
			p->n[pool->first + pool->m++] = c->n;
		}
	for (size_t k = 0; k < p->count; k++) {
		stats_sort(p->ln_q + p->at[k].first, p->at[k].m);
		stats_sort(p->n + p->at[k].first, p->at[k].m);
	}
	return 0;
}

static const struct pool *find_pool(const struct pools *p, uint32_t id)
{
	size_t at = pool_place(p->at, p->count, id, SIZE_MAX);

	return at < p->count && p->at[at].id == id ? &p->at[at] : NULL;
}

/* The entity's own cell of that id, if it is in the pool of it. */
static const struct cell *own_cell(const struct cells *e, uint32_t id, const struct compare_opts *o)
{
	for (size_t k = 0; k < e->n; k++)
		if (e->at[k].id == id)
			return usable(&e->at[k], o) ? &e->at[k] : NULL;
	return NULL;
}

/* Cell c against its peers in the pool of `id`: false if they are not enough. */
static bool against(const struct pools *p, const struct cells *e, const struct cell *c, uint32_t id,
		    const struct compare_opts *o, struct cell_difference *out)
{
	const struct pool *pool = find_pool(p, id);
	const struct cell *own;
	size_t peers;
	double n;

	if (!pool)
		return false;
	own = id == c->id ? c : own_cell(e, id, o);
	peers = pool->m - (own ? 1 : 0);
	if ((double)peers < pool->enough)
		return false;
	if (own) {
		out->peers = stats_peers_median(p->ln_q + pool->first, pool->m, own->ln_q);
		n = stats_peers_median(p->n + pool->first, pool->m, own->n);
	} else {
		out->peers = stats_sorted_median(p->ln_q + pool->first, pool->m);
		n = stats_sorted_median(p->n + pool->first, pool->m);
	}
	out->d = c->ln_q - out->peers;
	out->ln_q = c->ln_q;
	out->variance = c->variance;
	out->weight = fmin(c->n, n);
	out->usual = n;
	out->id = c->id;
	out->n_peers = (unsigned int)peers;
	return true;
}

/* The nearest cell of the class with enough peers. Of two as near, the one whose peers are slower:
 * only worse counts, so the doubt is the entity's. */
static bool nearest(const struct pools *p, const struct cells *e, const struct cell *c,
		    const struct compare_opts *o, struct cell_difference *out)
{
	uint32_t load = c->id & 0xff;

	for (uint32_t far = 1; far <= NEAR; far++) {
		struct cell_difference low, high;
		bool has_low = load >= far && against(p, e, c, c->id - far, o, &low);
		bool has_high = load + far < CELL_ANY && against(p, e, c, c->id + far, o, &high);

		if (!has_low && !has_high)
			continue;
		*out = !has_high || (has_low && low.d <= high.d) ? low : high;
		return true;
	}
	return false;
}

/*
 * All loads of a class together: if a cell found no peers, or no cell had events enough; and only for an
 * entity that has no more to do than its peers. More work makes nothing quicker, so one that is slower with less
 * is slower at equal work, too; with more, it is not known [D]. Weighted by the events that have not been
 * compared in cells, so that none counts twice.
 */
static bool all_loads(const struct pools *p, const struct cells *e, const struct cell *c,
		      double done, const struct compare_opts *o, struct cell_difference *out)
{
	if (!usable(c, o) || !(c->n > done) || !against(p, e, c, c->id, o, out) ||
	    c->n > NO_MORE * out->usual)
		return false;
	out->weight = fmin(out->weight, c->n - done);
	return true;
}

static size_t parts_of(const struct pools *p, const struct cells *e, const struct compare_opts *o,
		       struct cell_difference *parts, enum compared_in *in)
{
	size_t count = 0, in_class = 0;
	bool lonely = false;
	double done = 0;

	*in = IN_SHARED;
	for (size_t k = 0; k < e->n; k++) {
		const struct cell *c = &e->at[k];
		enum compared_in how = IN_NONE;

		if (!k || c->id >> 8 != e->at[k - 1].id >> 8) {
			in_class = 0;
			lonely = false;
			done = 0;
		}
		if (any_load(c->id)) {
			if ((lonely || !in_class) && all_loads(p, e, c, done, o, &parts[count]))
				how = IN_ANY;
		} else if (usable(c, o)) {
			if (against(p, e, c, c->id, o, &parts[count]))
				how = IN_SHARED;
			else if (nearest(p, e, c, o, &parts[count]))
				how = IN_NEAREST;
			else
				lonely = true;
		}
		if (how == IN_NONE)
			continue;
		*in = how > *in ? how : *in;
		done += c->n;
		in_class++;
		count++;
	}
	return count;
}

/* The weighted mean; where the cells' values differ, value and peers are geometric means likewise. */
static struct compared weighted_mean(const struct cell_difference *parts, size_t count)
{
	struct compared out = nothing;
	double total = 0, d = 0, own = 0, peers = 0, variance = 0, most = -1;

	for (size_t i = 0; i < count; i++) {
		const struct cell_difference *x = &parts[i];

		total += x->weight;
		d += x->weight * x->d;
		own += x->weight * x->ln_q;
		peers += x->weight * x->peers;
		variance += x->weight * x->variance;
		if (x->weight <= most)
			continue;
		most = x->weight;
		out.id = x->id;
		out.n_peers = x->n_peers;
	}
	out.d = d / total;
	out.value = exp(own / total);
	out.peers = exp(peers / total);
	out.variance = variance / total;
	out.weight = total;
	out.cells = (unsigned int)count;
	return out;
}

static bool has_events(const struct cells *e, const struct compare_opts *o)
{
	return any_of(k, e->n, usable(&e->at[k], o));
}

/* Those that could not be compared although others were as busy. */
static void mark_alone(const struct cells *e, size_t n, const struct compare_opts *o,
		       struct compared *out)
{
	size_t busy = 0;

	for (size_t i = 0; i < n; i++) {
		out[i].alone = has_events(&e[i], o);
		busy += out[i].alone;
	}
	for (size_t i = 0; i < n; i++)
		out[i].alone = out[i].alone && busy >= 3 && out[i].in == IN_NONE;
}

int compare_cells(const struct cells *e, size_t n, const struct compare_opts *o,
		  struct compared *out)
{
	struct pools p = {0};
	struct cell_difference *parts;
	size_t total = 0, most = 0;
	int err;

	for (size_t i = 0; i < n; i++) {
		out[i] = nothing;
		total += e[i].n;
		most = e[i].n > most ? e[i].n : most;
	}
	parts = calloc(most + 1, sizeof(*parts));
	err = parts ? pools_init(&p, e, n, total, o) : -ENOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		enum compared_in in;
		size_t count = parts_of(&p, &e[i], o, parts, &in);

		if (count) {
			out[i] = weighted_mean(parts, count);
			out[i].in = in;
		}
	}
	if (!err)
		mark_alone(e, n, o, out);
	pools_release(&p);
	free(parts);
	return err;
}
