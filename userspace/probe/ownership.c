// SPDX-License-Identifier: BSD-2-Clause
/* ownership.h: a look at the processes that run, once. */
#include "ownership.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/daemons.h"

static bool is_daemon(int proc, const char *pid)
{
	char path[300], comm[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/comm", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, comm, sizeof(comm) - 1);
	close(fd);
	if (n <= 0)
		return false;
	comm[n] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	return daemon_known(comm);
}

bool ownership_daemon_runs(const char *proc)
{
	DIR *d = opendir(proc);
	bool found = false;

	for (struct dirent *e; d && !found && (e = readdir(d));)
		if (e->d_name[strspn(e->d_name, "0123456789")] == '\0')
			found = is_daemon(dirfd(d), e->d_name);
	if (d)
		closedir(d);
	return found;
}
