/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is asked of an analysis: one struct for all methods and commands, and the rows of their options. A
 * command takes the groups of rows that it has a use for; which of them a method heeds is said in
 * the method's row (methods/method.h).
 */
#ifndef LIMPET_ANALYSIS_H
#define LIMPET_ANALYSIS_H

#include "analyzer/evidence/evidence.h"
#include "analyzer/source/logs/log_source.h"
#include "analyzer/source/tables/table.h"
#include "userspace/common/options.h"

/* Bounds of what may be asked for; params.h has the meanings. */
enum { WINDOW_MIN = 4, WINDOW_MAX = 86400, VOTES_MAX = 16 };
#define SLACK_MIN 0.01
#define SLACK_MAX 1000.0

/* Strings and lists are the caller's. */
struct analysis_opts {
	/* of all methods */
	const char
		*method; /* a list; NULL: the model's, without one the default (methods/method.h) */
	const char *peers;	 /* file; NULL: the model's groups, without one all are peers */
	int64_t from_ns, to_ns;	 /* [from, to) */
	unsigned int threads;	 /* 1 or more */
	bool explain;		 /* keep what is not odd, too */
	bool progress;		 /* on a terminal */
	struct table_opts table; /* its `strict` is of every source */
	struct log_opts logs;
	unsigned int *
		found; /* NULL, or what was found is added, and options are not held against it (options_meant()) */
	/* of methods that take intervals one after the other */
	double interval_s;
	double budget; /* false indictments to expect, of a group of peers and observed week */
	const char *offsets; /* file: own usual offsets, read if there and replaced after; NULL */
	struct string_list acknowledged; /* servers whose trouble is known */
	/* and of tables: which column is judged, in cells of which other (NULL: all alike) */
	const char *signal, *given;
	double floor; /* 0: the column's own */
	/* of methods on frames */
	const char *model;	    /* file; NULL: none, if the methods need no training */
	double slack;		    /* 0: the model's */
	unsigned int votes;	    /* 0: the model's */
	unsigned int window, shift; /* without a model; 0: PARAMS_DEFAULT's */
	bool two_sided, weighted;
	/* of methods on states of logs */
	unsigned int min_instances; /* 0: the method's */
	double threshold;	    /* 0: the method's */
	bool online, pooled;
	const char *hardware; /* file; NULL: not known */
	/* of stragglers: programs of the user's, beside the rows of the tables */
	struct string_list symptoms, diagnosers, decisions;
};

/* Bounds of --budget; its default is BUDGET_SERIES. */
#define BUDGET_MIN 1e-6
#define BUDGET_MAX 10.0

/* What a command sets before its options are parsed. */
#define ANALYSIS_DEFAULT         \
	((struct analysis_opts){ \
		.to_ns = INT64_MAX, .threads = 1, .interval_s = 4, .budget = BUDGET_SERIES})

/* In the rows `base` is the offset of the struct above in the command's own. */
#define ANALYSIS_AT(base, field) ((base) + offsetof(struct analysis_opts, field))

/* clang-format off */
#define ANALYSIS_PEERS(base) \
	{0, "peers", OPT_STRING, ANALYSIS_AT(base, peers), "FILE", \
	 "groups of peers: a line of server names each;\n" \
	 "                             default: all are one, or as trained", 0, 0}

/* Of every command that shows times to people. */
#define ANALYSIS_LOCAL_TIME \
	{0, "local-time", OPT_LOCAL, 0, NULL, \
	 "read times in options, and print times, in local time (TZ); default: UTC", 0, 0}

/* Which data, and how they are read. */
#define ANALYSIS_SOURCES(base) \
	{0, "from", OPT_TIME, ANALYSIS_AT(base, from_ns), "TIME", \
	 "only seconds from this time on: '2026-11-21 19:26', 19:26, -10m …", 0, 0}, \
	{0, "to", OPT_TIME, ANALYSIS_AT(base, to_ns), "TIME", \
	 "only seconds before this time", 0, 0}, \
	ANALYSIS_PEERS(base), \
	{0, "threads", OPT_UINT, ANALYSIS_AT(base, threads), "N", \
	 "work on N threads (1)", 1, 256}, \
	TABLE_OPTIONS(ANALYSIS_AT(base, table)), \
	LOG_OPTIONS(ANALYSIS_AT(base, logs))

/* A number of another header, in a help text. */
#define ANALYSIS_TEXT_(x) #x
#define ANALYSIS_TEXT(x)  ANALYSIS_TEXT_(x)

/* Of servers that are looked at again and again. */
#define ANALYSIS_INTERVALS(base) \
	{0, "acknowledge", OPT_LIST, ANALYSIS_AT(base, acknowledged), "NODE", \
	 "a server of known trouble: shown, not indicted (repeatable)", 0, 0}, \
	{0, "offsets", OPT_STRING, ANALYSIS_AT(base, offsets), "FILE", \
	 "keep each server's usual offset in FILE between runs", 0, 0}, \
	{0, "hop", OPT_DOUBLE, ANALYSIS_AT(base, interval_s), "SECONDS", \
	 "length of an interval (4)", 1, 3600}, \
	{0, "budget", OPT_DOUBLE, ANALYSIS_AT(base, budget), "X", \
	 "false indictments to expect of a group of peers\n" \
	 "                             in a week that is observed (" ANALYSIS_TEXT(BUDGET_SERIES) ")", BUDGET_MIN, BUDGET_MAX}

#define ANALYSIS_COLUMNS(base) \
	{0, "signal", OPT_STRING, ANALYSIS_AT(base, signal), "COLUMN", \
	 "of a table: the column that is judged; larger is worse", 0, 0}, \
	{0, "given", OPT_STRING, ANALYSIS_AT(base, given), "COLUMN", \
	 "of a table: compare only lines with like values in this column", 0, 0}, \
	{0, "floor", OPT_DOUBLE, ANALYSIS_AT(base, floor), "X", \
	 "of a table: a smaller excess over the peers does not count", 0, 1e18}

/* names: methods/method.h, METHOD_NAMES */
#define ANALYSIS_METHOD(base, names) \
	{0, "method", OPT_STRING, ANALYSIS_AT(base, method), "LIST", \
	 "of" names ";\n" \
	 "                             default: what the model was trained for; no model: robust", \
	 0, 0}

/* Of models, and of methods on frames without one. */
#define ANALYSIS_FRAMES(base) \
	{'M', "model", OPT_STRING, ANALYSIS_AT(base, model), "FILE", \
	 "a model from 'limpet train'; without one, nothing has to be trained", 0, 0}, \
	{0, "slack", OPT_DOUBLE, ANALYSIS_AT(base, slack), "X", \
	 "instead of the model's slack", SLACK_MIN, SLACK_MAX}, \
	{0, "votes", OPT_UINT, ANALYSIS_AT(base, votes), "K", \
	 "instead of the model's votes", 1, VOTES_MAX}, \
	{0, "two-sided", OPT_FLAG, ANALYSIS_AT(base, two_sided), NULL, \
	 "indict servers that are better than their peers, too", 0, 0}, \
	{0, "weighted", OPT_FLAG, ANALYSIS_AT(base, weighted), NULL, \
	 "ganesha: by the weighted count of alarms, not by alarms in a row", 0, 0}, \
	{0, "window", OPT_UINT, ANALYSIS_AT(base, window), "N", \
	 "without a model: intervals in a window (64); salsa: seconds", WINDOW_MIN, WINDOW_MAX}, \
	{0, "shift", OPT_UINT, ANALYSIS_AT(base, shift), "N", \
	 "without a model: intervals from one window to the next (half a window)", 1, WINDOW_MAX}

/* Of methods on states of logs. */
#define ANALYSIS_STATES(base) \
	{0, "min", OPT_UINT, ANALYSIS_AT(base, min_instances), "N", \
	 "salsa: instances of a state that a server must have (10)", 2, 1000000}, \
	{0, "threshold", OPT_DOUBLE, ANALYSIS_AT(base, threshold), "X", \
	 "salsa: distance that is an alarm (0.35)", 0.001, 0.832}, \
	{0, "online", OPT_FLAG, ANALYSIS_AT(base, online), NULL, \
	 "salsa: every second, with decay; 20 alarms in a row indict", 0, 0}, \
	{0, "pooled", OPT_FLAG, ANALYSIS_AT(base, pooled), NULL, \
	 "salsa: distances from all servers together", 0, 0}, \
	{0, "hardware", OPT_STRING, ANALYSIS_AT(base, hardware), "FILE", \
	 "autodiagn, stragglers: cores and memory, a line NODE CORES MEMORY each", 0, 0}, \
	{0, "symptom", OPT_LIST, ANALYSIS_AT(base, symptoms), "PROGRAM", \
	 "stragglers: a program that says which tasks stay behind (repeatable)", 0, 0}, \
	{0, "diagnoser", OPT_LIST, ANALYSIS_AT(base, diagnosers), "PROGRAM[,after=WORD]", \
	 "stragglers: a program that says why; it runs after that cause is known\n" \
	 "                             (both repeatable)", 0, 0}, \
	{0, "decision", OPT_LIST, ANALYSIS_AT(base, decisions), "PROGRAM", \
	 "stragglers: a program that says what to make of a job's (repeatable)", 0, 0}
/* clang-format on */

/* ---- for which sources an option has a meaning (meaning.c) ------------------------------------------ */

/* What a command found, as it reads it. */
enum meant_for {
	MEANT_SERIES = 1, /* series files, interval by interval */
	MEANT_TABLES = 2,
	MEANT_LOGS = 4,
	MEANT_SERIES_FRAMES = 8, /* by a method on frames */
	MEANT_TABLES_FRAMES = 16,
	MEANT_GROWING_LOGS = 32, /* by `limpet watch` */
	MEANT_SYSSTAT = 64,	 /* tables whose columns are known */
	MEANT_PROMETHEUS = 128,	 /* likewise, and it is asked */
};

/* Whether every option of the line that was parsed has a meaning for what was found (bits of the above; 0: nothing, and then
 * another message says so). 0, or -EINVAL after a message. */
int options_meant(unsigned int found);

#endif
