/* SPDX-License-Identifier: BSD-2-Clause */
/* What table_header.c learns of a table's first line and table_csv.c reads the others by. */
#ifndef LIMPET_TABLE_CSV_H
#define LIMPET_TABLE_CSV_H

#include "userspace/metrics/metrics.h"
#include "internal.h"

enum role {
	IGNORED,
	TIME,
	NODE,
	INSTANCE,
	METRIC, /* wide: a value of the metric of that name */
	NAME,	/* long: the metric's name; of durations, the state */
	VALUE,	/* long: its value */
	BYTES,	/* of durations, if there: how much it was done to */
	FAMILY, /* of what limpet show --csv prints */
};

struct column {
	char name[METRIC_NAME_LEN];
	enum role role;
	uint32_t metric;
	uint64_t numbers, text; /* METRIC: how many; the first line with something else */
	uint64_t commas;	/* numbers such as 9,271; */
	bool decimal;		/* in one of them the comma does not part thousands; */
	bool points;		/* other numbers have a point, */
	bool pointed;		/* which in one of them does not part thousands */
	bool whole;		/* others, but 0, have no comma */
};

struct csv {
	struct table *t;
	const struct table_opts *o;
	struct lines *l;
	struct field *f;
	struct column *c;
	size_t n;
	ssize_t at[FAMILY + 1];	  /* which column has the role; -1: none */
	ssize_t guess;		  /* which one may be the instance's; -1: none */
	bool is_long, rows, file; /* no time; the file's name is the node's */
	bool columns;		  /* it is for table_grafana() */
	/* What the last line had: the next one often has the same. */
	char time[64];
	struct sample
		line; /* of which each value of the line is one: what they have in common stays */
	uint64_t remote;
	struct csv_rows *rows_of; /* rows: which nodes and instances came, and how often */
	size_t n_rows_of;
	struct map by_key; /* of rows_of */
};

/* Reads the line of names: what each column is. 0, or negative errno after a message but for -ENOMEM. */
int csv_header(struct csv *s);

#endif
