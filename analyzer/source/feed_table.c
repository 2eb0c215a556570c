// SPDX-License-Identifier: BSD-2-Clause
/* feed.h: a table, whose runs of one server, metric and instance are merged by time. */
#include <errno.h>
#include <stdlib.h>

#include "feed_fill.h"
#include "userspace/common/array.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"

struct run {
	const struct sample *at, *end;
};

struct table_feed {
	struct feed feed;
	const struct table *t;
	struct run *heap; /* the run whose sample comes first is at 0 */
	size_t n;
	struct feed_cell *cells; /* of the row that was given last */
	size_t n_cells, cap;
	bool open; /* rows of time_ns were given, their TICK was not */
	int64_t time_ns;
};

/* By time, server and instance, as rows come; then by metric. */
static int by_row(const struct sample *a, const struct sample *b)
{
	int c = ORDER(a->time_ns, b->time_ns);

	c = c ? c : ORDER(a->node, b->node);
	c = c ? c : ORDER(a->instance, b->instance);
	return c ? c : ORDER(a->metric, b->metric);
}

static void sift(struct table_feed *f, size_t i)
{
	for (;;) {
		size_t first = i;

		for (size_t k = 2 * i + 1; k < 2 * i + 3 && k < f->n; k++)
			first = by_row(f->heap[k].at, f->heap[first].at) < 0 ? k : first;
		if (first == i)
			return;
		struct run swap = f->heap[i];

		f->heap[i] = f->heap[first];
		f->heap[first] = swap;
		i = first;
	}
}

static void drop_first(struct table_feed *f)
{
	if (++f->heap->at == f->heap->end)
		*f->heap = f->heap[--f->n];
	sift(f, 0);
}

static int list_runs(struct table_feed *f)
{
	const struct table *t = f->t;

	for (size_t i = 0, end; i < t->n; i = end) {
		struct run *run = array_add(&f->heap, &f->n);

		if (!run)
			return -ENOMEM;
		end = table_run(t, i);
		*run = (struct run){t->at + i, t->at + end};
	}
	for (size_t i = f->n / 2; i-- > 0;)
		sift(f, i);
	return 0;
}

static int add_table_row(struct table_feed *f)
{
	const struct sample first = *f->heap->at;
	struct feed_item row = {.kind = FEED_ROW,
				.server = first.node,
				.from_ns = first.time_ns,
				.to_ns = first.time_ns,
				.known_ns = first.time_ns,
				.cells = {.instance = first.instance}};

	f->n_cells = 0;
	while (f->n && f->heap->at->time_ns == first.time_ns && f->heap->at->node == first.node &&
	       f->heap->at->instance == first.instance) {
		const struct sample *s = f->heap->at;
		struct feed_cell *cell = array_refill(&f->cells, &f->n_cells, &f->cap);

		if (!cell)
			return -ENOMEM;
		*cell = (struct feed_cell){s->metric, s->bytes, s->value};
		drop_first(f);
	}
	row.cells.at = f->cells;
	row.cells.n = f->n_cells;
	f->time_ns = first.time_ns;
	f->open = true;
	return feed_add(&f->feed, &row);
}

static int table_fill(struct feed *feed)
{
	struct table_feed *f = (struct table_feed *)feed;

	if (f->open && (!f->n || f->heap->at->time_ns != f->time_ns)) {
		f->open = false;
		return feed_add_tick(feed, f->time_ns);
	}
	return f->n ? add_table_row(f) : feed_add_kind(feed, FEED_END);
}

static void table_feed_release(struct feed *feed)
{
	struct table_feed *f = (struct table_feed *)feed;

	free(f->heap);
	free(f->cells);
}

int feed_of_table(struct feed **out, const struct table *t)
{
	static const struct feed_reader reader = {.fill = table_fill,
						  .release = table_feed_release};
	struct table_feed *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return feed_made(out, NULL, -ENOMEM);
	f->feed.reader = &reader;
	f->t = t;
	err = feed_add_servers(&f->feed, &t->nodes);
	if (!err)
		err = list_runs(f);
	return feed_made(out, &f->feed, err);
}
