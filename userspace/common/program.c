// SPDX-License-Identifier: BSD-2-Clause
/* program.h: two pipes, a process group, and a clock. */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

extern char **environ;

struct running {
	pid_t pid;
	int to, from; /* its input and output; -1: closed */
	int64_t until_ns;
	const char *in;
	size_t n_in, written;
	char *out;
	size_t n_out, cap;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ns_of_timespec(t);
}

const char *program_check(const char *path, char why[PROGRAM_WHY_LEN])
{
	struct stat st;

	if (stat(path, &st))
		snprintf(why, PROGRAM_WHY_LEN, "%s", strerror(errno));
	else if (!S_ISREG(st.st_mode))
		snprintf(why, PROGRAM_WHY_LEN, "it is no file");
	else if (access(path, X_OK))
		snprintf(why, PROGRAM_WHY_LEN, "it is not executable");
	else
		return NULL;
	return why;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int spawn(struct running *r, const char *path, char *const *argv, int in, int out)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int err = posix_spawn_file_actions_init(&files);

	if (err)
		return -err;
	err = posix_spawnattr_init(&attr);
	if (err) {
		posix_spawn_file_actions_destroy(&files);
		return -err;
	}
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	err = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	if (!err)
		err = posix_spawn(&r->pid, path, &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -err;
}

/* It has no input yet; what it asked for before is little. */
static void bound(pid_t pid, const struct program_bounds *b)
{
	const struct {
		__rlimit_resource_t of;
		rlim_t most;
	} limits[] = {{RLIMIT_AS, b->memory_bytes},
		      {RLIMIT_CPU, b->seconds},
		      {RLIMIT_CORE, 0},
		      {RLIMIT_FSIZE, b->out_bytes}};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		prlimit(pid, limits[i].of, &(struct rlimit){limits[i].most, limits[i].most}, NULL);
}

static int begin(struct running *r, const char *path, char *const *arguments,
		 const struct program_bounds *b)
{
	char *const alone[] = {(char *)path, NULL};
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err = 0;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		err = -errno;
	if (!err)
		err = spawn(r, path, arguments ? arguments : alone, in[0], out[1]);
	close_one(&in[0]);
	close_one(&out[1]);
	if (err) {
		close_one(&in[1]);
		close_one(&out[0]);
		return err;
	}
	bound(r->pid, b);
	r->to = in[1];
	r->from = out[0];
	fcntl(r->to, F_SETFL, O_NONBLOCK);
	fcntl(r->from, F_SETFL, O_NONBLOCK);
	return 0;
}

/* ---- while it runs -------------------------------------------------------------------------------------- */

/* A program need not read what it does not want. */
static void write_some(struct running *r)
{
	ssize_t n = write(r->to, r->in + r->written, r->n_in - r->written);

	if (n > 0)
		r->written += (size_t)n;
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || r->written == r->n_in)
		close_one(&r->to);
}

static int read_some(struct running *r, size_t most)
{
	ssize_t n;

	if (r->cap - r->n_out < 4096) {
		size_t cap = r->cap ? 2 * r->cap : 16384;
		char *more = realloc(r->out, cap + 1);

		if (!more)
			return -ENOMEM;
		r->out = more;
		r->cap = cap;
	}
	n = read(r->from, r->out + r->n_out, r->cap - r->n_out);
	if (n > 0)
		r->n_out += (size_t)n;
	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_one(&r->from);
	return r->n_out > most ? -E2BIG : 0;
}

/* Until it closes its output. */
static int talk(struct running *r, const struct program_bounds *b)
{
	int err = 0;

	if (!r->n_in)
		close_one(&r->to);
	while (r->from >= 0 && !err) {
		struct pollfd fds[] = {{r->from, POLLIN, 0}, {r->to, POLLOUT, 0}};
		int64_t left = r->until_ns - now_ns();

		if (left <= 0)
			return -ETIMEDOUT;
		poll(fds, 2, (int)(left / NS_PER_MS) + 1);
		if (fds[1].revents)
			write_some(r);
		if (fds[0].revents)
			err = read_some(r, b->out_bytes);
	}
	return err;
}

/* Its status; -ETIMEDOUT: it goes on without its output. */
static int wait_for(const struct running *r, int *status)
{
	for (;;) {
		pid_t pid = waitpid(r->pid, status, WNOHANG);

		if (pid == r->pid)
			return 0;
		if (pid < 0 && errno != EINTR)
			return -errno;
		if (now_ns() >= r->until_ns)
			return -ETIMEDOUT;
		poll(NULL, 0, 2);
	}
}

static int ended(int status, char why[PROGRAM_WHY_LEN])
{
	if (WIFSIGNALED(status))
		snprintf(why, PROGRAM_WHY_LEN, "was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		snprintf(why, PROGRAM_WHY_LEN, "ended with status %d", WEXITSTATUS(status));
	else
		return 0;
	return -ECHILD;
}

static int run(struct running *r, const struct program_bounds *b, char why[PROGRAM_WHY_LEN])
{
	int err = talk(r, b), status = 0;
	bool gone = false;

	close_one(&r->to);
	if (!err) {
		err = wait_for(r, &status);
		gone = !err;
	}
	/* also what it began and left behind */
	kill(-r->pid, SIGKILL);
	if (!gone)
		waitpid(r->pid, NULL, 0);
	close_one(&r->from);
	if (!err)
		return ended(status, why);
	if (err == -ETIMEDOUT)
		snprintf(why, PROGRAM_WHY_LEN, "ran for %u s and was killed", b->seconds);
	else if (err == -E2BIG)
		snprintf(why, PROGRAM_WHY_LEN, "said more than %zu bytes and was killed",
			 b->out_bytes);
	else
		snprintf(why, PROGRAM_WHY_LEN, "cannot be heard: %s", strerror(-err));
	return err;
}

int program_run(const char *path, char *const *arguments, const struct program_bounds *bounds,
		const char *in, size_t n_in, char **out, size_t *n_out, char why[PROGRAM_WHY_LEN])
{
	struct running r = {.to = -1, .from = -1, .in = in, .n_in = n_in};
	struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
	int err;

	*out = NULL;
	r.until_ns = now_ns() + bounds->seconds * NS_PER_S;
	err = begin(&r, path, arguments, bounds);
	if (err) {
		snprintf(why, PROGRAM_WHY_LEN, "cannot be run: %s", strerror(-err));
		return err;
	}
	sigaction(SIGPIPE, &ignored, &before);
	err = run(&r, bounds, why);
	sigaction(SIGPIPE, &before, NULL);
	if (err || !r.n_out) {
		free(r.out);
		return err ? err : (snprintf(why, PROGRAM_WHY_LEN, "said nothing"), -ENODATA);
	}
	r.out[r.n_out] = 0;
	*out = r.out;
	*n_out = r.n_out;
	return 0;
}
