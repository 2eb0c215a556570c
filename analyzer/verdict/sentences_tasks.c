// SPDX-License-Identifier: BSD-2-Clause
/* sentences.h: of tasks that hold up their job. */
#include <math.h>
#include <string.h>

#include "sentences.h"
#include "userspace/common/clock.h"

/* A projection that is no longer than what it has taken already says nothing more. */
#define PROJECTED 1.05
#define TOLD_S	  1

const char *sentence_job(struct text *t, const struct straggler_job *j)
{
	size_t from = t->len;

	text_add(t, "job %s: %zu of %zu tasks %s late; %s", j->job, j->stragglers, j->looked_at,
		 j->stragglers == 1 ? "is" : "are", j->decision);
	return text_from(t, from);
}

const char *sentence_straggling(struct text *t, const struct straggling *s)
{
	size_t from = t->len, compared = s->tasks - s->few - s->uneven - s->no_input;

	if (!compared)
		return text_from(t, from);
	if (s->beyond_s > 0)
		text_add(t,
			 "input bytes explain at most %.0f" TEXT_TIE "%% of the %.0f" TEXT_TIE
			 "s by which late tasks exceed the median",
			 100 * s->explained_s / s->beyond_s, s->beyond_s);
	else
		text_put(t, "no task took 1.5 times the median");
	text_add(t, " (%zu of %zu tasks that ended are compared)", compared, s->tasks);
	return text_from(t, from);
}

const char *sentence_straggler(struct text *t, const struct verdict *a, const struct straggler *s)
{
	size_t from = t->len;
	double age_s = s_of_ns(s->last_ns - s->start_ns);
	const char *comma = ";";

	text_add(t, "%s on %s", s->task, verdict_node(a, s->node));
	if (s->running)
		text_add(t, " runs for %.0f s", age_s);
	if (isfinite(s->takes_s) && (!s->running || s->takes_s > PROJECTED * age_s))
		text_add(t, s->running ? ", and by its progress for %.0f s in all" : " took %.0f s",
			 s->takes_s);
	if (isfinite(s->usual_s))
		text_add(t, ", others %.1f s", s->usual_s);
	for (size_t c = 0; c < a->n_task_causes; c++) {
		if (!(s->causes >> c & 1))
			continue;
		text_add(t, "%s %s", comma, a->task_causes[c].what);
		comma = ",";
	}
	return text_from(t, from);
}

const char *sentence_wait(struct text *t, const struct verdict *a, const struct straggler_job *j,
			  const struct job_wait *w)
{
	size_t from = t->len;

	if (w->node == SIZE_MAX)
		text_put(t, strcmp(w->why, "work") ? w->what
						   : "tasks on a server that was not judged");
	else
		text_add(t, "tasks on %s", verdict_node(a, w->node));
	text_add(t, ": %.0f" TEXT_TIE "s (%.0f" TEXT_TIE "%%)", w->s, 100 * w->s / j->waited_s);
	if (w->lost_s >= TOLD_S)
		text_add(t, ", %.0f" TEXT_TIE "s more than such tasks take elsewhere", w->lost_s);
	return text_from(t, from);
}
