// SPDX-License-Identifier: BSD-2-Clause
/* openmetrics.h: the text as a whole, in both formats; histograms; text made while seconds come. */
#include "openmetrics_util.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- the text as a whole ------------------------------------------------------------------- */

/* Splits the text into its lines, in place. */
static size_t split(char *text, char **lines, size_t most)
{
	size_t n = 0;

	for (char *end; (end = strchr(text, '\n')); text = end + 1) {
		*end = 0;
		assert_true(n < most);
		lines[n++] = text;
	}
	assert_string_equal(text, "");
	return n;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), w = strlen(suffix);

	return n > w && !strcmp(s + n - w, suffix);
}

/* What every line must be like: metadata in order, then samples of that family only. Gives the
 * number of families, whose names as in TYPE go to `names`. */
static size_t check_lines(char **lines, size_t n, bool old, char **names)
{
	static const char *const suffixes[] = {"_total", "_bucket", "_count", "_sum", "_info", ""};
	char type[32] = "", name[128] = "", unit[32] = "", help[256];
	size_t n_names = 0;

	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(lines[i], " {"), k;
		const char *suffix = NULL;

		if (sscanf(lines[i], "# TYPE %127s %31s", name, type) == 2) {
			names[n_names++] = strdup(name);
			unit[0] = 0;
			if (sscanf(lines[i + 1], "# UNIT %*s %31s", unit) == 1) {
				assert_false(old);
				assert_true(has_suffix(name, unit));
				i++;
			}
			i++;
			assert_int_equal(sscanf(lines[i], "# HELP %*s %255[^\n]", help), 1);
			assert_non_null(strstr(lines[i], name));
			assert_null(strpbrk(help, "\\\""));
			assert_true(help[strlen(help) - 1] == '.');
			assert_true(
				old == (has_suffix(name, "_total") && !strcmp(type, "counter")) ||
				strcmp(type, "counter"));
			continue;
		}
		assert_true(strncmp(lines[i], "limpet_", 7) == 0);
		assert_true(strncmp(lines[i], name, strlen(name)) == 0);
		for (k = 0; k < sizeof(suffixes) / sizeof(*suffixes) && !suffix; k++)
			if (len == strlen(name) + strlen(suffixes[k]) &&
			    !strncmp(lines[i] + strlen(name), suffixes[k], strlen(suffixes[k])))
				suffix = suffixes[k];
		assert_non_null(suffix);
		assert_true(!strcmp(type, "gauge")	 ? !*suffix
			    : !strcmp(type, "counter")	 ? !strcmp(suffix, old ? "" : "_total")
			    : !strcmp(type, "info")	 ? !strcmp(suffix, "_info")
			    : !strcmp(type, "histogram") ? k >= 2 && k <= 4
							 : false);
		for (size_t c = 0; c < len; c++)
			assert_true(islower(lines[i][c]) || isdigit(lines[i][c]) ||
				    lines[i][c] == '_');
	}
	return n_names;
}

static void text_is_well_formed(enum openmetrics_format format)
{
	bool old = format == FORMAT_PROMETHEUS;
	struct openmetrics *om = make();
	char *text, *lines[2000], *names[500];
	size_t n, n_names, exported = 0;
	struct second s;

	second_init(&s);
	begin(&s, 1, 1);
	/* Two whose labels are the same: one series, not two. */
	second_set(second_add_row(&s, FAM_REMOTE, "[10.0.0.2]>24007", 0), M_REM_ISEG_S, 3);
	fill(&s);
	s.missing = "sched: this kernel has no field 'rq.clock'\nhost: a \"quoted\" one\n";
	openmetrics_add(om, &s);
	text = openmetrics_of(om, format);
	assert_string_equal(value_in(text, "limpet_probe_missing_info{family=\"host\","
					   "reason=\"a \\\"quoted\\\" one\"}"),
			    "1");
	assert_non_null(strstr(text, "{family=\"sched\",reason=\"this kernel has no field "
				     "'rq.clock'\"} 1\n"));
	assert_string_equal(value_in(text, "limpet_remote_received_segments_total{remote=\"10.0.0."
					   "2\",port=\"24007\"}"),
			    "5");
	n = split(text, lines, 2000);
	if (!old)
		assert_string_equal(lines[--n], "# EOF");
	n_names = check_lines(lines, n, old, names);
	for (int m = 0; m < M_COUNT; m++)
		exported += *metrics[m].export_name != 0;
	assert_int_equal(n_names, exported + OM_HISTOGRAMS + OM_OWN + 1);
	qsort(names, n_names, sizeof(*names), by_text);
	for (size_t i = 0; i < n_names; i++) {
		assert_false(has_suffix(names[i], "_bytes_bytes"));
		assert_false(has_suffix(names[i], "_seconds_seconds"));
		if (i)
			assert_string_not_equal(names[i], names[i - 1]);
	}
	/* No series twice: the text before the value, sorted, has no equal neighbours. */
	for (size_t i = 0; i < n; i++)
		if (*lines[i] != '#')
			*strrchr(lines[i], ' ') = 0;
	qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 1; i < n; i++)
		assert_string_not_equal(lines[i], lines[i - 1]);
	for (size_t i = 0; i < n_names; i++)
		free(names[i]);
	free(text);
	second_release(&s);
	openmetrics_free(om);
}

static void the_openmetrics_text_is_well_formed(void **state)
{
	(void)state;
	text_is_well_formed(FORMAT_OPENMETRICS);
}

static void the_prometheus_text_is_well_formed(void **state)
{
	(void)state;
	text_is_well_formed(FORMAT_PROMETHEUS);
}

/* ---- histograms ---------------------------------------------------------------------------- */

/* Every fine bucket alone: it must be below the first le that is not below its end, and not below
 * the one before. */
static void every_bucket_is_below_the_right_limits(void **state)
{
	(void)state;
	for (uint32_t b = 0; b < LAT_BUCKETS; b++) {
		double end = (double)bucket_low(b + 1, LAT_SUB_BITS) * 256e-9;
		double low = (double)bucket_low(b, LAT_SUB_BITS) * 256e-9, le;
		struct openmetrics *om = make();
		const char *label = "limpet_disk_device_latency_seconds_bucket{disk=\"sda\","
				    "op=\"write\",size=\">128KiB\",le=\"";
		char *text, *lines[2000];
		bool above = false;
		struct second s;
		int n_le = 0;

		second_init(&s);
		begin(&s, 1, 1);
		second_add_row(&s, FAM_DISK, "sda", HIST_DEV)->dev->n[OP_WRITE][2][b] = 3;
		openmetrics_add(om, &s);
		text = openmetrics_of(om, FORMAT_OPENMETRICS);
		for (size_t i = 0, n = split(text, lines, 2000); i < n; i++) {
			bool inf;

			if (strncmp(lines[i], label, strlen(label)))
				continue;
			le = strtod(lines[i] + strlen(label), NULL);
			inf = isinf(le);
			n_le++;
			/* The last fine bucket has no end. */
			above = inf || (b + 1 < LAT_BUCKETS && le >= end * (1 - 1e-12));
			assert_true(above || le <= low * (1 + 1e-12) || b + 1 == LAT_BUCKETS);
			assert_string_equal(strrchr(lines[i], ' ') + 1, above ? "3" : "0");
		}
		/* Up to the octave used, and +Inf. */
		assert_int_equal(n_le, (b >> LAT_SUB_BITS) + (b >> LAT_SUB_BITS < 31 ? 2 : 1));
		free(text);
		second_release(&s);
		openmetrics_free(om);
	}
}

static void histograms_add_up_and_have_the_same_limits(void **state)
{
	struct openmetrics *om = make();
	struct second_row *row;
	struct second s;
	char *text;

	(void)state;
	second_init(&s);
	for (uint64_t t = 1; t <= 2; t++) {
		begin(&s, t, 1);
		row = second_add_row(&s, FAM_DISK, "sda", HIST_LAT);
		row->lat->n[OP_READ][0][16] = 4; /* 16 to 18 units of 256 ns */
		row->lat->n[OP_READ][0][7] = 1;	 /* 7 to 8 */
		row = second_add_row(&s, FAM_DISK, "sdb", HIST_LAT);
		row->lat->n[OP_WRITE][1][24] = UINT32_MAX; /* 32 to 36 */
		row = second_add_row(&s, FAM_HOST, "", HIST_RUNQ);
		row->runq->n[RUNQ_BUCKETS - 1] = 2;
		openmetrics_add(om, &s);
	}
	text = openmetrics_of(om, FORMAT_OPENMETRICS);
#define LAT(what, disk, op, size, le)                                                    \
	value_in(text, "limpet_disk_latency_seconds_" what "{disk=\"" disk "\",op=\"" op \
		       "\",size=\"" size "\"" le "}")
	assert_string_equal(LAT("bucket", "sda", "read", "<=16KiB", ",le=\"2.048e-06\""), "2");
	assert_string_equal(LAT("bucket", "sda", "read", "<=16KiB", ",le=\"4.096e-06\""), "2");
	assert_string_equal(LAT("bucket", "sda", "read", "<=16KiB", ",le=\"8.192e-06\""), "10");
	assert_string_equal(LAT("bucket", "sda", "read", "<=16KiB", ",le=\"1.6384e-05\""), "10");
	assert_string_equal(LAT("bucket", "sda", "read", "<=16KiB", ",le=\"+Inf\""), "10");
	assert_string_equal(LAT("count", "sda", "read", "<=16KiB", ""), "10");
	/* 8 * 17 + 2 * 7.5 units */
	assert_string_equal(LAT("sum", "sda", "read", "<=16KiB", ""), "0.000038656");
	assert_string_equal(LAT("count", "sda", "write", ">128KiB", ""), "0");
	assert_string_equal(LAT("bucket", "sdb", "write", "<=128KiB", ",le=\"1.6384e-05\""),
			    "8589934590");
	assert_null(LAT("bucket", "sdb", "write", "<=128KiB", ",le=\"3.2768e-05\""));
	assert_string_equal(LAT("sum", "sdb", "write", "<=128KiB", ""), "74766.790671360");
#undef LAT
	/* The last bucket has no end: only +Inf has it. */
	assert_string_equal(
		value_in(text, "limpet_host_run_queue_wait_seconds_bucket{le=\"+Inf\"}"), "4");
	assert_string_equal(
		value_in(text, "limpet_host_run_queue_wait_seconds_bucket{le=\"8796.093022208\"}"),
		"0");
	assert_string_equal(value_in(text, "limpet_host_run_queue_wait_seconds_count"), "4");
	free(text);
	second_release(&s);
	openmetrics_free(om);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void the_accept_header_decides(void **state)
{
	static const struct {
		const char *accept;
		enum openmetrics_format format;
	} cases[] = {
		{NULL, FORMAT_PROMETHEUS},
		{"", FORMAT_PROMETHEUS},
		{"*/*", FORMAT_PROMETHEUS},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		 FORMAT_PROMETHEUS},
		{"application/openmetrics-text", FORMAT_OPENMETRICS},
		{"Application/OpenMetrics-Text ; Version=1.0.0 ; charset=utf-8",
		 FORMAT_OPENMETRICS},
		{"application/openmetrics-text;version=\"1.0.0\"", FORMAT_OPENMETRICS},
		/* Prometheus 2.42 and 3.0 */
		{"application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		 "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		 FORMAT_OPENMETRICS},
		{"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
		 "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;"
		 "escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
		 FORMAT_OPENMETRICS},
		{"application/openmetrics-text;version=2.0.0", FORMAT_PROMETHEUS},
		{"application/openmetrics-text;q=0", FORMAT_PROMETHEUS},
		{"application/openmetrics-text;q=nan", FORMAT_PROMETHEUS},
		{"application/openmetrics-text;q=0.3,text/plain;q=0.7", FORMAT_PROMETHEUS},
		{"text/plain;version=0.0.4", FORMAT_PROMETHEUS},
		{"xapplication/openmetrics-text", FORMAT_PROMETHEUS},
		{"application/openmetrics-textx", FORMAT_PROMETHEUS},
		{",,;;,;q=,;version=,application/openmetrics-text;;;q=1", FORMAT_OPENMETRICS},
		{"application/openmetrics-text;version=\"", FORMAT_PROMETHEUS},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++)
		if (openmetrics_negotiate(cases[c].accept) != cases[c].format)
			fail_msg("Accept: %s", cases[c].accept ? cases[c].accept : "(none)");
	assert_string_equal(openmetrics_content_type(FORMAT_OPENMETRICS),
			    "application/openmetrics-text; version=1.0.0; charset=utf-8");
	assert_string_equal(openmetrics_content_type(FORMAT_PROMETHEUS),
			    "text/plain; version=0.0.4; charset=utf-8");
}

static atomic_bool done;

/* Of one text: a second is in it wholly or not at all. */
static void *reader(void *om)
{
	unsigned long long was = 0;

	while (!atomic_load(&done)) {
		char *text = openmetrics_of(om, FORMAT_PROMETHEUS);
		const char *v = value_in(text, "limpet_disk_reads_total{disk=\"sda\"}");
		unsigned long long reads = v ? strtoull(v, NULL, 10) : 0, segments;

		v = value_in(text, "limpet_remote_sent_data_segments_total{remote=\"10.0.0.2\","
				   "port=\"24007\"}");
		segments = v ? strtoull(v, NULL, 10) : 0;
		if (reads < was || reads != segments ||
		    count(text, "process_cpu_seconds_total{") > 33)
			abort();
		was = reads;
		free(text);
	}
	return NULL;
}

static void text_may_be_made_while_seconds_come(void **state)
{
	struct openmetrics *om = make();
	char name[INSTANCE_LEN];
	pthread_t thread;
	struct second s;

	(void)state;
	second_init(&s);
	assert_int_equal(pthread_create(&thread, NULL, reader, om), 0);
	for (uint64_t t = 1; t <= 2000; t++) {
		begin(&s, t, 1);
		fill(&s);
		/* Processes that come and go take each other's places. */
		for (int i = 0; i < 20; i++) {
			snprintf(name, sizeof(name), "sh:%d", (int)t * 20 + i);
			second_set(second_add_row(&s, FAM_PROCESS, name, 0), M_P_CPU, 1);
		}
		openmetrics_add(om, &s);
	}
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "4000");
	assert_int_equal(openmetrics_seconds(om), 2000);
	second_release(&s);
	openmetrics_free(om);
	openmetrics_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_openmetrics_text_is_well_formed),
		cmocka_unit_test(the_prometheus_text_is_well_formed),
		cmocka_unit_test(every_bucket_is_below_the_right_limits),
		cmocka_unit_test(histograms_add_up_and_have_the_same_limits),
		cmocka_unit_test(the_accept_header_decides),
		cmocka_unit_test(text_may_be_made_while_seconds_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
