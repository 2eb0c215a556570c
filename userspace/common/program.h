/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of the user's as a function: bytes in, bytes out. It is run without a shell, in a process group of its own,
 * which ends with it; its time, its memory and what it may say are bounded, so that no program costs more than its own
 * answer. The bounds of memory and processor time are set before it gets any of its input. Its
 * messages go to our standard error.
 */
#ifndef LIMPET_PROGRAM_H
#define LIMPET_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_WHY_LEN = 160 };

struct program_bounds {
	unsigned int seconds;  /* of the clock, and of a processor */
	uint64_t memory_bytes; /* of address space */
	size_t out_bytes;
};

/* NULL, or why it cannot be run: in why. */
const char *program_check(const char *path, char why[PROGRAM_WHY_LEN]);

/*
 * Runs it, with the arguments (NULL: none but its name). 0: *out is what it said, with a NUL behind it, made with malloc(). Otherwise
 * negative errno, and why is what goes on from its name in a sentence ("ran for 10 s and was killed"):
 * -ETIMEDOUT, -E2BIG it said too much, -ECHILD it did not end well, -ENOMEM, or why it cannot be run.
 */
int program_run(const char *path, char *const *arguments, const struct program_bounds *bounds,
		const char *in, size_t n_in, char **out, size_t *n_out, char why[PROGRAM_WHY_LEN]);

#endif
