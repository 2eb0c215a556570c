// SPDX-License-Identifier: BSD-2-Clause
/* job_flow_print.h: what a job waited for, as one JSON object on one line (limpet-flow(1), JSON). Unknown is null. */
#include <errno.h>
#include <stdio.h>

#include "job_flow_print.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_make.h"

/* Names of logs are UTF-8 text (names_add()). */
static json_t *name(const struct names *n, uint32_t i)
{
	return i == STATE_NONE ? json_null() : json_string(n->at[i]);
}

static json_t *state_json(const struct job_flow *f, uint32_t i)
{
	const struct state *x;

	if (i == STATE_NONE)
		return json_null();
	x = &f->s->at[i];
	return json_pack("{s:s s:o s:o s:f}", "state", state_rows[x->kind].word, "id",
			 name(&f->s->ids, x->id), "node", name(&f->s->nodes, x->node), "seconds",
			 s_of_ns(x->end_ns - x->start_ns));
}

static json_t *path_json(const struct job_flow *f)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->n_path; i++) {
		const struct flow_segment *s = &f->path[i];
		const struct state *x = s->state == STATE_NONE ? NULL : &f->s->at[s->state];

		all = append_json(all, json_pack("{s:o s:f s:s s:s? s:o s:o s:o s:o}", "time",
						 time_json(s->from_ns), "seconds",
						 s_of_ns(s->to_ns - s->from_ns), "why",
						 flow_whys[s->why].word, "state",
						 x ? state_rows[x->kind].word : NULL, "id",
						 name(&f->s->ids, x ? x->id : STATE_NONE), "node",
						 name(&f->s->nodes, s->node), "lost_s",
						 number_json(s->lost_s), "inside",
						 state_json(f, s->inside)));
	}
	return all;
}

static json_t *share_json(const char *key, json_t *what, const struct flow_share *s)
{
	return json_pack("{s:o s:f s:f}", key, what, "seconds", s->s, "lost_s", s->lost_s);
}

static json_t *shares_json(const struct job_flow *f)
{
	json_t *nodes = json_array(), *kinds = json_array(), *waits = json_array();

	for (size_t i = 0; i < f->n_share_nodes; i++)
		nodes = append_json(nodes, share_json("node", name(&f->s->nodes, f->nodes[i].what),
						      &f->nodes[i]));
	for (size_t i = 0; i < f->n_kinds; i++)
		kinds = append_json(
			kinds, share_json("state", json_string(state_rows[f->kinds[i].what].word),
					  &f->kinds[i]));
	for (size_t i = 0; i < f->n_waits; i++)
		waits = append_json(waits,
				    share_json("why", json_string(flow_whys[f->waits[i].what].word),
					       &f->waits[i]));
	return json_pack("{s:o s:o s:o}", "nodes", nodes, "states", kinds, "waits", waits);
}

/* Of one that was asked for it alone. */
static json_t *without_json(const struct job_flow *f, const struct flow_limping *limping)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->n_without; i++) {
		const struct flow_without *w = &f->without[i];

		if (limping->node != STATE_NONE && !limping->cause && w->node != limping->node)
			continue;
		all = append_json(all,
				  json_pack("{s:o s:f s:s? s:f s:I s:I}", "node",
					    name(&f->s->nodes, w->node), "seconds", w->s, "state",
					    w->ratio > 1 ? state_rows[w->kind].word : NULL, "ratio",
					    w->ratio, "states", (json_int_t)w->states, "repeated",
					    (json_int_t)w->repeated));
	}
	return all;
}

static json_t *clusters_json(const struct job_flow *f)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->n_clusters; i++) {
		const struct flow_cluster *c = &f->clusters[i];
		json_t *stages = json_array();

		for (size_t k = 0; k < FLOW_STAGES; k++)
			stages = append_json(stages, json_pack("{s:s s:s s:o s:o}", "from",
							       flow_vertex_words[k], "to",
							       flow_vertex_words[k + 1], "seconds",
							       number_json(c->seconds[k]), "bytes",
							       number_json(c->bytes[k])));
		all = append_json(all, json_pack("{s:f s:I s:o}", "paths", c->paths, "pairs",
						 (json_int_t)c->pairs, "edges", stages));
	}
	return all;
}

static json_t *task_name(const struct job_flow *f, uint32_t task)
{
	return task == STATE_NONE ? json_null()
				  : name(&f->s->ids, f->s->at[f->tasks[task].state].id);
}

static json_t *outliers_json(const struct job_flow *f)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->n_outliers; i++) {
		const struct flow_outlier *o = &f->outliers[i];
		size_t stage = o->value % FLOW_STAGES;

		all = append_json(all,
				  json_pack("{s:o s:o s:s s:s s:s s:f s:f s:f}", "map",
					    task_name(f, o->map), "reduce", task_name(f, o->reduce),
					    "from", flow_vertex_words[stage], "to",
					    flow_vertex_words[stage + 1], "of",
					    o->value < FLOW_STAGES ? "seconds" : "bytes", "value",
					    o->is, "usual", o->usual, "z", o->z));
	}
	return all;
}

static json_t *missing_json(const struct job_flow *f)
{
	json_t *all = json_array();
	const char *code;

	for (unsigned int i = 0; job_flow_missing(i, &code); i++)
		if (f->missing & 1U << i)
			all = append_json(all, json_string(code));
	return all;
}

int job_flow_json(const struct job_flow *f, const struct flow_limping *limping, size_t jobs)
{
	json_t *graph =
		json_pack("{s:I s:I s:I s:o s:f s:o s:o}", "vertices", (json_int_t)f->n_vertices,
			  "edges", (json_int_t)f->n_edges, "guessed", (json_int_t)f->n_guessed,
			  "paths", number_json(f->paths), "pairs", f->pairs, "clusters",
			  clusters_json(f), "outliers", outliers_json(f));
	json_t *limps = limping->cause
				? json_pack("{s:o s:s}", "node", name(&f->s->nodes, limping->node),
					    "cause", limping->cause)
				: json_null();
	json_t *all = json_pack("{s:i s:o s:I s:o s:f s:I s:I s:o s:o s:o s:o s:o s:o}", "schema",
				JOB_FLOW_SCHEMA, "job", name(&f->s->jobs, f->job), "jobs",
				(json_int_t)jobs, "time", time_json(f->from_ns), "seconds",
				s_of_ns(f->to_ns - f->from_ns), "servers", (json_int_t)f->n_nodes,
				"attempts", (json_int_t)f->n_tasks, "path", path_json(f), "lost",
				shares_json(f), "without", without_json(f, limping), "limps", limps,
				"graph", graph, "missing", missing_json(f));
	int err = all ? json_dumpf(all, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12)) : -1;

	json_decref(all);
	if (err)
		return -ENOMEM;
	printf("\n");
	return 0;
}
