/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Charts as SVG within HTML, of plain numbers and labels: they know nothing of what they show. Labels are
 * escaped here (html.h). All memory is the caller's.
 */
#ifndef LIMPET_DRAW_CHART_H
#define LIMPET_DRAW_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What the lines of a chart are: of one, the band of so many peers (0: none), their median. */
struct chart_key {
	const char *name;
	size_t peers;
	bool most; /* the band holds 80 % of them, not all */
	const char *median;
	bool flagged; /* some of it is flagged */
};

/* As part of a chart. */
void chart_key(FILE *to, const struct chart_key *k);

/* Column c is the time from first_ns + c bin_ns on. */
struct chart_span {
	int64_t first_ns, bin_ns;
	size_t columns;
};

struct chart_event {
	const char *what; /* "onset"; NULL: there is none */
	int64_t ns;
};

/* ---- chart_time.c: one over time, over the band of its peers ---------------------------------------- */

struct chart_time {
	const char *heading, *unit, *title, *text; /* text: for those who do not see it */
	struct chart_key key;
	struct chart_span span;
	const double *own, *median, *low, *high; /* by column; NaN: nothing */
	const bool *flagged;			 /* by column */
	double linear;				 /* logarithmic above this only; 0: everywhere */
	bool dated;				 /* events have their place above the drawing */
	struct chart_event events[2];		 /* the second is labelled one line lower */
};
void chart_time(FILE *to, const struct chart_time *c);

/* ---- chart_latency.c: distribution functions -------------------------------------------------------- */

struct chart_latency {
	const char *heading, *caption;
	struct chart_key key;
	size_t n;			       /* buckets */
	const double *end;		       /* where a bucket ends */
	const float *own, *peers, *low, *high; /* shares in this bucket or below, 0 … 1 */
	double own_half, own_most, peers_half, /* the median and the 99 % quantile: dots */
		peers_most;
};
void chart_latency(FILE *to, const struct chart_latency *c);

/* ---- chart_heat.c: many over time, a line each ------------------------------------------------------ */

struct chart_level {
	const char *class, *words; /* of the style sheet; of the key */
};

struct chart_strip {
	const char *name, *why; /* at its left and right */
	bool strong;		/* the name */
	const uint8_t *level;	/* by column: number of a level; 0: empty */
	const bool *marked;	/* by column: underlined */
};

struct chart_heat {
	struct chart_span span;
	const struct chart_level *levels; /* level 0 is empty, level 1 lies under all others */
	uint8_t n_levels;
	const char *marked, *empty; /* of the key */
	const struct chart_strip *strips;
	size_t named, rest; /* the first have names, these after them a thin line only */
};
/* With a key of the colours above it. */
void chart_heat(FILE *to, const struct chart_heat *c);

#endif
