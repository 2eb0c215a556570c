/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files that judge tables share, and nobody else: a column of the table as a signal, who
 * has values of it, its intervals (tables_intervals.c), and who deviates in them (tables_follow.c).
 *
 * An interval is 30 s, or less where rows are closer, or the median step of the entity that is measured least
 * often, so that all have a value in it, but for the rare ones (tables_peers.h). Intervals in which nobody can be
 * compared are passed over.
 *
 * Values of zero or below have no logarithm. Where a constant is added (row->c: the signal's, of which the
 * column is; else the floor) it makes one, and the finding's line says so. Without one they are left out, of
 * the entity as of its peers: a ratio to a constant that nobody knows would be made up [D]. Where a load
 * is given, values without one are left out, too.
 */
#ifndef LIMPET_ROBUST_TABLES_PARTS_H
#define LIMPET_ROBUST_TABLES_PARTS_H

#include "analyzer/verdict/verdict.h"
#include "analyzer/compare/equal_load.h"
#include "analyzer/engine/examine.h"
#include "analyzer/track/track.h"
#include "analyzer/evidence/evidence.h"

/* One column, judged given another. */
struct table_signal {
	const struct table *t;
	uint32_t metric;
	size_t signal;		      /* its row of the verdict's */
	int64_t given;		      /* the metric that is the load; -1: none */
	bool loaded;		      /* values come with a load: of that metric, or bytes */
	const struct signal_row *row; /* inverse: smaller is worse */
	int64_t interval_ns;
	struct evidence_params evidence;
	struct look_params look; /* of one look at all of it */
	bool explain;
};

/* One node's values of the column; of one of its instances. */
struct table_entity {
	size_t node; /* of the verdict */
	uint32_t instance;
	size_t begin, end, at;			 /* samples of the column; those not yet taken */
	size_t given_begin, given_end, given_at; /* and of the other one */
	size_t values;				 /* taken */
	size_t unlogged, unloaded;		 /* left out for want of a logarithm, of a load */
};

struct table_interval {
	int64_t from_ns, to_ns;
	const struct loaded *at; /* of each entity */
};

/* What is compared of a value: its logarithm, larger is worse; NaN: it has none. */
double table_ln(const struct table_signal *s, double value);
/* The value of which e to its logarithm, or to a mean of such, is `compared`. */
double table_shown(const struct table_signal *s, double compared);
/* The next value of an entity before `to` that has a logarithm (y) and, where it needs one, a load (x, ln). */
bool table_next(const struct table_signal *s, struct table_entity *e, int64_t to, double *x,
		double *y);
void table_rewind(struct table_entity *e, size_t n);
/* Gives each interval that has data, in order of time. 0, -ENOMEM, or what fn returns. */
int table_walk(const struct table_signal *s, struct table_entity *e, size_t n,
	       int (*fn)(void *arg, const struct table_interval *w), void *arg);

/* How one entity came out. */
struct table_entity_verdict {
	enum evidence_level level; /* the strongest; suspicious: only if it is so in the end */
	struct finding e;
	size_t peers; /* it was compared with, in what says most */
	size_t times; /* it came; of level alone: 1 */
	double duty;
	bool tested;
	bool brief;   /* it would be indicted, were it not for one look only (tables_look.c) */
	double least; /* ln: from which difference on it would have been suspicious; NaN: from none */
	size_t compared, alone; /* intervals; without a peer at its load */
};

/* What was found of a column in one group of peers; the caller frees. */
struct table_found {
	struct table_entity_verdict *at; /* n entities */
	size_t slow, of;  /* two halves, of which nobody can tell which is slow; 0: none */
	size_t intervals; /* with data */
	int64_t from_ns, to_ns;
	double least_indicted; /* ln: what would have been seen; NaN: not known */
};
/* Judges. f->at: n of them, zeroed. Looks are added to `a` if s->explain. 0, -ENOMEM, or -E2BIG after a
 * message: too many intervals with hardly a value. */
int table_follow(const struct table_signal *s, struct table_entity *e, size_t n,
		 struct table_found *f, struct verdict *a);

/* tables_look.c: one look at all there is, without regard to time. 0 or -ENOMEM. */
int table_look(const struct table_signal *s, struct table_entity *e, size_t n,
	       struct table_found *f);

/* What a finding of this entity of the column is about: the names. */
struct finding_about table_about(const struct table_signal *s, const struct table_entity *e);

/* Makes room for one more at n of an array; NULL: out of memory. */
void *table_room(void *array, size_t n, size_t *cap, size_t size);

#endif
