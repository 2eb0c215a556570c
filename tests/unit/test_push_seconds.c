// SPDX-License-Identifier: BSD-2-Clause
/* push/seconds.h: every second of the series files comes once, in order and as it was written, while they grow. */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#include "userspace/push/seconds.h"
#include "wire_util.h"

struct heard {
	struct wire_decoder *d;
	uint64_t frames, next_seq, devices;
	int64_t last_ns;
	struct found found;
};

static int count_device(void *arg, const struct device_identity *id)
{
	struct heard *h = arg;

	(void)id;
	h->devices++;
	return 0;
}

static void hear(struct heard *h, const struct text *t)
{
	size_t taken;

	for (size_t at = 0; at < t->len; at += taken) {
		const struct series_time *time;

		assert_int_equal(wire_decoder_take(h->d, text_of(t) + at, t->len - at, &taken), 1);
		assert_string_equal(wire_decoder_host(h->d), "s3");
		assert_int_equal(wire_decoder_unpack(h->d), 0);
		assert_int_equal(wire_decoder_interval_ms(h->d), 1000);
		time = wire_decoder_time(h->d);
		assert_true(time->wall_ns > h->last_ns);
		h->last_ns = time->wall_ns;
		assert_int_equal(time->seq, h->next_seq);
		h->next_seq++;
		h->frames++;
		memset(h->found.last_ns, 0, sizeof(h->found.last_ns));
		assert_int_equal(wire_decoder_rows(h->d, ALL_HISTS, check_row, &h->found), 0);
		wire_decoder_devices(h->d, count_device, h);
	}
}

/* All there is after `after_ns`. */
static void hear_all(struct heard *h, struct seconds *s, int64_t now_ns, size_t most)
{
	struct text t TEXT_SCOPED = {0};
	int64_t last_ns;
	int n;

	do {
		text_reset(&t);
		n = seconds_next(s, h->last_ns, now_ns, most, &t, &last_ns);
		if (n < 0)
			fail_msg("%s", series_error());
		if (most == 1)
			assert_true(n <= 1);
		hear(h, &t);
		assert_true(!n || last_ns == h->last_ns);
	} while (n);
	assert_int_equal(h->found.wrong, 0);
}

static struct heard begin(int64_t after_sec)
{
	struct heard h = {.last_ns = after_sec * NS};

	assert_int_equal(wire_decoder_new(&h.d), 0);
	return h;
}

static void each_second_once(void **state)
{
	struct fixture *fx = *state;
	struct seconds *s = seconds_new(fx->dir, "s3");
	struct series_writer *w = writer(fx, "s3");
	struct heard h = begin(T0 - 1);
	struct device_identity id = {.family = FAM_DISK, .name = "loop3", .model = "LOOP"};

	hear_all(&h, s, T0 * NS, 1 << 18);
	assert_int_equal(h.frames, 0); /* no file yet */
	assert_int_equal(series_writer_identity(w, &id), 0);
	for (int i = 0; i < 125; i++)
		append_second(w, (uint64_t)i, T0 + i);
	hear_all(&h, s, (T0 + 125) * NS, 1 << 18);
	assert_int_equal(h.frames, 125);
	assert_true(h.devices > 0);
	/* Across minutes that are packed meanwhile, with the reader kept and opened anew. */
	for (int i = 125; i < 400; i++) {
		append_second(w, (uint64_t)i, T0 + i);
		hear_all(&h, s, (T0 + i) * NS, i % 2 ? 1 : 1 << 18);
		assert_int_equal(h.frames, i + 1);
	}
	assert_int_equal(h.found.rows[FAM_HOST], 400);
	assert_int_equal(h.found.hists[0], 400);
	seconds_free(s);
	series_writer_free(w);
	wire_decoder_free(h.d);
}

static void runs_and_days(void **state)
{
	struct fixture *fx = *state;
	struct seconds *s = seconds_new(fx->dir, "s3");
	const int64_t midnight = T0 - T0 % 86400 + 86400;
	struct series_writer *w;
	struct heard h = begin(midnight - 51);

	/* A run of the probe that ended, and another one, from before midnight to after it. */
	write_seconds(fx, 0, 20, midnight - 50);
	hear_all(&h, s, (midnight - 30) * NS, 1 << 18);
	assert_int_equal(h.frames, 20);
	h.next_seq = 0;
	w = writer(fx, "s3");
	for (int i = 0; i < 40; i++) {
		append_second(w, (uint64_t)i, midnight - 20 + i);
		hear_all(&h, s, (midnight - 20 + i) * NS, 1 << 18);
	}
	assert_int_equal(h.frames, 60);
	/* Nothing more, however late it is asked for. */
	hear_all(&h, s, (midnight + 100) * NS, 1 << 18);
	assert_int_equal(h.frames, 60);
	series_writer_free(w);
	/* Who has nothing of all that has it from yesterday on. */
	h.last_ns = 0;
	h.next_seq = 0;
	{
		struct text t TEXT_SCOPED = {0};
		int64_t last_ns;

		assert_true(seconds_next(s, 0, (midnight + 100) * NS, 1 << 18, &t, &last_ns) > 0);
		assert_true(last_ns >= (midnight - 50) * NS && last_ns < midnight * NS);
		text_reset(&t);
		assert_int_equal(
			seconds_next(s, 0, (midnight + 2 * 86400) * NS, 1 << 18, &t, &last_ns), 0);
	}
	seconds_free(s);
	wire_decoder_free(h.d);
}

static void what_is_not_ours(void **state)
{
	struct fixture *fx = *state;
	struct seconds *s = seconds_new(fx->dir, "s3");
	struct text t TEXT_SCOPED = {0};
	int64_t last_ns;

	assert_int_equal(fill_file(day_path(fx, T0), 5000), 0);
	assert_int_equal(seconds_next(s, (T0 - 1) * NS, T0 * NS, 1 << 18, &t, &last_ns), -EINVAL);
	unlink(day_path(fx, T0));
	assert_int_equal(fill_file(day_path(fx, T0), 0), 0);
	assert_int_equal(seconds_next(s, (T0 - 1) * NS, T0 * NS, 1 << 18, &t, &last_ns), 0);
	unlink(day_path(fx, T0));
	write_seconds(fx, 0, 5, T0);
	sql(day_path(fx, T0), "UPDATE meta SET value = 'other' WHERE key = 'host'");
	assert_int_equal(seconds_next(s, (T0 - 1) * NS, T0 * NS, 1 << 18, &t, &last_ns), -EPERM);
	/* Another file in its place is taken at once. */
	unlink(day_path(fx, T0));
	write_seconds(fx, 0, 5, T0);
	assert_int_equal(seconds_next(s, (T0 - 1) * NS, (T0 + 5) * NS, 1 << 18, &t, &last_ns), 5);
	unlink(day_path(fx, T0));
	write_seconds(fx, 0, 9, T0);
	text_reset(&t);
	assert_int_equal(seconds_next(s, (T0 - 1) * NS, (T0 + 9) * NS, 1 << 18, &t, &last_ns), 9);
	assert_int_equal(t.failed, 0);
	seconds_free(s);
}

/* A writer that closes while we have its file open leaves nothing in the -wal: the file alone is complete. */
static void a_kept_reader_keeps_no_seconds_back(void **state)
{
	struct fixture *fx = *state;
	struct seconds *s = seconds_new(fx->dir, "s3");
	struct series_writer *w = writer(fx, "s3");
	struct heard h = begin(T0 - 1);
	struct stat st;

	for (int i = 0; i < 30; i++) {
		append_second(w, (uint64_t)i, T0 + i);
		hear_all(&h, s, (T0 + i) * NS, 1 << 18);
	}
	assert_int_equal(series_writer_free(w), 0);
	assert_true(stat(wal_path(fx, T0), &st) || !st.st_size);
	unlink(wal_path(fx, T0));
	unlink(shm_path(fx, T0));
	assert_int_equal(count_seconds(day_path(fx, T0)), 30);
	seconds_free(s);
	wire_decoder_free(h.d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_second_once, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(runs_and_days, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(what_is_not_ours, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_kept_reader_keeps_no_seconds_back, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
