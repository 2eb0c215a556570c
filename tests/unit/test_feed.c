// SPDX-License-Identifier: BSD-2-Clause
/* source/feed.h: a batch and files that grow give the same items; errors, memory and stop wishes end a feed. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/engine/examine.h"
#include "analyzer/source/feed_fill.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"
#include "userspace/series/series.h"
#include "series_util.h"
#include "short_memory.h"
#include "robust_intervals.h"

#define RECORDED "tests/data/disk-hog/series"

static const struct feed_opts all = {.to_ns = INT64_MAX, .interval_s = 4, .threads = 1};

/* ---- items, kept by name ---------------------------------------------------------------------- */

struct given {
	int64_t from_ns, to_ns;
	char server[HOST_LEN]; /* of a row; "~" of a TICK, which comes after them */
	unsigned int seconds;
	double sums;
};

struct givens {
	struct given *at;
	size_t n;
	char name[16][HOST_LEN];
};

static void take(struct givens *g, const struct feed_item *item)
{
	struct given *to;

	if (item->kind == FEED_SERVER) {
		assert_true(item->server < 16);
		snprintf(g->name[item->server], HOST_LEN, "%s", item->named.name);
	}
	if (item->kind != FEED_ROW && item->kind != FEED_TICK)
		return;
	to = array_add(&g->at, &g->n);
	assert_non_null(to);
	assert_true(item->known_ns == item->to_ns && item->to_ns == item->from_ns + 4 * NS);
	to->from_ns = item->from_ns;
	to->to_ns = item->to_ns;
	if (item->kind == FEED_TICK) {
		strcpy(to->server, "~");
		return;
	}
	memcpy(to->server, g->name[item->server], HOST_LEN);
	to->seconds = item->interval->seconds;
	to->sums = sums_of(item->interval);
}

/* Until END, NOT_YET or an error: which it was. */
static int take_all(struct givens *g, struct feed *f, enum feed_kind *end)
{
	struct feed_item item = {0};
	int err;

	while (!(err = feed_next(f, &item)) && item.kind != FEED_END && item.kind != FEED_NOT_YET)
		take(g, &item);
	*end = item.kind;
	return err;
}

static int by_time_and_name(const void *a, const void *b)
{
	const struct given *x = a, *y = b;

	return x->from_ns != y->from_ns ? ORDER(x->from_ns, y->from_ns)
					: strcmp(x->server, y->server);
}

/* What has been given is the batch's, from its beginning on; sorts both. */
static void assert_begins(struct givens *batch, struct givens *grown)
{
	assert_true(grown->n <= batch->n);
	sort(batch->at, batch->n, by_time_and_name);
	sort(grown->at, grown->n, by_time_and_name);
	for (size_t i = 0; i < grown->n; i++) {
		const struct given *x = &batch->at[i], *y = &grown->at[i];

		if (x->from_ns != y->from_ns || x->to_ns != y->to_ns ||
		    strcmp(x->server, y->server) != 0 || x->seconds != y->seconds ||
		    !same_double(x->sums, y->sums))
			fail_msg("item %zu: %s at %lld s, and %s at %lld s", i, x->server,
				 (long long)(x->from_ns / NS), y->server,
				 (long long)(y->from_ns / NS));
	}
}

static void batch_of(char *folder, struct givens *g)
{
	struct sources s;
	enum feed_kind end;
	struct feed *f;

	*g = (struct givens){0};
	assert_int_equal(sources_open(&s, &folder, 1, NULL, NULL), 0);
	assert_int_equal(feed_of_series(&f, &s, &all), 0);
	assert_int_equal(take_all(g, f, &end), 0);
	assert_int_equal(end, FEED_END);
	assert_int_equal(take_all(g, f, &end), 0);
	assert_int_equal(end, FEED_END);
	feed_free(f);
	sources_release(&s);
	assert_true(g->n > 0);
}

/* ---- the same of both ------------------------------------------------------------------------- */

/* Files that are all there, whose time goes by: at once, second by second, and in great steps. */
static void recordings_are_given_alike(void **state)
{
	char *folder = (char *)(uintptr_t)RECORDED;
	static const int64_t steps[] = {1, 7, 100, 100000};
	struct givens batch, grown;

	(void)state;
	batch_of(folder, &batch);
	for (size_t i = 0; i < 4; i++) {
		int64_t now = batch.at[0].from_ns, end_ns = batch.at[batch.n - 1].to_ns + 5 * NS;
		enum feed_kind end;
		struct feed *f;

		grown = (struct givens){0};
		assert_int_equal(feed_of_growing(&f, &folder, 1, &all), 0);
		assert_int_equal(take_all(&grown, f, &end), 0);
		assert_int_equal(end, FEED_NOT_YET);
		assert_int_equal(grown.n, 0);
		while (now < end_ns) {
			now = now + steps[i] * NS < end_ns ? now + steps[i] * NS : end_ns;
			feed_now(f, now);
			assert_int_equal(take_all(&grown, f, &end), 0);
			assert_int_equal(end, FEED_NOT_YET);
			/* clocks may be one interval ahead */
			assert_true(!grown.n || grown.at[grown.n - 1].from_ns <= now);
		}
		assert_int_equal(grown.n, batch.n);
		assert_begins(&batch, &grown);
		free(grown.at);
		feed_free(f);
	}
	free(batch.at);
}

/* Files that are written meanwhile: three servers, of which one comes later, one is silent for a while, and all are. */
static void files_that_grow_are_given_alike(void **state)
{
	static const char *const names[] = {"c", "b", "a"};
	struct fixture *fx = *state;
	char *folder = fx->dir;
	struct series_writer *w[3];
	struct givens batch, grown = {0};
	enum feed_kind end;
	struct feed *f;

	assert_int_equal(feed_of_growing(&f, &folder, 1, &all), 0);
	for (size_t k = 0; k < 3; k++)
		w[k] = writer(fx, names[k]);
	for (int i = 0; i < 150; i++) {
		for (size_t k = 0; k < 3; k++)
			if (!(k == 0 && i < 20) && !(k == 1 && i > 40 && i < 60) &&
			    !(i > 80 && i < 110))
				append_second(w[k], 100 + (uint64_t)i, T0 + i);
		feed_now(f, (T0 + i) * NS + NS / 2);
		assert_int_equal(take_all(&grown, f, &end), 0);
		assert_null(feed_trouble(f));
	}
	for (size_t k = 0; k < 3; k++)
		series_writer_free(w[k]);
	batch_of(folder, &batch);
	assert_true(grown.n > batch.n - 8);
	assert_begins(&batch, &grown);
	free(batch.at);
	free(grown.at);
	feed_free(f);
}

/* ---- errors ----------------------------------------------------------------------------------- */

struct counter {
	struct feed feed;
	int n;
};

static int three_and_an_error(struct feed *f)
{
	struct counter *c = (struct counter *)f;

	if (++c->n >= 6)
		return -ENOMEM;
	return c->n % 2 ? feed_add(f, &(struct feed_item){.kind = FEED_TICK, .to_ns = c->n}) : 0;
}

static void nothing_to_release(struct feed *f)
{
	(void)f;
}

/* A reader may add nothing for a while; its error stays. */
static void an_error_stays(void **state)
{
	static const struct feed_reader reader = {.fill = three_and_an_error,
						  .release = nothing_to_release};
	struct counter *c = calloc(1, sizeof(*c));
	struct feed_item item;

	(void)state;
	assert_non_null(c);
	c->feed.reader = &reader;
	for (int i = 1; i < 6; i += 2) {
		assert_int_equal(feed_next(&c->feed, &item), 0);
		assert_true(item.kind == FEED_TICK && item.to_ns == i);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(feed_next(&c->feed, &item), -ENOMEM);
	assert_int_equal(c->n, 6);
	feed_now(&c->feed, 5);
	assert_null(feed_trouble(&c->feed));
	feed_free(&c->feed);
}

static void damage_ends_a_batch(void **state)
{
	struct fixture *fx = *state;
	char *folder = fx->dir;
	struct feed_opts o = all;
	struct givens g = {0};
	enum feed_kind end;
	struct sources s;
	struct feed *f;

	write_host(fx, "s3", 1, 200, T0);
	assert_int_equal(sources_open(&s, &folder, 1, NULL, NULL), 0);
	sql(day_path(fx, T0), "UPDATE chunk SET disk = zeroblob(100) WHERE id = 61");
	o.stretch = 5;
	assert_int_equal(feed_of_series(&f, &s, &o), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(take_all(&g, f, &end), -EBADMSG);
	assert_non_null(s.at[0].why);
	feed_free(f);
	/* what is not read to its end */
	assert_int_equal(feed_of_series(&f, &s, &o), 0);
	feed_free(f);
	sources_release(&s);
	free(g.at);
}

/* All items of a feed by T0 + 60 s, while one call for memory fails. 0 or the error. */
static int poorly(const struct sources *s, char *folder, int calls)
{
	struct feed_item item = {0};
	struct feed *f;
	int err;

	left = calls;
	err = s ? feed_of_series(&f, s, &all) : feed_of_growing(&f, &folder, 1, &all);
	if (!err)
		feed_now(f, (T0 + 60) * NS);
	while (!err && item.kind != FEED_END && item.kind != FEED_NOT_YET)
		err = feed_next(f, &item);
	feed_free(f);
	return err;
}

/* Each call for memory fails once: the feed ends with that, or leaves out the file. */
static void without_memory(void **state)
{
	struct fixture *fx = *state;
	struct sources s;
	char *folder = fx->dir;

	write_host(fx, "one", 1, 10, T0);
	write_host(fx, "two", 1, 10, T0);
	assert_int_equal(sources_open(&s, &folder, 1, NULL, NULL), 0);
	for (int growing = 0; growing < 2; growing++) {
		int failed = 0;

		for (int i = 0, done = 0; !done; i++) {
			int err = poorly(growing ? NULL : &s, folder, i);

			done = left >= 0;
			left = -1;
			failed += err == -ENOMEM;
			if (done ? err : err && err != -ENOMEM && err != -EBADMSG)
				fail_msg("call %d: error %d", i, err);
		}
		assert_true(failed > 20);
	}
	sources_release(&s);
}

/* ---- into the engine -------------------------------------------------------------------------- */

static volatile sig_atomic_t stop;

struct taken {
	const struct examine_feed *of;
	size_t servers, intervals, rows;
	int fails;
};

static int on_servers(void *arg, struct robust *r)
{
	struct taken *t = arg;

	assert_true(robust_nodes(r) > t->servers);
	t->servers = robust_nodes(r);
	return 0;
}

static int on_interval(void *arg, struct robust *r)
{
	struct taken *t = arg;

	assert_int_equal(t->of->n, robust_nodes(r));
	t->intervals++;
	for (size_t i = 0; i < t->of->n; i++)
		t->rows += t->of->at[i] != NULL;
	stop = t->intervals == 10;
	return t->fails && t->intervals == 12 ? -ENOSPC : 0;
}

/* A stop wish ends it before the next interval, an error of what takes the intervals at once; then it may go on. */
static void what_ends_an_examination(void **state)
{
	const struct robust_params params = ROBUST_PARAMS_DEFAULT;
	const struct analysis_opts o = {0};
	struct taken t = {.fails = 1};
	const struct examine_hooks hooks = {.ready = on_servers, .step = on_interval, .arg = &t};
	struct examine_feed e = {
		.robust = robust_new(&params), .o = &o, .hooks = &hooks, .stop = &stop};
	char *folder = (char *)(uintptr_t)RECORDED;
	struct sources s;
	struct feed *f;

	(void)state;
	t.of = &e;
	assert_non_null(e.robust);
	assert_int_equal(sources_open(&s, &folder, 1, NULL, NULL), 0);
	assert_int_equal(feed_of_series(&f, &s, &all), 0);
	assert_int_equal(examine_feed(&e, f), -ECANCELED);
	assert_int_equal(t.intervals, 10);
	assert_int_equal(t.servers, 6);
	assert_true(t.rows >= 50);
	stop = 0;
	feed_free(f);

	t = (struct taken){.of = &e, .fails = 1};
	robust_free(e.robust);
	e.robust = robust_new(&params);
	e.n = 0;
	e.stop = NULL;
	assert_int_equal(feed_of_series(&f, &s, &all), 0);
	assert_int_equal(examine_feed(&e, f), -ENOSPC);
	assert_int_equal(t.intervals, 12);
	assert_int_equal(examine_feed(&e, f), 0);
	assert_true(t.intervals > 30);
	feed_free(f);
	sources_release(&s);
	robust_free(e.robust);
	free(e.at);
}

#define FILES(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_are_given_alike),
		FILES(files_that_grow_are_given_alike),
		cmocka_unit_test(an_error_stays),
		FILES(damage_ends_a_batch),
		FILES(without_memory),
		cmocka_unit_test(what_ends_an_examination),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
