// SPDX-License-Identifier: BSD-2-Clause
/* bpf/record.h: the log-linear buckets that kernel side and user space must agree on. */
#include "unit.h"

#include "bpf/record.h"

static const uint32_t subs[] = {0, 1, LAT_SUB_BITS, CWND_SUB_BITS, 8};
#define N_SUBS (sizeof(subs) / sizeof(*subs))

static void small_values_have_a_bucket_each(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SUBS; i++)
		for (uint64_t v = 0; v < 2ULL << subs[i]; v++) {
			assert_int_equal(bucket_of(v, subs[i]), v);
			assert_int_equal(bucket_low(bucket_of(v, subs[i]), subs[i]), v);
		}
}

static void buckets_begin_at_their_low_value(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SUBS; i++) {
		uint32_t last = bucket_of(UINT64_MAX, subs[i]);

		for (uint32_t b = 0; b <= last; b++) {
			uint64_t low = bucket_low(b, subs[i]);

			assert_int_equal(bucket_of(low, subs[i]), b);
			if (b) {
				assert_true(low > bucket_low(b - 1, subs[i]));
				assert_int_equal(bucket_of(low - 1, subs[i]), b - 1);
			}
		}
	}
}

static void octave_edges_fall_into_neighbouring_buckets(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SUBS; i++)
		for (uint32_t e = subs[i] + 1; e < 64; e++) {
			uint64_t v = 1ULL << e;
			uint32_t b = bucket_of(v, subs[i]);

			assert_int_equal(b, (e - subs[i] + 1) << subs[i]);
			assert_int_equal(bucket_low(b, subs[i]), v);
			assert_int_equal(bucket_of(v - 1, subs[i]), b - 1);
		}
}

static void buckets_are_monotone_and_narrow(void **state)
{
	uint64_t x = 88172645463325252ULL; /* xorshift64 */

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint32_t sub = subs[i % N_SUBS], b;
		uint64_t v, low;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		v = x >> (x & 63);
		b = bucket_of(v, sub);
		low = bucket_low(b, sub);
		assert_true(low <= v);
		/* The relative error is at most 2^-sub. */
		assert_true(v - low <= low >> sub);
		if (v != UINT64_MAX)
			assert_in_range(bucket_of(v + 1, sub), b, b + 1);
	}
}

static void latencies_up_to_18_minutes_fit(void **state)
{
	(void)state;
	assert_true(bucket_of(1ULL << 32, LAT_SUB_BITS) < LAT_BUCKETS);
	/* Windows below 2^20 segments: more than a gigabyte in flight on one socket. */
	assert_true(bucket_of((1ULL << 20) - 1, CWND_SUB_BITS) < CWND_BUCKETS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_values_have_a_bucket_each),
		cmocka_unit_test(buckets_begin_at_their_low_value),
		cmocka_unit_test(octave_edges_fall_into_neighbouring_buckets),
		cmocka_unit_test(buckets_are_monotone_and_narrow),
		cmocka_unit_test(latencies_up_to_18_minutes_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
