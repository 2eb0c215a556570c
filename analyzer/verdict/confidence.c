// SPDX-License-Identifier: BSD-2-Clause
/* confidence.h: the table. */
#include "confidence.h"

#include <math.h>

/*
 * The first row whose bounds hold tells the share that is right. The bounds were chosen on simulated runs of seeds
 * of their own. What came of them on others is in tools/evaluation/RESULTS.md, "How sure, and how often right"; of
 * suspicions there were too few to know.
 */
static const struct row {
	double margin, peers, df; /* at least, where known */
	size_t doubts;		  /* at most */
	bool suspicious;	  /* also of those */
	double right;
} table[] = {
	{1.5, 0, 0, 0, false, 0.98},
	{0, 0, 0, SIZE_MAX, false, 0.93},
	{0, 0, 0, SIZE_MAX, true, 0.8},
};

enum { ROWS = sizeof(table) / sizeof(*table) };

static bool holds(const struct row *r, const struct confidence_basis *b)
{
	return !(b->margin < r->margin) && (!b->peers || b->peers >= r->peers) &&
	       !(b->df < r->df) && b->doubts <= r->doubts && (!b->suspicious || r->suspicious);
}

double confidence_of(const struct confidence_basis *b)
{
	size_t i = 0;

	while (i < ROWS - 1 && !holds(&table[i], b))
		i++;
	return table[i].right;
}

double confidence_of_incident(const struct incident *in)
{
	const struct finding *e = in->n_findings ? in->findings : NULL;
	struct confidence_basis b = {.margin = e && e->needs > 0 ? e->score / e->needs : NAN,
				     .peers = e ? e->n_peers : 0,
				     .df = e && e->needs > 0 ? e->df : NAN,
				     .doubts = in->n_doubts,
				     .suspicious = in->suspicious};

	return confidence_of(&b);
}
