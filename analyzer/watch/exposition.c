// SPDX-License-Identifier: BSD-2-Clause
/* exposition.h: the text. */
#include "exposition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "userspace/common/clock.h"
#include "userspace/common/sort.h"
#include "userspace/common/version.h"

#define LABELS(...)              \
	(const char *const[][2]) \
	{                        \
		__VA_ARGS__      \
	}

/* Every family: its name here, its name, unit and type, the labels it has, what it is; tools/metrics writes them into
 * userspace/METRICS.md. */
/* clang-format off */
#define EXPOSED_FAMILIES(X) \
	X(BUILD, "limpet_watch_build", "", INFO, "version", \
	  "Version of limpet.") \
	X(INDICTED, "limpet_indicted", "", GAUGE, "server, cause", \
	  "A server that limps, and why.") \
	X(SINCE, "limpet_indicted_since_timestamp_seconds", "seconds", GAUGE, "server, cause", \
	  "When it began, since the epoch.") \
	X(CONFIDENCE, "limpet_indicted_confidence_ratio", "ratio", GAUGE, "server, cause", \
	  "How likely it is that this is right.") \
	X(SUSPICIOUS, "limpet_suspicious", "", GAUGE, "server, cause, reason", \
	  "A server with strong evidence against it that indicts nobody yet.") \
	X(STATUS, "limpet_server_status", "", GAUGE, "server, status", \
	  "What is known of a server: of its five statuses one is 1.") \
	X(SILENT, "limpet_server_silent", "", GAUGE, "server", \
	  "A server that stopped reporting, while most of its peers report.") \
	X(UNJUDGED, "limpet_server_unjudged", "", GAUGE, "server, reason", \
	  "A server that could not be judged, and why.") \
	X(UNPROVEN, "limpet_server_unproven", "", GAUGE, "server, resource, disk, signal", \
	  "A resource of a server in which a fault would not have been seen.") \
	X(REMARKS, "limpet_remarks", "", GAUGE, "kind", \
	  "What is so at present and is no fault of a server.") \
	X(STRAGGLERS, "limpet_stragglers", "", GAUGE, "server", \
	  "Tasks that run on a server and hold up their job.") \
	X(RATIO, "limpet_signal_ratio", "ratio", GAUGE, "server, disk, signal", \
	  "Of the last interval to the median of the peers at equal load.") \
	X(Z, "limpet_signal_z", "", GAUGE, "server, disk, signal", \
	  "The same over how close the peers are.") \
	X(ODD, "limpet_signal_odd", "", GAUGE, "server, disk, signal", \
	  "Whether the last interval is bad, or evidence stands against the server.") \
	X(SERVERS, "limpet_servers", "", GAUGE, "", \
	  "Servers of which there are series files.") \
	X(REPORTING, "limpet_servers_reporting", "", GAUGE, "", \
	  "Servers with data in the last interval.") \
	X(JUDGED, "limpet_servers_judged", "", GAUGE, "", \
	  "Servers that were judged on any signal.") \
	X(CAN_JUDGE, "limpet_can_judge", "", GAUGE, "", \
	  "Whether there is enough to judge by.") \
	X(HOPS, "limpet_watch_hops", "", COUNTER, "", \
	  "Intervals that were taken in.") \
	X(LOGS, "limpet_watch_logs", "", GAUGE, "", \
	  "Logs of jobs that are followed.") \
	X(STATES, "limpet_watch_states", "", GAUGE, "", \
	  "States of jobs that are kept: tasks, blocks and what they waited for.") \
	X(OPEN, "limpet_watch_open_states", "", GAUGE, "", \
	  "Of them, that have no end yet.") \
	X(UNEXPORTED, "limpet_watch_unexported_signals", "", GAUGE, "", \
	  "Signals there was no room for in this text.") \
	X(TROUBLE, "limpet_watch_trouble", "", GAUGE, "", \
	  "Whether a file or folder cannot be read at present.") \
	X(DAMAGED, "limpet_watch_damaged_values", "", GAUGE, "", \
	  "Values in the files that are damaged.") \
	X(DROPPED, "limpet_watch_dropped_seconds", "", GAUGE, "", \
	  "Seconds that came twice, or after their interval was judged.") \
	X(ALERTS_RUN, "limpet_alerts_run", "", COUNTER, "", \
	  "Times the alert program was run.") \
	X(ALERTS_FAILED, "limpet_alerts_failed", "", COUNTER, "", \
	  "Times it could not be run, or failed.") \
	X(ALERTS_KILLED, "limpet_alerts_killed", "", COUNTER, "", \
	  "Times it hung and was killed.") \
	X(ALERTS_WAITING, "limpet_alerts_waiting", "", GAUGE, "", \
	  "Alerts that are held back for a while.") \
	X(LAST_HOP, "limpet_watch_last_hop_timestamp_seconds", "seconds", GAUGE, "", \
	  "End of the last interval, since the epoch.") \
	X(LAG, "limpet_watch_lag_seconds", "seconds", GAUGE, "", \
	  "How long ago the last interval ended when this text was made.")
/* clang-format on */

#define FAMILY(NAME, ...) F_##NAME,
enum family { EXPOSED_FAMILIES(FAMILY) FAMILIES };
#undef FAMILY

#define FAMILY(NAME, WORD, UNIT, TYPE, LABELS_, HELP) \
	[F_##NAME] = {{(WORD), (UNIT), MT_##TYPE, (HELP)}, (LABELS_)},
static const struct exposed_family {
	struct mt_family f;
	const char *labels;
} families[FAMILIES] = {EXPOSED_FAMILIES(FAMILY)};
#undef FAMILY

struct exposing {
	struct metrics_text t;
	const struct exposed *e;
};

/* Begins a family; returns its name. */
static const char *family(struct exposing *t, enum family f)
{
	mt_family(&t->t, &families[f].f);
	return families[f].f.name;
}

/* Of one that has no labels. */
static void put_name(struct exposing *t, enum family f)
{
	mt_sample(&t->t, family(t, f), mt_suffix(families[f].f.type), "", "");
}

void exposition_dump(void)
{
	static const char *const types[] = {
		[MT_COUNTER] = "counter", [MT_GAUGE] = "gauge", [MT_INFO] = "info"};

	printf("## limpet watch\n\n| metric | type | labels | meaning |\n|---|---|---|---|\n");
	for (size_t i = 0; i < FAMILIES; i++) {
		const struct mt_family *f = &families[i].f;

		printf("| `%s%s` | %s | %s | %s |\n", f->name, mt_suffix(f->type), types[f->type],
		       families[i].labels, f->help);
	}
}

/* ---- who limps --------------------------------------------------------------------------------------*/

/* Of those that are open and indict, or are suspicious. */
static void put_incidents(struct exposing *t, enum family f)
{
	bool suspicious = f == F_SUSPICIOUS;
	const struct verdict *a = t->e->verdict;
	const char *name = family(t, f);

	for (size_t i = 0; i < a->n_incidents; i++) {
		const struct incident *in = &a->incidents[i];

		if (!in->open || (in->suspicion != SUSPICION_NONE) != suspicious ||
		    (f == F_CONFIDENCE && !isfinite(in->confidence)))
			continue;
		mt_labels(&t->t, name,
			  LABELS({"server", verdict_node(a, in->node)},
				 {"cause", cause_table[in->cause].word},
				 {"reason", verdict_reason(a, in->node, true)}),
			  suspicious ? 3 : 2);
		if (f == F_SINCE)
			mt_ns(&t->t, (uint64_t)in->onset_ns);
		else if (f == F_CONFIDENCE)
			mt_double(&t->t, in->confidence, 4);
		else
			mt_u64(&t->t, 1);
	}
}

/* Each of the five of each server: one is 1. */
static void put_statuses(struct exposing *t)
{
	const struct verdict *a = t->e->verdict;
	const char *name = family(t, F_STATUS);

	for (size_t i = 0; i < a->n_nodes; i++) {
		enum status is = verdict_status(a, i, true);

		for (enum status s = 0; s < STATUSES; s++) {
			mt_labels(&t->t, name,
				  LABELS({"server", verdict_node(a, i)},
					 {"status", status_table[s].word}),
				  2);
			mt_u64(&t->t, s == is);
		}
	}
}

static void put_unproven(struct exposing *t)
{
	const struct verdict *a = t->e->verdict;
	const char *name = family(t, F_UNPROVEN);

	for (size_t i = 0; i < a->n_unproven; i++) {
		const struct unproven *u = &a->unproven[i];

		if (verdict_status(a, u->node, true) != STATUS_UNPROVEN)
			continue;
		mt_labels(&t->t, name,
			  LABELS({"server", verdict_node(a, u->node)},
				 {"resource", resource_words[u->resource]}, {"disk", u->disk},
				 {"signal", verdict_signal(a, u->signal)->word}),
			  4);
		mt_u64(&t->t, 1);
	}
}

static void put_notices(struct exposing *t)
{
	const struct verdict *a = t->e->verdict;
	const char *name = family(t, F_REMARKS);

	for (int kind = 0; kind < NOTICE_KINDS; kind++) {
		size_t n = count_if(i, a->n_notices,
				    (int)a->notices[i].kind == kind &&
					    verdict_notice_now(a, &a->notices[i]));

		mt_labels(&t->t, name, LABELS({"kind", notice_words[kind]}), 1);
		mt_u64(&t->t, n);
	}
}

static void put_stragglers(struct exposing *t)
{
	const struct verdict *a = t->e->verdict;
	const char *name = family(t, F_STRAGGLERS);
	size_t *n = calloc(a->n_nodes + 1, sizeof(*n));

	if (!n) {
		text_fail(&t->t.text);
		return;
	}
	for (size_t i = 0; i < a->n_stragglers; i++)
		if (a->stragglers[i].node < a->n_nodes)
			n[a->stragglers[i].node]++;
	for (size_t i = 0; i < a->n_nodes; i++) {
		mt_labels(&t->t, name, LABELS({"server", verdict_node(a, i)}), 1);
		mt_u64(&t->t, n[i]);
	}
	free(n);
}

static void put_verdict(struct exposing *t)
{
	const struct verdict *a = t->e->verdict;
	const char *name;

	put_incidents(t, F_INDICTED);
	put_incidents(t, F_SINCE);
	put_incidents(t, F_CONFIDENCE);
	put_incidents(t, F_SUSPICIOUS);
	put_statuses(t);
	name = family(t, F_SILENT);
	for (size_t i = 0; i < a->n_nodes; i++)
		if (verdict_silent_now(a, i)) {
			mt_labels(&t->t, name, LABELS({"server", verdict_node(a, i)}), 1);
			mt_u64(&t->t, 1);
		}
	name = family(t, F_UNJUDGED);
	for (size_t i = 0; i < a->n_nodes; i++)
		if (verdict_status(a, i, true) == STATUS_UNJUDGED) {
			mt_labels(&t->t, name,
				  LABELS({"server", verdict_node(a, i)},
					 {"reason", verdict_reason(a, i, true)}),
				  2);
			mt_u64(&t->t, 1);
		}
	put_unproven(t);
	put_notices(t);
	if (t->e->watch->jobs.any)
		put_stragglers(t);
}

/* ---- signals ----------------------------------------------------------------------------------------*/

/* Returns how many there was no room for. */
static size_t put_signals(struct exposing *t, enum family f)
{
	const char *name = family(t, f);
	const struct watch *w = t->e->watch;
	int64_t now = robust_now(w->robust);
	size_t n = 0;

	for (size_t i = 0; i < w->looks.n; i++) {
		for (size_t k = 0; k < w->looks.nodes[i].n; k++) {
			const struct last_look *l = &w->looks.nodes[i].at[k];
			double v = f == F_RATIO ? l->look.ratio
				   : f == F_Z	? l->look.z
						: looks_odd(&l->look);

			if (l->look.to_ns != now || n++ >= EXPOSED_MAX || !isfinite(v))
				continue;
			mt_labels(&t->t, name,
				  LABELS({"server", robust_node_name(w->robust, i)},
					 {"disk", l->disk},
					 {"signal", signals[l->look.signal].word}),
				  3);
			mt_double(&t->t, v, 6);
		}
	}
	return n > EXPOSED_MAX ? n - EXPOSED_MAX : 0;
}

/* ---- ourselves --------------------------------------------------------------------------------------*/

bool exposed_can_judge(const struct exposed *e)
{
	return (e->watch->intervals || e->watch->jobs.any) && !e->verdict->cannot.why &&
	       verdict_judged(e->verdict) && !e->rebuilding;
}

static void put_numbers(struct exposing *t, size_t unexported)
{
	const struct exposed *e = t->e;
	const struct watch *w = e->watch;
	const struct verdict *a = e->verdict;
	const struct {
		enum family family;
		bool known;
		uint64_t value;
	} numbers[] = {
		{F_SERVERS, true, w->n_heard},
		{F_REPORTING, true, watch_reporting(w)},
		{F_JUDGED, true, verdict_judged(a)},
		{F_CAN_JUDGE, true, exposed_can_judge(e)},
		{F_HOPS, true, w->intervals},
		{F_LOGS, w->logs, follow_logs_count(w->logs)},
		{F_STATES, w->jobs.any, w->jobs.states},
		{F_OPEN, w->jobs.any, w->jobs.open},
		{F_UNEXPORTED, true, unexported},
		{F_TROUBLE, true, e->trouble},
		{F_DAMAGED, true, a->damaged},
		{F_DROPPED, true, a->duplicates},
		{F_ALERTS_RUN, e->alerting, e->alerts.run},
		{F_ALERTS_FAILED, e->alerting, e->alerts.failed},
		{F_ALERTS_KILLED, e->alerting, e->alerts.killed},
		{F_ALERTS_WAITING, e->alerting, e->alerts.waiting},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (!numbers[i].known)
			continue;
		put_name(t, numbers[i].family);
		mt_u64(&t->t, numbers[i].value);
	}
}

static void put_times(struct exposing *t)
{
	int64_t last = watch_until(t->e->watch);

	if (last == INT64_MIN)
		return;
	put_name(t, F_LAST_HOP);
	mt_ns(&t->t, (uint64_t)last);
	put_name(t, F_LAG);
	mt_double(&t->t, s_of_ns(t->e->now_ns - last), 9);
}

char *exposition_text(const struct exposed *e, enum openmetrics_format format, size_t *len)
{
	struct exposing t = {{.format = format}, e};

	family(&t, F_BUILD);
	mt_labels(&t.t, "limpet_watch_build_info", LABELS({"version", LIMPET_VERSION}), 1);
	mt_u64(&t.t, 1);
	put_verdict(&t);
	put_signals(&t, F_RATIO);
	put_signals(&t, F_Z);
	put_numbers(&t, put_signals(&t, F_ODD));
	put_times(&t);
	if (e->more)
		e->more(e->arg, &t.t);
	return mt_end(&t.t, len);
}
