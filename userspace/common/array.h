/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays that grow: a pointer and a count, of any type of element and any type of integer, in whatever
 * struct they belong to; both 0 at first, so that a zeroed struct has an empty array. The owner frees
 * the pointer.
 *
 *	struct disk *d = array_add(&host->disks, &host->n_disks);
 *
 *	if (!d)
 *		return -ENOMEM;
 *
 * There is no field for the room: an array of n elements has room for the smallest power of two that
 * is not below n, or for more. So each array is made and grown by these functions only; elements may
 * be taken from its end by making the count smaller. Pointers to elements end with the next call.
 *
 * Where there is no memory, or a size beyond size_t or a count beyond its type, nothing is changed; NULL then, or -ENOMEM.
 */
#ifndef LIMPET_ARRAY_H
#define LIMPET_ARRAY_H

#include <errno.h>
#include <stddef.h>

/* One more element at the end, zeroed: its address. `at`, `n`: addresses of the pointer and the count. */
#define array_add(at, n) array_insert(at, n, *(n))

/* One more element at the end, a copy of the value behind n. 0 or -ENOMEM. */
#define array_put(at, n, ...)                              \
	({                                                 \
		__typeof__(*(at)) put_ = array_add(at, n); \
                                                           \
		if (put_)                                  \
			*put_ = (__VA_ARGS__);             \
		put_ ? 0 : -ENOMEM;                        \
	})

/* One more element, zeroed, before element `where` (at most *n); those from there on move up. */
#define array_insert(at, n, where)                                                                \
	({                                                                                        \
		__typeof__(at) at_ = (at);                                                        \
		__typeof__(n) n_ = (n);                                                           \
		size_t where_ = (size_t)(where);                                                  \
		__typeof__(*at_) new_ =                                                           \
			array_open(*at_, (size_t)*n_, (size_t)(__typeof__(*n_))(*n_ + 1), where_, \
				   sizeof(**at_));                                                \
                                                                                                  \
		if (new_) {                                                                       \
			*at_ = new_;                                                              \
			new_ += where_;                                                           \
			++*n_;                                                                    \
		}                                                                                 \
		new_;                                                                             \
	})

/*
 * Elements up to `want` of them, the new ones zeroed; nothing to do where there are as many. The count is
 * the caller's to set, once it has grown all arrays that it belongs to. 0 or -ENOMEM.
 */
#define array_extend(at, n, want)                                                  \
	({                                                                         \
		__typeof__(at) at_ = (at);                                         \
		__typeof__(*at_) larger_ = *at_;                                   \
		size_t n_ = (size_t)(n), want_ = (size_t)(want);                   \
		int err_ = 0;                                                      \
                                                                                   \
		if (want_ > n_) {                                                  \
			larger_ = array_larger(larger_, n_, want_, sizeof(**at_)); \
			err_ = larger_ ? 0 : -ENOMEM;                              \
		}                                                                  \
		if (!err_)                                                         \
			*at_ = larger_;                                            \
		err_;                                                              \
	})

/*
 * array_add() for an array that is emptied and filled again and again: *room, 0 at first too, remembers
 * for how many there is room, and only array_refill() makes and grows it.
 */
#define array_refill(at, n, room)                                                                  \
	({                                                                                         \
		__typeof__(at) at_ = (at);                                                         \
		__typeof__(n) n_ = (n);                                                            \
		__typeof__(room) room_ = (room);                                                   \
		size_t more_ = (size_t)*room_;                                                     \
		__typeof__(*at_) new_ = array_again(                                               \
			*at_, (size_t)*n_, (size_t)(__typeof__(*room_))-1, &more_, sizeof(**at_)); \
                                                                                                   \
		if (new_) {                                                                        \
			*at_ = new_;                                                               \
			*room_ = (__typeof__(*room_))more_;                                        \
			new_ += (*n_)++;                                                           \
		}                                                                                  \
		new_;                                                                              \
	})

/* ---- for the macros ------------------------------------------------------------------------------- */
/* All return where the array is now; NULL: no memory, nothing changed. */

/* For `want` elements, of which n are there; those above n zeroed. */
void *array_larger(void *at, size_t n, size_t want, size_t size);

/* One more, zeroed, before element `where`; `next` is n + 1 in the type of the count. */
void *array_open(void *at, size_t n, size_t next, size_t where, size_t size);

/* Element n zeroed, of an array for *room, which is made larger with it up to `most`. */
void *array_again(void *at, size_t n, size_t most, size_t *room, size_t size);

#endif
