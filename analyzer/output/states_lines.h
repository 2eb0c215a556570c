/* SPDX-License-Identifier: BSD-2-Clause */
/* What `limpet states` prints of each state, on standard output. */
#ifndef LIMPET_STATES_LINES_H
#define LIMPET_STATES_LINES_H

#include "analyzer/source/logs/states.h"

/* "" where a log does not say. */
static inline const char *states_name(const struct names *names, uint32_t i)
{
	return i == STATE_NONE ? "" : names->at[i];
}

void states_csv_header(void);
/* A line; a name with a comma or a quote is quoted as in RFC 4180. */
void state_print_csv(const struct states *s, const struct state *st);
/* An object; what a log does not say has no key. */
void state_print_json(const struct states *s, const struct state *st);
/* Lines in words: from a task to its data and to its line in the log. */
void state_print_words(const struct states *s, const struct state *st);

#endif
