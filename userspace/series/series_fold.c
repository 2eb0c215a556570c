// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packing: chunks of one second become one chunk of a minute, in one transaction, so that whoever
 * reads sees the ones or the other. What follows from the file alone, so that the seconds a killed
 * writer left are packed by the next.
 */
#include "series_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SELECT id, disk, …, head, hist */
static int prepare(struct series_writer *w, int64_t from, sqlite3_stmt **st)
{
	sqlite3_str *sql = sqlite3_str_new(w->db);
	int rc = SQLITE_NOMEM;
	char *text;

	sqlite3_str_appendall(sql, "SELECT id");
	for (int s = 0; s < SECTIONS; s++)
		sqlite3_str_appendf(sql, ", \"%w\"", series_section_name(s));
	sqlite3_str_appendf(sql, " FROM chunk WHERE seconds = 1 AND id >= %lld ORDER BY id",
			    (long long)from);
	text = sqlite3_str_finish(sql);
	if (text)
		rc = sqlite3_prepare_v2(w->db, text, -1, st, NULL);
	sqlite3_free(text);
	return rc;
}

static int unpack(struct series_writer *w, sqlite3_stmt *st, struct grid *g)
{
	unsigned int hists = HIST_LAT | HIST_DEV | HIST_RUNQ;
	int64_t id = sqlite3_column_int64(st, 0);
	struct series_blob b[SECTIONS];
	size_t at = g->n, n;
	int err;

	for (int s = 0; s < SECTIONS; s++) {
		b[s].at = sqlite3_column_blob(st, 1 + s);
		b[s].len = (size_t)sqlite3_column_bytes(st, 1 + s);
	}
	err = series_unpack_head(g, &b[SEC_HEAD], id, &n);
	if (!err && n != 1)
		err = -EBADMSG;
	if (!err && at &&
	    (g->time[at].wall_ns < g->time[at - 1].wall_ns ||
	     g->time[at].seq <= g->time[at - 1].seq))
		err = -EBADMSG; /* the clock was set back */
	for (int s = 0; !err && s < SECTIONS; s++)
		if (!b[s].len != !(g->sections & 1U << s))
			err = -EBADMSG;
		else if (s != SEC_HEAD && b[s].len)
			err = series_unpack_section(g, &w->metrics, s, &b[s], id, at, 1, hists);
	return !err && g->unknown ? -EBADMSG : err;
}

/*
 * Up to max seconds from *from on that can stand in one chunk: of one run, one after the other,
 * in the order of the clock. *from is then the first; the caller releases g. -EAGAIN: at most g->n
 * can, so try again with that. 0 with g->n == 0: there are no more.
 */
static int gather(struct series_writer *w, int64_t *from, size_t max, struct grid *g)
{
	sqlite3_stmt *st = NULL;
	int err = grid_init(g, max, WRITER_GRID_LIMIT);
	int rc = err ? SQLITE_NOMEM : prepare(w, *from, &st);

	while (!rc && g->n < max && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(st, 0);
		size_t good = g->n;

		rc = 0;
		if (!good)
			*from = id;
		else if (id != *from + (int64_t)good)
			break;
		err = unpack(w, st, g);
		if (err == -EBADMSG) { /* of another run, or damaged */
			err = -EAGAIN;
			g->n = good;
			break;
		}
		if (err)
			break;
	}
	sqlite3_finalize(st);
	return err ? err : rc && rc != SQLITE_DONE ? -EIO : 0;
}

static int replace(struct series_writer *w, const struct grid *g, int64_t id)
{
	int64_t end = id + (int64_t)g->n;
	struct series_packed p;
	int rc, err = series_pack(&p, g, &w->metrics, id, FOLD_LEVEL);

	if (err)
		return err;
	rc = series_sql(w->db, NULL,
			"BEGIN IMMEDIATE; DELETE FROM chunk WHERE id >= %lld AND id < %lld",
			(long long)id, (long long)end);
	if (!rc)
		rc = series_insert_chunk(w, &p, g, id);
	if (!rc)
		rc = series_sql(w->db, NULL,
				"INSERT OR REPLACE INTO meta VALUES ('packed', max(%lld, coalesce("
				"(SELECT value FROM meta WHERE key = 'packed'), 0))); COMMIT",
				(long long)end - 1);
	if (rc && !sqlite3_get_autocommit(w->db))
		series_sql(w->db, NULL, "ROLLBACK");
	series_packed_release(&p);
	return rc ? -EIO : 0;
}

/* One chunk; *left: there may be more. */
static int fold_some(struct series_writer *w, int *left)
{
	size_t max = GRID_SECONDS;
	int err;

	for (;;) {
		struct grid g;
		size_t n;

		err = gather(w, &w->fold_from, max, &g);
		n = g.n;
		if (!err && n > 1)
			err = replace(w, &g, w->fold_from);
		grid_release(&g);
		if (err == -E2BIG && n > 1) {
			max = n / 2;
			continue;
		}
		if (err == -EAGAIN && n) {
			max = n;
			continue;
		}
		*left = n || err == -EAGAIN;
		if (!err || err == -EAGAIN) /* what cannot be packed stays as it is */
			w->fold_from += n ? (int64_t)n : *left;
		return err == -EAGAIN ? 0 : err;
	}
}

void series_fold(struct series_writer *w)
{
	int left = 1;

	if (!w->db)
		return;
	while (left && !fold_some(w, &left))
		;
	/* After an error too: the next try comes with the next minute. */
	w->n_plain = 0;
}
