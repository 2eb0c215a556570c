/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which columns of a table are judged, given what, and why the others are not; for this room only.
 */
#ifndef LIMPET_ROBUST_TABLES_COLUMNS_H
#define LIMPET_ROBUST_TABLES_COLUMNS_H

#include "analyzer/source/source.h"
#include "analyzer/options/analysis.h"
#include "analyzer/signal/signal.h"

struct table_column {
	struct signal_row row; /* made of the column: its names are the table's */
	uint32_t metric;
	int64_t given;	    /* -1: none */
	int64_t size;	    /* of times of requests: how large they are; -1: not known */
	size_t signal;	    /* its row in the verdict */
	enum signal speaks; /* of which it is a column; SIG_COUNT: of none */
	bool both;	    /* of reads and of writes */
	bool at_rate;	    /* given is the rate of what it is a mean of */
};

struct table_columns {
	struct table_column *at;
	size_t n;
	char *unknown; /* names of those that are not judged; NULL: none */
};

/*
 * With --signal that column; else those asked for with --metric, larger being worse; else every
 * state of state durations; else every column whose worse direction limpet's table of metrics
 * knows. Of the last, what the table of signals has a floor for may indict, and gets that floor and that
 * constant; the rest supports: a ratio of two numbers near zero says nothing [D]. Where no constant is known
 * the floor is the constant. Given: --given;
 * else of limpet's metrics the one they are weighted by (of r_await r/s), if it is there. 0, or
 * negative errno after a message: -EINVAL if a column is not there.
 */
int table_columns(struct table_columns *c, const struct table *t, const struct analysis_opts *o);
void table_columns_release(struct table_columns *c);

#endif
