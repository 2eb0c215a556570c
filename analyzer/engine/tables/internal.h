/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files that judge tables share, and nobody else: a column of the table among peers as a panel, who has values
 * of it, its intervals (tables_fill.c), one look at all of them (tables_look.c), how they reach the tracker (tables_track.c).
 *
 * An interval is 30 s, or less where rows are closer, or the median step of the entity that is measured least
 * often, so that all have a value in it, but for the rare ones (tables_peers.h). Intervals in which nobody can be
 * compared are passed over.
 *
 * Values of zero or below have no logarithm. Where a constant is added (row.c: the signal's, of which the
 * column is; else the floor) it makes one, and the finding's line says so. Without one they are left out, of
 * the entity as of its peers: a ratio to a constant that nobody knows would be made up [D]. Where a load
 * is given, values without one are left out, too.
 */
#ifndef LIMPET_TABLES_INTERNAL_H
#define LIMPET_TABLES_INTERNAL_H

#include "analyzer/compare/equal_load.h"
#include "analyzer/engine/examine.h"
#include "analyzer/panel/panel.h"
#include "analyzer/rules/rules_columns.h"
#include "tables_columns.h"
#include "tables_peers.h"

/* One column among servers that are peers of each other in it. */
struct table_panel {
	struct panel panel; /* the column's row and number; numbers of members are those of e */
	const struct table *t;
	const struct table_column *column;
	struct table_entity *e; /* n of them; the panel's */
	size_t n;
	bool few;    /* fewer than TABLE_SERVERS: nobody is judged, and nothing below is there */
	bool more;   /* there is an interval that is not filled yet */
	bool looked; /* once, at all there is */
	bool loaded; /* values come with a load: of the column that is given, or bytes */
	int64_t interval_ns;
	double step_ns;		 /* the median of the entities' steps; 0: none has any */
	unsigned int shortest;	 /* the binary logarithm of the intervals in the shortest window */
	struct look_params look; /* of one look at all of it */
	struct equal_load *load;
	struct loaded *loads;	  /* n: of the interval that is filled */
	double *sizes, *some;	  /* n: of requests (tables_fill.c); to sort in */
	size_t samples, work;	  /* of all; entities filled in, all intervals together */
	int64_t first_ns;	  /* the earliest value */
	int64_t from_ns, to_ns;	  /* the next interval that has data */
	int64_t begin_ns, end_ns; /* of all intervals with data so far */
	int64_t compared_ns;	  /* the end of the last in which anybody was compared */
	size_t intervals;
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
	size_t n_groups;
	size_t *in_group; /* of the verdict's nodes: how many in its group have values; 0: it has none itself */
	bool kinds_told; /* of instances */
	bool asked;	 /* whether some servers are of another kind */
	struct table_columns columns;
	struct table_panel *panels; /* by column */
	size_t n_panels;
	struct panel_values values;
	struct panel_explained explained;
	struct rules_column *known; /* of each column */
	struct track *track;	    /* servers as the verdict numbers them */
	int64_t shortest_ns;	    /* interval of any panel */
	int64_t compared_ns;	    /* when anybody was compared last */
};

/* ---- tables_peers.c ---- */

/*
 * Adds the panels of a column: of those that have values of it, by group of their nodes. Instances are
 * peers of those with their name if enough nodes have it at one time (min(SAME_NAME_PEERS, n - 1), at least
 * 2): a disk for the system is no peer of one for data. All others of a group are peers whatever
 * their names. [D] 0 or -ENOMEM.
 */
int table_panels(struct job *j, const struct table_column *c);

/*
 * The length of an interval of these peers, in p->interval_ns: 30 s, or four of the longest of their median steps where that
 * is less, though not less than `least`; and never less than such a step, so that all have a value in it. Steps more
 * than eight times as long as those of three quarters of the peers do not count. And how many values a typical
 * entity has in one. 0 or -ENOMEM.
 */
int table_interval(struct table_panel *p, double least_ns, size_t *values);

/* ---- tables_kinds.c, tables_waits.c: 0 or -ENOMEM ---- */

/* Without --peers: servers that names tell apart, and values from the first to the last (kinds_apart()), in a column that may indict,
 * are different groups, and a note says so. Fills j->group, j->n_groups. */
int table_groups(struct job *j);
/* n disks of one column and group that are compared whatever their names, by server. If they are of two kinds, and each server has as many
 * of the rarer one, which no slow server or disk leaves so, kind[] is set of the slower ones, and a note says so. */
int table_disk_kinds(struct job *j, const struct table_column *c,
		     const struct table_entity *const *e, size_t n, bool *kind);
/* After table_unjudged(), where nobody is indicted and not all are well: asks whether servers are two groups that look like it. */
int table_hint(struct job *j);
/* Whether all that is worse are times in which it waited for others: its own part took no longer, another's did. Fills *m then. */
int table_waits(const struct job *j, const struct incident *a, struct notice *m, bool *waits);

/* tables_queue.c: whether all that is worse are requests that wait at disks which do as many as their peers' and work hardly longer on
 * each: where each file has a part on every server, the slowest of healthy disks has the queue. */
bool table_queues(const struct job *j, const struct incident *a);

/* ---- tables_fill.c ---- */

/* What is compared of a value: its logarithm, larger is worse; NaN: it has none. */
double table_ln(const struct table_panel *p, double value);
/* The next value of an entity before `to` that has a logarithm (y) and, where it needs one, a load (x, ln). */
bool table_next(const struct table_panel *p, struct table_entity *e, int64_t to, double *x,
		double *y);
void table_rewind(struct table_panel *p);
/* The column among these peers. 0 or -ENOMEM; table_panel_release() is needed either way. */
int table_panel_init(struct job *j, struct table_panel *p, double looks);
/* After its last interval: what was found stays, what it was found by goes, for a table has many panels. */
void table_panel_close(struct table_panel *p);
void table_panel_release(struct table_panel *p);
/* Whether there is an interval more: from_ns and to_ns are its. */
bool table_panel_next(struct table_panel *p);
/* Fills that one. 0, -ENOMEM, or -E2BIG after a message: too many intervals with hardly a value. */
int table_panel_fill(struct job *j, struct table_panel *p);

/* tables_lone.c: entities that single durations of states indict are suspicious at most. 0 or -ENOMEM. */
int table_lone(struct table_panel *p);

/* tables_look.c: one look at all there is, without regard to time. 0 or -ENOMEM. */
int table_look(struct table_panel *p);

/* tables_track.c: all panels, interval after interval, into the tracker; incidents, notices, what was ruled out. 0,
 * -ENOMEM, or -E2BIG after a message. */
int table_track(struct job *j);

/* tables_reasons.c: which servers were judged, and why the others were not. 0 or -ENOMEM. */
int table_unjudged(struct job *j);
/* tables_silence.c: who stopped reporting before the end of the table; after table_unjudged(). 0 or -ENOMEM. */
int table_silence(struct job *j);
/* tables_reasons.c: what was met while the table was read, and which columns were not judged. 0 or -ENOMEM. */
int table_notes(struct job *j);

#endif
