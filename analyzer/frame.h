/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame: every node, metric and interval as one number, on a grid of wall-clock seconds so that
 * peers align. What every method works on, whatever the source was.
 *
 * The instances of one node (its disks, its interfaces) become one value per second as the metric
 * table says: sum, maximum, or the mean weighted by another metric. await is weighted by its rate,
 * so a second without I/O has no await: NaN, not 0. An instance whose weight was not measured
 * counts once.
 */
#ifndef LIMPET_FRAME_H
#define LIMPET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"

struct frame {
	size_t n_nodes, n_times;
	unsigned int interval_ms;
	int64_t first_ns;	 /* wall clock of column 0 */
	char (*nodes)[HOST_LEN]; /* ascending */
	double *v[M_COUNT];	 /* n_nodes x n_times, NaN missing; NULL where not asked for */
	uint32_t *present;	 /* n_times: how many nodes have this second */
	uint64_t duplicates; /* seconds that came again (clock stepped back): the last one won */
	uint64_t lost;	     /* records the probes lost, as they counted them */
	uint64_t damaged;    /* values no measurement can be (infinite, over 1e18): missing */
};

/* More than this is refused: a clock gone wrong, not a recording. */
enum { FRAME_DAYS_MAX = 400, FRAME_NODES_MAX = 100000 };
#define FRAME_CELLS_MAX ((size_t)1 << 28) /* 2 GiB of doubles */
/* A large grid must not be nearly empty: two damaged seconds, far apart, would cost gigabytes. */
#define FRAME_SPARSE_CELLS ((size_t)1 << 24)
enum { FRAME_SPARSE_FACTOR = 1000 };

struct frame_opts {
	int64_t from_ns, to_ns; /* seconds in [from, to) */
	const bool *wanted;	/* M_COUNT: which metrics to load */
};

/*
 * 0, or negative errno after a message: -ENODATA if there is nothing in this time, -EINVAL if the
 * hosts do not fit one grid. On error the frame is empty.
 */
int frame_load(struct frame *f, const struct sources *s, const struct frame_opts *o);
void frame_release(struct frame *f); /* takes a zeroed one */

/* In how many seconds at least `nodes` nodes have data. */
size_t frame_common(const struct frame *f, uint32_t nodes);

/* Of the windows of the grid, those where at least `nodes` nodes have data in half of the seconds:
 * between two recordings there are windows that hold nothing. */
size_t frame_windows(const struct frame *f, uint32_t nodes, unsigned int window,
		     unsigned int shift);

/* Whether a node has data at all, and how many have. */
bool frame_has(const struct frame *f, size_t node);
size_t frame_alive(const struct frame *f);

/* Prints what was wrong with the data, a line each: duplicates, losses, damage. Else nothing. */
void frame_report(const struct frame *f);

int64_t frame_time(const struct frame *f, size_t column);

static inline const double *frame_row(const struct frame *f, enum metric_id m, size_t node)
{
	return f->v[m] + node * f->n_times;
}

#endif
