/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIMPET_TESTS_PIPE_H
#define LIMPET_TESTS_PIPE_H

/* What the programs of numeric tests share: numbers from standard input, and memory that stays to the end. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct pipe_command {
	const char *name;
	void (*run)(void); /* prints its line, without the end of it */
};

/* Answers commands to the end of standard input; what main() returns. */
static inline int pipe_answer(const struct pipe_command *commands, size_t n)
{
	char word[16];

	while (scanf("%15s", word) == 1) {
		size_t i = 0;

		while (i < n && strcmp(word, commands[i].name))
			i++;
		if (i == n)
			broken("unknown command");
		commands[i].run();
		putchar('\n');
	}
	return fflush(stdout) ? 1 : 0;
}

#endif
