// SPDX-License-Identifier: BSD-2-Clause
/*
 * A second's requests, one by one, and its switches: latency histograms that agree with the counts and
 * the times of struct total, and the metrics that come from histograms only.
 */
#include <math.h>

#include "latency.h"
#include "sim.h"

enum { FLOWS = 4 };

/* The n requests of an operation by what makes them; the shares are those of the totals. */
static void split(const double *x, int op, double n, struct flow f[FLOWS])
{
	bool write = op == OP_WRITE, hog = (x[T_FOR_RKB] > 0) != write && x[T_HOG] > 0;
	double all = x[write ? T_W : T_R], rest = all, rest_s = x[write ? T_WWAIT : T_RWAIT];
	const struct {
		enum flow_kind kind;
		double n, s, kb;
	} part[FLOWS - 1] = {
		{FLOW_BURST, write ? x[T_BACK] : 0, x[T_BACK_WAIT],
		 x[T_DISK_KB] > 0 ? x[T_DISK_KB] : 256},
		{FLOW_SINGLE, write ? x[T_LOG] : 0, x[T_LOG_WAIT], 16},
		{FLOW_DEEP, hog ? x[T_HOG] : 0, x[T_HOG_WAIT], 512},
	};
	unsigned int left = (unsigned int)n, most = FLOWS - 1;

	for (int k = 0; k < FLOWS - 1; k++) {
		double share = part[k].n > 0 ? fmin(left, round(part[k].n * n / all)) : 0;

		f[k] = (struct flow){part[k].kind, op, latency_size(part[k].kb),
				     (unsigned int)share, 0};
		if (!(part[k].n > 0))
			continue;
		f[k].sum_s = part[k].s / part[k].n;
		rest -= part[k].n;
		rest_s -= part[k].s;
		left -= f[k].n;
		if (most == FLOWS - 1 || f[k].n > f[most].n)
			most = (unsigned int)k;
	}
	f[FLOWS - 1] =
		(struct flow){FLOW_SINGLE, op, latency_size(x[T_DISK_KB]), left, rest_s / rest};
	/* Of what is a rounding only no flow is made. */
	if (rest < 0.5 && most < FLOWS - 1) {
		f[most].n += left;
		f[FLOWS - 1].n = 0;
	}
	for (int k = 0; k < FLOWS; k++)
		f[k].sum_s = f[k].n ? fmax(0, f[k].sum_s) * f[k].n : 0;
}

double flows_put(const double *x, int op, double n, double *sum_s, double tick_s, struct rng *r,
		 struct second_row *row)
{
	struct flow f[FLOWS];
	struct disk_now d = {.service_s = x[T_SERVICE],
			     .seek = x[T_SEEK],
			     .seek_s = x[T_SEEK_S],
			     .rho = x[T_RHO],
			     .batch = x[T_BATCH],
			     .held = x[T_HELD],
			     .hit = x[T_HIT],
			     .hit_s = x[T_HIT_S],
			     .tick_s = tick_s};
	double all_s = 0, in_device = 0, shown = 0;

	if (!(n > 0))
		return NAN;
	/* What little of the next second is seen may be of a disk that did nothing in this one. */
	if (!(d.service_s > 0))
		d.service_s = *sum_s / n, d.hit = 0;
	split(x, op, n, f);
	for (int k = 0; k < FLOWS; k++)
		all_s += f[k].sum_s;
	for (int k = 0; k < FLOWS; k++) {
		d.rho = x[f[k].kind == FLOW_BURST ? T_RHO_ALL : T_RHO];
		f[k].sum_s = all_s > 0 ? f[k].sum_s * *sum_s / all_s : *sum_s * f[k].n / n;
		in_device += latency_draw(&d, &f[k], r, row->lat, row->dev);
		shown += f[k].sum_s;
	}
	if (tick_s > 0)
		*sum_s = shown;
	return in_device / n * 1e3;
}

/* Of a histogram, inside the bucket as if its events were spread evenly. */
static double quantile(const struct runq_hist *h, double n, double q)
{
	double below = 0, rank = n * q;

	for (uint32_t b = 0; b < RUNQ_BUCKETS; b++) {
		double low = (double)bucket_low(b, RUNQ_SUB_BITS),
		       width = (double)bucket_low(b + 1, RUNQ_SUB_BITS) - low;

		if (h->n[b] && below + h->n[b] >= rank)
			return width <= 1 ? low : low + width * (rank - below) / h->n[b];
		below += h->n[b];
	}
	return NAN;
}

void runq_put(const double *x, double switches, struct rng *r, struct second_row *row)
{
	/* Every other switch is to the idle task, which waits for nobody. */
	unsigned int n = (unsigned int)fmin(1e9, round(switches / 2));

	second_set(row, M_RUNQ_DELAY, runq_draw(n, x[T_CPU_TAKEN], x[T_CPU_WAIT], r, row->runq));
	second_set(row, M_RUNQ_P99, quantile(row->runq, n, 0.99) * (double)(1 << RUNQ_SHIFT) / 1e6);
}
