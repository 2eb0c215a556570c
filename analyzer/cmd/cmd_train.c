// SPDX-License-Identifier: BSD-2-Clause
/* limpet train: learns from fault-free recordings how much healthy servers differ. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/verdict/sentences.h"
#include "analyzer/methods/model/ganesha.h"
#include "userspace/common/output.h"
#include "analyzer/methods/passes.h"
#include "analyzer/methods/conclude.h"
#include "userspace/common/sort.h"

struct train_opts {
	const char *method, *output, *peers;
	int64_t from_ns, to_ns;
	unsigned int threads;
	struct params params;
	struct table_opts table;
};

#define AT(field)    offsetof(struct train_opts, field)
#define PARAM(field) offsetof(struct train_opts, params.field)

static const struct option_def options[] = {
	{'o', "output", OPT_STRING, AT(output), "MODEL", "where to write the model (needed)", 0, 0},
	{0, "method", OPT_STRING, AT(method), "LIST", "kl, cwnd, ganesha; default: kl,cwnd", 0, 0},
	{0, "from", OPT_TIME, AT(from_ns), "TIME",
	 "only seconds from this time on: '2026-11-21 19:26', 19:26, -10m …", 0, 0},
	{0, "to", OPT_TIME, AT(to_ns), "TIME", "only seconds before this time", 0, 0},
	{0, "smooth", OPT_UINT, PARAM(smooth), "N", "trailing mean over N samples (5)", 1,
	 SMOOTH_MAX},
	{0, "window", OPT_UINT, PARAM(window), "N", "samples in a window (64)", WINDOW_MIN,
	 WINDOW_MAX},
	{0, "shift", OPT_UINT, PARAM(shift), "N", "samples between windows (32)", 1, WINDOW_MAX},
	{0, "bins", OPT_UINT, PARAM(bins), "N", "bins of a histogram (10)", 2, BINS_MAX},
	{0, "votes", OPT_UINT, PARAM(votes), "K", "indict when odd in K of the last 2K-1 (3)", 1,
	 VOTES_MAX},
	{0, "cwnd-smooth", OPT_UINT, PARAM(cwnd_smooth), "N",
	 "trailing mean of cwnd-ln over N samples (31)", 1, SMOOTH_MAX},
	{0, "slack", OPT_DOUBLE, PARAM(slack), "X", "widen the thresholds (1.0)", SLACK_MIN,
	 SLACK_MAX},
	{0, "peers", OPT_STRING, AT(peers), "FILE", "groups of peers: a line of server names each",
	 0, 0},
	{0, "partition", OPT_UINT, PARAM(partition), "N",
	 "kl: compare each server with N others, drawn anew each window", PARTITION_MIN,
	 SOURCE_HOSTS_MAX},
	{0, "threads", OPT_UINT, AT(threads), "N", "work on N threads (1)", 1, 256},
	TABLE_OPTIONS(AT(table)),
	ANALYSIS_LOCAL_TIME,
	{0},
};

/* How many have at least two peers. */
static size_t with_peers(const struct peers *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->parts[i].n_nodes >= NODES_MIN ? p->parts[i].n_nodes : 0;
	return n;
}

static void summary(const struct model *m, const struct frame *f, const struct peers *p,
		    const char *path)
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

	printf("trained on %zu servers, %s to %s, %zu windows: '%s'\n", with_peers(p),
	       output_time(m->from_ns, from), output_time(m->to_ns, to), m->n_windows, path);
	if (with_peers(p) < m->n_nodes)
		printf("  %zu servers in no group, or in one of fewer than %d, are never judged\n",
		       m->n_nodes - with_peers(p), NODES_MIN);
	for (size_t i = 0; i < m->n_trained; i++) {
		const struct trained *t = &m->trained[i];
		double low = INFINITY, high = -INFINITY;

		for (size_t n = 0; n < m->n_nodes; n++) {
			low = fmin(low, t->value[n]);
			high = fmax(high, t->value[n]);
		}
		if (t->windows)
			printf("  %-5s %-8s %s %.3f to %.3f, %zu windows\n", t->method, t->metric,
			       t->method == method_cwnd.name ? "lowest ratio      "
							     : "largest divergence",
			       low, high, t->windows);
		else
			printf("  %-5s %-8s no data: will not be judged\n", t->method, t->metric);
	}
	if (m->ganesha)
		printf("  ganesha %zu profiles of %zu metrics from %zu vectors, threshold %.3f\n",
		       m->ganesha->k, m->ganesha->d, m->ganesha->vectors, m->ganesha->distance);
	frame_report(f);
}

/* Whether anything was learnt. */
static bool learnt(const struct model *m)
{
	return m->ganesha || any_of(i, m->n_trained, m->trained[i].windows > 0);
}

static int learn(struct frame *f, const struct train_opts *o, const struct method *const *chosen,
		 const struct peers *peers, struct model *m)
{
	struct passes_seen seen;
	struct text why TEXT_SCOPED = {0};
	struct cannot cannot;
	int err = passes_train(f, peers, chosen, m, &seen);

	if (err)
		return err;
	m->n_windows = seen.windows;
	cannot = conclude_cannot(f, &o->params, seen.intervals, seen.windows);
	if (cannot.why)
		fail("cannot train: %s", sentence_cannot(&why, &cannot));
	else if (!learnt(m))
		fail("cannot train: no metric had half a window of data on %d servers", NODES_MIN);
	return cannot.why || !learnt(m) ? -ENODATA : 0;
}

/* 0, or negative after a message (-EBADMSG: none). */
static int train(struct frame *f, const struct train_opts *o, const struct method *const *chosen)
{
	struct model m = {0};
	struct peers peers = {0};
	struct peers_file *file = NULL;
	int32_t *group = calloc(f->n_nodes + 1, sizeof(*group));
	int err = group ? 0 : -ENOMEM;

	if (!err && o->peers)
		err = peers_load(&file, o->peers);
	if (file)
		peers_warn(file, (const char(*)[HOST_LEN])f->nodes, f->n_nodes, o->peers);
	for (size_t i = 0; i < f->n_nodes && !err; i++)
		group[i] = peers_group(file, f->nodes[i]);
	if (!err && (peers_of(&peers, f, group) || model_init(&m, f, group, &o->params)))
		err = fail("out of memory");
	err = err ?: learn(f, o, chosen, &peers, &m);
	if (!err) {
		model_mark_counters(&m, f);
		err = model_save(&m, o->output);
	}
	if (!err)
		summary(&m, f, &peers, o->output);
	peers_release(&peers);
	peers_free(file);
	model_release(&m);
	free(group);
	return err;
}

/* Whether kl could indict anybody at all: chance alone must not look like the worst fault. */
static bool kl_sees(const struct params *p, const struct method *const *chosen)
{
	for (; *chosen; chosen++)
		if (*chosen == &method_kl && params_t_min(p) >= 0.9 * params_d_max(p)) {
			fail("windows of %u samples, smoothed over %u, with %u bins are blind: "
			     "chance alone gives divergences of %.2f, and %.2f is the largest "
			     "there can be; use a longer --window",
			     p->window, p->smooth, p->bins, params_t_min(p), params_d_max(p));
			return false;
		}
	return true;
}

static int load_and_train(const struct train_opts *o, const struct method *const *chosen,
			  char *const *paths, size_t n_paths)
{
	struct text notes TEXT_SCOPED = {0};
	struct sources sources = {0};
	struct frame frame = {0};
	bool wanted[M_COUNT] = {false};
	struct table_opts table = table_between(&o->table, o->from_ns, o->to_ns);
	int status, err = sources_open(&sources, paths, n_paths, &table, NULL);

	methods_wanted(chosen, &o->table.metrics, wanted);
	if (!err && !sources.n && !sources.tabular)
		err = fail("nothing can be learnt from logs");
	err = err ?: method_options_meant(&(struct analysis_opts){0}, &sources, READS_FRAMES);
	err = err ?: sources_clocks(&sources, o->from_ns, o->to_ns);
	err = err ?: sources_one_interval(&sources);
	while (!err) {
		err = frame_open(&frame, &sources,
				 &(struct frame_opts){.from_ns = o->from_ns,
						      .to_ns = o->to_ns,
						      .wanted = wanted,
						      .asked = &o->table.metrics,
						      .progress = true,
						      .threads = o->threads});
		err = err ?: train(&frame, o, chosen);
		if (err != -EBADMSG)
			break;
		/* anew without what is damaged: half of such a file must not count */
		frame_release(&frame);
		err = sources_verify(&sources, o->from_ns, o->to_ns);
		if (!err && sources_drop_unreadable(&sources) < 0)
			err = -EBADMSG;
	}
	status = !err ? EXIT_DONE : err == -ENODATA ? EXIT_NO_JUDGEMENT : EXIT_FAILED;
	/* what is odd about the data may be why nothing was learnt */
	if (status == EXIT_NO_JUDGEMENT)
		frame_report(&frame);
	if (status != EXIT_FAILED)
		table_report(&notes, &sources.table);
	fputs(text_of(&notes), stdout);
	frame_release(&frame);
	sources_release(&sources);
	return status;
}

static bool all_are_trained(const struct method *const *chosen)
{
	for (; *chosen; chosen++)
		if (!(*chosen)->passes) {
			fail("the method '%s' needs no training", (*chosen)->name);
			return false;
		}
	return true;
}

/* Whether all that was asked for is of a method that is trained. */
static bool are_heeded(const struct method *const *chosen)
{
	static const struct {
		const char *option;
		const struct method *of;
	} only[] = {{"smooth", &method_kl},
		    {"bins", &method_kl},
		    {"partition", &method_kl},
		    {"cwnd-smooth", &method_cwnd}};

	for (size_t i = 0; i < sizeof(only) / sizeof(*only); i++) {
		const struct method *const *m = chosen;

		while (*m && *m != only[i].of)
			m++;
		if (*m || !option_given(only[i].option))
			continue;
		fail("'--%s' has no meaning without '--method %s'", only[i].option,
		     only[i].of->name);
		return false;
	}
	return true;
}

static int run_train(int argc, char **argv)
{
	struct train_opts o = {.to_ns = INT64_MAX, .threads = 1, .params = PARAMS_DEFAULT};
	const struct method *chosen[METHODS_MAX + 1];
	size_t n;
	int status = options_words(&cmd_train, &o, argc, argv, "a SOURCE", &n);
	const char *wrong = params_check(&o.params);

	if (n && !o.output)
		fail("-o MODEL is needed (see 'limpet train --help')");
	else if (n && wrong)
		fail("%s", wrong);
	else if (n && !methods_parse(o.method, chosen) && all_are_trained(chosen) &&
		 are_heeded(chosen) && kl_sees(&o.params, chosen))
		status = load_and_train(&o, chosen, argv + 1, n);
	options_release(&cmd_train, &o);
	return output_finish(status);
}

const struct command cmd_train = {
	.name = "train",
	.args = "-o MODEL SOURCE…",
	.summary = "learns thresholds from fault-free recordings",
	.options = options,
	.run = run_train,
};
