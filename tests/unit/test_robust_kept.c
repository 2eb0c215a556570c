// SPDX-License-Identifier: BSD-2-Clause
/* Own usual offsets that are kept: each finds its server, disk and signal, in whatever order they come. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/engine/robust.h"

enum { NODES = 40, DISKS = 12, EACH = 3, ALL = NODES * DISKS * EACH };
static const enum signal of_disk[EACH] = {SIG_READ, SIG_WRITE_DEVICE, SIG_FOREIGN_READ};

/* Of the k-th: different for neighbours. */
static double offset_of(size_t k)
{
	return 0.4 * (double)((k * 7919) % 1000) / 1000;
}

static void node_name(size_t i, char name[32])
{
	snprintf(name, 32, "oss-%zu", i);
}

static void disk_name(size_t i, char name[32])
{
	snprintf(name, 32, "sd%c%s", (char)('a' + i % 6), i < 6 ? "" : "x");
}

struct seen {
	double offset[ALL], runq[NODES];
	size_t n;
};

static int see(void *arg, const char *node, const char *disk, enum signal s, double offset)
{
	struct seen *seen = arg;
	char name[32];
	size_t i = strtoul(node + 4, NULL, 10);

	seen->n++;
	if (s == SIG_RUNQ)
		seen->runq[i] = offset;
	for (size_t d = 0; d < DISKS; d++)
		for (size_t e = 0; e < EACH; e++) {
			disk_name(d, name);
			if (of_disk[e] == s && !strcmp(name, disk))
				seen->offset[(i * DISKS + d) * EACH + e] = offset;
		}
	return 0;
}

static struct seen seen_of(const struct robust *r)
{
	struct seen s = {.n = 0};

	for (size_t i = 0; i < ALL; i++)
		s.offset[i] = NAN;
	for (size_t i = 0; i < NODES; i++)
		s.runq[i] = NAN;
	assert_int_equal(robust_offsets(r, see, &s), 0);
	return s;
}

static void set(struct robust *r, size_t k, double offset)
{
	char node[32], disk[32];

	node_name(k / EACH / DISKS, node);
	disk_name(k / EACH % DISKS, disk);
	assert_int_equal(robust_set_offset(r, node, disk, of_disk[k % EACH], offset), 0);
}

/* One interval in which every server has all its disks. */
static void push(struct robust *r, int64_t from_ns)
{
	static struct interval intervals[NODES];
	const struct interval *at[NODES];

	for (size_t i = 0; i < NODES; i++) {
		intervals[i].from_ns = from_ns;
		intervals[i].seconds = 4;
		intervals[i].n_disks = DISKS;
		intervals[i].disks = calloc(DISKS, sizeof(*intervals[i].disks));
		assert_non_null(intervals[i].disks);
		for (size_t d = 0; d < DISKS; d++)
			disk_name((d + i) % DISKS, intervals[i].disks[d].name);
		at[i] = &intervals[i];
	}
	assert_int_equal(robust_push(r, from_ns, at, NODES), 0);
	for (size_t i = 0; i < NODES; i++)
		interval_release(&intervals[i]);
}

static struct robust *engine(void)
{
	struct robust_params p = ROBUST_PARAMS_DEFAULT;
	struct robust *r = robust_new(&p);
	char name[32];

	assert_non_null(r);
	/* some in one group, some in another, one in none */
	for (size_t i = 0; i < NODES; i++) {
		node_name(i, name);
		assert_int_equal(robust_node(r, name, i == 7 ? -1 : (int32_t)(i % 2)), (int)i);
	}
	return r;
}

static bool close_to(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void each_finds_its_own(void **state)
{
	struct robust *r = engine();
	struct seen s;

	(void)state;
	/* 751 and ALL have no common divisor: all of them, scrambled; every tenth is left out */
	for (size_t i = 0; i < ALL; i++) {
		size_t k = i * 751 % ALL;

		if (k % 10)
			set(r, k, offset_of(k));
	}
	for (size_t i = 0; i < NODES; i += 2) {
		char name[32];

		node_name((i * 11) % NODES, name);
		assert_int_equal(robust_set_offset(r, name, "", SIG_RUNQ, offset_of(i)), 0);
	}
	assert_int_equal(robust_set_offset(r, "nobody", "", SIG_RUNQ, 0.1), 0);
	assert_int_equal(robust_set_offset(r, "oss-1", "sda", SIG_RUNQ, 0.1), 0);
	/* servers at once, disks as they appear */
	s = seen_of(r);
	assert_int_equal(s.n, NODES / 2);
	push(r, 1700000000000000000);
	s = seen_of(r);
	for (size_t k = 0; k < ALL; k++) {
		if (k % 10 && k / EACH / DISKS != 7)
			assert_true(close_to(s.offset[k], offset_of(k)));
		else
			assert_true(isnan(s.offset[k]));
	}
	for (size_t i = 0; i < NODES; i++) {
		if (i % 2)
			assert_true(isnan(s.runq[i]));
		else
			assert_true(close_to(s.runq[i * 11 % NODES], offset_of(i)));
	}
	robust_free(r);
}

/* What comes when the disk is there already, and what comes twice: the later one counts. */
static void late_and_twice(void **state)
{
	struct robust *r = engine();
	struct seen s;

	(void)state;
	set(r, 5, 0.1);
	set(r, 4, 0.3);
	set(r, 5, 0.2);
	push(r, 1700000000000000000);
	set(r, ALL - 1, 0.25);
	set(r, 4, 0.35);
	s = seen_of(r);
	assert_int_equal(s.n, 3);
	assert_true(close_to(s.offset[4], 0.35));
	assert_true(close_to(s.offset[5], 0.2));
	assert_true(close_to(s.offset[ALL - 1], 0.25));
	robust_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_finds_its_own),
		cmocka_unit_test(late_and_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
