// SPDX-License-Identifier: BSD-2-Clause
#include "unheard.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/verdict/silence.h"

/* To compare one with: two others. */
#define PEERS_NEEDED 3

void unheard_step(struct watch *w, int64_t now_ns)
{
	int64_t step_ns = now_ns - w->now_ns;

	step_ns = step_ns < 0 ? 0 : step_ns < WATCH_STEP_NS ? step_ns : WATCH_STEP_NS;
	if (w->caught_up) {
		w->age_ns += step_ns;
		w->jobs.age_ns += step_ns;
	}
	w->now_ns = now_ns;
}

void unheard_begin(struct watch *w)
{
	int64_t until = robust_now(w->robust), age_ns = w->now_ns - until;

	if (until != INT64_MIN && age_ns > (w->received ? UNHEARD_KEPT_NS : 0) &&
	    (w->received || !w->stream))
		w->age_ns = age_ns;
}

/* What lay there before is as old as what it says. */
static void logs_are_old(struct watch *w)
{
	if (w->verdict.to_ns && w->now_ns > w->verdict.to_ns)
		w->jobs.age_ns = w->now_ns - w->verdict.to_ns;
}

static int64_t limit_of(const struct watch *w)
{
	int64_t window_ns = ns_of_s(robust_window_s(w->robust) + 2 * robust_interval_s(w->robust));

	return window_ns > WATCH_UNHEARD_NS ? window_ns : WATCH_UNHEARD_NS;
}

void unheard_kept(struct watch *w)
{
	int64_t until = robust_now(w->robust);

	if (until != INT64_MIN && w->now_ns - until > w->age_ns && w->now_ns - until > limit_of(w))
		w->age_ns = w->now_ns - until;
	logs_are_old(w);
}

/* The clock was set back: what comes now is of a time that was judged. */
static bool is_ahead(const struct watch *w)
{
	return w->received && robust_now(w->robust) > w->now_ns + WATCH_STEP_NS;
}

static bool is_heard(const struct watch *w, size_t server)
{
	return !is_ahead(w) && w->heard_ns[server] != INT64_MIN &&
	       robust_now(w->robust) - w->heard_ns[server] + w->age_ns <= limit_of(w);
}

/* Nothing is late in a stream that has ended. */
static bool is_live(const struct watch *w)
{
	return w->intervals && !w->ended;
}

static bool are_logs_unheard(const struct watch *w)
{
	return !w->intervals && !w->ended && w->jobs.any && w->jobs.age_ns > UNHEARD_KEPT_NS;
}

bool unheard_news(const struct watch *w)
{
	bool late = is_live(w) && (w->age_ns > limit_of(w) || is_ahead(w));

	return (late || are_logs_unheard(w)) != w->unheard;
}

/* How many servers of each group are heard. NULL: out of memory. */
static size_t *heard_of_groups(const struct watch *w, size_t *all)
{
	int32_t most = 0;
	size_t *n;

	*all = 0;
	for (size_t i = 0; i < w->n_heard; i++)
		if (robust_node_group(w->robust, i) > most)
			most = robust_node_group(w->robust, i);
	n = calloc((size_t)most + 1, sizeof(*n));
	for (size_t i = 0; i < w->n_heard && n; i++) {
		bool heard = is_heard(w, i);

		*all += heard;
		if (robust_node_group(w->robust, i) >= 0)
			n[robust_node_group(w->robust, i)] += heard;
	}
	return n;
}

int unheard_tell(struct watch *w)
{
	size_t all, *heard, enough = 0;
	int err = 0;

	w->unheard = false;
	if (!is_live(w))
		return 0;
	heard = heard_of_groups(w, &all);
	if (!heard)
		return -ENOMEM;
	for (size_t i = 0; i < w->n_heard && !err; i++) {
		int32_t group = robust_node_group(w->robust, i);

		if (!is_heard(w, i))
			err = verdict_silent(&w->verdict, i, UNJUDGED_UNHEARD);
		else if (group < 0 || heard[group] < PEERS_NEEDED)
			err = verdict_silent(&w->verdict, i, UNJUDGED_FEW_SERVERS);
		else
			enough++;
	}
	free(heard);
	w->unheard = !all;
	for (size_t i = 0; i < w->n_heard && !all; i++)
		w->here[i] = false;
	if (err || enough || w->verdict.cannot.why)
		return err;
	if (all)
		w->verdict.cannot = (struct cannot){
			.why = CANNOT_FEW_SERVERS, .n = all, .needed = PEERS_NEEDED};
	else
		w->verdict.cannot =
			(struct cannot){.why = CANNOT_UNHEARD, .to_ns = robust_now(w->robust)};
	return 0;
}

void unheard_tell_logs(struct watch *w)
{
	if (w->jobs.lay_there)
		logs_are_old(w);
	if (!are_logs_unheard(w))
		return;
	w->unheard = true;
	if (!w->verdict.cannot.why)
		w->verdict.cannot =
			(struct cannot){.why = CANNOT_UNHEARD, .to_ns = w->verdict.to_ns};
}
