// SPDX-License-Identifier: BSD-2-Clause
/* method.h: both methods on synthetic frames with a known fault, with missing and constant data. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/methods/passes.h"
#include "analyzer/methods/conclude.h"
#include "analyzer/verdict/sentences.h"
#include "analyzer/methods/learn/windows.h"

static double normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)rand() / RAND_MAX;
	return sum - 6;
}

/* What kl and cwnd look at, all of it held. */
static const enum metric_id looked_at[] = {M_RKB_S,   M_WKB_S,	M_AWAIT,  M_R_AWAIT,
					   M_W_AWAIT, M_RXKB_S, M_TXKB_S, M_CWND_LN};
enum { LOOKED_AT = sizeof(looked_at) / sizeof(*looked_at) };

static void frame_make(struct frame *f, size_t n_nodes, size_t n_times)
{
	*f = (struct frame){.n_nodes = n_nodes,
			    .n_times = n_times,
			    .n_metrics = LOOKED_AT,
			    .interval_ms = 1000};
	f->nodes = calloc(n_nodes, sizeof(*f->nodes));
	f->row = calloc(n_nodes, sizeof(*f->row));
	f->n_seen = calloc(n_nodes, sizeof(*f->n_seen));
	f->metrics = calloc(LOOKED_AT, sizeof(*f->metrics));
	f->cells = calloc(1, sizeof(*f->cells));
	f->cells->whole = true;
	f->cells->held = f->cells->stride = n_times;
	f->cells->v = calloc(LOOKED_AT, sizeof(*f->cells->v));
	f->cells->there = malloc(n_nodes * n_times);
	memset(f->cells->there, 1, n_nodes * n_times);
	for (size_t i = 0; i < n_nodes; i++) {
		snprintf(f->nodes[i], HOST_LEN, "n%03zu", i);
		f->row[i] = i;
	}
	for (size_t m = 0; m < LOOKED_AT; m++) {
		frame_name(&f->metrics[m], metrics[looked_at[m]].name);
		f->cells->v[m] = calloc(n_nodes * n_times, sizeof(double));
		for (size_t i = 0; i < n_nodes * n_times; i++)
			f->cells->v[m][i] = NAN;
	}
}

static size_t number(enum metric_id m)
{
	size_t i = 0;

	while (looked_at[i] != m)
		i++;
	return i;
}

static double *cell(struct frame *f, enum metric_id m, size_t node, size_t t)
{
	return &f->cells->v[number(m)][node * f->n_times + t];
}

/* await and cwnd of all nodes; `bad` (or none) has them multiplied. */
static void fill(struct frame *f, size_t bad, double await, double cwnd)
{
	for (size_t i = 0; i < f->n_nodes; i++)
		for (size_t t = 0; t < f->n_times; t++) {
			*cell(f, M_AWAIT, i, t) = (20 + 3 * normal()) * (i == bad ? await : 1);
			*cell(f, M_CWND_LN, i, t) = (3.5 + 0.2 * normal()) * (i == bad ? cwnd : 1);
			*cell(f, M_RXKB_S, i, t) = 0;	 /* all zero */
			*cell(f, M_WKB_S, i, t) = 40000; /* constant */
		}
}

/* FAST'10, as one group or two. */
static void train_groups(struct frame *f, const int32_t *group, struct model *m)
{
	struct params p = PARAMS_DEFAULT;
	const struct method *chosen[METHODS_MAX + 1];
	struct passes_seen seen;
	struct peers peers;

	assert_int_equal(methods_parse(NULL, chosen), 0);
	assert_int_equal(peers_of(&peers, f, group), 0);
	assert_int_equal(model_init(m, f, group, &p), 0);
	assert_int_equal(passes_train(f, &peers, chosen, m, &seen), 0);
	m->n_windows = seen.windows;
	peers_release(&peers);
}

static void train(struct frame *f, struct model *m)
{
	train_groups(f, NULL, m);
}

static void judge_groups(struct frame *f, const int32_t *group, const struct model *m,
			 struct judgement *j)
{
	const struct method *chosen[METHODS_MAX + 1];
	struct passes_seen seen;
	struct peers peers;
	size_t *index;

	assert_int_equal(methods_parse(NULL, chosen), 0);
	assert_int_equal(peers_of(&peers, f, group), 0);
	assert_int_equal(model_fit(m, f, true, &index), 0);
	judgement_init(j, f);
	j->votes = m->params.votes;
	assert_int_equal(passes_judge(f, &peers, chosen, m, index, j, &seen), 0);
	j->n_useful = seen.windows;
	free(index);
	peers_release(&peers);
}

static void judge(struct frame *f, const struct model *m, struct judgement *j)
{
	judge_groups(f, NULL, m, j);
}

static const struct coverage *coverage(const struct judgement *j, enum metric_id metric)
{
	for (size_t i = 0; i < j->n_coverage; i++)
		if (j->coverage[i].metric == number(metric))
			return &j->coverage[i];
	return NULL;
}

/* Trains on a clean frame, judges one with a fault. */
static void judge_fault(double await, double cwnd, bool two_sided, struct judgement *j)
{
	struct frame clean, faulty;
	struct model m;

	srand(5);
	frame_make(&clean, 7, 1200);
	frame_make(&faulty, 7, 320);
	fill(&clean, SIZE_MAX, 1, 1);
	fill(&faulty, 4, await, cwnd);
	train(&clean, &m);
	*j = (struct judgement){.two_sided = two_sided};
	judge(&faulty, &m, j);
	model_release(&m);
	frame_release(&clean);
	frame_release(&faulty);
}

static void slow_disk_is_indicted_for_await(void **state)
{
	struct judgement j;

	(void)state;
	judge_fault(2, 1, false, &j);
	assert_int_equal(j.n_indictments, 1);
	assert_int_equal(j.indictments[0].about.node, 4);
	assert_int_equal(j.indictments[0].metric, number(M_AWAIT));
	assert_int_equal(j.indictments[0].about.decided_ns, 128000000000);
	assert_int_equal(j.indictments[0].about.flagged, 9);
	assert_int_equal(j.indictments[0].about.judged, 9);
	assert_int_equal(j.indictments[0].about.onset_ns, 0);
	assert_int_equal(j.indictments[0].about.last_ns, 320000000000);
	assert_true(fabs(j.indictments[0].about.value - 40) < 1);
	assert_true(fabs(j.indictments[0].about.peers - 20) < 1);
	assert_true(j.indictments[0].about.score > 1);
	judgement_release(&j);
}

static void faster_disk_is_indicted_only_two_sided(void **state)
{
	struct judgement j;

	(void)state;
	judge_fault(0.5, 1, false, &j);
	assert_int_equal(j.n_indictments, 0);
	judgement_release(&j);
	judge_fault(0.5, 1, true, &j);
	assert_int_equal(j.n_indictments, 1);
	assert_int_equal(j.indictments[0].about.node, 4);
	judgement_release(&j);
}

static void small_window_is_indicted_for_congestion(void **state)
{
	struct judgement j;

	(void)state;
	judge_fault(1, 0.7, false, &j);
	assert_int_equal(j.n_indictments, 1);
	assert_int_equal(j.indictments[0].about.node, 4);
	assert_int_equal(j.indictments[0].metric, number(M_CWND_LN));
	assert_true(fabs(j.indictments[0].about.value - 0.7 * 3.5) < 0.1);
	judgement_release(&j);
	judge_fault(1, 1.5, false, &j); /* a larger window is no fault */
	assert_int_equal(j.n_indictments, 0);
	judgement_release(&j);
}

static void constant_metrics_are_alike_and_missing_ones_abstain(void **state)
{
	struct judgement j;

	(void)state;
	judge_fault(1, 1, false, &j);
	assert_int_equal(j.n_indictments, 0);
	assert_int_equal(coverage(&j, M_WKB_S)->judged, 7);
	assert_int_equal(coverage(&j, M_RXKB_S)->judged, 7);
	assert_int_equal(coverage(&j, M_WKB_S)->alike, coverage(&j, M_WKB_S)->windows);
	assert_int_equal(coverage(&j, M_AWAIT)->alike, 0);
	assert_int_equal(coverage(&j, M_R_AWAIT)->judged, 0);
	assert_int_equal(j.n_blind, 0);
	judgement_release(&j);
}

/* What training saw, it does not call odd: the threshold is strict. */
static void training_data_have_no_anomaly(void **state)
{
	struct frame f;
	struct model m;
	struct judgement j = {.two_sided = true, .explain = true};

	(void)state;
	srand(6);
	frame_make(&f, 6, 700);
	fill(&f, 2, 1.3, 0.9);
	train(&f, &m);
	judge(&f, &m, &j);
	for (size_t i = 0; i < j.n_explained; i++)
		assert_int_not_equal(j.explained[i].verdict, VOTE_ODD);
	assert_int_equal(j.n_indictments, 0);
	judgement_release(&j);
	model_release(&m);
	frame_release(&f);
}

static void node_with_half_a_window_missing_abstains(void **state)
{
	struct frame f;
	struct model m;
	struct judgement j = {.explain = true};
	size_t unjudged = 0;

	(void)state;
	srand(7);
	frame_make(&f, 5, 64);
	fill(&f, SIZE_MAX, 1, 1);
	train(&f, &m);
	for (size_t t = 27; t < 64; t++) /* smoothing keeps four more: 31 of 64 are left */
		*cell(&f, M_AWAIT, 3, t) = NAN;
	judge(&f, &m, &j);
	for (size_t i = 0; i < j.n_explained; i++)
		if (j.explained[i].metric == number(M_AWAIT) &&
		    j.explained[i].verdict == VOTE_ABSTAIN) {
			assert_int_equal(j.explained[i].node, 3);
			unjudged++;
		}
	assert_int_equal(unjudged, 1);
	judgement_release(&j);
	model_release(&m);
	frame_release(&f);
}

static void low_median_says_nothing_about_congestion(void **state)
{
	struct frame f;
	struct model m;
	struct judgement j = {0};

	(void)state;
	frame_make(&f, 5, 320);
	for (size_t i = 0; i < 5; i++)
		for (size_t t = 0; t < f.n_times; t++)
			*cell(&f, M_CWND_LN, i, t) = i == 1 ? 0.1 : 0.69; /* ln 2 is 0.693 */
	train(&f, &m);
	assert_true(isnan(model_find(&m, "cwnd", "cwnd-ln")->value[0]));
	judge(&f, &m, &j);
	assert_int_equal(coverage(&j, M_CWND_LN)->judged, 0);
	assert_false(judgement_made(&j));
	judgement_release(&j);
	model_release(&m);
	frame_release(&f);
}

static void slack_widens_what_is_allowed(void **state)
{
	struct frame clean, faulty;
	struct model m;
	struct judgement j = {0};

	(void)state;
	srand(8);
	frame_make(&clean, 7, 640);
	frame_make(&faulty, 7, 320);
	fill(&clean, SIZE_MAX, 1, 1);
	fill(&faulty, 4, 2, 0.7);
	train(&clean, &m);
	m.params.slack = 100;
	judge(&faulty, &m, &j);
	assert_int_equal(j.n_indictments, 0);
	assert_true(j.n_blind > 0); /* and says that it cannot see any more */
	judgement_release(&j);
	model_release(&m);
	frame_release(&clean);
	frame_release(&faulty);
}

static void make_verdict(struct verdict *v, const struct frame *f, const struct model *m,
			 struct judgement *j)
{
	const struct method *const none[] = {NULL};

	assert_int_equal(conclude(v,
				  &(struct conclusion){
					  .frame = f, .model = m, .judgement = j, .methods = none}),
			 0);
}

/* Row i is of this server, this metric (NULL: all) and reason. */
static void not_judged(const struct verdict *v, size_t i, const char *node, const char *metric,
		       const char *why)
{
	const struct unjudged *u = &v->unjudged[i];
	struct text said TEXT_SCOPED = {0};

	assert_string_equal(verdict_node(v, u->node), node);
	assert_string_equal(sentence_unjudged(&said, u), why);
	if (metric)
		assert_string_equal(verdict_signal(v, u->signal)->word, metric);
	else
		assert_true(u->signal == SIGNAL_ALL);
}

/* Node 1 has no data, node 2 no await, node 5 is left out: none of them passes for healthy. */
static void who_was_not_judged_is_listed(void **state)
{
	struct frame clean, f;
	struct model m;
	struct judgement j = {0};
	struct verdict v;

	(void)state;
	srand(9);
	frame_make(&clean, 6, 640);
	frame_make(&f, 5, 320);
	fill(&clean, SIZE_MAX, 1, 1);
	fill(&f, SIZE_MAX, 1, 1);
	memset(f.cells->there + f.n_times, 0, f.n_times);
	for (size_t t = 0; t < f.n_times; t++) {
		for (size_t metric = 0; metric < LOOKED_AT; metric++)
			*cell(&f, looked_at[metric], 1, t) = NAN;
		*cell(&f, M_AWAIT, 2, t) = NAN;
	}
	train(&clean, &m);
	judge(&f, &m, &j);
	make_verdict(&v, &f, &m, &j);
	assert_int_equal(v.cannot.why, CANNOT_NOT);
	assert_int_equal(verdict_judged(&v), 4);
	assert_int_equal(v.n_nodes, 6);
	assert_int_equal(v.n_unjudged, 3);
	not_judged(&v, 0, "n001", NULL, "no data");
	not_judged(&v, 1, "n002", "await", "too little data in this time");
	not_judged(&v, 2, "n005", NULL, "in the model but not in the data");
	assert_true(!v.judged[1] && v.judged[2] && !v.judged[5]);
	verdict_release(&v);
	judgement_release(&j);
	model_release(&m);
	frame_release(&clean);
	frame_release(&f);
}

static double fact(const struct verdict *v, const char *name)
{
	for (size_t i = 0; i < v->n_facts; i++)
		if (!strcmp(v->facts[i].name, name))
			return v->facts[i].number;
	return NAN;
}

static void indicted_are_ranked_with_their_cause(void **state)
{
	struct frame f;
	struct model m = {.n_windows = 30};
	struct verdict v;
	struct indictment found[] = {{.about.node = 0,
				      .metric = number(M_TXKB_S),
				      .method = "kl",
				      .about.score = 1.5,
				      .about.onset_ns = 7},
				     {.about.node = 2,
				      .metric = number(M_AWAIT),
				      .method = "kl",
				      .about.score = 2,
				      .about.onset_ns = 9,
				      .about.open = true},
				     {.about.node = 2,
				      .metric = number(M_TXKB_S),
				      .method = "kl",
				      .about.score = 3,
				      .about.onset_ns = 5},
				     {.about.node = 0,
				      .metric = number(M_CWND_LN),
				      .method = "cwnd",
				      .about.score = 1.2,
				      .about.onset_ns = 8}};
	bool voted[] = {true, true, true};
	struct text line TEXT_SCOPED = {0};
	struct coverage row = {
		.metric = number(M_AWAIT), .method = "kl", .judged = 3, .voted = voted};
	struct judgement j = {.indictments = found,
			      .n_indictments = 4,
			      .n_useful = 10,
			      .coverage = &row,
			      .n_coverage = 1};

	(void)state;
	frame_make(&f, 3, 1);
	make_verdict(&v, &f, &m, &j);
	assert_int_equal(v.n_incidents, 2);
	assert_int_equal(v.incidents[0].node, 2);
	assert_int_equal(v.incidents[0].cause, CAUSE_DISK_BUSY);
	assert_int_equal(v.incidents[0].onset_ns, 5);
	assert_true(v.incidents[0].open && !v.incidents[0].findings[0].open);
	assert_string_equal(verdict_headline(&line, &v, 0), "n002 limps: disk-busy");
	assert_int_equal(v.incidents[1].node, 0);
	assert_int_equal(v.incidents[1].cause, CAUSE_PACKET_LOSS);
	assert_int_equal(v.incidents[1].n_findings, 2);
	assert_string_equal(verdict_signal(&v, v.incidents[1].findings[1].signal)->method, "cwnd");
	assert_string_equal(verdict_headline(&line, &v, 1), "n000 limped: packet-loss");
	assert_true(fact(&v, "training_runs") == 3);
	assert_true(fabs(fact(&v, "odd_window_probability") - (1 - 0.75 * 0.75 * 0.75)) < 1e-12);
	verdict_release(&v);
	frame_release(&f);
}

/* Two groups in one frame, each with a slow disk of its own; one group alone would hide the other's:
 * in group 1 all are twice as slow as in group 0, and that is not odd. */
static void groups_are_judged_apart(void **state)
{
	int32_t group[] = {0, 1, 0, 1, 0, 1, 0, 1, -1, 0};
	struct frame clean, f;
	struct model m;
	struct judgement j = {0};

	(void)state;
	srand(10);
	frame_make(&clean, 10, 1200);
	frame_make(&f, 10, 320);
	fill(&clean, SIZE_MAX, 1, 1);
	fill(&f, 2, 2, 1);
	for (size_t i = 0; i < 10; i++)
		for (size_t t = 0; t < 1200; t++) {
			*cell(&clean, M_AWAIT, i, t) *= group[i] == 1 ? 2 : 1;
			if (t < 320)
				*cell(&f, M_AWAIT, i, t) *= group[i] == 1 ? i == 5 ? 4 : 2 : 1;
		}
	train_groups(&clean, group, &m);
	assert_true(isnan(model_find(&m, "kl", "await")->value[8])); /* in no group */
	/* of the group that had most, not of both together */
	assert_int_equal(m.n_windows, windows_count(1200, 64, 32));
	assert_int_equal(model_find(&m, "kl", "await")->windows, m.n_windows);
	assert_int_equal(model_find(&m, "cwnd", "cwnd-ln")->windows, m.n_windows);
	judge_groups(&f, group, &m, &j);
	assert_int_equal(j.n_indictments, 2);
	assert_int_equal(j.indictments[0].about.node, 2);
	assert_int_equal(j.indictments[1].about.node, 5);
	assert_int_equal(coverage(&j, M_AWAIT)->judged, 9);
	assert_false(coverage(&j, M_AWAIT)->voted[8]);
	judgement_release(&j);
	model_release(&m);
	frame_release(&clean);
	frame_release(&f);
}

/* What one group does not tell apart the other may, whichever comes first. */
static void alike_in_one_group_is_not_alike_in_all(void **state)
{
	const struct coverage rows[] = {{.metric = 0, .method = "kl", .windows = 9, .alike = 9},
					{.metric = 0, .method = "kl", .windows = 9, .alike = 2}};
	size_t nodes[2][3] = {{0, 1, 2}, {3, 4, 5}};

	(void)state;
	for (int first = 0; first < 2; first++) {
		struct judgement j = {0};
		struct frame f;

		frame_make(&f, 6, 1);
		judgement_init(&j, &f);
		for (int i = 0; i < 2; i++) {
			struct coverage *row = judgement_add_coverage(&j, &rows[i ^ first]);
			struct frame part;

			assert_non_null(row);
			assert_int_equal(frame_part(&part, &f, nodes[i], 3), 0);
			for (size_t n = 0; n < 3; n++)
				coverage_judged(row, &part, n);
			frame_release(&part);
		}
		assert_int_equal(j.n_coverage, 1);
		assert_int_equal(j.coverage[0].windows, 9);
		assert_int_equal(j.coverage[0].alike, 2);
		assert_int_equal(j.coverage[0].judged, 6);
		judgement_release(&j);
		frame_release(&f);
	}
}

/* ganesha judges hosts that the model does not know; wherever they stand among the others. */
static void unknown_hosts_do_not_hide_known_ones(void **state)
{
	char known[][HOST_LEN] = {"n001", "n002", "n003"};
	int32_t group[] = {0, 0, 0};
	struct model m = {.n_nodes = 3, .nodes = known, .group = group};
	bool voted[] = {true, true, true, true, false};
	struct coverage row = {
		.metric = METRIC_ALL, .method = "ganesha", .judged = 4, .voted = voted};
	struct judgement j = {.coverage = &row, .n_coverage = 1, .n_useful = 10, .n_nodes = 5};
	struct frame f;
	struct verdict v;

	(void)state;
	frame_make(&f, 5, 1); /* n000 … n004 */
	for (size_t i = 0; i < 5; i++)
		f.n_seen[i] = 1;
	make_verdict(&v, &f, &m, &j);
	assert_int_equal(v.n_unjudged, 1);
	not_judged(&v, 0, "n004", NULL, "not in the model, and too little data or no peers");
	assert_int_equal(v.n_nodes, 5);
	verdict_release(&v);
	frame_release(&f);
}

/* However the time is cut into slices, and on however many threads, the numbers are the same. */
static void slices_and_threads_change_nothing(void **state)
{
	struct judgement j[3] = {{.explain = true}, {.explain = true}, {.explain = true}};
	const size_t bytes = passes_slice_bytes;
	struct frame clean, f;
	struct model m[3];

	(void)state;
	srand(11);
	frame_make(&clean, 6, 1500);
	frame_make(&f, 6, 900);
	fill(&clean, SIZE_MAX, 1, 1);
	fill(&f, 3, 1.2, 0.9);
	for (size_t t = 300; t < 430; t++)
		*cell(&f, M_AWAIT, 1, t) = NAN;
	for (int i = 0; i < 3; i++) {
		passes_slice_bytes = i == 1 ? 1 : bytes;
		clean.cells->threads = f.cells->threads = i == 2 ? 3 : 1;
		train(&clean, &m[i]);
		judge(&f, &m[i], &j[i]);
	}
	passes_slice_bytes = bytes;
	for (int i = 1; i < 3; i++) {
		assert_int_equal(m[i].n_windows, m[0].n_windows);
		for (size_t k = 0; k < m[0].n_trained; k++)
			assert_int_equal(m[i].trained[k].windows, m[0].trained[k].windows);
		assert_int_equal(j[i].n_explained, j[0].n_explained);
		assert_int_equal(j[i].n_useful, j[0].n_useful);
		for (size_t k = 0; k < j[0].n_explained; k++) {
			const struct explained *a = &j[0].explained[k], *b = &j[i].explained[k];

			assert_true(a->metric == b->metric && a->node == b->node);
			assert_int_equal(a->verdict, b->verdict);
			assert_true(a->score == b->score || isnan(a->score));
			assert_true(a->threshold == b->threshold || isnan(a->threshold));
		}
	}
	for (int i = 0; i < 3; i++) {
		judgement_release(&j[i]);
		model_release(&m[i]);
	}
	frame_release(&clean);
	frame_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_disk_is_indicted_for_await),
		cmocka_unit_test(faster_disk_is_indicted_only_two_sided),
		cmocka_unit_test(small_window_is_indicted_for_congestion),
		cmocka_unit_test(constant_metrics_are_alike_and_missing_ones_abstain),
		cmocka_unit_test(training_data_have_no_anomaly),
		cmocka_unit_test(node_with_half_a_window_missing_abstains),
		cmocka_unit_test(low_median_says_nothing_about_congestion),
		cmocka_unit_test(slack_widens_what_is_allowed),
		cmocka_unit_test(who_was_not_judged_is_listed),
		cmocka_unit_test(indicted_are_ranked_with_their_cause),
		cmocka_unit_test(groups_are_judged_apart),
		cmocka_unit_test(alike_in_one_group_is_not_alike_in_all),
		cmocka_unit_test(unknown_hosts_do_not_hide_known_ones),
		cmocka_unit_test(slices_and_threads_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
