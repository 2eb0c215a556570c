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
#include "internal.h"

#include <errno.h>
#include <math.h>
#include "userspace/common/sort.h"

/* All kinds of one node in one part of the time. */
struct together {
	double sum, effects;		   /* of deviates, and of ln ratios */
	unsigned int kinds, timed, values; /* timed: of these kinds those with durations */
	bool indicts; /* one that may indict is over its floor, and its ratio over the gate */
	size_t most;  /* the signal with the largest deviate */
	double most_z;
	struct evidence look; /* its look */
	double seconds;
};

static const struct set {
	double deviation;
	double chance; /* a bad disk or network shows in one kind mostly, too, which has its own looks */
	unsigned int least; /* kinds */
} sets[TOGETHERS] = {
	[TOGETHER_ALL] = {1.15, 2, 1},
	[TOGETHER_DISK] = {1, 1, 2},
	[TOGETHER_NET] = {1, 1, 2},
};

static bool is_in(enum together_set set, const struct state_signal *s)
{
	enum state_kind k = s->kind;
	bool timed = s->made == MADE_DURATION || s->made == MADE_SERVER;
	bool ends = (k == STATE_SHUFFLE || k == STATE_COPY) && s->made != MADE_DURATION;
	/* Symptoms, but of this node: no other has a part in them. */
	bool own = k == STATE_SORT || k == STATE_GC || k == STATE_EXECUTOR;

	switch (set) {
	case TOGETHER_ALL:
		return (timed && (s->indicts || (own && s->made == MADE_DURATION))) ||
		       s->made == MADE_SHARE;
	case TOGETHER_DISK:
		return timed && s->indicts &&
		       (k == STATE_READ || states_pipeline(k) || k == STATE_SHUFFLE_WRITE ||
			k == STATE_OST_READ || k == STATE_OST_WRITE);
	case TOGETHER_NET: return states_pipeline(k) || ends;
	case TOGETHERS: break;
	}
	return false;
}

bool states_together_has(const struct states_job *j, size_t signal)
{
	return any_of(set, TOGETHERS, is_in((int)set, &j->signals[signal]));
}

bool states_together_made(const struct states_job *j, enum together_set set)
{
	unsigned int kinds = count_if(i, j->n_signals, is_in(set, &j->signals[i]));

	return kinds >= sets[set].least;
}

/* Of naming anybody by this set. */
static double chance_of(const struct states_job *j, enum together_set set)
{
	double all = 0;

	for (int i = 0; i < TOGETHERS; i++)
		all += states_together_made(j, i) ? sets[i].chance : 0;
	return states_chance_together(j) * sets[set].chance / fmax(all, sets[set].chance);
}

static struct together *of_part(const struct states_job *j, size_t node, size_t part,
				enum together_set set)
{
	return &j->together[(node * PARTS + part) * TOGETHERS + set];
}

int states_together_init(struct states_job *j)
{
	j->together =
		scratch_array(&j->room, TOGETHERS * PARTS * j->a->n_nodes, sizeof(*j->together));
	return j->together ? 0 : -ENOMEM;
}

void states_together_add(struct states_job *j, size_t signal, size_t part, size_t node,
			 size_t values, double seconds, const struct evidence *w)
{
	const struct state_signal *s = &j->signals[signal];
	double floor = state_rows[s->kind].floor_s, z;

	if (!w->n)
		return;
	z = evidence_deviate(w);
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

void states_together_hit(struct states_job *j, size_t node, const struct evidence *e, int64_t ns)
{
	for (size_t part = 0; part < PARTS; part++) {
		struct together *to = of_part(j, node, part, TOGETHER_ALL);
		struct state_span time = states_part(j, part);

		if (ns < time.from_ns || ns > time.to_ns)
			continue;
		to->sum += evidence_deviate(e);
		to->kinds++;
	}
}

/* What it is slowest at. */
static struct finding finding_of_most(const struct states_job *j, size_t node,
				      const struct together *x, const struct finding_about *of)
{
	struct finding_about about = states_about(j, x->most, node);
	double chance = states_chance(j, 1) / (double)(x->look.n_peers + 1);
	struct evidence e = evidence_at_chance(&x->look, chance);

	about.value = x->seconds;
	about.peers = x->seconds / exp(e.effect);
	about.judged = e.n;
	about.onset_ns = of->onset_ns;
	about.last_ns = of->last_ns;
	return finding_make(&about, &e);
}

static int judge_together(struct states_job *j, size_t signal, enum together_set set, size_t node,
			  size_t part, size_t peers, double chance)
{
	const struct together *x = of_part(j, node, part, set);
	const struct deviates all = {x->sum, x->effects / (double)x->timed, x->kinds, peers};
	struct sum_params p = {.chance = chance,
			       .deviation = sets[set].deviation,
			       .gate = LOOK_PARAMS_DEFAULT.gate,
			       .gate_suspect = LOOK_PARAMS_DEFAULT.gate};
	struct finding_about about = states_about(j, signal, node);
	struct state_span time = states_part(j, part);
	struct state_found f;
	struct evidence e;

	if (x->values < STATES_VALUES || !x->indicts)
		return 0;
	if (peers + 1 < EVIDENCE_FEW)
		p.gate = EVIDENCE_PARAMS_DEFAULT.gate_few;
	e = evidence_sum(&all, &p);
	if (e.level == EVIDENCE_NONE)
		return 0;
	about.value = exp(e.effect);
	about.peers = 1;
	about.judged = about.flagged = x->values;
	about.onset_ns = time.from_ns;
	about.last_ns = time.to_ns;
	f = states_found(signal, &about, &e);
	f.most = finding_of_most(j, node, x, &about);
	return states_keep(j, f);
}

int states_together(struct states_job *j, size_t signal)
{
	enum together_set set = j->signals[signal].made - MADE_TOGETHER;
	double chance = chance_of(j, set) / 2;
	struct scratch room SCRATCH_SCOPED = {0};
	size_t *in = scratch_array(&room, PARTS * j->n_groups, sizeof(*in));
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
		err = judge_together(j, signal, set, i / PARTS, i % PARTS, nodes - 1,
				     chance / (i % PARTS ? PARTS - 1 : 1) / (double)nodes);
	}
	return err;
}
