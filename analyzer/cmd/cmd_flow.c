// SPDX-License-Identifier: BSD-2-Clause
/* limpet flow: what a job waited for, from its logs. */
#include "commands.h"

#include <errno.h>
#include <string.h>

#include "analyzer/engine/states/examine_states.h"
#include "analyzer/jobs/job_flow.h"
#include "analyzer/source/source.h"
#include "analyzer/output/job_flow_print.h"
#include "analyzer/report/flow_pictures.h"
#include "userspace/common/output.h"
#include "analyzer/options/analysis.h"

struct flow_opts {
	struct log_opts logs;
	const char *job, *node, *svg, *lines;
	enum flow_picture picture; /* of --svg */
	struct flow_view view;	   /* of --lines, --from and --to */
	bool json;
};

#define AT(field) offsetof(struct flow_opts, field)

static const struct option_def options[] = {
	{0, "job", OPT_STRING, AT(job), "JOB", "of this job; default: the one that took longest", 0,
	 0},
	{'n', "node", OPT_STRING, AT(node), "NODE",
	 "what the job lost to this server; a picture of it alone", 0, 0},
	LOG_OPTIONS(AT(logs)),
	{'j', "json", OPT_FLAG, AT(json), NULL, "one JSON object", 0, 0},
	{0, "svg", OPT_STRING, AT(svg), "swimlanes|miros|rep|area", "one picture, an SVG drawing",
	 0, 0},
	{0, "lines", OPT_STRING, AT(lines), "server|start|together",
	 "of swimlanes: by server, by start, or attempts that follow each other in one (server)", 0,
	 0},
	{0, "from", OPT_TIME, AT(view.from_ns), "TIME", "of swimlanes and area: from this time on",
	 0, 0},
	{0, "to", OPT_TIME, AT(view.to_ns), "TIME", "of swimlanes and area: before this time", 0,
	 0},
	ANALYSIS_LOCAL_TIME,
	{0},
};

static const char *const lines_words[] = {
	[FLOW_BY_NODE] = "server", [FLOW_BY_START] = "start", [FLOW_TOGETHER] = "together"};

/* The number of a job or server that was asked for, "no job of these logs" if there is none; otherwise *number stays. 0,
 * or not 0 after a message. */
static int find_named(const struct names *names, const char *name, const char *what,
		      uint32_t *number)
{
	int64_t at = name ? names_find(names, name) : *number;

	if (at < 0)
		return fail("'%s' is no %s of these logs", name, what);
	*number = (uint32_t)at;
	return 0;
}

/* What the words of --svg and --lines are; not 0 after a message. */
static int choose_picture(struct flow_opts *o)
{
	while (o->svg && strcmp(o->svg, flow_pictures[o->picture].word) != 0)
		if (++o->picture == FLOW_PICTURE_COUNT)
			return fail("'%s' is no picture: swimlanes, miros, rep or area", o->svg);
	while (o->lines && strcmp(o->lines, lines_words[o->view.lines]) != 0)
		if (++o->view.lines == sizeof(lines_words) / sizeof(*lines_words))
			return fail("'%s' is no order of lines: server, start or together",
				    o->lines);
	return 0;
}

/* What a picture can be told besides what it is of. */
static const struct {
	bool span, node, lines;
} heeds[FLOW_PICTURE_COUNT] = {
	[FLOW_SWIMLANES] = {.span = true, .node = true, .lines = true},
	[FLOW_AREA] = {.span = true, .node = true},
};

static int check_heeds(const struct flow_opts *o)
{
	const char *option = o->lines && !heeds[o->picture].lines ? "lines"
			     : o->node && !heeds[o->picture].node ? "node"
			     : heeds[o->picture].span		  ? NULL
			     : o->view.from_ns			  ? "from"
			     : o->view.to_ns			  ? "to"
								  : NULL;

	if (!o->svg || !option)
		return 0;
	return fail("'--%s' has no meaning for the picture '%s': it is for %s", option, o->svg,
		    !strcmp(option, "lines") ? "swimlanes" : "swimlanes and area");
}

static int draw_flow(const struct flow_opts *o, const struct job_flow *f, uint32_t node)
{
	struct flow_view v = o->view;

	v.node = node;
	if ((v.from_ns && v.from_ns >= f->to_ns) || (v.to_ns && v.to_ns <= f->from_ns) ||
	    (v.to_ns && v.to_ns <= v.from_ns))
		return fail("the job has no state from '--from' to '--to'");
	return flow_picture(stdout, f, o->picture, &v, true) ? fail("out of memory") : 0;
}

/* The server that the engine indicts by these logs while the job ran, the strongest; nothing without one, or where a
 * server was asked for. 0, or negative errno after a message. */
static int find_limping(const struct job_flow *f, struct flow_limping *l)
{
	const struct analysis_opts o = ANALYSIS_DEFAULT;
	struct verdict v;
	int err;

	if (l->node != STATE_NONE)
		return 0;
	err = examine_states(&o, f->s, &v);
	if (err)
		return err;
	for (size_t i = 0; i < v.n_incidents && l->node == STATE_NONE; i++) {
		const struct incident *in = &v.incidents[i];
		int64_t node = names_find(&f->s->nodes, v.nodes[in->node]);

		if (in->suspicion || in->onset_ns >= f->to_ns || in->last_ns <= f->from_ns ||
		    node < 0)
			continue;
		*l = (struct flow_limping){(uint32_t)node, cause_table[in->cause].word};
	}
	verdict_release(&v);
	return 0;
}

/* With what is told of a server. */
static int print_flow(const struct flow_opts *o, const struct job_flow *f, uint32_t node,
		      size_t jobs)
{
	struct flow_limping limping = {.node = node};
	int err = find_limping(f, &limping);

	if (err)
		return err;
	if (o->json)
		return job_flow_json(f, &limping, jobs) ? fail("out of memory") : 0;
	job_flow_text(f, &limping, jobs);
	return 0;
}

static int print(const struct flow_opts *o, const struct states *s)
{
	struct job_flow f = {0};
	size_t jobs;
	uint32_t job = job_flow_longest(s, &jobs), node = STATE_NONE;
	int err = find_named(&s->jobs, o->job, "job", &job);

	err = err ? err : find_named(&s->nodes, o->node, "server", &node);
	if (err)
		return err;
	err = job_flow_make(&f, s, job);
	if (err == -ENODATA)
		fail("there is no map, reduce or task in these logs%s",
		     o->job ? " of this job" : "");
	else if (err)
		fail("out of memory");
	else if (o->svg)
		err = draw_flow(o, &f, node);
	else
		err = print_flow(o, &f, node, jobs);
	job_flow_release(&f);
	return err;
}

static int flow_of(const struct flow_opts *o, char *const *paths, size_t n_paths)
{
	struct text notes TEXT_SCOPED = {0};
	struct sources sources;
	int err = sources_open(&sources, paths, n_paths, NULL, &o->logs);

	if (err)
		return err;
	if (!sources.n_logs)
		err = fail("none of these is a log of a job");
	else
		err = print(o, &sources.states);
	states_report(&notes, &sources.states);
	fputs(text_of(&notes), stderr);
	sources_release(&sources);
	return err;
}

/* What does not go together is said before anything is read. */
static int check_flow_opts(struct flow_opts *o)
{
	if (o->svg && o->json)
		return fail("'--svg' and '--json' exclude each other");
	if (!o->svg && (o->lines || o->view.from_ns || o->view.to_ns))
		return fail("'--lines', '--from' and '--to' are for '--svg'");
	return choose_picture(o) ?: check_heeds(o);
}

static int run_flow(int argc, char **argv)
{
	struct flow_opts o = {0};
	size_t n;
	int status = options_words(&cmd_flow, &o, argc, argv, "a LOG", &n);

	if (n && !check_flow_opts(&o))
		status = output_finish(flow_of(&o, argv + 1, n) ? EXIT_FAILED : EXIT_DONE);
	options_release(&cmd_flow, &o);
	return status;
}

const struct command cmd_flow = {
	.name = "flow",
	.args = "LOG…",
	.summary = "says what a job waited for",
	.options = options,
	.run = run_flow,
};
