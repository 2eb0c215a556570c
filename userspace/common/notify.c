// SPDX-License-Identifier: BSD-2-Clause
/* The service manager's notification socket. */
#include "notify.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A path, or the name of an abstract socket, whose first byte is written "@" and is 0. */
static int connect_to(const char *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	size_t n = strlen(name);
	int fd;

	if ((*name != '/' && *name != '@') || n < 2 || n >= sizeof(a.sun_path))
		return -1;
	memcpy(a.sun_path, name, n);
	if (*name == '@')
		a.sun_path[0] = '\0';
	else
		n++; /* with the end of the string */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&a,
			       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* One that is lost, as the manager is busy, is made up for by the next. */
static void tell(const struct notify *n, const char *text)
{
	if (n->fd >= 0 && send(n->fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		return;
}

void notify_open(struct notify *n, unsigned int longest_s)
{
	const char *name = getenv("NOTIFY_SOCKET"), *usec = getenv("WATCHDOG_USEC"),
		   *pid = getenv("WATCHDOG_PID");
	uint64_t longest_us = longest_s * 1000000ULL,
		 limit_us = usec ? strtoull(usec, NULL, 10) : 0;
	char text[64];

	n->fd = name ? connect_to(name) : -1;
	n->watched = n->fd >= 0 && limit_us && (!pid || strtol(pid, NULL, 10) == (long)getpid());
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	if (!n->watched || limit_us >= longest_us)
		return;
	snprintf(text, sizeof(text), "WATCHDOG_USEC=%llu", (unsigned long long)longest_us);
	tell(n, text);
}

void notify_close(struct notify *n)
{
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}

void notify_ready(struct notify *n)
{
	tell(n, "READY=1");
}

void notify_alive(struct notify *n)
{
	if (n->watched)
		tell(n, "WATCHDOG=1");
}

void notify_stopping(struct notify *n)
{
	tell(n, "STOPPING=1");
}
