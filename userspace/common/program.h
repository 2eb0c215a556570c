/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Other programs. Each runs without a shell, in a process group of its own, with no signal blocked or ignored, and with
 * no open file of ours but its standard input, output and error.
 *
 *	program_run()    runs it as a function: bytes in, bytes out, all bounded
 *	program_start()  starts it, to be read from or left alone; then
 *	program_poll()   asks now and then whether it has ended, or
 *	program_wait()   waits for that
 */
#ifndef LIMPET_PROGRAM_H
#define LIMPET_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROGRAM_WHY_LEN = 160, PROGRAM_PATH_LEN = 4096 };

/* NULL, or why it cannot be run: in why. */
const char *program_check(const char *path, char why[PROGRAM_WHY_LEN]);

/* The program of this name in the folders of PATH; NULL: there is none. */
const char *program_find(const char *name, char path[PROGRAM_PATH_LEN]);

/* ---- while it runs ----------------------------------------------------------------------------------------- */

struct program_how {
	const char *path;
	bool search; /* path is a name: the folders of PATH are searched for it */
	bool to,
		from; /* pipes. Without them its input is empty, and its output goes to its standard error */
	const char *said;	/* without `to`: its whole input; NULL: it is empty */
	bool quiet;		/* its standard error is thrown away; else it is ours */
	char *const *arguments; /* from its name on, to a NULL; or NULL: its path alone */
	/* Changes of our environment, to a NULL: "NAME=value" sets, "NAME" removes; or NULL: none. */
	char *const *environment;
	unsigned int seconds; /* it may run; 0: for ever */
	int64_t now_ns;	      /* by the clock that program_poll() is given */
};

/* A program that runs. Zeroed: none does. */
struct program {
	pid_t pid;    /* also of its process group; 0: none, or it has ended */
	int to, from; /* our ends of the pipes, which the caller closes; -1: there is none */
	unsigned int seconds;
	int64_t until_ns;
	bool killed;
	int status; /* once it has ended; -1: a signal ended it, or it is not known */
};

/* 0 or -errno: it cannot be run. */
int program_start(struct program *p, const struct program_how *how);

/*
 * Does not wait. -EAGAIN: it runs; when its time is over it is killed, with its group. 0: it ended, with status 0. Else it
 * ended badly, and why continues a sentence that begins with its name ("ended with status 1"): -ETIMEDOUT it was killed,
 * -ECHILD another status or a signal, -ESRCH it does not run, or somebody else waited for it.
 */
int program_poll(struct program *p, int64_t now_ns, char why[PROGRAM_WHY_LEN]);

/* The same, but waits for its end, however long that takes. */
int program_wait(struct program *p, char why[PROGRAM_WHY_LEN]);

/* Kills it and its group. Then wait for its end. */
void program_kill(struct program *p);

/* ---- as a function ----------------------------------------------------------------------------------------- */

/* So that no program costs more than its own answer. */
struct program_bounds {
	unsigned int seconds;  /* of the clock, and of a processor */
	uint64_t memory_bytes; /* of address space */
	size_t out_bytes;
};

/*
 * Runs it, with the arguments (NULL: none but its name); its process group ends with it. The bounds of memory and
 * processor time are set before it gets any of its input. 0: *out is what it said, with a NUL behind it, made with malloc().
 * Otherwise negative errno, and why as above: -ETIMEDOUT, -E2BIG it said too much, -ENODATA nothing, -ECHILD it did
 * not end well, -ENOMEM, or why it cannot be run.
 */
int program_run(const char *path, char *const *arguments, const struct program_bounds *bounds,
		const char *in, size_t n_in, char **out, size_t *n_out, char why[PROGRAM_WHY_LEN]);

#endif
