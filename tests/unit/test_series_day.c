// SPDX-License-Identifier: BSD-2-Clause
/*
 * series.h: a whole day of a busy server, second by second. It stays as small as it shall be,
 * everything is read back, and the writer needs no more memory at the end than at the beginning.
 */
#include "unit.h"

#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/bench.d/series_noise.h"
#include "series_util.h"

/* 40 MB a day. */
#define BYTES_A_SECOND 463

#if defined(__SANITIZE_ADDRESS__)
#define INTERVAL_S_HERE 10 /* a sanitizer makes a day of it */
#define CHECK_RSS	0
#else
#define INTERVAL_S_HERE 1
#define CHECK_RSS	1
#endif
#define SECONDS (86400 / INTERVAL_S_HERE)

/* Of everything in a row as the file may keep it; the sum over rows does not depend on order. */
struct digest {
	uint64_t rows[FAM_COUNT], sum[FAM_COUNT];
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

/* A gauge as rounded to 16 bits, a rate as a count. */
static uint64_t kept(double v, int m, double interval_s)
{
	uint64_t bits;
	int exponent;

	if (isnan(v))
		return 1;
	if (metrics[m].kind == KIND_RATE)
		return (uint64_t)llround(v * interval_s * metrics[m].per);
	if (v != floor(v) || fabs(v) > WHOLE_MAX) {
		v = round(ldexp(frexp(v, &exponent), 16));
		v = ldexp(v, exponent - 16);
	}
	v += 0.0; /* no -0 */
	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static uint64_t mix_flat(uint64_t h, const uint32_t *n, size_t buckets)
{
	for (size_t b = 0; b < buckets; b++)
		if (n[b])
			h = mix(mix(h, b), n[b]);
	return h;
}

static void digest_row(struct digest *d, const struct series_time *t, const struct second_row *row)
{
	uint64_t h = mix(mix(t->seq, (uint64_t)t->wall_ns), t->mono_ns);

	for (const char *c = row->instance; *c; c++)
		h = mix(h, (unsigned char)*c);
	for (int m = 0; m < M_COUNT; m++)
		if (metrics[m].family == row->family)
			h = mix(h, kept(second_value(row, m), m, t->interval_s));
	if (row->lat)
		h = mix_flat(h, &row->lat->n[0][0][0], LAT_FLAT);
	if (row->dev)
		h = mix_flat(h, &row->dev->n[0][0][0], LAT_FLAT);
	if (row->runq)
		h = mix_flat(h, row->runq->n, RUNQ_BUCKETS);
	d->rows[row->family]++;
	d->sum[row->family] += h;
}

static int on_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	digest_row(arg, t, row);
	return 0;
}

static void digest_second(struct digest *d, const struct second *s)
{
	const struct series_time t = {.wall_ns = s->wall_ns,
				      .mono_ns = s->mono_ns,
				      .seq = s->seq,
				      .interval_s = s->interval_s};

	for (size_t i = 0; i < s->n_rows; i++)
		digest_row(d, &t, &s->rows[i]);
}

static long rss_kb(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long size, rss = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld %ld", &size, &rss), 2);
	fclose(f);
	return rss * (sysconf(_SC_PAGESIZE) / 1024);
}

static void a_day_is_small_and_all_there(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w = writer(fx, "s3");
	struct digest given = {0}, read = {0};
	struct series_reader *r;
	struct second s;
	struct noise n;
	struct stat st;
	long early = 0;
	int wrong = 0;

	second_init(&s);
	noise_init(&n, 1, 10, 8, 1000 * INTERVAL_S_HERE);
	for (int64_t i = 0; i < SECONDS; i++) {
		assert_int_equal(noise_second(&n, &s, NOISE_BEGIN + i * INTERVAL_S_HERE), 0);
		digest_second(&given, &s);
		if (series_writer_append(w, &s))
			fail_msg("%s", series_error());
		if (i == SECONDS / 12)
			early = rss_kb();
	}
	print_message("# RSS %ld kB after two hours, %ld kB at the end\n", early, rss_kb());
	if (CHECK_RSS)
		assert_true(rss_kb() < early + 1024);
	assert_int_equal(series_writer_free(w), 0);
	second_release(&s);

	assert_int_equal(stat(day_path(fx, NOISE_BEGIN), &st), 0);
	print_message("# %.1f bytes a second, %.1f MB\n", (double)st.st_size / SECONDS,
		      (double)st.st_size / 1e6);
	if (INTERVAL_S_HERE == 1)
		assert_true(st.st_size <= (off_t)BYTES_A_SECOND * SECONDS);

	assert_int_equal(series_reader_new(&r, day_path(fx, NOISE_BEGIN)), 0);
	if (series_reader_rows(r, 0, INT64_MAX, SERIES_ALL, ALL_HISTS, on_row, &read))
		fail_msg("%s", series_error());
	series_reader_free(r);
	for (int f = 0; f < FAM_COUNT; f++) {
		print_message("# %s: %llu rows\n", metric_family_names[f],
			      (unsigned long long)read.rows[f]);
		wrong += read.rows[f] != given.rows[f] || read.sum[f] != given.sum[f];
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_day_is_small_and_all_there, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
