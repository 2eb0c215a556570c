// SPDX-License-Identifier: BSD-2-Clause
/* feed.h: states of logs, by when they were known. */
#include <errno.h>
#include <stdlib.h>

#include "feed_fill.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"

struct states_feed {
	struct feed feed;
	const struct state **at; /* by known_ns, then as in struct states */
	size_t n, given;
	bool open; /* states of one time were given, their TICK was not */
};

static int64_t known_ns(const struct state *s)
{
	return s->end_ns;
}

static int by_known(const void *a, const void *b)
{
	const struct state *x = *(const struct state *const *)a,
			   *y = *(const struct state *const *)b;

	return ORDER(known_ns(x), known_ns(y)) ?: ORDER(x, y);
}

static int states_fill(struct feed *feed)
{
	struct states_feed *f = (struct states_feed *)feed;
	const struct state *s = f->given < f->n ? f->at[f->given] : NULL;
	int64_t before = f->open ? known_ns(f->at[f->given - 1]) : 0;

	if (f->open && (!s || known_ns(s) != before)) {
		f->open = false;
		return feed_add_tick(feed, before);
	}
	if (!s)
		return feed_add_kind(feed, FEED_END);
	f->open = true;
	f->given++;
	return feed_add(feed, &(struct feed_item){.kind = FEED_STATE,
						  .server = s->node,
						  .from_ns = s->start_ns,
						  .to_ns = s->end_ns,
						  .known_ns = known_ns(s),
						  .state = s});
}

static void states_feed_release(struct feed *feed)
{
	free(((struct states_feed *)feed)->at);
}

int feed_of_states(struct feed **out, const struct states *s)
{
	static const struct feed_reader reader = {.fill = states_fill,
						  .release = states_feed_release};
	struct states_feed *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return feed_made(out, NULL, -ENOMEM);
	f->feed.reader = &reader;
	f->at = malloc((s->n + 1) * sizeof(*f->at));
	err = f->at ? feed_add_servers(&f->feed, &s->nodes) : -ENOMEM;
	for (; !err && f->n < s->n; f->n++)
		f->at[f->n] = &s->at[f->n];
	if (!err)
		sort(f->at, f->n, by_known);
	return feed_made(out, &f->feed, err);
}
