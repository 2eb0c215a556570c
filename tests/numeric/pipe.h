/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIMPET_TESTS_PIPE_H
#define LIMPET_TESTS_PIPE_H

/* What the programs of numeric tests share: numbers from standard input, and memory that stays to the end. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn)) static inline void broken(const char *what)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(1);
}

static inline double number(void)
{
	double x;

	if (scanf("%lf", &x) != 1)
		broken("a number is missing");
	return x;
}

static inline size_t whole(void)
{
	return (size_t)number();
}

struct pipe_room {
	struct pipe_room *next;
	max_align_t at[];
};

/* Zeroed room for `n` things. Nothing is freed, and all is known to the end, to a checker of leaks as well. */
static inline void *room(size_t n, size_t size)
{
	static struct pipe_room *rooms;
	struct pipe_room *r = calloc(1, sizeof(*r) + (n + 1) * size);

	if (!r)
		broken("out of memory");
	r->next = rooms;
	rooms = r;
	return r->at;
}

#endif
