// SPDX-License-Identifier: BSD-2-Clause
/* conclude.h: signals, incidents, looks, and what was said of the data. */
#include "conclude.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/source/tables/table.h"
#include "checklist.h"
#include "method.h"
#include "userspace/common/sort.h"

/* ---- signals ------------------------------------------------------------------------------------ */

/* The number of a row, a new one if need be; SIZE_MAX: out of memory. */
static size_t signal_of(struct verdict *v, const struct frame *f, size_t metric, const char *method)
{
	const struct frame_metric *m = frame_metric(f, metric);
	struct verdict_signal *s;

	for (size_t i = 0; i < v->n_signals; i++)
		if (!strcmp(v->signals[i].word, m->name) && !strcmp(v->signals[i].method, method))
			return i;
	s = verdict_add_signal(v);
	if (!s)
		return SIZE_MAX;
	snprintf(s->name, sizeof(s->name), "%s", m->name);
	snprintf(s->word, sizeof(s->word), "%s", m->name);
	snprintf(s->unit, sizeof(s->unit), "%s", m->unit);
	s->method = method;
	s->score = "times its threshold";
	s->counts = strcmp(method, method_ganesha.name) ? "windows" : "seconds";
	s->floor = m->floor;
	s->decimals = m->decimals;
	s->aspect = true;
	return v->n_signals - 1;
}

static int add_signals(struct verdict *v, const struct conclusion *c)
{
	const struct judgement *j = c->judgement;

	for (size_t i = 0; i < j->n_coverage; i++) {
		const struct coverage *of = &j->coverage[i];
		size_t row = signal_of(v, c->frame, of->metric, of->method);
		struct verdict_signal *s;

		if (row == SIZE_MAX)
			return -ENOMEM;
		s = &v->signals[row];
		s->aspect = false;
		s->judged = of->judged > 0;
		s->alike = of->judged && of->alike == of->windows;
		s->servers = of->judged;
		s->windows = of->windows;
		s->windows_alike = of->alike;
		s->windows_trained = of->trained;
	}
	return 0;
}

/* ---- incidents ---------------------------------------------------------------------------------- */

COMPARISON(by_node_and_key, struct indictment,
	   ORDER(a->about.node, b->about.node) ?: ORDER(b->about.score, a->about.score)
		   ?: ORDER(a->metric, b->metric))

void conclude_finding(struct incident *in, struct finding e)
{
	bool first = !in->n_findings;

	in->onset_ns = first || e.onset_ns < in->onset_ns ? e.onset_ns : in->onset_ns;
	in->decided_ns = first || e.decided_ns < in->decided_ns ? e.decided_ns : in->decided_ns;
	in->last_ns = first || e.last_ns > in->last_ns ? e.last_ns : in->last_ns;
	in->open |= e.open;
	in->findings[in->n_findings++] = e;
}

/* Indictments of one server, the strongest first. */
static int gather(struct verdict *v, const struct conclusion *c, struct indictment *all, size_t n)
{
	struct incident *in = &v->incidents[v->n_incidents];
	const struct checklist_row *rule;
	unsigned int symptoms = 0;

	*in = (struct incident){.node = all[0].about.node,
				.culprit.share = NAN,
				.confidence = NAN,
				.findings = calloc(n, sizeof(*in->findings))};
	if (!in->findings)
		return -ENOMEM;
	v->n_incidents++;
	for (size_t i = 0; i < n; i++) {
		struct indictment *f = &all[i];
		size_t signal = signal_of(v, c->frame, f->metric, f->method);

		if (signal == SIZE_MAX)
			return -ENOMEM;
		f->about.signal = signal;
		conclude_finding(in, finding_make(&f->about, NULL));
		if (method_by_name(f->method)->causes)
			symptoms |= checklist_symptom(frame_metric(c->frame, f->metric)->known);
	}
	rule = checklist_rule(symptoms);
	in->cause = rule->cause;
	in->why = rule->why;
	return 0;
}

static int add_incidents(struct verdict *v, const struct conclusion *c)
{
	struct judgement *j = c->judgement;
	int err = 0;

	if (v->cannot.why)
		return 0;
	v->incidents = calloc(j->n_indictments + 1, sizeof(*v->incidents));
	if (!v->incidents)
		return -ENOMEM;
	sort(j->indictments, j->n_indictments, by_node_and_key);
	for (size_t i = 0, end; i < j->n_indictments && !err; i = end) {
		for (end = i; end < j->n_indictments; end++)
			if (j->indictments[end].about.node != j->indictments[i].about.node)
				break;
		err = gather(v, c, &j->indictments[i], end - i);
	}
	verdict_incidents_sort(v, false);
	return err;
}

/* ---- looks, notes ------------------------------------------------------------------------------- */

static int add_looks(struct verdict *v, const struct conclusion *c)
{
	const struct judgement *j = c->judgement;

	v->looks = calloc(j->n_explained + 1, sizeof(*v->looks));
	if (!v->looks)
		return -ENOMEM;
	for (size_t i = 0; i < j->n_explained; i++) {
		const struct explained *e = &j->explained[i];
		bool seconds = !strcmp(e->method, method_ganesha.name);
		size_t signal = signal_of(v, c->frame, e->metric, e->method);
		struct explained_look *l = &v->looks[v->n_looks++];

		if (signal == SIZE_MAX)
			return -ENOMEM;
		*l = (struct explained_look){.from_ns = e->from_ns,
					     .node = e->node,
					     .signal = signal,
					     .value = e->mean,
					     .peers = e->peers,
					     .d = NAN,
					     .sigma = NAN,
					     .z = e->score,
					     .threshold = e->threshold,
					     .ratio = e->mean / e->peers,
					     .above = e->above,
					     .unjudged = e->verdict == VOTE_ABSTAIN,
					     .flagged = e->verdict == VOTE_ODD};
		l->to_ns = e->from_ns + (int64_t)(seconds ? 1 : c->model->params.window) *
						c->frame->interval_ms * 1000000;
	}
	return 0;
}

static int add_notes(struct verdict *v, const struct conclusion *c)
{
	const struct frame *f = c->frame;
	struct text lines TEXT_SCOPED = {0};
	int err;

	if (c->table)
		table_report(&lines, c->table);
	err = lines.failed ? -ENOMEM : verdict_note_lines(v, text_of(&lines));
	if (!err && f->duplicates && f->cells->whole)
		err = verdict_note(v, &(struct note){.kind = NOTE_REPEATED});
	v->duplicates = f->duplicates;
	v->lost = f->lost;
	v->damaged = f->damaged;
	return err;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

/* "kl,cwnd"; and whether any of them could have named a cause. Where nothing was looked at, the choice of
 * methods says that. */
static void name_methods(struct verdict *v, const struct conclusion *c)
{
	const struct judgement *j = c->judgement;
	size_t len = 0;

	v->names_causes = !j->n_coverage;
	for (size_t i = 0; i < j->n_coverage; i++)
		v->names_causes |= method_by_name(j->coverage[i].method)->causes;
	for (size_t i = 0; c->methods[i] && len < sizeof(v->method); i++)
		len += (size_t)snprintf(v->method + len, sizeof(v->method) - len, "%s%s",
					len ? "," : "", c->methods[i]->name);
}

typedef int conclude_step(struct verdict *v, const struct conclusion *c);

int conclude(struct verdict *v, const struct conclusion *c)
{
	static conclude_step *const steps[] = {add_signals, conclude_servers, add_incidents,
					       add_looks,   add_notes,	      conclude_facts};
	const struct frame *f = c->frame;
	const struct params *p = &c->model->params;
	int err = 0;

	*v = (struct verdict){.n_windows = c->judgement->n_useful,
			      .window_s = p->window * (f->interval_ms / 1e3),
			      .interval_s = p->shift * (f->interval_ms / 1e3),
			      .checklist = true,
			      .cannot = c->cannot};
	if (!v->cannot.why && !judgement_made(c->judgement))
		v->cannot.why = CANNOT_NO_METRIC;
	if (f->n_nodes) {
		v->from_ns = frame_time(f, 0);
		v->to_ns = frame_time(f, f->n_times);
	}
	name_methods(v, c);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && !err; i++)
		err = steps[i](v, c);
	if (err)
		verdict_release(v);
	return err;
}

struct cannot conclude_cannot(const struct frame *f, const struct params *p, size_t common,
			      size_t n_useful)
{
	struct cannot c = {.n = frame_alive(f), .needed = NODES_MIN};

	if (c.n < NODES_MIN)
		c.why = CANNOT_FEW_SERVERS;
	else if (!common)
		c.why = CANNOT_APART;
	else if (n_useful < p->votes)
		c = (struct cannot){.why = CANNOT_SHORT,
				    .n = n_useful,
				    .needed = p->votes,
				    .intervals = common,
				    .intervals_needed =
					    (size_t)p->window + (size_t)(p->votes - 1) * p->shift};
	return c;
}
