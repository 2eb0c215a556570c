/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where data comes from, told apart by content:
 *   series files of limpet-probe, or folders of them: opened once to learn whose they are and which
 *     time they span, then read one at a time: the number of open files stays one a thread;
 *   logs of jobs (logs/log_source.h): read into states, beside whatever else is there;
 *   tables (table.h): CSV, state durations, both also compressed and from standard input
 *     ("-"), and sysstat's binary files through sadf: read whole into memory.
 * One command takes series files or tables: with a series file among the sources, tables are left out.
 * Logs go with either: what servers did and what jobs did on them are two sides of one time.
 *
 * One bad source costs only the server whose it is. What cannot be read, or cannot be believed, is left
 * out: said on standard error, kept in sources.bad with the reason, and the rest is read. No source is
 * waited for: a FIFO is a bad source, unless it is one of this process's own descriptors (/dev/fd/N).
 *
 * Whose a series file is: its name says HOST-YYYYMMDD.limpet, as the probe writes it, and what is
 * inside says a host, too. Both must say the same, or the file is left out, so that no file is taken for
 * another server's. A name without a day names no server: then what is inside counts, which is said, but
 * only where no file has that server's name.
 *
 * What tasks took of the processors is taken from the recordings where logs say which process or container they were, and
 * no more (source_processes.c).
 *
 * Of two files of one server whose times overlap, both are read and that is said; of a second that
 * is in both the first one counts: that of the file that begins first, then of the lesser path.
 */
#ifndef LIMPET_SOURCE_H
#define LIMPET_SOURCE_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

#include "userspace/common/options.h"
#include "userspace/series/series.h"
#include "analyzer/source/logs/log_source.h"
#include "analyzer/source/tables/table.h"
#include "userspace/common/clock.h"

/* More is refused: a clock gone wrong, not a recording. */
enum { SOURCE_DAYS_MAX = 400, SOURCE_HOSTS_MAX = 100000 };

struct source_file {
	char *path;
	char host[HOST_LEN];
	unsigned int interval_ms;
	bool named; /* its name says so, too */
	uint64_t seconds;
	int64_t first_ns, last_ns; /* of the seconds; meaningless where seconds is 0 */
	char *why;		   /* a reader found it damaged: sources_drop_unreadable(); NULL */
};

/* One that was left out. */
struct source_bad {
	char *path;	       /* NULL: a server of a table with many */
	char server[HOST_LEN]; /* by the file's name; "" if it names none */
	char *why;	       /* "is a FIFO, …": follows the file's name in a sentence */
};

struct sources {
	struct source_file *at; /* by host, then first_ns, then path */
	size_t n;
	struct table table; /* empty where these are series files */
	bool tabular;
	struct states states; /* finished; empty where there are no logs */
	char **logs;	      /* n_logs paths: that were read */
	size_t n_logs;
	struct source_bad *bad;
	size_t n_bad;
	struct text notes; /* what is odd about those that are read, a line each */
	bool strict;	   /* any bad source is an error */
};

/*
 * Files as they are; of a folder every *.limpet in it, or, where there is none, every *.csv, *.jsonl and
 * either with .gz, .xz, .zst or .bz2, or, where there is none of these either, every *.limpet in folders SOURCE_LOGS_DEEP below
 * it; and every log in it and in folders SOURCE_LOGS_DEEP below it, known by content (nothing of
 * all that: the folder is a bad source). SQLite's *.limpet-wal, -shm and -journal are passed over. o: how tables
 * are read, and `strict`; logs: how logs are; NULL: with no options.
 * 0, or negative errno after a message: -ENODATA if all there is is empty, -EBADMSG if nothing of it
 * can be read (with o->strict: if one cannot).
 */
enum {
	SOURCE_LOGS_DEEP =
		6, /* of a recording: logs/SERVER/userlogs/JOB/ATTEMPT/syslog, and one more */
	SOURCE_LOGS_MAX = 1000000
};
int sources_open(struct sources *s, char *const *paths, size_t n_paths, const struct table_opts *o,
		 const struct log_opts *logs);
void sources_release(struct sources *s);

/*
 * Leaves out series files whose clock was wrong: of those with seconds in [from_ns, to_ns), each that
 * lies more than SOURCE_APART_NS from the files of at least half of the other servers. Servers that are
 * to be compared were recorded at one time; a clock that lost its time is off by years [D]. 0, -ENOMEM, or
 * -EBADMSG with `strict`.
 */
#define SOURCE_APART_NS (30 * NS_PER_DAY)
int sources_clocks(struct sources *s, int64_t from_ns, int64_t to_ns);

/* Leaves out series files that were not recorded as often as those of most servers (of as many: the more
 * often), for methods that need one grid. As sources_clocks(). */
int sources_one_interval(struct sources *s);

/* The core of sources_clocks(): n files, each of a host (numbers below n_hosts); `away` is set. 0 or -ENOMEM. */
struct source_when {
	size_t host, number; /* number: the caller's */
	int64_t first_ns;
	bool away;
};
int source_clocks_away(struct source_when *at, size_t n, size_t n_hosts);

/* Reads each file's seconds in [from_ns, to_ns) once: `why` of those that are damaged is set. 0 or -ENOMEM. */
int sources_verify(struct sources *s, int64_t from_ns, int64_t to_ns);

/* Leaves out all files with `why`. How many, or -ENOMEM, or -EBADMSG if none is left, or with `strict`. */
ssize_t sources_drop_unreadable(struct sources *s);

/* Leaves out file i, with the reason, as a sentence that goes on from the file's name. 0, -ENOMEM, or
 * -EBADMSG with `strict`. */
int sources_drop(struct sources *s, size_t i, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The server that a series file's name names: HOST of HOST-YYYYMMDD[-N].limpet, or of NAME.limpet the
 * NAME; "" if that is no name of a host. Whether it has a day.
 */
bool source_names(const char *path, char server[HOST_LEN]);

/* What there is to know before a series file is read: fills all of f but path. NULL, or why it cannot be
 * read, as above, in buf; *err is -ENODATA for an empty one, -ESTALE where it is to be tried again. */
const char *source_look(struct source_file *f, char *buf, size_t size, int *err);

/* SQLite's own, beside a series file that is being written, or whose writer was killed. */
bool source_is_beside(const char *path);

/* For scandir(): whether a file of a folder is a series file, by its name. */
int source_is_series(const struct dirent *e);

/* The last part of a path. */
const char *source_base(const char *path);

#endif
