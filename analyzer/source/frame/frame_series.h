/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame's cells from series files; for frame.c only. Each 0 or negative errno, after a message
 * unless it is -ENOMEM. */
#ifndef LIMPET_FRAME_SERIES_H
#define LIMPET_FRAME_SERIES_H

#include "frame.h"

int frame_open_series(struct frame *f, const struct sources *s, const struct frame_opts *o);
int frame_slice_series(struct frame *f, size_t from, size_t to);
void frame_release_series(struct frame_cells *c, size_t n_metrics);

#endif
