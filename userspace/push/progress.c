// SPDX-License-Identifier: BSD-2-Clause
/* `limpet-push progress`: asks masters of jobs how far their tasks are, every few seconds, and appends what is new to a log. */
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "push_commands.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_bounded.h"
#include "userspace/common/notify.h"
#include "userspace/common/options_file.h"
#include "userspace/common/output.h"

static const struct master *const masters[] = {&master_yarn, &master_spark};

enum {
	MASTERS = sizeof(masters) / sizeof(*masters),
	ANSWER_MAX = 32 << 20, /* bytes */
	TOLD_MOST = 1 << 20,   /* tasks of the jobs that run */
	ASK_LIMIT_S = 20,      /* of a request */
	SLICE_MS = 500,
	FILE_MOST = 256 << 20, /* bytes of the log; then it is renamed to FILE.1 */
};

/* ---- what is asked --------------------------------------------------------------------------------------- */

json_t *progress_get(struct progress *p, const char *path, long *status, char why[WHY_LEN])
{
	char url[1200], bad[JSON_WHY_LEN];
	json_t *answer = NULL;
	int fd, err = 0;

	*status = 0;
	snprintf(url, sizeof(url), "%s%s", p->url, path);
	fd = fetch_get(p->fetch, url, ANSWER_MAX, status, why);
	if (fd < 0)
		return NULL;
	if (*status == 200)
		answer = json_bounded_read_lax(fd, ANSWER_MAX, &err, bad);
	if (!answer)
		snprintf(why, WHY_LEN, "'%.80s' answers with status %ld%s%.100s", path, *status,
			 *status == 200 ? ", and " : "", *status == 200 ? bad : "");
	close(fd);
	return answer;
}

const char *progress_text(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

long long progress_number(const json_t *o, const char *key)
{
	double v = json_number_value(json_object_get(o, key));

	return v > 0 && v < 1e15 ? (long long)v : 0;
}

bool progress_is_id(const char *id)
{
	return id && *id && strlen(id) < 100 &&
	       !id[strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

/* ---- what is told ---------------------------------------------------------------------------------------- */

struct task_told *progress_told(const struct progress *p, const char *id)
{
	size_t at = map_find(i, &p->by_id, map_hash(id, strlen(id)), !strcmp(p->told[i].id, id));

	return at == MAP_NONE ? NULL : &p->told[at];
}

static void told_release(struct task_told *t)
{
	free(t->id);
	free(t->job);
	free(t->kind);
	free(t->server);
	free(t->container);
	free(t->cls);
	free(t->only);
}

/* Replaces it where it is said. Whether there was memory. */
static bool take(char **to, const char *from)
{
	char *copy;

	if (!from || (*to && !strcmp(*to, from)))
		return true;
	copy = strdup(from);
	if (!copy)
		return false;
	free(*to);
	*to = copy;
	return true;
}

static struct task_told *told_add(struct progress *p, const char *id)
{
	struct task_told *t = p->n_told < TOLD_MOST /* which the caller has seen to */
				      ? map_append(&p->by_id, map_hash(id, strlen(id)),
						   array_add(&p->told, &p->n_told), &p->n_told)
				      : NULL;

	if (!t)
		return NULL;
	*t = (struct task_told){.id = strdup(id), .progress = NAN};
	return t->id ? t : NULL;
}

static void put_string(json_t *to, const char *key, const char *value)
{
	if (value)
		json_object_set_new(to, key, json_string(value));
}

static int put_line(struct progress *p, const struct task_told *t, int64_t end_ms,
		    const char *outcome)
{
	json_t *line = json_object();
	char *text;

	if (!line)
		return -ENOMEM;
	json_object_set_new(line, "t", json_integer(p->now_ms));
	put_string(line, "job", t->job);
	put_string(line, "id", t->id);
	put_string(line, "kind", t->kind);
	put_string(line, "server", t->server);
	put_string(line, "class", t->cls);
	put_string(line, "container", t->container);
	json_object_set_new(line, "start", json_integer(t->start_ms));
	if (isfinite(t->progress))
		json_object_set_new(line, "progress", json_real(t->progress));
	if (outcome) {
		json_object_set_new(line, "end", json_integer(end_ms));
		put_string(line, "outcome", outcome);
	}
	text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(4));
	json_decref(line);
	if (!text)
		return -ENOMEM;
	text_put_bytes(&p->lines, text, strlen(text));
	text_put_bytes(&p->lines, "\n", 1);
	free(text);
	return 0;
}

struct task_told *progress_tell(struct progress *p, const struct task_now *now)
{
	struct task_told *t = progress_told(p, now->id);
	double progress = fmin(fmax(now->progress, 0), 1);
	bool new;

	if (!t && p->n_told >= TOLD_MOST) {
		if (!p->full)
			fail("more than %d tasks run: the others are passed over", TOLD_MOST);
		p->full = true;
		return &p->none;
	}
	t = t ?: now->job ? told_add(p, now->id) : &p->none;
	if (t == &p->none)
		return t;
	if (!t || !take(&t->job, now->job) || !take(&t->kind, now->kind) ||
	    !take(&t->server, now->server) || !take(&t->container, now->container) ||
	    !take(&t->cls, now->cls))
		return NULL;
	new = !t->seen;
	t->seen = p->looks;
	t->start_ms = now->start_ms ?: t->start_ms;
	if (!t->server || t->ended)
		return t;
	if (!new && !now->outcome &&
	    (isnan(now->progress) || fabs(progress - t->progress) < 0.0005))
		return t;
	if (!isnan(now->progress))
		t->progress = progress;
	t->ended = now->outcome;
	return put_line(p, t, now->end_ms ?: p->now_ms, now->outcome) ? NULL : t;
}

void progress_end(struct progress *p, const char *job, int64_t end_ms, const char *outcome)
{
	for (size_t i = 0; i < p->n_told; i++) {
		struct task_told *t = &p->told[i];

		if ((job && strcmp(t->job, job) != 0) || !t->server || t->ended ||
		    t->seen == p->looks)
			continue;
		t->ended = true;
		put_line(p, t, end_ms > t->start_ms ? end_ms : p->now_ms, outcome);
	}
}

void progress_forget(struct progress *p, const char *job)
{
	for (size_t i = p->n_told; i-- > 0;)
		if (job ? !strcmp(p->told[i].job, job)
			: p->told[i].ended && p->told[i].seen != p->looks) {
			told_release(&p->told[i]);
			map_remove(&p->by_id, i);
			p->told[i] = p->told[--p->n_told];
		}
}

static void progress_release(struct progress *p)
{
	for (size_t i = 0; i < p->n_told; i++)
		told_release(&p->told[i]);
	free(p->told);
	map_release(&p->by_id);
	fetch_free(p->fetch);
	text_release(&p->lines);
	text_release(&p->head);
}

/* ---- the log --------------------------------------------------------------------------------------------- */

static int open_log(const char *file, struct stat *st)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd >= 0 && fstat(fd, st))
		st->st_size = 0;
	return fd;
}

static int put(int fd, const struct text *t, size_t from)
{
	ssize_t done = 0;

	/* A whole look at once: a reader meets whole lines, but where the disk is full. */
	for (size_t at = from; at < t->len; at += (size_t)done) {
		done = write(fd, t->at + at, t->len - at);
		if (done <= 0)
			return done ? -errno : -ENOSPC;
	}
	return 0;
}

/* Name and password of a URL stand in no log, nor in the journal. */
static const char *without_password(const char *url)
{
	const char *at = strrchr(url, '@');

	return at ? at + 1 : url;
}

static int make_head(struct progress *p)
{
	json_t *line = json_pack("{s:i, s:s, s:s, s:I}", "limpet-progress", 1, "of", p->of, "from",
				 without_password(p->url), "t", (json_int_t)p->now_ms);
	char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;

	text_reset(&p->head);
	if (text)
		text_add(&p->head, "\n%s\n", text);
	free(text);
	json_decref(line);
	return p->head.len ? 0 : -ENOMEM;
}

/* A file that is new begins with the first line, by which it is known. */
static int append(struct progress *p, const char *file)
{
	char older[PATH_MAX];
	struct stat st;
	int fd = open_log(file, &st), err = 0;

	if (fd >= 0 && st.st_size > FILE_MOST) {
		close(fd);
		snprintf(older, sizeof(older), "%s.1", file);
		if (rename(file, older))
			return -errno;
		fd = open_log(file, &st);
	}
	if (fd < 0)
		return -errno;
	if (!st.st_size || p->looks == 1) {
		/* what is there may end in half a line, where the disk was full */
		err = make_head(p) ?: put(fd, &p->head, st.st_size ? 0 : 1);
	}
	err = err ?: put(fd, &p->lines, 0);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* ---- the command ----------------------------------------------------------------------------------------- */

struct progress_opts {
	const char *url[MASTERS]; /* of each kind */
	const char *output, *file;
	unsigned int every_s, looks;
};
#define AT(field) offsetof(struct progress_opts, field)
#define VARIABLE  "LIMPET_PROGRESS_OPTIONS" /* of the options' file */

const struct option_def progress_options[] = {
	{0, "yarn", OPT_STRING, AT(url[0]), "URL",
	 "of the ResourceManager, as http://rm:8088: MapReduce's tasks", 0, 0},
	{0, "spark", OPT_STRING, AT(url[1]), "URL",
	 "of an application's driver, as http://driver:4040: its tasks", 0, 0},
	{'o', "output", OPT_STRING, AT(output), "FILE", "the log that what is new is appended to",
	 0, 0},
	{0, "every", OPT_UINT, AT(every_s), "SECONDS", "ask so often (3)", 1, 3600},
	{0, "looks", OPT_UINT, AT(looks), "N", "ask so many times, and end", 1, 1e9},
	{0, "options", OPT_STRING, AT(file), "FILE", "more options are in this file", 0, 0},
	{0, NULL, OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static volatile sig_atomic_t told_to_end;

static void end_asked(int signal)
{
	(void)signal;
	told_to_end = 1;
}

/* Where nothing is new, a line says that it is so until now: tasks that stand still grow older. */
static void put_time(struct progress *p)
{
	for (size_t i = 0; i < p->n_told; i++)
		if (p->told[i].server && !p->told[i].ended) {
			text_add(&p->lines, "{\"t\":%lld}\n", (long long)p->now_ms);
			return;
		}
}

/* One look, and what it brought to the log. Says what is wrong when it begins, and that it is over. */
static int look_once(struct progress *p, const struct master *m, const char *file, bool *away)
{
	char why[WHY_LEN] = "";
	int err, wrote;

	p->looks++;
	p->now_ms = clock_ns(CLOCK_REALTIME) / 1000000;
	err = m->look(p, why);
	if (err == -ENOMEM)
		return fail("out of memory"), err;
	if (told_to_end)
		err = 0; /* it was broken off */
	if (err && !*away)
		fail("cannot ask '%s': %s (it is asked again)", without_password(p->url), why);
	if (!err && *away)
		fail("'%s' answers again", without_password(p->url));
	*away = err;
	if (!err && !p->lines.len)
		put_time(p);
	wrote = p->lines.len || p->looks == 1 ? append(p, file) : 0;
	if (wrote)
		return fail("cannot write '%s': %s", file, strerror(-wrote)), wrote;
	text_reset(&p->lines);
	return 0;
}

/* Until then, or until it is told to end. */
static void wait_until(int64_t until_ns)
{
	int64_t left;

	while (!told_to_end && (left = until_ns - clock_ns(CLOCK_MONOTONIC)) > 0)
		poll(NULL, 0, (int)(left / 1000000 < SLICE_MS ? left / 1000000 + 1 : SLICE_MS));
}

static int ask_on(struct progress *p, const struct master *m, const struct progress_opts *o)
{
	int64_t next = clock_ns(CLOCK_MONOTONIC);
	bool away = false;
	int err = 0;

	while (!told_to_end) {
		err = look_once(p, m, o->output, &away);
		if (err || (o->looks && p->looks >= o->looks))
			break;
		next += (int64_t)o->every_s * NS_PER_S;
		if (next <
		    clock_ns(CLOCK_MONOTONIC)) /* a master that takes so long gets its pause */
			next = clock_ns(CLOCK_MONOTONIC) + (int64_t)o->every_s * NS_PER_S;
		wait_until(next);
	}
	return err;
}

/* Which of the masters was named; MASTERS after a message: not one, or no log. */
static size_t chosen_master(const struct progress_opts *o)
{
	size_t kind = MASTERS, kinds = 0;

	for (size_t i = 0; i < MASTERS; i++)
		if (o->url[i]) {
			kind = i;
			kinds++;
		}
	if (kinds == 1 && o->output)
		return kind;
	if (o->file && !kinds)
		fail("no master is named: " VARIABLE
		     "=\"--yarn URL\" or \"--spark URL\" is needed in '%s'",
		     o->file);
	else
		fail("one of --yarn and --spark, and -o FILE are needed (see 'limpet-push "
		     "progress --help')");
	return MASTERS;
}

/* Until it is told to end. Returns an exit status. */
static int ask_master(const struct progress_opts *o, size_t kind)
{
	const struct sigaction end = {.sa_handler = end_asked};
	struct progress p = {.of = masters[kind]->word};
	struct notify notify;
	char why[WHY_LEN];
	char *url = strdup(o->url[kind]);
	int err;

	p.fetch =
		fetch_new(&(struct fetch_opts){.limit_s = ASK_LIMIT_S, .stop = &told_to_end}, why);
	if (!url || !p.fetch) {
		fail("cannot ask '%s': %s", without_password(o->url[kind]),
		     url ? why : "out of memory");
		fetch_free(p.fetch);
		free(url);
		return EXIT_FAILED;
	}
	while (*url && url[strlen(url) - 1] == '/')
		url[strlen(url) - 1] = 0;
	p.url = url;
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	p.now_ms = clock_ns(CLOCK_REALTIME) / 1000000;
	notify_open(&notify, 1);
	notify_ready(&notify);
	err = ask_on(&p, masters[kind], o);
	notify_stopping(&notify);
	notify_close(&notify);
	progress_release(&p);
	free(url);
	return err ? EXIT_FAILED : EXIT_DONE;
}

int cmd_progress(int argc, char **argv)
{
	static const struct command cmd = {
		"progress",
		"",
		"ask the master of jobs how far their tasks are, and append it to a log",
		progress_options,
		cmd_progress,
		NULL};
	static const struct options_file file = {AT(file), VARIABLE, false};
	struct progress_opts o = {.every_s = 3};
	struct options_read read;
	int n = options_and_file(&cmd, &o, sizeof(o), &file, argc, argv, &read), status;
	size_t kind;

	if (n > 0)
		fail("nothing but options may stand here (see 'limpet-push progress --help')");
	status = n == -ECANCELED ? EXIT_DONE : n == -EIO ? EXIT_FAILED : n ? EXIT_USAGE : EXIT_DONE;
	if (!n) {
		kind = chosen_master(&o);
		status = kind < MASTERS ? ask_master(&o, kind) : EXIT_USAGE;
	}
	options_read_release(&read);
	return status;
}
