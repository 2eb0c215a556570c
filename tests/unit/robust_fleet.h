/* SPDX-License-Identifier: BSD-2-Clause */
/* Six servers at work, interval by interval, without histograms: for tests of what the engine hands on. */
#ifndef LIMPET_ROBUST_FLEET_H
#define LIMPET_ROBUST_FLEET_H

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/rng.h"
#include "analyzer/engine/robust.h"

enum { SERVERS = 6 };
enum { FLEET_S = 4 };
#define FLEET_T0    (1700000000LL * 1000000000)
#define INTERVAL_NS (FLEET_S * 1000000000LL)

struct fleet_of {
	struct robust *r;
	struct rng rng;
	int64_t now;
	/* Of the intervals to come. */
	bool hog[SERVERS], silent[SERVERS];
	unsigned int seconds[SERVERS]; /* with data */
	int64_t boot[SERVERS][INTERVAL_BOOTS];
	unsigned int boots[SERVERS];
	struct verdict a;
};

static inline struct acc noisy(struct fleet_of *f, double value, double n)
{
	return (struct acc){value * n * (1 + 0.03 * rng_normal(&f->rng)), n};
}

static inline void fleet_process(struct interval_process *p, const char *name, const char *cgroup,
				 double read_kb)
{
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->cgroup, sizeof(p->cgroup), "%s", cgroup);
	p->read_kb = read_kb;
	p->cpu_s = 0.1;
}

/* 10 MB/s read. A hog reads 15 MB/s besides, at which the file system's daemon reads more, too. */
static inline void fleet_interval(struct fleet_of *f, size_t i, struct interval *h,
				  struct interval_disk *d, struct interval_process *p)
{
	double s = f->seconds[i];
	bool hog = f->hog[i];

	*h = (struct interval){.from_ns = f->now,
			       .seconds = f->seconds[i],
			       .boots = f->boots[i],
			       .disks = d,
			       .n_disks = 1,
			       .processes = p,
			       .n_processes = hog ? 2 : 1};
	memcpy(h->boot, f->boot[i], sizeof(h->boot));
	*d = (struct interval_disk){.name = "sda"};
	d->acc[DA_READS] = noisy(f, 100, s);
	d->acc[DA_READ_KB] = noisy(f, 10000, s);
	d->acc[DA_FOREIGN_READ_KB] = noisy(f, hog ? 15000 : 10, s);
	d->acc[DA_FOREIGN_WRITE_KB] = noisy(f, 5, s);
	d->acc[DA_READ_AWAIT] = noisy(f, hog ? 40 : 10, 100 * s);
	d->acc[DA_READ_DEVICE] = noisy(f, hog ? 38 : 9, 100 * s);
	d->acc[DA_QUEUE] = noisy(f, hog ? 4 : 1, s);
	h->acc[NA_FS_TX_KB] = noisy(f, 10000, s);
	h->acc[NA_ACTIVE] = (struct acc){2 * s, s};
	memset(p, 0, 2 * sizeof(*p));
	fleet_process(&p[0], "brickd:1", "/fs/brick", (hog ? 25000 : 10000) * s);
	if (hog)
		fleet_process(&p[1], "fio:9", "/user.slice", 14000 * s);
}

/* So long, in whole intervals. */
static inline void fleet_lasts(struct fleet_of *f, int seconds)
{
	static struct interval intervals[SERVERS];
	static struct interval_disk disks[SERVERS];
	static struct interval_process processes[SERVERS][2];
	const struct interval *at[SERVERS];

	for (; seconds > 0; seconds -= FLEET_S, f->now += INTERVAL_NS) {
		for (size_t i = 0; i < SERVERS; i++) {
			fleet_interval(f, i, &intervals[i], &disks[i], processes[i]);
			at[i] = f->silent[i] ? NULL : &intervals[i];
		}
		assert_int_equal(robust_push(f->r, f->now, at, SERVERS), 0);
	}
}

static inline void fleet_begin(struct fleet_of *f, uint64_t seed)
{
	struct robust_params p = ROBUST_PARAMS_DEFAULT;
	char name[8];

	*f = (struct fleet_of){.now = FLEET_T0};
	rng_seed(&f->rng, seed);
	assert_true(p.interval_s == FLEET_S);
	f->r = robust_new(&p);
	assert_non_null(f->r);
	for (size_t i = 0; i < SERVERS; i++) {
		snprintf(name, sizeof(name), "s%zu", i);
		assert_int_equal(robust_node(f->r, name, 0), (int)i);
		f->seconds[i] = FLEET_S;
		f->boots[i] = 1;
		f->boot[i][0] = FLEET_T0 - 77 - (int64_t)i;
	}
}

static inline const struct verdict *fleet_tell(struct fleet_of *f)
{
	verdict_release(&f->a);
	assert_int_equal(robust_verdict(f->r, &f->a), 0);
	return &f->a;
}

static inline void fleet_end(struct fleet_of *f)
{
	verdict_release(&f->a);
	robust_free(f->r);
}

#endif
