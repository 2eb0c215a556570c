// SPDX-License-Identifier: BSD-2-Clause
/* table.h: counters, duplicates, order and steps; compressed files, sysstat's, and what is no table. */
#include "table_util.h"

#include <zlib.h>

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

static void the_first_of_one_time_counts(void **state)
{
	struct table_opts o = {.counters = {(const char *[]){"c"}, 1}};
	struct table t;

	(void)state;
	ok(&t, "time,node,x,c\n2,a,7,30\n1,a,1,10\n1,a,2,20\n1,a,3,\n3,a,7,31\n", &o);
	value_is(&t, "a", "", "x", 1, 1);
	value_is(&t, "a", "", "c", 2, 20);
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

/* Also where it is compressed; a table with tar's word in its place is none. */
static void tar_is_refused(void)
{
	static const char *const packers[] = {"cat", "gzip", "xz"};
	char command[700], text[300];
	struct table ustar;

	snprintf(text, sizeof(text), "time,node,x\n%243s1,ustar,2\n", "");
	memset(text + 12, '\n', 243);
	assert_memory_equal(text + 257, "ustar", 5);
	ok(&ustar, text, &none);
	table_release(&ustar);
	put("in.csv", "time,node,x\n1,a,2\n", 18);
	for (size_t i = 0; i < sizeof(packers) / sizeof(*packers); i++) {
		struct table t = {0};

		snprintf(command, sizeof(command), "tar -C '%s' -cf - in.csv | %s >'%s/x.tar'",
			 folder, packers[i], folder);
		assert_int_equal(system(command), 0);
		assert_true(quietly(&t, path_of("x.tar"), &none, true) < 0);
		assert_non_null(strstr(said, "it is a tar archive: unpack it, and name the files"));
		table_release(&t);
	}
}

static void what_is_no_table(void **state)
{
	static const char sqlite[] = "SQLite format 3\0and so on";
	static const char *const foreign[][2] = {
		{"PK\3\4...", "it is a spreadsheet or a zip file: save it as CSV"},
		{"PAR1...", "it is Parquet: write it as CSV or JSON Lines"},
		{"<?xml version=\"1.0\"?>", "reads what 'sadf -j' or 'sadf -d -U' prints"},
		{"# HELP a b\n", "the answer of /api/v1/query_range"},
		{"# TYPE a counter\na 1\n", "the answer of /api/v1/query_range"},
	};
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
	assert_non_null(strstr(said,
			       "neither a series file nor a table: a file of sysstat's, what "
			       "sadf prints, sysstat's JSON, what sar and iostat print, "
			       "Prometheus's JSON, a JSON array of objects, JSON Lines, CSV"));
	table_release(&t);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		bad(foreign[i][0], &none, foreign[i][1]);
	tar_is_refused();
	bad("time,node,x\n1,a,2\n", &(struct table_opts){.instance = "x", .node = "x"},
	    "two things");
	assert_true(quietly(&t, put("nul", "time,node,x\n1,a\0,2\n", 19), &none, true) < 0);
	table_release(&t);
	assert_int_equal(quietly(&t, path_of("is-not"), &none, true), -ENOENT);
	table_release(&t);

	/* on standard input there can be a table, sysstat's file too (this one is damaged), but no series file */
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
			assert_non_null(strstr(said, k == 0 ? "must be named as it is, not piped"
							    : "sadf"));
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
	assert_non_null(strstr(text_of(&t.notes), "left out: 1 lines of the family 'remote'"));
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
		"# hostname;interval;timestamp;atmptf/s;retrans/s\nvm;1;1003;1;2\n"
		"# hostname;interval;timestamp;INTR;CPU*\nvm;1;1003;sum;1;2;3\n";
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
	assert_null(strstr(text_of(&t.notes), "no zone"));
	table_release(&t);
	ok(&t,
	   "\xef\xbb\xbf# hostname;interval;timestamp;DEV;tps\nvm;1;1970-01-01 00:16:44;vda;7,25\n",
	   &none);
	value_is(&t, "vm", "vda", "tps", 1004, 7.25);
	assert_non_null(strstr(text_of(&t.notes), "that name no zone are read as UTC"));
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
		if (cases[i].note ? !t.notes.len || !strstr(text_of(&t.notes), cases[i].note)
				  : t.notes.len > 0)
			fail_msg("'%s': %s", cases[i].times, text_of(&t.notes));
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
	assert_non_null(
		strstr(text_of(&t.notes), "another step than the grid of 1000 ms: b (60 min)"));
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

/* Of any length, without an end, of bytes that differ in one place; short ones are one word of their own. */
static void names_of_all_lengths(void **state)
{
	char text[70];
	struct names s = {0};
	size_t n = 0;

	(void)state;
	memset(text, 'a', sizeof(text));
	for (size_t len = 0; len <= 64; len++)
		for (size_t i = 0; i <= len; i++, text[i - 1] = 'a') {
			text[i] = i < len ? 'b' : 'c'; /* the last is behind its end */
			assert_int_equal(names_find_n(&s, text, len), -1);
			assert_int_equal(names_add_n(&s, text, len), n++);
		}
	n = 0;
	for (size_t len = 0; len <= 64; len++)
		for (size_t i = 0; i <= len; i++, text[i - 1] = 'a') {
			text[i] = i < len ? 'b' : 'c';
			assert_int_equal(strlen(s.at[n]), len);
			assert_memory_equal(s.at[n], text, len);
			assert_int_equal(names_add_n(&s, text, len), n);
			assert_int_equal(names_find(&s, s.at[n]), n);
			n++;
		}
	names_release(&s);
}

static void names_are_text(void **state)
{
	char text[40];

	(void)state;
	for (size_t at = 0; at < 20; at++)
		for (unsigned int c = 0; c < 256; c++) {
			memset(text, '~', sizeof(text));
			text[at] = (char)c;
			if (c >= ' ' && c <= '~')
				assert_null(name_check(text, 20, 20));
			else
				assert_non_null(name_check(text, 20, 20));
			memcpy(text + at, "\xc3\xa9", 2);
			assert_null(name_check(text, at + 2 + at % 9, sizeof(text)));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_become_rates),
		cmocka_unit_test(the_first_of_one_time_counts),
		cmocka_unit_test(any_order_of_lines),
		cmocka_unit_test(compressed_tables),
		cmocka_unit_test(what_is_no_table),
		cmocka_unit_test(what_limpet_show_prints),
		cmocka_unit_test(what_sadf_prints),
		cmocka_unit_test(the_step_of_the_grid),
		cmocka_unit_test(a_few_stray_lines_are_no_step),
		cmocka_unit_test(names_are_numbered_as_they_come),
		cmocka_unit_test(names_of_all_lengths),
		cmocka_unit_test(names_are_text),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
