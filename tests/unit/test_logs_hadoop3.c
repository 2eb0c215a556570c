// SPDX-License-Identifier: BSD-2-Clause
/* Logs of Hadoop 2 and 3: a history in both its forms says the same, and so do the logs that grow. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/source/logs/log_source.h"

static char path[] = "/tmp/limpet-logs.XXXXXX";

static void read_bytes(struct states *s, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
	*s = (struct states){0};
	assert_int_equal(states_read(s, path), 0);
	assert_int_equal(states_finish(s), 0);
}

/* "node kind seconds bytes class outcome" of each, in order. */
static void says(const struct states *s, const char *want)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		fprintf(f, "%s %s %g %lld %s %d%s\n", s->nodes.at[x->node],
			state_rows[x->kind].word, (double)(x->end_ns - x->start_ns) / 1e9,
			(long long)x->bytes, x->cls == STATE_NONE ? "-" : s->classes.at[x->cls],
			x->outcome, x->lost ? " lost" : "");
	}
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

/* ---- histories ---------------------------------------------------------------------------------------- */

#define SPACE "org.apache.hadoop.mapreduce.jobhistory."
#define LONG_TRACE                                                                                 \
	"at org.apache.hadoop.mapred.MapTask.run at org.apache.hadoop.mapred.MapTask.run at org. " \
	"at org.apache.hadoop.mapred.MapTask.run at org.apache.hadoop.mapred.MapTask.run at org. " \
	"at org.apache.hadoop.mapred.MapTask.run at org.apache.hadoop.mapred.MapTask.run at org. "
#define ERROR_JSON "Error: \\\"disk 12\\\" is full\\n\\t" LONG_TRACE "\\u00e4\\\\"
#define ERROR_TEXT "Error: \"disk 12\" is full\n\t" LONG_TRACE
static const char json[] =
	"Avro-Json\n"
	"{\"type\":\"record\",\"name\":\"Event\"}\n"
	"{\"type\":\"JOB_SUBMITTED\",\"event\":{\"" SPACE
	"JobSubmitted\":{\"jobid\":\"job_9_0001\",\"jobName\":\"sort "
	"\\\"it\\\"\",\"submitTime\":1000}}}\n"
	"\n"
	"{\"type\":\"MAP_ATTEMPT_STARTED\",\"event\":{\"" SPACE
	"TaskAttemptStarted\":{\"taskType\":\"MAP\",\"attemptId\":\"attempt_9_0001_m_000000_0\","
	"\"startTime\":"
	"2000,\"trackerName\":\"s1\",\"locality\":{\"string\":\"NODE_LOCAL\"}}}}\n"
	"{\"type\":\"REDUCE_ATTEMPT_STARTED\",\"event\":{\"" SPACE
	"TaskAttemptStarted\":{\"taskType\":\"REDUCE\",\"attemptId\":\"attempt_9_0001_r_000000_0\","
	"\"startTime\":3000,\"trackerName\":\"s2\",\"locality\":null}}}\n"
	"{\"type\":\"MAP_ATTEMPT_FINISHED\",\"event\":{\"" SPACE
	"MapAttemptFinished\":{\"taskType\":\"MAP\",\"attemptId\":\"attempt_9_0001_m_000000_0\","
	"\"taskStatus\":\"SUCCEEDED\",\"mapFinishTime\":4500,\"finishTime\":4700,\"hostname\":"
	"\"s1\","
	"\"counters\":{\"name\":\"COUNTERS\",\"groups\":[{\"name\":\"g\",\"displayName\":\"g\","
	"\"counts\":["
	"{\"name\":\"HDFS_BYTES_READ\",\"displayName\":\"x\",\"value\":77}]}]}}}}\n"
	"{\"type\":\"REDUCE_ATTEMPT_FINISHED\",\"event\":{\"" SPACE
	"ReduceAttemptFinished\":{\"taskType\":\"REDUCE\",\"attemptId\":\"attempt_9_0001_r_000000_"
	"0\","
	"\"taskStatus\":\"SUCCEEDED\",\"shuffleFinishTime\":5000,\"sortFinishTime\":5500,"
	"\"finishTime\":9000,"
	"\"hostname\":\"s2\",\"counters\":{\"name\":\"COUNTERS\",\"groups\":[]}}}}\n"
	"{\"type\":\"MAP_ATTEMPT_STARTED\",\"event\":{\"" SPACE
	"TaskAttemptStarted\":{\"taskType\":\"MAP\",\"attemptId\":\"attempt_9_0001_m_000001_0\","
	"\"startTime\":"
	"2000,\"trackerName\":\"s2\",\"locality\":null}}}\n"
	"{\"type\":\"MAP_ATTEMPT_FAILED\",\"event\":{\"" SPACE
	"TaskAttemptUnsuccessfulCompletion\":{\"taskType\":\"MAP\",\"attemptId\":\"attempt_9_0001_"
	"m_"
	"000001_0\","
	"\"finishTime\":4000,\"hostname\":\"s2\",\"status\":\"FAILED\",\"error\":\"" ERROR_JSON
	"\"}}}\n"
	"{\"type\":\"JOB_FINISHED\",\"event\":{\"" SPACE
	"JobFinished\":{\"jobid\":\"job_9_0001\",\"finishTime\":9500}}}\n"
	"{\"type\":\"A_NEW_ONE\",\"event\":{\"" SPACE "SomethingNew\":{\"x\":[1,2]}}}\n";

static const char states_of_it[] = "s1 map 2.5 77 NODE_LOCAL 0\n"
				   "s2 map 2 -1 - 1\n"
				   "s2 reduce 6 -1 - 0\n"
				   "s2 shuffle-wait 2 -1 - 0\n"
				   "s2 sort 0.5 -1 - 0\n"
				   "s2 reducer 3.5 -1 - 0\n";

/* As Hadoop's schema, of fewer fields; names that were defined before are used by name. */
#define TEXT(NAME)	     "{\"name\":\"" NAME "\",\"type\":\"string\"}"
#define LONG(NAME)	     "{\"name\":\"" NAME "\",\"type\":\"long\"}"
#define RECORD(NAME, FIELDS) "{\"type\":\"record\",\"name\":\"" NAME "\",\"fields\":[" FIELDS "]}"
/* clang-format off */
static const char schema[] =
	"{\"type\":\"record\",\"name\":\"Event\",\"namespace\":\"org.apache.hadoop.mapreduce.jobhistory\","
	"\"fields\":[{\"name\":\"type\",\"type\":{\"type\":\"enum\",\"name\":\"EventType\",\"symbols\":[\"A\","
	"\"B\"]}},{\"name\":\"event\",\"type\":["
	RECORD("JobFinished", TEXT("jobid") "," LONG("finishTime")) ","
	RECORD("JobSubmitted", TEXT("jobid") "," TEXT("jobName") "," LONG("submitTime")) ","
	RECORD("TaskAttemptStarted",
	       TEXT("taskType") "," TEXT("attemptId") "," LONG("startTime") "," TEXT("trackerName")
	       ",{\"name\":\"locality\",\"type\":[\"null\",\"string\"],\"default\":null}") ","
	RECORD("MapAttemptFinished",
	       TEXT("taskType") "," TEXT("attemptId") "," TEXT("taskStatus") "," LONG("mapFinishTime") ","
	       LONG("finishTime") "," TEXT("hostname") ",{\"name\":\"counters\",\"type\":"
	       RECORD("JhCounters", TEXT("name") ",{\"name\":\"groups\",\"type\":{\"type\":\"array\",\"items\":"
		      RECORD("JhCounterGroup", TEXT("name") "," TEXT("displayName")
			     ",{\"name\":\"counts\",\"type\":{\"type\":\"array\",\"items\":"
			     RECORD("JhCounter", TEXT("name") "," TEXT("displayName") "," LONG("value"))
			     "}}") "}}") "}") ","
	RECORD("ReduceAttemptFinished",
	       TEXT("taskType") "," TEXT("attemptId") "," TEXT("taskStatus") "," LONG("shuffleFinishTime") ","
	       LONG("sortFinishTime") "," LONG("finishTime") "," TEXT("hostname")
	       ",{\"name\":\"counters\",\"type\":\"JhCounters\"}") ","
	RECORD("TaskAttemptUnsuccessfulCompletion",
	       TEXT("taskType") "," TEXT("attemptId") "," LONG("finishTime") "," TEXT("hostname") ","
	       TEXT("status") "," TEXT("error"))
	"]}]}";
/* clang-format on */

struct avro {
	char at[16384];
	size_t n;
};

static void put(struct avro *a, const void *bytes, size_t n)
{
	assert_true(a->n + n <= sizeof(a->at));
	memcpy(a->at + a->n, bytes, n);
	a->n += n;
}

/* Zigzag, seven bits a byte. */
static void put_long(struct avro *a, int64_t v)
{
	uint64_t z = (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
	unsigned char byte;

	do {
		byte = (unsigned char)((z & 127) | (z > 127 ? 128 : 0));
		put(a, &byte, 1);
		z >>= 7;
	} while (z);
}

static void put_text(struct avro *a, const char *text)
{
	put_long(a, (int64_t)strlen(text));
	put(a, text, strlen(text));
}

/* An event of type A: texts and numbers after the branch, as words tell: t, l. */
static void put_event(struct avro *a, int branch, const char *words, ...)
{
	va_list ap;

	put_long(a, 0);
	put_long(a, branch);
	va_start(ap, words);
	for (; *words; words++)
		if (*words == 't')
			put_text(a, va_arg(ap, const char *));
		else
			put_long(a, va_arg(ap, int));
	va_end(ap);
}

static void put_history(struct avro *a)
{
	put(a, "Avro-Binary\n", 12);
	put(a, schema, sizeof(schema) - 1);
	put(a, "\n", 1);
	put_event(a, 1, "ttl", "job_9_0001", "sort \"it\"", 1000);
	put_event(a, 2, "ttltlt", "MAP", "attempt_9_0001_m_000000_0", 2000, "s1", 1, "NODE_LOCAL");
	put_event(a, 2, "ttltl", "REDUCE", "attempt_9_0001_r_000000_0", 3000, "s2", 0);
	put_event(a, 3,
		  "tttlltt"
		  "ltt"
		  "lttl"
		  "ll",
		  "MAP", "attempt_9_0001_m_000000_0", "SUCCEEDED", 4500, 4700, "s1", "COUNTERS", 1,
		  "g", "g", 1, "HDFS_BYTES_READ", "x", 77, 0, 0);
	put_event(a, 4,
		  "tttllltt"
		  "l",
		  "REDUCE", "attempt_9_0001_r_000000_0", "SUCCEEDED", 5000, 5500, 9000, "s2",
		  "COUNTERS", 0);
	put_event(a, 2, "ttltl", "MAP", "attempt_9_0001_m_000001_0", 2000, "s2", 0);
	put_event(a, 5, "ttlttt", "MAP", "attempt_9_0001_m_000001_0", 4000, "s2", "FAILED",
		  ERROR_TEXT);
	put_event(a, 0, "tl", "job_9_0001", 9500);
}

static void job_is(const struct states *s)
{
	assert_int_equal(s->jobs.n, 1);
	assert_string_equal(s->jobs.at[0], "job_9_0001");
	assert_string_equal(s->classes.at[s->job[0].name], "sort \"it\"");
	assert_int_equal(s->job[0].submit_ns, 1000000000);
	assert_int_equal(s->job[0].finish_ns, 9500000000);
	assert_int_equal(s->job[0].outcome, OUTCOME_OK);
}

/* One map that ended badly, and what its master said of it. */
static void read_end(struct states *s, const char *status, const char *error)
{
	char log[1024];
	int n = snprintf(
		log, sizeof(log),
		"Avro-Json\n{}\n"
		"{\"type\":\"MAP_ATTEMPT_STARTED\",\"event\":{\"" SPACE
		"TaskAttemptStarted\":{\"taskType\":\"MAP\",\"attemptId\":\"attempt_9_0001_m_"
		"000002_0\",\"startTime\":2000,\"trackerName\":\"s2\"}}}\n"
		"{\"type\":\"MAP_ATTEMPT_%s\",\"event\":{\"" SPACE
		"TaskAttemptUnsuccessfulCompletion\":{\"taskType\":\"MAP\",\"attemptId\":"
		"\"attempt_9_0001_m_000002_0\",\"finishTime\":602000,\"hostname\":\"s2\","
		"\"status\":\"%s\",\"error\":\"%s\"}}}\n",
		status, status, error);

	read_bytes(s, log, (size_t)n);
}

/* What Hadoop 2 and 3 say of one that said nothing. */
static void what_timed_out_was_silent(void **state)
{
	struct states s;

	(void)state;
	read_end(&s, "FAILED", "AttemptID:attempt_9_0001_m_000002_0 Timed out after 600 secs");
	says(&s, "s2 map 600 -1 - 1\n");
	assert_true(s.at[0].silent);
	states_release(&s);
}

/* And of one that was killed with its server, which is no race that it lost. */
static void what_was_killed_with_its_server_is_gone(void **state)
{
	static const char *const said[] = {
		"Container released on a *lost* node",
		"TaskAttempt killed because it ran on unusable node s2:45485",
		"Container killed by the ApplicationMaster."};
	struct states s;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		read_end(&s, "KILLED", said[i]);
		assert_int_equal(s.at[0].outcome, OUTCOME_KILLED);
		assert_int_equal(s.at[0].gone, i < 2);
		states_release(&s);
	}
	read_end(&s, "FAILED", said[0]);
	assert_false(s.at[0].gone);
	states_release(&s);
}

static void it_says_why_one_failed(const struct states *s)
{
	assert_int_equal(s->n_error, 1);
	assert_string_equal(s->nodes.at[s->error[0].node], "s2");
	assert_int_equal(s->error[0].time_ns, 4000000000);
	assert_string_equal(s->errors.at[s->error[0].text], "Error: \"disk #\" is full");
}

static void a_history_says_the_same_in_both_forms(void **state)
{
	static struct avro a;
	struct states s;

	(void)state;
	read_bytes(&s, json, sizeof(json) - 1);
	says(&s, states_of_it);
	job_is(&s);
	it_says_why_one_failed(&s);
	assert_int_equal(s.counts.junk, 0);
	states_release(&s);

	put_history(&a);
	read_bytes(&s, a.at, a.n);
	says(&s, states_of_it);
	job_is(&s);
	it_says_why_one_failed(&s);
	assert_int_equal(s.notes.len, 0);
	states_release(&s);
}

/* libavro keeps the memory of a string that is cut off, as in the test below. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libavro.so";
}

static void a_binary_history_that_is_cut_off_is_read_up_to_there(void **state)
{
	static struct avro a;
	struct states s;

	(void)state;
	put_history(&a);
	for (size_t n = 13; n < a.n; n += 7) {
		read_bytes(&s, a.at, n);
		assert_true(s.n <= 6);
		states_release(&s);
	}
	read_bytes(&s, a.at, a.n - 3);
	says(&s, states_of_it);
	assert_non_null(strstr(text_of(&s.notes), "damaged or cut off"));
	assert_int_equal(s.job[0].outcome, OUTCOME_OPEN);
	states_release(&s);
}

static void a_schema_without_end_is_refused(void **state)
{
	static const char text[] = "Avro-Binary\n" RECORD(
		"Event", "{\"name\":\"event\",\"type\":[\"null\",\"Event\"]}") "\n\x02\x02\x02\x02";
	struct states s;

	(void)state;
	read_bytes(&s, text, sizeof(text) - 1);
	assert_int_equal(s.n, 0);
	assert_non_null(strstr(text_of(&s.notes), "schema"));
	states_release(&s);
}

/* ---- logs that grow ------------------------------------------------------------------------------------ */

/* clang-format off */
#define AT(S) "2026-11-23 08:00:" S ",500 INFO [main] org.apache.hadoop.mapreduce.v2.app.job.impl.X: "
#define MAP0 "attempt_9_0001_m_000000_0"
#define MAP1 "attempt_9_0001_m_000001_0"
static const char masters_log[] =
	AT("01") "Created MRAppMaster\n"
	AT("02") "TaskAttempt: [" MAP0 "] using containerId: [container_9_0001_01_000002 on NM: [s1:45454]\n"
	AT("02") MAP0 " TaskAttempt Transitioned from ASSIGNED to RUNNING\n"
	AT("03") "TaskAttempt: [" MAP1 "] using containerId: [container_9_0001_01_000003 on NM: [s2:45454]\n"
	AT("03") MAP1 " TaskAttempt Transitioned from ASSIGNED to RUNNING\n"
	AT("04") "Progress of TaskAttempt " MAP0 " is : 0.25\n"
	"\tat a.line.of.a.Trace(Transitioned from RUNNING to X)\n"
	AT("06") MAP0 " TaskAttempt Transitioned from RUNNING to COMMIT_PENDING\n"
	AT("07") MAP0 " TaskAttempt Transitioned from COMMIT_PENDING to SUCCESS_FINISHING_CONTAINER\n"
	AT("08") MAP0 " TaskAttempt Transitioned from SUCCESS_FINISHING_CONTAINER to SUCCEEDED\n"
	AT("09") MAP1 " transitioned from state RUNNING to FAIL_CONTAINER_CLEANUP, event type is TA_TIMED_OUT "
		 "and nodeId=s2:45454\n"
	AT("10") "job_9_0001Job Transitioned from COMMITTING to SUCCEEDED\n"
	AT("11") MAP0 " TaskAttempt Transitioned from SUCCEEDED to KILLED\n";
#undef AT
#define AT(S) "2026-11-23 08:00:" S ",000 INFO org.apache.hadoop.yarn.server.nodemanager.X: Container "
#define C "container_e08_9_0001_01_00000"
static const char servers_log[] =
	"STARTUP_MSG: Starting NodeManager\n"
	"STARTUP_MSG:   host = s3/10.0.0.3\n"
	AT("01") C "2 transitioned from NEW to LOCALIZING\n"
	AT("03") C "2 transitioned from LOCALIZING to SCHEDULED\n"
	AT("04") C "2 transitioned from SCHEDULED to RUNNING\n"
	AT("05") C "1 transitioned from NEW to LOCALIZING\n"
	AT("06") C "1 transitioned from LOCALIZING to LOCALIZATION_FAILED\n"
	AT("09") C "2 transitioned from RUNNING to EXITED_WITH_SUCCESS\n";
/* clang-format on */

static void the_masters_log(void **state)
{
	struct states s;

	(void)state;
	read_bytes(&s, masters_log, sizeof(masters_log) - 1);
	says(&s, "s1 map 5 -1 - 0 lost\ns2 map 6 -1 - 1\n");
	assert_int_equal(s.n_progress, 1);
	assert_true(s.progress[0].done == 0.25F && s.progress[0].kind == STATE_MAP);
	assert_int_equal(s.job[0].outcome, OUTCOME_OK);
	states_release(&s);
}

static void a_servers_log(void **state)
{
	struct states s;

	(void)state;
	read_bytes(&s, servers_log, sizeof(servers_log) - 1);
	says(&s, "s3 localize 2 -1 - 0\ns3 queue 1 -1 - 0\ns3 run 5 -1 - 0\ns3 localize 1 -1 "
		 "master 1\n");
	assert_string_equal(s.jobs.at[0], "job_9_0001");
	states_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_history_says_the_same_in_both_forms),
		cmocka_unit_test(a_binary_history_that_is_cut_off_is_read_up_to_there),
		cmocka_unit_test(what_timed_out_was_silent),
		cmocka_unit_test(what_was_killed_with_its_server_is_gone),
		cmocka_unit_test(a_schema_without_end_is_refused),
		cmocka_unit_test(the_masters_log),
		cmocka_unit_test(a_servers_log),
	};
	int fd = mkstemp(path), err;

	if (fd < 0)
		return 1;
	close(fd);
	err = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return err;
}
