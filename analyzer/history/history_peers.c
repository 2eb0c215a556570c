// SPDX-License-Identifier: BSD-2-Clause
/* What a history asks of the engine while it holds a window: who is whose peer, and distributions. */
#include "history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

void history_attach(struct history *h, struct robust *r)
{
	h->engine = r;
	robust_observe(r, history_observe, h);
}

void history_sets(struct history *h, const struct robust *r)
{
	const struct panel *p;

	for (size_t i = 0; i < h->n_rows; i++)
		h->rows[i].set = SIZE_MAX;
	for (size_t i = 0; (p = robust_panel(r, i)); i++)
		for (size_t m = 0; m < p->n && !p->o.hidden; m++) {
			const struct history_row *row = history_find(
				h, p->members[m].node, p->members[m].disk, p->o.signal);

			if (row)
				h->rows[row - h->rows].set = i;
		}
}

/* The band of n distribution functions, cdf[i * LAT_BUCKETS + bucket]. */
static int band(struct history_dist *d, const float *cdf, size_t n)
{
	float *one = malloc((n + 1) * sizeof(*one));
	size_t cut = n > HISTORY_ALL ? n / 10 : 0;

	if (!one)
		return -ENOMEM;
	for (size_t b = 0; b < LAT_BUCKETS; b++) {
		for (size_t i = 0; i < n; i++)
			one[i] = cdf[i * LAT_BUCKETS + b];
		sort(one, n, by_float);
		d->low[b] = n ? one[cut] : 0;
		d->high[b] = n ? one[n - 1 - cut] : 0;
	}
	free(one);
	return 0;
}

int history_take(const struct robust *r, struct history_dist *d)
{
	const size_t set = robust_panel_of(r, d->node, d->disk, (enum signal)d->signal);
	const struct panel *p = robust_panel(r, set);
	size_t members = p ? p->n : 0;
	int op = d->signal == SIG_READ || d->signal == SIG_READ_DEVICE ? OP_READ : OP_WRITE, err;
	enum lat_part part =
		d->signal == SIG_READ || d->signal == SIG_WRITE ? PART_WHOLE : PART_DEVICE;
	float *cdf = malloc((members + 1) * LAT_BUCKETS * sizeof(*cdf));
	uint64_t at[LAT_BUCKETS];

	if (!cdf)
		return -ENOMEM;
	memset(d->own, 0, sizeof(d->own));
	memset(d->peers, 0, sizeof(d->peers));
	d->n_peers = 0;
	for (size_t m = 0; m < members; m++) {
		const struct panel_member *of = &p->members[m];
		uint64_t n = robust_latency(r, set, m, op, part, at);
		double sum = 0;

		if (of->node == d->node && !strcmp(of->disk, d->disk)) {
			memcpy(d->own, at, sizeof(at));
			continue;
		}
		for (size_t b = 0; b < LAT_BUCKETS && n; b++) {
			d->peers[b] += at[b];
			sum += (double)at[b];
			cdf[d->n_peers * LAT_BUCKETS + b] = (float)(sum / (double)n);
		}
		d->n_peers += n > 0;
	}
	err = band(d, cdf, d->n_peers);
	free(cdf);
	return err;
}
