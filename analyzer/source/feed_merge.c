// SPDX-License-Identifier: BSD-2-Clause
/*
 * feed.h: several feeds that grow as one. Of each the interval that it gave last is held, with the rows of its own numbers made ours;
 * the earliest of them is given when no other feed can bring an earlier one: when each of them holds one, or has had the time to.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feed_fill.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/map.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"

/* A feed gives an interval some 5 s after its end; so long another one waits for it. */
#define MERGE_WAIT_NS (10 * NS_PER_S)
/* Not for a feed that has given nothing for so long. */
#define MERGE_AWAY_NS (60 * NS_PER_S)

struct merge_part {
	struct feed *feed;
	uint32_t *ours; /* its servers' numbers, as ours */
	size_t n_ours;
	struct feed_item *rows; /* of the interval that is held */
	size_t n_rows, cap_rows;
	bool holds, ended;
	int64_t from_ns; /* of that interval */
	int64_t gave_ns; /* by feed_now(): when it brought one last, or the first time that there was */
};

struct merge_server {
	const char *name;
	int64_t given_ns; /* the interval of its last row; INT64_MIN: none */
};

struct feed_merge {
	struct feed feed;
	struct feed_line line;
	struct merge_part *part;
	size_t n_parts;
	struct merge_server *server;
	size_t n_servers;
	struct map by_name;
	char **names; /* each owned */
	size_t n_names;
	struct feed_item *rows; /* of the interval that is given */
	size_t n_rows;
	int64_t now_ns;
	uint64_t late; /* seconds that came too late, or of a server that another feed has, too */
};

/* ---- servers ------------------------------------------------------------------------------------------- */

/* Its number, and whether it is new. -ENOMEM. */
static int merged_number(struct feed_merge *m, const char *name, uint32_t *number, bool *new)
{
	uint64_t hash = map_hash(name, strlen(name));
	size_t at = map_find(i, &m->by_name, hash, !strcmp(m->server[i].name, name));
	struct merge_server *s;
	char *copy;

	*new = at == MAP_NONE;
	*number = (uint32_t)(*new ? m->n_servers : at);
	if (!*new)
		return 0;
	copy = strdup(name);
	if (!copy || array_put(&m->names, &m->n_names, copy)) {
		free(copy);
		return -ENOMEM;
	}
	s = map_append(&m->by_name, hash, array_add(&m->server, &m->n_servers), &m->n_servers);
	if (!s)
		return -ENOMEM;
	*s = (struct merge_server){copy, INT64_MIN};
	return 0;
}

static int take_new_server(struct feed_merge *m, struct merge_part *p, const struct feed_item *item)
{
	uint32_t number;
	bool new;
	int err = merged_number(m, item->named.name, &number, &new);

	err = err ?: array_extend(&p->ours, p->n_ours, (size_t)item->server + 1);
	if (err)
		return err;
	if (item->server >= p->n_ours)
		p->n_ours = (size_t)item->server + 1;
	p->ours[item->server] = number;
	return new ? feed_add_server(&m->feed, number, m->server[number].name, m->n_servers) : 0;
}

/* ---- one item of a part -------------------------------------------------------------------------------- */

static int hold_row(struct merge_part *p, const struct feed_item *item)
{
	struct feed_item *row = array_refill(&p->rows, &p->n_rows, &p->cap_rows);

	if (!row)
		return -ENOMEM;
	*row = *item;
	row->server = p->ours[item->server];
	return 0;
}

/* A silence of a part is none, perhaps, of all. */
static void hold_interval(struct feed_merge *m, struct merge_part *p, const struct feed_item *tick)
{
	p->holds = p->n_rows;
	p->from_ns = tick->from_ns;
	if (p->holds)
		p->gave_ns = m->now_ns;
}

static int take_part_item(struct feed_merge *m, struct merge_part *p, struct feed_item *item)
{
	switch (item->kind) {
	case FEED_SERVER: return take_new_server(m, p, item);
	case FEED_ROW: return hold_row(p, item);
	case FEED_TICK: hold_interval(m, p, item); return 0;
	case FEED_END: p->ended = true; return 0;
	case FEED_IDENTITY:
	case FEED_OWN: item->server = p->ours[item->server]; return feed_add(&m->feed, item);
	default: return 0;
	}
}

/* Until it holds an interval or has nothing; or until something is to be given at once, as its pointers hold no longer. */
static int pull(struct feed_merge *m, struct merge_part *p)
{
	struct feed_item item;
	int err = 0;

	while (!err && !p->holds && !p->ended && !m->feed.n) {
		err = feed_next(p->feed, &item);
		if (!err && item.kind == FEED_NOT_YET)
			break;
		err = err ?: take_part_item(m, p, &item);
	}
	return err;
}

/* ---- the interval that is given ------------------------------------------------------------------------ */

static int64_t earliest(const struct feed_merge *m)
{
	int64_t from_ns = INT64_MAX;

	for (size_t i = 0; i < m->n_parts; i++)
		if (m->part[i].holds && m->part[i].from_ns < from_ns)
			from_ns = m->part[i].from_ns;
	return from_ns;
}

/* Whether a part that holds nothing may bring an interval as early as this. */
static bool is_awaited(const struct feed_merge *m, int64_t from_ns)
{
	bool due = from_ns + m->line.interval_ns + MERGE_WAIT_NS <= m->now_ns;

	return !due && any_of(i, m->n_parts,
			      !m->part[i].holds && !m->part[i].ended &&
				      m->now_ns - m->part[i].gave_ns < MERGE_AWAY_NS);
}

/* The rows that a part holds, to those of the interval. */
static int take_rows(struct feed_merge *m, struct merge_part *p, bool late)
{
	int err = 0;

	for (size_t i = 0; i < p->n_rows && !err; i++) {
		struct merge_server *s = &m->server[p->rows[i].server];

		if (late || s->given_ns == p->from_ns) {
			m->late += p->rows[i].interval->seconds;
			continue;
		}
		s->given_ns = p->from_ns;
		err = array_put(&m->rows, &m->n_rows, p->rows[i]);
	}
	p->n_rows = 0;
	p->holds = false;
	return err;
}

COMPARISON(by_server, struct feed_item, ORDER(a->server, b->server))

static int give_rows(struct feed_merge *m)
{
	struct feed_line *l = &m->line;
	int err = feed_end_silence(&m->feed, l);

	sort(m->rows, m->n_rows, by_server);
	for (size_t i = 0; i < m->n_rows && !err; i++)
		err = feed_add(&m->feed, &m->rows[i]);
	return err ?: feed_end_interval(&m->feed, l);
}

static int give(struct feed_merge *m, int64_t from_ns)
{
	struct feed_line *l = &m->line;
	bool late = l->next_ns != INT64_MIN && from_ns < l->next_ns;
	int err = 0;

	m->n_rows = 0;
	for (size_t i = 0; i < m->n_parts && !err; i++)
		if (m->part[i].holds && m->part[i].from_ns == from_ns)
			err = take_rows(m, &m->part[i], late);
	if (err || late)
		return err;
	if (l->next_ns == INT64_MIN)
		l->next_ns = from_ns;
	feed_silence(l, (uint64_t)((from_ns - l->next_ns) / l->interval_ns));
	return give_rows(m);
}

static void add_up(struct feed_merge *m)
{
	struct feed_counts all = {.duplicates = m->late};

	for (size_t i = 0; i < m->n_parts; i++) {
		struct feed_counts n;

		feed_counts(m->part[i].feed, &n);
		all.duplicates += n.duplicates;
		all.lost += n.lost;
		all.damaged += n.damaged;
		all.seconds += n.seconds;
	}
	m->feed.counts = all;
}

static int merge_fill(struct feed *feed)
{
	struct feed_merge *m = (struct feed_merge *)feed;
	bool ended = true;
	int64_t from_ns;
	int err = 0;

	for (size_t i = 0; i < m->n_parts && !err && !feed->n; i++)
		err = pull(m, &m->part[i]);
	add_up(m);
	if (err || feed->n)
		return err;
	for (size_t i = 0; i < m->n_parts; i++)
		ended &= m->part[i].ended && !m->part[i].holds;
	from_ns = earliest(m);
	if (from_ns == INT64_MAX)
		return feed_add_kind(feed, ended ? FEED_END : FEED_NOT_YET);
	return is_awaited(m, from_ns) ? feed_add_kind(feed, FEED_NOT_YET) : give(m, from_ns);
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static void merge_now(struct feed *feed, int64_t now_ns)
{
	struct feed_merge *m = (struct feed_merge *)feed;

	m->now_ns = now_ns;
	for (size_t i = 0; i < m->n_parts; i++) {
		if (m->part[i].gave_ns == INT64_MIN)
			m->part[i].gave_ns = now_ns;
		feed_now(m->part[i].feed, now_ns);
	}
}

static const char *merge_trouble(const struct feed *feed)
{
	const struct feed_merge *m = (const struct feed_merge *)feed;
	const char *trouble = NULL;

	for (size_t i = 0; i < m->n_parts && !trouble; i++)
		trouble = feed_trouble(m->part[i].feed);
	return trouble;
}

static int merge_left_out(const struct feed *feed, const struct feed_left_out *to)
{
	const struct feed_merge *m = (const struct feed_merge *)feed;
	int err = 0;

	for (size_t i = 0; i < m->n_parts && !err; i++)
		err = feed_left_out(m->part[i].feed, to);
	return err;
}

static void merge_release(struct feed *feed)
{
	struct feed_merge *m = (struct feed_merge *)feed;

	for (size_t i = 0; i < m->n_parts; i++) {
		feed_free(m->part[i].feed);
		free(m->part[i].ours);
		free(m->part[i].rows);
	}
	free(m->part);
	free(m->server);
	map_release(&m->by_name);
	for (size_t i = 0; i < m->n_names; i++)
		free(m->names[i]);
	free(m->names);
	free(m->rows);
}

/* The part has these numbers for servers that were known before it began. */
static int know(struct feed_merge *m, struct merge_part *p, const struct feed_opts *o)
{
	int err = 0;

	for (size_t i = 0; i < o->n_servers && !err; i++) {
		struct feed_item item = {.kind = FEED_SERVER,
					 .server = (uint32_t)i,
					 .named = {o->servers[i], (uint32_t)o->n_servers}};

		err = take_new_server(m, p, &item);
	}
	m->feed.n = 0; /* nobody needs to be told */
	return err;
}

int feed_of_merged(struct feed **out, struct feed *const *parts, size_t n,
		   const struct feed_opts *o)
{
	static const struct feed_reader reader = {.fill = merge_fill,
						  .release = merge_release,
						  .now = merge_now,
						  .trouble = merge_trouble,
						  .left_out = merge_left_out};
	struct feed_merge *m = calloc(1, sizeof(*m));
	int err = -ENOMEM;

	if (m)
		m->part = calloc(n, sizeof(*m->part));
	if (!m || !m->part) {
		for (size_t i = 0; i < n; i++)
			feed_free(parts[i]);
		free(m);
		return feed_made(out, NULL, -ENOMEM);
	}
	m->feed.reader = &reader;
	m->n_parts = n;
	for (size_t i = 0; i < n; i++) {
		m->part[i].feed = parts[i];
		m->part[i].gave_ns = INT64_MIN;
	}
	err = feed_line_init(&m->line, o->interval_s);
	if (!err && o->from_ns != INT64_MIN)
		m->line.next_ns = o->from_ns - o->from_ns % m->line.interval_ns;
	for (size_t i = 0; i < n && !err; i++)
		err = know(m, &m->part[i], o);
	return feed_made(out, &m->feed, err);
}
