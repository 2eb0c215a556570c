// SPDX-License-Identifier: BSD-2-Clause
/* conclude.h: what there is to say of training and parameters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conclude.h"
#include "analyzer/methods/model/ganesha.h"
#include "method.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

static bool judged_by(const struct judgement *j, const struct method *m)
{
	return any_of(i, j->n_coverage, !strcmp(j->coverage[i].method, m->name));
}

/* Facts one after the other; after the first that had no memory there are no more. */
struct fact_list {
	struct verdict *v;
	const struct conclusion *c;
	int err;
};

static void put_text(struct fact_list *f, const char *group, const char *name, const char *text)
{
	if (!f->err)
		f->err = verdict_add_fact(f->v, group, name, NAN, text);
}

static void put_number(struct fact_list *f, const char *group, const char *name, double number)
{
	if (!f->err)
		f->err = verdict_add_fact(f->v, group, name, number, "");
}

static void put_training(struct fact_list *f)
{
	const struct model *m = f->c->model;
	char t[TIME_TEXT_LEN];

	if (!m->n_trained && !m->ganesha)
		return;
	put_text(f, "trained", "from", output_time(m->from_ns, t));
	put_text(f, "trained", "to", output_time(m->to_ns, t));
	put_number(f, "trained", "windows", (double)m->n_windows);
	put_number(f, "trained", "slack", m->params.slack);
}

static void put_parameters(struct fact_list *f)
{
	const struct params *p = &f->c->model->params;
	const struct judgement *j = f->c->judgement;

	put_number(f, "method", "window", p->window);
	put_number(f, "method", "shift", p->shift);
	put_number(f, "method", "votes", j->votes);
	put_number(f, "method", "of_windows", 2.0 * j->votes - 1);
	if (judged_by(j, &method_kl) || judged_by(j, &method_cwnd)) {
		put_number(f, "method", "smooth", p->smooth);
		put_number(f, "method", "cwnd_smooth", p->cwnd_smooth);
		put_number(f, "method", "bins", p->bins);
		put_number(f, "method", "t_min", p->t_min);
		if (p->partition)
			put_number(f, "method", "partition", p->partition);
	}
	put_text(f, "method", "sides", j->two_sided ? "two-sided" : "worse only");
}

static void put_ganesha(struct fact_list *f)
{
	const struct ganesha *g = f->c->model->ganesha;
	const struct judgement *j = f->c->judgement;

	if (!g || !judged_by(j, &method_ganesha))
		return;
	put_number(f, "ganesha", "profiles", (double)g->k);
	put_number(f, "ganesha", "metrics", (double)g->d);
	put_number(f, "ganesha", "threshold", g->distance * f->c->model->params.slack);
	if (j->weighted)
		put_number(f, "ganesha", "weighted_alarms_over", g->alarm_count);
	else
		put_number(f, "ganesha", "alarms_in_a_row", g->consecutive);
}

/* What the closed form of kl's thresholds means for false alarms: of servers of which each was trained for r
 * times the time judged, some healthy one of n has an odd window with probability 1 - (r/(r+1))^n. */
static void put_chance(struct fact_list *f)
{
	const struct judgement *j = f->c->judgement;
	double runs = j->n_useful ? (double)f->c->model->n_windows / (double)j->n_useful : NAN;
	char text[sizeof(((struct fact *)NULL)->text)];

	if (f->v->cannot.why || !judged_by(j, &method_kl))
		return;
	put_number(f, "chance", "training_runs", runs);
	put_number(f, "chance", "odd_window_probability",
		   1 - pow(runs / (runs + 1), (double)verdict_judged(f->v)));
	snprintf(text, sizeof(text),
		 "that some healthy server has an odd window of a metric at slack 1; that alone is "
		 "no alarm: an indictment needs %u of %u windows",
		 j->votes, 2 * j->votes - 1);
	put_text(f, "chance", "", text);
}

int conclude_facts(struct verdict *v, const struct conclusion *c)
{
	struct fact_list f = {.v = v, .c = c};

	put_training(&f);
	put_parameters(&f);
	put_ganesha(&f);
	put_chance(&f);
	return f.err;
}
