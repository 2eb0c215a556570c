// SPDX-License-Identifier: BSD-2-Clause
/* Prometheus's ranges, and Grafana's columns: labels, counters, units, names of files; and what is refused. */
#include "table_util.h"

#define RANGE(series) \
	"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[" series "]}}\n"
#define SERIES(labels, values) "{\"metric\":{" labels "},\"values\":[" values "]}"
#define DISK(host, disk)                                                                      \
	"\"__name__\":\"node_disk_reads_total\",\"device\":\"" disk "\",\"instance\":\"" host \
	":9100\",\"job\":\"node\""

/* Reads the text as a file of that name. */
static int read_as(struct table *t, const char *name, const char *text, const struct table_opts *o)
{
	*t = (struct table){0};
	return quietly(t, put(name, text, strlen(text)), o, true);
}

static void counters_of_prometheus(void **state)
{
	static const char text[] = RANGE(
		SERIES(DISK("a", "sda"),
		       "[10,\"5\"],[12,\"9\"],[14,\"1\"]"
		       ",[16.5,\"6\"]") "," SERIES(DISK("a", "sdb"), "[10,\"7\"],[12,\"8\"]"));
	struct table_opts by_job = {.node = "job", .instance = "device"};
	struct table t;

	(void)state;
	ok(&t, text, &none);
	value_is(&t, "a", "sda", "node_disk_reads_total", 12, 2);
	value_is(&t, "a", "sdb", "node_disk_reads_total", 12, 0.5);
	value_is(&t, "a", "sda", "node_disk_reads_total", 16.5, 2);
	assert_int_equal(t.n, 3);
	assert_int_equal(t.resets, 1);
	assert_non_null(strstr(text_of(&t.notes), "'node_disk_reads_total' is a counter"));
	assert_non_null(strstr(text_of(&t.notes), "--instance device"));
	table_release(&t);
	ok(&t, text, &by_job);
	value_is(&t, "node", "sdb", "node_disk_reads_total", 12, 0.5);
	table_release(&t);
}

/* A server has no port, unless two of one host are there. */
static void ports_of_prometheus(void **state)
{
	struct table t;

	(void)state;
	ok(&t,
	   RANGE(SERIES("\"__name__\":\"r\",\"instance\":\"a:1\"", "[1,\"5\"]") "," SERIES(
		   "\"__name__\":\"r\",\"instance\":\"[::1]:2\"", "[1,\"6\"]")),
	   &none);
	value_is(&t, "a", "", "r", 1, 5);
	value_is(&t, "[::1]", "", "r", 1, 6);
	table_release(&t);
	ok(&t,
	   RANGE(SERIES("\"__name__\":\"r\",\"instance\":\"a:1\"", "[1,\"5\"]") "," SERIES(
		   "\"__name__\":\"r\",\"instance\":\"a:2\"", "[1,\"6\"]")),
	   &none);
	value_is(&t, "a:1", "", "r", 1, 5);
	value_is(&t, "a:2", "", "r", 1, 6);
	table_release(&t);
}

/* An expression has no name: the file has it. promtool prints the list alone. */
static void metrics_of_files(void **state)
{
	static const char *const texts[] = {
		RANGE(SERIES("\"instance\":\"a\"", "[1.5,\"0.25\"],[2,\"NaN\"]")),
		"[" SERIES("\"instance\":\"a\"", "[1.5,\"0.25\"],[2,\"NaN\"]") "]",
		"{ \"data\": {\n\"result\":[" SERIES(
			"\"instance\":\"a\"",
			"[1.5,\"0.25\"],[2,\"NaN\"]") "],"
						      "\"resultType\":\"matrix\"}, "
						      "\"status\":\"success\"}",
	};
	struct table_opts file = {.node = "@file"}, other = {.metrics = {(const char *[]){"x"}, 1}};
	struct table t;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(read_as(&t, "await.json", texts[i], &none), 0);
		value_is(&t, "a", "", "await", 1.5, 0.25);
		assert_int_equal(t.missing, 1);
		assert_non_null(strstr(text_of(&t.notes),
				       "'await' is taken in ms, as the file is called so\n"));
		table_release(&t);
		assert_int_equal(read_as(&t, "latency.json", texts[i], &none), 0);
		assert_null(strstr(text_of(&t.notes), "is taken in"));
		table_release(&t);
		assert_int_equal(read_as(&t, "await.json", texts[i], &file), 0);
		value_is(&t, "await", "", "await", 1.5, 0.25);
		table_release(&t);
		assert_int_equal(read_as(&t, "await.json", texts[i], &other), 0);
		assert_int_equal(t.n, 0);
		table_release(&t);
	}
	assert_true(read_as(&t, ".json", texts[0], &none) < 0);
	assert_non_null(strstr(said, "which metric is it of? Call the file as the metric"));
	table_release(&t);
}

static void prometheus_that_does_not_fit(void **state)
{
	struct table_opts rows = {.time = "@row", .interval_s = 1}, label = {.node = "host"},
			  disk = {.instance = "disk"};

	(void)state;
	bad("{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":["
	    "{\"metric\":{\"instance\":\"a\"},\"value\":[1,\"1\"]}]}}",
	    &none, "this is of one time only: ask for a range, /api/v1/query_range");
	bad("{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[1,\"1\"]}}",
	    &none, "the result is a 'scalar': limpet reads a range");
	bad("{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"parse error\"}", &none,
	    "Prometheus answered with an error: parse error");
	bad(RANGE(SERIES("\"job\":\"a\"", "")), &none,
	    "no label 'instance'; name the server's with");
	bad(RANGE(SERIES("\"instance\":\"a\"", "")), &label, "no label 'host'");
	bad(RANGE(SERIES("\"instance\":\"a\"", "")), &disk, "no label 'disk'");
	bad(RANGE(SERIES("\"instance\":\"a\"", "[1]")), &none, "not [seconds, \"number\"]");
	bad(RANGE(SERIES("\"instance\":\"a\"", "[-1,\"1\"]")), &none, "not [seconds, \"number\"]");
	bad(RANGE(SERIES("\"instance\":\"a\"", "[1,\"x\"]")), &none, "'x' is no number");
	bad(RANGE("{\"metric\":{\"instance\":\"a\"}}"), &none, "without values");
	bad(RANGE(SERIES("\"instance\":\"a\"", "")), &rows, "--time @row");
}

static void grafana_has_a_column_for_each_server(void **state)
{
	static const char *const texts[] = {
		"\"Time\",\"a\",\"b\",\"c\"\n2026-11-27 23:46:39,1.5 ms,950 \xc2\xb5s,0.002 s\n"
		"2026-11-27 23:46:40,,2 ms,3ms\n",
		"sep=;\nTime;\"{instance=\"\"a\"\", job=\"\"x\"\"}\";"
		"\"await{job=\"\"x\"\",instance=\"\"b\"\"}\";c\n"
		"1795823199000;1.5;0.95;2\n1795823200000;null;2;3\n",
	};
	struct table t;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(read_as(&t, "await-data-2026-11-27 23_46_39.csv", texts[i], &none),
				 0);
		value_is(&t, "a", "", "await", 1795823199, 1.5);
		value_is(&t, "b", "", "await", 1795823199, i ? 0.95 : 950 * 1e-3);
		value_is(&t, "c", "", "await", 1795823199, 2);
		value_is(&t, "c", "", "await", 1795823200, 3);
		assert_int_equal(t.missing, 1);
		assert_non_null(strstr(text_of(&t.notes), i ? "'await', as the file is called\n"
							    : "is called, in ms\n"));
		assert_int_equal(!strstr(text_of(&t.notes), "'await' is taken in ms"), !i);
		table_release(&t);
	}
	assert_int_equal(
		read_as(&t, "rkB.csv",
			"when,\"{device=\"\"sda\"\",instance=\"\"a\"\"}\","
			"\"{device=\"\"sdb\"\",instance=\"\"a\"\"}\"\n1,1.5 MiB/s,2 KiB/s\n",
			&(struct table_opts){.node = "@column", .time = "when"}),
		0);
	value_is(&t, "a", "sda", "rkB", 1, 1536);
	value_is(&t, "a", "sdb", "rkB", 1, 2);
	table_release(&t);
}

static void columns_that_do_not_fit(void **state)
{
	(void)state;
	bad("Time,a,b,c\n1,5 ms,6 %,7 ms\n", &none, "line 2: a unit of % beside one of ms");
	bad("Time,a,b,c\n1,5 ms,6,7 ms\n", &none,
	    "some cells have a unit (ms), and some have none");
	bad("Time,a,b,c\n1,5 parsecs,6,7\n", &none,
	    "'5 parsecs' is no number, nor one with a unit");
	bad("Time,a,b,c\n1,ms,6,7\n", &none, "'ms' is no number");
	bad("Time,a,a,c\n1,5,6,7\n", &none, "two columns are of 'a'");
	bad("Time,a,b,c\n1,5,6\n", &none, "3 fields, but 4 columns");
	/* metrics of one server, whose name is missing */
	bad("Time,await,%util,tps\n1,5,6,7\n", &none, "there is no column 'node'; name one with");
	bad("time,a,b,c\n1,5,6,7\n", &none, "@column if each column is a server");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_prometheus),
		cmocka_unit_test(ports_of_prometheus),
		cmocka_unit_test(metrics_of_files),
		cmocka_unit_test(prometheus_that_does_not_fit),
		cmocka_unit_test(grafana_has_a_column_for_each_server),
		cmocka_unit_test(columns_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
