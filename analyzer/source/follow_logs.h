/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logs of jobs while they grow: files, and all logs of folders and of those below them (source.h), known by
 * content, also what comes later. Each look reads what is new, and no more: of a file that has grown the new bytes,
 * of a folder that has changed its names; what has not changed for long is looked at ever less often, once a
 * minute at last. A log and what it was before it was rotated (log_source.h, log_stem_len()) are one,
 * read from the oldest file on:
 *	renamed          what is left of it is read where it is now, then the new one
 *	copied, cut off  what was not read yet is read from the copy, then what comes after it; a line that was cut in
 *	                 two is one
 *	compressed       the same, if it happened before it was read to its end
 *	gone             the new one is read; that lines may be missing is noted
 * Between two looks no file is open, but for what is compressed while it grows (Spark's), and rolled logs of Spark.
 *
 * Of what is there at the beginning only the end is read, where lines stand for themselves: FOLLOW_TAIL bytes of a file, and
 * of rotated files those that were written to within FOLLOW_KEEP_S of the newest one.
 *
 * Memory: states and names of the last hour of what logs of more than one server say, of at most FOLLOW_STATES states.
 */
#ifndef LIMPET_FOLLOW_LOGS_H
#define LIMPET_FOLLOW_LOGS_H

#include "analyzer/source/logs/log_source.h"

enum {
	FOLLOW_STATES = 1 << 18, /* some 60 MiB with their names */
	FOLLOW_LOOK = 1 << 25,	 /* bytes that one poll reads, about */
	FOLLOW_KEEP_S = 3600,	 /* that jobs are kept after their last state */
	FOLLOW_IDLE_S = 3600,	 /* after which a log that does not grow is closed */
	FOLLOW_SAY_S = 60,	 /* that states are said to be left out, after the last one */
	FOLLOW_SELDOM_S = 60,	 /* between two looks at what has not changed for long */
	/* Of a log of a daemon that is there when watching begins its last bytes: as many lines as states are kept. */
	FOLLOW_TAIL = 1 << 26,
};

struct follow_logs;

/* Paths and options are copied, or not needed again. NULL after a message. */
struct follow_logs *follow_logs_new(char *const *paths, size_t n_paths, const struct log_opts *o);
void follow_logs_free(struct follow_logs *f); /* takes NULL */

/* One more folder of logs, which need not be there yet. 0 or -ENOMEM. */
int follow_logs_also(struct follow_logs *f, const char *folder);

/*
 * Reads what is new; *news: something was. 1: there may be more (call again), 0: not now; -ENOMEM. now_ns never goes back: it
 * tells how long nothing has changed.
 */
int follow_logs_poll(struct follow_logs *f, int64_t now_ns, bool *news);

/* The states so far, in order, until the next call of any function here; what is long over is forgotten. NULL: out of memory. */
const struct states *follow_logs_states(struct follow_logs *f);

/* That states were left out lately because their times cannot be right; NULL: none were. Until the next call. */
const char *follow_logs_trouble(struct follow_logs *f);

/* Logs that are known as such. */
size_t follow_logs_count(const struct follow_logs *f);

#endif
