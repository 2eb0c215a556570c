// SPDX-License-Identifier: BSD-2-Clause
/* finding.h: value against value, how many times, how sure. */
#include "finding.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/output.h"

/* Adds to what stands in buf. */
static void __attribute__((format(printf, 2, 3))) put(char buf[FINDING_LEN], const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + len, FINDING_LEN - len, fmt, ap);
	va_end(ap);
}

const char *words_mark(const struct verdict *a, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(a, e->signal);

	if (s->role == ROLE_LOAD)
		return "(demand, no fault)";
	if (!e->symptom)
		return "";
	return s->role == ROLE_SYMPTOM ? "(a symptom only)" : "(besides)";
}

/* Of what is worse when it is less the ratio is shown the other way round. */
static const char *less(const struct finding *e)
{
	return e->ratio > 1 && e->value < e->peers ? TIE "less" : "";
}

static void put_window(char *buf, const struct verdict *a, const struct finding *e)
{
	char t[TIME_TEXT_LEN], span[WORDS_LEN];

	words_span(ns_of_s(e->window_s), span);
	if (e->window_end_ns == a->to_ns)
		put(buf, " over the last %s", span);
	else
		put(buf, " over %s until %s", span, output_time(e->window_end_ns, t));
}

static void put_evidence(char *buf, const struct verdict *a, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(a, e->signal);
	char one[WORDS_LEN], two[WORDS_LEN];

	put(buf, " %s%s", words_ratio(e->ratio, one),
	    s->inverse ? " less than its peers'" : " its peers'");
	if (isfinite(e->lower))
		put(buf, " (at least %s)", words_ratio(e->lower, one));
	put_window(buf, a, e);
	put(buf, ": %s against %s", words_value(s, e->value, one), words_value(s, e->peers, two));
	if (s->added > 0)
		put(buf, " with %s added to both", words_value(s, s->added, one));
	if (s->added_inverse > 0)
		put(buf, " with %g added to 1" TIE "/" TIE "both", s->added_inverse);
	if (isfinite(e->usual) && fabs(e->usual - 1) >= 0.005)
		put(buf, " after its own usual %s", words_ratio(e->usual, one));
	if (e->n_peers)
		put(buf, " (%u" TIE "peer%s%s%s)", e->n_peers, e->n_peers == 1 ? "" : "s",
		    isfinite(e->spread) ? " within " : "",
		    isfinite(e->spread) ? words_ratio(e->spread, one) : "");
	put(buf, "; score %s, %s is needed", words_score(e->score, one),
	    words_score(e->needs, two));
}

static void put_votes(char *buf, const struct verdict *a, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(a, e->signal);
	char one[WORDS_LEN], two[WORDS_LEN];

	put(buf, " %s, peers' median %s:", words_value(s, e->value, one),
	    words_value(s, e->peers, two));
	put(buf, " %s%s (z %s), %u of %u %s", words_ratio(e->ratio, one), less(e),
	    words_score(e->z, two), e->flagged, e->judged, s->counts);
}

const char *words_finding(const struct verdict *a, const struct finding *e, char buf[FINDING_LEN])
{
	char name[WORDS_LEN];

	snprintf(buf, FINDING_LEN, "%s", words_signal(verdict_signal(a, e->signal), e->disk, name));
	if (*words_mark(a, e) && e->needs > 0)
		put(buf, " %s", words_mark(a, e));
	if (e->needs > 0)
		put_evidence(buf, a, e);
	else
		put_votes(buf, a, e);
	return buf;
}
