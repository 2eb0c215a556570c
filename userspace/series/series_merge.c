// SPDX-License-Identifier: BSD-2-Clause
/*
 * The rows of chunks, as one sequence in the order of time. Chunks overlap where the clock was set
 * back; those that cover a moment are open at the same time, and as a rule that is one.
 */
#include "series_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

#define MAX_OPEN 64
/* Of all chunks that are open; 128 busy disks take 30 MB, and 256 remotes 2 MB. */
#define MAX_BYTES ((size_t)160 << 20)
/* Of one family in a second: the probe gives 129 disks, 257 remote hosts and 11 processes. In a chunk
 * each second may have other ones, up to as many as a file takes. */
#define MAX_ROWS      GRID_ROWS_MAX
#define MAX_INSTANCES (SERIES_MAX_DEVICES + 1)
/* What a row's histograms cost beside the row. */
#define HIST_ROWS 8

struct opened {
	struct grid g;
	int64_t id;
	size_t at; /* the second that comes next */
};

struct series_merge {
	struct series_reader *r;
	const struct series_range *q;
	enum metric_family family;
	sqlite3_stmt *st; /* head, the family, hist of one chunk */
	unsigned int hists;
	int places[METRICS_OF_FAMILY], n_places; /* in the family, of metrics that are wanted */
	struct opened open[MAX_OPEN];
	size_t n_open, bytes; /* those open hold */
	struct grid spare;    /* the one closed last, for its memory */
};

static int prepare(struct series_merge *m)
{
	char *sql = m->family == FAM_COUNT
			    ? sqlite3_mprintf("SELECT head FROM chunk WHERE id = ?")
			    : sqlite3_mprintf("SELECT head, \"%w\", %s FROM chunk WHERE id = ?",
					      metric_family_names[m->family],
					      m->hists ? "hist" : "NULL");
	int rc = sql ? sqlite3_prepare_v2(m->r->db, sql, -1, &m->st, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return rc ? series_read_failed(m->r, rc) : 0;
}

/* What series_unpack_head() gave when the chunks were listed. */
static size_t take_times(struct grid *g, const struct series_chunk *c)
{
	memcpy(g->time, c->time, c->n * sizeof(*c->time));
	g->boot = c->boot;
	g->sections = c->sections;
	g->n = c->n;
	return c->n;
}

static int unpack(struct series_merge *m, const struct series_chunk *c, struct opened *o)
{
	const int section[] = {SEC_HEAD, (int)m->family, SEC_HIST};
	struct series_reader *r = m->r;
	struct grid *g = &o->g;
	size_t n = 0;
	int err = 0;

	for (int i = 0; !err && i < (m->family == FAM_COUNT ? 1 : 3); i++) {
		struct series_blob b = series_column_blob(m->st, i);

		if (i == 2 && !m->hists)
			break;
		if (!b.len != !(c->sections & 1U << section[i]))
			return series_damaged(r, "a part of a chunk is missing");
		if (!i && c->time)
			n = take_times(g, c);
		else if (!i)
			err = series_unpack_head(g, &b, c->id, &n);
		else if (b.len)
			err = series_unpack_section(g, &r->metrics, section[i], &b, c->id, 0, n,
						    m->hists);
	}
	return err ? series_unpack_failed(r, g, err) : 0;
}

/* What a chunk took, of what the call may. */
static int charge(struct series_merge *m, const struct grid *g)
{
	struct series_left *left = &m->r->left;
	size_t rows = m->family < FAM_COUNT ? g->n_rows[m->family] : 0;

	m->bytes += g->used;
	left->grid -= g->used < left->grid ? g->used : left->grid;
	left->cells -= (int64_t)(rows * g->n);
	if (rows > MAX_INSTANCES)
		return series_damaged(m->r, "a chunk has too many instances");
	if (left->cells < 0 || !left->grid || g->inflated > left->unzip)
		return series_damaged(m->r, "it holds more than a day can");
	left->unzip -= g->inflated;
	return 0;
}

static int open_chunk(struct series_merge *m, const struct series_chunk *c)
{
	struct series_reader *r = m->r;
	struct opened *o = &m->open[m->n_open];
	size_t limit = MAX_BYTES - (m->bytes < MAX_BYTES ? m->bytes : MAX_BYTES);
	int rc, err;

	if (m->n_open == MAX_OPEN)
		return series_fail(-E2BIG,
				   "cannot read '%s': its clock was set back over the same time "
				   "more than %d times",
				   r->path, MAX_OPEN);
	o->g = m->spare;
	m->spare = (struct grid){0};
	err = grid_renew(&o->g, c->n, limit < r->left.grid ? limit : r->left.grid);
	o->g.inflater = &r->inflater;
	o->id = c->id;
	o->at = 0;
	m->n_open++;
	if (err)
		return series_unpack_failed(r, &o->g, err);
	if (m->family == FAM_COUNT && c->time) {
		take_times(&o->g, c);
		return charge(m, &o->g);
	}
	sqlite3_bind_int64(m->st, 1, c->id);
	rc = series_step(r, m->st);
	if (rc == SQLITE_ROW)
		err = unpack(m, c, o);
	else
		err = rc == SQLITE_DONE ? series_damaged(r, "a chunk is not found")
					: series_read_failed(r, rc);
	sqlite3_reset(m->st);
	return err ? err : charge(m, &o->g);
}

static void close_chunk(struct series_merge *m, size_t i)
{
	m->bytes -= m->open[i].g.used < m->bytes ? m->open[i].g.used : m->bytes;
	grid_release(&m->spare);
	m->spare = m->open[i].g;
	m->open[i] = m->open[--m->n_open];
}

static struct opened *earliest(struct series_merge *m)
{
	struct opened *best = NULL;

	for (size_t i = 0; i < m->n_open; i++) {
		struct opened *o = &m->open[i];
		int64_t a = o->g.time[o->at].wall_ns;
		int64_t b = best ? best->g.time[best->at].wall_ns : 0;

		if (!best || a < b || (a == b && o->id < best->id))
			best = o;
	}
	return best;
}

static int emit(struct series_merge *m, const struct opened *o)
{
	const struct grid *g = &o->g;
	const struct grid_time *at = &g->time[o->at];
	const struct series_time t = {.wall_ns = at->wall_ns,
				      .mono_ns = (uint64_t)at->mono_ns,
				      .seq = (uint64_t)at->seq,
				      .lost = (uint64_t)at->lost,
				      .interval_s = at->interval_s,
				      .boot = g->boot};
	struct second_row *row = &m->r->row;
	int err = 0, n = 0;

	if (t.wall_ns < m->q->from_ns || t.wall_ns >= m->q->to_ns)
		return 0;
	if (m->family == FAM_COUNT)
		return m->q->fn(m->q->arg, &t, NULL);
	for (size_t i = 0; !err && i < g->n_rows[m->family]; i++) {
		const struct grid_row *from = g->rows[m->family][i];

		if (!from->present[o->at])
			continue;
		memcpy(row->instance, from->instance, sizeof(row->instance));
		for (int k = 0; k < m->n_places; k++) {
			const double *v = from->column[m->places[k]];

			row->values[m->places[k]] = v ? v[o->at] : NAN;
		}
		if (m->hists)
			grid_give_hists(&m->r->hists, row, from, o->at);
		m->r->left.rows -= 1 + (row->lat ? HIST_ROWS : 0) + (row->dev ? HIST_ROWS : 0);
		if (++n > MAX_ROWS || m->r->left.rows < 0)
			return series_damaged(m->r, n > MAX_ROWS
							    ? "a second has too many instances"
							    : "it has more rows than a day can");
		err = m->q->fn(m->q->arg, &t, row);
	}
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct series_chunk *x = a, *y = b;

	return ORDER(x->first_ns, y->first_ns) ?: ORDER(x->id, y->id);
}

static int is_due(const struct series_chunk *c, const struct opened *best)
{
	int64_t now = best ? best->g.time[best->at].wall_ns : INT64_MAX;

	return !best || c->first_ns < now || (c->first_ns == now && c->id < best->id);
}

static int merge_rows(struct series_merge *m, const struct series_chunk *c, size_t n)
{
	const struct series_range *q = m->q;
	struct opened *best;
	size_t next = 0;
	int err = 0;

	while (!err) {
		best = earliest(m);
		for (; next < n && !err && is_due(&c[next], best); next++) {
			if (c[next].last_ns < q->from_ns || c[next].first_ns >= q->to_ns)
				continue;
			err = open_chunk(m, &c[next]);
			best = err ? NULL : earliest(m);
		}
		if (!best)
			break;
		err = emit(m, best);
		if (!err && ++best->at == best->g.n)
			close_chunk(m, (size_t)(best - m->open));
	}
	return err;
}

int series_chunks_rows(struct series_reader *r, struct series_chunk *chunks, size_t n,
		       enum metric_family family, const struct series_range *q)
{
	struct series_merge m = {.r = r, .q = q, .family = family};
	int has = 1, err = 0;

	for (int h = 0; h < GRID_HISTS; h++)
		if (grid_hist_family(h) == family)
			m.hists |= q->hists & 1U << h;
	for (int k = metric_first[family]; family < FAM_COUNT && k < metric_first[family + 1]; k++)
		if (!r->unwanted[k])
			m.places[m.n_places++] = k - metric_first[family];
	/* A column that was there stays. */
	if (family < FAM_COUNT && !(r->columns & 1U << family))
		err = series_has_column(r, "chunk", metric_family_names[family], &has);
	if (!err && family < FAM_COUNT && has)
		r->columns |= 1U << family;
	if (err || !has)
		return err;
	sort(chunks, n, by_time);
	err = prepare(&m);
	if (!err)
		err = merge_rows(&m, chunks, n);
	while (m.n_open)
		close_chunk(&m, m.n_open - 1);
	grid_release(&m.spare);
	sqlite3_finalize(m.st);
	return err;
}
