// SPDX-License-Identifier: BSD-2-Clause
/* openmetrics.h: counters are exact and never fall, names and labels are valid, room is bounded. */
#include "openmetrics_util.h"

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
		second_set(&s.rows[0], M_R_S, (double)ios / dt);
		second_set(&s.rows[0], M_RKB_S, (double)b / 1024 / dt);
		second_add_row(&s, FAM_PROCESS, "fio:1234", 0);
		second_set(&s.rows[1], M_P_CPU, (double)ns / 1e7 / dt);
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
	struct second_row *row;

	(void)state;
	second_init(&s);
	begin(&s, 1, 1);
	s.late_ns = 200000;
	s.lost = 5;
	row = second_add_row(&s, FAM_DISK, "sda", 0);
	second_set(row, M_R_AWAIT, 2.5);
	second_set(row, M_UTIL, 12.5);
	second_set(row, M_AQU_SZ, 0.75);
	row = second_add_row(&s, FAM_HOST, "", 0);
	second_set(row, M_KBMEMFREE, 12345678);
	second_set(row, M_LDAVG_1, 0.1);
	second_set(row, M_USER, 7);
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
	char *text = openmetrics_of(om, FORMAT_OPENMETRICS);
	struct second s;
	struct second_row *row;

	(void)state;
	/* Before the first second there is only the probe. */
	assert_null(strstr(text, "limpet_disk"));
	assert_null(strstr(text, "limpet_probe_late"));
	assert_non_null(strstr(text, "limpet_probe_sweeps_total 0\n"));
	free(text);
	second_init(&s);
	begin(&s, 1, 1);
	row = second_add_row(&s, FAM_DISK, "sda", 0);
	second_set(row, M_R_S, 0);
	second_set(row, M_AWAIT, INFINITY);
	second_set(row, M_WKB_S, -INFINITY);
	second_set(row, M_RKB_S, 1e300);
	second_set(row, M_F_S, -3);
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "0");
	assert_no_series(om, "limpet_disk_writes_total{disk=\"sda\"}");
	assert_no_series(om, "limpet_disk_await_seconds{disk=\"sda\"}");
	assert_no_series(om, "limpet_disk_written_bytes_total{disk=\"sda\"}");
	assert_no_series(om, "limpet_disk_read_bytes_total{disk=\"sda\"}");
	assert_no_series(om, "limpet_disk_flushes_total{disk=\"sda\"}");
	text = openmetrics_of(om, FORMAT_OPENMETRICS);
	assert_null(strcasestr(text, " nan\n"));
	assert_null(strcasestr(text, "inf\n"));
	assert_null(strstr(text, "# TYPE limpet_disk_await_seconds"));
	assert_null(strstr(text, "# TYPE limpet_net"));
	free(text);
	/* An interval that is no number makes no counts. */
	begin(&s, 2, NAN);
	second_set(second_add_row(&s, FAM_DISK, "sda", 0), M_R_S, 5);
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
	struct second_row *row;

	(void)state;
	second_init(&s);
	begin(&s, 1, 1);
	row = second_add_row(&s, FAM_DISK, "sda", HIST_LAT);
	second_set(row, M_R_S, 5);
	second_set(row, M_AWAIT, 3);
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
	second_set(second_add_row(&s, FAM_DISK, "sda", 0), M_AWAIT, 4);
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_await_seconds{disk=\"sda\"}", "0.004");
	begin(&s, 3 + OPENMETRICS_KEEP_S, 1);
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "5");
	assert_no_series(om, "limpet_disk_await_seconds{disk=\"sda\"}");
	begin(&s, 4 + OPENMETRICS_KEEP_S, 1);
	second_set(second_add_row(&s, FAM_DISK, "sda", 0), M_R_S, 2);
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "7");
	/* Away for longer: forgotten, and new when it is back. */
	begin(&s, 5 + 2 * OPENMETRICS_KEEP_S, 1);
	openmetrics_add(om, &s);
	assert_no_series(om, "limpet_disk_reads_total{disk=\"sda\"}");
	begin(&s, 6 + 2 * OPENMETRICS_KEEP_S, 1);
	second_set(second_add_row(&s, FAM_DISK, "sda", 0), M_R_S, 1);
	openmetrics_add(om, &s);
	assert_value(om, "limpet_disk_reads_total{disk=\"sda\"}", "1");
	second_release(&s);
	openmetrics_free(om);
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
				second_set(second_add_row(&s, cases[c].family, name, 0),
					   cases[c].metric, 1);
			}
			openmetrics_add(om, &s);
		}
		text = openmetrics_of(om, FORMAT_OPENMETRICS);
		assert_int_equal(count(text, cases[c].line), cases[c].most);
		snprintf(expected, sizeof(expected), "%d", 3 * cases[c].most);
		assert_string_equal(value_in(text, "limpet_probe_unexported_rows_total"), expected);
		free(text);
		/* A new one takes the place of one that is away, and of none that is there. */
		begin(&s, 4, 1);
		for (int i = 1; i < cases[c].most; i++) {
			snprintf(name, sizeof(name), "x%d", i);
			second_set(second_add_row(&s, cases[c].family, name, 0), cases[c].metric,
				   1);
		}
		second_set(second_add_row(&s, cases[c].family, "new", 0), cases[c].metric, 1);
		openmetrics_add(om, &s);
		text = openmetrics_of(om, FORMAT_OPENMETRICS);
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
		{FAM_DISK,
		 "gr\xc3\xb6\xc3\x9f"
		 "er\xc3",
		 "{disk=\"gr\xc3\xb6\xc3\x9f"
		 "er\\\\xc3\"}"},
		{FAM_DISK, "s7\xe2\x80\x8b\xc2\x85<U+200B>",
		 "{disk=\"s7<U+200B><U+0085><U+003C>U+200B>\"}"},
		{FAM_PROCESS, "\xf0\x9f\x98\x80:7", "{process=\"\xf0\x9f\x98\x80\",pid=\"7\"}"},
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
		second_set(second_add_row(&s, cases[c].family, cases[c].name, 0),
			   ids[cases[c].family], 1);
		openmetrics_add(om, &s);
		snprintf(full, sizeof(full), "%s%s", series[cases[c].family], cases[c].labels);
		assert_value(om, full, cases[c].family == FAM_PROCESS ? "1024" : "1");
		second_release(&s);
		openmetrics_free(om);
	}
}

/* They are escaped in pieces. */
static void no_character_of_a_long_label_is_cut(void **state)
{
	static const char *const characters[] = {"\xc3\xb6", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

	(void)state;
	for (size_t c = 0; c < sizeof(characters) / sizeof(*characters); c++)
		for (size_t before = 0; before < 4; before++) {
			struct metrics_text t = {.format = FORMAT_PROMETHEUS};
			char value[700] = "xxx", full[750], *text;
			const char *const labels[][2] = {{"name", value}};
			size_t len;

			value[before] = '\0';
			for (int i = 0; i < 150; i++)
				strcat(value, characters[c]);
			snprintf(full, sizeof(full), "limpet_x{name=\"%s\"} ", value);
			mt_labels(&t, "limpet_x", labels, 1);
			text = mt_end(&t, &len);
			assert_string_equal(text, full);
			free(text);
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

		for (int m = metric_first[f]; m < metric_first[f + 1]; m++)
			second_set(row, m, 1);
	}
	openmetrics_add(om, &s);
	text = openmetrics_of(om, FORMAT_OPENMETRICS);
	/* All bytes of an instance; of the host as many as its name may have. */
	assert_int_equal(escapes_of(text, "\nlimpet_build_info{"), 64);
	assert_int_equal(escapes_of(text, "\nlimpet_disk_reads_total{"), INSTANCE_LEN - 1);
	assert_int_equal(escapes_of(text, "\nlimpet_process_cpu_seconds_total{"), INSTANCE_LEN - 1);
	free(text);
	second_release(&s);
	openmetrics_free(om);
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
		cmocka_unit_test(no_character_of_a_long_label_is_cut),
		cmocka_unit_test(the_longest_names_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
