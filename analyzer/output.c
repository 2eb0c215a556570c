// SPDX-License-Identifier: BSD-2-Clause
/* Standard output that reports its errors, files replaced in one step, times and names as text. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../userspace/options.h"

static int shown = -1; /* per cent; -1: no line stands there */

void output_progress(const char *what, double part)
{
	int percent = part >= 1 ? 100 : part > 0 ? (int)(100 * part) : 0;

	if (percent == shown || !isatty(STDERR_FILENO))
		return;
	shown = percent;
	fprintf(stderr, "\r%s: %d %%", what, percent);
}

void output_progress_end(void)
{
	if (shown >= 0)
		fprintf(stderr, "\r%40s\r", "");
	shown = -1;
}

int output_finish(int status)
{
	errno = 0;
	if (fflush(stdout) || ferror(stdout)) {
		if (errno != EPIPE)
			fail("cannot write the output: %s", strerror(errno ? errno : EIO));
		return EXIT_FAILED;
	}
	return status;
}

/* 0 or a negative errno. */
static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return fsync(fd) ? -errno : 0;
}

/* So that the rename survives a power cut; not every file system can, so errors do not count. */
static void sync_folder(const char *path)
{
	char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
	int fd;

	if (slash)
		slash[slash == folder] = 0;
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(folder);
}

/* Pipes and devices ("-o /dev/stdout") cannot be replaced: written as they are. */
static int write_special(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = write_all(fd, text, len);
	if (err == -EINVAL || err == -EROFS) /* fsync() on a pipe */
		err = 0;
	close(fd);
	return err;
}

static int write_renamed(const char *path, const char *text, size_t len)
{
	char *temp = NULL;
	mode_t mask;
	int fd, err;

	if (asprintf(&temp, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		goto out;
	}
	mask = umask(0);
	umask(mask);
	err = fchmod(fd, 0666 & ~mask) ? -errno : write_all(fd, text, len);
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(temp, path))
		err = -errno;
	if (err)
		unlink(temp);
	else
		sync_folder(path);
out:
	free(temp);
	return err;
}

int output_replace(const char *path, const char *text, size_t len)
{
	struct stat st;
	int special = !stat(path, &st) && !S_ISREG(st.st_mode);
	char *target = special ? NULL : realpath(path, NULL); /* what a link points to */
	int err = special ? write_special(path, text, len)
			  : write_renamed(target ? target : path, text, len);

	free(target);

	if (err)
		fail("cannot write '%s': %s", path, strerror(-err));
	return err;
}

const char *output_time(int64_t wall_ns, char buf[TIME_TEXT_LEN])
{
	time_t s = (time_t)(wall_ns / 1000000000);
	long ms = (long)(wall_ns % 1000000000) / 1000000;
	struct tm tm;
	size_t n;

	if (ms < 0) {
		ms += 1000;
		s--;
	}
	gmtime_r(&s, &tm);
	n = strftime(buf, TIME_TEXT_LEN, "%Y-%m-%dT%H:%M:%S", &tm);
	if (ms)
		snprintf(buf + n, TIME_TEXT_LEN - n, ".%03dZ", (int)(ms % 1000));
	else
		snprintf(buf + n, TIME_TEXT_LEN - n, "Z");
	return buf;
}

const char *output_clean(const char *s, char *buf, size_t size)
{
	size_t n = 0;

	for (; *s && n + 1 < size; s++)
		buf[n++] =
			*s >= ' ' && *s <= '~' && *s != ',' && *s != '"' && *s != '\\' ? *s : '?';
	buf[n] = 0;
	return buf;
}
