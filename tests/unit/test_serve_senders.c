// SPDX-License-Identifier: BSD-2-Clause
/* senders.h: who may send, in memory and in the database, which other processes change; tls.h: the service's key. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/serve/senders.h"
#include "analyzer/http/tls.h"
#include "userspace/common/clock.h"

/* Two processes have the database open: one, and the other. */
struct two {
	char dir[64];
	sqlite3 *db[2];
	struct senders *one, *other;
	char why[WHY_LEN], line[EXCHANGE_TOKEN_LEN + 1], token[EXCHANGE_TOKEN_LEN + 1];
};

static int begin(void **state)
{
	struct two *t = calloc(1, sizeof(*t));

	*state = t;
	strcpy(t->dir, "/tmp/limpet-unit.XXXXXX");
	return !t || !mkdtemp(t->dir) || senders_database(&t->db[0], t->dir, t->why) ||
	       senders_database(&t->db[1], t->dir, t->why) ||
	       senders_new(&t->one, t->db[0], t->why) || senders_new(&t->other, t->db[1], t->why);
}

static int end(void **state)
{
	struct two *t = *state;
	char command[128];

	senders_free(t->one);
	senders_free(t->other);
	sqlite3_close(t->db[0]);
	sqlite3_close(t->db[1]);
	snprintf(command, sizeof(command), "rm -r '%s'", t->dir);
	free(t);
	return system(command);
}

static void enrol(struct two *t, struct senders *s, const char *host)
{
	assert_int_equal(senders_line(t->other, 1, 60, t->line, t->why), 0);
	assert_int_equal(senders_enrol(s, t->line, host, t->token, t->why), 0);
}

static const char *host_of(const struct senders *s, const char *token)
{
	const struct sender *found = senders_by_token(s, token);

	return found ? found->host : "";
}

static void a_token_is_of_one_host(void **state)
{
	struct two *t = *state;
	char first[EXCHANGE_TOKEN_LEN + 1];
	size_t n;

	enrol(t, t->one, "a");
	strcpy(first, t->token);
	enrol(t, t->one, "b");
	assert_string_equal(host_of(t->one, first), "a");
	assert_string_equal(host_of(t->one, t->token), "b");
	assert_string_not_equal(first, t->token);
	assert_string_equal(host_of(t->one, ""), "");
	assert_string_equal(host_of(t->one, t->line), "");
	first[0] ^= 1;
	assert_string_equal(host_of(t->one, first), "");
	/* What the other process has is older until it looks. */
	assert_null(senders_by_token(t->other, t->token));
	assert_int_equal(senders_refresh(t->other, t->why), 0);
	assert_string_equal(host_of(t->other, t->token), "b");
	assert_int_equal(senders_all(t->other, &n) ? n : 0, 2);
}

/* In no file is the token itself. */
static void only_hashes_are_kept(void **state)
{
	struct two *t = *state;
	char command[256];

	enrol(t, t->one, "a");
	snprintf(command, sizeof(command), "! grep -rqF -e '%s' -e '%s' '%s'", t->token, t->line,
		 t->dir);
	assert_int_equal(system(command), 0);
}

static void a_line_has_its_uses_and_its_time(void **state)
{
	struct two *t = *state;

	assert_int_equal(senders_line(t->one, 2, 60, t->line, t->why), 0);
	assert_int_equal(senders_enrol(t->other, t->line, "a", t->token, t->why), 0);
	assert_int_equal(senders_enrol(t->one, t->line, "-", t->token, t->why), -EINVAL);
	assert_int_equal(senders_enrol(t->one, t->line, "a", t->token, t->why), -EEXIST);
	assert_non_null(strstr(t->why, "limpet serve approve a"));
	assert_int_equal(senders_enrol(t->one, t->line, "b", t->token, t->why), 0);
	assert_int_equal(senders_enrol(t->one, t->line, "c", t->token, t->why), -EACCES);
	assert_int_equal(senders_line(t->one, 1, 0, t->line, t->why), 0);
	assert_int_equal(senders_enrol(t->one, t->line, "c", t->token, t->why), -EACCES);
	assert_int_equal(senders_enrol(t->one, "", "c", t->token, t->why), -EACCES);
}

static void a_taken_name_is_given_anew_once(void **state)
{
	struct two *t = *state;
	char old[EXCHANGE_TOKEN_LEN + 1];

	enrol(t, t->one, "a");
	strcpy(old, t->token);
	assert_int_equal(senders_approve(t->other, "a", t->why), 0);
	enrol(t, t->one, "a");
	assert_string_equal(host_of(t->one, old), "");
	assert_string_equal(host_of(t->one, t->token), "a");
	assert_int_equal(senders_line(t->one, 1, 60, t->line, t->why), 0);
	assert_int_equal(senders_enrol(t->one, t->line, "a", old, t->why), -EEXIST);
	assert_int_equal(senders_approve(t->one, "b", t->why), -ENOENT);
	assert_int_equal(senders_forget(t->one, "b", t->why), -ENOENT);
	assert_int_equal(senders_forget(t->other, "a", t->why), 0);
	assert_string_equal(host_of(t->one, t->token), "a");
	assert_int_equal(senders_refresh(t->one, t->why), 0);
	assert_string_equal(host_of(t->one, t->token), "");
	assert_int_equal(senders_enrol(t->one, t->line, "a", t->token, t->why), 0);
}

static void names_of_certificates(void **state)
{
	static const char *const x[] = {"oss-1.a.example", "alias.example"},
				 *const y[] = {"oss-1.b.example"};
	struct two *t = *state;
	char is[HOST_LEN];

	/* A question alone makes nobody. */
	assert_int_equal(senders_certified(t->one, x, 2, NULL, is, t->why), 0);
	assert_string_equal(is, "oss-1");
	assert_int_equal(senders_certified(t->one, y, 1, NULL, is, t->why), 0);
	assert_string_equal(is, "oss-1");
	assert_int_equal(senders_certified(t->one, x, 2, "oss-1", is, t->why), 0);
	/* The label is taken: the whole name is not. */
	assert_int_equal(senders_certified(t->one, y, 1, "oss-1", is, t->why), -EACCES);
	assert_non_null(strstr(t->why, "limpet serve forget oss-1"));
	assert_int_equal(senders_certified(t->one, y, 1, NULL, is, t->why), 0);
	assert_string_equal(is, "oss-1.b.example");
	assert_int_equal(senders_certified(t->one, y, 1, "oss-1.b.example", is, t->why), 0);
	assert_int_equal(senders_certified(t->one, x, 2, "alias", is, t->why), 0);
	for (const char **host =
		     (const char *[]){"oss", "oss-1.", "a", "example", "oss-1.a", "", "../x", NULL};
	     *host; host++)
		assert_int_equal(senders_certified(t->one, x, 2, *host, is, t->why), -EACCES);
	assert_int_equal(senders_certified(t->one, x, 0, NULL, is, t->why), -EACCES);
	/* Of a host with a token nobody becomes the sender by a certificate. */
	enrol(t, t->one, "mine");
	assert_int_equal(senders_certified(t->one, (const char *const[]){"mine.example"}, 1, "mine",
					   is, t->why),
			 -EACCES);
	assert_string_equal(host_of(t->one, t->token), "mine");
}

static void when_they_were_heard(void **state)
{
	struct two *t = *state;
	size_t n;

	enrol(t, t->one, "a");
	enrol(t, t->one, "b");
	senders_heard(t->one, "a", 7 * NS_PER_S);
	senders_heard(t->one, "nobody", 9 * NS_PER_S);
	assert_int_equal(senders_heard_since(t->one, 7 * NS_PER_S), 1);
	assert_int_equal(senders_heard_since(t->one, 7 * NS_PER_S + 1), 0);
	/* A change of another process takes nothing of it. */
	assert_int_equal(senders_approve(t->other, "b", t->why), 0);
	assert_int_equal(senders_refresh(t->one, t->why), 0);
	assert_int_equal(senders_all(t->one, &n)[0].heard_ns, 7 * NS_PER_S);
	assert_int_equal(heard_list_write(senders_heard_list(t->one), t->db[1], t->why), 0);
	assert_int_equal(senders_refresh(t->other, t->why), 0);
	assert_int_equal(senders_heard_since(t->other, 7 * NS_PER_S), 1);
}

static void the_database_is_ours_alone(void **state)
{
	struct two *t = *state;
	char path[128];
	struct stat st;
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/serve.db", t->dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* Locks that are held stay when it is opened once more. */
	assert_int_equal(database_do(t->db[0], t->why, "BEGIN IMMEDIATE"), 0);
	assert_int_equal(senders_database(&db, t->dir, t->why), 0);
	assert_int_equal(database_do(db, t->why, "BEGIN IMMEDIATE"), -EAGAIN);
	assert_int_equal(database_do(t->db[0], t->why, "PRAGMA user_version=99; COMMIT"), 0);
	sqlite3_close(db);
	assert_int_equal(senders_database(&db, t->dir, t->why), -EPROTONOSUPPORT);
	assert_int_equal(database_do(t->db[0], t->why, "PRAGMA user_version=1"), 0);
	chmod(path, 0640);
	assert_int_equal(senders_database(&db, t->dir, t->why), -EPERM);
	assert_null(db);
	chmod(path, 0600);
}

static void the_key_is_made_once(void **state)
{
	static const struct tls_files own = {0};
	struct two *t = *state;
	char pin[EXCHANGE_PIN_LEN + 1], path[128];
	struct stat st;
	struct tls *tls;
	int fd;

	assert_int_equal(tls_new(&tls, t->dir, &own, t->why), 0);
	strcpy(pin, tls_pin(tls));
	assert_int_equal(strlen(pin), EXCHANGE_PIN_LEN);
	tls_free(tls);
	assert_int_equal(tls_new(&tls, t->dir, &own, t->why), 0);
	assert_string_equal(tls_pin(tls), pin);
	tls_free(tls);
	snprintf(path, sizeof(path), "%s/tls/service.pem", t->dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(tls_new(&tls, "/nowhere", &(struct tls_files){path, NULL, NULL}, t->why),
			 0);
	assert_string_equal(tls_pin(tls), pin);
	tls_free(tls);
	chmod(path, 0644);
	assert_int_equal(tls_new(&tls, t->dir, &own, t->why), -EPERM);
	chmod(path, 0600);
	fd = open(path, O_WRONLY | O_TRUNC);
	assert_true(fd >= 0);
	close(fd);
	assert_true(tls_new(&tls, t->dir, &own, t->why) < 0);
	assert_non_null(strstr(t->why, path));
	unlink(path);
	assert_int_equal(symlink("elsewhere", path), 0);
	assert_true(tls_new(&tls, t->dir, &own, t->why) < 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_token_is_of_one_host),
		TEST(only_hashes_are_kept),
		TEST(a_line_has_its_uses_and_its_time),
		TEST(a_taken_name_is_given_anew_once),
		TEST(names_of_certificates),
		TEST(when_they_were_heard),
		TEST(the_database_is_ours_alone),
		TEST(the_key_is_made_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
