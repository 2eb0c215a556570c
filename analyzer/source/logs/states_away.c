// SPDX-License-Identifier: BSD-2-Clause
/*
 * log_source.h: states whose times cannot be right. A digit is flipped, or a server's clock is wrong while it boots; one such
 * line must not move what all logs have in common: their newest time, and the time that they span. Two rules:
 *	ahead   it begins or ends more than a day after the present (a day, as a log in local time whose zone is not given
 *	        may be 14 hours ahead). Where that holds of most states, it is the present that is wrong.
 *	alone   it lasts longer than clocks may be apart (source.h), and for so long of that nothing else begins or ends.
 */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

#define ALONE_NS (30 * NS_PER_DAY)

static bool lives(const struct state *x)
{
	return x->kind != STATE_DEAD;
}

/* Of an open one the end is not known yet. */
static int64_t last_ns(const struct state *x)
{
	return x->outcome == OUTCOME_OPEN ? x->start_ns : x->end_ns;
}

/* ---- ahead -------------------------------------------------------------------------------------------- */

bool log_ahead(const struct reading *r, int64_t time_ns)
{
	return r->now_ns && time_ns > r->now_ns + NS_PER_DAY;
}

/* What is ahead is not said. */
static void clear_jobs(struct states *s)
{
	const struct reading *r = s->reading;

	for (size_t i = 0; i < s->jobs.n; i++) {
		struct state_job *j = &s->job[i];

		j->submit_ns = log_ahead(r, j->submit_ns) ? 0 : j->submit_ns;
		j->launch_ns = log_ahead(r, j->launch_ns) ? 0 : j->launch_ns;
		j->finish_ns = log_ahead(r, j->finish_ns) ? 0 : j->finish_ns;
	}
}

static void drop_ahead(struct states *s)
{
	struct reading *r = s->reading;
	size_t n = 0, ahead = 0;

	for (size_t i = 0; i < s->n; i++) {
		n += lives(&s->at[i]);
		ahead += lives(&s->at[i]) && log_ahead(r, last_ns(&s->at[i]));
	}
	r->clock_behind = 2 * ahead > n;
	if (!r->now_ns || r->clock_behind)
		return;
	s->counts.away += ahead;
	for (size_t i = 0; i < s->n && ahead; i++)
		if (log_ahead(r, last_ns(&s->at[i])))
			s->at[i].kind = STATE_DEAD;
	clear_jobs(s);
	keep_those(x, s->progress, &s->n_progress, !log_ahead(r, x->time_ns));
	keep_those(x, s->error, &s->n_error, !log_ahead(r, x->time_ns));
}

/* ---- alone -------------------------------------------------------------------------------------------- */

static bool is_too_long(const struct state *x)
{
	return lives(x) && last_ns(x) - x->start_ns > ALONE_NS;
}

static void drop(struct states *s, size_t i)
{
	s->at[i].kind = STATE_DEAD;
	s->counts.away++;
}

/* Begins and ends of the others, in order, and of each the number of silences before it. */
struct moments {
	int64_t *at;
	size_t *silences, n;
};

static int gather_moments(struct moments *m, const struct states *s)
{
	m->at = calloc(2 * s->n + 1, sizeof(*m->at));
	m->silences = calloc(2 * s->n + 1, sizeof(*m->silences));
	if (!m->at || !m->silences)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		if (!lives(&s->at[i]) || is_too_long(&s->at[i]))
			continue;
		m->at[m->n++] = s->at[i].start_ns;
		m->at[m->n++] = last_ns(&s->at[i]);
	}
	sort(m->at, m->n, by_int64);
	for (size_t i = 1; i < m->n; i++)
		m->silences[i] = m->silences[i - 1] + (m->at[i] - m->at[i - 1] > ALONE_NS);
	return 0;
}

static bool is_alone(const struct moments *m, const struct state *x)
{
	size_t first = search_first(i, m->n, m->at[i] < x->start_ns);
	size_t end = search_first(i, m->n, m->at[i] <= x->end_ns);

	return first == end || m->at[first] - x->start_ns > ALONE_NS ||
	       x->end_ns - m->at[end - 1] > ALONE_NS || m->silences[first] != m->silences[end - 1];
}

/* One without an end, which would last from so long before all that did end. */
static void drop_open(struct states *s)
{
	int64_t first_ns = INT64_MAX;

	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		if (lives(x) && x->outcome != OUTCOME_OPEN && !is_too_long(x) &&
		    x->start_ns < first_ns)
			first_ns = x->start_ns;
	}
	for (size_t i = 0; i < s->n && first_ns < INT64_MAX; i++)
		if (lives(&s->at[i]) && s->at[i].outcome == OUTCOME_OPEN &&
		    s->at[i].start_ns < first_ns - ALONE_NS)
			drop(s, i);
}

/* Where there is nothing but what is as long as that, nothing says that it is wrong. */
static int drop_alone(struct states *s)
{
	struct moments m = {0};
	int err = 0;
	bool any = any_of(i, s->n, is_too_long(&s->at[i]));

	if (any)
		err = gather_moments(&m, s);
	for (size_t i = 0; i < s->n && m.n && !err; i++)
		if (is_too_long(&s->at[i]) && is_alone(&m, &s->at[i]))
			drop(s, i);
	free(m.at);
	free(m.silences);
	return err;
}

int states_away(struct states *s)
{
	drop_ahead(s);
	drop_open(s);
	return drop_alone(s);
}

void states_now(struct states *s, int64_t now_ns)
{
	struct reading *r = reading_of(s);

	if (r)
		r->now_ns = now_ns;
}
