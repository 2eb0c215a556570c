// SPDX-License-Identifier: BSD-2-Clause
/* table.h: what is read of text, compressed or not, and of sysstat; and what is refused, where. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../../analyzer/table_parts.h"

static char folder[64];
static char said[4096]; /* what the last read_…() printed on stderr */

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/limpet-table.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static const char *put(const char *name, const void *text, size_t len)
{
	const char *path = path_of(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* Reads with stderr in `said`. */
static int quietly(struct table *t, const char *path, const struct table_opts *o, bool finish)
{
	char log[300];
	int old = dup(STDERR_FILENO), fd, err;
	ssize_t n;

	snprintf(log, sizeof(log), "%s/log", folder);
	fd = open(log, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(old >= 0 && fd >= 0);
	dup2(fd, STDERR_FILENO);
	err = path ? table_read(t, path, o) : 0;
	if (!err && finish)
		err = table_finish(t, o);
	dup2(old, STDERR_FILENO);
	close(old);
	n = pread(fd, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = 0;
	close(fd);
	return err;
}

static int read_text(struct table *t, const char *text, const struct table_opts *o)
{
	*t = (struct table){0};
	return quietly(t, put("x.csv", text, strlen(text)), o, true);
}

/* The value of node, instance, metric at a time in seconds; NAN: there is none. */
static double value(const struct table *t, const char *node, const char *instance,
		    const char *metric, double time)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct sample *s = &t->at[i];

		if (!strcmp(t->nodes.at[s->node], node) &&
		    !strcmp(t->instances.at[s->instance], instance) &&
		    !strcmp(t->metrics.at[s->metric], metric) && s->time_ns == llround(time * 1e9))
			return s->value;
	}
	return NAN;
}

#define ok(t, text, o) assert_int_equal(read_text(t, text, o), 0)
#define value_is(t, node, instance, metric, time, want) \
	assert_true(value(t, node, instance, metric, time) == (want))

/* Refused, with these words, and without a leak (the sanitizers look). */
static void bad(const char *text, const struct table_opts *o, const char *words)
{
	struct table t;

	assert_true(read_text(&t, text, o) < 0);
	if (!strstr(said, words))
		fail_msg("'%s' is not in: %s", words, said);
	table_release(&t);
}

static const struct table_opts none;

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
		assert_null(t.notes);
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
	assert_non_null(strstr(t.notes, "left out: columns bytes"));
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
	assert_non_null(strstr(t.notes, "left out: columns host"));
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
	assert_non_null(strstr(t.notes, "left out: columns kind, none, (no name)\n"));
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
					 "2018-01-28 00:00",
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
					 "."};
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(time_parse(good[i].text, strlen(good[i].text), &ns), 0);
		if (ns != good[i].ns)
			fail_msg("'%s' is %lld", good[i].text, (long long)ns);
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (!time_parse(no[i], strlen(no[i]), &ns))
			fail_msg("'%s' is taken for a time", no[i]);
}

static void counters_become_rates(void **state)
{
	struct table_opts o = {.counters = {(const char *[]){"c"}, 1}};
	struct table t;

	(void)state;
	/* out of order; a value missing; a reset; another node between */
	ok(&t,
	   "time,node,c,g\n20,a,300,1\n10,a,100,1\n10,b,0,1\n30,a,,1\n40,a,900,1\n"
	   "50,a,10,1\n60,a,30,1\n20,b,50,1\n",
	   &o);
	assert_true(isnan(value(&t, "a", "", "c", 10)));
	value_is(&t, "a", "", "c", 20, 20);
	value_is(&t, "a", "", "c", 40, 30);
	assert_true(isnan(value(&t, "a", "", "c", 50)));
	value_is(&t, "a", "", "c", 60, 2);
	value_is(&t, "b", "", "c", 20, 5);
	value_is(&t, "a", "", "g", 60, 1);
	assert_int_equal(t.resets, 1);
	assert_int_equal(t.missing, 1);
	table_release(&t);
	o.metrics = (struct string_list){(const char *[]){"g"}, 1};
	ok(&t, "time,node,c,g\n1,a,5,7\n", &o); /* not asked for, so not missed */
	value_is(&t, "a", "", "g", 1, 7);
	assert_int_equal(t.n, 1);
	table_release(&t);
	o.metrics.n = 0;
	ok(&t, "time,node,c\n1,a,5\n2,a,5\n", &o); /* standing still is no reset */
	value_is(&t, "a", "", "c", 2, 0);
	assert_int_equal(t.resets, 0);
	table_release(&t);
	/* two files of one node: the rate goes on across them; instances apart; exact beyond 2^32 */
	o.instance = "d";
	t = (struct table){0};
	assert_int_equal(quietly(&t, put("1.csv", "time,node,d,c\n1,a,x,4294967295\n1,a,y,5\n", 38),
				 &o, false),
			 0);
	assert_int_equal(quietly(&t, put("2.csv", "time,node,d,c\n2,a,x,8589934592\n2,a,y,7\n", 38),
				 &o, true),
			 0);
	value_is(&t, "a", "x", "c", 2, 4294967297);
	value_is(&t, "a", "y", "c", 2, 2);
	table_release(&t);
}

static void the_last_of_one_time_counts(void **state)
{
	struct table_opts o = {.counters = {(const char *[]){"c"}, 1}};
	struct table t;

	(void)state;
	ok(&t, "time,node,x,c\n2,a,7,30\n1,a,1,10\n1,a,2,20\n1,a,3,\n", &o);
	value_is(&t, "a", "", "x", 1, 3);
	value_is(&t, "a", "", "c", 2, 10);
	assert_int_equal(t.duplicates, 3);
	table_release(&t);
}

/* 70 nodes, 2 instances, shuffled lines: in order afterwards, and none lost. */
static void any_order_of_lines(void **state)
{
	enum { NODES = 70, TIMES = 50, N = NODES * TIMES * 2 };
	struct table_opts o = {.instance = "d"};
	char *text = malloc(N * 32), *p = text;
	static int order[N];
	struct table t;

	(void)state;
	srand(3);
	for (int i = 0; i < N; i++)
		order[i] = i;
	for (int i = N - 1; i > 0; i--) {
		int k = rand() % (i + 1), x = order[i];

		order[i] = order[k];
		order[k] = x;
	}
	p += sprintf(p, "time,node,d,x\n");
	for (int i = 0; i < N; i++)
		p += sprintf(p, "%d,n%d,%d,%d\n", order[i] / 2 / NODES, order[i] / 2 % NODES,
			     order[i] % 2, order[i]);
	ok(&t, text, &o);
	assert_int_equal(t.n, N);
	for (size_t i = 0; i < t.n; i++) {
		const struct sample *s = &t.at[i], *b = s - 1;
		int k = (int)s->value;

		assert_int_equal(s->time_ns, k / 2 / NODES * 1000000000LL);
		assert_int_equal(atoi(t.nodes.at[s->node] + 1), k / 2 % NODES);
		assert_int_equal(atoi(t.instances.at[s->instance]), k % 2);
		if (i && b->node == s->node && b->instance == s->instance)
			assert_true(b->time_ns < s->time_ns);
	}
	assert_int_equal(t.step_ns, 1000000000);
	table_release(&t);
	free(text);
}

static void compressed_tables(void **state)
{
	static const char text[] = "time,node,x\n1,a,2\n2,a,3\n";
	struct table t = {0};
	unsigned char raw[256];
	size_t len;
	gzFile gz;
	FILE *f;

	(void)state;
	for (int k = 0; k < 2; k++) { /* two members: `cat a.gz b.gz` */
		gz = gzopen(path_of("t.gz"), k ? "ab" : "wb");
		assert_non_null(gz);
		gzputs(gz, k ? "3,a,4\n" : text);
		gzclose(gz);
	}
	assert_int_equal(quietly(&t, path_of("t.gz"), &none, true), 0);
	value_is(&t, "a", "", "x", 2, 3);
	value_is(&t, "a", "", "x", 3, 4);
	table_release(&t);

	gz = gzopen(path_of("u.gz"), "wb");
	gzputs(gz, text);
	gzclose(gz);
	f = fopen(path_of("u.gz"), "r");
	len = fread(raw, 1, sizeof(raw), f);
	fclose(f);
	for (size_t cut = 1; cut < len; cut++) {
		assert_true(quietly(&t, put("cut.gz", raw, cut), &none, true) < 0);
		assert_non_null(strstr(said, "cut.gz"));
		if (cut > 20) /* beyond the header of gzip */
			assert_non_null(strstr(said, "line 1: the compressed file is cut off"));
		table_release(&t);
	}
	raw[len - 6] ^= 1; /* the check sum */
	assert_true(quietly(&t, put("crc.gz", raw, len), &none, true) < 0);
	table_release(&t);
	gz = gzopen(path_of("twice.gz"), "wb");
	gzwrite(gz, raw, (unsigned int)len);
	gzclose(gz);
	assert_true(quietly(&t, path_of("twice.gz"), &none, true) < 0);
	assert_non_null(strstr(said, "compressed twice"));
	table_release(&t);
}

static void what_is_no_table(void **state)
{
	static const char sqlite[] = "SQLite format 3\0and so on";
	struct table t = {0};
	int old, fd;

	(void)state;
	assert_true(table_is((const unsigned char *)"time,node", 9));
	assert_true(table_is((const unsigned char *)"\x1f\x8b\x08", 3));
	assert_true(table_is((const unsigned char *)"\x96\xd5\x75", 3));
	assert_true(table_is((const unsigned char *)"\xd5\x96\x21", 3));
	assert_false(table_is((const unsigned char *)sqlite, 16));
	assert_true(table_is((const unsigned char *)"\x7f"
						    "ELF",
			     4));
	assert_false(table_is((const unsigned char *)"", 0));

	assert_true(quietly(&t,
			    put("bin",
				"\x7f"
				"ELF\0\0",
				6),
			    &none, true) < 0);
	assert_non_null(strstr(said, "neither a series file, nor text, nor a file of sysstat's"));
	table_release(&t);
	bad("time,node,x\n1,a,2\n", &(struct table_opts){.instance = "x", .node = "x"},
	    "two things");
	assert_true(quietly(&t, put("nul", "time,node,x\n1,a\0,2\n", 19), &none, true) < 0);
	table_release(&t);
	assert_int_equal(quietly(&t, path_of("is-not"), &none, true), -ENOENT);
	table_release(&t);

	/* on standard input there can be a table, but no series file and none of sysstat's */
	old = dup(STDIN_FILENO);
	for (int k = 0; k < 3; k++) {
		const char *path = k == 0   ? put("s", sqlite, sizeof(sqlite))
				   : k == 1 ? put("s", "\x96\xd5\x75\x21\x0c\x06", 6)
					    : put("s", "time,node,x\n1,a,2\n", 18);

		fd = open(path, O_RDONLY);
		dup2(fd, STDIN_FILENO);
		close(fd);
		assert_int_equal(quietly(&t, "-", &none, true) < 0, k < 2);
		if (k < 2)
			assert_non_null(strstr(said, "must be named as it is, not piped"));
		else
			value_is(&t, "a", "", "x", 1, 2);
		table_release(&t);
	}
	dup2(old, STDIN_FILENO);
	close(old);
}

static void what_limpet_show_prints(void **state)
{
	struct table_opts o = {.instance = "instance"};
	struct table t;

	(void)state;
	ok(&t,
	   "time,node,family,instance,await,retrans/s\n"
	   "2026-11-21T04:11:00Z,a,disk,sda,1.5,\n2026-11-21T04:11:00Z,a,tcp,,,3\n"
	   "2026-11-21T04:11:00Z,a,remote,10.0.0.2>24007,,3\n",
	   &o);
	assert_int_equal(t.n, 2);
	value_is(&t, "a", "", "retrans/s", 1795234260, 3);
	assert_non_null(strstr(t.notes, "left out: 1 lines of the family 'remote'"));
	table_release(&t);
}

static void what_sadf_prints(void **state)
{
	static const char text[] =
		"vm;-1;1000;LINUX-RESTART\t(2 CPU)\n"
		"# hostname;interval;timestamp;CPU;%user;%nice;%idle\n"
		"vm;1;1001;-1;55.50;33.00;0.00\nvm;1;1001;0;1.00;2.00;3.00\n"
		"# hostname;interval;timestamp;DEV;tps;rkB/s;await;%util;new-one\n"
		"vm;1;1001;vda;10.00;20.00;0.50;1.00;9\nvm;1;1001;vdb;0.00;0.00;0.00;0.00;9\n"
		"vm;-1;1002;LINUX-RESTART\t(2 CPU)\n"
		"# hostname;interval;timestamp;IFACE;rxkB/s\n"
		"vm;1;1003;lo;5\nvm;1;1003;eth0;6.00\nvm;1;1970-01-01 00:16:44 UTC;eth0;7.00\n"
		"vm;-1;1002;LINUX-RESTART\t(2 CPU)\n"
		"# hostname;interval;timestamp;atmptf/s;retrans/s\nvm;1;1003;1;2\n";
	struct table t;

	(void)state;
	ok(&t, text, &none);
	assert_true(t.sysstat && t.merge);
	value_is(&t, "vm", "", "%user", 1001, 55.5);
	value_is(&t, "vm", "vda", "rkB/s", 1001, 20);
	value_is(&t, "vm", "vdb", "await", 1001, 0);
	value_is(&t, "vm", "eth0", "rxkB/s", 1003, 6);
	value_is(&t, "vm", "eth0", "rxkB/s", 1004, 7);
	assert_true(isnan(value(&t, "vm", "lo", "rxkB/s", 1003)));
	assert_int_equal(names_find(&t.metrics, "new-one"), -1);
	assert_int_equal(names_find(&t.metrics, "retrans/s"), -1);
	assert_int_equal(t.restarts, 2); /* 1002 is told twice */
	table_release(&t);
	bad("# hostname;interval;timestamp;DEV;tps\nvm;1;1;vda;1;2\n", &none,
	    "line 2: 6 fields, but 5 columns");
	bad("# hostname;interval;timestamp;DEV;tps\nvm;1;1;vda;x\n", &none,
	    "line 2: 'x' is no number");
}

static void the_step_of_the_grid(void **state)
{
	static const struct {
		const char *times, *note;
		double interval;
		int64_t step_ms;
	} cases[] = {
		{"a1 a2 a3 a4", NULL, 0, 1000},
		{"a1 a2 a3 a4", "another step than the grid of 5 s: a (1000 ms)", 5, 5000},
		{"a1 a2.003 a2.998 a4.001", NULL, 0, 1000},
		{"a1 a2.01 a3.02 a4.03", NULL, 0, 1000},
		{"a1 a2 a3 b1 b6 b11 b16", "another step than the grid of 5 s: a (1000 ms)", 0,
		 5000},
		{"a1 a2 a3 a4 a100 a101", "have gaps, the longest of: a (96 s)", 0, 1000},
		{"a0 a1 a2 b15 b16 b17 c0 c1 c2 c15 c16 c17 d0 d1 d2 d16 d17", "gaps", 0, 1000},
		{"a1 a2 a3 b1 b2 b3 c50 c51 c52", "no time in common", 0, 1000},
		{"a1 a2 a20 b1 b2 b20 c19 c20", "begin later than most, by: c (18 s)", 0, 1000},
		{"a1 a2 a20 b1 b2 b20 c1 c2", "end earlier than most, by: c (18 s)", 0, 1000},
		{"a1", NULL, 0, 1000},
		{"a0.001 a0.0024 a0.0038", "the grid of 1 ms: a (1.4 ms)", 0, 1},
		{"a0.25 a0.5 a0.75", NULL, 0, 250},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct table_opts o = {.interval_s = cases[i].interval};
		char text[1024] = "time,node,x\n", words[256], *p = text + strlen(text), *save;
		struct table t;

		snprintf(words, sizeof(words), "%s", cases[i].times);
		for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
			p += sprintf(p, "%s,%c,1\n", w + 1, *w);
		ok(&t, text, &o);
		if (t.step_ns != cases[i].step_ms * 1000000)
			fail_msg("'%s': %lld ns", cases[i].times, (long long)t.step_ns);
		if (cases[i].note ? !t.notes || !strstr(t.notes, cases[i].note) : t.notes != NULL)
			fail_msg("'%s': %s", cases[i].times, t.notes ? t.notes : "no note");
		table_release(&t);
	}
	bad("time,node,x\n0.0001,a,1\n0.0002,a,1\n0.0003,a,1\n", &none, "1 ms is the least");
	bad("time,node,x\n1,a,1\n9000000,a,1\n18000000,a,1\n", &none, "days apart");
}

/* A node with two stray lines an hour apart does not make an hour of a second. */
static void a_few_stray_lines_are_no_step(void **state)
{
	char text[4096], *p = text + sprintf(text, "time,node,x\n0,b,1\n3600,b,1\n");
	struct table t;

	(void)state;
	for (int i = 0; i < 60; i++)
		p += sprintf(p, "%d,a,1\n", i);
	ok(&t, text, &none);
	assert_int_equal(t.step_ns, 1000000000);
	assert_non_null(strstr(t.notes, "another step than the grid of 1000 ms: b (60 min)"));
	table_release(&t);
}

static void names_are_numbered_as_they_come(void **state)
{
	struct names s = {0};
	char name[16];

	(void)state;
	assert_int_equal(names_find(&s, "x"), -1);
	for (int i = 0; i < TABLE_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		assert_int_equal(names_add(&s, name), i);
	}
	for (int i = 0; i < TABLE_NAMES_MAX; i += 37) {
		snprintf(name, sizeof(name), "n%d", i);
		assert_int_equal(names_add(&s, name), i);
		assert_int_equal(names_find(&s, name), i);
		assert_string_equal(s.at[i], name);
	}
	assert_int_equal(names_add(&s, "one more"), -1);
	assert_int_equal(errno, E2BIG);
	names_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_tables_with_any_separator),
		cmocka_unit_test(long_tables),
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
		cmocka_unit_test(counters_become_rates),
		cmocka_unit_test(the_last_of_one_time_counts),
		cmocka_unit_test(any_order_of_lines),
		cmocka_unit_test(compressed_tables),
		cmocka_unit_test(what_is_no_table),
		cmocka_unit_test(what_limpet_show_prints),
		cmocka_unit_test(what_sadf_prints),
		cmocka_unit_test(the_step_of_the_grid),
		cmocka_unit_test(a_few_stray_lines_are_no_step),
		cmocka_unit_test(names_are_numbered_as_they_come),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
