/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures of a job (analyzer/jobs/job_flow.h), after Tan's (thesis, CMU, 2009, section 5.3; the area chart: 9.4): each
 * one SVG drawing, alone or within HTML, that can be read with 10 states and with 100,000.
 */
#ifndef LIMPET_REPORT_FLOW_PICTURES_H
#define LIMPET_REPORT_FLOW_PICTURES_H

#include <stdio.h>

#include "analyzer/jobs/job_flow.h"

#define FLOW_PICTURES(X)                                                          \
	X(SWIMLANES, "swimlanes", "What each attempt did, and when")              \
	X(MIROS, "miros", "Bytes into maps, between servers, and out of reduces") \
	X(REP, "rep", "Bytes and seconds of alike paths")                         \
	X(AREA, "area", "Attempts in each state over time")
#define FLOW_PICTURE_ENUM(NAME, ...) FLOW_##NAME,
enum flow_picture { FLOW_PICTURES(FLOW_PICTURE_ENUM) FLOW_PICTURE_COUNT };
extern const struct flow_picture_row {
	const char *word, *title;
} flow_pictures[FLOW_PICTURE_COUNT];

/* How lines are put: by server and start, by start, or the attempts of a server in as few lines as they had slots. */
enum flow_lines { FLOW_BY_NODE, FLOW_BY_START, FLOW_TOGETHER };

/* What is looked at closer: attempts that ran in a span, on a server. */
struct flow_view {
	int64_t from_ns, to_ns; /* 0: the job's; swimlanes and the area chart only */
	uint32_t node;		/* STATE_NONE: all; swimlanes and the area chart only */
	enum flow_lines lines;
};

enum {
	FLOW_DRAWN_MAX =
		5000, /* bars; of more attempts the longest are drawn, and how many there are at once */
	FLOW_DRAWN_LONGEST = 1000,
	FLOW_ROWS_MAX = 100, /* servers that are drawn, the busiest */
	FLOW_HEAT_MAX = 40,  /* servers of a heat map, those with most bytes */
};

/* 0 or -ENOMEM. */
int flow_picture(FILE *to, const struct job_flow *f, enum flow_picture p, const struct flow_view *v,
		 bool alone);

/* Sections of a page: all pictures, and above them what the job waited for. 0 or -ENOMEM. */
int flow_section(FILE *to, const struct job_flow *f);

#endif
