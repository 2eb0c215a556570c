/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is so now, told to Alertmanagers (API v2), each by a thread of its own, so that one that hangs delays nobody. What is told is made
 * of the board's snapshot alone:
 *
 *	LimpetServerLimps{server=}    it is indicted; since its onset
 *	LimpetServerSilent{server=}   it stopped reporting
 *	LimpetCannotJudge{}           for ALERTMANAGER_CANNOT_NS now
 *	LimpetUnproven{}              for ALERTMANAGER_UNPROVEN_NS a fault of some server would not have been seen
 *	LimpetJobLate{limpet_job=}    with `jobs`: tasks are late, and the decision names a server or a cause
 *
 * and, with --site, site=. Labels are what an alert is: cause, incident and numbers are annotations. Each is renewed each minute, with an end
 * a quarter of an hour ahead, so that what nobody renews ends by itself; what is over is told to have ended. With a pair, what one of the
 * two does not say any more the other may say still: then it is left to end, in three minutes.
 *
 * What a silence is about is not told (silences.h).
 *
 * Nothing is told while the service is rebuilding, or its judge hangs: that it is gone another has to find out (limpet.rules.yml).
 */
#ifndef LIMPET_ASK_ALERTMANAGER_H
#define LIMPET_ASK_ALERTMANAGER_H

#include "board.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"

enum { ALERTMANAGERS_MAX = 4 };
#define ALERTMANAGER_CANNOT_NS	 (300 * NS_PER_S)
#define ALERTMANAGER_UNPROVEN_NS NS_PER_DAY

struct alertmanager_opts {
	struct string_list urls;
	const char *site; /* NULL: none */
	const char *page; /* the URL of the front, for links; NULL: none */
	bool jobs;	  /* of late tasks, too */
	bool paired;
	struct board *board; /* outlives them */
};

struct alertmanagers;

/* *a is NULL where there is no URL. 0, or -errno after a message. */
int alertmanagers_start(struct alertmanagers **a, const struct alertmanager_opts *o);
void alertmanagers_stop(struct alertmanagers *a); /* takes NULL */

struct alertmanager_counts {
	uint64_t told, failed; /* requests */
};
/* What is wrong with the first that is not reached, a sentence in `why`; false: all are. */
bool alertmanagers_trouble(struct alertmanagers *a, struct alertmanager_counts *n, char why[400]);

#endif
