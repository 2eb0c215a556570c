// SPDX-License-Identifier: BSD-2-Clause
/*
 * The engine of `robust` on servers made by hand: what must be found, what must not be, and time series
 * that mean harm. Latencies are drawn with fixed seeds.
 */
#include <errno.h>
#include <math.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "analyzer/stat/rng.h"
#include "analyzer/engine/robust.h"

enum { NODES = 8, READS = 100 }; /* a second */

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
	int64_t now;
	struct like like[NODES];
	struct interval intervals[NODES];
	struct verdict a;
};

static void put_latency(struct interval_disk *d, struct rng *g, double rate, double slow,
			enum lat_part part)
{
	struct interval_lat *l;

	d->lat = realloc(d->lat, (d->n_lat + 1) * sizeof(*d->lat));
	l = &d->lat[d->n_lat++];
	*l = (struct interval_lat){
		.op = OP_READ, .size = 1, .part = (uint8_t)part, .cell = (int8_t)load_cell(rate)};
	l->first = 0;
	l->n = LAT_BUCKETS;
	l->at = calloc(LAT_BUCKETS, sizeof(*l->at));
	for (int i = 0; i < (int)(rate * 10); i++) {
		double ms = 10 * slow * exp(0.4 * rng_normal(g));

		l->at[bucket_of((uint64_t)(ms * 1e6) >> LAT_SHIFT, LAT_SUB_BITS)]++;
		l->count++;
	}
}

static void acc(struct acc *a, double value, double n)
{
	*a = (struct acc){value * n, n};
}

static void make_interval(struct fleet_box *b, size_t i)
{
	const struct like *k = &b->like[i];
	struct interval *h = &b->intervals[i];
	double rate = READS * k->load * (1 + 0.05 * rng_normal(&b->rng));
	struct interval_disk *d;

	interval_release(h);
	if (k->silent)
		return;
	h->seconds = 10;
	h->from_ns = b->now;
	h->boots = 1;
	h->disks = calloc(1, sizeof(*h->disks));
	h->n_disks = 1;
	d = h->disks;
	strcpy(d->name, "sda");
	if (k->nothing)
		rate = 0;
	if (rate > 0) {
		put_latency(d, &b->rng, rate, k->slow, PART_WHOLE);
		put_latency(d, &b->rng, rate, k->slow, PART_DEVICE);
	}
	acc(&d->acc[DA_READS], rate, 10);
	acc(&d->acc[DA_WRITES], 0, 10);
	acc(&d->acc[DA_READ_KB], 64 * rate, 10);
	acc(&d->acc[DA_WRITE_KB], 0, 10);
	acc(&d->acc[DA_FOREIGN_READ_KB], 0, 10);
	acc(&d->acc[DA_FOREIGN_WRITE_KB], 0, 10);
	acc(&d->acc[DA_QUEUE], rate * 0.01 * k->slow, 10);
	acc(&d->acc[DA_READ_AWAIT], 10 * k->slow * exp(0.08), rate * 10);
	acc(&h->acc[NA_IDLE], k->nan ? NAN : 90, 10);
	acc(&h->acc[NA_IOWAIT], 2, 10);
	acc(&h->acc[NA_FS_RX_KB], 10, 10);
	acc(&h->acc[NA_FS_TX_KB], 64 * rate, 10);
}

static void intervals(struct fleet_box *b, int n)
{
	const struct interval *at[NODES];

	for (; n > 0; n--) {
		for (size_t i = 0; i < b->n; i++) {
			make_interval(b, i);
			at[i] = b->like[i].silent ? NULL : &b->intervals[i];
		}
		assert_int_equal(robust_push(b->r, b->now, at, b->n), 0);
		b->now += 10000000000;
	}
}

static void setup(struct fleet_box *b, size_t n, uint64_t seed)
{
	struct robust_params p = ROBUST_PARAMS_DEFAULT;
	char name[8];

	*b = (struct fleet_box){.n = n, .now = 1700000000000000000};
	rng_seed(&b->rng, seed);
	b->r = robust_new(&p);
	assert_non_null(b->r);
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "s%zu", i);
		assert_int_equal(robust_node(b->r, name, 0), (int)i);
		b->like[i] = (struct like){.slow = 1, .load = 1};
	}
}

static const struct verdict *tell(struct fleet_box *b)
{
	verdict_release(&b->a);
	assert_int_equal(robust_verdict(b->r, &b->a), 0);
	return &b->a;
}

static void done(struct fleet_box *b)
{
	for (size_t i = 0; i < NODES; i++)
		interval_release(&b->intervals[i]);
	verdict_release(&b->a);
	robust_free(b->r);
}

static bool incidents(const struct verdict *a, size_t node)
{
	for (size_t i = 0; i < a->n_incidents; i++)
		if (a->incidents[i].node == node)
			return true;
	return false;
}

static bool noticed(const struct verdict *a, enum notice_kind kind, size_t node)
{
	for (size_t i = 0; i < a->n_notices; i++)
		if (a->notices[i].kind == kind && a->notices[i].node == node)
			return true;
	return false;
}

/* ---- what must be found ---------------------------------------------------------------------------*/

static void slow_device(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 6, 1);
	intervals(&b, 20);
	assert_int_equal(tell(&b)->n_incidents, 0);
	b.like[3].slow = 2;
	intervals(&b, 6);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 1);
	assert_int_equal(a->incidents[0].node, 3);
	assert_int_equal(a->incidents[0].cause, CAUSE_DEVICE_SLOW);
	assert_true(a->incidents[0].open);
	/* within a minute, and not before it began */
	assert_true(a->incidents[0].decided_ns <= 1700000000000000000 + 260000000000);
	assert_true(a->incidents[0].decided_ns > 1700000000000000000 + 200000000000);
	assert_true(a->incidents[0].n_findings > 0);
	assert_float_equal(a->incidents[0].findings[0].ratio, 2, 0.3);
	assert_float_equal(a->incidents[0].findings[0].p99 / a->incidents[0].findings[0].p99_peers,
			   2, 0.5);
	assert_float_equal(a->incidents[0].findings[0].w1, 2, 0.3);
	done(&b);
}

static void two_at_once(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 8, 2);
	intervals(&b, 10);
	b.like[1].slow = 2.5;
	b.like[6].slow = 2;
	intervals(&b, 8);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 2);
	assert_true(incidents(a, 1) && incidents(a, 6));
	done(&b);
}

/* Too little to be seen at once, always there: the slow test's. */
static void chronic(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 8, 3);
	b.like[5].slow = 1.25;
	intervals(&b, 15);
	assert_int_equal(tell(&b)->n_incidents, 0);
	intervals(&b, 40);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 1);
	assert_int_equal(a->incidents[0].node, 5);
	assert_true(a->incidents[0].chronic);
	done(&b);
}

static void over_is_over(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 6, 4);
	intervals(&b, 12);
	b.like[2].slow = 3;
	intervals(&b, 12);
	b.like[2].slow = 1;
	intervals(&b, 12);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 1);
	assert_false(a->incidents[0].open);
	assert_true(a->incidents[0].last_ns <= 1700000000000000000 + 270000000000);
	done(&b);
}

/* ---- what must not be -----------------------------------------------------------------------------*/

static void healthy(void **state)
{
	(void)state;
	for (uint64_t seed = 10; seed < 20; seed++) {
		struct fleet_box b;

		setup(&b, 6, seed);
		intervals(&b, 60);
		assert_int_equal(tell(&b)->n_incidents, 0);
		assert_int_equal(b.a.cannot.why, CANNOT_NOT);
		for (size_t i = 0; i < 6; i++)
			assert_true(b.a.judged[i]);
		done(&b);
	}
}

/* Three intervals indict nobody, four do, however slow the disk: 40 s. */
static void burst(void **state)
{
	static const double slow[] = {2.25, 5, 60};

	(void)state;
	for (size_t k = 0; k < sizeof(slow) / sizeof(*slow); k++)
		for (int lasts = 2; lasts <= 4; lasts++) {
			struct fleet_box b;

			setup(&b, 6, 21 + (uint64_t)lasts);
			intervals(&b, 20);
			b.like[0].slow = slow[k];
			intervals(&b, lasts);
			b.like[0].slow = 1;
			intervals(&b, 10);
			assert_int_equal(tell(&b)->n_incidents, lasts == 4);
			done(&b);
		}
}

static void hot_server(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 6, 22);
	intervals(&b, 10);
	b.like[4].load = 3;
	intervals(&b, 15);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 0);
	assert_true(noticed(a, NOTICE_HOT, 4));
	done(&b);
}

static void other_model(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 8, 23);
	for (size_t i = 0; i < 8; i++) {
		struct device_identity id = {.family = FAM_DISK,
					     .name = "sda",
					     .rotational = 1,
					     .size_bytes = -1,
					     .speed_mbps = -1};

		strcpy(id.model, i < 5 ? "FAST 1" : "SLOW 2");
		assert_int_equal(robust_identity(b.r, i, &id), 0);
		b.like[i].slow = i < 5 ? 1 : 1.8;
	}
	intervals(&b, 40);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 0);
	assert_true(noticed(a, NOTICE_HARDWARE, 5));
	assert_true(noticed(a, NOTICE_HARDWARE, 7));
	assert_false(noticed(a, NOTICE_HARDWARE, 0));
	/* and a slow one among its own model is found all the same */
	b.like[0].slow = 2.5;
	intervals(&b, 8);
	assert_true(incidents(tell(&b), 0));
	done(&b);
}

static void all_slow(void **state)
{
	struct fleet_box b;
	const struct verdict *a;
	bool replaces = false;

	(void)state;
	setup(&b, 6, 24);
	intervals(&b, 20);
	for (size_t i = 0; i < 6; i++)
		b.like[i].slow = 3;
	intervals(&b, 20);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 0);
	for (size_t i = 0; i < a->n_notices; i++)
		replaces |= a->notices[i].kind == NOTICE_FLEET && a->notices[i].replaces;
	assert_true(replaces);
	done(&b);
}

/* No healthy one may be named, whoever else is. */
static void half_of_them(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 6, 25);
	intervals(&b, 12);
	for (size_t i = 0; i < 3; i++)
		b.like[i].slow = 3;
	intervals(&b, 20);
	a = tell(&b);
	for (size_t i = 3; i < 6; i++)
		assert_false(incidents(a, i));
	done(&b);
}

static void acknowledged(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 6, 26);
	robust_acknowledge(b.r, 3);
	intervals(&b, 10);
	b.like[3].slow = 3;
	intervals(&b, 10);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 0);
	assert_true(noticed(a, NOTICE_ACKNOWLEDGED, 3));
	done(&b);
}

/* ---- series that mean harm ------------------------------------------------------------------------*/

static void nothing_at_all(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 6, 30);
	assert_int_equal(tell(&b)->cannot.why, CANNOT_NO_INTERVAL);
	intervals(&b, 1);
	assert_int_equal(tell(&b)->cannot.why, CANNOT_FEW_WINDOWS);
	for (size_t i = 0; i < 6; i++)
		b.like[i].nothing = true;
	intervals(&b, 40);
	assert_int_equal(tell(&b)->n_incidents, 0);
	done(&b);
}

static void two_servers(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 2, 31);
	b.like[1].slow = 9;
	intervals(&b, 40);
	assert_int_equal(tell(&b)->cannot.why, CANNOT_FEW_SERVERS);
	assert_int_equal(b.a.n_incidents, 0);
	done(&b);
}

static void missing_values(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 6, 32);
	for (int i = 0; i < 60; i++) {
		for (size_t k = 0; k < 6; k++) {
			b.like[k].silent = rng_uniform(&b.rng) < 0.4;
			b.like[k].nan = rng_uniform(&b.rng) < 0.5;
		}
		intervals(&b, 1);
	}
	assert_int_equal(tell(&b)->n_incidents, 0);
	done(&b);
}

static void gone_and_back(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 6, 33);
	intervals(&b, 10);
	b.like[1].silent = true;
	intervals(&b, 20);
	assert_true(noticed(tell(&b), NOTICE_SILENT, 1));
	b.like[1].silent = false;
	intervals(&b, 20);
	b.now += 3600 * (int64_t)1000000000;
	intervals(&b, 20);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 0);
	done(&b);
}

static void time_must_go_on(void **state)
{
	struct fleet_box b;
	const struct interval *none[NODES] = {NULL};

	(void)state;
	setup(&b, 6, 34);
	intervals(&b, 3);
	assert_int_equal(robust_push(b.r, b.now - 10000000000, none, 6), -EINVAL);
	assert_int_equal(robust_push(b.r, b.now + 1, none, 6), -EINVAL);
	assert_int_equal(robust_push(b.r, b.now, none, 6), 0);
	done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_device),	 cmocka_unit_test(two_at_once),
		cmocka_unit_test(chronic),	 cmocka_unit_test(over_is_over),
		cmocka_unit_test(healthy),	 cmocka_unit_test(burst),
		cmocka_unit_test(hot_server),	 cmocka_unit_test(other_model),
		cmocka_unit_test(all_slow),	 cmocka_unit_test(half_of_them),
		cmocka_unit_test(acknowledged),	 cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(two_servers),	 cmocka_unit_test(missing_values),
		cmocka_unit_test(gone_and_back), cmocka_unit_test(time_must_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
