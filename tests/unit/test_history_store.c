// SPDX-License-Identifier: BSD-2-Clause
/* history/store.h, history/blocks.h: what servers showed beside their peers, of late and of before. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/history/store.h"
#include "userspace/common/clock.h"

enum { SERVERS = 4, INTERVAL_S = 4, PER_BLOCK = 600 / INTERVAL_S, PER_MINUTE = 60 / INTERVAL_S };
/* A start of a block. */
#define BLOCK0 (1790000400 * NS_PER_S)
#define AT(i)  (BLOCK0 + (int64_t)(i)*INTERVAL_S * NS_PER_S)

struct scene {
	char dir[64];
	struct robust *robust;
	struct verdict a;
	struct history_store *store;
};

static int start(void **arg)
{
	static struct scene s;
	const struct robust_params p = ROBUST_PARAMS_DEFAULT;
	char name[HOST_LEN];

	s = (struct scene){.dir = "/tmp/limpet-history.XXXXXX"};
	if (BLOCK0 % BLOCK_NS || !mkdtemp(s.dir))
		return -1;
	s.robust = robust_new(&p);
	for (int i = 0; i < SERVERS; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		robust_node(s.robust, name, 0);
	}
	*arg = &s;
	s.store = history_store_new(s.dir, 0);
	return !s.store || robust_verdict(s.robust, &s.a);
}

static void remove_files(const char *dir)
{
	static const char *const names[] = {BLOCKS_DB, BLOCKS_DB "-wal", BLOCKS_DB "-shm"};
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
		rmdir(path);
	}
	rmdir(dir);
}

static int end(void **arg)
{
	struct scene *s = *arg;

	history_store_free(s->store);
	verdict_release(&s->a);
	robust_free(s->robust);
	remove_files(s->dir);
	return 0;
}

static void again(struct scene *s)
{
	history_store_free(s->store);
	s->store = history_store_new(s->dir, 0);
	assert_non_null(s->store);
}

static size_t number_of(const struct scene *s, const char *server)
{
	size_t i = 0;

	while (i < s->a.n_nodes && strcmp(s->a.nodes[i], server) != 0)
		i++;
	return i;
}

static size_t signal_of(const struct scene *s, enum signal which)
{
	size_t i = 0;

	while (strcmp(s->a.signals[i].word, signals[which].word) != 0)
		i++;
	return i;
}

/* Of no order, so that the worst of a minute is anywhere in it. */
static double z_at(int i, int server)
{
	return (double)(((int64_t)i * 7919 + server * 104729) % 1000) / 100.0;
}

/* What runs 0 … compare, and what they are compared with. */
static double value_at(int i, int server)
{
	return 1000 * (server + 1) + i;
}

static void put(struct scene *s, int from, int to)
{
	for (int i = from; i < to; i++)
		for (int n = 0; n < SERVERS; n++) {
			struct observation o = {.from_ns = AT(i),
						.to_ns = AT(i + 1),
						.node = (size_t)n,
						.disk = "sda",
						.signal = SIG_DISK_OPS,
						.value = value_at(i, n),
						.peers = 500,
						.z = z_at(i, n),
						.worse = n == 2};

			history_store_observe(s->store, s->robust, &o);
		}
	history_store_step(s->store, s->robust);
}

static void read_all(struct scene *s, struct history *h, int from, int to)
{
	const struct history_asked q = {&s->a,	  NULL,	  signal_of(s, SIG_DISK_OPS),
					AT(from), AT(to), NULL};

	assert_int_equal(history_store_read(s->store, h, &q), 0);
}

static const struct history_row *row_of_server(const struct scene *s, const struct history *h,
					       const char *server)
{
	return history_find(h, number_of(s, server), "sda", signal_of(s, SIG_DISK_OPS));
}

static double shown(int i, int server)
{
	return signal_shown(&signals[SIG_DISK_OPS], value_at(i, server));
}

/* ---- in memory ----------------------------------------------------------------------------------------- */

static void of_late_every_interval_is_there(void **arg)
{
	struct scene *s = *arg;
	const struct history_row *row;
	struct history h;

	put(s, 0, 200);
	read_all(s, &h, 100, 200);
	assert_int_equal(h.columns, 100);
	assert_true(h.bin_ns == INTERVAL_S * NS_PER_S && h.first_ns == AT(100));
	for (int n = 0; n < SERVERS; n++) {
		char name[HOST_LEN];

		snprintf(name, sizeof(name), "s%d", n);
		row = row_of_server(s, &h, name);
		assert_non_null(row);
		for (int c = 0; c < 100; c++) {
			assert_true(row->at[c].value == (float)shown(100 + c, n));
			assert_true(row->at[c].z == (float)z_at(100 + c, n));
			assert_int_equal(row->at[c].marks & MARK_FLAGGED,
					 n == 2 ? MARK_FLAGGED : 0);
		}
	}
	history_release(&h);
}

static void one_server_of_every_signal(void **arg)
{
	struct scene *s = *arg;
	const struct history_asked q = {&s->a, "s1", SIZE_MAX, AT(0), AT(50), NULL};
	struct history h;

	put(s, 0, 50);
	assert_int_equal(history_store_read(s->store, &h, &q), 0);
	assert_int_equal(h.n_rows, 1);
	assert_int_equal(h.rows[0].node, number_of(s, "s1"));
	history_release(&h);
}

static void what_lies_in_no_time_is_not_there(void **arg)
{
	struct scene *s = *arg;
	struct history h;

	read_all(s, &h, 0, 100); /* nothing was put */
	assert_int_equal(h.n_rows, 0);
	history_release(&h);
	put(s, 0, 100);
	read_all(s, &h, 1000, 1100);
	assert_int_equal(h.n_rows, 0);
	history_release(&h);
	/* ten years of minutes in few columns */
	read_all(s, &h, -1000000, 70000000);
	assert_int_equal(h.n_rows, SERVERS);
	assert_true(h.columns <= HISTORY_COLUMNS);
	history_release(&h);
}

/* ---- what is kept -------------------------------------------------------------------------------------- */

/* The number of the interval with the largest z of a minute: an own search. */
static int worst_of_minute(int first, int server)
{
	int worst = first;

	for (int i = first; i < first + PER_MINUTE; i++)
		if (z_at(i, server) > z_at(worst, server))
			worst = i;
	return worst;
}

static void of_before_each_minute_has_its_worst(void **arg)
{
	struct scene *s = *arg;
	const struct history_row *row;
	struct history h;

	put(s, 0, 2 * PER_BLOCK);
	again(s);
	read_all(s, &h, 0, 2 * PER_BLOCK);
	assert_int_equal(h.columns, 20);
	assert_true(h.bin_ns == 60 * NS_PER_S && h.first_ns == BLOCK0);
	row = row_of_server(s, &h, "s3");
	assert_non_null(row);
	for (int c = 0; c < 20; c++) {
		int worst = worst_of_minute(c * PER_MINUTE, 3);

		assert_true(row->at[c].value == (float)shown(worst, 3));
		assert_true(row->at[c].z == (float)z_at(worst, 3));
	}
	history_release(&h);
}

static void what_is_kept_and_what_is_in_memory_are_one(void **arg)
{
	struct scene *s = *arg;
	const struct history_row *row;
	struct history h;

	put(s, 0, PER_BLOCK);
	again(s);
	put(s, PER_BLOCK, 2 * PER_BLOCK);
	read_all(s, &h, 0, 2 * PER_BLOCK);
	row = row_of_server(s, &h, "s0");
	assert_non_null(row);
	assert_int_equal(h.columns, 20);
	for (int c = 0; c < 20; c++)
		assert_true(row->at[c].z == (float)z_at(worst_of_minute(c * PER_MINUTE, 0), 0));
	history_release(&h);
}

/* All of the first block is there. */
static void check_whole(struct scene *s)
{
	const struct history_row *row;
	struct history h;

	read_all(s, &h, 0, PER_BLOCK);
	row = row_of_server(s, &h, "s0");
	assert_non_null(row);
	for (int c = 0; c < BLOCK_CELLS; c++)
		assert_true(row->at[c].marks);
	history_release(&h);
}

/* A service that is started in the middle of a block has less of it than one that judged it whole. */
static void less_of_a_block_takes_the_place_of_nothing(void **arg)
{
	struct scene *s = *arg;

	put(s, 0, PER_BLOCK);
	again(s);
	put(s, PER_BLOCK - 2, PER_BLOCK);
	again(s);
	check_whole(s);
}

static void a_whole_block_takes_the_place_of_less(void **arg)
{
	struct scene *s = *arg;

	put(s, PER_BLOCK - 2, PER_BLOCK);
	again(s);
	put(s, 0, PER_BLOCK + 1);
	again(s);
	check_whole(s);
}

/* It judges again what it kept, and is stopped before it has come as far. */
static void a_block_that_is_not_over_takes_the_place_of_nothing(void **arg)
{
	struct scene *s = *arg;

	put(s, 0, PER_BLOCK + 1);
	again(s);
	put(s, 0, 5);
	again(s);
	check_whole(s);
}

static void a_block_of_two_runs_has_what_both_saw(void **arg)
{
	struct scene *s = *arg;
	const struct history_row *row;
	struct history h;

	put(s, 0, 75);
	again(s);
	put(s, 105, PER_BLOCK);
	read_all(s, &h, 0, PER_BLOCK);
	row = row_of_server(s, &h, "s0");
	assert_non_null(row);
	assert_int_equal(h.columns, 10);
	for (int c = 0; c < 10; c++)
		assert_int_equal(row->at[c].marks != 0, c < 5 || c >= 7);
	assert_true(row->at[2].z == (float)z_at(worst_of_minute(2 * PER_MINUTE, 0), 0));
	assert_true(row->at[8].z == (float)z_at(worst_of_minute(8 * PER_MINUTE, 0), 0));
	history_release(&h);
}

/* ---- wide blocks --------------------------------------------------------------------------------------- */

/* In the file of a service that does not run. */
static void with_file(struct scene *s, const char *statements)
{
	char path[128];
	sqlite3 *db;

	history_store_free(s->store);
	snprintf(path, sizeof(path), "%s/" BLOCKS_DB, s->dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, statements, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	s->store = history_store_new(s->dir, 0);
	assert_non_null(s->store);
}

static int rows_of_table(const struct scene *s, const char *table)
{
	char path[128], sql[64];
	sqlite3_stmt *st;
	sqlite3 *db;
	int n;

	snprintf(path, sizeof(path), "%s/" BLOCKS_DB, s->dir);
	snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", table);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static void check_same(const struct scene *s, const struct history *a, const struct history *b)
{
	assert_true(a->first_ns == b->first_ns && a->bin_ns == b->bin_ns);
	assert_int_equal(a->columns, b->columns);
	for (int n = 0; n < SERVERS; n++) {
		char name[HOST_LEN];
		const struct history_row *x, *y;

		snprintf(name, sizeof(name), "s%d", n);
		x = row_of_server(s, a, name);
		y = row_of_server(s, b, name);
		assert_true(x && y && x->set == y->set && x->worst == y->worst);
		for (size_t c = 0; c < a->columns; c++)
			assert_memory_equal(&x->at[c], &y->at[c], sizeof(x->at[c]));
	}
}

enum { DAYS3 = 3 * 144 * PER_BLOCK };

/* Three days, but for two hours, of three runs: the second began within a block of a wide block, the third within a wide block. */
static void put_three_days(struct scene *s)
{
	put(s, 0, 15 * PER_BLOCK + 70);
	again(s);
	put(s, 15 * PER_BLOCK + 75, 200 * PER_BLOCK);
	again(s);
	put(s, 212 * PER_BLOCK, DAYS3);
	again(s);
}

/* Columns of twenty minutes; to the end of a wide block, of a cell, and within a cell and a minute. */
static void a_long_span_is_as_of_minutes(void **arg)
{
	static const int ends[] = {DAYS3 - 2 * PER_BLOCK, DAYS3 - 1 * PER_BLOCK, DAYS3,
				   DAYS3 - PER_BLOCK - 100};
	struct history by_wide[4], by_minutes, both;
	struct scene *s = *arg;
	size_t judged = 0;

	put_three_days(s);
	for (size_t i = 0; i < 4; i++)
		read_all(s, &by_wide[i], 100, ends[i]);
	assert_int_equal(by_wide[0].bin_ns, 1200 * NS_PER_S);
	for (size_t c = 0; c < by_wide[0].columns; c++)
		judged += by_wide[0].rows[0].at[c].marks != 0;
	assert_in_range(judged, 200, 211);
	with_file(s, "CREATE TABLE kept AS SELECT * FROM wide; DELETE FROM wide");
	for (size_t i = 0; i < 4; i++) {
		read_all(s, &by_minutes, 100, ends[i]);
		check_same(s, &by_wide[i], &by_minutes);
		history_release(&by_minutes);
	}
	/* some, as in a file of before */
	with_file(s, "INSERT INTO wide SELECT * FROM kept WHERE from_ns / 6000000000000 % 5 > 1");
	read_all(s, &both, 100, ends[3]);
	check_same(s, &by_wide[3], &both);
	history_release(&both);
	/* and by them alone: that they are read */
	with_file(s, "INSERT OR IGNORE INTO wide SELECT * FROM kept;"
		     "DELETE FROM block WHERE from_ns > (SELECT min(from_ns) FROM block)");
	read_all(s, &both, 100, ends[0]);
	check_same(s, &by_wide[0], &both);
	history_release(&both);
	for (size_t i = 0; i < 4; i++)
		history_release(&by_wide[i]);
}

static void a_long_span_to_what_is_in_memory(void **arg)
{
	struct scene *s = *arg;
	struct history by_wide, by_minutes;

	put_three_days(s);
	put(s, DAYS3, DAYS3 + 11 * PER_BLOCK);
	again(s);
	/* no more than memory has, as what leaves it is written some time later */
	put(s, DAYS3 + 11 * PER_BLOCK, DAYS3 + 17 * PER_BLOCK + 60);
	read_all(s, &by_wide, 0, DAYS3 + 17 * PER_BLOCK + 60);
	with_file(s, "DELETE FROM wide");
	read_all(s, &by_minutes, 0, DAYS3 + 17 * PER_BLOCK + 60);
	assert_true(by_wide.rows[0].at[by_wide.columns - 1].marks);
	check_same(s, &by_wide, &by_minutes);
	history_release(&by_wide);
	history_release(&by_minutes);
}

static void a_file_of_before_has_wide_blocks_from_now_on(void **arg)
{
	struct scene *s = *arg;

	put(s, 0, 15 * PER_BLOCK);
	with_file(s, "DROP TABLE wide");
	put(s, 15 * PER_BLOCK, 16 * PER_BLOCK);
	again(s);
	assert_int_equal(rows_of_table(s, "wide"), 1);
	assert_int_equal(rows_of_table(s, "block"), 16);
}

/* Of the first days of 1970, which are past by any clock. */
static void fewer_days_are_kept_from_now_on(void **arg)
{
	const int first = -(int)(BLOCK0 / NS_PER_S / INTERVAL_S) + 20 * PER_BLOCK;
	struct scene *s = *arg;

	put(s, first, first + 12 * PER_BLOCK);
	again(s);
	assert_int_equal(rows_of_table(s, "block"), 12);
	assert_int_equal(rows_of_table(s, "wide"), 2);
	assert_int_equal(history_store_keep(s->store, 1), 0);
	again(s);
	assert_int_equal(rows_of_table(s, "block"), 0);
	assert_int_equal(rows_of_table(s, "wide"), 0);
}

static void reading_ends_when_it_is_told_to(void **arg)
{
	struct scene *s = *arg;
	const atomic_bool stop = true;
	const struct history_asked q = {&s->a, NULL,	      signal_of(s, SIG_DISK_OPS),
					AT(0), AT(PER_BLOCK), &stop};
	struct history h;

	put(s, 0, PER_BLOCK);
	again(s);
	assert_int_equal(history_store_read(s->store, &h, &q), -ECANCELED);
	history_release(&h);
}

/* ---- bounds -------------------------------------------------------------------------------------------- */

static void memory_is_bounded_in_time(void **arg)
{
	struct scene *s = *arg;
	const struct history_asked q = {&s->a, NULL, SIZE_MAX, AT(0), AT(20 * PER_BLOCK), NULL};
	struct history h;
	size_t first = 0;

	put(s, 0, 20 * PER_BLOCK);
	assert_int_equal(history_store_read(s->store, &h, &q), 0);
	while (!h.rows[0].at[first].marks)
		first++;
	assert_true(h.first_ns + (int64_t)first * h.bin_ns >= AT(13 * PER_BLOCK) - h.bin_ns);
	history_release(&h);
	/* and all of it is kept */
	again(s);
	read_all(s, &h, 0, 20 * PER_BLOCK);
	assert_true(h.rows[0].at[0].marks && h.rows[0].at[h.columns - 1].marks);
	history_release(&h);
}

static void where_nothing_can_be_kept_memory_is(void **arg)
{
	struct scene *s = *arg;
	char path[128], why[WHY_LEN];
	struct history h;

	history_store_free(s->store);
	remove_files(s->dir);
	assert_int_equal(mkdir(s->dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/" BLOCKS_DB, s->dir);
	assert_int_equal(mkdir(path, 0700), 0);
	s->store = history_store_new(s->dir, 0);
	assert_non_null(s->store);
	assert_non_null(history_store_trouble(s->store, why));
	assert_non_null(strstr(why, BLOCKS_DB));
	put(s, 0, 2 * PER_BLOCK);
	read_all(s, &h, 0, 100);
	assert_int_equal(h.n_rows, SERVERS);
	history_release(&h);
}

/* ---- bytes --------------------------------------------------------------------------------------------- */

struct rows_seen {
	size_t n;
	struct block_row last;
};

static int see(void *arg, const struct block_row *row)
{
	struct rows_seen *r = arg;

	r->n++;
	r->last = *row;
	return 0;
}

static void bytes_come_back_and_no_part_of_them_does(void **arg)
{
	char names[2][HOST_LEN] = {"a", "b.example"};
	struct history h = {.most_columns = BLOCK_CELLS};
	struct rows_seen seen = {0};
	void *bytes;
	size_t len;

	(void)arg;
	history_begin(&h, BLOCK0, BLOCK_CELL_NS);
	for (size_t n = 0; n < 2; n++)
		history_put(&h, &(struct history_entity){n, "nvme0n1", SIG_READ},
			    BLOCK0 + 3 * BLOCK_CELL_NS,
			    (struct history_cell){1.5f, -2.25f, (float)n, MARK_JUDGED, 0});
	assert_int_equal(block_pack(&h, names, SIG_WRITE, &bytes, &len), -ENOENT);
	assert_int_equal(block_pack(&h, names, SIG_READ, &bytes, &len), 0);
	assert_int_equal(block_unpack(bytes, len, see, &seen), 0);
	assert_int_equal(seen.n, 2);
	assert_string_equal(seen.last.server, "b.example");
	assert_string_equal(seen.last.disk, "nvme0n1");
	assert_true(seen.last.set == SIZE_MAX);
	assert_int_equal(seen.last.at[2].marks, MARK_JUDGED);
	assert_true(seen.last.at[2].z == 1.5f && seen.last.at[2].value == -2.25f &&
		    seen.last.at[2].peers == 1);
	assert_int_equal(seen.last.at[3].marks, 0);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(block_unpack(bytes, i, see, &seen), -EINVAL);
	free(bytes);
	history_release(&h);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(of_late_every_interval_is_there),
		CASE(one_server_of_every_signal),
		CASE(what_lies_in_no_time_is_not_there),
		CASE(of_before_each_minute_has_its_worst),
		CASE(what_is_kept_and_what_is_in_memory_are_one),
		CASE(less_of_a_block_takes_the_place_of_nothing),
		CASE(a_whole_block_takes_the_place_of_less),
		CASE(a_block_that_is_not_over_takes_the_place_of_nothing),
		CASE(a_block_of_two_runs_has_what_both_saw),
		CASE(a_long_span_is_as_of_minutes),
		CASE(a_long_span_to_what_is_in_memory),
		CASE(a_file_of_before_has_wide_blocks_from_now_on),
		CASE(fewer_days_are_kept_from_now_on),
		CASE(reading_ends_when_it_is_told_to),
		CASE(memory_is_bounded_in_time),
		CASE(where_nothing_can_be_kept_memory_is),
		CASE(bytes_come_back_and_no_part_of_them_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
