/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours of the few words that matter, in text and in the live view; in files and pipes there are none by default. */
#ifndef LIMPET_COLOURS_H
#define LIMPET_COLOURS_H

#include <stdbool.h>

enum colour { COLOUR_NONE, COLOUR_GOOD, COLOUR_WARN, COLOUR_BAD, COLOURS };

/* Of ANSI; COLOUR_NONE ends the others. */
extern const char *const colour_codes[COLOURS];

/* The row of a command's options. */
#define COLOUR_OPTION(offset)                                                             \
	{                                                                                 \
		0, "color", OPT_STRING, offset, "auto|always|never",                      \
			"colours of the words that matter (auto: on a terminal, without " \
			"NO_COLOR)",                                                      \
			0, 0                                                              \
	}

/* For the whole program, which has none before; NULL: auto. 0, or -EINVAL after a message. */
int colours_choose(const char *when);
bool colours_are_on(void);
/* What stands before a word, and after it: "" without colours. */
const char *colour_begin(enum colour c);
const char *colour_end(enum colour c);

#endif
