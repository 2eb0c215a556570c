// SPDX-License-Identifier: BSD-2-Clause
/* watch/: the screen, the live view, the metrics' text. */
#include "watch_util.h"

#include "analyzer/watch/exposition.h"
#include "analyzer/watch/keys.h"
#include "analyzer/watch/view.h"

/* ---- the screen -------------------------------------------------------------------------------------*/

static void row_is(const struct screen *s, size_t row, const char *text)
{
	char have[SCREEN_MAX + 1];

	snprintf(have, sizeof(have), "%.*s", (int)s->cols, s->text + row * s->cols);
	for (size_t end = s->cols; end && have[end - 1] == ' ';)
		have[--end] = 0;
	assert_string_equal(have, text);
}

static void words_flow_and_are_cut(void **state)
{
	struct screen s = {0};

	(void)state;
	assert_int_equal(screen_init(&s, 4, 10), 0);
	assert_int_equal(screen_flow(&s, 0, 3, 2, LOOK_PLAIN, "one two three \377[31mfour"), 3);
	row_is(&s, 0, "one two");
	row_is(&s, 1, "  three");
	row_is(&s, 2, "  ?[31 ...");
	screen_release(&s);
	assert_int_equal(screen_init(&s, 2, 12), 0);
	assert_int_equal(screen_flow(&s, 0, 1, 0, LOOK_PLAIN, "one two three four"), 1);
	row_is(&s, 0, "one two ...");
	row_is(&s, 1, "");
	assert_int_equal(screen_flow(&s, 0, 0, 0, LOOK_PLAIN, "one"), 0);
	assert_int_equal(screen_flow(&s, 9, 3, 0, LOOK_PLAIN, "one"), 0);
	screen_put(&s, 1, 10, LOOK_PLAIN, "cut here");
	row_is(&s, 1, "          cu");
	screen_release(&s);
	/* no line ends at a tie, nor before a closing mark */
	assert_int_equal(screen_init(&s, 4, 12), 0);
	assert_int_equal(screen_flow(&s, 0, 2, 0, LOOK_PLAIN, "one two 3" TEXT_TIE "four"), 2);
	row_is(&s, 0, "one two");
	row_is(&s, 1, "3 four");
	assert_int_equal(screen_flow(&s, 2, 2, 0, LOOK_PLAIN, "one two four ; x"), 2);
	row_is(&s, 2, "one two");
	row_is(&s, 3, "four; x");
	screen_release(&s);
	/* at the right edge */
	assert_int_equal(screen_init(&s, 2, 8), 0);
	assert_int_equal(screen_flow(&s, 0, 1, 0, LOOK_PLAIN, "eight888 x"), 1);
	row_is(&s, 0, "eigh ...");
	screen_release(&s);
}

/* A longer text through three rows: the lines from the fourth on, and all of them counted. */
static void a_roll_shows_a_part_and_counts_all(void **state)
{
	struct screen s = {0};
	struct screen_roll r = {.s = &s, .row = 1, .rows = 3, .top = 3};

	(void)state;
	assert_int_equal(screen_init(&s, 5, 10), 0);
	screen_roll(&r, 2, LOOK_PLAIN, "one two three four five");
	assert_int_equal(r.n, 4);
	screen_put(&s, screen_roll_line(&r), 3, LOOK_PLAIN, "put");
	screen_roll(&r, 0, LOOK_PLAIN, "six ; seven eight nine");
	assert_int_equal(r.n, 7);
	row_is(&s, 0, "");
	row_is(&s, 1, "  five");
	row_is(&s, 2, "   put");
	row_is(&s, 3, "six; seven");
	row_is(&s, 4, "");
	screen_release(&s);
}

/* What is written: no cell of the row beyond the last column, and no escape but these. */
static void only_known_escapes_are_written(void **state)
{
	struct screen s = {0};
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(screen_init(&s, 2, 5), 0);
	screen_bar(&s, 0, LOOK_BAR, "ab\033c");
	screen_put(&s, 1, 1, LOOK_BAD, "x\xff");
	screen_write(&s, false, to);
	fclose(to);
	assert_string_equal(text, "\033[H\033[7mab?c \033[0m\r\n \033[1mx?\033[0m\033[K");
	free(text);
	screen_release(&s);
}

/* ---- a watch by hand --------------------------------------------------------------------------------*/

static struct analysis_opts opts;

static void look_at(struct watch *w, size_t node, const char *disk, enum signal signal,
		    double value, bool flagged)
{
	struct observation o = {.from_ns = AT(86),
				.to_ns = AT(90),
				.node = node,
				.disk = disk,
				.signal = signal,
				.value = value,
				.peers = 4,
				.ratio = value / 4,
				.z = flagged ? 20 : 0.5,
				.worse = flagged};

	looks_observe(&w->looks, &o);
}

/* n servers that all report, at AT(90). */
static struct watch *watch_of(size_t n, const char *name)
{
	struct watch *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	struct robust_params params = ROBUST_PARAMS_DEFAULT;

	w->o = &opts;
	w->robust = robust_new(&params);
	w->heard_ns = calloc(n, sizeof(*w->heard_ns));
	w->here = calloc(n, sizeof(*w->here));
	w->verdict = verdict_at(90);
	w->intervals = 9;
	w->n_heard = n;
	for (size_t i = 0; i < n; i++) {
		char each[64];

		snprintf(each, sizeof(each), "%s%zu", name, i + 1);
		assert_int_equal(robust_node(w->robust, each, 0), i);
		if (i < SERVERS)
			snprintf(w->verdict.nodes[i], HOST_LEN, "%s", each);
		w->here[i] = true;
		w->heard_ns[i] = AT(90);
		look_at(w, i, "sdb", SIG_READ, 4 + (double)i / 100, false);
		look_at(w, i, "", SIG_RETRANS, 0, false);
	}
	assert_int_equal(robust_push(w->robust, AT(86), NULL, 0), 0);
	return w;
}

static bool shows(const struct screen *s, const char *words)
{
	char *text = strndup(s->text, s->rows * s->cols);
	bool found = strstr(text, words) != NULL;

	free(text);
	return found;
}

static struct screen drawn_with(const struct watch *w, size_t rows, size_t cols,
				struct view_choice *choice)
{
	struct view_lately lately = {.at = {"03:01:30 opened s3 limps"}, .n = 1};
	struct screen s = {0};

	assert_int_equal(screen_init(&s, rows, cols), 0);
	view_draw(&s, w, &lately, "", choice, AT(95));
	for (size_t i = 0; i < s.rows * s.cols; i++)
		assert_true(s.text[i] >= ' ' && s.text[i] <= '~');
	return s;
}

static struct screen drawn(const struct watch *w, size_t rows, size_t cols)
{
	struct view_choice choice = {0};

	return drawn_with(w, rows, cols, &choice);
}

static void the_view_puts_who_limps_first(void **state)
{
	struct watch *w = watch_of(100, "oss");
	struct screen s;

	(void)state;
	indict(&w->verdict, 4, CAUSE_DISK_HOG, "fio:12");
	look_at(w, 4, "sdb", SIG_READ, 31, true);
	look_at(w, 4, "sdc", SIG_READ, 3, false);
	look_at(w, 77, "sdb", SIG_DISK_KB, 3e5, true);
	w->here[50] = false;
	s = drawn(w, 24, 80);
	assert_true(shows(&s, "99 of 100 servers report"));
	assert_true(shows(&s, "oss5 limps: disk-hog: fio (pid 12), 50 % of bytes"));
	assert_true(shows(&s, "since 03:01:00 UTC (35 s), 95 % sure"));
	assert_true(shows(&s, "read latency of sdb 31.20 ms"));
	/* the disk that is odd, though another one is healthy; marked also without colours */
	assert_true(shows(&s, "oss5              31.0*"));
	assert_true(shows(&s, "oss51            silent since 03:01:30 UTC"));
	assert_true(shows(&s, "more, all alike"));
	assert_true(shows(&s, "q quits"));
	screen_release(&s);
	/* of two signals the first one, unless the other is odd */
	look_at(w, 0, "sdb", SIG_WRITE_DEVICE, 55, false);
	look_at(w, 0, "sdb", SIG_READ_DEVICE, 11, false);
	look_at(w, 1, "sdb", SIG_READ_DEVICE, 12, false);
	look_at(w, 1, "sdb", SIG_WRITE_DEVICE, 66, true);
	s = drawn(w, 50, 200);
	assert_true(shows(&s, "oss1              4.00       -    11.0 "));
	assert_true(shows(&s, "oss2              4.01       -    66.0*"));
	assert_true(shows(&s, "oss78"));
	assert_true(shows(&s, " 307+"));
	screen_release(&s);
	watch_free(w);
}

static void nobody_limps(void **state)
{
	struct watch *w = watch_of(SERVERS, "oss");
	struct screen s = drawn(w, 24, 80);
	struct unproven u = {
		.node = 0, .resource = RESOURCE_DISK, .signal = SIG_READ, .suspicious_from = 4.1};

	(void)state;
	assert_true(shows(&s, "no server limps "));
	assert_true(shows(&s, "opened s3 limps"));
	assert_false(shows(&s, "more, "));
	assert_true(shows(&s, "median of all     4.0")); /* 4.025 of 4.00 … 4.05 */
	screen_release(&s);
	assert_int_equal(verdict_used(&w->verdict, &u), 0);
	s = drawn(w, 24, 80);
	assert_false(shows(&s, "no server limps"));
	assert_true(shows(&s, "no server is seen to limp, but a disk that takes 2 x as long"));
	screen_release(&s);
	memset(w->here, 0, SERVERS);
	s = drawn(w, 24, 80);
	assert_false(shows(&s, "no server limps "));
	assert_true(shows(&s, "no server reports"));
	screen_release(&s);
	watch_free(w);
}

/* Below who limps, in other words, and not as if nothing were. */
static void who_is_suspicious_is_shown(void **state)
{
	struct watch *w = watch_of(SERVERS, "oss");
	struct screen s;

	(void)state;
	indict(&w->verdict, 4, CAUSE_DEVICE_SLOW, "")->suspicion = SUSPICION_DATA;
	w->verdict.judged[1] = false;
	s = drawn(w, 24, 90);
	assert_false(shows(&s, "no server limps"));
	assert_true(shows(
		&s, "no server is indicted: 1 is suspicious, 4 are well, 1 could not be judged"));
	assert_true(shows(&s, "oss5 is suspicious: device-slow"));
	assert_true(shows(&s, "too little data; since 03:01:00 UTC"));
	screen_release(&s);
	indict(&w->verdict, 2, CAUSE_DISK_HOG, "");
	s = drawn(w, 40, 90);
	assert_true(shows(&s, "oss3 limps: disk-hog"));
	assert_true(shows(&s, "oss5 is suspicious: device-slow"));
	assert_true(strstr(s.text, "oss3 limps") < strstr(s.text, "oss5 is suspicious"));
	screen_release(&s);
	watch_free(w);
}

/* An upgrade: that one server's probe did not come back is not lost among those that did. */
static void many_restarts_are_one_line(void **state)
{
	struct watch *w = watch_of(SERVERS, "oss");
	struct screen s;

	(void)state;
	notice(&w->verdict, NOTICE_SILENT, 5, "", 90);
	for (size_t i = 0; i < 5; i++)
		notice(&w->verdict, NOTICE_RESTART, i, "", 90);
	s = drawn(w, 24, 100);
	assert_true(shows(&s, " stopped reporting (silent)"));
	assert_true(shows(&s, "the probes of 5 servers were started anew (restart)"));
	assert_false(shows(&s, "the probe of"));
	screen_release(&s);
	watch_free(w);
}

static void shows_after(const struct watch *w, struct view_choice *choice, int key,
			const char *words, const char *no)
{
	struct screen s;

	assert_int_equal(view_key(choice, w, key), VIEW_CHANGED);
	s = drawn_with(w, 24, 80, choice);
	if (!shows(&s, words) || shows(&s, no)) {
		for (size_t i = 0; i < s.rows; i++)
			print_message("%.*s\n", (int)s.cols, s.text + i * s.cols);
		fail_msg("no '%s', or '%s', after %d", words, no, key);
	}
	screen_release(&s);
}

/* Fifty servers on 24 lines: every one can be reached, and the chosen one stays in sight. */
static void keys_move_through_the_table(void **state)
{
	struct watch *w = watch_of(50, "srv-");
	struct view_choice choice = {0};

	(void)state;
	assert_int_equal(view_key(&choice, w, 'x'), VIEW_NOTHING);
	shows_after(w, &choice, 's', "by name", "srv-50 ");
	shows_after(w, &choice, KEY_END, "srv-50 ", "srv-1 ");
	assert_int_equal(choice.node, 49); /* by name srv-50 is the last, not srv-9 */
	shows_after(w, &choice, KEY_DOWN, "srv-50 ", "srv-1 ");
	shows_after(w, &choice, KEY_PAGE_UP, "and ", "srv-1 ");
	shows_after(w, &choice, KEY_HOME, "srv-1 ", "srv-50 ");
	shows_after(w, &choice, 'j', "srv-2 ", "srv-50 ");
	assert_int_equal(choice.node, 1);
	look_at(w, 41, "sdb", SIG_READ, 90, true);
	for (size_t i = 2; i < view_n_orders; i++)
		assert_int_equal(view_key(&choice, w, 's'), VIEW_CHANGED);
	shows_after(w, &choice, 's', "srv-2 ", "by name");
	assert_int_equal(choice.node, 1);
	assert_int_equal(view_key(&choice, w, 'q'), VIEW_QUIT);
	watch_free(w);
}

/* In the order of these lines of the screen. */
static void are_in_order(const struct screen *s, const char *const *lines, size_t n)
{
	char *text = strndup(s->text, s->rows * s->cols);
	const char *at = text;

	for (size_t i = 0; i < n; i++) {
		at = strstr(at, lines[i]);
		if (!at)
			fail_msg("'%s' is not there, or too early", lines[i]);
	}
	free(text);
}

static void servers_are_sorted_by_their_trouble_and_data(void **state)
{
	static const char *const odd[] = {"odd first", "\n"};
	static const char *const trouble[] = {"trouble",      "oldest trouble", "oss2 ", "80 s",
					      "silent since", "oss5 ",		"35 s",	 "oss1 ",
					      " - ",	      "Enter opens"};
	static const char *const data[] = {
		"data",	 "oldest data", "oss4 ",	"-",	 "nothing heard of it",
		"oss2 ", "80 s",	"silent since", "oss1 ", " 5 s"};
	struct watch *w = watch_of(SERVERS, "oss");
	struct view_choice choice = {0};
	struct screen s;

	(void)state;
	indict(&w->verdict, 4, CAUSE_DISK_HOG, "fio:12");
	w->here[1] = w->here[3] = false;
	w->heard_ns[1] = AT(15);
	w->heard_ns[3] = INT64_MIN;
	s = drawn_with(w, 30, 80, &choice);
	are_in_order(&s, odd, 1);
	screen_release(&s);
	choice.order = 2;
	s = drawn_with(w, 30, 80, &choice);
	are_in_order(&s, trouble, sizeof(trouble) / sizeof(*trouble));
	screen_release(&s);
	choice.order = 3;
	s = drawn_with(w, 30, 80, &choice);
	are_in_order(&s, data, sizeof(data) / sizeof(*data));
	screen_release(&s);
	watch_free(w);
}

static void types(struct view_choice *choice, const struct watch *w, const char *bytes)
{
	for (; *bytes; bytes++)
		view_key(choice, w, (unsigned char)*bytes);
}

/* What is typed is shown, also what a terminal would take for more, and finds what names show. */
static void a_part_of_a_name_is_found(void **state)
{
	struct watch *w = watch_of(50, "Rack\xff-");
	struct view_choice choice = {0};

	(void)state;
	shows_after(w, &choice, '/', "/_  50 of 50 servers", "Rack?-50 ");
	types(&choice, w, "rack\x9b-4q");
	shows_after(w, &choice, 127, "/rack?-4_  11 of 50 servers  Enter keeps them", "Rack?-1 ");
	/* the chosen server may be one that is not listed */
	shows_after(w, &choice, KEY_END, "Rack?-49 ", "Rack?-1 ");
	assert_int_equal(choice.node, 48);
	shows_after(w, &choice, '3', "Rack?-43 ", "Rack?-49 ");
	shows_after(w, &choice, '\r', "/rack?-43  1 of 50 servers  Esc lists all", "Rack?-49 ");
	shows_after(w, &choice, '\r', "Rack?-43 could not be judged", "Rack?-1 ");
	assert_int_equal(choice.node, 42);
	shows_after(w, &choice, KEY_ESCAPE, "/rack?-43  1 of 50", "Rack?-9 ");
	shows_after(w, &choice, KEY_ESCAPE, "Rack?-43 ", "/rack");
	shows_after(w, &choice, '/', "/_", "rack");
	types(&choice, w, "none");
	shows_after(w, &choice, '\r', "no server's name has this in it", "more, ");
	assert_int_equal(view_key(&choice, w, '\r'), VIEW_CHANGED);
	assert_false(choice.server.open);
	shows_after(w, &choice, '/', "/_", "none");
	types(&choice, w, "ab");
	shows_after(w, &choice, 'U' - '@', "/_", "/ab");
	shows_after(w, &choice, '\b', "q quits", "/_");
	/* no longer than a name */
	view_key(&choice, w, '/');
	for (int i = 0; i < 2 * HOST_LEN; i++)
		view_key(&choice, w, i == HOST_LEN - 2 ? 'z' : 'y');
	shows_after(w, &choice, KEY_DOWN, "yyyz_  0 of 50 servers", "/yyyz");
	watch_free(w);
}

/* Keys that come faster than pictures mean what they would have meant, one by one. */
static void a_server_is_opened_alone(void **state)
{
	struct watch *w = watch_of(50, "oss");
	struct view_choice choice = {0};
	struct unproven u = {
		.node = 4, .resource = RESOURCE_DISK, .signal = SIG_READ, .suspicious_from = 4.1};
	static const char *const odd_first[] = {"* read latency", "* other programs'",
						"  read dev"};
	struct screen s;

	(void)state;
	indict(&w->verdict, 4, CAUSE_DISK_HOG, "fio:12");
	indict(&w->verdict, 4, CAUSE_CPU_HOG, "")->open = false;
	indict(&w->verdict, 2, CAUSE_SLOW, "");
	look_at(w, 4, "sdb", SIG_READ, 31, true);
	look_at(w, 4, "sdb", SIG_READ_DEVICE, 5, false);
	look_at(w, 4, "", SIG_FOREIGN_RX, 20000, true);
	look_at(w, 4, "sdb", SIG_DISK_KB, 300, true);
	notice(&w->verdict, NOTICE_RESTART, 4, "", 90);
	notice(&w->verdict, NOTICE_RESTART, 3, "", 90);
	straggle(&w->verdict, 4, 20);
	assert_int_equal(verdict_used(&w->verdict, &u), 0);
	s = drawn_with(w, 24, 80, &choice);
	screen_release(&s);
	types(&choice, w, "jjjks/oss5\r\r");
	assert_true(choice.server.open);
	assert_int_equal(choice.node, 4);
	s = drawn_with(w, 60, 80, &choice);
	assert_true(shows(&s, " oss5  03:0"));
	assert_true(shows(&s, "oss5 limps: disk-hog: fio (pid 12), 50 % of bytes"));
	assert_true(shows(&s, "since 03:01:00 UTC (35 s), 95 % sure"));
	assert_true(shows(&s, "why: "));
	assert_true(shows(&s, "- read latency of sdb 31.20 ms, peers' median 4.10 ms"));
	assert_true(shows(&s, "task1 on oss5 runs for 20 s"));
	assert_true(
		shows(&s, "* read latency of sdb                   31.0 ms      4.00 ms   7.75 x"));
	assert_true(shows(&s, "+ file system's disk bytes of sdb "));
	assert_true(shows(&s, " other programs' bytes received     19.5 MiB/s"));
	are_in_order(&s, odd_first, sizeof(odd_first) / sizeof(*odd_first));
	assert_true(shows(&s, "- a disk that takes 2 x as long would not have been seen"));
	assert_true(shows(&s, "the probe of oss5 was started anew"));
	assert_true(shows(&s, "oss5 limped: cpu-hog"));
	assert_false(shows(&s, "oss3"));
	assert_false(shows(&s, "oss4"));
	assert_true(shows(&s, "q go back"));
	screen_release(&s);
	/* on fewer rows it scrolls, and ends at its end */
	shows_after(w, &choice, KEY_UP, "1-22 of ", "limped");
	shows_after(w, &choice, KEY_END, "limped", "oss5 limps");
	shows_after(w, &choice, KEY_DOWN, "limped", "oss5 limps");
	/* what there was may have gone meanwhile */
	w->verdict.incidents[1].node = 1;
	shows_after(w, &choice, KEY_DOWN, "started anew", "limped");
	assert_int_equal(choice.server.top + choice.server.fit, choice.server.lines);
	view_key(&choice, w, KEY_END);
	view_key(&choice, w, KEY_UP);
	assert_int_equal(choice.server.top + choice.server.fit + 1, choice.server.lines);
	shows_after(w, &choice, KEY_DOWN, "started anew", "limped");
	shows_after(w, &choice, '?', "these keys", "started anew");
	shows_after(w, &choice, '?', "started anew", "these keys");
	shows_after(w, &choice, 'q', "by name", "what may help");
	assert_false(choice.server.open);
	assert_int_equal(choice.node, 4);
	watch_free(w);
}

static void a_silent_and_a_well_server_have_pages(void **state)
{
	struct watch *w = watch_of(SERVERS, "oss");
	struct view_choice choice = {.any = true, .node = 1, .server.open = true};
	struct unjudged u = {.node = 2, .signal = SIG_RUNQ, .why = UNJUDGED_TOO_FEW};

	(void)state;
	shows_after(w, &choice, KEY_HOME, "oss2 is well", "silent");
	w->here[1] = false;
	shows_after(w, &choice, KEY_HOME, "silent since 03:01:30 UTC", "nothing was");
	w->heard_ns[1] = INT64_MIN;
	shows_after(w, &choice, KEY_HOME, "nothing was heard of it", "silent");
	assert_int_equal(robust_push(w->robust, AT(90), NULL, 0), 0);
	shows_after(w, &choice, KEY_HOME, "none was judged in the last interval", "read latency");
	assert_int_equal(verdict_add_unjudged(&w->verdict, &u), 0);
	choice.node = 2;
	shows_after(w, &choice, KEY_HOME, "- run-queue delay, 90 %: ", "oss2");
	w->verdict.judged[2] = false;
	shows_after(w, &choice, KEY_HOME, "oss3 could not be judged", "is well");
	/* a server of which no verdict knows yet */
	w->verdict.judged[2] = true;
	w->verdict.n_nodes = 2;
	shows_after(w, &choice, KEY_HOME, "oss3 could not be judged", "is well");
	w->verdict.n_nodes = SERVERS;
	watch_free(w);
}

static void the_last_line_tells_the_keys(void **state)
{
	static const struct {
		size_t cols;
		const char *line;
	} rows[] = {
		{200, "* worse than its peers  + more demand than its peers  - not judged  arrows"},
		{80, "arrows PgUp PgDn move  Enter opens  / finds  s sorts  ? keys  q quits"},
		{40, "Enter opens  / finds  s sorts  ? q quits"},
		{20, "Enter / s ? q"},
		{6, "Enter "}};
	struct watch *w = watch_of(SERVERS, "oss");

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct screen s = drawn(w, 10, rows[i].cols);

		assert_memory_equal(s.text + 9 * s.cols, rows[i].line,
				    strlen(rows[i].line) < s.cols ? strlen(rows[i].line) : s.cols);
		screen_release(&s);
	}
	watch_free(w);
}

/* Few rows are for servers. */
static void a_small_terminal_shows_servers(void **state)
{
	struct watch *w = watch_of(50, "oss");
	struct view_choice choice = {0};
	struct screen s;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		indict(&w->verdict, i, CAUSE_DISK_HOG, "fio:1");
	s = drawn_with(w, 10, 40, &choice);
	assert_true(shows(&s, "oss1 limps"));
	assert_true(shows(&s, "odd first"));
	assert_true(choice.fit >= 3);
	screen_release(&s);
	watch_free(w);
}

/* Sequences in pieces, of several terminals; unknown ones mean nothing. */
static void keys_come_in_bytes(void **state)
{
	static const struct {
		const char *bytes;
		int key;
	} rows[] = {{"j", 'j'},
		    {"\033[A", KEY_UP},
		    {"\033OB", KEY_DOWN},
		    {"\033[5~", KEY_PAGE_UP},
		    {"\033[6~", KEY_PAGE_DOWN},
		    {"\033[H", KEY_HOME},
		    {"\033[4~", KEY_END},
		    {"\033[99999~", KEY_NONE},
		    {"\033[1;5Z", KEY_NONE},
		    {"\033\033[F", KEY_END},
		    {"\033[200~q", 'q'}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct keys k = {0};
		int key = KEY_NONE;

		assert_int_equal(keys_waited(&k), KEY_NONE);
		for (const char *p = rows[i].bytes; *p; p++) {
			assert_int_equal(key, KEY_NONE);
			key = keys_take(&k, (unsigned char)*p);
		}
		assert_int_equal(key, rows[i].key);
	}
}

/* Alone it is a key once nothing has come; a sequence that waits for its rest is none. */
static void an_escape_is_a_key_if_nothing_follows(void **state)
{
	struct keys k = {0};

	(void)state;
	assert_int_equal(keys_take(&k, '\033'), KEY_NONE);
	assert_true(keys_wait(&k));
	assert_int_equal(keys_waited(&k), KEY_ESCAPE);
	assert_false(keys_wait(&k));
	assert_int_equal(keys_take(&k, 'q'), 'q');
	assert_int_equal(keys_take(&k, '\033'), KEY_NONE);
	assert_int_equal(keys_take(&k, '['), KEY_NONE);
	assert_int_equal(keys_waited(&k), KEY_NONE);
	assert_int_equal(keys_take(&k, 'A'), KEY_UP);
}

/* Any size, and names that mean something to a terminal: nothing is written out of place. */
static void the_view_fits_any_screen(void **state)
{
	struct watch *w = watch_of(40, "\033]0;evil\a\033[2Jverylongname");
	static const size_t sizes[] = {0,  1,  2,  3,  4,  5,  7,   10,	 16,
				       23, 24, 40, 79, 80, 81, 200, 1000};

	(void)state;
	for (size_t i = 0; i < 6; i++)
		indict(&w->verdict, i, CAUSE_DISK_HOG, "\033[2J:1");
	for (int i = 0; i < 30; i++)
		notice(&w->verdict, NOTICE_CLIENT, 1, "host\033[2J", 90);
	for (size_t r = 0; r < sizeof(sizes) / sizeof(*sizes); r++)
		for (size_t c = 0; c < sizeof(sizes) / sizeof(*sizes); c++) {
			struct view_choice server = {.any = true, .server.open = true};
			struct view_choice keys = {.keys.open = true};
			struct screen s = drawn(w, sizes[r], sizes[c]);

			screen_release(&s);
			s = drawn_with(w, sizes[r], sizes[c], &server);
			screen_release(&s);
			s = drawn_with(w, sizes[r], sizes[c], &keys);
			screen_release(&s);
		}
	watch_free(w);
}

/* Any keys, at any speed, on screens that change: what is drawn is in place, and the chosen server is one. */
static void any_keys_at_any_speed(void **state)
{
	static const int keys[] = {KEY_UP,  KEY_DOWN,	KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME,
				   KEY_END, KEY_ESCAPE, KEY_NONE,    '\r',	    '/',
				   's',	    '?',	'q',	     '\b',	    '1',
				   'o',	    255,	'U' - '@'};
	struct watch *w = watch_of(40, "oss\033");
	struct view_choice choice = {0};
	uint32_t random = 1;

	(void)state;
	indict(&w->verdict, 3, CAUSE_DISK_HOG, "fio:1");
	w->here[7] = false;
	for (int i = 0; i < 30000; i++) {
		random = random * 1664525 + 1013904223;
		view_key(&choice, w, keys[(random >> 16) % (sizeof(keys) / sizeof(*keys))]);
		assert_true(choice.node < 40);
		if (!(random >> 30)) {
			struct screen s =
				drawn_with(w, (random >> 8) % 50, (random >> 20) % 100, &choice);

			screen_release(&s);
		}
	}
	watch_free(w);
}

/* ---- the metrics ------------------------------------------------------------------------------------*/

static char *exposed(const struct watch *w, enum openmetrics_format format)
{
	struct exposed e = {.verdict = &w->verdict, .watch = w, .now_ns = AT(95) + 250000000};
	size_t len;
	char *text = exposition_text(&e, format, &len);

	assert_non_null(text);
	assert_int_equal(len, strlen(text));
	return text;
}

static void has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && (at[len] == '\n' || !at[len]))
			return;
	fail_msg("no line '%s' in:\n%s", line, text);
}

static void statuses_are_exposed(void **state)
{
	struct watch *w = watch_of(SERVERS, "oss");
	struct incident *in;
	char *text;

	struct unproven u = {.node = 3,
			     .resource = RESOURCE_DISK,
			     .signal = SIG_READ,
			     .disk = "sdb",
			     .suspicious_from = 4.1};

	(void)state;
	indict(&w->verdict, 4, CAUSE_DEVICE_SLOW, "")->suspicion = SUSPICION_DATA;
	indict(&w->verdict, 2, CAUSE_DISK_HOG, "");
	in = indict(&w->verdict, 0, CAUSE_SLOW, "");
	in->open = false;
	w->verdict.judged[1] = false;
	assert_int_equal(verdict_used(&w->verdict, &u), 0);
	text = exposed(w, FORMAT_OPENMETRICS);
	has_line(text, "limpet_server_status{server=\"oss4\",status=\"unproven\"} 1");
	has_line(text, "limpet_server_unproven{server=\"oss4\",resource=\"disk\",disk=\"sdb\","
		       "signal=\"read\"} 1");
	has_line(text, "limpet_server_status{server=\"oss5\",status=\"suspicious\"} 1");
	has_line(text, "limpet_server_status{server=\"oss5\",status=\"indicted\"} 0");
	has_line(text, "limpet_server_status{server=\"oss3\",status=\"indicted\"} 1");
	has_line(text, "limpet_server_status{server=\"oss2\",status=\"not-judged\"} 1");
	has_line(text, "limpet_server_status{server=\"oss1\",status=\"well\"} 1");
	has_line(text, "limpet_suspicious{server=\"oss5\",cause=\"device-slow\",reason=\"little-"
		       "data\"} 1");
	has_line(text, "limpet_indicted_confidence_ratio{server=\"oss3\",cause=\"disk-hog\"} 0.95");
	assert_null(strstr(text, "limpet_indicted{server=\"oss5\""));
	assert_null(strstr(text, "limpet_suspicious{server=\"oss3\""));
	free(text);
	watch_free(w);
}

static void verdicts_and_signals_are_exposed(void **state)
{
	struct watch *w = watch_of(SERVERS, "oss\"\\\n\xc3");
	char *text;

	(void)state;
	indict(&w->verdict, 1, CAUSE_DISK_HOG, "");
	indict(&w->verdict, 2, CAUSE_CPU_HOG, "")->open = false;
	look_at(w, 0, "sdb", SIG_READ, NAN, false);
	text = exposed(w, FORMAT_OPENMETRICS);
	has_line(text, "limpet_indicted{server=\"oss\\\"\\\\\\n\\\\xc32\",cause=\"disk-hog\"} 1");
	assert_null(strstr(text, "cpu-hog"));
	has_line(text, "limpet_servers 6");
	has_line(text, "limpet_watch_lag_seconds 5.25");
	has_line(text, "limpet_watch_hops_total 9");
	assert_null(strstr(text, "limpet_alerts"));
	assert_null(strstr(text, " nan\n"));
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	free(text);
	text = exposed(w, FORMAT_PROMETHEUS);
	has_line(text, "# TYPE limpet_watch_hops_total counter");
	assert_null(strstr(text, "# EOF"));
	assert_null(strstr(text, "# UNIT"));
	free(text);
	watch_free(w);
}

static void signals_of_before_are_not_exposed(void **state)
{
	struct watch *w = watch_of(SERVERS, "oss");
	char *text;

	(void)state;
	text = exposed(w, FORMAT_OPENMETRICS);
	has_line(text, "limpet_signal_ratio{server=\"oss1\",disk=\"sdb\",signal=\"read\"} 1");
	has_line(text, "limpet_signal_odd{server=\"oss1\",disk=\"\",signal=\"retrans\"} 0");
	free(text);
	assert_int_equal(robust_push(w->robust, AT(90), NULL, 0), 0);
	text = exposed(w, FORMAT_OPENMETRICS);
	assert_null(strstr(text, "limpet_signal_ratio{"));
	free(text);
	watch_free(w);
}

static void tasks_that_hold_up_their_job_are_shown(void **state)
{
	struct watch *w = watch_of(6, "oss");
	struct screen s;
	char *text;

	(void)state;
	straggle(&w->verdict, 1, 20);
	s = drawn(w, 24, 100);
	assert_true(shows(&s, "- task1 on oss2 runs for 20 s, others 5.0 s; its server limps"));
	screen_release(&s);
	for (int i = 0; i < 8; i++)
		straggle(&w->verdict, 2, 30 + i);
	s = drawn(w, 24, 100);
	assert_true(
		shows(&s, "- task9 on oss3 runs for 20 s, and by its progress for 37 s in all"));
	assert_true(shows(&s, "- 7 more tasks hold up their job"));
	screen_release(&s);
	text = exposed(w, FORMAT_OPENMETRICS);
	assert_null(strstr(text, "limpet_stragglers"));
	free(text);
	w->jobs.any = true;
	text = exposed(w, FORMAT_OPENMETRICS);
	has_line(text, "limpet_stragglers{server=\"oss1\"} 0");
	has_line(text, "limpet_stragglers{server=\"oss2\"} 1");
	has_line(text, "limpet_stragglers{server=\"oss3\"} 8");
	free(text);
	watch_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_flow_and_are_cut),
		cmocka_unit_test(only_known_escapes_are_written),
		cmocka_unit_test(the_view_puts_who_limps_first),
		cmocka_unit_test(nobody_limps),
		cmocka_unit_test(who_is_suspicious_is_shown),
		cmocka_unit_test(statuses_are_exposed),
		cmocka_unit_test(many_restarts_are_one_line),
		cmocka_unit_test(tasks_that_hold_up_their_job_are_shown),
		cmocka_unit_test(keys_move_through_the_table),
		cmocka_unit_test(keys_come_in_bytes),
		cmocka_unit_test(an_escape_is_a_key_if_nothing_follows),
		cmocka_unit_test(a_roll_shows_a_part_and_counts_all),
		cmocka_unit_test(servers_are_sorted_by_their_trouble_and_data),
		cmocka_unit_test(a_part_of_a_name_is_found),
		cmocka_unit_test(a_server_is_opened_alone),
		cmocka_unit_test(a_silent_and_a_well_server_have_pages),
		cmocka_unit_test(the_last_line_tells_the_keys),
		cmocka_unit_test(a_small_terminal_shows_servers),
		cmocka_unit_test(any_keys_at_any_speed),
		cmocka_unit_test(the_view_fits_any_screen),
		cmocka_unit_test(verdicts_and_signals_are_exposed),
		cmocka_unit_test(signals_of_before_are_not_exposed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
