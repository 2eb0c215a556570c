/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For which sources an option has a meaning: a table. An option that would do nothing is refused, with what would work.
 */
#ifndef LIMPET_MEANING_H
#define LIMPET_MEANING_H

/* What a command found, as it reads it. */
enum meant_for {
	MEANT_SERIES = 1, /* series files, interval by interval */
	MEANT_TABLES = 2,
	MEANT_LOGS = 4,
	MEANT_SERIES_FRAMES = 8, /* by a method on frames */
	MEANT_TABLES_FRAMES = 16,
	MEANT_GROWING_LOGS = 32, /* by `limpet watch` */
	MEANT_SYSSTAT = 64,	 /* tables whose columns are known */
};

/* Whether every option of the line that was parsed has a meaning for what was found (bits of the above; 0: nothing, and then
 * another message says so). 0, or -EINVAL after a message. */
int options_meant(unsigned int found);

#endif
