// SPDX-License-Identifier: BSD-2-Clause
/* autodiagn.h: one look (algorithm 1), and what tasks have in common (algorithm 2). */
#include "autodiagn.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/sort.h"

/* ---- the symptom -------------------------------------------------------------------------------------------- */

/* Eq. 2 with a = 0.1 and b = 1. */
static double scaled(double x, double min, double max)
{
	return max > min ? 0.1 + 0.9 * (x - min) / (max - min) : 1;
}

static double median_of(double *x, size_t n)
{
	return stats_quantile(x, n, 0.5);
}

double autodiagn_look(struct autodiagn_task *t, size_t n, double *spare)
{
	double done[2] = {INFINITY, -INFINITY}, age[2] = {INFINITY, -INFINITY}, median;

	for (size_t i = 0; i < n; i++) {
		done[0] = fmin(done[0], t[i].done);
		done[1] = fmax(done[1], t[i].done);
		age[0] = fmin(age[0], t[i].age_s);
		age[1] = fmax(age[1], t[i].age_s);
	}
	for (size_t i = 0; i < n; i++)
		spare[i] = t[i].performance =
			scaled(t[i].done, done[0], done[1]) / scaled(t[i].age_s, age[0], age[1]);
	median = median_of(spare, n);
	for (size_t i = 0; i < n; i++)
		t[i].outlier = AUTODIAGN_FACTOR * t[i].performance < median;
	return median;
}

bool autodiagn_is_task(enum state_kind kind)
{
	return kind == STATE_MAP || kind == STATE_REDUCE || kind == STATE_TASK;
}

/* ---- causes -------------------------------------------------------------------------------------------------- */

int autodiagn_not_local(const struct states *s, const struct state *task)
{
	static const struct {
		const char *word; /* Hadoop's, and Spark's after the stage */
		int not_local;
	} words[] = {{"NODE_LOCAL", 0},
		     {"PROCESS_LOCAL", 0},
		     {"RACK_LOCAL", 1},
		     {"OFF_SWITCH", 1},
		     {"ANY", 1}};
	const char *cls = task->cls < s->classes.n ? s->classes.at[task->cls] : "";
	const char *blank = strrchr(cls, ' '), *word = blank ? blank + 1 : cls;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(word, words[i].word))
			return words[i].not_local;
	return -1;
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

int autodiagn_restarted(const struct states *s, bool *restarted)
{
	struct attempt *at = calloc(s->n + 1, sizeof(*at));
	size_t n = 0;

	if (!at)
		return -ENOMEM;
	memset(restarted, 0, s->n * sizeof(*restarted));
	for (size_t i = 0; i < s->n; i++)
		n += is_attempt(s, i, &at[n]);
	sort(at, n, by_task);
	for (size_t i = 0, end; i < n; i = end) {
		int64_t lost_ns = INT64_MAX; /* the first of those before */

		for (end = i; end < n && of_one_task(&at[i], &at[end]); end++) {
			const struct state *a = &s->at[at[end].state];

			restarted[at[end].state] = lost_ns <= a->start_ns;
			if (is_lost(a) && a->end_ns < lost_ns)
				lost_ns = a->end_ns;
		}
	}
	free(at);
	return 0;
}
