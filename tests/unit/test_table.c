// SPDX-License-Identifier: BSD-2-Clause
/* table.h: what is read of text: shapes, names, numbers, times; and what is refused, where. */
#include "table_util.h"

#include <locale.h>
#include <zlib.h>

static void wide_tables_with_any_separator(void **state)
{
	static const char *const texts[] = {
		"time,node,r,w\n10,a,1,2\n10,b,3,4.5\n",
		"time;node;r;w\r\n10;a;1;2\r\n10;b;3;4.5\r\n",
		"timestamp\tHost\tr\tw\n10\ta\t1\t2\n\n10\tb\t3\t4.5",
		"\xef\xbb\xbf\"time\" , \"hostname\", r ,w\n10, a ,1,2\n 10,\"b\",3,\"4.5\"\n",
		"# time,node,r,w\n10,a,1,2\n10,b,3,4.5\n\n\n",
	};
	struct table t;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ok(&t, texts[i], &none);
		assert_int_equal(t.n, 4);
		assert_int_equal(t.lines, 2);
		value_is(&t, "a", "", "r", 10, 1);
		value_is(&t, "a", "", "w", 10, 2);
		value_is(&t, "b", "", "r", 10, 3);
		value_is(&t, "b", "", "w", 10, 4.5);
		assert_int_equal(t.notes.len, 0);
		table_release(&t);
	}
}

static void long_tables(void **state)
{
	struct string_list only = {(const char *[]){"w"}, 1};
	struct table_opts o = {.metrics = only};
	const char *text = "time,node,metric,value\n1,a,r,5\n1,a,w,-\n2,a,w,7\n";
	struct table t;

	(void)state;
	ok(&t, text, &none);
	value_is(&t, "a", "", "r", 1, 5);
	value_is(&t, "a", "", "w", 2, 7);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.missing, 1);
	table_release(&t);
	ok(&t, text, &o);
	assert_int_equal(t.n, 1);
	table_release(&t);
	bad("time,node,metric,value\n1,a,r,5\n1,a,w,x\n", &none, "x.csv' line 3: 'x' in column");
	bad("time,node,metric,value\n1,a,,5\n", &none, "line 2: there is no name of a metric");
}

static void json_lines(void **state)
{
	static const char *const texts[] = {
		"{\"time\":1,\"node\":\"a\",\"metric\":\"r\",\"value\":5}\n\n"
		"{\"value\":null,\"metric\":\"w\",\"time\":1,\"host\":\"a\"}\r\n"
		"{\"time\":2.0,\"node\":\"a\",\"metric\":\"w\",\"value\":\"7\"}",
		" {\"time\":1,\"node\":\"a\",\"r\":5,\"w\":null}\n"
		"{\"timestamp\":\"1970-01-01T00:00:02Z\",\"node\":\"a\",\"w\":7, \"text\":\"b, "
		"\\\"\"}\n",
	};
	struct table_opts only = {.metrics = {(const char *[]){"w"}, 1}};
	struct table_opts disks = {.instance = "disk"};
	struct table t;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ok(&t, texts[i], &none);
		value_is(&t, "a", "", "r", 1, 5);
		value_is(&t, "a", "", "w", 2, 7);
		assert_int_equal(t.n, 2);
		assert_int_equal(t.missing, 1);
		assert_int_equal(t.notes.len && strstr(text_of(&t.notes), "the key text"), i == 1);
		table_release(&t);
		ok(&t, texts[i], &only);
		assert_int_equal(t.n, 1);
		table_release(&t);
	}
	ok(&t, "{\"time\":1,\"node\":\"a\",\"disk\":\"sda\",\"r\":5}\n", &disks);
	value_is(&t, "a", "sda", "r", 1, 5);
	table_release(&t);
}

static void json_lines_that_do_not_fit(void **state)
{
	static const struct {
		const char *line, *words;
	} bads[] = {
		{"{\"time\":1,\"node\":\"a\",\"r\":5", "line 2: this is no JSON object"},
		{"[1]", "line 2: this is no JSON object"},
		{"{\"time\":1,\"time\":2,\"node\":\"a\"}", "line 2: this is no JSON object"},
		{"{\"node\":\"a\",\"r\":5}", "line 2: there is no key 'time'"},
		{"{\"time\":\"soon\",\"node\":\"a\"}", "line 2: 'soon' is no time"},
		{"{\"time\":1,\"r\":5}", "line 2: there is no key 'node'"},
		{"{\"time\":1,\"node\":\"\"}", "line 2: there is no name of a node"},
		{"{\"time\":1,\"node\":\"a\",\"r\":\"x\"}", "what 'r' has here is no number"},
		{"{\"time\":1,\"node\":\"a\",\"t\":1}", "'t' has a number here"},
		{"{\"time\":1,\"node\":\"a\",\"metric\":1,\"value\":1}", "no name of a metric"},
	};
	struct table_opts rows = {.time = "@row", .interval_s = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(*bads); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "{\"time\":1,\"node\":\"a\",\"r\":5,\"t\":\"x\"}\n%s\n", bads[i].line);
		bad(text, &none, bads[i].words);
	}
	bad("{}\n", &rows, "--time @row");
}

static void state_durations_are_no_duplicates(void **state)
{
	struct table t;

	(void)state;
	ok(&t, "time,node,state,duration,bytes\n1,a,write,2.5,9\n1,a,write,3.5,9\n1,b,sync,1,9\n",
	   &none);
	assert_true(t.events);
	assert_int_equal(t.n, 3);
	assert_int_equal(t.duplicates, 0);
	value_is(&t, "b", "", "sync", 1, 1);
	assert_true(t.at[0].bytes == 9 && !t.notes.len);
	assert_int_equal(quietly(&t, put("y.csv", "time,node,r\n1,a,1\n", 19), &none, true),
			 -EINVAL);
	table_release(&t);
}

static void columns_named_by_options(void **state)
{
	struct table_opts o = {.time = "when", .node = "server", .instance = "disk"};
	const char *text = "disk,server,when,host,r\nsda,a,5,x,1\nsdb,a,5,x,2\n,a,5,y,3\n";
	struct table t;

	(void)state;
	ok(&t, text, &o);
	assert_true(t.merge);
	value_is(&t, "a", "sda", "r", 5, 1);
	value_is(&t, "a", "sdb", "r", 5, 2);
	value_is(&t, "a", "", "r", 5, 3);
	assert_non_null(strstr(text_of(&t.notes), "left out: columns host"));
	assert_int_equal(t.ignored_columns, 1);
	table_release(&t);
	o.time = "then";
	bad(text, &o, "line 1: there is no column 'then'");
	o.time = "server";
	bad(text, &o, "cannot be two things");
	bad("a,b\n1,2\n", &none, "there is no column 'time'; name one with --time");
	bad("time,b\n1,2\n", &none, "there is no column 'node'; name one with --node");
	o = (struct table_opts){.counters = {(const char *[]){"zz"}, 1}};
	bad("time,node,r\n1,a,2\n", &o, "'--counter zz': the table has no such column");
}

static void rows_as_time_and_files_as_nodes(void **state)
{
	struct table_opts o = {.time = "@row", .node = "@file", .interval_s = 300};
	struct table t = {0};

	(void)state;
	assert_int_equal(quietly(&t, put("omi-1.train.csv", "m,n\n1,2\n3,4\n", 12), &o, false), 0);
	assert_int_equal(quietly(&t, put("omi-2.csv", "m,n\n5,6\n7,8\n", 12), &o, true), 0);
	assert_int_equal(t.nodes.n, 2);
	value_is(&t, "omi-1", "", "m", 0, 1);
	value_is(&t, "omi-2", "", "n", 300, 8);
	assert_int_equal(t.step_ns, 300000000000);
	table_release(&t);
	/* each node's lines on their own */
	o.node = NULL;
	ok(&t, "node,m\na,1\nb,2\na,3\n", &o);
	value_is(&t, "a", "", "m", 300, 3);
	value_is(&t, "b", "", "m", 0, 2);
	table_release(&t);
	o.interval_s = 0;
	bad("node,m\na,1\n", &o, "'--time @row' needs '--interval SECONDS'");
	o = (struct table_opts){.node = "@file"};
	assert_int_equal(quietly(&t, put(".csv", "time,m\n1,2\n", 11), &o, true), -EINVAL);
	assert_non_null(strstr(said, "has no name a node could have"));
	table_release(&t);
}

static void missing_values_and_text(void **state)
{
	struct table t;

	(void)state;
	ok(&t, "time,node,r,kind,none,,i\n1,a,,x,-,u,7\n2,a,nan,y,NULL,v,inf\n3,a,5,,NaN,w,-inf\n",
	   &none);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.damaged, 2);
	value_is(&t, "a", "", "r", 3, 5);
	assert_non_null(strstr(text_of(&t.notes), "left out: columns kind, none, (no name)\n"));
	assert_int_equal(t.ignored_columns, 3);
	table_release(&t);
	bad("time,node,r\n1,a,5\n2,a,five\n", &none, "line 3: 'five' in column 'r' is no number");
	bad("time,node,r\n1,a,five\n2,a,5\n", &none,
	    "line 3: column 'r' has a number here and something else in line 2");
}

static void quotes(void **state)
{
	struct table t;

	(void)state;
	ok(&t,
	   "time,node,\"a \"\"b\"\",c\",x\n1,\"n\",2,5\" disk\n2,n,\"3\",\"two\nlines\"\n3,n,4,z\n",
	   &none);
	value_is(&t, "n", "", "a \"b\",c", 1, 2);
	value_is(&t, "n", "", "a \"b\",c", 3, 4);
	assert_int_equal(t.lines, 3);
	table_release(&t);
	/* the record with the newline counts as two lines */
	bad("time,node,x,y\n1,n,\"a\nb\",1\n2,n,c\n", &none, "line 4: 3 fields, but 4 columns");
	bad("time,node,x\n1,n,\"open\n2,n,3\n", &none, "line 2: a quote is not closed");
	bad("time,node,x\n1,n,\"a\"b\n", &none, "line 2: text after a closing quote");
}

static void lines_that_do_not_fit(void **state)
{
	(void)state;
	bad("time,node,x\n1,a,2\n2,a\n", &none, "x.csv' line 3: 2 fields, but 3 columns");
	bad("time,node,x\n1,a,2,\n", &none, "line 2: 4 fields, but 3 columns");
	bad("time,node,x\nsoon,a,2\n", &none, "line 2: 'soon' is no time");
	bad("time,node,x\n,a,2\n", &none, "line 2: '' is no time");
	bad("time,node,x\n1,,2\n", &none, "line 2: there is no name of a node");
	bad("time,node,x,x\n1,a,2,3\n", &none, "two columns are named 'x'");
	bad("\n\n", &none, "has no line of column names");
	bad("", &none, "is empty");
	bad("time,node,x\n1,a\x01,2\n", &none, "neither a series file");
	bad("time,node,x\n1,\xff,2\n", &none, "the name of a node is not printable UTF-8");
	bad("time,node,x\n1,\xc0\xaf,2\n", &none, "not printable UTF-8");
	bad("time,node,x\n1,\xc2\x85,2\n", &none, "not printable UTF-8");
	bad("time,node,x\n1,\xed\xa0\x80,2\n", &none, "not printable UTF-8");
	bad("time,node,x\n1,\xe2\x82,2\n", &none, "not printable UTF-8");
	bad("time,node,x\n1,0123456789012345678901234567890123456789012345678901234567890123,2\n",
	    &none, "longer than 63 bytes");
}

static void names_of_any_printable_kind(void **state)
{
	struct table t;

	(void)state;
	ok(&t,
	   "time,node,µs\n1,größe/€ 𝄞,2\n"
	   "1,012345678901234567890123456789012345678901234567890123456789012,3\n",
	   &none);
	value_is(&t, "größe/€ 𝄞", "", "µs", 1, 2);
	table_release(&t);
}

static void lines_and_columns_have_limits(void **state)
{
	size_t n = TABLE_LINE_MAX + 100;
	char *text = malloc(n + 1), *p = text;

	(void)state;
	p += sprintf(p, "time,node,x\n1,a,");
	memset(p, 'y', n - (size_t)(p - text));
	text[n] = 0;
	bad(text, &none, "line 2: longer than 1048576 bytes");
	/* an open quote must not make it read on */
	text[16] = '"';
	bad(text, &none, "line 2: longer than 1048576 bytes");
	memset(text, ',', TABLE_COLUMNS_MAX);
	text[TABLE_COLUMNS_MAX] = 0;
	bad(text, &none, "line 1: more than 4096 fields");
	free(text);
}

/* A line without end, compressed a thousand times, is refused when it is too long. */
static void a_compressed_bomb_is_refused_by_its_line(void **state)
{
	const char *path = path_of("bomb.gz");
	gzFile gz = gzopen(path, "wb9");
	struct table t = {0};
	char zeros[1 << 16];

	(void)state;
	memset(zeros, '0', sizeof(zeros));
	assert_non_null(gz);
	gzputs(gz, "time,node,x\n1,a,");
	for (int i = 0; i < 1024; i++)
		assert_int_equal(gzwrite(gz, zeros, sizeof(zeros)), sizeof(zeros));
	gzclose(gz);
	assert_true(quietly(&t, path, &none, true) < 0);
	assert_non_null(strstr(said, "bomb.gz' line 2: longer than"));
	table_release(&t);
}

static void numbers_are_those_of_strtod(void **state)
{
	static const char *const texts[] = {"0",
					    "-0",
					    "1",
					    "+1.5",
					    "0.1",
					    ".5",
					    "5.",
					    "1e3",
					    "1E-3",
					    "123456789012345",
					    "1234567890123456",
					    "9007199254740993",
					    "0.000001234567890123456",
					    "1e22",
					    "1e23",
					    "1.7976931348623157e308",
					    "4.9e-324",
					    "2.2250738585072014e-308",
					    "-12345.678e-20",
					    "38397984548046",
					    "0.30000000000000004",
					    "00000000000000000000012",
					    "1e-400",
					    "0.00000000000000000000000000001"};
	static const char *const no[] = {"1x", "0x10", "1e",  "1e+",	  "--1",  "1,5",
					 ".",  "e5",   "1 2", "infinite", "1.2.3"};
	double v;

	(void)state;
	srand(7);
	setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is one */
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char *old;

		assert_int_equal(number_parse(texts[i], strlen(texts[i]), &v), NUMBER_VALUE);
		old = setlocale(LC_ALL, "C");
		assert_non_null(old);
		assert_memory_equal(&v, &(double){strtod(texts[i], NULL)}, sizeof(v));
	}
	for (int i = 0; i < 200000; i++) {
		char text[64];

		snprintf(text, sizeof(text), "%.*g", 1 + rand() % 18,
			 (rand() - RAND_MAX / 2) * pow(10, rand() % 50 - 25) / 3);
		assert_int_equal(number_parse(text, strlen(text), &v), NUMBER_VALUE);
		assert_true(v == strtod(text, NULL));
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_int_equal(number_parse(no[i], strlen(no[i]), &v), NUMBER_TEXT);
	assert_int_equal(number_parse("1e999", 5, &v), NUMBER_VALUE);
	assert_true(isinf(v));
}

static void times_of_every_kind(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{"0", 0},
		{"1470461327.215", 1470461327215000000},
		{"1470461327215", 1470461327215000000},
		{"1470461327215.5", 1470461327215500000},
		{"1470461327215123", 1470461327215123000},
		{"1470461327215123456", 1470461327215123456},
		{"1.470461327e9", 1470461327000000000},
		{"1970-01-02", 86400000000000},
		{"2000-02-29", 951782400000000000},
		{"2018-01-28 00:00:05", 1517097605000000000},
		{"2018-01-28T00:00:05Z", 1517097605000000000},
		{"2018-01-28 00:00:05 UTC", 1517097605000000000},
		{"2018-01-28T00:00:05.25+01:00", 1517094005250000000},
		{"2018-01-28T00:00:05,25-0130", 1517103005250000000},
		{"2018-01-28T00:00:05-02", 1517104805000000000},
		{"2016-12-31T23:59:60Z", 1483228800000000000},
		{"9000000000", 9000000000000000000},
		{"2018-01-28 00:00", 1517097600000000000},
		{"2018/01/28 00:00:05", 1517097605000000000},
		{"28.01.2018 00:00", 1517097600000000000},
		{"28-01-2018 00:00", 1517097600000000000},
		{"01-28-2018 00:00", 1517097600000000000},
		{"28.1.18 00:00:05,5", 1517097605500000000},
		{"1/28/2018, 7:26:05 PM", 1517167565000000000},
		{"28/01/2018 12:00 am", 1517097600000000000},
		{"1/1/2018 12:00:00PM", 1514808000000000000},
	};
	static const char *const no[] = {"",
					 "-1",
					 "1.2.3",
					 "2018-02-29",
					 "2100-02-29",
					 "2018-13-01",
					 "2018-00-01",
					 "2018-01-32",
					 "2018-01-28 24:00:00",
					 "2018-01-28 00:60:00",
					 "2018-01-28T00:00:00+25:00",
					 "2018-01-28 00:00:00 CET",
					 "1969-12-31",
					 "2300-01-01",
					 "99000000000",
					 "99999999999999999999",
					 "nan",
					 "12:00:00",
					 "1e300",
					 "2018-1-28 00:00:00",
					 "2018-01/28",
					 "28.13.2018",
					 "28-01-18",
					 "02-03-2018",
					 "28-13-2018",
					 "28-01.2018",
					 "1.2.3",
					 "13/13/2018",
					 "2018-01-28 13:00 PM",
					 "2018-01-28 0:00 AM",
					 "2018-01-28 00:00:00 XM",
					 "28.01.2018,",
					 "28.01.2018 ",
					 "."};
	enum time_order order;
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		order = TIME_ORDER_UNKNOWN;
		assert_int_equal(time_parse(good[i].text, strlen(good[i].text), &order, &ns), 0);
		if (ns != good[i].ns)
			fail_msg("'%s' is %lld", good[i].text, (long long)ns);
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
		order = TIME_ORDER_UNKNOWN;
		if (!time_parse(no[i], strlen(no[i]), &order, &ns))
			fail_msg("'%s' is taken for a time", no[i]);
	}
}

/* Of 1,234 alone nobody knows; of many of them it is believed, unless there is 987 beside them, or in another file. */
static void commas_of_many(void **state)
{
	char text[2000] = "time;node;r;w\n", *end = text + strlen(text);
	struct table t;

	(void)state;
	put("plain.csv", "time;node;r;w\n1;b;987;5\n", 24);
	for (int i = 0; i < 20; i++)
		end += sprintf(end, "%d;a;%d,234;%d\n", i, 1 + i, 1 + i);
	t = (struct table){0};
	assert_int_equal(quietly(&t, put("x.csv", text, strlen(text)), &none, false), 0);
	value_is(&t, "a", "", "r", 5, 6.234);
	assert_non_null(strstr(text_of(&t.notes), "column 'r': commas are read as decimal points"));
	assert_int_equal(quietly(&t, path_of("plain.csv"), &none, false), -EINVAL);
	assert_non_null(strstr(said, "'r' has numbers with commas"));
	table_release(&t);
	t = (struct table){0};
	assert_int_equal(quietly(&t, path_of("plain.csv"), &none, false), 0);
	assert_int_equal(quietly(&t, put("x.csv", text, strlen(text)), &none, false), -EINVAL);
	table_release(&t);
	strcpy(end, "20;a;987;5\n");
	bad(text, &none, "write points, as 'tr , . <FILE' does");
}

/* Beside decimal commas 1.042 may be thousands; 0.5 and 1.04 are none. */
static void points_beside_decimal_commas(void **state)
{
	static const char *const good[] = {
		"time;node;r;w\n1;a;1,5;944\n2;a;1,5;0.042\n",
		"time;node;r;w\n1;a;1,5;1.042\n2;a;1,5;1.04\n",
		"time;node;r;w\n1;a;1,5;1.042\n2;a;1,5;-1234.042\n",
		"time;node;r;w\n1;a;1;1.042\n2;a;2;944\n",
		"time;node;r;w\n21.11.2026;a;1;1.042\n22.11.2026;a;2;944\n",
	};
	struct table t;

	(void)state;
	bad("time;node;r;w\n1;a;1,5;944\n2;a;1,5;1.042\n", &none,
	    "column 'w' has points, and other numbers of the file have decimal commas: points may");
	bad("time;node;r;w\n21.11.2026;a;1,500;-1.042\n", &none, "points may part thousands there");
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		ok(&t, good[i], &none);
		assert_int_equal(t.n, 4);
		table_release(&t);
	}
}

/* 2/3/2026 is two days; a date before it in the file tells which. */
static void dates_of_unknown_order(void **state)
{
	struct table t;

	(void)state;
	bad("time,node,r\n2/3/2026 1:00 PM,a,1\n", &none, "which is the month? write dates as");
	ok(&t, "time,node,r\n1/28/2026,a,1\n2/3/2026 1:00 PM,a,2\n", &none);
	value_is(&t, "a", "", "r", 1770123600, 2);
	table_release(&t);
	ok(&t, "time,node,r\n28/1/2026,a,1\n2/3/2026 1:00 PM,a,2\n", &none);
	value_is(&t, "a", "", "r", 1772456400, 2);
	table_release(&t);
	bad("time,node,r\n1/28/2026,a,1\n28/1/2026,a,2\n", &none, "line 3: '28/1/2026' is no time");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_tables_with_any_separator),
		cmocka_unit_test(long_tables),
		cmocka_unit_test(json_lines),
		cmocka_unit_test(json_lines_that_do_not_fit),
		cmocka_unit_test(state_durations_are_no_duplicates),
		cmocka_unit_test(columns_named_by_options),
		cmocka_unit_test(rows_as_time_and_files_as_nodes),
		cmocka_unit_test(missing_values_and_text),
		cmocka_unit_test(quotes),
		cmocka_unit_test(lines_that_do_not_fit),
		cmocka_unit_test(names_of_any_printable_kind),
		cmocka_unit_test(lines_and_columns_have_limits),
		cmocka_unit_test(a_compressed_bomb_is_refused_by_its_line),
		cmocka_unit_test(numbers_are_those_of_strtod),
		cmocka_unit_test(times_of_every_kind),
		cmocka_unit_test(commas_of_many),
		cmocka_unit_test(points_beside_decimal_commas),
		cmocka_unit_test(dates_of_unknown_order),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
