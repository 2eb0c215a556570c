// SPDX-License-Identifier: BSD-2-Clause
/* Findings: how one signal of a server stands, for the tracker. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	uint64_t own[LAT_BUCKETS], others[LAT_BUCKETS] = {0}, one[LAT_BUCKETS];
	size_t k = 0, n = sizeof(distributions) / sizeof(*distributions);

	while (k < n && distributions[k].signal != set->signal)
		k++;
	if (k == n ||
	    !window_histogram(r, set->members[m], distributions[k].op, distributions[k].part, own))
		return;
	for (size_t i = 0; i < set->n; i++) {
		if (i == m || !window_histogram(r, set->members[i], distributions[k].op,
						distributions[k].part, one))
			continue;
		for (size_t b = 0; b < LAT_BUCKETS; b++)
			others[b] += one[b];
	}
	e->p99 = p99_ms(own);
	e->p99_peers = p99_ms(others);
	e->w1 = exp(compare_w1(own, others, LAT_BUCKETS, LAT_SUB_BITS));
}

struct finding member_finding(const struct robust *r, const struct peerset *set, size_t m)
{
	const struct signal_row *row = &signals[set->signal];
	struct finding_about about = {.signal = set->signal,
				      .node = member_node(r, set->signal, set->members[m]),
				      .disk = member_disk(r, set->signal, set->members[m]),
				      .symptom = row->role == ROLE_SYMPTOM};
	struct finding e = track_finding(&set->track, m, about);

	e.value = signal_shown(row, e.value);
	e.peers = signal_shown(row, e.peers);
	return e;
}

int finding_note(const struct robust *r, const struct peerset *set, size_t m)
{
	struct finding e = member_finding(r, set, m);
	bool stronger;
	struct finding *at = track_add(r->track, &e, &stronger);

	if (!at)
		return -ENOMEM;
	/* of the window that ended when the evidence was strongest */
	if (stronger)
		put_distribution(r, set, m, at);
	return 0;
}
