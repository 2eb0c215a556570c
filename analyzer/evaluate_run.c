// SPDX-License-Identifier: BSD-2-Clause
/* Holds the verdict on one run against its label: hits, misses, alarms, the time to detection. */
#include "evaluate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* When a label's fault was there, within the run; and whom it names. */
struct trial {
	const struct labelled *label;
	const struct diagnosis *d;
	int64_t onset_ns; /* of the fault; of the run where none is given */
};

static bool named(const struct labelled *l, const char *node)
{
	for (size_t i = 0; i < l->n_nodes; i++)
		if (!strcmp(l->nodes[i], node))
			return true;
	return false;
}

static bool in_frame(const struct frame *f, const char *node)
{
	for (size_t i = 0; i < f->n_nodes; i++)
		if (!strcmp(f->nodes[i], node))
			return true;
	return false;
}

static bool in_model(const struct model *m, const char *node)
{
	for (size_t i = 0; i < m->n_nodes; i++)
		if (!strcmp(m->nodes[i], node))
			return true;
	return false;
}

/* Whether the label can be of this run; an empty frame says nothing about it. */
static int check(const struct labelled *l, const struct diagnosis *d)
{
	const struct frame *f = &d->frame;

	if (!f->n_nodes)
		return 0;
	for (size_t i = 0; i < l->n_nodes; i++)
		if (!in_frame(f, l->nodes[i]) && !in_model(&d->model, l->nodes[i])) {
			fail("'%s' line %zu: no server of '%s' is called '%s'", l->file, l->line,
			     l->source, l->nodes[i]);
			return -EINVAL;
		}
	if (l->n_nodes &&
	    (l->from_ns >= frame_time(f, f->n_times) || l->to_ns <= frame_time(f, 0))) {
		fail("'%s' line %zu: '%s' was not recorded at the time of the fault", l->file,
		     l->line, l->source);
		return -EINVAL;
	}
	return 0;
}

/*
 * An indictment is for the fault if its vote was complete after the fault began, and if its first odd
 * window began before the fault was over [D]. A window that ends as the fault begins has seen none of
 * it.
 */
static bool in_time(const struct labelled *l, const struct finding *f)
{
	return f->decided_ns > l->from_ns && f->onset_ns < l->to_ns;
}

static double after(const struct trial *t, int64_t ns)
{
	return (double)(ns - t->onset_ns) / 1e9;
}

static struct accused accuse(const struct trial *t, const struct indictment *in)
{
	const struct verdict *v = &t->d->verdict;
	const struct finding *f = v->judgement->findings + in->first;
	int64_t hit_ns = INT64_MAX, first_ns = INT64_MAX;
	struct accused a = {.cause = in->rule ? in->rule->cause : "none"};

	strcpy(a.node, v->frame->nodes[in->node]);
	a.faulty = named(t->label, a.node);
	for (size_t i = 0; i < in->n; i++, f++) {
		bool hit = a.faulty && in_time(t->label, f);

		a.hit |= hit;
		a.alarm |= !hit;
		if (hit && f->decided_ns < hit_ns)
			hit_ns = f->decided_ns;
		if (f->decided_ns < first_ns)
			first_ns = f->decided_ns;
	}
	a.after_s = after(t, a.hit ? hit_ns : first_ns);
	return a;
}

/* Adds to *o what one indicted server means. */
static void count_accused(struct outcome *o, const struct accused *a, const struct labelled *l)
{
	o->hit += a->hit;
	o->named += a->hit && l->cause && !strcmp(a->cause, l->cause);
	o->alarmed += a->alarm && !a->faulty;
	o->untimely += a->alarm && a->faulty;
	o->misnamed += a->alarm && strcmp(a->cause, "none") != 0;
	if (a->hit)
		o->ttd_s = isnan(o->ttd_s) ? a->after_s : fmax(o->ttd_s, a->after_s);
}

/* Servers judged and not, with the fault and without; once hits are counted. */
static void count_servers(struct outcome *o, const struct labelled *l, const struct diagnosis *d)
{
	const struct frame *f = &d->frame;
	size_t faulty = 0;

	for (size_t i = 0; i < f->n_nodes; i++) {
		bool judged = !o->cannot && judgement_of(&d->judgement, i);
		bool ill = named(l, f->nodes[i]);

		faulty += judged && ill;
		o->free += judged && !ill;
		o->not_judged += !judged;
	}
	for (size_t i = 0; i < d->model.n_nodes; i++)
		o->not_judged += !in_frame(f, d->model.nodes[i]);
	o->missed = faulty - o->hit;
}

/* Whether a cause could have been named at all; where nothing was judged, `causes` says it. */
static bool could_name(const struct diagnosis *d, bool causes)
{
	const struct judgement *j = &d->judgement;
	bool any = !j->n_coverage;

	for (size_t i = 0; i < j->n_coverage; i++)
		any |= j->coverage[i].names_cause;
	return causes && any;
}

int evaluate_run(struct evaluated *e, const struct labelled *label, const struct diagnosis *d,
		 struct evaluate_how how)
{
	struct trial t = {label, d, label->from_ns};
	const struct verdict *v = &d->verdict;
	struct outcome *o = &e->outcome;
	size_t n = how.top && v->n_indicted ? 1 : v->n_indicted;
	int err = check(label, d);

	*e = (struct evaluated){.label = label};
	if (err)
		return err;
	if (v->cannot) {
		e->state = RUN_CANNOT;
		e->why = strdup(v->cannot);
		n = 0;
	}
	e->accused = calloc(n + 1, sizeof(*e->accused));
	if (!e->accused || (v->cannot && !e->why))
		return -ENOMEM;
	*o = (struct outcome){.cannot = v->cannot != NULL,
			      .faulty = label->n_nodes,
			      .cause_known = label->cause && could_name(d, how.causes),
			      .ttd_s = NAN};
	if (t.onset_ns == INT64_MIN && d->frame.n_nodes)
		t.onset_ns = frame_time(&d->frame, 0);
	for (; e->n_accused < n; e->n_accused++) {
		e->accused[e->n_accused] = accuse(&t, &v->indicted[e->n_accused]);
		count_accused(o, &e->accused[e->n_accused], label);
	}
	count_servers(o, label, d);
	if (o->hit < o->faulty)
		o->ttd_s = NAN;
	return 0;
}

const char *evaluate_word(const struct evaluated *e)
{
	const struct outcome *o = &e->outcome;
	bool alarm = o->alarmed + o->untimely > 0;

	if (e->state == RUN_FAILED)
		return "failed";
	if (o->cannot)
		return "not-judged";
	if (!o->faulty)
		return alarm ? "alarm" : "clean";
	if (o->hit == o->faulty)
		return alarm ? "hit+alarm" : "hit";
	return alarm ? "miss+alarm" : "miss";
}
