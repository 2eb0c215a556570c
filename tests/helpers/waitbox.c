// SPDX-License-Identifier: BSD-2-Clause
/*
 * waitbox WORD…: a process of whose threads is known what they wait for. Each word starts some; it prints
 * "ready PID" and runs until it is ended:
 *
 *   lock=K,MS     K threads that want one mutex, and sleep MS with it: all but one wait for it
 *   pi=K,MS       the same with a mutex that inherits priorities; rwlock=K,MS of a read-write lock
 *   file=K,MS     the same with the lock of a file (flock) on its own program
 *   disk=PATH     a thread that reads PATH past the page cache, 1 MiB at a time
 *   busy=K        K threads that compute
 *   wake=K,MS     K threads that sleep MS again and again
 *   idle=K        K threads in each of: a condition variable, a semaphore, epoll, a pipe, a socket
 *   full=K        K threads that write into a socket nobody reads
 *   cgroup=DIR    enters that control group, before what follows
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BLOCK (1 << 20)

static long hold_ms;
static const char *disk;

static void die(const char *what)
{
	fprintf(stderr, "waitbox: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void hold(void)
{
	struct timespec t = {hold_ms / 1000, hold_ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* ---- what threads do ---- */

static void *take_mutex(void *arg)
{
	for (;;) {
		pthread_mutex_lock(arg);
		hold();
		pthread_mutex_unlock(arg);
	}
	return arg;
}

static void *take_rwlock(void *arg)
{
	for (;;) {
		pthread_rwlock_wrlock(arg);
		hold();
		pthread_rwlock_unlock(arg);
	}
	return arg;
}

static void *take_file(void *arg)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	for (;;) {
		if (flock(fd, LOCK_EX))
			die("flock");
		hold();
		flock(fd, LOCK_UN);
	}
	return arg;
}

static void *read_disk(void *arg)
{
	int fd = open(disk, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *buf;

	if (fd < 0 || posix_memalign(&buf, 4096, BLOCK))
		die(disk);
	for (off_t at = 0;; at += BLOCK) {
		ssize_t n = pread(fd, buf, BLOCK, at);

		if (n < 0)
			die("read");
		if (n < BLOCK)
			at = -BLOCK;
	}
	return arg;
}

static void *wake(void *arg)
{
	for (;;)
		hold();
	return arg;
}

static void *compute(void *arg)
{
	volatile unsigned long n = 0;

	for (;;)
		n++;
	return arg;
}

static void *wait_condition(void *arg)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&m);
	for (;;)
		pthread_cond_wait(&c, &m);
	return arg;
}

static void *wait_semaphore(void *arg)
{
	static sem_t s;

	for (;;)
		sem_wait(&s);
	return arg;
}

static void *wait_epoll(void *arg)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event e;

	for (;;)
		epoll_wait(fd, &e, 1, -1);
	return arg;
}

static void *wait_pipe(void *arg)
{
	int fd[2];
	char c;

	if (pipe(fd))
		die("pipe");
	for (;;)
		if (read(fd[0], &c, 1) < 0)
			die("pipe");
	return arg;
}

static void *wait_socket(void *arg)
{
	int fd[2];
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		die("socket");
	for (;;)
		if (read(fd[0], &c, 1) < 0)
			die("socket");
	return arg;
}

static void *fill_socket(void *arg)
{
	char block[4096] = {0};
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		die("socket");
	for (;;)
		if (write(fd[0], block, sizeof(block)) < 0)
			die("socket");
	return arg;
}

/* ---- */

static void start(long k, void *(*fn)(void *), void *arg)
{
	pthread_t t;

	while (k--)
		if (pthread_create(&t, NULL, fn, arg))
			die("thread");
}

static void enter(const char *dir)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	f = fopen(path, "w");
	if (!f || fputs("0", f) < 0 || fclose(f))
		die(path);
}

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, inherits;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;

static void start_pi(long k)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	if (pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT) ||
	    pthread_mutex_init(&inherits, &a))
		die("mutex");
	start(k, take_mutex, &inherits);
}

static void word(const char *w)
{
	const char *value = strchr(w, '='), *second = value ? strchr(value, ',') : NULL;
	long k = value ? atol(value + 1) : 0;

	if (second)
		hold_ms = atol(second + 1);
	if (!strncmp(w, "lock=", 5)) {
		start(k, take_mutex, &plain);
	} else if (!strncmp(w, "pi=", 3)) {
		start_pi(k);
	} else if (!strncmp(w, "rwlock=", 7)) {
		start(k, take_rwlock, &shared);
	} else if (!strncmp(w, "file=", 5)) {
		start(k, take_file, NULL);
	} else if (!strncmp(w, "disk=", 5)) {
		disk = value + 1;
		start(1, read_disk, NULL);
	} else if (!strncmp(w, "busy=", 5)) {
		start(k, compute, NULL);
	} else if (!strncmp(w, "wake=", 5)) {
		start(k, wake, NULL);
	} else if (!strncmp(w, "idle=", 5)) {
		start(k, wait_condition, NULL);
		start(k, wait_semaphore, NULL);
		start(k, wait_epoll, NULL);
		start(k, wait_pipe, NULL);
		start(k, wait_socket, NULL);
	} else if (!strncmp(w, "full=", 5)) {
		start(k, fill_socket, NULL);
	} else if (!strncmp(w, "cgroup=", 7)) {
		enter(value + 1);
	} else {
		errno = EINVAL;
		die(w);
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		word(argv[i]);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		pause();
}
