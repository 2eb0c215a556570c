// SPDX-License-Identifier: BSD-2-Clause
/* What the fuzz targets share: the file that is parsed, and the ears for messages. */
#include "fuzz.h"

#include "userspace/common/text_clean.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fuzz_said fuzz_said;

static char path[4096];

static void remove_file(void)
{
	unlink(path);
}

const char *fuzz_file(const void *data, size_t size)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	if (*path) {
		fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	} else {
		if (!dir)
			dir = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
		snprintf(path, sizeof(path), "%s/limpet-fuzz.XXXXXX", dir);
		fd = mkstemp(path);
		atexit(remove_file);
	}
	while (fd >= 0 && size) {
		ssize_t n = write(fd, data, size);

		if (n <= 0)
			break;
		data = (const char *)data + n;
		size -= (size_t)n;
	}
	if (fd < 0 || size || close(fd)) {
		perror(path);
		_exit(1);
	}
	return path;
}

void fuzz_begin(void)
{
	fuzz_said = (struct fuzz_said){0};
}

static void say(const char *fmt, va_list ap)
{
	vsnprintf(fuzz_said.last, sizeof(fuzz_said.last), fmt, ap);
	text_clean(fuzz_said.last); /* as options.c does */
}

/* The linker puts them in the place of fail() and warn() (--wrap). */
int __attribute__((format(printf, 1, 2))) __wrap_fail(const char *fmt, ...);
void __attribute__((format(printf, 1, 2))) __wrap_warn(const char *fmt, ...);

int __wrap_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	fuzz_said.failures++;
	return -1;
}

void __wrap_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	fuzz_said.warnings++;
}

void fuzz_check_refusal(int err)
{
	MUST(!getenv("FUZZ_TAKEN"));
	MUST(err < 0 && err > -4096);
	MUST(fuzz_said.failures == 1);
	MUST(*fuzz_said.last && !strchr(fuzz_said.last, '\n'));
}

void fuzz_broken(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: broken: %s\nlast message: '%s'\n", file, line, what,
		fuzz_said.last);
	abort();
}
