/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The series file: one SQLite database per host and UTC day, HOST-YYYYMMDD.limpet. Written by the
 * probe a second at a time (each second one transaction in WAL mode, so that SIGKILL loses at most
 * the second being written), readable while it is written, and with the sqlite3 shell:
 *
 *   meta(key, value)                 host, interval_ms, tool
 *   boot(id, boot_id, started_ns)    one row per run of the probe
 *   device(id, family, name, model, firmware, driver, rotational, size_bytes, speed_mbps)
 *                                    (a device that changed gets a new row; tcp and host have
 *                                    none, and 0 in their column `device`)
 *   second(id, boot, seq, wall_ns, mono_ns, late_ns, interval_s, lost)   key (boot, seq)
 *   disk, net, tcp, host(second, device, "METRIC"…)   a column per metric of the family;
 *                                    NULL = not measured; disk has also lat, the histograms:
 *                                    pairs of unsigned LEB128 varints (buckets skipped, count)
 *                                    over the flattened [op][size][bucket] of struct lat_hist
 *
 * PRAGMA application_id is SERIES_APP_ID, PRAGMA user_version is SERIES_SCHEMA. Columns are found
 * by name: a reader gives NaN for a column the file lacks and passes over one it does not know.
 *
 * Numbers are stored in full, as SQLite's doubles; whole ones take less. A second of one disk, one
 * interface, tcp and host is about 450 bytes of file, 500 with 40 latency buckets in use, and 36 kB
 * written to disk, nearly all of it the -wal, which is 4 MiB long and written round and round.
 * SIGKILL loses nothing that series_writer_append() returned 0 for; a power failure may lose the
 * last minutes, since only checkpoints wait for the disk (synchronous=NORMAL), but no file.
 * SQLite has no checksums: damage to structure, order and keys is found, a bit flipped inside a
 * number is not.
 *
 * Functions return 0 or a negative errno and leave a sentence for people in series_error().
 */
#ifndef LIMPET_SERIES_H
#define LIMPET_SERIES_H

#include "second.h"

#define SERIES_APP_ID 0x6c6d7074 /* "lmpt" */
#define SERIES_SCHEMA 1
#define SERIES_SUFFIX ".limpet"
#define HOST_LEN      64 /* with the NUL; letters, digits, '.', '_' and '-' */

/* What stands behind an instance; empty or negative where unknown. */
struct device_identity {
	enum metric_family family;
	char name[INSTANCE_LEN];
	char model[64];
	char firmware[32];
	char driver[32];
	int rotational; /* 1, 0, or -1 */
	int64_t size_bytes;
	int64_t speed_mbps;
};

/* NULL, or what is wrong with the name as one sentence. */
const char *series_check_host(const char *host);

/* What the last failed call on this thread was about: "cannot open '…': …". */
const char *series_error(void);

/* ---- writing ---- */

struct series_writer;

struct series_writer_opts {
	const char *dir;  /* must exist */
	const char *host; /* series_check_host() */
	unsigned int interval_ms;
	const char *tool; /* "limpet-probe 0.1" */
};

/* Opens nothing yet but checks that `dir` can be written; the file of a day is opened by the first
 * second of that day, and continued if it exists. The strings are copied. -EBUSY: another process
 * writes for this host in this folder (.HOST.lock, which dies with its process). */
int series_writer_new(struct series_writer **w, const struct series_writer_opts *opts);

/* Remembered and written into this and every later day's file. Call again when it changes. */
int series_writer_identity(struct series_writer *w, const struct device_identity *id);

/* One transaction. On -ENOSPC or another error nothing of this second is in the file, everything
 * before it is, and the next call tries anew: also after the folder or the file went away. -EEXIST:
 * this run has written that seq, or s has an instance twice; -EBADMSG: the file of the day is
 * damaged, newer or not ours, and stays as it is until it is moved away. */
int series_writer_append(struct series_writer *w, const struct second *s);

/* Closes and checkpoints, so that no -wal file stays behind. Takes NULL. */
int series_writer_free(struct series_writer *w);

/* ---- reading ---- */

struct series_reader;

/* Refuses, with the reason: not a series file, a newer schema, truncated or damaged.
 * The file is opened read-only. -ENODATA: empty; -EINVAL: not a series file; -EPROTONOSUPPORT:
 * another schema; -EBADMSG: damaged; -EACCES also for a -wal that a killed writer left in a folder
 * that cannot be written; -ESTALE, from any reading function: a writer came while a file without
 * a -wal was read, so try again with a new reader. */
int series_reader_new(struct series_reader **r, const char *path);
void series_reader_free(struct series_reader *r); /* takes NULL */

const char *series_reader_host(const struct series_reader *r);
unsigned int series_reader_interval_ms(const struct series_reader *r);

struct series_time {
	int64_t wall_ns;
	uint64_t mono_ns;
	uint64_t seq, lost;
	int64_t boot; /* run of the probe: when it began, ns since the epoch, in every file of it */
};

/*
 * Calls back for every row whose wall_ns is in [from_ns, to_ns), family by family, in order of
 * time within one family. v has M_COUNT values, NaN where not of this family or not measured;
 * lat is NULL unless with_lat and the row is a disk's. They and instance are valid in the call.
 * A non-zero return of the callback stops and is returned. All is of one moment of a file being
 * written. A row that cannot be right (text for a number, infinity, a histogram that does not
 * decode, no second) is -EBADMSG; rows before it were given already.
 */
typedef int (*series_row_fn)(void *arg, const struct series_time *t, enum metric_family family,
			     const char *instance, const double v[M_COUNT],
			     const struct lat_hist *lat);
int series_reader_rows(struct series_reader *r, int64_t from_ns, int64_t to_ns, int with_lat,
		       series_row_fn fn, void *arg);

/* Number of seconds in the file and the first and last wall_ns; 0 seconds is no error. */
int series_reader_span(struct series_reader *r, uint64_t *seconds, int64_t *first_ns,
		       int64_t *last_ns);

/* Calls back for each device row, oldest first; non-zero stops and is returned. */
int series_reader_devices(struct series_reader *r,
			  int (*fn)(void *arg, const struct device_identity *id), void *arg);

#endif
