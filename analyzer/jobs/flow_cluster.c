// SPDX-License-Identifier: BSD-2-Clause
/*
 * job_flow.h: pairs of a map and a reduce, alike ones together. All paths between the two differ in the block that is
 * read or written only, so pairs stand for paths, and are M x R at most. Each has 14 values: logarithms of seconds
 * and bytes of the seven edges, of reads and writes the sums. They are standardised, what is not known is the
 * mean; k-means with a fixed seed makes groups. An outlier is a value further than 4 robust standard deviations from
 * its group's median (thesis, 10.2.3, asks for these).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/kmeans.h"
#include "analyzer/stat/stats.h"
#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

enum {
	STARTS = 8, /* of k-means */
	OUTLIER_Z = 4,
	OUTLIER_OF = 8, /* fewer pairs have no usual value */
};
/* Durations and sizes scatter by a tenth anywhere: what is closer is no outlier, however alike the rest is. */
#define SCATTER_LEAST 0.1

struct flow_pair {
	uint32_t map, reduce, shuffle; /* vertices; shuffle: the edge's place, or UINT32_MAX */
};

/* What belongs to the vertex of each map or reducer: of reads or writes. */
struct vertex_sum {
	double seconds, bytes; /* sums; NaN: none */
	double n;
};

struct pairs {
	struct job_flow *f;
	struct vertex_sum *sides; /* of each vertex */
	size_t *first;		  /* of each vertex: its first edge; n + 1 */
	uint32_t *maps, *reduces; /* vertices: maps; shuffle-waits */
	size_t n_maps, n_reduces;
	struct flow_pair *at;
	size_t n;
	double *x; /* n x FLOW_VALUES: logarithms */
	uint32_t *label;
};

static int index_edges(struct scratch *room, struct pairs *p)
{
	struct job_flow *f = p->f;

	p->first = scratch_array(room, f->n_vertices + 1, sizeof(*p->first));
	p->sides = scratch_array(room, f->n_vertices, sizeof(*p->sides));
	p->maps = scratch_array(room, f->n_vertices, sizeof(*p->maps));
	p->reduces = scratch_array(room, f->n_vertices, sizeof(*p->reduces));
	if (room->failed)
		return -ENOMEM;
	for (size_t e = 0; e < f->n_edges; e++) {
		const struct flow_edge *x = &f->edges[e];
		bool read = f->vertices[x->from].kind == FLOW_READ;
		bool write = f->vertices[x->to].kind == FLOW_WRITE;
		struct vertex_sum *s = &p->sides[read ? x->to : x->from];

		p->first[x->from + 1]++;
		if (!read && !write)
			continue;
		s->seconds += isnan(x->seconds) ? 0 : x->seconds;
		s->bytes += x->bytes < 0 ? 0 : (double)x->bytes;
		s->n++;
	}
	for (uint32_t v = 0; v < f->n_vertices; v++) {
		p->first[v + 1] += p->first[v];
		if (f->vertices[v].kind == FLOW_MAP)
			p->maps[p->n_maps++] = v;
		else if (f->vertices[v].kind == FLOW_SHUFFLE_WAIT)
			p->reduces[p->n_reduces++] = v;
	}
	return 0;
}

/* ---- which pairs ------------------------------------------------------------------------------------------------ */

/* Each STEP-th of all, from the middle of the first: of a sample that is spread evenly none is there twice. */
struct every {
	double step, next;
	size_t seen;
};

static struct every every_of(double all)
{
	double step = fmax(1, all / FLOW_PAIRS);

	return (struct every){.step = step, .next = step > 1 ? step / 2 : 0};
}

static bool is_next(struct every *s)
{
	bool yes = (double)s->seen++ >= floor(s->next);

	if (yes)
		s->next += s->step;
	return yes;
}

/* Where the logs have shuffles: every edge from one to a reduce is a pair. */
static int known_pairs(struct pairs *p)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct job_flow *f = p->f;
	uint32_t *map_of = scratch_array(&room, f->n_vertices, sizeof(*map_of));
	struct every s;
	int err = 0;

	if (!map_of)
		return -ENOMEM;
	for (size_t e = 0; e < f->n_edges; e++) {
		const struct flow_edge *x = &f->edges[e];
		uint8_t kind = f->vertices[x->to].kind;

		if (kind == FLOW_MAP_OUTPUT)
			map_of[x->to] = x->from;
		else if (kind == FLOW_SHUFFLE)
			map_of[x->to] = map_of[x->from];
		f->pairs += kind == FLOW_SHUFFLE_WAIT;
	}
	s = every_of(f->pairs);
	for (uint32_t e = 0; e < f->n_edges && !err; e++) {
		const struct flow_edge *x = &f->edges[e];

		if (f->vertices[x->to].kind == FLOW_SHUFFLE_WAIT && is_next(&s))
			err = array_put(&p->at, &p->n,
					(struct flow_pair){map_of[x->from], x->to, e});
	}
	return err;
}

static int choose_pairs(struct pairs *p)
{
	double all = (double)p->n_maps * (double)p->n_reduces;
	struct every s = every_of(all);
	int err = 0;

	if (!(p->f->missing & FLOW_NO_SHUFFLES))
		return known_pairs(p);
	p->f->pairs = all;
	for (double next = s.next; next < all && !err; next += s.step) {
		size_t i = (size_t)next;

		err = array_put(&p->at, &p->n,
				(struct flow_pair){p->maps[i / p->n_reduces],
						   p->reduces[i % p->n_reduces], UINT32_MAX});
	}
	return err;
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

static double ln(double v)
{
	return v > 0 ? log(v) : NAN;
}

static void from_edge(double *x, size_t stage, const struct flow_edge *e)
{
	x[stage] = e ? ln(e->seconds) : NAN;
	x[FLOW_STAGES + stage] = e ? ln((double)e->bytes) : NAN;
}

static void from_side(double *x, size_t stage, const struct vertex_sum *s)
{
	x[stage] = s ? ln(s->seconds) : NAN;
	x[FLOW_STAGES + stage] = s ? ln(s->bytes) : NAN;
}

/* The first edge of a vertex that ends at one of this kind; NULL: there is none. */
static const struct flow_edge *edge_to(const struct pairs *p, uint32_t v, uint8_t kind)
{
	for (size_t e = p->first[v]; e < p->first[v + 1]; e++)
		if (p->f->vertices[p->f->edges[e].to].kind == kind)
			return &p->f->edges[e];
	return NULL;
}

/* From a reduce's input to its reducer; NULL. */
static const struct flow_edge *edge_to_reducer(const struct pairs *p, const struct flow_pair *a)
{
	const struct flow_edge *wait = edge_to(p, a->reduce, FLOW_REDUCE_INPUT);

	return wait ? edge_to(p, wait->to, FLOW_REDUCER) : NULL;
}

static void pair_values(const struct pairs *p, const struct flow_pair *a, double *x)
{
	const struct flow_edge *shuffle =
		a->shuffle == UINT32_MAX ? NULL : &p->f->edges[a->shuffle];
	const struct flow_edge *reducer = edge_to_reducer(p, a);

	from_side(x, FLOW_READ, &p->sides[a->map]);
	from_edge(x, FLOW_MAP, edge_to(p, a->map, FLOW_MAP_OUTPUT));
	from_edge(x, FLOW_MAP_OUTPUT, shuffle);
	from_edge(x, FLOW_SHUFFLE, shuffle);
	from_edge(x, FLOW_SHUFFLE_WAIT, edge_to(p, a->reduce, FLOW_REDUCE_INPUT));
	from_edge(x, FLOW_REDUCE_INPUT, reducer);
	from_side(x, FLOW_REDUCER, reducer ? &p->sides[reducer->to] : NULL);
}

/* Of a column: mean 0, standard deviation 1, what is not known 0. */
static void standardise(const double *x, double *z, size_t n, size_t c)
{
	double mean = 0, square = 0, sd, known = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i * FLOW_VALUES + c])) {
			mean += x[i * FLOW_VALUES + c];
			known++;
		}
	mean /= known > 0 ? known : 1;
	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i * FLOW_VALUES + c]))
			square += pow(x[i * FLOW_VALUES + c] - mean, 2);
	sd = known > 0 ? sqrt(square / known) : 0;
	for (size_t i = 0; i < n; i++) {
		double v = x[i * FLOW_VALUES + c];

		/* rounding makes a scatter of equal values, which is none */
		z[i * FLOW_VALUES + c] = isnan(v) || sd < 1e-9 ? 0 : (v - mean) / sd;
	}
}

/* ---- groups and outliers --------------------------------------------------------------------------------------------- */

/* The values of a group that are known, in `to`; their number. */
static size_t column(const struct pairs *p, uint32_t label, size_t c, double *to)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->label[i] == label && !isnan(p->x[i * FLOW_VALUES + c]))
			to[n++] = p->x[i * FLOW_VALUES + c];
	return n;
}

static int by_whom(const struct flow_outlier *x, const struct flow_outlier *y)
{
	return ORDER(x->value, y->value) ?: ORDER(x->map, y->map) ?: ORDER(x->reduce, y->reduce);
}

COMPARISON(by_whom_and_z, struct flow_outlier, by_whom(a, b) ?: ORDER(fabs(b->z), fabs(a->z)))

COMPARISON(by_z, struct flow_outlier, ORDER(fabs(b->z), fabs(a->z)) ?: by_whom(a, b))

/* A value belongs to the map, to the reduce, or to both. */
static struct flow_outlier outlier(const struct pairs *p, const struct flow_pair *a, size_t c)
{
	const struct flow_vertex *v = p->f->vertices;
	size_t stage = c % FLOW_STAGES;
	bool map = stage <= FLOW_SHUFFLE, reduce = stage >= FLOW_MAP_OUTPUT;

	return (struct flow_outlier){.map = map ? v[a->map].task : STATE_NONE,
				     .reduce = reduce ? v[a->reduce].task : STATE_NONE,
				     .value = (uint8_t)c};
}

static int find_outliers(struct pairs *p, uint32_t label, size_t c, double *work)
{
	struct job_flow *f = p->f;
	size_t n = column(p, label, c, work);
	double median, scatter;

	/* transfers are there twice: to the shuffle and from it */
	if (n < OUTLIER_OF || c % FLOW_STAGES == FLOW_SHUFFLE)
		return 0;
	median = stats_quantile(work, n, 0.5);
	for (size_t i = 0; i < n; i++)
		work[i] = fabs(work[i] - median);
	/* 1.4826: of a normal distribution the deviation's median is so much less than the standard deviation */
	scatter = fmax(1.4826 * stats_quantile(work, n, 0.5), SCATTER_LEAST);
	for (size_t i = 0; i < p->n; i++) {
		double v = p->x[i * FLOW_VALUES + c], z = (v - median) / scatter;
		struct flow_outlier o = outlier(p, &p->at[i], c);

		if (p->label[i] != label || isnan(v) || fabs(z) < OUTLIER_Z)
			continue;
		o.is = exp(v);
		o.usual = exp(median);
		o.z = z;
		if (array_put(&f->outliers, &f->n_outliers, o))
			return -ENOMEM;
	}
	return 0;
}

/* Each once: a slow map is in as many pairs as there are reduces. */
static void keep_outliers(struct job_flow *f)
{
	size_t kept;

	sort(f->outliers, f->n_outliers, by_whom_and_z);
	kept = keep_first(f->outliers, f->n_outliers, by_whom);
	sort(f->outliers, kept, by_z);
	f->n_outliers = kept < FLOW_OUTLIERS ? kept : FLOW_OUTLIERS;
	f->more_outliers = kept - f->n_outliers;
}

COMPARISON(by_paths, struct flow_cluster,
	   ORDER(b->paths, a->paths) ?: ORDER(b->seconds[FLOW_MAP], a->seconds[FLOW_MAP]))

static int tell_clusters(struct pairs *p, size_t k)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct job_flow *f = p->f;
	double *work = scratch_array(&room, p->n, sizeof(*work));
	int err = 0;

	if (!work)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++) {
		const struct flow_edge *reducer = edge_to_reducer(p, &p->at[i]);
		double writes = reducer ? p->sides[reducer->to].n : 0;
		struct flow_cluster *c = &f->clusters[p->label[i]];

		c->pairs++;
		c->paths += fmax(p->sides[p->at[i].map].n, 1) * fmax(writes, 1);
	}
	for (uint32_t l = 0; l < k && !err; l++) {
		f->clusters[l].paths *= f->pairs / (double)p->n;
		for (size_t c = 0; c < FLOW_VALUES && !err; c++) {
			size_t n = column(p, l, c, work);
			double v = exp(stats_quantile(work, n, 0.5));

			if (c < FLOW_STAGES)
				f->clusters[l].seconds[c] = v;
			else
				f->clusters[l].bytes[c - FLOW_STAGES] = v;
			err = find_outliers(p, l, c, work);
		}
	}
	f->n_clusters = k;
	sort(f->clusters, k, by_paths);
	return err;
}

/* The best of some starts, which k-means depends on: labels of z's rows, and how many groups. -ENOMEM. */
static int best_groups(const double *z, size_t n, uint32_t *label, size_t *groups)
{
	double centre[FLOW_CLUSTERS * FLOW_VALUES], best = INFINITY;
	struct scratch room SCRATCH_SCOPED = {0};
	uint32_t *tried = scratch_array(&room, n, sizeof(*tried));
	struct rng rng;

	*groups = 0;
	if (!tried)
		return -ENOMEM;
	rng_seed(&rng, 1); /* the same job, the same groups */
	for (size_t i = 0; i < STARTS; i++) {
		size_t k = kmeans_start_apart(z, n, FLOW_VALUES, FLOW_CLUSTERS, &rng, centre);
		double distortion;

		kmeans(z, n, FLOW_VALUES, k, centre, tried);
		distortion = kmeans_distortion(z, n, FLOW_VALUES, centre, tried);
		if (!(distortion < best))
			continue;
		best = distortion;
		*groups = k;
		memcpy(label, tried, n * sizeof(*label));
	}
	return 0;
}

static int make_clusters(struct scratch *room, struct pairs *p)
{
	struct scratch own SCRATCH_SCOPED = {0};
	double *z = scratch_array(&own, p->n * FLOW_VALUES, sizeof(*z));
	size_t k;
	int err;

	p->x = scratch_array(room, p->n * FLOW_VALUES, sizeof(*p->x));
	p->label = scratch_array(room, p->n, sizeof(*p->label));
	if (!z || room->failed)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		pair_values(p, &p->at[i], p->x + i * FLOW_VALUES);
	for (size_t c = 0; c < FLOW_VALUES; c++)
		standardise(p->x, z, p->n, c);
	err = best_groups(z, p->n, p->label, &k);
	scratch_release(&own);
	return err ? err : tell_clusters(p, k);
}

int flow_cluster_pairs(struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct pairs p = {.f = f};
	int err = index_edges(&room, &p);

	err = err ? err : choose_pairs(&p);
	f->sampled = p.n;
	if (!err && p.n)
		err = make_clusters(&room, &p);
	keep_outliers(f);
	free(p.at);
	return err;
}
