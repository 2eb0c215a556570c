// SPDX-License-Identifier: BSD-2-Clause
/* The simulator's rows: times of single requests and switches, who had which part of a second, and
 * where and when a fault acts. */
#include "tools/simulate.d/faults.c"
#include "tools/simulate.d/flows.c"
#include "tools/simulate.d/latency.c"
#include "tools/simulate.d/noise.c"
#include "tools/simulate.d/rows.c"
#include "tools/simulate.d/wander.c"
#include "unit.h"

/* ---- times of single requests ------------------------------------------------------------------ */

struct summed {
	uint32_t n, n_dev;
	double s, s_dev; /* by the middles of the buckets */
	bool ordered;	 /* of any time at least as many are longer in all as in the device */
};

static struct summed sum_up(const struct lat_hist *lat, const struct lat_hist *dev, int op,
			    int size)
{
	struct summed x = {.ordered = true};

	for (uint32_t b = 0; b < LAT_BUCKETS; b++) {
		double low = (double)bucket_low(b, LAT_SUB_BITS),
		       high = (double)bucket_low(b + 1, LAT_SUB_BITS),
		       middle = (low + high) / 2 * (1 << LAT_SHIFT) / 1e9;

		x.n += lat->n[op][size][b];
		x.n_dev += dev->n[op][size][b];
		x.s += lat->n[op][size][b] * middle;
		x.s_dev += dev->n[op][size][b] * middle;
		x.ordered = x.ordered && x.n <= x.n_dev;
	}
	return x;
}

static const struct disk_now busy_disk = {
	.service_s = 0.006, .seek = 0.35, .seek_s = 0.0085, .rho = 0.7, .batch = 1, .held = 1};

/* Every request is counted once, the times add up, and none is longer in the device than in all. */
static void times_add_up(void **state)
{
	static struct lat_hist lat, dev;
	struct rng r = stream(1, FOR_LATENCY, 1);

	(void)state;
	for (int kind = FLOW_SINGLE; kind <= FLOW_DEEP; kind++)
		for (unsigned int n = 1; n < 20000; n = n * 7 + 1) {
			struct flow f = {(enum flow_kind)kind, OP_WRITE, 2, n, 0.02 * n};
			struct summed x;
			double in_device;

			memset(&lat, 0, sizeof(lat));
			memset(&dev, 0, sizeof(dev));
			in_device = latency_draw(&busy_disk, &f, &r, &lat, &dev);
			x = sum_up(&lat, &dev, OP_WRITE, 2);
			assert_int_equal(x.n, n);
			assert_int_equal(x.n_dev, n);
			assert_true(x.ordered);
			/* A bucket is an eighth of its octave: its middle is off by 6 % at most. */
			assert_true(fabs(x.s / f.sum_s - 1) < 0.0625);
			assert_true(fabs(x.s_dev / in_device - 1) < 0.0625);
			assert_true(in_device < f.sum_s);
			x = sum_up(&lat, &dev, OP_READ, 2);
			assert_int_equal(x.n + x.n_dev, 0);
		}
	assert_int_equal(latency_size(16), 0);
	assert_int_equal(latency_size(16.1), 1);
	assert_int_equal(latency_size(128), 1);
	assert_int_equal(latency_size(256), 2);
}

/* A single request's service and its wait have the means that the queue says: s / (1 - rho) together. */
static void times_are_the_queues(void **state)
{
	enum { DRAWS = 200000 };
	const struct disk_now *d = &busy_disk;
	struct rng r = stream(1, FOR_LATENCY, 2);
	double own = 0, wait = 0;

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		own += own_service(d, &r) / DRAWS;
		wait += ahead(FLOW_SINGLE, d->service_s, d->rho, 1, &r) / DRAWS;
	}
	assert_true(fabs(own / d->service_s - 1) < 0.01);
	assert_true(fabs(wait / (d->service_s * d->rho / (1 - d->rho)) - 1) < 0.02);
}

/* Held back three times as long by the scheduler, requests are in the device as long as before. */
static void held_back_is_not_the_device(void **state)
{
	enum { REQUESTS = 20000 };
	static struct lat_hist lat, dev;
	struct disk_now free = busy_disk, held;
	struct rng r = stream(1, FOR_LATENCY, 3);
	struct flow f = {FLOW_SINGLE, OP_READ, 2, REQUESTS, 0};
	double before, after;

	(void)state;
	free.rho = 0.3;
	f.sum_s = REQUESTS * free.service_s / (1 - free.rho);
	before = latency_draw(&free, &f, &r, &lat, &dev);
	held = free;
	held.held = 3;
	held.service_s *= 3;
	held.seek_s *= 3;
	held.rho *= 3;
	f.sum_s = REQUESTS * held.service_s / (1 - held.rho);
	after = latency_draw(&held, &f, &r, &lat, &dev);
	assert_true(fabs(after / before - 1) < 0.1);
	assert_true(f.sum_s > 10 * after);
}

/* Reads, synchronous writes, writeback, logs and a hog's reads of one second. */
static void flows_are_counted_where_they_belong(void **state)
{
	static struct lat_hist lat, dev;
	struct second_row row = {.family = FAM_DISK, .lat = &lat, .dev = &dev};
	struct rng r = stream(1, FOR_LATENCY, 4);
	double x[TOTALS] = {
		[T_R] = 150,	     [T_RWAIT] = 9,	[T_HOG] = 50,	    [T_HOG_WAIT] = 8,
		[T_FOR_RKB] = 25600, [T_FOR_WKB] = 100, [T_W] = 90.4,	    [T_WWAIT] = 5.1,
		[T_BACK] = 40,	     [T_BACK_WAIT] = 4, [T_LOG] = 10.4,	    [T_LOG_WAIT] = 0.1,
		[T_SERVICE] = 0.004, [T_SEEK] = 0.3,	[T_SEEK_S] = 0.008, [T_RHO] = 0.5,
		[T_RHO_ALL] = 0.8,   [T_BATCH] = 1,	[T_HELD] = 1,	    [T_DISK_KB] = 64,
	};
	double device = flows_put(x, OP_READ, 150, &(double){9}, 0, &r, &row);
	struct summed hog = sum_up(&lat, &dev, OP_READ, 2), own = sum_up(&lat, &dev, OP_READ, 1);

	(void)state;
	assert_int_equal(hog.n, 50);
	assert_int_equal(own.n, 100);
	assert_true(fabs(hog.s / 8 - 1) < 0.0625 && fabs(own.s / 1 - 1) < 0.0625);
	assert_true(device > 0 && device < 1e3 * 9 / 150);
	device = flows_put(x, OP_WRITE, 90, &(double){5.1}, 0, &r, &row);
	assert_int_equal(sum_up(&lat, &dev, OP_WRITE, 0).n, 10);
	assert_int_equal(sum_up(&lat, &dev, OP_WRITE, 1).n, 80);
	assert_int_equal(sum_up(&lat, &dev, OP_WRITE, 2).n, 0);
	assert_true(device > 0 && device < 1e3 * 5.1 / 90);
	assert_true(isnan(flows_put(x, OP_WRITE, 0, &(double){0}, 0, &r, &row)));
	/* Seven of which 3.4 and 3.4 have a flow of their own: the odd one is no synchronous write. */
	memset(&lat, 0, sizeof(lat));
	x[T_W] = 6.6;
	x[T_WWAIT] = 0.7;
	x[T_BACK] = x[T_LOG] = 3.2;
	x[T_BACK_WAIT] = x[T_LOG_WAIT] = 0.35;
	flows_put(x, OP_WRITE, 7, &(double){0.7}, 0, &r, &row);
	assert_int_equal(sum_up(&lat, &dev, OP_WRITE, 0).n, 3);
	assert_int_equal(sum_up(&lat, &dev, OP_WRITE, 1).n, 4);
}

static void switches_add_up(void **state)
{
	static struct runq_hist h;
	struct second_row row = {.family = FAM_HOST, .runq = &h};
	struct rng r = stream(1, FOR_RUNQ, 1);
	double x[TOTALS] = {[T_CPU_TAKEN] = 0.7, [T_CPU_WAIT] = 1.5e-3};

	(void)state;
	for (unsigned int n = 0; n < 50000; n = 3 * n + 1) {
		uint64_t sum = 0;

		memset(&h, 0, sizeof(h));
		runq_put(x, 2.0 * n, &r, &row);
		for (int b = 0; b < RUNQ_BUCKETS; b++)
			sum += h.n[b];
		assert_int_equal(sum, n);
		if (n < 1000)
			continue;
		assert_true(fabs(second_value(&row, M_RUNQ_DELAY) / (0.3 * 0.0096 + 0.7 * 1.5) -
				 1) < 0.05);
		/* 1 % wait longer than so: 0.7 exp(-t / 1.5 ms) = 0.01. */
		assert_true(fabs(second_value(&row, M_RUNQ_P99) / (1.5 * log(70)) - 1) < 0.07);
	}
	runq_put(x, 0, &r, &row);
	assert_true(isnan(second_value(&row, M_RUNQ_DELAY)));
}

/* ---- who had which part ------------------------------------------------------------------------ */

static void client_rows(unsigned int clients, bool loses)
{
	struct setup s = {.clients = clients, .servers = 4, .seed = 5, .noise = 1};
	double x[TOTALS] = {[T_ACTIVE] = clients}, dt = 0.9987;
	static const enum metric_id of[][2] = {{M_REM_ISEG_S, M_ISEG_S},
					       {M_REM_ODSEG_S, M_ODSEG_S},
					       {M_REM_TCP_RXKB_S, M_TCP_RXKB_S},
					       {M_REM_RETRANS_S, M_RETRANS_S}};
	struct second sec;
	double sum[4] = {0}, most = 0, sockets = 0;

	second_init(&sec);
	sec.interval_s = dt;
	for (int f = FAM_DISK; f <= FAM_HOST; f++)
		assert_non_null(second_add_row(&sec, (enum metric_family)f, "", 0));
	for (int k = 0; k < 8; k++)
		second_set(&sec.rows[FAM_TCP], counts[k].all, 0);
	second_set(&sec.rows[FAM_TCP], M_ISEG_S, 10007 / dt);
	second_set(&sec.rows[FAM_TCP], M_ODSEG_S, 977 / dt);
	second_set(&sec.rows[FAM_TCP], M_TCP_RXKB_S, 9999.5 / dt);
	second_set(&sec.rows[FAM_TCP], M_RETRANS_S, 43 / dt);
	if (loses) {
		x[T_CL_SHARE] = 0.02;
		x[T_CL_RETRANS] = 40;
	}
	assert_int_equal(add_remotes(&s, 1, 17, x, &sec), 0);
	for (size_t i = FAM_HOST + 1; i < sec.n_rows; i++) {
		const struct second_row *row = &sec.rows[i];

		for (int k = 0; k < 4; k++)
			sum[k] += second_value(row, of[k][0]);
		most = fmax(most, second_value(row, M_REM_RETRANS_S) * dt);
		sockets += second_value(row, M_REM_TCPSCK);
		assert_true(second_value(row, M_REM_ISEG_S) >= 0);
		assert_true(second_value(row, M_REM_RETRANS_S) >= 0);
	}
	for (int k = 0; k < 4; k++)
		assert_true(fabs(sum[k] - second_value(&sec.rows[FAM_TCP], of[k][1])) < 1e-6);
	assert_true(loses ? most >= 40 : most < 43);
	assert_true(sockets == clients);
	second_release(&sec);
}

/* Clients' counts add up to the file system's, also beyond those that have a row; a lossy link is one
 * client's. */
static void clients_add_up(void **state)
{
	(void)state;
	client_rows(2, false);
	client_rows(10, false);
	client_rows(32, false);
	client_rows(100, false);
	client_rows(10, true);
	client_rows(30, true);
}

/* One segment a second that is sent again is each client's as often as another's: 100 of 1000 times, with a
 * deviation of 9.5. Nobody is lossy by where it stands in the list. */
static void rare_counts_are_of_all_clients(void **state)
{
	struct setup s = {.clients = 10, .servers = 4, .seed = 5, .noise = 1};
	double x[TOTALS] = {[T_ACTIVE] = 10}, of[10] = {0};

	(void)state;
	for (unsigned int t = 0; t < 1000; t++) {
		struct second sec;

		second_init(&sec);
		sec.interval_s = 1;
		for (int f = FAM_DISK; f <= FAM_HOST; f++)
			assert_non_null(second_add_row(&sec, (enum metric_family)f, "", 0));
		for (int k = 0; k < 8; k++)
			second_set(&sec.rows[FAM_TCP], counts[k].all, 0);
		second_set(&sec.rows[FAM_TCP], M_RETRANS_S, 1);
		assert_int_equal(add_remotes(&s, 1, t, x, &sec), 0);
		for (size_t i = 0; i < 10; i++)
			of[i] += second_value(&sec.rows[FAM_HOST + 1 + i], M_REM_RETRANS_S);
		second_release(&sec);
	}
	for (size_t i = 0; i < 10; i++)
		assert_true(of[i] > 60 && of[i] < 140);
}

/* Each acts where and when its row says. */
static void faults_act_where_they_should(void **state)
{
	struct setup s = {.clients = 7,
			  .servers = 40,
			  .seconds = 300,
			  .node = 3,
			  .fault_from = 100,
			  .fault_seconds = 150,
			  .seed = 1,
			  .cluster_seed = 2};
	unsigned int others = 0;

	(void)state;
	for (s.fault = faults; s.fault->name; s.fault++) {
		s.intensity = s.fault->intensity;
		for (unsigned int t = 0; t < 300; t += 5)
			for (unsigned int i = 0; i < s.servers; i++) {
				const struct effect e = fault_effect(&s, i, t), none = {0};
				bool now = t >= 100 && t < fault_end(&s), want = now && i == 3;

				switch (s.fault->where) {
				case AT_NODE: break;
				case AT_ALL:
				case AT_CLIENT: want = now; break;
				case AT_ALWAYS: want = fault_acts_on(&s, i); break;
				}
				assert_int_equal(memcmp(&e, &none, sizeof(e)) != 0, want);
				others += s.fault->where == AT_ALWAYS && want && i != 3 && !t;
			}
		assert_true(s.fault->intensity > s.fault->least &&
			    s.fault->intensity <= s.fault->max);
	}
	assert_true(others > 1 && others < 15);
	assert_true(fault_client(&s) < s.clients);
	s.fault = fault_by_name("burst", false);
	assert_int_equal(fault_end(&s), 120);
	assert_null(fault_by_name("burst", true));
	assert_true(fault_by_name("hang", true) != fault_by_name("hang", false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_add_up),
		cmocka_unit_test(times_are_the_queues),
		cmocka_unit_test(held_back_is_not_the_device),
		cmocka_unit_test(flows_are_counted_where_they_belong),
		cmocka_unit_test(switches_add_up),
		cmocka_unit_test(clients_add_up),
		cmocka_unit_test(rare_counts_are_of_all_clients),
		cmocka_unit_test(faults_act_where_they_should),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
