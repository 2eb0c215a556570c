// SPDX-License-Identifier: BSD-2-Clause
/* flow_pictures.h: which picture, and what all of them share. */
#include "flow_pictures.h"

#include <math.h>

#include "analyzer/draw/html.h"
#include "flow_parts_drawn.h"
#include "userspace/common/clock.h"

#define ROW(NAME, WORD, TITLE) [FLOW_##NAME] = {(WORD), (TITLE)},
const struct flow_picture_row flow_pictures[FLOW_PICTURE_COUNT] = {FLOW_PICTURES(ROW)};
#define LOOK(NAME, CLASS, WORDS) [LOOK_##NAME] = {(CLASS), (WORDS)},
const struct svg_key flow_looks[LOOK_COUNT] = {FLOW_LOOKS(LOOK)};

static const struct state *state_of(const struct job_flow *f, uint32_t state)
{
	return &f->s->at[state];
}

static size_t put_drawn(struct drawn *out, size_t n, struct drawn x)
{
	if (x.to_ns < x.from_ns)
		return n;
	out[n] = x;
	return n + 1;
}

static size_t reduce_parts(const struct job_flow *f, uint32_t task, struct drawn *out)
{
	const struct flow_task *t = &f->tasks[task];
	const struct {
		uint32_t state;
		enum flow_look look;
	} parts[] = {{t->wait, LOOK_WAIT}, {t->sort, LOOK_SORT}, {t->reducer, LOOK_REDUCER}};
	size_t n = 0;

	for (size_t i = 0; i < DRAWN_PARTS; i++)
		if (parts[i].state != STATE_NONE)
			n = put_drawn(out, n,
				      (struct drawn){parts[i].state, (uint8_t)parts[i].look,
						     state_of(f, parts[i].state)->start_ns,
						     state_of(f, parts[i].state)->end_ns});
	return n;
}

static int64_t length(const struct job_flow *f, uint32_t state)
{
	return state == STATE_NONE ? 0 : state_of(f, state)->end_ns - state_of(f, state)->start_ns;
}

static size_t task_parts(const struct job_flow *f, uint32_t task, struct drawn *out)
{
	const struct flow_task *t = &f->tasks[task];
	int64_t from = t->start_ns + length(f, t->wait), to = t->end_ns - length(f, t->reducer);
	size_t n = 0;

	if (from > to)
		return put_drawn(out, 0,
				 (struct drawn){t->state, LOOK_TASK, t->start_ns, t->end_ns});
	if (from > t->start_ns)
		n = put_drawn(out, n, (struct drawn){t->wait, LOOK_FETCH, t->start_ns, from});
	n = put_drawn(out, n, (struct drawn){t->state, LOOK_TASK, from, to});
	if (to < t->end_ns)
		n = put_drawn(out, n, (struct drawn){t->reducer, LOOK_STORE, to, t->end_ns});
	return n;
}

size_t flow_drawn(const struct job_flow *f, uint32_t task, struct drawn out[DRAWN_PARTS])
{
	const struct flow_task *t = &f->tasks[task];
	struct drawn whole = {t->state, LOOK_BAD, t->start_ns, t->end_ns};

	if (!t->done && state_of(f, t->state)->outcome != OUTCOME_OPEN)
		return put_drawn(out, 0, whole);
	if (f->spark)
		return task_parts(f, task, out);
	if (t->group == FLOW_REDUCES && t->wait != STATE_NONE && t->reducer != STATE_NONE)
		return reduce_parts(f, task, out);
	whole.look = t->group == FLOW_MAPS	? LOOK_MAP
		     : t->group == FLOW_REDUCES ? LOOK_REDUCE
						: LOOK_SETUP;
	return put_drawn(out, 0, whole);
}

bool flow_in_view(const struct job_flow *f, const struct flow_view *v, uint32_t task)
{
	const struct flow_task *t = &f->tasks[task];

	return (v->node == STATE_NONE || v->node == state_of(f, t->state)->node) &&
	       t->start_ns < v->to_ns && t->end_ns > v->from_ns;
}

void flow_spread(float *columns, size_t n, double a, double b)
{
	a = fmax(a, 0);
	b = fmin(b, (double)n);
	for (size_t c = (size_t)a; c < n && (double)c < b; c++)
		columns[c] += (float)(fmin(b, (double)c + 1) - fmax(a, (double)c));
}

void flow_keys(struct svg *d, const bool seen[LOOK_COUNT])
{
	struct svg_key keys[LOOK_COUNT];
	size_t n = 0;

	for (size_t i = 0; i < LOOK_COUNT; i++)
		if (seen[i])
			keys[n++] = flow_looks[i];
	svg_keys(d, keys, n);
}

int flow_picture(FILE *to, const struct job_flow *f, enum flow_picture p, const struct flow_view *v,
		 bool alone)
{
	struct flow_view view = *v;
	struct svg d;
	int err = svg_begin(&d), ended;

	view.from_ns = v->from_ns > f->from_ns ? v->from_ns : f->from_ns;
	view.to_ns = v->to_ns && v->to_ns < f->to_ns ? v->to_ns : f->to_ns;
	if (alone && !err)
		svg_text(&d, 0, SVG_BOLD, "%s", flow_pictures[p].title);
	if (alone && !err && f->job != STATE_NONE)
		svg_text(&d, 0, SVG_SOFT, "%s", f->s->jobs.at[f->job]);
	if (!err && p == FLOW_SWIMLANES)
		err = flow_draw_swimlanes(&d, f, &view);
	else if (!err && p == FLOW_MIROS)
		err = flow_draw_miros(&d, f);
	else if (!err && p == FLOW_REP)
		err = flow_draw_rep(&d, f);
	else if (!err)
		err = flow_draw_area(&d, f, &view);
	ended = svg_end(&d, to, flow_pictures[p].title, alone);
	return err ? err : ended;
}

static int figure(FILE *to, const struct job_flow *f, enum flow_picture p, enum flow_lines lines,
		  const char *caption)
{
	const struct flow_view v = {.node = STATE_NONE, .lines = lines};
	int err;

	fprintf(to, "<figure><h3>%s</h3>\n", flow_pictures[p].title);
	err = flow_picture(to, f, p, &v, false);
	html_enclose(to, "<figcaption>", caption, "</figcaption></figure>\n");
	return err;
}

int flow_section(FILE *to, const struct job_flow *f)
{
	static const struct {
		enum flow_picture picture;
		enum flow_lines lines;
		const char *caption;
	} figures[] = {
		{FLOW_SWIMLANES, FLOW_BY_NODE, "By server, a line for each attempt"},
		{FLOW_SWIMLANES, FLOW_TOGETHER,
		 "By server, attempts that followed each other in one line"},
		{FLOW_AREA, FLOW_BY_NODE, "Of all servers"},
		{FLOW_MIROS, FLOW_BY_NODE, "Servers in one order, most bytes first"},
		{FLOW_REP, FLOW_BY_NODE, "Of each group the medians: bytes above, seconds below"},
	};
	const double time_s = s_of_ns(f->to_ns - f->from_ns);
	int err = 0;

	svg_style(to);
	fputs("<h2>What a job waited for</h2>\n<p>", to);
	html_say(to, "%s, %.1f s. ", f->job == STATE_NONE ? "all states" : f->s->jobs.at[f->job],
		 time_s);
	/* what rounds to 0 % is left out, of which three are enough */
	for (size_t i = 0; i < f->n_share_nodes && i < 3 && f->nodes[i].s > 0.005 * time_s; i++)
		html_say(to, "%s%s %.1f s", i ? ", " : "Of these it waited for ",
			 f->s->nodes.at[f->nodes[i].what], f->nodes[i].s);
	fputs(". ", to);
	if (f->n_without && f->without[0].s < 0.95 * time_s)
		html_say(to, "Without the delay of %s it would have taken about %.1f s.",
			 f->s->nodes.at[f->without[0].node], f->without[0].s);
	fputs("</p>\n", to);
	/* of Spark, whose logs have no transfers, the last two are left out */
	for (size_t i = 0; i < (f->spark ? 3 : 5) && !err; i++)
		err = figure(to, f, figures[i].picture, figures[i].lines, figures[i].caption);
	return err;
}
