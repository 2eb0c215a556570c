/* SPDX-License-Identifier: BSD-2-Clause */
/* Who of a table is compared with whom in one column; for this room only. */
#ifndef LIMPET_ROBUST_TABLES_PEERS_H
#define LIMPET_ROBUST_TABLES_PEERS_H

#include "analyzer/source/source.h"
#include "analyzer/verdict/verdict.h"

/* The samples of one metric of one node and instance. */
struct table_run {
	uint32_t metric, node, instance;
	size_t begin, end;
};

/* One node's values of the column; of one of its instances. */
struct table_entity {
	size_t node; /* of the verdict */
	uint32_t instance;
	const char *name;			 /* of it; "" of the node itself */
	size_t begin, end, at;			 /* samples of the column; those not yet taken */
	size_t given_begin, given_end, given_at; /* and of the other one */
	size_t size_begin, size_end, size_at;	 /* and of the one with sizes */
	size_t values;				 /* taken */
	enum unjudged_why unlogged; /* why one was left out for want of a logarithm; 0: none was */
	double step_ns;		    /* its median; 0: too few values */
};

struct table_runs {
	struct table_run *at; /* by metric, node and instance */
	size_t n;
};

/* Of the samples in [from, to); zeroed at first. 0 or -ENOMEM. */
int table_runs(struct table_runs *r, const struct table *t, int64_t from_ns, int64_t to_ns);

/* The n - 1 steps between n samples of a run, two at least, for the caller to free; NULL: out of memory. */
double *table_run_steps(const struct table *t, size_t begin, size_t end);

#endif
