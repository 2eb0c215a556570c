/* SPDX-License-Identifier: BSD-2-Clause */
/* The live view: who limps and why, and all servers side by side, on one screen. */
#ifndef LIMPET_WATCH_VIEW_H
#define LIMPET_WATCH_VIEW_H

#include "screen.h"
#include "watch.h"

/* The last changes, newest first. */
enum { VIEW_LATELY = 32 };
struct view_lately {
	char at[VIEW_LATELY][256];
	size_t n;
};
void view_remember(struct view_lately *l, const struct change *c);

/* What the keys have chosen of the table. Zeroed: nothing, the odd servers first. Nodes keep their number, so
 * the chosen server stays chosen when the order changes. */
struct view_choice {
	bool any, by_name;
	size_t node; /* if any */
	size_t top;  /* the first line shown */
	size_t page; /* lines shown, as last drawn */
	long move;   /* lines to move when drawn next */
};
/* Takes a key (keys.h). False: it means nothing to the table. */
bool view_key(struct view_choice *choice, int key);

/* Draws on an empty screen. notice: what is wrong with the files at present, or "". */
void view_draw(struct screen *s, const struct watch *w, const struct view_lately *lately,
	       const char *notice, struct view_choice *choice, int64_t now_ns);

/* view_table.c: from `row` on, within `most` rows; how many it took. */
size_t view_table(struct screen *s, size_t row, size_t most, const struct watch *w,
		  struct view_choice *choice);

/* "20:05:30" of a time. */
const char *view_clock(int64_t ns, char buf[16]);

#endif
