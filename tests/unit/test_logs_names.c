// SPDX-License-Identifier: BSD-2-Clause
/* Servers that logs call by a name here and by an address there: in any order of logs, read whole or followed, with the
 * same end. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/source/logs/log_source.h"

enum { LOGS = 4 };

/* Logs, each of another server; whom states are charged to then, and lines about names. */
struct scene {
	const char *log[LOGS], *servers, *said;
};

/* Each server with its states: "s4 map read", and states whose other end is another one "read>s5". */
static char *servers_of(const struct states *s)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (size_t n = 0; n < s->nodes.n; n++) {
		bool any = false;

		for (size_t k = 0; k < STATE_KIND_COUNT; k++)
			for (size_t i = 0; i < s->n; i++) {
				const struct state *x = &s->at[i];

				if (x->node != n || x->kind != k)
					continue;
				fprintf(f, "%s%s %s", any ? "" : s->nodes.at[n], any ? "," : ":",
					state_rows[k].word);
				if (x->peer != STATE_NONE && x->peer != n)
					fprintf(f, ">%s", s->nodes.at[x->peer]);
				if (x->peer != STATE_NONE)
					fprintf(f, " %s",
						x->cls == STATE_NONE ? "?" : s->classes.at[x->cls]);
				any = true;
			}
		if (any)
			fputc('\n', f);
	}
	fclose(f);
	return text;
}

static int by_line(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The order of lines is that of the logs: it does not matter. */
static char *sorted(char *text)
{
	char *line[32], *at = NULL, *to = calloc(1, strlen(text) + 2);
	size_t n = 0;

	for (char *l = strtok_r(text, "\n", &at); l; l = strtok_r(NULL, "\n", &at))
		line[n++] = l;
	qsort(line, n, sizeof(*line), by_line);
	for (size_t i = 0; i < n; i++)
		strcat(strcat(to, line[i]), "\n");
	free(text);
	return to;
}

static void read_in_order(const struct scene *c, const size_t order[LOGS], bool follow)
{
	char path[] = "/tmp/limpet-names.XXXXXX", *servers;
	struct text said = {0};
	struct states s = {0};

	close(mkstemp(path));
	for (size_t i = 0; i < LOGS; i++) {
		FILE *f = c->log[order[i]] ? fopen(path, "w") : NULL;

		if (!f)
			continue;
		fputs(c->log[order[i]], f);
		fclose(f);
		assert_int_equal(states_read(&s, path), 0);
		if (follow)
			assert_int_equal(states_finish(&s), 0);
	}
	unlink(path);
	assert_int_equal(states_finish(&s), 0);
	assert_int_equal(states_finish(&s), 0); /* nothing new, nothing else */
	servers = sorted(servers_of(&s));
	assert_string_equal(servers, c->servers);
	states_report(&said, &s);
	if (c->said)
		assert_non_null(strstr(text_of(&said), c->said));
	else
		assert_null(strstr(text_of(&said), "--hosts"));
	free(servers);
	text_release(&said);
	states_release(&s);
}

/* follow: also with a look after each log. */
static void read_scene(const struct scene *c, bool follow)
{
	size_t order[LOGS];

	for (size_t n = 0; n < LOGS * LOGS * LOGS * LOGS; n++) {
		bool there[LOGS] = {0}, all = true;

		for (size_t i = 0, m = n; i < LOGS; i++, m /= LOGS) {
			order[i] = m % LOGS;
			there[order[i]] = true;
		}
		for (size_t i = 0; i < LOGS; i++)
			all &= there[i];
		if (!all)
			continue;
		read_in_order(c, order, false);
		if (follow)
			read_in_order(c, order, true);
	}
}

/* clang-format off */
#define AT(S) "2026-11-23 08:00:" S ",000 INFO org.apache.hadoop."
#define HOST(NAME, ADDRESS) "STARTUP_MSG:   host = " NAME "/" ADDRESS "\n"
#define NODE(S) AT(S) "hdfs.server.datanode.DataNode.clienttrace: "
#define READ(S, FROM, TO, CLIENT) NODE(S) "src: /" FROM ":50010, dest: /" TO ":4711, bytes: 5, op: HDFS_READ, " \
	"cliID: DFSClient_" CLIENT "_7_1, offset: 0, srvID: DS-1-10.0.9.9-50010-2, blockid: blk_" S "_1, duration: 5000\n"
#define WRITE(S, FROM, TO) WRITE_BY(S, FROM, TO, "NONMAPREDUCE")
#define WRITE_BY(S, FROM, TO, CLIENT) NODE(S) "src: /" FROM ":4711, dest: /" TO ":50010, bytes: 5, op: HDFS_WRITE, " \
	"cliID: DFSClient_" CLIENT "_7_1, offset: 0, srvID: DS-1-10.0.9.9-50010-2, blockid: blk_" S "_1, duration: 5000\n"
#define SHUFFLE(S, FROM, TO, MAP) SENT(S, FROM, TO, "cliID: " MAP)
#define SENT(S, FROM, TO, FOR) AT(S) "mapred.TaskTracker.clienttrace: src: " FROM ":50060, dest: " TO ":4711, bytes: 5, " \
	"op: MAPRED_SHUFFLE, " FOR ", duration: 5000\n"
#define CONTAINER(S, ADDRESS, NAME) AT(S) "yarn.server.nodemanager.ContainersMonitorImpl: container_1_0001_01_0000" S "'s ip = " \
	ADDRESS ", and hostname = " NAME "\n"
#define MASTER(S, AT_) AT(S) "mapreduce.v2.app.client.MRClientService: Instantiated MRClientService at " AT_ "\n"
#define CALLER(S, FROM) AT(S) "ipc.Server: Auth successful for job_1 (auth:SIMPLE) from " FROM "\n"
#define MAP(N) "attempt_9_0001_m_00000" #N "_0"
#define REDUCE "attempt_9_0001_r_000000_0"
#define RUN(N, HOST) RUN_OF("Map", "MAP", MAP(N), HOST)
#define RUN_OF(KIND, TYPE, ID, HOST) KIND "Attempt TASK_TYPE=\"" TYPE "\" TASKID=\"t\" TASK_ATTEMPT_ID=\"" ID "\" START_TIME=\"2000\" " \
	"TRACKER_NAME=\"tracker_" HOST ":localhost/127\\.0\\.0\\.1:9\" HTTP_PORT=\"1\" .\n" \
	KIND "Attempt TASK_TYPE=\"" TYPE "\" TASKID=\"t\" TASK_ATTEMPT_ID=\"" ID "\" TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"4000\" HOSTNAME=\"" HOST "\" .\n"
#define HISTORY(...) "Meta VERSION=\"1\" .\nJob JOBID=\"job_9_0001\" JOBNAME=\"sort\" SUBMIT_TIME=\"1000\" .\n" __VA_ARGS__
/* clang-format on */

static void an_attempt_names_the_address_where_it_runs(void **state)
{
	(void)state;
	/* the reader of a block; the sender of a map's output; who writes to its own server, but not what comes down a
	 * pipeline, as s3's server wrote first to s2 */
	read_scene(&(struct scene){{HISTORY(RUN(0, "s1") RUN(1, "s2") RUN(2, "s3")),
				    READ("01", "10.0.0.1", "10.0.0.1", MAP(0)),
				    SHUFFLE("02", "10.0.0.2", "10.0.0.1", MAP(1))
					    WRITE_BY("03", "10.0.0.1", "10.0.0.2", MAP(2)),
				    WRITE_BY("04", "10.0.0.3", "10.0.0.3", MAP(2))},
				   "s1: map, read local\ns2: map, write>s1 remote, shuffle>s1 ?\n"
				   "s3: map, write local\n",
				   NULL},
		   true);
	/* and the reduce that a map's output is sent to */
	read_scene(&(struct scene){{HISTORY(RUN_OF("Reduce", "REDUCE", REDUCE, "s1")),
				    HOST("s2", "10.0.0.2") SENT("01", "10.0.0.2", "10.0.0.1",
								"reduceID: " REDUCE)},
				   "s1: reduce\ns2: shuffle>s1 ?\n",
				   NULL},
		   true);
}

static void a_daemon_names_its_address(void **state)
{
	(void)state;
	/* a log without a name is the server's that another one says, and so is the block it reads; the bridge that both
	 * servers have matters to nobody */
	read_scene(
		&(struct scene){{HOST("s1", "172.17.0.2") HOST("s1", "10.0.0.1")
					 AT("01") "mapred.TaskTracker: x\n",
				 READ("02", "10.0.0.1", "10.0.0.1", "x"),
				 HOST("s2", "172.17.0.2") WRITE("03", "10.0.0.1", "10.0.0.2"),
				 READ("04", "10.0.0.3", "10.0.0.2",
				      "x") "SHUTDOWN_MSG: Shutting down DataNode at s3/10.0.0.3\n"},
				"s1: read local\ns2: write>s1 remote\ns3: read>s2 remote\n",
				NULL},
		true);
}

static void yarn_names_containers_and_callers(void **state)
{
	(void)state;
	/* a container may have a name of its own, which nobody else knows */
	read_scene(
		&(struct scene){
			{HISTORY(RUN(0, "s1") RUN(1, "s2") RUN(2, "s3")),
			 CONTAINER("01", "10.0.0.1", "s1") CONTAINER("02", "10.0.0.1", "ctr-3"),
			 MASTER("03", "s2/10.0.0.2:4711") CALLER("04", "s3:4711 / 10.0.0.3:4711"),
			 WRITE("05", "10.0.0.2", "10.0.0.1") WRITE("06", "10.0.0.1", "10.0.0.3")},
			"s1: map, write>s2 remote\ns2: map\ns3: map, write>s1 remote\n",
			NULL},
		true);
}

static void an_address_of_two_servers_is_neither(void **state)
{
	static const char said[] = "10.0.0.9 is called s";

	(void)state;
	/* it moved; s1 is not short for s11 */
	read_scene(&(struct scene){{HOST("s1", "10.0.0.9") READ("01", "10.0.0.9", "10.0.0.7", "x"),
				    HOST("s11", "10.0.0.9") READ("02", "10.0.0.9", "10.0.0.7", "x"),
				    WRITE("03", "10.0.0.8", "10.0.0.9")},
				   "10.0.0.9: write>10.0.0.8 remote\ns11: read>10.0.0.7 remote\n"
				   "s1: read>10.0.0.7 remote\n",
				   said},
		   false);
	/* a gateway's, as clients come */
	read_scene(
		&(struct scene){{HISTORY(RUN(0, "s1") RUN(1, "s2")),
				 HOST("s3", "10.0.0.3") READ("01", "10.0.0.3", "10.0.0.9", MAP(0))
					 READ("02", "10.0.0.3", "10.0.0.9", MAP(1))},
				"s1: map\ns2: map\n"
				"s3: read>10.0.0.9 remote, read>10.0.0.9 remote\n",
				said},
		false);
}

static void short_and_long_names_of_an_address_are_one(void **state)
{
	(void)state;
	read_scene(
		&(struct scene){{HISTORY(RUN(0, "s1.a.org")),
				 HOST("s1", "10.0.0.1") READ("01", "10.0.0.1", "10.0.0.1", MAP(0)),
				 HOST("s11", "10.0.0.11") READ("02", "10.0.0.11", "10.0.0.1", "x")},
				"s1.a.org: map, read local\ns11: read>s1.a.org remote\n",
				NULL},
		false);
	/* also where nobody else has that address */
	read_scene(&(struct scene){{HISTORY(RUN(0, "s1.a.org")),
				    HOST("s1", "10.0.0.1") READ("01", "10.0.0.1", "10.0.0.5", "x"),
				    MASTER("03", "s1.a.org/10.0.0.1:4711")},
				   "s1.a.org: map, read>10.0.0.5 remote\n",
				   NULL},
		   true);
	/* but not by an address that all servers have */
	read_scene(&(struct scene){{HOST("s1", "127.0.1.1") READ("01", "10.0.0.1", "10.0.0.5", "x"),
				    HOST("s1.a.org", "127.0.1.1")
					    READ("02", "10.0.0.2", "10.0.0.5", "x")},
				   "s1.a.org: read>10.0.0.5 remote\ns1: read>10.0.0.5 remote\n",
				   NULL},
		   true);
	/* a short name of two hosts is neither */
	read_scene(
		&(struct scene){{HISTORY(RUN(0, "s1.a.org") RUN(1, "s1.b.org")),
				 HOST("s1", "10.0.0.1") READ("01", "10.0.0.1", "10.0.0.1", MAP(0)),
				 HOST("s1", "10.0.0.2") READ("02", "10.0.0.2", "10.0.0.2", MAP(1))},
				"s1.a.org: map\ns1.b.org: map\ns1: read>s1.a.org remote, "
				"read>s1.b.org remote\n",
				NULL},
		false);
}

static void an_address_that_nobody_names_is_said(void **state)
{
	(void)state;
	read_scene(
		&(struct scene){
			{HISTORY(RUN(0, "s1")), READ("01", "10.0.0.1", "10.0.0.5", "x")},
			"10.0.0.1: read>10.0.0.5 remote\ns1: map\n",
			"10.0.0.1 has no name in what was read: --hosts FILE gives it one\n"},
		true);
	read_scene(
		&(struct scene){{HISTORY(RUN(0, "s1")), READ("01", "10.0.0.1", "10.0.0.5", "x"),
				 READ("02", "10.0.0.2", "10.0.0.5", "x")},
				"10.0.0.1: read>10.0.0.5 remote\n10.0.0.2: read>10.0.0.5 remote\n"
				"s1: map\n",
				" (one of 2 such addresses) has no name"},
		true);
	/* where all are addresses nobody has two names */
	read_scene(
		&(struct scene){{READ("01", "10.0.0.1", "10.0.0.5", "x"),
				 READ("02", "10.0.0.2", "10.0.0.5", "x")},
				"10.0.0.1: read>10.0.0.5 remote\n10.0.0.2: read>10.0.0.5 remote\n",
				NULL},
		true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_attempt_names_the_address_where_it_runs),
		cmocka_unit_test(a_daemon_names_its_address),
		cmocka_unit_test(yarn_names_containers_and_callers),
		cmocka_unit_test(an_address_of_two_servers_is_neither),
		cmocka_unit_test(short_and_long_names_of_an_address_are_one),
		cmocka_unit_test(an_address_that_nobody_names_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
