/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that is run when a server begins to limp and when that is over; when it stops reporting, with
 * the cause "silent"; and when no server can be judged any more, with no server ("") and the cause
 * "cannot-judge". No shell: its path is run
 * with the arguments "opened" or "over", the server and the cause, and with LIMPET_CHANGE,
 * LIMPET_SERVER, LIMPET_CAUSE, LIMPET_DETAIL (a line), LIMPET_SINCE (when it began) and LIMPET_JSON (the
 * incident) in its environment; all of them are text (text_clean.h).
 * Standard input is empty, standard output goes where standard error does.
 *
 * What the program was told is brought in line with what is so: at most once in `interval_s` for one
 * server, ALERTS_MINUTE times a minute in all, ALERTS_RUNNING at once. What has to wait is told later if
 * it is still so: nothing of it is lost but what came and went meanwhile. "opened" is told again when
 * the cause is another one. A program that runs for ALERT_LIMIT_S is killed, with its process group.
 *
 * The same is told by mail (mail.h), if there are addresses: the sendmail of PATH is run with them, and with the message
 * as its input.
 */
#ifndef LIMPET_WATCH_ALERT_H
#define LIMPET_WATCH_ALERT_H

#include "changes.h"
#include "mail.h"
#include "userspace/common/clock.h"

/* For so long an all-clear has to lack something before that is told; while nothing can be judged does not count. */
#define ALERT_UNPROVEN_NS NS_PER_DAY
enum { ALERT_LIMIT_S = 60, ALERTS_MINUTE = 20, ALERTS_RUNNING = 8 };

struct alert;

struct alert_counts {
	uint64_t run, failed,
		killed; /* failed: could not be run, or ended with another status than 0 */
	size_t running, waiting;
};

struct alert_opts {
	const char *program; /* NULL: none */
	struct mail_opts mail;
	unsigned int interval_s;
	bool quiet; /* output of programs is thrown away */
};

/* The options' strings stay the caller's, and have to last. NULL after a message: a program cannot be run, or an address is none. */
struct alert *alert_new(const struct alert_opts *o);
/* Leaves alone what still runs. Takes NULL. */
void alert_free(struct alert *a);

/* Another run told this of a server, and it was so when that ended: limping for this cause (a word of a table), with this incident, or silent. It is not told again,
 * but its end is. 0 or -ENOMEM. */
int alert_resume(struct alert *a, const char *server, bool silence, const char *cause,
		 uint64_t incident);

/* Another run told that something is unproven, at that time, with this text; that has been so for so long, and was when that ended. 0 or -ENOMEM. */
int alert_resume_unproven(struct alert *a, int64_t at_ns, int64_t held_ns, const char *text);

/* What is new; needs a verdict of the same time. 0 or -ENOMEM. */
int alert_change(struct alert *a, const struct verdict *now, const struct change *c);
/* Not told now of a server ("": of none) and an incident (0: of none): that it begins, or has another cause. It is told once fn() says no more so, if it
 * is so still. */
void alert_silence(struct alert *a, bool (*fn)(void *arg, const char *server, uint64_t incident),
		   void *arg);
/* Events tell one incident of a server. Where that is not told now, another one that is open is. 0 or -ENOMEM. */
int alert_look(struct alert *a, const struct verdict *now);

/* Runs what is due, takes note of what ended, kills what hangs. now_ns: CLOCK_MONOTONIC. What fails is
 * said once on standard error. */
void alert_tick(struct alert *a, int64_t now_ns);
struct alert_counts alert_count(const struct alert *a);

#endif
