// SPDX-License-Identifier: BSD-2-Clause
/*
 * TCP connections that do what a test says, and nothing else:
 *
 *   tcpbox serve ADDR PORT
 *       accepts; each client's first byte says what it wants
 *   tcpbox stream|idle|pull ADDR PORT COUNT FROM
 *       COUNT connections from address FROM, until killed; the server sends 32 KiB every 10 ms, or
 *       nothing, or 256 KiB once, and then a byte on each for every line of our standard input
 *   tcpbox ask ADDR PORT COUNT FROM
 *       COUNT connections from address FROM, until killed; on each a request of 100 bytes, again 50 ms
 *       after its answer of 32 KiB has come
 *   tcpbox push ADDR PORT COUNT HOSTS BYTES
 *       COUNT connections from HOSTS addresses (127.1.0.1 and so on), until killed; BYTES on each,
 *       and again for every line of our standard input; "done" when they have arrived
 *   tcpbox send ADDR PORT BYTES FROM [COUNT]
 *       COUNT times, one after the other: sends BYTES, the first byte included, ends, and waits for
 *       the server's end
 *   tcpbox put ADDR PORT BYTES FROM
 *       sends as much, and keeps the connection until killed
 *
 * Those that stay print "ready" when all their connections stand and the server has taken them, and
 * "done" after each line of input. The server reads nothing of what is pushed. All use the same
 * processor, or what one sent from two of them would overtake itself and be sent again.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CONNS 10000
#define CHUNK	  32768
#define PULL	  (256 * 1024)
#define REQUEST	  100

static char buf[CHUNK];
static struct pollfd polled[MAX_CONNS + 1];
static struct {
	char wants;
	long owed; /* bytes to send, or to come */
	long part; /* of a request that has not come in full */
} conn[MAX_CONNS + 1];

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

/* 0: keep the connection. */
static int attend(int i)
{
	ssize_t n = 1;

	if (polled[i].revents) {
		n = recv(polled[i].fd, buf, conn[i].wants ? sizeof(buf) : 1, MSG_DONTWAIT);
		if (n > 0 && !conn[i].wants) {
			conn[i].wants = buf[0];
			conn[i].owed = buf[0] == 'p' ? PULL : 0;
			/* Only an answer tells the client that we know. */
			if (buf[0] != 'd' && send(polled[i].fd, "k", 1, 0) != 1)
				n = 0;
		} else if (n > 0 && conn[i].wants == 'p') {
			conn[i].owed += n;
		} else if (n > 0 && conn[i].wants == 'a') {
			conn[i].part += n;
			conn[i].owed += conn[i].part / REQUEST * CHUNK;
			conn[i].part %= REQUEST;
		}
		if (n == 0 || (n < 0 && errno != EAGAIN))
			return -1;
	}
	if (conn[i].wants == 's')
		conn[i].owed = CHUNK;
	if (!conn[i].owed)
		return 0;
	n = send(polled[i].fd, buf, conn[i].owed < CHUNK ? (size_t)conn[i].owed : CHUNK,
		 MSG_DONTWAIT);
	if (n < 0 && errno != EAGAIN)
		return -1;
	conn[i].owed -= n > 0 ? n : 0;
	return 0;
}

static void serve(const char *addr, const char *port)
{
	struct sockaddr_in a = address(addr, port);
	int n = 1, one = 1;

	polled[0] = (struct pollfd){.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN};
	setsockopt(polled[0].fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(polled[0].fd, (struct sockaddr *)&a, sizeof(a)) || listen(polled[0].fd, 4096))
		die("listen");
	for (;;) {
		int busy = 0;

		for (int i = 1; i < n; i++)
			busy |= conn[i].owed || conn[i].wants == 's';
		poll(polled, (nfds_t)n, busy ? 10 : -1);
		if (polled[0].revents && n <= MAX_CONNS) {
			int fd = accept(polled[0].fd, NULL, NULL);

			if (fd >= 0) {
				polled[n] = (struct pollfd){.fd = fd, .events = POLLIN};
				conn[n].wants = 0;
				conn[n].part = 0;
				conn[n++].owed = 0;
			}
		}
		for (int i = 1; i < n; i++) {
			int over = attend(i);

			/* Pushed: it stands, and nobody looks at it any more. */
			if (!over && conn[i].wants != 'u')
				continue;
			if (over)
				close(polled[i].fd);
			n--;
			polled[i] = polled[n];
			conn[i] = conn[n];
			i--;
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

static void say(const char *what)
{
	printf("%s\n", what);
	fflush(stdout);
}

static void read_exactly(int fd, long bytes)
{
	while (bytes > 0) {
		ssize_t n = recv(fd, buf, bytes < CHUNK ? (size_t)bytes : CHUNK, 0);

		if (n <= 0)
			die("receive");
		bytes -= n;
	}
}

static void write_exactly(int fd, long bytes)
{
	while (bytes > 0) {
		ssize_t n = send(fd, buf, bytes < CHUNK ? (size_t)bytes : CHUNK, 0);

		if (n < 0)
			die("send");
		bytes -= n;
	}
}

/*
 * Until the other side has all that was sent: under load a packet may be lost even here. What is
 * not read has to have room there.
 */
static void until_arrived(int fd)
{
	int unacked, error = 0;
	socklen_t len = sizeof(error);

	while (!ioctl(fd, SIOCOUTQ, &unacked) && unacked) {
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) || error)
			die("send");
		usleep(1000);
	}
}

static int ask(char what, const char *addr, const char *port, const char *from)
{
	int fd = dial(addr, port, from);

	if (send(fd, &what, 1, 0) != 1 || recv(fd, buf, 1, 0) != 1)
		die("ask");
	return fd;
}

static int hold(char what, const char *addr, const char *port, int count, const char *from)
{
	for (int i = 0; i < count; i++)
		polled[i] = (struct pollfd){.fd = ask(what, addr, port, from), .events = POLLIN};
	say("ready");
	for (;;) {
		poll(polled, (nfds_t)count, -1);
		for (int i = 0; i < count; i++)
			if (polled[i].revents &&
			    recv(polled[i].fd, buf, sizeof(buf), MSG_DONTWAIT) == 0)
				return 1;
	}
}

static int pull(const char *addr, const char *port, int count, const char *from)
{
	char line[16];

	for (int i = 0; i < count; i++)
		polled[i].fd = ask('p', addr, port, from);
	for (int i = 0; i < count; i++)
		read_exactly(polled[i].fd, PULL);
	say("ready");
	while (fgets(line, sizeof(line), stdin)) {
		for (int i = 0; i < count; i++)
			write_exactly(polled[i].fd, 1);
		for (int i = 0; i < count; i++)
			read_exactly(polled[i].fd, 1);
		say("done");
	}
	return pause();
}

static int ask_again(const char *addr, const char *port, int count, const char *from)
{
	for (int i = 0; i < count; i++)
		polled[i].fd = ask('a', addr, port, from);
	say("ready");
	for (;; usleep(50000))
		for (int i = 0; i < count; i++) {
			ssize_t n = 0;

			while (conn[i].owed && n >= 0) {
				n = recv(polled[i].fd, buf, sizeof(buf), MSG_DONTWAIT);
				if (n == 0 || (n < 0 && errno != EAGAIN))
					return 1;
				conn[i].owed -= n > 0 ? n : 0;
			}
			if (conn[i].owed)
				continue;
			write_exactly(polled[i].fd, REQUEST);
			conn[i].owed = CHUNK;
		}
}

static void push_once(int count, long bytes)
{
	for (int i = 0; i < count; i++)
		write_exactly(polled[i].fd, bytes);
	for (int i = 0; i < count; i++)
		until_arrived(polled[i].fd);
}

static int push(const char *addr, const char *port, int count, int hosts, long bytes)
{
	char line[16], from[32];

	for (int i = 0; i < count; i++) {
		int host = i % hosts;

		snprintf(from, sizeof(from), "127.1.%d.%d", host / 250, host % 250 + 1);
		polled[i].fd = ask('u', addr, port, from);
	}
	push_once(count, bytes);
	say("ready");
	while (fgets(line, sizeof(line), stdin)) {
		push_once(count, bytes);
		say("done");
	}
	return pause();
}

static int put(const char *addr, const char *port, long bytes, const char *from)
{
	int fd = dial(addr, port, from);

	memset(buf, 'd', sizeof(buf));
	write_exactly(fd, bytes);
	until_arrived(fd);
	say("ready");
	return pause();
}

static int send_bytes(const char *addr, const char *port, long bytes, const char *from, int count)
{
	memset(buf, 'd', sizeof(buf));
	for (int i = 0; i < count; i++) {
		int fd = dial(addr, port, from);

		write_exactly(fd, bytes);
		shutdown(fd, SHUT_WR);
		/* The server closes when it has read all. */
		if (recv(fd, buf, 1, 0) != 0)
			return 1;
		close(fd);
	}
	return 0;
}

static void use_first_cpu(void)
{
	cpu_set_t set;
	int first = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		die("sched_getaffinity");
	while (!CPU_ISSET(first, &set))
		first++;
	CPU_ZERO(&set);
	CPU_SET(first, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

int main(int argc, char **argv)
{
	struct rlimit files;

	use_first_cpu();
	signal(SIGPIPE, SIG_IGN);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (argc == 4 && !strcmp(argv[1], "serve"))
		serve(argv[2], argv[3]);
	if (argc == 6 && (!strcmp(argv[1], "stream") || !strcmp(argv[1], "idle")))
		return hold(argv[1][0], argv[2], argv[3], atoi(argv[4]), argv[5]);
	if (argc == 6 && !strcmp(argv[1], "pull"))
		return pull(argv[2], argv[3], atoi(argv[4]), argv[5]);
	if (argc == 6 && !strcmp(argv[1], "ask"))
		return ask_again(argv[2], argv[3], atoi(argv[4]), argv[5]);
	if (argc == 7 && !strcmp(argv[1], "push"))
		return push(argv[2], argv[3], atoi(argv[4]), atoi(argv[5]), atol(argv[6]));
	if (argc == 6 && !strcmp(argv[1], "put"))
		return put(argv[2], argv[3], atol(argv[4]), argv[5]);
	if ((argc == 6 || argc == 7) && !strcmp(argv[1], "send"))
		return send_bytes(argv[2], argv[3], atol(argv[4]), argv[5],
				  argc == 7 ? atoi(argv[6]) : 1);
	fprintf(stderr, "usage: see the head of tests/helpers/tcpbox.c\n");
	return 2;
}
