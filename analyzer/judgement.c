// SPDX-License-Identifier: BSD-2-Clause
/* Collects what the methods found. */
#include "judgement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Appends one row of `size` bytes to an array without spare room; rows here are few. */
static int append(void *array, size_t *n, size_t size, const void *row)
{
	void **at = array;
	char *grown = realloc(*at, (*n + 1) * size);

	if (!grown)
		return -ENOMEM;
	memcpy(grown + *n * size, row, size);
	*at = grown;
	++*n;
	return 0;
}

void judgement_release(struct judgement *j)
{
	for (size_t i = 0; i < j->n_coverage; i++)
		free(j->coverage[i].voted);
	free(j->findings);
	free(j->coverage);
	free(j->blind);
	free(j->explained);
	*j = (struct judgement){0};
}

int judgement_add_coverage(struct judgement *j, const struct coverage *c)
{
	return append(&j->coverage, &j->n_coverage, sizeof(*c), c);
}

int judgement_add_blind(struct judgement *j, const struct blind *b)
{
	return append(&j->blind, &j->n_blind, sizeof(*b), b);
}

int judgement_explain(struct judgement *j, const struct explained *e)
{
	if (!j->explain)
		return 0;
	if (j->n_explained == j->cap_explained) {
		size_t cap = j->cap_explained ? 2 * j->cap_explained : 256;
		struct explained *more = realloc(j->explained, cap * sizeof(*more));

		if (!more)
			return -ENOMEM;
		j->explained = more;
		j->cap_explained = cap;
	}
	j->explained[j->n_explained++] = *e;
	return 0;
}

int judgement_add_votes(struct judgement *j, const struct frame *f, const struct coverage *c,
			const struct vote *votes, unsigned int window, unsigned int shift)
{
	struct coverage row = *c;

	row.judged = 0;
	row.voted = calloc(f->n_nodes + 1, sizeof(*row.voted));
	if (!row.voted || judgement_add_coverage(j, &row)) {
		free(row.voted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < f->n_nodes; i++) {
		const struct vote *v = &votes[i];
		struct finding found = {.node = i,
					.metric = c->metric,
					.method = c->method,
					.flagged = v->flagged,
					.judged = v->held,
					.key = v->key};

		row.voted[i] = v->judged >= j->votes;
		row.judged += row.voted[i];
		if (!v->indicted)
			continue;
		found.onset_ns = frame_time(f, v->onset * shift);
		found.last_ns = frame_time(f, v->last * shift + window);
		found.value = v->value / v->flagged;
		found.peers = v->peers / v->flagged;
		if (append(&j->findings, &j->n_findings, sizeof(found), &found))
			return -ENOMEM;
	}
	j->coverage[j->n_coverage - 1].judged = row.judged;
	return 0;
}

bool judgement_made(const struct judgement *j)
{
	for (size_t i = 0; i < j->n_coverage; i++)
		if (j->coverage[i].judged)
			return true;
	return false;
}

bool judgement_of(const struct judgement *j, size_t node)
{
	for (size_t i = 0; i < j->n_coverage; i++)
		if (j->coverage[i].voted && j->coverage[i].voted[node])
			return true;
	return false;
}

bool judgement_direction(const struct judgement *j, enum metric_id metric, double mean,
			 double peers)
{
	if (j->two_sided || metrics[metric].worse == WORSE_EITHER)
		return true;
	return metrics[metric].worse == WORSE_UP ? mean > peers : mean < peers;
}
