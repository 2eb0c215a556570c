// SPDX-License-Identifier: BSD-2-Clause
/* From what was found in states to incidents, and those not judged. */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* What a node is indicted for, where several things are: the first of these that it was found with. */
static const enum state_made weight[] = {MADE_STUCK,	MADE_FAILED, MADE_DURATION, MADE_SERVER,
					 MADE_EXECUTOR, MADE_DISK,   MADE_NET,	    MADE_PACKETS,
					 MADE_TOGETHER, MADE_SHARE};

static size_t rank(const struct states_job *j, const struct state_found *f)
{
	size_t i = 0;

	while (i < sizeof(weight) / sizeof(*weight) && weight[i] != j->signals[f->signal].made)
		i++;
	return i;
}

static int by_node_and_weight(const void *a, const void *b, void *arg)
{
	const struct state_found *x = a, *y = b;
	const struct states_job *j = arg;
	double p = x->e.score / x->e.needs, q = y->e.score / y->e.needs;

	return ORDER(x->e.node, y->e.node) ?: ORDER(x->e.symptom, y->e.symptom) ?:
		ORDER(y->level, x->level) ?: ORDER(rank(j, x), rank(j, y)) ?: ORDER(q, p);
}

static int by_weight(const void *a, const void *b)
{
	const struct incident *x = a, *y = b;

	return ORDER(x->suspicious != SUSPICION_NONE, y->suspicious != SUSPICION_NONE)
		       ?: ORDER(y->findings[0].z, x->findings[0].z);
}

/* ---- what it cost the jobs -------------------------------------------------------------------------- */

struct ends {
	int64_t own, others; /* the last */
};

/*
 * The share of a job's time in which it waited for tasks of this node alone: of each kind, from the last end elsewhere to the last
 * end there. NaN: not known.
 */
static double waited(const struct states_job *j, uint32_t job, size_t node)
{
	struct ends at[STATE_KIND_COUNT] = {0};
	int64_t from = INT64_MAX, to = INT64_MIN;
	double sum = 0;

	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *x = &j->s->at[i];
		bool own = states_row(j, x->node) == node;
		int64_t *last = own ? &at[x->kind].own : &at[x->kind].others;

		if (x->job != job ||
		    (x->kind != STATE_MAP && x->kind != STATE_REDUCE && x->kind != STATE_TASK))
			continue;
		from = x->start_ns < from ? x->start_ns : from;
		to = x->end_ns > to ? x->end_ns : to;
		*last = x->end_ns > *last ? x->end_ns : *last;
	}
	for (size_t k = 0; k < STATE_KIND_COUNT; k++)
		if (at[k].own > at[k].others && at[k].others > 0)
			sum += (double)(at[k].own - at[k].others);
	return to > from ? sum / (double)(to - from) : NAN;
}

/* What attempts that failed on this node, in the finding's time, said most often; of as many the first. */
static int commonest_error(const struct states_job *j, const struct state_found *f,
			   char text[STATE_ERROR_LEN])
{
	const struct states *s = j->s;
	size_t *n = calloc(s->errors.n + 1, sizeof(*n)), most = 0;

	if (!n)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_error; i++) {
		const struct state_error *e = &s->error[i];

		if (e->time_ns >= f->e.onset_ns && e->time_ns <= f->e.last_ns &&
		    states_row(j, e->node) == f->e.node)
			n[e->text]++;
	}
	for (size_t i = 0; i < s->errors.n; i++)
		most = n[i] > n[most] ? i : most;
	if (n[most])
		snprintf(text, STATE_ERROR_LEN, "%s", s->errors.at[most]);
	free(n);
	return 0;
}

static struct detail detail_of(const struct states_job *j, const struct state_found *f)
{
	struct detail d = {.kind = DETAIL_STATE,
			   .signal = f->e.signal,
			   .ratio = f->e.ratio,
			   .attempts = f->e.judged,
			   .of_attempts = f->e.flagged,
			   .share = NAN};

	if (f->job == STATE_NONE)
		return d;
	snprintf(d.job, sizeof(d.job), "%s", j->s->jobs.at[f->job]);
	d.share = waited(j, f->job, f->e.node);
	return d;
}

/* ---- incidents ------------------------------------------------------------------------------------------ */

static enum cause cause_of(const struct states_job *j, const struct state_found *f, enum why *why)
{
	switch (j->signals[f->signal].made) {
	case MADE_STUCK: *why = WHY_STUCK; return CAUSE_HUNG;
	case MADE_FAILED: *why = WHY_CAUSE; return CAUSE_FAILING;
	case MADE_PACKETS: *why = WHY_PACKETS; return CAUSE_SLOW;
	case MADE_DISK:
	case MADE_NET: *why = WHY_STATES; return CAUSE_SLOW;
	case MADE_TOGETHER: *why = WHY_TOGETHER; return CAUSE_SLOW;
	case MADE_SHARE: *why = WHY_SHARE; return CAUSE_SLOW;
	case MADE_DURATION:
	case MADE_SERVER:
	case MADE_EXECUTOR: break;
	}
	*why = WHY_STATES;
	return CAUSE_SLOW;
}

/* Whether a signal is among what was found, or already told as the slowest of something. */
static bool found(const struct state_found *f, size_t n, const struct incident *in, size_t signal)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].e.signal == signal)
			return true;
	for (size_t i = 0; i < in->n_findings; i++)
		if (in->findings[i].signal == signal)
			return true;
	return false;
}

static int indict(const struct states_job *j, const struct state_found *f, size_t n,
		  struct incident *in)
{
	bool few = f->peers + 1 < EVIDENCE_FEW;

	*in = (struct incident){.node = f->e.node,
				.suspicious = f->level == EVIDENCE_INDICTED ? SUSPICION_NONE
					      : few			    ? SUSPICION_PEERS
									    : SUSPICION_DATA,
				.onset_ns = f->e.onset_ns,
				.decided_ns = f->e.decided_ns,
				.last_ns = f->e.last_ns,
				.open = f->e.open,
				.times = f->times,
				.duty = f->duty,
				.detail = detail_of(j, f),
				.findings = calloc(2 * n, sizeof(*in->findings))};
	if (!in->findings)
		return -ENOMEM;
	in->cause = cause_of(j, f, &in->why);
	if (in->cause == CAUSE_FAILING || in->cause == CAUSE_HUNG)
		if (commonest_error(j, f, in->detail.error))
			return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		in->findings[in->n_findings++] = f[i].e;
		if (f[i].most.n_peers && !found(f, n, in, f[i].most.signal))
			in->findings[in->n_findings++] = f[i].most;
	}
	if (few)
		in->doubts[in->n_doubts++] =
			(struct doubt){.kind = DOUBT_FEW_PEERS, .n = (double)f->peers};
	in->confidence = incident_confidence(in);
	return 0;
}

static int notice(const struct states_job *j, const struct state_found *f)
{
	enum why why;
	struct notice m = {.kind = NOTICE_ACKNOWLEDGED,
			   .node = f->e.node,
			   .from_ns = f->e.onset_ns,
			   .to_ns = f->e.last_ns,
			   .suspicious = f->level != EVIDENCE_INDICTED,
			   .cause = cause_of(j, f, &why),
			   .ratio = f->e.ratio,
			   .detail = {.kind = DETAIL_SIGNAL, .signal = f->e.signal}};

	return verdict_add_notice(j->a, &m);
}

/* Found in one node; what only supports indicts nobody. */
static int one_node(struct states_job *j, const struct state_found *f, size_t n)
{
	struct verdict *a = j->a;

	if (f->e.symptom) {
		for (size_t k = 0; k < n; k++) {
			struct finding *to = array_add(&a->ruled_out, &a->n_ruled_out);

			if (!to)
				return -ENOMEM;
			*to = f[k].e;
		}
		return 0;
	}
	if (string_list_has(&j->o->acknowledged, j->a->nodes[f->e.node]))
		return notice(j, f);
	if (!array_add(&a->incidents, &a->n_incidents))
		return -ENOMEM;
	return indict(j, f, n, &a->incidents[a->n_incidents - 1]);
}

int states_indict(struct states_job *j)
{
	size_t next;
	int err = 0;

	sort_with(j->found, j->n_found, by_node_and_weight, j);
	for (size_t i = 0; i < j->n_found && !err; i = next) {
		for (next = i; next < j->n_found && j->found[next].e.node == j->found[i].e.node;
		     next++)
			;
		err = one_node(j, &j->found[i], next - i);
	}
	if (!err)
		sort(j->a->incidents, j->a->n_incidents, by_weight);
	return err;
}

/* ---- nodes that were not judged ---------------------------------------------------------------------- */

static struct unjudged why_not(const struct states_job *j, size_t i, const size_t *in)
{
	const struct state_reason *r = &j->reasons[i];
	struct unjudged x = {.node = i, .signal = SIGNAL_ALL};

	if (j->group[i] < 0)
		x.why = UNJUDGED_NO_GROUP;
	else if (in[j->group[i]] < STATES_NODES)
		x.why = UNJUDGED_FEW_SERVERS;
	else if (!r->compared)
		x.why = r->ended ? UNJUDGED_FEW_LIKE : UNJUDGED_NONE_ENDED;
	else if (r->values < STATES_VALUES) {
		x.why = UNJUDGED_FEW_VALUES;
		x.n = r->values;
		x.needed = STATES_VALUES;
		x.window_s = s_of_ns(j->a->to_ns - j->a->from_ns);
	} else {
		x.why = UNJUDGED_FEW_PEERS;
		x.needed = STATES_VALUES;
	}
	return x;
}

int states_unjudged(struct states_job *j)
{
	size_t *in = calloc(j->n_groups + 1, sizeof(*in)), judged = 0;
	struct verdict *a = j->a;
	int err = in ? 0 : -ENOMEM;

	for (size_t i = 0; i < a->n_nodes && !err; i++)
		if (j->group[i] >= 0)
			in[j->group[i]]++;
	for (size_t i = 0; i < a->n_nodes && !err; i++) {
		struct unjudged *at;

		a->judged[i] = j->reasons[i].judged;
		judged += a->judged[i];
		if (a->judged[i])
			continue;
		at = array_add(&a->unjudged, &a->n_unjudged);
		if (at)
			*at = why_not(j, i, in);
		else
			err = -ENOMEM;
	}
	free(in);
	if (judged || err || a->cannot.why || a->n_incidents)
		return err;
	a->cannot.why = a->n_unjudged ? CANNOT_UNJUDGED : CANNOT_NO_INTERVAL;
	if (a->n_unjudged)
		a->cannot.server = a->unjudged[0];
	return 0;
}
