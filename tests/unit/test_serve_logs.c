// SPDX-License-Identifier: BSD-2-Clause
/* logs_kept.h: logs as senders send them, when the disk is full, and after an end at any place; request_words.h. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "analyzer/serve/logs_kept.h"
#include "analyzer/serve/request_words.h"

struct box {
	char dir[64];
	struct logs_kept *k;
	uint64_t size;
	char why[WHY_LEN];
};

static void open_logs(struct box *b, uint64_t bytes, size_t files)
{
	logs_kept_free(b->k);
	assert_int_equal(logs_kept_new(&b->k, b->dir, &(struct logs_quota){bytes, files}, b->why),
			 0);
}

static int begin(void **state)
{
	struct box *b = calloc(1, sizeof(*b));

	*state = b;
	strcpy(b->dir, "/tmp/limpet-unit.XXXXXX");
	if (!mkdtemp(b->dir))
		return -1;
	open_logs(b, 0, 0);
	return 0;
}

static int end(void **state)
{
	struct box *b = *state;
	char command[128];

	logs_kept_free(b->k);
	snprintf(command, sizeof(command), "rm -r '%s'", b->dir);
	free(b);
	return system(command);
}

static int take(struct box *b, const char *path, const char *identity, uint64_t at,
		const char *text)
{
	const struct log_piece p = {"h", path, identity, at, text, strlen(text)};

	return logs_kept_take(b->k, &p, &b->size, b->why);
}

static void assert_file(const struct box *b, const char *path, const char *text)
{
	char full[256], got[256] = "";
	FILE *f;

	snprintf(full, sizeof(full), "%s/logs/h/%s", b->dir, path);
	f = fopen(full, "r");
	assert_int_equal(f != NULL, text != NULL);
	if (!f)
		return;
	got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(got, text);
}

static void bytes_are_taken_where_a_log_ends(void **state)
{
	struct box *b = *state;

	assert_int_equal(take(b, "a/x", "1", 3, "not yet"), 0);
	assert_int_equal(b->size, 0);
	assert_int_equal(take(b, "a/x", "1", 0, "one"), 0);
	assert_int_equal(b->size, 3);
	assert_int_equal(take(b, "a/x", "1", 0, "one"), 0);
	assert_int_equal(b->size, 3);
	open_logs(b, 0, 0);
	assert_int_equal(take(b, "a/x", "1", 0, ""), 0);
	assert_int_equal(b->size, 3);
	assert_int_equal(take(b, "a/x", "1", 3, "two"), 0);
	assert_file(b, "a/x", "onetwo");
	assert_int_equal(take(b, "a", "2", 0, "a folder is there"), -EINVAL);
	assert_int_equal(take(b, "a/x/y", "3", 0, "a file is there"), -EINVAL);
}

/* After an end between any two steps: the row without the file, the file without the row, the name taken. */
static void an_end_at_any_place(void **state)
{
	struct box *b = *state;
	char path[256];

	assert_int_equal(take(b, "x", "1", 0, "one"), 0);
	snprintf(path, sizeof(path), "%s/logs/h/x", b->dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(take(b, "x", "1", 0, ""), 0);
	assert_int_equal(b->size, 0);
	assert_int_equal(take(b, "x", "1", 0, "again"), 0);
	assert_file(b, "x", "again");
	assert_file(b, "x.1", NULL);

	snprintf(path, sizeof(path), "%s/logs.db", b->dir);
	logs_kept_free(b->k);
	b->k = NULL;
	assert_int_equal(unlink(path), 0);
	open_logs(b, 0, 0);
	assert_int_equal(take(b, "x", "1", 0, ""), 0);
	assert_int_equal(b->size, 0);
	assert_int_equal(take(b, "x", "1", 0, "anew"), 0);
	assert_file(b, "x", "anew");
	assert_file(b, "x.1", "again");
}

/* As rotation does: each is there once, under the name that it has when more of it comes; and what is in the way is put aside. */
static void rotated(void **state)
{
	struct box *b = *state;

	assert_int_equal(take(b, "app", "X", 0, "new"), 0);
	assert_int_equal(take(b, "app.1", "Y", 0, "old"), 0);
	/* All of it is there: nothing is wanted, and nothing changes. */
	assert_int_equal(take(b, "app.1", "X", 0, ""), 0);
	assert_int_equal(b->size, 3);
	assert_int_equal(take(b, "app.2", "Y", 0, ""), 0);
	assert_int_equal(b->size, 3);
	assert_file(b, "app", "new");
	assert_int_equal(take(b, "app", "Z", 0, "newest"), 0);
	assert_file(b, "app", "newest");
	assert_file(b, "app.1", "old");
	assert_file(b, "app.2", "new");
	/* The last lines of one that has another name now. */
	assert_int_equal(take(b, "app.1", "X", 3, "er"), 0);
	assert_int_equal(b->size, 5);
	assert_file(b, "app.1", "newer");
	assert_file(b, "app.2", NULL);
	assert_file(b, "app.1.1", "old");
	assert_int_equal(take(b, "app.2", "Y", 0, ""), 0);
	assert_int_equal(b->size, 3);
}

static void another_log_of_the_same_name(void **state)
{
	struct box *b = *state;

	assert_int_equal(take(b, "x", "A", 0, "a"), 0);
	assert_int_equal(take(b, "x", "B", 1, "not at its beginning"), 0);
	assert_file(b, "x", "a");
	assert_int_equal(take(b, "x", "B", 0, "bb"), 0);
	assert_file(b, "x", "bb");
	assert_file(b, "x.1", "a");
	assert_int_equal(take(b, "x.1", "A", 0, ""), 0);
	assert_int_equal(b->size, 1);
	assert_int_equal(take(b, "x", "C", 0, "ccc"), 0);
	assert_file(b, "x.1", "a");
	assert_file(b, "x.2", "bb");
	/* The first name aside is a folder. */
	assert_int_equal(take(b, "y.1/z", "1", 0, "z"), 0);
	assert_int_equal(take(b, "y", "2", 0, "2"), 0);
	assert_int_equal(take(b, "y", "3", 0, "3"), 0);
	assert_file(b, "y.2", "2");
}

/* Of what the disk does not take, nothing counts. */
static void a_full_disk(void **state)
{
	struct box *b = *state;
	struct rlimit before, most;

	assert_int_equal(take(b, "x", "1", 0, "0123456789"), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	most = before;
	most.rlim_cur = 15;
	setrlimit(RLIMIT_FSIZE, &most);
	assert_int_equal(take(b, "x", "1", 10, "0123456789"), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_file(b, "x", "0123456789");
	assert_int_equal(take(b, "x", "1", 10, "abc"), 0);
	assert_file(b, "x", "0123456789abc");
}

static void the_quota_of_a_host(void **state)
{
	struct box *b = *state;
	const struct log_piece other = {"other", "x", "1", 0, "0123456789", 10};
	char path[256];

	open_logs(b, 10, 3);
	assert_int_equal(take(b, "x", "1", 0, "01234567890"), -EDQUOT);
	assert_int_equal(take(b, "x", "1", 0, "012345678"), 0);
	assert_int_equal(take(b, "x", "1", 9, "90"), -EDQUOT);
	assert_int_equal(b->size, 9);
	assert_int_equal(take(b, "x", "1", 9, "9"), 0);
	assert_int_equal(logs_kept_take(b->k, &other, &b->size, b->why), 0);
	/* Counted again after a start, and where somebody made room. */
	open_logs(b, 10, 3);
	assert_int_equal(take(b, "y", "2", 0, "y"), -EDQUOT);
	assert_non_null(strstr(b->why, "'h'"));
	snprintf(path, sizeof(path), "%s/logs/h/x", b->dir);
	assert_int_equal(truncate(path, 1), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(take(b, i ? "z" : "y", i ? "3" : "2", 0, "y"), 0);
	assert_int_equal(take(b, "too many", "4", 0, "y"), -EDQUOT);
	assert_int_equal(take(b, "x", "1", 1, "more"), 0);
}

static void words_of_requests(void **state)
{
	static const char *const hosts[] = {"{\"host\":\"a-1.b\"}",
					    " { \"x\": [1, {}], \"host\" : \"a-1.b\" } "};
	static const char *const none[] = {"",
					   "{}",
					   "{\"host\":\"a\"",
					   "{\"host\":5}",
					   "{\"host\":\"a b\"}",
					   "{\"host\":\"\\u0061\"}",
					   "{\"host\":\"a\"}}",
					   "[\"host\"]",
					   "{\"host\":\"..\"}"};
	char host[HOST_LEN];
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(enrolment_host(hosts[i], strlen(hosts[i]), host), 0);
		assert_string_equal(host, "a-1.b");
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_int_equal(enrolment_host(none[i], strlen(none[i]), host), -EINVAL);
	assert_int_equal(series_file_host("a-20260101-20260102.limpet", host), 0);
	assert_string_equal(host, "a-20260101");
	for (const char **file =
		     (const char *[]){"", "-20260101.limpet", "a20260101.limpet",
				      "a-2026010.limpet", "a-20260101.limpet2",
				      "a/b-20260101.limpet", "..-20260101.limpet", NULL};
	     *file; file++)
		assert_int_equal(series_file_host(*file, host), -EINVAL);
	assert_int_equal(origin_ns("9223372036854775807", &ns), 0);
	assert_true(ns == INT64_MAX);
	for (const char **text = (const char *[]){"", "-1", "+1", " 1", "1 ", "9223372036854775808",
						  "10000000000000000000000", "0x1", NULL};
	     *text; text++)
		assert_int_equal(origin_ns(*text, &ns), -EINVAL);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_are_taken_where_a_log_ends),
		TEST(an_end_at_any_place),
		TEST(rotated),
		TEST(another_log_of_the_same_name),
		TEST(a_full_disk),
		TEST(the_quota_of_a_host),
		cmocka_unit_test(words_of_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
