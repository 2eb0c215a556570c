// SPDX-License-Identifier: BSD-2-Clause
/* One window, one signal: each entity against the median of its peers, in cells of equal work. */
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"

enum { NEAR = 2 }; /* half octaves to the nearest cell, at most */

/* One entity's cell with enough events, while the pools are made. */
struct entry {
	uint32_t id;
	double ln_q, n;
};

/* All that have enough events in one cell, or are at work in one class. */
struct pool {
	uint32_t id;
	size_t first, m; /* in pools.ln_q and pools.n */
	double enough;	 /* peers; of the class */
};

struct pools {
	struct pool *at; /* ascending id */
	size_t count;
	double *ln_q, *n; /* ascending within a pool */
};

/* One d_ic. */
struct part {
	double d, weight, ln_q, peers;
	uint32_t id;
	unsigned int n_peers;
};

static const struct compared nothing = {.d = NAN, .value = NAN, .peers = NAN, .in = IN_NONE};

static bool usable(const struct cell *c, const struct compare_opts *o)
{
	return c->n > 0 && c->n >= o->events && isfinite(c->n) && isfinite(c->ln_q);
}

static bool any_load(uint32_t id)
{
	return (id & 0xff) == CELL_ANY;
}

static int by_id_and_quantile(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->ln_q > y->ln_q) - (x->ln_q < y->ln_q);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The classes of all entities, once per entity and class with data, ascending. */
static size_t list_classes(const struct cells *e, size_t n, uint32_t *classes)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t before = count;

		for (size_t k = 0; k < e[i].n; k++) {
			uint32_t class = e[i].at[k].id >> 8;

			if (e[i].at[k].n > 0 && (count == before || classes[count - 1] != class))
				classes[count++] = class;
		}
	}
	qsort(classes, count, sizeof(*classes), by_number);
	return count;
}

/* From sorted entries; the peers that are enough go by how many are at work in the class. */
static void cut_pools(struct pools *p, const struct entry *entries, size_t count,
		      const uint32_t *classes, size_t n_classes, const struct compare_opts *o)
{
	size_t at = 0;

	for (size_t k = 0; k < count; k++) {
		struct pool *pool;

		p->ln_q[k] = entries[k].ln_q;
		p->n[k] = entries[k].n;
		if (p->count && p->at[p->count - 1].id == entries[k].id) {
			p->at[p->count - 1].m++;
			continue;
		}
		pool = p->at + p->count++;
		*pool = (struct pool){.id = entries[k].id, .first = k, .m = 1};
		while (at < n_classes && classes[at] < pool->id >> 8)
			at++;
		for (size_t c = at; c < n_classes && classes[c] == pool->id >> 8; c++)
			pool->enough++;
		pool->enough = fmax(2, fmin(o->peers, pool->enough - 1));
	}
	for (size_t k = 0; k < p->count; k++)
		stats_sort(p->n + p->at[k].first, p->at[k].m);
}

static void pools_release(struct pools *p)
{
	free(p->at);
	free(p->ln_q);
	free(p->n);
}

static int pools_init(struct pools *p, const struct cells *e, size_t n, size_t total,
		      const struct compare_opts *o)
{
	struct entry *entries = calloc(total + 1, sizeof(*entries));
	uint32_t *classes = calloc(total + 1, sizeof(*classes));
	int err = -ENOMEM;
	size_t count = 0;

	p->at = calloc(total + 1, sizeof(*p->at));
	p->ln_q = calloc(total + 1, sizeof(*p->ln_q));
	p->n = calloc(total + 1, sizeof(*p->n));
	if (!entries || !classes || !p->at || !p->ln_q || !p->n)
		goto out;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < e[i].n; k++) {
			const struct cell *c = &e[i].at[k];

			if (usable(c, o))
				entries[count++] = (struct entry){c->id, c->ln_q, c->n};
		}
	qsort(entries, count, sizeof(*entries), by_id_and_quantile);
	cut_pools(p, entries, count, classes, list_classes(e, n, classes), o);
	err = 0;
out:
	free(entries);
	free(classes);
	return err;
}

static const struct pool *find_pool(const struct pools *p, uint32_t id)
{
	size_t lo = 0, hi = p->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->at[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->count && p->at[lo].id == id ? &p->at[lo] : NULL;
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
		    const struct compare_opts *o, struct part *out)
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
	out->weight = fmin(c->n, n);
	out->id = c->id;
	out->n_peers = (unsigned int)peers;
	return true;
}

/* The nearest cell of the class with enough peers. Of two as near, the one whose peers are slower:
 * only worse counts, so the doubt is the entity's. */
static bool nearest(const struct pools *p, const struct cells *e, const struct cell *c,
		    const struct compare_opts *o, struct part *out)
{
	uint32_t load = c->id & 0xff;

	for (uint32_t far = 1; far <= NEAR; far++) {
		struct part low, high;
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
 * All loads of a class together: if a cell found no peers, or no cell had events enough. Weighted by
 * the events that have not been compared in cells, so that none counts twice.
 */
static bool all_loads(const struct pools *p, const struct cells *e, const struct cell *c,
		      double done, const struct compare_opts *o, struct part *out)
{
	if (!usable(c, o) || !(c->n > done) || !against(p, e, c, c->id, o, out))
		return false;
	out->weight = fmin(out->weight, c->n - done);
	return true;
}

static size_t parts_of(const struct pools *p, const struct cells *e, const struct compare_opts *o,
		       struct part *parts, enum compared_in *in)
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

static int by_d(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->d != y->d)
		return x->d < y->d ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Lower weighted median, but the mean of the two if it is exactly between them; permutes. Where two
 * are as near to it, the values shown are of the lesser. */
static struct compared weighted_median(struct part *parts, size_t count)
{
	struct compared out = nothing;
	double total = 0, sum = 0;
	size_t k = 0;

	qsort(parts, count, sizeof(*parts), by_d);
	for (size_t i = 0; i < count; i++)
		total += parts[i].weight;
	while (k + 1 < count && (sum += parts[k].weight) < total / 2)
		k++;
	out.d = parts[k].d;
	if (k + 1 < count && sum == total / 2)
		out.d = 0.5 * (out.d + parts[k + 1].d);
	out.value = exp(parts[k].ln_q);
	out.peers = exp(parts[k].peers);
	out.id = parts[k].id;
	out.n_peers = parts[k].n_peers;
	out.weight = total;
	out.cells = (unsigned int)count;
	return out;
}

int compare_cells(const struct cells *e, size_t n, const struct compare_opts *o,
		  struct compared *out)
{
	struct pools p = {0};
	struct part *parts = NULL;
	size_t total = 0, most = 0;
	int err;

	for (size_t i = 0; i < n; i++) {
		out[i] = nothing;
		total += e[i].n;
		most = e[i].n > most ? e[i].n : most;
	}
	err = pools_init(&p, e, n, total, o);
	if (err)
		goto out;
	err = -ENOMEM;
	parts = calloc(most + 1, sizeof(*parts));
	if (!parts)
		goto out;
	for (size_t i = 0; i < n; i++) {
		enum compared_in in;
		size_t count = parts_of(&p, &e[i], o, parts, &in);

		if (count) {
			out[i] = weighted_median(parts, count);
			out[i].in = in;
		}
	}
	err = 0;
out:
	pools_release(&p);
	free(parts);
	return err;
}
