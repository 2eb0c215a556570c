/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of analyzer/verdict share: names of servers, to be put in order. */
#ifndef LIMPET_VERDICT_INTERNAL_H
#define LIMPET_VERDICT_INTERNAL_H

#include <stddef.h>
#include <string.h>

/* The lists of a verdict, each with its count n_LIST; of servers and groups it has others. */
/* clang-format off */
#define VERDICT_LISTS(X) \
	X(signals) X(incidents) X(notices) X(unjudged) X(parts) X(unproven) X(gaps) X(ruled_out) \
	X(looks) X(durations) X(stragglers) X(jobs) X(tasks) X(states) X(notes) X(facts)
/* clang-format on */

/* A server's name, which belongs to the caller, and its number before the names are in order. */
struct numbered_name {
	const char *name;
	size_t number;
};

static inline int by_numbered_name(const void *a, const void *b)
{
	const struct numbered_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

#endif
