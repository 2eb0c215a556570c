/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of a writer. series_write.c writes the seconds, series_day.c opens the file they go
 * into, series_tables.c gives it its tables, series_lines.c what the probe was told and cannot
 * do, series_fold.c packs its seconds by the minute, series_device.c gives devices their rows,
 * series_backlog.c keeps what cannot be written, series_keep.c removes the files of old days,
 * series_lock.c keeps other writers out.
 */
#ifndef LIMPET_SERIES_WRITER_H
#define LIMPET_SERIES_WRITER_H

#include <sys/stat.h>

#include "series_grid.h"

/* Memory of what is packed or unpacked at once; 60 s of 128 busy disks take 30 MB. */
#define WRITER_GRID_LIMIT ((size_t)1 << 30)
/* zlib's, of chunks of a minute: 9 is half a per cent smaller and takes twice as long. */
#define FOLD_LEVEL 6

struct series_device {
	struct device_identity id;
	int known;	      /* the caller gave the identity; else only the name is set */
	unsigned int touched; /* when it was last seen: series_writer.generation */
	int64_t row_id;	      /* in the open file; 0: not there yet */
};

/* One second that waits for a disk with room. */
struct series_kept {
	struct series_kept *next;
	size_t size;
	struct series_packed packed;
};

struct series_writer {
	char *dir, *tool, *lock_path, *path;
	char *cgroups; /* a path a line; NULL: none were given */
	char *pids;    /* a number a line; NULL: none were given */
	char *missing; /* a sentence a line; NULL: nothing is */
	char host[HOST_LEN];
	char boot_id[40];
	unsigned int interval_ms;
	int64_t started_ns;
	int lock_fd;
	int has_seq; /* last_seq is set */
	uint64_t last_seq;

	sqlite3 *db; /* the open file, or NULL */
	sqlite3_stmt *begin, *insert, *commit;
	int64_t day; /* since the epoch, of the file opened last; -1: none yet */
	struct stat file;
	struct series_metrics metrics; /* numbers in the open file */
	int64_t next_id;	       /* of a chunk: 1 + seconds in the file */
	int64_t fold_from;	       /* chunks before that one are as they shall be */
	int64_t minute;		       /* of the last second */
	size_t n_plain;		       /* seconds from there on */

	struct series_device *devices;
	size_t n_devices, n_of_family[FAM_COUNT];
	struct map by_name; /* of devices, by family and name */
	unsigned int generation;
	int64_t last_device; /* highest row of a device in the open file */
	int64_t n_stored[FAM_COUNT];

	struct series_kept *kept, **kept_end;
	size_t n_kept, kept_size, kept_max;
	uint64_t dropped, dropped_new; /* ever; not yet in a second's `lost` */
	char why_kept[512];

	unsigned int keep_days;
	uint64_t keep_bytes;
	int told_large;
	void (*notify)(void *arg, const char *text);
	void *notify_arg;
};

/* No-op when it is held; -EBUSY: by another process. */
int series_lock_take(struct series_writer *w);
/* Leaves no lock file behind. */
void series_lock_drop(struct series_writer *w);

/* Makes the file of that day the open one, unless it is already and still stands in the folder. */
int series_day_open(struct series_writer *w, int64_t day);
/* Rolls back what is not committed. */
void series_day_close(struct series_writer *w);

/* Gives w->db the tables, this run's row in them and the numbers of metrics, in a transaction of
 * the caller's, and prepares w->begin, w->insert and w->commit. Returns SQLite's code. */
int series_tables_create(struct series_writer *w);
/* Fills w->cgroups. 0 or a negative errno. */
int series_cgroups_take(struct series_writer *w, const char *const *cgroups, size_t n);
/* The same of w->pids. */
int series_pids_take(struct series_writer *w, const uint32_t *pids, size_t n);
/* Fills w->missing with that of the first second that has one. 0 or a negative errno. */
int series_missing_take(struct series_writer *w, const char *missing);

/* Binds and runs w->insert. Returns SQLite's code. */
int series_insert_chunk(struct series_writer *w, const struct series_packed *p,
			const struct grid *g, int64_t id);

/* Packs the plain seconds of the open file, each GRID_SECONDS one chunk. What fails leaves the file
 * as it was, to be tried again later. */
void series_fold(struct series_writer *w);

/* One second, g->n == 1: one transaction. Gives the rows of g their devices. */
int series_write_grid(struct series_writer *w, struct grid *g);

/* Within a transaction, and returning SQLite's code: a row for every identity that has none yet;
 * and the devices of the rows of g, those there is no row left for summed up in "(rest)". */
int series_devices_store(struct series_writer *w);
int series_devices_resolve(struct series_writer *w, struct grid *g);
/* When another day begins: what was not seen for a day is forgotten. */
void series_devices_next_day(struct series_writer *w);
void series_devices_free(struct series_writer *w);

/* Adds a second behind those kept, and drops the oldest beyond the limit. */
int series_backlog_push(struct series_writer *w, const struct second *s);
/* Writes what is kept, oldest first; 0: all. */
int series_backlog_drain(struct series_writer *w);
void series_backlog_free(struct series_writer *w);
/* Whether an error is one that goes away when there is room again. */
int series_backlog_for(int err);

/* Removes old days: all of the rules (a day began), or only that of the size. */
void series_keep(struct series_writer *w);

#endif
