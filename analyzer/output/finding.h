/* SPDX-License-Identifier: BSD-2-Clause */
/* A finding in one line that can be checked by hand. */
#ifndef LIMPET_FINDING_H
#define LIMPET_FINDING_H

#include "words.h"

/*
 * "read latency of sdb 3.10 x its peers' (at least 2.60 x) over the last 80 s: 31.00 ms against 10.00 ms (5 peers
 * within 1.06 x); score 12.3, 5.9 is needed"; of a test by votes "read latency of sdb 31.20 ms, peers' median 4.10
 * ms: 7.60 x (z 21), 5 of 5 windows". Numbers and units are tied. Adds it to a text
 * and returns it, as sentences do.
 */
const char *words_finding(struct text *t, const struct verdict *a, const struct finding *e);
/* " less" where the ratio is shown the other way round, of what is worse when it is less; "". */
const char *words_less(const struct finding *e);
/* "(a symptom only)" of what did not indict; "" of what did. */
const char *words_mark(const struct verdict *a, const struct finding *e);

#endif
