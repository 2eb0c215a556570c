// SPDX-License-Identifier: BSD-2-Clause
/* map.h: slots, and the hashes that they are filled by. */
#include "map.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

enum { ROOM_FIRST = 32 };

uint64_t map_seed[2];

/* Before there are threads, and before the probe gives up the right to call anything. */
__attribute__((constructor)) static void map_seed_draw(void)
{
	if (getrandom(map_seed, sizeof(map_seed), GRND_NONBLOCK) != (ssize_t)sizeof(map_seed))
		map_seed[0] = map_seed[1] = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	map_seed[1] |= 1;
}

static size_t map_room(const struct map *m)
{
	return m->slot ? ((size_t)m->mask + 1) / 2 : 0;
}

size_t map_bytes(const struct map *m)
{
	return 3 * map_room(m) * sizeof(*m->slot);
}

static uint32_t slot_of(size_t number, uint32_t hash)
{
	return (uint32_t)(number + 1) | (hash & ~MAP_MOST);
}

/* The first slot from an element's home on that holds this: its own, or 0, a free one. */
static size_t slot_where(const struct map *m, uint32_t hash, uint32_t holds)
{
	size_t at = hash & m->mask;

	while (m->slot[at] != holds)
		at = (at + 1) & m->mask;
	return at;
}

/* Hashes stay where they are, in front; slots behind them are filled anew. */
static int map_grow(struct map *m)
{
	size_t room = m->slot ? 2 * map_room(m) : ROOM_FIRST;
	uint32_t *hash = realloc(m->hash, 3 * room * sizeof(*hash));

	if (!hash)
		return -ENOMEM;
	m->hash = hash;
	m->slot = hash + room;
	m->mask = (uint32_t)(2 * room - 1);
	memset(m->slot, 0, 2 * room * sizeof(*m->slot));
	for (size_t i = 0; i < m->n; i++)
		m->slot[slot_where(m, hash[i], 0)] = slot_of(i, hash[i]);
	return 0;
}

int map_add(struct map *m, uint64_t hash)
{
	uint32_t kept = (uint32_t)hash;

	if (m->n == MAP_MOST)
		return -E2BIG;
	if (m->n == map_room(m) && map_grow(m))
		return -ENOMEM;
	m->slot[slot_where(m, kept, 0)] = slot_of(m->n, kept);
	m->hash[m->n++] = kept;
	return 0;
}

/* Closes the gap, so that a search may go on ending at the first free slot. */
static void slot_free(struct map *m, size_t gap)
{
	for (size_t at = (gap + 1) & m->mask; m->slot[at]; at = (at + 1) & m->mask) {
		size_t home = m->hash[(m->slot[at] & MAP_MOST) - 1];

		/* It may move back unless its home lies behind the gap. */
		if (((at - home) & m->mask) >= ((at - gap) & m->mask)) {
			m->slot[gap] = m->slot[at];
			gap = at;
		}
	}
	m->slot[gap] = 0;
}

void map_remove(struct map *m, size_t number)
{
	uint32_t hash = m->hash[number], last = m->hash[m->n - 1];

	slot_free(m, slot_where(m, hash, slot_of(number, hash)));
	m->n--;
	if (number == m->n)
		return;
	m->slot[slot_where(m, last, slot_of(m->n, last))] = slot_of(number, last);
	m->hash[number] = last;
}

void map_clear(struct map *m)
{
	if (m->n)
		memset(m->slot, 0, 2 * map_room(m) * sizeof(*m->slot));
	m->n = 0;
}

void map_release(struct map *m)
{
	free(m->hash);
	*m = (struct map){0};
}
