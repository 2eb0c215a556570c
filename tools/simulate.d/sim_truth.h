/* SPDX-License-Identifier: BSD-2-Clause */
/* The line of truth of a run, appended to a CSV that `limpet evaluate` reads. */
#ifndef LIMPET_SIM_TRUTH_H
#define LIMPET_SIM_TRUTH_H

#include "sim.h"

struct truth {
	const char *path, *dir; /* the CSV; the folder of the series files */
	const char *model;	/* NULL: none */
	const char *workload, *kind;
	int64_t begin_ns;
	const struct setup *setup;
};

/*
 * Columns source,model,cluster,workload,fault,node,from,to,kind,intensity,seed; the head first if the
 * file is empty. source and model are relative to the folder of the CSV where they lie in it, else
 * absolute. The line goes out in one write(), so that several programs may append. 0, or -1 after a
 * message.
 */
int truth_append(const struct truth *t);

#endif
