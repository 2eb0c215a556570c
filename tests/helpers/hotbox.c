// SPDX-License-Identifier: BSD-2-Clause
/*
 * hotbox NAME WORD: a process of that name that computes, and of which is known in which functions; it prints
 * "ready PID" and runs until it is ended. Built with frame pointers in all functions (Makefile).
 *
 *   hot     of its processor time three quarters in hot_a(), a quarter in hot_b(), by turns of random lengths
 *   read    in the kernel, for hot_read()
 *   jit     in code of no file, for hot_jit()
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define MS   1000000LL

static volatile unsigned long counter;

/* Called from within the function itself: one of libc has no frame of its own, which loses the caller's. */
static inline __attribute__((always_inline)) long call2(long number, long a, long b)
{
#ifdef __x86_64__
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "a"(number), "D"(a), "S"(b)
		     : "rcx", "r11", "memory");
	return result;
#else
	register long x8 asm("x8") = number;
	register long x0 asm("x0") = a;
	register long x1 asm("x1") = b;

	asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
	return x0;
#endif
}

static inline __attribute__((always_inline)) int64_t cpu_ns(void)
{
	struct timespec t;

	call2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

/* Not like the next, or the compiler makes one of the two. */
KEEP static void hot_a(int64_t end)
{
	do
		for (int i = 0; i < 200000; i++)
			counter += (unsigned long)i;
	while (cpu_ns() < end);
}

KEEP static void hot_b(int64_t end)
{
	do
		for (int i = 0; i < 200000; i++)
			counter ^= (unsigned long)i;
	while (cpu_ns() < end);
}

/* What one has too much, the next turn takes back. */
KEEP static void hot(void)
{
	int64_t a = 0, b = 0, now = cpu_ns(), before;

	for (;;) {
		int64_t turn = (3 + rand() % 15) * MS;

		before = now;
		hot_a(now + 3 * turn + (3 * b - a));
		now = cpu_ns();
		a += now - before;
		before = now;
		hot_b(now + a / 3 - b);
		now = cpu_ns();
		b += now - before;
	}
}

KEEP static void hot_read(void)
{
	static char room[1 << 20];
	int fd = open("/dev/zero", O_RDONLY);

	while (fd >= 0 && read(fd, room, sizeof(room)) > 0)
		counter++;
}

/* A frame, and a jump to itself. */
KEEP static void hot_jit(void)
{
#ifdef __x86_64__
	static const uint8_t for_ever[] = {0x55, 0x48, 0x89, 0xe5, 0xeb, 0xfe};
#else
	static const uint32_t for_ever[] = {0xa9bf7bfd, 0x910003fd, 0x14000000};
#endif
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void);

	if (code == MAP_FAILED)
		return;
	memcpy(code, for_ever, sizeof(for_ever));
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	__builtin___clear_cache(code, (char *)code + sizeof(for_ever));
	memcpy(&call, &code, sizeof(call));
	call();
	counter++;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void (*run)(void);
	} words[] = {{"hot", hot}, {"read", hot_read}, {"jit", hot_jit}};

	for (size_t i = 0; argc == 3 && i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(argv[2], words[i].word) != 0)
			continue;
		prctl(PR_SET_NAME, argv[1]);
		/* The clock finds a build id only while the beginning of its file is in memory. */
		mlockall(MCL_CURRENT);
		printf("ready %d\n", getpid());
		fflush(stdout);
		words[i].run();
	}
	return 2;
}
