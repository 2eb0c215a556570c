// SPDX-License-Identifier: BSD-2-Clause
/* source.h: files of a time in which most other servers were not recorded. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

struct entry {
	struct source_when when;
	size_t number;
};

static int by_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return ORDER(x->when.first_ns, y->when.first_ns);
}

/* A file has seconds of one day at most, so that its first one stands for all. Over the files in order of
 * time goes a window of twice the distance, which counts the servers in it. */
static void slide(const struct entry *e, size_t n, size_t n_hosts, size_t *files, bool *away)
{
	size_t first = 0, end = 0, hosts = 0, n_away = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t at = e[i].when.first_ns;

		for (; end < n && e[end].when.first_ns - at <= SOURCE_APART_NS; end++)
			hosts += !files[e[end].when.host]++;
		for (; at - e[first].when.first_ns > SOURCE_APART_NS; first++)
			hosts -= !--files[e[first].when.host];
		away[e[i].number] = 2 * (hosts - 1) < n_hosts - 1;
		n_away += away[e[i].number];
	}
	/* No time has most servers: nobody can say which clocks are right. */
	if (n_away == n)
		memset(away, 0, n * sizeof(*away));
}

int source_clocks_away(const struct source_when *at, size_t n, size_t n_hosts, bool *away)
{
	struct entry *e = calloc(n + 1, sizeof(*e));
	size_t *files = calloc(n_hosts + 1, sizeof(*files));
	size_t there = 0;
	int err = e && files ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		e[i] = (struct entry){at[i], i};
		away[i] = false;
		there += !files[at[i].host]++;
	}
	if (!err && there > 1) {
		memset(files, 0, n_hosts * sizeof(*files));
		sort(e, n, by_time);
		slide(e, n, there, files, away);
	}
	free(e);
	free(files);
	return err;
}

int sources_clocks(struct sources *s, int64_t from_ns, int64_t to_ns)
{
	struct source_when *at = calloc(s->n + 1, sizeof(*at));
	size_t *file = calloc(s->n + 1, sizeof(*file));
	bool *away = calloc(s->n + 1, sizeof(*away));
	size_t n = 0, host = 0;
	int err = at && file && away ? 0 : -ENOMEM;

	for (size_t i = 0; i < s->n && !err; i++) {
		const struct source_file *f = &s->at[i];

		host += i && strcmp(f->host, s->at[i - 1].host);
		if (!f->seconds || f->last_ns < from_ns || f->first_ns >= to_ns)
			continue;
		at[n] = (struct source_when){host, f->first_ns};
		file[n++] = i;
	}
	if (!err)
		err = source_clocks_away(at, n, host + 1, away);
	/* from the last one on, as numbers move */
	for (size_t i = n; i && !err; i--) {
		const struct source_file *f = &s->at[file[i - 1]];
		char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

		if (away[i - 1])
			err = sources_drop(s, file[i - 1],
					   "its clock was wrong: its seconds are from %s to %s, "
					   "those of most other servers are not",
					   output_time(f->first_ns, from),
					   output_time(f->last_ns, to));
	}
	free(at);
	free(file);
	free(away);
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
			err = sources_drop(
				s, i - 1,
				"it is recorded every %u ms, those of most servers every "
				"%u ms: peers need one interval",
				s->at[i - 1].interval_ms, usual);
	return err;
}
