// SPDX-License-Identifier: BSD-2-Clause
/*
 * All intervals of a time span, stretch after stretch: the hosts of a stretch are read in parallel, the
 * files of one host one after the other, so that of a second that came twice the first counts.
 */
#include "gather.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "gather_read.h"
#include "userspace/common/output.h"
#include "userspace/common/clock.h"

/* A stretch is as long as its intervals take this much memory; at least one chunk of the files, which are
 * unpacked anew for each stretch. */
#define STRETCH_BYTES	  ((size_t)256 << 20)
#define STRETCH_INTERVALS 8640 /* at most */
#define CHUNK_NS	  (60 * NS_PER_S)
#define FIRST_BYTES	  ((size_t)64 << 10) /* of an interval, before any was seen */
#define DAYS_MAX	  400
#define TRIES		  5 /* of a file that is being written to */

struct host {
	char name[HOST_LEN];
	size_t first, end; /* its files in sources */
	unsigned int interval_ms;
	struct host_intervals intervals;
	struct identities ids;
};

struct gathering {
	const struct sources *s;
	const struct gather_opts *o;
	const struct gather_to *to;
	struct gathered *out;
	struct host *host;
	size_t n_hosts;
	int64_t interval_ns, from_ns, to_ns; /* whole intervals */
	struct stretch now;
	size_t silent; /* intervals that nobody had, not given yet */
	int64_t silent_ns;
	bool began; /* something was given */
	const struct interval **at;
	/* of the threads */
	atomic_size_t next;
	pthread_mutex_t lock;
	size_t done;
	atomic_int err;
};

/* ---- before -----------------------------------------------------------------------------------*/

static int list_hosts(struct gathering *g)
{
	const struct sources *s = g->s;

	g->host = calloc(s->n ? s->n : 1, sizeof(*g->host));
	if (!g->host)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		struct host *h = &g->host[g->n_hosts];

		if (g->n_hosts && !strcmp(h[-1].name, s->at[i].host))
			h--;
		else
			g->n_hosts++;
		if (!h->interval_ms)
			h->first = i;
		memcpy(h->name, s->at[i].host, HOST_LEN);
		h->end = i + 1;
		if (!h->interval_ms || s->at[i].interval_ms < h->interval_ms)
			h->interval_ms = s->at[i].interval_ms;
	}
	g->at = calloc(g->n_hosts + 1, sizeof(*g->at));
	return g->at ? 0 : -ENOMEM;
}

static int find_span(struct gathering *g)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	int64_t from = g->o->from_ns > 0 ? g->o->from_ns : 0;
	int64_t to = g->o->to_ns < GATHER_LAST_NS ? g->o->to_ns : GATHER_LAST_NS;
	char a[TIME_TEXT_LEN], b[TIME_TEXT_LEN];

	for (size_t i = 0; i < g->s->n; i++) {
		const struct source_file *f = &g->s->at[i];
		int64_t begin = f->first_ns > from ? f->first_ns : from;
		int64_t end = f->last_ns < to ? f->last_ns : to - 1;

		if (!f->seconds || end < begin)
			continue;
		first = begin < first ? begin : first;
		last = end > last ? end : last;
	}
	if (first > last) {
		fail("no recorded second lies in the time asked for");
		return -ENODATA;
	}
	if (last - first > DAYS_MAX * NS_PER_DAY) {
		fail("the recordings span %s to %s: more than %d days, so a clock was wrong; "
		     "choose a part with --from and --to",
		     output_time(first, a), output_time(last, b), DAYS_MAX);
		return -E2BIG;
	}
	g->from_ns = gather_floor(first, g->interval_ns);
	g->to_ns = gather_floor(last, g->interval_ns) + g->interval_ns;
	return 0;
}

static int begin(struct gathering *g)
{
	const char **names = calloc(g->n_hosts + 1, sizeof(*names));
	int err = names ? 0 : -ENOMEM;

	for (size_t i = 0; names && i < g->n_hosts; i++)
		names[i] = g->host[i].name;
	if (!err && g->to->begin)
		err = g->to->begin(g->to->arg, names, g->n_hosts);
	free(names);
	return err < 0 ? err : 0;
}

/* ---- a stretch --------------------------------------------------------------------------------*/

static bool overlaps(const struct source_file *f, const struct stretch *s)
{
	return f->seconds && f->last_ns >= s->from_ns &&
	       f->first_ns < s->from_ns + (int64_t)s->n * s->interval_ns;
}

/* Its files say that they have more seconds than an interval can hold. */
static int too_short(struct gathering *g, const struct host *h)
{
	for (size_t f = h->first; f < h->end; f++) {
		struct source_file *file = &g->s->at[f];

		if (file->interval_ms == h->interval_ms && !file->why &&
		    asprintf(&file->why, "an interval of %g s has too many samples, one in %u ms",
			     g->o->interval_s, h->interval_ms) < 0)
			return -ENOMEM;
	}
	return -EBADMSG;
}

/* A writer may come at any time; then all of the host's stretch is read again. */
static int read_host(struct gathering *g, struct host *h)
{
	struct source_file *bad = NULL;
	int err = -ESTALE;

	for (int i = 0; i < TRIES && err == -ESTALE; i++) {
		host_intervals_release(&h->intervals);
		err = host_intervals_init(&h->intervals, &g->now, h->interval_ms);
		if (err)
			return err == -E2BIG ? too_short(g, h) : err;
		for (size_t f = h->first; f < h->end && !err; f++) {
			bad = &g->s->at[f];
			if (overlaps(bad, &g->now))
				err = host_intervals_read(&h->intervals, bad->path, g->o, &h->ids);
		}
	}
	host_intervals_finish(&h->intervals);
	if (!err || err == -ENOMEM)
		return err;
	/* nobody else reads this host's files */
	bad->why = strdup(series_error());
	return bad->why ? -EBADMSG : -ENOMEM;
}

static void *reader(void *arg)
{
	struct gathering *g = arg;
	size_t i;

	while ((!g->err || g->err == -EBADMSG) &&
	       (i = atomic_fetch_add(&g->next, 1)) < g->n_hosts) {
		int err = read_host(g, &g->host[i]);
		double part;

		pthread_mutex_lock(&g->lock);
		if (err && (!g->err || g->err == -EBADMSG))
			g->err = err;
		g->done++;
		part = (double)(g->now.from_ns - g->from_ns) +
		       (double)g->now.n * (double)g->interval_ns * (double)g->done /
			       (double)g->n_hosts;
		if (g->o->progress)
			output_progress("reading", part / (double)(g->to_ns - g->from_ns));
		pthread_mutex_unlock(&g->lock);
	}
	return NULL;
}

static int read_stretch(struct gathering *g)
{
	enum { THREADS = 256 };
	pthread_t more[THREADS];
	unsigned int n = 0, wanted = g->o->threads;

	wanted = wanted > g->n_hosts ? (unsigned int)g->n_hosts : wanted;
	g->next = 0;
	g->done = 0;
	while (n + 1 < wanted && n < THREADS && !pthread_create(&more[n], NULL, reader, g))
		n++;
	reader(g);
	while (n)
		pthread_join(more[--n], NULL);
	return g->err;
}

/* ---- giving -----------------------------------------------------------------------------------*/

static int give(struct gathering *g, int64_t from_ns)
{
	int err = g->to->interval(g->to->arg, from_ns, g->at, g->n_hosts);

	return err < 0 ? err : 0;
}

/* Silence counts only between intervals that somebody has. */
static int give_silence(struct gathering *g)
{
	bool is_long = (double)g->silent * (double)g->interval_ns > (double)GATHER_SILENCE_NS;
	size_t n = is_long ? 1 : g->silent;
	int err = 0;

	memset(g->at, 0, g->n_hosts * sizeof(*g->at));
	for (size_t i = 0; i < n && !err; i++)
		err = give(g, g->silent_ns + (int64_t)i * g->interval_ns);
	g->silent = 0;
	return err;
}

static int give_interval(struct gathering *g, size_t i)
{
	int64_t from_ns = g->now.from_ns + (int64_t)i * g->interval_ns;
	bool any = false;
	int err = 0;

	for (size_t k = 0; k < g->n_hosts; k++)
		any |= g->host[k].intervals.at[i].seconds > 0;
	if (!any) {
		if (!g->silent++)
			g->silent_ns = from_ns;
		return 0;
	}
	if (g->silent && g->began)
		err = give_silence(g);
	g->silent = 0;
	g->began = true;
	for (size_t k = 0; k < g->n_hosts; k++) {
		const struct interval *h = &g->host[k].intervals.at[i];

		g->at[k] = h->seconds ? h : NULL;
		g->out->lost += h->lost;
		g->out->damaged += h->damaged;
	}
	return err ? err : give(g, from_ns);
}

static int give_stretch(struct gathering *g)
{
	int err = 0;

	for (size_t k = 0; k < g->n_hosts && !err; k++) {
		struct host *h = &g->host[k];

		err = identities_give(&h->ids, k, g->to);
		g->out->duplicates += h->intervals.duplicates;
		g->out->seconds += h->intervals.seconds;
	}
	for (size_t i = 0; i < g->now.n && !err; i++)
		err = give_interval(g, i);
	return err;
}

/* Of an interval of all hosts: a place for each second is there before any was seen, and of a file that says
 * it has one each millisecond there are many. */
static size_t first_bytes(const struct gathering *g)
{
	size_t bytes = 0;

	for (size_t i = 0; i < g->n_hosts; i++) {
		int64_t step_ns = (int64_t)g->host[i].interval_ms * 1000000;

		bytes += FIRST_BYTES +
			 (size_t)(g->interval_ns / step_ns + 1) * sizeof(struct second_owner);
	}
	return bytes;
}

/* The next stretch: as many intervals as memory is meant for. */
static size_t next_length(const struct gathering *g, size_t bytes, size_t n)
{
	size_t per_interval = n ? bytes / n + 1 : first_bytes(g);
	size_t least = (size_t)((CHUNK_NS + g->interval_ns - 1) / g->interval_ns);
	size_t length = STRETCH_BYTES / per_interval;

	if (g->o->stretch)
		return g->o->stretch;
	length = length > STRETCH_INTERVALS ? STRETCH_INTERVALS : length;
	/* twice as many at most, for the next may be larger */
	length = n && length > 2 * n ? 2 * n : length;
	return length < least ? least : length;
}

/* Where an interval is next that a file may have: by the files' spans. */
static int64_t skip_gap(const struct gathering *g, int64_t at_ns)
{
	int64_t next = g->to_ns;

	for (size_t i = 0; i < g->s->n; i++) {
		const struct source_file *f = &g->s->at[i];
		int64_t first = gather_floor(f->first_ns, g->interval_ns);

		if (!f->seconds || f->last_ns < at_ns)
			continue;
		if (first <= at_ns)
			return at_ns;
		next = first < next ? first : next;
	}
	return next;
}

static int gather(struct gathering *g)
{
	size_t bytes = 0;
	int err = 0;

	g->now = (struct stretch){.from_ns = g->from_ns, .interval_ns = g->interval_ns};
	while (!err && g->now.from_ns < g->to_ns) {
		int64_t next;

		g->now.n = next_length(g, bytes, g->now.n);
		next = (g->to_ns - g->now.from_ns) / g->interval_ns;
		g->now.n = g->now.n > (size_t)next ? (size_t)next : g->now.n;
		err = read_stretch(g);
		if (!err)
			err = give_stretch(g);
		bytes = 0;
		for (size_t i = 0; i < g->n_hosts; i++) {
			bytes += host_intervals_bytes(&g->host[i].intervals);
			host_intervals_release(&g->host[i].intervals);
		}
		next = g->now.from_ns + (int64_t)g->now.n * g->interval_ns;
		g->now.from_ns = skip_gap(g, next);
		if (g->now.from_ns > next) {
			if (!g->silent)
				g->silent_ns = next;
			g->silent += (size_t)((g->now.from_ns - next) / g->interval_ns);
		}
	}
	return err;
}

int gather_series(const struct sources *s, const struct gather_opts *o, const struct gather_to *to,
		  struct gathered *out)
{
	struct gathering g = {.s = s, .o = o, .to = to, .out = out};
	int err;

	*out = (struct gathered){0};
	pthread_mutex_init(&g.lock, NULL);
	g.interval_ns = ns_of_s(o->interval_s);
	if (g.interval_ns < 1000000 || o->interval_s > 86400 * 7) {
		fail("an interval of %g s is not between 1 ms and a week", o->interval_s);
		return -EINVAL;
	}
	err = list_hosts(&g);
	if (!err)
		err = find_span(&g);
	if (!err)
		err = begin(&g);
	if (!err)
		err = gather(&g);
	if (!err && !g.began) {
		fail("no recorded second lies in the time asked for");
		err = -ENODATA;
	}
	if (o->progress)
		output_progress_end();
	if (err == -ENOMEM)
		fail("out of memory");
	for (size_t i = 0; g.host && i < g.n_hosts; i++) {
		host_intervals_release(&g.host[i].intervals);
		identities_release(&g.host[i].ids);
	}
	free(g.host);
	free(g.at);
	pthread_mutex_destroy(&g.lock);
	return err;
}
