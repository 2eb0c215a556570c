// SPDX-License-Identifier: BSD-2-Clause
/* series.h, "copying a file": whatever a part says, a keeper refuses it and has what it had, or has a file that a reader takes. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "copy_rows.h"
#include "copy_util.h"
#include "userspace/series/series_reader.h"

/* A keeper that has taken the first part, and the second, of a packed minute each. */
struct scene {
	struct pair p;
	struct text first, second;
	struct part_rows rows; /* of the second */
	struct series_cursor at;
	int64_t origin;
	char saved[700]; /* the file as it is now */
};

static void copy_file(const char *from, const char *to)
{
	char command[2000];

	snprintf(command, sizeof(command), "cp '%s' '%s'", from, to);
	assert_int_equal(system(command), 0);
}

static void open_keeper(struct scene *s)
{
	char *aside;

	assert_int_equal(series_keeper_open(&s->p.k, s->p.to, FILE_NAME, "s3", s->origin, &aside),
			 0);
	assert_null(aside);
}

static int take(struct scene *s, const void *at, size_t len)
{
	return series_keeper_take(s->p.k, at, len);
}

static void scene_begin(struct scene *s, const struct fixture *fx, int seconds)
{
	struct series_cursor from = {.kept = 1}, next;

	memset(s, 0, sizeof(*s));
	pair_begin(&s->p, fx);
	put_seconds(&s->p, seconds);
	stop_writer(&s->p);
	assert_int_equal(series_copy_new(&s->p.c, s->p.path), 0);
	s->origin = series_copy_origin(s->p.c);
	assert_int_equal(series_copy_out(s->p.c, &from, INT64_MAX, &s->first, &next), 1);
	pair_start(&s->p);
	put_seconds(&s->p, seconds);
	stop_writer(&s->p);
	assert_int_equal(series_copy_out(s->p.c, &next, INT64_MAX, &s->second, &from), 1);
	assert_true(from.kept > next.kept && from.boot > next.boot);
	part_rows(&s->rows, text_of(&s->second), s->second.len);
	open_keeper(s);
	assert_int_equal(take(s, text_of(&s->first), s->first.len), 0);
	series_keeper_cursor(s->p.k, &s->at);
	assert_memory_equal(&s->at, &next, sizeof(next));
	stop_keeper(&s->p);
	snprintf(s->saved, sizeof(s->saved), "%s.saved", s->p.kept);
	copy_file(s->p.kept, s->saved);
	open_keeper(s);
}

/* As it was after the first part. */
static void restore(struct scene *s)
{
	stop_keeper(&s->p);
	copy_file(s->saved, s->p.kept);
	open_keeper(s);
}

static void scene_end(struct scene *s)
{
	/* What came between left nothing behind. */
	assert_int_equal(take(s, text_of(&s->second), s->second.len), 0);
	copy_all(&s->p, INT64_MAX);
	stop_keeper(&s->p);
	assert_same_files(s->p.path, s->p.kept);
	pair_end(&s->p);
	text_release(&s->first);
	text_release(&s->second);
}

/* ---- damage ---- */

static void look(struct scene *s, const char *bytes, size_t len, int *taken)
{
	struct series_cursor now;
	int err = take(s, bytes, len);

	series_keeper_cursor(s->p.k, &now);
	if (err == -EEXIST) { /* it is as from another recording */
		char aside[700];

		assert_int_equal(now.kept, 1);
		snprintf(aside, sizeof(aside), "%s/s3-20261121-1.limpet", s->p.to);
		assert_true(digest_of(aside).rows > 0);
		unlink(aside);
		restore(s);
	} else if (err) {
		assert_int_equal(err, -EBADMSG);
		assert_non_null(strstr(series_error(), s->p.kept));
		assert_memory_equal(&now, &s->at, sizeof(now));
	} else {
		assert_true(digest_of(s->p.kept).rows > 0);
		++*taken;
		if (memcmp(&now, &s->at, sizeof(now)) != 0)
			restore(s);
	}
}

static void each_byte(void **state)
{
	struct scene s;
	int cut = 0, flipped = 0;
	char *bytes;

	scene_begin(&s, *state, 1);
	bytes = malloc(s.second.len);
	for (size_t len = 0; len < s.second.len; len++)
		look(&s, text_of(&s.second), len, &cut);
	for (size_t i = 0; i < s.second.len; i++) {
		memcpy(bytes, text_of(&s.second), s.second.len);
		bytes[i] ^= (char)(1 << i % 8);
		look(&s, bytes, s.second.len, &flipped);
	}
	print_message("# of %zu cut %d taken, of as many flipped %d\n", s.second.len, cut, flipped);
	/* Where a row ends; in words that mean nothing to us. */
	assert_true(cut > 0 && cut < 60 && flipped < 400);
	free(bytes);
	restore(&s);
	scene_end(&s);
}

/* Of the first part, by which the file begins: there is one that can be read, or none. */
static void of_the_first(void **state)
{
	struct scene s;
	int taken = 0;
	char *bytes;

	scene_begin(&s, *state, 2);
	bytes = malloc(s.first.len);
	srandom(1);
	for (int i = 0; i < 600; i++) {
		size_t len = s.first.len, at = (size_t)random() % len;
		struct series_cursor now;
		int err;

		stop_keeper(&s.p);
		unlink(s.p.kept);
		open_keeper(&s);
		memcpy(bytes, text_of(&s.first), len);
		if (i % 3)
			bytes[at] ^= (char)(1 << random() % 8);
		else
			len = at;
		err = take(&s, bytes, len);
		series_keeper_cursor(s.p.k, &now);
		assert_true(!err || err == -EBADMSG);
		assert_int_equal(!access(s.p.kept, F_OK), now.boot > 0);
		if (now.boot)
			assert_true(digest_of(s.p.kept).rows <= FAM_COUNT * 2);
		taken += now.boot > 0;
	}
	assert_true(taken > 0 && taken < 300);
	free(bytes);
	restore(&s);
	scene_end(&s);
}

/* Bytes of a section before they were packed, under a right checksum. */
static void of_a_section(struct code_out *o, const struct code_out *blob, int section, int64_t id,
			 int how)
{
	struct series_blob b = {blob->at, blob->len};
	struct series_inflater f = {0};
	struct code_in in;

	assert_int_equal(series_unzip(&f, &in, section, &b, id), 0);
	code_put_bytes(o, f.at, (size_t)(in.end - f.at));
	for (int n = how % 4; n >= 0; n--) {
		size_t at = (size_t)random() % o->len;

		if (how % 5)
			o->at[at] ^= (unsigned char)(1 << random() % 8);
		else if (at)
			o->len = at;
	}
	assert_int_equal(series_zip(o, 1), 0);
	series_inflater_release(&f);
}

static size_t find_row(const struct part_rows *r, unsigned int kind)
{
	for (size_t i = 0; i < r->n; i++)
		if (*r->row[i].at == kind)
			return i;
	fail_msg("no row of kind %u", kind);
	return 0;
}

/* The second part with o in the place of a row, or behind it. */
static struct code_out with(const struct scene *s, size_t row, const struct code_out *o,
			    bool behind)
{
	struct code_out part = {0};

	for (size_t i = 0; i < s->rows.n; i++) {
		if (i != row || behind)
			code_put_bytes(&part, s->rows.row[i].at, s->rows.row[i].len);
		if (i == row)
			code_put_bytes(&part, o->at, o->len);
	}
	return part;
}

static void sections(void **state)
{
	struct part_chunk chunk;
	struct scene s;
	size_t row;
	int taken = 0;

	scene_begin(&s, *state, 3);
	row = find_row(&s.rows, PART_CHUNK);
	part_chunk_get(&chunk, s.rows.row[row].at, s.rows.row[row].len);
	srandom(2);
	for (int i = 0; i < 1500; i++) {
		int section = i % SECTIONS;
		struct code_out whole = chunk.section[section], o = {0}, part;

		chunk.section[section] = (struct code_out){0};
		of_a_section(&chunk.section[section], &whole, section, (int64_t)chunk.id, i);
		part_chunk_put(&o, &chunk);
		part = with(&s, row, &o, false);
		look(&s, (const char *)part.at, part.len, &taken);
		code_out_release(&chunk.section[section]);
		chunk.section[section] = whole;
		code_out_release(&part);
		code_out_release(&o);
	}
	print_message("# of 1500 sections %d taken\n", taken);
	assert_true(taken > 50 && taken < 1000);
	part_chunk_release(&chunk);
	scene_end(&s);
}

/* ---- rows that lie ---- */

static void refused(struct scene *s, const struct code_out *part, const char *why)
{
	struct series_cursor now;

	assert_int_equal(take(s, part->at, part->len), -EBADMSG);
	if (!strstr(series_error(), why) || !strstr(series_error(), s->p.kept))
		fail_msg("'%s' is not in '%s'", why, series_error());
	series_keeper_cursor(s->p.k, &now);
	assert_memory_equal(&now, &s->at, sizeof(now));
}

/* The row behind all others of the second part. */
static void refused_row(struct scene *s, struct code_out *row, const char *why)
{
	struct code_out part = with(s, s->rows.n - 1, row, true);

	refused(s, &part, why);
	code_out_release(&part);
	code_out_release(row);
}

static void put_string(struct code_out *o, const char *text)
{
	code_put_unsigned(o, strlen(text));
	code_put_bytes(o, text, strlen(text));
}

static struct code_out meta_text(const char *key, const char *text)
{
	struct code_out o = {0};

	code_put_byte(&o, PART_META);
	put_string(&o, key);
	code_put_byte(&o, 1);
	put_string(&o, text);
	return o;
}

static struct code_out meta_number(const char *key, int64_t number)
{
	struct code_out o = {0};

	code_put_byte(&o, PART_META);
	put_string(&o, key);
	code_put_byte(&o, 0);
	code_put_signed(&o, number);
	return o;
}

static void meta(void **state)
{
	const char *what = "what it says of the file";
	const struct code_out rows[] = {
		meta_text("host", "s4"),	  meta_number("host", 3),
		meta_text("interval_ms", "1000"), meta_number("interval_ms", 0),
		meta_number("interval_ms", -1),	  meta_number("interval_ms", 86400001),
		meta_number("packed", 1),	  meta_text("packed", "1"),
		meta_text("kept", "0 0 0 0 0 0"), meta_text("", "x"),
		meta_text("x", "\x1b[2J"),	  meta_text("x\n", "1"),
		meta_text("cgroups", "x"),	  meta_text("cgroups", "/a\n"),
		meta_number("cgroups", 1),	  meta_text("pids", "a"),
		meta_text("missing", "\xff")};
	struct code_out many = {0};
	struct scene s;

	scene_begin(&s, *state, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct code_out row = rows[i];

		refused_row(&s, &row, what);
	}
	for (int i = 0; i < SERIES_MAX_META; i++) {
		struct code_out one = meta_number("x", i);

		code_put_bytes(&many, one.at, one.len);
		code_out_release(&one);
	}
	refused_row(&s, &many, "too many");
	scene_end(&s);
}

static struct code_out metric(int64_t id, const char *family, const char *name, const char *kind,
			      double per, uint32_t more)
{
	struct code_out o = {0};

	code_put_byte(&o, PART_METRIC);
	code_put_unsigned(&o, (uint64_t)id);
	put_string(&o, family);
	put_string(&o, name);
	put_string(&o, kind);
	code_put_double(&o, per);
	code_put_unsigned(&o,
			  series_metric_check(id, family, name, !strcmp(kind, "rate"), per) + more);
	return o;
}

static void table_rows(void **state)
{
	const struct code_out metrics_rows[] = {
		metric(1000, "disk", "x", "rate", 2, 1),
		metric(1000, "disk", "x", "other", 2, 0),
		metric(1000, "disk", "x", "rate", 0, 0),
		metric(1000, "disk", "x", "rate", NAN, 0),
		metric(1000, "disk", "x", "rate", 1e19, 0),
		metric(METRIC_NUMBERS_MAX, "disk", "x", "gauge", 1, 0),
		metric(1000, "disk", "r/s\x7f", "gauge", 1, 0),
	};
	const struct {
		const char *family, *name;
	} device_rows[] = {{"disk", "a b"}, {"disk", ""},	 {"other", "sda"},
			   {"", "sda"},	    {"disk", "\x1b[2J"}, {"DISK", "sda"}};
	struct code_out o = {0};
	struct scene s;

	scene_begin(&s, *state, 1);
	for (size_t i = 0; i < sizeof(metrics_rows) / sizeof(*metrics_rows); i++) {
		o = metrics_rows[i];
		refused_row(&s, &o, "a metric");
	}
	/* One that is there already, under another number. */
	o = metric(1000, "disk", metrics[0].name, metrics[0].kind == KIND_RATE ? "rate" : "gauge",
		   metrics[0].kind == KIND_RATE ? metrics[0].per : 1, 0);
	refused_row(&s, &o, "a metric is there twice");
	for (size_t i = 0; i < sizeof(device_rows) / sizeof(*device_rows); i++) {
		o = (struct code_out){0};
		code_put_byte(&o, PART_DEVICE);
		code_put_unsigned(&o, 1000);
		put_string(&o, device_rows[i].family);
		put_string(&o, device_rows[i].name);
		for (int k = 0; k < 4; k++)
			put_string(&o, "");
		for (int k = 0; k < 3; k++)
			code_put_signed(&o, -1);
		refused_row(&s, &o, "a device");
	}
	for (int kind = 0; kind < 256; kind = kind ? 2 * kind : 8) {
		o = (struct code_out){0};
		code_put_byte(&o, (unsigned int)kind & 0xf8);
		refused_row(&s, &o, "unknown kind");
	}
	scene_end(&s);
}

/* Its checksum is of the very number, which text in SQL may change. */
static void a_metric_per_anything(void **state)
{
	static const double pers[] = {1.0000000000000002e-300, 5e-324,	1.7976931348623157e-5,
				      9.999999999999999e17,    1.0 / 3, 123456789.12345679,
				      2.2250738585072014e-308};
	struct scene s;
	struct code_out all = {0}, part;

	scene_begin(&s, *state, 1);
	for (size_t i = 0; i < sizeof(pers) / sizeof(*pers); i++) {
		struct code_out o = metric(1000 + (int64_t)i, "disk", "x", "rate", pers[i], 0);

		code_put_bytes(&all, o.at, o.len);
		code_out_release(&o);
	}
	part = with(&s, s.rows.n - 1, &all, true);
	assert_int_equal(take(&s, part.at, part.len), 0);
	assert_int_equal(query(s.p.kept, "SELECT count(*) FROM metric WHERE id >= 1000"),
			 sizeof(pers) / sizeof(*pers));
	assert_true(digest_of(s.p.kept).rows > 0);
	stop_keeper(&s.p);
	open_keeper(&s);
	code_out_release(&all);
	code_out_release(&part);
	restore(&s);
	scene_end(&s);
}

static void refused_chunk(struct scene *s, const struct part_chunk *c, const char *why)
{
	size_t row = find_row(&s->rows, PART_CHUNK);
	struct code_out o = {0}, part;

	part_chunk_put(&o, c);
	part = with(s, row, &o, false);
	refused(s, &part, why);
	code_out_release(&part);
	code_out_release(&o);
}

static void chunks(void **state)
{
	struct part_chunk good, c;
	struct code_out o = {0};
	struct scene s;
	size_t row;

	scene_begin(&s, *state, 3);
	row = find_row(&s.rows, PART_CHUNK);
	part_chunk_get(&good, s.rows.row[row].at, s.rows.row[row].len);
	c = good;
	c.id = 0;
	refused_chunk(&s, &c, "where it belongs");
	c = good;
	c.seconds = 0;
	refused_chunk(&s, &c, "where it belongs");
	c.seconds = GRID_SECONDS_MAX + 1;
	refused_chunk(&s, &c, "where it belongs");
	c.seconds = good.seconds + 1;
	refused_chunk(&s, &c, "cannot be read");
	c = good;
	c.first_ns += 1;
	refused_chunk(&s, &c, "cannot be read");
	c = good;
	c.last_ns = c.first_ns - 1;
	refused_chunk(&s, &c, "where it belongs");
	c = good;
	c.first_ns += 86400 * NS;
	c.last_ns += 86400 * NS;
	refused_chunk(&s, &c, "where it belongs");
	c = good;
	c.section[FAM_DISK] = (struct code_out){0};
	refused_chunk(&s, &c, "cannot be read");
	c = good;
	c.section[SEC_HEAD] = (struct code_out){0};
	refused_chunk(&s, &c, "where it belongs");
	c = good;
	c.section[SEC_HIST] = (struct code_out){0};
	refused_chunk(&s, &c, "cannot be read");
	c = good;
	c.section[FAM_DISK] = good.section[FAM_NET];
	refused_chunk(&s, &c, "cannot be read");
	c = good;
	c.section[SECTIONS] = good.section[FAM_NET];
	refused_chunk(&s, &c, "a chunk");
	part_chunk_put(&o, &good);
	refused_row(&s, &o, "two chunks");
	part_chunk_release(&good);
	scene_end(&s);
}

/* A chunk before there are metrics, or the run that it is of. */
static void chunks_of_nothing(void **state)
{
	static const unsigned int without[] = {PART_METRIC, PART_BOOT, PART_META};
	struct part_rows rows;
	struct scene s;

	scene_begin(&s, *state, 1);
	part_rows(&rows, text_of(&s.first), s.first.len);
	for (size_t w = 0; w < sizeof(without) / sizeof(*without); w++) {
		struct code_out part = {0};

		for (size_t i = 0; i < rows.n; i++)
			if (*rows.row[i].at != without[w])
				code_put_bytes(&part, rows.row[i].at, rows.row[i].len);
		stop_keeper(&s.p);
		unlink(s.p.kept);
		open_keeper(&s);
		assert_int_equal(take(&s, part.at, part.len), -EBADMSG);
		assert_int_equal(access(s.p.kept, F_OK), -1);
		code_out_release(&part);
	}
	restore(&s);
	scene_end(&s);
}

/* Where the second before is another one, or the run: the two files are not the same. */
static void of_another(void **state)
{
	struct part_chunk good;
	struct code_out o = {0}, part;
	struct series_cursor now;
	struct scene s;
	size_t row;

	scene_begin(&s, *state, 3);
	row = find_row(&s.rows, PART_CHUNK);
	part_chunk_get(&good, s.rows.row[row].at, s.rows.row[row].len);
	good.before_ns++;
	part_chunk_put(&o, &good);
	part = with(&s, row, &o, false);
	for (int i = 0; i < 2; i++) {
		char name[700];

		assert_int_equal(take(&s, part.at, part.len), -EEXIST);
		series_keeper_cursor(s.p.k, &now);
		assert_true(now.kept == 1 && !now.boot && !now.stack);
		snprintf(name, sizeof(name), "%s/s3-20261121-%d.limpet", s.p.to, i + 1);
		assert_non_null(strstr(series_error(), name));
		assert_true(digest_of(name).rows > 0);
		/* The keeper goes on. */
		assert_int_equal(take(&s, text_of(&s.first), s.first.len), 0);
		code_out_release(&part);
		code_out_release(&o);
		/* Next, another run of the number. */
		code_put_byte(&o, PART_BOOT);
		code_put_unsigned(&o, 1);
		put_string(&o, "");
		code_put_signed(&o, s.origin + 1);
		part = with(&s, find_row(&s.rows, PART_BOOT), &o, false);
	}
	code_out_release(&part);
	code_out_release(&o);
	good.before_ns--;
	part_chunk_release(&good);
	scene_end(&s);
}

static struct code_out stacks(int number, int64_t id, int64_t from_ns, int64_t to_ns,
			      const char *text)
{
	struct code_out o = {0}, blob = {0};

	code_put_unsigned(&blob, (uint64_t)from_ns);
	code_put_byte(&blob, (unsigned int)number);
	code_put_bytes(&blob, text, strlen(text));
	assert_int_equal(series_zip(&blob, 1), 0);
	code_put_byte(&o, PART_STACKS);
	code_put_byte(&o, (unsigned int)number);
	code_put_unsigned(&o, (uint64_t)id);
	code_put_signed(&o, from_ns);
	code_put_signed(&o, to_ns);
	code_put_unsigned(&o, blob.len);
	code_put_bytes(&o, blob.at, blob.len);
	code_out_release(&blob);
	return o;
}

static void stack_rows(void **state)
{
	const struct code_out rows[] = {stacks(253, 9, 1, 2, "a 1"),
					stacks(255, 0, 1, 2, "a 1"),
					stacks(255, SERIES_MAX_STACKS + 1, 1, 2, "a 1"),
					stacks(255, 9, 2, 1, "a 1"),
					stacks(255, 9, 1, 2, "a\x1b[2J 1"),
					stacks(254, 9, 1, 2, "a\t1")};
	struct scene s;

	scene_begin(&s, *state, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct code_out row = rows[i];

		refused_row(&s, &row, "stacks");
	}
	scene_end(&s);
}

/* What each part takes is little; all of them come to more than a reader would read. It is known also after the keeper was closed. */
static void more_than_a_day(void **state)
{
	static const char *const takes[] = {"6000000000 0 0 0 0 0", "0 99000000000 0 0 0 0",
					    "0 0 90000000 0 0 0",   "0 0 0 209715200 0 0",
					    "0 0 0 0 6000000000 0", "0 0 0 0 0 6000000000"};
	struct scene s;

	scene_begin(&s, *state, 3);
	for (size_t i = 0; i < sizeof(takes) / sizeof(*takes); i++) {
		const struct code_out part = {.at = (unsigned char *)text_of(&s.second),
					      .len = s.second.len};
		char text[200];

		stop_keeper(&s.p);
		snprintf(text, sizeof(text), "UPDATE meta SET value = '%s' WHERE key = 'kept'",
			 takes[i]);
		sql(s.p.kept, text);
		open_keeper(&s);
		refused(&s, &part, i < 4 ? "cannot be read" : "stacks");
	}
	restore(&s);
	assert_int_equal(query(s.p.kept,
			       "SELECT value GLOB '[1-9]* [1-9]* [1-9]* [1-9]* 11 11' FROM"
			       " meta WHERE key = 'kept'"),
			 1);
	scene_end(&s);
}

static void too_long(void **state)
{
	char *bytes = calloc(1, PART_MAX + 1);
	struct scene s;

	scene_begin(&s, *state, 1);
	*bytes = PART_FROM;
	assert_int_equal(take(&s, bytes, PART_MAX + 1), -EBADMSG);
	assert_int_equal(take(&s, bytes, PART_MAX), -EBADMSG);
	assert_int_equal(take(&s, bytes, 0), -EBADMSG);
	free(bytes);
	scene_end(&s);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(each_byte),       WITH_FIXTURE(of_the_first),
		WITH_FIXTURE(sections),	       WITH_FIXTURE(meta),
		WITH_FIXTURE(table_rows),      WITH_FIXTURE(a_metric_per_anything),
		WITH_FIXTURE(chunks),	       WITH_FIXTURE(chunks_of_nothing),
		WITH_FIXTURE(of_another),      WITH_FIXTURE(stack_rows),
		WITH_FIXTURE(more_than_a_day), WITH_FIXTURE(too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
