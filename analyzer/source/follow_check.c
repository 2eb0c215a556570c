// SPDX-License-Identifier: BSD-2-Clause
/* follow_files.h: which files count, and what is said of them. */
#include "follow_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source_bad.h"
#include "userspace/common/output.h"
#include "userspace/common/text_clean.h"

/* So long it is said that seconds came too late, after the last that did: a reader of messages may be busy with another
 * one for ten seconds, and nobody reads what a terminal shows for one. */
#define LATE_NS (20 * NS_PER_S)

/* A name that is no server's counts only where no file has that server's name. */
static int check_names(struct follow *f, bool *has_named)
{
	int err = 0;

	for (size_t i = 0; i < f->n_files; i++)
		has_named[f->file[i].host] |= f->file[i].known && f->file[i].named;
	for (size_t i = 0; i < f->n_files && !err; i++) {
		struct follow_file *file = &f->file[i];

		if (!file->known || file->named || !has_named[file->host])
			continue;
		file->away = true;
		err = follow_leave_out(f, file, SOURCE_NOT_BY_NAME, f->host[file->host].name);
	}
	return err;
}

/* The same as of files that do not grow. */
static int check_times(struct follow *f)
{
	struct source_when *at = calloc(f->n_files + 1, sizeof(*at));
	size_t n = 0;
	int err = at ? 0 : -ENOMEM;

	for (size_t i = 0; i < f->n_files && !err; i++) {
		const struct follow_file *file = &f->file[i];

		if (!file->known || !file->total || file->away || file->last_ns < f->o.from_ns)
			continue;
		at[n++] = (struct source_when){file->host, i, file->first_ns, false};
	}
	err = err ?: source_clocks_away(at, n, f->n_hosts);
	for (size_t i = 0; i < n && !err; i++) {
		struct follow_file *file = &f->file[at[i].number];
		char from[TIME_TEXT_LEN];

		file->away = at[i].away;
		if (file->away)
			err = follow_leave_out(f, file,
					       "its clock was wrong: its seconds begin at %s, "
					       "those of most other servers do not",
					       output_time(file->first_ns, from));
	}
	free(at);
	return err;
}

int follow_check(struct follow *f)
{
	bool *has_named = calloc(f->n_hosts + 1, sizeof(*has_named));
	int err = has_named ? 0 : -ENOMEM;

	for (size_t i = 0; i < f->n_files; i++)
		if (f->file[i].away)
			follow_take_in(&f->file[i]);
	err = err ?: check_names(f, has_named);
	free(has_named);
	err = err ?: check_times(f);
	for (size_t i = 0; i < f->n_files && !err; i++) {
		struct follow_file *file = &f->file[i];
		uint64_t counts = file->away ? 0 : file->total;

		if (!file->known)
			continue;
		f->host[file->host].balance += (int64_t)counts - (int64_t)file->counted;
		file->counted = counts;
	}
	return err;
}

/* ---- what is said of them ---------------------------------------------------------------------------*/

/* The first of two files of host h that are of the same time, from the k-th on: *other is the second. */
static const struct follow_file *overlap(const struct follow *f, const struct follow_host *h,
					 size_t *k, const struct follow_file **other)
{
	const struct follow_file *last = NULL;

	for (size_t i = 0; i < h->n_files; i++) {
		const struct follow_file *file = follow_file_of(f, h, i), *before = last;

		if (!file->total)
			continue;
		if (!last || file->last_ns > last->last_ns)
			last = file;
		if (!before || i < *k || file->first_ns > before->last_ns)
			continue;
		*k = i + 1;
		*other = file;
		return before;
	}
	return NULL;
}

void follow_overlaps(struct follow *f)
{
	for (size_t i = 0; i < f->n_hosts && !*f->trouble; i++) {
		const struct follow_file *one, *other;
		size_t k = 0;

		one = overlap(f, &f->host[i], &k, &other);
		if (one)
			follow_say(f, SOURCE_OVERLAP, one->path, other->path, f->host[i].name);
	}
}

void follow_late(struct follow *f)
{
	uint64_t grace_s = (uint64_t)(f->grace_ns / NS_PER_S);
	bool lately = f->now_ns - f->late_ns < LATE_NS;
	const struct follow_host *first = NULL;
	char others[48] = "";
	size_t n = 0;

	for (size_t i = 0; i < f->n_hosts; i++) {
		struct follow_host *h = &f->host[i];

		if (h->late <= grace_s)
			continue;
		first = n++ ? first : h;
		h->late = lately ? h->late : 0;
	}
	if (!n || !lately)
		return;
	if (n > 1)
		snprintf(others, sizeof(others), " and %zu other server%s", n - 1,
			 n > 2 ? "s" : "");
	/* Without their number, or a server that is always late would be said anew each time. */
	follow_say(f,
		   "seconds of '%s'%s came more than %" PRIu64
		   " s late, and do not count: what is watched must grow as it is recorded",
		   first->name, others, grace_s);
}

int follow_note(const struct feed_left_out *to, const char *fmt, ...)
{
	struct text line TEXT_SCOPED = {0};
	va_list ap;
	int n;

	va_start(ap, fmt);
	text_vadd(&line, fmt, ap);
	va_end(ap);
	n = line.failed ? -ENOMEM : to->note(to->arg, text_clean(line.at));
	return n < 0 ? n : 0;
}

int follow_left_out(const struct feed *feed, const struct feed_left_out *to)
{
	const struct follow *f = (const struct follow *)feed;
	int err = 0;

	for (size_t i = 0; i < f->n_files && err >= 0; i++) {
		const struct follow_file *file = &f->file[i];
		char server[HOST_LEN];

		source_names(file->path, server);
		if (file->known)
			memcpy(server, f->host[file->host].name, HOST_LEN);
		if (file->why)
			err = to->file(to->arg, server, file->path, file->why);
		else if (file->known && !file->named)
			err = follow_note(to, SOURCE_NO_NAME, file->path, server);
	}
	for (size_t i = 0; i < f->n_hosts; i++) {
		const struct follow_file *one, *other;
		size_t k = 0;

		while (err >= 0 && (one = overlap(f, &f->host[i], &k, &other)))
			err = follow_note(to, SOURCE_OVERLAP, one->path, other->path,
					  f->host[i].name);
	}
	return err < 0 ? err : 0;
}
