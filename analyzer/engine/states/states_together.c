// SPDX-License-Identifier: BSD-2-Clause
/*
 * All that a node does for itself, together: a node short of processor reads, maps, sorts, reduces and writes a little
 * slower than its peers, has few tasks of any kind to show it by, and is last in nearly all of them. Each kind's look
 * gives a normal deviate of the node; those of kinds that are a node's own are added (Stouffer's method).
 *
 * The share of work is one kind, and so are attempts that fail or hang, where there are any.
 *
 * So are its reads and writes alone, which are what a bad disk makes slow while the rest is as ever; and its writes and
 * both ends of its shuffles, which a bad network does: of a shuffle each end alone waits for the other.
 *
 * Kinds are not independent: a map reads, and who has few tasks has them slow. In 283 looks at nodes of 19 logs of
 * Hadoop 1.2.1, 3.3.6 and Spark 4, while nothing was wrong, the sum over the root of their number had a standard
 * deviation of 1.15, and its largest was 2.9 of these: as of normal numbers. Of reads and writes it was 0.8 in 167 (1 is
 * taken), of transfers 1.0 in 142.
 */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/student.h"
#include "userspace/common/clock.h"

static const struct set {
	enum state_made made;
	double deviation;
	double chance; /* a bad disk or network shows in one kind mostly, too, which has its own looks */
	unsigned int least; /* kinds */
} sets[TOGETHERS] = {
	[TOGETHER_ALL] = {MADE_TOGETHER, 1.15, 2, 1},
	[TOGETHER_DISK] = {MADE_DISK, 1, 1, 2},
	[TOGETHER_NET] = {MADE_NET, 1, 1, 2},
};
#define DF_NORMAL    1e6   /* student.h: normal from there on */
#define CHANCE_LEAST 1e-14 /* of student_quantile() */
#define SUSPECT	     10	   /* suspicious at so many times the chance, as in evidence */
/* No kind says more than this: beyond four deviations nothing is known of its tail, and one kind alone has its own looks. */
static const double DEVIATE_MOST = 4;

static bool is_shuffle(enum state_kind kind)
{
	return kind == STATE_SHUFFLE || kind == STATE_COPY;
}

static bool is_in(enum together_set set, const struct state_signal *s)
{
	enum state_kind k = s->kind;
	bool timed = s->made == MADE_DURATION || s->made == MADE_SERVER;
	/* Symptoms, but of this node: no other has a part in them. */
	bool own = k == STATE_SORT || k == STATE_GC;

	switch (set) {
	case TOGETHER_ALL:
		return (timed && (s->indicts || (own && s->made == MADE_DURATION))) ||
		       s->made == MADE_SHARE;
	case TOGETHER_DISK:
		return timed && s->indicts &&
		       (k == STATE_READ || states_pipeline(k) || k == STATE_SHUFFLE_WRITE ||
			k == STATE_OST_READ || k == STATE_OST_WRITE);
	case TOGETHER_NET: return states_pipeline(k) || (is_shuffle(k) && s->made != MADE_DURATION);
	case TOGETHERS: break;
	}
	return false;
}

bool states_together_has(const struct states_job *j, size_t signal)
{
	for (int set = 0; set < TOGETHERS; set++)
		if (is_in(set, &j->signals[signal]))
			return true;
	return false;
}

bool states_together_made(const struct states_job *j, enum together_set set)
{
	unsigned int kinds = 0;

	for (size_t i = 0; i < j->n_signals; i++)
		kinds += is_in(set, &j->signals[i]);
	return kinds >= sets[set].least;
}

static enum together_set set_of(enum state_made made)
{
	int set = 0;

	while (set + 1 < TOGETHERS && sets[set].made != made)
		set++;
	return set;
}

/* Of naming anybody by this set. */
static double chance_of(const struct states_job *j, enum together_set set)
{
	double all = 0;

	for (int i = 0; i < TOGETHERS; i++)
		all += states_together_made(j, i) ? sets[i].chance : 0;
	return states_chance_together(j) * sets[set].chance / fmax(all, sets[set].chance);
}

static double deviate(double p)
{
	p = fmin(1 - CHANCE_LEAST, fmax(CHANCE_LEAST, p));
	return fmax(-DEVIATE_MOST, fmin(DEVIATE_MOST, student_quantile(p, DF_NORMAL)));
}

static struct together *of_part(const struct states_job *j, size_t node, size_t part,
				enum together_set set)
{
	return &j->together[(node * PARTS + part) * TOGETHERS + set];
}

void states_together_add(struct states_job *j, size_t signal, size_t part, size_t node,
			 size_t values, double seconds, const struct evidence *w)
{
	const struct state_signal *s = &j->signals[signal];
	double floor = state_rows[s->kind].floor_s, z;

	if (!w->n)
		return;
	z = deviate(student_tail(w->t, w->df));
	for (int set = 0; set < TOGETHERS; set++) {
		struct together *to = of_part(j, node, part, set);

		if (!is_in(set, s))
			continue;
		to->sum += z;
		to->kinds++;
		if (!values) /* a share of work, which is no time */
			continue;
		to->effects += w->effect;
		to->values += (unsigned int)values;
		to->indicts |= s->indicts && w->effect >= LOOK_PARAMS_DEFAULT.gate &&
			       seconds - seconds / exp(w->effect) > floor;
		if (!to->timed++ || z > to->most_z) {
			to->most = signal;
			to->most_z = z;
			to->look = *w;
			to->seconds = seconds;
		}
	}
}

void states_together_hit(struct states_job *j, size_t node, double p, int64_t at_ns)
{
	for (size_t part = 0; part < PARTS; part++) {
		struct together *to = of_part(j, node, part, TOGETHER_ALL);
		int64_t from, until;

		states_part(j, part, &from, &until);
		if (at_ns < from || at_ns > until)
			continue;
		to->sum += deviate(p);
		to->kinds++;
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
	e.needs = student_quantile(states_chance(j, 1) / (double)(x->look.n_peers + 1), x->look.df);
	e.df = x->look.df;
	e.spread = exp(x->look.spread);
	e.n_peers = (unsigned int)x->look.n_peers;
	e.judged = x->look.n;
	return e;
}

static int judge(struct states_job *j, size_t signal, enum together_set set, size_t node,
		 size_t part, size_t peers, double chance)
{
	const struct together *x = of_part(j, node, part, set);
	double t = x->sum / sqrt((double)x->kinds) / sets[set].deviation;
	double effect = x->effects / (double)x->timed;
	bool few = peers + 1 < EVIDENCE_FEW;
	struct state_found f = {.e = states_finding(j, signal, node),
				.job = STATE_NONE,
				.peers = peers,
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
	e->n_peers = (unsigned int)peers;
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
	enum together_set set = set_of(j->signals[signal].made);
	double chance = chance_of(j, set) / PARTS;
	size_t *in = calloc(PARTS * (j->n_groups + 1), sizeof(*in));
	int err = in ? 0 : -ENOMEM;

	for (size_t i = 0; i < j->a->n_nodes * PARTS && !err; i++)
		if (of_part(j, i / PARTS, i % PARTS, set)->timed >= sets[set].least)
			in[(size_t)j->group[i / PARTS] * PARTS + i % PARTS]++;
	for (size_t i = 0; i < j->a->n_nodes * PARTS && !err; i++) {
		size_t nodes;

		if (of_part(j, i / PARTS, i % PARTS, set)->timed < sets[set].least)
			continue;
		nodes = in[(size_t)j->group[i / PARTS] * PARTS + i % PARTS];
		j->a->signals[j->signals[signal].row].judged = true;
		err = judge(j, signal, set, i / PARTS, i % PARTS, nodes - 1,
			    chance / (double)nodes);
	}
	free(in);
	return err;
}
