// SPDX-License-Identifier: BSD-2-Clause
/* source/feed.h on tables and on states of logs: each sample and each state comes once, in order of time. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/source/feed.h"
#include "userspace/common/array.h"

/* What is checked of all items: their order, and that each time has its TICK. */
struct order {
	struct feed_item last;
	size_t servers, rows, ticks;
	bool any, open;
	int64_t ticked_ns;
};

static bool is_after(const struct feed_item *x, const struct feed_item *last)
{
	if (x->known_ns != last->known_ns || x->kind == FEED_STATE)
		return x->known_ns >= last->known_ns;
	return x->server != last->server ? x->server > last->server
					 : x->cells.instance > last->cells.instance;
}

static void check_order(struct order *o, const struct feed_item *item, const struct names *nodes)
{
	if (item->kind == FEED_SERVER) {
		assert_true(!o->any && item->server == o->servers++);
		assert_string_equal(item->named.name, nodes->at[item->server]);
		assert_int_equal(item->named.servers, nodes->n);
		return;
	}
	assert_true(item->from_ns <= item->to_ns && item->known_ns == item->to_ns);
	if (item->kind == FEED_TICK) {
		assert_true(o->open && item->to_ns == o->last.known_ns);
		o->open = false;
		o->ticks++;
		return;
	}
	assert_true(item->server < o->servers);
	if (o->any) {
		assert_true(is_after(item, &o->last));
		assert_true(o->open == (item->known_ns == o->last.known_ns));
	}
	o->any = o->open = true;
	o->last = *item;
	o->rows++;
}

/* ---- tables ----------------------------------------------------------------------------------- */

/* Of one server, metric and instance. Sums of what depends on the order within a run, so that none may change. */
struct run_sum {
	size_t n;
	double values, times, bytes;
};

static void add_sample(struct run_sum *r, int64_t time_ns, double value, float bytes)
{
	r->n++;
	r->values += value * (double)(r->n % 97);
	r->times += (double)(time_ns / 1000000) * (double)(r->n % 89);
	r->bytes += isnan(bytes) ? 0 : bytes;
}

struct run_sums {
	struct run_sum *at;
	const struct table *t;
};

static struct run_sum *sum_of(struct run_sums *s, size_t node, size_t metric, size_t instance)
{
	const struct table *t = s->t;

	assert_true(node < t->nodes.n && metric < t->metrics.n);
	assert_true(instance < t->instances.n + 1);
	return &s->at[(node * t->metrics.n + metric) * (t->instances.n + 1) + instance];
}

static size_t runs_of(const struct table *t)
{
	return t->nodes.n * t->metrics.n * (t->instances.n + 1);
}

static struct run_sums sums_for(const struct table *t)
{
	struct run_sums s = {calloc(runs_of(t) + 1, sizeof(*s.at)), t};

	assert_non_null(s.at);
	return s;
}

static void add_cells(struct run_sums *s, const struct feed_item *row)
{
	assert_true(row->cells.n > 0 && row->from_ns == row->to_ns);
	for (size_t i = 0; i < row->cells.n; i++) {
		const struct feed_cell *c = &row->cells.at[i];

		/* of durations a metric may have more than one */
		if (i)
			assert_true(c[-1].metric < c->metric + s->t->events);
		add_sample(sum_of(s, row->server, c->metric, row->cells.instance), row->to_ns,
			   c->value, c->bytes);
	}
}

/* How many ticks there were. */
static size_t check_table(const struct table *t)
{
	struct run_sums fed = sums_for(t), direct = sums_for(t);
	struct order o = {0};
	struct feed_item item;
	struct feed *f;

	for (size_t i = 0; i < t->n; i++)
		add_sample(sum_of(&direct, t->at[i].node, t->at[i].metric, t->at[i].instance),
			   t->at[i].time_ns, t->at[i].value, t->at[i].bytes);
	assert_int_equal(feed_of_table(&f, t), 0);
	while (assert_int_equal(feed_next(f, &item), 0), item.kind != FEED_END) {
		check_order(&o, &item, &t->nodes);
		if (item.kind == FEED_ROW)
			add_cells(&fed, &item);
	}
	assert_int_equal(feed_next(f, &item), 0);
	assert_int_equal(item.kind, FEED_END);
	assert_false(o.open);
	assert_int_equal(o.servers, t->nodes.n);
	assert_memory_equal(fed.at, direct.at, runs_of(t) * sizeof(*fed.at));
	feed_free(f);
	free(fed.at);
	free(direct.at);
	return o.ticks;
}

static void put_sample(struct table *t, uint32_t node, uint32_t metric, uint32_t instance,
		       int64_t time_ns, double value)
{
	struct sample *s = array_add(&t->at, &t->n);

	assert_non_null(s);
	*s = (struct sample){time_ns, node, instance, metric, NAN, value};
}

static struct table small_table(void)
{
	struct table t = {0};

	names_add(&t.nodes, "a");
	names_add(&t.nodes, "b");
	names_add(&t.metrics, "x");
	names_add(&t.metrics, "y");
	names_add(&t.instances, "");
	names_add(&t.instances, "sda");
	return t;
}

/* Rows of two servers, two metrics and an instance, item by item. */
static void rows_of_a_table(void **state)
{
	static const struct {
		enum feed_kind kind;
		uint32_t server, instance;
		int64_t at_ns;
		size_t n;
		double first;
	} rows[] = {
		{FEED_SERVER, 0, 0, 0, 0, 0}, {FEED_SERVER, 1, 0, 0, 0, 0},
		{FEED_ROW, 1, 0, 5, 1, 50},   {FEED_TICK, 0, 0, 5, 0, 0},
		{FEED_ROW, 0, 0, 10, 2, 1},   {FEED_ROW, 0, 1, 10, 1, 7},
		{FEED_ROW, 1, 0, 10, 1, 51},  {FEED_TICK, 0, 0, 10, 0, 0},
		{FEED_ROW, 0, 0, 20, 1, 3},   {FEED_TICK, 0, 0, 20, 0, 0},
		{FEED_END, 0, 0, 0, 0, 0},
	};
	struct table t = small_table();
	struct feed_item item;
	struct feed *f;

	(void)state;
	put_sample(&t, 0, 0, 0, 10, 1);
	put_sample(&t, 0, 1, 0, 10, 2);
	put_sample(&t, 0, 1, 0, 20, 3);
	put_sample(&t, 0, 1, 1, 10, 7);
	put_sample(&t, 1, 0, 0, 5, 50);
	put_sample(&t, 1, 0, 0, 10, 51);
	assert_int_equal(feed_of_table(&f, &t), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(feed_next(f, &item), 0);
		assert_int_equal(item.kind, rows[i].kind);
		if (item.kind == FEED_TICK || item.kind == FEED_ROW)
			assert_true(item.known_ns == rows[i].at_ns);
		if (item.kind != FEED_ROW)
			continue;
		assert_int_equal(item.server, rows[i].server);
		assert_int_equal(item.cells.instance, rows[i].instance);
		assert_int_equal(item.cells.n, rows[i].n);
		assert_true(item.cells.at[0].value == rows[i].first);
	}
	feed_free(f);
	assert_int_equal(check_table(&t), 3);
	table_release(&t);
}

static void a_table_without_rows(void **state)
{
	struct table t = small_table();

	(void)state;
	assert_int_equal(check_table(&t), 0);
	table_release(&t);
}

/* ---- states ----------------------------------------------------------------------------------- */

static void check_states(const struct states *s)
{
	bool *seen = calloc(s->n + 1, sizeof(*seen));
	struct order o = {0};
	struct feed_item item;
	struct feed *f;

	assert_non_null(seen);
	assert_int_equal(feed_of_states(&f, s), 0);
	while (assert_int_equal(feed_next(f, &item), 0), item.kind != FEED_END) {
		check_order(&o, &item, &s->nodes);
		if (item.kind != FEED_STATE)
			continue;
		assert_true(item.state >= s->at && item.state < s->at + s->n);
		assert_false(seen[item.state - s->at]);
		seen[item.state - s->at] = true;
		assert_true(item.server == item.state->node);
		assert_true(item.from_ns == item.state->start_ns);
		assert_true(item.to_ns == item.state->end_ns);
	}
	assert_int_equal(o.rows, s->n);
	assert_true(o.ticks <= o.rows && !o.open);
	feed_free(f);
	free(seen);
}

static void no_states(void **state)
{
	struct states s = {0};

	(void)state;
	check_states(&s);
}

/* ---- real ones -------------------------------------------------------------------------------- */

static void check_logs(const char *path)
{
	char *paths[] = {(char *)(uintptr_t)path};
	struct sources s;

	assert_int_equal(sources_open(&s, paths, 1, NULL, NULL), 0);
	assert_true(s.states.n > 100);
	check_states(&s.states);
	sources_release(&s);
}

static void states_of_a_job(void **state)
{
	(void)state;
	check_logs("tests/data/hadoop-hang/logs");
}

/* NULL: no data; the test is skipped. */
static const char *data_path(const char *name)
{
	static char path[4096];
	const char *folder = getenv("LIMPET_TEST_DATA");

	if (folder)
		snprintf(path, sizeof(path), "%s/%s", folder, name);
	return folder && !access(path, R_OK) ? path : NULL;
}

static void real_states(void **state)
{
	static const char *const names[] = {"hadoop-1.2.1", "engines-2/h3-02", "engines-2/sp-05"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const char *path = data_path(names[i]);

		if (!path)
			SKIP("$LIMPET_TEST_DATA has no %s", names[i]);
		check_logs(path);
	}
}

/* Drives beside each other, durations of writes, and counters of several targets a server. */
static void real_tables(void **state)
{
	const char *counters[] = {"read_bytes_cum", "write_bytes_cum"};
	const struct {
		const char *name;
		struct table_opts o;
		bool events;
	} tables[] = {
		{"failslow-drives/h000.csv.gz", {0}, false},
		{"lustre-writes/healthy.csv", {0}, true},
		{"lustre-lmt/oss.csv.gz",
		 {.node = "oss_host", .instance = "ost_name", .counters = {counters, 2}},
		 false},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const char *path = data_path(tables[i].name);
		char *paths[] = {(char *)(uintptr_t)path};
		struct sources s;

		if (!path)
			SKIP("$LIMPET_TEST_DATA has no %s", tables[i].name);
		assert_int_equal(sources_open(&s, paths, 1, &tables[i].o, NULL), 0);
		assert_true(s.table.n >= 48 && s.table.events == tables[i].events);
		assert_true(check_table(&s.table) > 1);
		sources_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_table), cmocka_unit_test(a_table_without_rows),
		cmocka_unit_test(no_states),	   cmocka_unit_test(states_of_a_job),
		cmocka_unit_test(real_states),	   cmocka_unit_test(real_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
