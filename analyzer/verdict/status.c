// SPDX-License-Identifier: BSD-2-Clause
/* status.h: one status for each server. */
#include "status.h"

#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"

const struct status_row status_table[STATUSES] = {
	[STATUS_WELL] = {"well", "is well", "are well", EXIT_DONE},
	[STATUS_UNPROVEN] = {"unproven", "is unproven", "are unproven", EXIT_UNPROVEN},
	[STATUS_UNJUDGED] = {"not-judged", "could not be judged", "could not be judged",
			     EXIT_NO_JUDGEMENT},
	[STATUS_SUSPICIOUS] = {"suspicious", "is suspicious", "are suspicious", EXIT_SUSPICIOUS},
	[STATUS_INDICTED] = {"indicted", "is indicted", "are indicted", EXIT_INDICTED},
};

const struct incident *verdict_against(const struct verdict *a, size_t node, bool now)
{
	const struct incident *found = NULL;

	for (size_t i = 0; i < a->n_incidents; i++) {
		const struct incident *in = &a->incidents[i];

		if (in->node != node || (now && !in->open))
			continue;
		if (!in->suspicion)
			return in;
		found = found ? found : in;
	}
	return found;
}

const struct unjudged *verdict_why_unjudged(const struct verdict *a, size_t node)
{
	const struct unjudged *found = NULL;

	for (size_t i = 0; i < a->n_unjudged; i++) {
		if (a->unjudged[i].node != node)
			continue;
		if (a->unjudged[i].signal == SIGNAL_ALL)
			return &a->unjudged[i];
		found = found ? found : &a->unjudged[i];
	}
	return found;
}

bool verdict_was_judged(const struct verdict *a, size_t node)
{
	return a->judged[node] || verdict_against(a, node, false);
}

bool verdict_tells_unjudged(const struct verdict *a, const struct unjudged *u)
{
	return u->signal != SIGNAL_ALL || verdict_status(a, u->node, false) == STATUS_UNJUDGED;
}

const struct unproven *verdict_unproven(const struct verdict *a, size_t node, size_t *n)
{
	size_t from = search_first(mid, a->n_unproven, a->unproven[mid].node < node), to = from;

	while (to < a->n_unproven && a->unproven[to].node == node)
		to++;
	*n = to - from;
	return *n ? &a->unproven[from] : NULL;
}

enum status verdict_status(const struct verdict *a, size_t node, bool now)
{
	const struct incident *in = verdict_against(a, node, now);
	size_t unproven;

	if (in)
		return in->suspicion ? STATUS_SUSPICIOUS : STATUS_INDICTED;
	if (a->cannot.why || !a->judged || !a->judged[node])
		return STATUS_UNJUDGED;
	return verdict_unproven(a, node, &unproven) ? STATUS_UNPROVEN : STATUS_WELL;
}

enum suspicion verdict_suspicion(const struct incident *in)
{
	const struct finding *e = in->n_findings ? in->findings : NULL;
	bool sure = e && e->needs > 0 && e->score >= e->needs;

	return in->suspicion == SUSPICION_DATA && sure ? SUSPICION_EFFECT : in->suspicion;
}

static const char *const suspicion_words[SUSPICIONS] = {
	[SUSPICION_NONE] = "",
	[SUSPICION_DATA] = "little-data",
	[SUSPICION_PEERS] = "few-peers",
	[SUSPICION_EFFECT] = "small-effect",
	[SUSPICION_BRIEF] = "little-data",
	[SUSPICION_LONE] = "lone-values",
	[SUSPICION_LOAD] = "other-load",
	[SUSPICION_QUEUE] = "queue",
};

#define UNJUDGED_ROW(NAME, ...) [UNJUDGED_##NAME] = {__VA_ARGS__},
const struct unjudged_row unjudged_table[UNJUDGED_WHYS] = {UNJUDGED(UNJUDGED_ROW)};

const char *verdict_reason(const struct verdict *a, size_t node, bool now)
{
	const struct incident *in = verdict_against(a, node, now);
	const struct unjudged *u;
	enum status s;
	size_t n;

	if (in)
		return suspicion_words[verdict_suspicion(in)];
	s = verdict_status(a, node, now);
	if (s == STATUS_WELL)
		return "";
	if (s == STATUS_UNPROVEN)
		return resource_words[verdict_unproven(a, node, &n)->resource];
	u = verdict_why_unjudged(a, node);
	return u ? unjudged_table[u->why].word : "nobody";
}

static bool is_about(const struct incident *in, const struct part *p)
{
	if (in->node != p->node)
		return false;
	return any_of(i, in->n_findings,
		      !in->findings[i].symptom && !strcmp(in->findings[i].disk, p->disk));
}

enum status verdict_part_status(const struct verdict *a, const struct part *p, const char **reason)
{
	enum status s = p->judged ? STATUS_WELL : STATUS_UNJUDGED;
	size_t n;
	const struct unproven *u = verdict_unproven(a, p->node, &n);

	*reason = p->judged ? "" : unjudged_table[p->why].word;
	for (size_t i = 0; i < n && s == STATUS_WELL; i++)
		if (!strcmp(u[i].disk, p->disk)) {
			s = STATUS_UNPROVEN;
			*reason = resource_words[u[i].resource];
		}
	for (size_t i = 0; i < a->n_incidents && s != STATUS_INDICTED; i++)
		if (is_about(&a->incidents[i], p)) {
			s = a->incidents[i].suspicion ? STATUS_SUSPICIOUS : STATUS_INDICTED;
			*reason = suspicion_words[verdict_suspicion(&a->incidents[i])];
		}
	return s;
}

struct status_counts verdict_statuses(const struct verdict *a, bool now)
{
	struct status_counts n = {0};

	for (size_t i = 0; i < a->n_nodes; i++)
		n.of[verdict_status(a, i, now)]++;
	return n;
}

bool verdict_finding_indicts(const struct verdict *a, const struct finding *e, bool suspicious)
{
	return !suspicious && !e->symptom && verdict_signal(a, e->signal)->role == ROLE_LOCAL &&
	       !(e->needs > 0 && e->score < e->needs);
}

bool verdict_indicts(const struct verdict *a)
{
	return any_of(i, a->n_incidents, !a->incidents[i].suspicion);
}

bool verdict_notice_now(const struct verdict *a, const struct notice *m)
{
	return m->to_ns >= a->to_ns - ns_of_s(2 * a->notices_s);
}

bool verdict_silent_now(const struct verdict *a, size_t node)
{
	return any_of(i, a->n_notices,
		      a->notices[i].kind == NOTICE_SILENT && a->notices[i].node == node &&
			      verdict_notice_now(a, &a->notices[i]));
}

int verdict_exit(const struct verdict *a, bool coded)
{
	struct status_counts n = verdict_statuses(a, false);
	enum status s = STATUSES - 1;

	if (a->cannot.why)
		return EXIT_NO_JUDGEMENT;
	if (!coded)
		return EXIT_DONE;
	while (s > 0 && !n.of[s])
		s--;
	if (a->kinds_doubtful && s < STATUS_UNPROVEN)
		s = STATUS_UNPROVEN;
	if (verdict_lacks_source(a) && s < STATUS_UNJUDGED)
		s = STATUS_UNJUDGED;
	return status_table[s].exit_status;
}
