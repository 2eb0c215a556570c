// SPDX-License-Identifier: BSD-2-Clause
/* series.h, "copying a file": what is kept is what is there, whatever comes between. */
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
#include <time.h>

#include "copy_util.h"

/* While it is written and packed, with a keeper that is closed, and a copy that is opened anew, now and then. */
static void grows(void **state)
{
	struct pair p;
	int n = 0;

	pair_begin(&p, *state);
	for (int i = 0; i < 40; i++) {
		put_seconds(&p, 11);
		n += copy_all(&p, 0);
		if (i % 7 == 3)
			stop_keeper(&p);
		if (i % 10 == 9)
			stop_copy(&p);
		if (n)
			assert_true(digest_of(p.kept).rows > 0 || i < 6);
	}
	stop_writer(&p);
	assert_true(copy_all(&p, INT64_MAX) >= 1);
	assert_int_equal(copy_all(&p, INT64_MAX), 0);
	stop_keeper(&p);
	assert_same_files(p.path, p.kept);
	pair_end(&p);
}

/* Seconds that were not packed count once they are old; packed later, the minute takes their place. */
static void packed_later(void **state)
{
	struct pair p;
	int64_t singles;

	pair_begin(&p, *state);
	put_seconds(&p, 100);
	copy_all(&p, 0);
	singles = query(p.kept, "SELECT count(*) FROM chunk WHERE seconds = 1");
	assert_int_equal(singles, 0);
	/* Up to a second, and no further. */
	copy_all(&p, (T0 + 90) * NS);
	assert_int_equal(query(p.kept, "SELECT max(last_ns) FROM chunk"), (T0 + 89) * NS);
	copy_all(&p, INT64_MAX);
	assert_int_equal(differing(p.path, p.kept, "chunk"), 0);
	assert_true(query(p.kept, "SELECT count(*) FROM chunk WHERE seconds = 1") > 0);
	put_seconds(&p, 100);
	copy_all(&p, 0);
	assert_int_equal(query(p.kept, "SELECT count(*) FROM chunk WHERE seconds = 1"), 0);
	stop_writer(&p);
	copy_all(&p, INT64_MAX);
	stop_keeper(&p);
	assert_same_files(p.path, p.kept);
	pair_end(&p);
}

/* A probe that was killed, and one that begins later: of two runs, and of a clock that was set back. */
static void begun_again(void **state)
{
	struct pair p;
	pid_t child;
	int status;

	pair_begin(&p, *state);
	stop_writer(&p);
	child = fork();
	if (!child) {
		pair_start(&p);
		put_seconds(&p, 70);
		_exit(0);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	copy_all(&p, INT64_MAX);
	assert_int_equal(digest_of(p.kept).rows, (uint64_t)(70 * FAM_COUNT));
	p.seq = 200;
	pair_start(&p);
	put_seconds(&p, 70);
	copy_all(&p, 0);
	stop_writer(&p);
	p.seq = 150;
	pair_start(&p);
	put_seconds(&p, 100);
	stop_writer(&p);
	copy_all(&p, INT64_MAX);
	assert_int_equal(query(p.kept, "SELECT count(*) FROM boot"), 3);
	stop_keeper(&p);
	/* Seconds of the run before that were copied one by one may be a minute there now. */
	assert_same_rows(p.path, p.kept);
	pair_end(&p);
}

/* The last chunks are gone, as after a power failure of the receiver: they come again. All of it is gone: too. */
static void set_back(void **state)
{
	struct pair p;

	pair_begin(&p, *state);
	put_seconds(&p, 400);
	stop_writer(&p);
	copy_all(&p, INT64_MAX);
	stop_keeper(&p);
	sql(p.kept, "DELETE FROM chunk WHERE id > 100; DELETE FROM stack WHERE id > 1;"
		    "DELETE FROM device WHERE id > 2; UPDATE meta SET value ="
		    " (SELECT max(id + seconds) - 1 FROM chunk) WHERE key = 'packed'");
	copy_all(&p, INT64_MAX);
	stop_keeper(&p);
	assert_same_files(p.path, p.kept);
	unlink(p.kept);
	copy_all(&p, INT64_MAX);
	/* Also while it is open, and when another one lies there. */
	unlink(p.kept);
	copy_all(&p, INT64_MAX);
	assert_int_equal(copy_all(&p, INT64_MAX), 0);
	stop_keeper(&p);
	assert_same_files(p.path, p.kept);
	pair_end(&p);
}

/* A part that was sent again, and one for a receiver that had more: nothing happens. */
static void out_of_order(void **state)
{
	struct series_cursor at = {.kept = 1}, next, now;
	struct text first TEXT_SCOPED = {0}, second TEXT_SCOPED = {0};
	struct digest before;
	struct pair p;

	pair_begin(&p, *state);
	put_seconds(&p, 200);
	stop_writer(&p);
	copy_one(&p, 0);
	assert_int_equal(series_copy_out(p.c, &at, 0, &first, &next), 1);
	assert_int_equal(series_copy_out(p.c, &next, 0, &second, &at), 1);
	assert_true(next.kept > 1 && at.kept > next.kept);
	before = digest_of(p.kept);
	assert_int_equal(series_keeper_take(p.k, text_of(&first), first.len), 0);
	series_keeper_cursor(p.k, &now);
	assert_memory_equal(&now, &next, sizeof(now));
	assert_int_equal(digest_of(p.kept).sum, before.sum);
	stop_keeper(&p);
	unlink(p.kept);
	assert_int_equal(copy_one(&p, 0), 1);
	stop_keeper(&p);
	unlink(p.kept);
	{
		char *aside;

		assert_int_equal(series_keeper_open(&p.k, p.to, FILE_NAME, "s3",
						    series_copy_origin(p.c), &aside),
				 0);
	}
	assert_int_equal(series_keeper_take(p.k, text_of(&second), second.len), 0);
	series_keeper_cursor(p.k, &now);
	assert_true(now.kept == 1 && !now.boot && access(p.kept, F_OK));
	assert_int_equal(series_keeper_take(p.k, text_of(&first), first.len), 0);
	assert_int_equal(series_keeper_take(p.k, text_of(&second), second.len), 0);
	assert_int_equal(series_keeper_take(p.k, text_of(&second), second.len), 0);
	series_keeper_cursor(p.k, &now);
	assert_memory_equal(&now, &at, sizeof(now));
	copy_all(&p, 0);
	stop_keeper(&p);
	assert_same_files(p.path, p.kept);
	pair_end(&p);
}

/* ---- devices ---- */

static void identify(struct pair *p, enum metric_family family, const char *name, const char *model)
{
	struct device_identity id = {.family = family, .rotational = 1, .size_bytes = 4711};

	snprintf(id.name, sizeof(id.name), "%s", name);
	snprintf(id.model, sizeof(id.model), "%s", model);
	snprintf(id.detail, sizeof(id.detail), "/jobs");
	assert_int_equal(series_writer_identity(p->w, &id), 0);
}

/* An identity that was known later than the device, and one that changed. */
static void devices(void **state)
{
	struct pair p;

	pair_begin(&p, *state);
	put_seconds(&p, 70);
	copy_all(&p, 0);
	assert_int_equal(query(p.kept, "SELECT count(*) FROM device WHERE model IS NOT NULL"), 0);
	identify(&p, FAM_DISK, "loop3", "one");
	identify(&p, FAM_PROCESS, "fio:1234", "");
	put_seconds(&p, 70);
	copy_all(&p, 0);
	assert_int_equal(differing(p.path, p.kept, "device"), 0);
	assert_int_equal(query(p.kept, "SELECT count(*) FROM device WHERE model = 'one'"), 1);
	identify(&p, FAM_DISK, "loop3", "two");
	put_seconds(&p, 70);
	stop_writer(&p);
	copy_all(&p, 0);
	assert_int_equal(query(p.kept, "SELECT count(*) FROM device WHERE name = 'loop3'"), 2);
	stop_keeper(&p);
	assert_same_files(p.path, p.kept);
	pair_end(&p);
}

/* ---- the sender's file ---- */

/* A copy that is open sees a writer that comes later, keeps it from nothing, and tells when the file is no longer the one it opened. */
static void kept_open(void **state)
{
	struct series_cursor at, next;
	struct text part TEXT_SCOPED = {0};
	char wal[700], moved[700];
	struct stat st;
	struct pair p;

	pair_begin(&p, *state);
	put_seconds(&p, 100);
	stop_writer(&p);
	copy_all(&p, 0);
	pair_start(&p);
	put_seconds(&p, 100);
	assert_true(copy_all(&p, 0) >= 1);
	/* Nothing is held up: all of the -wal is in the file. */
	assert_int_equal(query(p.path, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
	put_seconds(&p, 5);
	stop_writer(&p);
	snprintf(wal, sizeof(wal), "%s-wal", p.path);
	assert_true(stat(wal, &st) || !st.st_size);
	copy_all(&p, 0);
	stop_keeper(&p);
	assert_same_files(p.path, p.kept);
	copy_one(&p, 0);
	series_keeper_cursor(p.k, &at);
	snprintf(moved, sizeof(moved), "%s.moved", p.path);
	assert_int_equal(rename(p.path, moved), 0);
	assert_int_equal(series_copy_out(p.c, &at, 0, &part, &next), -ENOENT);
	assert_non_null(strstr(series_error(), p.path));
	unlink(wal);
	pair_start(&p);
	put_seconds(&p, 5);
	assert_int_equal(series_copy_out(p.c, &at, 0, &part, &next), -ESTALE);
	assert_int_equal(part.len, 0);
	pair_end(&p);
}

/* Seconds that the sender's own file lacks are told, and not waited for. */
static void holes(void **state)
{
	struct pair p;

	pair_begin(&p, *state);
	put_seconds(&p, 200);
	stop_writer(&p);
	assert_int_equal(copy_one(&p, 0), 1);
	sql(p.path, "DELETE FROM chunk WHERE id = (SELECT id FROM chunk LIMIT 1 OFFSET 1)");
	stop_copy(&p);
	assert_int_equal(copy_one(&p, 0), -ENODATA);
	pair_end(&p);
}

static void copy_file(const char *from, const char *to)
{
	char command[1500];

	snprintf(command, sizeof(command), "cp '%s' '%s'", from, to);
	assert_int_equal(system(command), 0);
}

/* A power failure of the sender: seconds that were copied are gone there, and others have their numbers. Both are kept. */
static void sender_set_back(void **state)
{
	char early[700], aside[700];
	struct digest lost;
	struct pair p;

	for (int later = 0; later < 3; later++) {
		pair_begin(&p, *state);
		snprintf(early, sizeof(early), "%s/early", p.from);
		put_seconds(&p, 150);
		stop_writer(&p);
		copy_file(p.path, early);
		pair_start(&p);
		put_seconds(&p, 60 + 30 * later);
		stop_writer(&p);
		copy_all(&p, INT64_MAX);
		lost = digest_of(p.kept);
		stop_copy(&p);
		assert_int_equal(rename(early, p.path), 0);
		pair_start(&p);
		p.seq = 1000;
		put_seconds(&p, 200);
		stop_writer(&p);
		assert_int_equal(copy_one(&p, INT64_MAX), -EEXIST);
		snprintf(aside, sizeof(aside), "%s/s3-20261121-1.limpet", p.to);
		assert_non_null(strstr(series_error(), aside));
		assert_int_equal(digest_of(aside).sum, lost.sum);
		copy_all(&p, INT64_MAX);
		stop_keeper(&p);
		assert_same_files(p.path, p.kept);
		pair_end(&p);
		remove_tree(p.from);
		remove_tree(p.to);
	}
}

/* ---- the receiver's file ---- */

/* Another file of that name: the one before is renamed. A damaged one: too, to a name that is no recording's. */
static void another(void **state)
{
	struct series_cursor at;
	char *aside, taken[700];
	struct pair p;
	int fd;

	pair_begin(&p, *state);
	put_seconds(&p, 130);
	copy_all(&p, 0);
	stop_keeper(&p);
	/* What lies beside a name that is free is nobody's. */
	snprintf(taken, sizeof(taken), "%s/s3-20261121-1.limpet-wal", p.to);
	assert_int_equal(fill_file(taken, 10), 0);
	assert_int_equal(series_keeper_open(&p.k, p.to, FILE_NAME, "s3", 4711, &aside), 0);
	assert_non_null(strstr(aside, "s3-20261121-2.limpet"));
	assert_true(digest_of(aside).rows > 0);
	free(aside);
	series_keeper_cursor(p.k, &at);
	assert_int_equal(at.kept, 1);
	stop_keeper(&p);
	copy_all(&p, 0);
	stop_keeper(&p);
	assert_int_equal(truncate(p.kept, 5000), 0);
	assert_int_equal(
		series_keeper_open(&p.k, p.to, FILE_NAME, "s3", series_copy_origin(p.c), &aside),
		0);
	assert_non_null(aside);
	assert_non_null(strstr(aside, "s3-20261121-1.damaged"));
	free(aside);
	copy_all(&p, 0);
	assert_true(digest_of(p.kept).rows > 0);
	/* Damaged while it is open. */
	fd = open(p.kept, O_WRONLY | O_CLOEXEC);
	stop_keeper(&p);
	copy_one(&p, 0);
	for (off_t at_byte = 1024; at_byte < 40 * 4096; at_byte += 1024)
		assert_int_equal(pwrite(fd, "damage", 6, at_byte), 6);
	close(fd);
	put_seconds(&p, 130);
	assert_int_equal(copy_one(&p, 0), -EEXIST);
	assert_non_null(strstr(series_error(), "s3-20261121-2.damaged"));
	copy_all(&p, 0);
	assert_true(digest_of(p.kept).rows > 0);
	pair_end(&p);
}

/* What a reader would refuse is not gone on with. */
static void damaged(void **state)
{
	static const char *const how[] = {
		"DELETE FROM chunk WHERE id = 1",
		"UPDATE chunk SET seconds = seconds - 1 WHERE id = 1",
		"UPDATE chunk SET seconds = 1000 WHERE id = (SELECT max(id) FROM chunk)",
		"UPDATE chunk SET last_ns = last_ns + 86400000000000",
		"DELETE FROM chunk WHERE id = (SELECT max(id) FROM chunk)",
		"UPDATE metric SET adler = 1 WHERE id = 3",
		"UPDATE metric SET per = 2 WHERE id = 3",
		"ALTER TABLE device RENAME COLUMN detail TO other",
		"DROP TABLE boot; CREATE TABLE boot(x)",
		"PRAGMA application_id = 7",
	};
	struct pair p;
	char *aside;

	pair_begin(&p, *state);
	put_seconds(&p, 200);
	stop_writer(&p);
	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		copy_all(&p, 0);
		stop_keeper(&p);
		sql(p.kept, how[i]);
		assert_int_equal(series_keeper_open(&p.k, p.to, FILE_NAME, "s3",
						    series_copy_origin(p.c), &aside),
				 0);
		if (!aside || !strstr(aside, ".damaged"))
			fail_msg("not seen: %s", how[i]);
		free(aside);
	}
	copy_all(&p, 0);
	stop_keeper(&p);
	assert_same_files(p.path, p.kept);
	/* Of a newer limpet: it is whole, for that one. */
	sql(p.kept, "PRAGMA user_version = 99");
	assert_int_equal(
		series_keeper_open(&p.k, p.to, FILE_NAME, "s3", series_copy_origin(p.c), &aside),
		0);
	assert_non_null(strstr(aside, "s3-20261121-1.limpet"));
	free(aside);
	pair_end(&p);
}

/* Names that are none of a series file of this host. */
static void names(void **state)
{
	static const char *const wrong[] = {"s4-20261121.limpet",     "s3-20261121-1.limpet",
					    "s3-20261131.limpet",     "s3-2026112.limpet",
					    "../s3-20261121.limpet",  "s3.limpet",
					    "s3-20261121.limpet-wal", ""};
	struct fixture *fx = *state;
	struct series_keeper *k;
	char *aside, dir[400];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(series_keeper_open(&k, fx->dir, wrong[i], "s3", 1, &aside),
				 -EINVAL);
	assert_int_equal(series_keeper_open(&k, fx->dir, FILE_NAME, "s/3", 1, &aside), -EINVAL);
	assert_int_equal(series_keeper_open(&k, fx->dir, FILE_NAME, "s3", -1, &aside), -EINVAL);
	/* What is no file is moved out of the way, and a link is not followed. */
	snprintf(dir, sizeof(dir), "%s/%s", fx->dir, FILE_NAME);
	assert_int_equal(mkfifo(dir, 0600), 0);
	assert_int_equal(series_keeper_open(&k, fx->dir, FILE_NAME, "s3", 1, &aside), 0);
	assert_non_null(strstr(aside, "-1.damaged"));
	free(aside);
	series_keeper_close(k);
	assert_int_equal(symlink("/etc/passwd", dir), 0);
	assert_int_equal(series_keeper_open(&k, fx->dir, FILE_NAME, "s3", 1, &aside), -ELOOP);
}

/* The process ends at any moment: what was taken is there, and a reader takes it. */
static void killed(void **state)
{
	struct pair p;
	int64_t before = 0;

	pair_begin(&p, *state);
	put_seconds(&p, 1200);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child) {
			struct pair own = {0};

			memcpy(own.to, p.to, sizeof(p.to));
			memcpy(own.path, p.path, sizeof(p.path));
			copy_all(&own, INT64_MAX);
			_exit(0);
		}
		usleep((useconds_t)(i * 1500));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		if (!access(p.kept, F_OK) && query(p.kept, "SELECT count(*) FROM sqlite_schema")) {
			int64_t now = query(p.kept, "SELECT coalesce(max(id + seconds), 1) FROM"
						    " chunk");

			assert_true(now >= before);
			before = now;
			if (now > 1)
				assert_int_equal(digest_of(p.kept).rows,
						 (uint64_t)((now - 1) * FAM_COUNT));
		}
	}
	copy_all(&p, INT64_MAX);
	stop_keeper(&p);
	assert_same_files(p.path, p.kept);
	pair_end(&p);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(grows),	 WITH_FIXTURE(packed_later), WITH_FIXTURE(begun_again),
		WITH_FIXTURE(set_back),	 WITH_FIXTURE(out_of_order), WITH_FIXTURE(devices),
		WITH_FIXTURE(kept_open), WITH_FIXTURE(holes),	     WITH_FIXTURE(sender_set_back),
		WITH_FIXTURE(another),	 WITH_FIXTURE(damaged),	     WITH_FIXTURE(names),
		WITH_FIXTURE(killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
