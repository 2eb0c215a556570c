/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame's cells from a table; for frame.c only. Each 0 or negative errno, after a message unless it
 * is -ENOMEM.
 *
 * Columns are as wide as the table's step (table_finish()), and lie so that their limits are where the
 * fewest samples are near: data that come every 15 s, jittering by a second, fall into the middle of
 * a column each. A column is named after the time of its samples.
 *
 * Values of one node, metric and instance in one column are averaged. The instances of a node, and
 * those of sysstat's devices, then become one value: of limpet's own metrics as frame.h says, of other
 * counters the sum, of anything else the mean. State durations: the mean of all that lie in the column.
 */
#ifndef LIMPET_TABLE_GRID_H
#define LIMPET_TABLE_GRID_H

#include "frame.h"

/* Fills nodes, metrics, times and all of the cells; `cells` is there, and zeroed. */
int frame_open_table(struct frame *f, const struct sources *s, const struct frame_opts *o);
void frame_release_table(struct frame_cells *c);

#endif
