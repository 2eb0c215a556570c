// SPDX-License-Identifier: BSD-2-Clause
/*
 * All intervals of a time span, stretch after stretch: the hosts of a stretch are read in parallel, the
 * files of one host one after the other, so that of a second that came twice the first counts.
 */
#include "gather_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source_hosts.h"
#include "userspace/common/clock.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

/* A stretch is as long as its intervals take this much memory; at least one chunk of the files, which are
 * opened and unpacked anew for each stretch. 256 MiB are a tenth quicker and take twice as much memory. */
#define STRETCH_BYTES	  ((size_t)64 << 20)
#define STRETCH_INTERVALS 8640 /* at most */
#define CHUNK_NS	  (60 * NS_PER_S)
#define FIRST_BYTES	  ((size_t)64 << 10) /* of an interval, before any was seen */
#define TRIES		  5		     /* of a file that is being written to */

struct gathered_host {
	struct source_host of;
	struct host_intervals intervals;
	struct identities ids;
};

struct gathering {
	struct feed feed;
	const struct sources *s;
	struct feed_opts o;
	struct gathered_host *host;
	size_t n_hosts;
	int64_t from_ns, to_ns; /* whole intervals */
	struct stretch now;
	size_t at; /* interval of it that is given next */
	struct feed_line line;
};

/* ---- before -----------------------------------------------------------------------------------*/

static int list_hosts(struct gathering *g)
{
	struct source_host *of;
	int err = sources_hosts(g->s, &of, &g->n_hosts);

	if (!err && !(g->host = calloc(g->n_hosts + 1, sizeof(*g->host))))
		err = -ENOMEM;
	for (size_t i = 0; i < g->n_hosts && !err; i++) {
		g->host[i].of = of[i];
		err = feed_add_server(&g->feed, i, of[i].name, g->n_hosts);
	}
	free(of);
	return err;
}

static int find_span(struct gathering *g)
{
	struct source_span span;
	int err = sources_span(g->s, g->o.from_ns, g->o.to_ns, &span);

	if (err)
		return err;
	g->from_ns = gather_floor(span.first_ns, g->line.interval_ns);
	g->to_ns = gather_floor(span.last_ns, g->line.interval_ns) + g->line.interval_ns;
	g->now = (struct stretch){.from_ns = g->from_ns, .interval_ns = g->line.interval_ns};
	g->line.next_ns = g->from_ns;
	return 0;
}

/* ---- a stretch --------------------------------------------------------------------------------*/

/* Its files say that they have more seconds than an interval can hold. */
static int too_short(struct gathering *g, const struct gathered_host *h)
{
	for (size_t f = h->of.first; f < h->of.end; f++) {
		struct source_file *file = &g->s->at[f];

		if (file->interval_ms == h->of.interval_ms && !file->why &&
		    asprintf(&file->why, "an interval of %g s has too many samples, one in %u ms",
			     g->o.interval_s, h->of.interval_ms) < 0)
			return -ENOMEM;
	}
	return -EBADMSG;
}

/* A writer may come at any time; then all of the host's stretch is read again. */
static int read_host(void *arg, size_t host)
{
	struct gathering *g = arg;
	struct gathered_host *h = &g->host[host];
	struct source_file *bad = NULL;
	int err = -ESTALE;

	for (int i = 0; i < TRIES && err == -ESTALE; i++) {
		host_intervals_release(&h->intervals);
		err = host_intervals_init(&h->intervals, &g->now, h->of.interval_ms);
		if (err)
			return err == -E2BIG ? too_short(g, h) : err;
		for (size_t f = h->of.first; f < h->of.end && !err; f++) {
			bad = &g->s->at[f];
			if (stretch_has(&g->now, bad->seconds, bad->first_ns, bad->last_ns))
				err = host_intervals_read(&h->intervals, bad->path, &g->o, &h->ids);
		}
	}
	host_intervals_finish(&h->intervals);
	if (!err || err == -ENOMEM)
		return err;
	/* nobody else reads this host's files */
	bad->why = strdup(series_error());
	return bad->why ? -EBADMSG : -ENOMEM;
}

static int read_stretch(struct gathering *g)
{
	double all = (double)(g->to_ns - g->from_ns), from = (double)(g->now.from_ns - g->from_ns);

	return sources_parallel(&(struct source_work){
		.n = g->n_hosts,
		.threads = g->o.threads,
		.fn = read_host,
		.arg = g,
		.progress = g->o.progress,
		.from = from / all,
		.to = (from + (double)g->now.n * (double)g->now.interval_ns) / all});
}

/* ---- giving -----------------------------------------------------------------------------------*/

static int give_interval(struct gathering *g, size_t i)
{
	int err;
	bool any = any_of(k, g->n_hosts, g->host[k].intervals.at[i].seconds > 0);

	if (!any) {
		feed_silence(&g->line, 1);
		return 0;
	}
	err = feed_end_silence(&g->feed, &g->line);
	for (size_t k = 0; k < g->n_hosts && !err; k++) {
		const struct interval *h = &g->host[k].intervals.at[i];

		if (h->seconds)
			err = feed_add_row(&g->feed, &g->line, k, h);
		g->feed.counts.lost += h->lost;
		g->feed.counts.damaged += h->damaged;
	}
	return err ?: feed_end_interval(&g->feed, &g->line);
}

/* Of an interval of all hosts: a place for each second is there before any was seen, and of a file that says
 * it has one each millisecond there are many. */
static size_t first_bytes(const struct gathering *g)
{
	size_t bytes = 0;

	for (size_t i = 0; i < g->n_hosts; i++) {
		int64_t step_ns = (int64_t)g->host[i].of.interval_ms * 1000000;

		bytes += FIRST_BYTES +
			 (size_t)(g->line.interval_ns / step_ns + 1) * sizeof(struct second_owner);
	}
	return bytes;
}

/* The next stretch: as many intervals as memory is meant for. */
static size_t next_length(const struct gathering *g, size_t bytes, size_t n)
{
	size_t per_interval = n ? bytes / n + 1 : first_bytes(g);
	size_t least = (size_t)((CHUNK_NS + g->line.interval_ns - 1) / g->line.interval_ns);
	size_t length = STRETCH_BYTES / per_interval;

	if (g->o.stretch)
		return g->o.stretch;
	length = length > STRETCH_INTERVALS ? STRETCH_INTERVALS : length;
	/* twice as many at most, for the next may be larger */
	length = n && length > 2 * n ? 2 * n : length;
	/* whole chunks, so that few are unpacked twice */
	return length < least ? least : length - length % least;
}

/* Where an interval is next that a file may have: by the files' spans. */
static int64_t skip_gap(const struct gathering *g, int64_t at_ns)
{
	int64_t next = g->to_ns;

	for (size_t i = 0; i < g->s->n; i++) {
		const struct source_file *f = &g->s->at[i];
		int64_t first = gather_floor(f->first_ns, g->line.interval_ns);

		if (!f->seconds || f->last_ns < at_ns)
			continue;
		if (first <= at_ns)
			return at_ns;
		next = first < next ? first : next;
	}
	return next;
}

/* The memory that the stretch took. */
static size_t release_stretch(struct gathering *g)
{
	size_t bytes = 0;

	for (size_t i = 0; i < g->n_hosts; i++) {
		bytes += host_intervals_bytes(&g->host[i].intervals);
		host_intervals_release(&g->host[i].intervals);
	}
	return bytes;
}

static int begin_stretch(struct gathering *g)
{
	size_t left = (size_t)((g->to_ns - g->now.from_ns) / g->line.interval_ns);
	size_t bytes = release_stretch(g);
	int err;

	g->now.n = next_length(g, bytes, g->now.n);
	g->now.n = g->now.n > left ? left : g->now.n;
	g->at = 0;
	err = read_stretch(g);
	for (size_t k = 0; k < g->n_hosts && !err; k++) {
		struct gathered_host *h = &g->host[k];

		err = identities_add(&h->ids, &g->feed, k);
		g->feed.counts.duplicates += h->intervals.duplicates;
		g->feed.counts.seconds += h->intervals.seconds;
	}
	return err;
}

/* To where the next stretch begins. */
static void end_stretch(struct gathering *g)
{
	int64_t next = stretch_end(&g->now);

	g->now.from_ns = skip_gap(g, next);
	feed_silence(&g->line, (uint64_t)((g->now.from_ns - next) / g->line.interval_ns));
}

static int gather_end(struct gathering *g)
{
	release_stretch(g);
	g->now.n = g->at = 0; /* should it be asked again */
	if (g->o.progress)
		output_progress_end();
	if (g->line.began)
		return feed_add_kind(&g->feed, FEED_END);
	fail("no recorded second lies in the time asked for");
	return -ENODATA;
}

static int gather_fill(struct feed *f)
{
	struct gathering *g = (struct gathering *)f;
	int err;

	if (g->at < g->now.n)
		return give_interval(g, g->at++);
	if (g->now.n)
		end_stretch(g);
	if (g->now.from_ns >= g->to_ns)
		return gather_end(g);
	err = begin_stretch(g);
	if (err && g->o.progress)
		output_progress_end();
	return err;
}

static void gather_release(struct feed *f)
{
	struct gathering *g = (struct gathering *)f;

	for (size_t i = 0; g->host && i < g->n_hosts; i++) {
		host_intervals_release(&g->host[i].intervals);
		identities_release(&g->host[i].ids);
	}
	free(g->host);
}

int feed_of_series(struct feed **f, const struct sources *s, const struct feed_opts *o)
{
	static const struct feed_reader reader = {.fill = gather_fill, .release = gather_release};
	struct gathering *g = calloc(1, sizeof(*g));
	int err;

	if (!g)
		return feed_made(f, NULL, -ENOMEM);
	*g = (struct gathering){.feed.reader = &reader, .s = s, .o = *o};
	err = feed_line_init(&g->line, o->interval_s) ?: list_hosts(g) ?: find_span(g);
	return feed_made(f, &g->feed, err);
}
