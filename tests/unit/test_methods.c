// SPDX-License-Identifier: BSD-2-Clause
/* method.h: both methods on synthetic frames with a known fault, with missing and constant data. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/method.h"
#include "../../analyzer/verdict.h"
#include "../../analyzer/windows.h"

static double normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)rand() / RAND_MAX;
	return sum - 6;
}

static void frame_make(struct frame *f, size_t n_nodes, size_t n_times)
{
	*f = (struct frame){.n_nodes = n_nodes, .n_times = n_times, .interval_ms = 1000};
	f->nodes = calloc(n_nodes, sizeof(*f->nodes));
	f->present = calloc(n_times, sizeof(*f->present));
	for (size_t i = 0; i < n_nodes; i++)
		snprintf(f->nodes[i], HOST_LEN, "n%03zu", i);
	for (size_t t = 0; t < n_times; t++)
		f->present[t] = (uint32_t)n_nodes;
	for (int m = 0; m < M_COUNT; m++) {
		f->v[m] = calloc(n_nodes * n_times, sizeof(double));
		for (size_t i = 0; i < n_nodes * n_times; i++)
			f->v[m][i] = NAN;
	}
}

static double *cell(struct frame *f, enum metric_id m, size_t node, size_t t)
{
	return &f->v[m][node * f->n_times + t];
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

static void train(const struct frame *f, struct model *m)
{
	struct params p = PARAMS_DEFAULT;

	assert_int_equal(model_init(m, f, &p), 0);
	m->n_windows = windows_count(f->n_times, p.window, p.shift);
	for (size_t i = 0; methods[i]; i++)
		assert_int_equal(methods[i]->train(f, m), 0);
}

static void judge(const struct frame *f, const struct model *m, struct judgement *j)
{
	size_t *index;

	assert_int_equal(model_fit(m, f, &index), 0);
	j->votes = m->params.votes;
	j->n_windows = windows_count(f->n_times, m->params.window, m->params.shift);
	for (size_t i = 0; methods[i]; i++)
		assert_int_equal(methods[i]->judge(f, m, index, j), 0);
	free(index);
}

static const struct coverage *coverage(const struct judgement *j, enum metric_id metric)
{
	for (size_t i = 0; i < j->n_coverage; i++)
		if (j->coverage[i].metric == metric)
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
	assert_int_equal(j.n_findings, 1);
	assert_int_equal(j.findings[0].node, 4);
	assert_int_equal(j.findings[0].metric, M_AWAIT);
	assert_int_equal(j.findings[0].flagged, 9);
	assert_int_equal(j.findings[0].judged, 9);
	assert_int_equal(j.findings[0].onset_ns, 0);
	assert_int_equal(j.findings[0].last_ns, 320000000000);
	assert_true(fabs(j.findings[0].value - 40) < 1);
	assert_true(fabs(j.findings[0].peers - 20) < 1);
	assert_true(j.findings[0].key > 1);
	judgement_release(&j);
}

static void faster_disk_is_indicted_only_two_sided(void **state)
{
	struct judgement j;

	(void)state;
	judge_fault(0.5, 1, false, &j);
	assert_int_equal(j.n_findings, 0);
	judgement_release(&j);
	judge_fault(0.5, 1, true, &j);
	assert_int_equal(j.n_findings, 1);
	assert_int_equal(j.findings[0].node, 4);
	judgement_release(&j);
}

static void small_window_is_indicted_for_congestion(void **state)
{
	struct judgement j;

	(void)state;
	judge_fault(1, 0.7, false, &j);
	assert_int_equal(j.n_findings, 1);
	assert_int_equal(j.findings[0].node, 4);
	assert_int_equal(j.findings[0].metric, M_CWND_LN);
	assert_true(fabs(j.findings[0].value - 0.7 * 3.5) < 0.1);
	judgement_release(&j);
	judge_fault(1, 1.5, false, &j); /* a larger window is no fault */
	assert_int_equal(j.n_findings, 0);
	judgement_release(&j);
}

static void constant_metrics_are_alike_and_missing_ones_abstain(void **state)
{
	struct judgement j;

	(void)state;
	judge_fault(1, 1, false, &j);
	assert_int_equal(j.n_findings, 0);
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
	assert_int_equal(j.n_findings, 0);
	judgement_release(&j);
	model_release(&m);
	frame_release(&f);
}

static void node_with_half_a_window_missing_abstains(void **state)
{
	struct frame f;
	struct model m;
	struct judgement j = {.explain = true};
	size_t abstained = 0;

	(void)state;
	srand(7);
	frame_make(&f, 5, 64);
	fill(&f, SIZE_MAX, 1, 1);
	train(&f, &m);
	for (size_t t = 27; t < 64; t++) /* smoothing keeps four more: 31 of 64 are left */
		*cell(&f, M_AWAIT, 3, t) = NAN;
	judge(&f, &m, &j);
	for (size_t i = 0; i < j.n_explained; i++)
		if (j.explained[i].metric == M_AWAIT && j.explained[i].verdict == VOTE_ABSTAIN) {
			assert_int_equal(j.explained[i].node, 3);
			abstained++;
		}
	assert_int_equal(abstained, 1);
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
	assert_true(isnan(model_find(&m, "cwnd", M_CWND_LN)->value[0]));
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
	assert_int_equal(j.n_findings, 0);
	assert_true(j.n_blind > 0); /* and says that it cannot see any more */
	judgement_release(&j);
	model_release(&m);
	frame_release(&clean);
	frame_release(&faulty);
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
	for (size_t t = 0; t < f.n_times; t++) {
		for (int metric = 0; metric < M_COUNT; metric++)
			*cell(&f, metric, 1, t) = NAN;
		*cell(&f, M_AWAIT, 2, t) = NAN;
	}
	train(&clean, &m);
	judge(&f, &m, &j);
	assert_int_equal(verdict_make(&v, &f, &m, &j, NULL), 0);
	assert_null(v.cannot);
	assert_true(verdict_incomplete(&v));
	assert_int_equal(v.n_judged, 4);
	assert_int_equal(v.n_unjudged, 3);
	assert_string_equal(v.unjudged[0].node, "n005");
	assert_string_equal(v.unjudged[0].why, "in the model but not in the data");
	assert_string_equal(v.unjudged[1].node, "n001");
	assert_string_equal(v.unjudged[1].why, "no data in this time");
	assert_string_equal(v.unjudged[2].node, "n002");
	assert_string_equal(v.unjudged[2].why, "too little data in this time");
	assert_true(v.unjudged[2].partly && !v.unjudged[1].partly && !v.unjudged[0].partly);
	for (size_t i = 0; i < j.n_coverage; i++)
		assert_int_equal(v.unjudged[2].coverage >> i & 1, j.coverage[i].metric == M_AWAIT);
	verdict_release(&v);
	judgement_release(&j);
	model_release(&m);
	frame_release(&clean);
	frame_release(&f);
}

static void indicted_are_ranked_with_their_cause(void **state)
{
	struct frame f;
	struct model m = {.n_windows = 30};
	struct verdict v;
	struct finding found[] = {{.node = 0, .metric = M_TXKB_S, .key = 1.5, .onset_ns = 7},
				  {.node = 2, .metric = M_AWAIT, .key = 2, .onset_ns = 9},
				  {.node = 2, .metric = M_TXKB_S, .key = 3, .onset_ns = 5},
				  {.node = 0, .metric = M_CWND_LN, .key = 1.2, .onset_ns = 8}};
	bool voted[] = {true, true, true};
	struct coverage row = {.metric = M_AWAIT, .method = "kl", .judged = 3, .voted = voted};
	struct judgement j = {.findings = found,
			      .n_findings = 4,
			      .n_useful = 10,
			      .coverage = &row,
			      .n_coverage = 1};

	(void)state;
	frame_make(&f, 3, 1);
	assert_int_equal(verdict_make(&v, &f, &m, &j, NULL), 0);
	assert_int_equal(v.n_indicted, 2);
	assert_int_equal(v.indicted[0].node, 2);
	assert_string_equal(v.indicted[0].rule->cause, "disk-busy");
	assert_int_equal(v.indicted[0].onset_ns, 5);
	assert_int_equal(v.indicted[1].node, 0);
	assert_string_equal(v.indicted[1].rule->cause, "packet-loss");
	assert_int_equal(v.indicted[1].n, 2);
	assert_true(v.runs == 3);
	assert_true(fabs(v.odd - (1 - 0.75 * 0.75 * 0.75)) < 1e-12);
	verdict_release(&v);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
