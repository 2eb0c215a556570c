// SPDX-License-Identifier: BSD-2-Clause
/* view.h: the layout: a bar, the verdict, notices, tasks that hold up their job, the table, what was lately, a line about keys;
 * or a page instead of all between the first line and the last. */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/verdict/sentences.h"
#include "analyzer/output/finding.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"
#include "userspace/common/times.h"

const char *view_clock(int64_t ns, char buf[16])
{
	struct tm tm;

	time_shown(ns / NS_PER_S, &tm);
	if (!strftime(buf, 16, "%H:%M:%S", &tm))
		snprintf(buf, 16, "?");
	return buf;
}

void view_remember(struct view_lately *l, const struct change *c)
{
	struct text plain TEXT_SCOPED = {0};
	char at[16];

	text_put_plain(&plain, text_of(&c->text));
	memmove(l->at + 1, l->at, sizeof(l->at) - sizeof(*l->at));
	snprintf(l->at[0], sizeof(l->at[0]), "%s %s %.220s", view_clock(c->event.at_ns, at),
		 event_rows[c->event.kind].word, text_of(&plain));
	l->n += l->n < VIEW_LATELY;
}

static void draw_bar(struct screen *s, const struct watch *w, const char *title, int64_t now_ns)
{
	struct text t TEXT_SCOPED = {0};
	int64_t at = watch_until(w);
	char clock[16];

	text_add(&t, " %s  %s %s", title, view_clock(now_ns, clock), time_zone_shown());
	if (w->n_heard || !w->jobs.any)
		text_add(&t, "  %zu of %zu servers report", watch_reporting(w), w->n_heard);
	if (w->jobs.any)
		text_add(&t, "  %zu logs: %zu states open", follow_logs_count(w->logs),
			 w->jobs.open);
	if (at != INT64_MIN)
		text_add(&t, "  judged until %s", view_clock(at, clock));
	if (at != INT64_MIN && w->n_heard && s->cols >= 100)
		text_add(&t, "  %zu intervals of %g s", w->verdict.n_windows, w->verdict.window_s);
	screen_bar(s, 0, LOOK_BAR, text_of(&t));
}

/* ---- the verdict ------------------------------------------------------------------------------------*/

static size_t draw_incident(struct screen *s, size_t row, size_t most, const struct verdict *a,
			    size_t i, int64_t now_ns)
{
	const struct incident *x = &a->incidents[i];
	struct text t TEXT_SCOPED = {0};
	size_t used = screen_flow(s, row, most < 2 ? most : 2, 4,
				  x->suspicion ? LOOK_WARN : LOOK_BAD, verdict_headline(&t, a, i));

	text_reset(&t);
	used += screen_flow(s, row + used, used < most ? (most - used > 1 ? 2 : 1) : 0, 2,
			    LOOK_PLAIN, view_state(&t, x, now_ns));
	for (size_t k = 0; k < x->n_findings && used < most; k++) {
		if (x->findings[k].symptom && k)
			continue;
		text_reset(&t);
		text_put(&t, "- ");
		words_finding(&t, a, &x->findings[k]);
		used += screen_flow(s, row + used, most - used > 1 ? 2 : 1, 4, LOOK_PLAIN,
				    text_of(&t));
	}
	return used;
}

static bool is_told(const struct incident *x, bool suspicious)
{
	return x->open && (x->suspicion != SUSPICION_NONE) == suspicious;
}

static size_t count_open(const struct verdict *a, bool suspicious)
{
	return count_if(i, a->n_incidents, is_told(&a->incidents[i], suspicious));
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
			screen_put(s, row + used, 0, suspicious ? LOOK_WARN : LOOK_BAD,
				   "... and %zu more servers %s", n - shown,
				   suspicious ? "are suspicious" : "limp");
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
	struct text t TEXT_SCOPED = {0};
	size_t used = draw_incidents(s, row, most, a, false, now_ns);

	if (used)
		return used + draw_incidents(s, row + used, most - used, a, true, now_ns);
	if (!w->n_heard && !w->jobs.any)
		return screen_flow(s, row, most, 0, LOOK_WARN,
				   "no data yet: waiting for series files and logs of jobs");
	if (!watch_reporting(w) && !w->jobs.any)
		return screen_flow(s, row, most, 2, LOOK_WARN,
				   "no server reports: nothing can be judged at present");
	if (instead && verdict_notice_now(a, instead))
		return screen_flow(s, row, most, 2, LOOK_WARN, sentence_notice(&t, a, instead));
	if (a->cannot.why || !verdict_judged(a)) {
		text_put(&t, "cannot judge yet: ");
		if (a->cannot.why)
			sentence_cannot(&t, &a->cannot);
		else
			text_put(&t, "too few events, or too few peers");
		return screen_flow(s, row, most, 2, LOOK_WARN, text_of(&t));
	}
	used = screen_flow(s, row, most, 0, well ? LOOK_GOOD : LOOK_WARN,
			   sentence_nobody(&t, a, true));
	text_reset(&t);
	text_put(&t, "not judged: ");
	if (*sentence_not_judged(&t, a) && used < most)
		used += screen_flow(s, row + used, most - used > 1 ? 2 : 1, 2, LOOK_WARN,
				    text_of(&t));
	return used + draw_incidents(s, row + used, most - used, a, true, now_ns);
}

/* ---- the rest ---------------------------------------------------------------------------------------*/

static bool is_shown(const struct verdict *a, const struct notice *m, const struct notice *instead,
		     bool restarts_told)
{
	return m != instead && verdict_notice_now(a, m) &&
	       (!restarts_told || m->kind != NOTICE_RESTART);
}

/* The latest ones; that many probes were started anew is one of them, and the last. */
static size_t draw_notices(struct screen *s, size_t row, size_t most, const struct verdict *a)
{
	const struct notice *instead = verdict_replacement(a);
	int64_t since = a->to_ns - ns_of_s(2 * a->notices_s);
	struct notice all;
	bool told = verdict_restarts(a, since, &all);
	size_t used = 0, left = told;
	struct text t TEXT_SCOPED = {0};

	for (size_t i = 0; i < a->n_notices; i++)
		left += is_shown(a, &a->notices[i], instead, told);
	for (size_t i = a->n_notices + 1; i-- > 0 && left;) {
		const struct notice *m = i ? &a->notices[i - 1] : &all;

		if (i ? !is_shown(a, m, instead, told) : !told)
			continue;
		if (used == most || (used + 1 == most && left > 1))
			break;
		text_reset(&t);
		text_put(&t, "- ");
		sentence_notice(&t, a, m);
		text_add(&t, " (%s)", notice_words[m->kind]);
		used += screen_flow(s, row + used, 1, 2, LOOK_WARN, text_of(&t));
		left--;
	}
	if (left && used < most) {
		text_reset(&t);
		text_add(&t, "- %zu more notices, no faults of servers", left);
		used += screen_flow(s, row + used, 1, 2, LOOK_WARN, text_of(&t));
	}
	return used;
}

/* Tasks that run and hold up their job, the worst first; the rest is counted. */
static size_t draw_stragglers(struct screen *s, size_t row, size_t most, const struct verdict *a)
{
	size_t *order = calloc(a->n_stragglers + 1, sizeof(*order)), used = 0;
	struct text t TEXT_SCOPED = {0};

	if (!order)
		return 0;
	stragglers_worst_first(a->stragglers, a->n_stragglers, order);
	for (size_t i = 0; i < a->n_stragglers && used < most; i++) {
		text_reset(&t);
		text_put(&t, "- ");
		if (used + 1 == most && i + 1 < a->n_stragglers)
			text_add(&t, "%zu more tasks hold up their job", a->n_stragglers - i);
		else
			sentence_straggler(&t, a, &a->stragglers[order[i]]);
		used += screen_flow(s, row + used, 1, 2, LOOK_WARN, text_of(&t));
	}
	free(order);
	return used;
}

static void draw_lately(struct screen *s, size_t row, size_t most, const struct view_lately *l)
{
	if (most < 3 || !l->n)
		return;
	screen_put(s, row + 1, 0, LOOK_BOLD, "lately (%s)", time_zone_shown());
	for (size_t i = 0; i < l->n && i + 2 < most; i++)
		screen_flow(s, row + 2 + i, 1, 9, LOOK_DIM, l->at[i]);
}

/* So few that servers need what else is blank, or told of the verdict. */
static bool has_few_rows(const struct screen *s)
{
	return s->rows < 16;
}

static void draw_all(struct screen *s, size_t last, const struct watch *w,
		     const struct view_lately *lately, const char *notice,
		     struct view_choice *choice, int64_t now_ns)
{
	size_t verdict = has_few_rows(s) ? s->rows / 4 + (s->rows < 4) : s->rows / 3, row = 1;

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
	row += !has_few_rows(s);
	if (row < last)
		row += view_table(s, row, last - row, w, choice, now_ns);
	if (row < last)
		draw_lately(s, row, last - row, lately);
}

static void page_fill(struct screen_roll *r, const struct watch *w,
		      const struct view_choice *choice, int64_t now_ns)
{
	if (choice->keys.open)
		view_help(r);
	else
		view_server(r, w, choice->node, now_ns);
}

/* Twice: what there is now may be less than it was, and then the last line is shown last. */
static void draw_page(struct screen *s, size_t last, const struct watch *w,
		      struct view_choice *choice, int64_t now_ns)
{
	struct view_page *p = choice->keys.open ? &choice->keys : &choice->server;
	struct screen_roll counted = {.s = s}, r = {.s = s, .row = 1, .rows = last - 1};

	page_fill(&counted, w, choice, now_ns);
	p->lines = counted.n;
	p->fit = r.rows;
	if (p->top + p->fit > p->lines)
		p->top = p->lines > p->fit ? p->lines - p->fit : 0;
	r.top = p->top;
	page_fill(&r, w, choice, now_ns);
}

void view_draw(struct screen *s, const struct watch *w, const struct view_lately *lately,
	       const char *notice, struct view_choice *choice, int64_t now_ns)
{
	/* the last row tells keys and marks */
	size_t last = s->rows > 2 ? s->rows - 1 : s->rows;
	const char *title = choice->keys.open	  ? "keys"
			    : choice->server.open ? robust_node_name(w->robust, choice->node)
						  : "limpet watch";

	draw_bar(s, w, title, now_ns);
	if (choice->keys.open || choice->server.open)
		draw_page(s, last, w, choice, now_ns);
	else
		draw_all(s, last, w, lately, notice, choice, now_ns);
	if (last < s->rows)
		view_last_line(s, last, w, choice);
}
