/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files that judge tables share, and nobody else: a column of the table as a signal, who
 * has values of it, its windows (tables_windows.c), and who deviates in them (tables_follow.c).
 *
 * Windows are max(30 s, 40 samples) long and do not overlap (ALGORITHMS "robust", tables). A
 * window begins with a sample where nobody had any for the length of a window or more: it never
 * spans a gap.
 *
 * Values of zero or below have no logarithm. With a floor whatever is below it counts as the
 * floor, which is what a floor means: such differences do not count. Without one, a
 * cell whose median is not above zero is left out, of the entity as of its peers: who has nothing
 * else is not judged. No constant is made up, as the ratio to it would be made up too [D].
 */
#ifndef LIMPET_ROBUST_TABLES_PARTS_H
#define LIMPET_ROBUST_TABLES_PARTS_H

#include "analyzer/verdict/verdict.h"
#include "analyzer/compare/compare.h"
#include "analyzer/engine/examine.h"
#include "analyzer/compare/track.h"

/* One column, judged given another. */
struct table_signal {
	const struct table *t;
	uint32_t metric;
	size_t signal;		      /* its row of the verdict's */
	int64_t given;		      /* the metric whose half octaves are the cells; -1: none */
	const struct signal_row *row; /* inverse: smaller is worse */
	int64_t window_ns, from_ns, to_ns;
	struct compare_opts compare;
	struct track_params track;
	bool explain;
};

/* One node's values of the column; of one of its instances. */
struct table_entity {
	size_t node; /* of the verdict */
	uint32_t instance;
	size_t begin, end, at;			 /* samples of the column; those not yet taken */
	size_t given_begin, given_end, given_at; /* and of the other one */
	size_t most;				 /* values in one window */
	size_t unlogged;			 /* cells left out for want of a logarithm */
};

struct table_window {
	int64_t from_ns, to_ns;
	uint64_t silent;	  /* windows without anybody's data before this one */
	const struct compared *c; /* of each entity */
};

/* Gives each window that has data, in order of time. 0, -ENOMEM, or what fn returns. */
int table_walk(const struct table_signal *s, struct table_entity *e, size_t n,
	       int (*fn)(void *arg, const struct table_window *w), void *arg);

/* What was found of a column in one group of peers; caller frees both arrays. */
struct table_found {
	struct finding *at; /* those that indict (or support: symptom) */
	size_t n, cap;
	struct finding *ruled_out; /* flagged, but not often enough */
	size_t n_ruled_out, cap_ruled_out;
	bool *low;	      /* of `at`: low confidence … */
	bool *unlike;	      /* … because there was no equal load to compare with */
	size_t windows;	      /* with data */
	unsigned int *judged; /* of each entity: windows; owned by the caller, n of them, zeroed */
	int64_t from_ns, to_ns;
};
/* Judges. Looks are added to `a` if s->explain. 0, -ENOMEM, or -E2BIG after a
 * message: too many windows with hardly a value. */
int table_follow(const struct table_signal *s, struct table_entity *e, size_t n,
		 struct table_found *f, struct verdict *a);

/* Makes room for one more at n of an array; NULL: out of memory. */
void *table_room(void *array, size_t n, size_t *cap, size_t size);

#endif
