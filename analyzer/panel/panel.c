// SPDX-License-Identifier: BSD-2-Clause
/* panel.h: members, and one interval after the other. */
#include "panel.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "userspace/common/array.h"

struct evidence_params panel_params(const struct signal_row *row, double interval_s, double budget,
				    double looks, unsigned int shortest)
{
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;

	p.interval_s = interval_s;
	p.budget = budget;
	p.looks = looks;
	p.k_min = shortest;
	if (row->ratio > 0) {
		p.gate = log(row->ratio * GATE_PART);
		p.gate_suspect = p.gate;
		p.gate_few = fmax(p.gate_few, log(row->ratio));
	}
	return p;
}

int panel_init(struct panel *p, const struct panel_opts *o, const struct evidence_params *e)
{
	bool latency = o->row->kind != KIND_NUMBER;
	const struct track_opts t = {.logarithmic = latency,
				     .gate = e->gate,
				     .added = latency ? 0 : o->row->c,
				     .interval_s = e->interval_s};

	*p = (struct panel){.o = *o};
	return track_group_init(&p->track, &t, e);
}

void panel_release(struct panel *p)
{
	track_group_release(&p->track);
	free(p->members);
	free(p->worst);
	*p = (struct panel){0};
}

int panel_join(struct panel *p, const struct panel_member *m)
{
	if (track_group_grow(&p->track, p->n + 1))
		return -ENOMEM;
	if (p->o.whole && array_extend(&p->worst, p->n, p->n + 1))
		return -ENOMEM;
	return array_put(&p->members, &p->n, *m);
}

int panel_values_begin(struct panel_values *v, size_t n)
{
	if (array_extend(&v->in, v->cap, n) || array_extend(&v->shown, v->cap, n) ||
	    array_extend(&v->d, v->cap, n) || array_extend(&v->small, v->cap, n))
		return -ENOMEM;
	v->cap = n > v->cap ? n : v->cap;
	v->weight = 1;
	for (size_t m = 0; m < n; m++) {
		v->in[m] = (struct residual){.r = NAN};
		v->shown[m] = (struct track_values){.value = NAN, .peers = NAN};
		v->d[m] = NAN;
		v->small[m] = false;
	}
	return 0;
}

void panel_values_release(struct panel_values *v)
{
	free(v->in);
	free(v->shown);
	free(v->d);
	free(v->small);
	*v = (struct panel_values){0};
}

static struct observation observation_of(const struct panel *p, const struct panel_values *v,
					 size_t m, int64_t from_ns, int64_t to_ns)
{
	const struct track_entity *st = &p->track.at[m];
	double d = isnan(v->d[m]) ? v->in[m].r / v->weight : v->d[m];
	double spread = over_time_spread(p->track.evidence) / v->weight;

	return (struct observation){
		.from_ns = from_ns,
		.to_ns = to_ns,
		.node = p->members[m].node,
		.disk = p->members[m].disk,
		.signal = p->o.signal,
		.d = d,
		.value = v->shown[m].value,
		.peers = v->shown[m].peers,
		.z = d / spread,
		.ratio = exp(d),
		.spread = spread,
		.score = st->tested ? st->last.t : NAN,
		.needs = st->tested ? st->last.needs : NAN,
		.worse = st->r > p->track.o.gate / 2,
		.level = track_level(st),
	};
}

/* An indictment begins, goes on, or is over. */
static void keep_times(struct panel_worst *w, const struct track_entity *st)
{
	bool goes_on = w->open && track_in_trouble(st),
	     begins = !w->open && track_level(st) == EVIDENCE_INDICTED;

	if (w->open && !goes_on)
		w->there_ns += w->last_ns - w->began_ns;
	if (begins) {
		w->onset_ns = w->times ? w->onset_ns : st->onset_ns;
		w->decided_ns = w->times ? w->decided_ns : st->decided_ns;
		w->began_ns = st->onset_ns;
		w->times++;
	}
	w->open = begins || goes_on;
	if (w->open)
		w->last_ns = st->last_ns;
}

static void keep_worst(struct panel *p, size_t m)
{
	const struct track_entity *st = &p->track.at[m];
	enum evidence_level level = track_level(st);
	struct panel_worst *w = &p->worst[m];
	struct finding e;

	keep_times(w, st);
	if (level == EVIDENCE_NONE || level < w->level)
		return;
	e = panel_finding(p, m);
	if (level == w->level && e.score < w->e.score && e.onset_ns != w->e.onset_ns)
		return;
	w->level = level;
	w->few = track_few(st);
	w->e = e;
}

void panel_look(struct panel *p, size_t m, const struct track_look *x)
{
	track_group_look(&p->track, m, x);
	if (p->worst)
		keep_worst(p, m);
}

int panel_push(struct panel *p, struct panel_values *v, int64_t from_ns, int64_t to_ns,
	       panel_observe_fn *fn, void *arg)
{
	double most = p->track.o.gate / 2;
	int err;

	for (size_t m = 0; m < p->n; m++)
		if (v->small[m] && isfinite(v->in[m].r))
			v->in[m].r = fmin(v->in[m].r, most);
	err = track_group_push(&p->track, v->in, v->weight, v->shown, from_ns, to_ns);
	for (size_t m = 0; m < p->n && p->worst && !err; m++)
		keep_worst(p, m);
	for (size_t m = 0; m < p->n && fn && !err && !p->o.hidden; m++) {
		struct observation o;

		if (!isfinite(v->in[m].r))
			continue;
		o = observation_of(p, v, m, from_ns, to_ns);
		err = fn(arg, p, &o);
	}
	return err;
}

int panel_explain(void *arg, const struct panel *p, const struct observation *o)
{
	struct panel_explained *x = arg;
	struct explained_look e = {.from_ns = o->from_ns,
				   .to_ns = o->to_ns,
				   .node = o->node,
				   .signal = o->signal,
				   .value = signal_shown(p->o.row, o->value),
				   .peers = signal_shown(p->o.row, o->peers),
				   .d = o->d,
				   .sigma = o->spread,
				   .z = o->z,
				   .ratio = o->ratio,
				   .evidence = o->score,
				   .needs = o->needs,
				   .flagged = o->worse,
				   .odd = o->level == EVIDENCE_INDICTED};

	snprintf(e.disk, sizeof(e.disk), "%s", o->disk);
	return array_put(&x->at, &x->n, e);
}
