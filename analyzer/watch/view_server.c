// SPDX-License-Identifier: BSD-2-Clause
/* view.h: one server alone: what is known of it, why, and each of its signals beside its peers. */
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/finding.h"
#include "analyzer/verdict/next_steps.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"
#include "userspace/common/times.h"

/* Of the table of signals; what has no room is left out, from the right. */
enum { SIGNAL_COLS = 34, NUMBERS = 5 };
static const struct {
	const char *head;
	size_t cols;
} numbers[NUMBERS] = {
	{"now", 13}, {"peers", 13}, {"ratio", 9}, {"evidence", 11}, {"seen from", 11}};

static void say_part(struct screen_roll *r, size_t hang, enum screen_look look, const char *before,
		     const char *said)
{
	struct text t TEXT_SCOPED = {0};

	text_enclose(&t, before, said, "");
	if (t.len)
		screen_roll(r, hang, look, text_of(&t));
}

static void say_head(struct screen_roll *r, const char *title)
{
	screen_roll_line(r);
	screen_roll(r, 0, LOOK_BOLD, title);
}

/* The title, before the first of several. */
static void say_head_once(struct screen_roll *r, const char **title)
{
	if (*title)
		say_head(r, *title);
	*title = NULL;
}

/* ---- incidents --------------------------------------------------------------------------------------*/

const char *view_state(struct text *t, const struct incident *x, int64_t now_ns)
{
	struct text said TEXT_SCOPED = {0};
	char clock[16], span[WORDS_LEN];

	text_enclose(t, "", sentence_suspicion(&said, x), "; ");
	text_add(t, "%ssince %s %s (%s), ", x->chronic ? "chronic, " : "",
		 view_clock(x->onset_ns, clock), time_zone_shown(),
		 words_span((x->open ? now_ns : x->last_ns) - x->onset_ns, span));
	sentence_confidence(t, x);
	text_enclose(t, ": ", sentence_doubts(&said, x), "");
	if (x->held)
		text_put(t, "; held: too few events to judge again");
	text_enclose(t, "; a guess: ", sentence_guess(&said, &x->guess), "");
	text_enclose(t, "; ", sentence_times(&said, x), "");
	if (!x->open)
		text_add(t, "; over since %s", view_clock(x->last_ns, clock));
	return text_of(t);
}

static void say_finding(struct screen_roll *r, const struct verdict *a, const struct finding *f)
{
	struct text t TEXT_SCOPED = {0};
	char clock[16];

	text_put(&t, "- ");
	words_finding(&t, a, f);
	text_add(&t, "; since %s", view_clock(f->onset_ns, clock));
	if (f->needs > 0) {
		text_put(&t, ":");
		words_finding_basis(&t, a, f);
	}
	screen_roll(r, 4, LOOK_PLAIN, text_of(&t));
}

static void say_next_steps(struct screen_roll *r, const struct verdict *a, const struct incident *x)
{
	const struct next_step *step;
	size_t n = next_steps(x->cause, &step);
	const char *title = "what may help (limpet runs none of these)";

	for (; n; n--, step++) {
		struct text command TEXT_SCOPED = {0}, t TEXT_SCOPED = {0};

		if (!*next_step_command(&command, a, x, step))
			continue;
		say_head_once(r, &title);
		text_enclose(&t, "", step->system, ": ");
		text_add(&t, "%s  # %s", text_of(&command), step->what);
		screen_roll(r, 4, LOOK_PLAIN, text_of(&t));
	}
}

static void say_incident(struct screen_roll *r, const struct verdict *a, size_t i, int64_t now_ns)
{
	const struct incident *x = &a->incidents[i];
	struct text t TEXT_SCOPED = {0};

	screen_roll(r, 4,
		    !x->open	   ? LOOK_DIM
		    : x->suspicion ? LOOK_WARN
				   : LOOK_BAD,
		    verdict_headline(&t, a, i));
	text_reset(&t);
	screen_roll(r, 2, LOOK_PLAIN, view_state(&t, x, now_ns));
	say_part(r, 5, LOOK_PLAIN, "why: ", cause_why(x->cause, x->why));
	say_part(r, 6, LOOK_PLAIN, "jobs: ", sentence_impact(&t, a, x));
	for (size_t k = 0; k < x->n_findings; k++)
		say_finding(r, a, &x->findings[k]);
	if (x->open && !x->suspicion)
		say_next_steps(r, a, x);
}

static void say_incidents(struct screen_roll *r, const struct verdict *a, size_t row, bool open,
			  const char *title, int64_t now_ns)
{
	for (size_t i = 0; i < a->n_incidents; i++) {
		if (a->incidents[i].node != row || a->incidents[i].open != open)
			continue;
		if (title)
			say_head_once(r, &title);
		say_incident(r, a, i, now_ns);
	}
}

/* Of a server with nothing against it. */
static void say_status(struct screen_roll *r, const struct verdict *a, size_t row, const char *name)
{
	enum status s = row < a->n_nodes ? verdict_status(a, row, true) : STATUS_UNJUDGED;
	struct text t TEXT_SCOPED = {0}, said TEXT_SCOPED = {0};

	if (s >= STATUS_SUSPICIOUS)
		return;
	text_add(&t, "%s %s", name, status_table[s].one);
	if (row < a->n_nodes)
		text_enclose(&t, ": ", sentence_status(&said, a, row, true), "");
	screen_roll(r, 4, s == STATUS_WELL ? LOOK_GOOD : LOOK_WARN, text_of(&t));
}

static void say_silent(struct screen_roll *r, int64_t heard_ns)
{
	struct text t TEXT_SCOPED = {0};
	char clock[16];

	if (heard_ns == INT64_MIN)
		text_put(&t, "nothing was heard of it");
	else
		text_add(&t, "silent since %s %s", view_clock(heard_ns, clock), time_zone_shown());
	screen_roll(r, 2, LOOK_WARN, text_of(&t));
}

/* ---- signals ----------------------------------------------------------------------------------------*/

static int by_oddity(const void *x, const void *y)
{
	const struct observation *a = &((const struct last_look *)x)->look;
	const struct observation *b = &((const struct last_look *)y)->look;

	return ORDER(looks_odd(b), looks_odd(a)) ?: ORDER(a->signal, b->signal)
		       ?: strcmp(((const struct last_look *)x)->disk,
				 ((const struct last_look *)y)->disk);
}

/* Values have less on a narrow screen, so that names have more. */
static size_t number_cols(const struct screen *s, size_t i)
{
	return s->cols < 60 && numbers[i].cols > 10 ? 10 : numbers[i].cols;
}

/* The value and its peers' have room first. */
static size_t name_cols(const struct screen *s)
{
	size_t two = number_cols(s, 0) + number_cols(s, 1),
	       left = s->cols > two ? s->cols - two : 0;

	return left < SIGNAL_COLS ? left : SIGNAL_COLS;
}

static void put_numbers(struct screen *s, size_t line, enum screen_look look,
			const char *const texts[NUMBERS])
{
	size_t col = name_cols(s);

	for (size_t i = 0; i < NUMBERS && col + number_cols(s, i) <= s->cols; i++) {
		size_t cols = number_cols(s, i), len = strlen(texts[i]);

		/* without its unit if that has no room */
		if (len >= cols)
			len = strcspn(texts[i], TEXT_TIE);
		screen_put(s, line, col, look, "%*.*s", (int)cols, (int)len, texts[i]);
		col += cols;
	}
}

static void say_signal(struct screen_roll *r, const struct verdict *a, const struct last_look *l)
{
	const struct verdict_signal *v = verdict_signal(a, l->look.signal);
	const struct observation *o = &l->look;
	size_t line = screen_roll_line(r), cols = name_cols(r->s);
	bool odd = looks_odd(o);
	enum screen_look look = !odd ? LOOK_PLAIN : v->role == ROLE_LOCAL ? LOOK_BAD : LOOK_WARN;
	char now[WORDS_LEN], peers[WORDS_LEN], ratio[WORDS_LEN], seen[WORDS_LEN], score[WORDS_LEN],
		needs[WORDS_LEN], name[WORDS_LEN], evidence[32];

	snprintf(evidence, sizeof(evidence), "%.6s/%.6s", words_score(o->score, score),
		 words_score(o->needs, needs));
	screen_put(r->s, line, 0, look, "%c %.*s",
		   !odd			  ? ' '
		   : v->role == ROLE_LOAD ? '+'
					  : '*',
		   cols > 2 ? (int)cols - 2 : 0, words_signal(v, l->disk, name));
	put_numbers(
		r->s, line, look,
		(const char *[]){words_quantity(v, o->value, now),
				 words_quantity(v, o->peers, peers), words_ratio(o->ratio, ratio),
				 o->needs > 0 && isfinite(o->score) ? evidence : "-",
				 v->indicts_from > 0 ? words_ratio(v->indicts_from, seen) : "-"});
}

static void say_signals(struct screen_roll *r, const struct watch *w, size_t node)
{
	const struct looks_node *n = node < w->looks.n ? &w->looks.nodes[node] : NULL;
	size_t many = n ? n->n : 0, shown = 0, line;
	struct last_look *at = calloc(many + 1, sizeof(*at));
	const char *heads[NUMBERS];

	if (!at)
		return;
	for (size_t i = 0; i < many; i++)
		if (n->at[i].look.to_ns == robust_now(w->robust))
			at[shown++] = n->at[i];
	sort(at, shown, by_oddity);
	for (size_t i = 0; i < NUMBERS; i++)
		heads[i] = numbers[i].head;
	screen_roll_line(r);
	line = screen_roll_line(r);
	screen_put(r->s, line, 0, LOOK_BOLD, "signals");
	put_numbers(r->s, line, LOOK_BOLD, heads);
	if (!shown)
		screen_roll(r, 2, LOOK_WARN, "none was judged in the last interval");
	for (size_t i = 0; i < shown; i++)
		say_signal(r, &w->verdict, &at[i]);
	free(at);
}

/* ---- the rest ---------------------------------------------------------------------------------------*/

static void say_unproven(struct screen_roll *r, const struct verdict *a, size_t row)
{
	size_t n;
	const struct unproven *u = verdict_unproven(a, row, &n);
	const char *title = "unproven";

	for (size_t i = 0; i < n; i++) {
		struct text t TEXT_SCOPED = {0}, said TEXT_SCOPED = {0};

		say_head_once(r, &title);
		text_put(&t, "- ");
		text_enclose(&t, "", u[i].disk, ": ");
		text_put(&t, sentence_unproven(&said, a, &u[i]));
		screen_roll(r, 2, LOOK_PLAIN, text_of(&t));
	}
}

static void say_unjudged(struct screen_roll *r, const struct verdict *a, size_t row)
{
	const char *title = "not judged";

	for (size_t i = 0; i < a->n_unjudged; i++) {
		const struct unjudged *u = &a->unjudged[i];
		struct text t TEXT_SCOPED = {0}, said TEXT_SCOPED = {0};

		if (u->node != row || u->signal == SIGNAL_ALL)
			continue;
		say_head_once(r, &title);
		text_add(&t, "- %s: %s", verdict_signal(a, u->signal)->name,
			 sentence_unjudged(&said, u));
		screen_roll(r, 2, LOOK_PLAIN, text_of(&t));
	}
}

static void say_notices(struct screen_roll *r, const struct verdict *a, size_t row,
			const char *name)
{
	const char *title = "also seen, no fault";
	char clock[16];

	for (size_t i = a->n_notices; i-- > 0;) {
		const struct notice *m = &a->notices[i];
		bool now = verdict_notice_now(a, m);
		struct text t TEXT_SCOPED = {0}, said TEXT_SCOPED = {0};

		if (m->node != row)
			continue;
		say_head_once(r, &title);
		text_add(&t, "- %s (%s", sentence_notice(&said, a, m), notice_words[m->kind]);
		text_add(&t, "%s%s)", now ? "" : ", until ",
			 now ? "" : view_clock(m->to_ns, clock));
		screen_roll(r, 2, now ? LOOK_WARN : LOOK_DIM, text_of(&t));
	}
	for (size_t i = 0; i < a->n_notes; i++) {
		struct text t TEXT_SCOPED = {0}, said TEXT_SCOPED = {0};

		if (strcmp(a->notes[i].host, name) != 0)
			continue;
		say_head_once(r, &title);
		text_add(&t, "- %s", sentence_note(&said, &a->notes[i]));
		screen_roll(r, 2, LOOK_PLAIN, text_of(&t));
	}
}

static void say_stragglers(struct screen_roll *r, const struct verdict *a, size_t row)
{
	const char *title = "tasks on it that hold up their job";

	for (size_t i = 0; i < a->n_stragglers; i++) {
		struct text t TEXT_SCOPED = {0}, said TEXT_SCOPED = {0};

		if (a->stragglers[i].node != row)
			continue;
		say_head_once(r, &title);
		text_add(&t, "- %s", sentence_straggler(&said, a, &a->stragglers[i]));
		screen_roll(r, 2, LOOK_WARN, text_of(&t));
	}
}

void view_server(struct screen_roll *r, const struct watch *w, size_t node, int64_t now_ns)
{
	const struct verdict *a = &w->verdict;
	const char *name = robust_node_name(w->robust, node);
	size_t row = watch_row(w, node);

	if (!w->here[node])
		say_silent(r, w->heard_ns[node]);
	say_incidents(r, a, row, true, NULL, now_ns);
	say_status(r, a, row, name);
	say_stragglers(r, a, row);
	say_signals(r, w, node);
	say_unproven(r, a, row);
	say_unjudged(r, a, row);
	say_notices(r, a, row, name);
	say_incidents(r, a, row, false, "before", now_ns);
}
