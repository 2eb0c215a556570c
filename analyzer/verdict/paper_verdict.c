// SPDX-License-Identifier: BSD-2-Clause
/* Gathers findings per node, ranks, and asks the checklist for the cause. */
#include "paper_verdict.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/methods/method.h"
#include "analyzer/stat/windows.h"
#include "userspace/common/sort.h"

static int by_node_and_key(const void *a, const void *b)
{
	const struct paper_finding *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->metric < y->metric ? -1 : x->metric > y->metric;
}

static int by_key(const void *a, const void *b)
{
	const struct paper_indictment *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->node < y->node ? -1 : 1;
}

static void gather(const struct paper_verdict *v, struct paper_indictment *in,
		   const struct paper_finding *all, size_t n)
{
	unsigned int symptoms = 0;

	*in = (struct paper_indictment){.node = all[0].node,
					.key = all[0].key,
					.onset_ns = all[0].onset_ns,
					.decided_ns = all[0].decided_ns,
					.last_ns = all[0].last_ns};
	for (; in->n < n && all[in->n].node == in->node; in->n++) {
		const struct paper_finding *f = &all[in->n];

		if (method_by_name(f->method)->causes)
			symptoms |= checklist_symptom(frame_metric(v->frame, f->metric)->known);
		if (f->decided_ns < in->decided_ns)
			in->decided_ns = f->decided_ns;
		in->onset_ns = f->onset_ns < in->onset_ns ? f->onset_ns : in->onset_ns;
		in->last_ns = f->last_ns > in->last_ns ? f->last_ns : in->last_ns;
	}
	in->rule = checklist_rule(symptoms);
}

int paper_verdict_make(struct paper_verdict *v, const struct frame *f, const struct model *m,
		       struct judgement *j, const char *cannot)
{
	*v = (struct paper_verdict){.frame = f, .model = m, .judgement = j, .cannot = cannot};
	if (!cannot && !judgement_made(j))
		v->cannot = "no metric had enough data on three servers; see 'limpet show'";
	v->indicted = calloc(j->n_findings + 1, sizeof(*v->indicted));
	if (!v->indicted)
		return -ENOMEM;
	sort(j->findings, j->n_findings, by_node_and_key);
	for (size_t i = 0; i < j->n_findings; i += v->indicted[v->n_indicted++].n) {
		struct paper_indictment *in = &v->indicted[v->n_indicted];

		gather(v, in, j->findings + i, j->n_findings - i);
		in->first = i;
	}
	sort(v->indicted, v->n_indicted, by_key);
	v->runs = j->n_useful ? (double)m->n_windows / (double)j->n_useful : NAN;
	for (size_t i = 0; i < f->n_nodes; i++)
		v->n_judged += judgement_of(j, i);
	v->odd = v->cannot ? NAN : 1 - pow(v->runs / (v->runs + 1), (double)v->n_judged);
	return paper_unjudged_list(m, f, j, v->cannot != NULL, &v->unjudged, &v->n_unjudged);
}

bool paper_verdict_incomplete(const struct paper_verdict *v)
{
	return v->n_unjudged && !v->unjudged[0].partly; /* those judged on nothing come first */
}

void paper_verdict_release(struct paper_verdict *v)
{
	free(v->indicted);
	free(v->unjudged);
	*v = (struct paper_verdict){0};
}

const char *paper_verdict_cannot(const struct frame *f, const struct params *p, size_t common,
				 size_t n_useful, char *buf, size_t size)
{
	size_t alive = frame_alive(f);

	if (alive < NODES_MIN)
		snprintf(buf, size,
			 "%zu server%s with data, and at least %d are needed to "
			 "compare",
			 alive, alive == 1 ? "" : "s", NODES_MIN);
	else if (!common)
		snprintf(buf, size,
			 "nothing was recorded on %d servers of one group at once: their times do "
			 "not "
			 "overlap, or their groups are smaller",
			 NODES_MIN);
	else if (n_useful < p->votes)
		snprintf(buf, size,
			 "%zu intervals with data on at least %d servers make %zu windows, and %u "
			 "are "
			 "needed: record at least %zu",
			 common, NODES_MIN, n_useful, p->votes,
			 (size_t)p->window + (size_t)(p->votes - 1) * p->shift);
	else
		return NULL;
	return buf;
}
