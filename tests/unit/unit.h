/* SPDX-License-Identifier: BSD-2-Clause */
/* cmocka with what it needs before it, and a skip that says why. */
#ifndef LIMPET_UNIT_H
#define LIMPET_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

/* options.h has a fail() of its own. */
#undef fail
#undef fail_msg
#define fail_msg(...)                          \
	do {                                   \
		print_error("# " __VA_ARGS__); \
		print_error("\n");             \
		_fail(__FILE__, __LINE__);     \
	} while (0)

/* tests/run shows the reason. */
#define SKIP(...)                                      \
	do {                                           \
		print_message("# skip: " __VA_ARGS__); \
		print_message("\n");                   \
		skip();                                \
	} while (0)

/*
 * Whether an emulator runs the test. It lets a program that is not there begin, and end with status 127; and it has
 * no limit of memory for one.
 */
static inline bool emulated(void)
{
	char *argv[] = {(char *)"/nowhere", NULL};
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ))
		return false;
	waitpid(pid, NULL, 0);
	return true;
}

#endif
