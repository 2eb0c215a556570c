// SPDX-License-Identifier: BSD-2-Clause
/* Collects what the methods found. */
#include "judgement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

void judgement_forget(struct judgement *j)
{
	for (size_t i = 0; i < j->n_coverage; i++)
		free(j->coverage[i].voted);
	free(j->indictments);
	free(j->coverage);
	free(j->blind);
	free(j->explained);
	j->indictments = NULL;
	j->coverage = NULL;
	j->blind = NULL;
	j->explained = NULL;
	j->n_indictments = j->n_coverage = j->n_blind = j->n_explained = j->cap_explained = 0;
}

void judgement_release(struct judgement *j)
{
	judgement_forget(j);
	*j = (struct judgement){0};
}

void judgement_init(struct judgement *j, const struct frame *whole)
{
	j->n_nodes = whole->n_nodes;
	pthread_mutex_init(&j->lock, NULL);
}

struct coverage *judgement_coverage(const struct judgement *j, size_t metric, const char *method)
{
	return find_if(i, j->coverage, j->n_coverage,
		       j->coverage[i].metric == metric && !strcmp(j->coverage[i].method, method));
}

static struct coverage *coverage_of(struct judgement *j, const struct coverage *c)
{
	struct coverage row = {.metric = c->metric, .method = c->method, .trained = c->trained};
	struct coverage *new = judgement_coverage(j, c->metric, c->method);

	if (new)
		return new;
	row.voted = calloc(j->n_nodes + 1, sizeof(*row.voted));
	new = row.voted ? array_add(&j->coverage, &j->n_coverage) : NULL;
	if (new)
		*new = row;
	else
		free(row.voted);
	return new;
}

struct coverage *judgement_add_coverage(struct judgement *j, const struct coverage *c)
{
	struct coverage *row = coverage_of(j, c);
	size_t differ;

	if (!row)
		return NULL;
	/* alike are all servers only where they are in every group */
	differ = c->windows - c->alike > row->windows - row->alike ? c->windows - c->alike
								   : row->windows - row->alike;
	row->windows = c->windows > row->windows ? c->windows : row->windows;
	row->alike = row->windows - differ;
	row->trained = c->trained > row->trained ? c->trained : row->trained;
	return row;
}

void coverage_judged(struct coverage *row, const struct frame *part, size_t i)
{
	row->voted[part->row[i]] = true;
	row->judged++;
}

int judgement_add_indictment(struct judgement *j, const struct frame *part, size_t metric,
			     const char *method, const struct finding_about *about)
{
	struct indictment row = {.metric = metric, .method = method, .about = *about};

	row.about.node = part->row[about->node];
	return array_put(&j->indictments, &j->n_indictments, row);
}

int judgement_add_blind(struct judgement *j, const struct frame *part, const struct blind *b)
{
	struct blind row = *b;

	row.node = part->row[b->node];
	return array_put(&j->blind, &j->n_blind, row);
}

int judgement_explain(struct judgement *j, const struct frame *part, const struct explained *e)
{
	struct explained *new;

	if (!j->explain)
		return 0;
	pthread_mutex_lock(&j->lock);
	new = array_refill(&j->explained, &j->n_explained, &j->cap_explained);
	if (new) {
		*new = *e;
		new->node = part->row[e->node];
	}
	pthread_mutex_unlock(&j->lock);
	return new ? 0 : -ENOMEM;
}

/* A judgement has few methods, so their order is that of the coverage. */
static int by_metric_window_node(const void *a, const void *b)
{
	const struct explained *x = a, *y = b;

	/* kl before cwnd, as they are judged */
	return strcmp(y->method, x->method) ?: ORDER(x->metric, y->metric)
		       ?: ORDER(x->window, y->window) ?: ORDER(x->node, y->node);
}

COMPARISON(by_metric_node, struct blind, ORDER(a->metric, b->metric) ?: ORDER(a->node, b->node))

void judgement_sort(struct judgement *j)
{
	sort(j->blind, j->n_blind, by_metric_node);
	sort(j->explained, j->n_explained, by_metric_window_node);
}

int judgement_add_votes(struct judgement *j, const struct frame *part, const struct coverage *c,
			const struct vote *votes, unsigned int window, unsigned int shift)
{
	struct coverage *row = judgement_add_coverage(j, c);
	int err = row ? 0 : -ENOMEM;

	for (size_t i = 0; i < part->n_nodes && !err; i++) {
		const struct vote *v = &votes[i];
		struct finding_about about;

		if (v->judged >= j->votes)
			coverage_judged(row, part, i);
		if (!v->indicted)
			continue;
		about = (struct finding_about){
			.node = i,
			.flagged = v->flagged,
			.judged = v->held,
			.score = v->key,
			.onset_ns = frame_time(part, v->onset * shift),
			.last_ns = frame_time(part, v->last * shift + window),
			.decided_ns = frame_time(part, v->decided * shift + window),
			.open = (unsigned int)__builtin_popcount(v->recent) >= j->votes,
			.value = v->value / v->flagged,
			.peers = v->peers / v->flagged};
		err = judgement_add_indictment(j, part, c->metric, c->method, &about);
	}
	return err;
}

bool judgement_made(const struct judgement *j)
{
	return any_of(i, j->n_coverage, j->coverage[i].judged);
}

bool judgement_direction(const struct judgement *j, const struct frame_metric *metric, double mean,
			 double peers)
{
	if (j->two_sided || metric->worse == WORSE_EITHER)
		return true;
	return metric->worse == WORSE_UP ? mean > peers : mean < peers;
}
