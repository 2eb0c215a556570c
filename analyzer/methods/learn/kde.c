// SPDX-License-Identifier: BSD-2-Clause
/* kde.h: bandwidth, cells, distribution. */
#include "kde.h"

#include <math.h>
#include <string.h>

#include "userspace/common/sort.h"

/* Further from a sample than so many bandwidths its kernel's integral is 0 or 1 to the last digit of a double. */
#define REACH 8.5

COMPARISON(by_x, struct kde_sample, ORDER(a->x, b->x) ?: ORDER(a->weight, b->weight))

void kde_sort(struct kde_sample *s, size_t n)
{
	sort(s, n, by_x);
}

double kde_quantile(const struct kde_sample *sorted, size_t n, double q)
{
	double first, length = 0, before = 0, last_place = 0;

	if (!n)
		return NAN;
	first = sorted[0].weight / 2;
	for (size_t i = 0; i < n; i++)
		length += sorted[i].weight;
	length -= first + sorted[n - 1].weight / 2;
	for (size_t i = 0; i < n; i++) {
		double place = before + sorted[i].weight / 2 - first;

		if (place >= q * length) {
			double gap = place - last_place;

			if (!i || gap <= 0)
				return sorted[i].x;
			return sorted[i].x -
			       (sorted[i].x - sorted[i - 1].x) * (place - q * length) / gap;
		}
		last_place = place;
		before += sorted[i].weight;
	}
	return sorted[n - 1].x; /* rounding */
}

double kde_effective(const struct kde_sample *s, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += s[i].weight;
		squares += s[i].weight * s[i].weight;
	}
	return n ? sum * sum / squares : 0;
}

static double deviation(const struct kde_sample *s, size_t n)
{
	double sum = 0, squares = 0, mean = 0, off = 0;

	for (size_t i = 0; i < n; i++) {
		sum += s[i].weight;
		squares += s[i].weight * s[i].weight;
		mean += s[i].weight * s[i].x;
	}
	mean /= sum;
	for (size_t i = 0; i < n; i++)
		off += s[i].weight * (s[i].x - mean) * (s[i].x - mean);
	return sqrt(off / (sum - squares / sum));
}

double kde_bandwidth(const struct kde_sample *sorted, size_t n, double count, double floor)
{
	double iqr, sd, h;

	if (n < 2)
		return floor;
	sd = deviation(sorted, n);
	iqr = kde_quantile(sorted, n, 0.75) - kde_quantile(sorted, n, 0.25);
	h = 0.9 * fmin(sd, iqr / 1.34) * pow(count, -0.2);
	return h > floor ? h : floor; /* also where rounding made the deviation no number */
}

struct kde_grid kde_grid(double low, double high, double h)
{
	return (struct kde_grid){
		.from = low - 3 * h, .step = (high - low + 6 * h) / (KDE_CELLS - 1), .h = h};
}

/* Of a kernel with its middle at 0 and a bandwidth of 1. */
static double normal_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

/* One sample's share of each cell: the kernel's integral from one border to the next. */
static void add_sample(const struct kde_grid *g, const struct kde_sample *s, double p[KDE_CELLS])
{
	double border = g->from - g->step / 2;
	double first = floor((s->x - REACH * g->h - border) / g->step), below;
	size_t k = first > 0 ? (size_t)fmin(first, KDE_CELLS) : 0;

	below = normal_cdf((border + (double)k * g->step - s->x) / g->h);
	for (; k < KDE_CELLS && below < 1; k++) {
		double up_to = normal_cdf((border + (double)(k + 1) * g->step - s->x) / g->h);

		p[k] += s->weight * (up_to - below);
		below = up_to;
	}
}

void kde_cells(const struct kde_grid *g, const struct kde_sample *s, size_t n, double p[KDE_CELLS])
{
	double sum = 0;

	memset(p, 0, KDE_CELLS * sizeof(*p));
	for (size_t i = 0; i < n; i++)
		add_sample(g, &s[i], p);
	for (size_t k = 0; k < KDE_CELLS; k++)
		sum += p[k];
	for (size_t k = 0; k < KDE_CELLS && sum > 0; k++)
		p[k] /= sum;
}

double kde_cdf(const struct kde_sample *s, size_t n, double h, double x)
{
	double sum = 0, below = 0;

	for (size_t i = 0; i < n; i++) {
		sum += s[i].weight;
		below += s[i].weight * normal_cdf((x - s[i].x) / h);
	}
	return n ? below / sum : NAN;
}
