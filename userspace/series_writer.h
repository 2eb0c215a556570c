/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of a writer. series_write.c writes the seconds, series_day.c opens the file they go
 * into, series_device.c gives devices their rows, series_lock.c keeps other writers out.
 */
#ifndef LIMPET_SERIES_WRITER_H
#define LIMPET_SERIES_WRITER_H

#include <sys/stat.h>

#include "series_schema.h"

struct series_device {
	struct device_identity id;
	int known;	/* the caller gave the identity; else only the name is set */
	int64_t row_id; /* in the open file; 0: not there yet */
};

struct series_writer {
	char *dir, *tool, *lock_path, *path;
	char host[HOST_LEN];
	char boot_id[40];
	unsigned int interval_ms;
	int64_t started_ns;
	int lock_fd;

	sqlite3 *db; /* the open file, or NULL */
	sqlite3_stmt *insert_second, *insert_row[FAM_COUNT];
	int64_t day; /* since the epoch, of the open file */
	int64_t boot;
	struct stat file;

	struct series_device *devices;
	size_t n_devices, cap_devices;
	unsigned char blob[LAT_BLOB_MAX];
};

/* No-op when it is held; -EBUSY: by another process. */
int series_lock_take(struct series_writer *w);
/* Leaves no lock file behind. */
void series_lock_drop(struct series_writer *w);

/* Makes the file of that day the open one, unless it is already and still stands in the folder. */
int series_day_open(struct series_writer *w, int64_t day);
/* Rolls back what is not committed. */
void series_day_close(struct series_writer *w);

/* Within a transaction, and returning SQLite's code: a row for every identity that has none yet,
 * and the row of one instance ("": SERIES_NO_DEVICE). */
int series_devices_store(struct series_writer *w);
int series_device_row(struct series_writer *w, enum metric_family family, const char *instance,
		      int64_t *row_id);

#endif
