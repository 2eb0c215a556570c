/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Servers made by hand, the same interval after interval, so that weeks of them are cheap: the same intervals go into two
 * engines, one that forgets and one that does not.
 */
#ifndef LIMPET_ROBUST_BOX_H
#define LIMPET_ROBUST_BOX_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/engine/internal.h"

enum { BOX_NODES = 8 };
enum { BOX_S = 4 };
#define BOX_INTERVAL_NS ((int64_t)BOX_S * 1000000000)
#define BOX_T0		((int64_t)1700000000 * 1000000000)

enum like { HEALTHY, SLOW, FIO, DD, SILENT, LIKES };

struct box {
	struct robust *all, *less; /* less: what forgets */
	size_t n;
	int64_t now;
	int64_t keep_ns; /* `less` forgets this long after the end; 0: never */
	enum like like[BOX_NODES];
	double own[BOX_NODES]; /* latency of a server is this times what it is of others */
	struct interval intervals[BOX_NODES][LIKES];
};

static inline void box_acc(struct acc *a, double value)
{
	*a = (struct acc){value * BOX_S, BOX_S};
}

/* 400 reads around this many ms. */
static inline void box_latency(struct interval_disk *d, double ms, enum lat_part part)
{
	unsigned int mid = bucket_of((uint64_t)(ms * 1e6) >> LAT_SHIFT, LAT_SUB_BITS);
	struct interval_lat *l;

	d->lat = realloc(d->lat, (d->n_lat + 1) * sizeof(*d->lat));
	assert_non_null(d->lat);
	l = &d->lat[d->n_lat++];
	*l = (struct interval_lat){.op = OP_READ,
				   .size = 1,
				   .part = (uint8_t)part,
				   .cell = (int8_t)load_cell(100),
				   .first = (uint16_t)(mid - 2),
				   .n = 5,
				   .count = 400};
	l->at = calloc(l->n, sizeof(*l->at));
	assert_non_null(l->at);
	for (unsigned int i = 0; i < 5; i++)
		l->at[i] = 80;
}

static inline void box_hog(struct interval *h, const char *name, double kb)
{
	h->processes = calloc(1, sizeof(*h->processes));
	assert_non_null(h->processes);
	h->n_processes = 1;
	snprintf(h->processes->name, sizeof(h->processes->name), "%s", name);
	h->processes->read_kb = BOX_S * kb;
	box_acc(&h->disks->acc[DA_FOREIGN_READ_KB], kb);
	box_acc(&h->disks->acc[DA_READ_KB], 6400 + kb);
}

static inline void box_interval(struct interval *h, double own, enum like like)
{
	double slow = own * (like == SLOW ? 3 : like == FIO ? 5 : like == DD ? 3.5 : 1);
	struct interval_disk *d;

	if (like == SILENT)
		return;
	h->seconds = BOX_S;
	h->boots = 1;
	h->disks = d = calloc(1, sizeof(*d));
	assert_non_null(d);
	h->n_disks = 1;
	strcpy(d->name, "sda");
	box_latency(d, 10 * slow, PART_WHOLE);
	box_latency(d, 9 * slow, PART_DEVICE);
	box_acc(&d->acc[DA_READS], 100);
	box_acc(&d->acc[DA_WRITES], 0);
	box_acc(&d->acc[DA_READ_KB], 6400);
	box_acc(&d->acc[DA_WRITE_KB], 0);
	box_acc(&d->acc[DA_FOREIGN_READ_KB], 0);
	box_acc(&d->acc[DA_FOREIGN_WRITE_KB], 0);
	box_acc(&d->acc[DA_QUEUE], slow);
	box_acc(&h->acc[NA_IDLE], 90);
	box_acc(&h->acc[NA_IOWAIT], 2);
	box_acc(&h->acc[NA_FS_RX_KB], 10);
	box_acc(&h->acc[NA_FS_TX_KB], 6400);
	if (like == FIO)
		box_hog(h, "fio:12", 50000);
	if (like == DD)
		box_hog(h, "dd:13", 30000);
}

static inline struct robust *box_engine(size_t n)
{
	struct robust_params p = ROBUST_PARAMS_DEFAULT;
	struct robust *r = robust_new(&p);
	char name[16];

	assert_non_null(r);
	assert_true(p.interval_s == BOX_S);
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "s%zu", i);
		assert_int_equal(robust_node(r, name, 0), (int)i);
	}
	return r;
}

/* own: of each server, NULL: they are alike. */
static inline void box_setup(struct box *b, size_t n, int64_t keep_ns, const double *own)
{
	*b = (struct box){.n = n, .now = BOX_T0, .keep_ns = keep_ns};
	b->all = box_engine(n);
	b->less = box_engine(n);
	for (size_t i = 0; i < n; i++) {
		b->own[i] = own ? own[i] : 1;
		for (int k = 0; k < LIKES; k++)
			box_interval(&b->intervals[i][k], b->own[i], (enum like)k);
	}
}

static inline void box_done(struct box *b)
{
	for (size_t i = 0; i < b->n; i++)
		for (int k = 0; k < LIKES; k++)
			interval_release(&b->intervals[i][k]);
	robust_free(b->all);
	robust_free(b->less);
}

/* One interval into both; box_forget() is the caller's. */
static inline void box_push(struct box *b)
{
	const struct interval *at[BOX_NODES] = {NULL};

	for (size_t i = 0; i < b->n; i++) {
		b->intervals[i][b->like[i]].from_ns = b->now;
		at[i] = b->like[i] == SILENT ? NULL : &b->intervals[i][b->like[i]];
	}
	assert_int_equal(robust_push(b->all, b->now, at, b->n), 0);
	assert_int_equal(robust_push(b->less, b->now, at, b->n), 0);
	b->now += BOX_INTERVAL_NS;
}

static inline void box_forget(struct box *b)
{
	if (b->keep_ns)
		robust_forget(b->less, b->now - b->keep_ns);
}

/* So long, in whole intervals. */
static inline void box_lasts(struct box *b, int seconds)
{
	for (; seconds > 0; seconds -= BOX_S) {
		box_push(b);
		box_forget(b);
	}
}

static inline struct verdict box_verdict(struct robust *r)
{
	struct verdict a;

	assert_int_equal(robust_verdict(r, &a), 0);
	assert_int_equal(a.cannot.why, CANNOT_NOT);
	return a;
}

#endif
