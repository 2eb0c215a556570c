// SPDX-License-Identifier: BSD-2-Clause
/* All chunks of a file, and whether they are: none may be missing or stand where another was. */
#include "series_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of times kept, over all chunks: a day by the second is 4 MB. */
#define KEEP_BYTES ((size_t)16 << 20)

int series_unpack_failed(const struct series_reader *r, const struct grid *g, int err)
{
	if (err == -ENOMEM && !g->full)
		return series_no_memory();
	return series_damaged(r, err == -ENOMEM ? "a chunk holds more than its size explains"
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

/* What stands beside a chunk must be what its head says. */
static int check_chunk(struct series_reader *r, sqlite3_stmt *st, struct grid *g, int64_t next,
		       struct series_chunk *c)
{
	struct series_blob head = series_column_blob(st, 4);
	int64_t v[4];
	int err;

	for (int i = 0; i < 4; i++) {
		v[i] = series_column_known(st, i);
		if (v[i] < 0)
			return series_damaged(r, "a chunk has no valid time or number");
	}
	if (v[0] != next)
		return series_damaged(r, "seconds are missing before chunk %lld", (long long)v[0]);
	g->n = 0;
	g->sections = 0;
	err = series_unpack_head(g, &head, v[0], &c->n);
	if (err)
		return series_unpack_failed(r, g, err);
	if (v[1] != g->time[0].wall_ns || v[2] != g->time[c->n - 1].wall_ns ||
	    v[3] != (int64_t)c->n)
		return series_damaged(r, "a chunk is not where it belongs");
	c->id = v[0];
	c->first_ns = v[1];
	c->last_ns = v[2];
	c->sections = g->sections;
	c->boot = g->boot;
	return 0;
}

/* What was packed and is no longer there was lost at the end. */
static int check_end(struct series_reader *r, int64_t next)
{
	int64_t packed = 0;
	int rc = series_sql(r->db, &packed, "SELECT value FROM meta WHERE key = 'packed'");

	if (rc)
		return series_read_failed(r, rc);
	return packed >= next ? series_damaged(r, "its last seconds are missing") : 0;
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

static int grow(struct series_chunk **chunks, size_t *cap)
{
	size_t more = *cap ? 2 * *cap : 64;
	struct series_chunk *c = realloc(*chunks, more * sizeof(*c));

	if (!c)
		return series_no_memory();
	*chunks = c;
	*cap = more;
	return 0;
}

void series_chunks_free(struct series_chunk *chunks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(chunks[i].time);
	free(chunks);
}

int series_chunks_list(struct series_reader *r, bool keep, struct series_chunk **chunks, size_t *n)
{
	size_t room = keep ? KEEP_BYTES : 0;
	sqlite3_stmt *st = NULL;
	int rc = 0, err;
	int64_t next = 1;
	size_t cap = 0;
	struct grid g;

	*chunks = NULL;
	*n = 0;
	err = grid_init(&g, GRID_SECONDS_MAX, 1 << 20) ? series_no_memory() : 0;
	if (!err)
		rc = sqlite3_prepare_v2(r->db,
					"SELECT id, first_ns, last_ns, seconds, head FROM chunk"
					" ORDER BY id",
					-1, &st, NULL);
	while (!err && !rc && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = 0;
		if (*n == cap)
			err = grow(chunks, &cap);
		if (!err)
			err = check_chunk(r, st, &g, next, &(*chunks)[*n]);
		if (!err) {
			keep_times(&(*chunks)[*n], &g, &room);
			next += (int64_t)(*chunks)[(*n)++].n;
		}
	}
	sqlite3_finalize(st);
	grid_release(&g);
	if (!err && rc != SQLITE_DONE)
		err = series_read_failed(r, rc);
	return err ? err : check_end(r, next);
}
