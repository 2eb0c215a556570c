/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which hosts talk to one server alone. Clients of a file system that is spread over servers use all of
 * them: what is exchanged with a host that only one server knows is others' traffic, over whatever socket.
 */
#ifndef LIMPET_SIGNAL_TALKERS_H
#define LIMPET_SIGNAL_TALKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/interval/interval.h"

/* Whether a host with which a server exchanged `here` kB, and any other of its group at most `elsewhere`, is
 * such a one. */
bool talker_is_lone(const char *addr, double here, double elsewhere);
double talker_kb(const struct interval_remote *r); /* both ways; 0 of NULL */

struct talkers;
struct talkers *talkers_new(void);    /* NULL: out of memory */
void talkers_free(struct talkers *t); /* takes NULL */
void talkers_clear(struct talkers *t);
/* What a server said in an interval; all intervals of one server one after the other. The addresses are the
 * interval's, which must stay. 0 or -ENOMEM. */
int talkers_add(struct talkers *t, size_t node, int32_t group, const struct interval *h);
/* Whether this host of an interval that was added talks to this server alone. */
bool talkers_lone(const struct talkers *t, size_t node, int32_t group,
		  const struct interval_remote *r);

#endif
