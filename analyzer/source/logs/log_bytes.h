/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a log: of a file as it is, or compressed with gzip, xz, zstd or bzip2 (streams one after the other); or of the
 * folder of a Spark log that is rolled (eventlog_v2_APPLICATION), whose files events_1_…, events_2_… follow each other
 * as one. What a file may grow by comes with a later call.
 */
#ifndef LIMPET_LOG_BYTES_H
#define LIMPET_LOG_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct log_bytes;

/* A regular file, "-", a descriptor ("/dev/fd/N") or such a folder. NULL: *err. */
struct log_bytes *log_bytes_open(const char *path, int *err);

/* The same from a byte of a regular file on: of a compressed one as it is without that. -ENODATA: it has not as many. */
struct log_bytes *log_bytes_open_at(const char *path, uint64_t offset, int *err);

/* Whether it can be opened again where it is, at no cost: it is one file, and not compressed. */
bool log_bytes_plain(const struct log_bytes *b);

/* How many came, at most n; 0: there are none now. -EBADMSG: what is compressed is damaged, or a gzip file is cut off. */
ssize_t log_bytes_read(struct log_bytes *b, void *to, size_t n);

/* Whether the last byte that came is one in the middle of what is compressed. */
bool log_bytes_cut(const struct log_bytes *b);

void log_bytes_close(struct log_bytes *b); /* takes NULL */

/* Whether a folder is one log, by its name. */
bool log_bytes_folder(const char *path);

#endif
