// SPDX-License-Identifier: BSD-2-Clause
/* view.h: the layout: a bar, the verdict, notices, tasks that hold up their job, the table, what was lately, a line about keys. */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"
#include "analyzer/output/flow.h"
#include "userspace/common/clock.h"

const char *view_clock(int64_t ns, char buf[16])
{
	time_t t = (time_t)(ns / NS_PER_S);
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(buf, 16, "%H:%M:%S", &tm))
		snprintf(buf, 16, "?");
	return buf;
}

void view_remember(struct view_lately *l, const struct change *c)
{
	char at[16];

	memmove(l->at + 1, l->at, sizeof(l->at) - sizeof(*l->at));
	snprintf(l->at[0], sizeof(l->at[0]), "%s %s %.220s", view_clock(c->at_ns, at),
		 change_words[c->kind], c->text);
	l->n += l->n < VIEW_LATELY;
}

/* Ties of words_*() become blanks. */
static const char *untied(const char *s, char buf[WORDS_LEN])
{
	snprintf(buf, WORDS_LEN, "%s", s);
	for (char *p = buf; *p; p++)
		*p = *p == *TIE ? ' ' : *p;
	return buf;
}

static void draw_bar(struct screen *s, const struct watch *w, int64_t now_ns)
{
	char text[256], clock[16];
	int64_t at = watch_until(w);
	int n = snprintf(text, sizeof(text), " limpet watch  %s UTC", view_clock(now_ns, clock));

	if (w->n_heard || !w->jobs.any)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  %zu of %zu servers report",
			      watch_reporting(w), w->n_heard);
	if (w->jobs.any)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  %zu logs: %zu states open",
			      follow_logs_count(w->logs), w->jobs.open);
	if (at != INT64_MIN)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  judged until %s",
			      view_clock(at, clock));
	if (at != INT64_MIN && w->n_heard && s->cols >= 100)
		snprintf(text + n, sizeof(text) - (size_t)n, "  %zu intervals of %g s",
			 w->verdict.n_windows, w->verdict.window_s);
	screen_bar(s, 0, LOOK_BAR, text);
}

/* ---- the verdict ------------------------------------------------------------------------------------*/

static size_t draw_incident(struct screen *s, size_t row, size_t most, const struct verdict *a,
			    size_t i, int64_t now_ns)
{
	const struct incident *x = &a->incidents[i];
	char line[HEADLINE_LEN], clock[16], span[WORDS_LEN], plain[WORDS_LEN], text[2048];
	char doubts[SENTENCE_LEN], guess[SENTENCE_LEN], sure[SENTENCE_LEN];
	char suspicion[SENTENCE_LEN], times[SENTENCE_LEN];
	size_t used =
		screen_flow(s, row, most < 2 ? most : 2, 4, x->suspicious ? LOOK_WARN : LOOK_BAD,
			    verdict_headline(a, i, line, sizeof(line)));

	sentence_suspicion(x, suspicion);
	snprintf(text, sizeof(text), "  %s%s%ssince %s UTC (%s), %s%s%s%s%s%s", suspicion,
		 *suspicion ? "; " : "", x->chronic ? "chronic, " : "",
		 view_clock(x->onset_ns, clock),
		 untied(words_span(now_ns - x->onset_ns, span), plain),
		 sentence_confidence(x, sure), x->n_doubts ? ": " : "", sentence_doubts(x, doubts),
		 x->held ? "; held: too few events to judge again" : "",
		 x->guess.kind != GUESS_NONE ? "; a guess: " : "",
		 sentence_guess(&x->guess, guess));
	if (*sentence_times(x, times))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "; %s", times);
	screen_put(s, row + used, 2, LOOK_PLAIN, "");
	used += screen_flow(s, row + used, used < most ? (most - used > 1 ? 2 : 1) : 0, 2,
			    LOOK_PLAIN, text);
	for (size_t k = 0; k < x->n_findings && used < most; k++) {
		char one[512];

		if (x->findings[k].symptom && k)
			continue;
		snprintf(text, sizeof(text), "- %s",
			 changes_finding(a, &x->findings[k], one, sizeof(one)));
		used += screen_flow(s, row + used, most - used > 1 ? 2 : 1, 4, LOOK_PLAIN, text);
	}
	return used;
}

static bool is_told(const struct incident *x, bool suspicious)
{
	return x->open && (x->suspicious != SUSPICION_NONE) == suspicious;
}

static size_t count_open(const struct verdict *a, bool suspicious)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_incidents; i++)
		n += is_told(&a->incidents[i], suspicious);
	return n;
}

/* Those that are open and indict, or are suspicious: each of several gets its share of the rows, and those without
 * one are counted. */
static size_t draw_incidents(struct screen *s, size_t row, size_t most, const struct verdict *a,
			     bool suspicious, int64_t now_ns)
{
	size_t used = 0, shown = 0, n = count_open(a, suspicious);
	size_t share = n && n < most ? most / n : 1;

	for (size_t i = 0; i < a->n_incidents && shown < n && used < most; i++) {
		if (!is_told(&a->incidents[i], suspicious))
			continue;
		if (used + 1 >= most && shown + 1 < n) {
			char text[64];

			snprintf(text, sizeof(text), "... and %zu more servers %s", n - shown,
				 suspicious ? "are suspicious" : "limp");
			screen_put(s, row + used, 0, suspicious ? LOOK_WARN : LOOK_BAD, text);
			return used + 1;
		}
		share = share > most - used ? most - used : share;
		used += draw_incident(s, row + used, n == 1 ? most : share, a, i, now_ns);
		shown++;
	}
	return used;
}

static size_t draw_verdict(struct screen *s, size_t row, size_t most, const struct watch *w,
			   int64_t now_ns)
{
	const struct verdict *a = &w->verdict;
	const struct notice *instead = verdict_replacement(a);
	bool well = verdict_statuses(a, true).of[STATUS_WELL] == a->n_nodes;
	char text[SENTENCE_LEN], line[SENTENCE_LEN + 32];
	size_t used = draw_incidents(s, row, most, a, false, now_ns);

	if (used)
		return used + draw_incidents(s, row + used, most - used, a, true, now_ns);
	if (!w->n_heard && !w->jobs.any)
		return screen_flow(s, row, most, 0, LOOK_WARN,
				   "no data yet: waiting for series files and logs of jobs");
	if (!watch_reporting(w) && !w->jobs.any)
		return screen_flow(s, row, most, 2, LOOK_WARN,
				   "no server reports: nothing can be judged at present");
	if (instead && changes_notice_now(a, instead))
		return screen_flow(s, row, most, 2, LOOK_WARN, sentence_notice(a, instead, text));
	if (a->cannot.why || !verdict_judged(a)) {
		snprintf(line, sizeof(line), "cannot judge yet: %s",
			 a->cannot.why ? sentence_cannot(&a->cannot, text)
				       : "too few events, or too few peers");
		return screen_flow(s, row, most, 2, LOOK_WARN, line);
	}
	used = screen_flow(s, row, most, 0, well ? LOOK_GOOD : LOOK_WARN,
			   sentence_nobody(a, true, text));
	if (*sentence_not_judged(a, text) && used < most) {
		snprintf(line, sizeof(line), "not judged: %s", text);
		used += screen_flow(s, row + used, most - used > 1 ? 2 : 1, 2, LOOK_WARN, line);
	}
	return used + draw_incidents(s, row + used, most - used, a, true, now_ns);
}

/* ---- the rest ---------------------------------------------------------------------------------------*/

static bool is_shown(const struct verdict *a, const struct notice *m, const struct notice *instead,
		     bool restarts_told)
{
	return m != instead && changes_notice_now(a, m) &&
	       (!restarts_told || m->kind != NOTICE_REBOOT);
}

/* The latest ones; that many probes were started anew is one of them, and the last. */
static size_t draw_notices(struct screen *s, size_t row, size_t most, const struct verdict *a)
{
	const struct notice *instead = verdict_replacement(a);
	int64_t since = a->to_ns - ns_of_s(2 * a->notices_s);
	struct notice all;
	bool told = verdict_restarts(a, since, &all);
	size_t used = 0, left = told;
	char text[SENTENCE_LEN + 32], said[SENTENCE_LEN];

	for (size_t i = 0; i < a->n_notices; i++)
		left += is_shown(a, &a->notices[i], instead, told);
	for (size_t i = a->n_notices + 1; i-- > 0 && left;) {
		const struct notice *m = i ? &a->notices[i - 1] : &all;

		if (i ? !is_shown(a, m, instead, told) : !told)
			continue;
		if (used == most || (used + 1 == most && left > 1))
			break;
		snprintf(text, sizeof(text), "- %s (%s)", sentence_notice(a, m, said),
			 notice_words[m->kind]);
		used += screen_flow(s, row + used, 1, 2, LOOK_WARN, text);
		left--;
	}
	if (left && used < most) {
		snprintf(text, sizeof(text), "- %zu more notices, no faults of servers", left);
		used += screen_flow(s, row + used, 1, 2, LOOK_WARN, text);
	}
	return used;
}

/* Tasks that run and hold up their job, the worst first; the rest is counted. */
static size_t draw_stragglers(struct screen *s, size_t row, size_t most, const struct verdict *a)
{
	size_t *order = calloc(a->n_stragglers + 1, sizeof(*order)), used = 0;
	char text[SENTENCE_LEN + 32], said[SENTENCE_LEN];

	if (!order)
		return 0;
	stragglers_worst_first(a->stragglers, a->n_stragglers, order);
	for (size_t i = 0; i < a->n_stragglers && used < most; i++) {
		if (used + 1 == most && i + 1 < a->n_stragglers)
			snprintf(text, sizeof(text), "- %zu more tasks hold up their job",
				 a->n_stragglers - i);
		else
			snprintf(text, sizeof(text), "- %s",
				 sentence_straggler(a, &a->stragglers[order[i]], said));
		used += screen_flow(s, row + used, 1, 2, LOOK_WARN, text);
	}
	free(order);
	return used;
}

static void draw_lately(struct screen *s, size_t row, size_t most, const struct view_lately *l)
{
	if (most < 3 || !l->n)
		return;
	screen_put(s, row + 1, 0, LOOK_BOLD, "lately (UTC)");
	for (size_t i = 0; i < l->n && i + 2 < most; i++)
		screen_flow(s, row + 2 + i, 1, 9, LOOK_DIM, l->at[i]);
}

void view_draw(struct screen *s, const struct watch *w, const struct view_lately *lately,
	       const char *notice, int64_t now_ns)
{
	size_t verdict = s->rows / 3 > 4 ? s->rows / 3 : 4, row = 1, last;

	draw_bar(s, w, now_ns);
	/* the last row tells keys and marks */
	last = s->rows > 2 ? s->rows - 1 : s->rows;
	verdict = verdict > last - 1 ? last - 1 : verdict;
	row += draw_verdict(s, row, verdict, w, now_ns);
	if (*notice && row < last)
		row += screen_flow(s, row, 1, 2, LOOK_WARN, notice);
	if (row < last)
		row += draw_notices(s, row, s->rows / 8 < last - row ? s->rows / 8 : 0,
				    &w->verdict);
	if (row < last)
		row += draw_stragglers(s, row, s->rows / 8 < last - row ? s->rows / 8 : 0,
				       &w->verdict);
	row++;
	if (row < last)
		row += view_table(s, row, last - row, w);
	if (row < last)
		draw_lately(s, row, last - row, lately);
	if (last < s->rows)
		screen_put(s, last, 0, LOOK_DIM,
			   "* worse than its peers  + more demand than its peers  - not judged  q "
			   "quits");
}
