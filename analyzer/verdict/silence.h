/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server that stopped reporting: one rule, for recordings and for tables.
 *
 * A server is silent if it said nothing for a window up to the end of the data, a window being eight intervals of
 * 4 s (robust.h), and if at least half of its group said something. In a table the interval is the step of the server's
 * own rows, where that is longer. Where most of a group are silent, the data have a hole, or the clock of the server
 * that goes on is ahead: then none of them is. Recordings are looked at by rules.c and engine/incidents.c, tables by
 * engine/tables/tables_silence.c. Whatever was judged before, nobody knows how a silent server is now.
 *
 * Live there is a clock besides: a server is unheard if nothing of it has come for a minute, however many others are (watch.c).
 * Where all are, nothing can be judged, and what was told stands.
 */
#ifndef LIMPET_SILENCE_H
#define LIMPET_SILENCE_H

#include "verdict.h"

/* The server is silent, or unheard (why): it does not count as judged any more, nor do its parts. What stands against it in the
 * end stands, and where it was not judged the reason for that stays. 0 or -ENOMEM. */
int verdict_silent(struct verdict *a, size_t node, enum unjudged_why why);

#endif
