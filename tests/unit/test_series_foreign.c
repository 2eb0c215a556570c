// SPDX-License-Identifier: BSD-2-Clause
/* series.h: a file that somebody else made or may write into is not continued, nor what lies beside it;
 * and what a file of ours should not have does nothing. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "series_util.h"

#define NOBODY 65534

/* One second by a writer of its own. */
static int append(struct fixture *fx, uint64_t seq)
{
	struct series_writer *w = writer(fx, "s3");
	struct second s;
	int err;

	second_init(&s);
	fill_second(&s, seq, (T0 + (int64_t)seq) * NS);
	err = series_writer_append(w, &s);
	second_release(&s);
	series_writer_free(w);
	return err;
}

static void refused(struct fixture *fx, const char *named, const char *because)
{
	assert_int_equal(append(fx, 100), -EPERM);
	append(fx, 100); /* the error is that of the last call */
	if (!strstr(series_error(), because) || !strstr(series_error(), named))
		fail_msg("'%s', '%s' not in: %s", named, because, series_error());
}

static void make(const char *path, mode_t mode, uid_t owner)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fchown(fd, owner, owner), 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void a_file_of_another_user_is_not_continued(void **state)
{
	struct fixture *fx = *state;

	if (geteuid())
		SKIP("needs root, for files of other users");
	make(day_path(fx, T0), 0666, NOBODY);
	refused(fx, ".limpet'", "belongs to another user");
	assert_int_equal(unlink(day_path(fx, T0)), 0);
	assert_int_equal(append(fx, 1), 0);
	assert_int_equal(chown(day_path(fx, T0), NOBODY, 0), 0);
	refused(fx, ".limpet'", "belongs to another user");
}

static void nor_is_one_that_others_may_write_into(void **state)
{
	struct fixture *fx = *state;

	assert_int_equal(append(fx, 1), 0);
	assert_int_equal(chmod(day_path(fx, T0), 0666), 0);
	refused(fx, ".limpet'", "others may write into it");
	assert_int_equal(chmod(day_path(fx, T0), 0644), 0);
	assert_int_equal(append(fx, 2), 0);
}

static void nor_what_is_no_file(void **state)
{
	struct fixture *fx = *state;

	assert_int_equal(mkfifo(day_path(fx, T0), 0600), 0);
	refused(fx, ".limpet'", "not a regular file");
}

static void what_lies_beside_is_looked_at_too(void **state)
{
	static const char *const beside[] = {"-wal", "-shm", "-journal"};
	struct fixture *fx = *state;

	if (geteuid())
		SKIP("needs root, for files of other users");
	for (size_t i = 0; i < 3; i++) {
		make(path_with(fx, T0, beside[i]), 0666, NOBODY);
		refused(fx, beside[i], "belongs to another user");
		assert_int_equal(unlink(path_with(fx, T0, beside[i])), 0);
	}
	assert_int_equal(append(fx, 1), 0);
	assert_int_equal(symlink("/nosuch", wal_path(fx, T0)), 0);
	refused(fx, "-wal", "not a regular file");
}

static void a_trigger_in_our_file_does_not_run(void **state)
{
	struct fixture *fx = *state;
	sqlite3 *db;
	sqlite3_stmt *st;

	assert_int_equal(append(fx, 1), 0);
	assert_int_equal(sqlite3_open(day_path(fx, T0), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				      "CREATE TRIGGER t AFTER INSERT ON chunk BEGIN "
				      "UPDATE meta SET value = 'planted' WHERE key = 'tool'; END",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	append(fx, 2); /* taken or not: nothing of it runs */
	assert_int_equal(sqlite3_open(day_path(fx, T0), &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM meta WHERE value = 'planted'",
					    -1, &st, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(st, 0), 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_of_another_user_is_not_continued),
		TEST(nor_is_one_that_others_may_write_into),
		TEST(nor_what_is_no_file),
		TEST(what_lies_beside_is_looked_at_too),
		TEST(a_trigger_in_our_file_does_not_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
