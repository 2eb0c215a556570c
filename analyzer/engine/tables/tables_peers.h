/* SPDX-License-Identifier: BSD-2-Clause */
/* Who of a table is compared with whom in one column; for this room only. */
#ifndef LIMPET_ROBUST_TABLES_PEERS_H
#define LIMPET_ROBUST_TABLES_PEERS_H

#include "analyzer/source/source.h"

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
	size_t values;				 /* taken */
	size_t unlogged;			 /* left out for want of a logarithm */
};

struct table_runs {
	struct table_run *at; /* by metric, node and instance */
	size_t n;
};

/* Of the samples in [from, to). 0 or -ENOMEM. */
int table_runs(struct table_runs *r, const struct table *t, int64_t from_ns, int64_t to_ns);

/* Peers of each other. */
struct table_set {
	struct table_entity *e; /* part of table_sets.e */
	size_t n;
};

struct table_sets {
	struct table_entity *e;
	struct table_set *at;
	size_t n;
};

/*
 * Those that have values of the column, by group of their nodes (negative: in none). Instances are
 * peers of those with their name if enough nodes have it at one time (min(peers, n - 1), at least
 * 2): a disk for the system is no peer of one for data. All others of a group are peers whatever
 * their names. [D] row: the verdict's number of each of the table's nodes. 0 or -ENOMEM.
 */
int table_sets(struct table_sets *s, const struct table *t, const struct table_runs *r,
	       uint32_t metric, int64_t given, const size_t *row, const int32_t *group,
	       unsigned int peers);
void table_sets_release(struct table_sets *s);

/*
 * The length of an interval of these peers: 30 s, or four of the longest of their median steps where that is
 * less, though not less than `least`; and never less than such a step, so that all have a value in it. Steps more
 * than eight times as long as those of three quarters of the peers do not count. And how many values a typical
 * entity has in one. 0 or -ENOMEM.
 */
int table_interval(const struct table *t, const struct table_set *set, double least_ns, int64_t *ns,
		   size_t *values);

#endif
