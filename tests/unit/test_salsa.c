// SPDX-License-Identifier: BSD-2-Clause
/* Method salsa on states that are made here: who is compared, which alarms indict, what is said. That its numbers
 * are right is tests/numeric/salsa_reference.py's. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/methods/salsa.h"
#include "analyzer/methods/method_states.h"
#include "analyzer/methods/salsa.h"
#include "analyzer/stat/rng.h"
#include "analyzer/verdict/status.h"
#include "userspace/common/clock.h"

enum { NODES = 5 };

struct box {
	struct states s;
	struct salsa_opts o;
	struct salsa r;
	struct state_nodes nodes;
	struct verdict v;
	struct rng rng;
};

static void node_names(struct box *b)
{
	/* not in order of name: the verdict's rows are */
	for (size_t i = 0; i < NODES; i++)
		names_add(&b->s.nodes, (const char *[]){"s3", "s1", "s5", "s2", "s4"}[i]);
}

static void set_up(struct box *b)
{
	*b = (struct box){.o = {.threshold = SALSA_THRESHOLD, .min = 5, .to_ns = INT64_MAX}};
	rng_seed(&b->rng, 7);
	node_names(b);
}

static struct state *put(struct box *b, enum state_kind kind, size_t node, double start,
			 double seconds)
{
	b->s.at = realloc(b->s.at, (b->s.n + 1) * sizeof(*b->s.at));
	assert_non_null(b->s.at);
	b->s.at[b->s.n] = (struct state){.start_ns = (int64_t)(start * 1e9),
					 .end_ns = (int64_t)((start + seconds) * 1e9),
					 .node = (uint32_t)node,
					 .kind = (uint8_t)kind};
	return &b->s.at[b->s.n++];
}

/* n states one after the other on each node, from `start`; those of node `slow` take so many times as long. */
static void work(struct box *b, enum state_kind kind, size_t n, double start, size_t slow,
		 double times)
{
	for (size_t node = 0; node < NODES; node++) {
		double t = start;

		for (size_t i = 0; i < n; i++) {
			double seconds = 8 + rng_normal(&b->rng);

			seconds *= node == slow ? times : 1;
			put(b, kind, node, t, seconds);
			t += seconds;
		}
	}
}

static void judge(struct box *b, const char *peers)
{
	assert_int_equal(state_nodes_list(&b->nodes, &b->v, &b->s, peers), 0);
	assert_int_equal(salsa_judge(&b->r, &b->s, b->nodes.group, &b->o), 0);
	assert_int_equal(salsa_tell(&b->v, &b->r, &b->nodes, &b->o), 0);
}

static void clean(struct box *b)
{
	verdict_release(&b->v);
	state_nodes_release(&b->nodes);
	salsa_release(&b->r);
}

static void tear_down(struct box *b)
{
	clean(b);
	states_release(&b->s);
}

static const char *indicted(const struct box *b, size_t i)
{
	return i < b->v.n_incidents ? verdict_node(&b->v, b->v.incidents[i].node) : "";
}

static void the_slow_node_is_named_with_its_state(void **arg)
{
	struct text line TEXT_SCOPED = {0};
	struct box b;

	(void)arg;
	set_up(&b);
	work(&b, STATE_MAP, 12, 1e9, 2, 2.5);
	work(&b, STATE_REDUCER, 12, 1e9 + 500, NODES, 1);
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 1);
	assert_string_equal(verdict_headline(&line, &b.v, 0), "s5 limps: slow: map duration");
	assert_int_equal(b.v.incidents[0].n_findings, 1);
	assert_true(b.v.incidents[0].findings[0].ratio > 2.2 &&
		    b.v.incidents[0].findings[0].ratio < 2.8);
	assert_int_equal(b.v.incidents[0].findings[0].n_peers, 4);
	assert_true(b.v.incidents[0].findings[0].z > 1);
	for (size_t i = 0; i < NODES; i++)
		assert_true(b.v.judged[i]);
	assert_int_equal(b.v.n_unjudged, 0);
	tear_down(&b);
}

static void like_nodes_are_well(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	work(&b, STATE_MAP, 30, 1e9, NODES, 1);
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 0);
	assert_string_equal(verdict_word(&b.v), "clean");
	tear_down(&b);
}

/* As the papers have it: whoever differs, differs. */
static void a_quicker_node_differs_too(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	work(&b, STATE_MAP, 12, 1e9, 0, 0.4);
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 1);
	assert_string_equal(indicted(&b, 0), "s3");
	assert_true(b.v.incidents[0].findings[0].ratio < 0.5);
	tear_down(&b);
}

/* Work that has no duration, and nodes that are no peers, count for nothing. */
static void what_does_not_count(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	work(&b, STATE_MAP, 12, 1e9, 2, 2.5);
	for (size_t i = 0; i < b.s.n; i++)
		if (b.s.at[i].node == 2)
			b.s.at[i].outcome = i % 2 ? OUTCOME_FAILED : OUTCOME_KILLED;
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 0);
	assert_int_equal(b.v.n_unjudged, 1);
	assert_int_equal(b.v.unjudged[0].why, UNJUDGED_NO_VALUE);
	assert_string_equal(verdict_node(&b.v, b.v.unjudged[0].node), "s5");
	assert_string_equal(verdict_word(&b.v), "partly-judged");
	clean(&b);
	for (size_t i = 0; i < b.s.n; i++)
		b.s.at[i].outcome = OUTCOME_OK;
	b.s.no_peer = calloc(NODES, sizeof(bool));
	assert_non_null(b.s.no_peer);
	b.s.no_peer[2] = true;
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 0);
	assert_int_equal(b.v.n_nodes, NODES - 1);
	assert_string_equal(verdict_word(&b.v), "clean");
	tear_down(&b);
}

static void few_instances_and_few_nodes_are_not_judged(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	work(&b, STATE_MAP, 4, 1e9, 2, 3);
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 0);
	assert_int_equal(b.v.cannot.why, CANNOT_UNJUDGED);
	assert_int_equal(b.v.n_unjudged, NODES);
	assert_int_equal(b.v.unjudged[0].why, UNJUDGED_FEW_VALUES);
	assert_int_equal(b.v.unjudged[0].n, 4);
	assert_int_equal(b.v.unjudged[0].needed, 5);
	clean(&b);
	b.o.min = 2;
	judge(&b, NULL);
	assert_string_equal(indicted(&b, 0), "s5");
	clean(&b);
	for (size_t i = 0; i < b.s.n; i++)
		b.s.at[i].outcome = b.s.at[i].node < 2 ? OUTCOME_OK : OUTCOME_FAILED;
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 0);
	assert_int_equal(b.v.cannot.why, CANNOT_UNJUDGED);
	assert_int_equal(b.v.unjudged[0].why, UNJUDGED_FEW_SERVERS);
	tear_down(&b);
	set_up(&b);
	judge(&b, NULL);
	assert_int_equal(b.v.cannot.why, CANNOT_NO_STATE);
	tear_down(&b);
}

/* A fault of one window of ten is not seen in all of the data, and is in windows. */
static void windows_are_judged_each(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	for (size_t i = 0; i < 10; i++)
		work(&b, STATE_MAP, 18, 1e9 + 300 * (double)i, 3, i == 6 ? 1.8 : 1);
	b.o.window_s = 300;
	judge(&b, NULL);
	assert_string_equal(indicted(&b, 0), "s2");
	assert_int_equal(b.v.n_incidents, 1);
	assert_int_equal(b.v.incidents[0].findings[0].flagged, 1);
	assert_int_equal(b.v.incidents[0].findings[0].judged, 10);
	assert_true(b.v.incidents[0].onset_ns == b.v.from_ns + 1800 * NS_PER_S);
	assert_false(b.v.incidents[0].open);
	clean(&b);
	b.o.window_s = 0;
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 0);
	tear_down(&b);
}

/* Alarms last as long as the distributions; 20 seconds of them, in which a job runs, indict. */
static void twenty_alarms_in_a_row_indict(void **arg)
{
	struct box b;

	(void)arg;
	for (int seconds = 17; seconds <= 18; seconds++) {
		set_up(&b);
		b.o.online = true;
		b.o.min = 2;
		for (size_t node = 0; node < NODES; node++)
			for (int i = 0; i < 3; i++)
				put(&b, STATE_MAP, node, 1e9,
				    node == 1 ? 30 + i * 0.1 : 10 + i * 0.1);
		/* the last map of the slow one ends at 30.2; something runs on up to this second */
		put(&b, STATE_SETUP, 0, 1e9, 30 + seconds + 0.5);
		/* a lull, in which no alarm is raised, and one second more */
		put(&b, STATE_SETUP, 0, 1e9 + 5000, 0.01);
		judge(&b, NULL);
		assert_int_equal(b.v.n_incidents, seconds == 18);
		if (seconds == 18) {
			assert_string_equal(indicted(&b, 0), "s1");
			assert_true(b.v.incidents[0].onset_ns == (int64_t)(1e9 + 30) * NS_PER_S);
			assert_true(b.v.incidents[0].decided_ns ==
				    (int64_t)(1e9 + 5001) * NS_PER_S);
			assert_true(b.v.incidents[0].open);
		}
		tear_down(&b);
	}
}

/* What was slow long ago has decayed. */
static void a_fault_that_is_over_is_over(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	b.o.online = true;
	work(&b, STATE_MAP, 12, 1e9, 4, 3);
	work(&b, STATE_MAP, 200, 1e9 + 400, NODES, 1);
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 1);
	assert_string_equal(indicted(&b, 0), "s4");
	assert_false(b.v.incidents[0].open);
	assert_true(b.v.incidents[0].last_ns < (int64_t)(1e9 + 1500) * NS_PER_S);
	tear_down(&b);
}

/* One distance a node: of the pool, which the slow node is part of. */
static void distances_from_the_pool(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	b.o.pooled = true;
	work(&b, STATE_MAP, 12, 1e9, 2, 3);
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 1);
	assert_string_equal(indicted(&b, 0), "s5");
	tear_down(&b);
}

/* Each group by itself: three that are all slow are alike. */
static void groups_are_compared_each_by_itself(void **arg)
{
	char path[] = "/tmp/limpet-salsa-XXXXXX";
	int fd = mkstemp(path);
	struct box b;
	FILE *f;

	(void)arg;
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	fputs("s1 s3 s5\n", f);
	assert_int_equal(fclose(f), 0);
	set_up(&b);
	work(&b, STATE_MAP, 12, 1e9, NODES, 1);
	for (size_t i = 0; i < b.s.n; i++)
		if (b.s.at[i].node < 3)
			b.s.at[i].end_ns += 30 * NS_PER_S;
	judge(&b, path);
	assert_int_equal(b.v.n_incidents, 0);
	assert_int_equal(verdict_judged(&b.v), 3);
	assert_int_equal(b.v.n_unjudged, 2);
	assert_int_equal(b.v.unjudged[0].why, UNJUDGED_NO_GROUP);
	clean(&b);
	b.o.min = 5;
	judge(&b, NULL); /* two of five are no minority of three to them: s2 and s4 */
	assert_int_equal(b.v.n_incidents, 2);
	tear_down(&b);
	assert_int_equal(unlink(path), 0);
}

static void looks_and_times(void **arg)
{
	struct box b;

	(void)arg;
	set_up(&b);
	b.o.explain = true;
	work(&b, STATE_MAP, 12, 1e9, 2, 3);
	work(&b, STATE_MAP, 12, 1e9 + 1000, NODES, 1);
	b.o.from_ns = (int64_t)(1e9 + 1000) * NS_PER_S;
	judge(&b, NULL);
	assert_int_equal(b.v.n_incidents, 0);
	assert_int_equal(b.v.n_looks, NODES);
	for (size_t i = 0; i < b.v.n_looks; i++) {
		assert_true(b.v.looks[i].z >= 0 && b.v.looks[i].z < SALSA_THRESHOLD);
		assert_true(b.v.looks[i].from_ns >= b.o.from_ns);
	}
	clean(&b);
	b.o.from_ns = 0;
	b.o.to_ns = (int64_t)(1e9 + 1000) * NS_PER_S;
	judge(&b, NULL);
	assert_string_equal(indicted(&b, 0), "s5");
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slow_node_is_named_with_its_state),
		cmocka_unit_test(like_nodes_are_well),
		cmocka_unit_test(a_quicker_node_differs_too),
		cmocka_unit_test(what_does_not_count),
		cmocka_unit_test(few_instances_and_few_nodes_are_not_judged),
		cmocka_unit_test(windows_are_judged_each),
		cmocka_unit_test(twenty_alarms_in_a_row_indict),
		cmocka_unit_test(a_fault_that_is_over_is_over),
		cmocka_unit_test(distances_from_the_pool),
		cmocka_unit_test(groups_are_compared_each_by_itself),
		cmocka_unit_test(looks_and_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
