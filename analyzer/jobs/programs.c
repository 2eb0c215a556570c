// SPDX-License-Identifier: BSD-2-Clause
/* programs.h: what programs are asked, and what of their answers is taken. */
#include "programs.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace/common/clock.h"
#include "userspace/common/json_bounded.h"
#include "userspace/common/json_make.h"
#include "userspace/common/options.h"
#include "userspace/common/program.h"
#include "userspace/common/text_clean.h"

/* ---- which there are -------------------------------------------------------------------------------------------- */

int user_program(struct user_program *p, const char *text)
{
	const char *after = strstr(text, ",after=");
	char why[PROGRAM_WHY_LEN];
	const char *base;

	*p = (struct user_program){
		.path = strndup(text, after ? (size_t)(after - text) : strlen(text))};
	if (!p->path)
		return -ENOMEM;
	p->after = after ? strdup(after + strlen(",after=")) : NULL;
	if (after && !p->after)
		return -ENOMEM;
	if (program_check(p->path, why))
		return fail("cannot run '%s': %s", p->path, why), -EINVAL;
	base = strrchr(p->path, '/');
	snprintf(p->word, sizeof(p->word), "%s", base ? base + 1 : p->path);
	text_clean(p->word);
	return 0;
}

void user_program_release(struct user_program *p)
{
	free(p->path);
	free(p->after);
	*p = (struct user_program){0};
}

void table_rows_release(struct table_rows *t)
{
	for (size_t i = 0; i < PROGRAMS_MAX; i++)
		user_program_release(&t->program[i]);
}

/* ---- what it is asked ---------------------------------------------------------------------------------------------- */

static json_t *count_or_null(int64_t n)
{
	return n >= 0 ? json_integer(n) : json_null();
}

static json_t *name_or_null(const struct names *names, uint32_t i)
{
	return i < names->n ? json_string(names->at[i]) : json_null();
}

static json_t *causes_of(const struct stragglers *g, const struct found_task *t)
{
	json_t *all = json_array();

	for (size_t c = 0; all && c < g->v->n_task_causes; c++)
		if (t->causes >> c & 1)
			json_array_append_new(all, json_string(g->v->task_causes[c].word));
	return all;
}

static json_t *task_json(const struct stragglers *g, const struct found_task *t)
{
	const struct states *s = g->s;
	const struct state *x = &s->at[t->state];

	return json_pack(
		"{s:o, s:o, s:o, s:s, s:o, s:f, s:f, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, "
		"s:o}",
		"task", name_or_null(&s->ids, x->id), "job", name_or_null(&s->jobs, x->job),
		"server", name_or_null(&s->nodes, x->node), "kind", state_rows[x->kind].word,
		"class", name_or_null(&s->classes, x->cls), "start_s", s_of_ns(x->start_ns),
		"seconds", s_of_ns(x->end_ns - x->start_ns), "outcome", outcome_words[x->outcome],
		"progress", number_json(x->progress), "bytes", count_or_null(x->bytes), "records",
		count_or_null(x->records), "cpu_s", number_json(x->cpu_s), "memory_mib",
		number_json(x->memory_mib), "straggler", t->straggler, "takes_s",
		number_json(t->takes_s), "usual_s", number_json(t->usual_s), "causes",
		causes_of(g, t));
}

const char *const program_ask_words[PROGRAM_ASKS] = {"symptom", "diagnoser", "decision"};
const char *const program_ask_plurals[PROGRAM_ASKS] = {"symptoms", "diagnosers", "decisions"};

char *program_question(const struct stragglers *g, enum program_ask ask)
{
	json_t *tasks = json_array(), *jobs = json_array(), *all;
	char *text;

	for (size_t i = 0; i < g->n; i++)
		json_array_append_new(tasks, task_json(g, &g->at[i]));
	for (size_t i = 0; i < g->v->n_jobs; i++) {
		const struct straggler_job *j = &g->v->jobs[i];

		json_array_append_new(jobs,
				      json_pack("{s:o, s:I, s:I, s:o}", "job", words_json(j->job),
						"looked_at", (json_int_t)j->looked_at, "stragglers",
						(json_int_t)j->stragglers, "decision",
						words_json(j->decision)));
	}
	all = json_pack("{s:i, s:s, s:o, s:o}", "schema", 1, "ask", program_ask_words[ask], "tasks",
			tasks, "jobs", jobs);
	text = all && json_array_size(tasks) == g->n ? json_dumps(all, JSON_COMPACT) : NULL;
	json_decref(all);
	return text;
}

/* ---- what it answers ------------------------------------------------------------------------------------------------ */

/* An object; NULL: none. Bounded in memory by its length (json_bounded.h). */
static json_t *parse(const char *text, size_t n)
{
	char why[JSON_WHY_LEN];
	int fd = memfd_create("answer", MFD_CLOEXEC), err;
	json_t *all = NULL;

	if (fd >= 0 && write(fd, text, n) == (ssize_t)n && !lseek(fd, 0, SEEK_SET))
		all = json_bounded_read(fd, PROGRAM_OUT, &err, why);
	if (fd >= 0)
		close(fd);
	if (json_is_object(all))
		return all;
	json_decref(all);
	return NULL;
}

/* Calls take() (NULL: it is only looked at) for each task of the list that there is. What is bad, NULL: nothing. */
static const char *each_task(struct stragglers *g, const json_t *list,
			     void (*take)(struct stragglers *g, struct found_task *t, size_t arg),
			     size_t arg)
{
	struct scratch room SCRATCH_SCOPED = {0};
	const struct names *ids = &g->s->ids;
	bool *listed = scratch_array(&room, ids->n, sizeof(*listed));
	size_t i;
	json_t *id;

	if (!list)
		return NULL;
	if (!json_is_array(list))
		return "its tasks are no list";
	if (!listed)
		return "there is no memory for its tasks";
	json_array_foreach(list, i, id) {
		int64_t at = json_is_string(id) ? names_find(ids, json_string_value(id)) : -1;

		if (!json_is_string(id))
			return "a task of its list is no text";
		if (at >= 0)
			listed[at] = true;
	}
	for (i = 0; i < g->n && take; i++)
		if (listed[g->s->at[g->at[i].state].id] && task_counts(g, &g->at[i]))
			take(g, &g->at[i], arg);
	return NULL;
}

static const char *each_job(struct stragglers *g, json_t *jobs,
			    void (*take)(struct straggler_job *j, const char *word,
					 const char *text),
			    const char *word)
{
	const char *name;
	json_t *text;

	if (!jobs)
		return NULL;
	if (!json_is_object(jobs))
		return "its jobs are no object";
	json_object_foreach(jobs, name, text)
		if (!json_is_string(text))
			return "what it says of a job is no text";
	for (size_t i = 0; i < g->v->n_jobs && take; i++) {
		text = json_object_get(jobs, g->v->jobs[i].job);
		if (text)
			take(&g->v->jobs[i], word, json_string_value(text));
	}
	return NULL;
}

static void take_straggler(struct stragglers *g, struct found_task *t, size_t arg)
{
	const struct state *x = &g->s->at[t->state];

	(void)arg;
	if (!t->straggler && !t->flagged) {
		t->flagged = 1;
		t->last_ns = x->end_ns;
		t->onset_ns = g->running ? x->start_ns : x->end_ns;
	}
	t->judged += !t->judged;
	t->straggler = true;
}

static void take_cause(struct stragglers *g, struct found_task *t, size_t cause)
{
	(void)g;
	t->causes |= (uint32_t)1 << cause;
}

static void take_sign(struct straggler_job *j, const char *word, const char *text)
{
	char what[sizeof(j->signs->what)];

	job_sign(j, word, "%s", text_fit(what, sizeof(what), text));
}

static void take_decision(struct straggler_job *j, const char *word, const char *text)
{
	if (*j->decision)
		return;
	text_fit(j->decision, sizeof(j->decision), text);
	text_clean(j->decision);
	snprintf(j->decided_by, sizeof(j->decided_by), "%s", word);
}

const char *answer_symptom(struct stragglers *g, const char *word, const char *text, size_t n)
{
	json_t *all = parse(text, n);
	const char *bad = all ? NULL : "it is no JSON object";

	/* All of it is looked at before any of it counts. */
	bad = bad ?: each_job(g, json_object_get(all, "jobs"), NULL, word);
	bad = bad ?: each_task(g, json_object_get(all, "stragglers"), take_straggler, 0);
	bad = bad ?: each_job(g, json_object_get(all, "jobs"), take_sign, word);
	json_decref(all);
	return bad;
}

const char *answer_diagnoser(struct stragglers *g, size_t cause, const char *text, size_t n)
{
	struct task_cause *c = &g->v->task_causes[cause];
	json_t *all = parse(text, n), *what = json_object_get(all, "what");
	const char *bad = all ? NULL : "it is no JSON object";

	if (!bad && what && !json_is_string(what))
		bad = "what it means is no text";
	bad = bad ?: each_task(g, json_object_get(all, "tasks"), take_cause, cause);
	if (!bad && what) {
		text_fit(c->what, sizeof(c->what), json_string_value(what));
		text_clean(c->what);
	}
	for (size_t i = 0; i < g->v->n_jobs && !bad; i++)
		g->v->jobs[i].known |= (uint32_t)1 << cause;
	json_decref(all);
	return bad;
}

const char *answer_decision(struct stragglers *g, const char *word, const char *text, size_t n)
{
	json_t *all = parse(text, n);
	const char *bad = all ? each_job(g, json_object_get(all, "jobs"), take_decision, word)
			      : "it is no JSON object";

	json_decref(all);
	return bad;
}

const char *program_answered(struct stragglers *g, const char *word, enum program_ask ask,
			     size_t cause, const char *text, size_t n)
{
	return ask == ASK_SYMPTOM     ? answer_symptom(g, word, text, n)
	       : ask == ASK_DIAGNOSER ? answer_diagnoser(g, cause, text, n)
				      : answer_decision(g, word, text, n);
}

/* ---- running ---------------------------------------------------------------------------------------------------------- */

static int complain(struct stragglers *g, const struct user_program *p, const char *how,
		    const char *why)
{
	char text[PROGRAM_WHY_LEN + 400];

	snprintf(text, sizeof(text), "'%.300s' %s%s: its answer is left out", p->path, how, why);
	warn("%s", text);
	return verdict_note_lines(g->v, text);
}

int program_ask(struct stragglers *g, const struct user_program *p, enum program_ask ask,
		size_t cause)
{
	static const struct program_bounds bounds = {PROGRAM_SECONDS, PROGRAM_MEMORY, PROGRAM_OUT};
	char why[PROGRAM_WHY_LEN], *text = program_question(g, ask), *answer = NULL;
	const char *bad = NULL;
	size_t n = 0;
	int err = text ? 0 : -ENOMEM;

	if (text && program_run(p->path, NULL, &bounds, text, strlen(text), &answer, &n, why))
		err = complain(g, p, "", why);
	free(text);
	if (answer)
		bad = program_answered(g, p->word, ask, cause, answer, n);
	free(answer);
	return bad ? complain(g, p, "answers badly: ", bad) : err;
}
