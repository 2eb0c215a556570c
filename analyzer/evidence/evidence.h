/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All statistics that decide, and nothing else: what there is of each entity beside its peers becomes a
 * `struct evidence`. Four tests:
 * - over time: one signal of one group of peers, from residuals to the evidence against each of them;
 * - one look: a job's log, a short table;
 * - counts beside expected ones;
 * - combined: several of these together.
 * Pure arithmetic; where the numbers come from is the caller's business.
 *
 * ---- over time ------------------------------------------------------------------------------
 *
 * A residual is what an entity is slower than its peers in one interval, in logarithms, at equal
 * load. Its mean over 4, 8, 16 … intervals is held against the means of the peers over the same
 * intervals. What makes healthy peers differ at that length (noise, wander of an hour, lasting
 * offsets) is in that yardstick, and no model of it is needed. Evidence adds up with the blocks,
 * and drains with later ones.
 *
 * Blocks. Two blocks make one of twice the length: sum, number, the doubts and what else is open, the three worst
 * intervals. A window is two neighbouring blocks of half its length L, and moves by half; it says
 * something of an entity that has values in half of its intervals. Evidence M is the mean without
 * the three worst, so that a burst is none; effect G is the mean of all.
 *
 * Core. The entities that may serve as a yardstick: those whose M is at most 3 standard
 * deviations above the median, by the variance of the fastest two thirds. U is M, and the effect
 * is G, each less the core's mean; an entity is judged by the core without itself. Q is the
 * variance of U over the core.
 *
 * Yardstick. V_L joins two variances by their degrees of freedom: Q of the last 64 blocks (or of
 * the last 8, if that is larger), and what the next shorter length lets expect. If differences
 * between peers persist (rho near 1), repeated measurements add no information and count as one.
 * The window's own Q can only widen it.
 *
 * Judgement. t = U / sqrt(V (1 + 1/n_c) + e), e: what the entity is less sure of than others.
 * Indicted: t beyond Student's quantile at the chance the budget leaves, U that far beyond a floor
 * of 3 %, G over the gate, more than half of the group in the core. Suspicious: the same at ten
 * times the budget, or full evidence of an effect from 1.1 on; with fewer than five entities
 * in a window an indictment needs an effect of two.
 *
 * Two views. The residuals themselves; and the residuals less the baseline of each entity, its
 * mean until some time ago (lag_s), which sees changes where the peers always differ. While an entity is
 * indicted nothing of it is learnt as usual, and what came in during the time before is
 * dropped.
 *
 * Two groups. A gap of 1.25 or more that is wide beside the spread within each side divides the
 * entities in two, at least two on either side. A slow side of less than half is no yardstick,
 * and a length that finds one drops the yardsticks that it had. If the slow side is more than a third,
 * the variance of single intervals is taken from the other entities only, and what was learnt of
 * it before is dropped. If it is half or more, nobody can tell which side is at fault, and
 * windows of that length indict nobody; to stay so, the gap needs to be only half as wide beside
 * the spread. A slow side of more than a third that was as slow before is not known to be at
 * fault: its members are suspicious, and nobody else is well, unless other windows indict each
 * of them.
 *
 * The strongest window. A window's judgement holds until the next window of its length. An
 * entity's level is the strongest over all lengths and both views, over windows that are not
 * over. A window is over
 * - when its newer half alone is not worse by half of the gate (with no value in that half it is not over);
 * - when a shorter window, at least twice the shortest, no longer shows the fault: its effect is under
 *   1.1, its effect plus two standard errors is under half of the fault's lower bound, and no shorter
 *   window holds against the entity. Windows that began before that shorter window then no longer count
 *   for the entity.
 * So a fault that ends is over at the next windows of shorter lengths, even if it lasted for days.
 *
 * Gaps. An interval in which fewer than three have a residual is not counted and changes nothing;
 * blocks count the others. An entity that has values in less than half of a window's intervals is
 * not judged by that window.
 *
 * The formulas were found on drives of several clusters; a numpy implementation that was written
 * first gives the numbers of unit/test_evidence. Memory: some 2.5 kB for an entity after
 * 600 intervals (`tools/bench-analyzer evidence`), 3.5 kB after 8192.
 */
#ifndef LIMPET_EVIDENCE_H
#define LIMPET_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EVIDENCE_SHORTEST = 2, /* k_min: of fewer than 4 values three worst cannot be left out */
	EVIDENCE_LONGEST = 16, /* k_max */
	EVIDENCE_FEW = 5,      /* where a window judges fewer entities the gate for few is used */
	EVIDENCE_TRIM = 3,     /* a burst of three decides nothing */
	EVIDENCE_VALUES = 6,   /* of a kind of work, that one look needs of an entity */
};

/*
 * ---- budgets: all false alarms that healthy data may raise ----------------------------------
 *
 * SERIES  false indictments to expect of a group of peers and observed week, of series, tables and states that are followed
 *         over time, unless --budget says another number; chosen by the table in tools/evaluation/RESULTS.md
 * TABLES  the same in EVIDENCE_PARAMS_DEFAULT, by which the formulas were found; no command uses it. On healthy drives 0 alarms
 *         in 185 weeks of five and 30 of twelve; 0.1: one and three
 * LOG     chance of naming anybody in one look at a job's log or a short table: a person reads it beside the job
 * CAUSE   chance of naming a wrong cause, when a recording is asked what was worse while jobs were slow
 */
#define BUDGET_SERIES 0.05
#define BUDGET_TABLES 0.02
#define BUDGET_LOG    0.01
#define BUDGET_CAUSE  0.01

struct evidence_params {
	double interval_s;
	double budget;	    /* false indictments to expect, of this group and observed week */
	double looks;	    /* signals that share the budget; the two views are counted inside */
	unsigned int k_min; /* lengths are 2^k_min … 2^k_max intervals */
	unsigned int k_max;
	unsigned int k_named; /* shorter ones are a yardstick only; 0: all are named */
	double gate;	      /* ln: smallest effect that is indicted */
	double gate_suspect;  /* the same for suspicion on full evidence */
	double gate_few;      /* and for indictments among fewer than five */
	double floor;	      /* ln: peers are not believed to be closer than this */
	unsigned int trim;    /* worst intervals of a block, no evidence; EVIDENCE_TRIM at most */
	double lag_s;	      /* a baseline is the mean until so long ago, of so long at least */
	double clip;	      /* of one interval no more than that is learnt */
	double baseline_most; /* what is further up is no habit */
	double slope; /* a doubt is so many times the difference in load, ln; 0: it is another one */
	bool kinds; /* two groups are of two kinds: the slow one is indicted also if it always was slow */
	bool fresh; /* beside peers only what is new indicts: half of it came in the window */
};
/*
 * interval_s  30 s: the shortest of tables. Series have the hop of their engine.
 * k_min       4: the mean of 16 rows of a table is nearly normal, also where rows are rounded or
 *             skewed; from 4 on (2) such tables were indicted. Where an interval holds 30 requests
 *             its mean is normal: 2.
 * k_max       13: 8192 intervals are 68 h of 30 s, longer than the wander of any disk that was
 *             seen.
 * gate        1.25, so that a true 1.3 passes in spite of an error of 4 %.
 * floor       3 %: the step of coarse clocks and of rounding; 5 % found the same.
 * trim        a burst of three intervals decides nothing.
 * lag_s       of tables: a fault of half an hour is not learnt before it is found. Series have eight intervals: with half an
 *             hour this view does not exist in most of the recordings that are made when something is wrong.
 * clip        so that a burst is not learnt either.
 * baseline_most 1.5.
 * k_named, kinds, fresh: of signals that agree, and of disks of several models (engine/peersets.c).
 */
#define EVIDENCE_PARAMS_DEFAULT                               \
	((struct evidence_params){.interval_s = 30,           \
				  .budget = BUDGET_TABLES,    \
				  .looks = 1,                 \
				  .k_min = 4,                 \
				  .k_max = 13,                \
				  .gate = 0.22314355,         \
				  .gate_suspect = 0.09531018, \
				  .gate_few = 0.69314718,     \
				  .floor = 0.02955880,        \
				  .trim = EVIDENCE_TRIM,      \
				  .lag_s = 1800,              \
				  .clip = 1,                  \
				  .baseline_most = 0.4054651081})

/*
 * r      ln (own / peers) at equal load, set by the comparison; NaN: not compared
 * extra  variance beyond a typical peer's, because it has fewer values; >= 0
 * doubt  ln, signed: how much of r another load may explain; the mean over the window counts
 * open   ln, >= 0: how much the comparison may have taken off r for another reason; a fault of that size would
 *        not show
 */
struct residual {
	double r, extra, doubt, open;
};

enum evidence_level { EVIDENCE_NONE, EVIDENCE_SUSPICIOUS, EVIDENCE_INDICTED };

/* What an entity is compared with. */
enum evidence_view { BESIDE_PEERS, BESIDE_BASELINE };

/* What every test says of one entity. n 0: it was not judged, and all numbers are NaN. */
struct evidence {
	enum evidence_level level;
	enum evidence_view view;
	/* Over time: intervals of the strongest window; one look: values; counts: attempts (else 1); combined:
	 * kinds. */
	unsigned int n;
	size_t n_peers; /* others judged in it */
	double effect;	/* ln */
	double lower; /* ln: effect less the 95 % quantile times its standard error; NaN: not known */
	/* The test statistic; Student's quantile that it must reach to indict; its degrees of freedom. */
	double t, needs, df;
	double p;      /* chance of such a t or more in a healthy entity */
	double spread; /* ln: standard deviation of the peers, as it was used; NaN: not known */
	/* ln: smallest effect that would be suspicious, or more, by now, in nine of ten cases; NaN: none would, or not known. Over time: of
	 * either view; the second sees what changes. */
	double least;
	double least_indicted; /* ln: smallest effect that would be indicted by now; NaN: not known */
};

/* Whether the group falls in two, and nobody can tell which is slow. */
struct evidence_group {
	bool halves;
	size_t slow, of; /* entities on the slow side, of so many */
	double effect;	 /* ln: between the two groups' means, in the window with the widest gap */
};

struct over_time;

/*
 * n entities, more by over_time_grow(). NULL: out of memory, or parameters that make no sense
 * (EINVAL).
 */
struct over_time *over_time_new(size_t n, const struct evidence_params *p);
void over_time_free(struct over_time *o); /* takes NULL */
int over_time_grow(struct over_time *o,
		   size_t n); /* more entities, which have no past; 0 or -ENOMEM */

/*
 * The next interval. in, out: one an entity. weight: of a residual, by how much it rises if the entity is slower by 1
 * (ln); 1: it is a logarithm itself. What is not finite counts as NaN; r is taken as
 * between -20 and 20. group may be NULL. An interval without data of anybody may be pushed or left
 * out. 0, or -ENOMEM where a length is reached for the first time and there is no room for it; nothing was
 * pushed then.
 */
int over_time_push(struct over_time *o, const struct residual *in, double weight,
		   struct evidence *out, struct evidence_group *group);

/* Whether entity i is on the slow side, where the group falls in two. */
bool over_time_slower(const struct over_time *o, size_t i);

/*
 * What entity i showed in the interval that was pushed last: its residual less the median, beside how far the peers are
 * apart in it and were so far (variances, half each; the floor at least); `most` of these at most. NaN: it was not
 * compared. *weight: by how much that rises where the entity is slower by 1 (ln); untouched where it is NaN.
 */
double over_time_z(const struct over_time *o, size_t i, double most, double *weight);

/* The baseline of entity i, ln; NaN while it is not known. */
double over_time_baseline(const struct over_time *o, size_t i);
/* Kept from a run before: counts as half an hour of it, so that new data soon outweigh it. */
void over_time_set_baseline(struct over_time *o, size_t i, double usual);
/* How far peers are apart in single intervals: a standard deviation, ln; at least the floor. */
double over_time_spread(const struct over_time *o);

/* ---- one look: a job's log, a short table -------------------------------------------------- */

struct look_value {
	size_t entity;	   /* below n */
	unsigned int kind; /* only values of one kind of work are compared */
	double value;	   /* ln of what is larger where slower; not finite: left out */
};

struct look_params {
	double chance; /* of naming anybody in healthy data */
	double gate, gate_suspect, floor;
	/* What is expected of the spread before the look (prior, ln, beside what each mean varies by itself), and
	 * what that is worth in degrees of freedom; 0: nothing is. Where it is, ten times the chance is suspicious. */
	double prior, prior_df;
};
/* gate: 1.3, as nothing repeats the look. */
#define LOOK_PARAMS_DEFAULT                               \
	((struct look_params){.chance = BUDGET_LOG,       \
			      .gate = 0.26236426,         \
			      .gate_suspect = 0.09531018, \
			      .floor = 0.02955880})

/*
 * All values as one block a kind of work, without regard to time. The spread is known from this one
 * look only, so df is the core's number less one. An entity needs six values of a kind, a kind
 * three entities. Suspicious: full evidence with an effect under the gate. out: one an entity, its n the
 * number of its values. 0; -ENODATA: fewer than three can be compared (out
 * says nothing of anybody); -ENOMEM; -EINVAL: an entity that is not there.
 */
int evidence_look(const struct look_value *v, size_t n_values, size_t n,
		  const struct look_params *p, struct evidence *out);

/* What one look is of, where the caller has made a mean of each entity's values. */
struct look_mean {
	size_t values; /* 0: not there */
	double m, g;   /* ln: as evidence, and as effect */
	double own;    /* variance of m, as the values scatter */
};

/*
 * The same judgement of n means, each beside the core of the others, as over time: of five that are
 * compared one that is odd is a fifth of its own yardstick else. 0, -ENODATA or -ENOMEM, as there.
 */
int evidence_means(const struct look_mean *x, size_t n, const struct look_params *p,
		   struct evidence *out);

/*
 * One entity of which something is asked, once: its mean beside those of n peers, which are permuted. Their variance
 * about their median is joined with what is expected of it (prior, prior_df), and no less than that. Indicted by
 * t beyond what it needs at this chance, and an effect of the gate. n < 2: it was not judged.
 */
struct evidence evidence_mean(double mean, double *peers, size_t n, const struct look_params *p);

/* ---- counts beside expected ones ----------------------------------------------------------- */

struct count {
	double hits, expected; /* expected: by the peers */
	double of;	       /* attempts, of which hits are some; 0: not known */
	size_t n_peers;
};

struct count_params {
	double chance; /* of naming this entity in healthy data; at ten times the chance it is suspicious */
	double times,
		few; /* fewer hits than so many times what is expected, or than so many, are no evidence */
	double burst, least; /* of evidence_poisson() */
};

/*
 * The chance of so many hits or more among attempts that fail independently, by the share that is expected, 0.9 at most.
 * t is the deviate of that chance; lower and spread are not known. Not judged: nothing is expected, or no attempt made.
 */
struct evidence evidence_binomial(const struct count *x, const struct count_params *p);

/* The same of events that come `burst` at a time (Poisson, of whole bursts); so many bursts are always expected. */
struct evidence evidence_poisson(const struct count *x, const struct count_params *p);

/*
 * Fewer than expected, of n entities beside each other: deviates of the chance of so few (Poisson) as evidence_means()
 * takes means. Expected 0: not there. 0, -ENODATA or -ENOMEM, as there.
 */
int evidence_fewer(const struct count *x, size_t n, const struct look_params *p,
		   struct evidence *out);

/* ---- combined ------------------------------------------------------------------------------ */

/* e->p as a normal deviate, between -4 and 4: beyond that nothing is known of its tail. */
double evidence_deviate(const struct evidence *e);

/* Deviates of one entity, added up; effect: ln, of them all. */
struct deviates {
	double sum, effect;
	unsigned int n;
	size_t n_peers;
};

struct sum_params {
	double chance; /* of naming this entity in healthy data; at ten times the chance it is suspicious */
	double deviation; /* of the sum over the root of n, of healthy entities: deviates may depend on each other */
	double gate, gate_suspect; /* ln: smallest effects that are indicted, suspicious */
};

/* Stouffer's method: the sum over the root of n is normal. */
struct evidence evidence_sum(const struct deviates *x, const struct sum_params *p);

/* The same evidence, and what it needs at another chance; its level is to be judged anew. */
struct evidence evidence_at_chance(const struct evidence *e, double chance);

/*
 * Few values of one entity beside those of others. n: how many independent values the entity's are worth (values of one
 * minute are half alike); above: how many of the others' values are no less than its least; others: their number;
 * largest: ln of the largest of them.
 */
struct few_values {
	double n, above, others, largest;
};

/*
 * The evidence of one look, but no surer than ranks allow: the chance that n values are all this large among the others',
 * whatever their distribution. How far beyond they are says nothing, because data may be skewed. One value indicts nobody;
 * four values beyond 80 others may.
 */
struct evidence evidence_few(const struct evidence *e, const struct few_values *x);

/* Fisher's method: the chance of both t. -2 ln(p q) is of chi-square with four degrees of freedom. NaN where one is. */
double evidence_both(const struct evidence *a, const struct evidence *b);

/* ---- entities of two kinds ------------------------------------------------------------------ */

/*
 * Values tell servers of two generations, or of two roles, from slow ones only where they are apart from the first to the last, and
 * something else says of which kind each is; of values alone a half that always was slow is the same. [D]
 *
 * `course` has the levels (ln) of each entity in KINDS_TIMES equal parts of the time, NaN where one has none. Two kinds are apart if in
 * each part the same one is above the other, by a gap of 1.25 or more that is as wide as either kind is. Of each kind a third may
 * have no value, or be slower than the others: these are at fault, and make no kind. None may be quicker: where one is, the others are
 * not slow by nature.
 */
enum { KINDS_LEAST = 3, KINDS_TIMES = 8 };

/* Of kinds a and b, numbers of entities: by how much b is above a at least (ln, negative: below); NaN: they are not apart. room: as
 * many as the larger has. */
double kinds_apart(const double *course, const size_t *a, size_t n_a, const size_t *b, size_t n_b,
		   double *room);

/* The same of two kinds, KINDS_LEAST or more of each, that nothing tells but the widest gap among n entities; slow: n, who is above. NaN: there are no two, or
 * no memory. */
double kinds_split(const double *course, size_t n, bool *slow);

#endif
