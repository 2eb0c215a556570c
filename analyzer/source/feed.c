// SPDX-License-Identifier: BSD-2-Clause
/* feed.h: a queue of items, which its reader fills whenever it is empty. */
#include "feed_fill.h"

#include <stdlib.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"

/* A silence of more than this is one interval. */
#define SILENCE_NS NS_PER_HOUR

int feed_next(struct feed *f, struct feed_item *item)
{
	struct feed_queued *q;

	while (f->head == f->n && !f->err) {
		f->head = f->n = 0;
		f->err = f->reader->fill(f);
		if (f->err == -ENOMEM)
			fail("out of memory");
	}
	if (f->err)
		return f->err;
	q = &f->at[f->head];
	*item = q->item;
	if (--q->times) {
		int64_t interval_ns = item->to_ns - item->from_ns;

		q->item.from_ns = item->to_ns;
		q->item.to_ns = q->item.known_ns = item->to_ns + interval_ns;
	} else {
		f->head++;
	}
	return 0;
}

void feed_free(struct feed *f)
{
	if (!f)
		return;
	f->reader->release(f);
	free(f->at);
	free(f);
}

void feed_now(struct feed *f, int64_t now_ns)
{
	if (f->reader->now)
		f->reader->now(f, now_ns);
}

const char *feed_trouble(const struct feed *f)
{
	return f->reader->trouble ? f->reader->trouble(f) : NULL;
}

int feed_left_out(const struct feed *f, const struct feed_left_out *to)
{
	return f->reader->left_out ? f->reader->left_out(f, to) : 0;
}

void feed_counts(const struct feed *f, struct feed_counts *out)
{
	*out = f->counts;
}

/* ---- for readers ------------------------------------------------------------------------------ */

static int feed_add_times(struct feed *f, const struct feed_item *item, uint64_t times)
{
	struct feed_queued *q = array_refill(&f->at, &f->n, &f->cap);

	if (!q)
		return -ENOMEM;
	*q = (struct feed_queued){*item, times};
	return 0;
}

int feed_add(struct feed *f, const struct feed_item *item)
{
	return feed_add_times(f, item, 1);
}

int feed_add_kind(struct feed *f, enum feed_kind kind)
{
	return feed_add(f, &(struct feed_item){.kind = kind});
}

int feed_add_server(struct feed *f, size_t number, const char *name, size_t servers)
{
	return feed_add(f, &(struct feed_item){.kind = FEED_SERVER,
					       .server = (uint32_t)number,
					       .named = {name, (uint32_t)servers}});
}

int feed_add_row(struct feed *f, const struct feed_line *l, size_t server,
		 const struct interval *at)
{
	int64_t to_ns = l->next_ns + l->interval_ns;

	return feed_add(f, &(struct feed_item){.kind = FEED_ROW,
					       .server = (uint32_t)server,
					       .from_ns = l->next_ns,
					       .to_ns = to_ns,
					       .known_ns = to_ns,
					       .interval = at});
}

int feed_made(struct feed **out, struct feed *f, int err)
{
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		feed_free(f);
	*out = err ? NULL : f;
	return err;
}

int feed_line_init(struct feed_line *l, double interval_s)
{
	l->interval_ns = ns_of_s(interval_s);
	l->next_ns = INT64_MIN;
	if (l->interval_ns >= NS_PER_MS && interval_s <= 86400 * 7)
		return 0;
	return fail("an interval of %g s is not between 1 ms and a week", interval_s);
}

static int feed_add_ticks(struct feed *f, const struct feed_line *l, int64_t from_ns, uint64_t n)
{
	struct feed_item tick = {.kind = FEED_TICK,
				 .from_ns = from_ns,
				 .to_ns = from_ns + l->interval_ns,
				 .known_ns = from_ns + l->interval_ns};

	return n ? feed_add_times(f, &tick, n) : 0;
}

/* The most intervals of a silence that is given as it was. */
static uint64_t most_silent(const struct feed_line *l)
{
	return (uint64_t)(SILENCE_NS / l->interval_ns);
}

void feed_silence(struct feed_line *l, uint64_t n)
{
	l->next_ns += (int64_t)n * l->interval_ns;
	l->silent += l->began ? n : 0;
}

int feed_end_silence(struct feed *f, struct feed_line *l)
{
	uint64_t n = l->silent, given = n > most_silent(l) ? 1 : n;

	l->silent = 0;
	return feed_add_ticks(f, l, l->next_ns - (int64_t)n * l->interval_ns, given);
}

int feed_end_interval(struct feed *f, struct feed_line *l)
{
	int err = feed_add_ticks(f, l, l->next_ns, 1);

	l->began = true;
	l->next_ns += l->interval_ns;
	return err;
}
