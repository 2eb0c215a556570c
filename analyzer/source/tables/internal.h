/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the table reader share with each other, and with nobody else. */
#ifndef LIMPET_INPUT_TABLES_INTERNAL_H
#define LIMPET_INPUT_TABLES_INTERNAL_H

#include <jansson.h>

#include "lines.h"
#include "table.h"
#include "userspace/metrics/metrics.h"

/* ---- table.c ---------------------------------------------------------------------------------- */

/* Keeps a sample; one that is missing or infinite is counted. 0, or negative errno after a message but for -ENOMEM; so all
 * here. */
int table_value(struct table *t, const struct lines *l, const struct sample *s, enum number number);

/* There is a line of that node and time, whatever it holds. 0 or -ENOMEM. */
int table_hear(struct table *t, const struct table_opts *o, uint32_t node, int64_t time_ns);

/* A line for table_report(), unless it is there already. 0 or -ENOMEM. */
int table_note(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* *number is the name's, which is checked and added if it is new. 0 or negative errno. */
int table_name(const struct lines *l, struct names *s, const char *what, const char *name,
	       size_t len, size_t max, uint32_t *number);

/* A file of state durations, or one of others: either all are, or none. 0, or -EINVAL after a message. */
int table_kind(struct table *t, const struct lines *l, bool events);

/* What columns of times and of nodes are called, to a NULL. */
extern const char *const table_times[], *const table_nodes[];

/* Whether the user wants the metric of that name. */
bool table_wanted(const struct table_opts *o, const char *metric);

/* The node that a file is with --node @file: its name up to the first dot. 0 or negative errno. */
int table_node_of_file(struct table *t, const struct lines *l, const char *path, uint32_t *node);

/* The metric that a file is of where nothing in it says so: its name up to the first dot, or to the "-data-" that Grafana
 * appends to a panel's. 0, or -EINVAL after a message. */
int table_metric_of_file(const struct lines *l, const char *path, char metric[METRIC_NAME_LEN]);
/* Where such values have no unit: if limpet has a metric of that name, notes that its unit is taken. 0 or -ENOMEM. */
int table_note_unit(struct table *t, const char *metric);

/* ---- formats ---------------------------------------------------------------------------------- */

/* One way to write measurements down: a file here, and a row of the table in table.c. */
struct table_format {
	const char *name; /* what a file of it is, in messages */
	const char
		*suffix; /* what of a folder is read: ".csv", also with ".gz"; NULL: none of it */
	bool binary;	 /* not text */
	bool sysstat;	 /* for struct table */
	/* By its first bytes (at most 4096, uncompressed, behind a byte order mark); unless binary they are text, as UTF-8 is. */
	bool (*is)(const unsigned char *head, size_t n);
	/* Adds what the lines hold to the table; with --node @file the node is what `path` is called,
	 * see table_node_of_file(). 0 or negative errno. */
	int (*read)(struct table *t, struct lines *l, const char *path, const struct table_opts *o);
};

/* sysstat's files through sadf, and what `sadf -d -U` prints (table_sadf.c). */
extern const struct table_format format_sysstat, format_sadf;
/* Any text with a line of names: wide, long, durations of states (table_csv.c). */
extern const struct table_format format_csv;
/* An object a line, with the same names (table_jsonl.c). */
extern const struct table_format format_jsonl;

/* JSON Lines in one list. sysstat's JSON (table_sysstat_json.c); its text (table_sysstat_text.c). */
extern const struct table_format format_json_array, format_sysstat_json, format_sysstat_text;
/* Series with labels (table_prometheus.c). */
extern const struct table_format format_prometheus;

/* ---- table_sadf.c, table_sysstat_json.c -------------------------------------------------------- */
/* Whether the column of that name is read of sysstat's. */
bool sysstat_is_read(const char *name);
/* For struct lines, of what sysstat prints in the user's language. */
#define SYSSTAT_HINT " (S_TIME_FORMAT=ISO makes sysstat write times that everybody reads)"
/* A number as sysstat prints it in any language; metric negative: it is not read. As table_value(), or -EINVAL after a message. */
int sysstat_value(struct table *t, struct lines *l, struct sample at, int64_t metric, char *text);
/* A restart, which may be recorded more than once: those counted have their id in `restarts`. 0 or -ENOMEM. */
int sysstat_restart(struct table *t, struct names *restarts, const char *id);
/* Of iostat the first report is left out, with this note. 0 or -ENOMEM. */
int sysstat_note_first(struct table *t);
/* Nothing else was in the file: -EINVAL after a message. */
int sysstat_only_first(const struct lines *l);
/* Times that name no zone are read as UTC, with this note. 0 or -ENOMEM. */
int sysstat_note_zone(struct table *t, const struct lines *l);
/* What the times of a disk are called, to a NULL. */
extern const char *const sysstat_waits[];
/* iostat printed none of them: -EINVAL after a message. */
int sysstat_no_waits(const struct lines *l);

/* ---- table_json.c ------------------------------------------------------------------------------ */

/* Whether it begins so, but for blanks. */
bool json_begins(const unsigned char *head, size_t n, const char *begin);

/* One document, of which some lists are handed out element by element: objects of at most TABLE_LINE_MAX bytes. */
struct json_document {
	const char *const
		*lists; /* their keys, to a NULL; "": the outermost. Lists in them are theirs */
	/* 0, or negative errno after a message but for -ENOMEM; so all here. */
	int (*element)(void *own, const char *list, json_t *e);
	/* A member outside of them whose value is a string, as it stands there, at most 255 bytes of it; or NULL. */
	int (*member)(void *own, const char *key, const char *text);
	void *own;
	bool may_grow; /* it may end behind an element: who writes it was ended, or still writes */
};
/* 0; 1: it ended behind an element; or negative errno after a message but for -ENOMEM. */
int json_document(struct lines *l, const struct json_document *d);

/* ---- table_grafana.c --------------------------------------------------------------------------- */

/* Whether a table with these names has a column for each server. */
bool table_grafana_is(const struct field *f, size_t n, const struct table_opts *o);
/* Reads it; f has room for TABLE_COLUMNS_MAX fields. 0 or negative errno. */
int table_grafana(struct table *t, struct lines *l, const char *path, const struct table_opts *o,
		  struct field *f, size_t n);

/* ---- table_instance.c ------------------------------------------------------------------------- */

/* Set in the instance of a sample until table_settle() knows whether it is one. */
#define TABLE_GUESSED 0x80000000U

/* How well the column's name says that it tells disks apart: 0 best; table_no_guess: not at all. */
size_t table_guess_rank(const char *column);
extern const size_t table_no_guess;
/* The instance of a line, with TABLE_GUESSED, by what it has in that column. */
uint32_t table_guess(struct table *t, const char *column, const char *name, size_t len);
/* Of samples in order of node, metric and time: makes instances of what was guessed, or forgets it. 0 or -ENOMEM. */
int table_settle(struct table *t, const struct table_opts *o);

/* Of one metric: times of a node and instance, those with several rows, with several values, and all rows. */
struct table_repeats {
	size_t times, again, differ, rows;
};

/* -EINVAL after a message if most rows have another one of the same node, instance and time; of: each metric. */
int table_refuse(const struct table *t, const struct table_opts *o, const struct table_repeats *of);

/* ---- table_finish.c, table_counters.c, table_steps.c ------------------------------------------ */

/* Ordered samples: values of counters become rates; -EINVAL after a message. */
int table_rates(struct table *t, const struct table_opts *o);

/* Ordered samples: finds the step of the grid and notes which nodes' times are odd. 0 or -ENOMEM. */
int table_steps(struct table *t, const struct table_opts *o);

#endif
