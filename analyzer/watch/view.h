/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The live view: who limps and why, and all servers side by side, on one screen. Two pages lie over it while they are open:
 * one server alone, and above that the keys. Keys choose, drawing shows what they have chosen:
 *
 *   table  Enter -> server  ? -> keys     ? -> keys, and the page before when it is closed
 *   table  / -> typing      Enter -> table of these servers      Escape -> table of all
 */
#ifndef LIMPET_WATCH_VIEW_H
#define LIMPET_WATCH_VIEW_H

#include "screen.h"
#include "watch.h"
#include "userspace/common/text_clean.h"

/* A name as it is shown: of one that nobody sees each character takes so many. */
enum { VIEW_NAME_LEN = HOST_LEN * TEXT_SHOWN_LEN };

/* The last changes, newest first. */
enum { VIEW_LATELY = 32 };
struct view_lately {
	char at[VIEW_LATELY][256];
	size_t n;
};
void view_remember(struct view_lately *l, const struct change *c);

/* Lines that scroll; zeroed: closed. */
struct view_page {
	bool open;
	size_t top;	   /* the first line shown */
	size_t lines, fit; /* of it, and rows for them, as last drawn */
};

/* What the keys have chosen. Zeroed: the table of all servers, the odd ones first. Nodes keep their number, so
 * the chosen server stays chosen when the order changes. */
struct view_choice {
	bool any;
	size_t node;		 /* if any */
	size_t top;		 /* the first line shown */
	size_t listed, fit;	 /* lines there are, and rows for them, as last drawn */
	long move;		 /* lines to move when drawn next */
	size_t order;		 /* a row of view_orders[] */
	bool typing;		 /* part of a name */
	char part[HOST_LEN];	 /* servers with it in their names are listed; "": all */
	struct view_page server; /* the chosen one alone */
	struct view_page keys;
};

/* view_keys.c: takes a key (keys.h). */
enum view_meant { VIEW_NOTHING, VIEW_CHANGED, VIEW_QUIT };
enum view_meant view_key(struct view_choice *choice, const struct watch *w, int key);
/* The page of keys; and the last line of the screen, which tells the most important ones. */
void view_help(struct screen_roll *r);
void view_last_line(struct screen *s, size_t row, const struct watch *w,
		    const struct view_choice *choice);

/* Draws on an empty screen. notice: what is wrong with the files at present, or "". */
void view_draw(struct screen *s, const struct watch *w, const struct view_lately *lately,
	       const char *notice, struct view_choice *choice, int64_t now_ns);

/* view_table.c: from `row` on, within `most` rows; how many it took. */
size_t view_table(struct screen *s, size_t row, size_t most, const struct watch *w,
		  struct view_choice *choice, int64_t now_ns);
/* Moves as the keys said; before what is listed changes. Whether the chosen server is listed; first: if none was chosen, the
 * first line shown is. */
bool view_choose(struct view_choice *choice, const struct watch *w, bool first);
extern const size_t view_n_orders;

/* view_server.c: all that is known of one server of the engine. */
void view_server(struct screen_roll *r, const struct watch *w, size_t node, int64_t now_ns);

/* "20:05:30" of a time. */
const char *view_clock(int64_t ns, char buf[16]);
/* view_server.c: what an open or past incident says below its headline: since when, how sure, doubts, a guess. */
const char *view_state(struct text *t, const struct incident *x, int64_t now_ns);

#endif
