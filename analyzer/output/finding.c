// SPDX-License-Identifier: BSD-2-Clause
/* finding.h: value against value, how many times, how sure. */
#include "finding.h"

#include <math.h>

#include "userspace/common/clock.h"
#include "userspace/common/output.h"

const char *words_mark(const struct verdict *a, const struct finding *e)
{
	if (verdict_signal(a, e->signal)->role == ROLE_LOAD)
		return "(demand, no fault)";
	return e->symptom ? "(supports)" : "";
}

const char *words_less(const struct finding *e)
{
	return e->ratio > 1 && e->value < e->peers ? TEXT_TIE "less" : "";
}

static void put_window(struct text *t, const struct verdict *a, const struct finding *e)
{
	char until[TIME_TEXT_LEN], span[WORDS_LEN];

	words_span(ns_of_s(e->window_s), span);
	if (e->window_end_ns == a->to_ns)
		text_add(t, " over the last %s", span);
	else
		text_add(t, " over %s until %s", span, output_time(e->window_end_ns, until));
}

void words_finding_basis(struct text *t, const struct verdict *a, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(a, e->signal);
	char one[WORDS_LEN], two[WORDS_LEN];

	if (!(e->needs > 0))
		return;
	text_add(t, " %s%s", words_ratio(e->ratio, one), s->inverse ? " less" : "");
	if (isfinite(e->lower))
		text_add(t, " (at least %s)", words_ratio(e->lower, one));
	put_window(t, a, e);
	text_add(t, ": %s against %s", words_value(s, e->value, one),
		 words_value(s, e->peers, two));
	if (s->added > 0)
		text_add(t, " with %s added to both", words_value(s, s->added, one));
	if (s->added_inverse > 0)
		text_add(t, " with %g added to 1" TEXT_TIE "/" TEXT_TIE "both", s->added_inverse);
	if (isfinite(e->usual) && fabs(e->usual - 1) >= 0.005)
		text_add(t, " after its own usual %s", words_ratio(e->usual, one));
	if (e->n_peers)
		text_add(t, " ; %u" TEXT_TIE "peer%s%s%s", e->n_peers, text_plural(e->n_peers),
			 isfinite(e->spread) ? " within " : "",
			 isfinite(e->spread) ? words_ratio(e->spread, one) : "");
}

static void put_votes(struct text *t, const struct verdict *a, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(a, e->signal);
	char one[WORDS_LEN], two[WORDS_LEN];

	text_add(t, " %s, peers' median %s:", words_value(s, e->value, one),
		 words_value(s, e->peers, two));
	text_add(t, " %s%s (z %s), %u of %u %s", words_ratio(e->ratio, one), words_less(e),
		 words_score(e->z, two), e->flagged, e->judged, s->counts);
}

static void put_evidence(struct text *t, const struct verdict *a, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(a, e->signal);
	char one[WORDS_LEN], two[WORDS_LEN];

	text_add(t, ": %s, peers %s", words_quantity(s, e->value, one),
		 words_quantity(s, e->peers, two));
	text_add(t, " (evidence %s, %s needed)", words_score(e->score, one),
		 words_score(e->needs, two));
}

const char *words_finding(struct text *t, const struct verdict *a, const struct finding *e)
{
	size_t from = t->len;
	char name[WORDS_LEN];

	text_put(t, words_signal(verdict_signal(a, e->signal), e->disk, name));
	if (*words_mark(a, e) && e->needs > 0)
		text_add(t, " %s", words_mark(a, e));
	if (e->needs > 0)
		put_evidence(t, a, e);
	else
		put_votes(t, a, e);
	return text_from(t, from);
}
