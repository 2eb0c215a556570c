/* SPDX-License-Identifier: BSD-2-Clause */
/* What the service kept in DIR/series of before: from where judging goes on after a start. */
#ifndef LIMPET_SERVE_KEPT_H
#define LIMPET_SERVE_KEPT_H

#include <stddef.h>
#include <stdint.h>

#include "userspace/common/clock.h"

/* What is read again after a start: so much of all servers together, but no less than that of each, and no more. 600,000 seconds of
 * servers are half a minute of a processor. */
#define KEPT_SECONDS_ALL 600000
#define KEPT_LEAST_NS	 (600 * NS_PER_S)
#define KEPT_MOST_NS	 (6 * NS_PER_HOUR)
/* A server whose recording ends so long before the newest one was gone already. */
#define KEPT_RECENT_NS (180 * NS_PER_S)

struct kept {
	char **hosts; /* of which there is something recent */
	size_t n_hosts;
	char **files; /* of the days in question, of all servers */
	size_t n_files;
	/* The time that is read again: to_ns, where the first of those servers ends; both are starts of intervals. INT64_MIN: there
	 * is nothing. */
	int64_t from_ns, to_ns;
};

/* sources: files and folders of recordings that are judged beside what is kept; they are no hosts. 0 or -ENOMEM. What cannot be
 * read is passed over. */
int kept_look(struct kept *k, const char *dir, char *const *sources, size_t n_sources,
	      int64_t interval_ns);
void kept_release(struct kept *k); /* takes a zeroed one */

#endif
