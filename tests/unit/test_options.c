// SPDX-License-Identifier: BSD-2-Clause
/* options.h: strict numbers and times, options in any order, errors that are errors. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/options.h"

struct opts {
	bool flag;
	const char *text;
	struct string_list list;
	unsigned int count;
	double factor;
	int64_t from;
};

static const struct option_def defs[] = {
	{'f', "flag", OPT_FLAG, offsetof(struct opts, flag), NULL, "a flag", 0, 0},
	{'t', "text", OPT_STRING, offsetof(struct opts, text), "TEXT", "a text", 0, 0},
	{'d', "disk", OPT_LIST, offsetof(struct opts, list), "DISK", "again and again", 0, 0},
	{'n', "count", OPT_UINT, offsetof(struct opts, count), "N", "a number", 1, 100},
	{0, "factor", OPT_DOUBLE, offsetof(struct opts, factor), "X", "a factor", 0, 10},
	{0, "from", OPT_TIME, offsetof(struct opts, from), "TIME", "a time", 0, 0},
	{0, NULL, 0, 0, NULL, NULL, 0, 0},
};
static const struct command cmd = {"test", "[FILE…]", "tests", defs, NULL, NULL};

static int saved_out, saved_err;

/* Messages are for people; here they would only be noise. */
static void quiet(void)
{
	int null = open("/dev/null", O_WRONLY);

	fflush(stdout);
	saved_out = dup(1);
	saved_err = dup(2);
	dup2(null, 1);
	dup2(null, 2);
	close(null);
}

static void loud(void)
{
	fflush(stdout);
	dup2(saved_out, 1);
	dup2(saved_err, 2);
	close(saved_out);
	close(saved_err);
}

/* The words after the command, split at blanks; argv is of the last call. */
static char line[256], *argv[32];
static int parse(struct opts *o, const char *words)
{
	int argc = 1, n;

	memset(o, 0, sizeof(*o));
	memset(argv, 0, sizeof(argv));
	argv[0] = strcpy(line, "test");
	strcpy(line + 5, words);
	for (char *w = strtok(line + 5, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	quiet();
	n = options_parse(&cmd, o, argc, argv);
	loud();
	return n;
}

static void every_type_is_stored(void **state)
{
	struct opts o;

	(void)state;
	assert_int_equal(parse(&o, "-f -t x --disk a -d b -n 7 --factor 2.5 --from @10"), 0);
	assert_true(o.flag);
	assert_string_equal(o.text, "x");
	assert_int_equal(o.list.n, 2);
	assert_string_equal(o.list.at[0], "a");
	assert_string_equal(o.list.at[1], "b");
	assert_int_equal(o.count, 7);
	assert_true(o.factor == 2.5);
	assert_true(o.from == 10000000000LL);
	string_list_release(&o.list);
	assert_null(o.list.at);
}

static void words_and_options_mix(void **state)
{
	struct opts o;

	(void)state;
	assert_int_equal(parse(&o, "one --count=5 two -f three"), 3);
	assert_string_equal(argv[1], "one");
	assert_string_equal(argv[2], "two");
	assert_string_equal(argv[3], "three");
	assert_int_equal(o.count, 5);
	assert_int_equal(parse(&o, "-f -- -n"), 1);
	assert_string_equal(argv[1], "-n");
	assert_int_equal(parse(&o, ""), 0);
}

static void bad_options_are_refused(void **state)
{
	static const char *const bad[] = {
		"--nosuch",	"-x",		"-n",	       "-n 0",
		"-n 101",	"-n x",		"-n 5x",       "--count=",
		"--flag=1",	"--factor nan", "--factor -1", "--factor 1e1x",
		"--from today", "--f",		"-n -1",       "-n 0x5",
		"--factor inf", "--from @-1",	"-fx",
	};
	struct opts o;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (parse(&o, bad[i]) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(parse(&o, "--help"), -ECANCELED);
	assert_int_equal(parse(&o, "-f -h -x"), -ECANCELED);
}

static void whole_numbers_are_strict(void **state)
{
	static const char *const bad[] = {"", " 1", "1 ", "+1", "-1", "1.0", "1e3", "0x1", "one"};
	static const char *const far[] = {"9", "101", "4294967296", "18446744073709551617",
					  "99999999999999999999999999"};
	unsigned int v = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse_uint(bad[i], 10, 100, &v), -EINVAL);
	for (size_t i = 0; i < sizeof(far) / sizeof(*far); i++)
		assert_int_equal(parse_uint(far[i], 10, 100, &v), -ERANGE);
	assert_int_equal(v, 77);
	assert_int_equal(parse_uint("10", 10, 100, &v), 0);
	assert_int_equal(v, 10);
	assert_int_equal(parse_uint("4294967295", 0, UINT32_MAX, &v), 0);
	assert_int_equal(v, UINT32_MAX);
}

static void numbers_are_strict(void **state)
{
	static const char *const bad[] = {"", " 1", "1 ", "nan", "-nan", "1,5", "1.5.2", "x", "."};
	double v = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse_double(bad[i], 0, 10, &v), -EINVAL);
	assert_int_equal(parse_double("10.1", 0, 10, &v), -ERANGE);
	assert_int_equal(parse_double("-0.1", 0, 10, &v), -ERANGE);
	assert_int_equal(parse_double("inf", 0, 10, &v), -ERANGE);
	assert_int_equal(parse_double("1e400", 0, 10, &v), -ERANGE);
	assert_true(v == 77);
	assert_int_equal(parse_double("2.5e-1", 0, 10, &v), 0);
	assert_true(v == 0.25);
}

static void times_are_utc_and_strict(void **state)
{
	static const char *const good[] = {"2026-11-21T03:00:00Z", "2026-11-21T03:00:00",
					   "2026-11-21 03:00:00", "@1795230000"};
	static const char *const bad[] = {
		"",	     "2026", "2026-13-01", "2026-11-21T", "2026-11-21T03:00:00+01",
		"@",	     "@x",   "@nan",	   "now",	  "2026-11-21T25:00:00Z",
		"5026-11-21"};
	int64_t ns = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!parse_time(bad[i], &ns))
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(ns, 77);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(parse_time(good[i], &ns), 0);
		assert_true(ns == 1795230000000000000LL);
	}
	assert_int_equal(parse_time("2026-11-21", &ns), 0);
	assert_true(ns == 1795219200000000000LL);
	assert_int_equal(parse_time("1970-01-01", &ns), 0);
	assert_true(ns == 0);
}

static int ran;
static int run_it(int argc, char **av)
{
	ran = argc;
	assert_string_equal(av[0], "go");
	return EXIT_INDICTED;
}

static void commands_are_found_or_refused(void **state)
{
	static const struct command table[] = {{"go", "", "goes", defs, run_it, NULL},
					       {NULL, NULL, NULL, NULL, NULL, NULL}};
	char *go[] = {"limpet", "go", "x", NULL}, *no[] = {"limpet", "nosuch", NULL};
	char *help[] = {"limpet", "--help", NULL}, *none[] = {"limpet", NULL};
	int rc[4];

	(void)state;
	quiet();
	rc[0] = commands_dispatch("limpet", "about", table, 3, go);
	rc[1] = commands_dispatch("limpet", "about", table, 2, no);
	rc[2] = commands_dispatch("limpet", "about", table, 2, help);
	rc[3] = commands_dispatch("limpet", "about", table, 1, none);
	loud();
	assert_int_equal(rc[0], EXIT_INDICTED);
	assert_int_equal(ran, 2);
	assert_int_equal(rc[1], EXIT_USAGE);
	assert_int_equal(rc[2], EXIT_DONE);
	assert_int_equal(rc[3], EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_stored),
		cmocka_unit_test(words_and_options_mix),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test(whole_numbers_are_strict),
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(times_are_utc_and_strict),
		cmocka_unit_test(commands_are_found_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
