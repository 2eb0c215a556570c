// SPDX-License-Identifier: BSD-2-Clause
/* limpet states: what logs say jobs did on each server, as sums, as CSV, or as JSON Lines. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/input/logs/log_source.h"
#include "analyzer/input/source.h"
#include "userspace/common/clock.h"
#include "userspace/common/output.h"
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
	{0},
};

static const char *const outcomes[OUTCOME_COUNT] = {"ok", "failed", "killed", "open"};

struct show_states {
	const struct states_opts *o;
	const struct states *s;
	size_t *at; /* those that are asked for, in order of time, server's name, state and id */
	size_t n;
};

/* ---- what is asked for --------------------------------------------------------------------------- */

static const char *name_of(const struct names *names, uint32_t i)
{
	return i == STATE_NONE ? "" : names->at[i];
}

/* An empty list holds everything. */
static bool in_list(const struct string_list *l, const char *word)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i], word))
			return true;
	return !l->n;
}

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

	return in_list(&o->nodes, name_of(&s->nodes, st->node)) &&
	       in_list(&o->jobs, name_of(&s->jobs, st->job)) &&
	       in_list(&o->kinds, state_rows[st->kind].word) &&
	       in_list(&o->ids, name_of(&s->ids, st->id)) &&
	       (!o->inputs.n || has_item(&o->inputs, name_of(&s->items, st->in)) ||
		has_item(&o->inputs, name_of(&s->items, st->out)));
}

/* As states_finish(), but by name: the order of files and of hosts' numbers does not show. */
static int by_name(const void *a, const void *b, void *arg)
{
	const struct states *s = arg;
	const struct state *x = &s->at[*(const size_t *)a], *y = &s->at[*(const size_t *)b];
	int c;

	if (x->start_ns != y->start_ns)
		return ORDER(x->start_ns, y->start_ns);
	c = strcmp(name_of(&s->nodes, x->node), name_of(&s->nodes, y->node));
	if (c || x->kind != y->kind)
		return c ? c : ORDER(x->kind, y->kind);
	return strcmp(name_of(&s->ids, x->id), name_of(&s->ids, y->id));
}

static int choose(struct show_states *w)
{
	w->at = malloc((w->s->n + 1) * sizeof(*w->at));
	if (!w->at)
		return fail("out of memory");
	for (size_t i = 0; i < w->s->n; i++)
		if (is_wanted(w, &w->s->at[i]))
			w->at[w->n++] = i;
	sort_with(w->at, w->n, by_name, (void *)(uintptr_t)w->s);
	return 0;
}

/* ---- a line each ----------------------------------------------------------------------------------- */

/* Text as RFC 4180 quotes it, or as JSON does; names hold neither control characters nor bad UTF-8. */
static void print_csv_text(const char *s)
{
	bool quote = strpbrk(s, ",\"") != NULL;

	if (quote)
		putchar('"');
	for (; *s; s++) {
		if (*s == '"')
			putchar('"');
		putchar(*s);
	}
	if (quote)
		putchar('"');
}

static void print_json_text(const char *key, const char *s)
{
	if (!*s)
		return;
	printf(",\"%s\":\"", key);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar(*s);
	}
	putchar('"');
}

/* Seconds of an exact number of nanoseconds, without trailing zeros. */
static const char *seconds(int64_t ns, char buf[32])
{
	int len = snprintf(buf, 32, "%lld.%09lld", (long long)(ns / NS_PER_S),
			   (long long)(ns % NS_PER_S));

	while (buf[len - 1] == '0')
		buf[--len] = 0;
	if (buf[len - 1] == '.')
		buf[--len] = 0;
	return buf;
}

/* What the user calls its job: the same program on other data is another job. */
static const char *program_of(const struct states *s, const struct state *st)
{
	return st->job < s->jobs.n && s->job ? name_of(&s->classes, s->job[st->job].name) : "";
}

#define CSV_HEADER                                                                               \
	"time,node,state,duration,bytes,records,peer,job,id,class,outcome,progress,in,out,lost," \
	"speculative,file,offset,cpu_s,memory_mib\n"

static void print_csv(const struct states *s, const struct state *st)
{
	char when[TIME_TEXT_LEN], number[32];
	const char *const names[] = {
		name_of(&s->nodes, st->peer),  name_of(&s->jobs, st->job), name_of(&s->ids, st->id),
		name_of(&s->classes, st->cls), outcomes[st->outcome],
	};

	printf("%s,", output_time(st->start_ns, when));
	print_csv_text(name_of(&s->nodes, st->node));
	printf(",%s,%s,", state_rows[st->kind].word,
	       st->outcome == OUTCOME_OPEN ? "" : seconds(st->end_ns - st->start_ns, number));
	if (st->bytes >= 0)
		printf("%lld", (long long)st->bytes);
	putchar(',');
	if (st->records >= 0)
		printf("%lld", (long long)st->records);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		putchar(',');
		print_csv_text(names[i]);
	}
	putchar(',');
	if (!isnan(st->progress))
		printf("%.3g", (double)st->progress);
	putchar(',');
	print_csv_text(name_of(&s->items, st->in));
	putchar(',');
	print_csv_text(name_of(&s->items, st->out));
	printf(",%d,%d,", st->lost, st->speculative);
	print_csv_text(name_of(&s->files, st->file));
	printf(",%llu,", (unsigned long long)st->offset);
	if (!isnan(st->cpu_s))
		printf("%.6g", (double)st->cpu_s);
	putchar(',');
	if (!isnan(st->memory_mib))
		printf("%.9g", (double)st->memory_mib);
	putchar('\n');
}

static void print_json(const struct states *s, const struct state *st)
{
	char when[TIME_TEXT_LEN], number[32];

	printf("{\"time\":\"%s\"", output_time(st->start_ns, when));
	print_json_text("node", name_of(&s->nodes, st->node));
	print_json_text("state", state_rows[st->kind].word);
	/* of an open one it is how long it has lasted at least */
	printf(",\"%s\":%s", st->outcome == OUTCOME_OPEN ? "age" : "duration",
	       seconds(st->end_ns - st->start_ns, number));
	if (st->bytes >= 0)
		printf(",\"bytes\":%lld", (long long)st->bytes);
	if (st->records >= 0)
		printf(",\"records\":%lld", (long long)st->records);
	print_json_text("peer", name_of(&s->nodes, st->peer));
	print_json_text("job", name_of(&s->jobs, st->job));
	print_json_text("program", program_of(s, st));
	print_json_text("id", name_of(&s->ids, st->id));
	print_json_text("class", name_of(&s->classes, st->cls));
	print_json_text("outcome", outcomes[st->outcome]);
	if (!isnan(st->progress))
		printf(",\"progress\":%.3g", (double)st->progress);
	if (!isnan(st->cpu_s))
		printf(",\"cpu_s\":%.6g", (double)st->cpu_s);
	if (!isnan(st->memory_mib))
		printf(",\"memory_mib\":%.9g", (double)st->memory_mib);
	print_json_text("in", name_of(&s->items, st->in));
	print_json_text("out", name_of(&s->items, st->out));
	if (st->lost)
		printf(",\"lost\":true");
	if (st->speculative)
		printf(",\"speculative\":true");
	print_json_text("file", name_of(&s->files, st->file));
	printf(",\"offset\":%llu}\n", (unsigned long long)st->offset);
}

/* One state in words: from a task to its data and to its line in the log. */
static void print_one(const struct states *s, const struct state *st)
{
	char when[TIME_TEXT_LEN], number[32];

	printf("%s  %s of %s on %s: %s%s s, %s%s%s\n", output_time(st->start_ns, when),
	       state_rows[st->kind].word, name_of(&s->ids, st->id), name_of(&s->nodes, st->node),
	       st->outcome == OUTCOME_OPEN ? "at least " : "",
	       seconds(st->end_ns - st->start_ns, number), outcomes[st->outcome],
	       st->lost ? ", lost later" : "", st->speculative ? ", speculative" : "");
	if (st->peer != STATE_NONE)
		printf("  with:  %s\n", s->nodes.at[st->peer]);
	if (st->in != STATE_NONE)
		printf("  in:    %s\n", s->items.at[st->in]);
	if (st->out != STATE_NONE)
		printf("  out:   %s\n", s->items.at[st->out]);
	printf("  log:   %s, byte %llu\n", name_of(&s->files, st->file),
	       (unsigned long long)st->offset);
}

/* ---- sums ------------------------------------------------------------------------------------------ */

/* Of one server and one state. */
struct sum {
	size_t n, failed, killed, open;
	double s, median_s, bytes;
};

static struct sum sum_up(const struct states *s, const size_t *at, size_t n, double *s_each)
{
	struct sum sum = {.n = n};
	size_t ended = 0;

	for (size_t i = 0; i < n; i++) {
		const struct state *st = &s->at[at[i]];

		sum.failed += st->outcome == OUTCOME_FAILED;
		sum.killed += st->outcome == OUTCOME_KILLED;
		sum.open += st->outcome == OUTCOME_OPEN;
		sum.bytes += st->bytes > 0 ? (double)st->bytes : 0;
		if (st->outcome != OUTCOME_OPEN)
			s_each[ended++] = (double)(st->end_ns - st->start_ns) / 1e9;
	}
	for (size_t i = 0; i < ended; i++)
		sum.s += s_each[i];
	sort(s_each, ended, by_double);
	sum.median_s = ended ? (s_each[ended / 2] + s_each[(ended - 1) / 2]) / 2 : NAN;
	return sum;
}

static int by_state_and_node(const void *a, const void *b, void *arg)
{
	const struct states *s = arg;
	const struct state *x = &s->at[*(const size_t *)a], *y = &s->at[*(const size_t *)b];

	if (x->kind != y->kind)
		return ORDER(x->kind, y->kind);
	return strcmp(name_of(&s->nodes, x->node), name_of(&s->nodes, y->node));
}

static int print_sums(struct show_states *w)
{
	const struct states *s = w->s;
	double *s_each = malloc((w->n + 1) * sizeof(*s_each));
	char node[HOST_LEN];

	if (!s_each)
		return fail("out of memory");
	sort_with(w->at, w->n, by_state_and_node, (void *)(uintptr_t)s);
	printf("%-16s %-20s %8s %10s %10s %10s %7s %7s %6s\n", "state", "server", "count",
	       "seconds", "median s", "MiB", "failed", "killed", "open");
	for (size_t i = 0, end; i < w->n; i = end) {
		const struct state *first = &s->at[w->at[i]];
		struct sum sum;

		for (end = i; end < w->n && s->at[w->at[end]].kind == first->kind &&
			      s->at[w->at[end]].node == first->node;)
			end++;
		sum = sum_up(s, w->at + i, end - i, s_each);
		printf("%-16s %-20s %8zu %10.1f ", state_rows[first->kind].word,
		       output_clean(name_of(&s->nodes, first->node), node, sizeof(node)), sum.n,
		       sum.s);
		if (isnan(sum.median_s))
			printf("%10s", "-");
		else
			printf("%10.3f", sum.median_s);
		printf(" %10.1f %7zu %7zu %6zu\n", sum.bytes / (1 << 20), sum.failed, sum.killed,
		       sum.open);
	}
	free(s_each);
	return 0;
}

static int print_all(struct show_states *w)
{
	const struct states_opts *o = w->o;

	if (!o->csv && !o->json && !o->ids.n && !o->inputs.n)
		return print_sums(w);
	if (o->csv)
		printf(CSV_HEADER);
	for (size_t i = 0; i < w->n && !ferror(stdout); i++) {
		const struct state *st = &w->s->at[w->at[i]];

		if (o->csv)
			print_csv(w->s, st);
		else if (o->json)
			print_json(w->s, st);
		else
			print_one(w->s, st);
	}
	return 0;
}

static int check(const struct states_opts *o)
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
	struct sources sources;
	struct show_states w = {.o = o, .s = &sources.states};
	int err = sources_open(&sources, paths, n, NULL, &o->logs);

	if (err)
		return err;
	if (!sources.states.n) {
		states_report(&sources.states, stderr); /* which may say why */
		sources_release(&sources);
		return fail("there is no state in the logs");
	}
	err = choose(&w);
	if (!err && !w.n)
		err = fail("none of the states asked for is in the logs");
	if (!err)
		err = print_all(&w);
	fflush(stdout);
	states_report(&sources.states, stderr);
	free(w.at);
	sources_release(&sources);
	return err;
}

static int run(int argc, char **argv)
{
	struct states_opts o = {0};
	int n = options_parse(&cmd_states, &o, argc, argv), status = EXIT_USAGE;

	if (n == 0)
		fail("a LOG is needed (see 'limpet states --help')");
	else if (n == -ECANCELED)
		status = EXIT_DONE;
	else if (n > 0 && !check(&o))
		status = output_finish(show(&o, argv + 1, (size_t)n) ? EXIT_FAILED : EXIT_DONE);
	string_list_release(&o.nodes);
	string_list_release(&o.jobs);
	string_list_release(&o.kinds);
	string_list_release(&o.ids);
	string_list_release(&o.inputs);
	log_opts_release(&o.logs);
	return status;
}

const struct command cmd_states = {
	.name = "states",
	.args = "LOG…",
	.summary = "prints what jobs did on each server, from their logs",
	.options = options,
	.run = run,
};
