/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame: every node, metric and interval as one number, on a grid of wall-clock intervals so
 * that peers align. What every method works on, whatever the source was.
 *
 * The instances of one node (its disks, its interfaces) become one value per interval as the metric
 * table says: sum, maximum, or the mean weighted by another metric. await is weighted by its rate,
 * so a second without I/O has no await: NaN, not 0. An instance whose weight was not measured
 * counts once.
 *
 * The grid spans all of the time asked for, but only a slice of it is held at once, so that a day of
 * a thousand hosts needs no more memory than an hour: frame_open() lays the grid out, frame_slice()
 * holds some columns of it. Column numbers are always those of the whole grid.
 *
 * A part is a frame of some of the nodes (peers of each other); it shares the cells of its whole and
 * so always holds the same slice.
 */
#ifndef LIMPET_FRAME_H
#define LIMPET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "userspace/metrics/metrics.h"
#include "analyzer/source/source.h"

struct frame_metric {
	char name[METRIC_NAME_LEN];
	int known;	  /* an enum metric_id; -1: the limpet metric table has no such name */
	const char *unit; /* "" where unknown */
	enum metric_worse worse;
	double floor; /* 0: none */
	int decimals;
	bool asked;   /* for by name, with --metric */
	bool counter; /* of a table: the rate of a column that only grows */
};

/* Stands for a verdict on all metrics together; frame_metric() knows it. */
#define METRIC_ALL SIZE_MAX

struct frame_cells; /* what is held; shared by a frame and its parts */

struct frame {
	size_t n_nodes, n_times, n_metrics;
	unsigned int interval_ms;
	int64_t first_ns;	 /* wall clock of column 0 */
	char (*nodes)[HOST_LEN]; /* ascending */
	struct frame_metric *metrics;
	size_t *row; /* n_nodes: the node's number in the whole frame (i where this is it) */
	struct frame_cells *cells;
	bool part;	     /* metrics and cells are the whole frame's */
	uint64_t duplicates; /* seconds that came again (clock stepped back): the first one won */
	uint64_t lost;	     /* records the probes lost, as they counted them */
	uint64_t damaged;    /* values no measurement can be (infinite, over 1e18): missing */
	uint64_t *n_seen;    /* n_nodes: intervals with data, of the slices held so far */
};

struct frame_cells {
	size_t at, held;  /* columns [at, at + held) are here */
	size_t stride;	  /* doubles from one node's row to the next */
	size_t offset;	  /* of column `at` in a row */
	double **v;	  /* n_metrics: nodes x stride, NaN missing */
	uint8_t *there;	  /* nodes x stride: whether the node has anything in this interval */
	bool whole;	  /* all of the grid is here, which is a table's: a slice is a view of it */
	int64_t limit_ns; /* of a table: where column 0 begins */
	unsigned int threads;	       /* of the methods, and of reading series files */
	const struct sources *sources; /* series files; with these, how they are read: */
	bool progress;
	int64_t from_ns, to_ns; /* what was asked for: the grid may begin before and end after */
	size_t next; /* columns from here on were never held: what they count is not counted yet */
};

/* More than this is refused: a clock gone wrong, not a recording. */
enum { FRAME_METRICS_MAX = 1024 };
#define FRAME_CELLS_MAX ((size_t)1 << 28) /* 2 GiB of doubles: a table, a slice */
/* A large grid must not be nearly empty: two damaged seconds, far apart, would cost hours. */
#define FRAME_SPARSE_CELLS ((size_t)1 << 24)
enum { FRAME_SPARSE_FACTOR = 1000 };

struct frame_opts {
	int64_t from_ns, to_ns; /* seconds in [from, to) */
	/* M_COUNT: what to read of series files and of sysstat's. Of other tables: every column. */
	const bool *wanted;
	const struct string_list *asked; /* metrics asked for by name; NULL or empty: none */
	bool progress; /* say on stderr, if it is a terminal, how far reading has come */
	unsigned int threads;
};

/*
 * Lays out nodes, metrics and time; holds nothing yet. The sources must outlive the frame.
 * 0, or negative errno after a message: -ENODATA if there is nothing in this time, -EINVAL if the
 * hosts do not fit one grid (of series files, all have one interval: sources_one_interval()). On error the frame is empty.
 */
int frame_open(struct frame *f, const struct sources *s, const struct frame_opts *o);
void frame_release(struct frame *f); /* takes a zeroed one; of a part, only what is its own */

/* Holds columns [from, to) and nothing else; of the whole frame only. 0, or negative errno after a
 * message; -EBADMSG, without one, if series files are damaged: each has a `why`
 * (sources_drop_unreadable()). */
int frame_slice(struct frame *f, size_t from, size_t to);

/* How many columns can be held at once within `bytes`; at least 1. */
size_t frame_columns(const struct frame *f, size_t bytes);

/* A frame of these nodes (ascending) of `whole`, which must outlive it. 0 or -ENOMEM. */
int frame_part(struct frame *part, const struct frame *whole, const size_t *nodes, size_t n);

/* Of the intervals held, in how many of [from, to) at least `nodes` nodes have data. */
size_t frame_common(const struct frame *f, size_t from, size_t to, uint32_t nodes);

/* Whether a node had data in any slice so far, and how many had. */
bool frame_has(const struct frame *f, size_t node);
size_t frame_alive(const struct frame *f);

/* Prints what was wrong with the data, a line each: duplicates, losses, damage. Else nothing. */
void frame_report(const struct frame *f);

int64_t frame_time(const struct frame *f, size_t column);

/* Never NULL: METRIC_ALL has a row too. */
const struct frame_metric *frame_metric(const struct frame *f, size_t metric);
/* SIZE_MAX if the frame has no metric of that name. */
size_t frame_find(const struct frame *f, const char *name);
/* Fills a row from limpet's table of metrics, or as a column nobody knows. */
void frame_name(struct frame_metric *m, const char *name);

/* The value at column c (of the whole grid, and held) is frame_row(f, m, node)[c - cells->at]. */
static inline const double *frame_row(const struct frame *f, size_t m, size_t node)
{
	const struct frame_cells *c = f->cells;

	return c->v[m] + f->row[node] * c->stride + c->offset;
}

#endif
