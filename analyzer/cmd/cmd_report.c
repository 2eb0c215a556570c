// SPDX-License-Identifier: BSD-2-Clause
/* limpet report: what `limpet diagnose` finds without training, as one HTML page. */
#include "commands.h"
#include "report_stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"
#include "analyzer/report/flow_pictures.h"
#include "analyzer/report/page.h"
#include "analyzer/methods/examine_sources.h"

struct report_opts {
	struct analysis_opts a;
	const char *output;
	struct string_list symbols;
};

#define AT(field) offsetof(struct report_opts, field)

static const struct option_def options[] = {
	{'o', "output", OPT_STRING, AT(output), "FILE", "the page; -: standard output", 0, 0},
	{0, "symbols", OPT_LIST, AT(symbols), "DIR",
	 "with programs, libraries, debugging symbols: names of functions (repeatable)", 0, 0},
	ANALYSIS_SOURCES(AT(a)),
	ANALYSIS_INTERVALS(AT(a)),
	ANALYSIS_COLUMNS(AT(a)),
	ANALYSIS_LOCAL_TIME,
	{0},
};

/* What is kept for the page while all is judged. */
struct page_content {
	struct history h;
	char (*names)[HOST_LEN]; /* of the history's servers */
	size_t n_names;
	char *jobs, *stacks; /* sections; NULL: there are none */
	const struct string_list *symbols;
	bool failed;
};

static void watched_release(struct page_content *w)
{
	history_release(&w->h);
	free(w->names);
	free(w->jobs);
	free(w->stacks);
}

/* Series files: looks come as they are made, and are not kept besides. */
static int ready(void *arg, struct robust *r)
{
	struct page_content *w = arg;

	history_release(&w->h); /* anew, without files that were found to be damaged */
	history_attach(&w->h, r);
	return 0;
}

static void done(void *arg, struct robust *r)
{
	struct page_content *w = arg;
	size_t n = robust_nodes(r);

	history_finish(&w->h);
	w->names = calloc(n + 1, sizeof(*w->names));
	if (!w->names) {
		w->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		snprintf(w->names[i], HOST_LEN, "%s", robust_node_name(r, i));
	w->n_names = n;
}

/* Logs: pictures of the job that took longest. */
static void jobs(void *arg, const struct states *s)
{
	struct page_content *w = arg;
	struct job_flow f = {0};
	size_t n, len = 0;
	FILE *to = open_memstream(&w->jobs, &len);
	int err = to ? job_flow_make(&f, s, job_flow_longest(s, &n)) : -ENOMEM;

	err = err ?: flow_section(to, &f);
	if (to && fclose(to))
		err = -ENOMEM;
	job_flow_release(&f);
	if (err) {
		free(w->jobs);
		w->jobs = NULL;
	}
	/* logs without an attempt have no such job */
	w->failed = err == -ENOMEM;
}

/* Series files: what threads of those that limp were met in. */
static void judged(void *arg, const struct verdict *a, const struct sources *s)
{
	struct page_content *w = arg;
	struct symbols *symbols = symbols_new(w->symbols->at, w->symbols->n);

	if (!symbols || report_stacks(a, s, symbols, &w->stacks))
		w->failed = true;
	symbols_free(symbols);
}

static int by_name(const void *name, const void *host)
{
	return strcmp(name, host);
}

/* Logs beside series files: servers of both are numbered by name, also where the logs had nothing to judge. */
static int join_states(struct page_content *w, const struct verdict *a)
{
	size_t *map = calloc(w->n_names + 1, sizeof(*map));
	int err = map ? 0 : -ENOMEM;

	for (size_t i = 0; i < w->n_names && !err; i++) {
		char(*host)[HOST_LEN] =
			i < a->n_nodes && !strcmp(a->nodes[i], w->names[i])
				? &a->nodes[i]
				: search(w->names[i], a->nodes, a->n_nodes, by_name);

		if (host)
			map[i] = (size_t)(host - a->nodes);
		else
			err = -ENOENT; /* the verdict has all that were recorded */
	}
	err = err ? err : history_join(&w->h, map, w->n_names, a);
	free(map);
	return err;
}

static int write_page(const struct report_opts *o, const struct verdict *a,
		      const struct page_content *w, bool series)
{
	const struct report r = {.a = a,
				 .h = &w->h,
				 .bands = series || !o->a.peers,
				 .stacks = w->stacks,
				 .jobs = w->jobs};
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	int err = to ? 0 : -ENOMEM;

	if (to) {
		report_page(to, &r);
		err = ferror(to);
		err |= fclose(to);
	}
	if (err) {
		fail("out of memory");
		free(text);
		return -ENOMEM;
	}
	if (strcmp(o->output, "-"))
		err = output_replace(o->output, text, len);
	else
		fwrite(text, 1, len, stdout);
	free(text);
	return err;
}

static int make_report(struct report_opts *o, char *const *paths, size_t n)
{
	struct page_content w = {.symbols = &o->symbols};
	struct examine_hooks hooks = {
		.ready = ready, .done = done, .states = jobs, .judged = judged, .arg = &w};
	struct text why TEXT_SCOPED = {0};
	struct verdict a;
	int status = EXIT_FAILED, err;
	bool series;

	o->a.progress = true;
	o->a.explain = true; /* of tables: ready() takes it back */
	if (examine(&a, &o->a, paths, n, &hooks)) {
		watched_release(&w);
		return EXIT_FAILED;
	}
	series = w.h.engine != NULL;
	w.h.engine = NULL; /* it is gone */
	err = w.failed || w.h.failed ? -ENOMEM
	      : !series		     ? history_of_looks(&w.h, &a) /* of a table */
	      : w.n_names	     ? join_states(&w, &a)
				     : 0;
	if (err)
		fail("cannot draw the page: %s", strerror(-err));
	else if (!write_page(o, &a, &w, series))
		status = EXIT_DONE;
	if (!status && a.cannot.why) {
		fail("cannot judge: %s", sentence_cannot(&why, &a.cannot));
		status = EXIT_NO_JUDGEMENT;
	}
	watched_release(&w);
	verdict_release(&a);
	return status;
}

static int run_report(int argc, char **argv)
{
	struct report_opts o = {.a = ANALYSIS_DEFAULT};
	size_t n;
	int status = options_words(&cmd_report, &o, argc, argv, "a SOURCE", &n);

	if (n && (!o.output || !*o.output))
		fail("say with '-o FILE' where the page goes ('-o -': standard output)");
	else if (n)
		status = make_report(&o, argv + 1, n);
	options_release(&cmd_report, &o);
	return output_finish(status);
}

const struct command cmd_report = {
	.name = "report",
	.args = "-o FILE SOURCE…",
	.summary = "writes the verdict as one HTML page, with charts",
	.options = options,
	.run = run_report,
};
