// SPDX-License-Identifier: BSD-2-Clause
/* roster.h: the rows, what of them is written down, and programs that are asked in a thread. */
#include "roster.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/database.h"
#include "userspace/common/disk_thread.h"
#include "userspace/common/program.h"
#include "userspace/common/sort.h"

#define NAME_BYTES     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
#define QUESTION_BYTES ((size_t)64 << 20) /* of all that wait */

static const char roster_tables[] =
	"CREATE TABLE IF NOT EXISTS roster(ask TEXT NOT NULL, word TEXT NOT NULL,"
	" program INTEGER NOT NULL, after TEXT NOT NULL, started INTEGER NOT NULL,"
	" PRIMARY KEY(ask, word));";

/*
 * Who changes which rows there are, or writes to the database, holds `change`, and may be long about it. `lock` is of all fields
 * below but the database, and is held for moments: the judge takes it.
 */
struct roster {
	pthread_mutex_t change, lock;
	struct roster_entry {
		struct roster_row r;
		struct user_program program;
		uint64_t number; /* of a program: never that of another */
		bool busy;	 /* it is asked at present */
		bool no_order;	 /* of diagnosers it is none that can run */
		bool used;	 /* a look had its answer */
		bool unsaved;	 /* it was stopped, which is to be said and written down */
		unsigned int failing;
		int64_t asked_ns, answered_ns; /* CLOCK_MONOTONIC; 0: never */
		char *answer;
		size_t answer_n;
	} * at;
	size_t n;
	bool news, ends;
	uint64_t numbers;
	sqlite3 *db;
	char *programs;
	struct disk_thread *worker;
};

/* ---- rows --------------------------------------------------------------------------------------------------- */

static void entry_release(struct roster_entry *e)
{
	user_program_release(&e->program);
	free(e->answer);
}

static void entry_remove(struct roster *r, struct roster_entry *e)
{
	size_t i = (size_t)(e - r->at);

	entry_release(e);
	memmove(e, e + 1, (--r->n - i) * sizeof(*e));
}

static struct roster_entry *entry_of(struct roster *r, enum program_ask ask, const char *word)
{
	return find_if(i, r->at, r->n, r->at[i].r.ask == ask && !strcmp(r->at[i].r.word, word));
}

static struct roster_entry *entry_numbered(struct roster *r, uint64_t number)
{
	return find_if(i, r->at, r->n, r->at[i].r.program && r->at[i].number == number);
}

static int add_row(struct roster *r, const struct roster_row *row)
{
	size_t at = search_first(i, r->n, r->at[i].r.ask <= row->ask);
	struct roster_entry *e = array_insert(&r->at, &r->n, at);

	if (!e)
		return -ENOMEM;
	*e = (struct roster_entry){.r = *row, .number = row->program ? ++r->numbers : 0};
	e->r.took_s = NAN;
	return 0;
}

static int add_own(struct roster *r, enum program_ask ask, const char *word, const char *what,
		   const char *after, bool running)
{
	struct roster_row row = {.ask = ask, .running = running, .started = true};

	snprintf(row.word, sizeof(row.word), "%s", word);
	snprintf(row.what, sizeof(row.what), "%s", what);
	snprintf(row.after, sizeof(row.after), "%s", after ?: "");
	return add_row(r, &row);
}

static int add_tables(struct roster *r)
{
	int err = 0;

	for (const struct symptom *s = symptoms; s->word && !err; s++)
		err = add_own(r, ASK_SYMPTOM, s->word, s->what, NULL, s->running);
	for (const struct diagnoser *d = diagnosers; d->word && !err; d++)
		err = add_own(r, ASK_DIAGNOSER, d->word, d->what, d->after, true);
	for (const struct decision *d = decisions; d->word && !err; d++)
		err = add_own(r, ASK_DECISION, d->word, d->what, NULL, true);
	return err;
}

/* ---- programs ------------------------------------------------------------------------------------------------ */

/* The program of a file of the folder. 0, -ENOMEM, or -EINVAL with the sentence. */
static int find_program(const struct roster *r, const char *name, const char *after,
			struct user_program *p, char why[WHY_LEN])
{
	char bad[PROGRAM_WHY_LEN];

	*p = (struct user_program){.after = *after ? strdup(after) : NULL};
	if (*after && !p->after)
		return -ENOMEM;
	if (!r->programs) {
		snprintf(why, WHY_LEN,
			 "the service was started without a folder of programs "
			 "(--programs)");
		return -EINVAL;
	}
	if (!*name || *name == '.' || strchr(name, '/') || strlen(name) >= sizeof(p->word)) {
		snprintf(why, WHY_LEN,
			 "a program is named by its file in '%s', in at most %zu bytes",
			 r->programs, sizeof(p->word) - 1);
		return -EINVAL;
	}
	if (strlen(after) >= ROSTER_AFTER_LEN) {
		snprintf(why, WHY_LEN, "it runs after too many");
		return -EINVAL;
	}
	if (asprintf(&p->path, "%s/%s", r->programs, name) < 0)
		p->path = NULL;
	if (!p->path)
		return -ENOMEM;
	snprintf(p->word, sizeof(p->word), "%s", name);
	/* It stands in paths, of which nothing is decoded. */
	if (strspn(name, NAME_BYTES) != strlen(name)) {
		snprintf(why, WHY_LEN, "a program's name is of ASCII letters, digits and ._-");
		return -EINVAL;
	}
	if (!program_check(p->path, bad))
		return 0;
	snprintf(why, WHY_LEN, "'%s' cannot be run: %s", p->path, bad);
	return -EINVAL;
}

/* Whether there is room, and an order of diagnosers. but: not with this one; NULL. */
static int fits(struct roster *r, enum program_ask ask, const struct user_program *p,
		const struct roster_entry *but, char why[WHY_LEN])
{
	struct user_program own[PROGRAMS_MAX + 1];
	struct diagnosers_all all;
	size_t n = 0, programs = 1;
	int bad;

	if (ask != ASK_DIAGNOSER && p->after) {
		snprintf(why, WHY_LEN, "only diagnosers run after others");
		return -EINVAL;
	}
	for (size_t i = 0; i < r->n; i++) {
		const struct roster_entry *e = &r->at[i];

		programs += e->r.program && e != but;
		if (e->r.program && e != but && e->r.ask == ASK_DIAGNOSER && !e->no_order &&
		    n < PROGRAMS_MAX)
			own[n++] = e->program;
	}
	if (ask == ASK_DIAGNOSER)
		own[n++] = *p;
	bad = programs > PROGRAMS_MAX ? -ENOSPC : diagnosers_all(own, n, &all);
	if (bad == -ENOSPC) {
		snprintf(why, WHY_LEN,
			 "there are too many programs: %d at most, and diagnosers "
			 "with limpet's own %d",
			 PROGRAMS_MAX, TASK_CAUSES_MAX);
		return -ENOSPC;
	}
	if (bad) {
		snprintf(why, WHY_LEN, "it runs after '%s', which is no diagnoser or runs after it",
			 p->after ?: "");
		return -EINVAL;
	}
	return 0;
}

static int add_program(struct roster *r, enum program_ask ask, struct user_program *p, bool started,
		       bool no_order, const char *trouble)
{
	struct roster_row row = {.ask = ask, .program = true, .running = true, .started = started};
	int err;

	snprintf(row.word, sizeof(row.word), "%s", p->word);
	snprintf(row.what, sizeof(row.what), "a program: %.80s", p->word);
	snprintf(row.after, sizeof(row.after), "%s", p->after ?: "");
	snprintf(row.trouble, sizeof(row.trouble), "%s", trouble);
	err = add_row(r, &row);
	if (err)
		return err;
	entry_of(r, ask, row.word)->no_order = no_order;
	entry_of(r, ask, row.word)->program = *p;
	*p = (struct user_program){0};
	return 0;
}

/* ---- what is written down ------------------------------------------------------------------------------------- */

static int write_row(struct roster *r, const struct roster_row *row, char why[WHY_LEN])
{
	return database_do(
		r->db, why,
		"INSERT INTO roster VALUES (%Q, %Q, %d, %Q, %d) ON CONFLICT(ask, word) DO "
		"UPDATE SET program = excluded.program, after = excluded.after, "
		"started = excluded.started",
		program_ask_words[row->ask], row->word, row->program, row->after, row->started);
}

static enum program_ask ask_of(const char *word)
{
	return index_if(ask, PROGRAM_ASKS, !strcmp(program_ask_words[ask], word));
}

static const char *column(sqlite3_stmt *st, int k)
{
	return (const char *)sqlite3_column_text(st, k) ?: "";
}

/* Rows of limpet's own that there are no more are passed over. */
static int read_row(struct roster *r, sqlite3_stmt *st)
{
	enum program_ask ask = ask_of(column(st, 0));
	struct roster_entry *e = ask < PROGRAM_ASKS ? entry_of(r, ask, column(st, 1)) : NULL;
	bool program = sqlite3_column_int(st, 2), started = sqlite3_column_int(st, 4);
	struct user_program p = {0};
	char why[WHY_LEN] = "", none[WHY_LEN];
	int err = 0;

	if (e && !e->r.program && !program) {
		e->r.started = started;
	} else if (e && program) {
		warn("the program '%s' is not loaded: limpet has a %s of this name", e->r.word,
		     program_ask_words[ask]);
	} else if (!e && program && ask < PROGRAM_ASKS) {
		int order;

		err = find_program(r, column(st, 1), column(st, 3), &p, why);
		order = err == -ENOMEM ? 0 : fits(r, ask, &p, NULL, err ? none : why);
		err = err ?: order;
		snprintf(p.word, sizeof(p.word), "%s", column(st, 1));
		err = err == -ENOMEM ? err : add_program(r, ask, &p, started && !err, order, why);
		if (!err && *why)
			warn("%s '%s' is stopped: %s", program_ask_words[ask], column(st, 1), why);
	}
	user_program_release(&p);
	return err;
}

static int read_rows(struct roster *r, char why[WHY_LEN])
{
	sqlite3_stmt *st = database_ask(
		r->db, why, "SELECT ask, word, program, after, started FROM roster ORDER BY rowid");
	int err = st ? 0 : -EIO, rc = SQLITE_DONE;

	while (!err && (rc = sqlite3_step(st)) == SQLITE_ROW)
		err = read_row(r, st);
	if (err == -ENOMEM)
		snprintf(why, WHY_LEN, "out of memory");
	else if (!err && rc != SQLITE_DONE)
		err = database_fail(r->db, why);
	sqlite3_finalize(st);
	return err;
}

int roster_new(struct roster **out, const char *dir, const char *programs, char why[WHY_LEN])
{
	struct roster *r = calloc(1, sizeof(*r));
	int err = r ? 0 : -ENOMEM;

	*out = NULL;
	snprintf(why, WHY_LEN, "out of memory");
	if (err)
		return err;
	pthread_mutex_init(&r->change, NULL);
	pthread_mutex_init(&r->lock, NULL);
	r->programs = programs ? strdup(programs) : NULL;
	r->worker = disk_thread_new(QUESTION_BYTES);
	if (!err && (!r->worker || (programs && !r->programs) || add_tables(r)))
		err = -ENOMEM;
	if (!err)
		err = database_open(&r->db, dir, "jobs.db", roster_tables, why);
	if (!err)
		err = read_rows(r, why);
	if (err)
		roster_free(r);
	else
		*out = r;
	return err;
}

void roster_free(struct roster *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->ends = true;
	pthread_mutex_unlock(&r->lock);
	disk_thread_free(r->worker);
	sqlite3_close(r->db);
	for (size_t i = 0; i < r->n; i++)
		entry_release(&r->at[i]);
	free(r->at);
	free(r->programs);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->change);
	free(r);
}

/* ---- who asks, and changes -------------------------------------------------------------------------------------- */

int roster_list(struct roster *r, struct roster_row **rows, size_t *n)
{
	pthread_mutex_lock(&r->lock);
	*n = r->n;
	*rows = calloc(r->n + 1, sizeof(**rows));
	for (size_t i = 0; *rows && i < r->n; i++)
		(*rows)[i] = r->at[i].r;
	pthread_mutex_unlock(&r->lock);
	return *rows ? 0 : -ENOMEM;
}

static int no_such(enum program_ask ask, char why[WHY_LEN])
{
	snprintf(why, WHY_LEN, "no %s has this name", program_ask_words[ask]);
	return -ENOENT;
}

/* What it said, and what it may be about to say, does not count any more. */
static void forget_answer(struct roster *r, struct roster_entry *e)
{
	if (e->r.program)
		e->number = ++r->numbers;
	e->busy = false;
	e->asked_ns = e->answered_ns = 0;
}

static struct roster_row row_now(struct roster *r, const struct roster_entry *e)
{
	struct roster_row now;

	pthread_mutex_lock(&r->lock);
	now = e->r;
	pthread_mutex_unlock(&r->lock);
	return now;
}

static void apply_started(struct roster *r, struct roster_entry *e, bool started)
{
	pthread_mutex_lock(&r->lock);
	r->news = true;
	e->r.started = started;
	e->failing = 0;
	e->unsaved = false;
	e->no_order &= !started;
	if (started)
		*e->r.trouble = '\0';
	else
		forget_answer(r, e);
	pthread_mutex_unlock(&r->lock);
}

/* To stop one works also where it cannot be written down. */
static int set_started(struct roster *r, struct roster_entry *e, bool started, char why[WHY_LEN])
{
	struct roster_row now = row_now(r, e);
	char bad[PROGRAM_WHY_LEN];
	int err;

	if (started && now.program && (!e->program.path || program_check(e->program.path, bad))) {
		snprintf(why, WHY_LEN, "it cannot be run: %s",
			 e->program.path ? bad : "its folder is not there any more");
		return -EINVAL;
	}
	err = started && now.program ? fits(r, now.ask, &e->program, e, why) : 0;
	if (err)
		return err;
	now.started = started;
	err = write_row(r, &now, why);
	if (err && started)
		return -EIO;
	if (err)
		warn("%s '%s' is stopped until the service starts again: %s",
		     program_ask_words[now.ask], now.word, why);
	apply_started(r, e, started);
	return 0;
}

int roster_start(struct roster *r, enum program_ask ask, const char *word, bool started,
		 char why[WHY_LEN])
{
	struct roster_entry *e;
	int err;

	pthread_mutex_lock(&r->change);
	e = entry_of(r, ask, word);
	err = e ? set_started(r, e, started, why) : no_such(ask, why);
	pthread_mutex_unlock(&r->change);
	return err;
}

static int add_loaded(struct roster *r, enum program_ask ask, struct user_program *p)
{
	int err;

	pthread_mutex_lock(&r->lock);
	err = add_program(r, ask, p, true, false, "");
	r->news |= !err;
	pthread_mutex_unlock(&r->lock);
	return err;
}

static void remove_row(struct roster *r, struct roster_entry *e)
{
	pthread_mutex_lock(&r->lock);
	entry_remove(r, e);
	r->news = true;
	pthread_mutex_unlock(&r->lock);
}

static int load(struct roster *r, enum program_ask ask, const char *name, const char *after,
		struct user_program *p, char why[WHY_LEN])
{
	int err = find_program(r, name, after, p, why);
	struct roster_row row;

	if (!err && entry_of(r, ask, name)) {
		snprintf(why, WHY_LEN, "there is one of this name already");
		err = -EEXIST;
	}
	err = err ?: fits(r, ask, p, NULL, why) ?: add_loaded(r, ask, p);
	if (!err) {
		row = row_now(r, entry_of(r, ask, name));
		err = write_row(r, &row, why) ? -EIO : 0;
		if (err)
			remove_row(r, entry_of(r, ask, name));
	}
	if (err == -ENOMEM)
		snprintf(why, WHY_LEN, "out of memory");
	return err;
}

int roster_load(struct roster *r, enum program_ask ask, const char *name, const char *after,
		char why[WHY_LEN])
{
	struct user_program p = {0};
	int err;

	pthread_mutex_lock(&r->change);
	err = load(r, ask, name, after, &p, why);
	user_program_release(&p);
	pthread_mutex_unlock(&r->change);
	return err;
}

/* What others run after stays. */
static int may_go(struct roster *r, const struct roster_entry *e, char why[WHY_LEN])
{
	size_t len = strlen(e->r.word);

	if (!e->r.program) {
		snprintf(why, WHY_LEN, "it is limpet's own: it can be stopped");
		return -EINVAL;
	}
	for (size_t i = 0; i < r->n && e->r.ask == ASK_DIAGNOSER; i++)
		for (const char *c = r->at[i].r.after; *c; c += strcspn(c, ","), c += *c == ',')
			if (strcspn(c, ",") == len && !memcmp(c, e->r.word, len)) {
				snprintf(why, WHY_LEN, "'%s' runs after it", r->at[i].r.word);
				return -EINVAL;
			}
	return 0;
}

int roster_unload(struct roster *r, enum program_ask ask, const char *word, char why[WHY_LEN])
{
	struct roster_entry *e;
	int err;

	pthread_mutex_lock(&r->change);
	e = entry_of(r, ask, word);
	err = e ? may_go(r, e, why) : no_such(ask, why);
	if (!err && database_do(r->db, why, "DELETE FROM roster WHERE ask = %Q AND word = %Q",
				program_ask_words[ask], word))
		err = -EIO;
	if (!err)
		remove_row(r, e);
	pthread_mutex_unlock(&r->change);
	return err;
}

/* ---- the judge ------------------------------------------------------------------------------------------------------ */

bool roster_news(struct roster *r)
{
	bool news;

	pthread_mutex_lock(&r->lock);
	news = r->news;
	r->news = false;
	pthread_mutex_unlock(&r->lock);
	return news;
}

static int take_program(struct table_rows *t, size_t i, const struct roster_entry *e)
{
	struct user_program *p = &t->program[i];

	*p = e->program;
	t->number[i] = e->number;
	p->path = strdup(e->program.path ?: "");
	p->after = e->program.after ? strdup(e->program.after) : NULL;
	return p->path && (p->after || !e->program.after) ? 0 : -ENOMEM;
}

int roster_take(struct roster *r, struct table_rows *t)
{
	size_t own[PROGRAM_ASKS] = {0}, n = 0;
	int err = 0;

	t->roster = r;
	pthread_mutex_lock(&r->lock);
	/* Rows are in order of their tables, limpet's own first. */
	for (size_t i = 0; i < r->n && !err; i++) {
		const struct roster_entry *e = &r->at[i];

		if (!e->r.program)
			t->stopped[e->r.ask][own[e->r.ask]++] = !e->r.started;
		else if (n < PROGRAMS_MAX && !e->no_order &&
			 (e->r.started || e->r.ask == ASK_DIAGNOSER)) {
			/* Others may run after a diagnoser that is stopped. */
			err = take_program(t, n++, e);
			t->n[e->r.ask]++;
		}
	}
	pthread_mutex_unlock(&r->lock);
	return err;
}

struct program_asked {
	struct roster *r;
	uint64_t number;
	char *path, *question;
};

static void note_trouble(struct roster_entry *e, const char *trouble)
{
	snprintf(e->r.trouble, sizeof(e->r.trouble), "%s", trouble);
	e->r.failed++;
	if (++e->failing < ROSTER_FAILS)
		return;
	e->r.started = false;
	e->unsaved = true;
}

/* Says and writes down which rows were stopped for their failures. Where that cannot be written, the next start of the service asks
 * them again, and stops them again. */
static void save_stopped(void *arg)
{
	struct roster *r = arg;
	char why[WHY_LEN];

	pthread_mutex_lock(&r->change);
	for (size_t i = 0; i < r->n; i++) {
		struct roster_row row;
		bool unsaved;

		pthread_mutex_lock(&r->lock);
		unsaved = r->at[i].unsaved;
		r->at[i].unsaved = false;
		row = r->at[i].r;
		pthread_mutex_unlock(&r->lock);
		if (!unsaved)
			continue;
		warn("%s '%s' is stopped: it failed %d times in a row: %s",
		     program_ask_words[row.ask], row.word, ROSTER_FAILS, row.trouble);
		write_row(r, &row, why);
	}
	pthread_mutex_unlock(&r->change);
}

static void take_answer(struct program_asked *a, char *answer, size_t n, double took_s,
			const char *why)
{
	struct roster_entry *e;

	pthread_mutex_lock(&a->r->lock);
	e = entry_numbered(a->r, a->number);
	if (e) {
		e->busy = false;
		free(e->answer);
		e->answer = answer;
		e->answer_n = n;
		e->answered_ns = answer ? clock_ns(CLOCK_MONOTONIC) : 0;
		e->used = false;
		e->r.took_s = took_s;
		a->r->news = true;
		if (!answer && e->r.started)
			note_trouble(e, why);
		answer = NULL;
	}
	pthread_mutex_unlock(&a->r->lock);
	free(answer);
}

static bool is_ending(struct roster *r)
{
	bool ends;

	pthread_mutex_lock(&r->lock);
	ends = r->ends;
	pthread_mutex_unlock(&r->lock);
	return ends;
}

static void ask_in_thread(void *arg)
{
	static const struct program_bounds bounds = {PROGRAM_SECONDS, PROGRAM_MEMORY,
						     PROGRAM_OUT_LIVE};
	int64_t began_ns = clock_ns(CLOCK_MONOTONIC);
	char why[PROGRAM_WHY_LEN], *answer = NULL;
	struct program_asked *a = arg;
	size_t n = 0;

	if (!is_ending(a->r)) {
		if (program_run(a->path, NULL, &bounds, a->question, strlen(a->question), &answer,
				&n, why))
			answer = NULL;
		take_answer(a, answer, n, s_of_ns(clock_ns(CLOCK_MONOTONIC) - began_ns), why);
		save_stopped(a->r);
	}
	free(a->path);
	free(a->question);
	free(a);
}

/* Where too much waits it is asked the next time, which its row says until then. */
static void begin_to_ask(struct roster *r, const struct user_program *p, uint64_t number,
			 char *question)
{
	struct program_asked *a = calloc(1, sizeof(*a));
	struct roster_entry *e;
	int err = -ENOMEM;

	if (a)
		*a = (struct program_asked){r, number, strdup(p->path), question};
	pthread_mutex_lock(&r->lock);
	e = entry_numbered(r, number);
	if (a && a->path && question)
		err = disk_thread_do(r->worker, ask_in_thread, a, strlen(question));
	if (e && !err) {
		e->r.asked++;
	} else if (e) {
		e->busy = false;
		snprintf(e->r.trouble, sizeof(e->r.trouble), "it was not asked: %s",
			 err == -ENOMEM ? "there is no memory" : "too much waits for others");
	}
	pthread_mutex_unlock(&r->lock);
	if (!err)
		return;
	if (a)
		free(a->path);
	free(question);
	free(a);
}

int roster_ask(struct table_rows *t, size_t i, struct stragglers *g, size_t cause)
{
	const struct user_program *p = &t->program[i];
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	enum program_ask ask = ASK_SYMPTOM;
	struct roster *r = t->roster;
	struct roster_entry *e;
	const char *bad = NULL;
	bool due = false, stopped = false;
	char *answer = NULL;
	int64_t of_ns = 0;
	size_t n = 0;
	int err = 0;

	pthread_mutex_lock(&r->lock);
	e = entry_numbered(r, t->number[i]);
	if (e && e->r.started) {
		ask = e->r.ask;
		due = !e->busy &&
		      (!e->asked_ns || now_ns - e->asked_ns >= ROSTER_EVERY_S * NS_PER_S);
		if (e->answered_ns &&
		    (!e->used || now_ns - e->answered_ns < ROSTER_KEEP_S * NS_PER_S)) {
			e->used = true;
			of_ns = e->answered_ns;
			n = e->answer_n;
			answer = malloc(n + 1);
			err = answer ? 0 : -ENOMEM;
			if (answer)
				memcpy(answer, e->answer, n + 1);
		}
		if (due) {
			e->busy = true;
			e->asked_ns = now_ns;
		}
	}
	pthread_mutex_unlock(&r->lock);
	/* As it is before its own answer, of this look or another. */
	if (due)
		begin_to_ask(r, p, t->number[i], program_question(g, ask));
	if (answer)
		bad = program_answered(g, p->word, ask, cause, answer, n);
	free(answer);
	if (!answer)
		return err;
	pthread_mutex_lock(&r->lock);
	e = entry_numbered(r, t->number[i]);
	/* There may be a newer one by now. */
	if (e && e->answered_ns != of_ns)
		e = NULL;
	if (e && bad) {
		char text[sizeof(e->r.trouble)];

		e->answered_ns = 0; /* said once of each answer */
		snprintf(text, sizeof(text), "it answers badly: %s", bad);
		note_trouble(e, text);
		stopped = e->unsaved;
	} else if (e && !bad) {
		e->failing = 0;
		*e->r.trouble = '\0';
		if (ask == ASK_DIAGNOSER)
			snprintf(e->r.what, sizeof(e->r.what), "%s", g->v->task_causes[cause].what);
	}
	pthread_mutex_unlock(&r->lock);
	/* Where it has no room the next failure of another says it. */
	if (stopped)
		disk_thread_do(r->worker, save_stopped, r, 0);
	return err;
}
