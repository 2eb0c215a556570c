// SPDX-License-Identifier: BSD-2-Clause
#include "trusted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "userspace/series/series.h"

static void mark_of(char path[4200], const char *dir, const char *host)
{
	snprintf(path, 4200, "%s/trusted%s%s", dir, host ? "/" : "", host ? host : "");
}

int trusted_add(const char *dir, const char *host, char why[WHY_LEN])
{
	char path[4200];
	int fd;

	mark_of(path, dir, NULL);
	if (mkdir(path, 0750) && errno != EEXIST)
		goto failed;
	mark_of(path, dir, host);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (fd < 0)
		goto failed;
	close(fd);
	return 0;
failed:
	snprintf(why, WHY_LEN, "cannot make '%.150s': %s", path, strerror(errno));
	return -errno;
}

int trusted_remove(const char *dir, const char *host, char why[WHY_LEN])
{
	char path[4200];

	mark_of(path, dir, host);
	if (!unlink(path) || errno == ENOENT)
		return 0;
	snprintf(why, WHY_LEN, "cannot remove '%.150s': %s", path, strerror(errno));
	return -errno;
}

bool trusted_is(const char *dir, const char *host)
{
	char path[4200];

	mark_of(path, dir, host);
	return !series_check_host(host) && !access(path, F_OK);
}

static int list_add(struct string_list *l, const char *host)
{
	char *copy = strdup(host);
	int err = copy ? array_put(&l->at, &l->n, copy) : -ENOMEM;

	if (err)
		free(copy);
	return err;
}

int trusted_new(const char *dir, struct string_list *known,
		int (*fn)(void *arg, const char *folder), void *arg)
{
	char path[4200];
	const struct dirent *e;
	DIR *marks;
	int err = 0;

	mark_of(path, dir, NULL);
	marks = opendir(path);
	while (!err && marks && (e = readdir(marks))) {
		if (series_check_host(e->d_name) || string_list_has(known, e->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/logs/%s", dir, e->d_name);
		err = list_add(known, e->d_name);
		if (!err)
			err = fn(arg, path);
	}
	if (marks)
		closedir(marks);
	return err;
}

size_t trusted_not(const char *dir)
{
	char path[4200];
	const struct dirent *e;
	size_t n = 0;
	DIR *logs;

	snprintf(path, sizeof(path), "%s/logs", dir);
	logs = opendir(path);
	while (logs && (e = readdir(logs)))
		n += !series_check_host(e->d_name) && !trusted_is(dir, e->d_name);
	if (logs)
		closedir(logs);
	return n;
}
