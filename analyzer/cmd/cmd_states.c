// SPDX-License-Identifier: BSD-2-Clause
/* limpet states: what logs say jobs did on each server, as sums, as CSV, or as JSON Lines. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "states_sums.h"
#include "analyzer/source/logs/log_source.h"
#include "analyzer/source/source.h"
#include "analyzer/output/states_lines.h"
#include "userspace/common/output.h"
#include "analyzer/options/analysis.h"
#include "userspace/common/sort.h"

struct states_opts {
	struct log_opts logs;
	struct string_list nodes, jobs, kinds, ids, inputs;
	bool csv, json;
};

#define AT(field) offsetof(struct states_opts, field)

static const struct option_def options[] = {
	{'n', "node", OPT_LIST, AT(nodes), "NODE", "only this server (repeatable)", 0, 0},
	{0, "job", OPT_LIST, AT(jobs), "JOB", "only this job (repeatable)", 0, 0},
	{0, "state", OPT_LIST, AT(kinds), "STATE", "only this state (repeatable)", 0, 0},
	{0, "id", OPT_LIST, AT(ids), "ID",
	 "only states of this task, block …: each with its data and its line in the log", 0, 0},
	{0, "input", OPT_LIST, AT(inputs), "ITEM",
	 "only states that read or wrote this: a file, or FILE:OFFSET+LENGTH", 0, 0},
	LOG_OPTIONS(AT(logs)),
	{0, "csv", OPT_FLAG, AT(csv), NULL, "one line per state", 0, 0},
	{'j', "json", OPT_FLAG, AT(json), NULL, "one JSON object per state", 0, 0},
	ANALYSIS_LOCAL_TIME,
	{0},
};

struct show_states {
	const struct states_opts *o;
	const struct states *s;
	size_t *at; /* those that are asked for, in order of time, server's name, state and id */
	size_t n;
};

/* ---- what is asked for --------------------------------------------------------------------------- */

/* "FILE" is also any part of it, "FILE:OFFSET+LENGTH". */
static bool has_item(const struct string_list *l, const char *item)
{
	for (size_t i = 0; i < l->n; i++) {
		size_t len = strlen(l->at[i]);

		if (!strncmp(l->at[i], item, len) && (!item[len] || item[len] == ':'))
			return true;
	}
	return false;
}

static bool is_wanted(const struct show_states *w, const struct state *st)
{
	const struct states_opts *o = w->o;
	const struct states *s = w->s;

	return string_list_allows(&o->nodes, states_name(&s->nodes, st->node)) &&
	       string_list_allows(&o->jobs, states_name(&s->jobs, st->job)) &&
	       string_list_allows(&o->kinds, state_rows[st->kind].word) &&
	       string_list_allows(&o->ids, states_name(&s->ids, st->id)) &&
	       (!o->inputs.n || has_item(&o->inputs, states_name(&s->items, st->in)) ||
		has_item(&o->inputs, states_name(&s->items, st->out)));
}

/* As states_finish(), but by name: the order of files and of hosts' numbers does not show. */
static int by_name(const void *a, const void *b, void *arg)
{
	const struct states *s = arg;
	const struct state *x = &s->at[*(const size_t *)a], *y = &s->at[*(const size_t *)b];
	int c;

	if (x->start_ns != y->start_ns)
		return ORDER(x->start_ns, y->start_ns);
	c = strcmp(states_name(&s->nodes, x->node), states_name(&s->nodes, y->node));
	if (c || x->kind != y->kind)
		return c ? c : ORDER(x->kind, y->kind);
	return strcmp(states_name(&s->ids, x->id), states_name(&s->ids, y->id));
}

static int choose_states(struct show_states *w)
{
	w->at = malloc((w->s->n + 1) * sizeof(*w->at));
	if (!w->at)
		return fail("out of memory");
	for (size_t i = 0; i < w->s->n; i++)
		if (is_wanted(w, &w->s->at[i]))
			w->at[w->n++] = i;
	/* they are in order of time: what begins at one time is left */
	for (size_t i = 0, end; i < w->n; i = end) {
		for (end = i + 1;
		     end < w->n && w->s->at[w->at[end]].start_ns == w->s->at[w->at[i]].start_ns;)
			end++;
		sort_with(w->at + i, end - i, by_name, (void *)(uintptr_t)w->s);
	}
	return 0;
}

static int print_all(struct show_states *w)
{
	const struct states_opts *o = w->o;

	if (!o->csv && !o->json && !o->ids.n && !o->inputs.n)
		return states_print_sums(w->s, w->at, w->n);
	if (o->csv)
		states_csv_header();
	for (size_t i = 0; i < w->n && !ferror(stdout); i++) {
		const struct state *st = &w->s->at[w->at[i]];

		if (o->csv)
			state_print_csv(w->s, st);
		else if (o->json)
			state_print_json(w->s, st);
		else
			state_print_words(w->s, st);
	}
	return 0;
}

static int check_states_opts(const struct states_opts *o)
{
	if (o->csv && o->json)
		return fail("'--csv' and '--json' exclude each other");
	for (size_t i = 0; i < o->kinds.n; i++)
		if (state_by_word(o->kinds.at[i]) == STATE_KIND_COUNT)
			return fail("'%s' is no state", o->kinds.at[i]);
	return 0;
}

static int show(const struct states_opts *o, char *const *paths, size_t n)
{
	struct text notes TEXT_SCOPED = {0};
	struct sources sources;
	struct show_states w = {.o = o, .s = &sources.states};
	int err = sources_open(&sources, paths, n, NULL, &o->logs);

	if (err)
		return err;
	states_report(&notes, &sources.states);
	if (!sources.states.n) {
		fputs(text_of(&notes), stderr); /* which may say why */
		sources_release(&sources);
		return fail("there is no state in the logs");
	}
	err = choose_states(&w);
	if (!err && !w.n)
		err = fail("none of the states asked for is in the logs");
	err = err ?: print_all(&w);
	fflush(stdout);
	fputs(text_of(&notes), stderr);
	free(w.at);
	sources_release(&sources);
	return err;
}

static int run_states(int argc, char **argv)
{
	struct states_opts o = {0};
	size_t n;
	int status = options_words(&cmd_states, &o, argc, argv, "a LOG", &n);

	if (n && !check_states_opts(&o))
		status = output_finish(show(&o, argv + 1, n) ? EXIT_FAILED : EXIT_DONE);
	options_release(&cmd_states, &o);
	return status;
}

/* Sums have no times. */
static const struct option_need needs[] = {{"local-time", {"--id", "--input"}}, {0}};

const struct command cmd_states = {
	.name = "states",
	.args = "LOG…",
	.summary = "prints what jobs did on each server, from their logs",
	.options = options,
	.run = run_states,
	.needs = needs,
};
