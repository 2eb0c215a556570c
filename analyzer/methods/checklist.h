/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checklist of Kasick et al., FAST'10: from the metrics a node is indicted for to the cause.
 * A table of rules; the first that holds wins [P]. Symptoms are a bit mask.
 */
#ifndef LIMPET_CHECKLIST_H
#define LIMPET_CHECKLIST_H

#include "analyzer/verdict/cause.h"
#include "userspace/metrics/metrics.h"

enum server_symptom {
	SYM_STORAGE_THROUGHPUT = 1 << 0,
	SYM_STORAGE_LATENCY = 1 << 1,
	SYM_NET_RECEIVE = 1 << 2,
	SYM_NET_TRANSMIT = 1 << 3,
	SYM_CONGESTION = 1 << 4,
};

struct checklist_row {
	unsigned int number;
	unsigned int all, any,
		none; /* holds if: all of these, one of those (if any), none of these */
	enum cause cause;
	enum why why;
};

/* What an indictment for this metric (an enum metric_id, or -1) is a symptom of; 0: of nothing the
 * checklist knows. */
unsigned int checklist_symptom(int metric);

/* The rule that fires; always one, the last says that no fault was discovered. */
const struct checklist_row *checklist_rule(unsigned int symptoms);

#endif
