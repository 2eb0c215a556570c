// SPDX-License-Identifier: BSD-2-Clause
/* Findings: their distributions, for the tracker. */
#include <math.h>

#include "inside.h"

static const struct {
	enum signal signal;
	int op;
	enum lat_part part;
} distributions[] = {
	{SIG_READ, OP_READ, PART_WHOLE},
	{SIG_WRITE, OP_WRITE, PART_WHOLE},
	{SIG_READ_DEVICE, OP_READ, PART_DEVICE},
	{SIG_WRITE_DEVICE, OP_WRITE, PART_DEVICE},
};

static double p99_ms(const uint64_t *at)
{
	return hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.99) * (1 << LAT_SHIFT) / 1e6;
}

/* The tail and the distance of distributions against all peers together. */
static void put_distribution(const struct robust *r, const struct peerset *set, size_t m,
			     struct finding *e)
{
	const struct panel *panel = &set->panel;
	uint64_t own[LAT_BUCKETS], others[LAT_BUCKETS] = {0}, one[LAT_BUCKETS];
	size_t k = 0, n = sizeof(distributions) / sizeof(*distributions);

	while (k < n && distributions[k].signal != set->signal)
		k++;
	if (k == n || !window_histogram(r, panel->members[m].number, distributions[k].op,
					distributions[k].part, own))
		return;
	for (size_t i = 0; i < panel->n; i++) {
		if (i == m || !window_histogram(r, panel->members[i].number, distributions[k].op,
						distributions[k].part, one))
			continue;
		for (size_t b = 0; b < LAT_BUCKETS; b++)
			others[b] += one[b];
	}
	e->p99 = p99_ms(own);
	e->p99_peers = p99_ms(others);
	e->w1 = exp(compare_w1(own, others, LAT_BUCKETS, LAT_SUB_BITS));
}

struct gathered {
	const struct robust *r;
	const struct peerset *set;
};

/* Of the window that ended when the evidence was strongest. */
static int on_stronger(void *arg, size_t m, struct finding *e)
{
	const struct gathered *g = arg;

	put_distribution(g->r, g->set, m, e);
	return 0;
}

int findings_gather(struct robust *r, const struct peerset *set)
{
	struct gathered g = {r, set};

	return panel_gather(&set->panel, r->track, on_stronger, &g);
}
