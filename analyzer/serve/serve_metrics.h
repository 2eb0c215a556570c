/* SPDX-License-Identifier: BSD-2-Clause */
/* What the service says of itself, beside the verdicts (../watch/exposition.h) and of its senders (ingest.h). */
#ifndef LIMPET_SERVE_METRICS_H
#define LIMPET_SERVE_METRICS_H

#include "ingest.h"
#include "keeper.h"
#include "pair.h"
#include "relay.h"
#include "analyzer/ask/alertmanager.h"

struct serve_parts {
	const struct ingest *ingest;
	struct keeper *keeper;
	struct relay *relay;
	bool judging;		 /* rebuilding is over */
	struct pair_counts pair; /* all 0: there is none */
	struct alertmanager_counts alerted;
};

void serve_metrics(const struct serve_parts *p, struct metrics_text *t);
/* All families as a table of Markdown, on standard output. */
void serve_metrics_dump(void);

#endif
