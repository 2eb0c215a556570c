// SPDX-License-Identifier: BSD-2-Clause
/* The verdict for programs: one JSON object with what the text says, and what --explain adds. */
#include "analyzer/verdict/paper_verdict.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/output.h"

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *time_json(int64_t ns)
{
	char buf[TIME_TEXT_LEN];

	return json_string(output_time(ns, buf));
}

static json_t *finding_json(const struct frame *frame, const struct paper_finding *f)
{
	const struct frame_metric *m = frame_metric(frame, f->metric);

	return json_pack(
		"{s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "metric",
		m->name, "unit", m->unit, "method", f->method, "value", number(f->value),
		"peers_median", number(f->peers), "ratio", number(f->value / f->peers), "direction",
		f->value > f->peers ? "above" : "below", "windows_flagged", (json_int_t)f->flagged,
		"windows_judged", (json_int_t)f->judged, "divergence_over_threshold",
		number(f->key), "from", time_json(f->onset_ns), "to", time_json(f->last_ns),
		"decided", time_json(f->decided_ns));
}

static json_t *indicted_json(const struct paper_verdict *v)
{
	json_t *all = json_array();

	for (size_t i = 0; i < v->n_indicted; i++) {
		const struct paper_indictment *in = &v->indicted[i];
		json_t *findings = json_array();

		for (size_t k = 0; k < in->n; k++)
			json_array_append_new(
				findings,
				finding_json(v->frame, &v->judgement->findings[in->first + k]));
		json_array_append_new(
			all, json_pack("{s:s, s:s, s:i, s:s, s:o, s:o, s:o, s:o, s:o}", "node",
				       v->frame->nodes[in->node], "cause",
				       cause_table[in->rule->cause].word, "rule",
				       (int)in->rule->number, "why", in->rule->why,
				       "divergence_over_threshold", number(in->key), "from",
				       time_json(in->onset_ns), "to", time_json(in->last_ns),
				       "decided", time_json(in->decided_ns), "evidence", findings));
	}
	return all;
}

static json_t *coverage_json(const struct paper_verdict *v)
{
	const struct judgement *j = v->judgement;
	json_t *all = json_array();

	for (size_t i = 0; i < j->n_coverage; i++) {
		const struct coverage *c = &j->coverage[i];

		json_array_append_new(all,
				      json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "metric",
						frame_metric(v->frame, c->metric)->name, "method",
						c->method, "windows", (json_int_t)c->windows,
						"windows_alike", (json_int_t)c->alike,
						"servers_judged", (json_int_t)c->judged,
						"windows_trained", (json_int_t)c->trained));
	}
	return all;
}

static json_t *not_judged_json(const struct paper_verdict *v)
{
	json_t *all = json_array();

	for (size_t i = 0; i < v->n_unjudged; i++) {
		const struct paper_unjudged *u = &v->unjudged[i];
		json_t *names = json_array();

		for (size_t k = 0; k < v->judgement->n_coverage && k < 64; k++)
			if (u->coverage >> k & 1)
				json_array_append_new(
					names,
					json_string(frame_metric(v->frame,
								 v->judgement->coverage[k].metric)
							    ->name));
		json_array_append_new(all,
				      json_pack("{s:s, s:o, s:s, s:b}", "node", u->node, "metrics",
						names, "why", u->why, "partly", u->partly));
	}
	return all;
}

static json_t *blind_json(const struct paper_verdict *v)
{
	json_t *all = json_array();

	for (size_t i = 0; i < v->judgement->n_blind; i++) {
		const struct blind *b = &v->judgement->blind[i];

		json_array_append_new(all, json_pack("{s:s, s:s, s:o, s:o}", "metric",
						     frame_metric(v->frame, b->metric)->name,
						     "node", v->frame->nodes[b->node], "threshold",
						     number(b->threshold), "largest_possible",
						     b->most > 0 ? number(b->most) : json_null()));
	}
	return all;
}

static json_t *explained_json(const struct paper_verdict *v)
{
	static const char *const names[] = {
		[VOTE_ABSTAIN] = "abstain", [VOTE_FINE] = "fine", [VOTE_ODD] = "odd"};
	json_t *all = json_array();

	for (size_t i = 0; i < v->judgement->n_explained; i++) {
		const struct explained *e = &v->judgement->explained[i];

		json_array_append_new(
			all, json_pack("{s:s, s:s, s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:I, s:s}",
				       "method", e->method, "metric",
				       frame_metric(v->frame, e->metric)->name, "window",
				       (json_int_t)e->window, "from", time_json(e->from_ns), "node",
				       v->frame->nodes[e->node], "mean", number(e->mean),
				       "peers_median", number(e->peers), "score", number(e->score),
				       "threshold", number(e->threshold), "above",
				       (json_int_t)e->above, "verdict", names[e->verdict]));
	}
	return all;
}

static json_t *judged_json(const struct paper_verdict *v)
{
	const struct frame *f = v->frame;
	json_t *nodes = json_array();

	for (size_t i = 0; i < f->n_nodes; i++)
		if (judgement_of(v->judgement, i))
			json_array_append_new(nodes, json_string(f->nodes[i]));
	return json_pack("{s:o, s:o, s:I, s:o, s:I, s:I, s:I, s:o}", "from",
			 f->n_times ? time_json(f->first_ns) : json_null(), "to",
			 f->n_times ? time_json(frame_time(f, f->n_times)) : json_null(), "windows",
			 (json_int_t)v->judgement->n_useful, "nodes", nodes, "duplicate_seconds",
			 (json_int_t)f->duplicates, "lost_records", (json_int_t)f->lost,
			 "damaged_values", (json_int_t)f->damaged, "metrics", coverage_json(v));
}

static json_t *model_json(const struct paper_verdict *v)
{
	const struct params *p = &v->model->params;

	return json_pack("{s:o, s:o, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "from",
			 time_json(v->model->from_ns), "to", time_json(v->model->to_ns), "windows",
			 (json_int_t)v->model->n_windows, "slack", number(p->slack), "smooth",
			 (json_int_t)p->smooth, "window", (json_int_t)p->window, "shift",
			 (json_int_t)p->shift, "bins", (json_int_t)p->bins, "votes",
			 (json_int_t)v->judgement->votes, "cwnd_smooth", (json_int_t)p->cwnd_smooth,
			 "partition", (json_int_t)p->partition, "t_min", number(p->t_min));
}

/* What table_report() prints, a string for each line. NULL: no memory. */
static json_t *notes_json(const struct table *t)
{
	json_t *notes = json_array();
	char *text = NULL, *rest = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	if (to)
		table_report(t, to);
	if (!to || fclose(to)) {
		free(text);
		json_decref(notes);
		return NULL;
	}
	for (char *l = strtok_r(text, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest))
		json_array_append_new(notes, json_string(l));
	free(text);
	return notes;
}

int paper_verdict_json(const struct paper_verdict *v, const struct table *t)
{
	const char *status = v->cannot ? "cannot-judge" : v->n_indicted ? "indicted" : "clean";
	json_t *root = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o}", "verdict",
				 status, "indicted", indicted_json(v), "judged", judged_json(v),
				 "trained", model_json(v), "not_judged", not_judged_json(v),
				 "blind", blind_json(v), "false_alarm",
				 json_pack("{s:o, s:o}", "training_runs", number(v->runs),
					   "odd_window_probability", number(v->odd)),
				 "two_sided", v->judgement->two_sided, "weighted",
				 v->judgement->weighted, "notes", notes_json(t));

	if (root && v->cannot)
		json_object_set_new(root, "why", json_string(v->cannot));
	if (root && v->judgement->explain)
		json_object_set_new(root, "explained", explained_json(v));
	if (!root)
		return -ENOMEM;
	/* write errors are found by output_finish() */
	json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	printf("\n");
	json_decref(root);
	return 0;
}
