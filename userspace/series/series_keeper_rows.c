// SPDX-License-Identifier: BSD-2-Clause
/* The rows of a part (series.h, "copying a file"): each is read, checked and written; of a chunk a reader says what it is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "series_keeper.h"

/* Of one part, inflated: stacks come by the minute, and after a while away by the hour. */
#define STACKS_BYTES ((size_t)16 * SERIES_STACKS_MAX)

/* ---- texts and meta ------------------------------------------------------------------------------------ */

/* A text of at most size - 1 printable characters, where lines are allowed also several of them. False: it is none. */
static bool get_text(struct code_in *in, char *to, size_t size, bool lines)
{
	size_t len = code_get_below(in, size - 1);
	const unsigned char *at = code_get_bytes(in, len);

	if (in->bad || (len && !at))
		return false;
	for (size_t i = 0; i < len; i++)
		if ((at[i] < ' ' || at[i] > '~') && !(lines && at[i] == '\n'))
			return false;
	if (len)
		memcpy(to, at, len);
	to[len] = '\0';
	return true;
}

static int nothing(void *arg, const char *entry)
{
	(void)arg;
	(void)entry;
	return 0;
}

/* What a reader would refuse. */
static bool meta_is_valid(const struct series_keeper *k, const char *key, const char *text,
			  int64_t number, bool is_text)
{
	static const struct {
		const char *key;
		enum series_lines kind;
	} lists[] = {{"cgroups", LINES_CGROUPS}, {"pids", LINES_PIDS}};

	if (!strcmp(key, "packed") || !strcmp(key, "kept"))
		return false;
	if (!strcmp(key, "host"))
		return is_text && !strcmp(text, k->host);
	if (!strcmp(key, "interval_ms"))
		return !is_text && number >= 1 && number <= 86400000;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (!strcmp(key, lists[i].key))
			return is_text &&
			       !series_lines_each(lists[i].kind, text, strlen(text), nothing, NULL);
	return true;
}

static int take_meta(struct series_keeper *k, struct code_in *in)
{
	char key[PART_KEY], *text = malloc(PART_VALUE);
	int64_t number = 0;
	bool is_text;
	int rc = 0, err = 0;

	if (!text)
		return series_no_memory();
	*text = '\0';
	if (!get_text(in, key, sizeof(key), false))
		err = -EBADMSG;
	is_text = code_get_byte(in);
	if (!err && is_text && !get_text(in, text, PART_VALUE, true))
		err = -EBADMSG;
	else if (!is_text)
		number = code_get_signed(in);
	if (err || in->bad || !*key || !meta_is_valid(k, key, text, number, is_text))
		err = series_part_damaged(k, "what it says of the file");
	else if (is_text)
		rc = series_sql(k->db, NULL, "INSERT OR REPLACE INTO meta VALUES (%Q, %Q)", key,
				text);
	else
		rc = series_sql(k->db, NULL, "INSERT OR REPLACE INTO meta VALUES (%Q, %lld)", key,
				(long long)number);
	free(text);
	return rc ? series_keeper_failed(k, rc) : err;
}

/* The last one that is there comes again: where it is another one, the file is not the one that is copied. */
static int take_boot(struct series_keeper *k, struct code_in *in)
{
	int64_t id = (int64_t)code_get_below(in, SERIES_MAX_SECONDS), same = 0, started;
	char boot_id[PART_TEXT];
	int rc;

	if (!get_text(in, boot_id, sizeof(boot_id), false))
		return series_part_damaged(k, "a run of the probe");
	started = code_get_signed(in);
	if (in->bad || id < 1 || started < 0 || (!k->s.at.boot && started != k->origin))
		return series_part_damaged(k, "a run of the probe");
	if (id <= k->s.at.boot) {
		rc = series_sql(k->db, &same,
				"SELECT count(*) FROM boot WHERE id = %lld AND started_ns = %lld",
				(long long)id, (long long)started);
		k->another |= !rc && !same;
	} else {
		rc = series_sql(k->db, NULL, "INSERT INTO boot VALUES (%lld, nullif(%Q, ''), %lld)",
				(long long)id, boot_id, (long long)started);
		k->s.at.boot = id;
	}
	return rc ? series_keeper_failed(k, rc) : 0;
}

static int insert_metric(struct series_keeper *k, const struct series_metric_row *row)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(k->db, "INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?)", -1, &st,
				    NULL);

	if (!rc) {
		sqlite3_bind_int64(st, 1, row->id);
		sqlite3_bind_text(st, 2, row->family, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 3, row->name, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 4, row->kind, -1, SQLITE_STATIC);
		/* Not as text: `adler` is of the very number. */
		sqlite3_bind_double(st, 5, row->per);
		sqlite3_bind_int64(st, 6, row->adler);
		rc = series_run(st);
	}
	sqlite3_finalize(st);
	return rc;
}

static int take_metric(struct series_keeper *k, struct code_in *in)
{
	char family[INSTANCE_LEN], name[64], kind[16];
	struct series_metric_row row = {.family = family, .name = name, .kind = kind};
	int rc, err;

	row.id = (int64_t)code_get_below(in, METRIC_NUMBERS_MAX);
	if (!get_text(in, family, sizeof(family), false) ||
	    !get_text(in, name, sizeof(name), false) || !get_text(in, kind, sizeof(kind), false))
		return series_part_damaged(k, "a metric");
	row.per = code_get_double(in);
	row.adler = (int64_t)code_get_below(in, UINT32_MAX);
	if (in->bad)
		return series_part_damaged(k, "a metric");
	if (row.id <= k->s.at.metric)
		return 0;
	err = series_metric_take(&k->metrics, &row);
	if (err == -ENOMEM)
		return series_no_memory();
	if (err)
		return series_part_damaged(k, "a metric");
	rc = insert_metric(k, &row);
	k->s.at.metric = row.id;
	k->s.metrics = k->metrics.n;
	if ((rc & 0xff) == SQLITE_CONSTRAINT)
		return series_part_damaged(k, "a metric is there twice");
	return rc ? series_keeper_failed(k, rc) : 0;
}

static bool is_family(const char *name)
{
	for (int f = 0; f < FAM_COUNT; f++)
		if (!strcmp(name, metric_family_names[f]))
			return true;
	return false;
}

/* One that is there has its identity filled in, if it had none. */
static int take_device(struct series_keeper *k, struct code_in *in)
{
	enum { TEXTS = 6, NUMBERS = 3 }; /* family, name, model, firmware, driver, detail */
	int64_t id = (int64_t)code_get_below(in, INT64_MAX), number[NUMBERS];
	bool good = true, new = id > k->s.at.device;
	sqlite3_stmt *st = new ? k->device : k->fill;
	char text[TEXTS][PART_TEXT];
	int rc;

	for (int i = 0; i < TEXTS && good; i++)
		good = get_text(in, text[i], i < 2 ? INSTANCE_LEN : PART_TEXT, false);
	for (int i = 0; i < NUMBERS; i++)
		number[i] = code_get_signed(in);
	if (!good || in->bad || id < 1 || !is_family(text[0]) || !*text[1] ||
	    !series_instance_valid(text[1]))
		return series_part_damaged(k, "a device");
	if (new && ++k->s.devices > SERIES_MAX_ROWS)
		return series_part_damaged(k, "too many devices");
	sqlite3_bind_int64(st, 1, id);
	for (int i = 0; i < TEXTS; i++)
		if (*text[i])
			sqlite3_bind_text(st, 2 + i, text[i], -1, SQLITE_STATIC);
	for (int i = 0; i < NUMBERS; i++)
		if (number[i] >= 0)
			sqlite3_bind_int64(st, 2 + TEXTS + i, number[i]);
	rc = series_run(st);
	sqlite3_clear_bindings(st);
	if (new)
		k->s.at.device = id;
	return rc ? series_keeper_failed(k, rc) : 0;
}

/* ---- what a reader may take ----------------------------------------------------------------------------- */

/* A reader as it would be of this file: what it may take, less what all takes that is there. */
static int set_budget(struct series_keeper *k)
{
	const int64_t *t = k->s.takes;
	struct series_left *left;

	if (!k->r)
		k->r = calloc(1, sizeof(*k->r));
	if (!k->r)
		return series_no_memory();
	k->r->path = k->path;
	k->r->db = k->db;
	k->r->metrics = k->metrics;
	k->r->devices_checked = true;
	series_set_budget(k->r);
	left = &k->r->left;
	left->unzip -=
		(uint64_t)t[TAKES_UNZIP] < left->unzip ? (uint64_t)t[TAKES_UNZIP] : left->unzip;
	left->grid -= (uint64_t)t[TAKES_GRID] < left->grid ? (uint64_t)t[TAKES_GRID] : left->grid;
	left->rows -= t[TAKES_ROWS];
	left->cells -= t[TAKES_CELLS];
	return 0;
}

/* ---- chunks -------------------------------------------------------------------------------------------- */

struct copied_chunk {
	int64_t id, first_ns, last_ns, before_ns;
	size_t n;
	struct series_blob b[SECTIONS];
};

static int get_chunk(struct series_keeper *k, struct code_in *in, struct copied_chunk *c)
{
	size_t sections;

	*c = (struct copied_chunk){.id = (int64_t)code_get_below(in, SERIES_MAX_SECONDS)};
	c->first_ns = code_get_signed(in);
	c->last_ns = code_get_signed(in);
	c->n = code_get_below(in, GRID_SECONDS_MAX);
	c->before_ns = code_get_signed(in);
	sections = code_get_below(in, SECTIONS);
	for (size_t i = 0; i < sections && !in->bad; i++) {
		unsigned int s = code_get_byte(in);
		size_t len = code_get_below(in, (uint64_t)(in->end - in->at));
		const void *at = code_get_bytes(in, len);

		if (in->bad || !len || s >= SECTIONS || c->b[s].len)
			return series_part_damaged(k, "a chunk");
		c->b[s] = (struct series_blob){at, len};
	}
	if (in->bad || c->id < 1 || c->n < 1 || c->first_ns < 0 || c->last_ns < c->first_ns ||
	    !c->b[SEC_HEAD].len)
		return series_part_damaged(k, "a chunk is not where it belongs");
	return 0;
}

/*
 * Whether the second before is the same as where it comes from. It is not where that one's file was set back, as by a power failure,
 * and went on with other seconds of the same numbers.
 */
static int check_before(struct series_keeper *k, const struct copied_chunk *c)
{
	int64_t v[2] = {1, 0};
	int rc = series_sql(
		k->db, v,
		"SELECT id + seconds, last_ns FROM chunk WHERE id < %lld ORDER BY id DESC LIMIT 1",
		(long long)c->id);

	if (rc)
		return series_keeper_failed(k, rc);
	k->another |= v[0] != c->id || v[1] != c->before_ns;
	return 0;
}

/* Its seconds that are there already must be chunks of one, which the probe packed later: they go. 1: it need not be taken. */
static int make_place(struct series_keeper *k, const struct copied_chunk *c)
{
	int64_t end = c->id + (int64_t)c->n, singles = 0;
	int rc, err;

	if (c->id > k->s.at.kept || end <= k->s.at.kept)
		return 1;
	err = check_before(k, c);
	if (err || c->id == k->s.at.kept)
		return err;
	rc = series_sql(k->db, &singles,
			"SELECT count(*) FROM chunk WHERE id >= %lld AND seconds = 1",
			(long long)c->id);
	k->another |= !rc && singles != k->s.at.kept - c->id;
	if (!rc && !k->another)
		rc = series_sql(k->db, NULL, "DELETE FROM chunk WHERE id >= %lld",
				(long long)c->id);
	return rc ? series_keeper_failed(k, rc) : 0;
}

static int insert_chunk(struct series_keeper *k, const struct copied_chunk *c)
{
	sqlite3_stmt *st = k->insert;
	int rc;

	sqlite3_bind_int64(st, 1, c->id);
	sqlite3_bind_int64(st, 2, c->first_ns);
	sqlite3_bind_int64(st, 3, c->last_ns);
	sqlite3_bind_int64(st, 4, (int64_t)c->n);
	for (int s = 0; s < SECTIONS; s++)
		if (c->b[s].len)
			sqlite3_bind_blob(st, 5 + s, c->b[s].at, (int)c->b[s].len, SQLITE_STATIC);
	rc = series_run(st);
	sqlite3_clear_bindings(st);
	if (!rc && c->n > 1)
		rc = series_sql(k->db, NULL, "INSERT OR REPLACE INTO meta VALUES ('packed', %lld)",
				(long long)(c->id + (int64_t)c->n - 1));
	return rc ? series_keeper_failed(k, rc) : 0;
}

/* Each second, for its run; and each row, which is nothing. */
static int see_second(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct series_keeper *k = arg;
	int64_t n = 0;
	int rc;

	if (row || t->boot == k->boot)
		return 0;
	rc = series_sql(k->db, &n, "SELECT count(*) FROM boot WHERE started_ns = %lld",
			(long long)t->boot);
	k->boot = t->boot;
	k->another |= !rc && !n;
	return rc ? series_keeper_failed(k, rc) : 0;
}

/* The chunk is there: what would a reader say of it? */
static int read_back(struct series_keeper *k, const struct copied_chunk *c)
{
	struct series_left was;
	int err = set_budget(k);

	if (err)
		return err;
	was = k->r->left;
	k->boot = -1;
	err = series_reader_try(k->r, c->first_ns, c->last_ns + 1, see_second, k);
	k->s.takes[TAKES_UNZIP] += (int64_t)(was.unzip - k->r->left.unzip);
	k->s.takes[TAKES_GRID] += (int64_t)(was.grid - k->r->left.grid);
	k->s.takes[TAKES_ROWS] += was.rows - k->r->left.rows;
	k->s.takes[TAKES_CELLS] += was.cells - k->r->left.cells;
	return (err == -EBADMSG && !series_keeper_corrupt(k)) || err == -E2BIG
		       ? series_part_damaged(k, "a chunk cannot be read")
		       : err;
}

static int take_chunk(struct series_keeper *k, struct code_in *in)
{
	struct copied_chunk c;
	int err = get_chunk(k, in, &c);

	if (!err && k->chunk)
		err = series_part_damaged(k, "two chunks");
	k->chunk = true;
	err = err ? err : make_place(k, &c);
	if (err || k->another)
		return err < 0 ? err : 0;
	if (c.first_ns / NS_PER_DAY != k->day || c.last_ns / NS_PER_DAY != k->day || !k->metrics.n)
		return series_part_damaged(k, "a chunk is not where it belongs");
	err = insert_chunk(k, &c);
	if (!err)
		err = read_back(k, &c);
	k->s.at.kept = c.id + (int64_t)c.n;
	return err;
}

/* ---- stacks -------------------------------------------------------------------------------------------- */

/* The text must be what a reader gives: printable lines, and of all of them as much. */
static int check_stacks(struct series_keeper *k, enum series_stacks kind,
			const struct series_blob *b, int64_t from_ns)
{
	int64_t *takes = &k->s.takes[TAKES_STACKS + kind];
	struct code_in in;
	size_t len;
	int err = set_budget(k);

	if (!err)
		err = series_unzip(&k->r->inflater, &in, SEC_STACKS(kind), b, from_ns);
	if (err == -ENOMEM)
		return series_no_memory();
	len = err ? 0 : (size_t)(in.end - in.at);
	k->stacks += len;
	*takes += (int64_t)len;
	for (size_t i = 0; i < len; i++)
		if ((in.at[i] < ' ' || in.at[i] > '~') && in.at[i] != '\n')
			err = -EBADMSG;
	/* set_budget() took off what seconds take, which are read in another call. */
	if (err || len > SERIES_STACKS_MAX || k->stacks > STACKS_BYTES ||
	    (uint64_t)*takes > k->r->left.unzip + (uint64_t)k->s.takes[TAKES_UNZIP])
		return series_part_damaged(k, "stacks");
	return 0;
}

static int insert_stacks(struct series_keeper *k, enum series_stacks kind, int64_t id,
			 int64_t from_ns, int64_t to_ns, const struct series_blob *b)
{
	sqlite3_stmt *st = NULL;
	char sql[96];
	int rc = k->s.stacks[kind] ? 0 : series_stacks_table(k->db, kind);

	k->s.stacks[kind] = true;
	snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?, ?, ?, ?)", series_stack_tables[kind]);
	if (!rc)
		rc = sqlite3_prepare_v2(k->db, sql, -1, &st, NULL);
	if (!rc) {
		sqlite3_bind_int64(st, 1, id);
		sqlite3_bind_int64(st, 2, from_ns);
		sqlite3_bind_int64(st, 3, to_ns);
		sqlite3_bind_blob(st, 4, b->at, (int)b->len, SQLITE_STATIC);
		rc = series_run(st);
	}
	sqlite3_finalize(st);
	return rc ? series_keeper_failed(k, rc) : 0;
}

static int take_stacks(struct series_keeper *k, struct code_in *in)
{
	unsigned int kind = 255 - code_get_byte(in);
	int64_t id = (int64_t)code_get_below(in, SERIES_MAX_STACKS);
	int64_t from_ns = code_get_signed(in), to_ns = code_get_signed(in), *at;
	size_t len = code_get_below(in, (uint64_t)(in->end - in->at));
	struct series_blob b = {code_get_bytes(in, len), len};
	int err;

	if (in->bad || kind >= STACKS_KINDS || id < 1 || !len || from_ns < 0 || to_ns < from_ns)
		return series_part_damaged(k, "stacks");
	at = kind == STACKS_MET ? &k->s.at.stack : &k->s.at.user_stack;
	if (id <= *at)
		return 0;
	*at = id;
	err = check_stacks(k, (enum series_stacks)kind, &b, from_ns);
	return err ? err : insert_stacks(k, (enum series_stacks)kind, id, from_ns, to_ns, &b);
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

static int (*const take_row[])(struct series_keeper *k, struct code_in *in) = {
	[PART_META] = take_meta,     [PART_BOOT] = take_boot,	[PART_METRIC] = take_metric,
	[PART_DEVICE] = take_device, [PART_CHUNK] = take_chunk, [PART_STACKS] = take_stacks,
};

int series_keeper_rows(struct series_keeper *k, struct code_in *in)
{
	size_t metas = 0, kinds = sizeof(take_row) / sizeof(*take_row);
	int err = 0,
	    rc = series_sql(k->db, NULL, "DELETE FROM meta WHERE key NOT IN (" PART_OWN ")");

	if (rc)
		return series_keeper_failed(k, rc);
	while (!err && !k->another && in->at < in->end) {
		unsigned int kind = code_get_byte(in);

		/* With two rows of our own it has no more than a reader takes. */
		if (kind >= kinds || !take_row[kind] ||
		    (metas += kind == PART_META) > SERIES_MAX_META - 2)
			return series_part_damaged(k, "rows of an unknown kind, or too many");
		err = take_row[kind](k, in);
	}
	return err;
}
