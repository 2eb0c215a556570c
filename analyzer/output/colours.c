// SPDX-License-Identifier: BSD-2-Clause
/* colours.h: the table of colours, and whether they are wanted. */
#include "colours.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/options.h"

const char *const colour_codes[COLOURS] = {
	[COLOUR_NONE] = "\033[0m",
	[COLOUR_GOOD] = "\033[32m",
	[COLOUR_WARN] = "\033[33m",
	[COLOUR_BAD] = "\033[1;31m",
};

static bool on;

/* https://no-color.org: set, and not empty */
static bool are_colours_usual(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!no || !*no) && term && *term && strcmp(term, "dumb");
}

int colours_choose(const char *when)
{
	if (!when || !strcmp(when, "auto")) {
		on = are_colours_usual();
	} else if (!strcmp(when, "always") || !strcmp(when, "never")) {
		on = *when == 'a';
	} else {
		return fail("'--color %s': auto, always or never is needed", when);
	}
	return 0;
}

bool colours_are_on(void)
{
	return on;
}

const char *colour_begin(enum colour c)
{
	return on && c ? colour_codes[c] : "";
}

const char *colour_end(enum colour c)
{
	return on && c ? colour_codes[COLOUR_NONE] : "";
}
