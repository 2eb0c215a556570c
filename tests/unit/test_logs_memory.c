// SPDX-License-Identifier: BSD-2-Clause
/* source/logs: wherever memory is short, a log says so, or was read as a whole. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/source/logs/log_source.h"
#include "short_memory.h"

static char path[] = "/tmp/limpet-logs.XXXXXX";

/* clang-format off */
#define ADDED(ID, HOST) "{\"Event\":\"SparkListenerExecutorAdded\",\"Timestamp\":1000,\"Executor ID\":\"" ID \
	"\",\"Executor Info\":{\"Host\":\"" HOST "\",\"Total Cores\":4}}\n"
#define TASK(ID, EXECUTOR, HOST) "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":0,\"Stage Attempt ID\":0," \
	"\"Task Type\":\"ResultTask\",\"Task End Reason\":{\"Reason\":\"Success\"},\"Task Info\":{\"Task ID\":" ID \
	",\"Index\":" ID ",\"Attempt\":0,\"Launch Time\":2000,\"Executor ID\":\"" EXECUTOR "\",\"Host\":\"" HOST \
	"\",\"Locality\":\"ANY\",\"Speculative\":false,\"Getting Result Time\":0,\"Finish Time\":3000,\"Failed\":false," \
	"\"Killed\":false}}\n"
static const char spark[] =
	"{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"a\",\"App ID\":\"app-1\",\"Timestamp\":1000,\"User\":\"u\"}\n"
	ADDED("0", "s1") ADDED("1", "s2") ADDED("2", "s3") ADDED("3", "s4")
	"{\"Event\":\"SparkListenerJobStart\",\"Job ID\":0,\"Submission Time\":1500,\"Stage IDs\":[0]}\n"
	TASK("0", "0", "s1") TASK("1", "1", "s2") TASK("2", "2", "s3");

#define ATTEMPT(ID, HOST) "{\"attemptID\":\"attempt_1_0001_m_" ID "_0\",\"hostName\":\"/r/" HOST \
	"\",\"result\":\"SUCCESS\",\"startTime\":1000,\"finishTime\":3500}"
static const char rumen[] =
	"{ \"jobID\" : \"job_1_0001\", \"outcome\" : \"SUCCESS\", \"submitTime\" : 999, \"mapTasks\" : [ { \"taskType\" : \"MAP\",\n"
	"\"inputBytes\" : 7, \"attempts\" : [ " ATTEMPT("000000", "a") ", " ATTEMPT("000001", "b") ", " ATTEMPT("000002", "c")
	" ] } ], \"reduceTasks\" : [] }\n";

#define MASTER "2026-11-23 08:00:01,000 INFO [main] org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl: "
#define RUNS(ID, N, HOST) \
	MASTER "TaskAttempt: [attempt_1_0001_m_" ID "_0] using containerId: [container_1_0001_01_" N " on NM: [" HOST ":4]\n" \
	MASTER "attempt_1_0001_m_" ID "_0 TaskAttempt Transitioned from ASSIGNED to RUNNING\n" \
	MASTER "attempt_1_0001_m_" ID "_0 TaskAttempt Transitioned from RUNNING to SUCCEEDED\n"
#define GRANTED(ID, HOST) "26/11/22 22:55:12 INFO StandaloneSchedulerBackend: Granted executor ID app-1/" ID " on hostPort " HOST \
	":7078 with 1 core(s), 512.0 MiB RAM\n"
#define SECOND(ID, HOST) "26/11/22 22:55:12 INFO StandaloneSchedulerBackend: Granted executor ID app-2/" ID " on hostPort " HOST \
	":7078 with 1 core(s), 512.0 MiB RAM\n"
#define REGISTERED(ID, S) "26/11/22 22:55:" S " INFO StandaloneSchedulerBackend$StandaloneDriverEndpoint: Registered executor " \
	"NettyRpcEndpointRef(spark-client://Executor) (10.78.0.1:46926) with ID " ID ", ResourceProfileId 0\n"
static const char driver[] =
	"WARNING: Using incubator modules: jdk.incubator.vector\n26/11/22 22:55:11 INFO SparkContext: Running Spark version 4.3.0\n"
	GRANTED("0", "s1") GRANTED("1", "s2") GRANTED("2", "s3") GRANTED("3", "s4")
	"26/11/22 22:55:21 INFO StandaloneSchedulerBackend$StandaloneDriverEndpoint: Registered executor "
	"NettyRpcEndpointRef(spark-client://Executor) (10.78.0.1:46926) with ID 0, ResourceProfileId 0\n"
	"26/11/22 22:55:22 INFO CoarseGrainedSchedulerBackend$DriverEndpoint: Registered executor "
	"NettyRpcEndpointRef(spark-client://Executor) (10.78.0.2:46926) with ID 1\n"
	"26/11/22 22:55:30 INFO StandaloneAppClient$ClientEndpoint: Executor updated: app-1/2 is now EXITED (Command exited with code 1)\n"
	"26/11/22 22:55:31 INFO StandaloneAppClient$ClientEndpoint: Executor updated: app-1/1 is now KILLED\n"
	"26/11/22 22:56:01 INFO StandaloneSchedulerBackend: Shutting down all executors\n"
	"26/11/22 22:57:00 INFO SparkContext: Successfully stopped SparkContext\n";
static const char master[] = RUNS("000000", "000002", "s1") RUNS("000001", "000003", "s2") RUNS("000002", "000004", "s3");
/* clang-format on */

/* States of it, or a negative error. */
static int read_log(void)
{
	struct states s = {0};
	int err = states_read(&s, path);

	err = err ? err : states_finish(&s);
	err = err ? err : (int)s.n;
	states_release(&s);
	return err;
}

static void reads(const char *text, int states)
{
	FILE *f = fopen(path, "w");
	int n = 0, got, short_of = 0;

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
	assert_int_equal(read_log(), states);
	do {
		left = n++;
		got = read_log();
		short_of += got == -ENOMEM;
		if (got != -ENOMEM)
			assert_int_equal(got, states);
	} while (left < 0);
	left = -1;
	assert_true(short_of > 20);
}

static void test_spark(void **state)
{
	(void)state;
	reads(spark, 3);
}

static void test_rumen(void **state)
{
	(void)state;
	reads(rumen, 3);
}

static void test_master(void **state)
{
	(void)state;
	reads(master, 3);
}

/* Executors register, or fail before, or wait until the driver stops; what becomes of them later is another matter. */
static void test_spark_driver(void **state)
{
	static const struct {
		double seconds;
		enum state_outcome outcome;
	} want[] = {{9, OUTCOME_OK}, {10, OUTCOME_OK}, {18, OUTCOME_FAILED}, {49, OUTCOME_KILLED}};
	struct states s = {0};

	(void)state;
	reads(driver, 4);
	assert_int_equal(states_read(&s, path) ?: states_finish(&s), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(s.at[i].kind, STATE_EXECUTOR);
		assert_string_equal(s.nodes.at[s.at[i].node],
				    ((const char *const[]){"s1", "s2", "s3", "s4"})[i]);
		assert_string_equal(s.jobs.at[s.at[i].job], "app-1");
		assert_int_equal(s.at[i].outcome, want[i].outcome);
		assert_true(!s.at[i].lost &&
			    (double)(s.at[i].end_ns - s.at[i].start_ns) == want[i].seconds * 1e9);
	}
	assert_true(s.at[0].start_ns == 1795388112 * (int64_t)1000000000);
	states_release(&s);
}

/* Two applications in one log: the second was granted its executors before the first's had registered. And one that the driver killed
 * while it was waited for, which says nothing. */
static void test_spark_driver_of_two(void **state)
{
	static const char two[] =
		"26/11/22 22:55:11 INFO SparkContext: Running Spark version 4.3.0\n" GRANTED(
			"0", "s1") GRANTED("7", "s2") SECOND("20", "s1") SECOND("21", "s2")
			REGISTERED("20", "21") REGISTERED("0", "22") REGISTERED(
				"7",
				"23") "26/11/22 22:55:30 INFO StandaloneAppClient$ClientEndpoint: "
				      "Executor updated: app-2/21 is now KILLED\n"
				      "26/11/22 22:59:01 INFO StandaloneSchedulerBackend: Shutting "
				      "down all executors\n";
	static const double want[] = {10, 9, 11};
	struct states s = {0};

	(void)state;
	reads(two, 3);
	assert_int_equal(states_read(&s, path) ?: states_finish(&s), 0);
	for (size_t i = 0; i < s.n; i++) {
		assert_int_equal(s.at[i].outcome, OUTCOME_OK);
		assert_true((double)(s.at[i].end_ns - s.at[i].start_ns) == want[i] * 1e9);
	}
	states_release(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spark),
		cmocka_unit_test(test_spark_driver),
		cmocka_unit_test(test_spark_driver_of_two),
		cmocka_unit_test(test_rumen),
		cmocka_unit_test(test_master),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
