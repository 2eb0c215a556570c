// SPDX-License-Identifier: BSD-2-Clause
/* sentences.h: of tasks that hold up their job. */
#include <math.h>
#include <stdio.h>

#include "sentences_parts.h"
#include "userspace/common/clock.h"

/* A projection that is no longer than what it has taken already says nothing more. */
#define PROJECTED 1.05

const char *sentence_straggler(const struct verdict *a, const struct straggler *s,
			       char buf[SENTENCE_LEN])
{
	double age_s = s_of_ns(s->last_ns - s->start_ns);
	const char *comma = ";";

	snprintf(buf, SENTENCE_LEN, "%s on %s", s->task, verdict_node(a, s->node));
	if (s->running)
		sentence_add(buf, " runs for %.0f s", age_s);
	if (isfinite(s->takes_s) && (!s->running || s->takes_s > PROJECTED * age_s))
		sentence_add(buf,
			     s->running ? ", and by its progress for %.0f s in all"
					: " took %.0f s",
			     s->takes_s);
	if (isfinite(s->usual_s))
		sentence_add(buf, ", others %.1f s", s->usual_s);
	for (size_t c = 0; c < a->n_task_causes; c++) {
		if (!(s->causes >> c & 1))
			continue;
		sentence_add(buf, "%s %s", comma, a->task_causes[c].what);
		comma = ",";
	}
	return buf;
}
