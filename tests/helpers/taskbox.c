// SPDX-License-Identifier: BSD-2-Clause
/*
 * taskbox WORD…: a process of which is known what it does, word by word:
 *
 *   name=TEXT         calls itself that            fifo            becomes a real-time process
 *   only=PID          ends at once if it has another number
 *   disk=PATH         the disk used from then on   burn=MS         uses so much CPU time
 *   read=N write=N    MiB, past the page cache     threads=K,N     K threads that read N MiB each
 *   children=K,N      K processes one after the other that read N KiB each and end
 *   cgroup=DIR        enters that control group
 *   crowd=K           K processes that share our memory, once all of them sleep; they end when we do, not
 *                     all at once, for other probes on this machine have no room for that
 *   spin=K            K processes that never sleep and give way to all others; they end when we do
 *   exec              a thread that is not the leader executes the words that follow
 *   ready wait        prints "ready PID"; waits until standard input is closed
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB   (1 << 20)
#define STACK 8192

static const char *disk = "";
static char **words; /* those that follow */
static const char *self;

static void die(const char *what)
{
	fprintf(stderr, "taskbox: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void transfer(int writes, size_t bytes, size_t block)
{
	int fd = open(disk, (writes ? O_WRONLY : O_RDONLY) | O_DIRECT | O_CLOEXEC);
	void *buf;

	if (fd < 0)
		die(disk);
	if (posix_memalign(&buf, 4096, block))
		die("memory");
	memset(buf, 0, block);
	for (size_t done = 0; done < bytes; done += block) {
		off_t at = (off_t)(done % (8 * MIB));
		ssize_t n = writes ? pwrite(fd, buf, block, at) : pread(fd, buf, block, at);

		if (n != (ssize_t)block)
			die(writes ? "write" : "read");
	}
	free(buf);
	close(fd);
}

static void *reader(void *arg)
{
	transfer(0, (size_t)(long)arg * MIB, MIB);
	return NULL;
}

static void threads(long k, long mib)
{
	pthread_t t;

	while (k--) {
		if (pthread_create(&t, NULL, reader, (void *)mib))
			die("thread");
		pthread_join(t, NULL);
	}
}

static void children(long k, long kib)
{
	int status;

	while (k--) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			transfer(0, (size_t)kib << 10, (size_t)kib << 10);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			die("child");
	}
}

static atomic_long asleep; /* those of the crowd that have nothing left to do */

static int sleeper(void *arg)
{
	(void)arg;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	atomic_fetch_add(&asleep, 1);
	while (pause())
		;
	return 0;
}

static pid_t *sleepers;
static long n_sleepers;

static void crowd(long k)
{
	char *stacks = mmap(NULL, (size_t)k * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (stacks == MAP_FAILED)
		die("stacks");
	sleepers = calloc((size_t)k, sizeof(*sleepers));
	if (!sleepers)
		die("memory");
	for (n_sleepers = 0; n_sleepers < k; n_sleepers++) {
		sleepers[n_sleepers] = clone(sleeper, stacks + (n_sleepers + 1) * STACK,
					     CLONE_VM | CLONE_FS | CLONE_FILES, NULL);
		if (sleepers[n_sleepers] < 0)
			die("clone");
	}
	while (atomic_load(&asleep) < n_sleepers)
		usleep(1000);
}

static void disperse(void)
{
	const struct timespec pause = {.tv_nsec = 250 * 1000 * 1000};

	for (long i = 0; i < n_sleepers; i++) {
		if (i % 500 == 499)
			nanosleep(&pause, NULL);
		kill(sleepers[i], SIGKILL);
		waitpid(sleepers[i], NULL, __WALL);
	}
}

/* They have what they need: nothing is executed, read or allocated, for which one might wait for another. */
static void spin(long k)
{
	struct sched_param none = {0};
	pid_t parent = getpid();

	while (k--) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		sched_setscheduler(0, SCHED_IDLE, &none);
		for (;;)
			;
	}
}

static void *exec_rest(void *arg)
{
	(void)arg;
	execv(self, words);
	die("exec");
	return NULL;
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

static void burn(long ms)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}

static void word(char *w)
{
	char *value = strchr(w, '='), *second = value ? strchr(value, ',') : NULL, byte;
	long n = value ? atol(value + 1) : 0, m = second ? atol(second + 1) : 0;
	struct sched_param first = {.sched_priority = 1};
	pthread_t t;

	if (!strncmp(w, "name=", 5)) {
		prctl(PR_SET_NAME, value + 1);
	} else if (!strncmp(w, "only=", 5)) {
		if (n != getpid())
			_exit(0);
	} else if (!strncmp(w, "disk=", 5)) {
		disk = value + 1;
	} else if (!strncmp(w, "read=", 5) || !strncmp(w, "write=", 6)) {
		transfer(*w == 'w', (size_t)n * MIB, MIB);
	} else if (!strncmp(w, "burn=", 5)) {
		burn(n);
	} else if (!strcmp(w, "fifo")) {
		if (sched_setscheduler(0, SCHED_FIFO, &first))
			die("SCHED_FIFO");
	} else if (!strncmp(w, "threads=", 8)) {
		threads(n, m);
	} else if (!strncmp(w, "children=", 9)) {
		children(n, m);
	} else if (!strncmp(w, "cgroup=", 7)) {
		enter(value + 1);
	} else if (!strncmp(w, "crowd=", 6)) {
		crowd(n);
	} else if (!strncmp(w, "spin=", 5)) {
		spin(n);
	} else if (!strcmp(w, "exec")) {
		if (pthread_create(&t, NULL, exec_rest, NULL))
			die("thread");
		for (;;)
			pause();
	} else if (!strcmp(w, "ready")) {
		printf("ready %d\n", (int)getpid());
		fflush(stdout);
	} else if (!strcmp(w, "wait")) {
		while (read(0, &byte, 1) > 0)
			;
	} else {
		errno = EINVAL;
		die(w);
	}
}

int main(int argc, char **argv)
{
	self = argv[0];
	for (int i = 1; i < argc; i++) {
		words = argv + i; /* its first is what exec() takes as the name */
		word(argv[i]);
	}
	disperse();
	return 0;
}
