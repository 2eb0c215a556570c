/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A screen in memory: text is put at places and cut at the edges, whatever comes; and then written out
 * with ANSI escapes. Only printable ASCII ever stands in it.
 */
#ifndef LIMPET_WATCH_SCREEN_H
#define LIMPET_WATCH_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum screen_look {
	LOOK_PLAIN,
	LOOK_BOLD,
	LOOK_DIM,
	LOOK_GOOD,
	LOOK_WARN,
	LOOK_BAD,
	LOOK_BAR,
	LOOKS
};

struct screen {
	size_t rows, cols;
	char *text;	     /* rows * cols */
	unsigned char *look; /* likewise: enum screen_look */
};

/* Rows and columns are taken as 1 … SCREEN_MAX. 0 or -ENOMEM. */
enum { SCREEN_MAX = 1000 };
int screen_init(struct screen *s, size_t rows, size_t cols);
void screen_release(struct screen *s); /* takes a zeroed one */

void screen_put(struct screen *s, size_t row, size_t col, enum screen_look look, const char *format,
		...) __attribute__((format(printf, 5, 6)));
/* From `row` on at most `most` rows of words, those after the first `hang` columns to the right; what
 * finds no place ends in "...". Lines end where those of text_print() do (text.h). Returns how many rows it took: 0 if
 * `most` is. */
size_t screen_flow(struct screen *s, size_t row, size_t most, size_t hang, enum screen_look look,
		   const char *text);
/*
 * A text longer than its part of the screen: `rows` of it from `row` on show its lines from `top` on. It is put line by
 * line, and all of its lines are counted.
 */
struct screen_roll {
	struct screen *s;
	size_t row, rows, top;
	size_t n; /* lines so far */
};
/* As screen_flow(), from its next line on. */
void screen_roll(struct screen_roll *r, size_t hang, enum screen_look look, const char *text);
/* A new line, for screen_put(): its row, beyond the screen if it is not shown. */
size_t screen_roll_line(struct screen_roll *r);

/* One line, of all columns, in one look. */
void screen_bar(struct screen *s, size_t row, enum screen_look look, const char *text);

/* All of it, over what stands there. colour: with colours; else bold and the bar alone. */
void screen_write(const struct screen *s, bool colour, FILE *to);

#endif
