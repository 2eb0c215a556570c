/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is followed: files, whose they are and what is new in them; and the intervals of each host that are
 * not given yet, read anew from its files whenever one of them changed. Or frames of a stream (follow_wire.c), through the
 * same loop.
 */
#ifndef LIMPET_ROBUST_FOLLOW_FILES_H
#define LIMPET_ROBUST_FOLLOW_FILES_H

#include "gather_read.h"

/* A file and its -wal as they were: what tells that there may be something new. */
struct file_stamp {
	int64_t inode, size, mtime_ns;
};

struct follow_file {
	char *path;
	struct file_stamp seen[2];
	bool known;   /* it was opened: host and what follows are valid */
	bool failed;  /* not read since seen */
	bool skipped; /* while its host is read: it cannot be */
	bool named;   /* its name is its host's, too (source.h) */
	bool away;    /* it does not count: its name, or its clock, as source.h has it */
	char *why;    /* it is left out for this; NULL: it is not */
	int64_t tried_ns;
	size_t host;
	uint64_t total;	  /* seconds in it */
	uint64_t counted; /* of them, in the balance of its host */
	int64_t first_ns, last_ns;
};

struct follow_host {
	char name[HOST_LEN];
	unsigned int interval_ms;
	bool changed;  /* one of its files did */
	bool reported; /* in the interval that was given last */
	bool caught;   /* everything in its files was read once */
	bool joined;   /* it came when time was given already */
	uint64_t
		late; /* seconds that came after their time was given, of files since that was last said */
	/* Of a stream: frames; and when the probe began whose seconds count, frames of others for the same seconds. */
	uint64_t damaged;
	int64_t boot_ns;
	uint64_t others;
	struct host_intervals intervals;
	struct identities ids;
	size_t first_file, n_files; /* those of its files, in follow.of_host */
	/* Seconds: what came into its files, less what was taken from them; see follow_read(). */
	int64_t balance;
	uint64_t given, seen;
};

/*
 *      feed_now()        follow_begin()         follow_silence()
 * WAIT ──────────► FILES ─────────────► SILENCE ───────────────► READ
 *  ▲ ▲               │ no seconds yet      ▲                     │ │ nothing lies ahead
 *  │ └───────────────┘                     │ all of it is given  │ └────────────────────► WAIT
 *  │                                       │                     ▼ follow_stretch()
 *  └───────────────────────────────────────┴─ follow_give() ─── GIVE, for each interval that is complete
 *    the next one is not complete
 */
enum follow_step { STEP_WAIT, STEP_FILES, STEP_SILENCE, STEP_READ, STEP_GIVE };

struct follow;

/* What brings seconds to the loop (follow.c). Each 0 or a negative errno, with a message but of -ENOMEM. */
struct follow_source {
	/* New hosts, and what is new of each. Sets line.next_ns once there is anything. */
	int (*look)(struct follow *f);
	/* The first interval from line.next_ns on that may have anything; end_ns if there is none before. */
	int64_t (*next)(const struct follow *f, int64_t end_ns);
	/* Makes the intervals of all hosts those of the stretch, as far as they are there; may make it shorter. */
	int (*read)(struct follow *f, struct stretch *s);
	/* Interval i of the stretch is complete, and is given next. NULL: hosts are given as soon as they are known; else this
	 * does it, with follow_servers(). */
	int (*complete)(struct follow *f, size_t i);
	/* All that is complete was given: adds NOT_YET or END, or sets step to STEP_FILES to go on. */
	int (*rest)(struct follow *f);
	/* Hosts come as they like: an interval waits for them, whoever has gone beyond it. */
	bool join;
};

struct follow {
	struct feed feed;
	const struct follow_source *source;
	const char **paths; /* the caller's */
	size_t n_paths;
	struct feed_opts o;
	int64_t grace_ns;
	struct feed_line line;	  /* its next_ns is INT64_MIN before there is anything */
	struct follow_file *file; /* by path */
	size_t n_files;
	size_t *of_host; /* numbers of files that are known, host by host, each one's by
			  * first second and path */
	size_t cap_of_host;
	struct follow_host *host;
	size_t n_hosts, begun;
	struct map host_by_name;
	size_t length; /* intervals of a stretch of what lies back */
	enum follow_step step;
	struct stretch now; /* what was read last */
	size_t at;	    /* interval of it that is given next */
	int64_t now_ns;	    /* of feed_now() */
	int64_t late_ns;    /* of the last one that found seconds which came too late */
	char trouble[400];
};

/* ---- the loop: follow.c; for the readers that begin with a struct follow ---- */

/* f is zeroed. 0, or -EINVAL after a message. */
int follow_init(struct follow *f, const struct follow_source *source, const struct feed_opts *o);
void follow_release_hosts(struct follow *f);
struct follow_host *follow_find_host(const struct follow *f, const char *name); /* or NULL */
/* One that is new. NULL: out of memory. */
struct follow_host *follow_add_host(struct follow *f, const char *name, unsigned int interval_ms);
/* Gives the servers that are new. 0 or -ENOMEM. */
int follow_servers(struct follow *f);
/* Of struct feed_reader. */
int follow_fill(struct feed *feed);
void follow_now(struct feed *feed, int64_t now_ns);
const char *follow_trouble(const struct feed *feed);

/* More is believed of no clock: it is ahead by more than this of the time of feed_now(). */
int64_t follow_ahead_ns(const struct follow *f);

/* A line of feed_left_out(), made clean. */
int follow_note(const struct feed_left_out *to, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- files ---- */

/* Looks for files, and at what is new in each. 0 or -ENOMEM. */
int follow_look(struct follow *f);

/* Makes the intervals of all hosts those of the stretch, as far as they are in the files. 0 or -ENOMEM. */
int follow_read(struct follow *f, struct stretch *s);

/* Says which files of one server are of the same time. */
void follow_overlaps(struct follow *f);

/* Says whose seconds came too late, of all servers at once. */
void follow_late(struct follow *f);

/* As feed_left_out(). */
int follow_left_out(const struct feed *feed, const struct feed_left_out *to);

/* Which files count, once they have been looked at. 0 or -ENOMEM. */
int follow_check(struct follow *f);

/* The k-th file of a host, by first second and path. */
static inline struct follow_file *follow_file_of(const struct follow *f,
						 const struct follow_host *h, size_t k)
{
	return &f->file[f->of_host[h->first_file + k]];
}

/* The file counts again, until it is found out why it does not. */
void follow_take_in(struct follow_file *file);

/* The file is left out, and that is said. 0 or -ENOMEM. */
int follow_leave_out(struct follow *f, struct follow_file *file, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

void follow_say(struct follow *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
