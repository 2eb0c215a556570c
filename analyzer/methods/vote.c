// SPDX-License-Identifier: BSD-2-Clause
/* The persistence vote over windows. */
#include "vote.h"

#include <math.h>

/* The vote holds, and the newest window is odd: what is pending becomes part of the finding. */
static void vote_collect(struct vote *v)
{
	unsigned int oldest = 31 - (unsigned int)__builtin_clz(v->recent);

	v->held += (unsigned int)__builtin_popcount(v->pending & ((2u << oldest) - 1));
	for (int n = __builtin_popcount(v->pending & v->recent); n > 0; n--) {
		const struct vote_odd *odd = &v->odd[(v->n_odd - (unsigned int)n) % VOTES_MAX];

		v->flagged++;
		v->key = fmax(v->key, odd->key);
		v->value += odd->value;
		v->peers += odd->peers;
	}
	v->pending = 0;
}

void vote_push(struct vote *v, unsigned int k, size_t window, enum vote_window w,
	       struct vote_odd odd)
{
	uint32_t span = (uint32_t)((1ull << (2 * k - 1)) - 1);

	v->recent = (v->recent << 1 | (w == VOTE_ODD)) & span;
	v->pending = (v->pending << 1 | (w != VOTE_ABSTAIN)) & span;
	v->judged += w != VOTE_ABSTAIN;
	if (w != VOTE_ODD)
		return;
	v->odd[v->n_odd++ % VOTES_MAX] = odd;
	if ((unsigned int)__builtin_popcount(v->recent) < k)
		return;
	if (!v->indicted) {
		v->onset = window - (size_t)(31 - __builtin_clz(v->recent));
		v->decided = window;
	}
	v->indicted = true;
	v->last = window;
	vote_collect(v);
}
