/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks, and how often threads were met in each: bounded, and what finds no room is counted as one more.
 * As text they are folded, as flame graphs are made of: "program;outermost;…;innermost COUNT", a line each.
 */
#ifndef LIMPET_STACKS_H
#define LIMPET_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "userspace/common/map.h"

/* Of the text of a minute: a series file takes 4 MiB, and there is more to say than stacks. */
#define STACKS_TEXT_MOST (3 << 20)

struct stack {
	uint64_t hash; /* map_hash() of all that tells it from others */
	uint64_t count;
	char *text; /* without the count */
};

struct stacks {
	struct stack *at; /* room for `most` */
	size_t n, most;
	struct map by_hash;
	uint64_t more; /* met in others, for which there was no room */
};

/* Room for `most` of them. 0 or -ENOMEM. */
int stacks_init(struct stacks *s, size_t most);
void stacks_release(struct stacks *s); /* also of zeroes */

/* As at the start, but for `more`. */
void stacks_forget(struct stacks *s);

/* Counts one that is known; false: it is not. */
bool stacks_count(struct stacks *s, uint64_t hash);

/* Whether a new one finds room; where it does not, it is counted as one of `more`. Before its text is made. */
bool stacks_room(struct stacks *s);

/* Counts one that is new; `text` is copied. Without room or memory it is one of `more`. */
void stacks_add(struct stacks *s, uint64_t hash, const char *text);

/* What was counted since the last call, the caller's to free; NULL: nothing, or no memory. Those of which
 * nothing was make room. */
char *stacks_take(struct stacks *s);

#endif
