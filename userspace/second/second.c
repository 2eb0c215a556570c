// SPDX-License-Identifier: BSD-2-Clause
/* Memory of one second: rows grow, are cleared and reused; nothing is computed here. */
#include "second.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

void second_init(struct second *s)
{
	memset(s, 0, sizeof(*s));
}

static void free_hists(struct second_row *row)
{
	free(row->lat);
	free(row->dev);
	free(row->runq);
	row->lat = row->dev = NULL;
	row->runq = NULL;
}

void second_clear(struct second *s)
{
	for (size_t i = 0; i < s->n_rows; i++)
		free_hists(&s->rows[i]);
	s->n_rows = 0;
}

void second_release(struct second *s)
{
	second_clear(s);
	free(s->rows);
	second_init(s);
}

void second_row_init(struct second_row *row, enum metric_family family, const char *instance)
{
	memset(row, 0, sizeof(*row));
	row->family = family;
	snprintf(row->instance, sizeof(row->instance), "%s", instance);
	for (int i = 0; i < METRICS_OF_FAMILY; i++)
		row->values[i] = NAN;
}

struct second_row *second_add_row(struct second *s, enum metric_family family, const char *instance,
				  unsigned int hists)
{
	struct second_row *row = array_refill(&s->rows, &s->n_rows, &s->cap_rows);

	if (!row)
		return NULL;
	second_row_init(row, family, instance);
	row->lat = hists & HIST_LAT ? calloc(1, sizeof(*row->lat)) : NULL;
	row->dev = hists & HIST_DEV ? calloc(1, sizeof(*row->dev)) : NULL;
	row->runq = hists & HIST_RUNQ ? calloc(1, sizeof(*row->runq)) : NULL;
	if ((hists & HIST_LAT && !row->lat) || (hists & HIST_DEV && !row->dev) ||
	    (hists & HIST_RUNQ && !row->runq)) {
		free_hists(row);
		s->n_rows--;
		return NULL;
	}
	return row;
}
