// SPDX-License-Identifier: BSD-2-Clause
/* source.h: one series file, before it is read: whether it can be, and whose it is. */

#include "source_bad.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INTERVAL_MS_MAX 3600000

const char *source_base(const char *path)
{
	const char *base = strrchr(path, '/');

	return base ? base + 1 : path;
}

int source_each(const char *path, int (*is)(const struct dirent *),
		int (*order)(const struct dirent **, const struct dirent **),
		int (*fn)(void *arg, const char *file), void *arg, int *err)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, is, order);

	*err = 0;
	for (int i = 0; i < n; i++) {
		char *file = NULL;

		if (!*err && asprintf(&file, "%s/%s", path, names[i]->d_name) < 0)
			*err = -ENOMEM;
		if (!*err)
			*err = fn(arg, file);
		free(file);
		free(names[i]);
	}
	free(names);
	return n;
}

/* The length without "-" and digits at its end, of which there must be `least` to `most`; 0: there are not. */
static size_t without_number(const char *s, size_t len, size_t least, size_t most)
{
	size_t digits = 0;

	while (digits < len && isdigit((unsigned char)s[len - digits - 1]))
		digits++;
	if (digits < least || digits > most || len < digits + 2 || s[len - digits - 1] != '-')
		return 0;
	return len - digits - 1;
}

bool source_names(const char *path, char server[HOST_LEN])
{
	const char *base = source_base(path);
	size_t len = strlen(base), suffix = strlen(SERIES_SUFFIX), day;

	*server = 0;
	if (len <= suffix || strcmp(base + len - suffix, SERIES_SUFFIX))
		return false;
	len -= suffix;
	day = without_number(base, len, 8, 8);
	if (!day) {
		size_t aside = without_number(base, len, 1, 4);

		day = aside ? without_number(base, aside, 8, 8) : 0;
	}
	len = day ? day : len;
	if (len >= HOST_LEN)
		return false;
	memcpy(server, base, len);
	server[len] = 0;
	if (series_check_host(server))
		*server = 0;
	return day > 0;
}

const char *source_reason(const char *message, const char *path, char *buf, size_t size)
{
	const char *at = strstr(message, path);

	if (!at || strncmp(at + strlen(path), "': ", 3))
		snprintf(buf, size, "%s", message);
	else
		snprintf(buf, size, "%s", at + strlen(path) + 3);
	return buf;
}

static const char *check_kind(const char *path, char *buf, size_t size, int *err)
{
	struct stat st;

	*err = 0;
	if (stat(path, &st)) {
		*err = -errno;
		snprintf(buf, size, "%s", strerror(errno));
		return buf;
	}
	if (S_ISREG(st.st_mode))
		return NULL;
	*err = -EINVAL;
	snprintf(buf, size, "it is %s, not a regular file",
		 S_ISDIR(st.st_mode)	? "a folder"
		 : S_ISFIFO(st.st_mode) ? "a FIFO"
		 : S_ISSOCK(st.st_mode) ? "a socket"
					: "a device");
	return buf;
}

const char *source_look(struct source_file *f, char *buf, size_t size, int *err)
{
	struct series_reader *r = NULL;
	char server[HOST_LEN];
	const char *why = check_kind(f->path, buf, size, err);
	bool dated;

	if (why)
		return why;
	*err = series_reader_new(&r, f->path);
	if (!*err)
		*err = series_reader_span(r, &f->seconds, &f->first_ns, &f->last_ns);
	if (*err) {
		why = source_reason(series_error(), f->path, buf, size);
		goto out;
	}
	snprintf(f->host, sizeof(f->host), "%s", series_reader_host(r));
	f->interval_ms = series_reader_interval_ms(r);
	dated = source_names(f->path, server);
	f->named = !strcmp(server, f->host);
	*err = -EINVAL;
	if (series_check_host(f->host) || f->interval_ms < 1 || f->interval_ms > INTERVAL_MS_MAX) {
		snprintf(buf, size, "it is damaged: its host name or its interval is not valid");
		why = buf;
	} else if (dated && !f->named) {
		snprintf(buf, size, "inside it says that it is '%s's, and its name says '%s'",
			 f->host, *server ? server : source_base(f->path));
		why = buf;
	} else {
		*err = 0;
	}
out:
	series_reader_free(r);
	return why;
}
