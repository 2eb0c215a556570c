// SPDX-License-Identifier: BSD-2-Clause
/* analyzer/jobs: the graph of a job, its paths, what it waited for, and how long it would have taken. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/jobs/job_flow.h"
#include "analyzer/stat/rng.h"
#include "userspace/common/array.h"

static struct states states;
static struct job_flow flow_;

#define T0 ((int64_t)1700000000 * 1000000000)

static uint32_t name(struct names *n, const char *text)
{
	int64_t at = names_add(n, text);

	assert_true(at >= 0);
	return (uint32_t)at;
}

static int start(void **arg)
{
	(void)arg;
	states = (struct states){0};
	name(&states.jobs, "job_1_1");
	states.job = calloc(1, sizeof(*states.job));
	states.job[0] = (struct state_job){
		.submit_ns = T0, .launch_ns = T0, .finish_ns = T0 + 100 * INT64_C(1000000000)};
	return 0;
}

static int end(void **arg)
{
	(void)arg;
	job_flow_release(&flow_);
	states_release(&states);
	return 0;
}

static struct state *add(enum state_kind kind, const char *id, const char *node, double from_s,
			 double to_s)
{
	struct state *x = array_add(&states.at, &states.n);

	assert_non_null(x);
	*x = (struct state){.kind = (uint8_t)kind,
			    .node = name(&states.nodes, node),
			    .peer = STATE_NONE,
			    .job = 0,
			    .id = name(&states.ids, id),
			    .cls = STATE_NONE,
			    .in = STATE_NONE,
			    .out = STATE_NONE,
			    .bytes = 1 << 20,
			    .records = -1,
			    .progress = NAN,
			    .cpu_s = NAN,
			    .memory_mib = NAN,
			    .start_ns = T0 + llround(from_s * 1e9),
			    .end_ns = T0 + llround(to_s * 1e9)};
	return x;
}

static void add_reduce(const char *id, const char *node, double from, double shuffled,
		       double sorted, double to)
{
	add(STATE_REDUCE, id, node, from, to);
	add(STATE_SHUFFLE_WAIT, id, node, from, shuffled);
	add(STATE_SORT, id, node, shuffled, sorted);
	add(STATE_REDUCER, id, node, sorted, to);
}

static int by_start(const void *a, const void *b)
{
	const struct state *x = a, *y = b;

	return x->start_ns != y->start_ns
		       ? (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns)
	       : x->kind != y->kind ? x->kind - y->kind
				    : (x->id > y->id) - (x->id < y->id);
}

static void make(void)
{
	qsort(states.at, states.n, sizeof(*states.at), by_start);
	assert_int_equal(job_flow_make(&flow_, &states, 0), 0);
}

/* Whatever the job: one segment after the other, from its start to its end. */
static void adds_up(void)
{
	int64_t at = flow_.from_ns;
	double nodes = 0, all = 0;

	for (size_t i = 0; i < flow_.n_path; i++) {
		assert_int_equal(flow_.path[i].from_ns, at);
		assert_true(flow_.path[i].to_ns > at);
		at = flow_.path[i].to_ns;
	}
	assert_int_equal(at, flow_.to_ns);
	for (size_t i = 0; i < flow_.n_kinds; i++)
		all += flow_.kinds[i].s;
	for (size_t i = 0; i < flow_.n_waits; i++)
		all += flow_.waits[i].s;
	for (size_t i = 0; i < flow_.n_share_nodes; i++)
		nodes += flow_.nodes[i].s;
	assert_true(fabs(all - (double)(flow_.to_ns - flow_.from_ns) / 1e9) < 1e-6);
	assert_true(nodes <= all + 1e-6);
}

static void is_segment(size_t i, double from_s, double to_s, enum flow_why why, const char *id)
{
	const struct flow_segment *s = &flow_.path[i];

	assert_true(i < flow_.n_path);
	assert_int_equal(s->from_ns - T0, llround(from_s * 1e9));
	assert_int_equal(s->to_ns - T0, llround(to_s * 1e9));
	assert_int_equal(s->why, why);
	if (id)
		assert_string_equal(states.ids.at[states.at[s->state].id], id);
	else
		assert_int_equal(s->state, STATE_NONE);
}

/* Two waves of maps on two servers, one reduce: the last map of the slower slot, not the longest sum of durations. */
static void history_alone(void **arg)
{
	(void)arg;
	add(STATE_MAP, "m0", "a", 5, 20);
	add(STATE_MAP, "m1", "b", 5, 30);
	add(STATE_MAP, "m2", "a", 22, 40);
	add(STATE_MAP, "m3", "b", 33, 60);
	add_reduce("r0", "a", 10, 63, 65, 90);
	make();
	adds_up();
	assert_int_equal(flow_.n_path, 8);
	is_segment(0, 0, 5, FLOW_WHY_START, NULL);
	is_segment(1, 5, 30, FLOW_WHY_WORK, "m1");
	is_segment(2, 30, 33, FLOW_WHY_SLOT, NULL);
	is_segment(3, 33, 60, FLOW_WHY_WORK, "m3");
	is_segment(4, 60, 63, FLOW_WHY_WORK, "r0");
	is_segment(5, 63, 65, FLOW_WHY_WORK, "r0");
	is_segment(6, 65, 90, FLOW_WHY_WORK, "r0");
	is_segment(7, 90, 100, FLOW_WHY_FINISH, NULL);
	/* 4 maps, 4 outputs, a shuffle for all, the reduce's three; of all maps to the one reduce a path */
	assert_int_equal(flow_.n_vertices, 12);
	assert_int_equal(flow_.n_edges, 4 + 4 + 1 + 2);
	assert_int_equal(flow_.n_guessed, 5);
	assert_true(flow_.paths == 4);
	assert_int_equal(flow_.missing, FLOW_NO_READS | FLOW_NO_SHUFFLES | FLOW_NO_WRITES);
}

/* While a job runs it waits for what runs longest of its first stage that is not over; without the graph the path is the same. */
static void what_runs(void **arg)
{
	(void)arg;
	states.job[0].finish_ns = 0;
	add(STATE_MAP, "m0", "a", 5, 20);
	add(STATE_MAP, "m1", "b", 7, 100)->outcome = OUTCOME_OPEN;
	add(STATE_MAP, "m2", "a", 22, 100)->outcome = OUTCOME_OPEN;
	add(STATE_REDUCE, "r0", "a", 6, 100)->outcome = OUTCOME_OPEN;
	make();
	adds_up();
	assert_int_equal(flow_.n_path, 2);
	is_segment(0, 0, 7, FLOW_WHY_START, NULL);
	is_segment(1, 7, 100, FLOW_WHY_WORK, "m1");
	job_flow_release(&flow_);
	assert_int_equal(job_flow_make_path(&flow_, &states, 0), 0);
	adds_up();
	assert_int_equal(flow_.n_path, 2);
	is_segment(1, 7, 100, FLOW_WHY_WORK, "m1");
	assert_int_equal(flow_.n_vertices + flow_.n_without, 0);
}

/* Of a reduce that runs only what came after the last map is its own. */
static void the_last_map_and_a_reduce_that_runs(void **arg)
{
	(void)arg;
	states.job[0].finish_ns = 0;
	add(STATE_MAP, "m0", "a", 5, 20);
	add(STATE_MAP, "m1", "b", 5, 60);
	add(STATE_REDUCE, "r0", "a", 10, 100)->outcome = OUTCOME_OPEN;
	qsort(states.at, states.n, sizeof(*states.at), by_start);
	assert_int_equal(job_flow_make_path(&flow_, &states, 0), 0);
	adds_up();
	assert_int_equal(flow_.n_path, 3);
	is_segment(0, 0, 5, FLOW_WHY_START, NULL);
	is_segment(1, 5, 60, FLOW_WHY_WORK, "m1");
	is_segment(2, 60, 100, FLOW_WHY_WORK, "r0");
}

/* Where kinds and names of attempts do not go together a map can be the retry of a reduce that waited for it. */
static void a_circle(void **arg)
{
	(void)arg;
	states.job[0].finish_ns = 0;
	add(STATE_REDUCE, "attempt_1_1_m_000005_0", "a", 10, 20)->outcome = OUTCOME_FAILED;
	add(STATE_MAP, "attempt_1_1_m_000005_1", "a", 20, 20);
	add(STATE_MAP, "attempt_1_1_m_000006_0", "a", 21, 100)->outcome = OUTCOME_OPEN;
	make();
	adds_up();
	job_flow_release(&flow_);
	assert_int_equal(job_flow_make_path(&flow_, &states, 0), 0);
	adds_up();
}

/* An attempt without an end holds up no job that has one. */
static void what_was_left_behind(void **arg)
{
	(void)arg;
	add(STATE_MAP, "m0", "a", 5, 90);
	add(STATE_MAP, "m1", "b", 5, 100)->outcome = OUTCOME_OPEN;
	make();
	adds_up();
	is_segment(1, 5, 90, FLOW_WHY_WORK, "m0");
	is_segment(2, 90, 100, FLOW_WHY_FINISH, NULL);
}

/* Names of data join what no overlap could; what comes from another job stays out. */
static void all_logs(void **arg)
{
	struct state *x;

	(void)arg;
	add(STATE_MAP, "m0", "a", 5, 20);
	add(STATE_MAP, "m1", "b", 5, 30);
	add_reduce("r0", "a", 10, 50, 52, 80);
	add_reduce("r1", "b", 10, 41, 42, 70);
	for (int i = 0; i < 3; i++) {
		x = add(STATE_READ, i ? i == 1 ? "blk_1" : "blk_2" : "blk_0", "b", 5, 6);
		x->out = name(&states.items, i == 2 ? "m1" : "m0");
	}
	for (int i = 0; i < 4; i++) {
		char id[8] = {'s', (char)('0' + i), 0};

		/* the reduce on a got the output of the map on b last, long after that had ended */
		x = add(STATE_SHUFFLE, id, i / 2 ? "b" : "a", i == 2 ? 45 : 32, i == 2 ? 48 : 33);
		x->in = name(&states.items, i / 2 ? "m1" : "m0");
		x->out = name(&states.items, i % 2 ? "r1" : "r0");
	}
	for (int i = 0; i < 2; i++) {
		x = add(STATE_WRITE, i ? "w0" : "w1", "b", 75, 79);
		x->in = name(&states.items, i ? "r0" : "r1");
	}
	x = add(STATE_READ, "blk_9", "b", 7, 8);
	x->job = STATE_NONE;
	x->out = name(&states.items, "another job's map");
	make();
	adds_up();
	assert_int_equal(flow_.n_vertices, 3 + 2 + 2 + 4 + 2 + 2 + 2 + 2);
	assert_int_equal(flow_.n_edges, 3 + 2 + 4 + 4 + 2 + 2 + 2);
	assert_int_equal(flow_.n_guessed, 0);
	/* three blocks read, to each of two reduces that wrote one */
	assert_true(flow_.paths == 6);
	assert_int_equal(flow_.missing, 0);
	is_segment(0, 0, 5, FLOW_WHY_START, NULL);
	is_segment(1, 5, 30, FLOW_WHY_WORK, "m1");
	is_segment(2, 30, 45, FLOW_WHY_FETCH, NULL);
	is_segment(3, 45, 48, FLOW_WHY_WORK, "s2");
	is_segment(4, 48, 50, FLOW_WHY_WORK, "r0");
	assert_int_equal(states.at[flow_.path[3].state].node, name(&states.nodes, "b"));
	assert_true(flow_.path[1].inside != STATE_NONE);
	assert_string_equal(states.ids.at[states.at[flow_.path[1].inside].id], "blk_2");
}

/* A read that does not say whose it is belongs to each map that ran where it went. */
static void guesses(void **arg)
{
	struct state *x;

	(void)arg;
	add(STATE_MAP, "m0", "a", 5, 20);
	add(STATE_MAP, "m1", "a", 5, 30);
	add(STATE_MAP, "m2", "b", 5, 30);
	x = add(STATE_READ, "blk_0", "b", 6, 10);
	x->peer = name(&states.nodes, "a");
	x->job = STATE_NONE;
	x = add(STATE_READ, "blk_1", "b", 25, 28);
	x->peer = name(&states.nodes, "a");
	x->job = STATE_NONE;
	make();
	adds_up();
	assert_int_equal(flow_.n_guessed, 3);
	assert_true(flow_.missing & FLOW_NO_READERS);
	/* m0 from one block, m1 from two, m2 from none is on no path */
	assert_true(flow_.paths == 3);
}

/* The second attempt waited for the first, which failed elsewhere; the other slot was free all the time. */
static void retries(void **arg)
{
	(void)arg;
	add(STATE_MAP, "attempt_1_1_m_000000_0", "a", 1, 40)->outcome = OUTCOME_FAILED;
	add(STATE_MAP, "attempt_1_1_m_000001_0", "b", 1, 10);
	add(STATE_MAP, "attempt_1_1_m_000000_1", "b", 43, 60);
	make();
	adds_up();
	is_segment(0, 0, 1, FLOW_WHY_START, NULL);
	is_segment(1, 1, 40, FLOW_WHY_WORK, "attempt_1_1_m_000000_0");
	is_segment(2, 40, 43, FLOW_WHY_RETRY, NULL);
	is_segment(3, 43, 60, FLOW_WHY_WORK, "attempt_1_1_m_000000_1");
	/* had it ended well after the usual 17 s, at 18 s, the job would have ended 42 s earlier */
	assert_int_equal(flow_.n_without, 1);
	assert_string_equal(states.nodes.at[flow_.without[0].node], "a");
	assert_int_equal(flow_.without[0].repeated, 1);
	assert_true(fabs(flow_.without[0].s - 58) < 1e-9);
}

static void add_task(const char *id, const char *stage, const char *node, double from, double to)
{
	add(STATE_TASK, id, node, from, to)->cls = name(&states.classes, stage);
}

static void stages(void **arg)
{
	(void)arg;
	states.wait = calloc(4, sizeof(*states.wait));
	states.wait[0] = (struct state_wait){0, 3, 1};
	states.wait[1] = (struct state_wait){0, 3, 2};
	states.wait[2] = (struct state_wait){0, 1, 3}; /* in circles: not heeded */
	states.wait[3] = (struct state_wait){0, 3, 7}; /* without tasks */
	states.n_wait = 4;
	add_task("t0", "stage 1.0 NODE_LOCAL", "a", 1, 10);
	add_task("t1", "stage 1.0 ANY", "b", 1, 30);
	add_task("t2", "stage 2.0 ANY", "a", 12, 20);
	add_task("t3", "stage 3.0 ANY", "a", 31, 60);
	add(STATE_FETCH_WAIT, "t3", "a", 50, 60);
	add(STATE_SHUFFLE_WRITE, "t3", "a", 56, 60);
	add_task("t4", "stage 3.1 ANY", "b", 31, 50);
	make();
	adds_up();
	assert_true(flow_.spark);
	assert_int_equal(flow_.n_vertices, 5 + 2);
	assert_int_equal(flow_.n_edges, 3 + 4);
	assert_true(flow_.paths == 6);
	is_segment(1, 1, 30, FLOW_WHY_WORK, "t1");
	is_segment(2, 30, 31, FLOW_WHY_STAGE, NULL);
	/* it waited first and wrote last, whenever their states are dated */
	is_segment(3, 31, 41, FLOW_WHY_WORK, "t3");
	is_segment(4, 41, 56, FLOW_WHY_WORK, "t3");
	is_segment(5, 56, 60, FLOW_WHY_WORK, "t3");
	assert_int_equal(states.at[flow_.path[3].state].kind, STATE_FETCH_WAIT);
	assert_int_equal(states.at[flow_.path[4].state].kind, STATE_TASK);
	assert_int_equal(states.at[flow_.path[5].state].kind, STATE_SHUFFLE_WRITE);
}

/* Four servers with a slot each; one takes three times as long for each map. */
static void without_one(void **arg)
{
	static const char *const nodes[] = {"a", "b", "c", "d"};
	double free_s[4] = {0};
	char id[32];

	(void)arg;
	for (int i = 0; i < 40; i++) {
		size_t n = 0;

		for (size_t k = 1; k < 4; k++)
			n = free_s[k] < free_s[n] ? k : n;
		snprintf(id, sizeof(id), "m%d", i);
		add(STATE_MAP, id, nodes[n], free_s[n], free_s[n] + (n ? 4 : 12));
		free_s[n] += n ? 4 : 12;
	}
	make();
	adds_up();
	assert_int_equal(flow_.n_without, 1);
	assert_string_equal(states.nodes.at[flow_.without[0].node], "a");
	assert_true(fabs(flow_.without[0].ratio - 3) < 1e-9);
	/* 48 s with it; 40 maps of 4 s on four slots are 40 s; the job ends at 100 s */
	assert_true(fabs(flow_.without[0].s - (100 - 8)) < 1e-9);
}

static void cannot(void **arg)
{
	size_t n;

	(void)arg;
	add(STATE_READ, "blk_1", "a", 1, 2);
	assert_int_equal(job_flow_make(&flow_, &states, 0), -ENODATA);
	assert_int_equal(job_flow_longest(&states, &n), STATE_NONE);
	assert_int_equal(n, 0);
	job_flow_release(&flow_);
	/* a job whose own times are of another zone: those of its states stand */
	states.job[0].submit_ns = T0 + 7 * INT64_C(3600000000000);
	states.job[0].finish_ns = states.job[0].submit_ns + 1;
	add(STATE_MAP, "m0", "a", 1, 2);
	make();
	adds_up();
	assert_true(flow_.missing & FLOW_APART);
	assert_int_equal(job_flow_longest(&states, &n), 0);
	assert_int_equal(n, 1);
}

/* One map of 400 took 1.6 times as long. Five kinds of reduces make the groups: it is odd in each, and named once. */
static void outliers(void **arg)
{
	double sum = 0;
	struct rng rng;
	char id[32];

	(void)arg;
	rng_seed(&rng, 3);
	for (int i = 0; i < 400; i++) {
		snprintf(id, sizeof(id), "m%d", i);
		add(STATE_MAP, id, i % 2 ? "a" : "b", 0,
		    i == 7 ? 3.7 : 2 + 0.6 * rng_uniform(&rng));
	}
	for (int i = 0; i < 10; i++) {
		double long_s = pow(2, i / 2);

		snprintf(id, sizeof(id), "r%d", i);
		add_reduce(id, "a", 0, 22 + long_s, 22 + 2 * long_s, 22 + 4 * long_s);
		for (size_t k = states.n - 4; k < states.n; k++)
			states.at[k].bytes = (int64_t)1 << (10 + 4 * (i / 2));
	}
	make();
	adds_up();
	assert_true(flow_.paths == 4000);
	assert_true(flow_.pairs == 4000);
	assert_int_equal(flow_.sampled, 4000);
	assert_int_equal(flow_.n_clusters, FLOW_CLUSTERS);
	for (size_t i = 0; i < FLOW_CLUSTERS; i++)
		sum += flow_.clusters[i].paths;
	assert_true(fabs(sum - flow_.paths) < 1e-6);
	assert_int_equal(flow_.n_outliers, 1);
	assert_string_equal(states.ids.at[states.at[flow_.tasks[flow_.outliers[0].map].state].id],
			    "m7");
	assert_int_equal(flow_.outliers[0].reduce, STATE_NONE);
	assert_int_equal(flow_.outliers[0].value, FLOW_MAP);
	assert_true(flow_.outliers[0].is / flow_.outliers[0].usual > 1.5);
}

/* Jobs at random: the segments add up, and nothing is read that is not there (with sanitizers). */
static void random_jobs(void **arg)
{
	struct rng rng;

	rng_seed(&rng, 17);
	for (int job = 0; job < 300; job++) {
		start(arg);
		for (size_t i = 1 + rng_below(&rng, 40); i; i--) {
			static const enum state_kind kinds[] = {
				STATE_MAP,  STATE_MAP,	   STATE_REDUCE,      STATE_SETUP,
				STATE_READ, STATE_SHUFFLE, STATE_WRITE,	      STATE_CLEANUP,
				STATE_TASK, STATE_REDUCER, STATE_SHUFFLE_WAIT};
			char id[32], node[2] = {(char)('a' + rng_below(&rng, 4)), 0}, item[32];
			double from = (double)rng_below(&rng, 120) - 5;
			struct state *x;

			snprintf(id, sizeof(id), "attempt_%u_%u", (unsigned int)rng_below(&rng, 20),
				 (unsigned int)rng_below(&rng, 3));
			snprintf(item, sizeof(item), "attempt_%u_0",
				 (unsigned int)rng_below(&rng, 20));
			x = add(kinds[rng_below(&rng, job % 2 ? 11 : 8)], id, node, from,
				from + (double)rng_below(&rng, 20));
			x->outcome =
				(uint8_t)(rng_below(&rng, 4) ? OUTCOME_OK : rng_below(&rng, 4));
			x->lost = !rng_below(&rng, 8);
			x->in = rng_below(&rng, 4) ? name(&states.items, item) : STATE_NONE;
			x->out = rng_below(&rng, 4) ? name(&states.items, item) : STATE_NONE;
			x->cls = name(&states.classes,
				      rng_below(&rng, 2) ? "stage 1.0" : "stage 2.0 X");
			x->job = rng_below(&rng, 8) ? 0 : STATE_NONE;
		}
		qsort(states.at, states.n, sizeof(*states.at), by_start);
		states.job[0].finish_ns = rng_below(&rng, 2) ? states.job[0].finish_ns : 0;
		if (!job_flow_make(&flow_, &states, 0))
			adds_up();
		job_flow_release(&flow_);
		if (!job_flow_make_path(&flow_, &states, 0))
			adds_up();
		end(arg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(history_alone, start, end),
		cmocka_unit_test_setup_teardown(what_runs, start, end),
		cmocka_unit_test_setup_teardown(the_last_map_and_a_reduce_that_runs, start, end),
		cmocka_unit_test_setup_teardown(what_was_left_behind, start, end),
		cmocka_unit_test_setup_teardown(a_circle, start, end),
		cmocka_unit_test_setup_teardown(all_logs, start, end),
		cmocka_unit_test_setup_teardown(guesses, start, end),
		cmocka_unit_test_setup_teardown(retries, start, end),
		cmocka_unit_test_setup_teardown(stages, start, end),
		cmocka_unit_test_setup_teardown(without_one, start, end),
		cmocka_unit_test_setup_teardown(cannot, start, end),
		cmocka_unit_test_setup_teardown(outliers, start, end),
		cmocka_unit_test(random_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
