// SPDX-License-Identifier: BSD-2-Clause
#include "listen_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "options.h"

/* Splits "ADDR:PORT" in place; NULL, or what is wrong with it. */
static const char *address_split(char *text, const char **addr, const char **port)
{
	char *colon = strrchr(text, ':'), *end = strchr(text, ']');
	unsigned int n;

	*port = text;
	if (*text == '[') {
		if (!end || end[1] != ':')
			return "after an address in brackets must come a colon and a port";
		*end = 0;
		*addr = text + 1;
		*port = end + 2;
	} else if (colon && strchr(text, ':') != colon) {
		return "an IPv6 address must be in brackets: [::1]:9810";
	} else if (colon == text) {
		return "no address before the colon (0.0.0.0: all)";
	} else if (colon) {
		*colon = 0;
		*addr = text;
		*port = colon + 1;
	}
	return parse_uint(*port, 1, 65535, &n) ? "the port is not a number from 1 to 65535" : NULL;
}

static const char *address_advice(int err)
{
	switch (err) {
	case EADDRINUSE: return " (another program, or another limpet-probe, has the port)";
	case EACCES: return " (a port below 1024 needs CAP_NET_BIND_SERVICE)";
	case EADDRNOTAVAIL: return " (this host has no such address)";
	case EAFNOSUPPORT: return " (this kernel has no IPv6)";
	default: return "";
	}
}

static int address_open(const struct addrinfo *a, int backlog)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, err;

	if (fd < 0)
		return -errno;
	/* After a restart the old connections linger, and must not keep the port. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, backlog)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int listen_address(const char *listen, const char *addr, int backlog, char *why)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	const char *port, *wrong;
	struct addrinfo *found;
	struct in_addr four;
	char text[128];
	int fd;

	if ((size_t)snprintf(text, sizeof(text), "%s", listen) >= sizeof(text))
		wrong = "too long";
	else
		wrong = address_split(text, &addr, &port);
	/* IPv4 strictly: the resolver would take "10.1" for 10.0.0.1. */
	hints.ai_family = *listen == '[' ? AF_INET6 : AF_INET;
	if (!wrong && ((*listen != '[' && inet_pton(AF_INET, addr, &four) != 1) ||
		       getaddrinfo(addr, port, &hints, &found)))
		wrong = "not an IP address (names are not looked up)";
	if (wrong) {
		snprintf(why, WHY_LEN, "cannot listen on '%.100s': %s", listen, wrong);
		return -EINVAL;
	}
	fd = address_open(found, backlog);
	freeaddrinfo(found);
	if (fd < 0)
		snprintf(why, WHY_LEN, "cannot listen on '%s': %s%s", listen, strerror(-fd),
			 address_advice(-fd));
	return fd;
}
