// SPDX-License-Identifier: BSD-2-Clause
/* job_flow_print.h: what a job waited for, in ten lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "words.h"
#include "job_flow_print.h"
#include "userspace/common/clock.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

enum {
	HANG = 12,
	SHOWN = 4,    /* of a line */
	OUTLIERS = 2, /* lines; all are in the JSON */
};

#define TOLD  0.005 /* of the job's time: less rounds to 0 % */
#define WORTH 0.05  /* less than a replay is wrong by (METHOD.md) is no difference */

/* Short, since most logs lack some: what is missing and which log would have it; what that means. */
static const struct {
	const char *code, *what, *so;
	const char
		*since_2; /* what, of Hadoop 2 and later, whose reduces fetch from NodeManagers */
} missing[] = {
	{"job-times", "the job's start and end (a job history)",
	 "those of its states stand for them", NULL},
	{"reads", "block reads (DataNodes' logs)", NULL, "block reads (DataNodes' logs, at DEBUG)"},
	{"shuffles", "shuffles (clienttrace lines of TaskTrackers' logs)",
	 "that each reduce fetched from each map is a guess, and which server sent slowly is not "
	 "known",
	 "shuffles (syslog.shuffle of reduces, in userlogs)"},
	{"writes", "block writes (DataNodes' logs)", NULL, NULL},
	{"readers", "which map a block was read for",
	 "all maps on that server at that time are taken", NULL},
	{"fetchers", "which reduce a shuffle was for",
	 "all reduces on that server at that time are taken", NULL},
	{"parts", "the parts of reduces", "their wait for map output is not told apart", NULL},
	{"clock", "one clock", "states lie outside the job's time: is a zone wrong (--zone)?",
	 NULL},
	{"edges", "some edges, of too many", "paths are counted over the others", NULL},
};

const char *job_flow_missing(unsigned int i, const char **code)
{
	if (i >= sizeof(missing) / sizeof(*missing))
		return NULL;
	*code = missing[i].code;
	return missing[i].what;
}

static double job_s(const struct job_flow *f)
{
	return s_of_ns(f->to_ns - f->from_ns);
}

static const char *node_name(const struct job_flow *f, uint32_t node)
{
	return node == STATE_NONE ? "no server" : f->s->nodes.at[node];
}

static void tell_job(const struct job_flow *f, size_t jobs)
{
	static const char *const outcomes[OUTCOME_COUNT] = {
		[OUTCOME_OK] = "ended well",
		[OUTCOME_FAILED] = "failed",
		[OUTCOME_KILLED] = "was killed",
		[OUTCOME_OPEN] = "had not ended",
	};
	const struct state_job *j = f->job == STATE_NONE ? NULL : &f->s->job[f->job];
	struct text t = {0};
	char from[TIME_TEXT_LEN];

	if (j)
		text_add(&t, " %s:", f->s->jobs.at[f->job]);
	text_add(&t, " %.1f" TEXT_TIE "s from %s;", job_s(f), output_time(f->from_ns, from));
	if (f->spark)
		text_add(&t, " %zu tasks in %zu stages", f->n_tasks,
			 f->n_groups - FLOW_FIRST_STAGE);
	else
		text_add(&t, " %zu maps, %zu reduces", f->groups[FLOW_MAPS].n,
			 f->groups[FLOW_REDUCES].n);
	text_add(&t, " on %zu servers", f->n_nodes);
	if (j && !(f->missing & FLOW_NO_TIMES))
		text_add(&t, " ; %s", outcomes[j->outcome]);
	if (jobs > 1)
		text_add(&t, " ; the logs have %zu jobs (--job)", jobs);
	text_print(&t, stdout, "job", HANG, HANG);
}

/* "40.2 s (31 %)" of the job's time. */
static void tell_share(struct text *t, const struct job_flow *f, const char *what,
		       const struct flow_share *s)
{
	text_add(t, " %s%s" TEXT_TIE "%.1f" TEXT_TIE "s" TEXT_TIE "(%.0f" TEXT_TIE "%%)",
		 t->len ? ", " : "", what, s->s, 100 * s->s / job_s(f));
}

static void tell_states(const struct job_flow *f)
{
	struct text t = {0};

	for (size_t i = 0; i < f->n_kinds && i < SHOWN && f->kinds[i].s >= TOLD * job_s(f); i++)
		tell_share(&t, f, state_rows[f->kinds[i].what].word, &f->kinds[i]);
	text_print(&t, stdout, "waited for", HANG, HANG);
	for (size_t i = 0; i < f->n_waits && i < SHOWN && f->waits[i].s >= TOLD * job_s(f); i++) {
		tell_share(&t, f, flow_whys[f->waits[i].what].word, &f->waits[i]);
		if (!i)
			text_add(&t, " (%s)", flow_whys[f->waits[i].what].what);
	}
	if (t.len)
		text_print(&t, stdout, "idle", HANG, HANG);
}

static void tell_nodes(const struct job_flow *f)
{
	struct text t = {0};

	for (size_t i = 0; i < f->n_share_nodes && i < SHOWN && f->nodes[i].s >= TOLD * job_s(f);
	     i++) {
		const struct flow_share *s = &f->nodes[i];

		tell_share(&t, f, node_name(f, s->what), s);
		if (s->lost_s >= 0.05)
			text_add(&t,
				 " of which" TEXT_TIE "%.1f" TEXT_TIE
				 "s are more than its peers took",
				 s->lost_s);
	}
	if (f->n_share_nodes > SHOWN)
		text_add(&t, " and %zu more", f->n_share_nodes - SHOWN);
	text_print(&t, stdout, "on", HANG, HANG);
}

static void tell_longest(const struct job_flow *f)
{
	const struct flow_segment *s = NULL;
	const struct state *x;
	struct text t = {0};

	for (size_t i = 0; i < f->n_path; i++)
		if (f->path[i].why == FLOW_WHY_WORK &&
		    (!s || f->path[i].to_ns - f->path[i].from_ns > s->to_ns - s->from_ns))
			s = &f->path[i];
	if (!s)
		return;
	x = &f->s->at[s->state];
	text_add(&t, "%s of %s on %s, %.1f" TEXT_TIE "s from %.1f" TEXT_TIE "s on",
		 state_rows[x->kind].word, f->s->ids.at[x->id], node_name(f, s->node),
		 s_of_ns(s->to_ns - s->from_ns), s_of_ns(s->from_ns - f->from_ns));
	if (s->lost_s >= 0.05)
		text_add(&t, " , %.1f" TEXT_TIE "s more than usual", s->lost_s);
	if (s->inside != STATE_NONE) {
		const struct state *in = &f->s->at[s->inside];

		text_add(&t, " ; in it a %s of %.1f" TEXT_TIE "s on %s", state_rows[in->kind].word,
			 s_of_ns(in->end_ns - in->start_ns), node_name(f, in->node));
	}
	text_print(&t, stdout, "longest", HANG, HANG);
}

static const struct flow_without *without(const struct job_flow *f, uint32_t limping)
{
	return find_if(i, f->without, f->n_without,
		       limping == STATE_NONE || f->without[i].node == limping);
}

static void tell_without(const struct job_flow *f, const struct flow_limping *limping)
{
	const struct flow_without *x = without(f, limping->node);
	struct text t = {0}, limps TEXT_SCOPED = {0};

	text_enclose(&limps, ", which limps: ", limping->cause ?: "", ",");
	if (x && x->s < (1 - WORTH) * job_s(f)) {
		text_add(&t, "the delay of %s%s the job would have taken about %.1f" TEXT_TIE "s:",
			 node_name(f, x->node), text_of(&limps), x->s);
		if (x->ratio > 1)
			text_add(&t,
				 " its %s states took %.2f" TEXT_TIE "x its peers' (%zu of them)",
				 state_rows[x->kind].word, x->ratio, x->states);
		if (x->repeated)
			text_add(&t, " %s%zu of its attempts did not end well and were made again",
				 x->ratio > 1 ? ", " : "", x->repeated);
	} else if (limping->node != STATE_NONE)
		text_add(&t, "the delay of %s%s the job would have taken as long",
			 node_name(f, limping->node), text_of(&limps));
	else
		text_put(&t, "the delay of any one server the job would have taken as long");
	text_print(&t, stdout, "without", HANG, HANG);
}

static const char *count_text(double n, char buf[WORDS_LEN])
{
	snprintf(buf, WORDS_LEN, n < 1e15 ? "%.0f" : isinf(n) ? "over 1e308" : "%.3g", n);
	return buf;
}

static void tell_paths(const struct job_flow *f)
{
	struct text t = {0};
	char n[WORDS_LEN];

	if (!f->n_edges) {
		text_put(&t, f->spark ? "none, since no stage waits for another"
				      : "none, since the logs do not say what its attempts read or "
					"wrote");
		text_print(&t, stdout, "paths", HANG, HANG);
		return;
	}
	text_add(&t, "%s over %zu vertices and %zu edges", count_text(f->paths, n), f->n_vertices,
		 f->n_edges);
	if (f->n_guessed)
		text_add(&t, " (%zu of them guessed)", f->n_guessed);
	if (f->n_clusters && f->sampled > 1) {
		const struct flow_cluster *c = &f->clusters[0];

		text_add(&t, " in %zu groups of pairs", f->n_clusters);
		text_add(&t, " ; in the largest a map took %.1f" TEXT_TIE "s",
			 c->seconds[FLOW_MAP]);
		if (!isnan(c->seconds[FLOW_SHUFFLE_WAIT]))
			text_add(&t,
				 " , its reduce waited %.1f" TEXT_TIE "s and reduced %.1f" TEXT_TIE
				 "s",
				 c->seconds[FLOW_SHUFFLE_WAIT], c->seconds[FLOW_REDUCE_INPUT]);
	}
	text_print(&t, stdout, "paths", HANG, HANG);
}

static void tell_outliers(const struct job_flow *f)
{
	for (size_t i = 0; i < f->n_outliers && i < OUTLIERS; i++) {
		const struct flow_outlier *o = &f->outliers[i];
		uint32_t task = o->map != STATE_NONE ? o->map : o->reduce;
		const struct state *x = &f->s->at[f->tasks[task].state];
		bool seconds = o->value < FLOW_STAGES;
		struct text t = {0};

		text_add(&t, "%s%s of %s", flow_stage_words[o->value % FLOW_STAGES],
			 seconds ? "" : " bytes", f->s->ids.at[x->id]);
		if (o->map != STATE_NONE && o->reduce != STATE_NONE)
			text_add(&t, " for %s",
				 f->s->ids.at[f->s->at[f->tasks[o->reduce].state].id]);
		text_add(&t, " on %s: ", node_name(f, x->node));
		if (seconds)
			text_add(&t, " %.2f" TEXT_TIE "s, usual %.2f" TEXT_TIE "s", o->is,
				 o->usual);
		else
			text_add(&t, " %.3g" TEXT_TIE "B, usual %.3g" TEXT_TIE "B", o->is,
				 o->usual);
		if (i + 1 == OUTLIERS && f->n_outliers + f->more_outliers > OUTLIERS)
			text_add(&t, " ; %zu more", f->n_outliers + f->more_outliers - OUTLIERS);
		text_print(&t, stdout, "odd", HANG, HANG);
	}
}

/* Hadoop counts its time in milliseconds since 2.0, 13 digits, and said it as YYYYMMDDhhmm before. */
static bool since_2(const struct job_flow *f)
{
	const char *job = f->job < f->s->jobs.n ? f->s->jobs.at[f->job] : "";

	return !strncmp(job, "job_", 4) && strspn(job + 4, "0123456789") == 13;
}

/* Spark's log has neither blocks nor who sent what: nothing of it is missing. */
static bool is_missing(const struct job_flow *f, size_t i)
{
	return f->missing & 1U << i && (!f->spark || (1U << i) == FLOW_NO_TIMES);
}

static void tell_missing(const struct job_flow *f)
{
	const size_t n = sizeof(missing) / sizeof(*missing);
	struct text t = {0};

	for (size_t i = 0; i < n; i++)
		if (is_missing(f, i))
			text_add(&t, " %s%s", t.len ? ", " : "",
				 missing[i].since_2 && since_2(f) ? missing[i].since_2
								  : missing[i].what);
	for (size_t i = 0; i < n; i++)
		if (is_missing(f, i) && missing[i].so)
			text_add(&t, " ; %s", missing[i].so);
	if (t.len)
		text_print(&t, stdout, "missing", HANG, HANG);
}

void job_flow_text(const struct job_flow *f, const struct flow_limping *limping, size_t jobs)
{
	tell_job(f, jobs);
	tell_states(f);
	tell_nodes(f);
	tell_longest(f);
	tell_without(f, limping);
	tell_paths(f);
	tell_outliers(f);
	tell_missing(f);
}
