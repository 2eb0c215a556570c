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
	return (i * 7919 + server * 104729) % 1000 / 100.0;
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
		CASE(memory_is_bounded_in_time),
		CASE(where_nothing_can_be_kept_memory_is),
		CASE(bytes_come_back_and_no_part_of_them_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
