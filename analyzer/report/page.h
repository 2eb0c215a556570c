/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One HTML page about a verdict: the verdict, the findings, charts, what was looked at and ruled out.
 * It needs no network, no script and no other file, and is the same for the same input.
 */
#ifndef LIMPET_REPORT_PAGE_H
#define LIMPET_REPORT_PAGE_H

#include <stdio.h>

#include "analyzer/history/history.h"
#include "analyzer/verdict/verdict.h"

struct report {
	const struct verdict *a;
	const struct history *h; /* finished */
	bool bands;		 /* the history knows who are peers */
	const char *stacks;	 /* sections, as report_flames() makes them; NULL: none */
	const char *jobs; /* sections about a job, as flow_section() makes them; NULL: none */
};

/* Of a page without end nobody reads the end: so many of each, and how many were left out is said. */
enum {
	REPORT_VERDICTS = 20,
	REPORT_CHARTS = 4, /* of a server */
	REPORT_DISTS = 2,
	REPORT_LINES = 40, /* of a table */
	REPORT_NAMED = 40, /* of the heat map: servers with their names … */
	REPORT_REST = 960, /* … and without */
};

void report_page(FILE *to, const struct report *r);

/* Whether the verdict indicts this server. */
bool report_incident(const struct verdict *a, size_t node);

/* findings.c: what may be done next about an incident, as commands to read, with a heading of this level; nothing where there are none. */
void report_next(FILE *to, const struct verdict *a, const struct incident *in, const char *level);

/* One incident: a heading of this level ("h2"), and what there is to say of it besides its findings. */
void report_case(FILE *to, const struct verdict *a, size_t i, const char *level);

/* findings.c: a row for each finding of an incident. page.c: what its columns are. */
void report_legend(FILE *to, const struct incident *in);
void report_findings(FILE *to, const struct verdict *a, const struct incident *in);
/* lists.c: what is not an incident; and a cell of a table, with what a narrow page puts before it. */
void report_cell(FILE *to, const char *class, const char *head, const char *text);
void report_lists(FILE *to, const struct report *r);

/* charts.c: a row over time against those of its peers that are not indicted; onset and decision
 * of e, which may be NULL. */
void report_time(FILE *to, const struct report *r, const struct history_row *row,
		 const struct finding *e);
/* What such a chart draws, by column of the history; NaN: nothing. */
struct chart_lines {
	double own[HISTORY_COLUMNS], med[HISTORY_COLUMNS], low[HISTORY_COLUMNS],
		high[HISTORY_COLUMNS];
	bool flagged[HISTORY_COLUMNS];
	size_t peers;
};
/* 0 or -ENOMEM. */
int report_lines(const struct report *r, const struct history_row *row, struct chart_lines *l);
/* charts.c: a distribution. */
void report_latency(FILE *to, const struct report *r, const struct history_dist *d);
/* durations.c: of job states; NULL: there is none. */
const struct durations *report_durations_of(const struct verdict *a, size_t node, size_t signal);
void report_durations(FILE *to, const struct report *r, const struct durations *d);
/* heat.c: all servers over time. */
void report_heat(FILE *to, const struct report *r);

/* Of each server the local signal that comes nearest to odd: the worst n, into out; how many. */
size_t report_nearest(const struct report *r, size_t n, const struct history_row **out);

#endif
