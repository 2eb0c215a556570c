/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cause of what is worse in a table. Of a column the finding is known, and nothing else of its server: no process, no
 * connection, no load but the one at which it is compared. So a cause rests on columns that are worse now, and where two
 * causes are left none is named. Nobody is excused.
 */
#ifndef LIMPET_RULES_COLUMNS_H
#define LIMPET_RULES_COLUMNS_H

#include "analyzer/signal/signal.h"
#include "analyzer/verdict/verdict.h"

struct rules_column {
	enum signal signal; /* of which it is; SIG_COUNT: of none */
	bool both;	    /* of reads and writes: SIG_WRITE_AWAIT stands for either */
	bool at_load;	    /* compared at equal load */
	bool at_rate;	    /* which is that of the requests themselves */
	int64_t recent_ns;  /* so long after its last bad interval it is worse no more */
};

/* Fills cause, why and detail (but `given`) of an incident with findings, the surest first; their signals are numbers of
 * columns. The finding on which the cause rests. */
const struct finding *rules_columns(const struct rules_column *columns, struct incident *a);

#endif
