/* SPDX-License-Identifier: BSD-2-Clause */
/* What the service says of itself, beside the verdicts (../watch/exposition.h) and of its senders (ingest.h). */
#ifndef LIMPET_SERVE_METRICS_H
#define LIMPET_SERVE_METRICS_H

#include "ingest.h"
#include "keeper.h"
#include "relay.h"

struct serve_parts {
	const struct ingest *ingest;
	struct keeper *keeper;
	struct relay *relay;
	bool judging; /* rebuilding is over */
};

void serve_metrics(const struct serve_parts *p, struct metrics_text *t);
/* All families as a table of Markdown, on standard output. */
void serve_metrics_dump(void);

#endif
