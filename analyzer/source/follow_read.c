// SPDX-License-Identifier: BSD-2-Clause
/* follow_files.h: the intervals of each host, of all of its files. */
#include "follow_files.h"

#include <errno.h>
#include <string.h>

#include "source_bad.h"
#include "userspace/common/sort.h"

/* All of its files that can be read; one that cannot leaves nothing behind. */
static int read_files(struct follow *f, size_t host, const struct stretch *s,
		      struct host_intervals *to)
{
	struct follow_host *h = &f->host[host];
	bool again = true;
	char why[400];
	int err = 0;

	for (size_t i = 0; i < h->n_files; i++)
		follow_file_of(f, h, i)->skipped = false;
	while (again && !err) {
		again = false;
		host_intervals_release(to);
		err = host_intervals_init(to, s, h->interval_ms);
		for (size_t i = 0; i < h->n_files && !err && !again; i++) {
			struct follow_file *file = follow_file_of(f, h, i);

			if (file->skipped ||
			    !stretch_has(s, file->total, file->first_ns, file->last_ns))
				continue;
			err = host_intervals_read(to, file->path, &f->o, &h->ids);
			if (!err || err == -ENOMEM)
				continue;
			if (err != -ESTALE &&
			    follow_leave_out(
				    f, file, "%s",
				    source_reason(series_error(), file->path, why, sizeof(why))))
				return -ENOMEM;
			/* Looked at again at the next poll, changed or not. */
			memset(file->seen, 0, sizeof(file->seen));
			file->skipped = true;
			again = true;
			err = 0;
		}
	}
	if (!err)
		host_intervals_finish(to);
	return err;
}

/* A file that cannot be read at the moment must not take away what was read from it before. */
static void keep_longer(struct host_intervals *old, struct host_intervals *now)
{
	for (size_t i = 0; i < now->of.n && i < old->of.n; i++) {
		struct interval swap = now->at[i];

		if (old->at[i].seconds <= swap.seconds)
			continue;
		now->at[i] = old->at[i];
		old->at[i] = swap;
		memcpy(&now->owner[i * now->slots], &old->owner[i * old->slots],
		       (now->slots < old->slots ? now->slots : old->slots) * sizeof(*now->owner));
	}
	if (old->last_ns > now->last_ns)
		now->last_ns = old->last_ns;
}

/*
 * Seconds that came into the host's files, less those that its intervals took: once all is read, those that
 * were at or before what had been given, or twice. (The number of seconds was read before the seconds
 * were, so that the balance may be below 0 by what came meanwhile, and is made good the next time.)
 */
static void count_dropped(struct follow *f, size_t host)
{
	struct follow_host *h = &f->host[host];
	uint64_t seen = h->given;
	int64_t end = stretch_end(&h->intervals.of);

	for (size_t i = 0; i < h->intervals.of.n; i++)
		seen += host_intervals_taken(&h->intervals, i);
	h->balance -= (int64_t)(seen - h->seen);
	h->seen = seen;
	for (size_t i = 0; i < h->n_files; i++) {
		const struct follow_file *file = follow_file_of(f, h, i);

		if (file->total && (file->last_ns >= end || file->failed || file->skipped))
			return;
	}
	if (!h->caught && !h->joined)
		h->balance = 0;
	h->caught = true;
	if (h->balance > 0) {
		f->feed.counts.duplicates += (uint64_t)h->balance;
		h->late += (uint64_t)h->balance;
		f->late_ns = f->now_ns;
		h->balance = 0;
	}
}

static bool has_beyond(const struct follow *f, const struct follow_host *h, int64_t end_ns)
{
	return any_of(i, h->n_files,
		      follow_file_of(f, h, i)->total && follow_file_of(f, h, i)->last_ns >= end_ns);
}

static int read_host(struct follow *f, size_t host, const struct stretch *s)
{
	struct follow_host *h = &f->host[host];
	struct host_intervals now = {0};
	int64_t end;
	int err = 0;

	if (!h->intervals.at)
		err = host_intervals_init(&h->intervals, s, h->interval_ms);
	end = stretch_end(&h->intervals.of);
	if (!err && (h->intervals.of.from_ns != s->from_ns || h->intervals.of.n != s->n))
		err = host_intervals_move(&h->intervals, s);
	if (!err && !h->changed && !has_beyond(f, h, end))
		return 0;
	err = err ?: read_files(f, host, s, &now);
	if (err) {
		host_intervals_release(&now);
		return err;
	}
	keep_longer(&h->intervals, &now);
	host_intervals_release(&h->intervals);
	h->intervals = now;
	h->changed = false;
	count_dropped(f, host);
	return 0;
}

int follow_read(struct follow *f, struct stretch *s)
{
	int err = 0;

	for (size_t i = 0; i < f->n_hosts && !err; i++)
		err = read_host(f, i, s);
	return err;
}
