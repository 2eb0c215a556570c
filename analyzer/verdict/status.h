/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of each server of a verdict: one of five things, in words and as an exit status. The reason is
 * a sentence (sentence_status()).
 */
#ifndef LIMPET_STATUS_H
#define LIMPET_STATUS_H

#include "verdict.h"

/* The later of two counts more: what a verdict ends with is the last one that any server has. */
enum status {
	STATUS_WELL,	 /* judged, and nothing against it */
	STATUS_UNPROVEN, /* likewise, but of a resource that it used a fault would not have been seen */
	STATUS_UNJUDGED, /* could not be judged */
	STATUS_SUSPICIOUS, /* strong evidence, but too little data, too few peers or too small an effect */
	STATUS_INDICTED, /* it limps, or did */
	STATUSES
};

struct status_row {
	const char *word;      /* in JSON and metrics */
	const char *one, *all; /* "is well", "are well" */
	int exit_status;       /* with --exit-code */
};
extern const struct status_row status_table[STATUSES];

struct unjudged_row {
	const char *word; /* for programs */
	const char *text; /* NULL: a sentence with numbers (sentence_unjudged()) */
};
extern const struct unjudged_row unjudged_table[UNJUDGED_WHYS];

/* Of one server. now: what is over does not count. */
enum status verdict_status(const struct verdict *a, size_t node, bool now);
/* The incident that makes it indicted or suspicious, or the entry that says why it was not judged, which may be
 * on one signal alone; NULL: none. */
const struct incident *verdict_against(const struct verdict *a, size_t node, bool now);
const struct unjudged *verdict_why_unjudged(const struct verdict *a, size_t node);
/* Whether it was judged on any signal: what is indicted or suspicious was. */
bool verdict_was_judged(const struct verdict *a, size_t node);
/* Whether this is said: of a whole server only where its status is that it could not be judged. A server that is indicted,
 * or suspicious, has that status and no other. */
bool verdict_tells_unjudged(const struct verdict *a, const struct unjudged *u);
/* The resources that it used and that are not proven, *n of them; NULL: none. */
const struct unproven *verdict_unproven(const struct verdict *a, size_t node, size_t *n);

/* Why an incident indicts nobody: as its maker said, but where the score of "too little data" reaches what it must
 * it is the effect that is too small. A maker that knows better says SUSPICION_BRIEF. */
enum suspicion verdict_suspicion(const struct incident *in);
/* The reason as a word, for programs: "no-data", "few-peers", of one that is unproven its first resource; "" of one that is indicted or well. */
const char *verdict_reason(const struct verdict *a, size_t node, bool now);

/* Whether this finding indicts its server by its own evidence; suspicious: its incident is. What did not reach what it needs
 * supports. */
bool verdict_finding_indicts(const struct verdict *a, const struct finding *e, bool suspicious);

/* The same of a part, in all of the time; *reason: the word. */
enum status verdict_part_status(const struct verdict *a, const struct part *p, const char **reason);

/* How many servers have each status. */
struct status_counts {
	size_t of[STATUSES];
};
struct status_counts verdict_statuses(const struct verdict *a, bool now);
/* Whether anybody is indicted, or was. */
bool verdict_indicts(const struct verdict *a);

/* Whether a notice is still so: renewed within the last windows; and whether this server stopped reporting, and has
 * not begun again. */
bool verdict_notice_now(const struct verdict *a, const struct notice *m);
bool verdict_silent_now(const struct verdict *a, size_t node);

/* What a command that made this verdict ends with; coded: --exit-code was given. */
int verdict_exit(const struct verdict *a, bool coded);

#endif
