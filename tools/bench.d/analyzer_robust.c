// SPDX-License-Identifier: BSD-2-Clause
/* What the method that needs no training costs, and what its time goes to: a part of bench/analyzer. */
#include "analyzer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/engine/examine.h"
#include "analyzer/output/verdict_print.h"
#include "userspace/series/series.h"

#define INTERVAL_NS ((int64_t)4 * 1000000000) /* the default of --hop */

/* One way through the files: the processor time it took, and its stages'. */
struct way {
	struct robust *r;
	double stages_s[ROBUST_STAGES], verdicts_ms;
};

/* The text goes nowhere. */
static int tell(struct way *w)
{
	double at = cpu_ms();
	struct verdict v = {0};
	int err = robust_verdict(w->r, &v);

	if (!err)
		verdict_text(&v, false);
	verdict_release(&v);
	w->verdicts_ms += cpu_ms() - at;
	return err;
}

static int on_interval(void *arg, struct robust *r)
{
	(void)r;
	return tell(arg);
}

static int on_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	(void)arg;
	(void)t;
	(void)row;
	return 0;
}

/* The rows that intervals are made of, and nothing else. */
static int read_rows(const struct sources *s)
{
	bool wanted[M_COUNT];
	int err = 0;

	interval_wanted(wanted);
	for (size_t i = 0; i < s->n && !err; i++) {
		struct series_reader *r = NULL;

		err = series_reader_new(&r, s->at[i].path);
		if (!err) {
			series_reader_want(r, wanted);
			err = series_reader_rows(r, INT64_MIN, INT64_MAX, SERIES_ALL,
						 HIST_LAT | HIST_DEV | HIST_RUNQ, on_row, NULL);
		}
		series_reader_free(r);
	}
	return err;
}

static const struct feed_opts opts = {.to_ns = INT64_MAX, .interval_s = 4, .threads = 1};

/* Intervals that are thrown away. */
static int gather(const struct sources *s)
{
	struct feed_item item = {0};
	struct feed *f;
	int err = feed_of_series(&f, s, &opts);

	while (!err && item.kind != FEED_END)
		err = feed_next(f, &item);
	feed_free(f);
	return err;
}

static int batch(const struct sources *s, struct way *w)
{
	const struct analysis_opts o = {0};
	const struct examine_hooks none = {0};
	struct examine_feed into = {.robust = w->r, .o = &o, .hooks = &none};
	struct feed *f;
	int err = feed_of_series(&f, s, &opts);

	if (!err)
		err = examine_feed(&into, f);
	feed_free(f);
	free(into.at);
	return err ? err : tell(w);
}

/* As `limpet watch` does, but for a look at the files each interval and not each second; a verdict after each
 * interval. */
static int live(char *folder, int64_t from_ns, int64_t to_ns, struct way *w)
{
	const struct analysis_opts o = {0};
	const struct examine_hooks hooks = {.step = on_interval, .arg = w};
	struct examine_feed into = {.robust = w->r, .o = &o, .hooks = &hooks};
	struct feed *f;
	int err = feed_of_growing(&f, &folder, 1, &opts);

	for (int64_t now = from_ns; !err && now < to_ns; now += INTERVAL_NS) {
		feed_now(f, now);
		err = examine_feed(&into, f);
	}
	feed_free(f);
	free(into.at);
	return err;
}

static int nowhere(void)
{
	int out = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(stdout);
	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	close(null);
	return out;
}

static void back(int out)
{
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
}

static int with_engine(struct sources *s, char *folder, bool is_live, int64_t from_ns,
		       int64_t to_ns)
{
	const struct robust_params p = ROBUST_PARAMS_DEFAULT;
	struct way w = {.r = robust_new(&p)};
	const char *name = is_live ? "live" : "batch";
	double at = cpu_ms();
	int out, err = w.r ? 0 : -1;

	if (err)
		return err;
	robust_measure(w.r, w.stages_s);
	out = nowhere();
	err = is_live ? live(folder, from_ns, to_ns, &w) : batch(s, &w);
	back(out);
	robust_free(w.r);
	printf("%s\t%.3f\n", name, cpu_ms() - at);
	printf("%s_values\t%.3f\n", name, 1e3 * w.stages_s[STAGE_VALUES]);
	printf("%s_compare\t%.3f\n", name, 1e3 * w.stages_s[STAGE_COMPARE]);
	printf("%s_evidence\t%.3f\n", name, 1e3 * w.stages_s[STAGE_EVIDENCE]);
	printf("%s_rules\t%.3f\n", name, 1e3 * w.stages_s[STAGE_RULES]);
	printf("%s_output\t%.3f\n", name, w.verdicts_ms);
	return err;
}

int bench_robust(char *folder)
{
	int64_t from = INT64_MAX, to = INT64_MIN;
	unsigned long long seconds = 0;
	struct sources s = {0};
	double at = cpu_ms();
	int err = sources_open(&s, &folder, 1, NULL, NULL);

	if (err)
		return 1;
	printf("open\t%.3f\n", cpu_ms() - at);
	for (size_t i = 0; i < s.n; i++) {
		seconds += s.at[i].seconds;
		from = s.at[i].first_ns < from ? s.at[i].first_ns : from;
		to = s.at[i].last_ns > to ? s.at[i].last_ns : to;
	}
	printf("files\t%zu\nseconds\t%llu\n", s.n, seconds);
	at = cpu_ms();
	err = read_rows(&s);
	printf("read\t%.3f\n", cpu_ms() - at);
	at = cpu_ms();
	if (!err)
		err = gather(&s);
	printf("gather\t%.3f\n", cpu_ms() - at);
	if (!err)
		err = with_engine(&s, folder, false, from, to);
	print_memory();
	if (!err)
		err = with_engine(&s, folder, true, from, to + 20 * (int64_t)1000000000);
	sources_release(&s);
	return err ? 1 : 0;
}
