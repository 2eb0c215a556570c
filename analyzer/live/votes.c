// SPDX-License-Identifier: BSD-2-Clause
/* votes.h */
#include "votes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

#define ALL ((1u << VOTES_OF) - 1)

static struct vote *vote_of(struct votes *v, const char *server)
{
	size_t at = search_first(i, v->n, strcmp(v->at[i].server, server) < 0);
	struct vote *new;

	if (at < v->n && !strcmp(v->at[at].server, server))
		return &v->at[at];
	new = array_insert(&v->at, &v->n, at);
	if (new)
		*new = (struct vote){0};
	if (new)
		snprintf(new->server, sizeof(new->server), "%s", server);
	return new;
}

/* Of servers that were indicted in none of the last looks nothing has to be known. */
static void forget(struct votes *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->n; i++)
		if (v->at[i].looks)
			v->at[kept++] = v->at[i];
	v->n = kept;
}

int votes_take(struct votes *v, struct verdict *jobs, bool at_once)
{
	for (size_t i = 0; i < v->n; i++)
		v->at[i].looks = v->at[i].looks << 1 & ALL;
	for (size_t i = 0; i < jobs->n_incidents; i++) {
		struct vote *t = vote_of(v, jobs->nodes[jobs->incidents[i].node]);

		if (!t)
			return -ENOMEM;
		if (!jobs->incidents[i].suspicious)
			t->looks |= at_once ? ALL : 1;
	}
	for (size_t i = 0; i < jobs->n_incidents; i++) {
		struct incident *in = &jobs->incidents[i];
		const struct vote *t = vote_of(v, jobs->nodes[in->node]);
		bool often = t && __builtin_popcount(t->looks) >= VOTES_NEEDED;

		if (often)
			in->suspicious = SUSPICION_NONE;
		else if (!in->suspicious)
			in->suspicious = SUSPICION_BRIEF;
	}
	forget(v);
	return 0;
}

bool votes_pending(const struct votes *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->at[i].looks != ALL)
			return true;
	return false;
}

void votes_release(struct votes *v)
{
	free(v->at);
	*v = (struct votes){0};
}
