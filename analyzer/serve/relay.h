/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the listener to the judge: frames of seconds, in order of time. The listener gives them as they come, and never
 * waits; a thread writes them into a socket, from which the judge reads (feed_of_frames()).
 *
 * After a start, senders come one after the other, and each brings what it has since then: until all that are expected have come
 * to the present, or RELAY_HOLD_NS have passed, frames are held, and then are given by time. Where none are expected, until no new
 * one has come for RELAY_QUIET_NS. So the judge sees what it would have
 * seen without the pause.
 */
#ifndef LIMPET_SERVE_RELAY_H
#define LIMPET_SERVE_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "userspace/common/clock.h"

#define RELAY_HOLD_NS  (45 * NS_PER_S)
#define RELAY_QUIET_NS (10 * NS_PER_S)
#define RELAY_BYTES    ((size_t)256 << 20) /* that wait, at most */
#define RELAY_SHARE    16		   /* one host has at most such a part of it */
#define RELAY_BACK_NS  (600 * NS_PER_S)	   /* of a sender that is new while frames are held */
#define RELAY_LATE_NS  (4 * NS_PER_S)	   /* later the judge would not count them (feed.h) */
#define RELAY_RECENT_NS \
	(3 * NS_PER_S) /* a sender that has come so near to the present has come to it */

struct relay;

/* from_ns: the first second that is wanted; INT64_MIN: RELAY_BACK_NS ago. expected: hosts that are waited for. 0, or negative errno after a message. */
int relay_new(struct relay **r, int64_t from_ns, const char *const *expected, size_t n_expected);
void relay_free(struct relay *r); /* takes NULL; ends the thread */

/* Nobody can come: nothing is held. */
void relay_let_go(struct relay *r);

/* Where the judge reads; the relay's. */
int relay_fd(const struct relay *r);

/*
 * Whole frames of one host, in order of time, of which the first and the last second are said; none: a question. *live_ns: its
 * seconds after that are wanted. *wait_ms: not before (there is no room). Any thread. 0 or -ENOMEM.
 */
int relay_take(struct relay *r, const char *host, int64_t first_ns, int64_t last_ns,
	       const void *bytes, size_t len, int64_t *live_ns, unsigned int *wait_ms);

struct relay_counts {
	bool holds;		  /* after a start */
	size_t senders, expected; /* that have come to the present, of those that are waited for */
	size_t waiting;		  /* bytes */
	uint64_t bytes;		  /* ever taken */
};
void relay_counts(struct relay *r, struct relay_counts *out);

#endif
