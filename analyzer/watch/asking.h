/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources that are asked while one watches: a Prometheus. Each half minute what they have is judged as `limpet diagnose`
 * judges it, from where the watch began, but six hours at most, to ASKING_LATE_NS ago, when all that was scraped is written;
 * only what is new is asked for. What is new in the verdict is told as events. While a source cannot be read, or there is nothing
 * newer than PROMETHEUS_STALE_NS, that is said and nothing is told to be over.
 */
#ifndef LIMPET_WATCH_ASKING_H
#define LIMPET_WATCH_ASKING_H

#include "session.h"

#define ASKING_EVERY_NS (30 * NS_PER_S)
#define ASKING_LATE_NS	(30 * NS_PER_S)
#define ASKING_MOST_NS	(6 * NS_PER_HOUR)
#define ASKING_BACK_S	3600
/* A look takes so much of the time at most; after one that failed the next is twice as far away, to so long. */
#define ASKING_SHARE   20
#define ASKING_WAIT_NS (120 * NS_PER_S)

struct asking;

/* stop: not 0: a step ends early, with -ECANCELED. 0 or -ENOMEM. Options and paths stay the caller's. */
int asking_new(struct asking **a, const struct session_opts *o, char *const *paths, size_t n_paths,
	       const volatile sig_atomic_t *stop);
void asking_free(struct asking *a); /* takes NULL */

/* Whether all of the paths are such sources; -EINVAL after a message: only some are. */
int asking_is(char *const *paths, size_t n_paths);

/* Judges if it is time to. 0; negative errno after a message: what a subscriber returned, -ENOMEM, or, the first time
 * only, why nothing could be read. */
int asking_step(struct asking *a, struct track_events *events, int64_t now_ns);

#endif
