// SPDX-License-Identifier: BSD-2-Clause
/* push/answer.h and push/receiver.h: what receivers answer, and the files and lines that tell of them. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "userspace/push/answer.h"
#include "userspace/fetch/receiver.h"
#include "series_util.h"

#define A43 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define B43 "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB-_"

static int read_answer(struct answer *a, const char *text)
{
	return answer_read(a, text, strlen(text));
}

static void answers(void **state)
{
	struct answer a;

	(void)state;
	assert_int_equal(
		read_answer(&a,
			    "{\"live\": 1795230000000000000, \"more\": [{}], \"wait_ms\": 200}"),
		0);
	assert_int_equal(a.live_ns, 1795230000000000000);
	assert_int_equal(a.wait_ms, 200);
	assert_int_equal(a.cursor.kept, 0);
	assert_int_equal(read_answer(&a, "{}"), 0);
	assert_int_equal(a.live_ns, -1);
	assert_int_equal(read_answer(&a, "{\"kept\": 61, \"boot\": 1, \"device\": 7, \"metric\": "
					 "9, \"stack\": 0, \"user_stack\": 3}"),
			 0);
	assert_true(a.cursor.kept == 61 && a.cursor.boot == 1 && a.cursor.device == 7 &&
		    a.cursor.metric == 9 && a.cursor.stack == 0 && a.cursor.user_stack == 3);
	/* Half a cursor is none, and so is one before the first chunk. */
	assert_int_equal(read_answer(&a, "{\"kept\": 61, \"boot\": 1}"), 0);
	assert_int_equal(a.cursor.kept, 0);
	assert_int_equal(read_answer(&a, "{\"kept\": 0, \"boot\": 1, \"device\": 7, \"metric\": 9, "
					 "\"stack\": 0, \"user_stack\": 3}"),
			 0);
	assert_int_equal(a.cursor.kept, 0);
	assert_int_equal(read_answer(&a, "{\"wait_ms\": 99999999999}"), 0);
	assert_int_equal(a.wait_ms, EXCHANGE_WAIT_MAX_MS);
	assert_int_equal(read_answer(&a, "{\"error\": \"\\u001b[31mred\\u202e\"}"), 0);
	assert_string_equal(a.error, "?[31mred???");
	assert_int_equal(read_answer(&a, "{\"token\": \"" B43 "\"}"), 0);
	assert_string_equal(a.token, B43);
}

static void answers_that_are_none(void **state)
{
	static const char *const bad[] = {"",
					  "[]",
					  "7",
					  "{",
					  "{\"live\": 1",
					  "{} {}",
					  "\xff",
					  "{\"live\": -1}",
					  "{\"live\": 7300000000000000000}",
					  "{\"kept\": -1}",
					  "{\"wait_ms\": -5}",
					  "{\"kept\": 9223372036854775807}",
					  "{\"logs\": {}}",
					  "{\"token\": \"short\"}",
					  "{\"token\": \"" A43 "A\"}",
					  "{\"token\": \"" A43 "\\u000d\"}"};
	struct answer a;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (read_answer(&a, bad[i]) != -EBADMSG)
			fail_msg("taken: %s", bad[i]);
}

static void answers_about_logs(void **state)
{
	struct answer_log log;
	struct answer a;
	char path[64];

	(void)state;
	assert_int_equal(read_answer(&a, "{\"logs\": [{\"path\": \"a\\/\\u0062\", \"identity\": "
					 "\"1-2\", \"size\": 5}, {\"path\": \"c\", \"size\": 1}]}"),
			 0);
	assert_int_equal(answer_log(&a, &log), 1);
	assert_int_equal(part_text(log.path, path, sizeof(path)), 3);
	assert_string_equal(path, "a/b");
	assert_int_equal(log.size, 5);
	assert_int_equal(answer_log(&a, &log), -EBADMSG); /* no identity */
	assert_int_equal(
		read_answer(&a,
			    "{\"logs\": [{\"path\": \"a\", \"identity\": \"1\", \"size\": -5}]}"),
		0);
	assert_int_equal(answer_log(&a, &log), -EBADMSG);
	assert_int_equal(read_answer(&a, "{\"logs\": []}"), 0);
	assert_int_equal(answer_log(&a, &log), 0);
}

static void lines(void **state)
{
	static const char *const bad[] = {"",
					  "https://a:1",
					  "https://a:1#" A43,
					  "https://a:1#" A43 "." A43 "A",
					  "http://a:1#" A43 "." A43,
					  "https://#" A43 "." A43,
					  "https://a/b#" A43 "." A43,
					  "https://u@a:1#" A43 "." A43,
					  "https://a:1#" A43 "."
					  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+"};
	struct receiver r;
	char why[WHY_LEN];

	(void)state;
	assert_int_equal(receiver_of_line(&r, "https://[2001:db8::1]:8700#" A43 "." B43, why), 0);
	assert_string_equal(r.url, "https://[2001:db8::1]:8700");
	assert_string_equal(r.pin, A43);
	assert_string_equal(r.token, B43);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!receiver_of_line(&r, bad[i], why))
			fail_msg("taken: %s", bad[i]);
}

static void put_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void files(void **state)
{
	static const char *const bad[] = {"",
					  "url=https://a:1\n",
					  "token=" A43 "\n",
					  "url=http://a:1\ntoken=" A43 "\n",
					  "url=https://a:1\ntoken=short\n",
					  "url=https://a:1\ncert=/x\n",
					  "url=https://a:1\ntoken=" A43 "\nmore=1\n",
					  "url=https://a:1\ntoken=" A43 "\nnothing\n",
					  "url=https://a:1\ntoken=" A43 "\npin=x\n"};
	struct fixture *fx = *state;
	struct receiver r;
	struct receivers all;
	char path[400], dir[300], why[WHY_LEN];

	snprintf(dir, sizeof(dir), "%s/receivers", fx->dir);
	assert_int_equal(receivers_read(&all, dir), 0);
	assert_int_equal(all.n, 0);
	assert_int_equal(receiver_of_line(&r, "https://b:1#" A43 "." B43, why), 0);
	assert_int_equal(receiver_write(&r, dir), 0);
	snprintf(path, sizeof(path), "%s/a.conf", dir);
	put_file(path, "# a comment\n  url=https://a:1/ \r\n\ncert=/c\nkey=/k\nca=/a", 0600);
	assert_int_equal(receivers_read(&all, dir), 0);
	assert_int_equal(all.n, 2);
	assert_string_equal(all.at[0].url, "https://a:1");
	assert_string_equal(all.at[0].key, "/k");
	assert_string_equal(all.at[1].token, B43);
	assert_string_equal(all.at[1].pin, A43);
	/* Written again it is one file, and nothing else is left. */
	assert_int_equal(receiver_write(&r, dir), 0);
	assert_int_equal(receivers_read(&all, dir), 0);
	assert_int_equal(all.n, 2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		put_file(path, bad[i], 0600);
		if (!receivers_read(&all, dir))
			fail_msg("taken: %s", bad[i]);
	}
	put_file(path, "url=https://a:1\ntoken=" A43 "\n", 0600);
	assert_int_equal(receivers_read(&all, dir), 0);
	put_file(path, "url=https://a:1\ntoken=" A43 "\n", 0604);
	assert_int_equal(receivers_read(&all, dir), -EINVAL);
	unlink(path);
	assert_int_equal(symlink("b-1.conf", path), 0);
	assert_int_equal(receivers_read(&all, dir), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(answers_that_are_none),
		cmocka_unit_test(answers_about_logs),
		cmocka_unit_test(lines),
		cmocka_unit_test_setup_teardown(files, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
