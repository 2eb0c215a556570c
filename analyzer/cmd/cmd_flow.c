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

struct flow_opts {
	struct log_opts logs;
	const char *job, *node, *svg, *lines;
	int64_t from_ns, to_ns;
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
	{0, "from", OPT_TIME, AT(from_ns), "TIME", "of swimlanes and area: from this time on", 0,
	 0},
	{0, "to", OPT_TIME, AT(to_ns), "TIME", "of swimlanes and area: before this time", 0, 0},
	{0},
};

static const char *const lines_words[] = {
	[FLOW_BY_NODE] = "server", [FLOW_BY_START] = "start", [FLOW_TOGETHER] = "together"};

/* The job asked for, or the longest; STATE_NONE: the logs name none. -EINVAL after a message. */
static int choose_job(const struct flow_opts *o, const struct states *s, uint32_t *job,
		      size_t *jobs)
{
	int64_t at = o->job ? names_find(&s->jobs, o->job) : -1;

	*job = job_flow_longest(s, jobs);
	if (!o->job)
		return 0;
	if (at < 0) {
		fail("'%s' is no job of these logs", o->job);
		return -EINVAL;
	}
	*job = (uint32_t)at;
	return 0;
}

static int choose_node(const struct flow_opts *o, const struct states *s, uint32_t *node)
{
	int64_t at = o->node ? names_find(&s->nodes, o->node) : -1;

	*node = at < 0 ? STATE_NONE : (uint32_t)at;
	if (o->node && at < 0) {
		fail("'%s' is no server of these logs", o->node);
		return -EINVAL;
	}
	return 0;
}

/* What the words of --svg and --lines are; -EINVAL after a message. */
static int choose_picture(const struct flow_opts *o, enum flow_picture *p, struct flow_view *v)
{
	*p = FLOW_PICTURE_COUNT;
	for (size_t i = 0; o->svg && i < FLOW_PICTURE_COUNT; i++)
		if (!strcmp(o->svg, flow_pictures[i].word))
			*p = (enum flow_picture)i;
	if (o->svg && *p == FLOW_PICTURE_COUNT) {
		fail("'%s' is no picture: swimlanes, miros, rep or area", o->svg);
		return -EINVAL;
	}
	for (size_t i = 0; o->lines && i < sizeof(lines_words) / sizeof(*lines_words); i++)
		if (!strcmp(o->lines, lines_words[i])) {
			v->lines = (enum flow_lines)i;
			return 0;
		}
	if (!o->lines)
		return 0;
	fail("'%s' is no order of lines: server, start or together", o->lines);
	return -EINVAL;
}

static int draw(const struct flow_opts *o, const struct job_flow *f, uint32_t node)
{
	struct flow_view v = {.from_ns = o->from_ns, .to_ns = o->to_ns, .node = node};
	enum flow_picture p;

	if (choose_picture(o, &p, &v))
		return -EINVAL;
	if ((o->from_ns && o->from_ns >= f->to_ns) || (o->to_ns && o->to_ns <= f->from_ns) ||
	    (o->to_ns && o->to_ns <= o->from_ns))
		return fail("the job has no state from '--from' to '--to'");
	return flow_picture(stdout, f, p, &v, true) ? fail("out of memory") : 0;
}

/* The server that the engine indicts by these logs while the job ran, the strongest; nothing without one, or where a
 * server was asked for. 0, or negative errno after a message. */
static int find_limping(const struct job_flow *f, struct flow_limping *l)
{
	const struct analysis_opts o = ANALYSIS_DEFAULT;
	struct verdict v;
	int err = l->node == STATE_NONE ? examine_states(&o, f->s, &v) : 0;

	if (err || l->node != STATE_NONE)
		return err;
	for (size_t i = 0; i < v.n_incidents && l->node == STATE_NONE; i++) {
		const struct incident *in = &v.incidents[i];
		int64_t node = names_find(&f->s->nodes, v.nodes[in->node]);

		if (in->suspicious || in->onset_ns >= f->to_ns || in->last_ns <= f->from_ns ||
		    node < 0)
			continue;
		*l = (struct flow_limping){(uint32_t)node, cause_table[in->cause].word};
	}
	verdict_release(&v);
	return 0;
}

/* With what is told of a server. */
static int tell(const struct flow_opts *o, const struct job_flow *f, uint32_t node, size_t jobs)
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
	uint32_t job, node;
	size_t jobs;
	int err = choose_job(o, s, &job, &jobs);

	err = err ? err : choose_node(o, s, &node);
	if (err)
		return err;
	err = job_flow_make(&f, s, job);
	if (err == -ENODATA)
		fail("there is no map, reduce or task in these logs%s",
		     o->job ? " of this job" : "");
	else if (err)
		fail("out of memory");
	else if (o->svg)
		err = draw(o, &f, node);
	else
		err = tell(o, &f, node, jobs);
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
static bool check(const struct flow_opts *o)
{
	enum flow_picture p;
	struct flow_view v;

	if (o->svg && o->json)
		return !fail("'--svg' and '--json' exclude each other");
	if (!o->svg && (o->lines || o->from_ns || o->to_ns))
		return !fail("'--lines', '--from' and '--to' are for '--svg'");
	return !choose_picture(o, &p, &v);
}

static int run(int argc, char **argv)
{
	struct flow_opts o = {0};
	size_t n;
	int status = options_words(&cmd_flow, &o, argc, argv, "a LOG", &n);

	if (n && check(&o))
		status = output_finish(flow_of(&o, argv + 1, n) ? EXIT_FAILED : EXIT_DONE);
	options_release(&cmd_flow, &o);
	return status;
}

const struct command cmd_flow = {
	.name = "flow",
	.args = "LOG…",
	.summary = "says what a job waited for",
	.options = options,
	.run = run,
};
