/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which days stay in DIR/series: so many by the calendar (UTC), today's included, and as many as fit while the disk is no fuller than so
 * many percent, whoever uses it. The oldest day goes first, of all servers; today's and yesterday's stay. What comes next is said on standard
 * error beforehand, once a day; what went, then.
 */
#ifndef LIMPET_SERVE_RETENTION_H
#define LIMPET_SERVE_RETENTION_H

#include <stdint.h>

#define RETENTION_WARN_PERCENT 5 /* so near to the bound, it is said which day goes next */

struct retention_opts {
	const char *dir;
	unsigned int keep_days;	   /* 0: all */
	unsigned int keep_percent; /* 100: no bound */
};

/* What was said already; zeroed at first. */
struct retention {
	int64_t said_day;
	char gone
		[9]; /* the last day that went as the disk was full, YYYYMMDD: it is not wanted again; "": none did */
};

void retention_look(struct retention *r, const struct retention_opts *o, int64_t now_ns);

#endif
