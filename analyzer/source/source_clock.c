// SPDX-License-Identifier: BSD-2-Clause
/* source.h: files of a time in which most other servers were not recorded. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

COMPARISON(by_time, struct source_when *const, ORDER((*a)->first_ns, (*b)->first_ns))

/* A file has seconds of one day at most, so that its first one stands for all. Over the files in order of
 * time goes a window of twice the distance, which counts the servers in it. */
static void slide(struct source_when **at, size_t n, size_t n_hosts, size_t *files)
{
	size_t first = 0, end = 0, hosts = 0, n_away = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t ns = at[i]->first_ns;

		for (; end < n && at[end]->first_ns - ns <= SOURCE_APART_NS; end++)
			hosts += !files[at[end]->host]++;
		for (; ns - at[first]->first_ns > SOURCE_APART_NS; first++)
			hosts -= !--files[at[first]->host];
		at[i]->away = 2 * (hosts - 1) < n_hosts - 1;
		n_away += at[i]->away;
	}
	/* No time has most servers: nobody can say which clocks are right. */
	for (size_t i = 0; i < n && n_away == n; i++)
		at[i]->away = false;
}

int source_clocks_away(struct source_when *at, size_t n, size_t n_hosts)
{
	struct source_when **order = calloc(n + 1, sizeof(*order));
	size_t *files = calloc(n_hosts + 1, sizeof(*files));
	size_t there = 0;
	int err = order && files ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		order[i] = &at[i];
		at[i].away = false;
		there += !files[at[i].host]++;
	}
	if (!err && there > 1) {
		memset(files, 0, n_hosts * sizeof(*files));
		sort(order, n, by_time);
		slide(order, n, there, files);
	}
	free(order);
	free(files);
	return err;
}

int sources_clocks(struct sources *s, int64_t from_ns, int64_t to_ns)
{
	struct source_when *at = calloc(s->n + 1, sizeof(*at));
	size_t n = 0, host = 0;
	int err = at ? 0 : -ENOMEM;

	for (size_t i = 0; i < s->n && !err; i++) {
		const struct source_file *f = &s->at[i];

		host += i && strcmp(f->host, s->at[i - 1].host);
		if (!f->seconds || f->last_ns < from_ns || f->first_ns >= to_ns)
			continue;
		at[n++] = (struct source_when){host, i, f->first_ns, false};
	}
	err = err ?: source_clocks_away(at, n, host + 1);
	/* from the last one on, as numbers move */
	for (size_t i = n; i && !err; i--) {
		const struct source_file *f = &s->at[at[i - 1].number];
		char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

		if (at[i - 1].away)
			err = sources_drop(s, at[i - 1].number,
					   "its clock was wrong: its seconds are from %s to %s, "
					   "those of most other servers are not",
					   output_time(f->first_ns, from),
					   output_time(f->last_ns, to));
	}
	free(at);
	return err;
}

/* Servers that have a file of this interval. */
static size_t servers_of(const struct sources *s, unsigned int interval_ms)
{
	const char *last = "";
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->at[i].interval_ms != interval_ms || !strcmp(last, s->at[i].host))
			continue;
		last = s->at[i].host;
		n++;
	}
	return n;
}

int sources_one_interval(struct sources *s)
{
	unsigned int usual = 0, tried = 0;
	size_t most = 0;
	int err = 0;

	/* few there are: in ascending order, so that of as many the shortest is taken */
	for (;;) {
		unsigned int next = UINT_MAX;
		size_t n;

		for (size_t i = 0; i < s->n; i++)
			if (s->at[i].interval_ms > tried && s->at[i].interval_ms < next)
				next = s->at[i].interval_ms;
		if (next == UINT_MAX)
			break;
		n = servers_of(s, next);
		usual = n > most ? next : usual;
		most = n > most ? n : most;
		tried = next;
	}
	for (size_t i = s->n; i && !err; i--)
		if (s->at[i - 1].interval_ms != usual)
			err = sources_drop(s, i - 1,
					   "it is recorded every %u ms, those of most servers "
					   "every %u ms: peers need one interval",
					   s->at[i - 1].interval_ms, usual);
	return err;
}
