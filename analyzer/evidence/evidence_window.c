// SPDX-License-Identifier: BSD-2-Clause
/* One window of one length: core, yardstick, what it says of each entity. */
#include "evidence_parts.h"

#include "analyzer/stat/stats.h"

static const double CHI_MEDIAN = 0.455; /* median of chi-square with one degree of freedom */
/* A step of more than three standard deviations is no noise: it is what makes two groups of one. */
static const double STEP_MAX = 9;

/*
 * From blocks to means: M, G and e of each, NaN where too little. Number of entities that have
 * them.
 */
static size_t means(struct evidence *e, const struct length *l)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++) {
		const struct block *b = &e->window[i];
		double count = b->count, top = 0;

		e->m[i] = e->g[i] = NAN;
		e->extra[i] = 0;
		e->core[i] = false;
		if (b->count < l->intervals / 2 || b->count <= TRIM)
			continue;
		for (unsigned int k = 0; k < TRIM; k++)
			top += b->top[k];
		e->m[i] = (b->sum - top) / (count - TRIM);
		e->g[i] = b->sum / count;
		e->extra[i] = (b->extra + (double)b->doubt * b->doubt) / (count * count);
		n++;
	}
	return n;
}

/* What one entity moves from one block to the next, as a variance; room: n. */
static double step_variance(const struct evidence *e, const struct length *l, double *room)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++) {
		double step = e->m[i] - l->at[i].m[BACK - 1];

		if (!isnan(step))
			room[n++] = step * step / 2;
	}
	return stats_quantile(room, n, 0.5) / CHI_MEDIAN;
}

/* Who may serve as a yardstick. */
static size_t core_find(struct evidence *e, struct length *l, size_t n, struct split *split)
{
	double middle, limit, noise;
	bool minority;
	size_t k = 0;

	for (size_t i = 0; i < e->n; i++)
		if (!isnan(e->m[i]))
			e->some[k++] = e->m[i];
	stats_sort(e->some, n);
	middle = stats_sorted_median(e->some, n);
	limit = CUT * sqrt(fmax(running_add(&l->lower, lower_variance(e->some, n), BACK * MEMORY),
				e->p.floor * e->p.floor / 4));
	*split = (struct split){0};
	noise = step_variance(e, l, e->some + n);
	if (l->noise.n && !isnan(noise))
		noise = fmin(noise, STEP_MAX * fmax(l->noise.mean, e->p.floor * e->p.floor));
	noise = running_add(&l->noise, noise, BACK * MEMORY);
	/* One step is no noise that two groups could be told from. */
	if (l->windows > BACK)
		*split = split_find(e, l, e->some, n, noise);
	k = 0;
	minority = split->slow && 2 * split->slow < n;
	for (size_t i = 0; i < e->n; i++) {
		e->core[i] = e->m[i] - middle <= limit;
		if (minority)
			e->core[i] = e->core[i] && e->m[i] < split->from;
		k += e->core[i];
	}
	/* What was learnt with the slow ones in the core is no yardstick of the quick ones. */
	for (size_t i = 0; i < e->n && minority && !l->minority; i++)
		l->at[i].yard = (struct yardstick){.variance = 0};
	l->minority = minority;
	return k;
}

/* Sums over the core, about its means. */
struct core {
	size_t n;
	double m, g, newer; /* means; newer: of the effect in the newer half */
	size_t n_newer;
	double ss; /* squares of M */
	/* Of those that were in the core one block before, too: now (u), then (v). */
	size_t pairs;
	double u, v, uu, vv, uv;
};

static double newer(const struct evidence *e, size_t i)
{
	return e->block[i].count ? (double)e->block[i].sum / e->block[i].count : NAN;
}

static void core_means(const struct evidence *e, struct core *c)
{
	for (size_t i = 0; i < e->n; i++) {
		if (!e->core[i])
			continue;
		c->m += e->m[i];
		c->g += e->g[i];
		if (e->block[i].count) {
			c->newer += newer(e, i);
			c->n_newer++;
		}
	}
	c->m /= (double)c->n;
	c->g /= (double)c->n;
	c->newer /= (double)c->n_newer;
}

static struct core core_sums(const struct evidence *e, const struct length *l, size_t n)
{
	struct core c = {.n = n};

	core_means(e, &c);
	for (size_t i = 0; i < e->n; i++) {
		double u = e->m[i] - c.m, v = l->at[i].u[BACK - 1];

		if (!e->core[i])
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
static struct spread spread_without(const struct evidence *e, const struct length *l,
				    const struct core *c, size_t i)
{
	double u = e->m[i] - c->m, v = l->at[i].u[BACK - 1], n = (double)c->pairs;
	struct core left = *c;
	struct spread s = {.peers = c->n, .q = NAN, .same = NAN, .all = NAN};

	if (e->core[i]) {
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

static enum evidence_level level_of(const struct evidence *e, struct length *l, bool majority,
				    double u, double extra, const struct judged *j,
				    const struct quantiles *need)
{
	const struct needs *floors = needs_floor(e, l);
	double floor = u / sqrt(e->p.floor * e->p.floor + extra);
	double gate = l->judged < EVIDENCE_FEW ? e->p.gate_few : e->p.gate;
	bool sure = j->t >= need->indict && floor >= floors->floor_indict;
	bool maybe = j->t >= need->suspect && floor >= floors->floor_suspect;

	if (l->halved)
		return EVIDENCE_NONE;
	if (sure && majority && j->effect >= gate)
		return EVIDENCE_INDICTED;
	if ((sure && j->effect >= e->p.gate_suspect) || (maybe && j->effect >= e->p.gate))
		return EVIDENCE_SUSPICIOUS;
	return EVIDENCE_NONE;
}

/* The smallest effect of which level_of() would make a suspicion, ln; sure: that of which the evidence is full. */
static double noticed(const struct evidence *e, struct length *l, double extra,
		      const struct judged *j, const struct quantiles *need, double sure)
{
	double floor = needs_floor(e, l)->floor_suspect * sqrt(e->p.floor * e->p.floor + extra);
	double maybe = fmax(need->suspect * j->error, floor);

	return l->halved ? NAN : fmin(fmax(sure, e->p.gate_suspect), fmax(maybe, e->p.gate));
}

static void judge(struct evidence *e, const struct view *v, struct length *l, const struct core *c,
		  size_t i)
{
	struct judged *j = &l->at[i];
	struct spread s = spread_without(e, l, c, i);
	double extra = e->extra[i], gate = l->judged < EVIDENCE_FEW ? e->p.gate_few : e->p.gate, u,
	       now, seen;
	const struct quantiles *need;

	if (s.peers < 2)
		return;
	need = needs_at(e, l, yardstick(e, v, l, i, &s));
	j->df = (float)need->df;
	j->need = (float)need->indict;
	j->bound = (float)need->bound;
	u = e->m[i] - (e->core[i] ? mean_without(c->m, c->n, e->m[i]) : c->m);
	j->effect = (float)(e->g[i] - (e->core[i] ? mean_without(c->g, c->n, e->g[i]) : c->g));
	now = newer(e, i);
	now -= e->core[i] && c->n_newer > 1 ? mean_without(c->newer, c->n_newer, now) : c->newer;
	j->error = (float)sqrt(j->used * (1 + 1 / (double)s.peers) + extra);
	j->t = (float)(u / j->error);
	seen = fmax(need->indict * j->error,
		    needs_floor(e, l)->floor_indict * sqrt(e->p.floor * e->p.floor + extra));
	j->seen = (float)fmax(seen, gate);
	j->noticed = (float)noticed(e, l, extra, j, need, seen);
	j->level = level_of(e, l, 2 * c->n > l->judged, u, extra, j, need);
	if (j->level == EVIDENCE_SUSPICIOUS)
		gate = e->p.gate_suspect;
	/* Without a value in the newer half nothing is known to be over. */
	j->over = j->level != EVIDENCE_NONE && now < gate / 2;
}

/* Two groups of which the slow one is no minority, unless the newer half shows that it is over. */
static void halves(const struct evidence *e, struct length *l, const struct split *split)
{
	double sum[2] = {0, 0};
	size_t n[2] = {0, 0};

	l->halved = split->slow && 2 * split->slow >= l->judged;
	l->slow = 0;
	l->apart = split->effect;
	if (!l->halved)
		return;
	for (size_t i = 0; i < e->n; i++) {
		bool slow = e->m[i] >= split->from;

		if (!isnan(e->m[i]) && e->block[i].count) {
			sum[slow] += newer(e, i);
			n[slow]++;
		}
	}
	if (!n[0] || !n[1] || sum[1] / (double)n[1] - sum[0] / (double)n[0] >= e->p.gate / 2)
		l->slow = split->slow;
}

static void remember(struct evidence *e, struct length *l, const struct core *c)
{
	for (size_t i = 0; i < e->n; i++) {
		struct judged *j = &l->at[i];

		j->u[1] = j->u[0];
		j->m[1] = j->m[0];
		j->u[0] = c && e->core[i] ? (float)(e->m[i] - c->m) : NAN;
		j->m[0] = (float)e->m[i];
	}
}

void window_judge(struct evidence *e, struct view *v, struct length *l)
{
	size_t n = means(e, l), members;
	struct core c;
	struct split split;

	l->end = v->intervals;
	l->judged = n;
	l->slow = 0;
	for (size_t i = 0; i < e->n; i++) {
		struct judged *j = &l->at[i];

		j->effect = j->t = j->error = j->seen = j->noticed = NAN;
		j->level = EVIDENCE_NONE;
		j->over = false;
	}
	if (n >= LEAST) {
		members = core_find(e, l, n, &split);
		c = core_sums(e, l, members);
		halves(e, l, &split);
		for (size_t i = 0; i < e->n; i++)
			if (!isnan(e->m[i]))
				judge(e, v, l, &c, i);
	}
	if (n < LEAST)
		l->halved = false;
	remember(e, l, n >= LEAST ? &c : NULL);
	l->windows++;
}
