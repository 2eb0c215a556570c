// SPDX-License-Identifier: BSD-2-Clause
/* push/places.h and push/logs.h: each log comes complete, by whole lines and once, to a receiver that takes bytes at their place only. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "userspace/push/logs.h"
#include "wire_util.h"

#define KEPT_MAX 2000

/* A receiver: what it has of each log. */
struct box {
	struct fixture *fx;
	struct places places;
	struct logs *logs;
	struct wire_decoder *d;
	struct kept_log {
		char path[WIRE_PATH_LEN], identity[WIRE_IDENTITY_LEN];
		struct text text;
		unsigned int others;
	} kept[KEPT_MAX];
	size_t n;
	unsigned int requests;
	bool refuses; /* takes no bytes */
};

static struct kept_log *kept_of(struct box *b, const char *path)
{
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->kept[i].path, path))
			return &b->kept[i];
	return NULL;
}

static const char *text_kept(struct box *b, const char *path)
{
	struct kept_log *k = kept_of(b, path);

	return k ? text_of(&k->text) : "(none)";
}

static void take_lines(struct box *b, const struct wire_lines *l, struct text *answer)
{
	struct kept_log *k = kept_of(b, l->path);

	if (!k) {
		assert_true(b->n < KEPT_MAX);
		k = &b->kept[b->n++];
		snprintf(k->path, sizeof(k->path), "%s", l->path);
	} else if (strcmp(k->identity, l->identity)) {
		text_reset(&k->text);
		k->others++;
	}
	snprintf(k->identity, sizeof(k->identity), "%s", l->identity);
	if (l->len && l->offset == k->text.len && !b->refuses)
		text_put_bytes(&k->text, l->at, l->len);
	text_add(answer, "%s{\"path\": \"%s\", \"identity\": \"%s\", \"size\": %zu}",
		 answer->len > 10 ? ", " : "", k->path, k->identity, k->text.len);
}

/* One request and its answer: how many frames. */
static int post(struct box *b)
{
	struct text body TEXT_SCOPED = {0}, answer TEXT_SCOPED = {0};
	const struct wire_lines *l;
	struct answer a;
	size_t taken;
	int n = logs_next(b->logs, &body), frames = 0;

	assert_true(n >= 0);
	if (!n)
		return 0;
	b->requests++;
	assert_true(body.len <= EXCHANGE_BODY);
	text_put(&answer, "{\"logs\": [");
	for (size_t at = 0; at < body.len; at += taken, frames++) {
		assert_int_equal(
			wire_decoder_take(b->d, text_of(&body) + at, body.len - at, &taken), 1);
		assert_int_equal(wire_decoder_kind(b->d), WIRE_LINES);
		assert_int_equal(wire_decoder_lines(b->d, &l), 0);
		take_lines(b, l, &answer);
	}
	assert_int_equal(frames, n);
	text_put(&answer, "]}");
	assert_int_equal(answer_read(&a, text_of(&answer), answer.len), 0);
	assert_true(logs_answered(b->logs, &a));
	return n;
}

/* A look, and all that follows from it. */
static void look(struct box *b)
{
	unsigned int from = b->requests;

	b->places.looked_ns = 0;
	while (post(b))
		assert_true(b->requests - from < 100);
}

static const char *in_box(struct box *b, const char *name)
{
	static char path[2][800];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", b->fx->dir, name);
	return path[turn];
}

static void put(struct box *b, const char *name, const char *text, bool anew)
{
	int fd = open(in_box(b, name), O_WRONLY | O_CREAT | (anew ? O_TRUNC : O_APPEND), 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void age(struct box *b, const char *name, int seconds)
{
	struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - seconds}};

	assert_int_equal(utimensat(AT_FDCWD, in_box(b, name), t, 0), 0);
}

static struct box *box_new(struct fixture *fx)
{
	struct box *b = calloc(1, sizeof(*b));
	static char place[400];
	const char *at[] = {place};
	struct string_list given = {.at = at, .n = 1};

	assert_non_null(b);
	b->fx = fx;
	snprintf(place, sizeof(place), "job=%s/logs", fx->dir);
	assert_int_equal(mkdir(in_box(b, "logs"), 0700), 0);
	assert_int_equal(places_init(&b->places, &given, false), 0);
	b->logs = logs_new(&b->places, "s3");
	assert_non_null(b->logs);
	assert_int_equal(wire_decoder_new(&b->d), 0);
	wire_decoder_kinds(b->d, 1U << WIRE_LINES);
	return b;
}

static void box_free(struct box *b)
{
	for (size_t i = 0; i < b->n; i++)
		text_release(&b->kept[i].text);
	logs_free(b->logs);
	places_release(&b->places);
	wire_decoder_free(b->d);
	free(b);
}

static void whole_lines_once(void **state)
{
	struct box *b = box_new(*state);
	unsigned int requests;

	put(b, "logs/a", "one\ntw", true);
	put(b, "logs/none", "no end of its first line", true);
	mkdir(in_box(b, "logs/in"), 0700);
	put(b, "logs/in/b", "1\n", true);
	look(b);
	assert_string_equal(text_kept(b, "job/a"), "one\n");
	assert_string_equal(text_kept(b, "job/in/b"), "1\n");
	assert_int_equal(b->n, 2);
	requests = b->requests;
	look(b);
	assert_int_equal(b->requests, requests);
	put(b, "logs/a", "o\nthree\nfo", false);
	look(b);
	assert_string_equal(text_kept(b, "job/a"), "one\ntwo\nthree\n");
	/* What nobody ends is a line in the end. */
	age(b, "logs/a", 100);
	age(b, "logs/none", 100);
	look(b);
	assert_string_equal(text_kept(b, "job/a"), "one\ntwo\nthree\nfo");
	assert_string_equal(text_kept(b, "job/none"), "no end of its first line");
	/* A receiver that lost all of it is asked, and has it again. */
	for (size_t i = 0; i < b->n; i++)
		text_reset(&b->kept[i].text);
	logs_forget(b->logs);
	look(b);
	assert_string_equal(text_kept(b, "job/a"), "one\ntwo\nthree\nfo");
	assert_int_equal(kept_of(b, "job/a")->others, 0);
	box_free(b);
}

static void who_a_log_is(void **state)
{
	struct box *b = box_new(*state);

	put(b, "logs/a", "head\none\n", true);
	look(b);
	/* Rotated. */
	assert_int_equal(rename(in_box(b, "logs/a"), in_box(b, "logs/a.1")), 0);
	put(b, "logs/a", "new\n", true);
	look(b);
	assert_string_equal(text_kept(b, "job/a"), "new\n");
	assert_string_equal(text_kept(b, "job/a.1"), "head\none\n");
	assert_int_equal(kept_of(b, "job/a")->others, 1);
	/* Cut short, with the same first line and with none; and grown beyond what was there. */
	put(b, "logs/a.1", "head\n2\n", true);
	look(b);
	assert_string_equal(text_kept(b, "job/a.1"), "head\n2\n");
	put(b, "logs/a.1", "", true);
	look(b);
	put(b, "logs/a.1", "head\n2\n3\n4\n", true);
	look(b);
	assert_string_equal(text_kept(b, "job/a.1"), "head\n2\n3\n4\n");
	/* Overwritten in place by a longer one. */
	put(b, "logs/a", "other\nand longer\n", true);
	look(b);
	look(b);
	assert_string_equal(text_kept(b, "job/a"), "other\nand longer\n");
	/* The receiver has more than there is, as if it was cut while nobody looked. */
	text_put(&kept_of(b, "job/a")->text, "more\n");
	logs_forget(b->logs);
	look(b);
	assert_string_equal(text_kept(b, "job/a"), "other\nand longer\n");
	box_free(b);
}

static void what_is_left_out(void **state)
{
	struct box *b = box_new(*state);
	int fd;

	put(b, "secret", "secret\n", true);
	assert_int_equal(symlink(in_box(b, "secret"), in_box(b, "logs/link")), 0);
	assert_int_equal(symlink(b->fx->dir, in_box(b, "logs/folder")), 0);
	assert_int_equal(mkfifo(in_box(b, "logs/pipe"), 0600), 0);
	put(b, "logs/old", "old\n", true);
	age(b, "logs/old", 8 * 86400);
	put(b, "logs/\033[31m", "red\n", true);
	put(b, "logs/a\nb", "lines\n", true);
	put(b, "logs/empty", "", true);
	put(b, "logs/large", "large\n", true);
	fd = open(in_box(b, "logs/large"), O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, PLACES_LOG_MAX + 1), 0);
	close(fd);
	put(b, "logs/fresh.gz", "\037\213", true);
	put(b, "logs/rests.gz", "\037\213packed", true);
	age(b, "logs/rests.gz", 100);
	look(b);
	assert_int_equal(b->n, 1);
	assert_string_equal(text_kept(b, "job/rests.gz"), "\037\213packed");
	assert_int_equal(b->places.left[LOG_OLD], 1);
	assert_int_equal(b->places.left[LOG_NAMED], 2);
	assert_int_equal(b->places.left[LOG_LARGE], 1);
	/* Exchanged for a link after it was seen. */
	put(b, "logs/x", "mine\n", true);
	look(b);
	put(b, "logs/x", "more\n", false);
	b->places.looked_ns = 0;
	pthread_mutex_lock(&b->places.lock);
	places_look(&b->places);
	pthread_mutex_unlock(&b->places.lock);
	unlink(in_box(b, "logs/x"));
	assert_int_equal(symlink(in_box(b, "secret"), in_box(b, "logs/x")), 0);
	while (post(b))
		;
	look(b);
	assert_string_equal(text_kept(b, "job/x"), "mine\n");
	box_free(b);
}

static void many_and_long(void **state)
{
	struct box *b = box_new(*state);
	struct text t TEXT_SCOPED = {0};
	char name[64];

	for (int i = 0; i < 100000; i++)
		text_add(&t, "line %d\n", i);
	put(b, "logs/long", text_of(&t), true);
	text_reset(&t);
	for (int i = 0; i < 300000; i++)
		text_put(&t, "xy");
	text_put(&t, "\nend\n");
	put(b, "logs/wide", text_of(&t), true);
	for (int i = 0; i < 1500; i++) {
		snprintf(name, sizeof(name), "logs/%d", i);
		put(b, name, "line\n", true);
	}
	look(b);
	assert_int_equal(b->n, 1502);
	assert_string_equal(text_kept(b, "job/wide"), text_of(&t));
	assert_int_equal(kept_of(b, "job/long")->text.len, 1088890);
	for (int i = 0; i < 1500; i++) {
		snprintf(name, sizeof(name), "job/%d", i);
		assert_string_equal(text_kept(b, name), "line\n");
	}
	/* Most go, and what is known of them is forgotten. */
	for (int i = 0; i < 1400; i++) {
		snprintf(name, sizeof(name), "logs/%d", i);
		unlink(in_box(b, name));
	}
	look(b);
	put(b, "logs/1450", "more\n", false);
	look(b);
	assert_true(b->places.n_logs < 200);
	assert_string_equal(text_kept(b, "job/1450"), "line\nmore\n");
	assert_int_equal(kept_of(b, "job/1450")->others, 0);
	box_free(b);
}

static void one_that_is_not_taken(void **state)
{
	struct box *b = box_new(*state);
	unsigned int requests;

	put(b, "logs/a", "one\n", true);
	b->refuses = true;
	look(b);
	requests = b->requests;
	assert_int_equal(requests, 2); /* a question, and once the bytes */
	look(b);
	assert_int_equal(b->requests, requests);
	box_free(b);
}

static void answers_to_others(void **state)
{
	static const char *const bad[] = {
		"{\"logs\": []}",
		"{\"logs\": [{\"path\": \"job/b\", \"identity\": \"1\", \"size\": 0}]}",
		"{\"logs\": [{\"path\": \"job/a\", \"identity\": \"1\", \"size\": 0}]}", "{}"};
	struct box *b = box_new(*state);
	struct text body TEXT_SCOPED = {0};
	struct answer a;

	put(b, "logs/a", "one\n", true);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		text_reset(&body);
		b->places.looked_ns = 0;
		assert_int_equal(logs_next(b->logs, &body), 1);
		assert_int_equal(answer_read(&a, bad[i], strlen(bad[i])), 0);
		assert_false(logs_answered(b->logs, &a));
	}
	box_free(b);
}

static void places_that_are_none(void **state)
{
	static const char *const bad[] = {"/var/log",
					  "a=b",
					  "=/x",
					  "a/b=/x",
					  ".=/x",
					  "..=/x",
					  "a name that is longer than names may be=/x"};
	struct places p;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *at[] = {bad[i]};

		if (!places_init(&p, &(struct string_list){.at = at, .n = 1}, true))
			fail_msg("taken: %s", bad[i]);
		places_release(&p);
	}
	{
		const char *twice[] = {"a=/x", "a=/y"}, *mine[] = {"spark=/x"};
		size_t n;

		assert_int_equal(places_init(&p, &(struct string_list){.at = twice, .n = 2}, true),
				 -1);
		places_release(&p);
		assert_int_equal(places_init(&p, &(struct string_list){0}, true), 0);
		n = p.n;
		places_release(&p);
		/* In the place of the usual one. */
		assert_int_equal(places_init(&p, &(struct string_list){.at = mine, .n = 1}, true),
				 0);
		assert_int_equal(p.n, n);
		places_release(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole_lines_once, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(who_a_log_is, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(what_is_left_out, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(many_and_long, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(one_that_is_not_taken, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(answers_to_others, fixture_setup, fixture_teardown),
		cmocka_unit_test(places_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
