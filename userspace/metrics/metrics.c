// SPDX-License-Identifier: BSD-2-Clause
/* The metric table, made from the one list in metrics.h. */
#include "metrics.h"

#include <stdio.h>
#include <string.h>

const char *const metric_family_names[FAM_COUNT] = {"disk", "net",    "tcp",
						    "host", "remote", "process"};

#define METRIC_ROW(id, name, fam, unit, kind, per, agg, weight, worse, floor, decimals, ...) \
	[M_##id] = {name,   FAM_##fam,	   unit,  KIND_##kind, per,	   AGG_##agg,        \
		    weight, WORSE_##worse, floor, decimals,    __VA_ARGS__},

const struct metric metrics[M_COUNT] = {METRICS(METRIC_ROW)};

const int metric_first[FAM_COUNT + 1] = {FIRST_DISK,   FIRST_NET,     FIRST_TCP, FIRST_HOST,
					 FIRST_REMOTE, FIRST_PROCESS, M_COUNT};

/* So many families have begun where it stands. */
#define METRIC_ORDERED(id, name, fam, ...)                                                 \
	_Static_assert(((int)M_##id >= (int)FIRST_NET) + ((int)M_##id >= (int)FIRST_TCP) + \
				       ((int)M_##id >= (int)FIRST_HOST) +                  \
				       ((int)M_##id >= (int)FIRST_REMOTE) +                \
				       ((int)M_##id >= (int)FIRST_PROCESS) ==              \
			       (int)FAM_##fam,                                             \
		       "M_" #id " does not stand among the metrics of its family");

METRICS(METRIC_ORDERED)

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

void metrics_dump(void)
{
	for (int f = 0; f < FAM_COUNT; f++) {
		printf("## %s\n\n"
		       "| metric | unit | meaning | kernel | else | sysstat | papers | tested |\n"
		       "|---|---|---|---|---|---|---|---|\n",
		       metric_family_names[f]);
		for (int m = 0; m < M_COUNT; m++) {
			const struct metric *x = &metrics[m];

			if ((int)x->family == f)
				printf("| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", x->name,
				       x->unit, x->meaning, x->source, x->elsewhere, x->sysstat,
				       x->papers, x->tested);
		}
		putchar('\n');
	}
}
