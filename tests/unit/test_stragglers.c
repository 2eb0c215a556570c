// SPDX-License-Identifier: BSD-2-Clause
/* stragglers/: which tasks stay behind, why, and what programs of the user's add. */
#include "states_jobs.h"

#include <string.h>

#include "analyzer/jobs/programs.h"
#include "analyzer/jobs/task_facts.h"
#include "userspace/common/clock.h"

static struct analysis_opts opts;

/* By the engine first, then the stragglers beside it. */
static void look(void)
{
	judge();
	assert_int_equal(stragglers_find(&verdict, &states, &opts), 0);
}

static const struct straggler *straggler_of(const struct state *x)
{
	for (size_t i = 0; i < verdict.n_stragglers; i++)
		if (!strcmp(verdict.stragglers[i].task, states.ids.at[x->id]))
			return &verdict.stragglers[i];
	return NULL;
}

static bool has(const struct straggler *s, const char *word)
{
	for (size_t c = 0; c < verdict.n_task_causes; c++)
		if (!strcmp(verdict.task_causes[c].word, word))
			return s->causes >> c & 1;
	fail_msg("no diagnoser '%s'", word);
	return false;
}

static void attempt(struct state *x, const char *name)
{
	x->id = (uint32_t)names_add(&states.ids, name);
}

/* Forty tasks of ten seconds, one after the other on each slot. */
static void usual(size_t job)
{
	for (size_t i = 0; i < 4 * JOB_NODES; i++)
		add_state(STATE_MAP, i % JOB_NODES, job, 10 * (double)(i / JOB_NODES),
			  10 * (double)(i / JOB_NODES) + 10 + 0.1 * (double)(i % 5));
}

static void one_that_takes_long_is_one(void **state)
{
	const struct straggler *s;

	(void)state;
	usual(1);
	add_state(STATE_MAP, 2, 1, 5, 30);
	add_state(STATE_MAP, 3, 1, 5, 18); /* 1.3 times */
	look();
	assert_int_equal(verdict.n_stragglers, 1);
	s = straggler_of(&states.at[states.n - 2]);
	assert_non_null(s);
	assert_true(fabs(s->takes_s - 25) < 0.01 && fabs(s->usual_s - 10.2) < 0.2);
	assert_int_equal(verdict.jobs[0].stragglers, 1);
	assert_int_equal(verdict.jobs[0].looked_at, states.n);
	/* it was known while it ran: its age alone is more than usual */
	assert_true(s->onset_ns < states.at[states.n - 2].end_ns);
	assert_string_equal(verdict.nodes[s->node], "n2");
}

/* A wrong digit in its end's time: as many looks as there is to see, not as there are seconds in it. */
static void one_that_takes_sixty_years_costs_few_looks(void **state)
{
	const struct straggler *s;

	(void)state;
	usual(1);
	add_state(STATE_MAP, 2, 1, 5, 60 * 365.25 * 86400);
	look();
	assert_int_equal(verdict.n_stragglers, 1);
	s = straggler_of(&states.at[states.n - 1]);
	assert_non_null(s);
	assert_true(s->judged > 1200 && s->judged < 3000);
	assert_true(s->flagged > s->judged - 20);
	/* it was known within seconds, by its age */
	assert_true(s->onset_ns - states.at[states.n - 1].start_ns < 30 * NS_PER_S);
}

static void all_of_a_first_wave_are_none(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * JOB_NODES; i++)
		add_state(STATE_MAP, i % JOB_NODES, 1, 0, 30 + 0.1 * (double)(i % 5));
	for (size_t i = 0; i < 6 * JOB_NODES; i++)
		add_state(STATE_MAP, i % JOB_NODES, 1, 31 + 10 * (double)(i / JOB_NODES),
			  41 + 10 * (double)(i / JOB_NODES) + 0.1 * (double)(i % 5));
	look();
	assert_int_equal(verdict.n_stragglers, 0);
}

/* Of one that runs: by its progress, or by its age where that is more than is usual. */
static void one_that_runs_is_projected(void **state)
{
	struct state *x;

	(void)state;
	usual(1);
	x = add_state(STATE_MAP, 2, 1, 15, 40);
	x->outcome = OUTCOME_OPEN;
	x = add_state(STATE_MAP, 3, 1, 31, 40);
	x->outcome = OUTCOME_OPEN;
	for (int i = 0; i < 3; i++) {
		struct state_progress *p = array_add(&states.progress, &states.n_progress);

		assert_non_null(p);
		*p = (struct state_progress){.id = x->id,
					     .node = 3,
					     .kind = STATE_MAP,
					     .done = (float)(0.06 + 0.02 * i),
					     .time_ns = JOB_T0 + (33 + 2 * i) * NS_PER_S};
	}
	look();
	assert_int_equal(verdict.n_stragglers, 2);
	/* 9 s at a tenth: 90 s, where 10 are usual */
	assert_true(straggler_of(&states.at[states.n - 1])->takes_s > 30);
}

/* For one who watches: what runs and stands out now, and jobs with what runs; what has ended is the measure only. */
static void what_runs_now_is_told_alone(void **state)
{
	struct state *x;

	(void)state;
	usual(1);
	add_state(STATE_MAP, 2, 1, 5, 30); /* long, and over */
	usual(2);			   /* all of it is over */
	x = add_state(STATE_MAP, 3, 1, 15, 40);
	x->outcome = OUTCOME_OPEN;
	x = add_state(STATE_MAP, 4, 1, 33, 40); /* young */
	x->outcome = OUTCOME_OPEN;
	judge();
	assert_int_equal(stragglers_running(&verdict, &states, &opts, NULL), 0);
	assert_int_equal(verdict.n_stragglers, 1);
	assert_true(verdict.stragglers[0].running);
	assert_string_equal(verdict.nodes[verdict.stragglers[0].node], "n3");
	assert_true(verdict.stragglers[0].start_ns == JOB_T0 + 15 * NS_PER_S);
	assert_int_equal(verdict.n_jobs, 1);
	assert_string_equal(verdict.jobs[0].job, "job1");
	assert_int_equal(verdict.jobs[0].looked_at, 2);
	assert_int_equal(verdict.jobs[0].stragglers, 1);
	/* all of it knows the others, too */
	look();
	assert_int_equal(verdict.n_stragglers, 2);
	assert_int_equal(verdict.n_jobs, 2);
}

/* It stood out until its progress was told. */
static void one_that_has_caught_up_is_none_now(void **state)
{
	struct state_progress *p;
	struct state *x;
	uint32_t id;

	(void)state;
	usual(1);
	x = add_state(STATE_MAP, 2, 1, 15, 60);
	x->outcome = OUTCOME_OPEN;
	id = x->id;
	judge();
	assert_int_equal(stragglers_running(&verdict, &states, &opts, NULL), 0);
	assert_int_equal(verdict.n_stragglers, 1);
	for (size_t i = 0; i < 5; i++)
		add_state(STATE_MAP, i, 1, 18, 58 + 0.1 * (double)i);
	for (size_t i = 0; i < 4 * JOB_NODES; i++)
		add_state(STATE_MAP, i % JOB_NODES, 1, 20, 55 + 0.1 * (double)(i % 5));
	p = array_add(&states.progress, &states.n_progress);
	assert_non_null(p);
	*p = (struct state_progress){
		.id = id, .node = 2, .kind = STATE_MAP, .done = 0.99F, .time_ns = JOB_T0};
	judge();
	assert_int_equal(stragglers_running(&verdict, &states, &opts, NULL), 0);
	assert_int_equal(verdict.n_stragglers, 0);
}

static void what_holds_of_stragglers_is_said(void **state)
{
	struct state *x;

	(void)state;
	names_add(&states.classes, "NODE_LOCAL");
	names_add(&states.classes, "RACK_LOCAL");
	usual(1);
	for (size_t i = 0; i < states.n; i++)
		states.at[i].cls = 0;
	x = add_state(STATE_MAP, 2, 1, 5, 30); /* more to do */
	x->bytes *= 3;
	x->cls = 0;
	x = add_state(STATE_MAP, 3, 1, 6, 30); /* the data of others */
	x->cls = 1;
	x = add_state(STATE_MAP, 4, 1, 5, 15); /* lost with its server, and begun again */
	attempt(x, "attempt_1_1_m_1_0");
	x->cls = 0;
	x->outcome = OUTCOME_KILLED;
	x = add_state(STATE_MAP, 5, 1, 16, 45);
	attempt(x, "attempt_1_1_m_1_1");
	x->cls = 0;
	x = add_state(STATE_MAP, 0, 1, 5, 36); /* another attempt won */
	attempt(x, "attempt_1_1_m_2_0");
	x->cls = 0;
	x->outcome = OUTCOME_KILLED;
	x = add_state(STATE_MAP, 1, 1, 25, 35);
	attempt(x, "attempt_1_1_m_2_1");
	x->cls = 0;
	look();
	assert_int_equal(verdict.n_stragglers, 4);
	for (size_t i = 0; i < verdict.n_stragglers; i++) {
		const struct straggler *s = &verdict.stragglers[i];
		size_t node = s->node;

		assert_int_equal(has(s, "data-skew"), node == 2);
		assert_int_equal(has(s, "data-locality"), node == 3);
		assert_int_equal(has(s, "restarted"), node == 5);
		assert_int_equal(has(s, "wasted-speculation"), node == 0);
		assert_false(has(s, "resource-heterogeneity"));
	}
	assert_string_equal(verdict.jobs[0].decision, "they have nothing in common that is known");
	states.at[states.n - 2].gone = true; /* no, its server went */
	look();
	for (size_t i = 0; i < verdict.n_stragglers; i++)
		assert_int_equal(has(&verdict.stragglers[i], "node-failed"),
				 verdict.stragglers[i].node == 0);
}

/* What computed more had more to do; what did not waited; of what runs it is not known. */
static void processor_time_says_who_waited(void **state)
{
	struct state *x;

	(void)state;
	usual(1);
	for (size_t i = 0; i < states.n; i++)
		states.at[i].cpu_s = 4;
	x = add_state(STATE_MAP, 2, 1, 5, 30);
	x->cpu_s = 9;
	x = add_state(STATE_MAP, 3, 1, 5, 31);
	x->cpu_s = 4.4F;
	x = add_state(STATE_MAP, 4, 1, 15, 60);
	x->outcome = OUTCOME_OPEN;
	look();
	assert_int_equal(verdict.n_stragglers, 3);
	for (size_t i = 0; i < verdict.n_stragglers; i++) {
		const struct straggler *s = &verdict.stragglers[i];

		assert_int_equal(has(s, "computes-more"), s->node == 2);
		assert_int_equal(has(s, "waited"), s->node == 3);
	}
}

static void a_server_that_limps_explains_what_is_slow_on_it(void **state)
{
	(void)state;
	slow[4] = 4;
	for (size_t job = 1; job < 4; job++)
		run_tasks(STATE_MAP, job, 60, 10, 200 * (double)job);
	look();
	assert_int_equal(verdict.n_incidents, 1);
	assert_true(verdict.n_stragglers >= 6);
	for (size_t i = 0; i < verdict.n_stragglers; i++)
		assert_int_equal(has(&verdict.stragglers[i], "node-limps"),
				 verdict.stragglers[i].node == 4);
	assert_non_null(strstr(verdict.jobs[0].decision, "are on n4, which limps: slow"));
}

static const struct job_sign *sign_of(size_t job, const char *word)
{
	for (size_t i = 0; i < verdict.jobs[job].n_signs; i++)
		if (!strcmp(verdict.jobs[job].signs[i].word, word))
			return &verdict.jobs[job].signs[i];
	return NULL;
}

static void servers_without_a_task_while_tasks_wait(void **state)
{
	(void)state;
	/* all of them on three servers */
	for (size_t i = 0; i < 30; i++)
		add_state(STATE_MAP, i % 3, 1, 10 * (double)(i / 3), 10 * (double)(i / 3) + 9.9);
	for (size_t i = 3; i < JOB_NODES; i++)
		add_state(STATE_READ, i, 1, 0, 1);
	look();
	assert_non_null(sign_of(0, "idle-nodes"));
	assert_non_null(strstr(sign_of(0, "idle-nodes")->what, "50 % of their time"));
	assert_null(sign_of(0, "oversubscribed"));
}

static void a_server_with_more_at_once_than_is_good_for_it(void **state)
{
	(void)state;
	usual(1);
	for (size_t i = 0; i < 6; i++)
		add_state(STATE_MAP, 5, 1, 0.1 * (double)i, 38);
	look();
	assert_non_null(sign_of(0, "oversubscribed"));
	assert_non_null(strstr(sign_of(0, "oversubscribed")->what, "n5 has "));
	assert_null(sign_of(0, "idle-nodes"));
}

static void diagnosers_run_after_those_that_they_name(void **state)
{
	static const char *const word[] = {"a", "b", "c", "d"};
	static const char *const after[] = {"c", NULL, "b,d", NULL};
	static const char *const round[] = {"c", NULL, "b,a", NULL};
	static const char *const none[] = {NULL, "x", NULL, NULL};
	size_t order[4];

	(void)state;
	assert_int_equal(diagnosers_order(word, after, 4, order), -1);
	assert_int_equal(order[0], 1);
	assert_int_equal(order[1], 3);
	assert_int_equal(order[2], 2);
	assert_int_equal(order[3], 0);
	assert_int_equal(diagnosers_order(word, round, 4, order), 0);
	assert_int_equal(diagnosers_order(word, none, 4, order), 1);
}

static void stages_and_places_of_classes(void **state)
{
	(void)state;
	assert_int_equal(task_stage_len("stage 3 NODE_LOCAL"), 7);
	assert_int_equal(task_stage_len("stage 3"), 7);
	assert_int_equal(task_stage_len("RACK_LOCAL"), 0);
	assert_int_equal(task_stage_len(""), 0);
}

/* ---- answers of programs --------------------------------------------------------------------------------- */

static struct stragglers asked(struct found_task *t, struct straggler_job *j)
{
	*t = (struct found_task){0};
	*j = (struct straggler_job){.job = "job1"};
	usual(1);
	verdict.jobs = j;
	verdict.n_jobs = 1;
	return (struct stragglers){.s = &states, .v = &verdict, .at = t, .n = 1};
}

static void answers_are_taken_as_far_as_they_are_good(void **state)
{
	static const struct {
		const char *text, *bad;
	} answers[] = {
		{"{}", NULL},
		{"{\"stragglers\":[\"t1\",\"none\"],\"jobs\":{\"job1\":\"odd\",\"x\":\"y\"}}",
		 NULL},
		{"", "it is no JSON object"},
		{"[1]", "it is no JSON object"},
		{"{\"stragglers\":1}", "its tasks are no list"},
		{"{\"stragglers\":[1]}", "a task of its list is no text"},
		{"{\"jobs\":[]}", "its jobs are no object"},
		{"{\"jobs\":{\"job1\":1}}", "what it says of a job is no text"},
	};
	static const char decides[] = "{\"jobs\":{\"job1\":\"a\\u001b[2Jb\"}}",
			  says[] = "{\"tasks\":[\"t1\"],\"what\":\"so\"}";
	struct found_task t;
	struct straggler_job j;
	struct stragglers g = asked(&t, &j);

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		const char *bad =
			answer_symptom(&g, "mine", answers[i].text, strlen(answers[i].text));

		if (!answers[i].bad)
			assert_null(bad);
		else
			assert_string_equal(bad, answers[i].bad);
	}
	assert_true(t.straggler && t.flagged == 1);
	assert_int_equal(j.n_signs, 1);
	assert_string_equal(j.signs[0].what, "odd");
	assert_null(answer_decision(&g, "of-user", decides, strlen(decides)));
	assert_string_equal(j.decision, "a?[2Jb");
	verdict.n_task_causes = 1;
	assert_null(answer_diagnoser(&g, 0, says, strlen(says)));
	assert_int_equal(t.causes, 1);
	assert_string_equal(verdict.task_causes[0].what, "so");
	assert_int_equal(j.known, 1);
	verdict.jobs = NULL;
	verdict.n_jobs = 0;
}

/* One has three times the input and takes four times as long; another takes as long with no more input. */
static void inputs_explain_as_much_as_they_are_larger(void **state)
{
	struct state *x;

	(void)state;
	usual(1);
	for (size_t i = 0; i < states.n; i++)
		states.at[i].bytes = 64 << 20;
	x = add_state(STATE_MAP, 2, 1, 5, 45.8);
	x->bytes = 3 * (64 << 20);
	x = add_state(STATE_MAP, 3, 1, 5, 45.8);
	x->bytes = 64 << 20;
	for (size_t i = 0; i < 3; i++) /* too few to compare */
		add_state(STATE_REDUCE, i, 1, 5, 10);
	look();
	assert_true(fabs(verdict.straggling.beyond_s - 2 * 30.6) < 0.01);
	assert_true(fabs(verdict.straggling.explained_s - 2 * 10.2) < 0.01);
	assert_int_equal(verdict.straggling.tasks, states.n);
	assert_int_equal(verdict.straggling.few, 3);
	assert_int_equal(verdict.straggling.uneven + verdict.straggling.no_input, 0);
	/* a tenth of a MiB each */
	for (size_t i = 0; i < states.n; i++)
		states.at[i].bytes /= 640;
	look();
	assert_int_equal(verdict.straggling.no_input, states.n - 3);
	assert_true(verdict.straggling.beyond_s == 0);
}

#define JOB_TEST(f) cmocka_unit_test_setup_teardown(f, start_jobs, end_jobs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOB_TEST(one_that_takes_long_is_one),
		JOB_TEST(one_that_takes_sixty_years_costs_few_looks),
		JOB_TEST(all_of_a_first_wave_are_none),
		JOB_TEST(one_that_runs_is_projected),
		JOB_TEST(what_runs_now_is_told_alone),
		JOB_TEST(one_that_has_caught_up_is_none_now),
		JOB_TEST(what_holds_of_stragglers_is_said),
		JOB_TEST(inputs_explain_as_much_as_they_are_larger),
		JOB_TEST(processor_time_says_who_waited),
		JOB_TEST(a_server_that_limps_explains_what_is_slow_on_it),
		JOB_TEST(servers_without_a_task_while_tasks_wait),
		JOB_TEST(a_server_with_more_at_once_than_is_good_for_it),
		JOB_TEST(diagnosers_run_after_those_that_they_name),
		JOB_TEST(stages_and_places_of_classes),
		JOB_TEST(answers_are_taken_as_far_as_they_are_good),
	};

	opts = ANALYSIS_DEFAULT;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
