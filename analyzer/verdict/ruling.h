/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ruling: what evaluation needs to know of a verdict, whichever method reached it. Made from a
 * diagnosis (methods of method.h) or from a verdict (robust).
 */
#ifndef LIMPET_RULING_H
#define LIMPET_RULING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "userspace/series/series.h"
#include "verdict.h"

struct diagnosis;

/* One time a server was found worse: start of the first window, end of the one that completed the
 * vote, end of the last. */
struct ruling_span {
	int64_t onset_ns, decided_ns, last_ns;
};

/* Strings are the verdict's, which must outlive the ruling. */
struct ruling_incident {
	size_t node;
	enum cause cause;
	struct guess guess;
	enum direction direction;	 /* the side on which packets are lost, if that is said */
	const struct ruling_span *spans; /* at least one */
	size_t n;
};

struct ruling {
	char (*nodes)[HOST_LEN]; /* of the data and of the model, in no order */
	bool *judged;		 /* n_nodes */
	size_t n_nodes;
	bool recorded;			   /* there were any data; else the span means nothing */
	int64_t from_ns, to_ns;		   /* of the data */
	const char *cannot;		   /* why nothing could be judged, or NULL */
	bool names_causes;		   /* the methods could have named some */
	enum vocabulary words;		   /* what causes are taken from */
	bool directions;		   /* a side of packet loss can be named at all */
	struct ruling_incident *incidents; /* by rank */
	size_t n_incidents;
	struct ruling_span *spans;
};

/* 0 or -ENOMEM; the ruling is empty then. */
int ruling_of_diagnosis(struct ruling *r, const struct diagnosis *d);
int ruling_of_verdict(struct ruling *r, const struct verdict *a);
void ruling_release(struct ruling *r); /* takes a zeroed one */

/* The number of a server of that name; SIZE_MAX: there is none. */
size_t ruling_node(const struct ruling *r, const char *name);

#endif
