/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Axes of a drawing that is 1000 x 1000 units large and is stretched to its place on the page; labels
 * are text in a drawing of their own over it, placed in % (axis_labels_begin()), so that none is stretched.
 */
#ifndef LIMPET_DRAW_AXIS_H
#define LIMPET_DRAW_AXIS_H

#include <stdint.h>
#include <stdio.h>

/* ln(v + c) of a value, so that equal ratios are equally far apart; c: below it differences are small. */
struct axis {
	double c;
	double lo, hi;	/* ln of what is at the bottom (left) and at the top (right) */
	int begin, end; /* units of those */
};

/* Takes in a value that is to be seen; those without a logarithm it does not. Begin with axis_start(). */
struct axis axis_start(double c, int begin, int end);
void axis_take(struct axis *a, double v);
/* After the last value: at least a factor 2 wide, and some air. */
void axis_finish(struct axis *a);
double axis_at(const struct axis *a, double v); /* units */

/* At most AXIS_TICKS round values in range, at least `apart` units from each other; how many. */
enum { AXIS_TICKS = 12 };
size_t axis_ticks(const struct axis *a, double apart, double out[AXIS_TICKS]);
/* Labels stand between these two, in the same element as the drawing. */
void axis_labels_begin(FILE *to);
void axis_labels_end(FILE *to);
/* Labels of ticks: texts of class x below a drawing, of class y on its left. */
void axis_values(FILE *to, const struct axis *a, const double *ticks, size_t n, char class);

/* Labels of time below a drawing of [from, to): texts of class x. */
void axis_time(FILE *to, int64_t from_ns, int64_t to_ns);

#endif
