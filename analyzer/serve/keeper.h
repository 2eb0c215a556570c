/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What senders have of series files, into files of our own, DIR/series/HOST/HOST-YYYYMMDD.limpet: the minute chunks as they are
 * (series.h, "copying a file"). A thread writes; so many files stay open, the others are opened for what comes. Files of old days go
 * (retention.h), in the same thread.
 */
#ifndef LIMPET_SERVE_KEEPER_H
#define LIMPET_SERVE_KEEPER_H

#include "userspace/series/series.h"

/* Files that are open at once, of three descriptors each: so many, and no more than this part of the descriptors that the process may have. A
 * file that has to be opened again for each minute costs ten times as much, and writes six times as much. */
#define KEEPER_OPEN	  2048
#define KEEPER_OPEN_LEAST 16
#define KEEPER_SHARE	  16
#define KEEPER_JOBS	  1024		     /* that wait */
#define KEEPER_BYTES	  ((size_t)64 << 20) /* of them */

struct keeper;

struct keeper_opts {
	const char *dir; /* DIR */
	unsigned int keep_days;
	unsigned int keep_percent; /* of the disk, whoever uses it */
};

/* Called in the keeper's thread, once for each job. err: negative errno, with series_error(); `now` is where the file stands. */
typedef void keeper_done_fn(void *arg, int err, const struct series_cursor *now);

/* 0, or negative errno after a message. */
int keeper_new(struct keeper **k, const struct keeper_opts *o);
/* Does what waits, and closes all. Takes NULL. */
void keeper_free(struct keeper *k);

/* A part of a file of host, or none: a question. The bytes are copied. -EAGAIN: too much waits; -ENOMEM. */
int keeper_take(struct keeper *k, const char *host, const char *file, int64_t origin,
		const void *part, size_t len, keeper_done_fn *done, void *arg);

/* From the next look on, which is soon. */
void keeper_set_bounds(struct keeper *k, unsigned int keep_days, unsigned int keep_percent);

/* The last day that went as the disk was full, since the epoch: it is not wanted again; -1: none did. */
unsigned int keeper_keep_days(struct keeper *k);
int64_t keeper_gone_day(struct keeper *k);

struct keeper_counts {
	uint64_t parts, failed; /* taken; that could not be kept */
	uint64_t bytes;
	size_t waiting, open;
	char trouble[300]; /* why the last one could not; "": it could */
};
void keeper_counts(struct keeper *k, struct keeper_counts *out);

#endif
