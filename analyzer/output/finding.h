/* SPDX-License-Identifier: BSD-2-Clause */
/* A finding as a sentence, and with the numbers that it can be checked with by hand. */
#ifndef LIMPET_FINDING_H
#define LIMPET_FINDING_H

#include "words.h"

/*
 * "read latency of sdb: 31 ms, peers 10 ms (evidence 12.3, 5.9 needed)"; of a test by votes "read latency of sdb 31.20
 * ms, peers' median 4.10 ms: 7.60 x (z 21), 5 of 5 windows". Numbers and units are tied. Adds it to a text and returns
 * it, as sentences do.
 */
const char *words_finding(struct text *t, const struct verdict *a, const struct finding *e);
/* Adds where the numbers of a finding by evidence come from: "3.10 x (at least 2.60 x) over the last 80 s: 31.00 ms
 * against 10.00 ms; 5 peers within 1.06 x". Nothing for a finding by votes, which has told them. */
void words_finding_basis(struct text *t, const struct verdict *a, const struct finding *e);
/* " less" where the ratio is shown the other way round, of what is worse when it is less; "". */
const char *words_less(const struct finding *e);
/* "(supports)" for a finding that did not indict by itself; "" for one that did. */
const char *words_mark(const struct verdict *a, const struct finding *e);

#endif
