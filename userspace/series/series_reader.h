/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of a reader. series_open.c opens the file, series_bounds.c says what reading it may
 * take, series_check.c looks whether it is what it claims to be, series_rows.c gives its
 * contents: rows through series_chunks.c and series_merge.c.
 */
#ifndef LIMPET_SERIES_READER_H
#define LIMPET_SERIES_READER_H

#include <stdbool.h>
#include <sys/stat.h>

#include "series_grid.h"
#include "userspace/common/clock.h"

/* Rows of meta, of table device, seconds and what its chunks span: see series_check.c, series_rows.c
 * and series_chunks.c. A file is of one UTC day, and has its seconds once; four times where the clock
 * was set back over the whole day again and again. */
#define SERIES_MAX_META	   256
#define SERIES_MAX_ROWS	   (FAM_COUNT * (SERIES_MAX_DEVICES + 1))
#define SERIES_MAX_SECONDS (1 << 18)
#define SERIES_MAX_STACKS  (1 << 16) /* minutes */
#define SERIES_MAX_SPAN_NS (4 * NS_PER_DAY)
/* A value is a section, packed, and its packing adds little to what cannot be packed. */
#define SERIES_VALUE_MAX (SECTION_MAX + (1 << 20))

/* What is left of what one call may take. */
struct series_left {
	int64_t steps, cpu_ns; /* SQLite's */
	uint64_t unzip, grid;  /* bytes inflated, and of memory for columns */
	int64_t rows, cells;   /* given to the caller; rows times seconds of chunks */
	int no_heap;	       /* the file takes more of SQLite's memory than it may */
};

struct series_reader {
	char *path;
	sqlite3 *db;
	char host[HOST_LEN];
	unsigned int interval_ms;
	int64_t packed;	  /* of meta, as series_chunks_list() found it */
	char *missing;	  /* as cgroups */
	char *pids;	  /* the same */
	char *cgroups;	  /* one behind the other, each with its NUL, and another NUL; NULL: none */
	int immutable;	  /* read without locks: there was no -wal */
	struct stat seen; /* the file as it was then */
	struct series_left left;
	int64_t cpu_from_ns; /* from this thread's processor time on left.cpu_ns is used up; 0: not now */
	int has_heap;
	struct series_metrics metrics;
	bool unwanted[M_COUNT]; /* series_reader_want() */
	struct series_inflater inflater;
	bool devices_checked;
	unsigned int columns; /* of families that table chunk has, as far as was asked */
	/* series_reader_follow(): of chunks before that one all is known, and none ends later than that. 0: nothing is. */
	bool follows;
	struct series_prefix {
		int64_t next, last_ns, day, span_ns;
	} prefix;
	/* What a callback is given. */
	struct second_row row;
	struct grid_hists hists;
};

/* What is asked for, family by family. */
struct series_range {
	int64_t from_ns, to_ns;
	unsigned int hists;
	series_row_fn fn;
	void *arg;
};

/* Both set series_error() and return a negative errno. */
int series_damaged(const struct series_reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int series_read_failed(const struct series_reader *r, int rc);

/* ---- series_bounds.c ---- */

/* What one public function may take; to be called at its beginning. */
void series_set_budget(struct series_reader *r);
/* The same for opening and checking the file, which takes little; r->db is open. */
void series_bound_opening(struct series_reader *r);
/* 0 or -EBADMSG, by r->seen: larger than a file can be, or all but a hole. */
int series_check_size(const struct series_reader *r);
/* 0 also where there is no -wal: an empty one is as good as none. */
int64_t series_wal_size(const struct series_reader *r);
/* sqlite3_step() that takes its processor time from the budget: SQLITE_INTERRUPT beyond. */
int series_step(struct series_reader *r, sqlite3_stmt *st);
/* Many steps, between which nothing else is done that takes time, are counted together, for each count
 * is a call of the kernel. From begin, which says whether end is to be called. end: SQLITE_INTERRUPT
 * beyond the budget, else rc. */
bool series_cpu_begin(struct series_reader *r);
int series_cpu_end(struct series_reader *r, bool began, int rc);
/* series_sql() in the same way. */
int series_query(struct series_reader *r, int64_t *v, const char *fmt, ...);
/* A share of SQLite's memory, before r->db is opened; and back after it is closed. */
void series_heap_take(struct series_reader *r);
void series_heap_give(struct series_reader *r);
/* Room for so many keepers more (or fewer) beside the readers. */
void series_heap_keeper(int more);

/* ---- series_rows.c ---- */

/* As series_reader_rows(), of all there is, in a transaction of the caller's, who set the budget: for what a keeper has written. */
int series_reader_try(struct series_reader *r, int64_t from_ns, int64_t to_ns, series_row_fn fn,
		      void *arg);

/* ---- series_check.c ---- */

/* 0, or -ESTALE: a file that is read without locks is not the one that was opened. */
int series_check_unchanged(struct series_reader *r);

/* Everything that can be said without reading the rows; fills host and interval_ms. */
int series_check(struct series_reader *r);

/* A column a query may name: real, for a generated one would run an expression of the file. */
int series_has_column(struct series_reader *r, const char *table, const char *column, int *has);

/* Each row of meta, none of them looked up: keys in a file that lies are in any order. Non-zero from fn
 * stops and is returned. */
typedef int (*series_meta_fn)(struct series_reader *r, const char *key, sqlite3_stmt *st, int col);
int series_each_meta(struct series_reader *r, series_meta_fn fn);

/* series_lines.c: the lists as they stand in meta, for series_reader_cgroups(),
 * series_reader_pids() and series_reader_missing(). 0 or a negative errno. */
int series_cgroups_read(struct series_reader *r, sqlite3_stmt *st, int col);
int series_pids_read(struct series_reader *r, sqlite3_stmt *st, int col);
int series_missing_read(struct series_reader *r, sqlite3_stmt *st, int col);

/* One for each value of table chunk, in the order they were written. */
struct series_chunk {
	int64_t id, first_ns, last_ns;
	size_t n;
	unsigned int sections;
	int64_t boot;
	struct grid_time *time; /* n; NULL: not kept, to be read again */
};

/* Lists them all, and checks those with a second in [from_ns, to_ns); of the others first_ns, last_ns
 * and n stand as the file tells them. The caller frees *chunks with series_chunks_free(), also after an
 * error. keep: their times too, as far as memory is spent on that. */
int series_chunks_list(struct series_reader *r, int64_t from_ns, int64_t to_ns, bool keep,
		       struct series_chunk **chunks, size_t *n);
void series_chunks_free(struct series_chunk *chunks, size_t n);
struct series_blob series_column_blob(sqlite3_stmt *st, int col); /* empty if it is none */
/* Says what went wrong; err is that of series_unpack_head() or series_unpack_section(). */
int series_unpack_failed(const struct series_reader *r, const struct grid *g, int err);
/* Sorts the chunks. FAM_COUNT: the seconds themselves, without rows. */
int series_chunks_rows(struct series_reader *r, struct series_chunk *chunks, size_t n,
		       enum metric_family family, const struct series_range *q);

/* A whole number from 0 on, else -1. */
int64_t series_column_known(sqlite3_stmt *st, int col);

/* The text of a column, "" for NULL; NULL if it is something else or has a NUL inside. */
const char *series_column_text(sqlite3_stmt *st, int col);

/* The columns that series_metric_read() takes one row of. As series_metric_take(). */
#define SERIES_METRIC_ROWS \
	"SELECT id, family, name, kind, per, adler FROM metric NOT INDEXED ORDER BY id"
int series_metric_read(struct series_metrics *m, sqlite3_stmt *st);

#endif
