// SPDX-License-Identifier: BSD-2-Clause
/* salsa.h: what was found, as a verdict. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "conclude.h"
#include "method_states.h"
#include "salsa.h"
#include "analyzer/verdict/finding_make.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

struct salsa_conclusion {
	struct verdict *v;
	const struct salsa *r;
	const struct salsa_opts *o;
	const struct state_nodes *nodes;
	size_t *signal; /* of each of salsa_kinds: the row; SIZE_MAX: no node has this state */
};

/* Nodes that were compared on a kind; and whether any node has it. */
static size_t compared_on(const struct salsa_conclusion *t, size_t k, bool *there)
{
	size_t n = 0;

	*there = false;
	for (size_t i = 0; i < t->r->n_nodes; i++) {
		*there |= salsa_track(t->r, k, i)->most > 0;
		n += salsa_track(t->r, k, i)->compared > 0;
	}
	return n;
}

static int add_signals(struct salsa_conclusion *t)
{
	for (size_t k = 0; k < salsa_n_kinds; k++) {
		const char *word = state_rows[salsa_kinds[k]].word;
		struct verdict_signal *s;
		bool there;
		size_t n = compared_on(t, k, &there);

		t->signal[k] = SIZE_MAX;
		if (!there)
			continue;
		s = verdict_add_signal(t->v);
		if (!s)
			return -ENOMEM;
		t->signal[k] = t->v->n_signals - 1;
		snprintf(s->name, sizeof(s->name), "%s duration", word);
		snprintf(s->word, sizeof(s->word), "%s", word);
		snprintf(s->unit, sizeof(s->unit), "s");
		s->method = SALSA_NAME;
		s->score = "times its threshold";
		s->counts = t->o->online ? "seconds" : "windows";
		s->decimals = 2;
		s->judged = n > 0;
		s->servers = n;
		s->windows = t->r->n_windows;
	}
	return 0;
}

/* ---- who was not judged ----------------------------------------------------------------------------------- */

/* Why a node was compared on no state, or not on this one. */
static struct unjudged reason(const struct salsa_conclusion *t, size_t node, size_t signal,
			      size_t most)
{
	struct unjudged u = {.node = t->nodes->row[node],
			     .signal = signal,
			     .n = most,
			     .needed = t->o->min,
			     .window_s = t->r->window_s};

	u.why = t->nodes->group[node] < 0 ? UNJUDGED_NO_GROUP
		: !most			  ? UNJUDGED_NO_VALUE
		: most < t->o->min	  ? UNJUDGED_FEW_VALUES
					  : UNJUDGED_FEW_SERVERS;
	return u;
}

static int list_node(const struct salsa_conclusion *t, size_t node)
{
	size_t most = 0, compared = 0;
	struct unjudged u;
	int err = 0;

	for (size_t k = 0; k < salsa_n_kinds; k++) {
		const struct salsa_track *a = salsa_track(t->r, k, node);

		most = a->most > most ? a->most : most;
		compared += a->compared > 0;
	}
	t->v->judged[t->nodes->row[node]] = compared > 0;
	if (!compared) {
		u = reason(t, node, SIGNAL_ALL, most);
		return verdict_add_unjudged(t->v, &u);
	}
	for (size_t k = 0; k < salsa_n_kinds && !err; k++) {
		const struct salsa_track *a = salsa_track(t->r, k, node);

		if (a->compared || t->signal[k] == SIZE_MAX || !t->v->signals[t->signal[k]].judged)
			continue;
		u = reason(t, node, t->signal[k], a->most);
		err = verdict_add_unjudged(t->v, &u);
	}
	return err;
}

/* Why nobody was judged: one with enough instances has no peers because the others have too few. */
static const struct unjudged *first_reason(const struct verdict *v)
{
	const struct unjudged *found = v->unjudged;

	for (size_t i = 0; i < v->n_unjudged; i++)
		if (v->unjudged[i].why == UNJUDGED_FEW_VALUES &&
		    (found->why != UNJUDGED_FEW_VALUES || v->unjudged[i].n > found->n))
			found = &v->unjudged[i];
	return found;
}

/* ---- incidents -------------------------------------------------------------------------------------------- */

static struct finding finding_of(const struct salsa_conclusion *t, const struct salsa_track *a,
				 size_t signal)
{
	const struct salsa_look *w = &a->worst;
	const struct finding_about about = {.signal = signal,
					    .node = t->nodes->row[w->node],
					    .value = w->own,
					    .peers = w->peers,
					    .score = w->distance / t->o->threshold,
					    .flagged = (unsigned int)a->alarms,
					    .judged = (unsigned int)a->compared,
					    .n_peers = w->n_peers,
					    .onset_ns = a->onset_ns,
					    .decided_ns = a->decided_ns,
					    .last_ns = a->last_ns,
					    .open = a->open};

	return finding_make(&about, NULL);
}

COMPARISON(by_z, struct finding, ORDER(b->z, a->z) ?: ORDER(a->signal, b->signal))

/* The state tells which daemon it is; why is not known [K V-A]. */
static int indict(const struct salsa_conclusion *t, size_t node)
{
	struct incident in = {.node = t->nodes->row[node],
			      .cause = CAUSE_SLOW,
			      .why = WHY_DISTRIBUTION,
			      .culprit.share = NAN,
			      .confidence = NAN,
			      .detail.kind = DETAIL_SIGNAL},
			*new;

	in.findings = calloc(salsa_n_kinds, sizeof(*in.findings));
	if (!in.findings)
		return -ENOMEM;
	for (size_t k = 0; k < salsa_n_kinds; k++) {
		const struct salsa_track *a = salsa_track(t->r, k, node);

		if (a->indicted)
			conclude_finding(&in, finding_of(t, a, t->signal[k]));
	}
	new = in.n_findings ? array_add(&t->v->incidents, &t->v->n_incidents) : NULL;
	if (!new) {
		free(in.findings);
		return in.n_findings ? -ENOMEM : 0;
	}
	sort(in.findings, in.n_findings, by_z);
	in.detail.signal = in.findings[0].signal;
	*new = in;
	return 0;
}

/* ---- what there is to say besides ------------------------------------------------------------------------- */

static int add_looks(const struct salsa_conclusion *t)
{
	for (size_t i = 0; i < t->r->n_looks; i++) {
		const struct salsa_look *a = &t->r->looks[i];
		struct explained_look *l = array_add(&t->v->looks, &t->v->n_looks);
		size_t k = 0;

		if (!l)
			return -ENOMEM;
		while (salsa_kinds[k] != a->kind)
			k++;
		*l = (struct explained_look){.from_ns = a->from_ns,
					     .to_ns = a->to_ns,
					     .node = t->nodes->row[a->node],
					     .signal = t->signal[k],
					     .value = a->own,
					     .peers = a->peers,
					     .d = NAN,
					     .sigma = NAN,
					     .z = a->distance,
					     .ratio = a->own / a->peers,
					     .threshold = t->o->threshold,
					     .above = a->alarm ? a->n_peers / 2 + 1 : 0,
					     .flagged = a->alarm};
	}
	return 0;
}

/* Durations longer than nearly all before them on the same server: no server is indicted by that [T 5.2]. */
static int add_samples(const struct salsa_conclusion *t)
{
	size_t tried = 0, above = 0;
	char text[160];

	for (size_t i = 0; i < salsa_n_kinds * t->r->n_nodes; i++) {
		tried += t->r->at[i].samples;
		above += t->r->at[i].above;
	}
	if (!t->o->online || !tried)
		return 0;
	snprintf(text, sizeof(text),
		 "%zu of %zu states took longer than %g %% of those before them", above, tried,
		 100 * SALSA_THRESHOLD_H);
	return verdict_add_fact(t->v, "samples", "", NAN, text);
}

static int add_facts(const struct salsa_conclusion *t)
{
	int err = verdict_add_fact(t->v, "salsa", "threshold", t->o->threshold, "");

	err = err ?: verdict_add_fact(t->v, "salsa", "least_instances", t->o->min, "");
	if (!err && t->o->pooled)
		err = verdict_add_fact(t->v, "salsa", "", NAN,
				       "distance from all servers together");
	return err ?: add_samples(t);
}

int salsa_tell(struct verdict *v, const struct salsa *r, const struct state_nodes *nodes,
	       const struct salsa_opts *o)
{
	struct salsa_conclusion t = {.v = v, .r = r, .o = o, .nodes = nodes};
	int err = -ENOMEM;

	v->from_ns = r->from_ns;
	v->to_ns = r->to_ns;
	v->n_windows = r->n_windows;
	v->window_s = r->window_s;
	t.signal = calloc(salsa_n_kinds, sizeof(*t.signal));
	if (!t.signal)
		goto out;
	err = add_signals(&t);
	for (size_t i = 0; i < r->n_nodes && !err; i++)
		if (nodes->row[i] != SIZE_MAX)
			err = list_node(&t, i);
	if (!v->n_signals)
		v->cannot.why = CANNOT_NO_STATE;
	else if (!verdict_judged(v))
		v->cannot = (struct cannot){.why = CANNOT_UNJUDGED, .server = *first_reason(v)};
	for (size_t i = 0; i < r->n_nodes && !err; i++)
		if (nodes->row[i] != SIZE_MAX)
			err = indict(&t, i);
	verdict_incidents_sort(v, false);
	err = err ?: add_looks(&t) ?: add_facts(&t);
out:
	free(t.signal);
	return err;
}
