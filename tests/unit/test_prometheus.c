// SPDX-License-Identifier: BSD-2-Clause
/* prometheus.h: what answers of a Prometheus become, and what answers are refused. Nothing is fetched: answers are made
 * here, by the query. tests/golden/prometheus.sh asks a real one. */
#include "table_util.h"

#include <curl/curl.h>
#include <sys/mman.h>

#include "analyzer/source/tables/prometheus.h"
#include "userspace/fetch/fetch.h"

#define BEGIN 1700000000

#define SERIES(labels, values) "{\"metric\":{" labels "},\"values\":[" values "]}"

/* ---- the server ----------------------------------------------------------------------------------- */

static struct {
	const char *result; /* of the counter of this name; others have none */
	const char *counter;
	const char *more, *more_counter; /* of another one */
	const char *body;		 /* instead of all that */
	long status;
	int err;
	int64_t bears_s; /* longer ranges are refused with 422; 0: none */
	bool seams;	 /* a second adds one; scraped where each range begins and ends */
	bool steady;	 /* the square of the time, each 15 s */
	char asked[500][1500];
	size_t n;
} server;

struct fetch {
	int nothing;
};

struct fetch *fetch_new(const struct fetch_opts *o, char why[WHY_LEN])
{
	(void)o;
	(void)why;
	return calloc(1, sizeof(struct fetch));
}

void fetch_free(struct fetch *f)
{
	free(f);
}

int fetch_get(struct fetch *f, const char *url, size_t most, long *status, char why[WHY_LEN])
{
	static const char empty[] =
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[%s]}}";
	const char *query = strstr(url, "query=");
	char *plain = curl_easy_unescape(NULL, query ? query + 6 : "", 0, NULL), text[8192];
	const char *range = strchr(plain, '[');
	const char *result =
		server.counter && !strncmp(plain, server.counter, strlen(server.counter))
			? server.result
		: server.more_counter &&
				!strncmp(plain, server.more_counter, strlen(server.more_counter))
			? server.more
			: "";
	int fd = memfd_create("answer", MFD_CLOEXEC);
	bool too_long = server.bears_s && range && atoll(range + 1) > server.bears_s * 1000;

	(void)f;
	assert_true(fd >= 0 && most > 0);
	assert_true(server.n < sizeof(server.asked) / sizeof(server.asked[0]));
	snprintf(server.asked[server.n++], sizeof(server.asked[0]), "%s", plain);
	snprintf(text, sizeof(text), server.body ? "%s" : empty,
		 server.body ? server.body : result);
	if (server.steady && *result) {
		long long to = atoll(strstr(url, "&time=") + 6),
			  from = to - atoll(range + 1) / 1000;
		size_t len = 0;
		char at[6000];

		for (long long t = (from + 14) / 15 * 15; t <= to; t += 15)
			len += (size_t)snprintf(at + len, sizeof(at) - len, "%s[%lld,\"%lld\"]",
						len ? "," : "", t, (t - BEGIN) * (t - BEGIN));
		snprintf(text, sizeof(text), empty, "");
		if (len) {
			char one[6100];

			snprintf(one, sizeof(one), SERIES("\"instance\":\"a\"", "%s"), at);
			snprintf(text, sizeof(text), empty, one);
		}
	}
	if (server.seams && *result) {
		long long to = atoll(strstr(url, "&time=") + 6),
			  from = to - atoll(range + 1) / 1000;
		char at[300];

		snprintf(at, sizeof(at),
			 SERIES("\"instance\":\"a\"", "[%lld,\"%lld\"],[%lld,\"%lld\"]"), from,
			 from, to, to);
		snprintf(text, sizeof(text), empty, at);
	}
	if (too_long)
		snprintf(text, sizeof(text),
			 "{\"status\":\"error\",\"error\":\"too many samples\"}");
	curl_free(plain);
	*status = too_long ? 422 : server.status ? server.status : 200;
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	if (server.err) {
		close(fd);
		snprintf(why, WHY_LEN, "nobody is there");
	}
	return server.err ? server.err : fd;
}

static const struct table_opts hour = {.from_ns = BEGIN * NS_PER_S,
				       .to_ns = (BEGIN + 3600) * NS_PER_S};
static const char url[] = "prometheus://here:9090";

static int ask(struct table *t, const char *source, const struct table_opts *o)
{
	*t = (struct table){0};
	server.n = 0;
	return quietly(t, source, o, true);
}

static bool was_asked(const char *query)
{
	for (size_t i = 0; i < server.n; i++)
		if (!strncmp(server.asked[i], query, strlen(query)))
			return true;
	return false;
}

static void refused(const char *source, const char *words)
{
	struct table t;

	assert_true(ask(&t, source, &hour) < 0);
	if (!strstr(said, words))
		fail_msg("'%s' is not in: %s", words, said);
	table_release(&t);
}

/* ---- values --------------------------------------------------------------------------------------- */

#define IO1 "\"instance\":\"io1:9100\",\"device\":\"sda\""

static void rates_between_scrapes(void **state)
{
	struct table t;

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter = "node_disk_reads_completed_total";
	/* 15 s, a reset, a pause of more than five minutes, a NaN between */
	server.result = SERIES(IO1, "[1700000010,\"100\"],[1700000025,\"130\"],[1700000040,\"10\"],"
				    "[1700000055,\"25\"],[1700000400,\"9000\"],"
				    "[1700000415,\"NaN\"],[1700000430,\"9060\"]");
	assert_int_equal(ask(&t, url, &hour), 0);
	value_is(&t, "io1", "sda", "r/s", BEGIN + 25, 2.0);
	assert_true(isnan(value(&t, "io1", "sda", "r/s", BEGIN + 40)));
	value_is(&t, "io1", "sda", "r/s", BEGIN + 55, 1.0);
	assert_true(isnan(value(&t, "io1", "sda", "r/s", BEGIN + 400)));
	value_is(&t, "io1", "sda", "r/s", BEGIN + 430, 2.0);
	assert_int_equal(t.n, 3);
	assert_int_equal(t.resets, 1);
	assert_true(was_asked("node_disk_reads_completed_total{device!~\"(dm-|md|loop"));
	assert_true(was_asked("node_vmstat_pswpin[3600000ms]"));
	table_release(&t);
}

/* A mean time: what the time grew by, by what the requests grew by, where both were scraped. */
static void quotients_of_two_counters(void **state)
{
	struct table t;

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter = "node_disk_read_time_seconds_total";
	server.result = SERIES(IO1, "[1700000010,\"1\"],[1700000025,\"1.5\"],[1700000040,\"1.5\"],"
				    "[1700000055,\"1.75\"],[1700000070,\"2\"]");
	server.more_counter = "node_disk_reads_completed_total";
	server.more = SERIES(IO1, "[1700000010,\"100\"],[1700000025,\"200\"],[1700000040,\"200\"],"
				  "[1700000055,\"250\"]");
	assert_int_equal(ask(&t, url, &hour), 0);
	value_is(&t, "io1", "sda", "r_await", BEGIN + 25, 5.0);
	assert_true(isnan(value(&t, "io1", "sda", "r_await", BEGIN + 40))); /* no request */
	value_is(&t, "io1", "sda", "r_await", BEGIN + 55, 5.0);
	assert_true(isnan(value(&t, "io1", "sda", "r_await", BEGIN + 70))); /* nobody counted */
	value_is(&t, "io1", "sda", "r/s", BEGIN + 40, 0.0);
	table_release(&t);
}

static void ports_stay_where_they_tell_servers_apart(void **state)
{
	struct table t;

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter = "node_vmstat_pgmajfault";
	server.result = SERIES(
		"\"instance\":\"box:9101\"",
		"[1700000010,\"1\"],[1700000020,\"2\"]") "," SERIES("\"instance\":\"box:9102\"",
								    "[1700000010,\"1\"],["
								    "1700000020,\"3\"]");
	assert_int_equal(ask(&t, url, &hour), 0);
	value_is(&t, "box:9101", "", "majflt/s", BEGIN + 20, 0.1);
	value_is(&t, "box:9102", "", "majflt/s", BEGIN + 20, 0.2);
	table_release(&t);
	server.result = SERIES("\"instance\":\"[fe80::1]:9100\"",
			       "[1700000010,\"1\"],[1700000020,"
			       "\"2\"]") "," SERIES("\"instance\":\"fe80::2\"",
						    "[1700000010,\"1\"],[1700000020,\"3\"]");
	assert_int_equal(ask(&t, url, &hour), 0);
	value_is(&t, "[fe80::1]", "", "majflt/s", BEGIN + 20, 0.1);
	value_is(&t, "fe80::2", "", "majflt/s", BEGIN + 20, 0.2);
	table_release(&t);
}

static void another_label_is_the_server(void **state)
{
	struct table_opts o = hour;
	struct table t;

	(void)state;
	memset(&server, 0, sizeof(server));
	o.node = "nodename";
	server.counter = "node_vmstat_pgmajfault";
	server.result = SERIES("\"nodename\":\"oss:1\"", "[1700000010,\"1\"],[1700000020,\"2\"]");
	assert_int_equal(ask(&t, url, &o), 0);
	value_is(&t, "oss:1", "", "majflt/s", BEGIN + 20, 0.1);
	table_release(&t);
	refused(url, "has no label 'instance'");
}

/* Series that follow each other, as when a label was changed, are one; two at one time are not. */
static void series_of_one_server(void **state)
{
	struct table t;

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter = "node_vmstat_pgmajfault";
	server.result = SERIES("\"instance\":\"a:1\",\"job\":\"new\"",
			       "[1700000030,\"3\"],[1700000040,"
			       "\"5\"]") "," SERIES("\"instance\":\"a:1\",\"job\":\"old\"",
						    "[1700000010,\"1\"],[1700000020,\"2\"]");
	assert_int_equal(ask(&t, url, &hour), 0);
	value_is(&t, "a", "", "majflt/s", BEGIN + 20, 0.1);
	value_is(&t, "a", "", "majflt/s", BEGIN + 40, 0.2);
	table_release(&t);
	server.result = SERIES("\"instance\":\"a:1\",\"job\":\"node\"",
			       "[1700000010,\"3\"],[1700000020,"
			       "\"5\"]") "," SERIES("\"instance\":\"a:1\",\"job\":\"copy\"",
						    "[1700000015,\"1\"],[1700000025,\"2\"]");
	refused(url, "whose label 'job' is 'node' and 'copy': choose one with '?job=node'");
}

static void labels_choose_series(void **state)
{
	struct table t;

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter = "node_vmstat_pgmajfault";
	server.result = SERIES("\"instance\":\"a\"", "[1700000010,\"1\"],[1700000020,\"2\"]");
	assert_int_equal(
		ask(&t, "http://here:9090/prom/?job=a%22b&device=~loop[0-9]%2B&x!=y&z!~w", &hour),
		0);
	assert_true(
		was_asked("node_disk_reads_completed_total{job=\"a\\\"b\",device=~\"loop[0-9]+\","
			  "x!=\"y\",z!~\"w\"}[3600000ms]"));
	assert_true(was_asked("node_vmstat_pswpin{job=\"a\\\"b\",x!=\"y\",z!~\"w\"}[3600000ms]"));
	assert_true(was_asked("node_network_receive_bytes_total{job=\"a\\\"b\",x!=\"y\",z!~\"w\","
			      "device!~\"(lo|"));
	table_release(&t);
	refused("prometheus://here?job", "'job' does not choose series");
	refused("prometheus://here?a-b=c", "'a-b=c' does not choose series");
	refused("prometheus://", "it names no host");
	refused("prometheus://me:secret@here", "a password does not belong into a command");
}

/* A server that bears four minutes is asked for less than that at a time; a scrape at a seam is in both pieces, and counts
 * once. */
static void too_much_is_asked_for_in_pieces(void **state)
{
	struct table t;

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter = "node_vmstat_pgmajfault[";
	server.result = "seams";
	server.bears_s = 240;
	server.seams = true;
	assert_int_equal(ask(&t, url, &hour), 0);
	assert_int_equal(t.n, 16);
	for (int i = 1; i <= 16; i++)
		value_is(&t, "a", "", "majflt/s", BEGIN + 225 * i, 1.0);
	assert_int_equal(t.duplicates, 0);
	table_release(&t);
	server.bears_s = 10; /* less than the least that is asked for */
	refused(url, "it says: too many samples");
}

/* As a command does: the source's name is of one reading only. */
static int ask_copy(struct table *t, const struct table_opts *o)
{
	char *copy = strdup(url);
	int err;

	assert_non_null(copy);
	err = ask(t, copy, o);
	memset(copy, 'x', strlen(copy));
	free(copy);
	return err;
}

/* Who asks again is asked for two minutes more than is new, and has what one who asks once has. */
static void what_is_kept_is_not_asked_for_again(void **state)
{
	struct table_opts o = hour;
	struct table once, t;

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter = "node_vmstat_pgmajfault[";
	server.result = "steady";
	server.steady = true;
	assert_int_equal(ask(&once, url, &hour), 0);
	assert_int_equal(once.n, 239);
	o.kept = prometheus_keep();
	o.to_ns = (BEGIN + 3000) * NS_PER_S;
	assert_int_equal(ask_copy(&t, &o), 0);
	assert_int_equal(t.n, 199);
	table_release(&t);
	/* nobody answers: nothing is lost */
	server.err = -EIO;
	o.to_ns = (BEGIN + 3030) * NS_PER_S;
	assert_true(ask_copy(&t, &o) < 0);
	table_release(&t);
	server.err = 0;
	o.to_ns = hour.to_ns;
	assert_int_equal(ask_copy(&t, &o), 0);
	assert_true(was_asked("node_vmstat_pgmajfault[725000ms]"));
	assert_false(was_asked("ceph_osd_op_r"));
	assert_int_equal(t.n, once.n);
	for (size_t i = 0; i < t.n; i++)
		assert_true(t.at[i].time_ns == once.at[i].time_ns &&
			    t.at[i].value == once.at[i].value);
	table_release(&t);
	/* what lies before the time that is asked for is forgotten */
	o.from_ns = (BEGIN + 1800) * NS_PER_S;
	assert_int_equal(ask_copy(&t, &o), 0);
	assert_int_equal(t.n, 119);
	table_release(&t);
	table_release(&once);
	prometheus_forget(o.kept);
}

/* What was scraped is written later than it was asked for: it is asked for again. What has ended long ago is said. */
static void late_and_old_values(void **state)
{
	struct table_opts o = hour;
	struct text notes = {0};
	struct table t;

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter = "node_vmstat_pgmajfault[";
	server.result = SERIES("\"instance\":\"a\"",
			       "[1700000010,\"1\"],[1700000020,\"2\"],[1700000020,\"2\"]");
	o.kept = prometheus_keep();
	o.to_ns = (BEGIN + 600) * NS_PER_S;
	assert_int_equal(ask_copy(&t, &o), 0);
	table_report(&notes, &t);
	assert_non_null(
		strstr(text_of(&notes),
		       "has nothing newer than 2023-11-14T22:13:40Z, 9 min before the end"));
	text_release(&notes);
	table_release(&t);
	server.steady = true;
	o.to_ns = (BEGIN + 630) * NS_PER_S;
	assert_int_equal(ask_copy(&t, &o), 0);
	assert_int_equal(t.n, 41); /* all 42 scrapes, not those of the last two minutes */
	table_release(&t);
	prometheus_forget(o.kept);
}

/* Where there is none of node_exporter's, Ceph's OSDs are the servers, whoever told of them. */
static void osds_of_ceph(void **state)
{
	struct table_opts o = hour;
	struct table t;

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter = "ceph_osd_op_r_latency_sum";
	server.result = SERIES("\"instance\":\"mgr:9283\",\"ceph_daemon\":\"osd.3\"",
			       "[1700000010,\"1\"],[1700000025,\"1.5\"]");
	server.more_counter = "ceph_osd_op_r_latency_count";
	server.more = SERIES("\"instance\":\"mgr:9283\",\"ceph_daemon\":\"osd.3\"",
			     "[1700000010,\"10\"],[1700000025,\"60\"]");
	assert_int_equal(ask(&t, url, &hour), 0);
	value_is(&t, "osd.3", "", "r_await", BEGIN + 25, 10.0);
	assert_int_equal(t.n, 1);
	assert_true(was_asked("ceph_osd_op_w{ceph_daemon=~\"osd[.].*\"}"));
	table_release(&t);
	/* ceph-exporter runs on each host: then OSDs may be its disks */
	o.node = "instance";
	assert_int_equal(ask(&t, url, &o), 0);
	value_is(&t, "mgr", "osd.3", "r_await", BEGIN + 25, 10.0);
	table_release(&t);
}

/* A histogram of times: requests are those of all buckets, and each took three quarters of its bucket's bound. */
static void osts_of_lustre(void **state)
{
	struct table t;

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter =
		"lustre_io_time_milliseconds_total{target=~\".*-OST[0-9a-f]+\",operation=\"read\"}";
#define OST(size, a, b)                                                                        \
	SERIES("\"instance\":\"oss1:32221\",\"target\":\"fs-OST0001\",\"operation\":\"read\"," \
	       "\"size\":\"" size "\"",                                                        \
	       "[1700000010,\"" a "\"],[1700000020,\"" b "\"]")
	server.result = OST("1", "100", "130") "," OST("8", "10", "20");
	assert_int_equal(ask(&t, url, &hour), 0);
	value_is(&t, "oss1", "fs-OST0001", "r/s", BEGIN + 20, 4.0);
	value_is(&t, "oss1", "fs-OST0001", "r_await", BEGIN + 20, 0.75 * (30 * 1 + 10 * 8) / 40);
	assert_int_equal(t.n, 2);
	table_release(&t);
	server.result = OST("big", "100", "130");
	refused(url, "a bucket whose label 'size' is 'big', which is no bound");
}

/* ---- answers that are none ---------------------------------------------------------------------------- */

static void answers_that_are_none(void **state)
{
	static const struct {
		const char *result, *words;
	} lies[] = {
		{SERIES("\"instance\":\"a\"", "[1700003601,\"1\"]"),
		 "a time that was not asked for"},
		{SERIES("\"instance\":\"a\"", "[1e300,\"1\"]"), "a time that was not asked for"},
		{SERIES("\"instance\":\"a\"", "[1699999999,\"1\"]"),
		 "a time that was not asked for"},
		{SERIES("\"instance\":\"a\"", "[1700000020,\"1\"],[1700000010,\"1\"]"),
		 "not in order"},
		{SERIES("\"instance\":\"a\"", "[1700000020,1]"), "not [TIME, \"VALUE\"]"},
		{SERIES("\"instance\":\"a\"", "[\"1700000020\",\"1\"]"), "not [TIME, \"VALUE\"]"},
		{SERIES("\"instance\":\"a\"", "1700000020"), "not [TIME, \"VALUE\"]"},
		{SERIES("\"instance\":\"a\"", "[1700000020,\"fast\"]"),
		 "'fast', which is no number"},
		{SERIES("\"instance\":\"a\\u0007b\"", "[1700000020,\"1\"]"), "is not printable"},
		{SERIES("\"job\":\"a\"", "[1700000020,\"1\"]"), "has no label 'instance'"},
		{"{\"metric\":{\"instance\":\"a\"},\"value\":[1700000020,\"1\"]}",
		 "no labels or no values"},
		{"{\"values\":[]}", "no labels or no values"},
		{"7", "no labels or no values"},
	};
	static const struct {
		const char *body;
		long status;
		const char *words;
	} others[] = {
		{"<html>hello</html>", 200, "not as a Prometheus does (status 200"},
		{"", 404, "not as a Prometheus does (status 404"},
		{"", 302, "it redirects (status 302)"},
		{"no", 401, "it wants a token, --token-file"},
		{"{\"status\":\"error\",\"error\":\"bad \\u001b[31m query\"}", 400,
		 "it says: bad <U+001B>[31m query"},
		{"{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}", 200,
		 "('vector')"},
		{"{\"status\":\"success\"}", 200, "something else than series"},
		{"{\"data\":{\"resultType\":\"matrix\",\"result\":[", 200,
		 "not as a Prometheus does"},
		{"{\"isPartial\":true,\"data\":{\"resultType\":\"matrix\",\"result\":[]}}", 200,
		 "has a part of the data only"},
		{"{\"status\":\"error\",\"error\":\"too slow\"}", 200, "it says: too slow"},
		{"Service Unavailable", 500, "it is not ready (status 500)"},
		{"[[[[[[[[[[]]]]]]]]]]", 200, "something else than series"},
	};

	(void)state;
	memset(&server, 0, sizeof(server));
	server.counter = "node_vmstat_pgmajfault";
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		server.result = lies[i].result;
		refused(url, lies[i].words);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		server.body = others[i].body;
		server.status = others[i].status;
		refused(url, others[i].words);
	}
	server.err = -EIO;
	refused(url, "cannot read 'prometheus://here:9090': nobody is there");
	memset(&server, 0, sizeof(server));
	refused(url, "it has none of the counters of");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_between_scrapes),
		cmocka_unit_test(quotients_of_two_counters),
		cmocka_unit_test(ports_stay_where_they_tell_servers_apart),
		cmocka_unit_test(another_label_is_the_server),
		cmocka_unit_test(series_of_one_server),
		cmocka_unit_test(labels_choose_series),
		cmocka_unit_test(too_much_is_asked_for_in_pieces),
		cmocka_unit_test(what_is_kept_is_not_asked_for_again),
		cmocka_unit_test(late_and_old_values),
		cmocka_unit_test(osds_of_ceph),
		cmocka_unit_test(osts_of_lustre),
		cmocka_unit_test(answers_that_are_none),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
