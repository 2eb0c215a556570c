/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What recordings saw of each server, kept for the question that logs of jobs ask later: jobs are slow on this server from then to
 * then; what of its recording was worse than its peers' meanwhile? The logs have indicted it, so the question is one
 * test of one server, and needs less than an indictment by the recording alone, which asks all servers all the time.
 */
#ifndef LIMPET_SEEN_H
#define LIMPET_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/evidence/evidence.h"
#include "analyzer/signal/signal.h"
#include "analyzer/verdict/cause.h"

/* One signal of one entity in one interval. */
struct seen_look {
	size_t node; /* of the recordings' verdict */
	enum signal signal;
	int64_t from_ns;
	double d;	     /* ln: worse than its peers by this; finite */
	double value, peers; /* as they are shown */
};

struct seen_place;

/* Zeroed at first. The largest of a server's disks counts. The last three days are kept. */
struct seen {
	int64_t first_ns;
	struct seen_place *at; /* by server, then signal */
	size_t n;
	bool any, failed; /* no memory: nothing is answered */
};

void seen_add(struct seen *s, const struct seen_look *look);
void seen_release(struct seen *s);

/* What was worse, and what that is the cause of. */
struct seen_odd {
	enum cause cause;
	enum signal signal;
	double value, peers;
	struct evidence evidence; /* n: intervals */
	int64_t from_ns, to_ns;	  /* in which there were some */
};

/* Whether something was: of several causes the first in the order of the rules. */
bool seen_ask(struct seen *s, size_t node, int64_t from_ns, int64_t to_ns, struct seen_odd *odd);

/* What rose everywhere. */
struct seen_rise {
	enum signal signal;
	double ratio; /* of the usual server: since then to before */
	size_t servers, of;
};

/* Whether something was worse on nearly all servers in [from_ns, to_ns) than up to ten minutes before: what rose most, for what it takes to
 * indict by it. */
bool seen_rose(struct seen *s, int64_t from_ns, int64_t to_ns, struct seen_rise *rise);

#endif
