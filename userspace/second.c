// SPDX-License-Identifier: BSD-2-Clause
/* Memory of one second: rows grow, are cleared and reused; nothing is computed here. */
#include "second.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void second_init(struct second *s)
{
	memset(s, 0, sizeof(*s));
}

void second_release(struct second *s)
{
	for (size_t i = 0; i < s->cap_rows; i++)
		free(s->rows[i].lat);
	free(s->rows);
	second_init(s);
}

void second_clear(struct second *s)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		free(s->rows[i].lat);
		s->rows[i].lat = NULL;
	}
	s->n_rows = 0;
}

struct second_row *second_add_row(struct second *s, enum metric_family family, const char *instance,
				  int with_lat)
{
	struct lat_hist *lat = NULL;
	struct second_row *row;

	if (s->n_rows == s->cap_rows) {
		size_t cap = s->cap_rows ? 2 * s->cap_rows : 8;
		struct second_row *rows = realloc(s->rows, cap * sizeof(*rows));

		if (!rows)
			return NULL;
		memset(rows + s->cap_rows, 0, (cap - s->cap_rows) * sizeof(*rows));
		s->rows = rows;
		s->cap_rows = cap;
	}
	if (with_lat) {
		lat = calloc(1, sizeof(*lat));
		if (!lat)
			return NULL;
	}
	row = &s->rows[s->n_rows++];
	row->family = family;
	snprintf(row->instance, sizeof(row->instance), "%s", instance);
	for (int m = 0; m < M_COUNT; m++)
		row->v[m] = NAN;
	row->lat = lat;
	return row;
}
