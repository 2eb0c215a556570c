// SPDX-License-Identifier: BSD-2-Clause
/*
 * All that a node does for itself, together: a node short of processor reads, maps, sorts, reduces and writes a little
 * slower than its peers, has few tasks of any kind to show it by, and is last in nearly all of them. Each kind's look
 * gives a normal deviate of the node; those of kinds that are a node's own are added (Stouffer's method).
 *
 * Kinds are not independent: a map reads, a reducer writes. In 264 looks at nodes of 19 logs of Hadoop 1.2.1, 3.3.6 and Spark 4,
 * while nothing was wrong, the sum over the root of their number had a standard deviation of 1.07, and its largest was 3.1
 * of these: as of normal numbers.
 */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/student.h"
#include "userspace/common/clock.h"

static const double DEVIATION = 1.07;
#define DF_NORMAL    1e6   /* student.h: normal from there on */
#define CHANCE_LEAST 1e-14 /* of student_quantile() */
#define SUSPECT	     10	   /* suspicious at so many times the chance, as in evidence */
/* No kind says more than this: beyond four deviations nothing is known of its tail, and one kind alone has its own looks. */
static const double DEVIATE_MOST = 4;

bool states_together_has(const struct states_job *j, size_t signal)
{
	const struct state_signal *s = &j->signals[signal];
	/* Symptoms, but of this node: no other has a part in them. */
	bool own = s->kind == STATE_SORT || s->kind == STATE_GC;

	return (s->made == MADE_DURATION && (s->indicts || own)) ||
	       (s->made == MADE_SERVER && s->indicts);
}

static double deviate(const struct weighed *w)
{
	double p = fmin(1 - CHANCE_LEAST, fmax(CHANCE_LEAST, student_tail(w->t, w->df)));

	return fmax(-DEVIATE_MOST, fmin(DEVIATE_MOST, student_quantile(p, DF_NORMAL)));
}

void states_together_add(struct states_job *j, size_t signal, size_t part, size_t node,
			 size_t values, double seconds, const struct weighed *w)
{
	struct together *to = &j->together[node * PARTS + part];
	double floor = state_rows[j->signals[signal].kind].floor_s, z;

	if (!w->intervals)
		return;
	z = deviate(w);
	to->sum += z;
	to->effects += w->effect;
	to->values += (unsigned int)values;
	to->indicts |= j->signals[signal].indicts && w->effect >= LOOK_PARAMS_DEFAULT.gate &&
		       seconds - seconds / exp(w->effect) > floor;
	if (!to->kinds++ || z > to->most_z) {
		to->most = signal;
		to->most_z = z;
		to->look = *w;
		to->seconds = seconds;
	}
}

/* What it is slowest at. */
static struct finding finding_of_most(const struct states_job *j, size_t node,
				      const struct together *x)
{
	struct finding e = states_finding(j, x->most, node);

	e.value = x->seconds;
	e.peers = x->seconds / exp(x->look.effect);
	e.ratio = exp(x->look.effect);
	e.lower = exp(x->look.lower);
	e.z = e.score = x->look.t;
	e.needs = student_quantile(states_chance(j, 1) / (double)(x->look.peers + 1), x->look.df);
	e.df = x->look.df;
	e.spread = exp(x->look.spread);
	e.n_peers = (unsigned int)x->look.peers;
	e.judged = x->look.intervals;
	return e;
}

static int judge(struct states_job *j, size_t signal, size_t node, size_t part, double chance)
{
	const struct together *x = &j->together[node * PARTS + part];
	double t = x->sum / sqrt((double)x->kinds) / DEVIATION;
	double effect = x->effects / (double)x->kinds;
	bool few = x->look.peers + 1 < EVIDENCE_FEW;
	struct state_found f = {.e = states_finding(j, signal, node),
				.job = STATE_NONE,
				.peers = x->look.peers,
				.signal = signal,
				.times = 1,
				.duty = 1,
				.level = EVIDENCE_SUSPICIOUS};
	struct finding *e = &f.e;

	e->needs = student_quantile(chance, DF_NORMAL);
	if (x->values < STATES_VALUES || !x->indicts || effect < LOOK_PARAMS_DEFAULT.gate ||
	    t < student_quantile(fmin(0.4, SUSPECT * chance), DF_NORMAL))
		return 0;
	if (t >= e->needs && (!few || effect >= EVIDENCE_PARAMS_DEFAULT.gate_few))
		f.level = EVIDENCE_INDICTED;
	e->value = e->ratio = exp(effect);
	e->peers = 1;
	e->lower = NAN;
	e->spread = NAN;
	e->z = e->score = t;
	e->df = DF_NORMAL;
	e->n_peers = (unsigned int)x->look.peers;
	e->judged = e->flagged = x->values;
	states_part(j, part, &e->onset_ns, &e->last_ns);
	e->decided_ns = e->window_end_ns = e->last_ns;
	e->window_s = s_of_ns(e->last_ns - e->onset_ns);
	f.most = finding_of_most(j, node, x);
	f.most.onset_ns = e->onset_ns;
	f.most.last_ns = f.most.decided_ns = f.most.window_end_ns = e->last_ns;
	f.most.window_s = e->window_s;
	return states_keep(j, &f);
}

int states_together(struct states_job *j, size_t signal)
{
	size_t *in = calloc(PARTS * (j->n_groups + 1), sizeof(*in));
	int err = in ? 0 : -ENOMEM;

	for (size_t i = 0; i < j->a->n_nodes * PARTS && !err; i++)
		if (j->together[i].kinds)
			in[(size_t)j->group[i / PARTS] * PARTS + i % PARTS]++;
	for (size_t i = 0; i < j->a->n_nodes * PARTS && !err; i++) {
		size_t nodes;

		if (!j->together[i].kinds)
			continue;
		nodes = in[(size_t)j->group[i / PARTS] * PARTS + i % PARTS];
		j->a->signals[j->signals[signal].row].judged = true;
		err = judge(j, signal, i / PARTS, i % PARTS,
			    states_chance_together(j) / PARTS / (double)nodes);
	}
	free(in);
	return err;
}
