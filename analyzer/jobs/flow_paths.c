// SPDX-License-Identifier: BSD-2-Clause
/* job_flow.h: how many realised paths there are: from every vertex without causes to every one without effects. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "internal.h"

/*
 * Ways from a source to each vertex, in the order of the numbers: an edge adds those of where it begins.
 * A vertex without any edge is on no way.
 */
int flow_count_paths(struct job_flow *f)
{
	double *ways = calloc(f->n_vertices + 1, sizeof(*ways));
	bool *has_effect = calloc(f->n_vertices + 1, sizeof(*has_effect));
	size_t e = 0;

	if (!ways || !has_effect) {
		free(ways);
		free(has_effect);
		return -ENOMEM;
	}
	/* edges are in the order of `from`, and all that end at a vertex come before those that begin there */
	for (uint32_t v = 0; v < f->n_vertices; v++) {
		double own = ways[v];

		for (; e < f->n_edges && f->edges[e].from == v; e++) {
			own = own > 0 ? own : 1;
			has_effect[v] = true;
			ways[f->edges[e].to] += own;
		}
		if (!has_effect[v])
			f->paths += ways[v];
	}
	free(ways);
	free(has_effect);
	return 0;
}
