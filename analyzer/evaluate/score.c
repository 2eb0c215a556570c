// SPDX-License-Identifier: BSD-2-Clause
/* Counts of runs and servers; rates, Wilson's interval, Matthews' coefficient, quantiles. */
#include "score.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/array.h"

#define RATE_WORD(NAME, WORD) WORD,
const char *const score_rate_names[RATE_COUNT] = {SCORE_RATES(RATE_WORD)};

static void rate_add(struct rate *r, size_t k, size_t n)
{
	r->k += k;
	r->n += n;
}

int score_add(struct score *s, const struct outcome *o)
{
	bool faulty = o->faulty > 0, judged = !o->cannot;
	size_t alarms = o->alarmed + o->untimely;
	struct rate *r = s->rate;

	if (isfinite(o->ttd_s) && array_put(&s->ttd_s, &s->n_ttd, o->ttd_s))
		return -ENOMEM;
	s->faulty += faulty;
	s->fault_free += !faulty;
	s->cannot_faulty += faulty && o->cannot;
	s->cannot_fault_free += !faulty && o->cannot;
	s->failed_faulty += faulty && o->failed;
	s->failed_fault_free += !faulty && o->failed;
	s->tp += o->hit;
	s->fn += o->missed;
	s->fp += alarms;
	s->tn += o->free - o->alarmed;
	s->not_judged += o->not_judged;
	rate_add(&r[RATE_IFP], judged && alarms, judged);
	rate_add(&r[RATE_DFP], judged && o->misnamed, judged);
	rate_add(&r[RATE_PRECISION], o->hit, o->hit + alarms);
	rate_add(&r[RATE_RECALL], o->hit, o->hit + o->missed);
	rate_add(&r[RATE_UNPROVEN], o->unproven, judged && !o->hit && !alarms);
	rate_add(&r[RATE_CLEAR], faulty && o->clear, faulty);
	if (faulty) {
		rate_add(&r[RATE_ITP], o->hit == o->faulty, 1);
		rate_add(&r[RATE_DTP], o->cause_known && o->named == o->faulty, o->cause_known);
		rate_add(&r[RATE_TP], o->hit, o->faulty);
		rate_add(&r[RATE_60S], o->hit == o->faulty && o->ttd_s <= 60, 1);
		if (o->directed && o->hit == o->faulty)
			rate_add(&r[RATE_DIRECTION], o->direction == o->faulty, 1);
		rate_add(&r[RATE_GUESS], o->guess, o->guessed);
		/* a faulty server was a fault-free one when it raised its alarm */
		rate_add(&r[RATE_FP], alarms, o->free + o->untimely);
	} else {
		rate_add(&r[RATE_ALARM_SERVERS], alarms, o->free);
		rate_add(&r[RATE_ALARM_RUNS], judged && alarms, judged);
	}
	return 0;
}

void score_release(struct score *s)
{
	free(s->ttd_s);
	*s = (struct score){0};
}

double rate_value(struct rate r)
{
	return r.n ? (double)r.k / (double)r.n : NAN;
}

struct bounds rate_wilson(struct rate r)
{
	static const double z = 1.959963984540054; /* the normal's 97.5 % quantile */
	double n = (double)r.n, p = rate_value(r), shrink, centre, half;

	if (!r.n)
		return (struct bounds){NAN, NAN};
	shrink = 1 / (1 + z * z / n);
	centre = (p + z * z / (2 * n)) * shrink;
	half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) * shrink;
	return (struct bounds){r.k ? centre - half : 0, r.k < r.n ? centre + half : 1};
}

double score_mcc(const struct score *s)
{
	double tp = (double)s->tp, fp = (double)s->fp, tn = (double)s->tn, fn = (double)s->fn;
	double scale = sqrt(tp + fp) * sqrt(tp + fn) * sqrt(tn + fp) * sqrt(tn + fn);

	return scale > 0 ? (tp * tn - fp * fn) / scale : NAN;
}

double score_ttd(struct score *s, double q)
{
	return s->n_ttd ? stats_quantile(s->ttd_s, s->n_ttd, q) : NAN;
}
