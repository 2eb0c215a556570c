// SPDX-License-Identifier: BSD-2-Clause
/* options.h: strict numbers, options in any order, errors that are errors. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/output.h"
#include "userspace/common/times.h"

struct opts {
	bool flag;
	const char *text;
	struct string_list list;
	unsigned int count;
	double factor;
	int64_t from, to;
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
static int parse_line(const struct command *of, struct opts *o, const char *words)
{
	int argc = 1, n;

	memset(o, 0, sizeof(*o));
	memset(argv, 0, sizeof(argv));
	argv[0] = strcpy(line, "test");
	strcpy(line + 5, words);
	for (char *w = strtok(line + 5, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	quiet();
	n = options_parse(of, o, argc, argv);
	loud();
	return n;
}

static int parse(struct opts *o, const char *words)
{
	return parse_line(&cmd, o, words);
}

static void every_type_is_compared(void **state)
{
	const char *is[] = {"a", "b"}, *wanted[] = {"a", "c"};
	const struct opts a = {true, "x", {is, 2}, 1, 1, 1, 0};
	const struct opts other = {false, NULL, {wanted, 2}, 2, 1.5, 2, 0};
	struct opts same = a;
	char text[] = "x";

	(void)state;
	same.text = text;
	for (const struct option_def *o = defs; o->name; o++) {
		assert_true(option_is_same(o, &a, &same));
		assert_false(option_is_same(o, &a, &other));
	}
	same.list.n = 1;
	assert_false(option_is_same(&defs[2], &a, &same));
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
		"--from noon",	"--f",		"-n -1",       "-n 0x5",
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

/* 2026-11-21 12:00:00 UTC */
#define NOON (1795219200000000000LL + 43200 * NS_PER_S)

/* Two times that are not in order, and options without those that they need. */
static const struct option_def more_defs[] = {
	{0, "from", OPT_TIME, offsetof(struct opts, from), "TIME", "a time", 0, 0},
	{0, "to", OPT_TIME, offsetof(struct opts, to), "TIME", "a time", 0, 0},
	{0, "local-time", OPT_LOCAL, 0, NULL, "local time", 0, 0},
	{'j', "json", OPT_FLAG, offsetof(struct opts, flag), NULL, "for programs", 0, 0},
	{'t', "text", OPT_STRING, offsetof(struct opts, text), "TEXT", "a text", 0, 0},
	{'n', "count", OPT_UINT, offsetof(struct opts, count), "N", "a number", 1, 100},
	{0, NULL, 0, 0, NULL, NULL, 0, 0},
};
static const struct option_need needs[] = {{"count", {"--text", "-"}}, {"text", {"--json"}}, {0}};
static const struct command more = {"more", "", "tests", more_defs, NULL, needs};

static void times_are_of_one_present_and_in_order(void **state)
{
	static const char *const bad[] = {"--from now --to now", "--to -10m --from -5m",
					  "--from @10 --to @9.5", "--from 12:01", "--to noon"};
	struct opts o;

	(void)state;
	time_here.now_ns = NOON;
	assert_int_equal(parse_line(&more, &o, "--to now --from -10m"), 0);
	assert_true(o.to == NOON && o.from == NOON - 600 * NS_PER_S);
	assert_int_equal(parse_line(&more, &o, "x --from=-90s y --to 11:59:00"), 2);
	assert_true(o.from == NOON - 90 * NS_PER_S && o.to == NOON - 60 * NS_PER_S);
	assert_string_equal(argv[1], "x");
	assert_string_equal(argv[2], "y");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (parse_line(&more, &o, bad[i]) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
}

static void local_time_is_for_all_options_wherever_it_stands(void **state)
{
	char text[TIME_TEXT_LEN];
	struct opts o;

	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	time_here.now_ns = NOON;
	assert_int_equal(parse_line(&more, &o, "--from 12:30 --local-time"), 0);
	assert_true(o.from == NOON - 1800 * NS_PER_S);
	assert_string_equal(output_time(o.from, text), "2026-11-21T12:30:00+01:00");
	assert_string_equal(output_time_utc(o.from, text), "2026-11-21T11:30:00Z");
	/* For programs it is UTC, and the option is for --from alone. */
	assert_int_equal(parse_line(&more, &o, "--json --from 12:30 --local-time"), 0);
	assert_true(o.from == NOON - 1800 * NS_PER_S);
	assert_string_equal(output_time(o.from, text), "2026-11-21T11:30:00Z");
	assert_int_equal(parse_line(&more, &o, "--json --local-time"), -EINVAL);
	/* And the next line is without it. */
	assert_int_equal(parse_line(&more, &o, "--from 11:30"), 0);
	assert_true(o.from == NOON - 1800 * NS_PER_S);
	assert_string_equal(output_time(o.from, text), "2026-11-21T11:30:00Z");
	unsetenv("TZ");
	tzset();
}

static void what_needs_others_is_refused_without_them(void **state)
{
	struct opts o;

	(void)state;
	assert_int_equal(parse_line(&more, &o, "-n 3"), -EINVAL);
	assert_int_equal(parse_line(&more, &o, "-n 3 x"), -EINVAL);
	assert_int_equal(parse_line(&more, &o, "-n 3 -"), 1);
	assert_int_equal(parse_line(&more, &o, "-n 3 -t x"), -EINVAL);
	assert_int_equal(parse_line(&more, &o, "-n 3 -t x -j"), 0);
	assert_true(option_given("count") && option_given("json") && !option_given("from"));
	assert_false(option_given("nosuch"));
	assert_int_equal(parse_line(&more, &o, ""), 0);
	assert_false(option_given("count"));
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
		cmocka_unit_test(every_type_is_compared),
		cmocka_unit_test(words_and_options_mix),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test(whole_numbers_are_strict),
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(times_are_of_one_present_and_in_order),
		cmocka_unit_test(local_time_is_for_all_options_wherever_it_stands),
		cmocka_unit_test(what_needs_others_is_refused_without_them),
		cmocka_unit_test(commands_are_found_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
