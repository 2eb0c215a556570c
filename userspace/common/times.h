/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times as people say them, and the zone in which they are read and shown. The whole string is one of
 *
 *	now                 the time of this run
 *	-SPAN               so long before it: -90s, -10m, -2h30m, -1d, -1w
 *	@SECONDS            since 1970
 *	DAY[ CLOCK][ZONE]   DAY is YYYY-MM-DD, today or yesterday; without CLOCK it is the day's first second
 *	CLOCK[ZONE]         of today; one that is still to come is refused
 *
 * CLOCK is HH:MM or HH:MM:SS[.FRACTION]; behind a date, T may stand for the blank. ZONE is Z, UTC or an offset
 * such as +01:00, with or without a blank before it. A time without ZONE is UTC, or local time where that was asked for.
 *
 * A local time that the clocks skip does not exist and is refused. One that they show twice is refused too, with both times
 * that it may be. A day whose first hour is skipped begins after it, one that begins twice begins at the first.
 */
#ifndef LIMPET_TIMES_H
#define LIMPET_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "options.h"

/* What times are measured from, one for a run: set by options_parse(), and by tests before it. */
struct time_here {
	int64_t now_ns; /* 0: not asked yet */
	bool local;	/* a time without ZONE is local time (TZ) */
	bool shown;	/* and so are times in text for people */
	bool may_local; /* the command has an option for that */
};
extern struct time_here time_here;

/* here NULL: for files, which must mean the same tomorrow: only @SECONDS, and dates, in UTC without ZONE. 0, or -EINVAL with the reason
 * and what would do in `why`, as a clause that follows the time. */
int time_said(const char *s, const struct time_here *here, int64_t *ns, char why[WHY_LEN]);

/* "+HH:MM" or "-HH:MM", also without the colon, up to 14 hours: takes it off the string. Whether there is one. */
bool time_offset(const char **s, int64_t *seconds);

/* The time in the zone that is shown: UTC or local (tm_gmtoff says how far ahead of UTC), and what the zone is called. */
void time_shown(int64_t seconds, struct tm *tm);
const char *time_zone_shown(void);

#endif
