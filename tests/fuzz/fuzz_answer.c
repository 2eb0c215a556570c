// SPDX-License-Identifier: BSD-2-Clause
/* jobs/programs.h: whatever a program answers, it is bad for a reason, or marks tasks and jobs that there are. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/jobs/programs.h"
#include "userspace/common/text_clean.h"

enum { TASKS = 3 };

static void check_text(const char *text, size_t size)
{
	char clean[200];

	MUST(memchr(text, 0, size) && strlen(text) < sizeof(clean));
	snprintf(clean, sizeof(clean), "%s", text);
	MUST(!strcmp(text_clean(clean), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state state[TASKS] = {{.id = 0}, {.id = 1}, {.id = 2}};
	struct states s = {.at = state, .n = TASKS};
	struct found_task task[TASKS] = {{.state = 0}, {.state = 1}, {.state = 2}};
	struct straggler_job job = {.job = "job"};
	struct verdict v = {.jobs = &job, .n_jobs = 1, .n_task_causes = 1};
	struct stragglers g = {.s = &s, .v = &v, .at = task, .n = TASKS};
	const char *bad;

	fuzz_begin();
	names_add(&s.ids, "a");
	names_add(&s.ids, "b");
	names_add(&s.ids, "c");
	bad = answer_symptom(&g, "mine", (const char *)data, size);
	MUST(!bad || *bad);
	MUST(job.n_signs <= 1);
	bad = answer_diagnoser(&g, 0, (const char *)data, size);
	MUST(!bad == (job.known == 1));
	answer_decision(&g, "of-user", (const char *)data, size);
	for (size_t i = 0; i < job.n_signs; i++)
		check_text(job.signs[i].what, sizeof(job.signs[i].what));
	check_text(job.decision, sizeof(job.decision));
	check_text(v.task_causes[0].what, sizeof(v.task_causes[0].what));
	for (size_t i = 0; i < TASKS; i++)
		MUST(task[i].causes <= 1);
	names_release(&s.ids);
	return 0;
}
