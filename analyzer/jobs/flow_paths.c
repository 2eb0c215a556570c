// SPDX-License-Identifier: BSD-2-Clause
/* job_flow.h: how many realised paths there are: from every vertex without causes to every one without effects. */
#include <errno.h>

#include "internal.h"

/*
 * Ways from a source to each vertex, in the order of the numbers: an edge adds those of where it begins.
 * A vertex without any edge is on no way.
 */
int flow_count_paths(struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	double *ways = scratch_array(&room, f->n_vertices, sizeof(*ways));
	size_t e = 0;

	if (!ways)
		return -ENOMEM;
	/* edges are in the order of `from`, and all that end at a vertex come before those that begin there */
	for (uint32_t v = 0; v < f->n_vertices; v++) {
		double own = ways[v] > 0 ? ways[v] : 1;
		size_t first = e;

		for (; e < f->n_edges && f->edges[e].from == v; e++)
			ways[f->edges[e].to] += own;
		if (e == first)
			f->paths += ways[v];
	}
	return 0;
}
