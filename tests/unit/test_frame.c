// SPDX-License-Identifier: BSD-2-Clause
/* frame.h and source.h: series files of several hosts, days and boots onto one grid. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/source/frame/frame.h"

#define T0 1795230000 /* 2026-11-21T03:00:00Z */

static char folder[] = "/tmp/limpet-frame.XXXXXX";

struct writer {
	struct series_writer *w;
	struct second s;
};

static void open_writer(struct writer *w, const char *host, unsigned int interval_ms)
{
	struct series_writer_opts o = {
		.dir = folder, .host = host, .interval_ms = interval_ms, .tool = "test"};

	assert_int_equal(series_writer_new(&w->w, &o), 0);
	second_init(&w->s);
}

static struct second_row *row(struct writer *w, enum metric_family family, const char *name)
{
	return second_add_row(&w->s, family, name, 0);
}

static void put(struct writer *w, int64_t second)
{
	w->s.wall_ns = second * 1000000000;
	w->s.mono_ns += 1000000000;
	w->s.interval_s = 1;
	assert_int_equal(series_writer_append(w->w, &w->s), 0);
	w->s.seq++;
	second_clear(&w->s);
}

static void close_writer(struct writer *w)
{
	assert_int_equal(series_writer_free(w->w), 0);
	second_release(&w->s);
}

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/limpet-frame.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static struct sources sources;

static int only = -1; /* the one metric that is wanted; or all */

/* All of it in one slice. */
static int load(struct frame *f, int64_t from, int64_t to)
{
	char *paths[] = {folder};
	struct frame_opts o = {.from_ns = from * 1000000000,
			       .to_ns = to ? to * 1000000000 : INT64_MAX,
			       .threads = 2};
	bool wanted[M_COUNT];
	struct table_opts t = {0};
	int err = sources_open(&sources, paths, 1, &t, NULL);

	*f = (struct frame){0};
	if (err)
		return err;
	for (int m = 0; m < M_COUNT; m++)
		wanted[m] = only < 0 || m == only;
	o.wanted = wanted;
	err = sources_one_interval(&sources);
	if (!err)
		err = frame_open(f, &sources, &o);
	if (!err)
		err = frame_slice(f, 0, f->n_times);
	if (err)
		sources_release(&sources);
	return err;
}

static void release(struct frame *f)
{
	frame_release(f);
	sources_release(&sources);
}

static double at(const struct frame *f, enum metric_id m, size_t node, size_t t)
{
	return frame_row(f, frame_find(f, metrics[m].name), node)[t - f->cells->at];
}

/* The grid is wider than the time asked for where that does not begin and end with an interval. */
static void seconds_not_asked_for_are_left_out(void **state)
{
	struct writer w;
	struct frame f;

	(void)state;
	open_writer(&w, "a", 10000);
	for (int64_t t = 2; t < 40; t += 10) { /* 2, 12, 22, 32 */
		second_set(row(&w, FAM_DISK, "sda"), M_WKB_S, (double)t);
		put(&w, T0 + t);
	}
	close_writer(&w);
	assert_int_equal(load(&f, T0 + 5, T0 + 32), 0);
	assert_int_equal(f.n_times, 4);
	assert_int_equal(f.n_seen[0], 2);
	assert_true(isnan(at(&f, M_WKB_S, 0, 0)));
	assert_true(at(&f, M_WKB_S, 0, 1) == 12);
	assert_true(isnan(at(&f, M_WKB_S, 0, 3)));
	release(&f);
}

static void instances_become_one_value(void **state)
{
	struct writer w;
	struct second_row *r;
	struct frame f;

	(void)state;
	open_writer(&w, "a", 1000);
	r = row(&w, FAM_DISK, "sda");
	second_set(r, M_IOPS, 30), second_set(r, M_AWAIT, 10), second_set(r, M_WKB_S, 100),
		second_set(r, M_UTIL, 40);
	r = row(&w, FAM_DISK, "sdb");
	second_set(r, M_IOPS, 10), second_set(r, M_AWAIT, 50), second_set(r, M_WKB_S, 7),
		second_set(r, M_UTIL, 90);
	put(&w, T0);
	r = row(&w, FAM_DISK, "sda"); /* no I/O: no await */
	second_set(r, M_IOPS, 0), second_set(r, M_AWAIT, 0), second_set(r, M_WKB_S, 0);
	put(&w, T0 + 1);
	r = row(&w, FAM_DISK, "sda"); /* rate not measured */
	second_set(r, M_AWAIT, 8);
	put(&w, T0 + 2);
	close_writer(&w);
	assert_int_equal(load(&f, 0, 0), 0);
	assert_int_equal(f.n_nodes, 1);
	assert_int_equal(f.n_times, 3);
	assert_true(fabs(at(&f, M_AWAIT, 0, 0) - 20) < 1e-12);
	assert_true(at(&f, M_WKB_S, 0, 0) == 107);
	assert_true(at(&f, M_UTIL, 0, 0) == 90);
	assert_true(isnan(at(&f, M_AWAIT, 0, 1)));
	assert_true(at(&f, M_WKB_S, 0, 1) == 0);
	assert_true(at(&f, M_AWAIT, 0, 2) == 8);
	assert_true(isnan(at(&f, M_RKB_S, 0, 0)));
	release(&f);
}

/* What a mean is weighted by is read also where nobody asks for it; seconds without the family
 * asked for are there all the same. */
static void one_metric_alone_has_the_same_value(void **state)
{
	struct second_row *r;
	struct writer w;
	struct frame f;

	(void)state;
	open_writer(&w, "a", 1000);
	for (int i = 0; i < 2; i++) {
		r = row(&w, FAM_DISK, i ? "sdb" : "sda");
		second_set(r, M_IOPS, i ? 10 : 30), second_set(r, M_AWAIT, i ? 50 : 10);
	}
	put(&w, T0);
	row(&w, FAM_HOST, "");
	put(&w, T0 + 1);
	close_writer(&w);
	only = M_AWAIT;
	assert_int_equal(load(&f, 0, 0), 0);
	only = -1;
	assert_int_equal(f.n_metrics, 1);
	assert_true(at(&f, M_AWAIT, 0, 0) == (30 * 10 + 10 * 50) / 40.);
	assert_true(isnan(at(&f, M_AWAIT, 0, 1)));
	assert_int_equal(f.n_seen[0], 2);
	release(&f);
}

static void hosts_align_and_gaps_are_missing(void **state)
{
	struct writer w;
	struct frame f;

	(void)state;
	open_writer(&w, "b", 1000);
	for (int t = 0; t < 4; t++) {
		second_set(row(&w, FAM_HOST, ""), M_CSWCH_S, t);
		put(&w, T0 + 2 + 2 * t);
	}
	close_writer(&w);
	open_writer(&w, "a", 1000);
	second_set(row(&w, FAM_HOST, ""), M_CSWCH_S, 5);
	put(&w, T0);
	close_writer(&w);
	assert_int_equal(load(&f, 0, 0), 0);
	assert_int_equal(f.n_times, 9);
	assert_string_equal(f.nodes[0], "a");
	assert_string_equal(f.nodes[1], "b");
	assert_true(at(&f, M_CSWCH_S, 0, 0) == 5);
	assert_true(isnan(at(&f, M_CSWCH_S, 1, 0)));
	assert_true(at(&f, M_CSWCH_S, 1, 2) == 0);
	assert_true(isnan(at(&f, M_CSWCH_S, 1, 3)));
	assert_true(at(&f, M_CSWCH_S, 1, 8) == 3);
	assert_int_equal(frame_common(&f, 0, 9, 2), 0);
	assert_int_equal(frame_common(&f, 0, 9, 1), 5);
	assert_int_equal(frame_alive(&f), 2);
	release(&f);
	assert_int_equal(load(&f, T0 + 4, T0 + 7), 0);
	assert_int_equal(f.n_times, 3);
	assert_true(at(&f, M_CSWCH_S, 1, 0) == 1);
	assert_int_equal(frame_alive(&f), 1);
	release(&f);
	assert_int_equal(load(&f, T0 + 100, 0), -ENODATA);
}

static void days_and_boots_merge_and_the_first_duplicate_wins(void **state)
{
	const int64_t midnight = (T0 / 86400 + 1) * 86400;
	struct writer w;
	struct frame f;

	(void)state;
	for (int boot = 0; boot < 2; boot++) {
		open_writer(&w, "a", 1000);
		for (int t = -2; t < 2; t++) {
			second_set(row(&w, FAM_DISK, "sda"), M_WKB_S, 10 * boot + t + 2);
			second_set(row(&w, FAM_DISK, "sdb"), M_WKB_S, 100);
			put(&w, midnight + 3 * boot + t);
		}
		close_writer(&w);
	}
	assert_int_equal(load(&f, 0, 0), 0);
	assert_int_equal(f.n_times, 7);
	assert_int_equal(f.duplicates, 1); /* midnight + 1 is in both */
	assert_true(at(&f, M_WKB_S, 0, 0) == 100);
	assert_true(at(&f, M_WKB_S, 0, 2) == 102);
	assert_true(at(&f, M_WKB_S, 0, 3) == 103);
	assert_true(at(&f, M_WKB_S, 0, 6) == 113);
	release(&f);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct writer w;
	struct frame f;

	(void)state;
	assert_int_not_equal(load(&f, 0, 0), 0); /* an empty folder */
	open_writer(&w, "a", 1000);
	second_set(row(&w, FAM_HOST, ""), M_CSWCH_S, 5);
	put(&w, T0);
	close_writer(&w);
	open_writer(&w, "b", 1000);
	second_set(row(&w, FAM_HOST, ""), M_CSWCH_S, 5);
	put(&w, 86400); /* 1970 */
	close_writer(&w);
	assert_int_equal(load(&f, 0, 0), -E2BIG);
	assert_int_equal(load(&f, T0 - 100, 0), 0);
	release(&f);
	open_writer(&w, "c", 500);
	second_set(row(&w, FAM_HOST, ""), M_CSWCH_S, 5);
	put(&w, T0);
	close_writer(&w);
	/* what is not recorded as often is left out */
	assert_int_equal(load(&f, T0 - 100, 0), 0);
	assert_true(frame_has(&f, 0));
	assert_int_equal(f.n_nodes, 2);
	release(&f);
}

/* What is read again around a slice is not counted again, and every cell is as in one slice. */
static void slices_hold_what_the_whole_does(void **state)
{
	const int64_t midnight = (T0 / 86400 + 1) * 86400;
	struct writer w;
	struct frame f;
	double want[40];

	(void)state;
	for (int host = 0; host < 3; host++) {
		for (int boot = 0; boot < 2; boot++) {
			open_writer(&w, (char[]){(char)('a' + host), 0}, 1000);
			for (int t = 0; t < 20; t++) {
				second_set(row(&w, FAM_DISK, "sda"), M_WKB_S, 100 * host + t);
				put(&w, midnight - 20 + 18 * boot + t); /* two come twice */
			}
			close_writer(&w);
		}
	}
	assert_int_equal(load(&f, 0, 0), 0);
	assert_int_equal(f.n_times, 38);
	assert_int_equal(f.duplicates, 6);
	for (size_t t = 0; t < f.n_times; t++)
		want[t] = at(&f, M_WKB_S, 1, t);
	for (size_t t = 0; t < f.n_times; t += 5) {
		size_t from = t > 3 ? t - 3 : 0;

		assert_int_equal(frame_slice(&f, from, t + 9), 0);
		for (size_t c = from; c < t + 9 && c < f.n_times; c++)
			assert_true(at(&f, M_WKB_S, 1, c) == want[c]);
	}
	assert_int_equal(f.duplicates, 6);
	assert_int_equal(f.n_seen[1], 38);
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(seconds_not_asked_for_are_left_out, setup,
						teardown),
		cmocka_unit_test_setup_teardown(instances_become_one_value, setup, teardown),
		cmocka_unit_test_setup_teardown(one_metric_alone_has_the_same_value, setup,
						teardown),
		cmocka_unit_test_setup_teardown(hosts_align_and_gaps_are_missing, setup, teardown),
		cmocka_unit_test_setup_teardown(days_and_boots_merge_and_the_first_duplicate_wins,
						setup, teardown),
		cmocka_unit_test_setup_teardown(slices_hold_what_the_whole_does, setup, teardown),
		cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
