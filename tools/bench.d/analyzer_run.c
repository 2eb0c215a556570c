// SPDX-License-Identifier: BSD-2-Clause
/* What whole methods and reading cost: the other half of bench/analyzer (analyzer.c). */
#include "analyzer.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/methods/learn/gmm.h"
#include "analyzer/methods/passes.h"
#include "analyzer/methods/learn/windows.h"

/* ---- a method over a frame --------------------------------------------------------------------*/

/* A frame of metrics nobody knows, all of it held, as that of a table. */
static void frame_make(struct frame *f, size_t n, size_t n_metrics, size_t n_times,
		       unsigned int threads)
{
	struct rng rng;

	rng_seed(&rng, 41);
	*f = (struct frame){
		.n_nodes = n, .n_times = n_times, .n_metrics = n_metrics, .interval_ms = 1000};
	f->nodes = need(n, sizeof(*f->nodes));
	f->row = need(n, sizeof(*f->row));
	f->n_seen = need(n, sizeof(*f->n_seen));
	f->metrics = need(n_metrics, sizeof(*f->metrics));
	f->cells = need(1, sizeof(*f->cells));
	f->cells->whole = true;
	f->cells->threads = threads;
	f->cells->held = f->cells->stride = n_times;
	f->cells->v = need(n_metrics, sizeof(*f->cells->v));
	f->cells->there = need(n, n_times);
	memset(f->cells->there, 1, n * n_times);
	for (size_t i = 0; i < n; i++) {
		snprintf(f->nodes[i], HOST_LEN, "n%05zu", i);
		f->row[i] = i;
	}
	for (size_t m = 0; m < n_metrics; m++) {
		char name[32];

		snprintf(name, sizeof(name), "m%zu", m);
		frame_name(&f->metrics[m], name);
		f->cells->v[m] = need(n * n_times, sizeof(double));
		for (size_t i = 0; i < n; i++)
			make_samples(&rng, i, false, f->cells->v[m] + i * n_times, n_times);
	}
}

static int run(struct frame *f, struct peers *peers, struct model *m, bool train, const char *name,
	       size_t windows)
{
	const struct method *chosen[METHODS_MAX + 1];
	double wall = clock_ms(CLOCK_MONOTONIC), cpu = cpu_ms();
	struct passes_seen seen;
	struct judgement j = {0};
	size_t *index = NULL;
	int err = methods_parse("kl", chosen);

	judgement_init(&j, f);
	if (!err && train) {
		err = passes_train(f, peers, chosen, m, &seen);
	} else if (!err && !(err = model_fit(m, f, true, &index))) {
		j.votes = m->params.votes;
		err = passes_judge(f, peers, chosen, m, index, &j, &seen);
	}
	printf("%s\t%.6f\t%.6f\n", name, (clock_ms(CLOCK_MONOTONIC) - wall) / (double)windows,
	       (cpu_ms() - cpu) / (double)windows);
	free(index);
	judgement_release(&j);
	return err;
}

/* NAME, ms of the clock and of processors, a window of all metrics. */
int bench_whole(size_t n, size_t n_metrics, size_t windows, unsigned int threads)
{
	struct params p = PARAMS_DEFAULT;
	struct model m = {0};
	struct peers peers = {0};
	struct frame f;
	int err;

	frame_make(&f, n, n_metrics, p.window + (windows - 1) * p.shift, threads);
	err = peers_of(&peers, &f, NULL);
	if (!err)
		err = model_init(&m, &f, NULL, &p);
	if (!err)
		err = run(&f, &peers, &m, true, "train", windows);
	m.n_windows = windows;
	if (!err)
		err = run(&f, &peers, &m, false, "judge", windows);
	print_memory();
	model_release(&m);
	peers_release(&peers);
	return err ? 1 : 0;
}

/* ---- reading ----------------------------------------------------------------------------------*/

typedef int (*file_fn)(const char *path, uint64_t *bytes);

/* As cat does. */
static int read_bytes(const char *path, uint64_t *bytes)
{
	enum { SIZE = 128 << 10 };
	static char buffer[SIZE];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return fail("cannot open '%s'", path);
	while ((n = read(fd, buffer, SIZE)) > 0)
		*bytes += (uint64_t)n;
	close(fd);
	return n < 0 ? fail("cannot read '%s'", path) : 0;
}

static int read_columns(const char *path, uint64_t *bytes, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int err = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);

	if (!err)
		err = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	while (!err && (err = sqlite3_step(st)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(st); i++)
			if (sqlite3_column_blob(st, i))
				*bytes += (uint64_t)sqlite3_column_bytes(st, i);
		err = 0;
	}
	if (err != SQLITE_DONE)
		fail("cannot read '%s': %s", path, sqlite3_errmsg(db));
	sqlite3_finalize(st);
	sqlite3_close(db);
	return err == SQLITE_DONE ? 0 : -1;
}

/* The blobs of what kl and cwnd look at, and all; nothing decoded. */
static int read_some_blobs(const char *path, uint64_t *bytes)
{
	return read_columns(path, bytes, "SELECT head, disk, net, tcp FROM chunk");
}

static int read_all_blobs(const char *path, uint64_t *bytes)
{
	return read_columns(path, bytes, "SELECT * FROM chunk");
}

static int each_file(const struct sources *s, file_fn fn, uint64_t *bytes)
{
	int err = 0;

	*bytes = 0;
	for (size_t i = 0; i < s->n && !err; i++)
		err = fn(s->at[i].path, bytes);
	return err;
}

/* All slices of a frame of what these methods look at. */
static int read_frame(const struct sources *s, const char *names)
{
	const struct method *chosen[METHODS_MAX + 1];
	bool wanted[M_COUNT] = {false};
	struct string_list asked = {0};
	struct frame f = {0};
	size_t step;
	int err = methods_parse(names, chosen);

	if (err)
		return err;
	methods_wanted(chosen, &asked, wanted);
	err = frame_open(&f, s,
			 &(struct frame_opts){
				 .from_ns = 0, .to_ns = INT64_MAX, .wanted = wanted, .threads = 1});
	if (err)
		return err;
	step = frame_columns(&f, passes_slice_bytes);
	for (size_t at = 0; at < f.n_times && !err; at += step)
		err = frame_slice(&f, at, at + step < f.n_times ? at + step : f.n_times);
	frame_release(&f);
	return err;
}

static int time_files(const struct sources *s, const char *name, file_fn fn, size_t rounds)
{
	double *ms = need(rounds, sizeof(double));
	uint64_t bytes = 0;
	int err = 0;

	for (size_t r = 0; r < rounds && !err; r++) {
		double at = cpu_ms();

		err = each_file(s, fn, &bytes);
		ms[r] = cpu_ms() - at;
	}
	print_times(name, ms, rounds);
	printf("bytes_%s\t%llu\n", name, (unsigned long long)bytes);
	free(ms);
	return err;
}

static int time_frame(const struct sources *s, const char *names, size_t rounds)
{
	double *ms = need(rounds, sizeof(double));
	int err = 0;

	for (size_t r = 0; r < rounds && !err; r++) {
		double at = cpu_ms();

		err = read_frame(s, names);
		ms[r] = cpu_ms() - at;
	}
	print_times(names, ms, rounds);
	free(ms);
	return err;
}

int bench_read(size_t rounds, const char *folder)
{
	char *paths[] = {(char *)folder};
	uint64_t seconds = 0;
	struct sources s;
	int err = sources_open(&s, paths, 1, NULL, NULL);

	if (err)
		return 1;
	for (size_t i = 0; i < s.n; i++)
		seconds += s.at[i].seconds;
	printf("files\t%zu\nseconds\t%llu\n", s.n, (unsigned long long)seconds);
	err = time_files(&s, "cat", read_bytes, rounds);
	if (!err)
		err = time_files(&s, "sqlite_some", read_some_blobs, rounds);
	if (!err)
		err = time_files(&s, "sqlite_all", read_all_blobs, rounds);
	if (!err)
		err = time_frame(&s, "kl,cwnd", rounds);
	if (!err)
		err = time_frame(&s, "ganesha", rounds);
	print_memory();
	sources_release(&s);
	return err ? 1 : 0;
}

/* ---- EM ---------------------------------------------------------------------------------------*/

enum { DIM = 14, GAUSSIANS = 6, ITERATIONS = 20 };

/* ITERATIONS of EM over rows about six centres; rows and labels of the start go to the file. */
int bench_em(size_t n, size_t rounds, const char *path)
{
	double *x = need(n * DIM, sizeof(double)), *ms = need(rounds, sizeof(double));
	double centre[DIM] = {0}, likelihood = 0;
	uint32_t *label = need(n, sizeof(*label));
	struct rng rng;
	FILE *f;
	int err = 0;

	rng_seed(&rng, 42);
	for (size_t i = 0; i < n; i++) {
		label[i] = (uint32_t)(i % GAUSSIANS);
		for (size_t d = 0; d < DIM; d++)
			x[i * DIM + d] =
				rng_normal(&rng) + 1.5 * (double)((label[i] * (d + 3)) % GAUSSIANS);
		label[i] = i % 5 ? label[i] : (uint32_t)rng_below(&rng, GAUSSIANS);
	}
	f = fopen(path, "wb");
	if (!f || fwrite(x, sizeof(double), n * DIM, f) != n * DIM ||
	    fwrite(label, sizeof(*label), n, f) != n || fclose(f))
		err = fail("cannot write '%s'", path);
	for (size_t r = 0; r < rounds && !err; r++) {
		struct gmm_fit fit = {.ridge = 1e-6, .tolerance = 0, .most = ITERATIONS};
		struct gmm g;
		double at;

		err = gmm_init(&g, GAUSSIANS, DIM);
		if (!err)
			err = gmm_start(&g, x, n, label, centre, fit.ridge);
		if (!err)
			err = gmm_factor(&g);
		at = cpu_ms();
		if (!err)
			err = gmm_em(&g, x, n, &fit);
		ms[r] = (cpu_ms() - at) / (fit.iterations ? fit.iterations : 1);
		likelihood = fit.log_likelihood;
		printf("iterations\t%u\n", fit.iterations);
		gmm_release(&g);
	}
	printf("likelihood\t%.12g\n", likelihood);
	print_times("em", ms, rounds);
	free(x);
	free(ms);
	free(label);
	return err ? 1 : 0;
}
