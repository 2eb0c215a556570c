// SPDX-License-Identifier: BSD-2-Clause
/* scratch.h: a list of pieces, the newest first. */
#include "scratch.h"

#include <stdlib.h>

struct scratch_piece {
	struct scratch_piece *before;
	max_align_t at[];
};

void *scratch_array(struct scratch *s, size_t n, size_t size)
{
	struct scratch_piece *p = NULL;
	size_t bytes;

	if (!__builtin_mul_overflow(n, size, &bytes) &&
	    !__builtin_add_overflow(bytes, sizeof(*p), &bytes))
		p = calloc(1, bytes);
	if (!p) {
		s->failed = true;
		return NULL;
	}
	p->before = s->last;
	s->last = p;
	return p->at;
}

void scratch_release(struct scratch *s)
{
	while (s->last) {
		struct scratch_piece *p = s->last;

		s->last = p->before;
		free(p);
	}
	*s = (struct scratch){0};
}
