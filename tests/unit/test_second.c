// SPDX-License-Identifier: BSD-2-Clause
/* second.h: rows are NaN until set, memory is reused, nothing is lost on growth. */
#include "unit.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "userspace/second/second.h"

static void new_rows_have_nothing_measured(void **state)
{
	struct second s;
	struct second_row *row;

	(void)state;
	second_init(&s);
	row = second_add_row(&s, FAM_DISK, "sda", 1);
	assert_non_null(row);
	assert_int_equal(row->family, FAM_DISK);
	assert_string_equal(row->instance, "sda");
	for (int m = 0; m < M_COUNT; m++)
		assert_true(isnan(second_value(row, m)));
	assert_non_null(row->lat);
	for (size_t i = 0; i < LAT_BUCKETS; i++)
		assert_int_equal(row->lat->n[LAT_OPS - 1][LAT_SIZES - 1][i], 0);
	row = second_add_row(&s, FAM_TCP, "", 0);
	assert_null(row->lat);
	assert_int_equal(s.n_rows, 2);
	second_release(&s);
}

/* Each metric of its family has a place of its own; those of others have none. */
static void a_row_has_the_values_of_its_family(void **state)
{
	struct second_row row;
	int most = 0;

	(void)state;
	for (int f = 0; f < FAM_COUNT; f++) {
		int n = metric_first[f + 1] - metric_first[f];

		assert_true(n > 0 && n <= METRICS_OF_FAMILY);
		most = n > most ? n : most;
		second_row_init(&row, (enum metric_family)f, "x");
		for (int m = metric_first[f]; m < metric_first[f + 1]; m++) {
			assert_int_equal(metrics[m].family, f);
			assert_true(second_set(&row, m, m + 0.5) == m + 0.5);
		}
		for (int m = -1; m <= M_COUNT; m++) {
			double x = second_value(&row, m);

			if (m >= 0 && m < M_COUNT && (int)metrics[m].family == f)
				assert_true(x == m + 0.5);
			else
				assert_true(isnan(x));
		}
	}
	assert_int_equal(most, METRICS_OF_FAMILY);
}

static void a_value_of_another_family_ends_the_program(void **state)
{
	struct second_row row;
	int status = 0;
	pid_t pid;

	(void)state;
	second_row_init(&row, FAM_DISK, "sda");
	pid = fork();
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		setrlimit(RLIMIT_CORE, &(struct rlimit){0});
		second_set(&row, M_RXKB_S, 1);
		_exit(0);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void rows_survive_growth(void **state)
{
	struct second s;
	char name[INSTANCE_LEN];

	(void)state;
	second_init(&s);
	for (int i = 0; i < 100; i++) {
		struct second_row *row;

		snprintf(name, sizeof(name), "d%d", i);
		row = second_add_row(&s, FAM_DISK, name, i % 2);
		assert_non_null(row);
		second_set(row, M_IOPS, i);
	}
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		assert_string_equal(s.rows[i].instance, name);
		assert_true(second_value(&s.rows[i], M_IOPS) == i);
		assert_int_equal(s.rows[i].lat != NULL, i % 2);
	}
	second_release(&s);
	assert_null(s.rows);
	assert_int_equal(s.n_rows, 0);
}

static void cleared_rows_do_not_shine_through(void **state)
{
	struct second s;
	struct second_row *row;

	(void)state;
	second_init(&s);
	for (int round = 0; round < 3; round++) {
		row = second_add_row(&s, FAM_DISK, "sda", round != 1);
		second_set(row, M_AWAIT, 7);
		if (row->lat)
			row->lat->n[0][0][0] = 9;
		second_clear(&s);
		assert_int_equal(s.n_rows, 0);
		row = second_add_row(&s, FAM_DISK, "x", 1);
		assert_string_equal(row->instance, "x");
		assert_true(isnan(second_value(row, M_AWAIT)));
		assert_int_equal(row->lat->n[0][0][0], 0);
		second_clear(&s);
	}
	second_release(&s);
	second_release(&s); /* harmless */
}

static void long_names_are_cut_and_end(void **state)
{
	struct second s;
	char name[3 * INSTANCE_LEN];

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = 0;
	second_init(&s);
	assert_int_equal(strlen(second_add_row(&s, FAM_NET, name, 0)->instance), INSTANCE_LEN - 1);
	second_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_rows_have_nothing_measured),
		cmocka_unit_test(a_row_has_the_values_of_its_family),
		cmocka_unit_test(a_value_of_another_family_ends_the_program),
		cmocka_unit_test(rows_survive_growth),
		cmocka_unit_test(cleared_rows_do_not_shine_through),
		cmocka_unit_test(long_names_are_cut_and_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
