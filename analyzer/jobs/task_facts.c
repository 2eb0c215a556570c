// SPDX-License-Identifier: BSD-2-Clause
/* task_facts.h */
#include "task_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

/* Hadoop's words for where data are, and Spark's, which stand after the stage. */
static const struct {
	const char *word;
	int not_local;
} words[] = {{"NODE_LOCAL", 0}, {"PROCESS_LOCAL", 0}, {"RACK_LOCAL", 1},
	     {"OFF_SWITCH", 1}, {"ANY", 1},	      {"NO_PREF", -1}};

static int place_of(const char *word)
{
	int i = 0, n = sizeof(words) / sizeof(*words);

	while (i < n && strcmp(word, words[i].word) != 0)
		i++;
	return i < n ? i : -1;
}

size_t task_stage_len(const char *cls)
{
	const char *blank = strrchr(cls, ' '), *word = blank ? blank + 1 : cls;

	return place_of(word) < 0 ? strlen(cls) : blank ? (size_t)(blank - cls) : 0;
}

int task_not_local(const struct states *s, const struct state *task)
{
	const char *cls = task->cls < s->classes.n ? s->classes.at[task->cls] : "";
	const char *blank = strrchr(cls, ' '), *word = blank ? blank + 1 : cls;
	int place = place_of(word);

	return place < 0 ? -1 : words[place].not_local;
}

/* "attempt_T_N_m_K_A" and "task_T_N_m_K_A" of 0.18 are attempt A of what stands before; other names say no attempt. */
struct attempt {
	const char *name;
	size_t len; /* of the task's part */
	uint32_t state;
	int64_t start_ns;
};

static int by_task(const void *a, const void *b)
{
	const struct attempt *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;

	return memcmp(x->name, y->name, len) ?: ORDER(x->len, y->len)
		       ?: ORDER(x->start_ns, y->start_ns) ?: ORDER(x->state, y->state);
}

static bool of_one_task(const struct attempt *a, const struct attempt *b)
{
	return a->len == b->len && !memcmp(a->name, b->name, a->len);
}

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
	struct attempt *at = calloc(s->n + 1, sizeof(*at));
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
		end = run_end(m, i, n, of_one_task(&at[i], &at[m]));
		one_task(s, &at[i], end - i, restarted, twin);
	}
	free(at);
	return 0;
}
