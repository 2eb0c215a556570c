/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The question that logs of jobs ask of what the tracker kept of recordings: jobs are slow on this server from then to
 * then; what of its recording was worse than its peers' meanwhile? The logs have indicted it, so the question is one
 * test of one server, and needs less than an indictment by the recording alone, which asks all servers all the time.
 */
#ifndef LIMPET_MEANWHILE_H
#define LIMPET_MEANWHILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/evidence/evidence.h"
#include "analyzer/signal/signal.h"
#include "analyzer/track/track.h"
#include "analyzer/verdict/cause.h"

/* Keeps what is asked for later; the history is the caller's, zeroed at first. */
void meanwhile_add(struct track_history *h, size_t server, enum signal signal,
		   const struct track_point *x);

/* What was worse, and what that is the cause of. */
struct meanwhile {
	enum cause cause;
	enum signal signal;
	double value, peers;
	struct evidence evidence; /* n: intervals */
	int64_t from_ns, to_ns;	  /* in which there were some */
};

/* Whether something was: of several causes the first in the order of the rules. */
bool meanwhile_cause(struct track_history *h, size_t node, int64_t from_ns, int64_t to_ns,
		     struct meanwhile *odd);

/* What rose everywhere. */
struct meanwhile_rise {
	enum signal signal;
	double ratio; /* of the usual server: since then to before */
	size_t servers, of;
};

/* Whether something was worse on nearly all servers in [from_ns, to_ns) than up to ten minutes before: what rose most, for what it takes to
 * indict by it. */
bool meanwhile_rose(struct track_history *h, int64_t from_ns, int64_t to_ns,
		    struct meanwhile_rise *rise);

#endif
