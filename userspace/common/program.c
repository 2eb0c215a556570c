// SPDX-License-Identifier: BSD-2-Clause
/* program.h: a spawn with pipes, a process group, and a clock. */
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
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

extern char **environ;

struct talk {
	struct program p;
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

const char *program_find(const char *name, char path[PROGRAM_PATH_LEN])
{
	const char *at = getenv("PATH") ?: "/usr/sbin:/usr/bin:/sbin:/bin";

	while (*at) {
		size_t n = strcspn(at, ":");
		char why[PROGRAM_WHY_LEN];
		int len = snprintf(path, PROGRAM_PATH_LEN, "%.*s/%s", (int)n, at, name);

		if (n && len > 0 && len < PROGRAM_PATH_LEN && !program_check(path, why))
			return path;
		at += n + (at[n] == ':');
	}
	return NULL;
}

/* A file without a name that has these bytes, to be read from its begin. */
static int file_of(const char *said)
{
	size_t len = strlen(said);
	int fd = memfd_create("limpet", MFD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	if (write(fd, said, len) == (ssize_t)len && !lseek(fd, 0, SEEK_SET))
		return fd;
	err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- from begin to end ---------------------------------------------------------------------------------- */

static size_t name_len(const char *variable)
{
	return strcspn(variable, "=");
}

static bool is_among(const char *variable, char *const *all)
{
	size_t len = name_len(variable);

	while (*all && (strncmp(*all, variable, len) != 0 || len != name_len(*all)))
		all++;
	return *all;
}

/* Ours, with the given ones in place of what had their names; NULL: out of memory. */
static char **environment(char *const *own)
{
	size_t n = 0, n_own = 0, used = 0;
	char **all;

	while (environ && environ[n])
		n++;
	while (own[n_own])
		n_own++;
	all = malloc((n + n_own + 1) * sizeof(*all));
	if (!all)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!is_among(environ[i], own))
			all[used++] = environ[i];
	for (size_t k = 0; k < n_own; k++)
		if (own[k][name_len(own[k])])
			all[used++] = own[k];
	all[used] = NULL;
	return all;
}

/* in, out: its ends of the pipes, or -1. */
static int set_files(posix_spawn_file_actions_t *files, int in, int out, bool quiet)
{
	int err = in >= 0 ? posix_spawn_file_actions_adddup2(files, in, 0)
			  : posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);

	if (!err && quiet)
		err = posix_spawn_file_actions_addopen(files, 2, "/dev/null", O_WRONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(files, out >= 0 ? out : 2, 1);
	return err ? err : posix_spawn_file_actions_addclosefrom_np(files, 3);
}

static int spawn(struct program *p, const struct program_how *how, int in, int out)
{
	char *const alone[] = {(char *)how->path, NULL}, **env;
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
	env = how->environment ? environment(how->environment) : environ;
	err = how->environment && !env ? ENOMEM : set_files(&files, in, out, how->quiet);
	if (!err)
		err = (how->search ? posix_spawnp
				   : posix_spawn)(&p->pid, how->path, &files, &attr,
						  how->arguments ? how->arguments : alone, env);
	if (how->environment)
		free(env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -err;
}

int program_start(struct program *p, const struct program_how *how)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err = 0;

	*p = (struct program){.to = -1, .from = -1, .seconds = how->seconds, .status = -1};
	p->until_ns = how->seconds ? how->now_ns + how->seconds * NS_PER_S : INT64_MAX;
	if (how->said && !how->to && (in[0] = file_of(how->said)) < 0)
		err = in[0];
	if (!err && ((how->to && pipe2(in, O_CLOEXEC)) || (how->from && pipe2(out, O_CLOEXEC))))
		err = -errno;
	if (!err)
		err = spawn(p, how, in[0], out[1]);
	close_one(&in[0]);
	close_one(&out[1]);
	if (err) {
		close_one(&in[1]);
		close_one(&out[0]);
		p->pid = 0;
		return err;
	}
	p->to = in[1];
	p->from = out[0];
	return 0;
}

void program_kill(struct program *p)
{
	if (p->pid <= 0) /* it has ended; 0 were our own group */
		return;
	p->killed = true;
	kill(-p->pid, SIGKILL);
}

static void say_killed(const struct program *p, char why[PROGRAM_WHY_LEN])
{
	snprintf(why, PROGRAM_WHY_LEN, "ran for %u s and was killed", p->seconds);
}

static int ended(struct program *p, int options, char why[PROGRAM_WHY_LEN])
{
	int status = 0;
	pid_t pid;

	if (p->pid <= 0) {
		snprintf(why, PROGRAM_WHY_LEN, "does not run");
		return -ESRCH;
	}
	do
		pid = waitpid(p->pid, &status, options);
	while (pid < 0 && errno == EINTR);
	if (!pid)
		return -EAGAIN;
	p->pid = 0;
	if (pid < 0) {
		snprintf(why, PROGRAM_WHY_LEN, "cannot be heard: %s", strerror(errno));
		return -ESRCH;
	}
	p->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (!p->status)
		return 0;
	if (p->killed)
		say_killed(p, why);
	else if (p->status < 0)
		snprintf(why, PROGRAM_WHY_LEN, "was ended by signal %d", WTERMSIG(status));
	else
		snprintf(why, PROGRAM_WHY_LEN, "ended with status %d", p->status);
	return p->killed ? -ETIMEDOUT : -ECHILD;
}

int program_poll(struct program *p, int64_t now_ns, char why[PROGRAM_WHY_LEN])
{
	int err = ended(p, WNOHANG, why);

	if (err == -EAGAIN && !p->killed && now_ns >= p->until_ns)
		program_kill(p);
	return err;
}

int program_wait(struct program *p, char why[PROGRAM_WHY_LEN])
{
	return ended(p, 0, why);
}

/* ---- as a function -------------------------------------------------------------------------------------- */

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

/* A program need not read what it does not want. */
static void write_some(struct talk *t)
{
	ssize_t n = write(t->p.to, t->in + t->written, t->n_in - t->written);

	if (n > 0)
		t->written += (size_t)n;
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || t->written == t->n_in)
		close_one(&t->p.to);
}

static int read_some(struct talk *t, size_t most)
{
	ssize_t n;

	if (t->cap - t->n_out < 4096) {
		size_t cap = t->cap ? 2 * t->cap : 16384;
		char *more = realloc(t->out, cap + 1);

		if (!more)
			return -ENOMEM;
		t->out = more;
		t->cap = cap;
	}
	n = read(t->p.from, t->out + t->n_out, t->cap - t->n_out);
	if (n > 0)
		t->n_out += (size_t)n;
	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_one(&t->p.from);
	return t->n_out > most ? -E2BIG : 0;
}

/* Until it closes its output. */
static int talk(struct talk *t, const struct program_bounds *b)
{
	int err = 0;

	if (!t->n_in)
		close_one(&t->p.to);
	while (t->p.from >= 0 && !err) {
		struct pollfd fds[] = {{t->p.from, POLLIN, 0}, {t->p.to, POLLOUT, 0}};
		int64_t left = t->p.until_ns - now_ns();

		if (left <= 0)
			return -ETIMEDOUT;
		poll(fds, 2, (int)(left / NS_PER_MS) + 1);
		if (fds[1].revents)
			write_some(t);
		if (fds[0].revents)
			err = read_some(t, b->out_bytes);
	}
	return err;
}

static int talk_until_end(struct talk *t, const struct program_bounds *b, char why[PROGRAM_WHY_LEN])
{
	pid_t group = t->p.pid;
	int err = talk(t, b), end;

	close_one(&t->p.to);
	if (err)
		program_kill(&t->p);
	while ((end = program_poll(&t->p, now_ns(), why)) == -EAGAIN)
		poll(NULL, 0, 2);
	/* also what it began and left behind */
	kill(-group, SIGKILL);
	close_one(&t->p.from);
	if (!err)
		return end;
	if (err == -ETIMEDOUT)
		say_killed(&t->p, why);
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
	struct program_how how = {.path = path,
				  .arguments = arguments,
				  .to = true,
				  .from = true,
				  .seconds = bounds->seconds,
				  .now_ns = now_ns()};
	struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
	struct talk t = {.in = in, .n_in = n_in};
	int err = program_start(&t.p, &how);

	*out = NULL;
	if (err) {
		snprintf(why, PROGRAM_WHY_LEN, "cannot be run: %s", strerror(-err));
		return err;
	}
	bound(t.p.pid, bounds);
	fcntl(t.p.to, F_SETFL, O_NONBLOCK);
	fcntl(t.p.from, F_SETFL, O_NONBLOCK);
	sigaction(SIGPIPE, &ignored, &before);
	err = talk_until_end(&t, bounds, why);
	sigaction(SIGPIPE, &before, NULL);
	if (err || !t.n_out) {
		free(t.out);
		return err ? err : (snprintf(why, PROGRAM_WHY_LEN, "said nothing"), -ENODATA);
	}
	t.out[t.n_out] = 0;
	*out = t.out;
	*n_out = t.n_out;
	return 0;
}
