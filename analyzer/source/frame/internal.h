/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame's cells from series files and from a table. Functions that return a number: 0 or negative errno, after a
 * message unless it is -ENOMEM.
 */
#ifndef LIMPET_FRAME_INTERNAL_H
#define LIMPET_FRAME_INTERNAL_H

#include <sys/types.h>

#include "frame.h"

#define VALUE_MAX 1e18 /* larger ones are damage, and their sums would overflow */

/* Room for `columns` columns of all nodes and metrics, instead of what there was. 0 or -ENOMEM. */
int frame_cells_make(struct frame *f, size_t columns);
/* All of it is missing. */
void frame_cells_clear(struct frame *f);

static inline bool is_asked_for(const struct frame_opts *o, const char *name)
{
	return o->asked && string_list_has(o->asked, name);
}

/* ---- series files: frame_series.c ------------------------------------------------------------- */

int frame_open_series(struct frame *f, const struct sources *s, const struct frame_opts *o);
int frame_slice_series(struct frame *f, size_t from, size_t to);

/* ---- a table: frame_table.c ------------------------------------------------------------------- */

/*
 * Fills nodes, metrics, times and all of the cells; `cells` is there, and zeroed.
 *
 * Columns are as wide as the table's step (table_finish()), and lie so that their limits are where the
 * fewest samples are near: data that come every 15 s, jittering by a second, fall into the middle of
 * a column each. A column is named after the time of its samples.
 *
 * Values of one node, metric and instance in one column are averaged. The instances of a node, and
 * those of sysstat's devices, then become one value: of limpet's own metrics as frame.h says, of other
 * counters the sum, of anything else the mean. State durations: the mean of all that lie in the column.
 */
int frame_open_table(struct frame *f, const struct sources *s, const struct frame_opts *o);

/* The way of a table's samples into the frame's cells. */
struct table_grid {
	const struct table *t;
	const struct frame_opts *o;
	struct frame *f;
	ssize_t *metric; /* of the table's metrics: the frame's number, -1: not in it */
	size_t *row;	 /* of the table's nodes: the frame's number */
	int64_t first_ns, last_ns;
	uint32_t first_node, last_node;
};

/* Whether it lies in the time asked for. */
static inline bool grid_has_time(const struct table_grid *g, int64_t time_ns)
{
	return time_ns >= g->o->from_ns && time_ns < g->o->to_ns;
}

/* table_cells.c: fills the cells from the samples in the time asked for. 0 or -ENOMEM. */
int table_cells(struct table_grid *g);

#endif
