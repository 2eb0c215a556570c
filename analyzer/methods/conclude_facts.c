// SPDX-License-Identifier: BSD-2-Clause
/* conclude.h: what there is to say of training and parameters. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conclude.h"
#include "analyzer/methods/model/ganesha.h"
#include "method.h"
#include "userspace/common/output.h"

static bool judged_by(const struct judgement *j, const struct method *m)
{
	for (size_t i = 0; i < j->n_coverage; i++)
		if (!strcmp(j->coverage[i].method, m->name))
			return true;
	return false;
}

static int add_training(struct verdict *v, const struct model *m)
{
	char t[TIME_TEXT_LEN];
	int err = 0;

	if (!m->n_trained && !m->ganesha)
		return 0;
	err = verdict_add_fact(v, "trained", "from", NAN, output_time(m->from_ns, t));
	if (!err)
		err = verdict_add_fact(v, "trained", "to", NAN, output_time(m->to_ns, t));
	if (!err)
		err = verdict_add_fact(v, "trained", "windows", (double)m->n_windows, "");
	return err ? err : verdict_add_fact(v, "trained", "slack", m->params.slack, "");
}

static int add_parameters(struct verdict *v, const struct conclusion *c)
{
	const struct params *p = &c->model->params;
	const struct judgement *j = c->judgement;
	bool smooth = judged_by(j, &method_kl) || judged_by(j, &method_cwnd);
	const struct {
		const char *name;
		bool there;
		double value;
	} all[] = {
		{"window", true, p->window},
		{"shift", true, p->shift},
		{"votes", true, j->votes},
		{"of_windows", true, 2.0 * j->votes - 1},
		{"smooth", smooth, p->smooth},
		{"cwnd_smooth", smooth, p->cwnd_smooth},
		{"bins", smooth, p->bins},
		{"t_min", smooth, p->t_min},
		{"partition", smooth && p->partition, p->partition},
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && !err; i++)
		if (all[i].there)
			err = verdict_add_fact(v, "method", all[i].name, all[i].value, "");
	return err ? err
		   : verdict_add_fact(v, "method", "sides", NAN,
				      j->two_sided ? "two-sided" : "worse only");
}

static int add_ganesha(struct verdict *v, const struct conclusion *c)
{
	const struct ganesha *g = c->model->ganesha;
	int err;

	if (!g || !judged_by(c->judgement, &method_ganesha))
		return 0;
	err = verdict_add_fact(v, "ganesha", "profiles", (double)g->k, "");
	if (!err)
		err = verdict_add_fact(v, "ganesha", "metrics", (double)g->d, "");
	if (!err)
		err = verdict_add_fact(v, "ganesha", "threshold",
				       g->distance * c->model->params.slack, "");
	if (err)
		return err;
	return c->judgement->weighted
		       ? verdict_add_fact(v, "ganesha", "weighted_alarms_over", g->alarm_count, "")
		       : verdict_add_fact(v, "ganesha", "alarms_in_a_row", g->consecutive, "");
}

/* What the closed form of kl's thresholds means for false alarms: of servers of which each was trained for r
 * times the time judged, some healthy one of n has an odd window with probability 1 - (r/(r+1))^n. */
static int add_chance(struct verdict *v, const struct conclusion *c)
{
	const struct judgement *j = c->judgement;
	double runs = j->n_useful ? (double)c->model->n_windows / (double)j->n_useful : NAN;
	char text[sizeof(((struct fact *)NULL)->text)];
	int err;

	if (v->cannot.why || !judged_by(j, &method_kl))
		return 0;
	err = verdict_add_fact(v, "chance", "training_runs", runs, "");
	if (!err)
		err = verdict_add_fact(v, "chance", "odd_window_probability",
				       1 - pow(runs / (runs + 1), (double)verdict_judged(v)), "");
	snprintf(text, sizeof(text),
		 "that some healthy server has an odd window of a metric at slack 1; that alone is "
		 "no "
		 "alarm: an indictment needs %u of %u windows",
		 j->votes, 2 * j->votes - 1);
	return err ? err : verdict_add_fact(v, "chance", "", NAN, text);
}

int conclude_facts(struct verdict *v, const struct conclusion *c)
{
	int err = add_training(v, c->model);

	if (!err)
		err = add_parameters(v, c);
	if (!err)
		err = add_ganesha(v, c);
	return err ? err : add_chance(v, c);
}
