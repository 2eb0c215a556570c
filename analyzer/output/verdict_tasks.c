// SPDX-License-Identifier: BSD-2-Clause
/* The part of a verdict that is about tasks: jobs, their stragglers, and what these have in common. */
#include "verdict_tasks.h"
#include "verdict_print.h"
#include "analyzer/verdict/sentences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/json_make.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

enum { LISTED = 20 };

/* ---- text -------------------------------------------------------------------------------------------------------- */

static bool has(uint32_t bits, size_t cause)
{
	return bits >> cause & 1;
}

static void print_job(const struct verdict *a, const struct straggler_job *j)
{
	char name[TASK_NAME_LEN];
	struct text t = {0};
	const char *comma = ":";

	text_add(&t, "- %s: %zu of %zu tasks %s late", output_clean(j->job, name, sizeof(name)),
		 j->stragglers, j->looked_at, j->stragglers == 1 ? "is" : "are");
	if (j->looked_at < j->tasks)
		text_add(&t, " (%zu more ran between two looks, or their progress is not known)",
			 j->tasks - j->looked_at);
	for (size_t c = 0; c < a->n_task_causes && j->stragglers; c++) {
		if (!has(j->known, c) || !j->of[c])
			continue;
		text_add(&t, " %s %s" TEXT_TIE "%zu", comma, a->task_causes[c].word,
			 (size_t)j->of[c]);
		comma = ",";
	}
	for (size_t i = 0; i < j->n_signs; i++)
		text_add(&t, " ; %s: %s", j->signs[i].word, j->signs[i].what);
	if (*j->decision)
		text_add(&t, " ; %s", j->decision);
	text_print(&t, stdout, "", 2, 4);
}

/* The more often it was one, the more of one it is. */
COMPARISON(by_flagged, struct straggler *const,
	   ORDER((*b)->flagged, (*a)->flagged) ?: ORDER(*a, *b))

static void print_straggler(const struct verdict *a, const struct straggler *s)
{
	char name[TASK_NAME_LEN], node[HOST_LEN], from[TIME_TEXT_LEN];
	struct text t = {0};
	const char *comma = ";";

	text_add(&t, "- %s on %s: %u of %u looks, first %s",
		 output_clean(s->task, name, sizeof(name)),
		 output_clean(verdict_node(a, s->node), node, sizeof(node)), s->flagged, s->judged,
		 output_time(s->onset_ns, from));
	if (isfinite(s->takes_s))
		text_add(&t, " ; it takes %.1f" TEXT_TIE "s, others %.1f" TEXT_TIE "s", s->takes_s,
			 s->usual_s);
	for (size_t c = 0; c < a->n_task_causes; c++) {
		if (!has(s->causes, c))
			continue;
		text_add(&t, " %s %s", comma, a->task_causes[c].what);
		comma = ",";
	}
	text_print(&t, stdout, "", 2, 4);
}

/* Of all jobs with stragglers one line: what may be behind these as well. */
static void print_unknown(const struct verdict *a)
{
	uint32_t known = UINT32_MAX;
	struct text t = {0};

	for (size_t i = 0; i < a->n_jobs; i++)
		if (a->jobs[i].stragglers)
			known &= a->jobs[i].known;
	for (size_t c = 0; c < a->n_task_causes; c++)
		if (!has(known, c))
			text_add(&t, "%s %s", t.len ? " ," : "not known from these logs:",
				 a->task_causes[c].word);
	if (t.len)
		text_print(&t, stdout, "", 0, 2);
}

void verdict_tasks(const struct verdict *a)
{
	const struct straggler **at = calloc(a->n_stragglers + 1, sizeof(struct straggler *));
	struct text said TEXT_SCOPED = {0}, line = {0};

	if (!at || !a->n_jobs)
		goto out;
	printf("\ntasks that hold up their job:\n");
	if (*sentence_straggling(&said, &a->straggling)) {
		text_put(&line, text_of(&said));
		text_print(&line, stdout, "", 2, 4);
	}
	for (size_t i = 0; i < a->n_jobs; i++)
		print_job(a, &a->jobs[i]);
	for (size_t i = 0; i < a->n_stragglers; i++)
		at[i] = &a->stragglers[i];
	sort(at, a->n_stragglers, by_flagged);
	if (a->n_stragglers)
		printf("most often:\n");
	for (size_t i = 0; i < a->n_stragglers && i < LISTED; i++)
		print_straggler(a, at[i]);
	if (a->n_stragglers > LISTED)
		printf("  and %zu more (--json has them all)\n", a->n_stragglers - LISTED);
	print_unknown(a);
out:
	free(at);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* What is not recorded is null. */
static json_t *causes_json(const struct verdict *a, const struct straggler_job *j)
{
	json_t *all = json_object();

	for (size_t c = 0; all && c < a->n_task_causes; c++) {
		json_t *one = has(j->known, c)
				      ? json_pack("{s:I, s:I}", "stragglers", (json_int_t)j->of[c],
						  "tasks", (json_int_t)j->all[c])
				      : json_null();

		all = with_json(all, json_pack("{s:o}", a->task_causes[c].word, one));
	}
	return all;
}

static json_t *signs_json(const struct straggler_job *j)
{
	json_t *all = json_object();

	for (size_t i = 0; all && i < j->n_signs; i++)
		all = with_json(all,
				json_pack("{s:o}", j->signs[i].word, words_json(j->signs[i].what)));
	return all;
}

static json_t *waits_json(const struct verdict *a, const struct straggler_job *j)
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < j->n_waits; i++) {
		const struct job_wait *w = &j->waits[i];

		all = append_json(all, json_pack("{s:o, s:s, s:o, s:o}", "server",
						 w->node == SIZE_MAX
							 ? json_null()
							 : words_json(verdict_node(a, w->node)),
						 "why", w->why, "seconds", number_json(w->s),
						 "lost_s", number_json(w->lost_s)));
	}
	return all;
}

json_t *verdict_straggling_json(const struct verdict *a)
{
	const struct straggling *s = &a->straggling;

	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I}", "beyond_s", number_json(s->beyond_s),
			 "explained_s", number_json(s->explained_s), "tasks", (json_int_t)s->tasks,
			 "few", (json_int_t)s->few, "uneven", (json_int_t)s->uneven, "no_input",
			 (json_int_t)s->no_input);
}

json_t *verdict_job_json(const struct verdict *a, size_t i)
{
	const struct straggler_job *j = &a->jobs[i];

	return json_pack(
		"{s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "job",
		words_json(j->job), "tasks", (json_int_t)j->tasks, "looked_at",
		(json_int_t)j->looked_at, "stragglers", (json_int_t)j->stragglers, "causes",
		causes_json(a, j), "symptoms", signs_json(j), "decision",
		words_or_null_json(j->decision), "decided_by", words_or_null_json(j->decided_by),
		"subject", words_or_null_json(j->subject), "waited_s",
		j->n_waits ? number_json(j->waited_s) : json_null(), "waited_for", waits_json(a, j),
		"from", time_json(j->from_ns), "to", time_json(j->to_ns));
}

static json_t *words_of(const struct verdict *a, uint32_t causes)
{
	json_t *all = json_array();

	for (size_t c = 0; all && c < a->n_task_causes; c++)
		if (has(causes, c))
			all = append_json(all, words_json(a->task_causes[c].word));
	return all;
}

json_t *verdict_straggler_object(const struct verdict *a, size_t i)
{
	const struct straggler *s = &a->stragglers[i];

	return json_pack("{s:o, s:o, s:o, s:b, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "task", words_json(s->task), "server",
			 words_json(verdict_node(a, s->node)), "job",
			 words_json(a->jobs[s->job].job), "running", s->running, "began",
			 time_json(s->start_ns), "flagged", (json_int_t)s->flagged, "judged",
			 (json_int_t)s->judged, "performance", number_json(s->performance),
			 "median", number_json(s->median), "takes_s", number_json(s->takes_s),
			 "usual_s", number_json(s->usual_s), "causes", words_of(a, s->causes),
			 "from", time_json(s->onset_ns), "to", time_json(s->last_ns));
}

json_t *verdict_task_json(const struct verdict *a, size_t i)
{
	const struct job_task *t = &a->tasks[i];

	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "task", words_json(t->task), "server",
			 words_json(verdict_node(a, t->node)), "job",
			 words_json(a->jobs[t->job].job), "kind", t->kind, "stage",
			 words_or_null_json(t->stage), "outcome", t->outcome, "straggler",
			 t->straggler, "waited_for", t->waited_for, "progress",
			 number_json(t->progress), "began", time_json(t->start_ns), "to",
			 time_json(t->end_ns), "takes_s", number_json(t->takes_s), "usual_s",
			 number_json(t->usual_s), "causes", words_of(a, t->causes));
}

json_t *verdict_state_json(const struct verdict *a, size_t i)
{
	const struct job_state *x = &a->states[i];

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "state", x->kind,
			 "server", words_json(verdict_node(a, x->node)), "peer",
			 words_or_null_json(x->peer), "job", words_or_null_json(x->job), "id",
			 words_json(x->id), "outcome", x->outcome, "began", time_json(x->start_ns),
			 "to", time_json(x->end_ns), "bytes",
			 x->bytes < 0 ? json_null() : json_integer(x->bytes));
}

char *verdict_straggler_json(const struct verdict *a, size_t i)
{
	return line_of_json(verdict_straggler_object(a, i), 0);
}
