// SPDX-License-Identifier: BSD-2-Clause
/* Method ganesha: filling, distances, the model's text, training and judging on synthetic frames. That
 * its numbers are right is tests/numeric/ganesha_reference.py's. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/methods/model/ganesha.h"
#include "analyzer/methods/learn/jsd.h"
#include "analyzer/methods/learn/lwlr.h"
#include "analyzer/methods/passes.h"
#include "analyzer/stat/rng.h"
#include "analyzer/stat/stats.h"

/* ---- filling, distances -----------------------------------------------------------------------*/

static void a_line_is_filled_with_itself(void **state)
{
	double y[100], out[100];

	(void)state;
	for (int t = 0; t < 100; t++)
		y[t] = t < 3 || t > 94 || (t > 40 && t < 60) || t % 5 == 0 ? NAN : 7 - 0.5 * t;
	lwlr_fill(y, 100, 0, 100, out);
	for (int t = 0; t < 100; t++) {
		if (t < 3 || t > 94) /* not before the first sample, not after the last */
			assert_true(isnan(out[t]));
		else if (t >= 40 && t <= 60) /* 21 are too many */
			assert_true(isnan(out[t]));
		else
			assert_true(fabs(out[t] - (7 - 0.5 * t)) < 1e-12);
	}
	y[40] = -13;
	lwlr_fill(y, 100, 41, 60, out);
	for (int t = 41; t < 60; t++)
		assert_true(fabs(out[t - 41] - (7 - 0.5 * t)) < 1e-12);
}

static void too_few_samples_fill_nothing(void **state)
{
	double y[60], out[60];

	(void)state;
	for (int t = 0; t < 60; t++)
		y[t] = NAN;
	lwlr_fill(y, 60, 0, 60, out);
	for (int t = 0; t < 60; t++)
		assert_true(isnan(out[t]));
	y[10] = y[20] = 1; /* two samples make no line: the third nearest sets the bandwidth */
	lwlr_fill(y, 60, 0, 60, out);
	assert_true(isnan(out[15]) && out[10] == 1);
	y[30] = 1;
	lwlr_fill(y, 60, 0, 60, out);
	assert_true(fabs(out[15] - 1) < 1e-12);
	lwlr_fill(y, 0, 0, 0, out);
}

/* Values depend on LWLR_REACH samples to either side and no more. */
static void a_slice_is_enough(void **state)
{
	enum { N = 1200, FROM = 500, TO = 560 };
	static double y[N], all[N], part[N];
	struct rng r;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		rng_seed(&r, seed);
		for (int t = 0; t < N; t++)
			y[t] = rng_uniform(&r) < 0.045 * (double)seed ? NAN : rng_normal(&r);
		lwlr_fill(y, N, 0, N, all);
		lwlr_fill(y + FROM - LWLR_REACH, TO - FROM + 2 * LWLR_REACH, LWLR_REACH,
			  LWLR_REACH + TO - FROM, part);
		assert_memory_equal(all + FROM, part, (TO - FROM) * sizeof(double));
	}
}

/* p: n x labels; some spread out, some nearly alike, some with zeros, some equal. */
static void histograms(double *p, size_t n, size_t labels, struct rng *r, double spread)
{
	for (size_t i = 0; i < n; i++) {
		double sum = 0;

		for (size_t l = 0; l < labels; l++) {
			double x = (double)l + 1 + spread * (double)labels * rng_uniform(r);

			sum += p[i * labels + l] = rng_uniform(r) < 0.1 * spread ? 0 : x;
		}
		for (size_t l = 0; l < labels; l++)
			p[i * labels + l] = sum > 0 ? p[i * labels + l] / sum : l == 0;
	}
}

static void scores_are_the_naive_ones(void **state)
{
	const size_t sizes[] = {2, 3, 4, 10, 100, 101};
	static double p[101 * 7], kth[101], row[101];
	static uint32_t above[101];
	struct rng r;

	(void)state;
	rng_seed(&r, 4);
	for (int round = 0; round < 240; round++) {
		size_t n = sizes[round % 6], k = (n - 1) / 2 + 1;
		double spread = (const double[]){0, 0.001, 0.2, 1}[round / 6 % 4];
		double t = 0.5 * rng_uniform(&r) * (spread > 0 ? spread : 1);
		bool all = round % 5 == 0;
		struct jsd j;

		histograms(p, n, 7, &r, spread);
		assert_int_equal(jsd_init(&j, 101, 7), 0);
		if (round % 3 == 0) /* a threshold that is some distance exactly: strict */
			t = jsd_root(p, p + 7, 7);
		jsd_score(&j, p, n, k, t, all, kth, above);
		for (size_t i = 0; i < n; i++) {
			uint32_t over = 0;
			size_t m = 0;

			for (size_t o = 0; o < n; o++) {
				if (o == i)
					continue;
				row[m] = jsd_root(p + 7 * i, p + 7 * o, 7);
				over += row[m++] > t;
			}
			assert_int_equal(above[i], over);
			stats_sort(row, m);
			if (all || over >= k)
				assert_true(kth[i] == row[m - k]);
			else
				assert_true(isnan(kth[i]));
		}
		jsd_release(&j);
	}
}

/* ---- the model --------------------------------------------------------------------------------*/

static struct ganesha *example(void)
{
	struct ganesha *g = ganesha_new(2, 3);

	assert_non_null(g);
	for (size_t i = 0; i < 3; i++) {
		snprintf(g->metrics[i], METRIC_NAME_LEN, "m%zu", i);
		g->sigma[i] = 0.1 + (double)i;
	}
	for (size_t i = 0; i < 6; i++)
		g->mean[i] = 1. / (1 + (double)i);
	for (size_t c = 0; c < 2; c++)
		memcpy(g->cov + 9 * c, (double[]){2, 0.5, 0.1, 0.5, 1, -0.3, 0.1, -0.3, 3},
		       9 * sizeof(double));
	g->cov[9] = 7;
	g->unknown = 6.25;
	g->distance = 0.31;
	g->alarm_count = 13.5;
	g->vectors = 700;
	g->seconds = 500;
	g->iterations = 12;
	g->log_likelihood = -9.125;
	return g;
}

static void a_model_comes_back_as_it_was(void **state)
{
	struct ganesha *g = example(), *back;
	json_t *o = ganesha_json(g), *again;
	char why[128] = "", *text = json_dumps(o, JSON_REAL_PRECISION(17));

	(void)state;
	again = json_loads(text, 0, NULL);
	back = ganesha_load(again, why, sizeof(why));
	assert_string_equal(why, "");
	assert_non_null(back);
	assert_true(back->d == 3 && back->k == 2);
	assert_memory_equal(back->metrics, g->metrics, 3 * sizeof(*g->metrics));
	assert_memory_equal(back->sigma, g->sigma, 3 * sizeof(double));
	assert_memory_equal(back->mean, g->mean, 6 * sizeof(double));
	assert_memory_equal(back->cov, g->cov, 18 * sizeof(double));
	assert_true(back->lambda == g->lambda && back->unknown == g->unknown);
	assert_true(back->distance == g->distance && back->consecutive == g->consecutive);
	assert_true(back->alarm_decay == g->alarm_decay && back->alarm_count == g->alarm_count);
	assert_true(back->vectors == 700 && back->seconds == 500 && back->iterations == 12);
	assert_true(back->log_likelihood == -9.125);
	free(text);
	json_decref(o);
	json_decref(again);
	ganesha_free(g);
	ganesha_free(back);
}

/* One member replaced (NULL: taken away) and the word the refusal must have. */
static void a_model_that_is_wrong_is_refused(void **state)
{
	static const struct {
		const char *key, *value, *why;
	} cases[] = {
		{"metrics", "[]", "1 to 256 metrics"},
		{"metrics", "[\"a\",\"b\"]", "sigma"},
		{"metrics", "[\"a\",\"b\",\"a\"]", "twice"},
		{"metrics", "[\"a\",\"b\",3]", "not a name"},
		{"metrics", "[\"a\",\"b\",\"\"]", "not a name"},
		{"metrics", "{}", "1 to 256 metrics"},
		{"sigma", "[1,1,0]", "not positive"},
		{"sigma", "[1,1,\"1\"]", "sigma for each"},
		{"profiles", "[]", "profiles"},
		{"profiles", "[{\"mean\":[1,2,3]}]", "profile number 1"},
		{"profiles", "[{\"mean\":[1,2],\"cov\":[1,0,1,0,0,1]}]", "profile number 1"},
		{"profiles", "[{\"mean\":[1,2,3],\"cov\":[1,0,1,0,0]}]", "profile number 1"},
		{"profiles", "[{\"mean\":[1,2,1e13],\"cov\":[1,0,1,0,0,1]}]", "profile number 1"},
		{"profiles", "[{\"mean\":[1,2,3],\"cov\":[1,2,1,0,0,1]}]", "positive definite"},
		{"profiles", "[{\"mean\":[1,2,3],\"cov\":[1,0,1,0,0,1],\"x\":1}]",
		 "profile number 1"},
		{"lambda", "1", "'lambda'"},
		{"lambda", "0", "'lambda'"},
		{"lambda", NULL, "more or less"},
		{"extra", "1", "more or less"},
		{"unknown", "-1", "'unknown'"},
		{"distance", "1.5", "'distance'"},
		{"distance", "null", "'distance'"},
		{"consecutive", "0", "'consecutive'"},
		{"consecutive", "20.5", "'consecutive'"},
		{"consecutive", "1000000", "'consecutive'"},
		{"alarm_decay", "\"0.9\"", "'alarm_decay'"},
		{"alarm_count", "0", "'alarm_count'"},
		{"vectors", "-3", "'vectors'"},
	};
	struct ganesha *g = example();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *o = ganesha_json(g);
		char why[128] = "";

		if (cases[i].value)
			json_object_set_new(o, cases[i].key,
					    json_loads(cases[i].value, JSON_DECODE_ANY, NULL));
		else
			json_object_del(o, cases[i].key);
		assert_null(ganesha_load(o, why, sizeof(why)));
		if (!strstr(why, cases[i].why))
			fail_msg("'%s' as %s: refused with \"%s\"", cases[i].key,
				 cases[i].value ? cases[i].value : "nothing", why);
		json_decref(o);
	}
	ganesha_free(g);
}

static void fewer_different_vectors_make_fewer_profiles(void **state)
{
	double x[300 * 2], one[2] = {3, 4};
	struct ganesha *g;

	(void)state;
	for (size_t i = 0; i < 300; i++) {
		x[2 * i] = (double)(i % 3);
		x[2 * i + 1] = 5; /* constant */
	}
	g = ganesha_learn(x, 300, 2);
	assert_non_null(g);
	assert_true(g->k == 3 && g->d == 2 && g->vectors == 300);
	assert_true(g->sigma[1] == GANESHA_SIGMA_MIN);
	assert_true(g->unknown >= sqrt(2) && isfinite(g->log_likelihood));
	ganesha_free(g);
	g = ganesha_learn(one, 1, 2);
	assert_non_null(g);
	assert_true(g->k == 1);
	ganesha_free(g);
}

static void logarithms_are_of_what_the_paper_counts(void **state)
{
	struct frame_metric m = {0};

	(void)state;
	frame_name(&m, "rxkB/s");
	assert_true(ganesha_scale(&m) == 1024);
	frame_name(&m, "bwrtn/s");
	assert_true(ganesha_scale(&m) == 512);
	frame_name(&m, "pgpgin/s");
	assert_true(ganesha_scale(&m) == 1);
	frame_name(&m, "whatever");
	assert_true(ganesha_scale(&m) == 1);
	assert_true(ganesha_log(0) == 0 && fabs(ganesha_log(M_E - 1) - 1) < 1e-15);
	assert_true(isnan(ganesha_log(-1)) && isnan(ganesha_log(-7)) && isnan(ganesha_log(NAN)));
	assert_true(ganesha_log(-0.5) < 0);
}

/* ---- training and judging ---------------------------------------------------------------------*/

static const char *const names[] = {"%user", "rxkB/s", "other"};
enum { METRICS = 3 };

static void frame_make(struct frame *f, size_t n_nodes, size_t n_times)
{
	*f = (struct frame){
		.n_nodes = n_nodes, .n_times = n_times, .n_metrics = METRICS, .interval_ms = 1000};
	f->nodes = calloc(n_nodes, sizeof(*f->nodes));
	f->row = calloc(n_nodes, sizeof(*f->row));
	f->n_seen = calloc(n_nodes, sizeof(*f->n_seen));
	f->metrics = calloc(METRICS, sizeof(*f->metrics));
	f->cells = calloc(1, sizeof(*f->cells));
	f->cells->whole = true;
	f->cells->held = f->cells->stride = n_times;
	f->cells->v = calloc(METRICS, sizeof(*f->cells->v));
	f->cells->there = malloc(n_nodes * n_times);
	memset(f->cells->there, 1, n_nodes * n_times);
	for (size_t i = 0; i < n_nodes; i++) {
		snprintf(f->nodes[i], HOST_LEN, "n%03zu", i);
		f->row[i] = i;
	}
	for (size_t m = 0; m < METRICS; m++) {
		frame_name(&f->metrics[m], names[m]);
		f->cells->v[m] = calloc(n_nodes * n_times, sizeof(double));
	}
}

static double *cell(struct frame *f, size_t m, size_t node, size_t t)
{
	return &f->cells->v[m][node * f->n_times + t];
}

/* Two behaviours, 30 s each in turn; or each group has its own. */
static void fill(struct frame *f, uint64_t seed, const int32_t *group)
{
	struct rng r;

	rng_seed(&r, seed);
	for (size_t i = 0; i < f->n_nodes; i++)
		for (size_t t = 0; t < f->n_times; t++) {
			bool busy = group ? !group[i] : t / 30 % 2 == 0;

			*cell(f, 0, i, t) = (busy ? 60 : 5) * exp(0.1 * rng_normal(&r));
			*cell(f, 1, i, t) = (busy ? 100 : 9000) * exp(0.2 * rng_normal(&r));
			*cell(f, 2, i, t) = 3 + rng_uniform(&r);
		}
}

static void train(struct frame *f, const int32_t *group, struct model *m)
{
	const struct method *chosen[METHODS_MAX + 1];
	struct params p = PARAMS_DEFAULT;
	struct passes_seen seen;
	struct peers peers;

	p.slack = 1.5; /* chance must not indict anybody here: it is a threshold of few minutes */
	assert_int_equal(methods_parse("ganesha", chosen), 0);
	assert_int_equal(peers_of(&peers, f, group), 0);
	assert_int_equal(model_init(m, f, group, &p), 0);
	assert_int_equal(passes_train(f, &peers, chosen, m, &seen), 0);
	peers_release(&peers);
}

static void judge(struct frame *f, const int32_t *group, const struct model *m, struct judgement *j)
{
	const struct method *chosen[METHODS_MAX + 1];
	bool weighted = j->weighted, explain = j->explain;
	struct passes_seen seen;
	struct peers peers;
	size_t *index;

	assert_int_equal(methods_parse("ganesha", chosen), 0);
	assert_int_equal(peers_of(&peers, f, group), 0);
	assert_int_equal(model_fit(m, f, false, &index), 0);
	judgement_init(j, f);
	j->weighted = weighted;
	j->explain = explain;
	j->votes = 3;
	assert_int_equal(passes_judge(f, &peers, chosen, m, index, j, &seen), 0);
	free(index);
	peers_release(&peers);
}

/* Node 2 computes for 100 s when the others do not. */
static void break_node(struct frame *f, size_t from)
{
	for (size_t t = from; t < from + 100; t++)
		*cell(f, 0, 2, t) *= t / 30 % 2 ? 12 : 1;
}

static void one_that_behaves_otherwise_is_indicted(void **state)
{
	struct frame clean, faulty;
	struct model m;

	(void)state;
	frame_make(&clean, 5, 900);
	frame_make(&faulty, 5, 500);
	fill(&clean, 1, NULL);
	train(&clean, NULL, &m);
	assert_non_null(m.ganesha);
	assert_int_equal(m.ganesha->vectors, 5 * 900);
	assert_int_equal(m.ganesha->seconds, 900 - 99);
	for (int weighted = 0; weighted < 2; weighted++) {
		struct judgement j = {.weighted = weighted};
		const struct indictment *found;

		fill(&faulty, 2, NULL);
		judge(&faulty, NULL, &m, &j);
		assert_int_equal(j.n_indictments, 0);
		assert_int_equal(j.n_coverage, 1);
		assert_true(j.coverage[0].metric == METRIC_ALL);
		assert_int_equal(j.coverage[0].judged, 5);
		assert_int_equal(j.coverage[0].windows, 500 - 99);
		judgement_release(&j);

		break_node(&faulty, 250);
		j = (struct judgement){.weighted = weighted};
		judge(&faulty, NULL, &m, &j);
		assert_int_equal(j.n_indictments, 1);
		found = &j.indictments[0];
		assert_int_equal(found->about.node, 2);
		assert_string_equal(frame_metric(&faulty, found->metric)->name, "%user");
		assert_true(found->about.score > 1 && found->about.flagged >= 20);
		assert_true(found->about.judged >= found->about.flagged);
		assert_true(found->about.onset_ns >= 250 * 1000000000LL &&
			    found->about.onset_ns < 350 * 1000000000LL);
		assert_true(found->about.decided_ns - found->about.onset_ns >= 20 * 1000000000LL ||
			    weighted);
		assert_true(found->about.decided_ns <= found->about.last_ns);
		assert_true(fabs(found->about.value - found->about.peers) > 1);
		judgement_release(&j);
	}
	model_release(&m);
	frame_release(&clean);
	frame_release(&faulty);
}

/* Slices of any size, and all at once: the same model and the same findings, bit by bit. */
static void slices_do_not_show(void **state)
{
	const size_t bytes = passes_slice_bytes;
	struct ganesha *first = NULL;
	struct indictment found = {0};
	struct frame f;

	(void)state;
	frame_make(&f, 4, 1500);
	fill(&f, 3, NULL);
	for (size_t t = 0; t < 1500; t += 7)
		*cell(&f, t % 3, t % 4, t) = NAN;
	for (size_t t = 350; t < 365; t++)
		*cell(&f, 1, 1, t) = NAN;
	for (int i = 0; i < 3; i++) {
		struct judgement j = {0};
		struct model m;

		passes_slice_bytes = i ? (i == 1 ? 1 : 40000) : bytes;
		fill(&f, 3, NULL);
		*cell(&f, 1, 1, 400) = NAN;
		train(&f, NULL, &m);
		assert_non_null(m.ganesha);
		break_node(&f, 600);
		judge(&f, NULL, &m, &j);
		assert_int_equal(j.n_indictments, 1);
		if (first) {
			assert_memory_equal(first->cov, m.ganesha->cov,
					    first->k * 9 * sizeof(double));
			assert_true(first->distance == m.ganesha->distance);
			assert_true(first->alarm_count == m.ganesha->alarm_count);
			assert_true(found.about.score == j.indictments[0].about.score);
			assert_true(found.about.value == j.indictments[0].about.value);
			assert_true(found.about.decided_ns == j.indictments[0].about.decided_ns);
		} else {
			first = m.ganesha;
			m.ganesha = NULL;
			found = j.indictments[0];
		}
		judgement_release(&j);
		model_release(&m);
	}
	passes_slice_bytes = bytes;
	ganesha_free(first);
	frame_release(&f);
}

/* Who is away, or new, or has no peers, is neither indicted nor anybody's peer. */
static void who_is_not_there_abstains(void **state)
{
	struct judgement j = {.explain = true};
	struct frame f;
	struct model m;

	(void)state;
	frame_make(&f, 5, 600);
	fill(&f, 4, NULL);
	train(&f, NULL, &m);
	for (size_t t = 0; t < 600; t++) {
		if (t < 300)
			*cell(&f, 0, 0, t) = NAN; /* late */
		if (t >= 400 && t < 450)
			*cell(&f, 1, 1, t) = NAN; /* away */
		*cell(&f, 2, 2, t) = NAN;	  /* one metric never */
		*cell(&f, 1, 3, t) = t >= 500 && t < 510 ? -3 : *cell(&f, 1, 3, t);
	}
	judge(&f, NULL, &m, &j);
	assert_int_equal(j.n_indictments, 0);
	assert_int_equal(j.n_explained, 5 * 600);
	for (size_t i = 0; i < j.n_explained; i++) {
		const struct explained *e = &j.explained[i];
		size_t t = e->window;
		bool there[] = {t >= 399, t >= 99 && (t < 400 || t >= 450), false,
				t >= 99 && (t < 500 || t >= 510), t >= 99};
		size_t n = 0;

		for (int k = 0; k < 5; k++)
			n += there[k];
		assert_int_equal(e->verdict != VOTE_ABSTAIN, there[e->node] && n >= 3);
		assert_int_equal(isnan(e->score), e->verdict == VOTE_ABSTAIN);
	}
	assert_int_equal(j.coverage[0].judged, 4);
	assert_false(j.coverage[0].voted[2]);
	judgement_release(&j);
	model_release(&m);
	frame_release(&f);
}

static void groups_are_compared_apart(void **state)
{
	const int32_t group[] = {0, 1, 0, 1, 0, 1, 0, 1};
	struct judgement j = {0};
	struct frame f;
	struct model m;

	(void)state;
	frame_make(&f, 8, 600);
	fill(&f, 5, group);
	train(&f, group, &m);
	assert_non_null(m.ganesha);
	/* a node of one group does as the other group does */
	for (size_t t = 300; t < 420; t++)
		for (size_t k = 0; k < METRICS; k++)
			*cell(&f, k, 3, t) = *cell(&f, k, 2, t);
	judge(&f, group, &m, &j);
	assert_int_equal(j.n_indictments, 1);
	assert_int_equal(j.indictments[0].about.node, 3);
	assert_int_equal(j.coverage[0].judged, 8);
	judgement_release(&j);
	model_release(&m);
	frame_release(&f);
}

/* Nothing to learn from: no error, no model. */
static void too_little_teaches_nothing(void **state)
{
	struct judgement j = {0};
	struct frame f;
	struct model m;

	(void)state;
	frame_make(&f, 2, 600); /* two nodes: no odd one */
	fill(&f, 6, NULL);
	train(&f, NULL, &m);
	assert_null(m.ganesha);
	judge(&f, NULL, &m, &j);
	assert_true(j.n_indictments == 0 && j.n_coverage == 1 && j.coverage[0].judged == 0);
	judgement_release(&j);
	model_release(&m);
	frame_release(&f);

	frame_make(&f, 5, 110); /* shorter than a histogram and an indictment */
	fill(&f, 6, NULL);
	train(&f, NULL, &m);
	assert_null(m.ganesha);
	model_release(&m);
	for (size_t i = 0; i < 5 * 110; i++)
		f.cells->v[0][i] = f.cells->v[1][i] = f.cells->v[2][i] = NAN;
	train(&f, NULL, &m);
	assert_null(m.ganesha);
	model_release(&m);
	frame_release(&f);
}

/* A metric nobody has is no part of the vector; idle servers that do not differ at all teach the
 * threshold chance gives, not 0. */
static void idle_servers_teach_something(void **state)
{
	struct frame f;
	struct model m;

	(void)state;
	frame_make(&f, 5, 300);
	for (size_t i = 0; i < 5 * 300; i++)
		f.cells->v[2][i] = NAN;
	train(&f, NULL, &m);
	assert_non_null(m.ganesha);
	assert_int_equal(m.ganesha->d, 2);
	assert_string_equal(m.ganesha->metrics[1], "rxkB/s");
	assert_int_equal(m.ganesha->k, 1);
	assert_true(m.ganesha->distance == ganesha_chance(GANESHA_LAMBDA, 1));
	assert_true(m.ganesha->distance > 0.03);
	model_release(&m);
	frame_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_filled_with_itself),
		cmocka_unit_test(too_few_samples_fill_nothing),
		cmocka_unit_test(a_slice_is_enough),
		cmocka_unit_test(scores_are_the_naive_ones),
		cmocka_unit_test(a_model_comes_back_as_it_was),
		cmocka_unit_test(a_model_that_is_wrong_is_refused),
		cmocka_unit_test(fewer_different_vectors_make_fewer_profiles),
		cmocka_unit_test(logarithms_are_of_what_the_paper_counts),
		cmocka_unit_test(one_that_behaves_otherwise_is_indicted),
		cmocka_unit_test(slices_do_not_show),
		cmocka_unit_test(who_is_not_there_abstains),
		cmocka_unit_test(groups_are_compared_apart),
		cmocka_unit_test(too_little_teaches_nothing),
		cmocka_unit_test(idle_servers_teach_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
