// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge_tcp.c: totals that step back, wrap, begin anew or come from hosts that were forgotten; more
 * hosts than there are rows. Whatever happens, a run's sums are right.
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* The parts of the probe are not linked to unit tests. */
#include "userspace/probe/merge/merge_tcp.c"

double bucket_quantile(const uint32_t *counts, uint32_t n, uint32_t sub_bits, double q)
{
	for (uint32_t b = 0; b < n; b++)
		if (counts[b])
			return bucket_low(b, sub_bits) + (q - q);
	return NAN;
}

static struct family_status status[PROBE_FAMILIES];
static struct merge m;
static struct second out;

static int setup(void **state)
{
	(void)state;
	memset(&m, 0, sizeof(m));
	memset(status, 0, sizeof(status));
	m.status = status;
	m.now = &m.sweeps[0];
	m.before = &m.sweeps[1];
	m.remotes = remotes_new();
	second_init(&out);
	return m.remotes ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	remotes_free(m.remotes);
	second_release(&out);
	return 0;
}

/* One more second; two passes in it, each with a walk. */
static void finish(double dt)
{
	struct sweep *swap = m.before;

	m.now->tcp.passes = m.before->tcp.passes + 2;
	m.now->tcp.walks = m.before->tcp.walks + 2;
	m.now->reading.mono_ns = m.before->reading.mono_ns + (uint64_t)(dt * 1e9);
	second_clear(&out);
	assert_int_equal(merge_add_tcp(&m, dt, &out), 0);
	m.before = m.now;
	m.now = swap;
	*m.now = *m.before;
}

static void begin_epoch(uint32_t epoch)
{
	m.now->tcp.head.index = epoch;
	finish(1);
}

/* A record of host 10.0.HIGH.LOW, port 7. */
static void host(unsigned int number, uint32_t life, uint64_t rx, uint64_t segs, uint64_t looks)
{
	struct remote_record rec = {
		.head = {.type = REC_REMOTE, .index = life},
		.key = {.addr = {[10] = 0xff, 0xff, 10, 0, (uint8_t)(number >> 8), (uint8_t)number},
			.port = 7},
		.sums = {.rx_bytes = rx, .segs_in = segs, .sockets = looks},
	};

	remotes_record(m.remotes, &rec);
}

static const struct second_row *row(enum metric_family family, const char *instance)
{
	for (size_t i = 0; i < out.n_rows; i++)
		if (out.rows[i].family == family && !strcmp(out.rows[i].instance, instance))
			return &out.rows[i];
	return NULL;
}

static double all(enum metric_id id)
{
	return second_value(row(FAM_TCP, ""), id);
}

static double of(const char *instance, enum metric_id id)
{
	const struct second_row *r = row(FAM_REMOTE, instance);

	return r ? second_value(r, id) : -1;
}

static void nothing_counts_before_the_totals_do(void **state)
{
	(void)state;
	m.now->tcp.sums.rx_bytes = 5 << 20;
	finish(1);
	assert_true(isnan(all(M_TCP_RXKB_S)));
	m.now->tcp.sums.rx_bytes = 9 << 20;
	host(1, 1, 9 << 20, 0, 1);
	begin_epoch(1);
	assert_true(isnan(all(M_TCP_RXKB_S)));
	assert_null(row(FAM_REMOTE, "10.0.0.1>7"));
	m.now->tcp.sums.rx_bytes += 1024;
	host(1, 1, (9 << 20) + 1024, 0, 3);
	finish(0.5);
	assert_true(all(M_TCP_RXKB_S) == 2);
	assert_true(of("10.0.0.1>7", M_REM_TCP_RXKB_S) == 2);
	assert_true(of("10.0.0.1>7", M_REM_TCPSCK) == 1);
}

static void a_step_back_is_no_loss_and_no_gain(void **state)
{
	static const uint64_t totals[] = {1000, 400, 900, 1000, 1500, 1500};
	double sum = 0, segs = 0;

	(void)state;
	begin_epoch(1);
	for (size_t i = 0; i < sizeof(totals) / sizeof(*totals); i++) {
		m.now->tcp.sums.rx_bytes = totals[i] * 1024;
		m.now->tcp.sums.segs_in = totals[i];
		finish(1);
		assert_true(all(M_TCP_RXKB_S) >= 0 && all(M_ISEG_S) >= 0);
		sum += all(M_TCP_RXKB_S);
		segs += all(M_ISEG_S);
	}
	assert_true(sum == 1500);
	assert_true(segs == 1500);
}

/* The kernel's segment counters have 32 bits; sums of some that have wrapped seem to step back. */
static void segments_may_wrap_and_bytes_need_not(void **state)
{
	(void)state;
	m.now->tcp.sums.segs_in = 0xfffffff0;
	m.now->tcp.sums.rx_bytes = 0xfffffff000;
	begin_epoch(1);
	m.now->tcp.sums.segs_in = 0x10;
	m.now->tcp.sums.rx_bytes = 0x10000000000;
	finish(1);
	assert_true(all(M_ISEG_S) == 0x20);
	assert_true(all(M_TCP_RXKB_S) == 4);
	/* A dip of more than 2^31 must not look like growth. */
	m.now->tcp.sums.segs_in = 0x10 - 0xd0000000ULL;
	finish(1);
	assert_true(all(M_ISEG_S) == 0);
	m.now->tcp.sums.segs_in = 0x20;
	finish(1);
	assert_true(all(M_ISEG_S) == 0x10);
}

static void unknown_stays_unknown(void **state)
{
	(void)state;
	begin_epoch(1);
	m.now->tcp.sums.rx_bytes = UNKNOWN;
	m.now->tcp.sums.segs_in = UNKNOWN;
	host(1, 1, UNKNOWN, UNKNOWN, 2);
	finish(1);
	assert_true(isnan(all(M_TCP_RXKB_S)) && isnan(all(M_ISEG_S)));
	assert_true(isnan(of("10.0.0.1>7", M_REM_TCP_RXKB_S)));
	assert_true(of("10.0.0.1>7", M_REM_TCPSCK) == 1);
}

static void a_new_host_counts_in_full_and_so_does_one_that_comes_back(void **state)
{
	(void)state;
	begin_epoch(1);
	m.now->tcp.sums.rx_bytes = 3072;
	host(1, 1, 3072, 0, 2);
	finish(1);
	assert_true(of("10.0.0.1>7", M_REM_TCP_RXKB_S) == 3);
	finish(1);
	assert_null(row(FAM_REMOTE, "10.0.0.1>7"));
	m.now->tcp.sums.rx_bytes += 1024;
	host(1, 2, 1024, 0, 2); /* forgotten by the kernel side in between */
	finish(1);
	assert_true(of("10.0.0.1>7", M_REM_TCP_RXKB_S) == 1);
}

static void a_host_that_was_counted_with_the_others_does_not_burst(void **state)
{
	(void)state;
	begin_epoch(1);
	m.now->tcp.remotes_refused = 4;
	m.now->tcp.sums.rx_bytes = 1 << 20;
	finish(1);
	assert_true(of("(other)", M_REM_TCP_RXKB_S) == 1024);
	m.now->tcp.sums.rx_bytes += 2048;
	host(1, 1, (1 << 20) + 1024, 0, 2); /* has found room now, with all it ever had */
	finish(1);
	assert_true(all(M_TCP_RXKB_S) == 2);
	assert_true(of("(other)", M_REM_TCP_RXKB_S) == 2);
	m.now->tcp.sums.rx_bytes += 1024;
	host(1, 1, (1 << 20) + 2048, 0, 4);
	finish(1);
	assert_true(of("10.0.0.1>7", M_REM_TCP_RXKB_S) == 1);
	assert_null(row(FAM_REMOTE, "(other)"));
}

static void other_sockets_begin_anew(void **state)
{
	(void)state;
	begin_epoch(1);
	m.now->tcp.sums.rx_bytes = 1024;
	host(1, 1, 1024, 0, 2);
	finish(1);
	m.now->tcp.sums.rx_bytes = 7 << 20;
	host(1, 1, 3 << 20, 0, 4);
	host(2, 2, 4 << 20, 0, 2);
	begin_epoch(2);
	assert_true(isnan(all(M_TCP_RXKB_S)));
	assert_null(row(FAM_REMOTE, "10.0.0.2>7"));
	m.now->tcp.sums.rx_bytes += 2048;
	host(1, 1, (3 << 20) + 1024, 0, 6);
	host(2, 2, (4 << 20) + 1024, 0, 4);
	finish(1);
	assert_true(all(M_TCP_RXKB_S) == 2);
	assert_true(of("10.0.0.1>7", M_REM_TCP_RXKB_S) == 1);
	assert_true(of("10.0.0.2>7", M_REM_TCP_RXKB_S) == 1);
}

/* The moment totals begin is put off when hosts' records were lost: they would burst later. */
static void a_lost_record_puts_the_beginning_off(void **state)
{
	(void)state;
	m.now->tcp.head.index = 1;
	m.now->tcp.sums.rx_bytes = 1 << 20;
	m.now->end.lost_records = 1;
	finish(1);
	host(1, 1, 1 << 20, 0, 2);
	finish(1);
	assert_true(isnan(all(M_TCP_RXKB_S)));
	host(1, 1, (1 << 20) + 1024, 0, 4);
	m.now->tcp.sums.rx_bytes += 1024;
	finish(1);
	assert_true(all(M_TCP_RXKB_S) == 1);
	assert_true(of("10.0.0.1>7", M_REM_TCP_RXKB_S) == 1);
}

static void a_second_without_a_pass_is_counted_in_the_next(void **state)
{
	(void)state;
	begin_epoch(1);
	m.now->tcp.sums.rx_bytes = 1024;
	second_clear(&out);
	host(1, 1, 1024, 0, 0);
	assert_int_equal(merge_add_tcp(&m, 1, &out), 0); /* as many passes as before */
	assert_true(isnan(all(M_TCP_RXKB_S)));
	assert_null(row(FAM_REMOTE, "10.0.0.1>7"));
	finish(1);
	assert_true(all(M_TCP_RXKB_S) == 1);
	assert_true(of("10.0.0.1>7", M_REM_TCP_RXKB_S) == 1);
}

/* What nobody reads is known only after as long as that takes to tell. */
static void unread_is_a_mean_of_the_looks_that_could_tell(void **state)
{
	(void)state;
	begin_epoch(1);
	m.now->tcp.sums.sockets += 8;
	host(1, 1, 0, 0, 8);
	finish(1);
	assert_true(all(M_TCPSCK) == 4 && isnan(all(M_TCP_UNREAD)));
	assert_true(isnan(of("10.0.0.1>7", M_REM_TCP_UNREAD)));
	m.now->tcp.sums.sockets += 8;
	m.now->tcp.sums.unread += 3;
	m.now->tcp.timed++;
	host(1, 1, 0, 0, 16);
	finish(1);
	assert_true(all(M_TCPSCK) == 4 && all(M_TCP_UNREAD) == 3);
	assert_true(of("10.0.0.1>7", M_REM_TCP_UNREAD) == 0);
}

static void the_busiest_have_rows_and_the_sums_hold(void **state)
{
	uint64_t totals[200] = {0}, whole = 0;
	double sum = 0;

	(void)state;
	begin_epoch(1);
	for (int second = 0; second < 20; second++) {
		for (unsigned int i = 0; i < 200; i++) {
			uint64_t more =
				1024ULL * ((i * 7919 + (unsigned int)second * 104729) % 211);

			totals[i] += more;
			/* Now and then all sockets together lag behind a host that has closed one. */
			whole += more;
			host(i, i + 1, totals[i], 0, 2 * ((unsigned int)second + 1));
		}
		m.now->tcp.sums.rx_bytes = whole - (second % 3 == 1 ? 4096 * 1024 : 0);
		m.now->tcp.sums.sockets += 400;
		finish(1);
		assert_int_equal(out.n_rows, 1 + 32 + 1);
		for (size_t i = 1; i < out.n_rows; i++) {
			double v = second_value(&out.rows[i], M_REM_TCP_RXKB_S);

			assert_true(v >= 0);
			sum += v;
			if (i > 1 && i < 33)
				assert_true(v <= second_value(&out.rows[i - 1], M_REM_TCP_RXKB_S));
		}
		assert_true(of("(other)", M_REM_TCPSCK) == 168);
	}
	m.now->tcp.sums.rx_bytes = whole;
	finish(1);
	if (row(FAM_REMOTE, "(other)"))
		sum += of("(other)", M_REM_TCP_RXKB_S);
	assert_true(sum * 1024 == (double)whole);
}

static void hosts_beyond_every_bound_are_the_others(void **state)
{
	(void)state;
	begin_epoch(1);
	for (unsigned int i = 0; i < 3000; i++)
		host(i, i + 1, 1024, 0, 2);
	m.now->tcp.sums.rx_bytes = 3000 * 1024;
	finish(1);
	assert_true(of("(other)", M_REM_TCP_RXKB_S) == 3000 - 32);
	assert_int_equal(m.remotes->n, MAX_KNOWN);
	/* Forgotten long after. */
	finish(1000);
	assert_int_equal(m.remotes->n, 0);
}

static void names_are_what_ss_prints(void **state)
{
	static const struct {
		struct remote_key key;
		const char *name;
	} names[] = {
		{{.addr = {[10] = 0xff, 0xff, 192, 168, 0, 1}, .port = 24007}, "192.168.0.1>24007"},
		{{.addr = {[10] = 0xff, 0xff, 127, 0, 0, 1}}, "127.0.0.1>*"},
		{{.addr = {0x20, 1, 0xd, 0xb8, [15] = 1}, .port = 7}, "[2001:db8::1]>7"},
		{{.addr = {[15] = 1}}, "[::1]>*"},
		{{.addr = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			   0xff, 0xff, 0xff, 0xff},
		  .port = 65535},
		 "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]>65535"},
	};
	char name[INSTANCE_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		instance_name(name, &names[i].key);
		assert_string_equal(name, names[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(nothing_counts_before_the_totals_do),
		TEST(a_step_back_is_no_loss_and_no_gain),
		TEST(segments_may_wrap_and_bytes_need_not),
		TEST(unknown_stays_unknown),
		TEST(a_new_host_counts_in_full_and_so_does_one_that_comes_back),
		TEST(a_host_that_was_counted_with_the_others_does_not_burst),
		TEST(other_sockets_begin_anew),
		TEST(a_lost_record_puts_the_beginning_off),
		TEST(a_second_without_a_pass_is_counted_in_the_next),
		TEST(unread_is_a_mean_of_the_looks_that_could_tell),
		TEST(the_busiest_have_rows_and_the_sums_hold),
		TEST(hosts_beyond_every_bound_are_the_others),
		TEST(names_are_what_ss_prints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
