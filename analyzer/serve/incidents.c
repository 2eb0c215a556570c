// SPDX-License-Identifier: BSD-2-Clause
/* incidents.h: each event is a few statements, in one transaction with the others that wait. */
#include "incidents.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/output/verdict_print.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"

#define INCIDENTS_APP_ID 0x6c6d7069 /* "lmpi" */
#define INCIDENTS_SCHEMA 1
#define BUSY_MS		 500
#define ID_LEN		 17
#define RESUMED		 2000 /* events: what was told of tasks and jobs before is no news */

static const char tables_sql[] =
	"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
	"CREATE TABLE IF NOT EXISTS incident(id TEXT PRIMARY KEY, server TEXT NOT NULL, cause TEXT "
	"NOT"
	" NULL, suspicious INTEGER NOT NULL, open INTEGER NOT NULL, onset_ns INTEGER, decided_ns "
	"INTEGER,"
	" last_ns INTEGER, opened_ns INTEGER NOT NULL, over_ns INTEGER, headline TEXT NOT NULL, "
	"json"
	" TEXT) WITHOUT ROWID;"
	"CREATE INDEX IF NOT EXISTS incident_opened ON incident(opened_ns);"
	"CREATE TABLE IF NOT EXISTS event(seq INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER NOT "
	"NULL,"
	" told_ns INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT, server TEXT, cause TEXT, text "
	"TEXT NOT"
	" NULL);"
	"CREATE TABLE IF NOT EXISTS level(server TEXT, silent INTEGER, id TEXT, state TEXT NOT "
	"NULL, cause TEXT"
	" NOT NULL, process TEXT NOT NULL, PRIMARY KEY(server, silent)) WITHOUT ROWID;";

/* What an event does to the state of its server. */
enum level_change { LEVEL_STAYS, LEVEL_LIMPS, LEVEL_SUSPICIOUS, LEVEL_SILENT, LEVEL_ENDS };
static const enum level_change changes_of[EVENT_KINDS] = {
	[EVENT_SUSPICIOUS] = LEVEL_SUSPICIOUS,
	[EVENT_CLEARED] = LEVEL_ENDS,
	[EVENT_OPENED] = LEVEL_LIMPS,
	[EVENT_CHANGED] = LEVEL_LIMPS,
	[EVENT_HELD] = LEVEL_LIMPS,
	[EVENT_RESUMED] = LEVEL_LIMPS,
	[EVENT_OVER] = LEVEL_ENDS,
	[EVENT_SILENT] = LEVEL_SILENT,
	[EVENT_REPORTING] = LEVEL_ENDS,
};
static const char *const level_words[] = {
	[LEVEL_LIMPS] = "limps", [LEVEL_SUSPICIOUS] = "suspicious", [LEVEL_SILENT] = "silent"};

/* An event that is not written yet. */
struct pending {
	enum track_event_kind kind;
	int64_t at_ns, told_ns;
	char id[ID_LEN]; /* "": none */
	char of[TASK_NAME_LEN]; /* a task or a job, which stands where the id of an incident does; "": none */
	char server[HOST_LEN];
	char cause[32];
	char process[INSTANCE_LEN];
	char *text;
	/* The incident, where the verdict has it; headline NULL: it has not. */
	bool suspicious, open;
	int64_t onset_ns, decided_ns, last_ns;
	char *headline, *json;
};

struct incident_store {
	char *path;
	sqlite3 *db;
	struct pending *at;
	size_t n;
	uint64_t dropped;
	int64_t trimmed_ns;
	char why[300];
};

static void pending_release(struct pending *p)
{
	free(p->text);
	free(p->headline);
	free(p->json);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static int run_sql(struct incident_store *i, const char *sql)
{
	return sqlite3_exec(i->db, sql, NULL, NULL, NULL);
}

static int64_t number_of(struct incident_store *i, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t v = INT64_MIN;

	if (!sqlite3_prepare_v2(i->db, sql, -1, &st, NULL) && sqlite3_step(st) == SQLITE_ROW &&
	    sqlite3_column_type(st, 0) == SQLITE_INTEGER)
		v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return v;
}

/* Sets `why`. */
static int cannot(struct incident_store *i, const char *what)
{
	snprintf(i->why, sizeof(i->why), "cannot %s '%s': %s", what, i->path,
		 sqlite3_errmsg(i->db));
	return -EIO;
}

static int open_db(struct incident_store *i)
{
	char set[80];
	int64_t app, version;

	int fd = open(i->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640); /* for the mode */

	if (fd >= 0)
		close(fd);
	if (sqlite3_open_v2(i->path, &i->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL))
		return cannot(i, "open");
	sqlite3_busy_timeout(i->db, BUSY_MS);
	app = number_of(i, "PRAGMA application_id");
	version = number_of(i, "PRAGMA user_version");
	if (app == INT64_MIN || number_of(i, "SELECT count(*) FROM sqlite_master") == INT64_MIN)
		return cannot(i, "read");
	if (app && app != INCIDENTS_APP_ID) {
		snprintf(i->why, sizeof(i->why), "'%s' is another program's", i->path);
		return -EINVAL;
	}
	if (version > INCIDENTS_SCHEMA) {
		snprintf(i->why, sizeof(i->why), "'%s' is of a newer limpet", i->path);
		return -EPROTONOSUPPORT;
	}
	snprintf(set, sizeof(set), "PRAGMA application_id=%d; PRAGMA user_version=%d",
		 INCIDENTS_APP_ID, INCIDENTS_SCHEMA);
	if (version == INCIDENTS_SCHEMA && app == INCIDENTS_APP_ID)
		return 0; /* it may be that nothing can be written now */
	return run_sql(i, set) || run_sql(i, tables_sql) ? cannot(i, "write") : 0;
}

static bool is_damaged(struct incident_store *i)
{
	int rc = sqlite3_errcode(i->db) & 0xff;

	return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB;
}

/* A damaged file must not keep the service from judging: it stays, under another name. */
static int move_aside(struct incident_store *i)
{
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	char to[4200], from[4200];

	sqlite3_close(i->db);
	i->db = NULL;
	for (int k = 0; k < 3; k++) {
		snprintf(from, sizeof(from), "%s%s", i->path, suffixes[k]);
		snprintf(to, sizeof(to), "%s.damaged%s", i->path, suffixes[k]);
		if (rename(from, to) && !k)
			return -errno;
	}
	warn("%s; it is now '%s.damaged', and incidents of before are not known", i->why, i->path);
	return open_db(i);
}

int incidents_open(struct incident_store **out, const char *dir)
{
	struct incident_store *i = calloc(1, sizeof(*i));
	int err = -ENOMEM;

	*out = NULL;
	if (!i || asprintf(&i->path, "%s/incidents.db", dir) < 0)
		goto out;
	err = open_db(i);
	if (err == -EIO && is_damaged(i))
		err = move_aside(i);
out:
	if (err == -ENOMEM)
		fail("out of memory");
	else if (err)
		fail("%s", i->why);
	if (err)
		incidents_close(i);
	else
		*out = i;
	return err;
}

void incidents_close(struct incident_store *i)
{
	const char *why;

	if (!i)
		return;
	why = i->db && i->n ? incidents_flush(i) : NULL;
	if (why)
		warn("%s: %zu events are lost", why, i->n);
	for (size_t k = 0; k < i->n; k++)
		pending_release(&i->at[k]);
	free(i->at);
	sqlite3_close(i->db);
	free(i->path);
	free(i);
}

/* ---- what another run told ----------------------------------------------------------------------------- */

int64_t incidents_told_ns(const struct incident_store *i)
{
	return number_of((struct incident_store *)i, "SELECT max(at_ns) FROM event");
}

static enum cause cause_of(const char *word)
{
	enum cause c = CAUSE_COUNT;

	while (c-- > 0)
		if (!strcmp(cause_table[c].word ? cause_table[c].word : "", word))
			return c;
	return CAUSE_NONE;
}

static const char *column(sqlite3_stmt *st, int k)
{
	const char *text = (const char *)sqlite3_column_text(st, k);

	return text ? text : "";
}

/* The newest first. */
static int resume_told(const struct incident_store *i, struct track_events *to)
{
	sqlite3_stmt *st = NULL;
	int err = 0;

	if (sqlite3_prepare_v2(
		    i->db,
		    "SELECT kind, id, cause, server FROM (SELECT * FROM event ORDER BY "
		    "seq DESC LIMIT ?3) WHERE kind IN (?1, ?2) AND id IS NOT NULL ORDER BY "
		    "seq DESC",
		    -1, &st, NULL))
		return 0;
	sqlite3_bind_text(st, 1, event_rows[EVENT_STRAGGLER].word, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, event_rows[EVENT_DECISION].word, -1, SQLITE_STATIC);
	sqlite3_bind_int(st, 3, RESUMED);
	while (!err && sqlite3_step(st) == SQLITE_ROW) {
		bool task = !strcmp(column(st, 0), event_rows[EVENT_STRAGGLER].word);
		const struct track_told x = {column(st, 1), task ? NULL : column(st, 2),
					     column(st, 3)};

		err = track_resume_told(to, &x, clock_ns(CLOCK_REALTIME));
	}
	sqlite3_finalize(st);
	return err;
}

/* Whether what is proven was told last, and since when it is not. */
static int resume_unproven(const struct incident_store *i, struct track_events *to,
			   struct alert *alert)
{
	int64_t held_ns;
	sqlite3_stmt *st = NULL;
	int err = 0;

	if (sqlite3_prepare_v2(i->db,
			       "SELECT kind, told_ns, at_ns, text FROM event WHERE kind IN (?1, "
			       "?2) ORDER BY seq "
			       "DESC LIMIT 1",
			       -1, &st, NULL))
		return 0;
	sqlite3_bind_text(st, 1, event_rows[EVENT_UNPROVEN].word, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, event_rows[EVENT_PROVEN].word, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW &&
	    !strcmp(column(st, 0), event_rows[EVENT_UNPROVEN].word)) {
		track_resume_unproven(to);
		held_ns = clock_ns(CLOCK_REALTIME) - sqlite3_column_int64(st, 1);
		if (alert)
			err = alert_resume_unproven(alert, sqlite3_column_int64(st, 2),
						    held_ns < 0 ? 0 : held_ns, column(st, 3));
	}
	sqlite3_finalize(st);
	return err;
}

int incidents_resume(const struct incident_store *i, struct track_events *to, struct alert *alert)
{
	sqlite3_stmt *st = NULL;
	int err = 0;

	if (sqlite3_prepare_v2(i->db, "SELECT server, id, state, cause, process FROM level", -1,
			       &st, NULL))
		return 0;
	while (!err && sqlite3_step(st) == SQLITE_ROW) {
		const char *state = column(st, 2);
		struct track_open_incident x = {
			.server = column(st, 0),
			.id = strtoull(column(st, 1), NULL, 16),
			.suspicious = !strcmp(state, level_words[LEVEL_SUSPICIOUS]),
			.silent = !strcmp(state, level_words[LEVEL_SILENT]),
			.cause = cause_of(column(st, 3)),
			.process = column(st, 4)};

		err = track_resume(to, &x);
		if (!err && alert && !x.suspicious)
			err = alert_resume(alert, x.server, x.silent,
					   x.silent ? notice_words[NOTICE_SILENT]
						    : cause_table[x.cause].word,
					   x.id);
	}
	sqlite3_finalize(st);
	return err ?: resume_unproven(i, to, alert) ?: resume_told(i, to);
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* The first one that waits is lost, and that is said. */
static void make_room(struct incident_store *i)
{
	if (i->n < INCIDENTS_KEPT)
		return;
	i->dropped++;
	pending_release(&i->at[0]);
	memmove(i->at, i->at + 1, --i->n * sizeof(*i->at));
}

static int take_incident(struct pending *p, const struct verdict *a, size_t number)
{
	const struct incident *x = &a->incidents[number];
	struct text line TEXT_SCOPED = {0};

	verdict_process(&x->culprit, p->process);
	p->suspicious = x->suspicion != SUSPICION_NONE;
	p->open = x->open;
	p->onset_ns = x->onset_ns;
	p->decided_ns = x->decided_ns;
	p->last_ns = x->last_ns;
	p->headline = strdup(verdict_headline(&line, a, number));
	p->json = verdict_incident_json(a, number);
	return p->headline && p->json ? 0 : -ENOMEM;
}

int incidents_change(struct incident_store *i, const struct verdict *a, const struct change *c)
{
	struct pending p = {.kind = c->event.kind,
			    .at_ns = c->event.at_ns,
			    .told_ns = clock_ns(CLOCK_REALTIME)};
	int err = 0;

	snprintf(p.cause, sizeof(p.cause), "%s", c->cause);
	if (c->event.id)
		snprintf(p.id, sizeof(p.id), "%016" PRIx64, c->event.id);
	snprintf(p.server, sizeof(p.server), "%s", c->server);
	if (c->event.kind == EVENT_STRAGGLER && c->event.straggler >= 0)
		snprintf(p.of, sizeof(p.of), "%s", a->stragglers[c->event.straggler].task);
	if (c->event.kind == EVENT_DECISION) {
		snprintf(p.of, sizeof(p.of), "%s", a->jobs[c->event.job].job);
		snprintf(p.server, sizeof(p.server), "%s", a->jobs[c->event.job].subject);
	}
	p.text = strdup(text_of(&c->text));
	if (!p.text)
		err = -ENOMEM;
	else if (c->event.incident >= 0)
		err = take_incident(&p, a, (size_t)c->event.incident);
	make_room(i);
	if (!err)
		err = array_put(&i->at, &i->n, p);
	if (err)
		pending_release(&p);
	return err;
}

/* Binds what the format says, one letter an argument: s a text ("" is NULL), t a text, i a number; and runs it. */
static int run_with(struct incident_store *i, const char *sql, const char *format, ...)
{
	sqlite3_stmt *st = NULL;
	va_list ap;
	int rc = sqlite3_prepare_v2(i->db, sql, -1, &st, NULL);

	va_start(ap, format);
	for (int k = 1; !rc && format[k - 1]; k++) {
		const char *text = format[k - 1] == 'i' ? NULL : va_arg(ap, const char *);

		if (format[k - 1] == 'i')
			rc = sqlite3_bind_int64(st, k, va_arg(ap, int64_t));
		else if (*text || format[k - 1] == 't')
			rc = sqlite3_bind_text(st, k, text, -1, SQLITE_STATIC);
	}
	va_end(ap);
	if (!rc)
		rc = sqlite3_step(st) == SQLITE_DONE ? 0 : sqlite3_errcode(i->db);
	sqlite3_finalize(st);
	return rc;
}

/* Whether it limps and whether it is silent are two rows. */
static int write_level(struct incident_store *i, const struct pending *p)
{
	enum level_change to = changes_of[p->kind];
	int64_t silent = p->kind == EVENT_SILENT || p->kind == EVENT_REPORTING;

	if (to == LEVEL_STAYS)
		return 0;
	if (to == LEVEL_ENDS)
		return run_with(i, "DELETE FROM level WHERE server = ? AND silent = ?", "ti",
				p->server, silent);
	return run_with(i, "INSERT OR REPLACE INTO level VALUES (?, ?, ?, ?, ?, ?)", "tisttt",
			p->server, silent, p->id, level_words[to], p->cause, p->process);
}

static int write_incident(struct incident_store *i, const struct pending *p)
{
	bool ends = changes_of[p->kind] == LEVEL_ENDS;

	if (!*p->id)
		return 0;
	if (!p->headline)
		return run_with(i, "UPDATE incident SET open = 0, over_ns = ? WHERE id = ?", "it",
				p->at_ns, p->id);
	return run_with(i,
			"INSERT INTO incident VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
			"nullif(?10, 0), ?11, ?12)"
			" ON CONFLICT(id) DO UPDATE SET cause = ?3, suspicious = ?4, open = ?5, "
			"onset_ns = ?6,"
			" decided_ns = ?7, last_ns = ?8, over_ns = nullif(?10, 0), headline = ?11, "
			"json = ?12",
			"tttiiiiiiitt", p->id, p->server, p->cause, (int64_t)p->suspicious,
			(int64_t)(p->open && !ends), p->onset_ns, p->decided_ns, p->last_ns,
			p->at_ns, ends ? p->last_ns : (int64_t)0, p->headline, p->json);
}

static int write_event(struct incident_store *i, const struct pending *p)
{
	int rc = run_with(i,
			  "INSERT INTO event(at_ns, told_ns, kind, id, server, cause, text) VALUES "
			  "(?, ?, ?, ?, ?, ?, ?)",
			  "iitssst", p->at_ns, p->told_ns, event_rows[p->kind].word,
			  *p->of ? p->of : p->id, p->server, p->cause, p->text);

	if (!rc)
		rc = write_incident(i, p);
	return rc ? rc : write_level(i, p);
}

/* Once a day. */
static int trim(struct incident_store *i, int64_t now_ns)
{
	int64_t before_ns = now_ns - INCIDENTS_DAYS * NS_PER_DAY;
	int rc;

	if (now_ns - i->trimmed_ns < NS_PER_DAY)
		return 0;
	rc = run_with(i, "DELETE FROM event WHERE told_ns < ?", "i", before_ns);
	if (!rc)
		rc = run_with(i, "DELETE FROM incident WHERE open = 0 AND over_ns < ?", "i",
			      before_ns);
	if (!rc)
		i->trimmed_ns = now_ns;
	return rc;
}

const char *incidents_flush(struct incident_store *i)
{
	int rc = 0;

	if (!i->n)
		return NULL;
	rc = run_sql(i, "BEGIN IMMEDIATE");
	for (size_t k = 0; k < i->n && !rc; k++)
		rc = write_event(i, &i->at[k]);
	if (!rc)
		rc = trim(i, clock_ns(CLOCK_REALTIME));
	if (!rc)
		rc = run_sql(i, "COMMIT");
	if (rc) {
		cannot(i, "write");
		if (i->dropped)
			snprintf(i->why + strlen(i->why), sizeof(i->why) - strlen(i->why),
				 "; %" PRIu64 " events are lost", i->dropped);
		if (!sqlite3_get_autocommit(i->db))
			run_sql(i, "ROLLBACK");
		return i->why;
	}
	for (size_t k = 0; k < i->n; k++)
		pending_release(&i->at[k]);
	i->n = 0;
	return NULL;
}
