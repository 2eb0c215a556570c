// SPDX-License-Identifier: BSD-2-Clause
/* interval/interval.h: what seconds add up to, latencies by load cell, quantiles, the largest names. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/interval/interval.h"
#include "analyzer/signal/value.h"

static struct second_row row_of(enum metric_family family, const char *instance)
{
	struct second_row r;

	second_row_init(&r, family, instance);
	return r;
}

static struct series_time second(int64_t s, double interval_s)
{
	return (struct series_time){
		.wall_ns = s * 1000000000, .seq = (uint64_t)s, .interval_s = interval_s, .boot = 7};
}

static void rates_and_means_add_up(void **state)
{
	struct second_row a = row_of(FAM_DISK, "sda"), b = a, none = a;
	struct series_time t = second(1, 1), u = second(2, 2), v = second(4, 1);
	struct interval h = {0};

	(void)state;
	second_set(&a, M_R_S, 10), second_set(&a, M_R_AWAIT, 5), second_set(&a, M_UTIL, 50);
	second_set(&b, M_R_S, 40), second_set(&b, M_R_AWAIT, 2), second_set(&b, M_UTIL, 20);
	interval_second(&h, &t);
	assert_int_equal(interval_add(&h, &t, &a), 0);
	interval_second(&h, &u);
	assert_int_equal(interval_add(&h, &u, &b), 0);
	interval_second(&h, &v);
	assert_int_equal(interval_add(&h, &v, &none), 0);
	assert_int_equal(h.n_disks, 1);
	assert_string_equal(h.disks[0].name, "sda");
	/* 10 + 80 reads in 3 s; 90 reads waited 10 * 5 + 80 * 2 ms; the third second is unknown. */
	assert_true(h.disks[0].acc[DA_READS].sum == 90 && h.disks[0].acc[DA_READS].n == 3);
	assert_true(h.disks[0].acc[DA_READ_AWAIT].sum == 210);
	assert_true(h.disks[0].acc[DA_READ_AWAIT].n == 90);
	assert_true(acc_mean(h.disks[0].acc[DA_UTIL]) == 30);
	assert_true(isnan(acc_mean(h.disks[0].acc[DA_WRITES])));
	assert_true(h.disks[0].acc[DA_WRITE_AWAIT].n == 0);
	assert_int_equal(h.seconds, 4);
	assert_int_equal(h.boots, 1);
	assert_int_equal(h.damaged, 0);
	interval_release(&h);
	assert_int_equal(h.n_disks, 0);
}

static void what_cannot_be_is_counted_and_left_out(void **state)
{
	struct second_row a = row_of(FAM_DISK, "sda"), p = row_of(FAM_PROCESS, "fio:1");
	struct series_time t = second(1, 1);
	struct interval h = {0};

	(void)state;
	second_set(&a, M_R_S, INFINITY), second_set(&a, M_W_S, -1), second_set(&a, M_RKB_S, 1e19),
		second_set(&a, M_WKB_S, 3);
	second_set(&a, M_R_AWAIT, 5);
	second_set(&p, M_P_CPU, -5), second_set(&p, M_P_WKB_S, 8);
	assert_int_equal(interval_add(&h, &t, &a), 0);
	assert_int_equal(interval_add(&h, &t, &p), 0);
	assert_int_equal(h.damaged, 4);
	assert_true(h.disks[0].acc[DA_READS].n == 0 && h.disks[0].acc[DA_WRITES].n == 0);
	assert_true(h.disks[0].acc[DA_READ_KB].n == 0);
	assert_true(acc_mean(h.disks[0].acc[DA_WRITE_KB]) == 3);
	/* over a number of reads that is not known */
	assert_true(h.disks[0].acc[DA_READ_AWAIT].n == 0);
	assert_true(h.processes[0].cpu_s == 0 && h.processes[0].written_kb == 8);
	interval_release(&h);
}

/* Two interfaces: bytes of both, seconds of one; also if only one was measured. */
static void interfaces_add_up(void **state)
{
	struct second_row a = row_of(FAM_NET, "eth0"), b = row_of(FAM_NET, "eth1");
	struct interval h = {0};

	(void)state;
	for (int64_t s = 0; s < 10; s++) {
		struct series_time t = second(s, 1);

		second_set(&a, M_RXKB_S, s == 3 ? NAN : 100);
		second_set(&b, M_RXKB_S, 10);
		second_set(&a, M_TXKB_S, 1);
		assert_int_equal(interval_add(&h, &t, &a), 0);
		assert_int_equal(interval_add(&h, &t, &b), 0);
	}
	assert_true(h.acc[NA_RX_KB].n == 10 && h.acc[NA_RX_KB].sum == 1000);
	assert_true(h.acc[NA_TX_KB].n == 10 && h.acc[NA_TX_KB].sum == 10);
	interval_release(&h);
}

static void sockets_are_weighted_by_the_active(void **state)
{
	struct second_row a = row_of(FAM_TCP, ""), b = a, host = row_of(FAM_HOST, "");
	struct series_time t = second(1, 1), u = second(2, 1);
	struct runq_hist runq = {0};
	struct interval h = {0};

	(void)state;
	second_set(&a, M_SRTT, 1), second_set(&a, M_TCP_ACTIVE, 3), second_set(&a, M_RETRANS_S, 2);
	second_set(&b, M_SRTT, 9), second_set(&b, M_TCP_ACTIVE, 1);
	second_set(&host, M_RUNQ_DELAY, 4), second_set(&host, M_CSWCH_S, 100), host.runq = &runq;
	runq.n[5] = 7, runq.n[255] = 1;
	assert_int_equal(interval_add(&h, &t, &a), 0);
	assert_int_equal(interval_add(&h, &u, &b), 0);
	assert_int_equal(interval_add(&h, &t, &host), 0);
	assert_int_equal(interval_add(&h, &u, &host), 0);
	assert_true(acc_mean(h.acc[NA_SRTT]) == 3);
	assert_true(acc_mean(h.acc[NA_ACTIVE]) == 2);
	assert_true(acc_mean(h.acc[NA_RETRANS]) == 2);
	assert_true(h.acc[NA_RUNQ_DELAY].n == 200 && acc_mean(h.acc[NA_RUNQ_DELAY]) == 4);
	assert_int_equal(h.n_runq, 16);
	assert_int_equal(h.runq[5], 14);
	assert_int_equal(h.runq[255], 2);
	interval_release(&h);
}

/* A second of `active` sockets, each looked at so many times a second; NaN: not recorded. */
static double srtt_of(double active, double looks)
{
	struct second_row a = row_of(FAM_TCP, "");
	struct series_time t = second(4, 1);
	struct interval h = {0};
	double got;

	second_set(&a, M_SRTT, 2), second_set(&a, M_TCP_ACTIVE, active);
	second_set(&a, M_TCP_LOOKS, looks), second_set(&a, M_TCP_STALLED, 3);
	assert_int_equal(interval_add(&h, &t, &a), 0);
	assert_true(value_of_node(SIG_STALLED, &h, (struct lone){0}) == 3);
	got = value_of_node(SIG_SRTT, &h, (struct lone){0});
	interval_release(&h);
	return got;
}

static void few_reads_of_windows_tell_nothing(void **state)
{
	(void)state;
	assert_true(srtt_of(1, 10) == 2);
	assert_true(isnan(srtt_of(1, 1)));
	assert_true(srtt_of(1, NAN) == 2);
	assert_true(isnan(srtt_of(0.2, 10)));
	assert_true(srtt_of(20000, 1) == 2);
}

static void cells_are_half_octaves(void **state)
{
	(void)state;
	assert_int_equal(load_cell(1), 0);
	assert_int_equal(load_cell(1.41), 0);
	assert_int_equal(load_cell(1.42), 1);
	assert_int_equal(load_cell(2), 2);
	assert_int_equal(load_cell(1000), 19);
	assert_int_equal(load_cell(1e-9), CELL_MIN);
	assert_int_equal(load_cell(1e18), CELL_MAX);
	assert_int_equal(load_cell(0), CELL_MIN);
	assert_int_equal(load_cell(NAN), CELL_MIN);
}

static const struct interval_lat *find(const struct interval *h, int op, int size, int part,
				       int cell)
{
	for (size_t i = 0; i < h->disks[0].n_lat; i++) {
		const struct interval_lat *l = &h->disks[0].lat[i];

		if (l->op == op && l->size == size && l->part == part && l->cell == cell)
			return l;
	}
	return NULL;
}

static void latencies_go_to_the_cell_of_their_second(void **state)
{
	struct second_row a = row_of(FAM_DISK, "sda");
	struct series_time t = second(1, 1), u = second(2, 2);
	struct lat_hist lat = {0}, dev = {0};
	const struct interval_lat *l;
	struct interval h = {0};

	(void)state;
	a.lat = &lat;
	a.dev = &dev;
	lat.n[OP_WRITE][1][40] = 3, lat.n[OP_WRITE][1][44] = 1;
	dev.n[OP_WRITE][1][39] = 2;
	lat.n[OP_READ][2][0] = 1, lat.n[OP_READ][2][255] = UINT32_MAX;
	assert_int_equal(interval_add(&h, &t, &a), 0); /* 4 writes/s: cell 4 */
	lat.n[OP_WRITE][1][30] = 4;
	assert_int_equal(interval_add(&h, &u, &a), 0); /* 8 writes in 2 s: cell 4 */
	lat.n[OP_WRITE][1][30] = 0, lat.n[OP_WRITE][1][40] = 1;
	assert_int_equal(interval_add(&h, &u, &a), 0); /* 2 in 2 s: cell 0 */

	l = find(&h, OP_WRITE, 1, PART_WHOLE, 4);
	assert_non_null(l);
	assert_int_equal(l->first, 30);
	assert_int_equal(l->n, 15);
	assert_int_equal(l->count, 12);
	assert_int_equal(l->at[0], 4);
	assert_int_equal(l->at[10], 6);
	assert_int_equal(l->at[14], 2);
	l = find(&h, OP_WRITE, 1, PART_WHOLE, 0);
	assert_non_null(l);
	assert_int_equal(l->count, 2);
	/* the device's part goes where the whole went, not by its own rate */
	l = find(&h, OP_WRITE, 1, PART_DEVICE, 0);
	assert_non_null(l);
	assert_int_equal(l->count, 2);
	assert_int_equal(l->first, 39);
	/* not above what fits */
	l = find(&h, OP_READ, 2, PART_WHOLE, CELL_MAX);
	l = l ? l : find(&h, OP_READ, 2, PART_WHOLE, load_cell(UINT32_MAX));
	assert_non_null(l);
	assert_int_equal(l->at[255], UINT32_MAX);
	assert_null(find(&h, OP_READ, 2, PART_DEVICE, load_cell(UINT32_MAX)));
	for (size_t i = 1; i < h.disks[0].n_lat; i++)
		assert_true(h.disks[0].lat[i - 1].op <= h.disks[0].lat[i].op);
	interval_release(&h);
}

static void ports_of_a_remote_are_one(void **state)
{
	static const char *const names[] = {"10.0.0.2>24007", "10.0.0.2>49152",
					    "[2001:db8::1]>24007", "10.0.0.22>1", "(other)"};
	struct series_time t = second(1, 2);
	struct interval h = {0};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct second_row r = row_of(FAM_REMOTE, names[i]);

		second_set(&r, M_REM_ODSEG_S, 1 + (double)i);
		assert_int_equal(interval_add(&h, &t, &r), 0);
	}
	assert_int_equal(h.n_remotes, 4);
	assert_string_equal(h.remotes[0].addr, "(other)");
	assert_string_equal(h.remotes[1].addr, "10.0.0.2");
	assert_string_equal(h.remotes[2].addr, "10.0.0.22");
	assert_string_equal(h.remotes[3].addr, "[2001:db8::1]");
	assert_true(h.remotes[1].data_out == 6);
	assert_true(h.remotes[3].data_out == 6 && h.remotes[3].rx_kb == 0);
	interval_release(&h);
}

static void the_largest_processes_are_kept(void **state)
{
	struct series_time t = second(1, 1);
	double cpu = 0, kb = 0;
	struct interval h = {0};
	char name[INSTANCE_LEN];

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct second_row r = row_of(FAM_PROCESS, "");

		snprintf(r.instance, sizeof(r.instance), "p:%04d", i);
		second_set(&r, M_P_CPU, i % 500 == 7 ? 500 : 1);
		second_set(&r, M_P_RKB_S, i == 900 ? 1e6 : 1);
		second_set(&r, M_P_WKB_S, 10), second_set(&r, M_P_CCWKB_S, i == 5 ? 5000 : 0);
		assert_int_equal(interval_add(&h, &t, &r), 0);
	}
	interval_finish(&h);
	assert_int_equal(h.n_processes, INTERVAL_PROCESSES);
	for (size_t i = 0; i < h.n_processes; i++) {
		cpu += h.processes[i].cpu_s;
		kb += h.processes[i].read_kb;
		if (i)
			assert_true(strcmp(h.processes[i - 1].name, h.processes[i].name) < 0);
		assert_true(h.processes[i].written_kb >= 0);
	}
	/* nothing is lost: 2994 at 1 %, 6 at 500 % */
	assert_true(fabs(cpu - 2994 * 0.01 - 6 * 5) < 1e-6);
	assert_true(fabs(kb - 2999 - 1e6) < 1e-3);
	assert_string_equal(h.processes[0].name, "(rest)");
	for (int i = 0; i < 3; i++) {
		size_t k = 0;

		snprintf(name, sizeof(name), "p:%04d", i == 2 ? 900 : 7 + 500 * i);
		while (k < h.n_processes && strcmp(h.processes[k].name, name))
			k++;
		assert_true(k < h.n_processes);
	}
	interval_release(&h);
}

static void runs_are_told_apart(void **state)
{
	struct series_time t = second(1, NAN);
	struct interval h = {0};

	(void)state;
	t.lost = 2;
	for (int i = 0; i < 6; i++) {
		t.boot = i % 2;
		interval_second(&h, &t);
	}
	assert_int_equal(h.boots, 2);
	assert_int_equal(h.seconds, 6);
	assert_int_equal(h.lost, 12);
	for (int i = 0; i < 20; i++) {
		t.boot = i;
		interval_second(&h, &t);
	}
	assert_int_equal(h.boots, 4); /* at most */
	interval_release(&h);
	t.interval_s = 0.1;
	interval_second(&h, &t);
	assert_int_equal(h.seconds, 1);
	interval_release(&h);
}

static void quantiles_interpolate(void **state)
{
	uint64_t at[LAT_BUCKETS] = {0}, big[2] = {1, 3};

	(void)state;
	assert_true(isnan(hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.5)));
	assert_true(isnan(hist_quantile(at, 0, 0, LAT_SUB_BITS, 0.5)));
	at[4] = 10; /* [4, 5) */
	assert_true(hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.5) == 4.5);
	assert_true(hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0) == 4);
	assert_true(hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 1) == 5);
	at[24] = 30; /* [32, 36): a fourth of all is below */
	assert_true(hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.25) == 5);
	assert_true(hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.5) == 32 + 4.0 / 3);
	assert_true(hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 1) == 36);
	/* a part of the buckets, by number */
	assert_true(hist_quantile(&at[20], 20, 10, LAT_SUB_BITS, 0.5) == 34);
	assert_true(hist_quantile(big, 254, 2, LAT_SUB_BITS, 1) == 17179869184.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_and_means_add_up),
		cmocka_unit_test(what_cannot_be_is_counted_and_left_out),
		cmocka_unit_test(interfaces_add_up),
		cmocka_unit_test(sockets_are_weighted_by_the_active),
		cmocka_unit_test(few_reads_of_windows_tell_nothing),
		cmocka_unit_test(cells_are_half_octaves),
		cmocka_unit_test(latencies_go_to_the_cell_of_their_second),
		cmocka_unit_test(ports_of_a_remote_are_one),
		cmocka_unit_test(the_largest_processes_are_kept),
		cmocka_unit_test(runs_are_told_apart),
		cmocka_unit_test(quantiles_interpolate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
