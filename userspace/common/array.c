// SPDX-License-Identifier: BSD-2-Clause
/* Room for arrays: powers of two. */
#include "array.h"

#include <stdlib.h>
#include <string.h>

static void *room_for(void *at, size_t n, size_t want, size_t size)
{
	size_t room = 1, bytes;

	while (room < n)
		room *= 2;
	if (n && want <= room)
		return at;
	while (room < want)
		if (__builtin_mul_overflow(room, (size_t)2, &room))
			return NULL;
	return __builtin_mul_overflow(room, size, &bytes) ? NULL : realloc(at, bytes);
}

void *array_larger(void *at, size_t n, size_t want, size_t size)
{
	char *to = room_for(at, n, want, size);

	if (to)
		memset(to + n * size, 0, (want - n) * size);
	return to;
}

void *array_open(void *at, size_t n, size_t next, size_t where, size_t size)
{
	char *to = next != n + 1 ? NULL : n & (n - 1) ? at : room_for(at, n, next, size);

	if (!to)
		return NULL;
	memmove(to + (where + 1) * size, to + where * size, (n - where) * size);
	memset(to + where * size, 0, size);
	return to;
}

void *array_again(void *at, size_t n, size_t most, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 1, bytes;
	char *to = at;

	if (n >= *room) {
		while (more <= n)
			if (__builtin_mul_overflow(more, (size_t)2, &more))
				return NULL;
		if (more > most || __builtin_mul_overflow(more, size, &bytes))
			return NULL;
		to = realloc(at, bytes);
		if (!to)
			return NULL;
		*room = more;
	}
	memset(to + n * size, 0, size);
	return to;
}
