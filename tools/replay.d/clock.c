// SPDX-License-Identifier: BSD-2-Clause
/*
 * A clock that stands still until tools/replay moves it: a preloaded library for `limpet watch`, as clknetsim is for
 * chrony. The program itself is unchanged. `limpet watch` sleeps in ppoll(2) between two looks. This ppoll() writes a byte to
 * the file descriptor LIMPET_CLOCK_ASLEEP, reads the next time (8 bytes, ns since the epoch) from LIMPET_CLOCK_TIMES, and
 * returns. LIMPET_CLOCK is the first time. When the times end, it calls the real ppoll(2), which delivers
 * pending signals.
 *
 *	CLOCK_REALTIME, CLOCK_MONOTONIC   the time that was told
 *	CLOCK_THREAD_CPUTIME_ID           0: how busy this machine is must not decide when logs are judged
 *	others                            the kernel's
 */
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000

static int64_t now_ns = -1; /* below 0: the kernel's */
static int asleep_fd = -1, times_fd = -1;

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t room);

static int number_of(const char *name)
{
	const char *text = getenv(name);
	int n = text ? atoi(text) : -1;

	unsetenv(name); /* not for what the program starts */
	return n;
}

__attribute__((constructor)) static void clock_begin(void)
{
	const char *first = getenv("LIMPET_CLOCK");

	if (first)
		now_ns = strtoll(first, NULL, 10);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* nobody would end it */
	unsetenv("LIMPET_CLOCK");
	unsetenv("LD_PRELOAD");
	asleep_fd = number_of("LIMPET_CLOCK_ASLEEP");
	times_fd = number_of("LIMPET_CLOCK_TIMES");
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int64_t at_ns = clock == CLOCK_THREAD_CPUTIME_ID ? 0 : now_ns;
	int held = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
		   clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ||
		   clock == CLOCK_THREAD_CPUTIME_ID;

	if (now_ns < 0 || !held)
		return (int)syscall(SYS_clock_gettime, clock, t);
	*t = (struct timespec){.tv_sec = at_ns / NS, .tv_nsec = at_ns % NS};
	return 0;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	int (*real)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *) =
		(int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))dlsym(
			RTLD_NEXT, "ppoll");

	if (times_fd >= 0 && write(asleep_fd, ".", 1) == 1 &&
	    read(times_fd, &now_ns, sizeof(now_ns)) == sizeof(now_ns))
		return 0;
	return real(fds, n, timeout, mask);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t room)
{
	(void)room;
	return ppoll(fds, n, timeout, mask);
}
