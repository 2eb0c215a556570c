/* SPDX-License-Identifier: BSD-2-Clause */
/* Two verdicts on one cluster, from different data, as one. */
#ifndef LIMPET_VERDICT_JOIN_H
#define LIMPET_VERDICT_JOIN_H

#include "verdict.h"

/*
 * Everything of b becomes a's, beside what a has; b is empty then. Servers of one name are one; signals of b come after
 * a's. Incidents stay apart: which belong together is for rules to say. What is said of a server that one
 * of them could judge is not that it could not be judged. map: the caller's, of as many as both have servers: the new number of
 * each of a's, then of b's. 0 or -ENOMEM (then both are to be released).
 */
int verdict_join(struct verdict *a, struct verdict *b, size_t *map);

#endif
