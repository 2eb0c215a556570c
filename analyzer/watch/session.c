// SPDX-License-Identifier: BSD-2-Clause
/* session.h: the loop, once a second. */
#include "session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plain.h"
#include "../output.h"

#define NS	   1000000000LL
#define SAVE_EVERY (600 * NS)

struct session {
	const struct session_opts *o;
	struct watch *watch;
	bool view;
	int64_t saved_ns;  /* CLOCK_MONOTONIC */
	char trouble[400]; /* as it was told last */
};

static volatile sig_atomic_t stopped;

static void on_stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static int64_t now_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

/* ---- what is shown ----------------------------------------------------------------------------------*/

static int on_change(void *arg, const struct account *a, const struct change *c)
{
	struct session *s = arg;

	return plain_line(a, c, s->o->json);
}

/* Once, until there is another or none. */
static void tell_trouble(struct session *s)
{
	const char *trouble = follow_trouble(s->watch->follow);

	trouble = trouble ? trouble : "";
	if (*trouble && strcmp(trouble, s->trouble) != 0)
		warn("%s", trouble);
	snprintf(s->trouble, sizeof(s->trouble), "%s", trouble);
}

/* ---- the loop ---------------------------------------------------------------------------------------*/

/* What cannot be written now may be the next time: watching goes on. */
static void save_sometimes(struct session *s)
{
	int64_t now = now_of(CLOCK_MONOTONIC);

	if (!s->saved_ns)
		s->saved_ns = now;
	if (now - s->saved_ns < SAVE_EVERY)
		return;
	s->saved_ns = now;
	watch_save(s->watch);
}

/* 0, or a negative errno: -EIO and what on_change() returned without a message. */
static int step(struct session *s, int64_t now_ns)
{
	ssize_t n = watch_step(s->watch, now_ns);

	if (n < 0)
		return (int)n;
	tell_trouble(s);
	save_sometimes(s);
	return 0;
}

static void wait_for_more(const sigset_t *unblocked)
{
	int64_t left = NS - now_of(CLOCK_REALTIME) % NS;
	struct timespec t = {.tv_sec = 0, .tv_nsec = left < NS ? left : NS - 1};

	ppoll(NULL, 0, &t, unblocked);
}

static int run_once(struct session *s)
{
	int64_t now = now_of(CLOCK_REALTIME), end = watch_end(s->watch);

	int err = step(s, end != INT64_MIN && end < now ? end : now);

	return err == -ECANCELED ? 0 : err;
}

/* Signals are blocked from the look at the flag until we wait. */
static int loop(struct session *s, const sigset_t *blocked, const sigset_t *unblocked)
{
	int err = 0;

	while (!stopped && !err) {
		sigprocmask(SIG_SETMASK, unblocked, NULL);
		err = step(s, now_of(CLOCK_REALTIME));
		sigprocmask(SIG_SETMASK, blocked, NULL);
		if (!err && !stopped)
			wait_for_more(unblocked);
	}
	return err == -ECANCELED ? 0 : err;
}

static void take_signals(sigset_t *blocked, sigset_t *unblocked)
{
	static const int stop[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction act = {.sa_handler = on_stop};

	sigemptyset(blocked);
	for (size_t i = 0; i < sizeof(stop) / sizeof(*stop); i++) {
		sigaddset(blocked, stop[i]);
		sigaction(stop[i], &act, NULL);
	}
	sigprocmask(SIG_SETMASK, NULL, unblocked);
	for (size_t i = 0; i < sizeof(stop) / sizeof(*stop); i++)
		sigdelset(unblocked, stop[i]);
}

/* A folder may be empty still, but one that is not there is misspelt. */
static int check_paths(char *const *paths, size_t n)
{
	struct stat st;

	for (size_t i = 0; i < n; i++)
		if (stat(paths[i], &st))
			return fail("cannot read '%s': %s", paths[i], strerror(errno));
	return 0;
}

int session_run(const struct session_opts *o, char *const *paths, size_t n_paths)
{
	struct session s = {.o = o};
	sigset_t blocked, unblocked;
	int err, status = EXIT_FAILED;

	if (check_paths(paths, n_paths) || watch_new(&s.watch, &o->watch, paths, n_paths))
		return EXIT_FAILED;
	s.watch->on_change = on_change;
	s.watch->arg = &s;
	s.watch->stop = &stopped;
	take_signals(&blocked, &unblocked);
	err = o->watch.once ? run_once(&s) : loop(&s, &blocked, &unblocked);
	if (!watch_save(s.watch) && !err)
		status = EXIT_DONE;
	watch_free(s.watch);
	return status;
}
