/* SPDX-License-Identifier: BSD-2-Clause */
/* One examination of a table, while it is made: what tables.c and tables_tell.c share. */
#ifndef LIMPET_ROBUST_TABLES_JOB_H
#define LIMPET_ROBUST_TABLES_JOB_H

#include "analyzer/engine/examine.h"
#include "tables_parts.h"
#include "tables_peers.h"

/* Why a node could not be judged, the best of what its columns say. */
struct reason {
	size_t values;
	double span_s; /* in so much time */
	/* of the column in which it was compared most often: intervals, how many are needed, and how long they are */
	size_t intervals;
	unsigned int needed;
	double interval_s;
	bool judged, compared, unlogged, unloaded;
	bool alone;	 /* no peer under its load in most intervals, in some column */
	size_t slow, of; /* two halves; 0: none */
};

/* A finding, and how far to trust it. */
struct found {
	struct finding e;
	const char *given; /* "" */
	enum evidence_level level;
	size_t times;
	double duty;
	size_t peers; /* entities compared with each other */
	bool brief;   /* suspicious for want of time alone */
};

/* Fewer servers with values in a group are not judged, nor are their instances: no majority is left. */
enum { TABLE_SERVERS = 3 };

struct job {
	const struct analysis_opts *o;
	const struct table *t;
	struct verdict *a;
	struct table_runs runs;
	size_t *row;	/* the verdict's number of each of the table's nodes */
	int32_t *group; /* of the verdict's nodes */
	size_t *in_group; /* of the verdict's nodes: how many in its group have values; 0: it has none itself */
	struct reason *reasons;
	struct unjudged *lonely; /* nodes and columns: no peer under their load in most intervals */
	size_t n_lonely;
	struct found *found;
	size_t n_found, cap_found, cap_ruled_out;
};

/* Takes over what was found of one column in one group of peers; given: what it was judged given, "". 0 or
 * -ENOMEM. */
int table_keep(struct job *j, const struct table_found *f, const struct table_set *set,
	       const char *given);

/* tables_instance.c: what is known of one entity on one column; why: where it was not judged. Nothing of one that
 * is the server itself. 0 or -ENOMEM. */
int table_instance(struct job *j, const struct table_entity *e, bool judged, enum unjudged_why why);

/* After the last column. Makes incidents or notices of what was found. 0 or -ENOMEM. */
int table_indict(struct job *j);
/* Who was judged, and why the others were not. 0 or -ENOMEM. */
int table_unjudged(struct job *j);
/* tables_silence.c: who stopped reporting before the end of the table; after table_unjudged(). 0 or -ENOMEM. */
int table_silence(struct job *j);
/*
 * Notes: what was met while the table was read; columns: lines on those not judged, or NULL. 0 or
 * -ENOMEM.
 */
int table_notes(struct job *j, char *columns);

#endif
