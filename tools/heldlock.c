// SPDX-License-Identifier: BSD-2-Clause
/*
 * heldlock: a library that gives a server a lock which is held too long, as a program's fault may be. Preloaded
 * into the servers of tools/testbed, where it does nothing until it is told to:
 *
 *	LD_PRELOAD=heldlock.so LIMPET_HELDLOCK=FILE LIMPET_HELDLOCK_IN=PROGRAM …
 *
 * While FILE begins with 1 ("1 8000 2000"), a thread of the program takes a mutex for so many milliseconds,
 * and leaves it for so many, again and again; and every call that moves data of sockets and files waits for
 * it: threads wait for a lock, and the disk for them. FILE must be there when the program starts, and is
 * written in place.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define ROOM 64 /* bytes of FILE that are looked at */

static const volatile char *control; /* NULL: not told, or not this program */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, starting = PTHREAD_MUTEX_INITIALIZER;
static volatile pid_t holder_of; /* the process whose holder runs: a fork leaves it behind */

static void __attribute__((constructor)) begin(void)
{
	const char *path = getenv("LIMPET_HELDLOCK"), *name = getenv("LIMPET_HELDLOCK_IN");
	int fd = path && name && !strcmp(name, program_invocation_short_name)
			 ? open(path, O_RDONLY | O_CLOEXEC)
			 : -1;
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, ROOM, PROT_READ, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	control = at == MAP_FAILED ? NULL : at;
}

static void sleep_ms(unsigned int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static void *hold(void *arg)
{
	unsigned int hold_ms, free_ms;
	char text[ROOM + 1] = "";

	(void)arg;
	for (;;) {
		memcpy(text, (const char *)control, ROOM);
		if (sscanf(text, "1 %u %u", &hold_ms, &free_ms) != 2)
			break;
		pthread_mutex_lock(&held);
		sleep_ms(hold_ms);
		pthread_mutex_unlock(&held);
		sleep_ms(free_ms);
	}
	holder_of = 0;
	return NULL;
}

static void start_holder(void)
{
	pthread_t thread;

	pthread_mutex_lock(&starting);
	if (holder_of != getpid() && !pthread_create(&thread, NULL, hold, NULL)) {
		pthread_detach(thread);
		holder_of = getpid();
	}
	pthread_mutex_unlock(&starting);
}

static void pass(void)
{
	int err = errno;

	if (!control || *control != '1')
		return;
	if (holder_of != getpid())
		start_holder();
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	errno = err;
}

/* The call of that name behind ours, found once. */
#define BEHIND(name)                                               \
	({                                                         \
		static __typeof__(name) *real;                     \
                                                                   \
		if (!real)                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name); \
		real;                                              \
	})

ssize_t readv(int fd, const struct iovec *v, int n)
{
	pass();
	return BEHIND(readv)(fd, v, n);
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	pass();
	return BEHIND(writev)(fd, v, n);
}

ssize_t preadv(int fd, const struct iovec *v, int n, off_t at)
{
	pass();
	return BEHIND(preadv)(fd, v, n, at);
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
	pass();
	return BEHIND(pwritev)(fd, v, n, at);
}

ssize_t preadv64(int fd, const struct iovec *v, int n, off64_t at)
{
	pass();
	return BEHIND(preadv64)(fd, v, n, at);
}

ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t at)
{
	pass();
	return BEHIND(pwritev64)(fd, v, n, at);
}

ssize_t pread64(int fd, void *buf, size_t len, off64_t at)
{
	pass();
	return BEHIND(pread64)(fd, buf, len, at);
}

ssize_t pwrite64(int fd, const void *buf, size_t len, off64_t at)
{
	pass();
	return BEHIND(pwrite64)(fd, buf, len, at);
}
