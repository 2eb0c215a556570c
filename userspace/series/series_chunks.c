// SPDX-License-Identifier: BSD-2-Clause
/* All chunks of a file, and whether they are: none may be missing or stand where another was. */
#include "series_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

/* Of times kept, over all chunks: a day by the second is 4 MB. */
#define KEEP_BYTES ((size_t)16 << 20)

int series_unpack_failed(const struct series_reader *r, const struct grid *g, int err)
{
	if (err == -ENOMEM && !g->full)
		return series_no_memory();
	return series_damaged(r, err == -ENOMEM ? "a chunk holds more than a minute can"
						: "a chunk does not decode");
}

struct series_blob series_column_blob(sqlite3_stmt *st, int col)
{
	struct series_blob b = {0};

	if (sqlite3_column_type(st, col) == SQLITE_BLOB) {
		b.at = sqlite3_column_blob(st, col);
		b.len = b.at ? (size_t)sqlite3_column_bytes(st, col) : 0;
	}
	return b;
}

/* What all chunks so far come to. */
struct listing {
	int64_t from_ns, to_ns; /* the range */
	int64_t next, day, span_ns;
	size_t room; /* for times that are kept */
};

/* What stands in the row, which can be told without its head. */
static int take_row(struct series_reader *r, sqlite3_stmt *st, struct listing *l,
		    struct series_chunk *c)
{
	int64_t v[4];

	for (int i = 0; i < 4; i++) {
		v[i] = series_column_known(st, i);
		if (v[i] < 0)
			return series_damaged(r, "a chunk has no valid time or number");
	}
	if (v[0] != l->next)
		return series_damaged(r, "seconds are missing before chunk %lld", (long long)v[0]);
	if (v[2] < v[1] || v[3] < 1 || v[3] > GRID_SECONDS_MAX)
		return series_damaged(r, "a chunk is not where it belongs");
	if (l->next == 1)
		l->day = v[1] / NS_PER_DAY;
	if (v[1] / NS_PER_DAY != l->day || v[2] / NS_PER_DAY != l->day)
		return series_damaged(r, "its seconds are not all of one day");
	l->span_ns += v[2] - v[1];
	l->next += v[3];
	if (l->next > SERIES_MAX_SECONDS || l->span_ns > SERIES_MAX_SPAN_NS)
		return series_damaged(r, "it has more seconds than a day");
	*c = (struct series_chunk){
		.id = v[0], .first_ns = v[1], .last_ns = v[2], .n = (size_t)v[3]};
	return 0;
}

/* What stands beside a chunk must be what its head says. */
static int check_chunk(struct series_reader *r, sqlite3_stmt *st, struct grid *g,
		       struct series_chunk *c)
{
	struct series_blob head = series_column_blob(st, 4);
	size_t n;
	int err;

	g->n = 0;
	g->sections = 0;
	err = series_unpack_head(g, &head, c->id, &n);
	if (err)
		return series_unpack_failed(r, g, err);
	if (n != c->n || c->first_ns != g->time[0].wall_ns || c->last_ns != g->time[n - 1].wall_ns)
		return series_damaged(r, "a chunk is not where it belongs");
	c->sections = g->sections;
	c->boot = g->boot;
	return 0;
}

static int note_packed(struct series_reader *r, const char *key, sqlite3_stmt *st, int col)
{
	if (!strcmp(key, "packed"))
		r->packed = sqlite3_column_int64(st, col);
	return 0;
}

/* What was packed and is no longer there was lost at the end. */
static int check_end(struct series_reader *r, int64_t next)
{
	int err;

	r->packed = 0;
	err = series_each_meta(r, note_packed);
	if (err)
		return err;
	return r->packed >= next ? series_damaged(r, "its last seconds are missing") : 0;
}

/* What series_unpack_head() gave; no matter if there is no memory. */
static void keep_times(struct series_chunk *c, const struct grid *g, size_t *room)
{
	size_t size = c->n * sizeof(*c->time);

	c->time = size <= *room ? malloc(size) : NULL;
	if (!c->time)
		return;
	memcpy(c->time, g->time, size);
	*room -= size;
}

void series_chunks_free(struct series_chunk *chunks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(chunks[i].time);
	free(chunks);
}

/* One row; the head is not read of what lies outside of the range. */
static int list_one(struct series_reader *r, sqlite3_stmt *st, struct grid *g, struct listing *l,
		    struct series_chunk *c)
{
	int err = take_row(r, st, l, c);

	if (err || c->last_ns < l->from_ns || c->first_ns >= l->to_ns)
		return err;
	err = check_chunk(r, st, g, c);
	if (!err)
		keep_times(c, g, &l->room);
	return err;
}

/*
 * What stands before the range: minutes that are packed, which no writer changes any more. A writer that was killed before it
 * packed, and went on later, may pack across the beginning of what is asked for; then a chunk seems to be missing there, and
 * all are listed.
 */
static void extend_prefix(struct series_reader *r, const struct listing *l,
			  const struct series_chunk *c)
{
	if (!r->follows || c->n == 1 || c->last_ns >= l->from_ns || c->id != r->prefix.next)
		return;
	r->prefix.next = l->next;
	r->prefix.day = l->day;
	r->prefix.span_ns = l->span_ns;
	if (c->last_ns > r->prefix.last_ns)
		r->prefix.last_ns = c->last_ns;
}

void series_reader_follow(struct series_reader *r)
{
	r->follows = true;
	r->prefix = (struct series_prefix){.next = 1};
}

static int list_from(struct series_reader *r, struct listing l, struct series_chunk **chunks,
		     size_t *n)
{
	sqlite3_stmt *st = NULL;
	struct grid g;
	bool began = series_cpu_begin(r);
	int rc = 0, err;

	err = grid_init(&g, GRID_SECONDS_MAX, 1 << 20) ? series_no_memory() : 0;
	g.inflater = &r->inflater;
	if (!err)
		rc = sqlite3_prepare_v2(r->db,
					"SELECT id, first_ns, last_ns, seconds, CASE WHEN"
					" last_ns < ? OR first_ns >= ? THEN 0 ELSE head END"
					" FROM chunk NOT INDEXED WHERE id >= ? ORDER BY id",
					-1, &st, NULL);
	sqlite3_bind_int64(st, 1, l.from_ns);
	sqlite3_bind_int64(st, 2, l.to_ns);
	sqlite3_bind_int64(st, 3, l.next == 1 ? INT64_MIN : l.next);
	while (!err && !rc && (rc = series_step(r, st)) == SQLITE_ROW) {
		struct series_chunk *c = array_add(chunks, n);

		rc = 0;
		err = c ? list_one(r, st, &g, &l, c) : series_no_memory();
		if (!err)
			extend_prefix(r, &l, c);
	}
	sqlite3_finalize(st);
	grid_release(&g);
	rc = series_cpu_end(r, began, rc);
	if (!err && rc != SQLITE_DONE)
		err = series_read_failed(r, rc);
	return err ? err : check_end(r, l.next);
}

int series_chunks_list(struct series_reader *r, int64_t from_ns, int64_t to_ns, bool keep,
		       struct series_chunk **chunks, size_t *n)
{
	struct listing l = {
		.from_ns = from_ns, .to_ns = to_ns, .next = 1, .room = keep ? KEEP_BYTES : 0};
	const struct series_prefix *p = &r->prefix;
	int err;

	*chunks = NULL;
	*n = 0;
	if (p->next > 1 && p->last_ns < from_ns) {
		struct listing rest = l;

		rest.next = p->next;
		rest.day = p->day;
		rest.span_ns = p->span_ns;
		err = list_from(r, rest, chunks, n);
		if (err != -EBADMSG)
			return err;
		series_chunks_free(*chunks, *n);
		*chunks = NULL;
		*n = 0;
		series_reader_follow(r);
	}
	return list_from(r, l, chunks, n);
}
