/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of safe_open.h: a folder in /tmp for each, and why something was refused. */
#ifndef LIMPET_TEST_SAFE_UTIL_H
#define LIMPET_TEST_SAFE_UTIL_H

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/common/safe_open.h"

#define NOBODY 65534

static char top[64], why[SAFE_WHY_LEN];

/* Until the fourth call from here. */
static inline const char *in_top(const char *name)
{
	static char path[4][256];
	static unsigned int turn;
	char *at = path[turn++ % 4];

	snprintf(at, sizeof(path[0]), "%s/%s", top, name);
	return at;
}

static inline int make_top(void **state)
{
	(void)state;
	strcpy(top, "/tmp/limpet-test-safe.XXXXXX");
	umask(022);
	return !mkdtemp(top);
}

static inline int remove_top(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	return system(command);
}

#endif
