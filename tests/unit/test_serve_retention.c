// SPDX-License-Identifier: BSD-2-Clause
/* serve/retention.h: the oldest days go, of all servers, and nothing else. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/serve/retention.h"
#include "series_util.h"

#define NOW ((T0 + 3 * 86400) * NS) /* 2026-11-24 */

static void put(const struct fixture *fx, const char *name)
{
	char path[600], *slash;
	int fd;

	snprintf(path, sizeof(path), "%s/series", fx->dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/series/%s", fx->dir, name);
	slash = strrchr(path, '/');
	*slash = '\0';
	mkdir(path, 0700);
	*slash = '/';
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static bool there(const struct fixture *fx, const char *name)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/series/%s", fx->dir, name);
	return !access(path, F_OK);
}

static void put_days(const struct fixture *fx)
{
	char name[100];

	for (int day = 20; day < 25; day++)
		for (int host = 1; host <= 3; host++) {
			snprintf(name, sizeof(name), "s%d/s%d-202611%d.limpet", host, host, day);
			put(fx, name);
		}
	put(fx, "s1/s1-20261120-1.limpet");
	put(fx, "s1/s1-20261120-1.damaged");
	put(fx, "s1/s1-20261120.limpet-wal");
	put(fx, "s1/notes-20261101.txt");
	put(fx, "s2/s1-20261101.limpet");
	/* A clock that is ahead pushes nobody out. */
	for (int day = 1; day < 10; day++) {
		snprintf(name, sizeof(name), "s1/s1-2027010%d.limpet", day);
		put(fx, name);
	}
}

static void days_are_kept(void **state)
{
	struct fixture *fx = *state;
	struct retention r = {0};

	put_days(fx);
	retention_look(&r, &(struct retention_opts){fx->dir, 0, 100}, NOW);
	assert_true(there(fx, "s1/s1-20261120.limpet"));
	retention_look(&r, &(struct retention_opts){fx->dir, 3, 100}, NOW);
	assert_false(there(fx, "s1/s1-20261120.limpet") || there(fx, "s3/s3-20261121.limpet"));
	assert_false(there(fx, "s1/s1-20261120-1.limpet") ||
		     there(fx, "s1/s1-20261120-1.damaged") ||
		     there(fx, "s1/s1-20261120.limpet-wal"));
	assert_true(there(fx, "s1/s1-20261122.limpet") && there(fx, "s3/s3-20261124.limpet"));
	/* What is no recording of the folder's server is not touched. */
	assert_true(there(fx, "s1/notes-20261101.txt") && there(fx, "s2/s1-20261101.limpet"));
}

/* Days are counted from the newest one that there is. */
static void the_clock_is_ahead(void **state)
{
	const struct fixture *fx = *state;
	struct retention r = {0};

	put_days(fx);
	retention_look(&r, &(struct retention_opts){fx->dir, 3, 100}, NOW + 40 * 86400 * NS);
	for (int host = 1; host <= 3; host++)
		for (int day = 22; day < 25; day++) {
			char name[100];

			snprintf(name, sizeof(name), "s%d/s%d-202611%d.limpet", host, host, day);
			assert_true(there(fx, name));
		}
	assert_false(there(fx, "s1/s1-20261121.limpet"));
}

/* However full the disk is, the newest two days stay. */
static void a_full_disk(void **state)
{
	struct fixture *fx = *state;
	struct retention r = {0};

	put_days(fx);
	retention_look(&r, &(struct retention_opts){fx->dir, 0, 0}, NOW);
	if (there(fx, "s1/s1-20261122.limpet"))
		skip(); /* a disk of which nothing is used */
	assert_false(there(fx, "s2/s2-20261122.limpet"));
	for (int host = 1; host <= 3; host++) {
		char name[100];

		snprintf(name, sizeof(name), "s%d/s%d-20261123.limpet", host, host);
		assert_true(there(fx, name));
	}
	assert_string_equal(r.gone, "20261122");
	assert_true(there(fx, "s1/s1-20270101.limpet"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(days_are_kept, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(the_clock_is_ahead, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_full_disk, fixture_setup, fixture_teardown),
	};

	/* On a disk of which something is used. */
	setenv("TMPDIR", "/var/tmp", 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
