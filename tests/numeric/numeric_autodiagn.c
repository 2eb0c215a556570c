// SPDX-License-Identifier: BSD-2-Clause
/*
 * The arithmetic of method `autodiagn` behind a pipe, for autodiagn_reference.py: each command on standard input, a
 * word and numbers, is answered by one line of numbers.
 *
 *   look n done… age…                               median performance… outlier…
 *   replay tasks {job kind node start_ms end_ms}… reports {task ms done}…
 *                                                   of each task looked at: number, flagged, judged, first and last
 *                                                   look in ms
 */
#include "pipe.h"

#include <stdio.h>

#include "analyzer/methods/autodiagn.h"

static void do_look(void)
{
	size_t n = whole();
	struct autodiagn_task *t = room(n, sizeof(*t));
	double *spare = room(n, sizeof(*spare));

	for (size_t i = 0; i < n; i++)
		t[i].done = number();
	for (size_t i = 0; i < n; i++)
		t[i].age_s = number();
	printf("%.17g ", autodiagn_look(t, n, spare));
	for (size_t i = 0; i < n; i++)
		printf("%.17g ", t[i].performance);
	for (size_t i = 0; i < n; i++)
		printf("%d ", t[i].outlier);
}

static void do_replay(void)
{
	struct states s = {0};
	struct autodiagn r;
	char id[64];

	s.n = whole();
	s.at = room(s.n, sizeof(*s.at));
	for (size_t i = 0; i < s.n; i++) {
		snprintf(id, sizeof(id), "attempt_1_1_m_%zu_0", i);
		s.at[i].job = (uint32_t)whole();
		s.at[i].kind = (uint8_t)whole();
		s.at[i].node = (uint32_t)whole();
		s.at[i].start_ns = (int64_t)number() * 1000000;
		s.at[i].end_ns = (int64_t)number() * 1000000;
		s.at[i].id = (uint32_t)names_add(&s.ids, id);
		s.at[i].cls = STATE_NONE;
		while (s.nodes.n <= s.at[i].node) {
			snprintf(id, sizeof(id), "s%zu", s.nodes.n);
			names_add(&s.nodes, id);
		}
	}
	s.n_progress = whole();
	s.progress = room(s.n_progress, sizeof(*s.progress));
	for (size_t i = 0; i < s.n_progress; i++) {
		const struct state *task = &s.at[whole()];

		s.progress[i].id = task->id;
		s.progress[i].kind = task->kind;
		s.progress[i].node = task->node;
		s.progress[i].time_ns = (int64_t)number() * 1000000;
		s.progress[i].done = (float)number();
	}
	if (autodiagn_replay(&r, &s, &(struct autodiagn_opts){.to_ns = INT64_MAX}))
		broken("out of memory");
	for (size_t i = 0; i < r.n; i++)
		printf("%u %u %u %lld %lld ", r.at[i].state, r.at[i].flagged, r.at[i].judged,
		       (long long)r.at[i].onset_ns / 1000000, (long long)r.at[i].last_ns / 1000000);
}

int main(void)
{
	static const struct pipe_command commands[] = {{"look", do_look}, {"replay", do_replay}};

	return pipe_answer(commands, sizeof(commands) / sizeof(*commands));
}
