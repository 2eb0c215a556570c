// SPDX-License-Identifier: BSD-2-Clause
/* verdict.h: hand-made verdicts as text, line for line. */
#include "analyzer/verdict/sentences.h"
#include "analyzer/output/words.h"
#include "userspace/common/clock.h"
#include "robust_verdicts.h"

static void test_culprit(void **state)
{
	struct verdict a = hogged();

	(void)state;
	check_text(&a,
		   "oss-3 limps: disk-hog: fio (pid 1234, /user.slice), 84 % of bytes read and "
		   "written; sdb: other\n"
		   "    programs read 31.0 of 36.9 MiB/s\n"
		   "  95 % sure; since 2025-11-21T03:02:00Z, indicted 50 s later; still so\n"
		   "  why: processes outside the file system use the disk, and the disk is slow\n"
		   "  - other programs' reads of sdb: 31744 kB/s, peers' median 12 kB/s: 31.6 x "
		   "with 1024 kB/s added\n"
		   "      to both (z 57.0); 14 of 14 windows; 5 peers within 6 %\n"
		   "  - read device time of sdb: 31.40 ms, peers' median 9.80 ms: 3.08 x after its "
		   "own usual 1.04 x\n"
		   "      (z 18.6); 12 of 14 windows; 5 peers within 6 %; p99 88.00 ms, peers' "
		   "21.00 ms; on average\n"
		   "      3.31 x\n"
		   "\n"
		   "judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 6 servers, 58 windows "
		   "of 30 s\n"
		   "servers  1 is indicted, 5 are well\n"
		   "signals  read latency, write latency, segments sent again\n");
	verdict_release(&a);
}

/* Three digits, and the unit that fits; a level below the signal's own decimals is none. */
static void test_quantities(void **state)
{
	static const struct {
		const char *unit;
		int decimals;
		double v;
		const char *said;
	} cases[] = {
		{"kB/s", 0, 16986, "16.6" TEXT_TIE "MiB/s"},
		{"kB/s", 0, 1023, "1023" TEXT_TIE "kB/s"},
		{"kB/s", 0, 2.5 * 1024 * 1024, "2.50" TEXT_TIE "GiB/s"},
		{"kB/s", 0, 0.4, "0"},
		{"ms", 2, 1316.68, "1.32" TEXT_TIE "s"},
		{"ms", 2, 459.47, "459" TEXT_TIE "ms"},
		{"ms", 2, 0.031, "0.03" TEXT_TIE "ms"},
		{"requests", 1, 3.01, "3.0" TEXT_TIE "requests"},
		{"%", 2, -12.34, "-12.3" TEXT_TIE "%"},
		{"", 2, 1.5, "1.50"},
		{"ms", 2, NAN, "-"},
	};
	struct verdict_signal s = {0};
	char buf[WORDS_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(s.unit, sizeof(s.unit), "%s", cases[i].unit);
		s.decimals = cases[i].decimals;
		assert_string_equal(words_quantity(&s, cases[i].v, buf), cases[i].said);
	}
	assert_string_equal(words_span(ns_of_s(599), buf), "599" TEXT_TIE "s");
	assert_string_equal(words_span(ns_of_s(47.6 * 3600), buf), "48" TEXT_TIE "h");
	assert_string_equal(words_span(ns_of_s(5 * 86400), buf), "5" TEXT_TIE "days");
	assert_string_equal(words_span(ns_of_s(3 * 365.25 * 86400), buf), "3.0" TEXT_TIE "years");
}

/* Low confidence, held, and a second server that has it all the time; findings that only support. */
static void test_doubts(void **state)
{
	struct verdict a = group();
	struct incident *in = indict(&a, 4, CAUSE_PACKET_LOSS);
	struct finding e = latency();

	(void)state;
	in->detail = (struct detail){
		.kind = DETAIL_LOSS, .direction = DIRECTION_RECEIVE, .lossy = 3, .hosts = 3};
	in->guess = (struct guess){.kind = GUESS_PROCESS, .process = "iperf3:55"};
	in->confidence = 0.6;
	in->doubts[0] = (struct doubt){.kind = DOUBT_FEW_PEERS, .n = 3};
	in->doubts[1] = (struct doubt){.kind = DOUBT_ONE_HOST, .host = "10.0.0.9"};
	in->n_doubts = 2;
	in->held = true;
	in->last_ns = AT(400);
	e = (struct finding){.signal = SIG_OOO,
			     .node = 4,
			     .value = 4.2,
			     .peers = 0.01,
			     .ratio = 39.1,
			     .usual = 1,
			     .z = 61.2,
			     .spread = 1.05,
			     .w1 = NAN,
			     .p99 = NAN,
			     .p99_peers = NAN,
			     .flagged = 5,
			     .judged = 7,
			     .n_peers = 3,
			     .held = true};
	give(in, e);
	e = (struct finding){.signal = SIG_SRTT,
			     .node = 4,
			     .value = 1.5,
			     .peers = 0.6,
			     .ratio = 2.38,
			     .usual = 1,
			     .z = 14,
			     .spread = 1.064,
			     .w1 = NAN,
			     .p99 = NAN,
			     .p99_peers = NAN,
			     .flagged = 6,
			     .judged = 7,
			     .n_peers = 3,
			     .symptom = true};
	give(in, e);
	in = indict(&a, 0, CAUSE_DEVICE_SLOW);
	in->chronic = true;
	in->open = false;
	in->last_ns = AT(580);
	in->onset_ns = AT(0);
	e = latency();
	e.node = 0;
	e.usual = 1;
	e.ratio = 1.22;
	e.z = 6.67;
	e.flagged = e.judged = 58;
	e.chronic = true;
	give(in, e);
	check_text(
		&a,
		"oss-5 limps: packet-loss: receive side, from 3 of 3 hosts that carry data\n"
		"  60 % sure (only 3 peers to compare with; only one host carries data: the "
		"loss may be at\n"
		"    10.0.0.9); since 2025-11-21T03:02:00Z, indicted 50 s later; held since "
		"2025-11-21T03:06:40Z:\n"
		"    too few events to judge again\n"
		"  why: the server loses packets with most hosts that carry data\n"
		"  a guess: process iperf3:55 sends or receives it: it began at the same time\n"
		"  - out-of-order arrivals: 4.20 %, peers' median 0.01 %: 39.1 x with 0.10 % added "
		"to both\n"
		"      (z 61.2); 5 of 7 windows; 3 peers within 5 %; held, too few events since\n"
		"  - round-trip time (supports): 1.50 ms, peers' median 0.60 ms: 2.38 x with 0.05 "
		"ms added to\n"
		"      both (z 14.0); 6 of 7 windows; 3 peers within 6 %\n"
		"\n"
		"oss-1 limped: device-slow\n"
		"  95 % sure; chronic: so since 2025-11-21T03:00:00Z or before; over since "
		"2025-11-21T03:09:40Z\n"
		"  why: the device takes longer, without I/O of others through this server\n"
		"  - read device time of sdb: 31.40 ms, peers' median 9.80 ms: 1.22 x (z 6.7); "
		"58 of 58 windows;\n"
		"      5 peers within 6 %; p99 88.00 ms, peers' 21.00 ms; on average 3.31 x\n"
		"\n"
		"judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 6 servers, 58 windows of "
		"30 s\n"
		"servers  2 are indicted, 4 are well\n"
		"signals  read latency, write latency, segments sent again\n");
	verdict_release(&a);
}

static void test_notices(void **state)
{
	struct verdict a = group();

	(void)state;
	notice(&a, (struct notice){.kind = NOTICE_IMBALANCE,
				   .node = 1,
				   .signal = SIG_DISK_OPS,
				   .ratio = 3.1,
				   .from_ns = AT(60),
				   .to_ns = AT(600)});
	notice(&a, (struct notice){.kind = NOTICE_SILENT, .node = 5});
	a.judged[5] = false;
	add_unjudged(&a, 5, SIGNAL_ALL, UNJUDGED_NO_DATA);
	add_unjudged(&a, 3, SIG_WRITE, UNJUDGED_FEW_VALUES);
	add_unjudged(&a, 4, SIG_READ, UNJUDGED_TOO_FEW);
	add_unjudged(&a, 3, SIG_READ, UNJUDGED_TOO_FEW);
	add_unjudged(&a, 3, SIG_READ_DEVICE, UNJUDGED_TOO_FEW);
	add_unjudged(&a, 4, SIG_READ_DEVICE, UNJUDGED_TOO_FEW);
	add_unjudged(&a, 4, SIG_SRTT, UNJUDGED_TOO_FEW); /* of other servers: a line */
	add_unjudged(&a, 1, SIG_SRTT, UNJUDGED_TOO_FEW);
	a.unknown_hardware = true;
	a.lost = 7;
	verdict_note_lines(
		&a, "a first line\nand a second one of which there is so much to say that it does "
		    "not fit into one line of under 100 columns\n");
	check_text(&a,
		   "no server is indicted: 5 are well, 1 could not be judged\n"
		   "\n"
		   "also seen, no verdict:\n"
		   "  - oss-2 has more to do than its peers (3.1 times, disk operations), and is "
		   "as quick (imbalance;\n"
		   "    2025-11-21T03:01:00Z to 2025-11-21T03:10:00Z)\n"
		   "  - oss-6 stopped reporting (silent)\n"
		   "\n"
		   "judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 5 of 6 servers, 58 "
		   "windows of 30 s\n"
		   "signals  read latency, write latency, segments sent again\n"
		   "not judged: oss-6 (no data)\n"
		   "not judged on read latency, read device time: oss-4, oss-5 (too few "
		   "events, or too few peers)\n"
		   "not judged on write latency: oss-4 (at most 7 values in a window of 0 s; "
		   "30 are needed)\n"
		   "not judged on round-trip time: oss-2, oss-5 (too few events, or too few "
		   "peers)\n"
		   "models of disks are not recorded: all disks were taken for peers\n"
		   "7 records were lost by the probes\n"
		   "a first line\n"
		   "and a second one of which there is so much to say that it does not fit "
		   "into one line of under\n"
		   "  100 columns\n");
	verdict_release(&a);
}

/* An upgrade of many servers is a line; that of a few is one each. */
static void test_restarts(void **state)
{
	(void)state;
	for (size_t n = 3; n <= 4; n++) {
		struct verdict a = group();
		char *text;

		for (size_t i = 0; i < n; i++)
			notice(&a, (struct notice){.kind = NOTICE_RESTART,
						   .node = i,
						   .from_ns = AT(60 * (int)i),
						   .to_ns = AT(60 * (int)i + 10)});
		text = printed(as_text, &a, false);
		assert_int_equal(strstr(text, "probe of oss-1 was") != NULL, n == 3);
		assert_int_equal(strstr(text, "  - the probes of 4 servers were started anew "
					      "(restart; 2025-11-21T03:00:00Z to\n"
					      "    2025-11-21T03:03:10Z)\n") != NULL,
				 n == 4);
		free(text);
		verdict_release(&a);
	}
}

/* A notice that is the verdict, and is not said twice. */
static void test_all_slow(void **state)
{
	struct verdict a = group();

	(void)state;
	notice(&a, (struct notice){.kind = NOTICE_FLEET,
				   .node = SIZE_MAX,
				   .signal = SIG_READ,
				   .ratio = 3.2,
				   .from_ns = AT(60),
				   .to_ns = AT(600),
				   .replaces = true});
	assert_string_equal(verdict_word(&a), "all-slow");
	check_text(&a,
		   "all servers slowed: read latency at the same load is up to 3.2 x what it was "
		   "before\n"
		   "\n"
		   "judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 6 servers, 58 "
		   "windows of 30 s\n"
		   "signals  read latency, write latency, segments sent again\n");
	indict(&a, 1, CAUSE_SLOW);
	assert_string_equal(verdict_word(&a), "indicted");
	assert_null(verdict_replacement(&a));
	verdict_release(&a);
}

static void test_nothing(void **state)
{
	struct verdict a = group();

	(void)state;
	assert_string_equal(verdict_word(&a), "clean");
	check_text(&a, "no server limps\n"
		       "\n"
		       "judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 6 servers, 58 "
		       "windows of 30 s\n"
		       "signals  read latency, write latency, segments sent again\n");
	a.cannot.why = CANNOT_NO_SIGNAL;
	add_unjudged(&a, 0, SIGNAL_ALL, UNJUDGED_TOO_FEW);
	assert_string_equal(verdict_word(&a), "cannot-judge");
	check_text(&a, "not judged: oss-1 (too few events, or too few peers)\n");
	verdict_release(&a);
	check_text(&a, "no server could be judged\n"
		       "\n"
		       "judged   nothing\n");
	verdict_release(&a); /* takes a zeroed one */
}

/* What nobody could be judged on is said: it is not clean. */
static void test_unseen(void **state)
{
	struct verdict a = group();

	(void)state;
	assert_null(sentence_unseen(&a, 0));
	a.signals[SIG_RETRANS].judged = false;
	verdict_series_unseen(&a);
	assert_non_null(strstr(sentence_unseen(&a, 0), "packet loss"));
	assert_null(sentence_unseen(&a, 1));
	a.signals[SIG_READ].judged = a.signals[SIG_WRITE].judged = false;
	verdict_series_unseen(&a);
	assert_non_null(strstr(sentence_unseen(&a, 0), "slow disk"));
	assert_non_null(strstr(sentence_unseen(&a, 1), "packet loss"));
	assert_null(sentence_unseen(&a, 2));
	check_text(&a, "no server limps\n"
		       "\n"
		       "judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 6 servers, 58 "
		       "windows of 30 s\n"
		       "signals  none\n"
		       "disks could not be judged: a slow disk would not be noticed\n"
		       "lost segments could not be judged: packet loss would not be "
		       "noticed\n");
	a.signals[SIG_WRITE_AWAIT].judged = a.signals[SIG_OOO].judged = true;
	verdict_series_unseen(&a);
	assert_null(sentence_unseen(&a, 0));
	a.signals[SIG_WRITE_AWAIT].judged = a.signals[SIG_OOO].judged = false;
	memset(a.judged, 0, a.n_nodes * sizeof(*a.judged));
	verdict_series_unseen(&a);
	assert_null(sentence_unseen(&a, 0));
	verdict_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_culprit),	 cmocka_unit_test(test_quantities),
		cmocka_unit_test(test_doubts),	 cmocka_unit_test(test_notices),
		cmocka_unit_test(test_all_slow), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_unseen),	 cmocka_unit_test(test_restarts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
