/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures of many things at once, as parts of a drawing (svg.h): of plain numbers and labels. Each thing that is
 * drawn has a <title>. All memory is the caller's.
 */
#ifndef LIMPET_DRAW_LANES_H
#define LIMPET_DRAW_LANES_H

#include "svg.h"

/* What is said of bar i: svg_bar_title(). */
typedef void (*svg_tell)(struct svg *d, size_t i, const void *arg);

/* ---- lanes.c: bars over time in lines, the lines in rows with names ----------------------------------- */

enum { LANE_COLUMNS = 200 };

struct lane_bar {
	double from_s, to_s;
	size_t line;	   /* from the row's top */
	const char *class; /* svg.h */
};

struct lane_row {
	const char *name; /* NULL: none */
	size_t first, n;  /* of the bars */
	size_t lines;
	/* How many there are at once, of all and not only of those drawn, by column; NULL: it is not shown. */
	const float *density;
};

struct lanes {
	const struct lane_row *rows;
	size_t n_rows;
	const struct lane_bar *bars;
	double from_s, to_s, line_px;
	double most; /* the largest density of all rows */
	svg_tell tell;
	const void *arg;
};
void lanes(struct svg *d, const struct lanes *l);

/* ---- area.c: how many of each kind over time, one upon the other --------------------------------------- */

struct area_kind {
	const char *class, *words;
	const float *n; /* by column */
};

struct area {
	const struct area_kind *kinds;
	size_t n_kinds, columns;
	double from_s, to_s;
};
void area(struct svg *d, const struct area *a);

/* ---- flame.c: stacks, where something has more than its peers ------------------------------------------ */

struct flame_line {
	const char *text;  /* frames, the outermost first, with ';' between them */
	double own, peers; /* shares of all, from 0 to 1 */
};
/* Lines in order of their text. Widths are what is more than the peers' share; colours say which part of a frame
 * that is. */
void flame(struct svg *d, const struct flame_line *lines, size_t n);

/* ---- matrix.c: a heat map, rows with names, cells by their share of the largest ------------------------- */

struct matrix {
	const char *const *rows;
	const char *const *columns; /* their names are told by the cells only */
	size_t n_rows, n_columns;
	const double *at; /* bytes, n_rows x n_columns; NaN: not known */
	bool heads;	  /* the columns' names stand above them */
};
void matrix(struct svg *d, const struct matrix *m);

/* ---- matrix.c: of each thing two bars of parts, one of bytes above one of seconds ----------------------- */

struct stage_bars {
	char name[64];
	const double *bytes, *seconds; /* of each part; NaN: not known */
};
/* A part without a class is left out. The longest bars of bytes and of seconds are as long as each other. */
void stage_bars(struct svg *d, const struct stage_bars *s, size_t n, const struct svg_key *parts,
		size_t n_parts);

#endif
