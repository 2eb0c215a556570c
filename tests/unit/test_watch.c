// SPDX-License-Identifier: BSD-2-Clause
/* watch/: what is new between accounts, the screen, the metrics' text, the alert program. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../analyzer/watch/alert.h"
#include "../../analyzer/watch/exposition.h"
#include "../../analyzer/watch/view.h"
#include "series_util.h"

#define AT(seconds) ((T0 + (seconds)) * NS)

/* ---- accounts by hand -------------------------------------------------------------------------------*/

enum { SERVERS = 6 };

/* At `seconds`; nobody limps. */
static struct account account_at(int seconds)
{
	struct account a = {.n_nodes = SERVERS,
			    .from_ns = AT(0),
			    .to_ns = AT(seconds),
			    .hop_s = 10,
			    .window_s = 30,
			    .n_windows = 9};

	a.nodes = calloc(SERVERS, sizeof(*a.nodes));
	a.judged = calloc(SERVERS, sizeof(*a.judged));
	assert_true(a.nodes && a.judged);
	for (int i = 0; i < SERVERS; i++) {
		snprintf(a.nodes[i], sizeof(a.nodes[i]), "s%d", i + 1);
		a.judged[i] = true;
	}
	return a;
}

static struct accusation *accuse(struct account *a, size_t node, const char *cause, const char *who)
{
	struct accusation *x;

	a->accused = realloc(a->accused, (a->n_accused + 1) * sizeof(*a->accused));
	assert_non_null(a->accused);
	x = &a->accused[a->n_accused++];
	*x = (struct accusation){.node = node,
				 .cause = cause,
				 .why = "because",
				 .open = true,
				 .confidence = CONFIDENCE_HIGH,
				 .onset_ns = AT(60),
				 .decided_ns = AT(90),
				 .last_ns = a->to_ns,
				 .n_evidence = 1};
	snprintf(x->culprit.name, sizeof(x->culprit.name), "%s", who);
	x->culprit.share = 0.5;
	x->culprit.of = "bytes";
	x->evidence = calloc(1, sizeof(*x->evidence));
	assert_non_null(x->evidence);
	*x->evidence = (struct evidence){.signal = SIG_READ,
					 .node = node,
					 .disk = "sdb",
					 .value = 31.2,
					 .peers = 4.1,
					 .ratio = 7.6,
					 .usual = 1,
					 .z = 21,
					 .spread = 1.05,
					 .w1 = NAN,
					 .p99 = NAN,
					 .p99_peers = NAN,
					 .flagged = 5,
					 .judged = 5,
					 .n_peers = 5};
	return x;
}

static void remark(struct account *a, enum remark_kind kind, size_t node, const char *text, int to)
{
	a->remarks = realloc(a->remarks, (a->n_remarks + 1) * sizeof(*a->remarks));
	assert_non_null(a->remarks);
	a->remarks[a->n_remarks] = (struct remark){.kind = kind, .node = node, .to_ns = AT(to)};
	snprintf(a->remarks[a->n_remarks++].text, sizeof(a->remarks->text), "%s", text);
}

/* ---- what is new ------------------------------------------------------------------------------------*/

struct heard {
	char text[4096]; /* "opened s3 disk-hog; " */
	struct change last;
};

static int hear(void *arg, const struct account *a, const struct change *c)
{
	struct heard *h = arg;
	size_t len = strlen(h->text);

	assert_int_equal(c->at_ns, a->to_ns);
	for (const char *p = c->text; *p; p++)
		assert_true(*p >= ' ' && *p <= '~');
	snprintf(h->text + len, sizeof(h->text) - len, "%s%s%s%s%s; ", change_words[c->kind],
		 *c->server ? " " : "", c->server, *c->cause ? " " : "", c->cause);
	h->last = *c;
	return 0;
}

/* Takes the account. */
static void expect(struct changes *c, struct account a, const char *words, struct heard *h)
{
	*h->text = 0;
	assert_int_equal(changes_update(c, &a, hear, h), 0);
	assert_string_equal(h->text, words);
	account_release(&a);
}

static void a_verdict_from_its_beginning_to_its_end(void **state)
{
	struct changes *c = changes_new();
	struct account a = account_at(30);
	struct heard h;

	(void)state;
	a.cannot = strdup("there is no data");
	expect(c, a, "cannot-judge; ", &h);
	assert_string_equal(h.last.text, "there is no data");
	expect(c, account_at(60), "judging; ", &h);
	assert_string_equal(h.last.text, "6 of 6 servers");
	expect(c, account_at(70), "", &h);
	a = account_at(90);
	accuse(&a, 2, "disk-slow", "");
	expect(c, a, "opened s3 disk-slow; ", &h);
	assert_true(h.last.open);
	assert_string_equal(h.last.text,
			    "s3 limps: disk-slow (since 2026-11-21T03:01:00Z; read latency of sdb "
			    "31.20 ms, peers' median 4.10 ms: 7.60 x (z 21.0), 5 of 5 windows)");
	/* the process becomes known; then only its number is another one */
	a = account_at(100);
	accuse(&a, 2, "disk-hog", "fio:12");
	expect(c, a, "changed s3 disk-hog; ", &h);
	a = account_at(110);
	accuse(&a, 2, "disk-hog", "fio:13");
	expect(c, a, "", &h);
	a = account_at(120);
	accuse(&a, 2, "disk-hog", "dd:14");
	expect(c, a, "changed s3 disk-hog; ", &h);
	/* nobody is known for a while: no news, and the same one again neither */
	a = account_at(130);
	accuse(&a, 2, "disk-hog", "");
	expect(c, a, "", &h);
	a = account_at(140);
	accuse(&a, 2, "disk-hog", "dd:15")->held = true;
	expect(c, a, "held s3 disk-hog; ", &h);
	a = account_at(150);
	accuse(&a, 2, "disk-hog", "dd:15");
	expect(c, a, "resumed s3 disk-hog; ", &h);
	a = account_at(160);
	accuse(&a, 2, "disk-hog", "dd:15")->open = false;
	expect(c, a, "over s3 disk-hog; ", &h);
	assert_false(h.last.open);
	a = account_at(170);
	accuse(&a, 2, "disk-hog", "dd:15")->open = false;
	expect(c, a, "", &h);
	a = account_at(180);
	accuse(&a, 2, "disk-hog", "dd:15");
	expect(c, a, "opened s3 disk-hog; ", &h);
	/* acquitted: its accusation is gone */
	expect(c, account_at(190), "over s3; ", &h);
	changes_free(c);
}

static void several_servers_at_once(void **state)
{
	struct changes *c = changes_new();
	struct account a = account_at(90);
	struct heard h;

	(void)state;
	accuse(&a, 4, "cpu-hog", "");
	accuse(&a, 1, "disk-hog", "");
	expect(c, a, "judging; opened s5 cpu-hog; opened s2 disk-hog; ", &h);
	a = account_at(100);
	accuse(&a, 1, "disk-hog", "");
	accuse(&a, 4, "cpu-hog", "")->open = false;
	accuse(&a, 0, "disk-hog", "");
	expect(c, a, "over s5 cpu-hog; opened s1 disk-hog; ", &h);
	/* an older accusation of the same server does not hide the open one */
	a = account_at(110);
	accuse(&a, 0, "memory-pressure", "")->open = false;
	accuse(&a, 0, "disk-hog", "");
	accuse(&a, 1, "disk-hog", "");
	expect(c, a, "", &h);
	changes_free(c);
}

static void remarks_are_told_once(void **state)
{
	struct changes *c = changes_new();
	struct account a = account_at(90);
	struct heard h;

	(void)state;
	remark(&a, REMARK_HOT, 3, "hot server: 2.1 x the demand", 90);
	expect(c, a, "judging; remark s4 imbalance; ", &h);
	assert_string_equal(h.last.text, "s4: hot server: 2.1 x the demand");
	/* other numbers, and longer; an old one of before we looked */
	a = account_at(700);
	remark(&a, REMARK_HOT, 3, "hot server: 2.4 x the demand", 600);
	remark(&a, REMARK_SILENT, 1, "s2 stopped reporting", 90);
	expect(c, a, "", &h);
	a = account_at(1300);
	remark(&a, REMARK_HOT, 3, "hot server: 2.4 x the demand", 1201);
	remark(&a, REMARK_HOT, 4, "hot server: 2.4 x the demand", 1300);
	expect(c, a, "remark s4 imbalance; remark s5 imbalance; ", &h);
	changes_free(c);
}

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
	assert_int_equal(screen_flow(&s, 0, 3, 2, LOOK_PLAIN, "one two three \033[31mfour"), 3);
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
	/* at the right edge */
	assert_int_equal(screen_init(&s, 2, 8), 0);
	assert_int_equal(screen_flow(&s, 0, 1, 0, LOOK_PLAIN, "eight888 x"), 1);
	row_is(&s, 0, "eigh ...");
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

static struct watch_opts opts;

static void look_at(struct watch *w, size_t node, const char *disk, enum signal signal,
		    double value, bool flagged)
{
	struct look k = {.judged = true,
			 .value = value,
			 .peers = 4,
			 .ratio = value / 4,
			 .z = flagged ? 20 : 0.5,
			 .flagged = flagged};
	struct robust_look l = {AT(60), AT(90), node, disk, signal, &k};

	looks_observe(&w->looks, &l);
}

/* n servers that all report, at AT(90). */
static struct watch *watch_of(size_t n, const char *name)
{
	struct watch *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	opts.params = ROBUST_PARAMS_DEFAULT;
	w->o = &opts;
	w->robust = robust_new(&opts.params);
	w->heard_ns = calloc(n, sizeof(*w->heard_ns));
	w->here = calloc(n, sizeof(*w->here));
	w->account = account_at(90);
	w->hops = 9;
	w->n_heard = n;
	for (size_t i = 0; i < n; i++) {
		char each[64];

		snprintf(each, sizeof(each), "%s%zu", name, i + 1);
		assert_int_equal(robust_node(w->robust, each, 0), i);
		if (i < SERVERS)
			snprintf(w->account.nodes[i], HOST_LEN, "%s", each);
		w->here[i] = true;
		w->heard_ns[i] = AT(90);
		look_at(w, i, "sdb", SIG_READ, 4 + (double)i / 100, false);
		look_at(w, i, "", SIG_RETRANS, 0, false);
	}
	assert_int_equal(robust_push(w->robust, AT(80), NULL, 0), 0);
	return w;
}

static bool shows(const struct screen *s, const char *words)
{
	char *text = strndup(s->text, s->rows * s->cols);
	bool found = strstr(text, words) != NULL;

	free(text);
	return found;
}

static struct screen drawn(const struct watch *w, size_t rows, size_t cols)
{
	struct view_lately lately = {.at = {"03:01:30 opened s3 limps"}, .n = 1};
	struct screen s = {0};

	assert_int_equal(screen_init(&s, rows, cols), 0);
	view_draw(&s, w, &lately, "", AT(95));
	for (size_t i = 0; i < s.rows * s.cols; i++)
		assert_true(s.text[i] >= ' ' && s.text[i] <= '~');
	return s;
}

static void the_view_puts_who_limps_first(void **state)
{
	struct watch *w = watch_of(100, "oss");
	struct screen s;

	(void)state;
	accuse(&w->account, 4, "disk-hog", "fio:12");
	look_at(w, 4, "sdb", SIG_READ, 31, true);
	look_at(w, 4, "sdc", SIG_READ, 3, false);
	look_at(w, 77, "sdb", SIG_DISK_KB, 3e5, true);
	w->here[50] = false;
	s = drawn(w, 24, 80);
	assert_true(shows(&s, "99 of 100 servers report"));
	assert_true(shows(&s, "oss5 limps: disk-hog: fio (pid 12), 50 % of bytes"));
	assert_true(shows(&s, "since 03:01:00 UTC (35 s), high confidence"));
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

	(void)state;
	assert_true(shows(&s, "no server limps "));
	assert_true(shows(&s, "opened s3 limps"));
	assert_false(shows(&s, "more, "));
	assert_true(shows(&s, "median of all     4.0")); /* 4.025 of 4.00 … 4.05 */
	screen_release(&s);
	memset(w->here, 0, SERVERS);
	s = drawn(w, 24, 80);
	assert_false(shows(&s, "no server limps "));
	assert_true(shows(&s, "no server reports"));
	screen_release(&s);
	watch_free(w);
}

/* Any size, and names that mean something to a terminal: nothing is written out of place. */
static void the_view_fits_any_screen(void **state)
{
	struct watch *w = watch_of(40, "\033]0;evil\a\033[2Jverylongname");
	static const size_t sizes[] = {0,  1,  2,  3,  4,  5,  7,   10,	 16,
				       23, 24, 40, 79, 80, 81, 200, 1000};

	(void)state;
	for (size_t i = 0; i < 6; i++)
		accuse(&w->account, i, "disk-hog", "\033[2J:1");
	for (int i = 0; i < 30; i++)
		remark(&w->account, REMARK_HOT, 1, "hot server\033[2J", 90);
	for (size_t r = 0; r < sizeof(sizes) / sizeof(*sizes); r++)
		for (size_t c = 0; c < sizeof(sizes) / sizeof(*sizes); c++) {
			struct screen s = drawn(w, sizes[r], sizes[c]);

			screen_release(&s);
		}
	watch_free(w);
}

/* ---- the metrics ------------------------------------------------------------------------------------*/

static char *exposed(const struct watch *w, enum openmetrics_format format)
{
	struct exposed e = {.watch = w, .now_ns = AT(95) + 250000000};
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

static void verdicts_and_signals_are_exposed(void **state)
{
	struct watch *w = watch_of(SERVERS, "oss\"\\\n\xc3");
	char *text;

	(void)state;
	accuse(&w->account, 1, "disk-hog", "");
	accuse(&w->account, 2, "cpu-hog", "")->open = false;
	look_at(w, 0, "sdb", SIG_READ, NAN, false);
	text = exposed(w, FORMAT_OPENMETRICS);
	has_line(text,
		 "limpet_indicted{server=\"oss\\\"\\\\\\\\x0a\\\\xc32\",cause=\"disk-hog\"} 1");
	assert_null(strstr(text, "cpu-hog"));
	has_line(text, "limpet_servers 6");
	has_line(text, "limpet_watch_lag_seconds 5.250");
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

/* ---- the alert program ------------------------------------------------------------------------------*/

static void write_program(const struct fixture *fx, const char *body, char path[300])
{
	FILE *f;

	snprintf(path, 300, "%s/program", fx->dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", body);
	fclose(f);
	assert_int_equal(chmod(path, 0755), 0);
}

/* Until nothing runs any more; the time of the alert stands still. */
static void wait_for(struct alert *a, int64_t now_ns)
{
	for (int i = 0; i < 6000 && alert_count(a).running; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		alert_tick(a, now_ns);
	}
	assert_int_equal(alert_count(a).running, 0);
}

static char *text_in(const struct fixture *fx, const char *name)
{
	static char text[8192];
	char path[300];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", fx->dir, name);
	f = fopen(path, "r");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	text[n] = 0;
	if (f)
		fclose(f);
	return text;
}

struct alerting {
	struct changes *changes;
	struct alert *alert;
};

static int pass(void *arg, const struct account *a, const struct change *c)
{
	struct alerting *l = arg;

	return alert_change(l->alert, a, c);
}

/* Server `node` limps (or not) at this time, and everything due is run to its end. */
static void now(struct alerting *l, int seconds, size_t node, const char *cause)
{
	struct account a = account_at(seconds);

	if (cause)
		accuse(&a, node, cause, "")->last_ns = AT(seconds);
	assert_int_equal(changes_update(l->changes, &a, pass, l), 0);
	account_release(&a);
	alert_tick(l->alert, seconds * NS);
	wait_for(l->alert, seconds * NS);
}

static struct alerting alerting(const char *path, unsigned int interval)
{
	struct alerting l = {changes_new(), alert_new(path, interval, true)};

	assert_true(l.changes && l.alert);
	return l;
}

static void alerting_end(struct alerting *l)
{
	alert_free(l->alert);
	changes_free(l->changes);
}

/* It is told of what is so, not oftener than it may, and never of an end without a beginning. */
static void alerts_wait_for_their_interval(void **state)
{
	struct fixture *fx = *state;
	struct alerting l;
	char path[300];

	write_program(fx, "echo \"$1 $2 $3\" >>\"${0%/*}/log\"", path);
	l = alerting(path, 300);
	now(&l, 100, 2, "disk-hog");
	assert_string_equal(text_in(fx, "log"), "opened s3 disk-hog\n");
	/* it comes and goes */
	now(&l, 110, 2, NULL);
	now(&l, 120, 2, "disk-hog");
	now(&l, 130, 2, NULL);
	assert_int_equal(alert_count(l.alert).waiting, 1);
	now(&l, 399, 2, NULL);
	assert_string_equal(text_in(fx, "log"), "opened s3 disk-hog\n");
	now(&l, 400, 2, NULL);
	assert_string_equal(text_in(fx, "log"), "opened s3 disk-hog\nover s3 disk-hog\n");
	/* another server has an interval of its own; what came and went in it is not told */
	now(&l, 410, 3, "cpu-hog");
	now(&l, 420, 2, "disk-hog");
	now(&l, 430, 2, NULL);
	now(&l, 900, 2, NULL);
	assert_string_equal(text_in(fx, "log"), "opened s3 disk-hog\nover s3 disk-hog\n"
						"opened s4 cpu-hog\nover s4 cpu-hog\n");
	/* for another cause */
	now(&l, 1300, 2, "disk-slow");
	now(&l, 1310, 2, "disk-hog");
	now(&l, 1600, 2, "disk-hog");
	assert_non_null(strstr(text_in(fx, "log"), "opened s3 disk-slow\nopened s3 disk-hog\n"));
	assert_int_equal(alert_count(l.alert).run, 6);
	assert_int_equal(alert_count(l.alert).failed, 0);
	alerting_end(&l);
}

static void alerts_are_limited_in_all(void **state)
{
	struct fixture *fx = *state;
	struct alerting l;
	char path[300];

	write_program(fx, "echo \"$1 $2\" >>\"${0%/*}/log\"", path);
	l = alerting(path, 0);
	for (int i = 0; i < 2 * ALERTS_MINUTE; i++)
		now(&l, 100 + i % 60, 2, i % 2 ? NULL : "disk-hog");
	assert_int_equal(alert_count(l.alert).run, ALERTS_MINUTE);
	now(&l, 1000, 2, "disk-hog");
	assert_int_equal(alert_count(l.alert).run, ALERTS_MINUTE + 1);
	alerting_end(&l);
}

/* What is not of this world stays out of arguments and environment. */
static void alerts_are_clean(void **state)
{
	struct fixture *fx = *state;
	struct account a = account_at(90);
	struct alerting l;
	char path[300];

	write_program(fx,
		      "printf '%s|' \"$@\" \"$LIMPET_SERVER\" \"$LIMPET_CAUSE\" \"$LIMPET_SINCE\" "
		      "\"$LIMPET_CHANGE\" >\"${0%/*}/log\"; printf '%s' \"$LIMPET_JSON\" "
		      ">\"${0%/*}/json\"; printf '%s' \"$LIMPET_DETAIL\" >\"${0%/*}/detail\"; "
		      "tr '\\0' '\\n' </proc/$$/environ | grep -c ^LIMPET_SERVER= "
		      ">\"${0%/*}/names\"",
		      path);
	l = alerting(path, 0);
	setenv("LIMPET_SERVER", "of before", 1);
	snprintf(a.nodes[2], HOST_LEN, "$(reboot)\n\033[2J");
	accuse(&a, 2, "disk-hog", "`reboot`\n:1");
	assert_int_equal(changes_update(l.changes, &a, pass, &l), 0);
	account_release(&a);
	alert_tick(l.alert, NS);
	wait_for(l.alert, NS);
	assert_string_equal(text_in(fx, "log"),
			    "opened|$(reboot)??[2J|disk-hog|$(reboot)??[2J|disk-hog|"
			    "2026-11-21T03:01:00Z|opened|");
	assert_string_equal(text_in(fx, "names"), "1\n");
	assert_non_null(strstr(text_in(fx, "json"), "\"evidence\":[{"));
	assert_non_null(strstr(text_in(fx, "detail"), "$(reboot)??[2J limps: disk-hog: `reboot`?"));
	unsetenv("LIMPET_SERVER");
	alerting_end(&l);
}

/* One that hangs is killed, with what it started, after its minute; others run meanwhile. */
static void a_program_that_hangs_is_killed(void **state)
{
	struct fixture *fx = *state;
	struct account a = account_at(90);
	struct alerting l;
	char path[300];

	write_program(fx, "[ \"$2\" = s3 ] || exit 3\nsleep 600 &\necho $! >\"${0%/*}/pid\"\nwait",
		      path);
	l = alerting(path, 0);
	accuse(&a, 2, "disk-hog", "");
	accuse(&a, 3, "disk-hog", "");
	assert_int_equal(changes_update(l.changes, &a, pass, &l), 0);
	account_release(&a);
	alert_tick(l.alert, NS);
	assert_int_equal(alert_count(l.alert).run, 2);
	for (int i = 0; i < 6000 && !(strlen(text_in(fx, "pid")) && alert_count(l.alert).failed);
	     i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		alert_tick(l.alert, NS + (ALERT_LIMIT_S - 1) * NS);
	}
	assert_int_equal(alert_count(l.alert).failed, 1);
	assert_int_equal(alert_count(l.alert).running, 1);
	wait_for(l.alert, NS + ALERT_LIMIT_S * NS);
	assert_int_equal(alert_count(l.alert).killed, 1);
	assert_int_equal(alert_count(l.alert).failed, 2);
	/* its child is gone, too, or about to be buried by whoever inherited it */
	for (int i = 0; i < 6000; i++) {
		char stat[64] = "", name[64];
		FILE *f;

		snprintf(name, sizeof(name), "/proc/%ld/stat", atol(text_in(fx, "pid")));
		f = fopen(name, "r");
		if (!f)
			break;
		if (fscanf(f, "%*d %*s %63s", stat) == 1 && *stat == 'Z')
			i = 6000;
		fclose(f);
		assert_true(i != 5999);
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	alerting_end(&l);
}

/* Gone meanwhile: counted, and everything goes on. */
static void a_program_that_is_gone(void **state)
{
	struct fixture *fx = *state;
	struct alerting l;
	char path[300];

	write_program(fx, "exit 0", path);
	l = alerting(path, 0);
	unlink(path);
	now(&l, 100, 2, "disk-hog");
	now(&l, 200, 2, NULL);
	assert_int_equal(alert_count(l.alert).run, 0);
	assert_int_equal(alert_count(l.alert).failed, 2);
	alerting_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_verdict_from_its_beginning_to_its_end),
		cmocka_unit_test(several_servers_at_once),
		cmocka_unit_test(remarks_are_told_once),
		cmocka_unit_test(words_flow_and_are_cut),
		cmocka_unit_test(only_known_escapes_are_written),
		cmocka_unit_test(the_view_puts_who_limps_first),
		cmocka_unit_test(nobody_limps),
		cmocka_unit_test(the_view_fits_any_screen),
		cmocka_unit_test(verdicts_and_signals_are_exposed),
		cmocka_unit_test(signals_of_before_are_not_exposed),
		cmocka_unit_test_setup_teardown(alerts_wait_for_their_interval, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(alerts_are_limited_in_all, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(alerts_are_clean, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_program_that_hangs_is_killed, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_program_that_is_gone, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
