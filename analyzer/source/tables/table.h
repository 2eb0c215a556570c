/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of measurements, read whole: what CSV files, state durations, JSON Lines and sysstat's files
 * are before they are put on a grid (frame_table.c).
 *
 * A table begins with a line of column names; separators are commas, semicolons or tabs, whichever
 * the first line has. Fields may be quoted as in RFC 4180. Told apart by the names:
 *   state and duration          one line per event (time,node,state,duration[,bytes]): a metric for
 *                               each state, in the unit of the duration; bytes, if there, stay
 *                               with it and are no metric
 *   metric and value            long: one line per measurement
 *   anything else               wide: a column per metric
 * Columns that are not numbers anywhere are left out, with a note; so are columns without a name. An
 * empty field, "-", "nan", "na" and "null" are missing values, in capitals too. Numbers have a
 * decimal point; where fields are not parted by commas, a decimal comma will do (table_csv.c: if it is sure to be one).
 * What is not quoted loses the blanks around it; a # before the first name too.
 *
 * The names of nodes have at most HOST_LEN - 1 bytes, those of metrics METRIC_NAME_LEN - 1, those of
 * instances TABLE_INSTANCE_MAX: UTF-8 without control characters, and not empty (an instance may
 * be). Anything else is an error.
 *
 * A line that is not as the first one promised (another number of fields, no time, no node, text
 * among numbers, an open quote, a file cut off) is an error that names it: nothing is passed over.
 *
 * Times: seconds since 1970 (fractions allowed), milli-, micro- or nanoseconds (told apart by size),
 * or YYYY-MM-DD[T ]HH:MM[:SS[.fff]][ AM][Z|±HH:MM| UTC], which is UTC if it does not say. The date may be YYYY/MM/DD,
 * DD.MM.YYYY, or with slashes of which a file has told before whether the day or the month comes first (a number above 12).
 *
 * Counters: columns named as such become rates per second between two lines of the same node and
 * instance, at the time of the later one; where values are missing between them, over all of that
 * time. A counter that falls was reset (restart) or has wrapped, which cannot be told apart: no value
 * there, and it is counted.
 *
 * Without --instance, a column that is called "device", "disk", "osd" and the like (table_instance.c) is taken for it
 * if a tenth of a node's times have rows that it tells apart; that is noted.
 *
 * The same node, instance, metric and time again: the first line counts, and a duplicate is counted. Where that is so
 * of half of the times or more, and values differ, the table is refused: nobody knows whose they are. Of state
 * durations every one counts.
 *
 * JSON Lines: each line an object, of at most 64 KiB, with the same names as keys, long or wide; state
 * durations and --time @row are not for it. Values are numbers, null, or text as in a field. A JSON array of such
 * objects is read likewise.
 *
 * Prometheus: the answer of /api/v1/query_range, or what promtool prints of one. The server is the label of --node, or
 * "instance"; the metric is called as it is, or as the file; what ends in _total is a counter.
 *
 * A column for each server, of one metric that is called as the file: Grafana's CSV, whose first column is "Time" and whose
 * cells may have units; any other with --node @column.
 *
 * What `limpet show --csv` or --json prints is such a table (--instance instance). Its lines of the family
 * "remote" are left out, with a note: their metrics have the names of those of "tcp".
 *
 * sysstat's files are read through `sadf -d -U`, the sections of processors (all together), tasks,
 * swapping, paging, I/O, memory, queues, pressure, disks and network interfaces; what it prints can be
 * given as a table too, and so can JSON of `sadf -j` and `iostat -o JSON -t`, and the text of sar and `iostat -t` (without
 * iostat's first report, of all the time since the boot). Metrics are those of limpet's table with sysstat's name; the
 * loopback interface is left out. Its counters of TCP are of the whole host, limpet's are not: they are left out.
 */
#ifndef LIMPET_TABLE_H
#define LIMPET_TABLE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "userspace/common/map.h"
#include "userspace/common/options.h"
#include "userspace/common/text.h"
#include "userspace/series/series.h"

/* One measurement. */
struct sample {
	int64_t time_ns; /* wall clock */
	uint32_t node, instance, metric;
	float bytes;  /* of state durations: how many it took so long for; else NaN */
	double value; /* finite */
};

/* A set of names, numbered as they came; instance 0 is "". */
struct names {
	char **at;
	size_t n;
	size_t max; /* how many there may be; 0: TABLE_NAMES_MAX */
	struct map by_name;
	struct names_text *text; /* all of them are in */
};

/* A column that is called as columns are that tell a server's disks apart, while it is not known whether it does. */
struct table_guess {
	char column[METRIC_NAME_LEN]; /* "": none */
	size_t rank;		      /* of its name */
	bool text, measured;	      /* it has text; numbers that are no names */
	bool taken;		      /* it is for --instance */
};

/* When a node had its last line before `to_ns` of the options, also one without a value. INT64_MIN: never. */
struct table_heard {
	int64_t last_ns, before_ns; /* without what the file of that number says */
	size_t file;
};

struct table {
	struct names nodes, instances, metrics;
	struct names texts; /* columns of text that are left out */
	struct names rates; /* metrics that are counters by their names, whatever the options say */
	struct names commas,
		whole; /* columns of files: all numbers are like 1,234; some are like 987 */
	struct table_guess guess;
	/* In the order of the lines; after table_finish() by node, metric, instance and time. */
	struct sample *at;
	size_t n;
	struct table_heard *heard; /* of the first n_heard nodes */
	size_t n_heard, n_files;
	bool *counter; /* of each metric: whether it was one; NULL before table_finish() */
	bool events;   /* state durations: many values may lie in one interval, and none in most */
	bool sysstat;  /* all files were sysstat's */
	bool prometheus; /* all of it is of one */
	bool merge;	 /* a node has instances, which become one value as frame.h says */
	int64_t step_ns; /* of the grid, whole milliseconds: by table_finish() */
	/* What was met on the way; table_report() tells it. */
	uint64_t lines, resets, missing, ignored_columns;
	uint64_t damaged;    /* infinite numbers: missing */
	uint64_t duplicates; /* the frame reports those */
	uint64_t restarts;   /* of hosts, as sysstat recorded them */
	struct text notes;   /* a line each */
};

/* More than this is refused. */
#define TABLE_SAMPLES_MAX ((size_t)1 << 26)
enum {
	TABLE_LINE_MAX = 1 << 20,
	TABLE_COLUMNS_MAX = 4096,
	TABLE_NAMES_MAX = 100000,
	TABLE_INSTANCE_MAX = 255
};

struct table_opts {
	/* Which column is what; NULL: "time" (or "timestamp"), "node" (or "host", "hostname").
	 * time "@row": there is none, each node's lines follow each other at `interval_s`, the
	 * first one of every file at 1970-01-01.
	 * node "@file": every file is one node, named as the file up to its first dot. "@column": every column but the
	 * time's is one; the metric is called as the file.
	 * instance NULL: a node has none. */
	const char *time, *node, *instance;
	struct string_list counters; /* columns that only grow */
	struct string_list metrics;  /* only these columns; empty: all */
	bool strict;		     /* of any source: a bad one is an error (source.h) */
	int64_t from_ns,
		to_ns; /* what is asked of a Prometheus; lines from to_ns on are not heard; 0: all are */
	const char *token_file, *ca_file;  /* of a Prometheus: fetch.h */
	struct prometheus_kept *kept;	   /* prometheus.h; NULL: nothing is */
	const volatile sig_atomic_t *stop; /* not 0: no answer is waited for; NULL */
	double interval_s; /* of the grid; 0: the most frequent step, the largest of all
				      * nodes' */
};

/* Those of the time that a command asks for. */
static inline struct table_opts table_between(const struct table_opts *o, int64_t from_ns,
					      int64_t to_ns)
{
	struct table_opts between = *o;

	between.from_ns = from_ns;
	between.to_ns = to_ns;
	return between;
}

/* Options of every command that takes a SOURCE; `base` is the offset of a struct table_opts. */
#define TABLE_OPTIONS(base)                                                                        \
	{0,	     "time",                                                                       \
	 OPT_STRING, (base) + offsetof(struct table_opts, time),                                   \
	 "COLUMN",   "of a table: which column is the time; @row: none",                           \
	 0,	     0},                                                                           \
		{0,                                                                                \
		 "node",                                                                           \
		 OPT_STRING,                                                                       \
		 (base) + offsetof(struct table_opts, node),                                       \
		 "COLUMN",                                                                         \
		 "which column is the server's name; @file: the file's name is; @column: each is " \
		 "one",                                                                            \
		 0,                                                                                \
		 0},                                                                               \
		{0,	     "token-file",                                                         \
		 OPT_STRING, (base) + offsetof(struct table_opts, token_file),                     \
		 "FILE",     "of a Prometheus: the bearer token that it wants",                    \
		 0,	     0},                                                                   \
		{0,	     "ca-file",                                                            \
		 OPT_STRING, (base) + offsetof(struct table_opts, ca_file),                        \
		 "FILE",     "of a Prometheus: trust these certificates, not the system's",        \
		 0,	     0},                                                                   \
		{0,	     "instance",                                                           \
		 OPT_STRING, (base) + offsetof(struct table_opts, instance),                       \
		 "COLUMN",   "which column tells several disks of one server apart",               \
		 0,	     0},                                                                   \
		{0,	   "counter",                                                              \
		 OPT_LIST, (base) + offsetof(struct table_opts, counters),                         \
		 "COLUMN", "a column that only grows: its rate is compared (repeatable)",          \
		 0,	   0},                                                                     \
		{'m',	   "metric",                                                               \
		 OPT_LIST, (base) + offsetof(struct table_opts, metrics),                          \
		 "NAME",   "compare this metric only (repeatable)",                                \
		 0,	   0},                                                                     \
		{0,	   "strict",                                                               \
		 OPT_FLAG, (base) + offsetof(struct table_opts, strict),                           \
		 NULL,	   "a source that cannot be read is an error; default: it is left out",    \
		 0,	   0},                                                                     \
	{                                                                                          \
		0, "interval", OPT_DOUBLE, (base) + offsetof(struct table_opts, interval_s),       \
			"SECONDS", "of the grid a table is put on; default: as it comes", 0.001,   \
			86400                                                                      \
	}

/*
 * Adds one file ("-": standard input) to the table; names keep their numbers. 0, or negative errno
 * after a message that names file and line (-ENOMEM: without one); what was added before stays.
 */
int table_read(struct table *t, const char *path, const struct table_opts *o);
/* Takes back what the file read last gave: it had n samples before. */
void table_take_back(struct table *t, size_t n);
void table_release(struct table *t); /* takes a zeroed one */

/*
 * After the last file: puts the samples in order, makes rates of counters, drops duplicates, finds the
 * step of the grid and notes what is odd about the nodes' times. 0, -ENOMEM, or negative errno after a message:
 * -EINVAL if a counter of the options is not in the table (one that `metrics` leaves out need not be),
 * if nothing tells its rows apart, or if its lines are too near or too far apart for a grid.
 */
int table_finish(struct table *t, const struct table_opts *o);

/* Adds resets, missing values and columns left out, a line each; nothing if there were none. */
void table_report(struct text *to, const struct table *t);

/* Whether a file that begins so is for table_read(), which also says best what is wrong with one that
 * is nothing: it is not empty, and no series file. */
bool table_is(const unsigned char *head, size_t n);

/* Whether a file of a folder is read as a table, by its name. */
bool table_named(const char *name);

/* NULL, or what is wrong with the name of a node, instance or metric: printable UTF-8 of at most
 * `max` bytes. */
const char *name_check(const char *name, size_t len, size_t max);

/* The number of a name, added if it is new: names.c. -1 with errno ENOMEM or E2BIG. */
int64_t names_add(struct names *s, const char *name);
int64_t names_find(const struct names *s, const char *name); /* -1: not there */
/* The same of text without an end; it holds no NUL. */
int64_t names_add_n(struct names *s, const char *name, size_t len);
int64_t names_find_n(const struct names *s, const char *name, size_t len);
/* It is looked for or added soon, after other work: the memory that this takes is fetched meanwhile. */
void names_soon(const struct names *s, const char *name, size_t len);
void names_release(struct names *s);

/* When the first and the last of its samples are; it has some. */
void table_span(const struct table *t, int64_t *first_ns, int64_t *last_ns);

/* The end of the run of samples from `i` on that are of one node, metric and instance. */
size_t table_run(const struct table *t, size_t i);

#endif
