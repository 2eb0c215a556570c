// SPDX-License-Identifier: BSD-2-Clause
/* source_bad.h: series files beside each other: repeated ones, and which claim a name or a time of another. */
#include "source_bad.h"

#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

COMPARISON(by_host_and_time, struct source_file,
	   strcmp(a->host, b->host) ?: ORDER(a->first_ns, b->first_ns) ?: strcmp(a->path, b->path))

/* A file that is there twice, and one whose name is not its server's beside one whose name is. */
static int check_names(struct sources *s)
{
	size_t first = 0;
	bool named = false;

	for (size_t i = 0; i <= s->n; i++) {
		if (i < s->n && !strcmp(s->at[i].host, s->at[first].host)) {
			named |= s->at[i].named;
			continue;
		}
		for (size_t k = i; k > first; k--) {
			struct source_file *f = &s->at[k - 1];
			int err = 0;

			if (!f->named && named) {
				err = sources_drop(s, k - 1, SOURCE_NOT_BY_NAME, f->host);
				i--;
			} else if (!f->named) {
				err = source_note(s, SOURCE_NO_NAME, f->path, f->host);
			}
			if (err)
				return err;
		}
		first = i;
		named = i < s->n && s->at[i].named;
	}
	return 0;
}

static void drop_repeated(struct sources *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (kept && !strcmp(s->at[kept - 1].path, s->at[i].path))
			free(s->at[i].path);
		else
			s->at[kept++] = s->at[i];
	}
	s->n = kept;
}

/* Two that claim the same time of one server. */
static int check_overlaps(struct sources *s)
{
	const struct source_file *last = NULL;
	int err = 0;

	for (size_t i = 0; i < s->n && !err; i++) {
		const struct source_file *f = &s->at[i];

		if (!f->seconds)
			continue;
		if (last && !strcmp(last->host, f->host) && f->first_ns <= last->last_ns)
			err = source_note(s, SOURCE_OVERLAP, last->path, f->path, f->host);
		if (!last || strcmp(last->host, f->host) || f->last_ns > last->last_ns)
			last = f;
	}
	return err;
}

int sources_check_series(struct sources *s)
{
	sort(s->at, s->n, by_host_and_time);
	drop_repeated(s);
	return check_names(s) ?: check_overlaps(s);
}
