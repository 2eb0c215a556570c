/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash maps. The owner keeps the elements in an array of its own (array.h), of whatever type; the map finds an element's
 * number, 0, 1, 2 … in that array, by the hash of its key. A zeroed struct is an empty map.
 *
 *	struct server *server_get(struct servers *s, const char *name)
 *	{
 *		uint64_t hash = map_hash(name, strlen(name));
 *		size_t at = map_find(i, &s->by_name, hash, !strcmp(s->at[i].name, name));
 *		struct server *new;
 *
 *		if (at != MAP_NONE)
 *			return &s->at[at];
 *		new = map_append(&s->by_name, hash, array_add(&s->at, &s->n), &s->n);
 *		if (new)
 *			new->name = name;
 *		return new;
 *	}
 *
 * Invariants:
 *
 *  1. The map has as many elements as the array. An element is added to both, at the end.
 *  2. The map never reads an element. It keeps 32 bits of each hash, and grows and deletes by them.
 *  3. Open addressing, linear probing, at most half full. A slot holds an element's number + 1 (0: free), and above it
 *     eight bits of its hash: most other elements are passed over without reading them, as each read of another place in a
 *     large array waits for memory. A map takes 12 to 24 bytes an element.
 *  4. Hashes have a random seed in each run, so that nobody can make up names that collide. No hash is written to a file,
 *     and no output may depend on one: walk the array, never the slots.
 *  5. Elements of one key are found in the order of their numbers, as long as none was removed.
 */
#ifndef LIMPET_MAP_H
#define LIMPET_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct map {
	uint32_t *slot, *hash; /* one piece of memory; hash: by number */
	uint32_t mask, n;      /* slots, a power of two, less one; elements */
};

#define MAP_MOST ((1U << 24) - 1) /* elements that a map can have */
#define MAP_NONE SIZE_MAX	  /* no element's number */

void map_release(struct map *m); /* leaves an empty map */
void map_clear(struct map *m);	 /* keeps the memory: adding as many as there were does not fail */

/* Adds the next element, with the hash of its key. 0; or -ENOMEM or -E2BIG (MAP_MOST), and nothing has changed. */
int map_add(struct map *m, uint64_t hash);

/*
 * Adds an element to array and map, or to neither. `added` is what array_add() or array_refill() returns, n the address of
 * the array's count. The element, or NULL: out of memory.
 */
#define map_append(m, hash, added, n)               \
	({                                          \
		__typeof__(added) added_ = (added); \
                                                    \
		if (added_ && map_add(m, hash)) {   \
			--*(n);                     \
			added_ = NULL;              \
		}                                   \
		added_;                             \
	})

/*
 * Removes an element. The last one takes its number, and its place in the owner's array:
 *
 *	map_remove(&s->by_name, i);
 *	s->at[i] = s->at[--s->n];
 */
void map_remove(struct map *m, size_t number);

/* Bytes of memory that it takes. */
size_t map_bytes(const struct map *m);

/*
 * The number of the element with this hash for which `same` is true, or MAP_NONE. i is a name, declared here: the number of
 * the element to compare. Elements with another hash are among them, so `same` compares the whole key. To find all
 * elements of one key, note them in `same` and let it be false.
 */
#define map_find(i, m, hash, same)                                                  \
	({                                                                          \
		const struct map *map_ = (m);                                       \
		const uint32_t *slots_ = map_->slot;                                \
		uint32_t hash_ = (uint32_t)(hash), mask_ = map_->mask, slot_;       \
		size_t found_ = MAP_NONE;                                           \
                                                                                    \
		for (uint32_t at_ = hash_ & mask_; slots_ && (slot_ = slots_[at_]); \
		     at_ = (at_ + 1) & mask_) {                                     \
			size_t i = (slot_ & MAP_MOST) - 1;                          \
                                                                                    \
			if (!((slot_ ^ hash_) & ~MAP_MOST) && (same)) {             \
				found_ = i;                                         \
				break;                                              \
			}                                                           \
		}                                                                   \
		found_;                                                             \
	})

/* An element with this hash is looked for or added soon: starts to fetch the memory, without waiting. */
static inline void map_soon(const struct map *m, uint64_t hash)
{
	if (m->slot)
		__builtin_prefetch(&m->slot[hash & m->mask], 1);
}

/* ---- hashes --------------------------------------------------------------------------------------- */

extern uint64_t map_seed[2];

/* Both halves of the product (as wyhash has it): of a factor that nobody knows, no difference of words cancels another. */
static inline uint64_t map_mix(uint64_t x, uint64_t y)
{
	unsigned __int128 product = (unsigned __int128)x * y;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The last product of a hash. With some factors numbers in a row leave a pattern in one product, and with hardly any in
 * two, the second by the golden ratio. */
static inline uint64_t map_mix_last(uint64_t x, uint64_t y)
{
	return map_mix(map_mix(x, y), 0x9e3779b97f4a7c15);
}

static inline uint64_t map_word(const char *s)
{
	uint64_t word;

	memcpy(&word, s, sizeof(word));
	return word;
}

/* Up to 7 bytes as one word; of as many bytes no two are the same. */
static inline uint64_t map_short_word(const char *s, size_t n)
{
	uint32_t first, last;

	if (n >= 4) {
		memcpy(&first, s, 4);
		memcpy(&last, s + n - 4, 4);
		return (uint64_t)first << 32 | last;
	}
	return n ? (uint64_t)(unsigned char)s[0] << 16 | (uint64_t)(unsigned char)s[n / 2] << 8 |
			       (unsigned char)s[n - 1]
		 : 0;
}

/* Of n bytes, behind h. Their number is in the last factor: beside the bytes it could cancel a difference of them. */
static inline uint64_t map_hash_bytes(uint64_t h, const char *s, size_t n)
{
	size_t i = 0;

	for (; i + 8 < n; i += 8)
		h = map_mix(h ^ map_word(s + i), map_seed[1]);
	/* the last eight bytes, some of them for the second time */
	return map_mix_last(h ^ (n >= 8 ? map_word(s + n - 8) : map_short_word(s, n)),
			    map_seed[1] ^ n);
}

/* All 64 bits are as good: enough to stand for the bytes themselves where there are thousands. */
static inline uint64_t map_hash(const void *bytes, size_t n)
{
	return map_hash_bytes(map_seed[0], bytes, n);
}

static inline uint64_t map_hash_number(uint64_t number)
{
	return map_mix_last(map_seed[0] ^ number, map_seed[1]);
}

/* Of a key in several pieces: n bytes behind a number, or behind what has the hash `before`. */
static inline uint64_t map_hash_after(uint64_t before, const void *bytes, size_t n)
{
	return map_hash_bytes(map_hash_number(before), bytes, n);
}

#endif
