// SPDX-License-Identifier: BSD-2-Clause
/* source_hosts.h: hosts, span and threads. */
#include "source_hosts.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/output.h"

int sources_hosts(const struct sources *s, struct source_host **hosts, size_t *n)
{
	struct source_host *h = calloc(s->n + 1, sizeof(*h));

	*hosts = h;
	*n = 0;
	if (!h)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		const struct source_file *f = &s->at[i];
		struct source_host *at = &h[*n];

		if (*n && !strcmp(at[-1].name, f->host)) {
			at--;
		} else {
			*at = (struct source_host){f->host, i, i, f->interval_ms};
			++*n;
		}
		at->end = i + 1;
		if (f->interval_ms < at->interval_ms)
			at->interval_ms = f->interval_ms;
	}
	return 0;
}

int sources_span(const struct sources *s, int64_t from_ns, int64_t to_ns, struct source_span *out)
{
	char a[TIME_TEXT_LEN], b[TIME_TEXT_LEN];

	*out = (struct source_span){.first_ns = INT64_MAX, .last_ns = INT64_MIN};
	from_ns = from_ns > 0 ? from_ns : 0;
	to_ns = to_ns < SOURCE_LAST_NS ? to_ns : SOURCE_LAST_NS;
	for (size_t i = 0; i < s->n; i++) {
		const struct source_file *f = &s->at[i];
		int64_t begin = f->first_ns > from_ns ? f->first_ns : from_ns;
		int64_t end = f->last_ns < to_ns ? f->last_ns : to_ns - 1;

		if (!f->seconds || end < begin)
			continue;
		out->seconds += f->seconds;
		out->first_ns = begin < out->first_ns ? begin : out->first_ns;
		out->last_ns = end > out->last_ns ? end : out->last_ns;
	}
	if (out->first_ns > out->last_ns) {
		fail("no recorded second lies in the time asked for");
		return -ENODATA;
	}
	if (out->last_ns - out->first_ns <= SOURCE_DAYS_MAX * NS_PER_DAY)
		return 0;
	fail("the recordings span %s to %s: more than %d days, so a clock was wrong; choose a part "
	     "with --from and --to",
	     output_time(out->first_ns, a), output_time(out->last_ns, b), SOURCE_DAYS_MAX);
	return -E2BIG;
}

/* ---- threads ----------------------------------------------------------------------------------*/

struct parallel {
	const struct source_work *w;
	atomic_size_t next;
	pthread_mutex_t lock;
	size_t done;
	atomic_int err;
};

static bool goes_on(int err)
{
	return !err || err == -EBADMSG;
}

static void *worker(void *arg)
{
	struct parallel *p = arg;
	const struct source_work *w = p->w;
	size_t i;

	while (goes_on(p->err) && (i = atomic_fetch_add(&p->next, 1)) < w->n) {
		int err = w->fn(w->arg, i);

		pthread_mutex_lock(&p->lock);
		if (err && goes_on(p->err))
			p->err = err;
		p->done++;
		if (w->progress)
			output_progress("reading", w->from + (w->to - w->from) * (double)p->done /
								     (double)w->n);
		pthread_mutex_unlock(&p->lock);
	}
	return NULL;
}

int sources_parallel(const struct source_work *w)
{
	enum { THREADS = 256 };
	struct parallel p = {.w = w, .lock = PTHREAD_MUTEX_INITIALIZER};
	unsigned int n = 0, wanted = w->threads;
	pthread_t more[THREADS];

	wanted = wanted > w->n ? (unsigned int)w->n : wanted;
	while (n + 1 < wanted && n < THREADS && !pthread_create(&more[n], NULL, worker, &p))
		n++;
	worker(&p);
	while (n)
		pthread_join(more[--n], NULL);
	pthread_mutex_destroy(&p.lock);
	return p.err;
}
