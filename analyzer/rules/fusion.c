// SPDX-License-Identifier: BSD-2-Clause
/* fusion.h: incidents of recordings and of logs that belong together. */
#include "fusion.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verdict/finding_make.h"
#include "analyzer/verdict/verdict_join.h"

/* Of one trouble, if no further apart: a task that it made slow may begin before it and end after it. */
#define APART_NS ((int64_t)60 * 1000000000)

/* What each side knew of each server before they were joined. */
struct sides {
	bool *machine, *job;	       /* judged */
	size_t n_machine;	       /* incidents of the recordings: the first ones */
	struct track_history *history; /* NULL: nothing is known */
	int64_t to_ns;		       /* what was recorded ends there */
	size_t *recorded; /* of each server the number that the history has for it; SIZE_MAX: none */
};

static bool together(const struct incident *x, const struct incident *y)
{
	return x->node == y->node && x->onset_ns <= y->last_ns + APART_NS &&
	       y->onset_ns <= x->last_ns + APART_NS;
}

/* For an incident, by its first finding. */
static struct evidence evidence_of(const struct incident *in)
{
	const struct finding *f = in->n_findings ? in->findings : NULL;
	bool tested = f && f->needs > 0;

	return (struct evidence){.t = tested ? f->score : NAN, .df = tested ? f->df : NAN};
}

/* The jobs' findings after the machine's. */
static int take_findings(struct incident *to, struct incident *from)
{
	size_t all = to->n_findings + from->n_findings;
	struct finding *more = realloc(to->findings, (all + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	memcpy(more + to->n_findings, from->findings, from->n_findings * sizeof(*more));
	to->findings = more;
	to->n_findings = all;
	return 0;
}

static int fuse(struct incident *machine, struct incident *jobs)
{
	struct evidence a = evidence_of(machine), b = evidence_of(jobs);
	double own = machine->confidence, p = evidence_both(&a, &b);
	int err;

	if (machine->impact.kind == IMPACT_JOBS)
		return take_findings(machine, jobs);
	machine->impact = (struct impact){IMPACT_JOBS, jobs->detail, p};
	/* Tasks that fail or hang are worse than what makes them; that no cause is known is no cause. */
	if (machine->cause == CAUSE_SLOW) {
		machine->cause = jobs->cause;
		machine->why = jobs->why;
	}
	if (machine->suspicion && !jobs->suspicion) {
		machine->suspicion = SUSPICION_NONE;
		machine->decided_ns = jobs->decided_ns;
	}
	err = take_findings(machine, jobs);
	machine->confidence = fmax(own, jobs->confidence);
	machine->open |= jobs->open;
	machine->last_ns = machine->last_ns > jobs->last_ns ? machine->last_ns : jobs->last_ns;
	return err;
}

/* The finding of what the recording shows meanwhile. */
static struct finding finding_of(const struct incident *in, const struct meanwhile *odd)
{
	const struct finding_about about = {.signal = (size_t)odd->signal,
					    .node = in->node,
					    .value = odd->value,
					    .peers = odd->peers,
					    .flagged = odd->evidence.n,
					    .judged = odd->evidence.n,
					    .onset_ns = odd->from_ns,
					    .last_ns = odd->to_ns,
					    .open = in->open};

	return finding_make(&about, &odd->evidence);
}

/* Jobs are slow there, and nobody has said why: what did the recording see meanwhile? */
static int ask_recording(struct incident *in, const struct sides *s)
{
	struct meanwhile odd;
	struct incident found = {.findings = (struct finding[1]){{0}}, .n_findings = 1};

	if (in->cause != CAUSE_SLOW || !s->history || s->recorded[in->node] == SIZE_MAX ||
	    !meanwhile_cause(s->history, s->recorded[in->node], in->onset_ns - APART_NS,
			     in->last_ns + APART_NS, &odd))
		return 0;
	if (odd.to_ns > s->to_ns)
		odd.to_ns = s->to_ns;
	if (in->impact.kind != IMPACT_JOBS)
		in->impact = (struct impact){IMPACT_JOBS, in->detail, NAN};
	in->cause = odd.cause;
	in->why = WHY_MEANWHILE;
	found.findings[0] = finding_of(in, &odd);
	in->detail = (struct detail){.kind = DETAIL_SIGNAL,
				     .signal = (size_t)odd.signal,
				     .ratio = found.findings->ratio};
	return take_findings(in, &found);
}

/* An incident of the logs alone, or one of the recordings of which no job knows. */
static int alone(struct incident *in, bool machine, const struct sides *s)
{
	int err = 0;

	if (machine) {
		in->impact.kind = s->job[in->node] ? IMPACT_NONE : IMPACT_UNKNOWN;
		in->impact.both_p = NAN;
		return 0;
	}
	if (s->machine[in->node])
		err = ask_recording(in, s);
	if (s->machine[in->node] && in->guess.kind == GUESS_NONE && in->cause == CAUSE_SLOW)
		in->guess.kind = GUESS_NOT_MACHINE;
	return err;
}

static int fuse_all(struct verdict *v, const struct sides *s)
{
	size_t kept = s->n_machine;
	int err = 0;

	for (size_t i = s->n_machine; i < v->n_incidents; i++) {
		struct incident *jobs = &v->incidents[i], *machine = NULL;

		for (size_t k = 0; k < s->n_machine && !machine; k++)
			if (together(&v->incidents[k], jobs))
				machine = &v->incidents[k];
		if (machine) {
			err = err ?: fuse(machine, jobs) ?: ask_recording(machine, s);
			free(jobs->findings);
			jobs->findings = NULL;
			continue;
		}
		err = err ? err : alone(jobs, false, s);
		if (kept != i) {
			v->incidents[kept] = *jobs;
			jobs->findings = NULL;
		}
		kept++;
	}
	v->n_incidents = kept;
	for (size_t k = 0; k < s->n_machine; k++)
		if (v->incidents[k].impact.kind == IMPACT_UNKNOWN)
			alone(&v->incidents[k], true, s);
	verdict_incidents_sort(v, false);
	return err;
}

/* Tasks took longer everywhere: what else rose everywhere? */
static void ask_everywhere(struct verdict *v, struct track_history *history)
{
	struct meanwhile_rise rise;

	for (size_t i = 0; i < v->n_notices; i++) {
		struct notice *m = &v->notices[i];

		if (m->kind != NOTICE_FLEET || m->detail.kind != DETAIL_STATE ||
		    !meanwhile_rose(history, m->from_ns, m->to_ns, &rise))
			continue;
		m->signal = (size_t)rise.signal;
		m->latency = rise.ratio;
	}
}

int fusion(struct verdict *machines, struct verdict *jobs, struct track_history *history)
{
	size_t n = machines->n_nodes, m = jobs->n_nodes;
	struct sides s = {.machine = calloc(n + m + 1, sizeof(*s.machine)),
			  .job = calloc(n + m + 1, sizeof(*s.job)),
			  .recorded = calloc(n + m + 1, sizeof(*s.recorded)),
			  .history = history,
			  .to_ns = machines->to_ns,
			  .n_machine = machines->n_incidents};
	bool *judged = calloc(n + m + 1, sizeof(*judged)); /* the one's, then the other's */
	size_t *map = calloc(n + m + 1, sizeof(*map));
	int err = s.machine && s.job && s.recorded && judged && map ? 0 : -ENOMEM;

	for (size_t i = 0; i < n + m && !err; i++)
		judged[i] = i < n ? machines->judged[i] : jobs->judged[i - n];
	/* until it fell silent */
	for (size_t i = 0; i < machines->n_unjudged && !err; i++)
		judged[machines->unjudged[i].node] |= machines->unjudged[i].why == UNJUDGED_SILENT;
	err = err ?: verdict_join(machines, jobs, map);
	for (size_t i = 0; i < n + m && !err; i++)
		s.recorded[i] = SIZE_MAX;
	for (size_t i = 0; i < n && !err; i++)
		s.recorded[map[i]] = i;
	for (size_t i = 0; i < n + m && !err; i++)
		*(i < n ? &s.machine[map[i]] : &s.job[map[i]]) |= judged[i];
	err = err ?: fuse_all(machines, &s);
	if (!err && history)
		ask_everywhere(machines, history);
	free(s.machine);
	free(s.job);
	free(s.recorded);
	free(judged);
	free(map);
	return err;
}
