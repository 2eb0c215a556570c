/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a thread waits for, by the functions of the kernel that it sleeps in: one table (wait_reasons.c),
 * of names that are the kernel's own.
 */
#ifndef LIMPET_WAIT_REASONS_H
#define LIMPET_WAIT_REASONS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/record.h"

enum wait_reason {
	WAIT_ON_CPU,
	WAIT_READY, /* runnable, and no processor takes it */
	WAIT_DISK,
	WAIT_LOCK,
	WAIT_NETWORK,
	WAIT_MEMORY,
	WAIT_IDLE,    /* for work, a time or a condition: nobody can say that it is held up */
	WAIT_STOPPED, /* by a signal, a debugger or a freezer */
	WAIT_UNKNOWN, /* it sleeps, and in nothing that the table has; or its stack starts nowhere */
	WAIT_REASONS
};

/* What a function says; the lower number has the last word, WAIT_SAYS_NOTHING none. */
#define WAIT_SAYS_NOTHING 255
uint8_t wait_says(const char *function);

/* Whether it says that a futex is waited for, of which the stack does not tell what it is. */
bool wait_is_futex(uint8_t says);

/* Whether stacks start there: a stack that was walked to its end has such a function outermost. */
bool wait_starts(const char *function);

/* The reason of a thread asleep, of the lowest number that its functions say, all of them or (`whole`
 * false) those that could be found. */
enum wait_reason wait_reason_of(const struct thread_sample *s, uint8_t says, bool whole);

#endif
