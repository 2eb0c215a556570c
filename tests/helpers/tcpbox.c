// SPDX-License-Identifier: BSD-2-Clause
/*
 * TCP connections that do what a test says, and nothing else:
 *
 *   tcpbox serve ADDR PORT                      accepts; each client's first byte says what it wants
 *   tcpbox stream|idle ADDR PORT COUNT FROM     COUNT connections from address FROM, until killed;
 *                                               the server sends 32 KiB every 10 ms, or nothing
 *   tcpbox send ADDR PORT BYTES FROM            sends BYTES (the first byte included) and ends
 *
 * The clients print "ready" when all their connections stand and the server has taken them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CONNS 256
#define CHUNK	  32768

static char buf[CHUNK];

static int die(const char *what)
{
	fprintf(stderr, "tcpbox: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct sockaddr_in address(const char *addr, const char *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};

	if (inet_pton(AF_INET, addr, &a.sin_addr) != 1)
		die(addr);
	return a;
}

static void serve(const char *addr, const char *port)
{
	struct sockaddr_in a = address(addr, port);
	struct pollfd p[MAX_CONNS + 1] = {
		{.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN}};
	char wants[MAX_CONNS + 1] = "";
	int n = 1, one = 1;

	setsockopt(p[0].fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(p[0].fd, (struct sockaddr *)&a, sizeof(a)) || listen(p[0].fd, 128))
		die("listen");
	for (;;) {
		poll(p, (nfds_t)n, 10);
		if (p[0].revents && n <= MAX_CONNS) {
			p[n].fd = accept(p[0].fd, NULL, NULL);
			p[n].events = POLLIN;
			p[n].revents = 0;
			wants[n] = 0;
			n += p[n].fd >= 0;
		}
		for (int i = 1; i < n; i++) {
			ssize_t got = 1;

			if (p[i].fd < 0)
				continue;
			if (p[i].revents) {
				got = recv(p[i].fd, buf, wants[i] ? sizeof(buf) : 1, MSG_DONTWAIT);
				if (got > 0 && !wants[i]) {
					wants[i] = buf[0];
					/* Only an answer tells the client that we know. */
					if (wants[i] != 'd' && send(p[i].fd, "k", 1, 0) != 1)
						got = 0;
				}
			}
			if (wants[i] == 's' && send(p[i].fd, buf, sizeof(buf), MSG_DONTWAIT) < 0 &&
			    errno != EAGAIN)
				got = 0;
			if (got == 0 || (got < 0 && errno != EAGAIN)) {
				close(p[i].fd);
				p[i].fd = -1;
			}
		}
	}
}

static int dial(const char *addr, const char *port, const char *from)
{
	struct sockaddr_in to = address(addr, port), source = address(from, "0");
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (struct sockaddr *)&source, sizeof(source)))
		die("bind");
	for (int tries = 0; connect(fd, (struct sockaddr *)&to, sizeof(to)); tries++) {
		if (tries == 200)
			die("connect");
		usleep(20000); /* the server may not listen yet */
	}
	return fd;
}

static int hold(char what, const char *addr, const char *port, int count, const char *from)
{
	struct pollfd p[MAX_CONNS];

	for (int i = 0; i < count && i < MAX_CONNS; i++) {
		p[i].fd = dial(addr, port, from);
		p[i].events = POLLIN;
		if (send(p[i].fd, &what, 1, 0) != 1 || recv(p[i].fd, buf, 1, 0) != 1)
			die("ask");
	}
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		poll(p, (nfds_t)count, -1);
		for (int i = 0; i < count; i++)
			if (p[i].revents && recv(p[i].fd, buf, sizeof(buf), MSG_DONTWAIT) == 0)
				return 1;
	}
}

static int send_bytes(const char *addr, const char *port, long bytes, const char *from)
{
	int fd = dial(addr, port, from);

	memset(buf, 'd', sizeof(buf));
	while (bytes > 0) {
		ssize_t n = send(fd, buf, bytes < CHUNK ? (size_t)bytes : CHUNK, 0);

		if (n < 0)
			die("send");
		bytes -= n;
	}
	shutdown(fd, SHUT_WR);
	return recv(fd, buf, 1, 0) != 0; /* the server closes when it has read all */
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	if (argc == 4 && !strcmp(argv[1], "serve"))
		serve(argv[2], argv[3]);
	if (argc == 6 && (!strcmp(argv[1], "stream") || !strcmp(argv[1], "idle")))
		return hold(argv[1][0], argv[2], argv[3], atoi(argv[4]), argv[5]);
	if (argc == 6 && !strcmp(argv[1], "send"))
		return send_bytes(argv[2], argv[3], atol(argv[4]), argv[5]);
	fprintf(stderr, "usage: see the head of tests/helpers/tcpbox.c\n");
	return 2;
}
