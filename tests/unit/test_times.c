// SPDX-License-Identifier: BSD-2-Clause
/* times.h: what people say of times, in UTC and where clocks are put forward and back. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/output.h"
#include "userspace/common/times.h"

/* 2026-11-21 12:00:00 UTC, a Saturday */
#define NOON_S	   1795262400LL
#define MIDNIGHT_S (NOON_S - 43200)

/* As in tzset(3), so that no data of zones is needed. */
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"

static struct time_here utc = {.now_ns = NOON_S * NS_PER_S};
static char why[WHY_LEN];

/* Seconds since 1970 that are said at this time in this zone; -1: refused. */
static double local_at(const char *zone, int64_t now_s, const char *said)
{
	const struct time_here here = {.now_ns = now_s * NS_PER_S, .local = true};
	int64_t ns = 77;
	int err;

	setenv("TZ", zone, 1);
	tzset();
	why[0] = '\0';
	err = time_said(said, &here, &ns, why);
	assert_true(!err || ns == 77);
	return err ? -1 : s_of_ns(ns);
}

static void dates_are_utc_and_strict(void **state)
{
	static const char *const good[] = {"2026-11-21T03:00:00Z",     "2026-11-21T03:00:00",
					   "2026-11-21 03:00:00",      "@1795230000",
					   "2026-11-21T03:00",	       "2026-11-21 03:00",
					   "2026-11-21 03:00:00.000Z", "2026-11-21T04:00:00+01:00",
					   "2026-11-21 04:00 +01:00",  "2026-11-20 21:30-05:30",
					   "2026-11-21 03:00 UTC",     "2026-11-21-03:00",
					   "2026-11-21T04:00+0100",    "2026-11-20 21:30 -0530",
					   "2026-11-21T3:00",	       "2026-11-21 3:00:00Z"};
	static const char *const bad[] = {"",
					  "2026",
					  "2026-13-01",
					  "2026-00-01",
					  "2026-11-00",
					  "2026-02-29",
					  "2026-11-21T",
					  "2026-11-21 ",
					  " 2026-11-21",
					  "2026-11-21T03:00:00+01",
					  "2026-11-21T03:00:00+100",
					  "2026-11-21T03:00:00+01000",
					  "2026-11-21T:00",
					  "2026-11-21T003:00",
					  "2026-11-21T03:00:00+15:00",
					  "2026-11-21T03:00:00 +01:00 ",
					  "2026-11-21T03:00:00+01:60",
					  "2026-11-21T03:00:00ZZ",
					  "2026-11-21  03:00",
					  "2026-11-21T03",
					  "2026-11-21T03:60",
					  "2026-11-21T24:00",
					  "2026-11-21T03:00:60",
					  "2026-11-21T03:00:00.",
					  "2026-11-21T03:00:00.0000000000",
					  "2026-11-21T03:00.5",
					  "@",
					  "@x",
					  "@nan",
					  "@-1",
					  "@1Z",
					  "2026-11-21T25:00:00Z",
					  "5026-11-21"};
	int64_t ns = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!time_said(bad[i], NULL, &ns, why) || !time_said(bad[i], &utc, &ns, why))
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(ns, 77);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		if (time_said(good[i], NULL, &ns, why) || ns != 1795230000000000000LL)
			fail_msg("'%s' is %lld", good[i], (long long)ns);
		assert_int_equal(time_said(good[i], &utc, &ns, why), 0);
		assert_true(ns == 1795230000000000000LL);
	}
	assert_int_equal(time_said("2026-11-21", NULL, &ns, why), 0);
	assert_true(ns == MIDNIGHT_S * NS_PER_S);
	assert_int_equal(time_said("1970-01-01", NULL, &ns, why), 0);
	assert_true(ns == 0);
	assert_int_equal(time_said("1969-12-31 23:59:59.25", NULL, &ns, why), 0);
	assert_true(ns == -NS_PER_S * 3 / 4);
	assert_int_equal(time_said("2026-11-21T12:00:00.123456789Z", NULL, &ns, why), 0);
	assert_true(ns == NOON_S * NS_PER_S + 123456789);
}

static void what_people_say_is_of_now(void **state)
{
	static const struct {
		const char *said;
		double s;
	} rows[] = {
		{"now", NOON_S},
		{"-0s", NOON_S},
		{"-90s", NOON_S - 90},
		{"-10m", NOON_S - 600},
		{"-10min", NOON_S - 600},
		{"-2h30m", NOON_S - 9000},
		{"-1d", NOON_S - 86400},
		{"-1w", NOON_S - 604800},
		{"today", MIDNIGHT_S},
		{"yesterday", MIDNIGHT_S - 86400},
		{"yesterday 19:00", MIDNIGHT_S - 5 * 3600},
		{"today 19:00", MIDNIGHT_S + 19 * 3600}, /* said so: it may be to come */
		{"11:59", NOON_S - 60},
		{"1:07", MIDNIGHT_S + 4020},
		{"1:07 +0100", MIDNIGHT_S + 420},
		{"12:00", NOON_S},
		{"11:59:59.5Z", NOON_S - 0.5},
		{"12:30+01:00", NOON_S - 1800},
		/* of that zone's day: 2026-11-22 02:00 it is there */
		{"01:59 +14:00", NOON_S - 60},
		{"today+14:00", NOON_S - 7200},
		{"yesterday -05:00", MIDNIGHT_S - 86400 + 5 * 3600},
	};
	static const char *const bad[] = {"12:01",	 "12:00:01",
					  "23:00",	 "23:00-14:00",
					  "-",		 "-10",
					  "-m",		 "-10x",
					  "-10m ",	 "- 10m",
					  "+10m",	 "-1h-1m",
					  "-1.5h",	 "today ",
					  "Today",	 "tomorrow",
					  "nowZ",	 "now 12:00",
					  "todayT11:00", "yesterday19:00",
					  "-9999999s",	 "-999999w999999w",
					  "10m ago",	 "noon",
					  "12",		 "1200"};
	int64_t ns = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (time_said(rows[i].said, &utc, &ns, why) || s_of_ns(ns) != rows[i].s)
			fail_msg("'%s' is %lld (%s)", rows[i].said, (long long)ns, why);
	ns = 77;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!time_said(bad[i], &utc, &ns, why) || !*why)
			fail_msg("'%s' was taken", bad[i]);
	/* A file means the same tomorrow. */
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!time_said(rows[i].said, NULL, &ns, why))
			fail_msg("'%s' was taken in a file", rows[i].said);
	assert_int_equal(ns, 77);
	time_said("12:01", &utc, &ns, why);
	assert_string_equal(why, "12:01 UTC is still to come (it is 12:00): say 'yesterday 12:01'");
	time_said("12:01", &(struct time_here){.now_ns = utc.now_ns, .may_local = true}, &ns, why);
	assert_string_equal(why, "12:01 UTC is still to come (it is 12:00): say 'yesterday 12:01', "
				 "or --local-time if you mean local time");
	time_said("23:00-1400", &utc, &ns, why);
	assert_string_equal(
		why, "23:00-1400 is still to come (it is 22:00): say 'yesterday 23:00-1400'");
}

/* In Berlin clocks go from 02:00 to 03:00 on 29 March 2026, and from 03:00 back to 02:00 on 25 October. */
static void clocks_are_put_forward_and_back(void **state)
{
	(void)state;
	assert_true(local_at(BERLIN, NOON_S, "2026-03-29 01:59:59") == 1774745999);
	assert_true(local_at(BERLIN, NOON_S, "2026-03-29 03:00") == 1774746000);
	assert_true(local_at(BERLIN, NOON_S, "2026-03-29 02:00") < 0);
	assert_true(local_at(BERLIN, NOON_S, "2026-03-29 02:59:59.9") < 0);
	assert_string_equal(why, "this local time does not exist, as clocks were put forward: the "
				 "next one is 2026-03-29T03:00:00+02:00");
	assert_true(local_at(BERLIN, NOON_S, "2026-03-29 02:30+01:00") == 1774747800);
	assert_true(local_at(BERLIN, NOON_S, "2026-10-25 01:59:59") == 1792886399);
	assert_true(local_at(BERLIN, NOON_S, "2026-10-25 03:00") == 1792893600);
	assert_true(local_at(BERLIN, NOON_S, "2026-10-25 02:00") < 0);
	assert_non_null(
		strstr(why, "twice: say 2026-10-25T02:00:00+02:00 or 2026-10-25T02:00:00+01:00"));
	assert_true(local_at(BERLIN, NOON_S, "2026-10-25T02:00:00+02:00") == 1792886400);
	assert_true(local_at(BERLIN, NOON_S, "2026-10-25T02:00:00+01:00") == 1792890000);
	/* Days of 25 and of 23 hours, from their ends. */
	assert_true(local_at(BERLIN, 1792969200, "yesterday") == 1792969200 - 25 * 3600);
	assert_true(local_at(BERLIN, 1774821600, "yesterday") == 1774821600 - 23 * 3600);
}

/* In Cairo 24 April 2026 begins at 01:00; in Havana 1 November 2026 has its first hour twice. */
static void days_that_begin_otherwise(void **state)
{
	(void)state;
	assert_true(local_at("EET-2EEST,M4.5.5/0,M10.5.4/24", NOON_S, "2026-04-24") == 1776981600);
	assert_true(local_at("EET-2EEST,M4.5.5/0,M10.5.4/24", NOON_S, "2026-04-24 00:00") < 0);
	assert_non_null(strstr(why, "the next one is 2026-04-24T01:00:00+03:00"));
	assert_true(local_at("CST5CDT,M3.2.0/0,M11.1.0/1", NOON_S, "2026-11-01") == 1793505600);
	assert_true(local_at("CST5CDT,M3.2.0/0,M11.1.0/1", NOON_S, "2026-11-01 00:30") < 0);
	/* The day is the zone's: at noon in London it is tomorrow on Kiritimati. */
	assert_true(local_at("<+14>-14", NOON_S, "today") == NOON_S - 7200);
	assert_true(local_at("<+14>-14", NOON_S, "01:00") == NOON_S - 3600);
	assert_true(local_at("<+14>-14", NOON_S, "02:01") < 0);
	assert_string_equal(
		why, "02:01 local time is still to come (it is 02:00): say 'yesterday 02:01'");
}

static void a_day_that_never_was(void **state)
{
	static const char samoa[] = "Pacific/Apia";

	(void)state;
	if (access("/usr/share/zoneinfo/Pacific/Apia", R_OK))
		SKIP("no data of zones (tzdata)");
	assert_true(local_at(samoa, NOON_S, "2011-12-30") < 0);
	assert_true(local_at(samoa, NOON_S, "2011-12-30 12:00") < 0);
	assert_non_null(strstr(why, "the next one is 2011-12-31T00:00:00+14:00"));
	assert_true(local_at(samoa, NOON_S, "2011-12-31") == 1325239200);
}

/* What is shown is taken back, and means the same. */
static void what_is_shown_is_said(void **state)
{
	static const char *const zones[] = {"UTC", BERLIN, "NST3:30NDT,M3.2.0,M11.1.0", "<+14>-14"};
	char text[TIME_TEXT_LEN];
	int64_t ns;

	(void)state;
	for (size_t z = 0; z < sizeof(zones) / sizeof(*zones); z++) {
		setenv("TZ", zones[z], 1);
		tzset();
		for (int shown = 0; shown < 2; shown++)
			/* every 61 minutes of two years, with all hours that are there twice */
			for (int64_t at = 1767225600; at < 1767225600 + 2 * 365 * 86400;
			     at += 3660) {
				int64_t was = at * NS_PER_S + 125 * NS_PER_MS * (at % 8);

				time_here = (struct time_here){.shown = shown};
				output_time(was, text);
				if (time_said(text, NULL, &ns, why) || ns != was)
					fail_msg("'%s' is %lld, not %lld", text, (long long)ns,
						 (long long)was);
			}
	}
	time_here = (struct time_here){0};
}

static void offsets_are_strict(void **state)
{
	static const char *const bad[] = {"",	   "Z",	     "+",      "+1:00",	 "+01",	  "+010",
					  "01:00", "+15:00", "+01:60", "+ 1:00", "+-1:00"};
	const char *s = "-05:30x";
	int64_t seconds = 77;

	(void)state;
	assert_true(time_offset(&s, &seconds));
	assert_true(seconds == -19800 && !strcmp(s, "x"));
	s = "+0545:";
	assert_true(time_offset(&s, &seconds) && seconds == 20700 && !strcmp(s, ":"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		s = bad[i];
		if (time_offset(&s, &seconds))
			fail_msg("'%s' was taken", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates_are_utc_and_strict),
		cmocka_unit_test(what_people_say_is_of_now),
		cmocka_unit_test(clocks_are_put_forward_and_back),
		cmocka_unit_test(days_that_begin_otherwise),
		cmocka_unit_test(a_day_that_never_was),
		cmocka_unit_test(what_is_shown_is_said),
		cmocka_unit_test(offsets_are_strict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
