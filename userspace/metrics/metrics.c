// SPDX-License-Identifier: BSD-2-Clause
/* The metric table, made from the one list in metrics.h. */
#include "metrics.h"

#include <string.h>

const char *const metric_family_names[FAM_COUNT] = {"disk", "net",    "tcp",
						    "host", "remote", "process"};

#define METRIC_ROW(id, name, fam, unit, kind, per, agg, weight, worse, floor, decimals, export, \
		   src)                                                                         \
	[M_##id] = {name,   FAM_##fam,	   unit,  KIND_##kind, per,    AGG_##agg,               \
		    weight, WORSE_##worse, floor, decimals,    export, src},

const struct metric metrics[M_COUNT] = {METRICS(METRIC_ROW)};

int metric_by_name(const char *name)
{
	for (int m = 0; m < M_COUNT; m++)
		if (!strcmp(metrics[m].name, name))
			return m;
	return -1;
}

int metric_in_family(enum metric_family family, const char *name)
{
	for (int m = 0; m < M_COUNT; m++)
		if (metrics[m].family == family && !strcmp(metrics[m].name, name))
			return m;
	return -1;
}
