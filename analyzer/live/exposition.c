// SPDX-License-Identifier: BSD-2-Clause
/* exposition.h: the text. */
#include "exposition.h"

#include <math.h>

#include "userspace/common/clock.h"
#include "userspace/common/version.h"

#define LABELS(...)              \
	(const char *const[][2]) \
	{                        \
		__VA_ARGS__      \
	}

struct text {
	struct metrics_text t;
	const struct exposed *e;
};

static void family(struct text *t, const char *name, const char *unit, enum mt_type type,
		   const char *help)
{
	mt_family(&t->t, &(struct mt_family){name, unit, type, help});
}

/* ---- who limps --------------------------------------------------------------------------------------*/

static void put_incident(struct text *t, const char *name, bool since)
{
	const struct verdict *a = t->e->verdict;

	for (size_t i = 0; i < a->n_incidents; i++) {
		if (!a->incidents[i].open)
			continue;
		mt_labels(&t->t, name,
			  LABELS({"server", verdict_node(a, a->incidents[i].node)},
				 {"cause", cause_table[a->incidents[i].cause].word}),
			  2);
		if (since)
			mt_ns(&t->t, (uint64_t)a->incidents[i].onset_ns);
		else
			mt_u64(&t->t, 1);
	}
}

static void put_server(struct text *t, const char *name, size_t node)
{
	mt_labels(&t->t, name, LABELS({"server", verdict_node(t->e->verdict, node)}), 1);
	mt_u64(&t->t, 1);
}

static void put_verdict(struct text *t)
{
	const struct verdict *a = t->e->verdict;

	family(t, "limpet_indicted", "", MT_GAUGE, "A server that limps, and why.");
	put_incident(t, "limpet_indicted", false);
	family(t, "limpet_indicted_since_timestamp_seconds", "seconds", MT_GAUGE,
	       "When it began, since the epoch.");
	put_incident(t, "limpet_indicted_since_timestamp_seconds", true);
	family(t, "limpet_server_silent", "", MT_GAUGE,
	       "A server that stopped reporting, while most of its peers report.");
	for (size_t i = 0; i < a->n_nodes; i++)
		if (changes_silent_now(a, i))
			put_server(t, "limpet_server_silent", i);
	family(t, "limpet_server_unjudged", "", MT_GAUGE,
	       "A server that could not be judged on any signal.");
	for (size_t i = 0; i < a->n_nodes; i++)
		if (!a->judged || !a->judged[i])
			put_server(t, "limpet_server_unjudged", i);
	family(t, "limpet_remarks", "", MT_GAUGE,
	       "What is so at present and is no fault of a server.");
	for (int kind = 0; kind < NOTICE_KINDS; kind++) {
		size_t n = 0;

		for (size_t i = 0; i < a->n_notices; i++)
			n += (int)a->notices[i].kind == kind &&
			     changes_notice_now(a, &a->notices[i]);
		mt_labels(&t->t, "limpet_remarks", LABELS({"kind", notice_words[kind]}), 1);
		mt_u64(&t->t, n);
	}
}

/* ---- signals ----------------------------------------------------------------------------------------*/

enum shown { RATIO, SCORE, ODD };

static double value_of(const struct look *k, enum shown what)
{
	return what == RATIO ? k->ratio : what == SCORE ? k->z : looks_odd(k);
}

/* Returns how many there was no room for. */
static size_t put_signals(struct text *t, const char *name, enum shown what)
{
	const struct watch *w = t->e->watch;
	int64_t now = robust_now(w->robust);
	size_t n = 0;

	for (size_t i = 0; i < w->looks.n; i++) {
		for (size_t k = 0; k < w->looks.nodes[i].n; k++) {
			const struct last_look *l = &w->looks.nodes[i].at[k];
			double v = value_of(&l->look, what);

			if (l->to_ns != now || !l->look.judged || n++ >= EXPOSED_MAX ||
			    !isfinite(v))
				continue;
			mt_labels(&t->t, name,
				  LABELS({"server", robust_node_name(w->robust, i)},
					 {"disk", l->disk}, {"signal", signals[l->signal].word}),
				  3);
			mt_double(&t->t, v, 6);
		}
	}
	return n > EXPOSED_MAX ? n - EXPOSED_MAX : 0;
}

static size_t put_looks(struct text *t)
{
	family(t, "limpet_signal_ratio", "ratio", MT_GAUGE,
	       "Of the last window to the median of the peers, own usual offset taken off.");
	put_signals(t, "limpet_signal_ratio", RATIO);
	family(t, "limpet_signal_z", "", MT_GAUGE, "The same over how close the peers are.");
	put_signals(t, "limpet_signal_z", SCORE);
	family(t, "limpet_signal_odd", "", MT_GAUGE,
	       "Whether the last window is worse than it may be.");
	return put_signals(t, "limpet_signal_odd", ODD);
}

/* ---- ourselves --------------------------------------------------------------------------------------*/

static void put_numbers(struct text *t, size_t unexported)
{
	const struct exposed *e = t->e;
	const struct watch *w = e->watch;
	const struct verdict *a = e->verdict;
	bool any = w->intervals;
	const struct {
		const char *name;
		enum mt_type type;
		const char *help;
		bool known;
		uint64_t value;
	} numbers[] = {
		{"limpet_servers", MT_GAUGE, "Servers of which there are series files.", true,
		 w->n_heard},
		{"limpet_servers_reporting", MT_GAUGE, "Servers with data in the last interval.",
		 true, watch_reporting(w)},
		{"limpet_servers_judged", MT_GAUGE, "Servers that were judged on any signal.", true,
		 verdict_judged(a)},
		{"limpet_can_judge", MT_GAUGE, "Whether there is enough to judge by.", true,
		 any && !a->cannot.why && verdict_judged(a)},
		{"limpet_watch_hops", MT_COUNTER, "Intervals that were taken in.", true,
		 w->intervals},
		{"limpet_watch_unexported_signals", MT_GAUGE,
		 "Signals there was no room for in this text.", true, unexported},
		{"limpet_watch_trouble", MT_GAUGE,
		 "Whether a file or folder cannot be read at present.", true, e->trouble},
		{"limpet_watch_damaged_values", MT_GAUGE, "Values in the files that are damaged.",
		 true, a->damaged},
		{"limpet_watch_dropped_seconds", MT_GAUGE,
		 "Seconds that came twice, or after their interval was judged.", true,
		 a->duplicates},
		{"limpet_alerts_run", MT_COUNTER, "Times the alert program was run.", e->alerting,
		 e->alerts.run},
		{"limpet_alerts_failed", MT_COUNTER, "Times it could not be run, or failed.",
		 e->alerting, e->alerts.failed},
		{"limpet_alerts_killed", MT_COUNTER, "Times it hung and was killed.", e->alerting,
		 e->alerts.killed},
		{"limpet_alerts_waiting", MT_GAUGE, "Alerts that are held back for a while.",
		 e->alerting, e->alerts.waiting},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (!numbers[i].known)
			continue;
		family(t, numbers[i].name, "", numbers[i].type, numbers[i].help);
		mt_sample(&t->t, numbers[i].name, mt_suffix(numbers[i].type), "", "");
		mt_u64(&t->t, numbers[i].value);
	}
}

static void put_times(struct text *t)
{
	int64_t last = robust_now(t->e->watch->robust);

	if (last == INT64_MIN)
		return;
	family(t, "limpet_watch_last_hop_timestamp_seconds", "seconds", MT_GAUGE,
	       "End of the last interval, since the epoch.");
	mt_sample(&t->t, "limpet_watch_last_hop_timestamp_seconds", "", "", "");
	mt_ns(&t->t, (uint64_t)last);
	family(t, "limpet_watch_lag_seconds", "seconds", MT_GAUGE,
	       "How long ago the last interval ended when this text was made.");
	mt_sample(&t->t, "limpet_watch_lag_seconds", "", "", "");
	mt_double(&t->t, s_of_ns(t->e->now_ns - last), 9);
}

char *exposition_text(const struct exposed *e, enum openmetrics_format format, size_t *len)
{
	struct text t = {{.format = format}, e};

	family(&t, "limpet_watch_build", "", MT_INFO, "Version of limpet.");
	mt_labels(&t.t, "limpet_watch_build_info", LABELS({"version", LIMPET_VERSION}), 1);
	mt_u64(&t.t, 1);
	put_verdict(&t);
	put_numbers(&t, put_looks(&t));
	put_times(&t);
	return mt_end(&t.t, len);
}
