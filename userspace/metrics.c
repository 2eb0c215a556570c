// SPDX-License-Identifier: BSD-2-Clause
/* The metric table, made from the one list in metrics.h. */
#include "metrics.h"

#include <string.h>

const char *const metric_family_names[FAM_COUNT] = {"disk", "net", "tcp", "host"};

#define METRIC_ROW(id, name, fam, unit, agg, weight, worse, floor, decimals, source) \
	[M_##id] = {name,	   FAM_##fam, unit,	AGG_##agg, weight,           \
		    WORSE_##worse, floor,     decimals, source},

const struct metric metrics[M_COUNT] = {METRICS(METRIC_ROW)};

int metric_by_name(const char *name)
{
	for (int m = 0; m < M_COUNT; m++)
		if (!strcmp(metrics[m].name, name))
			return m;
	return -1;
}
