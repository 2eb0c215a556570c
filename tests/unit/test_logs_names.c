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
#define RECEIVING(S, FROM, TO, BLOCK) AT(S) "hdfs.server.datanode.DataNode: Receiving block blk_" BLOCK "_1 src: /" FROM ":4711 " \
	"dest: /" TO ":50010\n"
#define SENT(S, FROM, TO, MAP) AT(S) "mapred.TaskTracker.clienttrace: src: " FROM ":50060, dest: " TO ":4711, bytes: 5, " \
	"op: MAPRED_SHUFFLE, cliID: " MAP ", duration: 5000\n"
#define CALLER_AS(S, USER, FROM) AT(S) "ipc.Server: Auth successful for " USER " (auth:SIMPLE) from " FROM "\n"
#define CALLER(S, FROM) CALLER_AS(S, "job_1", FROM)
#define TRACKER AT("00") "mapred.TaskTracker: x\n"
#define MASTER AT("00") "mapreduce.v2.app.MRAppMaster: x\n"
#define MAP(N) "attempt_9_0001_m_00000" #N "_0"
#define RUN(N, HOST) RUN_ENDS(N, HOST, "SUCCESS")
#define RUN_ENDS(N, HOST, HOW) "MapAttempt TASK_TYPE=\"MAP\" TASKID=\"t\" TASK_ATTEMPT_ID=\"" MAP(N) "\" START_TIME=\"2000\" " \
	"TRACKER_NAME=\"tracker_" HOST ":localhost/127\\.0\\.0\\.1:9\" HTTP_PORT=\"1\" .\n" \
	"MapAttempt TASK_TYPE=\"MAP\" TASKID=\"t\" TASK_ATTEMPT_ID=\"" MAP(N) "\" TASK_STATUS=\"" HOW "\" FINISH_TIME=\"4000\" HOSTNAME=\"" HOST "\" .\n"
#define HISTORY(...) "Meta VERSION=\"1\" .\nJob JOBID=\"job_9_0001\" JOBNAME=\"sort\" SUBMIT_TIME=\"1000\" .\n" __VA_ARGS__
#define RUNS RUN(0, "s1") RUN(1, "s1") RUN(2, "s1")
#define LOCAL(TO) READ("01", TO, TO, MAP(0)) READ("02", TO, TO, MAP(1)) READ("03", TO, TO, MAP(2))
/* clang-format on */

static const char unsure[] = " has no sure name in what was read: --hosts FILE gives it one\n";

static void attempts_that_all_agree_name_an_address(void **state)
{
	(void)state;
	/* a block read or written where it is, a map's output by its sender */
	read_scene(&(struct scene){{HISTORY(RUNS RUN(3, "s2")),
				    READ("01", "10.0.0.1", "10.0.0.1", MAP(0))
					    WRITE_BY("02", "10.0.0.1", "10.0.0.1", MAP(1)),
				    SENT("03", "10.0.0.1", "10.0.0.2", MAP(2)),
				    HOST("s2", "10.0.0.2") TRACKER},
				   "s1: map, map, map, read local, write local, shuffle>s2 ?\n"
				   "s2: map\n",
				   NULL},
		   true);
	/* what was killed may be recorded where it was cleaned up */
	read_scene(&(struct scene){{HISTORY(RUNS RUN_ENDS(3, "s2", "KILLED")),
				    LOCAL("10.0.0.1") READ("04", "10.0.0.1", "10.0.0.1", MAP(3))},
				   "s1: map, map, map, read local, read local, read local, read "
				   "local\ns2: map\n",
				   NULL},
		   true);
}

static void attempts_that_do_not_all_agree_name_nothing(void **state)
{
	/* clang-format off */
	static const struct scene scenes[] = {
		/* too few */
		{{HISTORY(RUNS), READ("01", "10.0.0.1", "10.0.0.1", MAP(0)) READ("02", "10.0.0.1", "10.0.0.1", MAP(1))
			READ("03", "10.0.0.1", "10.0.0.1", MAP(1))},
		 "10.0.0.1: read local, read local, read local\ns1: map, map, map\n", unsure},
		/* another server reads by a gateway, or down a pipeline */
		{{HISTORY(RUNS), READ("01", "10.0.0.2", "10.0.0.7", MAP(0)) READ("02", "10.0.0.2", "10.0.0.7", MAP(1))
			READ("03", "10.0.0.2", "10.0.0.7", MAP(2)),
		  WRITE_BY("04", "10.0.0.2", "10.0.0.7", MAP(0)) WRITE_BY("05", "10.0.0.2", "10.0.0.7", MAP(1))
			WRITE_BY("06", "10.0.0.2", "10.0.0.7", MAP(2))},
		 "10.0.0.2: read>10.0.0.7 remote, read>10.0.0.7 remote, read>10.0.0.7 remote\n"
		 "10.0.0.7: write>10.0.0.2 remote, write>10.0.0.2 remote, write>10.0.0.2 remote\n"
		 "s1: map, map, map\n", unsure},
		/* another cluster has the same attempts */
		{{HISTORY(RUNS), LOCAL("10.0.0.1"), READ("04", "10.1.0.1", "10.1.0.1", MAP(0))},
		 "10.0.0.1: read local, read local, read local\n10.1.0.1: read local\ns1: map, map, map\n", unsure},
		/* a digit is wrong */
		{{HISTORY(RUNS RUN(3, "s2")), LOCAL("10.0.0.1"), READ("04", "10.0.0.1", "10.0.0.1", MAP(3))},
		 "10.0.0.1: read local, read local, read local, read local\ns1: map, map, map\ns2: map\n", unsure},
		/* the host has an address */
		{{HISTORY(RUNS), LOCAL("10.0.0.1"), HOST("s1", "10.0.0.2") TRACKER},
		 "10.0.0.1: read local, read local, read local\ns1: map, map, map\n", unsure},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		read_scene(&scenes[i], false);
}

static void a_daemon_names_its_address(void **state)
{
	(void)state;
	/* a log without a name is the server's that another one says, and so is the block it reads; the bridge that both
	 * servers have matters to nobody */
	read_scene(&(struct scene){{HOST("s1", "172.17.0.2") HOST("s1", "10.0.0.1") TRACKER,
				    READ("02", "10.0.0.1", "10.0.0.1", "x"),
				    HOST("s2", "172.17.0.2") WRITE("03", "10.0.0.1", "10.0.0.2"),
				    HOST("s3", "10.0.0.3") READ("04", "10.0.0.3", "10.0.0.2", "x")},
				   "s1: read local\ns2: write>s1 remote\ns3: read>s2 remote\n",
				   NULL},
		   true);
}

static void callers_have_names(void **state)
{
	(void)state;
	/* a container may have a name of its own, which nobody else knows; a user any name */
	read_scene(&(struct scene){{HISTORY(RUN(0, "s1") RUN(1, "s2") RUN(2, "s3")),
				    TRACKER CALLER("01", "s1:4711 / 10.0.0.1:4711")
					    CALLER("02", "ctr-3:4711 / 10.0.0.1:4711"),
				    MASTER CALLER("03", "s2:4711 / 10.0.0.2:4711")
					    CALLER_AS("04", "x from s1:1 / 10.0.0.3:4 y",
						      "s3:4711 / 10.0.0.3:4711"),
				    WRITE("05", "10.0.0.2", "10.0.0.1")
					    WRITE("06", "10.0.0.1", "10.0.0.3")},
				   "s1: map, write>s2 remote\ns2: map\ns3: map, write>s1 remote\n",
				   NULL},
		   true);
}

static void text_that_logs_quote_names_nothing(void **state)
{
	static const char *const quotes[] = {
		TRACKER "java.io.IOException: a record: STARTUP_MSG:   host = s1/10.0.0.1\n",
		MASTER AT("01") "mapreduce.v2.app.job.impl.TaskAttemptImpl: Diagnostics report: "
				"STARTUP_MSG:   host = s1/10.0.0.1\n",
		TRACKER "grep: 2009 Auth successful for x from s1:1 / 10.0.0.1:2\n",
		TRACKER AT("01") "ipc.Server: said Auth successful for x from s1:1 / 10.0.0.1:2\n",
		TRACKER AT("01") "mapred.Child: Auth successful for x from s1:1 / 10.0.0.1:2\n",
		/* the last name is cut off */
		TRACKER "STARTUP_MSG:   host = s1/10.0.0.1",
		TRACKER AT("01") "ipc.Server: Auth successful for x from s1:1 / 10.0.0.1:2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(quotes) / sizeof(*quotes); i++)
		read_scene(&(struct scene){{HISTORY(RUN(0, "s1")), quotes[i],
					    READ("02", "10.0.0.1", "10.0.0.7", "x")},
					   "10.0.0.1: read>10.0.0.7 remote\ns1: map\n",
					   unsure},
			   false);
}

static void names_and_addresses_of_no_server_join_nothing(void **state)
{
	static const char *const nobodys[] = {"0.0.0.0",  "169.254.1.1", "0:0:0:0:0:0:0:0",
					      "fe80::1",  "::",		 "::ffff:127.0.0.1",
					      "127.0.0.1"};
	static const char *const names[] = {"localhost.localdomain", "localhost6", "10"};
	char text[3][1000];

	(void)state;
	for (size_t i = 0; i < sizeof(nobodys) / sizeof(*nobodys); i++) {
		struct scene c = {{HISTORY(RUN(0, "s1")), text[0], text[1]}, text[2], unsure};

		snprintf(text[0], sizeof(text[0]),
			 TRACKER CALLER("01", "s1:4711 / %s:4711") HOST("s1", "%s"), nobodys[i],
			 nobodys[i]);
		snprintf(text[1], sizeof(text[1]),
			 AT("02") "hdfs.server.datanode.DataNode.clienttrace: src: %s, dest: "
				  "/10.0.0.7:1, bytes: 5, op: HDFS_READ, cliID: x, offset: 0, "
				  "srvID: x, blockid: blk_1, duration: 5\n",
			 nobodys[i]);
		snprintf(text[2], sizeof(text[2]), "%s: read>10.0.0.7 remote\ns1: map\n",
			 i == 6 ? "localhost" : nobodys[i]);
		c.said = i == 6 ? NULL : unsure;
		read_scene(&c, false);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(text[0], sizeof(text[0]),
			 HOST("%s", "10.0.0.1") READ("01", "10.0.0.1", "10.0.0.7", "x"), names[i]);
		snprintf(text[1], sizeof(text[1]),
			 HOST("%s", "10.0.0.2") READ("02", "10.0.0.2", "10.0.0.7", "x"), names[i]);
		read_scene(&(struct scene){{HISTORY(RUN(0, "s1")), text[0], text[1]},
					   "10.0.0.1: read>10.0.0.7 remote\n"
					   "10.0.0.2: read>10.0.0.7 remote\ns1: map\n",
					   " (one of 2 such addresses) has no sure name"},
			   false);
	}
}

static void an_address_of_two_servers_is_neither(void **state)
{
	(void)state;
	/* it moved; s1 is not short for s11 */
	read_scene(&(struct scene){{HOST("s1", "10.0.0.9") READ("01", "10.0.0.9", "10.0.0.7", "x"),
				    HOST("s11", "10.0.0.9") READ("02", "10.0.0.9", "10.0.0.7", "x"),
				    WRITE("03", "10.0.0.8", "10.0.0.9")},
				   "10.0.0.9: write>10.0.0.8 remote\ns11: read>10.0.0.7 remote\n"
				   "s1: read>10.0.0.7 remote\n",
				   "taken for none of them: 10.0.0.9 (s1"},
		   false);
}

/* What is said of that log, and does not come again behind it. */
static void said_once(const char *log, const char *said, const char *again, const char *servers)
{
	char path[] = "/tmp/limpet-names.XXXXXX";
	struct text report = {0};
	struct states s = {0};
	FILE *f = fdopen(mkstemp(path), "w");
	const char *at;
	char *are;

	fputs(log, f);
	fclose(f);
	assert_int_equal(states_read(&s, path), 0);
	unlink(path);
	assert_int_equal(states_finish(&s), 0);
	states_report(&report, &s);
	at = strstr(text_of(&report), said);
	assert_non_null(at);
	assert_null(strstr(at + 1, again));
	are = servers_of(&s);
	assert_string_equal(are, servers);
	free(are);
	text_release(&report);
	states_release(&s);
}

static void conflicts_are_one_line(void **state)
{
	enum { CALLERS = 100001 };
	char *log = malloc(CALLERS * 200), *to = log;

	(void)state;
	to += sprintf(to, "%s",
		      TRACKER HOST("s1", "10.0.0.1") TRACKER HOST("s2", "10.0.0.2")
			      TRACKER HOST("s3", "10.0.0.3") TRACKER HOST("s4", "10.0.0.4")
				      TRACKER);
	for (int i = 11; i < 16; i++) {
		to += sprintf(to,
			      CALLER("01", "s1:1 / 10.0.0.%d:1") CALLER("01", "s3:1 / 10.0.0.%d:1"),
			      i, i);
		to += sprintf(to,
			      CALLER("01", "s2:1 / 10.0.0.%d:1") CALLER("01", "s4:1 / 10.0.0.%d:1"),
			      i, i);
		to += sprintf(to, READ("02", "10.0.0.4", "10.0.0.%d", "x"), i);
	}
	said_once(log,
		  "none of them: 10.0.0.11 (s1, s3, s2, …), 10.0.0.12 (s1, s3, s2, …), "
		  "10.0.0.13 (s1, s3, s2, …) and 2 more: --hosts FILE",
		  "10.0.0.14",
		  "s4: read>10.0.0.11 remote, read>10.0.0.12 remote, read>10.0.0.13 remote, "
		  "read>10.0.0.14 remote, read>10.0.0.15 remote\n");
	/* contradictions that are not kept */
	to = log;
	to += sprintf(to, "%s",
		      TRACKER CALLER("01", "s1:1 / 10.0.0.1:1")
			      RECEIVING("01", "10.0.0.5", "10.0.0.1", "7"));
	for (int i = 0; i < CALLERS; i++)
		to += sprintf(to, CALLER("01", "ctr-%d:1 / 10.0.0.9:1"), i);
	sprintf(to, "%s", HOST("s1", "10.0.0.2") TRACKER);
	said_once(log,
		  "there are more than 100000 pairs of an address and a name in what was read: "
		  "none is",
		  "there are more", "10.0.0.1: write>10.0.0.5 remote\n");
	free(log);
}

static void short_and_long_names_of_an_address_are_one(void **state)
{
	/* clang-format off */
	static const struct scene one[] = {
		{{HOST("s1.a.org", "10.0.0.1") READ("01", "10.0.0.1", "10.0.0.5", "x"),
		  HOST("s1", "10.0.0.1") READ("02", "10.0.0.1", "10.0.0.1", "x"),
		  HOST("s11", "10.0.0.11") READ("03", "10.0.0.11", "10.0.0.1", "x")},
		 "s1.a.org: read>10.0.0.5 remote, read local\ns11: read>s1.a.org remote\n", NULL},
		/* so are names in another case */
		{{HISTORY(RUN(0, "s1.a.org")), HOST("S1.a.org", "10.0.0.1") TRACKER, HOST("S1", "10.0.0.1") TRACKER,
		  READ("02", "10.0.0.1", "10.0.0.1", "x")},
		 "S1.a.org: map, read local\n", NULL},
	}, two[] = {
		/* not by an address that all servers have */
		{{HOST("s1", "127.0.1.1") READ("01", "10.0.0.1", "10.0.0.5", "x"),
		  HOST("s1.a.org", "127.0.1.1") READ("02", "10.0.0.2", "10.0.0.5", "x")},
		 "s1.a.org: read>10.0.0.5 remote\ns1: read>10.0.0.5 remote\n", NULL},
		/* nor if the short name has an address more, which may be another cluster's server */
		{{HISTORY(RUN(0, "s1.a.org")), HOST("s1.a.org", "10.0.0.1") TRACKER,
		  HOST("s1", "10.0.0.1") READ("01", "10.0.0.1", "10.0.0.1", "x"),
		  HOST("s1", "10.1.0.1") READ("02", "10.1.0.1", "10.1.0.9", "x")},
		 "s1.a.org: map\ns1: read>10.0.0.1 remote, read>10.1.0.9 remote\n", "10.0.0.1 (s1"},
		/* nor if it is short for two */
		{{HISTORY(RUN(0, "s1.b.org")), HOST("s1.a.org", "10.0.0.1") TRACKER,
		  HOST("s1", "10.0.0.1") READ("01", "10.0.0.1", "10.0.0.1", "x")},
		 "s1.b.org: map\ns1: read>10.0.0.1 remote\n", "10.0.0.1 (s1"},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(one) / sizeof(*one); i++)
		read_scene(&one[i], true);
	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
		read_scene(&two[i], false);
}

static void a_write_has_its_lines_in_two_logs(void **state)
{
	static const size_t order[LOGS] = {0, 1, 2, 3};

	(void)state;
	read_in_order(&(struct scene){{HOST("s1", "10.0.0.1") WRITE("01", "10.0.0.5", "10.0.0.1"),
				       RECEIVING("03", "10.0.0.5", "10.0.0.1", "08"),
				       HOST("s1", "10.0.0.1") WRITE("08", "10.0.0.5", "10.0.0.1")},
				      "s1: write>10.0.0.5 remote, write>10.0.0.5 remote\n",
				      NULL},
		      order, true);
}

static void an_address_that_nobody_names_is_said(void **state)
{
	(void)state;
	read_scene(
		&(struct scene){
			{HISTORY(RUN(0, "s1")), READ("01", "10.0.0.1", "10.0.0.5", "x")},
			"10.0.0.1: read>10.0.0.5 remote\ns1: map\n",
			"10.0.0.1 has no sure name in what was read: --hosts FILE gives it one\n"},
		true);
	read_scene(
		&(struct scene){{HISTORY(RUN(0, "s1")), READ("01", "10.0.0.1", "10.0.0.5", "x"),
				 READ("02", "10.0.0.2", "10.0.0.5", "x")},
				"10.0.0.1: read>10.0.0.5 remote\n10.0.0.2: read>10.0.0.5 remote\n"
				"s1: map\n",
				" (one of 2 such addresses) has no sure name"},
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
		cmocka_unit_test(attempts_that_all_agree_name_an_address),
		cmocka_unit_test(attempts_that_do_not_all_agree_name_nothing),
		cmocka_unit_test(a_daemon_names_its_address),
		cmocka_unit_test(callers_have_names),
		cmocka_unit_test(text_that_logs_quote_names_nothing),
		cmocka_unit_test(names_and_addresses_of_no_server_join_nothing),
		cmocka_unit_test(an_address_of_two_servers_is_neither),
		cmocka_unit_test(conflicts_are_one_line),
		cmocka_unit_test(short_and_long_names_of_an_address_are_one),
		cmocka_unit_test(a_write_has_its_lines_in_two_logs),
		cmocka_unit_test(an_address_that_nobody_names_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
