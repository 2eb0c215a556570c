/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdicts as text for scrapers (metrics_text.h), over HTTP
 * (userspace/common/http.h):
 *
 *   limpet_indicted{server="oss-3",cause="disk-hog"} 1                 a server that limps; none: none
 *   limpet_indicted_since_timestamp_seconds{server=,cause=}
 *   limpet_indicted_confidence_ratio{server=,cause=}
 *   limpet_suspicious{server=,cause=,reason="few-peers"} 1             strong evidence that indicts nobody
 *   limpet_server_status{server="oss-3",status="well"} 1               and 0 of the other three
 *   limpet_server_silent{server="oss-3"} 1                             stopped reporting; none: none
 *   limpet_server_unjudged{server="oss-3",reason="no-data"} 1          none: none
 *   limpet_servers, limpet_servers_reporting, limpet_servers_judged, limpet_can_judge
 *   limpet_remarks{kind="imbalance"}                                   that are so now
 *   limpet_signal_ratio{server=,disk=,signal="read"}                   to the peers' median, at equal
 *                                                                      load
 *   limpet_signal_z, limpet_signal_odd                                 the same labels
 *   limpet_watch_…, limpet_alerts_…                                    of this program itself
 *
 * Signals are those judged in the last interval, EXPOSED_MAX of them. disk is "" of what is of the server
 * itself.
 */
#ifndef LIMPET_WATCH_EXPOSITION_H
#define LIMPET_WATCH_EXPOSITION_H

#include "alert.h"
#include "watch.h"
#include "userspace/common/metrics_text.h"

enum { EXPOSED_MAX = 20000 };

struct exposed {
	const struct verdict *verdict;
	const struct watch *watch; /* what it knows besides: its last looks, and its own numbers */
	bool alerting;
	struct alert_counts alerts;
	bool trouble;	 /* a file cannot be read at present */
	bool rebuilding; /* of a service that has just started: nothing can be judged yet */
	int64_t now_ns;
	/* What a service says of itself, before the end; NULL. */
	void (*more)(void *arg, struct metrics_text *t);
	void *arg;
};

/* Whether it can judge, as limpet_can_judge has it. */
bool exposed_can_judge(const struct exposed *e);

/* For the caller to free(); NULL: out of memory. */
char *exposition_text(const struct exposed *e, enum openmetrics_format format, size_t *len);

/* All families as a table of Markdown, on standard output. */
void exposition_dump(void);

struct exposition;

/* Listens; serves nothing yet. NULL after a message; *usage: it is no address, or one of `names`
 * (http_new()) is none. */
struct exposition *exposition_new(const char *listen, const struct string_list *names, bool *usage);
void exposition_free(struct exposition *x); /* takes NULL */
/* The text from now on. The first begins the serving. 0, or negative errno after a message. */
int exposition_update(struct exposition *x, const struct exposed *e);

#endif
