// SPDX-License-Identifier: BSD-2-Clause
/* Method autodiagn on states that are made here: looks, outliers, what they have in common. That a look's numbers are
 * right is tests/numeric/autodiagn_reference.py's. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/methods/autodiagn.h"
#include "analyzer/methods/method_states.h"
#include "analyzer/verdict/status.h"
#include "userspace/common/clock.h"

enum { NODES = 5, BEGIN = 1000000000 };

struct box {
	struct states s;
	struct autodiagn_opts o;
	struct autodiagn r;
	struct state_nodes nodes;
	struct verdict v;
};

static void set_up(struct box *b)
{
	char name[8];

	*b = (struct box){.o = {.to_ns = INT64_MAX}};
	for (int i = 1; i <= NODES; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		names_add(&b->s.nodes, name);
	}
	names_add(&b->s.jobs, "job_1_0001");
	names_add(&b->s.classes, "NODE_LOCAL");
	names_add(&b->s.classes, "RACK_LOCAL");
}

/* An attempt of a map of the job, seconds from BEGIN. */
static struct state *put(struct box *b, const char *attempt, size_t node, double start, double end)
{
	struct state *st;

	b->s.at = realloc(b->s.at, (b->s.n + 1) * sizeof(*b->s.at));
	assert_non_null(b->s.at);
	st = &b->s.at[b->s.n++];
	*st = (struct state){.start_ns = (int64_t)((BEGIN + start) * 1e9),
			     .end_ns = (int64_t)((BEGIN + end) * 1e9),
			     .id = (uint32_t)names_add(&b->s.ids, attempt),
			     .node = (uint32_t)node,
			     .kind = STATE_MAP};
	return st;
}

/* What the log says of the last one. */
static void says(struct box *b, double time, double done)
{
	const struct state *st = &b->s.at[b->s.n - 1];

	b->s.progress = realloc(b->s.progress, (b->s.n_progress + 1) * sizeof(*b->s.progress));
	assert_non_null(b->s.progress);
	b->s.progress[b->s.n_progress++] =
		(struct state_progress){.id = st->id,
					.node = st->node,
					.kind = st->kind,
					.done = (float)done,
					.time_ns = (int64_t)((BEGIN + time) * 1e9)};
}

/* One map a node, all from 0 on for 30 s; that of node `slow` comes a quarter as far. */
static void five_maps(struct box *b, size_t slow)
{
	char id[64];

	for (size_t i = 0; i < NODES; i++) {
		snprintf(id, sizeof(id), "attempt_1_0001_m_%06zu_0", i);
		put(b, id, i, 0, i == slow ? 120 : 30);
		for (int t = 2; t < (i == slow ? 120 : 30); t += 3)
			says(b, t, i == slow ? t / 120.0 : t / 30.0);
	}
}

static void judge(struct box *b)
{
	assert_int_equal(state_nodes_list(&b->nodes, &b->v, &b->s, NULL), 0);
	assert_int_equal(autodiagn_replay(&b->r, &b->s, &b->o), 0);
	assert_int_equal(autodiagn_tell(&b->v, &b->s, &b->r, &b->nodes, b->o.hardware != NULL), 0);
}

static void clean(struct box *b)
{
	verdict_release(&b->v);
	state_nodes_release(&b->nodes);
	autodiagn_release(&b->r);
}

static void tear_down(struct box *b)
{
	clean(b);
	states_release(&b->s);
}

static void a_task_that_stays_behind_is_named_and_no_server(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	five_maps(&b, 3);
	judge(&b);
	assert_int_equal(b.v.n_jobs, 1);
	assert_string_equal(b.v.jobs[0].job, "job_1_0001");
	assert_int_equal(b.v.jobs[0].tasks, 5);
	assert_int_equal(b.v.jobs[0].looked_at, 5);
	assert_int_equal(b.v.n_stragglers, 1);
	assert_string_equal(b.v.stragglers[0].task, "attempt_1_0001_m_000003_0");
	assert_string_equal(verdict_node(&b.v, b.v.stragglers[0].node), "s4");
	/* looks at 0, 3 … 117; at 0 nobody has come further, from 30 on it runs alone */
	assert_int_equal(b.v.stragglers[0].judged, 40);
	assert_int_equal(b.v.stragglers[0].flagged, 9);
	assert_true(b.v.stragglers[0].onset_ns == (BEGIN + 3) * NS_PER_S);
	assert_true(b.v.stragglers[0].last_ns == (BEGIN + 27) * NS_PER_S);
	/* all are as old, and only it is not the furthest: 0.1 to 1 */
	assert_true(fabs(b.v.stragglers[0].performance - 0.1) < 1e-9);
	assert_true(fabs(b.v.stragglers[0].median - 1) < 1e-9);
	assert_int_equal(b.v.n_incidents, 0);
	assert_int_equal(verdict_judged(&b.v), 0);
	assert_int_equal(b.v.n_unjudged, NODES);
	assert_int_equal(b.v.unjudged[0].why, UNJUDGED_TASKS);
	assert_int_equal(b.v.cannot.why, CANNOT_NOT);
	assert_int_equal(verdict_exit(&b.v, true), 4);
	tear_down(&b);
}

static void like_tasks_are_none(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	five_maps(&b, NODES);
	judge(&b);
	assert_int_equal(b.v.n_stragglers, 0);
	assert_int_equal(b.v.jobs[0].looked_at, 5);
	tear_down(&b);
}

/* T of the youngest is scaled to 0.1, so that it may be ten times behind: the paper's own blind spot. */
static void the_youngest_is_never_one(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	five_maps(&b, NODES);
	put(&b, "attempt_1_0001_m_000009_0", 0, 14, 300);
	says(&b, 16, 0.0001);
	b.o.to_ns = (BEGIN + 28) * NS_PER_S;
	judge(&b);
	assert_int_equal(b.v.n_stragglers, 0);
	tear_down(&b);
}

static void jobs_and_kinds_are_looked_at_apart(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	five_maps(&b, 3);
	b.s.at[3].job = (uint32_t)names_add(&b.s.jobs, "job_1_0002");
	judge(&b);
	assert_int_equal(b.v.n_jobs, 2);
	assert_int_equal(b.v.n_stragglers, 0);
	clean(&b);
	b.s.at[3].job = 0;
	b.s.at[3].kind = STATE_REDUCE;
	for (size_t i = 0; i < b.s.n_progress; i++)
		if (b.s.progress[i].id == b.s.at[3].id)
			b.s.progress[i].kind = STATE_REDUCE;
	judge(&b);
	assert_int_equal(b.v.n_jobs, 1);
	assert_int_equal(b.v.jobs[0].looked_at, 5);
	assert_int_equal(b.v.n_stragglers, 0);
	tear_down(&b);
}

/* A server whose log is missing has no progress: its tasks are not taken for such that do nothing. */
static void a_server_without_progress_is_left_out(void **arg)
{
	struct box b;
	size_t kept = 0;

	(void)arg;
	set_up(&b);
	five_maps(&b, 3);
	for (size_t i = 0; i < b.s.n_progress; i++)
		if (b.s.progress[i].node != 3)
			b.s.progress[kept++] = b.s.progress[i];
	b.s.n_progress = kept;
	judge(&b);
	assert_int_equal(b.v.n_stragglers, 0);
	assert_int_equal(b.v.jobs[0].tasks, 5);
	assert_int_equal(b.v.jobs[0].looked_at, 4);
	clean(&b);
	b.s.n_progress = 0;
	judge(&b);
	assert_int_equal(b.v.n_jobs, 0);
	assert_int_equal(b.v.cannot.why, CANNOT_NO_PROGRESS);
	tear_down(&b);
}

/* ---- causes -------------------------------------------------------------------------------------------------- */

static void outliers_that_read_from_afar(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	five_maps(&b, 3);
	b.s.at[0].cls = b.s.at[3].cls = 1;
	judge(&b);
	assert_true(b.v.jobs[0].known & TASK_BIT(TASK_NOT_LOCAL));
	assert_int_equal(b.v.jobs[0].of[TASK_NOT_LOCAL], 1);
	assert_int_equal(b.v.jobs[0].all[TASK_NOT_LOCAL], 2);
	assert_true(b.v.stragglers[0].causes & TASK_BIT(TASK_NOT_LOCAL));
	assert_false(b.v.stragglers[0].causes & TASK_BIT(TASK_RESTARTED));
	clean(&b);
	for (size_t i = 0; i < NODES; i++)
		b.s.at[i].cls = STATE_NONE;
	judge(&b);
	assert_false(b.v.jobs[0].known & TASK_BIT(TASK_NOT_LOCAL));
	assert_int_equal(b.v.jobs[0].of[TASK_NOT_LOCAL], 0);
	tear_down(&b);
}

static void words_of_locality(void **arg)
{
	static const struct {
		const char *cls;
		int not_local;
	} cases[] = {{"NODE_LOCAL", 0},	   {"RACK_LOCAL", 1},
		     {"OFF_SWITCH", 1},	   {"stage 3.0 PROCESS_LOCAL", 0},
		     {"stage 3.0 ANY", 1}, {"stage 3.0", -1},
		     {"NODE_LOCALITY", -1}};
	struct states s = {0};

	(void)arg;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct state st = {.cls = (uint32_t)names_add(&s.classes, cases[i].cls)};

		assert_int_equal(task_not_local(&s, &st), cases[i].not_local);
	}
	assert_int_equal(task_not_local(&s, &(struct state){.cls = STATE_NONE}), -1);
	states_release(&s);
}

static void attempts_that_were_begun_again(void **arg)
{
	bool again[8];
	struct box b;

	(void)arg;
	set_up(&b);
	put(&b, "attempt_1_0001_m_000001_0", 0, 0, 50)->outcome =
		OUTCOME_KILLED;					     /* 0: its node was lost */
	put(&b, "attempt_1_0001_m_000001_1", 1, 60, 90);	     /* 1: again */
	put(&b, "attempt_1_0001_m_000002_0", 0, 0, 40)->lost = true; /* 2 */
	put(&b, "attempt_1_0001_m_000002_1", 1, 61, 90);	     /* 3: again */
	put(&b, "attempt_1_0001_m_000003_0", 0, 0, 80)->outcome =
		OUTCOME_KILLED;				 /* 4: lost a race */
	put(&b, "attempt_1_0001_m_000003_1", 1, 30, 79); /* 5: against this */
	put(&b, "attempt_1_0001_m_000004_0", 0, 0, 20)->outcome = OUTCOME_FAILED; /* 6: of itself */
	put(&b, "attempt_1_0001_m_000004_1", 1, 30, 79); /* 7: not by a network */
	assert_int_equal(task_attempts(&b.s, again, NULL), 0);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(again[i], i == 1 || i == 3);
	tear_down(&b);
}

/* ---- hardware ------------------------------------------------------------------------------------------------- */

static int load(const char *text, struct hardware_file **h)
{
	char path[] = "/tmp/limpet-hardware-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
	err = hardware_load(h, path);
	assert_int_equal(unlink(path), 0);
	return err;
}

static void outliers_on_lesser_hardware(void **arg)
{
	struct hardware_file *h;
	struct box b;

	(void)arg;
	assert_int_equal(load("# ours\ns1 4 16G\ns2 4 16G\ns4 2 16G # old\n\ns5 4 8G\n", &h), 0);
	set_up(&b);
	five_maps(&b, 3);
	b.o.hardware = h;
	judge(&b);
	assert_true(b.v.jobs[0].known & TASK_BIT(TASK_LESS_HARDWARE));
	assert_true(b.v.stragglers[0].causes & TASK_BIT(TASK_LESS_HARDWARE));
	/* s4, and s5 for its memory; of s3 nothing is known */
	assert_int_equal(b.v.jobs[0].all[TASK_LESS_HARDWARE], 2);
	assert_int_equal(b.v.jobs[0].of[TASK_LESS_HARDWARE], 1);
	clean(&b);
	b.o.hardware = NULL;
	judge(&b);
	assert_false(b.v.jobs[0].known & TASK_BIT(TASK_LESS_HARDWARE));
	tear_down(&b);
	hardware_free(h);
}

static void hardware_that_is_none(void **arg)
{
	static const char *const bad[] = {"s1 4\n",	    "s1 0 4G\n",	  "s1 4 x\n",
					  "s1 4 4G more\n", "s1 4 4G\ns1 4 4G\n", "s1 -1 4G\n"};
	struct hardware_file *h = NULL;

	(void)arg;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(load(bad[i], &h), -EINVAL);
	assert_null(h);
	assert_int_not_equal(hardware_load(&h, "/nowhere/at/all"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_that_stays_behind_is_named_and_no_server),
		cmocka_unit_test(like_tasks_are_none),
		cmocka_unit_test(the_youngest_is_never_one),
		cmocka_unit_test(jobs_and_kinds_are_looked_at_apart),
		cmocka_unit_test(a_server_without_progress_is_left_out),
		cmocka_unit_test(outliers_that_read_from_afar),
		cmocka_unit_test(words_of_locality),
		cmocka_unit_test(attempts_that_were_begun_again),
		cmocka_unit_test(outliers_on_lesser_hardware),
		cmocka_unit_test(hardware_that_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
