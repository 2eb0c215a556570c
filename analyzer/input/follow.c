// SPDX-License-Identifier: BSD-2-Clause
/*
 * Series files as they grow. When an interval is over, all that is not given yet is read again, a few seconds
 * as a rule: so nothing has to be remembered of a file that is written to, damaged or moved away meanwhile.
 * What was given is never given again: seconds that come for it later are dropped, and counted.
 */
#include "gather.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "follow_files.h"
#include "userspace/common/clock.h"

#define GRACE_NS (5 * NS_PER_S)
/* Of what lies back, at once: 64 intervals; of the present, intervals that are not over yet: 2. */
#define STRETCH_INTERVALS 64
#define AHEAD_INTERVALS	  2
#define EMPTY_INTERVALS	  30000		     /* of all hosts, some 100 MB */
#define BACK_NS		  (400 * NS_PER_DAY) /* older seconds are those of a wrong clock */

struct follow *follow_new(char *const *paths, size_t n_paths, const struct gather_opts *o)
{
	struct follow *f = calloc(1, sizeof(*f));
	bool ok = f && (f->paths = calloc(n_paths + 1, sizeof(*f->paths)));

	if (o->interval_s < 0.001 || o->interval_s > 86400 * 7) {
		fail("an interval of %g s is not between 1 ms and a week", o->interval_s);
		follow_free(f);
		return NULL;
	}
	for (size_t i = 0; i < n_paths && ok; i++) {
		ok = (f->paths[i] = strdup(paths[i]));
		f->n_paths += ok;
	}
	if (!ok) {
		fail("out of memory");
		follow_free(f);
		return NULL;
	}
	f->o = *o;
	f->give.interval_ns = ns_of_s(o->interval_s);
	f->grace_ns = GRACE_NS;
	f->give.next_ns = INT64_MIN;
	f->length = STRETCH_INTERVALS;
	return f;
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_paths; i++)
		free(f->paths[i]);
	for (size_t i = 0; i < f->n_files; i++) {
		free(f->file[i].path);
		free(f->file[i].why);
	}
	for (size_t i = 0; i < f->n_hosts; i++) {
		host_intervals_release(&f->host[i].intervals);
		identities_release(&f->host[i].ids);
	}
	free(f->paths);
	free(f->file);
	free(f->of_host);
	free(f->host);
	free(f->give.at);
	free(f);
}

const char *follow_trouble(const struct follow *f)
{
	return *f->trouble ? f->trouble : NULL;
}

void follow_counts(const struct follow *f, struct gathered *out)
{
	*out = f->counts;
}

/* ---- when -------------------------------------------------------------------------------------*/

/* Nothing older than a second that somebody has, and that was asked for. */
static void find_start(struct follow *f, int64_t now_ns)
{
	int64_t first = INT64_MAX, least = now_ns > BACK_NS ? now_ns - BACK_NS : 0;

	least = f->o.from_ns > least ? f->o.from_ns : least;
	for (size_t i = 0; i < f->n_files; i++) {
		const struct follow_file *file = &f->file[i];

		if (!file->known || file->away || !file->total || file->last_ns < least)
			continue;
		first = file->first_ns < first ? file->first_ns : first;
	}
	first = first < least ? least : first;
	if (first <= now_ns + AHEAD_INTERVALS * f->give.interval_ns)
		f->give.next_ns = gather_floor(first, f->give.interval_ns);
}

/* The first interval from next_ns on that a file may have; `end_ns` if there is none before. */
static int64_t next_with_data(const struct follow *f, int64_t end_ns)
{
	int64_t next = end_ns;

	for (size_t i = 0; i < f->n_files; i++) {
		const struct follow_file *file = &f->file[i];
		int64_t first = gather_floor(file->first_ns, f->give.interval_ns);

		if (!file->known || file->away || !file->total || file->last_ns < f->give.next_ns)
			continue;
		first = first < f->give.next_ns ? f->give.next_ns : first;
		next = first < next ? first : next;
	}
	/* Also what is not in its file any more. */
	for (size_t i = 0; i < f->n_hosts; i++)
		if (f->host[i].intervals.at && f->host[i].intervals.last_ns >= f->give.next_ns)
			return f->give.next_ns;
	return next;
}

/* All that reported before are beyond end_ns, so nobody is waited for. What lies further ahead than a
 * interval is believed of no clock. */
static bool all_beyond(const struct follow *f, int64_t end_ns, int64_t now_ns)
{
	bool any = false;

	if (end_ns > now_ns + f->give.interval_ns)
		return false;
	for (size_t i = 0; i < f->n_hosts; i++) {
		const struct follow_host *h = &f->host[i];

		if (!h->reported)
			continue;
		if (h->intervals.last_ns < end_ns)
			return false;
		any = true;
	}
	return any;
}

/* ---- giving -----------------------------------------------------------------------------------*/

/* `n` intervals that nobody has. While nobody has anything later they are given at once: that all are silent
 * is news. */
static int pass_silence(struct follow *f, uint64_t n, bool is_last)
{
	for (size_t i = 0; i < f->n_hosts; i++)
		f->host[i].reported = false;
	return feed_pass(&f->give, n, is_last);
}

static bool anybody(const struct follow *f, size_t i)
{
	for (size_t k = 0; k < f->n_hosts; k++)
		if (f->host[k].intervals.at[i].seconds)
			return true;
	return false;
}

static int give_interval(struct follow *f, size_t i)
{
	int err = feed_end_silence(&f->give);

	for (size_t k = 0; k < f->n_hosts && !err; k++) {
		struct follow_host *h = &f->host[k];
		size_t taken = host_intervals_taken(&h->intervals, i);

		h->reported = h->intervals.at[i].seconds > 0;
		f->give.at[k] = h->reported ? &h->intervals.at[i] : NULL;
		h->given += taken;
		f->counts.seconds += taken;
		f->counts.lost += h->intervals.at[i].lost;
		f->counts.damaged += h->intervals.at[i].damaged;
		err = identities_give(&h->ids, k, f->give.to);
	}
	return err ? err : feed_give(&f->give);
}

/* ---- a poll -----------------------------------------------------------------------------------*/

static int begin(struct follow *f, const struct gather_to *to)
{
	const char **names;
	int err;

	if (f->begun == f->n_hosts)
		return 0;
	if (f->cap_at < f->n_hosts) {
		const struct interval **at = realloc(f->give.at, f->n_hosts * sizeof(*at));

		if (!at)
			return -ENOMEM;
		f->give.at = at;
		f->cap_at = f->n_hosts;
	}
	f->give.n = f->n_hosts;
	names = calloc(f->n_hosts, sizeof(*names));
	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_hosts; i++)
		names[i] = f->host[i].name;
	err = to->begin ? to->begin(to->arg, names, f->n_hosts) : 0;
	free(names);
	f->begun = f->n_hosts;
	return err < 0 ? err : 0;
}

static bool nobody(const struct follow *f, size_t n)
{
	while (n)
		if (anybody(f, --n))
			return false;
	return true;
}

/* A file that spans years and has hardly anything is gone through with longer and longer steps. */
static size_t longer(const struct follow *f)
{
	return f->length * f->n_hosts < EMPTY_INTERVALS ? 2 * f->length : f->length;
}

/* Gives what is complete of one stretch; *more: all of it was, and there may be more. */
static int step(struct follow *f, int64_t now_ns, bool *more)
{
	int64_t end = gather_floor(now_ns, f->give.interval_ns) +
		      AHEAD_INTERVALS * f->give.interval_ns,
		at, due;
	struct stretch s = {.interval_ns = f->give.interval_ns};
	int err;

	*more = false;
	end = end < FEED_LAST_NS ? end : gather_floor(FEED_LAST_NS, f->give.interval_ns);
	due = gather_floor(now_ns - f->grace_ns, f->give.interval_ns);
	at = next_with_data(f, end);
	at = at < due ? at : due;
	if (at > f->give.next_ns) {
		bool is_last = next_with_data(f, end) == end;

		err = pass_silence(f, (uint64_t)((at - f->give.next_ns) / f->give.interval_ns),
				   is_last);
		if (err)
			return err;
	}
	s.from_ns = f->give.next_ns;
	if (end <= s.from_ns)
		return 0;
	s.n = (size_t)((end - s.from_ns) / f->give.interval_ns);
	s.n = s.n > f->length ? f->length : s.n;
	err = follow_read(f, &s);
	f->length = !err && nobody(f, s.n) ? longer(f) : STRETCH_INTERVALS;
	for (size_t i = 0; i < s.n && !err; i++) {
		int64_t interval_end = f->give.next_ns + f->give.interval_ns;

		if (interval_end > now_ns - f->grace_ns && !all_beyond(f, interval_end, now_ns))
			return 0;
		if (anybody(f, i))
			err = give_interval(f, i);
		else
			err = pass_silence(f, 1, next_with_data(f, end) == end);
	}
	*more = true;
	return err;
}

/* Peers are compared by the clock. */
static void check_clocks(struct follow *f, int64_t now_ns)
{
	for (size_t i = 0; i < f->n_files; i++) {
		const struct follow_file *file = &f->file[i];
		int64_t ahead = file->known && file->total ? file->last_ns - now_ns : 0;

		if (ahead > AHEAD_INTERVALS * f->give.interval_ns + f->grace_ns)
			follow_say(
				f,
				"the clock of '%s' is %.0f s ahead: '%s' is read when it is time",
				f->host[file->host].name, s_of_ns(ahead), file->path);
	}
}

ssize_t follow_poll(struct follow *f, int64_t now_ns, const struct gather_to *to)
{
	bool more = true;
	int err;

	*f->trouble = 0;
	f->give.to = to;
	f->give.given = 0;
	now_ns = now_ns < 0 ? 0 : now_ns > FEED_LAST_NS ? FEED_LAST_NS : now_ns;
	f->now_ns = now_ns;
	err = follow_look(f, now_ns);
	if (!err)
		err = begin(f, to);
	if (!err && f->give.next_ns == INT64_MIN)
		find_start(f, now_ns);
	if (!err)
		check_clocks(f, now_ns);
	while (!err && more && f->give.next_ns != INT64_MIN)
		err = step(f, now_ns, &more);
	/* the last: they say nothing if there was anything else */
	if (!err)
		follow_overlaps(f);
	if (!err)
		follow_late(f);
	if (err == -ENOMEM)
		fail("out of memory");
	return err ? err : (ssize_t)f->give.given;
}
