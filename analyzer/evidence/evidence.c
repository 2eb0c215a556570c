// SPDX-License-Identifier: BSD-2-Clause
/* Evidence at every length: its memory, and one interval through both views. */
#include "evidence_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/array.h"

static const double R_MAX =
	20; /* ln: beyond this a value is damaged, and its squares are to stay finite */

static bool sensible(const struct evidence_params *p)
{
	return p->interval_s > 0 && p->budget > 0 && p->looks > 0 && p->floor > 0 &&
	       p->k_min >= EVIDENCE_SHORTEST && p->k_min <= p->k_max &&
	       p->k_max <= EVIDENCE_LONGEST;
}

struct evidence *evidence_new(size_t n, const struct evidence_params *p)
{
	struct evidence *e;

	if (!sensible(p)) {
		errno = EINVAL;
		return NULL;
	}
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->p = *p;
	for (size_t view = 0; view < 2; view++)
		for (unsigned int k = 1; k <= p->k_max; k++)
			e->view[view].length[k].intervals = 1U << k;
	own_start(e);
	if (evidence_grow(e, n)) {
		evidence_free(e);
		errno = ENOMEM;
		return NULL;
	}
	return e;
}

void evidence_free(struct evidence *e)
{
	if (!e)
		return;
	for (size_t view = 0; view < 2; view++) {
		for (unsigned int k = 1; k <= e->p.k_max; k++) {
			free(e->view[view].length[k].half);
			free(e->view[view].length[k].at);
		}
		free(e->view[view].course);
	}
	free(e->own);
	free(e->out);
	free(e->in);
	free(e->less);
	free(e->block);
	free(e->window);
	free(e->m);
	free(e->g);
	free(e->extra);
	free(e->some);
	free(e->core);
	free(e);
}

#define LARGER(array) array_extend(&(array), e->n, n)

/* Blocks and judgements of entities from `have` on, up to n; of a length that has them. 0 or -ENOMEM. */
static int more_blocks(struct length *l, size_t have, size_t n)
{
	const struct block empty = {.top = {-INFINITY, -INFINITY, -INFINITY}};

	if (array_extend(&l->half, have, n))
		return -ENOMEM;
	for (size_t i = have; i < n; i++)
		l->half[i] = empty;
	return 0;
}

static int more_judged(struct length *l, size_t have, size_t n)
{
	const struct judged none = {.u = {NAN, NAN},
				    .m = {NAN, NAN},
				    .effect = NAN,
				    .t = NAN,
				    .error = NAN,
				    .seen = NAN,
				    .noticed = NAN};

	if (array_extend(&l->at, have, n))
		return -ENOMEM;
	for (size_t i = have; i < n; i++)
		l->at[i] = none;
	return 0;
}

static int grow_view(struct evidence *e, struct view *v, size_t n)
{
	int err = LARGER(v->course);

	for (unsigned int k = 1; k <= e->p.k_max && !err; k++) {
		struct length *l = &v->length[k];

		if (l->half)
			err = more_blocks(l, e->n, n);
		if (l->at && !err)
			err = more_judged(l, e->n, n);
	}
	return err;
}

/*
 * A length takes memory when the data are as long: a day takes two thirds of what two weeks do. What was
 * passed over counts as blocks without a value.
 */
int view_reach(struct evidence *e, struct view *v)
{
	uint64_t now = v->intervals + 1;
	int err = 0;

	for (unsigned int k = 1; k <= e->p.k_max && now >> (k - 1) && !err; k++) {
		struct length *l = &v->length[k];

		if (!l->half)
			err = more_blocks(l, 0, e->n);
		if (!err && !l->at && k >= e->p.k_min && now >> k)
			err = more_judged(l, 0, e->n);
	}
	return err;
}

int evidence_grow(struct evidence *e, size_t n)
{
	if (n <= e->n)
		return 0;
	if (grow_view(e, &e->view[0], n) || grow_view(e, &e->view[1], n) || LARGER(e->own) ||
	    LARGER(e->out) || LARGER(e->in) || LARGER(e->less) || LARGER(e->block) ||
	    LARGER(e->window) || LARGER(e->m) || LARGER(e->g) || LARGER(e->extra) ||
	    LARGER(e->core) || array_extend(&e->some, 2 * e->n, 2 * n))
		return -ENOMEM;
	e->n = n;
	stand(e);
	return 0;
}

/* What is pushed, with numbers that can be trusted. How many have a residual. */
static size_t taken(struct evidence *e, const struct residual *in)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++) {
		struct residual *to = &e->in[i];

		*to = in[i];
		if (!isfinite(to->r) || !isfinite(to->extra) || !isfinite(to->doubt)) {
			*to = (struct residual){.r = NAN};
			continue;
		}
		to->r = fmax(-R_MAX, fmin(R_MAX, to->r));
		to->doubt = fmax(-R_MAX, fmin(R_MAX, to->doubt));
		to->extra = fmax(0, fmin(R_MAX * R_MAX, to->extra));
		e->some[n++] = to->r;
	}
	return n;
}

/* An interval in which n can be compared. 0 or -ENOMEM, then nothing was pushed. */
static int push(struct evidence *e, size_t n)
{
	double middle = stats_quantile(e->some, n, 0.5);
	bool usual;

	for (size_t i = 0; i < e->n; i++)
		e->in[i].r -= middle;
	usual = own_less(e) || e->view[1].begun;
	if (view_reach(e, &e->view[0]) || (usual && view_reach(e, &e->view[1])))
		return -ENOMEM;
	e->changed = false;
	view_push(e, &e->view[0], e->in);
	if (usual)
		view_push(e, &e->view[1], e->less);
	else
		view_pass(&e->view[1]);
	if (e->changed)
		stand(e);
	own_learn(e);
	return 0;
}

int evidence_push(struct evidence *e, const struct residual *in, struct weighed *out,
		  struct evidence_group *group)
{
	size_t n = taken(e, in);

	if (n >= LEAST && push(e, n))
		return -ENOMEM;
	e->pushes++;
	for (size_t i = 0; i < e->n; i++)
		out[i] = e->out[i];
	if (group)
		*group = e->group;
	return 0;
}
