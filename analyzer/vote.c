// SPDX-License-Identifier: BSD-2-Clause
/* The persistence vote over windows. */
#include "vote.h"

#include <math.h>

void vote_push(struct vote *v, unsigned int k, size_t window, enum vote_window w, double key,
	       double value, double peers)
{
	unsigned int last = 2 * k - 1;

	v->recent = (v->recent << 1 | (w == VOTE_ODD)) & (uint32_t)((1ull << last) - 1);
	v->judged += w != VOTE_ABSTAIN;
	if (w != VOTE_ODD)
		return;
	v->flagged++;
	v->key = fmax(v->key, key);
	v->value += value;
	v->peers += peers;
	if ((unsigned int)__builtin_popcount(v->recent) < k)
		return;
	if (!v->indicted)
		v->onset = window - (size_t)(31 - __builtin_clz(v->recent));
	v->indicted = true;
	v->last = window;
}
