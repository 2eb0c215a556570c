// SPDX-License-Identifier: BSD-2-Clause
/* Who deviates in one column of a table: residuals at equal load, evidence, and what comes of it. */
#include "tables_parts.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Intervals times entities; more than this must not be nearly empty, as of frame.h: times at random
 * would cost hours.
 */
#define SPARSE_LOOKS ((size_t)1 << 26)
enum { SPARSE_FACTOR = 1000 };

/* What came and went of one entity, besides how it stands now. */
struct past {
	struct finding strongest; /* score 0: none */
	size_t times;
	int64_t onset_ns, decided_ns, there_ns; /* of the first; of all together */
	bool open;				/* now */
};

struct walk {
	const struct table_signal *s;
	const struct table_entity *e;
	size_t n;
	struct table_found *f;
	struct verdict *a;
	size_t cap_looks;
	struct equal_load *load;
	struct track_group track;
	struct residual *in;
	struct track_values *shown;
	double *peers;
	bool *alone;
	struct past *past;
	size_t samples, work; /* of all; entities looked at, all intervals together */
};

struct finding_about table_about(const struct table_signal *s, const struct table_entity *e)
{
	return (struct finding_about){.signal = s->signal,
				      .node = e->node,
				      .disk = s->t->instances.n ? s->t->instances.at[e->instance]
								: "",
				      .symptom = s->row->role == ROLE_SYMPTOM};
}

/* Of an entity that stands out: the finding with its values as they are shown. */
static struct finding finding_of(const struct walk *w, size_t i)
{
	struct finding e = track_finding(&w->track, i, table_about(w->s, &w->e[i]));

	e.value = table_shown(w->s, e.value);
	e.peers = table_shown(w->s, e.peers);
	return e;
}

/* ---- each interval --------------------------------------------------------------------------- */

static int explain(struct walk *w, size_t i, const struct table_interval *at)
{
	const struct track_entity *st = &w->track.at[i];
	double spread = over_time_spread(w->track.evidence);
	struct explained_look *x;

	if (!isfinite(w->in[i].r))
		return 0;
	x = table_room(w->a->looks, w->a->n_looks, &w->cap_looks, sizeof(*x));
	if (!x)
		return -ENOMEM;
	w->a->looks = x;
	x += w->a->n_looks++;
	*x = (struct explained_look){
		.from_ns = at->from_ns,
		.to_ns = at->to_ns,
		.node = w->e[i].node,
		.signal = w->s->signal,
		.value = table_shown(w->s, st->value),
		.peers = table_shown(w->s, st->peers),
		.d = w->in[i].r,
		.sigma = spread,
		.z = w->in[i].r / spread,
		.ratio = exp(w->in[i].r),
		.flagged = w->in[i].r > w->s->evidence.gate / 2,
		.odd = track_level(st) == EVIDENCE_INDICTED,
	};
	snprintf(x->disk, sizeof(x->disk), "%s", table_about(w->s, &w->e[i]).disk);
	return 0;
}

/* What was indicted is over, or the table ends: of several times the strongest is told, and the time of all. */
static void put_away(struct walk *w, size_t i)
{
	struct past *p = &w->past[i];
	struct finding e = finding_of(w, i);

	p->there_ns += e.last_ns - e.onset_ns;
	if (e.score > p->strongest.score)
		p->strongest = e;
	p->strongest.last_ns = e.last_ns;
}

/* An indictment begins, goes on, or is over. While the evidence is only less than it takes to indict, it goes on. */
static void remember(struct walk *w, size_t i)
{
	const struct track_entity *st = &w->track.at[i];
	struct past *p = &w->past[i];
	bool goes_on = p->open && track_in_trouble(st),
	     begins = !p->open && track_level(st) == EVIDENCE_INDICTED;

	if (begins) {
		p->onset_ns = p->times ? p->onset_ns : st->onset_ns;
		p->decided_ns = p->times ? p->decided_ns : st->decided_ns;
		p->times++;
	}
	if (p->open && !goes_on)
		put_away(w, i);
	p->open = begins || goes_on;
}

static int check_work(struct walk *w)
{
	w->work += w->n;
	if (w->work <= SPARSE_LOOKS || w->work / SPARSE_FACTOR <= w->samples)
		return 0;
	fail("the values of '%s' are spread over too many intervals: a clock was wrong, or choose "
	     "a "
	     "part with --from and --to",
	     w->s->t->metrics.at[w->s->metric]);
	return -E2BIG;
}

/* An excess below the floor is in the yardstick and never in a verdict. */
static void clamp_small(struct walk *w, size_t i)
{
	double floor = w->s->row->floor, value = table_shown(w->s, w->shown[i].value),
	       peers = table_shown(w->s, w->shown[i].peers);

	if (floor > 0 && fabs(value - peers) <= floor)
		w->in[i].r = fmin(w->in[i].r, w->s->evidence.gate / 2);
}

static int judge_interval(void *arg, const struct table_interval *at)
{
	struct walk *w = arg;
	struct table_found *f = w->f;
	unsigned int here = 0;
	int err = check_work(w);

	f->from_ns = f->intervals ? f->from_ns : at->from_ns;
	f->to_ns = at->to_ns;
	f->intervals++;
	equal_load_push(w->load, at->at, w->in, w->peers, w->alone);
	for (size_t i = 0; i < w->n; i++)
		here += isfinite(w->in[i].r);
	for (size_t i = 0; i < w->n; i++) {
		w->shown[i] = (struct track_values){exp(at->at[i].y), exp(w->peers[i]), here - 1,
						    w->alone[i]};
		f->at[i].alone += w->alone[i];
		f->at[i].compared += isfinite(w->in[i].r);
		clamp_small(w, i);
	}
	/* Nobody's silence: with the clock of one a day ahead, the rest of the table is its values alone. */
	if (!here || err)
		return err;
	err = track_group_push(&w->track, w->in, w->shown, at->from_ns, at->to_ns);
	for (size_t i = 0; i < w->n && !err; i++) {
		remember(w, i);
		if (w->s->explain)
			err = explain(w, i, at);
	}
	return err;
}

/* ---- in the end ------------------------------------------------------------------------------ */

static void conclude(struct walk *w, size_t i)
{
	const struct track_entity *st = &w->track.at[i];
	struct table_entity_verdict *v = &w->f->at[i];
	struct past *p = &w->past[i];

	v->tested = st->tested;
	v->least = st->tested ? st->least : NAN;
	v->peers = st->best.n_peers;
	if (!p->times) {
		v->level = track_level(st); /* suspicious, or nothing */
		v->times = 1;
		v->duty = 1;
		if (v->level != EVIDENCE_NONE)
			v->e = finding_of(w, i);
		return;
	}
	if (p->open)
		put_away(w, i);
	v->level = EVIDENCE_INDICTED;
	v->e = p->strongest;
	v->e.open = p->open;
	v->e.onset_ns = p->onset_ns;
	v->e.decided_ns = p->decided_ns;
	v->times = p->times;
	v->duty = v->e.last_ns > v->e.onset_ns
			  ? fmin(1, (double)p->there_ns / (double)(v->e.last_ns - v->e.onset_ns))
			  : 1;
}

static int walk_init(struct walk *w)
{
	const struct track_opts o = {.logarithmic = true,
				     .gate = w->s->evidence.gate,
				     .interval_s = s_of_ns(w->s->interval_ns)};
	int err = track_group_init(&w->track, &o, &w->s->evidence);

	w->load = equal_load_new(w->n, w->s->loaded);
	w->in = calloc(w->n + 1, sizeof(*w->in));
	w->shown = calloc(w->n + 1, sizeof(*w->shown));
	w->peers = calloc(w->n + 1, sizeof(*w->peers));
	w->alone = calloc(w->n + 1, sizeof(*w->alone));
	w->past = calloc(w->n + 1, sizeof(*w->past));
	if (!w->load || !w->in || !w->shown || !w->peers || !w->alone || !w->past)
		err = -ENOMEM;
	return err ? err : track_group_grow(&w->track, w->n);
}

static void walk_release(struct walk *w)
{
	track_group_release(&w->track);
	equal_load_free(w->load);
	free(w->in);
	free(w->shown);
	free(w->peers);
	free(w->alone);
	free(w->past);
}

int table_follow(const struct table_signal *s, struct table_entity *e, size_t n,
		 struct table_found *f, struct verdict *a)
{
	struct walk w = {.s = s, .e = e, .n = n, .f = f, .a = a, .cap_looks = a->n_looks};
	bool tested = false;
	int err = walk_init(&w);

	for (size_t i = 0; i < n; i++)
		w.samples += e[i].end - e[i].begin;
	if (!err)
		err = table_walk(s, e, n, judge_interval, &w);
	for (size_t i = 0; i < n && !err; i++) {
		conclude(&w, i);
		tested |= f->at[i].tested;
		if (w.track.at[i].tested &&
		    !(w.track.at[i].last.least_indicted <= f->least_indicted))
			f->least_indicted = w.track.at[i].last.least_indicted;
	}
	if (!err && w.track.group.halves) {
		f->slow = w.track.group.slow;
		f->of = w.track.group.of;
	}
	walk_release(&w);
	/* too short for any block, or a job's log, in which time says little */
	if (!err && (!tested || s->t->events))
		err = table_look(s, e, n, f);
	return err;
}
