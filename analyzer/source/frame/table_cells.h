/* SPDX-License-Identifier: BSD-2-Clause */
/* What frame_table.c lays out and table_cells.c fills; for these two only. */
#ifndef LIMPET_TABLE_CELLS_H
#define LIMPET_TABLE_CELLS_H

#include <sys/types.h>

#include "analyzer/source/tables/table.h"

struct table_grid {
	const struct table *t;
	ssize_t *metric; /* of the table's metrics: the frame's number, -1: not in it */
	size_t *row;	 /* of the table's nodes: the frame's number */
	int64_t first_ns, last_ns;
	uint32_t first_node, last_node;
	int64_t limit_ns; /* where column 0 begins */
	size_t n_times, n_metrics;
	double **v;	  /* n_metrics: nodes x n_times */
	uint8_t *there;	  /* nodes x n_times */
	uint64_t damaged; /* values over 1e18 */
};

/* Fills v and there from the samples in [from, to). 0 or -ENOMEM. */
int table_cells(struct table_grid *g, int64_t from_ns, int64_t to_ns);

#endif
