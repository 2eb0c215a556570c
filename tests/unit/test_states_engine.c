// SPDX-License-Identifier: BSD-2-Clause
/* The default method on states of jobs: each signal names the right server, and nobody for another reason. */
#include "states_jobs.h"

#include <string.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

static const struct notice *noticed(enum notice_kind kind)
{
	for (size_t i = 0; i < verdict.n_notices; i++)
		if (verdict.notices[i].kind == kind)
			return &verdict.notices[i];
	return NULL;
}

/* What makes tasks slow and is no server's fault is said: larger inputs, inputs elsewhere, fewer slots. */
static void skew_and_data_elsewhere_are_said(void **arg)
{
	struct text text TEXT_SCOPED = {0};
	const struct notice *m;

	(void)arg;
	run_tasks(STATE_MAP, 1, 120, 10, 0);
	judge();
	assert_int_equal(verdict.n_notices, 0);
	for (size_t i = 0; i < states.n; i++) {
		struct state *x = &states.at[i];

		x->cls = (uint32_t)names_add(&states.classes, i % 6 ? "NODE_LOCAL" : "RACK_LOCAL");
		if (!(i % 6)) /* half as long again */
			x->end_ns += (x->end_ns - x->start_ns) / 2;
	}
	for (size_t i = 0; i < 12; i++)
		add_state(STATE_REDUCER, i % 6, 1, 300, i % 6 == 3 ? 340 : 310)->bytes *=
			i % 6 == 3 ? 4 : 1;
	judge();
	only(NULL);
	m = noticed(NOTICE_SKEW);
	assert_non_null(m);
	assert_string_equal(verdict.nodes[m->node], "n3");
	m = noticed(NOTICE_REMOTE);
	assert_non_null(m);
	assert_int_equal(m->of, 120);
	assert_non_null(strstr(sentence_notice(&text, &verdict, m),
			       "20 of 120 tasks (map) of job1 read from other servers"));
}

static void jobs_that_fail_everywhere_name_nobody(void **arg)
{
	(void)arg;
	run_tasks(STATE_MAP, 1, 120, 10, 0);
	for (size_t i = 0; i < states.n; i++)
		states.at[i].outcome = OUTCOME_FAILED;
	judge();
	only(NULL);
	assert_int_equal(verdict_judged(&verdict), 0);
	assert_true(verdict.cannot.why != CANNOT_NOT);
}

static void call(struct state *x, const char *attempt)
{
	x->id = (uint32_t)names_add(&states.ids, attempt);
}

/* Two maps that do not end, and other attempts of them do elsewhere. */
static void a_node_that_hangs_is_named(void **arg)
{
	struct state *x[2];

	(void)arg;
	run_tasks(STATE_MAP, 1, 60, 10, 0);
	call(add_state(STATE_MAP, 4, 1, 20, 31), "attempt_1_0001_m_000001_1");
	call(add_state(STATE_MAP, 5, 1, 20, 29), "attempt_1_0001_m_000002_1");
	for (size_t i = 0; i < 2; i++)
		add_state(STATE_MAP, 3, 1, 20, 400)->outcome = OUTCOME_OPEN;
	for (size_t i = 0; i < 2; i++)
		x[i] = &states.at[states.n - 2 + i];
	call(x[0], "attempt_1_0001_m_000001_0");
	call(x[1], "attempt_1_0001_m_000002_0");
	judge();
	only("n3");
	assert_int_equal(verdict.incidents[0].cause, CAUSE_HUNG);
	x[1]->node = 2; /* one alone may have a reason of its own */
	judge();
	only(NULL);
	x[1]->node = 3;
	/* Of the same age as others' tasks they are none that hang. */
	for (size_t i = 0; i < 2; i++)
		x[i]->end_ns = x[i]->start_ns + (int64_t)9e9;
	judge();
	only(NULL);
}

/* Tasks that take long where nobody did the same in less have more to do, for all that is known: they run at the end of the log, or were
 * killed with their job. */
static void long_tasks_alone_are_no_hangs(void **arg)
{
	static const enum state_outcome outcomes[] = {OUTCOME_OPEN, OUTCOME_KILLED};

	(void)arg;
	for (size_t k = 0; k < 2; k++)
		run_tasks(k ? STATE_TASK : STATE_MAP, 1 + k, 60, 10, 0);
	for (size_t k = 0; k < 4; k++)
		add_state(k % 2 ? STATE_TASK : STATE_MAP, 3, 1 + k % 2, 20, 420);
	/* and is the only one of its server */
	for (size_t i = 0; i < 60; i++)
		add_state(STATE_MAP, i % 5, 3, (double)(i / 5), 5 + (double)(i / 5));
	add_state(STATE_MAP, 5, 3, 0, 600);
	for (size_t k = 0; k < sizeof(outcomes) / sizeof(*outcomes); k++) {
		for (size_t i = 120; i < 124; i++)
			states.at[i].outcome = (uint8_t)outcomes[k];
		states.at[states.n - 1].outcome = (uint8_t)outcomes[k];
		judge();
		only(NULL);
	}
}

static void report(const struct state *x, double done, double s)
{
	struct state_progress p = {.id = x->id,
				   .node = x->node,
				   .kind = x->kind,
				   .done = (float)done,
				   .time_ns = x->start_ns + (int64_t)(s * 1e9)};

	assert_int_equal(array_put(&states.progress, &states.n_progress, p), 0);
}

static int by_report(const void *a, const void *b)
{
	const struct state_progress *x = a, *y = b;

	return ORDER(x->time_ns, y->time_ns);
}

/* 60 tasks of ten seconds that say how far they are, and two of a server that run since 20 s, for so long. steps: of a tenth, so many
 * they said, each half minute; others: whether those that ended said anything on the way. */
static void tasks_that_stand(enum state_kind kind, double age_s, size_t steps, bool others)
{
	end_jobs(NULL);
	start_jobs(NULL);
	run_tasks(kind, 1, 60, 10, 0);
	for (size_t i = 0; i < states.n; i++)
		report(&states.at[i], others ? 0.667 : 1, others ? 5 : 9);
	for (size_t i = 0; i < 2; i++) {
		struct state *x = add_state(kind, 3, 1, 20, 20 + age_s);

		x->outcome = OUTCOME_OPEN;
		report(x, 0, 1);
		for (size_t k = 1; k <= steps; k++)
			report(x, 0.1 * (double)k, 30 * (double)k);
	}
	sort(states.progress, states.n_progress, by_report);
	judge();
}

/* What is read is told: a map of which nothing is told for long beyond that of all others hangs, though nobody overtook it. */
static void maps_that_stand_still_hang(void **arg)
{
	(void)arg;
	tasks_that_stand(STATE_MAP, 130, 0, true);
	only("n3");
	assert_int_equal(verdict.incidents[0].cause, CAUSE_HUNG);
	tasks_that_stand(STATE_MAP, 170, 1, true); /* from then on */
	only("n3");
}

static void tasks_that_have_more_to_do_do_not(void **arg)
{
	(void)arg;
	tasks_that_stand(STATE_MAP, 170, 5, true); /* they go on */
	only(NULL);
	tasks_that_stand(STATE_MAP, 110, 0, true); /* not for long enough */
	only(NULL);
	tasks_that_stand(STATE_MAP, 170, 0, false); /* nobody tells it */
	only(NULL);
	tasks_that_stand(STATE_REDUCE, 170, 0, true); /* it may wait for maps */
	only(NULL);
	tasks_that_stand(STATE_MAP, 170, 0,
			 false); /* another job's tell it, or those of the server alone */
	for (size_t i = 0; i < 60; i++)
		if (states.at[i].node == 3)
			report(&states.at[i], 0.667, 5);
	run_tasks(STATE_MAP, 2, 60, 10, 0);
	for (size_t i = 62; i < states.n; i++)
		report(&states.at[i], 0.667, 5);
	sort(states.progress, states.n_progress, by_report);
	judge();
	only(NULL);
	tasks_that_stand(STATE_MAP, 170, 0, true); /* all is read, and told */
	for (size_t i = 60; i < 62; i++)
		report(&states.at[i], 1, 30);
	sort(states.progress, states.n_progress, by_report);
	judge();
	only(NULL);
	tasks_that_stand(STATE_MAP, 170, 0, true); /* one alone */
	states.at[states.n - 1].node = 4;
	judge();
	only(NULL);
}

/* Nobody but this one is held to be suspicious, and it is no more. */
static void only_suspicious(const char *node)
{
	assert_int_equal(verdict.n_incidents, 1);
	assert_string_equal(verdict.nodes[verdict.incidents[0].node], node);
	assert_int_not_equal(verdict.incidents[0].suspicion, SUSPICION_NONE);
}

/* The only task of its server ended well elsewhere in a sixtieth of the time, or said nothing: that is one event. */
static void one_attempt_that_hangs_indicts_nobody(void **arg)
{
	struct state *x;

	(void)arg;
	for (size_t i = 0; i < 60; i++)
		add_state(STATE_MAP, i % 5, 1, 10 * (double)(i / 5), 10 + 10 * (double)(i / 5));
	call(add_state(STATE_MAP, 2, 1, 50, 60), "attempt_1_0001_m_000001_1");
	x = add_state(STATE_MAP, 5, 1, 0, 600);
	call(x, "attempt_1_0001_m_000001_0");
	x->outcome = OUTCOME_KILLED;
	judge();
	only_suspicious("n5");
	x->outcome = OUTCOME_FAILED;
	x->silent = true;
	judge();
	only_suspicious("n5");
}

/* Spark's driver missed one executor's heartbeats, and took all of its tasks for lost: one event, and maybe its own. */
static void one_lost_heartbeat_indicts_nobody(void **arg)
{
	(void)arg;
	run_tasks(STATE_TASK, 1, 60, 10, 0);
	for (size_t i = 0; i < 4; i++) {
		struct state *x = add_state(STATE_TASK, 3, 1, 20, 80);

		x->outcome = OUTCOME_FAILED;
		x->silent = true;
	}
	judge();
	only_suspicious("n3");
}

/*
 * Executors of an application register within ten seconds; that of a server that has no task at all never does: it may be late until
 * the application has gone on for ten times as long, and all others worked.
 */
static void an_executor_that_never_registers_is_named(void **arg)
{
	(void)arg;
	for (size_t i = 0; i < JOB_NODES; i++)
		add_state(STATE_EXECUTOR, i, 2, 0, 9)->bytes = -1;
	states.at[5].outcome = OUTCOME_KILLED;
	states.at[5].end_ns = JOB_T0 + (int64_t)100e9;
	for (size_t i = 0; i < 60; i++)
		add_state(STATE_TASK, i % 5, 1, 10 + 3 * (double)(i / 5), 13 + 3 * (double)(i / 5));
	judge();
	only("n5");
	assert_int_equal(verdict.incidents[0].cause, CAUSE_HUNG);
	states.at[5].end_ns = JOB_T0 + (int64_t)80e9;
	judge();
	only_suspicious("n5");
	states.at[5].end_ns = JOB_T0 + (int64_t)29e9;
	judge();
	only(NULL);
	states.at[5].end_ns = JOB_T0 + (int64_t)100e9;
	for (size_t i = 0; i < 60; i++) /* one of the others had no task meanwhile */
		if (i % 5 == 2)
			states.at[6 + i].end_ns += (int64_t)100e9;
	judge();
	assert_true(verdict.n_incidents == 0 || verdict.incidents[0].suspicion != SUSPICION_NONE);
}

/* That it is not there yet is one observation: beside a server's other work its age counts, and no hang. */
static void an_executor_that_waits_counts_once(void **arg)
{
	(void)arg;
	for (size_t i = 0; i < JOB_NODES; i++)
		add_state(STATE_EXECUTOR, i, 2, 0, i == 5 ? 40 : 9)->bytes = -1;
	states.at[5].outcome = OUTCOME_KILLED;
	slow[5] = 1.35;
	run_tasks(STATE_TASK_COMPUTE, 1, 48, 10, 10);
	judge();
	only_suspicious("n5");
}

/* What is slow once in so many jobs of few tasks each is nobody's: each job has its part of the chance. */
static void many_small_jobs_share_the_chance(void **arg)
{
	(void)arg;
	for (size_t job = 0; job < 300; job++)
		for (size_t i = 0; i < 2 * (size_t)JOB_NODES; i++) {
			double s = 10 * (double)job,
			       usual = job % 100 || i / 2 != job / 100 ? 4 : 12;

			add_state(STATE_TASK_COMPUTE, i / 2, job, s, s + task_seconds(usual, 0));
		}
	judge();
	only(NULL);
}

/* A slow server is handed few tasks: four that all take three times as long tell, one of them does not. */
static void few_slow_tasks_name_a_node(void **arg)
{
	struct state *few[4];

	(void)arg;
	for (size_t i = 0; i < 140; i++)
		add_state(STATE_REDUCER, i % 5, 1, 0.5 * (double)i,
			  0.5 * (double)i + task_seconds(10, 0));
	for (size_t i = 0; i < 4; i++)
		few[i] = add_state(STATE_REDUCER, 5, 1, 10 + (double)i, 45 + (double)i);
	judge();
	only("n5");
	assert_string_equal(signal_word(), "reducer");
	assert_int_equal(verdict.incidents[0].detail.attempts, 4);
	for (size_t i = 0; i < 4; i++) /* one of them, ten times as long */
		few[i]->end_ns = few[i]->start_ns + (int64_t)(i ? 9e9 : 100e9);
	judge();
	only(NULL);
	for (size_t i = 1; i < 4; i++) /* and that alone, for as long as anything */
		few[i]->node = 4;
	few[0]->end_ns = few[0]->start_ns + (int64_t)3600e9;
	judge();
	only(NULL);
}

/* Given up for their silence after half a minute, which is not three times the others': they hung, and no program failed. */
static void what_says_nothing_hangs(void **arg)
{
	(void)arg;
	run_tasks(STATE_MAP, 1, 120, 10, 0);
	for (size_t i = 0; i < 3; i++) {
		struct state *x = add_state(i ? STATE_REDUCE : STATE_CLEANUP, 3, 2 + i, 20, 50);

		x->outcome = OUTCOME_FAILED;
		x->silent = !i;
		add_state((enum state_kind)x->kind, 4, 2 + i, 20, 40);
	}
	judge();
	only(NULL);
	for (size_t i = 1; i <= 3; i++)
		states.at[states.n - 2 * i].silent = true;
	judge();
	only("n3");
	assert_int_equal(verdict.incidents[0].cause, CAUSE_HUNG);
}

/* A log that was read to its end knows what became of the tasks. At a time before nobody did. */
static void what_comes_after_the_time_asked_for_is_not_known(void **arg)
{
	struct analysis_opts o = ANALYSIS_DEFAULT;

	(void)arg;
	run_tasks(STATE_MAP, 1, 60, 10, 0);
	for (size_t i = 0; i < 2; i++) {
		struct state *x = add_state(STATE_MAP, 3, 1, 20, 400);

		x->outcome = OUTCOME_FAILED;
		call(x, i ? "attempt_1_0001_m_000001_0" : "attempt_1_0001_m_000002_0");
		call(add_state(STATE_MAP, 4, 1, 20, 29),
		     i ? "attempt_1_0001_m_000001_1" : "attempt_1_0001_m_000002_1");
	}
	for (size_t i = 0; i < states.n; i++)
		states.at[i].lost = states.at[i].node == 3;
	judge();
	only("n3");
	o.to_ns = JOB_T0 + (int64_t)30e9;
	verdict_release(&verdict);
	assert_int_equal(examine_states(&o, &states, &verdict), 0);
	only(NULL);
	assert_true(verdict.to_ns <= o.to_ns);
	o.to_ns = JOB_T0 + (int64_t)390e9; /* by then others have overtaken them for long */
	verdict_release(&verdict);
	assert_int_equal(examine_states(&o, &states, &verdict), 0);
	only("n3");
	o.from_ns = JOB_T0 + (int64_t)500e9;
	o.to_ns = INT64_MAX;
	verdict_release(&verdict);
	assert_int_equal(examine_states(&o, &states, &verdict), 0);
	only(NULL);
}

/*
 * Node 2 loses a third of its processor in the middle of the log: from then on it does a little of everything, and all
 * of it takes longer, but of no kind there is enough to tell.
 */
static void a_little_of_everything_names_a_node(void **arg)
{
	static const enum state_kind kinds[] = {STATE_MAP, STATE_SORT, STATE_REDUCER, STATE_WRITE,
						STATE_READ};

	(void)arg;
	for (size_t job = 0; job < 4; job++) {
		slow[2] = job > 1 ? 1.6 : 1;
		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
			run_tasks(kinds[k], job, 12, 10, 120.0 * (double)job + 20 * (double)k);
	}
	judge();
	only("n2");
	assert_string_equal(signal_word(), "work");
	assert_int_equal(verdict.incidents[0].why, WHY_TOGETHER);
	assert_true(verdict.incidents[0].onset_ns > JOB_T0 + (int64_t)150e9);
}

/*
 * Node 5 loses packets: what it sends, what it fetches and what it writes takes longer. Of a shuffle no end indicts by itself,
 * and of writes there are few.
 */
static void a_node_with_a_bad_network_is_named(void **arg)
{
	(void)arg;
	for (size_t i = 0; i < JOB_NODES; i++)
		for (size_t e = 0; e < JOB_NODES; e++) {
			double d = task_seconds(1, i) * (i == 5 ? 1.8 : 1) * (e == 5 ? 1.8 : 1);

			if (i != e)
				add_state(STATE_SHUFFLE, i, 1, 1, 1 + d)->peer = (uint32_t)e;
		}
	slow[5] = 1.8;
	for (size_t k = 0; k < 6; k++)
		for (size_t i = 0; i < JOB_NODES; i++)
			add_state(STATE_WRITE, i, 1, 2, 2 + task_seconds(1, i));
	judge();
	only("n5");
	assert_string_equal(signal_word(), "net");
}

/* Tasks of the minutes in which all machines are slow are no yardstick for later ones: nodes 0 and 1 have them. */
static void all_slowed_at_once_names_nobody(void **arg)
{
	(void)arg;
	for (double s = 0; s < 120; s += 20)
		for (size_t i = 0; i < 2; i++)
			add_state(STATE_REDUCER, i, 1, s, s + task_seconds(20, i));
	run_tasks(STATE_REDUCER, 1, 120, 2, 130);
	judge();
	only(NULL);
}

/* A job's setup warms a machine that the second map after it finds, and not the first. */
static void a_jobs_setup_makes_no_first_map_late(void **arg)
{
	(void)arg;
	for (size_t job = 0; job < 8; job++) {
		double at = 100.0 * (double)job;

		add_state(STATE_SETUP, 1, job, at, at + 5);
		for (size_t slot = 0; slot < (size_t)JOB_NODES * JOB_SLOTS; slot++) {
			size_t node = slot / JOB_SLOTS;
			bool warm = node == 1 && slot % JOB_SLOTS;
			double from = at + 5 + (double)(slot % JOB_SLOTS) / 10;

			add_state(STATE_MAP, node, job, from,
				  from + task_seconds(warm ? 2 : 12, node));
		}
	}
	judge();
	only(NULL);
}

/* Its server began before the others, and with a warm machine: that it does more widens nothing. */
static void a_jobs_setup_is_work_of_its_slot(void **arg)
{
	(void)arg;
	add_state(STATE_SETUP, 1, 1, 0, 4);
	for (size_t i = 0; i < JOB_NODES; i++) {
		double s = i == 1 ? 4 : 9; /* when its first map has ended */

		add_state(STATE_MAP, i, 1, 4, i == 5 ? 40 : s + 0.5);
		for (s += 0.5; i != 5 && s < 18; s += 0.5)
			add_state(STATE_MAP, i, 1, s, s + 0.5);
	}
	judge();
	only("n5");
	assert_string_equal(signal_word(), "map-share");
}

/* Node 4 is known, and alive, and gets no task of the later jobs; a node that has gone is none that limps. */
static void a_node_that_is_handed_nothing_is_named(void **arg)
{
	(void)arg;
	run_tasks(STATE_MAP, 0, 24, 10, 0);
	for (size_t job = 1; job < 4; job++)
		for (size_t slot = 0; slot < (size_t)JOB_NODES * JOB_SLOTS; slot++)
			for (double s = 200.0 * (double)job, end; s < 200.0 * (double)job + 140;
			     s = end) {
				end = s + task_seconds(10, slot / JOB_SLOTS);
				if (slot / JOB_SLOTS != 4)
					add_state(STATE_MAP, slot / JOB_SLOTS, job, s, end);
			}
	judge();
	only(NULL);
	add_state(STATE_WRITE, 4, STATE_NONE, 900, 901);
	judge();
	only("n4");
	assert_string_equal(signal_word(), "map-share");
}

/* What a daemon says of slow packets: a few on all; many at one server's disk, and on the way to it. */
static void slow_packets_name_a_server(void **arg)
{
	(void)arg;
	run_tasks(STATE_MAP, 1, 120, 10, 0);
	for (size_t i = 0; i < JOB_NODES; i++)
		for (size_t k = 0; k < (i == 1 ? 10 : 3); k++)
			add_state(STATE_DISK_SLOW, i, STATE_NONE, (double)k, (double)k + 0.4);
	judge();
	only(NULL);
	for (size_t k = 0; k < 60; k++)
		add_state(STATE_MIRROR_SLOW, k % 4 + 2, STATE_NONE, (double)k, (double)k + 0.4)
			->peer = 1;
	judge();
	only("n1");
	assert_string_equal(signal_word(), "packets");
	/* Of a log of weeks: thousands on each. */
	for (size_t i = 0; i < JOB_NODES; i++)
		for (size_t k = 0; k < (i == 1 ? 40000 : 8000); k++)
			add_state(STATE_DISK_SLOW, i, STATE_NONE, 0.01 * (double)k,
				  0.01 * (double)k + 0.4);
	judge();
	only("n1");
}

/* An open state counts only against its node: young ones do not make it quick. */
static void open_states_count_with_their_age(void **arg)
{
	size_t slow_ones = 0;

	(void)arg;
	run_tasks(STATE_MAP, 1, 120, 10, 0);
	for (size_t i = 0; i < states.n; i++) {
		struct state *x = &states.at[i];

		if (x->node != 3)
			continue;
		x->outcome = OUTCOME_OPEN;
		x->bytes = -1; /* not known before the end: it is taken to be as large as most */
		x->end_ns = x->start_ns + (slow_ones++ % 2 ? 1000000000LL : 25000000000LL);
	}
	judge();
	only("n3");
	assert_string_equal(signal_word(), "map");
}

/* Reads of all from all: server, executor, how many times as long. */
static void reads(size_t server, double as_server, size_t executor, double as_executor)
{
	for (size_t k = 0; k < 12; k++)
		for (size_t i = 0; i < JOB_NODES; i++)
			for (size_t e = 0; e < JOB_NODES; e++) {
				double s = 10.0 * (double)k, d = task_seconds(1, i);

				d *= i == server ? as_server : 1;
				d *= e == executor ? as_executor : 1;
				if (i != e)
					add_state(STATE_READ, i, STATE_NONE, s, s + d)->peer =
						(uint32_t)e;
			}
}

static void of_two_ends_the_server_is_named_and_no_victim(void **arg)
{
	(void)arg;
	reads(2, 3, JOB_NODES, 1);
	judge();
	only("n2");
	assert_string_equal(signal_word(), "read-server");
}

/* Of blocks that are written to several servers each waits for the others: half of server 2's went to server 3. */
static void of_a_pipeline_the_slow_server_is_named(void **arg)
{
	(void)arg;
	slow[3] = 5;
	for (size_t k = 0; k < 40; k++)
		for (size_t i = 0; i < JOB_NODES; i++) {
			double s = 10.0 * (double)k;
			size_t waits_for = i == 2 && k % 2 ? 3 : i;

			add_state(STATE_WRITE, i, STATE_NONE, s, s + task_seconds(1, waits_for));
		}
	judge();
	only("n3");
}

/* It waits for its own processor: that is its map's trouble, and no server's. */
static void an_executor_that_waits_blames_no_server(void **arg)
{
	(void)arg;
	reads(JOB_NODES, 1, 4, 3);
	judge();
	only(NULL);
	assert_true(verdict.n_ruled_out > 0);
	for (size_t i = 0; i < verdict.n_ruled_out; i++)
		assert_int_equal(verdict.ruled_out[i].node, 4);
}

static void a_state_that_waits_for_others_indicts_nobody(void **arg)
{
	(void)arg;
	slow[3] = 3;
	run_tasks(STATE_SHUFFLE_WAIT, 1, 120, 10, 0);
	judge();
	only(NULL);
	assert_int_equal(verdict.ruled_out[0].node, 3);
}

static void too_little_is_said_to_be_too_little(void **arg)
{
	(void)arg;
	judge();
	assert_int_equal(verdict.cannot.why, CANNOT_NO_INTERVAL);
	slow[0] = 5;
	for (size_t i = 0; i < 40; i++)
		add_state(STATE_MAP, 0, 1, (double)i, (double)i + task_seconds(1, 0));
	judge(); /* one node */
	only(NULL);
	assert_int_equal(verdict.cannot.server.why, UNJUDGED_FEW_SERVERS);
	for (size_t i = 0; i < 40; i++)
		add_state(STATE_MAP, 1, 1, (double)i, (double)i + task_seconds(1, 1));
	judge(); /* two: nobody knows which is odd */
	only(NULL);
	assert_int_equal(verdict.cannot.why, CANNOT_UNJUDGED);
	end_jobs(NULL);
	start_jobs(NULL);
	slow[0] = 5;
	run_tasks(STATE_MAP, 1, 2 * JOB_NODES, 10, 0);
	judge(); /* two values a node */
	only(NULL);
	assert_int_equal(verdict.unjudged[0].why, UNJUDGED_FEW_VALUES);
}

/* Nodes 3 to 5 are another cluster with its own jobs, and slower: each is judged by itself. */
static void two_clusters_are_not_compared(void **arg)
{
	(void)arg;
	for (size_t k = 0; k < 40; k++)
		for (size_t i = 0; i < JOB_NODES; i++) {
			double s = 10.0 * (double)k;
			struct state *x = add_state(STATE_WRITE, i, STATE_NONE, s,
						    s + task_seconds(i < 3 ? 1 : 4, i));

			x->peer = (uint32_t)(i < 3 ? (i + 1) % 3 : 3 + (i + 1) % 3);
		}
	judge();
	only(NULL);
	assert_int_equal(verdict_judged(&verdict), JOB_NODES);
	assert_int_equal(verdict.n_notes, 1);
}

/* Slow for an hour of five: too little of all of it for one look, and no job's. */
static void over_time_trouble_that_came_and_went_is_named(void **arg)
{
	(void)arg;
	for (double s = 0; s < 5 * 3600; s += 20)
		for (size_t i = 0; i < JOB_NODES; i++) {
			double bad = i == 2 && s > 7200 && s < 10800 ? 2.5 : 1;

			add_state(STATE_OST_WRITE, i, STATE_NONE, s, s + bad * task_seconds(2, i));
		}
	judge();
	only("n2");
	assert_false(verdict.incidents[0].open);
	assert_true(verdict.incidents[0].onset_ns > JOB_T0 + 6000 * (int64_t)1e9);
	assert_true(verdict.incidents[0].last_ns < JOB_T0 + 11500 * (int64_t)1e9);
}

#define JOB_TEST(f) cmocka_unit_test_setup_teardown(f, start_jobs, end_jobs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOB_TEST(skew_and_data_elsewhere_are_said),
		JOB_TEST(a_jobs_setup_makes_no_first_map_late),
		JOB_TEST(a_jobs_setup_is_work_of_its_slot),
		JOB_TEST(jobs_that_fail_everywhere_name_nobody),
		JOB_TEST(a_node_that_hangs_is_named),
		JOB_TEST(long_tasks_alone_are_no_hangs),
		JOB_TEST(maps_that_stand_still_hang),
		JOB_TEST(tasks_that_have_more_to_do_do_not),
		JOB_TEST(one_attempt_that_hangs_indicts_nobody),
		JOB_TEST(one_lost_heartbeat_indicts_nobody),
		JOB_TEST(an_executor_that_waits_counts_once),
		JOB_TEST(many_small_jobs_share_the_chance),
		JOB_TEST(an_executor_that_never_registers_is_named),
		JOB_TEST(few_slow_tasks_name_a_node),
		JOB_TEST(what_says_nothing_hangs),
		JOB_TEST(what_comes_after_the_time_asked_for_is_not_known),
		JOB_TEST(a_little_of_everything_names_a_node),
		JOB_TEST(a_node_with_a_bad_network_is_named),
		JOB_TEST(a_node_that_is_handed_nothing_is_named),
		JOB_TEST(slow_packets_name_a_server),
		JOB_TEST(all_slowed_at_once_names_nobody),
		JOB_TEST(open_states_count_with_their_age),
		JOB_TEST(of_two_ends_the_server_is_named_and_no_victim),
		JOB_TEST(of_a_pipeline_the_slow_server_is_named),
		JOB_TEST(an_executor_that_waits_blames_no_server),
		JOB_TEST(a_state_that_waits_for_others_indicts_nobody),
		JOB_TEST(too_little_is_said_to_be_too_little),
		JOB_TEST(two_clusters_are_not_compared),
		JOB_TEST(over_time_trouble_that_came_and_went_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
