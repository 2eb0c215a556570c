/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Series files into intervals: all of a time span, interval after interval, with memory for one slice of it; and, for
 * `limpet watch`, as the files grow (follow.c).
 */
#ifndef LIMPET_ROBUST_GATHER_H
#define LIMPET_ROBUST_GATHER_H

#include "analyzer/interval/interval.h"
#include "source.h"

struct gather_opts {
	int64_t from_ns, to_ns; /* seconds in [from, to) */
	double interval_s;
	unsigned int threads;
	bool progress;
	unsigned int
		stretch; /* intervals read at once; 0: as memory allows. No result depends on it */
	/* Names of disks and interfaces to look at; empty: all. */
	const struct string_list *devices;
};

/* What was met on the way. */
struct gathered {
	uint64_t duplicates; /* seconds that came again (clock set back): not counted twice */
	uint64_t lost, damaged;
	uint64_t seconds;
};

/*
 * Reads series files and gives the intervals of all hosts, in order of time, to fn: from_ns and at[n],
 * NULL where a host has nothing; nodes are numbered as in `hosts`, which begin() got: ascending names.
 * An interval in which nobody has data is given too (n NULLs) if it lies between others, but a gap of more
 * than 1 h without anybody is one interval of silence only. 0, or negative errno after a message: -ENODATA if
 * there is nothing in this time; -EBADMSG, without a message, if files are damaged: each has a `why`
 * (sources_drop_unreadable()); what fn returns if negative.
 */
struct gather_to {
	int (*begin)(void *arg, const char *const *hosts, size_t n);
	int (*identity)(void *arg, size_t node, const struct device_identity *id);
	/* A control group of the file system's own, as its probe was told, or a process ("pid:1234"); may be
	 * NULL. */
	int (*own)(void *arg, size_t node, const char *cgroup);
	int (*interval)(void *arg, int64_t from_ns, const struct interval *const *at, size_t n);
	void *arg;
};
int gather_series(const struct sources *s, const struct gather_opts *o, const struct gather_to *to,
		  struct gathered *out);

/* ---- following ------------------------------------------------------------------------------------ */

struct follow;

/* Paths are files or folders, which may be empty still: files that appear later are taken up (a new day,
 * a new host). NULL after a message. */
struct follow *follow_new(char *const *paths, size_t n_paths, const struct gather_opts *o);
void follow_free(struct follow *f); /* takes NULL */

/*
 * Reads what is new and gives every interval that is complete: when `grace_s` (5) have passed since its end by
 * now_ns, or all hosts that reported in the interval before have gone beyond it. begin() is called again, with
 * all hosts in order of appearance (numbers never change), when there are more. Returns how many intervals
 * were given, or negative errno after a message; a file that is locked, moved away or half written is
 * no error but tried again: follow_trouble() has a line about it, or NULL.
 */
ssize_t follow_poll(struct follow *f, int64_t now_ns, const struct gather_to *to);
const char *follow_trouble(const struct follow *f);

/* The files that are left out at present (source.h), with the server, "" if that is not known; and what is odd
 * about those that are read, a line each. Each fn may end it: a negative return is returned. */
struct follow_told {
	int (*left_out)(void *arg, const char *server, const char *path, const char *why);
	int (*note)(void *arg, const char *line);
	void *arg;
};
int follow_tell(const struct follow *f, const struct follow_told *to);

/* Since follow_new(): `duplicates` are the seconds that were at or before what had been given already,
 * or came again, as far as their files were looked at: once an interval. */
void follow_counts(const struct follow *f, struct gathered *out);

#endif
