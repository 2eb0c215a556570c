// SPDX-License-Identifier: BSD-2-Clause
/* Holds the verdict on one run against its label: hits, misses, alarms, the time to detection. */
#include "evaluate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* When a label's fault was there, within the run; and whom it names. */
struct trial {
	const struct labelled *label;
	const struct verdict *a;
	int64_t onset_ns; /* of the fault; of the run where none is given */
};

static bool named(const struct labelled *l, const char *node)
{
	return any_of(i, l->n_nodes, !strcmp(l->nodes[i], node));
}

static bool has_server(const struct verdict *a, const char *name)
{
	return any_of(i, a->n_nodes, !strcmp(a->nodes[i], name));
}

/* There were any data; else the verdict's time means nothing. */
static bool is_recorded(const struct verdict *a)
{
	return a->n_nodes > 0 && a->from_ns < a->to_ns;
}

/* Whether the label can be of this run; a run without data says nothing about it. */
static int check_servers(const struct labelled *l, const struct verdict *a)
{
	if (!is_recorded(a))
		return 0;
	for (size_t i = 0; i < l->n_nodes; i++)
		if (!has_server(a, l->nodes[i]))
			return fail("'%s' line %zu: no server of '%s' is called '%s'", l->file,
				    l->line, l->source, l->nodes[i]);
	if (l->n_nodes && (l->from_ns >= a->to_ns || l->to_ns <= a->from_ns))
		return fail("'%s' line %zu: '%s' was not recorded at the time of the fault",
			    l->file, l->line, l->source);
	return 0;
}

/*
 * An indictment is for the fault if its vote was complete after the fault began, and if its first odd
 * window began before the fault was over [D]. A window that ends as the fault begins has seen none of
 * it.
 */
static bool in_time(const struct labelled *l, int64_t onset_ns, int64_t decided_ns)
{
	return decided_ns > l->from_ns && onset_ns < l->to_ns;
}

/* One time a server was found worse. */
static void take_span(const struct trial *t, struct incidents *a, int64_t *hit_ns,
		      int64_t *first_ns, int64_t onset_ns, int64_t decided_ns)
{
	bool hit = a->faulty && in_time(t->label, onset_ns, decided_ns);

	a->hit |= hit;
	a->alarm |= !hit;
	if (hit && decided_ns < *hit_ns)
		*hit_ns = decided_ns;
	if (decided_ns < *first_ns)
		*first_ns = decided_ns;
}

/* What indicted counts, each signal by itself; symptoms only support. Without any, the whole incident. */
static struct incidents indict(const struct trial *t, const struct incident *of)
{
	int64_t hit_ns = INT64_MAX, first_ns = INT64_MAX;
	struct incidents a = {.cause = of->cause,
			      .guess = of->guess,
			      .direction = of->cause == CAUSE_PACKET_LOSS ? of->detail.direction
									  : DIRECTION_NONE};

	memcpy(a.node, t->a->nodes[of->node], HOST_LEN);
	a.faulty = named(t->label, a.node);
	for (size_t i = 0; i < of->n_findings; i++) {
		const struct finding *e = &of->findings[i];

		if (!e->symptom)
			take_span(t, &a, &hit_ns, &first_ns, e->onset_ns, e->decided_ns);
	}
	if (first_ns == INT64_MAX)
		take_span(t, &a, &hit_ns, &first_ns, of->onset_ns, of->decided_ns);
	a.after_s = s_of_ns((a.hit ? hit_ns : first_ns) - t->onset_ns);
	return a;
}

/* A hit: the right server; the cause, the side and the guess come on top of it. */
static void count_hit(struct outcome *o, const struct incidents *a, const struct labelled *l)
{
	const struct known_fault *f = l->known;

	o->hit++;
	o->ttd_s = isnan(o->ttd_s) ? a->after_s : fmax(o->ttd_s, a->after_s);
	if (!truth_names(f, a->cause))
		return;
	o->named++;
	o->direction += f->direction != DIRECTION_NONE && a->direction == f->direction;
	o->guessed += f->guesses && a->guess.kind != GUESS_NONE;
	o->guess += (f->guesses & 1U << a->guess.kind) != 0;
}

/* Adds to *o what the last of n incidents means: a server counts once for a hit, once for an alarm,
 * each by the highest in rank. */
static void count_incident(struct outcome *o, const struct incidents *all, size_t n,
			   const struct labelled *l)
{
	const struct incidents *a = &all[n - 1];
	bool hit = a->hit, alarm = a->alarm;

	for (const struct incidents *before = all; before < a; before++)
		if (!strcmp(before->node, a->node)) {
			hit &= !before->hit;
			alarm &= !before->alarm;
		}
	if (hit)
		count_hit(o, a, l);
	o->alarmed += alarm && !a->faulty;
	o->untimely += alarm && a->faulty;
	o->misnamed += alarm && a->cause != CAUSE_NONE;
}

/* Servers judged and not, with the fault and without; once hits are counted. */
static void count_servers(struct outcome *o, const struct labelled *l, const struct verdict *a)
{
	size_t faulty = 0;

	for (size_t i = 0; i < a->n_nodes; i++) {
		bool judged = !o->cannot && a->judged[i], ill = named(l, a->nodes[i]);

		faulty += judged && ill;
		o->free += judged && !ill;
		o->not_judged += !judged;
	}
	/* who is indicted was judged, whatever the verdict says */
	o->missed = faulty > o->hit ? faulty - o->hit : 0;
}

/* What of all servers is known, where nobody is indicted. */
static void count_well(struct outcome *o, const struct verdict *a)
{
	struct status_counts n = verdict_statuses(a, false);
	size_t more = n.of[STATUS_UNJUDGED] + n.of[STATUS_SUSPICIOUS] + n.of[STATUS_INDICTED];

	o->clear = !o->cannot && !more && !n.of[STATUS_UNPROVEN];
	o->unproven = !o->cannot && !more && n.of[STATUS_UNPROVEN];
}

static struct outcome blank(const struct labelled *l, enum vocabulary words, bool causes,
			    bool directions)
{
	const struct known_fault *f = l->known;

	return (struct outcome){.faulty = l->n_nodes,
				.cause_known =
					l->n_nodes && causes && f && f->cause[words] != CAUSE_NONE,
				.directed = directions && f && f->direction != DIRECTION_NONE,
				.ttd_s = NAN};
}

int evaluate_run(struct evaluated *e, const struct labelled *label, const struct verdict *a,
		 struct evaluate_how how)
{
	struct trial t = {label, a, label->from_ns};
	struct outcome *o = &e->outcome;
	size_t n = how.top && a->n_incidents ? 1 : a->n_incidents;
	struct text why = {0};
	int err;

	*e = (struct evaluated){.label = label};
	err = check_servers(label, a);
	if (err)
		return err;
	if (a->cannot.why) {
		e->state = RUN_CANNOT;
		sentence_cannot(&why, &a->cannot);
		e->why = text_take(&why, NULL);
		n = 0;
	}
	e->incidents = calloc(n + 1, sizeof(*e->incidents));
	if (!e->incidents || (a->cannot.why && !e->why))
		return -ENOMEM;
	*o = blank(label, a->checklist ? WORDS_CHECKLIST : WORDS_ROBUST,
		   how.causes && a->names_causes, !a->checklist);
	o->cannot = a->cannot.why != CANNOT_NOT;
	if (t.onset_ns == INT64_MIN && is_recorded(a))
		t.onset_ns = a->from_ns;
	/* who is only suspicious is neither hit nor alarm */
	for (size_t i = 0; i < a->n_incidents && e->n_incidents < n; i++) {
		if (a->incidents[i].suspicion)
			continue;
		e->incidents[e->n_incidents++] = indict(&t, &a->incidents[i]);
		count_incident(o, e->incidents, e->n_incidents, label);
	}
	count_servers(o, label, a);
	count_well(o, a);
	if (o->hit < o->faulty)
		o->ttd_s = NAN;
	return 0;
}

int evaluate_failed(struct evaluated *e, const struct labelled *label, enum vocabulary words,
		    struct evaluate_how how, const char *why)
{
	free(e->why);
	free(e->incidents);
	*e = (struct evaluated){.label = label, .state = RUN_FAILED, .why = strdup(why)};
	e->outcome = blank(label, words, how.causes, words == WORDS_ROBUST);
	e->outcome.cannot = e->outcome.failed = true;
	return e->why ? 0 : -ENOMEM;
}

const char *evaluate_word(const struct evaluated *e)
{
	const struct outcome *o = &e->outcome;
	bool alarm = o->alarmed + o->untimely > 0;

	if (e->state == RUN_FAILED)
		return "failed";
	if (o->cannot)
		return "not-judged";
	if (!o->faulty)
		return alarm ? "alarm" : "clean";
	if (o->hit == o->faulty)
		return alarm ? "hit+alarm" : "hit";
	return alarm ? "miss+alarm" : "miss";
}
