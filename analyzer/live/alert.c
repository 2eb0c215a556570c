// SPDX-License-Identifier: BSD-2-Clause
/* alert.h: programs run, waited for without waiting, and killed when they hang. */
#include "alert.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/output/verdict_print.h"
#include "userspace/common/output.h"
#include "userspace/common/options.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"

#define NEVER	  INT64_MIN
#define JSON_MAX  (96 << 10) /* the kernel takes 128 KiB in one variable */
#define LIMIT_NS  (ALERT_LIMIT_S * NS_PER_S)
#define MINUTE_NS (60 * NS_PER_S)

/* One server: what is so, and what the program was told last. */
struct about {
	bool silence; /* it is about that */
	bool open, told_open;
	const char *cause, *told_cause; /* words of a table; NULL: none */
	const char *status;		/* of the server, likewise */
	char server[HOST_LEN], since[TIME_TEXT_LEN];
	char detail[CHANGE_TEXT_LEN];
	char *json;
	int64_t told_ns;
};

struct child {
	pid_t pid; /* 0: none */
	int64_t started_ns;
	bool killed;
};

struct alert {
	char *path;
	int64_t interval_ns;
	bool quiet, complained;
	struct about *about;
	size_t n;
	struct child children[ALERTS_RUNNING];
	int64_t lately[ALERTS_MINUTE]; /* when the last ones were run, round and round */
	size_t next;
	struct alert_counts counts;
	bool judged; /* somebody was, once */
};

struct alert *alert_new(const char *path, unsigned int interval_s, bool quiet)
{
	struct alert *a = calloc(1, sizeof(*a));
	struct stat st;

	if (!a || !(a->path = strdup(path))) {
		fail("out of memory");
		free(a);
		return NULL;
	}
	if (stat(path, &st) || access(path, X_OK) || !S_ISREG(st.st_mode)) {
		fail("cannot run '%s': %s", path,
		     stat(path, &st)	    ? strerror(errno)
		     : !S_ISREG(st.st_mode) ? "it is no file"
					    : "it is not executable");
		alert_free(a);
		return NULL;
	}
	a->interval_ns = interval_s * NS_PER_S;
	a->quiet = quiet;
	for (size_t i = 0; i < ALERTS_MINUTE; i++)
		a->lately[i] = NEVER;
	return a;
}

void alert_free(struct alert *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		free(a->about[i].json);
	free(a->about);
	free(a->path);
	free(a);
}

struct alert_counts alert_count(const struct alert *a)
{
	struct alert_counts c = a->counts;

	for (size_t i = 0; i < ALERTS_RUNNING; i++)
		c.running += a->children[i].pid > 0;
	for (size_t i = 0; i < a->n; i++)
		c.waiting += a->about[i].open != a->about[i].told_open;
	return c;
}

/* ---- what is so -------------------------------------------------------------------------------------*/

/* What alerts are about: whether any server can be judged (it has no name); of each server whether it limps, and whether
 * it is silent. Servers are known by their names: their numbers change when others come. */
static struct about *about_of(struct alert *a, const struct change *c)
{
	bool silence = c->kind == CHANGE_SILENT || c->kind == CHANGE_REPORTING;
	struct about *new;

	for (size_t i = 0; i < a->n; i++)
		if (a->about[i].silence == silence && !strcmp(a->about[i].server, c->server))
			return &a->about[i];
	new = array_add(&a->about, &a->n);
	if (!new)
		return NULL;
	*new = (struct about){.silence = silence, .told_ns = NEVER};
	snprintf(new->server, sizeof(new->server), "%s", c->server);
	return new;
}

static bool is_open(struct alert *a, const struct change *c)
{
	a->judged |= c->kind == CHANGE_JUDGING;
	/* at first there is never enough to judge by */
	if (c->kind == CHANGE_CANNOT)
		return a->judged;
	return c->kind != CHANGE_OVER && c->kind != CHANGE_REPORTING && c->kind != CHANGE_JUDGING;
}

int alert_change(struct alert *a, const struct verdict *now, const struct change *c)
{
	struct about *about;

	if (!change_alerts[c->kind])
		return 0;
	about = about_of(a, c);
	if (!about)
		return -ENOMEM;
	about->open = is_open(a, c);
	about->status = *c->server ? status_table[c->status].word : "";
	snprintf(about->detail, sizeof(about->detail), "%s", c->text);
	/* words of tables, which stay */
	if (!*c->server)
		about->cause = change_words[CHANGE_CANNOT];
	else if (*c->cause)
		about->cause = c->cause;
	free(about->json);
	about->json = NULL;
	if (c->incidents < 0) {
		if (about->open)
			output_time(c->at_ns, about->since);
		return 0;
	}
	output_time(now->incidents[c->incidents].onset_ns, about->since);
	about->json = verdict_incident_json(now, (size_t)c->incidents);
	return about->json ? 0 : -ENOMEM;
}

static bool due(const struct about *about)
{
	return about->open != about->told_open ||
	       (about->open && strcmp(about->cause ?: "", about->told_cause ?: "") != 0);
}

/* ---- running ----------------------------------------------------------------------------------------*/

/* All failures after the first are in the counts only: a program that is gone would fill the log. */
static void complain(struct alert *a, const char *why)
{
	a->counts.failed++;
	if (!a->complained)
		warn("cannot alert: '%s' %s (said once)", a->path, why);
	a->complained = true;
}

enum { OWN_VARIABLES = 7 };

/* The environment with ours in place of what had their names; NULL: out of memory. */
static char **environment(char *const own[OWN_VARIABLES])
{
	size_t n = 0, used = 0;
	char **all;

	while (environ && environ[n])
		n++;
	all = malloc((n + OWN_VARIABLES + 1) * sizeof(*all));
	if (!all)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < OWN_VARIABLES &&
		       strncmp(environ[i], own[k], strcspn(own[k], "=") + 1) != 0)
			k++;
		if (k == OWN_VARIABLES)
			all[used++] = environ[i];
	}
	for (size_t k = 0; k < OWN_VARIABLES; k++)
		all[used++] = own[k];
	all[used] = NULL;
	return all;
}

static int spawn(const struct alert *a, char *const *argv, char *const *env, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int err = posix_spawn_file_actions_init(&files);

	if (err)
		return err;
	err = posix_spawnattr_init(&attr);
	if (err) {
		posix_spawn_file_actions_destroy(&files);
		return err;
	}
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	err = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	if (!err && a->quiet)
		err = posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&files, 2, 1);
	if (!err)
		err = posix_spawn_file_actions_addclosefrom_np(&files, 3);
	if (!err)
		err = posix_spawn(pid, a->path, &files, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return err;
}

static int run(struct alert *a, const struct about *about, pid_t *pid)
{
	const char *word = about->open ? "opened" : "over", *cause = about->cause ?: "",
		   *json = about->json && strlen(about->json) < JSON_MAX ? about->json : "";
	char *argv[] = {a->path, (char *)word, (char *)about->server, (char *)cause, NULL};
	const struct {
		const char *name, *value;
	} set[OWN_VARIABLES] = {{"CHANGE", word},
				{"SERVER", about->server},
				{"CAUSE", cause},
				{"DETAIL", about->detail},
				{"SINCE", about->since},
				{"JSON", json},
				{"STATUS", about->status ?: ""}};
	char *own[OWN_VARIABLES] = {0}, **env = NULL;
	int err = 0;

	for (size_t i = 0; i < OWN_VARIABLES && !err; i++)
		if (asprintf(&own[i], "LIMPET_%s=%s", set[i].name, set[i].value) < 0) {
			own[i] = NULL;
			err = ENOMEM;
		}
	env = err ? NULL : environment(own);
	err = env ? spawn(a, argv, env, pid) : ENOMEM;
	free(env);
	for (size_t i = 0; i < OWN_VARIABLES; i++)
		free(own[i]);
	return err;
}

static void reap(struct alert *a, struct child *c, int64_t now_ns)
{
	int status = 0;
	pid_t pid = waitpid(c->pid, &status, WNOHANG);
	char why[64];

	if (pid == c->pid || (pid < 0 && errno == ECHILD)) {
		if (WIFEXITED(status) && WEXITSTATUS(status))
			snprintf(why, sizeof(why), "ended with status %d", WEXITSTATUS(status));
		else
			snprintf(why, sizeof(why), "was ended by signal %d", WTERMSIG(status));
		if (pid == c->pid && status)
			complain(a, c->killed ? "ran for a minute and was killed" : why);
		c->pid = 0;
		return;
	}
	if (c->killed || now_ns - c->started_ns < LIMIT_NS)
		return;
	c->killed = true;
	a->counts.killed++;
	kill(-c->pid, SIGKILL);
}

static struct child *free_child(struct alert *a)
{
	for (size_t i = 0; i < ALERTS_RUNNING; i++)
		if (!a->children[i].pid)
			return &a->children[i];
	return NULL;
}

static void start(struct alert *a, struct about *about, struct child *c, int64_t now_ns)
{
	int err = run(a, about, &c->pid);

	/* Also after a failure: it is not tried each second. */
	about->told_open = about->open;
	about->told_cause = about->cause;
	about->told_ns = now_ns;
	a->lately[a->next] = now_ns;
	a->next = (a->next + 1) % ALERTS_MINUTE;
	c->started_ns = now_ns;
	c->killed = false;
	if (!err) {
		a->counts.run++;
		return;
	}
	c->pid = 0;
	complain(a, strerror(err));
}

void alert_tick(struct alert *a, int64_t now_ns)
{
	for (size_t i = 0; i < ALERTS_RUNNING; i++)
		if (a->children[i].pid)
			reap(a, &a->children[i], now_ns);
	for (size_t i = 0; i < a->n; i++) {
		struct about *about = &a->about[i];
		struct child *c = free_child(a);
		int64_t oldest = a->lately[a->next];

		if (!due(about) ||
		    (about->told_ns != NEVER && now_ns - about->told_ns < a->interval_ns))
			continue;
		if (!c || (oldest != NEVER && now_ns - oldest < MINUTE_NS))
			return;
		start(a, about, c, now_ns);
	}
}
