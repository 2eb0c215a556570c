/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drawings that are as wide as their place and keep the size of their letters: across everything is in %, down
 * in px, so that one drawing is for a page of 400 px and one of 1400, alone or within HTML. No scripts. They know
 * nothing of what they show; text is escaped here (html.h). The caller owns all that it hands over.
 *
 *	err = svg_begin(&d);
 *	svg_text(&d, …); lanes(&d, …); …
 *	err = svg_end(&d, stdout, "what it is", true);
 */
#ifndef LIMPET_DRAW_SVG_H
#define LIMPET_DRAW_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct svg {
	FILE *body; /* NULL: there is no memory */
	char *text;
	size_t len;
	double y; /* px; where the next part begins: space between two is the caller's to add */
};

enum {
	SVG_FILLS = 8,	/* classes f0 … f7: states and stages */
	SVG_LEVELS = 5, /* classes d1 … d5: from little to much */
	SVG_LINE = 16,	/* px of a line of text */
};

/* d stays where it is until svg_end(), which is to be called even after -ENOMEM. 0 or -ENOMEM. */
int svg_begin(struct svg *d);
/* Prints it; alone: a file of its own. 0 or -ENOMEM. */
int svg_end(struct svg *d, FILE *to, const char *title, bool alone);
/* The style sheet that drawings within HTML need once; and in its element. */
const char *svg_sheet(void);
void svg_style(FILE *to);

enum svg_letter { SVG_PLAIN, SVG_BOLD, SVG_SOFT };
/* A line of text at x %, and one line down; text that is wider than its place is cut there. */
void svg_text(struct svg *d, double x, enum svg_letter letter, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The same where the rest of the line stays free: it does not go down. */
void svg_label(struct svg *d, double x, enum svg_letter letter, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Coloured squares and what they stand for, three a line. class: "f3". */
struct svg_key {
	const char *class, *words;
};
void svg_keys(struct svg *d, const struct svg_key *k, size_t n);

/* The class of a part of the most: "d0" of nothing, "d5" of all. */
const char *svg_level(double part, double most);

/* A rectangle of a class, from x % to to_x %, y and height in px from the drawing's top; with what it tells. */
void svg_bar(struct svg *d, const char *class, double x, double to_x, double y, double height);
void svg_bar_title(struct svg *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Seconds from one time to another under what was drawn; and thin lines over it, from y to here. */
void svg_seconds(struct svg *d, double from_s, double to_s, double y);

/* "1.5 GB", "31 kB", "-" */
enum { SVG_WORDS = 32 };
const char *svg_bytes(double bytes, char buf[SVG_WORDS]);
const char *svg_span(double s, char buf[SVG_WORDS]); /* "41.2 s", "35 min" */

#endif
