/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of series.h, "copying a file": a host that writes, a copy of its file, and whether the two are the same. */
#ifndef LIMPET_COPY_UTIL_H
#define LIMPET_COPY_UTIL_H

#include "series_util.h"

#define FILE_NAME "s3-20261121.limpet"

struct pair {
	char from[400], to[400], path[600], kept[600];
	struct series_writer *w;
	struct series_copy *c;
	struct series_keeper *k;
	uint64_t seq;
};

/* The probe begins, for the first time or once more. */
static inline void pair_start(struct pair *p)
{
	const char *own[] = {"/system.slice/ceph.slice"};
	struct series_writer_opts o = {.dir = p->from,
				       .host = "s3",
				       .interval_ms = 1000,
				       .tool = "test",
				       .cgroups = own,
				       .n_cgroups = 1};

	if (series_writer_new(&p->w, &o))
		fail_msg("%s", series_error());
}

static inline void pair_begin(struct pair *p, const struct fixture *fx)
{
	memset(p, 0, sizeof(*p));
	snprintf(p->from, sizeof(p->from), "%s/from", fx->dir);
	snprintf(p->to, sizeof(p->to), "%s/to", fx->dir);
	snprintf(p->path, sizeof(p->path), "%s/%s", p->from, FILE_NAME);
	snprintf(p->kept, sizeof(p->kept), "%s/%s", p->to, FILE_NAME);
	mkdir(p->from, 0700);
	mkdir(p->to, 0700);
	pair_start(p);
}

static inline void stop_writer(struct pair *p)
{
	if (p->w)
		assert_int_equal(series_writer_free(p->w), 0);
	p->w = NULL;
}

static inline void stop_copy(struct pair *p)
{
	series_copy_free(p->c);
	p->c = NULL;
}

static inline void stop_keeper(struct pair *p)
{
	series_keeper_close(p->k);
	p->k = NULL;
}

static inline void pair_end(struct pair *p)
{
	stop_copy(p);
	stop_keeper(p);
	stop_writer(p);
}

/* Of a second, and of stacks of each kind behind the last. */
static inline void put_seconds(struct pair *p, int n)
{
	int64_t end;
	struct second s;

	second_init(&s);
	for (int i = 0; i < n; i++, p->seq++) {
		fill_second(&s, p->seq, (T0 + (int64_t)p->seq) * NS);
		if (series_writer_append(p->w, &s))
			fail_msg("%s", series_error());
	}
	second_release(&s);
	end = (T0 + (int64_t)p->seq) * NS;
	for (int kind = 0; n && kind < STACKS_KINDS; kind++)
		assert_int_equal(series_writer_stacks(p->w, (enum series_stacks)kind, end, end + 1,
						      "a;b 2\na;c 1"),
				 0);
}

/* One part, if there is anything new: 1, 0, or a negative errno of the one side or the other. */
static inline int copy_one(struct pair *p, int64_t plain_ns)
{
	struct series_cursor at, next;
	struct text part TEXT_SCOPED = {0};
	char *aside = NULL;
	int got = p->c ? 0 : series_copy_new(&p->c, p->path), err;

	if (!got && !p->k)
		got = series_keeper_open(&p->k, p->to, FILE_NAME, "s3", series_copy_origin(p->c),
					 &aside);
	free(aside);
	if (got)
		return got;
	series_keeper_cursor(p->k, &at);
	got = series_copy_out(p->c, &at, plain_ns, &part, &next);
	assert_int_equal(got == 1, part.len > 0);
	if (got < 1) {
		assert_memory_equal(&at, &next, sizeof(at));
		return got;
	}
	err = series_keeper_take(p->k, text_of(&part), part.len);
	series_keeper_cursor(p->k, &at);
	/* But where the file is gone. */
	if (!err && at.kept > 1)
		assert_memory_equal(&at, &next, sizeof(at));
	return err ? err : 1;
}

/* Until nothing is new: how many parts. */
static inline int copy_all(struct pair *p, int64_t plain_ns)
{
	int parts = 0, got;

	while ((got = copy_one(p, plain_ns)) > 0)
		assert_true(++parts < 10000);
	if (got)
		fail_msg("%s", series_error());
	return parts;
}

/* ---- the same ---- */

/* Rows of a table that are in the one and not in the other; but for what the keeper notes for itself. */
static inline int64_t differing(const char *a, const char *b, const char *table)
{
	char text[2000];
	sqlite3_stmt *st;
	sqlite3 *db;
	int64_t n;

	assert_int_equal(sqlite3_open_v2(a, &db, SQLITE_OPEN_READONLY, NULL), 0);
	snprintf(text, sizeof(text), "ATTACH '%s' AS b", b);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), 0);
	snprintf(text, sizeof(text),
		 "SELECT count(*) FROM (SELECT * FROM main.%s EXCEPT SELECT * FROM b.%s)%s", table,
		 table, strcmp(table, "meta") ? "" : " WHERE key <> 'kept'");
	assert_int_equal(sqlite3_prepare_v2(db, text, -1, &st, NULL), 0);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

struct digest {
	uint64_t rows, sum;
};

static inline void digest_bytes(struct digest *d, const void *at, size_t n)
{
	const unsigned char *p = at;

	for (size_t i = 0; i < n; i++)
		d->sum = (d->sum ^ p[i]) * 1099511628211ULL;
}

static inline int digest_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct digest *d = arg;

	d->rows++;
	digest_bytes(d, &t->wall_ns, sizeof(t->wall_ns));
	digest_bytes(d, &t->boot, sizeof(t->boot));
	digest_bytes(d, row->instance, strlen(row->instance));
	digest_bytes(d, row->values, sizeof(row->values));
	if (row->lat)
		digest_bytes(d, row->lat, sizeof(*row->lat));
	if (row->dev)
		digest_bytes(d, row->dev, sizeof(*row->dev));
	if (row->runq)
		digest_bytes(d, row->runq, sizeof(*row->runq));
	return 0;
}

static inline int digest_device(void *arg, const struct device_identity *id)
{
	digest_bytes(arg, id, sizeof(*id));
	return 0;
}

static inline int digest_stacks(void *arg, int64_t from_ns, int64_t to_ns, const char *folded,
				size_t len)
{
	digest_bytes(arg, &from_ns, sizeof(from_ns));
	digest_bytes(arg, &to_ns, sizeof(to_ns));
	digest_bytes(arg, folded, len);
	return 0;
}

static inline int digest_line(void *arg, const char *line)
{
	digest_bytes(arg, line, strlen(line));
	return 0;
}

/* All that a reader gives. */
static inline struct digest digest_of(const char *path)
{
	struct series_reader *r;
	struct digest d = {0};
	int err = series_reader_new(&r, path);

	if (err)
		fail_msg("%s", series_error());
	digest_bytes(&d, series_reader_host(r), strlen(series_reader_host(r)));
	err = series_reader_rows(r, 0, INT64_MAX, SERIES_ALL, ALL_HISTS, digest_row, &d);
	err = err ? err : series_reader_devices(r, digest_device, &d);
	for (int kind = 0; !err && kind < STACKS_KINDS; kind++)
		err = series_reader_stacks(r, (enum series_stacks)kind, 0, INT64_MAX, digest_stacks,
					   &d);
	err = err ? err : series_reader_cgroups(r, digest_line, &d);
	if (err)
		fail_msg("%s", series_error());
	series_reader_free(r);
	return d;
}

static inline void assert_same_rows(const char *a, const char *b)
{
	struct digest x = digest_of(a), y = digest_of(b);

	assert_int_equal(x.rows, y.rows);
	assert_int_equal(x.sum, y.sum);
}

/* Byte for byte, row by row. */
static inline void assert_same_files(const char *a, const char *b)
{
	static const char *const tables[] = {"meta",  "boot",  "metric",    "device",
					     "chunk", "stack", "user_stack"};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (differing(a, b, tables[i]) || differing(b, a, tables[i]))
			fail_msg("table %s: %d rows are missing, %d are too many", tables[i],
				 (int)differing(a, b, tables[i]), (int)differing(b, a, tables[i]));
	assert_same_rows(a, b);
}

#endif
