// SPDX-License-Identifier: BSD-2-Clause
/* exposition.h: the text. */
#include "exposition.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/version.h"

enum type { GAUGE, COUNTER, INFO };

/* The older format names the samples of counters and infos in TYPE and HELP, and knows no info. */
static const struct {
	const char *name, *suffix, *old_name;
} types[] = {
	[GAUGE] = {"gauge", "", "gauge"},
	[COUNTER] = {"counter", "_total", "counter"},
	[INFO] = {"info", "_info", "gauge"},
};

struct text {
	FILE *to;
	enum openmetrics_format format;
	const struct exposed *e;
};

static void family(const struct text *t, const char *name, const char *unit, enum type type,
		   const char *help)
{
	bool old = t->format == FORMAT_PROMETHEUS;
	const char *suffix = old ? types[type].suffix : "";

	fprintf(t->to, "# TYPE %s%s %s\n", name, suffix,
		old ? types[type].old_name : types[type].name);
	if (*unit && !old)
		fprintf(t->to, "# UNIT %s %s\n", name, unit);
	fprintf(t->to, "# HELP %s%s %s\n", name, suffix, help);
}

/* , or { before, and NAME="VALUE". */
static void label(const struct text *t, const char *before, const char *name, const char *value)
{
	fprintf(t->to, "%s%s=\"", before, name);
	for (const unsigned char *p = (const unsigned char *)value; *p; p++) {
		if (*p == '"' || *p == '\\')
			fprintf(t->to, "\\%c", *p);
		else if (*p >= ' ' && *p <= '~')
			putc(*p, t->to);
		else
			fprintf(t->to, "\\\\x%02x", *p);
	}
	putc('"', t->to);
}

static void time_value(const struct text *t, int64_t ns)
{
	fprintf(t->to, "%" PRId64 ".%03" PRId64 "\n", ns / 1000000000, ns % 1000000000 / 1000000);
}

/* ---- who limps --------------------------------------------------------------------------------------*/

static void put_incident(const struct text *t, const char *name, bool since)
{
	const struct verdict *a = &t->e->watch->verdict;

	for (size_t i = 0; i < a->n_incidents; i++) {
		if (!a->incidents[i].open)
			continue;
		fputs(name, t->to);
		label(t, "{", "server", verdict_node(a, a->incidents[i].node));
		label(t, ",", "cause", a->incidents[i].cause);
		fputs("} ", t->to);
		if (since)
			time_value(t, a->incidents[i].onset_ns);
		else
			fputs("1\n", t->to);
	}
}

static void put_verdict(const struct text *t)
{
	const struct verdict *a = &t->e->watch->verdict;

	family(t, "limpet_indicted", "", GAUGE, "A server that limps, and why.");
	put_incident(t, "limpet_indicted", false);
	family(t, "limpet_indicted_since_timestamp_seconds", "seconds", GAUGE,
	       "When it began, since the epoch.");
	put_incident(t, "limpet_indicted_since_timestamp_seconds", true);
	family(t, "limpet_remarks", "", GAUGE,
	       "What is so at present and is no fault of a server.");
	for (int kind = 0; kind < NOTICE_KINDS; kind++) {
		size_t n = 0;

		for (size_t i = 0; i < a->n_notices; i++)
			n += (int)a->notices[i].kind == kind &&
			     changes_notice_now(a, &a->notices[i]);
		fputs("limpet_remarks", t->to);
		label(t, "{", "kind", notice_words[kind]);
		fprintf(t->to, "} %zu\n", n);
	}
}

/* ---- signals ----------------------------------------------------------------------------------------*/

enum shown { RATIO, SCORE, ODD };

static double value_of(const struct look *k, enum shown what)
{
	return what == RATIO ? k->ratio : what == SCORE ? k->z : looks_odd(k);
}

/* Returns how many there was no room for. */
static size_t put_signals(const struct text *t, const char *name, enum shown what)
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
			fputs(name, t->to);
			label(t, "{", "server", robust_node_name(w->robust, i));
			label(t, ",", "disk", l->disk);
			label(t, ",", "signal", signals[l->signal].word);
			fprintf(t->to, "} %.6g\n", v);
		}
	}
	return n > EXPOSED_MAX ? n - EXPOSED_MAX : 0;
}

static size_t put_looks(const struct text *t)
{
	family(t, "limpet_signal_ratio", "ratio", GAUGE,
	       "Of the last window to the median of the peers, own usual offset taken off.");
	put_signals(t, "limpet_signal_ratio", RATIO);
	family(t, "limpet_signal_z", "", GAUGE, "The same over how close the peers are.");
	put_signals(t, "limpet_signal_z", SCORE);
	family(t, "limpet_signal_odd", "", GAUGE,
	       "Whether the last window is worse than it may be.");
	return put_signals(t, "limpet_signal_odd", ODD);
}

/* ---- ourselves --------------------------------------------------------------------------------------*/

static void put_numbers(const struct text *t, size_t unexported)
{
	const struct exposed *e = t->e;
	const struct watch *w = e->watch;
	const struct verdict *a = &w->verdict;
	bool any = w->intervals;
	const struct {
		const char *name;
		enum type type;
		const char *help;
		bool known;
		uint64_t value;
	} numbers[] = {
		{"limpet_servers", GAUGE, "Servers of which there are series files.", true,
		 w->n_heard},
		{"limpet_servers_reporting", GAUGE, "Servers with data in the last hop.", true,
		 watch_reporting(w)},
		{"limpet_servers_judged", GAUGE, "Servers that were judged on any signal.", true,
		 verdict_judged(a)},
		{"limpet_can_judge", GAUGE, "Whether there is enough to judge by.", true,
		 any && !a->cannot && verdict_judged(a)},
		{"limpet_watch_hops", COUNTER, "Hops that were taken in.", true, w->intervals},
		{"limpet_watch_unexported_signals", GAUGE,
		 "Signals there was no room for in this text.", true, unexported},
		{"limpet_watch_trouble", GAUGE,
		 "Whether a file or folder cannot be read at present.", true, e->trouble},
		{"limpet_watch_damaged_values", GAUGE, "Values in the files that are damaged.",
		 true, a->damaged},
		{"limpet_watch_dropped_seconds", GAUGE,
		 "Seconds that came twice, or after their hop was judged.", true, a->duplicates},
		{"limpet_alerts_run", COUNTER, "Times the alert program was run.", e->alerting,
		 e->alerts.run},
		{"limpet_alerts_failed", COUNTER, "Times it could not be run, or failed.",
		 e->alerting, e->alerts.failed},
		{"limpet_alerts_killed", COUNTER, "Times it hung and was killed.", e->alerting,
		 e->alerts.killed},
		{"limpet_alerts_waiting", GAUGE, "Alerts that are held back for a while.",
		 e->alerting, e->alerts.waiting},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (!numbers[i].known)
			continue;
		family(t, numbers[i].name, "", numbers[i].type, numbers[i].help);
		fprintf(t->to, "%s%s %" PRIu64 "\n", numbers[i].name, types[numbers[i].type].suffix,
			numbers[i].value);
	}
}

static void put_times(const struct text *t)
{
	int64_t last = robust_now(t->e->watch->robust);

	if (last == INT64_MIN)
		return;
	family(t, "limpet_watch_last_hop_timestamp_seconds", "seconds", GAUGE,
	       "End of the last hop, since the epoch.");
	fputs("limpet_watch_last_hop_timestamp_seconds ", t->to);
	time_value(t, last);
	family(t, "limpet_watch_lag_seconds", "seconds", GAUGE,
	       "How long ago the last hop ended when this text was made.");
	fprintf(t->to, "limpet_watch_lag_seconds %.3f\n", (double)(t->e->now_ns - last) / 1e9);
}

char *exposition_text(const struct exposed *e, enum openmetrics_format format, size_t *len)
{
	char *at = NULL;
	struct text t = {open_memstream(&at, len), format, e};
	bool failed;

	if (!t.to)
		return NULL;
	family(&t, "limpet_watch_build", "", INFO, "Version of limpet.");
	fputs("limpet_watch_build_info{version=\"" LIMPET_VERSION "\"} 1\n", t.to);
	put_verdict(&t);
	put_numbers(&t, put_looks(&t));
	put_times(&t);
	if (format == FORMAT_OPENMETRICS)
		fputs("# EOF\n", t.to);
	failed = ferror(t.to);
	if (fclose(t.to) || failed) {
		free(at);
		return NULL;
	}
	return at;
}
