/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other receivers of the same senders: each judges by itself, and asks the others what they say. A file for each of them is in
 * DIR/pair (receiver.h), as `limpet-push enroll --receivers DIR/pair --host NAME LINE` makes it with a line of the other one's; the other one
 * answers once it trusts that NAME (`limpet serve trust NAME`).
 *
 * What is compared is which servers limp. What differs for PAIR_DIFFERS_NS is said, and so is that another does not answer: where one
 * is alone, nobody checks it.
 */
#ifndef LIMPET_SERVE_PAIR_H
#define LIMPET_SERVE_PAIR_H

#include "analyzer/verdict/verdict.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"

#define PAIR_EVERY_S	10
#define PAIR_DIFFERS_NS (120 * NS_PER_S) /* one may have heard a server a little later */
#define PAIR_AWAY_NS	(60 * NS_PER_S)

/* What is asked for: the servers that limp, as a line of JSON: {"can_judge": true, "limps": ["oss-3"]}. */
void pair_put(struct text *to, const struct verdict *a, bool can_judge);

struct serve_pair;

/* Reads DIR/pair and begins to ask; *p is NULL where there is nobody to ask. 0, or -errno after a message. */
int pair_start(struct serve_pair **p, const char *dir);
void pair_stop(struct serve_pair *p); /* takes NULL */

struct pair_counts {
	size_t all, answer, agree;
};
/* Compares what they said last with this verdict: a sentence about the first that differs or is away, NULL: they all agree. For one
 * thread; until the next call. */
const char *pair_compare(struct serve_pair *p, const struct verdict *a, bool can_judge,
			 struct pair_counts *n);

#endif
