// SPDX-License-Identifier: BSD-2-Clause
/* series.h: what is read when not all metrics are wanted is what is read of them when all are. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "series_util.h"

#define RECORDED "tests/data/replay/series/oss-amber-20261121.limpet"
#define ROWS_MAX 20000

/* All rows of a file, and how far the reading with fewer metrics has come in them. */
struct compared {
	struct series_time time[ROWS_MAX];
	struct second_row row[ROWS_MAX];
	size_t n, at, values;
	unsigned int families;
	const bool *wanted;
};

static int keep(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct compared *c = arg;

	assert_true(c->n < ROWS_MAX);
	c->time[c->n] = *t;
	c->row[c->n++] = *row;
	return 0;
}

static int compare(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct compared *c = arg;
	const struct second_row *all;

	while (c->at < c->n && !(c->families & 1U << c->row[c->at].family))
		c->at++;
	assert_true(c->at < c->n);
	all = &c->row[c->at];
	assert_memory_equal(t, &c->time[c->at++], sizeof(*t));
	assert_int_equal(row->family, all->family);
	assert_string_equal(row->instance, all->instance);
	assert_true(!row->lat == !all->lat && !row->dev == !all->dev && !row->runq == !all->runq);
	for (int m = 0; m < M_COUNT; m++) {
		double x = !c->wanted || c->wanted[m] ? second_value(all, m) : NAN;

		assert_true(isnan(x) ? isnan(second_value(row, m)) : second_value(row, m) == x);
		c->values += !isnan(x);
	}
	return 0;
}

static void read_wanted(struct compared *c, struct series_reader *r, const bool *wanted,
			unsigned int families)
{
	c->at = 0;
	c->wanted = wanted;
	c->families = families;
	series_reader_want(r, wanted);
	if (series_reader_rows(r, 0, INT64_MAX, families, ALL_HISTS, compare, c))
		fail_msg("%s", series_error());
	while (c->at < c->n && !(families & 1U << c->row[c->at].family))
		c->at++;
	assert_int_equal(c->at, c->n);
}

/* Each metric alone, none, all but one, any, each family for itself; and all again. */
static void read_each_way(const char *path)
{
	struct compared *c = calloc(1, sizeof(*c));
	struct series_reader *r;
	bool wanted[M_COUNT] = {false};
	size_t values;

	assert_non_null(c);
	assert_int_equal(series_reader_new(&r, path), 0);
	assert_int_equal(series_reader_rows(r, 0, INT64_MAX, SERIES_ALL, ALL_HISTS, keep, c), 0);
	assert_true(c->n > 100);
	read_wanted(c, r, wanted, SERIES_ALL);
	assert_int_equal(c->values, 0);
	for (int m = 0; m < M_COUNT; m++) {
		wanted[m] = true;
		read_wanted(c, r, wanted, SERIES_ALL);
		wanted[m] = false;
	}
	values = c->values;
	assert_true(values > 1000);
	c->values = 0;
	read_wanted(c, r, NULL, SERIES_ALL);
	assert_int_equal(c->values, values);
	srand(12);
	for (int round = 0; round < 50; round++) {
		for (int m = 0; m < M_COUNT; m++)
			wanted[m] = rand() % (2 + round % 5) == 0;
		read_wanted(c, r, wanted, 1U + (unsigned int)rand() % SERIES_ALL);
	}
	for (int m = 0; m < M_COUNT; m++) {
		for (int k = 0; k < M_COUNT; k++)
			wanted[k] = k != m;
		read_wanted(c, r, wanted, 1U << metrics[m].family);
	}
	read_wanted(c, r, NULL, SERIES_ALL);
	series_reader_free(r);
	free(c);
}

/* Seconds with instances that come and go, and values that are missing, zero, whole or not. */
static void write_any(struct fixture *fx, int n)
{
	struct series_writer_opts o = {.dir = fx->dir, .host = "s3", .interval_ms = 1000};
	struct series_writer *w;
	struct second s;
	char name[INSTANCE_LEN];

	srand(13);
	second_init(&s);
	assert_int_equal(series_writer_new(&w, &o), 0);
	for (int i = 0; i < n; i++) {
		second_clear(&s);
		s.seq = (uint64_t)i;
		s.wall_ns = (T0 + i) * NS;
		s.mono_ns = (uint64_t)(i + 1) * NS;
		s.lost = (uint64_t)(i % 7 == 0);
		s.interval_s = 1;
		for (int f = 0; f < FAM_COUNT; f++) {
			bool one = f == FAM_TCP || f == FAM_HOST;

			for (int k = 0; k < (one ? 1 : 3); k++) {
				struct second_row *row;

				if (rand() % 4 == 0)
					continue;
				snprintf(name, sizeof(name), one ? "" : "i%d", k);
				row = second_add_row(&s, f, name, f == FAM_DISK ? HIST_LAT : 0);
				assert_non_null(row);
				for (int m = 0; m < M_COUNT; m++)
					if (metrics[m].family == row->family && rand() % 3)
						second_set(row, m,
							   m % 4 == 0	? 0
							   : m % 4 == 1 ? rand() % 100
									: rand() / 1e4);
			}
		}
		if (series_writer_append(w, &s))
			fail_msg("%s", series_error());
	}
	assert_int_equal(series_writer_free(w), 0);
	second_release(&s);
}

static void wanted_values_are_those_of_all(void **state)
{
	struct fixture *fx = *state;

	write_any(fx, 150);
	read_each_way(day_path(fx, T0));
}

static void also_of_a_recording(void **state)
{
	(void)state;
	read_each_way(RECORDED);
}

/* A changed byte of a section that is read is told, whatever is wanted of it. */
static void damage_is_told_whatever_is_wanted(void **state)
{
	struct fixture *fx = *state;
	bool wanted[M_COUNT] = {false};
	struct compared *c = calloc(1, sizeof(*c));
	struct series_reader *r;
	sqlite3 *db;

	assert_non_null(c);
	write_any(fx, 60);
	assert_int_equal(sqlite3_open(day_path(fx, T0), &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db,
			     "UPDATE chunk SET host = CAST(substr(host, 1, length(host) - 6) ||"
			     " x'00ff' || substr(host, -4) AS BLOB)",
			     NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
	series_reader_want(r, wanted);
	assert_int_equal(series_reader_rows(r, 0, INT64_MAX, 1U << FAM_HOST, 0, keep, c), -EBADMSG);
	assert_int_equal(series_reader_rows(r, 0, INT64_MAX, 1U << FAM_TCP, 0, keep, c), 0);
	series_reader_free(r);
	free(c);
}

struct told {
	uint64_t seconds, lost, rows, seqs;
	int64_t last_ns;
};

static int tell(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct told *told = arg;

	if (row) {
		told->rows++;
		return 0;
	}
	assert_int_equal(told->rows, 0);
	assert_true(t->wall_ns >= told->last_ns);
	told->last_ns = t->wall_ns;
	told->seconds++;
	told->lost += t->lost;
	told->seqs += t->seq;
	return 0;
}

static struct told told_of(struct series_reader *r, int64_t from_s, int64_t to_s,
			   unsigned int families)
{
	struct told told = {0};

	if (series_reader_rows(r, from_s * NS, to_s * NS, families, 0, tell, &told))
		fail_msg("%s", series_error());
	return told;
}

/* Every third second has no row, and the clock is set back by 50 s after 100 of 150. */
static void seconds_are_told_in_order_also_without_rows(void **state)
{
	enum { N = 150, BACK_AT = 100, BACK = 50 };
	struct fixture *fx = *state;
	struct series_writer *w = writer(fx, "s3");
	struct series_reader *r;
	struct second s;
	struct told told;

	second_init(&s);
	for (int i = 0; i < N; i++) {
		int64_t sec = T0 + (i < BACK_AT ? i : i - BACK);

		fill_second(&s, (uint64_t)i, sec * NS);
		s.lost = 2;
		if (i % 3 == 0)
			second_clear(&s);
		if (series_writer_append(w, &s))
			fail_msg("%s", series_error());
	}
	assert_int_equal(series_writer_free(w), 0);
	second_release(&s);
	assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
	told = told_of(r, T0, T0 + N, SERIES_SECONDS);
	assert_int_equal(told.seconds, N);
	assert_int_equal(told.seqs, N * (N - 1) / 2);
	assert_int_equal(told.lost, 2 * N);
	assert_int_equal(told.rows, 0);
	told = told_of(r, T0 + 40, T0 + 60, SERIES_SECONDS | 1U << FAM_HOST);
	assert_int_equal(told.seconds, 30); /* 40 … 59, and 50 … 59 again */
	assert_int_equal(told.rows, 21);    /* 14 of the 20, and 7 of the 10 */
	assert_int_equal(told_of(r, T0, T0 + N, 1U << FAM_HOST).seconds, 0);
	series_reader_free(r);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		CASE(wanted_values_are_those_of_all),
		cmocka_unit_test(also_of_a_recording),
		CASE(damage_is_told_whatever_is_wanted),
		CASE(seconds_are_told_in_order_also_without_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
