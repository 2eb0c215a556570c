// SPDX-License-Identifier: BSD-2-Clause
/* One window of one length: core, yardstick, how much evidence it asks for, what it says of each entity. */
#include "internal.h"

#include "analyzer/stat/stats.h"
#include "analyzer/stat/student.h"

/* A fault so many standard errors beyond what is needed is found in nine of ten cases. */
static const double POWER = 1.2815516;
/* Remembered blocks: 8 h of the shortest, half a year of the longest. */
enum { MEMORY = 64 };

static const double VIEWS = 2;
static const double WEEK_S = 7 * 86400.0;
enum { RECENT = 8 }; /* blocks that count as now: peers that have become noisier are believed */

/* ---- the spread of the lower two thirds ---------------------------------------------------- */

/*
 * What makes the variance of the n - n / 3 lowest of n normal values that of all; simulated, a
 * million times each. Beyond the table, within 0.3 %: 2.139 is one over the variance of the normal
 * distribution below its two thirds quantile; then by what n leaves over when divided by three.
 */
static double lower_factor(size_t n)
{
	static const double table[] = {1.704, 1.583, 1.499, 1.879, 1.779,
				       1.700, 1.950, 1.872, 1.806, 1.993};

	if (n - LEAST < sizeof(table) / sizeof(*table))
		return table[n - LEAST];
	return 2.139 - (1.8 + (double)(n % 3)) / (double)n;
}

/* Sum of squares about the mean; *mean: it. */
static double squares_about(const double *x, size_t n, double *mean)
{
	double sum = 0, ss = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	*mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		ss += (x[i] - *mean) * (x[i] - *mean);
	return ss;
}

double lower_variance(const double *x, size_t n)
{
	size_t k = n - n / 3;
	double mean;

	return lower_factor(n) * squares_about(x, k, &mean) / (double)(k - 1);
}

/* ---- how much evidence a length asks for --------------------------------------------------- */

/*
 * The chance of one judgement. A week has week / (L x interval) blocks that do not overlap; the
 * budget is shared by those, by the lengths, entities, signals and views.
 */
static double length_chance(const struct over_time *o, const struct length *l)
{
	double lengths = o->p.k_max - o->p.k_min + 1;

	return o->p.budget * o->p.interval_s * l->intervals /
	       (WEEK_S * lengths * (double)o->n * o->p.looks * VIEWS);
}

double quantile_at(double p, double df)
{
	return student_quantile(fmin(p, 0.4), df);
}

struct quantiles quantiles_at(double p, double df)
{
	return (struct quantiles){.p = p,
				  .df = df,
				  .indict = quantile_at(p, df),
				  .suspect = quantile_at(SUSPECT * p, df),
				  .bound = student_quantile(0.05, df)};
}

/* In quarters, rounded down, so that quantiles can be kept. */
static double df_rounded(double df)
{
	return floor(4 * fmin(fmax(df, 0.5), DF_MAX)) / 4;
}

static const struct quantiles *quantiles_keep(struct quantiles *q, double p, double df)
{
	if (q->p != p || q->df != df)
		*q = quantiles_at(p, df);
	return q;
}

/* At a length's chance; good until the next call for this length. */
static const struct quantiles *needs_at(const struct over_time *o, struct length *l, double df)
{
	df = df_rounded(df);
	return quantiles_keep(&l->kept[(unsigned int)(4 * df) % QUANTILES], length_chance(o, l),
			      df);
}

static const struct quantiles *needs_floor(const struct over_time *o, struct length *l)
{
	return quantiles_keep(&l->floor, length_chance(o, l), DF_MAX);
}

/* ---- how far healthy peers differ ---------------------------------------------------------- */

/*
 * "At twice the length the variance of means is 0.6 of that": independent values would make it half, lasting
 * differences all; and what is expected of a length already errs to the wide side, since the shortest begins as if
 * nothing averaged out. It counts as 12 degrees of freedom. 8 and 0.75 found three fifths of the drives that are
 * 1.5 times slower among five quiet ones for three hours; 16 and 0.55 named healthy ones of noisy groups. What
 * these find and cost: `tools/results try healthy drives`. They were chosen on half of those hosts.
 */
static const double PRIOR_DF = 12, PRIOR_FALL = 0.6;

/* Of the floor, squared: peers that differ by less differ by rounding, which is new in every block. */
static const double ROUNDING = 1e-6;

/* The variance expected of the peers at length l before they have been looked at over it. */
static double prior_variance(const struct over_time *o, const struct view *v,
			     const struct length *l, size_t i)
{
	const struct length *shorter = l - 1;
	double single = fmax(v->usual.mean, o->p.floor * o->p.floor);

	/* The shortest tested has what single intervals show: as if nothing averaged out. */
	if (l == &v->length[o->p.k_min])
		return single;
	for (; shorter > &v->length[o->p.k_min] && !(shorter->at[i].yard.variance > 0);)
		shorter--;
	if (shorter->at[i].yard.variance > 0)
		return PRIOR_FALL * shorter->at[i].yard.variance;
	return PRIOR_FALL * single;
}

/* A mean that forgets, of which x is the n-th. */
static void mean_learn(float *mean, double x, unsigned int n)
{
	*mean += (float)((x - *mean) / n);
}

static unsigned int at_most(unsigned int n, unsigned int most)
{
	return n < most ? n : most;
}

/* The core of a window without one entity. */
struct spread {
	size_t peers; /* in it */
	double df;    /* one less */
	double q;     /* variance of M */
	/* what of their differences is still the same one block later; NaN: not known */
	double same, all;
};

/* Learns from the window how far the peers of entity i are apart, and sets V in l->at[i].used. Its degrees of freedom. */
static double yardstick(const struct over_time *o, const struct view *v, struct length *l, size_t i,
			const struct spread *s)
{
	struct judged *j = &l->at[i];
	struct yardstick *y = &j->yard;
	double prior = prior_variance(o, v, l, i), rho, looks, nu, wide;

	if (isfinite(s->q)) {
		y->looks += y->looks < BACK * MEMORY;
		mean_learn(&y->wide, s->q, y->looks);
		mean_learn(&y->wide_now, s->q, at_most(y->looks, BACK * RECENT));
	}
	wide = fmax(y->wide, y->wide_now);
	if (isfinite(s->same) && isfinite(s->all)) {
		y->pairs += y->pairs < BACK * MEMORY;
		mean_learn(&y->same, s->same, y->pairs);
		mean_learn(&y->all, s->all, y->pairs);
	}
	/* How much of the peers' differences is the same one block later: so many looks are one. */
	rho = y->all > ROUNDING * o->p.floor * o->p.floor ? fmin(fmax(y->same / y->all, 0), 1) : 1;
	looks = fmax(1, y->looks / (double)BACK);
	nu = s->df / (rho * rho + (1 - rho * rho) / looks);
	y->variance = (float)((PRIOR_DF * prior + nu * wide) / (PRIOR_DF + nu));
	j->used = (float)fmax(y->variance,
			      (PRIOR_DF * y->variance + s->df * s->q) / (PRIOR_DF + s->df));
	return PRIOR_DF + nu;
}

/* ---- two groups ---------------------------------------------------------------------------- */

/* Two groups, in the latest window of a length. */
struct split {
	size_t slow; /* on the slow side; 0: no two groups */
	double from; /* M from which on an entity is on the slow side */
	double effect;
};

/*
 * Two halves that are known need less evidence to stay, so that what is said of them does not
 * flicker.
 */
static const double KNOWN = 0.5;

static double needs_gap(const struct over_time *o, struct length *l, size_t n)
{
	double p = length_chance(o, l);

	if (l->gap_p != p || l->gap_of != n) {
		/* To abstain is no indictment: the chance of a suspicion will do. */
		l->gap = quantile_at(SUSPECT * p, df_rounded((double)n - 2 + PRIOR_DF));
		l->gap_p = p;
		l->gap_of = n;
	}
	return l->gap;
}

/* Two groups among n ascending values. */
static struct split split_find(const struct over_time *o, struct length *l, const double *sorted,
			       size_t n, double noise)
{
	double gap = 0, quick, slow, ss, spread, need;
	size_t at = 0;

	/* At least two on either side: one alone is no group. */
	for (size_t i = 2; i + 2 <= n; i++) {
		if (sorted[i] - sorted[i - 1] > gap) {
			gap = sorted[i] - sorted[i - 1];
			at = i;
		}
	}
	if (gap < o->p.gate * l->weight || !at)
		return (struct split){0};
	ss = squares_about(sorted, at, &quick) + squares_about(sorted + at, n - at, &slow);
	spread = sqrt(fmax(fmax(ss / (double)(n - 2), noise), o->p.floor * o->p.floor));
	need = needs_gap(o, l, n) * (l->halved ? KNOWN : 1);
	if (gap < need * spread)
		return (struct split){0};
	return (struct split){
		.slow = n - at, .from = sorted[at], .effect = (slow - quick) / l->weight};
}

/* ---- the window ---------------------------------------------------------------------------- */

static const double CHI_MEDIAN = 0.455; /* median of chi-square with one degree of freedom */
/* A step of more than three standard deviations is no noise: it is what makes two groups of one. */
static const double STEP_MAX = 9;

/* ln: less is no less load, but what loads that are alike differ by. */
static const double LESS = 0.1;

/*
 * What is left of the doubt about less load, of which it is `slope` times: by what is done, or by what is under way, which is
 * load times value (Little's law), whichever is nearer to the peers'. A slow server whose clients wait for it has less to do, and
 * as much under way.
 */
static double doubt_left(double doubt, double slope, double value)
{
	return doubt < -LESS * slope ? fmin(fmax(doubt, doubt + slope * value), 0) : doubt;
}

/*
 * From blocks to means: M, G and e of each, NaN where too little. Number of entities that have
 * them.
 */
static size_t window_means(struct over_time *o, const struct length *l)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct block *b = &o->window[i];
		double count = b->count, doubt = b->doubt, top = 0;

		o->m[i] = o->g[i] = NAN;
		o->extra[i] = 0;
		o->core[i] = false;
		if (b->count < l->intervals / 2 || b->count <= o->p.trim)
			continue;
		for (unsigned int k = 0; k < o->p.trim; k++)
			top += b->top[k];
		o->m[i] = (b->sum - top) / (count - o->p.trim);
		o->g[i] = b->sum / count;
		doubt = doubt_left(doubt / count, o->p.slope, b->sum / count);
		o->extra[i] = b->extra / (count * count) + doubt * doubt;
		n++;
	}
	return n;
}

/* What one entity moves from one block to the next, as a variance; room: n. */
static double step_variance(const struct over_time *o, const struct length *l, double *room)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		double step = o->m[i] - l->at[i].m[BACK - 1];

		if (!isnan(step))
			room[n++] = step * step / 2;
	}
	return stats_quantile(room, n, 0.5) / CHI_MEDIAN;
}

/* Which entities are of a slow minority at this length. */
static void slow_mark(const struct over_time *o, struct view *v, const struct length *l,
		      double from)
{
	for (size_t i = 0; i < o->n; i++) {
		if (isnan(o->m[i]))
			continue;
		v->course[i].slow &= ~l->intervals;
		v->course[i].slow |= o->m[i] >= from ? l->intervals : 0;
	}
}

/* Who may serve as a yardstick. */
static size_t core_find(struct over_time *o, struct view *v, struct length *l, size_t n,
			struct split *split)
{
	double median, limit, noise;
	bool minority;
	size_t k = 0;

	for (size_t i = 0; i < o->n; i++)
		if (!isnan(o->m[i]))
			o->some[k++] = o->m[i];
	stats_sort(o->some, n);
	median = stats_sorted_median(o->some, n);
	limit = CUT * sqrt(fmax(running_add(&l->lower, lower_variance(o->some, n), BACK * MEMORY),
				o->p.floor * o->p.floor / 4));
	*split = (struct split){0};
	noise = step_variance(o, l, o->some + n);
	if (l->noise.n && !isnan(noise))
		noise = fmin(noise, STEP_MAX * fmax(l->noise.mean, o->p.floor * o->p.floor));
	noise = running_add(&l->noise, noise, BACK * MEMORY);
	/* One step is no noise that two groups could be told from. */
	if (l->windows > BACK)
		*split = split_find(o, l, o->some, n, noise);
	k = 0;
	minority = split->slow && 2 * split->slow < n;
	l->many = minority && 3 * split->slow > n;
	for (size_t i = 0; i < o->n; i++) {
		o->core[i] = o->m[i] - median <= limit;
		if (minority)
			o->core[i] = o->core[i] && o->m[i] < split->from;
		k += o->core[i];
	}
	/* What was learnt with the slow ones in the core is no yardstick of the quick ones. */
	for (size_t i = 0; i < o->n && minority && !l->minority; i++)
		l->at[i].yard = (struct yardstick){.variance = 0};
	l->minority = minority;
	slow_mark(o, v, l, minority ? split->from : INFINITY);
	return k;
}

/* Sums over the core, about its means. */
struct core {
	size_t n;
	double m, g, newer; /* means; newer: of the effect in the newer half */
	double before;	    /* mean of what came before the window */
	size_t n_newer, n_before;
	double ss; /* squares of M */
	/* Of those that were in the core one block before, too: now (u), then (v). */
	size_t pairs;
	double u, v, uu, vv, uv;
};

static double newer(const struct over_time *o, size_t i)
{
	return o->block[i].count ? (double)o->block[i].sum / o->block[i].count : NAN;
}

/* Fewer intervals before the window do not tell what was there before. */
enum { BEFORE = 8 };

/* Mean of all that came before the window; NaN: too little. */
static double before(const struct over_time *o, const struct view *v, size_t i)
{
	const struct course *all = &v->course[i];
	unsigned int n = all->count - o->window[i].count;

	return n >= BEFORE ? (all->sum - o->window[i].sum) / n : NAN;
}

static void core_means(const struct over_time *o, const struct view *v, struct core *c)
{
	for (size_t i = 0; i < o->n; i++) {
		double was = before(o, v, i);

		if (!o->core[i])
			continue;
		c->m += o->m[i];
		c->g += o->g[i];
		c->before += isnan(was) ? 0 : was;
		c->n_before += !isnan(was);
		if (o->block[i].count) {
			c->newer += newer(o, i);
			c->n_newer++;
		}
	}
	c->m /= (double)c->n;
	c->g /= (double)c->n;
	c->newer /= (double)c->n_newer;
	c->before /= (double)c->n_before;
}

static struct core core_sums(const struct over_time *o, const struct view *view,
			     const struct length *l, size_t n)
{
	struct core c = {.n = n};

	core_means(o, view, &c);
	for (size_t i = 0; i < o->n; i++) {
		double u = o->m[i] - c.m, v = l->at[i].u[BACK - 1];

		if (!o->core[i])
			continue;
		c.ss += u * u;
		if (isnan(v))
			continue;
		c.pairs++;
		c.u += u;
		c.v += v;
		c.uu += u * u;
		c.vv += v * v;
		c.uv += u * v;
	}
	return c;
}

/* A mean over the core without its member of value x. */
static double mean_without(double mean, size_t n, double x)
{
	return mean - (x - mean) / (double)(n - 1);
}

/* What the core is without entity i: NaN where too few are left. */
static struct spread spread_without(const struct over_time *o, const struct length *l,
				    const struct core *c, size_t i)
{
	double u = o->m[i] - c->m, v = l->at[i].u[BACK - 1], n = (double)c->pairs;
	struct core left = *c;
	struct spread s = {.peers = c->n, .q = NAN, .same = NAN, .all = NAN};

	if (o->core[i]) {
		left.ss -= u * u * (1 + 1 / (double)(c->n - 1));
		s.peers--;
		if (!isnan(v)) {
			n--;
			left.u -= u;
			left.v -= v;
			left.uu -= u * u;
			left.vv -= v * v;
			left.uv -= u * v;
		}
	}
	if (s.peers < 2)
		return s;
	s.df = (double)s.peers - 1;
	s.q = WIDEN * fmax(left.ss, 0) / s.df;
	if (l->windows >= BACK && n >= 2) {
		s.same = left.uv - left.u * left.v / n;
		s.all = fmax(0, (left.uu + left.vv - (left.u * left.u + left.v * left.v) / n) / 2);
	}
	return s;
}

/* floor: U beside what peers are not believed to be closer than; l->floor: what that needs, as needs_floor() left it. */
static enum evidence_level level_of(const struct over_time *o, const struct length *l,
				    bool majority, double floor, double gate,
				    const struct judged *j, const struct quantiles *need)
{
	bool sure = j->t >= need->indict && floor >= l->floor.indict;
	bool maybe = j->t >= need->suspect && floor >= l->floor.suspect;

	if (l->halved)
		return EVIDENCE_NONE;
	if (sure && majority && j->effect >= gate)
		return EVIDENCE_INDICTED;
	if ((sure && j->effect >= o->p.gate_suspect) || (maybe && j->effect >= o->p.gate))
		return EVIDENCE_SUSPICIOUS;
	return EVIDENCE_NONE;
}

/* U of which half or more came in the window; NaN: it is not known what was there before. */
static double new_from(const struct over_time *o, const struct view *v, const struct core *c,
		       size_t i)
{
	double was = before(o, v, i), core = c->before;

	if (o->core[i])
		core = c->n_before > 1 ? mean_without(core, c->n_before, was) : NAN;
	return 2 * (was - core);
}

/* U from which on this length names the entity in this view; NaN: it does not. */
static double named_from(const struct over_time *o, const struct view *v, const struct length *l,
			 const struct core *c, size_t i)
{
	if (!(l->intervals >> o->p.k_named))
		return NAN;
	return o->p.fresh && v == &o->view[BESIDE_PEERS] ? new_from(o, v, c, i) : -INFINITY;
}

static void entity_judge(struct over_time *o, const struct view *v, struct length *l,
			 const struct core *c, size_t i)
{
	struct judged *j = &l->at[i];
	struct spread s = spread_without(o, l, c, i);
	double extra = o->extra[i], from = named_from(o, v, l, c, i),
	       floor = sqrt(o->p.floor * o->p.floor + extra);
	double gate = l->judged < EVIDENCE_FEW ? o->p.gate_few : o->p.gate, u, now, sure, maybe;
	const struct quantiles *need, *floors = needs_floor(o, l);
	bool majority = 2 * c->n > l->judged;

	if (s.peers < 2)
		return;
	need = needs_at(o, l, yardstick(o, v, l, i, &s));
	j->df = (float)need->df;
	j->needs = (float)need->indict;
	j->bound = (float)need->bound;
	u = o->m[i] - (o->core[i] ? mean_without(c->m, c->n, o->m[i]) : c->m);
	j->effect = (float)(o->g[i] - (o->core[i] ? mean_without(c->g, c->n, o->g[i]) : c->g));
	now = newer(o, i);
	now -= o->core[i] && c->n_newer > 1 ? mean_without(c->newer, c->n_newer, now) : c->newer;
	j->error = (float)sqrt(j->used * (1 + 1 / (double)s.peers) + extra);
	j->t = (float)(u / j->error);
	j->effect /= (float)l->weight;
	j->error /= (float)l->weight;
	now /= l->weight;
	if (isnan(from))
		return;
	/* Two groups that were there before: which of them is at fault cannot be told. */
	if (l->many && !o->p.kinds && v == &o->view[BESIDE_PEERS] && !o->core[i] &&
	    !(u >= new_from(o, v, c, i))) {
		majority = false;
		l->old = true;
	}
	/* The smallest effects of which level_of() would make an indictment and a suspicion. */
	sure = fmax((need->indict + POWER) * j->error,
		    fmax(floors->indict * floor, from) / l->weight);
	maybe = fmax((need->suspect + POWER) * j->error,
		     fmax(floors->suspect * floor, from) / l->weight);
	j->least_indicted = (float)fmax(sure, gate);
	if (!l->halved)
		j->least = (float)fmin(fmax(sure, o->p.gate_suspect), fmax(maybe, o->p.gate));
	/* That much more, as it may have been taken off. */
	j->least_indicted += o->window[i].open / (float)o->window[i].count;
	j->least += o->window[i].open / (float)o->window[i].count;
	if (u >= from)
		j->level = level_of(o, l, majority, u / floor, gate, j, need);
	if (j->level == EVIDENCE_SUSPICIOUS)
		gate = o->p.gate_suspect;
	/* Without a value in the newer half nothing is known to be over. */
	j->over = j->level != EVIDENCE_NONE && now < gate / 2;
}

/* Two groups of which nobody can tell which is at fault, unless the newer half shows that it is over. */
static void halves_update(const struct over_time *o, struct length *l, const struct split *split)
{
	double sum[2] = {0, 0};
	size_t n[2] = {0, 0};

	l->apart = split->effect;
	l->from = (float)split->from;
	if (!l->halved && !l->old)
		return;
	for (size_t i = 0; i < o->n; i++) {
		bool slow = o->m[i] >= split->from;

		if (!isnan(o->m[i]) && o->block[i].count) {
			sum[slow] += newer(o, i);
			n[slow]++;
		}
	}
	if (!n[0] || !n[1] || sum[1] / (double)n[1] - sum[0] / (double)n[0] >= o->p.gate / 2)
		l->slow = split->slow;
}

static void window_keep(struct over_time *o, struct length *l, const struct core *c)
{
	for (size_t i = 0; i < o->n; i++) {
		struct judged *j = &l->at[i];

		j->u[1] = j->u[0];
		j->m[1] = j->m[0];
		j->u[0] = c && o->core[i] ? (float)(o->m[i] - c->m) : NAN;
		j->m[0] = (float)o->m[i];
	}
}

void window_judge(struct over_time *o, struct view *v, struct length *l)
{
	size_t n = window_means(o, l), members;
	struct core c;
	struct split split;

	l->end = v->intervals;
	l->judged = n;
	l->slow = 0;
	l->old = false;
	for (size_t i = 0; i < o->n; i++) {
		struct judged *j = &l->at[i];

		j->effect = j->t = j->error = j->least_indicted = j->least = NAN;
		j->level = EVIDENCE_NONE;
		j->over = false;
	}
	if (n >= LEAST) {
		members = core_find(o, v, l, n, &split);
		c = core_sums(o, v, l, members);
		l->halved = split.slow && 2 * split.slow >= n;
		for (size_t i = 0; i < o->n; i++)
			if (!isnan(o->m[i]))
				entity_judge(o, v, l, &c, i);
		halves_update(o, l, &split);
	}
	if (n < LEAST)
		l->halved = false;
	window_keep(o, l, n >= LEAST ? &c : NULL);
	l->windows++;
}
