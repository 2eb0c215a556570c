/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of the tracker in words: a line for each. Prints nothing. */
#ifndef LIMPET_WATCH_CHANGES_H
#define LIMPET_WATCH_CHANGES_H

#include "analyzer/output/colours.h"
#include "analyzer/track/track.h"

struct change {
	struct track_event event;
	char server[HOST_LEN]; /* as on a terminal: clean; "" of none */
	const char *cause;  /* a word: of an incident the cause, of a notice its kind; "" of none */
	struct text text;   /* one line of text (text_clean.h) */
	enum status status; /* of the server, now; STATUS_UNJUDGED of none in particular */
};

extern const struct event_row {
	const char *word;					/* "opened", … */
	bool alerts;						/* is for the alert program */
	void (*put)(struct change *c, const struct verdict *a); /* into text, and the cause */
	enum colour colour;					/* of the word */
} event_rows[EVENT_KINDS];

/* A subscriber of events that puts each into words, and hands it on. */
struct change_to {
	int (*fn)(void *arg, const struct verdict *a, const struct change *c);
	void *arg;
};
track_fn change_event; /* arg: a struct change_to. -ENOMEM, or what fn returned */

#endif
