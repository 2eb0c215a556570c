// SPDX-License-Identifier: BSD-2-Clause
/* What sar and iostat print for people: languages, midnight, restarts, the first report; and what is refused, where. */
#include "table_util.h"

#define LINUX(host, day) "Linux 6.18.44 (" host ") \t" day " \t_x86_64_\t(2 CPU)\n\n"
#define REPORT(time, user, await)                                                         \
	time "\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n          " user \
	     "    0.00    9.85    0.88    0.02   55.53\n\n"                               \
	     "Device            r/s     rkB/s   rrqm/s  %rrqm r_await  aqu-sz  %util\n"   \
	     "vda            239.21   4048.37    60.39  20.16    " await "    0.10   3.32\n\n\n"

static void iostat_in_any_language(void **state)
{
	static const struct {
		const char *text;
		double await;
	} texts[] = {
		{LINUX("a", "11/27/26") REPORT("11/27/26 23:45:17", "1.00", "9.99")
			 REPORT("11/27/26 23:45:18", "33.5", "0.25"),
		 0.25},
		{"\xef\xbb\xbf" LINUX("a", "27.11.2026")
			 REPORT("27.11.2026 23:45:17", "1,00", "9,99")
				 REPORT("27.11.2026 23:45:18", "33,5", "0,25"),
		 0.25},
		{LINUX("a", "11/27/2026") REPORT("11/27/2026 11:45:17 PM", "1.00", "9.99")
			 REPORT("11/27/2026 11:45:18 PM", "33.5", "7"),
		 7},
		{LINUX("a", "2026-11-27") REPORT("2026-11-27T23:45:17+0000", "1.00", "9.99")
			 REPORT("2026-11-28T00:45:18+0100", "33.5", "7"),
		 7},
	};
	struct table t;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ok(&t, texts[i].text, &none);
		value_is(&t, "a", "", "%user", 1795823118, 33.5);
		value_is(&t, "a", "vda", "r_await", 1795823118, texts[i].await);
		value_is(&t, "a", "vda", "%util", 1795823118, 3.32);
		assert_int_equal(t.lines, 2);
		assert_true(t.sysstat && t.merge && strstr(text_of(&t.notes), "first report"));
		assert_int_equal(!strstr(text_of(&t.notes), "that name no zone are read as UTC"),
				 !!strchr(texts[i].text, '+'));
		table_release(&t);
	}
}

/* Of sar the day is said once: after midnight it is the next, in every section. */
static void sar_over_midnight(void **state)
{
	static const char text[] =
		LINUX("a", "11/27/26") "23:59:58        CPU     %user     %nice     %idle\n"
				       "23:59:59        all      1.50      0.00     98.50\n"
				       "23:59:59          0      7.50      0.00     92.50\n\n"
				       "23:59:58          DEV       tps     await     %util\n"
				       "23:59:59          vda    175.00      6.25     67.60\n\n"
				       "23:59:59        CPU     %user     %nice     %idle\n"
				       "00:00:00        all      2.50      0.00     97.50\n\n"
				       "23:59:59          DEV       tps     await     %util\n"
				       "00:00:00          vda    175.00      7.25     67.60\n\n"
				       "00:00:01     LINUX RESTART\t(2 CPU)\n\n"
				       "00:00:01        IFACE   rxpck/s    rxkB/s\n"
				       "00:00:02           lo      1.00      1.00\n"
				       "00:00:02         eth0      2.00      3.50\n"
				       "00:00:02       COM      a comment\n"
				       "Durchschn.:      eth0      2.00      3.50\n\n"
				       "00:00:01     LINUX RESTART\t(2 CPU)\n";
	struct table t;

	(void)state;
	ok(&t, text, &none);
	value_is(&t, "a", "", "%user", 1795823999, 1.5);
	value_is(&t, "a", "", "%user", 1795824000, 2.5);
	value_is(&t, "a", "vda", "await", 1795823999, 6.25);
	value_is(&t, "a", "vda", "await", 1795824000, 7.25);
	assert_true(isnan(value(&t, "a", "lo", "rxkB/s", 1795737602)));
	value_is(&t, "a", "eth0", "rxkB/s", 1795737602, 3.5);
	assert_non_null(strstr(text_of(&t.notes), "that name no zone are read as UTC"));
	assert_int_equal(t.restarts, 1);
	table_release(&t);
}

/* A clock that was put back is no midnight: hours that come twice would be one. */
static void clocks_that_go_back(void **state)
{
	static const char back[] =
		"the clock goes back (summer time?): record with TZ=UTC, or give "
		"sar's own file";
	struct table t;

	(void)state;
	bad(LINUX("a", "10/25/26") "02:58:00  DEV  tps\n02:59:00  vda  1\n02:00:00  vda  2\n",
	    &none, back);
	bad(LINUX("a", "10/25/26") "02:59:00  DEV  tps\n02:59:01  vda  1\n02:59:00  5\n", &none,
	    "line 5: 2 words, but 3 columns");
	bad(LINUX("a", "10/25/26") REPORT("10/25/26 02:58:00", "1", "1")
		    REPORT("10/25/26 02:59:00", "2", "2") REPORT("10/25/26 02:00:00", "3", "3"),
	    &none, "line 19: the clock goes back");
	/* the next day begins late, for the server was off */
	ok(&t, LINUX("a", "10/25/26") "12:58:00  DEV  tps\n12:59:00  vda  1\n09:58:00  vda  2\n",
	   &none);
	value_is(&t, "a", "vda", "tps", 1793008680, 2);
	table_release(&t);
	/* another recording in the same file begins when it likes to */
	ok(&t,
	   LINUX("a", "10/25/26") REPORT("10/25/26 02:58:00", "1", "1")
		   REPORT("10/25/26 02:59:00", "2", "2") LINUX("a", "10/25/26")
			   REPORT("10/25/26 01:00:00", "3", "3")
				   REPORT("10/25/26 01:01:00", "4", "4"),
	   &none);
	value_is(&t, "a", "", "%user", 1792890060, 4);
	table_release(&t);
}

/* With --pretty the device is the last word; sysstat before 12 has another name for the queue. */
static void sar_of_other_versions(void **state)
{
	static const char text[] = LINUX(
		"a", "11/27/2026") "11:46:31 AM       tps  avgqu-sz     await     %util DEV\n"
				   "11:46:32 AM    175.00      1.50      6.25     67.60 vda\n"
				   "12:00:01 PM    176.00      2.50      7.25     67.60 vda\n"
				   "Average:       175.50      2.00      6.75     67.60 vda\n";
	struct table t;

	(void)state;
	ok(&t, text, &none);
	value_is(&t, "a", "vda", "tps", 1795779992, 175);
	value_is(&t, "a", "vda", "aqu-sz", 1795780801, 2.5);
	assert_int_equal(t.lines, 2);
	table_release(&t);
	ok(&t, text, &(struct table_opts){.node = "@file"});
	value_is(&t, "x", "vda", "tps", 1795779992, 175);
	table_release(&t);
}

/* Who writes it was killed, or still writes: half a number is another one. */
static void a_line_without_its_end(void **state)
{
	static const char text[] =
		LINUX("a", "11/27/26") "10:00:00  DEV  tps\n10:00:01  vda  17.5\n"
				       "10:00:02  vda  18.5\n";
	struct table t;
	char *cut;

	(void)state;
	for (size_t n = 0; n <= strlen("10:00:02  vda  18.5\n"); n++) {
		bool whole = n == 0, gone = n == strlen("10:00:02  vda  18.5\n");

		cut = strndup(text, strlen(text) - n);
		assert_non_null(cut);
		ok(&t, cut, &none);
		value_is(&t, "a", "vda", "tps", 1795773601, 17.5);
		assert_int_equal(t.n, whole ? 2 : 1);
		assert_int_equal(
			!strstr(text_of(&t.notes), "x.csv' is not finished (sar or iostat"),
			whole || gone);
		table_release(&t);
		free(cut);
	}
}

static void what_does_not_fit(void **state)
{
	(void)state;
	bad(LINUX("a", "11/27/26") "avg-cpu:  %user\n          33.72\n", &none,
	    "line 3: there is no time above: 'iostat -t' prints it");
	bad(LINUX("a", "11/27/26") "Device  r/s\nvda  1\n", &none, "'iostat -t' prints it");
	bad(LINUX("a", "11/27/26") "11/27/26 23:45:17\nDevice  tps  kB_read/s\nvda  1  2\n", &none,
	    "line 4: there are no times of disks: 'iostat -x' prints them");
	bad(LINUX("a", "27/11/2026") "10:00:00 \u03bc\u03bc  DEV  tps\n", &none,
	    "line 3: '10:00:00 \u03bc\u03bc' is no time (S_TIME_FORMAT=ISO makes");
	/* with -h a report has several headings: one of each kind of requests */
	bad(LINUX("a", "11/27/26") "11/27/26 23:45:17\n r/s r_await Device\n 1.0k 2.00 vda\n\n"
				   " d/s d_await Device\n 0.00 0.00 vda\n\n"
				   " f/s f_await aqu-sz %util Device\n 0.00 0.00 0.00 1.0% vda\n\n"
				   "11/27/26 23:45:18\n r/s r_await Device\n 1.0k 2.00 vda\n",
	    &none, "line 15: '1.0k' has a unit");
	bad(LINUX("a", "2/3/26") "10:00:00  DEV  tps\n10:00:01  vda  1\n", &none,
	    "which is the month? write dates as 2026-11-21 19:26:00 (sysstat does so with "
	    "S_TIME_FORMAT=ISO)");
	bad(LINUX("a", "11/27/26") "10:00:00  DEV  tps\n10:00:01  vda  x\n", &none,
	    "line 4: 'x' is no number");
	bad(LINUX("a", "11/27/26") "10:00:00  DEV  %util\n10:00:01  vda  70.5%\n", &none,
	    "line 4: '70.5%' has a unit: print it without -h or --human");
	bad(LINUX("a", "11/27/26") "10:00:00  DEV  rkB/s\n10:00:01  vda  1,3k\n", &none,
	    "line 4: '1.3k' has a unit");
	bad(LINUX("a", "11/27/26") "10:00:00  DEV  tps\n10:00:01  vda\n", &none,
	    "line 4: 2 words, but 3 columns");
	bad(LINUX("a", "11/27/26") "10:00:00  DEV  tps\nvda  1\n", &none, "'vda' is no time");
	bad("Linux 6.18.44 () \t11/27/26 \t_x86_64_\t(2 CPU)\n", &none,
	    "line 1: there is no name of a node");
	bad(LINUX("a", "11/27/26") "11/27/26 23:45:17\nDevice await\n10:00:00 vda\n", &none,
	    "there are no names of columns above");
	/* without empty lines nothing tells times from disks */
	bad(LINUX("a", "11/27/26") "11/27/26 23:45:17\nDevice  tps await\nvda  1  2\n"
				   "11/27/26 23:45:18\nDevice  tps await\nvda  1  2\n",
	    &none, "line 6: 2 words, but 3 columns");
	bad(LINUX("a", "11/27/26") REPORT("11/27/26 23:45:17", "1.00", "9.99")
		    LINUX("a", "11/27/26") REPORT("11/27/26 23:46:17", "1.00", "9.99"),
	    &none,
	    "x.csv': each run of iostat has one report, which is left out as it may cover all the "
	    "time since boot; run 'iostat -y -x -t N 2' or without end");
	bad(LINUX("a", "11/27/26") "soon\n", &none,
	    "line 3: 'soon' is no time (S_TIME_FORMAT=ISO makes sysstat write times that everybody "
	    "reads)");
	bad(LINUX("a", "27/nov/26") "10:00:00  DEV  tps\n", &none,
	    "'27/nov/26 10:00:00' is no time (S_TIME_FORMAT=ISO");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iostat_in_any_language), cmocka_unit_test(sar_over_midnight),
		cmocka_unit_test(clocks_that_go_back),	  cmocka_unit_test(sar_of_other_versions),
		cmocka_unit_test(a_line_without_its_end), cmocka_unit_test(what_does_not_fit),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
