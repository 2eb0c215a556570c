/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of source.h share. */
#ifndef LIMPET_SOURCE_BAD_H
#define LIMPET_SOURCE_BAD_H

#include "source.h"

/* Sentences that are said of files that lie there, and of files that grow. Of the file's path, and of its host. */
#define SOURCE_NOT_BY_NAME "inside it says that it is '%s's, and others are that by their names"
#define SOURCE_NO_NAME	   "the name of '%s' is no server's: it counts as '%s's, as it says inside"
#define SOURCE_OVERLAP                                                                         \
	"'%s' and '%s' are both '%s's and of the same time: of a second that is in both, the " \
	"first one's counts"

/* path NULL: a server of a table. Remembers one that is not among the sources (any more); says nothing. 0, -ENOMEM, or -EBADMSG with
 * `strict`. */
int source_leave_out(struct sources *s, const char *path, const char *server, const char *why);

/* Says what is odd about sources that are read, and keeps it. 0 or -ENOMEM. */
int source_note(struct sources *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A log into s->states; one that cannot be read is a bad source. 0, -ENOMEM or -EBADMSG. */
int source_log(struct sources *s, const char *path);
/* All that were read again, if they tell that their zone is another one (states_zone()). o: NULL is none. 0, -ENOMEM or what
 * reading gave. */
int source_logs_zone(struct sources *s, const struct log_opts *o);
/* All logs of a folder and of those below it, so deep; files that are none are passed over. */
int source_logs_of_folder(struct sources *s, const char *path, int deep);

/* By its name: neither the probe's files nor what lies beside them. */
bool source_may_be_log(const char *name);

/* Series files, once all are known: in order, each once; of two that have one name or one time it is said. 0, -ENOMEM, or
 * -EBADMSG with `strict`. */
int sources_check_series(struct sources *s);

/* Processor times of states whose logs do not say them, from the processes that the probes saw: source_processes.c.
 * 0 or -ENOMEM. */
int sources_processes(struct sources *s);

/* Calls fn(arg, PATH/NAME) for the names in a folder that `is` takes, in order, until one fails. How many names there are;
 * negative, with errno: the folder cannot be read. *err: what fn returned, or -ENOMEM. */
int source_each(const char *path, int (*is)(const struct dirent *),
		int (*order)(const struct dirent **, const struct dirent **),
		int (*fn)(void *arg, const char *file), void *arg, int *err);

/* What stands behind the path in a message of the series reader: "cannot read 'PATH': REASON". Returns
 * buf. */
const char *source_reason(const char *message, const char *path, char *buf, size_t size);

#endif
