// SPDX-License-Identifier: BSD-2-Clause
/* What all methods that read frames do: model, sources, frame, peers, methods, verdict, in this order. */
#include "method.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conclude.h"
#include "analyzer/methods/model/ganesha.h"
#include "passes.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"

struct diagnosis {
	struct model model; /* without one: nothing trained, the frame's servers, default windows */
	struct sources sources;
	struct frame frame;
	struct peers peers;
	struct judgement judgement;
	size_t *index;
	struct cannot cannot;
};

static bool was_trained(const struct model *m, const struct method *method)
{
	if (method == &method_ganesha)
		return m->ganesha != NULL;
	return !method->passes ||
	       any_of(i, m->n_trained, !strcmp(m->trained[i].method, method->name));
}

/* Those asked for by name, which must have been trained; else all that were. */
static int choose_trained(const struct model *m, const struct analysis_opts *o,
			  const struct method *const *asked,
			  const struct method *chosen[METHODS_MAX + 1])
{
	size_t n = 0;

	for (; asked[n]; n++) {
		chosen[n] = asked[n];
		if (was_trained(m, asked[n]))
			continue;
		if (o->model)
			fail("the model '%s' was not trained for the method '%s'", o->model,
			     asked[n]->name);
		else
			fail("the method '%s' needs a model: give one that 'limpet train' wrote",
			     asked[n]->name);
		return -EINVAL;
	}
	for (size_t i = 0; o->model && !asked[0] && methods[i]; i++)
		if (methods[i]->passes && was_trained(m, methods[i]))
			chosen[n++] = methods[i];
	chosen[n] = NULL;
	if (n || !o->model)
		return 0;
	return fail("the model '%s' was not trained for any method", o->model);
}

/*
 * A table must have every column that the chosen methods were trained on, unless columns are asked
 * for by name. sysstat's files and series files have what was measured.
 */
static int fit_columns(const struct diagnosis *d, const struct method *const *chosen)
{
	const struct model *m = &d->model;
	const struct frame *f = &d->frame;
	const struct names *columns = &d->sources.table.metrics;
	const char *lacks = NULL;

	if (!d->sources.tabular || d->sources.table.sysstat || f->metrics[0].asked)
		return 0;
	for (; *chosen && !lacks; chosen++) {
		for (size_t i = 0; i < m->n_trained && !lacks; i++)
			if (!strcmp(m->trained[i].method, (*chosen)->name) &&
			    m->trained[i].windows && names_find(columns, m->trained[i].metric) < 0)
				lacks = m->trained[i].metric;
		for (size_t i = 0; *chosen == &method_ganesha && i < m->ganesha->d && !lacks; i++)
			if (names_find(columns, m->ganesha->metrics[i]) < 0)
				lacks = m->ganesha->metrics[i];
	}
	if (!lacks)
		return 0;
	return fail("the model does not fit: trained on the metric '%s', which the data do not "
		    "have; choose others with '--metric', or another '--method'",
		    lacks);
}

/* The group of a host the model does not know: the only one, or none. */
static int32_t group_of_unknown(const struct model *m)
{
	return any_of(i, m->n_nodes, m->group[i]) ? PEERS_NONE : 0;
}

/* What is not asked for is as in training. */
static int untrained_params(struct params *p, const struct analysis_opts *o)
{
	const char *wrong;

	*p = PARAMS_DEFAULT;
	if (o->window) {
		p->window = o->window;
		p->shift = (o->window + 1) / 2;
	}
	if (o->shift)
		p->shift = o->shift;
	wrong = params_check(p);
	if (wrong)
		fail("%s", wrong);
	return wrong ? -EINVAL : 0;
}

/* In place of a model: it knows every server, and has learnt nothing. */
static int no_model(struct diagnosis *d, const int32_t *groups)
{
	struct params p = d->model.params;
	int err = model_init(&d->model, &d->frame, groups, &p);

	d->index = err ? NULL : calloc(d->frame.n_nodes + 1, sizeof(*d->index));
	for (size_t i = 0; d->index && i < d->frame.n_nodes; i++)
		d->index[i] = i;
	return d->index ? 0 : -ENOMEM;
}

/* The model's groups; a peers file must say the same of every host the model knows. */
static int groups_fit(const struct diagnosis *d, const struct analysis_opts *o,
		      const int32_t *groups)
{
	const struct frame *f = &d->frame;

	for (size_t i = 0; i < f->n_nodes; i++) {
		size_t known = d->index[i];

		if (known == SIZE_MAX || !o->peers || groups[i] == d->model.group[known])
			continue;
		return fail("the model does not fit: '%s' puts '%s' in another group than the "
			    "model has it (groups are numbered as they stand in the file)",
			    o->peers, f->nodes[i]);
	}
	return 0;
}

static int group(struct diagnosis *d, const struct analysis_opts *o)
{
	const struct frame *f = &d->frame;
	struct peers_file *file = NULL;
	int32_t *groups = calloc(f->n_nodes + 1, sizeof(*groups)),
		unknown = group_of_unknown(&d->model);
	int err = groups ? 0 : -ENOMEM;

	if (!err && o->peers)
		err = peers_load(&file, o->peers);
	for (size_t i = 0; i < f->n_nodes && !err; i++) {
		size_t known = d->index ? d->index[i] : SIZE_MAX;

		groups[i] = o->peers		? peers_group(file, f->nodes[i])
			    : known != SIZE_MAX ? d->model.group[known]
						: unknown;
	}
	if (!err && o->model)
		err = groups_fit(d, o, groups);
	else if (!err)
		err = no_model(d, groups);
	err = err ?: peers_of(&d->peers, f, groups);
	if (err == -ENOMEM)
		fail("out of memory");
	peers_free(file);
	free(groups);
	return err;
}

static int judge_frame(struct diagnosis *d, const struct method *const *chosen)
{
	struct frame *f = &d->frame;
	struct judgement *j = &d->judgement;
	const struct params *p = &d->model.params;
	struct passes_seen seen;
	int err;

	judgement_init(j, f);
	err = passes_judge(f, &d->peers, chosen, &d->model, d->index, j, &seen);
	if (err)
		return err;
	j->n_useful = seen.windows;
	d->cannot = conclude_cannot(f, p, seen.intervals, seen.windows);
	if (d->cannot.why)
		judgement_forget(j);
	return 0;
}

static int load(struct diagnosis *d, const struct analysis_opts *o, char *const *paths,
		size_t n_paths, const struct method *const *asked,
		const struct method *chosen[METHODS_MAX + 1])
{
	struct table_opts table = table_between(&o->table, o->from_ns, o->to_ns);
	bool wanted[M_COUNT] = {false}, per_node = false;
	int err = 0;

	if (o->model && (o->window || o->shift)) {
		err = fail("'--window' and '--shift' are for methods without a model: '%s' has its "
			   "own",
			   o->model);
	} else if (o->model) {
		err = model_load(&d->model, o->model, method_trained);
	} else {
		err = untrained_params(&d->model.params, o);
	}
	if (err)
		return err;
	if (o->slack > 0)
		d->model.params.slack = o->slack;
	d->judgement = (struct judgement){.two_sided = o->two_sided,
					  .explain = o->explain,
					  .weighted = o->weighted,
					  .votes = o->votes ? o->votes : d->model.params.votes};
	d->model.params.votes = d->judgement.votes;
	err = choose_trained(&d->model, o, asked, chosen);
	if (!err && o->model && !asked[0])
		err = methods_heed(chosen, o);
	if (err)
		return err;
	for (size_t i = 0; chosen[i]; i++)
		per_node |= chosen[i]->per_node;
	methods_wanted(chosen, &o->table.metrics, wanted);
	if (!d->sources.n)
		err = sources_open(&d->sources, paths, n_paths, &table, &o->logs);
	if (!err && !d->sources.n && !d->sources.tabular)
		err = fail("'--method %s' reads no logs, and there is nothing else",
			   asked[0] ? asked[0]->name : "kl");
	err = err ?: method_options_meant(o, &d->sources, READS_FRAMES);
	err = err ?: sources_clocks(&d->sources, o->from_ns, o->to_ns);
	err = err ?: sources_one_interval(&d->sources);
	if (!err)
		err = frame_open(&d->frame, &d->sources,
				 &(struct frame_opts){.from_ns = o->from_ns,
						      .to_ns = o->to_ns,
						      .wanted = wanted,
						      .asked = &o->table.metrics,
						      .progress = o->progress,
						      .threads = o->threads});
	if (!err && o->model)
		err = model_fit(&d->model, &d->frame, per_node, &d->index);
	if (!err && o->model)
		err = fit_columns(d, chosen);
	return err ?: group(d, o);
}

static void release(struct diagnosis *d)
{
	judgement_release(&d->judgement);
	peers_release(&d->peers);
	frame_release(&d->frame);
	sources_release(&d->sources);
	model_release(&d->model);
	free(d->index);
	*d = (struct diagnosis){0};
}

/* To begin anew: half of a damaged file must not count. */
static int without_damaged(struct diagnosis *d, const struct analysis_opts *o)
{
	struct sources s = d->sources;
	ssize_t dropped;
	int err;

	d->sources = (struct sources){0};
	release(d);
	d->sources = s;
	err = sources_verify(&d->sources, o->from_ns, o->to_ns);
	dropped = err ? err : sources_drop_unreadable(&d->sources);
	return dropped < 0 ? (int)dropped : 0;
}

int method_note_sources(struct verdict *v, const struct sources *s)
{
	int err = verdict_note_lines(v, text_of(&s->notes));

	if (!err)
		err = verdict_note_lines(
			v, text_of(&s->states.notes)); /* clocks that disagree, and the like */
	for (size_t i = 0; i < s->n_bad && !err; i++)
		err = verdict_left_out(v, s->bad[i].server,
				       s->bad[i].path ? source_base(s->bad[i].path) : "",
				       s->bad[i].why);
	return err;
}

static int conclude_frame(struct diagnosis *d, const struct method *const *chosen,
			  struct verdict *v)
{
	int err = conclude(v, &(struct conclusion){.frame = &d->frame,
						   .model = &d->model,
						   .judgement = &d->judgement,
						   .methods = chosen,
						   .table = &d->sources.table,
						   .cannot = d->cannot});

	err = err ?: method_note_sources(v, &d->sources);
	if (err) {
		verdict_release(v);
		fail("out of memory");
	}
	return err;
}

const char *const method_frames_heeds[] = {"model",  "slack", "votes", "two-sided",
					   "window", "shift", NULL};

int method_frames(struct verdict *v, const struct method *const *asked,
		  const struct analysis_opts *o, char *const *paths, size_t n_paths)
{
	const struct method *chosen[METHODS_MAX + 1];
	struct diagnosis d = {0};
	int err;

	*v = (struct verdict){0};
	do {
		err = load(&d, o, paths, n_paths, asked, chosen);
		if (!err) {
			err = judge_frame(&d, chosen);
		} else if (err == -ENODATA) {
			/* as sources_open() or frame_open() said, which left theirs empty */
			d.cannot.why = d.sources.n || d.sources.tabular ? CANNOT_NOT_RECORDED
									: CANNOT_EMPTY_SOURCE;
			err = 0;
		}
	} while (err == -EBADMSG && d.sources.n && !(err = without_damaged(&d, o)));
	err = err ?: conclude_frame(&d, chosen, v);
	release(&d);
	return err;
}
