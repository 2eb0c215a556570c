// SPDX-License-Identifier: BSD-2-Clause
/*
 * What grows: the loop that says which interval is complete, for series files (below) and for frames (follow_wire.c).
 * What was given is never given again: seconds that come for it later are dropped, and counted.
 *
 * Of series files, when an interval is over, all that is not given yet is read again, a few seconds as a rule: so nothing
 * has to be remembered of a file that is written to, damaged or moved away meanwhile.
 */
#include "follow_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source_hosts.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

#define GRACE_NS (5 * NS_PER_S)
/* Of what lies back, at once: 64 intervals; of the present, intervals that are not over yet: 2. */
#define STRETCH_INTERVALS 64
#define AHEAD_INTERVALS	  2
#define EMPTY_INTERVALS	  30000		     /* of all hosts, some 100 MB */
#define BACK_NS		  (400 * NS_PER_DAY) /* older seconds are those of a wrong clock */

/* ---- when -------------------------------------------------------------------------------------*/

/* All that reported before are beyond end_ns, so nobody is waited for. What lies further ahead than a
 * interval is believed of no clock. */
static bool all_beyond(const struct follow *f, int64_t end_ns, int64_t now_ns)
{
	bool any = false;

	if (f->source->join || end_ns > now_ns + f->line.interval_ns)
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

/* `n` intervals that nobody has. */
static void pass_silence(struct follow *f, uint64_t n)
{
	for (size_t i = 0; i < f->n_hosts; i++)
		f->host[i].reported = false;
	feed_silence(&f->line, n);
}

static bool anybody(const struct follow *f, size_t i)
{
	return any_of(k, f->n_hosts, f->host[k].intervals.at[i].seconds);
}

static int give_interval(struct follow *f, size_t i)
{
	int err = feed_end_silence(&f->feed, &f->line);

	for (size_t k = 0; k < f->n_hosts && !err; k++) {
		struct follow_host *h = &f->host[k];
		const struct interval *at = &h->intervals.at[i];
		size_t taken = host_intervals_taken(&h->intervals, i);

		h->reported = at->seconds > 0;
		h->given += taken;
		f->feed.counts.seconds += taken;
		f->feed.counts.lost += at->lost;
		f->feed.counts.damaged += at->damaged;
		err = identities_add(&h->ids, &f->feed, k);
		if (!err && h->reported)
			err = feed_add_row(&f->feed, &f->line, k, at);
	}
	return err ?: feed_end_interval(&f->feed, &f->line);
}

/* ---- the steps --------------------------------------------------------------------------------*/

int follow_servers(struct follow *f)
{
	int err = 0;

	for (; f->begun < f->n_hosts && !err; f->begun++)
		err = feed_add_server(&f->feed, f->begun, f->host[f->begun].name, f->n_hosts);
	return err;
}

static int follow_begin(struct follow *f)
{
	int err = f->source->look(f);

	if (!err && !f->source->complete)
		err = follow_servers(f);
	f->step = f->line.next_ns == INT64_MIN ? STEP_WAIT : STEP_SILENCE;
	return err;
}

/* Where a file that grows may have something at most. */
static int64_t last_end(const struct follow *f)
{
	int64_t end = gather_floor(f->now_ns, f->line.interval_ns) +
		      AHEAD_INTERVALS * f->line.interval_ns;

	return end < SOURCE_LAST_NS ? end : gather_floor(SOURCE_LAST_NS, f->line.interval_ns);
}

/* Intervals that no server has, up to the next one that may have something or is not complete. */
static int follow_silence(struct follow *f)
{
	int64_t due = gather_floor(f->now_ns - f->grace_ns, f->line.interval_ns);
	int64_t end = last_end(f), next = f->source->next(f, end), at = next < due ? next : due;

	f->step = STEP_READ;
	if (at > f->line.next_ns)
		pass_silence(f, (uint64_t)((at - f->line.next_ns) / f->line.interval_ns));
	return 0;
}

static bool is_empty(const struct follow *f)
{
	size_t n = f->now.n;

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

static int follow_stretch(struct follow *f)
{
	int64_t end = last_end(f), from = f->line.next_ns;
	int err;

	f->step = STEP_WAIT;
	if (end <= from)
		return 0;
	f->now = (struct stretch){from, f->line.interval_ns,
				  (size_t)((end - from) / f->line.interval_ns)};
	f->now.n = f->now.n > f->length ? f->length : f->now.n;
	err = f->source->read(f, &f->now);
	f->length = !err && is_empty(f) ? longer(f) : STRETCH_INTERVALS;
	f->at = 0;
	f->step = STEP_GIVE;
	return err;
}

/* The next interval of the stretch, if it is complete. */
static int follow_give(struct follow *f)
{
	int64_t interval_end = f->line.next_ns + f->line.interval_ns;
	size_t i = f->at++;
	int err = 0;

	if (i == f->now.n) {
		f->step = STEP_SILENCE;
		return 0;
	}
	if (interval_end > f->now_ns - f->grace_ns && !all_beyond(f, interval_end, f->now_ns)) {
		f->step = STEP_WAIT;
		return 0;
	}
	if (f->source->complete)
		err = f->source->complete(f, i);
	if (err)
		return err;
	if (anybody(f, i))
		return give_interval(f, i);
	pass_silence(f, 1);
	return 0;
}

int follow_fill(struct feed *feed)
{
	static int (*const steps[])(struct follow * f) = {
		[STEP_FILES] = follow_begin,
		[STEP_SILENCE] = follow_silence,
		[STEP_READ] = follow_stretch,
		[STEP_GIVE] = follow_give,
	};
	struct follow *f = (struct follow *)feed;

	return f->step == STEP_WAIT ? f->source->rest(f) : steps[f->step](f);
}

/* ---- the feed ---------------------------------------------------------------------------------*/

void follow_now(struct feed *feed, int64_t now_ns)
{
	struct follow *f = (struct follow *)feed;

	*f->trouble = 0;
	f->now_ns = now_ns < 0 ? 0 : now_ns > SOURCE_LAST_NS ? SOURCE_LAST_NS : now_ns;
	f->step = STEP_FILES;
}

const char *follow_trouble(const struct feed *feed)
{
	const struct follow *f = (const struct follow *)feed;

	return *f->trouble ? f->trouble : NULL;
}

struct follow_host *follow_find_host(const struct follow *f, const char *name)
{
	uint64_t hash = map_hash(name, strlen(name));
	size_t at = map_find(i, &f->host_by_name, hash, !strcmp(f->host[i].name, name));

	return at == MAP_NONE ? NULL : &f->host[at];
}

struct follow_host *follow_add_host(struct follow *f, const char *name, unsigned int interval_ms)
{
	struct follow_host *h = map_append(&f->host_by_name, map_hash(name, strlen(name)),
					   array_add(&f->host, &f->n_hosts), &f->n_hosts);

	if (!h)
		return NULL;
	h->interval_ms = interval_ms;
	h->joined = f->line.next_ns != INT64_MIN;
	snprintf(h->name, sizeof(h->name), "%s", name);
	return h;
}

void follow_release_hosts(struct follow *f)
{
	for (size_t i = 0; i < f->n_hosts; i++) {
		host_intervals_release(&f->host[i].intervals);
		identities_release(&f->host[i].ids);
	}
	free(f->host);
	map_release(&f->host_by_name);
}

int64_t follow_ahead_ns(const struct follow *f)
{
	return AHEAD_INTERVALS * f->line.interval_ns + f->grace_ns;
}

int follow_init(struct follow *f, const struct follow_source *source, const struct feed_opts *o)
{
	f->source = source;
	f->o = *o;
	f->grace_ns = GRACE_NS;
	f->length = STRETCH_INTERVALS;
	return feed_line_init(&f->line, o->interval_s);
}

/* ---- series files -----------------------------------------------------------------------------*/

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
	if (first <= now_ns + AHEAD_INTERVALS * f->line.interval_ns)
		f->line.next_ns = gather_floor(first, f->line.interval_ns);
}

/* The first interval from next_ns on that a file may have; `end_ns` if there is none before. */
static int64_t next_with_data(const struct follow *f, int64_t end_ns)
{
	int64_t next = end_ns;

	for (size_t i = 0; i < f->n_files; i++) {
		const struct follow_file *file = &f->file[i];
		int64_t first = gather_floor(file->first_ns, f->line.interval_ns);

		if (!file->known || file->away || !file->total || file->last_ns < f->line.next_ns)
			continue;
		first = first < f->line.next_ns ? f->line.next_ns : first;
		next = first < next ? first : next;
	}
	/* Also what is not in its file any more. */
	for (size_t i = 0; i < f->n_hosts; i++)
		if (f->host[i].intervals.at && f->host[i].intervals.last_ns >= f->line.next_ns)
			return f->line.next_ns;
	return next;
}

/* Peers are compared by the clock. */
static void check_clocks(struct follow *f)
{
	for (size_t i = 0; i < f->n_files; i++) {
		const struct follow_file *file = &f->file[i];
		int64_t ahead = file->known && file->total ? file->last_ns - f->now_ns : 0;

		if (ahead > follow_ahead_ns(f))
			follow_say(
				f,
				"the clock of '%s' is %.0f s ahead: '%s' is read when it is time",
				f->host[file->host].name, s_of_ns(ahead), file->path);
	}
}

static int files_look(struct follow *f)
{
	int err = follow_look(f);

	if (err)
		return err;
	if (f->line.next_ns == INT64_MIN)
		find_start(f, f->now_ns);
	check_clocks(f);
	return 0;
}

/* What is said last: nothing, if there was anything else to say. */
static int files_rest(struct follow *f)
{
	follow_overlaps(f);
	follow_late(f);
	return feed_add_kind(&f->feed, FEED_NOT_YET);
}

static void files_release(struct feed *feed)
{
	struct follow *f = (struct follow *)feed;

	for (size_t i = 0; i < f->n_files; i++) {
		free(f->file[i].path);
		free(f->file[i].why);
	}
	follow_release_hosts(f);
	free(f->paths);
	free(f->file);
	free(f->of_host);
}

int feed_of_growing(struct feed **out, char *const *paths, size_t n_paths,
		    const struct feed_opts *o)
{
	static const struct feed_reader reader = {.fill = follow_fill,
						  .release = files_release,
						  .now = follow_now,
						  .trouble = follow_trouble,
						  .left_out = follow_left_out};
	static const struct follow_source source = {.look = files_look,
						    .next = next_with_data,
						    .read = follow_read,
						    .rest = files_rest};
	struct follow *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return feed_made(out, NULL, -ENOMEM);
	f->feed.reader = &reader;
	err = follow_init(f, &source, o);
	for (size_t i = 0; i < n_paths && !err; i++)
		err = array_put(&f->paths, &f->n_paths, paths[i]);
	return feed_made(out, &f->feed, err);
}
