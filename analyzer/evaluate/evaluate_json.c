// SPDX-License-Identifier: BSD-2-Clause
/* Scores as one JSON object. What is not defined is null. */
#include "evaluate.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/json_make.h"

/* Text that is no UTF-8 becomes null: JSON has no other place for it. */
static json_t *text(const char *s)
{
	json_t *j = s ? json_string(s) : NULL;

	return j ? j : json_null();
}

static json_t *group_json(struct group *g)
{
	struct score *s = &g->score;
	json_t *j = json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "group",
		group_kind_names[g->kind], "cluster", text(g->cluster), "fault", text(g->fault),
		"workload", text(g->workload), "intensity", text(g->intensity), "runs_faulty",
		(json_int_t)s->faulty, "runs_fault_free", (json_int_t)s->fault_free,
		"cannot_faulty", (json_int_t)s->cannot_faulty, "cannot_fault_free",
		(json_int_t)s->cannot_fault_free, "failed_faulty", (json_int_t)s->failed_faulty,
		"failed_fault_free", (json_int_t)s->failed_fault_free);

	for (int i = 0; i < RATE_COUNT; i++) {
		struct bounds w = rate_wilson(s->rate[i]);

		json_object_set_new(j, score_rate_names[i],
				    json_pack("{s:I, s:I, s:o, s:o, s:o}", "k",
					      (json_int_t)s->rate[i].k, "n",
					      (json_int_t)s->rate[i].n, "value",
					      number_json(rate_value(s->rate[i])), "lo",
					      number_json(w.lo), "hi", number_json(w.hi)));
	}
	json_object_set_new(j, "servers",
			    json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "true_positives",
				      (json_int_t)s->tp, "false_positives", (json_int_t)s->fp,
				      "true_negatives", (json_int_t)s->tn, "false_negatives",
				      (json_int_t)s->fn, "not_judged", (json_int_t)s->not_judged,
				      "mcc", number_json(score_mcc(s))));
	json_object_set_new(j, "time_to_detection_s",
			    json_pack("{s:I, s:o, s:o}", "runs", (json_int_t)s->n_ttd, "median",
				      number_json(score_ttd(s, 0.5)), "max",
				      number_json(score_ttd(s, 1))));
	return j;
}

/* Whether what was said of the servers that were hit is right; null where nothing is to be said. */
static json_t *right(bool asked, bool right)
{
	return asked ? json_boolean(right) : json_null();
}

static json_t *run_json(const struct evaluated *e)
{
	const struct labelled *l = e->label;
	const struct outcome *o = &e->outcome;
	bool hit = o->faulty && o->hit == o->faulty;
	json_t *nodes = json_array(), *incidents = json_array();

	for (size_t i = 0; i < l->n_nodes + l->n_acting; i++)
		json_array_append_new(nodes, text(l->nodes[i]));
	for (size_t i = 0; i < e->n_incidents; i++) {
		const struct incidents *a = &e->incidents[i];
		struct text guess TEXT_SCOPED = {0};

		json_array_append_new(
			incidents,
			json_pack(
				"{s:o, s:o, s:o, s:b, s:b, s:b, s:o, s:o}", "node", text(a->node),
				"cause", text(cause_table[a->cause].word), "after_s",
				number_json(a->after_s), "faulty", a->faulty, "hit", a->hit,
				"alarm", a->alarm, "direction", text(direction_words[a->direction]),
				"guess",
				text(*sentence_guess(&guess, &a->guess) ? text_of(&guess) : NULL)));
	}
	return json_pack(
		"{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "file",
		text(l->file), "line", (json_int_t)l->line, "source", text(l->source), "cluster",
		text(l->cluster), "fault", text(l->fault), "workload", text(l->workload), "nodes",
		nodes, "verdict", evaluate_word(e), "why", text(e->why), "ttd_s",
		number_json(e->state == RUN_FAILED ? NAN : e->outcome.ttd_s), "cause_right",
		right(hit && o->cause_known, o->named == o->faulty), "direction_right",
		right(hit && o->directed, o->direction == o->faulty), "indicted", incidents);
}

int evaluate_json(struct evaluation *all, bool runs)
{
	json_t *scores = json_array(), *each = json_array(), *root;

	for (size_t i = 0; i < all->n_groups; i++)
		json_array_append_new(scores, group_json(&all->groups[i]));
	for (size_t i = 0; i < all->n_runs && runs; i++)
		json_array_append_new(each, run_json(&all->runs[i]));
	root = json_pack("{s:I, s:I, s:o, s:b, s:o}", "runs", (json_int_t)all->n_runs, "failed",
			 (json_int_t)all->n_failed, "method", text(all->method), "top", all->top,
			 "scores", scores);
	if (!root) {
		json_decref(each);
		return -ENOMEM;
	}
	if (runs)
		json_object_set_new(root, "each", each);
	else
		json_decref(each);
	/* write errors are found by output_finish() */
	json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	printf("\n");
	json_decref(root);
	return 0;
}
