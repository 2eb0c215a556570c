// SPDX-License-Identifier: BSD-2-Clause
/* Files of /proc, read again and again. */
#include "procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUF_FIRST 65536
#define BUF_MAX	  (16 << 20)

int procfile_buf_init(struct procfile_buf *b)
{
	b->size = BUF_FIRST;
	b->at = malloc(b->size);
	return b->at ? 0 : -ENOMEM;
}

void procfile_buf_release(struct procfile_buf *b)
{
	free(b->at);
	b->at = NULL;
}

int procfile_open(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

void procfile_close(int *fd)
{
	if (*fd > 0)
		close(*fd);
	*fd = -1;
}

/*
 * A read of such a file ends where the next line would not fit into a page of the kernel's: what is
 * shorter than half of one is all there is, and need not be asked for its end.
 */
char *procfile_read(struct procfile_buf *b, int fd)
{
	size_t used = 0;

	for (;;) {
		ssize_t n = fd < 0 ? -1 : pread(fd, b->at + used, b->size - 1 - used, (off_t)used);
		char *larger;

		if (n < 0)
			return NULL;
		used += (size_t)n;
		if (!n || used < 2048) {
			b->at[used] = '\0';
			return b->at;
		}
		if (used < b->size - 1)
			continue;
		larger = b->size < BUF_MAX ? realloc(b->at, 2 * b->size) : NULL;
		if (!larger)
			return NULL;
		b->at = larger;
		b->size *= 2;
	}
}

int procfile_numbers(const char *s, uint64_t *v, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		char *end;

		v[i] = strtoull(s, &end, 10);
		if (end == s)
			break;
		s = end;
	}
	return i;
}

const char *procfile_line(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text && strncmp(text, key, len)) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text ? text + len : NULL;
}

bool procfile_number(const char *text, const char *key, __u64 *v)
{
	const char *at = procfile_line(text, key);
	uint64_t n;

	if (!at || procfile_numbers(at, &n, 1) != 1)
		return false;
	*v = n;
	return true;
}
