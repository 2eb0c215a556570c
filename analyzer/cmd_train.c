// SPDX-License-Identifier: BSD-2-Clause
/* limpet train: learns from fault-free recordings how much healthy servers differ. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method.h"
#include "output.h"
#include "verdict.h"
#include "windows.h"

struct train_opts {
	const char *method, *output;
	int64_t from_ns, to_ns;
	struct params params;
};

#define AT(field)    offsetof(struct train_opts, field)
#define PARAM(field) offsetof(struct train_opts, params.field)

static const struct option_def options[] = {
	{'o', "output", OPT_STRING, AT(output), "MODEL", "where to write the model (needed)", 0, 0},
	{0, "method", OPT_STRING, AT(method), "LIST", "kl, cwnd; default: both", 0, 0},
	{0, "from", OPT_TIME, AT(from_ns), "TIME", "only seconds from this one on", 0, 0},
	{0, "to", OPT_TIME, AT(to_ns), "TIME", "only seconds before this one", 0, 0},
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
	{0},
};

static void summary(const struct model *m, const struct frame *f, const char *path)
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

	printf("trained on %zu servers, %s to %s, %zu windows: '%s'\n", m->n_nodes,
	       output_time(m->from_ns, from), output_time(m->to_ns, to), m->n_windows, path);
	for (size_t i = 0; i < m->n_trained; i++) {
		const struct trained *t = &m->trained[i];
		double low = INFINITY, high = -INFINITY;

		for (size_t n = 0; n < m->n_nodes; n++) {
			low = fmin(low, t->value[n]);
			high = fmax(high, t->value[n]);
		}
		if (t->windows)
			printf("  %-5s %-8s %s %.3f to %.3f, %zu windows\n", t->method,
			       metrics[t->metric].name,
			       t->method == method_cwnd.name ? "lowest ratio      "
							     : "largest divergence",
			       low, high, t->windows);
		else
			printf("  %-5s %-8s no data: will abstain\n", t->method,
			       metrics[t->metric].name);
	}
	frame_report(f);
}

static int train(const struct frame *f, const struct train_opts *o,
		 const struct method *const *chosen)
{
	size_t n_windows = frame_windows(f, NODES_MIN, o->params.window, o->params.shift);
	struct model m = {0};
	bool any = false;
	char why[256];
	const char *cannot = verdict_cannot(f, &o->params, n_windows, why, sizeof(why));
	int err;

	if (cannot) {
		fail("cannot train: %s", cannot);
		return EXIT_NO_JUDGEMENT;
	}
	err = model_init(&m, f, &o->params);
	m.n_windows = n_windows;
	for (; *chosen && !err; chosen++)
		err = (*chosen)->train(f, &m);
	for (size_t i = 0; i < m.n_trained; i++)
		any |= m.trained[i].windows > 0;
	if (err) {
		fail("out of memory");
	} else if (!any) {
		err = -ENODATA;
		fail("cannot train: no metric had half a window of data on %d servers", NODES_MIN);
	} else {
		err = model_save(&m, o->output);
	}
	if (!err)
		summary(&m, f, o->output);
	model_release(&m);
	return !err ? EXIT_DONE : err == -ENODATA ? EXIT_NO_JUDGEMENT : EXIT_FAILED;
}

/* Whether kl could indict anybody at all: chance alone must not look like the worst fault. */
static bool kl_sees(const struct params *p, const struct method *const *chosen)
{
	for (; *chosen; chosen++)
		if (*chosen == &method_kl && params_t_min(p) >= 0.9 * params_d_max(p)) {
			fail("windows of %u samples, smoothed over %u, with %u bins are blind: "
			     "chance "
			     "alone gives divergences of %.2f, and %.2f is the largest there can "
			     "be; "
			     "use a longer --window",
			     p->window, p->smooth, p->bins, params_t_min(p), params_d_max(p));
			return false;
		}
	return true;
}

static int run(int argc, char **argv)
{
	struct train_opts o = {.to_ns = INT64_MAX, .params = PARAMS_DEFAULT};
	const struct method *chosen[METHODS_MAX + 1];
	struct sources sources = {0};
	struct frame frame = {0};
	bool wanted[M_COUNT] = {false};
	int n = options_parse(&cmd_train, &o, argc, argv), status = EXIT_FAILED, err;
	const char *wrong;

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	if (n < 1 || !o.output) {
		fail("%s is needed (see 'limpet train --help')", n < 1 ? "a SOURCE" : "-o MODEL");
		return EXIT_USAGE;
	}
	wrong = params_check(&o.params);
	if (wrong) {
		fail("%s", wrong);
		return EXIT_USAGE;
	}
	if (methods_parse(o.method, chosen) || !kl_sees(&o.params, chosen))
		return EXIT_USAGE;
	methods_wanted(chosen, wanted);
	err = sources_open(&sources, argv + 1, (size_t)n);
	if (!err)
		err = frame_load(&frame, &sources,
				 &(struct frame_opts){o.from_ns, o.to_ns, wanted});
	if (!err)
		status = train(&frame, &o, chosen);
	else if (err == -ENODATA)
		status = EXIT_NO_JUDGEMENT;
	frame_release(&frame);
	sources_release(&sources);
	return output_finish(status);
}

const struct command cmd_train = {
	.name = "train",
	.args = "-o MODEL SOURCE…",
	.summary = "learns thresholds from fault-free recordings",
	.options = options,
	.run = run,
};
