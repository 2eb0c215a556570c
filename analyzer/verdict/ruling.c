// SPDX-License-Identifier: BSD-2-Clause
/* Rulings out of diagnoses and of verdicts. */
#include "ruling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/methods/diagnosis.h"
#include "verdict.h"

static int room(struct ruling *r, size_t nodes, size_t incidents, size_t spans)
{
	r->nodes = calloc(nodes + 1, sizeof(*r->nodes));
	r->judged = calloc(nodes + 1, sizeof(*r->judged));
	r->incidents = calloc(incidents + 1, sizeof(*r->incidents));
	r->spans = calloc(spans + 1, sizeof(*r->spans));
	if (r->nodes && r->judged && r->incidents && r->spans)
		return 0;
	ruling_release(r);
	return -ENOMEM;
}

void ruling_release(struct ruling *r)
{
	free(r->nodes);
	free(r->judged);
	free(r->incidents);
	free(r->spans);
	*r = (struct ruling){0};
}

size_t ruling_node(const struct ruling *r, const char *name)
{
	for (size_t i = 0; i < r->n_nodes; i++)
		if (!strcmp(r->nodes[i], name))
			return i;
	return SIZE_MAX;
}

/* ---- of methods on frames -------------------------------------------------------------------------*/

/* Whether a cause could have been named; where nothing was covered, the choice of methods says it. */
static bool could_name(const struct judgement *j)
{
	bool any = !j->n_coverage;

	for (size_t i = 0; i < j->n_coverage; i++)
		any |= j->coverage[i].names_cause;
	return any;
}

/* The frame's servers keep their numbers; those that only the model knows follow. */
static void take_nodes(struct ruling *r, const struct diagnosis *d)
{
	const struct frame *f = &d->frame;

	for (size_t i = 0; i < f->n_nodes; i++) {
		memcpy(r->nodes[i], f->nodes[i], HOST_LEN);
		r->judged[i] = !r->cannot && judgement_of(&d->judgement, i);
	}
	r->n_nodes = f->n_nodes;
	for (size_t i = 0; i < d->model.n_nodes; i++)
		if (ruling_node(r, d->model.nodes[i]) == SIZE_MAX)
			memcpy(r->nodes[r->n_nodes++], d->model.nodes[i], HOST_LEN);
}

int ruling_of_diagnosis(struct ruling *r, const struct diagnosis *d)
{
	const struct paper_verdict *v = &d->verdict;
	const struct frame *f = &d->frame;
	size_t at = 0, n = v->cannot ? 0 : v->n_indicted;

	*r = (struct ruling){.cannot = v->cannot,
			     .recorded = f->n_nodes > 0,
			     .words = WORDS_CHECKLIST,
			     .names_causes = could_name(&d->judgement)};
	if (room(r, f->n_nodes + d->model.n_nodes, n, d->judgement.n_findings))
		return -ENOMEM;
	if (r->recorded) {
		r->from_ns = frame_time(f, 0);
		r->to_ns = frame_time(f, f->n_times);
	}
	take_nodes(r, d);
	for (size_t i = 0; i < n; i++) {
		const struct paper_indictment *in = &v->indicted[i];

		r->incidents[r->n_incidents++] =
			(struct ruling_incident){.node = in->node,
						 .cause = in->rule ? in->rule->cause : CAUSE_NONE,
						 .guess = {0},
						 .spans = r->spans + at,
						 .n = in->n};
		for (size_t k = in->first; k < in->first + in->n; k++) {
			const struct paper_finding *of = &d->judgement.findings[k];

			r->spans[at++] =
				(struct ruling_span){of->onset_ns, of->decided_ns, of->last_ns};
		}
	}
	return 0;
}

/* ---- of robust ------------------------------------------------------------------------------------*/

/* What indicted, each signal by itself; symptoms only support. Without any, the whole incident. */
static size_t take_spans(struct ruling_span *to, const struct incident *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_findings; i++) {
		const struct finding *e = &a->findings[i];

		if (!e->symptom)
			to[n++] = (struct ruling_span){e->onset_ns, e->decided_ns, e->last_ns};
	}
	if (!n)
		to[n++] = (struct ruling_span){a->onset_ns, a->decided_ns, a->last_ns};
	return n;
}

int ruling_of_verdict(struct ruling *r, const struct verdict *a)
{
	size_t spans = 0, at = 0, n = a->cannot ? 0 : a->n_incidents;

	*r = (struct ruling){.cannot = a->cannot,
			     .recorded = a->n_nodes > 0 && a->from_ns < a->to_ns,
			     .from_ns = a->from_ns,
			     .to_ns = a->to_ns,
			     .words = WORDS_ROBUST,
			     .names_causes = true,
			     .directions = true};
	for (size_t i = 0; i < n; i++)
		spans += a->incidents[i].n_findings + 1;
	if (room(r, a->n_nodes, n, spans))
		return -ENOMEM;
	for (size_t i = 0; i < a->n_nodes; i++) {
		memcpy(r->nodes[i], a->nodes[i], HOST_LEN);
		r->judged[i] = !a->cannot && a->judged[i];
	}
	r->n_nodes = a->n_nodes;
	for (size_t i = 0; i < n; i++) {
		const struct incident *ac = &a->incidents[i];
		size_t more = take_spans(r->spans + at, ac);

		r->incidents[r->n_incidents++] = (struct ruling_incident){
			.node = ac->node,
			.cause = ac->cause,
			.guess = ac->guess,
			.direction = ac->cause == CAUSE_PACKET_LOSS ? ac->detail.direction
								    : DIRECTION_NONE,
			.spans = r->spans + at,
			.n = more};
		at += more;
	}
	return 0;
}
