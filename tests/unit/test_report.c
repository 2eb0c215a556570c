// SPDX-License-Identifier: BSD-2-Clause
/* The page of `limpet report`: looks into columns, and a verdict into HTML that nobody can break. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/axis.h"
#include "analyzer/draw/html.h"
#include "analyzer/report/page.h"

#define NS    1000000000LL
#define BEGIN (1700000000 * NS)

static struct observation look_of(double z, double value, double peers)
{
	return (struct observation){
		.z = z, .value = value, .peers = peers, .ratio = value / peers, .worse = z >= 4};
}

/* What the test over time says then: a score, where 5 are needed. */
static struct observation tested(struct observation o, double score, enum evidence_level level)
{
	o.score = score;
	o.needs = 5;
	o.level = level;
	return o;
}

/* Interval number `interval` of a server, 4 s. */
static void tell(struct history *h, size_t node, const char *disk, enum signal s, int interval,
		 struct observation o)
{
	o.from_ns = BEGIN + interval * 4 * NS;
	o.to_ns = BEGIN + (interval + 1) * 4 * NS;
	o.node = node;
	o.disk = disk;
	o.signal = s;
	history_observe(h, &o);
	assert_false(h->failed);
}

static char *page_of(const struct verdict *a, const struct history *h)
{
	const struct report r = {.a = a, .h = h, .bands = true};
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	report_page(to, &r);
	fclose(to);
	assert_non_null(text);
	return text;
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	while ((text = strstr(text, word))) {
		n++;
		text += strlen(word);
	}
	return n;
}

#define assert_has(text, word)	  assert_non_null(strstr(text, word))
#define assert_has_no(text, word) assert_null(strstr(text, word))

/* n servers that were judged in 50 intervals. */
static struct verdict verdict_of(size_t n)
{
	struct verdict a = {.from_ns = BEGIN,
			    .to_ns = BEGIN + 200 * NS,
			    .n_nodes = n,
			    .interval_s = 4,
			    .window_s = 4,
			    .n_windows = 50};

	a.nodes = calloc(n + 1, sizeof(*a.nodes));
	a.judged = calloc(n + 1, sizeof(*a.judged));
	for (size_t i = 0; i < n; i++) {
		snprintf(a.nodes[i], sizeof(a.nodes[i]), "oss-%zu", i);
		a.judged[i] = true;
	}
	assert_int_equal(verdict_series_signals(&a), 0);
	a.signals[SIG_READ].judged = true;
	return a;
}

/* Five servers; the first one's reads become slow in interval 25, the others differ a little. */
static struct history reads(void)
{
	struct history h = {0};

	for (int interval = 0; interval < 50; interval++)
		for (size_t i = 0; i < 5; i++)
			tell(&h, i, "sda", SIG_READ, interval,
			     i == 0 && interval >= 25
				     ? tested(look_of(20, 90, 9), 17.5, EVIDENCE_INDICTED)
				     : look_of(0.1 * (double)i, 9 + 0.1 * (double)i, 9));
	history_finish(&h);
	return h;
}

static struct incident indict(void)
{
	struct incident in = {.cause = CAUSE_DISK_HOG,
			      .confidence = 0.95,
			      .open = true,
			      .onset_ns = BEGIN + 100 * NS,
			      .decided_ns = BEGIN + 140 * NS,
			      .last_ns = BEGIN + 200 * NS,
			      .n_findings = 1};

	in.findings = calloc(1, sizeof(*in.findings));
	*in.findings = (struct finding){.signal = SIG_READ,
					.value = 90,
					.peers = 9,
					.ratio = 10,
					.usual = 1,
					.z = 20,
					.spread = 1.05,
					.w1 = NAN,
					.p99 = 300,
					.p99_peers = 30,
					.flagged = 10,
					.judged = 10,
					.n_peers = 4,
					.onset_ns = BEGIN + 100 * NS,
					.decided_ns = BEGIN + 140 * NS,
					.last_ns = BEGIN + 200 * NS};
	snprintf(in.findings->disk, sizeof(in.findings->disk), "sda");
	return in;
}

static void take_in(struct verdict *a, struct incident in)
{
	a->incidents = realloc(a->incidents, (a->n_incidents + 1) * sizeof(*a->incidents));
	a->incidents[a->n_incidents++] = in;
}

/* ---- columns -------------------------------------------------------------------------------------- */

static void test_columns(void **state)
{
	struct history h = {0};
	const struct history_row *row;

	(void)state;
	for (int interval = 0; interval < 1000; interval++)
		for (size_t i = 0; i < 3; i++)
			tell(&h, i, "", SIG_RUNQ, interval,
			     i == 1 && interval == 777 ? look_of(50, 8, 2) : look_of(1, 1, 1));
	history_finish(&h);
	assert_int_equal(h.n_rows, 3);
	/* 1000 intervals fit after two foldings, and the one that was bad is not lost */
	assert_int_equal(h.bin_ns, 4 * 4 * NS);
	assert_int_equal(h.columns, 250);
	row = history_find(&h, 1, "", SIG_RUNQ);
	assert_non_null(row);
	assert_int_equal(row->worst, 777 / 4);
	assert_float_equal(row->at[row->worst].z, 50, 1e-6);
	assert_float_equal(row->at[row->worst].value, 8, 1e-6);
	assert_int_equal(row->at[row->worst].marks, MARK_JUDGED | MARK_FLAGGED);
	assert_int_equal(row->at[row->worst + 1].marks, MARK_JUDGED);
	assert_null(history_find(&h, 1, "sda", SIG_RUNQ));
	assert_null(history_find(&h, 3, "", SIG_RUNQ));
	history_release(&h);
}

/* A mark in a folded column stays although another window's z is larger. */
static void test_marks(void **state)
{
	struct history h = {0};
	struct observation quiet = look_of(3.9, 5, 1), bad = look_of(4, 2, 1);

	(void)state;
	history_begin(&h, BEGIN, 20 * NS);
	quiet.z = 6; /* but under the floor: not flagged */
	tell(&h, 0, "", SIG_RUNQ, 0, bad);
	tell(&h, 0, "", SIG_RUNQ, 1, quiet);
	assert_int_equal(h.columns, 1);
	assert_float_equal(h.rows[0].at[0].z, 6, 1e-6);
	assert_true(h.rows[0].at[0].marks & MARK_FLAGGED);
	history_release(&h);
}

/* Nobody was compared in an interval: an empty column; a far look, or one before the first, is no trouble. */
static void test_gaps(void **state)
{
	struct history h = {0};

	(void)state;
	tell(&h, 0, "", SIG_CPU, 0, look_of(1, 1, 1));
	tell(&h, 0, "", SIG_CPU, 5, look_of(1, 1, 1));
	assert_int_equal(h.columns, 6);
	assert_int_equal(h.rows[0].at[3].marks, 0);
	tell(&h, 0, "", SIG_CPU, -9, look_of(9, 1, 1));
	assert_float_equal(h.rows[0].at[0].z, 9, 1e-6);
	tell(&h, 0, "", SIG_CPU, 80000000, look_of(1, 1, 1));
	assert_in_range(h.columns, 1, HISTORY_COLUMNS);
	history_release(&h);
}

/* More rows have fewer columns. */
static void test_memory(void **state)
{
	struct history h = {0};
	char disk[INSTANCE_LEN];
	size_t rows = 2 * HISTORY_BYTES / (HISTORY_COLUMNS * sizeof(struct history_cell)) + 10;

	(void)state;
	for (int interval = 0; interval < 2; interval++)
		for (size_t i = 0; i < rows; i++) {
			snprintf(disk, sizeof(disk), "sd%zu", i % 16);
			tell(&h, i / 16, disk, SIG_READ, interval * 200,
			     look_of(i == 77 ? 5 : 1, 1, 1));
		}
	assert_int_equal(h.n_rows, rows);
	assert_true(h.room < HISTORY_COLUMNS && h.columns <= h.room);
	assert_true(h.n_rows * h.room * sizeof(struct history_cell) <= HISTORY_BYTES);
	history_finish(&h);
	snprintf(disk, sizeof(disk), "sd%d", 77 % 16);
	assert_float_equal(history_find(&h, 77 / 16, disk, SIG_READ)->at[0].z, 5, 1e-6);
	history_release(&h);
}

/* ---- axes ----------------------------------------------------------------------------------------- */

static void test_axis(void **state)
{
	struct axis a = axis_start(0, 1000, 0), z = axis_start(10, 1000, 0);
	double ticks[AXIS_TICKS];
	size_t n;

	(void)state;
	axis_take(&a, 1);
	axis_take(&a, 1000);
	axis_take(&a, 0); /* has no logarithm */
	axis_take(&a, INFINITY);
	axis_finish(&a);
	assert_true(axis_at(&a, 1000) < axis_at(&a, 1));
	assert_float_equal(axis_at(&a, 10) - axis_at(&a, 100), axis_at(&a, 1) - axis_at(&a, 10),
			   1e-6);
	assert_float_equal(axis_at(&a, 1e9), 0, 1e-6);
	n = axis_ticks(&a, 100, ticks);
	assert_in_range(n, 4, AXIS_TICKS);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(fabs(axis_at(&a, ticks[i]) - axis_at(&a, ticks[k])) >= 100);
	axis_take(&z, 0);
	axis_finish(&z);
	assert_float_equal(axis_at(&z, 0), 1000, 1e-6);
	a = axis_start(0, 0, 1000);
	axis_finish(&a);
	assert_true(isfinite(axis_at(&a, 1)));
}

/* ---- the page ------------------------------------------------------------------------------------- */

static void test_incident(void **state)
{
	struct verdict a = verdict_of(5);
	struct history h = reads();
	char *page, *again;

	(void)state;
	take_in(&a, indict());
	page = page_of(&a, &h);
	again = page_of(&a, &h);
	assert_string_equal(page, again);
	assert_has(page, "<title>limpet: oss-0 limps: disk-hog</title>");
	assert_has(page, "<h1><b>oss-0</b> limps: disk-hog</h1>");
	assert_has(page, "2023-11-14T22:15:00Z, indicted 40&nbsp;s later");
	assert_has(page, "read latency of sda <small>indicts</small>");
	assert_has(page, "10.0&nbsp;x");
	assert_has(page, "300.00&nbsp;ms");
	assert_has(page, "onset 22:15:00");
	assert_has(page, "decided 22:15:40");
	assert_has(page, "4 peers</span>");
	assert_int_equal(count(page, "<path class=\"own\""), 2); /* the line, and its key */
	assert_has(page, "read latency of sda, 3.50");
	assert_has(page, "default-src 'none'");
	assert_has_no(page, "nan");
	free(page);
	free(again);
	history_release(&h);
	verdict_release(&a);
}

static void test_nobody(void **state)
{
	struct verdict a = verdict_of(5);
	struct history h = reads();
	char *page = page_of(&a, &h);
	struct unproven u = {
		.node = 2, .resource = RESOURCE_DISK, .signal = SIG_READ, .suspicious_from = 4.1};

	(void)state;
	assert_has(page, "<h1>No server limps</h1>");
	assert_has_no(page, "Unproven");
	assert_has(page, "Nearest to being indicted");
	assert_has_no(page, "Findings on");
	free(page);
	a.judged[2] = false;
	page = page_of(&a, &h);
	assert_has(page, "Of 5 servers 4 are well, 1 could not be judged.");
	free(page);
	a.judged[2] = true;
	assert_int_equal(verdict_used(&a, &u), 0);
	page = page_of(&a, &h);
	assert_has(page, "<title>limpet: no server is seen to limp, but a disk ");
	assert_has(page, "<h1>No server is seen to limp</h1>");
	assert_has(page, "Of 5 servers 1 is unproven, 4 are well.");
	assert_has(page, "Unproven: disk of 1 of 5 servers: faults below 4.10 x in read latency "
			 "would be missed.");
	free(page);
	a.notices = calloc(1, sizeof(*a.notices));
	a.n_notices = 1;
	*a.notices = (struct notice){.kind = NOTICE_FLEET,
				     .node = SIZE_MAX,
				     .replaces = true,
				     .signal = SIG_READ,
				     .ratio = 3};
	page = page_of(&a, &h);
	assert_has(
		page,
		"<h1>all servers slowed: read latency at the same load is up to 3.0 x what it was "
		"before</h1>");
	assert_has(page, "<title>limpet: all servers slowed</title>");
	free(page);
	history_release(&h);
	verdict_release(&a);
}

/* No interval, no node, no row: still a page. */
static void test_nothing(void **state)
{
	struct verdict a = {.cannot = {.why = CANNOT_UNJUDGED,
				       .server = {.why = UNJUDGED_LEFT_OUT, .error = "it is <0>"}}};
	struct history h = {0};
	char *page;

	(void)state;
	history_finish(&h);
	page = page_of(&a, &h);
	assert_has(page, "<h1>Cannot judge</h1>");
	assert_has(page, "it is &lt;0&gt;");
	assert_has(page, "</html>");
	assert_has_no(page, "<svg");
	free(page);
	history_release(&h);
	verdict_release(&a);
}

static void test_several(void **state)
{
	struct verdict a = verdict_of(30);
	struct history h = reads();
	char *page;

	(void)state;
	for (size_t i = 0; i < 25; i++) {
		struct incident in = indict();

		in.node = in.findings->node = i;
		take_in(&a, in);
	}
	page = page_of(&a, &h);
	assert_has(page, "<h1>25 servers limp</h1>");
	/* the others that are charted are indicted, too */
	assert_has_no(page, "peers</span>");
	assert_has(page, "<h2><b>oss-19</b> limps: disk-hog</h2>");
	assert_has(page, "and 5 more: ");
	assert_int_equal(count(page, "Findings on"), REPORT_VERDICTS);
	free(page);
	a.incidents[7].open = false;
	page = page_of(&a, &h);
	assert_has(page, "<h1>25 servers limp or limped</h1>");
	free(page);
	for (size_t i = 0; i < 25; i++)
		a.incidents[i].open = false;
	page = page_of(&a, &h);
	assert_has(page, "<h1>25 servers limped</h1>");
	free(page);
	history_release(&h);
	verdict_release(&a);
}

/* Suspicions come after who limps, and are not called that; lines of the test of evidence. */
static void test_suspicious(void **state)
{
	struct verdict a = verdict_of(5);
	struct history h = reads();
	struct incident in = indict();
	char *page;

	(void)state;
	in.suspicion = SUSPICION_DATA;
	in.times = 4;
	in.duty = 0.5;
	in.findings->score = 5.1;
	in.findings->needs = 5.8;
	in.findings->lower = 2.6;
	in.findings->window_s = 80;
	take_in(&a, in);
	page = page_of(&a, &h);
	assert_has(page,
		   "<title>limpet: no server is indicted: 1 is suspicious, 4 are well</title>");
	assert_has(page, "<h1>No server is indicted</h1>");
	assert_has(page, "Of 5 servers 1 is suspicious, 4 are well.");
	assert_has(page, "<h2><b>oss-0</b> is suspicious: disk-hog</h2>");
	assert_has(page, "read latency of sda <small>suspicious</small>");
	assert_has_no(page, "<small>indicts</small>");
	assert_has(page, "<dt>not indicted</dt><dd>too little data yet: evidence 5.1, 5.8 "
			 "needed</dd>");
	assert_has(page, "comes and goes: 4 times since");
	assert_has(page, "<th class=\"n\">at least</th>");
	assert_has(page, "data-h=\"at least\">2.60");
	assert_has(page, "data-h=\"over\">80");
	assert_has_no(page, "limps");
	assert_has_no(page, "indicted 40 s");
	free(page);
	in = indict();
	in.node = in.findings->node = 3;
	take_in(&a, in);
	page = page_of(&a, &h);
	assert_has(page, "<title>limpet: oss-3 limps: disk-hog</title>");
	assert_has(page, "Of 5 servers 1 is indicted, 1 is suspicious, 3 are well.");
	assert_true(strstr(page, "</b> limps: disk-hog</h1>") <
		    strstr(page, "<h2><b>oss-0</b> is suspicious"));
	free(page);
	history_release(&h);
	verdict_release(&a);
}

#define EVIL "\"><script>alert('x')</script>&\x1b[1m\xe2\x80\xae"

static void test_hostile(void **state)
{
	struct verdict a = verdict_of(5);
	struct incident in = indict();
	struct history h = {0};
	char *page;

	(void)state;
	for (int interval = 0; interval < 5; interval++)
		for (size_t i = 0; i < 5; i++)
			tell(&h, i, "<b>\"'&", SIG_READ, interval, look_of(i ? 1 : 9, 5, 1));
	history_finish(&h);
	snprintf(a.nodes[0], sizeof(a.nodes[0]), "%s", EVIL);
	in.detail.kind = DETAIL_LATENCY;
	snprintf(in.detail.disk, sizeof(in.detail.disk), "%s", EVIL);
	in.guess.kind = GUESS_PROCESS;
	snprintf(in.guess.process, sizeof(in.guess.process), "%s", EVIL);
	in.doubts[0].kind = DOUBT_ONE_HOST;
	snprintf(in.doubts[0].host, sizeof(in.doubts[0].host), "%s", EVIL);
	in.n_doubts = 1;
	in.confidence = 0.6;
	snprintf(in.culprit.name, sizeof(in.culprit.name), "%s", EVIL);
	snprintf(in.culprit.cgroup, sizeof(in.culprit.cgroup), "%s", EVIL);
	snprintf(in.findings->disk, sizeof(in.findings->disk), "<b>\"'&");
	in.findings->value = INFINITY;
	in.findings->ratio = NAN;
	take_in(&a, in);
	a.notices = calloc(1, sizeof(*a.notices));
	a.n_notices = 1;
	*a.notices = (struct notice){.kind = NOTICE_CLIENT, .node = 0};
	snprintf(a.notices->host, sizeof(a.notices->host), "%s", EVIL);
	a.unjudged = calloc(1, sizeof(*a.unjudged));
	a.n_unjudged = 1;
	*a.unjudged = (struct unjudged){.node = 0, .signal = SIG_WRITE};
	a.ruled_out = calloc(1, sizeof(*a.ruled_out));
	a.n_ruled_out = 1;
	*a.ruled_out = *in.findings;
	snprintf(a.signals[a.ruled_out->signal].name, sizeof(a.signals->name), "%s", EVIL);
	assert_int_equal(verdict_note_lines(&a, EVIL "\n" EVIL), 0);
	page = page_of(&a, &h);
	assert_has_no(page, "<script");
	assert_has_no(page, "<b>\"");
	assert_has_no(page, "alert('");
	assert_has(page, "&lt;script&gt;alert(&#39;x&#39;)");
	for (const char *p = page; *p; p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p <= '~'));
	free(page);
	history_release(&h);
	verdict_release(&a);
}

/* 500 servers, a day of windows, each different from its neighbours: the page stays small. */
static void test_large(void **state)
{
	struct verdict a = verdict_of(500);
	struct history h = {0};
	unsigned int seed = 1;
	char *page;

	(void)state;
	for (int interval = 0; interval < 21600; interval += 30)
		for (size_t i = 0; i < 500; i++) {
			seed = seed * 1103515245 + 12345;
			tell(&h, i, "sda", SIG_READ, interval,
			     tested(look_of((double)(seed >> 16 & 31), 9, 1),
				    (double)(seed >> 16 & 31), EVIDENCE_NONE));
		}
	history_finish(&h);
	take_in(&a, indict());
	page = page_of(&a, &h);
	assert_in_range(h.columns, 1, HISTORY_COLUMNS);
	assert_in_range(strlen(page), 1000, 4000000);
	assert_int_equal(count(page, "<li title="), REPORT_NAMED);
	assert_has(page, "460 more</div>");
	free(page);
	history_release(&h);
	verdict_release(&a);
}

/* 50 servers that logs indict, which have no evidence to draw, and five with evidence and no incident: of 60 servers five are left out. */
static void test_many_odd(void **state)
{
	struct verdict a = verdict_of(60);
	struct history h = {0};
	char *page;

	(void)state;
	for (int interval = 0; interval < 50; interval++)
		for (size_t i = 0; i < 60; i++)
			tell(&h, i, "sda", SIG_READ, interval,
			     tested(look_of(1, 9, 9), i >= 50 && i < 55 ? 4 : 1, EVIDENCE_NONE));
	history_finish(&h);
	for (uint32_t i = 0; i < 50; i++) {
		struct incident in = indict();

		in.node = i;
		take_in(&a, in);
	}
	page = page_of(&a, &h);
	assert_has(page, "15 more</div>");
	assert_has(page, ">5 more are left out: they were as their peers throughout");
	free(page);
	history_release(&h);
	verdict_release(&a);
}

/* What is drawn of the class of a colour: the path's commands. */
static void drawn(const char *page, const char *class, char *to, size_t size)
{
	char begin[64];
	const char *at = strstr(page, "class=\"heat\""), *end;

	snprintf(begin, sizeof(begin), "<path class=\"%s\" stroke-width=\".84\" d=\"", class);
	at = at ? strstr(at, begin) : NULL;
	assert_non_null(at);
	at += strlen(begin);
	end = strchr(at, '"');
	snprintf(to, size, "%.*s", (int)(end - at), at);
}

/* Of 500 servers one is slow: of those that come to little more than half of what is needed, however far their single intervals are from
 * the peers, the drawing has nothing, and says how many they are. */
static void test_quiet(void **state)
{
	static const double scores[] = {0.3, 1.1, 2.9};
	struct verdict a = verdict_of(500);
	struct history h = {0};
	char path[256], *page;

	(void)state;
	for (int interval = 0; interval < 50; interval++)
		for (size_t i = 0; i < 500; i++) {
			struct observation o = tested(look_of((double)(i % 30), 9, 8),
						      scores[i % 3], EVIDENCE_NONE);

			if (i == 217 && interval >= 25)
				o = tested(look_of(20, 90, 9), interval < 30 ? 7 : 90,
					   EVIDENCE_INDICTED);
			/* enough, of too small an effect */
			if (i == 333 && interval >= 40)
				o = tested(look_of(3, 10, 9), 25, EVIDENCE_SUSPICIOUS);
			tell(&h, i, "sda", SIG_READ, interval, o);
		}
	history_finish(&h);
	page = page_of(&a, &h);
	drawn(page, "c1", path, sizeof(path));
	assert_string_equal(path, "");
	drawn(page, "c2", path, sizeof(path));
	assert_string_equal(path, "M40 1.5h10");
	drawn(page, "c3", path, sizeof(path));
	assert_string_equal(path, "M25 0.5h5");
	drawn(page, "c5", path, sizeof(path));
	assert_string_equal(path, "M30 0.5h20");
	assert_has(page, "<title>oss-217: read latency of sda, 18.00</title>");
	assert_has(page, "<ol><li title=\"oss-217\">oss-217</li><li title=\"oss-333\">");
	assert_has(page, "read latency of sda, 0.58</li>");
	assert_has(page, "460 more are left out: they were as their peers throughout");
	/* the same for those that do not see it: two of 500 */
	assert_has(page,
		   "<tr><td>oss-217</td><td class=\"all\" data-h=\"\">read latency of sda</td><td "
		   "class=\"n\" data-h=\"most evidence\">18.00</td>");
	assert_int_equal(count(page, "data-h=\"most evidence\""), 2);
	free(page);
	history_release(&h);
	verdict_release(&a);
}

static void test_text(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	(void)state;
	html_say(to, "%s", "a<b>&\"'" TEXT_TIE "\n\xff\1\xc3\xb6\xe2\x80\x8b");
	fclose(to);
	assert_string_equal(text, "a&lt;b&gt;&amp;&quot;&#39;&nbsp;&lt;U+000A&gt;?&lt;U+0001&gt;"
				  "\xc3\xb6&lt;U+200B&gt;");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),	 cmocka_unit_test(test_marks),
		cmocka_unit_test(test_gaps),	 cmocka_unit_test(test_memory),
		cmocka_unit_test(test_axis),	 cmocka_unit_test(test_incident),
		cmocka_unit_test(test_nobody),	 cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_several),	 cmocka_unit_test(test_suspicious),
		cmocka_unit_test(test_hostile),	 cmocka_unit_test(test_large),
		cmocka_unit_test(test_many_odd), cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
