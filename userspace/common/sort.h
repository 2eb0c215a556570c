/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorting and searching. The standard's qsort() and bsearch() may not be given the null pointer that an
 * empty array often is; these may. In what order equal elements come is not said: compare all of
 * what matters.
 */
#ifndef LIMPET_SORT_H
#define LIMPET_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* n elements at `at`, by `compare` as qsort() takes it. */
#define sort(at, n, compare)                                       \
	({                                                         \
		size_t n_ = (size_t)(n);                           \
                                                                   \
		if (n_ > 1)                                        \
			qsort((at), n_, sizeof(*(at)), (compare)); \
	})

/* The same, for a comparison that needs to know more: compare(a, b, arg). */
#define sort_with(at, n, compare, arg)                                      \
	({                                                                  \
		size_t n_ = (size_t)(n);                                    \
                                                                            \
		if (n_ > 1)                                                 \
			qsort_r((at), n_, sizeof(*(at)), (compare), (arg)); \
	})

/* The element that compares as equal to *key, or NULL: compare(key, element). */
#define search(key, at, n, compare)                                                            \
	({                                                                                     \
		size_t n_ = (size_t)(n);                                                       \
                                                                                               \
		(__typeof__(&(at)[0]))(n_ ? bsearch((key), (at), n_, sizeof(*(at)), (compare)) \
					  : NULL);                                             \
	})

/*
 * Lower bound: the first i of 0 … n - 1 for which `before` is false, n where it is true for all; true of
 * none after one of which it is false. i is a name, which is declared here:
 *
 *	size_t at = search_first(i, s->n_rows, s->rows[i].wall_ns < wall_ns);
 */
#define search_first(i, n, before)                            \
	({                                                    \
		size_t low_ = 0, high_ = (size_t)(n);         \
                                                              \
		while (low_ < high_) {                        \
			size_t i = low_ + (high_ - low_) / 2; \
                                                              \
			if (before)                           \
				low_ = i + 1;                 \
			else                                  \
				high_ = i;                    \
		}                                             \
		low_;                                         \
	})

/*
 * The end of a run, as of equal elements after sort(): the first i from `first` on for which `same` is false, n where it
 * is true for all. i is a name, which is declared here; first < n.
 *
 *	for (size_t i = 0, next; i < n; i = next) {
 *		next = run_end(k, i, n, v[k].node == v[i].node);
 */
#define run_end(i, first, n, same)                               \
	({                                                       \
		size_t end_ = (size_t)(first), n_ = (size_t)(n); \
                                                                 \
		for (; end_ < n_; end_++) {                      \
			const size_t i = end_;                   \
                                                                 \
			if (!(same))                             \
				break;                           \
		}                                                \
		end_;                                            \
	})

/*
 * Lists that are in no order, from the start. index_if(): the first i of 0 … n - 1 for which `test` is true, n where it is
 * true of none; any_of(): whether there is one; count_if(): how many there are; find_if(): the first such element of `at`, or
 * NULL. i is a name, which is declared here:
 *
 *	return any_of(i, a->n_notes, a->notes[i].kind == NOTE_REPEATED);
 */
#define index_if(i, n, ...)                           \
	({                                            \
		size_t found_ = 0, of_ = (size_t)(n); \
                                                      \
		for (; found_ < of_; found_++) {      \
			const size_t i = found_;      \
                                                      \
			if (__VA_ARGS__)              \
				break;                \
		}                                     \
		found_;                               \
	})
#define any_of(i, n, ...) (index_if(i, n, __VA_ARGS__) < (size_t)(n))
#define count_if(i, n, ...)                              \
	({                                               \
		size_t count_ = 0;                       \
                                                         \
		for (size_t i = 0; i < (size_t)(n); i++) \
			count_ += (__VA_ARGS__) ? 1 : 0; \
		count_;                                  \
	})
#define find_if(i, at, n, ...)                               \
	({                                                   \
		size_t first_ = index_if(i, n, __VA_ARGS__); \
                                                             \
		first_ < (size_t)(n) ? &(at)[first_] : NULL; \
	})

/* Keeps the elements of `at` for which `test` is true, in order: how many they are. i as above. */
#define keep_if(i, at, n, ...)                           \
	({                                               \
		size_t kept_ = 0, of_ = (size_t)(n);     \
                                                         \
		for (size_t i = 0; i < of_; i++)         \
			if (__VA_ARGS__)                 \
				(at)[kept_++] = (at)[i]; \
		kept_;                                   \
	})
/* After sort(): keeps the first of equal ones. */
#define keep_first(at, n, compare)                                          \
	({                                                                  \
		size_t kept_ = 0, of_ = (size_t)(n);                        \
                                                                            \
		for (size_t k_ = 0; k_ < of_; k_++)                         \
			if (!kept_ || compare(&(at)[kept_ - 1], &(at)[k_])) \
				(at)[kept_++] = (at)[k_];                   \
		kept_;                                                      \
	})

/* What a comparison returns for two numbers, or two of anything that < compares. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/*
 * A static function `name` that compares two of a type, for sort(), search() and the like: of *a and *b what it returns.
 *
 *	COMPARISON(by_end, struct state, ORDER(a->end_ns, b->end_ns) ?: ORDER(a->job, b->job))
 */
#define COMPARISON(name, type, ...)                     \
	static int name(const void *a_, const void *b_) \
	{                                               \
		const type *a = a_;                     \
		const type *b = b_;                     \
                                                        \
		return __VA_ARGS__;                     \
	}

/* The same for sort_with(): `with` is what it was given. */
#define COMPARISON_WITH(name, type, with_type, ...)                  \
	static int name(const void *a_, const void *b_, void *with_) \
	{                                                            \
		const type *a = a_;                                  \
		const type *b = b_;                                  \
		const with_type *with = with_;                       \
                                                                     \
		return __VA_ARGS__;                                  \
	}

/* For sort(): doubles, none of them NaN, from the least. */
static inline int by_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return ORDER(x, y);
}

/* For sort(): floats, likewise. */
static inline int by_float(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return ORDER(x, y);
}

/* For sort(): int64_t, from the least. */
static inline int by_int64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return ORDER(x, y);
}

/* For sort(): text, as const char *, by its bytes. */
static inline int by_string(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#endif
