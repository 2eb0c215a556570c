/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of watch/: verdicts made by hand. */
#ifndef LIMPET_WATCH_UTIL_H
#define LIMPET_WATCH_UTIL_H

#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/watch/changes.h"
#include "userspace/common/array.h"
#include "series_util.h"

#define AT(seconds) ((T0 + (seconds)) * NS)

enum { SERVERS = 6 };

/* The verdict enters, and its events come to fn in words. */
static inline int levels(struct track_events *t, struct verdict *a,
			 int (*fn)(void *arg, const struct verdict *a, const struct change *c),
			 void *arg)
{
	struct change_to to = {fn, arg};
	int err;

	assert_int_equal(track_subscribe(t, change_event, &to), 0);
	err = track_events_tell(t, a);
	track_unsubscribe(t, &to);
	return err;
}

/* At `seconds`; nobody limps. */
static inline struct verdict verdict_at(int seconds)
{
	struct verdict a = {.n_nodes = SERVERS,
			    .from_ns = AT(0),
			    .to_ns = AT(seconds),
			    .interval_s = 10,
			    .window_s = 30,
			    .n_windows = 9};

	assert_int_equal(verdict_series_signals(&a), 0);
	a.nodes = calloc(SERVERS, sizeof(*a.nodes));
	a.judged = calloc(SERVERS, sizeof(*a.judged));
	assert_true(a.nodes && a.judged);
	for (int i = 0; i < SERVERS; i++) {
		snprintf(a.nodes[i], sizeof(a.nodes[i]), "s%d", i + 1);
		a.judged[i] = true;
	}
	return a;
}

static inline struct incident *indict(struct verdict *a, size_t node, enum cause cause,
				      const char *who)
{
	struct incident *x;

	a->incidents = realloc(a->incidents, (a->n_incidents + 1) * sizeof(*a->incidents));
	assert_non_null(a->incidents);
	x = &a->incidents[a->n_incidents++];
	*x = (struct incident){.node = node,
			       .cause = cause,
			       .open = true,
			       .confidence = 0.95,
			       .onset_ns = AT(60),
			       .decided_ns = AT(90),
			       .last_ns = a->to_ns,
			       .n_findings = 1};
	snprintf(x->culprit.name, sizeof(x->culprit.name), "%s", who);
	x->culprit.share = 0.5;
	x->culprit.of = SHARE_READ_WRITTEN;
	x->findings = calloc(1, sizeof(*x->findings));
	assert_non_null(x->findings);
	*x->findings = (struct finding){.signal = SIG_READ,
					.node = node,
					.disk = "sdb",
					.value = 31.2,
					.peers = 4.1,
					.ratio = 7.6,
					.usual = 1,
					.z = 21,
					.spread = 1.05,
					.w1 = NAN,
					.p99 = NAN,
					.p99_peers = NAN,
					.flagged = 5,
					.judged = 5,
					.n_peers = 5};
	return x;
}

/* The ratio is another one each time. */
static inline void notice(struct verdict *a, enum notice_kind kind, size_t node, const char *host,
			  int to)
{
	a->notices = realloc(a->notices, (a->n_notices + 1) * sizeof(*a->notices));
	assert_non_null(a->notices);
	a->notices[a->n_notices] = (struct notice){
		.kind = kind, .node = node, .to_ns = AT(to), .signal = SIG_DISK_OPS, .ratio = to};
	snprintf(a->notices[a->n_notices++].host, sizeof(a->notices->host), "%s", host);
}

/* A task that runs for 20 s, takes so long, and holds up its job. */
static inline void straggle(struct verdict *a, size_t node, double takes_s)
{
	struct straggler *s = array_add(&a->stragglers, &a->n_stragglers);

	assert_non_null(s);
	*s = (struct straggler){.node = node,
				.running = true,
				.start_ns = AT(70),
				.last_ns = AT(90),
				.takes_s = takes_s,
				.usual_s = 5,
				.causes = 1};
	snprintf(s->task, sizeof(s->task), "task%zu", a->n_stragglers);
	snprintf(a->task_causes[0].word, sizeof(a->task_causes[0].word), "node-limps");
	snprintf(a->task_causes[0].what, sizeof(a->task_causes[0].what), "its server limps");
	a->n_task_causes = 1;
}

/* What is behind the late tasks of its only job. */
static inline struct verdict decided(int seconds, const char *by, const char *subject)
{
	struct verdict a = verdict_at(seconds);
	struct straggler_job *j = array_add(&a.jobs, &a.n_jobs);

	assert_non_null(j);
	*j = (struct straggler_job){.tasks = 9, .looked_at = 9, .stragglers = 1};
	snprintf(j->job, sizeof(j->job), "job1");
	snprintf(j->decision, sizeof(j->decision), "as %s says", by);
	snprintf(j->decided_by, sizeof(j->decided_by), "%s", by);
	snprintf(j->subject, sizeof(j->subject), "%s", subject);
	return a;
}

#endif
