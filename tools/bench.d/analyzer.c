// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the analyzer's arithmetic and its reading cost, for tools/bench-analyzer: on made-up samples of
 * a known share of odd nodes, processor time, best and median of so many rounds. Prints lines of
 * names and numbers, separated by tabs.
 *
 *   analyzer score NODES METRICS ROUNDS SEED FILE   one window; the first metric's samples and
 *                                                   threshold go to FILE ("-": nowhere)
 *   analyzer some NODES PEERS WINDOWS SEED          the partitioned mode against all pairs
 *   analyzer whole NODES METRICS WINDOWS THREADS    training and judging a frame in memory
 *   analyzer read ROUNDS FOLDER                     series files (analyzer_run.c)
 *   analyzer robust FOLDER                         the default method on series files
 *                                                   (analyzer_robust.c)
 *   analyzer evidence NODES SIGNALS PUSHES KMIN     the test of evidence (analyzer_evidence.c)
 *   analyzer em ROWS ROUNDS FILE                    EM of six Gaussians, data and start to FILE
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer.h"
#include "analyzer/stat/hist.h"
#include "analyzer/methods/learn/kl.h"
#include "analyzer/methods/learn/kl_lanes.h"

enum { WINDOW = 64, BINS = 10, ODD_EACH = 50 };

void make_samples(struct rng *r, size_t i, bool odd, double *x, size_t n)
{
	double last[SMOOTH] = {0}, factor = 1;

	if (odd && i % ODD_EACH == ODD_EACH / 2)
		factor = 1.1 + 0.9 * (double)(i / ODD_EACH % 10) / 9;
	for (size_t s = 0; s < n + SMOOTH; s++) {
		double sum = 0;

		last[s % SMOOTH] = 20 * factor * exp(0.3 * rng_normal(r));
		for (int k = 0; k < SMOOTH; k++)
			sum += last[k];
		if (s >= SMOOTH)
			x[s - SMOOTH] = sum / SMOOTH;
	}
}

/* What one window of one metric needs. */
struct bench {
	size_t n;
	struct kl kl;
	double *x, *pooled, *p, *t, *kth;
	uint32_t *above;
};

static void bench_new(struct bench *b, size_t n)
{
	*b = (struct bench){.n = n};
	b->x = need(n * WINDOW, sizeof(double));
	b->pooled = need(n * WINDOW, sizeof(double));
	b->p = need(n * BINS, sizeof(double));
	b->t = need(n, sizeof(double));
	b->kth = need(n, sizeof(double));
	b->above = need(n, sizeof(uint32_t));
	if (kl_init(&b->kl, n, BINS))
		exit(fail("out of memory") ? 1 : 1);
}

static void bench_free(struct bench *b)
{
	kl_release(&b->kl);
	free(b->x);
	free(b->pooled);
	free(b->p);
	free(b->t);
	free(b->kth);
	free(b->above);
}

static void bench_samples(struct bench *b, struct rng *r, bool odd)
{
	for (size_t i = 0; i < b->n; i++)
		make_samples(r, i, odd, b->x + i * WINDOW, WINDOW);
}

static struct hist_edges bench_edges(struct bench *b, const double *x)
{
	memcpy(b->pooled, x, b->n * WINDOW * sizeof(double));
	return hist_edges(b->pooled, b->n * WINDOW, BINS, 1);
}

static void bench_fill(struct bench *b, const double *x, const struct hist_edges *e)
{
	for (size_t i = 0; i < b->n; i++)
		hist_fill(x + i * WINDOW, WINDOW, e, BINS, b->p + i * BINS);
}

static void bench_pairs(struct bench *b, bool all)
{
	kl_score(&b->kl, b->p, b->n, kl_majority(b->n), b->t, all, b->kth, b->above);
}

static double bench_median(const struct bench *b)
{
	double *kth = need(b->n, sizeof(double)), median;

	memcpy(kth, b->kth, b->n * sizeof(double));
	median = stats_quantile(kth, b->n, 0.5);
	free(kth);
	return median;
}

/* ---- one window -------------------------------------------------------------------------------*/

static void write_samples(const char *path, const struct bench *b, const double *x)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "wb") : NULL;

	if (!f)
		return;
	if (fwrite(b->t, sizeof(double), 1, f) != 1 ||
	    fwrite(x, sizeof(double), b->n * WINDOW, f) != b->n * WINDOW || fclose(f))
		exit(fail("cannot write '%s'", path) ? 1 : 1);
}

/* All kernels that work here, on the histograms there are. */
static void score_kernels(struct bench *b, size_t rounds)
{
	double *ms = need(rounds, sizeof(double));

	for (const struct kl_kernel *k = kl_kernels; k->name; k++) {
		char name[64];

		if (!k->works())
			continue;
		b->kl.kernel = k;
		for (size_t r = 0; r < rounds; r++) {
			double at = cpu_ms();

			bench_pairs(b, false);
			ms[r] = cpu_ms() - at;
		}
		snprintf(name, sizeof(name), "pairs_%s", k->name);
		print_times(name, ms, rounds);
	}
	free(ms);
}

/* A threshold for all: twice what is usual. What then is odd, of the first metric. */
static void score_threshold(struct bench *b, const double *x, const char *path)
{
	unsigned long long odd = 0, above = 0;
	struct hist_edges e = bench_edges(b, x);
	double t, kth = 0;

	bench_fill(b, x, &e);
	bench_pairs(b, true);
	t = 2 * bench_median(b);
	for (size_t i = 0; i < b->n; i++)
		b->t[i] = t;
	bench_pairs(b, true);
	for (size_t i = 0; i < b->n; i++) {
		above += b->above[i];
		odd += b->above[i] >= kl_majority(b->n);
		kth += b->kth[i];
	}
	printf("kernel\t%s\nodd\t%llu\nabove\t%llu\nkth\t%.15g\n", b->kl.kernel->name, odd, above,
	       kth);
	write_samples(path, b, x);
}

enum { EDGES, FILL, PAIRS, TOTAL, PHASES };

/* Adds one metric's times. */
static void score_metric(struct bench *b, const double *x, bool all, double ms[PHASES])
{
	double at[PAIRS + 2];
	struct hist_edges e;

	at[EDGES] = cpu_ms();
	e = bench_edges(b, x);
	at[FILL] = cpu_ms();
	bench_fill(b, x, &e);
	at[PAIRS] = cpu_ms();
	bench_pairs(b, all);
	at[PAIRS + 1] = cpu_ms();
	for (int k = 0; k < TOTAL; k++)
		ms[k] += at[k + 1] - at[k];
	ms[TOTAL] += at[PAIRS + 1] - at[EDGES];
}

static int bench_score(size_t n, size_t n_metrics, size_t rounds, uint64_t seed, const char *path)
{
	static const char *const names[] = {"edges", "fill", "pairs", "total"};
	double *x = need(n * n_metrics, WINDOW * sizeof(double)),
	       *ms = need(rounds, sizeof(double));
	double(*phase)[PHASES] = need(rounds, sizeof(*phase)), all[PHASES] = {0};
	struct bench b;
	struct rng rng;

	rng_seed(&rng, seed);
	bench_new(&b, n);
	for (size_t m = 0; m < n_metrics; m++)
		for (size_t i = 0; i < n; i++)
			make_samples(&rng, i, true, x + (m * n + i) * WINDOW, WINDOW);
	score_threshold(&b, x, path);
	for (size_t r = 0; r < rounds; r++)
		for (size_t m = 0; m < n_metrics; m++)
			score_metric(&b, x + m * n * WINDOW, false, phase[r]);
	for (int k = 0; k < PHASES; k++) {
		for (size_t r = 0; r < rounds; r++)
			ms[r] = phase[r][k];
		print_times(names[k], ms, rounds);
	}
	if (n_metrics == 1) {
		score_metric(&b, x, true, all);
		print_times("all", &all[PAIRS], 1);
		score_kernels(&b, rounds);
	}
	print_memory();
	free(phase);
	free(ms);
	free(x);
	bench_free(&b);
	return 0;
}

/* ---- some peers -------------------------------------------------------------------------------*/

/* One way to choose peers: 0: all. */
struct mode {
	size_t peers;
	double *t, ms;
	bool *odd;
	size_t missed, wrong; /* of the odd, of the fine */
};

static void mode_score(struct bench *b, struct mode *m, uint64_t seed, bool all)
{
	double at = cpu_ms();
	size_t n_peers = b->n - 1;

	memcpy(b->t, m->t, b->n * sizeof(double));
	if (m->peers)
		kl_score_some(&b->kl, b->p, b->n, m->peers, seed, b->t, all, b->kth, b->above,
			      &n_peers);
	else
		bench_pairs(b, all);
	m->ms += cpu_ms() - at;
	for (size_t i = 0; i < b->n; i++)
		m->odd[i] = b->above[i] >= kl_majority(n_peers + 1);
}

/* Each mode learns its own thresholds, as training does. */
static void mode_train(struct bench *b, struct mode *m, uint64_t seed)
{
	mode_score(b, m, seed, true);
	for (size_t i = 0; i < b->n; i++)
		m->t[i] = fmax(m->t[i], b->kth[i]);
}

static void mode_judge(struct bench *b, struct mode *m, uint64_t seed)
{
	mode_score(b, m, seed, false);
	for (size_t i = 0; i < b->n; i++) {
		bool odd = i % ODD_EACH == ODD_EACH / 2;

		m->missed += odd && !m->odd[i];
		m->wrong += !odd && m->odd[i];
	}
}

static int bench_some(size_t n, size_t k_peers, size_t windows, uint64_t seed)
{
	struct mode modes[2] = {{.peers = 0}, {.peers = k_peers}};
	size_t differ = 0, n_odd = (n + ODD_EACH / 2 - 1) / ODD_EACH;
	struct bench b;
	struct rng rng;

	rng_seed(&rng, seed);
	bench_new(&b, n);
	for (int k = 0; k < 2; k++) {
		modes[k].t = need(n, sizeof(double));
		modes[k].odd = need(n, 1);
	}
	for (size_t w = 0; w < 2 * windows; w++) {
		struct hist_edges e;

		bench_samples(&b, &rng, w >= windows);
		e = bench_edges(&b, b.x);
		bench_fill(&b, b.x, &e);
		if (w == windows)
			modes[0].ms = modes[1].ms = 0;
		for (int k = 0; k < 2; k++)
			(w < windows ? mode_train : mode_judge)(&b, &modes[k], seed + w);
		for (size_t i = 0; i < n && w >= windows; i++)
			differ += modes[0].odd[i] != modes[1].odd[i];
	}
	printf("differ\t%.9g\n", (double)differ / (double)(n * windows));
	for (int k = 0; k < 2; k++) {
		const char *name = k ? "some" : "all";

		printf("ms_%s\t%.6f\nmissed_%s\t%.9g\nwrong_%s\t%.9g\n", name,
		       modes[k].ms / (double)windows, name,
		       (double)modes[k].missed / (double)(n_odd * windows), name,
		       (double)modes[k].wrong / (double)((n - n_odd) * windows));
		free(modes[k].t);
		free(modes[k].odd);
	}
	bench_free(&b);
	return 0;
}

static size_t number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || !*text || n > 10000000) {
		fail("'%s' is not a number up to 10000000", text);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc == 7 && !strcmp(what, "score"))
		return bench_score(number(argv[2]), number(argv[3]), number(argv[4]),
				   number(argv[5]), argv[6]);
	if (argc == 6 && !strcmp(what, "some"))
		return bench_some(number(argv[2]), number(argv[3]), number(argv[4]),
				  number(argv[5]));
	if (argc == 6 && !strcmp(what, "whole"))
		return bench_whole(number(argv[2]), number(argv[3]), number(argv[4]),
				   (unsigned int)number(argv[5]));
	if (argc == 4 && !strcmp(what, "read"))
		return bench_read(number(argv[2]), argv[3]);
	if (argc == 3 && !strcmp(what, "robust"))
		return bench_robust(argv[2]);
	if (argc == 6 && !strcmp(what, "evidence"))
		return bench_evidence(number(argv[2]), number(argv[3]), number(argv[4]),
				      (unsigned int)number(argv[5]));
	if (argc == 5 && !strcmp(what, "em"))
		return bench_em(number(argv[2]), number(argv[3]), argv[4]);
	fprintf(stderr, "usage: analyzer score|some|whole|read|robust|evidence|em ...: see its "
			"first comment\n");
	return 2;
}
