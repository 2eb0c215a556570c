/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verdicts on jobs that are not over change with every task that ends: what is told is what three of the last five looks
 * said, so that no server is opened and over within seconds. A look more or less is no news; what lies back when watching
 * begins is taken as it is.
 */
#ifndef LIMPET_WATCH_VOTES_H
#define LIMPET_WATCH_VOTES_H

#include "analyzer/verdict/verdict.h"

enum { VOTES_NEEDED = 3, VOTES_OF = 5 };

struct votes {
	struct vote {
		char server[HOST_LEN];
		unsigned int looks; /* a bit each, of the last: it was indicted */
	} * at;			    /* by name */
	size_t n;
};

/*
 * Takes in what a look at jobs says, and changes it: of a server that was indicted too seldom yet an incident is suspicious, and
 * one that is suspicious only now and was indicted often enough indicts. at_once: of this look as it is. 0 or -ENOMEM.
 */
int votes_take(struct votes *v, struct verdict *jobs, bool at_once);
/* Whether the next look may say something else of the same data. */
bool votes_pending(const struct votes *v);
void votes_release(struct votes *v); /* takes a zeroed one */

#endif
