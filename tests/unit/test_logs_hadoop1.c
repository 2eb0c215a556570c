// SPDX-License-Identifier: BSD-2-Clause
/* Attempts of Hadoop 1 that never ran, or said nothing until they were given up: in a TaskTracker's log, and in a history. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/source/logs/log_source.h"

static char path[] = "/tmp/limpet-logs.XXXXXX";

static void read_text(struct states *s, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
	*s = (struct states){0};
	assert_int_equal(states_read(s, path), 0);
	assert_int_equal(states_finish(s), 0);
}

/* "node kind id seconds outcome" of each, in order. */
static void says(const struct states *s, const char *want)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		fprintf(f, "%s %s %s %g %d%s\n", s->nodes.at[x->node], state_rows[x->kind].word,
			s->ids.at[x->id] + strlen("attempt_9_"),
			(double)(x->end_ns - x->start_ns) / 1e9, x->outcome,
			x->silent ? " silent" : "");
	}
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

/* clang-format off */
#define AT(S) "2026-11-23 08:00:" S ",000 INFO org.apache.hadoop.mapred.TaskTracker: "
#define LAUNCH(ID) "LaunchTaskAction (registerTask): " ID " task's state:"
#define GIVEN(ID) "JVM with ID: jvm_9_0001_m_-7 given task: " ID "\n"
#define GIVEN_UP(ID) ID ": Task " ID " failed to report status for 30 seconds. Killing!\n"
#define A0 "attempt_9_0001_m_000000_0"
#define A1 "attempt_9_0001_m_000001_0"
#define A2 "attempt_9_0001_r_000000_0"
#define A3 "attempt_9_0001_r_000001_0"
static const char tracker[] =
	"STARTUP_MSG: Starting TaskTracker\n"
	"STARTUP_MSG:   host = s1/10.0.0.1\n"
	AT("01") LAUNCH(A0) "UNASSIGNED\n"
	AT("01") LAUNCH(A1) "UNASSIGNED\n"
	AT("03") GIVEN(A0)
	AT("04") LAUNCH(A2) "UNASSIGNED\n"
	AT("05") GIVEN(A2)
	AT("08") "Task " A0 " is done.\n"
	AT("34") GIVEN_UP(A2)
	AT("35") GIVEN_UP(A1)
	/* once more, to be tidied up */
	AT("36") LAUNCH(A2) "FAILED_UNCLEAN\n"
	AT("40") LAUNCH(A3) "UNASSIGNED\n"
	AT("50") "addFreeSlot : current free slots : 1\n";

#define RECORD(TYPE, ID, REST) TYPE "Attempt TASK_TYPE=\"MAP\" TASKID=\"t\" TASK_ATTEMPT_ID=\"" ID "\" " REST " .\n"
#define START(MS) "START_TIME=\"" MS "\" TRACKER_NAME=\"tracker_s2:localhost/127\\.0\\.0\\.1:9\" HTTP_PORT=\"1\""
#define END(HOW, MS, WHY) "TASK_STATUS=\"" HOW "\" FINISH_TIME=\"" MS "\" HOSTNAME=\"s2\" ERROR=\"" WHY "\""
static const char history[] =
	"Meta VERSION=\"1\" .\n"
	"Job JOBID=\"job_9_0001\" JOBNAME=\"sort\" SUBMIT_TIME=\"1000\" .\n"
	RECORD("Map", A0, START("2000"))
	RECORD("Map", A0, END("FAILED", "32000", "Task " A0 " failed to report status for 30 seconds\\. Killing!"))
	RECORD("Map", A1, START("0"))
	RECORD("Map", A1, END("FAILED", "0", "Error launching task"));
/* clang-format on */

static void it_runs_from_when_its_machine_asks_for_it(void **state)
{
	struct states s;

	(void)state;
	read_text(&s, tracker);
	says(&s, "s1 map 0001_m_000001_0 34 1 silent\n"
		 "s1 map 0001_m_000000_0 5 0\n"
		 "s1 reduce 0001_r_000000_0 29 1 silent\n"
		 "s1 reduce 0001_r_000001_0 10 3\n");
	assert_int_equal(s.counts.starts_twice, 0);
	states_release(&s);
}

static void what_was_never_launched_failed_when_that_was_written(void **state)
{
	struct states s;

	(void)state;
	read_text(&s, history);
	says(&s, "s2 map 0001_m_000000_0 30 1 silent\ns2 map 0001_m_000001_0 0 1\n");
	assert_int_equal(s.at[1].end_ns, 32000000000);
	assert_int_equal(s.counts.junk, 0);
	assert_int_equal(s.n_error, 2);
	states_release(&s);
}

/* What says that an attempt was given up for its silence, in the words of each engine; and what does not. */
static void silence_has_many_words(void **state)
{
	static const char *const silent[] = {
		GIVEN_UP(A0), "AttemptID:" A0 " Timed out after 600 secs",
		"AttemptID:" A0 " task timeout set: 30s, taskTimedOut: true; task stuck timeout "
		"set: 600s, taskStuck: false",
		"ExecutorLostFailure: Executor heartbeat timed out after 47753 ms"};
	static const char *const loud[] = {
		"AttemptID:" A0 " task timeout set: 30s, taskTimedOut: false; task stuck timeout "
		"set: 600s, taskStuck: false",
		"FetchFailed: Connecting to s4 timed out after 120000 ms", ""};

	(void)state;
	for (size_t i = 0; i < sizeof(silent) / sizeof(*silent); i++)
		assert_true(log_error_is_silence(piece_of(silent[i])));
	for (size_t i = 0; i < sizeof(loud) / sizeof(*loud); i++)
		assert_false(log_error_is_silence(piece_of(loud[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_has_many_words),
		cmocka_unit_test(it_runs_from_when_its_machine_asks_for_it),
		cmocka_unit_test(what_was_never_launched_failed_when_that_was_written),
	};
	int fd = mkstemp(path), err;

	if (fd < 0)
		return 1;
	close(fd);
	err = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return err;
}
