/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is not known any more since nothing comes: a server is not judged of which nothing has come for WATCH_UNHEARD_NS, or for a
 * window of the engine where that is longer; nor are the others of its group where fewer than three are left, as there is nobody to
 * compare them with. Where all are unheard, nothing can be judged. What was told stands, and nothing is over.
 *
 * The same holds of a service whose clock was set back, until it comes to where it was: what is received meanwhile is of times that
 * were judged.
 *
 * Logs of jobs alone say little while no job runs: when nothing new has come of them for UNHEARD_KEPT_NS, what they said is of another
 * time, and nothing can be judged. What is new in them counts, whatever time it has, as their zones may be wrong.
 *
 * Times are told apart by how they grow: a step counts as WATCH_STEP_NS at most, so that a clock that jumps makes nobody unheard.
 */
#ifndef LIMPET_WATCH_UNHEARD_H
#define LIMPET_WATCH_UNHEARD_H

#include "watch.h"

#define WATCH_UNHEARD_NS (60 * NS_PER_S)
#define WATCH_STEP_NS	 (10 * NS_PER_S)
#define UNHEARD_KEPT_NS	 NS_PER_HOUR

/* Before a step takes in anything: the time has come to now_ns. */
void unheard_step(struct watch *w, int64_t now_ns);
/* After the first step: files that lie there may be old, and so may what was kept: what is less than UNHEARD_KEPT_NS old, senders bring
 * soon. In a stream time begins with its data. */
void unheard_begin(struct watch *w);

/* Senders that were waited for have come or not: what was kept is as old as it is. */
void unheard_kept(struct watch *w);

/* Whether the verdict that is there says something else than one of now would. */
bool unheard_news(const struct watch *w);
/* Into the verdict of the engine, before logs are heard, which may know more. 0 or -ENOMEM. */
int unheard_tell(struct watch *w);
/* After logs were heard. */
void unheard_tell_logs(struct watch *w);

#endif
