// SPDX-License-Identifier: BSD-2-Clause
/* serve/incidents.h: what was told is there after a restart, once, and goes on. */
#include "watch_util.h"

#include <sqlite3.h>

#include "analyzer/serve/incidents.h"
#include "series_util.h"

struct kept {
	struct incident_store *i;
	struct alert *alert;
	int events;
};

static int keep(void *arg, const struct verdict *a, const struct change *c)
{
	struct kept *k = arg;

	k->events++;
	if (k->alert && alert_change(k->alert, a, c))
		return -ENOMEM;
	return incidents_change(k->i, a, c);
}

static void tell(struct kept *k, struct track_events *t, struct verdict a)
{
	assert_int_equal(levels(t, &a, keep, k), 0);
	assert_null(incidents_flush(k->i));
	verdict_release(&a);
}

static int64_t ask(const char *dir, const char *sql)
{
	sqlite3_stmt *st;
	sqlite3 *db;
	char path[400];
	int64_t n = -1;

	snprintf(path, sizeof(path), "%s/incidents.db", dir);
	assert_int_equal(sqlite3_open(path, &db), 0);
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL))
		fail_msg("%s", sqlite3_errmsg(db));
	if (sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static struct verdict limping(int64_t s, uint64_t id)
{
	struct verdict a = verdict_at(s);

	indict(&a, 2, CAUSE_DISK_HOG, "fio:12");
	a.incidents[0].id = id;
	return a;
}

static void goes_on(void **state)
{
	struct fixture *fx = *state;
	struct track_events *t = track_events_new();
	struct kept k = {0};

	assert_int_equal(incidents_open(&k.i, fx->dir), 0);
	assert_int_equal(incidents_told_ns(k.i), INT64_MIN);
	tell(&k, t, verdict_at(60));
	tell(&k, t, limping(90, 0xabc));
	assert_int_equal(
		ask(fx->dir,
		    "SELECT count(*) FROM incident WHERE id = '0000000000000abc' AND open"),
		1);
	assert_int_equal(k.events, 2);
	incidents_close(k.i);
	track_events_free(t);

	k.alert = alert_new(&(struct alert_opts){.program = "/bin/true", .quiet = true});
	assert_non_null(k.alert);
	/* It still limps; the engine, which has less to go by, gave it another id. */
	t = track_events_new();
	assert_int_equal(incidents_open(&k.i, fx->dir), 0);
	assert_int_equal(incidents_told_ns(k.i), AT(90));
	assert_int_equal(incidents_resume(k.i, t, k.alert), 0);
	k.events = 0;
	tell(&k, t, limping(100, 0xdef));
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM event WHERE kind = 'opened'"), 1);
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM incident"), 1);
	/* The program was told, and only the end is news to it. */
	assert_int_equal(alert_count(k.alert).waiting, 0);
	/* And then no more. */
	tell(&k, t, verdict_at(200));
	assert_int_equal(alert_count(k.alert).waiting, 1);
	alert_free(k.alert);
	assert_int_equal(
		ask(fx->dir,
		    "SELECT count(*) FROM event WHERE kind = 'over' AND id = '0000000000000abc'"),
		1);
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM incident WHERE open"), 0);
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM level"), 0);
	incidents_close(k.i);
	track_events_free(t);
}

/* A server that limps and then says nothing more is both, and stays so. */
static void limps_and_is_silent(void **state)
{
	struct fixture *fx = *state;
	struct track_events *t = track_events_new();
	struct kept k = {0};
	struct change silent = {.event = {.kind = EVENT_SILENT, .at_ns = AT(95), .incident = -1}};
	struct verdict a = verdict_at(95);

	assert_int_equal(incidents_open(&k.i, fx->dir), 0);
	tell(&k, t, limping(90, 0xabc));
	snprintf(silent.server, sizeof(silent.server), "s3");
	silent.cause = notice_words[NOTICE_SILENT];
	text_put(&silent.text, "s3 stopped reporting");
	assert_int_equal(incidents_change(k.i, &a, &silent), 0);
	assert_null(incidents_flush(k.i));
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM level"), 2);
	silent.event.kind = EVENT_REPORTING;
	assert_int_equal(incidents_change(k.i, &a, &silent), 0);
	assert_null(incidents_flush(k.i));
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM level WHERE state = 'limps'"), 1);
	text_release(&silent.text);
	verdict_release(&a);
	incidents_close(k.i);
	track_events_free(t);
}

/* Tasks, and what is behind a job's: after a restart only what is not what was told last is told. */
static void jobs_go_on(void **state)
{
	struct fixture *fx = *state;
	struct track_events *t = track_events_new();
	struct kept k = {0};
	struct verdict a;

	for (int run = 0; run < 3; run++) {
		assert_int_equal(incidents_open(&k.i, fx->dir), 0);
		assert_int_equal(incidents_resume(k.i, t, k.alert), 0);
		for (int i = 0; i < 2; i++) {
			a = decided(90 + 100 * run + 10 * i, "cause", run || i ? "s2" : "s1");
			straggle(&a, 2, 20);
			tell(&k, t, a);
		}
		incidents_close(k.i);
		track_events_free(t);
		t = track_events_new();
	}
	track_events_free(t);
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM event WHERE kind = 'decision'"), 2);
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM event WHERE kind = 'straggler'"), 1);
}

/* That something is unproven is told once over restarts, and its end. */
static void unproven_goes_on(void **state)
{
	struct unproven u = {
		.node = 2, .resource = RESOURCE_DISK, .signal = SIG_READ, .suspicious_from = 4.1};
	struct fixture *fx = *state;
	struct kept k = {0};

	for (int run = 0; run < 4; run++) {
		struct track_events *t = track_events_new();
		struct verdict a = verdict_at(90 + 100 * run);

		assert_int_equal(incidents_open(&k.i, fx->dir), 0);
		assert_int_equal(incidents_resume(k.i, t, k.alert), 0);
		if (run < 3)
			assert_int_equal(verdict_used(&a, &u), 0);
		tell(&k, t, a);
		incidents_close(k.i);
		track_events_free(t);
	}
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM event WHERE kind = 'unproven'"), 1);
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM event WHERE kind = 'proven'"), 1);
}

/* It ended while nobody looked: that is told. */
static void ended_meanwhile(void **state)
{
	struct fixture *fx = *state;
	struct track_events *t = track_events_new();
	struct kept k = {0};

	assert_int_equal(incidents_open(&k.i, fx->dir), 0);
	tell(&k, t, limping(90, 0xabc));
	incidents_close(k.i);
	track_events_free(t);
	t = track_events_new();
	assert_int_equal(incidents_open(&k.i, fx->dir), 0);
	assert_int_equal(incidents_resume(k.i, t, k.alert), 0);
	tell(&k, t, verdict_at(300));
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM event WHERE kind = 'over'"), 1);
	assert_int_equal(ask(fx->dir, "SELECT over_ns FROM incident"), AT(300));
	incidents_close(k.i);
	track_events_free(t);
}

/* What cannot be written waits, and is written then. */
static void cannot_be_written(void **state)
{
	struct fixture *fx = *state;
	struct track_events *t = track_events_new();
	struct kept k = {0};
	struct verdict a = limping(90, 0xabc);
	char path[400];
	sqlite3 *db;

	assert_int_equal(incidents_open(&k.i, fx->dir), 0);
	snprintf(path, sizeof(path), "%s/incidents.db", fx->dir);
	assert_int_equal(sqlite3_open(path, &db), 0);
	assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), 0);
	assert_int_equal(levels(t, &a, keep, &k), 0);
	assert_non_null(strstr(incidents_flush(k.i), "locked"));
	assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), 0);
	sqlite3_close(db);
	assert_null(incidents_flush(k.i));
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM event"), 2);
	verdict_release(&a);
	incidents_close(k.i);
	track_events_free(t);
}

/* A damaged file is moved aside; one of another program is not touched. */
static void damaged(void **state)
{
	struct fixture *fx = *state;
	struct kept k = {0};
	char path[400];
	FILE *f;
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/incidents.db", fx->dir);
	f = fopen(path, "w");
	for (int i = 0; i < 9000; i++)
		fputc('x', f);
	fclose(f);
	assert_int_equal(incidents_open(&k.i, fx->dir), 0);
	incidents_close(k.i);
	assert_int_equal(ask(fx->dir, "SELECT count(*) FROM event"), 0);
	unlink(path);
	assert_int_equal(sqlite3_open(path, &db), 0);
	assert_int_equal(
		sqlite3_exec(db, "PRAGMA application_id=5; CREATE TABLE x(y)", NULL, NULL, NULL),
		0);
	sqlite3_close(db);
	assert_int_equal(incidents_open(&k.i, fx->dir), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(goes_on, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(limps_and_is_silent, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(jobs_go_on, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(unproven_goes_on, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(ended_meanwhile, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(cannot_be_written, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(damaged, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
