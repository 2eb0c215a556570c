// SPDX-License-Identifier: BSD-2-Clause
/*
 * Forgetting what is long over, for who looks for weeks: what is kept, and gone through after each interval, is
 * then what is so and what was within the last day, however long it goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static bool indicts(const struct robust *r, const struct node_case *c)
{
	return c->indicted_ns && !r->nodes[c->node].acknowledged;
}

/* The case after cases[i] that goes on with its story; NULL: it ended there. */
static struct node_case *next_of(const struct robust *r, size_t i)
{
	const struct node_case *c = r->cases[i];
	struct incident was = story_told(c), x;

	if (!indicts(r, c))
		return NULL;
	for (size_t k = i + 1; k < r->n_cases; k++) {
		if (r->cases[k]->node != c->node || !indicts(r, r->cases[k]))
			continue;
		x = story_told(r->cases[k]);
		if (story_goes_on(&was, &x))
			return r->cases[k];
	}
	return NULL;
}

static bool is_over(const struct node_case *c, int64_t before_ns)
{
	return c->closed && c->last_ns < before_ns;
}

/* Both are over, and one story: one case is enough for it. */
static void fold(struct node_case *c, struct node_case *into)
{
	struct incident a = story_told(c), b = story_told(into);

	story_join(&a, &b);
	into->incident = a;
	into->indicted_ns = a.decided_ns;
	into->last_ns = a.last_ns;
	into->onset_ns = c->onset_ns;
	c->incident.findings = NULL; /* it is in `a`, or freed */
	case_free(c);
}

/* Who was indicted is not told besides that its disks are of another model: nor is it when that is
 * forgotten, as long as they go on like this. */
static void excuse(struct robust *r, const struct node_case *c)
{
	for (size_t i = 0; i < r->n_sets; i++) {
		const struct peerset *set = &r->sets[i];

		for (size_t m = 0; m < set->n && set->class == ANY_CLASS; m++) {
			struct track_entity *st = &set->track.at[m];

			if (track_in_trouble(st) &&
			    member_node(r, set->signal, set->members[m]) == c->node)
				track_excuse(st);
		}
	}
}

static void forget_cases(struct robust *r, int64_t before_ns)
{
	size_t kept = 0;

	/* from left to right: what a case is folded into comes later, and may be folded in turn */
	for (size_t i = 0; i < r->n_cases; i++) {
		struct node_case *c = r->cases[i], *next;

		if (!is_over(c, before_ns)) {
			r->cases[kept++] = c;
			continue;
		}
		next = next_of(r, i);
		if (next && !is_over(next, before_ns)) {
			r->cases[kept++] = c;
		} else if (next) {
			fold(c, next);
		} else {
			if (indicts(r, c))
				excuse(r, c);
			case_free(c);
		}
	}
	r->n_cases = kept;
}

static void forget_notices(struct robust *r, int64_t before_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n_notices; i++)
		if (r->notices[i].to_ns >= before_ns)
			r->notices[kept++] = r->notices[i];
	r->n_notices = kept;
}

void robust_forget(struct robust *r, int64_t before_ns)
{
	forget_cases(r, before_ns);
	forget_notices(r, before_ns);
	for (size_t i = 0; i < r->n_sets; i++)
		track_group_forget(&r->sets[i].track, before_ns);
}
