// SPDX-License-Identifier: BSD-2-Clause
/* darshan_layout.h: which stripe is where. */
#include "darshan_layout.h"
#include "userspace/common/sort.h"

/* Lustre's files have at most 2^60 bytes: more is damage, and would not fit. */
#define OFFSET_MAX ((int64_t)1 << 60)

const struct layout_file *darshan_layout_of(const struct darshan_layout *y, uint64_t id)
{
	size_t at = search_first(i, y->n_files, y->file[i].id < id);

	return at < y->n_files && y->file[at].id == id ? &y->file[at] : NULL;
}

uint32_t layout_one_server(const struct darshan_layout *y, const struct layout_file *file)
{
	uint32_t one = STATE_NONE;

	for (size_t i = 0; i < file->n; i++) {
		const struct layout_span *span = &y->span[file->first + i];

		for (uint32_t k = 0; k < span->count; k++) {
			uint32_t server = y->server[span->first + k];

			if (server == STATE_NONE || (one != STATE_NONE && server != one))
				return STATE_NONE;
			one = server;
		}
	}
	return one;
}

/* The one span that has this byte; NULL: none, or several, which are mirrors. */
static const struct layout_span *span_at(const struct darshan_layout *y,
					 const struct layout_file *file, int64_t at)
{
	const struct layout_span *found = NULL;

	for (size_t i = 0; i < file->n; i++) {
		const struct layout_span *span = &y->span[file->first + i];

		if (at < span->from || at >= span->to)
			continue;
		if (found)
			return NULL;
		found = span;
	}
	return found && found->size > 0 && found->size <= LAYOUT_STRIPE_MAX && found->count ? found
											    : NULL;
}

/* Bytes of [at, at + len) in stripes first + i, first + i + count, …; `stripes` are touched. */
static int64_t bytes_of(const struct layout_span *span, int64_t at, int64_t len, int64_t stripes,
			int64_t i)
{
	int64_t n = (stripes - i + span->count - 1) / span->count, bytes = n * span->size;

	if (!i)
		bytes -= at % span->size;
	if ((stripes - 1) % span->count == i)
		bytes -= span->size - 1 - (at + len - 1) % span->size;
	return bytes;
}

static bool add_part(struct layout_part *parts, size_t *n, uint32_t server, int64_t bytes)
{
	for (size_t i = 0; i < *n; i++)
		if (parts[i].server == server) {
			parts[i].bytes += bytes;
			return true;
		}
	if (server == STATE_NONE || *n == LAYOUT_PARTS_MAX)
		return false;
	parts[(*n)++] = (struct layout_part){server, bytes};
	return true;
}

size_t layout_parts(const struct darshan_layout *y, const struct layout_file *file, int64_t at,
		    int64_t len, struct layout_part *parts)
{
	size_t n = 0;
	int64_t end;

	if (at < 0 || len <= 0 || len > OFFSET_MAX || at > OFFSET_MAX)
		return 0;
	for (end = at + len; at < end;) {
		const struct layout_span *span = span_at(y, file, at);
		int64_t stripes, some;

		if (!span)
			return 0;
		some = (end < span->to ? end : span->to) - at;
		stripes = (at + some - 1) / span->size - at / span->size + 1;
		for (int64_t i = 0; i < stripes && i < span->count; i++) {
			int64_t stripe = (at / span->size + i) % span->count;

			if (!add_part(parts, &n, y->server[span->first + (size_t)stripe],
				      bytes_of(span, at, some, stripes, i)))
				return 0;
		}
		at += some;
	}
	return n;
}
