// SPDX-License-Identifier: BSD-2-Clause
/* task_facts.h */
#include "task_facts.h"

#include <errno.h>
#include <string.h>

#include "userspace/common/scratch.h"
#include "userspace/common/sort.h"

/* "attempt_T_N_m_K_A" and "task_T_N_m_K_A" of 0.18 are attempt A of what stands before; other names say no attempt. */
struct attempt {
	const char *name;
	size_t len; /* of the task's part */
	uint32_t state;
	int64_t start_ns;
};

static int by_name(const struct attempt *x, const struct attempt *y)
{
	size_t len = x->len < y->len ? x->len : y->len;

	return memcmp(x->name, y->name, len) ?: ORDER(x->len, y->len);
}

COMPARISON(by_task, struct attempt,
	   by_name(a, b) ?: ORDER(a->start_ns, b->start_ns) ?: ORDER(a->state, b->state))

static bool is_attempt(const struct states *s, size_t i, struct attempt *a)
{
	const struct state *st = &s->at[i];
	const char *end;

	if ((st->kind != STATE_MAP && st->kind != STATE_REDUCE) || st->id >= s->ids.n)
		return false;
	a->name = s->ids.at[st->id];
	end = strrchr(a->name, '_');
	if (!end || (strncmp(a->name, "attempt_", 8) != 0 && strncmp(a->name, "task_", 5) != 0))
		return false;
	a->len = (size_t)(end - a->name);
	a->state = (uint32_t)i;
	a->start_ns = st->start_ns;
	return true;
}

/* An attempt that ended so is why another is begun after it. */
static bool is_lost(const struct state *a)
{
	return a->lost || a->outcome == OUTCOME_KILLED;
}

/* Attempts of one task, by start: what was begun again, and what ran beside another. */
static void one_task(const struct states *s, const struct attempt *at, size_t n, bool *restarted,
		     bool *twin)
{
	int64_t lost_ns = INT64_MAX; /* the first of those before */
	size_t longest = 0;	     /* of those before: the one that ended last */

	for (size_t i = 0; i < n; i++) {
		const struct state *a = &s->at[at[i].state];

		restarted[at[i].state] = lost_ns <= a->start_ns;
		if (is_lost(a) && a->end_ns < lost_ns)
			lost_ns = a->end_ns;
		if (twin && i && s->at[at[longest].state].end_ns > a->start_ns)
			twin[at[i].state] = twin[at[longest].state] = true;
		if (a->end_ns > s->at[at[longest].state].end_ns)
			longest = i;
	}
}

int task_attempts(const struct states *s, bool *restarted, bool *twin)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct attempt *at = scratch_array(&room, s->n, sizeof(*at));
	size_t n = 0;

	if (!at)
		return -ENOMEM;
	memset(restarted, 0, s->n * sizeof(*restarted));
	if (twin)
		memset(twin, 0, s->n * sizeof(*twin));
	for (size_t i = 0; i < s->n; i++)
		n += is_attempt(s, i, &at[n]);
	sort(at, n, by_task);
	for (size_t i = 0, end; i < n; i = end) {
		end = run_end(m, i, n, !by_name(&at[i], &at[m]));
		one_task(s, &at[i], end - i, restarted, twin);
	}
	return 0;
}
