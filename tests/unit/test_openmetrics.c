// SPDX-License-Identifier: BSD-2-Clause
/* openmetrics.h: counters are exact and never fall, names and labels are valid, room is bounded. */
#include "unit.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/openmetrics.h"
#include "../../userspace/version.h"

#define S 1000000000ULL

/* Families of the text beside those of the metric table. */
#define OM_HISTOGRAMS 3
#define OM_OWN	      10

static struct openmetrics *make(void)
{
	struct openmetrics *om;

	assert_int_equal(openmetrics_new(&om, "s3"), 0);
	return om;
}

static char *text_of(struct openmetrics *om, enum openmetrics_format format)
{
	size_t len;
	char *text = openmetrics_text(om, format, &len);

	assert_non_null(text);
	assert_int_equal(len, strlen(text));
	return text;
}

/* The value of a series, all of it before the blank; NULL: not there. The last one's is kept. */
static const char *value_in(const char *text, const char *series)
{
	static char value[64];
	size_t n = strlen(series);

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		if (strncmp(line, series, n) || line[n] != ' ')
			continue;
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(line + n + 1, "\n"),
			 line + n + 1);
		return value;
	}
	return NULL;
}

static const char *value(struct openmetrics *om, const char *series)
{
	char *text = text_of(om, FORMAT_OPENMETRICS);
	const char *v = value_in(text, series);

	free(text);
	return v;
}

#define assert_value(om, series, expected)                \
	do {                                              \
		const char *got = value(om, series);      \
		if (!got)                                 \
			fail_msg("no series %s", series); \
		assert_string_equal(got, expected);       \
	} while (0)

#define assert_no_series(om, series)                                  \
	do {                                                          \
		const char *got = value(om, series);                  \
		if (got)                                              \
			fail_msg("%s has the value %s", series, got); \
	} while (0)

/* Begins second number n. */
static void begin(struct second *s, uint64_t n, double interval_s)
{
	second_clear(s);
	s->seq = n;
	s->mono_ns = n * S;
	s->wall_ns = 1795230000000000000LL + (int64_t)(n * S);
	s->interval_s = interval_s;
}

/* Every metric of every family measured, histograms included. */
static void fill(struct second *s)
{
	static const char *const names[FAM_COUNT] = {"sda", "eth0",	      "",
						     "",    "10.0.0.2>24007", "fio:1234"};
	struct second_row *row;

	for (int f = 0; f < FAM_COUNT; f++) {
		row = second_add_row(s, (enum metric_family)f, names[f],
				     f == FAM_DISK   ? HIST_LAT | HIST_DEV
				     : f == FAM_HOST ? HIST_RUNQ
						     : 0);
		assert_non_null(row);
		for (int m = 0; m < M_COUNT; m++)
			if (metrics[m].family == (enum metric_family)f)
				row->v[m] = 2;
		if (row->lat) {
			row->lat->n[OP_READ][0][20] = 7;
			row->dev->n[OP_WRITE][2][200] = 3;
		}
		if (row->runq)
			row->runq->n[0] = 9;
	}
}

/* ---- values -------------------------------------------------------------------------------- */

static void rates_add_up_to_what_was_counted(void **state)
{
	struct openmetrics *om = make();
	uint64_t reads = 0, bytes = 0, cpu_ns = 0;
	char expected[64];
	struct second s;

	(void)state;
	second_init(&s);
	srand(23);
	for (unsigned int i = 1; i <= 2000; i++) {
		double dt = 0.9 + rand() / (double)RAND_MAX / 5;
		uint64_t ios = (uint64_t)rand() % 3000000, b = ios * 4096 + 512;
		uint64_t ns = (uint64_t)rand() % (64 * S);

		begin(&s, i, dt);
		second_add_row(&s, FAM_DISK, "sda", 0);
		s.rows[0].v[M_R_S] = (double)ios / dt;
		s.rows[0].v[M_RKB_S] = (double)b / 1024 / dt;
		second_add_row(&s, FAM_PROCESS, "fio:1234", 0);
		s.rows[1].v[M_P_CPU] = (double)ns / 1e7 / dt;
		reads += ios;
		bytes += b;
		cpu_ns += ns;
		openmetrics_add(om, &s);
	}
	snprintf(expected, sizeof(expected), "%llu", (unsigned long long)reads);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", expected);
	snprintf(expected, sizeof(expected), "%llu", (unsigned long long)bytes);
	assert_value(om, "limpet_disk_read_bytes_total{disk=\"sda\"}", expected);
	snprintf(expected, sizeof(expected), "%llu.%09llu", (unsigned long long)(cpu_ns / S),
		 (unsigned long long)(cpu_ns % S));
	assert_value(om, "limpet_process_cpu_seconds_total{process=\"fio\",pid=\"1234\"}",
		     expected);
	assert_value(om, "limpet_probe_sweeps_total", "2000");
	second_release(&s);
	openmetrics_free(om);
}

static void gauges_are_in_base_units(void **state)
{
	struct openmetrics *om = make();
	struct second s;
	double *v;

	(void)state;
	second_init(&s);
	begin(&s, 1, 1);
	s.late_ns = 200000;
	s.lost = 5;
	v = second_add_row(&s, FAM_DISK, "sda", 0)->v;
	v[M_R_AWAIT] = 2.5;
	v[M_UTIL] = 12.5;
	v[M_AQU_SZ] = 0.75;
	v = second_add_row(&s, FAM_HOST, "", 0)->v;
	v[M_KBMEMFREE] = 12345678;
	v[M_LDAVG_1] = 0.1;
	v[M_USER] = 7;
	openmetrics_add(om, &s);
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_read_await_seconds{disk=\"sda\"}", "0.0025");
	assert_value(om, "limpet_disk_utilisation_ratio{disk=\"sda\"}", "0.125");
	assert_value(om, "limpet_disk_queue_length{disk=\"sda\"}", "0.75");
	assert_value(om, "limpet_host_memory_free_bytes", "12641974272");
	assert_value(om, "limpet_host_load_1min", "0.1");
	assert_value(om, "limpet_host_cpu_user_ratio", "0.07");
	assert_value(om, "limpet_probe_late_seconds", "0.0002");
	assert_value(om, "limpet_probe_last_sweep_timestamp_seconds", "1795230001");
	assert_value(om, "limpet_probe_lost_events_total", "10");
	assert_value(om, "limpet_build_info{version=\"" LIMPET_VERSION "\",host=\"s3\"}", "1");
	second_release(&s);
	openmetrics_free(om);
}

static void what_was_not_measured_is_left_out(void **state)
{
	struct openmetrics *om = make();
	char *text = text_of(om, FORMAT_OPENMETRICS);
	struct second s;
	double *v;

	(void)state;
	/* Before the first second there is only the probe. */
	assert_null(strstr(text, "limpet_disk"));
	assert_null(strstr(text, "limpet_probe_late"));
	assert_non_null(strstr(text, "limpet_probe_sweeps_total 0\n"));
	free(text);
	second_init(&s);
	begin(&s, 1, 1);
	v = second_add_row(&s, FAM_DISK, "sda", 0)->v;
	v[M_R_S] = 0;
	v[M_AWAIT] = INFINITY;
	v[M_WKB_S] = -INFINITY;
	v[M_RKB_S] = 1e300;
	v[M_F_S] = -3;
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "0");
	assert_no_series(om, "limpet_disk_writes_total{disk=\"sda\"}");
	assert_no_series(om, "limpet_disk_await_seconds{disk=\"sda\"}");
	assert_no_series(om, "limpet_disk_written_bytes_total{disk=\"sda\"}");
	assert_no_series(om, "limpet_disk_read_bytes_total{disk=\"sda\"}");
	assert_no_series(om, "limpet_disk_flushes_total{disk=\"sda\"}");
	text = text_of(om, FORMAT_OPENMETRICS);
	assert_null(strcasestr(text, " nan\n"));
	assert_null(strcasestr(text, "inf\n"));
	assert_null(strstr(text, "# TYPE limpet_disk_await_seconds"));
	assert_null(strstr(text, "# TYPE limpet_net"));
	free(text);
	/* An interval that is no number makes no counts. */
	begin(&s, 2, NAN);
	second_add_row(&s, FAM_DISK, "sda", 0)->v[M_R_S] = 5;
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "0");
	assert_no_series(om, "limpet_probe_interval_seconds");
	second_release(&s);
	openmetrics_free(om);
}

/* ---- coming and going ---------------------------------------------------------------------- */

static void counters_never_fall_while_a_disk_comes_and_goes(void **state)
{
	struct openmetrics *om = make();
	struct second s;
	double *v;

	(void)state;
	second_init(&s);
	begin(&s, 1, 1);
	v = second_add_row(&s, FAM_DISK, "sda", HIST_LAT)->v;
	v[M_R_S] = 5;
	v[M_AWAIT] = 3;
	s.rows[0].lat->n[0][0][0] = 5;
	openmetrics_add(om, &s);
	/* There, but nothing measured; no histogram either. */
	begin(&s, 2, 1);
	second_add_row(&s, FAM_DISK, "sda", 0);
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "5");
	assert_no_series(om, "limpet_disk_await_seconds{disk=\"sda\"}");
	assert_value(om,
		     "limpet_disk_latency_seconds_count{disk=\"sda\",op=\"read\","
		     "size=\"<=16KiB\"}",
		     "5");
	/* Away, up to the limit; a gauge of it would be a lie. */
	begin(&s, 3, 1);
	second_add_row(&s, FAM_DISK, "sda", 0)->v[M_AWAIT] = 4;
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_await_seconds{disk=\"sda\"}", "0.004");
	begin(&s, 3 + OPENMETRICS_KEEP_S, 1);
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "5");
	assert_no_series(om, "limpet_disk_await_seconds{disk=\"sda\"}");
	begin(&s, 4 + OPENMETRICS_KEEP_S, 1);
	second_add_row(&s, FAM_DISK, "sda", 0)->v[M_R_S] = 2;
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "7");
	/* Away for longer: forgotten, and new when it is back. */
	begin(&s, 5 + 2 * OPENMETRICS_KEEP_S, 1);
	openmetrics_add(om, &s);
	assert_no_series(om, "limpet_disk_reads_total{disk=\"sda\"}");
	begin(&s, 6 + 2 * OPENMETRICS_KEEP_S, 1);
	second_add_row(&s, FAM_DISK, "sda", 0)->v[M_R_S] = 1;
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "1");
	second_release(&s);
	openmetrics_free(om);
}

static int count(const char *text, const char *what)
{
	int n = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

static void instances_are_bounded_and_the_rest_is_counted(void **state)
{
	static const struct {
		enum metric_family family;
		int metric, most;
		const char *line;
	} cases[] = {
		{FAM_DISK, M_R_S, MAX_DISKS + 1, "limpet_disk_reads_total{"},
		{FAM_NET, M_RXPCK_S, 64, "limpet_net_received_packets_total{"},
		{FAM_REMOTE, M_REM_ISEG_S, MAX_REMOTES + 1,
		 "limpet_remote_received_segments_total{"},
		{FAM_PROCESS, M_P_CPU, 33, "limpet_process_cpu_seconds_total{"},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct openmetrics *om = make();
		char name[INSTANCE_LEN], expected[32], *text;
		struct second s;

		second_init(&s);
		/* Twice as many as there is room for, three seconds long. */
		for (uint64_t t = 1; t <= 3; t++) {
			begin(&s, t, 1);
			for (int i = 0; i < 2 * cases[c].most; i++) {
				snprintf(name, sizeof(name), "x%d", i);
				second_add_row(&s, cases[c].family, name, 0)->v[cases[c].metric] =
					1;
			}
			openmetrics_add(om, &s);
		}
		text = text_of(om, FORMAT_OPENMETRICS);
		assert_int_equal(count(text, cases[c].line), cases[c].most);
		snprintf(expected, sizeof(expected), "%d", 3 * cases[c].most);
		assert_string_equal(value_in(text, "limpet_probe_unexported_rows_total"), expected);
		free(text);
		/* A new one takes the place of one that is away, and of none that is there. */
		begin(&s, 4, 1);
		for (int i = 1; i < cases[c].most; i++) {
			snprintf(name, sizeof(name), "x%d", i);
			second_add_row(&s, cases[c].family, name, 0)->v[cases[c].metric] = 1;
		}
		second_add_row(&s, cases[c].family, "new", 0)->v[cases[c].metric] = 1;
		openmetrics_add(om, &s);
		text = text_of(om, FORMAT_OPENMETRICS);
		assert_int_equal(count(text, cases[c].line), cases[c].most);
		assert_int_equal(count(text, "=\"x0\""), 0);
		assert_true(count(text, "=\"new\"") > 0);
		assert_string_equal(value_in(text, "limpet_probe_unexported_rows_total"), expected);
		free(text);
		second_release(&s);
		openmetrics_free(om);
	}
}

/* ---- names and labels ---------------------------------------------------------------------- */

static void labels_say_what_the_instance_is(void **state)
{
	static const struct {
		enum metric_family family;
		const char *name, *labels;
	} cases[] = {
		{FAM_DISK, "nvme0n1", "{disk=\"nvme0n1\"}"},
		{FAM_DISK, "(other)", "{disk=\"(other)\"}"},
		{FAM_NET, "bond0.7", "{interface=\"bond0.7\"}"},
		{FAM_TCP, "", ""},
		{FAM_HOST, "", ""},
		{FAM_REMOTE, "10.0.0.2>24007", "{remote=\"10.0.0.2\",port=\"24007\"}"},
		{FAM_REMOTE, "10.0.0.2>*", "{remote=\"10.0.0.2\",port=\"*\"}"},
		{FAM_REMOTE, "[2001:db8::1]>24007", "{remote=\"2001:db8::1\",port=\"24007\"}"},
		{FAM_REMOTE, "[>1", "{remote=\"[\",port=\"1\"}"},
		{FAM_REMOTE, "]>1", "{remote=\"]\",port=\"1\"}"},
		{FAM_REMOTE, ">", "{remote=\"\",port=\"\"}"},
		{FAM_REMOTE, "(other)", "{remote=\"(other)\"}"},
		{FAM_PROCESS, "fio:1234", "{process=\"fio\",pid=\"1234\"}"},
		{FAM_PROCESS, "kworker/0:1H:77", "{process=\"kworker/0:1H\",pid=\"77\"}"},
		{FAM_PROCESS, "(rest)", "{process=\"(rest)\"}"},
		{FAM_DISK, "a\"b\\c\nd", "{disk=\"a\\\"b\\\\c\\nd\"}"},
		{FAM_DISK, "\x01\xff\x7f", "{disk=\"\\\\x01\\\\xff\\\\x7f\"}"},
		{FAM_DISK, "#{}= ,", "{disk=\"#{}= ,\"}"},
	};
	static const char *const series[FAM_COUNT] = {
		"limpet_disk_reads_total",	     "limpet_net_received_packets_total",
		"limpet_tcp_sent_segments_total",    "limpet_host_context_switches_total",
		"limpet_remote_sent_segments_total", "limpet_process_written_bytes_total"};
	static const int ids[FAM_COUNT] = {M_R_S,     M_RXPCK_S,    M_OSEG_S,
					   M_CSWCH_S, M_REM_OSEG_S, M_P_WKB_S};
	char full[256];

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct openmetrics *om = make();
		struct second s;

		second_init(&s);
		begin(&s, 1, 1);
		second_add_row(&s, cases[c].family, cases[c].name, 0)->v[ids[cases[c].family]] = 1;
		openmetrics_add(om, &s);
		snprintf(full, sizeof(full), "%s%s", series[cases[c].family], cases[c].labels);
		assert_value(om, full, cases[c].family == FAM_PROCESS ? "1024" : "1");
		second_release(&s);
		openmetrics_free(om);
	}
}

/* How many bytes are escaped in the line that begins so. */
static int escapes_of(const char *text, const char *begin)
{
	const char *at = strstr(text, begin);
	char *line;
	int n;

	assert_non_null(at);
	line = strndup(at + 1, strcspn(at + 1, "\n"));
	n = count(line, "\\\\xff");
	free(line);
	return n;
}

static void the_longest_names_fit(void **state)
{
	struct openmetrics *om;
	char host[300], *text;
	struct second s;

	(void)state;
	memset(host, 0xff, sizeof(host) - 1);
	host[sizeof(host) - 1] = 0;
	assert_int_equal(openmetrics_new(&om, host), 0);
	second_init(&s);
	begin(&s, 1, 1);
	for (int f = 0; f < FAM_COUNT; f++) {
		struct second_row *row = second_add_row(&s, (enum metric_family)f, host, HIST_LAT);

		for (int m = 0; m < M_COUNT; m++)
			row->v[m] = 1;
	}
	openmetrics_add(om, &s);
	text = text_of(om, FORMAT_OPENMETRICS);
	/* All bytes of an instance; of the host as many as its name may have. */
	assert_int_equal(escapes_of(text, "\nlimpet_build_info{"), 64);
	assert_int_equal(escapes_of(text, "\nlimpet_disk_reads_total{"), INSTANCE_LEN - 1);
	assert_int_equal(escapes_of(text, "\nlimpet_process_cpu_seconds_total{"), INSTANCE_LEN - 1);
	free(text);
	second_release(&s);
	openmetrics_free(om);
}

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
	second_add_row(&s, FAM_REMOTE, "[10.0.0.2]>24007", 0)->v[M_REM_ISEG_S] = 3;
	fill(&s);
	openmetrics_add(om, &s);
	text = text_of(om, format);
	assert_string_equal(value_in(text, "limpet_remote_received_segments_total{remote=\"10.0.0."
					   "2\",port=\"24007\"}"),
			    "5");
	n = split(text, lines, 2000);
	if (!old)
		assert_string_equal(lines[--n], "# EOF");
	n_names = check_lines(lines, n, old, names);
	for (int m = 0; m < M_COUNT; m++)
		exported += *metrics[m].export_name != 0;
	assert_int_equal(n_names, exported + OM_HISTOGRAMS + OM_OWN);
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
		text = text_of(om, FORMAT_OPENMETRICS);
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
	text = text_of(om, FORMAT_OPENMETRICS);
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
		char *text = text_of(om, FORMAT_PROMETHEUS);
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
			second_add_row(&s, FAM_PROCESS, name, 0)->v[M_P_CPU] = 1;
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
		cmocka_unit_test(rates_add_up_to_what_was_counted),
		cmocka_unit_test(gauges_are_in_base_units),
		cmocka_unit_test(what_was_not_measured_is_left_out),
		cmocka_unit_test(counters_never_fall_while_a_disk_comes_and_goes),
		cmocka_unit_test(instances_are_bounded_and_the_rest_is_counted),
		cmocka_unit_test(labels_say_what_the_instance_is),
		cmocka_unit_test(the_longest_names_fit),
		cmocka_unit_test(the_openmetrics_text_is_well_formed),
		cmocka_unit_test(the_prometheus_text_is_well_formed),
		cmocka_unit_test(every_bucket_is_below_the_right_limits),
		cmocka_unit_test(histograms_add_up_and_have_the_same_limits),
		cmocka_unit_test(the_accept_header_decides),
		cmocka_unit_test(text_may_be_made_while_seconds_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
