/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The series file: one SQLite database per host and UTC day, HOST-YYYYMMDD.limpet. Written by the
 * probe a second at a time (each second one transaction in WAL mode, so that SIGKILL loses at most
 * the second being written) and readable while it is written:
 *
 *   meta(key, value)                 host, interval_ms, tool; packed: the seconds that are in
 *                                    chunks of more than one; cgroups: what the last run was told
 *                                    is the file system's own, a path a line, each as /proc has
 *                                    it of a process; nothing told: no row; pids: the same of
 *                                    processes, a number a line; missing: what the
 *                                    host could not measure in the last run, a sentence a line;
 *                                    kept: of a copy (below), what reading all of it takes
 *   boot(id, boot_id, started_ns)    one row per run of the probe
 *   device(id, family, name, model, firmware, driver, rotational, size_bytes, speed_mbps, detail)
 *                                    (a device that changed gets a new row; tcp and host have
 *                                    none; at most SERIES_MAX_DEVICES of a family)
 *   metric(id, family, name, kind, per, adler)       struct metric; per 1 for gauges; adler:
 *                                    Adler-32 of "ID FAMILY NAME KIND PER" (PER as %.17g)
 *   chunk(id, first_ns, last_ns, seconds, head, disk, net, tcp, host, remote, process, hist)
 *                                    seconds that follow each other in one run; id is 1 + the
 *                                    seconds that were written into this file before
 *
 *   stack(id, from_ns, to_ns, folded)  only where there are any: in what stacks the server's threads were
 *                                    met, a row a minute; folded is a blob as below, of from_ns instead
 *                                    of a chunk's id and number 255: lines "program;…;function COUNT"
 *   user_stack(id, from_ns, to_ns, folded)  the same, number 254, of what its threads computed, by places in
 *                                    files; the lines are described in userspace/probe/profile/user_stacks.h
 *
 * A second is written as a chunk of its own, not compressed; once a minute those become one chunk
 * of up to 60 seconds in their place, compressed. PRAGMA application_id is SERIES_APP_ID, PRAGMA
 * user_version is SERIES_SCHEMA.
 *
 * The blobs of a chunk, NULL where there is nothing: the length of what follows once it is
 * inflated, as a varint, then a zlib stream (RFC 1950), whose Adler-32 tells damage. Inflated:
 *
 *   varint   unsigned LEB128; signed ones with the sign folded in (0, -1, 1, -2 … as 0, 1, 2, 3 …)
 *   column   of n whole numbers, n being known; nothing if n is 0. A byte: 255 is "all are alike"
 *            and the number follows, signed. Else mode << 6 | k and a signed base b, then each
 *            number x Rice coded, bits from the lowest of each byte on, padded to a whole byte.
 *            mode 0: x - b; mode 1: x - the one before (the first is b, and not coded); both with
 *            the sign folded in; mode 2: x - b, not negative. A number u: u >> k ones and a zero,
 *            then the k low bits of u; or, from 20 ones on, 20 ones and the 64 bits of u.
 *   values   of the n seconds a row is present in. A byte t: bit 0: floats, bit 1: states follow, a
 *            column of n: 0 coded, 1 zero, 2 not measured, 3 raw (without them all are coded).
 *            Then 8 bytes, a little-endian double, for each raw one, then a column of the coded
 *            ones: for a metric of kind rate the count c, its value being c / (interval_s * per);
 *            for a gauge the value or, for floats, the upper 27 bits of the double without its
 *            sign, negated for negative values.
 *
 * Every blob begins with a varint, the chunk's id, and a byte, its number: those of the families are
 * 0 disk, 1 net, 2 tcp, 3 host, 4 remote, 5 process, then 6 head, 7 hist.
 *
 *   head     varints: boot.started_ns, n, the blobs there are (1 << number, added up); columns of
 *            n: wall_ns, seq, mono_ns, late_ns + wall_ns - mono_ns, lost; the intervals: a column
 *            of states (0 coded, 2 not known, 3 raw), raw doubles, a column of the coded ones:
 *            interval in ns - (mono_ns - mono_ns of the second before in this chunk, or 0)
 *   family   varint rows; each: varint length and text of the instance ("" for tcp and host),
 *            varint device.id (0: none), a column of n: 1 where it is present, varint metrics;
 *            each: varint metric.id, values
 *   hist     varint histograms; each: byte family, varint length and text of the instance, byte
 *            kind (0 lat, 1 dev, 2 runq), a column of n: 1 where it is present, varint buckets;
 *            each: varint buckets skipped, column of counts. Buckets are flattened
 *            [op][size][bucket], see bpf/record.h.
 *
 * So a rate comes back to 1e-9 of itself or better, as does any sum of counts; a gauge that is a
 * whole number exactly, another one rounded to 2^-16 of itself. Damage to the blobs is told by
 * their checksums, missing chunks by their numbers, the rest by SQLite.
 * SIGKILL loses nothing that series_writer_append() returned 0 for; a power failure may lose the
 * last minutes, since only checkpoints wait for the disk (synchronous=NORMAL), but no file. The
 * -wal is 4 MiB long and written round and round. tools/series-size measures what a day takes.
 *
 * Rows of meta, columns and families that a reader does not know it passes over, so that what is
 * added to this schema does not keep an older limpet from reading the rest.
 *
 * Functions return 0 or a negative errno and leave a sentence for people in series_error().
 *
 * This is the room's one header for others. Its other headers (series_schema.h, series_code.h,
 * series_grid.h, series_reader.h, series_writer.h) are for the room itself, and for its tests.
 */
#ifndef LIMPET_SERIES_H
#define LIMPET_SERIES_H

#include "userspace/common/text.h"
#include "userspace/second/second.h"

#define SERIES_APP_ID 0x6c6d7074 /* "lmpt" */
#define SERIES_SCHEMA 2
#define SERIES_SUFFIX ".limpet"
#define HOST_LEN      64 /* with the NUL; letters, digits, '.', '_' and '-' */

/* Devices of one family that a file takes. Of processes beyond, the values are added to the row
 * "(rest)" of their second; others are written without a device. */
#define SERIES_MAX_DEVICES 20000

/* Of a file: cgroups that are the file system's own, and their length with the NUL. */
#define SERIES_MAX_CGROUPS 64
#define SERIES_CGROUP_LEN  4096
#define SERIES_MAX_PIDS	   64 /* and processes */
/* Of one sentence about what the host cannot measure, with the NUL. */
#define SERIES_MISSING_LEN 1024

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
	char detail[128]; /* of a process: the path of its cgroup */
};

/* NULL, or what is wrong with the name as one sentence. */
const char *series_check_host(const char *host);

/* A text as the file holds it: printable ASCII, '?' for anything else, cut to fit `size` with the NUL. */
void series_copy_text(char *to, size_t size, const char *from);

/* Instance names: 0 to INSTANCE_LEN - 1 printable ASCII characters, no blanks. */
int series_instance_valid(const char *name);
/* What may stand in a file as the name of an instance. */
void series_copy_name(char to[INSTANCE_LEN], const char *from);

/* What the last failed call on this thread was about: "cannot open '…': …". */
const char *series_error(void);

/* Sets that text and returns err (a negative errno): also for callbacks, whose errors the readers return. */
int series_fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- what else a file says, as text: an entry a line ---- */

enum series_lines { LINES_CGROUPS, LINES_PIDS, LINES_MISSING };

/* The lines that meta has of them, for the caller to free; *text is NULL where there is none. As in
 * series_writer_opts. */
int series_lines_of_cgroups(char **text, const char *const *cgroups, size_t n);
int series_lines_of_pids(char **text, const uint32_t *pids, size_t n);
/* The same of struct second.missing, made printable. */
int series_lines_of_missing(char **text, const char *missing);

/* Calls back for each line of a text that may be hostile, as series_reader_cgroups() and its like do. -EBADMSG,
 * with no call: an entry is not as they say. Non-zero stops and is returned. */
int series_lines_each(enum series_lines kind, const char *text, size_t len,
		      int (*fn)(void *arg, const char *entry), void *arg);

/* ---- writing ---- */

struct series_writer;

struct series_writer_opts {
	const char *dir;  /* must exist */
	const char *host; /* series_check_host() */
	unsigned int interval_ms;
	const char *tool; /* "limpet-probe 0.1" */
	/* What is the file system's own: paths from the root of the hierarchy, as those of processes
	 * (device_identity.detail) but never cut, in printable ASCII after series_copy_text(). */
	const char *const *cgroups;
	size_t n_cgroups;
	const uint32_t *pids; /* the same: processes */
	size_t n_pids;
	/* Files of so many days, and of so many bytes, are kept of this host, the day being written
	 * included and never removed; 0: all. Looked at when a day begins, and the bytes once a
	 * minute. Days without a file do not count. */
	unsigned int keep_days;
	uint64_t keep_bytes;
	/* Told what was removed or could not be, a sentence each, within series_writer_append(); may
	 * be NULL. */
	void (*notify)(void *arg, const char *text);
	void *notify_arg;
	size_t backlog_bytes; /* see SERIES_KEPT; 0: 4 MiB */
};

/* Opens nothing yet but checks that `dir` can be written; the file of a day is opened by the first
 * second of that day, and continued if it exists. The strings are copied. -EBUSY: another process
 * writes for this host in this folder (.HOST.lock, which dies with its process). */
int series_writer_new(struct series_writer **w, const struct series_writer_opts *opts);

/* From now on, and first looked at with the next day, or minute where there is a bound of bytes. */
void series_writer_set_bounds(struct series_writer *w, unsigned int keep_days, uint64_t keep_bytes);

/* As in series_writer_opts: the file says so from the next second on that is written. A negative errno: it
 * stays as it was. */
int series_writer_set_cgroups(struct series_writer *w, const char *const *cgroups,
			      size_t n_cgroups);
/* The same of series_writer_opts.pids. */
int series_writer_set_pids(struct series_writer *w, const uint32_t *pids, size_t n_pids);

/* Remembered and written into this and every later day's file. Call again when it changes. Of a
 * process or a remote host it is written once a row of it is, and forgotten when a whole day passes
 * without. */
int series_writer_identity(struct series_writer *w, const struct device_identity *id);

/*
 * One transaction. Returns 0: the second is in the file, and all before it. SERIES_KEPT: the disk
 * is full, read-only or failing (ENOSPC, EDQUOT, EROFS, EIO), the folder is away (ENOENT) or the
 * file locked (EBUSY); series_error() says; and the second
 * is kept in memory; the next calls write what is kept first, in order, and return 0 once all is
 * written. Beyond backlog_bytes the oldest are dropped, and the next second that is written has
 * their number added to its `lost`.
 * On a negative errno nothing of this second is written or kept (unless seconds are kept already,
 * when it is kept with them), everything before it is, and the next call tries anew: also after
 * the folder or the file went away. -EEXIST: this run has come to that seq already, or s has an
 * instance twice; -EBADMSG: the file of the day is damaged, newer or not ours, and stays as it is
 * until it is moved away.
 */
#define SERIES_KEPT 1
int series_writer_append(struct series_writer *w, const struct second *s);

/* What a table of stacks tells of the server's threads: what they were met in, or what they computed. */
enum series_stacks { STACKS_MET, STACKS_USER, STACKS_KINDS };

/*
 * Adds stacks of a time that is over, lines "a;b;c COUNT", to the open file. They are not kept for later:
 * a negative errno, -ENOENT before the first second is written, means that they are not there.
 */
#define SERIES_STACKS_MAX (4 << 20)
int series_writer_stacks(struct series_writer *w, enum series_stacks kind, int64_t from_ns,
			 int64_t to_ns, const char *folded);

/* Seconds kept in memory now, and dropped since series_writer_new(). */
void series_writer_backlog(const struct series_writer *w, uint64_t *seconds, uint64_t *dropped);

/* Writes what is kept, packs, closes and checkpoints, so that no -wal file stays behind. Takes NULL.
 * Negative: what was kept could not be written, and is lost. */
int series_writer_free(struct series_writer *w);

/* ---- reading ---- */

struct series_reader;

/* Refuses, with the reason: not a series file, a newer schema, truncated or damaged.
 * The file is opened read-only. -ENODATA: empty; -EINVAL: not a series file; -EPROTONOSUPPORT:
 * another schema; -EBADMSG: damaged, or wants more than the largest day needs, of memory too
 * (series_bounds.c; the numbers are in limpet-inputs(5)); -EACCES also for a -wal that a killed writer left in a folder
 * that cannot be written; -ESTALE, from any reading function: a writer came while a file without
 * a -wal was read, so try again with a new reader. */
int series_reader_new(struct series_reader **r, const char *path);
void series_reader_free(struct series_reader *r); /* takes NULL */

const char *series_reader_host(const struct series_reader *r);
unsigned int series_reader_interval_ms(const struct series_reader *r);

/* Calls back for each control group that the probe was told is the file system's own, in the order
 * given; none in files of before that was recorded. Paths: series_writer_opts.cgroups. Non-zero
 * stops and is returned. */
int series_reader_cgroups(const struct series_reader *r, int (*fn)(void *arg, const char *path),
			  void *arg);

/* The same for each process, a number of up to ten digits: series_writer_opts.pids. */
int series_reader_pids(const struct series_reader *r, int (*fn)(void *arg, const char *pid),
		       void *arg);

/* The same for each sentence about what the host cannot measure (struct second.missing); of the last
 * run. Shorter than SERIES_MISSING_LEN, printable. */
int series_reader_missing(const struct series_reader *r, int (*fn)(void *arg, const char *text),
			  void *arg);

struct series_time {
	int64_t wall_ns;
	uint64_t mono_ns;
	uint64_t seq, lost;
	double interval_s; /* what rates were divided by; NaN: not known */
	int64_t boot; /* run of the probe: when it began, ns since the epoch, in every file of it */
};

/*
 * Calls back for every row of the families chosen (1 << enum metric_family, SERIES_ALL) whose
 * wall_ns is in [from_ns, to_ns), family by family, in order of time within one family. row has NaN
 * where a value was not measured, and of its histograms those chosen in hists (enum second_hist)
 * that were; what is not chosen is not decoded. t and row are valid in the call.
 * A non-zero return of the callback stops and is returned. All is of one moment of a file being
 * written. What cannot be right (a chunk that does not decode, one that is missing) is -EBADMSG;
 * rows before it were given already. -E2BIG: more than 64 times the clock was set back over one
 * moment.
 * SERIES_SECONDS, by itself or with families: first each second, also one without rows, with row NULL;
 * where it stands in the file is all that is read for that.
 */
#define SERIES_ALL     ((1U << FAM_COUNT) - 1)
#define SERIES_SECONDS (1U << FAM_COUNT)
typedef int (*series_row_fn)(void *arg, const struct series_time *t, const struct second_row *row);
int series_reader_rows(struct series_reader *r, int64_t from_ns, int64_t to_ns,
		       unsigned int families, unsigned int hists, series_row_fn fn, void *arg);

/*
 * From now on rows have the values of these metrics only (M_COUNT of them; NULL: all), others are
 * NaN. The rows stay the same, also of families of which nothing is wanted. What is not wanted is
 * not decoded: damage in it is still found by the checksum, but what a faulty or hostile writer
 * put there under a valid checksum may not be.
 */
void series_reader_want(struct series_reader *r, const bool *wanted);

/*
 * For a reader that is kept, and asked for the newest seconds of a file that grows again and again: what was looked at of the
 * packed minutes before them is not looked at again. Whoever keeps a reader keeps the writer from removing its -wal, which then
 * stays behind, empty.
 */
void series_reader_follow(struct series_reader *r);

/*
 * Calls back for the stacks of each time that begins in [from_ns, to_ns): `len` bytes of lines, printable
 * ASCII, valid in the call. Non-zero stops and is returned.
 */
typedef int (*series_stacks_fn)(void *arg, int64_t from_ns, int64_t to_ns, const char *folded,
				size_t len);
int series_reader_stacks(struct series_reader *r, enum series_stacks kind, int64_t from_ns,
			 int64_t to_ns, series_stacks_fn fn, void *arg);

/* Number of seconds in the file and the first and last wall_ns; 0 seconds is no error. */
int series_reader_span(struct series_reader *r, uint64_t *seconds, int64_t *first_ns,
		       int64_t *last_ns);

/* Calls back for each device row, oldest first; non-zero stops and is returned. */
int series_reader_devices(struct series_reader *r,
			  int (*fn)(void *arg, const struct device_identity *id), void *arg);

/* ---- copying a file, chunk by chunk, as a message has it (userspace/wire) ---- */

/*
 * A part: rows of a file as they stand there, with the same ids. Each is a byte, its kind, and what follows, up to the part's end. A
 * text or a blob is a varint, its length, and the bytes (varints and signed ones as above):
 *
 *   7 from     six varints: where the receiver stood for whom the part was made: kept, boot, metric, device, stack, user_stack of
 *              struct series_cursor. The first row of every part. A receiver that has less takes nothing.
 *   1 meta     text key; byte 0 and a signed varint, or byte 1 and a text of lines. All rows, in each part, but `packed` and `kept`,
 *              which receivers make themselves. A key that the part does not have is removed.
 *   2 boot     varint id; text boot_id ("": NULL); signed started_ns. The highest that the receiver has comes again.
 *   3 metric   varint id; texts family, name, kind; 8 bytes per, a little-endian double; varint adler
 *   4 device   varint id; texts family, name, model, firmware, driver, detail ("": NULL); signed rotational, size_bytes, speed_mbps
 *              (negative: NULL). One that the receiver has may come again with a chunk: its identity, if it had none, is this.
 *   5 chunk    varint id; signed first_ns, last_ns; varint seconds; signed: last_ns of the chunk before it, 0: there is none; varint
 *              n; n times byte number of the section (as above), blob, which is never empty. One at most.
 *   6 stacks   byte 255 or 254 (as above); varint id; signed from_ns, to_ns; blob
 *
 * from comes first, then meta, boot, metric and device, on which the chunk depends; stacks, and devices again, after it. Rows that the
 * receiver has (by its cursor) are not repeated but as said. A part is at most 4,128,768 bytes; texts are printable ASCII, of boot
 * and device up to 255 bytes, keys up to 63.
 *
 * How a chunk is taken: its id is `kept`, and the second before is the same: it is stored, and `kept` becomes id + seconds. It ends
 * before `kept`: it is there. It begins before and ends behind: the probe packed seconds that were copied one by one, and it takes
 * their place. It begins behind: it is not taken. Else the two files are not the same one any more: the sender's was set back, by
 * a power failure, and went on with other seconds of the same numbers. Then what the receiver has becomes another file.
 */

/* Where a copy of a file stands: the chunk that is wanted next (1: the first); of the other tables the highest id there is, 0: none. */
struct series_cursor {
	int64_t kept, boot, device, metric, stack, user_stack;
};

/* A file that is copied, which may be written to meanwhile. */
struct series_copy;

/* As series_reader_new(). */
int series_copy_new(struct series_copy **c, const char *path);
void series_copy_free(struct series_copy *c); /* takes NULL */
const char *series_copy_host(const struct series_copy *c);
/* When its first run of the probe began: what tells it from another file of its name. */
int64_t series_copy_origin(const struct series_copy *c);

/*
 * Adds a part to `to`: what is beyond the cursor, stacks too, with one chunk at most. A chunk of one second counts only if it is from
 * before plain_ns: seconds that were never packed. *next: the cursor behind the part. 1: there is something new; 0: nothing is, and
 * nothing was added. A look at which nothing is new takes some ten microseconds, and holds up no checkpoint of the writer's.
 * A negative errno as of a reader; -ENODATA: the chunk that is wanted is missing; -E2BIG: it is longer than a part may be;
 * -ENOENT, -ESTALE: the file is no longer there, or is another one: begin with series_copy_new().
 */
int series_copy_out(struct series_copy *c, const struct series_cursor *from, int64_t plain_ns,
		    struct text *to, struct series_cursor *next);

/* A file that such parts become; a thread's own, and one keeper a file. */
struct series_keeper;

/*
 * Opens or begins `file`, HOST-YYYYMMDD.limpet, in the folder dir. Another file of that name, by its origin, is renamed to
 * HOST-YYYYMMDD-N.limpet, and a damaged one to HOST-YYYYMMDD-N.damaged, with what lies beside it, and a new one is begun;
 * *aside: the name it got, for the caller to free; NULL: nothing was renamed. The new one is made by the first part that is taken.
 * A negative errno: the disk, or no such name.
 */
int series_keeper_open(struct series_keeper **k, const char *dir, const char *file,
		       const char *host, int64_t origin, char **aside);
/*
 * Takes a part, every byte of which may be hostile, in one transaction: after SIGKILL the file has all of it or nothing. 0: also where
 * nothing was to be taken; the cursor says where it stands. A file that was removed is begun anew. What is taken is decoded first, by
 * a reader: the file is one that a reader takes, also as a whole.
 * -EBADMSG: it cannot be right, and nothing of it is taken. -EEXIST: the file was of another recording (above), or is damaged: it was
 * renamed as by series_keeper_open(), which series_error() says, nothing was taken, and the cursor is at the beginning. Else the
 * disk: nothing of it is taken.
 */
int series_keeper_take(struct series_keeper *k, const void *part, size_t len);
void series_keeper_cursor(const struct series_keeper *k, struct series_cursor *now);
/* All is in the file, and no -wal stays behind unless somebody reads, and then an empty one. Takes NULL. */
void series_keeper_close(struct series_keeper *k);

/* ---- one second by itself, as a message has it (userspace/wire) ---- */

/*
 *   varint   n, the metrics that the second has; n times 4 bytes, little-endian: the CRC-32 of
 *            "FAMILY NAME KIND PER" (PER as %.17g; 1 for gauges). The number of a metric in the blobs is its
 *            place here, from 1 on. Values of a metric that a reader does not know it passes over.
 *   blobs    to the end, each: byte, its number; varint, its length; the blob, as a chunk with id 0 of this
 *            second has it (above). A blob whose number a reader does not know it passes over.
 */
struct series_second;

/* For packing or unpacking one second after the other; its memory is used again. */
int series_second_new(struct series_second **x);
void series_second_free(struct series_second *x); /* takes NULL */

/* Adds the bytes to `to`. boot: series_time.boot. level: of zlib, 0 stores. -EEXIST: s has an instance twice; -E2BIG: it
 * is larger than any second. */
int series_second_pack(struct series_second *x, const struct second *s, int64_t boot, int level,
		       struct text *to);

/* -EBADMSG: they are damaged, or hold more than a second can. */
int series_second_unpack(struct series_second *x, const void *at, size_t len);

/* Of the second unpacked last: its time, and its rows, as series_reader_rows() gives them. */
const struct series_time *series_second_time(const struct series_second *x);
int series_second_rows(struct series_second *x, unsigned int hists, series_row_fn fn, void *arg);

/* As series_reader_want(), from the next series_second_unpack() on. */
void series_second_want(struct series_second *x, const bool *wanted);

#endif
