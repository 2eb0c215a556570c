/* SPDX-License-Identifier: BSD-2-Clause */
/* Servers with a disk each, made by hand, for tests of what the engine finds. Latencies are drawn with fixed seeds. */
#ifndef LIMPET_ROBUST_DISKS_H
#define LIMPET_ROBUST_DISKS_H

#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/engine/robust.h"
#include "analyzer/stat/rng.h"

enum { NODES = 8, READS = 100 }; /* a second */
#define T0_NS  1700000000000000000LL
#define SEC_NS 1000000000LL

/* What a server is like in one interval. */
struct like {
	double slow; /* its latencies times this */
	double load; /* its operations times this */
	bool silent, nothing, nan;
};

struct fleet_box {
	struct robust *r;
	struct rng rng;
	size_t n;
	unsigned int interval_s;
	int64_t now;
	struct like like[NODES];
	struct interval intervals[NODES];
	struct verdict a;
};

static inline void put_latency(struct interval_disk *d, struct rng *g, double count, double rate,
			       double slow, enum lat_part part)
{
	struct interval_lat *l;

	d->lat = realloc(d->lat, (d->n_lat + 1) * sizeof(*d->lat));
	l = &d->lat[d->n_lat++];
	*l = (struct interval_lat){
		.op = OP_READ, .size = 1, .part = (uint8_t)part, .cell = (int8_t)load_cell(rate)};
	l->first = 0;
	l->n = LAT_BUCKETS;
	l->at = calloc(LAT_BUCKETS, sizeof(*l->at));
	for (int i = 0; i < (int)count; i++) {
		double ms = 10 * slow * exp(0.4 * rng_normal(g));

		l->at[bucket_of((uint64_t)(ms * 1e6) >> LAT_SHIFT, LAT_SUB_BITS)]++;
		l->count++;
	}
}

static inline void acc(struct acc *a, double value, double n)
{
	*a = (struct acc){value * n, n};
}

static inline void make_interval(struct fleet_box *b, size_t i)
{
	const struct like *k = &b->like[i];
	struct interval *h = &b->intervals[i];
	double rate = READS * k->load * (1 + 0.05 * rng_normal(&b->rng)), n = b->interval_s;
	struct interval_disk *d;

	interval_release(h);
	if (k->silent)
		return;
	h->seconds = b->interval_s;
	h->from_ns = b->now;
	h->boots = 1;
	h->disks = calloc(1, sizeof(*h->disks));
	h->n_disks = 1;
	d = h->disks;
	strcpy(d->name, "sda");
	if (k->nothing)
		rate = 0;
	if (rate > 0) {
		put_latency(d, &b->rng, rate * n, rate, k->slow, PART_WHOLE);
		put_latency(d, &b->rng, rate * n, rate, k->slow, PART_DEVICE);
	}
	acc(&d->acc[DA_READS], rate, n);
	acc(&d->acc[DA_WRITES], 0, n);
	acc(&d->acc[DA_READ_KB], 64 * rate, n);
	acc(&d->acc[DA_WRITE_KB], 0, n);
	acc(&d->acc[DA_FOREIGN_READ_KB], 0, n);
	acc(&d->acc[DA_FOREIGN_WRITE_KB], 0, n);
	acc(&d->acc[DA_QUEUE], rate * 0.01 * k->slow, n);
	acc(&d->acc[DA_READ_AWAIT], 10 * k->slow * exp(0.08), rate * n);
	acc(&h->acc[NA_IDLE], k->nan ? NAN : 90, n);
	acc(&h->acc[NA_IOWAIT], 2, n);
	acc(&h->acc[NA_FS_RX_KB], 10, n);
	acc(&h->acc[NA_FS_TX_KB], 64 * rate, n);
}

static inline void interval(struct fleet_box *b)
{
	const struct interval *at[NODES];

	for (size_t i = 0; i < b->n; i++) {
		make_interval(b, i);
		at[i] = b->like[i].silent ? NULL : &b->intervals[i];
	}
	assert_int_equal(robust_push(b->r, b->now, at, b->n), 0);
	b->now += b->interval_s * SEC_NS;
}

/* So long, in whole intervals. */
static inline void lasts(struct fleet_box *b, unsigned int seconds)
{
	for (unsigned int s = 0; s < seconds; s += b->interval_s)
		interval(b);
}

/* Seconds since the beginning. */
static inline double since_t0(int64_t ns)
{
	return (double)(ns - T0_NS) / (double)SEC_NS;
}

static inline void setup(struct fleet_box *b, size_t n, uint64_t seed)
{
	struct robust_params p = ROBUST_PARAMS_DEFAULT;
	char name[8];

	*b = (struct fleet_box){.n = n, .interval_s = (unsigned int)p.interval_s, .now = T0_NS};
	rng_seed(&b->rng, seed);
	b->r = robust_new(&p);
	assert_non_null(b->r);
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "s%zu", i);
		assert_int_equal(robust_node(b->r, name, 0), (int)i);
		b->like[i] = (struct like){.slow = 1, .load = 1};
	}
}

static inline const struct verdict *tell(struct fleet_box *b)
{
	verdict_release(&b->a);
	assert_int_equal(robust_verdict(b->r, &b->a), 0);
	return &b->a;
}

static inline void done(struct fleet_box *b)
{
	for (size_t i = 0; i < NODES; i++)
		interval_release(&b->intervals[i]);
	verdict_release(&b->a);
	robust_free(b->r);
}

static inline bool incidents(const struct verdict *a, size_t node)
{
	for (size_t i = 0; i < a->n_incidents; i++)
		if (a->incidents[i].node == node)
			return true;
	return false;
}

static inline bool noticed(const struct verdict *a, enum notice_kind kind, size_t node)
{
	for (size_t i = 0; i < a->n_notices; i++)
		if (a->notices[i].kind == kind && a->notices[i].node == node)
			return true;
	return false;
}

/* Against which somebody has been indicted; suspicions apart. */
static inline size_t indicted(const struct verdict *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_incidents; i++)
		n += a->incidents[i].suspicious == SUSPICION_NONE;
	return n;
}

/* Nobody is indicted, and nobody is suspicious. */
static inline void all_well(const struct verdict *a)
{
	if (a->n_incidents)
		fail_msg("s%zu is %s", a->incidents[0].node,
			 a->incidents[0].suspicious ? "suspicious" : "indicted");
}

#endif
