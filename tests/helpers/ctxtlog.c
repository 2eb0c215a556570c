// SPDX-License-Identifier: BSD-2-Clause
/*
 * ctxtlog: every 5 ms until killed a line "CLOCK_MONOTONIC before, ctxt of /proc/stat,
 * CLOCK_MONOTONIC after" (ns): what a count of context switches can be bracketed with.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
	static char buf[1 << 20];
	int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);

	for (;;) {
		long long before = now_ns(), ctxt;
		ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);
		char *at;

		if (n <= 0)
			return 1;
		buf[n] = '\0';
		at = strstr(buf, "\nctxt ");
		if (!at || sscanf(at, " ctxt %lld", &ctxt) != 1)
			return 1;
		printf("%lld %lld %lld\n", before, ctxt, now_ns());
		fflush(stdout);
		usleep(5000);
	}
}
