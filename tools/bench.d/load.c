// SPDX-License-Identifier: BSD-2-Clause
/*
 * Work for tools/bench-probe to measure under:
 *
 *   load pingpong CPU SECONDS   two processes on one processor wake each other through pipes
 *   load connect SECONDS        TCP connections over loopback, opened and closed one by one
 *   load fork SECONDS           processes that begin and end
 *   load sockets COUNT          COUNT idle connections over loopback, until killed
 *
 * The first three print how many a second (round trips, connections, processes); the last prints the
 * process number of its server, who holds one end of each connection, when all stand.
 */
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A child that does not outlive us. */
static pid_t child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void done(unsigned long n, double begin)
{
	printf("%.1f\n", (double)n / (now() - begin));
	exit(0);
}

static void pingpong(int cpu, double seconds)
{
	int there[2], back[2];
	unsigned long n = 0;
	double begin;
	cpu_set_t set;
	char c = 0;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	if (pipe(there) || pipe(back))
		die("pipe");
	if (!child()) {
		close(there[1]);
		close(back[0]);
		while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
			;
		_exit(0);
	}
	for (begin = now(); n % 256 || now() - begin < seconds; n++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			die("pipe");
	done(n, begin);
}

static int listener(struct sockaddr_in *a)
{
	socklen_t len = sizeof(*a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*a = (struct sockaddr_in){.sin_family = AF_INET};
	a->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)a, sizeof(*a)) || listen(fd, 4096) ||
	    getsockname(fd, (struct sockaddr *)a, &len))
		die("listen");
	return fd;
}

static int connected(const struct sockaddr_in *a)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)a, sizeof(*a)))
		die("connect");
	return fd;
}

static void connections(double seconds)
{
	/* Closed by a reset, which leaves nothing waiting and no port taken. */
	struct linger reset = {.l_onoff = 1};
	struct sockaddr_in a;
	unsigned long n = 0;
	double begin = now();
	int fd = listener(&a);

	for (; now() - begin < seconds; n++) {
		int client = connected(&a), server = accept(fd, NULL, NULL);

		if (server < 0)
			die("accept");
		setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		close(client);
		close(server);
	}
	done(n, begin);
}

static void forks(double seconds)
{
	unsigned long n = 0;
	double begin = now();

	for (; now() - begin < seconds; n++) {
		pid_t pid = child();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	done(n, begin);
}

static void sockets(int count)
{
	struct rlimit files = {(rlim_t)count + 64, (rlim_t)count + 64};
	struct sockaddr_in a;
	int fd;

	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
	fd = listener(&a);
	if (!child()) {
		close(fd);
		for (int i = 0; i < count; i++)
			connected(&a);
		for (;;)
			pause();
	}
	for (int i = 0; i < count; i++)
		if (accept(fd, NULL, NULL) < 0)
			die("accept");
	printf("%d\n", getpid());
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc == 4 && !strcmp(argv[1], "pingpong"))
		pingpong(atoi(argv[2]), atof(argv[3]));
	else if (argc == 3 && !strcmp(argv[1], "connect"))
		connections(atof(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "fork"))
		forks(atof(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "sockets"))
		sockets(atoi(argv[2]));
	fprintf(stderr,
		"usage: load pingpong CPU SECONDS | connect SECONDS | fork SECONDS | sockets "
		"COUNT\n");
	return 2;
}
