// SPDX-License-Identifier: BSD-2-Clause
/* From rows of one metric to vectors of one second, a few megabytes at a time. */
#include "ganesha_seconds.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/methods/learn/lwlr.h"

enum { COLUMNS_MAX = 256, CELLS_MAX = 1 << 20 };

int ganesha_seconds_init(struct ganesha_seconds *s, const struct frame *part, const size_t *metric,
			 size_t d)
{
	size_t row = part->n_nodes * d + 1;

	*s = (struct ganesha_seconds){.f = part, .d = d, .metric = metric, .cap = CELLS_MAX / row};
	if (s->cap < 1)
		s->cap = 1;
	if (s->cap > COLUMNS_MAX)
		s->cap = COLUMNS_MAX;
	s->raw = calloc(s->cap, row * sizeof(double));
	s->line = calloc(s->cap, sizeof(double));
	if (!s->raw || !s->line) {
		ganesha_seconds_release(s);
		return -ENOMEM;
	}
	return 0;
}

void ganesha_seconds_release(struct ganesha_seconds *s)
{
	free(s->raw);
	free(s->line);
	*s = (struct ganesha_seconds){0};
}

size_t ganesha_seconds_fill(struct ganesha_seconds *s, size_t from, size_t to)
{
	const struct frame *f = s->f;
	size_t base = f->cells->at, n = to - from < s->cap ? to - from : s->cap;

	s->at = from;
	for (size_t i = 0; i < f->n_nodes; i++) {
		for (size_t m = 0; m < s->d; m++) {
			double *out = s->raw + i * s->d + m;

			lwlr_fill(frame_row(f, s->metric[m], i), f->cells->held, from - base,
				  from - base + n, s->line);
			for (size_t t = 0; t < n; t++)
				out[t * f->n_nodes * s->d] = s->line[t];
		}
	}
	return from + n;
}
